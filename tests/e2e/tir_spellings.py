"""Accesses and calls as TVM's tests write them: predicates, one-element buffers without indices, nodes by name."""
# call masked: tensor float32 [8] {1, 2, 3, 4, 5, 6, 7, 8}, tensor int32 [4] {1, 0, 0, 1} => tensor float32 [8] {2, 9, 9, 5, 7, 9, 11, 9}
# call tail: tensor float32 [6] {1, 2, 3, 4, 5, 6} => tensor float32 [6] {2, 3, 4, 5, 6, 7}
# call tail: tensor float32 [1] {4} => tensor float32 [1] {5}
# call tail: tensor float32 [0] {} => tensor float32 [0] {}
# call single: tensor float32 [1] {4} => tensor float32 [1] {19}
# call named: tensor int32 [4] {1, 16, 255, -1} => tensor int32 [9] {31, 27, 0, 4, 1, 5, 0, 8, 8}
# call jumps: tensor int32 [10] {3, 1, 4, 1, 5, 9, 2, 6, 5, 3} => tensor int32 [2] {13, 4}
# call ports: tensor float32 [2, 3] {1, 2, 3, 4, 5, 6} => tensor float32 [2, 3] {2, 3, 4, 5, 6, 7}
# call root: float 6.25 => float 2.5
from tvm.script import ir as I, relax as R, tir as T
@I.ir_module
class Module:
    @T.prim_func
    def masked_(a: T.Buffer((8,), "float32"), m: T.Buffer((4,), "int32"), o: T.Buffer((8,), "float32")):
        for i in range(8):
            o[i] = T.float32(9)
        for i in range(1):
            o.vstore([T.Ramp(i, 1, 4)], a.vload([T.Ramp(0, 1, 4)], predicate=T.Broadcast(T.bool(True), 4)) + T.Broadcast(T.float32(1), 4), predicate=m[0:4] == T.Broadcast(1, 4))
        o.vstore([T.Ramp(4, 2, 2)], a.vload([T.Ramp(4, 2, 2)], predicate=T.Ramp(0, 1, 2) < T.Broadcast(1, 2)) + T.Broadcast(T.float32(2), 2), predicate=T.Broadcast(T.bool(True), 2))
        o.vstore([6], a.vload([6], "float32x1") + T.float32(4))
    @T.prim_func
    def tail_(a: T.handle, o: T.handle):
        n = T.int32()
        A = T.match_buffer(a, (n,), "float32")
        B = T.match_buffer(o, (n,), "float32")
        for i in range((n + 3) // 4):
            x = T.meta_var(A.vload([T.Ramp(i * 4, 1, 4)], predicate=T.get_active_lane_mask("uint1x4", i * 4, n)))
            B.vstore([T.Ramp(i * 4, 1, 4)], x + T.broadcast(T.float32(1), 4), predicate=T.get_active_lane_mask("uint1x4", i * 4, n))
    @T.prim_func
    def single_(A: T.Buffer((1,), "float32"), B: T.Buffer((1,), "float32")):
        s = T.alloc_scalar("float32")
        p = T.decl_scalar(T.float32, data=A.buffer.data, elem_offset=0, scope="global")
        s = A * p
        s += T.float32(2)
        B = s + T.float32(1)
    @T.prim_func
    def named_(A: T.Buffer((4,), "int32"), B: T.Buffer((9,), "int32")):
        B[0] = T.call_llvm_pure_intrin("int32", "llvm.ctlz", A[0], T.int1(0))
        B[1] = T.call_llvm_pure_intrin("int32", "llvm.ctlz", A[1], T.bool(False))
        B[2] = T.call_llvm_pure_intrin("int32", "llvm.cttz", A[0], T.bool(True))
        B[3] = T.call_llvm_pure_intrin("int32", "llvm.cttz", A[1], T.bool(False))
        B[4] = T.Call("int32", "tir.popcount", [A[1]])
        B[5] = T.call_intrin("int32", tvm.ir.Op.get("tir.popcount"), T.int32(31))
        B[6] = T.Cast("int32", T.call_intrin("int64", "tir.reinterpret", T.float64(0)))
        B[7] = T.Cast("int32", T.call_llvm_pure_intrin(T.llvm_lookup_intrinsic_id("llvm.ctpop.i8"), T.uint32(1), T.Cast("uint8", A[2]), dtype="uint8"))
        B[8] = T.Cast("int32", T.call_llvm_pure_intrin("int8", "llvm.ctpop", T.Cast("int8", A[3])))
        T.call_llvm_intrin("", "llvm.assume", T.bool(True))
        T.evaluate(T.Call("void", "tir.prefetch", [T.address_of(A[0]), 0, 3, 1]))
    @T.prim_func
    def jumps_(A: T.Buffer((10,), "int32"), B: T.Buffer((2,), "int32")):
        B[0] = 0
        B[1] = 0
        for i in range(10):
            if A[i] == 1:
                continue
            if A[i] > 6:
                break
            j: T.int32
            T.Bind(i, var=j)
            B[0] = B[0] + A[i]
            B[1] = T.max(B[1], j)
            if i < 4:
                B[1] += 0
                T.evaluate(T.continue_loop())
            B[0] = B[0] + 1
    @T.prim_func
    def ports_(a: T.handle, c: T.handle):
        m, n = T.int32(), T.int32()
        A = T.match_buffer(a, (m, n), "float32", axis_separators=[1], buffer_type="auto")
        C = T.match_buffer(c, (m, n), "float32")
        B = T.alloc_buffer((m, n), "float32", axis_separators=[1])
        for i, j in T.grid(m, n):
            with T.block("B"):
                vi, vj = T.axis.remap("SS", [i, j])
                B[vi, vj] = A[vi, vj] + T.float32(1)
        for i, j in T.grid(m, n):
            with T.block("C"):
                vi, vj = T.axis.remap("SS", [i, j])
                C[vi, vj] = B[vi, vj]
    @T.prim_func
    def root(x: T.float32):
        if x < T.float32(0):
            T.evaluate(T.ret(x))
        T.evaluate(T.ret(T.sqrt(x)))
    @R.function
    def masked(a: R.Tensor((8,), "float32"), m: R.Tensor((4,), "int32")):
        cls = Module
        return R.call_tir(cls.masked_, (a, m), out_sinfo=R.Tensor((8,), "float32"))
    @R.function
    def tail(a: R.Tensor(("n",), "float32")):
        n = T.int64()
        cls = Module
        return R.call_tir(cls.tail_, (a,), out_sinfo=R.Tensor((n,), "float32"))
    @R.function
    def single(a: R.Tensor((1,), "float32")):
        cls = Module
        return R.call_tir(cls.single_, (a,), out_sinfo=R.Tensor((1,), "float32"))
    @R.function
    def named(a: R.Tensor((4,), "int32")):
        cls = Module
        return R.call_tir(cls.named_, (a,), out_sinfo=R.Tensor((9,), "int32"))
    @R.function
    def jumps(a: R.Tensor((10,), "int32")):
        cls = Module
        return R.call_tir(cls.jumps_, (a,), out_sinfo=R.Tensor((2,), "int32"))
    @R.function
    def ports(a: R.Tensor((2, 3), "float32")):
        cls = Module
        return R.call_tir(cls.ports_, (a,), out_sinfo=R.Tensor((2, 3), "float32"))
