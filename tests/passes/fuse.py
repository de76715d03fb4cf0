# ==== chain_diamond_and_epilogue
from tvm.script import ir as I
from tvm.script import relax as R
from tvm.script import tir as T


@I.ir_module
class Module:
    @R.function
    def main(x: R.Tensor(("n", 4), "float32"), w: R.Tensor((4, 8), "float32"), b: R.Tensor((8,), "float32")) -> R.Tensor(("n", 8), "float32"):
        n = T.int64()
        with R.dataflow():
            m = R.matmul(x, w)
            t = R.add(m, b)
            e = R.exp(t)
            y = R.multiply(t, e)
            R.output(y)
        return y
# ---- expected
# from tvm.script import ir as I
# from tvm.script import tir as T
# from tvm.script import relax as R

@I.ir_module
class Module:
    @R.function
    def main(x: R.Tensor(("n", 4), dtype="float32"), w: R.Tensor((4, 8), dtype="float32"), b: R.Tensor((8,), dtype="float32")) -> R.Tensor(("n", 8), dtype="float32"):
        n = T.int64()
        cls = Module
        with R.dataflow():
            y: R.Tensor((n, 8), dtype="float32") = R.call_tir(cls.fused_matmul_add_exp_multiply, (x, w, b), out_sinfo=R.Tensor((n, 8), dtype="float32"))
            R.output(y)
        return y

    @T.prim_func(private=True)
    def matmul(var_x: T.handle, w: T.Buffer((T.int64(4), T.int64(8)), "float32"), var_matmul: T.handle):
        T.func_attr({"op_pattern": 4, "tir.noalias": T.bool(True)})
        n = T.int64()
        x = T.match_buffer(var_x, (n, T.int64(4)))
        matmul = T.match_buffer(var_matmul, (n, T.int64(8)))
        # with T.block("root"):
        for i0, i1, k in T.grid(n, T.int64(8), T.int64(4)):
            with T.block("matmul"):
                v_i0, v_i1, v_k = T.axis.remap("SSR", [i0, i1, k])
                T.reads(x[v_i0, v_k], w[v_k, v_i1])
                T.writes(matmul[v_i0, v_i1])
                T.block_attr({"rlx.operator": "matmul mnk"})
                with T.init():
                    matmul[v_i0, v_i1] = T.float32(0.0)
                matmul[v_i0, v_i1] = matmul[v_i0, v_i1] + x[v_i0, v_k] * w[v_k, v_i1]

    @T.prim_func(private=True)
    def add(var_m: T.handle, b: T.Buffer((T.int64(8),), "float32"), var_T_add: T.handle):
        T.func_attr({"op_pattern": 1, "tir.noalias": T.bool(True)})
        n = T.int64()
        m = T.match_buffer(var_m, (n, T.int64(8)))
        T_add = T.match_buffer(var_T_add, (n, T.int64(8)))
        # with T.block("root"):
        for ax0, ax1 in T.grid(n, T.int64(8)):
            with T.block("T_add"):
                v_ax0, v_ax1 = T.axis.remap("SS", [ax0, ax1])
                T.reads(m[v_ax0, v_ax1], b[v_ax1])
                T.writes(T_add[v_ax0, v_ax1])
                T.block_attr({"rlx.operator": "elementwise ss"})
                T_add[v_ax0, v_ax1] = m[v_ax0, v_ax1] + b[v_ax1]

    @T.prim_func(private=True)
    def exp(var_t: T.handle, var_compute: T.handle):
        T.func_attr({"op_pattern": 0, "tir.noalias": T.bool(True)})
        n = T.int64()
        t = T.match_buffer(var_t, (n, T.int64(8)))
        compute = T.match_buffer(var_compute, (n, T.int64(8)))
        # with T.block("root"):
        for ax0, ax1 in T.grid(n, T.int64(8)):
            with T.block("compute"):
                v_ax0, v_ax1 = T.axis.remap("SS", [ax0, ax1])
                T.reads(t[v_ax0, v_ax1])
                T.writes(compute[v_ax0, v_ax1])
                T.block_attr({"rlx.operator": "elementwise ss"})
                compute[v_ax0, v_ax1] = T.exp(t[v_ax0, v_ax1])

    @T.prim_func(private=True)
    def multiply(var_t: T.handle, var_e: T.handle, var_T_multiply: T.handle):
        T.func_attr({"op_pattern": 0, "tir.noalias": T.bool(True)})
        n = T.int64()
        t = T.match_buffer(var_t, (n, T.int64(8)))
        e = T.match_buffer(var_e, (n, T.int64(8)))
        T_multiply = T.match_buffer(var_T_multiply, (n, T.int64(8)))
        # with T.block("root"):
        for ax0, ax1 in T.grid(n, T.int64(8)):
            with T.block("T_multiply"):
                v_ax0, v_ax1 = T.axis.remap("SS", [ax0, ax1])
                T.reads(t[v_ax0, v_ax1], e[v_ax0, v_ax1])
                T.writes(T_multiply[v_ax0, v_ax1])
                T.block_attr({"rlx.operator": "elementwise ss"})
                T_multiply[v_ax0, v_ax1] = t[v_ax0, v_ax1] * e[v_ax0, v_ax1]

    @T.prim_func(private=True)
    def fused_matmul_add_exp_multiply(p_x: T.handle, w: T.Buffer((T.int64(4), T.int64(8)), "float32"), b: T.Buffer((T.int64(8),), "float32"), p_multiply: T.handle):
        T.func_attr({"op_pattern": 4, "tir.noalias": T.bool(True)})
        n = T.int64()
        x = T.match_buffer(p_x, (n, T.int64(4)))
        multiply = T.match_buffer(p_multiply, (n, T.int64(8)))
        # with T.block("root"):
        matmul = T.alloc_buffer((n, T.int64(8)))
        add = T.alloc_buffer((n, T.int64(8)))
        exp = T.alloc_buffer((n, T.int64(8)))
        for i0, i1, k in T.grid(n, T.int64(8), T.int64(4)):
            with T.block("matmul"):
                v_i0, v_i1, v_k = T.axis.remap("SSR", [i0, i1, k])
                T.reads(x[v_i0, v_k], w[v_k, v_i1])
                T.writes(matmul[v_i0, v_i1])
                T.block_attr({"rlx.operator": "matmul mnk"})
                with T.init():
                    matmul[v_i0, v_i1] = T.float32(0.0)
                matmul[v_i0, v_i1] = matmul[v_i0, v_i1] + x[v_i0, v_k] * w[v_k, v_i1]
        for ax0, ax1 in T.grid(n, T.int64(8)):
            with T.block("T_add"):
                v_ax0, v_ax1 = T.axis.remap("SS", [ax0, ax1])
                T.reads(matmul[v_ax0, v_ax1], b[v_ax1])
                T.writes(add[v_ax0, v_ax1])
                T.block_attr({"rlx.operator": "elementwise ss"})
                add[v_ax0, v_ax1] = matmul[v_ax0, v_ax1] + b[v_ax1]
        for ax0, ax1 in T.grid(n, T.int64(8)):
            with T.block("compute"):
                v_ax0, v_ax1 = T.axis.remap("SS", [ax0, ax1])
                T.reads(add[v_ax0, v_ax1])
                T.writes(exp[v_ax0, v_ax1])
                T.block_attr({"rlx.operator": "elementwise ss"})
                exp[v_ax0, v_ax1] = T.exp(add[v_ax0, v_ax1])
        for ax0, ax1 in T.grid(n, T.int64(8)):
            with T.block("T_multiply"):
                v_ax0, v_ax1 = T.axis.remap("SS", [ax0, ax1])
                T.reads(add[v_ax0, v_ax1], exp[v_ax0, v_ax1])
                T.writes(multiply[v_ax0, v_ax1])
                T.block_attr({"rlx.operator": "elementwise ss"})
                multiply[v_ax0, v_ax1] = add[v_ax0, v_ax1] * exp[v_ax0, v_ax1]

# ==== devices
# Kernels of two devices are not fused: a copy is between them.
from tvm.script import ir as I
from tvm.script import relax as R
from tvm.script import tir as T
@I.ir_module
class Module:
    I.module_global_infos({"vdevice": [I.vdevice("llvm"), I.vdevice("opencl", 0), I.vdevice("opencl", 1)]})
    @R.function
    def main(x: R.Tensor((8,), "float32", "opencl:0"), h: R.Tensor((8,), "float32", "llvm:0")):
        with R.dataflow():
            a = R.exp(h)
            b = R.negative(a)
            c = R.to_vdevice(b, "opencl:0")
            d = R.exp(c)
            e = R.add(d, x)
            f = R.to_vdevice(e, "opencl:1")
            g = R.exp(f)
            i = R.negative(g)
            R.output(e, i)
        return (e, i)
# ---- expected
# from tvm.script import ir as I
# from tvm.script import tir as T
# from tvm.script import relax as R

@I.ir_module
class Module:
    I.module_global_infos({"vdevice": [I.vdevice("llvm", 0, "global"), I.vdevice("opencl", 0, "global"), I.vdevice("opencl", 1, "global")]})
    @R.function
    def main(x: R.Tensor((8,), dtype="float32", vdevice="opencl:0"), h: R.Tensor((8,), dtype="float32", vdevice="llvm:0")) -> R.Tuple(R.Tensor((8,), dtype="float32", vdevice="opencl:0"), R.Tensor((8,), dtype="float32", vdevice="opencl:1")):
        cls = Module
        with R.dataflow():
            b: R.Tensor((8,), dtype="float32", vdevice="llvm:0") = R.call_tir(cls.fused_exp_negative, (h,), out_sinfo=R.Tensor((8,), dtype="float32", vdevice="llvm:0"))
            c: R.Tensor((8,), dtype="float32", vdevice="opencl:0") = R.to_vdevice(b, dst_vdevice="opencl:0")
            e: R.Tensor((8,), dtype="float32", vdevice="opencl:0") = R.call_tir(cls.fused_exp1_add, (c, x), out_sinfo=R.Tensor((8,), dtype="float32", vdevice="opencl:0"))
            f: R.Tensor((8,), dtype="float32", vdevice="opencl:1") = R.to_vdevice(e, dst_vdevice="opencl:1")
            i: R.Tensor((8,), dtype="float32", vdevice="opencl:1") = R.call_tir(cls.fused_exp1_negative1, (f,), out_sinfo=R.Tensor((8,), dtype="float32", vdevice="opencl:1"))
            R.output(e, i)
        return (e, i)

    @T.prim_func(private=True)
    def exp(h: T.Buffer((T.int64(8),), "float32"), compute: T.Buffer((T.int64(8),), "float32")):
        T.func_attr({"op_pattern": 0, "tir.noalias": T.bool(True)})
        # with T.block("root"):
        for ax0 in range(T.int64(8)):
            with T.block("compute"):
                v_ax0 = T.axis.spatial(T.int64(8), ax0)
                T.reads(h[v_ax0])
                T.writes(compute[v_ax0])
                T.block_attr({"rlx.operator": "elementwise s"})
                compute[v_ax0] = T.exp(h[v_ax0])

    @T.prim_func(private=True)
    def negative(a: T.Buffer((T.int64(8),), "float32"), compute: T.Buffer((T.int64(8),), "float32")):
        T.func_attr({"op_pattern": 0, "tir.noalias": T.bool(True)})
        # with T.block("root"):
        for ax0 in range(T.int64(8)):
            with T.block("compute"):
                v_ax0 = T.axis.spatial(T.int64(8), ax0)
                T.reads(a[v_ax0])
                T.writes(compute[v_ax0])
                T.block_attr({"rlx.operator": "elementwise s"})
                compute[v_ax0] = a[v_ax0] * T.float32(-1.0)

    @T.prim_func(private=True)
    def exp1(c: T.Buffer((T.int64(8),), "float32"), compute: T.Buffer((T.int64(8),), "float32")):
        T.func_attr({"op_pattern": 0, "tir.noalias": T.bool(True), "target": "opencl"})
        # with T.block("root"):
        for ax0 in range(T.int64(8)):
            with T.block("compute"):
                v_ax0 = T.axis.spatial(T.int64(8), ax0)
                T.reads(c[v_ax0])
                T.writes(compute[v_ax0])
                T.block_attr({"rlx.operator": "elementwise s"})
                compute[v_ax0] = T.exp(c[v_ax0])

    @T.prim_func(private=True)
    def add(d: T.Buffer((T.int64(8),), "float32"), x: T.Buffer((T.int64(8),), "float32"), T_add: T.Buffer((T.int64(8),), "float32")):
        T.func_attr({"op_pattern": 0, "tir.noalias": T.bool(True), "target": "opencl"})
        # with T.block("root"):
        for ax0 in range(T.int64(8)):
            with T.block("T_add"):
                v_ax0 = T.axis.spatial(T.int64(8), ax0)
                T.reads(d[v_ax0], x[v_ax0])
                T.writes(T_add[v_ax0])
                T.block_attr({"rlx.operator": "elementwise s"})
                T_add[v_ax0] = d[v_ax0] + x[v_ax0]

    @T.prim_func(private=True)
    def negative1(g: T.Buffer((T.int64(8),), "float32"), compute: T.Buffer((T.int64(8),), "float32")):
        T.func_attr({"op_pattern": 0, "tir.noalias": T.bool(True), "target": "opencl"})
        # with T.block("root"):
        for ax0 in range(T.int64(8)):
            with T.block("compute"):
                v_ax0 = T.axis.spatial(T.int64(8), ax0)
                T.reads(g[v_ax0])
                T.writes(compute[v_ax0])
                T.block_attr({"rlx.operator": "elementwise s"})
                compute[v_ax0] = g[v_ax0] * T.float32(-1.0)

    @T.prim_func(private=True)
    def fused_exp_negative(h: T.Buffer((T.int64(8),), "float32"), negative: T.Buffer((T.int64(8),), "float32")):
        T.func_attr({"op_pattern": 0, "tir.noalias": T.bool(True)})
        # with T.block("root"):
        exp = T.alloc_buffer((T.int64(8),))
        for ax0 in range(T.int64(8)):
            with T.block("compute"):
                v_ax0 = T.axis.spatial(T.int64(8), ax0)
                T.reads(h[v_ax0])
                T.writes(exp[v_ax0])
                T.block_attr({"rlx.operator": "elementwise s"})
                exp[v_ax0] = T.exp(h[v_ax0])
        for ax0 in range(T.int64(8)):
            with T.block("compute"):
                v_ax0 = T.axis.spatial(T.int64(8), ax0)
                T.reads(exp[v_ax0])
                T.writes(negative[v_ax0])
                T.block_attr({"rlx.operator": "elementwise s"})
                negative[v_ax0] = exp[v_ax0] * T.float32(-1.0)

    @T.prim_func(private=True)
    def fused_exp1_add(c: T.Buffer((T.int64(8),), "float32"), x: T.Buffer((T.int64(8),), "float32"), add: T.Buffer((T.int64(8),), "float32")):
        T.func_attr({"op_pattern": 0, "tir.noalias": T.bool(True), "target": "opencl"})
        # with T.block("root"):
        exp1 = T.alloc_buffer((T.int64(8),))
        for ax0 in range(T.int64(8)):
            with T.block("compute"):
                v_ax0 = T.axis.spatial(T.int64(8), ax0)
                T.reads(c[v_ax0])
                T.writes(exp1[v_ax0])
                T.block_attr({"rlx.operator": "elementwise s"})
                exp1[v_ax0] = T.exp(c[v_ax0])
        for ax0 in range(T.int64(8)):
            with T.block("T_add"):
                v_ax0 = T.axis.spatial(T.int64(8), ax0)
                T.reads(exp1[v_ax0], x[v_ax0])
                T.writes(add[v_ax0])
                T.block_attr({"rlx.operator": "elementwise s"})
                add[v_ax0] = exp1[v_ax0] + x[v_ax0]

    @T.prim_func(private=True)
    def fused_exp1_negative1(c: T.Buffer((T.int64(8),), "float32"), negative1: T.Buffer((T.int64(8),), "float32")):
        T.func_attr({"op_pattern": 0, "tir.noalias": T.bool(True), "target": "opencl"})
        # with T.block("root"):
        exp1 = T.alloc_buffer((T.int64(8),))
        for ax0 in range(T.int64(8)):
            with T.block("compute"):
                v_ax0 = T.axis.spatial(T.int64(8), ax0)
                T.reads(c[v_ax0])
                T.writes(exp1[v_ax0])
                T.block_attr({"rlx.operator": "elementwise s"})
                exp1[v_ax0] = T.exp(c[v_ax0])
        for ax0 in range(T.int64(8)):
            with T.block("compute"):
                v_ax0 = T.axis.spatial(T.int64(8), ax0)
                T.reads(exp1[v_ax0])
                T.writes(negative1[v_ax0])
                T.block_attr({"rlx.operator": "elementwise s"})
                negative1[v_ax0] = exp1[v_ax0] * T.float32(-1.0)

# ==== over_checks
# Values that only feed checks do not prevent fusion.
from tvm.script import ir as I, relax as R, tir as T


@I.ir_module
class Module:
    @R.function(pure=False)
    def main(x: R.Tensor(("n",), "float32")):
        n = T.int64()
        y = R.exp(x)
        _ = R.call_packed("rlx.check_nonzero", R.prim_value(n), R.str("a size"), sinfo_args=(R.Tuple,))
        z = R.add(y, x)
        return z
# ---- expected
# from tvm.script import ir as I
# from tvm.script import tir as T
# from tvm.script import relax as R

@I.ir_module
class Module:
    @R.function(pure=False)
    def main(x: R.Tensor(("n",), dtype="float32")) -> R.Tensor(("n",), dtype="float32"):
        n = T.int64()
        cls = Module
        _: R.Tuple = R.call_packed("rlx.check_nonzero", R.prim_value(n), R.str("a size"), sinfo_args=(R.Tuple,))
        z: R.Tensor((n,), dtype="float32") = R.call_tir(cls.fused_exp_add, (x,), out_sinfo=R.Tensor((n,), dtype="float32"))
        return z

    @T.prim_func(private=True)
    def exp(var_x: T.handle, var_compute: T.handle):
        T.func_attr({"op_pattern": 0, "tir.noalias": T.bool(True)})
        n = T.int64()
        x = T.match_buffer(var_x, (n,))
        compute = T.match_buffer(var_compute, (n,))
        # with T.block("root"):
        for ax0 in range(n):
            with T.block("compute"):
                v_ax0 = T.axis.spatial(n, ax0)
                T.reads(x[v_ax0])
                T.writes(compute[v_ax0])
                T.block_attr({"rlx.operator": "elementwise s"})
                compute[v_ax0] = T.exp(x[v_ax0])

    @T.prim_func(private=True)
    def add(var_y: T.handle, var_x: T.handle, var_T_add: T.handle):
        T.func_attr({"op_pattern": 0, "tir.noalias": T.bool(True)})
        n = T.int64()
        y = T.match_buffer(var_y, (n,))
        x = T.match_buffer(var_x, (n,))
        T_add = T.match_buffer(var_T_add, (n,))
        # with T.block("root"):
        for ax0 in range(n):
            with T.block("T_add"):
                v_ax0 = T.axis.spatial(n, ax0)
                T.reads(y[v_ax0], x[v_ax0])
                T.writes(T_add[v_ax0])
                T.block_attr({"rlx.operator": "elementwise s"})
                T_add[v_ax0] = y[v_ax0] + x[v_ax0]

    @T.prim_func(private=True)
    def fused_exp_add(p_x: T.handle, p_add: T.handle):
        T.func_attr({"op_pattern": 0, "tir.noalias": T.bool(True)})
        n = T.int64()
        x = T.match_buffer(p_x, (n,))
        add = T.match_buffer(p_add, (n,))
        # with T.block("root"):
        exp = T.alloc_buffer((n,))
        for ax0 in range(n):
            with T.block("compute"):
                v_ax0 = T.axis.spatial(n, ax0)
                T.reads(x[v_ax0])
                T.writes(exp[v_ax0])
                T.block_attr({"rlx.operator": "elementwise s"})
                exp[v_ax0] = T.exp(x[v_ax0])
        for ax0 in range(n):
            with T.block("T_add"):
                v_ax0 = T.axis.spatial(n, ax0)
                T.reads(exp[v_ax0], x[v_ax0])
                T.writes(add[v_ax0])
                T.block_attr({"rlx.operator": "elementwise s"})
                add[v_ax0] = exp[v_ax0] + x[v_ax0]

# ==== part_of_a_tensor_in_an_epilogue
from tvm.script import ir as I
from tvm.script import relax as R
from tvm.script import tir as T


@I.ir_module
class Module:
    @R.function
    def main(x: R.Tensor(("t", "n", 8), "float32"), h: R.Tensor(("n", 4), "float32"), w: R.Tensor((4, 8), "float32"), i: R.Tensor((), "int64"), rows: R.Tensor(("n",), "int64"), table: R.Tensor((8, "n"), "float32"), others: R.Tensor(("m", 8), "float32")):
        t = T.int64()
        n = T.int64()
        m = T.int64()
        with R.dataflow():
            # read in place, by the product
            a = R.add(R.take(x, R.subtract(R.const(7, "int64"), i), axis=0, mode="clip"), R.matmul(h, w))
            # a product's operand is computed separately
            b = R.matmul(R.take(x, R.add(i, i), axis=0, mode="clip"), R.permute_dims(w))
            # the transposition is separate; the addition is the product's epilogue
            c = R.add(R.permute_dims(table), R.matmul(R.exp(h), w))
            # gathered rows
            d = R.add(R.take(others, rows, axis=0, mode="clip"), R.matmul(R.sin(h), w))
            R.output(a, b, c, d)
        return (a, b, c, d)
# ---- expected
# from tvm.script import ir as I
# from tvm.script import tir as T
# from tvm.script import relax as R

@I.ir_module
class Module:
    @R.function
    def main(x: R.Tensor(("t", "n", 8), dtype="float32"), h: R.Tensor(("n", 4), dtype="float32"), w: R.Tensor((4, 8), dtype="float32"), i: R.Tensor((), dtype="int64"), rows: R.Tensor(("n",), dtype="int64"), table: R.Tensor((8, "n"), dtype="float32"), others: R.Tensor(("m", 8), dtype="float32")) -> R.Tuple(R.Tensor(("n", 8), dtype="float32"), R.Tensor(("n", 4), dtype="float32"), R.Tensor(("n", 8), dtype="float32"), R.Tensor(("n", 8), dtype="float32")):
        t = T.int64()
        n = T.int64()
        m = T.int64()
        cls = Module
        with R.dataflow():
            a: R.Tensor((n, 8), dtype="float32") = R.call_tir(cls.fused_subtract_take_matmul_add, (i, x, h, w), out_sinfo=R.Tensor((n, 8), dtype="float32"))
            lv: R.Tensor((n, 8), dtype="float32") = R.call_tir(cls.fused_add1_take, (i, x), out_sinfo=R.Tensor((n, 8), dtype="float32"))
            b: R.Tensor((n, 4), dtype="float32") = R.call_tir(cls.fused_transpose_matmul1, (w, lv), out_sinfo=R.Tensor((n, 4), dtype="float32"))
            lv_1: R.Tensor((n, 8), dtype="float32") = R.call_tir(cls.transpose1, (table,), out_sinfo=R.Tensor((n, 8), dtype="float32"))
            lv_2: R.Tensor((n, 4), dtype="float32") = R.call_tir(cls.exp, (h,), out_sinfo=R.Tensor((n, 4), dtype="float32"))
            c: R.Tensor((n, 8), dtype="float32") = R.call_tir(cls.fused_matmul_add, (lv_2, w, lv_1), out_sinfo=R.Tensor((n, 8), dtype="float32"))
            lv_3: R.Tensor((n, 8), dtype="float32") = R.call_tir(cls.take1, (others, rows), out_sinfo=R.Tensor((n, 8), dtype="float32"))
            lv_4: R.Tensor((n, 4), dtype="float32") = R.call_tir(cls.sin, (h,), out_sinfo=R.Tensor((n, 4), dtype="float32"))
            d: R.Tensor((n, 8), dtype="float32") = R.call_tir(cls.fused_matmul_add, (lv_4, w, lv_3), out_sinfo=R.Tensor((n, 8), dtype="float32"))
            R.output(a, b, c, d)
        return (a, b, c, d)

    @T.prim_func(private=True)
    def subtract(i: T.Buffer((), "int64"), T_subtract: T.Buffer((), "int64")):
        T.func_attr({"op_pattern": 0, "tir.noalias": T.bool(True)})
        with T.block("root"):
            with T.block("T_subtract"):
                T.reads(i[()])
                T.writes(T_subtract[()])
                T_subtract[()] = T.int64(7) - i[()]

    @T.prim_func(private=True)
    def take(var_x: T.handle, lv: T.Buffer((), "int64"), var_T_take: T.handle):
        T.func_attr({"op_pattern": 2, "tir.noalias": T.bool(True)})
        t = T.int64()
        n = T.int64()
        x = T.match_buffer(var_x, (t, n, T.int64(8)))
        T_take = T.match_buffer(var_T_take, (n, T.int64(8)))
        # with T.block("root"):
        for ax0, ax1 in T.grid(n, T.int64(8)):
            with T.block("T_take"):
                v_ax0, v_ax1 = T.axis.remap("SS", [ax0, ax1])
                T.reads(lv[()], x[T.max(T.min(lv[()], t - T.int64(1)), T.int64(0)), v_ax0, v_ax1])
                T.writes(T_take[v_ax0, v_ax1])
                T.block_attr({"rlx.operator": "gather ss"})
                T_take[v_ax0, v_ax1] = T.if_then_else(T.int64(0) < t, x[T.max(T.min(lv[()], t - T.int64(1)), T.int64(0)), v_ax0, v_ax1], T.float32(0.0))

    @T.prim_func(private=True)
    def matmul(var_h: T.handle, w: T.Buffer((T.int64(4), T.int64(8)), "float32"), var_matmul: T.handle):
        T.func_attr({"op_pattern": 4, "tir.noalias": T.bool(True)})
        n = T.int64()
        h = T.match_buffer(var_h, (n, T.int64(4)))
        matmul = T.match_buffer(var_matmul, (n, T.int64(8)))
        # with T.block("root"):
        for i0, i1, k in T.grid(n, T.int64(8), T.int64(4)):
            with T.block("matmul"):
                v_i0, v_i1, v_k = T.axis.remap("SSR", [i0, i1, k])
                T.reads(h[v_i0, v_k], w[v_k, v_i1])
                T.writes(matmul[v_i0, v_i1])
                T.block_attr({"rlx.operator": "matmul mnk"})
                with T.init():
                    matmul[v_i0, v_i1] = T.float32(0.0)
                matmul[v_i0, v_i1] = matmul[v_i0, v_i1] + h[v_i0, v_k] * w[v_k, v_i1]

    @T.prim_func(private=True)
    def add(var_lv: T.handle, var_lv_1: T.handle, var_T_add: T.handle):
        T.func_attr({"op_pattern": 0, "tir.noalias": T.bool(True)})
        n = T.int64()
        lv = T.match_buffer(var_lv, (n, T.int64(8)))
        lv_1 = T.match_buffer(var_lv_1, (n, T.int64(8)))
        T_add = T.match_buffer(var_T_add, (n, T.int64(8)))
        # with T.block("root"):
        for ax0, ax1 in T.grid(n, T.int64(8)):
            with T.block("T_add"):
                v_ax0, v_ax1 = T.axis.remap("SS", [ax0, ax1])
                T.reads(lv[v_ax0, v_ax1], lv_1[v_ax0, v_ax1])
                T.writes(T_add[v_ax0, v_ax1])
                T.block_attr({"rlx.operator": "elementwise ss"})
                T_add[v_ax0, v_ax1] = lv[v_ax0, v_ax1] + lv_1[v_ax0, v_ax1]

    @T.prim_func(private=True)
    def add1(i: T.Buffer((), "int64"), i_1: T.Buffer((), "int64"), T_add: T.Buffer((), "int64")):
        T.func_attr({"op_pattern": 0, "tir.noalias": T.bool(True)})
        with T.block("root"):
            with T.block("T_add"):
                T.reads(i[()], i_1[()])
                T.writes(T_add[()])
                T_add[()] = i[()] + i_1[()]

    @T.prim_func(private=True)
    def transpose(w: T.Buffer((T.int64(4), T.int64(8)), "float32"), T_transpose: T.Buffer((T.int64(8), T.int64(4)), "float32")):
        T.func_attr({"op_pattern": 2, "tir.noalias": T.bool(True)})
        # with T.block("root"):
        for ax0, ax1 in T.grid(T.int64(8), T.int64(4)):
            with T.block("T_transpose"):
                v_ax0, v_ax1 = T.axis.remap("SS", [ax0, ax1])
                T.reads(w[v_ax1, v_ax0])
                T.writes(T_transpose[v_ax0, v_ax1])
                T.block_attr({"rlx.operator": "transpose ss"})
                T_transpose[v_ax0, v_ax1] = w[v_ax1, v_ax0]

    @T.prim_func(private=True)
    def matmul1(var_lv: T.handle, lv: T.Buffer((T.int64(8), T.int64(4)), "float32"), var_matmul: T.handle):
        T.func_attr({"op_pattern": 4, "tir.noalias": T.bool(True)})
        n = T.int64()
        lv_1 = T.match_buffer(var_lv, (n, T.int64(8)))
        matmul = T.match_buffer(var_matmul, (n, T.int64(4)))
        # with T.block("root"):
        for i0, i1, k in T.grid(n, T.int64(4), T.int64(8)):
            with T.block("matmul"):
                v_i0, v_i1, v_k = T.axis.remap("SSR", [i0, i1, k])
                T.reads(lv_1[v_i0, v_k], lv[v_k, v_i1])
                T.writes(matmul[v_i0, v_i1])
                T.block_attr({"rlx.operator": "matmul mnk"})
                with T.init():
                    matmul[v_i0, v_i1] = T.float32(0.0)
                matmul[v_i0, v_i1] = matmul[v_i0, v_i1] + lv_1[v_i0, v_k] * lv[v_k, v_i1]

    @T.prim_func(private=True)
    def transpose1(var_table: T.handle, var_T_transpose: T.handle):
        T.func_attr({"op_pattern": 2, "tir.noalias": T.bool(True)})
        n = T.int64()
        table = T.match_buffer(var_table, (T.int64(8), n))
        T_transpose = T.match_buffer(var_T_transpose, (n, T.int64(8)))
        # with T.block("root"):
        for ax0, ax1 in T.grid(n, T.int64(8)):
            with T.block("T_transpose"):
                v_ax0, v_ax1 = T.axis.remap("SS", [ax0, ax1])
                T.reads(table[v_ax1, v_ax0])
                T.writes(T_transpose[v_ax0, v_ax1])
                T.block_attr({"rlx.operator": "transpose ss"})
                T_transpose[v_ax0, v_ax1] = table[v_ax1, v_ax0]

    @T.prim_func(private=True)
    def exp(var_h: T.handle, var_compute: T.handle):
        T.func_attr({"op_pattern": 0, "tir.noalias": T.bool(True)})
        n = T.int64()
        h = T.match_buffer(var_h, (n, T.int64(4)))
        compute = T.match_buffer(var_compute, (n, T.int64(4)))
        # with T.block("root"):
        for ax0, ax1 in T.grid(n, T.int64(4)):
            with T.block("compute"):
                v_ax0, v_ax1 = T.axis.remap("SS", [ax0, ax1])
                T.reads(h[v_ax0, v_ax1])
                T.writes(compute[v_ax0, v_ax1])
                T.block_attr({"rlx.operator": "elementwise ss"})
                compute[v_ax0, v_ax1] = T.exp(h[v_ax0, v_ax1])

    @T.prim_func(private=True)
    def take1(var_others: T.handle, var_rows: T.handle, var_T_take: T.handle):
        T.func_attr({"op_pattern": 2, "tir.noalias": T.bool(True)})
        m = T.int64()
        n = T.int64()
        others = T.match_buffer(var_others, (m, T.int64(8)))
        rows = T.match_buffer(var_rows, (n,), "int64")
        T_take = T.match_buffer(var_T_take, (n, T.int64(8)))
        # with T.block("root"):
        for ax0, ax1 in T.grid(n, T.int64(8)):
            with T.block("T_take"):
                v_ax0, v_ax1 = T.axis.remap("SS", [ax0, ax1])
                T.reads(rows[v_ax0], others[T.max(T.min(rows[v_ax0], m - T.int64(1)), T.int64(0)), v_ax1])
                T.writes(T_take[v_ax0, v_ax1])
                T.block_attr({"rlx.operator": "gather ss"})
                T_take[v_ax0, v_ax1] = T.if_then_else(T.int64(0) < m, others[T.max(T.min(rows[v_ax0], m - T.int64(1)), T.int64(0)), v_ax1], T.float32(0.0))

    @T.prim_func(private=True)
    def sin(var_h: T.handle, var_compute: T.handle):
        T.func_attr({"op_pattern": 0, "tir.noalias": T.bool(True)})
        n = T.int64()
        h = T.match_buffer(var_h, (n, T.int64(4)))
        compute = T.match_buffer(var_compute, (n, T.int64(4)))
        # with T.block("root"):
        for ax0, ax1 in T.grid(n, T.int64(4)):
            with T.block("compute"):
                v_ax0, v_ax1 = T.axis.remap("SS", [ax0, ax1])
                T.reads(h[v_ax0, v_ax1])
                T.writes(compute[v_ax0, v_ax1])
                T.block_attr({"rlx.operator": "elementwise ss"})
                compute[v_ax0, v_ax1] = T.sin(h[v_ax0, v_ax1])

    @T.prim_func(private=True)
    def fused_subtract_take_matmul_add(i: T.Buffer((), "int64"), p_x: T.handle, p_h: T.handle, w: T.Buffer((T.int64(4), T.int64(8)), "float32"), p_add: T.handle):
        T.func_attr({"op_pattern": 4, "tir.noalias": T.bool(True)})
        t = T.int64()
        n = T.int64()
        x = T.match_buffer(p_x, (t, n, T.int64(8)))
        h = T.match_buffer(p_h, (n, T.int64(4)))
        add = T.match_buffer(p_add, (n, T.int64(8)))
        # with T.block("root"):
        subtract = T.alloc_buffer((), "int64")
        take = T.alloc_buffer((n, T.int64(8)))
        matmul = T.alloc_buffer((n, T.int64(8)))
        with T.block("T_subtract"):
            T.reads(i[()])
            T.writes(subtract[()])
            subtract[()] = T.int64(7) - i[()]
        for ax0, ax1 in T.grid(n, T.int64(8)):
            with T.block("T_take"):
                v_ax0, v_ax1 = T.axis.remap("SS", [ax0, ax1])
                T.reads(subtract[()], x[T.max(T.min(subtract[()], t - T.int64(1)), T.int64(0)), v_ax0, v_ax1])
                T.writes(take[v_ax0, v_ax1])
                T.block_attr({"rlx.operator": "gather ss"})
                take[v_ax0, v_ax1] = T.if_then_else(T.int64(0) < t, x[T.max(T.min(subtract[()], t - T.int64(1)), T.int64(0)), v_ax0, v_ax1], T.float32(0.0))
        for i0, i1, k in T.grid(n, T.int64(8), T.int64(4)):
            with T.block("matmul"):
                v_i0, v_i1, v_k = T.axis.remap("SSR", [i0, i1, k])
                T.reads(h[v_i0, v_k], w[v_k, v_i1])
                T.writes(matmul[v_i0, v_i1])
                T.block_attr({"rlx.operator": "matmul mnk"})
                with T.init():
                    matmul[v_i0, v_i1] = T.float32(0.0)
                matmul[v_i0, v_i1] = matmul[v_i0, v_i1] + h[v_i0, v_k] * w[v_k, v_i1]
        for ax0, ax1 in T.grid(n, T.int64(8)):
            with T.block("T_add"):
                v_ax0, v_ax1 = T.axis.remap("SS", [ax0, ax1])
                T.reads(take[v_ax0, v_ax1], matmul[v_ax0, v_ax1])
                T.writes(add[v_ax0, v_ax1])
                T.block_attr({"rlx.operator": "elementwise ss"})
                add[v_ax0, v_ax1] = take[v_ax0, v_ax1] + matmul[v_ax0, v_ax1]

    @T.prim_func(private=True)
    def fused_add1_take(i: T.Buffer((), "int64"), p_x: T.handle, p_take: T.handle):
        T.func_attr({"op_pattern": 2, "tir.noalias": T.bool(True)})
        t = T.int64()
        n = T.int64()
        x = T.match_buffer(p_x, (t, n, T.int64(8)))
        take = T.match_buffer(p_take, (n, T.int64(8)))
        # with T.block("root"):
        add1 = T.alloc_buffer((), "int64")
        with T.block("T_add"):
            T.reads(i[()], i[()])
            T.writes(add1[()])
            add1[()] = i[()] + i[()]
        for ax0, ax1 in T.grid(n, T.int64(8)):
            with T.block("T_take"):
                v_ax0, v_ax1 = T.axis.remap("SS", [ax0, ax1])
                T.reads(add1[()], x[T.max(T.min(add1[()], t - T.int64(1)), T.int64(0)), v_ax0, v_ax1])
                T.writes(take[v_ax0, v_ax1])
                T.block_attr({"rlx.operator": "gather ss"})
                take[v_ax0, v_ax1] = T.if_then_else(T.int64(0) < t, x[T.max(T.min(add1[()], t - T.int64(1)), T.int64(0)), v_ax0, v_ax1], T.float32(0.0))

    @T.prim_func(private=True)
    def fused_transpose_matmul1(w: T.Buffer((T.int64(4), T.int64(8)), "float32"), p_lv: T.handle, p_matmul1: T.handle):
        T.func_attr({"op_pattern": 4, "tir.noalias": T.bool(True)})
        n = T.int64()
        lv = T.match_buffer(p_lv, (n, T.int64(8)))
        matmul1 = T.match_buffer(p_matmul1, (n, T.int64(4)))
        # with T.block("root"):
        transpose = T.alloc_buffer((T.int64(8), T.int64(4)))
        for ax0, ax1 in T.grid(T.int64(8), T.int64(4)):
            with T.block("T_transpose"):
                v_ax0, v_ax1 = T.axis.remap("SS", [ax0, ax1])
                T.reads(w[v_ax1, v_ax0])
                T.writes(transpose[v_ax0, v_ax1])
                T.block_attr({"rlx.operator": "transpose ss"})
                transpose[v_ax0, v_ax1] = w[v_ax1, v_ax0]
        for i0, i1, k in T.grid(n, T.int64(4), T.int64(8)):
            with T.block("matmul"):
                v_i0, v_i1, v_k = T.axis.remap("SSR", [i0, i1, k])
                T.reads(lv[v_i0, v_k], transpose[v_k, v_i1])
                T.writes(matmul1[v_i0, v_i1])
                T.block_attr({"rlx.operator": "matmul mnk"})
                with T.init():
                    matmul1[v_i0, v_i1] = T.float32(0.0)
                matmul1[v_i0, v_i1] = matmul1[v_i0, v_i1] + lv[v_i0, v_k] * transpose[v_k, v_i1]

    @T.prim_func(private=True)
    def fused_matmul_add(p_h: T.handle, w: T.Buffer((T.int64(4), T.int64(8)), "float32"), p_lv: T.handle, p_add: T.handle):
        T.func_attr({"op_pattern": 4, "tir.noalias": T.bool(True)})
        n = T.int64()
        h = T.match_buffer(p_h, (n, T.int64(4)))
        lv = T.match_buffer(p_lv, (n, T.int64(8)))
        add = T.match_buffer(p_add, (n, T.int64(8)))
        # with T.block("root"):
        matmul = T.alloc_buffer((n, T.int64(8)))
        for i0, i1, k in T.grid(n, T.int64(8), T.int64(4)):
            with T.block("matmul"):
                v_i0, v_i1, v_k = T.axis.remap("SSR", [i0, i1, k])
                T.reads(h[v_i0, v_k], w[v_k, v_i1])
                T.writes(matmul[v_i0, v_i1])
                T.block_attr({"rlx.operator": "matmul mnk"})
                with T.init():
                    matmul[v_i0, v_i1] = T.float32(0.0)
                matmul[v_i0, v_i1] = matmul[v_i0, v_i1] + h[v_i0, v_k] * w[v_k, v_i1]
        for ax0, ax1 in T.grid(n, T.int64(8)):
            with T.block("T_add"):
                v_ax0, v_ax1 = T.axis.remap("SS", [ax0, ax1])
                T.reads(lv[v_ax0, v_ax1], matmul[v_ax0, v_ax1])
                T.writes(add[v_ax0, v_ax1])
                T.block_attr({"rlx.operator": "elementwise ss"})
                add[v_ax0, v_ax1] = lv[v_ax0, v_ax1] + matmul[v_ax0, v_ax1]

# ==== value_read_outside_stays
from tvm.script import ir as I
from tvm.script import relax as R
from tvm.script import tir as T


@I.ir_module
class Module:
    @R.function
    def main(x: R.Tensor(("n",), "float32")) -> R.Tuple(R.Tensor(("n",), "float32"), R.Tensor(("n",), "float32")):
        n = T.int64()
        with R.dataflow():
            a = R.exp(x)
            b = R.negative(a)
            R.output(a, b)
        return (a, b)
# ---- expected
# from tvm.script import ir as I
# from tvm.script import tir as T
# from tvm.script import relax as R

@I.ir_module
class Module:
    @R.function
    def main(x: R.Tensor(("n",), dtype="float32")) -> R.Tuple(R.Tensor(("n",), dtype="float32"), R.Tensor(("n",), dtype="float32")):
        n = T.int64()
        cls = Module
        with R.dataflow():
            a: R.Tensor((n,), dtype="float32") = R.call_tir(cls.exp, (x,), out_sinfo=R.Tensor((n,), dtype="float32"))
            b: R.Tensor((n,), dtype="float32") = R.call_tir(cls.negative, (a,), out_sinfo=R.Tensor((n,), dtype="float32"))
            R.output(a, b)
        return (a, b)

    @T.prim_func(private=True)
    def exp(var_x: T.handle, var_compute: T.handle):
        T.func_attr({"op_pattern": 0, "tir.noalias": T.bool(True)})
        n = T.int64()
        x = T.match_buffer(var_x, (n,))
        compute = T.match_buffer(var_compute, (n,))
        # with T.block("root"):
        for ax0 in range(n):
            with T.block("compute"):
                v_ax0 = T.axis.spatial(n, ax0)
                T.reads(x[v_ax0])
                T.writes(compute[v_ax0])
                T.block_attr({"rlx.operator": "elementwise s"})
                compute[v_ax0] = T.exp(x[v_ax0])

    @T.prim_func(private=True)
    def negative(var_a: T.handle, var_compute: T.handle):
        T.func_attr({"op_pattern": 0, "tir.noalias": T.bool(True)})
        n = T.int64()
        a = T.match_buffer(var_a, (n,))
        compute = T.match_buffer(var_compute, (n,))
        # with T.block("root"):
        for ax0 in range(n):
            with T.block("compute"):
                v_ax0 = T.axis.spatial(n, ax0)
                T.reads(a[v_ax0])
                T.writes(compute[v_ax0])
                T.block_attr({"rlx.operator": "elementwise s"})
                compute[v_ax0] = a[v_ax0] * T.float32(-1.0)

# ==== product_with_itself
# The operands are one parameter of the fused function: a sum of squares, no product any more.
from tvm.script import ir as I
from tvm.script import relax as R
@I.ir_module
class Module:
    @R.function
    def main(x: R.Tensor(("n",), "float32")):
        with R.dataflow():
            y = R.matmul(x, x)
            z = R.exp(y)
            R.output(z)
        return z
# ---- expected
# from tvm.script import ir as I
# from tvm.script import tir as T
# from tvm.script import relax as R

@I.ir_module
class Module:
    @R.function
    def main(x: R.Tensor(("n",), dtype="float32")) -> R.Tensor((), dtype="float32"):
        n = T.int64()
        cls = Module
        with R.dataflow():
            z: R.Tensor((), dtype="float32") = R.call_tir(cls.fused_matmul_exp, (x,), out_sinfo=R.Tensor((), dtype="float32"))
            R.output(z)
        return z

    @T.prim_func(private=True)
    def matmul(var_x: T.handle, var_x_1: T.handle, matmul: T.Buffer((), "float32")):
        T.func_attr({"op_pattern": 4, "tir.noalias": T.bool(True)})
        n = T.int64()
        x = T.match_buffer(var_x, (n,))
        x_1 = T.match_buffer(var_x_1, (n,))
        # with T.block("root"):
        for k in range(n):
            with T.block("matmul"):
                v_k = T.axis.reduce(n, k)
                T.reads(x[v_k], x_1[v_k])
                T.writes(matmul[()])
                T.block_attr({"rlx.operator": "matmul k"})
                with T.init():
                    matmul[()] = T.float32(0.0)
                matmul[()] = matmul[()] + x[v_k] * x_1[v_k]

    @T.prim_func(private=True)
    def exp(y: T.Buffer((), "float32"), compute: T.Buffer((), "float32")):
        T.func_attr({"op_pattern": 0, "tir.noalias": T.bool(True)})
        with T.block("root"):
            with T.block("compute"):
                T.reads(y[()])
                T.writes(compute[()])
                compute[()] = T.exp(y[()])

    @T.prim_func(private=True)
    def fused_matmul_exp(p_x: T.handle, exp: T.Buffer((), "float32")):
        T.func_attr({"op_pattern": 4, "tir.noalias": T.bool(True)})
        n = T.int64()
        x = T.match_buffer(p_x, (n,))
        # with T.block("root"):
        matmul = T.alloc_buffer(())
        for k in range(n):
            with T.block("matmul"):
                v_k = T.axis.reduce(n, k)
                T.reads(x[v_k], x[v_k])
                T.writes(matmul[()])
                T.block_attr({"rlx.operator": "reduction k"})
                with T.init():
                    matmul[()] = T.float32(0.0)
                matmul[()] = matmul[()] + x[v_k] * x[v_k]
        with T.block("compute"):
            T.reads(matmul[()])
            T.writes(exp[()])
            exp[()] = T.exp(matmul[()])
