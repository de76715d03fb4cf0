# ==== devices
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
# ---- expected
# from tvm.script import ir as I
# from tvm.script import tir as T
# from tvm.script import relax as R

@I.ir_module
class Module:
    I.module_global_infos({"vdevice": [I.vdevice("llvm", 0, "global"), I.vdevice("opencl", 0, "global"), I.vdevice("opencl", 1, "global")]})
    @R.function
    def main(x: R.Tensor((2,), dtype="float32", vdevice="opencl:0"), h: R.Tensor((2,), dtype="float32", vdevice="llvm:0")) -> R.Tensor((2,), dtype="float32", vdevice="llvm:0"):
        with R.dataflow():
            there: R.Tensor((2,), dtype="float32", vdevice="opencl:1") = R.to_vdevice(h, dst_vdevice="opencl:1")
            back: R.Tensor((2,), dtype="float32", vdevice="llvm:0") = R.to_vdevice(there, dst_vdevice="llvm:0")
            live: R.Tensor((2,), dtype="float32", vdevice="llvm:0") = R.add(back, h)
            R.output(live)
        return live

# ==== match_cast_stays
from tvm.script import ir as I
from tvm.script import relax as R
from tvm.script import tir as T


@I.ir_module
class Module:
    @R.function
    def main(x: R.Tensor(ndim=1, dtype="float32")) -> R.Tensor(ndim=1, dtype="float32"):
        n = T.int64()
        a = R.exp(x)
        b = R.match_cast(x, R.Tensor((n,), "float32"))
        c = R.negative(x)
        d = R.sin(c)
        return a
# ---- expected
# from tvm.script import ir as I
# from tvm.script import tir as T
# from tvm.script import relax as R

@I.ir_module
class Module:
    @R.function
    def main(x: R.Tensor(dtype="float32", ndim=1)) -> R.Tensor(dtype="float32", ndim=1):
        d0 = T.int64()
        n = T.int64()
        x_1: R.Tensor((d0,), dtype="float32") = R.match_cast(x, R.Tensor((d0,), dtype="float32"))
        a: R.Tensor((d0,), dtype="float32") = R.exp(x_1)
        b: R.Tensor((n,), dtype="float32") = R.match_cast(x, R.Tensor((n,), dtype="float32"))
        return a
