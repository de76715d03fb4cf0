# The table may be empty: the test for that runs once per row, not per element.
@I.ir_module
class Module:
    @R.function
    def main(t: R.Tensor(("v", 64), "float32"), i: R.Tensor(("n",), "int64"), b: R.Tensor(("n", 64), "float32")):
        with R.dataflow():
            x = R.take(t, i, axis=0)
            y = R.add(x, b)
            R.output(y)
        return y
