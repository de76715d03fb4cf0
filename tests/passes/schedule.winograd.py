# ==== convolution_and_bias
# The three sums of minimal filtering run by blocks of tiles; bias and relu are applied where a tile is written.
@I.ir_module
class Module:
    @R.function
    def main(x: R.Tensor((1, 14, 14, 16), "float32"), w: R.Tensor((6, 6, 16, 16), "float32"), b: R.Tensor((16,), "float32")):
        with R.dataflow():
            y = R.nn.conv2d_winograd(x, w, padding=(1, 1, 1, 1))
            z = R.nn.relu(R.add(y, b))
            R.output(z)
        return z
# ---- expected
# from tvm.script import ir as I
# from tvm.script import tir as T
# from tvm.script import relax as R

@I.ir_module
class Module:
    @R.function
    def main(x: R.Tensor((1, 14, 14, 16), dtype="float32"), w: R.Tensor((6, 6, 16, 16), dtype="float32"), b: R.Tensor((16,), dtype="float32")) -> R.Tensor((1, 14, 14, 16), dtype="float32"):
        R.func_attr({"relax.force_pure": True})
        cls = Module
        z: R.Tensor((1, 14, 14, 16), dtype="float32") = R.builtin.alloc_tensor(R.shape([1, 14, 14, 16]), R.dtype("float32"), R.prim_value(0), R.str("global"))
        _: R.Tuple = cls.fused_conv2d_winograd_add_relu(x, w, b, z)
        return z

    @T.prim_func(private=True)
    def fused_conv2d_winograd_add_relu(x: T.Buffer((T.int64(1), T.int64(14), T.int64(14), T.int64(16)), "float32"), w: T.Buffer((T.int64(6), T.int64(6), T.int64(16), T.int64(16)), "float32"), b: T.Buffer((T.int64(16),), "float32"), relu: T.Buffer((T.int64(1), T.int64(14), T.int64(14), T.int64(16)), "float32")):
        T.func_attr({"op_pattern": 4, "tir.noalias": T.bool(True)})
        with T.block("root"):
            with T.block("winograd"):
                for block in T.parallel(T.int64(1)):
                    v = T.allocate([T.int64(6), T.int64(6), T.int64(30), T.int64(16)], "float32", "global")
                    v_1 = T.decl_buffer((T.int64(6), T.int64(6), T.int64(30), T.int64(16)), data=v)
                    m = T.allocate([T.int64(6), T.int64(6), T.int64(30), T.int64(16)], "float32", "global")
                    m_1 = T.decl_buffer((T.int64(6), T.int64(6), T.int64(30), T.int64(16)), data=m)
                    half = T.allocate([T.int64(6), T.int64(6), T.int64(8)], "float32", "global")
                    half_1 = T.decl_buffer((T.int64(6), T.int64(6), T.int64(8)), data=half)
                    patch = T.allocate([T.int64(6), T.int64(6), T.int64(16)], "float32", "global")
                    patch_1 = T.decl_buffer((T.int64(6), T.int64(6), T.int64(16)), data=patch)
                    with T.block("input"):
                        for tile in range(T.min(T.int64(16) - block * T.int64(30), T.int64(30))):
                            for r, s in T.grid(T.int64(6), T.int64(6)):
                                if T.int64(0) <= (block * T.int64(30) + tile) // T.int64(4) % T.int64(4) * T.int64(4) + r - T.int64(1) and (block * T.int64(30) + tile) // T.int64(4) % T.int64(4) * T.int64(4) + r - T.int64(1) < T.int64(14) and (T.int64(0) <= (block * T.int64(30) + tile) % T.int64(4) * T.int64(4) + s - T.int64(1) and (block * T.int64(30) + tile) % T.int64(4) * T.int64(4) + s - T.int64(1) < T.int64(14)):
                                    for c in range(T.int64(2)):
                                        for l in T.vectorized(T.int64(8)):
                                            patch_1[r, s, c * T.int64(8) + l] = x[(block * T.int64(30) + tile) // T.int64(4) // T.int64(4), (block * T.int64(30) + tile) // T.int64(4) % T.int64(4) * T.int64(4) + r - T.int64(1), (block * T.int64(30) + tile) % T.int64(4) * T.int64(4) + s - T.int64(1), c * T.int64(8) + l]
                                else:
                                    for c in range(T.int64(2)):
                                        for l in T.vectorized(T.int64(8)):
                                            patch_1[r, s, c * T.int64(8) + l] = T.float32(0.0)
                            for c in range(T.int64(2)):
                                for s in T.unroll(T.int64(6)):
                                    for l in T.vectorized(T.int64(8)):
                                        d: T.float32 = patch_1[T.int64(0), s, c * T.int64(8) + l]
                                        d_1: T.float32 = patch_1[T.int64(1), s, c * T.int64(8) + l]
                                        d_2: T.float32 = patch_1[T.int64(2), s, c * T.int64(8) + l]
                                        d_3: T.float32 = patch_1[T.int64(3), s, c * T.int64(8) + l]
                                        d_4: T.float32 = patch_1[T.int64(4), s, c * T.int64(8) + l]
                                        d_5: T.float32 = patch_1[T.int64(5), s, c * T.int64(8) + l]
                                        t: T.float32 = d_4 + T.float32(-4.0) * d_2
                                        t_1: T.float32 = d_3 + T.float32(-4.0) * d_1
                                        t_2: T.float32 = d_4 + T.float32(-1.0) * d_2
                                        t_3: T.float32 = d_3 + T.float32(-1.0) * d_1
                                        t_4: T.float32 = d_4 + T.float32(-5.0) * d_2
                                        t_5: T.float32 = d_5 + T.float32(-5.0) * d_3
                                        t_6: T.float32 = t_4 + T.float32(4.0) * d
                                        t_7: T.float32 = t + T.float32(1.0) * t_1
                                        t_8: T.float32 = t + T.float32(-1.0) * t_1
                                        t_9: T.float32 = t_2 + T.float32(2.0) * t_3
                                        t_10: T.float32 = t_2 + T.float32(-2.0) * t_3
                                        t_11: T.float32 = t_5 + T.float32(4.0) * d_1
                                        half_1[T.int64(0), s, l] = t_6
                                        half_1[T.int64(1), s, l] = t_7
                                        half_1[T.int64(2), s, l] = t_8
                                        half_1[T.int64(3), s, l] = t_9
                                        half_1[T.int64(4), s, l] = t_10
                                        half_1[T.int64(5), s, l] = t_11
                                for i in T.unroll(T.int64(6)):
                                    for l in T.vectorized(T.int64(8)):
                                        d: T.float32 = half_1[i, T.int64(0), l]
                                        d_6: T.float32 = half_1[i, T.int64(1), l]
                                        d_7: T.float32 = half_1[i, T.int64(2), l]
                                        d_8: T.float32 = half_1[i, T.int64(3), l]
                                        d_9: T.float32 = half_1[i, T.int64(4), l]
                                        d_10: T.float32 = half_1[i, T.int64(5), l]
                                        t: T.float32 = d_9 + T.float32(-4.0) * d_7
                                        t_12: T.float32 = d_8 + T.float32(-4.0) * d_6
                                        t_13: T.float32 = d_9 + T.float32(-1.0) * d_7
                                        t_14: T.float32 = d_8 + T.float32(-1.0) * d_6
                                        t_15: T.float32 = d_9 + T.float32(-5.0) * d_7
                                        t_16: T.float32 = d_10 + T.float32(-5.0) * d_8
                                        t_17: T.float32 = t_15 + T.float32(4.0) * d
                                        t_18: T.float32 = t + T.float32(1.0) * t_12
                                        t_19: T.float32 = t + T.float32(-1.0) * t_12
                                        t_20: T.float32 = t_13 + T.float32(2.0) * t_14
                                        t_21: T.float32 = t_13 + T.float32(-2.0) * t_14
                                        t_22: T.float32 = t_16 + T.float32(4.0) * d_6
                                        v_1[i, T.int64(0), tile, c * T.int64(8) + l] = t_17
                                        v_1[i, T.int64(1), tile, c * T.int64(8) + l] = t_18
                                        v_1[i, T.int64(2), tile, c * T.int64(8) + l] = t_19
                                        v_1[i, T.int64(3), tile, c * T.int64(8) + l] = t_20
                                        v_1[i, T.int64(4), tile, c * T.int64(8) + l] = t_21
                                        v_1[i, T.int64(5), tile, c * T.int64(8) + l] = t_22
                    with T.block("product"):
                        for i, j in T.grid(T.int64(6), T.int64(6)):
                            blocks: T.int64 = T.min((T.int64(2) - block * T.int64(5)) // T.int64(8) + T.int64(1), T.int64(1))
                            for piece in range(blocks):
                                acc = T.allocate([T.int64(96)], "float32", "global")
                                acc_1 = T.decl_buffer((T.int64(96),), data=acc)
                                at: T.int64 = piece // blocks
                                row: T.int64 = piece % blocks * T.int64(48)
                                rows: T.int64 = T.min(T.min(T.int64(16) - block * T.int64(30), T.int64(30)) - row, T.int64(48))
                                tiles: T.int64 = rows // T.int64(6) - T.Select(rows % T.int64(6) == T.int64(1) or rows % T.int64(6) == T.int64(2) or rows % T.int64(6) == T.int64(3), T.min(rows // T.int64(6), T.int64(1)), T.int64(0))
                                for i_1 in range(tiles):
                                    with T.block("init"):
                                        for m_2 in T.unroll(T.int64(6)):
                                            for v_2 in T.unroll(T.int64(2)):
                                                for l in T.vectorized(T.int64(8)):
                                                    acc_1[m_2 * T.int64(16) + (v_2 * T.int64(8) + l)] = T.float32(0.0)
                                    with T.block("sum"):
                                        for k in range(T.int64(4)):
                                            for m_3 in T.unroll(T.int64(6)):
                                                for v_3 in T.unroll(T.int64(2)):
                                                    for l in T.vectorized(T.int64(8)):
                                                        acc_1[m_3 * T.int64(16) + (v_3 * T.int64(8) + l)] = acc_1[m_3 * T.int64(16) + (v_3 * T.int64(8) + l)] + v_1[i, j, row + i_1 * T.int64(6) + m_3, k * T.int64(4)] * w[i, j, k * T.int64(4), at * T.int64(16) + (v_3 * T.int64(8) + l)]
                                            for m_4 in T.unroll(T.int64(6)):
                                                for v_4 in T.unroll(T.int64(2)):
                                                    for l in T.vectorized(T.int64(8)):
                                                        acc_1[m_4 * T.int64(16) + (v_4 * T.int64(8) + l)] = acc_1[m_4 * T.int64(16) + (v_4 * T.int64(8) + l)] + v_1[i, j, row + i_1 * T.int64(6) + m_4, k * T.int64(4) + T.int64(1)] * w[i, j, k * T.int64(4) + T.int64(1), at * T.int64(16) + (v_4 * T.int64(8) + l)]
                                            for m_5 in T.unroll(T.int64(6)):
                                                for v_5 in T.unroll(T.int64(2)):
                                                    for l in T.vectorized(T.int64(8)):
                                                        acc_1[m_5 * T.int64(16) + (v_5 * T.int64(8) + l)] = acc_1[m_5 * T.int64(16) + (v_5 * T.int64(8) + l)] + v_1[i, j, row + i_1 * T.int64(6) + m_5, k * T.int64(4) + T.int64(2)] * w[i, j, k * T.int64(4) + T.int64(2), at * T.int64(16) + (v_5 * T.int64(8) + l)]
                                            for m_6 in T.unroll(T.int64(6)):
                                                for v_6 in T.unroll(T.int64(2)):
                                                    for l in T.vectorized(T.int64(8)):
                                                        acc_1[m_6 * T.int64(16) + (v_6 * T.int64(8) + l)] = acc_1[m_6 * T.int64(16) + (v_6 * T.int64(8) + l)] + v_1[i, j, row + i_1 * T.int64(6) + m_6, k * T.int64(4) + T.int64(3)] * w[i, j, k * T.int64(4) + T.int64(3), at * T.int64(16) + (v_6 * T.int64(8) + l)]
                                    with T.block("write"):
                                        for m_7 in T.unroll(T.int64(6)):
                                            for v_7 in T.unroll(T.int64(2)):
                                                for l in T.vectorized(T.int64(8)):
                                                    m_1[i, j, row + i_1 * T.int64(6) + m_7, at * T.int64(16) + (v_7 * T.int64(8) + l)] = acc_1[m_7 * T.int64(16) + (v_7 * T.int64(8) + l)]
                                left: T.int64 = rows - tiles * T.int64(6)
                                row_1: T.int64 = row + tiles * T.int64(6)
                                tiles_1: T.int64 = T.Select(left == T.int64(8), T.int64(0), left // T.int64(5))
                                for i_2 in range(tiles_1):
                                    with T.block("init"):
                                        for m_8 in T.unroll(T.int64(5)):
                                            for v_8 in T.unroll(T.int64(2)):
                                                for l in T.vectorized(T.int64(8)):
                                                    acc_1[m_8 * T.int64(16) + (v_8 * T.int64(8) + l)] = T.float32(0.0)
                                    with T.block("sum"):
                                        for k in range(T.int64(16)):
                                            for m_9 in T.unroll(T.int64(5)):
                                                for v_9 in T.unroll(T.int64(2)):
                                                    for l in T.vectorized(T.int64(8)):
                                                        acc_1[m_9 * T.int64(16) + (v_9 * T.int64(8) + l)] = acc_1[m_9 * T.int64(16) + (v_9 * T.int64(8) + l)] + v_1[i, j, row_1 + i_2 * T.int64(5) + m_9, k] * w[i, j, k, at * T.int64(16) + (v_9 * T.int64(8) + l)]
                                    with T.block("write"):
                                        for m_10 in T.unroll(T.int64(5)):
                                            for v_10 in T.unroll(T.int64(2)):
                                                for l in T.vectorized(T.int64(8)):
                                                    m_1[i, j, row_1 + i_2 * T.int64(5) + m_10, at * T.int64(16) + (v_10 * T.int64(8) + l)] = acc_1[m_10 * T.int64(16) + (v_10 * T.int64(8) + l)]
                                left_1: T.int64 = left - tiles_1 * T.int64(5)
                                row_2: T.int64 = row_1 + tiles_1 * T.int64(5)
                                tiles_2: T.int64 = T.Select(left_1 == T.int64(6), T.int64(0), left_1 // T.int64(4))
                                for i_3 in range(tiles_2):
                                    with T.block("init"):
                                        for m_11 in T.unroll(T.int64(4)):
                                            for v_11 in T.unroll(T.int64(2)):
                                                for l in T.vectorized(T.int64(8)):
                                                    acc_1[m_11 * T.int64(16) + (v_11 * T.int64(8) + l)] = T.float32(0.0)
                                    with T.block("sum"):
                                        for k in range(T.int64(16)):
                                            for m_12 in T.unroll(T.int64(4)):
                                                for v_12 in T.unroll(T.int64(2)):
                                                    for l in T.vectorized(T.int64(8)):
                                                        acc_1[m_12 * T.int64(16) + (v_12 * T.int64(8) + l)] = acc_1[m_12 * T.int64(16) + (v_12 * T.int64(8) + l)] + v_1[i, j, row_2 + i_3 * T.int64(4) + m_12, k] * w[i, j, k, at * T.int64(16) + (v_12 * T.int64(8) + l)]
                                    with T.block("write"):
                                        for m_13 in T.unroll(T.int64(4)):
                                            for v_13 in T.unroll(T.int64(2)):
                                                for l in T.vectorized(T.int64(8)):
                                                    m_1[i, j, row_2 + i_3 * T.int64(4) + m_13, at * T.int64(16) + (v_13 * T.int64(8) + l)] = acc_1[m_13 * T.int64(16) + (v_13 * T.int64(8) + l)]
                                left_2: T.int64 = left_1 - tiles_2 * T.int64(4)
                                row_3: T.int64 = row_2 + tiles_2 * T.int64(4)
                                tiles_3: T.int64 = T.Select(left_2 == T.int64(4), T.int64(0), left_2 // T.int64(3))
                                for i_4 in range(tiles_3):
                                    with T.block("init"):
                                        for m_14 in T.unroll(T.int64(3)):
                                            for v_14 in T.unroll(T.int64(2)):
                                                for l in T.vectorized(T.int64(8)):
                                                    acc_1[m_14 * T.int64(16) + (v_14 * T.int64(8) + l)] = T.float32(0.0)
                                    with T.block("sum"):
                                        for k in range(T.int64(16)):
                                            for m_15 in T.unroll(T.int64(3)):
                                                for v_15 in T.unroll(T.int64(2)):
                                                    for l in T.vectorized(T.int64(8)):
                                                        acc_1[m_15 * T.int64(16) + (v_15 * T.int64(8) + l)] = acc_1[m_15 * T.int64(16) + (v_15 * T.int64(8) + l)] + v_1[i, j, row_3 + i_4 * T.int64(3) + m_15, k] * w[i, j, k, at * T.int64(16) + (v_15 * T.int64(8) + l)]
                                    with T.block("write"):
                                        for m_16 in T.unroll(T.int64(3)):
                                            for v_16 in T.unroll(T.int64(2)):
                                                for l in T.vectorized(T.int64(8)):
                                                    m_1[i, j, row_3 + i_4 * T.int64(3) + m_16, at * T.int64(16) + (v_16 * T.int64(8) + l)] = acc_1[m_16 * T.int64(16) + (v_16 * T.int64(8) + l)]
                                left_3: T.int64 = left_2 - tiles_3 * T.int64(3)
                                row_4: T.int64 = row_3 + tiles_3 * T.int64(3)
                                tiles_4: T.int64 = left_3 // T.int64(2)
                                for i_5 in range(tiles_4):
                                    with T.block("init"):
                                        for m_17 in T.unroll(T.int64(2)):
                                            for v_17 in T.unroll(T.int64(2)):
                                                for l in T.vectorized(T.int64(8)):
                                                    acc_1[m_17 * T.int64(16) + (v_17 * T.int64(8) + l)] = T.float32(0.0)
                                    with T.block("sum"):
                                        for k in range(T.int64(16)):
                                            for m_18 in T.unroll(T.int64(2)):
                                                for v_18 in T.unroll(T.int64(2)):
                                                    for l in T.vectorized(T.int64(8)):
                                                        acc_1[m_18 * T.int64(16) + (v_18 * T.int64(8) + l)] = acc_1[m_18 * T.int64(16) + (v_18 * T.int64(8) + l)] + v_1[i, j, row_4 + i_5 * T.int64(2) + m_18, k] * w[i, j, k, at * T.int64(16) + (v_18 * T.int64(8) + l)]
                                    with T.block("write"):
                                        for m_19 in T.unroll(T.int64(2)):
                                            for v_19 in T.unroll(T.int64(2)):
                                                for l in T.vectorized(T.int64(8)):
                                                    m_1[i, j, row_4 + i_5 * T.int64(2) + m_19, at * T.int64(16) + (v_19 * T.int64(8) + l)] = acc_1[m_19 * T.int64(16) + (v_19 * T.int64(8) + l)]
                                left_4: T.int64 = left_3 - tiles_4 * T.int64(2)
                                row_5: T.int64 = row_4 + tiles_4 * T.int64(2)
                                for i_6 in range(left_4):
                                    with T.block("init"):
                                        for m_20 in T.unroll(T.int64(1)):
                                            for v_20 in T.unroll(T.int64(2)):
                                                for l in T.vectorized(T.int64(8)):
                                                    acc_1[m_20 * T.int64(16) + (v_20 * T.int64(8) + l)] = T.float32(0.0)
                                    with T.block("sum"):
                                        for k in range(T.int64(16)):
                                            for m_21 in T.unroll(T.int64(1)):
                                                for v_21 in T.unroll(T.int64(2)):
                                                    for l in T.vectorized(T.int64(8)):
                                                        acc_1[m_21 * T.int64(16) + (v_21 * T.int64(8) + l)] = acc_1[m_21 * T.int64(16) + (v_21 * T.int64(8) + l)] + v_1[i, j, row_5 + i_6 + m_21, k] * w[i, j, k, at * T.int64(16) + (v_21 * T.int64(8) + l)]
                                    with T.block("write"):
                                        for m_22 in T.unroll(T.int64(1)):
                                            for v_22 in T.unroll(T.int64(2)):
                                                for l in T.vectorized(T.int64(8)):
                                                    m_1[i, j, row_5 + i_6 + m_22, at * T.int64(16) + (v_22 * T.int64(8) + l)] = acc_1[m_22 * T.int64(16) + (v_22 * T.int64(8) + l)]
                    result = T.allocate([T.int64(4), T.int64(4), T.int64(16)], "float32", "global")
                    result_1 = T.decl_buffer((T.int64(4), T.int64(4), T.int64(16)), data=result)
                    with T.block("output"):
                        for tile in range(T.min(T.int64(16) - block * T.int64(30), T.int64(30))):
                            for c in range(T.int64(2)):
                                for s in T.unroll(T.int64(6)):
                                    for l in T.vectorized(T.int64(8)):
                                        d: T.float32 = m_1[T.int64(0), s, tile, c * T.int64(8) + l]
                                        d_11: T.float32 = m_1[T.int64(1), s, tile, c * T.int64(8) + l]
                                        d_12: T.float32 = m_1[T.int64(2), s, tile, c * T.int64(8) + l]
                                        d_13: T.float32 = m_1[T.int64(3), s, tile, c * T.int64(8) + l]
                                        d_14: T.float32 = m_1[T.int64(4), s, tile, c * T.int64(8) + l]
                                        d_15: T.float32 = m_1[T.int64(5), s, tile, c * T.int64(8) + l]
                                        t: T.float32 = d_11 + T.float32(1.0) * d_12
                                        t_23: T.float32 = d_11 + T.float32(-1.0) * d_12
                                        t_24: T.float32 = d_13 + T.float32(1.0) * d_14
                                        t_25: T.float32 = d_13 + T.float32(-1.0) * d_14
                                        t_26: T.float32 = d + T.float32(1.0) * t
                                        t_27: T.float32 = t_23 + T.float32(8.0) * t_25
                                        t_28: T.float32 = t_26 + T.float32(1.0) * t_24
                                        t_29: T.float32 = t_23 + T.float32(2.0) * t_25
                                        t_30: T.float32 = t + T.float32(4.0) * t_24
                                        t_31: T.float32 = t_27 + T.float32(1.0) * d_15
                                        half_1[T.int64(0), s, l] = t_28
                                        half_1[T.int64(1), s, l] = t_29
                                        half_1[T.int64(2), s, l] = t_30
                                        half_1[T.int64(3), s, l] = t_31
                                for i in T.unroll(T.int64(4)):
                                    for l in T.vectorized(T.int64(8)):
                                        d: T.float32 = half_1[i, T.int64(0), l]
                                        d_16: T.float32 = half_1[i, T.int64(1), l]
                                        d_17: T.float32 = half_1[i, T.int64(2), l]
                                        d_18: T.float32 = half_1[i, T.int64(3), l]
                                        d_19: T.float32 = half_1[i, T.int64(4), l]
                                        d_20: T.float32 = half_1[i, T.int64(5), l]
                                        t: T.float32 = d_16 + T.float32(1.0) * d_17
                                        t_32: T.float32 = d_16 + T.float32(-1.0) * d_17
                                        t_33: T.float32 = d_18 + T.float32(1.0) * d_19
                                        t_34: T.float32 = d_18 + T.float32(-1.0) * d_19
                                        t_35: T.float32 = d + T.float32(1.0) * t
                                        t_36: T.float32 = t_32 + T.float32(8.0) * t_34
                                        t_37: T.float32 = t_35 + T.float32(1.0) * t_33
                                        t_38: T.float32 = t_32 + T.float32(2.0) * t_34
                                        t_39: T.float32 = t + T.float32(4.0) * t_33
                                        t_40: T.float32 = t_36 + T.float32(1.0) * d_20
                                        result_1[i, T.int64(0), c * T.int64(8) + l] = t_37
                                        result_1[i, T.int64(1), c * T.int64(8) + l] = t_38
                                        result_1[i, T.int64(2), c * T.int64(8) + l] = t_39
                                        result_1[i, T.int64(3), c * T.int64(8) + l] = t_40
                            for i, j in T.grid(T.int64(4), T.int64(4)):
                                if (block * T.int64(30) + tile) // T.int64(4) % T.int64(4) * T.int64(4) + i < T.int64(14) and (block * T.int64(30) + tile) % T.int64(4) * T.int64(4) + j < T.int64(14):
                                    for c in range(T.int64(2)):
                                        for l in T.vectorized(T.int64(8)):
                                            relu[(block * T.int64(30) + tile) // T.int64(4) // T.int64(4), (block * T.int64(30) + tile) // T.int64(4) % T.int64(4) * T.int64(4) + i, (block * T.int64(30) + tile) % T.int64(4) * T.int64(4) + j, c * T.int64(8) + l] = T.max(result_1[i, j, c * T.int64(8) + l] + b[c * T.int64(8) + l], T.float32(0.0))

# ==== groups
# The products of each group of channels run one after the other; their sums lie side by side, with a line of padding after each group.
@I.ir_module
class Module:
    @R.function
    def main(x: R.Tensor((1, 12, 12, 16), "float32"), w: R.Tensor((6, 6, 8, 32), "float32")):
        with R.dataflow():
            y = R.nn.conv2d_winograd(x, w, padding=(1, 1, 1, 1), groups=2)
            R.output(y)
        return y
# ---- expected
# from tvm.script import ir as I
# from tvm.script import tir as T
# from tvm.script import relax as R

@I.ir_module
class Module:
    @R.function
    def main(x: R.Tensor((1, 12, 12, 16), dtype="float32"), w: R.Tensor((6, 6, 8, 32), dtype="float32")) -> R.Tensor((1, 12, 12, 32), dtype="float32"):
        R.func_attr({"relax.force_pure": True})
        cls = Module
        y: R.Tensor((1, 12, 12, 32), dtype="float32") = R.builtin.alloc_tensor(R.shape([1, 12, 12, 32]), R.dtype("float32"), R.prim_value(0), R.str("global"))
        _: R.Tuple = cls.conv2d_winograd(x, w, y)
        return y

    @T.prim_func(private=True)
    def conv2d_winograd(x: T.Buffer((T.int64(1), T.int64(12), T.int64(12), T.int64(16)), "float32"), w: T.Buffer((T.int64(6), T.int64(6), T.int64(8), T.int64(32)), "float32"), conv2d_winograd: T.Buffer((T.int64(1), T.int64(12), T.int64(12), T.int64(32)), "float32")):
        T.func_attr({"op_pattern": 4, "tir.noalias": T.bool(True)})
        with T.block("root"):
            with T.block("winograd"):
                for block in T.parallel(T.int64(1)):
                    v = T.allocate([T.int64(6), T.int64(6), T.int64(30), T.int64(16)], "float32", "global")
                    v_1 = T.decl_buffer((T.int64(6), T.int64(6), T.int64(30), T.int64(16)), data=v)
                    m = T.allocate([T.int64(6), T.int64(6), T.int64(30), T.int64(2), T.int64(32)], "float32", "global")
                    m_1 = T.decl_buffer((T.int64(6), T.int64(6), T.int64(30), T.int64(2), T.int64(32)), data=m)
                    half = T.allocate([T.int64(6), T.int64(6), T.int64(8)], "float32", "global")
                    half_1 = T.decl_buffer((T.int64(6), T.int64(6), T.int64(8)), data=half)
                    patch = T.allocate([T.int64(6), T.int64(6), T.int64(16)], "float32", "global")
                    patch_1 = T.decl_buffer((T.int64(6), T.int64(6), T.int64(16)), data=patch)
                    with T.block("input"):
                        for tile in range(T.min(T.int64(9) - block * T.int64(30), T.int64(30))):
                            for r, s in T.grid(T.int64(6), T.int64(6)):
                                if T.int64(0) <= (block * T.int64(30) + tile) // T.int64(3) % T.int64(3) * T.int64(4) + r - T.int64(1) and (block * T.int64(30) + tile) // T.int64(3) % T.int64(3) * T.int64(4) + r - T.int64(1) < T.int64(12) and (T.int64(0) <= (block * T.int64(30) + tile) % T.int64(3) * T.int64(4) + s - T.int64(1) and (block * T.int64(30) + tile) % T.int64(3) * T.int64(4) + s - T.int64(1) < T.int64(12)):
                                    for c in range(T.int64(2)):
                                        for l in T.vectorized(T.int64(8)):
                                            patch_1[r, s, c * T.int64(8) + l] = x[(block * T.int64(30) + tile) // T.int64(3) // T.int64(3), (block * T.int64(30) + tile) // T.int64(3) % T.int64(3) * T.int64(4) + r - T.int64(1), (block * T.int64(30) + tile) % T.int64(3) * T.int64(4) + s - T.int64(1), c * T.int64(8) + l]
                                else:
                                    for c in range(T.int64(2)):
                                        for l in T.vectorized(T.int64(8)):
                                            patch_1[r, s, c * T.int64(8) + l] = T.float32(0.0)
                            for c in range(T.int64(2)):
                                for s in T.unroll(T.int64(6)):
                                    for l in T.vectorized(T.int64(8)):
                                        d: T.float32 = patch_1[T.int64(0), s, c * T.int64(8) + l]
                                        d_1: T.float32 = patch_1[T.int64(1), s, c * T.int64(8) + l]
                                        d_2: T.float32 = patch_1[T.int64(2), s, c * T.int64(8) + l]
                                        d_3: T.float32 = patch_1[T.int64(3), s, c * T.int64(8) + l]
                                        d_4: T.float32 = patch_1[T.int64(4), s, c * T.int64(8) + l]
                                        d_5: T.float32 = patch_1[T.int64(5), s, c * T.int64(8) + l]
                                        t: T.float32 = d_4 + T.float32(-4.0) * d_2
                                        t_1: T.float32 = d_3 + T.float32(-4.0) * d_1
                                        t_2: T.float32 = d_4 + T.float32(-1.0) * d_2
                                        t_3: T.float32 = d_3 + T.float32(-1.0) * d_1
                                        t_4: T.float32 = d_4 + T.float32(-5.0) * d_2
                                        t_5: T.float32 = d_5 + T.float32(-5.0) * d_3
                                        t_6: T.float32 = t_4 + T.float32(4.0) * d
                                        t_7: T.float32 = t + T.float32(1.0) * t_1
                                        t_8: T.float32 = t + T.float32(-1.0) * t_1
                                        t_9: T.float32 = t_2 + T.float32(2.0) * t_3
                                        t_10: T.float32 = t_2 + T.float32(-2.0) * t_3
                                        t_11: T.float32 = t_5 + T.float32(4.0) * d_1
                                        half_1[T.int64(0), s, l] = t_6
                                        half_1[T.int64(1), s, l] = t_7
                                        half_1[T.int64(2), s, l] = t_8
                                        half_1[T.int64(3), s, l] = t_9
                                        half_1[T.int64(4), s, l] = t_10
                                        half_1[T.int64(5), s, l] = t_11
                                for i in T.unroll(T.int64(6)):
                                    for l in T.vectorized(T.int64(8)):
                                        d: T.float32 = half_1[i, T.int64(0), l]
                                        d_6: T.float32 = half_1[i, T.int64(1), l]
                                        d_7: T.float32 = half_1[i, T.int64(2), l]
                                        d_8: T.float32 = half_1[i, T.int64(3), l]
                                        d_9: T.float32 = half_1[i, T.int64(4), l]
                                        d_10: T.float32 = half_1[i, T.int64(5), l]
                                        t: T.float32 = d_9 + T.float32(-4.0) * d_7
                                        t_12: T.float32 = d_8 + T.float32(-4.0) * d_6
                                        t_13: T.float32 = d_9 + T.float32(-1.0) * d_7
                                        t_14: T.float32 = d_8 + T.float32(-1.0) * d_6
                                        t_15: T.float32 = d_9 + T.float32(-5.0) * d_7
                                        t_16: T.float32 = d_10 + T.float32(-5.0) * d_8
                                        t_17: T.float32 = t_15 + T.float32(4.0) * d
                                        t_18: T.float32 = t + T.float32(1.0) * t_12
                                        t_19: T.float32 = t + T.float32(-1.0) * t_12
                                        t_20: T.float32 = t_13 + T.float32(2.0) * t_14
                                        t_21: T.float32 = t_13 + T.float32(-2.0) * t_14
                                        t_22: T.float32 = t_16 + T.float32(4.0) * d_6
                                        v_1[i, T.int64(0), tile, c * T.int64(8) + l] = t_17
                                        v_1[i, T.int64(1), tile, c * T.int64(8) + l] = t_18
                                        v_1[i, T.int64(2), tile, c * T.int64(8) + l] = t_19
                                        v_1[i, T.int64(3), tile, c * T.int64(8) + l] = t_20
                                        v_1[i, T.int64(4), tile, c * T.int64(8) + l] = t_21
                                        v_1[i, T.int64(5), tile, c * T.int64(8) + l] = t_22
                    with T.block("product"):
                        for i, j, group in T.grid(T.int64(6), T.int64(6), T.int64(2)):
                            blocks: T.int64 = T.min((T.int64(1) - block * T.int64(5)) // T.int64(8) + T.int64(1), T.int64(1))
                            for piece in range(blocks):
                                acc = T.allocate([T.int64(96)], "float32", "global")
                                acc_1 = T.decl_buffer((T.int64(96),), data=acc)
                                at: T.int64 = piece // blocks
                                row: T.int64 = piece % blocks * T.int64(48)
                                rows: T.int64 = T.min(T.min(T.int64(9) - block * T.int64(30), T.int64(30)) - row, T.int64(48))
                                tiles: T.int64 = rows // T.int64(6) - T.Select(rows % T.int64(6) == T.int64(1) or rows % T.int64(6) == T.int64(2) or rows % T.int64(6) == T.int64(3), T.min(rows // T.int64(6), T.int64(1)), T.int64(0))
                                for i_1 in range(tiles):
                                    with T.block("init"):
                                        for m_2 in T.unroll(T.int64(6)):
                                            for v_2 in T.unroll(T.int64(2)):
                                                for l in T.vectorized(T.int64(8)):
                                                    acc_1[m_2 * T.int64(16) + (v_2 * T.int64(8) + l)] = T.float32(0.0)
                                    with T.block("sum"):
                                        for k in range(T.int64(2)):
                                            for m_3 in T.unroll(T.int64(6)):
                                                for v_3 in T.unroll(T.int64(2)):
                                                    for l in T.vectorized(T.int64(8)):
                                                        acc_1[m_3 * T.int64(16) + (v_3 * T.int64(8) + l)] = acc_1[m_3 * T.int64(16) + (v_3 * T.int64(8) + l)] + v_1[i, j, row + i_1 * T.int64(6) + m_3, group * T.int64(8) + k * T.int64(4)] * w[i, j, k * T.int64(4), group * T.int64(16) + (at * T.int64(16) + (v_3 * T.int64(8) + l))]
                                            for m_4 in T.unroll(T.int64(6)):
                                                for v_4 in T.unroll(T.int64(2)):
                                                    for l in T.vectorized(T.int64(8)):
                                                        acc_1[m_4 * T.int64(16) + (v_4 * T.int64(8) + l)] = acc_1[m_4 * T.int64(16) + (v_4 * T.int64(8) + l)] + v_1[i, j, row + i_1 * T.int64(6) + m_4, group * T.int64(8) + (k * T.int64(4) + T.int64(1))] * w[i, j, k * T.int64(4) + T.int64(1), group * T.int64(16) + (at * T.int64(16) + (v_4 * T.int64(8) + l))]
                                            for m_5 in T.unroll(T.int64(6)):
                                                for v_5 in T.unroll(T.int64(2)):
                                                    for l in T.vectorized(T.int64(8)):
                                                        acc_1[m_5 * T.int64(16) + (v_5 * T.int64(8) + l)] = acc_1[m_5 * T.int64(16) + (v_5 * T.int64(8) + l)] + v_1[i, j, row + i_1 * T.int64(6) + m_5, group * T.int64(8) + (k * T.int64(4) + T.int64(2))] * w[i, j, k * T.int64(4) + T.int64(2), group * T.int64(16) + (at * T.int64(16) + (v_5 * T.int64(8) + l))]
                                            for m_6 in T.unroll(T.int64(6)):
                                                for v_6 in T.unroll(T.int64(2)):
                                                    for l in T.vectorized(T.int64(8)):
                                                        acc_1[m_6 * T.int64(16) + (v_6 * T.int64(8) + l)] = acc_1[m_6 * T.int64(16) + (v_6 * T.int64(8) + l)] + v_1[i, j, row + i_1 * T.int64(6) + m_6, group * T.int64(8) + (k * T.int64(4) + T.int64(3))] * w[i, j, k * T.int64(4) + T.int64(3), group * T.int64(16) + (at * T.int64(16) + (v_6 * T.int64(8) + l))]
                                    with T.block("write"):
                                        for m_7 in T.unroll(T.int64(6)):
                                            for v_7 in T.unroll(T.int64(2)):
                                                for l in T.vectorized(T.int64(8)):
                                                    m_1[i, j, row + i_1 * T.int64(6) + m_7, group, at * T.int64(16) + (v_7 * T.int64(8) + l)] = acc_1[m_7 * T.int64(16) + (v_7 * T.int64(8) + l)]
                                left: T.int64 = rows - tiles * T.int64(6)
                                row_1: T.int64 = row + tiles * T.int64(6)
                                tiles_1: T.int64 = T.Select(left == T.int64(8), T.int64(0), left // T.int64(5))
                                for i_2 in range(tiles_1):
                                    with T.block("init"):
                                        for m_8 in T.unroll(T.int64(5)):
                                            for v_8 in T.unroll(T.int64(2)):
                                                for l in T.vectorized(T.int64(8)):
                                                    acc_1[m_8 * T.int64(16) + (v_8 * T.int64(8) + l)] = T.float32(0.0)
                                    with T.block("sum"):
                                        for k in range(T.int64(8)):
                                            for m_9 in T.unroll(T.int64(5)):
                                                for v_9 in T.unroll(T.int64(2)):
                                                    for l in T.vectorized(T.int64(8)):
                                                        acc_1[m_9 * T.int64(16) + (v_9 * T.int64(8) + l)] = acc_1[m_9 * T.int64(16) + (v_9 * T.int64(8) + l)] + v_1[i, j, row_1 + i_2 * T.int64(5) + m_9, group * T.int64(8) + k] * w[i, j, k, group * T.int64(16) + (at * T.int64(16) + (v_9 * T.int64(8) + l))]
                                    with T.block("write"):
                                        for m_10 in T.unroll(T.int64(5)):
                                            for v_10 in T.unroll(T.int64(2)):
                                                for l in T.vectorized(T.int64(8)):
                                                    m_1[i, j, row_1 + i_2 * T.int64(5) + m_10, group, at * T.int64(16) + (v_10 * T.int64(8) + l)] = acc_1[m_10 * T.int64(16) + (v_10 * T.int64(8) + l)]
                                left_1: T.int64 = left - tiles_1 * T.int64(5)
                                row_2: T.int64 = row_1 + tiles_1 * T.int64(5)
                                tiles_2: T.int64 = T.Select(left_1 == T.int64(6), T.int64(0), left_1 // T.int64(4))
                                for i_3 in range(tiles_2):
                                    with T.block("init"):
                                        for m_11 in T.unroll(T.int64(4)):
                                            for v_11 in T.unroll(T.int64(2)):
                                                for l in T.vectorized(T.int64(8)):
                                                    acc_1[m_11 * T.int64(16) + (v_11 * T.int64(8) + l)] = T.float32(0.0)
                                    with T.block("sum"):
                                        for k in range(T.int64(8)):
                                            for m_12 in T.unroll(T.int64(4)):
                                                for v_12 in T.unroll(T.int64(2)):
                                                    for l in T.vectorized(T.int64(8)):
                                                        acc_1[m_12 * T.int64(16) + (v_12 * T.int64(8) + l)] = acc_1[m_12 * T.int64(16) + (v_12 * T.int64(8) + l)] + v_1[i, j, row_2 + i_3 * T.int64(4) + m_12, group * T.int64(8) + k] * w[i, j, k, group * T.int64(16) + (at * T.int64(16) + (v_12 * T.int64(8) + l))]
                                    with T.block("write"):
                                        for m_13 in T.unroll(T.int64(4)):
                                            for v_13 in T.unroll(T.int64(2)):
                                                for l in T.vectorized(T.int64(8)):
                                                    m_1[i, j, row_2 + i_3 * T.int64(4) + m_13, group, at * T.int64(16) + (v_13 * T.int64(8) + l)] = acc_1[m_13 * T.int64(16) + (v_13 * T.int64(8) + l)]
                                left_2: T.int64 = left_1 - tiles_2 * T.int64(4)
                                row_3: T.int64 = row_2 + tiles_2 * T.int64(4)
                                tiles_3: T.int64 = T.Select(left_2 == T.int64(4), T.int64(0), left_2 // T.int64(3))
                                for i_4 in range(tiles_3):
                                    with T.block("init"):
                                        for m_14 in T.unroll(T.int64(3)):
                                            for v_14 in T.unroll(T.int64(2)):
                                                for l in T.vectorized(T.int64(8)):
                                                    acc_1[m_14 * T.int64(16) + (v_14 * T.int64(8) + l)] = T.float32(0.0)
                                    with T.block("sum"):
                                        for k in range(T.int64(8)):
                                            for m_15 in T.unroll(T.int64(3)):
                                                for v_15 in T.unroll(T.int64(2)):
                                                    for l in T.vectorized(T.int64(8)):
                                                        acc_1[m_15 * T.int64(16) + (v_15 * T.int64(8) + l)] = acc_1[m_15 * T.int64(16) + (v_15 * T.int64(8) + l)] + v_1[i, j, row_3 + i_4 * T.int64(3) + m_15, group * T.int64(8) + k] * w[i, j, k, group * T.int64(16) + (at * T.int64(16) + (v_15 * T.int64(8) + l))]
                                    with T.block("write"):
                                        for m_16 in T.unroll(T.int64(3)):
                                            for v_16 in T.unroll(T.int64(2)):
                                                for l in T.vectorized(T.int64(8)):
                                                    m_1[i, j, row_3 + i_4 * T.int64(3) + m_16, group, at * T.int64(16) + (v_16 * T.int64(8) + l)] = acc_1[m_16 * T.int64(16) + (v_16 * T.int64(8) + l)]
                                left_3: T.int64 = left_2 - tiles_3 * T.int64(3)
                                row_4: T.int64 = row_3 + tiles_3 * T.int64(3)
                                tiles_4: T.int64 = left_3 // T.int64(2)
                                for i_5 in range(tiles_4):
                                    with T.block("init"):
                                        for m_17 in T.unroll(T.int64(2)):
                                            for v_17 in T.unroll(T.int64(2)):
                                                for l in T.vectorized(T.int64(8)):
                                                    acc_1[m_17 * T.int64(16) + (v_17 * T.int64(8) + l)] = T.float32(0.0)
                                    with T.block("sum"):
                                        for k in range(T.int64(8)):
                                            for m_18 in T.unroll(T.int64(2)):
                                                for v_18 in T.unroll(T.int64(2)):
                                                    for l in T.vectorized(T.int64(8)):
                                                        acc_1[m_18 * T.int64(16) + (v_18 * T.int64(8) + l)] = acc_1[m_18 * T.int64(16) + (v_18 * T.int64(8) + l)] + v_1[i, j, row_4 + i_5 * T.int64(2) + m_18, group * T.int64(8) + k] * w[i, j, k, group * T.int64(16) + (at * T.int64(16) + (v_18 * T.int64(8) + l))]
                                    with T.block("write"):
                                        for m_19 in T.unroll(T.int64(2)):
                                            for v_19 in T.unroll(T.int64(2)):
                                                for l in T.vectorized(T.int64(8)):
                                                    m_1[i, j, row_4 + i_5 * T.int64(2) + m_19, group, at * T.int64(16) + (v_19 * T.int64(8) + l)] = acc_1[m_19 * T.int64(16) + (v_19 * T.int64(8) + l)]
                                left_4: T.int64 = left_3 - tiles_4 * T.int64(2)
                                row_5: T.int64 = row_4 + tiles_4 * T.int64(2)
                                for i_6 in range(left_4):
                                    with T.block("init"):
                                        for m_20 in T.unroll(T.int64(1)):
                                            for v_20 in T.unroll(T.int64(2)):
                                                for l in T.vectorized(T.int64(8)):
                                                    acc_1[m_20 * T.int64(16) + (v_20 * T.int64(8) + l)] = T.float32(0.0)
                                    with T.block("sum"):
                                        for k in range(T.int64(8)):
                                            for m_21 in T.unroll(T.int64(1)):
                                                for v_21 in T.unroll(T.int64(2)):
                                                    for l in T.vectorized(T.int64(8)):
                                                        acc_1[m_21 * T.int64(16) + (v_21 * T.int64(8) + l)] = acc_1[m_21 * T.int64(16) + (v_21 * T.int64(8) + l)] + v_1[i, j, row_5 + i_6 + m_21, group * T.int64(8) + k] * w[i, j, k, group * T.int64(16) + (at * T.int64(16) + (v_21 * T.int64(8) + l))]
                                    with T.block("write"):
                                        for m_22 in T.unroll(T.int64(1)):
                                            for v_22 in T.unroll(T.int64(2)):
                                                for l in T.vectorized(T.int64(8)):
                                                    m_1[i, j, row_5 + i_6 + m_22, group, at * T.int64(16) + (v_22 * T.int64(8) + l)] = acc_1[m_22 * T.int64(16) + (v_22 * T.int64(8) + l)]
                    result = T.allocate([T.int64(4), T.int64(4), T.int64(32)], "float32", "global")
                    result_1 = T.decl_buffer((T.int64(4), T.int64(4), T.int64(32)), data=result)
                    with T.block("output"):
                        for tile in range(T.min(T.int64(9) - block * T.int64(30), T.int64(30))):
                            for group, c in T.grid(T.int64(2), T.int64(2)):
                                for s in T.unroll(T.int64(6)):
                                    for l in T.vectorized(T.int64(8)):
                                        d: T.float32 = m_1[T.int64(0), s, tile, group, c * T.int64(8) + l]
                                        d_11: T.float32 = m_1[T.int64(1), s, tile, group, c * T.int64(8) + l]
                                        d_12: T.float32 = m_1[T.int64(2), s, tile, group, c * T.int64(8) + l]
                                        d_13: T.float32 = m_1[T.int64(3), s, tile, group, c * T.int64(8) + l]
                                        d_14: T.float32 = m_1[T.int64(4), s, tile, group, c * T.int64(8) + l]
                                        d_15: T.float32 = m_1[T.int64(5), s, tile, group, c * T.int64(8) + l]
                                        t: T.float32 = d_11 + T.float32(1.0) * d_12
                                        t_23: T.float32 = d_11 + T.float32(-1.0) * d_12
                                        t_24: T.float32 = d_13 + T.float32(1.0) * d_14
                                        t_25: T.float32 = d_13 + T.float32(-1.0) * d_14
                                        t_26: T.float32 = d + T.float32(1.0) * t
                                        t_27: T.float32 = t_23 + T.float32(8.0) * t_25
                                        t_28: T.float32 = t_26 + T.float32(1.0) * t_24
                                        t_29: T.float32 = t_23 + T.float32(2.0) * t_25
                                        t_30: T.float32 = t + T.float32(4.0) * t_24
                                        t_31: T.float32 = t_27 + T.float32(1.0) * d_15
                                        half_1[T.int64(0), s, l] = t_28
                                        half_1[T.int64(1), s, l] = t_29
                                        half_1[T.int64(2), s, l] = t_30
                                        half_1[T.int64(3), s, l] = t_31
                                for i in T.unroll(T.int64(4)):
                                    for l in T.vectorized(T.int64(8)):
                                        d: T.float32 = half_1[i, T.int64(0), l]
                                        d_16: T.float32 = half_1[i, T.int64(1), l]
                                        d_17: T.float32 = half_1[i, T.int64(2), l]
                                        d_18: T.float32 = half_1[i, T.int64(3), l]
                                        d_19: T.float32 = half_1[i, T.int64(4), l]
                                        d_20: T.float32 = half_1[i, T.int64(5), l]
                                        t: T.float32 = d_16 + T.float32(1.0) * d_17
                                        t_32: T.float32 = d_16 + T.float32(-1.0) * d_17
                                        t_33: T.float32 = d_18 + T.float32(1.0) * d_19
                                        t_34: T.float32 = d_18 + T.float32(-1.0) * d_19
                                        t_35: T.float32 = d + T.float32(1.0) * t
                                        t_36: T.float32 = t_32 + T.float32(8.0) * t_34
                                        t_37: T.float32 = t_35 + T.float32(1.0) * t_33
                                        t_38: T.float32 = t_32 + T.float32(2.0) * t_34
                                        t_39: T.float32 = t + T.float32(4.0) * t_33
                                        t_40: T.float32 = t_36 + T.float32(1.0) * d_20
                                        result_1[i, T.int64(0), group * T.int64(16) + (c * T.int64(8) + l)] = t_37
                                        result_1[i, T.int64(1), group * T.int64(16) + (c * T.int64(8) + l)] = t_38
                                        result_1[i, T.int64(2), group * T.int64(16) + (c * T.int64(8) + l)] = t_39
                                        result_1[i, T.int64(3), group * T.int64(16) + (c * T.int64(8) + l)] = t_40
                            for i, j in T.grid(T.int64(4), T.int64(4)):
                                if (block * T.int64(30) + tile) // T.int64(3) % T.int64(3) * T.int64(4) + i < T.int64(12) and (block * T.int64(30) + tile) % T.int64(3) * T.int64(4) + j < T.int64(12):
                                    for c in range(T.int64(4)):
                                        for l in T.vectorized(T.int64(8)):
                                            conv2d_winograd[(block * T.int64(30) + tile) // T.int64(3) // T.int64(3), (block * T.int64(30) + tile) // T.int64(3) % T.int64(3) * T.int64(4) + i, (block * T.int64(30) + tile) % T.int64(3) * T.int64(4) + j, c * T.int64(8) + l] = result_1[i, j, c * T.int64(8) + l]
