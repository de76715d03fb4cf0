# error => axis separators must be increasing dimension numbers, at most 2
from tvm.script import ir as I, tir as T
@I.ir_module
class Module:
    @T.prim_func
    def main(a: T.handle):
        A = T.match_buffer(a, (8, 8), "float32", axis_separators=[2, 1])
        A[0, 0] = T.float32(0)
