"""Reductions and products whose result has no columns, or whose rows have no elements."""
# call columns: tensor float32 [100, 0] {} => tensor float32 [0] {}
# call rows: tensor float32 [2, 0] {} => tensor float32 [2] {0, 0}
# call softmax: tensor float32 [100, 0] {} => tensor float32 [100, 0] {}
# call product: tensor float32 [0, 100] {}, tensor float32 [100, 0] {} => tensor float32 [0, 0] {}
from tvm.script import ir as I
from tvm.script import relax as R


@I.ir_module
class Module:
    @R.function
    def columns(x: R.Tensor((100, 0), "float32")):
        return R.sum(x, axis=[0])

    @R.function
    def rows(x: R.Tensor((2, 0), "float32")):
        return R.sum(x, axis=[1])

    @R.function
    def softmax(x: R.Tensor((100, 0), "float32")):
        return R.nn.softmax(x, axis=0)

    @R.function
    def product(x: R.Tensor((0, 100), "float32"), w: R.Tensor((100, 0), "float32")):
        return R.matmul(x, w)
