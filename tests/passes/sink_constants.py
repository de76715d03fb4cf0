# ==== loops_and_values
from tvm.script import ir as I
from tvm.script import relax as R
from tvm.script import tir as T


@I.ir_module
class Module:
    # w is the same constant in every call, and so are inner's results from it; nothing reads unread.
    @R.function(private=True)
    def outer(i: R.Tensor((), "int64"), x: R.Tensor(("n", 2), "float32"), w: R.Tensor((2, 2), "float32"), unread: R.Tensor((), "float32")) -> R.Tensor(("n", 2), "float32"):
        n = T.int64()
        cls = Module
        go: R.Tensor((), "bool") = R.less(i, R.const(4, "int64"))
        if go:
            turned = R.permute_dims(w)
            y = cls.inner(i, x, turned)
            j = R.add(i, R.const(1, "int64"))
            r: R.Tensor((n, 2), "float32") = cls.outer(j, y, w, unread)
        else:
            r: R.Tensor((n, 2), "float32") = x
        return r

    @R.function(private=True)
    def inner(i: R.Tensor((), "int64"), x: R.Tensor(("n", 2), "float32"), w: R.Tensor((2, 2), "float32")) -> R.Tensor(("n", 2), "float32"):
        n = T.int64()
        cls = Module
        go: R.Tensor((), "bool") = R.less(i, R.const(2, "int64"))
        if go:
            y = R.matmul(x, w)
            j = R.add(i, R.const(1, "int64"))
            r: R.Tensor((n, 2), "float32") = cls.inner(j, y, w)
        else:
            r: R.Tensor((n, 2), "float32") = x
        return r

    # The recursion swaps the constants.
    @R.function(private=True)
    def swapped(i: R.Tensor((), "int64"), a: R.Tensor((), "float32"), b: R.Tensor((), "float32")) -> R.Tensor((), "float32"):
        cls = Module
        go: R.Tensor((), "bool") = R.less(i, R.const(4, "int64"))
        if go:
            j = R.add(i, R.const(1, "int64"))
            r: R.Tensor((), "float32") = cls.swapped(j, b, a)
        else:
            r: R.Tensor((), "float32") = R.subtract(a, b)
        return r

    # Also used as a value, so other callers may pass anything.
    @R.function(private=True)
    def value(x: R.Tensor((2,), "float32"), k: R.Tensor((), "float32")) -> R.Tensor((2,), "float32"):
        y: R.Tensor((2,), "float32") = R.multiply(x, k)
        return y

    # Two constants, and one whose type binds m, which the result needs.
    @R.function(private=True)
    def typed(k: R.Tensor((), "float32"), s: R.Tensor(("m",), "float32")) -> R.Tensor(("m",), "float32"):
        m = T.int64()
        y: R.Tensor((m,), "float32") = R.multiply(s, k)
        return y

    # Writes into its argument.
    @R.function(private=True)
    def writes(s: R.Tensor((2,), "float32")) -> R.Tensor((2,), "float32"):
        cls = Module
        y = R.call_tir_inplace(cls.twice, (s,), out_sinfo=R.Tensor((2,), "float32"), inplace_indices=[0])
        return y

    @T.prim_func(private=True)
    def twice(A: T.Buffer((2,), "float32")):
        for i in range(2):
            with T.block("twice"):
                v = T.axis.spatial(2, i)
                A[v] = A[v] + A[v]

    @R.function
    def main(x: R.Tensor(("n", 2), "float32"), i: R.Tensor((), "int64")):
        n = T.int64()
        cls = Module
        a = cls.outer(i, x, R.const([[1, 2], [3, 4]], "float32"), R.const(1, "float32"))
        b = cls.swapped(i, R.const(1, "float32"), R.const(2, "float32"))
        c = cls.value(R.const([1, 2], "float32"), R.const(3, "float32"))
        d = cls.value
        e = cls.typed(R.const(5, "float32"), R.const([6, 7], "float32"))
        f = cls.typed(R.const(8, "float32"), R.const([9, 10], "float32"))
        g = cls.writes(R.const([11, 12], "float32"))
        return (a, b, c, d(e, b), f, g)
# ---- expected
metadata = tvm.ir.load_json("""{
  \"root\": 1, 
  \"nodes\": [
    {\"type_key\": \"\"}, 
    {\"type_key\": \"Map\", \"keys\": [\"relax.expr.Constant\"], \"data\": [2]}, 
    {\"type_key\": \"Array\", \"data\": [3, 4, 5, 6, 7]}, 
    {\"type_key\": \"relax.expr.Constant\", \"attrs\": {\"data\": \"0\", \"span\": \"0\", \"struct_info_\": \"0\"}}, 
    {\"type_key\": \"relax.expr.Constant\", \"attrs\": {\"data\": \"1\", \"span\": \"0\", \"struct_info_\": \"0\"}}, 
    {\"type_key\": \"relax.expr.Constant\", \"attrs\": {\"data\": \"2\", \"span\": \"0\", \"struct_info_\": \"0\"}}, 
    {\"type_key\": \"relax.expr.Constant\", \"attrs\": {\"data\": \"3\", \"span\": \"0\", \"struct_info_\": \"0\"}}, 
    {\"type_key\": \"relax.expr.Constant\", \"attrs\": {\"data\": \"4\", \"span\": \"0\", \"struct_info_\": \"0\"}}
  ], 
  \"b64ndarrays\": [
    \"P6G0lvBAXt0AAAAAAAAAAAEAAAAAAAAAAgAAAAIgAQACAAAAAAAAAAIAAAAAAAAAEAAAAAAAAAAAAIA/AABAQAAAAEAAAIBA\", 
    \"P6G0lvBAXt0AAAAAAAAAAAEAAAAAAAAAAQAAAAIgAQACAAAAAAAAAAgAAAAAAAAAAACAPwAAAEA=\", 
    \"P6G0lvBAXt0AAAAAAAAAAAEAAAAAAAAAAQAAAAIgAQACAAAAAAAAAAgAAAAAAAAAAADAQAAA4EA=\", 
    \"P6G0lvBAXt0AAAAAAAAAAAEAAAAAAAAAAQAAAAIgAQACAAAAAAAAAAgAAAAAAAAAAAAQQQAAIEE=\", 
    \"P6G0lvBAXt0AAAAAAAAAAAEAAAAAAAAAAQAAAAIgAQACAAAAAAAAAAgAAAAAAAAAAAAwQQAAQEE=\"
  ], 
  \"attrs\": {\"tvm_version\": \"0.20.0\"}
}""")
# from tvm.script import ir as I
# from tvm.script import tir as T
# from tvm.script import relax as R

@I.ir_module
class Module:
    @R.function(private=True)
    def outer(i: R.Tensor((), dtype="int64"), x: R.Tensor(("n", 2), dtype="float32")) -> R.Tensor(("n", 2), dtype="float32"):
        n = T.int64()
        cls = Module
        go: R.Tensor((), dtype="bool") = R.less(i, R.const(4, "int64"))
        if go:
            y: R.Tensor((n, 2), dtype="float32") = cls.inner(i, x)
            j: R.Tensor((), dtype="int64") = R.add(i, R.const(1, "int64"))
            r: R.Tensor((n, 2), dtype="float32") = cls.outer(j, y)
            r_1: R.Tensor((n, 2), dtype="float32") = r
        else:
            r_1: R.Tensor((n, 2), dtype="float32") = x
        return r_1

    @R.function(private=True)
    def inner(i: R.Tensor((), dtype="int64"), x: R.Tensor(("n", 2), dtype="float32")) -> R.Tensor(("n", 2), dtype="float32"):
        n = T.int64()
        cls = Module
        go: R.Tensor((), dtype="bool") = R.less(i, R.const(2, "int64"))
        if go:
            y: R.Tensor((n, 2), dtype="float32") = R.matmul(x, metadata["relax.expr.Constant"][0], out_dtype="void")
            j: R.Tensor((), dtype="int64") = R.add(i, R.const(1, "int64"))
            r: R.Tensor((n, 2), dtype="float32") = cls.inner(j, y)
            r_1: R.Tensor((n, 2), dtype="float32") = r
        else:
            r_1: R.Tensor((n, 2), dtype="float32") = x
        return r_1

    @R.function(private=True)
    def swapped(i: R.Tensor((), dtype="int64"), a: R.Tensor((), dtype="float32"), b: R.Tensor((), dtype="float32")) -> R.Tensor((), dtype="float32"):
        cls = Module
        go: R.Tensor((), dtype="bool") = R.less(i, R.const(4, "int64"))
        if go:
            j: R.Tensor((), dtype="int64") = R.add(i, R.const(1, "int64"))
            r: R.Tensor((), dtype="float32") = cls.swapped(j, b, a)
            r_1: R.Tensor((), dtype="float32") = r
        else:
            r_2: R.Tensor((), dtype="float32") = R.subtract(a, b)
            r_1: R.Tensor((), dtype="float32") = r_2
        return r_1

    @R.function(private=True)
    def value(x: R.Tensor((2,), dtype="float32"), k: R.Tensor((), dtype="float32")) -> R.Tensor((2,), dtype="float32"):
        y: R.Tensor((2,), dtype="float32") = R.multiply(x, k)
        return y

    @R.function(private=True)
    def typed(k: R.Tensor((), dtype="float32"), s: R.Tensor(("m",), dtype="float32")) -> R.Tensor(("m",), dtype="float32"):
        m = T.int64()
        y: R.Tensor((m,), dtype="float32") = R.multiply(s, k)
        return y

    @R.function(private=True)
    def writes(s: R.Tensor((2,), dtype="float32")) -> R.Tensor((2,), dtype="float32"):
        cls = Module
        y: R.Tensor((2,), dtype="float32") = R.call_tir_inplace(cls.twice, (s,), inplace_indices=[0], out_sinfo=R.Tensor((2,), dtype="float32"))
        return y

    @T.prim_func(private=True)
    def twice(A: T.Buffer((2,), "float32")):
        # with T.block("root"):
        for i in range(2):
            with T.block("twice"):
                v = T.axis.spatial(2, i)
                A[v] = A[v] + A[v]

    @R.function
    def main(x: R.Tensor(("n", 2), dtype="float32"), i: R.Tensor((), dtype="int64")) -> R.Tuple(R.Tensor(("n", 2), dtype="float32"), R.Tensor((), dtype="float32"), R.Tensor((2,), dtype="float32"), R.Tensor((2,), dtype="float32"), R.Tensor((2,), dtype="float32"), R.Tensor((2,), dtype="float32")):
        n = T.int64()
        cls = Module
        a: R.Tensor((n, 2), dtype="float32") = cls.outer(i, x)
        b: R.Tensor((), dtype="float32") = cls.swapped(i, R.const(1.0, "float32"), R.const(2.0, "float32"))
        c: R.Tensor((2,), dtype="float32") = cls.value(metadata["relax.expr.Constant"][1], R.const(3.0, "float32"))
        e: R.Tensor((2,), dtype="float32") = cls.typed(R.const(5.0, "float32"), metadata["relax.expr.Constant"][2])
        f: R.Tensor((2,), dtype="float32") = cls.typed(R.const(8.0, "float32"), metadata["relax.expr.Constant"][3])
        g: R.Tensor((2,), dtype="float32") = cls.writes(metadata["relax.expr.Constant"][4])
        gv: R.Tensor((2,), dtype="float32") = R.invoke_pure_closure(cls.value, (e, b), sinfo_args=(R.Tensor((2,), dtype="float32"),))
        return (a, b, c, gv, f, g)
