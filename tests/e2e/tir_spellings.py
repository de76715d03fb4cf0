# ==== forms
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
# ==== loops_and_conditions
"""One computation in other loops, conditions and initial values."""
# call changed_limit: tensor float32 [3] {4, 5, 6} => tensor float32 [3] {5, 6, 7}
# call changed_start: tensor float32 [3] {4, 5, 6} => tensor float32 [3] {4, 6, 7}
# call from_one: tensor float32 [5, 4] {-2, 3, 1, -1, 1, -1, 4, 2, 4, 2, 0, -2, 0, -2, 3, 1, 3, 1, -1, 4}, tensor float32 [4, 4] {-1, 2, 0, 3, 1, -1, 2, 0, 3, 1, -1, 2, 0, 3, 1, -1} => tensor float32 [5, 4] {8, -9, 4, -3, 10, 13, -4, 9, -2, 0, 2, 14, 7, 8, -6, 5, -5, 16, 7, 3}
# call from_one: tensor float32 [1, 4] {-2, 3, 1, -1}, tensor float32 [4, 4] {-1, 2, 0, 3, 1, -1, 2, 0, 3, 1, -1, 2, 0, 3, 1, -1} => tensor float32 [1, 4] {8, -9, 4, -3}
# call from_one: tensor float32 [0, 4] {}, tensor float32 [4, 4] {-1, 2, 0, 3, 1, -1, 2, 0, 3, 1, -1, 2, 0, 3, 1, -1} => tensor float32 [0, 4] {}
# call down: tensor float32 [5, 4] {-2, 3, 1, -1, 1, -1, 4, 2, 4, 2, 0, -2, 0, -2, 3, 1, 3, 1, -1, 4}, tensor float32 [4, 4] {-1, 2, 0, 3, 1, -1, 2, 0, 3, 1, -1, 2, 0, 3, 1, -1} => tensor float32 [5, 4] {8, -9, 4, -3, 10, 13, -4, 9, -2, 0, 2, 14, 7, 8, -6, 5, -5, 16, 7, 3}
# call down: tensor float32 [1, 4] {-2, 3, 1, -1}, tensor float32 [4, 4] {-1, 2, 0, 3, 1, -1, 2, 0, 3, 1, -1, 2, 0, 3, 1, -1} => tensor float32 [1, 4] {8, -9, 4, -3}
# call down: tensor float32 [0, 4] {}, tensor float32 [4, 4] {-1, 2, 0, 3, 1, -1, 2, 0, 3, 1, -1, 2, 0, 3, 1, -1} => tensor float32 [0, 4] {}
# call limited: tensor float32 [5, 4] {-2, 3, 1, -1, 1, -1, 4, 2, 4, 2, 0, -2, 0, -2, 3, 1, 3, 1, -1, 4}, tensor float32 [4, 4] {-1, 2, 0, 3, 1, -1, 2, 0, 3, 1, -1, 2, 0, 3, 1, -1} => tensor float32 [5, 4] {8, -9, 4, -3, 10, 13, -4, 9, -2, 0, 2, 14, 7, 8, -6, 5, -5, 16, 7, 3}
# call limited: tensor float32 [1, 4] {-2, 3, 1, -1}, tensor float32 [4, 4] {-1, 2, 0, 3, 1, -1, 2, 0, 3, 1, -1, 2, 0, 3, 1, -1} => tensor float32 [1, 4] {8, -9, 4, -3}
# call limited: tensor float32 [0, 4] {}, tensor float32 [4, 4] {-1, 2, 0, 3, 1, -1, 2, 0, 3, 1, -1, 2, 0, 3, 1, -1} => tensor float32 [0, 4] {}
# call bits: tensor float32 [5, 4] {-2, 3, 1, -1, 1, -1, 4, 2, 4, 2, 0, -2, 0, -2, 3, 1, 3, 1, -1, 4}, tensor float32 [4, 4] {-1, 2, 0, 3, 1, -1, 2, 0, 3, 1, -1, 2, 0, 3, 1, -1} => tensor float32 [5, 4] {8, -9, 4, -3, 10, 13, -4, 9, -2, 0, 2, 14, 7, 8, -6, 5, -5, 16, 7, 3}
# call bits: tensor float32 [1, 4] {-2, 3, 1, -1}, tensor float32 [4, 4] {-1, 2, 0, 3, 1, -1, 2, 0, 3, 1, -1, 2, 0, 3, 1, -1} => tensor float32 [1, 4] {8, -9, 4, -3}
# call bits: tensor float32 [0, 4] {}, tensor float32 [4, 4] {-1, 2, 0, 3, 1, -1, 2, 0, 3, 1, -1, 2, 0, 3, 1, -1} => tensor float32 [0, 4] {}
# call doubled: tensor float32 [5, 4] {-2, 3, 1, -1, 1, -1, 4, 2, 4, 2, 0, -2, 0, -2, 3, 1, 3, 1, -1, 4}, tensor float32 [4, 4] {-1, 2, 0, 3, 1, -1, 2, 0, 3, 1, -1, 2, 0, 3, 1, -1} => tensor float32 [5, 4] {8, -9, 4, -3, 10, 13, -4, 9, -2, 0, 2, 14, 7, 8, -6, 5, -5, 16, 7, 3}
# call doubled: tensor float32 [1, 4] {-2, 3, 1, -1}, tensor float32 [4, 4] {-1, 2, 0, 3, 1, -1, 2, 0, 3, 1, -1, 2, 0, 3, 1, -1} => tensor float32 [1, 4] {8, -9, 4, -3}
# call doubled: tensor float32 [0, 4] {}, tensor float32 [4, 4] {-1, 2, 0, 3, 1, -1, 2, 0, 3, 1, -1, 2, 0, 3, 1, -1} => tensor float32 [0, 4] {}
# call moved: tensor float32 [5, 4] {-2, 3, 1, -1, 1, -1, 4, 2, 4, 2, 0, -2, 0, -2, 3, 1, 3, 1, -1, 4}, tensor float32 [4, 4] {-1, 2, 0, 3, 1, -1, 2, 0, 3, 1, -1, 2, 0, 3, 1, -1} => tensor float32 [5, 4] {8, -9, 4, -3, 10, 13, -4, 9, -2, 0, 2, 14, 7, 8, -6, 5, -5, 16, 7, 3}
# call moved: tensor float32 [1, 4] {-2, 3, 1, -1}, tensor float32 [4, 4] {-1, 2, 0, 3, 1, -1, 2, 0, 3, 1, -1, 2, 0, 3, 1, -1} => tensor float32 [1, 4] {8, -9, 4, -3}
# call moved: tensor float32 [0, 4] {}, tensor float32 [4, 4] {-1, 2, 0, 3, 1, -1, 2, 0, 3, 1, -1, 2, 0, 3, 1, -1} => tensor float32 [0, 4] {}
# call named: tensor float32 [5, 4] {-2, 3, 1, -1, 1, -1, 4, 2, 4, 2, 0, -2, 0, -2, 3, 1, 3, 1, -1, 4}, tensor float32 [4, 4] {-1, 2, 0, 3, 1, -1, 2, 0, 3, 1, -1, 2, 0, 3, 1, -1} => tensor float32 [5, 4] {8, -9, 4, -3, 10, 13, -4, 9, -2, 0, 2, 14, 7, 8, -6, 5, -5, 16, 7, 3}
# call named: tensor float32 [1, 4] {-2, 3, 1, -1}, tensor float32 [4, 4] {-1, 2, 0, 3, 1, -1, 2, 0, 3, 1, -1, 2, 0, 3, 1, -1} => tensor float32 [1, 4] {8, -9, 4, -3}
# call named: tensor float32 [0, 4] {}, tensor float32 [4, 4] {-1, 2, 0, 3, 1, -1, 2, 0, 3, 1, -1, 2, 0, 3, 1, -1} => tensor float32 [0, 4] {}
# call chosen: tensor float32 [5, 4] {-2, 3, 1, -1, 1, -1, 4, 2, 4, 2, 0, -2, 0, -2, 3, 1, 3, 1, -1, 4}, tensor float32 [4, 4] {-1, 2, 0, 3, 1, -1, 2, 0, 3, 1, -1, 2, 0, 3, 1, -1} => tensor float32 [5, 4] {8, -9, 4, -3, 10, 13, -4, 9, -2, 0, 2, 14, 7, 8, -6, 5, -5, 16, 7, 3}
# call chosen: tensor float32 [1, 4] {-2, 3, 1, -1}, tensor float32 [4, 4] {-1, 2, 0, 3, 1, -1, 2, 0, 3, 1, -1, 2, 0, 3, 1, -1} => tensor float32 [1, 4] {8, -9, 4, -3}
# call chosen: tensor float32 [0, 4] {}, tensor float32 [4, 4] {-1, 2, 0, 3, 1, -1, 2, 0, 3, 1, -1, 2, 0, 3, 1, -1} => tensor float32 [0, 4] {}
# call hoisted: tensor float32 [5, 4] {-2, 3, 1, -1, 1, -1, 4, 2, 4, 2, 0, -2, 0, -2, 3, 1, 3, 1, -1, 4}, tensor float32 [4, 4] {-1, 2, 0, 3, 1, -1, 2, 0, 3, 1, -1, 2, 0, 3, 1, -1} => tensor float32 [5, 4] {8, -9, 4, -3, 10, 13, -4, 9, -2, 0, 2, 14, 7, 8, -6, 5, -5, 16, 7, 3}
# call hoisted: tensor float32 [1, 4] {-2, 3, 1, -1}, tensor float32 [4, 4] {-1, 2, 0, 3, 1, -1, 2, 0, 3, 1, -1, 2, 0, 3, 1, -1} => tensor float32 [1, 4] {8, -9, 4, -3}
# call hoisted: tensor float32 [0, 4] {}, tensor float32 [4, 4] {-1, 2, 0, 3, 1, -1, 2, 0, 3, 1, -1, 2, 0, 3, 1, -1} => tensor float32 [0, 4] {}
# call first_term: tensor float32 [5, 4] {-2, 3, 1, -1, 1, -1, 4, 2, 4, 2, 0, -2, 0, -2, 3, 1, 3, 1, -1, 4}, tensor float32 [4, 4] {-1, 2, 0, 3, 1, -1, 2, 0, 3, 1, -1, 2, 0, 3, 1, -1} => tensor float32 [5, 4] {8, -9, 4, -3, 10, 13, -4, 9, -2, 0, 2, 14, 7, 8, -6, 5, -5, 16, 7, 3}
# call first_term: tensor float32 [1, 4] {-2, 3, 1, -1}, tensor float32 [4, 4] {-1, 2, 0, 3, 1, -1, 2, 0, 3, 1, -1, 2, 0, 3, 1, -1} => tensor float32 [1, 4] {8, -9, 4, -3}
# call first_term: tensor float32 [0, 4] {}, tensor float32 [4, 4] {-1, 2, 0, 3, 1, -1, 2, 0, 3, 1, -1, 2, 0, 3, 1, -1} => tensor float32 [0, 4] {}
# call guarded: tensor float32 [5] {-3, 2, -2, 3, -1}, tensor float32 [2, 3] {1, -2, 3, 2, 0, -1} => tensor float32 [2, 5] {12, -13, 15, -11, 5, -2, -4, 1, -3, 6}
# call guarded: tensor float32 [1] {-3}, tensor float32 [2, 3] {1, -2, 3, 2, 0, -1} => tensor float32 [2, 1] {6, 0}
# call guarded: tensor float32 [0] {}, tensor float32 [2, 3] {1, -2, 3, 2, 0, -1} => tensor float32 [2, 0] {}
# call guarded_loops: tensor float32 [5] {-3, 2, -2, 3, -1}, tensor float32 [2, 3] {1, -2, 3, 2, 0, -1} => tensor float32 [2, 5] {12, -13, 15, -11, 5, -2, -4, 1, -3, 6}
# call guarded_loops: tensor float32 [1] {-3}, tensor float32 [2, 3] {1, -2, 3, 2, 0, -1} => tensor float32 [2, 1] {6, 0}
# call guarded_loops: tensor float32 [0] {}, tensor float32 [2, 3] {1, -2, 3, 2, 0, -1} => tensor float32 [2, 0] {}
# call chosen_product: tensor float32 [5] {-3, 2, -2, 3, -1}, tensor float32 [2, 3] {1, -2, 3, 2, 0, -1} => tensor float32 [2, 5] {12, -13, 15, -11, 5, -2, -4, 1, -3, 6}
# call chosen_product: tensor float32 [1] {-3}, tensor float32 [2, 3] {1, -2, 3, 2, 0, -1} => tensor float32 [2, 1] {6, 0}
# call chosen_product: tensor float32 [0] {}, tensor float32 [2, 3] {1, -2, 3, 2, 0, -1} => tensor float32 [2, 0] {}
# call padded_sum: tensor float32 [3, 5] {-5, -2, 1, 4, -4, 2, 5, -3, 0, 3, -2, 1, 4, -4, -1} => tensor float32 [3] {-6, 7, -2}
# call padded_sum: tensor float32 [3, 1] {-5, 2, -2} => tensor float32 [3] {-5, 2, -2}
# call padded_sum: tensor float32 [3, 0] {} => tensor float32 [3] {0, 0, 0}
# call padded_max: tensor float32 [3, 5] {-5, -2, 1, 4, -4, 2, 5, -3, 0, 3, -2, 1, 4, -4, -1} => tensor float32 [3] {4, 5, 4}
# call padded_max: tensor float32 [3, 1] {-5, 2, -2} => tensor float32 [3] {-5, 2, -2}
# call padded_max: tensor float32 [3, 0] {} => tensor float32 [3] {-50, -50, -50}
# call some_rows: tensor float32 [3, 5] {-5, -2, 1, 4, -4, 2, 5, -3, 0, 3, -2, 1, 4, -4, -1} => tensor float32 [3] {-6, 7, 0}
# call some_rows: tensor float32 [3, 1] {-5, 2, -2} => tensor float32 [3] {-5, 2, 0}
# call some_rows: tensor float32 [3, 0] {} => tensor float32 [3] {0, 0, 0}
# call larger: tensor float32 [3, 5] {-5, -2, 1, 4, -4, 2, 5, nan, 0, 3, -2, 1, 4, -4, -1} => tensor float32 [3] {4, 5, 4}
# call larger: tensor float32 [3, 1] {-5, nan, -2} => tensor float32 [3] {-5, -9, -2}
# call larger: tensor float32 [3, 0] {} => tensor float32 [3] {-9, -9, -9}
# call smaller: tensor float32 [3, 5] {-5, -2, 1, 4, -4, 2, 5, nan, 0, 3, -2, 1, 4, -4, -1} => tensor float32 [3] {-5, 0, -4}
# call smaller: tensor float32 [3, 1] {-5, nan, -2} => tensor float32 [3] {-5, 9, -2}
# call smaller: tensor float32 [3, 0] {} => tensor float32 [3] {9, 9, 9}
# call down_init: tensor float32 [3, 5] {-5, -2, 1, 4, -4, 2, 5, -3, 0, 3, -2, 1, 4, -4, -1} => tensor float32 [3] {-5, 2, -2}
# call down_init: tensor float32 [3, 1] {-5, 2, -2} => tensor float32 [3] {-5, 2, -2}
# call excluded_init: tensor float32 [3, 5] {-5, -2, 1, 4, -4, 2, 5, -3, 0, 3, -2, 1, 4, -4, -1} => tensor float32 [3] {1, 7, 2}
# call excluded_init: tensor float32 [3, 1] {-5, 2, -2} => tensor float32 [3] {2, 2, 2}
# call excluded_init: tensor float32 [3, 0] {} => tensor float32 [3] {2, 2, 2}
# call no_second_term: tensor float32 [3, 6] {-5, -2, 1, 4, -4, -1, 2, 5, -3, 0, 3, -5, -2, 1, 4, -4, -1, 2}, tensor float32 [5] {0, 0, 0, 0, 0} => tensor float32 [3] {-6, 7, -2}
# call no_second_term: tensor float32 [3, 6] {-5, -2, 1, 4, -4, -1, 2, 5, -3, 0, 3, -5, -2, 1, 4, -4, -1, 2}, tensor float32 [2] {0, 0} => tensor float32 [3] {-7, 7, -1}
# call no_second_term: tensor float32 [3, 6] {-5, -2, 1, 4, -4, -1, 2, 5, -3, 0, 3, -5, -2, 1, 4, -4, -1, 2}, tensor float32 [1] {0} => tensor float32 [3] {-5, 2, -2}
# call no_second_term: tensor float32 [3, 6] {-5, -2, 1, 4, -4, -1, 2, 5, -3, 0, 3, -5, -2, 1, 4, -4, -1, 2}, tensor float32 [0] {} => tensor float32 [3] {-5, 2, -2}
# call init_in_parts: tensor float32 [3, 5] {-5, -2, 1, 4, -4, 2, 5, -3, 0, 3, -2, 1, 4, -4, -1} => tensor float32 [3] {-6, 7, -2}
# call chain_of_lets: tensor float32 [3] {1, -1, 0} => tensor float32 [3] {1, 1, 0}
from tvm.script import ir as I, relax as R, tir as T
@I.ir_module
class Module:
    @T.prim_func
    def from_one_(a: T.handle, B: T.Buffer((4, 4), "float32"), c: T.handle):
        n = T.int64()
        A = T.match_buffer(a, (n, 4), "float32")
        C = T.match_buffer(c, (n, 4), "float32")
        for i in range(T.int64(1), n + T.int64(1)):
            for j, k in T.grid(4, 4):
                with T.block("C"):
                    vi = T.axis.spatial(n, i - T.int64(1))
                    vj, vk = T.axis.remap("SR", [j, k])
                    with T.init():
                        C[vi, vj] = T.float32(0)
                    C[vi, vj] = C[vi, vj] + A[vi, vk] * B[vk, vj]
    @T.prim_func
    def down_(a: T.handle, B: T.Buffer((4, 4), "float32"), c: T.handle):
        n = T.int64()
        A = T.match_buffer(a, (n, 4), "float32")
        C = T.match_buffer(c, (n, 4), "float32")
        for i, j, k in T.grid(n, 4, 4):
            with T.block("C"):
                vi = T.axis.spatial(n, n - T.int64(1) - i)
                vj = T.axis.spatial(4, j)
                vk = T.axis.reduce(4, 3 - k)
                with T.init():
                    C[vi, vj] = T.float32(0)
                C[vi, vj] = C[vi, vj] + A[vi, vk] * B[vk, vj]
    @T.prim_func
    def limited_(a: T.handle, B: T.Buffer((4, 4), "float32"), c: T.handle):
        n = T.int64()
        A = T.match_buffer(a, (n, 4), "float32")
        C = T.match_buffer(c, (n, 4), "float32")
        for i0 in range((n + T.int64(3)) // T.int64(4)):
            for i1 in range(T.min(T.int64(4), n - i0 * T.int64(4))):
                for j, k in T.grid(4, 4):
                    with T.block("C"):
                        vi = T.axis.spatial(n, i0 * T.int64(4) + i1)
                        vj, vk = T.axis.remap("SR", [j, k])
                        with T.init():
                            C[vi, vj] = T.float32(0)
                        C[vi, vj] = C[vi, vj] + A[vi, vk] * B[vk, vj]
    @T.prim_func
    def bits_(a: T.handle, B: T.Buffer((4, 4), "float32"), c: T.handle):
        n = T.int64()
        A = T.match_buffer(a, (n, 4), "float32")
        C = T.match_buffer(c, (n, 4), "float32")
        for f, k in T.grid(n * T.int64(4), 4):
            with T.block("C"):
                vi = T.axis.spatial(n, T.shift_right(f, T.int64(2)))
                vj = T.axis.spatial(4, T.bitwise_and(f, T.int64(3)))
                vk = T.axis.reduce(4, k)
                with T.init():
                    C[vi, vj] = T.float32(0)
                C[vi, vj] = C[vi, vj] + A[vi, vk] * B[vk, vj]
    @T.prim_func
    def doubled_(a: T.handle, B: T.Buffer((4, 4), "float32"), c: T.handle):
        n = T.int64()
        A = T.match_buffer(a, (n, 4), "float32")
        C = T.match_buffer(c, (n, 4), "float32")
        for i0, i1, j, k in T.grid((n + T.int64(1)) // T.int64(2), T.int64(2), 4, 4):
            with T.block("C"):
                vi = T.axis.spatial(n, T.shift_left(i0, T.int64(1)) + i1)
                vj = T.axis.spatial(4, j)
                vk = T.axis.reduce(4, k)
                T.where(T.Not(T.shift_left(i0, T.int64(1)) + i1 >= n))
                with T.init():
                    C[vi, vj] = T.float32(0)
                C[vi, vj] = C[vi, vj] + A[vi, vk] * B[vk, vj]
    @T.prim_func
    def moved_(a: T.handle, B: T.Buffer((4, 4), "float32"), c: T.handle):
        n = T.int64()
        A = T.match_buffer(a, (n, 4), "float32")
        C = T.match_buffer(c, (n, 4), "float32")
        for i0, i1, j, k in T.grid((n + T.int64(3)) // T.int64(4), T.int64(4), 4, 4):
            with T.block("C"):
                vi = T.axis.spatial(n, i0 * T.int64(4) + i1)
                vj = T.axis.spatial(4, j)
                vk = T.axis.reduce(4, k)
                T.where(i0 * T.int64(4) - n < T.int64(0) - i1)
                with T.init():
                    C[vi, vj] = T.float32(0)
                C[vi, vj] = C[vi, vj] + A[vi, vk] * B[vk, vj]
    @T.prim_func
    def named_(a: T.handle, B: T.Buffer((4, 4), "float32"), c: T.handle):
        n = T.int64()
        A = T.match_buffer(a, (n, 4), "float32")
        C = T.match_buffer(c, (n, 4), "float32")
        z = T.float32()
        for i, j, k in T.grid(n, 4, 4):
            with T.block("C"):
                vi = T.axis.spatial(n, i)
                vj = T.axis.spatial(4, j)
                vk = T.axis.reduce(4, k)
                with T.init():
                    C[vi, vj] = T.float32(0)
                C[vi, vj] = C[vi, vj] + T.Let(z * B[vk, vj], where={z: A[vi, vk]})
    @T.prim_func
    def chosen_(a: T.handle, B: T.Buffer((4, 4), "float32"), c: T.handle):
        n = T.int64()
        A = T.match_buffer(a, (n, 4), "float32")
        C = T.match_buffer(c, (n, 4), "float32")
        for i, j, k in T.grid(n, 4, 4):
            with T.block("C"):
                vi, vj, vk = T.axis.remap("SSR", [i, j, k])
                C[vi, vj] = T.if_then_else(vk == 0, T.float32(0), C[vi, vj]) + A[vi, vk] * B[vk, vj]
    @T.prim_func
    def hoisted_(a: T.handle, B: T.Buffer((4, 4), "float32"), c: T.handle):
        n = T.int64()
        A = T.match_buffer(a, (n, 4), "float32")
        C = T.match_buffer(c, (n, 4), "float32")
        for i in range(n):
            for j in range(4):
                C[i, j] = T.float32(0)
            for k in range(4):
                x: T.float32 = A[i, k]
                for j in range(4):
                    C[i, j] = C[i, j] + x * B[k, j]
    @T.prim_func
    def first_term_(a: T.handle, B: T.Buffer((4, 4), "float32"), c: T.handle):
        n = T.int64()
        A = T.match_buffer(a, (n, 4), "float32")
        C = T.match_buffer(c, (n, 4), "float32")
        for i, j in T.grid(n, 4):
            C[i, j] = A[i, 0] * B[0, j]
            for k in range(1, 4):
                C[i, j] = C[i, j] + A[i, k] * B[k, j]
    @T.prim_func
    def guarded_(a: T.handle, B: T.Buffer((2, 3), "float32"), c: T.handle):
        n = T.int64()
        A = T.match_buffer(a, (n,), "float32")
        C = T.match_buffer(c, (2, n), "float32")
        for f, i, r in T.grid(2, n, T.int64(3)):
            with T.block("C"):
                vf, vi, vr = T.axis.remap("SSR", [f, i, r])
                with T.init():
                    C[vf, vi] = T.float32(0)
                if T.int64(1) <= vi + vr and vi + vr < n + T.int64(1):
                    C[vf, vi] = C[vf, vi] + A[vi + vr - T.int64(1)] * B[vf, vr]
    @T.prim_func
    def guarded_loops_(a: T.handle, B: T.Buffer((2, 3), "float32"), c: T.handle):
        n = T.int64()
        A = T.match_buffer(a, (n,), "float32")
        C = T.match_buffer(c, (2, n), "float32")
        for f, i in T.grid(2, n):
            C[f, i] = T.float32(0)
            for r in range(T.int64(3)):
                if i + r >= T.int64(1) and i + r <= n:
                    C[f, i] = C[f, i] + A[i + r - T.int64(1)] * B[f, r]
    @T.prim_func
    def chosen_product_(a: T.handle, B: T.Buffer((2, 3), "float32"), c: T.handle):
        n = T.int64()
        A = T.match_buffer(a, (n,), "float32")
        C = T.match_buffer(c, (2, n), "float32")
        for f, i, r in T.grid(2, n, T.int64(3)):
            with T.block("C"):
                vf, vi, vr = T.axis.remap("SSR", [f, i, r])
                with T.init():
                    C[vf, vi] = T.float32(0)
                C[vf, vi] = C[vf, vi] + T.if_then_else(T.int64(1) <= vi + vr and vi + vr < n + T.int64(1), A[vi + vr - T.int64(1)] * B[vf, vr], T.float32(0))
    @T.prim_func
    def padded_sum_(a: T.handle, C: T.Buffer((3,), "float32")):
        n = T.int64()
        A = T.match_buffer(a, (3, n), "float32")
        for i, k in T.grid(3, (n + T.int64(3)) // T.int64(4) * T.int64(4)):
            with T.block("C"):
                vi, vk = T.axis.remap("SR", [i, k])
                with T.init():
                    C[vi] = T.float32(0)
                C[vi] = C[vi] + T.if_then_else(vk < n, A[vi, vk], T.float32(0))
    @T.prim_func
    def padded_max_(a: T.handle, C: T.Buffer((3,), "float32")):
        n = T.int64()
        A = T.match_buffer(a, (3, n), "float32")
        for i, k in T.grid(3, (n + T.int64(3)) // T.int64(4) * T.int64(4)):
            with T.block("C"):
                vi, vk = T.axis.remap("SR", [i, k])
                with T.init():
                    C[vi] = T.float32(-50)
                if vk < n:
                    C[vi] = T.max(A[vi, vk], C[vi])
    @T.prim_func
    def some_rows_(a: T.handle, C: T.Buffer((3,), "float32")):
        n = T.int64()
        A = T.match_buffer(a, (3, n), "float32")
        for i in range(3):
            C[i] = T.float32(0)
        for i, k in T.grid(3, n):
            if i < 2:
                C[i] = C[i] + A[i, k]
    @T.prim_func
    def larger_(a: T.handle, C: T.Buffer((3,), "float32")):
        n = T.int64()
        A = T.match_buffer(a, (3, n), "float32")
        for i in range(3):
            C[i] = T.float32(-9)
            for k in range(n):
                if A[i, k] > C[i]:
                    C[i] = A[i, k]
    @T.prim_func
    def smaller_(a: T.handle, C: T.Buffer((3,), "float32")):
        n = T.int64()
        A = T.match_buffer(a, (3, n), "float32")
        for i, k in T.grid(3, n):
            with T.block("C"):
                vi, vk = T.axis.remap("SR", [i, k])
                with T.init():
                    C[vi] = T.float32(9)
                C[vi] = T.Select(C[vi] >= A[vi, vk], A[vi, vk], C[vi])
    @T.prim_func
    def down_init_(a: T.handle, C: T.Buffer((3,), "float32")):
        n = T.int64()
        A = T.match_buffer(a, (3, n), "float32")
        for i, k in T.grid(3, n):
            with T.block("C"):
                vi = T.axis.spatial(3, i)
                vk = T.axis.reduce(n, n - T.int64(1) - k)
                if vk == T.int64(0):
                    C[vi] = T.float32(0)
                C[vi] = C[vi] + A[vi, vk]
    @T.prim_func
    def excluded_init_(a: T.handle, C: T.Buffer((3,), "float32")):
        n = T.int64()
        A = T.match_buffer(a, (3, n), "float32")
        for i in range(3):
            C[i] = T.float32(2)
        for i, k in T.grid(3, n):
            with T.block("C"):
                vi, vk = T.axis.remap("SR", [i, k])
                T.where(T.int64(1) <= k)
                if vk == T.int64(0):
                    C[vi] = T.float32(0)
                C[vi] = C[vi] + A[vi, vk]
    @T.prim_func
    def no_second_term_(A: T.Buffer((3, 6), "float32"), b: T.handle, C: T.Buffer((3,), "float32")):
        m = T.int64()
        B = T.match_buffer(b, (m,), "float32")
        for i in range(3):
            C[i] = A[i, 0]
            for k in range(T.int64(1), m):
                C[i] = C[i] + A[i, k]
    @T.prim_func
    def init_in_parts_(A: T.Buffer((3, 5), "float32"), C: T.Buffer((3,), "float32")):
        for k in range(5):
            for i0 in range(2):
                for i1 in range(T.min(2, 3 - i0 * 2)):
                    with T.block("C"):
                        vi = T.axis.spatial(3, i0 * 2 + i1)
                        vk = T.axis.reduce(5, k)
                        with T.init():
                            C[vi] = T.float32(0)
                        C[vi] = C[vi] + A[vi, vk]
    @T.prim_func
    def chain_of_lets_(A: T.Buffer((3,), "float32"), C: T.Buffer((3,), "float32")):
        z0 = T.float32()
        z1 = T.float32()
        z2 = T.float32()
        z3 = T.float32()
        z4 = T.float32()
        z5 = T.float32()
        z6 = T.float32()
        z7 = T.float32()
        z8 = T.float32()
        z9 = T.float32()
        z10 = T.float32()
        z11 = T.float32()
        z12 = T.float32()
        z13 = T.float32()
        z14 = T.float32()
        z15 = T.float32()
        z16 = T.float32()
        z17 = T.float32()
        z18 = T.float32()
        z19 = T.float32()
        z20 = T.float32()
        z21 = T.float32()
        z22 = T.float32()
        z23 = T.float32()
        z24 = T.float32()
        z25 = T.float32()
        z26 = T.float32()
        z27 = T.float32()
        z28 = T.float32()
        z29 = T.float32()
        z30 = T.float32()
        z31 = T.float32()
        z32 = T.float32()
        z33 = T.float32()
        z34 = T.float32()
        z35 = T.float32()
        z36 = T.float32()
        z37 = T.float32()
        z38 = T.float32()
        z39 = T.float32()
        z40 = T.float32()
        for i in range(3):
            with T.block("C"):
                vi = T.axis.spatial(3, i)
                C[vi] = T.Let(T.Let(T.Let(T.Let(T.Let(T.Let(T.Let(T.Let(T.Let(T.Let(T.Let(T.Let(T.Let(T.Let(T.Let(T.Let(T.Let(T.Let(T.Let(T.Let(T.Let(T.Let(T.Let(T.Let(T.Let(T.Let(T.Let(T.Let(T.Let(T.Let(T.Let(T.Let(T.Let(T.Let(T.Let(T.Let(T.Let(T.Let(T.Let(T.Let(T.Let(z40, where={z40: z39 * z39}), where={z39: z38 * z38}), where={z38: z37 * z37}), where={z37: z36 * z36}), where={z36: z35 * z35}), where={z35: z34 * z34}), where={z34: z33 * z33}), where={z33: z32 * z32}), where={z32: z31 * z31}), where={z31: z30 * z30}), where={z30: z29 * z29}), where={z29: z28 * z28}), where={z28: z27 * z27}), where={z27: z26 * z26}), where={z26: z25 * z25}), where={z25: z24 * z24}), where={z24: z23 * z23}), where={z23: z22 * z22}), where={z22: z21 * z21}), where={z21: z20 * z20}), where={z20: z19 * z19}), where={z19: z18 * z18}), where={z18: z17 * z17}), where={z17: z16 * z16}), where={z16: z15 * z15}), where={z15: z14 * z14}), where={z14: z13 * z13}), where={z13: z12 * z12}), where={z12: z11 * z11}), where={z11: z10 * z10}), where={z10: z9 * z9}), where={z9: z8 * z8}), where={z8: z7 * z7}), where={z7: z6 * z6}), where={z6: z5 * z5}), where={z5: z4 * z4}), where={z4: z3 * z3}), where={z3: z2 * z2}), where={z2: z1 * z1}), where={z1: z0 * z0}), where={z0: A[vi]})
    @T.prim_func
    def changed_limit_(A: T.Buffer((3,), "float32"), C: T.Buffer((3,), "float32")):
        most = T.alloc_buffer((1,), "int64")
        for i0, i1 in T.grid(1, 3):
            with T.block("C"):
                vi = T.axis.spatial(3, i0 * 3 + i1)
                C[vi] = T.float32(0)
        most[0] = T.int64(3)
        for i in range(T.min(T.int64(5), most[0])):
            C[i] = A[i] + T.float32(1)
            most[0] = T.int64(1)
    @T.prim_func
    def changed_start_(A: T.Buffer((3,), "float32"), C: T.Buffer((3,), "float32")):
        least = T.alloc_buffer((1,), "int64")
        for i0, i1 in T.grid(1, 3):
            with T.block("C"):
                vi = T.axis.spatial(3, i0 * 3 + i1)
                C[vi] = T.float32(0)
        C[0] = A[0]
        least[0] = T.int64(1)
        for i in range(least[0], least[0] + T.int64(2)):
            C[i] = A[i] + T.float32(1)
            least[0] = T.int64(0)
    @R.function
    def from_one(a: R.Tensor(("n", 4), "float32"), b: R.Tensor((4, 4), "float32")):
        n = T.int64()
        cls = Module
        return R.call_tir(cls.from_one_, (a, b), out_sinfo=R.Tensor((n, 4), "float32"))
    @R.function
    def down(a: R.Tensor(("n", 4), "float32"), b: R.Tensor((4, 4), "float32")):
        n = T.int64()
        cls = Module
        return R.call_tir(cls.down_, (a, b), out_sinfo=R.Tensor((n, 4), "float32"))
    @R.function
    def limited(a: R.Tensor(("n", 4), "float32"), b: R.Tensor((4, 4), "float32")):
        n = T.int64()
        cls = Module
        return R.call_tir(cls.limited_, (a, b), out_sinfo=R.Tensor((n, 4), "float32"))
    @R.function
    def bits(a: R.Tensor(("n", 4), "float32"), b: R.Tensor((4, 4), "float32")):
        n = T.int64()
        cls = Module
        return R.call_tir(cls.bits_, (a, b), out_sinfo=R.Tensor((n, 4), "float32"))
    @R.function
    def doubled(a: R.Tensor(("n", 4), "float32"), b: R.Tensor((4, 4), "float32")):
        n = T.int64()
        cls = Module
        return R.call_tir(cls.doubled_, (a, b), out_sinfo=R.Tensor((n, 4), "float32"))
    @R.function
    def moved(a: R.Tensor(("n", 4), "float32"), b: R.Tensor((4, 4), "float32")):
        n = T.int64()
        cls = Module
        return R.call_tir(cls.moved_, (a, b), out_sinfo=R.Tensor((n, 4), "float32"))
    @R.function
    def named(a: R.Tensor(("n", 4), "float32"), b: R.Tensor((4, 4), "float32")):
        n = T.int64()
        cls = Module
        return R.call_tir(cls.named_, (a, b), out_sinfo=R.Tensor((n, 4), "float32"))
    @R.function
    def chosen(a: R.Tensor(("n", 4), "float32"), b: R.Tensor((4, 4), "float32")):
        n = T.int64()
        cls = Module
        return R.call_tir(cls.chosen_, (a, b), out_sinfo=R.Tensor((n, 4), "float32"))
    @R.function
    def hoisted(a: R.Tensor(("n", 4), "float32"), b: R.Tensor((4, 4), "float32")):
        n = T.int64()
        cls = Module
        return R.call_tir(cls.hoisted_, (a, b), out_sinfo=R.Tensor((n, 4), "float32"))
    @R.function
    def first_term(a: R.Tensor(("n", 4), "float32"), b: R.Tensor((4, 4), "float32")):
        n = T.int64()
        cls = Module
        return R.call_tir(cls.first_term_, (a, b), out_sinfo=R.Tensor((n, 4), "float32"))
    @R.function
    def guarded(a: R.Tensor(("n",), "float32"), b: R.Tensor((2, 3), "float32")):
        n = T.int64()
        cls = Module
        return R.call_tir(cls.guarded_, (a, b), out_sinfo=R.Tensor((2, n), "float32"))
    @R.function
    def guarded_loops(a: R.Tensor(("n",), "float32"), b: R.Tensor((2, 3), "float32")):
        n = T.int64()
        cls = Module
        return R.call_tir(cls.guarded_loops_, (a, b), out_sinfo=R.Tensor((2, n), "float32"))
    @R.function
    def chosen_product(a: R.Tensor(("n",), "float32"), b: R.Tensor((2, 3), "float32")):
        n = T.int64()
        cls = Module
        return R.call_tir(cls.chosen_product_, (a, b), out_sinfo=R.Tensor((2, n), "float32"))
    @R.function
    def padded_sum(a: R.Tensor((3, "n"), "float32")):
        cls = Module
        return R.call_tir(cls.padded_sum_, (a,), out_sinfo=R.Tensor((3,), "float32"))
    @R.function
    def padded_max(a: R.Tensor((3, "n"), "float32")):
        cls = Module
        return R.call_tir(cls.padded_max_, (a,), out_sinfo=R.Tensor((3,), "float32"))
    @R.function
    def some_rows(a: R.Tensor((3, "n"), "float32")):
        cls = Module
        return R.call_tir(cls.some_rows_, (a,), out_sinfo=R.Tensor((3,), "float32"))
    @R.function
    def larger(a: R.Tensor((3, "n"), "float32")):
        cls = Module
        return R.call_tir(cls.larger_, (a,), out_sinfo=R.Tensor((3,), "float32"))
    @R.function
    def smaller(a: R.Tensor((3, "n"), "float32")):
        cls = Module
        return R.call_tir(cls.smaller_, (a,), out_sinfo=R.Tensor((3,), "float32"))
    @R.function
    def down_init(a: R.Tensor((3, "n"), "float32")):
        cls = Module
        return R.call_tir(cls.down_init_, (a,), out_sinfo=R.Tensor((3,), "float32"))
    @R.function
    def excluded_init(a: R.Tensor((3, "n"), "float32")):
        cls = Module
        return R.call_tir(cls.excluded_init_, (a,), out_sinfo=R.Tensor((3,), "float32"))
    @R.function
    def no_second_term(a: R.Tensor((3, 6), "float32"), b: R.Tensor(("m",), "float32")):
        cls = Module
        return R.call_tir(cls.no_second_term_, (a, b,), out_sinfo=R.Tensor((3,), "float32"))
    @R.function
    def init_in_parts(a: R.Tensor((3, 5), "float32")):
        cls = Module
        return R.call_tir(cls.init_in_parts_, (a,), out_sinfo=R.Tensor((3,), "float32"))
    @R.function
    def chain_of_lets(a: R.Tensor((3,), "float32")):
        cls = Module
        return R.call_tir(cls.chain_of_lets_, (a,), out_sinfo=R.Tensor((3,), "float32"))
    @R.function
    def changed_limit(a: R.Tensor((3,), "float32")):
        cls = Module
        return R.call_tir(cls.changed_limit_, (a,), out_sinfo=R.Tensor((3,), "float32"))
    @R.function
    def changed_start(a: R.Tensor((3,), "float32")):
        cls = Module
        return R.call_tir(cls.changed_start_, (a,), out_sinfo=R.Tensor((3,), "float32"))

# ==== unrolled
"""Loops that were unrolled by hand: stores, terms of a sum, accumulators; steps that only look so; whole tiles and rests; sums that begin with an element."""
# call stores: tensor float32 [2, 12] {1, 2, 3, 4, 5, 6, 0, 1, 2, 3, 4, 5, 6, 0, 1, 2, 3, 4, 5, 6, 0, 1, 2, 3} => tensor float32 [2] {36, 33}
# call terms: tensor float32 [2, 12] {1, 2, 3, 4, 5, 6, 0, 1, 2, 3, 4, 5, 6, 0, 1, 2, 3, 4, 5, 6, 0, 1, 2, 3} => tensor float32 [2] {36, 33}
# call accumulators: tensor float32 [2, 12] {1, 2, 3, 4, 5, 6, 0, 1, 2, 3, 4, 5, 6, 0, 1, 2, 3, 4, 5, 6, 0, 1, 2, 3} => tensor float32 [4] {7, 2, 4, 6}
# call pairs: tensor float32 [2, 12] {1, 2, 3, 4, 5, 6, 0, 1, 2, 3, 4, 5, 6, 0, 1, 2, 3, 4, 5, 6, 0, 1, 2, 3} => tensor float32 [12] {2, 4, 6, 8, 10, 12, 0, 2, 4, 6, 8, 10}
# call uneven: tensor float32 [2, 12] {1, 2, 3, 4, 5, 6, 0, 1, 2, 3, 4, 5, 6, 0, 1, 2, 3, 4, 5, 6, 0, 1, 2, 3} => tensor float32 [2] {11, 20}
# call down: tensor float32 [2, 12] {1, 2, 3, 4, 5, 6, 0, 1, 2, 3, 4, 5, 6, 0, 1, 2, 3, 4, 5, 6, 0, 1, 2, 3} => tensor float32 [12] {6, 5, 4, 3, 2, 1, 4, 3, 2, 1, 0, 6}
# call a_chain: tensor float32 [2, 12] {1, 2, 3, 4, 5, 6, 0, 1, 2, 3, 4, 5, 6, 0, 1, 2, 3, 4, 5, 6, 0, 1, 2, 3} => tensor float32 [4] {1, 1, 2, 6}
# call last_differs: tensor float32 [2, 12] {1, 2, 3, 4, 5, 6, 0, 1, 2, 3, 4, 5, 6, 0, 1, 2, 3, 4, 5, 6, 0, 1, 2, 3} => tensor float32 [6] {2, 3, 5, 7, 1, 3}
# call nests: tensor float32 [2, 12] {1, 2, 3, 4, 5, 6, 0, 1, 2, 3, 4, 5, 6, 0, 1, 2, 3, 4, 5, 6, 0, 1, 2, 3} => tensor float32 [4] {7, 2, 4, 6}
# call bias: tensor float32 [2, 12] {1, 2, 3, 4, 5, 6, 0, 1, 2, 3, 4, 5, 6, 0, 1, 2, 3, 4, 5, 6, 0, 1, 2, 3} => tensor float32 [2] {5, 0}
# call bias_block: tensor float32 [2, 12] {1, 2, 3, 4, 5, 6, 0, 1, 2, 3, 4, 5, 6, 0, 1, 2, 3, 4, 5, 6, 0, 1, 2, 3} => tensor float32 [2] {5, 6}
# call bias_of_none: tensor float32 [2, 12] {1, 2, 3, 4, 5, 6, 0, 1, 2, 3, 4, 5, 6, 0, 1, 2, 3, 4, 5, 6, 0, 1, 2, 3} => tensor float32 [2] {5, 3}
# call own_terms: tensor float32 [2, 12] {1, 2, 3, 4, 5, 6, 0, 1, 2, 3, 4, 5, 6, 0, 1, 2, 3, 4, 5, 6, 0, 1, 2, 3} => tensor float32 [2] {32, 28}
# call own_init: tensor float32 [2, 12] {1, 2, 3, 4, 5, 6, 0, 1, 2, 3, 4, 5, 6, 0, 1, 2, 3, 4, 5, 6, 0, 1, 2, 3} => tensor float32 [2] {10, 7}
# call rest_in_else: tensor float32 [7, 3] {0, 5, 1, 6, 2, 7, 3, 8, 4, 0, 5, 1, 6, 2, 7, 3, 8, 4, 0, 5, 1} => tensor float32 [7] {6, 15, 15, 6, 15, 15, 6}
# call minimum_in_else: tensor float32 [7, 3] {0, 5, 1, 6, 2, 7, 3, 8, 4, 0, 5, 1, 6, 2, 7, 3, 8, 4, 0, 5, 1} => tensor float32 [7] {6, 15, 15, 6, 15, 15, 6}
# call guard_in_else: tensor float32 [7, 3] {0, 5, 1, 6, 2, 7, 3, 8, 4, 0, 5, 1, 6, 2, 7, 3, 8, 4, 0, 5, 1} => tensor float32 [7] {6, 15, 15, 6, 15, 15, 6}
# call rest_in_a_loop: tensor float32 [7, 3] {0, 5, 1, 6, 2, 7, 3, 8, 4, 0, 5, 1, 6, 2, 7, 3, 8, 4, 0, 5, 1} => tensor float32 [7] {6, 15, 15, 6, 15, 15, 6}
# call else_differs: tensor float32 [7, 3] {0, 5, 1, 6, 2, 7, 3, 8, 4, 0, 5, 1, 6, 2, 7, 3, 8, 4, 0, 5, 1} => tensor float32 [7] {6, 15, 15, 6, 24, 24, 15}
# call other_condition: tensor float32 [7, 3] {0, 5, 1, 6, 2, 7, 3, 8, 4, 0, 5, 1, 6, 2, 7, 3, 8, 4, 0, 5, 1} => tensor float32 [7] {6, 15, 15, 0, 0, 0, 0}
# call blocks_in_branches: tensor float32 [7, 3] {0, 5, 1, 6, 2, 7, 3, 8, 4, 0, 5, 1, 6, 2, 7, 3, 8, 4, 0, 5, 1} => tensor float32 [7] {6, 15, 15, 6, 15, 15, 6}
# call other_axes_in_else: tensor float32 [7, 3] {0, 5, 1, 6, 2, 7, 3, 8, 4, 0, 5, 1, 6, 2, 7, 3, 8, 4, 0, 5, 1} => tensor float32 [7] {6, 15, 15, 6, 15, 15, 6}
from tvm.script import ir as I, relax as R, tir as T
@I.ir_module
class Module:
    @T.prim_func
    def stores_(A: T.Buffer((2, 12), "float32"), B: T.Buffer((2,), "float32")):
        for i in range(2):
            B[i] = T.float32(0)
            for k in range(3):
                B[i] = B[i] + A[i, k * 4]
                B[i] = B[i] + A[i, k * 4 + 1]
                B[i] = B[i] + A[i, k * 4 + 2]
                B[i] = B[i] + A[i, k * 4 + 3]
    @T.prim_func
    def terms_(A: T.Buffer((2, 12), "float32"), B: T.Buffer((2,), "float32")):
        for i in range(2):
            B[i] = T.float32(0)
            for k in range(4):
                B[i] = B[i] + (A[i, k * 3] + A[i, k * 3 + 1] + A[i, k * 3 + 2])
    @T.prim_func
    def accumulators_(A: T.Buffer((2, 12), "float32"), B: T.Buffer((4,), "float32")):
        for j in range(2):
            s = T.alloc_buffer((2,), "float32", scope="local")
            s[0] = T.float32(0)
            s[1] = T.float32(0)
            for i in range(2):
                s[0] = s[0] + A[i, j * 2]
                s[1] = s[1] + A[i, j * 2 + 1]
            B[j * 2] = s[0]
            B[j * 2 + 1] = s[1]
    @T.prim_func
    def pairs_(A: T.Buffer((2, 12), "float32"), B: T.Buffer((12,), "float32")):
        for j in range(3):
            B[j * 4] = A[0, j * 4]
            B[j * 4] = B[j * 4] * T.float32(2)
            B[j * 4 + 1] = A[0, j * 4 + 1]
            B[j * 4 + 1] = B[j * 4 + 1] * T.float32(2)
            B[j * 4 + 2] = A[0, j * 4 + 2]
            B[j * 4 + 2] = B[j * 4 + 2] * T.float32(2)
            B[j * 4 + 3] = A[0, j * 4 + 3]
            B[j * 4 + 3] = B[j * 4 + 3] * T.float32(2)
    @T.prim_func
    def uneven_(A: T.Buffer((2, 12), "float32"), B: T.Buffer((2,), "float32")):
        for i in range(2):
            B[i] = T.float32(0)
            for k in range(2):
                B[i] = B[i] + A[i, k]
                B[i] = B[i] + A[i, k + 2]
                B[i] = B[i] + A[i, k + 6]
    @T.prim_func
    def down_(A: T.Buffer((2, 12), "float32"), B: T.Buffer((12,), "float32")):
        for i in range(2):
            B[i * 6 + 5] = A[i, 0]
            B[i * 6 + 4] = A[i, 1]
            B[i * 6 + 3] = A[i, 2]
            B[i * 6 + 2] = A[i, 3]
            B[i * 6 + 1] = A[i, 4]
            B[i * 6] = A[i, 5]
    @T.prim_func
    def a_chain_(A: T.Buffer((2, 12), "float32"), B: T.Buffer((4,), "float32")):
        B[0] = T.float32(1)
        for r in range(1):
            B[1] = B[0] * A[0, 0]
            B[2] = B[1] * A[0, 1]
            B[3] = B[2] * A[0, 2]
    @T.prim_func
    def last_differs_(A: T.Buffer((2, 12), "float32"), B: T.Buffer((6,), "float32")):
        for i in range(2):
            B[i * 3] = A[i, 0] + T.float32(1)
            B[i * 3 + 1] = A[i, 1] + T.float32(1)
            B[i * 3 + 2] = A[i, 2] + T.float32(2)
    @T.prim_func
    def nests_(A: T.Buffer((2, 12), "float32"), B: T.Buffer((4,), "float32")):
        for j in range(2):
            B[j * 2] = T.float32(0)
            for i in range(2):
                B[j * 2] = B[j * 2] + A[i, j * 2]
            B[j * 2 + 1] = T.float32(0)
            for i in range(2):
                B[j * 2 + 1] = B[j * 2 + 1] + A[i, j * 2 + 1]
    @T.prim_func
    def bias_(A: T.Buffer((2, 12), "float32"), B: T.Buffer((2,), "float32")):
        for i in range(2):
            B[i] = A[i, 11]
            for k in range(5):
                B[i] = B[i] + A[i, k]
            B[i] = T.max(B[i] - T.float32(15), T.float32(0))
    @T.prim_func
    def bias_block_(A: T.Buffer((2, 12), "float32"), B: T.Buffer((2,), "float32")):
        for i, k in T.grid(2, 5):
            with T.block("B"):
                vi, vk = T.axis.remap("SR", [i, k])
                with T.init():
                    B[vi] = A[vi, 11]
                B[vi] = T.max(B[vi], A[vi, vk])
    @T.prim_func
    def bias_of_none_(A: T.Buffer((2, 12), "float32"), B: T.Buffer((2,), "float32")):
        for i in range(2):
            B[i] = A[i, 11]
            for k in range(T.max(i - 1, 0)):
                B[i] = B[i] + A[i, k]
    @T.prim_func
    def own_terms_(A: T.Buffer((2, 12), "float32"), B: T.Buffer((2,), "float32")):
        for i in range(2):
            B[i] = T.float32(1)
            for k in range(2):
                B[i] = B[i] + B[i] * A[i, k * 2] + B[i] * A[i, k * 2 + 1]
    @T.prim_func
    def own_init_(A: T.Buffer((2, 12), "float32"), B: T.Buffer((2,), "float32")):
        for i in range(2):
            B[i] = A[i, 1]
        for i, k in T.grid(2, 3):
            with T.block("B"):
                vi, vk = T.axis.remap("SR", [i, k])
                with T.init():
                    B[vi] = B[vi] * T.float32(2)
                B[vi] = B[vi] + A[vi, vk]
    @T.prim_func
    def rest_in_else_(A: T.Buffer((7, 3), "float32"), B: T.Buffer((7,), "float32")):
        for i0 in range(2):
            if i0 * 4 + 4 <= 7:
                for i1 in range(4):
                    B[i0 * 4 + i1] = T.float32(0)
                    for k in range(3):
                        B[i0 * 4 + i1] = B[i0 * 4 + i1] + A[i0 * 4 + i1, k]
            else:
                for i1 in range(7 - i0 * 4):
                    B[i0 * 4 + i1] = T.float32(0)
                    for k in range(3):
                        B[i0 * 4 + i1] = B[i0 * 4 + i1] + A[i0 * 4 + i1, k]
    @T.prim_func
    def minimum_in_else_(A: T.Buffer((7, 3), "float32"), B: T.Buffer((7,), "float32")):
        for i0 in range(2):
            if i0 * 4 + 3 < 7:
                for i1 in range(4):
                    B[i0 * 4 + i1] = T.float32(0)
                    for k in range(3):
                        B[i0 * 4 + i1] = B[i0 * 4 + i1] + A[i0 * 4 + i1, k]
            else:
                for i1 in range(T.min(4, 7 - i0 * 4)):
                    B[i0 * 4 + i1] = T.float32(0)
                    for k in range(3):
                        B[i0 * 4 + i1] = B[i0 * 4 + i1] + A[i0 * 4 + i1, k]
    @T.prim_func
    def guard_in_else_(A: T.Buffer((7, 3), "float32"), B: T.Buffer((7,), "float32")):
        for i0 in range(2):
            if i0 * 4 + 4 <= 7:
                for i1 in range(4):
                    B[i0 * 4 + i1] = T.float32(0)
                    for k in range(3):
                        B[i0 * 4 + i1] = B[i0 * 4 + i1] + A[i0 * 4 + i1, k]
            else:
                for i1 in range(4):
                    if i0 * 4 + i1 < 7:
                        B[i0 * 4 + i1] = T.float32(0)
                        for k in range(3):
                            B[i0 * 4 + i1] = B[i0 * 4 + i1] + A[i0 * 4 + i1, k]
    @T.prim_func
    def rest_in_a_loop_(A: T.Buffer((7, 3), "float32"), B: T.Buffer((7,), "float32")):
        for i0 in range(1):
            for i1 in range(4):
                B[i0 * 4 + i1] = T.float32(0)
                for k in range(3):
                    B[i0 * 4 + i1] = B[i0 * 4 + i1] + A[i0 * 4 + i1, k]
        for i1 in range(3):
            B[4 + i1] = T.float32(0)
            for k in range(3):
                B[4 + i1] = B[4 + i1] + A[4 + i1, k]
    @T.prim_func
    def else_differs_(A: T.Buffer((7, 3), "float32"), B: T.Buffer((7,), "float32")):
        for i0 in range(2):
            if i0 * 4 + 4 <= 7:
                for i1 in range(4):
                    B[i0 * 4 + i1] = T.float32(0)
                    for k in range(3):
                        B[i0 * 4 + i1] = B[i0 * 4 + i1] + A[i0 * 4 + i1, k]
            else:
                for i1 in range(7 - i0 * 4):
                    B[i0 * 4 + i1] = T.float32(9)
                    for k in range(3):
                        B[i0 * 4 + i1] = B[i0 * 4 + i1] + A[i0 * 4 + i1, k]
    @T.prim_func
    def other_condition_(A: T.Buffer((7, 3), "float32"), B: T.Buffer((7,), "float32")):
        for i in range(7):
            B[i] = T.float32(0)
        for i0 in range(2):
            if i0 * 4 + 5 <= 7:
                for i1 in range(3):
                    B[i0 * 4 + i1] = T.float32(0)
                    for k in range(3):
                        B[i0 * 4 + i1] = B[i0 * 4 + i1] + A[i0 * 4 + i1, k]
            else:
                for i1 in range(T.min(3, 3 - i0 * 4)):
                    B[i0 * 4 + i1] = T.float32(0)
                    for k in range(3):
                        B[i0 * 4 + i1] = B[i0 * 4 + i1] + A[i0 * 4 + i1, k]
    @T.prim_func
    def blocks_in_branches_(A: T.Buffer((7, 3), "float32"), B: T.Buffer((7,), "float32")):
        for i0 in range(2):
            if i0 * 4 + 4 <= 7:
                for i1, k in T.grid(4, 3):
                    with T.block("B"):
                        vi = T.axis.spatial(7, i0 * 4 + i1)
                        vk = T.axis.reduce(3, k)
                        with T.init():
                            B[vi] = T.float32(0)
                        B[vi] = B[vi] + A[vi, vk]
            else:
                for i1, k in T.grid(7 - i0 * 4, 3):
                    with T.block("B"):
                        vi = T.axis.spatial(7, i0 * 4 + i1)
                        vk = T.axis.reduce(3, k)
                        with T.init():
                            B[vi] = T.float32(0)
                        B[vi] = B[vi] + A[vi, vk]
    @T.prim_func
    def other_axes_in_else_(A: T.Buffer((7, 3), "float32"), B: T.Buffer((7,), "float32")):
        for i0 in range(2):
            if i0 * 4 + 4 <= 7:
                for i1, k in T.grid(4, 3):
                    with T.block("B"):
                        vi = T.axis.spatial(7, i0 * 4 + i1)
                        vk = T.axis.reduce(3, k)
                        with T.init():
                            B[vi] = T.float32(0)
                        B[vi] = B[vi] + A[vi, vk]
            else:
                for i1, k in T.grid(7 - i0 * 4, 3):
                    with T.block("B"):
                        vi = T.axis.spatial(8, i0 * 4 + i1)
                        vk = T.axis.reduce(3, k)
                        with T.init():
                            B[vi] = T.float32(0)
                        B[vi] = B[vi] + A[vi, vk]
    @R.function
    def stores(a: R.Tensor((2, 12), "float32")):
        b = R.call_tir(Module.stores_, (a,), out_sinfo=R.Tensor((2,), "float32"))
        return b
    @R.function
    def terms(a: R.Tensor((2, 12), "float32")):
        b = R.call_tir(Module.terms_, (a,), out_sinfo=R.Tensor((2,), "float32"))
        return b
    @R.function
    def accumulators(a: R.Tensor((2, 12), "float32")):
        b = R.call_tir(Module.accumulators_, (a,), out_sinfo=R.Tensor((4,), "float32"))
        return b
    @R.function
    def pairs(a: R.Tensor((2, 12), "float32")):
        b = R.call_tir(Module.pairs_, (a,), out_sinfo=R.Tensor((12,), "float32"))
        return b
    @R.function
    def uneven(a: R.Tensor((2, 12), "float32")):
        b = R.call_tir(Module.uneven_, (a,), out_sinfo=R.Tensor((2,), "float32"))
        return b
    @R.function
    def down(a: R.Tensor((2, 12), "float32")):
        b = R.call_tir(Module.down_, (a,), out_sinfo=R.Tensor((12,), "float32"))
        return b
    @R.function
    def a_chain(a: R.Tensor((2, 12), "float32")):
        b = R.call_tir(Module.a_chain_, (a,), out_sinfo=R.Tensor((4,), "float32"))
        return b
    @R.function
    def last_differs(a: R.Tensor((2, 12), "float32")):
        b = R.call_tir(Module.last_differs_, (a,), out_sinfo=R.Tensor((6,), "float32"))
        return b
    @R.function
    def nests(a: R.Tensor((2, 12), "float32")):
        b = R.call_tir(Module.nests_, (a,), out_sinfo=R.Tensor((4,), "float32"))
        return b
    @R.function
    def bias(a: R.Tensor((2, 12), "float32")):
        b = R.call_tir(Module.bias_, (a,), out_sinfo=R.Tensor((2,), "float32"))
        return b
    @R.function
    def bias_block(a: R.Tensor((2, 12), "float32")):
        b = R.call_tir(Module.bias_block_, (a,), out_sinfo=R.Tensor((2,), "float32"))
        return b
    @R.function
    def bias_of_none(a: R.Tensor((2, 12), "float32")):
        b = R.call_tir(Module.bias_of_none_, (a,), out_sinfo=R.Tensor((2,), "float32"))
        return b
    @R.function
    def own_terms(a: R.Tensor((2, 12), "float32")):
        b = R.call_tir(Module.own_terms_, (a,), out_sinfo=R.Tensor((2,), "float32"))
        return b
    @R.function
    def own_init(a: R.Tensor((2, 12), "float32")):
        b = R.call_tir(Module.own_init_, (a,), out_sinfo=R.Tensor((2,), "float32"))
        return b
    @R.function
    def rest_in_else(a: R.Tensor((7, 3), "float32")):
        b = R.call_tir(Module.rest_in_else_, (a,), out_sinfo=R.Tensor((7,), "float32"))
        return b
    @R.function
    def minimum_in_else(a: R.Tensor((7, 3), "float32")):
        b = R.call_tir(Module.minimum_in_else_, (a,), out_sinfo=R.Tensor((7,), "float32"))
        return b
    @R.function
    def guard_in_else(a: R.Tensor((7, 3), "float32")):
        b = R.call_tir(Module.guard_in_else_, (a,), out_sinfo=R.Tensor((7,), "float32"))
        return b
    @R.function
    def rest_in_a_loop(a: R.Tensor((7, 3), "float32")):
        b = R.call_tir(Module.rest_in_a_loop_, (a,), out_sinfo=R.Tensor((7,), "float32"))
        return b
    @R.function
    def else_differs(a: R.Tensor((7, 3), "float32")):
        b = R.call_tir(Module.else_differs_, (a,), out_sinfo=R.Tensor((7,), "float32"))
        return b
    @R.function
    def other_condition(a: R.Tensor((7, 3), "float32")):
        b = R.call_tir(Module.other_condition_, (a,), out_sinfo=R.Tensor((7,), "float32"))
        return b
    @R.function
    def blocks_in_branches(a: R.Tensor((7, 3), "float32")):
        b = R.call_tir(Module.blocks_in_branches_, (a,), out_sinfo=R.Tensor((7,), "float32"))
        return b
    @R.function
    def other_axes_in_else(a: R.Tensor((7, 3), "float32")):
        b = R.call_tir(Module.other_axes_in_else_, (a,), out_sinfo=R.Tensor((7,), "float32"))
        return b
# ==== memory_of_a_scope
"""TVM 0.27 prints allocations of a scope by names of their own."""
# call main: tensor float32 [2, 3] {1, 2, 3, 4, 5, 6} => tensor float32 [2, 3] {13, 11, 9, 7, 5, 3}
from tvm.script import ir as I, relax as R, tir as T
@I.ir_module
class Module:
    @T.prim_func
    def reversed(x: T.Buffer((2, 3), "float32"), y: T.Buffer((2, 3), "float32")):
        s = T.alloc_shared((2, 3), "float32")
        for i in range(2):
            l = T.alloc_local((3,), "float32")
            for j in range(3):
                l[j] = x[i, j] * T.float32(2)
            t = T.alloc_shared((3,))
            for j in range(3):
                t[j] = l[2 - j]
            for j in range(3):
                s[i, j] = t[j] + T.float32(1)
        for i, j in T.grid(2, 3):
            y[i, j] = s[1 - i, j]
    @R.function
    def main(x: R.Tensor((2, 3), dtype="float32")) -> R.Tensor((2, 3), dtype="float32"):
        r = R.call_tir(Module.reversed, (x,), out_sinfo=R.Tensor((2, 3), "float32"))
        return r
