# ==== devices
# Functions that differ in a number are one for each target.
from tvm.script import ir as I
from tvm.script import relax as R
from tvm.script import tir as T
@I.ir_module
class Module:
    I.module_global_infos({"vdevice": [I.vdevice("llvm"), I.vdevice("opencl", 0), I.vdevice("opencl", 1)]})
    @R.function
    def main(x: R.Tensor((8,), "float32", "opencl:0"), h: R.Tensor((8,), "float32", "llvm:0")):
        with R.dataflow():
            a = R.multiply(x, R.const(2.0, "float32"))
            b = R.multiply(h, R.const(3.0, "float32"))
            c = R.multiply(x, R.const(4.0, "float32"))
            d = R.multiply(h, R.const(5.0, "float32"))
            R.output(a, b, c, d)
        return (a, b, c, d)
# ---- expected
# from tvm.script import ir as I
# from tvm.script import tir as T
# from tvm.script import relax as R

@I.ir_module
class Module:
    I.module_global_infos({"vdevice": [I.vdevice("llvm", 0, "global"), I.vdevice("opencl", 0, "global"), I.vdevice("opencl", 1, "global")]})
    @R.function
    def main(x: R.Tensor((8,), dtype="float32", vdevice="opencl:0"), h: R.Tensor((8,), dtype="float32", vdevice="llvm:0")) -> R.Tuple(R.Tensor((8,), dtype="float32", vdevice="opencl:0"), R.Tensor((8,), dtype="float32", vdevice="llvm:0"), R.Tensor((8,), dtype="float32", vdevice="opencl:0"), R.Tensor((8,), dtype="float32", vdevice="llvm:0")):
        cls = Module
        with R.dataflow():
            a: R.Tensor((8,), dtype="float32", vdevice="opencl:0") = R.call_tir(cls.multiply, (x, R.const(2.0, "float32")), out_sinfo=R.Tensor((8,), dtype="float32", vdevice="opencl:0"))
            b: R.Tensor((8,), dtype="float32", vdevice="llvm:0") = R.call_tir(cls.multiply1, (h, R.const(3.0, "float32")), out_sinfo=R.Tensor((8,), dtype="float32", vdevice="llvm:0"))
            c: R.Tensor((8,), dtype="float32", vdevice="opencl:0") = R.call_tir(cls.multiply, (x, R.const(4.0, "float32")), out_sinfo=R.Tensor((8,), dtype="float32", vdevice="opencl:0"))
            d: R.Tensor((8,), dtype="float32", vdevice="llvm:0") = R.call_tir(cls.multiply1, (h, R.const(5.0, "float32")), out_sinfo=R.Tensor((8,), dtype="float32", vdevice="llvm:0"))
            R.output(a, b, c, d)
        return (a, b, c, d)

    @T.prim_func(private=True)
    def multiply(x: T.Buffer((T.int64(8),), "float32"), number: T.Buffer((), "float32"), T_multiply: T.Buffer((T.int64(8),), "float32")):
        T.func_attr({"op_pattern": 0, "tir.noalias": T.bool(True), "target": "opencl"})
        # with T.block("root"):
        for ax0 in range(T.int64(8)):
            with T.block("T_multiply"):
                v_ax0 = T.axis.spatial(T.int64(8), ax0)
                T.writes(T_multiply[v_ax0])
                T.block_attr({"rlx.operator": "elementwise s"})
                T_multiply[v_ax0] = x[v_ax0] * number[()]

    @T.prim_func(private=True)
    def multiply1(h: T.Buffer((T.int64(8),), "float32"), number: T.Buffer((), "float32"), T_multiply: T.Buffer((T.int64(8),), "float32")):
        T.func_attr({"op_pattern": 0, "tir.noalias": T.bool(True)})
        # with T.block("root"):
        for ax0 in range(T.int64(8)):
            with T.block("T_multiply"):
                v_ax0 = T.axis.spatial(T.int64(8), ax0)
                T.writes(T_multiply[v_ax0])
                T.block_attr({"rlx.operator": "elementwise s"})
                T_multiply[v_ax0] = h[v_ax0] * number[()]

# ==== forms
# Two layers with scales and zero points of their own become calls of one function: the bounds on
# which they agree stay in it, what always occurs together is one parameter. Exponents, powers
# of two as divisors and numbers of reductions are not parameters.
from tvm.script import ir as I, relax as R, tir as T


@I.ir_module
class Module:
    @T.prim_func(private=True)
    def first(x: T.Buffer((T.int64(8),), "float32"), y: T.Buffer((T.int64(8),), "float32")):
        q = T.alloc_buffer((T.int64(8),), "int32")
        for i in range(T.int64(8)):
            with T.block("quantize"):
                vi = T.axis.spatial(T.int64(8), i)
                T.block_attr({"rlx.operator": "elementwise s"})
                q[vi] = T.Cast("int32", T.min(T.max(x[vi] / T.float32(0.3) + T.float32(3), T.float32(0)), T.float32(255)))
        for i in range(T.int64(8)):
            with T.block("dequantize"):
                vi = T.axis.spatial(T.int64(8), i)
                T.block_attr({"rlx.operator": "elementwise s"})
                y[vi] = T.Cast("float32", q[vi] - 3) * T.float32(0.3)

    @T.prim_func(private=True)
    def second(x: T.Buffer((T.int64(8),), "float32"), y: T.Buffer((T.int64(8),), "float32")):
        q = T.alloc_buffer((T.int64(8),), "int32")
        for i in range(T.int64(8)):
            with T.block("quantize"):
                vi = T.axis.spatial(T.int64(8), i)
                T.block_attr({"rlx.operator": "elementwise s"})
                q[vi] = T.Cast("int32", T.min(T.max(x[vi] / T.float32(0.7) + T.float32(5), T.float32(0)), T.float32(255)))
        for i in range(T.int64(8)):
            with T.block("dequantize"):
                vi = T.axis.spatial(T.int64(8), i)
                T.block_attr({"rlx.operator": "elementwise s"})
                y[vi] = T.Cast("float32", q[vi] - 5) * T.float32(0.7)

    @T.prim_func(private=True)
    def square(x: T.Buffer((T.int64(8),), "float32"), y: T.Buffer((T.int64(8),), "float32")):
        for i in range(T.int64(8)):
            with T.block("power"):
                vi = T.axis.spatial(T.int64(8), i)
                T.block_attr({"rlx.operator": "elementwise s"})
                y[vi] = T.pow(x[vi], T.float32(2))

    @T.prim_func(private=True)
    def cube(x: T.Buffer((T.int64(8),), "float32"), y: T.Buffer((T.int64(8),), "float32")):
        for i in range(T.int64(8)):
            with T.block("power"):
                vi = T.axis.spatial(T.int64(8), i)
                T.block_attr({"rlx.operator": "elementwise s"})
                y[vi] = T.pow(x[vi], T.float32(3))

    @T.prim_func(private=True)
    def half(x: T.Buffer((T.int64(8),), "float32"), y: T.Buffer((T.int64(8),), "float32")):
        for i in range(T.int64(8)):
            with T.block("divide"):
                vi = T.axis.spatial(T.int64(8), i)
                y[vi] = x[vi] / T.float32(2)

    @T.prim_func(private=True)
    def quarter(x: T.Buffer((T.int64(8),), "float32"), y: T.Buffer((T.int64(8),), "float32")):
        for i in range(T.int64(8)):
            with T.block("divide"):
                vi = T.axis.spatial(T.int64(8), i)
                y[vi] = x[vi] / T.float32(4)

    @T.prim_func(private=True)
    def sum_of_halves(x: T.Buffer((T.int64(8),), "float32"), y: T.Buffer((T.int64(8),), "float32")):
        for i, k in T.grid(T.int64(8), T.int64(8)):
            with T.block("sum"):
                vi, vk = T.axis.remap("SR", [i, k])
                with T.init():
                    y[vi] = T.float32(0)
                y[vi] = y[vi] + x[vk] * T.float32(0.5)

    @T.prim_func(private=True)
    def sum_of_quarters(x: T.Buffer((T.int64(8),), "float32"), y: T.Buffer((T.int64(8),), "float32")):
        for i, k in T.grid(T.int64(8), T.int64(8)):
            with T.block("sum"):
                vi, vk = T.axis.remap("SR", [i, k])
                with T.init():
                    y[vi] = T.float32(0)
                y[vi] = y[vi] + x[vk] * T.float32(0.25)

    @R.function
    def main(x: R.Tensor((8,), "float32")):
        cls = Module
        with R.dataflow():
            a = R.call_tir(cls.first, (x,), out_sinfo=R.Tensor((8,), "float32"))
            b = R.call_tir(cls.second, (x,), out_sinfo=R.Tensor((8,), "float32"))
            c = R.call_tir(cls.square, (x,), out_sinfo=R.Tensor((8,), "float32"))
            d = R.call_tir(cls.cube, (x,), out_sinfo=R.Tensor((8,), "float32"))
            e = R.call_tir(cls.sum_of_halves, (x,), out_sinfo=R.Tensor((8,), "float32"))
            f = R.call_tir(cls.sum_of_quarters, (x,), out_sinfo=R.Tensor((8,), "float32"))
            g = R.call_tir(cls.half, (x,), out_sinfo=R.Tensor((8,), "float32"))
            h = R.call_tir(cls.quarter, (x,), out_sinfo=R.Tensor((8,), "float32"))
            R.output(a, b, c, d, e, f, g, h)
        return (a, b, c, d, e, f, g, h)
# ---- expected
# from tvm.script import ir as I
# from tvm.script import tir as T
# from tvm.script import relax as R

@I.ir_module
class Module:
    @T.prim_func(private=True)
    def first(x: T.Buffer((T.int64(8),), "float32"), number: T.Buffer((), "float32"), number_1: T.Buffer((), "float32"), number_2: T.Buffer((), "int32"), y: T.Buffer((T.int64(8),), "float32")):
        T.func_attr({"op_pattern": 0})
        # with T.block("root"):
        q = T.alloc_buffer((T.int64(8),), "int32")
        for i in range(T.int64(8)):
            with T.block("quantize"):
                vi = T.axis.spatial(T.int64(8), i)
                T.block_attr({"rlx.operator": "elementwise s"})
                q[vi] = T.Cast("int32", T.min(T.max(x[vi] / number[()] + number_1[()], T.float32(0.0)), T.float32(255.0)))
        for i in range(T.int64(8)):
            with T.block("dequantize"):
                vi = T.axis.spatial(T.int64(8), i)
                T.block_attr({"rlx.operator": "elementwise s"})
                y[vi] = T.Cast("float32", q[vi] - number_2[()]) * number[()]

    @T.prim_func(private=True)
    def square(x: T.Buffer((T.int64(8),), "float32"), y: T.Buffer((T.int64(8),), "float32")):
        T.func_attr({"op_pattern": 0})
        # with T.block("root"):
        for i in range(T.int64(8)):
            with T.block("power"):
                vi = T.axis.spatial(T.int64(8), i)
                T.block_attr({"rlx.operator": "elementwise s"})
                y[vi] = x[vi] * x[vi]

    @T.prim_func(private=True)
    def cube(x: T.Buffer((T.int64(8),), "float32"), y: T.Buffer((T.int64(8),), "float32")):
        T.func_attr({"op_pattern": 0})
        # with T.block("root"):
        for i in range(T.int64(8)):
            with T.block("power"):
                vi = T.axis.spatial(T.int64(8), i)
                T.block_attr({"rlx.operator": "elementwise s"})
                y[vi] = x[vi] * x[vi] * x[vi]

    @T.prim_func(private=True)
    def half(x: T.Buffer((T.int64(8),), "float32"), y: T.Buffer((T.int64(8),), "float32")):
        T.func_attr({"op_pattern": 0})
        # with T.block("root"):
        for i in range(T.int64(8)):
            with T.block("divide"):
                vi = T.axis.spatial(T.int64(8), i)
                T.block_attr({"rlx.operator": "elementwise s"})
                y[vi] = x[vi] / T.float32(2.0)

    @T.prim_func(private=True)
    def quarter(x: T.Buffer((T.int64(8),), "float32"), y: T.Buffer((T.int64(8),), "float32")):
        T.func_attr({"op_pattern": 0})
        # with T.block("root"):
        for i in range(T.int64(8)):
            with T.block("divide"):
                vi = T.axis.spatial(T.int64(8), i)
                T.block_attr({"rlx.operator": "elementwise s"})
                y[vi] = x[vi] / T.float32(4.0)

    @T.prim_func(private=True)
    def sum_of_halves(x: T.Buffer((T.int64(8),), "float32"), y: T.Buffer((T.int64(8),), "float32")):
        T.func_attr({"op_pattern": 3})
        # with T.block("root"):
        for i, k in T.grid(T.int64(8), T.int64(8)):
            with T.block("sum"):
                vi, vk = T.axis.remap("SR", [i, k])
                T.block_attr({"rlx.operator": "reduction sk"})
                with T.init():
                    y[vi] = T.float32(0.0)
                y[vi] = y[vi] + x[vk] * T.float32(0.5)

    @T.prim_func(private=True)
    def sum_of_quarters(x: T.Buffer((T.int64(8),), "float32"), y: T.Buffer((T.int64(8),), "float32")):
        T.func_attr({"op_pattern": 3})
        # with T.block("root"):
        for i, k in T.grid(T.int64(8), T.int64(8)):
            with T.block("sum"):
                vi, vk = T.axis.remap("SR", [i, k])
                T.block_attr({"rlx.operator": "reduction sk"})
                with T.init():
                    y[vi] = T.float32(0.0)
                y[vi] = y[vi] + x[vk] * T.float32(0.25)

    @R.function
    def main(x: R.Tensor((8,), dtype="float32")) -> R.Tuple(R.Tensor((8,), dtype="float32"), R.Tensor((8,), dtype="float32"), R.Tensor((8,), dtype="float32"), R.Tensor((8,), dtype="float32"), R.Tensor((8,), dtype="float32"), R.Tensor((8,), dtype="float32"), R.Tensor((8,), dtype="float32"), R.Tensor((8,), dtype="float32")):
        cls = Module
        with R.dataflow():
            a: R.Tensor((8,), dtype="float32") = R.call_tir(cls.first, (x, R.const(0.30000001192092896, "float32"), R.const(3.0, "float32"), R.const(3, "int32")), out_sinfo=R.Tensor((8,), dtype="float32"))
            b: R.Tensor((8,), dtype="float32") = R.call_tir(cls.first, (x, R.const(0.699999988079071, "float32"), R.const(5.0, "float32"), R.const(5, "int32")), out_sinfo=R.Tensor((8,), dtype="float32"))
            c: R.Tensor((8,), dtype="float32") = R.call_tir(cls.square, (x,), out_sinfo=R.Tensor((8,), dtype="float32"))
            d: R.Tensor((8,), dtype="float32") = R.call_tir(cls.cube, (x,), out_sinfo=R.Tensor((8,), dtype="float32"))
            e: R.Tensor((8,), dtype="float32") = R.call_tir(cls.sum_of_halves, (x,), out_sinfo=R.Tensor((8,), dtype="float32"))
            f: R.Tensor((8,), dtype="float32") = R.call_tir(cls.sum_of_quarters, (x,), out_sinfo=R.Tensor((8,), dtype="float32"))
            g: R.Tensor((8,), dtype="float32") = R.call_tir(cls.half, (x,), out_sinfo=R.Tensor((8,), dtype="float32"))
            h: R.Tensor((8,), dtype="float32") = R.call_tir(cls.quarter, (x,), out_sinfo=R.Tensor((8,), dtype="float32"))
            R.output(a, b, c, d, e, f, g, h)
        return (a, b, c, d, e, f, g, h)

# ==== scalars
# A block that computes one element has no axes and no operator, and its number is a parameter as well.
from tvm.script import ir as I, relax as R, tir as T


@I.ir_module
class Module:
    @T.prim_func(private=True)
    def first(s: T.Buffer((), "float32"), x: T.Buffer((T.int64(8),), "int32"), y: T.Buffer((T.int64(8),), "float32")):
        scale = T.alloc_buffer((), "float32")
        with T.block("multiply"):
            scale[()] = s[()] * T.float32(0.3)
        for i in range(T.int64(8)):
            with T.block("scale"):
                vi = T.axis.spatial(T.int64(8), i)
                T.block_attr({"rlx.operator": "elementwise s"})
                y[vi] = T.Cast("float32", x[vi]) * scale[()]

    @T.prim_func(private=True)
    def second(s: T.Buffer((), "float32"), x: T.Buffer((T.int64(8),), "int32"), y: T.Buffer((T.int64(8),), "float32")):
        scale = T.alloc_buffer((), "float32")
        with T.block("multiply"):
            scale[()] = s[()] * T.float32(0.7)
        for i in range(T.int64(8)):
            with T.block("scale"):
                vi = T.axis.spatial(T.int64(8), i)
                T.block_attr({"rlx.operator": "elementwise s"})
                y[vi] = T.Cast("float32", x[vi]) * scale[()]

    @R.function
    def main(s: R.Tensor((), "float32"), x: R.Tensor((8,), "int32")):
        cls = Module
        with R.dataflow():
            a = R.call_tir(cls.first, (s, x), out_sinfo=R.Tensor((8,), "float32"))
            b = R.call_tir(cls.second, (s, x), out_sinfo=R.Tensor((8,), "float32"))
            R.output(a, b)
        return (a, b)
# ---- expected
# from tvm.script import ir as I
# from tvm.script import tir as T
# from tvm.script import relax as R

@I.ir_module
class Module:
    @T.prim_func(private=True)
    def first(s: T.Buffer((), "float32"), x: T.Buffer((T.int64(8),), "int32"), number: T.Buffer((), "float32"), y: T.Buffer((T.int64(8),), "float32")):
        T.func_attr({"op_pattern": 1})
        # with T.block("root"):
        scale = T.alloc_buffer(())
        with T.block("multiply"):
            scale[()] = s[()] * number[()]
        for i in range(T.int64(8)):
            with T.block("scale"):
                vi = T.axis.spatial(T.int64(8), i)
                T.block_attr({"rlx.operator": "elementwise s"})
                y[vi] = T.Cast("float32", x[vi]) * scale[()]

    @R.function
    def main(s: R.Tensor((), dtype="float32"), x: R.Tensor((8,), dtype="int32")) -> R.Tuple(R.Tensor((8,), dtype="float32"), R.Tensor((8,), dtype="float32")):
        cls = Module
        with R.dataflow():
            a: R.Tensor((8,), dtype="float32") = R.call_tir(cls.first, (s, x, R.const(0.30000001192092896, "float32")), out_sinfo=R.Tensor((8,), dtype="float32"))
            b: R.Tensor((8,), dtype="float32") = R.call_tir(cls.first, (s, x, R.const(0.699999988079071, "float32")), out_sinfo=R.Tensor((8,), dtype="float32"))
            R.output(a, b)
        return (a, b)

# ==== zero points
# from tvm.script import ir as I
# from tvm.script import tir as T
# from tvm.script import relax as R

@I.ir_module
class Module:
    @R.function
    def main(x: R.Tensor((1, 8, 8, 4), "uint8"), f: R.Tensor((1, 3, 3, 1, 16, 4), "int8"), sums: R.Tensor((16,), "int32")):
        with R.dataflow():
            a = R.nn.conv2d_integer(x, f, sums, R.const(64, "uint8"), padding=[1, 1, 1, 1], data_layout="NHWC")
            b = R.nn.conv2d_integer(x, f, sums, R.const(52, "uint8"), padding=[1, 1, 1, 1], data_layout="NHWC")
            R.output(a, b)
        return (a, b)
# ---- expected
# from tvm.script import ir as I
# from tvm.script import tir as T
# from tvm.script import relax as R

@I.ir_module
class Module:
    @R.function
    def main(x: R.Tensor((1, 8, 8, 4), dtype="uint8"), f: R.Tensor((1, 3, 3, 1, 16, 4), dtype="int8"), sums: R.Tensor((16,), dtype="int32")) -> R.Tuple(R.Tensor((1, 8, 8, 16), dtype="int32"), R.Tensor((1, 8, 8, 16), dtype="int32")):
        cls = Module
        with R.dataflow():
            a: R.Tensor((1, 8, 8, 16), dtype="int32") = R.call_tir(cls.conv2d_integer, (x, f, sums, R.const(64, "uint8")), out_sinfo=R.Tensor((1, 8, 8, 16), dtype="int32"))
            b: R.Tensor((1, 8, 8, 16), dtype="int32") = R.call_tir(cls.conv2d_integer, (x, f, sums, R.const(52, "uint8")), out_sinfo=R.Tensor((1, 8, 8, 16), dtype="int32"))
            R.output(a, b)
        return (a, b)

    @T.prim_func(private=True)
    def conv2d_integer(x: T.Buffer((T.int64(1), T.int64(8), T.int64(8), T.int64(4)), "uint8"), f: T.Buffer((T.int64(1), T.int64(3), T.int64(3), T.int64(1), T.int64(16), T.int64(4)), "int8"), sums: T.Buffer((T.int64(16),), "int32"), number: T.Buffer((), "uint8"), conv2d_integer: T.Buffer((T.int64(1), T.int64(8), T.int64(8), T.int64(16)), "int32")):
        T.func_attr({"op_pattern": 4, "tir.noalias": T.bool(True)})
        # with T.block("root"):
        for ax0, ax1, ax2, ax3, k in T.grid(T.int64(1), T.int64(8), T.int64(8), T.int64(16), T.int64(36)):
            with T.block("conv2d_integer"):
                v_ax0, v_ax1, v_ax2, v_ax3, v_k = T.axis.remap("SSSSR", [ax0, ax1, ax2, ax3, k])
                T.writes(conv2d_integer[v_ax0, v_ax1, v_ax2, v_ax3])
                T.block_attr({"rlx.operator": "conv bppnr"})
                with T.init():
                    conv2d_integer[v_ax0, v_ax1, v_ax2, v_ax3] = (0 - T.Cast("int32", number[()])) * sums[v_ax3]
                conv2d_integer[v_ax0, v_ax1, v_ax2, v_ax3] = conv2d_integer[v_ax0, v_ax1, v_ax2, v_ax3] + T.if_then_else(T.int64(0) <= v_k % T.int64(4) and v_k % T.int64(4) < T.int64(4) and (T.int64(0) <= v_ax1 + v_k // T.int64(12) - T.int64(1) and v_ax1 + v_k // T.int64(12) - T.int64(1) < T.int64(8)) and (T.int64(0) <= v_ax2 + v_k // T.int64(4) % T.int64(3) - T.int64(1) and v_ax2 + v_k // T.int64(4) % T.int64(3) - T.int64(1) < T.int64(8)), T.Cast("int32", x[v_ax0, v_ax1 + v_k // T.int64(12) - T.int64(1), v_ax2 + v_k // T.int64(4) % T.int64(3) - T.int64(1), v_k % T.int64(4)]), T.Cast("int32", number[()])) * T.Cast("int32", f[v_ax3 // T.int64(16), v_k // T.int64(12), v_k // T.int64(4) % T.int64(3), v_k % T.int64(4) // T.int64(4), v_ax3 % T.int64(16), v_k % T.int64(4) % T.int64(4)])
