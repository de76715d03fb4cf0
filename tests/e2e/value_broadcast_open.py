"""broadcast_to with repeated dimensions known only at run time."""
# call main: tensor float32 [2, 3] {1, 2, 3, 4, 5, 6}, shape [2, 3] => tensor float32 [2, 3] {1, 2, 3, 4, 5, 6}
# call main: tensor float32 [1, 3] {1, 2, 3}, shape [2, 3] => tensor float32 [2, 3] {1, 2, 3, 1, 2, 3}
# call main: tensor float32 [2, 1] {1, 2}, shape [2, 3] => tensor float32 [2, 3] {1, 1, 1, 2, 2, 2}
# call main: tensor float32 [1, 1] {7}, shape [2, 2] => tensor float32 [2, 2] {7, 7, 7, 7}
# call main: tensor float32 [1, 3] {1, 2, 3}, shape [0, 3] => tensor float32 [0, 3] {}
# fail main: tensor float32 [2, 3] {1, 2, 3, 4, 5, 6}, shape [1, 3] => broadcast_to: dimension 0 of x 'x' must be 1, or equal to dimension 0 of shape: 2 and 1
# fail main: tensor float32 [2, 3] {1, 2, 3, 4, 5, 6}, shape [2, 4] => broadcast_to: dimension 1 of x 'x' must be 1, or equal to dimension 1 of shape: 3 and 4
# fail main: tensor float32 [1, 3] {1, 2, 3}, shape [-2, 3] => -2
# call sliced: tensor float32 [1, 3] {1, 2, 3}, tensor float32 [0, 3] {} => tensor float32 [0, 3] {}
# call sliced: tensor float32 [2, 3] {1, 2, 3, 4, 5, 6}, tensor float32 [1, 3] {10, 20, 30} => tensor float32 [1, 3] {14, 25, 36}
# call sliced: tensor float32 [3, 3] {1, 2, 3, 4, 5, 6, 7, 8, 9}, tensor float32 [2, 3] {10, 20, 30, 40, 50, 60} => tensor float32 [2, 3] {14, 25, 36, 47, 58, 69}
# call deeper: tensor int8 [1, 2] {1, 2}, shape [2, 3, 2] => tensor int8 [2, 3, 2] {1, 2, 1, 2, 1, 2, 1, 2, 1, 2, 1, 2}
# call deeper: tensor int8 [3, 1] {1, 2, 3}, shape [2, 3, 2] => tensor int8 [2, 3, 2] {1, 1, 2, 2, 3, 3, 1, 1, 2, 2, 3, 3}
# call kept: tensor float32 [2] {1, 2}, shape [2] => tuple(tensor float32 [2] {2, 4}, tensor float32 [2] {1, 2})
from tvm.script import ir as I
from tvm.script import relax as R
from tvm.script import tir as T


@I.ir_module
class Module:
    @R.function
    def main(x: R.Tensor(("a", "b"), "float32"), s: R.Shape(["n", "m"])) -> R.Tensor(("n", "m"), "float32"):
        n = T.int64()
        m = T.int64()
        y: R.Tensor((n, m), "float32") = R.broadcast_to(x, R.shape([n, m]))
        return y

    @R.function
    def deeper(x: R.Tensor(("a", "b"), "int8"), s: R.Shape(["k", "n", "m"])) -> R.Tensor(("k", "n", "m"), "int8"):
        k = T.int64()
        n = T.int64()
        m = T.int64()
        y: R.Tensor((k, n, m), "int8") = R.broadcast_to(x, R.shape([k, n, m]))
        return y

    @R.function
    def kept(x: R.Tensor(("a",), "float32"), s: R.Shape(["n"])) -> R.Tuple(R.Tensor(("n",), "float32"), R.Tensor(("n",), "float32")):
        n = T.int64()
        a = T.int64()
        y: R.Tensor((n,), "float32") = R.broadcast_to(x, R.shape([n]))
        z: R.Tensor((n,), "float32") = R.add(y, y)
        return (z, y)

    @R.function
    def sliced(x: R.Tensor(("n", 3), "float32"), y: R.Tensor(("n - 1", 3), "float32")):
        n = T.int64()
        z = R.strided_slice(x, axes=[0], begin=[1], end=[9223372036854775807])
        s = R.add(R.broadcast_to(z, R.shape([n - 1, 3])), y)
        return s
