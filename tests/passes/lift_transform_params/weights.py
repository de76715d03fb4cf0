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
