"""Views whose element type or offset is a run-time value, and views checked only at run time."""
# call by_name: tensor int32 [2] {1065353216, 0} => tensor float32 [2] {1, 0}
# call constant: tensor int32 [2] {1, 258} => tensor uint8 [8] {1, 0, 0, 0, 2, 1, 0, 0}
# call part: tensor float32 [4] {1, 2, 3, 4}, int 4 => tensor float32 [2] {2, 3}
# call part: tensor float32 [4] {1, 2, 3, 4}, int 8 => tensor float32 [2] {3, 4}
# fail part: tensor float32 [4] {1, 2, 3, 4}, int 12 => of a tensor of 16 bytes
# fail part: tensor float32 [4] {1, 2, 3, 4}, int -4 => of a tensor of 16 bytes
# call rows: tensor float32 [8] {1, 2, 3, 4, 5, 6, 7, 8} => tensor float32 [2, 4] {1, 2, 3, 4, 5, 6, 7, 8}
# call rows: tensor float32 [0] {} => tensor float32 [0, 4] {}
# fail rows: tensor float32 [3] {1, 2, 3} => 3
from tvm.script import ir as I
from tvm.script import relax as R
from tvm.script import tirx as T


@I.ir_module
class Module:
    @R.function
    def by_name(x: R.Tensor(("n",), "int32")):
        dtype = R.dtype("float32")
        y: R.Tensor("float32") = R.memory.view(x, dtype=dtype)
        return y

    @R.function
    def constant(x: R.Tensor((2,), "int32")):
        return R.memory.view(x, R.shape([8]), R.dtype("uint8"), R.prim_value(0))

    @R.function
    def part(x: R.Tensor(("n",), "float32"), at: R.Prim("int64")):
        return R.memory.view(x, R.shape([2]), relative_byte_offset=at)

    @R.function
    def rows(x: R.Tensor(("n",), "float32")):
        n = T.int64()
        return R.memory.view(x, R.shape([(n + 3) // 4, 4]))
