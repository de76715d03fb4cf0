"""call_tir_inplace on a tensor, on one that is read later, on a view."""
from tvm.script import ir as I
from tvm.script import relax as R
from tvm.script import tir as T


@I.ir_module
class Module:
    @T.prim_func(private=True)
    def add(px: T.handle, py: T.handle, po: T.handle):
        n = T.int64()
        x = T.match_buffer(px, (n,))
        y = T.match_buffer(py, (n,))
        o = T.match_buffer(po, (n,))
        for i in range(n):
            with T.block("b"):
                vi = T.axis.spatial(n, i)
                o[vi] = x[vi] + y[vi]

    @T.prim_func(private=True)
    def inc(px: T.handle):
        n = T.int64()
        x = T.match_buffer(px, (n,))
        for i in range(n):
            with T.block("b"):
                vi = T.axis.spatial(n, i)
                x[vi] = x[vi] + T.float32(1)

    @T.prim_func(private=True)
    def store(px: T.handle, py: T.handle):
        n = T.int64()
        x = T.match_buffer(px, (n,))
        y = T.match_buffer(py, (n,))
        for i in range(n):
            with T.block("b"):
                vi = T.axis.spatial(n, i)
                y[vi] = x[vi] + T.float32(1)

    @R.function(pure=False)
    def main(x: R.Tensor(("n",), dtype="float32"), y: R.Tensor(("n",), dtype="float32"), c: R.Tensor((), dtype="bool")) -> R.Object:
        n = T.int64()
        cls = Module
        a = R.call_tir(cls.add, (x, y), out_sinfo=R.Tensor((n,), dtype="float32"))
        b = R.call_tir_inplace(cls.inc, (a,), out_sinfo=R.Tensor((n,), dtype="float32"), inplace_indices=[0])
        d = R.call_tir(cls.add, (b, x), out_sinfo=R.Tensor((n,), dtype="float32"))
        e = R.call_tir_inplace(cls.inc, (d,), out_sinfo=R.Tensor((n,), dtype="float32"), inplace_indices=[0])
        f = R.call_tir(cls.add, (e, d), out_sinfo=R.Tensor((n,), dtype="float32"))
        v = R.reshape(f, R.shape([n]))
        g = R.call_tir_inplace(cls.inc, (f,), out_sinfo=R.Tensor((n,), dtype="float32"), inplace_indices=[0])
        h = R.call_tir(cls.add, (g, v), out_sinfo=R.Tensor((n,), dtype="float32"))
        i = R.call_tir_inplace(cls.inc, (x,), out_sinfo=R.Tensor((n,), dtype="float32"), inplace_indices=[0])
        j = R.call_tir(cls.add, (h, i), out_sinfo=R.Tensor((n,), dtype="float32"))
        k = R.call_tir(cls.add, (j, x), out_sinfo=R.Tensor((n,), dtype="float32"))
        l = R.call_tir(cls.add, (k, y), out_sinfo=R.Tensor((n,), dtype="float32"))
        m = R.call_tir_inplace(cls.store, (k, l), out_sinfo=R.Tensor((n,), dtype="float32"), inplace_indices=[1])
        o = R.call_tir(cls.add, (j, y), out_sinfo=R.Tensor((n,), dtype="float32"))
        return o
