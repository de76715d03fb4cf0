# Two roots: no group where a value between them needs the one and is needed by the other. A pattern
# of any value takes each call by itself, but no match_cast, which binds symbols.
# --fuse acc.pair=s=(add _ _); (multiply _ _)
# --fuse acc.any=_{rank=1}
@I.ir_module
class Module:
    @R.function
    def apart(x: R.Tensor(("n", 4), "float32"), y: R.Tensor(("n", 4), "float32")):
        with R.dataflow():
            a = R.add(x, y)
            b = R.multiply(x, y)
            c = R.subtract(a, b)
            R.output(c)
        return c

    @R.function
    def between(x: R.Tensor(("n", 4), "float32"), y: R.Tensor(("n", 4), "float32")):
        with R.dataflow():
            a = R.add(x, y)
            b = R.exp(a)
            c = R.multiply(b, y)
            R.output(c)
        return c

    @R.function
    def crossed(x: R.Tensor(("n", 4), "float32"), y: R.Tensor(("n", 4), "float32")):
        with R.dataflow():
            a = R.add(x, y)
            b = R.multiply(R.exp(a), y)
            c = R.add(x, R.exp(y))
            d = R.multiply(R.sin(c), R.cos(y))
            R.output(b, d)
        return (b, d)

    @R.function
    def casts(x: R.Tensor(("n", 4), "float32"), v: R.Tensor(dtype="float32", ndim=1)):
        m = T.int64()
        with R.dataflow():
            w = R.match_cast(v, R.Tensor((m,), "float32"))
            z = R.exp(w)
            R.output(z)
        return z
