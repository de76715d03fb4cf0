# ==== branches_and_aliases
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
        v = R.reshape(a, R.shape([1, n]))
        b = R.call_tir(cls.step, (x, x), out_sinfo=R.Tensor((n,), dtype="float32"))
        d = R.call_tir(cls.step, (b, b), out_sinfo=R.Tensor((n,), dtype="float32"))
        if c:
            e = R.call_tir(cls.step, (d, x), out_sinfo=R.Tensor((n,), dtype="float32"))
            f = R.call_tir(cls.step, (e, x), out_sinfo=R.Tensor((n,), dtype="float32"))
            g = R.call_tir(cls.step, (f, x), out_sinfo=R.Tensor((n,), dtype="float32"))
            r = g
        else:
            e = R.call_tir(cls.step, (d, d), out_sinfo=R.Tensor((n,), dtype="float32"))
            r = e
        w = R.reshape(v, R.shape([n]))
        h = R.call_tir(cls.step, (r, w), out_sinfo=R.Tensor((n,), dtype="float32"))
        i = R.call_tir(cls.step, (h, h), out_sinfo=R.Tensor((n,), dtype="float32"))
        return i
# ---- expected
# from tvm.script import ir as I
# from tvm.script import tir as T
# from tvm.script import relax as R

@I.ir_module
class Module:
    @T.prim_func(private=True)
    def step(px: T.handle, py: T.handle, po: T.handle):
        T.func_attr({"op_pattern": 8, "tir.noalias": False})
        n = T.int64()
        x = T.match_buffer(px, (n,))
        y = T.match_buffer(py, (n,))
        o = T.match_buffer(po, (n,))
        # with T.block("root"):
        for i in range(n):
            with T.block("b"):
                vi = T.axis.spatial(n, i)
                T.block_attr({"rlx.operator": "elementwise s"})
                o[vi] = x[vi] + y[vi]

    @R.function
    def main(x: R.Tensor(("n",), dtype="float32"), c: R.Tensor((), dtype="bool")) -> R.Tensor(("n",), dtype="float32"):
        n = T.int64()
        R.func_attr({"relax.force_pure": True})
        cls = Module
        storage: R.Object = R.memory.alloc_storage(R.shape([n * 4]), R.prim_value(0), R.str("planned"), R.dtype("uint8"))
        a: R.Tensor((n,), dtype="float32") = R.memory.alloc_tensor(storage, R.prim_value(0), R.shape([n]), R.dtype("float32"))
        _: R.Tuple = cls.step(x, x, a)
        v: R.Tensor((1, n), dtype="float32") = R.reshape(a, R.shape([1, n]))
        storage_1: R.Object = R.memory.alloc_storage(R.shape([n * 4]), R.prim_value(0), R.str("planned"), R.dtype("uint8"))
        d: R.Tensor((n,), dtype="float32") = R.memory.alloc_tensor(storage_1, R.prim_value(0), R.shape([n]), R.dtype("float32"))
        _: R.Tuple = cls.step(a, a, d)
        storage_2: R.Object = R.memory.alloc_storage(R.shape([n * 4]), R.prim_value(0), R.str("planned"), R.dtype("uint8"))
        if c:
            storage_3: R.Object = R.memory.alloc_storage(R.shape([n * 4]), R.prim_value(0), R.str("planned"), R.dtype("uint8"))
            e: R.Tensor((n,), dtype="float32") = R.memory.alloc_tensor(storage_3, R.prim_value(0), R.shape([n]), R.dtype("float32"))
            _: R.Tuple = cls.step(d, x, e)
            f: R.Tensor((n,), dtype="float32") = R.memory.alloc_tensor(storage_3, R.prim_value(0), R.shape([n]), R.dtype("float32"))
            _: R.Tuple = cls.step(e, x, f)
            g: R.Tensor((n,), dtype="float32") = R.memory.alloc_tensor(storage_2, R.prim_value(0), R.shape([n]), R.dtype("float32"))
            _: R.Tuple = cls.step(f, x, g)
            r: R.Tensor((n,), dtype="float32") = g
        else:
            e_1: R.Tensor((n,), dtype="float32") = R.memory.alloc_tensor(storage_2, R.prim_value(0), R.shape([n]), R.dtype("float32"))
            _: R.Tuple = cls.step(d, d, e_1)
            r: R.Tensor((n,), dtype="float32") = e_1
        w: R.Tensor((n,), dtype="float32") = R.reshape(v, R.shape([n]))
        storage_4: R.Object = R.memory.alloc_storage(R.shape([n * 4]), R.prim_value(0), R.str("planned"), R.dtype("uint8"))
        h: R.Tensor((n,), dtype="float32") = R.memory.alloc_tensor(storage_4, R.prim_value(0), R.shape([n]), R.dtype("float32"))
        _: R.Tuple = cls.step(r, w, h)
        i: R.Tensor((n,), dtype="float32") = R.builtin.alloc_tensor(R.shape([n]), R.dtype("float32"), R.prim_value(0), R.str("global"))
        _: R.Tuple = cls.step(h, h, i)
        return i

# ==== data_dependent_size
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
# ---- expected
# from tvm.script import ir as I
# from tvm.script import tir as T
# from tvm.script import relax as R

@I.ir_module
class Module:
    @T.prim_func(private=True)
    def step(px: T.handle, py: T.handle, po: T.handle):
        T.func_attr({"op_pattern": 8, "tir.noalias": False})
        n = T.int64()
        x = T.match_buffer(px, (n,))
        y = T.match_buffer(py, (n,))
        o = T.match_buffer(po, (n,))
        # with T.block("root"):
        for i in range(n):
            with T.block("b"):
                vi = T.axis.spatial(n, i)
                T.block_attr({"rlx.operator": "elementwise s"})
                o[vi] = x[vi] + y[vi]

    @R.function
    def main(x: R.Tensor(("n",), dtype="float32")) -> R.Tensor(dtype="float32", ndim=1):
        n = T.int64()
        k = T.int64()
        R.func_attr({"relax.force_pure": True})
        cls = Module
        storage: R.Object = R.memory.alloc_storage(R.shape([n * 4]), R.prim_value(0), R.str("planned"), R.dtype("uint8"))
        a: R.Tensor((n,), dtype="float32") = R.memory.alloc_tensor(storage, R.prim_value(0), R.shape([n]), R.dtype("float32"))
        _: R.Tuple = cls.step(x, x, a)
        u: R.Tensor(dtype="float32", ndim=1) = R.call_pure_packed("rlx.unique", a, R.prim_value(T.bool(True)), R.prim_value(T.bool(False)), R.prim_value(T.bool(False)), R.prim_value(T.bool(False)), sinfo_args=(R.Tensor(dtype="float32", ndim=1),))
        v: R.Tensor((k,), dtype="float32") = R.match_cast(u, R.Tensor((k,), dtype="float32"))
        storage_1: R.Object = R.memory.alloc_storage(R.shape([k * 4]), R.prim_value(0), R.str("planned"), R.dtype("uint8"))
        b: R.Tensor((k,), dtype="float32") = R.memory.alloc_tensor(storage_1, R.prim_value(0), R.shape([k]), R.dtype("float32"))
        _: R.Tuple = cls.step(v, v, b)
        c: R.Tensor((k,), dtype="float32") = R.memory.alloc_tensor(storage_1, R.prim_value(0), R.shape([k]), R.dtype("float32"))
        _: R.Tuple = cls.step(b, v, c)
        d: R.Tensor((k,), dtype="float32") = R.builtin.alloc_tensor(R.shape([k]), R.dtype("float32"), R.prim_value(0), R.str("global"))
        _: R.Tuple = cls.step(c, v, d)
        return d

# ==== symbolic_sizes_share
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
# ---- expected
# from tvm.script import ir as I
# from tvm.script import tir as T
# from tvm.script import relax as R

@I.ir_module
class Module:
    @T.prim_func(private=True)
    def step(px: T.handle, py: T.handle, po: T.handle):
        T.func_attr({"op_pattern": 8})
        n = T.int64()
        x = T.match_buffer(px, (n,))
        y = T.match_buffer(py, (n,))
        o = T.match_buffer(po, (n,))
        # with T.block("root"):
        for i in range(n):
            with T.block("b"):
                vi = T.axis.spatial(n, i)
                T.block_attr({"rlx.operator": "elementwise s"})
                o[vi] = x[vi] + y[vi]

    @T.prim_func(private=True)
    def outer(px: T.handle, po: T.handle):
        T.func_attr({"op_pattern": 8})
        n = T.int64()
        x = T.match_buffer(px, (n,))
        o = T.match_buffer(po, (n, n))
        # with T.block("root"):
        for i, j in T.grid(n, n):
            with T.block("b"):
                vi, vj = T.axis.remap("SS", [i, j])
                T.block_attr({"rlx.operator": "elementwise ss"})
                o[vi, vj] = x[vi] * x[vj]

    @T.prim_func(private=True)
    def diagonal(px: T.handle, po: T.handle):
        T.func_attr({"op_pattern": 8})
        n = T.int64()
        x = T.match_buffer(px, (n, n))
        o = T.match_buffer(po, (n,))
        # with T.block("root"):
        for i in range(n):
            with T.block("b"):
                vi = T.axis.spatial(n, i)
                T.block_attr({"rlx.operator": "rearrange s"})
                o[vi] = x[vi, vi]

    @R.function
    def main(x: R.Tensor(("n",), dtype="float32")) -> R.Tensor(("n",), dtype="float32"):
        n = T.int64()
        R.func_attr({"relax.force_pure": True})
        cls = Module
        storage: R.Object = R.memory.alloc_storage(R.shape([n * 4]), R.prim_value(0), R.str("planned"), R.dtype("uint8"))
        a: R.Tensor((n,), dtype="float32") = R.memory.alloc_tensor(storage, R.prim_value(0), R.shape([n]), R.dtype("float32"))
        _: R.Tuple = cls.step(x, x, a)
        storage_1: R.Object = R.memory.alloc_storage(R.shape([n * n * 4]), R.prim_value(0), R.str("planned"), R.dtype("uint8"))
        b: R.Tensor((n, n), dtype="float32") = R.memory.alloc_tensor(storage_1, R.prim_value(0), R.shape([n, n]), R.dtype("float32"))
        _: R.Tuple = cls.outer(a, b)
        storage_2: R.Object = R.memory.alloc_storage(R.shape([n * 4]), R.prim_value(0), R.str("planned"), R.dtype("uint8"))
        c: R.Tensor((n,), dtype="float32") = R.memory.alloc_tensor(storage_2, R.prim_value(0), R.shape([n]), R.dtype("float32"))
        _: R.Tuple = cls.diagonal(b, c)
        storage_3: R.Object = R.memory.alloc_storage(R.shape([n * n * 4]), R.prim_value(0), R.str("planned"), R.dtype("uint8"))
        d: R.Tensor((n, n), dtype="float32") = R.memory.alloc_tensor(storage_3, R.prim_value(0), R.shape([n, n]), R.dtype("float32"))
        _: R.Tuple = cls.outer(c, d)
        e: R.Tensor((n,), dtype="float32") = R.builtin.alloc_tensor(R.shape([n]), R.dtype("float32"), R.prim_value(0), R.str("global"))
        _: R.Tuple = cls.diagonal(d, e)
        return e
