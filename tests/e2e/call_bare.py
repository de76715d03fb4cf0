"""Bare functions, without a class."""
# call main: tensor float32 [2] {1, 2} => tensor float32 [2] {6, 12}
from tvm.script import relax as R, tir as T


@T.prim_func(private=True)
def triple(a: T.handle, b: T.handle):
    n = T.int64()
    A = T.match_buffer(a, (n,))
    B = T.match_buffer(b, (n,))
    for i in range(n):
        with T.block("b"):
            vi = T.axis.spatial(n, i)
            B[vi] = A[vi] * T.float32(3)


@R.function(private=True)
def twice(x: R.Tensor(("n",), "float32")) -> R.Tensor(("n",), "float32"):
    return R.add(x, x)


@R.function
def main(x: R.Tensor(("n",), "float32")) -> R.Tensor(("n",), "float32"):
    n = T.int64()
    y = R.call_tir(triple, (x,), out_sinfo=R.Tensor((n,), "float32"))
    z: R.Tensor((n,), "float32") = twice(y)
    return z
