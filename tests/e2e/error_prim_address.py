# error => parameter 'B' of PrimFunc 'f' is a buffer: pass a buffer, not an address
from tvm.script import ir as I, tir as T
@I.ir_module
class Module:
    @T.prim_func
    def main(A: T.Buffer((4,), "float32")):
        A[0] = Module.f(A[0], A.data)
    @T.prim_func(private=True)
    def f(x: T.float32, B: T.Buffer((2,), "float32")) -> T.float32:
        return x
