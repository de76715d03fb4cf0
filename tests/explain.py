# ==== attention
# Recognised as attention, but its heads are larger than the rule takes.
@I.ir_module
class Module:
    @R.function
    def main(q: R.Tensor((1, 8, 2, 2048), "float32"), k: R.Tensor((1, 8, 2, 2048), "float32"), v: R.Tensor((1, 8, 2, 2048), "float32")):
        o: R.Tensor((1, 8, 2, 2048), "float32") = R.nn.attention(q, k, v)
        return o
# ---- expected
tests/explain.py#attention:6:51: block T_score of attention: taken by rule tile
    computes matmul, axes bbmnk
    attention: head sizes 2048 and 2048, at most 256
    inline: is a reduction
    winograd: T_max is a reduction, not a product
    quant: not a float32 product (M, N) of (M, K) and (K, N): matmul, axes bbmnk
    int8_gemm: not a float32 product (M, N) of (M, K) and (K, N): matmul, axes bbmnk
    int8_conv: no int32 sum of products over one axis into 4 dimensions: 5 axes, value T_score[v_b, v_h, v_i, v_j] + q[v_b, v_i, v_h, v_d] * k[v_b, v_j, v_h, v_d]
    sliding: a window of 2048 elements; 2 to 16 are supported
tests/explain.py#attention:6:51: block T_masked of attention: taken by rule inline
    computes elementwise, axes ssss
    attention: needs 7 consecutive blocks; block 1 (T_masked) is not a reduction
tests/explain.py#attention:6:51: block T_max of attention: taken by rule rows
    computes reduction, axes sssk
    attention: T_max is a reduction, not a product
    inline: is a reduction
    winograd: needs 3 consecutive blocks; block 2 (T_exp) is not a reduction
    quant: T_max is a reduction, not a product
    int8_gemm: T_max is a reduction, not a product
    int8_conv: T_max is a reduction, not a product
    sliding: the window in T_score[v_b, v_h, v_i, v_j] * T.float32(0.022097086533904076) does not slide along v_h and v_j, or is not contiguous along the channel v_i
    tile: T_score[v_b, v_h, v_i, v_j] is not contiguous along the columns, and packing it does not pay for 1 rows
tests/explain.py#attention:6:51: block T_exp of attention: taken by rule rows, with block T_max
    computes elementwise, axes ssss
    attention: needs 7 consecutive blocks; block 1 (T_exp) is not a reduction
    inline: T_total would compute it more than once: 12 operations (limit 6), 2 loads
    winograd: needs 3 consecutive blocks; block 1 (T_exp) is not a reduction
    quant: is not a reduction
    int8_gemm: is not a reduction
    int8_conv: is not a reduction
    sliding: is not a reduction
    tile: is not a reduction
tests/explain.py#attention:6:51: block T_sum of attention: taken by rule rows, with block T_max
    computes reduction, axes sssk
    attention: T_sum is a reduction, not a product
    inline: is a reduction
    winograd: needs 3 consecutive blocks; block 3 (T_attention) is not a reduction
    quant: T_sum is a reduction, not a product
    int8_gemm: T_sum is a reduction, not a product
    int8_conv: T_sum is a reduction, not a product
    sliding: the window in T_exp[v_b, v_h, v_i, v_j] does not slide along v_h and v_j, or is not contiguous along the channel v_i
    tile: T_exp[v_b, v_h, v_i, v_j] is not contiguous along the columns, and packing it does not pay for 1 rows
tests/explain.py#attention:6:51: block T_total of attention: taken by rule tile
    computes matmul, axes bbmnk
    attention: needs 7 consecutive blocks, found 2
    inline: is a reduction
    winograd: needs 3 consecutive blocks; block 2 (T_attention) is not a reduction
    quant: not a float32 product (M, N) of (M, K) and (K, N): matmul, axes bbmnk
    int8_gemm: not a float32 product (M, N) of (M, K) and (K, N): matmul, axes bbmnk
    int8_conv: no int32 sum of products over one axis into 4 dimensions: 5 axes, value T_total[v_b, v_h, v_i, v_j] + T_exp[v_b, v_h, v_i, v_k] * v[v_b, v_k, v_h, v_j]
    sliding: the window in T_exp[v_b, v_h, v_i, v_k] * v[v_b, v_k, v_h, v_j] does not slide along v_i and v_k, or is not contiguous along the channel v_j
tests/explain.py#attention:6:51: block T_attention of attention: taken by rule rows
    computes transpose, axes ssss
    attention: needs 7 consecutive blocks; block 1 (T_attention) is not a reduction
    inline: T_attention is a result of the function
    winograd: needs 3 consecutive blocks; block 1 (T_attention) is not a reduction
    quant: is not a reduction
    int8_gemm: is not a reduction
    int8_conv: is not a reduction
    sliding: is not a reduction
    tile: is not a reduction

# ==== attention_nearly
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
# ---- expected
tests/explain.py#attention_nearly:13:13: block S of first_sum_from_one: taken by rule tile
    computes matmul, axes mnk
    attention: looks like attention, but the first sum is not a product of queries and keys starting at 0
    inline: is a reduction
    winograd: M is a reduction, not a product
    quant: the weight K[vj, vd] does not unpack numbers of 4, 8 or 16 bits
    int8_gemm: Q[vi, vd] is not widened from integers or bfloat16
    int8_conv: no int32 sum of products over one axis into 4 dimensions: 3 axes, value S[vi, vj] + Q[vi, vd] * K[vj, vd]
    sliding: the window in Q[vi, vd] * K[vj, vd] does not slide along vi and vd, or is not contiguous along the channel vj
tests/explain.py#attention_nearly:19:13: block A of first_sum_from_one: taken by rule inline
    computes elementwise, axes ss
    attention: needs 7 consecutive blocks; block 1 (A) is not a reduction
tests/explain.py#attention_nearly:23:13: block M of first_sum_from_one: taken by rule rows
    computes reduction, axes sk
    attention: M is a reduction, not a product
    inline: is a reduction
    winograd: needs 3 consecutive blocks; block 2 (E) is not a reduction
    quant: M is a reduction, not a product
    int8_gemm: M is a reduction, not a product
    int8_conv: M is a reduction, not a product
    sliding: no window: 2 axes for 1 dimensions of M
    tile: S[vi, vj] is not contiguous along the columns, and packing it does not pay for 1 rows
tests/explain.py#attention_nearly:29:13: block E of first_sum_from_one: taken by rule rows, with block M
    computes elementwise, axes ss
    attention: needs 7 consecutive blocks; block 1 (E) is not a reduction
    inline: W would compute it more than once: 12 operations (limit 6), 2 loads
    winograd: needs 3 consecutive blocks; block 1 (E) is not a reduction
    quant: is not a reduction
    int8_gemm: is not a reduction
    int8_conv: is not a reduction
    sliding: is not a reduction
    tile: is not a reduction
tests/explain.py#attention_nearly:33:13: block Z of first_sum_from_one: taken by rule rows, with block M
    computes reduction, axes sk
    attention: Z is a reduction, not a product
    inline: is a reduction
    winograd: needs 3 consecutive blocks; block 3 (O) is not a reduction
    quant: Z is a reduction, not a product
    int8_gemm: Z is a reduction, not a product
    int8_conv: Z is a reduction, not a product
    sliding: no window: 2 axes for 1 dimensions of Z
    tile: E[vi, vj] is not contiguous along the columns, and packing it does not pay for 1 rows
tests/explain.py#attention_nearly:39:13: block W of first_sum_from_one: taken by rule rows, with block M
    computes matmul, axes mnk
    attention: needs 7 consecutive blocks, found 2
    inline: is a reduction
    winograd: needs 3 consecutive blocks; block 2 (O) is not a reduction
    quant: the weight V[vj, ve] does not unpack numbers of 4, 8 or 16 bits
    int8_gemm: E[vi, vj] is not widened from integers or bfloat16
    int8_conv: no int32 sum of products over one axis into 4 dimensions: 3 axes, value W[vi, ve] + E[vi, vj] * V[vj, ve]
    sliding: the window in E[vi, vj] * V[vj, ve] does not slide along vi and vj, or is not contiguous along the channel ve
    tile: 2 columns do not fill a vector of 4 lanes
tests/explain.py#attention_nearly:45:13: block F of first_sum_from_one: taken by rule rows, with block M
    computes elementwise, axes ss
    attention: needs 7 consecutive blocks; block 1 (O) is not a reduction
    inline: O is a result of the function
    winograd: needs 3 consecutive blocks; block 1 (O) is not a reduction
    quant: is not a reduction
    int8_gemm: is not a reduction
    int8_conv: is not a reduction
    sliding: is not a reduction
    tile: is not a reduction
tests/explain.py#attention_nearly:58:13: block S of maximum_from_one: taken by rule tile
    computes matmul, axes mnk
    attention: looks like attention, but the second reduction is not a maximum of all scores of a query with an initial value of at most 0
    inline: is a reduction
    winograd: M is a reduction, not a product
    quant: the weight K[vj, vd] does not unpack numbers of 4, 8 or 16 bits
    int8_gemm: Q[vi, vd] is not widened from integers or bfloat16
    int8_conv: no int32 sum of products over one axis into 4 dimensions: 3 axes, value S[vi, vj] + Q[vi, vd] * K[vj, vd]
    sliding: the window in Q[vi, vd] * K[vj, vd] does not slide along vi and vd, or is not contiguous along the channel vj
tests/explain.py#attention_nearly:64:13: block A of maximum_from_one: taken by rule inline
    computes elementwise, axes ss
    attention: needs 7 consecutive blocks; block 1 (A) is not a reduction
tests/explain.py#attention_nearly:68:13: block M of maximum_from_one: taken by rule rows
    computes reduction, axes sk
    attention: M is a reduction, not a product
    inline: is a reduction
    winograd: needs 3 consecutive blocks; block 2 (E) is not a reduction
    quant: M is a reduction, not a product
    int8_gemm: M is a reduction, not a product
    int8_conv: M is a reduction, not a product
    sliding: no window: 2 axes for 1 dimensions of M
    tile: S[vi, vj] is not contiguous along the columns, and packing it does not pay for 1 rows
tests/explain.py#attention_nearly:74:13: block E of maximum_from_one: taken by rule rows, with block M
    computes elementwise, axes ss
    attention: needs 7 consecutive blocks; block 1 (E) is not a reduction
    inline: W would compute it more than once: 12 operations (limit 6), 2 loads
    winograd: needs 3 consecutive blocks; block 1 (E) is not a reduction
    quant: is not a reduction
    int8_gemm: is not a reduction
    int8_conv: is not a reduction
    sliding: is not a reduction
    tile: is not a reduction
tests/explain.py#attention_nearly:78:13: block Z of maximum_from_one: taken by rule rows, with block M
    computes reduction, axes sk
    attention: Z is a reduction, not a product
    inline: is a reduction
    winograd: needs 3 consecutive blocks; block 3 (O) is not a reduction
    quant: Z is a reduction, not a product
    int8_gemm: Z is a reduction, not a product
    int8_conv: Z is a reduction, not a product
    sliding: no window: 2 axes for 1 dimensions of Z
    tile: E[vi, vj] is not contiguous along the columns, and packing it does not pay for 1 rows
tests/explain.py#attention_nearly:84:13: block W of maximum_from_one: taken by rule rows, with block M
    computes matmul, axes mnk
    attention: needs 7 consecutive blocks, found 2
    inline: is a reduction
    winograd: needs 3 consecutive blocks; block 2 (O) is not a reduction
    quant: the weight V[vj, ve] does not unpack numbers of 4, 8 or 16 bits
    int8_gemm: E[vi, vj] is not widened from integers or bfloat16
    int8_conv: no int32 sum of products over one axis into 4 dimensions: 3 axes, value W[vi, ve] + E[vi, vj] * V[vj, ve]
    sliding: the window in E[vi, vj] * V[vj, ve] does not slide along vi and vj, or is not contiguous along the channel ve
    tile: 2 columns do not fill a vector of 4 lanes
tests/explain.py#attention_nearly:90:13: block F of maximum_from_one: taken by rule rows, with block M
    computes elementwise, axes ss
    attention: needs 7 consecutive blocks; block 1 (O) is not a reduction
    inline: O is a result of the function
    winograd: needs 3 consecutive blocks; block 1 (O) is not a reduction
    quant: is not a reduction
    int8_gemm: is not a reduction
    int8_conv: is not a reduction
    sliding: is not a reduction
    tile: is not a reduction
tests/explain.py#attention_nearly:103:13: block S of sum_from_one: taken by rule tile
    computes matmul, axes mnk
    attention: looks like attention, but the third reduction is not a sum of exp(score - max) starting at 0
    inline: is a reduction
    winograd: M is a reduction, not a product
    quant: the weight K[vj, vd] does not unpack numbers of 4, 8 or 16 bits
    int8_gemm: Q[vi, vd] is not widened from integers or bfloat16
    int8_conv: no int32 sum of products over one axis into 4 dimensions: 3 axes, value S[vi, vj] + Q[vi, vd] * K[vj, vd]
    sliding: the window in Q[vi, vd] * K[vj, vd] does not slide along vi and vd, or is not contiguous along the channel vj
tests/explain.py#attention_nearly:109:13: block A of sum_from_one: taken by rule inline
    computes elementwise, axes ss
    attention: needs 7 consecutive blocks; block 1 (A) is not a reduction
tests/explain.py#attention_nearly:113:13: block M of sum_from_one: taken by rule rows
    computes reduction, axes sk
    attention: M is a reduction, not a product
    inline: is a reduction
    winograd: needs 3 consecutive blocks; block 2 (E) is not a reduction
    quant: M is a reduction, not a product
    int8_gemm: M is a reduction, not a product
    int8_conv: M is a reduction, not a product
    sliding: no window: 2 axes for 1 dimensions of M
    tile: S[vi, vj] is not contiguous along the columns, and packing it does not pay for 1 rows
tests/explain.py#attention_nearly:119:13: block E of sum_from_one: taken by rule rows, with block M
    computes elementwise, axes ss
    attention: needs 7 consecutive blocks; block 1 (E) is not a reduction
    inline: W would compute it more than once: 12 operations (limit 6), 2 loads
    winograd: needs 3 consecutive blocks; block 1 (E) is not a reduction
    quant: is not a reduction
    int8_gemm: is not a reduction
    int8_conv: is not a reduction
    sliding: is not a reduction
    tile: is not a reduction
tests/explain.py#attention_nearly:123:13: block Z of sum_from_one: taken by rule rows, with block M
    computes reduction, axes sk
    attention: Z is a reduction, not a product
    inline: is a reduction
    winograd: needs 3 consecutive blocks; block 3 (O) is not a reduction
    quant: Z is a reduction, not a product
    int8_gemm: Z is a reduction, not a product
    int8_conv: Z is a reduction, not a product
    sliding: no window: 2 axes for 1 dimensions of Z
    tile: E[vi, vj] is not contiguous along the columns, and packing it does not pay for 1 rows
tests/explain.py#attention_nearly:129:13: block W of sum_from_one: taken by rule rows, with block M
    computes matmul, axes mnk
    attention: needs 7 consecutive blocks, found 2
    inline: is a reduction
    winograd: needs 3 consecutive blocks; block 2 (O) is not a reduction
    quant: the weight V[vj, ve] does not unpack numbers of 4, 8 or 16 bits
    int8_gemm: E[vi, vj] is not widened from integers or bfloat16
    int8_conv: no int32 sum of products over one axis into 4 dimensions: 3 axes, value W[vi, ve] + E[vi, vj] * V[vj, ve]
    sliding: the window in E[vi, vj] * V[vj, ve] does not slide along vi and vj, or is not contiguous along the channel ve
    tile: 2 columns do not fill a vector of 4 lanes
tests/explain.py#attention_nearly:135:13: block F of sum_from_one: taken by rule rows, with block M
    computes elementwise, axes ss
    attention: needs 7 consecutive blocks; block 1 (O) is not a reduction
    inline: O is a result of the function
    winograd: needs 3 consecutive blocks; block 1 (O) is not a reduction
    quant: is not a reduction
    int8_gemm: is not a reduction
    int8_conv: is not a reduction
    sliding: is not a reduction
    tile: is not a reduction
tests/explain.py#attention_nearly:148:13: block S of weights_of_another: taken by rule tile
    computes matmul, axes mnk
    attention: looks like attention, but the third reduction is not a sum of exp(score - max) starting at 0
    inline: is a reduction
    winograd: M is a reduction, not a product
    quant: the weight K[vj, vd] does not unpack numbers of 4, 8 or 16 bits
    int8_gemm: Q[vi, vd] is not widened from integers or bfloat16
    int8_conv: no int32 sum of products over one axis into 4 dimensions: 3 axes, value S[vi, vj] + Q[vi, vd] * K[vj, vd]
    sliding: the window in Q[vi, vd] * K[vj, vd] does not slide along vi and vd, or is not contiguous along the channel vj
tests/explain.py#attention_nearly:154:13: block A of weights_of_another: taken by rule inline
    computes elementwise, axes ss
    attention: needs 7 consecutive blocks; block 1 (A) is not a reduction
tests/explain.py#attention_nearly:158:13: block M of weights_of_another: taken by rule rows
    computes reduction, axes sk
    attention: M is a reduction, not a product
    inline: is a reduction
    winograd: needs 3 consecutive blocks; block 2 (E) is not a reduction
    quant: M is a reduction, not a product
    int8_gemm: M is a reduction, not a product
    int8_conv: M is a reduction, not a product
    sliding: no window: 2 axes for 1 dimensions of M
    tile: S[vi, vj] is not contiguous along the columns, and packing it does not pay for 1 rows
tests/explain.py#attention_nearly:164:13: block E of weights_of_another: taken by rule rows, with block M
    computes elementwise, axes ss
    attention: needs 7 consecutive blocks; block 1 (E) is not a reduction
    inline: W would compute it more than once: 12 operations (limit 6), 2 loads
    winograd: needs 3 consecutive blocks; block 1 (E) is not a reduction
    quant: is not a reduction
    int8_gemm: is not a reduction
    int8_conv: is not a reduction
    sliding: is not a reduction
    tile: is not a reduction
tests/explain.py#attention_nearly:168:13: block Z of weights_of_another: taken by rule rows, with block M
    computes reduction, axes sk
    attention: Z is a reduction, not a product
    inline: is a reduction
    winograd: needs 3 consecutive blocks; block 3 (O) is not a reduction
    quant: Z is a reduction, not a product
    int8_gemm: Z is a reduction, not a product
    int8_conv: Z is a reduction, not a product
    sliding: no window: 2 axes for 1 dimensions of Z
    tile: E[vi, vj] is not contiguous along the columns, and packing it does not pay for 1 rows
tests/explain.py#attention_nearly:174:13: block W of weights_of_another: taken by rule rows, with block M
    computes matmul, axes mnk
    attention: needs 7 consecutive blocks, found 2
    inline: is a reduction
    winograd: needs 3 consecutive blocks; block 2 (O) is not a reduction
    quant: the weight V[vj, ve] does not unpack numbers of 4, 8 or 16 bits
    int8_gemm: E[vi, vj] is not widened from integers or bfloat16
    int8_conv: no int32 sum of products over one axis into 4 dimensions: 3 axes, value W[vi, ve] + E[vi, vj] * V[vj, ve]
    sliding: the window in E[vi, vj] * V[vj, ve] does not slide along vi and vj, or is not contiguous along the channel ve
    tile: 2 columns do not fill a vector of 4 lanes
tests/explain.py#attention_nearly:180:13: block F of weights_of_another: taken by rule rows, with block M
    computes elementwise, axes ss
    attention: needs 7 consecutive blocks; block 1 (O) is not a reduction
    inline: O is a result of the function
    winograd: needs 3 consecutive blocks; block 1 (O) is not a reduction
    quant: is not a reduction
    int8_gemm: is not a reduction
    int8_conv: is not a reduction
    sliding: is not a reduction
    tile: is not a reduction
tests/explain.py#attention_nearly:193:13: block S of last_sum_from_one: taken by rule tile
    computes matmul, axes mnk
    attention: looks like attention, but the last sum is not of these weights times values, starting at 0
    inline: is a reduction
    winograd: M is a reduction, not a product
    quant: the weight K[vj, vd] does not unpack numbers of 4, 8 or 16 bits
    int8_gemm: Q[vi, vd] is not widened from integers or bfloat16
    int8_conv: no int32 sum of products over one axis into 4 dimensions: 3 axes, value S[vi, vj] + Q[vi, vd] * K[vj, vd]
    sliding: the window in Q[vi, vd] * K[vj, vd] does not slide along vi and vd, or is not contiguous along the channel vj
tests/explain.py#attention_nearly:199:13: block A of last_sum_from_one: taken by rule inline
    computes elementwise, axes ss
    attention: needs 7 consecutive blocks; block 1 (A) is not a reduction
tests/explain.py#attention_nearly:203:13: block M of last_sum_from_one: taken by rule rows
    computes reduction, axes sk
    attention: M is a reduction, not a product
    inline: is a reduction
    winograd: needs 3 consecutive blocks; block 2 (E) is not a reduction
    quant: M is a reduction, not a product
    int8_gemm: M is a reduction, not a product
    int8_conv: M is a reduction, not a product
    sliding: no window: 2 axes for 1 dimensions of M
    tile: S[vi, vj] is not contiguous along the columns, and packing it does not pay for 1 rows
tests/explain.py#attention_nearly:209:13: block E of last_sum_from_one: taken by rule rows, with block M
    computes elementwise, axes ss
    attention: needs 7 consecutive blocks; block 1 (E) is not a reduction
    inline: W would compute it more than once: 12 operations (limit 6), 2 loads
    winograd: needs 3 consecutive blocks; block 1 (E) is not a reduction
    quant: is not a reduction
    int8_gemm: is not a reduction
    int8_conv: is not a reduction
    sliding: is not a reduction
    tile: is not a reduction
tests/explain.py#attention_nearly:213:13: block Z of last_sum_from_one: taken by rule rows, with block M
    computes reduction, axes sk
    attention: Z is a reduction, not a product
    inline: is a reduction
    winograd: needs 3 consecutive blocks; block 3 (O) is not a reduction
    quant: Z is a reduction, not a product
    int8_gemm: Z is a reduction, not a product
    int8_conv: Z is a reduction, not a product
    sliding: no window: 2 axes for 1 dimensions of Z
    tile: E[vi, vj] is not contiguous along the columns, and packing it does not pay for 1 rows
tests/explain.py#attention_nearly:219:13: block W of last_sum_from_one: taken by rule rows, with block M
    computes matmul, axes mnk
    attention: needs 7 consecutive blocks, found 2
    inline: is a reduction
    winograd: needs 3 consecutive blocks; block 2 (O) is not a reduction
    quant: the weight V[vj, ve] does not unpack numbers of 4, 8 or 16 bits
    int8_gemm: E[vi, vj] is not widened from integers or bfloat16
    int8_conv: no int32 sum of products over one axis into 4 dimensions: 3 axes, value W[vi, ve] + E[vi, vj] * V[vj, ve]
    sliding: the window in E[vi, vj] * V[vj, ve] does not slide along vi and vj, or is not contiguous along the channel ve
    tile: 2 columns do not fill a vector of 4 lanes
tests/explain.py#attention_nearly:225:13: block F of last_sum_from_one: taken by rule rows, with block M
    computes elementwise, axes ss
    attention: needs 7 consecutive blocks; block 1 (O) is not a reduction
    inline: O is a result of the function
    winograd: needs 3 consecutive blocks; block 1 (O) is not a reduction
    quant: is not a reduction
    int8_gemm: is not a reduction
    int8_conv: is not a reduction
    sliding: is not a reduction
    tile: is not a reduction
tests/explain.py#attention_nearly:238:13: block S of result_of_the_scores: taken by rule tile
    computes matmul, axes mnk
    attention: looks like attention, but the result or an operand is computed from other temporaries
    inline: is a reduction
    winograd: M is a reduction, not a product
    quant: the weight K[vj, vd] does not unpack numbers of 4, 8 or 16 bits
    int8_gemm: Q[vi, vd] is not widened from integers or bfloat16
    int8_conv: no int32 sum of products over one axis into 4 dimensions: 3 axes, value S[vi, vj] + Q[vi, vd] * K[vj, vd]
    sliding: the window in Q[vi, vd] * K[vj, vd] does not slide along vi and vd, or is not contiguous along the channel vj
tests/explain.py#attention_nearly:244:13: block A of result_of_the_scores: taken by rule inline
    computes elementwise, axes ss
    attention: needs 7 consecutive blocks; block 1 (A) is not a reduction
tests/explain.py#attention_nearly:248:13: block M of result_of_the_scores: taken by rule rows
    computes reduction, axes sk
    attention: M is a reduction, not a product
    inline: is a reduction
    winograd: needs 3 consecutive blocks; block 2 (E) is not a reduction
    quant: M is a reduction, not a product
    int8_gemm: M is a reduction, not a product
    int8_conv: M is a reduction, not a product
    sliding: no window: 2 axes for 1 dimensions of M
    tile: S[vi, vj] is not contiguous along the columns, and packing it does not pay for 1 rows
tests/explain.py#attention_nearly:254:13: block E of result_of_the_scores: taken by rule rows, with block M
    computes elementwise, axes ss
    attention: needs 7 consecutive blocks; block 1 (E) is not a reduction
    inline: W would compute it more than once: 12 operations (limit 6), 2 loads
    winograd: needs 3 consecutive blocks; block 1 (E) is not a reduction
    quant: is not a reduction
    int8_gemm: is not a reduction
    int8_conv: is not a reduction
    sliding: is not a reduction
    tile: is not a reduction
tests/explain.py#attention_nearly:258:13: block Z of result_of_the_scores: taken by rule rows, with block M
    computes reduction, axes sk
    attention: Z is a reduction, not a product
    inline: is a reduction
    winograd: needs 3 consecutive blocks; block 3 (O) is not a reduction
    quant: Z is a reduction, not a product
    int8_gemm: Z is a reduction, not a product
    int8_conv: Z is a reduction, not a product
    sliding: no window: 2 axes for 1 dimensions of Z
    tile: E[vi, vj] is not contiguous along the columns, and packing it does not pay for 1 rows
tests/explain.py#attention_nearly:264:13: block W of result_of_the_scores: taken by rule rows, with block M
    computes matmul, axes mnk
    attention: needs 7 consecutive blocks, found 2
    inline: is a reduction
    winograd: needs 3 consecutive blocks; block 2 (O) is not a reduction
    quant: the weight V[vj, ve] does not unpack numbers of 4, 8 or 16 bits
    int8_gemm: E[vi, vj] is not widened from integers or bfloat16
    int8_conv: no int32 sum of products over one axis into 4 dimensions: 3 axes, value W[vi, ve] + E[vi, vj] * V[vj, ve]
    sliding: the window in E[vi, vj] * V[vj, ve] does not slide along vi and vj, or is not contiguous along the channel ve
    tile: 2 columns do not fill a vector of 4 lanes
tests/explain.py#attention_nearly:270:13: block F of result_of_the_scores: taken by rule rows, with block M
    computes elementwise, axes ss
    attention: needs 7 consecutive blocks; block 1 (O) is not a reduction
    inline: O is a result of the function
    winograd: needs 3 consecutive blocks; block 1 (O) is not a reduction
    quant: is not a reduction
    int8_gemm: is not a reduction
    int8_conv: is not a reduction
    sliding: is not a reduction
    tile: is not a reduction

# ==== attention_spelled_otherwise
# One rule takes attention in every spelling: no score matrix is stored.
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
# ---- expected
tests/explain.py#attention_spelled_otherwise:10:13: block T_score of reversed: taken by rule attention
    computes matmul, axes bbmnk
tests/explain.py#attention_spelled_otherwise:10:13: block T_masked of reversed: taken by rule attention, with block T_score
    computes elementwise, axes ssss
tests/explain.py#attention_spelled_otherwise:10:13: block T_max of reversed: taken by rule attention, with block T_score
    computes reduction, axes sssk
tests/explain.py#attention_spelled_otherwise:10:13: block T_exp of reversed: taken by rule attention, with block T_score
    computes elementwise, axes ssss
tests/explain.py#attention_spelled_otherwise:10:13: block T_sum of reversed: taken by rule attention, with block T_score
    computes reduction, axes sssk
tests/explain.py#attention_spelled_otherwise:10:13: block T_total of reversed: taken by rule attention, with block T_score
    computes matmul, axes mmmnk
tests/explain.py#attention_spelled_otherwise:10:13: block O of reversed: taken by rule attention, with block T_score
    computes elementwise, axes ss
tests/explain.py#attention_spelled_otherwise:55:13: block T_score of powers_of_two: taken by rule attention
    computes matmul, axes bbmnk
tests/explain.py#attention_spelled_otherwise:55:13: block T_masked of powers_of_two: taken by rule attention, with block T_score
    computes elementwise, axes ssss
tests/explain.py#attention_spelled_otherwise:55:13: block T_max of powers_of_two: taken by rule attention, with block T_score
    computes reduction, axes sssk
tests/explain.py#attention_spelled_otherwise:55:13: block T_exp of powers_of_two: taken by rule attention, with block T_score
    computes elementwise, axes ssss
tests/explain.py#attention_spelled_otherwise:55:13: block T_sum of powers_of_two: taken by rule attention, with block T_score
    computes reduction, axes sssk
tests/explain.py#attention_spelled_otherwise:55:13: block T_total of powers_of_two: taken by rule attention, with block T_score
    computes matmul, axes mmmnk
tests/explain.py#attention_spelled_otherwise:55:13: block O of powers_of_two: taken by rule attention, with block T_score
    computes elementwise, axes ss
tests/explain.py#attention_spelled_otherwise:95:13: block T_score of hidden_first: taken by rule attention
    computes matmul, axes bbmnk
tests/explain.py#attention_spelled_otherwise:95:13: block T_masked of hidden_first: taken by rule attention, with block T_score
    computes elementwise, axes ssss
tests/explain.py#attention_spelled_otherwise:95:13: block T_max of hidden_first: taken by rule attention, with block T_score
    computes reduction, axes sssk
tests/explain.py#attention_spelled_otherwise:95:13: block T_exp of hidden_first: taken by rule attention, with block T_score
    computes elementwise, axes ssss
tests/explain.py#attention_spelled_otherwise:95:13: block T_sum of hidden_first: taken by rule attention, with block T_score
    computes reduction, axes sssk
tests/explain.py#attention_spelled_otherwise:95:13: block T_total of hidden_first: taken by rule attention, with block T_score
    computes matmul, axes mmmnk
tests/explain.py#attention_spelled_otherwise:95:13: block O of hidden_first: taken by rule attention, with block T_score
    computes elementwise, axes ss
tests/explain.py#attention_spelled_otherwise:145:13: block T_score of scaled_query: taken by rule attention
    computes matmul, axes bbmnk
tests/explain.py#attention_spelled_otherwise:145:13: block T_masked of scaled_query: taken by rule attention, with block T_score
    computes elementwise, axes ssss
tests/explain.py#attention_spelled_otherwise:145:13: block T_max of scaled_query: taken by rule attention, with block T_score
    computes reduction, axes sssk
tests/explain.py#attention_spelled_otherwise:145:13: block T_exp of scaled_query: taken by rule attention, with block T_score
    computes elementwise, axes ssss
tests/explain.py#attention_spelled_otherwise:145:13: block T_sum of scaled_query: taken by rule attention, with block T_score
    computes reduction, axes sssk
tests/explain.py#attention_spelled_otherwise:145:13: block T_total of scaled_query: taken by rule attention, with block T_score
    computes matmul, axes mmmnk
tests/explain.py#attention_spelled_otherwise:145:13: block O of scaled_query: taken by rule attention, with block T_score
    computes elementwise, axes ss

# ==== blocks
# Blocks that rules take, blocks that they leave, a block that is no operator, and a function that no rule examines.
@I.ir_module
class Module:
    @T.prim_func(private=True)
    def k(a: T.Buffer((T.int64(4), T.int64(8)), "float32"), b: T.Buffer((T.int64(8), T.int64(8)), "float32"), o: T.Buffer((T.int64(4),), "float32")):
        c = T.alloc_buffer((T.int64(4), T.int64(8)))
        for i, j, k in T.grid(T.int64(4), T.int64(8), T.int64(8)):
            with T.block("c"):
                vi, vj, vk = T.axis.remap("SSR", [i, j, k])
                with T.init():
                    c[vi, vj] = T.float32(0)
                c[vi, vj] = c[vi, vj] + a[vi, vk] * b[vk, vj]
        for i, j in T.grid(T.int64(4), T.int64(8)):
            with T.block("o"):
                vi, vj = T.axis.remap("SR", [i, j])
                with T.init():
                    o[vi] = T.float32(0)
                o[vi] = o[vi] + c[vi, vj]

    @T.prim_func(private=True)
    def odd(a: T.Buffer((T.int64(4),), "float32"), o: T.Buffer((T.int64(4),), "float32")):
        for i in T.unroll(T.int64(4)):
            with T.block("o"):
                vi = T.axis.spatial(T.int64(4), T.int64(3) - i)
                o[vi] = a[vi] + T.float32(1)

    @T.prim_func(private=True)
    def decayed(a: T.Buffer((T.int64(4), T.int64(8)), "float32"), o: T.Buffer((T.int64(8),), "float32")):
        for j, i in T.grid(T.int64(8), T.int64(4)):
            with T.block("o"):
                vj, vi = T.axis.remap("SR", [j, i])
                with T.init():
                    o[vj] = T.float32(0)
                o[vj] = o[vj] * o[T.int64(7) - vj] + a[vi, vj]

    @R.function
    def main(x: R.Tensor((4, 8), "float32"), y: R.Tensor((8, 8), "float32")):
        cls = Module
        z = R.call_tir(cls.k, (x, y), out_sinfo=R.Tensor((4,), "float32"))
        w = R.call_tir(cls.odd, (z,), out_sinfo=R.Tensor((4,), "float32"))
        v = R.call_tir(cls.decayed, (x,), out_sinfo=R.Tensor((8,), "float32"))
        return (w, v)
# ---- expected
tests/explain.py#blocks:30:13: block o of decayed: as written: it reads elements of its result that other iterations store
tests/explain.py#blocks:8:13: block c of fused_k_odd: taken by rule tile
    computes matmul, axes mnk
    attention: needs 7 consecutive blocks; block 2 (k) is a reduction
    inline: is a reduction
    winograd: k is a reduction, not a product
    quant: the weight b[vk, vj] does not unpack numbers of 4, 8 or 16 bits
    int8_gemm: a[vi, vk] is not widened from integers or bfloat16
    int8_conv: no int32 sum of products over one axis into 4 dimensions: 3 axes, value c[vi, vj] + a[vi, vk] * b[vk, vj]
    sliding: the window in a[vi, vk] * b[vk, vj] does not slide along vi and vk, or is not contiguous along the channel vj
tests/explain.py#blocks:14:13: block o of fused_k_odd: taken by rule rows
    computes reduction, axes sk
    attention: k is a reduction, not a product
    inline: is a reduction
    winograd: needs 3 consecutive blocks; block 2 (odd) is not a reduction
    quant: k is a reduction, not a product
    int8_gemm: k is a reduction, not a product
    int8_conv: k is a reduction, not a product
    sliding: no window: 2 axes for 1 dimensions of k
    tile: c[vi, vj] is not contiguous along the columns, and packing it does not pay for 1 rows
tests/explain.py#blocks:23:13: block o_1 of fused_k_odd: taken by rule rows, with block o
    computes elementwise, axes s
    attention: needs 7 consecutive blocks; block 1 (odd) is not a reduction
    inline: odd is a result of the function
    winograd: needs 3 consecutive blocks; block 1 (odd) is not a reduction
    quant: is not a reduction
    int8_gemm: is not a reduction
    int8_conv: is not a reduction
    sliding: is not a reduction
    tile: is not a reduction

# ==== convolution
# Depthwise and full convolutions, and a pooling, in one graph.
@I.ir_module
class Module:
    @R.function
    def main(x: R.Tensor((1, 16, 16, 32), "float32"), w: R.Tensor((32, 3, 3, 1), "float32"), f: R.Tensor((16, 3, 3, 32), "float32")):
        with R.dataflow():
            a = R.nn.conv2d(x, w, padding=(1, 1), groups=32, data_layout="NHWC", kernel_layout="OHWI")
            b = R.nn.conv2d(a, f, padding=(1, 1), data_layout="NHWC", kernel_layout="OHWI")
            c = R.nn.relu(b)
            R.output(c)
        return c
# ---- expected
tests/explain.py#convolution:7:17: block pad_temp of conv2d: taken by rule rows
    computes rearrange, axes ssss
    attention: needs 7 consecutive blocks; block 1 (pad_temp) is not a reduction
    inline: conv2d would compute it more than once: 10 operations (limit 6), 1 loads
    winograd: needs 3 consecutive blocks; block 1 (pad_temp) is not a reduction
    quant: is not a reduction
    int8_gemm: is not a reduction
    int8_conv: is not a reduction
    sliding: is not a reduction
    tile: is not a reduction
tests/explain.py#convolution:7:17: block conv2d of conv2d: taken by rule single
    computes conv, axes bppgrr
    attention: needs 7 consecutive blocks, found 1
    inline: is a reduction
    winograd: needs 3 consecutive blocks, found 1
    quant: not a float32 product (M, N) of (M, K) and (K, N): conv, axes bppgrr
    int8_gemm: not a float32 product (M, N) of (M, K) and (K, N): conv, axes bppgrr
    int8_conv: no int32 sum of products over one axis into 4 dimensions: 6 axes, value conv2d[v_nn, v_yy, v_xx, v_ff] + pad_temp[v_nn, v_yy + v_ry, v_xx + v_rx, v_ff] * w[v_ff, v_ry, v_rx, T.int64(0)]
    sliding: the window in pad_temp[v_nn, v_yy + v_ry, v_xx + v_rx, v_ff] * w[v_ff, v_ry, v_rx, T.int64(0)] does not slide along v_xx and v_rx, or is not contiguous along the channel v_ff
    tile: the operand along the column v_ff is not contiguous, and there are several reduction axes
    rows: parallel: every iteration of loop 'nn' writes the same elements of 'conv2d' (block 'conv2d_global')
tests/explain.py#convolution:9:17: block pad_temp of fused_conv2d1_relu: taken by rule rows
    computes rearrange, axes ssss
    attention: needs 7 consecutive blocks; block 1 (pad_temp) is not a reduction
    inline: conv2d1 would compute it more than once: 10 operations (limit 6), 1 loads
    winograd: needs 3 consecutive blocks; block 1 (pad_temp) is not a reduction
    quant: is not a reduction
    int8_gemm: is not a reduction
    int8_conv: is not a reduction
    sliding: is not a reduction
    tile: is not a reduction
tests/explain.py#convolution:9:17: block conv2d of fused_conv2d1_relu: taken by rule rows
    computes conv, axes bppnrrk
    attention: needs 7 consecutive blocks, found 2
    inline: is a reduction
    winograd: needs 3 consecutive blocks; block 2 (relu) is not a reduction
    quant: not a float32 product (M, N) of (M, K) and (K, N): conv, axes bppnrrk
    int8_gemm: not a float32 product (M, N) of (M, K) and (K, N): conv, axes bppnrrk
    int8_conv: no int32 sum of products over one axis into 4 dimensions: 7 axes, value conv2d1[v_nn, v_yy, v_xx, v_ff] + pad_temp[v_nn, v_yy + v_ry, v_xx + v_rx, v_rc] * f[v_ff, v_ry, v_rx, v_rc]
    sliding: a window of 32 elements; 2 to 16 are supported
    tile: the operand along the column v_ff is not contiguous, and there are several reduction axes
tests/explain.py#convolution:9:17: block compute of fused_conv2d1_relu: taken by rule rows, with block conv2d
    computes elementwise, axes ssss
    attention: needs 7 consecutive blocks; block 1 (relu) is not a reduction
    inline: relu is a result of the function
    winograd: needs 3 consecutive blocks; block 1 (relu) is not a reduction
    quant: is not a reduction
    int8_gemm: is not a reduction
    int8_conv: is not a reduction
    sliding: is not a reduction
    tile: is not a reduction

# ==== device
# A function of the host cannot be called from a kernel of a device: the CPU runs such functions.
from tvm.script import ir as I, relax as R, tir as T


@I.ir_module
class Module:
    I.module_global_infos({"vdevice": [I.vdevice("opencl", 0, "global")]})

    @T.prim_func(private=True)
    def foreign(a: T.Buffer((8,), "float32"), o: T.Buffer((8,), "float32")):
        for i in range(8):
            with T.block("foreign"):
                vi = T.axis.spatial(8, i)
                o[vi] = T.call_extern("float32", "cosf", a[vi])

    @R.function
    def main(a: R.Tensor((8,), "float32", "opencl:0")):
        o = R.call_tir(Module.foreign, (a,), out_sinfo=R.Tensor((8,), "float32", "opencl:0"))
        return o
# ---- expected
tests/explain.py#device:18:13: o of opencl:0: on the CPU, with copies: T.call_extern: a device cannot call functions of the host
tests/explain.py#device:12:13: block foreign of foreign: as written: the result is a view, or its value has effects

# ==== device_late
# What only the code of threads shows: memory of a thread that is too large, a size that the host does not know.
from tvm.script import ir as I, relax as R, tir as T


@I.ir_module
class Module:
    I.module_global_infos({"vdevice": [I.vdevice("opencl", 0, "global")]})

    @T.prim_func(private=True)
    def large(a: T.Buffer((3,), "float32"), o: T.Buffer((3,), "float32")):
        for i in range(3):
            with T.block("rows"):
                vi = T.axis.spatial(3, i)
                line = T.alloc_buffer((20001,), "float32")
                for k in range(20001):
                    line[k] = a[vi] * T.Cast("float32", k)
                o[vi] = line[7] + line[20000]

    @T.prim_func(private=True)
    def needed(a: T.Buffer((3,), "float32"), o: T.Buffer((3,), "float32")):
        line = T.alloc_buffer((T.Cast("int64", a[0]),), "float32")
        line[0] = a[0]
        for i in range(3):
            with T.block("rows"):
                vi = T.axis.spatial(3, i)
                o[vi] = line[0] + a[vi]

    @R.function
    def main(a: R.Tensor((3,), "float32", "opencl:0")):
        b = R.call_tir(Module.large, (a,), out_sinfo=R.Tensor((3,), "float32", "opencl:0"))
        o = R.call_tir(Module.needed, (b,), out_sinfo=R.Tensor((3,), "float32", "opencl:0"))
        return o
# ---- expected
tests/explain.py#device_late:30:13: b of opencl:0: on the CPU, with copies: temporaries of a thread take 80004 bytes; the limit is 65536
tests/explain.py#device_late:31:13: o of opencl:0: on the CPU, with copies: the size of a temporary is not known before the launch
tests/explain.py#device_late:12:13: block rows of large: as written: the block has allocations, matched regions, annotations or a predicate
tests/explain.py#device_late:22:9: block block of needed: as written: loops around anything but a single block
tests/explain.py#device_late:24:13: block rows of needed: taken by rule rows
    computes elementwise, axes s
    attention: needs 7 consecutive blocks; block 1 (o) is not a reduction
    inline: o is a result of the function
    winograd: needs 3 consecutive blocks; block 1 (o) is not a reduction
    quant: is not a reduction
    int8_gemm: is not a reduction
    int8_conv: is not a reduction
    sliding: is not a reduction
    tile: is not a reduction
