# Variables of two functions have the same numbers: a copy that one made is nothing to the other.
from tvm.script import ir as I
from tvm.script import relax as R
from tvm.script import tir as T
@I.ir_module
class Module:
    I.module_global_infos({"vdevice": [I.vdevice("llvm"), I.vdevice("opencl", 0)]})
    @T.prim_func(private=True)
    def add(a: T.Buffer((4,), "float32"), b: T.Buffer((4,), "float32"), o: T.Buffer((4,), "float32")):
        for i in range(4):
            with T.block("o"):
                v = T.axis.spatial(4, i)
                o[v] = a[v] + b[v]
    @R.function
    def first(a: R.Tensor((4,), "float32", "opencl:0"), b: R.Tensor((4,), "float32", "llvm:0")):
        c = R.to_vdevice(b, "opencl:0")
        d = R.to_vdevice(c, "llvm:0")
        return (c, d)
    @R.function
    def second(x: R.Tensor((4,), "float32", "opencl:0"), y: R.Tensor((4,), "float32", "opencl:0")):
        z = R.call_tir(Module.add, (x, y), out_sinfo=R.Tensor((4,), "float32", "opencl:0"))
        return R.to_vdevice(z, "llvm:0")
