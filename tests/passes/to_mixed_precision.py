# ==== products
from tvm.script import ir as I
from tvm.script import relax as R
from tvm.script import tir as T


@I.ir_module
class Module:
    @R.function
    def main(x: R.Tensor(("n", 8), "float32"), w: R.Tensor((4, 8), "float32"), h: R.Tensor((8, 4), "float16"), i: R.Tensor((4, 4), "int32")):
        with R.dataflow():
            t = R.permute_dims(w)
            a = R.matmul(x, t)
            b = R.nn.softmax(a)
            wide = R.astype(h, "float32")
            c = R.matmul(x, wide)
            d = R.add(b, c)
            same = R.matmul(i, i)
            half = R.matmul(d, R.const([[1.5], [2], [0.1], [3]], "float32"), out_dtype="float32")
            R.output(d, same, half)
        return (d, same, half)

    @R.function
    def image(x: R.Tensor(("n", 3, 8, 8), "float32"), w: R.Tensor((4, 3, 3, 3), "float32"), q: R.Tensor((1, "s", 2, 8), "float32")):
        with R.dataflow():
            y = R.nn.relu(R.nn.conv2d(x, w, padding=1))
            z = R.nn.attention(q, q, q)
            R.output(y, z)
        return (y, z)
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
    \"P6G0lvBAXt0AAAAAAAAAAAEAAAAAAAAAAgAAAAIgAQAEAAAAAAAAAAEAAAAAAAAAEAAAAAAAAAAAAMA/AAAAQM3MzD0AAEBA\"
  ], 
  \"attrs\": {\"tvm_version\": \"0.20.0\"}
}""")
# from tvm.script import ir as I
# from tvm.script import tir as T
# from tvm.script import relax as R

@I.ir_module
class Module:
    @R.function
    def main(x: R.Tensor(("n", 8), dtype="float32"), w: R.Tensor((4, 8), dtype="float32"), h: R.Tensor((8, 4), dtype="float16"), i: R.Tensor((4, 4), dtype="int32")) -> R.Tuple(R.Tensor(("n", 4), dtype="float32"), R.Tensor((4, 4), dtype="int32"), R.Tensor(("n", 1), dtype="float32")):
        n = T.int64()
        with R.dataflow():
            t: R.Tensor((8, 4), dtype="float32") = R.permute_dims(w, axes=None)
            x_1: R.Tensor((n, 8), dtype="float16") = R.astype(x, dtype="float16")
            w_1: R.Tensor((4, 8), dtype="float16") = R.astype(w, dtype="float16")
            t_1: R.Tensor((8, 4), dtype="float16") = R.permute_dims(w_1, axes=None)
            a: R.Tensor((n, 4), dtype="float32") = R.matmul(x_1, t_1, out_dtype="float32")
            b: R.Tensor((n, 4), dtype="float32") = R.nn.softmax(a, axis=-1)
            wide: R.Tensor((8, 4), dtype="float32") = R.astype(h, dtype="float32")
            c: R.Tensor((n, 4), dtype="float32") = R.matmul(x_1, h, out_dtype="float32")
            d: R.Tensor((n, 4), dtype="float32") = R.add(b, c)
            same: R.Tensor((4, 4), dtype="int32") = R.matmul(i, i, out_dtype="void")
            d_1: R.Tensor((n, 4), dtype="float16") = R.astype(d, dtype="float16")
            narrow: R.Tensor((4, 1), dtype="float16") = R.astype(metadata["relax.expr.Constant"][0], dtype="float16")
            half: R.Tensor((n, 1), dtype="float32") = R.matmul(d_1, narrow, out_dtype="float32")
            R.output(d, same, half)
        return (d, same, half)

    @R.function
    def image(x: R.Tensor(("n", 3, 8, 8), dtype="float32"), w: R.Tensor((4, 3, 3, 3), dtype="float32"), q: R.Tensor((1, "s", 2, 8), dtype="float32")) -> R.Tuple(R.Tensor(("n", 4, 8, 8), dtype="float32"), R.Tensor((1, "s", 2, 8), dtype="float32")):
        n = T.int64()
        s = T.int64()
        with R.dataflow():
            x_1: R.Tensor((n, 3, 8, 8), dtype="float16") = R.astype(x, dtype="float16")
            w_1: R.Tensor((4, 3, 3, 3), dtype="float16") = R.astype(w, dtype="float16")
            lv: R.Tensor((n, 4, 8, 8), dtype="float32") = R.nn.conv2d(x_1, w_1, strides=[1, 1], padding=[1, 1, 1, 1], dilation=[1, 1], groups=1, data_layout="NCHW", kernel_layout="OIHW", out_layout=None, out_dtype="float32")
            y: R.Tensor((n, 4, 8, 8), dtype="float32") = R.nn.relu(lv)
            q_1: R.Tensor((1, s, 2, 8), dtype="float16") = R.astype(q, dtype="float16")
            z: R.Tensor((1, s, 2, 8), dtype="float16") = R.nn.attention(q_1, q_1, q_1, scale=None, causal_mask=None, window_size=None)
            z_1: R.Tensor((1, s, 2, 8), dtype="float32") = R.astype(z, dtype="float32")
            R.output(y, z_1)
        return (y, z_1)
