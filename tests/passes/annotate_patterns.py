# ==== read_off_the_blocks
# The kind follows from each block's loads; a stated kind is kept, an unrecognised block is opaque.
from tvm.script import ir as I
from tvm.script import tir as T
from tvm.script import relax as R


@I.ir_module
class Module:
    @T.prim_func(private=True)
    def gather(index: T.Buffer((T.int64(4),), "int64"), x: T.Buffer((T.int64(8),), "float32"), out: T.Buffer((T.int64(4),), "float32")):
        for i in range(T.int64(4)):
            with T.block("gather"):
                v = T.axis.spatial(T.int64(4), i)
                out[v] = x[index[v]]

    @T.prim_func(private=True)
    def elementwise(x: T.Buffer((T.int64(4), T.int64(8)), "float32"), out: T.Buffer((T.int64(4), T.int64(8)), "float32")):
        for i, j in T.grid(T.int64(4), T.int64(8)):
            with T.block("twice"):
                vi, vj = T.axis.remap("SS", [i, j])
                out[vi, vj] = x[vi, vj] + x[vi, vj]

    @T.prim_func(private=True)
    def broadcast(x: T.Buffer((T.int64(8),), "float32"), out: T.Buffer((T.int64(4), T.int64(8)), "float32")):
        for i, j in T.grid(T.int64(4), T.int64(8)):
            with T.block("rows"):
                vi, vj = T.axis.remap("SS", [i, j])
                out[vi, vj] = x[vj]

    @T.prim_func(private=True)
    def injective(x: T.Buffer((T.int64(8), T.int64(4)), "float32"), out: T.Buffer((T.int64(4), T.int64(8)), "float32")):
        for i, j in T.grid(T.int64(4), T.int64(8)):
            with T.block("transpose"):
                vi, vj = T.axis.remap("SS", [i, j])
                out[vi, vj] = x[vj, vi]

    @T.prim_func(private=True)
    def reduction(x: T.Buffer((T.int64(4), T.int64(8)), "float32"), out: T.Buffer((T.int64(4),), "float32")):
        for i, j in T.grid(T.int64(4), T.int64(8)):
            with T.block("sum"):
                vi, vj = T.axis.remap("SR", [i, j])
                with T.init():
                    out[vi] = T.float32(0)
                out[vi] = out[vi] + x[vi, vj]

    @T.prim_func(private=True)
    def matmul(a: T.Buffer((T.int64(4), T.int64(8)), "float32"), b: T.Buffer((T.int64(8), T.int64(4)), "float32"), out: T.Buffer((T.int64(4), T.int64(4)), "float32")):
        for i, j, k in T.grid(T.int64(4), T.int64(4), T.int64(8)):
            with T.block("product"):
                vi, vj, vk = T.axis.remap("SSR", [i, j, k])
                with T.init():
                    out[vi, vj] = T.float32(0)
                out[vi, vj] = out[vi, vj] + a[vi, vk] * b[vk, vj]

    @T.prim_func(private=True)
    def stated(x: T.Buffer((T.int64(4),), "float32"), out: T.Buffer((T.int64(4),), "float32")):
        T.func_attr({"op_pattern": 8})
        for i in range(T.int64(4)):
            with T.block("copy"):
                v = T.axis.spatial(T.int64(4), i)
                out[v] = x[v]

    @R.function
    def main(x: R.Tensor((4, 8), dtype="float32"), row: R.Tensor((8,), dtype="float32"), index: R.Tensor((4,), dtype="int64")) -> R.Tensor((4,), dtype="float32"):
        cls = Module
        a = R.call_tir(cls.elementwise, (x,), out_sinfo=R.Tensor((4, 8), dtype="float32"))
        b = R.call_tir(cls.broadcast, (row,), out_sinfo=R.Tensor((4, 8), dtype="float32"))
        c = R.call_tir(cls.matmul, (a, R.permute_dims(b)), out_sinfo=R.Tensor((4, 4), dtype="float32"))
        d = R.call_tir(cls.injective, (R.permute_dims(a),), out_sinfo=R.Tensor((4, 8), dtype="float32"))
        e = R.call_tir(cls.reduction, (d,), out_sinfo=R.Tensor((4,), dtype="float32"))
        f = R.call_tir(cls.gather, (index, row), out_sinfo=R.Tensor((4,), dtype="float32"))
        g = R.call_tir(cls.stated, (f,), out_sinfo=R.Tensor((4,), dtype="float32"))
        h = R.add(R.add(e, g), R.sum(c, axis=[1]))
        return h
# ---- expected
# from tvm.script import ir as I
# from tvm.script import tir as T
# from tvm.script import relax as R

@I.ir_module
class Module:
    @T.prim_func(private=True)
    def gather(index: T.Buffer((T.int64(4),), "int64"), x: T.Buffer((T.int64(8),), "float32"), out: T.Buffer((T.int64(4),), "float32")):
        T.func_attr({"op_pattern": 8})
        # with T.block("root"):
        for i in range(T.int64(4)):
            with T.block("gather"):
                v = T.axis.spatial(T.int64(4), i)
                T.block_attr({"rlx.operator": "gather s"})
                out[v] = x[index[v]]

    @T.prim_func(private=True)
    def elementwise(x: T.Buffer((T.int64(4), T.int64(8)), "float32"), out: T.Buffer((T.int64(4), T.int64(8)), "float32")):
        T.func_attr({"op_pattern": 0})
        # with T.block("root"):
        for i, j in T.grid(T.int64(4), T.int64(8)):
            with T.block("twice"):
                vi, vj = T.axis.remap("SS", [i, j])
                T.block_attr({"rlx.operator": "elementwise ss"})
                out[vi, vj] = x[vi, vj] + x[vi, vj]

    @T.prim_func(private=True)
    def broadcast(x: T.Buffer((T.int64(8),), "float32"), out: T.Buffer((T.int64(4), T.int64(8)), "float32")):
        T.func_attr({"op_pattern": 1})
        # with T.block("root"):
        for i, j in T.grid(T.int64(4), T.int64(8)):
            with T.block("rows"):
                vi, vj = T.axis.remap("SS", [i, j])
                T.block_attr({"rlx.operator": "elementwise ss"})
                out[vi, vj] = x[vj]

    @T.prim_func(private=True)
    def injective(x: T.Buffer((T.int64(8), T.int64(4)), "float32"), out: T.Buffer((T.int64(4), T.int64(8)), "float32")):
        T.func_attr({"op_pattern": 2})
        # with T.block("root"):
        for i, j in T.grid(T.int64(4), T.int64(8)):
            with T.block("transpose"):
                vi, vj = T.axis.remap("SS", [i, j])
                T.block_attr({"rlx.operator": "transpose ss"})
                out[vi, vj] = x[vj, vi]

    @T.prim_func(private=True)
    def reduction(x: T.Buffer((T.int64(4), T.int64(8)), "float32"), out: T.Buffer((T.int64(4),), "float32")):
        T.func_attr({"op_pattern": 3})
        # with T.block("root"):
        for i, j in T.grid(T.int64(4), T.int64(8)):
            with T.block("sum"):
                vi, vj = T.axis.remap("SR", [i, j])
                T.block_attr({"rlx.operator": "reduction sk"})
                with T.init():
                    out[vi] = T.float32(0.0)
                out[vi] = out[vi] + x[vi, vj]

    @T.prim_func(private=True)
    def matmul(a: T.Buffer((T.int64(4), T.int64(8)), "float32"), b: T.Buffer((T.int64(8), T.int64(4)), "float32"), out: T.Buffer((T.int64(4), T.int64(4)), "float32")):
        T.func_attr({"op_pattern": 4})
        # with T.block("root"):
        for i, j, k in T.grid(T.int64(4), T.int64(4), T.int64(8)):
            with T.block("product"):
                vi, vj, vk = T.axis.remap("SSR", [i, j, k])
                T.block_attr({"rlx.operator": "matmul mnk"})
                with T.init():
                    out[vi, vj] = T.float32(0.0)
                out[vi, vj] = out[vi, vj] + a[vi, vk] * b[vk, vj]

    @T.prim_func(private=True)
    def stated(x: T.Buffer((T.int64(4),), "float32"), out: T.Buffer((T.int64(4),), "float32")):
        T.func_attr({"op_pattern": 8})
        # with T.block("root"):
        for i in range(T.int64(4)):
            with T.block("copy"):
                v = T.axis.spatial(T.int64(4), i)
                T.block_attr({"rlx.operator": "elementwise s"})
                out[v] = x[v]

    @R.function
    def main(x: R.Tensor((4, 8), dtype="float32"), row: R.Tensor((8,), dtype="float32"), index: R.Tensor((4,), dtype="int64")) -> R.Tensor((4,), dtype="float32"):
        cls = Module
        a: R.Tensor((4, 8), dtype="float32") = R.call_tir(cls.elementwise, (x,), out_sinfo=R.Tensor((4, 8), dtype="float32"))
        b: R.Tensor((4, 8), dtype="float32") = R.call_tir(cls.broadcast, (row,), out_sinfo=R.Tensor((4, 8), dtype="float32"))
        gv: R.Tensor((8, 4), dtype="float32") = R.call_tir(cls.transpose, (b,), out_sinfo=R.Tensor((8, 4), dtype="float32"))
        c: R.Tensor((4, 4), dtype="float32") = R.call_tir(cls.matmul, (a, gv), out_sinfo=R.Tensor((4, 4), dtype="float32"))
        gv_1: R.Tensor((8, 4), dtype="float32") = R.call_tir(cls.transpose, (a,), out_sinfo=R.Tensor((8, 4), dtype="float32"))
        d: R.Tensor((4, 8), dtype="float32") = R.call_tir(cls.injective, (gv_1,), out_sinfo=R.Tensor((4, 8), dtype="float32"))
        e: R.Tensor((4,), dtype="float32") = R.call_tir(cls.reduction, (d,), out_sinfo=R.Tensor((4,), dtype="float32"))
        f: R.Tensor((4,), dtype="float32") = R.call_tir(cls.gather, (index, row), out_sinfo=R.Tensor((4,), dtype="float32"))
        g: R.Tensor((4,), dtype="float32") = R.call_tir(cls.stated, (f,), out_sinfo=R.Tensor((4,), dtype="float32"))
        gv_2: R.Tensor((4,), dtype="float32") = R.call_tir(cls.add, (e, g), out_sinfo=R.Tensor((4,), dtype="float32"))
        gv_3: R.Tensor((4,), dtype="float32") = R.call_tir(cls.sum, (c,), out_sinfo=R.Tensor((4,), dtype="float32"))
        h: R.Tensor((4,), dtype="float32") = R.call_tir(cls.add, (gv_2, gv_3), out_sinfo=R.Tensor((4,), dtype="float32"))
        return h

    @T.prim_func(private=True)
    def transpose(b: T.Buffer((T.int64(4), T.int64(8)), "float32"), T_transpose: T.Buffer((T.int64(8), T.int64(4)), "float32")):
        T.func_attr({"op_pattern": 2, "tir.noalias": T.bool(True)})
        # with T.block("root"):
        for ax0, ax1 in T.grid(T.int64(8), T.int64(4)):
            with T.block("T_transpose"):
                v_ax0, v_ax1 = T.axis.remap("SS", [ax0, ax1])
                T.reads(b[v_ax1, v_ax0])
                T.writes(T_transpose[v_ax0, v_ax1])
                T.block_attr({"rlx.operator": "transpose ss"})
                T_transpose[v_ax0, v_ax1] = b[v_ax1, v_ax0]

    @T.prim_func(private=True)
    def add(e: T.Buffer((T.int64(4),), "float32"), g: T.Buffer((T.int64(4),), "float32"), T_add: T.Buffer((T.int64(4),), "float32")):
        T.func_attr({"op_pattern": 0, "tir.noalias": T.bool(True)})
        # with T.block("root"):
        for ax0 in range(T.int64(4)):
            with T.block("T_add"):
                v_ax0 = T.axis.spatial(T.int64(4), ax0)
                T.reads(e[v_ax0], g[v_ax0])
                T.writes(T_add[v_ax0])
                T.block_attr({"rlx.operator": "elementwise s"})
                T_add[v_ax0] = e[v_ax0] + g[v_ax0]

    @T.prim_func(private=True)
    def sum(c: T.Buffer((T.int64(4), T.int64(4)), "float32"), x_red: T.Buffer((T.int64(4),), "float32")):
        T.func_attr({"op_pattern": 3, "tir.noalias": T.bool(True)})
        # with T.block("root"):
        for ax0, k1 in T.grid(T.int64(4), T.int64(4)):
            with T.block("x_red"):
                v_ax0, v_k1 = T.axis.remap("SR", [ax0, k1])
                T.reads(c[v_ax0, v_k1])
                T.writes(x_red[v_ax0])
                T.block_attr({"rlx.operator": "reduction sk"})
                with T.init():
                    x_red[v_ax0] = T.float32(0.0)
                x_red[v_ax0] = x_red[v_ax0] + c[v_ax0, v_k1]
