from tvm.script import ir as I
from tvm.script import relax as R
from tvm.script import tir as T


@I.ir_module
class Module:
    @R.function
    def power_and_sqrt(x: R.Tensor(("b", "n", 64), "float32"), w: R.Tensor((64,), "float32"), c: R.Tensor((64,), "float32")) -> R.Tensor(("b", "n", 64), "float32"):
        b = T.int64()
        n = T.int64()
        with R.dataflow():
            m = R.mean(x, axis=[-1], keepdims=True)
            d = R.subtract(x, m)
            p = R.power(d, R.const(2.0, "float32"))
            v = R.mean(p, axis=[-1], keepdims=True)
            e = R.add(v, R.const(1e-05, "float32"))
            s = R.sqrt(e)
            q = R.divide(d, s)
            g = R.multiply(q, w)
            out = R.add(g, c)
            R.output(out)
        return out

    @R.function
    def product_and_rsqrt(x: R.Tensor(("b", "n", 64), "float32"), w: R.Tensor((64,), "float32"), c: R.Tensor((64,), "float32")) -> R.Tensor(("b", "n", 64), "float32"):
        b = T.int64()
        n = T.int64()
        with R.dataflow():
            m = R.mean(x, axis=[-1], keepdims=True)
            d = R.subtract(x, m)
            p = R.multiply(d, d)
            v = R.mean(p, axis=[2], keepdims=True)
            e = R.add(R.const(1e-06, "float32"), v)
            s = R.rsqrt(e)
            q = R.multiply(s, d)
            g = R.multiply(w, q)
            out = R.add(c, g)
            R.output(out)
        return out

    @R.function
    def variance_and_inverse(x: R.Tensor(("b", "n", 64), "float32"), w: R.Tensor((64,), "float32"), c: R.Tensor((64,), "float32")) -> R.Tensor(("b", "n", 64), "float32"):
        b = T.int64()
        n = T.int64()
        with R.dataflow():
            m = R.mean(x, axis=[-1], keepdims=True)
            d = R.subtract(x, m)
            v = R.variance(x, axis=[2], keepdims=True)
            e = R.add(R.const(1e-06, "float32"), v)
            s = R.sqrt(e)
            i = R.divide(R.const(1.0, "float32"), s)
            g = R.multiply(i, w)
            q = R.multiply(d, g)
            out = R.add(q, c)
            R.output(out)
        return out

    @R.function
    def other_axis(x: R.Tensor(("b", "n", 64), "float32"), w: R.Tensor((64,), "float32"), c: R.Tensor((64,), "float32")) -> R.Tensor(("b", "n", 64), "float32"):
        b = T.int64()
        n = T.int64()
        with R.dataflow():
            m = R.mean(x, axis=[1], keepdims=True)
            d = R.subtract(x, m)
            p = R.multiply(d, d)
            v = R.mean(p, axis=[2], keepdims=True)
            e = R.add(v, R.const(1e-06, "float32"))
            s = R.rsqrt(e)
            q = R.multiply(s, d)
            g = R.multiply(w, q)
            out = R.add(c, g)
            R.output(out)
        return out

    @R.function
    def deviation_is_used(x: R.Tensor(("b", "n", 64), "float32"), w: R.Tensor((64,), "float32"), c: R.Tensor((64,), "float32")) -> R.Tensor(("b", "n", 64), "float32"):
        b = T.int64()
        n = T.int64()
        with R.dataflow():
            m = R.mean(x, axis=[-1], keepdims=True)
            d = R.subtract(x, m)
            p = R.multiply(d, d)
            v = R.mean(p, axis=[2], keepdims=True)
            e = R.add(v, R.const(1e-06, "float32"))
            s = R.sqrt(e)
            q = R.divide(d, s)
            g = R.multiply(w, q)
            y = R.add(c, g)
            out = R.multiply(y, s)
            R.output(out)
        return out
