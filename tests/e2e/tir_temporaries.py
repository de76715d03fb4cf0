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
