# ==== 2022
"""One module in the dialect of 2022; 2024 and 2026 are equivalent."""
# call main: tensor float32 [2, 3] {1, 2, 3, 4, 5, 6} => tuple(tensor float32 [2, 3] {2, 3, 4, 5, 6, 7}, tensor float32 [6] {2, 4, 6, 8, 10, 12}, int 1)
# call main: tensor float32 [0, 3] {} => tuple(tensor float32 [0, 3] {}, tensor float32 [0] {}, int 1)
# fail main: tensor float32 [2] {1, 2} => x
import tvm
from tvm.script import tir as T, relax as R


@tvm.script.ir_module
class Module:
    @T.prim_func
    def add_one(a: T.handle, b: T.handle) -> None:
        T.func_attr({"global_symbol": "add_one"})
        n = T.var("int64")
        m = T.var("int64")
        A = T.match_buffer(a, (n, m), "float32")
        B = T.match_buffer(b, (n, m), "float32")
        for i, j in T.grid(n, m):
            with T.block("add"):
                vi, vj = T.axis.remap("SS", [i, j])
                B[vi, vj] = A[vi, vj] + T.float32(1)

    @R.function
    def main(x: R.Tensor(None, "float32", ndim=2)) -> R.Object:
        R.func_attr({"global_symbol": "main"})
        n, m = T.var("int64"), T.var("int64")
        y = R.match_shape(x, (n, m))
        z = R.call_tir(add_one, (y,), (n, m), dtype="float32")
        w = R.call_tir("test.twice", (R.reshape(y, (n * m,)),), (n * m,), dtype="float32")
        c = R.call_packed("test.count", w, type_args=(R.Prim("int64"),))
        return (z, w, c)

# ==== 2024
"""One module in the dialect of 2023 to 2025; see 2022."""
# call main: tensor float32 [2, 3] {1, 2, 3, 4, 5, 6} => tuple(tensor float32 [2, 3] {2, 3, 4, 5, 6, 7}, tensor float32 [6] {2, 4, 6, 8, 10, 12}, int 1)
# call main: tensor float32 [0, 3] {} => tuple(tensor float32 [0, 3] {}, tensor float32 [0] {}, int 1)
# fail main: tensor float32 [2] {1, 2} => x
from tvm.script import ir as I
from tvm.script import tir as T
from tvm.script import relax as R


@I.ir_module
class Module:
    @T.prim_func
    def add_one(a: T.handle, b: T.handle):
        n, m = T.int64(), T.int64()
        A = T.match_buffer(a, (n, m))
        B = T.match_buffer(b, (n, m))
        for i, j in T.grid(n, m):
            with T.block("add"):
                vi, vj = T.axis.remap("SS", [i, j])
                B[vi, vj] = A[vi, vj] + T.float32(1)

    @R.function(pure=False)
    def main(x: R.Tensor(dtype="float32", ndim=2)) -> R.Object:
        n = T.int64()
        m = T.int64()
        cls = Module
        y = R.match_cast(x, R.Tensor((n, m), dtype="float32"))
        z = R.call_tir(cls.add_one, (y,), out_sinfo=R.Tensor((n, m), dtype="float32"))
        gv = R.reshape(y, R.shape([n * m]))
        w = R.call_dps_packed("test.twice", (gv,), out_sinfo=R.Tensor((n * m,), dtype="float32"))
        c = R.call_packed("test.count", w, sinfo_args=(R.Prim("int64"),))
        return (z, w, c)

# ==== 2026
"""One module in the dialect of 2026; see 2022."""
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
