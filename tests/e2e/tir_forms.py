"""Tensor programs: loops, buffers, statements of every kind."""
# call loops: tensor float32 [2, 3] {1, 2, 3, 4, 5, 6} => tensor float32 [2, 3] {9, 18, 27, 36, 45, 54}
# call loops: tensor float32 [0, 3] {} => tensor float32 [0, 3] {}
# call loops: tensor float32 [1, 1] {2} => tensor float32 [1, 1] {18}
# call sequences: tensor float32 [2, 3] {1, 2, 3, 4, 5, 6} => tensor float32 [2, 3] {2, 4, 6, 9, 11, 13}
# call sequences: tensor float32 [0, 3] {} => tensor float32 [0, 3] {}
# call parallel_sum: tensor float32 [5, 4] {1,1,1,1,2,2,2,2,3,3,3,3,4,4,4,4,5,5,5,5} => tensor float32 [5] {4, 8, 12, 16, 20}
# call parallel_sum: tensor float32 [3, 0] {} => tensor float32 [3] {0, 0, 0}
# call statements: tensor int32 [6] {1, 2, 3, 4, 5, 6} => tensor int32 [6] {1, 7, 2, 5, 8, 16}
# call halves: tensor float32 [4] {1, 2, 3, 4} => tensor float32 [4] {3, 7, 0.5, 1}
# call asserted: tensor float32 [2] {1, 2} => tensor float32 [2] {1, 2}
# fail asserted: tensor float32 [2] {1, -2} => every element must be positive
# call asserted: tensor float32 [2] {3, 4} => tensor float32 [2] {3, 4}
# call libm: tensor float32 [2] {0.5, 1} => tensor float32 [2] {0.54930614, 1.1752012}
# call matmul: tensor float32 [2, 0] {}, tensor float32 [0, 2] {} => tensor float32 [2, 2] {0, 0, 0, 0}
# call matmul: tensor float32 [1, 2] {1, 2}, tensor float32 [2, 1] {3, 4} => tensor float32 [1, 1] {11}
# call padded: tensor float32 [3] {1, 2, 3} => tensor float32 [7] {0, 0, 1, 2, 3, 0, 0}
# call two: tensor float32 [2] {3, 4} => tuple(tensor float32 [2] {6, 8}, tensor int64 [2] {9, 16})
# call inplace: tensor float32 [3] {1, 2, 3} => tuple(tensor float32 [3] {1, 2, 3}, tensor float32 [3] {3, 5, 7})
# call vars: tensor float32 [4] {1, 2, 3, 4}, shape [3, -1] => tensor float32 [4] {3, 7, 11, 15}
# call constant: tensor float32 [2] {10, 20} => tensor float32 [2] {11, 22}
# call vector: tensor float32 [8] {1, 2, 3, 4, 5, 6, 7, 8} => tensor float32 [8] {2, 2, 6, 4, 10, 6, 14, 8}
# call vector: tensor float32 [0] {} => tensor float32 [0] {}
from tvm.script import ir as I
from tvm.script import relax as R
from tvm.script import tir as T


@I.ir_module
class Module:
    @T.prim_func(private=True)
    def k_sequences(a: T.handle, b: T.handle):
        n = T.int64()
        A = T.match_buffer(a, (n, T.int64(3)))
        B = T.match_buffer(b, A.shape)
        C = T.alloc_buffer(A.shape)
        D = T.alloc_buffer([*A.shape, T.int64(2)])
        for axes in T.grid(*A.shape):
            with T.block("twice"):
                i, j = T.axis.remap("SS", axes)
                C[i, j] = A[i, j] * T.float32(2)
        for all in T.grid(*C.shape, 2):
            with T.block("both"):
                i, j, k = T.axis.remap("SSS", all)
                D[i, j, k] = C[i, j] + T.Cast("float32", k)
        for i, j in T.grid(*[n, T.int64(3)]):
            with T.block("one"):
                vi, vj = T.axis.remap("SS", [i, j])
                B[vi, vj] = D[vi, vj, T.Cast("int64", vi)]

    @T.prim_func(private=True)
    def k_loops(a: T.handle, b: T.handle):
        T.func_attr({"tir.noalias": True})
        n, m = T.int64(), T.int64()
        A = T.match_buffer(a, (n, m))
        B = T.match_buffer(b, (n, m))
        C = T.alloc_buffer((n, m))
        for i, j in T.grid(n, m):
            with T.block("c"):
                vi, vj = T.axis.remap("SS", [i, j])
                C[vi, vj] = A[vi, vj] * T.float32(2)
        for i in T.parallel(n):
            for j in T.serial(m):
                with T.block("b"):
                    vi, vj = T.axis.remap("SS", [i, j])
                    B[vi, vj] = C[vi, vj] + A[vi, vj]
        for i in range(n):
            for j in T.unroll(2):
                for k in range(m):
                    with T.block("again"):
                        vi = T.axis.spatial(n, i)
                        vj = T.axis.opaque(2, j)
                        vk = T.axis.spatial(m, k)
                        T.reads(A[vi, vk], B[vi, vk])
                        T.writes(B[vi, vk])
                        B[vi, vk] = B[vi, vk] + A[vi, vk] * T.Cast("float32", vj * 2 + 2)

    @R.function
    def loops(x: R.Tensor(("n", "m"), "float32")) -> R.Tensor(("n", "m"), "float32"):
        n, m = T.int64(), T.int64()
        cls = Module
        return R.call_tir(cls.k_loops, (x,), out_sinfo=R.Tensor((n, m), "float32"))

    @T.prim_func(private=True)
    def k_parallel(a: T.handle, b: T.handle):
        n, m = T.int64(), T.int64()
        A = T.match_buffer(a, (n, m))
        B = T.match_buffer(b, (n,))
        for i in T.parallel(n):
            with T.block("sum"):
                vi = T.axis.spatial(n, i)
                acc = T.alloc_buffer((1,), "float32", scope="local")
                acc[0] = T.float32(0)
                for j in range(m):
                    acc[0] += A[vi, j]
                B[vi] = acc[0]

    @R.function
    def parallel_sum(x: R.Tensor(("n", "m"), "float32")) -> R.Tensor(("n",), "float32"):
        n, m = T.int64(), T.int64()
        cls = Module
        return R.call_tir(cls.k_parallel, (x,), out_sinfo=R.Tensor((n,), "float32"))

    @R.function
    def statements(x: R.Tensor((6,), "int32")) -> R.Tensor((6,), "int32"):
        cls = Module
        return R.call_tir(cls.k_statements, (x,), out_sinfo=R.Tensor((6,), "int32"))

    @T.prim_func(private=True)
    def k_statements(A: T.Buffer((6,), "int32"), B: T.Buffer((6,), "int32")):
        # the lengths of Collatz sequences
        for i in range(6):
            with T.block("b"):
                vi = T.axis.spatial(6, i)
                v = T.alloc_buffer((1,), "int32")
                steps = T.alloc_buffer((1,), "int32")
                v[0] = A[vi]
                steps[0] = 0
                while v[0] != 1:
                    with T.LetStmt(v[0] // 2) as half:
                        if v[0] % 2 == 0:
                            v[0] = half
                        else:
                            v[0] = v[0] * 3 + 1
                    steps[0] = steps[0] + 1
                twice: T.int32 = steps[0] * 2
                B[vi] = T.Select(vi == 1, 7, T.if_then_else(vi == 2, 2, T.max(twice - steps[0], 1) + T.min(vi, 3) + (T.bitwise_xor(vi, 4) if vi > 4 else 0) + T.int32(vi == 5) * 4))

    @T.prim_func(private=True)
    def k_halves(A: T.Buffer((4,), "float32"), B: T.Buffer((4,), "float32")):
        with T.block("root"):
            tmp = T.allocate([2], "float32", "global")
            tmp_1 = T.decl_buffer((2,), data=tmp)
            for i in range(2):
                with T.block("sum"):
                    vi = T.axis.spatial(2, i)
                    T.reads(A[vi * 2:vi * 2 + 2])
                    T.writes(tmp_1[vi])
                    S = T.match_buffer(A[vi * 2:vi * 2 + 2], (2,), offset_factor=1)
                    tmp_1[vi] = S[0] + S[1]
            for i in range(4):
                with T.block("out"):
                    vi = T.axis.spatial(4, i)
                    T.where(i < 4)
                    B[vi] = T.if_then_else(vi < 2, tmp_1[T.min(vi, 1)], A[vi - 2] * T.float32(0.5))

    @R.function
    def halves(x: R.Tensor((4,), "float32")) -> R.Tensor((4,), "float32"):
        cls = Module
        return R.call_tir(cls.k_halves, (x,), out_sinfo=R.Tensor((4,), "float32"))

    @T.prim_func(private=True)
    def k_asserted(a: T.handle, b: T.handle):
        n = T.int64()
        A = T.match_buffer(a, (n,))
        B = T.match_buffer(b, (n,))
        for i in range(n):
            assert A[i] > T.float32(0), "every element must be positive"
            B[i] = A[i]

    @R.function
    def asserted(x: R.Tensor(("n",), "float32")) -> R.Tensor(("n",), "float32"):
        n = T.int64()
        cls = Module
        return R.call_tir(cls.k_asserted, (x,), out_sinfo=R.Tensor((n,), "float32"))

    @T.prim_func(private=True)
    def k_libm(A: T.Buffer((2,), "float32"), B: T.Buffer((2,), "float32")):
        B[0] = T.call_extern("float32", "atanhf", A[0])
        B[1] = T.call_extern("float32", "sinhf", A[1])

    @R.function
    def libm(x: R.Tensor((2,), "float32")) -> R.Tensor((2,), "float32"):
        cls = Module
        return R.call_tir(cls.k_libm, (x,), out_sinfo=R.Tensor((2,), "float32"))

    @T.prim_func(private=True)
    def k_matmul(a: T.handle, b: T.handle, c: T.handle):
        n, k, m = T.int64(), T.int64(), T.int64()
        A = T.match_buffer(a, (n, k))
        B = T.match_buffer(b, (k, m))
        C = T.match_buffer(c, (n, m))
        for i, j, l in T.grid(n, m, k):
            with T.block("C"):
                vi, vj, vl = T.axis.remap("SSR", [i, j, l])
                with T.init():
                    C[vi, vj] = T.float32(0)
                C[vi, vj] = C[vi, vj] + A[vi, vl] * B[vl, vj]

    @R.function
    def matmul(x: R.Tensor(("n", "k"), "float32"), y: R.Tensor(("k", "m"), "float32")) -> R.Tensor(("n", "m"), "float32"):
        n, m = T.int64(), T.int64()
        cls = Module
        return R.call_tir(cls.k_matmul, (x, y), out_sinfo=R.Tensor((n, m), "float32"))

    @T.prim_func(private=True)
    def k_padded(a: T.handle, b: T.handle):
        n = T.int64()
        A = T.match_buffer(a, (n,))
        B = T.match_buffer(b, (n + 4,))
        for i in range(n + 4):
            with T.block("pad"):
                vi = T.axis.spatial(n + 4, i)
                B[vi] = T.if_then_else(2 <= vi and vi < n + 2, A[vi - 2], T.float32(0))

    @R.function
    def padded(x: R.Tensor(("n",), "float32")) -> R.Tensor(("n + 4",), "float32"):
        n = T.int64()
        cls = Module
        return R.call_tir(cls.k_padded, (x,), out_sinfo=R.Tensor((n + 4,), "float32"))

    @T.prim_func(private=True)
    def k_two(a: T.handle, b: T.handle, c: T.handle):
        n = T.int64()
        A = T.match_buffer(a, (n,))
        B = T.match_buffer(b, (n,))
        C = T.match_buffer(c, (n,), "int64")
        for i in range(n):
            with T.block("b"):
                vi = T.axis.spatial(n, i)
                B[vi] = A[vi] * T.float32(2)
                C[vi] = T.Cast("int64", A[vi] * A[vi])

    @R.function
    def two(x: R.Tensor(("n",), "float32")):
        n = T.int64()
        cls = Module
        t = R.call_tir(cls.k_two, (x,), out_sinfo=[R.Tensor((n,), "float32"), R.Tensor((n,), "int64")])
        a = t[0]
        b = t[1]
        return (a, b)

    @T.prim_func(private=True)
    def k_inplace(a: T.handle, b: T.handle):
        n = T.int64()
        A = T.match_buffer(a, (n,))
        B = T.match_buffer(b, (n,))
        for i in range(n):
            with T.block("b"):
                vi = T.axis.spatial(n, i)
                A[vi] = A[vi] * B[vi] + T.float32(1)

    @R.function
    def inplace(x: R.Tensor(("n",), "float32")):
        n = T.int64()
        cls = Module
        y = R.add(x, x)
        two = R.full((n,), R.const(1, "float32"))
        z = R.call_tir_inplace(cls.k_inplace, (y, two), inplace_indices=[0], out_sinfo=R.Tensor((n,), "float32"))
        return (x, z)

    @T.prim_func(private=True)
    def k_vars(a: T.handle, b: T.handle, p: T.int64, q: T.int64):
        n = T.int64()
        A = T.match_buffer(a, (n,))
        B = T.match_buffer(b, (n,))
        for i in range(n):
            with T.block("b"):
                vi = T.axis.spatial(n, i)
                B[vi] = A[vi] * T.Cast("float32", p) - T.Cast("float32", vi * q)

    @R.function
    def vars(x: R.Tensor(("n",), "float32"), s: R.Shape(["p", "q"])) -> R.Tensor(("n",), "float32"):
        n, p, q = T.int64(), T.int64(), T.int64()
        cls = Module
        return R.call_tir(cls.k_vars, (x,), out_sinfo=R.Tensor((n,), "float32"), tir_vars=R.shape([p, q]))

    @T.prim_func(private=True)
    def k_constant(A: T.Buffer((2,), "float32"), B: T.Buffer((2,), "float32")):
        with T.block("root"):
            c = T.allocate_const([1.0, 2.0], "float32", [2])
            C = T.decl_buffer((2,), data=c)
            for i in range(2):
                B[i] = A[i] + C[i]

    @R.function
    def constant(x: R.Tensor((2,), "float32")) -> R.Tensor((2,), "float32"):
        cls = Module
        return R.call_tir(cls.k_constant, (x,), out_sinfo=R.Tensor((2,), "float32"))

    @T.prim_func(private=True)
    def k_vector(a: T.handle, b: T.handle):
        m = T.int64()
        A = T.match_buffer(a, (m,))
        B = T.match_buffer(b, (m,))
        for i in range(m // 4):
            for j in T.vectorized(4):
                B[i * 4 + j] = T.if_then_else(j % 2 == 0, A[i * 4 + j] * T.float32(2), A[i * 4 + j])

    @R.function
    def vector(x: R.Tensor(("m",), "float32")) -> R.Tensor("float32", ndim=1):
        n = T.int64()
        m = T.int64()
        cls = Module
        _ = R.match_cast(R.shape([m // 4]), R.Shape([n]))
        y = R.match_cast(x, R.Tensor((n * 4,), "float32"))
        return R.call_tir(cls.k_vector, (y,), out_sinfo=R.Tensor((n * 4,), "float32"))

    @R.function
    def sequences(x: R.Tensor(("n", 3), "float32")):
        n = T.int64()
        return R.call_tir(Module.k_sequences, (x,), out_sinfo=R.Tensor((n, 3), "float32"))
