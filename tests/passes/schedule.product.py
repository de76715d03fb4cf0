# ==== epilogue
# A product with its epilogue: tiles of rows and columns, the terms in pieces through shared memory.
@I.ir_module
class Module:
    @T.prim_func
    def product(a: T.handle, b: T.handle, c: T.handle):
        T.func_attr({"target": "opencl"})
        n = T.int64()
        A = T.match_buffer(a, (n, T.int64(64)))
        B = T.match_buffer(b, (T.int64(48), T.int64(64)))
        C = T.match_buffer(c, (n, T.int64(48)))
        P = T.alloc_buffer((n, T.int64(48)))
        for i, j, k in T.grid(n, T.int64(48), T.int64(64)):
            with T.block("P"):
                vi, vj, vk = T.axis.remap("SSR", [i, j, k])
                with T.init():
                    P[vi, vj] = T.float32(0)
                P[vi, vj] = P[vi, vj] + A[vi, vk] * B[vj, vk]
        for i, j in T.grid(n, T.int64(48)):
            with T.block("C"):
                vi, vj = T.axis.remap("SS", [i, j])
                C[vi, vj] = T.max(P[vi, vj], T.float32(0))

    @R.function
    def main(a: R.Tensor(("n", 64), "float32"), b: R.Tensor((48, 64), "float32")):
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
    I.module_global_infos({"vdevice": [I.vdevice("llvm", 0, "global"), I.vdevice("opencl", 0, "global")]})
    @T.prim_func
    def product(a: T.handle, B: T.Buffer((T.int64(48), T.int64(64)), "float32"), c: T.handle):
        T.func_attr({"target": "opencl", "op_pattern": 4})
        n = T.int64()
        A = T.match_buffer(a, (n, T.int64(64)))
        C = T.match_buffer(c, (n, T.int64(48)))
        with T.block("root"):
            with T.block("product"):
                for m_0 in T.thread_binding((n + T.int64(7)) // T.int64(8), thread="blockIdx.y"):
                    for n_0 in T.thread_binding(T.int64(1), thread="blockIdx.x"):
                        with T.block("local_1"):
                            P = T.alloc_buffer((T.int64(8), T.int64(64)), scope="local")
                            for m_1 in T.thread_binding(T.int64(1), thread="threadIdx.y"):
                                for n_2 in T.thread_binding(T.int64(64), thread="threadIdx.x"):
                                    for m_2 in T.unroll(T.int64(8)):
                                        for n_1 in T.unroll(T.int64(1)):
                                            with T.block("P_init"):
                                                vm = T.axis.spatial((n + T.int64(7)) // T.int64(8) * T.int64(8), m_0 * T.int64(8) + m_2 + m_1 * T.int64(8))
                                                vn = T.axis.spatial(T.int64(64), n_0 * T.int64(64) + n_1 * T.int64(64) + n_2)
                                                P[vm - m_0 * T.int64(8), vn] = T.float32(0.0)
                            for k_0 in range(T.int64(4)):
                                with T.block("local"):
                                    P_x = T.alloc_buffer((T.int64(8), T.int64(16)), scope="shared")
                                    P_w = T.alloc_buffer((T.int64(16), T.int64(64)), scope="shared")
                                    for ax0_fused_0 in range(T.int64(2)):
                                        for ax0_fused_1 in T.thread_binding(T.int64(1), thread="threadIdx.y"):
                                            for ax0_fused_2 in T.thread_binding(T.int64(64), thread="threadIdx.x"):
                                                with T.block("P_x"):
                                                    vm = T.axis.spatial((n + T.int64(7)) // T.int64(8) * T.int64(8), m_0 * T.int64(8) + ax0_fused_0 * T.int64(4) + ax0_fused_1 * T.int64(4) + ax0_fused_2 // T.int64(16))
                                                    vk = T.axis.spatial(T.int64(64), k_0 * T.int64(16) + ax0_fused_2 % T.int64(16))
                                                    P_x[vm - m_0 * T.int64(8), vk - k_0 * T.int64(16)] = T.if_then_else(vm < n, A[vm, vk], T.float32(0.0))
                                    for ax0_fused_0 in range(T.int64(16)):
                                        for ax0_fused_1 in T.thread_binding(T.int64(1), thread="threadIdx.y"):
                                            for ax0_fused_2 in T.thread_binding(T.int64(64), thread="threadIdx.x"):
                                                with T.block("P_w"):
                                                    vk = T.axis.spatial(T.int64(64), k_0 * T.int64(16) + ax0_fused_0 + ax0_fused_1)
                                                    vn = T.axis.spatial(T.int64(64), ax0_fused_2)
                                                    P_w[vk - k_0 * T.int64(16), vn] = T.if_then_else(vn < T.int64(48), B[vn, vk], T.float32(0.0))
                                    for m_1 in T.thread_binding(T.int64(1), thread="threadIdx.y"):
                                        for n_2 in T.thread_binding(T.int64(64), thread="threadIdx.x"):
                                            for k_1 in T.unroll(T.int64(16)):
                                                for m_2 in T.unroll(T.int64(8)):
                                                    for n_1 in T.unroll(T.int64(1)):
                                                        with T.block("P_update"):
                                                            vm = T.axis.spatial((n + T.int64(7)) // T.int64(8) * T.int64(8), m_0 * T.int64(8) + m_1 * T.int64(8) + m_2)
                                                            vn = T.axis.spatial(T.int64(64), n_0 * T.int64(64) + n_1 * T.int64(64) + n_2)
                                                            vk = T.axis.reduce(T.int64(64), k_0 * T.int64(16) + k_1)
                                                            P[vm - m_0 * T.int64(8), vn] = P[vm - m_0 * T.int64(8), vn] + P_x[vm - m_0 * T.int64(8), vk - k_0 * T.int64(16)] * P_w[vk - k_0 * T.int64(16), vn]
                            for ax0_0 in T.thread_binding(T.int64(1), thread="threadIdx.y"):
                                for ax1_1 in T.thread_binding(T.int64(64), thread="threadIdx.x"):
                                    for ax0_1 in T.unroll(T.int64(8)):
                                        for ax1_0 in T.unroll(T.int64(1)):
                                            with T.block("P_out"):
                                                vm = T.axis.spatial(n, m_0 * T.int64(8) + ax0_0 * T.int64(8) + ax0_1)
                                                vn = T.axis.spatial(T.int64(48), ax1_0 * T.int64(64) + ax1_1)
                                                T.where(m_0 * T.int64(8) + ax0_0 * T.int64(8) + ax0_1 < n and ax1_0 * T.int64(64) + ax1_1 < T.int64(48))
                                                T.block_attr({"rlx.operator": "rearrange ss"})
                                                C[vm, vn] = T.max(P[vm - m_0 * T.int64(8), vn], T.float32(0.0))

    @R.function
    def main(a: R.Tensor(("n", 64), dtype="float32", vdevice="opencl:0"), b: R.Tensor((48, 64), dtype="float32", vdevice="opencl:0")) -> R.Tensor(("n", 48), dtype="float32", vdevice="opencl:0"):
        n = T.int64()
        R.func_attr({"relax.force_pure": True})
        cls = Module
        c: R.Tensor((n, 48), dtype="float32", vdevice="opencl:0") = R.builtin.alloc_tensor(R.shape([n, 48]), R.dtype("float32"), R.prim_value(1), R.str("global"))
        _: R.Tuple = cls.product(a, b, c)
        return c

# ==== groups
# A convolution in groups is a product of each group: its batch.
@I.ir_module
class Module:
    I.module_global_infos({"vdevice": [I.vdevice("llvm"), I.vdevice("opencl")]})

    @R.function
    def main(x: R.Tensor((1, 64, 18, 18), "float32", "opencl:0"), w: R.Tensor((64, 16, 3, 3), "float32", "opencl:0")):
        with R.dataflow():
            y = R.nn.conv2d(x, w, groups=4)
            R.output(y)
        return y
# ---- expected
# from tvm.script import ir as I
# from tvm.script import tir as T
# from tvm.script import relax as R

@I.ir_module
class Module:
    I.module_global_infos({"vdevice": [I.vdevice("llvm", 0, "global"), I.vdevice("opencl", 0, "global")]})
    @R.function
    def main(x: R.Tensor((1, 64, 18, 18), dtype="float32", vdevice="opencl:0"), w: R.Tensor((64, 16, 3, 3), dtype="float32", vdevice="opencl:0")) -> R.Tensor((1, 64, 16, 16), dtype="float32", vdevice="opencl:0"):
        R.func_attr({"relax.force_pure": True})
        cls = Module
        y: R.Tensor((1, 64, 16, 16), dtype="float32", vdevice="opencl:0") = R.builtin.alloc_tensor(R.shape([1, 64, 16, 16]), R.dtype("float32"), R.prim_value(1), R.str("global"))
        _: R.Tuple = cls.conv2d(x, w, y)
        return y

    @T.prim_func(private=True)
    def conv2d(x: T.Buffer((T.int64(1), T.int64(64), T.int64(18), T.int64(18)), "float32"), w: T.Buffer((T.int64(64), T.int64(16), T.int64(3), T.int64(3)), "float32"), conv2d: T.Buffer((T.int64(1), T.int64(64), T.int64(16), T.int64(16)), "float32")):
        T.func_attr({"op_pattern": 4, "tir.noalias": T.bool(True), "target": "opencl"})
        with T.block("root"):
            with T.block("product"):
                for b in T.thread_binding(T.int64(4), thread="blockIdx.z"):
                    for m_0 in T.thread_binding(T.int64(32), thread="blockIdx.y"):
                        for n_0 in T.thread_binding(T.int64(1), thread="blockIdx.x"):
                            with T.block("local_1"):
                                conv2d_1 = T.alloc_buffer((T.int64(1), T.int64(8), T.int64(64)), scope="local")
                                for m_1 in T.thread_binding(T.int64(1), thread="threadIdx.y"):
                                    for n_2 in T.thread_binding(T.int64(64), thread="threadIdx.x"):
                                        for m_2 in T.unroll(T.int64(8)):
                                            for n_1 in T.unroll(T.int64(1)):
                                                with T.block("conv2d_init"):
                                                    vb = T.axis.spatial(T.int64(4), b)
                                                    vm = T.axis.spatial(T.int64(256), m_0 * T.int64(8) + m_2 + m_1 * T.int64(8))
                                                    vn = T.axis.spatial(T.int64(64), n_0 * T.int64(64) + n_1 * T.int64(64) + n_2)
                                                    conv2d_1[vb - b, vm - m_0 * T.int64(8), vn] = T.float32(0.0)
                                for k_0 in range(T.int64(9)):
                                    with T.block("local"):
                                        conv2d_x = T.alloc_buffer((T.int64(1), T.int64(8), T.int64(16)), scope="shared")
                                        conv2d_w = T.alloc_buffer((T.int64(1), T.int64(16), T.int64(64)), scope="shared")
                                        for ax1_fused_0 in range(T.int64(2)):
                                            for ax1_fused_1 in T.thread_binding(T.int64(1), thread="threadIdx.y"):
                                                for ax1_fused_2 in T.thread_binding(T.int64(64), thread="threadIdx.x"):
                                                    with T.block("conv2d_x"):
                                                        vb = T.axis.spatial(T.int64(4), b)
                                                        vm = T.axis.spatial(T.int64(256), m_0 * T.int64(8) + ax1_fused_0 * T.int64(4) + ax1_fused_1 * T.int64(4) + ax1_fused_2 // T.int64(16))
                                                        vk = T.axis.spatial(T.int64(144), k_0 * T.int64(16) + ax1_fused_2 % T.int64(16))
                                                        conv2d_x[vb - b, vm - m_0 * T.int64(8), vk - k_0 * T.int64(16)] = x[T.int64(0), vb * T.int64(16) + vk // T.int64(9), vm // T.int64(16) + vk // T.int64(3) % T.int64(3), vm % T.int64(16) + vk % T.int64(3)]
                                        for ax1_fused_0 in range(T.int64(16)):
                                            for ax1_fused_1 in T.thread_binding(T.int64(1), thread="threadIdx.y"):
                                                for ax1_fused_2 in T.thread_binding(T.int64(64), thread="threadIdx.x"):
                                                    with T.block("conv2d_w"):
                                                        vb = T.axis.spatial(T.int64(4), b)
                                                        vk = T.axis.spatial(T.int64(144), k_0 * T.int64(16) + ax1_fused_0 + ax1_fused_1)
                                                        vn = T.axis.spatial(T.int64(64), ax1_fused_2)
                                                        conv2d_w[vb - b, vk - k_0 * T.int64(16), vn] = T.if_then_else(vn < T.int64(16), w[vb * T.int64(16) + vn, vk // T.int64(9), vk // T.int64(3) % T.int64(3), vk % T.int64(3)], T.float32(0.0))
                                        for m_1 in T.thread_binding(T.int64(1), thread="threadIdx.y"):
                                            for n_2 in T.thread_binding(T.int64(64), thread="threadIdx.x"):
                                                for k_1 in T.unroll(T.int64(16)):
                                                    for m_2 in T.unroll(T.int64(8)):
                                                        for n_1 in T.unroll(T.int64(1)):
                                                            with T.block("conv2d_update"):
                                                                vb = T.axis.spatial(T.int64(4), b)
                                                                vm = T.axis.spatial(T.int64(256), m_0 * T.int64(8) + m_1 * T.int64(8) + m_2)
                                                                vn = T.axis.spatial(T.int64(64), n_0 * T.int64(64) + n_1 * T.int64(64) + n_2)
                                                                vk = T.axis.reduce(T.int64(144), k_0 * T.int64(16) + k_1)
                                                                conv2d_1[vb - b, vm - m_0 * T.int64(8), vn] = conv2d_1[vb - b, vm - m_0 * T.int64(8), vn] + conv2d_x[vb - b, vm - m_0 * T.int64(8), vk - k_0 * T.int64(16)] * conv2d_w[vb - b, vk - k_0 * T.int64(16), vn]
                                for ax1_0 in T.thread_binding(T.int64(1), thread="threadIdx.y"):
                                    for ax2_1 in T.thread_binding(T.int64(64), thread="threadIdx.x"):
                                        for ax1_1 in T.unroll(T.int64(8)):
                                            for ax2_0 in T.unroll(T.int64(1)):
                                                with T.block("conv2d_out"):
                                                    vb = T.axis.spatial(T.int64(4), b)
                                                    vm = T.axis.spatial(T.int64(256), m_0 * T.int64(8) + ax1_0 * T.int64(8) + ax1_1)
                                                    vn = T.axis.spatial(T.int64(16), ax2_0 * T.int64(64) + ax2_1)
                                                    T.where(ax2_0 * T.int64(64) + ax2_1 < T.int64(16))
                                                    conv2d[T.int64(0), vb * T.int64(16) + vn, vm // T.int64(16), vm % T.int64(16)] = conv2d_1[vb - b, vm - m_0 * T.int64(8), vn]
