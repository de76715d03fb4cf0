# In R.cumsum and R.cumprod, exclusive=None means False.
# call main: tensor float32 [3] {1, 2, 3} => tuple(tensor float32 [3] {1, 3, 6}, tensor float32 [3] {0, 1, 3}, tensor float32 [3] {1, 2, 6})
from tvm.script import relax as R
@R.function
def main(x: R.Tensor(("n",), "float32")):
    return (R.cumsum(x, axis=0, dtype="void", exclusive=None), R.cumsum(x, exclusive=True), R.cumprod(x, exclusive=None))
