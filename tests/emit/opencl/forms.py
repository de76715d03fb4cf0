# Threads that the module binds: memory of a block with a barrier, guards, loops that end early, and types that memory keeps shorter.
from tvm.script import ir as I, relax as R, tir as T


@I.ir_module
class Module:
    I.module_global_infos({"vdevice": [I.vdevice("opencl", 0, "global")]})

    @T.prim_func(private=True)
    def turned(a: T.handle, o: T.handle):
        T.func_attr({"target": "opencl"})
        n = T.int64()
        A = T.match_buffer(a, (n, 64), "float16")
        B = T.match_buffer(o, (n, 64), "float32")
        for i in T.thread_binding(n, thread="blockIdx.x"):
            S = T.decl_buffer((64,), "float32", scope="shared")
            for j in T.thread_binding(64, thread="threadIdx.x"):
                S[j] = T.Cast("float32", A[i, j])
            T.tvm_storage_sync("shared")
            for j in T.thread_binding(64, thread="threadIdx.x"):
                B[i, j] = S[63 - j] * T.exp(S[j])

    @T.prim_func(private=True)
    def first(a: T.Buffer((8, 100), "int8"), o: T.Buffer((100,), "int32")):
        T.func_attr({"target": "opencl"})
        for b in T.thread_binding(4, thread="blockIdx.x"):
            for j in T.thread_binding(32, thread="threadIdx.x"):
                if b * 32 + j < 100:
                    o[b * 32 + j] = -1
                    for i in range(8):
                        if a[i, b * 32 + j] > T.int8(0):
                            o[b * 32 + j] = i
                            T.break_loop()

    @R.function
    def main(x: R.Tensor(("n", 64), "float16", "opencl:0"), y: R.Tensor((8, 100), "int8", "opencl:0")):
        n = T.int64()
        cls = Module
        a = R.call_tir(cls.turned, (x,), out_sinfo=R.Tensor((n, 64), "float32", "opencl:0"))
        b = R.call_tir(cls.first, (y,), out_sinfo=R.Tensor((100,), "int32", "opencl:0"))
        return (a, b)
