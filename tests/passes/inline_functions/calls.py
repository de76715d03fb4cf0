@I.ir_module
class Module:
    @R.function(private=True)
    def twice(a: R.Tensor(("m",), "float32"), s: R.Shape(["k"])):
        m = T.int64()
        k = T.int64()
        with R.dataflow():
            b = R.add(a, a)
            c = R.concat((b, R.zeros((k,), "float32")))
            R.output(c)
        return (c, a)

    @R.function(private=True)
    def bounded(a: R.Tensor(("m",), "float32")):
        R.func_attr({"tir_var_upper_bound": {"m": 8}})
        m = T.int64()
        return R.exp(a)

    @R.function(private=True)
    def narrow(a: R.Tensor((4,), "float32")):
        return R.exp(a)

    @R.function(private=True)
    def choose(c: R.Tensor((), "bool"), a: R.Tensor(("m",), "float32")):
        m = T.int64()
        cls = Module
        if c:
            r = cls.bounded(a)
        else:
            r = R.negative(a)
        return r

    @R.function(private=True)
    def loop(c: R.Tensor((), "bool"), a: R.Tensor(("m",), "float32")) -> R.Tensor(("m",), "float32"):
        m = T.int64()
        cls = Module
        if c:
            r = cls.loop(R.logical_not(c), a)
        else:
            r = cls.bounded(a)
        return r

    @R.function
    def main(x: R.Tensor(("n",), "float32"), c: R.Tensor((), "bool")):
        n = T.int64()
        cls = Module
        with R.dataflow():
            t = cls.twice(x, R.shape([n + 1]))
            u = cls.twice(t[0], R.shape([2]))
            v = cls.narrow(t[1])
            R.output(u, v)
        w = cls.choose(c, v)
        z = cls.loop(c, x)
        return (u[0], w, z)
