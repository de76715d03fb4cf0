# error => error_unknown_operator.py:6:12: error: operator R.nn.lstm is not supported
from tvm.script import relax as R
@R.function
def main(x: R.Tensor(("n",), "float32")):
    y = R.add(x, x)
    return R.nn.lstm(y)
