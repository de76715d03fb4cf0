# error => do not broadcast in dimension 0
from tvm.script import relax as R
@R.function
def main(x: R.Tensor((3,), "float32"), y: R.Tensor((4,), "float32")):
    return R.add(x, y)
