# ==== branches_see_their_surroundings
from tvm.script import ir as I
from tvm.script import relax as R
from tvm.script import tir as T


@I.ir_module
class Module:
    @R.function
    def main(x: R.Tensor(("n",), "float32"), c: R.Tensor((), "bool")) -> R.Tensor(("n",), "float32"):
        n = T.int64()
        a: R.Tensor((n,), "float32") = R.exp(x)
        if c:
            b: R.Tensor((n,), "float32") = R.exp(x)
            d: R.Tensor((n,), "float32") = R.add(a, b)
            y: R.Tensor((n,), "float32") = R.negative(d)
        else:
            e: R.Tensor((n,), "float32") = R.sin(x)
            y: R.Tensor((n,), "float32") = R.negative(e)
        f: R.Tensor((n,), "float32") = R.sin(x)
        g: R.Tensor((n,), "float32") = R.add(f, y)
        return g
# ---- expected
# from tvm.script import ir as I
# from tvm.script import tir as T
# from tvm.script import relax as R

@I.ir_module
class Module:
    @R.function
    def main(x: R.Tensor(("n",), dtype="float32"), c: R.Tensor((), dtype="bool")) -> R.Tensor(("n",), dtype="float32"):
        n = T.int64()
        a: R.Tensor((n,), dtype="float32") = R.exp(x)
        if c:
            d: R.Tensor((n,), dtype="float32") = R.add(a, a)
            y: R.Tensor((n,), dtype="float32") = R.negative(d)
            y_1: R.Tensor((n,), dtype="float32") = y
        else:
            e: R.Tensor((n,), dtype="float32") = R.sin(x)
            y_2: R.Tensor((n,), dtype="float32") = R.negative(e)
            y_1: R.Tensor((n,), dtype="float32") = y_2
        f: R.Tensor((n,), dtype="float32") = R.sin(x)
        g: R.Tensor((n,), dtype="float32") = R.add(f, y_1)
        return g

# ==== devices
# Equal bindings on different devices stay apart; copies to one device are one.
from tvm.script import ir as I
from tvm.script import relax as R
from tvm.script import tir as T
@I.ir_module
class Module:
    I.module_global_infos({"vdevice": [I.vdevice("llvm"), I.vdevice("opencl", 0), I.vdevice("opencl", 1)]})
    @R.function
    def main(x: R.Tensor((2,), "float32", "opencl:0"), h: R.Tensor((2,), "float32", "llvm:0"), n: R.Tensor((2,), "int64", "llvm:0")):
        with R.dataflow():
            a: R.Tensor((2,), "float32", "opencl:0") = R.full((2,), R.const(2.0, "float32"))
            b: R.Tensor((2,), "float32", "llvm:0") = R.full((2,), R.const(2.0, "float32"))
            c: R.Tensor((2,), "float32", "opencl:1") = R.full((2,), R.const(2.0, "float32"))
            d: R.Tensor((2,), "float32", "opencl:0") = R.full((2,), R.const(2.0, "float32"))
            p = R.to_vdevice(h, "opencl:0")
            q = R.to_vdevice(h, "opencl:1")
            r = R.to_vdevice(h, "opencl:0")
            s = R.hint_on_device(h, "opencl:0")
            t = R.hint_on_device(h, "opencl:1")
            u = R.exp(s)
            v = R.exp(t)
            w = R.exp(h)
            R.output(a, b, c, d, p, q, r, u, v, w)
        return (a, b, c, d, p, q, r, u, v, w)
# ---- expected
metadata = tvm.ir.load_json("""{
  \"root\": 1, 
  \"nodes\": [
    {\"type_key\": \"\"}, 
    {\"type_key\": \"Map\", \"keys\": [\"relax.expr.Constant\"], \"data\": [2]}, 
    {\"type_key\": \"Array\", \"data\": [3, 4, 5, 6]}, 
    {\"type_key\": \"relax.expr.Constant\", \"attrs\": {\"data\": \"0\", \"span\": \"0\", \"struct_info_\": \"0\"}}, 
    {\"type_key\": \"relax.expr.Constant\", \"attrs\": {\"data\": \"1\", \"span\": \"0\", \"struct_info_\": \"0\"}}, 
    {\"type_key\": \"relax.expr.Constant\", \"attrs\": {\"data\": \"2\", \"span\": \"0\", \"struct_info_\": \"0\"}}, 
    {\"type_key\": \"relax.expr.Constant\", \"attrs\": {\"data\": \"3\", \"span\": \"0\", \"struct_info_\": \"0\"}}
  ], 
  \"b64ndarrays\": [
    \"P6G0lvBAXt0AAAAAAAAAAAEAAAAAAAAAAQAAAAIgAQACAAAAAAAAAAgAAAAAAAAAAAAAQAAAAEA=\", 
    \"P6G0lvBAXt0AAAAAAAAAAAEAAAAAAAAAAQAAAAIgAQACAAAAAAAAAAgAAAAAAAAAAAAAQAAAAEA=\", 
    \"P6G0lvBAXt0AAAAAAAAAAAEAAAAAAAAAAQAAAAIgAQACAAAAAAAAAAgAAAAAAAAAAAAAQAAAAEA=\", 
    \"P6G0lvBAXt0AAAAAAAAAAAEAAAAAAAAAAQAAAAIgAQACAAAAAAAAAAgAAAAAAAAAAAAAQAAAAEA=\"
  ], 
  \"attrs\": {\"tvm_version\": \"0.20.0\"}
}""")
# from tvm.script import ir as I
# from tvm.script import tir as T
# from tvm.script import relax as R

@I.ir_module
class Module:
    I.module_global_infos({"vdevice": [I.vdevice("llvm", 0, "global"), I.vdevice("opencl", 0, "global"), I.vdevice("opencl", 1, "global")]})
    @R.function
    def main(x: R.Tensor((2,), dtype="float32", vdevice="opencl:0"), h: R.Tensor((2,), dtype="float32", vdevice="llvm:0"), n: R.Tensor((2,), dtype="int64", vdevice="llvm:0")) -> R.Tuple(R.Tensor((2,), dtype="float32", vdevice="opencl:0"), R.Tensor((2,), dtype="float32", vdevice="llvm:0"), R.Tensor((2,), dtype="float32", vdevice="opencl:1"), R.Tensor((2,), dtype="float32", vdevice="opencl:0"), R.Tensor((2,), dtype="float32", vdevice="opencl:0"), R.Tensor((2,), dtype="float32", vdevice="opencl:1"), R.Tensor((2,), dtype="float32", vdevice="opencl:0"), R.Tensor((2,), dtype="float32", vdevice="opencl:0"), R.Tensor((2,), dtype="float32", vdevice="opencl:1"), R.Tensor((2,), dtype="float32", vdevice="llvm:0")):
        with R.dataflow():
            p: R.Tensor((2,), dtype="float32", vdevice="opencl:0") = R.to_vdevice(h, dst_vdevice="opencl:0")
            q: R.Tensor((2,), dtype="float32", vdevice="opencl:1") = R.to_vdevice(h, dst_vdevice="opencl:1")
            s: R.Tensor((2,), dtype="float32", vdevice="opencl:0") = R.hint_on_device(p, dst_vdevice="opencl:0", memory_scope="global")
            t: R.Tensor((2,), dtype="float32", vdevice="opencl:1") = R.hint_on_device(q, dst_vdevice="opencl:1", memory_scope="global")
            u: R.Tensor((2,), dtype="float32", vdevice="opencl:0") = R.exp(s)
            v: R.Tensor((2,), dtype="float32", vdevice="opencl:1") = R.exp(t)
            w: R.Tensor((2,), dtype="float32", vdevice="llvm:0") = R.exp(h)
            R.output(p, q, u, v, w)
        return (metadata["relax.expr.Constant"][0], metadata["relax.expr.Constant"][1], metadata["relax.expr.Constant"][2], metadata["relax.expr.Constant"][3], p, q, p, u, v, w)

# ==== equal_constants
# Constants with the same bytes are merged, so expressions on them are computed once.
@I.ir_module
class Module:
    @R.function
    def main(x: R.Tensor(("n", 4), "float32"), i: R.Tensor(("n", 4), "int32")):
        with R.dataflow():
            v = R.broadcast_to(R.const(0.5, "float32"), (4, 8))
            w = R.broadcast_to(R.const(0.5, "float32"), (4, 8))
            a = R.matmul(x, v)
            b = R.matmul(x, w)
            c = R.add(a, b)
            d = R.add(x, R.const(1.0, "float32"))
            e = R.add(i, R.const(1065353216, "int32"))
            out = (c, d, e)
            R.output(out)
        return out
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
    \"P6G0lvBAXt0AAAAAAAAAAAEAAAAAAAAAAgAAAAIgAQAEAAAAAAAAAAgAAAAAAAAAgAAAAAAAAAAAAAA/AAAAPwAAAD8AAAA/AAAAPwAAAD8AAAA/AAAAPwAAAD8AAAA/AAAAPwAAAD8AAAA/AAAAPwAAAD8AAAA/AAAAPwAAAD8AAAA/AAAAPwAAAD8AAAA/AAAAPwAAAD8AAAA/AAAAPwAAAD8AAAA/AAAAPwAAAD8AAAA/AAAAPw==\"
  ], 
  \"attrs\": {\"tvm_version\": \"0.20.0\"}
}""")
# from tvm.script import ir as I
# from tvm.script import tir as T
# from tvm.script import relax as R

@I.ir_module
class Module:
    @R.function
    def main(x: R.Tensor(("n", 4), dtype="float32"), i: R.Tensor(("n", 4), dtype="int32")) -> R.Tuple(R.Tensor(("n", 8), dtype="float32"), R.Tensor(("n", 4), dtype="float32"), R.Tensor(("n", 4), dtype="int32")):
        n = T.int64()
        with R.dataflow():
            a: R.Tensor((n, 8), dtype="float32") = R.matmul(x, metadata["relax.expr.Constant"][0], out_dtype="void")
            c: R.Tensor((n, 8), dtype="float32") = R.add(a, a)
            d: R.Tensor((n, 4), dtype="float32") = R.add(x, R.const(1.0, "float32"))
            e: R.Tensor((n, 4), dtype="int32") = R.add(i, R.const(1065353216, "int32"))
            out: R.Tuple(R.Tensor((n, 8), dtype="float32"), R.Tensor((n, 4), dtype="float32"), R.Tensor((n, 4), dtype="int32")) = (c, d, e)
            R.output(out)
        return out
