# ==== depthwise
# Depthwise, by pairs of taps: with an even stride the odd columns of words are not written.
@I.ir_module
class Module:
    @R.function
    def main(x: R.Tensor(("n", "h", "w", 20), "uint8"), filter: R.Tensor((2, 3, 2, 16, 2), "int8"), sums: R.Tensor((20,), "int32"), zero: R.Tensor((), "uint8")):
        with R.dataflow():
            y = R.nn.conv2d_integer(x, filter, sums, zero, strides=[2, 2], padding=[1, 1, 1, 2], data_layout="NHWC")
            R.output(y)
        return y
# ---- expected
# from tvm.script import ir as I
# from tvm.script import tir as T
# from tvm.script import relax as R

@I.ir_module
class Module:
    @R.function
    def main(x: R.Tensor(("n", "h", "w", 20), dtype="uint8"), filter: R.Tensor((2, 3, 2, 16, 2), dtype="int8"), sums: R.Tensor((20,), dtype="int32"), zero: R.Tensor((), dtype="uint8")) -> R.Tensor(("n", "(h + 1) // 2", "(w + 1) // 2", 20), dtype="int32"):
        n = T.int64()
        h = T.int64()
        w = T.int64()
        R.func_attr({"relax.force_pure": True})
        cls = Module
        y: R.Tensor((n, (h + 1) // 2, (w + 1) // 2, 20), dtype="int32") = R.builtin.alloc_tensor(R.shape([n, (h + 1) // 2, (w + 1) // 2, 20]), R.dtype("int32"), R.prim_value(0), R.str("global"))
        _: R.Tuple = cls.conv2d_integer(x, filter, sums, zero, y)
        return y

    @T.prim_func(private=True)
    def conv2d_integer(var_x: T.handle, filter: T.Buffer((T.int64(2), T.int64(3), T.int64(2), T.int64(16), T.int64(2)), "int8"), sums: T.Buffer((T.int64(20),), "int32"), zero: T.Buffer((), "uint8"), var_conv2d_integer: T.handle):
        T.func_attr({"op_pattern": 4, "tir.noalias": T.bool(True)})
        n = T.int64()
        h = T.int64()
        w = T.int64()
        x = T.match_buffer(var_x, (n, h, w, T.int64(20)), "uint8")
        conv2d_integer = T.match_buffer(var_conv2d_integer, (n, (h + T.int64(1)) // T.int64(2), (w + T.int64(1)) // T.int64(2), T.int64(20)), "int32")
        with T.block("root"):
            with T.block("int8_conv"):
                padded: T.int64 = (h + T.int64(1)) // T.int64(2) * T.int64(2) + T.int64(1)
                padded_1: T.int64 = (w + T.int64(1)) // T.int64(2) + T.int64(1)
                words = T.allocate([n * padded * padded_1 * T.int64(20) + T.int64(16)], "uint32", "global")
                words_1 = T.decl_buffer((n * padded * padded_1 * T.int64(20) + T.int64(16),), "uint32", data=words)
                filter_words = T.decl_buffer((T.int64(384),), "int8", data=filter.data)
                fill: T.int32 = T.Cast("int32", zero[()])
                windows = T.allocate([n * ((h + T.int64(1)) // T.int64(2)) * ((w + T.int64(1)) // T.int64(2))], "int64", "global")
                windows_1 = T.decl_buffer((n * ((h + T.int64(1)) // T.int64(2)) * ((w + T.int64(1)) // T.int64(2)),), "int64", data=windows)
                for line in T.parallel(n * padded, annotations={"rlx.alike": 1}):
                    image: T.int64 = line // padded
                    line_1: T.int64 = line % padded - T.int64(1)
                    if T.int64(0) <= line_1 and line_1 < h:
                        left: T.int64 = T.min(padded_1, T.int64(1))
                        end: T.int64 = T.max(left, T.min(padded_1, (w + T.int64(1)) // T.int64(2)))
                        for j in range(left):
                            from_1: T.int64 = padded_1 * line * T.int64(20) + j * T.int64(20)
                            for v in range(T.int64(2)):
                                for l in T.vectorized(T.int64(8)):
                                    words_1[from_1 + (v * T.int64(8) + l)] = T.Cast("uint32", T.if_then_else(T.int64(0) <= j * T.int64(2) - T.int64(1) and j * T.int64(2) - T.int64(1) < w, T.Cast("int32", x[image, line_1, j * T.int64(2) - T.int64(1), v * T.int64(8) + l]), fill) + T.if_then_else(T.int64(0) <= j * T.int64(2) - T.int64(1) + T.int64(1) and j * T.int64(2) - T.int64(1) + T.int64(1) < w, T.Cast("int32", x[image, line_1, j * T.int64(2) - T.int64(1) + T.int64(1), v * T.int64(8) + l]), fill) * 65536)
                            for v in range(T.int64(1)):
                                for l in T.vectorized(T.int64(8)):
                                    words_1[from_1 + (v * T.int64(8) + l + T.int64(12))] = T.Cast("uint32", T.if_then_else(T.int64(0) <= j * T.int64(2) - T.int64(1) and j * T.int64(2) - T.int64(1) < w, T.Cast("int32", x[image, line_1, j * T.int64(2) - T.int64(1), v * T.int64(8) + l + T.int64(12)]), fill) + T.if_then_else(T.int64(0) <= j * T.int64(2) - T.int64(1) + T.int64(1) and j * T.int64(2) - T.int64(1) + T.int64(1) < w, T.Cast("int32", x[image, line_1, j * T.int64(2) - T.int64(1) + T.int64(1), v * T.int64(8) + l + T.int64(12)]), fill) * 65536)
                        for j in range(end - left):
                            from_2: T.int64 = padded_1 * line * T.int64(20) + left * T.int64(20) + j * T.int64(20)
                            for v in range(T.int64(2)):
                                for l in T.vectorized(T.int64(8)):
                                    words_1[from_2 + (v * T.int64(8) + l)] = T.Cast("uint32", T.Cast("int32", x[image, line_1, (left + j) * T.int64(2) - T.int64(1), v * T.int64(8) + l]) + T.Cast("int32", x[image, line_1, (left + j) * T.int64(2) - T.int64(1) + T.int64(1), v * T.int64(8) + l]) * 65536)
                            for v in range(T.int64(1)):
                                for l in T.vectorized(T.int64(8)):
                                    words_1[from_2 + (v * T.int64(8) + l + T.int64(12))] = T.Cast("uint32", T.Cast("int32", x[image, line_1, (left + j) * T.int64(2) - T.int64(1), v * T.int64(8) + l + T.int64(12)]) + T.Cast("int32", x[image, line_1, (left + j) * T.int64(2) - T.int64(1) + T.int64(1), v * T.int64(8) + l + T.int64(12)]) * 65536)
                        for j in range(padded_1 - end):
                            from_3: T.int64 = padded_1 * line * T.int64(20) + end * T.int64(20) + j * T.int64(20)
                            for v in range(T.int64(2)):
                                for l in T.vectorized(T.int64(8)):
                                    words_1[from_3 + (v * T.int64(8) + l)] = T.Cast("uint32", T.if_then_else(T.int64(0) <= (end + j) * T.int64(2) - T.int64(1) and (end + j) * T.int64(2) - T.int64(1) < w, T.Cast("int32", x[image, line_1, (end + j) * T.int64(2) - T.int64(1), v * T.int64(8) + l]), fill) + T.if_then_else(T.int64(0) <= (end + j) * T.int64(2) - T.int64(1) + T.int64(1) and (end + j) * T.int64(2) - T.int64(1) + T.int64(1) < w, T.Cast("int32", x[image, line_1, (end + j) * T.int64(2) - T.int64(1) + T.int64(1), v * T.int64(8) + l]), fill) * 65536)
                            for v in range(T.int64(1)):
                                for l in T.vectorized(T.int64(8)):
                                    words_1[from_3 + (v * T.int64(8) + l + T.int64(12))] = T.Cast("uint32", T.if_then_else(T.int64(0) <= (end + j) * T.int64(2) - T.int64(1) and (end + j) * T.int64(2) - T.int64(1) < w, T.Cast("int32", x[image, line_1, (end + j) * T.int64(2) - T.int64(1), v * T.int64(8) + l + T.int64(12)]), fill) + T.if_then_else(T.int64(0) <= (end + j) * T.int64(2) - T.int64(1) + T.int64(1) and (end + j) * T.int64(2) - T.int64(1) + T.int64(1) < w, T.Cast("int32", x[image, line_1, (end + j) * T.int64(2) - T.int64(1) + T.int64(1), v * T.int64(8) + l + T.int64(12)]), fill) * 65536)
                    else:
                        for j in range(padded_1):
                            from_4: T.int64 = padded_1 * line * T.int64(20) + j * T.int64(20)
                            for v in range(T.int64(2)):
                                for l in T.vectorized(T.int64(8)):
                                    words_1[from_4 + (v * T.int64(8) + l)] = T.Cast("uint32", fill + fill * 65536)
                            for v in range(T.int64(1)):
                                for l in T.vectorized(T.int64(8)):
                                    words_1[from_4 + (v * T.int64(8) + l + T.int64(12))] = T.Cast("uint32", fill + fill * 65536)
                    image_1: T.int64 = line // padded
                    y: T.int64 = line % padded
                    if y < (h + T.int64(1)) // T.int64(2):
                        first: T.int64 = padded * padded_1 * image_1 + padded_1 * y * T.int64(2)
                        for x_1 in range((w + T.int64(1)) // T.int64(2)):
                            windows_1[(image_1 * ((h + T.int64(1)) // T.int64(2)) + y) * ((w + T.int64(1)) // T.int64(2)) + x_1] = (first + x_1) * T.int64(20)
                blocks: T.int64 = (n * ((h + T.int64(1)) // T.int64(2)) * ((w + T.int64(1)) // T.int64(2)) + T.int64(47)) // T.int64(48)
                for piece in T.parallel(blocks * T.int64(2), annotations={"rlx.alike": 1}):
                    slow: T.int64 = piece // T.int64(2)
                    fast: T.int64 = piece % T.int64(2)
                    row: T.int64 = slow * T.int64(48)
                    left: T.int64 = T.min(n * ((h + T.int64(1)) // T.int64(2)) * ((w + T.int64(1)) // T.int64(2)) - row, T.int64(48))
                    tiles: T.int64 = left // T.int64(6)
                    acc = T.allocate([T.int64(96)], "int32", "global")
                    acc_1 = T.decl_buffer((T.int64(96),), "int32", data=acc)
                    wide = T.allocate([T.int64(32)], "int16", "global")
                    wide_1 = T.decl_buffer((T.int64(32),), "int16", data=wide)
                    word = T.decl_buffer((T.int64(16),), "uint32", data=wide)
                    results = T.allocate([T.int64(96)], "int32", "global")
                    results_1 = T.decl_buffer((T.int64(96),), "int32", data=results)
                    for i in range(tiles):
                        window: T.int64 = windows_1[row + i * T.int64(6)]
                        window_1: T.int64 = windows_1[row + i * T.int64(6) + T.int64(1)]
                        window_2: T.int64 = windows_1[row + i * T.int64(6) + T.int64(2)]
                        window_3: T.int64 = windows_1[row + i * T.int64(6) + T.int64(3)]
                        window_4: T.int64 = windows_1[row + i * T.int64(6) + T.int64(4)]
                        window_5: T.int64 = windows_1[row + i * T.int64(6) + T.int64(5)]
                        for m in T.unroll(T.int64(6)):
                            for v in T.unroll(T.int64(2)):
                                for l in T.vectorized(T.int64(8)):
                                    acc_1[m * T.int64(16) + (v * T.int64(8) + l)] = 0
                        for r, s, word_1 in T.grid(T.int64(3), T.int64(2), T.int64(1)):
                            for v in T.unroll(T.int64(2)):
                                for l in T.vectorized(T.int64(16)):
                                    wide_1[v * T.int64(16) + l] = T.Cast("int16", filter_words[(fast * T.int64(6) + r * T.int64(2) + s + word_1) * T.int64(32) + (v * T.int64(16) + l)])
                            for v in T.unroll(T.int64(2)):
                                for l in T.vectorized(T.int64(8)):
                                    acc_1[v * T.int64(8) + l] = T.dot_s16(acc_1[v * T.int64(8) + l], words_1[window + (r * T.int64(20) * padded_1 + s * T.int64(20) + word_1) + (fast * T.int64(16) + (v * T.int64(8) + l))], word[v * T.int64(8) + l])
                            for v in T.unroll(T.int64(2)):
                                for l in T.vectorized(T.int64(8)):
                                    acc_1[T.int64(16) + (v * T.int64(8) + l)] = T.dot_s16(acc_1[T.int64(16) + (v * T.int64(8) + l)], words_1[window_1 + (r * T.int64(20) * padded_1 + s * T.int64(20) + word_1) + (fast * T.int64(16) + (v * T.int64(8) + l))], word[v * T.int64(8) + l])
                            for v in T.unroll(T.int64(2)):
                                for l in T.vectorized(T.int64(8)):
                                    acc_1[T.int64(32) + (v * T.int64(8) + l)] = T.dot_s16(acc_1[T.int64(32) + (v * T.int64(8) + l)], words_1[window_2 + (r * T.int64(20) * padded_1 + s * T.int64(20) + word_1) + (fast * T.int64(16) + (v * T.int64(8) + l))], word[v * T.int64(8) + l])
                            for v in T.unroll(T.int64(2)):
                                for l in T.vectorized(T.int64(8)):
                                    acc_1[T.int64(48) + (v * T.int64(8) + l)] = T.dot_s16(acc_1[T.int64(48) + (v * T.int64(8) + l)], words_1[window_3 + (r * T.int64(20) * padded_1 + s * T.int64(20) + word_1) + (fast * T.int64(16) + (v * T.int64(8) + l))], word[v * T.int64(8) + l])
                            for v in T.unroll(T.int64(2)):
                                for l in T.vectorized(T.int64(8)):
                                    acc_1[T.int64(64) + (v * T.int64(8) + l)] = T.dot_s16(acc_1[T.int64(64) + (v * T.int64(8) + l)], words_1[window_4 + (r * T.int64(20) * padded_1 + s * T.int64(20) + word_1) + (fast * T.int64(16) + (v * T.int64(8) + l))], word[v * T.int64(8) + l])
                            for v in T.unroll(T.int64(2)):
                                for l in T.vectorized(T.int64(8)):
                                    acc_1[T.int64(80) + (v * T.int64(8) + l)] = T.dot_s16(acc_1[T.int64(80) + (v * T.int64(8) + l)], words_1[window_5 + (r * T.int64(20) * padded_1 + s * T.int64(20) + word_1) + (fast * T.int64(16) + (v * T.int64(8) + l))], word[v * T.int64(8) + l])
                        for m in T.unroll(T.int64(6)):
                            for v in T.unroll(T.int64(2)):
                                for l in T.vectorized(T.int64(8)):
                                    results_1[m * T.int64(16) + (v * T.int64(8) + l)] = acc_1[m * T.int64(16) + (v * T.int64(8) + l)]
                        for m in range(T.int64(6)):
                            line: T.int64 = (row + i * T.int64(6) + m) // ((w + T.int64(1)) // T.int64(2))
                            x_2: T.int64 = (row + i * T.int64(6) + m) % ((w + T.int64(1)) // T.int64(2))
                            y: T.int64 = line % ((h + T.int64(1)) // T.int64(2))
                            image: T.int64 = line // ((h + T.int64(1)) // T.int64(2))
                            flat = T.decl_buffer((n * ((h + T.int64(1)) // T.int64(2)) * ((w + T.int64(1)) // T.int64(2)) * T.int64(20),), "int32", data=conv2d_integer.data)
                            for v in range(T.int64(2)):
                                for l in T.vectorized(T.int64(8)):
                                    if fast * T.int64(16) + (v * T.int64(8) + l) < T.int64(20):
                                        flat[(row + i * T.int64(6) + m) * T.int64(20) + (fast * T.int64(16) + (v * T.int64(8) + l))] = results_1[m * T.int64(16) + (v * T.int64(8) + l)] - fill * sums[fast * T.int64(16) + (v * T.int64(8) + l)]
                    left_1: T.int64 = left - tiles * T.int64(6)
                    row_1: T.int64 = row + tiles * T.int64(6)
                    tiles_1: T.int64 = left_1 // T.int64(2)
                    acc_2 = T.allocate([T.int64(32)], "int32", "global")
                    acc_3 = T.decl_buffer((T.int64(32),), "int32", data=acc_2)
                    wide_2 = T.allocate([T.int64(32)], "int16", "global")
                    wide_3 = T.decl_buffer((T.int64(32),), "int16", data=wide_2)
                    word_2 = T.decl_buffer((T.int64(16),), "uint32", data=wide_2)
                    results_2 = T.allocate([T.int64(32)], "int32", "global")
                    results_3 = T.decl_buffer((T.int64(32),), "int32", data=results_2)
                    for i in range(tiles_1):
                        window: T.int64 = windows_1[row_1 + i * T.int64(2)]
                        window_6: T.int64 = windows_1[row_1 + i * T.int64(2) + T.int64(1)]
                        for m in T.unroll(T.int64(2)):
                            for v in T.unroll(T.int64(2)):
                                for l in T.vectorized(T.int64(8)):
                                    acc_3[m * T.int64(16) + (v * T.int64(8) + l)] = 0
                        for r, s, word_3 in T.grid(T.int64(3), T.int64(2), T.int64(1)):
                            for v in T.unroll(T.int64(2)):
                                for l in T.vectorized(T.int64(16)):
                                    wide_3[v * T.int64(16) + l] = T.Cast("int16", filter_words[(fast * T.int64(6) + r * T.int64(2) + s + word_3) * T.int64(32) + (v * T.int64(16) + l)])
                            for v in T.unroll(T.int64(2)):
                                for l in T.vectorized(T.int64(8)):
                                    acc_3[v * T.int64(8) + l] = T.dot_s16(acc_3[v * T.int64(8) + l], words_1[window + (r * T.int64(20) * padded_1 + s * T.int64(20) + word_3) + (fast * T.int64(16) + (v * T.int64(8) + l))], word_2[v * T.int64(8) + l])
                            for v in T.unroll(T.int64(2)):
                                for l in T.vectorized(T.int64(8)):
                                    acc_3[T.int64(16) + (v * T.int64(8) + l)] = T.dot_s16(acc_3[T.int64(16) + (v * T.int64(8) + l)], words_1[window_6 + (r * T.int64(20) * padded_1 + s * T.int64(20) + word_3) + (fast * T.int64(16) + (v * T.int64(8) + l))], word_2[v * T.int64(8) + l])
                        for m in T.unroll(T.int64(2)):
                            for v in T.unroll(T.int64(2)):
                                for l in T.vectorized(T.int64(8)):
                                    results_3[m * T.int64(16) + (v * T.int64(8) + l)] = acc_3[m * T.int64(16) + (v * T.int64(8) + l)]
                        for m in range(T.int64(2)):
                            line: T.int64 = (row_1 + i * T.int64(2) + m) // ((w + T.int64(1)) // T.int64(2))
                            x_3: T.int64 = (row_1 + i * T.int64(2) + m) % ((w + T.int64(1)) // T.int64(2))
                            y: T.int64 = line % ((h + T.int64(1)) // T.int64(2))
                            image: T.int64 = line // ((h + T.int64(1)) // T.int64(2))
                            flat = T.decl_buffer((n * ((h + T.int64(1)) // T.int64(2)) * ((w + T.int64(1)) // T.int64(2)) * T.int64(20),), "int32", data=conv2d_integer.data)
                            for v in range(T.int64(2)):
                                for l in T.vectorized(T.int64(8)):
                                    if fast * T.int64(16) + (v * T.int64(8) + l) < T.int64(20):
                                        flat[(row_1 + i * T.int64(2) + m) * T.int64(20) + (fast * T.int64(16) + (v * T.int64(8) + l))] = results_3[m * T.int64(16) + (v * T.int64(8) + l)] - fill * sums[fast * T.int64(16) + (v * T.int64(8) + l)]
                    left_2: T.int64 = left_1 - tiles_1 * T.int64(2)
                    row_2: T.int64 = row_1 + tiles_1 * T.int64(2)
                    acc_4 = T.allocate([T.int64(16)], "int32", "global")
                    acc_5 = T.decl_buffer((T.int64(16),), "int32", data=acc_4)
                    wide_4 = T.allocate([T.int64(32)], "int16", "global")
                    wide_5 = T.decl_buffer((T.int64(32),), "int16", data=wide_4)
                    word_4 = T.decl_buffer((T.int64(16),), "uint32", data=wide_4)
                    results_4 = T.allocate([T.int64(16)], "int32", "global")
                    results_5 = T.decl_buffer((T.int64(16),), "int32", data=results_4)
                    for i in range(left_2):
                        window: T.int64 = windows_1[row_2 + i]
                        for m in T.unroll(T.int64(1)):
                            for v in T.unroll(T.int64(2)):
                                for l in T.vectorized(T.int64(8)):
                                    acc_5[m * T.int64(16) + (v * T.int64(8) + l)] = 0
                        for r, s, word_5 in T.grid(T.int64(3), T.int64(2), T.int64(1)):
                            for v in T.unroll(T.int64(2)):
                                for l in T.vectorized(T.int64(16)):
                                    wide_5[v * T.int64(16) + l] = T.Cast("int16", filter_words[(fast * T.int64(6) + r * T.int64(2) + s + word_5) * T.int64(32) + (v * T.int64(16) + l)])
                            for v in T.unroll(T.int64(2)):
                                for l in T.vectorized(T.int64(8)):
                                    acc_5[v * T.int64(8) + l] = T.dot_s16(acc_5[v * T.int64(8) + l], words_1[window + (r * T.int64(20) * padded_1 + s * T.int64(20) + word_5) + (fast * T.int64(16) + (v * T.int64(8) + l))], word_4[v * T.int64(8) + l])
                        for m in T.unroll(T.int64(1)):
                            for v in T.unroll(T.int64(2)):
                                for l in T.vectorized(T.int64(8)):
                                    results_5[m * T.int64(16) + (v * T.int64(8) + l)] = acc_5[m * T.int64(16) + (v * T.int64(8) + l)]
                        for m in range(T.int64(1)):
                            line: T.int64 = (row_2 + i + m) // ((w + T.int64(1)) // T.int64(2))
                            x_4: T.int64 = (row_2 + i + m) % ((w + T.int64(1)) // T.int64(2))
                            y: T.int64 = line % ((h + T.int64(1)) // T.int64(2))
                            image: T.int64 = line // ((h + T.int64(1)) // T.int64(2))
                            flat = T.decl_buffer((n * ((h + T.int64(1)) // T.int64(2)) * ((w + T.int64(1)) // T.int64(2)) * T.int64(20),), "int32", data=conv2d_integer.data)
                            for v in range(T.int64(2)):
                                for l in T.vectorized(T.int64(8)):
                                    if fast * T.int64(16) + (v * T.int64(8) + l) < T.int64(20):
                                        flat[(row_2 + i + m) * T.int64(20) + (fast * T.int64(16) + (v * T.int64(8) + l))] = results_5[m * T.int64(16) + (v * T.int64(8) + l)] - fill * sums[fast * T.int64(16) + (v * T.int64(8) + l)]

# ==== minimal
# Lines of three taps: two pixels take four products for six; the last of a line of odd length is alone.
@I.ir_module
class Module:
    @R.function
    def main(x: R.Tensor(("n", "h", "w", 16), "uint8"), filter: R.Tensor((1, 3, 3, 8, 16, 2), "int8"), sums: R.Tensor((16,), "int32"), zero: R.Tensor((), "uint8")):
        with R.dataflow():
            y = R.nn.conv2d_integer(x, filter, sums, zero, padding=[1, 1, 1, 1], data_layout="NHWC")
            R.output(y)
        return y
# ---- expected
# from tvm.script import ir as I
# from tvm.script import tir as T
# from tvm.script import relax as R

@I.ir_module
class Module:
    @R.function
    def main(x: R.Tensor(("n", "h", "w", 16), dtype="uint8"), filter: R.Tensor((1, 3, 3, 8, 16, 2), dtype="int8"), sums: R.Tensor((16,), dtype="int32"), zero: R.Tensor((), dtype="uint8")) -> R.Tensor(("n", "h", "w", 16), dtype="int32"):
        n = T.int64()
        h = T.int64()
        w = T.int64()
        R.func_attr({"relax.force_pure": True})
        cls = Module
        y: R.Tensor((n, h, w, 16), dtype="int32") = R.builtin.alloc_tensor(R.shape([n, h, w, 16]), R.dtype("int32"), R.prim_value(0), R.str("global"))
        _: R.Tuple = cls.conv2d_integer(x, filter, sums, zero, y)
        return y

    @T.prim_func(private=True)
    def conv2d_integer(var_x: T.handle, filter: T.Buffer((T.int64(1), T.int64(3), T.int64(3), T.int64(8), T.int64(16), T.int64(2)), "int8"), sums: T.Buffer((T.int64(16),), "int32"), zero: T.Buffer((), "uint8"), var_conv2d_integer: T.handle):
        T.func_attr({"op_pattern": 4, "tir.noalias": T.bool(True)})
        n = T.int64()
        h = T.int64()
        w = T.int64()
        x = T.match_buffer(var_x, (n, h, w, T.int64(16)), "uint8")
        conv2d_integer = T.match_buffer(var_conv2d_integer, (n, h, w, T.int64(16)), "int32")
        with T.block("root"):
            with T.block("int8_conv"):
                padded: T.int64 = h + T.int64(2)
                cells = T.allocate([n * padded * ((w + T.int64(1)) // T.int64(2)) * T.int64(64)], "int16", "global")
                cells_1 = T.decl_buffer((n * padded * ((w + T.int64(1)) // T.int64(2)) * T.int64(64),), "int16", data=cells)
                words = T.decl_buffer((n * padded * ((w + T.int64(1)) // T.int64(2)) * T.int64(32),), "uint32", data=cells)
                filter_words = T.decl_buffer((T.int64(2304),), "int8", data=filter.data)
                fill: T.int32 = T.Cast("int32", zero[()])
                pixels = T.allocate([n * h * ((w + T.int64(1)) // T.int64(2)) + T.int64(1)], "int64", "global")
                pixels_1 = T.decl_buffer((n * h * ((w + T.int64(1)) // T.int64(2)) + T.int64(1),), "int64", data=pixels)
                pixels_1[n * h * ((w + T.int64(1)) // T.int64(2))] = n * h * w
                windows = T.allocate([n * h * ((w + T.int64(1)) // T.int64(2))], "int64", "global")
                windows_1 = T.decl_buffer((n * h * ((w + T.int64(1)) // T.int64(2)),), "int64", data=windows)
                for line in T.parallel(n * padded, annotations={"rlx.alike": 1}):
                    image: T.int64 = line // padded
                    line_1: T.int64 = line % padded - T.int64(1)
                    if T.int64(0) <= line_1 and line_1 < h:
                        left: T.int64 = T.min((w + T.int64(1)) // T.int64(2), T.int64(1))
                        end: T.int64 = T.max(left, (w + T.int64(1)) // T.int64(2) - T.int64(1))
                        for j in range(left):
                            from_1: T.int64 = line * ((w + T.int64(1)) // T.int64(2)) * T.int64(64) + j * T.int64(64)
                            for v in range(T.int64(1)):
                                for l in T.vectorized(T.int64(16)):
                                    cells_1[from_1 + (v * T.int64(16) + l)] = T.Cast("int16", T.if_then_else(T.int64(0) <= j * T.int64(2) - T.int64(1) and j * T.int64(2) - T.int64(1) < w, T.Cast("int32", x[image, line_1, j * T.int64(2) - T.int64(1), v * T.int64(16) + l]), fill) - T.if_then_else(T.int64(0) <= j * T.int64(2) - T.int64(1) + T.int64(2) and j * T.int64(2) - T.int64(1) + T.int64(2) < w, T.Cast("int32", x[image, line_1, j * T.int64(2) - T.int64(1) + T.int64(2), v * T.int64(16) + l]), fill))
                                    cells_1[from_1 + (v * T.int64(16) + l + T.int64(16))] = T.Cast("int16", T.if_then_else(T.int64(0) <= j * T.int64(2) - T.int64(1) + T.int64(1) and j * T.int64(2) - T.int64(1) + T.int64(1) < w, T.Cast("int32", x[image, line_1, j * T.int64(2) - T.int64(1) + T.int64(1), v * T.int64(16) + l]), fill) + T.if_then_else(T.int64(0) <= j * T.int64(2) - T.int64(1) + T.int64(2) and j * T.int64(2) - T.int64(1) + T.int64(2) < w, T.Cast("int32", x[image, line_1, j * T.int64(2) - T.int64(1) + T.int64(2), v * T.int64(16) + l]), fill))
                                    cells_1[from_1 + (v * T.int64(16) + l + T.int64(32))] = T.Cast("int16", T.if_then_else(T.int64(0) <= j * T.int64(2) - T.int64(1) + T.int64(2) and j * T.int64(2) - T.int64(1) + T.int64(2) < w, T.Cast("int32", x[image, line_1, j * T.int64(2) - T.int64(1) + T.int64(2), v * T.int64(16) + l]), fill) - T.if_then_else(T.int64(0) <= j * T.int64(2) - T.int64(1) + T.int64(1) and j * T.int64(2) - T.int64(1) + T.int64(1) < w, T.Cast("int32", x[image, line_1, j * T.int64(2) - T.int64(1) + T.int64(1), v * T.int64(16) + l]), fill))
                                    cells_1[from_1 + (v * T.int64(16) + l + T.int64(48))] = T.Cast("int16", T.if_then_else(T.int64(0) <= j * T.int64(2) - T.int64(1) + T.int64(1) and j * T.int64(2) - T.int64(1) + T.int64(1) < w, T.Cast("int32", x[image, line_1, j * T.int64(2) - T.int64(1) + T.int64(1), v * T.int64(16) + l]), fill) - T.if_then_else(T.int64(0) <= j * T.int64(2) - T.int64(1) + T.int64(3) and j * T.int64(2) - T.int64(1) + T.int64(3) < w, T.Cast("int32", x[image, line_1, j * T.int64(2) - T.int64(1) + T.int64(3), v * T.int64(16) + l]), fill))
                        for j in range(end - left):
                            from_2: T.int64 = line * ((w + T.int64(1)) // T.int64(2)) * T.int64(64) + left * T.int64(64) + j * T.int64(64)
                            for v in range(T.int64(1)):
                                for l in T.vectorized(T.int64(16)):
                                    cells_1[from_2 + (v * T.int64(16) + l)] = T.Cast("int16", T.Cast("int32", x[image, line_1, (left + j) * T.int64(2) - T.int64(1), v * T.int64(16) + l]) - T.Cast("int32", x[image, line_1, (left + j) * T.int64(2) - T.int64(1) + T.int64(2), v * T.int64(16) + l]))
                                    cells_1[from_2 + (v * T.int64(16) + l + T.int64(16))] = T.Cast("int16", T.Cast("int32", x[image, line_1, (left + j) * T.int64(2) - T.int64(1) + T.int64(1), v * T.int64(16) + l]) + T.Cast("int32", x[image, line_1, (left + j) * T.int64(2) - T.int64(1) + T.int64(2), v * T.int64(16) + l]))
                                    cells_1[from_2 + (v * T.int64(16) + l + T.int64(32))] = T.Cast("int16", T.Cast("int32", x[image, line_1, (left + j) * T.int64(2) - T.int64(1) + T.int64(2), v * T.int64(16) + l]) - T.Cast("int32", x[image, line_1, (left + j) * T.int64(2) - T.int64(1) + T.int64(1), v * T.int64(16) + l]))
                                    cells_1[from_2 + (v * T.int64(16) + l + T.int64(48))] = T.Cast("int16", T.Cast("int32", x[image, line_1, (left + j) * T.int64(2) - T.int64(1) + T.int64(1), v * T.int64(16) + l]) - T.Cast("int32", x[image, line_1, (left + j) * T.int64(2) - T.int64(1) + T.int64(3), v * T.int64(16) + l]))
                        for j in range((w + T.int64(1)) // T.int64(2) - end):
                            from_3: T.int64 = line * ((w + T.int64(1)) // T.int64(2)) * T.int64(64) + end * T.int64(64) + j * T.int64(64)
                            for v in range(T.int64(1)):
                                for l in T.vectorized(T.int64(16)):
                                    cells_1[from_3 + (v * T.int64(16) + l)] = T.Cast("int16", T.if_then_else(T.int64(0) <= (end + j) * T.int64(2) - T.int64(1) and (end + j) * T.int64(2) - T.int64(1) < w, T.Cast("int32", x[image, line_1, (end + j) * T.int64(2) - T.int64(1), v * T.int64(16) + l]), fill) - T.if_then_else(T.int64(0) <= (end + j) * T.int64(2) - T.int64(1) + T.int64(2) and (end + j) * T.int64(2) - T.int64(1) + T.int64(2) < w, T.Cast("int32", x[image, line_1, (end + j) * T.int64(2) - T.int64(1) + T.int64(2), v * T.int64(16) + l]), fill))
                                    cells_1[from_3 + (v * T.int64(16) + l + T.int64(16))] = T.Cast("int16", T.if_then_else(T.int64(0) <= (end + j) * T.int64(2) - T.int64(1) + T.int64(1) and (end + j) * T.int64(2) - T.int64(1) + T.int64(1) < w, T.Cast("int32", x[image, line_1, (end + j) * T.int64(2) - T.int64(1) + T.int64(1), v * T.int64(16) + l]), fill) + T.if_then_else(T.int64(0) <= (end + j) * T.int64(2) - T.int64(1) + T.int64(2) and (end + j) * T.int64(2) - T.int64(1) + T.int64(2) < w, T.Cast("int32", x[image, line_1, (end + j) * T.int64(2) - T.int64(1) + T.int64(2), v * T.int64(16) + l]), fill))
                                    cells_1[from_3 + (v * T.int64(16) + l + T.int64(32))] = T.Cast("int16", T.if_then_else(T.int64(0) <= (end + j) * T.int64(2) - T.int64(1) + T.int64(2) and (end + j) * T.int64(2) - T.int64(1) + T.int64(2) < w, T.Cast("int32", x[image, line_1, (end + j) * T.int64(2) - T.int64(1) + T.int64(2), v * T.int64(16) + l]), fill) - T.if_then_else(T.int64(0) <= (end + j) * T.int64(2) - T.int64(1) + T.int64(1) and (end + j) * T.int64(2) - T.int64(1) + T.int64(1) < w, T.Cast("int32", x[image, line_1, (end + j) * T.int64(2) - T.int64(1) + T.int64(1), v * T.int64(16) + l]), fill))
                                    cells_1[from_3 + (v * T.int64(16) + l + T.int64(48))] = T.Cast("int16", T.if_then_else(T.int64(0) <= (end + j) * T.int64(2) - T.int64(1) + T.int64(1) and (end + j) * T.int64(2) - T.int64(1) + T.int64(1) < w, T.Cast("int32", x[image, line_1, (end + j) * T.int64(2) - T.int64(1) + T.int64(1), v * T.int64(16) + l]), fill) - T.if_then_else(T.int64(0) <= (end + j) * T.int64(2) - T.int64(1) + T.int64(3) and (end + j) * T.int64(2) - T.int64(1) + T.int64(3) < w, T.Cast("int32", x[image, line_1, (end + j) * T.int64(2) - T.int64(1) + T.int64(3), v * T.int64(16) + l]), fill))
                    else:
                        for j in range((w + T.int64(1)) // T.int64(2)):
                            from_4: T.int64 = line * ((w + T.int64(1)) // T.int64(2)) * T.int64(64) + j * T.int64(64)
                            for v in range(T.int64(1)):
                                for l in T.vectorized(T.int64(16)):
                                    cells_1[from_4 + (v * T.int64(16) + l)] = T.int16(0)
                                    cells_1[from_4 + (v * T.int64(16) + l + T.int64(16))] = T.Cast("int16", fill + fill)
                                    cells_1[from_4 + (v * T.int64(16) + l + T.int64(32))] = T.int16(0)
                                    cells_1[from_4 + (v * T.int64(16) + l + T.int64(48))] = T.int16(0)
                    image_1: T.int64 = line // padded
                    y: T.int64 = line % padded
                    if y < h:
                        first: T.int64 = padded * image_1 * ((w + T.int64(1)) // T.int64(2)) + y * ((w + T.int64(1)) // T.int64(2))
                        for x_1 in range((w + T.int64(1)) // T.int64(2)):
                            windows_1[(image_1 * h + y) * ((w + T.int64(1)) // T.int64(2)) + x_1] = (first + x_1) * T.int64(32)
                            pixels_1[(image_1 * h + y) * ((w + T.int64(1)) // T.int64(2)) + x_1] = (image_1 * h + y) * w + x_1 * T.int64(2)
                blocks: T.int64 = (n * h * ((w + T.int64(1)) // T.int64(2)) + T.int64(47)) // T.int64(48)
                for piece in T.parallel(blocks, annotations={"rlx.alike": 1}):
                    row: T.int64 = piece * T.int64(48)
                    left: T.int64 = T.min(n * h * ((w + T.int64(1)) // T.int64(2)) - row, T.int64(48))
                    panel_words = T.allocate([T.int64(3072)], "int16", "global")
                    panel_words_1 = T.decl_buffer((T.int64(3072),), "int16", data=panel_words)
                    for r, word in T.grid(T.int64(3), T.int64(8)):
                        for v in T.unroll(T.int64(2)):
                            for l in T.vectorized(T.int64(16)):
                                panel_words_1[(r * T.int64(8) + word) * T.int64(32) + (v * T.int64(16) + l)] = T.Cast("int16", filter_words[(r * T.int64(3) * T.int64(8) + word) * T.int64(32) + (v * T.int64(16) + l)]) + T.Cast("int16", filter_words[(r * T.int64(3) * T.int64(8) + word) * T.int64(32) + (v * T.int64(16) + l)])
                                panel_words_1[(r * T.int64(8) + (word + T.int64(24))) * T.int64(32) + (v * T.int64(16) + l)] = T.Cast("int16", filter_words[(r * T.int64(3) * T.int64(8) + word) * T.int64(32) + (v * T.int64(16) + l)]) + T.Cast("int16", filter_words[((r * T.int64(3) + T.int64(2)) * T.int64(8) + word) * T.int64(32) + (v * T.int64(16) + l)]) + T.Cast("int16", filter_words[((r * T.int64(3) + T.int64(1)) * T.int64(8) + word) * T.int64(32) + (v * T.int64(16) + l)])
                                panel_words_1[(r * T.int64(8) + (word + T.int64(48))) * T.int64(32) + (v * T.int64(16) + l)] = T.Cast("int16", filter_words[(r * T.int64(3) * T.int64(8) + word) * T.int64(32) + (v * T.int64(16) + l)]) + T.Cast("int16", filter_words[((r * T.int64(3) + T.int64(2)) * T.int64(8) + word) * T.int64(32) + (v * T.int64(16) + l)]) - T.Cast("int16", filter_words[((r * T.int64(3) + T.int64(1)) * T.int64(8) + word) * T.int64(32) + (v * T.int64(16) + l)])
                                panel_words_1[(r * T.int64(8) + (word + T.int64(72))) * T.int64(32) + (v * T.int64(16) + l)] = T.Cast("int16", filter_words[((r * T.int64(3) + T.int64(2)) * T.int64(8) + word) * T.int64(32) + (v * T.int64(16) + l)]) + T.Cast("int16", filter_words[((r * T.int64(3) + T.int64(2)) * T.int64(8) + word) * T.int64(32) + (v * T.int64(16) + l)])
                    tiles: T.int64 = left // T.int64(6)
                    acc = T.allocate([T.int64(96)], "int32", "global")
                    acc_1 = T.decl_buffer((T.int64(96),), "int32", data=acc)
                    wide = T.allocate([T.int64(32)], "int16", "global")
                    wide_1 = T.decl_buffer((T.int64(32),), "int16", data=wide)
                    word = T.decl_buffer((T.int64(16),), "uint32", data=wide)
                    results = T.allocate([T.int64(192)], "int32", "global")
                    results_1 = T.decl_buffer((T.int64(192),), "int32", data=results)
                    points = T.allocate([T.int64(384)], "int32", "global")
                    points_1 = T.decl_buffer((T.int64(384),), "int32", data=points)
                    for i in range(tiles):
                        window: T.int64 = windows_1[row + i * T.int64(6)]
                        window_1: T.int64 = windows_1[row + i * T.int64(6) + T.int64(1)]
                        window_2: T.int64 = windows_1[row + i * T.int64(6) + T.int64(2)]
                        window_3: T.int64 = windows_1[row + i * T.int64(6) + T.int64(3)]
                        window_4: T.int64 = windows_1[row + i * T.int64(6) + T.int64(4)]
                        window_5: T.int64 = windows_1[row + i * T.int64(6) + T.int64(5)]
                        for point in range(T.int64(4)):
                            for m in T.unroll(T.int64(6)):
                                for v in T.unroll(T.int64(2)):
                                    for l in T.vectorized(T.int64(8)):
                                        acc_1[m * T.int64(16) + (v * T.int64(8) + l)] = 0
                            for r, word_1 in T.grid(T.int64(3), T.int64(8)):
                                for v in T.unroll(T.int64(2)):
                                    for l in T.vectorized(T.int64(16)):
                                        wide_1[v * T.int64(16) + l] = panel_words_1[((point * T.int64(3) + r) * T.int64(8) + word_1) * T.int64(32) + (v * T.int64(16) + l)]
                                for v in T.unroll(T.int64(2)):
                                    for l in T.vectorized(T.int64(8)):
                                        acc_1[v * T.int64(8) + l] = T.dot_s16(acc_1[v * T.int64(8) + l], words[window + (r * T.int64(32) * ((w + T.int64(1)) // T.int64(2)) + point * T.int64(8) + word_1)], word[v * T.int64(8) + l])
                                for v in T.unroll(T.int64(2)):
                                    for l in T.vectorized(T.int64(8)):
                                        acc_1[T.int64(16) + (v * T.int64(8) + l)] = T.dot_s16(acc_1[T.int64(16) + (v * T.int64(8) + l)], words[window_1 + (r * T.int64(32) * ((w + T.int64(1)) // T.int64(2)) + point * T.int64(8) + word_1)], word[v * T.int64(8) + l])
                                for v in T.unroll(T.int64(2)):
                                    for l in T.vectorized(T.int64(8)):
                                        acc_1[T.int64(32) + (v * T.int64(8) + l)] = T.dot_s16(acc_1[T.int64(32) + (v * T.int64(8) + l)], words[window_2 + (r * T.int64(32) * ((w + T.int64(1)) // T.int64(2)) + point * T.int64(8) + word_1)], word[v * T.int64(8) + l])
                                for v in T.unroll(T.int64(2)):
                                    for l in T.vectorized(T.int64(8)):
                                        acc_1[T.int64(48) + (v * T.int64(8) + l)] = T.dot_s16(acc_1[T.int64(48) + (v * T.int64(8) + l)], words[window_3 + (r * T.int64(32) * ((w + T.int64(1)) // T.int64(2)) + point * T.int64(8) + word_1)], word[v * T.int64(8) + l])
                                for v in T.unroll(T.int64(2)):
                                    for l in T.vectorized(T.int64(8)):
                                        acc_1[T.int64(64) + (v * T.int64(8) + l)] = T.dot_s16(acc_1[T.int64(64) + (v * T.int64(8) + l)], words[window_4 + (r * T.int64(32) * ((w + T.int64(1)) // T.int64(2)) + point * T.int64(8) + word_1)], word[v * T.int64(8) + l])
                                for v in T.unroll(T.int64(2)):
                                    for l in T.vectorized(T.int64(8)):
                                        acc_1[T.int64(80) + (v * T.int64(8) + l)] = T.dot_s16(acc_1[T.int64(80) + (v * T.int64(8) + l)], words[window_5 + (r * T.int64(32) * ((w + T.int64(1)) // T.int64(2)) + point * T.int64(8) + word_1)], word[v * T.int64(8) + l])
                            for m in T.unroll(T.int64(6)):
                                for v in T.unroll(T.int64(2)):
                                    for l in T.vectorized(T.int64(8)):
                                        points_1[point * T.int64(96) + (m * T.int64(16) + (v * T.int64(8) + l))] = acc_1[m * T.int64(16) + (v * T.int64(8) + l)]
                        for m in range(T.int64(6)):
                            for v in T.unroll(T.int64(2)):
                                for l in T.vectorized(T.int64(8)):
                                    results_1[m * T.int64(2) * T.int64(16) + (v * T.int64(8) + l)] = (points_1[m * T.int64(16) + (v * T.int64(8) + l)] + points_1[(m + T.int64(6)) * T.int64(16) + (v * T.int64(8) + l)] + points_1[(m + T.int64(12)) * T.int64(16) + (v * T.int64(8) + l)]) // 2
                                    results_1[(m * T.int64(2) + T.int64(1)) * T.int64(16) + (v * T.int64(8) + l)] = (points_1[(m + T.int64(6)) * T.int64(16) + (v * T.int64(8) + l)] - points_1[(m + T.int64(12)) * T.int64(16) + (v * T.int64(8) + l)] - points_1[(m + T.int64(18)) * T.int64(16) + (v * T.int64(8) + l)]) // 2
                        for m in range(T.int64(6)):
                            pixel: T.int64 = pixels_1[row + i * T.int64(6) + m]
                            line: T.int64 = pixel // w
                            x_2: T.int64 = pixel % w
                            y: T.int64 = line % h
                            image: T.int64 = line // h
                            flat = T.decl_buffer((n * h * w * T.int64(16),), "int32", data=conv2d_integer.data)
                            for v in range(T.int64(2)):
                                for l in T.vectorized(T.int64(8)):
                                    flat[pixel * T.int64(16) + (v * T.int64(8) + l)] = results_1[m * T.int64(2) * T.int64(16) + (v * T.int64(8) + l)] - fill * sums[v * T.int64(8) + l]
                            if pixel + T.int64(1) < pixels_1[row + i * T.int64(6) + m + T.int64(1)]:
                                line_2: T.int64 = (pixel + T.int64(1)) // w
                                x_3: T.int64 = (pixel + T.int64(1)) % w
                                y_1: T.int64 = line_2 % h
                                image_2: T.int64 = line_2 // h
                                flat_1 = T.decl_buffer((n * h * w * T.int64(16),), "int32", data=conv2d_integer.data)
                                for v in range(T.int64(2)):
                                    for l in T.vectorized(T.int64(8)):
                                        flat_1[(pixel + T.int64(1)) * T.int64(16) + (v * T.int64(8) + l)] = results_1[(m * T.int64(2) + T.int64(1)) * T.int64(16) + (v * T.int64(8) + l)] - fill * sums[v * T.int64(8) + l]
                    left_1: T.int64 = left - tiles * T.int64(6)
                    row_1: T.int64 = row + tiles * T.int64(6)
                    tiles_1: T.int64 = left_1 // T.int64(2)
                    acc_2 = T.allocate([T.int64(32)], "int32", "global")
                    acc_3 = T.decl_buffer((T.int64(32),), "int32", data=acc_2)
                    wide_2 = T.allocate([T.int64(32)], "int16", "global")
                    wide_3 = T.decl_buffer((T.int64(32),), "int16", data=wide_2)
                    word_2 = T.decl_buffer((T.int64(16),), "uint32", data=wide_2)
                    results_2 = T.allocate([T.int64(64)], "int32", "global")
                    results_3 = T.decl_buffer((T.int64(64),), "int32", data=results_2)
                    points_2 = T.allocate([T.int64(128)], "int32", "global")
                    points_3 = T.decl_buffer((T.int64(128),), "int32", data=points_2)
                    for i in range(tiles_1):
                        window: T.int64 = windows_1[row_1 + i * T.int64(2)]
                        window_6: T.int64 = windows_1[row_1 + i * T.int64(2) + T.int64(1)]
                        for point in range(T.int64(4)):
                            for m in T.unroll(T.int64(2)):
                                for v in T.unroll(T.int64(2)):
                                    for l in T.vectorized(T.int64(8)):
                                        acc_3[m * T.int64(16) + (v * T.int64(8) + l)] = 0
                            for r, word_3 in T.grid(T.int64(3), T.int64(8)):
                                for v in T.unroll(T.int64(2)):
                                    for l in T.vectorized(T.int64(16)):
                                        wide_3[v * T.int64(16) + l] = panel_words_1[((point * T.int64(3) + r) * T.int64(8) + word_3) * T.int64(32) + (v * T.int64(16) + l)]
                                for v in T.unroll(T.int64(2)):
                                    for l in T.vectorized(T.int64(8)):
                                        acc_3[v * T.int64(8) + l] = T.dot_s16(acc_3[v * T.int64(8) + l], words[window + (r * T.int64(32) * ((w + T.int64(1)) // T.int64(2)) + point * T.int64(8) + word_3)], word_2[v * T.int64(8) + l])
                                for v in T.unroll(T.int64(2)):
                                    for l in T.vectorized(T.int64(8)):
                                        acc_3[T.int64(16) + (v * T.int64(8) + l)] = T.dot_s16(acc_3[T.int64(16) + (v * T.int64(8) + l)], words[window_6 + (r * T.int64(32) * ((w + T.int64(1)) // T.int64(2)) + point * T.int64(8) + word_3)], word_2[v * T.int64(8) + l])
                            for m in T.unroll(T.int64(2)):
                                for v in T.unroll(T.int64(2)):
                                    for l in T.vectorized(T.int64(8)):
                                        points_3[point * T.int64(32) + (m * T.int64(16) + (v * T.int64(8) + l))] = acc_3[m * T.int64(16) + (v * T.int64(8) + l)]
                        for m in range(T.int64(2)):
                            for v in T.unroll(T.int64(2)):
                                for l in T.vectorized(T.int64(8)):
                                    results_3[m * T.int64(2) * T.int64(16) + (v * T.int64(8) + l)] = (points_3[m * T.int64(16) + (v * T.int64(8) + l)] + points_3[(m + T.int64(2)) * T.int64(16) + (v * T.int64(8) + l)] + points_3[(m + T.int64(4)) * T.int64(16) + (v * T.int64(8) + l)]) // 2
                                    results_3[(m * T.int64(2) + T.int64(1)) * T.int64(16) + (v * T.int64(8) + l)] = (points_3[(m + T.int64(2)) * T.int64(16) + (v * T.int64(8) + l)] - points_3[(m + T.int64(4)) * T.int64(16) + (v * T.int64(8) + l)] - points_3[(m + T.int64(6)) * T.int64(16) + (v * T.int64(8) + l)]) // 2
                        for m in range(T.int64(2)):
                            pixel: T.int64 = pixels_1[row_1 + i * T.int64(2) + m]
                            line: T.int64 = pixel // w
                            x_4: T.int64 = pixel % w
                            y: T.int64 = line % h
                            image: T.int64 = line // h
                            flat = T.decl_buffer((n * h * w * T.int64(16),), "int32", data=conv2d_integer.data)
                            for v in range(T.int64(2)):
                                for l in T.vectorized(T.int64(8)):
                                    flat[pixel * T.int64(16) + (v * T.int64(8) + l)] = results_3[m * T.int64(2) * T.int64(16) + (v * T.int64(8) + l)] - fill * sums[v * T.int64(8) + l]
                            if pixel + T.int64(1) < pixels_1[row_1 + i * T.int64(2) + m + T.int64(1)]:
                                line_3: T.int64 = (pixel + T.int64(1)) // w
                                x_5: T.int64 = (pixel + T.int64(1)) % w
                                y_2: T.int64 = line_3 % h
                                image_3: T.int64 = line_3 // h
                                flat_2 = T.decl_buffer((n * h * w * T.int64(16),), "int32", data=conv2d_integer.data)
                                for v in range(T.int64(2)):
                                    for l in T.vectorized(T.int64(8)):
                                        flat_2[(pixel + T.int64(1)) * T.int64(16) + (v * T.int64(8) + l)] = results_3[(m * T.int64(2) + T.int64(1)) * T.int64(16) + (v * T.int64(8) + l)] - fill * sums[v * T.int64(8) + l]
                    left_2: T.int64 = left_1 - tiles_1 * T.int64(2)
                    row_2: T.int64 = row_1 + tiles_1 * T.int64(2)
                    acc_4 = T.allocate([T.int64(16)], "int32", "global")
                    acc_5 = T.decl_buffer((T.int64(16),), "int32", data=acc_4)
                    wide_4 = T.allocate([T.int64(32)], "int16", "global")
                    wide_5 = T.decl_buffer((T.int64(32),), "int16", data=wide_4)
                    word_4 = T.decl_buffer((T.int64(16),), "uint32", data=wide_4)
                    results_4 = T.allocate([T.int64(32)], "int32", "global")
                    results_5 = T.decl_buffer((T.int64(32),), "int32", data=results_4)
                    points_4 = T.allocate([T.int64(64)], "int32", "global")
                    points_5 = T.decl_buffer((T.int64(64),), "int32", data=points_4)
                    for i in range(left_2):
                        window: T.int64 = windows_1[row_2 + i]
                        for point in range(T.int64(4)):
                            for m in T.unroll(T.int64(1)):
                                for v in T.unroll(T.int64(2)):
                                    for l in T.vectorized(T.int64(8)):
                                        acc_5[m * T.int64(16) + (v * T.int64(8) + l)] = 0
                            for r, word_5 in T.grid(T.int64(3), T.int64(8)):
                                for v in T.unroll(T.int64(2)):
                                    for l in T.vectorized(T.int64(16)):
                                        wide_5[v * T.int64(16) + l] = panel_words_1[((point * T.int64(3) + r) * T.int64(8) + word_5) * T.int64(32) + (v * T.int64(16) + l)]
                                for v in T.unroll(T.int64(2)):
                                    for l in T.vectorized(T.int64(8)):
                                        acc_5[v * T.int64(8) + l] = T.dot_s16(acc_5[v * T.int64(8) + l], words[window + (r * T.int64(32) * ((w + T.int64(1)) // T.int64(2)) + point * T.int64(8) + word_5)], word_4[v * T.int64(8) + l])
                            for m in T.unroll(T.int64(1)):
                                for v in T.unroll(T.int64(2)):
                                    for l in T.vectorized(T.int64(8)):
                                        points_5[point * T.int64(16) + (m * T.int64(16) + (v * T.int64(8) + l))] = acc_5[m * T.int64(16) + (v * T.int64(8) + l)]
                        for m in range(T.int64(1)):
                            for v in T.unroll(T.int64(2)):
                                for l in T.vectorized(T.int64(8)):
                                    results_5[m * T.int64(2) * T.int64(16) + (v * T.int64(8) + l)] = (points_5[m * T.int64(16) + (v * T.int64(8) + l)] + points_5[(m + T.int64(1)) * T.int64(16) + (v * T.int64(8) + l)] + points_5[(m + T.int64(2)) * T.int64(16) + (v * T.int64(8) + l)]) // 2
                                    results_5[(m * T.int64(2) + T.int64(1)) * T.int64(16) + (v * T.int64(8) + l)] = (points_5[(m + T.int64(1)) * T.int64(16) + (v * T.int64(8) + l)] - points_5[(m + T.int64(2)) * T.int64(16) + (v * T.int64(8) + l)] - points_5[(m + T.int64(3)) * T.int64(16) + (v * T.int64(8) + l)]) // 2
                        for m in range(T.int64(1)):
                            pixel: T.int64 = pixels_1[row_2 + i + m]
                            line: T.int64 = pixel // w
                            x_6: T.int64 = pixel % w
                            y: T.int64 = line % h
                            image: T.int64 = line // h
                            flat = T.decl_buffer((n * h * w * T.int64(16),), "int32", data=conv2d_integer.data)
                            for v in range(T.int64(2)):
                                for l in T.vectorized(T.int64(8)):
                                    flat[pixel * T.int64(16) + (v * T.int64(8) + l)] = results_5[m * T.int64(2) * T.int64(16) + (v * T.int64(8) + l)] - fill * sums[v * T.int64(8) + l]
                            if pixel + T.int64(1) < pixels_1[row_2 + i + m + T.int64(1)]:
                                line_4: T.int64 = (pixel + T.int64(1)) // w
                                x_7: T.int64 = (pixel + T.int64(1)) % w
                                y_3: T.int64 = line_4 % h
                                image_4: T.int64 = line_4 // h
                                flat_3 = T.decl_buffer((n * h * w * T.int64(16),), "int32", data=conv2d_integer.data)
                                for v in range(T.int64(2)):
                                    for l in T.vectorized(T.int64(8)):
                                        flat_3[(pixel + T.int64(1)) * T.int64(16) + (v * T.int64(8) + l)] = results_5[(m * T.int64(2) + T.int64(1)) * T.int64(16) + (v * T.int64(8) + l)] - fill * sums[v * T.int64(8) + l]

# ==== pointwise
# The input pixels are copied out, then multiplied by words of the filter.
@I.ir_module
class Module:
    @R.function
    def main(x: R.Tensor((1, 8, 4, 4), "uint8")):
        with R.dataflow():
            xd = R.dequantize(x, R.const(0.5, "float32"), R.const(3, "uint8"))
            wd = R.dequantize(R.const([[[[-3]], [[0]], [[3]], [[-1]], [[2]], [[-2]], [[1]], [[-3]]], [[[2]], [[-2]], [[1]], [[-3]], [[0]], [[3]], [[-1]], [[2]]], [[[0]], [[3]], [[-1]], [[2]], [[-2]], [[1]], [[-3]], [[0]]], [[[-2]], [[1]], [[-3]], [[0]], [[3]], [[-1]], [[2]], [[-2]]], [[[3]], [[-1]], [[2]], [[-2]], [[1]], [[-3]], [[0]], [[3]]], [[[1]], [[-3]], [[0]], [[3]], [[-1]], [[2]], [[-2]], [[1]]], [[[-1]], [[2]], [[-2]], [[1]], [[-3]], [[0]], [[3]], [[-1]]], [[[-3]], [[0]], [[3]], [[-1]], [[2]], [[-2]], [[1]], [[-3]]], [[[2]], [[-2]], [[1]], [[-3]], [[0]], [[3]], [[-1]], [[2]]], [[[0]], [[3]], [[-1]], [[2]], [[-2]], [[1]], [[-3]], [[0]]], [[[-2]], [[1]], [[-3]], [[0]], [[3]], [[-1]], [[2]], [[-2]]], [[[3]], [[-1]], [[2]], [[-2]], [[1]], [[-3]], [[0]], [[3]]], [[[1]], [[-3]], [[0]], [[3]], [[-1]], [[2]], [[-2]], [[1]]], [[[-1]], [[2]], [[-2]], [[1]], [[-3]], [[0]], [[3]], [[-1]]], [[[-3]], [[0]], [[3]], [[-1]], [[2]], [[-2]], [[1]], [[-3]]], [[[2]], [[-2]], [[1]], [[-3]], [[0]], [[3]], [[-1]], [[2]]]], "int8"), R.const(0.25, "float32"), R.const(0, "int8"))
            y = R.nn.conv2d(xd, wd)
            z = R.quantize(y, R.const(2.0, "float32"), R.const(3, "uint8"), out_dtype="uint8")
            R.output(z)
        return z
# ---- expected
metadata = tvm.ir.load_json("""{
  \"root\": 1, 
  \"nodes\": [
    {\"type_key\": \"\"}, 
    {\"type_key\": \"Map\", \"keys\": [\"relax.expr.Constant\"], \"data\": [2]}, 
    {\"type_key\": \"Array\", \"data\": [3, 4, 5]}, 
    {\"type_key\": \"relax.expr.Constant\", \"attrs\": {\"data\": \"0\", \"span\": \"0\", \"struct_info_\": \"0\"}}, 
    {\"type_key\": \"relax.expr.Constant\", \"attrs\": {\"data\": \"1\", \"span\": \"0\", \"struct_info_\": \"0\"}}, 
    {\"type_key\": \"relax.expr.Constant\", \"attrs\": {\"data\": \"2\", \"span\": \"0\", \"struct_info_\": \"0\"}}
  ], 
  \"b64ndarrays\": [
    \"P6G0lvBAXt0AAAAAAAAAAAEAAAAAAAAABgAAAAAIAQABAAAAAAAAAAEAAAAAAAAAAQAAAAAAAAAEAAAAAAAAABAAAAAAAAAAAgAAAAAAAACAAAAAAAAAAP0AAv4AA/4BA/8B/f8C/QAC/gAD/gED/wH9/wL9AAL+A/8B/f8C/QAC/gAD/gED/wH9/wL9AAL+AAP+AQP/Af0C/gAD/gED/wH9/wL9AAL+AAP+AQP/Af3/Av0AAv4AAwH9/wL9AAL+AAP+AQP/Af3/Av0AAv4AA/4BA/8B/f8C\", 
    \"P6G0lvBAXt0AAAAAAAAAAAEAAAAAAAAAAQAAAAAgAQAQAAAAAAAAAEAAAAAAAAAA/f///wIAAAAAAAAA/v///wMAAAABAAAA//////3///8CAAAAAAAAAP7///8DAAAAAQAAAP/////9////AgAAAA==\", 
    \"P6G0lvBAXt0AAAAAAAAAAAEAAAAAAAAABAAAAAIgAQABAAAAAAAAAAEAAAAAAAAAAQAAAAAAAAAQAAAAAAAAAEAAAAAAAAAAAACAPQAAgD0AAIA9AACAPQAAgD0AAIA9AACAPQAAgD0AAIA9AACAPQAAgD0AAIA9AACAPQAAgD0AAIA9AACAPQ==\"
  ], 
  \"attrs\": {\"tvm_version\": \"0.20.0\"}
}""")
# from tvm.script import ir as I
# from tvm.script import tir as T
# from tvm.script import relax as R

@I.ir_module
class Module:
    @R.function
    def main(x: R.Tensor((1, 8, 4, 4), dtype="uint8")) -> R.Tensor((1, 16, 4, 4), dtype="uint8"):
        R.func_attr({"relax.force_pure": True})
        cls = Module
        storage: R.Object = R.memory.alloc_storage(R.shape([128]), R.prim_value(0), R.str("planned"), R.dtype("uint8"))
        lv: R.Tensor((1, 4, 4, 8), dtype="uint8") = R.memory.alloc_tensor(storage, R.prim_value(0), R.shape([1, 4, 4, 8]), R.dtype("uint8"))
        _: R.Tuple = cls.transpose(x, lv)
        storage_1: R.Object = R.memory.alloc_storage(R.shape([256]), R.prim_value(0), R.str("planned"), R.dtype("uint8"))
        z: R.Tensor((1, 4, 4, 16), dtype="uint8") = R.memory.alloc_tensor(storage_1, R.prim_value(0), R.shape([1, 4, 4, 16]), R.dtype("uint8"))
        _: R.Tuple = cls.fused_conv2d_integer_cast_multiply_quantize(lv, metadata["relax.expr.Constant"][0], metadata["relax.expr.Constant"][1], metadata["relax.expr.Constant"][2], z)
        _: R.Tuple = R.memory.kill_tensor(lv)
        _: R.Tuple = R.memory.kill_storage(storage)
        z_1: R.Tensor((1, 16, 4, 4), dtype="uint8") = R.builtin.alloc_tensor(R.shape([1, 16, 4, 4]), R.dtype("uint8"), R.prim_value(0), R.str("global"))
        _: R.Tuple = cls.transpose1(z, z_1)
        _: R.Tuple = R.memory.kill_tensor(z)
        _: R.Tuple = R.memory.kill_storage(storage_1)
        return z_1

    @T.prim_func(private=True)
    def transpose(x: T.Buffer((T.int64(1), T.int64(8), T.int64(4), T.int64(4)), "uint8"), T_transpose: T.Buffer((T.int64(1), T.int64(4), T.int64(4), T.int64(8)), "uint8")):
        T.func_attr({"op_pattern": 2, "tir.noalias": T.bool(True)})
        # with T.block("root"):
        for ax0, ax1, ax2, ax3 in T.grid(T.int64(1), T.int64(4), T.int64(4), T.int64(8)):
            with T.block("T_transpose"):
                v_ax0, v_ax1, v_ax2, v_ax3 = T.axis.remap("SSSS", [ax0, ax1, ax2, ax3])
                T.reads(x[v_ax0, v_ax3, v_ax1, v_ax2])
                T.writes(T_transpose[v_ax0, v_ax1, v_ax2, v_ax3])
                T.block_attr({"rlx.operator": "transpose ssss"})
                T_transpose[v_ax0, v_ax1, v_ax2, v_ax3] = x[v_ax0, v_ax3, v_ax1, v_ax2]

    @T.prim_func(private=True)
    def transpose1(z: T.Buffer((T.int64(1), T.int64(4), T.int64(4), T.int64(16)), "uint8"), T_transpose: T.Buffer((T.int64(1), T.int64(16), T.int64(4), T.int64(4)), "uint8")):
        T.func_attr({"op_pattern": 2, "tir.noalias": T.bool(True)})
        # with T.block("root"):
        for ax0, ax1, ax2, ax3 in T.grid(T.int64(1), T.int64(16), T.int64(4), T.int64(4)):
            with T.block("T_transpose"):
                v_ax0, v_ax1, v_ax2, v_ax3 = T.axis.remap("SSSS", [ax0, ax1, ax2, ax3])
                T.reads(z[v_ax0, v_ax2, v_ax3, v_ax1])
                T.writes(T_transpose[v_ax0, v_ax1, v_ax2, v_ax3])
                T.block_attr({"rlx.operator": "transpose ssss"})
                T_transpose[v_ax0, v_ax1, v_ax2, v_ax3] = z[v_ax0, v_ax2, v_ax3, v_ax1]

    @T.prim_func(private=True)
    def fused_conv2d_integer_cast_multiply_quantize(lv: T.Buffer((T.int64(1), T.int64(4), T.int64(4), T.int64(8)), "uint8"), filter: T.Buffer((T.int64(1), T.int64(1), T.int64(1), T.int64(4), T.int64(16), T.int64(2)), "int8"), sums: T.Buffer((T.int64(16),), "int32"), rhs: T.Buffer((T.int64(1), T.int64(1), T.int64(1), T.int64(16)), "float32"), quantize: T.Buffer((T.int64(1), T.int64(4), T.int64(4), T.int64(16)), "uint8")):
        T.func_attr({"op_pattern": 4, "tir.noalias": T.bool(True)})
        with T.block("root"):
            with T.block("int8_conv"):
                cells = T.allocate([T.int64(128)], "int16", "global")
                cells_1 = T.decl_buffer((T.int64(128),), "int16", data=cells)
                words = T.decl_buffer((T.int64(64),), "uint32", data=cells)
                filter_words = T.decl_buffer((T.int64(128),), "int8", data=filter.data)
                for line in range(T.int64(4)):
                    image: T.int64 = line // T.int64(4)
                    line_1: T.int64 = line % T.int64(4)
                    at: T.int64 = line * T.int64(32)
                    flat = T.decl_buffer((T.int64(128),), "uint8", data=lv.data)
                    for k in range(T.int64(32)):
                        cells_1[at + k] = T.Cast("int16", T.Cast("int32", flat[(image * T.int64(4) + line_1) * T.int64(4) * T.int64(8) + k]))
                for piece in range(T.int64(1)):
                    row: T.int64 = piece * T.int64(48)
                    left: T.int64 = T.min(T.int64(16) - row, T.int64(48))
                    tiles: T.int64 = left // T.int64(6)
                    acc = T.allocate([T.int64(96)], "int32", "global")
                    acc_1 = T.decl_buffer((T.int64(96),), "int32", data=acc)
                    wide = T.allocate([T.int64(32)], "int16", "global")
                    wide_1 = T.decl_buffer((T.int64(32),), "int16", data=wide)
                    word = T.decl_buffer((T.int64(16),), "uint32", data=wide)
                    results = T.allocate([T.int64(96)], "int32", "global")
                    results_1 = T.decl_buffer((T.int64(96),), "int32", data=results)
                    for i in range(tiles):
                        window: T.int64 = row * T.int64(4) + i * T.int64(24)
                        window_1: T.int64 = window + T.int64(4)
                        window_2: T.int64 = window_1 + T.int64(4)
                        window_3: T.int64 = window_2 + T.int64(4)
                        window_4: T.int64 = window_3 + T.int64(4)
                        window_5: T.int64 = window_4 + T.int64(4)
                        for m in T.unroll(T.int64(6)):
                            for v in T.unroll(T.int64(2)):
                                for l in T.vectorized(T.int64(8)):
                                    acc_1[m * T.int64(16) + (v * T.int64(8) + l)] = 0
                        for r, word_1 in T.grid(T.int64(1), T.int64(4)):
                            for v in T.unroll(T.int64(2)):
                                for l in T.vectorized(T.int64(16)):
                                    wide_1[v * T.int64(16) + l] = T.Cast("int16", filter_words[(r * T.int64(4) + word_1) * T.int64(32) + (v * T.int64(16) + l)])
                            for v in T.unroll(T.int64(2)):
                                for l in T.vectorized(T.int64(8)):
                                    acc_1[v * T.int64(8) + l] = T.dot_s16(acc_1[v * T.int64(8) + l], words[window + (r * T.int64(4) * T.int64(4) + word_1)], word[v * T.int64(8) + l])
                            for v in T.unroll(T.int64(2)):
                                for l in T.vectorized(T.int64(8)):
                                    acc_1[T.int64(16) + (v * T.int64(8) + l)] = T.dot_s16(acc_1[T.int64(16) + (v * T.int64(8) + l)], words[window_1 + (r * T.int64(4) * T.int64(4) + word_1)], word[v * T.int64(8) + l])
                            for v in T.unroll(T.int64(2)):
                                for l in T.vectorized(T.int64(8)):
                                    acc_1[T.int64(32) + (v * T.int64(8) + l)] = T.dot_s16(acc_1[T.int64(32) + (v * T.int64(8) + l)], words[window_2 + (r * T.int64(4) * T.int64(4) + word_1)], word[v * T.int64(8) + l])
                            for v in T.unroll(T.int64(2)):
                                for l in T.vectorized(T.int64(8)):
                                    acc_1[T.int64(48) + (v * T.int64(8) + l)] = T.dot_s16(acc_1[T.int64(48) + (v * T.int64(8) + l)], words[window_3 + (r * T.int64(4) * T.int64(4) + word_1)], word[v * T.int64(8) + l])
                            for v in T.unroll(T.int64(2)):
                                for l in T.vectorized(T.int64(8)):
                                    acc_1[T.int64(64) + (v * T.int64(8) + l)] = T.dot_s16(acc_1[T.int64(64) + (v * T.int64(8) + l)], words[window_4 + (r * T.int64(4) * T.int64(4) + word_1)], word[v * T.int64(8) + l])
                            for v in T.unroll(T.int64(2)):
                                for l in T.vectorized(T.int64(8)):
                                    acc_1[T.int64(80) + (v * T.int64(8) + l)] = T.dot_s16(acc_1[T.int64(80) + (v * T.int64(8) + l)], words[window_5 + (r * T.int64(4) * T.int64(4) + word_1)], word[v * T.int64(8) + l])
                        for m in T.unroll(T.int64(6)):
                            for v in T.unroll(T.int64(2)):
                                for l in T.vectorized(T.int64(8)):
                                    results_1[m * T.int64(16) + (v * T.int64(8) + l)] = acc_1[m * T.int64(16) + (v * T.int64(8) + l)]
                        for m in range(T.int64(6)):
                            line: T.int64 = (row + i * T.int64(6) + m) // T.int64(4)
                            x: T.int64 = (row + i * T.int64(6) + m) % T.int64(4)
                            y: T.int64 = line % T.int64(4)
                            image: T.int64 = line // T.int64(4)
                            flat = T.decl_buffer((T.int64(256),), "uint8", data=quantize.data)
                            for v in range(T.int64(2)):
                                for l in T.vectorized(T.int64(8)):
                                    flat[(row + i * T.int64(6) + m) * T.int64(16) + (v * T.int64(8) + l)] = T.Cast("uint8", T.max(T.min(T.nearbyint(T.Cast("float32", results_1[m * T.int64(16) + (v * T.int64(8) + l)] - 3 * sums[v * T.int64(8) + l]) * rhs[image, T.int64(0), T.int64(0), v * T.int64(8) + l] / T.float32(1.0)) + T.float32(3.0), T.float32(255.0)), T.float32(0.0)))
                    left_1: T.int64 = left - tiles * T.int64(6)
                    row_1: T.int64 = row + tiles * T.int64(6)
                    tiles_1: T.int64 = left_1 // T.int64(2)
                    acc_2 = T.allocate([T.int64(32)], "int32", "global")
                    acc_3 = T.decl_buffer((T.int64(32),), "int32", data=acc_2)
                    wide_2 = T.allocate([T.int64(32)], "int16", "global")
                    wide_3 = T.decl_buffer((T.int64(32),), "int16", data=wide_2)
                    word_2 = T.decl_buffer((T.int64(16),), "uint32", data=wide_2)
                    results_2 = T.allocate([T.int64(32)], "int32", "global")
                    results_3 = T.decl_buffer((T.int64(32),), "int32", data=results_2)
                    for i in range(tiles_1):
                        window: T.int64 = row_1 * T.int64(4) + i * T.int64(8)
                        window_6: T.int64 = window + T.int64(4)
                        for m in T.unroll(T.int64(2)):
                            for v in T.unroll(T.int64(2)):
                                for l in T.vectorized(T.int64(8)):
                                    acc_3[m * T.int64(16) + (v * T.int64(8) + l)] = 0
                        for r, word_3 in T.grid(T.int64(1), T.int64(4)):
                            for v in T.unroll(T.int64(2)):
                                for l in T.vectorized(T.int64(16)):
                                    wide_3[v * T.int64(16) + l] = T.Cast("int16", filter_words[(r * T.int64(4) + word_3) * T.int64(32) + (v * T.int64(16) + l)])
                            for v in T.unroll(T.int64(2)):
                                for l in T.vectorized(T.int64(8)):
                                    acc_3[v * T.int64(8) + l] = T.dot_s16(acc_3[v * T.int64(8) + l], words[window + (r * T.int64(4) * T.int64(4) + word_3)], word_2[v * T.int64(8) + l])
                            for v in T.unroll(T.int64(2)):
                                for l in T.vectorized(T.int64(8)):
                                    acc_3[T.int64(16) + (v * T.int64(8) + l)] = T.dot_s16(acc_3[T.int64(16) + (v * T.int64(8) + l)], words[window_6 + (r * T.int64(4) * T.int64(4) + word_3)], word_2[v * T.int64(8) + l])
                        for m in T.unroll(T.int64(2)):
                            for v in T.unroll(T.int64(2)):
                                for l in T.vectorized(T.int64(8)):
                                    results_3[m * T.int64(16) + (v * T.int64(8) + l)] = acc_3[m * T.int64(16) + (v * T.int64(8) + l)]
                        for m in range(T.int64(2)):
                            line: T.int64 = (row_1 + i * T.int64(2) + m) // T.int64(4)
                            x: T.int64 = (row_1 + i * T.int64(2) + m) % T.int64(4)
                            y: T.int64 = line % T.int64(4)
                            image: T.int64 = line // T.int64(4)
                            flat = T.decl_buffer((T.int64(256),), "uint8", data=quantize.data)
                            for v in range(T.int64(2)):
                                for l in T.vectorized(T.int64(8)):
                                    flat[(row_1 + i * T.int64(2) + m) * T.int64(16) + (v * T.int64(8) + l)] = T.Cast("uint8", T.max(T.min(T.nearbyint(T.Cast("float32", results_3[m * T.int64(16) + (v * T.int64(8) + l)] - 3 * sums[v * T.int64(8) + l]) * rhs[image, T.int64(0), T.int64(0), v * T.int64(8) + l] / T.float32(1.0)) + T.float32(3.0), T.float32(255.0)), T.float32(0.0)))
                    left_2: T.int64 = left_1 - tiles_1 * T.int64(2)
                    row_2: T.int64 = row_1 + tiles_1 * T.int64(2)
                    acc_4 = T.allocate([T.int64(16)], "int32", "global")
                    acc_5 = T.decl_buffer((T.int64(16),), "int32", data=acc_4)
                    wide_4 = T.allocate([T.int64(32)], "int16", "global")
                    wide_5 = T.decl_buffer((T.int64(32),), "int16", data=wide_4)
                    word_4 = T.decl_buffer((T.int64(16),), "uint32", data=wide_4)
                    results_4 = T.allocate([T.int64(16)], "int32", "global")
                    results_5 = T.decl_buffer((T.int64(16),), "int32", data=results_4)
                    for i in range(left_2):
                        window: T.int64 = row_2 * T.int64(4) + i * T.int64(4)
                        for m in T.unroll(T.int64(1)):
                            for v in T.unroll(T.int64(2)):
                                for l in T.vectorized(T.int64(8)):
                                    acc_5[m * T.int64(16) + (v * T.int64(8) + l)] = 0
                        for r, word_5 in T.grid(T.int64(1), T.int64(4)):
                            for v in T.unroll(T.int64(2)):
                                for l in T.vectorized(T.int64(16)):
                                    wide_5[v * T.int64(16) + l] = T.Cast("int16", filter_words[(r * T.int64(4) + word_5) * T.int64(32) + (v * T.int64(16) + l)])
                            for v in T.unroll(T.int64(2)):
                                for l in T.vectorized(T.int64(8)):
                                    acc_5[v * T.int64(8) + l] = T.dot_s16(acc_5[v * T.int64(8) + l], words[window + (r * T.int64(4) * T.int64(4) + word_5)], word_4[v * T.int64(8) + l])
                        for m in T.unroll(T.int64(1)):
                            for v in T.unroll(T.int64(2)):
                                for l in T.vectorized(T.int64(8)):
                                    results_5[m * T.int64(16) + (v * T.int64(8) + l)] = acc_5[m * T.int64(16) + (v * T.int64(8) + l)]
                        for m in range(T.int64(1)):
                            line: T.int64 = (row_2 + i + m) // T.int64(4)
                            x: T.int64 = (row_2 + i + m) % T.int64(4)
                            y: T.int64 = line % T.int64(4)
                            image: T.int64 = line // T.int64(4)
                            flat = T.decl_buffer((T.int64(256),), "uint8", data=quantize.data)
                            for v in range(T.int64(2)):
                                for l in T.vectorized(T.int64(8)):
                                    flat[(row_2 + i + m) * T.int64(16) + (v * T.int64(8) + l)] = T.Cast("uint8", T.max(T.min(T.nearbyint(T.Cast("float32", results_5[m * T.int64(16) + (v * T.int64(8) + l)] - 3 * sums[v * T.int64(8) + l]) * rhs[image, T.int64(0), T.int64(0), v * T.int64(8) + l] / T.float32(1.0)) + T.float32(3.0), T.float32(255.0)), T.float32(0.0)))

# ==== windows
# Windows: the first of a tile takes divisions, the others advance across the ends of lines and images.
@I.ir_module
class Module:
    @R.function
    def main(x: R.Tensor(("n", "h", "w", 2), "uint8"), filter: R.Tensor((1, 3, 3, 1, 16, 2), "int8"), sums: R.Tensor((16,), "int32"), zero: R.Tensor((), "uint8")):
        with R.dataflow():
            y = R.nn.conv2d_integer(x, filter, sums, zero, strides=[2, 2], padding=[1, 1, 1, 1], data_layout="NHWC")
            R.output(y)
        return y
# ---- expected
# from tvm.script import ir as I
# from tvm.script import tir as T
# from tvm.script import relax as R

@I.ir_module
class Module:
    @R.function
    def main(x: R.Tensor(("n", "h", "w", 2), dtype="uint8"), filter: R.Tensor((1, 3, 3, 1, 16, 2), dtype="int8"), sums: R.Tensor((16,), dtype="int32"), zero: R.Tensor((), dtype="uint8")) -> R.Tensor(("n", "(h + 1) // 2", "(w + 1) // 2", 16), dtype="int32"):
        n = T.int64()
        h = T.int64()
        w = T.int64()
        R.func_attr({"relax.force_pure": True})
        cls = Module
        y: R.Tensor((n, (h + 1) // 2, (w + 1) // 2, 16), dtype="int32") = R.builtin.alloc_tensor(R.shape([n, (h + 1) // 2, (w + 1) // 2, 16]), R.dtype("int32"), R.prim_value(0), R.str("global"))
        _: R.Tuple = cls.conv2d_integer(x, filter, sums, zero, y)
        return y

    @T.prim_func(private=True)
    def conv2d_integer(var_x: T.handle, filter: T.Buffer((T.int64(1), T.int64(3), T.int64(3), T.int64(1), T.int64(16), T.int64(2)), "int8"), sums: T.Buffer((T.int64(16),), "int32"), zero: T.Buffer((), "uint8"), var_conv2d_integer: T.handle):
        T.func_attr({"op_pattern": 4, "tir.noalias": T.bool(True)})
        n = T.int64()
        h = T.int64()
        w = T.int64()
        x = T.match_buffer(var_x, (n, h, w, T.int64(2)), "uint8")
        conv2d_integer = T.match_buffer(var_conv2d_integer, (n, (h + T.int64(1)) // T.int64(2), (w + T.int64(1)) // T.int64(2), T.int64(16)), "int32")
        with T.block("root"):
            with T.block("int8_conv"):
                padded: T.int64 = (h + T.int64(1)) // T.int64(2) * T.int64(2) + T.int64(1)
                padded_1: T.int64 = (w + T.int64(1)) // T.int64(2) * T.int64(2) + T.int64(1)
                cells = T.allocate([n * padded * padded_1 * T.int64(2)], "int16", "global")
                cells_1 = T.decl_buffer((n * padded * padded_1 * T.int64(2),), "int16", data=cells)
                words = T.decl_buffer((n * padded * padded_1,), "uint32", data=cells)
                filter_words = T.decl_buffer((T.int64(288),), "int8", data=filter.data)
                fill: T.int32 = T.Cast("int32", zero[()])
                windows = T.allocate([n * ((h + T.int64(1)) // T.int64(2)) * ((w + T.int64(1)) // T.int64(2))], "int64", "global")
                windows_1 = T.decl_buffer((n * ((h + T.int64(1)) // T.int64(2)) * ((w + T.int64(1)) // T.int64(2)),), "int64", data=windows)
                for line in T.parallel(n * padded, annotations={"rlx.alike": 1}):
                    image: T.int64 = line // padded
                    line_1: T.int64 = line % padded - T.int64(1)
                    at: T.int64 = padded_1 * line * T.int64(2)
                    if T.int64(0) <= line_1 and line_1 < h:
                        left: T.int64 = T.min(padded_1, T.int64(1))
                        end: T.int64 = T.max(left, T.min(padded_1, w + T.int64(1)))
                        for k in range(left * T.int64(2)):
                            cells_1[at + k] = T.Cast("int16", fill)
                        flat = T.decl_buffer((n * h * w * T.int64(2),), "uint8", data=x.data)
                        for k in range((end - left) * T.int64(2)):
                            cells_1[at + left * T.int64(2) + k] = T.Cast("int16", T.Cast("int32", flat[(image * h + line_1) * w * T.int64(2) + k]))
                        for k in range((padded_1 - end) * T.int64(2)):
                            cells_1[at + end * T.int64(2) + k] = T.Cast("int16", fill)
                    else:
                        for k in range(padded_1 * T.int64(2)):
                            cells_1[at + k] = T.Cast("int16", fill)
                    image_1: T.int64 = line // padded
                    y: T.int64 = line % padded
                    if y < (h + T.int64(1)) // T.int64(2):
                        first: T.int64 = padded * padded_1 * image_1 + padded_1 * y * T.int64(2)
                        for x_1 in range((w + T.int64(1)) // T.int64(2)):
                            windows_1[(image_1 * ((h + T.int64(1)) // T.int64(2)) + y) * ((w + T.int64(1)) // T.int64(2)) + x_1] = first + x_1 * T.int64(2)
                blocks: T.int64 = (n * ((h + T.int64(1)) // T.int64(2)) * ((w + T.int64(1)) // T.int64(2)) + T.int64(47)) // T.int64(48)
                for piece in T.parallel(blocks, annotations={"rlx.alike": 1}):
                    row: T.int64 = piece * T.int64(48)
                    left: T.int64 = T.min(n * ((h + T.int64(1)) // T.int64(2)) * ((w + T.int64(1)) // T.int64(2)) - row, T.int64(48))
                    tiles: T.int64 = left // T.int64(6)
                    acc = T.allocate([T.int64(96)], "int32", "global")
                    acc_1 = T.decl_buffer((T.int64(96),), "int32", data=acc)
                    wide = T.allocate([T.int64(32)], "int16", "global")
                    wide_1 = T.decl_buffer((T.int64(32),), "int16", data=wide)
                    word = T.decl_buffer((T.int64(16),), "uint32", data=wide)
                    results = T.allocate([T.int64(96)], "int32", "global")
                    results_1 = T.decl_buffer((T.int64(96),), "int32", data=results)
                    for i in range(tiles):
                        window: T.int64 = windows_1[row + i * T.int64(6)]
                        window_1: T.int64 = windows_1[row + i * T.int64(6) + T.int64(1)]
                        window_2: T.int64 = windows_1[row + i * T.int64(6) + T.int64(2)]
                        window_3: T.int64 = windows_1[row + i * T.int64(6) + T.int64(3)]
                        window_4: T.int64 = windows_1[row + i * T.int64(6) + T.int64(4)]
                        window_5: T.int64 = windows_1[row + i * T.int64(6) + T.int64(5)]
                        for m in T.unroll(T.int64(6)):
                            for v in T.unroll(T.int64(2)):
                                for l in T.vectorized(T.int64(8)):
                                    acc_1[m * T.int64(16) + (v * T.int64(8) + l)] = 0
                        for r, word_1 in T.grid(T.int64(3), T.int64(3)):
                            for v in T.unroll(T.int64(2)):
                                for l in T.vectorized(T.int64(16)):
                                    wide_1[v * T.int64(16) + l] = T.Cast("int16", filter_words[(r * T.int64(3) + word_1) * T.int64(32) + (v * T.int64(16) + l)])
                            for v in T.unroll(T.int64(2)):
                                for l in T.vectorized(T.int64(8)):
                                    acc_1[v * T.int64(8) + l] = T.dot_s16(acc_1[v * T.int64(8) + l], words[window + (r * padded_1 + word_1)], word[v * T.int64(8) + l])
                            for v in T.unroll(T.int64(2)):
                                for l in T.vectorized(T.int64(8)):
                                    acc_1[T.int64(16) + (v * T.int64(8) + l)] = T.dot_s16(acc_1[T.int64(16) + (v * T.int64(8) + l)], words[window_1 + (r * padded_1 + word_1)], word[v * T.int64(8) + l])
                            for v in T.unroll(T.int64(2)):
                                for l in T.vectorized(T.int64(8)):
                                    acc_1[T.int64(32) + (v * T.int64(8) + l)] = T.dot_s16(acc_1[T.int64(32) + (v * T.int64(8) + l)], words[window_2 + (r * padded_1 + word_1)], word[v * T.int64(8) + l])
                            for v in T.unroll(T.int64(2)):
                                for l in T.vectorized(T.int64(8)):
                                    acc_1[T.int64(48) + (v * T.int64(8) + l)] = T.dot_s16(acc_1[T.int64(48) + (v * T.int64(8) + l)], words[window_3 + (r * padded_1 + word_1)], word[v * T.int64(8) + l])
                            for v in T.unroll(T.int64(2)):
                                for l in T.vectorized(T.int64(8)):
                                    acc_1[T.int64(64) + (v * T.int64(8) + l)] = T.dot_s16(acc_1[T.int64(64) + (v * T.int64(8) + l)], words[window_4 + (r * padded_1 + word_1)], word[v * T.int64(8) + l])
                            for v in T.unroll(T.int64(2)):
                                for l in T.vectorized(T.int64(8)):
                                    acc_1[T.int64(80) + (v * T.int64(8) + l)] = T.dot_s16(acc_1[T.int64(80) + (v * T.int64(8) + l)], words[window_5 + (r * padded_1 + word_1)], word[v * T.int64(8) + l])
                        for m in T.unroll(T.int64(6)):
                            for v in T.unroll(T.int64(2)):
                                for l in T.vectorized(T.int64(8)):
                                    results_1[m * T.int64(16) + (v * T.int64(8) + l)] = acc_1[m * T.int64(16) + (v * T.int64(8) + l)]
                        for m in range(T.int64(6)):
                            line: T.int64 = (row + i * T.int64(6) + m) // ((w + T.int64(1)) // T.int64(2))
                            x_2: T.int64 = (row + i * T.int64(6) + m) % ((w + T.int64(1)) // T.int64(2))
                            y: T.int64 = line % ((h + T.int64(1)) // T.int64(2))
                            image: T.int64 = line // ((h + T.int64(1)) // T.int64(2))
                            flat = T.decl_buffer((n * ((h + T.int64(1)) // T.int64(2)) * ((w + T.int64(1)) // T.int64(2)) * T.int64(16),), "int32", data=conv2d_integer.data)
                            for v in range(T.int64(2)):
                                for l in T.vectorized(T.int64(8)):
                                    flat[(row + i * T.int64(6) + m) * T.int64(16) + (v * T.int64(8) + l)] = results_1[m * T.int64(16) + (v * T.int64(8) + l)] - fill * sums[v * T.int64(8) + l]
                    left_1: T.int64 = left - tiles * T.int64(6)
                    row_1: T.int64 = row + tiles * T.int64(6)
                    tiles_1: T.int64 = left_1 // T.int64(2)
                    acc_2 = T.allocate([T.int64(32)], "int32", "global")
                    acc_3 = T.decl_buffer((T.int64(32),), "int32", data=acc_2)
                    wide_2 = T.allocate([T.int64(32)], "int16", "global")
                    wide_3 = T.decl_buffer((T.int64(32),), "int16", data=wide_2)
                    word_2 = T.decl_buffer((T.int64(16),), "uint32", data=wide_2)
                    results_2 = T.allocate([T.int64(32)], "int32", "global")
                    results_3 = T.decl_buffer((T.int64(32),), "int32", data=results_2)
                    for i in range(tiles_1):
                        window: T.int64 = windows_1[row_1 + i * T.int64(2)]
                        window_6: T.int64 = windows_1[row_1 + i * T.int64(2) + T.int64(1)]
                        for m in T.unroll(T.int64(2)):
                            for v in T.unroll(T.int64(2)):
                                for l in T.vectorized(T.int64(8)):
                                    acc_3[m * T.int64(16) + (v * T.int64(8) + l)] = 0
                        for r, word_3 in T.grid(T.int64(3), T.int64(3)):
                            for v in T.unroll(T.int64(2)):
                                for l in T.vectorized(T.int64(16)):
                                    wide_3[v * T.int64(16) + l] = T.Cast("int16", filter_words[(r * T.int64(3) + word_3) * T.int64(32) + (v * T.int64(16) + l)])
                            for v in T.unroll(T.int64(2)):
                                for l in T.vectorized(T.int64(8)):
                                    acc_3[v * T.int64(8) + l] = T.dot_s16(acc_3[v * T.int64(8) + l], words[window + (r * padded_1 + word_3)], word_2[v * T.int64(8) + l])
                            for v in T.unroll(T.int64(2)):
                                for l in T.vectorized(T.int64(8)):
                                    acc_3[T.int64(16) + (v * T.int64(8) + l)] = T.dot_s16(acc_3[T.int64(16) + (v * T.int64(8) + l)], words[window_6 + (r * padded_1 + word_3)], word_2[v * T.int64(8) + l])
                        for m in T.unroll(T.int64(2)):
                            for v in T.unroll(T.int64(2)):
                                for l in T.vectorized(T.int64(8)):
                                    results_3[m * T.int64(16) + (v * T.int64(8) + l)] = acc_3[m * T.int64(16) + (v * T.int64(8) + l)]
                        for m in range(T.int64(2)):
                            line: T.int64 = (row_1 + i * T.int64(2) + m) // ((w + T.int64(1)) // T.int64(2))
                            x_3: T.int64 = (row_1 + i * T.int64(2) + m) % ((w + T.int64(1)) // T.int64(2))
                            y: T.int64 = line % ((h + T.int64(1)) // T.int64(2))
                            image: T.int64 = line // ((h + T.int64(1)) // T.int64(2))
                            flat = T.decl_buffer((n * ((h + T.int64(1)) // T.int64(2)) * ((w + T.int64(1)) // T.int64(2)) * T.int64(16),), "int32", data=conv2d_integer.data)
                            for v in range(T.int64(2)):
                                for l in T.vectorized(T.int64(8)):
                                    flat[(row_1 + i * T.int64(2) + m) * T.int64(16) + (v * T.int64(8) + l)] = results_3[m * T.int64(16) + (v * T.int64(8) + l)] - fill * sums[v * T.int64(8) + l]
                    left_2: T.int64 = left_1 - tiles_1 * T.int64(2)
                    row_2: T.int64 = row_1 + tiles_1 * T.int64(2)
                    acc_4 = T.allocate([T.int64(16)], "int32", "global")
                    acc_5 = T.decl_buffer((T.int64(16),), "int32", data=acc_4)
                    wide_4 = T.allocate([T.int64(32)], "int16", "global")
                    wide_5 = T.decl_buffer((T.int64(32),), "int16", data=wide_4)
                    word_4 = T.decl_buffer((T.int64(16),), "uint32", data=wide_4)
                    results_4 = T.allocate([T.int64(16)], "int32", "global")
                    results_5 = T.decl_buffer((T.int64(16),), "int32", data=results_4)
                    for i in range(left_2):
                        window: T.int64 = windows_1[row_2 + i]
                        for m in T.unroll(T.int64(1)):
                            for v in T.unroll(T.int64(2)):
                                for l in T.vectorized(T.int64(8)):
                                    acc_5[m * T.int64(16) + (v * T.int64(8) + l)] = 0
                        for r, word_5 in T.grid(T.int64(3), T.int64(3)):
                            for v in T.unroll(T.int64(2)):
                                for l in T.vectorized(T.int64(16)):
                                    wide_5[v * T.int64(16) + l] = T.Cast("int16", filter_words[(r * T.int64(3) + word_5) * T.int64(32) + (v * T.int64(16) + l)])
                            for v in T.unroll(T.int64(2)):
                                for l in T.vectorized(T.int64(8)):
                                    acc_5[v * T.int64(8) + l] = T.dot_s16(acc_5[v * T.int64(8) + l], words[window + (r * padded_1 + word_5)], word_4[v * T.int64(8) + l])
                        for m in T.unroll(T.int64(1)):
                            for v in T.unroll(T.int64(2)):
                                for l in T.vectorized(T.int64(8)):
                                    results_5[m * T.int64(16) + (v * T.int64(8) + l)] = acc_5[m * T.int64(16) + (v * T.int64(8) + l)]
                        for m in range(T.int64(1)):
                            line: T.int64 = (row_2 + i + m) // ((w + T.int64(1)) // T.int64(2))
                            x_4: T.int64 = (row_2 + i + m) % ((w + T.int64(1)) // T.int64(2))
                            y: T.int64 = line % ((h + T.int64(1)) // T.int64(2))
                            image: T.int64 = line // ((h + T.int64(1)) // T.int64(2))
                            flat = T.decl_buffer((n * ((h + T.int64(1)) // T.int64(2)) * ((w + T.int64(1)) // T.int64(2)) * T.int64(16),), "int32", data=conv2d_integer.data)
                            for v in range(T.int64(2)):
                                for l in T.vectorized(T.int64(8)):
                                    flat[(row_2 + i + m) * T.int64(16) + (v * T.int64(8) + l)] = results_5[m * T.int64(16) + (v * T.int64(8) + l)] - fill * sums[v * T.int64(8) + l]
