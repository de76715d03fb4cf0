# A symbolic number of columns: border columns are computed one by one, in vectors of channels.
@I.ir_module
class Module:
    @R.function
    def main(x: R.Tensor((1, 40, "n", "m"), "float32")):
        with R.dataflow():
            w = R.broadcast_to(R.const(1.0, "float32"), (40, 1, 3, 3))
            y = R.nn.conv2d(x, w, padding=(1, 1), groups=40)
            R.output(y)
        return y
