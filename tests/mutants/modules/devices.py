"""Values on two devices die in turn: in the same body, in the branches of an if, as operands of a call into other memory."""
from tvm.script import ir as I
from tvm.script import relax as R
from tvm.script import tir as T


@I.ir_module
class Module:
    I.module_global_infos({"vdevice": [I.vdevice("llvm"), I.vdevice("llvm", 1), I.vdevice("llvm", 1, "global.sram")]})

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
    def fetch(px: T.handle, po: T.handle):
        n = T.int64()
        x = T.match_buffer(px, (n,))
        o = T.match_buffer(po, (n,), scope="global.sram")
        for i in range(n):
            with T.block("b"):
                vi = T.axis.spatial(n, i)
                o[vi] = x[vi] * T.float32(2)

    @R.function(pure=False)
    def main(x: R.Tensor(("n",), dtype="float32"), y: R.Tensor(("n",), dtype="float32"), c: R.Tensor((), dtype="bool")) -> R.Tuple(R.Tensor(("n",), dtype="float32"), R.Tensor(("n",), dtype="float32", vdevice="llvm:1")):
        n = T.int64()
        cls = Module
        a = R.call_tir(cls.add, (x, y), out_sinfo=R.Tensor((n,), dtype="float32"))
        there = R.to_vdevice(a, "llvm:1")
        b = R.call_tir(cls.add, (there, there), out_sinfo=R.Tensor((n,), dtype="float32", vdevice="llvm:1"))
        if c:
            p = R.call_tir(cls.add, (b, there), out_sinfo=R.Tensor((n,), dtype="float32", vdevice="llvm:1"))
            r = R.to_vdevice(p, "llvm:0")
        else:
            p = R.call_tir(cls.add, (a, x), out_sinfo=R.Tensor((n,), dtype="float32"))
            q = R.to_vdevice(p, "llvm:1")
            u = R.call_tir(cls.add, (q, b), out_sinfo=R.Tensor((n,), dtype="float32", vdevice="llvm:1"))
            r = R.to_vdevice(u, "llvm:0")
        if c:
            p = R.call_tir(cls.add, (b, b), out_sinfo=R.Tensor((n,), dtype="float32", vdevice="llvm:1"))
            t = (p, r)
        else:
            p = R.call_tir(cls.add, (r, x), out_sinfo=R.Tensor((n,), dtype="float32"))
            t = (b, p)
        k = t[0]
        v = R.to_vdevice(k, "llvm:0")
        w = t[1]
        r = R.call_tir(cls.add, (v, w), out_sinfo=R.Tensor((n,), dtype="float32"))
        d = R.call_tir(cls.add, (r, y), out_sinfo=R.Tensor((n,), dtype="float32"))
        e = R.to_vdevice(d, "llvm:1")
        g = R.call_tir(cls.add, (e, e), out_sinfo=R.Tensor((n,), dtype="float32", vdevice="llvm:1"))
        f = R.call_tir(cls.fetch, (g,), out_sinfo=R.Tensor((n,), dtype="float32", vdevice="llvm:2"))
        h = R.to_vdevice(f, "llvm:0")
        o = R.call_tir(cls.add, (h, x), out_sinfo=R.Tensor((n,), dtype="float32"))
        z = R.call_tir(cls.add, (there, there), out_sinfo=R.Tensor((n,), dtype="float32", vdevice="llvm:1"))
        return (o, z)
