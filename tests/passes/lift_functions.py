# ==== captures_value_and_symbol
from tvm.script import ir as I
from tvm.script import relax as R
from tvm.script import tir as T


@I.ir_module
class Module:
    @R.function
    def main(x: R.Tensor(("n",), "float32"), k: R.Tensor((), "float32")) -> R.Tensor(("n",), "float32"):
        n = T.int64()

        @R.function
        def scale(a: R.Tensor((n,), "float32")) -> R.Tensor((n,), "float32"):
            b: R.Tensor((n,), "float32") = R.multiply(a, k)
            return b

        y: R.Tensor((n,), "float32") = scale(x)
        z: R.Tensor((n,), "float32") = scale(y)
        return z
# ---- expected
# from tvm.script import ir as I
# from tvm.script import tir as T
# from tvm.script import relax as R

@I.ir_module
class Module:
    @R.function
    def main(x: R.Tensor(("n",), dtype="float32"), k: R.Tensor((), dtype="float32")) -> R.Tensor(("n",), dtype="float32"):
        n = T.int64()
        cls = Module
        y: R.Tensor((n,), dtype="float32") = cls.main_scale(x, k, R.shape([n]))
        z: R.Tensor((n,), dtype="float32") = cls.main_scale(y, k, R.shape([n]))
        return z

    @R.function(private=True)
    def main_scale(a: R.Tensor(("n",), dtype="float32"), k: R.Tensor((), dtype="float32"), symbols: R.Shape(["n"])) -> R.Tensor(("n",), dtype="float32"):
        n = T.int64()
        b: R.Tensor((n,), dtype="float32") = R.multiply(a, k)
        return b

# ==== recursion
from tvm.script import ir as I
from tvm.script import relax as R
from tvm.script import tir as T


@I.ir_module
class Module:
    @R.function
    def main(n: R.Tensor((), dtype="int64")) -> R.Tensor((), dtype="int64"):
        @R.function
        def go(i: R.Tensor((), dtype="int64"), s: R.Tensor((), dtype="int64")) -> R.Tensor((), dtype="int64"):
            c: R.Tensor((), dtype="bool") = R.equal(i, R.const(0, "int64"))
            if c:
                r: R.Tensor((), dtype="int64") = s
            else:
                j: R.Tensor((), dtype="int64") = R.subtract(i, R.const(1, "int64"))
                t: R.Tensor((), dtype="int64") = R.add(s, i)
                r: R.Tensor((), dtype="int64") = go(j, t)
            return r

        z: R.Tensor((), dtype="int64") = go(n, R.const(0, "int64"))
        return z
# ---- expected
# from tvm.script import ir as I
# from tvm.script import tir as T
# from tvm.script import relax as R

@I.ir_module
class Module:
    @R.function
    def main(n: R.Tensor((), dtype="int64")) -> R.Tensor((), dtype="int64"):
        cls = Module
        z: R.Tensor((), dtype="int64") = cls.main_go(n, R.const(0, "int64"))
        return z

    @R.function(private=True)
    def main_go(i: R.Tensor((), dtype="int64"), s: R.Tensor((), dtype="int64")) -> R.Tensor((), dtype="int64"):
        cls = Module
        c: R.Tensor((), dtype="bool") = R.equal(i, R.const(0, "int64"))
        if c:
            r: R.Tensor((), dtype="int64") = s
        else:
            j: R.Tensor((), dtype="int64") = R.subtract(i, R.const(1, "int64"))
            t: R.Tensor((), dtype="int64") = R.add(s, i)
            r_1: R.Tensor((), dtype="int64") = cls.main_go(j, t)
            r: R.Tensor((), dtype="int64") = r_1
        return r

# ==== call_of_an_unknown_type
from tvm.script import ir as I
from tvm.script import relax as R


@I.ir_module
class Module:
    @R.function
    def pure(f: R.Object, x: R.Object) -> R.Object:
        y: R.Object = f(x)
        return y

    @R.function(pure=False)
    def impure(f: R.Object, x: R.Object) -> R.Object:
        with R.dataflow():
            y: R.Object = f(x)
            R.output(y)
        z: R.Object = f(y)
        return z
# ---- expected
# from tvm.script import ir as I
# from tvm.script import tir as T
# from tvm.script import relax as R

@I.ir_module
class Module:
    @R.function
    def pure(f: R.Object, x: R.Object) -> R.Object:
        y: R.Object = R.invoke_pure_closure(f, (x,), sinfo_args=(R.Object,))
        return y

    @R.function(pure=False)
    def impure(f: R.Object, x: R.Object) -> R.Object:
        with R.dataflow():
            y: R.Object = R.invoke_pure_closure(f, (x,), sinfo_args=(R.Object,))
            R.output(y)
        z: R.Object = R.invoke_closure(f, (y,), sinfo_args=(R.Object,))
        return z
