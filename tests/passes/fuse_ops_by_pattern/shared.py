# Values inside a match that are used outside are further results; not where such a use is needed
# inside, nor for a pattern that is not shared.
# --fuse-shared acc.scale=(multiply (add _ _) _)
# --fuse acc.root=(exp (sin _))
@I.ir_module
class Module:
    @R.function
    def outside(x: R.Tensor(("n", 4), "float32"), y: R.Tensor(("n", 4), "float32")):
        with R.dataflow():
            a = R.add(x, y)
            b = R.multiply(a, y)
            c = R.cos(a)
            s = R.sin(x)
            e = R.exp(s)
            R.output(b, c, s, e)
        return (b, c, s, e)

    @R.function
    def needed(x: R.Tensor(("n", 4), "float32"), y: R.Tensor(("n", 4), "float32")):
        with R.dataflow():
            a = R.add(x, y)
            c = R.cos(a)
            b = R.multiply(a, c)
            R.output(b)
        return b
