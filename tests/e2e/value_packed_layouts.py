# Convolutions and pooling in packed layouts equal those in plain layouts.
# call conv: => tuple(tensor float32 [] {0}, tensor float32 [] {0})
# call pools: => tuple(tensor float32 [] {0}, tensor float32 [] {0}, tensor float32 [] {0})
# call resized: tensor float32 [1, 1, 1, 1, 4] {1, 2, 3, 4} => tensor float32 [1, 1, 2, 1, 4] {1, 2, 3, 4, 1, 2, 3, 4}
# call sizes: tensor float32 [2, 1, 2, 2, 2] {1, 5, 2, 6, 3, 7, 4, 8, 1, 0, 0, 0, 0, 0, 0, -1} => tensor float32 [2, 1, 1, 1, 2] {4, 8, 1, 0}
from tvm.script import ir as I, relax as R, tir as T
@I.ir_module
class Module:
    @R.function
    def conv():
        x = R.reshape(R.arange(0, 288, 1, "float32"), (1, 8, 6, 6))
        w = R.reshape(R.arange(0, 864, 1, "float32"), (12, 8, 3, 3))
        a = R.layout_transform(x, index_map=lambda n, c, h, w: (n, c // 4, h, w, c % 4))
        b = R.layout_transform(w, index_map=lambda o, i, h, w: (o // 4, i // 4, h, w, i % 4, o % 4))
        p: R.Tensor((1, 3, 6, 6, 4), "float32") = R.nn.conv2d(a, b, padding=(1, 1), data_layout="NCHW4c", kernel_layout="OIHW4i4o", out_layout="NCHW4c")
        v: R.Tensor((1, 12, 6, 6), "float32") = R.nn.conv2d(a, w, padding=(1, 1), data_layout="NCHW4c", out_layout="NCHW")
        y = R.nn.conv2d(x, w, padding=(1, 1))
        q = R.layout_transform(y, index_map=lambda n, c, h, w: (n, c // 4, h, w, c % 4))
        return (R.max(R.abs(R.subtract(p, q))), R.max(R.abs(R.subtract(v, y))))
    @R.function
    def pools():
        x = R.reshape(R.arange(0, 288, 1, "float32"), (1, 8, 6, 6))
        a = R.layout_transform(x, index_map=lambda n, c, h, w: (n, c // 4, h, w, c % 4))
        m = R.nn.max_pool2d(a, (3, 3), (2, 2), (1, 1), layout="NCHW4c")
        v = R.nn.avg_pool2d(a, (2, 2), (2, 2), layout="NCHW4c", ceil_mode=True)
        d = R.nn.adaptive_avg_pool2d(a, (2, 3), layout="NCHW4c")
        m1 = R.layout_transform(R.nn.max_pool2d(x, (3, 3), (2, 2), (1, 1)), index_map=T.index_map(lambda n, c, h, w: (n, c // 4, h, w, c % 4)))
        v1 = R.layout_transform(R.nn.avg_pool2d(x, (2, 2), (2, 2), ceil_mode=True), index_map=lambda n, c, h, w: (n, c // 4, h, w, c % 4))
        d1 = R.layout_transform(R.nn.adaptive_avg_pool2d(x, (2, 3)), index_map=lambda n, c, h, w: (n, c // 4, h, w, c % 4))
        return (R.max(R.abs(R.subtract(m, m1))), R.max(R.abs(R.subtract(v, v1))), R.max(R.abs(R.subtract(d, d1))))
    @R.function
    def sizes(x: R.Tensor(("n", "k", "h", "w", 2), "float32")):
        y = R.nn.max_pool2d(x, (2, 2), (2, 2), layout="NCHW2c")
        return y
    @R.function
    def resized(x: R.Tensor(("n", "k", "h", "w", 4), "float32")):
        h = T.int64()
        w = T.int64()
        y = R.image.resize2d(x, (h * 2, w), layout="NCHW4c", method="nearest_neighbor", coordinate_transformation_mode="asymmetric")
        return y
