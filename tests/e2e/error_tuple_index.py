# error => 2
from tvm.script import relax as R
@R.function
def main(x: R.Tuple(R.Tensor((4,), "float32"), R.Object)):
    y = x[2]
    return y
