# Functions called for their effects only: without return, and with an empty return.
# call main: tensor float32 [2] {1, 2} => tuple()
# call stated: tensor float32 [2] {1, 2} => tuple()
# call caller: tensor float32 [2] {1, 2} => tensor float32 [2] {2, 4}
# fail check: tensor bool [] {0} => no good
@I.ir_module
class Module:
    @R.function(pure=False)
    def main(x: R.Tensor(("n",), "float32")):
        _ = R.assert_op(R.const(True, "bool"), format="never")

    @R.function(pure=False)
    def stated(x: R.Tensor(("n",), "float32")) -> R.Tuple():
        R.assert_op(R.const(True, "bool"), format="never")

    @R.function(pure=False)
    def check(x: R.Tensor((), "bool")):
        R.assert_op(x, format="no good")

    @R.function(pure=False)
    def caller(x: R.Tensor(("n",), "float32")):
        cls = Module
        cls.main(x)
        y = R.add(x, x)
        return y
