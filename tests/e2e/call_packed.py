# ==== bare
"""Bare functions, without a class."""
# call main: tensor float32 [2] {1, 2} => tensor float32 [2] {6, 12}
from tvm.script import relax as R, tir as T


@T.prim_func(private=True)
def triple(a: T.handle, b: T.handle):
    n = T.int64()
    A = T.match_buffer(a, (n,))
    B = T.match_buffer(b, (n,))
    for i in range(n):
        with T.block("b"):
            vi = T.axis.spatial(n, i)
            B[vi] = A[vi] * T.float32(3)


@R.function(private=True)
def twice(x: R.Tensor(("n",), "float32")) -> R.Tensor(("n",), "float32"):
    return R.add(x, x)


@R.function
def main(x: R.Tensor(("n",), "float32")) -> R.Tensor(("n",), "float32"):
    n = T.int64()
    y = R.call_tir(triple, (x,), out_sinfo=R.Tensor((n,), "float32"))
    z: R.Tensor((n,), "float32") = twice(y)
    return z

# ==== without_result
# Functions called for their effects only: without return, and with an empty return.
# call main: tensor float32 [2] {1, 2} => tuple()
# call stated: tensor float32 [2] {1, 2} => tuple()
# call caller: tensor float32 [2] {1, 2} => tensor float32 [2] {2, 4}
# fail check: tensor bool [] {0} => no good
@I.ir_module
class Module:
    @R.function(pure=False)
    def main(x: R.Tensor(("n",), "float32")):
        _ = R.assert_op(R.const(True, "bool"), format="never")

    @R.function(pure=False)
    def stated(x: R.Tensor(("n",), "float32")) -> R.Tuple():
        R.assert_op(R.const(True, "bool"), format="never")

    @R.function(pure=False)
    def check(x: R.Tensor((), "bool")):
        R.assert_op(x, format="no good")

    @R.function(pure=False)
    def caller(x: R.Tensor(("n",), "float32")):
        cls = Module
        cls.main(x)
        y = R.add(x, x)
        return y
# ==== inplace_packed
# A packed function that may write its arguments gets copies of those that are read later: of
# parameters, constants, and operands of other bindings.
# call main: tensor float32 [2] {1, 2} => tuple(tensor float32 [2] {2, 4}, tensor float32 [2] {1, 2}, tensor float32 [2] {3, 3})
# call later: tensor float32 [2] {1, 2} => tensor float32 [2] {4, 8}
@I.ir_module
class Module:
    @R.function
    def main(x: R.Tensor((2,), "float32")):
        with R.dataflow():
            y = R.add(x, x)
            a = R.call_inplace_packed("vm.builtin.copy", y, inplace_indices=[0], sinfo_args=(R.Tensor((2,), dtype="float32"),))
            b = R.call_inplace_packed("vm.builtin.copy", x, inplace_indices=0, ty_args=R.Tensor((2,), dtype="float32"))
            c = R.call_inplace_packed("vm.builtin.copy", R.const([3, 3], "float32"), inplace_indices=[0], sinfo_args=(R.Tensor((2,), dtype="float32"),))
            R.output(a, b, c)
        return (a, b, c)

    @R.function
    def later(x: R.Tensor((2,), "float32")):
        with R.dataflow():
            y = R.add(x, x)
            a = R.call_inplace_packed("vm.builtin.copy", y, inplace_indices=[0], sinfo_args=(R.Tensor((2,), dtype="float32"),))
            b = R.add(a, y)
            R.output(b)
        return b
