# ==== priority
# --fuse dnnl.matmul_relu=(nn.relu (add (matmul x w) b))
# --fuse dnnl.matmul=(matmul x w)
# --fuse dnnl.relu=(nn.relu x)
@I.ir_module
class Module:
    @R.function
    def main(x: R.Tensor(("n", 4), "float32"), w: R.Tensor((4, 4), "float32"), flag: R.Tensor((), "bool")) -> R.Tensor(("n", 4), "float32"):
        with R.dataflow():
            p = R.matmul(x, w)
            q = R.add(p, R.const([1.0, 2.0, 3.0, 4.0], "float32"))
            r = R.nn.relu(q)
            s = R.matmul(r, w)
            t = R.add(s, R.const(1.0, "float32"))
            u = R.nn.relu(t)
            v = R.add(u, t)
            R.output(v)
        if flag:
            a = R.nn.relu(v)
            z = a
        else:
            b = R.nn.gelu(v)
            z = b
        return z
# ---- expected
metadata = tvm.ir.load_json("""{
  \"root\": 1, 
  \"nodes\": [
    {\"type_key\": \"\"}, 
    {\"type_key\": \"Map\", \"keys\": [\"relax.expr.Constant\"], \"data\": [2]}, 
    {\"type_key\": \"Array\", \"data\": [3]}, 
    {\"type_key\": \"relax.expr.Constant\", \"attrs\": {\"data\": \"0\", \"span\": \"0\", \"struct_info_\": \"0\"}}
  ], 
  \"b64ndarrays\": [
    \"P6G0lvBAXt0AAAAAAAAAAAEAAAAAAAAAAQAAAAIgAQAEAAAAAAAAABAAAAAAAAAAAACAPwAAAEAAAEBAAACAQA==\"
  ], 
  \"attrs\": {\"tvm_version\": \"0.20.0\"}
}""")
# from tvm.script import ir as I
# from tvm.script import tir as T
# from tvm.script import relax as R

@I.ir_module
class Module:
    @R.function
    def main(x: R.Tensor(("n", 4), dtype="float32"), w: R.Tensor((4, 4), dtype="float32"), flag: R.Tensor((), dtype="bool")) -> R.Tensor(("n", 4), dtype="float32"):
        n = T.int64()
        cls = Module
        with R.dataflow():
            r: R.Tensor((n, 4), dtype="float32") = cls.fused_relax_matmul_relax_add_relax_nn_relu(x, w)
            s: R.Tensor((n, 4), dtype="float32") = cls.fused_relax_matmul(r, w)
            t: R.Tensor((n, 4), dtype="float32") = R.add(s, R.const(1.0, "float32"))
            u: R.Tensor((n, 4), dtype="float32") = cls.fused_relax_nn_relu(t)
            v: R.Tensor((n, 4), dtype="float32") = R.add(u, t)
            R.output(v)
        if flag:
            a: R.Tensor((n, 4), dtype="float32") = cls.fused_relax_nn_relu1(v)
            z: R.Tensor((n, 4), dtype="float32") = a
        else:
            b: R.Tensor((n, 4), dtype="float32") = R.nn.gelu(v)
            z: R.Tensor((n, 4), dtype="float32") = b
        return z

    @R.function(private=True)
    def fused_relax_matmul_relax_add_relax_nn_relu(x: R.Tensor(("n", 4), dtype="float32"), w: R.Tensor((4, 4), dtype="float32")) -> R.Tensor(("n", 4), dtype="float32"):
        n = T.int64()
        R.func_attr({"Composite": "dnnl.matmul_relu"})
        with R.dataflow():
            p: R.Tensor((n, 4), dtype="float32") = R.matmul(x, w, out_dtype="void")
            q: R.Tensor((n, 4), dtype="float32") = R.add(p, metadata["relax.expr.Constant"][0])
            r: R.Tensor((n, 4), dtype="float32") = R.nn.relu(q)
            R.output(r)
        return r

    @R.function(private=True)
    def fused_relax_matmul(r: R.Tensor(("n", 4), dtype="float32"), w: R.Tensor((4, 4), dtype="float32")) -> R.Tensor(("n", 4), dtype="float32"):
        n = T.int64()
        R.func_attr({"Composite": "dnnl.matmul"})
        with R.dataflow():
            s: R.Tensor((n, 4), dtype="float32") = R.matmul(r, w, out_dtype="void")
            R.output(s)
        return s

    @R.function(private=True)
    def fused_relax_nn_relu(t: R.Tensor(("n", 4), dtype="float32")) -> R.Tensor(("n", 4), dtype="float32"):
        n = T.int64()
        R.func_attr({"Composite": "dnnl.relu"})
        with R.dataflow():
            u: R.Tensor((n, 4), dtype="float32") = R.nn.relu(t)
            R.output(u)
        return u

    @R.function(private=True)
    def fused_relax_nn_relu1(v: R.Tensor(("n", 4), dtype="float32")) -> R.Tensor(("n", 4), dtype="float32"):
        n = T.int64()
        R.func_attr({"Composite": "dnnl.relu"})
        with R.dataflow():
            a: R.Tensor((n, 4), dtype="float32") = R.nn.relu(v)
            R.output(a)
        return a

# ==== roots
# Two roots: no group where a value between them needs the one and is needed by the other. A pattern
# of any value takes each call by itself, but no match_cast, which binds symbols.
# --fuse acc.pair=s=(add _ _); (multiply _ _)
# --fuse acc.any=_{rank=1}
@I.ir_module
class Module:
    @R.function
    def apart(x: R.Tensor(("n", 4), "float32"), y: R.Tensor(("n", 4), "float32")):
        with R.dataflow():
            a = R.add(x, y)
            b = R.multiply(x, y)
            c = R.subtract(a, b)
            R.output(c)
        return c

    @R.function
    def between(x: R.Tensor(("n", 4), "float32"), y: R.Tensor(("n", 4), "float32")):
        with R.dataflow():
            a = R.add(x, y)
            b = R.exp(a)
            c = R.multiply(b, y)
            R.output(c)
        return c

    @R.function
    def crossed(x: R.Tensor(("n", 4), "float32"), y: R.Tensor(("n", 4), "float32")):
        with R.dataflow():
            a = R.add(x, y)
            b = R.multiply(R.exp(a), y)
            c = R.add(x, R.exp(y))
            d = R.multiply(R.sin(c), R.cos(y))
            R.output(b, d)
        return (b, d)

    @R.function
    def casts(x: R.Tensor(("n", 4), "float32"), v: R.Tensor(dtype="float32", ndim=1)):
        m = T.int64()
        with R.dataflow():
            w = R.match_cast(v, R.Tensor((m,), "float32"))
            z = R.exp(w)
            R.output(z)
        return z
# ---- expected
# from tvm.script import ir as I
# from tvm.script import tir as T
# from tvm.script import relax as R

@I.ir_module
class Module:
    @R.function
    def apart(x: R.Tensor(("n", 4), dtype="float32"), y: R.Tensor(("n", 4), dtype="float32")) -> R.Tensor(("n", 4), dtype="float32"):
        n = T.int64()
        cls = Module
        with R.dataflow():
            lv: R.Tuple(R.Tensor((n, 4), dtype="float32"), R.Tensor((n, 4), dtype="float32")) = cls.fused_relax_add_relax_multiply(x, y)
            a: R.Tensor((n, 4), dtype="float32") = lv[0]
            b: R.Tensor((n, 4), dtype="float32") = lv[1]
            c: R.Tensor((n, 4), dtype="float32") = R.subtract(a, b)
            R.output(c)
        return c

    @R.function
    def between(x: R.Tensor(("n", 4), dtype="float32"), y: R.Tensor(("n", 4), dtype="float32")) -> R.Tensor(("n", 4), dtype="float32"):
        n = T.int64()
        with R.dataflow():
            a: R.Tensor((n, 4), dtype="float32") = R.add(x, y)
            b: R.Tensor((n, 4), dtype="float32") = R.exp(a)
            c: R.Tensor((n, 4), dtype="float32") = R.multiply(b, y)
            R.output(c)
        return c

    @R.function
    def crossed(x: R.Tensor(("n", 4), dtype="float32"), y: R.Tensor(("n", 4), dtype="float32")) -> R.Tuple(R.Tensor(("n", 4), dtype="float32"), R.Tensor(("n", 4), dtype="float32")):
        n = T.int64()
        cls = Module
        with R.dataflow():
            a: R.Tensor((n, 4), dtype="float32") = R.add(x, y)
            lv: R.Tensor((n, 4), dtype="float32") = R.exp(a)
            lv_1: R.Tensor((n, 4), dtype="float32") = R.exp(y)
            lv_2: R.Tuple(R.Tensor((n, 4), dtype="float32"), R.Tensor((n, 4), dtype="float32")) = cls.fused_relax_multiply_relax_add(lv, y, x, lv_1)
            b: R.Tensor((n, 4), dtype="float32") = lv_2[0]
            c: R.Tensor((n, 4), dtype="float32") = lv_2[1]
            lv_3: R.Tensor((n, 4), dtype="float32") = R.sin(c)
            lv_4: R.Tensor((n, 4), dtype="float32") = R.cos(y)
            d: R.Tensor((n, 4), dtype="float32") = R.multiply(lv_3, lv_4)
            R.output(b, d)
        return (b, d)

    @R.function
    def casts(x: R.Tensor(("n", 4), dtype="float32"), v: R.Tensor(dtype="float32", ndim=1)) -> R.Tensor(("m",), dtype="float32"):
        n = T.int64()
        m = T.int64()
        cls = Module
        with R.dataflow():
            w: R.Tensor((m,), dtype="float32") = R.match_cast(v, R.Tensor((m,), dtype="float32"))
            z: R.Tensor((m,), dtype="float32") = cls.fused_relax_exp(w)
            R.output(z)
        return z

    @R.function(private=True)
    def fused_relax_add_relax_multiply(x: R.Tensor(("n", 4), dtype="float32"), y: R.Tensor(("n", 4), dtype="float32")) -> R.Tuple(R.Tensor(("n", 4), dtype="float32"), R.Tensor(("n", 4), dtype="float32")):
        n = T.int64()
        R.func_attr({"Composite": "acc.pair"})
        with R.dataflow():
            a: R.Tensor((n, 4), dtype="float32") = R.add(x, y)
            b: R.Tensor((n, 4), dtype="float32") = R.multiply(x, y)
            R.output(a, b)
        return (a, b)

    @R.function(private=True)
    def fused_relax_multiply_relax_add(lv: R.Tensor(("n", 4), dtype="float32"), y: R.Tensor(("n", 4), dtype="float32"), x: R.Tensor(("n", 4), dtype="float32"), lv_1: R.Tensor(("n", 4), dtype="float32")) -> R.Tuple(R.Tensor(("n", 4), dtype="float32"), R.Tensor(("n", 4), dtype="float32")):
        n = T.int64()
        R.func_attr({"Composite": "acc.pair"})
        with R.dataflow():
            b: R.Tensor((n, 4), dtype="float32") = R.multiply(lv, y)
            c: R.Tensor((n, 4), dtype="float32") = R.add(x, lv_1)
            R.output(b, c)
        return (b, c)

    @R.function(private=True)
    def fused_relax_exp(w: R.Tensor(("m",), dtype="float32")) -> R.Tensor(("m",), dtype="float32"):
        m = T.int64()
        R.func_attr({"Composite": "acc.any"})
        with R.dataflow():
            z: R.Tensor((m,), dtype="float32") = R.exp(w)
            R.output(z)
        return z

# ==== shared
# Values inside a match that are used outside are further results; not where such a use is needed
# inside, nor for a pattern that is not shared.
# --fuse-shared acc.scale=(multiply (add _ _) _)
# --fuse acc.root=(exp (sin _))
@I.ir_module
class Module:
    @R.function
    def outside(x: R.Tensor(("n", 4), "float32"), y: R.Tensor(("n", 4), "float32")):
        with R.dataflow():
            a = R.add(x, y)
            b = R.multiply(a, y)
            c = R.cos(a)
            s = R.sin(x)
            e = R.exp(s)
            R.output(b, c, s, e)
        return (b, c, s, e)

    @R.function
    def needed(x: R.Tensor(("n", 4), "float32"), y: R.Tensor(("n", 4), "float32")):
        with R.dataflow():
            a = R.add(x, y)
            c = R.cos(a)
            b = R.multiply(a, c)
            R.output(b)
        return b
# ---- expected
# from tvm.script import ir as I
# from tvm.script import tir as T
# from tvm.script import relax as R

@I.ir_module
class Module:
    @R.function
    def outside(x: R.Tensor(("n", 4), dtype="float32"), y: R.Tensor(("n", 4), dtype="float32")) -> R.Tuple(R.Tensor(("n", 4), dtype="float32"), R.Tensor(("n", 4), dtype="float32"), R.Tensor(("n", 4), dtype="float32"), R.Tensor(("n", 4), dtype="float32")):
        n = T.int64()
        cls = Module
        with R.dataflow():
            lv: R.Tuple(R.Tensor((n, 4), dtype="float32"), R.Tensor((n, 4), dtype="float32")) = cls.fused_relax_add_relax_multiply(x, y)
            a: R.Tensor((n, 4), dtype="float32") = lv[0]
            b: R.Tensor((n, 4), dtype="float32") = lv[1]
            c: R.Tensor((n, 4), dtype="float32") = R.cos(a)
            s: R.Tensor((n, 4), dtype="float32") = R.sin(x)
            e: R.Tensor((n, 4), dtype="float32") = R.exp(s)
            R.output(b, c, s, e)
        return (b, c, s, e)

    @R.function
    def needed(x: R.Tensor(("n", 4), dtype="float32"), y: R.Tensor(("n", 4), dtype="float32")) -> R.Tensor(("n", 4), dtype="float32"):
        n = T.int64()
        with R.dataflow():
            a: R.Tensor((n, 4), dtype="float32") = R.add(x, y)
            c: R.Tensor((n, 4), dtype="float32") = R.cos(a)
            b: R.Tensor((n, 4), dtype="float32") = R.multiply(a, c)
            R.output(b)
        return b

    @R.function(private=True)
    def fused_relax_add_relax_multiply(x: R.Tensor(("n", 4), dtype="float32"), y: R.Tensor(("n", 4), dtype="float32")) -> R.Tuple(R.Tensor(("n", 4), dtype="float32"), R.Tensor(("n", 4), dtype="float32")):
        n = T.int64()
        R.func_attr({"Composite": "acc.scale"})
        with R.dataflow():
            a: R.Tensor((n, 4), dtype="float32") = R.add(x, y)
            b: R.Tensor((n, 4), dtype="float32") = R.multiply(a, y)
            R.output(a, b)
        return (a, b)

# ==== symbols
# --fuse-lifted acc.flat=(multiply (reshape (add x y)) _{constant})
@I.ir_module
class Module:
    @R.function
    def main(x: R.Tensor(("n", "m"), "float32"), y: R.Tensor(("m",), "float32"), s: R.Shape(["k"])) -> R.Tensor(dtype="float32", ndim=2):
        n, m, k = T.int64(), T.int64(), T.int64()
        with R.dataflow():
            a = R.add(x, y)
            b = R.reshape(a, R.shape([k, n * m // k]))
            c = R.multiply(b, R.const(2.0, "float32"))
            R.output(c)
        return c
# ---- expected
# from tvm.script import ir as I
# from tvm.script import tir as T
# from tvm.script import relax as R

@I.ir_module
class Module:
    @R.function
    def main(x: R.Tensor(("n", "m"), dtype="float32"), y: R.Tensor(("m",), dtype="float32"), s: R.Shape(["k"])) -> R.Tensor(dtype="float32", ndim=2):
        n = T.int64()
        m = T.int64()
        k = T.int64()
        cls = Module
        with R.dataflow():
            c: R.Tensor((k, n * m // k), dtype="float32") = cls.fused_relax_add_relax_reshape_relax_multiply(x, y, R.shape([k]), R.const(2.0, "float32"))
            R.output(c)
        return c

    @R.function(private=True)
    def fused_relax_add_relax_reshape_relax_multiply(x: R.Tensor(("n", "m"), dtype="float32"), y: R.Tensor(("m",), dtype="float32"), symbols: R.Shape(["k"]), const: R.Tensor((), dtype="float32")) -> R.Tensor(("k", "n * m // k"), dtype="float32"):
        n = T.int64()
        m = T.int64()
        k = T.int64()
        R.func_attr({"Composite": "acc.flat"})
        with R.dataflow():
            a: R.Tensor((n, m), dtype="float32") = R.add(x, y)
            b: R.Tensor((k, n * m // k), dtype="float32") = R.reshape(a, R.shape([k, n * m // k]))
            c: R.Tensor((k, n * m // k), dtype="float32") = R.multiply(b, const)
            R.output(c)
        return c
