# ==== scans
# In R.cumsum and R.cumprod, exclusive=None means False.
# call main: tensor float32 [3] {1, 2, 3} => tuple(tensor float32 [3] {1, 3, 6}, tensor float32 [3] {0, 1, 3}, tensor float32 [3] {1, 2, 6})
from tvm.script import relax as R
@R.function
def main(x: R.Tensor(("n",), "float32")):
    return (R.cumsum(x, axis=0, dtype="void", exclusive=None), R.cumsum(x, exclusive=True), R.cumprod(x, exclusive=None))
# ==== booleans
# A product of booleans is true where both are; exporters write it for the conjunction of two tests.
# call main: tensor bool [2, 2] {true, true, false, false}, tensor bool [2] {true, false} => tuple(tensor bool [2, 2] {true, false, false, false}, tensor bool [2, 2] {true, true, false, false})
from tvm.script import relax as R
@R.function
def main(x: R.Tensor(("n", 2), "bool"), y: R.Tensor((2,), "bool")):
    return (R.multiply(x, y), x * x)
# ==== no_columns
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
