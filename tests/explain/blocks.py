# Blocks that rules take, blocks that they leave, a block that is no operator, and a function that no rule examines.
@I.ir_module
class Module:
    @T.prim_func(private=True)
    def k(a: T.Buffer((T.int64(4), T.int64(8)), "float32"), b: T.Buffer((T.int64(8), T.int64(8)), "float32"), o: T.Buffer((T.int64(4),), "float32")):
        c = T.alloc_buffer((T.int64(4), T.int64(8)))
        for i, j, k in T.grid(T.int64(4), T.int64(8), T.int64(8)):
            with T.block("c"):
                vi, vj, vk = T.axis.remap("SSR", [i, j, k])
                with T.init():
                    c[vi, vj] = T.float32(0)
                c[vi, vj] = c[vi, vj] + a[vi, vk] * b[vk, vj]
        for i, j in T.grid(T.int64(4), T.int64(8)):
            with T.block("o"):
                vi, vj = T.axis.remap("SR", [i, j])
                with T.init():
                    o[vi] = T.float32(0)
                o[vi] = o[vi] + c[vi, vj]

    @T.prim_func(private=True)
    def odd(a: T.Buffer((T.int64(4),), "float32"), o: T.Buffer((T.int64(4),), "float32")):
        for i in T.unroll(T.int64(4)):
            with T.block("o"):
                vi = T.axis.spatial(T.int64(4), T.int64(3) - i)
                o[vi] = a[vi] + T.float32(1)

    @T.prim_func(private=True)
    def decayed(a: T.Buffer((T.int64(4), T.int64(8)), "float32"), o: T.Buffer((T.int64(8),), "float32")):
        for j, i in T.grid(T.int64(8), T.int64(4)):
            with T.block("o"):
                vj, vi = T.axis.remap("SR", [j, i])
                with T.init():
                    o[vj] = T.float32(0)
                o[vj] = o[vj] * o[T.int64(7) - vj] + a[vi, vj]

    @R.function
    def main(x: R.Tensor((4, 8), "float32"), y: R.Tensor((8, 8), "float32")):
        cls = Module
        z = R.call_tir(cls.k, (x, y), out_sinfo=R.Tensor((4,), "float32"))
        w = R.call_tir(cls.odd, (z,), out_sinfo=R.Tensor((4,), "float32"))
        v = R.call_tir(cls.decayed, (x,), out_sinfo=R.Tensor((8,), "float32"))
        return (w, v)
