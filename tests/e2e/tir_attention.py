"""Attention in other spellings, against operators: swapped operands, powers of two, sums with a last
dimension of 1, scale after the mask or in the query, the quotient before or after the second product."""
# call main: tensor float32 [7, 2] {0.5, -1.25, 0, -2, 0.5, 0.75, 0.25, 0.5, -0.5, -2, 1, -0.25, 1.5, -1.5}, tensor float32 [7, 2] {-1.5, -1.75, -0.75, 0, 1.5, -1.75, 0.5, -0.25, 0.75, -1.75, 1.75, 2, -0.75, 1.5}, tensor float32 [7, 2] {-2, -2, 0.25, -0.75, -0.25, -0.75, 1.5, -1.75, -1.75, 0.5, 0.75, -1, -1.25, 2} => tuple(tensor int32 [] {1}, tensor int32 [] {1}, tensor int32 [] {1}, tensor int32 [] {1})
from tvm.script import ir as I
from tvm.script import relax as R
from tvm.script import tir as T


@I.ir_module
class Module:
    @T.prim_func(private=True)
    def reversed(Q: T.Buffer((7, 2), "float32"), K: T.Buffer((7, 2), "float32"), V: T.Buffer((7, 2), "float32"), O: T.Buffer((7, 2), "float32")):
        S = T.alloc_buffer((7, 7), "float32")
        M = T.alloc_buffer((7,), "float32")
        Z = T.alloc_buffer((7,), "float32")
        for i, j, d in T.grid(7, 7, 2):
            with T.block("S"):
                vi, vj, vd = T.axis.remap("SSR", [i, j, d])
                with T.init():
                    S[vi, vj] = T.float32(0)
                S[vi, vj] = K[vj, vd] * Q[vi, vd] + S[vi, vj]
        A = T.alloc_buffer((7, 7), "float32")
        for i, j in T.grid(7, 7):
            with T.block("A"):
                vi, vj = T.axis.remap("SS", [i, j])
                A[vi, vj] = S[vi, vj] * T.float32(0.7071067811865475)
        for i, j in T.grid(7, 7):
            with T.block("M"):
                vi, vj = T.axis.remap("SR", [i, j])
                with T.init():
                    M[vi] = T.float32("-inf")
                M[vi] = T.max(A[vi, vj], M[vi])
        E = T.alloc_buffer((7, 7), "float32")
        for i, j in T.grid(7, 7):
            with T.block("E"):
                vi, vj = T.axis.remap("SS", [i, j])
                E[vi, vj] = T.exp(A[vi, vj] - M[vi])
        for i, j in T.grid(7, 7):
            with T.block("Z"):
                vi, vj = T.axis.remap("SR", [i, j])
                with T.init():
                    Z[vi] = T.float32(0)
                Z[vi] = E[vi, vj] + Z[vi]
        N = T.alloc_buffer((7, 7), "float32")
        for i, j in T.grid(7, 7):
            with T.block("N"):
                vi, vj = T.axis.remap("SS", [i, j])
                N[vi, vj] = E[vi, vj] / Z[vi]
        for i, e, j in T.grid(7, 2, 7):
            with T.block("O"):
                vi, ve, vj = T.axis.remap("SSR", [i, e, j])
                with T.init():
                    O[vi, ve] = T.float32(0)
                O[vi, ve] = V[vj, ve] * N[vi, vj] + O[vi, ve]

    @T.prim_func(private=True)
    def powers_of_two(Q: T.Buffer((7, 2), "float32"), K: T.Buffer((7, 2), "float32"), V: T.Buffer((7, 2), "float32"), O: T.Buffer((7, 2), "float32")):
        S = T.alloc_buffer((7, 7), "float32")
        M = T.alloc_buffer((7, 1), "float32")
        Z = T.alloc_buffer((7, 1), "float32")
        for i, j, d in T.grid(7, 7, 2):
            with T.block("S"):
                vi, vj, vd = T.axis.remap("SSR", [i, j, d])
                with T.init():
                    S[vi, vj] = T.float32(0)
                S[vi, vj] = S[vi, vj] + Q[vi, vd] * K[vj, vd]
        A = T.alloc_buffer((7, 7), "float32")
        for i, j in T.grid(7, 7):
            with T.block("A"):
                vi, vj = T.axis.remap("SS", [i, j])
                A[vi, vj] = S[vi, vj] * T.float32(0.7071067811865475)
        for i, j in T.grid(7, 7):
            with T.block("M"):
                vi, vj = T.axis.remap("SR", [i, j])
                with T.init():
                    M[vi, 0] = T.float32(-1e30)
                M[vi, 0] = T.max(M[vi, 0], A[vi, vj])
        E = T.alloc_buffer((7, 7), "float32")
        for i, j in T.grid(7, 7):
            with T.block("E"):
                vi, vj = T.axis.remap("SS", [i, j])
                E[vi, vj] = T.exp2(A[vi, vj] * T.float32(1.4426950408889634) - M[vi, 0] * T.float32(1.4426950408889634))
        for i, j in T.grid(7, 7):
            with T.block("Z"):
                vi, vj = T.axis.remap("SR", [i, j])
                with T.init():
                    Z[vi, 0] = T.float32(0)
                Z[vi, 0] = Z[vi, 0] + E[vi, vj]
        for i, e, j in T.grid(7, 2, 7):
            with T.block("O"):
                vi, ve, vj = T.axis.remap("SSR", [i, e, j])
                with T.init():
                    O[vi, ve] = T.float32(0)
                O[vi, ve] = O[vi, ve] + (E[vi, vj] / Z[vi, 0]) * V[vj, ve]

    @T.prim_func(private=True)
    def hidden_first(Q: T.Buffer((7, 2), "float32"), K: T.Buffer((7, 2), "float32"), V: T.Buffer((7, 2), "float32"), O: T.Buffer((7, 2), "float32")):
        S = T.alloc_buffer((7, 7), "float32")
        M = T.alloc_buffer((7,), "float32")
        Z = T.alloc_buffer((7,), "float32")
        for i, j, d in T.grid(7, 7, 2):
            with T.block("S"):
                vi, vj, vd = T.axis.remap("SSR", [i, j, d])
                with T.init():
                    S[vi, vj] = T.float32(0)
                S[vi, vj] = S[vi, vj] + Q[vi, vd] * K[vj, vd]
        A = T.alloc_buffer((7, 7), "float32")
        for i, j in T.grid(7, 7):
            with T.block("A"):
                vi, vj = T.axis.remap("SS", [i, j])
                A[vi, vj] = T.Select(vi >= vj, S[vi, vj], T.float32(-3.4028234663852886e+38)) * T.float32(0.7071067811865475)
        for i, j in T.grid(7, 7):
            with T.block("M"):
                vi, vj = T.axis.remap("SR", [i, j])
                with T.init():
                    M[vi] = T.float32(-3.4028234663852886e+38)
                M[vi] = T.max(M[vi], A[vi, vj])
        E = T.alloc_buffer((7, 7), "float32")
        for i, j in T.grid(7, 7):
            with T.block("E"):
                vi, vj = T.axis.remap("SS", [i, j])
                E[vi, vj] = T.exp(A[vi, vj] - M[vi])
        for i, j in T.grid(7, 7):
            with T.block("Z"):
                vi, vj = T.axis.remap("SR", [i, j])
                with T.init():
                    Z[vi] = T.float32(0)
                Z[vi] = Z[vi] + E[vi, vj]
        W = T.alloc_buffer((7, 2), "float32")
        for i, e, j in T.grid(7, 2, 7):
            with T.block("O"):
                vi, ve, vj = T.axis.remap("SSR", [i, e, j])
                with T.init():
                    W[vi, ve] = T.float32(0)
                W[vi, ve] = W[vi, ve] + E[vi, vj] * V[vj, ve]
        for i, e in T.grid(7, 2):
            with T.block("F"):
                vi, ve = T.axis.remap("SS", [i, e])
                O[vi, ve] = W[vi, ve] / Z[vi]

    @T.prim_func(private=True)
    def scaled_query(Q: T.Buffer((7, 2), "float32"), K: T.Buffer((7, 2), "float32"), V: T.Buffer((7, 2), "float32"), O: T.Buffer((7, 2), "float32")):
        S = T.alloc_buffer((7, 7), "float32")
        M = T.alloc_buffer((7,), "float32")
        Z = T.alloc_buffer((7,), "float32")
        Q2 = T.alloc_buffer((7, 2), "float32")
        for i, d in T.grid(7, 2):
            with T.block("q2"):
                vi, vd = T.axis.remap("SS", [i, d])
                Q2[vi, vd] = Q[vi, vd] * T.float32(0.7071067811865475)
        for i, j, d in T.grid(7, 7, 2):
            with T.block("S"):
                vi, vj, vd = T.axis.remap("SSR", [i, j, d])
                with T.init():
                    S[vi, vj] = T.float32(0)
                S[vi, vj] = S[vi, vj] + Q2[vi, vd] * K[vj, vd]
        for i, j in T.grid(7, 7):
            with T.block("M"):
                vi, vj = T.axis.remap("SR", [i, j])
                with T.init():
                    M[vi] = T.min_value("float32")
                M[vi] = T.max(M[vi], S[vi, vj])
        for i, j in T.grid(7, 7):
            with T.block("Z"):
                vi, vj = T.axis.remap("SR", [i, j])
                with T.init():
                    Z[vi] = T.float32(0)
                Z[vi] = Z[vi] + T.exp(S[vi, vj] - M[vi])
        N = T.alloc_buffer((7, 7), "float32")
        for i, j in T.grid(7, 7):
            with T.block("N"):
                vi, vj = T.axis.remap("SS", [i, j])
                N[vi, vj] = T.exp(S[vi, vj] - M[vi]) / Z[vi]
        for i, e, j in T.grid(7, 2, 7):
            with T.block("O"):
                vi, ve, vj = T.axis.remap("SSR", [i, e, j])
                with T.init():
                    O[vi, ve] = T.float32(0)
                O[vi, ve] = O[vi, ve] + N[vi, vj] * V[vj, ve]

    @R.function
    def main(q: R.Tensor((7, 2), "float32"), k: R.Tensor((7, 2), "float32"), v: R.Tensor((7, 2), "float32")):
        cls = Module
        s = R.multiply(R.matmul(q, R.permute_dims(k)), R.const(0.7071067811865475, "float32"))
        all = R.matmul(R.nn.softmax(s, axis=-1), v)
        seen = R.tril(R.ones((7, 7), "float32"))
        hidden = R.multiply(R.subtract(seen, R.const(1, "float32")), R.const(1e30, "float32"))
        causal = R.matmul(R.nn.softmax(R.add(s, hidden), axis=-1), v)
        o0 = R.call_tir(cls.reversed, (q, k, v), out_sinfo=R.Tensor((7, 2), "float32"))
        d0 = R.astype(R.less(R.max(R.abs(R.subtract(o0, all))), R.const(1e-5, "float32")), "int32")
        o1 = R.call_tir(cls.powers_of_two, (q, k, v), out_sinfo=R.Tensor((7, 2), "float32"))
        d1 = R.astype(R.less(R.max(R.abs(R.subtract(o1, all))), R.const(1e-5, "float32")), "int32")
        o2 = R.call_tir(cls.hidden_first, (q, k, v), out_sinfo=R.Tensor((7, 2), "float32"))
        d2 = R.astype(R.less(R.max(R.abs(R.subtract(o2, causal))), R.const(1e-5, "float32")), "int32")
        o3 = R.call_tir(cls.scaled_query, (q, k, v), out_sinfo=R.Tensor((7, 2), "float32"))
        d3 = R.astype(R.less(R.max(R.abs(R.subtract(o3, all))), R.const(1e-5, "float32")), "int32")
        return (d0, d1, d2, d3)
