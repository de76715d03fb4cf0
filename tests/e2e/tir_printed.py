"""Tensor programs as TVM's printer shows them after its later passes: vectors, bits, fixed point, loops."""
# call main: tensor float32 [8] {1, 2, 3, 4, 5, 6, 7, 8}, tensor int32 [4] {6, 16, 100, -9}, tensor float32 [16] {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15} => tuple(tensor float32 [8] {1, 5, 2, 6, 1, 2, 7, 8}, tensor int64 [8] {2, 27, 100, 100, 4294967301, 1065353216, 6, -2}, tensor float32 [16] {101, 3, 105, 7, 108, 10, 112, 14, 116, 18, 120, 22, 124, 26, 128, 31})
# call more: tensor float32 [3, 5] {1, 5, 5, 2, 0, -1, -1, -3, -2, -1, 0, 0, 0, 0, 7}, tensor int32 [1] {8}, tensor float32 [2] {2.5, 3.5} => tuple(tensor float32 [3] {5, -1, 7}, tensor int64 [3] {1, 0, 4}, tensor float32 [4] {3, 2.5, -3, 4}, tensor int32 [1] {16}, tensor float32 [6] {2, 4, 9.75, 17.7827941, 2.5, 0.98661429})
# call flat: tensor float32 [2, 4] {1, 2, 3, 4, 5, 6, 7, 8} => tensor float32 [2, 4] {5, 4, 3, 2, 9, 8, 7, 6}
# call flat: tensor float32 [0, 4] {} => tensor float32 [0, 4] {}
from tvm.script import ir as I
from tvm.script import relax as R
from tvm.script import tir as T


@I.ir_module
class Module:
    @T.prim_func
    def shuffles(a: T.Buffer((8,), "float32"), o: T.Buffer((8,), "float32")):
        v: T.float32x4 = a[0:4]
        w: T.float32x4 = a[4:8]
        o[0:4] = T.Shuffle([v, w], [0, 4, 1, 5])
        o[4:8] = T.vectorcombine("float32x4", T.vectorlow("float32x2", v), T.vectorhigh("float32x2", w))

    @T.prim_func
    def ints(a: T.Buffer((4,), "int32"), o: T.Buffer((8,), "int64")):
        o[0] = T.Cast("int64", T.popcount(a[0]))
        o[1] = T.Cast("int64", T.clz(a[1]))
        o[2] = T.Cast("int64", T.q_multiply_shift(a[2], 1073741824, 31, 1))
        o[3] = T.Cast("int64", T.q_multiply_shift_per_axis(a[2], 1073741824, 1, 0, 31, T.bool(True), T.bool(False)))
        o[4] = T.reinterpret("int64", T.large_uint_imm("uint64", T.uint32(5), T.uint32(1)))
        o[5] = T.Cast("int64", T.reinterpret("int32", T.float32(1)))
        o[6] = T.Cast("int64", T.if_then_else(T.likely(a[0] > 0), a[0], a[1]))
        o[7] = T.Cast("int64", T.shift_right(a[3], T.bitwise_and(a[3], 3)))

    @T.prim_func
    def loops(a: T.Buffer((16,), "float32"), o: T.Buffer((16,), "float32")):
        T.func_attr({"target": T.target({"keys": ["cpu"], "kind": "llvm", "tag": ""}), "tir.noalias": T.bool(True), "tir.is_scheduled": 1})
        for i in T.serial(4, annotations={"pragma_auto_unroll_max_step": 16, "pragma_unroll_explicit": T.bool(False)}):
            o[T.Ramp(i * 4, 1, 4)] = a[T.Ramp(i * 4, 1, 4)] * T.Broadcast(T.float32(2), 4)
        T.attr(0, "pragma_unroll_explicit", 1)
        for i in T.unroll(4):
            o[i] = o[i] + T.float32(1)
        for i in range(0, 16, 2):
            o[i] = o[i] + T.float32(100)
        with T.attr(o.data, "volatile_scope", 1):
            o[15] = o[15] + T.float32(1)
        T.assume(o[0] > T.float32(0))
        T.evaluate(0)

    @T.prim_func
    def argmax(a: T.Buffer((3, 5), "float32"), v: T.Buffer((3,), "float32"), k: T.Buffer((3,), "int64")):
        for i, j in T.grid(3, 5):
            with T.block("argmax"):
                vi, vj = T.axis.remap("SR", [i, j])
                T.reads(a[vi, vj])
                T.writes(k[vi], v[vi])
                with T.init():
                    k[vi] = T.int64(-1)
                    v[vi] = T.min_value("float32")
                ki: T.int64 = T.Select(v[vi] > a[vi, vj] or (v[vi] == a[vi, vj] and k[vi] < T.Cast("int64", vj)), k[vi], T.Cast("int64", vj))
                x: T.float32 = T.Select(v[vi] > a[vi, vj], v[vi], a[vi, vj])
                k[vi] = ki
                v[vi] = x

    @T.prim_func
    def consts(o: T.Buffer((4,), "float32")):
        c = T.allocate_const([1.0, 2.5, -3.0, 4.0], "float32", [4])
        c_1 = T.decl_buffer((4,), data=c)
        with T.LetStmt(T.int32(1)) as z:
            for i in T.vectorized(4):
                o[i] = c_1[i] * T.Cast("float32", z)
        t: T.handle("float32", "global") = c
        t_1 = T.Buffer((4,), data=t, strides=(1,), elem_offset=0, align=64, offset_factor=1, axis_separators=[])
        o[0] = T.Let(k + t_1[1], where={k: T.float32(0.5)})

    @T.prim_func
    def whiles(a: T.Buffer((1,), "int32"), o: T.Buffer((1,), "int32")):
        s = T.decl_buffer((1,), "int32", scope="local")
        s[0] = 0
        o[0] = 0
        while s[0] < a[0]:
            s[0] = s[0] + 1
            if s[0] % 2 == 0:
                o[0] = o[0] + s[0]
            else:
                o[0] = o[0] - 1

    @T.prim_func
    def nar(a: T.Buffer((2,), "float32"), o: T.Buffer((6,), "float32")):
        o[0] = T.nearbyint(a[0])
        o[1] = T.round(a[1])
        o[2] = T.fma(a[0], a[1], T.float32(1))
        o[3] = T.exp10(a[0] * T.float32(0.5))
        o[4] = T.call_llvm_pure_intrin("float32", "llvm.sqrt.f32", T.uint32(1), a[0] * a[0])
        o[5] = T.call_pure_extern("float32", "tanhf", a[0])

    @T.prim_func
    def flattened(a_handle: T.handle, o_handle: T.handle):
        n = T.int64()
        a = T.match_buffer(a_handle, (n, T.int64(4)))
        o = T.match_buffer(o_handle, (n, T.int64(4)))
        size: T.let[T.int64] = n * T.int64(4)
        a_1 = a.view(size)
        o_1 = T.decl_buffer((size,), data=o.data, elem_offset=0)
        t = T.alloc_buffer((size,), annotations={"buffer_data_alignment": 64})
        t_1 = t[T.int64(0):size]
        with T.attr({"pragma_scope": "seq"}):
            for i in range(size):
                t_1[i] = a_1[i] + T.float32(1)
            for i in range(n):
                s = T.alloc_buffer((4,))
                for j in range(4):
                    s[j] = t[i * T.int64(4) + T.Cast("int64", j)]
                for j in range(4):
                    o_1[i * T.int64(4) + T.Cast("int64", j)] = s[3 - j]

    @R.function
    def main(a: R.Tensor((8,), "float32"), i: R.Tensor((4,), "int32"), b: R.Tensor((16,), "float32")):
        cls = Module
        r0 = R.call_tir(cls.shuffles, (a,), out_sinfo=R.Tensor((8,), "float32"))
        r1 = R.call_tir(cls.ints, (i,), out_sinfo=R.Tensor((8,), "int64"))
        r2 = R.call_tir(cls.loops, (b,), out_sinfo=R.Tensor((16,), "float32"))
        return (r0, r1, r2)

    @R.function
    def more(c: R.Tensor((3, 5), "float32"), d: R.Tensor((1,), "int32"), e: R.Tensor((2,), "float32")):
        cls = Module
        r3 = R.call_tir(cls.argmax, (c,), out_sinfo=[R.Tensor((3,), "float32"), R.Tensor((3,), "int64")])
        r4 = R.call_tir(cls.consts, (), out_sinfo=R.Tensor((4,), "float32"))
        r5 = R.call_tir(cls.whiles, (d,), out_sinfo=R.Tensor((1,), "int32"))
        r6 = R.call_tir(cls.nar, (e,), out_sinfo=R.Tensor((6,), "float32"))
        return (r3[0], r3[1], r4, r5, r6)

    @R.function
    def flat(x: R.Tensor(("n", 4), "float32")) -> R.Tensor(("n", 4), "float32"):
        n = T.int64()
        return R.call_tir(Module.flattened, (x,), out_sinfo=R.Tensor((n, 4), "float32"))
