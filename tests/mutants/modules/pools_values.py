"""A pool, of which functions take that are called as values."""
from tvm.script import ir as I
from tvm.script import relax as R
from tvm.script import tir as T


@I.ir_module
class Module:
    I.module_attrs({"rlx.pools": ["name=a,size=4K", "name=b"]})

    @R.function(private=True)
    def inner(x: R.Tensor(("n",), dtype="float32")) -> R.Tensor(("n",), dtype="float32"):
        R.func_attr({"tir_var_upper_bound": {"n": 300}})
        a = R.cumsum(x, axis=0)
        return R.add(R.cumsum(a, axis=0), x)

    @R.function(private=True)
    def other(x: R.Tensor(("n",), dtype="float32")) -> R.Tensor(("n",), dtype="float32"):
        return R.cumsum(x, axis=0)

    @R.function(pure=False)
    def main(x: R.Tensor(("n",), dtype="float32"), y: R.Tensor(("n",), dtype="float32"), c: R.Tensor((), dtype="bool")) -> R.Tensor(("n",), dtype="float32"):
        R.func_attr({"tir_var_upper_bound": {"n": 300}})
        n = T.int64()
        cls = Module
        a = R.cumsum(x, axis=0)
        b = R.cumsum(y, axis=0)
        if c:
            f = cls.inner
        else:
            f = cls.other
        d = R.invoke_closure(f, (x,), sinfo_args=[R.Tensor((n,), dtype="float32")])
        e = R.cumsum(d, axis=0)
        return R.add(R.add(a, b), e)
