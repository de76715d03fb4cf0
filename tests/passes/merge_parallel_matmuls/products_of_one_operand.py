# main: three products with biases that are read in another shape are merged. apart: not merged are products that are activated, of
# another shape, with the operand on the other side, with rows that are no multiple of a cache line, or that the function returns.
# columns: the parts of one product are stacked, in any order, even if some are missing. uneven: parts of two sizes are not. blocks:
# nor are sums in another block than their products.
from tvm.script import ir as I
from tvm.script import relax as R
from tvm.script import tir as T


@I.ir_module
class Module:
    @R.function
    def main(x: R.Tensor((2, "n", 3), "float32")):
        n = T.int64()
        with R.dataflow():
            wq = R.broadcast_to(R.const([[1.0], [2.0], [3.0]], "float32"), R.shape([3, 16]))
            wk = R.broadcast_to(R.const([[4.0], [5.0], [6.0]], "float32"), R.shape([3, 16]))
            wv = R.broadcast_to(R.const([[7.0], [8.0], [9.0]], "float32"), R.shape([3, 16]))
            bq = R.broadcast_to(R.const([0.5], "float32"), R.shape([16]))
            bk = R.broadcast_to(R.const([[0.25]], "float32"), R.shape([1, 16]))
            bv = R.broadcast_to(R.const([0.125], "float32"), R.shape([16]))
            q = R.add(bq, R.matmul(x, wq))
            q4 = R.reshape(q, R.shape([2, n, 4, 4]))
            k = R.add(R.matmul(x, wk), bk)
            k4 = R.reshape(k, R.shape([2, n, 4, 4]))
            v = R.add(R.matmul(x, wv), bv)
            v4 = R.reshape(v, R.shape([2, n, 4, 4]))
            y = R.nn.attention(q4, k4, v4)
            R.output(y)
        return y

    @R.function
    def apart(x: R.Tensor(("n", 3), "float32")):
        n = T.int64()
        with R.dataflow():
            w = R.broadcast_to(R.const([[1.0], [2.0], [3.0]], "float32"), R.shape([3, 16]))
            wide = R.broadcast_to(R.const([[1.0], [2.0], [3.0]], "float32"), R.shape([3, 32]))
            odd = R.broadcast_to(R.const([[1.0], [2.0], [3.0]], "float32"), R.shape([3, 5]))
            more = R.broadcast_to(R.const([[1.5], [2.5], [3.5]], "float32"), R.shape([3, 16]))
            a = R.reshape(R.matmul(x, w), R.shape([n, 4, 4]))
            active = R.nn.relu(R.matmul(x, more))
            b = R.reshape(R.matmul(x, wide), R.shape([n, 4, 8]))
            o = R.reshape(R.matmul(x, odd), R.shape([n, 5, 1]))
            p = R.reshape(R.matmul(x, R.add(odd, R.const(1.0, "float32"))), R.shape([n, 5, 1]))
            c = R.matmul(a, b)
            d = R.reshape(R.matmul(x, R.add(more, R.const(1.0, "float32"))), R.shape([n, 4, 4]))
            e = R.matmul(d, c)
            out = R.matmul(x, R.add(more, R.const(2.0, "float32")))
            R.output(active, e, o, p, out)
        return active, e, o, p, out

    @R.function
    def columns(x: R.Tensor(("n", 3), "float32")):
        n = T.int64()
        with R.dataflow():
            w = R.broadcast_to(R.const([[1.0], [2.0], [3.0]], "float32"), R.shape([3, 48]))
            b = R.broadcast_to(R.const([0.5], "float32"), R.shape([48]))
            y = R.add(R.matmul(x, w), b)
            last = R.reshape(R.strided_slice(y, axes=[-1], begin=[-16], end=[48]), R.shape([n, 4, 4]))
            first = R.reshape(R.strided_slice(y, axes=[1], begin=[0], end=[16]), R.shape([n, 4, 4]))
            out = R.matmul(last, first)
            R.output(out)
        return out

    @R.function
    def uneven(x: R.Tensor(("n", 3), "float32")):
        n = T.int64()
        with R.dataflow():
            w = R.broadcast_to(R.const([[1.0], [2.0], [3.0]], "float32"), R.shape([3, 48]))
            y = R.matmul(x, w)
            few = R.reshape(R.strided_slice(y, axes=[1], begin=[0], end=[16]), R.shape([n, 4, 4]))
            many = R.reshape(R.strided_slice(y, axes=[1], begin=[16], end=[48]), R.shape([n, 4, 8]))
            out = R.matmul(few, many)
            R.output(out)
        return out

    @R.function
    def blocks(x: R.Tensor(("n", 3), "float32")):
        n = T.int64()
        with R.dataflow():
            w = R.broadcast_to(R.const([[1.0], [2.0], [3.0]], "float32"), R.shape([3, 16]))
            more = R.broadcast_to(R.const([[1.5], [2.5], [3.5]], "float32"), R.shape([3, 16]))
            y = R.matmul(x, w)
            z = R.matmul(x, more)
            R.output(y, z)
        with R.dataflow():
            b = R.broadcast_to(R.const([0.5], "float32"), R.shape([16]))
            y4 = R.reshape(R.add(y, b), R.shape([n, 4, 4]))
            z4 = R.reshape(R.add(z, b), R.shape([n, 4, 4]))
            out = R.matmul(y4, z4)
            R.output(out)
        return out
