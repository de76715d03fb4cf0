from tvm.script import ir as I
from tvm.script import relax as R
from tvm.script import tir as T


@I.ir_module
class Module:
    @R.function
    def main(n: R.Tensor((), dtype="int64")) -> R.Tensor((), dtype="int64"):
        @R.function
        def go(i: R.Tensor((), dtype="int64"), s: R.Tensor((), dtype="int64")) -> R.Tensor((), dtype="int64"):
            c: R.Tensor((), dtype="bool") = R.equal(i, R.const(0, "int64"))
            if c:
                r: R.Tensor((), dtype="int64") = s
            else:
                j: R.Tensor((), dtype="int64") = R.subtract(i, R.const(1, "int64"))
                t: R.Tensor((), dtype="int64") = R.add(s, i)
                r: R.Tensor((), dtype="int64") = go(j, t)
            return r

        z: R.Tensor((), dtype="int64") = go(n, R.const(0, "int64"))
        return z
