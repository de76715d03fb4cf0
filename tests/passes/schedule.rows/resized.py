# The source column of each column is computed once, not in every row.
@I.ir_module
class Module:
    @R.function
    def main(x: R.Tensor(("n", 3, "h", "w"), "float32")):
        h = T.int64()
        w = T.int64()
        with R.dataflow():
            y = R.image.resize2d(x, (2 * h, 2 * w), method="nearest_neighbor")
            R.output(y)
        return y
