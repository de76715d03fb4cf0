# ==== bytes
# A function of one number of 8 bits becomes a look-up: through other 8-bit numbers and by every way
# from the number to the result. Not with a second tensor, with a vector among the constants, where
# something else reads what is between, or for a few operators.
from tvm.script import ir as I
from tvm.script import relax as R


@I.ir_module
class Module:
    @R.function
    def hard_swish(x: R.Tensor(("n", 4), "uint8")):
        with R.dataflow():
            d = R.dequantize(x, R.const(0.05, "float32"), R.const(110, "uint8"))
            a = R.clip(R.add(R.divide(d, R.const(6.0, "float32")), R.const(0.5, "float32")), 0, 1)
            q = R.quantize(a, R.const(0.004, "float32"), R.const(0, "uint8"), out_dtype="uint8")
            h = R.multiply(d, R.dequantize(q, R.const(0.004, "float32"), R.const(0, "uint8")))
            y = R.quantize(h, R.const(0.03, "float32"), R.const(12, "uint8"), out_dtype="uint8")
            R.output(y)
        return y

    @R.function
    def spelled_out(x: R.Tensor((2, 3), "int8")):
        with R.dataflow():
            d = R.multiply(R.astype(R.add(R.astype(x, "int32"), R.const(9, "int32")), "float32"), R.const(0.1, "float32"))
            e = R.multiply(R.sigmoid(d), R.const([[2.0]], "float32"))
            y = R.astype(R.round(R.multiply(e, d)), "int8")
            R.output(y)
        return y

    @R.function
    def two_tensors(x: R.Tensor((8,), "uint8"), z: R.Tensor((8,), "float32")):
        with R.dataflow():
            d = R.sin(R.exp(R.astype(x, "float32")))
            y = R.astype(R.cos(R.round(R.multiply(d, z))), "uint8")
            R.output(y)
        return y

    @R.function
    def vector(x: R.Tensor((8,), "uint8")):
        with R.dataflow():
            d = R.sin(R.exp(R.astype(x, "float32")))
            s = R.multiply(d, R.const([1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0, 8.0], "float32"))
            y = R.astype(R.cos(R.round(s)), "uint8")
            R.output(y)
        return y

    @R.function
    def read_elsewhere(x: R.Tensor((8,), "uint8")):
        with R.dataflow():
            d = R.sin(R.exp(R.astype(x, "float32")))
            y = R.astype(R.cos(R.round(R.negative(d))), "uint8")
            R.output(d, y)
        return (d, y)

    @R.function
    def few(x: R.Tensor((8,), "uint8")):
        with R.dataflow():
            y = R.astype(R.round(R.exp(R.astype(x, "float32"))), "uint8")
            R.output(y)
        return y
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
    \"P6G0lvBAXt0AAAAAAAAAAAEAAAAAAAAAAQAAAAEIAQAAAQAAAAAAAAABAAAAAAAAAAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8gISIjJCUmJygpKissLS4vMDEyMzQ1Njc4OTo7PD0+P0BBQkNERUZHSElKS0xNTk9QUVJTVFVWV1hZWltcXV5fYGFiY2RlZmdoaWprbG1ub3BxcnN0dXZ3eHl6e3x9fn+AgYKDhIWGh4iJiouMjY6PkJGSk5SVlpeYmZqbnJ2en6ChoqOkpaanqKmqq6ytrq+wsbKztLW2t7i5uru8vb6/wMHCw8TFxsfIycrLzM3Oz9DR0tPU1dbX2Nna29zd3t/g4eLj5OXm5+jp6uvs7e7v8PHy8/T19vf4+fr7/P3+/w==\", 
    \"P6G0lvBAXt0AAAAAAAAAAAEAAAAAAAAAAgAAAAIgAQABAAAAAAAAAAEAAAAAAAAABAAAAAAAAAAAAABA\", 
    \"P6G0lvBAXt0AAAAAAAAAAAEAAAAAAAAAAQAAAAAIAQAAAQAAAAAAAAABAAAAAAAAAAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8gISIjJCUmJygpKissLS4vMDEyMzQ1Njc4OTo7PD0+P0BBQkNERUZHSElKS0xNTk9QUVJTVFVWV1hZWltcXV5fYGFiY2RlZmdoaWprbG1ub3BxcnN0dXZ3eHl6e3x9fn+AgYKDhIWGh4iJiouMjY6PkJGSk5SVlpeYmZqbnJ2en6ChoqOkpaanqKmqq6ytrq+wsbKztLW2t7i5uru8vb6/wMHCw8TFxsfIycrLzM3Oz9DR0tPU1dbX2Nna29zd3t/g4eLj5OXm5+jp6uvs7e7v8PHy8/T19vf4+fr7/P3+/w==\", 
    \"P6G0lvBAXt0AAAAAAAAAAAEAAAAAAAAAAQAAAAIgAQAIAAAAAAAAACAAAAAAAAAAAACAPwAAAEAAAEBAAACAQAAAoEAAAMBAAADgQAAAAEE=\"
  ], 
  \"attrs\": {\"tvm_version\": \"0.20.0\"}
}""")
# from tvm.script import ir as I
# from tvm.script import tir as T
# from tvm.script import relax as R

@I.ir_module
class Module:
    @R.function
    def hard_swish(x: R.Tensor(("n", 4), dtype="uint8")) -> R.Tensor(("n", 4), dtype="uint8"):
        n = T.int64()
        with R.dataflow():
            d: R.Tensor((n, 4), dtype="float32") = R.dequantize(x, R.const(0.05000000074505806, "float32"), R.const(110, "uint8"), axis=-1, out_dtype="float32")
            lv: R.Tensor((n, 4), dtype="float32") = R.divide(d, R.const(6.0, "float32"))
            lv_1: R.Tensor((n, 4), dtype="float32") = R.add(lv, R.const(0.5, "float32"))
            a: R.Tensor((n, 4), dtype="float32") = R.clip(lv_1, R.prim_value(0), R.prim_value(1))
            q: R.Tensor((n, 4), dtype="uint8") = R.quantize(a, R.const(0.004000000189989805, "float32"), R.const(0, "uint8"), axis=-1, out_dtype="uint8")
            lv_2: R.Tensor((n, 4), dtype="float32") = R.dequantize(q, R.const(0.004000000189989805, "float32"), R.const(0, "uint8"), axis=-1, out_dtype="float32")
            h: R.Tensor((n, 4), dtype="float32") = R.multiply(d, lv_2)
            d_1: R.Tensor((256,), dtype="float32") = R.dequantize(metadata["relax.expr.Constant"][0], R.const(0.05000000074505806, "float32"), R.const(110, "uint8"), axis=-1, out_dtype="float32")
            lv_3: R.Tensor((256,), dtype="float32") = R.divide(d_1, R.const(6.0, "float32"))
            lv_4: R.Tensor((256,), dtype="float32") = R.add(lv_3, R.const(0.5, "float32"))
            a_1: R.Tensor((256,), dtype="float32") = R.clip(lv_4, R.prim_value(0), R.prim_value(1))
            q_1: R.Tensor((256,), dtype="uint8") = R.quantize(a_1, R.const(0.004000000189989805, "float32"), R.const(0, "uint8"), axis=-1, out_dtype="uint8")
            lv_5: R.Tensor((256,), dtype="float32") = R.dequantize(q_1, R.const(0.004000000189989805, "float32"), R.const(0, "uint8"), axis=-1, out_dtype="float32")
            h_1: R.Tensor((256,), dtype="float32") = R.multiply(d_1, lv_5)
            y: R.Tensor((256,), dtype="uint8") = R.quantize(h_1, R.const(0.029999999329447746, "float32"), R.const(12, "uint8"), axis=-1, out_dtype="uint8")
            y_1: R.Tensor((n, 4), dtype="uint8") = R.lookup(x, y)
            R.output(y_1)
        return y_1

    @R.function
    def spelled_out(x: R.Tensor((2, 3), dtype="int8")) -> R.Tensor((2, 3), dtype="int8"):
        with R.dataflow():
            lv: R.Tensor((2, 3), dtype="int32") = R.astype(x, dtype="int32")
            lv_1: R.Tensor((2, 3), dtype="int32") = R.add(lv, R.const(9, "int32"))
            lv_2: R.Tensor((2, 3), dtype="float32") = R.astype(lv_1, dtype="float32")
            d: R.Tensor((2, 3), dtype="float32") = R.multiply(lv_2, R.const(0.10000000149011612, "float32"))
            lv_3: R.Tensor((2, 3), dtype="float32") = R.sigmoid(d)
            e: R.Tensor((2, 3), dtype="float32") = R.multiply(lv_3, metadata["relax.expr.Constant"][1])
            lv_4: R.Tensor((2, 3), dtype="float32") = R.multiply(e, d)
            lv_5: R.Tensor((2, 3), dtype="float32") = R.round(lv_4)
            lv_6: R.Tensor((256,), dtype="int32") = R.astype(metadata["relax.expr.Constant"][2], dtype="int32")
            lv_7: R.Tensor((256,), dtype="int32") = R.add(lv_6, R.const(9, "int32"))
            lv_8: R.Tensor((256,), dtype="float32") = R.astype(lv_7, dtype="float32")
            d_1: R.Tensor((256,), dtype="float32") = R.multiply(lv_8, R.const(0.10000000149011612, "float32"))
            lv_9: R.Tensor((256,), dtype="float32") = R.sigmoid(d_1)
            e_1: R.Tensor((1, 256), dtype="float32") = R.multiply(lv_9, metadata["relax.expr.Constant"][1])
            lv_10: R.Tensor((1, 256), dtype="float32") = R.multiply(e_1, d_1)
            lv_11: R.Tensor((1, 256), dtype="float32") = R.round(lv_10)
            y: R.Tensor((1, 256), dtype="int8") = R.astype(lv_11, dtype="int8")
            table: R.Tensor((256,), dtype="int8") = R.reshape(y, R.shape([256]))
            y_1: R.Tensor((2, 3), dtype="int8") = R.lookup(x, table)
            R.output(y_1)
        return y_1

    @R.function
    def two_tensors(x: R.Tensor((8,), dtype="uint8"), z: R.Tensor((8,), dtype="float32")) -> R.Tensor((8,), dtype="uint8"):
        with R.dataflow():
            lv: R.Tensor((8,), dtype="float32") = R.astype(x, dtype="float32")
            lv_1: R.Tensor((8,), dtype="float32") = R.exp(lv)
            d: R.Tensor((8,), dtype="float32") = R.sin(lv_1)
            lv_2: R.Tensor((8,), dtype="float32") = R.multiply(d, z)
            lv_3: R.Tensor((8,), dtype="float32") = R.round(lv_2)
            lv_4: R.Tensor((8,), dtype="float32") = R.cos(lv_3)
            y: R.Tensor((8,), dtype="uint8") = R.astype(lv_4, dtype="uint8")
            R.output(y)
        return y

    @R.function
    def vector(x: R.Tensor((8,), dtype="uint8")) -> R.Tensor((8,), dtype="uint8"):
        with R.dataflow():
            lv: R.Tensor((8,), dtype="float32") = R.astype(x, dtype="float32")
            lv_1: R.Tensor((8,), dtype="float32") = R.exp(lv)
            d: R.Tensor((8,), dtype="float32") = R.sin(lv_1)
            s: R.Tensor((8,), dtype="float32") = R.multiply(d, metadata["relax.expr.Constant"][3])
            lv_2: R.Tensor((8,), dtype="float32") = R.round(s)
            lv_3: R.Tensor((8,), dtype="float32") = R.cos(lv_2)
            y: R.Tensor((8,), dtype="uint8") = R.astype(lv_3, dtype="uint8")
            R.output(y)
        return y

    @R.function
    def read_elsewhere(x: R.Tensor((8,), dtype="uint8")) -> R.Tuple(R.Tensor((8,), dtype="float32"), R.Tensor((8,), dtype="uint8")):
        with R.dataflow():
            lv: R.Tensor((8,), dtype="float32") = R.astype(x, dtype="float32")
            lv_1: R.Tensor((8,), dtype="float32") = R.exp(lv)
            d: R.Tensor((8,), dtype="float32") = R.sin(lv_1)
            lv_2: R.Tensor((8,), dtype="float32") = R.negative(d)
            lv_3: R.Tensor((8,), dtype="float32") = R.round(lv_2)
            lv_4: R.Tensor((8,), dtype="float32") = R.cos(lv_3)
            y: R.Tensor((8,), dtype="uint8") = R.astype(lv_4, dtype="uint8")
            R.output(d, y)
        return (d, y)

    @R.function
    def few(x: R.Tensor((8,), dtype="uint8")) -> R.Tensor((8,), dtype="uint8"):
        with R.dataflow():
            lv: R.Tensor((8,), dtype="float32") = R.astype(x, dtype="float32")
            lv_1: R.Tensor((8,), dtype="float32") = R.exp(lv)
            lv_2: R.Tensor((8,), dtype="float32") = R.round(lv_1)
            y: R.Tensor((8,), dtype="uint8") = R.astype(lv_2, dtype="uint8")
            R.output(y)
        return y
