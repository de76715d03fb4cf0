# error => R.nn.conv2d: 6, dimension C of the result, is not a multiple of 4, which layout "NCHW4c" needs
from tvm.script import ir as I, relax as R, tir as T
@I.ir_module
class Module:
    @R.function
    def main(x: R.Tensor((1, 2, 8, 8, 4), "float32"), w: R.Tensor((6, 8, 3, 3), "float32")):
        y = R.nn.conv2d(x, w, data_layout="NCHW4c", kernel_layout="OIHW", out_layout="NCHW4c")
        return y
