"""Parameters with vector elements: tensors with the lanes as their last dimension."""
# call largest: tensor float32 [2, 4] {-1, 2, -3, 4, 5, -6, 7, -8} => tensor float32 [2, 4] {0, 2, 0, 4, 5, 0, 7, 0}
# call largest: tensor float32 [0, 4] {} => tensor float32 [0, 4] {}
# call pair: int 3, int 5 => tensor int32 [1, 2] {3, 5}
# call flipped: tensor float32 [1, 2] {3, 5} => tensor float32 [1, 2] {6, 3}
# call fill: tensor int8 [3, 2] {1, 2, 3, 4, 5, 6} => tensor int8 [3, 2] {3, 6, 9, 12, 15, 18}
from tvm.script import ir as I, relax as R, tir as T
@I.ir_module
class Module:
    @T.prim_func
    def largest_(a: T.handle, c: T.handle):
        n = T.int32()
        A = T.match_buffer(a, (n,), "float32x4")
        C = T.match_buffer(c, (n,), "float32x4")
        for i in range(n):
            C[i] = T.max(T.Broadcast(T.float32(0), 4), A[i])
    @T.prim_func
    def pair_(x: T.int32, y: T.int32, buffer: T.Buffer((1,), "int32x2")):
        buffer[0] = T.Shuffle([x, y], [0, 1])
    @T.prim_func
    def fill_(A: T.Buffer((3,), "int8x2"), B: T.Buffer((3,), "int8x2")):
        for i in T.parallel(3):
            with T.block("B"):
                vi = T.axis.spatial(3, i)
                T.reads(A[vi])
                T.writes(B[vi])
                B[vi] = (A[vi] + A[vi]) + T.Shuffle([A[vi]], [0, 1])
    @R.function
    def largest(a: R.Tensor(("n", 4), "float32")):
        n = T.int64()
        cls = Module
        return R.call_tir(cls.largest_, (a,), out_sinfo=R.Tensor((n, 4), "float32"))
    @R.function
    def pair(x: R.Prim("int64"), y: R.Prim("int64")):
        cls = Module
        return R.call_tir(cls.pair_, (x, y), out_sinfo=R.Tensor((1, 2), "int32"))
    @T.prim_func
    def flipped_(A: T.Buffer((1,), "float32x2"), B: T.Buffer((1,), "float32x2")):
        s = T.alloc_buffer((2,), "float32x2")
        p = T.decl_buffer((1,), "float32x2", data=A.data)
        s[1] = T.Shuffle([p], [1, 0])
        s[0] = s[1] + T.Broadcast(T.float32(1), 2)
        B = T.Shuffle([s[0], A], [0, 2])
    @R.function
    def flipped(a: R.Tensor((1, 2), "float32")):
        cls = Module
        return R.call_tir(cls.flipped_, (a,), out_sinfo=R.Tensor((1, 2), "float32"))
    @R.function
    def fill(a: R.Tensor((3, 2), "int8")):
        cls = Module
        return R.call_tir(cls.fill_, (a,), out_sinfo=R.Tensor((3, 2), "int8"))
