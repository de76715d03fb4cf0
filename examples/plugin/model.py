# A part for the tally (relu, scale, add, clamp), a part for the CPU (exp), and a region that the tally cannot take (a bias that is broadcast).
from tvm.script import ir as I
from tvm.script import relax as R


@I.ir_module
class Module:
    @R.function
    def main(x: R.Tensor(("n", 6), "float32"), y: R.Tensor(("n", 6), "float32"), bias: R.Tensor((6,), "float32")):
        with R.dataflow():
            a = R.nn.relu(x)
            b = R.multiply(a, R.const(0.5, "float32"))
            c = R.add(b, y)
            d = R.minimum(c, R.const(1.0, "float32"))
            e = R.exp(d)
            f = R.add(e, bias)
            g = R.negative(e)
            R.output(f, g)
        return (f, g)
