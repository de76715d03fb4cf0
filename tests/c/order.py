# Lines of any length in order, along the middle of three axes: the values, where they are, and the largest five.
@I.ir_module
class Module:
    @R.function
    def main(x: R.Tensor((2, "n", 3), dtype="float32"), y: R.Tensor((2, "n", 3), dtype="int8")):
        n = T.int64()
        with R.dataflow():
            up = R.sort(x, axis=1)
            down = R.sort(x, axis=1, descending=True)
            places = R.argsort(y, axis=1, descending=True, dtype="int64")
            largest = R.topk(y, k=5, axis=1, ret_type="both", largest=True, dtype="int32")
            R.output(up, down, places, largest)
        return (up, down, places, largest)
