# Indices that were made in range on the CPU keep their range on a device: nothing checks them there.
from tvm.script import ir as I
from tvm.script import relax as R


@I.ir_module
class Module:
    I.module_global_infos({"vdevice": [I.vdevice("llvm"), I.vdevice("opencl")]})

    @R.function
    def main(x: R.Tensor((5, 2), "float32", "opencl:0"), i: R.Tensor(("n",), "int64", "llvm:0")):
        with R.dataflow():
            a = R.clip(i, R.prim_value(0), R.prim_value(4))
            b = R.to_vdevice(a, "opencl:0")
            y = R.take(x, b, axis=0)
            R.output(y)
        return y
