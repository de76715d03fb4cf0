# ==== transposed
# A transposition goes in blocks, of which full ones are moved by vectors in registers.
@I.ir_module
class Module:
    @R.function
    def main(x: R.Tensor(("n", 40), "float32")):
        with R.dataflow():
            y = R.permute_dims(x)
            R.output(y)
        return y
# ---- expected
# from tvm.script import ir as I
# from tvm.script import tir as T
# from tvm.script import relax as R

@I.ir_module
class Module:
    @R.function
    def main(x: R.Tensor(("n", 40), dtype="float32")) -> R.Tensor((40, "n"), dtype="float32"):
        n = T.int64()
        R.func_attr({"relax.force_pure": True})
        cls = Module
        y: R.Tensor((40, n), dtype="float32") = R.builtin.alloc_tensor(R.shape([40, n]), R.dtype("float32"), R.prim_value(0), R.str("global"))
        _: R.Tuple = cls.transpose(x, y)
        return y

    @T.prim_func(private=True)
    def transpose(var_x: T.handle, var_T_transpose: T.handle):
        T.func_attr({"op_pattern": 2, "tir.noalias": T.bool(True)})
        n = T.int64()
        x = T.match_buffer(var_x, (n, T.int64(40)))
        T_transpose = T.match_buffer(var_T_transpose, (T.int64(40), n))
        with T.block("root"):
            with T.block("single"):
                for row in T.parallel(T.int64(3)):
                    for i in range((n + T.int64(15)) // T.int64(16)):
                        if T.min(T.int64(40) - row * T.int64(16), T.int64(16)) == T.int64(16) and T.min(n - i * T.int64(16), T.int64(16)) == T.int64(16):
                            for i_1, j in T.grid(T.int64(2), T.int64(2)):
                                r: T.float32x8 = x[i * T.int64(16) + j * T.int64(8), T.Ramp(row * T.int64(16) + i_1 * T.int64(8), T.int64(1), 8)]
                                r_1: T.float32x8 = x[i * T.int64(16) + j * T.int64(8) + T.int64(1), T.Ramp(row * T.int64(16) + i_1 * T.int64(8), T.int64(1), 8)]
                                r_2: T.float32x8 = x[i * T.int64(16) + j * T.int64(8) + T.int64(2), T.Ramp(row * T.int64(16) + i_1 * T.int64(8), T.int64(1), 8)]
                                r_3: T.float32x8 = x[i * T.int64(16) + j * T.int64(8) + T.int64(3), T.Ramp(row * T.int64(16) + i_1 * T.int64(8), T.int64(1), 8)]
                                r_4: T.float32x8 = x[i * T.int64(16) + j * T.int64(8) + T.int64(4), T.Ramp(row * T.int64(16) + i_1 * T.int64(8), T.int64(1), 8)]
                                r_5: T.float32x8 = x[i * T.int64(16) + j * T.int64(8) + T.int64(5), T.Ramp(row * T.int64(16) + i_1 * T.int64(8), T.int64(1), 8)]
                                r_6: T.float32x8 = x[i * T.int64(16) + j * T.int64(8) + T.int64(6), T.Ramp(row * T.int64(16) + i_1 * T.int64(8), T.int64(1), 8)]
                                r_7: T.float32x8 = x[i * T.int64(16) + j * T.int64(8) + T.int64(7), T.Ramp(row * T.int64(16) + i_1 * T.int64(8), T.int64(1), 8)]
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
                                T_transpose[row * T.int64(16) + i_1 * T.int64(8), T.Ramp(i * T.int64(16) + j * T.int64(8), T.int64(1), 8)] = r_24
                                T_transpose[row * T.int64(16) + i_1 * T.int64(8) + T.int64(1), T.Ramp(i * T.int64(16) + j * T.int64(8), T.int64(1), 8)] = r_25
                                T_transpose[row * T.int64(16) + i_1 * T.int64(8) + T.int64(2), T.Ramp(i * T.int64(16) + j * T.int64(8), T.int64(1), 8)] = r_26
                                T_transpose[row * T.int64(16) + i_1 * T.int64(8) + T.int64(3), T.Ramp(i * T.int64(16) + j * T.int64(8), T.int64(1), 8)] = r_27
                                T_transpose[row * T.int64(16) + i_1 * T.int64(8) + T.int64(4), T.Ramp(i * T.int64(16) + j * T.int64(8), T.int64(1), 8)] = r_28
                                T_transpose[row * T.int64(16) + i_1 * T.int64(8) + T.int64(5), T.Ramp(i * T.int64(16) + j * T.int64(8), T.int64(1), 8)] = r_29
                                T_transpose[row * T.int64(16) + i_1 * T.int64(8) + T.int64(6), T.Ramp(i * T.int64(16) + j * T.int64(8), T.int64(1), 8)] = r_30
                                T_transpose[row * T.int64(16) + i_1 * T.int64(8) + T.int64(7), T.Ramp(i * T.int64(16) + j * T.int64(8), T.int64(1), 8)] = r_31
                        else:
                            for i_2, i_3 in T.grid(T.min(T.int64(40) - row * T.int64(16), T.int64(16)), T.min(n - i * T.int64(16), T.int64(16))):
                                T_transpose[row * T.int64(16) + i_2, i * T.int64(16) + i_3] = x[i * T.int64(16) + i_3, row * T.int64(16) + i_2]

# ==== square_matrices
# Matrices of one block, with an operand per row: vectors are divided, then transposed in registers.
@I.ir_module
class Module:
    @R.function
    def main(x: R.Tensor(("n", 16, 16), "float32"), y: R.Tensor(("n", 16, 1), "float32")):
        n = T.int64()
        with R.dataflow():
            z = R.permute_dims(R.divide(x, y), axes=[0, 2, 1])
            R.output(z)
        return z
# ---- expected
# from tvm.script import ir as I
# from tvm.script import tir as T
# from tvm.script import relax as R

@I.ir_module
class Module:
    @R.function
    def main(x: R.Tensor(("n", 16, 16), dtype="float32"), y: R.Tensor(("n", 16, 1), dtype="float32")) -> R.Tensor(("n", 16, 16), dtype="float32"):
        n = T.int64()
        R.func_attr({"relax.force_pure": True})
        cls = Module
        z: R.Tensor((n, 16, 16), dtype="float32") = R.builtin.alloc_tensor(R.shape([n, 16, 16]), R.dtype("float32"), R.prim_value(0), R.str("global"))
        _: R.Tuple = cls.fused_divide_transpose(x, y, z)
        return z

    @T.prim_func(private=True)
    def fused_divide_transpose(p_x: T.handle, p_y: T.handle, p_transpose: T.handle):
        T.func_attr({"op_pattern": 2, "tir.noalias": T.bool(True)})
        n = T.int64()
        x = T.match_buffer(p_x, (n, T.int64(16), T.int64(16)))
        y = T.match_buffer(p_y, (n, T.int64(16), T.int64(1)))
        transpose = T.match_buffer(p_transpose, (n, T.int64(16), T.int64(16)))
        with T.block("root"):
            with T.block("single"):
                for row in T.parallel(n):
                    for i, i_1, j in T.grid(T.int64(1), T.int64(2), T.int64(2)):
                        rows = T.allocate([T.int64(64)], "float32", "global")
                        rows_1 = T.decl_buffer((T.int64(64),), data=rows)
                        for l in T.vectorized(T.int64(8)):
                            rows_1[l] = x[row, i * T.int64(16) + j * T.int64(8), i_1 * T.int64(8) + l] / y[row, i * T.int64(16) + j * T.int64(8), T.int64(0)]
                        r: T.float32x8 = rows_1[T.Ramp(T.int64(0), T.int64(1), 8)]
                        for l in T.vectorized(T.int64(8)):
                            rows_1[T.int64(8) + l] = x[row, i * T.int64(16) + (j * T.int64(8) + T.int64(1)), i_1 * T.int64(8) + l] / y[row, i * T.int64(16) + (j * T.int64(8) + T.int64(1)), T.int64(0)]
                        r_1: T.float32x8 = rows_1[T.Ramp(T.int64(8), T.int64(1), 8)]
                        for l in T.vectorized(T.int64(8)):
                            rows_1[T.int64(16) + l] = x[row, i * T.int64(16) + (j * T.int64(8) + T.int64(2)), i_1 * T.int64(8) + l] / y[row, i * T.int64(16) + (j * T.int64(8) + T.int64(2)), T.int64(0)]
                        r_2: T.float32x8 = rows_1[T.Ramp(T.int64(16), T.int64(1), 8)]
                        for l in T.vectorized(T.int64(8)):
                            rows_1[T.int64(24) + l] = x[row, i * T.int64(16) + (j * T.int64(8) + T.int64(3)), i_1 * T.int64(8) + l] / y[row, i * T.int64(16) + (j * T.int64(8) + T.int64(3)), T.int64(0)]
                        r_3: T.float32x8 = rows_1[T.Ramp(T.int64(24), T.int64(1), 8)]
                        for l in T.vectorized(T.int64(8)):
                            rows_1[T.int64(32) + l] = x[row, i * T.int64(16) + (j * T.int64(8) + T.int64(4)), i_1 * T.int64(8) + l] / y[row, i * T.int64(16) + (j * T.int64(8) + T.int64(4)), T.int64(0)]
                        r_4: T.float32x8 = rows_1[T.Ramp(T.int64(32), T.int64(1), 8)]
                        for l in T.vectorized(T.int64(8)):
                            rows_1[T.int64(40) + l] = x[row, i * T.int64(16) + (j * T.int64(8) + T.int64(5)), i_1 * T.int64(8) + l] / y[row, i * T.int64(16) + (j * T.int64(8) + T.int64(5)), T.int64(0)]
                        r_5: T.float32x8 = rows_1[T.Ramp(T.int64(40), T.int64(1), 8)]
                        for l in T.vectorized(T.int64(8)):
                            rows_1[T.int64(48) + l] = x[row, i * T.int64(16) + (j * T.int64(8) + T.int64(6)), i_1 * T.int64(8) + l] / y[row, i * T.int64(16) + (j * T.int64(8) + T.int64(6)), T.int64(0)]
                        r_6: T.float32x8 = rows_1[T.Ramp(T.int64(48), T.int64(1), 8)]
                        for l in T.vectorized(T.int64(8)):
                            rows_1[T.int64(56) + l] = x[row, i * T.int64(16) + (j * T.int64(8) + T.int64(7)), i_1 * T.int64(8) + l] / y[row, i * T.int64(16) + (j * T.int64(8) + T.int64(7)), T.int64(0)]
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
                        transpose[row, i_1 * T.int64(8), T.Ramp(i * T.int64(16) + j * T.int64(8), T.int64(1), 8)] = r_24
                        transpose[row, i_1 * T.int64(8) + T.int64(1), T.Ramp(i * T.int64(16) + j * T.int64(8), T.int64(1), 8)] = r_25
                        transpose[row, i_1 * T.int64(8) + T.int64(2), T.Ramp(i * T.int64(16) + j * T.int64(8), T.int64(1), 8)] = r_26
                        transpose[row, i_1 * T.int64(8) + T.int64(3), T.Ramp(i * T.int64(16) + j * T.int64(8), T.int64(1), 8)] = r_27
                        transpose[row, i_1 * T.int64(8) + T.int64(4), T.Ramp(i * T.int64(16) + j * T.int64(8), T.int64(1), 8)] = r_28
                        transpose[row, i_1 * T.int64(8) + T.int64(5), T.Ramp(i * T.int64(16) + j * T.int64(8), T.int64(1), 8)] = r_29
                        transpose[row, i_1 * T.int64(8) + T.int64(6), T.Ramp(i * T.int64(16) + j * T.int64(8), T.int64(1), 8)] = r_30
                        transpose[row, i_1 * T.int64(8) + T.int64(7), T.Ramp(i * T.int64(16) + j * T.int64(8), T.int64(1), 8)] = r_31
