# error => PrimFunc 'f' cannot run on 'opencl:0': T.tvm_storage_sync: only threads of one block can wait for each other
from tvm.script import ir as I, relax as R, tir as T


@I.ir_module
class Module:
    I.module_global_infos({"vdevice": [I.vdevice("opencl", 0, "global")]})

    @T.prim_func
    def f(a: T.Buffer((8,), "float32"), o: T.Buffer((8,), "float32")):
        tx = T.launch_thread("threadIdx.x", 8)
        o[tx] = a[tx]
        T.tvm_storage_sync("global")
        o[tx] = a[7 - tx]

    @R.function
    def main(a: R.Tensor((8,), "float32", "opencl:0")):
        o = R.call_tir(Module.f, (a,), out_sinfo=R.Tensor((8,), "float32", "opencl:0"))
        return o
