# A function of the host cannot be called from a kernel of a device: the CPU runs such functions.
from tvm.script import ir as I, relax as R, tir as T


@I.ir_module
class Module:
    I.module_global_infos({"vdevice": [I.vdevice("opencl", 0, "global")]})

    @T.prim_func(private=True)
    def foreign(a: T.Buffer((8,), "float32"), o: T.Buffer((8,), "float32")):
        for i in range(8):
            with T.block("foreign"):
                vi = T.axis.spatial(8, i)
                o[vi] = T.call_extern("float32", "cosf", a[vi])

    @R.function
    def main(a: R.Tensor((8,), "float32", "opencl:0")):
        o = R.call_tir(Module.foreign, (a,), out_sinfo=R.Tensor((8,), "float32", "opencl:0"))
        return o
