# Attention without batch and head, with swapped operands, powers of two, the scale after the mask or in the query:
# all become the seven blocks that R.nn.attention legalizes to.
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
        o0 = R.call_tir(cls.reversed, (q, k, v), out_sinfo=R.Tensor((7, 2), "float32"))
        o1 = R.call_tir(cls.powers_of_two, (q, k, v), out_sinfo=R.Tensor((7, 2), "float32"))
        o2 = R.call_tir(cls.hidden_first, (q, k, v), out_sinfo=R.Tensor((7, 2), "float32"))
        o3 = R.call_tir(cls.scaled_query, (q, k, v), out_sinfo=R.Tensor((7, 2), "float32"))
        return (o0, o1, o2, o3)
