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
    def other(a: R.Tensor(("n",), "float32"), x: R.Tensor(("n",), "int32")):
        n = T.int64()
        return R.call_tir(Module.checked, (a, x), out_sinfo=R.Tensor((n,), "float32"))
