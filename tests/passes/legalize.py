# ==== conv_of_float16
# The padded copy is float32: each element is widened once, not for every output that reads it.
from tvm.script import ir as I
from tvm.script import relax as R


@I.ir_module
class Module:
    @R.function
    def main(x: R.Tensor((1, 2, 5, 5), "float16"), w: R.Tensor((8, 2, 3, 3), "float16")):
        with R.dataflow():
            y = R.nn.conv2d(x, w, padding=[1, 1, 1, 1])
            R.output(y)
        return y
# ---- expected
# from tvm.script import ir as I
# from tvm.script import tir as T
# from tvm.script import relax as R

@I.ir_module
class Module:
    @R.function
    def main(x: R.Tensor((1, 2, 5, 5), dtype="float16"), w: R.Tensor((8, 2, 3, 3), dtype="float16")) -> R.Tensor((1, 8, 5, 5), dtype="float16"):
        cls = Module
        with R.dataflow():
            y: R.Tensor((1, 8, 5, 5), dtype="float16") = R.call_tir(cls.conv2d, (x, w), out_sinfo=R.Tensor((1, 8, 5, 5), dtype="float16"))
            R.output(y)
        return y

    @T.prim_func(private=True)
    def conv2d(x: T.Buffer((T.int64(1), T.int64(2), T.int64(5), T.int64(5)), "float16"), w: T.Buffer((T.int64(8), T.int64(2), T.int64(3), T.int64(3)), "float16"), conv2d: T.Buffer((T.int64(1), T.int64(8), T.int64(5), T.int64(5)), "float16")):
        T.func_attr({"op_pattern": 4, "tir.noalias": T.bool(True)})
        # with T.block("root"):
        conv_acc = T.alloc_buffer((T.int64(1), T.int64(8), T.int64(5), T.int64(5)))
        pad_temp = T.alloc_buffer((T.int64(1), T.int64(2), T.int64(7), T.int64(7)))
        for ax0, ax1, ax2, ax3 in T.grid(T.int64(1), T.int64(2), T.int64(7), T.int64(7)):
            with T.block("pad_temp"):
                v_ax0, v_ax1, v_ax2, v_ax3 = T.axis.remap("SSSS", [ax0, ax1, ax2, ax3])
                T.reads(x[v_ax0, v_ax1, v_ax2 - T.int64(1), v_ax3 - T.int64(1)])
                T.writes(pad_temp[v_ax0, v_ax1, v_ax2, v_ax3])
                T.block_attr({"rlx.operator": "rearrange ssss"})
                pad_temp[v_ax0, v_ax1, v_ax2, v_ax3] = T.if_then_else(T.int64(1) <= v_ax2 and v_ax2 < T.int64(6) and T.int64(1) <= v_ax3 and v_ax3 < T.int64(6), T.Cast("float32", x[v_ax0, v_ax1, v_ax2 - T.int64(1), v_ax3 - T.int64(1)]), T.float32(0.0))
        for nn, ff, yy, xx, rc, ry, rx in T.grid(T.int64(1), T.int64(8), T.int64(5), T.int64(5), T.int64(2), T.int64(3), T.int64(3)):
            with T.block("conv2d"):
                v_nn, v_ff, v_yy, v_xx, v_rc, v_ry, v_rx = T.axis.remap("SSSSRRR", [nn, ff, yy, xx, rc, ry, rx])
                T.reads(pad_temp[v_nn, v_rc, v_yy + v_ry, v_xx + v_rx], w[v_ff, v_rc, v_ry, v_rx])
                T.writes(conv_acc[v_nn, v_ff, v_yy, v_xx])
                T.block_attr({"rlx.operator": "conv bnppkrr"})
                with T.init():
                    conv_acc[v_nn, v_ff, v_yy, v_xx] = T.float32(0.0)
                conv_acc[v_nn, v_ff, v_yy, v_xx] = conv_acc[v_nn, v_ff, v_yy, v_xx] + pad_temp[v_nn, v_rc, v_yy + v_ry, v_xx + v_rx] * T.Cast("float32", w[v_ff, v_rc, v_ry, v_rx])
        for ax0, ax1, ax2, ax3 in T.grid(T.int64(1), T.int64(8), T.int64(5), T.int64(5)):
            with T.block("compute"):
                v_ax0, v_ax1, v_ax2, v_ax3 = T.axis.remap("SSSS", [ax0, ax1, ax2, ax3])
                T.reads(conv_acc[v_ax0, v_ax1, v_ax2, v_ax3])
                T.writes(conv2d[v_ax0, v_ax1, v_ax2, v_ax3])
                T.block_attr({"rlx.operator": "elementwise ssss"})
                conv2d[v_ax0, v_ax1, v_ax2, v_ax3] = T.Cast("float16", conv_acc[v_ax0, v_ax1, v_ax2, v_ax3])

# ==== device_indices
# Indices that were made in range on the CPU keep their range on a device: nothing checks them there.
from tvm.script import ir as I
from tvm.script import relax as R


@I.ir_module
class Module:
    I.module_global_infos({"vdevice": [I.vdevice("llvm"), I.vdevice("opencl")]})

    @R.function
    def main(x: R.Tensor((5, 2), "float32", "opencl:0"), i: R.Tensor(("n",), "int64", "llvm:0")):
        with R.dataflow():
            a = R.clip(i, R.prim_value(0), R.prim_value(4))
            b = R.to_vdevice(a, "opencl:0")
            y = R.take(x, b, axis=0)
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
    def main(x: R.Tensor((5, 2), dtype="float32", vdevice="opencl:0"), i: R.Tensor(("n",), dtype="int64", vdevice="llvm:0")) -> R.Tensor(("n", 2), dtype="float32", vdevice="opencl:0"):
        n = T.int64()
        cls = Module
        with R.dataflow():
            a: R.Tensor((n,), dtype="int64", vdevice="llvm:0") = R.call_tir(cls.clip, (i,), out_sinfo=R.Tensor((n,), dtype="int64", vdevice="llvm:0"))
            b: R.Tensor((n,), dtype="int64", vdevice="opencl:0") = R.to_vdevice(a, dst_vdevice="opencl:0")
            y: R.Tensor((n, 2), dtype="float32", vdevice="opencl:0") = R.call_tir(cls.take, (x, b), out_sinfo=R.Tensor((n, 2), dtype="float32", vdevice="opencl:0"))
            R.output(y)
        return y

    @T.prim_func(private=True)
    def clip(var_i: T.handle, var_compute: T.handle):
        T.func_attr({"op_pattern": 0, "tir.noalias": T.bool(True)})
        n = T.int64()
        i = T.match_buffer(var_i, (n,), "int64")
        compute = T.match_buffer(var_compute, (n,), "int64")
        # with T.block("root"):
        for ax0 in range(n):
            with T.block("compute"):
                v_ax0 = T.axis.spatial(n, ax0)
                T.reads(i[v_ax0])
                T.writes(compute[v_ax0])
                T.block_attr({"rlx.operator": "elementwise s"})
                compute[v_ax0] = T.max(T.min(i[v_ax0], T.int64(4)), T.int64(0))

    @T.prim_func(private=True)
    def take(x: T.Buffer((T.int64(5), T.int64(2)), "float32"), var_b: T.handle, var_T_take: T.handle):
        T.func_attr({"op_pattern": 2, "tir.noalias": T.bool(True), "target": "opencl"})
        n = T.int64()
        b = T.match_buffer(var_b, (n,), "int64")
        T_take = T.match_buffer(var_T_take, (n, T.int64(2)))
        # with T.block("root"):
        for ax0, ax1 in T.grid(n, T.int64(2)):
            with T.block("T_take"):
                v_ax0, v_ax1 = T.axis.remap("SS", [ax0, ax1])
                T.reads(b[v_ax0], x[T.max(T.min(T.Select(b[v_ax0] < T.int64(0), b[v_ax0] + T.int64(5), b[v_ax0]), T.int64(4)), T.int64(0)), v_ax1])
                T.writes(T_take[v_ax0, v_ax1])
                T.block_attr({"rlx.operator": "gather ss"})
                T_take[v_ax0, v_ax1] = x[T.max(T.min(T.Select(b[v_ax0] < T.int64(0), b[v_ax0] + T.int64(5), b[v_ax0]), T.int64(4)), T.int64(0)), v_ax1]

# ==== on_devices
# The number of elements of a tensor is the host's, wherever the tensor lies; an einsum of unequal
# symbols is on the device of its operands.
@I.ir_module
class Module:
    I.module_global_infos({"vdevice": [I.vdevice("llvm"), I.vdevice("opencl")]})
    @R.function
    def main(x: R.Tensor(("n", "m"), "float32", "opencl:0")):
        size = R.size(x)
        square = R.einsum((x, x), "ij,jk->ik")
        return (size, square)
# ---- expected
# from tvm.script import ir as I
# from tvm.script import tir as T
# from tvm.script import relax as R

@I.ir_module
class Module:
    I.module_global_infos({"vdevice": [I.vdevice("llvm", 0, "global"), I.vdevice("opencl", 0, "global")]})
    @R.function
    def main(x: R.Tensor(("n", "m"), dtype="float32", vdevice="opencl:0")) -> R.Tuple(R.Tensor((), dtype="int64", vdevice="llvm:0"), R.Tensor(("n", "m"), dtype="float32", vdevice="opencl:0")):
        n = T.int64()
        m = T.int64()
        cls = Module
        size: R.Tensor((2,), dtype="int64", vdevice="llvm:0") = R.call_pure_packed("rlx.shape_to_tensor", R.shape([n, m]), sinfo_args=(R.Tensor((2,), dtype="int64", vdevice="llvm:0"),))
        size_1: R.Tensor((), dtype="int64", vdevice="llvm:0") = R.call_tir(cls.prod, (size,), out_sinfo=R.Tensor((), dtype="int64", vdevice="llvm:0"))
        _: R.Tuple = R.check_sizes(R.prim_value(m), R.prim_value(n), relation="equal", message="einsum: dimension 1 of tensor 0 of operands 'x' and dimension 0 of tensor 1 of operands 'x' must be equal")
        x_1: R.Tensor((n, n), dtype="float32", vdevice="opencl:0") = R.match_cast(x, R.Tensor((n, n), dtype="float32", vdevice="opencl:0"))
        square: R.Tensor((n, n), dtype="float32", vdevice="opencl:0") = R.call_tir(cls.einsum, (x_1, x_1), out_sinfo=R.Tensor((n, n), dtype="float32", vdevice="opencl:0"))
        return (size_1, square)

    @T.prim_func(private=True)
    def prod(size: T.Buffer((T.int64(2),), "int64"), x_red: T.Buffer((), "int64")):
        T.func_attr({"op_pattern": 3, "tir.noalias": T.bool(True)})
        # with T.block("root"):
        for k0 in range(T.int64(2)):
            with T.block("x_red"):
                v_k0 = T.axis.reduce(T.int64(2), k0)
                T.reads(size[v_k0])
                T.writes(x_red[()])
                T.block_attr({"rlx.operator": "reduction k"})
                with T.init():
                    x_red[()] = T.int64(1)
                x_red[()] = x_red[()] * size[v_k0]

    @T.prim_func(private=True)
    def einsum(var_x: T.handle, var_x_1: T.handle, var_T_einsum: T.handle):
        T.func_attr({"op_pattern": 4, "tir.noalias": T.bool(True), "target": "opencl"})
        n = T.int64()
        x = T.match_buffer(var_x, (n, n))
        x_1 = T.match_buffer(var_x_1, (n, n))
        T_einsum = T.match_buffer(var_T_einsum, (n, n))
        # with T.block("root"):
        for ax0, ax1, k_j in T.grid(n, n, n):
            with T.block("T_einsum"):
                v_ax0, v_ax1, v_k_j = T.axis.remap("SSR", [ax0, ax1, k_j])
                T.reads(x[v_ax0, v_k_j], x_1[v_k_j, v_ax1])
                T.writes(T_einsum[v_ax0, v_ax1])
                T.block_attr({"rlx.operator": "matmul mnk"})
                with T.init():
                    T_einsum[v_ax0, v_ax1] = T.float32(0.0)
                T_einsum[v_ax0, v_ax1] = T_einsum[v_ax0, v_ax1] + x[v_ax0, v_k_j] * x_1[v_k_j, v_ax1]

# ==== product_of_float16
# Rows read by many columns are widened once; a single row, or few columns, do not justify a copy.
from tvm.script import ir as I
from tvm.script import relax as R
from tvm.script import tir as T


@I.ir_module
class Module:
    @R.function
    def main(x: R.Tensor(("m", 8), "float16"), r: R.Tensor((1, 8), "float16"), w: R.Tensor((8, 40), "float16"), v: R.Tensor((8, 3), "float16")):
        m = T.int64()
        with R.dataflow():
            y = R.matmul(x, w)
            z = R.matmul(r, w)
            u = R.matmul(x, v)
            t = (y, z, u)
            R.output(t)
        return t
# ---- expected
# from tvm.script import ir as I
# from tvm.script import tir as T
# from tvm.script import relax as R

@I.ir_module
class Module:
    @R.function
    def main(x: R.Tensor(("m", 8), dtype="float16"), r: R.Tensor((1, 8), dtype="float16"), w: R.Tensor((8, 40), dtype="float16"), v: R.Tensor((8, 3), dtype="float16")) -> R.Tuple(R.Tensor(("m", 40), dtype="float16"), R.Tensor((1, 40), dtype="float16"), R.Tensor(("m", 3), dtype="float16")):
        m = T.int64()
        cls = Module
        with R.dataflow():
            y: R.Tensor((m, 40), dtype="float16") = R.call_tir(cls.matmul, (x, w), out_sinfo=R.Tensor((m, 40), dtype="float16"))
            z: R.Tensor((1, 40), dtype="float16") = R.call_tir(cls.matmul1, (r, w), out_sinfo=R.Tensor((1, 40), dtype="float16"))
            u: R.Tensor((m, 3), dtype="float16") = R.call_tir(cls.matmul2, (x, v), out_sinfo=R.Tensor((m, 3), dtype="float16"))
            t: R.Tuple(R.Tensor((m, 40), dtype="float16"), R.Tensor((1, 40), dtype="float16"), R.Tensor((m, 3), dtype="float16")) = (y, z, u)
            R.output(t)
        return t

    @T.prim_func(private=True)
    def matmul(var_x: T.handle, w: T.Buffer((T.int64(8), T.int64(40)), "float16"), var_matmul: T.handle):
        T.func_attr({"op_pattern": 4, "tir.noalias": T.bool(True)})
        m = T.int64()
        x = T.match_buffer(var_x, (m, T.int64(8)), "float16")
        matmul = T.match_buffer(var_matmul, (m, T.int64(40)), "float16")
        # with T.block("root"):
        matmul_acc = T.alloc_buffer((m, T.int64(40)))
        widened = T.alloc_buffer((m, T.int64(8)))
        for ax0, ax1 in T.grid(m, T.int64(8)):
            with T.block("widened"):
                v_ax0, v_ax1 = T.axis.remap("SS", [ax0, ax1])
                T.reads(x[v_ax0, v_ax1])
                T.writes(widened[v_ax0, v_ax1])
                T.block_attr({"rlx.operator": "elementwise ss"})
                widened[v_ax0, v_ax1] = T.Cast("float32", x[v_ax0, v_ax1])
        for i0, i1, k in T.grid(m, T.int64(40), T.int64(8)):
            with T.block("matmul"):
                v_i0, v_i1, v_k = T.axis.remap("SSR", [i0, i1, k])
                T.reads(widened[v_i0, v_k], w[v_k, v_i1])
                T.writes(matmul_acc[v_i0, v_i1])
                T.block_attr({"rlx.operator": "matmul mnk"})
                with T.init():
                    matmul_acc[v_i0, v_i1] = T.float32(0.0)
                matmul_acc[v_i0, v_i1] = matmul_acc[v_i0, v_i1] + widened[v_i0, v_k] * T.Cast("float32", w[v_k, v_i1])
        for ax0, ax1 in T.grid(m, T.int64(40)):
            with T.block("compute"):
                v_ax0, v_ax1 = T.axis.remap("SS", [ax0, ax1])
                T.reads(matmul_acc[v_ax0, v_ax1])
                T.writes(matmul[v_ax0, v_ax1])
                T.block_attr({"rlx.operator": "elementwise ss"})
                matmul[v_ax0, v_ax1] = T.Cast("float16", matmul_acc[v_ax0, v_ax1])

    @T.prim_func(private=True)
    def matmul1(r: T.Buffer((T.int64(1), T.int64(8)), "float16"), w: T.Buffer((T.int64(8), T.int64(40)), "float16"), matmul: T.Buffer((T.int64(1), T.int64(40)), "float16")):
        T.func_attr({"op_pattern": 4, "tir.noalias": T.bool(True)})
        # with T.block("root"):
        matmul_acc = T.alloc_buffer((T.int64(1), T.int64(40)))
        for i0, i1, k in T.grid(T.int64(1), T.int64(40), T.int64(8)):
            with T.block("matmul"):
                v_i0, v_i1, v_k = T.axis.remap("SSR", [i0, i1, k])
                T.reads(r[v_i0, v_k], w[v_k, v_i1])
                T.writes(matmul_acc[v_i0, v_i1])
                T.block_attr({"rlx.operator": "matmul mnk"})
                with T.init():
                    matmul_acc[v_i0, v_i1] = T.float32(0.0)
                matmul_acc[v_i0, v_i1] = matmul_acc[v_i0, v_i1] + T.Cast("float32", r[v_i0, v_k]) * T.Cast("float32", w[v_k, v_i1])
        for ax0, ax1 in T.grid(T.int64(1), T.int64(40)):
            with T.block("compute"):
                v_ax0, v_ax1 = T.axis.remap("SS", [ax0, ax1])
                T.reads(matmul_acc[v_ax0, v_ax1])
                T.writes(matmul[v_ax0, v_ax1])
                T.block_attr({"rlx.operator": "elementwise ss"})
                matmul[v_ax0, v_ax1] = T.Cast("float16", matmul_acc[v_ax0, v_ax1])

    @T.prim_func(private=True)
    def matmul2(var_x: T.handle, v: T.Buffer((T.int64(8), T.int64(3)), "float16"), var_matmul: T.handle):
        T.func_attr({"op_pattern": 4, "tir.noalias": T.bool(True)})
        m = T.int64()
        x = T.match_buffer(var_x, (m, T.int64(8)), "float16")
        matmul = T.match_buffer(var_matmul, (m, T.int64(3)), "float16")
        # with T.block("root"):
        matmul_acc = T.alloc_buffer((m, T.int64(3)))
        for i0, i1, k in T.grid(m, T.int64(3), T.int64(8)):
            with T.block("matmul"):
                v_i0, v_i1, v_k = T.axis.remap("SSR", [i0, i1, k])
                T.reads(x[v_i0, v_k], v[v_k, v_i1])
                T.writes(matmul_acc[v_i0, v_i1])
                T.block_attr({"rlx.operator": "matmul mnk"})
                with T.init():
                    matmul_acc[v_i0, v_i1] = T.float32(0.0)
                matmul_acc[v_i0, v_i1] = matmul_acc[v_i0, v_i1] + T.Cast("float32", x[v_i0, v_k]) * T.Cast("float32", v[v_k, v_i1])
        for ax0, ax1 in T.grid(m, T.int64(3)):
            with T.block("compute"):
                v_ax0, v_ax1 = T.axis.remap("SS", [ax0, ax1])
                T.reads(matmul_acc[v_ax0, v_ax1])
                T.writes(matmul[v_ax0, v_ax1])
                T.block_attr({"rlx.operator": "elementwise ss"})
                matmul[v_ax0, v_ax1] = T.Cast("float16", matmul_acc[v_ax0, v_ax1])

# ==== rank_without_dimensions
from tvm.script import ir as I
from tvm.script import relax as R
from tvm.script import tir as T


@I.ir_module
class Module:
    @R.function
    def main(x: R.Tensor(ndim=1, dtype="float32")) -> R.Tensor(ndim=1, dtype="float32"):
        y = R.exp(x)
        return y
# ---- expected
# from tvm.script import ir as I
# from tvm.script import tir as T
# from tvm.script import relax as R

@I.ir_module
class Module:
    @R.function
    def main(x: R.Tensor(dtype="float32", ndim=1)) -> R.Tensor(dtype="float32", ndim=1):
        d0 = T.int64()
        cls = Module
        x_1: R.Tensor((d0,), dtype="float32") = R.match_cast(x, R.Tensor((d0,), dtype="float32"))
        y: R.Tensor((d0,), dtype="float32") = R.call_tir(cls.exp, (x_1,), out_sinfo=R.Tensor((d0,), dtype="float32"))
        return y

    @T.prim_func(private=True)
    def exp(var_x: T.handle, var_compute: T.handle):
        T.func_attr({"op_pattern": 0, "tir.noalias": T.bool(True)})
        d0 = T.int64()
        x = T.match_buffer(var_x, (d0,))
        compute = T.match_buffer(var_compute, (d0,))
        # with T.block("root"):
        for ax0 in range(d0):
            with T.block("compute"):
                v_ax0 = T.axis.spatial(d0, ax0)
                T.reads(x[v_ax0])
                T.writes(compute[v_ax0])
                T.block_attr({"rlx.operator": "elementwise s"})
                compute[v_ax0] = T.exp(x[v_ax0])

# ==== recurrent
# A GRU that resets its state first makes two products; odd sequences and odd terms have loops of their own.
from tvm.script import ir as I
from tvm.script import relax as R


@I.ir_module
class Module:
    @R.function
    def main(x: R.Tensor(("s", "b", 15), "float32"), w: R.Tensor((5, 15), "float32"), h: R.Tensor(("b", 5), "float32"), v: R.Tensor((5,), "float32"), l: R.Tensor(("b",), "int64")):
        with R.dataflow():
            y = R.nn.recurrent(x, w, h, R.tuple(), v, l, cell="gru", reverse=True)
            R.output(y)
        return y
# ---- expected
# from tvm.script import ir as I
# from tvm.script import tir as T
# from tvm.script import relax as R

@I.ir_module
class Module:
    @R.function
    def main(x: R.Tensor(("s", "b", 15), dtype="float32"), w: R.Tensor((5, 15), dtype="float32"), h: R.Tensor(("b", 5), dtype="float32"), v: R.Tensor((5,), dtype="float32"), l: R.Tensor(("b",), dtype="int64")) -> R.Tuple(R.Tensor(("s", "b", 5), dtype="float32"), R.Tensor(("b", 5), dtype="float32")):
        s = T.int64()
        b = T.int64()
        cls = Module
        with R.dataflow():
            y: R.Tuple(R.Tensor((s, b, 5), dtype="float32"), R.Tensor((b, 5), dtype="float32")) = R.call_tir(cls.gru, (x, w, h, v, l), out_sinfo=[R.Tensor((s, b, 5), dtype="float32"), R.Tensor((b, 5), dtype="float32")])
            R.output(y)
        return y

    @T.prim_func(private=True)
    def gru(var_x: T.handle, w: T.Buffer((T.int64(5), T.int64(15)), "float32"), var_h: T.handle, v: T.Buffer((T.int64(5),), "float32"), var_l: T.handle, var_y: T.handle, var_h_1: T.handle):
        T.func_attr({"op_pattern": 8, "tir.noalias": T.bool(True)})
        s = T.int64()
        b = T.int64()
        x = T.match_buffer(var_x, (s, b, T.int64(15)))
        h = T.match_buffer(var_h, (b, T.int64(5)))
        l = T.match_buffer(var_l, (b,), "int64")
        y = T.match_buffer(var_y, (s, b, T.int64(5)))
        h_1 = T.match_buffer(var_h_1, (b, T.int64(5)))
        # with T.block("root"):
        gates = T.alloc_buffer((b, T.int64(15)))
        reset = T.alloc_buffer((b, T.int64(5)))
        with T.block("gru"):
            for block in T.parallel((b + T.int64(3)) // T.int64(4)):
                for r, j in T.grid(T.min(b - block * T.int64(4), T.int64(4)), T.int64(5)):
                    h_1[block * T.int64(4) + r, j] = h[block * T.int64(4) + r, j]
                for t in range(s):
                    for r in range(T.min(b - block * T.int64(4), T.int64(4))):
                        for j in range(T.int64(10)):
                            gates[block * T.int64(4) + r, j] = x[s - T.int64(1) - t, block * T.int64(4) + r, j]
                        for j in range(T.int64(5)):
                            gates[block * T.int64(4) + r, T.int64(10) + j] = v[j] + x[s - T.int64(1) - t, block * T.int64(4) + r, T.int64(10) + j]
                    for k in range(T.int64(1)):
                        for r, j in T.grid(T.min(b - block * T.int64(4), T.int64(4)) // T.int64(2), T.int64(10)):
                            gates[block * T.int64(4) + r * T.int64(2), j] = gates[block * T.int64(4) + r * T.int64(2), j] + h_1[block * T.int64(4) + r * T.int64(2), k * T.int64(4)] * w[k * T.int64(4), j] + h_1[block * T.int64(4) + r * T.int64(2), k * T.int64(4) + T.int64(1)] * w[k * T.int64(4) + T.int64(1), j] + h_1[block * T.int64(4) + r * T.int64(2), k * T.int64(4) + T.int64(2)] * w[k * T.int64(4) + T.int64(2), j] + h_1[block * T.int64(4) + r * T.int64(2), k * T.int64(4) + T.int64(3)] * w[k * T.int64(4) + T.int64(3), j]
                            gates[block * T.int64(4) + r * T.int64(2) + T.int64(1), j] = gates[block * T.int64(4) + r * T.int64(2) + T.int64(1), j] + h_1[block * T.int64(4) + r * T.int64(2) + T.int64(1), k * T.int64(4)] * w[k * T.int64(4), j] + h_1[block * T.int64(4) + r * T.int64(2) + T.int64(1), k * T.int64(4) + T.int64(1)] * w[k * T.int64(4) + T.int64(1), j] + h_1[block * T.int64(4) + r * T.int64(2) + T.int64(1), k * T.int64(4) + T.int64(2)] * w[k * T.int64(4) + T.int64(2), j] + h_1[block * T.int64(4) + r * T.int64(2) + T.int64(1), k * T.int64(4) + T.int64(3)] * w[k * T.int64(4) + T.int64(3), j]
                        for r, j in T.grid(T.min(b - block * T.int64(4), T.int64(4)) % T.int64(2), T.int64(10)):
                            gates[block * T.int64(4) + (T.min(b - block * T.int64(4), T.int64(4)) // T.int64(2) * T.int64(2) + r), j] = gates[block * T.int64(4) + (T.min(b - block * T.int64(4), T.int64(4)) // T.int64(2) * T.int64(2) + r), j] + h_1[block * T.int64(4) + (T.min(b - block * T.int64(4), T.int64(4)) // T.int64(2) * T.int64(2) + r), k * T.int64(4)] * w[k * T.int64(4), j] + h_1[block * T.int64(4) + (T.min(b - block * T.int64(4), T.int64(4)) // T.int64(2) * T.int64(2) + r), k * T.int64(4) + T.int64(1)] * w[k * T.int64(4) + T.int64(1), j] + h_1[block * T.int64(4) + (T.min(b - block * T.int64(4), T.int64(4)) // T.int64(2) * T.int64(2) + r), k * T.int64(4) + T.int64(2)] * w[k * T.int64(4) + T.int64(2), j] + h_1[block * T.int64(4) + (T.min(b - block * T.int64(4), T.int64(4)) // T.int64(2) * T.int64(2) + r), k * T.int64(4) + T.int64(3)] * w[k * T.int64(4) + T.int64(3), j]
                    for k in range(T.int64(1)):
                        for r, j in T.grid(T.min(b - block * T.int64(4), T.int64(4)) // T.int64(2), T.int64(10)):
                            gates[block * T.int64(4) + r * T.int64(2), j] = gates[block * T.int64(4) + r * T.int64(2), j] + h_1[block * T.int64(4) + r * T.int64(2), T.int64(4) + k] * w[T.int64(4) + k, j]
                            gates[block * T.int64(4) + r * T.int64(2) + T.int64(1), j] = gates[block * T.int64(4) + r * T.int64(2) + T.int64(1), j] + h_1[block * T.int64(4) + r * T.int64(2) + T.int64(1), T.int64(4) + k] * w[T.int64(4) + k, j]
                        for r, j in T.grid(T.min(b - block * T.int64(4), T.int64(4)) % T.int64(2), T.int64(10)):
                            gates[block * T.int64(4) + (T.min(b - block * T.int64(4), T.int64(4)) // T.int64(2) * T.int64(2) + r), j] = gates[block * T.int64(4) + (T.min(b - block * T.int64(4), T.int64(4)) // T.int64(2) * T.int64(2) + r), j] + h_1[block * T.int64(4) + (T.min(b - block * T.int64(4), T.int64(4)) // T.int64(2) * T.int64(2) + r), T.int64(4) + k] * w[T.int64(4) + k, j]
                    for r, j in T.grid(T.min(b - block * T.int64(4), T.int64(4)), T.int64(5)):
                        reset[block * T.int64(4) + r, j] = T.sigmoid(gates[block * T.int64(4) + r, T.int64(5) + j]) * h_1[block * T.int64(4) + r, j]
                    for k in range(T.int64(1)):
                        for r, j in T.grid(T.min(b - block * T.int64(4), T.int64(4)) // T.int64(2), T.int64(5)):
                            gates[block * T.int64(4) + r * T.int64(2), T.int64(10) + j] = gates[block * T.int64(4) + r * T.int64(2), T.int64(10) + j] + reset[block * T.int64(4) + r * T.int64(2), k * T.int64(4)] * w[k * T.int64(4), T.int64(10) + j] + reset[block * T.int64(4) + r * T.int64(2), k * T.int64(4) + T.int64(1)] * w[k * T.int64(4) + T.int64(1), T.int64(10) + j] + reset[block * T.int64(4) + r * T.int64(2), k * T.int64(4) + T.int64(2)] * w[k * T.int64(4) + T.int64(2), T.int64(10) + j] + reset[block * T.int64(4) + r * T.int64(2), k * T.int64(4) + T.int64(3)] * w[k * T.int64(4) + T.int64(3), T.int64(10) + j]
                            gates[block * T.int64(4) + r * T.int64(2) + T.int64(1), T.int64(10) + j] = gates[block * T.int64(4) + r * T.int64(2) + T.int64(1), T.int64(10) + j] + reset[block * T.int64(4) + r * T.int64(2) + T.int64(1), k * T.int64(4)] * w[k * T.int64(4), T.int64(10) + j] + reset[block * T.int64(4) + r * T.int64(2) + T.int64(1), k * T.int64(4) + T.int64(1)] * w[k * T.int64(4) + T.int64(1), T.int64(10) + j] + reset[block * T.int64(4) + r * T.int64(2) + T.int64(1), k * T.int64(4) + T.int64(2)] * w[k * T.int64(4) + T.int64(2), T.int64(10) + j] + reset[block * T.int64(4) + r * T.int64(2) + T.int64(1), k * T.int64(4) + T.int64(3)] * w[k * T.int64(4) + T.int64(3), T.int64(10) + j]
                        for r, j in T.grid(T.min(b - block * T.int64(4), T.int64(4)) % T.int64(2), T.int64(5)):
                            gates[block * T.int64(4) + (T.min(b - block * T.int64(4), T.int64(4)) // T.int64(2) * T.int64(2) + r), T.int64(10) + j] = gates[block * T.int64(4) + (T.min(b - block * T.int64(4), T.int64(4)) // T.int64(2) * T.int64(2) + r), T.int64(10) + j] + reset[block * T.int64(4) + (T.min(b - block * T.int64(4), T.int64(4)) // T.int64(2) * T.int64(2) + r), k * T.int64(4)] * w[k * T.int64(4), T.int64(10) + j] + reset[block * T.int64(4) + (T.min(b - block * T.int64(4), T.int64(4)) // T.int64(2) * T.int64(2) + r), k * T.int64(4) + T.int64(1)] * w[k * T.int64(4) + T.int64(1), T.int64(10) + j] + reset[block * T.int64(4) + (T.min(b - block * T.int64(4), T.int64(4)) // T.int64(2) * T.int64(2) + r), k * T.int64(4) + T.int64(2)] * w[k * T.int64(4) + T.int64(2), T.int64(10) + j] + reset[block * T.int64(4) + (T.min(b - block * T.int64(4), T.int64(4)) // T.int64(2) * T.int64(2) + r), k * T.int64(4) + T.int64(3)] * w[k * T.int64(4) + T.int64(3), T.int64(10) + j]
                    for k in range(T.int64(1)):
                        for r, j in T.grid(T.min(b - block * T.int64(4), T.int64(4)) // T.int64(2), T.int64(5)):
                            gates[block * T.int64(4) + r * T.int64(2), T.int64(10) + j] = gates[block * T.int64(4) + r * T.int64(2), T.int64(10) + j] + reset[block * T.int64(4) + r * T.int64(2), T.int64(4) + k] * w[T.int64(4) + k, T.int64(10) + j]
                            gates[block * T.int64(4) + r * T.int64(2) + T.int64(1), T.int64(10) + j] = gates[block * T.int64(4) + r * T.int64(2) + T.int64(1), T.int64(10) + j] + reset[block * T.int64(4) + r * T.int64(2) + T.int64(1), T.int64(4) + k] * w[T.int64(4) + k, T.int64(10) + j]
                        for r, j in T.grid(T.min(b - block * T.int64(4), T.int64(4)) % T.int64(2), T.int64(5)):
                            gates[block * T.int64(4) + (T.min(b - block * T.int64(4), T.int64(4)) // T.int64(2) * T.int64(2) + r), T.int64(10) + j] = gates[block * T.int64(4) + (T.min(b - block * T.int64(4), T.int64(4)) // T.int64(2) * T.int64(2) + r), T.int64(10) + j] + reset[block * T.int64(4) + (T.min(b - block * T.int64(4), T.int64(4)) // T.int64(2) * T.int64(2) + r), T.int64(4) + k] * w[T.int64(4) + k, T.int64(10) + j]
                    for r in range(T.min(b - block * T.int64(4), T.int64(4))):
                        if s - T.int64(1) - t < l[block * T.int64(4) + r]:
                            for j in range(T.int64(5)):
                                h_1[block * T.int64(4) + r, j] = (T.float32(1.0) - T.sigmoid(gates[block * T.int64(4) + r, j])) * T.tanh(gates[block * T.int64(4) + r, T.int64(10) + j]) + T.sigmoid(gates[block * T.int64(4) + r, j]) * h_1[block * T.int64(4) + r, j]
                                y[s - T.int64(1) - t, block * T.int64(4) + r, j] = h_1[block * T.int64(4) + r, j]
                        else:
                            for j in range(T.int64(5)):
                                y[s - T.int64(1) - t, block * T.int64(4) + r, j] = T.float32(0.0)
