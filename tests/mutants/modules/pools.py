"""Two small pools and a large one: values of several sizes live in turn, in branches and in a function that is called."""
from tvm.script import ir as I
from tvm.script import relax as R
from tvm.script import tir as T


@I.ir_module
class Module:
    I.module_attrs({"rlx.pools": ["name=a,size=3K", "name=b,size=8K", "name=c"]})

    @R.function(private=True)
    def inner(x: R.Tensor(("n",), dtype="float32")) -> R.Tensor(("n",), dtype="float32"):
        R.func_attr({"tir_var_upper_bound": {"n": 300}})
        a = R.cumsum(x, axis=0)
        b = R.cumsum(a, axis=0)
        return R.add(R.cumsum(b, axis=0), a)

    @R.function
    def main(x: R.Tensor(("n",), dtype="float32"), y: R.Tensor(("n",), dtype="float32"), c: R.Tensor((), dtype="bool")) -> R.Tensor(ndim=1, dtype="float32"):
        R.func_attr({"tir_var_upper_bound": {"n": 300}})
        n = T.int64()
        cls = Module
        a = R.cumsum(x, axis=0)
        b = R.cumsum(R.concat((y, x), axis=0), axis=0)
        d = R.cumsum(b, axis=0)
        e = R.add(R.cumsum(a, axis=0), cls.inner(a))
        if c:
            f = R.cumsum(R.concat((e, a), axis=0), axis=0)
            p = R.add(f, b)
        else:
            g = R.cumsum(R.cumsum(d, axis=0), axis=0)
            p = R.add(g, b)
        h = R.cumsum(p, axis=0)
        i = R.cumsum(R.concat((R.add(h, d), e), axis=0), axis=0)
        return R.add(i, R.concat((a, h), axis=0))
