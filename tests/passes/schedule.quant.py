# ==== weights_of_eight_bits
# Weights are read in their stored type: by tiles of floats, and for one row in integers.
@I.ir_module
class Module:
    @R.function
    def main(x: R.Tensor(("n", 8), "float32")):
        n = T.int64()
        with R.dataflow():
            w = R.dequantize(R.const([[-3, 0, 3, -1, 2, -2, 1, -3], [2, -2, 1, -3, 0, 3, -1, 2], [0, 3, -1, 2, -2, 1, -3, 0], [-2, 1, -3, 0, 3, -1, 2, -2], [3, -1, 2, -2, 1, -3, 0, 3], [1, -3, 0, 3, -1, 2, -2, 1], [-1, 2, -2, 1, -3, 0, 3, -1], [-3, 0, 3, -1, 2, -2, 1, -3]], "int8"), R.const(0.5, "float32"), R.const(-1, "int8"), out_dtype="float32", axis=1)
            y = R.matmul(x, w)
            R.output(y)
        return y
# ---- expected
metadata = tvm.ir.load_json("""{
  \"root\": 1, 
  \"nodes\": [
    {\"type_key\": \"\"}, 
    {\"type_key\": \"Map\", \"keys\": [\"relax.expr.Constant\"], \"data\": [2]}, 
    {\"type_key\": \"Array\", \"data\": [3, 4]}, 
    {\"type_key\": \"relax.expr.Constant\", \"attrs\": {\"data\": \"0\", \"span\": \"0\", \"struct_info_\": \"0\"}}, 
    {\"type_key\": \"relax.expr.Constant\", \"attrs\": {\"data\": \"1\", \"span\": \"0\", \"struct_info_\": \"0\"}}
  ], 
  \"b64ndarrays\": [
    \"P6G0lvBAXt0AAAAAAAAAAAEAAAAAAAAAAwAAAAEgAQABAAAAAAAAAAgAAAAAAAAAIAAAAAAAAAAABAAAAAAAAGBFIwEjAVY0VjQSYBJgRSNFIwFWAVY0EjQSYEVgRSMBAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA=\", 
    \"P6G0lvBAXt0AAAAAAAAAAAEAAAAAAAAAAwAAAAIgAQABAAAAAAAAAAEAAAAAAAAAIAAAAAAAAACAAAAAAAAAAAAAAD8AAAA/AAAAPwAAAD8AAAA/AAAAPwAAAD8AAAA/AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA\"
  ], 
  \"attrs\": {\"tvm_version\": \"0.20.0\"}
}""")
# from tvm.script import ir as I
# from tvm.script import tir as T
# from tvm.script import relax as R

@I.ir_module
class Module:
    @R.function
    def main(x: R.Tensor(("n", 8), dtype="float32")) -> R.Tensor(("n", 8), dtype="float32"):
        n = T.int64()
        R.func_attr({"relax.force_pure": True})
        cls = Module
        y: R.Tensor((n, 8), dtype="float32") = R.builtin.alloc_tensor(R.shape([n, 8]), R.dtype("float32"), R.prim_value(0), R.str("global"))
        _: R.Tuple = cls.quantized_matmul(x, metadata["relax.expr.Constant"][0], metadata["relax.expr.Constant"][1], y)
        return y

    @T.prim_func(private=True)
    def quantized_matmul(var_x: T.handle, words: T.Buffer((T.int64(1), T.int64(8), T.int64(32)), "uint32"), scales: T.Buffer((T.int64(1), T.int64(1), T.int64(32)), "float32"), var_product: T.handle):
        T.func_attr({"op_pattern": 4, "tir.noalias": T.bool(True)})
        n = T.int64()
        x = T.match_buffer(var_x, (n, T.int64(8)))
        product = T.match_buffer(var_product, (n, T.int64(8)))
        with T.block("root"):
            with T.block("quant"):
                range_1 = T.allocate([T.int64(2)], "int32", "global")
                range_2 = T.decl_buffer((T.int64(2),), "int32", data=range_1)
                cells = T.allocate([T.int64(128)], "int8", "global")
                cells_1 = T.decl_buffer((T.int64(128),), "int8", data=cells)
                limbs = T.decl_buffer((T.int64(32),), "uint32", data=cells)
                steps = T.allocate([T.int64(1)], "float32", "global")
                steps_1 = T.decl_buffer((T.int64(1),), data=steps)
                sums = T.allocate([T.int64(1)], "int32", "global")
                sums_1 = T.decl_buffer((T.int64(1),), "int32", data=sums)
                peak = T.allocate([T.int64(16)], "int32", "global")
                peak_1 = T.decl_buffer((T.int64(16),), "int32", data=peak)
                total = T.allocate([T.int64(16)], "int32", "global")
                total_1 = T.decl_buffer((T.int64(16),), "int32", data=total)
                low = T.allocate([T.int64(16)], "int32", "global")
                low_1 = T.decl_buffer((T.int64(16),), "int32", data=low)
                range_2[T.int64(0)] = 2147483647
                range_2[T.int64(1)] = 2147483647
                if n <= T.int64(1):
                    range_2[T.int64(0)] = 0
                    range_2[T.int64(1)] = 2147483647
                    for row, span in T.grid(n, T.int64(1)):
                        for l in T.vectorized(T.int64(16)):
                            peak_1[l] = 0
                        for l in T.vectorized(T.int64(16)):
                            peak_1[l] = T.max(peak_1[l], T.bitwise_and(T.reinterpret("int32", T.if_then_else(span * T.int64(64) + l < T.int64(8), x[row, span * T.int64(64) + l], T.float32(0.0))), 2147483647))
                        for l in T.vectorized(T.int64(16)):
                            peak_1[l] = T.max(peak_1[l], T.bitwise_and(T.reinterpret("int32", T.if_then_else(span * T.int64(64) + T.int64(16) + l < T.int64(8), x[row, span * T.int64(64) + T.int64(16) + l], T.float32(0.0))), 2147483647))
                        for l in T.vectorized(T.int64(16)):
                            peak_1[l] = T.max(peak_1[l], T.bitwise_and(T.reinterpret("int32", T.if_then_else(span * T.int64(64) + T.int64(32) + l < T.int64(8), x[row, span * T.int64(64) + T.int64(32) + l], T.float32(0.0))), 2147483647))
                        for l in T.vectorized(T.int64(16)):
                            peak_1[l] = T.max(peak_1[l], T.bitwise_and(T.reinterpret("int32", T.if_then_else(span * T.int64(64) + T.int64(48) + l < T.int64(8), x[row, span * T.int64(64) + T.int64(48) + l], T.float32(0.0))), 2147483647))
                        for l in T.vectorized(T.int64(8)):
                            peak_1[l] = T.max(peak_1[l], peak_1[l + T.int64(8)])
                        for l in T.vectorized(T.int64(4)):
                            peak_1[l] = T.max(peak_1[l], peak_1[l + T.int64(4)])
                        for l in T.vectorized(T.int64(2)):
                            peak_1[l] = T.max(peak_1[l], peak_1[l + T.int64(2)])
                        for l in T.vectorized(T.int64(1)):
                            peak_1[l] = T.max(peak_1[l], peak_1[l + T.int64(1)])
                        peak_1[T.int64(0)] = T.Select(peak_1[T.int64(0)] == 0, 1065353216, peak_1[T.int64(0)])
                        range_2[T.int64(0)] = T.max(range_2[T.int64(0)], peak_1[T.int64(0)])
                        range_2[T.int64(1)] = T.min(range_2[T.int64(1)], peak_1[T.int64(0)])
                        for l in T.vectorized(T.int64(16)):
                            total_1[l] = 0
                        for l in T.vectorized(T.int64(16)):
                            low_1[l] = 0
                        for l in T.vectorized(T.int64(16)):
                            total_1[l] = total_1[l] + (T.reinterpret("int32", T.if_then_else(span * T.int64(64) + l < T.int64(8), x[row, span * T.int64(64) + l], T.float32(0.0)) * (T.float32(32512.0) / T.reinterpret("float32", peak_1[T.int64(0)])) + T.float32(12582912.0)) - 1262485504)
                        for l in T.vectorized(T.int64(16)):
                            cells_1[row * T.int64(128) + (T.int64(64) + (span * T.int64(64) + l))] = T.Cast("int8", T.reinterpret("int32", T.if_then_else(span * T.int64(64) + l < T.int64(8), x[row, span * T.int64(64) + l], T.float32(0.0)) * (T.float32(32512.0) / T.reinterpret("float32", peak_1[T.int64(0)])) + T.float32(12582912.0)) - 1262485504)
                        for l in T.vectorized(T.int64(16)):
                            low_1[l] = low_1[l] + T.Cast("int32", T.Cast("int8", T.reinterpret("int32", T.if_then_else(span * T.int64(64) + l < T.int64(8), x[row, span * T.int64(64) + l], T.float32(0.0)) * (T.float32(32512.0) / T.reinterpret("float32", peak_1[T.int64(0)])) + T.float32(12582912.0)) - 1262485504))
                        for l in T.vectorized(T.int64(16)):
                            cells_1[row * T.int64(128) + (span * T.int64(64) + l)] = T.Cast("int8", T.shift_right(T.reinterpret("int32", T.if_then_else(span * T.int64(64) + l < T.int64(8), x[row, span * T.int64(64) + l], T.float32(0.0)) * (T.float32(32512.0) / T.reinterpret("float32", peak_1[T.int64(0)])) + T.float32(12582912.0)) - 1262485504 - T.Cast("int32", T.Cast("int8", T.reinterpret("int32", T.if_then_else(span * T.int64(64) + l < T.int64(8), x[row, span * T.int64(64) + l], T.float32(0.0)) * (T.float32(32512.0) / T.reinterpret("float32", peak_1[T.int64(0)])) + T.float32(12582912.0)) - 1262485504)), 8))
                        for l in T.vectorized(T.int64(16)):
                            total_1[l] = total_1[l] + (T.reinterpret("int32", T.if_then_else(span * T.int64(64) + T.int64(16) + l < T.int64(8), x[row, span * T.int64(64) + T.int64(16) + l], T.float32(0.0)) * (T.float32(32512.0) / T.reinterpret("float32", peak_1[T.int64(0)])) + T.float32(12582912.0)) - 1262485504)
                        for l in T.vectorized(T.int64(16)):
                            cells_1[row * T.int64(128) + (T.int64(64) + (span * T.int64(64) + T.int64(16) + l))] = T.Cast("int8", T.reinterpret("int32", T.if_then_else(span * T.int64(64) + T.int64(16) + l < T.int64(8), x[row, span * T.int64(64) + T.int64(16) + l], T.float32(0.0)) * (T.float32(32512.0) / T.reinterpret("float32", peak_1[T.int64(0)])) + T.float32(12582912.0)) - 1262485504)
                        for l in T.vectorized(T.int64(16)):
                            low_1[l] = low_1[l] + T.Cast("int32", T.Cast("int8", T.reinterpret("int32", T.if_then_else(span * T.int64(64) + T.int64(16) + l < T.int64(8), x[row, span * T.int64(64) + T.int64(16) + l], T.float32(0.0)) * (T.float32(32512.0) / T.reinterpret("float32", peak_1[T.int64(0)])) + T.float32(12582912.0)) - 1262485504))
                        for l in T.vectorized(T.int64(16)):
                            cells_1[row * T.int64(128) + (span * T.int64(64) + T.int64(16) + l)] = T.Cast("int8", T.shift_right(T.reinterpret("int32", T.if_then_else(span * T.int64(64) + T.int64(16) + l < T.int64(8), x[row, span * T.int64(64) + T.int64(16) + l], T.float32(0.0)) * (T.float32(32512.0) / T.reinterpret("float32", peak_1[T.int64(0)])) + T.float32(12582912.0)) - 1262485504 - T.Cast("int32", T.Cast("int8", T.reinterpret("int32", T.if_then_else(span * T.int64(64) + T.int64(16) + l < T.int64(8), x[row, span * T.int64(64) + T.int64(16) + l], T.float32(0.0)) * (T.float32(32512.0) / T.reinterpret("float32", peak_1[T.int64(0)])) + T.float32(12582912.0)) - 1262485504)), 8))
                        for l in T.vectorized(T.int64(16)):
                            total_1[l] = total_1[l] + (T.reinterpret("int32", T.if_then_else(span * T.int64(64) + T.int64(32) + l < T.int64(8), x[row, span * T.int64(64) + T.int64(32) + l], T.float32(0.0)) * (T.float32(32512.0) / T.reinterpret("float32", peak_1[T.int64(0)])) + T.float32(12582912.0)) - 1262485504)
                        for l in T.vectorized(T.int64(16)):
                            cells_1[row * T.int64(128) + (T.int64(64) + (span * T.int64(64) + T.int64(32) + l))] = T.Cast("int8", T.reinterpret("int32", T.if_then_else(span * T.int64(64) + T.int64(32) + l < T.int64(8), x[row, span * T.int64(64) + T.int64(32) + l], T.float32(0.0)) * (T.float32(32512.0) / T.reinterpret("float32", peak_1[T.int64(0)])) + T.float32(12582912.0)) - 1262485504)
                        for l in T.vectorized(T.int64(16)):
                            low_1[l] = low_1[l] + T.Cast("int32", T.Cast("int8", T.reinterpret("int32", T.if_then_else(span * T.int64(64) + T.int64(32) + l < T.int64(8), x[row, span * T.int64(64) + T.int64(32) + l], T.float32(0.0)) * (T.float32(32512.0) / T.reinterpret("float32", peak_1[T.int64(0)])) + T.float32(12582912.0)) - 1262485504))
                        for l in T.vectorized(T.int64(16)):
                            cells_1[row * T.int64(128) + (span * T.int64(64) + T.int64(32) + l)] = T.Cast("int8", T.shift_right(T.reinterpret("int32", T.if_then_else(span * T.int64(64) + T.int64(32) + l < T.int64(8), x[row, span * T.int64(64) + T.int64(32) + l], T.float32(0.0)) * (T.float32(32512.0) / T.reinterpret("float32", peak_1[T.int64(0)])) + T.float32(12582912.0)) - 1262485504 - T.Cast("int32", T.Cast("int8", T.reinterpret("int32", T.if_then_else(span * T.int64(64) + T.int64(32) + l < T.int64(8), x[row, span * T.int64(64) + T.int64(32) + l], T.float32(0.0)) * (T.float32(32512.0) / T.reinterpret("float32", peak_1[T.int64(0)])) + T.float32(12582912.0)) - 1262485504)), 8))
                        for l in T.vectorized(T.int64(16)):
                            total_1[l] = total_1[l] + (T.reinterpret("int32", T.if_then_else(span * T.int64(64) + T.int64(48) + l < T.int64(8), x[row, span * T.int64(64) + T.int64(48) + l], T.float32(0.0)) * (T.float32(32512.0) / T.reinterpret("float32", peak_1[T.int64(0)])) + T.float32(12582912.0)) - 1262485504)
                        for l in T.vectorized(T.int64(16)):
                            cells_1[row * T.int64(128) + (T.int64(64) + (span * T.int64(64) + T.int64(48) + l))] = T.Cast("int8", T.reinterpret("int32", T.if_then_else(span * T.int64(64) + T.int64(48) + l < T.int64(8), x[row, span * T.int64(64) + T.int64(48) + l], T.float32(0.0)) * (T.float32(32512.0) / T.reinterpret("float32", peak_1[T.int64(0)])) + T.float32(12582912.0)) - 1262485504)
                        for l in T.vectorized(T.int64(16)):
                            low_1[l] = low_1[l] + T.Cast("int32", T.Cast("int8", T.reinterpret("int32", T.if_then_else(span * T.int64(64) + T.int64(48) + l < T.int64(8), x[row, span * T.int64(64) + T.int64(48) + l], T.float32(0.0)) * (T.float32(32512.0) / T.reinterpret("float32", peak_1[T.int64(0)])) + T.float32(12582912.0)) - 1262485504))
                        for l in T.vectorized(T.int64(16)):
                            cells_1[row * T.int64(128) + (span * T.int64(64) + T.int64(48) + l)] = T.Cast("int8", T.shift_right(T.reinterpret("int32", T.if_then_else(span * T.int64(64) + T.int64(48) + l < T.int64(8), x[row, span * T.int64(64) + T.int64(48) + l], T.float32(0.0)) * (T.float32(32512.0) / T.reinterpret("float32", peak_1[T.int64(0)])) + T.float32(12582912.0)) - 1262485504 - T.Cast("int32", T.Cast("int8", T.reinterpret("int32", T.if_then_else(span * T.int64(64) + T.int64(48) + l < T.int64(8), x[row, span * T.int64(64) + T.int64(48) + l], T.float32(0.0)) * (T.float32(32512.0) / T.reinterpret("float32", peak_1[T.int64(0)])) + T.float32(12582912.0)) - 1262485504)), 8))
                        for l in T.vectorized(T.int64(8)):
                            total_1[l] = total_1[l] + total_1[l + T.int64(8)]
                        for l in T.vectorized(T.int64(4)):
                            total_1[l] = total_1[l] + total_1[l + T.int64(4)]
                        for l in T.vectorized(T.int64(2)):
                            total_1[l] = total_1[l] + total_1[l + T.int64(2)]
                        for l in T.vectorized(T.int64(1)):
                            total_1[l] = total_1[l] + total_1[l + T.int64(1)]
                        for l in T.vectorized(T.int64(8)):
                            low_1[l] = low_1[l] + low_1[l + T.int64(8)]
                        for l in T.vectorized(T.int64(4)):
                            low_1[l] = low_1[l] + low_1[l + T.int64(4)]
                        for l in T.vectorized(T.int64(2)):
                            low_1[l] = low_1[l] + low_1[l + T.int64(2)]
                        for l in T.vectorized(T.int64(1)):
                            low_1[l] = low_1[l] + low_1[l + T.int64(1)]
                        sums_1[row + span] = total_1[T.int64(0)] * -2
                        steps_1[row + span] = T.reinterpret("float32", peak_1[T.int64(0)]) * T.float32(3.075787390116602e-05)
                if range_2[T.int64(0)] < 1621981420 and 507307272 < range_2[T.int64(1)]:
                    for panel, i, part in T.grid(T.int64(1), n, T.int64(1)):
                        acc = T.allocate([T.int64(32)], "float32", "global")
                        acc_1 = T.decl_buffer((T.int64(32),), data=acc)
                        dots = T.allocate([T.int64(16)], "int32", "global")
                        dots_1 = T.decl_buffer((T.int64(16),), "int32", data=dots)
                        halves = T.allocate([T.int64(32)], "int32", "global")
                        halves_1 = T.decl_buffer((T.int64(32),), "int32", data=halves)
                        numbers = T.allocate([T.int64(16)], "uint32", "global")
                        numbers_1 = T.decl_buffer((T.int64(16),), "uint32", data=numbers)
                        for m in T.unroll(T.int64(1)):
                            for v in T.unroll(T.int64(4)):
                                for l in T.vectorized(T.int64(8)):
                                    acc_1[m * T.int64(32) + (v * T.int64(8) + l)] = T.float32(0.0)
                        for span in range(T.int64(1)):
                            for turn in T.serial(T.int64(2), annotations={"rlx.rolled": 1}):
                                for own in range(T.int64(1)):
                                    for m in T.unroll(T.int64(1)):
                                        for v in T.unroll(T.int64(2)):
                                            for l in T.vectorized(T.int64(8)):
                                                dots_1[m * T.int64(16) + (v * T.int64(8) + l)] = sums_1[i + m + (span + own)]
                                    for step in range(T.int64(2)):
                                        for m in T.unroll(T.int64(1)):
                                            for v in T.unroll(T.int64(2)):
                                                for l in T.vectorized(T.int64(8)):
                                                    halves_1[m * T.int64(16) + (v * T.int64(8) + l)] = 0
                                        for m in T.unroll(T.int64(1)):
                                            for v in T.unroll(T.int64(2)):
                                                for l in T.vectorized(T.int64(8)):
                                                    halves_1[(m + T.int64(1)) * T.int64(16) + (v * T.int64(8) + l)] = 0
                                        T.call_llvm_intrin("int32", "llvm.prefetch", T.address_of(words[panel, (span + own) * T.int64(8) + step * T.int64(4) + T.int64(16), part * T.int64(32) + turn * T.int64(16)]), 0, 2, 1)
                                        for v in T.unroll(T.int64(2)):
                                            for l in T.vectorized(T.int64(8)):
                                                numbers_1[v * T.int64(8) + l] = T.bitwise_and(words[panel, (span + own) * T.int64(8) + step * T.int64(4), part * T.int64(32) + turn * T.int64(16) + (v * T.int64(8) + l)], T.uint32(252645135))
                                        for m in T.unroll(T.int64(1)):
                                            for v in T.unroll(T.int64(2)):
                                                for l in T.vectorized(T.int64(8)):
                                                    halves_1[m * T.int64(16) + (v * T.int64(8) + l)] = T.dot_u8s8_s16(halves_1[m * T.int64(16) + (v * T.int64(8) + l)], numbers_1[v * T.int64(8) + l], limbs[(i + m) * T.int64(32) + ((span + own) * T.int64(8) + step * T.int64(4)) * T.int64(2)])
                                        for m in T.unroll(T.int64(1)):
                                            for v in T.unroll(T.int64(2)):
                                                for l in T.vectorized(T.int64(8)):
                                                    halves_1[(m + T.int64(1)) * T.int64(16) + (v * T.int64(8) + l)] = T.dot_u8s8_s16(halves_1[(m + T.int64(1)) * T.int64(16) + (v * T.int64(8) + l)], numbers_1[v * T.int64(8) + l], limbs[(i + m) * T.int64(32) + (T.int64(16) + ((span + own) * T.int64(8) + step * T.int64(4)) * T.int64(2))])
                                        for v in T.unroll(T.int64(2)):
                                            for l in T.vectorized(T.int64(8)):
                                                numbers_1[v * T.int64(8) + l] = T.bitwise_and(T.shift_right(words[panel, (span + own) * T.int64(8) + step * T.int64(4), part * T.int64(32) + turn * T.int64(16) + (v * T.int64(8) + l)], T.uint32(4)), T.uint32(252645135))
                                        for m in T.unroll(T.int64(1)):
                                            for v in T.unroll(T.int64(2)):
                                                for l in T.vectorized(T.int64(8)):
                                                    halves_1[m * T.int64(16) + (v * T.int64(8) + l)] = T.dot_u8s8_s16(halves_1[m * T.int64(16) + (v * T.int64(8) + l)], numbers_1[v * T.int64(8) + l], limbs[(i + m) * T.int64(32) + (((span + own) * T.int64(8) + step * T.int64(4)) * T.int64(2) + T.int64(1))])
                                        for m in T.unroll(T.int64(1)):
                                            for v in T.unroll(T.int64(2)):
                                                for l in T.vectorized(T.int64(8)):
                                                    halves_1[(m + T.int64(1)) * T.int64(16) + (v * T.int64(8) + l)] = T.dot_u8s8_s16(halves_1[(m + T.int64(1)) * T.int64(16) + (v * T.int64(8) + l)], numbers_1[v * T.int64(8) + l], limbs[(i + m) * T.int64(32) + (T.int64(16) + (((span + own) * T.int64(8) + step * T.int64(4)) * T.int64(2) + T.int64(1)))])
                                        T.call_llvm_intrin("int32", "llvm.prefetch", T.address_of(words[panel, (span + own) * T.int64(8) + step * T.int64(4) + T.int64(1) + T.int64(16), part * T.int64(32) + turn * T.int64(16)]), 0, 2, 1)
                                        for v in T.unroll(T.int64(2)):
                                            for l in T.vectorized(T.int64(8)):
                                                numbers_1[v * T.int64(8) + l] = T.bitwise_and(words[panel, (span + own) * T.int64(8) + step * T.int64(4) + T.int64(1), part * T.int64(32) + turn * T.int64(16) + (v * T.int64(8) + l)], T.uint32(252645135))
                                        for m in T.unroll(T.int64(1)):
                                            for v in T.unroll(T.int64(2)):
                                                for l in T.vectorized(T.int64(8)):
                                                    halves_1[m * T.int64(16) + (v * T.int64(8) + l)] = T.dot_u8s8_s16(halves_1[m * T.int64(16) + (v * T.int64(8) + l)], numbers_1[v * T.int64(8) + l], limbs[(i + m) * T.int64(32) + ((span + own) * T.int64(8) + step * T.int64(4) + T.int64(1)) * T.int64(2)])
                                        for m in T.unroll(T.int64(1)):
                                            for v in T.unroll(T.int64(2)):
                                                for l in T.vectorized(T.int64(8)):
                                                    halves_1[(m + T.int64(1)) * T.int64(16) + (v * T.int64(8) + l)] = T.dot_u8s8_s16(halves_1[(m + T.int64(1)) * T.int64(16) + (v * T.int64(8) + l)], numbers_1[v * T.int64(8) + l], limbs[(i + m) * T.int64(32) + (T.int64(16) + ((span + own) * T.int64(8) + step * T.int64(4) + T.int64(1)) * T.int64(2))])
                                        for v in T.unroll(T.int64(2)):
                                            for l in T.vectorized(T.int64(8)):
                                                numbers_1[v * T.int64(8) + l] = T.bitwise_and(T.shift_right(words[panel, (span + own) * T.int64(8) + step * T.int64(4) + T.int64(1), part * T.int64(32) + turn * T.int64(16) + (v * T.int64(8) + l)], T.uint32(4)), T.uint32(252645135))
                                        for m in T.unroll(T.int64(1)):
                                            for v in T.unroll(T.int64(2)):
                                                for l in T.vectorized(T.int64(8)):
                                                    halves_1[m * T.int64(16) + (v * T.int64(8) + l)] = T.dot_u8s8_s16(halves_1[m * T.int64(16) + (v * T.int64(8) + l)], numbers_1[v * T.int64(8) + l], limbs[(i + m) * T.int64(32) + (((span + own) * T.int64(8) + step * T.int64(4) + T.int64(1)) * T.int64(2) + T.int64(1))])
                                        for m in T.unroll(T.int64(1)):
                                            for v in T.unroll(T.int64(2)):
                                                for l in T.vectorized(T.int64(8)):
                                                    halves_1[(m + T.int64(1)) * T.int64(16) + (v * T.int64(8) + l)] = T.dot_u8s8_s16(halves_1[(m + T.int64(1)) * T.int64(16) + (v * T.int64(8) + l)], numbers_1[v * T.int64(8) + l], limbs[(i + m) * T.int64(32) + (T.int64(16) + (((span + own) * T.int64(8) + step * T.int64(4) + T.int64(1)) * T.int64(2) + T.int64(1)))])
                                        T.call_llvm_intrin("int32", "llvm.prefetch", T.address_of(words[panel, (span + own) * T.int64(8) + step * T.int64(4) + T.int64(2) + T.int64(16), part * T.int64(32) + turn * T.int64(16)]), 0, 2, 1)
                                        for v in T.unroll(T.int64(2)):
                                            for l in T.vectorized(T.int64(8)):
                                                numbers_1[v * T.int64(8) + l] = T.bitwise_and(words[panel, (span + own) * T.int64(8) + step * T.int64(4) + T.int64(2), part * T.int64(32) + turn * T.int64(16) + (v * T.int64(8) + l)], T.uint32(252645135))
                                        for m in T.unroll(T.int64(1)):
                                            for v in T.unroll(T.int64(2)):
                                                for l in T.vectorized(T.int64(8)):
                                                    halves_1[m * T.int64(16) + (v * T.int64(8) + l)] = T.dot_u8s8_s16(halves_1[m * T.int64(16) + (v * T.int64(8) + l)], numbers_1[v * T.int64(8) + l], limbs[(i + m) * T.int64(32) + ((span + own) * T.int64(8) + step * T.int64(4) + T.int64(2)) * T.int64(2)])
                                        for m in T.unroll(T.int64(1)):
                                            for v in T.unroll(T.int64(2)):
                                                for l in T.vectorized(T.int64(8)):
                                                    halves_1[(m + T.int64(1)) * T.int64(16) + (v * T.int64(8) + l)] = T.dot_u8s8_s16(halves_1[(m + T.int64(1)) * T.int64(16) + (v * T.int64(8) + l)], numbers_1[v * T.int64(8) + l], limbs[(i + m) * T.int64(32) + (T.int64(16) + ((span + own) * T.int64(8) + step * T.int64(4) + T.int64(2)) * T.int64(2))])
                                        for v in T.unroll(T.int64(2)):
                                            for l in T.vectorized(T.int64(8)):
                                                numbers_1[v * T.int64(8) + l] = T.bitwise_and(T.shift_right(words[panel, (span + own) * T.int64(8) + step * T.int64(4) + T.int64(2), part * T.int64(32) + turn * T.int64(16) + (v * T.int64(8) + l)], T.uint32(4)), T.uint32(252645135))
                                        for m in T.unroll(T.int64(1)):
                                            for v in T.unroll(T.int64(2)):
                                                for l in T.vectorized(T.int64(8)):
                                                    halves_1[m * T.int64(16) + (v * T.int64(8) + l)] = T.dot_u8s8_s16(halves_1[m * T.int64(16) + (v * T.int64(8) + l)], numbers_1[v * T.int64(8) + l], limbs[(i + m) * T.int64(32) + (((span + own) * T.int64(8) + step * T.int64(4) + T.int64(2)) * T.int64(2) + T.int64(1))])
                                        for m in T.unroll(T.int64(1)):
                                            for v in T.unroll(T.int64(2)):
                                                for l in T.vectorized(T.int64(8)):
                                                    halves_1[(m + T.int64(1)) * T.int64(16) + (v * T.int64(8) + l)] = T.dot_u8s8_s16(halves_1[(m + T.int64(1)) * T.int64(16) + (v * T.int64(8) + l)], numbers_1[v * T.int64(8) + l], limbs[(i + m) * T.int64(32) + (T.int64(16) + (((span + own) * T.int64(8) + step * T.int64(4) + T.int64(2)) * T.int64(2) + T.int64(1)))])
                                        T.call_llvm_intrin("int32", "llvm.prefetch", T.address_of(words[panel, (span + own) * T.int64(8) + step * T.int64(4) + T.int64(3) + T.int64(16), part * T.int64(32) + turn * T.int64(16)]), 0, 2, 1)
                                        for v in T.unroll(T.int64(2)):
                                            for l in T.vectorized(T.int64(8)):
                                                numbers_1[v * T.int64(8) + l] = T.bitwise_and(words[panel, (span + own) * T.int64(8) + step * T.int64(4) + T.int64(3), part * T.int64(32) + turn * T.int64(16) + (v * T.int64(8) + l)], T.uint32(252645135))
                                        for m in T.unroll(T.int64(1)):
                                            for v in T.unroll(T.int64(2)):
                                                for l in T.vectorized(T.int64(8)):
                                                    halves_1[m * T.int64(16) + (v * T.int64(8) + l)] = T.dot_u8s8_s16(halves_1[m * T.int64(16) + (v * T.int64(8) + l)], numbers_1[v * T.int64(8) + l], limbs[(i + m) * T.int64(32) + ((span + own) * T.int64(8) + step * T.int64(4) + T.int64(3)) * T.int64(2)])
                                        for m in T.unroll(T.int64(1)):
                                            for v in T.unroll(T.int64(2)):
                                                for l in T.vectorized(T.int64(8)):
                                                    halves_1[(m + T.int64(1)) * T.int64(16) + (v * T.int64(8) + l)] = T.dot_u8s8_s16(halves_1[(m + T.int64(1)) * T.int64(16) + (v * T.int64(8) + l)], numbers_1[v * T.int64(8) + l], limbs[(i + m) * T.int64(32) + (T.int64(16) + ((span + own) * T.int64(8) + step * T.int64(4) + T.int64(3)) * T.int64(2))])
                                        for v in T.unroll(T.int64(2)):
                                            for l in T.vectorized(T.int64(8)):
                                                numbers_1[v * T.int64(8) + l] = T.bitwise_and(T.shift_right(words[panel, (span + own) * T.int64(8) + step * T.int64(4) + T.int64(3), part * T.int64(32) + turn * T.int64(16) + (v * T.int64(8) + l)], T.uint32(4)), T.uint32(252645135))
                                        for m in T.unroll(T.int64(1)):
                                            for v in T.unroll(T.int64(2)):
                                                for l in T.vectorized(T.int64(8)):
                                                    halves_1[m * T.int64(16) + (v * T.int64(8) + l)] = T.dot_u8s8_s16(halves_1[m * T.int64(16) + (v * T.int64(8) + l)], numbers_1[v * T.int64(8) + l], limbs[(i + m) * T.int64(32) + (((span + own) * T.int64(8) + step * T.int64(4) + T.int64(3)) * T.int64(2) + T.int64(1))])
                                        for m in T.unroll(T.int64(1)):
                                            for v in T.unroll(T.int64(2)):
                                                for l in T.vectorized(T.int64(8)):
                                                    halves_1[(m + T.int64(1)) * T.int64(16) + (v * T.int64(8) + l)] = T.dot_u8s8_s16(halves_1[(m + T.int64(1)) * T.int64(16) + (v * T.int64(8) + l)], numbers_1[v * T.int64(8) + l], limbs[(i + m) * T.int64(32) + (T.int64(16) + (((span + own) * T.int64(8) + step * T.int64(4) + T.int64(3)) * T.int64(2) + T.int64(1)))])
                                        for m in T.unroll(T.int64(1)):
                                            for v in T.unroll(T.int64(2)):
                                                for l in T.vectorized(T.int64(8)):
                                                    dots_1[m * T.int64(16) + (v * T.int64(8) + l)] = T.dot_s16(dots_1[m * T.int64(16) + (v * T.int64(8) + l)], halves_1[m * T.int64(16) + (v * T.int64(8) + l)], T.uint32(16777472))
                                        for m in T.unroll(T.int64(1)):
                                            for v in T.unroll(T.int64(2)):
                                                for l in T.vectorized(T.int64(8)):
                                                    dots_1[m * T.int64(16) + (v * T.int64(8) + l)] = T.dot_s16(dots_1[m * T.int64(16) + (v * T.int64(8) + l)], halves_1[(m + T.int64(1)) * T.int64(16) + (v * T.int64(8) + l)], T.uint32(65537))
                                    for m in T.unroll(T.int64(1)):
                                        for v in T.unroll(T.int64(2)):
                                            for l in T.vectorized(T.int64(8)):
                                                acc_1[m * T.int64(32) + (turn * T.int64(16) + (v * T.int64(8) + l))] = acc_1[m * T.int64(32) + (turn * T.int64(16) + (v * T.int64(8) + l))] + T.Cast("float32", dots_1[m * T.int64(16) + (v * T.int64(8) + l)]) * steps_1[i + m + (span + own)] * scales[panel, (span + own) * T.int64(64) // T.int64(64), part * T.int64(32) + turn * T.int64(16) + (v * T.int64(8) + l)]
                        with T.block("write"):
                            for m in T.unroll(T.int64(1)):
                                for v in T.unroll(T.int64(4)):
                                    for l in T.vectorized(T.int64(8)):
                                        if panel * T.int64(32) + (part * T.int64(32) + (v * T.int64(8) + l)) < T.int64(8):
                                            product[i + m, panel * T.int64(32) + (part * T.int64(32) + (v * T.int64(8) + l))] = acc_1[m * T.int64(32) + (v * T.int64(8) + l)]
                else:
                    for piece in range((n + T.int64(95)) // T.int64(96)):
                        panel: T.int64 = piece // ((n + T.int64(95)) // T.int64(96))
                        row: T.int64 = piece % ((n + T.int64(95)) // T.int64(96)) * T.int64(96)
                        left: T.int64 = T.min(n - row, T.int64(96))
                        tiles: T.int64 = left // T.int64(4)
                        acc = T.allocate([T.int64(64)], "float32", "global")
                        acc_2 = T.decl_buffer((T.int64(64),), data=acc)
                        word = T.allocate([T.int64(16)], "uint32", "global")
                        word_1 = T.decl_buffer((T.int64(16),), "uint32", data=word)
                        scale = T.allocate([T.int64(16)], "float32", "global")
                        scale_1 = T.decl_buffer((T.int64(16),), data=scale)
                        weight = T.allocate([T.int64(16)], "float32", "global")
                        weight_1 = T.decl_buffer((T.int64(16),), data=weight)
                        for i, part in T.grid(tiles, T.int64(2)):
                            for m in T.unroll(T.int64(4)):
                                for v in T.unroll(T.int64(2)):
                                    for l in T.vectorized(T.int64(8)):
                                        acc_2[m * T.int64(16) + (v * T.int64(8) + l)] = T.float32(0.0)
                            for v in T.unroll(T.int64(2)):
                                for l in T.vectorized(T.int64(8)):
                                    scale_1[v * T.int64(8) + l] = scales[panel, T.int64(0), part * T.int64(16) + (v * T.int64(8) + l)]
                            for word_2 in range(T.int64(1)):
                                for v in T.unroll(T.int64(2)):
                                    for l in T.vectorized(T.int64(8)):
                                        word_1[v * T.int64(8) + l] = words[panel, word_2, part * T.int64(16) + (v * T.int64(8) + l)]
                                with T.block("unpack"):
                                    for v in T.unroll(T.int64(2)):
                                        for l in T.vectorized(T.int64(8)):
                                            weight_1[v * T.int64(8) + l] = (T.Cast("float32", T.Cast("int32", T.bitwise_and(word_1[v * T.int64(8) + l], T.uint32(15)))) - T.float32(2.0)) * scale_1[v * T.int64(8) + l]
                                with T.block("sum"):
                                    for m in T.unroll(T.int64(4)):
                                        for v in T.unroll(T.int64(2)):
                                            for l in T.vectorized(T.int64(8)):
                                                acc_2[m * T.int64(16) + (v * T.int64(8) + l)] = acc_2[m * T.int64(16) + (v * T.int64(8) + l)] + x[row + i * T.int64(4) + m, word_2 * T.int64(8)] * weight_1[v * T.int64(8) + l]
                                with T.block("unpack"):
                                    for v in T.unroll(T.int64(2)):
                                        for l in T.vectorized(T.int64(8)):
                                            weight_1[v * T.int64(8) + l] = (T.Cast("float32", T.Cast("int32", T.bitwise_and(T.shift_right(word_1[v * T.int64(8) + l], T.uint32(8)), T.uint32(15)))) - T.float32(2.0)) * scale_1[v * T.int64(8) + l]
                                with T.block("sum"):
                                    for m in T.unroll(T.int64(4)):
                                        for v in T.unroll(T.int64(2)):
                                            for l in T.vectorized(T.int64(8)):
                                                acc_2[m * T.int64(16) + (v * T.int64(8) + l)] = acc_2[m * T.int64(16) + (v * T.int64(8) + l)] + x[row + i * T.int64(4) + m, word_2 * T.int64(8) + T.int64(1)] * weight_1[v * T.int64(8) + l]
                                with T.block("unpack"):
                                    for v in T.unroll(T.int64(2)):
                                        for l in T.vectorized(T.int64(8)):
                                            weight_1[v * T.int64(8) + l] = (T.Cast("float32", T.Cast("int32", T.bitwise_and(T.shift_right(word_1[v * T.int64(8) + l], T.uint32(16)), T.uint32(15)))) - T.float32(2.0)) * scale_1[v * T.int64(8) + l]
                                with T.block("sum"):
                                    for m in T.unroll(T.int64(4)):
                                        for v in T.unroll(T.int64(2)):
                                            for l in T.vectorized(T.int64(8)):
                                                acc_2[m * T.int64(16) + (v * T.int64(8) + l)] = acc_2[m * T.int64(16) + (v * T.int64(8) + l)] + x[row + i * T.int64(4) + m, word_2 * T.int64(8) + T.int64(2)] * weight_1[v * T.int64(8) + l]
                                with T.block("unpack"):
                                    for v in T.unroll(T.int64(2)):
                                        for l in T.vectorized(T.int64(8)):
                                            weight_1[v * T.int64(8) + l] = (T.Cast("float32", T.Cast("int32", T.bitwise_and(T.shift_right(word_1[v * T.int64(8) + l], T.uint32(24)), T.uint32(15)))) - T.float32(2.0)) * scale_1[v * T.int64(8) + l]
                                with T.block("sum"):
                                    for m in T.unroll(T.int64(4)):
                                        for v in T.unroll(T.int64(2)):
                                            for l in T.vectorized(T.int64(8)):
                                                acc_2[m * T.int64(16) + (v * T.int64(8) + l)] = acc_2[m * T.int64(16) + (v * T.int64(8) + l)] + x[row + i * T.int64(4) + m, word_2 * T.int64(8) + T.int64(3)] * weight_1[v * T.int64(8) + l]
                                with T.block("unpack"):
                                    for v in T.unroll(T.int64(2)):
                                        for l in T.vectorized(T.int64(8)):
                                            weight_1[v * T.int64(8) + l] = (T.Cast("float32", T.Cast("int32", T.bitwise_and(T.shift_right(word_1[v * T.int64(8) + l], T.uint32(4)), T.uint32(15)))) - T.float32(2.0)) * scale_1[v * T.int64(8) + l]
                                with T.block("sum"):
                                    for m in T.unroll(T.int64(4)):
                                        for v in T.unroll(T.int64(2)):
                                            for l in T.vectorized(T.int64(8)):
                                                acc_2[m * T.int64(16) + (v * T.int64(8) + l)] = acc_2[m * T.int64(16) + (v * T.int64(8) + l)] + x[row + i * T.int64(4) + m, word_2 * T.int64(8) + T.int64(4)] * weight_1[v * T.int64(8) + l]
                                with T.block("unpack"):
                                    for v in T.unroll(T.int64(2)):
                                        for l in T.vectorized(T.int64(8)):
                                            weight_1[v * T.int64(8) + l] = (T.Cast("float32", T.Cast("int32", T.bitwise_and(T.shift_right(word_1[v * T.int64(8) + l], T.uint32(12)), T.uint32(15)))) - T.float32(2.0)) * scale_1[v * T.int64(8) + l]
                                with T.block("sum"):
                                    for m in T.unroll(T.int64(4)):
                                        for v in T.unroll(T.int64(2)):
                                            for l in T.vectorized(T.int64(8)):
                                                acc_2[m * T.int64(16) + (v * T.int64(8) + l)] = acc_2[m * T.int64(16) + (v * T.int64(8) + l)] + x[row + i * T.int64(4) + m, word_2 * T.int64(8) + T.int64(5)] * weight_1[v * T.int64(8) + l]
                                with T.block("unpack"):
                                    for v in T.unroll(T.int64(2)):
                                        for l in T.vectorized(T.int64(8)):
                                            weight_1[v * T.int64(8) + l] = (T.Cast("float32", T.Cast("int32", T.bitwise_and(T.shift_right(word_1[v * T.int64(8) + l], T.uint32(20)), T.uint32(15)))) - T.float32(2.0)) * scale_1[v * T.int64(8) + l]
                                with T.block("sum"):
                                    for m in T.unroll(T.int64(4)):
                                        for v in T.unroll(T.int64(2)):
                                            for l in T.vectorized(T.int64(8)):
                                                acc_2[m * T.int64(16) + (v * T.int64(8) + l)] = acc_2[m * T.int64(16) + (v * T.int64(8) + l)] + x[row + i * T.int64(4) + m, word_2 * T.int64(8) + T.int64(6)] * weight_1[v * T.int64(8) + l]
                                with T.block("unpack"):
                                    for v in T.unroll(T.int64(2)):
                                        for l in T.vectorized(T.int64(8)):
                                            weight_1[v * T.int64(8) + l] = (T.Cast("float32", T.Cast("int32", T.bitwise_and(T.shift_right(word_1[v * T.int64(8) + l], T.uint32(28)), T.uint32(15)))) - T.float32(2.0)) * scale_1[v * T.int64(8) + l]
                                with T.block("sum"):
                                    for m in T.unroll(T.int64(4)):
                                        for v in T.unroll(T.int64(2)):
                                            for l in T.vectorized(T.int64(8)):
                                                acc_2[m * T.int64(16) + (v * T.int64(8) + l)] = acc_2[m * T.int64(16) + (v * T.int64(8) + l)] + x[row + i * T.int64(4) + m, word_2 * T.int64(8) + T.int64(7)] * weight_1[v * T.int64(8) + l]
                            with T.block("write"):
                                for m in T.unroll(T.int64(4)):
                                    for v in T.unroll(T.int64(2)):
                                        for l in T.vectorized(T.int64(8)):
                                            if panel * T.int64(32) + (part * T.int64(16) + (v * T.int64(8) + l)) < T.int64(8):
                                                product[row + i * T.int64(4) + m, panel * T.int64(32) + (part * T.int64(16) + (v * T.int64(8) + l))] = acc_2[m * T.int64(16) + (v * T.int64(8) + l)]
                        left_1: T.int64 = left - tiles * T.int64(4)
                        row_1: T.int64 = row + tiles * T.int64(4)
                        tiles_1: T.int64 = left_1 // T.int64(2)
                        acc_3 = T.allocate([T.int64(32)], "float32", "global")
                        acc_4 = T.decl_buffer((T.int64(32),), data=acc_3)
                        word_3 = T.allocate([T.int64(16)], "uint32", "global")
                        word_4 = T.decl_buffer((T.int64(16),), "uint32", data=word_3)
                        scale_2 = T.allocate([T.int64(16)], "float32", "global")
                        scale_3 = T.decl_buffer((T.int64(16),), data=scale_2)
                        weight_2 = T.allocate([T.int64(16)], "float32", "global")
                        weight_3 = T.decl_buffer((T.int64(16),), data=weight_2)
                        for i, part in T.grid(tiles_1, T.int64(2)):
                            for m in T.unroll(T.int64(2)):
                                for v in T.unroll(T.int64(2)):
                                    for l in T.vectorized(T.int64(8)):
                                        acc_4[m * T.int64(16) + (v * T.int64(8) + l)] = T.float32(0.0)
                            for v in T.unroll(T.int64(2)):
                                for l in T.vectorized(T.int64(8)):
                                    scale_3[v * T.int64(8) + l] = scales[panel, T.int64(0), part * T.int64(16) + (v * T.int64(8) + l)]
                            for word_5 in range(T.int64(1)):
                                for v in T.unroll(T.int64(2)):
                                    for l in T.vectorized(T.int64(8)):
                                        word_4[v * T.int64(8) + l] = words[panel, word_5, part * T.int64(16) + (v * T.int64(8) + l)]
                                with T.block("unpack"):
                                    for v in T.unroll(T.int64(2)):
                                        for l in T.vectorized(T.int64(8)):
                                            weight_3[v * T.int64(8) + l] = (T.Cast("float32", T.Cast("int32", T.bitwise_and(word_4[v * T.int64(8) + l], T.uint32(15)))) - T.float32(2.0)) * scale_3[v * T.int64(8) + l]
                                with T.block("sum"):
                                    for m in T.unroll(T.int64(2)):
                                        for v in T.unroll(T.int64(2)):
                                            for l in T.vectorized(T.int64(8)):
                                                acc_4[m * T.int64(16) + (v * T.int64(8) + l)] = acc_4[m * T.int64(16) + (v * T.int64(8) + l)] + x[row_1 + i * T.int64(2) + m, word_5 * T.int64(8)] * weight_3[v * T.int64(8) + l]
                                with T.block("unpack"):
                                    for v in T.unroll(T.int64(2)):
                                        for l in T.vectorized(T.int64(8)):
                                            weight_3[v * T.int64(8) + l] = (T.Cast("float32", T.Cast("int32", T.bitwise_and(T.shift_right(word_4[v * T.int64(8) + l], T.uint32(8)), T.uint32(15)))) - T.float32(2.0)) * scale_3[v * T.int64(8) + l]
                                with T.block("sum"):
                                    for m in T.unroll(T.int64(2)):
                                        for v in T.unroll(T.int64(2)):
                                            for l in T.vectorized(T.int64(8)):
                                                acc_4[m * T.int64(16) + (v * T.int64(8) + l)] = acc_4[m * T.int64(16) + (v * T.int64(8) + l)] + x[row_1 + i * T.int64(2) + m, word_5 * T.int64(8) + T.int64(1)] * weight_3[v * T.int64(8) + l]
                                with T.block("unpack"):
                                    for v in T.unroll(T.int64(2)):
                                        for l in T.vectorized(T.int64(8)):
                                            weight_3[v * T.int64(8) + l] = (T.Cast("float32", T.Cast("int32", T.bitwise_and(T.shift_right(word_4[v * T.int64(8) + l], T.uint32(16)), T.uint32(15)))) - T.float32(2.0)) * scale_3[v * T.int64(8) + l]
                                with T.block("sum"):
                                    for m in T.unroll(T.int64(2)):
                                        for v in T.unroll(T.int64(2)):
                                            for l in T.vectorized(T.int64(8)):
                                                acc_4[m * T.int64(16) + (v * T.int64(8) + l)] = acc_4[m * T.int64(16) + (v * T.int64(8) + l)] + x[row_1 + i * T.int64(2) + m, word_5 * T.int64(8) + T.int64(2)] * weight_3[v * T.int64(8) + l]
                                with T.block("unpack"):
                                    for v in T.unroll(T.int64(2)):
                                        for l in T.vectorized(T.int64(8)):
                                            weight_3[v * T.int64(8) + l] = (T.Cast("float32", T.Cast("int32", T.bitwise_and(T.shift_right(word_4[v * T.int64(8) + l], T.uint32(24)), T.uint32(15)))) - T.float32(2.0)) * scale_3[v * T.int64(8) + l]
                                with T.block("sum"):
                                    for m in T.unroll(T.int64(2)):
                                        for v in T.unroll(T.int64(2)):
                                            for l in T.vectorized(T.int64(8)):
                                                acc_4[m * T.int64(16) + (v * T.int64(8) + l)] = acc_4[m * T.int64(16) + (v * T.int64(8) + l)] + x[row_1 + i * T.int64(2) + m, word_5 * T.int64(8) + T.int64(3)] * weight_3[v * T.int64(8) + l]
                                with T.block("unpack"):
                                    for v in T.unroll(T.int64(2)):
                                        for l in T.vectorized(T.int64(8)):
                                            weight_3[v * T.int64(8) + l] = (T.Cast("float32", T.Cast("int32", T.bitwise_and(T.shift_right(word_4[v * T.int64(8) + l], T.uint32(4)), T.uint32(15)))) - T.float32(2.0)) * scale_3[v * T.int64(8) + l]
                                with T.block("sum"):
                                    for m in T.unroll(T.int64(2)):
                                        for v in T.unroll(T.int64(2)):
                                            for l in T.vectorized(T.int64(8)):
                                                acc_4[m * T.int64(16) + (v * T.int64(8) + l)] = acc_4[m * T.int64(16) + (v * T.int64(8) + l)] + x[row_1 + i * T.int64(2) + m, word_5 * T.int64(8) + T.int64(4)] * weight_3[v * T.int64(8) + l]
                                with T.block("unpack"):
                                    for v in T.unroll(T.int64(2)):
                                        for l in T.vectorized(T.int64(8)):
                                            weight_3[v * T.int64(8) + l] = (T.Cast("float32", T.Cast("int32", T.bitwise_and(T.shift_right(word_4[v * T.int64(8) + l], T.uint32(12)), T.uint32(15)))) - T.float32(2.0)) * scale_3[v * T.int64(8) + l]
                                with T.block("sum"):
                                    for m in T.unroll(T.int64(2)):
                                        for v in T.unroll(T.int64(2)):
                                            for l in T.vectorized(T.int64(8)):
                                                acc_4[m * T.int64(16) + (v * T.int64(8) + l)] = acc_4[m * T.int64(16) + (v * T.int64(8) + l)] + x[row_1 + i * T.int64(2) + m, word_5 * T.int64(8) + T.int64(5)] * weight_3[v * T.int64(8) + l]
                                with T.block("unpack"):
                                    for v in T.unroll(T.int64(2)):
                                        for l in T.vectorized(T.int64(8)):
                                            weight_3[v * T.int64(8) + l] = (T.Cast("float32", T.Cast("int32", T.bitwise_and(T.shift_right(word_4[v * T.int64(8) + l], T.uint32(20)), T.uint32(15)))) - T.float32(2.0)) * scale_3[v * T.int64(8) + l]
                                with T.block("sum"):
                                    for m in T.unroll(T.int64(2)):
                                        for v in T.unroll(T.int64(2)):
                                            for l in T.vectorized(T.int64(8)):
                                                acc_4[m * T.int64(16) + (v * T.int64(8) + l)] = acc_4[m * T.int64(16) + (v * T.int64(8) + l)] + x[row_1 + i * T.int64(2) + m, word_5 * T.int64(8) + T.int64(6)] * weight_3[v * T.int64(8) + l]
                                with T.block("unpack"):
                                    for v in T.unroll(T.int64(2)):
                                        for l in T.vectorized(T.int64(8)):
                                            weight_3[v * T.int64(8) + l] = (T.Cast("float32", T.Cast("int32", T.bitwise_and(T.shift_right(word_4[v * T.int64(8) + l], T.uint32(28)), T.uint32(15)))) - T.float32(2.0)) * scale_3[v * T.int64(8) + l]
                                with T.block("sum"):
                                    for m in T.unroll(T.int64(2)):
                                        for v in T.unroll(T.int64(2)):
                                            for l in T.vectorized(T.int64(8)):
                                                acc_4[m * T.int64(16) + (v * T.int64(8) + l)] = acc_4[m * T.int64(16) + (v * T.int64(8) + l)] + x[row_1 + i * T.int64(2) + m, word_5 * T.int64(8) + T.int64(7)] * weight_3[v * T.int64(8) + l]
                            with T.block("write"):
                                for m in T.unroll(T.int64(2)):
                                    for v in T.unroll(T.int64(2)):
                                        for l in T.vectorized(T.int64(8)):
                                            if panel * T.int64(32) + (part * T.int64(16) + (v * T.int64(8) + l)) < T.int64(8):
                                                product[row_1 + i * T.int64(2) + m, panel * T.int64(32) + (part * T.int64(16) + (v * T.int64(8) + l))] = acc_4[m * T.int64(16) + (v * T.int64(8) + l)]
                        left_2: T.int64 = left_1 - tiles_1 * T.int64(2)
                        row_2: T.int64 = row_1 + tiles_1 * T.int64(2)
                        acc_5 = T.allocate([T.int64(32)], "float32", "global")
                        acc_6 = T.decl_buffer((T.int64(32),), data=acc_5)
                        word_6 = T.allocate([T.int64(32)], "uint32", "global")
                        word_7 = T.decl_buffer((T.int64(32),), "uint32", data=word_6)
                        scale_4 = T.allocate([T.int64(32)], "float32", "global")
                        scale_5 = T.decl_buffer((T.int64(32),), data=scale_4)
                        weight_4 = T.allocate([T.int64(32)], "float32", "global")
                        weight_5 = T.decl_buffer((T.int64(32),), data=weight_4)
                        for i, part in T.grid(left_2, T.int64(1)):
                            for m in T.unroll(T.int64(1)):
                                for v in T.unroll(T.int64(4)):
                                    for l in T.vectorized(T.int64(8)):
                                        acc_6[m * T.int64(32) + (v * T.int64(8) + l)] = T.float32(0.0)
                            for v in T.unroll(T.int64(4)):
                                for l in T.vectorized(T.int64(8)):
                                    scale_5[v * T.int64(8) + l] = scales[panel, T.int64(0), part * T.int64(32) + (v * T.int64(8) + l)]
                            for word_8 in range(T.int64(1)):
                                for v in T.unroll(T.int64(4)):
                                    for l in T.vectorized(T.int64(8)):
                                        word_7[v * T.int64(8) + l] = words[panel, word_8, part * T.int64(32) + (v * T.int64(8) + l)]
                                with T.block("unpack"):
                                    for v in T.unroll(T.int64(4)):
                                        for l in T.vectorized(T.int64(8)):
                                            weight_5[v * T.int64(8) + l] = (T.Cast("float32", T.Cast("int32", T.bitwise_and(word_7[v * T.int64(8) + l], T.uint32(15)))) - T.float32(2.0)) * scale_5[v * T.int64(8) + l]
                                with T.block("sum"):
                                    for m in T.unroll(T.int64(1)):
                                        for v in T.unroll(T.int64(4)):
                                            for l in T.vectorized(T.int64(8)):
                                                acc_6[m * T.int64(32) + (v * T.int64(8) + l)] = acc_6[m * T.int64(32) + (v * T.int64(8) + l)] + x[row_2 + i + m, word_8 * T.int64(8)] * weight_5[v * T.int64(8) + l]
                                with T.block("unpack"):
                                    for v in T.unroll(T.int64(4)):
                                        for l in T.vectorized(T.int64(8)):
                                            weight_5[v * T.int64(8) + l] = (T.Cast("float32", T.Cast("int32", T.bitwise_and(T.shift_right(word_7[v * T.int64(8) + l], T.uint32(8)), T.uint32(15)))) - T.float32(2.0)) * scale_5[v * T.int64(8) + l]
                                with T.block("sum"):
                                    for m in T.unroll(T.int64(1)):
                                        for v in T.unroll(T.int64(4)):
                                            for l in T.vectorized(T.int64(8)):
                                                acc_6[m * T.int64(32) + (v * T.int64(8) + l)] = acc_6[m * T.int64(32) + (v * T.int64(8) + l)] + x[row_2 + i + m, word_8 * T.int64(8) + T.int64(1)] * weight_5[v * T.int64(8) + l]
                                with T.block("unpack"):
                                    for v in T.unroll(T.int64(4)):
                                        for l in T.vectorized(T.int64(8)):
                                            weight_5[v * T.int64(8) + l] = (T.Cast("float32", T.Cast("int32", T.bitwise_and(T.shift_right(word_7[v * T.int64(8) + l], T.uint32(16)), T.uint32(15)))) - T.float32(2.0)) * scale_5[v * T.int64(8) + l]
                                with T.block("sum"):
                                    for m in T.unroll(T.int64(1)):
                                        for v in T.unroll(T.int64(4)):
                                            for l in T.vectorized(T.int64(8)):
                                                acc_6[m * T.int64(32) + (v * T.int64(8) + l)] = acc_6[m * T.int64(32) + (v * T.int64(8) + l)] + x[row_2 + i + m, word_8 * T.int64(8) + T.int64(2)] * weight_5[v * T.int64(8) + l]
                                with T.block("unpack"):
                                    for v in T.unroll(T.int64(4)):
                                        for l in T.vectorized(T.int64(8)):
                                            weight_5[v * T.int64(8) + l] = (T.Cast("float32", T.Cast("int32", T.bitwise_and(T.shift_right(word_7[v * T.int64(8) + l], T.uint32(24)), T.uint32(15)))) - T.float32(2.0)) * scale_5[v * T.int64(8) + l]
                                with T.block("sum"):
                                    for m in T.unroll(T.int64(1)):
                                        for v in T.unroll(T.int64(4)):
                                            for l in T.vectorized(T.int64(8)):
                                                acc_6[m * T.int64(32) + (v * T.int64(8) + l)] = acc_6[m * T.int64(32) + (v * T.int64(8) + l)] + x[row_2 + i + m, word_8 * T.int64(8) + T.int64(3)] * weight_5[v * T.int64(8) + l]
                                with T.block("unpack"):
                                    for v in T.unroll(T.int64(4)):
                                        for l in T.vectorized(T.int64(8)):
                                            weight_5[v * T.int64(8) + l] = (T.Cast("float32", T.Cast("int32", T.bitwise_and(T.shift_right(word_7[v * T.int64(8) + l], T.uint32(4)), T.uint32(15)))) - T.float32(2.0)) * scale_5[v * T.int64(8) + l]
                                with T.block("sum"):
                                    for m in T.unroll(T.int64(1)):
                                        for v in T.unroll(T.int64(4)):
                                            for l in T.vectorized(T.int64(8)):
                                                acc_6[m * T.int64(32) + (v * T.int64(8) + l)] = acc_6[m * T.int64(32) + (v * T.int64(8) + l)] + x[row_2 + i + m, word_8 * T.int64(8) + T.int64(4)] * weight_5[v * T.int64(8) + l]
                                with T.block("unpack"):
                                    for v in T.unroll(T.int64(4)):
                                        for l in T.vectorized(T.int64(8)):
                                            weight_5[v * T.int64(8) + l] = (T.Cast("float32", T.Cast("int32", T.bitwise_and(T.shift_right(word_7[v * T.int64(8) + l], T.uint32(12)), T.uint32(15)))) - T.float32(2.0)) * scale_5[v * T.int64(8) + l]
                                with T.block("sum"):
                                    for m in T.unroll(T.int64(1)):
                                        for v in T.unroll(T.int64(4)):
                                            for l in T.vectorized(T.int64(8)):
                                                acc_6[m * T.int64(32) + (v * T.int64(8) + l)] = acc_6[m * T.int64(32) + (v * T.int64(8) + l)] + x[row_2 + i + m, word_8 * T.int64(8) + T.int64(5)] * weight_5[v * T.int64(8) + l]
                                with T.block("unpack"):
                                    for v in T.unroll(T.int64(4)):
                                        for l in T.vectorized(T.int64(8)):
                                            weight_5[v * T.int64(8) + l] = (T.Cast("float32", T.Cast("int32", T.bitwise_and(T.shift_right(word_7[v * T.int64(8) + l], T.uint32(20)), T.uint32(15)))) - T.float32(2.0)) * scale_5[v * T.int64(8) + l]
                                with T.block("sum"):
                                    for m in T.unroll(T.int64(1)):
                                        for v in T.unroll(T.int64(4)):
                                            for l in T.vectorized(T.int64(8)):
                                                acc_6[m * T.int64(32) + (v * T.int64(8) + l)] = acc_6[m * T.int64(32) + (v * T.int64(8) + l)] + x[row_2 + i + m, word_8 * T.int64(8) + T.int64(6)] * weight_5[v * T.int64(8) + l]
                                with T.block("unpack"):
                                    for v in T.unroll(T.int64(4)):
                                        for l in T.vectorized(T.int64(8)):
                                            weight_5[v * T.int64(8) + l] = (T.Cast("float32", T.Cast("int32", T.bitwise_and(T.shift_right(word_7[v * T.int64(8) + l], T.uint32(28)), T.uint32(15)))) - T.float32(2.0)) * scale_5[v * T.int64(8) + l]
                                with T.block("sum"):
                                    for m in T.unroll(T.int64(1)):
                                        for v in T.unroll(T.int64(4)):
                                            for l in T.vectorized(T.int64(8)):
                                                acc_6[m * T.int64(32) + (v * T.int64(8) + l)] = acc_6[m * T.int64(32) + (v * T.int64(8) + l)] + x[row_2 + i + m, word_8 * T.int64(8) + T.int64(7)] * weight_5[v * T.int64(8) + l]
                            with T.block("write"):
                                for m in T.unroll(T.int64(1)):
                                    for v in T.unroll(T.int64(4)):
                                        for l in T.vectorized(T.int64(8)):
                                            if panel * T.int64(32) + (part * T.int64(32) + (v * T.int64(8) + l)) < T.int64(8):
                                                product[row_2 + i + m, panel * T.int64(32) + (part * T.int64(32) + (v * T.int64(8) + l))] = acc_6[m * T.int64(32) + (v * T.int64(8) + l)]
