# ==== producer_of_a_sum
# The doubled operand is computed where it is summed; the other two stages remain blocks.
@I.ir_module
class Module:
    @T.prim_func(private=True)
    def k(a: T.Buffer((T.int64(6), T.int64(32)), "float32"), o: T.Buffer((T.int64(6),), "float32")):
        b = T.alloc_buffer((T.int64(6), T.int64(32)))
        s = T.alloc_buffer((T.int64(6),))
        for i, j in T.grid(T.int64(6), T.int64(32)):
            with T.block("b"):
                vi, vj = T.axis.remap("SS", [i, j])
                b[vi, vj] = a[vi, vj] + a[vi, vj]
        for i, j in T.grid(T.int64(6), T.int64(32)):
            with T.block("s"):
                vi, vj = T.axis.remap("SR", [i, j])
                with T.init():
                    s[vi] = T.float32(0)
                s[vi] = s[vi] + b[vi, vj]
        for i in range(T.int64(6)):
            with T.block("o"):
                vi = T.axis.spatial(T.int64(6), i)
                o[vi] = T.exp(s[vi])

    @R.function
    def main(x: R.Tensor((6, 32), "float32")):
        cls = Module
        y = R.call_tir(cls.k, (x,), out_sinfo=R.Tensor((6,), "float32"))
        return y
# ---- expected
# from tvm.script import ir as I
# from tvm.script import tir as T
# from tvm.script import relax as R

@I.ir_module
class Module:
    @T.prim_func(private=True)
    def k(a: T.Buffer((T.int64(6), T.int64(32)), "float32"), o: T.Buffer((T.int64(6),), "float32")):
        T.func_attr({"op_pattern": 4})
        # with T.block("root"):
        s = T.alloc_buffer((T.int64(6),))
        for i, j in T.grid(T.int64(6), T.int64(32)):
            with T.block("s"):
                vi, vj = T.axis.remap("SR", [i, j])
                T.block_attr({"rlx.operator": "reduction sk"})
                with T.init():
                    s[vi] = T.float32(0.0)
                s[vi] = s[vi] + (a[vi, vj] + a[vi, vj])
        for i in range(T.int64(6)):
            with T.block("o"):
                vi = T.axis.spatial(T.int64(6), i)
                T.block_attr({"rlx.operator": "elementwise s"})
                o[vi] = T.exp(s[vi])

    @R.function
    def main(x: R.Tensor((6, 32), dtype="float32")) -> R.Tensor((6,), dtype="float32"):
        R.func_attr({"relax.force_pure": True})
        cls = Module
        y: R.Tensor((6,), dtype="float32") = R.builtin.alloc_tensor(R.shape([6]), R.dtype("float32"), R.prim_value(0), R.str("global"))
        _: R.Tuple = cls.k(x, y)
        return y

# ==== widened_rows
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
# ---- expected
# from tvm.script import ir as I
# from tvm.script import tir as T
# from tvm.script import relax as R

@I.ir_module
class Module:
    @T.prim_func(private=True)
    def product(X: T.Buffer((T.int64(64), T.int64(64)), "float16"), W: T.Buffer((T.int64(64), T.int64(64)), "float16"), Y: T.Buffer((T.int64(64), T.int64(64)), "float32")):
        T.func_attr({"op_pattern": 4})
        # with T.block("root"):
        x = T.alloc_buffer((T.int64(64), T.int64(64)))
        for i, k in T.grid(T.int64(64), T.int64(64)):
            with T.block("x"):
                vi, vk = T.axis.remap("SS", [i, k])
                T.block_attr({"rlx.operator": "elementwise ss"})
                x[vi, vk] = T.Cast("float32", X[vi, vk])
        for i, j, k in T.grid(T.int64(64), T.int64(64), T.int64(64)):
            with T.block("y"):
                vi, vj, vk = T.axis.remap("SSR", [i, j, k])
                T.block_attr({"rlx.operator": "matmul mnk"})
                with T.init():
                    Y[vi, vj] = T.float32(0.0)
                Y[vi, vj] = Y[vi, vj] + x[vi, vk] * T.Cast("float32", W[vk, vj])

    @R.function
    def main(x: R.Tensor((64, 64), dtype="float16"), w: R.Tensor((64, 64), dtype="float16")) -> R.Tensor((64, 64), dtype="float32"):
        R.func_attr({"relax.force_pure": True})
        cls = Module
        y: R.Tensor((64, 64), dtype="float32") = R.builtin.alloc_tensor(R.shape([64, 64]), R.dtype("float32"), R.prim_value(0), R.str("global"))
        _: R.Tuple = cls.product(x, w, y)
        return y
