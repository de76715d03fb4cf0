# A matmul runs in register tiles with its epilogue; a softmax runs row by row in one loop.
@I.ir_module
class Module:
    @R.function
    def main(x: R.Tensor(("n", 32), "float32"), w: R.Tensor((32, 24), "float32"), c: R.Tensor((24,), "float32")):
        n = T.int64()
        with R.dataflow():
            y = R.matmul(x, w)
            z = R.add(y, c)
            r = R.nn.relu(z)
            s = R.nn.softmax(r, axis=-1)
            R.output(s)
        return s
