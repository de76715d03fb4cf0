# ==== epilogue
# A product of float16 with its epilogue: fragments of tensor cores, the terms in pieces through shared memory.
@I.ir_module
class Module:
    @T.prim_func
    def product(a: T.handle, b: T.handle, c: T.handle):
        T.func_attr({"target": "cuda"})
        n = T.int64()
        A = T.match_buffer(a, (n, T.int64(64)), "float16")
        B = T.match_buffer(b, (T.int64(48), T.int64(64)), "float16")
        C = T.match_buffer(c, (n, T.int64(48)))
        P = T.alloc_buffer((n, T.int64(48)))
        for i, j, k in T.grid(n, T.int64(48), T.int64(64)):
            with T.block("P"):
                vi, vj, vk = T.axis.remap("SSR", [i, j, k])
                with T.init():
                    P[vi, vj] = T.float32(0)
                P[vi, vj] = P[vi, vj] + T.Cast("float32", A[vi, vk]) * T.Cast("float32", B[vj, vk])
        for i, j in T.grid(n, T.int64(48)):
            with T.block("C"):
                vi, vj = T.axis.remap("SS", [i, j])
                C[vi, vj] = T.max(P[vi, vj], T.float32(0))

    @R.function
    def main(a: R.Tensor(("n", 64), "float16"), b: R.Tensor((48, 64), "float16")):
        n = T.int64()
        cls = Module
        with R.dataflow():
            c = R.call_tir(cls.product, (a, b), out_sinfo=R.Tensor((n, 48), "float32"))
            R.output(c)
        return c
# ---- expected
# from tvm.script import ir as I
# from tvm.script import tir as T
# from tvm.script import relax as R

@I.ir_module
class Module:
    I.module_global_infos({"vdevice": [I.vdevice("llvm", 0, "global"), I.vdevice("cuda", 0, "global")]})
    @T.prim_func
    def product(a: T.handle, B: T.Buffer((T.int64(48), T.int64(64)), "float16"), c: T.handle):
        T.func_attr({"target": "cuda", "op_pattern": 4})
        n = T.int64()
        A = T.match_buffer(a, (n, T.int64(64)), "float16")
        C = T.match_buffer(c, (n, T.int64(48)))
        with T.block("root"):
            with T.block("tensor"):
                for m_0 in T.thread_binding((n + T.int64(31)) // T.int64(32), thread="blockIdx.y"):
                    for n_0 in T.thread_binding(T.int64(2), thread="blockIdx.x"):
                        with T.block("local_1"):
                            P = T.alloc_buffer((T.int64(2), T.int64(4), T.int64(32), T.int64(4)), scope="local")
                            for m_1 in T.thread_binding(T.int64(2), thread="threadIdx.z"):
                                for n_1 in T.thread_binding(T.int64(2), thread="threadIdx.y"):
                                    for l in T.thread_binding(T.int64(32), thread="threadIdx.x"):
                                        for m_2 in T.unroll(T.int64(1)):
                                            for n_2 in T.unroll(T.int64(2)):
                                                with T.block("P_init"):
                                                    vm = T.axis.spatial((n + T.int64(31)) // T.int64(32) * T.int64(2), m_0 * T.int64(2) + m_2 + m_1)
                                                    vn = T.axis.spatial(T.int64(8), n_0 * T.int64(4) + n_2 + n_1 * T.int64(2))
                                                    vl = T.axis.spatial(T.int64(32), l)
                                                    P[vm - m_0 * T.int64(2), vn - n_0 * T.int64(4), vl, T.int64(0)] = T.float32(0.0)
                                                    P[vm - m_0 * T.int64(2), vn - n_0 * T.int64(4), vl, T.int64(1)] = T.float32(0.0)
                                                    P[vm - m_0 * T.int64(2), vn - n_0 * T.int64(4), vl, T.int64(2)] = T.float32(0.0)
                                                    P[vm - m_0 * T.int64(2), vn - n_0 * T.int64(4), vl, T.int64(3)] = T.float32(0.0)
                            for k_0 in range(T.int64(2)):
                                with T.block("local"):
                                    P_x = T.alloc_buffer((T.int64(2), T.int64(2), T.int64(32), T.int64(8)), "float16", scope="shared")
                                    P_w = T.alloc_buffer((T.int64(4), T.int64(2), T.int64(32), T.int64(4)), "float16", scope="shared")
                                    for ax0_fused_0 in range(T.int64(4)):
                                        for ax0_fused_1 in T.thread_binding(T.int64(2), thread="threadIdx.z"):
                                            for ax0_fused_2 in T.thread_binding(T.int64(2), thread="threadIdx.y"):
                                                for ax0_fused_3 in T.thread_binding(T.int64(32), thread="threadIdx.x"):
                                                    for ax0_fused_4 in T.unroll(T.int64(2)):
                                                        with T.block("P_x"):
                                                            vm = T.axis.spatial((n + T.int64(31)) // T.int64(32) * T.int64(2), m_0 * T.int64(2) + ax0_fused_0 // T.int64(2))
                                                            vk = T.axis.spatial(T.int64(4), k_0 * T.int64(2) + ax0_fused_0 % T.int64(2))
                                                            vl = T.axis.spatial(T.int64(32), ax0_fused_1 * T.int64(16) + ax0_fused_2 * T.int64(8) + ax0_fused_3 // T.int64(4))
                                                            vi = T.axis.spatial(T.int64(8), ax0_fused_4 + ax0_fused_3 % T.int64(4) * T.int64(2))
                                                            P_x[vm - m_0 * T.int64(2), vk - k_0 * T.int64(2), vl, vi] = T.if_then_else(vm * T.int64(16) + (vi // T.int64(2) % T.int64(2) * T.int64(8) + vl // T.int64(4)) < n, A[vm * T.int64(16) + vl // T.int64(4) + vi // T.int64(2) % T.int64(2) * T.int64(8), vk * T.int64(16) + vi // T.int64(4) * T.int64(8) + vl % T.int64(4) * T.int64(2) + vi % T.int64(2)], T.float16(0.0))
                                    for ax0_fused_0 in range(T.int64(4)):
                                        for ax0_fused_1 in T.thread_binding(T.int64(2), thread="threadIdx.z"):
                                            for ax0_fused_2 in T.thread_binding(T.int64(2), thread="threadIdx.y"):
                                                for ax0_fused_3 in T.thread_binding(T.int64(32), thread="threadIdx.x"):
                                                    for ax0_fused_4 in T.unroll(T.int64(2)):
                                                        with T.block("P_w"):
                                                            vn = T.axis.spatial(T.int64(8), n_0 * T.int64(4) + ax0_fused_0)
                                                            vk = T.axis.spatial(T.int64(4), k_0 * T.int64(2) + ax0_fused_1)
                                                            vl = T.axis.spatial(T.int64(32), ax0_fused_2 * T.int64(16) + ax0_fused_3 // T.int64(2))
                                                            vi = T.axis.spatial(T.int64(4), ax0_fused_4 + ax0_fused_3 % T.int64(2) * T.int64(2))
                                                            P_w[vn - n_0 * T.int64(4), vk - k_0 * T.int64(2), vl, vi] = T.if_then_else(vn * T.int64(8) + vl // T.int64(4) < T.int64(48), B[vn * T.int64(8) + vl // T.int64(4), vk * T.int64(16) + vi + vi // T.int64(2) * T.int64(6) + vl % T.int64(4) * T.int64(2)], T.float16(0.0))
                                    for m_1 in T.thread_binding(T.int64(2), thread="threadIdx.z"):
                                        for n_1 in T.thread_binding(T.int64(2), thread="threadIdx.y"):
                                            for l in T.thread_binding(T.int64(32), thread="threadIdx.x"):
                                                for k_1 in T.unroll(T.int64(2)):
                                                    for m_2 in T.unroll(T.int64(1)):
                                                        for n_2 in T.unroll(T.int64(2)):
                                                            with T.block("P_update"):
                                                                vm = T.axis.spatial((n + T.int64(31)) // T.int64(32) * T.int64(2), m_0 * T.int64(2) + m_1 + m_2)
                                                                vn = T.axis.spatial(T.int64(8), n_0 * T.int64(4) + n_1 * T.int64(2) + n_2)
                                                                vk = T.axis.reduce(T.int64(4), k_0 * T.int64(2) + k_1)
                                                                vl = T.axis.spatial(T.int64(32), l)
                                                                T.ptx_mma("float32", "m16n8k16", "row", "col", "fp16", "fp16", "fp32", T.address_of(P_x[vm - m_0 * T.int64(2), vk - k_0 * T.int64(2), vl, T.int64(0)]), T.int64(0), T.address_of(P_w[vn - n_0 * T.int64(4), vk - k_0 * T.int64(2), vl, T.int64(0)]), T.int64(0), T.address_of(P[vm - m_0 * T.int64(2), vn - n_0 * T.int64(4), vl, T.int64(0)]), T.int64(0), T.bool(False))
                            for ax0_0 in T.thread_binding(T.int64(2), thread="threadIdx.z"):
                                for ax1_0 in T.thread_binding(T.int64(2), thread="threadIdx.y"):
                                    for ax2 in T.thread_binding(T.int64(32), thread="threadIdx.x"):
                                        for ax0_1 in T.unroll(T.int64(1)):
                                            for ax1_1 in T.unroll(T.int64(2)):
                                                for ax3 in T.unroll(T.int64(4)):
                                                    with T.block("P_out"):
                                                        vm = T.axis.spatial((n + T.int64(31)) // T.int64(32) * T.int64(2), m_0 * T.int64(2) + ax0_0 + ax0_1)
                                                        vn = T.axis.spatial(T.int64(8), n_0 * T.int64(4) + ax1_0 * T.int64(2) + ax1_1)
                                                        vl, vi = T.axis.remap("SS", [ax2, ax3])
                                                        if vm * T.int64(16) + (vi // T.int64(2) * T.int64(8) + vl // T.int64(4)) < n and vn * T.int64(8) + (vl % T.int64(4) * T.int64(2) + vi % T.int64(2)) < T.int64(48):
                                                            C[vm * T.int64(16) + vl // T.int64(4) + vi // T.int64(2) * T.int64(8), vn * T.int64(8) + vl % T.int64(4) * T.int64(2) + vi % T.int64(2)] = T.max(P[vm - m_0 * T.int64(2), vn - n_0 * T.int64(4), vl, vi], T.float32(0.0))

    @R.function
    def main(a: R.Tensor(("n", 64), dtype="float16", vdevice="cuda:0"), b: R.Tensor((48, 64), dtype="float16", vdevice="cuda:0")) -> R.Tensor(("n", 48), dtype="float32", vdevice="cuda:0"):
        n = T.int64()
        R.func_attr({"relax.force_pure": True})
        cls = Module
        c: R.Tensor((n, 48), dtype="float32", vdevice="cuda:0") = R.builtin.alloc_tensor(R.shape([n, 48]), R.dtype("float32"), R.prim_value(1), R.str("global"))
        _: R.Tuple = cls.product(a, b, c)
        return c
