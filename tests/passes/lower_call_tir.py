# ==== inplace_packed
# A packed function that may write its arguments gets copies of those that are read later: of
# parameters, constants, and operands of other bindings.
# module tests/e2e/call_packed.py#inplace_packed
# ---- expected
metadata = tvm.ir.load_json("""{
  \"root\": 1, 
  \"nodes\": [
    {\"type_key\": \"\"}, 
    {\"type_key\": \"Map\", \"keys\": [\"relax.expr.Constant\"], \"data\": [2]}, 
    {\"type_key\": \"Array\", \"data\": [3]}, 
    {\"type_key\": \"relax.expr.Constant\", \"attrs\": {\"data\": \"0\", \"span\": \"0\", \"struct_info_\": \"0\"}}
  ], 
  \"b64ndarrays\": [
    \"P6G0lvBAXt0AAAAAAAAAAAEAAAAAAAAAAQAAAAIgAQACAAAAAAAAAAgAAAAAAAAAAABAQAAAQEA=\"
  ], 
  \"attrs\": {\"tvm_version\": \"0.20.0\"}
}""")
# from tvm.script import ir as I
# from tvm.script import tir as T
# from tvm.script import relax as R

@I.ir_module
class Module:
    @R.function
    def main(x: R.Tensor((2,), dtype="float32")) -> R.Tuple(R.Tensor((2,), dtype="float32"), R.Tensor((2,), dtype="float32"), R.Tensor((2,), dtype="float32")):
        R.func_attr({"relax.force_pure": True})
        cls = Module
        y: R.Tensor((2,), dtype="float32") = R.builtin.alloc_tensor(R.shape([2]), R.dtype("float32"), R.prim_value(0), R.str("global"))
        _: R.Tuple = cls.add(x, x, y)
        a: R.Tensor((2,), dtype="float32") = R.call_inplace_packed("vm.builtin.copy", y, inplace_indices=[0], sinfo_args=(R.Tensor((2,), dtype="float32"),))
        copy: R.Tensor((2,), dtype="float32") = R.call_packed("rlx.copy", x, sinfo_args=(R.Tensor((2,), dtype="float32"),))
        b: R.Tensor((2,), dtype="float32") = R.call_inplace_packed("vm.builtin.copy", copy, inplace_indices=0, sinfo_args=(R.Tensor((2,), dtype="float32"),))
        copy_1: R.Tensor((2,), dtype="float32") = R.call_packed("rlx.copy", metadata["relax.expr.Constant"][0], sinfo_args=(R.Tensor((2,), dtype="float32"),))
        c: R.Tensor((2,), dtype="float32") = R.call_inplace_packed("vm.builtin.copy", copy_1, inplace_indices=[0], sinfo_args=(R.Tensor((2,), dtype="float32"),))
        return (a, b, c)

    @R.function
    def later(x: R.Tensor((2,), dtype="float32")) -> R.Tensor((2,), dtype="float32"):
        R.func_attr({"relax.force_pure": True})
        cls = Module
        y: R.Tensor((2,), dtype="float32") = R.builtin.alloc_tensor(R.shape([2]), R.dtype("float32"), R.prim_value(0), R.str("global"))
        _: R.Tuple = cls.add(x, x, y)
        copy: R.Tensor((2,), dtype="float32") = R.call_packed("rlx.copy", y, sinfo_args=(R.Tensor((2,), dtype="float32"),))
        a: R.Tensor((2,), dtype="float32") = R.call_inplace_packed("vm.builtin.copy", copy, inplace_indices=[0], sinfo_args=(R.Tensor((2,), dtype="float32"),))
        b: R.Tensor((2,), dtype="float32") = R.builtin.alloc_tensor(R.shape([2]), R.dtype("float32"), R.prim_value(0), R.str("global"))
        _: R.Tuple = cls.add(a, y, b)
        return b

    @T.prim_func(private=True)
    def add(x: T.Buffer((T.int64(2),), "float32"), x_1: T.Buffer((T.int64(2),), "float32"), T_add: T.Buffer((T.int64(2),), "float32")):
        T.func_attr({"op_pattern": 0, "tir.noalias": T.bool(True)})
        # with T.block("root"):
        for ax0 in range(T.int64(2)):
            with T.block("T_add"):
                v_ax0 = T.axis.spatial(T.int64(2), ax0)
                T.reads(x[v_ax0], x_1[v_ax0])
                T.writes(T_add[v_ax0])
                T.block_attr({"rlx.operator": "elementwise s"})
                T_add[v_ax0] = x[v_ax0] + x_1[v_ax0]

# ==== outputs_and_symbols
from tvm.script import ir as I
from tvm.script import relax as R
from tvm.script import tir as T


@I.ir_module
class Module:
    @T.prim_func(private=True)
    def halves(px: T.handle, pa: T.handle, pb: T.handle):
        T.func_attr({"op_pattern": 8})
        n = T.int64()
        x = T.match_buffer(px, (n * 2,))
        a = T.match_buffer(pa, (n,))
        b = T.match_buffer(pb, (n,))
        for i in range(n):
            with T.block("b"):
                vi = T.axis.spatial(n, i)
                a[vi] = x[vi]
                b[vi] = x[n + vi]

    @T.prim_func(private=True)
    def shift(px: T.handle, po: T.handle, s: T.int64):
        T.func_attr({"op_pattern": 8})
        n = T.int64()
        x = T.match_buffer(px, (n,))
        o = T.match_buffer(po, (n,))
        for i in range(n):
            with T.block("b"):
                vi = T.axis.spatial(n, i)
                o[vi] = x[vi] + T.Cast("float32", s)

    @T.prim_func(private=True)
    def bump(px: T.handle):
        T.func_attr({"op_pattern": 8})
        n = T.int64()
        x = T.match_buffer(px, (n,))
        for i in range(n):
            with T.block("b"):
                vi = T.axis.spatial(n, i)
                x[vi] = x[vi] + T.float32(1)

    @R.function(pure=False)
    def main(x: R.Tensor(("n * 2",), dtype="float32"), s: R.Shape(["n", "k"])) -> R.Object:
        n = T.int64()
        k = T.int64()
        cls = Module
        t = R.call_tir(cls.halves, (x,), out_sinfo=[R.Tensor((n,), dtype="float32"), R.Tensor((n,), dtype="float32")])
        a = t[0]
        b = R.call_tir(cls.shift, (a,), out_sinfo=R.Tensor((n,), dtype="float32"), tir_vars=R.shape([k]))
        c = R.call_tir_inplace(cls.bump, (b,), out_sinfo=R.Tensor((n,), dtype="float32"), inplace_indices=[0])
        d = R.call_tir_inplace(cls.bump, (a,), out_sinfo=R.Tensor((n,), dtype="float32"), inplace_indices=[0])
        e = R.call_dps_packed("my.kernel", (d, a), out_sinfo=R.Tensor((n, 2), dtype="float32"))
        return (c, t, e)
# ---- expected
# from tvm.script import ir as I
# from tvm.script import tir as T
# from tvm.script import relax as R

@I.ir_module
class Module:
    @T.prim_func(private=True)
    def halves(px: T.handle, pa: T.handle, pb: T.handle):
        T.func_attr({"op_pattern": 8})
        n = T.int64()
        x = T.match_buffer(px, (n * T.int64(2),))
        a = T.match_buffer(pa, (n,))
        b = T.match_buffer(pb, (n,))
        # with T.block("root"):
        for i in range(n):
            with T.block("b"):
                vi = T.axis.spatial(n, i)
                T.block_attr({"rlx.operator": "elementwise s"})
                a[vi] = x[vi]
        for i in range(n):
            with T.block("b_1"):
                vi = T.axis.spatial(n, i)
                T.block_attr({"rlx.operator": "rearrange s"})
                b[vi] = x[n + vi]

    @T.prim_func(private=True)
    def shift(px: T.handle, po: T.handle, s: T.int64):
        T.func_attr({"op_pattern": 8})
        n = T.int64()
        x = T.match_buffer(px, (n,))
        o = T.match_buffer(po, (n,))
        # with T.block("root"):
        for i in range(n):
            with T.block("b"):
                vi = T.axis.spatial(n, i)
                T.block_attr({"rlx.operator": "elementwise s"})
                o[vi] = x[vi] + T.Cast("float32", s)

    @T.prim_func(private=True)
    def bump(px: T.handle):
        T.func_attr({"op_pattern": 8})
        n = T.int64()
        x = T.match_buffer(px, (n,))
        # with T.block("root"):
        for i in range(n):
            with T.block("b"):
                vi = T.axis.spatial(n, i)
                x[vi] = x[vi] + T.float32(1.0)

    @R.function(pure=False)
    def main(x: R.Tensor(("n * 2",), dtype="float32"), s: R.Shape(["n", "k"])) -> R.Object:
        n = T.int64()
        k = T.int64()
        cls = Module
        alloc: R.Tensor((n,), dtype="float32") = R.builtin.alloc_tensor(R.shape([n]), R.dtype("float32"), R.prim_value(0), R.str("global"))
        alloc_1: R.Tensor((n,), dtype="float32") = R.builtin.alloc_tensor(R.shape([n]), R.dtype("float32"), R.prim_value(0), R.str("global"))
        _: R.Tuple = cls.halves(x, alloc, alloc_1)
        t: R.Tuple(R.Tensor((n,), dtype="float32"), R.Tensor((n,), dtype="float32")) = (alloc, alloc_1)
        b: R.Tensor((n,), dtype="float32") = R.builtin.alloc_tensor(R.shape([n]), R.dtype("float32"), R.prim_value(0), R.str("global"))
        _: R.Tuple = R.vm.call_tir_dyn(cls.shift, (alloc, b, R.shape([k])))
        _: R.Tuple = cls.bump(b)
        copy: R.Tensor((n,), dtype="float32") = R.call_packed("rlx.copy", alloc, sinfo_args=(R.Tensor((n,), dtype="float32"),))
        _: R.Tuple = cls.bump(copy)
        e: R.Tensor((n, 2), dtype="float32") = R.builtin.alloc_tensor(R.shape([n, 2]), R.dtype("float32"), R.prim_value(0), R.str("global"))
        _: R.Tuple = R.call_packed("my.kernel", copy, alloc, e, sinfo_args=(R.Tuple,))
        return (b, t, e)
