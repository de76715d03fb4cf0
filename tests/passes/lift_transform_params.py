# ==== weights
from tvm.script import ir as I
from tvm.script import relax as R
from tvm.script import tir as T


@I.ir_module
class Module:
    @R.function
    def main(x: R.Tensor(("n", 4), "float32"), w: R.Tensor((3, 4), "float32"), b: R.Tensor((3,), "float32"), c: R.Tensor((3,), "float32")):
        R.func_attr({"num_input": 1})
        with R.dataflow():
            t = R.permute_dims(w)
            one = R.ones((3,), "float32")
            s = R.add(b, one)
            both = (s, c)
            scale = R.multiply(both[0], both[1])
            y = R.matmul(x, t)
            z = R.add(R.multiply(y, scale), c)
            R.output(z)
        return z

    @R.function
    def stopped(x: R.Tensor(("n", 4), "float32"), w: R.Tensor((3, 4), "float32")):
        R.func_attr({"num_input": 1})
        with R.dataflow():
            v = R.builtin.stop_lift_params(w)
            t = R.permute_dims(v)
            y = R.matmul(x, t)
            R.output(y)
        return y

    @R.function
    def symbols(x: R.Tensor(("n", 4), "float32"), w: R.Tensor(("m", 4), "float32")):
        R.func_attr({"num_input": 1})
        with R.dataflow():
            y = R.matmul(x, R.permute_dims(w))
            R.output(y)
        return y

    @R.function
    def branches(x: R.Tensor((), "bool"), w: R.Tensor((2, 3), "float32")):
        R.func_attr({"num_input": 1})
        t = R.permute_dims(w)
        if x:
            y = R.exp(t)
        else:
            y = R.permute_dims(w)
        return y
# ---- expected
# from tvm.script import ir as I
# from tvm.script import tir as T
# from tvm.script import relax as R

@I.ir_module
class Module:
    @R.function
    def main(x: R.Tensor(("n", 4), dtype="float32"), c: R.Tensor((3,), dtype="float32"), t: R.Tensor((4, 3), dtype="float32"), scale: R.Tensor((3,), dtype="float32")) -> R.Tensor(("n", 3), dtype="float32"):
        n = T.int64()
        R.func_attr({"num_input": 1})
        with R.dataflow():
            one: R.Tensor((3,), dtype="float32") = R.ones(R.shape([3]), dtype="float32")
            y: R.Tensor((n, 3), dtype="float32") = R.matmul(x, t, out_dtype="void")
            lv: R.Tensor((n, 3), dtype="float32") = R.multiply(y, scale)
            z: R.Tensor((n, 3), dtype="float32") = R.add(lv, c)
            R.output(z)
        return z

    @R.function
    def stopped(x: R.Tensor(("n", 4), dtype="float32"), w: R.Tensor((3, 4), dtype="float32")) -> R.Tensor(("n", 3), dtype="float32"):
        n = T.int64()
        R.func_attr({"num_input": 1})
        with R.dataflow():
            v: R.Tensor((3, 4), dtype="float32") = R.builtin.stop_lift_params(w)
            t: R.Tensor((4, 3), dtype="float32") = R.permute_dims(v, axes=None)
            y: R.Tensor((n, 3), dtype="float32") = R.matmul(x, t, out_dtype="void")
            R.output(y)
        return y

    @R.function
    def symbols(x: R.Tensor(("n", 4), dtype="float32"), w: R.Tensor(("m", 4), dtype="float32")) -> R.Tensor(("n", "m"), dtype="float32"):
        n = T.int64()
        m = T.int64()
        R.func_attr({"num_input": 1})
        with R.dataflow():
            lv: R.Tensor((4, m), dtype="float32") = R.permute_dims(w, axes=None)
            y: R.Tensor((n, m), dtype="float32") = R.matmul(x, lv, out_dtype="void")
            R.output(y)
        return y

    @R.function
    def branches(x: R.Tensor((), dtype="bool"), w: R.Tensor((2, 3), dtype="float32"), t: R.Tensor((3, 2), dtype="float32")) -> R.Tensor((3, 2), dtype="float32"):
        R.func_attr({"num_input": 1})
        if x:
            y: R.Tensor((3, 2), dtype="float32") = R.exp(t)
            y_1: R.Tensor((3, 2), dtype="float32") = y
        else:
            y_2: R.Tensor((3, 2), dtype="float32") = R.permute_dims(w, axes=None)
            y_1: R.Tensor((3, 2), dtype="float32") = y_2
        return y_1

    @R.function
    def main_transform_params(params: R.Tuple(R.Tensor((3, 4), dtype="float32"), R.Tensor((3,), dtype="float32"), R.Tensor((3,), dtype="float32"))) -> R.Tuple(R.Tensor((3,), dtype="float32"), R.Tensor((4, 3), dtype="float32"), R.Tensor((3,), dtype="float32")):
        w: R.Tensor((3, 4), dtype="float32") = params[0]
        b: R.Tensor((3,), dtype="float32") = params[1]
        c: R.Tensor((3,), dtype="float32") = params[2]
        t: R.Tensor((4, 3), dtype="float32") = R.permute_dims(w, axes=None)
        one: R.Tensor((3,), dtype="float32") = R.ones(R.shape([3]), dtype="float32")
        s: R.Tensor((3,), dtype="float32") = R.add(b, one)
        both: R.Tuple(R.Tensor((3,), dtype="float32"), R.Tensor((3,), dtype="float32")) = (s, c)
        scale: R.Tensor((3,), dtype="float32") = R.multiply(s, c)
        transformed: R.Tuple(R.Tensor((3,), dtype="float32"), R.Tensor((4, 3), dtype="float32"), R.Tensor((3,), dtype="float32")) = (c, t, scale)
        return transformed

    @R.function
    def branches_transform_params(params: R.Tuple(R.Tensor((2, 3), dtype="float32"))) -> R.Tuple(R.Tensor((2, 3), dtype="float32"), R.Tensor((3, 2), dtype="float32")):
        w: R.Tensor((2, 3), dtype="float32") = params[0]
        t: R.Tensor((3, 2), dtype="float32") = R.permute_dims(w, axes=None)
        transformed: R.Tuple(R.Tensor((2, 3), dtype="float32"), R.Tensor((3, 2), dtype="float32")) = (w, t)
        return transformed
