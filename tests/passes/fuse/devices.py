# Kernels of two devices are not fused: a copy is between them.
from tvm.script import ir as I
from tvm.script import relax as R
from tvm.script import tir as T
@I.ir_module
class Module:
    I.module_global_infos({"vdevice": [I.vdevice("llvm"), I.vdevice("opencl", 0), I.vdevice("opencl", 1)]})
    @R.function
    def main(x: R.Tensor((8,), "float32", "opencl:0"), h: R.Tensor((8,), "float32", "llvm:0")):
        with R.dataflow():
            a = R.exp(h)
            b = R.negative(a)
            c = R.to_vdevice(b, "opencl:0")
            d = R.exp(c)
            e = R.add(d, x)
            f = R.to_vdevice(e, "opencl:1")
            g = R.exp(f)
            i = R.negative(g)
            R.output(e, i)
        return (e, i)
