# Functions like attention but for one block each: the rule says what differs.
@I.ir_module
class Module:
    @T.prim_func(private=True)
    def first_sum_from_one(Q: T.Buffer((7, 2), "float32"), K: T.Buffer((7, 2), "float32"), V: T.Buffer((7, 2), "float32"), O: T.Buffer((7, 2), "float32")):
        S = T.alloc_buffer((7, 7), "float32")
        A = T.alloc_buffer((7, 7), "float32")
        M = T.alloc_buffer((7,), "float32")
        E = T.alloc_buffer((7, 7), "float32")
        Z = T.alloc_buffer((7,), "float32")
        W = T.alloc_buffer((7, 2), "float32")
        for i, j, d in T.grid(7, 7, 2):
            with T.block("S"):
                vi, vj, vd = T.axis.remap("SSR", [i, j, d])
                with T.init():
                    S[vi, vj] = T.float32(1)
                S[vi, vj] = S[vi, vj] + Q[vi, vd] * K[vj, vd]
        for i, j in T.grid(7, 7):
            with T.block("A"):
                vi, vj = T.axis.remap("SS", [i, j])
                A[vi, vj] = S[vi, vj] * T.float32(0.5)
        for i, j in T.grid(7, 7):
            with T.block("M"):
                vi, vj = T.axis.remap("SR", [i, j])
                with T.init():
                    M[vi] = T.float32(-1e30)
                M[vi] = T.max(M[vi], A[vi, vj])
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
        for i, e, j in T.grid(7, 2, 7):
            with T.block("W"):
                vi, ve, vj = T.axis.remap("SSR", [i, e, j])
                with T.init():
                    W[vi, ve] = T.float32(0)
                W[vi, ve] = W[vi, ve] + E[vi, vj] * V[vj, ve]
        for i, e in T.grid(7, 2):
            with T.block("F"):
                vi, ve = T.axis.remap("SS", [i, e])
                O[vi, ve] = W[vi, ve] / Z[vi]

    @T.prim_func(private=True)
    def maximum_from_one(Q: T.Buffer((7, 2), "float32"), K: T.Buffer((7, 2), "float32"), V: T.Buffer((7, 2), "float32"), O: T.Buffer((7, 2), "float32")):
        S = T.alloc_buffer((7, 7), "float32")
        A = T.alloc_buffer((7, 7), "float32")
        M = T.alloc_buffer((7,), "float32")
        E = T.alloc_buffer((7, 7), "float32")
        Z = T.alloc_buffer((7,), "float32")
        W = T.alloc_buffer((7, 2), "float32")
        for i, j, d in T.grid(7, 7, 2):
            with T.block("S"):
                vi, vj, vd = T.axis.remap("SSR", [i, j, d])
                with T.init():
                    S[vi, vj] = T.float32(0)
                S[vi, vj] = S[vi, vj] + Q[vi, vd] * K[vj, vd]
        for i, j in T.grid(7, 7):
            with T.block("A"):
                vi, vj = T.axis.remap("SS", [i, j])
                A[vi, vj] = S[vi, vj] * T.float32(0.5)
        for i, j in T.grid(7, 7):
            with T.block("M"):
                vi, vj = T.axis.remap("SR", [i, j])
                with T.init():
                    M[vi] = T.float32(1)
                M[vi] = T.max(M[vi], A[vi, vj])
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
        for i, e, j in T.grid(7, 2, 7):
            with T.block("W"):
                vi, ve, vj = T.axis.remap("SSR", [i, e, j])
                with T.init():
                    W[vi, ve] = T.float32(0)
                W[vi, ve] = W[vi, ve] + E[vi, vj] * V[vj, ve]
        for i, e in T.grid(7, 2):
            with T.block("F"):
                vi, ve = T.axis.remap("SS", [i, e])
                O[vi, ve] = W[vi, ve] / Z[vi]

    @T.prim_func(private=True)
    def sum_from_one(Q: T.Buffer((7, 2), "float32"), K: T.Buffer((7, 2), "float32"), V: T.Buffer((7, 2), "float32"), O: T.Buffer((7, 2), "float32")):
        S = T.alloc_buffer((7, 7), "float32")
        A = T.alloc_buffer((7, 7), "float32")
        M = T.alloc_buffer((7,), "float32")
        E = T.alloc_buffer((7, 7), "float32")
        Z = T.alloc_buffer((7,), "float32")
        W = T.alloc_buffer((7, 2), "float32")
        for i, j, d in T.grid(7, 7, 2):
            with T.block("S"):
                vi, vj, vd = T.axis.remap("SSR", [i, j, d])
                with T.init():
                    S[vi, vj] = T.float32(0)
                S[vi, vj] = S[vi, vj] + Q[vi, vd] * K[vj, vd]
        for i, j in T.grid(7, 7):
            with T.block("A"):
                vi, vj = T.axis.remap("SS", [i, j])
                A[vi, vj] = S[vi, vj] * T.float32(0.5)
        for i, j in T.grid(7, 7):
            with T.block("M"):
                vi, vj = T.axis.remap("SR", [i, j])
                with T.init():
                    M[vi] = T.float32(-1e30)
                M[vi] = T.max(M[vi], A[vi, vj])
        for i, j in T.grid(7, 7):
            with T.block("E"):
                vi, vj = T.axis.remap("SS", [i, j])
                E[vi, vj] = T.exp(A[vi, vj] - M[vi])
        for i, j in T.grid(7, 7):
            with T.block("Z"):
                vi, vj = T.axis.remap("SR", [i, j])
                with T.init():
                    Z[vi] = T.float32(1)
                Z[vi] = Z[vi] + E[vi, vj]
        for i, e, j in T.grid(7, 2, 7):
            with T.block("W"):
                vi, ve, vj = T.axis.remap("SSR", [i, e, j])
                with T.init():
                    W[vi, ve] = T.float32(0)
                W[vi, ve] = W[vi, ve] + E[vi, vj] * V[vj, ve]
        for i, e in T.grid(7, 2):
            with T.block("F"):
                vi, ve = T.axis.remap("SS", [i, e])
                O[vi, ve] = W[vi, ve] / Z[vi]

    @T.prim_func(private=True)
    def weights_of_another(Q: T.Buffer((7, 2), "float32"), K: T.Buffer((7, 2), "float32"), V: T.Buffer((7, 2), "float32"), O: T.Buffer((7, 2), "float32")):
        S = T.alloc_buffer((7, 7), "float32")
        A = T.alloc_buffer((7, 7), "float32")
        M = T.alloc_buffer((7,), "float32")
        E = T.alloc_buffer((7, 7), "float32")
        Z = T.alloc_buffer((7,), "float32")
        W = T.alloc_buffer((7, 2), "float32")
        for i, j, d in T.grid(7, 7, 2):
            with T.block("S"):
                vi, vj, vd = T.axis.remap("SSR", [i, j, d])
                with T.init():
                    S[vi, vj] = T.float32(0)
                S[vi, vj] = S[vi, vj] + Q[vi, vd] * K[vj, vd]
        for i, j in T.grid(7, 7):
            with T.block("A"):
                vi, vj = T.axis.remap("SS", [i, j])
                A[vi, vj] = S[vi, vj] * T.float32(0.5)
        for i, j in T.grid(7, 7):
            with T.block("M"):
                vi, vj = T.axis.remap("SR", [i, j])
                with T.init():
                    M[vi] = T.float32(-1e30)
                M[vi] = T.max(M[vi], A[vi, vj])
        for i, j in T.grid(7, 7):
            with T.block("E"):
                vi, vj = T.axis.remap("SS", [i, j])
                E[vi, vj] = T.exp(S[vi, vj] - M[vi] * T.float32(2))
        for i, j in T.grid(7, 7):
            with T.block("Z"):
                vi, vj = T.axis.remap("SR", [i, j])
                with T.init():
                    Z[vi] = T.float32(0)
                Z[vi] = Z[vi] + E[vi, vj]
        for i, e, j in T.grid(7, 2, 7):
            with T.block("W"):
                vi, ve, vj = T.axis.remap("SSR", [i, e, j])
                with T.init():
                    W[vi, ve] = T.float32(0)
                W[vi, ve] = W[vi, ve] + E[vi, vj] * V[vj, ve]
        for i, e in T.grid(7, 2):
            with T.block("F"):
                vi, ve = T.axis.remap("SS", [i, e])
                O[vi, ve] = W[vi, ve] / Z[vi]

    @T.prim_func(private=True)
    def last_sum_from_one(Q: T.Buffer((7, 2), "float32"), K: T.Buffer((7, 2), "float32"), V: T.Buffer((7, 2), "float32"), O: T.Buffer((7, 2), "float32")):
        S = T.alloc_buffer((7, 7), "float32")
        A = T.alloc_buffer((7, 7), "float32")
        M = T.alloc_buffer((7,), "float32")
        E = T.alloc_buffer((7, 7), "float32")
        Z = T.alloc_buffer((7,), "float32")
        W = T.alloc_buffer((7, 2), "float32")
        for i, j, d in T.grid(7, 7, 2):
            with T.block("S"):
                vi, vj, vd = T.axis.remap("SSR", [i, j, d])
                with T.init():
                    S[vi, vj] = T.float32(0)
                S[vi, vj] = S[vi, vj] + Q[vi, vd] * K[vj, vd]
        for i, j in T.grid(7, 7):
            with T.block("A"):
                vi, vj = T.axis.remap("SS", [i, j])
                A[vi, vj] = S[vi, vj] * T.float32(0.5)
        for i, j in T.grid(7, 7):
            with T.block("M"):
                vi, vj = T.axis.remap("SR", [i, j])
                with T.init():
                    M[vi] = T.float32(-1e30)
                M[vi] = T.max(M[vi], A[vi, vj])
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
        for i, e, j in T.grid(7, 2, 7):
            with T.block("W"):
                vi, ve, vj = T.axis.remap("SSR", [i, e, j])
                with T.init():
                    W[vi, ve] = T.float32(1)
                W[vi, ve] = W[vi, ve] + E[vi, vj] * V[vj, ve]
        for i, e in T.grid(7, 2):
            with T.block("F"):
                vi, ve = T.axis.remap("SS", [i, e])
                O[vi, ve] = W[vi, ve] / Z[vi]

    @T.prim_func(private=True)
    def result_of_the_scores(Q: T.Buffer((7, 2), "float32"), K: T.Buffer((7, 2), "float32"), V: T.Buffer((7, 2), "float32"), O: T.Buffer((7, 2), "float32")):
        S = T.alloc_buffer((7, 7), "float32")
        A = T.alloc_buffer((7, 7), "float32")
        M = T.alloc_buffer((7,), "float32")
        E = T.alloc_buffer((7, 7), "float32")
        Z = T.alloc_buffer((7,), "float32")
        W = T.alloc_buffer((7, 2), "float32")
        for i, j, d in T.grid(7, 7, 2):
            with T.block("S"):
                vi, vj, vd = T.axis.remap("SSR", [i, j, d])
                with T.init():
                    S[vi, vj] = T.float32(0)
                S[vi, vj] = S[vi, vj] + Q[vi, vd] * K[vj, vd]
        for i, j in T.grid(7, 7):
            with T.block("A"):
                vi, vj = T.axis.remap("SS", [i, j])
                A[vi, vj] = S[vi, vj] * T.float32(0.5)
        for i, j in T.grid(7, 7):
            with T.block("M"):
                vi, vj = T.axis.remap("SR", [i, j])
                with T.init():
                    M[vi] = T.float32(-1e30)
                M[vi] = T.max(M[vi], A[vi, vj])
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
        for i, e, j in T.grid(7, 2, 7):
            with T.block("W"):
                vi, ve, vj = T.axis.remap("SSR", [i, e, j])
                with T.init():
                    W[vi, ve] = T.float32(0)
                W[vi, ve] = W[vi, ve] + E[vi, vj] * V[vj, ve]
        for i, e in T.grid(7, 2):
            with T.block("F"):
                vi, ve = T.axis.remap("SS", [i, e])
                O[vi, ve] = W[vi, ve] / Z[vi] + S[vi, 0]

    @R.function
    def main(q: R.Tensor((7, 2), "float32"), k: R.Tensor((7, 2), "float32"), v: R.Tensor((7, 2), "float32")):
        cls = Module
        o0 = R.call_tir(cls.first_sum_from_one, (q, k, v), out_sinfo=R.Tensor((7, 2), "float32"))
        o1 = R.call_tir(cls.maximum_from_one, (q, k, v), out_sinfo=R.Tensor((7, 2), "float32"))
        o2 = R.call_tir(cls.sum_from_one, (q, k, v), out_sinfo=R.Tensor((7, 2), "float32"))
        o3 = R.call_tir(cls.weights_of_another, (q, k, v), out_sinfo=R.Tensor((7, 2), "float32"))
        o4 = R.call_tir(cls.last_sum_from_one, (q, k, v), out_sinfo=R.Tensor((7, 2), "float32"))
        o5 = R.call_tir(cls.result_of_the_scores, (q, k, v), out_sinfo=R.Tensor((7, 2), "float32"))
        return (o0, o1, o2, o3, o4, o5)
