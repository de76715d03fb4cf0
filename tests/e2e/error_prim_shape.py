# error => buffer 'B' of PrimFunc 'f' has 2 elements in dimension 0, got 4
from tvm.script import ir as I, tir as T
@I.ir_module
class Module:
    @T.prim_func
    def main(A: T.Buffer((4,), "float32")):
        A[0] = Module.f(A[0], A)
    @T.prim_func(private=True)
    def f(x: T.float32, B: T.Buffer((2,), "float32")) -> T.float32:
        return x
