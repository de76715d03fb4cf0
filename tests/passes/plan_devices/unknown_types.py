# Functions without a declared result are inferred before their callers. A value of type Object is on the host.
from tvm.script import ir as I, relax as R, tir as T
@I.ir_module
class Module:
    I.module_global_infos({"vdevice": [I.vdevice("llvm"), I.vdevice("opencl", 0)]})
    @R.function
    def main(x: R.Tensor((2,), "float32", "opencl:0")):
        a = Module.later(x)
        b = R.add(a, x)
        t = Module.pair(x)
        u = t[0]
        return (a, b, u)
    @R.function
    def later(x: R.Tensor((2,), "float32", "opencl:0")):
        y = Module.last(x)
        return R.exp(y)
    @R.function
    def last(x: R.Tensor((2,), "float32", "opencl:0")):
        return R.exp(x)
    @R.function
    def pair(x: R.Tensor((2,), "float32", "opencl:0")):
        return (R.exp(x), R.negative(x))
    @R.function
    def rec(x: R.Tensor((2,), "float32", "opencl:0"), c: R.Tensor((), "bool")):
        if c:
            r = Module.rec(R.exp(x), c)
        else:
            r = x
        return r
    @R.function(pure=False)
    def obj(x: R.Tensor((2,), "float32", "opencl:0"), o: R.Object):
        t = (x, o)
        y = R.call_packed("f", x, t, sinfo_args=R.Tensor((2,), "float32", "opencl:0"))
        z = R.call_packed("g", y, sinfo_args=R.Object)
        w = R.match_cast(z, R.Tensor((2,), "float32", "opencl:0"))
        return (y, z, w)
