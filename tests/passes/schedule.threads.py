# ==== blocks
# Blocks of a device's function go to its threads, one number for each element.
@I.ir_module
class Module:
    @T.prim_func
    def add(a: T.handle, b: T.handle, c: T.handle):
        T.func_attr({"target": "opencl"})
        n = T.int64()
        A = T.match_buffer(a, (n, T.int64(20)))
        B = T.match_buffer(b, (T.int64(20),))
        C = T.match_buffer(c, (n, T.int64(20)))
        for i, j in T.grid(n, T.int64(20)):
            with T.block("C"):
                vi, vj = T.axis.remap("SS", [i, j])
                C[vi, vj] = A[vi, vj] + B[vj]

    @T.prim_func
    def small(A: T.Buffer((T.int64(7),), "float32"), C: T.Buffer((T.int64(7),), "float32")):
        T.func_attr({"target": "opencl"})
        for i in range(T.int64(7)):
            with T.block("C"):
                vi = T.axis.spatial(T.int64(7), i)
                C[vi] = A[vi] * T.float32(2)

    @T.prim_func
    def product(a: T.handle, b: T.handle, c: T.handle):
        T.func_attr({"target": "opencl"})
        n = T.int64()
        A = T.match_buffer(a, (n, T.int64(4)))
        B = T.match_buffer(b, (T.int64(4), T.int64(48)))
        C = T.match_buffer(c, (n, T.int64(48)))
        for i, j, k in T.grid(n, T.int64(48), T.int64(4)):
            with T.block("C"):
                vi, vj, vk = T.axis.remap("SSR", [i, j, k])
                with T.init():
                    C[vi, vj] = T.float32(0)
                C[vi, vj] = C[vi, vj] + A[vi, vk] * B[vk, vj]

    @T.prim_func
    def total(a: T.handle, C: T.Buffer((), "float32")):
        T.func_attr({"target": "opencl"})
        A = T.match_buffer(a, (T.int64(9),))
        for k in range(T.int64(9)):
            with T.block("C"):
                vk = T.axis.reduce(T.int64(9), k)
                with T.init():
                    C[()] = T.float32(0)
                C[()] = C[()] + A[vk]

    @R.function
    def main(a: R.Tensor(("n", 20), "float32"), b: R.Tensor((20,), "float32"), x: R.Tensor(("n", 4), "float32"), w: R.Tensor((4, 48), "float32"), s: R.Tensor((7,), "float32"), v: R.Tensor((9,), "float32")):
        n = T.int64()
        cls = Module
        with R.dataflow():
            c = R.call_tir(cls.add, (a, b), out_sinfo=R.Tensor((n, 20), "float32"))
            d = R.call_tir(cls.small, (s,), out_sinfo=R.Tensor((7,), "float32"))
            e = R.call_tir(cls.product, (x, w), out_sinfo=R.Tensor((n, 48), "float32"))
            f = R.call_tir(cls.total, (v,), out_sinfo=R.Tensor((), "float32"))
            R.output(c, d, e, f)
        return (c, d, e, f)
# ---- expected
# from tvm.script import ir as I
# from tvm.script import tir as T
# from tvm.script import relax as R

@I.ir_module
class Module:
    I.module_global_infos({"vdevice": [I.vdevice("llvm", 0, "global"), I.vdevice("opencl", 0, "global")]})
    @T.prim_func
    def add(a: T.handle, B: T.Buffer((T.int64(20),), "float32"), c: T.handle):
        T.func_attr({"target": "opencl", "op_pattern": 1})
        n = T.int64()
        A = T.match_buffer(a, (n, T.int64(20)))
        C = T.match_buffer(c, (n, T.int64(20)))
        with T.block("root"):
            with T.block("threads"):
                for i_fused_0 in T.thread_binding((n * T.int64(5) + T.int64(63)) // T.int64(64), thread="blockIdx.x"):
                    for i_fused_1 in T.thread_binding(T.int64(256), thread="threadIdx.x"):
                        with T.block("C"):
                            vi = T.axis.spatial(n, (i_fused_0 * T.int64(256) + i_fused_1) // T.int64(20))
                            vj = T.axis.spatial(T.int64(20), (i_fused_0 * T.int64(256) + i_fused_1) % T.int64(20))
                            T.where(i_fused_0 * T.int64(256) + i_fused_1 < n * T.int64(20))
                            T.block_attr({"rlx.operator": "elementwise ss", "rlx.rule": "threads"})
                            C[vi, vj] = A[vi, vj] + B[vj]

    @T.prim_func
    def small(A: T.Buffer((T.int64(7),), "float32"), C: T.Buffer((T.int64(7),), "float32")):
        T.func_attr({"target": "opencl", "op_pattern": 0})
        with T.block("root"):
            with T.block("threads"):
                for i in T.thread_binding(T.int64(7), thread="threadIdx.x"):
                    with T.block("C"):
                        vi = T.axis.spatial(T.int64(7), i)
                        T.block_attr({"rlx.operator": "elementwise s", "rlx.rule": "threads"})
                        C[vi] = A[vi] * T.float32(2.0)

    @T.prim_func
    def product(a: T.handle, B: T.Buffer((T.int64(4), T.int64(48)), "float32"), c: T.handle):
        T.func_attr({"target": "opencl", "op_pattern": 4})
        n = T.int64()
        A = T.match_buffer(a, (n, T.int64(4)))
        C = T.match_buffer(c, (n, T.int64(48)))
        with T.block("root"):
            with T.block("threads"):
                for i_fused_0 in T.thread_binding((n * T.int64(3) + T.int64(15)) // T.int64(16), thread="blockIdx.x"):
                    for i_fused_1 in T.thread_binding(T.int64(256), thread="threadIdx.x"):
                        with T.block("local"):
                            C_global = T.alloc_buffer((T.int64(1), T.int64(1)), scope="local")
                            with T.block("C_init"):
                                vi = T.axis.spatial(n, (i_fused_0 * T.int64(256) + i_fused_1) // T.int64(48))
                                vj = T.axis.spatial(T.int64(48), (i_fused_0 * T.int64(256) + i_fused_1) % T.int64(48))
                                T.where(i_fused_0 * T.int64(256) + i_fused_1 < n * T.int64(48))
                                T.block_attr({"rlx.rule": "threads"})
                                C_global[vi - (i_fused_0 * T.int64(256) + i_fused_1) // T.int64(48), vj - (i_fused_0 * T.int64(256) + i_fused_1) % T.int64(48)] = T.float32(0.0)
                            for k in range(T.int64(4)):
                                with T.block("C_update"):
                                    vi = T.axis.spatial(n, (i_fused_0 * T.int64(256) + i_fused_1) // T.int64(48))
                                    vj = T.axis.spatial(T.int64(48), (i_fused_0 * T.int64(256) + i_fused_1) % T.int64(48))
                                    vk = T.axis.reduce(T.int64(4), k)
                                    T.where(i_fused_0 * T.int64(256) + i_fused_1 < n * T.int64(48))
                                    T.block_attr({"rlx.rule": "threads"})
                                    C_global[vi - (i_fused_0 * T.int64(256) + i_fused_1) // T.int64(48), vj - (i_fused_0 * T.int64(256) + i_fused_1) % T.int64(48)] = C_global[vi - (i_fused_0 * T.int64(256) + i_fused_1) // T.int64(48), vj - (i_fused_0 * T.int64(256) + i_fused_1) % T.int64(48)] + A[vi, vk] * B[vk, vj]
                            with T.block("C_global"):
                                v0 = T.axis.spatial(n, (i_fused_0 * T.int64(256) + i_fused_1) // T.int64(48))
                                v1 = T.axis.spatial(T.int64(48), (i_fused_0 * T.int64(256) + i_fused_1) % T.int64(48))
                                T.where((i_fused_0 * T.int64(256) + i_fused_1) // T.int64(48) < n)
                                T.block_attr({"rlx.operator": "rearrange ss"})
                                C[v0, v1] = C_global[v0 - (i_fused_0 * T.int64(256) + i_fused_1) // T.int64(48), v1 - (i_fused_0 * T.int64(256) + i_fused_1) % T.int64(48)]

    @T.prim_func
    def total(A: T.Buffer((T.int64(9),), "float32"), C: T.Buffer((), "float32")):
        T.func_attr({"target": "opencl", "op_pattern": 3})
        with T.block("root"):
            with T.block("threads"):
                for u in T.thread_binding(T.int64(1), thread="threadIdx.x"):
                    with T.block("local"):
                        C_global = T.alloc_buffer((), scope="local")
                        with T.block("C_init"):
                            T.block_attr({"rlx.rule": "threads"})
                            C_global[()] = T.float32(0.0)
                        for k in range(T.int64(9)):
                            with T.block("C_update"):
                                vk = T.axis.reduce(T.int64(9), k)
                                T.block_attr({"rlx.rule": "threads"})
                                C_global[()] = C_global[()] + A[vk]
                        with T.block("C_global"):
                            C[()] = C_global[()]

    @R.function
    def main(a: R.Tensor(("n", 20), dtype="float32", vdevice="opencl:0"), b: R.Tensor((20,), dtype="float32", vdevice="opencl:0"), x: R.Tensor(("n", 4), dtype="float32", vdevice="opencl:0"), w: R.Tensor((4, 48), dtype="float32", vdevice="opencl:0"), s: R.Tensor((7,), dtype="float32", vdevice="opencl:0"), v: R.Tensor((9,), dtype="float32", vdevice="opencl:0")) -> R.Tuple(R.Tensor(("n", 20), dtype="float32", vdevice="opencl:0"), R.Tensor((7,), dtype="float32", vdevice="opencl:0"), R.Tensor(("n", 48), dtype="float32", vdevice="opencl:0"), R.Tensor((), dtype="float32", vdevice="opencl:0")):
        n = T.int64()
        R.func_attr({"relax.force_pure": True})
        cls = Module
        c: R.Tensor((n, 20), dtype="float32", vdevice="opencl:0") = R.builtin.alloc_tensor(R.shape([n, 20]), R.dtype("float32"), R.prim_value(1), R.str("global"))
        _: R.Tuple = cls.add(a, b, c)
        d: R.Tensor((7,), dtype="float32", vdevice="opencl:0") = R.builtin.alloc_tensor(R.shape([7]), R.dtype("float32"), R.prim_value(1), R.str("global"))
        _: R.Tuple = cls.small(s, d)
        e: R.Tensor((n, 48), dtype="float32", vdevice="opencl:0") = R.builtin.alloc_tensor(R.shape([n, 48]), R.dtype("float32"), R.prim_value(1), R.str("global"))
        _: R.Tuple = cls.product(x, w, e)
        f: R.Tensor((), dtype="float32", vdevice="opencl:0") = R.builtin.alloc_tensor(R.shape([]), R.dtype("float32"), R.prim_value(1), R.str("global"))
        _: R.Tuple = cls.total(v, f)
        return (c, d, e, f)

# ==== lines
# On a device that is a CPU the blocks are rows, and their threads neighbours of the last axis: no element is numbered. Short rows are numbered.
@I.ir_module
class Module:
    @T.prim_func
    def scale(a: T.handle, b: T.handle, c: T.handle):
        T.func_attr({"target": "opencl -device=cpu"})
        n = T.int64()
        m = T.int64()
        A = T.match_buffer(a, (T.int64(1), n, m))
        B = T.match_buffer(b, (n,))
        C = T.match_buffer(c, (T.int64(1), n, m))
        for g, i, j in T.grid(T.int64(1), n, m):
            with T.block("C"):
                vg, vi, vj = T.axis.remap("SSS", [g, i, j])
                C[vg, vi, vj] = A[vg, vi, vj] * B[vi]

    @T.prim_func
    def whole(a: T.handle, b: T.handle, c: T.handle):
        T.func_attr({"target": "opencl -device=cpu"})
        n = T.int64()
        A = T.match_buffer(a, (n, T.int64(192)))
        B = T.match_buffer(b, (n,))
        C = T.match_buffer(c, (n, T.int64(192)))
        for i, j in T.grid(n, T.int64(192)):
            with T.block("C"):
                vi, vj = T.axis.remap("SS", [i, j])
                C[vi, vj] = A[vi, vj] + B[vi]

    @T.prim_func
    def short(a: T.handle, b: T.handle, c: T.handle):
        T.func_attr({"target": "opencl -device=cpu"})
        n = T.int64()
        A = T.match_buffer(a, (n, T.int64(20)))
        B = T.match_buffer(b, (n,))
        C = T.match_buffer(c, (n, T.int64(20)))
        for i, j in T.grid(n, T.int64(20)):
            with T.block("C"):
                vi, vj = T.axis.remap("SS", [i, j])
                C[vi, vj] = A[vi, vj] + B[vi]

    @R.function
    def main(a: R.Tensor((1, "n", "m"), "float32"), b: R.Tensor(("n",), "float32"), d: R.Tensor(("n", 192), "float32"), e: R.Tensor(("n", 20), "float32")):
        n = T.int64()
        m = T.int64()
        cls = Module
        with R.dataflow():
            c = R.call_tir(cls.scale, (a, b), out_sinfo=R.Tensor((1, n, m), "float32"))
            f = R.call_tir(cls.whole, (d, b), out_sinfo=R.Tensor((n, 192), "float32"))
            g = R.call_tir(cls.short, (e, b), out_sinfo=R.Tensor((n, 20), "float32"))
            R.output(c, f, g)
        return (c, f, g)
# ---- expected
# from tvm.script import ir as I
# from tvm.script import tir as T
# from tvm.script import relax as R

@I.ir_module
class Module:
    I.module_global_infos({"vdevice": [I.vdevice("llvm", 0, "global"), I.vdevice("opencl -device=cpu", 0, "global")]})
    @T.prim_func
    def scale(a: T.handle, b: T.handle, c: T.handle):
        T.func_attr({"target": "opencl -device=cpu", "op_pattern": 1})
        n = T.int64()
        m = T.int64()
        A = T.match_buffer(a, (T.int64(1), n, m))
        B = T.match_buffer(b, (n,))
        C = T.match_buffer(c, (T.int64(1), n, m))
        with T.block("root"):
            with T.block("threads"):
                for g_fused in T.thread_binding(n, thread="blockIdx.x"):
                    for j_0 in T.thread_binding((m + T.int64(127)) // T.int64(128), thread="blockIdx.y"):
                        for j_1 in T.thread_binding(T.int64(128), thread="threadIdx.x"):
                            with T.block("C"):
                                vg = T.axis.spatial(T.int64(1), T.int64(0))
                                vi = T.axis.spatial(n, g_fused)
                                vj = T.axis.spatial(m, j_0 * T.int64(128) + j_1)
                                T.where(j_0 * T.int64(128) + j_1 < m)
                                T.block_attr({"rlx.operator": "elementwise sss", "rlx.rule": "threads"})
                                C[vg, vi, vj] = A[vg, vi, vj] * B[vi]

    @T.prim_func
    def whole(a: T.handle, b: T.handle, c: T.handle):
        T.func_attr({"target": "opencl -device=cpu", "op_pattern": 1})
        n = T.int64()
        A = T.match_buffer(a, (n, T.int64(192)))
        B = T.match_buffer(b, (n,))
        C = T.match_buffer(c, (n, T.int64(192)))
        with T.block("root"):
            with T.block("threads"):
                for i in T.thread_binding(n, thread="blockIdx.x"):
                    for j_0 in T.thread_binding(T.int64(3), thread="blockIdx.y"):
                        for j_1 in T.thread_binding(T.int64(64), thread="threadIdx.x"):
                            with T.block("C"):
                                vi = T.axis.spatial(n, i)
                                vj = T.axis.spatial(T.int64(192), j_0 * T.int64(64) + j_1)
                                T.block_attr({"rlx.operator": "elementwise ss", "rlx.rule": "threads"})
                                C[vi, vj] = A[vi, vj] + B[vi]

    @T.prim_func
    def short(a: T.handle, b: T.handle, c: T.handle):
        T.func_attr({"target": "opencl -device=cpu", "op_pattern": 1})
        n = T.int64()
        A = T.match_buffer(a, (n, T.int64(20)))
        B = T.match_buffer(b, (n,))
        C = T.match_buffer(c, (n, T.int64(20)))
        with T.block("root"):
            with T.block("threads"):
                for i_fused_0 in T.thread_binding((n * T.int64(5) + T.int64(63)) // T.int64(64), thread="blockIdx.x"):
                    for i_fused_1 in T.thread_binding(T.int64(256), thread="threadIdx.x"):
                        with T.block("C"):
                            vi = T.axis.spatial(n, (i_fused_0 * T.int64(256) + i_fused_1) // T.int64(20))
                            vj = T.axis.spatial(T.int64(20), (i_fused_0 * T.int64(256) + i_fused_1) % T.int64(20))
                            T.where(i_fused_0 * T.int64(256) + i_fused_1 < n * T.int64(20))
                            T.block_attr({"rlx.operator": "elementwise ss", "rlx.rule": "threads"})
                            C[vi, vj] = A[vi, vj] + B[vi]

    @R.function
    def main(a: R.Tensor((1, "n", "m"), dtype="float32", vdevice="opencl:0"), b: R.Tensor(("n",), dtype="float32", vdevice="opencl:0"), d: R.Tensor(("n", 192), dtype="float32", vdevice="opencl:0"), e: R.Tensor(("n", 20), dtype="float32", vdevice="opencl:0")) -> R.Tuple(R.Tensor((1, "n", "m"), dtype="float32", vdevice="opencl:0"), R.Tensor(("n", 192), dtype="float32", vdevice="opencl:0"), R.Tensor(("n", 20), dtype="float32", vdevice="opencl:0")):
        n = T.int64()
        m = T.int64()
        R.func_attr({"relax.force_pure": True})
        cls = Module
        c: R.Tensor((1, n, m), dtype="float32", vdevice="opencl:0") = R.builtin.alloc_tensor(R.shape([1, n, m]), R.dtype("float32"), R.prim_value(1), R.str("global"))
        _: R.Tuple = cls.scale(a, b, c)
        f: R.Tensor((n, 192), dtype="float32", vdevice="opencl:0") = R.builtin.alloc_tensor(R.shape([n, 192]), R.dtype("float32"), R.prim_value(1), R.str("global"))
        _: R.Tuple = cls.whole(d, b, f)
        g: R.Tensor((n, 20), dtype="float32", vdevice="opencl:0") = R.builtin.alloc_tensor(R.shape([n, 20]), R.dtype("float32"), R.prim_value(1), R.str("global"))
        _: R.Tuple = cls.short(e, b, g)
        return (c, f, g)

# ==== symbolic
# Fused axes of symbolic extents: quotients and remainders of a thread's number tell them apart.
@I.ir_module
class Module:
    @T.prim_func
    def turned(a: T.handle, c: T.handle):
        T.func_attr({"target": "opencl"})
        b = T.int64()
        n = T.int64()
        A = T.match_buffer(a, (b, T.int64(4), n, T.int64(8)))
        C = T.match_buffer(c, (b, n, T.int64(4), T.int64(8)))
        for i, j, k, l in T.grid(b, n, T.int64(4), T.int64(8)):
            with T.block("C"):
                vi, vj, vk, vl = T.axis.remap("SSSS", [i, j, k, l])
                C[vi, vj, vk, vl] = A[vi, vk, vj, vl]

    @T.prim_func
    def largest(a: T.handle, c: T.handle):
        T.func_attr({"target": "opencl"})
        n = T.int64()
        A = T.match_buffer(a, (T.int64(1), T.int64(4), n, n))
        C = T.match_buffer(c, (T.int64(1), T.int64(4), n))
        for i, j, k, l in T.grid(T.int64(1), T.int64(4), n, n):
            with T.block("C"):
                vi, vj, vk, vl = T.axis.remap("SSSR", [i, j, k, l])
                with T.init():
                    C[vi, vj, vk] = T.float32(0)
                C[vi, vj, vk] = T.max(C[vi, vj, vk], A[vi, vj, vk, vl])

    @R.function
    def main(a: R.Tensor(("b", 4, "n", 8), "float32"), c: R.Tensor((1, 4, "n", "n"), "float32")):
        b = T.int64()
        n = T.int64()
        cls = Module
        with R.dataflow():
            d = R.call_tir(cls.turned, (a,), out_sinfo=R.Tensor((b, n, 4, 8), "float32"))
            e = R.call_tir(cls.largest, (c,), out_sinfo=R.Tensor((1, 4, n), "float32"))
            R.output(d, e)
        return (d, e)
# ---- expected
# from tvm.script import ir as I
# from tvm.script import tir as T
# from tvm.script import relax as R

@I.ir_module
class Module:
    I.module_global_infos({"vdevice": [I.vdevice("llvm", 0, "global"), I.vdevice("opencl", 0, "global")]})
    @T.prim_func
    def turned(a: T.handle, c: T.handle):
        T.func_attr({"target": "opencl", "op_pattern": 2})
        b = T.int64()
        n = T.int64()
        A = T.match_buffer(a, (b, T.int64(4), n, T.int64(8)))
        C = T.match_buffer(c, (b, n, T.int64(4), T.int64(8)))
        with T.block("root"):
            with T.block("threads"):
                for i_fused_0 in T.thread_binding((b * n + T.int64(7)) // T.int64(8), thread="blockIdx.x"):
                    for i_fused_1 in T.thread_binding(T.int64(256), thread="threadIdx.x"):
                        with T.block("C"):
                            vi = T.axis.spatial(b, (i_fused_0 * T.int64(256) + i_fused_1) // (n * T.int64(32)))
                            vj = T.axis.spatial(n, (i_fused_0 * T.int64(8) + i_fused_1 // T.int64(32)) % n)
                            vk = T.axis.spatial(T.int64(4), i_fused_1 // T.int64(8) % T.int64(4))
                            vl = T.axis.spatial(T.int64(8), i_fused_1 % T.int64(8))
                            T.where(i_fused_0 * T.int64(256) + i_fused_1 < b * n * T.int64(32))
                            T.block_attr({"rlx.operator": "transpose ssss", "rlx.rule": "threads"})
                            C[vi, vj, vk, vl] = A[vi, vk, vj, vl]

    @T.prim_func
    def largest(a: T.handle, c: T.handle):
        T.func_attr({"target": "opencl", "op_pattern": 3})
        n = T.int64()
        A = T.match_buffer(a, (T.int64(1), T.int64(4), n, n))
        C = T.match_buffer(c, (T.int64(1), T.int64(4), n))
        with T.block("root"):
            with T.block("team"):
                for i_fused_m in T.thread_binding(n * T.int64(4), thread="blockIdx.x"):
                    with T.block("local"):
                        C_rf = T.alloc_buffer((T.int64(256), T.int64(1), T.int64(1), T.int64(1)), scope="shared")
                        C_rf_1 = T.alloc_buffer((T.int64(16), T.int64(1), T.int64(1), T.int64(1)), scope="shared")
                        for l_1 in T.thread_binding(T.int64(256), thread="threadIdx.x"):
                            with T.block("local_1"):
                                C_rf_global = T.alloc_buffer((T.int64(1), T.int64(1), T.int64(1), T.int64(1)), scope="local")
                                with T.block("C_rf_init"):
                                    vi = T.axis.spatial(T.int64(1), T.int64(0))
                                    vj = T.axis.spatial(T.int64(4), i_fused_m // n % T.int64(4))
                                    vk = T.axis.spatial(n, i_fused_m % n)
                                    vl_1 = T.axis.spatial(T.int64(256), l_1)
                                    T.block_attr({"rlx.rule": "team"})
                                    C_rf_global[vl_1 - l_1, vi, vj - i_fused_m // n % T.int64(4), vk - i_fused_m % n] = T.float32(0.0)
                                for l_0 in range((n + T.int64(255)) // T.int64(256)):
                                    with T.block("C_rf_update"):
                                        vi = T.axis.spatial(T.int64(1), T.int64(0))
                                        vj = T.axis.spatial(T.int64(4), i_fused_m // n % T.int64(4))
                                        vk = T.axis.spatial(n, i_fused_m % n)
                                        vl_1, vl_0 = T.axis.remap("SR", [l_1, l_0])
                                        T.block_attr({"rlx.rule": "team"})
                                        if vl_0 * T.int64(256) + vl_1 < n:
                                            C_rf_global[vl_1 - l_1, vi, vj - i_fused_m // n % T.int64(4), vk - i_fused_m % n] = T.max(C_rf_global[vl_1 - l_1, vi, vj - i_fused_m // n % T.int64(4), vk - i_fused_m % n], A[vi, vj, vk, vl_0 * T.int64(256) + vl_1])
                                with T.block("C_rf_global"):
                                    v0 = T.axis.spatial(T.int64(256), l_1)
                                    v1 = T.axis.spatial(T.int64(1), T.int64(0))
                                    v2 = T.axis.spatial(T.int64(4), i_fused_m // n % T.int64(4))
                                    v3 = T.axis.spatial(n, i_fused_m % n)
                                    C_rf[v0, v1, v2 - i_fused_m // n % T.int64(4), v3 - i_fused_m % n] = C_rf_global[v0 - l_1, v1, v2 - i_fused_m // n % T.int64(4), v3 - i_fused_m % n]
                        for ax3_1 in T.thread_binding(T.int64(16), thread="threadIdx.x"):
                            with T.block("local_2"):
                                C_rf_global = T.alloc_buffer((T.int64(1), T.int64(1), T.int64(1), T.int64(1)), scope="local")
                                with T.block("C_rf_init_1"):
                                    vi = T.axis.spatial(T.int64(1), T.int64(0))
                                    vj = T.axis.spatial(T.int64(4), i_fused_m // n % T.int64(4))
                                    vk = T.axis.spatial(n, i_fused_m % n)
                                    vax3_1 = T.axis.spatial(T.int64(16), ax3_1)
                                    T.block_attr({"rlx.rule": "team"})
                                    C_rf_global[vax3_1 - ax3_1, vi, vj - i_fused_m // n % T.int64(4), vk - i_fused_m % n] = T.float32(0.0)
                                for ax3_0 in range(T.int64(16)):
                                    with T.block("C_rf_update_1"):
                                        vi = T.axis.spatial(T.int64(1), T.int64(0))
                                        vj = T.axis.spatial(T.int64(4), i_fused_m // n % T.int64(4))
                                        vk = T.axis.spatial(n, i_fused_m % n)
                                        vax3_1, vax3_0 = T.axis.remap("SR", [ax3_1, ax3_0])
                                        T.block_attr({"rlx.rule": "team"})
                                        C_rf_global[vax3_1 - ax3_1, vi, vj - i_fused_m // n % T.int64(4), vk - i_fused_m % n] = T.max(C_rf_global[vax3_1 - ax3_1, vi, vj - i_fused_m // n % T.int64(4), vk - i_fused_m % n], C_rf[vax3_1 + vax3_0 * T.int64(16), vi, vj - i_fused_m // n % T.int64(4), vk - i_fused_m % n])
                                with T.block("C_rf_global_1"):
                                    v0 = T.axis.spatial(T.int64(16), ax3_1)
                                    v1 = T.axis.spatial(T.int64(1), T.int64(0))
                                    v2 = T.axis.spatial(T.int64(4), i_fused_m // n % T.int64(4))
                                    v3 = T.axis.spatial(n, i_fused_m % n)
                                    C_rf_1[v0, v1, v2 - i_fused_m // n % T.int64(4), v3 - i_fused_m % n] = C_rf_global[v0 - ax3_1, v1, v2 - i_fused_m // n % T.int64(4), v3 - i_fused_m % n]
                        for u in T.thread_binding(T.int64(1), thread="threadIdx.x"):
                            with T.block("local_3"):
                                C_global = T.alloc_buffer((T.int64(1), T.int64(1), T.int64(1)), scope="local")
                                with T.block("C_init"):
                                    vi = T.axis.spatial(T.int64(1), T.int64(0))
                                    vj = T.axis.spatial(T.int64(4), i_fused_m // n % T.int64(4))
                                    vk = T.axis.spatial(n, i_fused_m % n)
                                    T.block_attr({"rlx.rule": "team"})
                                    C_global[vi, vj - i_fused_m // n % T.int64(4), vk - i_fused_m % n] = T.float32(0.0)
                                for ax3 in range(T.int64(16)):
                                    with T.block("C_update"):
                                        vi = T.axis.spatial(T.int64(1), T.int64(0))
                                        vj = T.axis.spatial(T.int64(4), i_fused_m // n % T.int64(4))
                                        vk = T.axis.spatial(n, i_fused_m % n)
                                        vpart = T.axis.reduce(T.int64(16), ax3)
                                        T.block_attr({"rlx.rule": "team"})
                                        C_global[vi, vj - i_fused_m // n % T.int64(4), vk - i_fused_m % n] = T.max(C_global[vi, vj - i_fused_m // n % T.int64(4), vk - i_fused_m % n], C_rf_1[vpart, vi, vj - i_fused_m // n % T.int64(4), vk - i_fused_m % n])
                                with T.block("C_global"):
                                    v0 = T.axis.spatial(T.int64(1), T.int64(0))
                                    v1 = T.axis.spatial(T.int64(4), i_fused_m // n % T.int64(4))
                                    v2 = T.axis.spatial(n, i_fused_m % n)
                                    T.block_attr({"rlx.operator": "rearrange sss"})
                                    C[v0, v1, v2] = C_global[v0, v1 - i_fused_m // n % T.int64(4), v2 - i_fused_m % n]

    @R.function
    def main(a: R.Tensor(("b", 4, "n", 8), dtype="float32", vdevice="opencl:0"), c: R.Tensor((1, 4, "n", "n"), dtype="float32", vdevice="opencl:0")) -> R.Tuple(R.Tensor(("b", "n", 4, 8), dtype="float32", vdevice="opencl:0"), R.Tensor((1, 4, "n"), dtype="float32", vdevice="opencl:0")):
        b = T.int64()
        n = T.int64()
        R.func_attr({"relax.force_pure": True})
        cls = Module
        d: R.Tensor((b, n, 4, 8), dtype="float32", vdevice="opencl:0") = R.builtin.alloc_tensor(R.shape([b, n, 4, 8]), R.dtype("float32"), R.prim_value(1), R.str("global"))
        _: R.Tuple = cls.turned(a, d)
        e: R.Tensor((1, 4, n), dtype="float32", vdevice="opencl:0") = R.builtin.alloc_tensor(R.shape([1, 4, n]), R.dtype("float32"), R.prim_value(1), R.str("global"))
        _: R.Tuple = cls.largest(c, e)
        return (d, e)
