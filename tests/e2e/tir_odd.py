"""Tensor programs written differently from the printed form: scalars, offsets, odd loops, literals."""
# call scalar: tensor float32 [3] {1, 2, 3} => tensor float32 [3] {3, 3, 4}
# call ranges: tensor int32 [5] {1, 2, 3, 4, 5} => tensor int32 [5] {1, 9, 14, 19, 5}
# call literals: tensor float32 [6] {1, 2, 3, 4, 5, 6} => tensor float32 [6] {-3, 0.5, 1, 255, -128, 7}
# call tuple_of_three: tensor int8 [2] {-3, 4} => tuple(tensor uint8 [2] {253, 4}, tensor int64 [2] {-3, 4}, tensor bool [2] {true, false})
# call zero_rank: tensor float32 [] {3} => tensor float32 [] {4.5}
# call reduce_max: tensor float32 [2, 3] {1, 9, 2, -4, -5, -6} => tensor float32 [2] {9, -4}
# call reduce_max: tensor float32 [1, 0] {} => tensor float32 [1] {-3.4028234663852886e+38}
# call nested_parallel: tensor float32 [4, 4] {1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1} => tensor float32 [4, 4] {0,1,2,3,1,2,3,4,2,3,4,5,3,4,5,6}
# fail asserts_size: tensor float32 [3] {1, 2, 3} => must be even
# call asserts_size: tensor float32 [2] {1, 2} => tensor float32 [2] {2, 1}
# fail asserts_parallel: tensor float32 [64] {1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,-1} => negative element
from tvm.script import ir as I
from tvm.script import relax as R
from tvm.script import tir as T


@I.ir_module
class Module:
    @T.prim_func(private=True)
    def k_scalar(a: T.handle, n: T.int64, b: T.handle):
        A = T.match_buffer(a, (n,), "float32")
        B = T.match_buffer(b, (n,), "float32")
        for i in T.serial(0, n):
            B[i] = T.max(A[i] + T.float32(1), T.Cast("float32", n))

    @R.function
    def scalar(x: R.Tensor(("n",), "float32")) -> R.Tensor(("n",), "float32"):
        n = T.int64()
        return R.call_tir(Module.k_scalar, (x, R.prim_value(n)), out_sinfo=R.Tensor((n,), "float32"))

    @T.prim_func(private=True)
    def k_ranges(A: T.Buffer((5,), "int32"), B: T.Buffer((5,), "int32")):
        for i in range(5):
            B[i] = A[i]
        for i in range(1, 4):
            for j in range(2):
                B[i] += A[i] + (i + j if j > 0 else i)
                B[i] -= 1
        for i in T.unroll(1, 4):
            B[i] = B[i] + T.int32(True) * 2

    @R.function
    def ranges(x: R.Tensor((5,), "int32")) -> R.Tensor((5,), "int32"):
        return R.call_tir(Module.k_ranges, (x,), out_sinfo=R.Tensor((5,), "int32"))

    @T.prim_func(private=True)
    def k_literals(A: T.Buffer((6,), "float32"), B: T.Buffer((6,), "float32")):
        B[0] = T.Cast("float32", T.int8(-3))
        B[1] = T.Cast("float32", T.float16(0.5))
        B[2] = T.Cast("float32", T.bool(True) and not T.bool(False))
        B[3] = T.Cast("float32", T.max_value("uint8"))
        B[4] = T.Cast("float32", T.min_value("int8"))
        B[5] = T.Cast("float32", T.ceildiv(13, 2))

    @R.function
    def literals(x: R.Tensor((6,), "float32")) -> R.Tensor((6,), "float32"):
        return R.call_tir(Module.k_literals, (x,), out_sinfo=R.Tensor((6,), "float32"))

    @T.prim_func(private=True)
    def k_three(a: T.handle, b: T.handle, c: T.handle, d: T.handle):
        n = T.int64()
        A = T.match_buffer(a, (n,), "int8")
        B = T.match_buffer(b, (n,), "uint8")
        C = T.match_buffer(c, (n,), "int64")
        D = T.match_buffer(d, (n,), "bool")
        for i in range(n):
            B[i] = T.Cast("uint8", A[i])
            C[i] = T.Cast("int64", A[i])
            D[i] = A[i] < T.int8(0)

    @R.function
    def tuple_of_three(x: R.Tensor(("n",), "int8")):
        n = T.int64()
        t = R.call_tir(Module.k_three, (x,), out_sinfo=[R.Tensor((n,), "uint8"), R.Tensor((n,), "int64"), R.Tensor((n,), "bool")])
        return t

    @T.prim_func(private=True)
    def k_zero_rank(A: T.Buffer((), "float32"), B: T.Buffer((), "float32")):
        with T.block("b"):
            vi = T.axis.spatial(1, 0)
            B[()] = A[()] * T.float32(1.5)

    @R.function
    def zero_rank(x: R.Tensor((), "float32")) -> R.Tensor((), "float32"):
        return R.call_tir(Module.k_zero_rank, (x,), out_sinfo=R.Tensor((), "float32"))

    @T.prim_func(private=True)
    def k_reduce_max(a: T.handle, b: T.handle):
        n, m = T.int64(), T.int64()
        A = T.match_buffer(a, (n, m))
        B = T.match_buffer(b, (n,))
        for i, k in T.grid(n, m):
            with T.block("max"):
                v_i = T.axis.spatial(n, i)
                v_k = T.axis.reduce(m, k)
                T.reads(A[v_i, v_k])
                T.writes(B[v_i])
                with T.init():
                    B[v_i] = T.min_value("float32")
                B[v_i] = T.max(B[v_i], A[v_i, v_k])

    @R.function
    def reduce_max(x: R.Tensor(("n", "m"), "float32")) -> R.Tensor(("n",), "float32"):
        n = T.int64()
        return R.call_tir(Module.k_reduce_max, (x,), out_sinfo=R.Tensor((n,), "float32"))

    @T.prim_func(private=True)
    def k_nested(a: T.handle, b: T.handle):
        n, m = T.int64(), T.int64()
        A = T.match_buffer(a, (n, m))
        B = T.match_buffer(b, (n, m))
        for i in T.parallel(n):
            for j in T.parallel(m):
                with T.block("b"):
                    vi, vj = T.axis.remap("SS", [i, j])
                    B[vi, vj] = A[vi, vj] * T.Cast("float32", vi + vj)

    @R.function
    def nested_parallel(x: R.Tensor(("n", "m"), "float32")) -> R.Tensor(("n", "m"), "float32"):
        n, m = T.int64(), T.int64()
        return R.call_tir(Module.k_nested, (x,), out_sinfo=R.Tensor((n, m), "float32"))

    @T.prim_func(private=True)
    def k_asserts(a: T.handle, b: T.handle):
        n = T.int64()
        A = T.match_buffer(a, (n,))
        B = T.match_buffer(b, (n,))
        with T.Assert(n % T.int64(2) == T.int64(0), "the size must be even"):
            for i in range(n):
                B[i] = A[n - 1 - i]

    @R.function
    def asserts_size(x: R.Tensor(("n",), "float32")) -> R.Tensor(("n",), "float32"):
        n = T.int64()
        return R.call_tir(Module.k_asserts, (x,), out_sinfo=R.Tensor((n,), "float32"))

    @T.prim_func(private=True)
    def k_asserts_parallel(a: T.handle, b: T.handle):
        n = T.int64()
        A = T.match_buffer(a, (n,))
        B = T.match_buffer(b, (n,))
        for i in T.parallel(n):
            assert A[i] >= T.float32(0), ("RuntimeError", ["negative ", "element"])
            B[i] = A[i]

    @R.function
    def asserts_parallel(x: R.Tensor(("n",), "float32")) -> R.Tensor(("n",), "float32"):
        n = T.int64()
        return R.call_tir(Module.k_asserts_parallel, (x,), out_sinfo=R.Tensor((n,), "float32"))
