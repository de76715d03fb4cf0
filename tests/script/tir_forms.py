from tvm.script import ir as I
from tvm.script import tir as T


@I.ir_module
class Module:
    @T.prim_func(private=True)
    def blocks(x: T.handle, A: T.Buffer((16, 16)), n: T.int32, flag: T.bool):
        T.func_attr({"tir.noalias": True, "op_pattern": 2, "target": T.target({"kind": "llvm"})})
        m = T.int32()
        X = T.match_buffer(x, (n, m), "int32", scope="global", align=64, offset_factor=1)
        C = T.alloc_buffer((16, 16), "float32", scope="local")
        for i, j in T.grid(16, (0, 16)):
            with T.block("C"):
                vi = T.axis.spatial((0, 16), i)
                vj = T.axis.S(16, j)
                T.where(i * 2 + j < 30 and flag)
                T.reads([A[vi, 0:16], A])
                T.writes(C[vi, vj])
                T.block_attr({"pragma": 1, "text": "a"})
                C[vi, vj] = A[vi, vj] if vi > vj else T.float32(0)
        for i in T.parallel(16):
            for j in T.vectorized(0, 16):
                with T.block():
                    vi, vj = T.axis.remap("SR", [i, j])
                    with T.init():
                        C[vi, 0] = T.min_value("float32")
                    C[vi, 0] = T.max(C[vi, 0], A[vi, vj])
        for k in T.unroll(4, annotations={"pragma_unroll": 1}):
            for r in T.serial(2, 10):
                with T.block("O"):
                    vk = T.axis.opaque(4, k)
                    vr = T.axis.reduce((2, 10), r)
                    vs = T.axis.scan(4, k)
                    T.evaluate(T.call_extern("int32", "printf", "%d", vk + vr + vs))

    @T.prim_func
    def flat(a: T.handle("float32"), A: T.Buffer((64,), "float32"), B: T.Buffer((64,), "int64"), D: T.Buffer((), "uint8")) -> T.int32:
        p = T.allocate([64], "float32", "global")
        P = T.decl_buffer((8, 8), data=p)
        Q = T.Buffer((64,), "float32", data=A.data)
        R_ = T.decl_buffer((4,), "int8")
        t = T.allocate_const([1, -2, 3], "int16", [3])
        t_1 = T.decl_buffer((3,), "int16", data=t)
        v: T.int64 = T.Cast("int64", A[0])
        w = v + 1
        with T.LetStmt(w * 2) as u:
            B[u] = T.if_then_else(u > 0, B[u], T.int64(-1))
        with T.attr(A.data, "storage_alignment", 64):
            A[0] += 1.5
        T.attr(0, "pragma", "on")
        P[0, 1] = T.Select(A[1] > 0.0, T.exp(A[1]), -A[1])
        A[0:4] = A[4:8] * T.Broadcast(T.float32(2), 4)
        B[T.Ramp(0, 2, 4)] = T.Ramp(v, T.int64(1), 4)
        A[2] = T.Let(y * y, where={y: A[3]})
        A[3] = T.pow(A[1], 2.0) + T.atan2(A[1], A[2]) + T.sigmoid(A[2]) + T.fabs(A[0])
        A[4] = T.infinity("float32") + T.float32("nan") + T.max_value("float32")
        B[0] = (B[1] << 2 | B[2] >> T.int64(1)) & ~B[3] ^ T.bitwise_not(B[4])
        B[1] = T.truncdiv(B[1], 3) + T.truncmod(B[1], 3) + B[1] // 3 + B[1] % 3 + T.floordiv(B[1], 2) + T.floormod(B[1], 2)
        B[2] = T.shift_right(B[1], T.int64(3)) + T.popcount(B[0]) + T.ceildiv(B[0], 4)
        A[5] = T.reinterpret("float32", T.int32(1065353216))
        D[()] = T.uint8(255)
        R_[0] = T.int8(-128)
        A[6] = T.Cast("float32", T.likely(v < 3) and not (v == 2) or v != 9)
        T.Assert(v > T.int64(0), "v must be positive")
        assert v < 100, "v is too large"
        i = T.int32()
        while B[0] > T.int64(0):
            B[0] = B[0] - 1
            if B[0] == 7:
                pass
            elif B[0] == 8:
                T.evaluate(0)
            else:
                B[5] = T.Cast("int64", t_1[0]); B[6] = 0
        return T.Cast("int32", v)
