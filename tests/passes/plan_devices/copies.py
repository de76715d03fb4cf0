# Copies where devices meet: one for all uses, in the innermost body that has them all.
from tvm.script import ir as I
from tvm.script import relax as R
from tvm.script import tir as T
@I.ir_module
class Module:
    I.module_global_infos({"vdevice": [I.vdevice("llvm"), I.vdevice("opencl", 0)]})
    @R.function
    def main(x: R.Tensor((4,), "float32"), w: R.Tensor((4,), "float32", "opencl:0"), v: R.Tensor((4,), "float32", "llvm:0")):
        with R.dataflow():
            a = R.exp(x)
            b = R.add(a, w)
            c = R.add(a, v)
            d = R.multiply(a, w)
            R.output(b, c, d)
        return (b, c, d)
    @R.function
    def branches(p: R.Tensor((), "bool", "opencl:0"), x: R.Tensor((4,), "float32", "opencl:0"), y: R.Tensor((4,), "float32", "llvm:0")):
        if p:
            a = R.add(R.hint_on_device(x, R.device("cpu", 0)), y)
            b = R.to_vdevice(a, "opencl:0")
        else:
            b = R.hint_on_device(y, "opencl:0")
        c = R.add(b, R.hint_on_device(y, "opencl:0"))
        return c
    @R.function
    def callee(t: R.Tuple(R.Tensor((4,), "float32"), R.Tuple(R.Tensor((4,), "float32", "opencl:0"), R.Prim("int64")))) -> R.Tensor((4,), "float32"):
        a = t[0]
        b = t[1]
        c = R.add(b[0], a)
        return c
    @R.function
    def tuples(t: R.Tuple(R.Tensor((4,), "float32", "llvm:0"), R.Tuple(R.Tensor((4,), "float32"), R.Prim("int64")))):
        return Module.callee(t)
    @R.function
    def closures(x: R.Tensor((4,), "float32", "llvm:0"), w: R.Tensor((4,), "float32", "opencl:0")):
        @R.function
        def scale(y: R.Tensor((4,), "float32")) -> R.Tensor((4,), "float32"):
            z = R.multiply(y, w)
            return z
        a = scale(R.exp(x))
        return scale(a)
