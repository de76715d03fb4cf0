# ==== carried
# from tvm.script import ir as I
# from tvm.script import tir as T
# from tvm.script import relax as R

@I.ir_module
class Module:
    @R.function
    def joins(x: R.Tensor(("n", 2, "h", "w"), dtype="float32")):
        n, h, w = T.int64(), T.int64(), T.int64()
        with R.dataflow():
            a = R.nn.conv2d(x, R.const([[[[1.0]], [[2.0]]], [[[3.0]], [[4.0]]], [[[5.0]], [[6.0]]], [[[7.0]], [[8.0]]]], "float32"))
            b = R.concat((a, x, a), axis=1)
            parts = R.split(b, indices_or_sections=[4, 6], axis=-3)
            c = parts[1]
            d = R.strided_slice(b, [1, 3], [4, 0], [10, 9], [2, 1])
            e = R.nn.pad(d, pad_width=[0, 0, 1, 0, 2, 3, 0, 4])
            f = R.tile(c, repeats=[1, 2, 1, 3])
            g = R.image.resize2d(c, R.shape([7, 9]), layout="NCHW", method="nearest_neighbor")
            R.output(e, f, g)
        return (e, f, g)

    @R.function
    def along(x: R.Tensor(("n", 2, "h", "w"), dtype="float32"), v: R.Tensor((4,), dtype="float32"), row: R.Tensor(("w",), dtype="float32"), at: R.Tensor((), dtype="int64")):
        n, h, w = T.int64(), T.int64(), T.int64()
        with R.dataflow():
            a = R.nn.conv2d(x, R.const([[[[1.0]], [[2.0]]], [[[3.0]], [[4.0]]], [[[5.0]], [[6.0]]], [[[7.0]], [[8.0]]]], "float32"))
            b = R.nn.softmax(a, axis=1)
            c = R.nn.prelu(b, v, axis=1)
            t = R.nn.batch_norm(c, v, v, v, v, axis=1)
            d = t[0]
            e = R.nn.instance_norm(d, v, v, channel_axis=1, axes=[2, 3])
            f = R.nn.group_norm(e, v, v, num_groups=2, channel_axis=1, axes=[2, 3])
            g = R.add(f, row)
            s = R.where(R.less(g, R.const(0.0, "float32")), g, R.const(1.0, "float32"))
            p = R.take(s, at, axis=1)
            q = R.max(s, axis=[1, -1])
            r = R.nn.layer_norm(s, v, v, axes=[1])
            R.output(p, q, r)
        return (p, q, r)

    @R.function
    def shapes(x: R.Tensor(("n", 2, 6, "w"), dtype="float32"), m: R.Tensor((4, 4), dtype="float32")):
        n, w = T.int64(), T.int64()
        with R.dataflow():
            a = R.nn.conv2d(x, R.const([[[[1.0]], [[2.0]]], [[[3.0]], [[4.0]]], [[[5.0]], [[6.0]]], [[[7.0]], [[8.0]]]], "float32"))
            # channels shuffled
            b = R.reshape(a, R.shape([n, 2, 2, 6, w]))
            c = R.permute_dims(b, axes=[0, 2, 1, 3, 4])
            d = R.reshape(c, R.shape([n, 4, 6, w]))
            # pixels as rows of a product, and back
            e = R.reshape(d, R.shape([n, 4, 6 * w]))
            f = R.permute_dims(e, axes=[0, 2, 1])
            g = R.matmul(f, m)
            i = R.permute_dims(g, axes=[0, 2, 1])
            j = R.reshape(i, R.shape([n, 4, 6, w]))
            k = R.add(d, j)
            # non-adjacent dimensions are transposed
            y = R.reshape(k, R.shape([n, 24 * w]))
            R.output(y)
        return y

    @R.function
    def said(x: R.Tensor(("n", 2, "h", "w"), dtype="float32")):
        n, h, w = T.int64(), T.int64(), T.int64()
        with R.dataflow():
            a = R.nn.conv2d(x, R.const([[[[1.0]], [[2.0]]], [[[3.0]], [[4.0]]], [[[5.0]], [[6.0]]], [[[7.0]], [[8.0]]]], "float32"))
            b = R.match_cast(a, R.Tensor((n, 4, 8, w), dtype="float32"))
            c = R.broadcast_to(R.mean(b, axis=[2], keepdims=True), R.shape([n, 4, 5, w]))
            R.output(c)
        return c

    @R.function
    def groups(x: R.Tensor(("n", 2, "h", "w"), dtype="float32"), v: R.Tensor((4, 1, 1), dtype="float32")):
        n, h, w = T.int64(), T.int64(), T.int64()
        with R.dataflow():
            a = R.nn.conv2d(x, R.const([[[[1.0]], [[2.0]]], [[[3.0]], [[4.0]]], [[[5.0]], [[6.0]]], [[[7.0]], [[8.0]]]], "float32"))
            b = R.reshape(a, R.shape([n, 2, 2 * h * w]))
            c = R.subtract(b, R.mean(b, axis=[2], keepdims=True))
            d = R.divide(c, R.sqrt(R.add(R.variance(b, axis=[-1], keepdims=True), R.const(0.5, "float32"))))
            e = R.multiply(d, R.const([[[1.0], [2.0]]], "float32"))
            f = R.reshape(e, R.shape([n, 4, h, w]))
            g = R.multiply(f, v)
            q = R.max(b, axis=[2])
            # a network that transposes explicitly
            i = R.permute_dims(g, axes=[0, 2, 3, 1])
            j = R.matmul(i, R.const([[1.0, 2.0, 3.0, 4.0], [0.0, 1.0, 0.0, 1.0], [1.0, 0.0, 1.0, 0.0], [0.0, 0.0, 1.0, 1.0]], "float32"))
            k = R.permute_dims(j, axes=[0, 3, 1, 2])
            m = R.multiply(k, R.const([[[1.0]], [[2.0]], [[3.0]], [[4.0]]], "float32"))
            y = R.add(g, m)
            R.output(y, q)
        return (y, q)
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
    \"P6G0lvBAXt0AAAAAAAAAAAEAAAAAAAAABAAAAAIgAQABAAAAAAAAAAEAAAAAAAAAAgAAAAAAAAAEAAAAAAAAACAAAAAAAAAAAACAPwAAQEAAAKBAAADgQAAAAEAAAIBAAADAQAAAAEE=\", 
    \"P6G0lvBAXt0AAAAAAAAAAAEAAAAAAAAABAAAAAIgAQABAAAAAAAAAAEAAAAAAAAAAgAAAAAAAAAEAAAAAAAAACAAAAAAAAAAAACAPwAAQEAAAKBAAADgQAAAAEAAAIBAAADAQAAAAEE=\", 
    \"P6G0lvBAXt0AAAAAAAAAAAEAAAAAAAAABAAAAAIgAQABAAAAAAAAAAEAAAAAAAAAAgAAAAAAAAAEAAAAAAAAACAAAAAAAAAAAACAPwAAQEAAAKBAAADgQAAAAEAAAIBAAADAQAAAAEE=\", 
    \"P6G0lvBAXt0AAAAAAAAAAAEAAAAAAAAABAAAAAIgAQABAAAAAAAAAAEAAAAAAAAAAgAAAAAAAAAEAAAAAAAAACAAAAAAAAAAAACAPwAAQEAAAKBAAADgQAAAAEAAAIBAAADAQAAAAEE=\", 
    \"P6G0lvBAXt0AAAAAAAAAAAEAAAAAAAAABAAAAAIgAQABAAAAAAAAAAEAAAAAAAAAAgAAAAAAAAAEAAAAAAAAACAAAAAAAAAAAACAPwAAQEAAAKBAAADgQAAAAEAAAIBAAADAQAAAAEE=\", 
    \"P6G0lvBAXt0AAAAAAAAAAAEAAAAAAAAABQAAAAIgAQABAAAAAAAAAAEAAAAAAAAAAQAAAAAAAAACAAAAAAAAAAEAAAAAAAAACAAAAAAAAAAAAIA/AAAAQA==\", 
    \"P6G0lvBAXt0AAAAAAAAAAAEAAAAAAAAAAwAAAAIgAQABAAAAAAAAAAIAAAAAAAAAAQAAAAAAAAAIAAAAAAAAAAAAgD8AAABA\", 
    \"P6G0lvBAXt0AAAAAAAAAAAEAAAAAAAAAAgAAAAIgAQAEAAAAAAAAAAQAAAAAAAAAQAAAAAAAAAAAAIA/AAAAQAAAQEAAAIBAAAAAAAAAgD8AAAAAAACAPwAAgD8AAAAAAACAPwAAAAAAAAAAAAAAAAAAgD8AAIA/\", 
    \"P6G0lvBAXt0AAAAAAAAAAAEAAAAAAAAABAAAAAIgAQABAAAAAAAAAAEAAAAAAAAAAQAAAAAAAAAEAAAAAAAAABAAAAAAAAAAAACAPwAAAEAAAEBAAACAQA==\", 
    \"P6G0lvBAXt0AAAAAAAAAAAEAAAAAAAAAAwAAAAIgAQAEAAAAAAAAAAEAAAAAAAAAAQAAAAAAAAAQAAAAAAAAAAAAgD8AAABAAABAQAAAgEA=\"
  ], 
  \"attrs\": {\"tvm_version\": \"0.20.0\"}
}""")
# from tvm.script import ir as I
# from tvm.script import tir as T
# from tvm.script import relax as R

@I.ir_module
class Module:
    @R.function
    def joins(x: R.Tensor(("n", 2, "h", "w"), dtype="float32")) -> R.Tuple(R.Tensor(("n", 4, "h + 5", "T.min(w, 9) + 4"), dtype="float32"), R.Tensor(("n", 4, "h", "w * 3"), dtype="float32"), R.Tensor(("n", 2, 7, 9), dtype="float32")):
        n = T.int64()
        h = T.int64()
        w = T.int64()
        with R.dataflow():
            a: R.Tensor((n, h, w, 4), dtype="float32") = R.nn.conv2d(x, metadata["relax.expr.Constant"][0], strides=[1, 1], padding=[0, 0, 0, 0], dilation=[1, 1], groups=1, data_layout="NCHW", kernel_layout="HWIO", out_layout="NHWC", out_dtype="void")
            a_1: R.Tensor((n, 4, h, w), dtype="float32") = R.permute_dims(a, axes=[0, 3, 1, 2])
            lv: R.Tensor((n, h, w, 2), dtype="float32") = R.permute_dims(x, axes=[0, 2, 3, 1])
            b: R.Tensor((n, h, w, 10), dtype="float32") = R.concat((a, lv, a), axis=3)
            b_1: R.Tensor((n, 10, h, w), dtype="float32") = R.permute_dims(b, axes=[0, 3, 1, 2])
            parts: R.Tuple(R.Tensor((n, h, w, 4), dtype="float32"), R.Tensor((n, h, w, 2), dtype="float32"), R.Tensor((n, h, w, 4), dtype="float32")) = R.split(b, indices_or_sections=[4, 6], axis=3)
            parts_1: R.Tuple(R.Tensor((n, 4, h, w), dtype="float32"), R.Tensor((n, 2, h, w), dtype="float32"), R.Tensor((n, 4, h, w), dtype="float32")) = R.split(b_1, indices_or_sections=[4, 6], axis=-3)
            c: R.Tensor((n, h, w, 2), dtype="float32") = parts[1]
            c_1: R.Tensor((n, 2, h, w), dtype="float32") = R.permute_dims(c, axes=[0, 3, 1, 2])
            d: R.Tensor((n, h, T.min(w, 9), 3), dtype="float32") = R.strided_slice(b, (R.prim_value(3), R.prim_value(2)), (R.prim_value(4), R.prim_value(0)), (R.prim_value(10), R.prim_value(9)), (R.prim_value(2), R.prim_value(1)), assume_inbound=False)
            d_1: R.Tensor((n, 3, h, T.min(w, 9)), dtype="float32") = R.permute_dims(d, axes=[0, 3, 1, 2])
            e: R.Tensor((n, h + 5, T.min(w, 9) + 4, 4), dtype="float32") = R.nn.pad(d, pad_width=[0, 0, 2, 3, 0, 4, 1, 0], pad_mode="constant", pad_value=0.0)
            e_1: R.Tensor((n, 4, h + 5, T.min(w, 9) + 4), dtype="float32") = R.permute_dims(e, axes=[0, 3, 1, 2])
            f: R.Tensor((n, h, w * 3, 4), dtype="float32") = R.tile(c, repeats=[1, 1, 3, 2])
            f_1: R.Tensor((n, 4, h, w * 3), dtype="float32") = R.permute_dims(f, axes=[0, 3, 1, 2])
            g: R.Tensor((n, 7, 9, 2), dtype="float32") = R.image.resize2d(c, R.shape([7, 9]), roi=None, layout="NHWC", method="nearest_neighbor", coordinate_transformation_mode="half_pixel", rounding_method="round", cubic_alpha=-0.75, cubic_exclude=0, extrapolation_value=0.0, out_dtype="void")
            g_1: R.Tensor((n, 2, 7, 9), dtype="float32") = R.permute_dims(g, axes=[0, 3, 1, 2])
            R.output(e_1, f_1, g_1)
        return (e_1, f_1, g_1)

    @R.function
    def along(x: R.Tensor(("n", 2, "h", "w"), dtype="float32"), v: R.Tensor((4,), dtype="float32"), row: R.Tensor(("w",), dtype="float32"), at: R.Tensor((), dtype="int64")) -> R.Tuple(R.Tensor(("n", "h", "w"), dtype="float32"), R.Tensor(("n", "h"), dtype="float32"), R.Tensor(("n", 4, "h", "w"), dtype="float32")):
        n = T.int64()
        h = T.int64()
        w = T.int64()
        with R.dataflow():
            a: R.Tensor((n, h, w, 4), dtype="float32") = R.nn.conv2d(x, metadata["relax.expr.Constant"][1], strides=[1, 1], padding=[0, 0, 0, 0], dilation=[1, 1], groups=1, data_layout="NCHW", kernel_layout="HWIO", out_layout="NHWC", out_dtype="void")
            a_1: R.Tensor((n, 4, h, w), dtype="float32") = R.permute_dims(a, axes=[0, 3, 1, 2])
            b: R.Tensor((n, h, w, 4), dtype="float32") = R.nn.softmax(a, axis=3)
            b_1: R.Tensor((n, 4, h, w), dtype="float32") = R.permute_dims(b, axes=[0, 3, 1, 2])
            c: R.Tensor((n, h, w, 4), dtype="float32") = R.nn.prelu(b, v, axis=3)
            c_1: R.Tensor((n, 4, h, w), dtype="float32") = R.permute_dims(c, axes=[0, 3, 1, 2])
            t: R.Tuple(R.Tensor((n, h, w, 4), dtype="float32"), R.Tensor((4,), dtype="float32"), R.Tensor((4,), dtype="float32")) = R.nn.batch_norm(c, v, v, v, v, axis=3, epsilon=1.0e-05, center=True, scale=True, momentum=0.1, training=False)
            t_1: R.Tuple(R.Tensor((n, 4, h, w), dtype="float32"), R.Tensor((4,), dtype="float32"), R.Tensor((4,), dtype="float32")) = R.nn.batch_norm(c_1, v, v, v, v, axis=1, epsilon=1.0e-05, center=True, scale=True, momentum=0.1, training=False)
            d: R.Tensor((n, h, w, 4), dtype="float32") = t[0]
            d_1: R.Tensor((n, 4, h, w), dtype="float32") = R.permute_dims(d, axes=[0, 3, 1, 2])
            e: R.Tensor((n, h, w, 4), dtype="float32") = R.nn.instance_norm(d, v, v, channel_axis=3, axes=[1, 2], epsilon=1.0e-05, center=True, scale=True)
            e_1: R.Tensor((n, 4, h, w), dtype="float32") = R.permute_dims(e, axes=[0, 3, 1, 2])
            f: R.Tensor((n, h, w, 4), dtype="float32") = R.nn.group_norm(e, v, v, num_groups=2, channel_axis=3, axes=[1, 2], epsilon=1.0e-05, center=True, scale=True)
            f_1: R.Tensor((n, 4, h, w), dtype="float32") = R.permute_dims(f, axes=[0, 3, 1, 2])
            lv: R.Tensor((1, 1, 1, w), dtype="float32") = R.reshape(row, R.shape([1, 1, 1, w]))
            lv_1: R.Tensor((1, 1, w, 1), dtype="float32") = R.reshape(lv, R.shape([1, 1, w, 1]))
            g: R.Tensor((n, h, w, 4), dtype="float32") = R.add(f, lv_1)
            g_1: R.Tensor((n, 4, h, w), dtype="float32") = R.permute_dims(g, axes=[0, 3, 1, 2])
            lv_2: R.Tensor((n, h, w, 4), dtype="bool") = R.less(g, R.const(0.0, "float32"))
            lv_3: R.Tensor((n, 4, h, w), dtype="bool") = R.permute_dims(lv_2, axes=[0, 3, 1, 2])
            s: R.Tensor((n, h, w, 4), dtype="float32") = R.where(lv_2, g, R.const(1.0, "float32"))
            s_1: R.Tensor((n, 4, h, w), dtype="float32") = R.permute_dims(s, axes=[0, 3, 1, 2])
            p: R.Tensor((n, h, w), dtype="float32") = R.take(s, at, axis=3, mode="fast")
            q: R.Tensor((n, h), dtype="float32") = R.max(s, axis=[2, 3], keepdims=False)
            r: R.Tensor((n, h, w, 4), dtype="float32") = R.nn.layer_norm(s, v, v, axes=[3], epsilon=1.0e-05, center=True, scale=True)
            r_1: R.Tensor((n, 4, h, w), dtype="float32") = R.permute_dims(r, axes=[0, 3, 1, 2])
            R.output(p, q, r_1)
        return (p, q, r_1)

    @R.function
    def shapes(x: R.Tensor(("n", 2, 6, "w"), dtype="float32"), m: R.Tensor((4, 4), dtype="float32")) -> R.Tensor(("n", "w * 24"), dtype="float32"):
        n = T.int64()
        w = T.int64()
        with R.dataflow():
            a: R.Tensor((n, 6, w, 4), dtype="float32") = R.nn.conv2d(x, metadata["relax.expr.Constant"][2], strides=[1, 1], padding=[0, 0, 0, 0], dilation=[1, 1], groups=1, data_layout="NCHW", kernel_layout="HWIO", out_layout="NHWC", out_dtype="void")
            a_1: R.Tensor((n, 4, 6, w), dtype="float32") = R.permute_dims(a, axes=[0, 3, 1, 2])
            b: R.Tensor((n, 6, w, 2, 2), dtype="float32") = R.reshape(a, R.shape([n, 6, w, 2, 2]))
            b_1: R.Tensor((n, 2, 2, 6, w), dtype="float32") = R.permute_dims(b, axes=[0, 3, 4, 1, 2])
            c: R.Tensor((n, 2, 2, 6, w), dtype="float32") = R.permute_dims(b, axes=[0, 4, 3, 1, 2])
            lv: R.Tensor((n, 6, w, 2, 2), dtype="float32") = R.permute_dims(b, axes=[0, 1, 2, 4, 3])
            d: R.Tensor((n, 6, w, 4), dtype="float32") = R.reshape(lv, R.shape([n, 6, w, 4]))
            d_1: R.Tensor((n, 4, 6, w), dtype="float32") = R.permute_dims(d, axes=[0, 3, 1, 2])
            e: R.Tensor((n, w * 6, 4), dtype="float32") = R.reshape(d, R.shape([n, w * 6, 4]))
            e_1: R.Tensor((n, 4, w * 6), dtype="float32") = R.permute_dims(e, axes=[0, 2, 1])
            g: R.Tensor((n, w * 6, 4), dtype="float32") = R.matmul(e, m, out_dtype="void")
            i: R.Tensor((n, 4, w * 6), dtype="float32") = R.permute_dims(g, axes=[0, 2, 1])
            j: R.Tensor((n, 6, w, 4), dtype="float32") = R.reshape(g, R.shape([n, 6, w, 4]))
            j_1: R.Tensor((n, 4, 6, w), dtype="float32") = R.reshape(i, R.shape([n, 4, 6, w]))
            k: R.Tensor((n, 6, w, 4), dtype="float32") = R.add(d, j)
            k_1: R.Tensor((n, 4, 6, w), dtype="float32") = R.permute_dims(k, axes=[0, 3, 1, 2])
            y: R.Tensor((n, w * 24), dtype="float32") = R.reshape(k_1, R.shape([n, w * 24]))
            R.output(y)
        return y

    @R.function
    def said(x: R.Tensor(("n", 2, "h", "w"), dtype="float32")) -> R.Tensor(("n", 4, 5, "w"), dtype="float32"):
        n = T.int64()
        h = T.int64()
        w = T.int64()
        with R.dataflow():
            a: R.Tensor((n, h, w, 4), dtype="float32") = R.nn.conv2d(x, metadata["relax.expr.Constant"][3], strides=[1, 1], padding=[0, 0, 0, 0], dilation=[1, 1], groups=1, data_layout="NCHW", kernel_layout="HWIO", out_layout="NHWC", out_dtype="void")
            a_1: R.Tensor((n, 4, h, w), dtype="float32") = R.permute_dims(a, axes=[0, 3, 1, 2])
            b: R.Tensor((n, 8, w, 4), dtype="float32") = R.match_cast(a, R.Tensor((n, 8, w, 4), dtype="float32"))
            b_1: R.Tensor((n, 4, 8, w), dtype="float32") = R.permute_dims(b, axes=[0, 3, 1, 2])
            lv: R.Tensor((n, 1, w, 4), dtype="float32") = R.mean(b, axis=[1], keepdims=True)
            lv_1: R.Tensor((n, 4, 1, w), dtype="float32") = R.permute_dims(lv, axes=[0, 3, 1, 2])
            c: R.Tensor((n, 5, w, 4), dtype="float32") = R.broadcast_to(lv, R.shape([n, 5, w, 4]))
            c_1: R.Tensor((n, 4, 5, w), dtype="float32") = R.permute_dims(c, axes=[0, 3, 1, 2])
            R.output(c_1)
        return c_1

    @R.function
    def groups(x: R.Tensor(("n", 2, "h", "w"), dtype="float32"), v: R.Tensor((4, 1, 1), dtype="float32")) -> R.Tuple(R.Tensor(("n", 4, "h", "w"), dtype="float32"), R.Tensor(("n", 2), dtype="float32")):
        n = T.int64()
        h = T.int64()
        w = T.int64()
        with R.dataflow():
            a: R.Tensor((n, h, w, 4), dtype="float32") = R.nn.conv2d(x, metadata["relax.expr.Constant"][4], strides=[1, 1], padding=[0, 0, 0, 0], dilation=[1, 1], groups=1, data_layout="NCHW", kernel_layout="HWIO", out_layout="NHWC", out_dtype="void")
            a_1: R.Tensor((n, 4, h, w), dtype="float32") = R.permute_dims(a, axes=[0, 3, 1, 2])
            lv: R.Tensor((n, h, w, 2, 2), dtype="float32") = R.reshape(a, R.shape([n, h, w, 2, 2]))
            b: R.Tensor((n, 2, h * w * 2), dtype="float32") = R.reshape(a_1, R.shape([n, 2, h * w * 2]))
            lv_1: R.Tensor((n, 1, 1, 2, 2), dtype="float32") = R.mean(lv, axis=[1, 2], keepdims=True)
            lv_2: R.Tensor((n, 1, 1, 2, 1), dtype="float32") = R.mean(lv_1, axis=[1, 2, 4], keepdims=True)
            lv_3: R.Tensor((n, 2, 1), dtype="float32") = R.mean(b, axis=[2], keepdims=True)
            c: R.Tensor((n, h, w, 2, 2), dtype="float32") = R.subtract(lv, lv_2)
            c_1: R.Tensor((n, 2, h * w * 2), dtype="float32") = R.subtract(b, lv_3)
            lv_4: R.Tensor((n, 1, 1, 2, 2), dtype="float32") = R.mean(lv, axis=[1, 2], keepdims=True)
            lv_5: R.Tensor((n, 1, 1, 2, 1), dtype="float32") = R.mean(lv_4, axis=[1, 2, 4], keepdims=True)
            lv_6: R.Tensor((n, h, w, 2, 2), dtype="float32") = R.subtract(lv, lv_5)
            lv_7: R.Tensor((n, h, w, 2, 2), dtype="float32") = R.multiply(lv_6, lv_6)
            lv_8: R.Tensor((n, 1, 1, 2, 2), dtype="float32") = R.mean(lv_7, axis=[1, 2], keepdims=True)
            lv_9: R.Tensor((n, 1, 1, 2, 1), dtype="float32") = R.mean(lv_8, axis=[1, 2, 4], keepdims=True)
            lv_10: R.Tensor((n, 2, 1), dtype="float32") = R.variance(b, axis=[-1], keepdims=True)
            lv_11: R.Tensor((n, 1, 1, 2, 1), dtype="float32") = R.add(lv_9, R.const(0.5, "float32"))
            lv_12: R.Tensor((n, 2, 1), dtype="float32") = R.add(lv_10, R.const(0.5, "float32"))
            lv_13: R.Tensor((n, 1, 1, 2, 1), dtype="float32") = R.sqrt(lv_11)
            lv_14: R.Tensor((n, 2, 1), dtype="float32") = R.sqrt(lv_12)
            d: R.Tensor((n, h, w, 2, 2), dtype="float32") = R.divide(c, lv_13)
            d_1: R.Tensor((n, 2, h * w * 2), dtype="float32") = R.divide(c_1, lv_14)
            e: R.Tensor((n, h, w, 2, 2), dtype="float32") = R.multiply(d, metadata["relax.expr.Constant"][5])
            e_1: R.Tensor((n, 2, h * w * 2), dtype="float32") = R.multiply(d_1, metadata["relax.expr.Constant"][6])
            lv_15: R.Tensor((n, h, w, 4), dtype="float32") = R.reshape(e, R.shape([n, h, w, 4]))
            f: R.Tensor((n, 4, h, w), dtype="float32") = R.permute_dims(lv_15, axes=[0, 3, 1, 2])
            lv_16: R.Tensor((1, 4, 1, 1), dtype="float32") = R.reshape(v, R.shape([1, 4, 1, 1]))
            lv_17: R.Tensor((1, 1, 1, 4), dtype="float32") = R.reshape(lv_16, R.shape([1, 1, 1, 4]))
            g: R.Tensor((n, h, w, 4), dtype="float32") = R.multiply(lv_15, lv_17)
            g_1: R.Tensor((n, 4, h, w), dtype="float32") = R.permute_dims(g, axes=[0, 3, 1, 2])
            lv_18: R.Tensor((n, 1, 1, 2, 2), dtype="float32") = R.max(lv, axis=[1, 2], keepdims=True)
            lv_19: R.Tensor((n, 2), dtype="float32") = R.max(lv_18, axis=[1, 2, 4], keepdims=False)
            j: R.Tensor((n, h, w, 4), dtype="float32") = R.matmul(g, metadata["relax.expr.Constant"][7], out_dtype="void")
            k: R.Tensor((n, 4, h, w), dtype="float32") = R.permute_dims(j, axes=[0, 3, 1, 2])
            m: R.Tensor((n, h, w, 4), dtype="float32") = R.multiply(j, metadata["relax.expr.Constant"][8])
            m_1: R.Tensor((n, 4, h, w), dtype="float32") = R.multiply(k, metadata["relax.expr.Constant"][9])
            y: R.Tensor((n, h, w, 4), dtype="float32") = R.add(g, m)
            y_1: R.Tensor((n, 4, h, w), dtype="float32") = R.permute_dims(y, axes=[0, 3, 1, 2])
            R.output(lv_19, y_1)
        return (y_1, lv_19)

# ==== changes_cancel
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
    \"P6G0lvBAXt0AAAAAAAAAAAEAAAAAAAAABAAAAAIgAQAEAAAAAAAAAAUAAAAAAAAAAwAAAAAAAAADAAAAAAAAANACAAAAAAAAAAAAAAAAgD8AAABAAABAQAAAgEAAAKBAAADAQAAA4EAAAABBAAAQQQAAIEEAADBBAABAQQAAUEEAAGBBAABwQQAAgEEAAIhBAACQQQAAmEEAAKBBAACoQQAAsEEAALhBAADAQQAAyEEAANBBAADYQQAA4EEAAOhBAADwQQAA+EEAAABCAAAEQgAACEIAAAxCAAAQQgAAFEIAABhCAAAcQgAAIEIAACRCAAAoQgAALEIAADBCAAA0QgAAOEIAADxCAABAQgAAREIAAEhCAABMQgAAUEIAAFRCAABYQgAAXEIAAGBCAABkQgAAaEIAAGxCAABwQgAAdEIAAHhCAAB8QgAAgEIAAIJCAACEQgAAhkIAAIhCAACKQgAAjEIAAI5CAACQQgAAkkIAAJRCAACWQgAAmEIAAJpCAACcQgAAnkIAAKBCAACiQgAApEIAAKZCAACoQgAAqkIAAKxCAACuQgAAsEIAALJCAAC0QgAAtkIAALhCAAC6QgAAvEIAAL5CAADAQgAAwkIAAMRCAADGQgAAyEIAAMpCAADMQgAAzkIAANBCAADSQgAA1EIAANZCAADYQgAA2kIAANxCAADeQgAA4EIAAOJCAADkQgAA5kIAAOhCAADqQgAA7EIAAO5CAADwQgAA8kIAAPRCAAD2QgAA+EIAAPpCAAD8QgAA/kIAAABDAAABQwAAAkMAAANDAAAEQwAABUMAAAZDAAAHQwAACEMAAAlDAAAKQwAAC0MAAAxDAAANQwAADkMAAA9DAAAQQwAAEUMAABJDAAATQwAAFEMAABVDAAAWQwAAF0MAABhDAAAZQwAAGkMAABtDAAAcQwAAHUMAAB5DAAAfQwAAIEMAACFDAAAiQwAAI0MAACRDAAAlQwAAJkMAACdDAAAoQwAAKUMAACpDAAArQwAALEMAAC1DAAAuQwAAL0MAADBDAAAxQwAAMkMAADND\", 
    \"P6G0lvBAXt0AAAAAAAAAAAEAAAAAAAAABAAAAAIgAQABAAAAAAAAAAQAAAAAAAAAAQAAAAAAAAABAAAAAAAAABAAAAAAAAAAAAAAAAAAgD8AAABAAABAQA==\", 
    \"P6G0lvBAXt0AAAAAAAAAAAEAAAAAAAAABAAAAAIgAQAEAAAAAAAAAAEAAAAAAAAAAQAAAAAAAAABAAAAAAAAABAAAAAAAAAAAAAAAAAAgD8AAABAAABAQA==\", 
    \"P6G0lvBAXt0AAAAAAAAAAAEAAAAAAAAAAQAAAAIgAQAIAAAAAAAAACAAAAAAAAAAAAAAAAAAgD8AAABAAABAQAAAgEAAAKBAAADAQAAA4EA=\"
  ], 
  \"attrs\": {\"tvm_version\": \"0.20.0\"}
}""")
# from tvm.script import ir as I
# from tvm.script import tir as T
# from tvm.script import relax as R

@I.ir_module
class Module:
    @R.function
    def main(x: R.Tensor(("n", 5, 8, 8), dtype="float32"), free: R.Tensor((4, 4, 1, 1), dtype="float32")) -> R.Tuple(R.Tensor(("n", 4, 8, 8), dtype="float32"), R.Tensor(("n", 4, 1, 1), dtype="float32")):
        n = T.int64()
        with R.dataflow():
            l0: R.Tensor((n, 4, 8, 8), dtype="float32") = R.nn.conv2d(x, metadata["relax.expr.Constant"][0], strides=[1, 1], padding=[1, 1, 1, 1], dilation=[1, 1], groups=1, data_layout="NCHW", kernel_layout="OIHW", out_layout=None, out_dtype="void")
            l1: R.Tensor((n, 4, 8, 8), dtype="float32") = R.add(l0, metadata["relax.expr.Constant"][1])
            l2: R.Tensor((n, 4, 8, 8), dtype="float32") = R.nn.relu(l1)
            l3: R.Tensor((n, 4, 4, 4), dtype="float32") = R.nn.max_pool2d(l2, pool_size=[2, 2], strides=[2, 2], dilation=[1, 1], padding=[0, 0, 0, 0], ceil_mode=False, count_include_pad=False, layout="NCHW", out_layout=None)
            l4: R.Tensor((n, 4, 4, 4), dtype="float32") = R.nn.conv2d(l3, metadata["relax.expr.Constant"][2], strides=[1, 1], padding=[0, 0, 0, 0], dilation=[1, 1], groups=4, data_layout="NCHW", kernel_layout="OIHW", out_layout=None, out_dtype="void")
            l5: R.Tensor((n, 4, 4, 4), dtype="float32") = R.add(l3, l4)
            l6: R.Tensor((n, 4, 8, 8), dtype="float32") = R.multiply(l2, metadata["relax.expr.Constant"][3])
            l7: R.Tensor((n, 4, 4, 4), dtype="float32") = R.nn.conv2d(l5, free, strides=[1, 1], padding=[0, 0, 0, 0], dilation=[1, 1], groups=1, data_layout="NCHW", kernel_layout="OIHW", out_layout=None, out_dtype="void")
            l8: R.Tensor((n, 4, 1, 1), dtype="float32") = R.nn.adaptive_avg_pool2d(l7, output_size=[1, 1], layout="NCHW", out_layout=None)
            R.output(l6, l8)
        return (l6, l8)

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
    \"P6G0lvBAXt0AAAAAAAAAAAEAAAAAAAAABAAAAAIgAQADAAAAAAAAAAMAAAAAAAAABQAAAAAAAAAEAAAAAAAAANACAAAAAAAAAAAAAAAANEIAALRCAAAHQwAAEEEAAFhCAADGQgAAEEMAAJBBAAB8QgAA2EIAABlDAADYQQAAkEIAAOpCAAAiQwAAEEIAAKJCAAD8QgAAK0MAAIA/AAA4QgAAtkIAAAhDAAAgQQAAXEIAAMhCAAARQwAAmEEAAIBCAADaQgAAGkMAAOBBAACSQgAA7EIAACNDAAAUQgAApEIAAP5CAAAsQwAAAEAAADxCAAC4QgAACUMAADBBAABgQgAAykIAABJDAACgQQAAgkIAANxCAAAbQwAA6EEAAJRCAADuQgAAJEMAABhCAACmQgAAAEMAAC1DAABAQAAAQEIAALpCAAAKQwAAQEEAAGRCAADMQgAAE0MAAKhBAACEQgAA3kIAABxDAADwQQAAlkIAAPBCAAAlQwAAHEIAAKhCAAABQwAALkMAAIBAAABEQgAAvEIAAAtDAABQQQAAaEIAAM5CAAAUQwAAsEEAAIZCAADgQgAAHUMAAPhBAACYQgAA8kIAACZDAAAgQgAAqkIAAAJDAAAvQwAAoEAAAEhCAAC+QgAADEMAAGBBAABsQgAA0EIAABVDAAC4QQAAiEIAAOJCAAAeQwAAAEIAAJpCAAD0QgAAJ0MAACRCAACsQgAAA0MAADBDAADAQAAATEIAAMBCAAANQwAAcEEAAHBCAADSQgAAFkMAAMBBAACKQgAA5EIAAB9DAAAEQgAAnEIAAPZCAAAoQwAAKEIAAK5CAAAEQwAAMUMAAOBAAABQQgAAwkIAAA5DAACAQQAAdEIAANRCAAAXQwAAyEEAAIxCAADmQgAAIEMAAAhCAACeQgAA+EIAAClDAAAsQgAAsEIAAAVDAAAyQwAAAEEAAFRCAADEQgAAD0MAAIhBAAB4QgAA1kIAABhDAADQQQAAjkIAAOhCAAAhQwAADEIAAKBCAAD6QgAAKkMAADBCAACyQgAABkMAADND\", 
    \"P6G0lvBAXt0AAAAAAAAAAAEAAAAAAAAABAAAAAIgAQABAAAAAAAAAAEAAAAAAAAAAQAAAAAAAAAEAAAAAAAAABAAAAAAAAAAAAAAAAAAgD8AAABAAABAQA==\", 
    \"P6G0lvBAXt0AAAAAAAAAAAEAAAAAAAAABAAAAAIgAQABAAAAAAAAAAEAAAAAAAAAAQAAAAAAAAAEAAAAAAAAABAAAAAAAAAAAAAAAAAAgD8AAABAAABAQA==\", 
    \"P6G0lvBAXt0AAAAAAAAAAAEAAAAAAAAABAAAAAIgAQABAAAAAAAAAAEAAAAAAAAACAAAAAAAAAABAAAAAAAAACAAAAAAAAAAAAAAAAAAgD8AAABAAABAQAAAgEAAAKBAAADAQAAA4EA=\"
  ], 
  \"attrs\": {\"tvm_version\": \"0.20.0\"}
}""")
# from tvm.script import ir as I
# from tvm.script import tir as T
# from tvm.script import relax as R

@I.ir_module
class Module:
    @R.function
    def main(x: R.Tensor(("n", 5, 8, 8), dtype="float32"), free: R.Tensor((4, 4, 1, 1), dtype="float32")) -> R.Tuple(R.Tensor(("n", 4, 8, 8), dtype="float32"), R.Tensor(("n", 4, 1, 1), dtype="float32")):
        n = T.int64()
        with R.dataflow():
            lv: R.Tensor((n, 8, 8, 5), dtype="float32") = R.permute_dims(x, axes=[0, 2, 3, 1])
            l0: R.Tensor((n, 8, 8, 4), dtype="float32") = R.nn.conv2d(lv, metadata["relax.expr.Constant"][0], strides=[1, 1], padding=[1, 1, 1, 1], dilation=[1, 1], groups=1, data_layout="NHWC", kernel_layout="HWIO", out_layout="NHWC", out_dtype="void")
            l0_1: R.Tensor((n, 4, 8, 8), dtype="float32") = R.permute_dims(l0, axes=[0, 3, 1, 2])
            l1: R.Tensor((n, 8, 8, 4), dtype="float32") = R.add(l0, metadata["relax.expr.Constant"][1])
            l1_1: R.Tensor((n, 4, 8, 8), dtype="float32") = R.permute_dims(l1, axes=[0, 3, 1, 2])
            l2: R.Tensor((n, 8, 8, 4), dtype="float32") = R.nn.relu(l1)
            l2_1: R.Tensor((n, 4, 8, 8), dtype="float32") = R.permute_dims(l2, axes=[0, 3, 1, 2])
            l3: R.Tensor((n, 4, 4, 4), dtype="float32") = R.nn.max_pool2d(l2, pool_size=[2, 2], strides=[2, 2], padding=[0, 0, 0, 0], dilation=[1, 1], ceil_mode=False, count_include_pad=False, layout="NHWC", out_layout="NHWC")
            l3_1: R.Tensor((n, 4, 4, 4), dtype="float32") = R.permute_dims(l3, axes=[0, 3, 1, 2])
            l4: R.Tensor((n, 4, 4, 4), dtype="float32") = R.nn.conv2d(l3, metadata["relax.expr.Constant"][2], strides=[1, 1], padding=[0, 0, 0, 0], dilation=[1, 1], groups=4, data_layout="NHWC", kernel_layout="HWIO", out_layout="NHWC", out_dtype="void")
            l4_1: R.Tensor((n, 4, 4, 4), dtype="float32") = R.permute_dims(l4, axes=[0, 3, 1, 2])
            l5: R.Tensor((n, 4, 4, 4), dtype="float32") = R.add(l3, l4)
            l5_1: R.Tensor((n, 4, 4, 4), dtype="float32") = R.permute_dims(l5, axes=[0, 3, 1, 2])
            l6: R.Tensor((n, 8, 8, 4), dtype="float32") = R.multiply(l2, metadata["relax.expr.Constant"][3])
            l6_1: R.Tensor((n, 4, 8, 8), dtype="float32") = R.permute_dims(l6, axes=[0, 3, 1, 2])
            l7: R.Tensor((n, 4, 4, 4), dtype="float32") = R.nn.conv2d(l5_1, free, strides=[1, 1], padding=[0, 0, 0, 0], dilation=[1, 1], groups=1, data_layout="NCHW", kernel_layout="OIHW", out_layout=None, out_dtype="void")
            l8: R.Tensor((n, 4, 1, 1), dtype="float32") = R.nn.adaptive_avg_pool2d(l7, output_size=[1, 1], layout="NCHW", out_layout=None)
            R.output(l6_1, l8)
        return (l6_1, l8)

# ==== few_channels
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
    \"P6G0lvBAXt0AAAAAAAAAAAEAAAAAAAAABAAAAAIgAQACAAAAAAAAAAMAAAAAAAAAAQAAAAAAAAABAAAAAAAAABgAAAAAAAAAAAAAAAAAgD8AAABAAABAQAAAgEAAAKBA\", 
    \"P6G0lvBAXt0AAAAAAAAAAAEAAAAAAAAABAAAAAIgAQACAAAAAAAAAAEAAAAAAAAAAQAAAAAAAAABAAAAAAAAAAgAAAAAAAAAAAAAAAAAgD8=\"
  ], 
  \"attrs\": {\"tvm_version\": \"0.20.0\"}
}""")
# from tvm.script import ir as I
# from tvm.script import tir as T
# from tvm.script import relax as R

@I.ir_module
class Module:
    @R.function
    def main(x: R.Tensor(("n", 3, 8, 8), dtype="float32"), g: R.Tensor(("n", 1, 8, 8), dtype="float32")) -> R.Tuple(R.Tensor(("n", 2, 8, 8), dtype="float32"), R.Tensor(("n", 3, 7, 7), dtype="float32")):
        n = T.int64()
        with R.dataflow():
            l0: R.Tensor((n, 2, 8, 8), dtype="float32") = R.nn.conv2d(x, metadata["relax.expr.Constant"][0], strides=[1, 1], padding=[0, 0, 0, 0], dilation=[1, 1], groups=1, data_layout="NCHW", kernel_layout="OIHW", out_layout=None, out_dtype="void")
            l1: R.Tensor((n, 2, 8, 8), dtype="float32") = R.nn.conv2d(g, metadata["relax.expr.Constant"][1], strides=[1, 1], padding=[0, 0, 0, 0], dilation=[1, 1], groups=1, data_layout="NCHW", kernel_layout="OIHW", out_layout=None, out_dtype="void")
            l2: R.Tensor((n, 2, 8, 8), dtype="float32") = R.add(l0, l1)
            l3: R.Tensor((n, 3, 7, 7), dtype="float32") = R.nn.avg_pool2d(x, pool_size=[2, 2], strides=[1, 1], dilation=[1, 1], padding=[0, 0, 0, 0], ceil_mode=False, count_include_pad=False, layout="NCHW", out_layout=None)
            R.output(l2, l3)
        return (l2, l3)

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
    \"P6G0lvBAXt0AAAAAAAAAAAEAAAAAAAAABAAAAAIgAQABAAAAAAAAAAEAAAAAAAAAAwAAAAAAAAACAAAAAAAAABgAAAAAAAAAAAAAAAAAQEAAAIA/AACAQAAAAEAAAKBA\", 
    \"P6G0lvBAXt0AAAAAAAAAAAEAAAAAAAAABAAAAAIgAQABAAAAAAAAAAEAAAAAAAAAAQAAAAAAAAACAAAAAAAAAAgAAAAAAAAAAAAAAAAAgD8=\"
  ], 
  \"attrs\": {\"tvm_version\": \"0.20.0\"}
}""")
# from tvm.script import ir as I
# from tvm.script import tir as T
# from tvm.script import relax as R

@I.ir_module
class Module:
    @R.function
    def main(x: R.Tensor(("n", 3, 8, 8), dtype="float32"), g: R.Tensor(("n", 1, 8, 8), dtype="float32")) -> R.Tuple(R.Tensor(("n", 2, 8, 8), dtype="float32"), R.Tensor(("n", 3, 7, 7), dtype="float32")):
        n = T.int64()
        with R.dataflow():
            l0: R.Tensor((n, 8, 8, 2), dtype="float32") = R.nn.conv2d(x, metadata["relax.expr.Constant"][0], strides=[1, 1], padding=[0, 0, 0, 0], dilation=[1, 1], groups=1, data_layout="NCHW", kernel_layout="HWIO", out_layout="NHWC", out_dtype="void")
            l0_1: R.Tensor((n, 2, 8, 8), dtype="float32") = R.permute_dims(l0, axes=[0, 3, 1, 2])
            lv: R.Tensor((n, 8, 8, 1), dtype="float32") = R.reshape(g, R.shape([n, 8, 8, 1]))
            l1: R.Tensor((n, 8, 8, 2), dtype="float32") = R.nn.conv2d(lv, metadata["relax.expr.Constant"][1], strides=[1, 1], padding=[0, 0, 0, 0], dilation=[1, 1], groups=1, data_layout="NHWC", kernel_layout="HWIO", out_layout="NHWC", out_dtype="void")
            l1_1: R.Tensor((n, 2, 8, 8), dtype="float32") = R.permute_dims(l1, axes=[0, 3, 1, 2])
            l2: R.Tensor((n, 8, 8, 2), dtype="float32") = R.add(l0, l1)
            l2_1: R.Tensor((n, 2, 8, 8), dtype="float32") = R.permute_dims(l2, axes=[0, 3, 1, 2])
            l3: R.Tensor((n, 3, 7, 7), dtype="float32") = R.nn.avg_pool2d(x, pool_size=[2, 2], strides=[1, 1], padding=[0, 0, 0, 0], dilation=[1, 1], ceil_mode=False, count_include_pad=False, layout="NCHW", out_layout=None)
            R.output(l2_1, l3)
        return (l2_1, l3)

# ==== few_channels_of_groups
# Groups that give two channels stay in NCHW, where vectors run along the pixels of a row. With a
# stride those are apart, so channels go last.
@I.ir_module
class Module:
    @R.function
    def main(x: R.Tensor(("n", 4, 8, 8), dtype="float32")):
        with R.dataflow():
            a = R.nn.conv2d(x, R.const([[[[1.0]], [[2.0]]], [[[3.0]], [[4.0]]], [[[5.0]], [[6.0]]], [[[7.0]], [[8.0]]]], "float32"), groups=2)
            b = R.nn.conv2d(a, R.const([[[[1.0]], [[2.0]]], [[[3.0]], [[4.0]]], [[[5.0]], [[6.0]]], [[[7.0]], [[9.0]]]], "float32"), groups=2, strides=2)
            R.output(b)
        return b
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
    \"P6G0lvBAXt0AAAAAAAAAAAEAAAAAAAAABAAAAAIgAQAEAAAAAAAAAAIAAAAAAAAAAQAAAAAAAAABAAAAAAAAACAAAAAAAAAAAACAPwAAAEAAAEBAAACAQAAAoEAAAMBAAADgQAAAAEE=\", 
    \"P6G0lvBAXt0AAAAAAAAAAAEAAAAAAAAABAAAAAIgAQABAAAAAAAAAAEAAAAAAAAAAgAAAAAAAAAEAAAAAAAAACAAAAAAAAAAAACAPwAAQEAAAKBAAADgQAAAAEAAAIBAAADAQAAAEEE=\"
  ], 
  \"attrs\": {\"tvm_version\": \"0.20.0\"}
}""")
# from tvm.script import ir as I
# from tvm.script import tir as T
# from tvm.script import relax as R

@I.ir_module
class Module:
    @R.function
    def main(x: R.Tensor(("n", 4, 8, 8), dtype="float32")) -> R.Tensor(("n", 4, 4, 4), dtype="float32"):
        n = T.int64()
        with R.dataflow():
            a: R.Tensor((n, 4, 8, 8), dtype="float32") = R.nn.conv2d(x, metadata["relax.expr.Constant"][0], strides=[1, 1], padding=[0, 0, 0, 0], dilation=[1, 1], groups=2, data_layout="NCHW", kernel_layout="OIHW", out_layout=None, out_dtype="void")
            b: R.Tensor((n, 4, 4, 4), dtype="float32") = R.nn.conv2d(a, metadata["relax.expr.Constant"][1], strides=[2, 2], padding=[0, 0, 0, 0], dilation=[1, 1], groups=2, data_layout="NCHW", kernel_layout="HWIO", out_layout="NHWC", out_dtype="void")
            b_1: R.Tensor((n, 4, 4, 4), dtype="float32") = R.permute_dims(b, axes=[0, 3, 1, 2])
            R.output(b_1)
        return b_1

# ==== images
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
    \"P6G0lvBAXt0AAAAAAAAAAAEAAAAAAAAABAAAAAIgAQACAAAAAAAAAAMAAAAAAAAAAQAAAAAAAAABAAAAAAAAABgAAAAAAAAAAAAAAAAAgD8AAABAAABAQAAAgEAAAKBA\", 
    \"P6G0lvBAXt0AAAAAAAAAAAEAAAAAAAAABAAAAAIgAQACAAAAAAAAAAEAAAAAAAAAAQAAAAAAAAABAAAAAAAAAAgAAAAAAAAAAAAAAAAAgD8=\"
  ], 
  \"attrs\": {\"tvm_version\": \"0.20.0\"}
}""")
# from tvm.script import ir as I
# from tvm.script import tir as T
# from tvm.script import relax as R

@I.ir_module
class Module:
    @R.function
    def main(x: R.Tensor(("n", 3, 8, 8), dtype="float32"), s: R.Tensor(("n", 2, 1, 1), dtype="float32"), rows: R.Tensor((5,), dtype="int64")):
        n = T.int64()
        with R.dataflow():
            l0 = R.nn.conv2d(x, metadata["relax.expr.Constant"][0], padding=[0, 0, 0, 0])
            l1 = R.multiply(l0, s)
            l2 = R.mean(l1, axis=[-1, 2], keepdims=True)
            l3 = R.multiply(l2, l1)
            l4 = R.take(l3, rows, axis=2)
            l5 = R.take(l4, rows, axis=-1)
            l6 = R.nn.relu(l5)
            kept = R.max(l6, axis=[2, 3])
            channels = R.sum(l6, axis=[1, 2])
            pairs = R.take(l6, rows, axis=0)
            R.output(l6, kept, channels, pairs)
        return (l6, kept, channels, pairs)
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
    \"P6G0lvBAXt0AAAAAAAAAAAEAAAAAAAAABAAAAAIgAQABAAAAAAAAAAEAAAAAAAAAAwAAAAAAAAACAAAAAAAAABgAAAAAAAAAAAAAAAAAQEAAAIA/AACAQAAAAEAAAKBA\"
  ], 
  \"attrs\": {\"tvm_version\": \"0.20.0\"}
}""")
# from tvm.script import ir as I
# from tvm.script import tir as T
# from tvm.script import relax as R

@I.ir_module
class Module:
    @R.function
    def main(x: R.Tensor(("n", 3, 8, 8), dtype="float32"), s: R.Tensor(("n", 2, 1, 1), dtype="float32"), rows: R.Tensor((5,), dtype="int64")) -> R.Tuple(R.Tensor(("n", 2, 5, 5), dtype="float32"), R.Tensor(("n", 2), dtype="float32"), R.Tensor(("n", 5), dtype="float32"), R.Tensor((5, 2, 5, 5), dtype="float32")):
        n = T.int64()
        with R.dataflow():
            l0: R.Tensor((n, 8, 8, 2), dtype="float32") = R.nn.conv2d(x, metadata["relax.expr.Constant"][0], strides=[1, 1], padding=[0, 0, 0, 0], dilation=[1, 1], groups=1, data_layout="NCHW", kernel_layout="HWIO", out_layout="NHWC", out_dtype="void")
            l0_1: R.Tensor((n, 2, 8, 8), dtype="float32") = R.permute_dims(l0, axes=[0, 3, 1, 2])
            lv: R.Tensor((n, 1, 1, 2), dtype="float32") = R.reshape(s, R.shape([n, 1, 1, 2]))
            l1: R.Tensor((n, 8, 8, 2), dtype="float32") = R.multiply(l0, lv)
            l1_1: R.Tensor((n, 2, 8, 8), dtype="float32") = R.permute_dims(l1, axes=[0, 3, 1, 2])
            l2: R.Tensor((n, 1, 1, 2), dtype="float32") = R.mean(l1, axis=[1, 2], keepdims=True)
            l2_1: R.Tensor((n, 2, 1, 1), dtype="float32") = R.reshape(l2, R.shape([n, 2, 1, 1]))
            l3: R.Tensor((n, 8, 8, 2), dtype="float32") = R.multiply(l2, l1)
            l3_1: R.Tensor((n, 2, 8, 8), dtype="float32") = R.permute_dims(l3, axes=[0, 3, 1, 2])
            l4: R.Tensor((n, 5, 8, 2), dtype="float32") = R.take(l3, rows, axis=1, mode="fast")
            l4_1: R.Tensor((n, 2, 5, 8), dtype="float32") = R.permute_dims(l4, axes=[0, 3, 1, 2])
            l5: R.Tensor((n, 5, 5, 2), dtype="float32") = R.take(l4, rows, axis=2, mode="fast")
            l5_1: R.Tensor((n, 2, 5, 5), dtype="float32") = R.permute_dims(l5, axes=[0, 3, 1, 2])
            l6: R.Tensor((n, 5, 5, 2), dtype="float32") = R.nn.relu(l5)
            l6_1: R.Tensor((n, 2, 5, 5), dtype="float32") = R.permute_dims(l6, axes=[0, 3, 1, 2])
            kept: R.Tensor((n, 2), dtype="float32") = R.max(l6, axis=[1, 2], keepdims=False)
            channels: R.Tensor((n, 5), dtype="float32") = R.sum(l6, axis=[1, 3], keepdims=False)
            pairs: R.Tensor((5, 5, 5, 2), dtype="float32") = R.take(l6, rows, axis=0, mode="fast")
            pairs_1: R.Tensor((5, 2, 5, 5), dtype="float32") = R.permute_dims(pairs, axes=[0, 3, 1, 2])
            R.output(l6_1, kept, channels, pairs_1)
        return (l6_1, kept, channels, pairs_1)

# ==== sampled
# A point of the grid reads the same places in all channels: with eight or more, these go last.
@I.ir_module
class Module:
    @R.function
    def main(x: R.Tensor(("n", 16, 8, 8), dtype="float32"), y: R.Tensor(("n", 2, 8, 8), dtype="float32"), g: R.Tensor(("n", 2, 5, "m"), dtype="float32")):
        with R.dataflow():
            a = R.image.grid_sample(x, g)
            b = R.nn.relu(a)
            c = R.image.grid_sample(y, g)
            R.output(b, c)
        return (b, c)
# ---- expected
# from tvm.script import ir as I
# from tvm.script import tir as T
# from tvm.script import relax as R

@I.ir_module
class Module:
    @R.function
    def main(x: R.Tensor(("n", 16, 8, 8), dtype="float32"), y: R.Tensor(("n", 2, 8, 8), dtype="float32"), g: R.Tensor(("n", 2, 5, "m"), dtype="float32")) -> R.Tuple(R.Tensor(("n", 16, 5, "m"), dtype="float32"), R.Tensor(("n", 2, 5, "m"), dtype="float32")):
        n = T.int64()
        m = T.int64()
        with R.dataflow():
            lv: R.Tensor((n, 8, 8, 16), dtype="float32") = R.permute_dims(x, axes=[0, 2, 3, 1])
            a: R.Tensor((n, 5, m, 16), dtype="float32") = R.image.grid_sample(lv, g, method="bilinear", layout="NHWC", padding_mode="zeros", align_corners=False)
            a_1: R.Tensor((n, 16, 5, m), dtype="float32") = R.permute_dims(a, axes=[0, 3, 1, 2])
            b: R.Tensor((n, 5, m, 16), dtype="float32") = R.nn.relu(a)
            b_1: R.Tensor((n, 16, 5, m), dtype="float32") = R.permute_dims(b, axes=[0, 3, 1, 2])
            c: R.Tensor((n, 2, 5, m), dtype="float32") = R.image.grid_sample(y, g, method="bilinear", layout="NCHW", padding_mode="zeros", align_corners=False)
            R.output(b_1, c)
        return (b_1, c)

# ==== resized
# So it is with interpolation. Nearest neighbours only follow an image that has its channels last already.
@I.ir_module
class Module:
    @R.function
    def main(x: R.Tensor(("n", 16, "h", "w"), dtype="float32"), y: R.Tensor(("n", 2, "h", "w"), dtype="float32")):
        h = T.int64()
        w = T.int64()
        with R.dataflow():
            a = R.image.resize2d(x, R.shape([2 * h, 9]), layout="NCHW", method="linear")
            b = R.image.resize2d(x, R.shape([2 * h, 9]), layout="NCHW", method="nearest_neighbor")
            c = R.image.resize2d(y, R.shape([7, w]), layout="NCHW", method="cubic")
            R.output(a, b, c)
        return (a, b, c)
# ---- expected
# from tvm.script import ir as I
# from tvm.script import tir as T
# from tvm.script import relax as R

@I.ir_module
class Module:
    @R.function
    def main(x: R.Tensor(("n", 16, "h", "w"), dtype="float32"), y: R.Tensor(("n", 2, "h", "w"), dtype="float32")) -> R.Tuple(R.Tensor(("n", 16, "h * 2", 9), dtype="float32"), R.Tensor(("n", 16, "h * 2", 9), dtype="float32"), R.Tensor(("n", 2, 7, "w"), dtype="float32")):
        n = T.int64()
        h = T.int64()
        w = T.int64()
        with R.dataflow():
            lv: R.Tensor((n, h, w, 16), dtype="float32") = R.permute_dims(x, axes=[0, 2, 3, 1])
            a: R.Tensor((n, h * 2, 9, 16), dtype="float32") = R.image.resize2d(lv, R.shape([h * 2, 9]), roi=None, layout="NHWC", method="linear", coordinate_transformation_mode="half_pixel", rounding_method="round", cubic_alpha=-0.75, cubic_exclude=0, extrapolation_value=0.0, out_dtype="void")
            a_1: R.Tensor((n, 16, h * 2, 9), dtype="float32") = R.permute_dims(a, axes=[0, 3, 1, 2])
            b: R.Tensor((n, h * 2, 9, 16), dtype="float32") = R.image.resize2d(lv, R.shape([h * 2, 9]), roi=None, layout="NHWC", method="nearest_neighbor", coordinate_transformation_mode="half_pixel", rounding_method="round", cubic_alpha=-0.75, cubic_exclude=0, extrapolation_value=0.0, out_dtype="void")
            b_1: R.Tensor((n, 16, h * 2, 9), dtype="float32") = R.permute_dims(b, axes=[0, 3, 1, 2])
            c: R.Tensor((n, 2, 7, w), dtype="float32") = R.image.resize2d(y, R.shape([7, w]), roi=None, layout="NCHW", method="cubic", coordinate_transformation_mode="half_pixel", rounding_method="round", cubic_alpha=-0.75, cubic_exclude=0, extrapolation_value=0.0, out_dtype="void")
            R.output(a_1, b_1, c)
        return (a_1, b_1, c)

# ==== few_channels_depthwise
# Three channels stay where they are, unless the image has moved already.
from tvm.script import ir as I
from tvm.script import relax as R


@I.ir_module
class Module:
    @R.function
    def main(x: R.Tensor(("n", 3, 8, 8), "float32")):
        with R.dataflow():
            a = R.nn.conv2d(x, R.const([[[[1, 2]]], [[[3, 4]]], [[[5, 6]]]], "float32"), groups=3)
            b = R.nn.conv2d(a, R.const([[[[1]], [[2]], [[3]]], [[[4]], [[5]], [[6]]], [[[7]], [[8]], [[9]]], [[[1]], [[1]], [[1]]]], "float32"))
            c = R.nn.relu(b)
            y = R.nn.conv2d(c, R.const([[[[1, 2]]], [[[3, 4]]], [[[5, 6]]], [[[7, 8]]]], "float32"), groups=4)
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
    \"P6G0lvBAXt0AAAAAAAAAAAEAAAAAAAAABAAAAAIgAQADAAAAAAAAAAEAAAAAAAAAAQAAAAAAAAACAAAAAAAAABgAAAAAAAAAAACAPwAAAEAAAEBAAACAQAAAoEAAAMBA\", 
    \"P6G0lvBAXt0AAAAAAAAAAAEAAAAAAAAABAAAAAIgAQABAAAAAAAAAAEAAAAAAAAAAwAAAAAAAAAEAAAAAAAAADAAAAAAAAAAAACAPwAAgEAAAOBAAACAPwAAAEAAAKBAAAAAQQAAgD8AAEBAAADAQAAAEEEAAIA/\", 
    \"P6G0lvBAXt0AAAAAAAAAAAEAAAAAAAAABAAAAAIgAQABAAAAAAAAAAIAAAAAAAAAAQAAAAAAAAAEAAAAAAAAACAAAAAAAAAAAACAPwAAQEAAAKBAAADgQAAAAEAAAIBAAADAQAAAAEE=\"
  ], 
  \"attrs\": {\"tvm_version\": \"0.20.0\"}
}""")
# from tvm.script import ir as I
# from tvm.script import tir as T
# from tvm.script import relax as R

@I.ir_module
class Module:
    @R.function
    def main(x: R.Tensor(("n", 3, 8, 8), dtype="float32")) -> R.Tensor(("n", 4, 8, 6), dtype="float32"):
        n = T.int64()
        with R.dataflow():
            a: R.Tensor((n, 3, 8, 7), dtype="float32") = R.nn.conv2d(x, metadata["relax.expr.Constant"][0], strides=[1, 1], padding=[0, 0, 0, 0], dilation=[1, 1], groups=3, data_layout="NCHW", kernel_layout="OIHW", out_layout=None, out_dtype="void")
            b: R.Tensor((n, 8, 7, 4), dtype="float32") = R.nn.conv2d(a, metadata["relax.expr.Constant"][1], strides=[1, 1], padding=[0, 0, 0, 0], dilation=[1, 1], groups=1, data_layout="NCHW", kernel_layout="HWIO", out_layout="NHWC", out_dtype="void")
            b_1: R.Tensor((n, 4, 8, 7), dtype="float32") = R.permute_dims(b, axes=[0, 3, 1, 2])
            c: R.Tensor((n, 8, 7, 4), dtype="float32") = R.nn.relu(b)
            c_1: R.Tensor((n, 4, 8, 7), dtype="float32") = R.permute_dims(c, axes=[0, 3, 1, 2])
            y: R.Tensor((n, 8, 6, 4), dtype="float32") = R.nn.conv2d(c, metadata["relax.expr.Constant"][2], strides=[1, 1], padding=[0, 0, 0, 0], dilation=[1, 1], groups=4, data_layout="NHWC", kernel_layout="HWIO", out_layout="NHWC", out_dtype="void")
            y_1: R.Tensor((n, 4, 8, 6), dtype="float32") = R.permute_dims(y, axes=[0, 3, 1, 2])
            R.output(y_1)
        return y_1
