# --fuse-lifted acc.flat=(multiply (reshape (add x y)) _{constant})
@I.ir_module
class Module:
    @R.function
    def main(x: R.Tensor(("n", "m"), "float32"), y: R.Tensor(("m",), "float32"), s: R.Shape(["k"])) -> R.Tensor(dtype="float32", ndim=2):
        n, m, k = T.int64(), T.int64(), T.int64()
        with R.dataflow():
            a = R.add(x, y)
            b = R.reshape(a, R.shape([k, n * m // k]))
            c = R.multiply(b, R.const(2.0, "float32"))
            R.output(c)
        return c
