# ==== branch_alias
"""The result of an IF is an earlier tensor, in one branch or the other."""
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
        b = R.call_tir(cls.add, (x, x), out_sinfo=R.Tensor((n,), dtype="float32"))
        if c:
            r = a
        else:
            r = b
        d = R.call_tir(cls.add, (y, y), out_sinfo=R.Tensor((n,), dtype="float32"))
        e = R.call_tir(cls.add, (d, x), out_sinfo=R.Tensor((n,), dtype="float32"))
        f = R.call_tir(cls.add, (r, e), out_sinfo=R.Tensor((n,), dtype="float32"))
        g = R.call_tir(cls.add, (f, x), out_sinfo=R.Tensor((n,), dtype="float32"))
        if c:
            p = R.call_tir(cls.add, (g, x), out_sinfo=R.Tensor((n,), dtype="float32"))
            v = R.reshape(p, R.shape([n]))
            s = v
        else:
            s = g
        h = R.call_tir(cls.add, (y, y), out_sinfo=R.Tensor((n,), dtype="float32"))
        i = R.call_tir(cls.add, (h, x), out_sinfo=R.Tensor((n,), dtype="float32"))
        j = R.call_tir(cls.add, (s, i), out_sinfo=R.Tensor((n,), dtype="float32"))
        k = R.call_tir(cls.add, (j, x), out_sinfo=R.Tensor((n,), dtype="float32"))
        return k

# ==== branch_pairs
"""Two tensors outlive the else branch, one the then branch; and a branch inside a branch."""
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
        b = R.call_tir(cls.add, (a, x), out_sinfo=R.Tensor((n,), dtype="float32"))
        if c:
            p = R.call_tir(cls.add, (a, b), out_sinfo=R.Tensor((n,), dtype="float32"))
            r = (p, a)
        else:
            p = R.call_tir(cls.add, (b, x), out_sinfo=R.Tensor((n,), dtype="float32"))
            q = R.call_tir(cls.add, (p, a), out_sinfo=R.Tensor((n,), dtype="float32"))
            r = (q, p)
        r0 = r[0]
        r1 = r[1]
        d = R.call_tir(cls.add, (r0, x), out_sinfo=R.Tensor((n,), dtype="float32"))
        e = R.call_tir(cls.add, (d, r1), out_sinfo=R.Tensor((n,), dtype="float32"))
        o = R.call_tir(cls.add, (e, a), out_sinfo=R.Tensor((n,), dtype="float32"))
        if c:
            p = R.call_tir(cls.add, (e, x), out_sinfo=R.Tensor((n,), dtype="float32"))
            if c:
                u = o
            else:
                q = R.call_tir(cls.add, (p, p), out_sinfo=R.Tensor((n,), dtype="float32"))
                u = q
            s = (p, u)
        else:
            s = (e, o)
        s0 = s[0]
        s1 = s[1]
        f = R.call_tir(cls.add, (s0, x), out_sinfo=R.Tensor((n,), dtype="float32"))
        g = R.call_tir(cls.add, (f, s1), out_sinfo=R.Tensor((n,), dtype="float32"))
        return g

# ==== branch_sizes
"""Branches whose surviving tensors need different sizes: the smaller first, the larger first."""
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
    def widen(px: T.handle, po: T.handle):
        n = T.int64()
        x = T.match_buffer(px, (n,), "float32")
        o = T.match_buffer(po, (n * 2,), "float32")
        for i in range(n * 2):
            with T.block("b"):
                vi = T.axis.spatial(n * 2, i)
                o[vi] = x[vi // 2]

    @T.prim_func(private=True)
    def narrow(px: T.handle, po: T.handle):
        n = T.int64()
        x = T.match_buffer(px, (n * 2,), "float32")
        o = T.match_buffer(po, (n,), "float32")
        for i in range(n):
            with T.block("b"):
                vi = T.axis.spatial(n, i)
                o[vi] = x[vi * 2] + x[vi * 2 + 1]

    @R.function(pure=False)
    def main(x: R.Tensor(("n",), dtype="float32"), y: R.Tensor(("n",), dtype="float32"), c: R.Tensor((), dtype="bool")) -> R.Object:
        n = T.int64()
        cls = Module
        k = T.int64()
        l = T.int64()
        a = R.call_tir(cls.add, (x, y), out_sinfo=R.Tensor((n,), dtype="float32"))
        z = R.call_tir(cls.add, (a, x), out_sinfo=R.Tensor((n,), dtype="float32"))
        if c:
            p = R.call_tir(cls.add, (a, x), out_sinfo=R.Tensor((n,), dtype="float32"))
            r: R.Tensor(dtype="float32", ndim=1) = p
        else:
            q = R.call_tir(cls.widen, (a,), out_sinfo=R.Tensor((n * 2,), dtype="float32"))
            r: R.Tensor(dtype="float32", ndim=1) = q
        b = R.call_tir(cls.add, (x, y), out_sinfo=R.Tensor((n,), dtype="float32"))
        d = R.call_tir(cls.add, (b, z), out_sinfo=R.Tensor((n,), dtype="float32"))
        m = R.match_cast(r, R.Tensor((k,), dtype="float32"))
        s = R.call_tir(cls.add, (m, m), out_sinfo=R.Tensor((k,), dtype="float32"))
        s2 = R.call_tir(cls.add, (s, m), out_sinfo=R.Tensor((k,), dtype="float32"))
        e = R.call_tir(cls.add, (d, b), out_sinfo=R.Tensor((n,), dtype="float32"))
        if c:
            p = R.call_tir(cls.widen, (e,), out_sinfo=R.Tensor((n * 2,), dtype="float32"))
            t: R.Tensor(dtype="float32", ndim=1) = p
        else:
            q = R.call_tir(cls.add, (e, x), out_sinfo=R.Tensor((n,), dtype="float32"))
            t: R.Tensor(dtype="float32", ndim=1) = q
        f = R.call_tir(cls.add, (x, y), out_sinfo=R.Tensor((n,), dtype="float32"))
        g = R.call_tir(cls.add, (f, e), out_sinfo=R.Tensor((n,), dtype="float32"))
        o = R.match_cast(t, R.Tensor((l,), dtype="float32"))
        u = R.call_tir(cls.add, (o, o), out_sinfo=R.Tensor((l,), dtype="float32"))
        return (s2, u, g)

# ==== branch_tuple
"""An IF returns a tuple with fields from its branches and from before it."""
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
        b = R.call_tir(cls.add, (a, x), out_sinfo=R.Tensor((n,), dtype="float32"))
        if c:
            p = R.call_tir(cls.add, (a, x), out_sinfo=R.Tensor((n,), dtype="float32"))
            q = R.call_tir(cls.add, (p, b), out_sinfo=R.Tensor((n,), dtype="float32"))
            r = (q, p)
        else:
            p = R.call_tir(cls.add, (b, x), out_sinfo=R.Tensor((n,), dtype="float32"))
            r = (p, a)
        r0 = r[0]
        r1 = r[1]
        d = R.call_tir(cls.add, (x, y), out_sinfo=R.Tensor((n,), dtype="float32"))
        e = R.call_tir(cls.add, (d, x), out_sinfo=R.Tensor((n,), dtype="float32"))
        f = R.call_tir(cls.add, (e, r0), out_sinfo=R.Tensor((n,), dtype="float32"))
        g = R.call_tir(cls.add, (f, r1), out_sinfo=R.Tensor((n,), dtype="float32"))
        return g

# ==== branches
"""Tensors made before an IF and used in one branch, in both, after it; branch results, nested."""
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
        b = R.call_tir(cls.add, (a, x), out_sinfo=R.Tensor((n,), dtype="float32"))
        z = R.call_tir(cls.add, (b, a), out_sinfo=R.Tensor((n,), dtype="float32"))
        if c:
            p = R.call_tir(cls.add, (z, y), out_sinfo=R.Tensor((n,), dtype="float32"))
            q = R.call_tir(cls.add, (p, a), out_sinfo=R.Tensor((n,), dtype="float32"))
            s = R.call_tir(cls.add, (q, p), out_sinfo=R.Tensor((n,), dtype="float32"))
            if c:
                t = R.call_tir(cls.add, (s, q), out_sinfo=R.Tensor((n,), dtype="float32"))
                u = t
            else:
                t = R.call_tir(cls.add, (s, s), out_sinfo=R.Tensor((n,), dtype="float32"))
                t2 = R.call_tir(cls.add, (t, x), out_sinfo=R.Tensor((n,), dtype="float32"))
                u = t2
            w = R.call_tir(cls.add, (u, p), out_sinfo=R.Tensor((n,), dtype="float32"))
            r = w
        else:
            p = R.call_tir(cls.add, (b, b), out_sinfo=R.Tensor((n,), dtype="float32"))
            q = R.call_tir(cls.add, (p, x), out_sinfo=R.Tensor((n,), dtype="float32"))
            r = q
        d = R.call_tir(cls.add, (r, x), out_sinfo=R.Tensor((n,), dtype="float32"))
        e = R.call_tir(cls.add, (d, b), out_sinfo=R.Tensor((n,), dtype="float32"))
        if c:
            m = e
        else:
            m = d
        f = R.call_tir(cls.add, (m, y), out_sinfo=R.Tensor((n,), dtype="float32"))
        return f

# ==== calls
"""Calls whose results share memory with their arguments, or do not: functions, a builtin."""
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

    @R.function(private=True)
    def same(x: R.Tensor(("n",), dtype="float32")) -> R.Tensor(("n",), dtype="float32"):
        return x

    @R.function(private=True)
    def pair(x: R.Tensor(("n",), dtype="float32"), y: R.Tensor(("n",), dtype="float32")):
        return (y, x)

    @R.function(pure=False)
    def main(x: R.Tensor(("n",), dtype="float32"), y: R.Tensor(("n",), dtype="float32"), c: R.Tensor((), dtype="bool")) -> R.Object:
        n = T.int64()
        cls = Module
        a = R.call_tir(cls.add, (x, y), out_sinfo=R.Tensor((n,), dtype="float32"))
        v = cls.same(a)
        b = R.call_tir(cls.add, (y, y), out_sinfo=R.Tensor((n,), dtype="float32"))
        d = R.call_tir(cls.add, (b, x), out_sinfo=R.Tensor((n,), dtype="float32"))
        e = R.call_tir(cls.add, (d, v), out_sinfo=R.Tensor((n,), dtype="float32"))
        t = cls.pair(e, d)
        f = R.call_tir(cls.add, (x, y), out_sinfo=R.Tensor((n,), dtype="float32"))
        g = R.call_tir(cls.add, (f, x), out_sinfo=R.Tensor((n,), dtype="float32"))
        t0 = t[0]
        t1 = t[1]
        h = R.call_tir(cls.add, (g, t0), out_sinfo=R.Tensor((n,), dtype="float32"))
        i = R.call_tir(cls.add, (h, t1), out_sinfo=R.Tensor((n,), dtype="float32"))
        k = cls.same(i)
        j = R.call_tir(cls.add, (y, x), out_sinfo=R.Tensor((n,), dtype="float32"))
        l = R.call_tir(cls.add, (j, y), out_sinfo=R.Tensor((n,), dtype="float32"))
        m = R.call_tir(cls.add, (l, k), out_sinfo=R.Tensor((n,), dtype="float32"))
        o = R.call_tir(cls.add, (m, y), out_sinfo=R.Tensor((n,), dtype="float32"))
        z = R.call_packed("rlx.copy", o, sinfo_args=R.Tensor((n,), dtype="float32"))
        p = R.call_tir(cls.add, (x, y), out_sinfo=R.Tensor((n,), dtype="float32"))
        q = R.call_tir(cls.add, (p, x), out_sinfo=R.Tensor((n,), dtype="float32"))
        r = R.call_tir(cls.add, (q, z), out_sinfo=R.Tensor((n,), dtype="float32"))
        s = R.call_tir(cls.add, (r, y), out_sinfo=R.Tensor((n,), dtype="float32"))
        return s

# ==== closures
"""A closure holds a captured tensor, and returns it."""
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

        @R.function
        def held(z: R.Tensor((n,), dtype="float32")) -> R.Tensor((n,), dtype="float32"):
            return a

        @R.function
        def given(z: R.Tensor((n,), dtype="float32")) -> R.Tensor((n,), dtype="float32"):
            return z

        b = R.call_tir(cls.add, (x, x), out_sinfo=R.Tensor((n,), dtype="float32"))
        d = R.call_tir(cls.add, (b, y), out_sinfo=R.Tensor((n,), dtype="float32"))
        v = held(d)
        e = R.call_tir(cls.add, (d, v), out_sinfo=R.Tensor((n,), dtype="float32"))
        f = R.call_tir(cls.add, (e, x), out_sinfo=R.Tensor((n,), dtype="float32"))
        w = given(f)
        g = R.call_tir(cls.add, (x, y), out_sinfo=R.Tensor((n,), dtype="float32"))
        h = R.call_tir(cls.add, (g, y), out_sinfo=R.Tensor((n,), dtype="float32"))
        i = R.call_tir(cls.add, (h, w), out_sinfo=R.Tensor((n,), dtype="float32"))
        j = R.call_tir(cls.add, (i, y), out_sinfo=R.Tensor((n,), dtype="float32"))
        u = held(j)
        k = R.call_tir(cls.add, (j, u), out_sinfo=R.Tensor((n,), dtype="float32"))
        return k

# ==== constants
"""Constants of several sizes in two small pools and a large one."""
from tvm.script import ir as I
from tvm.script import relax as R
from tvm.script import tir as T


@I.ir_module
class Module:
    I.module_attrs({"rlx.pools": ["name=a,size=256,kind=constants", "name=b,size=128,kind=constants", "name=c,kind=constants"]})

    @R.function
    def main(x: R.Tensor(("n",), dtype="float32"), y: R.Tensor(("n",), dtype="float32"), c: R.Tensor((), dtype="bool")) -> R.Tensor(ndim=1, dtype="float32"):
        R.func_attr({"tir_var_upper_bound": {"n": 300}})
        n = T.int64()
        a = R.cumsum(R.sum(R.multiply(R.expand_dims(x, 0), R.const([[1.5], [2], [3], [4], [5], [6], [7], [8], [9], [10], [1], [2], [3], [4], [5], [6], [7], [8], [9], [10], [1], [2], [3], [4], [5], [6], [7], [8], [9], [10], [1], [2], [3], [4], [5], [6], [7], [8], [9], [10]], "float32")), axis=0), axis=0)
        b = R.cumsum(R.sum(R.multiply(R.expand_dims(R.add(a, y), 0), R.const([[0.5], [3]], "float32")), axis=0), axis=0)
        d = R.cumsum(R.sum(R.multiply(R.expand_dims(b, 0), R.const([[7], [2.5]], "float32")), axis=0), axis=0)
        e = R.cumsum(R.sum(R.multiply(R.expand_dims(d, 0), R.const([[4.5], [2], [3], [4], [5], [6], [7], [8], [9], [10], [1], [2], [3], [4], [5], [6], [7], [8], [9], [10], [1], [2], [3], [4], [5], [6], [7], [8], [9], [10], [1], [2], [3], [4], [5], [6], [7], [8], [9], [10]], "float32")), axis=0), axis=0)
        return R.cumsum(R.sum(R.multiply(R.expand_dims(e, 0), R.const([[9], [8.5]], "float32")), axis=0), axis=0)

# ==== devices
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

# ==== in_place_calls
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

# ==== in_place_condition
"""A condition on another element."""
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
    def f(px: T.handle, po: T.handle):
        n = T.int64()
        x = T.match_buffer(px, (n,), "float32")
        o = T.match_buffer(po, (n,), "float32")
        t = T.alloc_buffer((n,))
        for i in range(n):
            with T.block("b"):
                vi = T.axis.spatial(n, i)
                if x[n - 1 - vi] > T.float32(3):
                    t[vi] = x[vi]
                else:
                    t[vi] = T.float32(0)
        for i in range(n):
            with T.block("e"):
                vi = T.axis.spatial(n, i)
                o[vi] = t[vi] + x[vi]

    @R.function(pure=False)
    def main(x: R.Tensor(("n",), dtype="float32"), y: R.Tensor(("n",), dtype="float32"), c: R.Tensor((), dtype="bool")) -> R.Object:
        n = T.int64()
        cls = Module
        a = R.call_tir(cls.add, (x, y), out_sinfo=R.Tensor((n,), dtype="float32"))
        b = R.call_tir(cls.f, (a,), out_sinfo=R.Tensor((n,), dtype="float32"))
        d = R.call_tir(cls.add, (b, y), out_sinfo=R.Tensor((n,), dtype="float32"))
        return d

# ==== in_place_conditional
"""A statement under an if."""
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
    def f(px: T.handle, po: T.handle):
        n = T.int64()
        x = T.match_buffer(px, (n,), "float32")
        o = T.match_buffer(po, (n,), "float32")
        for i in range(n):
            if i < 3:
                o[i] = x[n - 1 - i]
            else:
                o[i] = x[0]

    @R.function(pure=False)
    def main(x: R.Tensor(("n",), dtype="float32"), y: R.Tensor(("n",), dtype="float32"), c: R.Tensor((), dtype="bool")) -> R.Object:
        n = T.int64()
        cls = Module
        a = R.call_tir(cls.add, (x, y), out_sinfo=R.Tensor((n,), dtype="float32"))
        b = R.call_tir(cls.f, (a,), out_sinfo=R.Tensor((n,), dtype="float32"))
        d = R.call_tir(cls.add, (b, y), out_sinfo=R.Tensor((n,), dtype="float32"))
        return d

# ==== in_place_init
"""A block with an initial value but no reduction axis."""
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
    def f(px: T.handle, po: T.handle):
        n = T.int64()
        x = T.match_buffer(px, (n,), "float32")
        o = T.match_buffer(po, (n,), "float32")
        for i in range(n):
            with T.block("b"):
                vi = T.axis.spatial(n, i)
                with T.init():
                    o[vi] = T.float32(0)
                o[vi] = x[vi] + T.float32(1)

    @R.function(pure=False)
    def main(x: R.Tensor(("n",), dtype="float32"), y: R.Tensor(("n",), dtype="float32"), c: R.Tensor((), dtype="bool")) -> R.Object:
        n = T.int64()
        cls = Module
        a = R.call_tir(cls.add, (x, y), out_sinfo=R.Tensor((n,), dtype="float32"))
        b = R.call_tir(cls.f, (a,), out_sinfo=R.Tensor((n,), dtype="float32"))
        d = R.call_tir(cls.add, (b, y), out_sinfo=R.Tensor((n,), dtype="float32"))
        return d

# ==== in_place_last
"""The last element, read in every iteration."""
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
    def f(px: T.handle, po: T.handle):
        n = T.int64()
        x = T.match_buffer(px, (n,), "float32")
        o = T.match_buffer(po, (n,), "float32")
        for i in range(n):
            with T.block("b"):
                vi = T.axis.spatial(n, i)
                o[vi] = x[vi] + x[n - 1]

    @R.function(pure=False)
    def main(x: R.Tensor(("n",), dtype="float32"), y: R.Tensor(("n",), dtype="float32"), c: R.Tensor((), dtype="bool")) -> R.Object:
        n = T.int64()
        cls = Module
        a = R.call_tir(cls.add, (x, y), out_sinfo=R.Tensor((n,), dtype="float32"))
        b = R.call_tir(cls.f, (a,), out_sinfo=R.Tensor((n,), dtype="float32"))
        d = R.call_tir(cls.add, (b, y), out_sinfo=R.Tensor((n,), dtype="float32"))
        return d

# ==== in_place_live_operand
"""An operand that is read later: by the next call, through a view, after an IF, in one branch only."""
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
        b = R.call_tir(cls.add, (a, x), out_sinfo=R.Tensor((n,), dtype="float32"))
        d = R.call_tir(cls.add, (a, b), out_sinfo=R.Tensor((n,), dtype="float32"))
        v = R.reshape(d, R.shape([n]))
        e = R.call_tir(cls.add, (d, y), out_sinfo=R.Tensor((n,), dtype="float32"))
        f = R.call_tir(cls.add, (e, v), out_sinfo=R.Tensor((n,), dtype="float32"))
        g = R.call_tir(cls.add, (f, x), out_sinfo=R.Tensor((n,), dtype="float32"))
        if c:
            p = R.call_tir(cls.add, (g, y), out_sinfo=R.Tensor((n,), dtype="float32"))
            r = p
        else:
            q = R.call_tir(cls.add, (f, x), out_sinfo=R.Tensor((n,), dtype="float32"))
            r = q
        h = R.call_tir(cls.add, (r, f), out_sinfo=R.Tensor((n,), dtype="float32"))
        return h

# ==== in_place_loop_extent
"""A loop's extent is read from the operand."""
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
    def f(px: T.handle, po: T.handle):
        n = T.int64()
        x = T.match_buffer(px, (n, 1), "float32")
        o = T.match_buffer(po, (n, 1), "float32")
        for i in range(n):
            for j in range(T.Cast("int64", T.min(x[n - 1 - i, 0], T.float32(1)))):
                with T.block("b"):
                    vi = T.axis.spatial(n, i)
                    vj = T.axis.spatial(1, j)
                    o[vi, vj] = x[vi, vj]

    @R.function(pure=False)
    def main(x: R.Tensor(("n",), dtype="float32"), y: R.Tensor(("n",), dtype="float32"), c: R.Tensor((), dtype="bool")) -> R.Object:
        n = T.int64()
        cls = Module
        a = R.call_tir(cls.add, (x, y), out_sinfo=R.Tensor((n,), dtype="float32"))
        v = R.reshape(a, R.shape([n, 1]))
        w = R.call_tir(cls.f, (v,), out_sinfo=R.Tensor((n, 1), dtype="float32"))
        b = R.reshape(w, R.shape([n]))
        d = R.call_tir(cls.add, (b, y), out_sinfo=R.Tensor((n,), dtype="float32"))
        return d

# ==== in_place_narrower
"""Elements of half the size."""
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
    def f(px: T.handle, po: T.handle):
        n = T.int64()
        x = T.match_buffer(px, (n,), "float32")
        o = T.match_buffer(po, (n,), "float16")
        for i in range(n):
            with T.block("b"):
                vi = T.axis.spatial(n, i)
                o[vi] = T.Cast("float16", x[vi])

    @T.prim_func(private=True)
    def g(px: T.handle, po: T.handle):
        n = T.int64()
        x = T.match_buffer(px, (n,), "float16")
        o = T.match_buffer(po, (n,), "float32")
        for i in range(n):
            with T.block("b"):
                vi = T.axis.spatial(n, i)
                o[vi] = T.Cast("float32", x[vi])

    @R.function(pure=False)
    def main(x: R.Tensor(("n",), dtype="float32"), y: R.Tensor(("n",), dtype="float32"), c: R.Tensor((), dtype="bool")) -> R.Object:
        n = T.int64()
        cls = Module
        a = R.call_tir(cls.add, (x, y), out_sinfo=R.Tensor((n,), dtype="float32"))
        b = R.call_tir(cls.f, (a,), out_sinfo=R.Tensor((n,), dtype="float16"))
        d = R.call_tir(cls.g, (b,), out_sinfo=R.Tensor((n,), dtype="float32"))
        return d

# ==== in_place_not_stored
"""A result that is never stored, before one that is."""
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
    def f(px: T.handle, pp: T.handle, po: T.handle):
        n = T.int64()
        x = T.match_buffer(px, (n,), "float32")
        p = T.match_buffer(pp, (n,), "float32")
        o = T.match_buffer(po, (n,), "float32")
        for i in range(n):
            with T.block("b"):
                vi = T.axis.spatial(n, i)
                o[vi] = x[vi] + x[vi]

    @R.function(pure=False)
    def main(x: R.Tensor(("n",), dtype="float32"), y: R.Tensor(("n",), dtype="float32"), c: R.Tensor((), dtype="bool")) -> R.Object:
        n = T.int64()
        cls = Module
        a = R.call_tir(cls.add, (x, y), out_sinfo=R.Tensor((n,), dtype="float32"))
        t = R.call_tir(cls.f, (a,), out_sinfo=[R.Tensor((n,), dtype="float32"), R.Tensor((n,), dtype="float32")])
        b = t[1]
        d = R.call_tir(cls.add, (b, y), out_sinfo=R.Tensor((n,), dtype="float32"))
        return d

# ==== in_place_operand_stored
"""The operand is written as well."""
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
    def f(px: T.handle, po: T.handle):
        n = T.int64()
        x = T.match_buffer(px, (n,), "float32")
        o = T.match_buffer(po, (n,), "float32")
        for i in range(n):
            with T.block("b"):
                vi = T.axis.spatial(n, i)
                x[vi] = x[vi] + T.float32(1)
        for i in range(n):
            with T.block("d"):
                vi = T.axis.spatial(n, i)
                o[vi] = x[vi]

    @R.function(pure=False)
    def main(x: R.Tensor(("n",), dtype="float32"), y: R.Tensor(("n",), dtype="float32"), c: R.Tensor((), dtype="bool")) -> R.Object:
        n = T.int64()
        cls = Module
        a = R.call_tir(cls.add, (x, y), out_sinfo=R.Tensor((n,), dtype="float32"))
        b = R.call_tir(cls.f, (a,), out_sinfo=R.Tensor((n,), dtype="float32"))
        d = R.call_tir(cls.add, (b, y), out_sinfo=R.Tensor((n,), dtype="float32"))
        return d

# ==== in_place_other_rows
"""The same indices in rows of a different length."""
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
    def f(px: T.handle, po: T.handle):
        n = T.int64()
        x = T.match_buffer(px, (n, 4), "float32")
        o = T.match_buffer(po, (n, 3), "float32")
        for i, j in T.grid(n, 3):
            with T.block("b"):
                vi = T.axis.spatial(n, i)
                vj = T.axis.spatial(3, j)
                o[vi, vj] = x[vi, vj]

    @T.prim_func(private=True)
    def g(px: T.handle, po: T.handle):
        n = T.int64()
        x = T.match_buffer(px, (n,), "float32")
        o = T.match_buffer(po, (n, 4), "float32")
        for i, j in T.grid(n, 4):
            with T.block("b"):
                vi, vj = T.axis.remap("SS", [i, j])
                o[vi, vj] = x[vi] + T.Cast("float32", vj)

    @T.prim_func(private=True)
    def h(px: T.handle, po: T.handle):
        n = T.int64()
        x = T.match_buffer(px, (n, 3), "float32")
        o = T.match_buffer(po, (n,), "float32")
        for i in range(n):
            with T.block("b"):
                vi = T.axis.spatial(n, i)
                o[vi] = x[vi, 0] + x[vi, 2] * T.float32(3)

    @R.function(pure=False)
    def main(x: R.Tensor(("n",), dtype="float32"), y: R.Tensor(("n",), dtype="float32"), c: R.Tensor((), dtype="bool")) -> R.Object:
        n = T.int64()
        cls = Module
        a = R.call_tir(cls.add, (x, y), out_sinfo=R.Tensor((n,), dtype="float32"))
        b = R.call_tir(cls.g, (a,), out_sinfo=R.Tensor((n, 4), dtype="float32"))
        d = R.call_tir(cls.f, (b,), out_sinfo=R.Tensor((n, 3), dtype="float32"))
        e = R.call_tir(cls.h, (d,), out_sinfo=R.Tensor((n,), dtype="float32"))
        return e

# ==== in_place_own_result
"""The result is read where it is stored."""
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
    def f(px: T.handle, po: T.handle):
        n = T.int64()
        x = T.match_buffer(px, (n,), "float32")
        o = T.match_buffer(po, (n,), "float32")
        for i in range(n):
            with T.block("b"):
                vi = T.axis.spatial(n, i)
                o[vi] = x[vi]
        for i in range(n):
            with T.block("d"):
                vi = T.axis.spatial(n, i)
                o[vi] = o[vi] + x[n - 1 - vi]

    @R.function(pure=False)
    def main(x: R.Tensor(("n",), dtype="float32"), y: R.Tensor(("n",), dtype="float32"), c: R.Tensor((), dtype="bool")) -> R.Object:
        n = T.int64()
        cls = Module
        a = R.call_tir(cls.add, (x, y), out_sinfo=R.Tensor((n,), dtype="float32"))
        b = R.call_tir(cls.f, (a,), out_sinfo=R.Tensor((n,), dtype="float32"))
        d = R.call_tir(cls.add, (b, y), out_sinfo=R.Tensor((n,), dtype="float32"))
        return d

# ==== in_place_pointer
"""The operand's address is passed on."""
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
    def f(px: T.handle, po: T.handle):
        n = T.int64()
        x = T.match_buffer(px, (n,), "float32")
        o = T.match_buffer(po, (n,), "float32")
        for i in range(n):
            with T.block("b"):
                vi = T.axis.spatial(n, i)
                o[vi] = T.if_then_else(vi < 0, T.call_extern("float32", "nanf", x.data), x[vi])

    @R.function(pure=False)
    def main(x: R.Tensor(("n",), dtype="float32"), y: R.Tensor(("n",), dtype="float32"), c: R.Tensor((), dtype="bool")) -> R.Object:
        n = T.int64()
        cls = Module
        a = R.call_tir(cls.add, (x, y), out_sinfo=R.Tensor((n,), dtype="float32"))
        b = R.call_tir(cls.f, (a,), out_sinfo=R.Tensor((n,), dtype="float32"))
        d = R.call_tir(cls.add, (b, y), out_sinfo=R.Tensor((n,), dtype="float32"))
        return d

# ==== in_place_predicate
"""Some elements are written conditionally."""
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
    def f(px: T.handle, po: T.handle):
        n = T.int64()
        x = T.match_buffer(px, (n,), "float32")
        o = T.match_buffer(po, (n,), "float32")
        t = T.alloc_buffer((n,))
        for i in range(n):
            with T.block("b"):
                vi = T.axis.spatial(n, i)
                t[vi] = T.float32(1)
        for i in range(n):
            with T.block("d"):
                vi = T.axis.spatial(n, i)
                T.where(i < 3)
                t[vi] = x[vi]
        for i in range(n):
            with T.block("e"):
                vi = T.axis.spatial(n, i)
                o[vi] = t[vi]

    @R.function(pure=False)
    def main(x: R.Tensor(("n",), dtype="float32"), y: R.Tensor(("n",), dtype="float32"), c: R.Tensor((), dtype="bool")) -> R.Object:
        n = T.int64()
        cls = Module
        a = R.call_tir(cls.add, (x, y), out_sinfo=R.Tensor((n,), dtype="float32"))
        b = R.call_tir(cls.f, (a,), out_sinfo=R.Tensor((n,), dtype="float32"))
        d = R.call_tir(cls.add, (b, y), out_sinfo=R.Tensor((n,), dtype="float32"))
        return d

# ==== in_place_read_after
"""The operand is read after the result is stored."""
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
    def f(px: T.handle, po: T.handle):
        n = T.int64()
        x = T.match_buffer(px, (n,), "float32")
        o = T.match_buffer(po, (n,), "float32")
        t = T.alloc_buffer((n,))
        for i in range(n):
            with T.block("b"):
                vi = T.axis.spatial(n, i)
                o[vi] = T.float32(1)
        for i in range(n):
            with T.block("d"):
                vi = T.axis.spatial(n, i)
                t[vi] = x[vi]
        for i in range(n):
            with T.block("e"):
                vi = T.axis.spatial(n, i)
                o[vi] = t[vi] + T.float32(1)

    @R.function(pure=False)
    def main(x: R.Tensor(("n",), dtype="float32"), y: R.Tensor(("n",), dtype="float32"), c: R.Tensor((), dtype="bool")) -> R.Object:
        n = T.int64()
        cls = Module
        a = R.call_tir(cls.add, (x, y), out_sinfo=R.Tensor((n,), dtype="float32"))
        b = R.call_tir(cls.f, (a,), out_sinfo=R.Tensor((n,), dtype="float32"))
        d = R.call_tir(cls.add, (b, y), out_sinfo=R.Tensor((n,), dtype="float32"))
        return d

# ==== in_place_reads_result
"""A load of the result that is never executed."""
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
    def f(px: T.handle, po: T.handle):
        n = T.int64()
        x = T.match_buffer(px, (n,), "float32")
        o = T.match_buffer(po, (n,), "float32")
        for i in range(n):
            with T.block("b"):
                vi = T.axis.spatial(n, i)
                o[vi] = T.if_then_else(vi < 0, o[vi], x[vi])

    @R.function(pure=False)
    def main(x: R.Tensor(("n",), dtype="float32"), y: R.Tensor(("n",), dtype="float32"), c: R.Tensor((), dtype="bool")) -> R.Object:
        n = T.int64()
        cls = Module
        a = R.call_tir(cls.add, (x, y), out_sinfo=R.Tensor((n,), dtype="float32"))
        b = R.call_tir(cls.f, (a,), out_sinfo=R.Tensor((n,), dtype="float32"))
        d = R.call_tir(cls.add, (b, y), out_sinfo=R.Tensor((n,), dtype="float32"))
        return d

# ==== in_place_reduction
"""A reduction axis."""
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
    def f(px: T.handle, po: T.handle):
        n = T.int64()
        x = T.match_buffer(px, (n,), "float32")
        o = T.match_buffer(po, (n,), "float32")
        t = T.alloc_buffer((n,))
        for i, k in T.grid(n, n):
            with T.block("b"):
                vi, vk = T.axis.remap("SR", [i, k])
                with T.init():
                    t[vi] = T.float32(0)
                t[vi] = t[vi] + x[vk]
        for i in range(n):
            with T.block("d"):
                vi = T.axis.spatial(n, i)
                o[vi] = t[vi] + x[vi]

    @R.function(pure=False)
    def main(x: R.Tensor(("n",), dtype="float32"), y: R.Tensor(("n",), dtype="float32"), c: R.Tensor((), dtype="bool")) -> R.Object:
        n = T.int64()
        cls = Module
        a = R.call_tir(cls.add, (x, y), out_sinfo=R.Tensor((n,), dtype="float32"))
        b = R.call_tir(cls.f, (a,), out_sinfo=R.Tensor((n,), dtype="float32"))
        d = R.call_tir(cls.add, (b, y), out_sinfo=R.Tensor((n,), dtype="float32"))
        return d

# ==== in_place_reduction_axis
"""A reduction axis that indexes the elements."""
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
    def f(px: T.handle, po: T.handle):
        n = T.int64()
        x = T.match_buffer(px, (n,), "float32")
        o = T.match_buffer(po, (n,), "float32")
        for i in range(n):
            with T.block("b"):
                vi = T.axis.reduce(n, i)
                o[vi] = x[vi] + T.float32(1)

    @R.function(pure=False)
    def main(x: R.Tensor(("n",), dtype="float32"), y: R.Tensor(("n",), dtype="float32"), c: R.Tensor((), dtype="bool")) -> R.Object:
        n = T.int64()
        cls = Module
        a = R.call_tir(cls.add, (x, y), out_sinfo=R.Tensor((n,), dtype="float32"))
        b = R.call_tir(cls.f, (a,), out_sinfo=R.Tensor((n,), dtype="float32"))
        d = R.call_tir(cls.add, (b, y), out_sinfo=R.Tensor((n,), dtype="float32"))
        return d

# ==== in_place_reversed
"""An element read from another position of the operand."""
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
    def f(px: T.handle, po: T.handle):
        n = T.int64()
        x = T.match_buffer(px, (n,), "float32")
        o = T.match_buffer(po, (n,), "float32")
        for i in range(n):
            with T.block("b"):
                vi = T.axis.spatial(n, i)
                o[vi] = x[n - 1 - vi]

    @R.function(pure=False)
    def main(x: R.Tensor(("n",), dtype="float32"), y: R.Tensor(("n",), dtype="float32"), c: R.Tensor((), dtype="bool")) -> R.Object:
        n = T.int64()
        cls = Module
        a = R.call_tir(cls.add, (x, y), out_sinfo=R.Tensor((n,), dtype="float32"))
        b = R.call_tir(cls.f, (a,), out_sinfo=R.Tensor((n,), dtype="float32"))
        d = R.call_tir(cls.add, (b, y), out_sinfo=R.Tensor((n,), dtype="float32"))
        return d

# ==== in_place_right
"""Two statements in place, through a temporary: legal, and the verifier must accept it."""
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
    def f(px: T.handle, po: T.handle):
        n = T.int64()
        x = T.match_buffer(px, (n,), "float32")
        o = T.match_buffer(po, (n,), "float32")
        t = T.alloc_buffer((n,))
        for i in range(n):
            with T.block("b"):
                vi = T.axis.spatial(n, i)
                t[vi] = x[vi] * T.float32(2)
        for i in range(n):
            with T.block("d"):
                vi = T.axis.spatial(n, i)
                o[vi] = t[vi] + x[vi]

    @R.function(pure=False)
    def main(x: R.Tensor(("n",), dtype="float32"), y: R.Tensor(("n",), dtype="float32"), c: R.Tensor((), dtype="bool")) -> R.Object:
        n = T.int64()
        cls = Module
        a = R.call_tir(cls.add, (x, y), out_sinfo=R.Tensor((n,), dtype="float32"))
        b = R.call_tir(cls.f, (a,), out_sinfo=R.Tensor((n,), dtype="float32"))
        d = R.call_tir(cls.add, (b, y), out_sinfo=R.Tensor((n,), dtype="float32"))
        return d

# ==== in_place_stored_elsewhere
"""A store to another position."""
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
    def f(px: T.handle, po: T.handle):
        n = T.int64()
        x = T.match_buffer(px, (n,), "float32")
        o = T.match_buffer(po, (n,), "float32")
        for i in range(n):
            with T.block("b"):
                vi = T.axis.spatial(n, i)
                o[n - 1 - vi] = x[vi]

    @R.function(pure=False)
    def main(x: R.Tensor(("n",), dtype="float32"), y: R.Tensor(("n",), dtype="float32"), c: R.Tensor((), dtype="bool")) -> R.Object:
        n = T.int64()
        cls = Module
        a = R.call_tir(cls.add, (x, y), out_sinfo=R.Tensor((n,), dtype="float32"))
        b = R.call_tir(cls.f, (a,), out_sinfo=R.Tensor((n,), dtype="float32"))
        d = R.call_tir(cls.add, (b, y), out_sinfo=R.Tensor((n,), dtype="float32"))
        return d

# ==== in_place_strided
"""The operand is read by columns."""
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
    def f(px: T.handle, po: T.handle):
        n = T.int64()
        x = T.match_buffer(px, (n,), "float32", strides=(2,))
        o = T.match_buffer(po, (n,), "float32")
        for i in range(n):
            with T.block("b"):
                vi = T.axis.spatial(n, i)
                o[vi] = x[vi]

    @R.function(pure=False)
    def main(x: R.Tensor(("n",), dtype="float32"), y: R.Tensor(("n",), dtype="float32"), c: R.Tensor((), dtype="bool")) -> R.Object:
        n = T.int64()
        cls = Module
        a = R.call_tir(cls.add, (x, y), out_sinfo=R.Tensor((n,), dtype="float32"))
        b = R.call_tir(cls.f, (a,), out_sinfo=R.Tensor((n,), dtype="float32"))
        d = R.call_tir(cls.add, (b, y), out_sinfo=R.Tensor((n,), dtype="float32"))
        return d

# ==== in_place_sum
"""A running sum: the result is read."""
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
    def f(px: T.handle, po: T.handle):
        n = T.int64()
        x = T.match_buffer(px, (n,), "float32")
        o = T.match_buffer(po, (n,), "float32")
        for i in range(n):
            with T.block("b"):
                vi = T.axis.spatial(n, i)
                o[vi] = T.if_then_else(vi > 0, o[vi - 1], T.float32(0)) + x[vi]

    @R.function(pure=False)
    def main(x: R.Tensor(("n",), dtype="float32"), y: R.Tensor(("n",), dtype="float32"), c: R.Tensor((), dtype="bool")) -> R.Object:
        n = T.int64()
        cls = Module
        a = R.call_tir(cls.add, (x, y), out_sinfo=R.Tensor((n,), dtype="float32"))
        b = R.call_tir(cls.f, (a,), out_sinfo=R.Tensor((n,), dtype="float32"))
        d = R.call_tir(cls.add, (b, y), out_sinfo=R.Tensor((n,), dtype="float32"))
        return d

# ==== in_place_temporary
"""A temporary read at another position."""
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
    def f(px: T.handle, po: T.handle):
        n = T.int64()
        x = T.match_buffer(px, (n,), "float32")
        o = T.match_buffer(po, (n,), "float32")
        t = T.alloc_buffer((n,))
        for i in range(n):
            with T.block("b"):
                vi = T.axis.spatial(n, i)
                t[vi] = x[vi]
        for i in range(n):
            with T.block("d"):
                vi = T.axis.spatial(n, i)
                o[vi] = t[n - 1 - vi]

    @R.function(pure=False)
    def main(x: R.Tensor(("n",), dtype="float32"), y: R.Tensor(("n",), dtype="float32"), c: R.Tensor((), dtype="bool")) -> R.Object:
        n = T.int64()
        cls = Module
        a = R.call_tir(cls.add, (x, y), out_sinfo=R.Tensor((n,), dtype="float32"))
        b = R.call_tir(cls.f, (a,), out_sinfo=R.Tensor((n,), dtype="float32"))
        d = R.call_tir(cls.add, (b, y), out_sinfo=R.Tensor((n,), dtype="float32"))
        return d

# ==== in_place_transposed
"""A matrix read by columns into a result with the same number of bytes."""
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
    def f(px: T.handle, po: T.handle):
        n = T.int64()
        x = T.match_buffer(px, (n, 4), "float32")
        o = T.match_buffer(po, (4, n), "float32")
        for i, j in T.grid(4, n):
            with T.block("b"):
                vi, vj = T.axis.remap("SS", [i, j])
                o[vi, vj] = x[vj, vi]

    @T.prim_func(private=True)
    def g(px: T.handle, po: T.handle):
        n = T.int64()
        x = T.match_buffer(px, (n,), "float32")
        o = T.match_buffer(po, (n, 4), "float32")
        for i, j in T.grid(n, 4):
            with T.block("b"):
                vi, vj = T.axis.remap("SS", [i, j])
                o[vi, vj] = x[vi] + T.Cast("float32", vj)

    @T.prim_func(private=True)
    def h(px: T.handle, po: T.handle):
        n = T.int64()
        x = T.match_buffer(px, (4, n), "float32")
        o = T.match_buffer(po, (n,), "float32")
        for i in range(n):
            with T.block("b"):
                vi = T.axis.spatial(n, i)
                o[vi] = x[0, vi] + x[3, vi] * T.float32(3)

    @R.function(pure=False)
    def main(x: R.Tensor(("n",), dtype="float32"), y: R.Tensor(("n",), dtype="float32"), c: R.Tensor((), dtype="bool")) -> R.Object:
        n = T.int64()
        cls = Module
        a = R.call_tir(cls.add, (x, y), out_sinfo=R.Tensor((n,), dtype="float32"))
        b = R.call_tir(cls.g, (a,), out_sinfo=R.Tensor((n, 4), dtype="float32"))
        d = R.call_tir(cls.f, (b,), out_sinfo=R.Tensor((4, n), dtype="float32"))
        e = R.call_tir(cls.h, (d,), out_sinfo=R.Tensor((n,), dtype="float32"))
        return e

# ==== in_place_twice
"""Every element computed twice."""
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
    def f(px: T.handle, po: T.handle):
        n = T.int64()
        x = T.match_buffer(px, (n,), "float32")
        o = T.match_buffer(po, (n,), "float32")
        for r, i in T.grid(2, n):
            with T.block("b"):
                vi = T.axis.spatial(n, i)
                o[vi] = x[vi] + T.float32(1)

    @R.function(pure=False)
    def main(x: R.Tensor(("n",), dtype="float32"), y: R.Tensor(("n",), dtype="float32"), c: R.Tensor((), dtype="bool")) -> R.Object:
        n = T.int64()
        cls = Module
        a = R.call_tir(cls.add, (x, y), out_sinfo=R.Tensor((n,), dtype="float32"))
        b = R.call_tir(cls.f, (a,), out_sinfo=R.Tensor((n,), dtype="float32"))
        d = R.call_tir(cls.add, (b, y), out_sinfo=R.Tensor((n,), dtype="float32"))
        return d

# ==== in_place_two_names
"""A tensor that is read twice, once through a reshape and at another position."""
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
    def f(px: T.handle, py: T.handle, po: T.handle):
        n = T.int64()
        x = T.match_buffer(px, (n,))
        y = T.match_buffer(py, (n,))
        o = T.match_buffer(po, (n,))
        for i in range(n):
            with T.block("b"):
                vi = T.axis.spatial(n, i)
                o[vi] = x[vi] + y[n - 1 - vi]

    @R.function(pure=False)
    def main(x: R.Tensor(("n",), dtype="float32"), y: R.Tensor(("n",), dtype="float32"), c: R.Tensor((), dtype="bool")) -> R.Object:
        n = T.int64()
        cls = Module
        a = R.call_tir(cls.add, (x, y), out_sinfo=R.Tensor((n,), dtype="float32"))
        v = R.reshape(a, R.shape([n]))
        b = R.call_tir(cls.f, (a, v), out_sinfo=R.Tensor((n,), dtype="float32"))
        d = R.call_tir(cls.add, (b, y), out_sinfo=R.Tensor((n,), dtype="float32"))
        w = R.reshape(d, R.shape([n]))
        u = R.reshape(w, R.shape([n]))
        e = R.call_tir(cls.f, (d, u), out_sinfo=R.Tensor((n,), dtype="float32"))
        g = R.call_tir(cls.add, (e, y), out_sinfo=R.Tensor((n,), dtype="float32"))
        h = R.call_tir(cls.f, (g, g), out_sinfo=R.Tensor((n,), dtype="float32"))
        k = R.call_tir(cls.add, (h, y), out_sinfo=R.Tensor((n,), dtype="float32"))
        return k

# ==== in_place_two_results
"""Two results, the second computed from another position of the first."""
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
    def f(px: T.handle, po: T.handle, pr: T.handle):
        n = T.int64()
        x = T.match_buffer(px, (n,))
        o = T.match_buffer(po, (n,))
        r = T.match_buffer(pr, (n,))
        for i in range(n):
            with T.block("b"):
                vi = T.axis.spatial(n, i)
                o[vi] = T.Cast("float32", vi)
        for i in range(n):
            with T.block("d"):
                vi = T.axis.spatial(n, i)
                r[vi] = o[n - 1 - vi] + x[vi]

    @R.function(pure=False)
    def main(x: R.Tensor(("n",), dtype="float32"), y: R.Tensor(("n",), dtype="float32"), c: R.Tensor((), dtype="bool")) -> R.Object:
        n = T.int64()
        cls = Module
        a = R.call_tir(cls.add, (x, y), out_sinfo=R.Tensor((n,), dtype="float32"))
        t = R.call_tir(cls.f, (a,), out_sinfo=[R.Tensor((n,), dtype="float32"), R.Tensor((n,), dtype="float32")])
        p = t[0]
        q = t[1]
        d = R.call_tir(cls.add, (p, q), out_sinfo=R.Tensor((n,), dtype="float32"))
        return d

# ==== kept
"""A packed function keeps its arguments after the call, on its own, in a function and in a closure."""
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

    @R.function(private=True, pure=False)
    def keep(x: R.Tensor(("n",), dtype="float32")) -> R.Object:
        k = R.call_packed("test.keep", x, sinfo_args=R.Object)
        return k

    @R.function(pure=False)
    def main(x: R.Tensor(("n",), dtype="float32"), y: R.Tensor(("n",), dtype="float32"), c: R.Tensor((), dtype="bool")) -> R.Object:
        n = T.int64()
        cls = Module
        a = R.call_tir(cls.add, (x, y), out_sinfo=R.Tensor((n,), dtype="float32"))
        k = R.call_packed("test.keep", a, sinfo_args=R.Object)
        b = R.call_tir(cls.add, (x, x), out_sinfo=R.Tensor((n,), dtype="float32"))
        d = R.call_tir(cls.add, (b, y), out_sinfo=R.Tensor((n,), dtype="float32"))
        l = cls.keep(d)
        e = R.call_tir(cls.add, (y, x), out_sinfo=R.Tensor((n,), dtype="float32"))
        f = R.call_tir(cls.add, (e, y), out_sinfo=R.Tensor((n,), dtype="float32"))
        v = R.reshape(f, R.shape([1, n]))
        m = R.call_packed("test.keep", v, sinfo_args=R.Object)
        g = R.call_tir(cls.add, (y, x), out_sinfo=R.Tensor((n,), dtype="float32"))
        h = R.call_tir(cls.add, (g, y), out_sinfo=R.Tensor((n,), dtype="float32"))
        o = R.call_dps_packed("test.fill", (h,), out_sinfo=R.Tensor((n,), dtype="float32"))
        i = R.call_tir(cls.add, (o, x), out_sinfo=R.Tensor((n,), dtype="float32"))
        j = R.call_tir(cls.add, (i, y), out_sinfo=R.Tensor((n,), dtype="float32"))
        z = R.call_packed("test.kept", sinfo_args=R.Object)
        return (j, z)

# ==== kept_by_closure
"""A closure keeps its arguments."""
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

        @R.function(pure=False)
        def keeping(z: R.Tensor((n,), dtype="float32")) -> R.Object:
            k = R.call_packed("test.keep", z, x, sinfo_args=R.Object)
            return k

        t = (keeping,)
        g = t[0]
        k = g(a)
        b = R.call_tir(cls.add, (x, x), out_sinfo=R.Tensor((n,), dtype="float32"))
        d = R.call_tir(cls.add, (b, y), out_sinfo=R.Tensor((n,), dtype="float32"))
        l = g(d)
        e = R.call_tir(cls.add, (x, y), out_sinfo=R.Tensor((n,), dtype="float32"))
        f = R.call_tir(cls.add, (e, y), out_sinfo=R.Tensor((n,), dtype="float32"))
        z = R.call_packed("test.kept", sinfo_args=R.Object)
        return f

# ==== pools
"""Two small pools and a large one: values of several sizes live in turn, in branches and in a function that is called."""
from tvm.script import ir as I
from tvm.script import relax as R
from tvm.script import tir as T


@I.ir_module
class Module:
    I.module_attrs({"rlx.pools": ["name=a,size=3K", "name=b,size=8K", "name=c"]})

    @R.function(private=True)
    def inner(x: R.Tensor(("n",), dtype="float32")) -> R.Tensor(("n",), dtype="float32"):
        R.func_attr({"tir_var_upper_bound": {"n": 300}})
        a = R.cumsum(x, axis=0)
        b = R.cumsum(a, axis=0)
        return R.add(R.cumsum(b, axis=0), a)

    @R.function
    def main(x: R.Tensor(("n",), dtype="float32"), y: R.Tensor(("n",), dtype="float32"), c: R.Tensor((), dtype="bool")) -> R.Tensor(ndim=1, dtype="float32"):
        R.func_attr({"tir_var_upper_bound": {"n": 300}})
        n = T.int64()
        cls = Module
        a = R.cumsum(x, axis=0)
        b = R.cumsum(R.concat((y, x), axis=0), axis=0)
        d = R.cumsum(b, axis=0)
        e = R.add(R.cumsum(a, axis=0), cls.inner(a))
        if c:
            f = R.cumsum(R.concat((e, a), axis=0), axis=0)
            p = R.add(f, b)
        else:
            g = R.cumsum(R.cumsum(d, axis=0), axis=0)
            p = R.add(g, b)
        h = R.cumsum(p, axis=0)
        i = R.cumsum(R.concat((R.add(h, d), e), axis=0), axis=0)
        return R.add(i, R.concat((a, h), axis=0))

# ==== pools_values
"""A pool, of which functions take that are called as values."""
from tvm.script import ir as I
from tvm.script import relax as R
from tvm.script import tir as T


@I.ir_module
class Module:
    I.module_attrs({"rlx.pools": ["name=a,size=4K", "name=b"]})

    @R.function(private=True)
    def inner(x: R.Tensor(("n",), dtype="float32")) -> R.Tensor(("n",), dtype="float32"):
        R.func_attr({"tir_var_upper_bound": {"n": 300}})
        a = R.cumsum(x, axis=0)
        return R.add(R.cumsum(a, axis=0), x)

    @R.function(private=True)
    def other(x: R.Tensor(("n",), dtype="float32")) -> R.Tensor(("n",), dtype="float32"):
        return R.cumsum(x, axis=0)

    @R.function(pure=False)
    def main(x: R.Tensor(("n",), dtype="float32"), y: R.Tensor(("n",), dtype="float32"), c: R.Tensor((), dtype="bool")) -> R.Tensor(("n",), dtype="float32"):
        R.func_attr({"tir_var_upper_bound": {"n": 300}})
        n = T.int64()
        cls = Module
        a = R.cumsum(x, axis=0)
        b = R.cumsum(y, axis=0)
        if c:
            f = cls.inner
        else:
            f = cls.other
        d = R.invoke_closure(f, (x,), sinfo_args=[R.Tensor((n,), dtype="float32")])
        e = R.cumsum(d, axis=0)
        return R.add(R.add(a, b), e)

# ==== recursion
"""A tail-recursive function: its arguments lie in the previous call's memory."""
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

    @R.function(private=True)
    def turn(x: R.Tensor(("n",), dtype="float32"), k: R.Tensor((), dtype="int64")) -> R.Tensor(("n",), dtype="float32"):
        n = T.int64()
        cls = Module
        go = R.greater(k, R.const(0, "int64"))
        if go:
            a = R.call_tir(cls.add, (x, x), out_sinfo=R.Tensor((n,), dtype="float32"))
            b = R.call_tir(cls.add, (a, x), out_sinfo=R.Tensor((n,), dtype="float32"))
            d = R.call_tir(cls.add, (b, a), out_sinfo=R.Tensor((n,), dtype="float32"))
            l = R.subtract(k, R.const(1, "int64"))
            r = cls.turn(d, l)
        else:
            r = x
        return r

    @R.function(pure=False)
    def main(x: R.Tensor(("n",), dtype="float32"), y: R.Tensor(("n",), dtype="float32"), c: R.Tensor((), dtype="bool")) -> R.Object:
        n = T.int64()
        cls = Module
        a = R.call_tir(cls.add, (x, y), out_sinfo=R.Tensor((n,), dtype="float32"))
        b = cls.turn(a, R.const(4, "int64"))
        d = R.call_tir(cls.add, (b, x), out_sinfo=R.Tensor((n,), dtype="float32"))
        return d

# ==== recursion_shape
"""A tail-recursive function that returns a shape, which holds none of its arguments' memory."""
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

    @R.function(private=True)
    def turn(x: R.Tensor(("n",), dtype="float32"), k: R.Tensor((), dtype="int64")) -> R.Shape(ndim=1):
        n = T.int64()
        cls = Module
        go = R.greater(k, R.const(0, "int64"))
        if go:
            a = R.call_tir(cls.add, (x, x), out_sinfo=R.Tensor((n,), dtype="float32"))
            d = R.call_tir(cls.add, (a, x), out_sinfo=R.Tensor((n,), dtype="float32"))
            l = R.subtract(k, R.const(1, "int64"))
            r = cls.turn(d, l)
        else:
            s = R.unique(x)
            r = R.shape_of(s)
        return r

    @R.function(pure=False)
    def main(x: R.Tensor(("n",), dtype="float32"), y: R.Tensor(("n",), dtype="float32"), c: R.Tensor((), dtype="bool")) -> R.Object:
        n = T.int64()
        cls = Module
        a = R.call_tir(cls.add, (x, y), out_sinfo=R.Tensor((n,), dtype="float32"))
        b = cls.turn(a, R.const(4, "int64"))
        return b

# ==== results
"""Results of the function: a tensor, a view of one, fields of a tuple, the same one twice, a parameter."""
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
        b = R.call_tir(cls.add, (a, x), out_sinfo=R.Tensor((n,), dtype="float32"))
        d = R.call_tir(cls.add, (b, y), out_sinfo=R.Tensor((n,), dtype="float32"))
        v = R.reshape(b, R.shape([1, n]))
        t = (a, d)
        e = R.call_tir(cls.add, (x, x), out_sinfo=R.Tensor((n,), dtype="float32"))
        f = R.call_tir(cls.add, (e, y), out_sinfo=R.Tensor((n,), dtype="float32"))
        return (t, v, f, f, x)

# ==== sizes_of_branches
"""A tensor outlives its branch, but its size is known only in the branch."""
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
        j = T.int64()
        a = R.call_tir(cls.add, (x, y), out_sinfo=R.Tensor((n,), dtype="float32"))
        if c:
            k = T.int64()
            p = R.unique(a)
            q = R.match_cast(p, R.Tensor((k,), dtype="float32"))
            s = R.call_tir(cls.add, (q, q), out_sinfo=R.Tensor((k,), dtype="float32"))
            r: R.Tensor(dtype="float32", ndim=1) = s
        else:
            p = R.call_tir(cls.add, (a, x), out_sinfo=R.Tensor((n,), dtype="float32"))
            r: R.Tensor(dtype="float32", ndim=1) = p
        m = R.match_cast(r, R.Tensor((j,), dtype="float32"))
        d = R.call_tir(cls.add, (m, m), out_sinfo=R.Tensor((j,), dtype="float32"))
        e = R.call_tir(cls.add, (d, m), out_sinfo=R.Tensor((j,), dtype="float32"))
        return e

# ==== static_plan
"""Storages with the sizes of a bound."""
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
        R.func_attr({"tir_var_lower_bound": {"n": 0}, "tir_var_upper_bound": {"n": 4096}})
        cls = Module
        a = R.call_tir(cls.add, (x, y), out_sinfo=R.Tensor((n,), dtype="float32"))
        b = R.call_tir(cls.add, (y, y), out_sinfo=R.Tensor((n,), dtype="float32"))
        d = R.call_tir(cls.add, (b, a), out_sinfo=R.Tensor((n,), dtype="float32"))
        e = R.call_tir(cls.add, (d, a), out_sinfo=R.Tensor((n,), dtype="float32"))
        return e

# ==== temporaries
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

# ==== views
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
