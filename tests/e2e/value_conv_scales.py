"""Per-channel scales and shifts of convolutions, where other readers or odd values prevent folding them."""
# call read_between: tensor float32 [1, 2, 1, 1] {1, 2} => tuple(tensor float32 [1, 2, 1, 1] {3, 5}, tensor float32 [1, 2, 1, 1] {1.5, 35})
# call whole_norm: tensor float32 [1, 2, 1, 1] {1, 2} => tuple(tensor float32 [1, 2, 1, 1] {1, 7}, tensor float32 [2] {1, 5}, tensor float32 [2] {4, 1})
# call norm_twice: tensor float32 [1, 2, 1, 1] {1, 2} => tuple(tensor float32 [1, 2, 1, 1] {0.5, 49}, tensor float32 [1, 2, 1, 1] {2, 3})
# call norm_between: tensor float32 [1, 2, 1, 1] {1, 2} => tuple(tensor float32 [1, 2, 1, 1] {1, 7}, tensor float32 [1, 2, 1, 1] {0.5, 49})
# call norm_alone: tensor float32 [1, 2, 1, 1] {1, 2} => tuple(tensor float32 [1, 2, 1, 1] {5.5, 6}, tensor float32 [1, 2, 1, 1] {inf, 3})
# call norm_narrow: tensor float16 [1, 2, 1, 1] {1, 3} => tensor float16 [1, 2, 1, 1] {5.5, 10}
# call by_zero: tensor float32 [1, 2, 1, 1] {1, 2} => tensor float32 [1, 2, 1, 1] {inf, 3}
from tvm.script import ir as I
from tvm.script import relax as R
from tvm.script import tir as T


@I.ir_module
class Module:
    @R.function
    def read_between(x: R.Tensor(("n", 2, 1, 1), "float32")):
        with R.dataflow():
            a = R.nn.conv2d(x, R.const([[[[1.0]], [[0.0]]], [[[1.0]], [[1.0]]]], "float32"))
            b = R.multiply(a, R.const([[[2.0]], [[3.0]]], "float32"))
            c = R.add(b, R.const([[[1.0]], [[-4.0]]], "float32"))
            d = R.multiply(c, R.const([[[0.5]], [[7.0]]], "float32"))
            R.output(c, d)
        return (c, d)

    @R.function
    def whole_norm(x: R.Tensor(("n", 2, 1, 1), "float32")):
        with R.dataflow():
            a = R.nn.conv2d(x, R.const([[[[1.0]], [[0.0]]], [[[1.0]], [[1.0]]]], "float32"))
            b = R.multiply(a, R.const([[[2.0]], [[3.0]]], "float32"))
            t = R.nn.batch_norm(b, R.const([1.0, 2.0], "float32"), R.const([0.5, -1.0], "float32"), R.const([1.0, 5.0], "float32"), R.const([4.0, 1.0], "float32"), axis=1, epsilon=0.0)
            R.output(t)
        return t

    @R.function
    def norm_twice(x: R.Tensor(("n", 2, 1, 1), "float32")):
        with R.dataflow():
            a = R.nn.conv2d(x, R.const([[[[1.0]], [[0.0]]], [[[1.0]], [[1.0]]]], "float32"))
            b = R.multiply(a, R.const([[[2.0]], [[3.0]]], "float32"))
            t = R.nn.batch_norm(b, R.const([1.0, 2.0], "float32"), R.const([0.5, -1.0], "float32"), R.const([1.0, 5.0], "float32"), R.const([4.0, 1.0], "float32"), axis=1, epsilon=0.0)
            g = t[0]
            h = t[0]
            c = R.multiply(g, R.const([[[0.5]], [[7.0]]], "float32"))
            d = R.add(h, R.const([[[1.0]], [[-4.0]]], "float32"))
            R.output(c, d)
        return (c, d)

    @R.function
    def norm_between(x: R.Tensor(("n", 2, 1, 1), "float32")):
        with R.dataflow():
            a = R.nn.conv2d(x, R.const([[[[1.0]], [[0.0]]], [[[1.0]], [[1.0]]]], "float32"))
            b = R.multiply(a, R.const([[[2.0]], [[3.0]]], "float32"))
            t = R.nn.batch_norm(b, R.const([1.0, 2.0], "float32"), R.const([0.5, -1.0], "float32"), R.const([1.0, 5.0], "float32"), R.const([4.0, 1.0], "float32"), axis=1, epsilon=0.0)
            g = t[0]
            c = R.multiply(g, R.const([[[0.5]], [[7.0]]], "float32"))
            R.output(g, c)
        return (g, c)

    @R.function
    def by_zero(x: R.Tensor(("n", 2, 1, 1), "float32")):
        with R.dataflow():
            a = R.nn.conv2d(x, R.const([[[[1.0]], [[0.0]]], [[[1.0]], [[1.0]]]], "float32"))
            b = R.divide(a, R.const([[[0.0]], [[1.0]]], "float32"))
            R.output(b)
        return b

    @R.function
    def norm_alone(x: R.Tensor((1, 2, 1, 1), "float32")):
        with R.dataflow():
            a = R.nn.relu(x)
            b = R.nn.batch_norm(a, R.const([1.0, 4.0], "float32"), R.const([5.0, 6.0], "float32"), R.const([0.0, 2.0], "float32"), R.const([4.0, 1.0], "float32"), axis=1, epsilon=0.0)
            c = R.nn.batch_norm(a, R.const([1.0, 1.0], "float32"), R.const([0.0, 1.0], "float32"), R.const([0.0, 0.0], "float32"), R.const([0.0, 1.0], "float32"), axis=1, epsilon=0.0)
            d = (b[0], c[0])
            R.output(d)
        return d

    @R.function
    def norm_narrow(x: R.Tensor((1, 2, 1, 1), "float16")):
        with R.dataflow():
            b = R.nn.batch_norm(x, R.const([1.0, 4.0], "float16"), R.const([5.0, 6.0], "float16"), R.const([0.0, 2.0], "float16"), R.const([4.0, 1.0], "float16"), axis=1, epsilon=0.0)
            c = b[0]
            R.output(c)
        return c
