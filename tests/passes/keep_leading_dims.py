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

# ==== products_by_call_tir
# What follows a product's reshape element by element reads the matrix instead, until the type gets
# wider (requantized), a full tensor joins (residual) or something else reads the value (read). What
# a PrimFunc without an epilogue gives is left alone (opaque).
from tvm.script import ir as I
from tvm.script import relax as R
from tvm.script import tir as T


@I.ir_module
class Module:
    @T.prim_func(private=True)
    def product(x: T.handle, w: T.Buffer((4, 6), "float32"), y: T.handle):
        T.func_attr({"op_pattern": 4})
        n = T.int64()
        X = T.match_buffer(x, (n, 4))
        Y = T.match_buffer(y, (n, 6))
        for i, j, k in T.grid(n, 6, 4):
            with T.block("product"):
                vi, vj, vk = T.axis.remap("SSR", [i, j, k])
                with T.init():
                    Y[vi, vj] = T.float32(0)
                Y[vi, vj] = Y[vi, vj] + X[vi, vk] * w[vk, vj]

    @T.prim_func(private=True)
    def other(x: T.handle, w: T.Buffer((4, 6), "float32"), y: T.handle):
        T.func_attr({"op_pattern": 8})
        n = T.int64()
        X = T.match_buffer(x, (n, 4))
        Y = T.match_buffer(y, (n, 6))
        for i, j in T.grid(n, 6):
            with T.block("other"):
                vi, vj = T.axis.remap("SS", [i, j])
                Y[vi, vj] = X[vi, 0] * w[0, vj]

    @R.function
    def requantized(x: R.Tensor(("b", "s", 4), "float32"), d: R.Tensor(("b", "s", 6), "float32"), w: R.Tensor((4, 6), "float32"), c: R.Tensor((6,), "float32")):
        b, s = T.int64(), T.int64()
        cls = Module
        with R.dataflow():
            r = R.reshape(x, R.shape([b * s, 4]))
            m = R.call_tir(cls.product, (r, w), out_sinfo=R.Tensor((b * s, 6), "float32"))
            y = R.reshape(R.add(m, c), R.shape([b, s, 6]))
            q = R.astype(R.round(R.divide(y, R.const(0.5, "float32"))), "int8")
            z = R.multiply(R.astype(q, "float32"), R.const(0.5, "float32"))
            a = R.add(z, d)
            R.output(a)
        return a

    @R.function
    def residual(x: R.Tensor(("b", "s", 4), "float32"), d: R.Tensor(("b", "s", 6), "float32"), w: R.Tensor((4, 6), "float32")):
        b, s = T.int64(), T.int64()
        cls = Module
        with R.dataflow():
            r = R.reshape(x, R.shape([b * s, 4]))
            m = R.call_tir(cls.product, (r, w), out_sinfo=R.Tensor((b * s, 6), "float32"))
            a = R.nn.relu(R.add(R.nn.relu(R.reshape(m, R.shape([b, s, 6]))), d))
            R.output(a)
        return a

    @R.function
    def read(x: R.Tensor(("b", "s", 4), "float32"), w: R.Tensor((4, 6), "float32")):
        b, s = T.int64(), T.int64()
        cls = Module
        with R.dataflow():
            r = R.reshape(x, R.shape([b * s, 4]))
            m = R.call_tir(cls.product, (r, w), out_sinfo=R.Tensor((b * s, 6), "float32"))
            y = R.nn.relu(R.reshape(m, R.shape([b, s, 6])))
            a = (R.exp(y), y)
            t = R.nn.relu(R.reshape(m, R.shape([b, s, 2, 3])))
            R.output(a, t)
        return (a, t)

    @R.function
    def opaque(x: R.Tensor(("b", "s", 4), "float32"), w: R.Tensor((4, 6), "float32")):
        b, s = T.int64(), T.int64()
        cls = Module
        with R.dataflow():
            r = R.reshape(x, R.shape([b * s, 4]))
            m = R.call_tir(cls.other, (r, w), out_sinfo=R.Tensor((b * s, 6), "float32"))
            y = R.nn.relu(R.reshape(m, R.shape([b, s, 6])))
            R.output(y)
        return y
# ---- expected
# from tvm.script import ir as I
# from tvm.script import tir as T
# from tvm.script import relax as R

@I.ir_module
class Module:
    @T.prim_func(private=True)
    def product(x: T.handle, w: T.Buffer((4, 6), "float32"), y: T.handle):
        T.func_attr({"op_pattern": 4})
        n = T.int64()
        X = T.match_buffer(x, (n, 4))
        Y = T.match_buffer(y, (n, 6))
        # with T.block("root"):
        for i, j, k in T.grid(n, 6, 4):
            with T.block("product"):
                vi, vj, vk = T.axis.remap("SSR", [i, j, k])
                with T.init():
                    Y[vi, vj] = T.float32(0.0)
                Y[vi, vj] = Y[vi, vj] + X[vi, vk] * w[vk, vj]

    @T.prim_func(private=True)
    def other(x: T.handle, w: T.Buffer((4, 6), "float32"), y: T.handle):
        T.func_attr({"op_pattern": 8})
        n = T.int64()
        X = T.match_buffer(x, (n, 4))
        Y = T.match_buffer(y, (n, 6))
        # with T.block("root"):
        for i, j in T.grid(n, 6):
            with T.block("other"):
                vi, vj = T.axis.remap("SS", [i, j])
                Y[vi, vj] = X[vi, 0] * w[0, vj]

    @R.function
    def requantized(x: R.Tensor(("b", "s", 4), dtype="float32"), d: R.Tensor(("b", "s", 6), dtype="float32"), w: R.Tensor((4, 6), dtype="float32"), c: R.Tensor((6,), dtype="float32")) -> R.Tensor(("b", "s", 6), dtype="float32"):
        b = T.int64()
        s = T.int64()
        cls = Module
        with R.dataflow():
            r: R.Tensor((b * s, 4), dtype="float32") = R.reshape(x, R.shape([b * s, 4]))
            m: R.Tensor((b * s, 6), dtype="float32") = R.call_tir(cls.product, (r, w), out_sinfo=R.Tensor((b * s, 6), dtype="float32"))
            lv: R.Tensor((b * s, 6), dtype="float32") = R.add(m, c)
            y: R.Tensor((b, s, 6), dtype="float32") = R.reshape(lv, R.shape([b, s, 6]))
            lv_1: R.Tensor((b * s, 6), dtype="float32") = R.divide(lv, R.const(0.5, "float32"))
            lv_2: R.Tensor((b, s, 6), dtype="float32") = R.reshape(lv_1, R.shape([b, s, 6]))
            lv_3: R.Tensor((b * s, 6), dtype="float32") = R.round(lv_1)
            lv_4: R.Tensor((b, s, 6), dtype="float32") = R.reshape(lv_3, R.shape([b, s, 6]))
            q: R.Tensor((b * s, 6), dtype="int8") = R.astype(lv_3, dtype="int8")
            q_1: R.Tensor((b, s, 6), dtype="int8") = R.reshape(q, R.shape([b, s, 6]))
            lv_5: R.Tensor((b, s, 6), dtype="float32") = R.astype(q_1, dtype="float32")
            z: R.Tensor((b, s, 6), dtype="float32") = R.multiply(lv_5, R.const(0.5, "float32"))
            a: R.Tensor((b, s, 6), dtype="float32") = R.add(z, d)
            R.output(a)
        return a

    @R.function
    def residual(x: R.Tensor(("b", "s", 4), dtype="float32"), d: R.Tensor(("b", "s", 6), dtype="float32"), w: R.Tensor((4, 6), dtype="float32")) -> R.Tensor(("b", "s", 6), dtype="float32"):
        b = T.int64()
        s = T.int64()
        cls = Module
        with R.dataflow():
            r: R.Tensor((b * s, 4), dtype="float32") = R.reshape(x, R.shape([b * s, 4]))
            m: R.Tensor((b * s, 6), dtype="float32") = R.call_tir(cls.product, (r, w), out_sinfo=R.Tensor((b * s, 6), dtype="float32"))
            lv: R.Tensor((b, s, 6), dtype="float32") = R.reshape(m, R.shape([b, s, 6]))
            lv_1: R.Tensor((b * s, 6), dtype="float32") = R.nn.relu(m)
            lv_2: R.Tensor((b, s, 6), dtype="float32") = R.reshape(lv_1, R.shape([b, s, 6]))
            lv_3: R.Tensor((b, s, 6), dtype="float32") = R.add(lv_2, d)
            a: R.Tensor((b, s, 6), dtype="float32") = R.nn.relu(lv_3)
            R.output(a)
        return a

    @R.function
    def read(x: R.Tensor(("b", "s", 4), dtype="float32"), w: R.Tensor((4, 6), dtype="float32")) -> R.Tuple(R.Tuple(R.Tensor(("b", "s", 6), dtype="float32"), R.Tensor(("b", "s", 6), dtype="float32")), R.Tensor(("b", "s", 2, 3), dtype="float32")):
        b = T.int64()
        s = T.int64()
        cls = Module
        with R.dataflow():
            r: R.Tensor((b * s, 4), dtype="float32") = R.reshape(x, R.shape([b * s, 4]))
            m: R.Tensor((b * s, 6), dtype="float32") = R.call_tir(cls.product, (r, w), out_sinfo=R.Tensor((b * s, 6), dtype="float32"))
            lv: R.Tensor((b, s, 6), dtype="float32") = R.reshape(m, R.shape([b, s, 6]))
            y: R.Tensor((b * s, 6), dtype="float32") = R.nn.relu(m)
            y_1: R.Tensor((b, s, 6), dtype="float32") = R.reshape(y, R.shape([b, s, 6]))
            lv_1: R.Tensor((b, s, 6), dtype="float32") = R.exp(y_1)
            a: R.Tuple(R.Tensor((b, s, 6), dtype="float32"), R.Tensor((b, s, 6), dtype="float32")) = (lv_1, y_1)
            lv_2: R.Tensor((b, s, 2, 3), dtype="float32") = R.reshape(m, R.shape([b, s, 2, 3]))
            t: R.Tensor((b, s, 2, 3), dtype="float32") = R.nn.relu(lv_2)
            R.output(a, t)
        return (a, t)

    @R.function
    def opaque(x: R.Tensor(("b", "s", 4), dtype="float32"), w: R.Tensor((4, 6), dtype="float32")) -> R.Tensor(("b", "s", 6), dtype="float32"):
        b = T.int64()
        s = T.int64()
        cls = Module
        with R.dataflow():
            r: R.Tensor((b * s, 4), dtype="float32") = R.reshape(x, R.shape([b * s, 4]))
            m: R.Tensor((b * s, 6), dtype="float32") = R.call_tir(cls.other, (r, w), out_sinfo=R.Tensor((b * s, 6), dtype="float32"))
            lv: R.Tensor((b, s, 6), dtype="float32") = R.reshape(m, R.shape([b, s, 6]))
            y: R.Tensor((b, s, 6), dtype="float32") = R.nn.relu(lv)
            R.output(y)
        return y
