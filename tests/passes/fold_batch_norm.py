# ==== chains_and_other_readers
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
    \"P6G0lvBAXt0AAAAAAAAAAAEAAAAAAAAABAAAAAIgAQACAAAAAAAAAAIAAAAAAAAAAQAAAAAAAAABAAAAAAAAABAAAAAAAAAAAACAPwAAAEAAAEBAAACAQA==\", 
    \"P6G0lvBAXt0AAAAAAAAAAAEAAAAAAAAAAwAAAAIgAQACAAAAAAAAAAEAAAAAAAAAAQAAAAAAAAAIAAAAAAAAAAAAgD8AAABA\", 
    \"P6G0lvBAXt0AAAAAAAAAAAEAAAAAAAAABAAAAAIgAQABAAAAAAAAAAIAAAAAAAAAAQAAAAAAAAABAAAAAAAAAAgAAAAAAAAAAAAAQAAAgEA=\", 
    \"P6G0lvBAXt0AAAAAAAAAAAEAAAAAAAAAAQAAAAIgAQABAAAAAAAAAAQAAAAAAAAAAABAQA==\", 
    \"P6G0lvBAXt0AAAAAAAAAAAEAAAAAAAAAAQAAAAIgAQAEAAAAAAAAABAAAAAAAAAAAACAPwAAAEAAAEBAAACAQA==\"
  ], 
  \"attrs\": {\"tvm_version\": \"0.20.0\"}
}""")
# from tvm.script import ir as I
# from tvm.script import tir as T
# from tvm.script import relax as R

@I.ir_module
class Module:
    @R.function
    def main(x: R.Tensor(("n", 2, 4, 4), dtype="float32")) -> R.Tuple(R.Tensor(("n", 2, 4, 4), dtype="float32"), R.Tensor(("n", 2, 4, 4), dtype="float32")):
        n = T.int64()
        with R.dataflow():
            a: R.Tensor((n, 2, 4, 4), dtype="float32") = R.nn.conv2d(x, metadata["relax.expr.Constant"][0], strides=[1, 1], padding=[0, 0, 0, 0], dilation=[1, 1], groups=1, data_layout="NCHW", kernel_layout="OIHW", out_layout=None, out_dtype="void")
            c: R.Tensor((n, 2, 4, 4), dtype="float32") = R.subtract(a, metadata["relax.expr.Constant"][1])
            d: R.Tensor((n, 2, 4, 4), dtype="float32") = R.divide(c, metadata["relax.expr.Constant"][2])
            e: R.Tensor((n, 2, 4, 4), dtype="float32") = R.multiply(metadata["relax.expr.Constant"][3], d)
            f: R.Tensor((n, 2, 4, 4), dtype="float32") = R.add(e, metadata["relax.expr.Constant"][4])
            g: R.Tensor((n, 2, 4, 4), dtype="float32") = R.nn.conv2d(e, metadata["relax.expr.Constant"][0], strides=[1, 1], padding=[0, 0, 0, 0], dilation=[1, 1], groups=1, data_layout="NCHW", kernel_layout="OIHW", out_layout=None, out_dtype="void")
            h: R.Tensor((n, 2, 4, 4), dtype="float32") = R.multiply(g, metadata["relax.expr.Constant"][2])
            i: R.Tensor((n, 2, 4, 4), dtype="float32") = R.nn.conv2d(h, metadata["relax.expr.Constant"][0], strides=[1, 1], padding=[0, 0, 0, 0], dilation=[1, 1], groups=1, data_layout="NCHW", kernel_layout="OIHW", out_layout=None, out_dtype="void")
            j: R.Tensor((n, 2, 4, 4), dtype="float32") = R.multiply(i, metadata["relax.expr.Constant"][2])
            k: R.Tensor((n, 2, 4, 4), dtype="float32") = R.add(i, j)
            R.output(f, k)
        return (f, k)

# ---- expected
metadata = tvm.ir.load_json("""{
  \"root\": 1, 
  \"nodes\": [
    {\"type_key\": \"\"}, 
    {\"type_key\": \"Map\", \"keys\": [\"relax.expr.Constant\"], \"data\": [2]}, 
    {\"type_key\": \"Array\", \"data\": [3, 4, 5, 6, 7, 8, 9]}, 
    {\"type_key\": \"relax.expr.Constant\", \"attrs\": {\"data\": \"0\", \"span\": \"0\", \"struct_info_\": \"0\"}}, 
    {\"type_key\": \"relax.expr.Constant\", \"attrs\": {\"data\": \"1\", \"span\": \"0\", \"struct_info_\": \"0\"}}, 
    {\"type_key\": \"relax.expr.Constant\", \"attrs\": {\"data\": \"2\", \"span\": \"0\", \"struct_info_\": \"0\"}}, 
    {\"type_key\": \"relax.expr.Constant\", \"attrs\": {\"data\": \"3\", \"span\": \"0\", \"struct_info_\": \"0\"}}, 
    {\"type_key\": \"relax.expr.Constant\", \"attrs\": {\"data\": \"4\", \"span\": \"0\", \"struct_info_\": \"0\"}}, 
    {\"type_key\": \"relax.expr.Constant\", \"attrs\": {\"data\": \"5\", \"span\": \"0\", \"struct_info_\": \"0\"}}, 
    {\"type_key\": \"relax.expr.Constant\", \"attrs\": {\"data\": \"6\", \"span\": \"0\", \"struct_info_\": \"0\"}}
  ], 
  \"b64ndarrays\": [
    \"P6G0lvBAXt0AAAAAAAAAAAEAAAAAAAAABAAAAAIgAQACAAAAAAAAAAIAAAAAAAAAAQAAAAAAAAABAAAAAAAAABAAAAAAAAAAAACAPwAAAEAAAEBAAACAQA==\", 
    \"P6G0lvBAXt0AAAAAAAAAAAEAAAAAAAAABAAAAAIgAQACAAAAAAAAAAIAAAAAAAAAAQAAAAAAAAABAAAAAAAAABAAAAAAAAAAAADAPwAAQEAAABBAAABAQA==\", 
    \"P6G0lvBAXt0AAAAAAAAAAAEAAAAAAAAABAAAAAIgAQABAAAAAAAAAAIAAAAAAAAAAQAAAAAAAAABAAAAAAAAAAgAAAAAAAAAAADAvwAAwL8=\", 
    \"P6G0lvBAXt0AAAAAAAAAAAEAAAAAAAAAAQAAAAIgAQAEAAAAAAAAABAAAAAAAAAAAACAPwAAAEAAAEBAAACAQA==\", 
    \"P6G0lvBAXt0AAAAAAAAAAAEAAAAAAAAABAAAAAIgAQACAAAAAAAAAAIAAAAAAAAAAQAAAAAAAAABAAAAAAAAABAAAAAAAAAAAAAAQAAAgEAAAEBBAACAQQ==\", 
    \"P6G0lvBAXt0AAAAAAAAAAAEAAAAAAAAABAAAAAIgAQABAAAAAAAAAAIAAAAAAAAAAQAAAAAAAAABAAAAAAAAAAgAAAAAAAAAAAAAAAAAAAA=\", 
    \"P6G0lvBAXt0AAAAAAAAAAAEAAAAAAAAABAAAAAIgAQABAAAAAAAAAAIAAAAAAAAAAQAAAAAAAAABAAAAAAAAAAgAAAAAAAAAAAAAQAAAgEA=\"
  ], 
  \"attrs\": {\"tvm_version\": \"0.20.0\"}
}""")
# from tvm.script import ir as I
# from tvm.script import tir as T
# from tvm.script import relax as R

@I.ir_module
class Module:
    @R.function
    def main(x: R.Tensor(("n", 2, 4, 4), dtype="float32")) -> R.Tuple(R.Tensor(("n", 2, 4, 4), dtype="float32"), R.Tensor(("n", 2, 4, 4), dtype="float32")):
        n = T.int64()
        with R.dataflow():
            a: R.Tensor((n, 2, 4, 4), dtype="float32") = R.nn.conv2d(x, metadata["relax.expr.Constant"][0], strides=[1, 1], padding=[0, 0, 0, 0], dilation=[1, 1], groups=1, data_layout="NCHW", kernel_layout="OIHW", out_layout=None, out_dtype="void")
            a_1: R.Tensor((n, 2, 4, 4), dtype="float32") = R.nn.conv2d(x, metadata["relax.expr.Constant"][1], strides=[1, 1], padding=[0, 0, 0, 0], dilation=[1, 1], groups=1, data_layout="NCHW", kernel_layout="OIHW", out_layout=None, out_dtype="void")
            c: R.Tensor((n, 2, 4, 4), dtype="float32") = R.add(a_1, metadata["relax.expr.Constant"][2])
            f: R.Tensor((n, 2, 4, 4), dtype="float32") = R.add(c, metadata["relax.expr.Constant"][3])
            g: R.Tensor((n, 2, 4, 4), dtype="float32") = R.nn.conv2d(c, metadata["relax.expr.Constant"][0], strides=[1, 1], padding=[0, 0, 0, 0], dilation=[1, 1], groups=1, data_layout="NCHW", kernel_layout="OIHW", out_layout=None, out_dtype="void")
            g_1: R.Tensor((n, 2, 4, 4), dtype="float32") = R.nn.conv2d(c, metadata["relax.expr.Constant"][4], strides=[1, 1], padding=[0, 0, 0, 0], dilation=[1, 1], groups=1, data_layout="NCHW", kernel_layout="OIHW", out_layout=None, out_dtype="void")
            h: R.Tensor((n, 2, 4, 4), dtype="float32") = R.add(g_1, metadata["relax.expr.Constant"][5])
            i: R.Tensor((n, 2, 4, 4), dtype="float32") = R.nn.conv2d(h, metadata["relax.expr.Constant"][0], strides=[1, 1], padding=[0, 0, 0, 0], dilation=[1, 1], groups=1, data_layout="NCHW", kernel_layout="OIHW", out_layout=None, out_dtype="void")
            j: R.Tensor((n, 2, 4, 4), dtype="float32") = R.multiply(i, metadata["relax.expr.Constant"][6])
            k: R.Tensor((n, 2, 4, 4), dtype="float32") = R.add(i, j)
            R.output(f, k)
        return (f, k)

# ==== norm_after_bias
metadata = tvm.ir.load_json("""{
  \"root\": 1, 
  \"nodes\": [
    {\"type_key\": \"\"}, 
    {\"type_key\": \"Map\", \"keys\": [\"relax.expr.Constant\"], \"data\": [2]}, 
    {\"type_key\": \"Array\", \"data\": [3, 4, 5, 6, 7, 8]}, 
    {\"type_key\": \"relax.expr.Constant\", \"attrs\": {\"data\": \"0\", \"span\": \"0\", \"struct_info_\": \"0\"}}, 
    {\"type_key\": \"relax.expr.Constant\", \"attrs\": {\"data\": \"1\", \"span\": \"0\", \"struct_info_\": \"0\"}}, 
    {\"type_key\": \"relax.expr.Constant\", \"attrs\": {\"data\": \"2\", \"span\": \"0\", \"struct_info_\": \"0\"}}, 
    {\"type_key\": \"relax.expr.Constant\", \"attrs\": {\"data\": \"3\", \"span\": \"0\", \"struct_info_\": \"0\"}}, 
    {\"type_key\": \"relax.expr.Constant\", \"attrs\": {\"data\": \"4\", \"span\": \"0\", \"struct_info_\": \"0\"}}, 
    {\"type_key\": \"relax.expr.Constant\", \"attrs\": {\"data\": \"5\", \"span\": \"0\", \"struct_info_\": \"0\"}}
  ], 
  \"b64ndarrays\": [
    \"P6G0lvBAXt0AAAAAAAAAAAEAAAAAAAAABAAAAAIgAQACAAAAAAAAAAIAAAAAAAAAAQAAAAAAAAABAAAAAAAAABAAAAAAAAAAAACAPwAAAEAAAEBAAACAQA==\", 
    \"P6G0lvBAXt0AAAAAAAAAAAEAAAAAAAAABAAAAAIgAQABAAAAAAAAAAIAAAAAAAAAAQAAAAAAAAABAAAAAAAAAAgAAAAAAAAAAACAPwAAAEA=\", 
    \"P6G0lvBAXt0AAAAAAAAAAAEAAAAAAAAAAQAAAAIgAQACAAAAAAAAAAgAAAAAAAAAAAAAQAAAQEA=\", 
    \"P6G0lvBAXt0AAAAAAAAAAAEAAAAAAAAAAQAAAAIgAQACAAAAAAAAAAgAAAAAAAAAAAAgQQAAoEE=\", 
    \"P6G0lvBAXt0AAAAAAAAAAAEAAAAAAAAAAQAAAAIgAQACAAAAAAAAAAgAAAAAAAAAAACAPwAAgEA=\", 
    \"P6G0lvBAXt0AAAAAAAAAAAEAAAAAAAAAAQAAAAIgAQACAAAAAAAAAAgAAAAAAAAAAACAQAAAEEE=\"
  ], 
  \"attrs\": {\"tvm_version\": \"0.20.0\"}
}""")
# from tvm.script import ir as I
# from tvm.script import tir as T
# from tvm.script import relax as R

@I.ir_module
class Module:
    @R.function
    def main(x: R.Tensor(("n", 2, 4, 4), dtype="float32")) -> R.Tensor(("n", 2, 4, 4), dtype="float32"):
        n = T.int64()
        with R.dataflow():
            a: R.Tensor((n, 2, 4, 4), dtype="float32") = R.nn.conv2d(x, metadata["relax.expr.Constant"][0], strides=[1, 1], padding=[0, 0, 0, 0], dilation=[1, 1], groups=1, data_layout="NCHW", kernel_layout="OIHW", out_layout=None, out_dtype="void")
            c: R.Tensor((n, 2, 4, 4), dtype="float32") = R.add(a, metadata["relax.expr.Constant"][1])
            d: R.Tuple(R.Tensor((n, 2, 4, 4), dtype="float32"), R.Tensor((2,), dtype="float32"), R.Tensor((2,), dtype="float32")) = R.nn.batch_norm(c, metadata["relax.expr.Constant"][2], metadata["relax.expr.Constant"][3], metadata["relax.expr.Constant"][4], metadata["relax.expr.Constant"][5], axis=1, epsilon=0.0, center=True, scale=True, momentum=0.1, training=False)
            e: R.Tensor((n, 2, 4, 4), dtype="float32") = d[0]
            y: R.Tensor((n, 2, 4, 4), dtype="float32") = R.nn.relu(e)
            R.output(y)
        return y

# ---- expected
metadata = tvm.ir.load_json("""{
  \"root\": 1, 
  \"nodes\": [
    {\"type_key\": \"\"}, 
    {\"type_key\": \"Map\", \"keys\": [\"relax.expr.Constant\"], \"data\": [2]}, 
    {\"type_key\": \"Array\", \"data\": [3, 4, 5, 6, 7, 8]}, 
    {\"type_key\": \"relax.expr.Constant\", \"attrs\": {\"data\": \"0\", \"span\": \"0\", \"struct_info_\": \"0\"}}, 
    {\"type_key\": \"relax.expr.Constant\", \"attrs\": {\"data\": \"1\", \"span\": \"0\", \"struct_info_\": \"0\"}}, 
    {\"type_key\": \"relax.expr.Constant\", \"attrs\": {\"data\": \"2\", \"span\": \"0\", \"struct_info_\": \"0\"}}, 
    {\"type_key\": \"relax.expr.Constant\", \"attrs\": {\"data\": \"3\", \"span\": \"0\", \"struct_info_\": \"0\"}}, 
    {\"type_key\": \"relax.expr.Constant\", \"attrs\": {\"data\": \"4\", \"span\": \"0\", \"struct_info_\": \"0\"}}, 
    {\"type_key\": \"relax.expr.Constant\", \"attrs\": {\"data\": \"5\", \"span\": \"0\", \"struct_info_\": \"0\"}}
  ], 
  \"b64ndarrays\": [
    \"P6G0lvBAXt0AAAAAAAAAAAEAAAAAAAAABAAAAAIgAQACAAAAAAAAAAIAAAAAAAAAAQAAAAAAAAABAAAAAAAAABAAAAAAAAAAAACAPwAAAEAAAEBAAACAQA==\", 
    \"P6G0lvBAXt0AAAAAAAAAAAEAAAAAAAAABAAAAAIgAQABAAAAAAAAAAIAAAAAAAAAAQAAAAAAAAABAAAAAAAAAAgAAAAAAAAAAACAPwAAAEA=\", 
    \"P6G0lvBAXt0AAAAAAAAAAAEAAAAAAAAABAAAAAIgAQACAAAAAAAAAAIAAAAAAAAAAQAAAAAAAAABAAAAAAAAABAAAAAAAAAAAACAPwAAAEAAAEBAAACAQA==\", 
    \"P6G0lvBAXt0AAAAAAAAAAAEAAAAAAAAABAAAAAIgAQABAAAAAAAAAAIAAAAAAAAAAQAAAAAAAAABAAAAAAAAAAgAAAAAAAAAAAAgQQAAkEE=\", 
    \"P6G0lvBAXt0AAAAAAAAAAAEAAAAAAAAAAQAAAAIgAQACAAAAAAAAAAgAAAAAAAAAAACAPwAAgEA=\", 
    \"P6G0lvBAXt0AAAAAAAAAAAEAAAAAAAAAAQAAAAIgAQACAAAAAAAAAAgAAAAAAAAAAACAQAAAEEE=\"
  ], 
  \"attrs\": {\"tvm_version\": \"0.20.0\"}
}""")
# from tvm.script import ir as I
# from tvm.script import tir as T
# from tvm.script import relax as R

@I.ir_module
class Module:
    @R.function
    def main(x: R.Tensor(("n", 2, 4, 4), dtype="float32")) -> R.Tensor(("n", 2, 4, 4), dtype="float32"):
        n = T.int64()
        with R.dataflow():
            a: R.Tensor((n, 2, 4, 4), dtype="float32") = R.nn.conv2d(x, metadata["relax.expr.Constant"][0], strides=[1, 1], padding=[0, 0, 0, 0], dilation=[1, 1], groups=1, data_layout="NCHW", kernel_layout="OIHW", out_layout=None, out_dtype="void")
            c: R.Tensor((n, 2, 4, 4), dtype="float32") = R.add(a, metadata["relax.expr.Constant"][1])
            a_1: R.Tensor((n, 2, 4, 4), dtype="float32") = R.nn.conv2d(x, metadata["relax.expr.Constant"][2], strides=[1, 1], padding=[0, 0, 0, 0], dilation=[1, 1], groups=1, data_layout="NCHW", kernel_layout="OIHW", out_layout=None, out_dtype="void")
            d: R.Tensor((n, 2, 4, 4), dtype="float32") = R.add(a_1, metadata["relax.expr.Constant"][3])
            d_1: R.Tuple(R.Tensor((n, 2, 4, 4), dtype="float32"), R.Tensor((2,), dtype="float32"), R.Tensor((2,), dtype="float32")) = (d, metadata["relax.expr.Constant"][4], metadata["relax.expr.Constant"][5])
            y: R.Tensor((n, 2, 4, 4), dtype="float32") = R.nn.relu(d)
            R.output(y)
        return y

# ==== norm_of_any_value
# Without a convolution in front it is one product and one sum. A scale that overflows, and a norm by its own mean, stay.
@I.ir_module
class Module:
    @R.function
    def main(x: R.Tensor(("n", 2, 4), "float32"), m: R.Tensor((4,), "float32")):
        n = T.int64()
        with R.dataflow():
            g = R.const([1.0, 4.0], "float32")
            b = R.const([5.0, 6.0], "float32")
            u = R.const([0.0, 2.0], "float32")
            v = R.const([4.0, 1.0], "float32")
            z = R.const([0.0, 1.0], "float32")
            w = R.const([1.0, 2.0, 3.0, 4.0], "float32")
            r = R.nn.relu(x)
            t = R.nn.batch_norm(r, g, b, u, v, axis=1, epsilon=0.0)
            y = t[0]
            s = R.nn.batch_norm(y, w, w, w, w, axis=-1, epsilon=0.0, center=False, scale=False)
            k = R.nn.batch_norm(y, g, b, u, z, axis=1, epsilon=0.0)
            l = R.nn.batch_norm(y, w, w, m, w, axis=2, epsilon=0.0)
            o = (y, t[1], s[0], k[0], l[0])
            R.output(o)
        return o
# ---- expected
metadata = tvm.ir.load_json("""{
  \"root\": 1, 
  \"nodes\": [
    {\"type_key\": \"\"}, 
    {\"type_key\": \"Map\", \"keys\": [\"relax.expr.Constant\"], \"data\": [2]}, 
    {\"type_key\": \"Array\", \"data\": [3, 4, 5, 6, 7, 8, 9, 10, 11, 12]}, 
    {\"type_key\": \"relax.expr.Constant\", \"attrs\": {\"data\": \"0\", \"span\": \"0\", \"struct_info_\": \"0\"}}, 
    {\"type_key\": \"relax.expr.Constant\", \"attrs\": {\"data\": \"1\", \"span\": \"0\", \"struct_info_\": \"0\"}}, 
    {\"type_key\": \"relax.expr.Constant\", \"attrs\": {\"data\": \"2\", \"span\": \"0\", \"struct_info_\": \"0\"}}, 
    {\"type_key\": \"relax.expr.Constant\", \"attrs\": {\"data\": \"3\", \"span\": \"0\", \"struct_info_\": \"0\"}}, 
    {\"type_key\": \"relax.expr.Constant\", \"attrs\": {\"data\": \"4\", \"span\": \"0\", \"struct_info_\": \"0\"}}, 
    {\"type_key\": \"relax.expr.Constant\", \"attrs\": {\"data\": \"5\", \"span\": \"0\", \"struct_info_\": \"0\"}}, 
    {\"type_key\": \"relax.expr.Constant\", \"attrs\": {\"data\": \"6\", \"span\": \"0\", \"struct_info_\": \"0\"}}, 
    {\"type_key\": \"relax.expr.Constant\", \"attrs\": {\"data\": \"7\", \"span\": \"0\", \"struct_info_\": \"0\"}}, 
    {\"type_key\": \"relax.expr.Constant\", \"attrs\": {\"data\": \"8\", \"span\": \"0\", \"struct_info_\": \"0\"}}, 
    {\"type_key\": \"relax.expr.Constant\", \"attrs\": {\"data\": \"9\", \"span\": \"0\", \"struct_info_\": \"0\"}}
  ], 
  \"b64ndarrays\": [
    \"P6G0lvBAXt0AAAAAAAAAAAEAAAAAAAAAAwAAAAIgAQABAAAAAAAAAAIAAAAAAAAAAQAAAAAAAAAIAAAAAAAAAAAAAD8AAIBA\", 
    \"P6G0lvBAXt0AAAAAAAAAAAEAAAAAAAAAAwAAAAIgAQABAAAAAAAAAAIAAAAAAAAAAQAAAAAAAAAIAAAAAAAAAAAAoEAAAADA\", 
    \"P6G0lvBAXt0AAAAAAAAAAAEAAAAAAAAAAQAAAAIgAQACAAAAAAAAAAgAAAAAAAAAAAAAAAAAAEA=\", 
    \"P6G0lvBAXt0AAAAAAAAAAAEAAAAAAAAAAQAAAAIgAQACAAAAAAAAAAgAAAAAAAAAAACAQAAAgD8=\", 
    \"P6G0lvBAXt0AAAAAAAAAAAEAAAAAAAAAAwAAAAIgAQABAAAAAAAAAAEAAAAAAAAABAAAAAAAAAAQAAAAAAAAAAAAgD/zBDU/Os0TPwAAAD8=\", 
    \"P6G0lvBAXt0AAAAAAAAAAAEAAAAAAAAAAwAAAAIgAQABAAAAAAAAAAEAAAAAAAAABAAAAAAAAAAQAAAAAAAAAAAAgL/zBLW/17PdvwAAAMA=\", 
    \"P6G0lvBAXt0AAAAAAAAAAAEAAAAAAAAAAQAAAAIgAQAEAAAAAAAAABAAAAAAAAAAAACAPwAAAEAAAEBAAACAQA==\", 
    \"P6G0lvBAXt0AAAAAAAAAAAEAAAAAAAAAAQAAAAIgAQACAAAAAAAAAAgAAAAAAAAAAACAPwAAgEA=\", 
    \"P6G0lvBAXt0AAAAAAAAAAAEAAAAAAAAAAQAAAAIgAQACAAAAAAAAAAgAAAAAAAAAAACgQAAAwEA=\", 
    \"P6G0lvBAXt0AAAAAAAAAAAEAAAAAAAAAAQAAAAIgAQACAAAAAAAAAAgAAAAAAAAAAAAAAAAAgD8=\"
  ], 
  \"attrs\": {\"tvm_version\": \"0.20.0\"}
}""")
# from tvm.script import ir as I
# from tvm.script import tir as T
# from tvm.script import relax as R

@I.ir_module
class Module:
    @R.function
    def main(x: R.Tensor(("n", 2, 4), dtype="float32"), m: R.Tensor((4,), dtype="float32")) -> R.Tuple(R.Tensor(("n", 2, 4), dtype="float32"), R.Tensor((2,), dtype="float32"), R.Tensor(("n", 2, 4), dtype="float32"), R.Tensor(("n", 2, 4), dtype="float32"), R.Tensor(("n", 2, 4), dtype="float32")):
        n = T.int64()
        with R.dataflow():
            r: R.Tensor((n, 2, 4), dtype="float32") = R.nn.relu(x)
            t: R.Tensor((n, 2, 4), dtype="float32") = R.multiply(r, metadata["relax.expr.Constant"][0])
            t_1: R.Tensor((n, 2, 4), dtype="float32") = R.add(t, metadata["relax.expr.Constant"][1])
            t_2: R.Tuple(R.Tensor((n, 2, 4), dtype="float32"), R.Tensor((2,), dtype="float32"), R.Tensor((2,), dtype="float32")) = (t_1, metadata["relax.expr.Constant"][2], metadata["relax.expr.Constant"][3])
            s: R.Tensor((n, 2, 4), dtype="float32") = R.multiply(t_1, metadata["relax.expr.Constant"][4])
            s_1: R.Tensor((n, 2, 4), dtype="float32") = R.add(s, metadata["relax.expr.Constant"][5])
            s_2: R.Tuple(R.Tensor((n, 2, 4), dtype="float32"), R.Tensor((4,), dtype="float32"), R.Tensor((4,), dtype="float32")) = (s_1, metadata["relax.expr.Constant"][6], metadata["relax.expr.Constant"][6])
            k: R.Tuple(R.Tensor((n, 2, 4), dtype="float32"), R.Tensor((2,), dtype="float32"), R.Tensor((2,), dtype="float32")) = R.nn.batch_norm(t_1, metadata["relax.expr.Constant"][7], metadata["relax.expr.Constant"][8], metadata["relax.expr.Constant"][2], metadata["relax.expr.Constant"][9], axis=1, epsilon=0.0, center=True, scale=True, momentum=0.1, training=False)
            l: R.Tuple(R.Tensor((n, 2, 4), dtype="float32"), R.Tensor((4,), dtype="float32"), R.Tensor((4,), dtype="float32")) = R.nn.batch_norm(t_1, metadata["relax.expr.Constant"][6], metadata["relax.expr.Constant"][6], m, metadata["relax.expr.Constant"][6], axis=2, epsilon=0.0, center=True, scale=True, momentum=0.1, training=False)
            lv: R.Tensor((n, 2, 4), dtype="float32") = k[0]
            lv_1: R.Tensor((n, 2, 4), dtype="float32") = l[0]
            o: R.Tuple(R.Tensor((n, 2, 4), dtype="float32"), R.Tensor((2,), dtype="float32"), R.Tensor((n, 2, 4), dtype="float32"), R.Tensor((n, 2, 4), dtype="float32"), R.Tensor((n, 2, 4), dtype="float32")) = (t_1, metadata["relax.expr.Constant"][2], s_1, lv, lv_1)
            R.output(o)
        return o
