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

