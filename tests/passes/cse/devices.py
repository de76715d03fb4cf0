# Equal bindings on different devices stay apart; copies to one device are one.
from tvm.script import ir as I
from tvm.script import relax as R
from tvm.script import tir as T
@I.ir_module
class Module:
    I.module_global_infos({"vdevice": [I.vdevice("llvm"), I.vdevice("opencl", 0), I.vdevice("opencl", 1)]})
    @R.function
    def main(x: R.Tensor((2,), "float32", "opencl:0"), h: R.Tensor((2,), "float32", "llvm:0"), n: R.Tensor((2,), "int64", "llvm:0")):
        with R.dataflow():
            a: R.Tensor((2,), "float32", "opencl:0") = R.full((2,), R.const(2.0, "float32"))
            b: R.Tensor((2,), "float32", "llvm:0") = R.full((2,), R.const(2.0, "float32"))
            c: R.Tensor((2,), "float32", "opencl:1") = R.full((2,), R.const(2.0, "float32"))
            d: R.Tensor((2,), "float32", "opencl:0") = R.full((2,), R.const(2.0, "float32"))
            p = R.to_vdevice(h, "opencl:0")
            q = R.to_vdevice(h, "opencl:1")
            r = R.to_vdevice(h, "opencl:0")
            s = R.hint_on_device(h, "opencl:0")
            t = R.hint_on_device(h, "opencl:1")
            u = R.exp(s)
            v = R.exp(t)
            w = R.exp(h)
            R.output(a, b, c, d, p, q, r, u, v, w)
        return (a, b, c, d, p, q, r, u, v, w)
