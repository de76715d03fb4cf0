# ==== annotation_checked_at_run_time
from tvm.script import ir as I
from tvm.script import relax as R
from tvm.script import tir as T


@I.ir_module
class Module:
    @R.function
    def main(x: R.Tensor(("n",), "float32"), y: R.Tensor(("m",), "float32")):
        n = T.int64()
        m = T.int64()
        z: R.Tensor((n + m,), "float32") = R.concat((x, y), axis=0)
        w: R.Tensor((3,), "float32") = R.exp(z)
        return w
# ---- expected
# from tvm.script import ir as I
# from tvm.script import tir as T
# from tvm.script import relax as R

@I.ir_module
class Module:
    @R.function
    def main(x: R.Tensor(("n",), dtype="float32"), y: R.Tensor(("m",), dtype="float32")) -> R.Tensor((3,), dtype="float32"):
        n = T.int64()
        m = T.int64()
        z: R.Tensor((n + m,), dtype="float32") = R.concat((x, y), axis=0)
        w: R.Tensor((n + m,), dtype="float32") = R.exp(z)
        w_1: R.Tensor((3,), dtype="float32") = R.match_cast(w, R.Tensor((3,), dtype="float32"))
        return w_1
