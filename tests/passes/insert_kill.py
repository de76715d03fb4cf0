# ==== each_path_once
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
        storage_1: R.Object = R.memory.alloc_storage(R.shape([n * 4]), R.prim_value(0), R.str("planned"), R.dtype("uint8"))
        b: R.Tensor((n,), dtype="float32") = R.memory.alloc_tensor(storage_1, R.prim_value(0), R.shape([n]), R.dtype("float32"))
        _: R.Tuple = cls.step(a, x, b)
        storage_2: R.Object = R.memory.alloc_storage(R.shape([n * 4]), R.prim_value(0), R.str("planned"), R.dtype("uint8"))
        if c:
            e: R.Tensor((n,), dtype="float32") = R.memory.alloc_tensor(storage, R.prim_value(0), R.shape([n]), R.dtype("float32"))
            _: R.Tuple = cls.step(a, a, e)
            _: R.Tuple = R.memory.kill_tensor(a)
            if c:
                f: R.Tensor((n,), dtype="float32") = R.memory.alloc_tensor(storage_2, R.prim_value(0), R.shape([n]), R.dtype("float32"))
                _: R.Tuple = cls.step(b, e, f)
                s: R.Tensor((n,), dtype="float32") = f
            else:
                s: R.Tensor((n,), dtype="float32") = e
            _: R.Tuple = R.memory.kill_tensor(e)
            r: R.Tensor((n,), dtype="float32") = s
        else:
            _: R.Tuple = R.memory.kill_tensor(a)
            r: R.Tensor((n,), dtype="float32") = b
        _: R.Tuple = R.memory.kill_tensor(b)
        h: R.Tensor((n,), dtype="float32") = R.builtin.alloc_tensor(R.shape([n]), R.dtype("float32"), R.prim_value(0), R.str("global"))
        _: R.Tuple = cls.step(r, x, h)
        _: R.Tuple = R.memory.kill_tensor(r)
        _: R.Tuple = R.memory.kill_storage(storage_1)
        _: R.Tuple = R.memory.kill_storage(storage_2)
        _: R.Tuple = R.memory.kill_storage(storage)
        return h
