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
    def main(x: R.Tensor(("n",), dtype="float32"), c: R.Tensor((), dtype="bool")) -> R.Tensor(("n",), dtype="float32"):
        n = T.int64()
        cls = Module
        a = R.call_tir(cls.step, (x, x), out_sinfo=R.Tensor((n,), dtype="float32"))
        b = R.call_tir(cls.step, (a, x), out_sinfo=R.Tensor((n,), dtype="float32"))
        if c:
            e = R.call_tir(cls.step, (a, a), out_sinfo=R.Tensor((n,), dtype="float32"))
            if c:
                f = R.call_tir(cls.step, (b, e), out_sinfo=R.Tensor((n,), dtype="float32"))
                s = f
            else:
                s = e
            r = s
        else:
            r = b
        h = R.call_tir(cls.step, (r, x), out_sinfo=R.Tensor((n,), dtype="float32"))
        return h
