from tvm.script import ir as I
from tvm.script import relax as R
from tvm.script import tir as T


@I.ir_module
class Module:
    @R.function
    def main(x: R.Tensor(("n", 8), "float32"), w: R.Tensor((4, 8), "float32"), h: R.Tensor((8, 4), "float16"), i: R.Tensor((4, 4), "int32")):
        with R.dataflow():
            t = R.permute_dims(w)
            a = R.matmul(x, t)
            b = R.nn.softmax(a)
            wide = R.astype(h, "float32")
            c = R.matmul(x, wide)
            d = R.add(b, c)
            same = R.matmul(i, i)
            half = R.matmul(d, R.const([[1.5], [2], [0.1], [3]], "float32"), out_dtype="float32")
            R.output(d, same, half)
        return (d, same, half)

    @R.function
    def image(x: R.Tensor(("n", 3, 8, 8), "float32"), w: R.Tensor((4, 3, 3, 3), "float32"), q: R.Tensor((1, "s", 2, 8), "float32")):
        with R.dataflow():
            y = R.nn.relu(R.nn.conv2d(x, w, padding=1))
            z = R.nn.attention(q, q, q)
            R.output(y, z)
        return (y, z)
