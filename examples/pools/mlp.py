# Three products with 64 columns, for up to 128 rows. The attribute says that there are 48 KiB of fast memory: one of the two tensors in between
# has room there, the other lies in ordinary memory.
from tvm.script import ir as I
from tvm.script import relax as R
from tvm.script import tir as T


@I.ir_module
class Module:
    I.module_attrs({"rlx.pools": ["name=sram,size=48K", "name=dram"]})

    @R.function
    def main(x: R.Tensor(("n", 64), "float32"), w: R.Tensor((64, 64), "float32")) -> R.Tensor(("n", 64), "float32"):
        n = T.int64()
        R.func_attr({"tir_var_upper_bound": {"n": 128}})
        with R.dataflow():
            a = R.nn.relu(R.matmul(x, w))
            b = R.nn.relu(R.matmul(a, w))
            y = R.matmul(b, w)
            R.output(y)
        return y
