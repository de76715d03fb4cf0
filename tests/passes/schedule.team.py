# ==== softmax
# A softmax runs in one launch, a block of threads for each row; a sum of all is a tree.
@I.ir_module
class Module:
    @T.prim_func
    def soft(x: T.handle, y: T.handle):
        T.func_attr({"target": "opencl"})
        n = T.int64()
        X = T.match_buffer(x, (n, T.int64(8), T.int64(300)))
        Y = T.match_buffer(y, (n, T.int64(8), T.int64(300)))
        M = T.alloc_buffer((n, T.int64(8)))
        E = T.alloc_buffer((n, T.int64(8), T.int64(300)))
        S = T.alloc_buffer((n, T.int64(8)))
        for i, h, k in T.grid(n, T.int64(8), T.int64(300)):
            with T.block("M"):
                vi, vh, vk = T.axis.remap("SSR", [i, h, k])
                with T.init():
                    M[vi, vh] = T.float32("-inf")
                M[vi, vh] = T.max(M[vi, vh], X[vi, vh, vk])
        for i, h, k in T.grid(n, T.int64(8), T.int64(300)):
            with T.block("E"):
                vi, vh, vk = T.axis.remap("SSS", [i, h, k])
                E[vi, vh, vk] = T.exp(X[vi, vh, vk] - M[vi, vh])
        for i, h, k in T.grid(n, T.int64(8), T.int64(300)):
            with T.block("S"):
                vi, vh, vk = T.axis.remap("SSR", [i, h, k])
                with T.init():
                    S[vi, vh] = T.float32(0)
                S[vi, vh] = S[vi, vh] + E[vi, vh, vk]
        for i, h, k in T.grid(n, T.int64(8), T.int64(300)):
            with T.block("Y"):
                vi, vh, vk = T.axis.remap("SSS", [i, h, k])
                Y[vi, vh, vk] = E[vi, vh, vk] / S[vi, vh]

    @T.prim_func
    def total(a: T.handle, C: T.Buffer((), "float32")):
        T.func_attr({"target": "opencl"})
        n = T.int64()
        A = T.match_buffer(a, (n,))
        for k in range(n):
            with T.block("C"):
                vk = T.axis.reduce(n, k)
                with T.init():
                    C[()] = T.float32(0)
                C[()] = C[()] + A[vk]

    @R.function
    def main(a: R.Tensor(("n", 8, 300), "float32"), v: R.Tensor(("m",), "float32")):
        n = T.int64()
        cls = Module
        with R.dataflow():
            c = R.call_tir(cls.soft, (a,), out_sinfo=R.Tensor((n, 8, 300), "float32"))
            f = R.call_tir(cls.total, (v,), out_sinfo=R.Tensor((), "float32"))
            R.output(c, f)
        return (c, f)
# ---- expected
# from tvm.script import ir as I
# from tvm.script import tir as T
# from tvm.script import relax as R

@I.ir_module
class Module:
    I.module_global_infos({"vdevice": [I.vdevice("llvm", 0, "global"), I.vdevice("opencl", 0, "global")]})
    @T.prim_func
    def soft(x: T.handle, y: T.handle):
        T.func_attr({"target": "opencl", "op_pattern": 4})
        n = T.int64()
        X = T.match_buffer(x, (n, T.int64(8), T.int64(300)))
        Y = T.match_buffer(y, (n, T.int64(8), T.int64(300)))
        with T.block("root"):
            with T.block("team"):
                for i_fused_m in T.thread_binding(n * T.int64(8), thread="blockIdx.x"):
                    with T.block("local"):
                        M = T.alloc_buffer((T.int64(1), T.int64(1)), scope="shared")
                        E = T.alloc_buffer((T.int64(1), T.int64(1), T.int64(300)), scope="shared")
                        S = T.alloc_buffer((T.int64(1), T.int64(1)), scope="shared")
                        M_rf = T.alloc_buffer((T.int64(256), T.int64(1), T.int64(1)), scope="shared")
                        M_rf_1 = T.alloc_buffer((T.int64(16), T.int64(1), T.int64(1)), scope="shared")
                        S_rf = T.alloc_buffer((T.int64(256), T.int64(1), T.int64(1)), scope="shared")
                        S_rf_1 = T.alloc_buffer((T.int64(16), T.int64(1), T.int64(1)), scope="shared")
                        for k_1 in T.thread_binding(T.int64(256), thread="threadIdx.x"):
                            with T.block("local_1"):
                                M_rf_global = T.alloc_buffer((T.int64(1), T.int64(1), T.int64(1)), scope="local")
                                with T.block("M_rf_init"):
                                    vi = T.axis.spatial(n, i_fused_m // T.int64(8))
                                    vh = T.axis.spatial(T.int64(8), i_fused_m % T.int64(8))
                                    vk_1 = T.axis.spatial(T.int64(256), k_1)
                                    T.block_attr({"rlx.rule": "team"})
                                    M_rf_global[vk_1 - k_1, vi - i_fused_m // T.int64(8), vh - i_fused_m % T.int64(8)] = T.float32("-inf")
                                for k_0 in range(T.int64(2)):
                                    with T.block("M_rf_update"):
                                        vi = T.axis.spatial(n, i_fused_m // T.int64(8))
                                        vh = T.axis.spatial(T.int64(8), i_fused_m % T.int64(8))
                                        vk_1, vk_0 = T.axis.remap("SR", [k_1, k_0])
                                        T.block_attr({"rlx.rule": "team"})
                                        if vk_0 * T.int64(256) + vk_1 < T.int64(300):
                                            M_rf_global[vk_1 - k_1, vi - i_fused_m // T.int64(8), vh - i_fused_m % T.int64(8)] = T.max(M_rf_global[vk_1 - k_1, vi - i_fused_m // T.int64(8), vh - i_fused_m % T.int64(8)], X[vi, vh, vk_0 * T.int64(256) + vk_1])
                                with T.block("M_rf_global"):
                                    v0 = T.axis.spatial(T.int64(256), k_1)
                                    v1 = T.axis.spatial(n, i_fused_m // T.int64(8))
                                    v2 = T.axis.spatial(T.int64(8), i_fused_m % T.int64(8))
                                    M_rf[v0, v1 - i_fused_m // T.int64(8), v2 - i_fused_m % T.int64(8)] = M_rf_global[v0 - k_1, v1 - i_fused_m // T.int64(8), v2 - i_fused_m % T.int64(8)]
                        for ax2_1 in T.thread_binding(T.int64(16), thread="threadIdx.x"):
                            with T.block("local_2"):
                                M_rf_global = T.alloc_buffer((T.int64(1), T.int64(1), T.int64(1)), scope="local")
                                with T.block("M_rf_init_1"):
                                    vi = T.axis.spatial(n, i_fused_m // T.int64(8))
                                    vh = T.axis.spatial(T.int64(8), i_fused_m % T.int64(8))
                                    vax2_1 = T.axis.spatial(T.int64(16), ax2_1)
                                    T.block_attr({"rlx.rule": "team"})
                                    M_rf_global[vax2_1 - ax2_1, vi - i_fused_m // T.int64(8), vh - i_fused_m % T.int64(8)] = T.float32("-inf")
                                for ax2_0 in range(T.int64(16)):
                                    with T.block("M_rf_update_1"):
                                        vi = T.axis.spatial(n, i_fused_m // T.int64(8))
                                        vh = T.axis.spatial(T.int64(8), i_fused_m % T.int64(8))
                                        vax2_1, vax2_0 = T.axis.remap("SR", [ax2_1, ax2_0])
                                        T.block_attr({"rlx.rule": "team"})
                                        M_rf_global[vax2_1 - ax2_1, vi - i_fused_m // T.int64(8), vh - i_fused_m % T.int64(8)] = T.max(M_rf_global[vax2_1 - ax2_1, vi - i_fused_m // T.int64(8), vh - i_fused_m % T.int64(8)], M_rf[vax2_1 + vax2_0 * T.int64(16), vi - i_fused_m // T.int64(8), vh - i_fused_m % T.int64(8)])
                                with T.block("M_rf_global_1"):
                                    v0 = T.axis.spatial(T.int64(16), ax2_1)
                                    v1 = T.axis.spatial(n, i_fused_m // T.int64(8))
                                    v2 = T.axis.spatial(T.int64(8), i_fused_m % T.int64(8))
                                    M_rf_1[v0, v1 - i_fused_m // T.int64(8), v2 - i_fused_m % T.int64(8)] = M_rf_global[v0 - ax2_1, v1 - i_fused_m // T.int64(8), v2 - i_fused_m % T.int64(8)]
                        for u in T.thread_binding(T.int64(1), thread="threadIdx.x"):
                            with T.block("local_3"):
                                M_global = T.alloc_buffer((T.int64(1), T.int64(1)), scope="local")
                                with T.block("M_init"):
                                    vi = T.axis.spatial(n, i_fused_m // T.int64(8))
                                    vh = T.axis.spatial(T.int64(8), i_fused_m % T.int64(8))
                                    T.block_attr({"rlx.rule": "team"})
                                    M_global[vi - i_fused_m // T.int64(8), vh - i_fused_m % T.int64(8)] = T.float32("-inf")
                                for ax2 in range(T.int64(16)):
                                    with T.block("M_update"):
                                        vi = T.axis.spatial(n, i_fused_m // T.int64(8))
                                        vh = T.axis.spatial(T.int64(8), i_fused_m % T.int64(8))
                                        vpart = T.axis.reduce(T.int64(16), ax2)
                                        T.block_attr({"rlx.rule": "team"})
                                        M_global[vi - i_fused_m // T.int64(8), vh - i_fused_m % T.int64(8)] = T.max(M_global[vi - i_fused_m // T.int64(8), vh - i_fused_m % T.int64(8)], M_rf_1[vpart, vi - i_fused_m // T.int64(8), vh - i_fused_m % T.int64(8)])
                                with T.block("M_global"):
                                    v0 = T.axis.spatial(n, i_fused_m // T.int64(8))
                                    v1 = T.axis.spatial(T.int64(8), i_fused_m % T.int64(8))
                                    M[v0 - i_fused_m // T.int64(8), v1 - i_fused_m % T.int64(8)] = M_global[v0 - i_fused_m // T.int64(8), v1 - i_fused_m % T.int64(8)]
                        for k_0 in range(T.int64(2)):
                            for k_1 in T.thread_binding(T.int64(256), thread="threadIdx.x"):
                                with T.block("E"):
                                    vi = T.axis.spatial(n, i_fused_m // T.int64(8))
                                    vh = T.axis.spatial(T.int64(8), i_fused_m % T.int64(8))
                                    vk = T.axis.spatial(T.int64(300), k_0 * T.int64(256) + k_1)
                                    T.where(k_0 * T.int64(256) + k_1 < T.int64(300))
                                    E[vi - i_fused_m // T.int64(8), vh - i_fused_m % T.int64(8), vk] = T.exp(X[vi, vh, vk] - M[vi - i_fused_m // T.int64(8), vh - i_fused_m % T.int64(8)])
                        for k_1 in T.thread_binding(T.int64(256), thread="threadIdx.x"):
                            with T.block("local_4"):
                                S_rf_global = T.alloc_buffer((T.int64(1), T.int64(1), T.int64(1)), scope="local")
                                with T.block("S_rf_init"):
                                    vi = T.axis.spatial(n, i_fused_m // T.int64(8))
                                    vh = T.axis.spatial(T.int64(8), i_fused_m % T.int64(8))
                                    vk_1 = T.axis.spatial(T.int64(256), k_1)
                                    S_rf_global[vk_1 - k_1, vi - i_fused_m // T.int64(8), vh - i_fused_m % T.int64(8)] = T.float32(0.0)
                                for k_0 in range(T.int64(2)):
                                    with T.block("S_rf_update"):
                                        vi = T.axis.spatial(n, i_fused_m // T.int64(8))
                                        vh = T.axis.spatial(T.int64(8), i_fused_m % T.int64(8))
                                        vk_1, vk_0 = T.axis.remap("SR", [k_1, k_0])
                                        if vk_0 * T.int64(256) + vk_1 < T.int64(300):
                                            S_rf_global[vk_1 - k_1, vi - i_fused_m // T.int64(8), vh - i_fused_m % T.int64(8)] = S_rf_global[vk_1 - k_1, vi - i_fused_m // T.int64(8), vh - i_fused_m % T.int64(8)] + E[vi - i_fused_m // T.int64(8), vh - i_fused_m % T.int64(8), vk_1 + vk_0 * T.int64(256)]
                                with T.block("S_rf_global"):
                                    v0 = T.axis.spatial(T.int64(256), k_1)
                                    v1 = T.axis.spatial(n, i_fused_m // T.int64(8))
                                    v2 = T.axis.spatial(T.int64(8), i_fused_m % T.int64(8))
                                    S_rf[v0, v1 - i_fused_m // T.int64(8), v2 - i_fused_m % T.int64(8)] = S_rf_global[v0 - k_1, v1 - i_fused_m // T.int64(8), v2 - i_fused_m % T.int64(8)]
                        for ax2_1 in T.thread_binding(T.int64(16), thread="threadIdx.x"):
                            with T.block("local_5"):
                                S_rf_global = T.alloc_buffer((T.int64(1), T.int64(1), T.int64(1)), scope="local")
                                with T.block("S_rf_init_1"):
                                    vi = T.axis.spatial(n, i_fused_m // T.int64(8))
                                    vh = T.axis.spatial(T.int64(8), i_fused_m % T.int64(8))
                                    vax2_1 = T.axis.spatial(T.int64(16), ax2_1)
                                    S_rf_global[vax2_1 - ax2_1, vi - i_fused_m // T.int64(8), vh - i_fused_m % T.int64(8)] = T.float32(0.0)
                                for ax2_0 in range(T.int64(16)):
                                    with T.block("S_rf_update_1"):
                                        vi = T.axis.spatial(n, i_fused_m // T.int64(8))
                                        vh = T.axis.spatial(T.int64(8), i_fused_m % T.int64(8))
                                        vax2_1, vax2_0 = T.axis.remap("SR", [ax2_1, ax2_0])
                                        S_rf_global[vax2_1 - ax2_1, vi - i_fused_m // T.int64(8), vh - i_fused_m % T.int64(8)] = S_rf_global[vax2_1 - ax2_1, vi - i_fused_m // T.int64(8), vh - i_fused_m % T.int64(8)] + S_rf[vax2_1 + vax2_0 * T.int64(16), vi - i_fused_m // T.int64(8), vh - i_fused_m % T.int64(8)]
                                with T.block("S_rf_global_1"):
                                    v0 = T.axis.spatial(T.int64(16), ax2_1)
                                    v1 = T.axis.spatial(n, i_fused_m // T.int64(8))
                                    v2 = T.axis.spatial(T.int64(8), i_fused_m % T.int64(8))
                                    S_rf_1[v0, v1 - i_fused_m // T.int64(8), v2 - i_fused_m % T.int64(8)] = S_rf_global[v0 - ax2_1, v1 - i_fused_m // T.int64(8), v2 - i_fused_m % T.int64(8)]
                        for u in T.thread_binding(T.int64(1), thread="threadIdx.x"):
                            with T.block("local_6"):
                                S_global = T.alloc_buffer((T.int64(1), T.int64(1)), scope="local")
                                with T.block("S_init"):
                                    vi = T.axis.spatial(n, i_fused_m // T.int64(8))
                                    vh = T.axis.spatial(T.int64(8), i_fused_m % T.int64(8))
                                    S_global[vi - i_fused_m // T.int64(8), vh - i_fused_m % T.int64(8)] = T.float32(0.0)
                                for ax2 in range(T.int64(16)):
                                    with T.block("S_update"):
                                        vi = T.axis.spatial(n, i_fused_m // T.int64(8))
                                        vh = T.axis.spatial(T.int64(8), i_fused_m % T.int64(8))
                                        vpart = T.axis.reduce(T.int64(16), ax2)
                                        S_global[vi - i_fused_m // T.int64(8), vh - i_fused_m % T.int64(8)] = S_global[vi - i_fused_m // T.int64(8), vh - i_fused_m % T.int64(8)] + S_rf_1[vpart, vi - i_fused_m // T.int64(8), vh - i_fused_m % T.int64(8)]
                                with T.block("S_global"):
                                    v0 = T.axis.spatial(n, i_fused_m // T.int64(8))
                                    v1 = T.axis.spatial(T.int64(8), i_fused_m % T.int64(8))
                                    S[v0 - i_fused_m // T.int64(8), v1 - i_fused_m % T.int64(8)] = S_global[v0 - i_fused_m // T.int64(8), v1 - i_fused_m % T.int64(8)]
                        for k_0 in range(T.int64(2)):
                            for k_1 in T.thread_binding(T.int64(256), thread="threadIdx.x"):
                                with T.block("Y"):
                                    vi = T.axis.spatial(n, i_fused_m // T.int64(8))
                                    vh = T.axis.spatial(T.int64(8), i_fused_m % T.int64(8))
                                    vk = T.axis.spatial(T.int64(300), k_0 * T.int64(256) + k_1)
                                    T.where(k_0 * T.int64(256) + k_1 < T.int64(300))
                                    T.block_attr({"rlx.operator": "rearrange sss"})
                                    Y[vi, vh, vk] = E[vi - i_fused_m // T.int64(8), vh - i_fused_m % T.int64(8), vk] / S[vi - i_fused_m // T.int64(8), vh - i_fused_m % T.int64(8)]

    @T.prim_func
    def total(a: T.handle, C: T.Buffer((), "float32")):
        T.func_attr({"target": "opencl", "op_pattern": 3})
        n = T.int64()
        A = T.match_buffer(a, (n,))
        with T.block("root"):
            with T.block("team"):
                for u_m in T.thread_binding(T.int64(1), thread="blockIdx.x"):
                    with T.block("local"):
                        C_rf = T.alloc_buffer((T.int64(256),), scope="shared")
                        C_rf_1 = T.alloc_buffer((T.int64(16),), scope="shared")
                        for k_1 in T.thread_binding(T.int64(256), thread="threadIdx.x"):
                            with T.block("local_1"):
                                C_rf_global = T.alloc_buffer((T.int64(1),), scope="local")
                                with T.block("C_rf_init"):
                                    vk_1 = T.axis.spatial(T.int64(256), k_1)
                                    T.block_attr({"rlx.rule": "team"})
                                    C_rf_global[vk_1 - k_1] = T.float32(0.0)
                                for k_0 in range((n + T.int64(255)) // T.int64(256)):
                                    with T.block("C_rf_update"):
                                        vk_1, vk_0 = T.axis.remap("SR", [k_1, k_0])
                                        T.block_attr({"rlx.rule": "team"})
                                        if vk_0 * T.int64(256) + vk_1 < n:
                                            C_rf_global[vk_1 - k_1] = C_rf_global[vk_1 - k_1] + A[vk_0 * T.int64(256) + vk_1]
                                with T.block("C_rf_global"):
                                    v0 = T.axis.spatial(T.int64(256), k_1)
                                    T.block_attr({"rlx.operator": "rearrange s"})
                                    C_rf[v0] = C_rf_global[v0 - k_1]
                        for ax0_1 in T.thread_binding(T.int64(16), thread="threadIdx.x"):
                            with T.block("local_2"):
                                C_rf_global = T.alloc_buffer((T.int64(1),), scope="local")
                                with T.block("C_rf_init_1"):
                                    vax0_1 = T.axis.spatial(T.int64(16), ax0_1)
                                    T.block_attr({"rlx.rule": "team"})
                                    C_rf_global[vax0_1 - ax0_1] = T.float32(0.0)
                                for ax0_0 in range(T.int64(16)):
                                    with T.block("C_rf_update_1"):
                                        vax0_1, vax0_0 = T.axis.remap("SR", [ax0_1, ax0_0])
                                        T.block_attr({"rlx.rule": "team"})
                                        C_rf_global[vax0_1 - ax0_1] = C_rf_global[vax0_1 - ax0_1] + C_rf[vax0_0 * T.int64(16) + vax0_1]
                                with T.block("C_rf_global_1"):
                                    v0 = T.axis.spatial(T.int64(16), ax0_1)
                                    T.block_attr({"rlx.operator": "rearrange s"})
                                    C_rf_1[v0] = C_rf_global[v0 - ax0_1]
                        for u in T.thread_binding(T.int64(1), thread="threadIdx.x"):
                            with T.block("local_3"):
                                C_global = T.alloc_buffer((), scope="local")
                                with T.block("C_init"):
                                    T.block_attr({"rlx.rule": "team"})
                                    C_global[()] = T.float32(0.0)
                                for ax0 in range(T.int64(16)):
                                    with T.block("C_update"):
                                        vpart = T.axis.reduce(T.int64(16), ax0)
                                        T.block_attr({"rlx.rule": "team"})
                                        C_global[()] = C_global[()] + C_rf_1[vpart]
                                with T.block("C_global"):
                                    C[()] = C_global[()]

    @R.function
    def main(a: R.Tensor(("n", 8, 300), dtype="float32", vdevice="opencl:0"), v: R.Tensor(("m",), dtype="float32", vdevice="opencl:0")) -> R.Tuple(R.Tensor(("n", 8, 300), dtype="float32", vdevice="opencl:0"), R.Tensor((), dtype="float32", vdevice="opencl:0")):
        n = T.int64()
        m = T.int64()
        R.func_attr({"relax.force_pure": True})
        cls = Module
        c: R.Tensor((n, 8, 300), dtype="float32", vdevice="opencl:0") = R.builtin.alloc_tensor(R.shape([n, 8, 300]), R.dtype("float32"), R.prim_value(1), R.str("global"))
        _: R.Tuple = cls.soft(a, c)
        f: R.Tensor((), dtype="float32", vdevice="opencl:0") = R.builtin.alloc_tensor(R.shape([]), R.dtype("float32"), R.prim_value(1), R.str("global"))
        _: R.Tuple = cls.total(v, f)
        return (c, f)
