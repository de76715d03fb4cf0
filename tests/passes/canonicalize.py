# ==== tuples_and_copies
from tvm.script import ir as I
from tvm.script import relax as R
from tvm.script import tir as T


@I.ir_module
class Module:
    @R.function
    def main(x: R.Tensor(("n",), "float32"), y: R.Tensor(("n",), "float32")) -> R.Tensor(("n",), "float32"):
        n = T.int64()
        with R.dataflow():
            a = x
            t = (a, y)
            b = t[1]
            c = R.match_cast(b, R.Tensor((n,), "float32"))
            d = R.add(c, t[0])
            R.output(d)
        return d
# ---- expected
# from tvm.script import ir as I
# from tvm.script import tir as T
# from tvm.script import relax as R

@I.ir_module
class Module:
    @R.function
    def main(x: R.Tensor(("n",), dtype="float32"), y: R.Tensor(("n",), dtype="float32")) -> R.Tensor(("n",), dtype="float32"):
        n = T.int64()
        with R.dataflow():
            t: R.Tuple(R.Tensor((n,), dtype="float32"), R.Tensor((n,), dtype="float32")) = (x, y)
            d: R.Tensor((n,), dtype="float32") = R.add(y, x)
            R.output(d)
        return d

# ==== padding
from tvm.script import ir as I
from tvm.script import relax as R
from tvm.script import tir as T


@I.ir_module
class Module:
    @R.function
    def main(x: R.Tensor(("n", 4, "h", 8), "float32"), w: R.Tensor((4, 4, 3, 3), "float32"), v: R.Tensor((4, 6, 3, 3), "float32")):
        with R.dataflow():
            zero = R.nn.pad(x, [0, 0, 0, 0, 1, 2, 0, 1])
            low = R.nn.pad(x, [0, 0, 0, 0, 1, 2, 0, 1], pad_value=T.float32("-inf"))
            deep = R.nn.pad(x, [0, 0, 1, 1, 0, 1, 0, 1])
            taken = R.nn.conv2d(zero, w, padding=1)
            taken_max = R.nn.max_pool2d(low, [2, 2])
            taken_mean = R.nn.avg_pool2d(zero, [2, 2])
            other_value = R.nn.conv2d(low, w)
            other_axis = R.nn.conv2d(deep, v)
            zeros_count = R.nn.max_pool2d(zero, [2, 2])
            not_counted = R.nn.avg_pool2d(zero, [3, 3], padding=1, count_include_pad=False)
            rounded_up = R.nn.max_pool2d(low, [2, 2], strides=2, ceil_mode=True)
            r = (taken, taken_max, taken_mean, other_value, other_axis, zeros_count, not_counted, rounded_up)
            R.output(r)
        return r
# ---- expected
# from tvm.script import ir as I
# from tvm.script import tir as T
# from tvm.script import relax as R

@I.ir_module
class Module:
    @R.function
    def main(x: R.Tensor(("n", 4, "h", 8), dtype="float32"), w: R.Tensor((4, 4, 3, 3), dtype="float32"), v: R.Tensor((4, 6, 3, 3), dtype="float32")) -> R.Tuple(R.Tensor(("n", 4, "h + 3", 9), dtype="float32"), R.Tensor(("n", 4, "h + 2", 8), dtype="float32"), R.Tensor(("n", 4, "h + 2", 8), dtype="float32"), R.Tensor(("n", 4, "h + 1", 7), dtype="float32"), R.Tensor(("n", 4, "h - 1", 7), dtype="float32"), R.Tensor(("n", 4, "h + 2", 8), dtype="float32"), R.Tensor(("n", 4, "h + 3", 9), dtype="float32"), R.Tensor(("n", 4, "h // 2 + 2", 5), dtype="float32")):
        n = T.int64()
        h = T.int64()
        with R.dataflow():
            zero: R.Tensor((n, 4, h + 3, 9), dtype="float32") = R.nn.pad(x, pad_width=[0, 0, 0, 0, 1, 2, 0, 1], pad_mode="constant", pad_value=0.0)
            low: R.Tensor((n, 4, h + 3, 9), dtype="float32") = R.nn.pad(x, pad_width=[0, 0, 0, 0, 1, 2, 0, 1], pad_mode="constant", pad_value=float("-inf"))
            deep: R.Tensor((n, 6, h + 1, 9), dtype="float32") = R.nn.pad(x, pad_width=[0, 0, 1, 1, 0, 1, 0, 1], pad_mode="constant", pad_value=0.0)
            taken: R.Tensor((n, 4, h + 3, 9), dtype="float32") = R.nn.conv2d(x, w, strides=[1, 1], padding=[2, 1, 3, 2], dilation=[1, 1], groups=1, data_layout="NCHW", kernel_layout="OIHW", out_layout=None, out_dtype="void")
            taken_max: R.Tensor((n, 4, h + 2, 8), dtype="float32") = R.nn.max_pool2d(x, pool_size=[2, 2], strides=[1, 1], padding=[1, 0, 2, 1], dilation=[1, 1], ceil_mode=False, count_include_pad=True, layout="NCHW", out_layout=None)
            taken_mean: R.Tensor((n, 4, h + 2, 8), dtype="float32") = R.nn.avg_pool2d(x, pool_size=[2, 2], strides=[1, 1], padding=[1, 0, 2, 1], dilation=[1, 1], ceil_mode=False, count_include_pad=True, layout="NCHW", out_layout=None)
            other_value: R.Tensor((n, 4, h + 1, 7), dtype="float32") = R.nn.conv2d(low, w, strides=[1, 1], padding=[0, 0, 0, 0], dilation=[1, 1], groups=1, data_layout="NCHW", kernel_layout="OIHW", out_layout=None, out_dtype="void")
            other_axis: R.Tensor((n, 4, h - 1, 7), dtype="float32") = R.nn.conv2d(deep, v, strides=[1, 1], padding=[0, 0, 0, 0], dilation=[1, 1], groups=1, data_layout="NCHW", kernel_layout="OIHW", out_layout=None, out_dtype="void")
            zeros_count: R.Tensor((n, 4, h + 2, 8), dtype="float32") = R.nn.max_pool2d(zero, pool_size=[2, 2], strides=[1, 1], padding=[0, 0, 0, 0], dilation=[1, 1], ceil_mode=False, count_include_pad=False, layout="NCHW", out_layout=None)
            not_counted: R.Tensor((n, 4, h + 3, 9), dtype="float32") = R.nn.avg_pool2d(zero, pool_size=[3, 3], strides=[1, 1], padding=[1, 1, 1, 1], dilation=[1, 1], ceil_mode=False, count_include_pad=False, layout="NCHW", out_layout=None)
            rounded_up: R.Tensor((n, 4, h // 2 + 2, 5), dtype="float32") = R.nn.max_pool2d(low, pool_size=[2, 2], strides=[2, 2], padding=[0, 0, 0, 0], dilation=[1, 1], ceil_mode=True, count_include_pad=False, layout="NCHW", out_layout=None)
            r: R.Tuple(R.Tensor((n, 4, h + 3, 9), dtype="float32"), R.Tensor((n, 4, h + 2, 8), dtype="float32"), R.Tensor((n, 4, h + 2, 8), dtype="float32"), R.Tensor((n, 4, h + 1, 7), dtype="float32"), R.Tensor((n, 4, h - 1, 7), dtype="float32"), R.Tensor((n, 4, h + 2, 8), dtype="float32"), R.Tensor((n, 4, h + 3, 9), dtype="float32"), R.Tensor((n, 4, h // 2 + 2, 5), dtype="float32")) = (taken, taken_max, taken_mean, other_value, other_axis, zeros_count, not_counted, rounded_up)
            R.output(r)
        return r

# ==== padding_of_what_is_overwritten
from tvm.script import ir as I
from tvm.script import relax as R
from tvm.script import tir as T


@I.ir_module
class Module:
    @T.prim_func(private=True)
    def double(x: T.Buffer((1, 1, 4, 4), "float32")):
        for i, j in T.grid(4, 4):
            with T.block("double"):
                vi, vj = T.axis.remap("SS", [i, j])
                x[0, 0, vi, vj] = x[0, 0, vi, vj] * T.float32(2)

    @R.function
    def main(x: R.Tensor((1, 1, 4, 4), "float32"), w: R.Tensor((1, 1, 3, 3), "float32")):
        cls = Module
        a = R.add(x, x)
        p = R.nn.pad(a, [0, 0, 0, 0, 1, 1, 1, 1])
        b = R.call_tir_inplace(cls.double, (a,), out_sinfo=R.Tensor((1, 1, 4, 4), "float32"), inplace_indices=[0])
        c = R.nn.conv2d(p, w)
        d = R.add(b, c)
        return d
# ---- expected
# from tvm.script import ir as I
# from tvm.script import tir as T
# from tvm.script import relax as R

@I.ir_module
class Module:
    @T.prim_func(private=True)
    def double(x: T.Buffer((1, 1, 4, 4), "float32")):
        # with T.block("root"):
        for i, j in T.grid(4, 4):
            with T.block("double"):
                vi, vj = T.axis.remap("SS", [i, j])
                x[0, 0, vi, vj] = x[0, 0, vi, vj] * T.float32(2.0)

    @R.function
    def main(x: R.Tensor((1, 1, 4, 4), dtype="float32"), w: R.Tensor((1, 1, 3, 3), dtype="float32")) -> R.Tensor((1, 1, 4, 4), dtype="float32"):
        cls = Module
        a: R.Tensor((1, 1, 4, 4), dtype="float32") = R.add(x, x)
        p: R.Tensor((1, 1, 6, 6), dtype="float32") = R.nn.pad(a, pad_width=[0, 0, 0, 0, 1, 1, 1, 1], pad_mode="constant", pad_value=0.0)
        b: R.Tensor((1, 1, 4, 4), dtype="float32") = R.call_tir_inplace(cls.double, (a,), inplace_indices=[0], out_sinfo=R.Tensor((1, 1, 4, 4), dtype="float32"))
        c: R.Tensor((1, 1, 4, 4), dtype="float32") = R.nn.conv2d(p, w, strides=[1, 1], padding=[0, 0, 0, 0], dilation=[1, 1], groups=1, data_layout="NCHW", kernel_layout="OIHW", out_layout=None, out_dtype="void")
        d: R.Tensor((1, 1, 4, 4), dtype="float32") = R.add(b, c)
        return d
