# The matrix products of the character GPT at M = n, weights already transposed as constant folding leaves them.
from tvm.script import ir as I
from tvm.script import relax as R
from tvm.script import tir as T


@I.ir_module
class Module:
    @R.function
    def qkv(x: R.Tensor(("n", 128), "float32"), w: R.Tensor((128, 384), "float32")):
        n = T.int64()
        y: R.Tensor((n, 384), "float32") = R.matmul(x, w)
        return y

    @R.function
    def proj(x: R.Tensor(("n", 128), "float32"), w: R.Tensor((128, 128), "float32")):
        n = T.int64()
        y: R.Tensor((n, 128), "float32") = R.matmul(x, w)
        return y

    @R.function
    def fc1(x: R.Tensor(("n", 128), "float32"), w: R.Tensor((128, 512), "float32")):
        n = T.int64()
        y: R.Tensor((n, 512), "float32") = R.matmul(x, w)
        return y

    @R.function
    def fc2(x: R.Tensor(("n", 512), "float32"), w: R.Tensor((512, 128), "float32")):
        n = T.int64()
        y: R.Tensor((n, 128), "float32") = R.matmul(x, w)
        return y
