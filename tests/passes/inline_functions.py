# ==== calls
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
# ---- expected
# from tvm.script import ir as I
# from tvm.script import tir as T
# from tvm.script import relax as R

@I.ir_module
class Module:
    @R.function(private=True)
    def twice(a: R.Tensor(("m",), dtype="float32"), s: R.Shape(["k"])) -> R.Tuple(R.Tensor(("m + k",), dtype="float32"), R.Tensor(("m",), dtype="float32")):
        m = T.int64()
        k = T.int64()
        with R.dataflow():
            b: R.Tensor((m,), dtype="float32") = R.add(a, a)
            lv: R.Tensor((k,), dtype="float32") = R.zeros(R.shape([k]), dtype="float32")
            c: R.Tensor((m + k,), dtype="float32") = R.concat((b, lv), axis=0)
            R.output(c)
        return (c, a)

    @R.function(private=True)
    def bounded(a: R.Tensor(("m",), dtype="float32")) -> R.Tensor(("m",), dtype="float32"):
        m = T.int64()
        R.func_attr({"tir_var_upper_bound": {"m": 8}})
        gv: R.Tensor((m,), dtype="float32") = R.exp(a)
        return gv

    @R.function(private=True)
    def narrow(a: R.Tensor((4,), dtype="float32")) -> R.Tensor((4,), dtype="float32"):
        gv: R.Tensor((4,), dtype="float32") = R.exp(a)
        return gv

    @R.function(private=True)
    def choose(c: R.Tensor((), dtype="bool"), a: R.Tensor(("m",), dtype="float32")) -> R.Tensor(("m",), dtype="float32"):
        m = T.int64()
        if c:
            _: R.Tuple = R.check_sizes(R.prim_value(m), R.prim_value(8), relation="at_most", message="m of bounded is not in its bounds")
            gv: R.Tensor((m,), dtype="float32") = R.exp(a)
            r: R.Tensor((m,), dtype="float32") = gv
        else:
            r_1: R.Tensor((m,), dtype="float32") = R.negative(a)
            r: R.Tensor((m,), dtype="float32") = r_1
        return r

    @R.function(private=True)
    def loop(c: R.Tensor((), dtype="bool"), a: R.Tensor(("m",), dtype="float32")) -> R.Tensor(("m",), dtype="float32"):
        m = T.int64()
        cls = Module
        if c:
            gv: R.Tensor((), dtype="bool") = R.logical_not(c)
            r: R.Tensor((m,), dtype="float32") = cls.loop(gv, a)
            r_1: R.Tensor((m,), dtype="float32") = r
        else:
            _: R.Tuple = R.check_sizes(R.prim_value(m), R.prim_value(8), relation="at_most", message="m of bounded is not in its bounds")
            gv_1: R.Tensor((m,), dtype="float32") = R.exp(a)
            r_1: R.Tensor((m,), dtype="float32") = gv_1
        return r_1

    @R.function
    def main(x: R.Tensor(("n",), dtype="float32"), c: R.Tensor((), dtype="bool")) -> R.Tuple(R.Tensor(("n * 2 + 3",), dtype="float32"), R.Tensor((4,), dtype="float32"), R.Tensor(("n",), dtype="float32")):
        n = T.int64()
        cls = Module
        s: R.Shape([n + 1]) = R.shape([n + 1])
        b: R.Tensor((n,), dtype="float32") = R.add(x, x)
        lv: R.Tensor((n + 1,), dtype="float32") = R.zeros(R.shape([n + 1]), dtype="float32")
        c_1: R.Tensor((n * 2 + 1,), dtype="float32") = R.concat((b, lv), axis=0)
        t: R.Tuple(R.Tensor((n * 2 + 1,), dtype="float32"), R.Tensor((n,), dtype="float32")) = (c_1, x)
        lv_1: R.Tensor((n * 2 + 1,), dtype="float32") = t[0]
        s_1: R.Shape([2]) = R.shape([2])
        b_1: R.Tensor((n * 2 + 1,), dtype="float32") = R.add(lv_1, lv_1)
        lv_2: R.Tensor((2,), dtype="float32") = R.zeros(R.shape([2]), dtype="float32")
        c_2: R.Tensor((n * 2 + 3,), dtype="float32") = R.concat((b_1, lv_2), axis=0)
        u: R.Tuple(R.Tensor((n * 2 + 3,), dtype="float32"), R.Tensor((n * 2 + 1,), dtype="float32")) = (c_2, lv_1)
        lv_3: R.Tensor((n,), dtype="float32") = t[1]
        a: R.Tensor((4,), dtype="float32") = R.match_cast(lv_3, R.Tensor((4,), dtype="float32"))
        gv: R.Tensor((4,), dtype="float32") = R.exp(a)
        if c:
            _: R.Tuple = R.check_sizes(R.prim_value(4), R.prim_value(8), relation="at_most", message="m of bounded is not in its bounds")
            gv_1: R.Tensor((4,), dtype="float32") = R.exp(gv)
            r: R.Tensor((4,), dtype="float32") = gv_1
        else:
            r_1: R.Tensor((4,), dtype="float32") = R.negative(gv)
            r: R.Tensor((4,), dtype="float32") = r_1
        z: R.Tensor((n,), dtype="float32") = cls.loop(c, x)
        gv_2: R.Tensor((n * 2 + 3,), dtype="float32") = u[0]
        return (gv_2, r, z)
