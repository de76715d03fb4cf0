# ==== copies
# Copies where devices meet: one for all uses, in the innermost body that has them all.
from tvm.script import ir as I
from tvm.script import relax as R
from tvm.script import tir as T
@I.ir_module
class Module:
    I.module_global_infos({"vdevice": [I.vdevice("llvm"), I.vdevice("opencl", 0)]})
    @R.function
    def main(x: R.Tensor((4,), "float32"), w: R.Tensor((4,), "float32", "opencl:0"), v: R.Tensor((4,), "float32", "llvm:0")):
        with R.dataflow():
            a = R.exp(x)
            b = R.add(a, w)
            c = R.add(a, v)
            d = R.multiply(a, w)
            R.output(b, c, d)
        return (b, c, d)
    @R.function
    def branches(p: R.Tensor((), "bool", "opencl:0"), x: R.Tensor((4,), "float32", "opencl:0"), y: R.Tensor((4,), "float32", "llvm:0")):
        if p:
            a = R.add(R.hint_on_device(x, R.device("cpu", 0)), y)
            b = R.to_vdevice(a, "opencl:0")
        else:
            b = R.hint_on_device(y, "opencl:0")
        c = R.add(b, R.hint_on_device(y, "opencl:0"))
        return c
    @R.function
    def callee(t: R.Tuple(R.Tensor((4,), "float32"), R.Tuple(R.Tensor((4,), "float32", "opencl:0"), R.Prim("int64")))) -> R.Tensor((4,), "float32"):
        a = t[0]
        b = t[1]
        c = R.add(b[0], a)
        return c
    @R.function
    def tuples(t: R.Tuple(R.Tensor((4,), "float32", "llvm:0"), R.Tuple(R.Tensor((4,), "float32"), R.Prim("int64")))):
        return Module.callee(t)
    @R.function
    def closures(x: R.Tensor((4,), "float32", "llvm:0"), w: R.Tensor((4,), "float32", "opencl:0")):
        @R.function
        def scale(y: R.Tensor((4,), "float32")) -> R.Tensor((4,), "float32"):
            z = R.multiply(y, w)
            return z
        a = scale(R.exp(x))
        return scale(a)
# ---- expected
# from tvm.script import ir as I
# from tvm.script import tir as T
# from tvm.script import relax as R

@I.ir_module
class Module:
    I.module_global_infos({"vdevice": [I.vdevice("llvm", 0, "global"), I.vdevice("opencl", 0, "global")]})
    @R.function
    def main(x: R.Tensor((4,), dtype="float32", vdevice="llvm:0"), w: R.Tensor((4,), dtype="float32", vdevice="opencl:0"), v: R.Tensor((4,), dtype="float32", vdevice="llvm:0")) -> R.Tuple(R.Tensor((4,), dtype="float32", vdevice="opencl:0"), R.Tensor((4,), dtype="float32", vdevice="llvm:0"), R.Tensor((4,), dtype="float32", vdevice="opencl:0")):
        with R.dataflow():
            a: R.Tensor((4,), dtype="float32", vdevice="llvm:0") = R.exp(x)
            a_1: R.Tensor((4,), dtype="float32", vdevice="opencl:0") = R.to_vdevice(a, dst_vdevice="opencl:0")
            b: R.Tensor((4,), dtype="float32", vdevice="opencl:0") = R.add(a_1, w)
            c: R.Tensor((4,), dtype="float32", vdevice="llvm:0") = R.add(a, v)
            d: R.Tensor((4,), dtype="float32", vdevice="opencl:0") = R.multiply(a_1, w)
            R.output(b, c, d)
        return (b, c, d)

    @R.function
    def branches(p: R.Tensor((), dtype="bool", vdevice="opencl:0"), x: R.Tensor((4,), dtype="float32", vdevice="opencl:0"), y: R.Tensor((4,), dtype="float32", vdevice="llvm:0")) -> R.Tensor((4,), dtype="float32", vdevice="opencl:0"):
        p_1: R.Tensor((), dtype="bool", vdevice="llvm:0") = R.to_vdevice(p, dst_vdevice="llvm:0")
        y_1: R.Tensor((4,), dtype="float32", vdevice="opencl:0") = R.to_vdevice(y, dst_vdevice="opencl:0")
        if p_1:
            x_1: R.Tensor((4,), dtype="float32", vdevice="llvm:0") = R.to_vdevice(x, dst_vdevice="llvm:0")
            gv: R.Tensor((4,), dtype="float32", vdevice="llvm:0") = R.hint_on_device(x_1, dst_vdevice="cpu:0", memory_scope="global")
            a: R.Tensor((4,), dtype="float32", vdevice="llvm:0") = R.add(gv, y)
            b: R.Tensor((4,), dtype="float32", vdevice="opencl:0") = R.to_vdevice(a, dst_vdevice="opencl:0")
            b_1: R.Tensor((4,), dtype="float32", vdevice="opencl:0") = b
        else:
            b_2: R.Tensor((4,), dtype="float32", vdevice="opencl:0") = R.hint_on_device(y_1, dst_vdevice="opencl:0", memory_scope="global")
            b_1: R.Tensor((4,), dtype="float32", vdevice="opencl:0") = b_2
        gv_1: R.Tensor((4,), dtype="float32", vdevice="opencl:0") = R.hint_on_device(y_1, dst_vdevice="opencl:0", memory_scope="global")
        c: R.Tensor((4,), dtype="float32", vdevice="opencl:0") = R.add(b_1, gv_1)
        return c

    @R.function
    def callee(t: R.Tuple(R.Tensor((4,), dtype="float32", vdevice="llvm:0"), R.Tuple(R.Tensor((4,), dtype="float32", vdevice="opencl:0"), R.Prim("int64")))) -> R.Tensor((4,), dtype="float32", vdevice="opencl:0"):
        a: R.Tensor((4,), dtype="float32", vdevice="llvm:0") = t[0]
        b: R.Tuple(R.Tensor((4,), dtype="float32", vdevice="opencl:0"), R.Prim("int64")) = t[1]
        gv: R.Tensor((4,), dtype="float32", vdevice="opencl:0") = b[0]
        a_1: R.Tensor((4,), dtype="float32", vdevice="opencl:0") = R.to_vdevice(a, dst_vdevice="opencl:0")
        c: R.Tensor((4,), dtype="float32", vdevice="opencl:0") = R.add(gv, a_1)
        return c

    @R.function
    def tuples(t: R.Tuple(R.Tensor((4,), dtype="float32", vdevice="llvm:0"), R.Tuple(R.Tensor((4,), dtype="float32", vdevice="opencl:0"), R.Prim("int64")))) -> R.Tensor((4,), dtype="float32", vdevice="opencl:0"):
        cls = Module
        gv: R.Tensor((4,), dtype="float32", vdevice="opencl:0") = cls.callee(t)
        return gv

    @R.function
    def closures(x: R.Tensor((4,), dtype="float32", vdevice="llvm:0"), w: R.Tensor((4,), dtype="float32", vdevice="opencl:0")) -> R.Tensor((4,), dtype="float32", vdevice="opencl:0"):
        @R.function
        def scale(y: R.Tensor((4,), dtype="float32", vdevice="opencl:0")) -> R.Tensor((4,), dtype="float32", vdevice="opencl:0"):
            z: R.Tensor((4,), dtype="float32", vdevice="opencl:0") = R.multiply(y, w)
            return z
        gv: R.Tensor((4,), dtype="float32", vdevice="llvm:0") = R.exp(x)
        gv_1: R.Tensor((4,), dtype="float32", vdevice="opencl:0") = R.to_vdevice(gv, dst_vdevice="opencl:0")
        a: R.Tensor((4,), dtype="float32", vdevice="opencl:0") = scale(gv_1)
        gv_2: R.Tensor((4,), dtype="float32", vdevice="opencl:0") = scale(a)
        return gv_2

# ==== default_device
# --default-device opencl:0
# A whole model on a device; what computes shapes, counters and conditions stays on the CPU.
from tvm.script import ir as I
from tvm.script import relax as R
from tvm.script import tir as T
@I.ir_module
class Module:
    @R.function
    def main(x: R.Tensor(("n", 4), "float32"), w: R.Tensor((4, 4), "float32"), rows: R.Tensor((), "int64")):
        n = T.int64()
        m = T.int64()
        with R.dataflow():
            a = R.matmul(x, w)
            s = R.shape_to_tensor(R.shape_of(a))
            t = R.multiply(s, R.const([2, 1], "int64"))
            u = R.tensor_to_shape(R.concat((R.expand_dims(rows, 0), t)))
            u2 = R.match_cast(u, R.Shape([3, n, m]))
            b = R.broadcast_to(a, R.shape([2, n, 4]))
            c = R.add(b, R.const(1, "float32"))
            R.output(c, u2)
        return c
    @R.function
    def count(i: R.Tensor((), "int64"), x: R.Tensor((4,), "float32")) -> R.Tensor((4,), "float32"):
        cls = Module
        more = R.less(i, R.const(8, "int64"))
        if more:
            y = cls.count(R.add(i, R.const(1, "int64")), R.add(x, x))
        else:
            y = x
        return y
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
    \"P6G0lvBAXt0AAAAAAAAAAAEAAAAAAAAAAQAAAABAAQACAAAAAAAAABAAAAAAAAAAAgAAAAAAAAABAAAAAAAAAA==\"
  ], 
  \"attrs\": {\"tvm_version\": \"0.20.0\"}
}""")
# from tvm.script import ir as I
# from tvm.script import tir as T
# from tvm.script import relax as R

@I.ir_module
class Module:
    I.module_global_infos({"vdevice": [I.vdevice("llvm", 0, "global"), I.vdevice("opencl", 0, "global")]})
    @R.function
    def main(x: R.Tensor(("n", 4), dtype="float32", vdevice="opencl:0"), w: R.Tensor((4, 4), dtype="float32", vdevice="opencl:0"), rows: R.Tensor((), dtype="int64", vdevice="llvm:0")) -> R.Tensor((2, "n", 4), dtype="float32", vdevice="opencl:0"):
        n = T.int64()
        m = T.int64()
        with R.dataflow():
            a: R.Tensor((n, 4), dtype="float32", vdevice="opencl:0") = R.matmul(x, w, out_dtype="void")
            lv: R.Shape([n, 4]) = R.shape_of(a)
            s: R.Tensor((2,), dtype="int64", vdevice="llvm:0") = R.shape_to_tensor(lv)
            t: R.Tensor((2,), dtype="int64", vdevice="llvm:0") = R.multiply(s, metadata["relax.expr.Constant"][0])
            lv_1: R.Tensor((1,), dtype="int64", vdevice="llvm:0") = R.expand_dims(rows, axis=[0])
            lv_2: R.Tensor((3,), dtype="int64", vdevice="llvm:0") = R.concat((lv_1, t), axis=0)
            u: R.Shape(ndim=3) = R.tensor_to_shape(lv_2)
            u2: R.Shape([3, n, m]) = R.match_cast(u, R.Shape([3, n, m]))
            b: R.Tensor((2, n, 4), dtype="float32", vdevice="opencl:0") = R.broadcast_to(a, R.shape([2, n, 4]))
            c: R.Tensor((2, n, 4), dtype="float32", vdevice="opencl:0") = R.add(b, R.const(1.0, "float32"))
            R.output(u2, c)
        return c

    @R.function
    def count(i: R.Tensor((), dtype="int64", vdevice="llvm:0"), x: R.Tensor((4,), dtype="float32", vdevice="opencl:0")) -> R.Tensor((4,), dtype="float32", vdevice="opencl:0"):
        cls = Module
        more: R.Tensor((), dtype="bool", vdevice="llvm:0") = R.less(i, R.const(8, "int64"))
        if more:
            gv: R.Tensor((), dtype="int64", vdevice="llvm:0") = R.add(i, R.const(1, "int64"))
            gv_1: R.Tensor((4,), dtype="float32", vdevice="opencl:0") = R.add(x, x)
            y: R.Tensor((4,), dtype="float32", vdevice="opencl:0") = cls.count(gv, gv_1)
            y_1: R.Tensor((4,), dtype="float32", vdevice="opencl:0") = y
        else:
            y_1: R.Tensor((4,), dtype="float32", vdevice="opencl:0") = x
        return y_1

# ==== memory
# Explicit memory: a scope is an entry of the table of its own, which positions then name.
from tvm.script import ir as I
from tvm.script import relax as R
from tvm.script import tir as T
@I.ir_module
class Module:
    I.module_global_infos({"vdevice": [I.vdevice("opencl", 0), I.vdevice("llvm"), I.vdevice("opencl", 0, "global.texture")]})
    @R.function(pure=False)
    def memory(x: R.Tensor((2,), "float32")):
        s = R.memory.alloc_storage(R.shape([8]), R.prim_value(0), R.str("global.texture"), R.dtype("float32"))
        t = R.memory.alloc_tensor(s, R.prim_value(0), R.shape([2]), R.dtype("float32"))
        u = R.builtin.alloc_tensor(R.shape([2]), R.dtype("float32"), R.prim_value(0), R.str("global.texture"))
        return (t, u)
# ---- expected
# from tvm.script import ir as I
# from tvm.script import tir as T
# from tvm.script import relax as R

@I.ir_module
class Module:
    I.module_global_infos({"vdevice": [I.vdevice("opencl", 0, "global"), I.vdevice("llvm", 0, "global"), I.vdevice("opencl", 0, "global.texture")]})
    @R.function(pure=False)
    def memory(x: R.Tensor((2,), dtype="float32", vdevice="llvm:0")) -> R.Tuple(R.Tensor((2,), dtype="float32", vdevice="opencl:1"), R.Tensor((2,), dtype="float32", vdevice="opencl:1")):
        s: R.Object = R.memory.alloc_storage(R.shape([8]), R.prim_value(2), R.str("global.texture"), R.dtype("float32"))
        t: R.Tensor((2,), dtype="float32", vdevice="opencl:1") = R.memory.alloc_tensor(s, R.prim_value(0), R.shape([2]), R.dtype("float32"))
        u: R.Tensor((2,), dtype="float32", vdevice="opencl:1") = R.builtin.alloc_tensor(R.shape([2]), R.dtype("float32"), R.prim_value(2), R.str("global.texture"))
        return (t, u)

# ==== prim_funcs
# PrimFuncs: the scopes of their buffers and their targets decide where operands and results lie.
from tvm.script import ir as I
from tvm.script import relax as R
from tvm.script import tir as T
@I.ir_module
class Module:
    I.module_global_infos({"vdevice": [I.vdevice("llvm"), I.vdevice("opencl", 0), I.vdevice("opencl", 0, "global.texture")]})
    @T.prim_func
    def sample(A: T.Buffer((4, 4), "float32", scope="global.texture"), B: T.Buffer((4, 4), "float32"), C: T.Buffer((4, 4), "float32")):
        for i, j in T.grid(4, 4):
            with T.block("C"):
                vi, vj = T.axis.remap("SS", [i, j])
                C[vi, vj] = A[vi, vj] + B[vi, vj]
    @T.prim_func
    def there(A: T.Buffer((4, 4), "float32"), C: T.Buffer((4, 4), "float32")):
        T.func_attr({"target": T.target({"kind": "cuda", "arch": "sm_80"})})
        for i, j in T.grid(4, 4):
            with T.block("C"):
                vi, vj = T.axis.remap("SS", [i, j])
                C[vi, vj] = A[vi, vj]
    @R.function
    def main(x: R.Tensor((4, 4), "float32"), y: R.Tensor((4, 4), "float32", "llvm:0")):
        cls = Module
        with R.dataflow():
            a = R.call_tir(cls.sample, (x, R.exp(y)), out_sinfo=R.Tensor((4, 4), "float32"))
            b = R.call_tir(cls.sample, (R.hint_on_device(y, "opencl:0"), R.const([[1.0, 1.0, 1.0, 1.0], [1.0, 1.0, 1.0, 1.0], [1.0, 1.0, 1.0, 1.0], [1.0, 1.0, 1.0, 1.0]], "float32")), out_sinfo=R.Tensor((4, 4), "float32", "opencl:0"))
            c = R.call_tir(cls.there, (a,), out_sinfo=R.Tensor((4, 4), "float32"))
            d = R.add(a, b)
            R.output(c, d)
        return (c, d)
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
    \"P6G0lvBAXt0AAAAAAAAAAAEAAAAAAAAAAgAAAAIgAQAEAAAAAAAAAAQAAAAAAAAAQAAAAAAAAAAAAIA/AACAPwAAgD8AAIA/AACAPwAAgD8AAIA/AACAPwAAgD8AAIA/AACAPwAAgD8AAIA/AACAPwAAgD8AAIA/\"
  ], 
  \"attrs\": {\"tvm_version\": \"0.20.0\"}
}""")
# from tvm.script import ir as I
# from tvm.script import tir as T
# from tvm.script import relax as R

@I.ir_module
class Module:
    I.module_global_infos({"vdevice": [I.vdevice("llvm", 0, "global"), I.vdevice("opencl", 0, "global"), I.vdevice("opencl", 0, "global.texture"), I.vdevice({"kind": "cuda", "arch": "sm_80"}, 0, "global")]})
    @T.prim_func
    def sample(var_A: T.handle, B: T.Buffer((4, 4), "float32"), C: T.Buffer((4, 4), "float32")):
        A = T.match_buffer(var_A, (4, 4), scope="global.texture")
        # with T.block("root"):
        for i, j in T.grid(4, 4):
            with T.block("C"):
                vi, vj = T.axis.remap("SS", [i, j])
                C[vi, vj] = A[vi, vj] + B[vi, vj]

    @T.prim_func
    def there(A: T.Buffer((4, 4), "float32"), C: T.Buffer((4, 4), "float32")):
        T.func_attr({"target": {"kind": "cuda", "arch": "sm_80"}})
        # with T.block("root"):
        for i, j in T.grid(4, 4):
            with T.block("C"):
                vi, vj = T.axis.remap("SS", [i, j])
                C[vi, vj] = A[vi, vj]

    @R.function
    def main(x: R.Tensor((4, 4), dtype="float32", vdevice="opencl:1"), y: R.Tensor((4, 4), dtype="float32", vdevice="llvm:0")) -> R.Tuple(R.Tensor((4, 4), dtype="float32", vdevice="cuda:0"), R.Tensor((4, 4), dtype="float32", vdevice="opencl:0")):
        cls = Module
        with R.dataflow():
            lv: R.Tensor((4, 4), dtype="float32", vdevice="llvm:0") = R.exp(y)
            lv_1: R.Tensor((4, 4), dtype="float32", vdevice="opencl:0") = R.to_vdevice(lv, dst_vdevice="opencl:0")
            a: R.Tensor((4, 4), dtype="float32", vdevice="opencl:0") = R.call_tir(cls.sample, (x, lv_1), out_sinfo=R.Tensor((4, 4), dtype="float32", vdevice="opencl:0"))
            y_1: R.Tensor((4, 4), dtype="float32", vdevice="opencl:0") = R.to_vdevice(y, dst_vdevice="opencl:0")
            lv_2: R.Tensor((4, 4), dtype="float32", vdevice="opencl:0") = R.hint_on_device(y_1, dst_vdevice="opencl:0", memory_scope="global")
            lv_3: R.Tensor((4, 4), dtype="float32", vdevice="opencl:1") = R.to_vdevice(lv_2, dst_vdevice="opencl:1")
            b: R.Tensor((4, 4), dtype="float32", vdevice="opencl:0") = R.call_tir(cls.sample, (lv_3, metadata["relax.expr.Constant"][0]), out_sinfo=R.Tensor((4, 4), dtype="float32", vdevice="opencl:0"))
            a_1: R.Tensor((4, 4), dtype="float32", vdevice="cuda:0") = R.to_vdevice(a, dst_vdevice="cuda:0")
            c: R.Tensor((4, 4), dtype="float32", vdevice="cuda:0") = R.call_tir(cls.there, (a_1,), out_sinfo=R.Tensor((4, 4), dtype="float32", vdevice="cuda:0"))
            d: R.Tensor((4, 4), dtype="float32", vdevice="opencl:0") = R.add(a, b)
            R.output(c, d)
        return (c, d)

# ==== unknown_types
# Functions without a declared result are inferred before their callers. A value of type Object is on the host.
from tvm.script import ir as I, relax as R, tir as T
@I.ir_module
class Module:
    I.module_global_infos({"vdevice": [I.vdevice("llvm"), I.vdevice("opencl", 0)]})
    @R.function
    def main(x: R.Tensor((2,), "float32", "opencl:0")):
        a = Module.later(x)
        b = R.add(a, x)
        t = Module.pair(x)
        u = t[0]
        return (a, b, u)
    @R.function
    def later(x: R.Tensor((2,), "float32", "opencl:0")):
        y = Module.last(x)
        return R.exp(y)
    @R.function
    def last(x: R.Tensor((2,), "float32", "opencl:0")):
        return R.exp(x)
    @R.function
    def pair(x: R.Tensor((2,), "float32", "opencl:0")):
        return (R.exp(x), R.negative(x))
    @R.function
    def rec(x: R.Tensor((2,), "float32", "opencl:0"), c: R.Tensor((), "bool")):
        if c:
            r = Module.rec(R.exp(x), c)
        else:
            r = x
        return r
    @R.function(pure=False)
    def obj(x: R.Tensor((2,), "float32", "opencl:0"), o: R.Object):
        t = (x, o)
        y = R.call_packed("f", x, t, sinfo_args=R.Tensor((2,), "float32", "opencl:0"))
        z = R.call_packed("g", y, sinfo_args=R.Object)
        w = R.match_cast(z, R.Tensor((2,), "float32", "opencl:0"))
        return (y, z, w)
# ---- expected
# from tvm.script import ir as I
# from tvm.script import tir as T
# from tvm.script import relax as R

@I.ir_module
class Module:
    I.module_global_infos({"vdevice": [I.vdevice("llvm", 0, "global"), I.vdevice("opencl", 0, "global")]})
    @R.function
    def main(x: R.Tensor((2,), dtype="float32", vdevice="opencl:0")) -> R.Tuple(R.Tensor((2,), dtype="float32", vdevice="opencl:0"), R.Tensor((2,), dtype="float32", vdevice="opencl:0"), R.Tensor((2,), dtype="float32", vdevice="opencl:0")):
        cls = Module
        a: R.Tensor((2,), dtype="float32", vdevice="opencl:0") = cls.later(x)
        b: R.Tensor((2,), dtype="float32", vdevice="opencl:0") = R.add(a, x)
        t: R.Tuple(R.Tensor((2,), dtype="float32", vdevice="opencl:0"), R.Tensor((2,), dtype="float32", vdevice="opencl:0")) = cls.pair(x)
        u: R.Tensor((2,), dtype="float32", vdevice="opencl:0") = t[0]
        return (a, b, u)

    @R.function
    def later(x: R.Tensor((2,), dtype="float32", vdevice="opencl:0")) -> R.Tensor((2,), dtype="float32", vdevice="opencl:0"):
        cls = Module
        y: R.Tensor((2,), dtype="float32", vdevice="opencl:0") = cls.last(x)
        gv: R.Tensor((2,), dtype="float32", vdevice="opencl:0") = R.exp(y)
        return gv

    @R.function
    def last(x: R.Tensor((2,), dtype="float32", vdevice="opencl:0")) -> R.Tensor((2,), dtype="float32", vdevice="opencl:0"):
        gv: R.Tensor((2,), dtype="float32", vdevice="opencl:0") = R.exp(x)
        return gv

    @R.function
    def pair(x: R.Tensor((2,), dtype="float32", vdevice="opencl:0")) -> R.Tuple(R.Tensor((2,), dtype="float32", vdevice="opencl:0"), R.Tensor((2,), dtype="float32", vdevice="opencl:0")):
        gv: R.Tensor((2,), dtype="float32", vdevice="opencl:0") = R.exp(x)
        gv_1: R.Tensor((2,), dtype="float32", vdevice="opencl:0") = R.negative(x)
        return (gv, gv_1)

    @R.function
    def rec(x: R.Tensor((2,), dtype="float32", vdevice="opencl:0"), c: R.Tensor((), dtype="bool", vdevice="llvm:0")) -> R.Object:
        cls = Module
        if c:
            gv: R.Tensor((2,), dtype="float32", vdevice="opencl:0") = R.exp(x)
            r: R.Object = cls.rec(gv, c)
            r_1: R.Object = r
        else:
            x_1: R.Tensor((2,), dtype="float32", vdevice="llvm:0") = R.to_vdevice(x, dst_vdevice="llvm:0")
            r_1: R.Object = x_1
        return r_1

    @R.function(pure=False)
    def obj(x: R.Tensor((2,), dtype="float32", vdevice="opencl:0"), o: R.Object) -> R.Tuple(R.Tensor((2,), dtype="float32", vdevice="opencl:0"), R.Object, R.Tensor((2,), dtype="float32", vdevice="opencl:0")):
        t: R.Tuple(R.Tensor((2,), dtype="float32", vdevice="opencl:0"), R.Object) = (x, o)
        y: R.Tensor((2,), dtype="float32", vdevice="opencl:0") = R.call_packed("f", x, t, sinfo_args=(R.Tensor((2,), dtype="float32", vdevice="opencl:0"),))
        z: R.Object = R.call_packed("g", y, sinfo_args=(R.Object,))
        w: R.Tensor((2,), dtype="float32", vdevice="opencl:0") = R.match_cast(z, R.Tensor((2,), dtype="float32", vdevice="opencl:0"))
        return (y, z, w)
