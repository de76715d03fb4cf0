"""PrimFuncs that call PrimFuncs: addresses, numbers and buffers as arguments, results inside expressions."""
# call rows: tensor float32 [2, 3] {1, 2, 3, 4, 5, 6} => tensor float32 [2] {6, 15}
# call rows: tensor float32 [0, 3] {} => tensor float32 [0] {}
# call squares: tensor float32 [3] {1, 2, 3} => tensor float32 [3] {3, 8, 15}
# call guarded: tensor int32 [4] {0, 3, 4, -1} => tensor int32 [4] {0, -1, 99, 99}
# call search: tensor int32 [4] {7, 1, 9, 100} => tensor int32 [4] {2, 0, 3, -1}
# call halves: tensor int32 [3] {40, 1, 7} => tensor int32 [3] {6, 1, 3}
# call blocks: tensor float32 [2, 2] {1, 2, 3, 4} => tensor float32 [2, 2] {4, 6, 8, 10}
# call sized: tensor float32 [3, 2] {1, 2, 3, 4, 5, 6} => tensor float32 [3, 2] {2, 4, 6, 8, 10, 12}
# call sized: tensor float32 [1, 2] {1, 2} => tensor float32 [1, 2] {2, 4}
# call twice: int 5 => int 110
# fail fixed: tensor float32 [4] {1, 2, 3, 4} => dimension 0 of buffer 'A' of PrimFunc 'three'
# call fixed: tensor float32 [3] {1, 2, 3} => tensor float32 [3] {2, 3, 4}
from tvm.script import ir as I, relax as R, tir as T
@I.ir_module
class Module:
    @T.prim_func
    def rows_(a: T.handle, o: T.handle):
        m, n = T.int32(), T.int32()
        A = T.match_buffer(a, (m, n), "float32")
        B = T.match_buffer(o, (m,), "float32")
        for i in range(m):
            Module.total(T.address_of(A[i, 0]), T.address_of(B[i]), n)
    @T.prim_func(private=True)
    def total(a: T.handle("float32"), o: T.handle("float32"), n: T.int32):
        A = T.decl_buffer((n,), "float32", data=a)
        B = T.decl_buffer((1,), "float32", data=o)
        B[0] = T.float32(0)
        for i in range(n):
            B[0] = Module.plus(B[0], A[i])
    @T.prim_func(private=True)
    def plus(x: T.float32, y: T.float32) -> T.float32:
        return x + y
    @T.prim_func
    def squares_(A: T.Buffer((3,), "float32"), B: T.Buffer((3,), "float32")):
        for i in range(3):
            B[i] = Module.plus(Module.square(A[i]), Module.square(T.float32(1))) * T.float32(1) + (Module.plus(A[i], A[i]) - T.float32(1))
    @T.prim_func(private=True)
    def square(x: T.float32) -> T.float32:
        T.ret(x * x)
    @T.prim_func
    def guarded_(A: T.Buffer((4,), "int32"), B: T.Buffer((4,), "int32")):
        for i in range(4):
            B[i] = T.if_then_else(A[i] >= 0 and Module.inside(A[i]), Module.at(A.data, A[i]), 99)
    @T.prim_func(private=True)
    def inside(i: T.int32) -> T.bool:
        return i < 4
    @T.prim_func(private=True)
    def at(a: T.handle("int32"), i: T.int32) -> T.int32:
        A = T.decl_buffer((4,), "int32", data=a)
        assert 0 <= i, "below"
        assert i < 4, "beyond"
        return A[i]
    @T.prim_func
    def search_(A: T.Buffer((4,), "int32"), B: T.Buffer((4,), "int32")):
        for i in T.parallel(4):
            B[i] = Module.position(A[i])
    @T.prim_func(private=True)
    def position(x: T.int32) -> T.int32:
        K = T.decl_buffer((4,), "int32")
        for i in range(4):
            K[i] = i * 3 + 1
        for i in range(4):
            for j in range(2):
                if K[i] == x:
                    return i
                if x < 0:
                    return -2
        if x == 9:
            T.ret(3)
        return -1
    @T.prim_func
    def halves_(A: T.Buffer((3,), "int32"), B: T.Buffer((3,), "int32")):
        n = T.decl_buffer((1,), "int32")
        for i in range(3):
            n[0] = A[i]
            B[i] = 0
            while Module.positive(n[0]):
                n[0] = n[0] // 2
                B[i] = B[i] + 1
    @T.prim_func(private=True)
    def positive(x: T.int32) -> T.bool:
        if x > 0:
            return True
        return False
    @T.prim_func
    def blocks_(A: T.Buffer((2, 2), "float32"), B: T.Buffer((2, 2), "float32")):
        Module.twice_block(A, B)
        for i, j in T.grid(2, 2):
            with T.block("more"):
                vi, vj = T.axis.remap("SS", [i, j])
                B[vi, vj] = B[vi, vj] + T.float32(2)
    @T.prim_func(private=True)
    def twice_block(a: T.handle, b: T.handle):
        n = T.int32()
        A = T.match_buffer(a, (n, 2), "float32")
        B = T.match_buffer(b, (n, 2), "float32")
        C = T.alloc_buffer((n, 2), "float32")
        for i, j in T.grid(n, 2):
            with T.block("C"):
                vi, vj = T.axis.remap("SS", [i, j])
                C[vi, vj] = A[vi, vj] * T.float32(2)
        for i, j in T.grid(n, 2):
            with T.block("B"):
                vi, vj = T.axis.remap("SS", [i, j])
                B[vi, vj] = C[vi, vj]
    @T.prim_func
    def sized_(a: T.handle, o: T.handle):
        m = T.int64()
        A = T.match_buffer(a, (m, 2), "float32")
        B = T.match_buffer(o, (m, 2), "float32")
        for i in range(m):
            Module.row(T.tvm_stack_make_array(A.data, T.tvm_stack_make_shape(2, dtype="handle"), 0, 1, T.float32(0), i * 2, dtype="handle"), T.address_of(B[i, 0]))
    @T.prim_func(private=True)
    def row(A: T.Buffer((2,), "float32"), b: T.handle("float32")):
        B = T.decl_buffer((2,), "float32", data=b)
        for i in range(2):
            B[i] = A[i] * T.float32(2)
    @T.prim_func
    def twice(n: T.int64) -> T.int64:
        return Module.scaled(Module.scaled(n, 2), 11)
    @T.prim_func
    def scaled(n: T.int64, k: T.int32) -> T.int64:
        return n * k
    @T.prim_func
    def fixed_(a: T.handle, o: T.handle):
        n = T.int64()
        A = T.match_buffer(a, (n,), "float32")
        B = T.match_buffer(o, (n,), "float32")
        Module.three(A, B)
    @T.prim_func(private=True)
    def three(A: T.Buffer((3,), "float32"), B: T.Buffer((3,), "float32")):
        for i in range(3):
            B[i] = A[i] + T.float32(1)
    @R.function
    def rows(a: R.Tensor(("m", "n"), "float32")):
        m = T.int64()
        cls = Module
        return R.call_tir(cls.rows_, (a,), out_sinfo=R.Tensor((m,), "float32"))
    @R.function
    def squares(a: R.Tensor((3,), "float32")):
        cls = Module
        return R.call_tir(cls.squares_, (a,), out_sinfo=R.Tensor((3,), "float32"))
    @R.function
    def guarded(a: R.Tensor((4,), "int32")):
        cls = Module
        return R.call_tir(cls.guarded_, (a,), out_sinfo=R.Tensor((4,), "int32"))
    @R.function
    def search(a: R.Tensor((4,), "int32")):
        cls = Module
        return R.call_tir(cls.search_, (a,), out_sinfo=R.Tensor((4,), "int32"))
    @R.function
    def halves(a: R.Tensor((3,), "int32")):
        cls = Module
        return R.call_tir(cls.halves_, (a,), out_sinfo=R.Tensor((3,), "int32"))
    @R.function
    def blocks(a: R.Tensor((2, 2), "float32")):
        cls = Module
        return R.call_tir(cls.blocks_, (a,), out_sinfo=R.Tensor((2, 2), "float32"))
    @R.function
    def sized(a: R.Tensor(("m", 2), "float32")):
        m = T.int64()
        cls = Module
        return R.call_tir(cls.sized_, (a,), out_sinfo=R.Tensor((m, 2), "float32"))
    @R.function
    def fixed(a: R.Tensor(("n",), "float32")):
        n = T.int64()
        cls = Module
        return R.call_tir(cls.fixed_, (a,), out_sinfo=R.Tensor((n,), "float32"))
