from tvm.script import ir as I
from tvm.script import relax as R
from tvm.script import tir as T


@I.ir_module
class Module:
    @R.function
    def main(x: R.Tensor(("t", "n", 8), "float32"), h: R.Tensor(("n", 4), "float32"), w: R.Tensor((4, 8), "float32"), i: R.Tensor((), "int64"), rows: R.Tensor(("n",), "int64"), table: R.Tensor((8, "n"), "float32"), others: R.Tensor(("m", 8), "float32")):
        t = T.int64()
        n = T.int64()
        m = T.int64()
        with R.dataflow():
            # read in place, by the product
            a = R.add(R.take(x, R.subtract(R.const(7, "int64"), i), axis=0, mode="clip"), R.matmul(h, w))
            # a product's operand is computed separately
            b = R.matmul(R.take(x, R.add(i, i), axis=0, mode="clip"), R.permute_dims(w))
            # the transposition is separate; the addition is the product's epilogue
            c = R.add(R.permute_dims(table), R.matmul(R.exp(h), w))
            # gathered rows
            d = R.add(R.take(others, rows, axis=0, mode="clip"), R.matmul(R.sin(h), w))
            R.output(a, b, c, d)
        return (a, b, c, d)
