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
