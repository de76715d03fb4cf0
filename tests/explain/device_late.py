# What only the code of threads shows: memory of a thread that is too large, a size that the host does not know.
from tvm.script import ir as I, relax as R, tir as T


@I.ir_module
class Module:
    I.module_global_infos({"vdevice": [I.vdevice("opencl", 0, "global")]})

    @T.prim_func(private=True)
    def large(a: T.Buffer((3,), "float32"), o: T.Buffer((3,), "float32")):
        for i in range(3):
            with T.block("rows"):
                vi = T.axis.spatial(3, i)
                line = T.alloc_buffer((20001,), "float32")
                for k in range(20001):
                    line[k] = a[vi] * T.Cast("float32", k)
                o[vi] = line[7] + line[20000]

    @T.prim_func(private=True)
    def needed(a: T.Buffer((3,), "float32"), o: T.Buffer((3,), "float32")):
        line = T.alloc_buffer((T.Cast("int64", a[0]),), "float32")
        line[0] = a[0]
        for i in range(3):
            with T.block("rows"):
                vi = T.axis.spatial(3, i)
                o[vi] = line[0] + a[vi]

    @R.function
    def main(a: R.Tensor((3,), "float32", "opencl:0")):
        b = R.call_tir(Module.large, (a,), out_sinfo=R.Tensor((3,), "float32", "opencl:0"))
        o = R.call_tir(Module.needed, (b,), out_sinfo=R.Tensor((3,), "float32", "opencl:0"))
        return o
