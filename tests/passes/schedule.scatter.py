# ==== places
# Updates at places that data gives: threads have the columns that no index touches and shares of the rows,
# or shares of both; on a CPU nothing is shared out.
@I.ir_module
class Module:
    I.module_global_infos({"vdevice": [I.vdevice("llvm"), I.vdevice("opencl"), I.vdevice("opencl -device=cpu -vector-width=256")]})

    @R.function
    def rows(x: R.Tensor((5000, 20), "float32", "opencl:0"), i: R.Tensor(("k", 1), "int32", "opencl:0"), u: R.Tensor(("k", 20), "float32", "opencl:0")):
        with R.dataflow():
            y = R.scatter_nd(x, i, u, reduction="add")
            R.output(y)
        return y

    @R.function
    def elements(x: R.Tensor((8, "n"), "float32", "opencl:0"), i: R.Tensor(("k",), "int32", "opencl:0"), j: R.Tensor(("k",), "int32", "opencl:0"), u: R.Tensor(("k",), "float32", "opencl:0")):
        with R.dataflow():
            y = R.index_put(x, (i, j), u, accumulate=True)
            R.output(y)
        return y

    @R.function
    def lines(x: R.Tensor((8, "n"), "float32", "opencl:1"), i: R.Tensor((8, "k"), "int32", "opencl:1"), u: R.Tensor((8, "k"), "float32", "opencl:1")):
        with R.dataflow():
            y = R.scatter_elements(x, i, u, axis=1, reduction="max")
            R.output(y)
        return y

    @R.function
    def alone(x: R.Tensor(("n",), "float32", "opencl:1"), i: R.Tensor(("k",), "int32", "opencl:1"), u: R.Tensor(("k",), "float32", "opencl:1")):
        with R.dataflow():
            y = R.scatter_elements(x, i, u, axis=0)
            R.output(y)
        return y
# ---- expected
# from tvm.script import ir as I
# from tvm.script import tir as T
# from tvm.script import relax as R

@I.ir_module
class Module:
    I.module_global_infos({"vdevice": [I.vdevice("llvm", 0, "global"), I.vdevice("opencl", 0, "global"), I.vdevice("opencl -device=cpu -vector-width=256", 0, "global")]})
    @R.function
    def rows(x: R.Tensor((5000, 20), dtype="float32", vdevice="opencl:0"), i: R.Tensor(("k", 1), dtype="int32", vdevice="opencl:0"), u: R.Tensor(("k", 20), dtype="float32", vdevice="opencl:0")) -> R.Tensor((5000, 20), dtype="float32", vdevice="opencl:0"):
        k = T.int64()
        R.func_attr({"relax.force_pure": True})
        cls = Module
        _: R.Tuple = cls.check_index(i)
        y: R.Tensor((5000, 20), dtype="float32", vdevice="opencl:0") = R.builtin.alloc_tensor(R.shape([5000, 20]), R.dtype("float32"), R.prim_value(1), R.str("global"))
        _: R.Tuple = cls.scatter_nd(x, i, u, y)
        return y

    @R.function
    def elements(x: R.Tensor((8, "n"), dtype="float32", vdevice="opencl:0"), i: R.Tensor(("k",), dtype="int32", vdevice="opencl:0"), j: R.Tensor(("k",), dtype="int32", vdevice="opencl:0"), u: R.Tensor(("k",), dtype="float32", vdevice="opencl:0")) -> R.Tensor((8, "n"), dtype="float32", vdevice="opencl:0"):
        n = T.int64()
        k = T.int64()
        R.func_attr({"relax.force_pure": True})
        cls = Module
        _: R.Tuple = cls.check_index1(i)
        _: R.Tuple = cls.check_index2(j, R.prim_value(n))
        y: R.Tensor((8, n), dtype="float32", vdevice="opencl:0") = R.builtin.alloc_tensor(R.shape([8, n]), R.dtype("float32"), R.prim_value(1), R.str("global"))
        _: R.Tuple = cls.index_put(x, i, j, u, y)
        return y

    @R.function
    def lines(x: R.Tensor((8, "n"), dtype="float32", vdevice="opencl:1"), i: R.Tensor((8, "k"), dtype="int32", vdevice="opencl:1"), u: R.Tensor((8, "k"), dtype="float32", vdevice="opencl:1")) -> R.Tensor((8, "n"), dtype="float32", vdevice="opencl:1"):
        n = T.int64()
        k = T.int64()
        R.func_attr({"relax.force_pure": True})
        cls = Module
        _: R.Tuple = cls.check_index3(i, R.prim_value(n))
        y: R.Tensor((8, n), dtype="float32", vdevice="opencl:1") = R.builtin.alloc_tensor(R.shape([8, n]), R.dtype("float32"), R.prim_value(2), R.str("global"))
        _: R.Tuple = cls.scatter_elements(x, i, u, y)
        return y

    @R.function
    def alone(x: R.Tensor(("n",), dtype="float32", vdevice="opencl:1"), i: R.Tensor(("k",), dtype="int32", vdevice="opencl:1"), u: R.Tensor(("k",), dtype="float32", vdevice="opencl:1")) -> R.Tensor(("n",), dtype="float32", vdevice="opencl:1"):
        n = T.int64()
        k = T.int64()
        R.func_attr({"relax.force_pure": True})
        cls = Module
        _: R.Tuple = cls.check_index4(i, R.prim_value(n))
        y: R.Tensor((n,), dtype="float32", vdevice="opencl:1") = R.builtin.alloc_tensor(R.shape([n]), R.dtype("float32"), R.prim_value(2), R.str("global"))
        _: R.Tuple = cls.scatter_elements1(x, i, u, y)
        return y

    @T.prim_func(private=True)
    def scatter_nd(x: T.Buffer((T.int64(5000), T.int64(20)), "float32"), var_y: T.handle, var_u: T.handle, T_scatter_nd: T.Buffer((T.int64(5000), T.int64(20)), "float32")):
        T.func_attr({"op_pattern": 8, "tir.noalias": T.bool(True), "target": "opencl"})
        k = T.int64()
        y = T.match_buffer(var_y, (k, T.int64(1)), "int32")
        u = T.match_buffer(var_u, (k, T.int64(20)))
        # with T.block("root"):
        for ax0, ax1 in T.grid(T.int64(5000), T.int64(20)):
            with T.block("T_copy"):
                v_ax0, v_ax1 = T.axis.remap("SS", [ax0, ax1])
                T.reads(x[v_ax0, v_ax1])
                T.writes(T_scatter_nd[v_ax0, v_ax1])
                T.block_attr({"rlx.operator": "elementwise ss"})
                T_scatter_nd[v_ax0, v_ax1] = x[v_ax0, v_ax1]
        with T.block("scatter"):
            for i0_fused_0 in T.thread_binding(T.int64(10), thread="blockIdx.x"):
                for i0_fused_1 in T.thread_binding(T.int64(256), thread="threadIdx.x"):
                    with T.block("T_scatter"):
                        v0 = T.axis.spatial(T.int64(128), (i0_fused_0 * T.int64(256) + i0_fused_1) // T.int64(20))
                        v1 = T.axis.spatial(T.int64(20), (i0_fused_0 * T.int64(256) + i0_fused_1) % T.int64(20))
                        T.block_attr({"rlx.rule": "scatter"})
                        for i0 in range(k):
                            if T.max(T.min(T.Select(T.Cast("int64", y[i0, T.int64(0)]) < T.int64(0), T.Cast("int64", y[i0, T.int64(0)]) + T.int64(5000), T.Cast("int64", y[i0, T.int64(0)])), T.int64(4999)), T.int64(0)) % T.int64(128) == v0:
                                T_scatter_nd[T.max(T.min(T.Select(T.Cast("int64", y[i0, T.int64(0)]) < T.int64(0), T.Cast("int64", y[i0, T.int64(0)]) + T.int64(5000), T.Cast("int64", y[i0, T.int64(0)])), T.int64(4999)), T.int64(0)) // T.int64(128) * T.int64(128) + v0, v1] = T_scatter_nd[T.max(T.min(T.Select(T.Cast("int64", y[i0, T.int64(0)]) < T.int64(0), T.Cast("int64", y[i0, T.int64(0)]) + T.int64(5000), T.Cast("int64", y[i0, T.int64(0)])), T.int64(4999)), T.int64(0)) // T.int64(128) * T.int64(128) + v0, v1] + u[i0, v1]

    @T.prim_func(private=True)
    def index_put(var_x: T.handle, var_y: T.handle, var_y_1: T.handle, var_u: T.handle, var_T_index_put: T.handle):
        T.func_attr({"op_pattern": 8, "tir.noalias": T.bool(True), "target": "opencl"})
        n = T.int64()
        k = T.int64()
        x = T.match_buffer(var_x, (T.int64(8), n))
        y = T.match_buffer(var_y, (k,), "int32")
        y_1 = T.match_buffer(var_y_1, (k,), "int32")
        u = T.match_buffer(var_u, (k,))
        T_index_put = T.match_buffer(var_T_index_put, (T.int64(8), n))
        # with T.block("root"):
        for ax0, ax1 in T.grid(T.int64(8), n):
            with T.block("T_copy"):
                v_ax0, v_ax1 = T.axis.remap("SS", [ax0, ax1])
                T.reads(x[v_ax0, v_ax1])
                T.writes(T_index_put[v_ax0, v_ax1])
                T.block_attr({"rlx.operator": "elementwise ss"})
                T_index_put[v_ax0, v_ax1] = x[v_ax0, v_ax1]
        with T.block("scatter"):
            for i1_0 in T.thread_binding(T.int64(16), thread="blockIdx.x"):
                for i1_1 in T.thread_binding(T.int64(256), thread="threadIdx.x"):
                    with T.block("T_scatter"):
                        v1 = T.axis.spatial(T.int64(4096), i1_0 * T.int64(256) + i1_1)
                        T.block_attr({"rlx.rule": "scatter"})
                        if T.int64(0) < n:
                            for i0 in range(k):
                                if T.max(T.min(T.Select(T.Cast("int64", y_1[i0]) < T.int64(0), T.Cast("int64", y_1[i0]) + n, T.Cast("int64", y_1[i0])), n - T.int64(1)), T.int64(0)) % T.int64(4096) == v1:
                                    T_index_put[T.max(T.min(T.Select(T.Cast("int64", y[i0]) < T.int64(0), T.Cast("int64", y[i0]) + T.int64(8), T.Cast("int64", y[i0])), T.int64(7)), T.int64(0)), T.max(T.min(T.Select(T.Cast("int64", y_1[i0]) < T.int64(0), T.Cast("int64", y_1[i0]) + n, T.Cast("int64", y_1[i0])), n - T.int64(1)), T.int64(0)) // T.int64(4096) * T.int64(4096) + v1] = T_index_put[T.max(T.min(T.Select(T.Cast("int64", y[i0]) < T.int64(0), T.Cast("int64", y[i0]) + T.int64(8), T.Cast("int64", y[i0])), T.int64(7)), T.int64(0)), T.max(T.min(T.Select(T.Cast("int64", y_1[i0]) < T.int64(0), T.Cast("int64", y_1[i0]) + n, T.Cast("int64", y_1[i0])), n - T.int64(1)), T.int64(0)) // T.int64(4096) * T.int64(4096) + v1] + u[i0]

    @T.prim_func(private=True)
    def scatter_elements(var_x: T.handle, var_y: T.handle, var_u: T.handle, var_T_scatter: T.handle):
        T.func_attr({"op_pattern": 8, "tir.noalias": T.bool(True), "target": "opencl -device=cpu -vector-width=256"})
        n = T.int64()
        k = T.int64()
        x = T.match_buffer(var_x, (T.int64(8), n))
        y = T.match_buffer(var_y, (T.int64(8), k), "int32")
        u = T.match_buffer(var_u, (T.int64(8), k))
        T_scatter = T.match_buffer(var_T_scatter, (T.int64(8), n))
        # with T.block("root"):
        for ax0, ax1 in T.grid(T.int64(8), n):
            with T.block("T_copy"):
                v_ax0, v_ax1 = T.axis.remap("SS", [ax0, ax1])
                T.reads(x[v_ax0, v_ax1])
                T.writes(T_scatter[v_ax0, v_ax1])
                T.block_attr({"rlx.operator": "elementwise ss"})
                T_scatter[v_ax0, v_ax1] = x[v_ax0, v_ax1]
        with T.block("scatter"):
            for i0_0 in T.thread_binding(T.int64(1), thread="blockIdx.x"):
                for i0_1 in T.thread_binding(T.int64(16), thread="threadIdx.x"):
                    with T.block("T_scatter"):
                        v0 = T.axis.spatial(T.int64(8), i0_0 * T.int64(16) + i0_1)
                        T.where(i0_0 * T.int64(16) + i0_1 < T.int64(8))
                        T.block_attr({"rlx.rule": "scatter"})
                        if T.int64(0) < n:
                            for i1 in range(k):
                                T_scatter[v0, T.max(T.min(T.Select(T.Cast("int64", y[v0, i1]) < T.int64(0), T.Cast("int64", y[v0, i1]) + n, T.Cast("int64", y[v0, i1])), n - T.int64(1)), T.int64(0))] = T.max(T_scatter[v0, T.max(T.min(T.Select(T.Cast("int64", y[v0, i1]) < T.int64(0), T.Cast("int64", y[v0, i1]) + n, T.Cast("int64", y[v0, i1])), n - T.int64(1)), T.int64(0))], u[v0, i1])

    @T.prim_func(private=True)
    def scatter_elements1(var_x: T.handle, var_y: T.handle, var_u: T.handle, var_T_scatter: T.handle):
        T.func_attr({"op_pattern": 8, "tir.noalias": T.bool(True), "target": "opencl -device=cpu -vector-width=256"})
        n = T.int64()
        k = T.int64()
        x = T.match_buffer(var_x, (n,))
        y = T.match_buffer(var_y, (k,), "int32")
        u = T.match_buffer(var_u, (k,))
        T_scatter = T.match_buffer(var_T_scatter, (n,))
        # with T.block("root"):
        for ax0 in range(n):
            with T.block("T_copy"):
                v_ax0 = T.axis.spatial(n, ax0)
                T.reads(x[v_ax0])
                T.writes(T_scatter[v_ax0])
                T.block_attr({"rlx.operator": "elementwise s"})
                T_scatter[v_ax0] = x[v_ax0]
        with T.block("T_scatter"):
            if T.int64(0) < n:
                for i0 in range(k):
                    T_scatter[T.max(T.min(T.Select(T.Cast("int64", y[i0]) < T.int64(0), T.Cast("int64", y[i0]) + n, T.Cast("int64", y[i0])), n - T.int64(1)), T.int64(0))] = u[i0]

    @T.prim_func(private=True)
    def check_index(var_i: T.handle):
        T.func_attr({"op_pattern": 8, "tir.noalias": T.bool(True), "target": "opencl"})
        k = T.int64()
        i = T.match_buffer(var_i, (k, T.int64(1)), "int32")
        # with T.block("root"):
        for ax0, ax1 in T.grid(k, T.int64(1)):
            with T.block("checked"):
                v_ax0, v_ax1 = T.axis.remap("SS", [ax0, ax1])
                if T.Cast("int64", i[v_ax0, v_ax1]) < T.int64(-5000) or T.Cast("int64", i[v_ax0, v_ax1]) >= T.int64(5000):
                    T.check_index("schedule.scatter.py#places:10:17: scatter_nd: index ", T.Cast("int64", i[v_ax0, v_ax1]), " is out of range: expected -5000 to ", T.int64(4999))

    @T.prim_func(private=True)
    def check_index1(var_i: T.handle):
        T.func_attr({"op_pattern": 8, "tir.noalias": T.bool(True), "target": "opencl"})
        k = T.int64()
        i = T.match_buffer(var_i, (k,), "int32")
        # with T.block("root"):
        for ax0 in range(k):
            with T.block("checked"):
                v_ax0 = T.axis.spatial(k, ax0)
                if T.Cast("int64", i[v_ax0]) < T.int64(-8) or T.Cast("int64", i[v_ax0]) >= T.int64(8):
                    T.check_index("schedule.scatter.py#places:17:17: index_put: index ", T.Cast("int64", i[v_ax0]), " is out of range: expected -8 to ", T.int64(7))

    @T.prim_func(private=True)
    def check_index2(var_j: T.handle, n: T.int64):
        T.func_attr({"op_pattern": 8, "tir.noalias": T.bool(True), "target": "opencl"})
        k = T.int64()
        j = T.match_buffer(var_j, (k,), "int32")
        # with T.block("root"):
        for ax0 in range(k):
            with T.block("checked"):
                v_ax0 = T.axis.spatial(k, ax0)
                if T.Cast("int64", j[v_ax0]) < n * T.int64(-1) or T.Cast("int64", j[v_ax0]) >= n:
                    T.check_index("schedule.scatter.py#places:17:17: index_put: index ", T.Cast("int64", j[v_ax0]), " is out of range: expected at most ", n - T.int64(1))

    @T.prim_func(private=True)
    def check_index3(var_i: T.handle, n: T.int64):
        T.func_attr({"op_pattern": 8, "tir.noalias": T.bool(True), "target": "opencl -device=cpu -vector-width=256"})
        k = T.int64()
        i = T.match_buffer(var_i, (T.int64(8), k), "int32")
        # with T.block("root"):
        for ax0, ax1 in T.grid(T.int64(8), k):
            with T.block("checked"):
                v_ax0, v_ax1 = T.axis.remap("SS", [ax0, ax1])
                if T.Cast("int64", i[v_ax0, v_ax1]) < n * T.int64(-1) or T.Cast("int64", i[v_ax0, v_ax1]) >= n:
                    T.check_index("schedule.scatter.py#places:24:17: scatter_elements: index ", T.Cast("int64", i[v_ax0, v_ax1]), " is out of range: expected at most ", n - T.int64(1))

    @T.prim_func(private=True)
    def check_index4(var_i: T.handle, n: T.int64):
        T.func_attr({"op_pattern": 8, "tir.noalias": T.bool(True), "target": "opencl -device=cpu -vector-width=256"})
        k = T.int64()
        i = T.match_buffer(var_i, (k,), "int32")
        # with T.block("root"):
        for ax0 in range(k):
            with T.block("checked"):
                v_ax0 = T.axis.spatial(k, ax0)
                if T.Cast("int64", i[v_ax0]) < n * T.int64(-1) or T.Cast("int64", i[v_ax0]) >= n:
                    T.check_index("schedule.scatter.py#places:31:17: scatter_elements: index ", T.Cast("int64", i[v_ax0]), " is out of range: expected at most ", n - T.int64(1))
