# error => error_unbound_symbol.py:3:1: error: symbolic variable 'n' is used before it is bound
from tvm.script import relax as R, tir as T
@R.function
def main(x: R.Tensor(("n * 2",), "float32")):
    return R.add(x, x)
