from tvm.script import ir as I
from tvm.script import relax as R
from tvm.script import tir as T


@I.ir_module
class Module:
    @R.function
    def silu(x: R.Tensor(("b", "n", 64), "float32")) -> R.Tensor(("b", "n", 64), "float32"):
        b = T.int64()
        n = T.int64()
        with R.dataflow():
            s = R.sigmoid(x)
            out = R.multiply(s, x)
            R.output(out)
        return out

    @R.function
    def silu_of_exp(x: R.Tensor(("b", "n", 64), "float32")) -> R.Tensor(("b", "n", 64), "float32"):
        b = T.int64()
        n = T.int64()
        with R.dataflow():
            m = R.negative(x)
            e = R.exp(m)
            s = R.add(e, R.const(1.0, "float32"))
            g = R.divide(R.const(1.0, "float32"), s)
            out = R.multiply(x, g)
            R.output(out)
        return out

    @R.function
    def silu_by_quotient(x: R.Tensor(("b", "n", 64), "float32")) -> R.Tensor(("b", "n", 64), "float32"):
        b = T.int64()
        n = T.int64()
        with R.dataflow():
            m = R.negative(x)
            e = R.exp(m)
            s = R.add(e, R.const(1.0, "float32"))
            out = R.divide(x, s)
            R.output(out)
        return out

    @R.function
    def softmax(x: R.Tensor(("b", "n", 64), "float32")) -> R.Tensor(("b", "n", 64), "float32"):
        b = T.int64()
        n = T.int64()
        with R.dataflow():
            m = R.max(x, axis=[-1], keepdims=True)
            d = R.subtract(x, m)
            e = R.exp(d)
            s = R.sum(e, axis=[-1], keepdims=True)
            out = R.divide(e, s)
            R.output(out)
        return out

    @R.function
    def log_softmax(x: R.Tensor(("b", "n", 64), "float32")) -> R.Tensor(("b", "n", 64), "float32"):
        b = T.int64()
        n = T.int64()
        with R.dataflow():
            m = R.max(x, axis=[1], keepdims=True)
            d = R.subtract(x, m)
            e = R.exp(d)
            s = R.sum(e, axis=[1], keepdims=True)
            l = R.log(s)
            out = R.subtract(d, l)
            R.output(out)
        return out

    @R.function
    def axes_differ(x: R.Tensor(("b", "n", 64), "float32")) -> R.Tensor(("b", "n", 64), "float32"):
        b = T.int64()
        n = T.int64()
        with R.dataflow():
            m = R.max(x, axis=[1], keepdims=True)
            d = R.subtract(x, m)
            e = R.exp(d)
            s = R.sum(e, axis=[2], keepdims=True)
            out = R.divide(e, s)
            R.output(out)
        return out
