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
