# PrimFuncs: the scopes of their buffers and their targets decide where operands and results lie.
from tvm.script import ir as I
from tvm.script import relax as R
from tvm.script import tir as T
@I.ir_module
class Module:
    I.module_global_infos({"vdevice": [I.vdevice("llvm"), I.vdevice("opencl", 0), I.vdevice("opencl", 0, "global.texture")]})
    @T.prim_func
    def sample(A: T.Buffer((4, 4), "float32", scope="global.texture"), B: T.Buffer((4, 4), "float32"), C: T.Buffer((4, 4), "float32")):
        for i, j in T.grid(4, 4):
            with T.block("C"):
                vi, vj = T.axis.remap("SS", [i, j])
                C[vi, vj] = A[vi, vj] + B[vi, vj]
    @T.prim_func
    def there(A: T.Buffer((4, 4), "float32"), C: T.Buffer((4, 4), "float32")):
        T.func_attr({"target": T.target({"kind": "cuda", "arch": "sm_80"})})
        for i, j in T.grid(4, 4):
            with T.block("C"):
                vi, vj = T.axis.remap("SS", [i, j])
                C[vi, vj] = A[vi, vj]
    @R.function
    def main(x: R.Tensor((4, 4), "float32"), y: R.Tensor((4, 4), "float32", "llvm:0")):
        cls = Module
        with R.dataflow():
            a = R.call_tir(cls.sample, (x, R.exp(y)), out_sinfo=R.Tensor((4, 4), "float32"))
            b = R.call_tir(cls.sample, (R.hint_on_device(y, "opencl:0"), R.const([[1.0, 1.0, 1.0, 1.0], [1.0, 1.0, 1.0, 1.0], [1.0, 1.0, 1.0, 1.0], [1.0, 1.0, 1.0, 1.0]], "float32")), out_sinfo=R.Tensor((4, 4), "float32", "opencl:0"))
            c = R.call_tir(cls.there, (a,), out_sinfo=R.Tensor((4, 4), "float32"))
            d = R.add(a, b)
            R.output(c, d)
        return (c, d)
