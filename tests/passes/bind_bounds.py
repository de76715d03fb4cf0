# ==== option_and_attribute
# --bound n=2:64
# The option's bounds are combined with the attribute's: the tighter ones win, in exported functions only.
from tvm.script import ir as I
from tvm.script import tir as T
from tvm.script import relax as R


@I.ir_module
class Module:
    @R.function
    def loose(x: R.Tensor(("n", "m"), dtype="float32")) -> R.Tensor(("n", "m"), dtype="float32"):
        R.func_attr({"tir_var_upper_bound": {"m": 8, "n": 512}})
        y = R.add(x, x)
        return y

    @R.function
    def tight(x: R.Tensor(("n",), dtype="float32")) -> R.Tensor(("n",), dtype="float32"):
        R.func_attr({"tir_var_lower_bound": {"n": 4}, "tir_var_upper_bound": {"n": 16}})
        y = R.add(x, x)
        return y

    @R.function
    def other_symbol(x: R.Tensor(("k",), dtype="float32")) -> R.Tensor(("k",), dtype="float32"):
        return x

    @R.function(private=True)
    def hidden(x: R.Tensor(("n",), dtype="float32")) -> R.Tensor(("n",), dtype="float32"):
        return x
# ---- expected
# from tvm.script import ir as I
# from tvm.script import tir as T
# from tvm.script import relax as R

@I.ir_module
class Module:
    @R.function
    def loose(x: R.Tensor(("n", "m"), dtype="float32")) -> R.Tensor(("n", "m"), dtype="float32"):
        n = T.int64()
        m = T.int64()
        R.func_attr({"tir_var_upper_bound": {"m": 8, "n": 64}, "tir_var_lower_bound": {"n": 2}})
        y: R.Tensor((n, m), dtype="float32") = R.add(x, x)
        return y

    @R.function
    def tight(x: R.Tensor(("n",), dtype="float32")) -> R.Tensor(("n",), dtype="float32"):
        n = T.int64()
        R.func_attr({"tir_var_lower_bound": {"n": 4}, "tir_var_upper_bound": {"n": 16}})
        y: R.Tensor((n,), dtype="float32") = R.add(x, x)
        return y

    @R.function
    def other_symbol(x: R.Tensor(("k",), dtype="float32")) -> R.Tensor(("k",), dtype="float32"):
        k = T.int64()
        return x

    @R.function(private=True)
    def hidden(x: R.Tensor(("n",), dtype="float32")) -> R.Tensor(("n",), dtype="float32"):
        n = T.int64()
        return x
