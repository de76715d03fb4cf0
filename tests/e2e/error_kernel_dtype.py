# error => int32
from tvm.script import relax as R, tir as T
@T.prim_func
def k(a: T.handle, b: T.handle):
    A = T.match_buffer(a, (4,))
    B = T.match_buffer(b, (4,))
    for i in range(4):
        B[i] = A[i]
@R.function
def main(x: R.Tensor((4,), "int32")):
    return R.call_tir(k, (x,), out_sinfo=R.Tensor((4,), "float32"))
