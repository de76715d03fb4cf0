# ==== border
# A symbolic number of columns: border columns are computed one by one, in vectors of channels. The
# last channels, less than a vector, have small tiles only.
@I.ir_module
class Module:
    @R.function
    def main(x: R.Tensor((1, 44, "n", "m"), "float32")):
        with R.dataflow():
            w = R.broadcast_to(R.const(1.0, "float32"), (44, 1, 3, 3))
            y = R.nn.conv2d(x, w, padding=(1, 1), groups=44)
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
    \"P6G0lvBAXt0AAAAAAAAAAAEAAAAAAAAABAAAAAIgAQADAAAAAAAAAAMAAAAAAAAAAQAAAAAAAAAsAAAAAAAAADAGAAAAAAAAAACAPwAAgD8AAIA/AACAPwAAgD8AAIA/AACAPwAAgD8AAIA/AACAPwAAgD8AAIA/AACAPwAAgD8AAIA/AACAPwAAgD8AAIA/AACAPwAAgD8AAIA/AACAPwAAgD8AAIA/AACAPwAAgD8AAIA/AACAPwAAgD8AAIA/AACAPwAAgD8AAIA/AACAPwAAgD8AAIA/AACAPwAAgD8AAIA/AACAPwAAgD8AAIA/AACAPwAAgD8AAIA/AACAPwAAgD8AAIA/AACAPwAAgD8AAIA/AACAPwAAgD8AAIA/AACAPwAAgD8AAIA/AACAPwAAgD8AAIA/AACAPwAAgD8AAIA/AACAPwAAgD8AAIA/AACAPwAAgD8AAIA/AACAPwAAgD8AAIA/AACAPwAAgD8AAIA/AACAPwAAgD8AAIA/AACAPwAAgD8AAIA/AACAPwAAgD8AAIA/AACAPwAAgD8AAIA/AACAPwAAgD8AAIA/AACAPwAAgD8AAIA/AACAPwAAgD8AAIA/AACAPwAAgD8AAIA/AACAPwAAgD8AAIA/AACAPwAAgD8AAIA/AACAPwAAgD8AAIA/AACAPwAAgD8AAIA/AACAPwAAgD8AAIA/AACAPwAAgD8AAIA/AACAPwAAgD8AAIA/AACAPwAAgD8AAIA/AACAPwAAgD8AAIA/AACAPwAAgD8AAIA/AACAPwAAgD8AAIA/AACAPwAAgD8AAIA/AACAPwAAgD8AAIA/AACAPwAAgD8AAIA/AACAPwAAgD8AAIA/AACAPwAAgD8AAIA/AACAPwAAgD8AAIA/AACAPwAAgD8AAIA/AACAPwAAgD8AAIA/AACAPwAAgD8AAIA/AACAPwAAgD8AAIA/AACAPwAAgD8AAIA/AACAPwAAgD8AAIA/AACAPwAAgD8AAIA/AACAPwAAgD8AAIA/AACAPwAAgD8AAIA/AACAPwAAgD8AAIA/AACAPwAAgD8AAIA/AACAPwAAgD8AAIA/AACAPwAAgD8AAIA/AACAPwAAgD8AAIA/AACAPwAAgD8AAIA/AACAPwAAgD8AAIA/AACAPwAAgD8AAIA/AACAPwAAgD8AAIA/AACAPwAAgD8AAIA/AACAPwAAgD8AAIA/AACAPwAAgD8AAIA/AACAPwAAgD8AAIA/AACAPwAAgD8AAIA/AACAPwAAgD8AAIA/AACAPwAAgD8AAIA/AACAPwAAgD8AAIA/AACAPwAAgD8AAIA/AACAPwAAgD8AAIA/AACAPwAAgD8AAIA/AACAPwAAgD8AAIA/AACAPwAAgD8AAIA/AACAPwAAgD8AAIA/AACAPwAAgD8AAIA/AACAPwAAgD8AAIA/AACAPwAAgD8AAIA/AACAPwAAgD8AAIA/AACAPwAAgD8AAIA/AACAPwAAgD8AAIA/AACAPwAAgD8AAIA/AACAPwAAgD8AAIA/AACAPwAAgD8AAIA/AACAPwAAgD8AAIA/AACAPwAAgD8AAIA/AACAPwAAgD8AAIA/AACAPwAAgD8AAIA/AACAPwAAgD8AAIA/AACAPwAAgD8AAIA/AACAPwAAgD8AAIA/AACAPwAAgD8AAIA/AACAPwAAgD8AAIA/AACAPwAAgD8AAIA/AACAPwAAgD8AAIA/AACAPwAAgD8AAIA/AACAPwAAgD8AAIA/AACAPwAAgD8AAIA/AACAPwAAgD8AAIA/AACAPwAAgD8AAIA/AACAPwAAgD8AAIA/AACAPwAAgD8AAIA/AACAPwAAgD8AAIA/AACAPwAAgD8AAIA/AACAPwAAgD8AAIA/AACAPwAAgD8AAIA/AACAPwAAgD8AAIA/AACAPwAAgD8AAIA/AACAPwAAgD8AAIA/AACAPwAAgD8AAIA/AACAPwAAgD8AAIA/AACAPwAAgD8AAIA/AACAPwAAgD8AAIA/AACAPwAAgD8AAIA/AACAPwAAgD8AAIA/AACAPwAAgD8AAIA/AACAPwAAgD8AAIA/AACAPwAAgD8AAIA/AACAPwAAgD8AAIA/AACAPwAAgD8AAIA/AACAPwAAgD8AAIA/AACAPwAAgD8AAIA/AACAPwAAgD8AAIA/AACAPwAAgD8AAIA/AACAPwAAgD8AAIA/\"
  ], 
  \"attrs\": {\"tvm_version\": \"0.20.0\"}
}""")
# from tvm.script import ir as I
# from tvm.script import tir as T
# from tvm.script import relax as R

@I.ir_module
class Module:
    @R.function
    def main(x: R.Tensor((1, 44, "n", "m"), dtype="float32")) -> R.Tensor((1, 44, "n", "m"), dtype="float32"):
        n = T.int64()
        m = T.int64()
        R.func_attr({"relax.force_pure": True})
        cls = Module
        storage: R.Object = R.memory.alloc_storage(R.shape([n * m * 176]), R.prim_value(0), R.str("planned"), R.dtype("uint8"))
        lv: R.Tensor((1, n, m, 44), dtype="float32") = R.memory.alloc_tensor(storage, R.prim_value(0), R.shape([1, n, m, 44]), R.dtype("float32"))
        _: R.Tuple = cls.transpose(x, lv)
        storage_1: R.Object = R.memory.alloc_storage(R.shape([n * m * 176]), R.prim_value(0), R.str("planned"), R.dtype("uint8"))
        y: R.Tensor((1, n, m, 44), dtype="float32") = R.memory.alloc_tensor(storage_1, R.prim_value(0), R.shape([1, n, m, 44]), R.dtype("float32"))
        _: R.Tuple = cls.conv2d(lv, metadata["relax.expr.Constant"][0], y)
        _: R.Tuple = R.memory.kill_tensor(lv)
        _: R.Tuple = R.memory.kill_storage(storage)
        y_1: R.Tensor((1, 44, n, m), dtype="float32") = R.builtin.alloc_tensor(R.shape([1, 44, n, m]), R.dtype("float32"), R.prim_value(0), R.str("global"))
        _: R.Tuple = cls.transpose1(y, y_1)
        _: R.Tuple = R.memory.kill_tensor(y)
        _: R.Tuple = R.memory.kill_storage(storage_1)
        return y_1

    @T.prim_func(private=True)
    def transpose(var_x: T.handle, var_T_transpose: T.handle):
        T.func_attr({"op_pattern": 2, "tir.noalias": T.bool(True)})
        n = T.int64()
        m = T.int64()
        x = T.match_buffer(var_x, (T.int64(1), T.int64(44), n, m))
        T_transpose = T.match_buffer(var_T_transpose, (T.int64(1), n, m, T.int64(44)))
        # with T.block("root"):
        for ax0, ax1, ax2, ax3 in T.grid(T.int64(1), n, m, T.int64(44)):
            with T.block("T_transpose"):
                v_ax0, v_ax1, v_ax2, v_ax3 = T.axis.remap("SSSS", [ax0, ax1, ax2, ax3])
                T.reads(x[v_ax0, v_ax3, v_ax1, v_ax2])
                T.writes(T_transpose[v_ax0, v_ax1, v_ax2, v_ax3])
                T.block_attr({"rlx.operator": "transpose ssss"})
                T_transpose[v_ax0, v_ax1, v_ax2, v_ax3] = x[v_ax0, v_ax3, v_ax1, v_ax2]

    @T.prim_func(private=True)
    def conv2d(var_lv: T.handle, w: T.Buffer((T.int64(3), T.int64(3), T.int64(1), T.int64(44)), "float32"), var_conv2d: T.handle):
        T.func_attr({"op_pattern": 4, "tir.noalias": T.bool(True)})
        n = T.int64()
        m = T.int64()
        lv = T.match_buffer(var_lv, (T.int64(1), n, m, T.int64(44)))
        conv2d = T.match_buffer(var_conv2d, (T.int64(1), n, m, T.int64(44)))
        with T.block("root"):
            with T.block("sliding"):
                pieces: T.int64 = (n + T.int64(7)) // T.int64(8)
                for piece in T.parallel(pieces * T.int64(2), annotations={"rlx.alike": 1}):
                    acc = T.allocate([T.int64(64)], "float32", "global")
                    acc_1 = T.decl_buffer((T.int64(64),), data=acc)
                    group: T.int64 = piece % T.int64(2)
                    at: T.int64 = piece // T.int64(2)
                    at_1: T.int64 = at // pieces
                    vectors: T.int64 = T.min(T.int64(6) - group * T.int64(5), T.int64(5))
                    for v in range(vectors):
                        if group * T.int64(5) + v < T.int64(5):
                            row: T.int64 = at % pieces * T.int64(8)
                            rows: T.int64 = T.min(n - row, T.int64(8))
                            for y in range(rows):
                                first: T.int64 = T.max(T.int64(1) - y - row, T.int64(0))
                                count: T.int64 = T.max(T.min(n - y - row + T.int64(1), T.int64(3)) - first, T.int64(0))
                                start: T.int64 = T.min(m, T.int64(1))
                                end: T.int64 = T.max(start, m - T.int64(1))
                                end_1: T.int64 = start + (end - start) // T.int64(4) * T.int64(4)
                                tiles: T.int64 = (end_1 - start) // T.int64(8)
                                for i in range(tiles):
                                    with T.block("init"):
                                        for m_1 in T.unroll(T.int64(8)):
                                            for v_1 in T.unroll(T.int64(1)):
                                                for l in T.vectorized(T.int64(8)):
                                                    acc_1[m_1 * T.int64(8) + (v_1 * T.int64(8) + l)] = T.float32(0.0)
                                    with T.block("sum"):
                                        for k in T.serial(count, annotations={"rlx.rolled": 1}):
                                            for k_1 in T.unroll(T.int64(3)):
                                                for m_2 in T.unroll(T.int64(8)):
                                                    for v_2 in T.unroll(T.int64(1)):
                                                        for l in T.vectorized(T.int64(8)):
                                                            acc_1[m_2 * T.int64(8) + (v_2 * T.int64(8) + l)] = acc_1[m_2 * T.int64(8) + (v_2 * T.int64(8) + l)] + lv[at_1, row + y + (first + k) - T.int64(1), start + i * T.int64(8) + m_2 + k_1 - T.int64(1), (group * T.int64(5) + v) * T.int64(8) + (v_2 * T.int64(8) + l)] * w[first + k, k_1, T.int64(0), (group * T.int64(5) + v) * T.int64(8) + (v_2 * T.int64(8) + l)]
                                    with T.block("write"):
                                        for m_3 in T.unroll(T.int64(8)):
                                            for v_3 in T.unroll(T.int64(1)):
                                                for l in T.vectorized(T.int64(8)):
                                                    conv2d[at_1, row + y, start + i * T.int64(8) + m_3, (group * T.int64(5) + v) * T.int64(8) + (v_3 * T.int64(8) + l)] = acc_1[m_3 * T.int64(8) + (v_3 * T.int64(8) + l)]
                                left: T.int64 = end_1 - start - tiles * T.int64(8)
                                row_1: T.int64 = start + tiles * T.int64(8)
                                tiles_1: T.int64 = left // T.int64(4)
                                for i in range(tiles_1):
                                    with T.block("init"):
                                        for m_4 in T.unroll(T.int64(4)):
                                            for v_4 in T.unroll(T.int64(1)):
                                                for l in T.vectorized(T.int64(8)):
                                                    acc_1[m_4 * T.int64(8) + (v_4 * T.int64(8) + l)] = T.float32(0.0)
                                    with T.block("sum"):
                                        for k in T.serial(count, annotations={"rlx.rolled": 1}):
                                            for k_2 in T.unroll(T.int64(3)):
                                                for m_5 in T.unroll(T.int64(4)):
                                                    for v_5 in T.unroll(T.int64(1)):
                                                        for l in T.vectorized(T.int64(8)):
                                                            acc_1[m_5 * T.int64(8) + (v_5 * T.int64(8) + l)] = acc_1[m_5 * T.int64(8) + (v_5 * T.int64(8) + l)] + lv[at_1, row + y + (first + k) - T.int64(1), row_1 + i * T.int64(4) + m_5 + k_2 - T.int64(1), (group * T.int64(5) + v) * T.int64(8) + (v_5 * T.int64(8) + l)] * w[first + k, k_2, T.int64(0), (group * T.int64(5) + v) * T.int64(8) + (v_5 * T.int64(8) + l)]
                                    with T.block("write"):
                                        for m_6 in T.unroll(T.int64(4)):
                                            for v_6 in T.unroll(T.int64(1)):
                                                for l in T.vectorized(T.int64(8)):
                                                    conv2d[at_1, row + y, row_1 + i * T.int64(4) + m_6, (group * T.int64(5) + v) * T.int64(8) + (v_6 * T.int64(8) + l)] = acc_1[m_6 * T.int64(8) + (v_6 * T.int64(8) + l)]
                                left_1: T.int64 = left - tiles_1 * T.int64(4)
                                row_2: T.int64 = row_1 + tiles_1 * T.int64(4)
                        else:
                            row: T.int64 = at % pieces * T.int64(8)
                            rows: T.int64 = T.min(n - row, T.int64(8))
                            for y in range(rows):
                                first: T.int64 = T.max(T.int64(1) - y - row, T.int64(0))
                                count: T.int64 = T.max(T.min(n - y - row + T.int64(1), T.int64(3)) - first, T.int64(0))
                                start: T.int64 = T.min(m, T.int64(1))
                                end: T.int64 = T.max(start, m - T.int64(1))
                                end_2: T.int64 = start + (end - start) // T.int64(4) * T.int64(4)
                                tiles: T.int64 = (end_2 - start) // T.int64(4)
                                for i in range(tiles):
                                    with T.block("init"):
                                        for m_7 in T.unroll(T.int64(4)):
                                            for v_7 in T.unroll(T.int64(1)):
                                                for l in T.vectorized(T.int64(4)):
                                                    acc_1[m_7 * T.int64(4) + (v_7 * T.int64(4) + l)] = T.float32(0.0)
                                    with T.block("sum"):
                                        for k in T.serial(count, annotations={"rlx.rolled": 1}):
                                            for k_3 in T.unroll(T.int64(3)):
                                                for m_8 in T.unroll(T.int64(4)):
                                                    for v_8 in T.unroll(T.int64(1)):
                                                        for l in T.vectorized(T.int64(4)):
                                                            acc_1[m_8 * T.int64(4) + (v_8 * T.int64(4) + l)] = acc_1[m_8 * T.int64(4) + (v_8 * T.int64(4) + l)] + lv[at_1, row + y + (first + k) - T.int64(1), start + i * T.int64(4) + m_8 + k_3 - T.int64(1), T.int64(40) + (v_8 * T.int64(4) + l)] * w[first + k, k_3, T.int64(0), T.int64(40) + (v_8 * T.int64(4) + l)]
                                    with T.block("write"):
                                        for m_9 in T.unroll(T.int64(4)):
                                            for v_9 in T.unroll(T.int64(1)):
                                                for l in T.vectorized(T.int64(4)):
                                                    conv2d[at_1, row + y, start + i * T.int64(4) + m_9, T.int64(40) + (v_9 * T.int64(4) + l)] = acc_1[m_9 * T.int64(4) + (v_9 * T.int64(4) + l)]
                                left: T.int64 = end_2 - start - tiles * T.int64(4)
                                row_3: T.int64 = start + tiles * T.int64(4)
                    if group < T.int64(1):
                        row: T.int64 = at % pieces * T.int64(8)
                        rows: T.int64 = T.min(n - row, T.int64(8))
                        for y in range(rows):
                            first: T.int64 = T.max(T.int64(1) - y - row, T.int64(0))
                            count: T.int64 = T.max(T.min(n - y - row + T.int64(1), T.int64(3)) - first, T.int64(0))
                            start: T.int64 = T.min(m, T.int64(1))
                            end: T.int64 = T.max(start, m - T.int64(1))
                            end_3: T.int64 = start + (end - start) // T.int64(4) * T.int64(4)
                            for i in range(m + start - end_3):
                                column: T.int64 = T.Select(i < start, i, end_3 - start + i)
                                first_1: T.int64 = T.max(T.int64(1) - column, T.int64(0))
                                count_1: T.int64 = T.max(T.min(m - column + T.int64(1), T.int64(3)) - first_1, T.int64(0))
                                with T.block("init"):
                                    for m_10 in T.unroll(T.int64(1)):
                                        for v in T.unroll(T.int64(5)):
                                            for l in T.vectorized(T.int64(8)):
                                                acc_1[m_10 * T.int64(40) + (v * T.int64(8) + l)] = T.float32(0.0)
                                with T.block("sum"):
                                    for k in T.serial(count, annotations={"rlx.rolled": 1}):
                                        for k_4 in T.serial(count_1, annotations={"rlx.rolled": 1}):
                                            for m_11 in T.unroll(T.int64(1)):
                                                for v in T.unroll(T.int64(5)):
                                                    for l in T.vectorized(T.int64(8)):
                                                        acc_1[m_11 * T.int64(40) + (v * T.int64(8) + l)] = acc_1[m_11 * T.int64(40) + (v * T.int64(8) + l)] + lv[at_1, row + y + (first + k) - T.int64(1), column + m_11 + (first_1 + k_4) - T.int64(1), group * T.int64(40) + (v * T.int64(8) + l)] * w[first + k, first_1 + k_4, T.int64(0), group * T.int64(40) + (v * T.int64(8) + l)]
                                with T.block("write"):
                                    for m_12 in T.unroll(T.int64(1)):
                                        for v in T.unroll(T.int64(5)):
                                            for l in T.vectorized(T.int64(8)):
                                                conv2d[at_1, row + y, column + m_12, group * T.int64(40) + (v * T.int64(8) + l)] = acc_1[m_12 * T.int64(40) + (v * T.int64(8) + l)]
                    else:
                        row: T.int64 = at % pieces * T.int64(8)
                        rows: T.int64 = T.min(n - row, T.int64(8))
                        for y in range(rows):
                            first: T.int64 = T.max(T.int64(1) - y - row, T.int64(0))
                            count: T.int64 = T.max(T.min(n - y - row + T.int64(1), T.int64(3)) - first, T.int64(0))
                            start: T.int64 = T.min(m, T.int64(1))
                            end: T.int64 = T.max(start, m - T.int64(1))
                            end_4: T.int64 = start + (end - start) // T.int64(4) * T.int64(4)
                            for i in range(m + start - end_4):
                                column: T.int64 = T.Select(i < start, i, end_4 - start + i)
                                first_2: T.int64 = T.max(T.int64(1) - column, T.int64(0))
                                count_2: T.int64 = T.max(T.min(m - column + T.int64(1), T.int64(3)) - first_2, T.int64(0))
                                with T.block("init"):
                                    for m_13 in T.unroll(T.int64(1)):
                                        for v in T.unroll(T.int64(1)):
                                            for l in T.vectorized(T.int64(4)):
                                                acc_1[m_13 * T.int64(4) + (v * T.int64(4) + l)] = T.float32(0.0)
                                with T.block("sum"):
                                    for k in T.serial(count, annotations={"rlx.rolled": 1}):
                                        for k_5 in T.serial(count_2, annotations={"rlx.rolled": 1}):
                                            for m_14 in T.unroll(T.int64(1)):
                                                for v in T.unroll(T.int64(1)):
                                                    for l in T.vectorized(T.int64(4)):
                                                        acc_1[m_14 * T.int64(4) + (v * T.int64(4) + l)] = acc_1[m_14 * T.int64(4) + (v * T.int64(4) + l)] + lv[at_1, row + y + (first + k) - T.int64(1), column + m_14 + (first_2 + k_5) - T.int64(1), T.int64(40) + (v * T.int64(4) + l)] * w[first + k, first_2 + k_5, T.int64(0), T.int64(40) + (v * T.int64(4) + l)]
                                with T.block("write"):
                                    for m_15 in T.unroll(T.int64(1)):
                                        for v in T.unroll(T.int64(1)):
                                            for l in T.vectorized(T.int64(4)):
                                                conv2d[at_1, row + y, column + m_15, T.int64(40) + (v * T.int64(4) + l)] = acc_1[m_15 * T.int64(4) + (v * T.int64(4) + l)]

    @T.prim_func(private=True)
    def transpose1(var_y: T.handle, var_T_transpose: T.handle):
        T.func_attr({"op_pattern": 2, "tir.noalias": T.bool(True)})
        n = T.int64()
        m = T.int64()
        y = T.match_buffer(var_y, (T.int64(1), n, m, T.int64(44)))
        T_transpose = T.match_buffer(var_T_transpose, (T.int64(1), T.int64(44), n, m))
        # with T.block("root"):
        for ax0, ax1, ax2, ax3 in T.grid(T.int64(1), T.int64(44), n, m):
            with T.block("T_transpose"):
                v_ax0, v_ax1, v_ax2, v_ax3 = T.axis.remap("SSSS", [ax0, ax1, ax2, ax3])
                T.reads(y[v_ax0, v_ax2, v_ax3, v_ax1])
                T.writes(T_transpose[v_ax0, v_ax1, v_ax2, v_ax3])
                T.block_attr({"rlx.operator": "transpose ssss"})
                T_transpose[v_ax0, v_ax1, v_ax2, v_ax3] = y[v_ax0, v_ax2, v_ax3, v_ax1]

# ==== depthwise
# A depthwise window: columns in registers, the border skipped instead of padded.
@I.ir_module
class Module:
    @R.function
    def main(x: R.Tensor((1, 16, 14, 14), "float32")):
        with R.dataflow():
            w = R.broadcast_to(R.const(1.0, "float32"), (16, 1, 3, 3))
            y = R.nn.conv2d(x, w, padding=(1, 1), groups=16)
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
    \"P6G0lvBAXt0AAAAAAAAAAAEAAAAAAAAABAAAAAIgAQADAAAAAAAAAAMAAAAAAAAAAQAAAAAAAAAQAAAAAAAAAEACAAAAAAAAAACAPwAAgD8AAIA/AACAPwAAgD8AAIA/AACAPwAAgD8AAIA/AACAPwAAgD8AAIA/AACAPwAAgD8AAIA/AACAPwAAgD8AAIA/AACAPwAAgD8AAIA/AACAPwAAgD8AAIA/AACAPwAAgD8AAIA/AACAPwAAgD8AAIA/AACAPwAAgD8AAIA/AACAPwAAgD8AAIA/AACAPwAAgD8AAIA/AACAPwAAgD8AAIA/AACAPwAAgD8AAIA/AACAPwAAgD8AAIA/AACAPwAAgD8AAIA/AACAPwAAgD8AAIA/AACAPwAAgD8AAIA/AACAPwAAgD8AAIA/AACAPwAAgD8AAIA/AACAPwAAgD8AAIA/AACAPwAAgD8AAIA/AACAPwAAgD8AAIA/AACAPwAAgD8AAIA/AACAPwAAgD8AAIA/AACAPwAAgD8AAIA/AACAPwAAgD8AAIA/AACAPwAAgD8AAIA/AACAPwAAgD8AAIA/AACAPwAAgD8AAIA/AACAPwAAgD8AAIA/AACAPwAAgD8AAIA/AACAPwAAgD8AAIA/AACAPwAAgD8AAIA/AACAPwAAgD8AAIA/AACAPwAAgD8AAIA/AACAPwAAgD8AAIA/AACAPwAAgD8AAIA/AACAPwAAgD8AAIA/AACAPwAAgD8AAIA/AACAPwAAgD8AAIA/AACAPwAAgD8AAIA/AACAPwAAgD8AAIA/AACAPwAAgD8AAIA/AACAPwAAgD8AAIA/AACAPwAAgD8AAIA/AACAPwAAgD8AAIA/\"
  ], 
  \"attrs\": {\"tvm_version\": \"0.20.0\"}
}""")
# from tvm.script import ir as I
# from tvm.script import tir as T
# from tvm.script import relax as R

@I.ir_module
class Module:
    @R.function
    def main(x: R.Tensor((1, 16, 14, 14), dtype="float32")) -> R.Tensor((1, 16, 14, 14), dtype="float32"):
        R.func_attr({"relax.force_pure": True})
        cls = Module
        storage: R.Object = R.memory.alloc_storage(R.shape([12544]), R.prim_value(0), R.str("planned"), R.dtype("uint8"))
        lv: R.Tensor((1, 14, 14, 16), dtype="float32") = R.memory.alloc_tensor(storage, R.prim_value(0), R.shape([1, 14, 14, 16]), R.dtype("float32"))
        _: R.Tuple = cls.transpose(x, lv)
        storage_1: R.Object = R.memory.alloc_storage(R.shape([12544]), R.prim_value(0), R.str("planned"), R.dtype("uint8"))
        y: R.Tensor((1, 14, 14, 16), dtype="float32") = R.memory.alloc_tensor(storage_1, R.prim_value(0), R.shape([1, 14, 14, 16]), R.dtype("float32"))
        _: R.Tuple = cls.conv2d(lv, metadata["relax.expr.Constant"][0], y)
        _: R.Tuple = R.memory.kill_tensor(lv)
        _: R.Tuple = R.memory.kill_storage(storage)
        y_1: R.Tensor((1, 16, 14, 14), dtype="float32") = R.builtin.alloc_tensor(R.shape([1, 16, 14, 14]), R.dtype("float32"), R.prim_value(0), R.str("global"))
        _: R.Tuple = cls.transpose1(y, y_1)
        _: R.Tuple = R.memory.kill_tensor(y)
        _: R.Tuple = R.memory.kill_storage(storage_1)
        return y_1

    @T.prim_func(private=True)
    def transpose(x: T.Buffer((T.int64(1), T.int64(16), T.int64(14), T.int64(14)), "float32"), T_transpose: T.Buffer((T.int64(1), T.int64(14), T.int64(14), T.int64(16)), "float32")):
        T.func_attr({"op_pattern": 2, "tir.noalias": T.bool(True)})
        # with T.block("root"):
        for ax0, ax1, ax2, ax3 in T.grid(T.int64(1), T.int64(14), T.int64(14), T.int64(16)):
            with T.block("T_transpose"):
                v_ax0, v_ax1, v_ax2, v_ax3 = T.axis.remap("SSSS", [ax0, ax1, ax2, ax3])
                T.reads(x[v_ax0, v_ax3, v_ax1, v_ax2])
                T.writes(T_transpose[v_ax0, v_ax1, v_ax2, v_ax3])
                T.block_attr({"rlx.operator": "transpose ssss"})
                T_transpose[v_ax0, v_ax1, v_ax2, v_ax3] = x[v_ax0, v_ax3, v_ax1, v_ax2]

    @T.prim_func(private=True)
    def conv2d(lv: T.Buffer((T.int64(1), T.int64(14), T.int64(14), T.int64(16)), "float32"), w: T.Buffer((T.int64(3), T.int64(3), T.int64(1), T.int64(16)), "float32"), conv2d: T.Buffer((T.int64(1), T.int64(14), T.int64(14), T.int64(16)), "float32")):
        T.func_attr({"op_pattern": 4, "tir.noalias": T.bool(True)})
        with T.block("root"):
            with T.block("sliding"):
                for piece in range(T.int64(4)):
                    acc = T.allocate([T.int64(64)], "float32", "global")
                    acc_1 = T.decl_buffer((T.int64(64),), data=acc)
                    group: T.int64 = piece % T.int64(2)
                    at: T.int64 = piece // T.int64(2)
                    at_1: T.int64 = at // T.int64(2)
                    vectors: T.int64 = T.min(T.int64(2) - group, T.int64(1))
                    for v in range(vectors):
                        row: T.int64 = at % T.int64(2) * T.int64(7)
                        rows: T.int64 = T.min(T.int64(14) - row, T.int64(7))
                        for y in range(rows):
                            first: T.int64 = T.max(T.int64(1) - y - row, T.int64(0))
                            count: T.int64 = T.max(T.min(T.int64(15) - y - row, T.int64(3)) - first, T.int64(0))
                            with T.block("init"):
                                for m in T.unroll(T.int64(7)):
                                    for v_1 in T.unroll(T.int64(1)):
                                        for l in T.vectorized(T.int64(8)):
                                            acc_1[m * T.int64(8) + (v_1 * T.int64(8) + l)] = T.float32(0.0)
                            with T.block("sum"):
                                for k in T.serial(count, annotations={"rlx.rolled": 1}):
                                    for k_1 in T.unroll(T.int64(3)):
                                        for m in T.unroll(T.int64(7)):
                                            for v_2 in T.unroll(T.int64(1)):
                                                for l in T.vectorized(T.int64(8)):
                                                    if T.max(T.int64(1) - m, T.int64(0)) <= k_1 and k_1 < T.min(T.int64(15) - m, T.int64(3)):
                                                        acc_1[m * T.int64(8) + (v_2 * T.int64(8) + l)] = acc_1[m * T.int64(8) + (v_2 * T.int64(8) + l)] + lv[at_1, row + y + (first + k) - T.int64(1), m + k_1 - T.int64(1), (group + v) * T.int64(8) + (v_2 * T.int64(8) + l)] * w[first + k, k_1, T.int64(0), (group + v) * T.int64(8) + (v_2 * T.int64(8) + l)]
                            with T.block("write"):
                                for m in T.unroll(T.int64(7)):
                                    for v_3 in T.unroll(T.int64(1)):
                                        for l in T.vectorized(T.int64(8)):
                                            conv2d[at_1, row + y, m, (group + v) * T.int64(8) + (v_3 * T.int64(8) + l)] = acc_1[m * T.int64(8) + (v_3 * T.int64(8) + l)]
                            with T.block("init"):
                                for m in T.unroll(T.int64(7)):
                                    for v_4 in T.unroll(T.int64(1)):
                                        for l in T.vectorized(T.int64(8)):
                                            acc_1[m * T.int64(8) + (v_4 * T.int64(8) + l)] = T.float32(0.0)
                            with T.block("sum"):
                                for k in T.serial(count, annotations={"rlx.rolled": 1}):
                                    for k_2 in T.unroll(T.int64(3)):
                                        for m in T.unroll(T.int64(7)):
                                            for v_5 in T.unroll(T.int64(1)):
                                                for l in T.vectorized(T.int64(8)):
                                                    if T.max(T.int64(1) - (T.int64(7) + m), T.int64(0)) <= k_2 and k_2 < T.min(T.int64(15) - (T.int64(7) + m), T.int64(3)):
                                                        acc_1[m * T.int64(8) + (v_5 * T.int64(8) + l)] = acc_1[m * T.int64(8) + (v_5 * T.int64(8) + l)] + lv[at_1, row + y + (first + k) - T.int64(1), T.int64(7) + m + k_2 - T.int64(1), (group + v) * T.int64(8) + (v_5 * T.int64(8) + l)] * w[first + k, k_2, T.int64(0), (group + v) * T.int64(8) + (v_5 * T.int64(8) + l)]
                            with T.block("write"):
                                for m in T.unroll(T.int64(7)):
                                    for v_6 in T.unroll(T.int64(1)):
                                        for l in T.vectorized(T.int64(8)):
                                            conv2d[at_1, row + y, T.int64(7) + m, (group + v) * T.int64(8) + (v_6 * T.int64(8) + l)] = acc_1[m * T.int64(8) + (v_6 * T.int64(8) + l)]

    @T.prim_func(private=True)
    def transpose1(y: T.Buffer((T.int64(1), T.int64(14), T.int64(14), T.int64(16)), "float32"), T_transpose: T.Buffer((T.int64(1), T.int64(16), T.int64(14), T.int64(14)), "float32")):
        T.func_attr({"op_pattern": 2, "tir.noalias": T.bool(True)})
        # with T.block("root"):
        for ax0, ax1, ax2, ax3 in T.grid(T.int64(1), T.int64(16), T.int64(14), T.int64(14)):
            with T.block("T_transpose"):
                v_ax0, v_ax1, v_ax2, v_ax3 = T.axis.remap("SSSS", [ax0, ax1, ax2, ax3])
                T.reads(y[v_ax0, v_ax2, v_ax3, v_ax1])
                T.writes(T_transpose[v_ax0, v_ax1, v_ax2, v_ax3])
                T.block_attr({"rlx.operator": "transpose ssss"})
                T_transpose[v_ax0, v_ax1, v_ax2, v_ax3] = y[v_ax0, v_ax2, v_ax3, v_ax1]
