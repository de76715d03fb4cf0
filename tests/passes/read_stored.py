# ==== table
# Rows of a table are taken in its stored type, whatever spelling widens it; not if a step has
# a vector, or if the wide table is no wider.
from tvm.script import ir as I
from tvm.script import relax as R


@I.ir_module
class Module:
    @R.function
    def dequantized(i: R.Tensor(("n",), "int64")):
        t = R.const([[1, -2], [3, 4], [5, 127]], "int8")
        with R.dataflow():
            d = R.dequantize(t, R.const(0.5, "float32"), R.const(3, "int8"), axis=1)
            y = R.take(d, i, axis=0)
            R.output(y)
        return y

    @R.function
    def spelled_out(i: R.Tensor((), "int64")):
        t = R.const([[1, 2], [3, 4], [5, 255]], "uint8")
        with R.dataflow():
            c = R.subtract(R.astype(t, "int32"), R.astype(R.const(128, "uint8"), "int32"))
            d = R.multiply(R.astype(c, "float32"), R.const(0.25, "float32"))
            y = R.take(d, i, axis=1)
            R.output(y)
        return y

    @R.function
    def by_columns(i: R.Tensor(("n",), "int64")):
        t = R.const([[1, -2], [3, 4]], "int8")
        with R.dataflow():
            d = R.multiply(R.astype(t, "float32"), R.const([0.5, 2.0], "float32"))
            y = R.take(d, i, axis=0)
            R.output(y)
        return y

    @R.function
    def as_wide(i: R.Tensor(("n",), "int64")):
        t = R.const([1.0, 2.0], "float32")
        with R.dataflow():
            d = R.multiply(t, R.const(0.5, "float32"))
            y = R.take(d, i)
            R.output(y)
        return y
# ---- expected
metadata = tvm.ir.load_json("""{
  \"root\": 1, 
  \"nodes\": [
    {\"type_key\": \"\"}, 
    {\"type_key\": \"Map\", \"keys\": [\"relax.expr.Constant\"], \"data\": [2]}, 
    {\"type_key\": \"Array\", \"data\": [3, 4, 5, 6, 7]}, 
    {\"type_key\": \"relax.expr.Constant\", \"attrs\": {\"data\": \"0\", \"span\": \"0\", \"struct_info_\": \"0\"}}, 
    {\"type_key\": \"relax.expr.Constant\", \"attrs\": {\"data\": \"1\", \"span\": \"0\", \"struct_info_\": \"0\"}}, 
    {\"type_key\": \"relax.expr.Constant\", \"attrs\": {\"data\": \"2\", \"span\": \"0\", \"struct_info_\": \"0\"}}, 
    {\"type_key\": \"relax.expr.Constant\", \"attrs\": {\"data\": \"3\", \"span\": \"0\", \"struct_info_\": \"0\"}}, 
    {\"type_key\": \"relax.expr.Constant\", \"attrs\": {\"data\": \"4\", \"span\": \"0\", \"struct_info_\": \"0\"}}
  ], 
  \"b64ndarrays\": [
    \"P6G0lvBAXt0AAAAAAAAAAAEAAAAAAAAAAgAAAAAIAQADAAAAAAAAAAIAAAAAAAAABgAAAAAAAAAB/gMEBX8=\", 
    \"P6G0lvBAXt0AAAAAAAAAAAEAAAAAAAAAAgAAAAEIAQADAAAAAAAAAAIAAAAAAAAABgAAAAAAAAABAgMEBf8=\", 
    \"P6G0lvBAXt0AAAAAAAAAAAEAAAAAAAAAAgAAAAAIAQACAAAAAAAAAAIAAAAAAAAABAAAAAAAAAAB/gME\", 
    \"P6G0lvBAXt0AAAAAAAAAAAEAAAAAAAAAAQAAAAIgAQACAAAAAAAAAAgAAAAAAAAAAAAAPwAAAEA=\", 
    \"P6G0lvBAXt0AAAAAAAAAAAEAAAAAAAAAAQAAAAIgAQACAAAAAAAAAAgAAAAAAAAAAACAPwAAAEA=\"
  ], 
  \"attrs\": {\"tvm_version\": \"0.20.0\"}
}""")
# from tvm.script import ir as I
# from tvm.script import tir as T
# from tvm.script import relax as R

@I.ir_module
class Module:
    @R.function
    def dequantized(i: R.Tensor(("n",), dtype="int64")) -> R.Tensor(("n", 2), dtype="float32"):
        n = T.int64()
        with R.dataflow():
            d: R.Tensor((3, 2), dtype="float32") = R.dequantize(metadata["relax.expr.Constant"][0], R.const(0.5, "float32"), R.const(3, "int8"), axis=1, out_dtype="float32")
            y: R.Tensor((n, 2), dtype="int8") = R.take(metadata["relax.expr.Constant"][0], i, axis=0, mode="fast")
            y_1: R.Tensor((n, 2), dtype="float32") = R.dequantize(y, R.const(0.5, "float32"), R.const(3, "int8"), axis=-1, out_dtype="float32")
            R.output(y_1)
        return y_1

    @R.function
    def spelled_out(i: R.Tensor((), dtype="int64")) -> R.Tensor((3,), dtype="float32"):
        with R.dataflow():
            lv: R.Tensor((3, 2), dtype="int32") = R.astype(metadata["relax.expr.Constant"][1], dtype="int32")
            lv_1: R.Tensor((), dtype="int32") = R.astype(R.const(128, "uint8"), dtype="int32")
            c: R.Tensor((3, 2), dtype="int32") = R.subtract(lv, lv_1)
            lv_2: R.Tensor((3, 2), dtype="float32") = R.astype(c, dtype="float32")
            d: R.Tensor((3, 2), dtype="float32") = R.multiply(lv_2, R.const(0.25, "float32"))
            y: R.Tensor((3,), dtype="uint8") = R.take(metadata["relax.expr.Constant"][1], i, axis=1, mode="fast")
            y_1: R.Tensor((3,), dtype="int32") = R.astype(y, dtype="int32")
            y_2: R.Tensor((3,), dtype="int32") = R.subtract(y_1, lv_1)
            y_3: R.Tensor((3,), dtype="float32") = R.astype(y_2, dtype="float32")
            y_4: R.Tensor((3,), dtype="float32") = R.multiply(y_3, R.const(0.25, "float32"))
            R.output(y_4)
        return y_4

    @R.function
    def by_columns(i: R.Tensor(("n",), dtype="int64")) -> R.Tensor(("n", 2), dtype="float32"):
        n = T.int64()
        with R.dataflow():
            lv: R.Tensor((2, 2), dtype="float32") = R.astype(metadata["relax.expr.Constant"][2], dtype="float32")
            d: R.Tensor((2, 2), dtype="float32") = R.multiply(lv, metadata["relax.expr.Constant"][3])
            y: R.Tensor((n, 2), dtype="float32") = R.take(d, i, axis=0, mode="fast")
            R.output(y)
        return y

    @R.function
    def as_wide(i: R.Tensor(("n",), dtype="int64")) -> R.Tensor(("n",), dtype="float32"):
        n = T.int64()
        with R.dataflow():
            d: R.Tensor((2,), dtype="float32") = R.multiply(metadata["relax.expr.Constant"][4], R.const(0.5, "float32"))
            y: R.Tensor((n,), dtype="float32") = R.take(d, i, axis=None, mode="fast")
            R.output(y)
        return y
