# error => block 'total': reduction axis vk is bound to threadIdx.x: only threads of one block are reduced, by a sum from 0, a product from 1
from tvm.script import ir as I, relax as R, tir as T


@I.ir_module
class Module:
    I.module_global_infos({"vdevice": [I.vdevice("opencl", 0, "global")]})

    @T.prim_func
    def total(a: T.Buffer((8, 32), "float32"), o: T.Buffer((8,), "float32")):
        T.func_attr({"target": T.target("opencl")})
        for i in T.thread_binding(8, thread="blockIdx.x"):
            for k in T.thread_binding(32, thread="threadIdx.x"):
                with T.block("total"):
                    vi, vk = T.axis.remap("SR", [i, k])
                    with T.init():
                        o[vi] = T.float32(1)
                    o[vi] = o[vi] + a[vi, vk]

    @R.function
    def main(a: R.Tensor((8, 32), "float32", "opencl:0")):
        o = R.call_tir(Module.total, (a,), out_sinfo=R.Tensor((8,), "float32", "opencl:0"))
        return o
