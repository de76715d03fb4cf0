from tvm.script import ir as I
from tvm.script import relax as R
from tvm.script import tir as T


@I.ir_module
class Module:
    @T.prim_func(private=True)
    def step(px: T.handle, py: T.handle, po: T.handle):
        T.func_attr({"op_pattern": 8})
        n = T.int64()
        x = T.match_buffer(px, (n,))
        y = T.match_buffer(py, (n,))
        o = T.match_buffer(po, (n,))
        for i in range(n):
            with T.block("b"):
                vi = T.axis.spatial(n, i)
                o[vi] = x[vi] + y[vi]

    @T.prim_func(private=True)
    def outer(px: T.handle, po: T.handle):
        T.func_attr({"op_pattern": 8})
        n = T.int64()
        x = T.match_buffer(px, (n,))
        o = T.match_buffer(po, (n, n))
        for i, j in T.grid(n, n):
            with T.block("b"):
                vi, vj = T.axis.remap("SS", [i, j])
                o[vi, vj] = x[vi] * x[vj]

    @T.prim_func(private=True)
    def diagonal(px: T.handle, po: T.handle):
        T.func_attr({"op_pattern": 8})
        n = T.int64()
        x = T.match_buffer(px, (n, n))
        o = T.match_buffer(po, (n,))
        for i in range(n):
            with T.block("b"):
                vi = T.axis.spatial(n, i)
                o[vi] = x[vi, vi]

    @R.function
    def main(x: R.Tensor(("n",), dtype="float32")) -> R.Tensor(("n",), dtype="float32"):
        n = T.int64()
        cls = Module
        a = R.call_tir(cls.step, (x, x), out_sinfo=R.Tensor((n,), dtype="float32"))
        b = R.call_tir(cls.outer, (a,), out_sinfo=R.Tensor((n, n), dtype="float32"))
        c = R.call_tir(cls.diagonal, (b,), out_sinfo=R.Tensor((n,), dtype="float32"))
        d = R.call_tir(cls.outer, (c,), out_sinfo=R.Tensor((n, n), dtype="float32"))
        e = R.call_tir(cls.diagonal, (d,), out_sinfo=R.Tensor((n,), dtype="float32"))
        return e
