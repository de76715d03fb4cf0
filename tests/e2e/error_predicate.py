# error => a predicate of 4 lanes, at most 64, of bool is needed, got boolx2
from tvm.script import ir as I, tir as T
@I.ir_module
class Module:
    @T.prim_func
    def main(a: T.Buffer((8,), "float32"), o: T.Buffer((8,), "float32")):
        o.vstore([T.Ramp(0, 1, 4)], a[0:4], predicate=T.Broadcast(T.bool(True), 2))
