# ==== init_regions_and_vectors
# Blocks become loops: a reduction's init in its own nest, matched regions as views, vectorized
# loops as vector statements.
@I.ir_module
class Module:
    @T.prim_func
    def k(pa: T.handle, po: T.handle, pv: T.handle):
        n = T.int64()
        A = T.match_buffer(pa, (n, 8), "float32")
        O = T.match_buffer(po, (8,), "float32")
        V = T.match_buffer(pv, (n, 8), "float32")
        for r, j in T.grid(n, T.int64(8)):
            with T.block("sum"):
                vj, vr = T.axis.remap("SR", [j, r])
                T.where(j * j < 36)
                with T.init():
                    O[vj] = T.float32(0.0)
                O[vj] = O[vj] + A[vr, vj]
        for i in range(n):
            with T.block("rows"):
                vi = T.axis.spatial(n, i)
                row = T.match_buffer(V[vi, 0:8], (8,), strides=("s",), offset_factor=1)
                for l in T.vectorized(8):
                    row[l] = A[vi, l] * T.float32(2.0)

    @R.function
    def main(a: R.Tensor(("n", 8), "float32")):
        n = T.int64()
        cls = Module
        y = R.call_tir(cls.k, (a,), out_sinfo=[R.Tensor((8,), "float32"), R.Tensor((n, 8), "float32")])
        return y
# ---- expected
# from tvm.script import ir as I
# from tvm.script import tir as T
# from tvm.script import relax as R

@I.ir_module
class Module:
    @T.prim_func
    def k(pa: T.handle, O: T.Buffer((8,), "float32"), pv: T.handle):
        T.func_attr({"op_pattern": 8})
        n = T.int64()
        A = T.match_buffer(pa, (n, 8))
        V = T.match_buffer(pv, (n, 8))
        for j in range(T.int64(8)):
            if j * j < T.int64(36):
                O[j] = T.float32(0.0)
        for r, j in T.grid(n, T.int64(8)):
            if j * j < T.int64(36):
                O[j] = O[j] + A[r, j]
        for i in range(n):
            row = T.decl_buffer((8,), data=V.data, strides=(T.int64(1),), elem_offset=i * T.int64(8), offset_factor=1)
            row[T.Ramp(T.int64(0), T.int64(1), 8)] = A[i, T.Ramp(T.int64(0), T.int64(1), 8)] * T.Broadcast(T.float32(2.0), 8)

    @R.function
    def main(a: R.Tensor(("n", 8), dtype="float32")) -> R.Tuple(R.Tensor((8,), dtype="float32"), R.Tensor(("n", 8), dtype="float32")):
        n = T.int64()
        R.func_attr({"relax.force_pure": True})
        cls = Module
        alloc: R.Tensor((8,), dtype="float32") = R.builtin.alloc_tensor(R.shape([8]), R.dtype("float32"), R.prim_value(0), R.str("global"))
        alloc_1: R.Tensor((n, 8), dtype="float32") = R.builtin.alloc_tensor(R.shape([n, 8]), R.dtype("float32"), R.prim_value(0), R.str("global"))
        _: R.Tuple = cls.k(a, alloc, alloc_1)
        y: R.Tuple(R.Tensor((8,), dtype="float32"), R.Tensor((n, 8), dtype="float32")) = (alloc, alloc_1)
        _: R.Tuple = R.memory.kill_tensor(alloc)
        _: R.Tuple = R.memory.kill_tensor(alloc_1)
        return y

# ==== pieces_without_a_block
# Columns past 8 belong to no block: their loops keep what else they do, and print as they are read.
@I.ir_module
class Module:
    @T.prim_func(private=True)
    def f(a: T.Buffer((12, 20), "float32"), b: T.Buffer((20, 8), "float32"), d: T.Buffer((12, 8), "float32")):
        T.func_attr({"op_pattern": 4, "rlx.scheduled": 1})
        # with T.block("root"):
        c = T.alloc_buffer((12, 8))
        for i, j_0 in T.grid(12, 3):
            with T.block("local"):
                a_global = T.alloc_buffer((T.int64(1), T.int64(20)))
                for ax1 in range(T.int64(20)):
                    with T.block("a_global"):
                        v0 = T.axis.spatial(T.int64(12), T.Cast("int64", i))
                        v1 = T.axis.spatial(T.int64(20), ax1)
                        a_global[v0 - T.Cast("int64", i), v1] = a[v0, v1]
                for k_0, j_1, k_1 in T.grid(4, 11, 5):
                    with T.block("C"):
                        vi = T.axis.spatial(12, i)
                        vj = T.axis.spatial(8, T.Cast("int32", T.Cast("int64", j_0) * T.int64(11) + T.Cast("int64", j_1)))
                        vk = T.axis.reduce(20, T.Cast("int32", T.Cast("int64", k_0) * T.int64(5) + T.Cast("int64", k_1)))
                        T.where(T.Cast("int64", j_0) * T.int64(11) + T.Cast("int64", j_1) < T.int64(8))
                        T.block_attr({"rlx.operator": "matmul mnk"})
                        with T.init():
                            c[vi, vj] = T.float32(0.0)
                        c[vi, vj] = c[vi, vj] + a_global[T.Cast("int64", vi) - T.Cast("int64", i), T.Cast("int64", vk)] * b[vk, vj]
        for i, j in T.grid(12, 8):
            with T.block("D"):
                vi, vj = T.axis.remap("SS", [i, j])
                T.block_attr({"rlx.operator": "elementwise ss"})
                d[vi, vj] = T.max(c[vi, vj], T.float32(0.0))

    @R.function
    def main(x: R.Tensor((12, 20), dtype="float32"), w: R.Tensor((20, 8), dtype="float32")) -> R.Tensor((12, 8), dtype="float32"):
        cls = Module
        y: R.Tensor((12, 8), dtype="float32") = R.call_tir(cls.f, (x, w), out_sinfo=R.Tensor((12, 8), dtype="float32"))
        return y

# ---- expected
# from tvm.script import ir as I
# from tvm.script import tir as T
# from tvm.script import relax as R

@I.ir_module
class Module:
    @T.prim_func(private=True)
    def f(a: T.Buffer((12, 20), "float32"), b: T.Buffer((20, 8), "float32"), d: T.Buffer((12, 8), "float32")):
        T.func_attr({"op_pattern": 4, "rlx.scheduled": 1})
        c = T.allocate([12, 8], "float32", "global")
        c_1 = T.decl_buffer((12, 8), data=c)
        for i, j_1 in T.grid(T.int64(12), T.int64(8)):
            c_1[i, j_1] = T.float32(0.0)
            for k_1 in range(T.int64(20)):
                c_1[i, j_1] = c_1[i, j_1] + a[i, k_1] * b[k_1, j_1]
        for i, j in T.grid(T.int64(12), T.int64(8)):
            d[i, j] = T.max(c_1[i, j], T.float32(0.0))

    @R.function
    def main(x: R.Tensor((12, 20), dtype="float32"), w: R.Tensor((20, 8), dtype="float32")) -> R.Tensor((12, 8), dtype="float32"):
        R.func_attr({"relax.force_pure": True})
        cls = Module
        y: R.Tensor((12, 8), dtype="float32") = R.builtin.alloc_tensor(R.shape([12, 8]), R.dtype("float32"), R.prim_value(0), R.str("global"))
        _: R.Tuple = cls.f(x, w, y)
        return y

# ==== temporaries
# Temporaries that are never in use at once share memory: a chain of four takes two places, a
# smaller one of another type lies in a larger. A temporary whose address is taken keeps its own,
# and so does one whose size the sequence computes.
@I.ir_module
class Module:
    @T.prim_func
    def chain(a: T.handle, b: T.handle):
        n = T.int64()
        A = T.match_buffer(a, (n,), "float32")
        B = T.match_buffer(b, (n,), "float32")
        t1 = T.alloc_buffer((n,), "float32")
        t2 = T.alloc_buffer((n,), "float32")
        t3 = T.alloc_buffer((n,), "float32")
        t4 = T.alloc_buffer((n, 2), "int16")
        for i in range(n):
            t1[n - 1 - i] = A[i]
        for i in range(n):
            t2[n - 1 - i] = t1[i]
        for i in range(n):
            t3[n - 1 - i] = t2[i] + t2[n - 1 - i]
        for i in range(n):
            t4[n - 1 - i, 0] = T.Cast("int16", t3[i])
        for i in range(n):
            B[n - 1 - i] = T.Cast("float32", t4[n - 1 - i, 0])

    @T.prim_func
    def kept(a: T.handle, b: T.handle):
        n = T.int64()
        A = T.match_buffer(a, (n,), "int32")
        B = T.match_buffer(b, (n,), "int32")
        t1 = T.alloc_buffer((n,), "int32")
        t2 = T.alloc_buffer((n,), "int32")
        for i in range(n):
            t1[i] = A[i]
        p = T.address_of(t1[0])
        view = T.decl_buffer((n,), "int32", data=p)
        for i in range(n):
            B[i] = view[n - 1 - i]
        for i in range(n):
            t2[i] = B[i]
        m = T.Cast("int64", t2[0])
        t3 = T.allocate([m], "int32", "global")
        b3 = T.decl_buffer((m,), "int32", data=t3)
        for i in range(m):
            b3[i] = 1
        for i in range(T.min(m, n)):
            B[i] = b3[m - 1 - i]

    @R.function
    def main(a: R.Tensor(("n",), "float32"), b: R.Tensor(("n",), "int32")):
        n = T.int64()
        cls = Module
        y = R.call_tir(cls.chain, (a,), out_sinfo=R.Tensor((n,), "float32"))
        z = R.call_tir(cls.kept, (b,), out_sinfo=R.Tensor((n,), "int32"))
        return (y, z)
# ---- expected
# from tvm.script import ir as I
# from tvm.script import tir as T
# from tvm.script import relax as R

@I.ir_module
class Module:
    @T.prim_func
    def chain(a: T.handle, b: T.handle):
        T.func_attr({"op_pattern": 8})
        n = T.int64()
        A = T.match_buffer(a, (n,))
        B = T.match_buffer(b, (n,))
        t1 = T.allocate([n], "float32", "global")
        t1_1 = T.decl_buffer((n,), data=t1)
        t2 = T.allocate([n], "float32", "global")
        t2_1 = T.decl_buffer((n,), data=t2)
        t3 = T.decl_buffer((n,), data=t1)
        t4 = T.decl_buffer((n, 2), "int16", data=t2)
        for i in range(n):
            t1_1[n - i - T.int64(1)] = A[i]
        for i in range(n):
            t2_1[n - i - T.int64(1)] = t1_1[i]
        for i in range(n):
            t3[n - i - T.int64(1)] = t2_1[i] + t2_1[n - i - T.int64(1)]
        for i in range(n):
            t4[n - i - T.int64(1), T.int64(0)] = T.Cast("int16", t3[i])
        for i in range(n):
            B[n - i - T.int64(1)] = T.Cast("float32", t4[n - i - T.int64(1), T.int64(0)])

    @T.prim_func
    def kept(a: T.handle, b: T.handle):
        T.func_attr({"op_pattern": 8})
        n = T.int64()
        A = T.match_buffer(a, (n,), "int32")
        B = T.match_buffer(b, (n,), "int32")
        t1 = T.allocate([n], "int32", "global")
        t1_1 = T.decl_buffer((n,), "int32", data=t1)
        t2 = T.allocate([n], "int32", "global")
        t2_1 = T.decl_buffer((n,), "int32", data=t2)
        for i in range(n):
            t1_1[i] = A[i]
        p: T.handle = T.address_of(t1_1[0])
        view = T.decl_buffer((n,), "int32", data=p)
        for i in range(n):
            B[i] = view[n - i - T.int64(1)]
        for i in range(n):
            t2_1[i] = B[i]
        m: T.int64 = T.Cast("int64", t2_1[0])
        t3 = T.allocate([m], "int32", "global")
        b3 = T.decl_buffer((m,), "int32", data=t3)
        for i in range(m):
            b3[i] = 1
        for i in range(T.min(n, m)):
            B[i] = b3[m - i - T.int64(1)]

    @R.function
    def main(a: R.Tensor(("n",), dtype="float32"), b: R.Tensor(("n",), dtype="int32")) -> R.Tuple(R.Tensor(("n",), dtype="float32"), R.Tensor(("n",), dtype="int32")):
        n = T.int64()
        R.func_attr({"relax.force_pure": True})
        cls = Module
        y: R.Tensor((n,), dtype="float32") = R.builtin.alloc_tensor(R.shape([n]), R.dtype("float32"), R.prim_value(0), R.str("global"))
        _: R.Tuple = cls.chain(a, y)
        z: R.Tensor((n,), dtype="int32") = R.builtin.alloc_tensor(R.shape([n]), R.dtype("int32"), R.prim_value(0), R.str("global"))
        _: R.Tuple = cls.kept(b, z)
        return (y, z)

# ==== threads
# All of a device's function runs on threads: loops whose iterations do not meet are theirs, in front
# of those that stay in order; the rest is left to one thread. Loops with threads stay as they are.
@I.ir_module
class Module:
    @T.prim_func
    def sums(a: T.handle, s: T.handle):
        T.func_attr({"target": "opencl"})
        n = T.int64()
        A = T.match_buffer(a, (n, T.int64(40)))
        S = T.match_buffer(s, (n, T.int64(40)))
        for i in range(n):
            for k in range(T.int64(40)):
                S[i, k] = T.if_then_else(T.int64(0) < k, S[i, k - T.int64(1)] + A[i, k], A[i, k])

    @T.prim_func
    def scatter(a: T.handle, p: T.handle, s: T.handle):
        T.func_attr({"target": {"kind": "opencl"}})
        n = T.int64()
        m = T.int64()
        A = T.match_buffer(a, (m, T.int64(40)))
        P = T.match_buffer(p, (m,), "int64")
        S = T.match_buffer(s, (n, T.int64(40)))
        for i in range(m):
            if T.int64(0) < n:
                for k in range(T.int64(40)):
                    S[P[i], k] = A[i, k]

    @T.prim_func
    def alone(A: T.Buffer((T.int64(8),), "float32"), S: T.Buffer((T.int64(8),), "float32")):
        T.func_attr({"target": "opencl"})
        B = T.alloc_buffer((T.int64(8),))
        B[0] = A[0]
        for i in range(T.int64(7)):
            B[i + 1] = B[i] * A[i + 1]
        for i in range(T.int64(8)):
            S[i] = B[T.int64(7) - i]

    @T.prim_func
    def bound(A: T.Buffer((T.int64(64),), "float32"), S: T.Buffer((T.int64(64),), "float32")):
        T.func_attr({"target": "opencl"})
        for b in T.thread_binding(T.int64(1), thread="blockIdx.x"):
            for t in T.thread_binding(T.int64(64), thread="threadIdx.x"):
                with T.block("S"):
                    vi = T.axis.spatial(T.int64(64), b * T.int64(64) + t)
                    S[vi] = A[vi]

    @R.function
    def main(a: R.Tensor(("n", 40), "float32"), b: R.Tensor(("m", 40), "float32"), p: R.Tensor(("m",), "int64"), v: R.Tensor((8,), "float32"), w: R.Tensor((64,), "float32")):
        n = T.int64()
        cls = Module
        with R.dataflow():
            c = R.call_tir(cls.sums, (a,), out_sinfo=R.Tensor((n, 40), "float32"))
            d = R.call_tir(cls.scatter, (b, p), out_sinfo=R.Tensor((n, 40), "float32"))
            e = R.call_tir(cls.alone, (v,), out_sinfo=R.Tensor((8,), "float32"))
            f = R.call_tir(cls.bound, (w,), out_sinfo=R.Tensor((64,), "float32"))
            R.output(c, d, e, f)
        return (c, d, e, f)
# ---- expected
# from tvm.script import ir as I
# from tvm.script import tir as T
# from tvm.script import relax as R

@I.ir_module
class Module:
    I.module_global_infos({"vdevice": [I.vdevice("llvm", 0, "global"), I.vdevice("opencl", 0, "global")]})
    @T.prim_func
    def sums(a: T.handle, s: T.handle):
        T.func_attr({"target": "opencl", "op_pattern": 8})
        n = T.int64()
        A = T.match_buffer(a, (n, T.int64(40)))
        S = T.match_buffer(s, (n, T.int64(40)))
        for block in T.thread_binding((n + T.int64(255)) // T.int64(256), thread="blockIdx.x"):
            for thread in T.thread_binding(T.int64(256), thread="threadIdx.x"):
                if block * T.int64(256) + thread < n:
                    for k in range(T.int64(40)):
                        S[block * T.int64(256) + thread, k] = T.if_then_else(T.int64(0) < k, S[block * T.int64(256) + thread, k - T.int64(1)] + A[block * T.int64(256) + thread, k], A[block * T.int64(256) + thread, k])

    @T.prim_func
    def scatter(a: T.handle, p: T.handle, s: T.handle):
        T.func_attr({"target": {"kind": "opencl"}, "op_pattern": 8})
        m = T.int64()
        n = T.int64()
        A = T.match_buffer(a, (m, T.int64(40)))
        P = T.match_buffer(p, (m,), "int64")
        S = T.match_buffer(s, (n, T.int64(40)))
        for thread in T.thread_binding(T.int64(40), thread="threadIdx.x"):
            if T.int64(0) < n:
                for i in range(m):
                    S[P[i], thread] = A[i, thread]

    @T.prim_func
    def alone(A: T.Buffer((T.int64(8),), "float32"), S: T.Buffer((T.int64(8),), "float32")):
        T.func_attr({"target": "opencl", "op_pattern": 8})
        B = T.allocate([T.int64(8)], "float32", "global")
        B_1 = T.decl_buffer((T.int64(8),), data=B)
        for thread in T.thread_binding(T.int64(1), thread="threadIdx.x"):
            B_1[T.int64(0)] = A[T.int64(0)]
            for i in range(T.int64(7)):
                B_1[i + T.int64(1)] = B_1[i] * A[i + T.int64(1)]
        for i in T.thread_binding(T.int64(8), thread="threadIdx.x"):
            S[i] = B_1[T.int64(7) - i]

    @T.prim_func
    def bound(A: T.Buffer((T.int64(64),), "float32"), S: T.Buffer((T.int64(64),), "float32")):
        T.func_attr({"target": "opencl", "op_pattern": 0})
        for b in T.thread_binding(T.int64(1), thread="blockIdx.x"):
            for t in T.thread_binding(T.int64(64), thread="threadIdx.x"):
                S[t] = A[t]

    @R.function
    def main(a: R.Tensor(("n", 40), dtype="float32", vdevice="opencl:0"), b: R.Tensor(("m", 40), dtype="float32", vdevice="opencl:0"), p: R.Tensor(("m",), dtype="int64", vdevice="opencl:0"), v: R.Tensor((8,), dtype="float32", vdevice="opencl:0"), w: R.Tensor((64,), dtype="float32", vdevice="opencl:0")) -> R.Tuple(R.Tensor(("n", 40), dtype="float32", vdevice="opencl:0"), R.Tensor(("n", 40), dtype="float32", vdevice="opencl:0"), R.Tensor((8,), dtype="float32", vdevice="opencl:0"), R.Tensor((64,), dtype="float32", vdevice="opencl:0")):
        n = T.int64()
        m = T.int64()
        R.func_attr({"relax.force_pure": True})
        cls = Module
        c: R.Tensor((n, 40), dtype="float32", vdevice="opencl:0") = R.builtin.alloc_tensor(R.shape([n, 40]), R.dtype("float32"), R.prim_value(1), R.str("global"))
        _: R.Tuple = cls.sums(a, c)
        d: R.Tensor((n, 40), dtype="float32", vdevice="opencl:0") = R.builtin.alloc_tensor(R.shape([n, 40]), R.dtype("float32"), R.prim_value(1), R.str("global"))
        _: R.Tuple = cls.scatter(b, p, d)
        e: R.Tensor((8,), dtype="float32", vdevice="opencl:0") = R.builtin.alloc_tensor(R.shape([8]), R.dtype("float32"), R.prim_value(1), R.str("global"))
        _: R.Tuple = cls.alone(v, e)
        f: R.Tensor((64,), dtype="float32", vdevice="opencl:0") = R.builtin.alloc_tensor(R.shape([64]), R.dtype("float32"), R.prim_value(1), R.str("global"))
        _: R.Tuple = cls.bound(w, f)
        return (c, d, e, f)

# ==== unit_dimensions
# Dimensions of 1 do not keep their neighbours from being one index.
@I.ir_module
class Module:
    @T.prim_func(private=True)
    def f(a: T.handle, o: T.handle):
        n = T.int64()
        h = T.int64()
        A = T.match_buffer(a, (n, h, T.int64(1), T.int64(16)))
        O = T.match_buffer(o, (n, T.int64(1), h, T.int64(16)))
        for i in T.parallel(n * h * T.int64(16)):
            with T.block("O"):
                vi = T.axis.spatial(n, i // (h * T.int64(16)))
                vj = T.axis.spatial(h, i // T.int64(16) % h)
                vk = T.axis.spatial(T.int64(16), i % T.int64(16))
                O[vi, T.int64(0), vj, vk] = T.exp(A[vi, vj, T.int64(0), vk])
# ---- expected
# from tvm.script import ir as I
# from tvm.script import tir as T
# from tvm.script import relax as R

@I.ir_module
class Module:
    @T.prim_func(private=True)
    def f(a: T.handle, o: T.handle):
        T.func_attr({"op_pattern": 1})
        n = T.int64()
        h = T.int64()
        A = T.match_buffer(a, (n, h, T.int64(1), T.int64(16)))
        O = T.match_buffer(o, (n, T.int64(1), h, T.int64(16)))
        A_1 = T.decl_buffer((n * h, T.int64(16)), data=A.data)
        O_1 = T.decl_buffer((n * h, T.int64(16)), data=O.data)
        for i_fused in T.parallel(n * h):
            for k_0 in range(T.int64(2)):
                O_1[i_fused, T.Ramp(k_0 * T.int64(8), T.int64(1), 8)] = T.exp(A_1[i_fused, T.Ramp(k_0 * T.int64(8), T.int64(1), 8)])

# ==== open_broadcast
"""A dimension may be 1: the loop that reads along both operands is apart."""
from tvm.script import ir as I, relax as R, tir as T


@I.ir_module
class Module:
    @R.function
    def main(x: R.Tensor((3, "n"), "float32"), y: R.Tensor((3, "m"), "float32")):
        return R.add(x, y)
# ---- expected
# from tvm.script import ir as I
# from tvm.script import tir as T
# from tvm.script import relax as R

@I.ir_module
class Module:
    @R.function
    def main(x: R.Tensor((3, "n"), dtype="float32"), y: R.Tensor((3, "m"), dtype="float32")) -> R.Tensor((3, "T.Select(n == 1, m, n)"), dtype="float32"):
        n = T.int64()
        m = T.int64()
        R.func_attr({"relax.force_pure": True})
        cls = Module
        _: R.Tuple = R.check_sizes(R.prim_value(n), R.prim_value(m), relation="broadcast", message="add: dimension 1 of lhs 'x' and dimension 1 of rhs 'y' must be equal, or one of them 1")
        gv: R.Tensor((3, T.Select(n == 1, m, n)), dtype="float32") = R.builtin.alloc_tensor(R.shape([3, T.Select(n == 1, m, n)]), R.dtype("float32"), R.prim_value(0), R.str("global"))
        _: R.Tuple = cls.add(x, y, gv)
        return gv

    @T.prim_func(private=True)
    def add(var_x: T.handle, var_y: T.handle, var_T_add: T.handle):
        T.func_attr({"op_pattern": 1, "tir.noalias": T.bool(True)})
        n = T.int64()
        m = T.int64()
        x = T.match_buffer(var_x, (T.int64(3), n))
        y = T.match_buffer(var_y, (T.int64(3), m))
        T_add = T.match_buffer(var_T_add, (T.int64(3), T.Select(n == T.int64(1), m, n)))
        for ax0 in T.parallel(T.int64(3)):
            if not n == T.int64(1) and not m == T.int64(1):
                for ax1 in range(T.Select(n == T.int64(1), m, n)):
                    T_add[ax0, ax1] = x[ax0, ax1] + y[ax0, ax1]
            else:
                for ax1 in range(T.Select(n == T.int64(1), m, n)):
                    T_add[ax0, ax1] = x[ax0, T.Select(n == T.int64(1), T.int64(0), ax1)] + y[ax0, T.Select(m == T.int64(1), T.int64(0), ax1)]
