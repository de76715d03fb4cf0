# Unless proved equal, code stays: overlapping tiles (each restarts its sums), sums read before they are complete,
# a buffer that is written while it is read, initial values of elements other than those updated next.
@I.ir_module
class Module:
    @T.prim_func(private=True)
    def overlapping_tiles(x: T.Buffer((20, 8), "float32"), z: T.Buffer((18,), "float32")):
        for t in range(2):
            for i in range(10):
                with T.block("z_init"):
                    vi = T.axis.spatial(18, t * 8 + i)
                    z[vi] = T.float32(0)
            for i, k in T.grid(10, 8):
                with T.block("z_update"):
                    vi = T.axis.spatial(18, t * 8 + i)
                    vk = T.axis.reduce(8, k)
                    z[vi] = z[vi] + x[vi, vk]

    @T.prim_func(private=True)
    def prefix_sums(x: T.Buffer((8,), "float32"), z: T.Buffer((8,), "float32")):
        s = T.alloc_buffer((1,))
        for k in range(8):
            with T.block("s"):
                vi = T.axis.spatial(1, 0)
                vk = T.axis.reduce(8, k)
                with T.init():
                    s[vi] = T.float32(0)
                s[vi] = s[vi] + x[vk]
            with T.block("z"):
                vk = T.axis.spatial(8, k)
                z[vk] = s[0]

    @T.prim_func(private=True)
    def read_and_stored(x: T.Buffer((8,), "float32"), z: T.Buffer((8,), "float32")):
        s = T.alloc_buffer((8,))
        for i in range(8):
            with T.block("s"):
                vi = T.axis.spatial(8, i)
                s[vi] = x[vi] + z[vi]
            with T.block("z"):
                vi = T.axis.spatial(8, i)
                z[vi] = s[7 - vi]

    @T.prim_func(private=True)
    def other_elements(x: T.Buffer((16, 8), "float32"), z: T.Buffer((16,), "float32")):
        for a, b in T.grid(4, 4):
            with T.block("z_init"):
                vi = T.axis.spatial(16, a * 4 + b)
                z[vi] = T.float32(0)
            for k in range(8):
                with T.block("z_update"):
                    vi = T.axis.spatial(16, b * 4 + a)
                    vk = T.axis.reduce(8, k)
                    z[vi] = z[vi] + x[vi, vk]

    @T.prim_func(private=True)
    def gaps(x: T.Buffer((32,), "float32"), z: T.Buffer((32,), "float32")):
        for a, b in T.grid(4, 4):
            with T.block("z"):
                vi = T.axis.spatial(32, a * 8 + b)
                z[vi] = x[vi] + T.float32(1)

    @R.function
    def main(x: R.Tensor((20, 8), "float32"), y: R.Tensor((8,), "float32"), w: R.Tensor((16, 8), "float32"), v: R.Tensor((32,), "float32")):
        cls = Module
        a = R.call_tir(cls.overlapping_tiles, (x,), out_sinfo=R.Tensor((18,), "float32"))
        b = R.call_tir(cls.prefix_sums, (y,), out_sinfo=R.Tensor((8,), "float32"))
        c = R.call_tir(cls.read_and_stored, (y,), out_sinfo=R.Tensor((8,), "float32"))
        d = R.call_tir(cls.other_elements, (w,), out_sinfo=R.Tensor((16,), "float32"))
        e = R.call_tir(cls.gaps, (v,), out_sinfo=R.Tensor((32,), "float32"))
        return (a, b, c, d, e)
