# error => pure
from tvm.script import relax as R
@R.function
def main(x: R.Tensor((4,), "float32")):
    y = R.call_packed("test.id", x, sinfo_args=R.Tensor((4,), "float32"))
    return y
