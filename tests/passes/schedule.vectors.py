# ==== rows
# Products on a device that is a CPU: tiles of vectors in registers, factors read in place, the epilogue on the tile. The rows are two axes,
# of which one has one turn, and the columns are two axes whose last fills vectors.
@I.ir_module
class Module:
    @T.prim_func
    def product(a: T.handle, b: T.handle, c: T.handle):
        T.func_attr({"target": "opencl -device=cpu -vector-width=256"})
        n = T.int64()
        A = T.match_buffer(a, (T.int64(1), n, T.int64(64)))
        B = T.match_buffer(b, (T.int64(3), T.int64(64), T.int64(48)))
        C = T.match_buffer(c, (T.int64(3), T.int64(1), n, T.int64(48)))
        P = T.alloc_buffer((T.int64(3), T.int64(1), n, T.int64(48)))
        for h, g, i, j, k in T.grid(T.int64(3), T.int64(1), n, T.int64(48), T.int64(64)):
            with T.block("P"):
                vh, vg, vi, vj, vk = T.axis.remap("SSSSR", [h, g, i, j, k])
                with T.init():
                    P[vh, vg, vi, vj] = T.float32(0)
                P[vh, vg, vi, vj] = P[vh, vg, vi, vj] + A[vg, vi, vk] * B[vh, vk, vj]
        for h, g, i, j in T.grid(T.int64(3), T.int64(1), n, T.int64(48)):
            with T.block("C"):
                vh, vg, vi, vj = T.axis.remap("SSSS", [h, g, i, j])
                C[vh, vg, vi, vj] = T.exp(P[vh, vg, vi, vj])

    @T.prim_func
    def columns_apart(A: T.Buffer((T.int64(9), T.int64(64)), "float32"), B: T.Buffer((T.int64(48), T.int64(64)), "float32"), C: T.Buffer((T.int64(9), T.int64(48)), "float32")):
        T.func_attr({"target": "opencl -device=cpu -vector-width=256"})
        for i, j, k in T.grid(T.int64(9), T.int64(48), T.int64(64)):
            with T.block("C"):
                vi, vj, vk = T.axis.remap("SSR", [i, j, k])
                with T.init():
                    C[vi, vj] = T.float32(0)
                C[vi, vj] = C[vi, vj] + A[vi, vk] * B[vj, vk]

    @R.function
    def main(a: R.Tensor((1, "n", 64), "float32"), b: R.Tensor((3, 64, 48), "float32"), d: R.Tensor((9, 64), "float32"), e: R.Tensor((48, 64), "float32")):
        n = T.int64()
        cls = Module
        with R.dataflow():
            c = R.call_tir(cls.product, (a, b), out_sinfo=R.Tensor((3, 1, n, 48), "float32"))
            f = R.call_tir(cls.columns_apart, (d, e), out_sinfo=R.Tensor((9, 48), "float32"))
            R.output(c, f)
        return (c, f)
# ---- expected
# from tvm.script import ir as I
# from tvm.script import tir as T
# from tvm.script import relax as R

@I.ir_module
class Module:
    I.module_global_infos({"vdevice": [I.vdevice("llvm", 0, "global"), I.vdevice("opencl -device=cpu -vector-width=256", 0, "global")]})
    @T.prim_func
    def product(a: T.handle, B: T.Buffer((T.int64(3), T.int64(64), T.int64(48)), "float32"), c: T.handle):
        T.func_attr({"target": "opencl -device=cpu -vector-width=256", "op_pattern": 4})
        n = T.int64()
        A = T.match_buffer(a, (T.int64(1), n, T.int64(64)))
        C = T.match_buffer(c, (T.int64(3), T.int64(1), n, T.int64(48)))
        with T.block("root"):
            with T.block("vectors"):
                for m_0 in T.thread_binding((n + T.int64(5)) // T.int64(6), thread="blockIdx.x"):
                    for n_0 in T.thread_binding(T.int64(9), thread="blockIdx.y"):
                        with T.block("local"):
                            P = T.alloc_buffer((T.int64(6), T.int64(16)), scope="local")
                            for m_1 in T.unroll(T.int64(6)):
                                for n_1_0 in T.unroll(T.int64(2)):
                                    for n_1_1 in T.vectorized(T.int64(8)):
                                        with T.block("P_init"):
                                            vm = T.axis.spatial((n + T.int64(5)) // T.int64(6) * T.int64(6), m_0 * T.int64(6) + m_1)
                                            vn = T.axis.spatial(T.int64(144), n_0 * T.int64(16) + n_1_1 + n_1_0 * T.int64(8))
                                            P[vm - m_0 * T.int64(6), vn - n_0 * T.int64(16)] = T.float32(0.0)
                            for k in range(T.int64(64)):
                                for m_1 in T.unroll(T.int64(6)):
                                    for n_1_0 in T.unroll(T.int64(2)):
                                        for n_1_1 in T.vectorized(T.int64(8)):
                                            with T.block("P_update"):
                                                vm = T.axis.spatial((n + T.int64(5)) // T.int64(6) * T.int64(6), m_0 * T.int64(6) + m_1)
                                                vn = T.axis.spatial(T.int64(144), n_0 * T.int64(16) + n_1_0 * T.int64(8) + n_1_1)
                                                vk = T.axis.reduce(T.int64(64), k)
                                                P[vm - m_0 * T.int64(6), vn - n_0 * T.int64(16)] = P[vm - m_0 * T.int64(6), vn - n_0 * T.int64(16)] + A[T.int64(0), T.min(vm, n - T.int64(1)), vk] * B[vn // T.int64(48), vk, vn % T.int64(48)]
                            for ax0 in T.unroll(T.int64(6)):
                                for ax1_0 in T.unroll(T.int64(2)):
                                    for ax1_1 in T.vectorized(T.int64(8)):
                                        with T.block("P_out"):
                                            vm = T.axis.spatial(n, m_0 * T.int64(6) + ax0)
                                            vn = T.axis.spatial(T.int64(144), n_0 * T.int64(16) + ax1_0 * T.int64(8) + ax1_1)
                                            T.where(m_0 * T.int64(6) + ax0 < n)
                                            C[vn // T.int64(48), T.int64(0), vm, vn % T.int64(48)] = T.exp(P[vm - m_0 * T.int64(6), vn - n_0 * T.int64(16)])

    @T.prim_func
    def columns_apart(A: T.Buffer((T.int64(9), T.int64(64)), "float32"), B: T.Buffer((T.int64(48), T.int64(64)), "float32"), C: T.Buffer((T.int64(9), T.int64(48)), "float32")):
        T.func_attr({"target": "opencl -device=cpu -vector-width=256", "op_pattern": 4})
        # with T.block("root"):
        for i, j, k in T.grid(T.int64(9), T.int64(48), T.int64(64)):
            with T.block("C"):
                vi, vj, vk = T.axis.remap("SSR", [i, j, k])
                T.block_attr({"rlx.operator": "matmul mnk"})
                with T.init():
                    C[vi, vj] = T.float32(0.0)
                C[vi, vj] = C[vi, vj] + A[vi, vk] * B[vj, vk]

    @R.function
    def main(a: R.Tensor((1, "n", 64), dtype="float32", vdevice="opencl:0"), b: R.Tensor((3, 64, 48), dtype="float32", vdevice="opencl:0"), d: R.Tensor((9, 64), dtype="float32", vdevice="opencl:0"), e: R.Tensor((48, 64), dtype="float32", vdevice="opencl:0")) -> R.Tuple(R.Tensor((3, 1, "n", 48), dtype="float32", vdevice="opencl:0"), R.Tensor((9, 48), dtype="float32", vdevice="opencl:0")):
        n = T.int64()
        R.func_attr({"relax.force_pure": True})
        cls = Module
        c: R.Tensor((3, 1, n, 48), dtype="float32", vdevice="opencl:0") = R.builtin.alloc_tensor(R.shape([3, 1, n, 48]), R.dtype("float32"), R.prim_value(1), R.str("global"))
        _: R.Tuple = cls.product(a, b, c)
        f: R.Tensor((9, 48), dtype="float32", vdevice="opencl:0") = R.builtin.alloc_tensor(R.shape([9, 48]), R.dtype("float32"), R.prim_value(1), R.str("global"))
        _: R.Tuple = cls.columns_apart(d, e, f)
        return (c, f)
