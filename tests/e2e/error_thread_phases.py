# error => error_thread_phases.py:16:17: error: f1: all threads of threadIdx.y store into s here, values that come from what is stored
from tvm.script import ir as I, relax as R, tir as T


@I.ir_module
class Module:
    I.module_global_infos({"vdevice": [I.vdevice("opencl", 0, "global")]})

    @T.prim_func
    def f(a: T.Buffer((32,), "float32"), o: T.Buffer((8,), "float32")):
        for b in T.thread_binding(1, thread="blockIdx.x"):
            s = T.alloc_buffer((32,), "float32", scope="shared")
            for t in T.thread_binding(32, thread="threadIdx.x"):
                s[t] = T.float32(0)
            for t in T.thread_binding(32, thread="threadIdx.x"):
                s[t] = s[t] + a[t]
            for u in T.thread_binding(8, thread="threadIdx.y"):
                o[u] = s[u]

    @R.function
    def main(a: R.Tensor((32,), "float32", "opencl:0")):
        o = R.call_tir(Module.f, (a,), out_sinfo=R.Tensor((8,), "float32", "opencl:0"))
        return o
