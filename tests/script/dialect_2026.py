# The dialect of 2026: out_ty=, ty_args=, sblock, keywords on the decorators.
from tvm.script import ir as I
from tvm.script import tirx as T
from tvm.script import relax as R


@I.ir_module(check_well_formed=False)
class Module:
    @T.prim_func(private=True, s_tir=True)
    def add(a: T.handle, b: T.handle):
        T.func_attr({"tirx.noalias": True})
        n = T.int64(is_size_var=True)
        A = T.match_buffer(a, (n, T.int64(4)))
        B = T.match_buffer(b, (n, T.int64(4)))
        for i, j in T.grid(n, T.int64(4)):
            with T.sblock("add"):
                vi, vj = T.axis.remap("SS", [i, j])
                T.reads(A[vi, vj])
                T.writes(B[vi, vj])
                T.sblock_attr({"pragma": 1})
                B[vi, vj] = A[vi, vj] + T.float32(1)

    @R.function(pure=False)
    def main(x: R.Tensor(("n", 4), dtype="float32")) -> R.Tensor(("n", 4), dtype="float32"):
        n = T.int64()
        cls = Module
        y = R.call_tir(cls.add, (x,), out_ty=R.Tensor((n, 4), dtype="float32"))
        z: R.Tensor((n, 4), dtype="float32") = R.call_packed(
            "my.f", y, ty_args=(R.Tensor((n, 4), dtype="float32"),)
        )
        w = R.call_dps_packed("my.g", (y, z), out_ty=R.Tensor((n, 4), dtype="float32"))
        return w
