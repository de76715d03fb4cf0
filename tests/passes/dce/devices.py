# Copies that nobody reads go; no other value takes their place.
from tvm.script import ir as I
from tvm.script import relax as R
from tvm.script import tir as T
@I.ir_module
class Module:
    I.module_global_infos({"vdevice": [I.vdevice("llvm"), I.vdevice("opencl", 0), I.vdevice("opencl", 1)]})
    @R.function(private=True)
    def unused(x: R.Tensor((2,), "float32", "opencl:0")):
        return R.to_vdevice(x, "llvm:0")
    @R.function
    def main(x: R.Tensor((2,), "float32", "opencl:0"), h: R.Tensor((2,), "float32", "llvm:0")):
        with R.dataflow():
            dead = R.to_vdevice(x, "llvm:0")
            dead1 = R.add(dead, h)
            there = R.to_vdevice(h, "opencl:1")
            back = R.to_vdevice(there, "llvm:0")
            live = R.add(back, h)
            R.output(live)
        return live
