# Functions that differ in a number are one for each target.
from tvm.script import ir as I
from tvm.script import relax as R
from tvm.script import tir as T
@I.ir_module
class Module:
    I.module_global_infos({"vdevice": [I.vdevice("llvm"), I.vdevice("opencl", 0), I.vdevice("opencl", 1)]})
    @R.function
    def main(x: R.Tensor((8,), "float32", "opencl:0"), h: R.Tensor((8,), "float32", "llvm:0")):
        with R.dataflow():
            a = R.multiply(x, R.const(2.0, "float32"))
            b = R.multiply(h, R.const(3.0, "float32"))
            c = R.multiply(x, R.const(4.0, "float32"))
            d = R.multiply(h, R.const(5.0, "float32"))
            R.output(a, b, c, d)
        return (a, b, c, d)
