# ==== builtins
# Builtins that the device has kernels for: orders of short lines, padding and slices whose widths are data. A long line is the CPU's.
from tvm.script import ir as I
from tvm.script import relax as R
from tvm.script import tir as T
@I.ir_module
class Module:
    I.module_global_infos({"vdevice": [I.vdevice("llvm"), I.vdevice("opencl", 0)]})
    @R.function
    def main(x: R.Tensor((2, 5), "float32", "opencl:0"), v: R.Tensor((), "float32", "opencl:0"), long: R.Tensor((4096,), "float32", "opencl:0"), w: R.Prim(value="w")):
        w = T.int64()
        with R.dataflow():
            a = R.topk(x, 3)
            b = R.call_pure_packed("rlx.pad", x, R.shape([0, w]), R.shape([2, w + 5]), R.prim_value(0), v, sinfo_args=R.Tensor((2, w + 5), "float32"))
            c = R.call_pure_packed("rlx.strided_slice", b, R.shape([1, w]), R.shape([-3, 5]), R.shape([-1, 1]), sinfo_args=R.Tensor((2, 5 - w), "float32"))
            d = R.sort(long)
            R.output(a, c, d)
        return (a, c, d)
# ---- expected
# from tvm.script import ir as I
# from tvm.script import tir as T
# from tvm.script import relax as R

@I.ir_module
class Module:
    I.module_global_infos({"vdevice": [I.vdevice("llvm", 0, "global"), I.vdevice("opencl", 0, "global")]})
    @R.function
    def main(x: R.Tensor((2, 5), dtype="float32", vdevice="opencl:0"), v: R.Tensor((), dtype="float32", vdevice="opencl:0"), long: R.Tensor((4096,), dtype="float32", vdevice="opencl:0"), w: R.Prim(value="w_1")) -> R.Tuple(R.Tuple(R.Tensor((2, 3), dtype="float32", vdevice="opencl:0"), R.Tensor((2, 3), dtype="int32", vdevice="opencl:0")), R.Tensor((2, "5 - w_1"), dtype="float32", vdevice="opencl:0"), R.Tensor((4096,), dtype="float32", vdevice="opencl:0")):
        w_1 = T.int64()
        cls = Module
        with R.dataflow():
            a: R.Tuple(R.Tensor((2, 3), dtype="float32", vdevice="opencl:0"), R.Tensor((2, 3), dtype="int32", vdevice="opencl:0")) = R.call_tir(cls.topk, (x,), out_sinfo=[R.Tensor((2, 3), dtype="float32", vdevice="opencl:0"), R.Tensor((2, 3), dtype="int32", vdevice="opencl:0")])
            b: R.Tensor((2, w_1 + 5), dtype="float32", vdevice="opencl:0") = R.call_tir(cls.pad, (x, v), tir_vars=R.shape([w_1]), out_sinfo=R.Tensor((2, w_1 + 5), dtype="float32", vdevice="opencl:0"))
            c: R.Tensor((2, 5 - w_1), dtype="float32", vdevice="opencl:0") = R.call_tir(cls.strided_slice, (b,), tir_vars=R.shape([w_1]), out_sinfo=R.Tensor((2, 5 - w_1), dtype="float32", vdevice="opencl:0"))
            long_1: R.Tensor((4096,), dtype="float32", vdevice="llvm:0") = R.to_vdevice(long, dst_vdevice="llvm:0")
            d: R.Tensor((4096,), dtype="float32", vdevice="llvm:0") = R.call_pure_packed("rlx.sort", long_1, R.prim_value(-1), R.prim_value(T.bool(False)), sinfo_args=(R.Tensor((4096,), dtype="float32", vdevice="llvm:0"),))
            d_1: R.Tensor((4096,), dtype="float32", vdevice="opencl:0") = R.to_vdevice(d, dst_vdevice="opencl:0")
            R.output(a, c, d_1)
        return (a, c, d_1)

    @T.prim_func(private=True)
    def topk(x: T.Buffer((T.int64(2), T.int64(5)), "float32"), values: T.Buffer((T.int64(2), T.int64(3)), "float32"), indices: T.Buffer((T.int64(2), T.int64(3)), "int32")):
        T.func_attr({"op_pattern": 8, "tir.noalias": T.bool(True), "target": "opencl"})
        # with T.block("root"):
        ranks = T.alloc_buffer((T.int64(2), T.int64(5)), "int32")
        places = T.alloc_buffer((T.int64(2), T.int64(3)), "int32")
        for ax0, ax1, k in T.grid(T.int64(2), T.int64(5), T.int64(5)):
            with T.block("ranks"):
                v_ax0, v_ax1, v_k = T.axis.remap("SSR", [ax0, ax1, k])
                T.reads(x[v_ax0, v_k], x[v_ax0, v_ax1])
                T.writes(ranks[v_ax0, v_ax1])
                T.block_attr({"rlx.operator": "reduction ssk"})
                with T.init():
                    ranks[v_ax0, v_ax1] = 0
                ranks[v_ax0, v_ax1] = ranks[v_ax0, v_ax1] + T.Select(x[v_ax0, v_k] > x[v_ax0, v_ax1] or x[v_ax0, v_k] == x[v_ax0, v_k] and x[v_ax0, v_ax1] != x[v_ax0, v_ax1] or v_k < v_ax1 and not (x[v_ax0, v_ax1] > x[v_ax0, v_k] or x[v_ax0, v_ax1] == x[v_ax0, v_ax1] and x[v_ax0, v_k] != x[v_ax0, v_k]), 1, 0)
        for ax0, ax1, k in T.grid(T.int64(2), T.int64(3), T.int64(5)):
            with T.block("places"):
                v_ax0, v_ax1, v_k = T.axis.remap("SSR", [ax0, ax1, k])
                T.reads(ranks[v_ax0, v_k])
                T.writes(places[v_ax0, v_ax1])
                T.block_attr({"rlx.operator": "reduction ssk"})
                with T.init():
                    places[v_ax0, v_ax1] = 0
                places[v_ax0, v_ax1] = places[v_ax0, v_ax1] + T.Select(ranks[v_ax0, v_k] == T.Cast("int32", v_ax1), T.Cast("int32", v_k), 0)
        for ax0, ax1 in T.grid(T.int64(2), T.int64(3)):
            with T.block("values"):
                v_ax0, v_ax1 = T.axis.remap("SS", [ax0, ax1])
                T.reads(places[v_ax0, v_ax1], x[v_ax0, T.Cast("int64", places[v_ax0, v_ax1])])
                T.writes(values[v_ax0, v_ax1])
                T.block_attr({"rlx.operator": "gather ss"})
                values[v_ax0, v_ax1] = x[v_ax0, T.Cast("int64", places[v_ax0, v_ax1])]
        for ax0, ax1 in T.grid(T.int64(2), T.int64(3)):
            with T.block("indices"):
                v_ax0, v_ax1 = T.axis.remap("SS", [ax0, ax1])
                T.reads(places[v_ax0, v_ax1])
                T.writes(indices[v_ax0, v_ax1])
                T.block_attr({"rlx.operator": "elementwise ss"})
                indices[v_ax0, v_ax1] = places[v_ax0, v_ax1]

    @T.prim_func(private=True)
    def pad(x: T.Buffer((T.int64(2), T.int64(5)), "float32"), v: T.Buffer((), "float32"), var_PadInput: T.handle, w: T.int64):
        T.func_attr({"op_pattern": 8, "tir.noalias": T.bool(True), "target": "opencl"})
        PadInput = T.match_buffer(var_PadInput, (T.int64(2), w + T.int64(5)))
        # with T.block("root"):
        for ax0, ax1 in T.grid(T.int64(2), w + T.int64(5)):
            with T.block("PadInput"):
                v_ax0, v_ax1 = T.axis.remap("SS", [ax0, ax1])
                T.reads(x[v_ax0, v_ax1 - w], v[()])
                T.writes(PadInput[v_ax0, v_ax1])
                T.block_attr({"rlx.operator": "rearrange ss"})
                PadInput[v_ax0, v_ax1] = T.if_then_else(T.int64(0) <= v_ax0 and v_ax0 < T.int64(2) and (T.int64(0) <= v_ax1 - w and v_ax1 - w < T.int64(5)), x[v_ax0, v_ax1 - w], v[()])

    @T.prim_func(private=True)
    def strided_slice(var_b: T.handle, var_slice: T.handle, w: T.int64):
        T.func_attr({"op_pattern": 8, "tir.noalias": T.bool(True), "target": "opencl"})
        n1 = T.int64()
        b = T.match_buffer(var_b, (T.int64(2), w + T.int64(5)))
        slice = T.match_buffer(var_slice, (T.int64(2), n1))
        # with T.block("root"):
        for ax0, ax1 in T.grid(T.int64(2), n1):
            with T.block("slice"):
                v_ax0, v_ax1 = T.axis.remap("SS", [ax0, ax1])
                T.reads(b[T.max(T.int64(0), T.min(T.int64(1) + v_ax0 * T.int64(-1), T.int64(1))), T.max(T.int64(0), T.min(T.max(T.int64(0), T.min(T.Select(w < T.int64(0), w + (w + T.int64(5)), w), w + T.int64(5))) + v_ax1, w + T.int64(5) - T.int64(1)))])
                T.writes(slice[v_ax0, v_ax1])
                T.block_attr({"rlx.operator": "rearrange ss"})
                slice[v_ax0, v_ax1] = T.if_then_else(T.int64(0) < w + T.int64(5), b[T.max(T.int64(0), T.min(T.int64(1) + v_ax0 * T.int64(-1), T.int64(1))), T.max(T.int64(0), T.min(T.max(T.int64(0), T.min(T.Select(w < T.int64(0), w + (w + T.int64(5)), w), w + T.int64(5))) + v_ax1, w + T.int64(5) - T.int64(1)))], T.float32(0.0))

# ==== checks
# The device checks values itself: indices, classes with one that is ignored, divisors, indices that are unsigned.
from tvm.script import ir as I
from tvm.script import relax as R
@I.ir_module
class Module:
    I.module_global_infos({"vdevice": [I.vdevice("llvm"), I.vdevice("opencl", 0)]})
    @R.function
    def main(x: R.Tensor((3,), "int32", "opencl:0"), y: R.Tensor((3,), "int32", "opencl:0"), i: R.Tensor(("k",), "uint64", "opencl:0"), c: R.Tensor(("m", 2), "int64", "opencl:0"), w: R.Tensor((3, 4), "float32", "opencl:0"), t: R.Tensor((3,), "int64", "opencl:0")):
        with R.dataflow():
            a = R.divide(x, y)
            b = R.take(a, i, axis=0)
            d = R.gather_nd(w, c)
            e = R.nn.nll_loss(w, t)
            R.output(b, d, e)
        return (b, d, e)
# ---- expected
# from tvm.script import ir as I
# from tvm.script import tir as T
# from tvm.script import relax as R

@I.ir_module
class Module:
    I.module_global_infos({"vdevice": [I.vdevice("llvm", 0, "global"), I.vdevice("opencl", 0, "global")]})
    @R.function
    def main(x: R.Tensor((3,), dtype="int32", vdevice="opencl:0"), y: R.Tensor((3,), dtype="int32", vdevice="opencl:0"), i: R.Tensor(("k",), dtype="uint64", vdevice="opencl:0"), c: R.Tensor(("m", 2), dtype="int64", vdevice="opencl:0"), w: R.Tensor((3, 4), dtype="float32", vdevice="opencl:0"), t: R.Tensor((3,), dtype="int64", vdevice="opencl:0")) -> R.Tuple(R.Tensor(("k",), dtype="int32", vdevice="opencl:0"), R.Tensor(("m",), dtype="float32", vdevice="opencl:0"), R.Tensor((), dtype="float32", vdevice="opencl:0")):
        k = T.int64()
        m = T.int64()
        cls = Module
        with R.dataflow():
            _: R.Tuple = cls.check_nonzero(y)
            a: R.Tensor((3,), dtype="int32", vdevice="opencl:0") = R.call_tir(cls.divide, (x, y), out_sinfo=R.Tensor((3,), dtype="int32", vdevice="opencl:0"))
            _: R.Tuple = cls.check_index(i)
            b: R.Tensor((k,), dtype="int32", vdevice="opencl:0") = R.call_tir(cls.take, (a, i), out_sinfo=R.Tensor((k,), dtype="int32", vdevice="opencl:0"))
            _: R.Tuple = cls.check_index1(c)
            d: R.Tensor((m,), dtype="float32", vdevice="opencl:0") = R.call_tir(cls.gather_nd, (w, c), out_sinfo=R.Tensor((m,), dtype="float32", vdevice="opencl:0"))
            _: R.Tuple = cls.check_index2(t)
            e: R.Tensor((), dtype="float32", vdevice="opencl:0") = R.call_tir(cls.nll_loss, (w, t), out_sinfo=R.Tensor((), dtype="float32", vdevice="opencl:0"))
            R.output(b, d, e)
        return (b, d, e)

    @T.prim_func(private=True)
    def divide(x: T.Buffer((T.int64(3),), "int32"), a: T.Buffer((T.int64(3),), "int32"), T_divide: T.Buffer((T.int64(3),), "int32")):
        T.func_attr({"op_pattern": 0, "tir.noalias": T.bool(True), "target": "opencl"})
        # with T.block("root"):
        for ax0 in range(T.int64(3)):
            with T.block("T_divide"):
                v_ax0 = T.axis.spatial(T.int64(3), ax0)
                T.reads(x[v_ax0], a[v_ax0])
                T.writes(T_divide[v_ax0])
                T.block_attr({"rlx.operator": "elementwise s"})
                T_divide[v_ax0] = T.Div(x[v_ax0], a[v_ax0])

    @T.prim_func(private=True)
    def take(a: T.Buffer((T.int64(3),), "int32"), var_b: T.handle, var_T_take: T.handle):
        T.func_attr({"op_pattern": 2, "tir.noalias": T.bool(True), "target": "opencl"})
        k = T.int64()
        b = T.match_buffer(var_b, (k,), "uint64")
        T_take = T.match_buffer(var_T_take, (k,), "int32")
        # with T.block("root"):
        for ax0 in range(k):
            with T.block("T_take"):
                v_ax0 = T.axis.spatial(k, ax0)
                T.reads(b[v_ax0], a[T.max(T.min(T.Cast("int64", b[v_ax0]), T.int64(2)), T.int64(0))])
                T.writes(T_take[v_ax0])
                T.block_attr({"rlx.operator": "gather s"})
                T_take[v_ax0] = a[T.max(T.min(T.Cast("int64", b[v_ax0]), T.int64(2)), T.int64(0))]

    @T.prim_func(private=True)
    def gather_nd(w: T.Buffer((T.int64(3), T.int64(4)), "float32"), var_d: T.handle, var_T_gather_nd: T.handle):
        T.func_attr({"op_pattern": 2, "tir.noalias": T.bool(True), "target": "opencl"})
        m = T.int64()
        d = T.match_buffer(var_d, (m, T.int64(2)), "int64")
        T_gather_nd = T.match_buffer(var_T_gather_nd, (m,))
        # with T.block("root"):
        for ax0 in range(m):
            with T.block("T_gather_nd"):
                v_ax0 = T.axis.spatial(m, ax0)
                T.reads(d[v_ax0, T.int64(0)], d[v_ax0, T.int64(1)], w[T.max(T.min(T.Select(d[v_ax0, T.int64(0)] < T.int64(0), d[v_ax0, T.int64(0)] + T.int64(3), d[v_ax0, T.int64(0)]), T.int64(2)), T.int64(0)), T.max(T.min(T.Select(d[v_ax0, T.int64(1)] < T.int64(0), d[v_ax0, T.int64(1)] + T.int64(4), d[v_ax0, T.int64(1)]), T.int64(3)), T.int64(0))])
                T.writes(T_gather_nd[v_ax0])
                T.block_attr({"rlx.operator": "gather s"})
                T_gather_nd[v_ax0] = w[T.max(T.min(T.Select(d[v_ax0, T.int64(0)] < T.int64(0), d[v_ax0, T.int64(0)] + T.int64(3), d[v_ax0, T.int64(0)]), T.int64(2)), T.int64(0)), T.max(T.min(T.Select(d[v_ax0, T.int64(1)] < T.int64(0), d[v_ax0, T.int64(1)] + T.int64(4), d[v_ax0, T.int64(1)]), T.int64(3)), T.int64(0))]

    @T.prim_func(private=True)
    def nll_loss(w: T.Buffer((T.int64(3), T.int64(4)), "float32"), e: T.Buffer((T.int64(3),), "int64"), T_nll_loss: T.Buffer((), "float32")):
        T.func_attr({"op_pattern": 8, "tir.noalias": T.bool(True), "target": "opencl"})
        # with T.block("root"):
        nll_loss = T.alloc_buffer((T.int64(3),))
        loss_sum = T.alloc_buffer(())
        weight_sum = T.alloc_buffer(())
        for ax0 in range(T.int64(3)):
            with T.block("nll_loss"):
                v_ax0 = T.axis.spatial(T.int64(3), ax0)
                T.reads(e[v_ax0], w[v_ax0, T.max(T.min(T.Select(e[v_ax0] < T.int64(0), e[v_ax0] + T.int64(4), e[v_ax0]), T.int64(3)), T.int64(0))])
                T.writes(nll_loss[v_ax0])
                T.block_attr({"rlx.operator": "gather s"})
                nll_loss[v_ax0] = w[v_ax0, T.max(T.min(T.Select(e[v_ax0] < T.int64(0), e[v_ax0] + T.int64(4), e[v_ax0]), T.int64(3)), T.int64(0))] * T.float32(-1.0) * T.if_then_else(e[v_ax0] == T.int64(-100), T.float32(0.0), T.float32(1.0))
        for k0 in range(T.int64(3)):
            with T.block("loss_sum"):
                v_k0 = T.axis.reduce(T.int64(3), k0)
                T.reads(nll_loss[v_k0])
                T.writes(loss_sum[()])
                T.block_attr({"rlx.operator": "reduction k"})
                with T.init():
                    loss_sum[()] = T.float32(0.0)
                loss_sum[()] = loss_sum[()] + nll_loss[v_k0]
        for k0 in range(T.int64(3)):
            with T.block("weight_sum"):
                v_k0 = T.axis.reduce(T.int64(3), k0)
                T.reads(e[v_k0])
                T.writes(weight_sum[()])
                T.block_attr({"rlx.operator": "reduction k"})
                with T.init():
                    weight_sum[()] = T.float32(0.0)
                weight_sum[()] = weight_sum[()] + T.if_then_else(e[v_k0] == T.int64(-100), T.float32(0.0), T.float32(1.0))
        with T.block("T_nll_loss"):
            T.reads(loss_sum[()], weight_sum[()])
            T.writes(T_nll_loss[()])
            T_nll_loss[()] = loss_sum[()] / weight_sum[()]

    @T.prim_func(private=True)
    def check_nonzero(y: T.Buffer((T.int64(3),), "int32")):
        T.func_attr({"op_pattern": 8, "tir.noalias": T.bool(True), "target": "opencl"})
        # with T.block("root"):
        for ax0 in range(T.int64(3)):
            with T.block("checked"):
                v_ax0 = T.axis.spatial(T.int64(3), ax0)
                if y[v_ax0] == 0:
                    T.check_index("place_kernels.py#checks:10:17: divide: the divisor is 0: of ", T.int64(3), " elements the one at ", v_ax0)

    @T.prim_func(private=True)
    def check_index(var_i: T.handle):
        T.func_attr({"op_pattern": 8, "tir.noalias": T.bool(True), "target": "opencl"})
        k = T.int64()
        i = T.match_buffer(var_i, (k,), "uint64")
        # with T.block("root"):
        for ax0 in range(k):
            with T.block("checked"):
                v_ax0 = T.axis.spatial(k, ax0)
                if T.Cast("int64", i[v_ax0]) < T.int64(0):
                    T.check_index("place_kernels.py#checks:11:17: take: index is out of range, 2^63 or more: of ", k, " elements the one at ", v_ax0)
                if T.Cast("int64", i[v_ax0]) < T.int64(-3) or T.Cast("int64", i[v_ax0]) >= T.int64(3):
                    T.check_index("place_kernels.py#checks:11:17: take: index ", T.Cast("int64", i[v_ax0]), " is out of range: expected -3 to ", T.int64(2))

    @T.prim_func(private=True)
    def check_index1(var_c: T.handle):
        T.func_attr({"op_pattern": 8, "tir.noalias": T.bool(True), "target": "opencl"})
        m = T.int64()
        c = T.match_buffer(var_c, (m, T.int64(2)), "int64")
        # with T.block("root"):
        for ax0, ax1 in T.grid(m, T.int64(2)):
            with T.block("checked"):
                v_ax0, v_ax1 = T.axis.remap("SS", [ax0, ax1])
                if v_ax1 == T.int64(0) and (c[v_ax0, v_ax1] < T.int64(-3) or c[v_ax0, v_ax1] >= T.int64(3)):
                    T.check_index("place_kernels.py#checks:12:17: gather_nd: index ", c[v_ax0, v_ax1], " is out of range: expected -3 to ", T.int64(2))
                if v_ax1 == T.int64(1) and (c[v_ax0, v_ax1] < T.int64(-4) or c[v_ax0, v_ax1] >= T.int64(4)):
                    T.check_index("place_kernels.py#checks:12:17: gather_nd: index ", c[v_ax0, v_ax1], " is out of range: expected -4 to ", T.int64(3))

    @T.prim_func(private=True)
    def check_index2(t: T.Buffer((T.int64(3),), "int64")):
        T.func_attr({"op_pattern": 8, "tir.noalias": T.bool(True), "target": "opencl"})
        # with T.block("root"):
        for ax0 in range(T.int64(3)):
            with T.block("checked"):
                v_ax0 = T.axis.spatial(T.int64(3), ax0)
                if (t[v_ax0] < T.int64(0) or t[v_ax0] >= T.int64(4)) and t[v_ax0] != T.int64(-100):
                    T.check_index("place_kernels.py#checks:13:17: nn.nll_loss: class ", t[v_ax0], " is out of range: expected 0 to ", T.int64(3))

# ==== copies_of_functions
# Variables of two functions have the same numbers: a copy that one made is nothing to the other.
from tvm.script import ir as I
from tvm.script import relax as R
from tvm.script import tir as T
@I.ir_module
class Module:
    I.module_global_infos({"vdevice": [I.vdevice("llvm"), I.vdevice("opencl", 0)]})
    @T.prim_func(private=True)
    def add(a: T.Buffer((4,), "float32"), b: T.Buffer((4,), "float32"), o: T.Buffer((4,), "float32")):
        for i in range(4):
            with T.block("o"):
                v = T.axis.spatial(4, i)
                o[v] = a[v] + b[v]
    @R.function
    def first(a: R.Tensor((4,), "float32", "opencl:0"), b: R.Tensor((4,), "float32", "llvm:0")):
        c = R.to_vdevice(b, "opencl:0")
        d = R.to_vdevice(c, "llvm:0")
        return (c, d)
    @R.function
    def second(x: R.Tensor((4,), "float32", "opencl:0"), y: R.Tensor((4,), "float32", "opencl:0")):
        z = R.call_tir(Module.add, (x, y), out_sinfo=R.Tensor((4,), "float32", "opencl:0"))
        return R.to_vdevice(z, "llvm:0")
# ---- expected
# from tvm.script import ir as I
# from tvm.script import tir as T
# from tvm.script import relax as R

@I.ir_module
class Module:
    I.module_global_infos({"vdevice": [I.vdevice("llvm", 0, "global"), I.vdevice("opencl", 0, "global")]})
    @T.prim_func(private=True)
    def add(a: T.Buffer((4,), "float32"), b: T.Buffer((4,), "float32"), o: T.Buffer((4,), "float32")):
        # with T.block("root"):
        for i in range(T.int64(4)):
            with T.block("o"):
                v = T.axis.spatial(T.int64(4), i)
                T.block_attr({"rlx.operator": "elementwise s"})
                o[v] = a[v] + b[v]

    @R.function
    def first(a: R.Tensor((4,), dtype="float32", vdevice="opencl:0"), b: R.Tensor((4,), dtype="float32", vdevice="llvm:0")) -> R.Tuple(R.Tensor((4,), dtype="float32", vdevice="opencl:0"), R.Tensor((4,), dtype="float32", vdevice="llvm:0")):
        c: R.Tensor((4,), dtype="float32", vdevice="opencl:0") = R.to_vdevice(b, dst_vdevice="opencl:0")
        return (c, b)

    @R.function
    def second(x: R.Tensor((4,), dtype="float32", vdevice="opencl:0"), y: R.Tensor((4,), dtype="float32", vdevice="opencl:0")) -> R.Tensor((4,), dtype="float32", vdevice="llvm:0"):
        cls = Module
        z: R.Tensor((4,), dtype="float32", vdevice="opencl:0") = R.call_tir(cls.add1, (x, y), out_sinfo=R.Tensor((4,), dtype="float32", vdevice="opencl:0"))
        gv: R.Tensor((4,), dtype="float32", vdevice="llvm:0") = R.to_vdevice(z, dst_vdevice="llvm:0")
        return gv

    @T.prim_func(private=True)
    def add1(a: T.Buffer((4,), "float32"), b: T.Buffer((4,), "float32"), o: T.Buffer((4,), "float32")):
        T.func_attr({"target": "opencl"})
        # with T.block("root"):
        for i in range(T.int64(4)):
            with T.block("o"):
                v = T.axis.spatial(T.int64(4), i)
                T.block_attr({"rlx.operator": "elementwise s"})
                o[v] = a[v] + b[v]

# ==== scopes
# The memory of a tensor reaches the buffers of the PrimFunc that reads or makes it; what a buffer wants stays.
from tvm.script import ir as I
from tvm.script import relax as R
from tvm.script import tir as T
@I.ir_module
class Module:
    I.module_global_infos({"vdevice": [I.vdevice("llvm"), I.vdevice("opencl", 0), I.vdevice("opencl", 0, "global.texture")]})
    @T.prim_func(private=True)
    def sample(a: T.Buffer((4, 4), "float32", scope="global.texture"), b: T.Buffer((4, 4), "float32"), o: T.Buffer((4, 4), "float32")):
        for i, j in T.grid(4, 4):
            with T.block("o"):
                vi, vj = T.axis.remap("SS", [i, j])
                o[vi, vj] = a[vi, vj] + b[vi, vj]
    @R.function
    def main(x: R.Tensor((4, 4), "float32", "opencl:1"), y: R.Tensor((4, 4), "float32", "opencl:0")):
        with R.dataflow():
            a = R.exp(x)
            b = R.exp(y)
            c = R.call_tir(Module.sample, (y, x), out_sinfo=R.Tensor((4, 4), "float32", "opencl:0"))
            d = R.call_tir(Module.sample, (x, y), out_sinfo=R.Tensor((4, 4), "float32", "opencl:1"))
            e = R.add(c, b)
            R.output(a, d, e)
        return (a, d, e)
# ---- expected
# from tvm.script import ir as I
# from tvm.script import tir as T
# from tvm.script import relax as R

@I.ir_module
class Module:
    I.module_global_infos({"vdevice": [I.vdevice("llvm", 0, "global"), I.vdevice("opencl", 0, "global"), I.vdevice("opencl", 0, "global.texture")]})
    @T.prim_func(private=True)
    def sample(var_a: T.handle, b: T.Buffer((4, 4), "float32"), o: T.Buffer((4, 4), "float32")):
        a = T.match_buffer(var_a, (4, 4), scope="global.texture")
        # with T.block("root"):
        for i, j in T.grid(T.int64(4), T.int64(4)):
            with T.block("o"):
                vi, vj = T.axis.remap("SS", [i, j])
                T.block_attr({"rlx.operator": "elementwise ss"})
                o[vi, vj] = a[vi, vj] + b[vi, vj]

    @R.function
    def main(x: R.Tensor((4, 4), dtype="float32", vdevice="opencl:1"), y: R.Tensor((4, 4), dtype="float32", vdevice="opencl:0")) -> R.Tuple(R.Tensor((4, 4), dtype="float32", vdevice="opencl:1"), R.Tensor((4, 4), dtype="float32", vdevice="opencl:1"), R.Tensor((4, 4), dtype="float32", vdevice="opencl:0")):
        cls = Module
        with R.dataflow():
            a: R.Tensor((4, 4), dtype="float32", vdevice="opencl:1") = R.call_tir(cls.exp1, (x,), out_sinfo=R.Tensor((4, 4), dtype="float32", vdevice="opencl:1"))
            b: R.Tensor((4, 4), dtype="float32", vdevice="opencl:0") = R.call_tir(cls.exp, (y,), out_sinfo=R.Tensor((4, 4), dtype="float32", vdevice="opencl:0"))
            y_1: R.Tensor((4, 4), dtype="float32", vdevice="opencl:1") = R.to_vdevice(y, dst_vdevice="opencl:1")
            c: R.Tensor((4, 4), dtype="float32", vdevice="opencl:0") = R.call_tir(cls.sample11, (y_1, x), out_sinfo=R.Tensor((4, 4), dtype="float32", vdevice="opencl:0"))
            d: R.Tensor((4, 4), dtype="float32", vdevice="opencl:1") = R.call_tir(cls.sample21, (x, y), out_sinfo=R.Tensor((4, 4), dtype="float32", vdevice="opencl:1"))
            e: R.Tensor((4, 4), dtype="float32", vdevice="opencl:0") = R.call_tir(cls.add, (c, b), out_sinfo=R.Tensor((4, 4), dtype="float32", vdevice="opencl:0"))
            R.output(a, d, e)
        return (a, d, e)

    @T.prim_func(private=True)
    def exp(x: T.Buffer((T.int64(4), T.int64(4)), "float32"), compute: T.Buffer((T.int64(4), T.int64(4)), "float32")):
        T.func_attr({"op_pattern": 0, "tir.noalias": T.bool(True), "target": "opencl"})
        # with T.block("root"):
        for ax0, ax1 in T.grid(T.int64(4), T.int64(4)):
            with T.block("compute"):
                v_ax0, v_ax1 = T.axis.remap("SS", [ax0, ax1])
                T.reads(x[v_ax0, v_ax1])
                T.writes(compute[v_ax0, v_ax1])
                T.block_attr({"rlx.operator": "elementwise ss"})
                compute[v_ax0, v_ax1] = T.exp(x[v_ax0, v_ax1])

    @T.prim_func(private=True)
    def add(c: T.Buffer((T.int64(4), T.int64(4)), "float32"), b: T.Buffer((T.int64(4), T.int64(4)), "float32"), T_add: T.Buffer((T.int64(4), T.int64(4)), "float32")):
        T.func_attr({"op_pattern": 0, "tir.noalias": T.bool(True), "target": "opencl"})
        # with T.block("root"):
        for ax0, ax1 in T.grid(T.int64(4), T.int64(4)):
            with T.block("T_add"):
                v_ax0, v_ax1 = T.axis.remap("SS", [ax0, ax1])
                T.reads(c[v_ax0, v_ax1], b[v_ax0, v_ax1])
                T.writes(T_add[v_ax0, v_ax1])
                T.block_attr({"rlx.operator": "elementwise ss"})
                T_add[v_ax0, v_ax1] = c[v_ax0, v_ax1] + b[v_ax0, v_ax1]

    @T.prim_func(private=True)
    def exp1(var_x: T.handle, var_compute: T.handle):
        T.func_attr({"op_pattern": 0, "tir.noalias": T.bool(True), "target": "opencl"})
        x = T.match_buffer(var_x, (T.int64(4), T.int64(4)), scope="global.texture")
        compute = T.match_buffer(var_compute, (T.int64(4), T.int64(4)), scope="global.texture")
        # with T.block("root"):
        for ax0, ax1 in T.grid(T.int64(4), T.int64(4)):
            with T.block("compute"):
                v_ax0, v_ax1 = T.axis.remap("SS", [ax0, ax1])
                T.reads(x[v_ax0, v_ax1])
                T.writes(compute[v_ax0, v_ax1])
                T.block_attr({"rlx.operator": "elementwise ss"})
                compute[v_ax0, v_ax1] = T.exp(x[v_ax0, v_ax1])

    @T.prim_func(private=True)
    def sample1(var_a: T.handle, b: T.Buffer((4, 4), "float32"), o: T.Buffer((4, 4), "float32")):
        T.func_attr({"target": "opencl"})
        a = T.match_buffer(var_a, (4, 4), scope="global.texture")
        # with T.block("root"):
        for i, j in T.grid(T.int64(4), T.int64(4)):
            with T.block("o"):
                vi, vj = T.axis.remap("SS", [i, j])
                T.block_attr({"rlx.operator": "elementwise ss"})
                o[vi, vj] = a[vi, vj] + b[vi, vj]

    @T.prim_func(private=True)
    def sample11(var_a: T.handle, var_b: T.handle, o: T.Buffer((4, 4), "float32")):
        T.func_attr({"target": "opencl"})
        a = T.match_buffer(var_a, (4, 4), scope="global.texture")
        b = T.match_buffer(var_b, (4, 4), scope="global.texture")
        # with T.block("root"):
        for i, j in T.grid(T.int64(4), T.int64(4)):
            with T.block("o"):
                vi, vj = T.axis.remap("SS", [i, j])
                T.block_attr({"rlx.operator": "elementwise ss"})
                o[vi, vj] = a[vi, vj] + b[vi, vj]

    @T.prim_func(private=True)
    def sample2(var_a: T.handle, b: T.Buffer((4, 4), "float32"), o: T.Buffer((4, 4), "float32")):
        T.func_attr({"target": "opencl"})
        a = T.match_buffer(var_a, (4, 4), scope="global.texture")
        # with T.block("root"):
        for i, j in T.grid(T.int64(4), T.int64(4)):
            with T.block("o"):
                vi, vj = T.axis.remap("SS", [i, j])
                T.block_attr({"rlx.operator": "elementwise ss"})
                o[vi, vj] = a[vi, vj] + b[vi, vj]

    @T.prim_func(private=True)
    def sample21(var_a: T.handle, b: T.Buffer((4, 4), "float32"), var_o: T.handle):
        T.func_attr({"target": "opencl"})
        a = T.match_buffer(var_a, (4, 4), scope="global.texture")
        o = T.match_buffer(var_o, (4, 4), scope="global.texture")
        # with T.block("root"):
        for i, j in T.grid(T.int64(4), T.int64(4)):
            with T.block("o"):
                vi, vj = T.axis.remap("SS", [i, j])
                T.block_attr({"rlx.operator": "elementwise ss"})
                o[vi, vj] = a[vi, vj] + b[vi, vj]

# ==== memory_of_a_device
# A kernel that the device refuses runs on the CPU, whose version names no memory of the device; it is made once.
from tvm.script import ir as I
from tvm.script import relax as R
from tvm.script import tir as T
@I.ir_module
class Module:
    I.module_global_infos({"vdevice": [I.vdevice("llvm"), I.vdevice("opencl", 0), I.vdevice("opencl", 0, "global.texture")]})
    @T.prim_func
    def f(A: T.Buffer((4,), "int64", scope="global.texture"), B: T.Buffer((4,), "int64")):
        for i in range(4):
            with T.block("B"):
                vi = T.axis.spatial(4, i)
                B[vi] = T.call_extern("int64", "llabs", A[vi])
    @R.function
    def main(x: R.Tensor((4,), "int64", "opencl:0"), z: R.Tensor((4,), "int64", "opencl:1")):
        cls = Module
        with R.dataflow():
            a = R.call_tir(cls.f, (x,), out_sinfo=R.Tensor((4,), "int64"))
            b = R.call_tir(cls.f, (z,), out_sinfo=R.Tensor((4,), "int64"))
            R.output(a, b)
        return (a, b)
# ---- expected
# from tvm.script import ir as I
# from tvm.script import tir as T
# from tvm.script import relax as R

@I.ir_module
class Module:
    I.module_global_infos({"vdevice": [I.vdevice("llvm", 0, "global"), I.vdevice("opencl", 0, "global"), I.vdevice("opencl", 0, "global.texture")]})
    @R.function
    def main(x: R.Tensor((4,), dtype="int64", vdevice="opencl:0"), z: R.Tensor((4,), dtype="int64", vdevice="opencl:1")) -> R.Tuple(R.Tensor((4,), dtype="int64", vdevice="opencl:0"), R.Tensor((4,), dtype="int64", vdevice="opencl:0")):
        cls = Module
        with R.dataflow():
            x_1: R.Tensor((4,), dtype="int64", vdevice="opencl:1") = R.to_vdevice(x, dst_vdevice="opencl:1")
            x_2: R.Tensor((4,), dtype="int64", vdevice="llvm:0") = R.to_vdevice(x_1, dst_vdevice="llvm:0")
            a: R.Tensor((4,), dtype="int64", vdevice="llvm:0") = R.call_tir(cls.f1, (x_2,), out_sinfo=R.Tensor((4,), dtype="int64", vdevice="llvm:0"))
            a_1: R.Tensor((4,), dtype="int64", vdevice="opencl:0") = R.to_vdevice(a, dst_vdevice="opencl:0")
            z_1: R.Tensor((4,), dtype="int64", vdevice="llvm:0") = R.to_vdevice(z, dst_vdevice="llvm:0")
            b: R.Tensor((4,), dtype="int64", vdevice="llvm:0") = R.call_tir(cls.f1, (z_1,), out_sinfo=R.Tensor((4,), dtype="int64", vdevice="llvm:0"))
            b_1: R.Tensor((4,), dtype="int64", vdevice="opencl:0") = R.to_vdevice(b, dst_vdevice="opencl:0")
            R.output(a_1, b_1)
        return (a_1, b_1)

    @T.prim_func(private=True)
    def f1(A: T.Buffer((4,), "int64"), B: T.Buffer((4,), "int64")):
        # with T.block("root"):
        for i in range(T.int64(4)):
            with T.block("B"):
                vi = T.axis.spatial(T.int64(4), i)
                B[vi] = T.call_extern("int64", "llabs", A[vi])

# ==== parallel_inside_a_block
# A block that contains a parallel loop would be one thread of a device: it runs on the CPU.
from tvm.script import ir as I
from tvm.script import relax as R
from tvm.script import tir as T
@I.ir_module
class Module:
    I.module_global_infos({"vdevice": [I.vdevice("llvm"), I.vdevice("opencl", 0)]})
    @T.prim_func
    def f(A: T.Buffer((8, 4), "float32"), B: T.Buffer((8, 4), "float32")):
        with T.block("root"):
            with T.block("steps"):
                T.reads(A[0:8, 0:4])
                T.writes(B[0:8, 0:4])
                for i in T.parallel(8):
                    B[i, 0] = A[i, 0]
                    for j in range(1, 4):
                        B[i, j] = B[i, j - 1] * A[i, j]
    @R.function
    def main(x: R.Tensor((8, 4), "float32", "opencl:0")):
        cls = Module
        with R.dataflow():
            a = R.call_tir(cls.f, (x,), out_sinfo=R.Tensor((8, 4), "float32"))
            R.output(a)
        return a
# ---- expected
# from tvm.script import ir as I
# from tvm.script import tir as T
# from tvm.script import relax as R

@I.ir_module
class Module:
    I.module_global_infos({"vdevice": [I.vdevice("llvm", 0, "global"), I.vdevice("opencl", 0, "global")]})
    @T.prim_func
    def f(A: T.Buffer((8, 4), "float32"), B: T.Buffer((8, 4), "float32")):
        with T.block("root"):
            with T.block("steps"):
                for i in T.parallel(T.int64(8)):
                    B[i, T.int64(0)] = A[i, T.int64(0)]
                    for j in range(T.int64(3)):
                        B[i, j + T.int64(1)] = B[i, j + T.int64(1) - T.int64(1)] * A[i, j + T.int64(1)]

    @R.function
    def main(x: R.Tensor((8, 4), dtype="float32", vdevice="opencl:0")) -> R.Tensor((8, 4), dtype="float32", vdevice="opencl:0"):
        cls = Module
        with R.dataflow():
            x_1: R.Tensor((8, 4), dtype="float32", vdevice="llvm:0") = R.to_vdevice(x, dst_vdevice="llvm:0")
            a: R.Tensor((8, 4), dtype="float32", vdevice="llvm:0") = R.call_tir(cls.f, (x_1,), out_sinfo=R.Tensor((8, 4), dtype="float32", vdevice="llvm:0"))
            a_1: R.Tensor((8, 4), dtype="float32", vdevice="opencl:0") = R.to_vdevice(a, dst_vdevice="opencl:0")
            R.output(a_1)
        return a_1
