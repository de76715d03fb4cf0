# Products of one value on two devices stay apart, those on one are merged there.
from tvm.script import ir as I
from tvm.script import relax as R
from tvm.script import tir as T
@I.ir_module
class Module:
    I.module_global_infos({"vdevice": [I.vdevice("llvm"), I.vdevice("opencl", 0), I.vdevice("opencl", 1)]})
    @R.function
    def main(x: R.Tensor((1, "n", 3), "float32", "opencl:0")):
        n = T.int64()
        with R.dataflow():
            h = R.to_vdevice(x, "llvm:0")
            a = R.matmul(x, R.broadcast_to(R.const([[1.0], [2.0], [3.0]], "float32"), R.shape([3, 16])))
            a4 = R.reshape(a, R.shape([1, n, 4, 4]))
            b = R.matmul(x, R.broadcast_to(R.const([[2.0], [3.0], [4.0]], "float32"), R.shape([3, 16])))
            b4 = R.reshape(b, R.shape([1, n, 4, 4]))
            c = R.matmul(h, R.broadcast_to(R.const([[3.0], [4.0], [5.0]], "float32"), R.shape([3, 16])))
            c4 = R.reshape(c, R.shape([1, n, 4, 4]))
            d = R.matmul(h, R.broadcast_to(R.const([[4.0], [5.0], [6.0]], "float32"), R.shape([3, 16])))
            d4 = R.reshape(d, R.shape([1, n, 4, 4]))
            there = R.nn.attention(a4, b4, a4)
            here = R.nn.attention(c4, d4, d4)
            R.output(there, here)
        return (there, here)
