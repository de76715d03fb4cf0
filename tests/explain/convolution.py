# Depthwise and full convolutions, and a pooling, in one graph.
@I.ir_module
class Module:
    @R.function
    def main(x: R.Tensor((1, 16, 16, 32), "float32"), w: R.Tensor((32, 3, 3, 1), "float32"), f: R.Tensor((16, 3, 3, 32), "float32")):
        with R.dataflow():
            a = R.nn.conv2d(x, w, padding=(1, 1), groups=32, data_layout="NHWC", kernel_layout="OHWI")
            b = R.nn.conv2d(a, f, padding=(1, 1), data_layout="NHWC", kernel_layout="OHWI")
            c = R.nn.relu(b)
            R.output(c)
        return c
