# ==== sharing_memory
"""Temporaries of a PrimFunc that share memory: equal sizes in a chain, smaller and other types inside of larger, a view, one in use from before to after, in a loop, an address that keeps its own."""
# call chain: tensor float32 [4] {1, 2, 3, 4} => tensor float32 [4] {3, 3, 1, 1}
# call chain: tensor float32 [1] {5} => tensor float32 [1] {5}
# call chain: tensor float32 [0] {} => tensor float32 [0] {}
# call mixed: tensor float32 [3] {1, 2, 3} => tensor float32 [3] {46, 56, 66}
# call loop: tensor int32 [2, 3] {1, 2, 3, 4, 5, 6} => tensor int32 [2, 3] {9, 8, 7, 12, 11, 10}
# call pointer: tensor int32 [3] {1, 2, 3} => tensor int32 [3] {8, 9, 10}
from tvm.script import ir as I, relax as R, tir as T
@I.ir_module
class Module:
    @T.prim_func
    def chain_(a: T.handle, b: T.handle):
        n = T.int64()
        A = T.match_buffer(a, (n,), "float32")
        B = T.match_buffer(b, (n,), "float32")
        t = T.alloc_buffer((n,), "float32")
        u = T.alloc_buffer((n,), "float32")
        v = T.alloc_buffer((n,), "float32")
        w = T.alloc_buffer((n,), "float32")
        for i in range(n):
            t[i] = A[n - 1 - i]
        for i in range(n):
            u[i] = t[n - 1 - i]
        for i in range(n):
            v[i] = u[i // 2 * 2]
        for i in range(n):
            w[i] = v[n - 1 - i]
        for i in range(n):
            B[i] = w[i]
    @T.prim_func
    def mixed_(a: T.handle, b: T.handle):
        n = T.int64()
        A = T.match_buffer(a, (n,), "float32")
        B = T.match_buffer(b, (n,), "float32")
        keep = T.alloc_buffer((n,), "float32")
        small = T.alloc_buffer((n,), "uint8")
        wide = T.alloc_buffer((n, 4), "float64")
        half = T.alloc_buffer((n, 2), "int32")
        for i in range(n):
            keep[i] = A[i] * T.float32(10)
        for i in range(n):
            small[i] = T.uint8(i + 1)
        for i, j in T.grid(n, T.int64(4)):
            wide[i, j] = T.Cast("float64", small[n - 1 - i] + T.uint8(j))
        for i, j in T.grid(n, T.int64(2)):
            half[i, j] = T.Cast("int32", wide[n - 1 - i, j + T.int64(2)])
        flat = T.decl_buffer((n * T.int64(2),), "int32", data=half.data)
        for i in range(n):
            B[i] = keep[i] + T.Cast("float32", flat[T.int64(0)] * 10 + flat[T.int64(1)]) + T.float32(2)
    @T.prim_func
    def loop_(a: T.handle, b: T.handle):
        n = T.int64()
        m = T.int64()
        A = T.match_buffer(a, (n, m), "int32")
        B = T.match_buffer(b, (n, m), "int32")
        for r in T.parallel(n):
            t = T.allocate([m], "int32", "global")
            u = T.allocate([m], "int32", "global")
            v = T.allocate([m], "int32", "global")
            p = T.decl_buffer((m,), "int32", data=t)
            q = T.decl_buffer((m,), "int32", data=u)
            s = T.decl_buffer((m,), "int32", data=v)
            for i in range(m):
                p[i] = A[r, m - 1 - i]
            for i in range(m):
                q[m - 1 - i] = p[i] + 1
            for i in range(m):
                s[i] = q[m - 1 - i] + 2
            for i in range(m):
                B[r, i] = s[i] + 3
    @T.prim_func
    def pointer_(a: T.handle, b: T.handle):
        n = T.int64()
        A = T.match_buffer(a, (n,), "int32")
        B = T.match_buffer(b, (n,), "int32")
        t = T.alloc_buffer((n,), "int32")
        u = T.alloc_buffer((n,), "int32")
        v = T.alloc_buffer((n,), "int32")
        for i in range(n):
            t[i] = A[i]
        pt = T.address_of(t[0])
        kept = T.decl_buffer((n,), "int32", data=pt)
        for i in range(n):
            u[n - 1 - i] = t[i] * 0
        for i in range(n):
            v[i] = u[n - 1 - i] + 7
        for i in range(n):
            B[i] = v[n - 1 - i] + kept[i]
    @R.function
    def chain(x: R.Tensor(("n",), "float32")):
        n = T.int64()
        return R.call_tir(Module.chain_, (x,), out_sinfo=R.Tensor((n,), "float32"))
    @R.function
    def mixed(x: R.Tensor(("n",), "float32")):
        n = T.int64()
        return R.call_tir(Module.mixed_, (x,), out_sinfo=R.Tensor((n,), "float32"))
    @R.function
    def loop(x: R.Tensor(("n", "m"), "int32")):
        n = T.int64()
        m = T.int64()
        return R.call_tir(Module.loop_, (x,), out_sinfo=R.Tensor((n, m), "int32"))
    @R.function
    def pointer(x: R.Tensor(("n",), "int32")):
        n = T.int64()
        return R.call_tir(Module.pointer_, (x,), out_sinfo=R.Tensor((n,), "int32"))

# ==== of_other_tools
"""Temporaries as schedules of other tools leave them: overlapping tiles, other layouts, borders, flat positions, loops in parts."""
# call tiles: tensor float32 [2, 6, 6] {2, 5, 2, -3, -3, -2, 4, 3, -1, 1, 2, -1, 1, -1, 1, 4, 4, -2, 4, -3, 3, 4, 3, -2, -3, -2, 5, 5, 0, 5, 4, 0, 3, 2, -2, 0, 1, 5, -2, 1, -3, 0, -1, -3, 1, -1, 4, 4, 5, 3, 0, 4, 4, 1, 2, 0, 3, 5, -3, -1, 4, 4, 4, 0, -3, 5, 4, 4, -2, -2, 0, -3}, tensor float32 [2, 3, 3] {5, 3, 1, 2, 3, -1, 2, 4, 5, 1, 1, 4, 4, 1, -3, -1, -3, 4} => tensor float32 [6, 6] {9, 61, 37, 30, -2, -40, 45, 22, 64, 17, -29, -10, -3, 70, 41, 25, 78, 38, 18, 17, 33, 96, 145, 14, 16, 18, 63, 88, -2, 18, 13, 39, 45, 36, 46, 10}
# call line: tensor float32 [6] {-2, 4, 5, 1, -3, -2} => tensor float32 [6] {2, 7, 10, 3, -4, -5}
# call by_tile: tensor float32 [8] {5, -1, 0, -2, -1, 4, -1, 3} => tensor float32 [2, 3] {-1, 0, -2, -4, -2, 8}
# call updated: tensor float32 [6] {-3, -1, 3, 3, -1, 4} => tensor float32 [2, 3] {-2, 0, 4, 3, 4, 0}
# call outside: tensor float32 [5] {4, -3, 3, 2, -2} => tensor float32 [2, 3] {4, -3, 3, 3, 2, -2}
# call packed: tensor float32 [3, 5] {1, 3, -3, 3, 2, -2, -1, -2, 2, 1, -3, 4, 5, 2, 4}, tensor float32 [5, 8] {-3, 0, -2, 1, 1, 3, 5, 5, -1, 4, 2, 2, 1, 2, 5, 2, 5, -2, -2, 5, 4, -3, 0, 1, -1, -3, 0, 2, -2, -1, 1, 0, -3, 3, -3, 4, -1, 5, 0, -3} => tensor float32 [3, 8] {-30, 15, 4, 6, -16, 25, 23, 2, -8, -3, 3, -6, -16, 1, -13, -17, 16, 12, -8, 50, 13, 2, 7, -14}
# call padded_columns: tensor float32 [3, 5] {5, 1, -1, -3, 0, 5, -2, 1, 0, 0, 3, 4, 0, 2, 0}, tensor float32 [5, 7] {-1, 1, 1, -3, 0, 0, 5, 0, 2, 3, 4, 2, -2, 4, -3, -1, 5, -1, -2, 1, -3, 1, -2, 4, 0, -2, 3, 3, 3, 3, -3, -3, -1, 3, -3} => tensor float32 [3, 7] {-5, 14, -9, -10, 10, -12, 23, -8, 0, 4, -24, -6, 5, 14, -1, 7, 23, 7, 4, -2, 37}
# call reindexed: tensor float32 [4, 5] {3, 4, -3, 0, -3, 0, 1, 4, 2, 0, 5, 5, -3, 3, 4, 2, 1, 2, -1, 2}, tensor float32 [2, 2] {3, 3, 5, 4} => tensor float32 [3, 4] {25, 24, 19, 1, 48, 28, 15, 37, 44, 19, 6, 24}
# call reversed: tensor float32 [3, 5] {0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0} => tensor float32 [5, 3] {2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2}
# call inlined: tensor float32 [2, 6] {4, 4, -1, 3, -3, 2, -1, -2, 5, 2, 1, -2}, tensor float32 [2, 3] {-1, -3, 1, 4, -3, 3} => tensor float32 [6] {-11, 0, -15, 6, 7, 7}
# call symbolic: tensor float32 [5] {-1, 1, 0, 3, 4} => tensor float32 [5] {1, 1, 3, 4, 4}
# call symbolic: tensor float32 [1] {3} => tensor float32 [1] {3}
# call in_tiles: tensor float32 [6] {0, -3, 3, 1, 4, 3}, tensor float32 [3] {-1, 2, 5} => tensor float32 [6] {-15, 9, 14, 19, 22, 2}
# call once: tensor float32 [6] {3, 1, -1, 1, -3, -3} => tensor float32 [1] {-2}
# call flat: tensor float32 [5, 6] {0, 1, 0, -2, -1, 2, 1, -3, 5, -1, 0, 1, 1, 5, -1, -2, 3, 0, 5, 4, -3, 2, -1, -1, 5, 2, -3, 2, 5, 3} => tensor float32 [5, 6] {-1, 4, 0, 1, -1, 2, 5, 9, 2, 1, 0, 5, 13, 14, 6, 2, 1, 2, 22, 15, 6, 2, 11, 9, 16, 10, 4, 2, 10, 6}
# call over_the_end: tensor float32 [5, 6] {3, -3, 1, 4, 0, -3, -2, 3, -3, 3, -2, 3, 1, -1, 2, 1, 3, -1, -1, 4, 2, -3, 4, 5, 5, 5, -3, 4, -1, -3} => tensor float32 [4, 6] {-3, 1, 4, 0, -3, -2, 3, -3, 3, -2, 3, 1, -1, 2, 1, 3, -1, -1, 4, 2, -3, 4, 5, 5}
# call parts: tensor float32 [3, 9] {4, -2, -2, 2, -2, 2, 3, 1, 5, 4, 2, -2, 5, -3, 2, 0, -3, 1, 5, 3, -1, 1, 0, -1, -3, -3, 1} => tensor float32 [3, 9] {8, -4, -4, 4, -4, 4, 6, 2, 10, 8, 4, -4, 10, -6, 4, 0, -6, 2, 10, 6, -2, 2, 0, -2, -6, -6, 2}
# call others: tensor float32 [9] {-1, 2, -3, -3, 0, 5, 2, 0, -2} => tensor float32 [9] {-2, 4, -6, -6, 0, 15, 6, 0, -6}
from tvm.script import ir as I, relax as R, tir as T
@I.ir_module
class Module:
    @T.prim_func
    def tiles_k(A: T.Buffer((2, 6, 6), "float32"), W: T.Buffer((2, 3, 3), "float32"), C: T.Buffer((6, 6), "float32")):
        with T.block("root"):
            P = T.alloc_buffer((2, 8, 8))
            for y0, x0 in T.grid(2, 2):
                for c, ax0, ax1 in T.grid(2, 5, 5):
                    with T.block("P"):
                        vc = T.axis.spatial(2, c)
                        vy = T.axis.spatial(8, y0 * 3 + ax0)
                        vx = T.axis.spatial(8, x0 * 3 + ax1)
                        P[vc, vy, vx] = T.if_then_else(1 <= vy and vy < 7 and 1 <= vx and vx < 7, A[vc, vy - 1, vx - 1], T.float32(0))
                for y1, x1, c, r, q in T.grid(3, 3, 2, 3, 3):
                    with T.block("C"):
                        vy = T.axis.spatial(6, y0 * 3 + y1)
                        vx = T.axis.spatial(6, x0 * 3 + x1)
                        vc, vr, vq = T.axis.remap("RRR", [c, r, q])
                        with T.init():
                            C[vy, vx] = T.float32(0)
                        C[vy, vx] = C[vy, vx] + P[vc, vy + vr, vx + vq] * W[vc, vr, vq]
    @T.prim_func
    def line_k(A: T.Buffer((6,), "float32"), C: T.Buffer((6,), "float32")):
        for y in range(6):
            P = T.alloc_buffer((8,))
            for ax0 in range(3):
                with T.block("P"):
                    vy = T.axis.spatial(8, y + ax0)
                    P[vy] = T.if_then_else(1 <= vy and vy < 7, A[vy - 1], T.float32(0))
            for r in range(3):
                with T.block("C"):
                    vy, vr = T.axis.remap("SR", [y, r])
                    with T.init():
                        C[vy] = T.float32(0)
                    C[vy] = C[vy] + P[vy + vr]
    @T.prim_func
    def by_tile_k(A: T.Buffer((8,), "float32"), C: T.Buffer((2, 3), "float32")):
        with T.block("root"):
            P = T.alloc_buffer((6,))
            for t in range(2):
                for i in range(4):
                    with T.block("P"):
                        vi, vt = T.axis.spatial(6, t * 2 + i), T.axis.spatial(2, t)
                        P[vi] = A[vi] * T.Cast("float32", vt + 1)
                for i in range(3):
                    with T.block("C"):
                        vt, vi = T.axis.remap("SS", [t, i])
                        C[vt, vi] = P[vt * 2 + vi + 1]
    @T.prim_func
    def updated_k(A: T.Buffer((6,), "float32"), C: T.Buffer((2, 3), "float32")):
        with T.block("root"):
            P = T.alloc_buffer((6,))
            for t in range(2):
                for i in range(4):
                    with T.block("P"):
                        vi = T.axis.spatial(6, t * 2 + i)
                        P[vi] = A[vi]
                for i in range(3):
                    with T.block("Q"):
                        vi = T.axis.spatial(6, t * 3 + i)
                        P[vi] = P[vi] + T.float32(1)
                for i in range(3):
                    with T.block("C"):
                        vt, vi = T.axis.remap("SS", [t, i])
                        C[vt, vi] = P[vt * 2 + vi]
    @T.prim_func
    def outside_k(A: T.Buffer((5,), "float32"), C: T.Buffer((2, 3), "float32")):
        with T.block("root"):
            P = T.alloc_buffer((6,))
            for t in range(2):
                for i in range(3):
                    with T.block("P"):
                        vi = T.axis.spatial(6, t * 2 + i)
                        P[vi] = A[vi]
                for i in range(3):
                    with T.block("C"):
                        vt, vi = T.axis.remap("SS", [t, i])
                        C[vt, vi] = P[vt * 2 + vi]
    @T.prim_func
    def packed_k(A: T.Buffer((3, 5), "float32"), B: T.Buffer((5, 8), "float32"), C: T.Buffer((3, 8), "float32")):
        with T.block("root"):
            P = T.alloc_buffer((2, 5, 4))
            for i, j in T.grid(5, 8):
                with T.block("P"):
                    vi, vj = T.axis.remap("SS", [i, j])
                    P[vj // 4, vi, vj % 4] = B[vi, vj]
            for i, j, l in T.grid(3, 8, 5):
                with T.block("C"):
                    vi, vj, vl = T.axis.remap("SSR", [i, j, l])
                    with T.init():
                        C[vi, vj] = T.float32(0)
                    C[vi, vj] = C[vi, vj] + A[vi, vl] * P[vj // 4, vl, vj % 4]
    @T.prim_func
    def padded_columns_k(A: T.Buffer((3, 5), "float32"), B: T.Buffer((5, 7), "float32"), C: T.Buffer((3, 7), "float32")):
        with T.block("root"):
            P = T.alloc_buffer((2, 5, 4))
            for j0, i, j1 in T.grid(2, 5, 4):
                with T.block("P"):
                    v0, vi, v1 = T.axis.remap("SSS", [j0, i, j1])
                    P[v0, vi, v1] = T.if_then_else(v0 == 1 and 3 <= v1, T.float32(0), B[vi, v0 * 4 + v1])
            for i, j, l in T.grid(3, 7, 5):
                with T.block("C"):
                    vi, vj, vl = T.axis.remap("SSR", [i, j, l])
                    with T.init():
                        C[vi, vj] = T.float32(0)
                    C[vi, vj] = C[vi, vj] + A[vi, vl] * P[vj // 4, vl, vj % 4]
    @T.prim_func
    def reindexed_k(X: T.Buffer((4, 5), "float32"), W: T.Buffer((2, 2), "float32"), C: T.Buffer((3, 4), "float32")):
        with T.block("root"):
            P = T.alloc_buffer((12, 4))
            for y, x, r, q in T.grid(3, 4, 2, 2):
                with T.block("P"):
                    vy, vx, vr, vq = T.axis.remap("SSSS", [y, x, r, q])
                    P[vy * 4 + vx, vr * 2 + vq] = X[vy + vr, vx + vq]
            for y, x, r, q in T.grid(3, 4, 2, 2):
                with T.block("C"):
                    vy, vx, vr, vq = T.axis.remap("SSRR", [y, x, r, q])
                    with T.init():
                        C[vy, vx] = T.float32(0)
                    C[vy, vx] = C[vy, vx] + P[vy * 4 + vx, vr * 2 + vq] * W[vr, vq]
    @T.prim_func
    def reversed_k(A: T.Buffer((3, 5), "float32"), C: T.Buffer((5, 3), "float32")):
        with T.block("root"):
            P = T.alloc_buffer((5, 3))
            for i, j in T.grid(3, 5):
                with T.block("P"):
                    vi, vj = T.axis.remap("SS", [i, j])
                    P[vj, vi] = T.exp(A[vi, vj])
            for i, j in T.grid(5, 3):
                with T.block("C"):
                    vi, vj = T.axis.remap("SS", [i, j])
                    C[vi, vj] = P[vi, vj] + P[4 - vi, vj]
    @T.prim_func
    def inlined_k(A: T.Buffer((2, 6), "float32"), W: T.Buffer((2, 3), "float32"), C: T.Buffer((6,), "float32")):
        for x, c, r in T.grid(6, 2, 3):
            with T.block("C"):
                vx, vc, vr = T.axis.remap("SRR", [x, c, r])
                with T.init():
                    C[vx] = T.float32(0)
                C[vx] = C[vx] + T.if_then_else(1 <= vx + vr and vx + vr < 7, A[vc, vx + vr - 1], T.float32(0)) * W[vc, vr]
    @T.prim_func
    def symbolic_k(a: T.handle, c: T.handle):
        n = T.int64()
        A = T.match_buffer(a, (n,))
        C = T.match_buffer(c, (n,))
        for x, r in T.grid(n, T.int64(3)):
            with T.block("C"):
                vx, vr = T.axis.remap("SR", [x, r])
                with T.init():
                    C[vx] = T.float32(-1)
                C[vx] = T.max(C[vx], T.if_then_else(1 <= vx + vr and vx + vr - 1 < n, A[vx + vr - 1], T.float32(-1)))
    @T.prim_func
    def in_tiles_k(A: T.Buffer((6,), "float32"), W: T.Buffer((3,), "float32"), C: T.Buffer((6,), "float32")):
        for t in range(2):
            with T.block(""):
                P = T.alloc_buffer((5,))
                for i in range(5):
                    with T.block("P"):
                        P[i] = T.if_then_else(1 <= t * 3 + i and t * 3 + i < 7, A[t * 3 + i - 1], T.float32(0))
                for x, r in T.grid(3, 3):
                    with T.block("C"):
                        if r == 0:
                            C[t * 3 + x] = T.float32(0)
                        C[t * 3 + x] = C[t * 3 + x] + P[x + r] * W[r]
    @T.prim_func
    def once_k(A: T.Buffer((6,), "float32"), C: T.Buffer((1,), "float32")):
        for r in range(8):
            with T.block("C"):
                vr = T.axis.reduce(8, r)
                with T.init():
                    C[0] = T.float32(0)
                C[0] = C[0] + T.if_then_else(1 <= vr and vr < 7, A[vr - 1], T.float32(0))
    @T.prim_func
    def flat_k(A: T.Buffer((5, 6), "float32"), C: T.Buffer((5, 6), "float32")):
        A_1 = T.decl_buffer((30,), data=A.data)
        C_1 = T.decl_buffer((30,), data=C.data)
        P = T.alloc_buffer((56,))
        for y, x in T.grid(7, 8):
            P[y * 8 + x] = T.if_then_else(1 <= y and y < 6 and 1 <= x and x < 7, A_1[y * 6 + x - 7], T.float32(0))
        for y, x, r, q in T.grid(5, 6, 3, 3):
            if r == 0 and q == 0:
                C_1[y * 6 + x] = T.float32(0)
            C_1[y * 6 + x] = C_1[y * 6 + x] + P[y * 8 + r * 8 + x + q]
    @T.prim_func
    def over_the_end_k(A: T.Buffer((5, 6), "float32"), C: T.Buffer((4, 6), "float32")):
        A_1 = T.decl_buffer((30,), data=A.data)
        C_1 = T.decl_buffer((24,), data=C.data)
        for y, x in T.grid(4, 6):
            C_1[y * 6 + x] = A_1[y * 6 + x + 1]
    @T.prim_func
    def parts_k(A: T.Buffer((3, 9), "float32"), C: T.Buffer((3, 9), "float32")):
        for i in range(3):
            for j in range(4):
                with T.block("C"):
                    vi, vj = T.axis.remap("SS", [i, j])
                    C[vi, vj] = A[vi, vj] * T.float32(2)
            for j in range(5):
                with T.block("C"):
                    vi = T.axis.spatial(3, i)
                    vj = T.axis.spatial((4, 9), j + 4)
                    C[vi, vj] = A[vi, vj] * T.float32(2)
    @T.prim_func
    def others_k(A: T.Buffer((9,), "float32"), C: T.Buffer((9,), "float32")):
        for j in range(4):
            C[j] = A[j] * T.float32(2)
        for j in range(4, 8):
            C[j] = A[j] * T.float32(3)
        for j in range(1):
            C[j + 8] = A[8 - j] * T.float32(3)
    @R.function
    def tiles(x0: R.Tensor((2, 6, 6,), "float32"), x1: R.Tensor((2, 3, 3,), "float32")):
        cls = Module
        return R.call_tir(cls.tiles_k, (x0, x1,), out_sinfo=R.Tensor((6, 6,), "float32"))
    @R.function
    def line(x0: R.Tensor((6,), "float32")):
        cls = Module
        return R.call_tir(cls.line_k, (x0,), out_sinfo=R.Tensor((6,), "float32"))
    @R.function
    def by_tile(x0: R.Tensor((8,), "float32")):
        cls = Module
        return R.call_tir(cls.by_tile_k, (x0,), out_sinfo=R.Tensor((2, 3,), "float32"))
    @R.function
    def updated(x0: R.Tensor((6,), "float32")):
        cls = Module
        return R.call_tir(cls.updated_k, (x0,), out_sinfo=R.Tensor((2, 3,), "float32"))
    @R.function
    def outside(x0: R.Tensor((5,), "float32")):
        cls = Module
        return R.call_tir(cls.outside_k, (x0,), out_sinfo=R.Tensor((2, 3,), "float32"))
    @R.function
    def packed(x0: R.Tensor((3, 5,), "float32"), x1: R.Tensor((5, 8,), "float32")):
        cls = Module
        return R.call_tir(cls.packed_k, (x0, x1,), out_sinfo=R.Tensor((3, 8,), "float32"))
    @R.function
    def padded_columns(x0: R.Tensor((3, 5,), "float32"), x1: R.Tensor((5, 7,), "float32")):
        cls = Module
        return R.call_tir(cls.padded_columns_k, (x0, x1,), out_sinfo=R.Tensor((3, 7,), "float32"))
    @R.function
    def reindexed(x0: R.Tensor((4, 5,), "float32"), x1: R.Tensor((2, 2,), "float32")):
        cls = Module
        return R.call_tir(cls.reindexed_k, (x0, x1,), out_sinfo=R.Tensor((3, 4,), "float32"))
    @R.function
    def reversed(x0: R.Tensor((3, 5,), "float32")):
        cls = Module
        return R.call_tir(cls.reversed_k, (x0,), out_sinfo=R.Tensor((5, 3,), "float32"))
    @R.function
    def inlined(x0: R.Tensor((2, 6,), "float32"), x1: R.Tensor((2, 3,), "float32")):
        cls = Module
        return R.call_tir(cls.inlined_k, (x0, x1,), out_sinfo=R.Tensor((6,), "float32"))
    @R.function
    def symbolic(x0: R.Tensor(("n",), "float32")):
        cls = Module
        n = T.int64()
        return R.call_tir(cls.symbolic_k, (x0,), out_sinfo=R.Tensor((n,), "float32"))
    @R.function
    def in_tiles(x0: R.Tensor((6,), "float32"), x1: R.Tensor((3,), "float32")):
        cls = Module
        return R.call_tir(cls.in_tiles_k, (x0, x1,), out_sinfo=R.Tensor((6,), "float32"))
    @R.function
    def once(x0: R.Tensor((6,), "float32")):
        cls = Module
        return R.call_tir(cls.once_k, (x0,), out_sinfo=R.Tensor((1,), "float32"))
    @R.function
    def flat(x0: R.Tensor((5, 6,), "float32")):
        cls = Module
        return R.call_tir(cls.flat_k, (x0,), out_sinfo=R.Tensor((5, 6,), "float32"))
    @R.function
    def over_the_end(x0: R.Tensor((5, 6,), "float32")):
        cls = Module
        return R.call_tir(cls.over_the_end_k, (x0,), out_sinfo=R.Tensor((4, 6,), "float32"))
    @R.function
    def parts(x0: R.Tensor((3, 9,), "float32")):
        cls = Module
        return R.call_tir(cls.parts_k, (x0,), out_sinfo=R.Tensor((3, 9,), "float32"))
    @R.function
    def others(x0: R.Tensor((9,), "float32")):
        cls = Module
        return R.call_tir(cls.others_k, (x0,), out_sinfo=R.Tensor((9,), "float32"))

# ==== that_only_look_so
"""What looks like a temporary, a border or a position of another tool, but differs: wrapping conditions, names, elements that stay."""
# call bare_reader: tensor float32 [8] {0, 3, 3, -3, 5, 1, 4, -3} => tensor float32 [1] {4}
# call border_let: tensor float32 [20] {-3, 4, -2, 2, 4, -3, -2, 1, 3, -1, -2, -1, 4, -3, 2, -3, -3, 1, 1, 0}, tensor float32 [3] {-1, 1, 3} => tensor float32 [16] {0, 0, 16, -7, -13, 4, 12, -1, -10, -4, 13, -4, -1, -4, -14, 3}
# call border_narrow: tensor float32 [20] {0, 0, -1, -2, 2, 4, 1, 0, -2, 4, 0, -2, 2, 4, -3, 3, -3, 2, -1, 5}, tensor float32 [3] {3, 5, -3} => tensor float32 [16] {3, 1, -19, -8, 23, 17, 3, 0, 0, 0, 0, 0, 0, 0, 0, 0}
# call border_unsigned: tensor float32 [20] {2, -1, -3, 4, 4, 3, -3, -3, 5, 2, 2, 3, 1, 2, -1, 5, 5, -2, 3, 0}, tensor float32 [3] {1, -2, 5} => tensor float32 [16] {-13, 25, 9, 11, -17, -6, 28, -3, 11, 13, 1, 1, 1, 0, 0, 0}
# call carry_over_where: tensor float32 [8] {-3, -1, -1, 1, -2, 3, 0, 1} => tensor float32 [4, 8] {-3, -1, -1, 1, -2, 3, 0, 1, -2, 0, 0, 2, -2, 3, 0, 1, -1, 1, 1, 3, -2, 3, 0, 1, 0, 2, 2, 4, -2, 3, 0, 1}
# call free_var: tensor float32 [4, 8] {0, -2, 1, -1, 0, 1, 1, -3, 3, 3, -1, 0, -3, 5, 5, 4, 1, 5, 3, 5, -3, 2, 0, 1, -3, -1, -1, -2, -2, 4, -2, 4} => tensor float32 [4, 8] {0, -4, 2, -2, 0, 2, 2, -6, 6, 6, -2, 0, -6, 10, 10, 8, 2, 10, 6, 10, -6, 4, 0, 2, -6, -2, -2, -4, -4, 8, -4, 8}
# call nested_read: tensor int32 [8] {-1, 3, 0, 3, 5, -3, -2, -3} => tensor int32 [8] {3, 3, 1, 3, 3, 3, 0, 3}
# call nested_read_local: tensor int32 [4, 8] {5, 4, 4, 1, -2, 1, -1, -2, 4, 2, 1, -1, -1, -2, -1, 0, -2, -1, 1, -3, -2, -1, 0, 5, 2, 2, 1, 0, 2, 3, 2, -2} => tensor int32 [4, 8] {2, -4, -4, 8, -2, 8, -4, -2, -2, 2, 4, 0, 0, -2, 0, 8, 0, 10, -2, -2, 0, 10, -4, -2, 2, 2, 4, 4, 2, 0, 2, 4}
# call pos_uint64: tensor float32 [8, 4] {-2, -3, 5, -3, 2, 0, 0, -3, 0, 4, 0, 4, 0, -1, 3, 3, -1, 4, -3, 0, 4, 2, -2, 3, 4, 0, 4, 4, 3, 3, 1, 2} => tensor float32 [3, 8] {8, 0, 0, 0, 0, 0, 0, 0, 4, 0, 0, 0, 0, 0, 0, 0, -4, 0, 0, 0, 0, 0, 0, 0}
# call where_unsigned: tensor float32 [20] {1, -3, -3, -2, 2, 0, -2, 4, -3, 5, 0, 1, 1, 3, 4, 3, -3, 4, -2, 0} => tensor float32 [1] {0}
# call index_narrow_view: tensor float32 [8, 6] {0, 0, 0, 2, -2, -3, -3, -1, -1, 5, -2, 5, 3, 4, 3, -2, 5, -1, 1, 2, -2, 5, 3, -2, 2, -2, 5, 5, 5, 0, 0, 4, -3, 5, 4, 0, 1, 4, -3, 3, 0, -2, 2, -2, -3, 0, 1, -3} => tensor float32 [8, 6] {0, 0, -2, -3, 0, 2, -3, -1, -2, 5, -3, 5, 3, 4, 5, -1, 3, -2, 1, 2, 3, -2, 1, 5, 2, -2, 5, 0, 2, 5, 0, 4, 4, 0, 0, 5, 1, 4, 0, -2, 1, 3, 2, -2, 1, -3, 2, 0}
# call index_unsigned_view: tensor float32 [8, 6] {5, 0, 5, 2, -1, 4, 3, 2, -1, 3, 4, 3, 2, -2, 3, -3, -1, 2, 4, 2, 2, -1, 1, 1, 0, -3, 5, -2, -3, 1, 2, 0, 2, 1, -2, -1, -3, 0, 3, 4, 1, 0, 0, 4, 0, -2, 2, 5} => tensor float32 [8, 6] {2, 5, 0, 5, 2, -1, 3, 3, 2, -1, 3, 4, -3, 2, -2, 3, -3, -1, -1, 4, 2, 2, -1, 1, -2, 0, -3, 5, -2, -3, 1, 2, 0, 2, 1, -2, 4, -3, 0, 3, 4, 1, -2, 0, 4, 0, -2, 2}
# call index_unsigned_layout: tensor float32 [8, 6] {-1, -1, -1, -1, 1, 1, 4, -2, 2, -3, -2, 3, -2, -3, -2, 2, 3, 5, -3, 3, -2, 3, 1, -2, -3, 3, 1, 2, -1, 3, 3, 3, -1, 0, 2, 3, 4, -1, 0, -2, 4, 2, 3, -3, 0, 3, 4, -3} => tensor float32 [8, 6] {-2, -2, -2, -2, -2, 2, -6, 8, -4, 4, -6, -4, 4, -4, -6, -4, 4, 6, 6, -6, 6, -4, 6, 2, 4, -6, 6, 2, 4, -2, 0, 6, 6, -2, 0, 4, -4, 8, -2, 0, -4, 8, 6, 6, -6, 0, 6, 8}
# call vector_reads: tensor float32 [4, 16] {2, -2, 3, -3, -3, 0, -3, -2, -2, -1, -3, 1, -2, 0, 2, 3, 2, -2, -1, 3, -1, -1, 2, 5, 4, -1, 0, 5, 1, -3, -2, 5, -3, 3, 1, -2, -2, 4, 1, -1, -1, 0, -1, -3, 0, 4, -1, 5, 5, -3, 0, 3, 2, -3, 0, 4, -2, 5, 4, 1, -2, 2, 2, -2} => tensor float32 [4, 16] {4, -4, 6, -6, -6, 0, -6, -4, -4, -2, -6, 2, -4, 0, 4, 6, 4, -4, -2, 6, -2, -2, 4, 10, 8, -2, 0, 10, 2, -6, -4, 10, -6, 6, 2, -4, -4, 8, 2, -2, -2, 0, -2, -6, 0, 8, -2, 10, 10, -6, 0, 6, 4, -6, 0, 8, -4, 10, 8, 2, -4, 4, 4, -4}
# call vector_reads_local: tensor float32 [4, 16] {1, 3, -2, 3, -3, 4, 0, 2, 0, -2, 4, 3, -3, 4, 4, 1, -2, -1, -2, -2, 3, -2, 5, 1, -1, -1, 4, -2, 2, 5, 3, -3, 4, -2, -3, -1, -2, 5, 2, -2, 1, -3, -1, 3, -3, 0, -1, 2, 3, -2, -2, 2, 1, 3, 2, 3, -3, -2, 2, 0, 0, -1, -3, 3} => tensor float32 [4, 16] {2, 6, -4, 6, -6, 8, 0, 4, 0, -4, 8, 6, -6, 8, 8, 2, -4, -2, -4, -4, 6, -4, 10, 2, -2, -2, 8, -4, 4, 10, 6, -6, 8, -4, -6, -2, -4, 10, 4, -4, 2, -6, -2, 6, -6, 0, -2, 4, 6, -4, -4, 4, 2, 6, 4, 6, -6, -4, 4, 0, 0, -2, -6, 6}
# call parts_of_a_sum: tensor float32 [3, 5] {3, -2, -1, -2, -1, 5, 1, 4, 5, 0, 5, -1, 5, -3, -3} => tensor float32 [3] {-3, 5, -6}
from tvm.script import ir as I, relax as R, tir as T
@I.ir_module
class Module:
    @T.prim_func
    def bare_reader_k(A: T.Buffer((8,), "float32"), C: T.Buffer((1,), "float32")):
        X = T.alloc_buffer((10,), "float32")
        for i in range(10):
            X[i] = T.if_then_else(1 <= i and i < 9, A[i - 1], T.float32(0))
        C[0] = X[3] + T.float32(1)
    @T.prim_func
    def border_let_k(A: T.Buffer((20,), "float32"), W: T.Buffer((3,), "float32"), C: T.Buffer((16,), "float32")):
        for i, r in T.grid(T.int64(16), T.int64(3)):
            with T.block("c"):
                vi, vr = T.axis.remap("SR", [i, r])
                with T.init():
                    C[vi] = T.float32(0)
                x = T.int64()
                C[vi] = C[vi] + T.Let(T.if_then_else(x <= vi + vr, A[vi + vr], T.float32(0)) * W[vr], where={x: vr + T.int64(1)})
    @T.prim_func
    def border_narrow_k(A: T.Buffer((20,), "float32"), W: T.Buffer((3,), "float32"), C: T.Buffer((16,), "float32")):
        for i, r in T.grid(T.int64(16), T.int64(3)):
            with T.block("c"):
                vi, vr = T.axis.remap("SR", [i, r])
                with T.init():
                    C[vi] = T.float32(0)
                C[vi] = C[vi] + T.if_then_else(T.Cast("int32", vi + vr + T.int64(2147483640)) >= 0, A[vi + vr], T.float32(0)) * W[vr]
    @T.prim_func
    def border_unsigned_k(A: T.Buffer((20,), "float32"), W: T.Buffer((3,), "float32"), C: T.Buffer((16,), "float32")):
        for i, r in T.grid(16, 3):
            with T.block("c"):
                vi, vr = T.axis.remap("SR", [i, r])
                with T.init():
                    C[vi] = T.float32(0)
                C[vi] = C[vi] + T.if_then_else(T.Cast("uint32", T.Cast("int32", vi + vr) - 1) < T.uint32(12), A[vi + vr], T.float32(0)) * W[vr]
    @T.prim_func
    def carry_over_where_k(A: T.Buffer((8,), "float32"), C: T.Buffer((4, 8), "float32")):
        X = T.alloc_buffer((8,), "float32")
        for o in range(4):
            for i in range(8):
                with T.block("x"):
                    v = T.axis.spatial(8, i)
                    T.where(o == 0 or i < 4)
                    X[v] = A[v] + T.Cast("float32", o)
            for j in range(8):
                with T.block("c"):
                    vo, vj = T.axis.remap("SS", [o, j])
                    C[vo, vj] = X[vj]
    @T.prim_func
    def free_var_k(A: T.Buffer((4, 8), "float32"), C: T.Buffer((4, 8), "float32")):
        for o in range(4):
            with T.block("o"):
                vo = T.axis.spatial(4, o)
                X = T.alloc_buffer((8,), "float32")
                for i, r in T.grid(8, 2):
                    X[i] = T.if_then_else(r == 1, A[vo, i], T.float32(0))
                for j in range(8):
                    C[vo, j] = X[j] * T.float32(2)
    @T.prim_func
    def nested_read_k(A: T.Buffer((8,), "int32"), C: T.Buffer((8,), "int32")):
        X = T.alloc_buffer((8,), "int32")
        Y = T.alloc_buffer((8, 2), "int32")
        for i in range(8):
            X[i] = T.abs(A[i]) % 8
        for i, j in T.grid(8, 2):
            Y[i, j] = X[i]
        for i in range(8):
            C[i] = Y[Y[i, 0], 1]
    @T.prim_func
    def nested_read_local_k(A: T.Buffer((4, 8), "int32"), C: T.Buffer((4, 8), "int32")):
        for o in range(4):
            with T.block("o"):
                vo = T.axis.spatial(4, o)
                X = T.alloc_buffer((8,), "int32")
                for i in range(8):
                    X[i] = A[vo, i]
                for j in range(8):
                    C[vo, j] = X[X[j] % 8] * 2
    @T.prim_func
    def pos_uint64_k(A: T.Buffer((8, 4), "float32"), C: T.Buffer((3, 8), "float32")):
        X = T.alloc_buffer((32,), "float32")
        for i, j in T.grid(4, 8):
            X[i * 8 + j] = A[j, i] * T.float32(2)
        for i, y in T.grid(T.int64(3), T.int64(8)):
            C[i, y] = T.if_then_else(T.Cast("uint64", y - T.int64(1)) >= T.uint64(7), X[i * T.int64(8) + y + T.int64(5)], T.float32(0))
    @T.prim_func
    def where_unsigned_k(A: T.Buffer((20,), "float32"), C: T.Buffer((1,), "float32")):
        for u in range(1):
            C[u] = T.float32(0)
        for i, j in T.grid(4, 5):
            with T.block("x"):
                vi = T.axis.spatial(1, 0)
                v = T.axis.reduce(20, i * 5 + j)
                T.where(T.Cast("uint32", i * 5 + j - 1) < T.uint32(12))
                C[vi] = C[vi] + A[v]
    @T.prim_func
    def index_narrow_view_k(A: T.Buffer((8, 6), "float32"), C: T.Buffer((8, 6), "float32")):
        A_1 = T.decl_buffer((48,), data=A.data)
        for i, j in T.grid(T.int64(8), T.int64(6)):
            C[i, j] = A_1[i * T.int64(6) + T.Cast("int64", T.Cast("int32", j * T.int64(1431655765)) % 6)]
    @T.prim_func
    def index_unsigned_view_k(A: T.Buffer((8, 6), "float32"), C: T.Buffer((8, 6), "float32")):
        A_1 = T.decl_buffer((48,), data=A.data)
        for i, j in T.grid(8, 6):
            C[i, j] = A_1[i * 6 + T.Cast("int32", T.Cast("uint32", j - 1) % T.uint32(6))]
    @T.prim_func
    def index_unsigned_layout_k(A: T.Buffer((8, 6), "float32"), C: T.Buffer((8, 6), "float32")):
        X = T.alloc_buffer((4, 6, 2), "float32")
        for i, j in T.grid(8, 6):
            X[i // 2, j, i % 2] = A[i, j] * T.float32(2)
        for i, j in T.grid(8, 6):
            C[i, j] = X[i // 2, T.Cast("int32", T.Cast("uint32", j - 1) % T.uint32(6)), i % 2]
    @T.prim_func
    def vector_reads_k(A: T.Buffer((4, 16), "float32"), C: T.Buffer((4, 16), "float32")):
        X = T.alloc_buffer((4, 2, 8), "float32")
        for i, j in T.grid(4, 16):
            X[i, j // 8, j % 8] = A[i, j] * T.float32(2)
        for i, j in T.grid(4, 2):
            C[i, T.Ramp(j * 8, 1, 8)] = X[i, j, T.Ramp(0, 1, 8)]
    @T.prim_func
    def vector_reads_local_k(A: T.Buffer((4, 16), "float32"), C: T.Buffer((4, 16), "float32")):
        for i in range(4):
            with T.block("o"):
                X = T.alloc_buffer((16,), "float32")
                for j in range(16):
                    X[j] = A[i, j]
                for j in range(2):
                    C[i, T.Ramp(j * 8, 1, 8)] = X[T.Ramp(j * 8, 1, 8)] * T.Broadcast(T.float32(2), 8)
    @T.prim_func
    def parts_of_a_sum_k(A: T.Buffer((3, 5), "float32"), C: T.Buffer((3,), "float32")):
        for i in range(3):
            for j in range(3):
                with T.block("C"):
                    vi, vj = T.axis.remap("SR", [i, j])
                    with T.init():
                        C[vi] = T.float32(0)
                    C[vi] = C[vi] + A[vi, vj]
            for j in range(3, 5):
                with T.block("C"):
                    vi, vj = T.axis.remap("SR", [i, j])
                    with T.init():
                        C[vi] = T.float32(0)
                    C[vi] = C[vi] + A[vi, vj]
    @R.function
    def bare_reader(A: R.Tensor((8,), "float32")):
        cls = Module
        gv = R.call_tir(cls.bare_reader_k, (A,), out_sinfo=R.Tensor((1,), "float32"))
        return gv
    @R.function
    def border_let(A: R.Tensor((20,), "float32"), W: R.Tensor((3,), "float32")):
        cls = Module
        gv = R.call_tir(cls.border_let_k, (A, W,), out_sinfo=R.Tensor((16,), "float32"))
        return gv
    @R.function
    def border_narrow(A: R.Tensor((20,), "float32"), W: R.Tensor((3,), "float32")):
        cls = Module
        gv = R.call_tir(cls.border_narrow_k, (A, W,), out_sinfo=R.Tensor((16,), "float32"))
        return gv
    @R.function
    def border_unsigned(A: R.Tensor((20,), "float32"), W: R.Tensor((3,), "float32")):
        cls = Module
        gv = R.call_tir(cls.border_unsigned_k, (A, W,), out_sinfo=R.Tensor((16,), "float32"))
        return gv
    @R.function
    def carry_over_where(A: R.Tensor((8,), "float32")):
        cls = Module
        gv = R.call_tir(cls.carry_over_where_k, (A,), out_sinfo=R.Tensor((4, 8), "float32"))
        return gv
    @R.function
    def free_var(A: R.Tensor((4, 8), "float32")):
        cls = Module
        gv = R.call_tir(cls.free_var_k, (A,), out_sinfo=R.Tensor((4, 8), "float32"))
        return gv
    @R.function
    def nested_read(A: R.Tensor((8,), "int32")):
        cls = Module
        gv = R.call_tir(cls.nested_read_k, (A,), out_sinfo=R.Tensor((8,), "int32"))
        return gv
    @R.function
    def nested_read_local(A: R.Tensor((4, 8), "int32")):
        cls = Module
        gv = R.call_tir(cls.nested_read_local_k, (A,), out_sinfo=R.Tensor((4, 8), "int32"))
        return gv
    @R.function
    def pos_uint64(A: R.Tensor((8, 4), "float32")):
        cls = Module
        gv = R.call_tir(cls.pos_uint64_k, (A,), out_sinfo=R.Tensor((3, 8), "float32"))
        return gv
    @R.function
    def where_unsigned(A: R.Tensor((20,), "float32")):
        cls = Module
        gv = R.call_tir(cls.where_unsigned_k, (A,), out_sinfo=R.Tensor((1,), "float32"))
        return gv
    @R.function
    def index_narrow_view(A: R.Tensor((8, 6), "float32")):
        cls = Module
        gv = R.call_tir(cls.index_narrow_view_k, (A,), out_sinfo=R.Tensor((8, 6), "float32"))
        return gv
    @R.function
    def index_unsigned_view(A: R.Tensor((8, 6), "float32")):
        cls = Module
        gv = R.call_tir(cls.index_unsigned_view_k, (A,), out_sinfo=R.Tensor((8, 6), "float32"))
        return gv
    @R.function
    def index_unsigned_layout(A: R.Tensor((8, 6), "float32")):
        cls = Module
        gv = R.call_tir(cls.index_unsigned_layout_k, (A,), out_sinfo=R.Tensor((8, 6), "float32"))
        return gv
    @R.function
    def vector_reads(A: R.Tensor((4, 16), "float32")):
        cls = Module
        gv = R.call_tir(cls.vector_reads_k, (A,), out_sinfo=R.Tensor((4, 16), "float32"))
        return gv
    @R.function
    def vector_reads_local(A: R.Tensor((4, 16), "float32")):
        cls = Module
        gv = R.call_tir(cls.vector_reads_local_k, (A,), out_sinfo=R.Tensor((4, 16), "float32"))
        return gv
    @R.function
    def parts_of_a_sum(A: R.Tensor((3, 5), "float32")):
        cls = Module
        gv = R.call_tir(cls.parts_of_a_sum_k, (A,), out_sinfo=R.Tensor((3,), "float32"))
        return gv
# ==== of_one_iteration
"""Temporaries of a row or a tile, allocated in its loops or blocks, also with symbolic sizes: rules take what remains."""
# call rows: tensor float32 [3, 5] {0, 3, 2, 1, 0, 1, 0, 3, 2, 1, 2, 1, 0, 3, 2} => tensor float32 [3, 5] {-10, -13, -12, -11, -10, -10, -9, -12, -11, -10, -10, -9, -8, -11, -10}
# call rows: tensor float32 [3, 1] {0, 1, 2} => tensor float32 [3, 1] {0, 0, 0}
# call rows: tensor float32 [3, 0] {} => tensor float32 [3, 0] {}
# call blocks: tensor float32 [3, 5] {0, 3, 2, 1, 0, 1, 0, 3, 2, 1, 2, 1, 0, 3, 2} => tensor float32 [3, 5] {-10, -13, -12, -11, -10, -10, -9, -12, -11, -10, -10, -9, -8, -11, -10}
# call blocks: tensor float32 [3, 1] {0, 1, 2} => tensor float32 [3, 1] {0, 0, 0}
# call blocks: tensor float32 [3, 0] {} => tensor float32 [3, 0] {}
# call tile: tensor float32 [3, 4] {-2, 3, 1, -1, 1, -1, 4, 2, 4, 2, 0, -2}, tensor float32 [4, 8] {-1, 2, 0, 3, 1, -1, 2, 0, 1, -1, 2, 0, 3, 1, -1, 2, 3, 1, -1, 2, 0, 3, 1, -1, 0, 3, 1, -1, 2, 0, 3, 1} => tensor float32 [3, 8] {8, -9, 4, -3, 5, 8, -9, 4, 10, 13, -4, 9, 2, 10, 13, -4, -2, 0, 2, 14, 6, -2, 0, 2}
# call tile: tensor float32 [1, 4] {-2, 3, 1, -1}, tensor float32 [4, 8] {-1, 2, 0, 3, 1, -1, 2, 0, 1, -1, 2, 0, 3, 1, -1, 2, 3, 1, -1, 2, 0, 3, 1, -1, 0, 3, 1, -1, 2, 0, 3, 1} => tensor float32 [1, 8] {8, -9, 4, -3, 5, 8, -9, 4}
# call tile: tensor float32 [0, 4] {}, tensor float32 [4, 8] {-1, 2, 0, 3, 1, -1, 2, 0, 1, -1, 2, 0, 3, 1, -1, 2, 3, 1, -1, 2, 0, 3, 1, -1, 0, 3, 1, -1, 2, 0, 3, 1} => tensor float32 [0, 8] {}
from tvm.script import ir as I, relax as R, tir as T
@I.ir_module
class Module:
    @T.prim_func
    def rows_(a: T.handle, c: T.handle):
        n = T.int64()
        A = T.match_buffer(a, (3, n), "float32")
        C = T.match_buffer(c, (3, n), "float32")
        for i in range(3):
            most = T.alloc_buffer((1,), scope="local")
            total = T.alloc_buffer((1,), scope="local")
            e = T.alloc_buffer((n,), scope="local")
            most[0] = T.float32(-9)
            for k in range(n):
                most[0] = T.max(most[0], A[i, k])
            for k in range(n):
                e[k] = most[0] - A[i, k] + T.float32(1)
            total[0] = T.float32(0)
            for k in range(n):
                total[0] = total[0] + e[k]
            for k in range(n):
                C[i, k] = e[k] - total[0]
    @T.prim_func
    def blocks_(a: T.handle, c: T.handle):
        n = T.int64()
        A = T.match_buffer(a, (3, n), "float32")
        C = T.match_buffer(c, (3, n), "float32")
        for i in range(3):
            with T.block("row"):
                vi = T.axis.spatial(3, i)
                most = T.alloc_buffer((1,), scope="local")
                total = T.alloc_buffer((1,), scope="local")
                for k in range(n):
                    with T.block("most"):
                        vk = T.axis.reduce(n, k)
                        with T.init():
                            most[0] = T.float32(-9)
                        most[0] = T.max(most[0], A[vi, vk])
                for k in range(n):
                    with T.block("total"):
                        vk = T.axis.reduce(n, k)
                        with T.init():
                            total[0] = T.float32(0)
                        total[0] = total[0] + (most[0] - A[vi, vk] + T.float32(1))
                for k in range(n):
                    with T.block("C"):
                        vk = T.axis.spatial(n, k)
                        C[vi, vk] = most[0] - A[vi, vk] + T.float32(1) - total[0]
    @T.prim_func
    def tile_(a: T.handle, B: T.Buffer((4, 8), "float32"), c: T.handle):
        n = T.int64()
        A = T.match_buffer(a, (n, 4), "float32")
        C = T.match_buffer(c, (n, 8), "float32")
        for i, j0 in T.grid(n, 2):
            sums = T.alloc_buffer((4,), scope="local")
            for j1, k in T.grid(4, 4):
                with T.block("sums"):
                    vi, v0, v1, vk = T.axis.remap("SSSR", [i, j0, j1, k])
                    with T.init():
                        sums[v1] = T.float32(0)
                    sums[v1] = sums[v1] + A[vi, vk] * B[vk, v0 * 4 + v1]
            for j1 in range(4):
                with T.block("C"):
                    vi, v0, v1 = T.axis.remap("SSS", [i, j0, j1])
                    C[vi, v0 * 4 + v1] = sums[v1]
    @R.function
    def rows(a: R.Tensor((3, "n"), "float32")):
        n = T.int64()
        cls = Module
        return R.call_tir(cls.rows_, (a,), out_sinfo=R.Tensor((3, n), "float32"))
    @R.function
    def blocks(a: R.Tensor((3, "n"), "float32")):
        n = T.int64()
        cls = Module
        return R.call_tir(cls.blocks_, (a,), out_sinfo=R.Tensor((3, n), "float32"))
    @R.function
    def tile(a: R.Tensor(("n", 4), "float32"), b: R.Tensor((4, 8), "float32")):
        n = T.int64()
        cls = Module
        return R.call_tir(cls.tile_, (a, b), out_sinfo=R.Tensor((n, 8), "float32"))

# ==== of_values_in_turn
"""Buffers that hold several values in turn: results changed in place, temporaries used twice; and orders that count, because iterations read what others stored, or elements that changed."""
# call output: tensor float32 [2, 3] {1, 4, 2, 3, 0, 5} => tensor float32 [2, 3] {60, 0, 40, 56, 140, 0}
# call three: tensor float32 [2, 3] {1, 4, 2, 3, 0, 5} => tensor float32 [2, 3] {2, 17, 5, 10, 1, 26}
# call epilogue: tensor float32 [2, 3] {1, 4, 2, 3, 0, 5} => tensor float32 [2, 2] {1, 0, 0, 14}
# call reused: tensor float32 [2, 3] {1, 4, 2, 3, 0, 5} => tensor float32 [2, 3] {75, 78, 76, 88, 85, 90}
# call carried: tensor float32 [4] {1, 2, 3, 4} => tensor float32 [4] {2, 8, 22, 52}
# call first_row: tensor float32 [3, 3] {1, 4, 2, 3, 0, 5, 2, 2, 1} => tensor float32 [3, 3] {1, 4, 2, 5, 4, 6, 4, 6, 2}
# call rows_before: tensor float32 [3, 3] {1, 4, 2, 3, 0, 5, 2, 2, 1} => tensor float32 [3, 3] {2, 8, 4, 6, 0, 10, 8, 20, 10}
# call reversed_: tensor float32 [4] {1, 2, 3, 4} => tensor float32 [4] {14, 13, 23, 24}
# call a_part: tensor float32 [4] {1, 2, 3, 4} => tensor float32 [4] {5, 10, 3, 4}
# call where_: tensor float32 [4] {1, 2, 3, 4} => tensor float32 [4] {1, 2, 15, 20}
# call update_first: tensor float32 [2, 3] {1, 4, 2, 3, 0, 5} => tensor float32 [2] {14, 16}
# call no_first_step: tensor float32 [2, 3] {1, 4, 2, 3, 0, 5} => tensor float32 [2] {1, 0}
# call carried_sum: tensor float32 [2, 3] {1, 4, 2, 3, 0, 5} => tensor float32 [2] {28, 34}
# call read_before: tensor float32 [2, 3] {1, 4, 2, 3, 0, 5} => tensor float32 [2, 3] {1, 14, 42, 3, 30, 5}
# call part_read_wider: tensor float32 [2, 3] {1, 4, 2, 3, 0, 5} => tensor float32 [2, 3] {12, 12, 2, 11, 11, 5}
# call last_in_some: tensor float32 [2, 3] {1, 4, 2, 3, 0, 5} => tensor float32 [3] {1, 4, 2}
# call first_in_some: tensor float32 [2, 3] {1, 4, 2, 3, 0, 5} => tensor float32 [2, 3] {1, 4, 2, 3, 0, 5}
# call triangle: tensor float32 [2, 3] {1, 4, 2, 3, 0, 5} => tensor float32 [2] {1, 3}
from tvm.script import ir as I, relax as R, tir as T
@I.ir_module
class Module:
    @T.prim_func
    def output_(A: T.Buffer((2, 3), "float32"), B: T.Buffer((2, 3), "float32")):
        for i in range(2):
            m = T.alloc_buffer((1,), "float32")
            t = T.alloc_buffer((1,), "float32")
            m[0] = T.float32(-9)
            for j in range(3):
                m[0] = T.max(m[0], A[i, j])
            t[0] = T.float32(0)
            for j in range(3):
                B[i, j] = (m[0] - A[i, j]) * T.float32(2)
                t[0] = t[0] + B[i, j]
            for j in range(3):
                B[i, j] = B[i, j] * t[0]
    @T.prim_func
    def three_(A: T.Buffer((2, 3), "float32"), B: T.Buffer((2, 3), "float32")):
        for i in range(2):
            s = T.alloc_buffer((3,), "float32")
            for j in range(3):
                s[j] = A[i, 2 - j]
            for j in range(3):
                s[j] = s[j] * s[j]
            for j in range(3):
                s[j] = s[j] + T.float32(1)
            for j in range(3):
                B[i, j] = s[2 - j]
    @T.prim_func
    def epilogue_(A: T.Buffer((2, 3), "float32"), B: T.Buffer((2, 2), "float32")):
        for i, j in T.grid(2, 2):
            B[i, j] = T.float32(0)
            for k in range(3):
                B[i, j] = B[i, j] + A[i, k] * A[j, k]
            B[i, j] = T.max(B[i, j] - T.float32(20), T.float32(0))
    @T.prim_func
    def reused_(A: T.Buffer((2, 3), "float32"), B: T.Buffer((2, 3), "float32")):
        s = T.alloc_buffer((2,), "float32")
        u = T.alloc_buffer((2,), "float32")
        for i in range(2):
            s[i] = T.float32(0)
            for j in range(3):
                s[i] = s[i] + A[i, j]
        for i in range(2):
            u[i] = s[i] * T.float32(10)
        for i in range(2):
            s[i] = T.float32(-9)
            for j in range(3):
                s[i] = T.max(s[i], A[i, j])
        for i, j in T.grid(2, 3):
            B[i, j] = A[i, j] + u[i] + s[i]
    @T.prim_func
    def carried_(A: T.Buffer((4,), "float32"), B: T.Buffer((4,), "float32")):
        for i in range(4):
            B[i] = A[i] + T.if_then_else(i > 0, B[T.max(i - 1, 0)], T.float32(0))
            B[i] = B[i] * T.float32(2)
    @T.prim_func
    def first_row_(A: T.Buffer((3, 3), "float32"), B: T.Buffer((3, 3), "float32")):
        for i in range(3):
            for j in range(3):
                B[i, j] = A[i, j]
            for j in range(3):
                B[i, j] = B[i, j] + T.if_then_else(i > 0, B[0, 2 - j], T.float32(0))
    @T.prim_func
    def rows_before_(A: T.Buffer((3, 3), "float32"), B: T.Buffer((3, 3), "float32")):
        for i in range(3):
            for j in range(3):
                B[i, j] = A[i, j] + T.if_then_else(2 - i < i, B[T.max(2 - i, 0), j], T.float32(0))
            for j in range(3):
                B[i, j] = B[i, j] * T.float32(2)
    @T.prim_func
    def reversed__(A: T.Buffer((4,), "float32"), B: T.Buffer((4,), "float32")):
        s = T.alloc_buffer((4,), "float32")
        for r in range(1):
            for i in range(4):
                s[i] = A[i]
            for i in range(4):
                s[i] = s[3 - i] + T.float32(10)
            for i in range(4):
                B[i] = s[i]
    @T.prim_func
    def a_part_(A: T.Buffer((4,), "float32"), B: T.Buffer((4,), "float32")):
        for r in range(1):
            for i in range(4):
                B[i] = A[i]
            for i in range(2):
                B[i] = B[i] * T.float32(5)
    @T.prim_func
    def where__(A: T.Buffer((4,), "float32"), B: T.Buffer((4,), "float32")):
        for i in range(4):
            B[i] = A[i]
            if A[i] > T.float32(2):
                B[i] = B[i] * T.float32(5)
    @T.prim_func
    def update_first_(A: T.Buffer((2, 3), "float32"), B: T.Buffer((2,), "float32")):
        for i in range(2):
            B[i] = A[i, 0]
        for i in range(2):
            for k in range(2):
                B[i] = B[i] + A[i, k + 1]
            B[i] = B[i] * T.float32(2)
    @T.prim_func
    def no_first_step_(A: T.Buffer((2, 3), "float32"), B: T.Buffer((2,), "float32")):
        for i in range(2):
            B[i] = A[i, 0]
        for i in range(2):
            for k in range(i):
                if k == 0:
                    B[i] = T.float32(0)
                B[i] = B[i] + A[i, k + 1]
    @T.prim_func
    def carried_sum_(A: T.Buffer((2, 3), "float32"), B: T.Buffer((2,), "float32")):
        u = T.alloc_buffer((2,), "float32")
        for i in range(2):
            B[i] = T.float32(0)
            for k in range(3):
                B[i] = B[i] + A[i, k]
                u[i] = B[i]
                B[i] = u[i] * T.float32(2)
    @T.prim_func
    def read_before_(A: T.Buffer((2, 3), "float32"), B: T.Buffer((2, 3), "float32")):
        t = T.alloc_buffer((2,), "float32")
        for i in range(2):
            t[i] = T.float32(0)
            for k in range(3):
                B[i, k] = t[i] + A[i, k]
                t[i] = A[i, k] * T.float32(10)
    @T.prim_func
    def part_read_wider_(A: T.Buffer((2, 3), "float32"), B: T.Buffer((2, 3), "float32")):
        for i, j in T.grid(2, 3):
            B[i, j] = A[i, j]
        for i in range(2):
            t = T.alloc_buffer((1,), "float32")
            for j in range(2):
                B[i, j] = A[i, j] * T.float32(2)
            t[0] = T.float32(0)
            for j in range(3):
                t[0] = t[0] + B[i, j]
            for j in range(2):
                B[i, j] = t[0]
    @T.prim_func
    def last_in_some_(A: T.Buffer((2, 3), "float32"), B: T.Buffer((3,), "float32")):
        for i in range(2):
            for j in range(3):
                B[j] = A[0, j]
            if i < 1:
                for j in range(3):
                    B[j] = T.float32(0)
    @T.prim_func
    def first_in_some_(A: T.Buffer((2, 3), "float32"), B: T.Buffer((2, 3), "float32")):
        u = T.alloc_buffer((2, 3), "float32")
        for i in range(2):
            if i < 1:
                for j in range(3):
                    u[0, j] = A[0, j]
            for j in range(3):
                B[i, j] = u[0, j]
            for j in range(3):
                u[0, j] = A[1, j]
    @T.prim_func
    def triangle_(A: T.Buffer((2, 3), "float32"), B: T.Buffer((2,), "float32")):
        for i in range(2):
            for k in range(i + 1):
                with T.block("B"):
                    vi = T.axis.spatial(2, i)
                    vk = T.axis.reduce(i + 1, k)
                    with T.init():
                        B[vi] = T.float32(0)
                    B[vi] = B[vi] + A[vi, vk]
    @R.function
    def output(a: R.Tensor((2, 3), "float32")):
        b = R.call_tir(Module.output_, (a,), out_sinfo=R.Tensor((2, 3), "float32"))
        return b
    @R.function
    def three(a: R.Tensor((2, 3), "float32")):
        b = R.call_tir(Module.three_, (a,), out_sinfo=R.Tensor((2, 3), "float32"))
        return b
    @R.function
    def epilogue(a: R.Tensor((2, 3), "float32")):
        b = R.call_tir(Module.epilogue_, (a,), out_sinfo=R.Tensor((2, 2), "float32"))
        return b
    @R.function
    def reused(a: R.Tensor((2, 3), "float32")):
        b = R.call_tir(Module.reused_, (a,), out_sinfo=R.Tensor((2, 3), "float32"))
        return b
    @R.function
    def carried(a: R.Tensor((4,), "float32")):
        b = R.call_tir(Module.carried_, (a,), out_sinfo=R.Tensor((4,), "float32"))
        return b
    @R.function
    def first_row(a: R.Tensor((3, 3), "float32")):
        b = R.call_tir(Module.first_row_, (a,), out_sinfo=R.Tensor((3, 3), "float32"))
        return b
    @R.function
    def rows_before(a: R.Tensor((3, 3), "float32")):
        b = R.call_tir(Module.rows_before_, (a,), out_sinfo=R.Tensor((3, 3), "float32"))
        return b
    @R.function
    def reversed_(a: R.Tensor((4,), "float32")):
        b = R.call_tir(Module.reversed__, (a,), out_sinfo=R.Tensor((4,), "float32"))
        return b
    @R.function
    def a_part(a: R.Tensor((4,), "float32")):
        b = R.call_tir(Module.a_part_, (a,), out_sinfo=R.Tensor((4,), "float32"))
        return b
    @R.function
    def where_(a: R.Tensor((4,), "float32")):
        b = R.call_tir(Module.where__, (a,), out_sinfo=R.Tensor((4,), "float32"))
        return b
    @R.function
    def update_first(a: R.Tensor((2, 3), "float32")):
        b = R.call_tir(Module.update_first_, (a,), out_sinfo=R.Tensor((2,), "float32"))
        return b
    @R.function
    def no_first_step(a: R.Tensor((2, 3), "float32")):
        b = R.call_tir(Module.no_first_step_, (a,), out_sinfo=R.Tensor((2,), "float32"))
        return b
    @R.function
    def carried_sum(a: R.Tensor((2, 3), "float32")):
        b = R.call_tir(Module.carried_sum_, (a,), out_sinfo=R.Tensor((2,), "float32"))
        return b
    @R.function
    def read_before(a: R.Tensor((2, 3), "float32")):
        b = R.call_tir(Module.read_before_, (a,), out_sinfo=R.Tensor((2, 3), "float32"))
        return b
    @R.function
    def part_read_wider(a: R.Tensor((2, 3), "float32")):
        b = R.call_tir(Module.part_read_wider_, (a,), out_sinfo=R.Tensor((2, 3), "float32"))
        return b
    @R.function
    def last_in_some(a: R.Tensor((2, 3), "float32")):
        b = R.call_tir(Module.last_in_some_, (a,), out_sinfo=R.Tensor((3,), "float32"))
        return b
    @R.function
    def first_in_some(a: R.Tensor((2, 3), "float32")):
        b = R.call_tir(Module.first_in_some_, (a,), out_sinfo=R.Tensor((2, 3), "float32"))
        return b
    @R.function
    def triangle(a: R.Tensor((2, 3), "float32")):
        b = R.call_tir(Module.triangle_, (a,), out_sinfo=R.Tensor((2,), "float32"))
        return b

# ==== of_last_steps
"""What counts in the first or last step of a loop only; and orders that count, because other steps read it, or store the same elements."""
# call in_block: tensor float32 [2, 3] {1, 4, 2, 3, 0, 5} => tensor float32 [2, 2] {1, 0, 0, 14}
# call in_place: tensor float32 [2, 3] {1, 4, 2, 3, 0, 5} => tensor float32 [2, 2] {2, 0, 0, 14}
# call outermost: tensor float32 [2, 3] {1, 4, 2, 3, 0, 5} => tensor float32 [2, 2] {43, 29, 30, 68}
# call rows_of_last: tensor float32 [2, 3] {1, 4, 2, 3, 0, 5} => tensor float32 [2, 2] {21, 13, 13, 34}
# call sum_of_last: tensor float32 [2, 3] {1, 4, 2, 3, 0, 5} => tensor float32 [2] {34, 47}
# call last_of_some: tensor float32 [2, 3] {1, 4, 2, 3, 0, 5} => tensor float32 [2, 3] {3, 4, 2, 8, 0, 5}
# call first_after_last: tensor float32 [2, 3] {1, 4, 2, 3, 0, 5} => tensor float32 [2] {50, 30}
# call each_after_first: tensor float32 [2, 3] {1, 4, 2, 3, 0, 5} => tensor float32 [2] {1, 3}
# call read_in_each: tensor float32 [2, 3] {1, 4, 2, 3, 0, 5} => tensor float32 [2, 3] {8, 11, 4, 10, 7, 10}
# call next_to_last: tensor float32 [2, 3] {1, 4, 2, 3, 0, 5} => tensor float32 [2] {5, 3}
# call carried_back: tensor float32 [2, 3] {1, 4, 2, 3, 0, 5} => tensor float32 [2] {26, 28}
# call restarted_in_first: tensor float32 [2, 3] {1, 2, 3, 4, 5, 6} => tensor float32 [2] {11, 26}
from tvm.script import ir as I, relax as R, tir as T
@I.ir_module
class Module:
    @T.prim_func
    def in_block_(A: T.Buffer((2, 3), "float32"), B: T.Buffer((2, 2), "float32")):
        C = T.alloc_buffer((2, 2), "float32")
        for i, j, k in T.grid(2, 2, 3):
            with T.block("b"):
                vi, vj, vk = T.axis.remap("SSR", [i, j, k])
                with T.init():
                    C[vi, vj] = T.float32(0)
                C[vi, vj] = C[vi, vj] + A[vi, vk] * A[vj, vk]
                if vk == 2:
                    B[vi, vj] = T.max(C[vi, vj] - T.float32(20), T.float32(0))
    @T.prim_func
    def in_place_(A: T.Buffer((2, 3), "float32"), B: T.Buffer((2, 2), "float32")):
        for i, j, k in T.grid(2, 2, 3):
            if k < 1:
                B[i, j] = T.float32(0)
            B[i, j] = B[i, j] + A[i, k] * A[j, k]
            if k + 1 >= 3:
                B[i, j] = B[i, j] + A[i, j]
            if 2 <= k:
                B[i, j] = T.max(B[i, j] - T.float32(20), T.float32(0))
    @T.prim_func
    def outermost_(A: T.Buffer((2, 3), "float32"), B: T.Buffer((2, 2), "float32")):
        C = T.alloc_buffer((2, 2), "float32")
        for k, i, j in T.grid(3, 2, 2):
            if k == 0:
                C[i, j] = T.float32(0)
            C[i, j] = C[i, j] + A[i, k] * A[j, k]
            if k > 1:
                B[j, i] = C[i, j] * T.float32(2) + A[i, j]
    @T.prim_func
    def rows_of_last_(A: T.Buffer((2, 3), "float32"), B: T.Buffer((2, 2), "float32")):
        C = T.alloc_buffer((2,), "float32")
        for i, k0, k1 in T.grid(2, 3, 1):
            for j in range(2):
                if k0 + k1 == 0:
                    C[j] = T.float32(0)
            for j in range(2):
                C[j] = C[j] + A[i, k0 + k1] * A[j, k0 + k1]
            if k0 + k1 == 2:
                for j in range(2):
                    B[i, j] = C[j]
    @T.prim_func
    def sum_of_last_(A: T.Buffer((2, 3), "float32"), B: T.Buffer((2,), "float32")):
        C = T.alloc_buffer((2, 2), "float32")
        for i in range(2):
            B[i] = T.float32(0)
            for k, j in T.grid(3, 2):
                if k == 0:
                    C[i, j] = T.float32(0)
                C[i, j] = C[i, j] + A[i, k] * A[j, k]
                if k == 2:
                    B[i] = B[i] + C[i, j]
    @T.prim_func
    def last_of_some_(A: T.Buffer((2, 3), "float32"), B: T.Buffer((2, 3), "float32")):
        for i, j in T.grid(2, 3):
            B[i, j] = A[i, j]
        for i, j, k in T.grid(2, 3, 3):
            if k == 2 and j == 0:
                B[i, j] = B[i, j] + A[i, k]
    @T.prim_func
    def first_after_last_(A: T.Buffer((2, 3), "float32"), B: T.Buffer((2,), "float32")):
        for i in range(2):
            B[i] = A[i, 0]
        for k, i in T.grid(3, 2):
            if k == 2:
                B[i] = B[i] * T.float32(10)
            if k == 0:
                B[i] = B[i] + A[i, 1]
    @T.prim_func
    def each_after_first_(A: T.Buffer((2, 3), "float32"), B: T.Buffer((2,), "float32")):
        for k, i in T.grid(3, 2):
            B[i] = A[i, 0]
            if k == 0:
                B[i] = B[i] + A[i, 1]
    @T.prim_func
    def read_in_each_(A: T.Buffer((2, 3), "float32"), B: T.Buffer((2, 3), "float32")):
        C = T.alloc_buffer((2,), "float32")
        for i in range(2):
            C[i] = T.float32(7)
        for i, k in T.grid(2, 3):
            if k == 2:
                C[i] = A[i, k]
            B[i, k] = C[i] + A[i, k]
    @T.prim_func
    def next_to_last_(A: T.Buffer((2, 3), "float32"), B: T.Buffer((2,), "float32")):
        C = T.alloc_buffer((2,), "float32")
        for i, k in T.grid(2, 3):
            if k == 0:
                C[i] = T.float32(0)
            C[i] = C[i] + A[i, k]
            if k == 1:
                B[i] = C[i]
    @T.prim_func
    def carried_back_(A: T.Buffer((2, 3), "float32"), B: T.Buffer((2,), "float32")):
        C = T.alloc_buffer((2,), "float32")
        D = T.alloc_buffer((2,), "float32")
        for i, k in T.grid(2, 3):
            if k == 0:
                C[i] = T.float32(0)
                D[i] = T.float32(0)
            C[i] = C[i] + A[i, k]
            D[i] = D[i] + C[i]
            if k == 2:
                C[i] = D[i] * T.float32(2)
                B[i] = C[i]
    @T.prim_func
    def restarted_in_first_(A: T.Buffer((2, 3), "float32"), B: T.Buffer((2,), "float32")):
        for i, k, u in T.grid(2, 3, 2):
            if k == 0:
                B[i] = T.float32(0)
            B[i] = B[i] + A[i, k]
    @R.function
    def in_block(a: R.Tensor((2, 3), "float32")):
        b = R.call_tir(Module.in_block_, (a,), out_sinfo=R.Tensor((2, 2), "float32"))
        return b
    @R.function
    def in_place(a: R.Tensor((2, 3), "float32")):
        b = R.call_tir(Module.in_place_, (a,), out_sinfo=R.Tensor((2, 2), "float32"))
        return b
    @R.function
    def outermost(a: R.Tensor((2, 3), "float32")):
        b = R.call_tir(Module.outermost_, (a,), out_sinfo=R.Tensor((2, 2), "float32"))
        return b
    @R.function
    def rows_of_last(a: R.Tensor((2, 3), "float32")):
        b = R.call_tir(Module.rows_of_last_, (a,), out_sinfo=R.Tensor((2, 2), "float32"))
        return b
    @R.function
    def sum_of_last(a: R.Tensor((2, 3), "float32")):
        b = R.call_tir(Module.sum_of_last_, (a,), out_sinfo=R.Tensor((2,), "float32"))
        return b
    @R.function
    def last_of_some(a: R.Tensor((2, 3), "float32")):
        b = R.call_tir(Module.last_of_some_, (a,), out_sinfo=R.Tensor((2, 3), "float32"))
        return b
    @R.function
    def first_after_last(a: R.Tensor((2, 3), "float32")):
        b = R.call_tir(Module.first_after_last_, (a,), out_sinfo=R.Tensor((2,), "float32"))
        return b
    @R.function
    def each_after_first(a: R.Tensor((2, 3), "float32")):
        b = R.call_tir(Module.each_after_first_, (a,), out_sinfo=R.Tensor((2,), "float32"))
        return b
    @R.function
    def read_in_each(a: R.Tensor((2, 3), "float32")):
        b = R.call_tir(Module.read_in_each_, (a,), out_sinfo=R.Tensor((2, 3), "float32"))
        return b
    @R.function
    def next_to_last(a: R.Tensor((2, 3), "float32")):
        b = R.call_tir(Module.next_to_last_, (a,), out_sinfo=R.Tensor((2,), "float32"))
        return b
    @R.function
    def carried_back(a: R.Tensor((2, 3), "float32")):
        b = R.call_tir(Module.carried_back_, (a,), out_sinfo=R.Tensor((2,), "float32"))
        return b
    @R.function
    def restarted_in_first(a: R.Tensor((2, 3), "float32")):
        b = R.call_tir(Module.restarted_in_first_, (a,), out_sinfo=R.Tensor((2,), "float32"))
        return b
