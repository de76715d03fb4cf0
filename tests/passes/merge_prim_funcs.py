# ==== devices
# One function for each target, for both devices of that.
from tvm.script import ir as I
from tvm.script import relax as R
from tvm.script import tir as T
@I.ir_module
class Module:
    I.module_global_infos({"vdevice": [I.vdevice("llvm"), I.vdevice("opencl", 0), I.vdevice("opencl", 1)]})
    @R.function
    def main(x: R.Tensor((8,), "float32", "opencl:0"), y: R.Tensor((8,), "float32", "opencl:1"), h: R.Tensor((8,), "float32", "llvm:0")):
        with R.dataflow():
            a = R.exp(x)
            b = R.exp(y)
            c = R.exp(h)
            R.output(a, b, c)
        return (a, b, c)
# ---- expected
# from tvm.script import ir as I
# from tvm.script import tir as T
# from tvm.script import relax as R

@I.ir_module
class Module:
    I.module_global_infos({"vdevice": [I.vdevice("llvm", 0, "global"), I.vdevice("opencl", 0, "global"), I.vdevice("opencl", 1, "global")]})
    @R.function
    def main(x: R.Tensor((8,), dtype="float32", vdevice="opencl:0"), y: R.Tensor((8,), dtype="float32", vdevice="opencl:1"), h: R.Tensor((8,), dtype="float32", vdevice="llvm:0")) -> R.Tuple(R.Tensor((8,), dtype="float32", vdevice="opencl:0"), R.Tensor((8,), dtype="float32", vdevice="opencl:1"), R.Tensor((8,), dtype="float32", vdevice="llvm:0")):
        cls = Module
        with R.dataflow():
            a: R.Tensor((8,), dtype="float32", vdevice="opencl:0") = R.call_tir(cls.exp, (x,), out_sinfo=R.Tensor((8,), dtype="float32", vdevice="opencl:0"))
            b: R.Tensor((8,), dtype="float32", vdevice="opencl:1") = R.call_tir(cls.exp, (y,), out_sinfo=R.Tensor((8,), dtype="float32", vdevice="opencl:1"))
            c: R.Tensor((8,), dtype="float32", vdevice="llvm:0") = R.call_tir(cls.exp1, (h,), out_sinfo=R.Tensor((8,), dtype="float32", vdevice="llvm:0"))
            R.output(a, b, c)
        return (a, b, c)

    @T.prim_func(private=True)
    def exp(x: T.Buffer((T.int64(8),), "float32"), compute: T.Buffer((T.int64(8),), "float32")):
        T.func_attr({"op_pattern": 0, "tir.noalias": T.bool(True), "target": "opencl"})
        # with T.block("root"):
        for ax0 in range(T.int64(8)):
            with T.block("compute"):
                v_ax0 = T.axis.spatial(T.int64(8), ax0)
                T.reads(x[v_ax0])
                T.writes(compute[v_ax0])
                T.block_attr({"rlx.operator": "elementwise s"})
                compute[v_ax0] = T.exp(x[v_ax0])

    @T.prim_func(private=True)
    def exp1(h: T.Buffer((T.int64(8),), "float32"), compute: T.Buffer((T.int64(8),), "float32")):
        T.func_attr({"op_pattern": 0, "tir.noalias": T.bool(True)})
        # with T.block("root"):
        for ax0 in range(T.int64(8)):
            with T.block("compute"):
                v_ax0 = T.axis.spatial(T.int64(8), ax0)
                T.reads(h[v_ax0])
                T.writes(compute[v_ax0])
                T.block_attr({"rlx.operator": "elementwise s"})
                compute[v_ax0] = T.exp(h[v_ax0])

# ==== same_layer_twice
from tvm.script import ir as I
from tvm.script import relax as R
from tvm.script import tir as T


@I.ir_module
class Module:
    @R.function
    def main(x: R.Tensor(("n", 4), "float32"), w: R.Tensor((4, 4), "float32")) -> R.Tensor(("n", 4), "float32"):
        n = T.int64()
        with R.dataflow():
            a = R.matmul(x, w)
            b = R.matmul(a, w)
            R.output(b)
        return b
# ---- expected
# from tvm.script import ir as I
# from tvm.script import tir as T
# from tvm.script import relax as R

@I.ir_module
class Module:
    @R.function
    def main(x: R.Tensor(("n", 4), dtype="float32"), w: R.Tensor((4, 4), dtype="float32")) -> R.Tensor(("n", 4), dtype="float32"):
        n = T.int64()
        cls = Module
        with R.dataflow():
            a: R.Tensor((n, 4), dtype="float32") = R.call_tir(cls.matmul, (x, w), out_sinfo=R.Tensor((n, 4), dtype="float32"))
            b: R.Tensor((n, 4), dtype="float32") = R.call_tir(cls.matmul, (a, w), out_sinfo=R.Tensor((n, 4), dtype="float32"))
            R.output(b)
        return b

    @T.prim_func(private=True)
    def matmul(var_x: T.handle, w: T.Buffer((T.int64(4), T.int64(4)), "float32"), var_matmul: T.handle):
        T.func_attr({"op_pattern": 4, "tir.noalias": T.bool(True)})
        n = T.int64()
        x = T.match_buffer(var_x, (n, T.int64(4)))
        matmul = T.match_buffer(var_matmul, (n, T.int64(4)))
        # with T.block("root"):
        for i0, i1, k in T.grid(n, T.int64(4), T.int64(4)):
            with T.block("matmul"):
                v_i0, v_i1, v_k = T.axis.remap("SSR", [i0, i1, k])
                T.reads(x[v_i0, v_k], w[v_k, v_i1])
                T.writes(matmul[v_i0, v_i1])
                T.block_attr({"rlx.operator": "matmul mnk"})
                with T.init():
                    matmul[v_i0, v_i1] = T.float32(0.0)
                matmul[v_i0, v_i1] = matmul[v_i0, v_i1] + x[v_i0, v_k] * w[v_k, v_i1]
