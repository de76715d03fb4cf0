"""Rows of rlx.checks that do not name a check."""
# error => rows: a row of rlx.checks needs "param", a buffer of integers, "text"
from tvm.script import ir as I
from tvm.script import relax as R
from tvm.script import tir as T


@I.ir_module
class Module:
    @T.prim_func(private=True)
    def rows(x: T.Buffer((T.int64(2),), "int64"), y: T.Buffer((T.int64(2),), "int64")):
        T.func_attr({"rlx.checks": [{"param": 0, "size": [1, 1], "text": "index"}]})
        for i in range(2):
            with T.block("y"):
                v = T.axis.spatial(2, i)
                y[v] = x[v]

    @R.function
    def main(x: R.Tensor((2,), "int64")):
        cls = Module
        y = R.call_tir(cls.rows, (x,), out_sinfo=R.Tensor((2,), "int64"))
        return y
