# ==== forms
# A check moves into the first kernel that reads its result, even a fused one; a limit that is not constant
# moves only if it is a dimension of the kernel's buffers. A result that is read elsewhere keeps its check.
from tvm.script import ir as I, relax as R, tir as T


@I.ir_module
class Module:
    @R.function
    def main(w: R.Tensor((10, 6), "float32"), x: R.Tensor(("n",), "int32")):
        with R.dataflow():
            y = R.take(w, x, axis=0, mode="fast")
            z = R.take(w, x, axis=0, mode="fast")
            R.output(y, z)
        return (y, z)

    @R.function
    def symbolic(w: R.Tensor(("m", 6), "float32"), x: R.Tensor(("n",), "int32")):
        with R.dataflow():
            y = R.take(w, x, axis=0, mode="fast")
            R.output(y)
        return y

    @R.function
    def branch(c: R.Tensor((), "bool"), w: R.Tensor((5,), "float32"), x: R.Tensor(("n",), "int64")):
        y = R.take(w, x, axis=0, mode="fast")
        if c:
            v = R.add(y, y)
            z = v
        else:
            v = R.exp(y)
            z = v
        return z

    @R.function
    def fused(a: R.Tensor((4, 6), "float32"), b: R.Tensor(("m", 6), "float32"), i: R.Tensor(("n",), "int32"), j: R.Tensor(("n",), "int64")):
        with R.dataflow():
            x = R.take(a, i, axis=0, mode="fast")
            y = R.take(b, j, axis=0, mode="fast")
            z = R.add(x, y)
            R.output(z)
        return z

    @R.function
    def product(w: R.Tensor(("m", 6), "float32"), x: R.Tensor(("n",), "int32")):
        with R.dataflow():
            y = R.take(w, x, mode="fast")
            R.output(y)
        return y
# ---- expected
# from tvm.script import ir as I
# from tvm.script import tir as T
# from tvm.script import relax as R

@I.ir_module
class Module:
    @R.function
    def main(w: R.Tensor((10, 6), dtype="float32"), x: R.Tensor(("n",), dtype="int32")) -> R.Tuple(R.Tensor(("n", 6), dtype="float32"), R.Tensor(("n", 6), dtype="float32")):
        n = T.int64()
        cls = Module
        with R.dataflow():
            y: R.Tensor((n, 6), dtype="float32") = R.call_tir(cls.take, (w, x), out_sinfo=R.Tensor((n, 6), dtype="float32"))
            R.output(y)
        return (y, y)

    @R.function
    def symbolic(w: R.Tensor(("m", 6), dtype="float32"), x: R.Tensor(("n",), dtype="int32")) -> R.Tensor(("n", 6), dtype="float32"):
        m = T.int64()
        n = T.int64()
        cls = Module
        with R.dataflow():
            y: R.Tensor((n, 6), dtype="float32") = R.call_tir(cls.take1, (w, x), out_sinfo=R.Tensor((n, 6), dtype="float32"))
            R.output(y)
        return y

    @R.function
    def branch(c: R.Tensor((), dtype="bool"), w: R.Tensor((5,), dtype="float32"), x: R.Tensor(("n",), dtype="int64")) -> R.Tensor(("n",), dtype="float32"):
        n = T.int64()
        cls = Module
        y: R.Tensor((n,), dtype="float32") = R.call_tir(cls.take2, (w, x), out_sinfo=R.Tensor((n,), dtype="float32"))
        if c:
            v: R.Tensor((n,), dtype="float32") = R.call_tir(cls.add, (y, y), out_sinfo=R.Tensor((n,), dtype="float32"))
            z: R.Tensor((n,), dtype="float32") = v
        else:
            v_1: R.Tensor((n,), dtype="float32") = R.call_tir(cls.exp, (y,), out_sinfo=R.Tensor((n,), dtype="float32"))
            z: R.Tensor((n,), dtype="float32") = v_1
        return z

    @R.function
    def fused(a: R.Tensor((4, 6), dtype="float32"), b: R.Tensor(("m", 6), dtype="float32"), i: R.Tensor(("n",), dtype="int32"), j: R.Tensor(("n",), dtype="int64")) -> R.Tensor(("n", 6), dtype="float32"):
        m = T.int64()
        n = T.int64()
        cls = Module
        with R.dataflow():
            z: R.Tensor((n, 6), dtype="float32") = R.call_tir(cls.fused_take4_take3_add1, (b, j, a, i), out_sinfo=R.Tensor((n, 6), dtype="float32"))
            R.output(z)
        return z

    @R.function
    def product(w: R.Tensor(("m", 6), dtype="float32"), x: R.Tensor(("n",), dtype="int32")) -> R.Tensor(("n",), dtype="float32"):
        m = T.int64()
        n = T.int64()
        cls = Module
        with R.dataflow():
            y: R.Tensor((n,), dtype="int32") = R.call_pure_packed("rlx.check_index", x, R.shape([m * -6]), R.shape([m * 6]), R.str("take: index"), sinfo_args=(R.Tensor((n,), dtype="int32"),))
            y_1: R.Tensor((n,), dtype="float32") = R.call_tir(cls.take5, (w, y), out_sinfo=R.Tensor((n,), dtype="float32"))
            R.output(y_1)
        return y_1

    @T.prim_func(private=True)
    def take(w: T.Buffer((T.int64(10), T.int64(6)), "float32"), var_y: T.handle, var_T_take: T.handle):
        T.func_attr({"op_pattern": 2, "tir.noalias": T.bool(True), "rlx.checks": [{"param": 1, "low": -10, "high": 10, "text": "take: index"}]})
        n = T.int64()
        y = T.match_buffer(var_y, (n,), "int32")
        T_take = T.match_buffer(var_T_take, (n, T.int64(6)))
        # with T.block("root"):
        for ax0, ax1 in T.grid(n, T.int64(6)):
            with T.block("T_take"):
                v_ax0, v_ax1 = T.axis.remap("SS", [ax0, ax1])
                T.reads(y[v_ax0], w[T.max(T.min(T.Select(T.Cast("int64", y[v_ax0]) < T.int64(0), T.Cast("int64", y[v_ax0]) + T.int64(10), T.Cast("int64", y[v_ax0])), T.int64(9)), T.int64(0)), v_ax1])
                T.writes(T_take[v_ax0, v_ax1])
                T.block_attr({"rlx.operator": "gather ss"})
                T_take[v_ax0, v_ax1] = w[T.max(T.min(T.Select(T.Cast("int64", y[v_ax0]) < T.int64(0), T.Cast("int64", y[v_ax0]) + T.int64(10), T.Cast("int64", y[v_ax0])), T.int64(9)), T.int64(0)), v_ax1]

    @T.prim_func(private=True)
    def take1(var_w: T.handle, var_y: T.handle, var_T_take: T.handle):
        T.func_attr({"op_pattern": 2, "tir.noalias": T.bool(True), "rlx.checks": [{"param": 1, "size": [0, 0], "text": "take: index"}]})
        m = T.int64()
        n = T.int64()
        w = T.match_buffer(var_w, (m, T.int64(6)))
        y = T.match_buffer(var_y, (n,), "int32")
        T_take = T.match_buffer(var_T_take, (n, T.int64(6)))
        # with T.block("root"):
        for ax0, ax1 in T.grid(n, T.int64(6)):
            with T.block("T_take"):
                v_ax0, v_ax1 = T.axis.remap("SS", [ax0, ax1])
                T.reads(y[v_ax0], w[T.max(T.min(T.Select(T.Cast("int64", y[v_ax0]) < T.int64(0), T.Cast("int64", y[v_ax0]) + m, T.Cast("int64", y[v_ax0])), m - T.int64(1)), T.int64(0)), v_ax1])
                T.writes(T_take[v_ax0, v_ax1])
                T.block_attr({"rlx.operator": "gather ss"})
                T_take[v_ax0, v_ax1] = T.if_then_else(T.int64(0) < m, w[T.max(T.min(T.Select(T.Cast("int64", y[v_ax0]) < T.int64(0), T.Cast("int64", y[v_ax0]) + m, T.Cast("int64", y[v_ax0])), m - T.int64(1)), T.int64(0)), v_ax1], T.float32(0.0))

    @T.prim_func(private=True)
    def take2(w: T.Buffer((T.int64(5),), "float32"), var_y: T.handle, var_T_take: T.handle):
        T.func_attr({"op_pattern": 2, "tir.noalias": T.bool(True), "rlx.checks": [{"param": 1, "low": -5, "high": 5, "text": "take: index"}]})
        n = T.int64()
        y = T.match_buffer(var_y, (n,), "int64")
        T_take = T.match_buffer(var_T_take, (n,))
        # with T.block("root"):
        for ax0 in range(n):
            with T.block("T_take"):
                v_ax0 = T.axis.spatial(n, ax0)
                T.reads(y[v_ax0], w[T.max(T.min(T.Select(y[v_ax0] < T.int64(0), y[v_ax0] + T.int64(5), y[v_ax0]), T.int64(4)), T.int64(0))])
                T.writes(T_take[v_ax0])
                T.block_attr({"rlx.operator": "gather s"})
                T_take[v_ax0] = w[T.max(T.min(T.Select(y[v_ax0] < T.int64(0), y[v_ax0] + T.int64(5), y[v_ax0]), T.int64(4)), T.int64(0))]

    @T.prim_func(private=True)
    def add(var_y: T.handle, var_y_1: T.handle, var_T_add: T.handle):
        T.func_attr({"op_pattern": 0, "tir.noalias": T.bool(True)})
        n = T.int64()
        y = T.match_buffer(var_y, (n,))
        y_1 = T.match_buffer(var_y_1, (n,))
        T_add = T.match_buffer(var_T_add, (n,))
        # with T.block("root"):
        for ax0 in range(n):
            with T.block("T_add"):
                v_ax0 = T.axis.spatial(n, ax0)
                T.reads(y[v_ax0], y_1[v_ax0])
                T.writes(T_add[v_ax0])
                T.block_attr({"rlx.operator": "elementwise s"})
                T_add[v_ax0] = y[v_ax0] + y_1[v_ax0]

    @T.prim_func(private=True)
    def exp(var_y: T.handle, var_compute: T.handle):
        T.func_attr({"op_pattern": 0, "tir.noalias": T.bool(True)})
        n = T.int64()
        y = T.match_buffer(var_y, (n,))
        compute = T.match_buffer(var_compute, (n,))
        # with T.block("root"):
        for ax0 in range(n):
            with T.block("compute"):
                v_ax0 = T.axis.spatial(n, ax0)
                T.reads(y[v_ax0])
                T.writes(compute[v_ax0])
                T.block_attr({"rlx.operator": "elementwise s"})
                compute[v_ax0] = T.exp(y[v_ax0])

    @T.prim_func(private=True)
    def take5(var_w: T.handle, var_y: T.handle, var_T_take: T.handle):
        T.func_attr({"op_pattern": 2, "tir.noalias": T.bool(True)})
        m = T.int64()
        n = T.int64()
        w = T.match_buffer(var_w, (m, T.int64(6)))
        y = T.match_buffer(var_y, (n,), "int32")
        T_take = T.match_buffer(var_T_take, (n,))
        # with T.block("root"):
        for ax0 in range(n):
            with T.block("T_take"):
                v_ax0 = T.axis.spatial(n, ax0)
                T.reads(y[v_ax0], w[T.max(T.min(T.Select(T.Cast("int64", y[v_ax0]) < T.int64(0), T.Cast("int64", y[v_ax0]) + m * T.int64(6), T.Cast("int64", y[v_ax0])), m * T.int64(6) - T.int64(1)), T.int64(0)) // T.int64(6), T.max(T.min(T.Select(T.Cast("int64", y[v_ax0]) < T.int64(0), T.Cast("int64", y[v_ax0]) + m * T.int64(6), T.Cast("int64", y[v_ax0])), m * T.int64(6) - T.int64(1)), T.int64(0)) % T.int64(6)])
                T.writes(T_take[v_ax0])
                T.block_attr({"rlx.operator": "gather s"})
                T_take[v_ax0] = T.if_then_else(T.int64(0) < m * T.int64(6), w[T.max(T.min(T.Select(T.Cast("int64", y[v_ax0]) < T.int64(0), T.Cast("int64", y[v_ax0]) + m * T.int64(6), T.Cast("int64", y[v_ax0])), m * T.int64(6) - T.int64(1)), T.int64(0)) // T.int64(6), T.max(T.min(T.Select(T.Cast("int64", y[v_ax0]) < T.int64(0), T.Cast("int64", y[v_ax0]) + m * T.int64(6), T.Cast("int64", y[v_ax0])), m * T.int64(6) - T.int64(1)), T.int64(0)) % T.int64(6)], T.float32(0.0))

    @T.prim_func(private=True)
    def fused_take4_take3_add1(p_b: T.handle, p_y: T.handle, a: T.Buffer((T.int64(4), T.int64(6)), "float32"), p_x: T.handle, p_add1: T.handle):
        T.func_attr({"op_pattern": 2, "tir.noalias": T.bool(True), "rlx.checks": [{"param": 3, "low": -4, "high": 4, "text": "take: index", "file": "sink_checks.py#forms", "line": 37, "column": 17, "name": ""}, {"param": 1, "size": [0, 0], "text": "take: index", "file": "sink_checks.py#forms", "line": 38, "column": 17, "name": ""}]})
        m = T.int64()
        n = T.int64()
        b = T.match_buffer(p_b, (m, T.int64(6)))
        y = T.match_buffer(p_y, (n,), "int64")
        x = T.match_buffer(p_x, (n,), "int32")
        add1 = T.match_buffer(p_add1, (n, T.int64(6)))
        # with T.block("root"):
        take4 = T.alloc_buffer((n, T.int64(6)))
        take3 = T.alloc_buffer((n, T.int64(6)))
        for ax0, ax1 in T.grid(n, T.int64(6)):
            with T.block("T_take"):
                v_ax0, v_ax1 = T.axis.remap("SS", [ax0, ax1])
                T.reads(y[v_ax0], b[T.max(T.min(T.Select(y[v_ax0] < T.int64(0), y[v_ax0] + m, y[v_ax0]), m - T.int64(1)), T.int64(0)), v_ax1])
                T.writes(take4[v_ax0, v_ax1])
                T.block_attr({"rlx.operator": "gather ss"})
                take4[v_ax0, v_ax1] = T.if_then_else(T.int64(0) < m, b[T.max(T.min(T.Select(y[v_ax0] < T.int64(0), y[v_ax0] + m, y[v_ax0]), m - T.int64(1)), T.int64(0)), v_ax1], T.float32(0.0))
        for ax0, ax1 in T.grid(n, T.int64(6)):
            with T.block("T_take"):
                v_ax0, v_ax1 = T.axis.remap("SS", [ax0, ax1])
                T.reads(x[v_ax0], a[T.max(T.min(T.Select(T.Cast("int64", x[v_ax0]) < T.int64(0), T.Cast("int64", x[v_ax0]) + T.int64(4), T.Cast("int64", x[v_ax0])), T.int64(3)), T.int64(0)), v_ax1])
                T.writes(take3[v_ax0, v_ax1])
                T.block_attr({"rlx.operator": "gather ss"})
                take3[v_ax0, v_ax1] = a[T.max(T.min(T.Select(T.Cast("int64", x[v_ax0]) < T.int64(0), T.Cast("int64", x[v_ax0]) + T.int64(4), T.Cast("int64", x[v_ax0])), T.int64(3)), T.int64(0)), v_ax1]
        for ax0, ax1 in T.grid(n, T.int64(6)):
            with T.block("T_add"):
                v_ax0, v_ax1 = T.axis.remap("SS", [ax0, ax1])
                T.reads(take3[v_ax0, v_ax1], take4[v_ax0, v_ax1])
                T.writes(add1[v_ax0, v_ax1])
                T.block_attr({"rlx.operator": "elementwise ss"})
                add1[v_ax0, v_ax1] = take3[v_ax0, v_ax1] + take4[v_ax0, v_ax1]
