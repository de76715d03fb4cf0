# Rows of int8 are copied out with their sums, then multiplied by words of the weight.
@I.ir_module
class Module:
    @R.function
    def main(x: R.Tensor(("n", 8), "int8")):
        n = T.int64()
        with R.dataflow():
            xi = R.astype(x, dtype="int32")
            w = R.astype(R.const([[-3, 0, 3, -1, 2, -2, 1, -3], [2, -2, 1, -3, 0, 3, -1, 2], [0, 3, -1, 2, -2, 1, -3, 0], [-2, 1, -3, 0, 3, -1, 2, -2], [3, -1, 2, -2, 1, -3, 0, 3], [1, -3, 0, 3, -1, 2, -2, 1], [-1, 2, -2, 1, -3, 0, 3, -1], [-3, 0, 3, -1, 2, -2, 1, -3]], "int8"), dtype="int32")
            wc = R.subtract(w, R.const(1, "int32"))
            y = R.matmul(xi, wc)
            R.output(y)
        return y
