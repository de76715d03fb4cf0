# The device checks values itself: indices, classes with one that is ignored, divisors, indices that are unsigned.
from tvm.script import ir as I
from tvm.script import relax as R
@I.ir_module
class Module:
    I.module_global_infos({"vdevice": [I.vdevice("llvm"), I.vdevice("opencl", 0)]})
    @R.function
    def main(x: R.Tensor((3,), "int32", "opencl:0"), y: R.Tensor((3,), "int32", "opencl:0"), i: R.Tensor(("k",), "uint64", "opencl:0"), c: R.Tensor(("m", 2), "int64", "opencl:0"), w: R.Tensor((3, 4), "float32", "opencl:0"), t: R.Tensor((3,), "int64", "opencl:0")):
        with R.dataflow():
            a = R.divide(x, y)
            b = R.take(a, i, axis=0)
            d = R.gather_nd(w, c)
            e = R.nn.nll_loss(w, t)
            R.output(b, d, e)
        return (b, d, e)
