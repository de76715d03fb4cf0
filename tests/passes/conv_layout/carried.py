# from tvm.script import ir as I
# from tvm.script import tir as T
# from tvm.script import relax as R

@I.ir_module
class Module:
    @R.function
    def joins(x: R.Tensor(("n", 2, "h", "w"), dtype="float32")):
        n, h, w = T.int64(), T.int64(), T.int64()
        with R.dataflow():
            a = R.nn.conv2d(x, R.const([[[[1.0]], [[2.0]]], [[[3.0]], [[4.0]]], [[[5.0]], [[6.0]]], [[[7.0]], [[8.0]]]], "float32"))
            b = R.concat((a, x, a), axis=1)
            parts = R.split(b, indices_or_sections=[4, 6], axis=-3)
            c = parts[1]
            d = R.strided_slice(b, [1, 3], [4, 0], [10, 9], [2, 1])
            e = R.nn.pad(d, pad_width=[0, 0, 1, 0, 2, 3, 0, 4])
            f = R.tile(c, repeats=[1, 2, 1, 3])
            g = R.image.resize2d(c, R.shape([7, 9]), layout="NCHW", method="nearest_neighbor")
            R.output(e, f, g)
        return (e, f, g)

    @R.function
    def along(x: R.Tensor(("n", 2, "h", "w"), dtype="float32"), v: R.Tensor((4,), dtype="float32"), row: R.Tensor(("w",), dtype="float32"), at: R.Tensor((), dtype="int64")):
        n, h, w = T.int64(), T.int64(), T.int64()
        with R.dataflow():
            a = R.nn.conv2d(x, R.const([[[[1.0]], [[2.0]]], [[[3.0]], [[4.0]]], [[[5.0]], [[6.0]]], [[[7.0]], [[8.0]]]], "float32"))
            b = R.nn.softmax(a, axis=1)
            c = R.nn.prelu(b, v, axis=1)
            t = R.nn.batch_norm(c, v, v, v, v, axis=1)
            d = t[0]
            e = R.nn.instance_norm(d, v, v, channel_axis=1, axes=[2, 3])
            f = R.nn.group_norm(e, v, v, num_groups=2, channel_axis=1, axes=[2, 3])
            g = R.add(f, row)
            s = R.where(R.less(g, R.const(0.0, "float32")), g, R.const(1.0, "float32"))
            p = R.take(s, at, axis=1)
            q = R.max(s, axis=[1, -1])
            r = R.nn.layer_norm(s, v, v, axes=[1])
            R.output(p, q, r)
        return (p, q, r)

    @R.function
    def shapes(x: R.Tensor(("n", 2, 6, "w"), dtype="float32"), m: R.Tensor((4, 4), dtype="float32")):
        n, w = T.int64(), T.int64()
        with R.dataflow():
            a = R.nn.conv2d(x, R.const([[[[1.0]], [[2.0]]], [[[3.0]], [[4.0]]], [[[5.0]], [[6.0]]], [[[7.0]], [[8.0]]]], "float32"))
            # channels shuffled
            b = R.reshape(a, R.shape([n, 2, 2, 6, w]))
            c = R.permute_dims(b, axes=[0, 2, 1, 3, 4])
            d = R.reshape(c, R.shape([n, 4, 6, w]))
            # pixels as rows of a product, and back
            e = R.reshape(d, R.shape([n, 4, 6 * w]))
            f = R.permute_dims(e, axes=[0, 2, 1])
            g = R.matmul(f, m)
            i = R.permute_dims(g, axes=[0, 2, 1])
            j = R.reshape(i, R.shape([n, 4, 6, w]))
            k = R.add(d, j)
            # non-adjacent dimensions are transposed
            y = R.reshape(k, R.shape([n, 24 * w]))
            R.output(y)
        return y

    @R.function
    def said(x: R.Tensor(("n", 2, "h", "w"), dtype="float32")):
        n, h, w = T.int64(), T.int64(), T.int64()
        with R.dataflow():
            a = R.nn.conv2d(x, R.const([[[[1.0]], [[2.0]]], [[[3.0]], [[4.0]]], [[[5.0]], [[6.0]]], [[[7.0]], [[8.0]]]], "float32"))
            b = R.match_cast(a, R.Tensor((n, 4, 8, w), dtype="float32"))
            c = R.broadcast_to(R.mean(b, axis=[2], keepdims=True), R.shape([n, 4, 5, w]))
            R.output(c)
        return c

    @R.function
    def groups(x: R.Tensor(("n", 2, "h", "w"), dtype="float32"), v: R.Tensor((4, 1, 1), dtype="float32")):
        n, h, w = T.int64(), T.int64(), T.int64()
        with R.dataflow():
            a = R.nn.conv2d(x, R.const([[[[1.0]], [[2.0]]], [[[3.0]], [[4.0]]], [[[5.0]], [[6.0]]], [[[7.0]], [[8.0]]]], "float32"))
            b = R.reshape(a, R.shape([n, 2, 2 * h * w]))
            c = R.subtract(b, R.mean(b, axis=[2], keepdims=True))
            d = R.divide(c, R.sqrt(R.add(R.variance(b, axis=[-1], keepdims=True), R.const(0.5, "float32"))))
            e = R.multiply(d, R.const([[[1.0], [2.0]]], "float32"))
            f = R.reshape(e, R.shape([n, 4, h, w]))
            g = R.multiply(f, v)
            q = R.max(b, axis=[2])
            # a network that transposes explicitly
            i = R.permute_dims(g, axes=[0, 2, 3, 1])
            j = R.matmul(i, R.const([[1.0, 2.0, 3.0, 4.0], [0.0, 1.0, 0.0, 1.0], [1.0, 0.0, 1.0, 0.0], [0.0, 0.0, 1.0, 1.0]], "float32"))
            k = R.permute_dims(j, axes=[0, 3, 1, 2])
            m = R.multiply(k, R.const([[[1.0]], [[2.0]], [[3.0]], [[4.0]]], "float32"))
            y = R.add(g, m)
            R.output(y, q)
        return (y, q)
