# ==== rotary
# Angles of both halves of a head: sines and cosines of one half are enough. A function that costs
# as little as a copy stays where it is, and so do functions of two halves that differ.
from tvm.script import ir as I
from tvm.script import relax as R


@I.ir_module
class Module:
    @R.function
    def main(x: R.Tensor((1, "s", 8), "float32"), y: R.Tensor((1, "s", 8), "float32")):
        with R.dataflow():
            angles = R.concat((x, x), axis=-1)
            c = R.cos(angles)
            s = R.sin(angles)
            n = R.negative(angles)
            e = R.exp(R.concat((x, y), axis=-1))
            z = (c, s, n, e)
            R.output(z)
        return z
# ---- expected
# from tvm.script import ir as I
# from tvm.script import tir as T
# from tvm.script import relax as R

@I.ir_module
class Module:
    @R.function
    def main(x: R.Tensor((1, "s", 8), dtype="float32"), y: R.Tensor((1, "s", 8), dtype="float32")) -> R.Tuple(R.Tensor((1, "s", 16), dtype="float32"), R.Tensor((1, "s", 16), dtype="float32"), R.Tensor((1, "s", 16), dtype="float32"), R.Tensor((1, "s", 16), dtype="float32")):
        s = T.int64()
        with R.dataflow():
            angles: R.Tensor((1, s, 16), dtype="float32") = R.concat((x, x), axis=-1)
            c: R.Tensor((1, s, 8), dtype="float32") = R.cos(x)
            c_1: R.Tensor((1, s, 16), dtype="float32") = R.concat((c, c), axis=-1)
            s_1: R.Tensor((1, s, 8), dtype="float32") = R.sin(x)
            s_2: R.Tensor((1, s, 16), dtype="float32") = R.concat((s_1, s_1), axis=-1)
            n: R.Tensor((1, s, 16), dtype="float32") = R.negative(angles)
            lv: R.Tensor((1, s, 16), dtype="float32") = R.concat((x, y), axis=-1)
            e: R.Tensor((1, s, 16), dtype="float32") = R.exp(lv)
            z: R.Tuple(R.Tensor((1, s, 16), dtype="float32"), R.Tensor((1, s, 16), dtype="float32"), R.Tensor((1, s, 16), dtype="float32"), R.Tensor((1, s, 16), dtype="float32")) = (c_1, s_2, n, e)
            R.output(z)
        return z

# ==== interleaved
# Each angle twice, by a broadcast and a view. A broadcast to a symbolic size may repeat nothing.
@I.ir_module
class Module:
    @R.function
    def main(x: R.Tensor((1, "s", 8), "float32"), y: R.Tensor((1, "m"), "float32"), k: R.Shape(["n"])):
        s, m, n = T.int64(), T.int64(), T.int64()
        with R.dataflow():
            pairs = R.broadcast_to(R.expand_dims(x, -1), R.shape([1, s, 8, 2]))
            angles = R.permute_dims(R.reshape(pairs, R.shape([1, s, 16])), axes=[0, 2, 1])
            c = R.cos(angles)
            t = R.tanh(R.broadcast_to(y, R.shape([n, m])))
            z = (c, t)
            R.output(z)
        return z
# ---- expected
# from tvm.script import ir as I
# from tvm.script import tir as T
# from tvm.script import relax as R

@I.ir_module
class Module:
    @R.function
    def main(x: R.Tensor((1, "s", 8), dtype="float32"), y: R.Tensor((1, "m"), dtype="float32"), k: R.Shape(["n"])) -> R.Tuple(R.Tensor((1, 16, "s"), dtype="float32"), R.Tensor(("n", "m"), dtype="float32")):
        s = T.int64()
        m = T.int64()
        n = T.int64()
        with R.dataflow():
            lv: R.Tensor((1, s, 8, 1), dtype="float32") = R.expand_dims(x, axis=[-1])
            pairs: R.Tensor((1, s, 8, 2), dtype="float32") = R.broadcast_to(lv, R.shape([1, s, 8, 2]))
            lv_1: R.Tensor((1, s, 16), dtype="float32") = R.reshape(pairs, R.shape([1, s, 16]))
            angles: R.Tensor((1, 16, s), dtype="float32") = R.permute_dims(lv_1, axes=[0, 2, 1])
            c: R.Tensor((1, s, 8, 1), dtype="float32") = R.cos(lv)
            pairs_1: R.Tensor((1, s, 8, 2), dtype="float32") = R.broadcast_to(c, R.shape([1, s, 8, 2]))
            lv_2: R.Tensor((1, s, 16), dtype="float32") = R.reshape(pairs_1, R.shape([1, s, 16]))
            c_1: R.Tensor((1, 16, s), dtype="float32") = R.permute_dims(lv_2, axes=[0, 2, 1])
            lv_3: R.Tensor((n, m), dtype="float32") = R.broadcast_to(y, R.shape([n, m]))
            t: R.Tensor((n, m), dtype="float32") = R.tanh(lv_3)
            z: R.Tuple(R.Tensor((1, 16, s), dtype="float32"), R.Tensor((n, m), dtype="float32")) = (c_1, t)
            R.output(z)
        return z
