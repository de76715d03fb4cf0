# ==== bounded
# --bound n=2:64
# Storages have the sizes of n = 64, so that the file states all offsets; types keep n. A result
# that leaves the function has no storage.
@I.ir_module
class Module:
    @R.function
    def main(x: R.Tensor(("n", 4), "float32")):
        with R.dataflow():
            a = R.matmul(x, R.permute_dims(x))
            b = R.nn.softmax(a)
            c = R.matmul(b, x)
            R.output(c)
        return c
# ---- expected
# from tvm.script import ir as I
# from tvm.script import tir as T
# from tvm.script import relax as R

@I.ir_module
class Module:
    @R.function
    def main(x: R.Tensor(("n", 4), dtype="float32")) -> R.Tensor(("n", 4), dtype="float32"):
        n = T.int64()
        R.func_attr({"tir_var_lower_bound": {"n": 2}, "tir_var_upper_bound": {"n": 64}, "relax.force_pure": True, "rlx.static_plan": 1})
        cls = Module
        storage: R.Object = R.memory.alloc_storage(R.shape([16384]), R.prim_value(0), R.str("planned"), R.dtype("uint8"))
        a: R.Tensor((n, n), dtype="float32") = R.memory.alloc_tensor(storage, R.prim_value(0), R.shape([n, n]), R.dtype("float32"))
        _: R.Tuple = cls.fused_transpose_matmul(x, a)
        storage_1: R.Object = R.memory.alloc_storage(R.shape([16384]), R.prim_value(0), R.str("planned"), R.dtype("uint8"))
        b: R.Tensor((n, n), dtype="float32") = R.memory.alloc_tensor(storage_1, R.prim_value(0), R.shape([n, n]), R.dtype("float32"))
        _: R.Tuple = cls.softmax(a, b)
        c: R.Tensor((n, 4), dtype="float32") = R.builtin.alloc_tensor(R.shape([n, 4]), R.dtype("float32"), R.prim_value(0), R.str("global"))
        _: R.Tuple = cls.matmul1(b, x, c)
        return c

    @T.prim_func(private=True)
    def softmax(var_a: T.handle, var_T_softmax_norm: T.handle):
        T.func_attr({"op_pattern": 4, "tir.noalias": T.bool(True)})
        n = T.int64()
        a = T.match_buffer(var_a, (n, n))
        T_softmax_norm = T.match_buffer(var_T_softmax_norm, (n, n))
        # with T.block("root"):
        T_softmax_maxelem = T.alloc_buffer((n,))
        T_softmax_exp = T.alloc_buffer((n, n))
        T_softmax_expsum = T.alloc_buffer((n,))
        for ax0, k1 in T.grid(n, n):
            with T.block("T_softmax_maxelem"):
                v_ax0, v_k1 = T.axis.remap("SR", [ax0, k1])
                T.reads(a[v_ax0, v_k1])
                T.writes(T_softmax_maxelem[v_ax0])
                T.block_attr({"rlx.operator": "reduction sk"})
                with T.init():
                    T_softmax_maxelem[v_ax0] = T.float32(-3.4028234663852886e+38)
                T_softmax_maxelem[v_ax0] = T.max(T_softmax_maxelem[v_ax0], a[v_ax0, v_k1])
        for ax0, ax1 in T.grid(n, n):
            with T.block("T_softmax_exp"):
                v_ax0, v_ax1 = T.axis.remap("SS", [ax0, ax1])
                T.reads(a[v_ax0, v_ax1], T_softmax_maxelem[v_ax0])
                T.writes(T_softmax_exp[v_ax0, v_ax1])
                T.block_attr({"rlx.operator": "elementwise ss"})
                T_softmax_exp[v_ax0, v_ax1] = T.exp_nonpositive(a[v_ax0, v_ax1] - T_softmax_maxelem[v_ax0])
        for ax0, k1 in T.grid(n, n):
            with T.block("T_softmax_expsum"):
                v_ax0, v_k1 = T.axis.remap("SR", [ax0, k1])
                T.reads(T_softmax_exp[v_ax0, v_k1])
                T.writes(T_softmax_expsum[v_ax0])
                T.block_attr({"rlx.operator": "reduction sk"})
                with T.init():
                    T_softmax_expsum[v_ax0] = T.float32(0.0)
                T_softmax_expsum[v_ax0] = T_softmax_expsum[v_ax0] + T_softmax_exp[v_ax0, v_k1]
        for ax0, ax1 in T.grid(n, n):
            with T.block("T_softmax_norm"):
                v_ax0, v_ax1 = T.axis.remap("SS", [ax0, ax1])
                T.reads(T_softmax_exp[v_ax0, v_ax1], T_softmax_expsum[v_ax0])
                T.writes(T_softmax_norm[v_ax0, v_ax1])
                T.block_attr({"rlx.operator": "elementwise ss"})
                T_softmax_norm[v_ax0, v_ax1] = T_softmax_exp[v_ax0, v_ax1] * (T.float32(1.0) / T_softmax_expsum[v_ax0])

    @T.prim_func(private=True)
    def matmul1(var_b: T.handle, var_x: T.handle, var_matmul: T.handle):
        T.func_attr({"op_pattern": 4, "tir.noalias": T.bool(True)})
        n = T.int64()
        b = T.match_buffer(var_b, (n, n))
        x = T.match_buffer(var_x, (n, T.int64(4)))
        matmul = T.match_buffer(var_matmul, (n, T.int64(4)))
        # with T.block("root"):
        for i0, i1, k in T.grid(n, T.int64(4), n):
            with T.block("matmul"):
                v_i0, v_i1, v_k = T.axis.remap("SSR", [i0, i1, k])
                T.reads(b[v_i0, v_k], x[v_k, v_i1])
                T.writes(matmul[v_i0, v_i1])
                T.block_attr({"rlx.operator": "matmul mnk"})
                with T.init():
                    matmul[v_i0, v_i1] = T.float32(0.0)
                matmul[v_i0, v_i1] = matmul[v_i0, v_i1] + b[v_i0, v_k] * x[v_k, v_i1]

    @T.prim_func(private=True)
    def fused_transpose_matmul(p_x: T.handle, p_matmul: T.handle):
        T.func_attr({"op_pattern": 4, "tir.noalias": T.bool(True)})
        n = T.int64()
        x = T.match_buffer(p_x, (n, T.int64(4)))
        matmul = T.match_buffer(p_matmul, (n, n))
        # with T.block("root"):
        transpose = T.alloc_buffer((T.int64(4), n))
        for ax0, ax1 in T.grid(T.int64(4), n):
            with T.block("T_transpose"):
                v_ax0, v_ax1 = T.axis.remap("SS", [ax0, ax1])
                T.reads(x[v_ax1, v_ax0])
                T.writes(transpose[v_ax0, v_ax1])
                T.block_attr({"rlx.operator": "transpose ss"})
                transpose[v_ax0, v_ax1] = x[v_ax1, v_ax0]
        for i0, i1, k in T.grid(n, n, T.int64(4)):
            with T.block("matmul"):
                v_i0, v_i1, v_k = T.axis.remap("SSR", [i0, i1, k])
                T.reads(x[v_i0, v_k], transpose[v_k, v_i1])
                T.writes(matmul[v_i0, v_i1])
                T.block_attr({"rlx.operator": "matmul mnk"})
                with T.init():
                    matmul[v_i0, v_i1] = T.float32(0.0)
                matmul[v_i0, v_i1] = matmul[v_i0, v_i1] + x[v_i0, v_k] * transpose[v_k, v_i1]
