# error => error_condition.py:5
from tvm.script import relax as R
@R.function
def main(x: R.Tensor((4,), "float32")):
    if x:
        y = R.add(x, x)
    else:
        y = x
    return y
