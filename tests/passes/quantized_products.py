# ==== bytes_of_the_caller
# Both operands are bytes of the caller minus a zero: the second is packed in each call. Fewer than 16
# columns are left alone.
from tvm.script import ir as I
from tvm.script import relax as R


@I.ir_module
class Module:
    @R.function
    def main(x: R.Tensor(("n", 37), dtype="uint8"), a: R.Tensor((), dtype="uint8"),
             y: R.Tensor((37, 19), dtype="int8"), b: R.Tensor((), dtype="int8"),
             few: R.Tensor((37, 15), dtype="int8")):
        with R.dataflow():
            xi = R.subtract(R.astype(x, dtype="int32"), R.astype(a, dtype="int32"))
            yi = R.subtract(R.astype(y, dtype="int32"), R.astype(b, dtype="int32"))
            z = R.matmul(xi, yi)
            w = R.matmul(xi, R.astype(few, dtype="int32"))
            R.output(z, w)
        return z, w
# ---- expected
# from tvm.script import ir as I
# from tvm.script import tir as T
# from tvm.script import relax as R

@I.ir_module
class Module:
    @R.function
    def main(x: R.Tensor(("n", 37), dtype="uint8"), a: R.Tensor((), dtype="uint8"), y: R.Tensor((37, 19), dtype="int8"), b: R.Tensor((), dtype="int8"), few: R.Tensor((37, 15), dtype="int8")) -> R.Tuple(R.Tensor(("n", 19), dtype="int32"), R.Tensor(("n", 15), dtype="int32")):
        n = T.int64()
        cls = Module
        with R.dataflow():
            lv: R.Tensor((n, 37), dtype="int32") = R.astype(x, dtype="int32")
            lv_1: R.Tensor((), dtype="int32") = R.astype(a, dtype="int32")
            xi: R.Tensor((n, 37), dtype="int32") = R.subtract(lv, lv_1)
            narrow: R.Tensor((n, 37), dtype="int16") = R.astype(xi, dtype="int16")
            z: R.Tensor((1, 16, 32), dtype="uint32") = R.call_tir(cls.pack_words, (y,), out_sinfo=R.Tensor((1, 16, 32), dtype="uint32"))
            z_1: R.Tensor((n, 19), dtype="int32") = R.call_tir(cls.quantized_matmul, (narrow, z, R.const(128, "int32")), out_sinfo=R.Tensor((n, 19), dtype="int32"))
            row_sums: R.Tensor((n, 1), dtype="int32") = R.sum(xi, axis=[-1], keepdims=True)
            zero: R.Tensor((), dtype="int32") = R.astype(b, dtype="int32")
            less: R.Tensor((n, 1), dtype="int32") = R.multiply(row_sums, zero)
            z_2: R.Tensor((n, 19), dtype="int32") = R.subtract(z_1, less)
            lv_2: R.Tensor((37, 15), dtype="int32") = R.astype(few, dtype="int32")
            w: R.Tensor((n, 15), dtype="int32") = R.matmul(xi, lv_2, out_dtype="void")
            R.output(z_2, w)
        return (z_2, w)

    @T.prim_func(private=True)
    def pack_words(weight: T.Buffer((T.int64(37), T.int64(19)), "int8"), pack_words: T.Buffer((T.int64(1), T.int64(16), T.int64(32)), "uint32")):
        T.func_attr({"op_pattern": 8, "tir.noalias": T.bool(True)})
        # with T.block("root"):
        for ax0, ax1, ax2 in T.grid(T.int64(1), T.int64(16), T.int64(32)):
            with T.block("pack_words"):
                v_ax0, v_ax1, v_ax2 = T.axis.remap("SSS", [ax0, ax1, ax2])
                T.reads(weight[v_ax1 * T.int64(4), v_ax0 * T.int64(32) + v_ax2], weight[v_ax1 * T.int64(4) + T.int64(1), v_ax0 * T.int64(32) + v_ax2], weight[v_ax1 * T.int64(4) + T.int64(2), v_ax0 * T.int64(32) + v_ax2], weight[v_ax1 * T.int64(4) + T.int64(3), v_ax0 * T.int64(32) + v_ax2])
                T.writes(pack_words[v_ax0, v_ax1, v_ax2])
                T.block_attr({"rlx.operator": "rearrange sss"})
                pack_words[v_ax0, v_ax1, v_ax2] = T.bitwise_or(T.bitwise_or(T.bitwise_or(T.shift_left(T.if_then_else(v_ax1 * T.int64(4) < T.int64(37) and v_ax0 * T.int64(32) + v_ax2 < T.int64(19), T.Cast("uint32", T.Cast("int32", weight[v_ax1 * T.int64(4), v_ax0 * T.int64(32) + v_ax2]) - -128), T.uint32(0)), T.uint32(0)), T.shift_left(T.if_then_else(v_ax1 * T.int64(4) + T.int64(1) < T.int64(37) and v_ax0 * T.int64(32) + v_ax2 < T.int64(19), T.Cast("uint32", T.Cast("int32", weight[v_ax1 * T.int64(4) + T.int64(1), v_ax0 * T.int64(32) + v_ax2]) - -128), T.uint32(0)), T.uint32(8))), T.shift_left(T.if_then_else(v_ax1 * T.int64(4) + T.int64(2) < T.int64(37) and v_ax0 * T.int64(32) + v_ax2 < T.int64(19), T.Cast("uint32", T.Cast("int32", weight[v_ax1 * T.int64(4) + T.int64(2), v_ax0 * T.int64(32) + v_ax2]) - -128), T.uint32(0)), T.uint32(16))), T.shift_left(T.if_then_else(v_ax1 * T.int64(4) + T.int64(3) < T.int64(37) and v_ax0 * T.int64(32) + v_ax2 < T.int64(19), T.Cast("uint32", T.Cast("int32", weight[v_ax1 * T.int64(4) + T.int64(3), v_ax0 * T.int64(32) + v_ax2]) - -128), T.uint32(0)), T.uint32(24)))

    @T.prim_func(private=True)
    def quantized_matmul(var_narrow: T.handle, words: T.Buffer((T.int64(1), T.int64(16), T.int64(32)), "uint32"), zero: T.Buffer((), "int32"), var_product: T.handle):
        T.func_attr({"op_pattern": 4, "tir.noalias": T.bool(True)})
        n = T.int64()
        narrow = T.match_buffer(var_narrow, (n, T.int64(37)), "int16")
        product = T.match_buffer(var_product, (n, T.int64(19)), "int32")
        # with T.block("root"):
        for i, j, k in T.grid(n, T.int64(19), T.int64(37)):
            with T.block("product"):
                v_i, v_j, v_k = T.axis.remap("SSR", [i, j, k])
                T.reads(narrow[v_i, v_k], words[v_j // T.int64(32), v_k // T.int64(4), v_j % T.int64(32)], zero[()])
                T.writes(product[v_i, v_j])
                T.block_attr({"rlx.operator": "matmul mnk"})
                with T.init():
                    product[v_i, v_j] = 0
                product[v_i, v_j] = product[v_i, v_j] + T.Cast("int32", narrow[v_i, v_k]) * (T.Cast("int32", T.bitwise_and(T.shift_right(words[v_j // T.int64(32), v_k // T.int64(4), v_j % T.int64(32)], T.Cast("uint32", v_k % T.int64(4) * T.int64(8))), T.uint32(255))) - zero[()])

# ==== moved
# Dequantized, moved and quantized again by equal constants: the numbers are moved. Another zero point or scale: they are computed.
@I.ir_module
class Module:
    @R.function
    def main(x: R.Tensor(("n", 4, 6), "uint8")):
        n = T.int64()
        with R.dataflow():
            w = R.astype(x, dtype="int32")
            c = R.subtract(w, R.const(3, "int32"))
            f = R.astype(c, dtype="float32")
            d = R.multiply(f, R.const(0.3, "float32"))
            a = R.reshape(d, R.shape([n, 2, 2, 6]))
            p = R.permute_dims(a, axes=[0, 2, 1, 3])
            q = R.divide(p, R.const(0.3, "float32"))
            r = R.round(q)
            s = R.add(r, R.const(3.0, "float32"))
            l = R.maximum(s, R.const(0.0, "float32"))
            u = R.minimum(l, R.const(255.0, "float32"))
            y = R.astype(u, dtype="uint8")
            e = R.dequantize(x, R.const(0.3, "float32"), R.const(3, "uint8"))
            g = R.permute_dims(e, axes=[1, 0, 2])
            z = R.quantize(g, R.const(0.3, "float32"), R.const(4, "uint8"), out_dtype="uint8")
            k = R.quantize(g, R.const(0.6, "float32"), R.const(3, "uint8"), out_dtype="uint8")
            o = (y, z, k)
            R.output(o)
        return o
# ---- expected
# from tvm.script import ir as I
# from tvm.script import tir as T
# from tvm.script import relax as R

@I.ir_module
class Module:
    @R.function
    def main(x: R.Tensor(("n", 4, 6), dtype="uint8")) -> R.Tuple(R.Tensor(("n", 2, 2, 6), dtype="uint8"), R.Tensor((4, "n", 6), dtype="uint8"), R.Tensor((4, "n", 6), dtype="uint8")):
        n = T.int64()
        with R.dataflow():
            y: R.Tensor((n, 2, 2, 6), dtype="uint8") = R.reshape(x, R.shape([n, 2, 2, 6]))
            y_1: R.Tensor((n, 2, 2, 6), dtype="uint8") = R.permute_dims(y, axes=[0, 2, 1, 3])
            e: R.Tensor((n, 4, 6), dtype="float32") = R.dequantize(x, R.const(0.30000001192092896, "float32"), R.const(3, "uint8"), axis=-1, out_dtype="float32")
            g: R.Tensor((4, n, 6), dtype="float32") = R.permute_dims(e, axes=[1, 0, 2])
            z: R.Tensor((4, n, 6), dtype="uint8") = R.quantize(g, R.const(0.30000001192092896, "float32"), R.const(4, "uint8"), axis=-1, out_dtype="uint8")
            k: R.Tensor((4, n, 6), dtype="uint8") = R.quantize(g, R.const(0.6000000238418579, "float32"), R.const(3, "uint8"), axis=-1, out_dtype="uint8")
            o: R.Tuple(R.Tensor((n, 2, 2, 6), dtype="uint8"), R.Tensor((4, n, 6), dtype="uint8"), R.Tensor((4, n, 6), dtype="uint8")) = (y_1, z, k)
            R.output(o)
        return o

# ==== palette_of_int64_numbers
# The numbers of a palette are int64, as ONNX has indices: the product reads words of 4 bits.
@I.ir_module
class Module:
    @R.function
    def main(x: R.Tensor(("n", 4), "float32")):
        with R.dataflow():
            w = R.take(R.const([-1.0, 0.25, 3.5], "float32"), R.const([[0, 1], [2, 0], [1, 1], [2, 2]], "int64"))
            y = R.matmul(x, w)
            R.output(y)
        return y
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
    \"P6G0lvBAXt0AAAAAAAAAAAEAAAAAAAAAAgAAAAEIAQAEAAAAAAAAAAIAAAAAAAAACAAAAAAAAAAAAQIAAQECAg==\", 
    \"P6G0lvBAXt0AAAAAAAAAAAEAAAAAAAAAAQAAAAIgAQADAAAAAAAAAAwAAAAAAAAAAACAvwAAgD4AAGBA\"
  ], 
  \"attrs\": {\"tvm_version\": \"0.20.0\"}
}""")
# from tvm.script import ir as I
# from tvm.script import tir as T
# from tvm.script import relax as R

@I.ir_module
class Module:
    @R.function
    def main(x: R.Tensor(("n", 4), dtype="float32")) -> R.Tensor(("n", 2), dtype="float32"):
        n = T.int64()
        cls = Module
        with R.dataflow():
            y: R.Tensor((1, 8, 32), dtype="uint32") = R.call_tir(cls.pack_words, (metadata["relax.expr.Constant"][0],), out_sinfo=R.Tensor((1, 8, 32), dtype="uint32"))
            y_1: R.Tensor((16,), dtype="float32") = R.call_tir(cls.pack_palette, (metadata["relax.expr.Constant"][1],), out_sinfo=R.Tensor((16,), dtype="float32"))
            y_2: R.Tensor((n, 2), dtype="float32") = R.call_tir(cls.quantized_matmul, (x, y, y_1), out_sinfo=R.Tensor((n, 2), dtype="float32"))
            R.output(y_2)
        return y_2

    @T.prim_func(private=True)
    def pack_words(leaf0: T.Buffer((T.int64(4), T.int64(2)), "uint8"), pack_words: T.Buffer((T.int64(1), T.int64(8), T.int64(32)), "uint32")):
        T.func_attr({"op_pattern": 8, "tir.noalias": T.bool(True)})
        # with T.block("root"):
        for ax0, ax1, ax2 in T.grid(T.int64(1), T.int64(8), T.int64(32)):
            with T.block("pack_words"):
                v_ax0, v_ax1, v_ax2 = T.axis.remap("SSS", [ax0, ax1, ax2])
                T.reads(leaf0[v_ax1 * T.int64(8), v_ax0 * T.int64(32) + v_ax2], leaf0[v_ax1 * T.int64(8) + T.int64(1), v_ax0 * T.int64(32) + v_ax2], leaf0[v_ax1 * T.int64(8) + T.int64(2), v_ax0 * T.int64(32) + v_ax2], leaf0[v_ax1 * T.int64(8) + T.int64(3), v_ax0 * T.int64(32) + v_ax2], leaf0[v_ax1 * T.int64(8) + T.int64(4), v_ax0 * T.int64(32) + v_ax2], leaf0[v_ax1 * T.int64(8) + T.int64(5), v_ax0 * T.int64(32) + v_ax2], leaf0[v_ax1 * T.int64(8) + T.int64(6), v_ax0 * T.int64(32) + v_ax2], leaf0[v_ax1 * T.int64(8) + T.int64(7), v_ax0 * T.int64(32) + v_ax2])
                T.writes(pack_words[v_ax0, v_ax1, v_ax2])
                T.block_attr({"rlx.operator": "rearrange sss"})
                pack_words[v_ax0, v_ax1, v_ax2] = T.bitwise_or(T.bitwise_or(T.bitwise_or(T.bitwise_or(T.bitwise_or(T.bitwise_or(T.bitwise_or(T.shift_left(T.if_then_else(v_ax1 * T.int64(8) < T.int64(4) and v_ax0 * T.int64(32) + v_ax2 < T.int64(2), T.Cast("uint32", T.Cast("int32", T.Cast("int64", leaf0[v_ax1 * T.int64(8), v_ax0 * T.int64(32) + v_ax2]))), T.uint32(0)), T.uint32(0)), T.shift_left(T.if_then_else(v_ax1 * T.int64(8) + T.int64(1) < T.int64(4) and v_ax0 * T.int64(32) + v_ax2 < T.int64(2), T.Cast("uint32", T.Cast("int32", T.Cast("int64", leaf0[v_ax1 * T.int64(8) + T.int64(1), v_ax0 * T.int64(32) + v_ax2]))), T.uint32(0)), T.uint32(8))), T.shift_left(T.if_then_else(v_ax1 * T.int64(8) + T.int64(2) < T.int64(4) and v_ax0 * T.int64(32) + v_ax2 < T.int64(2), T.Cast("uint32", T.Cast("int32", T.Cast("int64", leaf0[v_ax1 * T.int64(8) + T.int64(2), v_ax0 * T.int64(32) + v_ax2]))), T.uint32(0)), T.uint32(16))), T.shift_left(T.if_then_else(v_ax1 * T.int64(8) + T.int64(3) < T.int64(4) and v_ax0 * T.int64(32) + v_ax2 < T.int64(2), T.Cast("uint32", T.Cast("int32", T.Cast("int64", leaf0[v_ax1 * T.int64(8) + T.int64(3), v_ax0 * T.int64(32) + v_ax2]))), T.uint32(0)), T.uint32(24))), T.shift_left(T.if_then_else(v_ax1 * T.int64(8) + T.int64(4) < T.int64(4) and v_ax0 * T.int64(32) + v_ax2 < T.int64(2), T.Cast("uint32", T.Cast("int32", T.Cast("int64", leaf0[v_ax1 * T.int64(8) + T.int64(4), v_ax0 * T.int64(32) + v_ax2]))), T.uint32(0)), T.uint32(4))), T.shift_left(T.if_then_else(v_ax1 * T.int64(8) + T.int64(5) < T.int64(4) and v_ax0 * T.int64(32) + v_ax2 < T.int64(2), T.Cast("uint32", T.Cast("int32", T.Cast("int64", leaf0[v_ax1 * T.int64(8) + T.int64(5), v_ax0 * T.int64(32) + v_ax2]))), T.uint32(0)), T.uint32(12))), T.shift_left(T.if_then_else(v_ax1 * T.int64(8) + T.int64(6) < T.int64(4) and v_ax0 * T.int64(32) + v_ax2 < T.int64(2), T.Cast("uint32", T.Cast("int32", T.Cast("int64", leaf0[v_ax1 * T.int64(8) + T.int64(6), v_ax0 * T.int64(32) + v_ax2]))), T.uint32(0)), T.uint32(20))), T.shift_left(T.if_then_else(v_ax1 * T.int64(8) + T.int64(7) < T.int64(4) and v_ax0 * T.int64(32) + v_ax2 < T.int64(2), T.Cast("uint32", T.Cast("int32", T.Cast("int64", leaf0[v_ax1 * T.int64(8) + T.int64(7), v_ax0 * T.int64(32) + v_ax2]))), T.uint32(0)), T.uint32(28)))

    @T.prim_func(private=True)
    def pack_palette(leaf1: T.Buffer((T.int64(3),), "float32"), palette: T.Buffer((T.int64(16),), "float32")):
        T.func_attr({"op_pattern": 8, "tir.noalias": T.bool(True)})
        # with T.block("root"):
        for ax0 in range(T.int64(16)):
            with T.block("palette"):
                v_ax0 = T.axis.spatial(T.int64(16), ax0)
                T.reads(leaf1[T.min(v_ax0, T.int64(2))])
                T.writes(palette[v_ax0])
                T.block_attr({"rlx.operator": "rearrange s"})
                palette[v_ax0] = leaf1[T.min(v_ax0, T.int64(2))]

    @T.prim_func(private=True)
    def quantized_matmul(var_x: T.handle, words: T.Buffer((T.int64(1), T.int64(8), T.int64(32)), "uint32"), palette: T.Buffer((T.int64(16),), "float32"), var_product: T.handle):
        T.func_attr({"op_pattern": 4, "tir.noalias": T.bool(True)})
        n = T.int64()
        x = T.match_buffer(var_x, (n, T.int64(4)))
        product = T.match_buffer(var_product, (n, T.int64(2)))
        # with T.block("root"):
        for i, j, k in T.grid(n, T.int64(2), T.int64(4)):
            with T.block("product"):
                v_i, v_j, v_k = T.axis.remap("SSR", [i, j, k])
                T.reads(x[v_i, v_k], words[v_j // T.int64(32), v_k // T.int64(8), v_j % T.int64(32)], palette[T.Cast("int64", T.bitwise_and(T.shift_right(words[v_j // T.int64(32), v_k // T.int64(8), v_j % T.int64(32)], T.Cast("uint32", v_k % T.int64(4) * T.int64(8) + v_k % T.int64(8) // T.int64(4) * T.int64(4))), T.uint32(15)))])
                T.writes(product[v_i, v_j])
                T.block_attr({"rlx.operator": "matmul mnk"})
                with T.init():
                    product[v_i, v_j] = T.float32(0.0)
                product[v_i, v_j] = product[v_i, v_j] + x[v_i, v_k] * palette[T.Cast("int64", T.bitwise_and(T.shift_right(words[v_j // T.int64(32), v_k // T.int64(8), v_j % T.int64(32)], T.Cast("uint32", v_k % T.int64(4) * T.int64(8) + v_k % T.int64(8) // T.int64(4) * T.int64(4))), T.uint32(15)))]

# ==== pooled_bytes
# The largest dequantized values have the largest bytes, so a pooling reads the bytes, unless the scale is negative.
from tvm.script import ir as I
from tvm.script import relax as R
from tvm.script import tir as T


@I.ir_module
class Module:
    @R.function
    def main(x: R.Tensor(("n", 4, 8, 8), "uint8"), y: R.Tensor(("n", 4, 8, 8), "float32")):
        n = T.int64()
        with R.dataflow():
            d = R.dequantize(x, R.const(0.5, "float32"), R.const(3, "uint8"), out_dtype="float32", axis=1)
            a = R.nn.max_pool2d(d, pool_size=[2, 2], strides=[2, 2], padding=[0, 0, 0, 0])
            e = R.dequantize(x, R.const(-0.5, "float32"), R.const(3, "uint8"), out_dtype="float32", axis=1)
            b = R.nn.max_pool2d(e, pool_size=[2, 2], strides=[2, 2], padding=[0, 0, 0, 0])
            c = R.nn.max_pool2d(y, pool_size=[2, 2], strides=[2, 2], padding=[0, 0, 0, 0])
            r = (a, b, c)
            R.output(r)
        return r
# ---- expected
# from tvm.script import ir as I
# from tvm.script import tir as T
# from tvm.script import relax as R

@I.ir_module
class Module:
    @R.function
    def main(x: R.Tensor(("n", 4, 8, 8), dtype="uint8"), y: R.Tensor(("n", 4, 8, 8), dtype="float32")) -> R.Tuple(R.Tensor(("n", 4, 4, 4), dtype="float32"), R.Tensor(("n", 4, 4, 4), dtype="float32"), R.Tensor(("n", 4, 4, 4), dtype="float32")):
        n = T.int64()
        with R.dataflow():
            a: R.Tensor((n, 4, 4, 4), dtype="uint8") = R.nn.max_pool2d(x, pool_size=[2, 2], strides=[2, 2], padding=[0, 0, 0, 0], dilation=[1, 1], ceil_mode=False, count_include_pad=False, layout="NCHW", out_layout=None)
            zero: R.Tensor((), dtype="int32") = R.astype(R.const(3, "uint8"), dtype="int32")
            centred: R.Tensor((n, 4, 4, 4), dtype="int32") = R.astype(a, dtype="int32")
            centred_1: R.Tensor((n, 4, 4, 4), dtype="int32") = R.subtract(centred, zero)
            centred_2: R.Tensor((n, 4, 4, 4), dtype="float32") = R.astype(centred_1, dtype="float32")
            centred_3: R.Tensor((n, 4, 4, 4), dtype="float32") = R.multiply(centred_2, R.const(0.5, "float32"))
            e: R.Tensor((n, 4, 8, 8), dtype="float32") = R.dequantize(x, R.const(-0.5, "float32"), R.const(3, "uint8"), axis=1, out_dtype="float32")
            b: R.Tensor((n, 4, 4, 4), dtype="float32") = R.nn.max_pool2d(e, pool_size=[2, 2], strides=[2, 2], padding=[0, 0, 0, 0], dilation=[1, 1], ceil_mode=False, count_include_pad=False, layout="NCHW", out_layout=None)
            c: R.Tensor((n, 4, 4, 4), dtype="float32") = R.nn.max_pool2d(y, pool_size=[2, 2], strides=[2, 2], padding=[0, 0, 0, 0], dilation=[1, 1], ceil_mode=False, count_include_pad=False, layout="NCHW", out_layout=None)
            r: R.Tuple(R.Tensor((n, 4, 4, 4), dtype="float32"), R.Tensor((n, 4, 4, 4), dtype="float32"), R.Tensor((n, 4, 4, 4), dtype="float32")) = (centred_3, b, c)
            R.output(r)
        return r

# ==== pooled_up
# With ceil_mode every window still reads an element, so the bytes are pooled.
@I.ir_module
class Module:
    @R.function
    def main(x: R.Tensor(("n", 8, "h", "w"), "uint8")):
        with R.dataflow():
            xd = R.dequantize(x, R.const(0.5, "float32"), R.const(3, "uint8"))
            y = R.nn.max_pool2d(xd, pool_size=[3, 3], strides=[2, 2], ceil_mode=True)
            R.output(y)
        return y
# ---- expected
# from tvm.script import ir as I
# from tvm.script import tir as T
# from tvm.script import relax as R

@I.ir_module
class Module:
    @R.function
    def main(x: R.Tensor(("n", 8, "h", "w"), dtype="uint8")) -> R.Tensor(("n", 8, "h // 2", "w // 2"), dtype="float32"):
        n = T.int64()
        h = T.int64()
        w = T.int64()
        with R.dataflow():
            y: R.Tensor((n, 8, h // 2, w // 2), dtype="uint8") = R.nn.max_pool2d(x, pool_size=[3, 3], strides=[2, 2], padding=[0, 0, 0, 0], dilation=[1, 1], ceil_mode=True, count_include_pad=False, layout="NCHW", out_layout=None)
            zero: R.Tensor((), dtype="int32") = R.astype(R.const(3, "uint8"), dtype="int32")
            centred: R.Tensor((n, 8, h // 2, w // 2), dtype="int32") = R.astype(y, dtype="int32")
            centred_1: R.Tensor((n, 8, h // 2, w // 2), dtype="int32") = R.subtract(centred, zero)
            centred_2: R.Tensor((n, 8, h // 2, w // 2), dtype="float32") = R.astype(centred_1, dtype="float32")
            centred_3: R.Tensor((n, 8, h // 2, w // 2), dtype="float32") = R.multiply(centred_2, R.const(0.5, "float32"))
            R.output(centred_3)
        return centred_3

# ==== weights_of_integers
# A product whose weight comes from 8-bit integers reads words of four of them, with a scale per column; the next pass
# evaluates the packing. Float weights stay, and so do weights that are not constant.
from tvm.script import ir as I
from tvm.script import relax as R
from tvm.script import tir as T


@I.ir_module
class Module:
    @R.function
    def main(x: R.Tensor(("b", "n", 2), "float32"), v: R.Tensor((3, 2), "int8")):
        n = T.int64()
        b = T.int64()
        with R.dataflow():
            d = R.dequantize(R.const([[5, -100], [7, 3], [-128, 127]], "int8"), R.const([0.5, 0.25, 2.0], "float32"), R.const(-1, "int8"), out_dtype="float32", axis=0)
            w = R.permute_dims(d, axes=None)
            y = R.matmul(x, w)
            dv = R.dequantize(v, R.const([0.5, 0.25, 2.0], "float32"), R.const(-1, "int8"), out_dtype="float32", axis=0)
            wv = R.permute_dims(dv, axes=None)
            z = R.matmul(x, wv)
            a = R.matmul(x, R.const([[1.0], [2.0]], "float32"))
            r = (y, z, a)
            R.output(r)
        return r
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
    \"P6G0lvBAXt0AAAAAAAAAAAEAAAAAAAAAAgAAAAAIAQADAAAAAAAAAAIAAAAAAAAABgAAAAAAAAAFnAcDgH8=\", 
    \"P6G0lvBAXt0AAAAAAAAAAAEAAAAAAAAAAQAAAAIgAQADAAAAAAAAAAwAAAAAAAAAAAAAPwAAgD4AAABA\", 
    \"P6G0lvBAXt0AAAAAAAAAAAEAAAAAAAAAAQAAAAIgAQADAAAAAAAAAAwAAAAAAAAAAAAAPwAAgD4AAABA\", 
    \"P6G0lvBAXt0AAAAAAAAAAAEAAAAAAAAAAgAAAAIgAQACAAAAAAAAAAEAAAAAAAAACAAAAAAAAAAAAIA/AAAAQA==\"
  ], 
  \"attrs\": {\"tvm_version\": \"0.20.0\"}
}""")
# from tvm.script import ir as I
# from tvm.script import tir as T
# from tvm.script import relax as R

@I.ir_module
class Module:
    @R.function
    def main(x: R.Tensor(("b", "n", 2), dtype="float32"), v: R.Tensor((3, 2), dtype="int8")) -> R.Tuple(R.Tensor(("b", "n", 3), dtype="float32"), R.Tensor(("b", "n", 3), dtype="float32"), R.Tensor(("b", "n", 1), dtype="float32")):
        b = T.int64()
        n = T.int64()
        cls = Module
        with R.dataflow():
            rows: R.Tensor((b * n, 2), dtype="float32") = R.reshape(x, R.shape([b * n, 2]))
            y: R.Tensor((1, 16, 32), dtype="uint32") = R.call_tir(cls.pack_words, (metadata["relax.expr.Constant"][0],), out_sinfo=R.Tensor((1, 16, 32), dtype="uint32"))
            y_1: R.Tensor((1, 1, 32), dtype="float32") = R.call_tir(cls.pack_scales, (metadata["relax.expr.Constant"][1],), out_sinfo=R.Tensor((1, 1, 32), dtype="float32"))
            y_2: R.Tensor((b * n, 3), dtype="float32") = R.call_tir(cls.quantized_matmul, (rows, y, y_1), tir_vars=R.shape([b, n]), out_sinfo=R.Tensor((b * n, 3), dtype="float32"))
            y_3: R.Tensor((b, n, 3), dtype="float32") = R.reshape(y_2, R.shape([b, n, 3]))
            dv: R.Tensor((3, 2), dtype="float32") = R.dequantize(v, metadata["relax.expr.Constant"][2], R.const(-1, "int8"), axis=0, out_dtype="float32")
            wv: R.Tensor((2, 3), dtype="float32") = R.permute_dims(dv, axes=None)
            z: R.Tensor((b, n, 3), dtype="float32") = R.matmul(x, wv, out_dtype="void")
            a: R.Tensor((b, n, 1), dtype="float32") = R.matmul(x, metadata["relax.expr.Constant"][3], out_dtype="void")
            r: R.Tuple(R.Tensor((b, n, 3), dtype="float32"), R.Tensor((b, n, 3), dtype="float32"), R.Tensor((b, n, 1), dtype="float32")) = (y_3, z, a)
            R.output(r)
        return r

    @T.prim_func(private=True)
    def pack_words(leaf0: T.Buffer((T.int64(3), T.int64(2)), "int8"), pack_words: T.Buffer((T.int64(1), T.int64(16), T.int64(32)), "uint32")):
        T.func_attr({"op_pattern": 8, "tir.noalias": T.bool(True)})
        # with T.block("root"):
        for ax0, ax1, ax2 in T.grid(T.int64(1), T.int64(16), T.int64(32)):
            with T.block("pack_words"):
                v_ax0, v_ax1, v_ax2 = T.axis.remap("SSS", [ax0, ax1, ax2])
                T.reads(leaf0[v_ax0 * T.int64(32) + v_ax2, v_ax1 * T.int64(4)], leaf0[v_ax0 * T.int64(32) + v_ax2, v_ax1 * T.int64(4) + T.int64(1)], leaf0[v_ax0 * T.int64(32) + v_ax2, v_ax1 * T.int64(4) + T.int64(2)], leaf0[v_ax0 * T.int64(32) + v_ax2, v_ax1 * T.int64(4) + T.int64(3)])
                T.writes(pack_words[v_ax0, v_ax1, v_ax2])
                T.block_attr({"rlx.operator": "rearrange sss"})
                pack_words[v_ax0, v_ax1, v_ax2] = T.bitwise_or(T.bitwise_or(T.bitwise_or(T.shift_left(T.if_then_else(v_ax1 * T.int64(4) < T.int64(2) and v_ax0 * T.int64(32) + v_ax2 < T.int64(3), T.Cast("uint32", T.Cast("int32", leaf0[v_ax0 * T.int64(32) + v_ax2, v_ax1 * T.int64(4)]) - -128), T.uint32(0)), T.uint32(0)), T.shift_left(T.if_then_else(v_ax1 * T.int64(4) + T.int64(1) < T.int64(2) and v_ax0 * T.int64(32) + v_ax2 < T.int64(3), T.Cast("uint32", T.Cast("int32", leaf0[v_ax0 * T.int64(32) + v_ax2, v_ax1 * T.int64(4) + T.int64(1)]) - -128), T.uint32(0)), T.uint32(8))), T.shift_left(T.if_then_else(v_ax1 * T.int64(4) + T.int64(2) < T.int64(2) and v_ax0 * T.int64(32) + v_ax2 < T.int64(3), T.Cast("uint32", T.Cast("int32", leaf0[v_ax0 * T.int64(32) + v_ax2, v_ax1 * T.int64(4) + T.int64(2)]) - -128), T.uint32(0)), T.uint32(16))), T.shift_left(T.if_then_else(v_ax1 * T.int64(4) + T.int64(3) < T.int64(2) and v_ax0 * T.int64(32) + v_ax2 < T.int64(3), T.Cast("uint32", T.Cast("int32", leaf0[v_ax0 * T.int64(32) + v_ax2, v_ax1 * T.int64(4) + T.int64(3)]) - -128), T.uint32(0)), T.uint32(24)))

    @T.prim_func(private=True)
    def pack_scales(leaf1: T.Buffer((T.int64(3),), "float32"), pack_scales: T.Buffer((T.int64(1), T.int64(1), T.int64(32)), "float32")):
        T.func_attr({"op_pattern": 8, "tir.noalias": T.bool(True)})
        # with T.block("root"):
        for ax0, ax1, ax2 in T.grid(T.int64(1), T.int64(1), T.int64(32)):
            with T.block("pack_scales"):
                v_ax0, v_ax1, v_ax2 = T.axis.remap("SSS", [ax0, ax1, ax2])
                T.reads(leaf1[v_ax0 * T.int64(32) + v_ax2])
                T.writes(pack_scales[v_ax0, v_ax1, v_ax2])
                T.block_attr({"rlx.operator": "rearrange sss"})
                pack_scales[v_ax0, v_ax1, v_ax2] = T.if_then_else(v_ax1 * T.int64(64) < T.int64(2) and v_ax0 * T.int64(32) + v_ax2 < T.int64(3), leaf1[v_ax0 * T.int64(32) + v_ax2], T.float32(0.0))

    @T.prim_func(private=True)
    def quantized_matmul(var_rows: T.handle, words: T.Buffer((T.int64(1), T.int64(16), T.int64(32)), "uint32"), scales: T.Buffer((T.int64(1), T.int64(1), T.int64(32)), "float32"), var_product: T.handle, b: T.int64, n: T.int64):
        T.func_attr({"op_pattern": 4, "tir.noalias": T.bool(True)})
        rows = T.match_buffer(var_rows, (b * n, T.int64(2)))
        product = T.match_buffer(var_product, (b * n, T.int64(3)))
        # with T.block("root"):
        for i, j, k in T.grid(b * n, T.int64(3), T.int64(2)):
            with T.block("product"):
                v_i, v_j, v_k = T.axis.remap("SSR", [i, j, k])
                T.reads(rows[v_i, v_k], words[v_j // T.int64(32), v_k // T.int64(4), v_j % T.int64(32)], scales[v_j // T.int64(32), v_k // T.int64(64), v_j % T.int64(32)])
                T.writes(product[v_i, v_j])
                T.block_attr({"rlx.operator": "matmul mnk"})
                with T.init():
                    product[v_i, v_j] = T.float32(0.0)
                product[v_i, v_j] = product[v_i, v_j] + rows[v_i, v_k] * ((T.Cast("float32", T.bitwise_and(T.shift_right(words[v_j // T.int64(32), v_k // T.int64(4), v_j % T.int64(32)], T.Cast("uint32", v_k % T.int64(4) * T.int64(8))), T.uint32(255))) - T.float32(127.0)) * scales[v_j // T.int64(32), v_k // T.int64(64), v_j % T.int64(32)])
