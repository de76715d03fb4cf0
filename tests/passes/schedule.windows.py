# ==== depthwise
# Depthwise convolutions: four neighbours of a line in registers, with what follows; on a CPU lanes of a vector.
@I.ir_module
class Module:
    I.module_global_infos({"vdevice": [I.vdevice("llvm"), I.vdevice("opencl"), I.vdevice("opencl -device=cpu -vector-width=256")]})

    @R.function
    def threads(x: R.Tensor((1, 64, 34, 34), "float32", "opencl:0"), w: R.Tensor((64, 1, 3, 3), "float32", "opencl:0")):
        with R.dataflow():
            y = R.nn.relu(R.nn.conv2d(x, w, groups=64))
            R.output(y)
        return y

    @R.function
    def lanes(x: R.Tensor((1, 64, 34, 34), "float32", "opencl:1"), w: R.Tensor((64, 1, 3, 3), "float32", "opencl:1")):
        with R.dataflow():
            y = R.nn.conv2d(x, w, groups=64)
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
    def threads(x: R.Tensor((1, 64, 34, 34), dtype="float32", vdevice="opencl:0"), w: R.Tensor((64, 1, 3, 3), dtype="float32", vdevice="opencl:0")) -> R.Tensor((1, 64, 32, 32), dtype="float32", vdevice="opencl:0"):
        R.func_attr({"relax.force_pure": True})
        cls = Module
        y: R.Tensor((1, 64, 32, 32), dtype="float32", vdevice="opencl:0") = R.builtin.alloc_tensor(R.shape([1, 64, 32, 32]), R.dtype("float32"), R.prim_value(1), R.str("global"))
        _: R.Tuple = cls.fused_conv2d_relu(x, w, y)
        return y

    @R.function
    def lanes(x: R.Tensor((1, 64, 34, 34), dtype="float32", vdevice="opencl:1"), w: R.Tensor((64, 1, 3, 3), dtype="float32", vdevice="opencl:1")) -> R.Tensor((1, 64, 32, 32), dtype="float32", vdevice="opencl:1"):
        R.func_attr({"relax.force_pure": True})
        cls = Module
        y: R.Tensor((1, 64, 32, 32), dtype="float32", vdevice="opencl:1") = R.builtin.alloc_tensor(R.shape([1, 64, 32, 32]), R.dtype("float32"), R.prim_value(2), R.str("global"))
        _: R.Tuple = cls.conv2d1(x, w, y)
        return y

    @T.prim_func(private=True)
    def conv2d1(x: T.Buffer((T.int64(1), T.int64(64), T.int64(34), T.int64(34)), "float32"), w: T.Buffer((T.int64(64), T.int64(1), T.int64(3), T.int64(3)), "float32"), conv2d: T.Buffer((T.int64(1), T.int64(64), T.int64(32), T.int64(32)), "float32")):
        T.func_attr({"op_pattern": 4, "tir.noalias": T.bool(True), "target": "opencl -device=cpu -vector-width=256"})
        with T.block("root"):
            with T.block("windows"):
                for nn_fused_0 in T.thread_binding(T.int64(256), thread="blockIdx.x"):
                    for u in T.thread_binding(T.int64(1), thread="threadIdx.x"):
                        for nn_fused_1, xx_0 in T.grid(T.int64(8), T.int64(4)):
                            with T.block("local"):
                                conv2d_global = T.alloc_buffer((T.int64(1), T.int64(1), T.int64(1), T.int64(8)), scope="local")
                                for xx_1 in T.vectorized(T.int64(8)):
                                    with T.block("conv2d_init"):
                                        v_nn = T.axis.spatial(T.int64(1), T.int64(0))
                                        v_ff = T.axis.spatial(T.int64(64), nn_fused_0 // T.int64(4))
                                        v_yy = T.axis.spatial(T.int64(32), nn_fused_1 + nn_fused_0 % T.int64(4) * T.int64(8))
                                        v_xx = T.axis.spatial(T.int64(32), xx_0 * T.int64(8) + xx_1)
                                        T.block_attr({"rlx.rule": "windows"})
                                        conv2d_global[v_nn, v_ff - nn_fused_0 // T.int64(4), v_yy - nn_fused_1 - nn_fused_0 % T.int64(4) * T.int64(8), v_xx - xx_0 * T.int64(8)] = T.float32(0.0)
                                for ry, rx, rc in T.grid(T.int64(3), T.int64(3), T.int64(1)):
                                    for xx_1 in T.vectorized(T.int64(8)):
                                        with T.block("conv2d_update"):
                                            v_nn = T.axis.spatial(T.int64(1), T.int64(0))
                                            v_ff = T.axis.spatial(T.int64(64), nn_fused_0 // T.int64(4))
                                            v_yy = T.axis.spatial(T.int64(32), nn_fused_1 + nn_fused_0 % T.int64(4) * T.int64(8))
                                            v_xx = T.axis.spatial(T.int64(32), xx_0 * T.int64(8) + xx_1)
                                            v_rc, v_ry, v_rx = T.axis.remap("RRR", [rc, ry, rx])
                                            T.block_attr({"rlx.rule": "windows"})
                                            conv2d_global[v_nn, v_ff - nn_fused_0 // T.int64(4), v_yy - nn_fused_1 - nn_fused_0 % T.int64(4) * T.int64(8), v_xx - xx_0 * T.int64(8)] = conv2d_global[v_nn, v_ff - nn_fused_0 // T.int64(4), v_yy - nn_fused_1 - nn_fused_0 % T.int64(4) * T.int64(8), v_xx - xx_0 * T.int64(8)] + x[v_nn, v_ff + v_rc, v_yy + v_ry, v_xx + v_rx] * w[v_ff, v_rc, v_ry, v_rx]
                                for ax3 in T.vectorized(T.int64(8)):
                                    with T.block("conv2d_global"):
                                        v0 = T.axis.spatial(T.int64(1), T.int64(0))
                                        v1 = T.axis.spatial(T.int64(64), nn_fused_0 // T.int64(4))
                                        v2 = T.axis.spatial(T.int64(32), nn_fused_1 + nn_fused_0 % T.int64(4) * T.int64(8))
                                        v3 = T.axis.spatial(T.int64(32), xx_0 * T.int64(8) + ax3)
                                        T.block_attr({"rlx.operator": "rearrange ssss"})
                                        conv2d[v0, v1, v2, v3] = conv2d_global[v0, v1 - nn_fused_0 // T.int64(4), v2 - nn_fused_1 - nn_fused_0 % T.int64(4) * T.int64(8), v3 - xx_0 * T.int64(8)]

    @T.prim_func(private=True)
    def fused_conv2d_relu(x: T.Buffer((T.int64(1), T.int64(64), T.int64(34), T.int64(34)), "float32"), w: T.Buffer((T.int64(64), T.int64(1), T.int64(3), T.int64(3)), "float32"), relu: T.Buffer((T.int64(1), T.int64(64), T.int64(32), T.int64(32)), "float32")):
        T.func_attr({"op_pattern": 4, "tir.noalias": T.bool(True), "target": "opencl"})
        with T.block("root"):
            with T.block("windows"):
                for nn_fused_fused_0 in T.thread_binding(T.int64(64), thread="blockIdx.x"):
                    for nn_fused_fused_1 in T.thread_binding(T.int64(256), thread="threadIdx.x"):
                        with T.block("local"):
                            conv2d = T.alloc_buffer((T.int64(1), T.int64(1), T.int64(1), T.int64(4)), scope="local")
                            for xx_1 in T.unroll(T.int64(4)):
                                with T.block("conv2d_init"):
                                    v_nn = T.axis.spatial(T.int64(1), T.int64(0))
                                    v_ff = T.axis.spatial(T.int64(64), nn_fused_fused_0)
                                    v_yy = T.axis.spatial(T.int64(32), nn_fused_fused_1 // T.int64(8))
                                    v_xx = T.axis.spatial(T.int64(32), xx_1 + nn_fused_fused_1 % T.int64(8) * T.int64(4))
                                    T.block_attr({"rlx.rule": "windows"})
                                    conv2d[v_nn, v_ff - nn_fused_fused_0, v_yy - nn_fused_fused_1 // T.int64(8), v_xx - nn_fused_fused_1 % T.int64(8) * T.int64(4)] = T.float32(0.0)
                            for ry, rx, rc in T.grid(T.int64(3), T.int64(3), T.int64(1)):
                                for xx_1 in T.unroll(T.int64(4)):
                                    with T.block("conv2d_update"):
                                        v_nn = T.axis.spatial(T.int64(1), T.int64(0))
                                        v_ff = T.axis.spatial(T.int64(64), nn_fused_fused_0)
                                        v_yy = T.axis.spatial(T.int64(32), nn_fused_fused_1 // T.int64(8))
                                        v_xx = T.axis.spatial(T.int64(32), xx_1 + nn_fused_fused_1 % T.int64(8) * T.int64(4))
                                        v_rc, v_ry, v_rx = T.axis.remap("RRR", [rc, ry, rx])
                                        T.block_attr({"rlx.rule": "windows"})
                                        conv2d[v_nn, v_ff - nn_fused_fused_0, v_yy - nn_fused_fused_1 // T.int64(8), v_xx - nn_fused_fused_1 % T.int64(8) * T.int64(4)] = conv2d[v_nn, v_ff - nn_fused_fused_0, v_yy - nn_fused_fused_1 // T.int64(8), v_xx - nn_fused_fused_1 % T.int64(8) * T.int64(4)] + x[v_nn, v_ff + v_rc, v_yy + v_ry, v_xx + v_rx] * w[v_ff, v_rc, v_ry, v_rx]
                            for ax3 in T.unroll(T.int64(4)):
                                with T.block("compute"):
                                    v_ax0 = T.axis.spatial(T.int64(1), T.int64(0))
                                    v_ax1 = T.axis.spatial(T.int64(64), nn_fused_fused_0)
                                    v_ax2 = T.axis.spatial(T.int64(32), nn_fused_fused_1 // T.int64(8))
                                    v_ax3 = T.axis.spatial(T.int64(32), ax3 + nn_fused_fused_1 % T.int64(8) * T.int64(4))
                                    T.block_attr({"rlx.operator": "rearrange ssss"})
                                    relu[v_ax0, v_ax1, v_ax2, v_ax3] = T.max(conv2d[v_ax0, v_ax1 - nn_fused_fused_0, v_ax2 - nn_fused_fused_1 // T.int64(8), v_ax3 - nn_fused_fused_1 % T.int64(8) * T.int64(4)], T.float32(0.0))
