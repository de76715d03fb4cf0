# The largest dequantized values have the largest bytes, so a pooling reads the bytes, unless the scale is negative.
from tvm.script import ir as I
from tvm.script import relax as R
from tvm.script import tir as T


@I.ir_module
class Module:
    @R.function
    def main(x: R.Tensor(("n", 4, 8, 8), "uint8"), y: R.Tensor(("n", 4, 8, 8), "float32")):
        n = T.int64()
        with R.dataflow():
            d = R.dequantize(x, R.const(0.5, "float32"), R.const(3, "uint8"), out_dtype="float32", axis=1)
            a = R.nn.max_pool2d(d, pool_size=[2, 2], strides=[2, 2], padding=[0, 0, 0, 0])
            e = R.dequantize(x, R.const(-0.5, "float32"), R.const(3, "uint8"), out_dtype="float32", axis=1)
            b = R.nn.max_pool2d(e, pool_size=[2, 2], strides=[2, 2], padding=[0, 0, 0, 0])
            c = R.nn.max_pool2d(y, pool_size=[2, 2], strides=[2, 2], padding=[0, 0, 0, 0])
            r = (a, b, c)
            R.output(r)
        return r
