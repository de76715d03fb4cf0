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

    @R.function
    def main(x: R.Tensor(("n",), dtype="float32")) -> R.Tensor(dtype="float32", ndim=1):
        n = T.int64()
        k = T.int64()
        cls = Module
        a = R.call_tir(cls.step, (x, x), out_sinfo=R.Tensor((n,), dtype="float32"))
        u = R.unique(a)
        v = R.match_cast(u, R.Tensor((k,), dtype="float32"))
        b = R.call_tir(cls.step, (v, v), out_sinfo=R.Tensor((k,), dtype="float32"))
        c = R.call_tir(cls.step, (b, v), out_sinfo=R.Tensor((k,), dtype="float32"))
        d = R.call_tir(cls.step, (c, v), out_sinfo=R.Tensor((k,), dtype="float32"))
        return d
