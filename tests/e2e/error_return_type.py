# error => main
from tvm.script import relax as R
@R.function
def main(x: R.Tensor((4,), "float32")) -> R.Tensor((5,), "float32"):
    y = R.add(x, x)
    return y
