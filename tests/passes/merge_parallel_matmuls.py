# ==== devices
# Products of one value on two devices stay apart, those on one are merged there.
from tvm.script import ir as I
from tvm.script import relax as R
from tvm.script import tir as T
@I.ir_module
class Module:
    I.module_global_infos({"vdevice": [I.vdevice("llvm"), I.vdevice("opencl", 0), I.vdevice("opencl", 1)]})
    @R.function
    def main(x: R.Tensor((1, "n", 3), "float32", "opencl:0")):
        n = T.int64()
        with R.dataflow():
            h = R.to_vdevice(x, "llvm:0")
            a = R.matmul(x, R.broadcast_to(R.const([[1.0], [2.0], [3.0]], "float32"), R.shape([3, 16])))
            a4 = R.reshape(a, R.shape([1, n, 4, 4]))
            b = R.matmul(x, R.broadcast_to(R.const([[2.0], [3.0], [4.0]], "float32"), R.shape([3, 16])))
            b4 = R.reshape(b, R.shape([1, n, 4, 4]))
            c = R.matmul(h, R.broadcast_to(R.const([[3.0], [4.0], [5.0]], "float32"), R.shape([3, 16])))
            c4 = R.reshape(c, R.shape([1, n, 4, 4]))
            d = R.matmul(h, R.broadcast_to(R.const([[4.0], [5.0], [6.0]], "float32"), R.shape([3, 16])))
            d4 = R.reshape(d, R.shape([1, n, 4, 4]))
            there = R.nn.attention(a4, b4, a4)
            here = R.nn.attention(c4, d4, d4)
            R.output(there, here)
        return (there, here)
# ---- expected
metadata = tvm.ir.load_json("""{
  \"root\": 1, 
  \"nodes\": [
    {\"type_key\": \"\"}, 
    {\"type_key\": \"Map\", \"keys\": [\"relax.expr.Constant\"], \"data\": [2]}, 
    {\"type_key\": \"Array\", \"data\": [3, 4]}, 
    {\"type_key\": \"relax.expr.Constant\", \"attrs\": {\"data\": \"0\", \"span\": \"0\", \"struct_info_\": \"0\"}}, 
    {\"type_key\": \"relax.expr.Constant\", \"attrs\": {\"data\": \"1\", \"span\": \"0\", \"struct_info_\": \"0\"}}
  ], 
  \"b64ndarrays\": [
    \"P6G0lvBAXt0AAAAAAAAAAAEAAAAAAAAABAAAAAIgAQACAAAAAAAAAAEAAAAAAAAAAwAAAAAAAAAQAAAAAAAAAIABAAAAAAAAAACAPwAAgD8AAIA/AACAPwAAgD8AAIA/AACAPwAAgD8AAIA/AACAPwAAgD8AAIA/AACAPwAAgD8AAIA/AACAPwAAAEAAAABAAAAAQAAAAEAAAABAAAAAQAAAAEAAAABAAAAAQAAAAEAAAABAAAAAQAAAAEAAAABAAAAAQAAAAEAAAEBAAABAQAAAQEAAAEBAAABAQAAAQEAAAEBAAABAQAAAQEAAAEBAAABAQAAAQEAAAEBAAABAQAAAQEAAAEBAAAAAQAAAAEAAAABAAAAAQAAAAEAAAABAAAAAQAAAAEAAAABAAAAAQAAAAEAAAABAAAAAQAAAAEAAAABAAAAAQAAAQEAAAEBAAABAQAAAQEAAAEBAAABAQAAAQEAAAEBAAABAQAAAQEAAAEBAAABAQAAAQEAAAEBAAABAQAAAQEAAAIBAAACAQAAAgEAAAIBAAACAQAAAgEAAAIBAAACAQAAAgEAAAIBAAACAQAAAgEAAAIBAAACAQAAAgEAAAIBA\", 
    \"P6G0lvBAXt0AAAAAAAAAAAEAAAAAAAAABAAAAAIgAQACAAAAAAAAAAEAAAAAAAAAAwAAAAAAAAAQAAAAAAAAAIABAAAAAAAAAABAQAAAQEAAAEBAAABAQAAAQEAAAEBAAABAQAAAQEAAAEBAAABAQAAAQEAAAEBAAABAQAAAQEAAAEBAAABAQAAAgEAAAIBAAACAQAAAgEAAAIBAAACAQAAAgEAAAIBAAACAQAAAgEAAAIBAAACAQAAAgEAAAIBAAACAQAAAgEAAAKBAAACgQAAAoEAAAKBAAACgQAAAoEAAAKBAAACgQAAAoEAAAKBAAACgQAAAoEAAAKBAAACgQAAAoEAAAKBAAACAQAAAgEAAAIBAAACAQAAAgEAAAIBAAACAQAAAgEAAAIBAAACAQAAAgEAAAIBAAACAQAAAgEAAAIBAAACAQAAAoEAAAKBAAACgQAAAoEAAAKBAAACgQAAAoEAAAKBAAACgQAAAoEAAAKBAAACgQAAAoEAAAKBAAACgQAAAoEAAAMBAAADAQAAAwEAAAMBAAADAQAAAwEAAAMBAAADAQAAAwEAAAMBAAADAQAAAwEAAAMBAAADAQAAAwEAAAMBA\"
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
    def main(x: R.Tensor((1, "n", 3), dtype="float32", vdevice="opencl:0")) -> R.Tuple(R.Tensor((1, "n", 4, 4), dtype="float32", vdevice="opencl:0"), R.Tensor((1, "n", 4, 4), dtype="float32", vdevice="llvm:0")):
        n = T.int64()
        with R.dataflow():
            h: R.Tensor((1, n, 3), dtype="float32", vdevice="llvm:0") = R.to_vdevice(x, dst_vdevice="llvm:0")
            joined: R.Tensor((2, 1, n, 16), dtype="float32", vdevice="opencl:0") = R.matmul(x, metadata["relax.expr.Constant"][0], out_dtype="void")
            a: R.Tensor((1, n, 16), dtype="float32", vdevice="opencl:0") = R.memory.view(joined, R.shape([1, n, 16]), R.tuple(), R.prim_value(0))
            a4: R.Tensor((1, n, 4, 4), dtype="float32", vdevice="opencl:0") = R.reshape(a, R.shape([1, n, 4, 4]))
            b: R.Tensor((1, n, 16), dtype="float32", vdevice="opencl:0") = R.memory.view(joined, R.shape([1, n, 16]), R.tuple(), R.prim_value(n * 64))
            b4: R.Tensor((1, n, 4, 4), dtype="float32", vdevice="opencl:0") = R.reshape(b, R.shape([1, n, 4, 4]))
            joined_1: R.Tensor((2, 1, n, 16), dtype="float32", vdevice="llvm:0") = R.matmul(h, metadata["relax.expr.Constant"][1], out_dtype="void")
            c: R.Tensor((1, n, 16), dtype="float32", vdevice="llvm:0") = R.memory.view(joined_1, R.shape([1, n, 16]), R.tuple(), R.prim_value(0))
            c4: R.Tensor((1, n, 4, 4), dtype="float32", vdevice="llvm:0") = R.reshape(c, R.shape([1, n, 4, 4]))
            d: R.Tensor((1, n, 16), dtype="float32", vdevice="llvm:0") = R.memory.view(joined_1, R.shape([1, n, 16]), R.tuple(), R.prim_value(n * 64))
            d4: R.Tensor((1, n, 4, 4), dtype="float32", vdevice="llvm:0") = R.reshape(d, R.shape([1, n, 4, 4]))
            there: R.Tensor((1, n, 4, 4), dtype="float32", vdevice="opencl:0") = R.nn.attention(a4, b4, a4, scale=None, causal_mask=None, window_size=None)
            here: R.Tensor((1, n, 4, 4), dtype="float32", vdevice="llvm:0") = R.nn.attention(c4, d4, d4, scale=None, causal_mask=None, window_size=None)
            R.output(there, here)
        return (there, here)

# ==== products_of_one_operand
# main: three products with biases that are read in another shape are merged. apart: not merged are products that are activated, of
# another shape, with the operand on the other side, with rows that are no multiple of a cache line, or that the function returns.
# columns: the parts of one product are stacked, in any order, even if some are missing. uneven: parts of two sizes are not. blocks:
# nor are sums in another block than their products.
from tvm.script import ir as I
from tvm.script import relax as R
from tvm.script import tir as T


@I.ir_module
class Module:
    @R.function
    def main(x: R.Tensor((2, "n", 3), "float32")):
        n = T.int64()
        with R.dataflow():
            wq = R.broadcast_to(R.const([[1.0], [2.0], [3.0]], "float32"), R.shape([3, 16]))
            wk = R.broadcast_to(R.const([[4.0], [5.0], [6.0]], "float32"), R.shape([3, 16]))
            wv = R.broadcast_to(R.const([[7.0], [8.0], [9.0]], "float32"), R.shape([3, 16]))
            bq = R.broadcast_to(R.const([0.5], "float32"), R.shape([16]))
            bk = R.broadcast_to(R.const([[0.25]], "float32"), R.shape([1, 16]))
            bv = R.broadcast_to(R.const([0.125], "float32"), R.shape([16]))
            q = R.add(bq, R.matmul(x, wq))
            q4 = R.reshape(q, R.shape([2, n, 4, 4]))
            k = R.add(R.matmul(x, wk), bk)
            k4 = R.reshape(k, R.shape([2, n, 4, 4]))
            v = R.add(R.matmul(x, wv), bv)
            v4 = R.reshape(v, R.shape([2, n, 4, 4]))
            y = R.nn.attention(q4, k4, v4)
            R.output(y)
        return y

    @R.function
    def apart(x: R.Tensor(("n", 3), "float32")):
        n = T.int64()
        with R.dataflow():
            w = R.broadcast_to(R.const([[1.0], [2.0], [3.0]], "float32"), R.shape([3, 16]))
            wide = R.broadcast_to(R.const([[1.0], [2.0], [3.0]], "float32"), R.shape([3, 32]))
            odd = R.broadcast_to(R.const([[1.0], [2.0], [3.0]], "float32"), R.shape([3, 5]))
            more = R.broadcast_to(R.const([[1.5], [2.5], [3.5]], "float32"), R.shape([3, 16]))
            a = R.reshape(R.matmul(x, w), R.shape([n, 4, 4]))
            active = R.nn.relu(R.matmul(x, more))
            b = R.reshape(R.matmul(x, wide), R.shape([n, 4, 8]))
            o = R.reshape(R.matmul(x, odd), R.shape([n, 5, 1]))
            p = R.reshape(R.matmul(x, R.add(odd, R.const(1.0, "float32"))), R.shape([n, 5, 1]))
            c = R.matmul(a, b)
            d = R.reshape(R.matmul(x, R.add(more, R.const(1.0, "float32"))), R.shape([n, 4, 4]))
            e = R.matmul(d, c)
            out = R.matmul(x, R.add(more, R.const(2.0, "float32")))
            R.output(active, e, o, p, out)
        return active, e, o, p, out

    @R.function
    def columns(x: R.Tensor(("n", 3), "float32")):
        n = T.int64()
        with R.dataflow():
            w = R.broadcast_to(R.const([[1.0], [2.0], [3.0]], "float32"), R.shape([3, 48]))
            b = R.broadcast_to(R.const([0.5], "float32"), R.shape([48]))
            y = R.add(R.matmul(x, w), b)
            last = R.reshape(R.strided_slice(y, axes=[-1], begin=[-16], end=[48]), R.shape([n, 4, 4]))
            first = R.reshape(R.strided_slice(y, axes=[1], begin=[0], end=[16]), R.shape([n, 4, 4]))
            out = R.matmul(last, first)
            R.output(out)
        return out

    @R.function
    def uneven(x: R.Tensor(("n", 3), "float32")):
        n = T.int64()
        with R.dataflow():
            w = R.broadcast_to(R.const([[1.0], [2.0], [3.0]], "float32"), R.shape([3, 48]))
            y = R.matmul(x, w)
            few = R.reshape(R.strided_slice(y, axes=[1], begin=[0], end=[16]), R.shape([n, 4, 4]))
            many = R.reshape(R.strided_slice(y, axes=[1], begin=[16], end=[48]), R.shape([n, 4, 8]))
            out = R.matmul(few, many)
            R.output(out)
        return out

    @R.function
    def blocks(x: R.Tensor(("n", 3), "float32")):
        n = T.int64()
        with R.dataflow():
            w = R.broadcast_to(R.const([[1.0], [2.0], [3.0]], "float32"), R.shape([3, 16]))
            more = R.broadcast_to(R.const([[1.5], [2.5], [3.5]], "float32"), R.shape([3, 16]))
            y = R.matmul(x, w)
            z = R.matmul(x, more)
            R.output(y, z)
        with R.dataflow():
            b = R.broadcast_to(R.const([0.5], "float32"), R.shape([16]))
            y4 = R.reshape(R.add(y, b), R.shape([n, 4, 4]))
            z4 = R.reshape(R.add(z, b), R.shape([n, 4, 4]))
            out = R.matmul(y4, z4)
            R.output(out)
        return out
# ---- expected
metadata = tvm.ir.load_json("""{
  \"root\": 1, 
  \"nodes\": [
    {\"type_key\": \"\"}, 
    {\"type_key\": \"Map\", \"keys\": [\"relax.expr.Constant\"], \"data\": [2]}, 
    {\"type_key\": \"Array\", \"data\": [3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15]}, 
    {\"type_key\": \"relax.expr.Constant\", \"attrs\": {\"data\": \"0\", \"span\": \"0\", \"struct_info_\": \"0\"}}, 
    {\"type_key\": \"relax.expr.Constant\", \"attrs\": {\"data\": \"1\", \"span\": \"0\", \"struct_info_\": \"0\"}}, 
    {\"type_key\": \"relax.expr.Constant\", \"attrs\": {\"data\": \"2\", \"span\": \"0\", \"struct_info_\": \"0\"}}, 
    {\"type_key\": \"relax.expr.Constant\", \"attrs\": {\"data\": \"3\", \"span\": \"0\", \"struct_info_\": \"0\"}}, 
    {\"type_key\": \"relax.expr.Constant\", \"attrs\": {\"data\": \"4\", \"span\": \"0\", \"struct_info_\": \"0\"}}, 
    {\"type_key\": \"relax.expr.Constant\", \"attrs\": {\"data\": \"5\", \"span\": \"0\", \"struct_info_\": \"0\"}}, 
    {\"type_key\": \"relax.expr.Constant\", \"attrs\": {\"data\": \"6\", \"span\": \"0\", \"struct_info_\": \"0\"}}, 
    {\"type_key\": \"relax.expr.Constant\", \"attrs\": {\"data\": \"7\", \"span\": \"0\", \"struct_info_\": \"0\"}}, 
    {\"type_key\": \"relax.expr.Constant\", \"attrs\": {\"data\": \"8\", \"span\": \"0\", \"struct_info_\": \"0\"}}, 
    {\"type_key\": \"relax.expr.Constant\", \"attrs\": {\"data\": \"9\", \"span\": \"0\", \"struct_info_\": \"0\"}}, 
    {\"type_key\": \"relax.expr.Constant\", \"attrs\": {\"data\": \"10\", \"span\": \"0\", \"struct_info_\": \"0\"}}, 
    {\"type_key\": \"relax.expr.Constant\", \"attrs\": {\"data\": \"11\", \"span\": \"0\", \"struct_info_\": \"0\"}}, 
    {\"type_key\": \"relax.expr.Constant\", \"attrs\": {\"data\": \"12\", \"span\": \"0\", \"struct_info_\": \"0\"}}
  ], 
  \"b64ndarrays\": [
    \"P6G0lvBAXt0AAAAAAAAAAAEAAAAAAAAABAAAAAIgAQADAAAAAAAAAAEAAAAAAAAAAwAAAAAAAAAQAAAAAAAAAEACAAAAAAAAAACAPwAAgD8AAIA/AACAPwAAgD8AAIA/AACAPwAAgD8AAIA/AACAPwAAgD8AAIA/AACAPwAAgD8AAIA/AACAPwAAAEAAAABAAAAAQAAAAEAAAABAAAAAQAAAAEAAAABAAAAAQAAAAEAAAABAAAAAQAAAAEAAAABAAAAAQAAAAEAAAEBAAABAQAAAQEAAAEBAAABAQAAAQEAAAEBAAABAQAAAQEAAAEBAAABAQAAAQEAAAEBAAABAQAAAQEAAAEBAAACAQAAAgEAAAIBAAACAQAAAgEAAAIBAAACAQAAAgEAAAIBAAACAQAAAgEAAAIBAAACAQAAAgEAAAIBAAACAQAAAoEAAAKBAAACgQAAAoEAAAKBAAACgQAAAoEAAAKBAAACgQAAAoEAAAKBAAACgQAAAoEAAAKBAAACgQAAAoEAAAMBAAADAQAAAwEAAAMBAAADAQAAAwEAAAMBAAADAQAAAwEAAAMBAAADAQAAAwEAAAMBAAADAQAAAwEAAAMBAAADgQAAA4EAAAOBAAADgQAAA4EAAAOBAAADgQAAA4EAAAOBAAADgQAAA4EAAAOBAAADgQAAA4EAAAOBAAADgQAAAAEEAAABBAAAAQQAAAEEAAABBAAAAQQAAAEEAAABBAAAAQQAAAEEAAABBAAAAQQAAAEEAAABBAAAAQQAAAEEAABBBAAAQQQAAEEEAABBBAAAQQQAAEEEAABBBAAAQQQAAEEEAABBBAAAQQQAAEEEAABBBAAAQQQAAEEEAABBB\", 
    \"P6G0lvBAXt0AAAAAAAAAAAEAAAAAAAAABAAAAAIgAQADAAAAAAAAAAEAAAAAAAAAAQAAAAAAAAAQAAAAAAAAAMAAAAAAAAAAAAAAPwAAAD8AAAA/AAAAPwAAAD8AAAA/AAAAPwAAAD8AAAA/AAAAPwAAAD8AAAA/AAAAPwAAAD8AAAA/AAAAPwAAgD4AAIA+AACAPgAAgD4AAIA+AACAPgAAgD4AAIA+AACAPgAAgD4AAIA+AACAPgAAgD4AAIA+AACAPgAAgD4AAAA+AAAAPgAAAD4AAAA+AAAAPgAAAD4AAAA+AAAAPgAAAD4AAAA+AAAAPgAAAD4AAAA+AAAAPgAAAD4AAAA+\", 
    \"P6G0lvBAXt0AAAAAAAAAAAEAAAAAAAAAAgAAAAIgAQADAAAAAAAAABAAAAAAAAAAwAAAAAAAAAAAAIA/AACAPwAAgD8AAIA/AACAPwAAgD8AAIA/AACAPwAAgD8AAIA/AACAPwAAgD8AAIA/AACAPwAAgD8AAIA/AAAAQAAAAEAAAABAAAAAQAAAAEAAAABAAAAAQAAAAEAAAABAAAAAQAAAAEAAAABAAAAAQAAAAEAAAABAAAAAQAAAQEAAAEBAAABAQAAAQEAAAEBAAABAQAAAQEAAAEBAAABAQAAAQEAAAEBAAABAQAAAQEAAAEBAAABAQAAAQEA=\", 
    \"P6G0lvBAXt0AAAAAAAAAAAEAAAAAAAAAAgAAAAIgAQADAAAAAAAAABAAAAAAAAAAwAAAAAAAAAAAAMA/AADAPwAAwD8AAMA/AADAPwAAwD8AAMA/AADAPwAAwD8AAMA/AADAPwAAwD8AAMA/AADAPwAAwD8AAMA/AAAgQAAAIEAAACBAAAAgQAAAIEAAACBAAAAgQAAAIEAAACBAAAAgQAAAIEAAACBAAAAgQAAAIEAAACBAAAAgQAAAYEAAAGBAAABgQAAAYEAAAGBAAABgQAAAYEAAAGBAAABgQAAAYEAAAGBAAABgQAAAYEAAAGBAAABgQAAAYEA=\", 
    \"P6G0lvBAXt0AAAAAAAAAAAEAAAAAAAAAAgAAAAIgAQADAAAAAAAAACAAAAAAAAAAgAEAAAAAAAAAAIA/AACAPwAAgD8AAIA/AACAPwAAgD8AAIA/AACAPwAAgD8AAIA/AACAPwAAgD8AAIA/AACAPwAAgD8AAIA/AACAPwAAgD8AAIA/AACAPwAAgD8AAIA/AACAPwAAgD8AAIA/AACAPwAAgD8AAIA/AACAPwAAgD8AAIA/AACAPwAAAEAAAABAAAAAQAAAAEAAAABAAAAAQAAAAEAAAABAAAAAQAAAAEAAAABAAAAAQAAAAEAAAABAAAAAQAAAAEAAAABAAAAAQAAAAEAAAABAAAAAQAAAAEAAAABAAAAAQAAAAEAAAABAAAAAQAAAAEAAAABAAAAAQAAAAEAAAABAAABAQAAAQEAAAEBAAABAQAAAQEAAAEBAAABAQAAAQEAAAEBAAABAQAAAQEAAAEBAAABAQAAAQEAAAEBAAABAQAAAQEAAAEBAAABAQAAAQEAAAEBAAABAQAAAQEAAAEBAAABAQAAAQEAAAEBAAABAQAAAQEAAAEBAAABAQAAAQEA=\", 
    \"P6G0lvBAXt0AAAAAAAAAAAEAAAAAAAAAAgAAAAIgAQADAAAAAAAAAAUAAAAAAAAAPAAAAAAAAAAAAIA/AACAPwAAgD8AAIA/AACAPwAAAEAAAABAAAAAQAAAAEAAAABAAABAQAAAQEAAAEBAAABAQAAAQEA=\", 
    \"P6G0lvBAXt0AAAAAAAAAAAEAAAAAAAAAAgAAAAIgAQADAAAAAAAAAAUAAAAAAAAAPAAAAAAAAAAAAABAAAAAQAAAAEAAAABAAAAAQAAAQEAAAEBAAABAQAAAQEAAAEBAAACAQAAAgEAAAIBAAACAQAAAgEA=\", 
    \"P6G0lvBAXt0AAAAAAAAAAAEAAAAAAAAAAgAAAAIgAQADAAAAAAAAABAAAAAAAAAAwAAAAAAAAAAAACBAAAAgQAAAIEAAACBAAAAgQAAAIEAAACBAAAAgQAAAIEAAACBAAAAgQAAAIEAAACBAAAAgQAAAIEAAACBAAABgQAAAYEAAAGBAAABgQAAAYEAAAGBAAABgQAAAYEAAAGBAAABgQAAAYEAAAGBAAABgQAAAYEAAAGBAAABgQAAAkEAAAJBAAACQQAAAkEAAAJBAAACQQAAAkEAAAJBAAACQQAAAkEAAAJBAAACQQAAAkEAAAJBAAACQQAAAkEA=\", 
    \"P6G0lvBAXt0AAAAAAAAAAAEAAAAAAAAAAgAAAAIgAQADAAAAAAAAABAAAAAAAAAAwAAAAAAAAAAAAGBAAABgQAAAYEAAAGBAAABgQAAAYEAAAGBAAABgQAAAYEAAAGBAAABgQAAAYEAAAGBAAABgQAAAYEAAAGBAAACQQAAAkEAAAJBAAACQQAAAkEAAAJBAAACQQAAAkEAAAJBAAACQQAAAkEAAAJBAAACQQAAAkEAAAJBAAACQQAAAsEAAALBAAACwQAAAsEAAALBAAACwQAAAsEAAALBAAACwQAAAsEAAALBAAACwQAAAsEAAALBAAACwQAAAsEA=\", 
    \"P6G0lvBAXt0AAAAAAAAAAAEAAAAAAAAAAwAAAAIgAQACAAAAAAAAAAMAAAAAAAAAEAAAAAAAAACAAQAAAAAAAAAAgD8AAIA/AACAPwAAgD8AAIA/AACAPwAAgD8AAIA/AACAPwAAgD8AAIA/AACAPwAAgD8AAIA/AACAPwAAgD8AAABAAAAAQAAAAEAAAABAAAAAQAAAAEAAAABAAAAAQAAAAEAAAABAAAAAQAAAAEAAAABAAAAAQAAAAEAAAABAAABAQAAAQEAAAEBAAABAQAAAQEAAAEBAAABAQAAAQEAAAEBAAABAQAAAQEAAAEBAAABAQAAAQEAAAEBAAABAQAAAgD8AAIA/AACAPwAAgD8AAIA/AACAPwAAgD8AAIA/AACAPwAAgD8AAIA/AACAPwAAgD8AAIA/AACAPwAAgD8AAABAAAAAQAAAAEAAAABAAAAAQAAAAEAAAABAAAAAQAAAAEAAAABAAAAAQAAAAEAAAABAAAAAQAAAAEAAAABAAABAQAAAQEAAAEBAAABAQAAAQEAAAEBAAABAQAAAQEAAAEBAAABAQAAAQEAAAEBAAABAQAAAQEAAAEBAAABAQA==\", 
    \"P6G0lvBAXt0AAAAAAAAAAAEAAAAAAAAAAwAAAAIgAQACAAAAAAAAAAEAAAAAAAAAEAAAAAAAAACAAAAAAAAAAAAAAD8AAAA/AAAAPwAAAD8AAAA/AAAAPwAAAD8AAAA/AAAAPwAAAD8AAAA/AAAAPwAAAD8AAAA/AAAAPwAAAD8AAAA/AAAAPwAAAD8AAAA/AAAAPwAAAD8AAAA/AAAAPwAAAD8AAAA/AAAAPwAAAD8AAAA/AAAAPwAAAD8AAAA/\", 
    \"P6G0lvBAXt0AAAAAAAAAAAEAAAAAAAAAAgAAAAIgAQADAAAAAAAAADAAAAAAAAAAQAIAAAAAAAAAAIA/AACAPwAAgD8AAIA/AACAPwAAgD8AAIA/AACAPwAAgD8AAIA/AACAPwAAgD8AAIA/AACAPwAAgD8AAIA/AACAPwAAgD8AAIA/AACAPwAAgD8AAIA/AACAPwAAgD8AAIA/AACAPwAAgD8AAIA/AACAPwAAgD8AAIA/AACAPwAAgD8AAIA/AACAPwAAgD8AAIA/AACAPwAAgD8AAIA/AACAPwAAgD8AAIA/AACAPwAAgD8AAIA/AACAPwAAgD8AAABAAAAAQAAAAEAAAABAAAAAQAAAAEAAAABAAAAAQAAAAEAAAABAAAAAQAAAAEAAAABAAAAAQAAAAEAAAABAAAAAQAAAAEAAAABAAAAAQAAAAEAAAABAAAAAQAAAAEAAAABAAAAAQAAAAEAAAABAAAAAQAAAAEAAAABAAAAAQAAAAEAAAABAAAAAQAAAAEAAAABAAAAAQAAAAEAAAABAAAAAQAAAAEAAAABAAAAAQAAAAEAAAABAAAAAQAAAAEAAAEBAAABAQAAAQEAAAEBAAABAQAAAQEAAAEBAAABAQAAAQEAAAEBAAABAQAAAQEAAAEBAAABAQAAAQEAAAEBAAABAQAAAQEAAAEBAAABAQAAAQEAAAEBAAABAQAAAQEAAAEBAAABAQAAAQEAAAEBAAABAQAAAQEAAAEBAAABAQAAAQEAAAEBAAABAQAAAQEAAAEBAAABAQAAAQEAAAEBAAABAQAAAQEAAAEBAAABAQAAAQEAAAEBAAABAQAAAQEA=\", 
    \"P6G0lvBAXt0AAAAAAAAAAAEAAAAAAAAAAQAAAAIgAQAQAAAAAAAAAEAAAAAAAAAAAAAAPwAAAD8AAAA/AAAAPwAAAD8AAAA/AAAAPwAAAD8AAAA/AAAAPwAAAD8AAAA/AAAAPwAAAD8AAAA/AAAAPw==\"
  ], 
  \"attrs\": {\"tvm_version\": \"0.20.0\"}
}""")
# from tvm.script import ir as I
# from tvm.script import tir as T
# from tvm.script import relax as R

@I.ir_module
class Module:
    @R.function
    def main(x: R.Tensor((2, "n", 3), dtype="float32")) -> R.Tensor((2, "n", 4, 4), dtype="float32"):
        n = T.int64()
        with R.dataflow():
            joined: R.Tensor((3, 2, n, 16), dtype="float32") = R.matmul(x, metadata["relax.expr.Constant"][0], out_dtype="void")
            joined_1: R.Tensor((3, 2, n, 16), dtype="float32") = R.add(joined, metadata["relax.expr.Constant"][1])
            q: R.Tensor((2, n, 16), dtype="float32") = R.memory.view(joined_1, R.shape([2, n, 16]), R.tuple(), R.prim_value(0))
            q4: R.Tensor((2, n, 4, 4), dtype="float32") = R.reshape(q, R.shape([2, n, 4, 4]))
            k: R.Tensor((2, n, 16), dtype="float32") = R.memory.view(joined_1, R.shape([2, n, 16]), R.tuple(), R.prim_value(n * 128))
            k4: R.Tensor((2, n, 4, 4), dtype="float32") = R.reshape(k, R.shape([2, n, 4, 4]))
            v: R.Tensor((2, n, 16), dtype="float32") = R.memory.view(joined_1, R.shape([2, n, 16]), R.tuple(), R.prim_value(n * 256))
            v4: R.Tensor((2, n, 4, 4), dtype="float32") = R.reshape(v, R.shape([2, n, 4, 4]))
            y: R.Tensor((2, n, 4, 4), dtype="float32") = R.nn.attention(q4, k4, v4, scale=None, causal_mask=None, window_size=None)
            R.output(y)
        return y

    @R.function
    def apart(x: R.Tensor(("n", 3), dtype="float32")) -> R.Tuple(R.Tensor(("n", 16), dtype="float32"), R.Tensor(("n", 4, 8), dtype="float32"), R.Tensor(("n", 5, 1), dtype="float32"), R.Tensor(("n", 5, 1), dtype="float32"), R.Tensor(("n", 16), dtype="float32")):
        n = T.int64()
        with R.dataflow():
            lv: R.Tensor((n, 16), dtype="float32") = R.matmul(x, metadata["relax.expr.Constant"][2], out_dtype="void")
            a: R.Tensor((n, 4, 4), dtype="float32") = R.reshape(lv, R.shape([n, 4, 4]))
            lv_1: R.Tensor((n, 16), dtype="float32") = R.matmul(x, metadata["relax.expr.Constant"][3], out_dtype="void")
            active: R.Tensor((n, 16), dtype="float32") = R.nn.relu(lv_1)
            lv_2: R.Tensor((n, 32), dtype="float32") = R.matmul(x, metadata["relax.expr.Constant"][4], out_dtype="void")
            b: R.Tensor((n, 4, 8), dtype="float32") = R.reshape(lv_2, R.shape([n, 4, 8]))
            lv_3: R.Tensor((n, 5), dtype="float32") = R.matmul(x, metadata["relax.expr.Constant"][5], out_dtype="void")
            o: R.Tensor((n, 5, 1), dtype="float32") = R.reshape(lv_3, R.shape([n, 5, 1]))
            lv_4: R.Tensor((n, 5), dtype="float32") = R.matmul(x, metadata["relax.expr.Constant"][6], out_dtype="void")
            p: R.Tensor((n, 5, 1), dtype="float32") = R.reshape(lv_4, R.shape([n, 5, 1]))
            c: R.Tensor((n, 4, 8), dtype="float32") = R.matmul(a, b, out_dtype="void")
            lv_5: R.Tensor((n, 16), dtype="float32") = R.matmul(x, metadata["relax.expr.Constant"][7], out_dtype="void")
            d: R.Tensor((n, 4, 4), dtype="float32") = R.reshape(lv_5, R.shape([n, 4, 4]))
            e: R.Tensor((n, 4, 8), dtype="float32") = R.matmul(d, c, out_dtype="void")
            out: R.Tensor((n, 16), dtype="float32") = R.matmul(x, metadata["relax.expr.Constant"][8], out_dtype="void")
            R.output(active, o, p, e, out)
        return (active, e, o, p, out)

    @R.function
    def columns(x: R.Tensor(("n", 3), dtype="float32")) -> R.Tensor(("n", 4, 4), dtype="float32"):
        n = T.int64()
        with R.dataflow():
            joined: R.Tensor((2, n, 16), dtype="float32") = R.matmul(x, metadata["relax.expr.Constant"][9], out_dtype="void")
            joined_1: R.Tensor((2, n, 16), dtype="float32") = R.add(joined, metadata["relax.expr.Constant"][10])
            lv: R.Tensor((n, 16), dtype="float32") = R.memory.view(joined_1, R.shape([n, 16]), R.tuple(), R.prim_value(0))
            last: R.Tensor((n, 4, 4), dtype="float32") = R.reshape(lv, R.shape([n, 4, 4]))
            lv_1: R.Tensor((n, 16), dtype="float32") = R.memory.view(joined_1, R.shape([n, 16]), R.tuple(), R.prim_value(n * 64))
            first: R.Tensor((n, 4, 4), dtype="float32") = R.reshape(lv_1, R.shape([n, 4, 4]))
            out: R.Tensor((n, 4, 4), dtype="float32") = R.matmul(last, first, out_dtype="void")
            R.output(out)
        return out

    @R.function
    def uneven(x: R.Tensor(("n", 3), dtype="float32")) -> R.Tensor(("n", 4, 8), dtype="float32"):
        n = T.int64()
        with R.dataflow():
            y: R.Tensor((n, 48), dtype="float32") = R.matmul(x, metadata["relax.expr.Constant"][11], out_dtype="void")
            lv: R.Tensor((n, 16), dtype="float32") = R.strided_slice(y, (R.prim_value(1),), (R.prim_value(0),), (R.prim_value(16),), assume_inbound=False)
            few: R.Tensor((n, 4, 4), dtype="float32") = R.reshape(lv, R.shape([n, 4, 4]))
            lv_1: R.Tensor((n, 32), dtype="float32") = R.strided_slice(y, (R.prim_value(1),), (R.prim_value(16),), (R.prim_value(48),), assume_inbound=False)
            many: R.Tensor((n, 4, 8), dtype="float32") = R.reshape(lv_1, R.shape([n, 4, 8]))
            out: R.Tensor((n, 4, 8), dtype="float32") = R.matmul(few, many, out_dtype="void")
            R.output(out)
        return out

    @R.function
    def blocks(x: R.Tensor(("n", 3), dtype="float32")) -> R.Tensor(("n", 4, 4), dtype="float32"):
        n = T.int64()
        with R.dataflow():
            y: R.Tensor((n, 16), dtype="float32") = R.matmul(x, metadata["relax.expr.Constant"][2], out_dtype="void")
            z: R.Tensor((n, 16), dtype="float32") = R.matmul(x, metadata["relax.expr.Constant"][3], out_dtype="void")
            R.output(y, z)
        with R.dataflow():
            lv: R.Tensor((n, 16), dtype="float32") = R.add(y, metadata["relax.expr.Constant"][12])
            y4: R.Tensor((n, 4, 4), dtype="float32") = R.reshape(lv, R.shape([n, 4, 4]))
            lv_1: R.Tensor((n, 16), dtype="float32") = R.add(z, metadata["relax.expr.Constant"][12])
            z4: R.Tensor((n, 4, 4), dtype="float32") = R.reshape(lv_1, R.shape([n, 4, 4]))
            out: R.Tensor((n, 4, 4), dtype="float32") = R.matmul(y4, z4, out_dtype="void")
            R.output(out)
        return out
