"""Aliases of one tensor: copies, reshapes, casts of the type, tuples and their fields, nested."""
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

    @R.function(pure=False)
    def main(x: R.Tensor(("n",), dtype="float32"), y: R.Tensor(("n",), dtype="float32"), c: R.Tensor((), dtype="bool")) -> R.Object:
        n = T.int64()
        cls = Module
        a = R.call_tir(cls.add, (x, y), out_sinfo=R.Tensor((n,), dtype="float32"))
        v = a
        b = R.call_tir(cls.add, (x, x), out_sinfo=R.Tensor((n,), dtype="float32"))
        d = R.call_tir(cls.add, (b, y), out_sinfo=R.Tensor((n,), dtype="float32"))
        e = R.call_tir(cls.add, (d, v), out_sinfo=R.Tensor((n,), dtype="float32"))
        w = R.match_cast(e, R.Tensor((n,), dtype="float32"))
        f = R.call_tir(cls.add, (y, y), out_sinfo=R.Tensor((n,), dtype="float32"))
        g = R.call_tir(cls.add, (f, x), out_sinfo=R.Tensor((n,), dtype="float32"))
        h = R.call_tir(cls.add, (g, w), out_sinfo=R.Tensor((n,), dtype="float32"))
        t = (h, g)
        i = R.call_tir(cls.add, (x, y), out_sinfo=R.Tensor((n,), dtype="float32"))
        j = R.call_tir(cls.add, (i, x), out_sinfo=R.Tensor((n,), dtype="float32"))
        u = t[0]
        s = t[1]
        k = R.call_tir(cls.add, (j, u), out_sinfo=R.Tensor((n,), dtype="float32"))
        l = R.call_tir(cls.add, (k, s), out_sinfo=R.Tensor((n,), dtype="float32"))
        r = (l, (k, j))
        m = R.call_tir(cls.add, (x, y), out_sinfo=R.Tensor((n,), dtype="float32"))
        o = R.call_tir(cls.add, (m, x), out_sinfo=R.Tensor((n,), dtype="float32"))
        z = r[1]
        z0 = z[1]
        p = R.call_tir(cls.add, (o, z0), out_sinfo=R.Tensor((n,), dtype="float32"))
        q = r[0]
        aa = R.call_tir(cls.add, (p, q), out_sinfo=R.Tensor((n,), dtype="float32"))
        n0 = R.reshape(aa, R.shape([1, n]))
        n1 = R.reshape(n0, R.shape([n, 1]))
        ab = R.call_tir(cls.add, (x, y), out_sinfo=R.Tensor((n,), dtype="float32"))
        ac = R.call_tir(cls.add, (ab, x), out_sinfo=R.Tensor((n,), dtype="float32"))
        n2 = R.reshape(n1, R.shape([n]))
        ad = R.call_tir(cls.add, (ac, n2), out_sinfo=R.Tensor((n,), dtype="float32"))
        ae = R.call_tir(cls.add, (ad, y), out_sinfo=R.Tensor((n,), dtype="float32"))
        return ae
