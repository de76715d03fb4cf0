# Values that only feed checks do not prevent fusion.
from tvm.script import ir as I, relax as R, tir as T


@I.ir_module
class Module:
    @R.function(pure=False)
    def main(x: R.Tensor(("n",), "float32")):
        n = T.int64()
        y = R.exp(x)
        _ = R.call_packed("rlx.check_nonzero", R.prim_value(n), R.str("a size"), sinfo_args=(R.Tuple,))
        z = R.add(y, x)
        return z
