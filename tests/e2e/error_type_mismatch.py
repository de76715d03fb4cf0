# error => R.add
from tvm.script import relax as R
@R.function
def main(x: R.Tensor(("n",), "float32"), y: R.Tensor(("n",), "int32")):
    return R.add(x, y)
