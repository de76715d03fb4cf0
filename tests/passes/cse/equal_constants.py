# Constants with the same bytes are merged, so expressions on them are computed once.
@I.ir_module
class Module:
    @R.function
    def main(x: R.Tensor(("n", 4), "float32"), i: R.Tensor(("n", 4), "int32")):
        with R.dataflow():
            v = R.broadcast_to(R.const(0.5, "float32"), (4, 8))
            w = R.broadcast_to(R.const(0.5, "float32"), (4, 8))
            a = R.matmul(x, v)
            b = R.matmul(x, w)
            c = R.add(a, b)
            d = R.add(x, R.const(1.0, "float32"))
            e = R.add(i, R.const(1065353216, "int32"))
            out = (c, d, e)
            R.output(out)
        return out
