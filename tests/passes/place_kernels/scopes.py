# The memory of a tensor reaches the buffers of the PrimFunc that reads or makes it; what a buffer wants stays.
from tvm.script import ir as I
from tvm.script import relax as R
from tvm.script import tir as T
@I.ir_module
class Module:
    I.module_global_infos({"vdevice": [I.vdevice("llvm"), I.vdevice("opencl", 0), I.vdevice("opencl", 0, "global.texture")]})
    @T.prim_func(private=True)
    def sample(a: T.Buffer((4, 4), "float32", scope="global.texture"), b: T.Buffer((4, 4), "float32"), o: T.Buffer((4, 4), "float32")):
        for i, j in T.grid(4, 4):
            with T.block("o"):
                vi, vj = T.axis.remap("SS", [i, j])
                o[vi, vj] = a[vi, vj] + b[vi, vj]
    @R.function
    def main(x: R.Tensor((4, 4), "float32", "opencl:1"), y: R.Tensor((4, 4), "float32", "opencl:0")):
        with R.dataflow():
            a = R.exp(x)
            b = R.exp(y)
            c = R.call_tir(Module.sample, (y, x), out_sinfo=R.Tensor((4, 4), "float32", "opencl:0"))
            d = R.call_tir(Module.sample, (x, y), out_sinfo=R.Tensor((4, 4), "float32", "opencl:1"))
            e = R.add(c, b)
            R.output(a, d, e)
        return (a, d, e)
