# ==== linear_layers
# Linear layers on merged rows: with bias and activation, without, and where the rows stay merged, are
# split otherwise, or something else reads the product.
from tvm.script import ir as I
from tvm.script import relax as R
from tvm.script import tir as T


@I.ir_module
class Module:
    @R.function
    def layer(x: R.Tensor(("b", "s", 4), "float32"), w: R.Tensor((4, 6), "float32"), c: R.Tensor((6,), "float32")):
        b, s = T.int64(), T.int64()
        with R.dataflow():
            r = R.reshape(x, R.shape([b * s, 4]))
            m = R.matmul(r, w)
            z = R.add(m, c)
            a = R.nn.relu(R.multiply(R.const(2.0, "float32"), z))
            y = R.reshape(a, R.shape([b, s, 6]))
            R.output(y)
        return y

    @R.function
    def product(x: R.Tensor(("b", "s", 4), "float32"), w: R.Tensor((4, 6), "float32")):
        b, s = T.int64(), T.int64()
        with R.dataflow():
            y = R.reshape(R.matmul(R.reshape(x, R.shape([b * s, 4])), w), R.shape([b, s, 6]))
            R.output(y)
        return y

    @R.function
    def others(x: R.Tensor(("b", "s", 4), "float32"), w: R.Tensor((4, 6), "float32"), d: R.Tensor(("b", "s", 6), "float32")):
        b, s = T.int64(), T.int64()
        with R.dataflow():
            r = R.reshape(x, R.shape([b * s, 4]))
            merged = R.matmul(r, w)
            turned = R.reshape(R.nn.relu(R.matmul(r, w)), R.shape([s, b, 6]))
            full = R.reshape(R.add(R.matmul(r, w), R.reshape(d, R.shape([b * s, 6]))), R.shape([b, s, 6]))
            read = R.exp(merged)
            again = R.reshape(merged, R.shape([b, s, 6]))
            y = (turned, full, read, again)
            R.output(y)
        return y
# ---- expected
# from tvm.script import ir as I
# from tvm.script import tir as T
# from tvm.script import relax as R

@I.ir_module
class Module:
    @R.function
    def layer(x: R.Tensor(("b", "s", 4), dtype="float32"), w: R.Tensor((4, 6), dtype="float32"), c: R.Tensor((6,), dtype="float32")) -> R.Tensor(("b", "s", 6), dtype="float32"):
        b = T.int64()
        s = T.int64()
        with R.dataflow():
            r: R.Tensor((b * s, 4), dtype="float32") = R.reshape(x, R.shape([b * s, 4]))
            m: R.Tensor((b * s, 6), dtype="float32") = R.matmul(r, w, out_dtype="void")
            z: R.Tensor((b * s, 6), dtype="float32") = R.add(m, c)
            lv: R.Tensor((b * s, 6), dtype="float32") = R.multiply(R.const(2.0, "float32"), z)
            a: R.Tensor((b * s, 6), dtype="float32") = R.nn.relu(lv)
            m_1: R.Tensor((b, s, 6), dtype="float32") = R.matmul(x, w, out_dtype="void")
            z_1: R.Tensor((b, s, 6), dtype="float32") = R.add(m_1, c)
            lv_1: R.Tensor((b, s, 6), dtype="float32") = R.multiply(R.const(2.0, "float32"), z_1)
            y: R.Tensor((b, s, 6), dtype="float32") = R.nn.relu(lv_1)
            R.output(y)
        return y

    @R.function
    def product(x: R.Tensor(("b", "s", 4), dtype="float32"), w: R.Tensor((4, 6), dtype="float32")) -> R.Tensor(("b", "s", 6), dtype="float32"):
        b = T.int64()
        s = T.int64()
        with R.dataflow():
            lv: R.Tensor((b * s, 4), dtype="float32") = R.reshape(x, R.shape([b * s, 4]))
            lv_1: R.Tensor((b * s, 6), dtype="float32") = R.matmul(lv, w, out_dtype="void")
            y: R.Tensor((b, s, 6), dtype="float32") = R.matmul(x, w, out_dtype="void")
            R.output(y)
        return y

    @R.function
    def others(x: R.Tensor(("b", "s", 4), dtype="float32"), w: R.Tensor((4, 6), dtype="float32"), d: R.Tensor(("b", "s", 6), dtype="float32")) -> R.Tuple(R.Tensor(("s", "b", 6), dtype="float32"), R.Tensor(("b", "s", 6), dtype="float32"), R.Tensor(("b * s", 6), dtype="float32"), R.Tensor(("b", "s", 6), dtype="float32")):
        b = T.int64()
        s = T.int64()
        with R.dataflow():
            r: R.Tensor((b * s, 4), dtype="float32") = R.reshape(x, R.shape([b * s, 4]))
            merged: R.Tensor((b * s, 6), dtype="float32") = R.matmul(r, w, out_dtype="void")
            lv: R.Tensor((b * s, 6), dtype="float32") = R.nn.relu(merged)
            turned: R.Tensor((s, b, 6), dtype="float32") = R.reshape(lv, R.shape([s, b, 6]))
            lv_1: R.Tensor((b * s, 6), dtype="float32") = R.reshape(d, R.shape([b * s, 6]))
            lv_2: R.Tensor((b * s, 6), dtype="float32") = R.add(merged, lv_1)
            full: R.Tensor((b, s, 6), dtype="float32") = R.reshape(lv_2, R.shape([b, s, 6]))
            read: R.Tensor((b * s, 6), dtype="float32") = R.exp(merged)
            again: R.Tensor((b, s, 6), dtype="float32") = R.reshape(merged, R.shape([b, s, 6]))
            y: R.Tuple(R.Tensor((s, b, 6), dtype="float32"), R.Tensor((b, s, 6), dtype="float32"), R.Tensor((b * s, 6), dtype="float32"), R.Tensor((b, s, 6), dtype="float32")) = (turned, full, read, again)
            R.output(y)
        return y
