# from tvm.script import ir as I
# from tvm.script import tir as T
# from tvm.script import relax as R

@I.ir_module
class Module:
    @R.function
    def main(x: R.Tensor(("n", 16, "h", 8), dtype="float32"), w: R.Tensor((16, 2, 4, 3), dtype="float32")):
        n = T.int64()
        h = T.int64()
        with R.dataflow():
            y = R.nn.conv2d_transpose(x, w, strides=[2, 3], padding=[1, 0, 1, 0], dilation=[1, 2])
            R.output(y)
        return y
