# --default-device opencl:0
# A whole model on a device; what computes shapes, counters and conditions stays on the CPU.
from tvm.script import ir as I
from tvm.script import relax as R
from tvm.script import tir as T
@I.ir_module
class Module:
    @R.function
    def main(x: R.Tensor(("n", 4), "float32"), w: R.Tensor((4, 4), "float32"), rows: R.Tensor((), "int64")):
        n = T.int64()
        m = T.int64()
        with R.dataflow():
            a = R.matmul(x, w)
            s = R.shape_to_tensor(R.shape_of(a))
            t = R.multiply(s, R.const([2, 1], "int64"))
            u = R.tensor_to_shape(R.concat((R.expand_dims(rows, 0), t)))
            u2 = R.match_cast(u, R.Shape([3, n, m]))
            b = R.broadcast_to(a, R.shape([2, n, 4]))
            c = R.add(b, R.const(1, "float32"))
            R.output(c, u2)
        return c
    @R.function
    def count(i: R.Tensor((), "int64"), x: R.Tensor((4,), "float32")) -> R.Tensor((4,), "float32"):
        cls = Module
        more = R.less(i, R.const(8, "int64"))
        if more:
            y = cls.count(R.add(i, R.const(1, "int64")), R.add(x, x))
        else:
            y = x
        return y
