"""Fields of tensors, as attributes and as the operators they become; NumPy's constants."""
# call ranks: tensor float32 [2, 0, 3] {} => tuple(int 3, int 3)
# call ranks: tensor uint8 [] {7} => tuple(int 0, int 0)
# call types: tensor float16 [1] {1} => tuple(int 2, int 16, int 1)
# call types: tensor uint8 [2] {1, 2} => tuple(int 1, int 8, int 1)
# call places: tensor int32 [2, 3] {1, 2, 3, 4, 5, 6}, int 0 => tuple(int 2, int 3)
# call places: tensor int32 [2, 3] {1, 2, 3, 4, 5, 6}, int 1 => tuple(int 3, int 1)
# fail places: tensor int32 [2, 3] {1, 2, 3, 4, 5, 6}, int 2 => axis 2 is out of range for rank 2
# call offsets: tensor int32 [2] {1, 2} => tuple(int 0, int 0)
# call of_values: tensor float32 [2, 3] {1, 2, 3, 4, 5, 6} => tuple(int 6, int 2, int 64)
# call arrays: tensor int64 [2] {10, 20} => tensor int64 [2, 2] {11, 22, 13, 24}
from tvm.script import ir as I
from tvm.script import relax as R
from tvm.script import tirx as T


@I.ir_module
class Module:
    @R.function
    def ranks(x: R.Tensor):
        return (x.ndim, R.inspect.tensor_ndim(x))

    @R.function
    def types(x: R.Tensor):
        bits = x.dtype.bits
        return (x.dtype.type_code, bits, x.dtype.lanes)

    @R.function
    def places(x: R.Tensor, axis: R.Prim("int64")):
        return (x.shape[axis], x.strides[axis])

    @R.function
    def offsets(x: R.Tensor):
        return (x.byte_offset, x.elem_offset)

    @R.function
    def of_values(x: R.Tensor(("n", 3), "float32")):
        n = T.int64()
        return (R.reshape(x, (n * 3,)).shape[0], R.add(x, x).ndim, R.astype(x, "float64").dtype.bits)

    @R.function
    def arrays(x: R.Tensor((2,), "int64")):
        return R.add(x, R.const(np.array([[1, 2], [3, 4]])))
