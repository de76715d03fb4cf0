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
