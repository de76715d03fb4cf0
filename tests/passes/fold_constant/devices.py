# Constants on two devices: what is computed from them is where it was.
from tvm.script import ir as I
from tvm.script import relax as R
from tvm.script import tir as T
@I.ir_module
class Module:
    I.module_global_infos({"vdevice": [I.vdevice("llvm"), I.vdevice("opencl", 0), I.vdevice("opencl", 1)]})
    @R.function
    def main(x: R.Tensor((2,), "float32", "opencl:0"), h: R.Tensor((2,), "float32", "llvm:0")):
        with R.dataflow():
            c = R.add(R.const([1.0, 2.0], "float32"), R.const([3.0, 4.0], "float32"))
            there = R.add(x, c)
            here = R.add(h, c)
            placed: R.Tensor((2,), "float32", "opencl:1") = R.exp(R.zeros((2,), "float32"))
            moved = R.to_vdevice(R.negative(R.const([5.0, 6.0], "float32")), "opencl:1")
            sum = R.add(placed, moved)
            zeros: R.Tensor((2,), "float32", "opencl:0") = R.zeros((2,), "float32")
            R.output(there, here, sum, placed, zeros)
        return (there, here, sum, placed, zeros, R.to_vdevice(R.const([7.0, 8.0], "float32"), "opencl:0"))
