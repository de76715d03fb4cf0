# error => 'f' takes 1 argument
from tvm.script import relax as R
@R.function(private=True)
def f(x: R.Tensor((4,), "float32")):
    return x
@R.function
def main(x: R.Tensor((4,), "float32")):
    y = f(x, x)
    return y
