# Depthwise convolutions: four neighbours of a line in registers, with what follows; on a CPU lanes of a vector.
@I.ir_module
class Module:
    I.module_global_infos({"vdevice": [I.vdevice("llvm"), I.vdevice("opencl"), I.vdevice("opencl -device=cpu -vector-width=256")]})

    @R.function
    def threads(x: R.Tensor((1, 64, 34, 34), "float32", "opencl:0"), w: R.Tensor((64, 1, 3, 3), "float32", "opencl:0")):
        with R.dataflow():
            y = R.nn.relu(R.nn.conv2d(x, w, groups=64))
            R.output(y)
        return y

    @R.function
    def lanes(x: R.Tensor((1, 64, 34, 34), "float32", "opencl:1"), w: R.Tensor((64, 1, 3, 3), "float32", "opencl:1")):
        with R.dataflow():
            y = R.nn.conv2d(x, w, groups=64)
            R.output(y)
        return y
