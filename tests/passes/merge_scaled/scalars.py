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
