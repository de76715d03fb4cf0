# Gradients of take, nll_loss and pooling: repeated and negative indices, ignored classes, ties, NaN, windows
# over the border, any order of the dimensions, empty tensors.
# call taken: tensor float32 [3] {1, 2, 4}, tensor int64 [3] {0, -1, 0}, tensor float32 [2] {9, 9} => tensor float32 [2] {5, 2}
# call taken: tensor float32 [0] {}, tensor int64 [0] {}, tensor float32 [2] {9, 9} => tensor float32 [2] {0, 0}
# fail taken: tensor float32 [1] {1}, tensor int64 [1] {2}, tensor float32 [2] {9, 9} => index 2 at [0] is out of range
# fail taken: tensor float32 [2] {1, 1}, tensor int64 [1] {1}, tensor float32 [2] {9, 9} => output_grad
# call inner: tensor float32 [2, 2, 1, 2] {1, 2, 3, 4, 5, 6, 7, 8}, tensor int32 [2, 1] {1, 1}, tensor float32 [2, 3, 2] {0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0} => tensor float32 [2, 3, 2] {0, 0, 4, 6, 0, 0, 0, 0, 12, 14, 0, 0}
# call mean: tensor float32 [] {6}, tensor float32 [3, 2] {0, 0, 0, 0, 0, 0}, tensor int64 [3] {0, 1, 5}, tensor float32 [2] {1, 2} => tensor float32 [3, 2] {-2, 0, 0, -4, 0, 0}
# fail mean: tensor float32 [] {6}, tensor float32 [1, 2] {0, 0}, tensor int64 [1] {2}, tensor float32 [2] {1, 2} => class 2 at [0] is out of range
# call each: tensor float32 [1, 2] {3, 5}, tensor float32 [1, 2, 2] {0, 0, 0, 0}, tensor int64 [1, 2] {1, 0} => tensor float32 [1, 2, 2] {0, -5, -3, 0}
# call vector: tensor float32 [] {2}, tensor float32 [3] {0, 0, 0}, tensor int64 [] {1} => tensor float32 [3] {0, -2, 0}
# call largest: tensor float32 [1, 1, 1, 3] {1, 2, 4}, tensor float32 [1, 1, 1, 4] {3, 3, 1, nan} => tensor float32 [1, 1, 1, 4] {1, 2, 0, 4}
# call largest: tensor float32 [1, 1, 1, 1] {7}, tensor float32 [1, 1, 1, 2] {-inf, -inf} => tensor float32 [1, 1, 1, 2] {7, 0}
# call shares: tensor float32 [1, 2, 1, 1] {4, 6}, tensor float32 [1, 3, 1, 1] {0, 0, 0} => tensor float32 [1, 3, 1, 1] {2, 2, 6}
# call marked: tensor float32 [2] {1, 2} => tuple(tensor float32 [2] {2, 4}, tensor float32 [2] {1, 2}, shape [2])
from tvm.script import ir as I, relax as R, tir as T
@I.ir_module
class Module:
    @R.function
    def taken(g: R.Tensor(("k",), "float32"), i: R.Tensor(("m",), "int64"), x: R.Tensor(("n",), "float32")):
        return R.grad.take_backward(g, x, i, mode="")
    @R.function
    def inner(g: R.Tensor((2, "k", 1, "c"), "float32"), i: R.Tensor(("k", 1), "int32"), x: R.Tensor((2, "n", "c"), "float32")):
        return R.grad.take_backward(g, x, i, axis=-2)
    @R.function
    def mean(g: R.Tensor((), "float32"), p: R.Tensor(("n", "c"), "float32"), t: R.Tensor(("n",), "int64"), w: R.Tensor(("c",), "float32")):
        return R.grad.nll_loss_backward(g, p, t, w, reduction="mean", ignore_index=5)
    @R.function
    def each(g: R.Tensor(("n", "m"), "float32"), p: R.Tensor(("n", "c", "m"), "float32"), t: R.Tensor(("n", "m"), "int64")):
        return R.grad.nll_loss_backward(g, p, t, reduction="none")
    @R.function
    def vector(g: R.Tensor((), "float32"), p: R.Tensor(("c",), "float32"), t: R.Tensor((), "int64")):
        return R.grad.nll_loss_backward(g, p, t, reduction="sum")
    @R.function
    def largest(g: R.Tensor((1, 1, 1, "k"), "float32"), x: R.Tensor((1, 1, 1, "n"), "float32")):
        return R.grad.max_pool2d_backward(g, x, pool_size=[1, 2])
    @R.function
    def shares(g: R.Tensor((1, "k", 1, 1), "float32"), x: R.Tensor((1, "n", 1, 1), "float32")):
        return R.grad.avg_pool2d_backward(g, x, pool_size=[2, 1], strides=[2, 1], ceil_mode=True, layout="NHWC", out_layout="NHWC")
    @R.function
    def marked(x: R.Tensor(("n",), "float32")):
        n = T.int64()
        a = R.grad.start_checkpoint(x)
        b = R.grad.end_checkpoint(R.add(a, a))
        return (b, R.grad.no_grad(x), R.grad.no_grad(R.shape([n])))
