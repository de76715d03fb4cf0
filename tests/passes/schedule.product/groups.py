# A convolution in groups is a product of each group: its batch.
@I.ir_module
class Module:
    I.module_global_infos({"vdevice": [I.vdevice("llvm"), I.vdevice("opencl")]})

    @R.function
    def main(x: R.Tensor((1, 64, 18, 18), "float32", "opencl:0"), w: R.Tensor((64, 16, 3, 3), "float32", "opencl:0")):
        with R.dataflow():
            y = R.nn.conv2d(x, w, groups=4)
            R.output(y)
        return y
