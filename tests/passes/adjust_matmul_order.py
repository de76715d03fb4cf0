# ==== chains
from tvm.script import ir as I
from tvm.script import relax as R
from tvm.script import tir as T


@I.ir_module
class Module:
    @R.function
    def lora(x: R.Tensor(("b", "n", 64), "float32"), a: R.Tensor((64, 4), "float32"), c: R.Tensor((4, 96), "float32")):
        with R.dataflow():
            w = R.matmul(a, c)
            y = R.matmul(x, w)
            R.output(y)
        return y

    @R.function
    def transposed(x: R.Tensor(("n", 64), "float32"), a: R.Tensor((96, 4), "float32"), c: R.Tensor((4, 64), "float32")):
        with R.dataflow():
            w = R.matmul(a, c)
            t = R.permute_dims(w)
            y = R.matmul(x, t)
            R.output(y)
        return y

    @R.function
    def to_the_right(x: R.Tensor((64, 4), "float32"), a: R.Tensor((4, 64), "float32"), c: R.Tensor((64, 1), "float32")):
        with R.dataflow():
            w = R.matmul(x, a)
            y = R.matmul(w, c)
            R.output(y)
        return y

    @R.function
    def stays(x: R.Tensor(("n", 64), "float32"), a: R.Tensor((64, 4), "float32"), c: R.Tensor((4, 96), "float32")):
        with R.dataflow():
            # in order, read twice, and cheaper only for small n
            first = R.matmul(x, a)
            y = R.matmul(first, c)
            twice = R.matmul(a, c)
            z = R.matmul(x, twice)
            square = R.matmul(x, R.ones((64, 64), "float32"))
            u = R.matmul(square, R.ones((64, 32), "float32"))
            R.output(y, z, twice, u)
        return (y, z, twice, u)
# ---- expected
# from tvm.script import ir as I
# from tvm.script import tir as T
# from tvm.script import relax as R

@I.ir_module
class Module:
    @R.function
    def lora(x: R.Tensor(("b", "n", 64), dtype="float32"), a: R.Tensor((64, 4), dtype="float32"), c: R.Tensor((4, 96), dtype="float32")) -> R.Tensor(("b", "n", 96), dtype="float32"):
        b = T.int64()
        n = T.int64()
        with R.dataflow():
            w: R.Tensor((64, 96), dtype="float32") = R.matmul(a, c, out_dtype="void")
            w_1: R.Tensor((b, n, 4), dtype="float32") = R.matmul(x, a, out_dtype="void")
            y: R.Tensor((b, n, 96), dtype="float32") = R.matmul(w_1, c, out_dtype="void")
            R.output(y)
        return y

    @R.function
    def transposed(x: R.Tensor(("n", 64), dtype="float32"), a: R.Tensor((96, 4), dtype="float32"), c: R.Tensor((4, 64), dtype="float32")) -> R.Tensor(("n", 96), dtype="float32"):
        n = T.int64()
        with R.dataflow():
            w: R.Tensor((96, 64), dtype="float32") = R.matmul(a, c, out_dtype="void")
            t: R.Tensor((64, 96), dtype="float32") = R.permute_dims(w, axes=None)
            turned: R.Tensor((64, 4), dtype="float32") = R.permute_dims(c, axes=None)
            turned_1: R.Tensor((4, 96), dtype="float32") = R.permute_dims(a, axes=None)
            w_1: R.Tensor((n, 4), dtype="float32") = R.matmul(x, turned, out_dtype="void")
            y: R.Tensor((n, 96), dtype="float32") = R.matmul(w_1, turned_1, out_dtype="void")
            R.output(y)
        return y

    @R.function
    def to_the_right(x: R.Tensor((64, 4), dtype="float32"), a: R.Tensor((4, 64), dtype="float32"), c: R.Tensor((64, 1), dtype="float32")) -> R.Tensor((64, 1), dtype="float32"):
        with R.dataflow():
            w: R.Tensor((64, 64), dtype="float32") = R.matmul(x, a, out_dtype="void")
            w_1: R.Tensor((4, 1), dtype="float32") = R.matmul(a, c, out_dtype="void")
            y: R.Tensor((64, 1), dtype="float32") = R.matmul(x, w_1, out_dtype="void")
            R.output(y)
        return y

    @R.function
    def stays(x: R.Tensor(("n", 64), dtype="float32"), a: R.Tensor((64, 4), dtype="float32"), c: R.Tensor((4, 96), dtype="float32")) -> R.Tuple(R.Tensor(("n", 96), dtype="float32"), R.Tensor(("n", 96), dtype="float32"), R.Tensor((64, 96), dtype="float32"), R.Tensor(("n", 32), dtype="float32")):
        n = T.int64()
        with R.dataflow():
            first: R.Tensor((n, 4), dtype="float32") = R.matmul(x, a, out_dtype="void")
            y: R.Tensor((n, 96), dtype="float32") = R.matmul(first, c, out_dtype="void")
            twice: R.Tensor((64, 96), dtype="float32") = R.matmul(a, c, out_dtype="void")
            z: R.Tensor((n, 96), dtype="float32") = R.matmul(x, twice, out_dtype="void")
            lv: R.Tensor((64, 64), dtype="float32") = R.ones(R.shape([64, 64]), dtype="float32")
            square: R.Tensor((n, 64), dtype="float32") = R.matmul(x, lv, out_dtype="void")
            lv_1: R.Tensor((64, 32), dtype="float32") = R.ones(R.shape([64, 32]), dtype="float32")
            u: R.Tensor((n, 32), dtype="float32") = R.matmul(square, lv_1, out_dtype="void")
            R.output(y, twice, z, u)
        return (y, z, twice, u)
