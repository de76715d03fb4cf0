"""Host functions: called, pure, in destination-passing style, as a value, failing."""
# call main: tensor float32 [3] {1, 2, 3} => tuple(tensor float32 [3] {1, 2, 3}, tensor float32 [3] {2, 4, 6}, tensor float32 [3] {4, 8, 12}, int 3)
# call main: tensor float32 [0] {} => tuple(tensor float32 [0] {}, tensor float32 [0] {}, tensor float32 [0] {}, int 3)
# call nothing: => int 0
# call declared: tensor float32 [2] {1, 2} => tuple(tensor float32 [2] {1, 2}, tensor float32 [2] {1, 2})
# fail refuse: tensor float32 [1] {1} => as the test asked
# fail unknown: tensor float32 [1] {1} => test.absent
# fail wrong_result: tensor float32 [1] {1} => Tensor((n,), int32)
from tvm.script import ir as I
from tvm.script import relax as R
from tvm.script import tir as T


@I.ir_module
class Module:
    same = R.ExternFunc("test.id")

    @R.function(pure=False)
    def declared(x: R.Tensor(("n",), "float32")):
        cls = Module
        f = cls.same
        y = cls.same(x, sinfo_args=(R.Tensor(("n",), "float32"),))
        return (y, f(y))

    @R.function(pure=False)
    def main(x: R.Tensor(("n",), "float32")):
        n = T.int64()
        a = R.call_packed("test.id", x, sinfo_args=R.Tensor((n,), "float32"))
        b = R.call_dps_packed("test.twice", (a,), out_sinfo=R.Tensor((n,), "float32"))
        f = R.ExternFunc("test.id")
        c = R.call_pure_packed("test.id", R.add(b, b), sinfo_args=R.Tensor((n,), "float32"))
        d = R.call_packed("test.count", x, R.prim_value(n), R.shape([n, 1]), sinfo_args=(R.Prim("int64"),))
        return (a, b, c, d)

    @R.function(pure=False)
    def nothing():
        return R.call_packed("test.count", sinfo_args=R.Object)

    @R.function(pure=False)
    def refuse(x: R.Tensor(("n",), "float32")):
        y = R.call_packed("test.fail", x, sinfo_args=R.Object)
        return y

    @R.function(pure=False)
    def unknown(x: R.Tensor(("n",), "float32")):
        y = R.call_packed("test.absent", x, sinfo_args=R.Object)
        return y

    @R.function(pure=False)
    def wrong_result(x: R.Tensor(("n",), "float32")):
        n = T.int64()
        y = R.call_packed("test.id", x, sinfo_args=R.Tensor((n,), "int32"))
        return y
