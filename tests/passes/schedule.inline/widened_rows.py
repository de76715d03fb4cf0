# A float32 copy of float16 rows stays where register tiles read each element for many columns; a copy that varies along
# the columns is inlined.
@I.ir_module
class Module:
    @T.prim_func(private=True)
    def product(X: T.Buffer((T.int64(64), T.int64(64)), "float16"), W: T.Buffer((T.int64(64), T.int64(64)), "float16"), Y: T.Buffer((T.int64(64), T.int64(64)), "float32")):
        x = T.alloc_buffer((T.int64(64), T.int64(64)))
        w = T.alloc_buffer((T.int64(64), T.int64(64)))
        for i, k in T.grid(T.int64(64), T.int64(64)):
            with T.block("x"):
                vi, vk = T.axis.remap("SS", [i, k])
                x[vi, vk] = T.Cast("float32", X[vi, vk])
        for k, j in T.grid(T.int64(64), T.int64(64)):
            with T.block("w"):
                vk, vj = T.axis.remap("SS", [k, j])
                w[vk, vj] = T.Cast("float32", W[vk, vj])
        for i, j, k in T.grid(T.int64(64), T.int64(64), T.int64(64)):
            with T.block("y"):
                vi, vj, vk = T.axis.remap("SSR", [i, j, k])
                with T.init():
                    Y[vi, vj] = T.float32(0)
                Y[vi, vj] = Y[vi, vj] + x[vi, vk] * w[vk, vj]

    @R.function
    def main(x: R.Tensor((64, 64), "float16"), w: R.Tensor((64, 64), "float16")):
        cls = Module
        y = R.call_tir(cls.product, (x, w), out_sinfo=R.Tensor((64, 64), "float32"))
        return y
