# Functions without a class make a module.
from tvm.script import relax as rx, tir


@tir.prim_func
def double(A: tir.Buffer((4,), "float32"), B: tir.Buffer((4,), "float32")):
    for i in range(4):
        B[i] = A[i] * 2.0


@rx.function
def main(x: rx.Tensor((4,), "float32")) -> rx.Tensor((4,), "float32"):
    return rx.call_tir(double, (x,), out_sinfo=rx.Tensor((4,), "float32"))
