# break and continue in loops of PrimFuncs, as TVM prints them.
# call steps: tensor int32 [8] {1, 2, 3, 2, 9, 5, 1, 1} => tensor int32 [8] {2, 0, 6, 0, 0, 0, 0, 0}
# call steps: tensor int32 [8] {1, 1, 1, 1, 1, 1, 1, 5} => tensor int32 [8] {2, 2, 2, 2, 2, 2, 2, 10}
# call nested: tensor int32 [3, 4] {1, 2, 3, 4, 0, 1, 1, 1, 5, 0, 0, 2} => tensor int32 [3] {6, 0, 5}
# call until: tensor int32 [4] {3, 1, 7, 2} => tensor int32 [1] {2}
# call until: tensor int32 [4] {3, 1, 2, 2} => tensor int32 [1] {4}
from tvm.script import ir as I, relax as R, tirx as T
@I.ir_module
class Module:
    @T.prim_func(private=True, s_tir=True)
    def steps_(A: T.Buffer((8,), "int32"), B: T.Buffer((8,), "int32")):
        for i in range(8):
            B[i] = 0
        for i in range(8):
            if A[i] > 5:
                T.break_loop()
            if A[i] == 2:
                T.continue_loop()
            B[i] = A[i] * 2
    @T.prim_func(private=True, s_tir=True)
    def nested_(A: T.Buffer((3, 4), "int32"), B: T.Buffer((3,), "int32")):
        for i in range(3):
            B[i] = 0
        for i, j in T.grid(3, 4):
            if A[i, j] == 0:
                T.break_loop()
            else:
                if A[i, j] > 3:
                    if A[i, j] == 4:
                        T.continue_loop()
                B[i] = B[i] + A[i, j]
    @T.prim_func(private=True, s_tir=True)
    def until_(A: T.Buffer((4,), "int32"), B: T.Buffer((1,), "int32")):
        B[0] = 0
        while B[0] < 4:
            for k in range(1):
                if A[B[0]] == 1:
                    T.continue_loop()
            if A[B[0]] == 7:
                T.break_loop()
            B[0] = B[0] + 1
    @R.function
    def steps(x: R.Tensor((8,), "int32")):
        cls = Module
        return R.call_tir(cls.steps_, (x,), out_ty=R.Tensor((8,), "int32"))
    @R.function
    def nested(x: R.Tensor((3, 4), "int32")):
        cls = Module
        return R.call_tir(cls.nested_, (x,), out_ty=R.Tensor((3,), "int32"))
    @R.function
    def until(x: R.Tensor((4,), "int32")):
        cls = Module
        return R.call_tir(cls.until_, (x,), out_ty=R.Tensor((1,), "int32"))
