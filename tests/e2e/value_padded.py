"""Values computed from padded or joined tensors: rows inside and outside take loops of their own."""
# call sum: tensor float32 [5, 9] {0, 3, 6, 2, 5, 1, 4, 0, 3, 6, 2, 5, 1, 4, 0, 3, 6, 2, 5, 1, 4, 0, 3, 6, 2, 5, 1, 4, 0, 3, 6, 2, 5, 1, 4, 0, 3, 6, 2, 5, 1, 4, 0, 3, 6}, tensor int8 [3, 4] {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12} => tensor float32 [5, 9] {0, 3, 6, 2, 5, 1, 4, 0, 3, 6, 2, 6, 3, 7, 4, 3, 6, 2, 5, 1, 9, 6, 10, 14, 2, 5, 1, 4, 0, 12, 16, 13, 17, 1, 4, 0, 3, 6, 2, 5, 1, 4, 0, 3, 6}
# call twice: tensor float32 [5, 9] {0, 3, 6, 2, 5, 1, 4, 0, 3, 6, 2, 5, 1, 4, 0, 3, 6, 2, 5, 1, 4, 0, 3, 6, 2, 5, 1, 4, 0, 3, 6, 2, 5, 1, 4, 0, 3, 6, 2, 5, 1, 4, 0, 3, 6}, tensor int8 [3, 4] {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12} => tensor float32 [5, 9] {0, -3, -6, -2, -5, -1, -4, 0, -3, -6, -2, 1, 3, 11, 4, -3, -6, -2, -5, -1, 21, 6, 25, 50, -2, -5, -1, -4, 0, 33, 64, 31, 67, -1, -4, 0, -3, -6, -2, -5, -1, -4, 0, -3, -6}
# call parts: tensor float32 [5, 9] {0, 3, 6, 2, 5, 1, 4, 0, 3, 6, 2, 5, 1, 4, 0, 3, 6, 2, 5, 1, 4, 0, 3, 6, 2, 5, 1, 4, 0, 3, 6, 2, 5, 1, 4, 0, 3, 6, 2, 5, 1, 4, 0, 3, 6}, tensor int8 [3, 4] {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12} => tensor float32 [5, 9] {0, 3, 6, 2, 5, 1, 4, 0, 3, 6, 2, 3, -3, -2, -8, 3, 6, 2, 0, 0, -5, -6, -7, -8, 0, 0, 0, 0, 0, -9, -10, -11, -12, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0}
from tvm.script import ir as I
from tvm.script import relax as R


@I.ir_module
class Module:
    @R.function
    def sum(x: R.Tensor((5, 9), "float32"), q: R.Tensor((3, 4), "int8")):
        y = R.add(x, R.astype(R.nn.pad(q, (1, 1, 2, 3)), "float32"))
        return y

    @R.function
    def twice(x: R.Tensor((5, 9), "float32"), q: R.Tensor((3, 4), "int8")):
        p = R.astype(R.nn.pad(q, (1, 1, 2, 3)), "float32")
        y = R.add(R.multiply(x, R.subtract(p, R.const(1.0, "float32"))), p)
        return y

    @R.function
    def parts(x: R.Tensor((5, 9), "float32"), q: R.Tensor((3, 4), "int8")):
        p = R.astype(R.nn.pad(q, (1, 1, 2, 3)), "float32")
        top = R.strided_slice(x, axes=[0], begin=[0], end=[2])
        rest = R.strided_slice(p, axes=[0], begin=[2], end=[5])
        y = R.subtract(R.concat([top, rest], axis=0), R.multiply(p, R.const(2.0, "float32")))
        return y
