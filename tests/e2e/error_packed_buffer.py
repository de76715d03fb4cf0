# error => parameter A has elements of type int4: elements smaller than a byte are read from uint8
from tvm.script import relax as R, tir as T
@T.prim_func
def k(A: T.Buffer((4,), "int4"), B: T.Buffer((4,), "int8")):
    for i in range(4):
        B[i] = T.Cast("int8", A[i])
@R.function
def main(x: R.Tensor((4,), "int4")):
    return R.call_tir(k, (x,), out_sinfo=R.Tensor((4,), "int8"))
