"""Constants of several sizes in two small pools and a large one."""
from tvm.script import ir as I
from tvm.script import relax as R
from tvm.script import tir as T


@I.ir_module
class Module:
    I.module_attrs({"rlx.pools": ["name=a,size=256,kind=constants", "name=b,size=128,kind=constants", "name=c,kind=constants"]})

    @R.function
    def main(x: R.Tensor(("n",), dtype="float32"), y: R.Tensor(("n",), dtype="float32"), c: R.Tensor((), dtype="bool")) -> R.Tensor(ndim=1, dtype="float32"):
        R.func_attr({"tir_var_upper_bound": {"n": 300}})
        n = T.int64()
        a = R.cumsum(R.sum(R.multiply(R.expand_dims(x, 0), R.const([[1.5], [2], [3], [4], [5], [6], [7], [8], [9], [10], [1], [2], [3], [4], [5], [6], [7], [8], [9], [10], [1], [2], [3], [4], [5], [6], [7], [8], [9], [10], [1], [2], [3], [4], [5], [6], [7], [8], [9], [10]], "float32")), axis=0), axis=0)
        b = R.cumsum(R.sum(R.multiply(R.expand_dims(R.add(a, y), 0), R.const([[0.5], [3]], "float32")), axis=0), axis=0)
        d = R.cumsum(R.sum(R.multiply(R.expand_dims(b, 0), R.const([[7], [2.5]], "float32")), axis=0), axis=0)
        e = R.cumsum(R.sum(R.multiply(R.expand_dims(d, 0), R.const([[4.5], [2], [3], [4], [5], [6], [7], [8], [9], [10], [1], [2], [3], [4], [5], [6], [7], [8], [9], [10], [1], [2], [3], [4], [5], [6], [7], [8], [9], [10], [1], [2], [3], [4], [5], [6], [7], [8], [9], [10]], "float32")), axis=0), axis=0)
        return R.cumsum(R.sum(R.multiply(R.expand_dims(e, 0), R.const([[9], [8.5]], "float32")), axis=0), axis=0)
