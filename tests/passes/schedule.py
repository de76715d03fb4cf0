# ==== matmul_tile_and_rows
# A matmul runs in register tiles with its epilogue; a softmax runs row by row in one loop.
@I.ir_module
class Module:
    @R.function
    def main(x: R.Tensor(("n", 32), "float32"), w: R.Tensor((32, 24), "float32"), c: R.Tensor((24,), "float32")):
        n = T.int64()
        with R.dataflow():
            y = R.matmul(x, w)
            z = R.add(y, c)
            r = R.nn.relu(z)
            s = R.nn.softmax(r, axis=-1)
            R.output(s)
        return s
# ---- expected
# from tvm.script import ir as I
# from tvm.script import tir as T
# from tvm.script import relax as R

@I.ir_module
class Module:
    @R.function
    def main(x: R.Tensor(("n", 32), dtype="float32"), w: R.Tensor((32, 24), dtype="float32"), c: R.Tensor((24,), dtype="float32")) -> R.Tensor(("n", 24), dtype="float32"):
        n = T.int64()
        R.func_attr({"relax.force_pure": True})
        cls = Module
        storage: R.Object = R.memory.alloc_storage(R.shape([n * 96]), R.prim_value(0), R.str("planned"), R.dtype("uint8"))
        r: R.Tensor((n, 24), dtype="float32") = R.memory.alloc_tensor(storage, R.prim_value(0), R.shape([n, 24]), R.dtype("float32"))
        _: R.Tuple = cls.fused_matmul_add_relu(x, w, c, r)
        s: R.Tensor((n, 24), dtype="float32") = R.builtin.alloc_tensor(R.shape([n, 24]), R.dtype("float32"), R.prim_value(0), R.str("global"))
        _: R.Tuple = cls.softmax(r, s)
        _: R.Tuple = R.memory.kill_tensor(r)
        _: R.Tuple = R.memory.kill_storage(storage)
        return s

    @T.prim_func(private=True)
    def softmax(var_r: T.handle, var_T_softmax_norm: T.handle):
        T.func_attr({"op_pattern": 4, "tir.noalias": T.bool(True)})
        n = T.int64()
        r = T.match_buffer(var_r, (n, T.int64(24)))
        T_softmax_norm = T.match_buffer(var_T_softmax_norm, (n, T.int64(24)))
        # with T.block("root"):
        for ax0_m in T.parallel(n):
            with T.block("local"):
                T_softmax_maxelem = T.alloc_buffer((T.int64(1),))
                T_softmax_exp = T.alloc_buffer((T.int64(1), T.int64(24)))
                T_softmax_expsum = T.alloc_buffer((T.int64(1),))
                with T.block("T_softmax_maxelem_init"):
                    v_ax0 = T.axis.spatial(n, ax0_m)
                    T.block_attr({"rlx.rule": "rows"})
                    T_softmax_maxelem[v_ax0 - ax0_m] = T.float32(-3.4028234663852886e+38)
                for k1 in T.serial(T.int64(24), annotations={"rlx.reassoc": 1}):
                    with T.block("T_softmax_maxelem_update"):
                        v_ax0, v_k1 = T.axis.remap("SR", [ax0_m, k1])
                        T.block_attr({"rlx.rule": "rows"})
                        T_softmax_maxelem[v_ax0 - ax0_m] = T.max(T_softmax_maxelem[v_ax0 - ax0_m], r[v_ax0, v_k1])
                for ax1_0 in range(T.int64(3)):
                    for ax1_1 in T.vectorized(T.int64(8)):
                        with T.block("T_softmax_exp"):
                            v_ax0 = T.axis.spatial(n, ax0_m)
                            v_ax1 = T.axis.spatial(T.int64(24), ax1_0 * T.int64(8) + ax1_1)
                            T_softmax_exp[v_ax0 - ax0_m, v_ax1] = T.exp_nonpositive(r[v_ax0, v_ax1] - T_softmax_maxelem[v_ax0 - ax0_m])
                with T.block("T_softmax_expsum_init"):
                    v_ax0 = T.axis.spatial(n, ax0_m)
                    T_softmax_expsum[v_ax0 - ax0_m] = T.float32(0.0)
                for k1 in T.serial(T.int64(24), annotations={"rlx.reassoc": 1}):
                    with T.block("T_softmax_expsum_update"):
                        v_ax0, v_k1 = T.axis.remap("SR", [ax0_m, k1])
                        T_softmax_expsum[v_ax0 - ax0_m] = T_softmax_expsum[v_ax0 - ax0_m] + T_softmax_exp[v_ax0 - ax0_m, v_k1]
                for ax1_0 in range(T.int64(3)):
                    for ax1_1 in T.vectorized(T.int64(8)):
                        with T.block("T_softmax_norm"):
                            v_ax0 = T.axis.spatial(n, ax0_m)
                            v_ax1 = T.axis.spatial(T.int64(24), ax1_0 * T.int64(8) + ax1_1)
                            T.block_attr({"rlx.operator": "rearrange ss"})
                            T_softmax_norm[v_ax0, v_ax1] = T_softmax_exp[v_ax0 - ax0_m, v_ax1] * (T.float32(1.0) / T_softmax_expsum[v_ax0 - ax0_m])

    @T.prim_func(private=True)
    def fused_matmul_add_relu(p_x: T.handle, w: T.Buffer((T.int64(32), T.int64(24)), "float32"), c: T.Buffer((T.int64(24),), "float32"), p_relu: T.handle):
        T.func_attr({"op_pattern": 4, "tir.noalias": T.bool(True)})
        n = T.int64()
        x = T.match_buffer(p_x, (n, T.int64(32)))
        relu = T.match_buffer(p_relu, (n, T.int64(24)))
        with T.block("root"):
            blocks: T.int64 = (n + T.int64(47)) // T.int64(48)
            for piece in T.parallel(blocks, annotations={"rlx.alike": 1}):
                acc = T.allocate([T.int64(72)], "float32", "global")
                acc_1 = T.decl_buffer((T.int64(72),), data=acc)
                at: T.int64 = piece // blocks
                row: T.int64 = piece % blocks * T.int64(48)
                rows: T.int64 = T.min(n - row, T.int64(48))
                tiles: T.int64 = rows // T.int64(3)
                for i in range(tiles):
                    for m in T.unroll(T.int64(3)):
                        for v in T.unroll(T.int64(3)):
                            for l in T.vectorized(T.int64(8)):
                                acc_1[m * T.int64(24) + (v * T.int64(8) + l)] = T.float32(0.0)
                    for k in range(T.int64(8)):
                        for m in T.unroll(T.int64(3)):
                            for v in T.unroll(T.int64(3)):
                                for l in T.vectorized(T.int64(8)):
                                    acc_1[m * T.int64(24) + (v * T.int64(8) + l)] = acc_1[m * T.int64(24) + (v * T.int64(8) + l)] + x[row + i * T.int64(3) + m, k * T.int64(4)] * w[k * T.int64(4), at * T.int64(24) + (v * T.int64(8) + l)]
                        for m in T.unroll(T.int64(3)):
                            for v in T.unroll(T.int64(3)):
                                for l in T.vectorized(T.int64(8)):
                                    acc_1[m * T.int64(24) + (v * T.int64(8) + l)] = acc_1[m * T.int64(24) + (v * T.int64(8) + l)] + x[row + i * T.int64(3) + m, k * T.int64(4) + T.int64(1)] * w[k * T.int64(4) + T.int64(1), at * T.int64(24) + (v * T.int64(8) + l)]
                        for m in T.unroll(T.int64(3)):
                            for v in T.unroll(T.int64(3)):
                                for l in T.vectorized(T.int64(8)):
                                    acc_1[m * T.int64(24) + (v * T.int64(8) + l)] = acc_1[m * T.int64(24) + (v * T.int64(8) + l)] + x[row + i * T.int64(3) + m, k * T.int64(4) + T.int64(2)] * w[k * T.int64(4) + T.int64(2), at * T.int64(24) + (v * T.int64(8) + l)]
                        for m in T.unroll(T.int64(3)):
                            for v in T.unroll(T.int64(3)):
                                for l in T.vectorized(T.int64(8)):
                                    acc_1[m * T.int64(24) + (v * T.int64(8) + l)] = acc_1[m * T.int64(24) + (v * T.int64(8) + l)] + x[row + i * T.int64(3) + m, k * T.int64(4) + T.int64(3)] * w[k * T.int64(4) + T.int64(3), at * T.int64(24) + (v * T.int64(8) + l)]
                    for m in T.unroll(T.int64(3)):
                        for v in T.unroll(T.int64(3)):
                            for l in T.vectorized(T.int64(8)):
                                relu[row + i * T.int64(3) + m, at * T.int64(24) + (v * T.int64(8) + l)] = T.max(acc_1[m * T.int64(24) + (v * T.int64(8) + l)] + c[at * T.int64(24) + (v * T.int64(8) + l)], T.float32(0.0))
                left: T.int64 = rows - tiles * T.int64(3)
                row_1: T.int64 = row + tiles * T.int64(3)
                tiles_1: T.int64 = left // T.int64(2)
                for i in range(tiles_1):
                    for m in T.unroll(T.int64(2)):
                        for v in T.unroll(T.int64(3)):
                            for l in T.vectorized(T.int64(8)):
                                acc_1[m * T.int64(24) + (v * T.int64(8) + l)] = T.float32(0.0)
                    for k in range(T.int64(32)):
                        for m in T.unroll(T.int64(2)):
                            for v in T.unroll(T.int64(3)):
                                for l in T.vectorized(T.int64(8)):
                                    acc_1[m * T.int64(24) + (v * T.int64(8) + l)] = acc_1[m * T.int64(24) + (v * T.int64(8) + l)] + x[row_1 + i * T.int64(2) + m, k] * w[k, at * T.int64(24) + (v * T.int64(8) + l)]
                    for m in T.unroll(T.int64(2)):
                        for v in T.unroll(T.int64(3)):
                            for l in T.vectorized(T.int64(8)):
                                relu[row_1 + i * T.int64(2) + m, at * T.int64(24) + (v * T.int64(8) + l)] = T.max(acc_1[m * T.int64(24) + (v * T.int64(8) + l)] + c[at * T.int64(24) + (v * T.int64(8) + l)], T.float32(0.0))
                left_1: T.int64 = left - tiles_1 * T.int64(2)
                row_2: T.int64 = row_1 + tiles_1 * T.int64(2)
                for i in range(left_1):
                    for m in T.unroll(T.int64(1)):
                        for v in T.unroll(T.int64(3)):
                            for l in T.vectorized(T.int64(8)):
                                acc_1[m * T.int64(24) + (v * T.int64(8) + l)] = T.float32(0.0)
                    for m in T.unroll(T.int64(1)):
                        for v in T.unroll(T.int64(3)):
                            for l in T.vectorized(T.int64(8)):
                                acc_1[m * T.int64(24) + (v * T.int64(8) + l) + T.int64(24)] = T.float32(0.0)
                    for k in range(T.int64(16)):
                        for m in T.unroll(T.int64(1)):
                            for v in T.unroll(T.int64(3)):
                                for l in T.vectorized(T.int64(8)):
                                    acc_1[m * T.int64(24) + (v * T.int64(8) + l)] = acc_1[m * T.int64(24) + (v * T.int64(8) + l)] + x[row_2 + i + m, k * T.int64(2)] * w[k * T.int64(2), at * T.int64(24) + (v * T.int64(8) + l)]
                        for m in T.unroll(T.int64(1)):
                            for v in T.unroll(T.int64(3)):
                                for l in T.vectorized(T.int64(8)):
                                    acc_1[m * T.int64(24) + (v * T.int64(8) + l) + T.int64(24)] = acc_1[m * T.int64(24) + (v * T.int64(8) + l) + T.int64(24)] + x[row_2 + i + m, k * T.int64(2) + T.int64(1)] * w[k * T.int64(2) + T.int64(1), at * T.int64(24) + (v * T.int64(8) + l)]
                    for m in T.unroll(T.int64(1)):
                        for v in T.unroll(T.int64(3)):
                            for l in T.vectorized(T.int64(8)):
                                acc_1[m * T.int64(24) + (v * T.int64(8) + l)] = acc_1[m * T.int64(24) + (v * T.int64(8) + l)] + acc_1[m * T.int64(24) + (v * T.int64(8) + l) + T.int64(24)]
                    for m in T.unroll(T.int64(1)):
                        for v in T.unroll(T.int64(3)):
                            for l in T.vectorized(T.int64(8)):
                                relu[row_2 + i + m, at * T.int64(24) + (v * T.int64(8) + l)] = T.max(acc_1[m * T.int64(24) + (v * T.int64(8) + l)] + c[at * T.int64(24) + (v * T.int64(8) + l)], T.float32(0.0))
