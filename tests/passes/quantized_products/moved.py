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
