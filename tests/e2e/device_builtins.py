"""What builtins compute, and devices by kernels of their own: orders, padding, slices, places that are data."""
# call ordered: tensor float32 [2, 5] {3, nan, -1, 3, 0, 2, 2, nan, nan, -5} => tuple(tensor float32 [2, 5] {-1, 0, 3, 3, nan, -5, 2, 2, nan, nan}, tensor int32 [2, 5] {2, 4, 0, 3, 1, 4, 0, 1, 2, 3}, tensor int64 [2, 5] {0, 3, 4, 2, 1, 0, 1, 4, 2, 3})
# call first: tensor float32 [2, 5] {3, nan, -1, 3, 0, 2, 2, nan, nan, -5}, int 2 => tuple(tensor float32 [2, 2] {3, 3, 2, 2}, tensor int32 [2, 2] {0, 3, 0, 1})
# call first: tensor float32 [2, 5] {3, nan, -1, 3, 0, 2, 2, nan, nan, -5}, int 5 => tuple(tensor float32 [2, 5] {3, 3, 0, -1, nan, 2, 2, -5, nan, nan}, tensor int32 [2, 5] {0, 3, 4, 2, 1, 0, 1, 4, 2, 3})
# fail first: tensor float32 [2, 5] {3, nan, -1, 3, 0, 2, 2, nan, nan, -5}, int 6 => topk: k is 6
# call columns: tensor uint8 [3, 2] {7, 1, 255, 1, 0, 2} => tuple(tensor uint8 [3, 2] {0, 1, 7, 1, 255, 2}, tensor uint8 [1, 2] {0, 1})
# call padded: tensor int32 [3] {1, 2, 3}, tensor int32 [] {9}, int 2 => tuple(tensor int32 [5] {9, 9, 1, 2, 3}, tensor int32 [5] {1, 1, 1, 2, 3}, tensor int32 [5] {3, 2, 1, 2, 3}, tensor int32 [5] {2, 3, 1, 2, 3})
# call padded: tensor int32 [3] {1, 2, 3}, tensor int32 [] {9}, int -1 => tuple(tensor int32 [2] {2, 3}, tensor int32 [2] {2, 3}, tensor int32 [2] {2, 3}, tensor int32 [2] {2, 3})
# call cut: tensor float32 [2, 4] {0, 1, 2, 3, 4, 5, 6, 7}, int 3, int -5, int -2, int 2 => tensor float32 [2, 2] {7, 5, 3, 1}
# call cut: tensor float32 [2, 4] {0, 1, 2, 3, 4, 5, 6, 7}, int -4, int 4, int 1, int 4 => tensor float32 [2, 4] {4, 5, 6, 7, 0, 1, 2, 3}
# call put_back: tensor float32 [1, 1, 2] {5, 6}, tensor int64 [1, 1, 2] {3, 0} => tensor float32 [1, 1, 4] {6, 0, 0, 5}
# call put_back: tensor float32 [1, 1, 2] {5, 6}, tensor int64 [1, 1, 2] {2, 2} => tensor float32 [1, 1, 4] {0, 0, 6, 0}
# call regions: tensor float32 [1, 1, 2, 2] {0, 1, 2, 3}, tensor float32 [2, 5] {0, 0, 0, 2, 2, 0, 0.5, 0.5, 1.5, 1.5} => tensor float32 [2, 1, 1, 1] {1.5, 1.5}
# call picked: tensor float32 [2, 2] {1, 2, 3, 4} => tensor float32 [1, 2] {1, 4}
# fail picked: tensor float32 [1, 2] {1, 2} => gather_elements: index 1
from tvm.script import ir as I
from tvm.script import relax as R
from tvm.script import tir as T


@I.ir_module
class Module:
    @R.function
    def ordered(x: R.Tensor((2, 5), "float32")):
        a = R.sort(x)
        b = R.argsort(x)
        c = R.argsort(x, descending=True, dtype="int64")
        return (a, b, c)

    @R.function
    def first(x: R.Tensor((2, 5), "float32"), k: R.Prim(value="k")):
        k = T.int64()
        return R.topk(x, k)

    @R.function
    def columns(x: R.Tensor((3, 2), "uint8")):
        a = R.sort(x, axis=0)
        b = R.topk(x, 1, axis=0, ret_type="values", largest=False)
        return (a, b)

    @R.function
    def padded(x: R.Tensor((3,), "int32"), v: R.Tensor((), "int32"), w: R.Prim(value="w")):
        w = T.int64()
        a = R.call_pure_packed("rlx.pad", x, R.shape([w]), R.shape([w + 3]), R.prim_value(0), v, sinfo_args=R.Tensor((w + 3,), "int32"))
        b = R.call_pure_packed("rlx.pad", x, R.shape([w]), R.shape([w + 3]), R.prim_value(1), v, sinfo_args=R.Tensor((w + 3,), "int32"))
        c = R.call_pure_packed("rlx.pad", x, R.shape([w]), R.shape([w + 3]), R.prim_value(2), v, sinfo_args=R.Tensor((w + 3,), "int32"))
        d = R.call_pure_packed("rlx.pad", x, R.shape([w]), R.shape([w + 3]), R.prim_value(3), v, sinfo_args=R.Tensor((w + 3,), "int32"))
        return (a, b, c, d)

    @R.function
    def cut(x: R.Tensor((2, 4), "float32"), begin: R.Prim(value="begin"), end: R.Prim(value="end"), step: R.Prim(value="step"), n: R.Prim(value="n")):
        begin, end, step, n = T.int64(), T.int64(), T.int64(), T.int64()
        return R.call_pure_packed("rlx.strided_slice", x, R.shape([1, begin]), R.shape([-3, end]), R.shape([-1, step]), sinfo_args=R.Tensor((2, n), "float32"))

    @R.function
    def put_back(x: R.Tensor((1, 1, "n"), "float32"), i: R.Tensor((1, 1, "n"), "int64")):
        return R.call_pure_packed("rlx.unpool", x, i, R.shape([1, 1, 4]), sinfo_args=R.Tensor((1, 1, 4), "float32"))

    @R.function
    def regions(x: R.Tensor(("n", 1, 2, 2), "float32"), r: R.Tensor(("k", 5), "float32")):
        return R.vision.roi_align(x, r, pooled_size=(1, 1), spatial_scale=1.0, sample_ratio=2, aligned=True)

    @R.function
    def picked(x: R.Tensor(("n", 2), "float32")):
        return R.gather_elements(x, R.const([[0, 1]], "int64"), axis=0)
