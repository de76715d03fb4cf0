# error => error_annotation.py:6:
from tvm.script import relax as R, tir as T
@R.function
def main(x: R.Tensor(("n",), "float32")):
    n = T.int64()
    y: R.Tensor((n + 1,), "float32") = R.exp(x)
    return y
