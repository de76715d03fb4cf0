# ==== few_rows
# A product of one row: threads for columns, and for parts of the terms, which one of them adds up.
@I.ir_module
class Module:
    @T.prim_func
    def product(A: T.Buffer((T.int64(1), T.int64(300)), "float32"), B: T.Buffer((T.int64(300), T.int64(48)), "float32"), C: T.Buffer((T.int64(1), T.int64(48)), "float32")):
        T.func_attr({"target": "cuda"})
        for i, j, k in T.grid(T.int64(1), T.int64(48), T.int64(300)):
            with T.block("C"):
                vi, vj, vk = T.axis.remap("SSR", [i, j, k])
                with T.init():
                    C[vi, vj] = T.float32(0)
                C[vi, vj] = C[vi, vj] + A[vi, vk] * B[vk, vj]

    @T.prim_func
    def apart(a: T.handle, c: T.handle):
        T.func_attr({"target": "opencl"})
        n = T.int64()
        A = T.match_buffer(a, (n, T.int64(48)))
        C = T.match_buffer(c, (T.int64(48),))
        for j, k in T.grid(T.int64(48), n):
            with T.block("C"):
                vj, vk = T.axis.remap("SR", [j, k])
                with T.init():
                    C[vj] = T.float32(0)
                C[vj] = C[vj] + A[vk, vj]

    @R.function
    def main(a: R.Tensor((1, 300), "float32"), b: R.Tensor((300, 48), "float32"), x: R.Tensor(("n", 48), "float32")):
        cls = Module
        with R.dataflow():
            c = R.call_tir(cls.product, (a, b), out_sinfo=R.Tensor((1, 48), "float32"))
            d = R.call_tir(cls.apart, (x,), out_sinfo=R.Tensor((48,), "float32"))
            R.output(c, d)
        return (c, d)
# ---- expected
# from tvm.script import ir as I
# from tvm.script import tir as T
# from tvm.script import relax as R

@I.ir_module
class Module:
    I.module_global_infos({"vdevice": [I.vdevice("llvm", 0, "global"), I.vdevice("cuda", 0, "global"), I.vdevice("opencl", 0, "global")]})
    @T.prim_func
    def product(A: T.Buffer((T.int64(1), T.int64(300)), "float32"), B: T.Buffer((T.int64(300), T.int64(48)), "float32"), C: T.Buffer((T.int64(1), T.int64(48)), "float32")):
        T.func_attr({"target": "cuda", "op_pattern": 4})
        with T.block("root"):
            with T.block("columns"):
                for i_fused_m in T.thread_binding(T.int64(2), thread="blockIdx.x"):
                    with T.block("local"):
                        C_rf = T.alloc_buffer((T.int64(8), T.int64(1), T.int64(32)), scope="shared")
                        for j_1 in T.thread_binding(T.int64(32), thread="threadIdx.x"):
                            for k_1 in T.thread_binding(T.int64(8), thread="threadIdx.y"):
                                with T.block("local_1"):
                                    C_rf_global = T.alloc_buffer((T.int64(1), T.int64(1), T.int64(1)), scope="local")
                                    with T.block("C_rf_init"):
                                        vi = T.axis.spatial(T.int64(1), T.int64(0))
                                        vj = T.axis.spatial(T.int64(48), j_1 + i_fused_m * T.int64(32))
                                        vk_1 = T.axis.spatial(T.int64(8), k_1)
                                        T.where(j_1 + i_fused_m * T.int64(32) < T.int64(48))
                                        T.block_attr({"rlx.rule": "columns"})
                                        C_rf_global[vk_1 - k_1, vi, vj - j_1 - i_fused_m * T.int64(32)] = T.float32(0.0)
                                    for k_0 in range(T.int64(38)):
                                        with T.block("C_rf_update"):
                                            vi = T.axis.spatial(T.int64(1), T.int64(0))
                                            vj = T.axis.spatial(T.int64(48), j_1 + i_fused_m * T.int64(32))
                                            vk_1, vk_0 = T.axis.remap("SR", [k_1, k_0])
                                            T.where(j_1 + i_fused_m * T.int64(32) < T.int64(48))
                                            T.block_attr({"rlx.rule": "columns"})
                                            if vk_0 * T.int64(8) + vk_1 < T.int64(300):
                                                C_rf_global[vk_1 - k_1, vi, vj - j_1 - i_fused_m * T.int64(32)] = C_rf_global[vk_1 - k_1, vi, vj - j_1 - i_fused_m * T.int64(32)] + A[vi, vk_0 * T.int64(8) + vk_1] * B[vk_0 * T.int64(8) + vk_1, vj]
                                    with T.block("C_rf_global"):
                                        v0 = T.axis.spatial(T.int64(8), k_1)
                                        v1 = T.axis.spatial(T.int64(1), T.int64(0))
                                        v2 = T.axis.spatial(T.int64(48), j_1 + i_fused_m * T.int64(32))
                                        T.where(j_1 + i_fused_m * T.int64(32) < T.int64(48))
                                        C_rf[v0, v1, v2 - i_fused_m * T.int64(32)] = C_rf_global[v0 - k_1, v1, v2 - j_1 - i_fused_m * T.int64(32)]
                        for ax1_1 in T.thread_binding(T.int64(32), thread="threadIdx.x"):
                            for u in T.thread_binding(T.int64(1), thread="threadIdx.y"):
                                with T.block("local_2"):
                                    C_global = T.alloc_buffer((T.int64(1), T.int64(1)), scope="local")
                                    with T.block("C_init"):
                                        vi = T.axis.spatial(T.int64(1), T.int64(0))
                                        vj = T.axis.spatial(T.int64(48), ax1_1 + i_fused_m * T.int64(32))
                                        T.where(ax1_1 + i_fused_m * T.int64(32) < T.int64(48))
                                        T.block_attr({"rlx.rule": "columns"})
                                        C_global[vi, vj - ax1_1 - i_fused_m * T.int64(32)] = T.float32(0.0)
                                    for ax2 in range(T.int64(8)):
                                        with T.block("C_update"):
                                            vi = T.axis.spatial(T.int64(1), T.int64(0))
                                            vj = T.axis.spatial(T.int64(48), ax1_1 + i_fused_m * T.int64(32))
                                            vpart = T.axis.reduce(T.int64(8), ax2)
                                            T.where(ax1_1 + i_fused_m * T.int64(32) < T.int64(48))
                                            T.block_attr({"rlx.rule": "columns"})
                                            C_global[vi, vj - ax1_1 - i_fused_m * T.int64(32)] = C_global[vi, vj - ax1_1 - i_fused_m * T.int64(32)] + C_rf[vpart, vi, vj - i_fused_m * T.int64(32)]
                                    with T.block("C_global"):
                                        v0 = T.axis.spatial(T.int64(1), T.int64(0))
                                        v1 = T.axis.spatial(T.int64(48), ax1_1 + i_fused_m * T.int64(32))
                                        T.where(ax1_1 + i_fused_m * T.int64(32) < T.int64(48))
                                        T.block_attr({"rlx.operator": "rearrange ss"})
                                        C[v0, v1] = C_global[v0, v1 - ax1_1 - i_fused_m * T.int64(32)]

    @T.prim_func
    def apart(a: T.handle, C: T.Buffer((T.int64(48),), "float32")):
        T.func_attr({"target": "opencl", "op_pattern": 3})
        n = T.int64()
        A = T.match_buffer(a, (n, T.int64(48)))
        with T.block("root"):
            with T.block("columns"):
                for j_0 in T.thread_binding(T.int64(1), thread="blockIdx.x"):
                    for j_1 in T.thread_binding(T.int64(64), thread="threadIdx.x"):
                        with T.block("local"):
                            C_global = T.alloc_buffer((T.int64(1),), scope="local")
                            with T.block("C_init"):
                                vj = T.axis.spatial(T.int64(48), j_0 * T.int64(64) + j_1)
                                T.where(j_0 * T.int64(64) + j_1 < T.int64(48))
                                T.block_attr({"rlx.rule": "columns"})
                                C_global[vj - j_0 * T.int64(64) - j_1] = T.float32(0.0)
                            for k in range(n):
                                with T.block("C_update"):
                                    vj = T.axis.spatial(T.int64(48), j_0 * T.int64(64) + j_1)
                                    vk = T.axis.reduce(n, k)
                                    T.where(j_0 * T.int64(64) + j_1 < T.int64(48))
                                    T.block_attr({"rlx.rule": "columns"})
                                    C_global[vj - j_0 * T.int64(64) - j_1] = C_global[vj - j_0 * T.int64(64) - j_1] + A[vk, vj]
                            with T.block("C_global"):
                                v0 = T.axis.spatial(T.int64(48), j_0 * T.int64(64) + j_1)
                                T.where(j_0 * T.int64(64) + j_1 < T.int64(48))
                                T.block_attr({"rlx.operator": "rearrange s"})
                                C[v0] = C_global[v0 - j_0 * T.int64(64) - j_1]

    @R.function
    def main(a: R.Tensor((1, 300), dtype="float32", vdevice="cuda:0"), b: R.Tensor((300, 48), dtype="float32", vdevice="cuda:0"), x: R.Tensor(("n", 48), dtype="float32", vdevice="opencl:0")) -> R.Tuple(R.Tensor((1, 48), dtype="float32", vdevice="cuda:0"), R.Tensor((48,), dtype="float32", vdevice="opencl:0")):
        n = T.int64()
        R.func_attr({"relax.force_pure": True})
        cls = Module
        c: R.Tensor((1, 48), dtype="float32", vdevice="cuda:0") = R.builtin.alloc_tensor(R.shape([1, 48]), R.dtype("float32"), R.prim_value(1), R.str("global"))
        _: R.Tuple = cls.product(a, b, c)
        d: R.Tensor((48,), dtype="float32", vdevice="opencl:0") = R.builtin.alloc_tensor(R.shape([48]), R.dtype("float32"), R.prim_value(2), R.str("global"))
        _: R.Tuple = cls.apart(x, d)
        return (c, d)
