"""Functions of one number of 8 bits, which become look-ups in a table; lines end within a vector."""
# call hard_swish: tensor uint8 [20, 4] {3, 32, 61, 90, 119, 148, 177, 206, 235, 8, 37, 66, 95, 124, 153, 182, 211, 240, 13, 42, 71, 100, 129, 158, 187, 216, 245, 18, 47, 76, 105, 134, 163, 192, 221, 250, 23, 52, 81, 110, 139, 168, 197, 226, 255, 28, 57, 86, 115, 144, 173, 202, 231, 4, 33, 62, 91, 120, 149, 178, 207, 236, 9, 38, 67, 96, 125, 154, 183, 212, 241, 14, 43, 72, 101, 130, 159, 188, 217, 246} => tensor uint8 [20, 4] {12, 12, 4, 1, 21, 64, 124, 172, 220, 12, 12, 2, 3, 26, 74, 132, 180, 229, 12, 12, 1, 5, 33, 84, 140, 189, 237, 12, 12, 0, 8, 40, 95, 149, 197, 245, 12, 10, 0, 12, 48, 107, 157, 205, 254, 12, 7, 0, 17, 56, 117, 165, 214, 12, 12, 4, 1, 22, 66, 125, 174, 222, 12, 12, 2, 3, 28, 76, 134, 182, 230, 12, 12, 0, 6, 34, 86, 142, 190, 239}
# call signed: tensor int8 [86] {-128, -125, -122, -119, -116, -113, -110, -107, -104, -101, -98, -95, -92, -89, -86, -83, -80, -77, -74, -71, -68, -65, -62, -59, -56, -53, -50, -47, -44, -41, -38, -35, -32, -29, -26, -23, -20, -17, -14, -11, -8, -5, -2, 1, 4, 7, 10, 13, 16, 19, 22, 25, 28, 31, 34, 37, 40, 43, 46, 49, 52, 55, 58, 61, 64, 67, 70, 73, 76, 79, 82, 85, 88, 91, 94, 97, 100, 103, 106, 109, 112, 115, 118, 121, 124, 127} => tensor int8 [86] {15, 14, 12, 10, 9, 7, 6, 4, 3, 1, 0, -2, -3, -4, -5, -6, -7, -8, -9, -10, -11, -12, -13, -14, -14, -15, -16, -16, -17, -17, -18, -18, -19, -19, -19, -20, -20, -20, -20, -20, -20, -20, -20, -20, -20, -19, -19, -19, -18, -18, -18, -17, -17, -16, -15, -15, -14, -13, -12, -12, -11, -10, -9, -8, -7, -6, -4, -3, -2, -1, 1, 2, 4, 5, 7, 8, 10, 11, 13, 15, 17, 18, 20, 22, 24, 26}
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
    def signed(x: R.Tensor(("n",), "int8")):
        with R.dataflow():
            d = R.multiply(R.astype(R.add(R.astype(x, "int32"), R.const(9, "int32")), "float32"), R.const(0.1, "float32"))
            e = R.multiply(R.multiply(d, d), R.const([0.25], "float32"))
            y = R.astype(R.round(R.subtract(e, R.const(20.0, "float32"))), "int8")
            R.output(y)
        return y
