# Public PrimFuncs that return a value and have no callers can be called by hosts.
# call main: int 3 => int 1
# call main: int 15 => int 0
# call branch: int 1 => int 10
# call branch: int 0 => int 20
# call half: float 3 => float 1.5
# call total: tensor float32 [3] {1, 2, 4} => float 7
# call total: tensor float32 [0] {} => float 0
# fail clear: tensor float32 [2] {1, 2} => a constant cannot be written
# fail clear: tensor float32 [3] {1, 2, 3} => dimension 0
from tvm.script import ir as I, tirx as T
@I.ir_module
class Module:
    I.module_global_infos({"dummy": [I.dummy_global_info(), I.dummy_global_info()]})
    @T.prim_func(s_tir=True)
    def main(value: T.int32) -> T.int32:
        return T.Select(value < 10, 1, 0)
    @T.prim_func(s_tir=True)
    def small(value: T.bool) -> T.bool:
        return value
    @T.prim_func(s_tir=True)
    def branch(arg: T.int32) -> T.int32:
        if arg > 0:
            return 10
        else:
            return 20
    @T.prim_func(s_tir=True)
    def half(x: T.float32) -> T.float32:
        return x * T.float32(0.5)
    @T.prim_func(s_tir=True)
    def total(a: T.handle) -> T.float32:
        n = T.int32()
        A = T.match_buffer(a, (n,), "float32")
        s = T.alloc_buffer((1,), "float32", scope="local")
        s[0] = T.float32(0)
        for i in range(n):
            s[0] = s[0] + A[i]
        return s[0]
    @T.prim_func(s_tir=True)
    def clear(A: T.Buffer((2,), "float32")) -> T.int32:
        for i in range(2):
            A[i] = T.float32(0)
        return 2
