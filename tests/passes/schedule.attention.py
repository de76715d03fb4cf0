# ==== two_heads
# Scores, softmax and weighted values become one loop over blocks of queries, without storing the score matrix.
@I.ir_module
class Module:
    @R.function
    def main(q: R.Tensor((1, "n", 2, 8), "float32"), k: R.Tensor((1, "m", 2, 8), "float32"), v: R.Tensor((1, "m", 2, 4), "float32")):
        n = T.int64()
        m = T.int64()
        o: R.Tensor((1, n, 2, 4), "float32") = R.nn.attention(q, k, v)
        return o
# ---- expected
# from tvm.script import ir as I
# from tvm.script import tir as T
# from tvm.script import relax as R

@I.ir_module
class Module:
    @R.function
    def main(q: R.Tensor((1, "n", 2, 8), dtype="float32"), k: R.Tensor((1, "m", 2, 8), dtype="float32"), v: R.Tensor((1, "m", 2, 4), dtype="float32")) -> R.Tensor((1, "n", 2, 4), dtype="float32"):
        n = T.int64()
        m = T.int64()
        R.func_attr({"relax.force_pure": True})
        cls = Module
        o: R.Tensor((1, n, 2, 4), dtype="float32") = R.builtin.alloc_tensor(R.shape([1, n, 2, 4]), R.dtype("float32"), R.prim_value(0), R.str("global"))
        _: R.Tuple = cls.attention(q, k, v, o)
        return o

    @T.prim_func(private=True)
    def attention(var_q: T.handle, var_k: T.handle, var_v: T.handle, var_T_attention: T.handle):
        T.func_attr({"op_pattern": 8, "tir.noalias": T.bool(True)})
        n = T.int64()
        m = T.int64()
        q = T.match_buffer(var_q, (T.int64(1), n, T.int64(2), T.int64(8)))
        k = T.match_buffer(var_k, (T.int64(1), m, T.int64(2), T.int64(8)))
        v = T.match_buffer(var_v, (T.int64(1), m, T.int64(2), T.int64(4)))
        T_attention = T.match_buffer(var_T_attention, (T.int64(1), n, T.int64(2), T.int64(4)))
        with T.block("root"):
            with T.block("attention"):
                for block in T.parallel(T.int64(2) * (n // T.int64(16)), annotations={"rlx.alike": 1}):
                    qt = T.allocate([T.int64(8), T.int64(16)], "float32", "global")
                    qt_1 = T.decl_buffer((T.int64(8), T.int64(16)), data=qt)
                    st = T.allocate([T.int64(48), T.int64(16)], "float32", "global")
                    st_1 = T.decl_buffer((T.int64(48), T.int64(16)), data=st)
                    ot = T.allocate([T.int64(4), T.int64(16)], "float32", "global")
                    ot_1 = T.decl_buffer((T.int64(4), T.int64(16)), data=ot)
                    acc = T.allocate([T.int64(96)], "float32", "global")
                    acc_1 = T.decl_buffer((T.int64(96),), data=acc)
                    largest = T.allocate([T.int64(16)], "float32", "global")
                    largest_1 = T.decl_buffer((T.int64(16),), data=largest)
                    sum = T.allocate([T.int64(16)], "float32", "global")
                    sum_1 = T.decl_buffer((T.int64(16),), data=sum)
                    correction = T.allocate([T.int64(16)], "float32", "global")
                    correction_1 = T.decl_buffer((T.int64(16),), data=correction)
                    inverse = T.allocate([T.int64(16)], "float32", "global")
                    inverse_1 = T.decl_buffer((T.int64(16),), data=inverse)
                    batch: T.int64 = block // (T.int64(2) * (n // T.int64(16)))
                    head: T.int64 = block // (n // T.int64(16)) % T.int64(2)
                    query: T.int64 = block % (n // T.int64(16)) * T.int64(16)
                    with T.block("queries"):
                        for block_1, block_2, i, j in T.grid(T.int64(2), T.int64(1), T.int64(1), T.int64(1)):
                            rows = T.allocate([T.int64(64)], "float32", "global")
                            rows_1 = T.decl_buffer((T.int64(64),), data=rows)
                            for l in T.vectorized(T.int64(8)):
                                rows_1[l] = q[T.int64(0), query + (block_1 * T.int64(8) + j * T.int64(8)), head, block_2 * T.int64(8) + (i * T.int64(8) + l)] * T.float32(0.3535533845424652)
                            r: T.float32x8 = rows_1[T.Ramp(T.int64(0), T.int64(1), 8)]
                            for l in T.vectorized(T.int64(8)):
                                rows_1[T.int64(8) + l] = q[T.int64(0), query + (block_1 * T.int64(8) + (j * T.int64(8) + T.int64(1))), head, block_2 * T.int64(8) + (i * T.int64(8) + l)] * T.float32(0.3535533845424652)
                            r_1: T.float32x8 = rows_1[T.Ramp(T.int64(8), T.int64(1), 8)]
                            for l in T.vectorized(T.int64(8)):
                                rows_1[T.int64(16) + l] = q[T.int64(0), query + (block_1 * T.int64(8) + (j * T.int64(8) + T.int64(2))), head, block_2 * T.int64(8) + (i * T.int64(8) + l)] * T.float32(0.3535533845424652)
                            r_2: T.float32x8 = rows_1[T.Ramp(T.int64(16), T.int64(1), 8)]
                            for l in T.vectorized(T.int64(8)):
                                rows_1[T.int64(24) + l] = q[T.int64(0), query + (block_1 * T.int64(8) + (j * T.int64(8) + T.int64(3))), head, block_2 * T.int64(8) + (i * T.int64(8) + l)] * T.float32(0.3535533845424652)
                            r_3: T.float32x8 = rows_1[T.Ramp(T.int64(24), T.int64(1), 8)]
                            for l in T.vectorized(T.int64(8)):
                                rows_1[T.int64(32) + l] = q[T.int64(0), query + (block_1 * T.int64(8) + (j * T.int64(8) + T.int64(4))), head, block_2 * T.int64(8) + (i * T.int64(8) + l)] * T.float32(0.3535533845424652)
                            r_4: T.float32x8 = rows_1[T.Ramp(T.int64(32), T.int64(1), 8)]
                            for l in T.vectorized(T.int64(8)):
                                rows_1[T.int64(40) + l] = q[T.int64(0), query + (block_1 * T.int64(8) + (j * T.int64(8) + T.int64(5))), head, block_2 * T.int64(8) + (i * T.int64(8) + l)] * T.float32(0.3535533845424652)
                            r_5: T.float32x8 = rows_1[T.Ramp(T.int64(40), T.int64(1), 8)]
                            for l in T.vectorized(T.int64(8)):
                                rows_1[T.int64(48) + l] = q[T.int64(0), query + (block_1 * T.int64(8) + (j * T.int64(8) + T.int64(6))), head, block_2 * T.int64(8) + (i * T.int64(8) + l)] * T.float32(0.3535533845424652)
                            r_6: T.float32x8 = rows_1[T.Ramp(T.int64(48), T.int64(1), 8)]
                            for l in T.vectorized(T.int64(8)):
                                rows_1[T.int64(56) + l] = q[T.int64(0), query + (block_1 * T.int64(8) + (j * T.int64(8) + T.int64(7))), head, block_2 * T.int64(8) + (i * T.int64(8) + l)] * T.float32(0.3535533845424652)
                            r_7: T.float32x8 = rows_1[T.Ramp(T.int64(56), T.int64(1), 8)]
                            r_8: T.float32x8 = T.Shuffle([r, r_4], [0, 1, 2, 3, 8, 9, 10, 11])
                            r_9: T.float32x8 = T.Shuffle([r, r_4], [4, 5, 6, 7, 12, 13, 14, 15])
                            r_10: T.float32x8 = T.Shuffle([r_1, r_5], [0, 1, 2, 3, 8, 9, 10, 11])
                            r_11: T.float32x8 = T.Shuffle([r_1, r_5], [4, 5, 6, 7, 12, 13, 14, 15])
                            r_12: T.float32x8 = T.Shuffle([r_2, r_6], [0, 1, 2, 3, 8, 9, 10, 11])
                            r_13: T.float32x8 = T.Shuffle([r_2, r_6], [4, 5, 6, 7, 12, 13, 14, 15])
                            r_14: T.float32x8 = T.Shuffle([r_3, r_7], [0, 1, 2, 3, 8, 9, 10, 11])
                            r_15: T.float32x8 = T.Shuffle([r_3, r_7], [4, 5, 6, 7, 12, 13, 14, 15])
                            r_16: T.float32x8 = T.Shuffle([r_8, r_12], [0, 1, 8, 9, 4, 5, 12, 13])
                            r_17: T.float32x8 = T.Shuffle([r_8, r_12], [2, 3, 10, 11, 6, 7, 14, 15])
                            r_18: T.float32x8 = T.Shuffle([r_10, r_14], [0, 1, 8, 9, 4, 5, 12, 13])
                            r_19: T.float32x8 = T.Shuffle([r_10, r_14], [2, 3, 10, 11, 6, 7, 14, 15])
                            r_20: T.float32x8 = T.Shuffle([r_9, r_13], [0, 1, 8, 9, 4, 5, 12, 13])
                            r_21: T.float32x8 = T.Shuffle([r_9, r_13], [2, 3, 10, 11, 6, 7, 14, 15])
                            r_22: T.float32x8 = T.Shuffle([r_11, r_15], [0, 1, 8, 9, 4, 5, 12, 13])
                            r_23: T.float32x8 = T.Shuffle([r_11, r_15], [2, 3, 10, 11, 6, 7, 14, 15])
                            r_24: T.float32x8 = T.Shuffle([r_16, r_18], [0, 8, 2, 10, 4, 12, 6, 14])
                            r_25: T.float32x8 = T.Shuffle([r_16, r_18], [1, 9, 3, 11, 5, 13, 7, 15])
                            r_26: T.float32x8 = T.Shuffle([r_17, r_19], [0, 8, 2, 10, 4, 12, 6, 14])
                            r_27: T.float32x8 = T.Shuffle([r_17, r_19], [1, 9, 3, 11, 5, 13, 7, 15])
                            r_28: T.float32x8 = T.Shuffle([r_20, r_22], [0, 8, 2, 10, 4, 12, 6, 14])
                            r_29: T.float32x8 = T.Shuffle([r_20, r_22], [1, 9, 3, 11, 5, 13, 7, 15])
                            r_30: T.float32x8 = T.Shuffle([r_21, r_23], [0, 8, 2, 10, 4, 12, 6, 14])
                            r_31: T.float32x8 = T.Shuffle([r_21, r_23], [1, 9, 3, 11, 5, 13, 7, 15])
                            qt_1[block_2 * T.int64(8) + i * T.int64(8), T.Ramp(block_1 * T.int64(8) + j * T.int64(8), T.int64(1), 8)] = r_24
                            qt_1[block_2 * T.int64(8) + i * T.int64(8) + T.int64(1), T.Ramp(block_1 * T.int64(8) + j * T.int64(8), T.int64(1), 8)] = r_25
                            qt_1[block_2 * T.int64(8) + i * T.int64(8) + T.int64(2), T.Ramp(block_1 * T.int64(8) + j * T.int64(8), T.int64(1), 8)] = r_26
                            qt_1[block_2 * T.int64(8) + i * T.int64(8) + T.int64(3), T.Ramp(block_1 * T.int64(8) + j * T.int64(8), T.int64(1), 8)] = r_27
                            qt_1[block_2 * T.int64(8) + i * T.int64(8) + T.int64(4), T.Ramp(block_1 * T.int64(8) + j * T.int64(8), T.int64(1), 8)] = r_28
                            qt_1[block_2 * T.int64(8) + i * T.int64(8) + T.int64(5), T.Ramp(block_1 * T.int64(8) + j * T.int64(8), T.int64(1), 8)] = r_29
                            qt_1[block_2 * T.int64(8) + i * T.int64(8) + T.int64(6), T.Ramp(block_1 * T.int64(8) + j * T.int64(8), T.int64(1), 8)] = r_30
                            qt_1[block_2 * T.int64(8) + i * T.int64(8) + T.int64(7), T.Ramp(block_1 * T.int64(8) + j * T.int64(8), T.int64(1), 8)] = r_31
                        for row in range(T.int64(4)):
                            for v_1 in T.unroll(T.int64(2)):
                                for l in T.vectorized(T.int64(8)):
                                    ot_1[row, v_1 * T.int64(8) + l] = T.float32(0.0)
                        for v_2 in T.unroll(T.int64(2)):
                            for l in T.vectorized(T.int64(8)):
                                largest_1[v_2 * T.int64(8) + l] = T.float32(-3.4028234663852886e+38)
                                sum_1[v_2 * T.int64(8) + l] = T.float32(0.0)
                    for block_3 in range((m + T.int64(47)) // T.int64(48)):
                        with T.block("scores"):
                            for v_3 in T.unroll(T.int64(2)):
                                for l in T.vectorized(T.int64(8)):
                                    correction_1[v_3 * T.int64(8) + l] = largest_1[v_3 * T.int64(8) + l]
                            for tile in range(T.min(m - block_3 * T.int64(48), T.int64(48)) // T.int64(6)):
                                for m_1 in T.unroll(T.int64(6)):
                                    for v_4 in T.unroll(T.int64(2)):
                                        for l in T.vectorized(T.int64(8)):
                                            acc_1[m_1 * T.int64(16) + (v_4 * T.int64(8) + l)] = T.float32(0.0)
                                for d in range(T.int64(8)):
                                    for m_2 in T.unroll(T.int64(6)):
                                        for v_5 in T.unroll(T.int64(2)):
                                            for l in T.vectorized(T.int64(8)):
                                                acc_1[m_2 * T.int64(16) + (v_5 * T.int64(8) + l)] = acc_1[m_2 * T.int64(16) + (v_5 * T.int64(8) + l)] + k[T.int64(0), block_3 * T.int64(48) + (tile * T.int64(6) + m_2), head, d] * qt_1[d, v_5 * T.int64(8) + l]
                                for m_3 in T.unroll(T.int64(6)):
                                    for v_6 in T.unroll(T.int64(2)):
                                        for l in T.vectorized(T.int64(8)):
                                            acc_1[m_3 * T.int64(16) + (v_6 * T.int64(8) + l)] = acc_1[m_3 * T.int64(16) + (v_6 * T.int64(8) + l)]
                                    for v_7 in T.unroll(T.int64(2)):
                                        for l in T.vectorized(T.int64(8)):
                                            largest_1[v_7 * T.int64(8) + l] = T.Select(largest_1[v_7 * T.int64(8) + l] < acc_1[m_3 * T.int64(16) + (v_7 * T.int64(8) + l)], acc_1[m_3 * T.int64(16) + (v_7 * T.int64(8) + l)], largest_1[v_7 * T.int64(8) + l])
                                    for v_8 in T.unroll(T.int64(2)):
                                        for l in T.vectorized(T.int64(8)):
                                            st_1[tile * T.int64(6) + m_3, v_8 * T.int64(8) + l] = acc_1[m_3 * T.int64(16) + (v_8 * T.int64(8) + l)]
                            for tile in range(T.min(m - block_3 * T.int64(48), T.int64(48)) % T.int64(6) // T.int64(2)):
                                for m_4 in T.unroll(T.int64(2)):
                                    for v_9 in T.unroll(T.int64(2)):
                                        for l in T.vectorized(T.int64(8)):
                                            acc_1[m_4 * T.int64(16) + (v_9 * T.int64(8) + l)] = T.float32(0.0)
                                for d in range(T.int64(8)):
                                    for m_5 in T.unroll(T.int64(2)):
                                        for v_10 in T.unroll(T.int64(2)):
                                            for l in T.vectorized(T.int64(8)):
                                                acc_1[m_5 * T.int64(16) + (v_10 * T.int64(8) + l)] = acc_1[m_5 * T.int64(16) + (v_10 * T.int64(8) + l)] + k[T.int64(0), block_3 * T.int64(48) + (T.min(m - block_3 * T.int64(48), T.int64(48)) // T.int64(6) * T.int64(6) + tile * T.int64(2) + m_5), head, d] * qt_1[d, v_10 * T.int64(8) + l]
                                for m_6 in T.unroll(T.int64(2)):
                                    for v_11 in T.unroll(T.int64(2)):
                                        for l in T.vectorized(T.int64(8)):
                                            acc_1[m_6 * T.int64(16) + (v_11 * T.int64(8) + l)] = acc_1[m_6 * T.int64(16) + (v_11 * T.int64(8) + l)]
                                    for v_12 in T.unroll(T.int64(2)):
                                        for l in T.vectorized(T.int64(8)):
                                            largest_1[v_12 * T.int64(8) + l] = T.Select(largest_1[v_12 * T.int64(8) + l] < acc_1[m_6 * T.int64(16) + (v_12 * T.int64(8) + l)], acc_1[m_6 * T.int64(16) + (v_12 * T.int64(8) + l)], largest_1[v_12 * T.int64(8) + l])
                                    for v_13 in T.unroll(T.int64(2)):
                                        for l in T.vectorized(T.int64(8)):
                                            st_1[T.min(m - block_3 * T.int64(48), T.int64(48)) // T.int64(6) * T.int64(6) + tile * T.int64(2) + m_6, v_13 * T.int64(8) + l] = acc_1[m_6 * T.int64(16) + (v_13 * T.int64(8) + l)]
                            for tile in range(T.min(m - block_3 * T.int64(48), T.int64(48)) % T.int64(6) % T.int64(2)):
                                for m_7 in T.unroll(T.int64(1)):
                                    for v_14 in T.unroll(T.int64(2)):
                                        for l in T.vectorized(T.int64(8)):
                                            acc_1[m_7 * T.int64(16) + (v_14 * T.int64(8) + l)] = T.float32(0.0)
                                for d in range(T.int64(8)):
                                    for m_8 in T.unroll(T.int64(1)):
                                        for v_15 in T.unroll(T.int64(2)):
                                            for l in T.vectorized(T.int64(8)):
                                                acc_1[m_8 * T.int64(16) + (v_15 * T.int64(8) + l)] = acc_1[m_8 * T.int64(16) + (v_15 * T.int64(8) + l)] + k[T.int64(0), block_3 * T.int64(48) + (T.min(m - block_3 * T.int64(48), T.int64(48)) // T.int64(6) * T.int64(6) + T.min(m - block_3 * T.int64(48), T.int64(48)) % T.int64(6) // T.int64(2) * T.int64(2) + tile + m_8), head, d] * qt_1[d, v_15 * T.int64(8) + l]
                                for m_9 in T.unroll(T.int64(1)):
                                    for v_16 in T.unroll(T.int64(2)):
                                        for l in T.vectorized(T.int64(8)):
                                            acc_1[m_9 * T.int64(16) + (v_16 * T.int64(8) + l)] = acc_1[m_9 * T.int64(16) + (v_16 * T.int64(8) + l)]
                                    for v_17 in T.unroll(T.int64(2)):
                                        for l in T.vectorized(T.int64(8)):
                                            largest_1[v_17 * T.int64(8) + l] = T.Select(largest_1[v_17 * T.int64(8) + l] < acc_1[m_9 * T.int64(16) + (v_17 * T.int64(8) + l)], acc_1[m_9 * T.int64(16) + (v_17 * T.int64(8) + l)], largest_1[v_17 * T.int64(8) + l])
                                    for v_18 in T.unroll(T.int64(2)):
                                        for l in T.vectorized(T.int64(8)):
                                            st_1[T.min(m - block_3 * T.int64(48), T.int64(48)) // T.int64(6) * T.int64(6) + T.min(m - block_3 * T.int64(48), T.int64(48)) % T.int64(6) // T.int64(2) * T.int64(2) + tile + m_9, v_18 * T.int64(8) + l] = acc_1[m_9 * T.int64(16) + (v_18 * T.int64(8) + l)]
                        with T.block("weights"):
                            for v_19 in T.unroll(T.int64(2)):
                                for l in T.vectorized(T.int64(8)):
                                    correction_1[v_19 * T.int64(8) + l] = T.exp_nonpositive(correction_1[v_19 * T.int64(8) + l] - largest_1[v_19 * T.int64(8) + l])
                            for v_20 in T.unroll(T.int64(2)):
                                for l in T.vectorized(T.int64(8)):
                                    sum_1[v_20 * T.int64(8) + l] = sum_1[v_20 * T.int64(8) + l] * correction_1[v_20 * T.int64(8) + l]
                            for j in range(T.min(m - block_3 * T.int64(48), T.int64(48))):
                                for v_21 in T.unroll(T.int64(2)):
                                    for l in T.vectorized(T.int64(8)):
                                        st_1[j, v_21 * T.int64(8) + l] = T.exp_nonpositive(st_1[j, v_21 * T.int64(8) + l] - largest_1[v_21 * T.int64(8) + l])
                                for v_22 in T.unroll(T.int64(2)):
                                    for l in T.vectorized(T.int64(8)):
                                        sum_1[v_22 * T.int64(8) + l] = sum_1[v_22 * T.int64(8) + l] + st_1[j, v_22 * T.int64(8) + l]
                        with T.block("values"):
                            for m_10 in T.unroll(T.int64(4)):
                                for v_23 in T.unroll(T.int64(2)):
                                    for l in T.vectorized(T.int64(8)):
                                        acc_1[m_10 * T.int64(16) + (v_23 * T.int64(8) + l)] = ot_1[m_10, v_23 * T.int64(8) + l] * correction_1[v_23 * T.int64(8) + l]
                            for j in range(T.min(m - block_3 * T.int64(48), T.int64(48))):
                                for m_11 in T.unroll(T.int64(4)):
                                    for v_24 in T.unroll(T.int64(2)):
                                        for l in T.vectorized(T.int64(8)):
                                            acc_1[m_11 * T.int64(16) + (v_24 * T.int64(8) + l)] = acc_1[m_11 * T.int64(16) + (v_24 * T.int64(8) + l)] + v[T.int64(0), block_3 * T.int64(48) + j, head, m_11] * st_1[j, v_24 * T.int64(8) + l]
                            for m_12 in T.unroll(T.int64(4)):
                                for v_25 in T.unroll(T.int64(2)):
                                    for l in T.vectorized(T.int64(8)):
                                        ot_1[m_12, v_25 * T.int64(8) + l] = acc_1[m_12 * T.int64(16) + (v_25 * T.int64(8) + l)]
                    with T.block("write"):
                        for v_26 in T.unroll(T.int64(2)):
                            for l in T.vectorized(T.int64(8)):
                                inverse_1[v_26 * T.int64(8) + l] = T.float32(1.0) / sum_1[v_26 * T.int64(8) + l]
                        for i, e in T.grid(T.int64(16), T.int64(4)):
                            T_attention[T.int64(0), query + i, head, e] = T.Select(m > T.int64(0), ot_1[e, i] * inverse_1[i], T.float32(0.0))
                for block in T.parallel(T.int64(2) * ((n % T.int64(16) - T.Select(n % T.int64(16) % T.int64(8) <= T.int64(3), n % T.int64(16) % T.int64(8), T.int64(0)) + T.int64(7)) // T.int64(8)), annotations={"rlx.alike": 1}):
                    qt = T.allocate([T.int64(8), T.int64(8)], "float32", "global")
                    qt_2 = T.decl_buffer((T.int64(8), T.int64(8)), data=qt)
                    st = T.allocate([T.int64(48), T.int64(8)], "float32", "global")
                    st_2 = T.decl_buffer((T.int64(48), T.int64(8)), data=st)
                    ot = T.allocate([T.int64(4), T.int64(8)], "float32", "global")
                    ot_2 = T.decl_buffer((T.int64(4), T.int64(8)), data=ot)
                    acc = T.allocate([T.int64(64)], "float32", "global")
                    acc_2 = T.decl_buffer((T.int64(64),), data=acc)
                    largest = T.allocate([T.int64(8)], "float32", "global")
                    largest_2 = T.decl_buffer((T.int64(8),), data=largest)
                    sum = T.allocate([T.int64(8)], "float32", "global")
                    sum_2 = T.decl_buffer((T.int64(8),), data=sum)
                    correction = T.allocate([T.int64(8)], "float32", "global")
                    correction_2 = T.decl_buffer((T.int64(8),), data=correction)
                    inverse = T.allocate([T.int64(8)], "float32", "global")
                    inverse_2 = T.decl_buffer((T.int64(8),), data=inverse)
                    batch: T.int64 = block // (T.int64(2) * ((n % T.int64(16) - T.Select(n % T.int64(16) % T.int64(8) <= T.int64(3), n % T.int64(16) % T.int64(8), T.int64(0)) + T.int64(7)) // T.int64(8)))
                    head: T.int64 = block // ((n % T.int64(16) - T.Select(n % T.int64(16) % T.int64(8) <= T.int64(3), n % T.int64(16) % T.int64(8), T.int64(0)) + T.int64(7)) // T.int64(8)) % T.int64(2)
                    query: T.int64 = n // T.int64(16) * T.int64(16) + block % ((n % T.int64(16) - T.Select(n % T.int64(16) % T.int64(8) <= T.int64(3), n % T.int64(16) % T.int64(8), T.int64(0)) + T.int64(7)) // T.int64(8)) * T.int64(8)
                    with T.block("queries"):
                        for row in range(T.int64(8)):
                            for v_27 in T.unroll(T.int64(1)):
                                for l in T.vectorized(T.int64(8)):
                                    qt_2[row, v_27 * T.int64(8) + l] = T.float32(0.0)
                        for block_4, block_5 in T.grid((T.min(T.int64(8), n - query) + T.int64(7)) // T.int64(8), T.int64(1)):
                            if T.min(T.min(n - query, T.int64(8)) - block_4 * T.int64(8), T.int64(8)) == T.int64(8):
                                for i, j in T.grid(T.int64(1), T.int64(1)):
                                    rows = T.allocate([T.int64(64)], "float32", "global")
                                    rows_2 = T.decl_buffer((T.int64(64),), data=rows)
                                    for l in T.vectorized(T.int64(8)):
                                        rows_2[l] = q[T.int64(0), query + (block_4 * T.int64(8) + j * T.int64(8)), head, block_5 * T.int64(8) + (i * T.int64(8) + l)] * T.float32(0.3535533845424652)
                                    r: T.float32x8 = rows_2[T.Ramp(T.int64(0), T.int64(1), 8)]
                                    for l in T.vectorized(T.int64(8)):
                                        rows_2[T.int64(8) + l] = q[T.int64(0), query + (block_4 * T.int64(8) + (j * T.int64(8) + T.int64(1))), head, block_5 * T.int64(8) + (i * T.int64(8) + l)] * T.float32(0.3535533845424652)
                                    r_32: T.float32x8 = rows_2[T.Ramp(T.int64(8), T.int64(1), 8)]
                                    for l in T.vectorized(T.int64(8)):
                                        rows_2[T.int64(16) + l] = q[T.int64(0), query + (block_4 * T.int64(8) + (j * T.int64(8) + T.int64(2))), head, block_5 * T.int64(8) + (i * T.int64(8) + l)] * T.float32(0.3535533845424652)
                                    r_33: T.float32x8 = rows_2[T.Ramp(T.int64(16), T.int64(1), 8)]
                                    for l in T.vectorized(T.int64(8)):
                                        rows_2[T.int64(24) + l] = q[T.int64(0), query + (block_4 * T.int64(8) + (j * T.int64(8) + T.int64(3))), head, block_5 * T.int64(8) + (i * T.int64(8) + l)] * T.float32(0.3535533845424652)
                                    r_34: T.float32x8 = rows_2[T.Ramp(T.int64(24), T.int64(1), 8)]
                                    for l in T.vectorized(T.int64(8)):
                                        rows_2[T.int64(32) + l] = q[T.int64(0), query + (block_4 * T.int64(8) + (j * T.int64(8) + T.int64(4))), head, block_5 * T.int64(8) + (i * T.int64(8) + l)] * T.float32(0.3535533845424652)
                                    r_35: T.float32x8 = rows_2[T.Ramp(T.int64(32), T.int64(1), 8)]
                                    for l in T.vectorized(T.int64(8)):
                                        rows_2[T.int64(40) + l] = q[T.int64(0), query + (block_4 * T.int64(8) + (j * T.int64(8) + T.int64(5))), head, block_5 * T.int64(8) + (i * T.int64(8) + l)] * T.float32(0.3535533845424652)
                                    r_36: T.float32x8 = rows_2[T.Ramp(T.int64(40), T.int64(1), 8)]
                                    for l in T.vectorized(T.int64(8)):
                                        rows_2[T.int64(48) + l] = q[T.int64(0), query + (block_4 * T.int64(8) + (j * T.int64(8) + T.int64(6))), head, block_5 * T.int64(8) + (i * T.int64(8) + l)] * T.float32(0.3535533845424652)
                                    r_37: T.float32x8 = rows_2[T.Ramp(T.int64(48), T.int64(1), 8)]
                                    for l in T.vectorized(T.int64(8)):
                                        rows_2[T.int64(56) + l] = q[T.int64(0), query + (block_4 * T.int64(8) + (j * T.int64(8) + T.int64(7))), head, block_5 * T.int64(8) + (i * T.int64(8) + l)] * T.float32(0.3535533845424652)
                                    r_38: T.float32x8 = rows_2[T.Ramp(T.int64(56), T.int64(1), 8)]
                                    r_39: T.float32x8 = T.Shuffle([r, r_35], [0, 1, 2, 3, 8, 9, 10, 11])
                                    r_40: T.float32x8 = T.Shuffle([r, r_35], [4, 5, 6, 7, 12, 13, 14, 15])
                                    r_41: T.float32x8 = T.Shuffle([r_32, r_36], [0, 1, 2, 3, 8, 9, 10, 11])
                                    r_42: T.float32x8 = T.Shuffle([r_32, r_36], [4, 5, 6, 7, 12, 13, 14, 15])
                                    r_43: T.float32x8 = T.Shuffle([r_33, r_37], [0, 1, 2, 3, 8, 9, 10, 11])
                                    r_44: T.float32x8 = T.Shuffle([r_33, r_37], [4, 5, 6, 7, 12, 13, 14, 15])
                                    r_45: T.float32x8 = T.Shuffle([r_34, r_38], [0, 1, 2, 3, 8, 9, 10, 11])
                                    r_46: T.float32x8 = T.Shuffle([r_34, r_38], [4, 5, 6, 7, 12, 13, 14, 15])
                                    r_47: T.float32x8 = T.Shuffle([r_39, r_43], [0, 1, 8, 9, 4, 5, 12, 13])
                                    r_48: T.float32x8 = T.Shuffle([r_39, r_43], [2, 3, 10, 11, 6, 7, 14, 15])
                                    r_49: T.float32x8 = T.Shuffle([r_41, r_45], [0, 1, 8, 9, 4, 5, 12, 13])
                                    r_50: T.float32x8 = T.Shuffle([r_41, r_45], [2, 3, 10, 11, 6, 7, 14, 15])
                                    r_51: T.float32x8 = T.Shuffle([r_40, r_44], [0, 1, 8, 9, 4, 5, 12, 13])
                                    r_52: T.float32x8 = T.Shuffle([r_40, r_44], [2, 3, 10, 11, 6, 7, 14, 15])
                                    r_53: T.float32x8 = T.Shuffle([r_42, r_46], [0, 1, 8, 9, 4, 5, 12, 13])
                                    r_54: T.float32x8 = T.Shuffle([r_42, r_46], [2, 3, 10, 11, 6, 7, 14, 15])
                                    r_55: T.float32x8 = T.Shuffle([r_47, r_49], [0, 8, 2, 10, 4, 12, 6, 14])
                                    r_56: T.float32x8 = T.Shuffle([r_47, r_49], [1, 9, 3, 11, 5, 13, 7, 15])
                                    r_57: T.float32x8 = T.Shuffle([r_48, r_50], [0, 8, 2, 10, 4, 12, 6, 14])
                                    r_58: T.float32x8 = T.Shuffle([r_48, r_50], [1, 9, 3, 11, 5, 13, 7, 15])
                                    r_59: T.float32x8 = T.Shuffle([r_51, r_53], [0, 8, 2, 10, 4, 12, 6, 14])
                                    r_60: T.float32x8 = T.Shuffle([r_51, r_53], [1, 9, 3, 11, 5, 13, 7, 15])
                                    r_61: T.float32x8 = T.Shuffle([r_52, r_54], [0, 8, 2, 10, 4, 12, 6, 14])
                                    r_62: T.float32x8 = T.Shuffle([r_52, r_54], [1, 9, 3, 11, 5, 13, 7, 15])
                                    qt_2[block_5 * T.int64(8) + i * T.int64(8), T.Ramp(block_4 * T.int64(8) + j * T.int64(8), T.int64(1), 8)] = r_55
                                    qt_2[block_5 * T.int64(8) + i * T.int64(8) + T.int64(1), T.Ramp(block_4 * T.int64(8) + j * T.int64(8), T.int64(1), 8)] = r_56
                                    qt_2[block_5 * T.int64(8) + i * T.int64(8) + T.int64(2), T.Ramp(block_4 * T.int64(8) + j * T.int64(8), T.int64(1), 8)] = r_57
                                    qt_2[block_5 * T.int64(8) + i * T.int64(8) + T.int64(3), T.Ramp(block_4 * T.int64(8) + j * T.int64(8), T.int64(1), 8)] = r_58
                                    qt_2[block_5 * T.int64(8) + i * T.int64(8) + T.int64(4), T.Ramp(block_4 * T.int64(8) + j * T.int64(8), T.int64(1), 8)] = r_59
                                    qt_2[block_5 * T.int64(8) + i * T.int64(8) + T.int64(5), T.Ramp(block_4 * T.int64(8) + j * T.int64(8), T.int64(1), 8)] = r_60
                                    qt_2[block_5 * T.int64(8) + i * T.int64(8) + T.int64(6), T.Ramp(block_4 * T.int64(8) + j * T.int64(8), T.int64(1), 8)] = r_61
                                    qt_2[block_5 * T.int64(8) + i * T.int64(8) + T.int64(7), T.Ramp(block_4 * T.int64(8) + j * T.int64(8), T.int64(1), 8)] = r_62
                            else:
                                for i, i_1 in T.grid(T.min(T.min(T.int64(8), n - query) - block_4 * T.int64(8), T.int64(8)), T.int64(8)):
                                    qt_2[block_5 * T.int64(8) + i_1, block_4 * T.int64(8) + i] = q[T.int64(0), query + (block_4 * T.int64(8) + i), head, block_5 * T.int64(8) + i_1] * T.float32(0.3535533845424652)
                        for row in range(T.int64(4)):
                            for v_28 in T.unroll(T.int64(1)):
                                for l in T.vectorized(T.int64(8)):
                                    ot_2[row, v_28 * T.int64(8) + l] = T.float32(0.0)
                        for v_29 in T.unroll(T.int64(1)):
                            for l in T.vectorized(T.int64(8)):
                                largest_2[v_29 * T.int64(8) + l] = T.float32(-3.4028234663852886e+38)
                                sum_2[v_29 * T.int64(8) + l] = T.float32(0.0)
                    for block_6 in range((m + T.int64(47)) // T.int64(48)):
                        with T.block("scores"):
                            for v_30 in T.unroll(T.int64(1)):
                                for l in T.vectorized(T.int64(8)):
                                    correction_2[v_30 * T.int64(8) + l] = largest_2[v_30 * T.int64(8) + l]
                            for tile in range(T.min(m - block_6 * T.int64(48), T.int64(48)) // T.int64(8)):
                                for m_13 in T.unroll(T.int64(8)):
                                    for v_31 in T.unroll(T.int64(1)):
                                        for l in T.vectorized(T.int64(8)):
                                            acc_2[m_13 * T.int64(8) + (v_31 * T.int64(8) + l)] = T.float32(0.0)
                                for d in range(T.int64(8)):
                                    for m_14 in T.unroll(T.int64(8)):
                                        for v_32 in T.unroll(T.int64(1)):
                                            for l in T.vectorized(T.int64(8)):
                                                acc_2[m_14 * T.int64(8) + (v_32 * T.int64(8) + l)] = acc_2[m_14 * T.int64(8) + (v_32 * T.int64(8) + l)] + k[T.int64(0), block_6 * T.int64(48) + (tile * T.int64(8) + m_14), head, d] * qt_2[d, v_32 * T.int64(8) + l]
                                for m_15 in T.unroll(T.int64(8)):
                                    for v_33 in T.unroll(T.int64(1)):
                                        for l in T.vectorized(T.int64(8)):
                                            acc_2[m_15 * T.int64(8) + (v_33 * T.int64(8) + l)] = acc_2[m_15 * T.int64(8) + (v_33 * T.int64(8) + l)]
                                    for v_34 in T.unroll(T.int64(1)):
                                        for l in T.vectorized(T.int64(8)):
                                            largest_2[v_34 * T.int64(8) + l] = T.Select(largest_2[v_34 * T.int64(8) + l] < acc_2[m_15 * T.int64(8) + (v_34 * T.int64(8) + l)], acc_2[m_15 * T.int64(8) + (v_34 * T.int64(8) + l)], largest_2[v_34 * T.int64(8) + l])
                                    for v_35 in T.unroll(T.int64(1)):
                                        for l in T.vectorized(T.int64(8)):
                                            st_2[tile * T.int64(8) + m_15, v_35 * T.int64(8) + l] = acc_2[m_15 * T.int64(8) + (v_35 * T.int64(8) + l)]
                            for tile in range(T.min(m - block_6 * T.int64(48), T.int64(48)) % T.int64(8) // T.int64(4)):
                                for m_16 in T.unroll(T.int64(4)):
                                    for v_36 in T.unroll(T.int64(1)):
                                        for l in T.vectorized(T.int64(8)):
                                            acc_2[m_16 * T.int64(8) + (v_36 * T.int64(8) + l)] = T.float32(0.0)
                                for d in range(T.int64(8)):
                                    for m_17 in T.unroll(T.int64(4)):
                                        for v_37 in T.unroll(T.int64(1)):
                                            for l in T.vectorized(T.int64(8)):
                                                acc_2[m_17 * T.int64(8) + (v_37 * T.int64(8) + l)] = acc_2[m_17 * T.int64(8) + (v_37 * T.int64(8) + l)] + k[T.int64(0), block_6 * T.int64(48) + (T.min(m - block_6 * T.int64(48), T.int64(48)) // T.int64(8) * T.int64(8) + tile * T.int64(4) + m_17), head, d] * qt_2[d, v_37 * T.int64(8) + l]
                                for m_18 in T.unroll(T.int64(4)):
                                    for v_38 in T.unroll(T.int64(1)):
                                        for l in T.vectorized(T.int64(8)):
                                            acc_2[m_18 * T.int64(8) + (v_38 * T.int64(8) + l)] = acc_2[m_18 * T.int64(8) + (v_38 * T.int64(8) + l)]
                                    for v_39 in T.unroll(T.int64(1)):
                                        for l in T.vectorized(T.int64(8)):
                                            largest_2[v_39 * T.int64(8) + l] = T.Select(largest_2[v_39 * T.int64(8) + l] < acc_2[m_18 * T.int64(8) + (v_39 * T.int64(8) + l)], acc_2[m_18 * T.int64(8) + (v_39 * T.int64(8) + l)], largest_2[v_39 * T.int64(8) + l])
                                    for v_40 in T.unroll(T.int64(1)):
                                        for l in T.vectorized(T.int64(8)):
                                            st_2[T.min(m - block_6 * T.int64(48), T.int64(48)) // T.int64(8) * T.int64(8) + tile * T.int64(4) + m_18, v_40 * T.int64(8) + l] = acc_2[m_18 * T.int64(8) + (v_40 * T.int64(8) + l)]
                            for tile in range(T.min(m - block_6 * T.int64(48), T.int64(48)) % T.int64(8) % T.int64(4) // T.int64(2)):
                                for m_19 in T.unroll(T.int64(2)):
                                    for v_41 in T.unroll(T.int64(1)):
                                        for l in T.vectorized(T.int64(8)):
                                            acc_2[m_19 * T.int64(8) + (v_41 * T.int64(8) + l)] = T.float32(0.0)
                                for d in range(T.int64(8)):
                                    for m_20 in T.unroll(T.int64(2)):
                                        for v_42 in T.unroll(T.int64(1)):
                                            for l in T.vectorized(T.int64(8)):
                                                acc_2[m_20 * T.int64(8) + (v_42 * T.int64(8) + l)] = acc_2[m_20 * T.int64(8) + (v_42 * T.int64(8) + l)] + k[T.int64(0), block_6 * T.int64(48) + (T.min(m - block_6 * T.int64(48), T.int64(48)) // T.int64(8) * T.int64(8) + T.min(m - block_6 * T.int64(48), T.int64(48)) % T.int64(8) // T.int64(4) * T.int64(4) + tile * T.int64(2) + m_20), head, d] * qt_2[d, v_42 * T.int64(8) + l]
                                for m_21 in T.unroll(T.int64(2)):
                                    for v_43 in T.unroll(T.int64(1)):
                                        for l in T.vectorized(T.int64(8)):
                                            acc_2[m_21 * T.int64(8) + (v_43 * T.int64(8) + l)] = acc_2[m_21 * T.int64(8) + (v_43 * T.int64(8) + l)]
                                    for v_44 in T.unroll(T.int64(1)):
                                        for l in T.vectorized(T.int64(8)):
                                            largest_2[v_44 * T.int64(8) + l] = T.Select(largest_2[v_44 * T.int64(8) + l] < acc_2[m_21 * T.int64(8) + (v_44 * T.int64(8) + l)], acc_2[m_21 * T.int64(8) + (v_44 * T.int64(8) + l)], largest_2[v_44 * T.int64(8) + l])
                                    for v_45 in T.unroll(T.int64(1)):
                                        for l in T.vectorized(T.int64(8)):
                                            st_2[T.min(m - block_6 * T.int64(48), T.int64(48)) // T.int64(8) * T.int64(8) + T.min(m - block_6 * T.int64(48), T.int64(48)) % T.int64(8) // T.int64(4) * T.int64(4) + tile * T.int64(2) + m_21, v_45 * T.int64(8) + l] = acc_2[m_21 * T.int64(8) + (v_45 * T.int64(8) + l)]
                            for tile in range(T.min(m - block_6 * T.int64(48), T.int64(48)) % T.int64(8) % T.int64(4) % T.int64(2)):
                                for m_22 in T.unroll(T.int64(1)):
                                    for v_46 in T.unroll(T.int64(1)):
                                        for l in T.vectorized(T.int64(8)):
                                            acc_2[m_22 * T.int64(8) + (v_46 * T.int64(8) + l)] = T.float32(0.0)
                                for d in range(T.int64(8)):
                                    for m_23 in T.unroll(T.int64(1)):
                                        for v_47 in T.unroll(T.int64(1)):
                                            for l in T.vectorized(T.int64(8)):
                                                acc_2[m_23 * T.int64(8) + (v_47 * T.int64(8) + l)] = acc_2[m_23 * T.int64(8) + (v_47 * T.int64(8) + l)] + k[T.int64(0), block_6 * T.int64(48) + (T.min(m - block_6 * T.int64(48), T.int64(48)) // T.int64(8) * T.int64(8) + T.min(m - block_6 * T.int64(48), T.int64(48)) % T.int64(8) // T.int64(4) * T.int64(4) + T.min(m - block_6 * T.int64(48), T.int64(48)) % T.int64(8) % T.int64(4) // T.int64(2) * T.int64(2) + tile + m_23), head, d] * qt_2[d, v_47 * T.int64(8) + l]
                                for m_24 in T.unroll(T.int64(1)):
                                    for v_48 in T.unroll(T.int64(1)):
                                        for l in T.vectorized(T.int64(8)):
                                            acc_2[m_24 * T.int64(8) + (v_48 * T.int64(8) + l)] = acc_2[m_24 * T.int64(8) + (v_48 * T.int64(8) + l)]
                                    for v_49 in T.unroll(T.int64(1)):
                                        for l in T.vectorized(T.int64(8)):
                                            largest_2[v_49 * T.int64(8) + l] = T.Select(largest_2[v_49 * T.int64(8) + l] < acc_2[m_24 * T.int64(8) + (v_49 * T.int64(8) + l)], acc_2[m_24 * T.int64(8) + (v_49 * T.int64(8) + l)], largest_2[v_49 * T.int64(8) + l])
                                    for v_50 in T.unroll(T.int64(1)):
                                        for l in T.vectorized(T.int64(8)):
                                            st_2[T.min(m - block_6 * T.int64(48), T.int64(48)) // T.int64(8) * T.int64(8) + T.min(m - block_6 * T.int64(48), T.int64(48)) % T.int64(8) // T.int64(4) * T.int64(4) + T.min(m - block_6 * T.int64(48), T.int64(48)) % T.int64(8) % T.int64(4) // T.int64(2) * T.int64(2) + tile + m_24, v_50 * T.int64(8) + l] = acc_2[m_24 * T.int64(8) + (v_50 * T.int64(8) + l)]
                        with T.block("weights"):
                            for v_51 in T.unroll(T.int64(1)):
                                for l in T.vectorized(T.int64(8)):
                                    correction_2[v_51 * T.int64(8) + l] = T.exp_nonpositive(correction_2[v_51 * T.int64(8) + l] - largest_2[v_51 * T.int64(8) + l])
                            for v_52 in T.unroll(T.int64(1)):
                                for l in T.vectorized(T.int64(8)):
                                    sum_2[v_52 * T.int64(8) + l] = sum_2[v_52 * T.int64(8) + l] * correction_2[v_52 * T.int64(8) + l]
                            for j in range(T.min(m - block_6 * T.int64(48), T.int64(48))):
                                for v_53 in T.unroll(T.int64(1)):
                                    for l in T.vectorized(T.int64(8)):
                                        st_2[j, v_53 * T.int64(8) + l] = T.exp_nonpositive(st_2[j, v_53 * T.int64(8) + l] - largest_2[v_53 * T.int64(8) + l])
                                for v_54 in T.unroll(T.int64(1)):
                                    for l in T.vectorized(T.int64(8)):
                                        sum_2[v_54 * T.int64(8) + l] = sum_2[v_54 * T.int64(8) + l] + st_2[j, v_54 * T.int64(8) + l]
                        with T.block("values"):
                            for m_25 in T.unroll(T.int64(4)):
                                for v_55 in T.unroll(T.int64(1)):
                                    for l in T.vectorized(T.int64(8)):
                                        acc_2[m_25 * T.int64(8) + (v_55 * T.int64(8) + l)] = ot_2[m_25, v_55 * T.int64(8) + l] * correction_2[v_55 * T.int64(8) + l]
                            for j in range(T.min(m - block_6 * T.int64(48), T.int64(48))):
                                for m_26 in T.unroll(T.int64(4)):
                                    for v_56 in T.unroll(T.int64(1)):
                                        for l in T.vectorized(T.int64(8)):
                                            acc_2[m_26 * T.int64(8) + (v_56 * T.int64(8) + l)] = acc_2[m_26 * T.int64(8) + (v_56 * T.int64(8) + l)] + v[T.int64(0), block_6 * T.int64(48) + j, head, m_26] * st_2[j, v_56 * T.int64(8) + l]
                            for m_27 in T.unroll(T.int64(4)):
                                for v_57 in T.unroll(T.int64(1)):
                                    for l in T.vectorized(T.int64(8)):
                                        ot_2[m_27, v_57 * T.int64(8) + l] = acc_2[m_27 * T.int64(8) + (v_57 * T.int64(8) + l)]
                    with T.block("write"):
                        for v_58 in T.unroll(T.int64(1)):
                            for l in T.vectorized(T.int64(8)):
                                inverse_2[v_58 * T.int64(8) + l] = T.float32(1.0) / sum_2[v_58 * T.int64(8) + l]
                        for i, e in T.grid(T.min(T.int64(8), n - query), T.int64(4)):
                            T_attention[T.int64(0), query + i, head, e] = T.Select(m > T.int64(0), ot_2[e, i] * inverse_2[i], T.float32(0.0))
                for block in T.parallel(T.int64(2) * T.Select(n % T.int64(16) % T.int64(8) <= T.int64(3), n % T.int64(16) % T.int64(8), T.int64(0)), annotations={"rlx.alike": 1}):
                    q_1 = T.allocate([T.int64(8)], "float32", "global")
                    q_2 = T.decl_buffer((T.int64(8),), data=q_1)
                    s = T.allocate([T.int64(256)], "float32", "global")
                    s_1 = T.decl_buffer((T.int64(256),), data=s)
                    o = T.allocate([T.int64(4)], "float32", "global")
                    o_1 = T.decl_buffer((T.int64(4),), data=o)
                    acc = T.allocate([T.int64(1)], "float32", "global")
                    acc_3 = T.decl_buffer((T.int64(1),), data=acc)
                    largest = T.allocate([T.int64(1)], "float32", "global")
                    largest_3 = T.decl_buffer((T.int64(1),), data=largest)
                    sum = T.allocate([T.int64(1)], "float32", "global")
                    sum_3 = T.decl_buffer((T.int64(1),), data=sum)
                    correction = T.allocate([T.int64(1)], "float32", "global")
                    correction_3 = T.decl_buffer((T.int64(1),), data=correction)
                    inverse = T.allocate([T.int64(1)], "float32", "global")
                    inverse_3 = T.decl_buffer((T.int64(1),), data=inverse)
                    batch: T.int64 = block // (T.int64(2) * T.Select(n % T.int64(16) % T.int64(8) <= T.int64(3), n % T.int64(16) % T.int64(8), T.int64(0)))
                    head: T.int64 = block // T.Select(n % T.int64(16) % T.int64(8) <= T.int64(3), n % T.int64(16) % T.int64(8), T.int64(0)) % T.int64(2)
                    query: T.int64 = n // T.int64(16) * T.int64(16) + (n % T.int64(16) - T.Select(n % T.int64(16) % T.int64(8) <= T.int64(3), n % T.int64(16) % T.int64(8), T.int64(0)) + T.int64(7)) // T.int64(8) * T.int64(8) + block % T.Select(n % T.int64(16) % T.int64(8) <= T.int64(3), n % T.int64(16) % T.int64(8), T.int64(0))
                    with T.block("query"):
                        for d in range(T.int64(8)):
                            q_2[d] = q[T.int64(0), query, head, d] * T.float32(0.3535533845424652)
                        for e in range(T.int64(4)):
                            o_1[e] = T.float32(0.0)
                        largest_3[T.int64(0)] = T.float32(-3.4028234663852886e+38)
                        sum_3[T.int64(0)] = T.float32(0.0)
                    for block_7 in range((m + T.int64(255)) // T.int64(256)):
                        with T.block("keys"):
                            correction_3[T.int64(0)] = largest_3[T.int64(0)]
                            for j in range(T.min(m - block_7 * T.int64(256), T.int64(256))):
                                acc_3[T.int64(0)] = T.float32(0.0)
                                for d in T.serial(T.int64(8), annotations={"rlx.reassoc": 1, "rlx.rolled": 1}):
                                    acc_3[T.int64(0)] = acc_3[T.int64(0)] + q_2[d] * k[T.int64(0), block_7 * T.int64(256) + j, head, d]
                                s_1[j] = acc_3[T.int64(0)]
                                largest_3[T.int64(0)] = T.Select(largest_3[T.int64(0)] < s_1[j], s_1[j], largest_3[T.int64(0)])
                            correction_3[T.int64(0)] = T.exp_nonpositive(correction_3[T.int64(0)] - largest_3[T.int64(0)])
                            sum_3[T.int64(0)] = sum_3[T.int64(0)] * correction_3[T.int64(0)]
                            for j in range(T.min(m - block_7 * T.int64(256), T.int64(256))):
                                s_1[j] = T.exp_nonpositive(s_1[j] - largest_3[T.int64(0)])
                            for j in T.serial(T.min(m - block_7 * T.int64(256), T.int64(256)), annotations={"rlx.reassoc": 1}):
                                sum_3[T.int64(0)] = sum_3[T.int64(0)] + s_1[j]
                            for e in range(T.int64(4)):
                                o_1[e] = o_1[e] * correction_3[T.int64(0)]
                            for j, e in T.grid(T.min(m - block_7 * T.int64(256), T.int64(256)), T.int64(4)):
                                o_1[e] = o_1[e] + s_1[j] * v[T.int64(0), block_7 * T.int64(256) + j, head, e]
                    with T.block("write"):
                        inverse_3[T.int64(0)] = T.float32(1.0) / sum_3[T.int64(0)]
                        for e in range(T.int64(4)):
                            T_attention[T.int64(0), query, head, e] = T.Select(m > T.int64(0), o_1[e] * inverse_3[T.int64(0)], T.float32(0.0))

# ==== short_code
# -O1
# All blocks of queries are of one vector.
@I.ir_module
class Module:
    @R.function
    def main(q: R.Tensor((1, "n", 2, 8), "float32"), k: R.Tensor((1, "m", 2, 8), "float32"), v: R.Tensor((1, "m", 2, 4), "float32")):
        n = T.int64()
        m = T.int64()
        o: R.Tensor((1, n, 2, 4), "float32") = R.nn.attention(q, k, v)
        return o
# ---- expected
# from tvm.script import ir as I
# from tvm.script import tir as T
# from tvm.script import relax as R

@I.ir_module
class Module:
    @R.function
    def main(q: R.Tensor((1, "n", 2, 8), dtype="float32"), k: R.Tensor((1, "m", 2, 8), dtype="float32"), v: R.Tensor((1, "m", 2, 4), dtype="float32")) -> R.Tensor((1, "n", 2, 4), dtype="float32"):
        n = T.int64()
        m = T.int64()
        R.func_attr({"relax.force_pure": True})
        cls = Module
        o: R.Tensor((1, n, 2, 4), dtype="float32") = R.builtin.alloc_tensor(R.shape([1, n, 2, 4]), R.dtype("float32"), R.prim_value(0), R.str("global"))
        _: R.Tuple = cls.attention(q, k, v, o)
        return o

    @T.prim_func(private=True)
    def attention(var_q: T.handle, var_k: T.handle, var_v: T.handle, var_T_attention: T.handle):
        T.func_attr({"op_pattern": 8, "tir.noalias": T.bool(True)})
        n = T.int64()
        m = T.int64()
        q = T.match_buffer(var_q, (T.int64(1), n, T.int64(2), T.int64(8)))
        k = T.match_buffer(var_k, (T.int64(1), m, T.int64(2), T.int64(8)))
        v = T.match_buffer(var_v, (T.int64(1), m, T.int64(2), T.int64(4)))
        T_attention = T.match_buffer(var_T_attention, (T.int64(1), n, T.int64(2), T.int64(4)))
        with T.block("root"):
            with T.block("attention"):
                for block in T.parallel(T.int64(2) * ((n - T.Select(n % T.int64(8) <= T.int64(3), n % T.int64(8), T.int64(0)) + T.int64(7)) // T.int64(8)), annotations={"rlx.alike": 1}):
                    qt = T.allocate([T.int64(8), T.int64(8)], "float32", "global")
                    qt_1 = T.decl_buffer((T.int64(8), T.int64(8)), data=qt)
                    st = T.allocate([T.int64(48), T.int64(8)], "float32", "global")
                    st_1 = T.decl_buffer((T.int64(48), T.int64(8)), data=st)
                    ot = T.allocate([T.int64(4), T.int64(8)], "float32", "global")
                    ot_1 = T.decl_buffer((T.int64(4), T.int64(8)), data=ot)
                    acc = T.allocate([T.int64(48)], "float32", "global")
                    acc_1 = T.decl_buffer((T.int64(48),), data=acc)
                    largest = T.allocate([T.int64(8)], "float32", "global")
                    largest_1 = T.decl_buffer((T.int64(8),), data=largest)
                    sum = T.allocate([T.int64(8)], "float32", "global")
                    sum_1 = T.decl_buffer((T.int64(8),), data=sum)
                    correction = T.allocate([T.int64(8)], "float32", "global")
                    correction_1 = T.decl_buffer((T.int64(8),), data=correction)
                    inverse = T.allocate([T.int64(8)], "float32", "global")
                    inverse_1 = T.decl_buffer((T.int64(8),), data=inverse)
                    batch: T.int64 = block // (T.int64(2) * ((n - T.Select(n % T.int64(8) <= T.int64(3), n % T.int64(8), T.int64(0)) + T.int64(7)) // T.int64(8)))
                    head: T.int64 = block // ((n - T.Select(n % T.int64(8) <= T.int64(3), n % T.int64(8), T.int64(0)) + T.int64(7)) // T.int64(8)) % T.int64(2)
                    query: T.int64 = block % ((n - T.Select(n % T.int64(8) <= T.int64(3), n % T.int64(8), T.int64(0)) + T.int64(7)) // T.int64(8)) * T.int64(8)
                    with T.block("queries"):
                        for row in range(T.int64(8)):
                            for v_1 in T.unroll(T.int64(1)):
                                for l in T.vectorized(T.int64(8)):
                                    qt_1[row, v_1 * T.int64(8) + l] = T.float32(0.0)
                        for block_1, block_2 in T.grid((T.min(T.int64(8), n - query) + T.int64(7)) // T.int64(8), T.int64(1)):
                            if T.min(T.min(n - query, T.int64(8)) - block_1 * T.int64(8), T.int64(8)) == T.int64(8):
                                for i, j in T.grid(T.int64(1), T.int64(1)):
                                    rows = T.allocate([T.int64(64)], "float32", "global")
                                    rows_1 = T.decl_buffer((T.int64(64),), data=rows)
                                    for l in T.vectorized(T.int64(8)):
                                        rows_1[l] = q[T.int64(0), query + (block_1 * T.int64(8) + j * T.int64(8)), head, block_2 * T.int64(8) + (i * T.int64(8) + l)] * T.float32(0.3535533845424652)
                                    r: T.float32x8 = rows_1[T.Ramp(T.int64(0), T.int64(1), 8)]
                                    for l in T.vectorized(T.int64(8)):
                                        rows_1[T.int64(8) + l] = q[T.int64(0), query + (block_1 * T.int64(8) + (j * T.int64(8) + T.int64(1))), head, block_2 * T.int64(8) + (i * T.int64(8) + l)] * T.float32(0.3535533845424652)
                                    r_1: T.float32x8 = rows_1[T.Ramp(T.int64(8), T.int64(1), 8)]
                                    for l in T.vectorized(T.int64(8)):
                                        rows_1[T.int64(16) + l] = q[T.int64(0), query + (block_1 * T.int64(8) + (j * T.int64(8) + T.int64(2))), head, block_2 * T.int64(8) + (i * T.int64(8) + l)] * T.float32(0.3535533845424652)
                                    r_2: T.float32x8 = rows_1[T.Ramp(T.int64(16), T.int64(1), 8)]
                                    for l in T.vectorized(T.int64(8)):
                                        rows_1[T.int64(24) + l] = q[T.int64(0), query + (block_1 * T.int64(8) + (j * T.int64(8) + T.int64(3))), head, block_2 * T.int64(8) + (i * T.int64(8) + l)] * T.float32(0.3535533845424652)
                                    r_3: T.float32x8 = rows_1[T.Ramp(T.int64(24), T.int64(1), 8)]
                                    for l in T.vectorized(T.int64(8)):
                                        rows_1[T.int64(32) + l] = q[T.int64(0), query + (block_1 * T.int64(8) + (j * T.int64(8) + T.int64(4))), head, block_2 * T.int64(8) + (i * T.int64(8) + l)] * T.float32(0.3535533845424652)
                                    r_4: T.float32x8 = rows_1[T.Ramp(T.int64(32), T.int64(1), 8)]
                                    for l in T.vectorized(T.int64(8)):
                                        rows_1[T.int64(40) + l] = q[T.int64(0), query + (block_1 * T.int64(8) + (j * T.int64(8) + T.int64(5))), head, block_2 * T.int64(8) + (i * T.int64(8) + l)] * T.float32(0.3535533845424652)
                                    r_5: T.float32x8 = rows_1[T.Ramp(T.int64(40), T.int64(1), 8)]
                                    for l in T.vectorized(T.int64(8)):
                                        rows_1[T.int64(48) + l] = q[T.int64(0), query + (block_1 * T.int64(8) + (j * T.int64(8) + T.int64(6))), head, block_2 * T.int64(8) + (i * T.int64(8) + l)] * T.float32(0.3535533845424652)
                                    r_6: T.float32x8 = rows_1[T.Ramp(T.int64(48), T.int64(1), 8)]
                                    for l in T.vectorized(T.int64(8)):
                                        rows_1[T.int64(56) + l] = q[T.int64(0), query + (block_1 * T.int64(8) + (j * T.int64(8) + T.int64(7))), head, block_2 * T.int64(8) + (i * T.int64(8) + l)] * T.float32(0.3535533845424652)
                                    r_7: T.float32x8 = rows_1[T.Ramp(T.int64(56), T.int64(1), 8)]
                                    r_8: T.float32x8 = T.Shuffle([r, r_4], [0, 1, 2, 3, 8, 9, 10, 11])
                                    r_9: T.float32x8 = T.Shuffle([r, r_4], [4, 5, 6, 7, 12, 13, 14, 15])
                                    r_10: T.float32x8 = T.Shuffle([r_1, r_5], [0, 1, 2, 3, 8, 9, 10, 11])
                                    r_11: T.float32x8 = T.Shuffle([r_1, r_5], [4, 5, 6, 7, 12, 13, 14, 15])
                                    r_12: T.float32x8 = T.Shuffle([r_2, r_6], [0, 1, 2, 3, 8, 9, 10, 11])
                                    r_13: T.float32x8 = T.Shuffle([r_2, r_6], [4, 5, 6, 7, 12, 13, 14, 15])
                                    r_14: T.float32x8 = T.Shuffle([r_3, r_7], [0, 1, 2, 3, 8, 9, 10, 11])
                                    r_15: T.float32x8 = T.Shuffle([r_3, r_7], [4, 5, 6, 7, 12, 13, 14, 15])
                                    r_16: T.float32x8 = T.Shuffle([r_8, r_12], [0, 1, 8, 9, 4, 5, 12, 13])
                                    r_17: T.float32x8 = T.Shuffle([r_8, r_12], [2, 3, 10, 11, 6, 7, 14, 15])
                                    r_18: T.float32x8 = T.Shuffle([r_10, r_14], [0, 1, 8, 9, 4, 5, 12, 13])
                                    r_19: T.float32x8 = T.Shuffle([r_10, r_14], [2, 3, 10, 11, 6, 7, 14, 15])
                                    r_20: T.float32x8 = T.Shuffle([r_9, r_13], [0, 1, 8, 9, 4, 5, 12, 13])
                                    r_21: T.float32x8 = T.Shuffle([r_9, r_13], [2, 3, 10, 11, 6, 7, 14, 15])
                                    r_22: T.float32x8 = T.Shuffle([r_11, r_15], [0, 1, 8, 9, 4, 5, 12, 13])
                                    r_23: T.float32x8 = T.Shuffle([r_11, r_15], [2, 3, 10, 11, 6, 7, 14, 15])
                                    r_24: T.float32x8 = T.Shuffle([r_16, r_18], [0, 8, 2, 10, 4, 12, 6, 14])
                                    r_25: T.float32x8 = T.Shuffle([r_16, r_18], [1, 9, 3, 11, 5, 13, 7, 15])
                                    r_26: T.float32x8 = T.Shuffle([r_17, r_19], [0, 8, 2, 10, 4, 12, 6, 14])
                                    r_27: T.float32x8 = T.Shuffle([r_17, r_19], [1, 9, 3, 11, 5, 13, 7, 15])
                                    r_28: T.float32x8 = T.Shuffle([r_20, r_22], [0, 8, 2, 10, 4, 12, 6, 14])
                                    r_29: T.float32x8 = T.Shuffle([r_20, r_22], [1, 9, 3, 11, 5, 13, 7, 15])
                                    r_30: T.float32x8 = T.Shuffle([r_21, r_23], [0, 8, 2, 10, 4, 12, 6, 14])
                                    r_31: T.float32x8 = T.Shuffle([r_21, r_23], [1, 9, 3, 11, 5, 13, 7, 15])
                                    qt_1[block_2 * T.int64(8) + i * T.int64(8), T.Ramp(block_1 * T.int64(8) + j * T.int64(8), T.int64(1), 8)] = r_24
                                    qt_1[block_2 * T.int64(8) + i * T.int64(8) + T.int64(1), T.Ramp(block_1 * T.int64(8) + j * T.int64(8), T.int64(1), 8)] = r_25
                                    qt_1[block_2 * T.int64(8) + i * T.int64(8) + T.int64(2), T.Ramp(block_1 * T.int64(8) + j * T.int64(8), T.int64(1), 8)] = r_26
                                    qt_1[block_2 * T.int64(8) + i * T.int64(8) + T.int64(3), T.Ramp(block_1 * T.int64(8) + j * T.int64(8), T.int64(1), 8)] = r_27
                                    qt_1[block_2 * T.int64(8) + i * T.int64(8) + T.int64(4), T.Ramp(block_1 * T.int64(8) + j * T.int64(8), T.int64(1), 8)] = r_28
                                    qt_1[block_2 * T.int64(8) + i * T.int64(8) + T.int64(5), T.Ramp(block_1 * T.int64(8) + j * T.int64(8), T.int64(1), 8)] = r_29
                                    qt_1[block_2 * T.int64(8) + i * T.int64(8) + T.int64(6), T.Ramp(block_1 * T.int64(8) + j * T.int64(8), T.int64(1), 8)] = r_30
                                    qt_1[block_2 * T.int64(8) + i * T.int64(8) + T.int64(7), T.Ramp(block_1 * T.int64(8) + j * T.int64(8), T.int64(1), 8)] = r_31
                            else:
                                for i, i_1 in T.grid(T.min(T.min(T.int64(8), n - query) - block_1 * T.int64(8), T.int64(8)), T.int64(8)):
                                    qt_1[block_2 * T.int64(8) + i_1, block_1 * T.int64(8) + i] = q[T.int64(0), query + (block_1 * T.int64(8) + i), head, block_2 * T.int64(8) + i_1] * T.float32(0.3535533845424652)
                        for row in range(T.int64(4)):
                            for v_2 in T.unroll(T.int64(1)):
                                for l in T.vectorized(T.int64(8)):
                                    ot_1[row, v_2 * T.int64(8) + l] = T.float32(0.0)
                        for v_3 in T.unroll(T.int64(1)):
                            for l in T.vectorized(T.int64(8)):
                                largest_1[v_3 * T.int64(8) + l] = T.float32(-3.4028234663852886e+38)
                                sum_1[v_3 * T.int64(8) + l] = T.float32(0.0)
                    for block_3 in range((m + T.int64(47)) // T.int64(48)):
                        with T.block("scores"):
                            for v_4 in T.unroll(T.int64(1)):
                                for l in T.vectorized(T.int64(8)):
                                    correction_1[v_4 * T.int64(8) + l] = largest_1[v_4 * T.int64(8) + l]
                            for tile in range(T.min(m - block_3 * T.int64(48), T.int64(48)) // T.int64(6)):
                                for m_1 in T.unroll(T.int64(6)):
                                    for v_5 in T.unroll(T.int64(1)):
                                        for l in T.vectorized(T.int64(8)):
                                            acc_1[m_1 * T.int64(8) + (v_5 * T.int64(8) + l)] = T.float32(0.0)
                                for d in range(T.int64(8)):
                                    for m_2 in T.unroll(T.int64(6)):
                                        for v_6 in T.unroll(T.int64(1)):
                                            for l in T.vectorized(T.int64(8)):
                                                acc_1[m_2 * T.int64(8) + (v_6 * T.int64(8) + l)] = acc_1[m_2 * T.int64(8) + (v_6 * T.int64(8) + l)] + k[T.int64(0), block_3 * T.int64(48) + (tile * T.int64(6) + m_2), head, d] * qt_1[d, v_6 * T.int64(8) + l]
                                for m_3 in T.unroll(T.int64(6)):
                                    for v_7 in T.unroll(T.int64(1)):
                                        for l in T.vectorized(T.int64(8)):
                                            acc_1[m_3 * T.int64(8) + (v_7 * T.int64(8) + l)] = acc_1[m_3 * T.int64(8) + (v_7 * T.int64(8) + l)]
                                    for v_8 in T.unroll(T.int64(1)):
                                        for l in T.vectorized(T.int64(8)):
                                            largest_1[v_8 * T.int64(8) + l] = T.Select(largest_1[v_8 * T.int64(8) + l] < acc_1[m_3 * T.int64(8) + (v_8 * T.int64(8) + l)], acc_1[m_3 * T.int64(8) + (v_8 * T.int64(8) + l)], largest_1[v_8 * T.int64(8) + l])
                                    for v_9 in T.unroll(T.int64(1)):
                                        for l in T.vectorized(T.int64(8)):
                                            st_1[tile * T.int64(6) + m_3, v_9 * T.int64(8) + l] = acc_1[m_3 * T.int64(8) + (v_9 * T.int64(8) + l)]
                            for tile in range(T.min(m - block_3 * T.int64(48), T.int64(48)) % T.int64(6) // T.int64(4)):
                                for m_4 in T.unroll(T.int64(4)):
                                    for v_10 in T.unroll(T.int64(1)):
                                        for l in T.vectorized(T.int64(8)):
                                            acc_1[m_4 * T.int64(8) + (v_10 * T.int64(8) + l)] = T.float32(0.0)
                                for d in range(T.int64(8)):
                                    for m_5 in T.unroll(T.int64(4)):
                                        for v_11 in T.unroll(T.int64(1)):
                                            for l in T.vectorized(T.int64(8)):
                                                acc_1[m_5 * T.int64(8) + (v_11 * T.int64(8) + l)] = acc_1[m_5 * T.int64(8) + (v_11 * T.int64(8) + l)] + k[T.int64(0), block_3 * T.int64(48) + (T.min(m - block_3 * T.int64(48), T.int64(48)) // T.int64(6) * T.int64(6) + tile * T.int64(4) + m_5), head, d] * qt_1[d, v_11 * T.int64(8) + l]
                                for m_6 in T.unroll(T.int64(4)):
                                    for v_12 in T.unroll(T.int64(1)):
                                        for l in T.vectorized(T.int64(8)):
                                            acc_1[m_6 * T.int64(8) + (v_12 * T.int64(8) + l)] = acc_1[m_6 * T.int64(8) + (v_12 * T.int64(8) + l)]
                                    for v_13 in T.unroll(T.int64(1)):
                                        for l in T.vectorized(T.int64(8)):
                                            largest_1[v_13 * T.int64(8) + l] = T.Select(largest_1[v_13 * T.int64(8) + l] < acc_1[m_6 * T.int64(8) + (v_13 * T.int64(8) + l)], acc_1[m_6 * T.int64(8) + (v_13 * T.int64(8) + l)], largest_1[v_13 * T.int64(8) + l])
                                    for v_14 in T.unroll(T.int64(1)):
                                        for l in T.vectorized(T.int64(8)):
                                            st_1[T.min(m - block_3 * T.int64(48), T.int64(48)) // T.int64(6) * T.int64(6) + tile * T.int64(4) + m_6, v_14 * T.int64(8) + l] = acc_1[m_6 * T.int64(8) + (v_14 * T.int64(8) + l)]
                            for tile in range(T.min(m - block_3 * T.int64(48), T.int64(48)) % T.int64(6) % T.int64(4) // T.int64(2)):
                                for m_7 in T.unroll(T.int64(2)):
                                    for v_15 in T.unroll(T.int64(1)):
                                        for l in T.vectorized(T.int64(8)):
                                            acc_1[m_7 * T.int64(8) + (v_15 * T.int64(8) + l)] = T.float32(0.0)
                                for d in range(T.int64(8)):
                                    for m_8 in T.unroll(T.int64(2)):
                                        for v_16 in T.unroll(T.int64(1)):
                                            for l in T.vectorized(T.int64(8)):
                                                acc_1[m_8 * T.int64(8) + (v_16 * T.int64(8) + l)] = acc_1[m_8 * T.int64(8) + (v_16 * T.int64(8) + l)] + k[T.int64(0), block_3 * T.int64(48) + (T.min(m - block_3 * T.int64(48), T.int64(48)) // T.int64(6) * T.int64(6) + T.min(m - block_3 * T.int64(48), T.int64(48)) % T.int64(6) // T.int64(4) * T.int64(4) + tile * T.int64(2) + m_8), head, d] * qt_1[d, v_16 * T.int64(8) + l]
                                for m_9 in T.unroll(T.int64(2)):
                                    for v_17 in T.unroll(T.int64(1)):
                                        for l in T.vectorized(T.int64(8)):
                                            acc_1[m_9 * T.int64(8) + (v_17 * T.int64(8) + l)] = acc_1[m_9 * T.int64(8) + (v_17 * T.int64(8) + l)]
                                    for v_18 in T.unroll(T.int64(1)):
                                        for l in T.vectorized(T.int64(8)):
                                            largest_1[v_18 * T.int64(8) + l] = T.Select(largest_1[v_18 * T.int64(8) + l] < acc_1[m_9 * T.int64(8) + (v_18 * T.int64(8) + l)], acc_1[m_9 * T.int64(8) + (v_18 * T.int64(8) + l)], largest_1[v_18 * T.int64(8) + l])
                                    for v_19 in T.unroll(T.int64(1)):
                                        for l in T.vectorized(T.int64(8)):
                                            st_1[T.min(m - block_3 * T.int64(48), T.int64(48)) // T.int64(6) * T.int64(6) + T.min(m - block_3 * T.int64(48), T.int64(48)) % T.int64(6) // T.int64(4) * T.int64(4) + tile * T.int64(2) + m_9, v_19 * T.int64(8) + l] = acc_1[m_9 * T.int64(8) + (v_19 * T.int64(8) + l)]
                            for tile in range(T.min(m - block_3 * T.int64(48), T.int64(48)) % T.int64(6) % T.int64(4) % T.int64(2)):
                                for m_10 in T.unroll(T.int64(1)):
                                    for v_20 in T.unroll(T.int64(1)):
                                        for l in T.vectorized(T.int64(8)):
                                            acc_1[m_10 * T.int64(8) + (v_20 * T.int64(8) + l)] = T.float32(0.0)
                                for d in range(T.int64(8)):
                                    for m_11 in T.unroll(T.int64(1)):
                                        for v_21 in T.unroll(T.int64(1)):
                                            for l in T.vectorized(T.int64(8)):
                                                acc_1[m_11 * T.int64(8) + (v_21 * T.int64(8) + l)] = acc_1[m_11 * T.int64(8) + (v_21 * T.int64(8) + l)] + k[T.int64(0), block_3 * T.int64(48) + (T.min(m - block_3 * T.int64(48), T.int64(48)) // T.int64(6) * T.int64(6) + T.min(m - block_3 * T.int64(48), T.int64(48)) % T.int64(6) // T.int64(4) * T.int64(4) + T.min(m - block_3 * T.int64(48), T.int64(48)) % T.int64(6) % T.int64(4) // T.int64(2) * T.int64(2) + tile + m_11), head, d] * qt_1[d, v_21 * T.int64(8) + l]
                                for m_12 in T.unroll(T.int64(1)):
                                    for v_22 in T.unroll(T.int64(1)):
                                        for l in T.vectorized(T.int64(8)):
                                            acc_1[m_12 * T.int64(8) + (v_22 * T.int64(8) + l)] = acc_1[m_12 * T.int64(8) + (v_22 * T.int64(8) + l)]
                                    for v_23 in T.unroll(T.int64(1)):
                                        for l in T.vectorized(T.int64(8)):
                                            largest_1[v_23 * T.int64(8) + l] = T.Select(largest_1[v_23 * T.int64(8) + l] < acc_1[m_12 * T.int64(8) + (v_23 * T.int64(8) + l)], acc_1[m_12 * T.int64(8) + (v_23 * T.int64(8) + l)], largest_1[v_23 * T.int64(8) + l])
                                    for v_24 in T.unroll(T.int64(1)):
                                        for l in T.vectorized(T.int64(8)):
                                            st_1[T.min(m - block_3 * T.int64(48), T.int64(48)) // T.int64(6) * T.int64(6) + T.min(m - block_3 * T.int64(48), T.int64(48)) % T.int64(6) // T.int64(4) * T.int64(4) + T.min(m - block_3 * T.int64(48), T.int64(48)) % T.int64(6) % T.int64(4) // T.int64(2) * T.int64(2) + tile + m_12, v_24 * T.int64(8) + l] = acc_1[m_12 * T.int64(8) + (v_24 * T.int64(8) + l)]
                        with T.block("weights"):
                            for v_25 in T.unroll(T.int64(1)):
                                for l in T.vectorized(T.int64(8)):
                                    correction_1[v_25 * T.int64(8) + l] = T.exp_nonpositive(correction_1[v_25 * T.int64(8) + l] - largest_1[v_25 * T.int64(8) + l])
                            for v_26 in T.unroll(T.int64(1)):
                                for l in T.vectorized(T.int64(8)):
                                    sum_1[v_26 * T.int64(8) + l] = sum_1[v_26 * T.int64(8) + l] * correction_1[v_26 * T.int64(8) + l]
                            for j in range(T.min(m - block_3 * T.int64(48), T.int64(48))):
                                for v_27 in T.unroll(T.int64(1)):
                                    for l in T.vectorized(T.int64(8)):
                                        st_1[j, v_27 * T.int64(8) + l] = T.exp_nonpositive(st_1[j, v_27 * T.int64(8) + l] - largest_1[v_27 * T.int64(8) + l])
                                for v_28 in T.unroll(T.int64(1)):
                                    for l in T.vectorized(T.int64(8)):
                                        sum_1[v_28 * T.int64(8) + l] = sum_1[v_28 * T.int64(8) + l] + st_1[j, v_28 * T.int64(8) + l]
                        with T.block("values"):
                            for m_13 in T.unroll(T.int64(4)):
                                for v_29 in T.unroll(T.int64(1)):
                                    for l in T.vectorized(T.int64(8)):
                                        acc_1[m_13 * T.int64(8) + (v_29 * T.int64(8) + l)] = ot_1[m_13, v_29 * T.int64(8) + l] * correction_1[v_29 * T.int64(8) + l]
                            for j in range(T.min(m - block_3 * T.int64(48), T.int64(48))):
                                for m_14 in T.unroll(T.int64(4)):
                                    for v_30 in T.unroll(T.int64(1)):
                                        for l in T.vectorized(T.int64(8)):
                                            acc_1[m_14 * T.int64(8) + (v_30 * T.int64(8) + l)] = acc_1[m_14 * T.int64(8) + (v_30 * T.int64(8) + l)] + v[T.int64(0), block_3 * T.int64(48) + j, head, m_14] * st_1[j, v_30 * T.int64(8) + l]
                            for m_15 in T.unroll(T.int64(4)):
                                for v_31 in T.unroll(T.int64(1)):
                                    for l in T.vectorized(T.int64(8)):
                                        ot_1[m_15, v_31 * T.int64(8) + l] = acc_1[m_15 * T.int64(8) + (v_31 * T.int64(8) + l)]
                    with T.block("write"):
                        for v_32 in T.unroll(T.int64(1)):
                            for l in T.vectorized(T.int64(8)):
                                inverse_1[v_32 * T.int64(8) + l] = T.float32(1.0) / sum_1[v_32 * T.int64(8) + l]
                        for i, e in T.grid(T.min(T.int64(8), n - query), T.int64(4)):
                            T_attention[T.int64(0), query + i, head, e] = T.Select(m > T.int64(0), ot_1[e, i] * inverse_1[i], T.float32(0.0))
                for block in T.parallel(T.int64(2) * T.Select(n % T.int64(8) <= T.int64(3), n % T.int64(8), T.int64(0)), annotations={"rlx.alike": 1}):
                    q_1 = T.allocate([T.int64(8)], "float32", "global")
                    q_2 = T.decl_buffer((T.int64(8),), data=q_1)
                    s = T.allocate([T.int64(256)], "float32", "global")
                    s_1 = T.decl_buffer((T.int64(256),), data=s)
                    o = T.allocate([T.int64(4)], "float32", "global")
                    o_1 = T.decl_buffer((T.int64(4),), data=o)
                    acc = T.allocate([T.int64(1)], "float32", "global")
                    acc_2 = T.decl_buffer((T.int64(1),), data=acc)
                    largest = T.allocate([T.int64(1)], "float32", "global")
                    largest_2 = T.decl_buffer((T.int64(1),), data=largest)
                    sum = T.allocate([T.int64(1)], "float32", "global")
                    sum_2 = T.decl_buffer((T.int64(1),), data=sum)
                    correction = T.allocate([T.int64(1)], "float32", "global")
                    correction_2 = T.decl_buffer((T.int64(1),), data=correction)
                    inverse = T.allocate([T.int64(1)], "float32", "global")
                    inverse_2 = T.decl_buffer((T.int64(1),), data=inverse)
                    batch: T.int64 = block // (T.int64(2) * T.Select(n % T.int64(8) <= T.int64(3), n % T.int64(8), T.int64(0)))
                    head: T.int64 = block // T.Select(n % T.int64(8) <= T.int64(3), n % T.int64(8), T.int64(0)) % T.int64(2)
                    query: T.int64 = (n - T.Select(n % T.int64(8) <= T.int64(3), n % T.int64(8), T.int64(0)) + T.int64(7)) // T.int64(8) * T.int64(8) + block % T.Select(n % T.int64(8) <= T.int64(3), n % T.int64(8), T.int64(0))
                    with T.block("query"):
                        for d in range(T.int64(8)):
                            q_2[d] = q[T.int64(0), query, head, d] * T.float32(0.3535533845424652)
                        for e in range(T.int64(4)):
                            o_1[e] = T.float32(0.0)
                        largest_2[T.int64(0)] = T.float32(-3.4028234663852886e+38)
                        sum_2[T.int64(0)] = T.float32(0.0)
                    for block_4 in range((m + T.int64(255)) // T.int64(256)):
                        with T.block("keys"):
                            correction_2[T.int64(0)] = largest_2[T.int64(0)]
                            for j in range(T.min(m - block_4 * T.int64(256), T.int64(256))):
                                acc_2[T.int64(0)] = T.float32(0.0)
                                for d in T.serial(T.int64(8), annotations={"rlx.reassoc": 1, "rlx.rolled": 1}):
                                    acc_2[T.int64(0)] = acc_2[T.int64(0)] + q_2[d] * k[T.int64(0), block_4 * T.int64(256) + j, head, d]
                                s_1[j] = acc_2[T.int64(0)]
                                largest_2[T.int64(0)] = T.Select(largest_2[T.int64(0)] < s_1[j], s_1[j], largest_2[T.int64(0)])
                            correction_2[T.int64(0)] = T.exp_nonpositive(correction_2[T.int64(0)] - largest_2[T.int64(0)])
                            sum_2[T.int64(0)] = sum_2[T.int64(0)] * correction_2[T.int64(0)]
                            for j in range(T.min(m - block_4 * T.int64(256), T.int64(256))):
                                s_1[j] = T.exp_nonpositive(s_1[j] - largest_2[T.int64(0)])
                            for j in T.serial(T.min(m - block_4 * T.int64(256), T.int64(256)), annotations={"rlx.reassoc": 1}):
                                sum_2[T.int64(0)] = sum_2[T.int64(0)] + s_1[j]
                            for e in range(T.int64(4)):
                                o_1[e] = o_1[e] * correction_2[T.int64(0)]
                            for j, e in T.grid(T.min(m - block_4 * T.int64(256), T.int64(256)), T.int64(4)):
                                o_1[e] = o_1[e] + s_1[j] * v[T.int64(0), block_4 * T.int64(256) + j, head, e]
                    with T.block("write"):
                        inverse_2[T.int64(0)] = T.float32(1.0) / sum_2[T.int64(0)]
                        for e in range(T.int64(4)):
                            T_attention[T.int64(0), query, head, e] = T.Select(m > T.int64(0), o_1[e] * inverse_2[T.int64(0)], T.float32(0.0))
