# Weights are read in their stored type: by tiles of floats, and for one row in integers.
@I.ir_module
class Module:
    @R.function
    def main(x: R.Tensor(("n", 8), "float32")):
        n = T.int64()
        with R.dataflow():
            w = R.dequantize(R.const([[-3, 0, 3, -1, 2, -2, 1, -3], [2, -2, 1, -3, 0, 3, -1, 2], [0, 3, -1, 2, -2, 1, -3, 0], [-2, 1, -3, 0, 3, -1, 2, -2], [3, -1, 2, -2, 1, -3, 0, 3], [1, -3, 0, 3, -1, 2, -2, 1], [-1, 2, -2, 1, -3, 0, 3, -1], [-3, 0, 3, -1, 2, -2, 1, -3]], "int8"), R.const(0.5, "float32"), R.const(-1, "int8"), out_dtype="float32", axis=1)
            y = R.matmul(x, w)
            R.output(y)
        return y
