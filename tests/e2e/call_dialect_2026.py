"""One module in the dialect of 2026; see call_dialect_2022.py."""
# call main: tensor float32 [2, 3] {1, 2, 3, 4, 5, 6} => tuple(tensor float32 [2, 3] {2, 3, 4, 5, 6, 7}, tensor float32 [6] {2, 4, 6, 8, 10, 12}, int 1)
# call main: tensor float32 [0, 3] {} => tuple(tensor float32 [0, 3] {}, tensor float32 [0] {}, int 1)
# fail main: tensor float32 [2] {1, 2} => x
from tvm.script import ir as I
from tvm.script import tirx as T
from tvm.script import relax as R


@I.ir_module(check_well_formed=False)
class Module:
    @T.prim_func(s_tir=True)
    def add_one(a: T.handle, b: T.handle):
        n = T.int64(is_size_var=True)
        m = T.int64(is_size_var=True)
        A = T.match_buffer(a, (n, m))
        B = T.match_buffer(b, (n, m))
        for i, j in T.grid(n, m):
            with T.sblock("add"):
                vi, vj = T.axis.remap("SS", [i, j])
                B[vi, vj] = A[vi, vj] + T.float32(1)

    @R.function(pure=False)
    def main(x: R.Tensor(dtype="float32", ndim=2)) -> R.Any:
        n = T.int64()
        m = T.int64()
        cls = Module
        y = R.match_cast(x, R.Tensor((n, m), dtype="float32"))
        z = R.call_tir(cls.add_one, (y,), out_ty=R.Tensor((n, m), dtype="float32"))
        gv = R.reshape(y, R.shape([n * m]))
        w = R.call_dps_packed("test.twice", (gv,), out_ty=R.Tensor((n * m,), dtype="float32"))
        c = R.call_packed("test.count", w, ty_args=(R.Prim("int64"),))
        return (z, w, c)
