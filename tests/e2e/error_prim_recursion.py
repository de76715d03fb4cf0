# error => PrimFunc 'f' calls itself, directly or through others; recursion is not supported
from tvm.script import ir as I, tir as T
@I.ir_module
class Module:
    @T.prim_func
    def main(A: T.Buffer((4,), "float32")):
        A[0] = Module.f(A[0], A)
    @T.prim_func(private=True)
    def f(x: T.float32, B: T.Buffer((4,), "float32")) -> T.float32:
        return Module.f(x, B)
