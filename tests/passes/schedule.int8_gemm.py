# ==== integers
# Rows of int8 are copied out with their sums, then multiplied by words of the weight.
@I.ir_module
class Module:
    @R.function
    def main(x: R.Tensor(("n", 8), "int8")):
        n = T.int64()
        with R.dataflow():
            xi = R.astype(x, dtype="int32")
            w = R.astype(R.const([[-3, 0, 3, -1, 2, -2, 1, -3], [2, -2, 1, -3, 0, 3, -1, 2], [0, 3, -1, 2, -2, 1, -3, 0], [-2, 1, -3, 0, 3, -1, 2, -2], [3, -1, 2, -2, 1, -3, 0, 3], [1, -3, 0, 3, -1, 2, -2, 1], [-1, 2, -2, 1, -3, 0, 3, -1], [-3, 0, 3, -1, 2, -2, 1, -3]], "int8"), dtype="int32")
            wc = R.subtract(w, R.const(1, "int32"))
            y = R.matmul(xi, wc)
            R.output(y)
        return y
# ---- expected
metadata = tvm.ir.load_json("""{
  \"root\": 1, 
  \"nodes\": [
    {\"type_key\": \"\"}, 
    {\"type_key\": \"Map\", \"keys\": [\"relax.expr.Constant\"], \"data\": [2]}, 
    {\"type_key\": \"Array\", \"data\": [3]}, 
    {\"type_key\": \"relax.expr.Constant\", \"attrs\": {\"data\": \"0\", \"span\": \"0\", \"struct_info_\": \"0\"}}
  ], 
  \"b64ndarrays\": [
    \"P6G0lvBAXt0AAAAAAAAAAAEAAAAAAAAAAwAAAAEgAQABAAAAAAAAABAAAAAAAAAAIAAAAAAAAAAACAAAAAAAAAAFAwEDAQYEBgQCAAIABQMFAwEGAQYEAgQCAAUABQMBAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAABgQCAAIABQMFAwEGAQYEAgQCAAUABQMBAwEGBAYEAgAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA\"
  ], 
  \"attrs\": {\"tvm_version\": \"0.20.0\"}
}""")
# from tvm.script import ir as I
# from tvm.script import tir as T
# from tvm.script import relax as R

@I.ir_module
class Module:
    @R.function
    def main(x: R.Tensor(("n", 8), dtype="int8")) -> R.Tensor(("n", 8), dtype="int32"):
        n = T.int64()
        R.func_attr({"relax.force_pure": True})
        cls = Module
        storage: R.Object = R.memory.alloc_storage(R.shape([n * 16]), R.prim_value(0), R.str("planned"), R.dtype("uint8"))
        narrow: R.Tensor((n, 8), dtype="int16") = R.memory.alloc_tensor(storage, R.prim_value(0), R.shape([n, 8]), R.dtype("int16"))
        _: R.Tuple = cls.fused_cast_cast1(x, narrow)
        y: R.Tensor((n, 8), dtype="int32") = R.builtin.alloc_tensor(R.shape([n, 8]), R.dtype("int32"), R.prim_value(0), R.str("global"))
        _: R.Tuple = cls.quantized_matmul(narrow, metadata["relax.expr.Constant"][0], R.const(4, "int32"), y)
        _: R.Tuple = R.memory.kill_tensor(narrow)
        _: R.Tuple = R.memory.kill_storage(storage)
        return y

    @T.prim_func(private=True)
    def quantized_matmul(var_narrow: T.handle, words: T.Buffer((T.int64(1), T.int64(16), T.int64(32)), "uint32"), zero: T.Buffer((), "int32"), var_product: T.handle):
        T.func_attr({"op_pattern": 4, "tir.noalias": T.bool(True)})
        n = T.int64()
        narrow = T.match_buffer(var_narrow, (n, T.int64(8)), "int16")
        product = T.match_buffer(var_product, (n, T.int64(8)), "int32")
        with T.block("root"):
            with T.block("int8_gemm"):
                cells = T.allocate([n * T.int64(8)], "int16", "global")
                cells_1 = T.decl_buffer((n * T.int64(8),), "int16", data=cells)
                cell_words = T.decl_buffer((n * T.int64(4),), "uint32", data=cells)
                sums = T.allocate([n], "int32", "global")
                sums_1 = T.decl_buffer((n,), "int32", data=sums)
                with T.block("rows"):
                    for i in range(n):
                        for k in range(T.int64(2)):
                            cells_1[i * T.int64(8) + k * T.int64(4)] = T.Cast("int16", T.Cast("int32", narrow[i, k * T.int64(4)]))
                            cells_1[i * T.int64(8) + (k * T.int64(4) + T.int64(2))] = T.Cast("int16", T.Cast("int32", narrow[i, k * T.int64(4) + T.int64(1)]))
                            cells_1[i * T.int64(8) + (k * T.int64(4) + T.int64(1))] = T.Cast("int16", T.Cast("int32", narrow[i, k * T.int64(4) + T.int64(2)]))
                            cells_1[i * T.int64(8) + (k * T.int64(4) + T.int64(3))] = T.Cast("int16", T.Cast("int32", narrow[i, k * T.int64(4) + T.int64(3)]))
                        sums_1[i] = 0
                        for k in range(T.int64(8)):
                            sums_1[i] = sums_1[i] + T.Cast("int32", narrow[i, k])
                for panel in range(T.int64(1)):
                    tiles: T.int64 = n // T.int64(6)
                    acc = T.allocate([T.int64(96)], "int32", "global")
                    acc_1 = T.decl_buffer((T.int64(96),), "int32", data=acc)
                    word = T.allocate([T.int64(16)], "uint32", "global")
                    word_1 = T.decl_buffer((T.int64(16),), "uint32", data=word)
                    value = T.allocate([T.int64(96)], "int32", "global")
                    value_1 = T.decl_buffer((T.int64(96),), "int32", data=value)
                    for i, part in T.grid(tiles, T.int64(2)):
                        for m in T.unroll(T.int64(6)):
                            for v in T.unroll(T.int64(2)):
                                for l in T.vectorized(T.int64(8)):
                                    acc_1[m * T.int64(16) + (v * T.int64(8) + l)] = 0
                        for word_2 in range(T.int64(2)):
                            for v in T.unroll(T.int64(2)):
                                for l in T.vectorized(T.int64(8)):
                                    word_1[v * T.int64(8) + l] = T.bitwise_and(words[panel, word_2, part * T.int64(16) + (v * T.int64(8) + l)], T.uint32(16711935))
                            for m in T.unroll(T.int64(6)):
                                for v in T.unroll(T.int64(2)):
                                    for l in T.vectorized(T.int64(8)):
                                        acc_1[m * T.int64(16) + (v * T.int64(8) + l)] = T.dot_s16(acc_1[m * T.int64(16) + (v * T.int64(8) + l)], word_1[v * T.int64(8) + l], cell_words[(i * T.int64(6) + m) * T.int64(4) + word_2 * T.int64(2)])
                            for v in T.unroll(T.int64(2)):
                                for l in T.vectorized(T.int64(8)):
                                    word_1[v * T.int64(8) + l] = T.bitwise_and(T.shift_right(words[panel, word_2, part * T.int64(16) + (v * T.int64(8) + l)], T.uint32(8)), T.uint32(16711935))
                            for m in T.unroll(T.int64(6)):
                                for v in T.unroll(T.int64(2)):
                                    for l in T.vectorized(T.int64(8)):
                                        acc_1[m * T.int64(16) + (v * T.int64(8) + l)] = T.dot_s16(acc_1[m * T.int64(16) + (v * T.int64(8) + l)], word_1[v * T.int64(8) + l], cell_words[(i * T.int64(6) + m) * T.int64(4) + (word_2 * T.int64(2) + T.int64(1))])
                        for m in T.unroll(T.int64(6)):
                            for v in T.unroll(T.int64(2)):
                                for l in T.vectorized(T.int64(8)):
                                    value_1[m * T.int64(16) + (v * T.int64(8) + l)] = acc_1[m * T.int64(16) + (v * T.int64(8) + l)] - sums_1[i * T.int64(6) + m] * zero[()]
                        with T.block("write"):
                            for m in T.unroll(T.int64(6)):
                                for v in T.unroll(T.int64(2)):
                                    for l in T.vectorized(T.int64(8)):
                                        if panel * T.int64(32) + (part * T.int64(16) + (v * T.int64(8) + l)) < T.int64(8):
                                            product[i * T.int64(6) + m, panel * T.int64(32) + (part * T.int64(16) + (v * T.int64(8) + l))] = value_1[m * T.int64(16) + (v * T.int64(8) + l)]
                    left: T.int64 = n - tiles * T.int64(6)
                    row: T.int64 = tiles * T.int64(6)
                    tiles_1: T.int64 = left // T.int64(2)
                    acc_2 = T.allocate([T.int64(32)], "int32", "global")
                    acc_3 = T.decl_buffer((T.int64(32),), "int32", data=acc_2)
                    word_3 = T.allocate([T.int64(16)], "uint32", "global")
                    word_4 = T.decl_buffer((T.int64(16),), "uint32", data=word_3)
                    value_2 = T.allocate([T.int64(32)], "int32", "global")
                    value_3 = T.decl_buffer((T.int64(32),), "int32", data=value_2)
                    for i, part in T.grid(tiles_1, T.int64(2)):
                        for m in T.unroll(T.int64(2)):
                            for v in T.unroll(T.int64(2)):
                                for l in T.vectorized(T.int64(8)):
                                    acc_3[m * T.int64(16) + (v * T.int64(8) + l)] = 0
                        for word_5 in range(T.int64(2)):
                            for v in T.unroll(T.int64(2)):
                                for l in T.vectorized(T.int64(8)):
                                    word_4[v * T.int64(8) + l] = T.bitwise_and(words[panel, word_5, part * T.int64(16) + (v * T.int64(8) + l)], T.uint32(16711935))
                            for m in T.unroll(T.int64(2)):
                                for v in T.unroll(T.int64(2)):
                                    for l in T.vectorized(T.int64(8)):
                                        acc_3[m * T.int64(16) + (v * T.int64(8) + l)] = T.dot_s16(acc_3[m * T.int64(16) + (v * T.int64(8) + l)], word_4[v * T.int64(8) + l], cell_words[(row + i * T.int64(2) + m) * T.int64(4) + word_5 * T.int64(2)])
                            for v in T.unroll(T.int64(2)):
                                for l in T.vectorized(T.int64(8)):
                                    word_4[v * T.int64(8) + l] = T.bitwise_and(T.shift_right(words[panel, word_5, part * T.int64(16) + (v * T.int64(8) + l)], T.uint32(8)), T.uint32(16711935))
                            for m in T.unroll(T.int64(2)):
                                for v in T.unroll(T.int64(2)):
                                    for l in T.vectorized(T.int64(8)):
                                        acc_3[m * T.int64(16) + (v * T.int64(8) + l)] = T.dot_s16(acc_3[m * T.int64(16) + (v * T.int64(8) + l)], word_4[v * T.int64(8) + l], cell_words[(row + i * T.int64(2) + m) * T.int64(4) + (word_5 * T.int64(2) + T.int64(1))])
                        for m in T.unroll(T.int64(2)):
                            for v in T.unroll(T.int64(2)):
                                for l in T.vectorized(T.int64(8)):
                                    value_3[m * T.int64(16) + (v * T.int64(8) + l)] = acc_3[m * T.int64(16) + (v * T.int64(8) + l)] - sums_1[row + i * T.int64(2) + m] * zero[()]
                        with T.block("write"):
                            for m in T.unroll(T.int64(2)):
                                for v in T.unroll(T.int64(2)):
                                    for l in T.vectorized(T.int64(8)):
                                        if panel * T.int64(32) + (part * T.int64(16) + (v * T.int64(8) + l)) < T.int64(8):
                                            product[row + i * T.int64(2) + m, panel * T.int64(32) + (part * T.int64(16) + (v * T.int64(8) + l))] = value_3[m * T.int64(16) + (v * T.int64(8) + l)]
                    left_1: T.int64 = left - tiles_1 * T.int64(2)
                    row_1: T.int64 = row + tiles_1 * T.int64(2)
                    acc_4 = T.allocate([T.int64(32)], "int32", "global")
                    acc_5 = T.decl_buffer((T.int64(32),), "int32", data=acc_4)
                    word_6 = T.allocate([T.int64(32)], "uint32", "global")
                    word_7 = T.decl_buffer((T.int64(32),), "uint32", data=word_6)
                    value_4 = T.allocate([T.int64(32)], "int32", "global")
                    value_5 = T.decl_buffer((T.int64(32),), "int32", data=value_4)
                    for i, part in T.grid(left_1, T.int64(1)):
                        for m in T.unroll(T.int64(1)):
                            for v in T.unroll(T.int64(4)):
                                for l in T.vectorized(T.int64(8)):
                                    acc_5[m * T.int64(32) + (v * T.int64(8) + l)] = 0
                        for word_8 in range(T.int64(2)):
                            for v in T.unroll(T.int64(4)):
                                for l in T.vectorized(T.int64(8)):
                                    word_7[v * T.int64(8) + l] = T.bitwise_and(words[panel, word_8, part * T.int64(32) + (v * T.int64(8) + l)], T.uint32(16711935))
                            for m in T.unroll(T.int64(1)):
                                for v in T.unroll(T.int64(4)):
                                    for l in T.vectorized(T.int64(8)):
                                        acc_5[m * T.int64(32) + (v * T.int64(8) + l)] = T.dot_s16(acc_5[m * T.int64(32) + (v * T.int64(8) + l)], word_7[v * T.int64(8) + l], cell_words[(row_1 + i + m) * T.int64(4) + word_8 * T.int64(2)])
                            for v in T.unroll(T.int64(4)):
                                for l in T.vectorized(T.int64(8)):
                                    word_7[v * T.int64(8) + l] = T.bitwise_and(T.shift_right(words[panel, word_8, part * T.int64(32) + (v * T.int64(8) + l)], T.uint32(8)), T.uint32(16711935))
                            for m in T.unroll(T.int64(1)):
                                for v in T.unroll(T.int64(4)):
                                    for l in T.vectorized(T.int64(8)):
                                        acc_5[m * T.int64(32) + (v * T.int64(8) + l)] = T.dot_s16(acc_5[m * T.int64(32) + (v * T.int64(8) + l)], word_7[v * T.int64(8) + l], cell_words[(row_1 + i + m) * T.int64(4) + (word_8 * T.int64(2) + T.int64(1))])
                        for m in T.unroll(T.int64(1)):
                            for v in T.unroll(T.int64(4)):
                                for l in T.vectorized(T.int64(8)):
                                    value_5[m * T.int64(32) + (v * T.int64(8) + l)] = acc_5[m * T.int64(32) + (v * T.int64(8) + l)] - sums_1[row_1 + i + m] * zero[()]
                        with T.block("write"):
                            for m in T.unroll(T.int64(1)):
                                for v in T.unroll(T.int64(4)):
                                    for l in T.vectorized(T.int64(8)):
                                        if panel * T.int64(32) + (part * T.int64(32) + (v * T.int64(8) + l)) < T.int64(8):
                                            product[row_1 + i + m, panel * T.int64(32) + (part * T.int64(32) + (v * T.int64(8) + l))] = value_5[m * T.int64(32) + (v * T.int64(8) + l)]

    @T.prim_func(private=True)
    def fused_cast_cast1(p_x: T.handle, p_cast1: T.handle):
        T.func_attr({"op_pattern": 0, "tir.noalias": T.bool(True)})
        n = T.int64()
        x = T.match_buffer(p_x, (n, T.int64(8)), "int8")
        cast1 = T.match_buffer(p_cast1, (n, T.int64(8)), "int16")
        # with T.block("root"):
        for ax0, ax1 in T.grid(n, T.int64(8)):
            with T.block("compute_1"):
                v_ax0, v_ax1 = T.axis.remap("SS", [ax0, ax1])
                T.writes(cast1[v_ax0, v_ax1])
                T.block_attr({"rlx.operator": "elementwise ss"})
                cast1[v_ax0, v_ax1] = T.Cast("int16", T.Cast("int32", x[v_ax0, v_ax1]))
