"""Temporaries of PrimFuncs that share memory, and some that must not: in use in the last statement of another, with an address, of a size that is only known later, of sizes that nothing orders."""
from tvm.script import ir as I
from tvm.script import relax as R
from tvm.script import tir as T


@I.ir_module
class Module:
    @T.prim_func(private=True)
    def chain(px: T.handle, po: T.handle):
        n = T.int64()
        x = T.match_buffer(px, (n,))
        o = T.match_buffer(po, (n,))
        t1 = T.alloc_buffer((n,))
        t2 = T.alloc_buffer((n,))
        t3 = T.alloc_buffer((n,))
        t4 = T.alloc_buffer((n,))
        for i in range(n):
            t1[i] = x[i] + T.float32(1)
        for i in range(n):
            t2[i] = t1[n - 1 - i] + t1[i // 2]
        for i in range(n):
            t3[i] = t2[n - 1 - i] + t2[i // 2]
        for i in range(n):
            t4[i] = t3[n - 1 - i] + t3[i // 2] + t1[i]
        for i in range(n):
            o[i] = t4[n - 1 - i] + t4[i // 2]

    @T.prim_func(private=True)
    def kept(px: T.handle, po: T.handle):
        n = T.int64()
        x = T.match_buffer(px, (n,))
        o = T.match_buffer(po, (n,))
        t1 = T.alloc_buffer((n,))
        t2 = T.alloc_buffer((n,))
        for i in range(n):
            t1[i] = x[i] + T.float32(1)
        p = T.address_of(t1[0])
        view = T.decl_buffer((n,), data=p)
        for i in range(n):
            t2[i] = x[n - 1 - i] * T.float32(2)
        for i in range(n):
            o[i] = view[i] + t2[i // 2]

    @T.prim_func(private=True)
    def late(px: T.handle, po: T.handle):
        n = T.int64()
        x = T.match_buffer(px, (n,))
        o = T.match_buffer(po, (n,))
        t1 = T.alloc_buffer((n,))
        more = T.alloc_buffer((n + 1,), "uint8")
        for i in range(n):
            t1[i] = x[i]
        for i in range(n + 1):
            more[i] = T.uint8(3)
        for i in range(n):
            o[i] = t1[n - 1 - i]
        t2 = T.allocate([n + T.Cast("int64", more[n])], "float32", "global")
        b2 = T.decl_buffer((n + T.Cast("int64", more[n]),), data=t2)
        for i in range(n + 3):
            b2[i] = T.Cast("float32", i)
        for i in range(n):
            o[i] = o[i] + b2[n + 2 - i]

    @T.prim_func(private=True)
    def apart(px: T.handle, po: T.handle):
        n = T.int64()
        x = T.match_buffer(px, (n,))
        o = T.match_buffer(po, (n,))
        t1 = T.alloc_buffer((n + 1,))
        keep = T.alloc_buffer((n,))
        t2 = T.alloc_buffer((n, n))
        t3 = T.alloc_buffer((n, 3))
        for i in range(n + 1):
            t1[i] = T.Cast("float32", i)
        for i in range(n):
            keep[i] = x[i] + t1[i + 1]
        for i, j in T.grid(n, n):
            t2[i, j] = x[i] * x[j]
        for i in range(n):
            o[i] = t2[n - 1, i] + t2[i, 0]
        for i in range(n):
            t3[i, 2] = x[i] + T.float32(5)
        for i in range(n):
            o[i] = o[i] + t3[n - 1 - i, 2] + keep[i]

    @T.prim_func(private=True)
    def grown(px: T.handle, po: T.handle):
        n = T.int64()
        x = T.match_buffer(px, (n,))
        o = T.match_buffer(po, (n,))
        t1 = T.alloc_buffer((n,))
        keep = T.alloc_buffer((n,))
        t2 = T.alloc_buffer((n * 40,))
        for i in range(n):
            t1[i] = x[i]
        for i in range(n):
            keep[i] = t1[n - 1 - i]
        for i in range(n * 40):
            t2[i] = T.Cast("float32", i)
        for i in range(n):
            o[i] = keep[i] + t2[n * 40 - 1 - i]

    @R.function(pure=False)
    def main(x: R.Tensor(("n",), dtype="float32"), y: R.Tensor(("n",), dtype="float32"), c: R.Tensor((), dtype="bool")) -> R.Object:
        n = T.int64()
        cls = Module
        a = R.call_tir(cls.chain, (x,), out_sinfo=R.Tensor((n,), dtype="float32"))
        b = R.call_tir(cls.kept, (a,), out_sinfo=R.Tensor((n,), dtype="float32"))
        d = R.call_tir(cls.late, (y,), out_sinfo=R.Tensor((n,), dtype="float32"))
        e = R.call_tir(cls.apart, (y,), out_sinfo=R.Tensor((n,), dtype="float32"))
        f = R.call_tir(cls.grown, (y,), out_sinfo=R.Tensor((n,), dtype="float32"))
        return (b, d, e, f)
