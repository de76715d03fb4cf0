from tvm.script import ir as I
from tvm.script import relax as R
from tvm.script import tir as T


@I.ir_module
class Module:
    @R.function
    def half_last(x: R.Tensor(("b", "n", 64), "float32")) -> R.Tensor(("b", "n", 64), "float32"):
        b = T.int64()
        n = T.int64()
        with R.dataflow():
            h = R.divide(x, R.const(1.4142135623730951, "float32"))
            e = R.erf(h)
            o = R.add(e, R.const(1.0, "float32"))
            m = R.multiply(x, o)
            out = R.multiply(m, R.const(0.5, "float32"))
            R.output(out)
        return out

    @R.function
    def half_first(x: R.Tensor(("b", "n", 64), "float32")) -> R.Tensor(("b", "n", 64), "float32"):
        b = T.int64()
        n = T.int64()
        with R.dataflow():
            h = R.divide(x, R.const(1.4142135623730951, "float32"))
            e = R.erf(h)
            o = R.add(e, R.const(1.0, "float32"))
            m = R.multiply(R.const(0.5, "float32"), x)
            out = R.multiply(m, o)
            R.output(out)
        return out

    @R.function
    def half_of_sum(x: R.Tensor(("b", "n", 64), "float32")) -> R.Tensor(("b", "n", 64), "float32"):
        b = T.int64()
        n = T.int64()
        with R.dataflow():
            h = R.divide(x, R.const(1.4142135623730951, "float32"))
            e = R.erf(h)
            o = R.add(e, R.const(1.0, "float32"))
            m = R.multiply(o, R.const(0.5, "float32"))
            out = R.multiply(x, m)
            R.output(out)
        return out

    @R.function
    def half_by_quotient(x: R.Tensor(("b", "n", 64), "float32")) -> R.Tensor(("b", "n", 64), "float32"):
        b = T.int64()
        n = T.int64()
        with R.dataflow():
            h = R.divide(x, R.const(1.4142135623730951, "float32"))
            e = R.erf(h)
            o = R.add(e, R.const(1.0, "float32"))
            m = R.divide(x, R.const(2.0, "float32"))
            out = R.multiply(m, o)
            R.output(out)
        return out

    @R.function
    def another_constant(x: R.Tensor(("b", "n", 64), "float32")) -> R.Tensor(("b", "n", 64), "float32"):
        b = T.int64()
        n = T.int64()
        with R.dataflow():
            h = R.divide(x, R.const(1.5, "float32"))
            e = R.erf(h)
            o = R.add(e, R.const(1.0, "float32"))
            m = R.multiply(x, o)
            out = R.multiply(m, R.const(0.5, "float32"))
            R.output(out)
        return out

    @R.function
    def by_tanh(x: R.Tensor(("b", "n", 64), "float32")) -> R.Tensor(("b", "n", 64), "float32"):
        b = T.int64()
        n = T.int64()
        with R.dataflow():
            p = R.power(x, R.const(3.0, "float32"))
            c = R.multiply(p, R.const(0.044715, "float32"))
            s = R.add(x, c)
            h = R.multiply(s, R.const(0.7978845608, "float32"))
            e = R.tanh(h)
            o = R.add(R.const(1.0, "float32"), e)
            m = R.multiply(x, R.const(0.5, "float32"))
            out = R.multiply(m, o)
            R.output(out)
        return out

    @R.function
    def by_tanh_of_products(x: R.Tensor(("b", "n", 64), "float32")) -> R.Tensor(("b", "n", 64), "float32"):
        b = T.int64()
        n = T.int64()
        with R.dataflow():
            p = R.multiply(x, x)
            t = R.multiply(x, p)
            c = R.multiply(R.const(0.044715, "float32"), t)
            s = R.add(c, x)
            h = R.multiply(R.const(0.7978845608, "float32"), s)
            e = R.tanh(h)
            o = R.add(R.const(1.0, "float32"), e)
            m = R.multiply(x, o)
            out = R.multiply(m, R.const(0.5, "float32"))
            R.output(out)
        return out
