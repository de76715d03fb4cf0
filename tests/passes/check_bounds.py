# ==== forms
# Provably valid accesses are left alone; a check stands before its access, under the same conditions.
from tvm.script import ir as I, relax as R, tir as T


@I.ir_module
class Module:
    @T.prim_func
    def proved(a: T.handle, b: T.handle):
        n = T.int64()
        A = T.match_buffer(a, (n, 4), "float32")
        B = T.match_buffer(b, (n * 4,), "float32")
        for i, j in T.grid(n, 6):
            with T.block("b"):
                vi, vj = T.axis.remap("SS", [i, j])
                T.where(j < 4)
                B[vi * 4 + vj] = T.if_then_else(vi >= 1, A[vi - 1, vj], T.float32(0))

    @T.prim_func
    def proved_quotient(a: T.Buffer((2,), "float32"), b: T.handle):
        n = T.int64()
        B = T.match_buffer(b, (n,), "float32")
        for i in range(n):
            with T.block("b"):
                vi = T.axis.spatial(n, i)
                B[vi] = T.if_then_else(vi < 8, a[vi // 4], T.float32(0))

    @T.prim_func
    def checked(a: T.handle, x: T.handle, b: T.handle):
        n = T.int64()
        A = T.match_buffer(a, (n,), "float32")
        X = T.match_buffer(x, (n,), "int32")
        B = T.match_buffer(b, (n,), "float32")
        for i in T.parallel(n):
            with T.block("b"):
                vi = T.axis.spatial(n, i)
                V = T.match_buffer(A[vi : vi + 2], (2,), offset_factor=1)
                with T.init():
                    B[X[vi]] = T.float32(0)
                B[vi] = T.if_then_else(X[vi] > 0, A[X[vi]], V[1])
        while A[X[0]] > T.float32(0):
            A[X[0]] = A[X[0]] - T.float32(1)

    @R.function
    def main(a: R.Tensor(("n", 4), "float32")):
        n = T.int64()
        return R.call_tir(Module.proved, (a,), out_sinfo=R.Tensor((n * 4,), "float32"))

    @R.function
    def quotient(a: R.Tensor((2,), "float32"), s: R.Shape(["n"])):
        n = T.int64()
        return R.call_tir(Module.proved_quotient, (a,), out_sinfo=R.Tensor((n,), "float32"))

    @R.function
    def other(a: R.Tensor(("n",), "float32"), x: R.Tensor(("n",), "int32")):
        n = T.int64()
        return R.call_tir(Module.checked, (a, x), out_sinfo=R.Tensor((n,), "float32"))
# ---- expected
# from tvm.script import ir as I
# from tvm.script import tir as T
# from tvm.script import relax as R

@I.ir_module
class Module:
    @T.prim_func
    def proved(a: T.handle, b: T.handle):
        n = T.int64()
        A = T.match_buffer(a, (n, 4))
        B = T.match_buffer(b, (n * T.int64(4),))
        # with T.block("root"):
        for j in range(n * T.int64(4)):
            with T.block("B"):
                j_1 = T.axis.spatial(n * T.int64(4), j)
                T.block_attr({"rlx.operator": "rearrange s"})
                B[j_1] = T.if_then_else(T.int64(4) <= j_1, A[j_1 // T.int64(4) - T.int64(1), j_1 % T.int64(4)], T.float32(0.0))

    @T.prim_func
    def proved_quotient(a: T.Buffer((2,), "float32"), b: T.handle):
        n = T.int64()
        B = T.match_buffer(b, (n,))
        # with T.block("root"):
        for i in range(n):
            with T.block("b"):
                vi = T.axis.spatial(n, i)
                T.block_attr({"rlx.operator": "rearrange s"})
                B[vi] = T.if_then_else(vi < T.int64(8), a[vi // T.int64(4)], T.float32(0.0))

    @T.prim_func
    def checked(a: T.handle, x: T.handle, b: T.handle):
        T.func_attr({"op_pattern": 8})
        n = T.int64()
        A = T.match_buffer(a, (n,))
        X = T.match_buffer(x, (n,), "int32")
        B = T.match_buffer(b, (n,))
        # with T.block("root"):
        for i in T.parallel(n):
            with T.block("b"):
                vi = T.axis.spatial(n, i)
                V = T.match_buffer(A[vi:vi + T.int64(2)], (2,), offset_factor=1)
                with T.init():
                    T.check_index("store to 'B' (check_bounds.py#forms:38:21) outside of the buffer: index 0 is ", X[vi], ", the dimension is ", n)
                    B[X[vi]] = T.float32(0.0)
                if X[vi] > 0:
                    T.check_index("load from 'A' (check_bounds.py#forms:39:17) outside of the buffer: index 0 is ", X[vi], ", the dimension is ", n)
                if not X[vi] > 0:
                    T.check_index("load from 'A' (check_bounds.py#forms:39:17) outside of the buffer: index 0 is ", vi + T.int64(1), ", the dimension is ", n)
                B[vi] = T.if_then_else(X[vi] > 0, A[X[vi]], V[1])
        T.check_index("load from 'X' (check_bounds.py#forms:40:9) outside of the buffer: index 0 is ", 0, ", the dimension is ", n)
        T.check_index("load from 'A' (check_bounds.py#forms:40:9) outside of the buffer: index 0 is ", X[0], ", the dimension is ", n)
        while A[X[0]] > T.float32(0.0):
            T.check_index("load from 'X' (check_bounds.py#forms:41:13) outside of the buffer: index 0 is ", 0, ", the dimension is ", n)
            T.check_index("load from 'A' (check_bounds.py#forms:41:13) outside of the buffer: index 0 is ", X[0], ", the dimension is ", n)
            A[X[0]] = A[X[0]] - T.float32(1.0)
            T.check_index("load from 'X' (check_bounds.py#forms:40:9) outside of the buffer: index 0 is ", 0, ", the dimension is ", n)
            T.check_index("load from 'A' (check_bounds.py#forms:40:9) outside of the buffer: index 0 is ", X[0], ", the dimension is ", n)

    @R.function
    def main(a: R.Tensor(("n", 4), dtype="float32")) -> R.Tensor(("n * 4",), dtype="float32"):
        n = T.int64()
        cls = Module
        gv: R.Tensor((n * 4,), dtype="float32") = R.call_tir(cls.proved, (a,), out_sinfo=R.Tensor((n * 4,), dtype="float32"))
        return gv

    @R.function
    def quotient(a: R.Tensor((2,), dtype="float32"), s: R.Shape(["n"])) -> R.Tensor(("n",), dtype="float32"):
        n = T.int64()
        cls = Module
        gv: R.Tensor((n,), dtype="float32") = R.call_tir(cls.proved_quotient, (a,), out_sinfo=R.Tensor((n,), dtype="float32"))
        return gv

    @R.function
    def other(a: R.Tensor(("n",), dtype="float32"), x: R.Tensor(("n",), dtype="int32")) -> R.Tensor(("n",), dtype="float32"):
        n = T.int64()
        cls = Module
        gv: R.Tensor((n,), dtype="float32") = R.call_tir(cls.checked, (a, x), out_sinfo=R.Tensor((n,), dtype="float32"))
        return gv
