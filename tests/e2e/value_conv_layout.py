"""Operators next to convolutions run with channels last: the same results as in NCHW."""
# call joins: tensor float32 [1, 2, 2, 2] {1, -2, 3, 0.5, 2, 1, -1, 4} => tuple(tensor float32 [1, 4, 3, 2] {0, 0, 0, 0, 0, 0, 1, -2, 3, 0.5, 0, 0, 5, 0, 1, 8.5, 0, 0, -17, 4, -9, -26.5, 0, 0}, tensor float32 [1, 4, 2, 4] {1, -2, 1, -2, 3, 0.5, 3, 0.5, 2, 1, 2, 1, -1, 4, -1, 4, 1, -2, 1, -2, 3, 0.5, 3, 0.5, 2, 1, 2, 1, -1, 4, -1, 4}, tensor float32 [1, 4, 2, 2] {23, -6, 13, 35.5, -17, 4, -9, -26.5, 11, -2, 5, 17.5, 5, 0, 1, 8.5})
# call along: tensor float32 [1, 2, 2, 2] {1, -2, 3, 0.5, 2, 1, -1, 4}, tensor float32 [4] {0.5, 1, 2, 1.5}, tensor float32 [2] {1, -3} => tuple(tensor float32 [1, 2, 2] {2.869246, 4.147172, 3.293568, -4.379478}, tensor float32 [1, 2] {3.147172, 3.57813}, tensor float32 [1, 4, 2, 2] {-0.1739216, 0.2618523, -0.1774942, 0.2151434, 1.228129, 0.9921769, 2.456113, -0.1125774, 1.385181, 5.188149, 1.621165, 2.252244, 3.640686, -0.1649339, 1.632439, 3.834253})
# call shapes: tensor float32 [1, 2, 2, 2] {1, -2, 3, 0.5, 2, 1, -1, 4}, tensor float32 [4, 4] {1, 0, 0, 1, 0, 2, 0, 0, 1, 0, 1, 0, 0, 0, 0, -1} => tuple(tensor float32 [1, 16] {21, -2, 7, 34.5, -51, 12, -27, -79.5, 22, -4, 10, 35, 5, 0, 1, 8.5}, tensor float32 [1, 2] {-85, 77.5})
from tvm.script import ir as I
from tvm.script import relax as R
from tvm.script import tir as T


@I.ir_module
class Module:
    @R.function
    def joins(x: R.Tensor(("n", 2, "h", "w"), "float32")):
        with R.dataflow():
            a = R.nn.conv2d(x, R.const([[[[1.0]], [[2.0]]], [[[3.0]], [[4.0]]], [[[-5.0]], [[-6.0]]], [[[7.0]], [[8.0]]]], "float32"))
            b = R.concat((a, x, a), axis=1)
            parts = R.split(b, indices_or_sections=[4, 6], axis=-3)
            c = parts[1]
            d = R.strided_slice(b, [1, 3], [4, 0], [10, 9], [2, 1])
            e = R.nn.pad(d, pad_width=[0, 0, 1, 0, 0, 1, 0, 0])
            f = R.tile(c, repeats=[1, 2, 1, 2])
            g = R.flip(a, axis=1)
            R.output(e, f, g)
        return (e, f, g)

    @R.function
    def along(x: R.Tensor(("n", 2, "h", "w"), "float32"), v: R.Tensor((4,), "float32"), row: R.Tensor(("w",), "float32")):
        with R.dataflow():
            a = R.nn.conv2d(x, R.const([[[[1.0]], [[2.0]]], [[[3.0]], [[4.0]]], [[[-5.0]], [[-6.0]]], [[[7.0]], [[8.0]]]], "float32"))
            b = R.subtract(R.nn.softmax(R.divide(a, R.const(8.0, "float32")), axis=1), R.const(0.5, "float32"))
            c = R.nn.prelu(b, v, axis=1)
            t = R.nn.batch_norm(c, v, v, v, v, axis=1)
            d = t[0]
            e = R.nn.instance_norm(d, v, v, channel_axis=1, axes=[2, 3])
            f = R.nn.group_norm(e, v, v, num_groups=2, channel_axis=1, axes=[2, 3])
            g = R.add(f, row)
            s = R.where(R.less(g, R.const(0.0, "float32")), g, R.const(1.0, "float32"))
            p = R.add(R.take(s, R.const(2, "int64"), axis=1), R.take(g, R.const(2, "int64"), axis=1))
            q = R.max(g, axis=[1, -1])
            r = R.nn.layer_norm(g, v, v, axes=[1])
            R.output(p, q, r)
        return (p, q, r)

    @R.function
    def shapes(x: R.Tensor(("n", 2, 2, "w"), "float32"), m: R.Tensor((4, 4), "float32")):
        n, w = T.int64(), T.int64()
        with R.dataflow():
            a = R.nn.conv2d(x, R.const([[[[1.0]], [[2.0]]], [[[3.0]], [[4.0]]], [[[-5.0]], [[-6.0]]], [[[7.0]], [[8.0]]]], "float32"))
            b = R.reshape(a, R.shape([n, 2, 2, 2, w]))
            c = R.permute_dims(b, axes=[0, 2, 1, 3, 4])
            d = R.reshape(c, R.shape([n, 4, 2, w]))
            e = R.permute_dims(R.reshape(d, R.shape([n, 4, 2 * w])), axes=[0, 2, 1])
            f = R.permute_dims(R.matmul(e, m), axes=[0, 2, 1])
            k = R.add(d, R.reshape(f, R.shape([n, 4, 2, w])))
            y = R.reshape(k, R.shape([n, 8 * w]))
            z = R.sum(R.reshape(k, R.shape([n, 2, 4 * w])), axis=[2])
            R.output(y, z)
        return (y, z)
