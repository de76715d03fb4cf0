# A product of booleans is true where both are; exporters write it for the conjunction of two tests.
# call main: tensor bool [2, 2] {true, true, false, false}, tensor bool [2] {true, false} => tuple(tensor bool [2, 2] {true, false, false, false}, tensor bool [2, 2] {true, true, false, false})
from tvm.script import relax as R
@R.function
def main(x: R.Tensor(("n", 2), "bool"), y: R.Tensor((2,), "bool")):
    return (R.multiply(x, y), x * x)
