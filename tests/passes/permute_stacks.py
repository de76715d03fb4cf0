# ==== experts
# Matrices of a constant stack, each transposed after it was taken.
from tvm.script import ir as I
from tvm.script import relax as R


@I.ir_module
class Module:
    @R.function
    def main(x: R.Tensor(("m", 2), "float32"), i: R.Tensor((), "int64"), many: R.Tensor((3,), "int64")):
        with R.dataflow():
            w = R.take(R.const([[[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]], [[7.0, 8.0], [9.0, 10.0], [11.0, 12.0]]], "float32"), i, axis=0)
            t = R.permute_dims(w, axes=[1, 0])
            v = R.take(R.const([[[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]], [[7.0, 8.0], [9.0, 10.0], [11.0, 12.0]]], "float32"), i, axis=1)
            u = R.permute_dims(v)
            several = R.permute_dims(R.take(R.const([[1.0, 2.0], [3.0, 4.0]], "float32"), many, axis=0))
            y = (R.matmul(x, t), R.matmul(x, u), several)
            R.output(y)
        return y
# ---- expected
metadata = tvm.ir.load_json("""{
  \"root\": 1, 
  \"nodes\": [
    {\"type_key\": \"\"}, 
    {\"type_key\": \"Map\", \"keys\": [\"relax.expr.Constant\"], \"data\": [2]}, 
    {\"type_key\": \"Array\", \"data\": [3, 4, 5]}, 
    {\"type_key\": \"relax.expr.Constant\", \"attrs\": {\"data\": \"0\", \"span\": \"0\", \"struct_info_\": \"0\"}}, 
    {\"type_key\": \"relax.expr.Constant\", \"attrs\": {\"data\": \"1\", \"span\": \"0\", \"struct_info_\": \"0\"}}, 
    {\"type_key\": \"relax.expr.Constant\", \"attrs\": {\"data\": \"2\", \"span\": \"0\", \"struct_info_\": \"0\"}}
  ], 
  \"b64ndarrays\": [
    \"P6G0lvBAXt0AAAAAAAAAAAEAAAAAAAAAAwAAAAIgAQACAAAAAAAAAAMAAAAAAAAAAgAAAAAAAAAwAAAAAAAAAAAAgD8AAABAAABAQAAAgEAAAKBAAADAQAAA4EAAAABBAAAQQQAAIEEAADBBAABAQQ==\", 
    \"P6G0lvBAXt0AAAAAAAAAAAEAAAAAAAAAAwAAAAIgAQACAAAAAAAAAAMAAAAAAAAAAgAAAAAAAAAwAAAAAAAAAAAAgD8AAABAAABAQAAAgEAAAKBAAADAQAAA4EAAAABBAAAQQQAAIEEAADBBAABAQQ==\", 
    \"P6G0lvBAXt0AAAAAAAAAAAEAAAAAAAAAAgAAAAIgAQACAAAAAAAAAAIAAAAAAAAAEAAAAAAAAAAAAIA/AAAAQAAAQEAAAIBA\"
  ], 
  \"attrs\": {\"tvm_version\": \"0.20.0\"}
}""")
# from tvm.script import ir as I
# from tvm.script import tir as T
# from tvm.script import relax as R

@I.ir_module
class Module:
    @R.function
    def main(x: R.Tensor(("m", 2), dtype="float32"), i: R.Tensor((), dtype="int64"), many: R.Tensor((3,), dtype="int64")) -> R.Tuple(R.Tensor(("m", 3), dtype="float32"), R.Tensor(("m", 2), dtype="float32"), R.Tensor((2, 3), dtype="float32")):
        m = T.int64()
        with R.dataflow():
            w: R.Tensor((3, 2), dtype="float32") = R.take(metadata["relax.expr.Constant"][0], i, axis=0, mode="fast")
            stack: R.Tensor((2, 2, 3), dtype="float32") = R.permute_dims(metadata["relax.expr.Constant"][0], axes=[0, 2, 1])
            t: R.Tensor((2, 3), dtype="float32") = R.take(stack, i, axis=0, mode="fast")
            v: R.Tensor((2, 2), dtype="float32") = R.take(metadata["relax.expr.Constant"][1], i, axis=1, mode="fast")
            stack_1: R.Tensor((3, 2, 2), dtype="float32") = R.permute_dims(metadata["relax.expr.Constant"][1], axes=[1, 2, 0])
            u: R.Tensor((2, 2), dtype="float32") = R.take(stack_1, i, axis=0, mode="fast")
            lv: R.Tensor((3, 2), dtype="float32") = R.take(metadata["relax.expr.Constant"][2], many, axis=0, mode="fast")
            several: R.Tensor((2, 3), dtype="float32") = R.permute_dims(lv, axes=None)
            lv_1: R.Tensor((m, 3), dtype="float32") = R.matmul(x, t, out_dtype="void")
            lv_2: R.Tensor((m, 2), dtype="float32") = R.matmul(x, u, out_dtype="void")
            y: R.Tuple(R.Tensor((m, 3), dtype="float32"), R.Tensor((m, 2), dtype="float32"), R.Tensor((2, 3), dtype="float32")) = (lv_1, lv_2, several)
            R.output(y)
        return y
