# Tiles of rows share the panel that is read next: each prefetches as much of it as it has rows. A
# tile that has all rows prefetches the same panel some rows ahead.
@I.ir_module
class Module:
    @T.prim_func(private=True)
    def k(pa: T.handle, b: T.Buffer((T.int64(200), T.int64(100), T.int64(16)), "float32"), po: T.handle):
        n = T.int64()
        a = T.match_buffer(pa, (n, T.int64(100)))
        o = T.match_buffer(po, (n, T.int64(3200)))
        for i, j, k in T.grid(n, T.int64(3200), T.int64(100)):
            with T.block("o"):
                vi, vj, vk = T.axis.remap("SSR", [i, j, k])
                with T.init():
                    o[vi, vj] = T.float32(0)
                o[vi, vj] = o[vi, vj] + a[vi, vk] * b[vj // T.int64(16), vk, vj % T.int64(16)]

    @R.function
    def main(x: R.Tensor(("n", 100), "float32"), y: R.Tensor((200, 100, 16), "float32")):
        n = T.int64()
        cls = Module
        z = R.call_tir(cls.k, (x, y), out_sinfo=R.Tensor((n, 3200), "float32"))
        return z
