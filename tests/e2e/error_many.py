# error => error_many.py:7:9
from tvm.script import relax as R
@R.function
def main(x: R.Tensor((4,), "float32")):
    a = R.foo(x)
    b = R.add(x)
    c = R.bar(a, b)
    return c
