# error => parameter 'x' of PrimFunc 'f' is float32, got handle
from tvm.script import ir as I, tir as T
@I.ir_module
class Module:
    @T.prim_func
    def main(A: T.Buffer((4,), "float32")):
        A[0] = Module.f(A.data, A)
    @T.prim_func(private=True)
    def f(x: T.float32, B: T.Buffer((2,), "float32")) -> T.float32:
        return x
