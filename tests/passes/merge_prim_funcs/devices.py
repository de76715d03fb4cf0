# One function for each target, for both devices of that.
from tvm.script import ir as I
from tvm.script import relax as R
from tvm.script import tir as T
@I.ir_module
class Module:
    I.module_global_infos({"vdevice": [I.vdevice("llvm"), I.vdevice("opencl", 0), I.vdevice("opencl", 1)]})
    @R.function
    def main(x: R.Tensor((8,), "float32", "opencl:0"), y: R.Tensor((8,), "float32", "opencl:1"), h: R.Tensor((8,), "float32", "llvm:0")):
        with R.dataflow():
            a = R.exp(x)
            b = R.exp(y)
            c = R.exp(h)
            R.output(a, b, c)
        return (a, b, c)
