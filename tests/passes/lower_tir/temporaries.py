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
            t1[i] = A[n - 1 - i]
        for i in range(n):
            t2[i] = t1[n - 1 - i]
        for i in range(n):
            t3[i] = t2[n - 1 - i] + t2[i]
        for i in range(n):
            t4[n - 1 - i, 0] = T.Cast("int16", t3[i])
        for i in range(n):
            B[i] = T.Cast("float32", t4[i, 0])

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
