from tvm.script import ir as I
from tvm.script import relax as R
from tvm.script import tir as T


@I.ir_module
class Module:
    @R.function
    def main(x: R.Tensor(("n", "k"), "float32"), w: R.Tensor(("l", "m"), "float32"), b: R.Tensor(("j",), "float32"), c: R.Tensor((), "bool"), p: R.Tensor(("q",), "float32")):
        l = T.int64()
        m = T.int64()
        # once: k equals l from here on, in shapes too
        with R.dataflow():
            a = R.matmul(x, w)
            s = R.sum(w, axis=[1])
            z = R.zeros(R.shape([l]), "float32")
            d = R.add(s, z)
            # the same sum needs no second check
            e = R.add(a, b)
            f = R.subtract(a, b)
            R.output(d, e, f)
        # facts of a branch hold inside it
        if c:
            y = R.concat((x, R.reshape(p, (1, -1))), axis=0)
            u = R.sum(y)
        else:
            u = R.sum(p)
        g = R.add(d, p)
        return (e, f, g, u)
