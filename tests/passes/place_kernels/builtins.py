# Builtins that the device has kernels for: orders of short lines, padding and slices whose widths are data. A long line is the CPU's.
from tvm.script import ir as I
from tvm.script import relax as R
from tvm.script import tir as T
@I.ir_module
class Module:
    I.module_global_infos({"vdevice": [I.vdevice("llvm"), I.vdevice("opencl", 0)]})
    @R.function
    def main(x: R.Tensor((2, 5), "float32", "opencl:0"), v: R.Tensor((), "float32", "opencl:0"), long: R.Tensor((4096,), "float32", "opencl:0"), w: R.Prim(value="w")):
        w = T.int64()
        with R.dataflow():
            a = R.topk(x, 3)
            b = R.call_pure_packed("rlx.pad", x, R.shape([0, w]), R.shape([2, w + 5]), R.prim_value(0), v, sinfo_args=R.Tensor((2, w + 5), "float32"))
            c = R.call_pure_packed("rlx.strided_slice", b, R.shape([1, w]), R.shape([-3, 5]), R.shape([-1, 1]), sinfo_args=R.Tensor((2, 5 - w), "float32"))
            d = R.sort(long)
            R.output(a, c, d)
        return (a, c, d)
