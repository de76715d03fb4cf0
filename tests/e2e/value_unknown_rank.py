# ==== elementwise
"""Elementwise operators on tensors whose rank is known only at run time."""
# call unary: tensor float32 [2, 2] {-1, 2, -3, 4} => tensor float32 [2, 2] {0, 2, 0, 4}
# call unary: tensor float32 [] {-1} => tensor float32 [] {0}
# call unary: tensor float32 [1, 0, 3] {} => tensor float32 [1, 0, 3] {}
# call several: tensor float32 [2] {1, 2}, tensor float32 [2, 1] {10, 20} => tuple(tensor float32 [2, 2] {11, 12, 21, 22}, tensor float32 [2] {3, 4})
# call several: tensor float32 [] {1}, tensor float32 [1, 1, 2] {10, 20} => tuple(tensor float32 [1, 1, 2] {11, 21}, tensor float32 [] {3})
# call several: tensor float32 [0, 1] {}, tensor float32 [3] {1, 2, 3} => tuple(tensor float32 [0, 3] {}, tensor float32 [0, 1] {})
# fail several: tensor float32 [2] {1, 2}, tensor float32 [3] {1, 2, 3} => operands do not broadcast: dimension 0 of operand 1 is 3, of earlier ones 2
# call chosen: tensor bool [2] {1, 0}, tensor float32 [1, 2] {1, 2}, tensor float32 [1] {9} => tensor int32 [1, 2] {1, 9}
from tvm.script import ir as I
from tvm.script import relax as R


@I.ir_module
class Module:
    @R.function
    def unary(x: R.Tensor(dtype="float32")) -> R.Tensor(dtype="float32"):
        return R.nn.relu(x)

    @R.function
    def several(x: R.Tensor(dtype="float32"), y: R.Tensor(dtype="float32")) -> R.Tuple(R.Tensor(dtype="float32"), R.Tensor(dtype="float32")):
        with R.dataflow():
            a = R.add(x, y)
            b = R.add(x, R.const(2, "float32"))
            R.output(a, b)
        return (a, b)

    @R.function
    def chosen(c: R.Tensor(dtype="bool"), x: R.Tensor(dtype="float32"), y: R.Tensor(("n",), "float32")) -> R.Tensor(dtype="int32"):
        z = R.where(c, x, y)
        return R.astype(z, "int32")

# ==== by_rank
"""Operators whose code depends on the rank, on tensors whose rank is known only at run time."""
# call only: tensor float32 [1, 1, 1, 2] {1, 2}, tensor float32 [1, 1, 1, 1] {3} => tensor float32 [1, 1] {4.5}
# fail only: tensor float32 [1, 1, 2] {1, 2}, tensor float32 [1, 1, 1, 1] {3} => nn.conv2d: x 'x' has a rank of 3, expected 4
# call gathered: tensor float32 [2, 2] {1, 2, 3, 4}, tensor int64 [1, 2] {1, 0} => tensor float32 [1] {3}
# call gathered: tensor float32 [2, 2] {1, 2, 3, 4}, tensor int64 [1, 1] {1} => tensor float32 [1, 2] {3, 4}
# fail gathered: tensor float32 [2, 2] {1, 2, 3, 4}, tensor int64 [1, 3] {1, 0, 0} => gather_nd: index vectors of indices 'i' has a last dimension of 3, expected 0 to 2
# call shaped: tensor float32 [2] {1, 2}, shape [2, 1] => tensor float32 [2, 1] {1, 2}
# call shaped: tensor float32 [2] {1, 2}, shape [1, 1, 2] => tensor float32 [1, 1, 2] {1, 2}
# fail shaped: tensor float32 [2] {1, 2}, shape [3] => a view of 3 elements over a tensor of 2
from tvm.script import ir as I
from tvm.script import relax as R


@I.ir_module
class Module:
    @R.function
    def only(x: R.Tensor(dtype="float32"), w: R.Tensor((1, 1, 1, 1), dtype="float32")) -> R.Tensor(dtype="float32"):
        z = R.nn.conv2d(x, w)
        y = R.mean(z, axis=[2, 3])
        return y

    @R.function
    def gathered(x: R.Tensor(("a", "b"), dtype="float32"), i: R.Tensor(("n", "k"), dtype="int64")) -> R.Tensor(dtype="float32"):
        y = R.gather_nd(x, i)
        return y

    @R.function
    def shaped(x: R.Tensor(("n",), dtype="float32"), s: R.Shape) -> R.Tensor(dtype="float32"):
        y = R.reshape(x, s)
        return y
