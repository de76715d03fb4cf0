# With ceil_mode every window still reads an element, so the bytes are pooled.
@I.ir_module
class Module:
    @R.function
    def main(x: R.Tensor(("n", 8, "h", "w"), "uint8")):
        with R.dataflow():
            xd = R.dequantize(x, R.const(0.5, "float32"), R.const(3, "uint8"))
            y = R.nn.max_pool2d(xd, pool_size=[3, 3], strides=[2, 2], ceil_mode=True)
            R.output(y)
        return y
