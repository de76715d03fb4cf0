# ==== choice
# The table may be empty: the test for that runs once per row, not per element.
@I.ir_module
class Module:
    @R.function
    def main(t: R.Tensor(("v", 64), "float32"), i: R.Tensor(("n",), "int64"), b: R.Tensor(("n", 64), "float32")):
        with R.dataflow():
            x = R.take(t, i, axis=0)
            y = R.add(x, b)
            R.output(y)
        return y
# ---- expected
# from tvm.script import ir as I
# from tvm.script import tir as T
# from tvm.script import relax as R

@I.ir_module
class Module:
    @R.function
    def main(t: R.Tensor(("v", 64), dtype="float32"), i: R.Tensor(("n",), dtype="int64"), b: R.Tensor(("n", 64), dtype="float32")) -> R.Tensor(("n", 64), dtype="float32"):
        v = T.int64()
        n = T.int64()
        R.func_attr({"relax.force_pure": True})
        cls = Module
        y: R.Tensor((n, 64), dtype="float32") = R.builtin.alloc_tensor(R.shape([n, 64]), R.dtype("float32"), R.prim_value(0), R.str("global"))
        _: R.Tuple = cls.fused_take_add(t, i, b, y)
        return y

    @T.prim_func(private=True)
    def fused_take_add(p_t: T.handle, p_x: T.handle, p_b: T.handle, p_add: T.handle):
        T.func_attr({"op_pattern": 2, "tir.noalias": T.bool(True), "rlx.checks": [{"param": 1, "size": [0, 0], "text": "take: index", "file": "schedule.rows.py#choice", "line": 7, "column": 17, "name": ""}]})
        v = T.int64()
        n = T.int64()
        t = T.match_buffer(p_t, (v, T.int64(64)))
        x = T.match_buffer(p_x, (n,), "int64")
        b = T.match_buffer(p_b, (n, T.int64(64)))
        add = T.match_buffer(p_add, (n, T.int64(64)))
        with T.block("root"):
            with T.block("rows"):
                for ax0 in T.parallel(n):
                    for ax1_0 in T.serial(T.int64(8), annotations={"pragma_loop_partition_hint": 1}):
                        for ax1_1 in T.vectorized(T.int64(8)):
                            with T.block("T_add"):
                                v_ax0 = T.axis.spatial(n, ax0)
                                v_ax1 = T.axis.spatial(T.int64(64), ax1_0 * T.int64(8) + ax1_1)
                                T.writes(add[v_ax0, v_ax1])
                                T.block_attr({"rlx.operator": "gather ss", "rlx.rule": "rows"})
                                add[v_ax0, v_ax1] = T.if_then_else(T.int64(0) < v, t[T.max(T.min(T.Select(x[v_ax0] < T.int64(0), x[v_ax0] + v, x[v_ax0]), v - T.int64(1)), T.int64(0)), v_ax1] + b[v_ax0, v_ax1], T.float32(0.0) + b[v_ax0, v_ax1])

# ==== pool
# Windows over adjacent columns are pooled dimension by dimension on a padded copy, image by image.
@I.ir_module
class Module:
    @R.function
    def main(x: R.Tensor(("n", 3, "h", "w"), "float32")):
        with R.dataflow():
            y = R.nn.max_pool2d(x, (3, 3), strides=[2, 2], padding=[1, 1, 1, 1])
            R.output(y)
        return y
# ---- expected
# from tvm.script import ir as I
# from tvm.script import tir as T
# from tvm.script import relax as R

@I.ir_module
class Module:
    @R.function
    def main(x: R.Tensor(("n", 3, "h", "w"), dtype="float32")) -> R.Tensor(("n", 3, "(h + 1) // 2", "(w + 1) // 2"), dtype="float32"):
        n = T.int64()
        h = T.int64()
        w = T.int64()
        R.func_attr({"relax.force_pure": True})
        cls = Module
        y: R.Tensor((n, 3, (h + 1) // 2, (w + 1) // 2), dtype="float32") = R.builtin.alloc_tensor(R.shape([n, 3, (h + 1) // 2, (w + 1) // 2]), R.dtype("float32"), R.prim_value(0), R.str("global"))
        _: R.Tuple = cls.max_pool2d(x, y)
        return y

    @T.prim_func(private=True)
    def max_pool2d(var_x: T.handle, var_pool_max: T.handle):
        T.func_attr({"op_pattern": 4, "tir.noalias": T.bool(True)})
        n = T.int64()
        h = T.int64()
        w = T.int64()
        x = T.match_buffer(var_x, (n, T.int64(3), h, w))
        pool_max = T.match_buffer(var_pool_max, (n, T.int64(3), (h + T.int64(1)) // T.int64(2), (w + T.int64(1)) // T.int64(2)))
        with T.block("root"):
            with T.block("rows"):
                for ax0_fused_m in T.parallel(n * T.int64(3)):
                    with T.block("local"):
                        pool_max_1 = T.alloc_buffer((T.int64(1), T.int64(1), (h + T.int64(1)) // T.int64(2), w + T.int64(2)))
                        for ax2 in T.serial((h + T.int64(1)) // T.int64(2), annotations={"pragma_loop_partition_hint": 1}):
                            for ax3 in T.serial(w + T.int64(2), annotations={"pragma_loop_partition_hint": 1}):
                                with T.block("local_1"):
                                    pool_max_global = T.alloc_buffer((T.int64(1), T.int64(1), T.int64(1), T.int64(1)))
                                    with T.block("pool_max_init"):
                                        v_ax0 = T.axis.spatial(n, ax0_fused_m // T.int64(3))
                                        v_ax1 = T.axis.spatial(T.int64(3), ax0_fused_m % T.int64(3))
                                        v_ax2, v_ax3 = T.axis.remap("SS", [ax2, ax3])
                                        T.block_attr({"rlx.rule": "rows"})
                                        pool_max_global[v_ax0 - ax0_fused_m // T.int64(3), v_ax1 - ax0_fused_m % T.int64(3), v_ax2 - ax2, v_ax3 - ax3] = T.float32("-inf")
                                    for rv0 in T.unroll(T.int64(3), annotations={"rlx.reassoc": 1}):
                                        with T.block("pool_max_update"):
                                            v_ax0 = T.axis.spatial(n, ax0_fused_m // T.int64(3))
                                            v_ax1 = T.axis.spatial(T.int64(3), ax0_fused_m % T.int64(3))
                                            v_ax2, v_ax3, v_rv0 = T.axis.remap("SSR", [ax2, ax3, rv0])
                                            T.block_attr({"rlx.rule": "rows"})
                                            pool_max_global[v_ax0 - ax0_fused_m // T.int64(3), v_ax1 - ax0_fused_m % T.int64(3), v_ax2 - ax2, v_ax3 - ax3] = T.max(pool_max_global[v_ax0 - ax0_fused_m // T.int64(3), v_ax1 - ax0_fused_m % T.int64(3), v_ax2 - ax2, v_ax3 - ax3], T.if_then_else(T.int64(1) <= v_ax2 * T.int64(2) + v_rv0 and v_ax2 * T.int64(2) + v_rv0 < h + T.int64(1) and T.int64(1) <= v_ax3 and v_ax3 < w + T.int64(1), x[v_ax0, v_ax1, v_ax2 * T.int64(2) + v_rv0 - T.int64(1), v_ax3 - T.int64(1)], T.float32("-inf")))
                                    with T.block("pool_max_global"):
                                        v0 = T.axis.spatial(n, ax0_fused_m // T.int64(3))
                                        v1 = T.axis.spatial(T.int64(3), ax0_fused_m % T.int64(3))
                                        v2, v3 = T.axis.remap("SS", [ax2, ax3])
                                        pool_max_1[v0 - ax0_fused_m // T.int64(3), v1 - ax0_fused_m % T.int64(3), v2, v3] = pool_max_global[v0 - ax0_fused_m // T.int64(3), v1 - ax0_fused_m % T.int64(3), v2 - ax2, v3 - ax3]
                        for ax2, ax3 in T.grid((h + T.int64(1)) // T.int64(2), (w + T.int64(1)) // T.int64(2)):
                            with T.block("local_2"):
                                pool_max_global = T.alloc_buffer((T.int64(1), T.int64(1), T.int64(1), T.int64(1)))
                                with T.block("pool_max_1_init"):
                                    v_ax0 = T.axis.spatial(n, ax0_fused_m // T.int64(3))
                                    v_ax1 = T.axis.spatial(T.int64(3), ax0_fused_m % T.int64(3))
                                    v_ax2, v_ax3 = T.axis.remap("SS", [ax2, ax3])
                                    pool_max_global[v_ax0 - ax0_fused_m // T.int64(3), v_ax1 - ax0_fused_m % T.int64(3), v_ax2 - ax2, v_ax3 - ax3] = T.float32("-inf")
                                for rv1 in T.unroll(T.int64(3), annotations={"rlx.reassoc": 1}):
                                    with T.block("pool_max_1_update"):
                                        v_ax0 = T.axis.spatial(n, ax0_fused_m // T.int64(3))
                                        v_ax1 = T.axis.spatial(T.int64(3), ax0_fused_m % T.int64(3))
                                        v_ax2, v_ax3, v_rv1 = T.axis.remap("SSR", [ax2, ax3, rv1])
                                        pool_max_global[v_ax0 - ax0_fused_m // T.int64(3), v_ax1 - ax0_fused_m % T.int64(3), v_ax2 - ax2, v_ax3 - ax3] = T.max(pool_max_global[v_ax0 - ax0_fused_m // T.int64(3), v_ax1 - ax0_fused_m % T.int64(3), v_ax2 - ax2, v_ax3 - ax3], pool_max_1[v_ax0 - ax0_fused_m // T.int64(3), v_ax1 - ax0_fused_m % T.int64(3), v_ax2, v_ax3 * T.int64(2) + v_rv1])
                                with T.block("pool_max_global_1"):
                                    v0 = T.axis.spatial(n, ax0_fused_m // T.int64(3))
                                    v1 = T.axis.spatial(T.int64(3), ax0_fused_m % T.int64(3))
                                    v2, v3 = T.axis.remap("SS", [ax2, ax3])
                                    T.block_attr({"rlx.operator": "rearrange ssss"})
                                    pool_max[v0, v1, v2, v3] = pool_max_global[v0 - ax0_fused_m // T.int64(3), v1 - ax0_fused_m % T.int64(3), v2 - ax2, v3 - ax3]

# ==== product_and_row_sums
# The row sums get their own block after the tiles;
# pass schedule merges the two.
# module tests/passes/schedule.tile.py#product_and_row_sums
# ---- expected
# from tvm.script import ir as I
# from tvm.script import tir as T
# from tvm.script import relax as R

@I.ir_module
class Module:
    @T.prim_func(private=True)
    def k(a: T.Buffer((T.int64(4), T.int64(8)), "float32"), b: T.Buffer((T.int64(8), T.int64(8)), "float32"), o: T.Buffer((T.int64(4),), "float32")):
        T.func_attr({"op_pattern": 4})
        # with T.block("root"):
        c = T.alloc_buffer((T.int64(4), T.int64(8)))
        with T.block("tile"):
            for piece in range(T.int64(1)):
                acc = T.allocate([T.int64(64)], "float32", "global")
                acc_1 = T.decl_buffer((T.int64(64),), data=acc)
                with T.block("init"):
                    for m in T.unroll(T.int64(4)):
                        for v in T.unroll(T.int64(1)):
                            for l in T.vectorized(T.int64(8)):
                                acc_1[m * T.int64(8) + (v * T.int64(8) + l)] = T.float32(0.0)
                with T.block("sum"):
                    for k in range(T.int64(2)):
                        for m in T.unroll(T.int64(4)):
                            for v in T.unroll(T.int64(1)):
                                for l in T.vectorized(T.int64(8)):
                                    acc_1[m * T.int64(8) + (v * T.int64(8) + l)] = acc_1[m * T.int64(8) + (v * T.int64(8) + l)] + a[m, k * T.int64(4)] * b[k * T.int64(4), piece * T.int64(8) + (v * T.int64(8) + l)]
                        for m in T.unroll(T.int64(4)):
                            for v in T.unroll(T.int64(1)):
                                for l in T.vectorized(T.int64(8)):
                                    acc_1[m * T.int64(8) + (v * T.int64(8) + l)] = acc_1[m * T.int64(8) + (v * T.int64(8) + l)] + a[m, k * T.int64(4) + T.int64(1)] * b[k * T.int64(4) + T.int64(1), piece * T.int64(8) + (v * T.int64(8) + l)]
                        for m in T.unroll(T.int64(4)):
                            for v in T.unroll(T.int64(1)):
                                for l in T.vectorized(T.int64(8)):
                                    acc_1[m * T.int64(8) + (v * T.int64(8) + l)] = acc_1[m * T.int64(8) + (v * T.int64(8) + l)] + a[m, k * T.int64(4) + T.int64(2)] * b[k * T.int64(4) + T.int64(2), piece * T.int64(8) + (v * T.int64(8) + l)]
                        for m in T.unroll(T.int64(4)):
                            for v in T.unroll(T.int64(1)):
                                for l in T.vectorized(T.int64(8)):
                                    acc_1[m * T.int64(8) + (v * T.int64(8) + l)] = acc_1[m * T.int64(8) + (v * T.int64(8) + l)] + a[m, k * T.int64(4) + T.int64(3)] * b[k * T.int64(4) + T.int64(3), piece * T.int64(8) + (v * T.int64(8) + l)]
                with T.block("write"):
                    for m in T.unroll(T.int64(4)):
                        for v in T.unroll(T.int64(1)):
                            for l in T.vectorized(T.int64(8)):
                                c[m, piece * T.int64(8) + (v * T.int64(8) + l)] = acc_1[m * T.int64(8) + (v * T.int64(8) + l)]
        with T.block("rows"):
            for i in range(T.int64(4)):
                with T.block("local"):
                    o_global = T.alloc_buffer((T.int64(1),))
                    with T.block("o_init"):
                        vi = T.axis.spatial(T.int64(4), i)
                        T.block_attr({"rlx.rule": "rows"})
                        o_global[vi - i] = T.float32(0.0)
                    for j in T.serial(T.int64(8), annotations={"rlx.rolled": 1, "rlx.reassoc": 1}):
                        with T.block("o_update"):
                            vi, vj = T.axis.remap("SR", [i, j])
                            T.block_attr({"rlx.rule": "rows"})
                            o_global[vi - i] = o_global[vi - i] + c[vi, vj]
                    with T.block("o_global"):
                        v0 = T.axis.spatial(T.int64(4), i)
                        T.block_attr({"rlx.operator": "rearrange s"})
                        o[v0] = o_global[v0 - i]

    @R.function
    def main(x: R.Tensor((4, 8), dtype="float32"), y: R.Tensor((8, 8), dtype="float32")) -> R.Tensor((4,), dtype="float32"):
        R.func_attr({"relax.force_pure": True})
        cls = Module
        z: R.Tensor((4,), dtype="float32") = R.builtin.alloc_tensor(R.shape([4]), R.dtype("float32"), R.prim_value(0), R.str("global"))
        _: R.Tuple = cls.k(x, y, z)
        return z

# ==== resized
# The source column of each column is computed once, not in every row.
@I.ir_module
class Module:
    @R.function
    def main(x: R.Tensor(("n", 3, "h", "w"), "float32")):
        h = T.int64()
        w = T.int64()
        with R.dataflow():
            y = R.image.resize2d(x, (2 * h, 2 * w), method="nearest_neighbor")
            R.output(y)
        return y
# ---- expected
# from tvm.script import ir as I
# from tvm.script import tir as T
# from tvm.script import relax as R

@I.ir_module
class Module:
    @R.function
    def main(x: R.Tensor(("n", 3, "h", "w"), dtype="float32")) -> R.Tensor(("n", 3, "h * 2", "w * 2"), dtype="float32"):
        n = T.int64()
        h = T.int64()
        w = T.int64()
        R.func_attr({"relax.force_pure": True})
        cls = Module
        y: R.Tensor((n, 3, h * 2, w * 2), dtype="float32") = R.builtin.alloc_tensor(R.shape([n, 3, h * 2, w * 2]), R.dtype("float32"), R.prim_value(0), R.str("global"))
        _: R.Tuple = cls.resize2d(x, y)
        return y

    @T.prim_func(private=True)
    def resize2d(var_x: T.handle, var_resize: T.handle):
        T.func_attr({"op_pattern": 2, "tir.noalias": T.bool(True)})
        n = T.int64()
        h = T.int64()
        w = T.int64()
        x = T.match_buffer(var_x, (n, T.int64(3), h, w))
        resize = T.match_buffer(var_resize, (n, T.int64(3), h * T.int64(2), w * T.int64(2)))
        with T.block("root"):
            with T.block("rows"):
                index = T.allocate([w * T.int64(2)], "int64", "global")
                index_1 = T.decl_buffer((w * T.int64(2),), "int64", data=index)
                for i in range(w * T.int64(2)):
                    index_1[i] = T.max(T.min(T.Cast("int64", T.nearbyint((T.Cast("float32", i) + T.float32(0.5)) * (T.Cast("float32", w) / T.Cast("float32", w * T.int64(2))) - T.float32(0.5))), w - T.int64(1)), T.int64(0))
                for ax0_fused_fused in T.parallel(n * h * T.int64(6)):
                    for ax3 in T.serial(w * T.int64(2), annotations={"pragma_loop_partition_hint": 1}):
                        with T.block("resize"):
                            v_ax0 = T.axis.spatial(n, ax0_fused_fused // (h * T.int64(2)) // T.int64(3))
                            v_ax1 = T.axis.spatial(T.int64(3), ax0_fused_fused // (h * T.int64(2)) % T.int64(3))
                            v_ax2 = T.axis.spatial(h * T.int64(2), ax0_fused_fused % (h * T.int64(2)))
                            v_ax3 = T.axis.spatial(w * T.int64(2), ax3)
                            T.writes(resize[v_ax0, v_ax1, v_ax2, v_ax3])
                            T.block_attr({"rlx.operator": "gather ssss", "rlx.rule": "rows"})
                            resize[v_ax0, v_ax1, v_ax2, v_ax3] = T.if_then_else(T.int64(0) < w, T.if_then_else(T.int64(0) < h, x[v_ax0, v_ax1, T.max(T.min(T.Cast("int64", T.nearbyint((T.Cast("float32", v_ax2) + T.float32(0.5)) * (T.Cast("float32", h) / T.Cast("float32", h * T.int64(2))) - T.float32(0.5))), h - T.int64(1)), T.int64(0)), index_1[v_ax3]], T.float32(0.0)), T.float32(0.0))

# ==== sampled
# Where the samples are is computed for the points of an image at once, in vectors; then each point's
# channels are read, in vectors as well.
@I.ir_module
class Module:
    @R.function
    def main(x: R.Tensor(("n", 6, 7, 8), "float32"), g: R.Tensor(("n", 2, 5, "m"), "float32")):
        with R.dataflow():
            y = R.image.grid_sample(x, g, layout="NHWC", method="nearest", padding_mode="border")
            R.output(y)
        return y
# ---- expected
# from tvm.script import ir as I
# from tvm.script import tir as T
# from tvm.script import relax as R

@I.ir_module
class Module:
    @R.function
    def main(x: R.Tensor(("n", 6, 7, 8), dtype="float32"), g: R.Tensor(("n", 2, 5, "m"), dtype="float32")) -> R.Tensor(("n", 5, "m", 8), dtype="float32"):
        n = T.int64()
        m = T.int64()
        R.func_attr({"relax.force_pure": True})
        cls = Module
        y: R.Tensor((n, 42, 8), dtype="float32") = R.reshape(x, R.shape([n, 42, 8]))
        y_1: R.Tensor((n, 5, m, 8), dtype="float32") = R.builtin.alloc_tensor(R.shape([n, 5, m, 8]), R.dtype("float32"), R.prim_value(0), R.str("global"))
        _: R.Tuple = cls.grid_sample(y, g, y_1)
        _: R.Tuple = R.memory.kill_tensor(y)
        return y_1

    @T.prim_func(private=True)
    def grid_sample(var_y: T.handle, var_g: T.handle, var_grid_sample: T.handle):
        T.func_attr({"op_pattern": 4, "tir.noalias": T.bool(True)})
        n = T.int64()
        m = T.int64()
        y = T.match_buffer(var_y, (n, T.int64(42), T.int64(8)))
        g = T.match_buffer(var_g, (n, T.int64(2), T.int64(5), m))
        grid_sample = T.match_buffer(var_grid_sample, (n, T.int64(5), m, T.int64(8)))
        with T.block("root"):
            with T.block("rows"):
                for ax0_m in T.parallel(n):
                    for ax1_m in range(T.int64(5)):
                        with T.block("local"):
                            place = T.alloc_buffer((T.int64(1), T.int64(1), m), "int64")
                            for ax2 in range(m):
                                with T.block("place"):
                                    v_ax0, v_ax1, v_ax2 = T.axis.remap("SSS", [ax0_m, ax1_m, ax2])
                                    T.block_attr({"rlx.rule": "rows"})
                                    place[v_ax0 - ax0_m, v_ax1 - ax1_m, v_ax2] = T.max(T.min(T.Cast("int64", T.Cast("int32", T.max(T.min(T.nearbyint(T.max(T.min((g[v_ax0, T.int64(1), v_ax1, v_ax2] + T.float32(1.0)) * T.float32(0.5) * T.float32(6.0) - T.float32(0.5), T.float32(5.0)), T.float32(0.0))), T.float32(5.0)), T.float32(0.0)))) * T.int64(7) + T.Cast("int64", T.Cast("int32", T.max(T.min(T.nearbyint(T.max(T.min((g[v_ax0, T.int64(0), v_ax1, v_ax2] + T.float32(1.0)) * T.float32(0.5) * T.float32(7.0) - T.float32(0.5), T.float32(6.0)), T.float32(0.0))), T.float32(6.0)), T.float32(0.0)))), T.int64(41)), T.int64(0))
                            for ax2, ax3_0 in T.grid(m, T.int64(1)):
                                for ax3_1 in T.vectorized(T.int64(8)):
                                    with T.block("grid_sample"):
                                        v_ax0, v_ax1, v_ax2 = T.axis.remap("SSS", [ax0_m, ax1_m, ax2])
                                        v_ax3 = T.axis.spatial(T.int64(8), ax3_0 * T.int64(8) + ax3_1)
                                        T.block_attr({"rlx.operator": "gather ssss"})
                                        grid_sample[v_ax0, v_ax1, v_ax2, v_ax3] = y[v_ax0, place[v_ax0 - ax0_m, v_ax1 - ax1_m, v_ax2], v_ax3]

# ==== short_rows
# An operand per image and channel: the rows of an image are not one line of elements, and become
# vectors. The loop over all rows of all images is parallel, though its parts have symbolic extents.
@I.ir_module
class Module:
    @R.function
    def main(x: R.Tensor(("b", "h", "w", 16), "float32"), y: R.Tensor(("b", 1, 1, 16), "float32")):
        b, h, w = T.int64(), T.int64(), T.int64()
        with R.dataflow():
            z = R.multiply(x, y)
            R.output(z)
        return z
# ---- expected
# from tvm.script import ir as I
# from tvm.script import tir as T
# from tvm.script import relax as R

@I.ir_module
class Module:
    @R.function
    def main(x: R.Tensor(("b", "h", "w", 16), dtype="float32"), y: R.Tensor(("b", 1, 1, 16), dtype="float32")) -> R.Tensor(("b", "h", "w", 16), dtype="float32"):
        b = T.int64()
        h = T.int64()
        w = T.int64()
        R.func_attr({"relax.force_pure": True})
        cls = Module
        z: R.Tensor((b, h, w, 16), dtype="float32") = R.builtin.alloc_tensor(R.shape([b, h, w, 16]), R.dtype("float32"), R.prim_value(0), R.str("global"))
        _: R.Tuple = cls.multiply(x, y, z)
        return z

    @T.prim_func(private=True)
    def multiply(var_x: T.handle, var_y: T.handle, var_T_multiply: T.handle):
        T.func_attr({"op_pattern": 1, "tir.noalias": T.bool(True)})
        b = T.int64()
        h = T.int64()
        w = T.int64()
        x = T.match_buffer(var_x, (b, h, w, T.int64(16)))
        y = T.match_buffer(var_y, (b, T.int64(1), T.int64(1), T.int64(16)))
        T_multiply = T.match_buffer(var_T_multiply, (b, h, w, T.int64(16)))
        with T.block("root"):
            with T.block("rows"):
                for ax0_fused in T.parallel(b * h * w):
                    for ax3_0 in range(T.int64(2)):
                        for ax3_1 in T.vectorized(T.int64(8)):
                            with T.block("T_multiply"):
                                v_ax0 = T.axis.spatial(b, ax0_fused // (h * w))
                                v_ax1 = T.axis.spatial(h, ax0_fused // w - h * (ax0_fused // (h * w)))
                                v_ax2 = T.axis.spatial(w, ax0_fused % w)
                                v_ax3 = T.axis.spatial(T.int64(16), ax3_0 * T.int64(8) + ax3_1)
                                T.reads(x[v_ax0, v_ax1, v_ax2, v_ax3], y[v_ax0, T.int64(0), T.int64(0), v_ax3])
                                T.writes(T_multiply[v_ax0, v_ax1, v_ax2, v_ax3])
                                T.block_attr({"rlx.operator": "elementwise ssss", "rlx.rule": "rows"})
                                T_multiply[v_ax0, v_ax1, v_ax2, v_ax3] = x[v_ax0, v_ax1, v_ax2, v_ax3] * y[v_ax0, T.int64(0), T.int64(0), v_ax3]

# ==== last_dimension_of_one
# Rows of (a, m) together: that their number by m is below a is proved, so no row has a condition.
@I.ir_module
class Module:
    @R.function
    def main(x: R.Tensor(("a", "m", 9, 1), "float32")):
        with R.dataflow():
            y = R.nn.softmax(x, axis=2)
            R.output(y)
        return y
# ---- expected
# from tvm.script import ir as I
# from tvm.script import tir as T
# from tvm.script import relax as R

@I.ir_module
class Module:
    @R.function
    def main(x: R.Tensor(("a", "m", 9, 1), dtype="float32")) -> R.Tensor(("a", "m", 9, 1), dtype="float32"):
        a = T.int64()
        m = T.int64()
        R.func_attr({"relax.force_pure": True})
        cls = Module
        y: R.Tensor((a, m, 9, 1), dtype="float32") = R.builtin.alloc_tensor(R.shape([a, m, 9, 1]), R.dtype("float32"), R.prim_value(0), R.str("global"))
        _: R.Tuple = cls.softmax(x, y)
        return y

    @T.prim_func(private=True)
    def softmax(var_x: T.handle, var_T_softmax_norm: T.handle):
        T.func_attr({"op_pattern": 4, "tir.noalias": T.bool(True)})
        a = T.int64()
        m = T.int64()
        x = T.match_buffer(var_x, (a, m, T.int64(9), T.int64(1)))
        T_softmax_norm = T.match_buffer(var_T_softmax_norm, (a, m, T.int64(9), T.int64(1)))
        with T.block("root"):
            with T.block("rows"):
                for ax0_fused_m in T.parallel(a * m):
                    with T.block("local"):
                        T_softmax_maxelem = T.alloc_buffer((T.int64(1), T.int64(1), T.int64(1)))
                        T_softmax_exp = T.alloc_buffer((T.int64(1), T.int64(1), T.int64(9), T.int64(1)))
                        T_softmax_expsum = T.alloc_buffer((T.int64(1), T.int64(1), T.int64(1)))
                        for ax2 in range(T.int64(1)):
                            with T.block("local_1"):
                                T_softmax_maxelem_global = T.alloc_buffer((T.int64(1), T.int64(1), T.int64(1)))
                                with T.block("T_softmax_maxelem_init"):
                                    v_ax0 = T.axis.spatial(a, ax0_fused_m // m)
                                    v_ax1 = T.axis.spatial(m, ax0_fused_m % m)
                                    v_ax2 = T.axis.spatial(T.int64(1), ax2)
                                    T.block_attr({"rlx.rule": "rows"})
                                    T_softmax_maxelem_global[v_ax0 - ax0_fused_m // m, v_ax1 - ax0_fused_m % m, v_ax2] = T.float32(-3.4028234663852886e+38)
                                for k2 in T.unroll(T.int64(9), annotations={"rlx.reassoc": 1}):
                                    with T.block("T_softmax_maxelem_update"):
                                        v_ax0 = T.axis.spatial(a, ax0_fused_m // m)
                                        v_ax1 = T.axis.spatial(m, ax0_fused_m % m)
                                        v_ax2, v_k2 = T.axis.remap("SR", [ax2, k2])
                                        T.block_attr({"rlx.rule": "rows"})
                                        T_softmax_maxelem_global[v_ax0 - ax0_fused_m // m, v_ax1 - ax0_fused_m % m, v_ax2] = T.max(T_softmax_maxelem_global[v_ax0 - ax0_fused_m // m, v_ax1 - ax0_fused_m % m, v_ax2], x[v_ax0, v_ax1, v_k2, v_ax2])
                                with T.block("T_softmax_maxelem_global"):
                                    v0 = T.axis.spatial(a, ax0_fused_m // m)
                                    v1 = T.axis.spatial(m, ax0_fused_m % m)
                                    v2 = T.axis.spatial(T.int64(1), T.int64(0))
                                    T_softmax_maxelem[v0 - ax0_fused_m // m, v1 - ax0_fused_m % m, v2] = T_softmax_maxelem_global[v0 - ax0_fused_m // m, v1 - ax0_fused_m % m, v2]
                        for ax2, ax3 in T.grid(T.int64(9), T.int64(1)):
                            with T.block("T_softmax_exp"):
                                v_ax0 = T.axis.spatial(a, ax0_fused_m // m)
                                v_ax1 = T.axis.spatial(m, ax0_fused_m % m)
                                v_ax2, v_ax3 = T.axis.remap("SS", [ax2, ax3])
                                T_softmax_exp[v_ax0 - ax0_fused_m // m, v_ax1 - ax0_fused_m % m, v_ax2, v_ax3] = T.exp_nonpositive(x[v_ax0, v_ax1, v_ax2, v_ax3] - T_softmax_maxelem[v_ax0 - ax0_fused_m // m, v_ax1 - ax0_fused_m % m, v_ax3])
                        for ax2 in range(T.int64(1)):
                            with T.block("local_2"):
                                T_softmax_expsum_global = T.alloc_buffer((T.int64(1), T.int64(1), T.int64(1)))
                                with T.block("T_softmax_expsum_init"):
                                    v_ax0 = T.axis.spatial(a, ax0_fused_m // m)
                                    v_ax1 = T.axis.spatial(m, ax0_fused_m % m)
                                    v_ax2 = T.axis.spatial(T.int64(1), ax2)
                                    T_softmax_expsum_global[v_ax0 - ax0_fused_m // m, v_ax1 - ax0_fused_m % m, v_ax2] = T.float32(0.0)
                                for k2 in T.unroll(T.int64(9), annotations={"rlx.reassoc": 1}):
                                    with T.block("T_softmax_expsum_update"):
                                        v_ax0 = T.axis.spatial(a, ax0_fused_m // m)
                                        v_ax1 = T.axis.spatial(m, ax0_fused_m % m)
                                        v_ax2, v_k2 = T.axis.remap("SR", [ax2, k2])
                                        T_softmax_expsum_global[v_ax0 - ax0_fused_m // m, v_ax1 - ax0_fused_m % m, v_ax2] = T_softmax_expsum_global[v_ax0 - ax0_fused_m // m, v_ax1 - ax0_fused_m % m, v_ax2] + T_softmax_exp[v_ax0 - ax0_fused_m // m, v_ax1 - ax0_fused_m % m, v_k2, v_ax2]
                                with T.block("T_softmax_expsum_global"):
                                    v0 = T.axis.spatial(a, ax0_fused_m // m)
                                    v1 = T.axis.spatial(m, ax0_fused_m % m)
                                    v2 = T.axis.spatial(T.int64(1), T.int64(0))
                                    T_softmax_expsum[v0 - ax0_fused_m // m, v1 - ax0_fused_m % m, v2] = T_softmax_expsum_global[v0 - ax0_fused_m // m, v1 - ax0_fused_m % m, v2]
                        for ax2, ax3 in T.grid(T.int64(9), T.int64(1)):
                            with T.block("T_softmax_norm"):
                                v_ax0 = T.axis.spatial(a, ax0_fused_m // m)
                                v_ax1 = T.axis.spatial(m, ax0_fused_m % m)
                                v_ax2, v_ax3 = T.axis.remap("SS", [ax2, ax3])
                                T.block_attr({"rlx.operator": "rearrange ssss"})
                                T_softmax_norm[v_ax0, v_ax1, v_ax2, v_ax3] = T_softmax_exp[v_ax0 - ax0_fused_m // m, v_ax1 - ax0_fused_m % m, v_ax2, v_ax3] * (T.float32(1.0) / T_softmax_expsum[v_ax0 - ax0_fused_m // m, v_ax1 - ax0_fused_m % m, v_ax3])

# ==== line_of_parts
# A single line is cut into pieces, in which the parts of the concatenation have loops of their own.
from tvm.script import ir as I
from tvm.script import relax as R


@I.ir_module
class Module:
    @R.function
    def main(x: R.Tensor(("n",), "float32"), y: R.Tensor(("m",), "float32")):
        with R.dataflow():
            z = R.concat((x, y), axis=0)
            R.output(z)
        return z
# ---- expected
# from tvm.script import ir as I
# from tvm.script import tir as T
# from tvm.script import relax as R

@I.ir_module
class Module:
    @R.function
    def main(x: R.Tensor(("n",), dtype="float32"), y: R.Tensor(("m",), dtype="float32")) -> R.Tensor(("n + m",), dtype="float32"):
        n = T.int64()
        m = T.int64()
        R.func_attr({"relax.force_pure": True})
        cls = Module
        z: R.Tensor((n + m,), dtype="float32") = R.builtin.alloc_tensor(R.shape([n + m]), R.dtype("float32"), R.prim_value(0), R.str("global"))
        _: R.Tuple = cls.concatenate(x, y, z)
        return z

    @T.prim_func(private=True)
    def concatenate(var_x: T.handle, var_y: T.handle, var_T_concat: T.handle):
        T.func_attr({"op_pattern": 2, "tir.noalias": T.bool(True)})
        n = T.int64()
        m = T.int64()
        x = T.match_buffer(var_x, (n,))
        y = T.match_buffer(var_y, (m,))
        T_concat = T.match_buffer(var_T_concat, (n + m,))
        with T.block("root"):
            with T.block("rows"):
                for ax0_0 in T.parallel((n + m + T.int64(1023)) // T.int64(1024)):
                    for ax0_1 in T.serial(T.int64(1024), annotations={"pragma_loop_partition_hint": 1}):
                        with T.block("T_concat"):
                            v_ax0 = T.axis.spatial(n + m, ax0_0 * T.int64(1024) + ax0_1)
                            T.where(ax0_0 * T.int64(1024) + ax0_1 < n + m)
                            T.reads(y[v_ax0 - n], x[v_ax0])
                            T.writes(T_concat[v_ax0])
                            T.block_attr({"rlx.operator": "rearrange s", "rlx.rule": "rows"})
                            T_concat[v_ax0] = T.if_then_else(n <= v_ax0, y[v_ax0 - n], x[v_ax0])
