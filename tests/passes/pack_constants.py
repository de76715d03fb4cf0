# ==== weights_of_products
# A constant operand of a product is stored in panels padded with zeros: one function, one copy for both products.
# Other operands stay.
from tvm.script import ir as I
from tvm.script import relax as R
from tvm.script import tir as T


@I.ir_module
class Module:
    @R.function
    def main(x: R.Tensor(("n", 2), "float32"), y: R.Tensor(("n", 2), "float32"), v: R.Tensor((5, 5), "float32")):
        n = T.int64()
        with R.dataflow():
            w = R.broadcast_to(R.const([[0.5], [2.0]], "float32"), R.shape([2, 5]))
            a = R.matmul(x, w)
            b = R.matmul(y, w)
            c = R.add(a, b)
            d = R.matmul(c, v)
            R.output(d)
        return d
# ---- expected
metadata = tvm.ir.load_json("""{
  \"root\": 1, 
  \"nodes\": [
    {\"type_key\": \"\"}, 
    {\"type_key\": \"Map\", \"keys\": [\"relax.expr.Constant\"], \"data\": [2]}, 
    {\"type_key\": \"Array\", \"data\": [3]}, 
    {\"type_key\": \"relax.expr.Constant\", \"attrs\": {\"data\": \"0\", \"span\": \"0\", \"struct_info_\": \"0\"}}
  ], 
  \"b64ndarrays\": [
    \"P6G0lvBAXt0AAAAAAAAAAAEAAAAAAAAAAwAAAAIgAQABAAAAAAAAAAIAAAAAAAAACAAAAAAAAABAAAAAAAAAAAAAAD8AAAA/AAAAPwAAAD8AAAA/AAAAAAAAAAAAAAAAAAAAQAAAAEAAAABAAAAAQAAAAEAAAAAAAAAAAAAAAAA=\"
  ], 
  \"attrs\": {\"tvm_version\": \"0.20.0\"}
}""")
# from tvm.script import ir as I
# from tvm.script import tir as T
# from tvm.script import relax as R

@I.ir_module
class Module:
    @R.function
    def main(x: R.Tensor(("n", 2), dtype="float32"), y: R.Tensor(("n", 2), dtype="float32"), v: R.Tensor((5, 5), dtype="float32")) -> R.Tensor(("n", 5), dtype="float32"):
        n = T.int64()
        cls = Module
        with R.dataflow():
            b: R.Tensor((n, 5), dtype="float32") = R.call_tir(cls.matmul_packed, (y, metadata["relax.expr.Constant"][0]), out_sinfo=R.Tensor((n, 5), dtype="float32"))
            c: R.Tensor((n, 5), dtype="float32") = R.call_tir(cls.fused_matmul_add_packed, (x, metadata["relax.expr.Constant"][0], b), out_sinfo=R.Tensor((n, 5), dtype="float32"))
            d: R.Tensor((n, 5), dtype="float32") = R.call_tir(cls.matmul1, (c, v), out_sinfo=R.Tensor((n, 5), dtype="float32"))
            R.output(d)
        return d

    @T.prim_func(private=True)
    def matmul(var_x: T.handle, x2: T.Buffer((T.int64(2), T.int64(5)), "float32"), var_matmul: T.handle):
        T.func_attr({"op_pattern": 4, "tir.noalias": T.bool(True)})
        n = T.int64()
        x = T.match_buffer(var_x, (n, T.int64(2)))
        matmul = T.match_buffer(var_matmul, (n, T.int64(5)))
        # with T.block("root"):
        for i0, i1, k in T.grid(n, T.int64(5), T.int64(2)):
            with T.block("matmul"):
                v_i0, v_i1, v_k = T.axis.remap("SSR", [i0, i1, k])
                T.reads(x[v_i0, v_k], x2[v_k, v_i1])
                T.writes(matmul[v_i0, v_i1])
                T.block_attr({"rlx.operator": "matmul mnk"})
                with T.init():
                    matmul[v_i0, v_i1] = T.float32(0.0)
                matmul[v_i0, v_i1] = matmul[v_i0, v_i1] + x[v_i0, v_k] * x2[v_k, v_i1]

    @T.prim_func(private=True)
    def add(var_a: T.handle, var_b: T.handle, var_T_add: T.handle):
        T.func_attr({"op_pattern": 0, "tir.noalias": T.bool(True)})
        n = T.int64()
        a = T.match_buffer(var_a, (n, T.int64(5)))
        b = T.match_buffer(var_b, (n, T.int64(5)))
        T_add = T.match_buffer(var_T_add, (n, T.int64(5)))
        # with T.block("root"):
        for ax0, ax1 in T.grid(n, T.int64(5)):
            with T.block("T_add"):
                v_ax0, v_ax1 = T.axis.remap("SS", [ax0, ax1])
                T.reads(a[v_ax0, v_ax1], b[v_ax0, v_ax1])
                T.writes(T_add[v_ax0, v_ax1])
                T.block_attr({"rlx.operator": "elementwise ss"})
                T_add[v_ax0, v_ax1] = a[v_ax0, v_ax1] + b[v_ax0, v_ax1]

    @T.prim_func(private=True)
    def matmul1(var_c: T.handle, v: T.Buffer((T.int64(5), T.int64(5)), "float32"), var_matmul: T.handle):
        T.func_attr({"op_pattern": 4, "tir.noalias": T.bool(True)})
        n = T.int64()
        c = T.match_buffer(var_c, (n, T.int64(5)))
        matmul = T.match_buffer(var_matmul, (n, T.int64(5)))
        # with T.block("root"):
        for i0, i1, k in T.grid(n, T.int64(5), T.int64(5)):
            with T.block("matmul"):
                v_i0, v_i1, v_k = T.axis.remap("SSR", [i0, i1, k])
                T.reads(c[v_i0, v_k], v[v_k, v_i1])
                T.writes(matmul[v_i0, v_i1])
                T.block_attr({"rlx.operator": "matmul mnk"})
                with T.init():
                    matmul[v_i0, v_i1] = T.float32(0.0)
                matmul[v_i0, v_i1] = matmul[v_i0, v_i1] + c[v_i0, v_k] * v[v_k, v_i1]

    @T.prim_func(private=True)
    def fused_matmul_add(p_x: T.handle, x2: T.Buffer((T.int64(2), T.int64(5)), "float32"), p_b: T.handle, p_add: T.handle):
        T.func_attr({"op_pattern": 4, "tir.noalias": T.bool(True)})
        n = T.int64()
        x = T.match_buffer(p_x, (n, T.int64(2)))
        b = T.match_buffer(p_b, (n, T.int64(5)))
        add = T.match_buffer(p_add, (n, T.int64(5)))
        # with T.block("root"):
        matmul = T.alloc_buffer((n, T.int64(5)))
        for i0, i1, k in T.grid(n, T.int64(5), T.int64(2)):
            with T.block("matmul"):
                v_i0, v_i1, v_k = T.axis.remap("SSR", [i0, i1, k])
                T.reads(x[v_i0, v_k], x2[v_k, v_i1])
                T.writes(matmul[v_i0, v_i1])
                T.block_attr({"rlx.operator": "matmul mnk"})
                with T.init():
                    matmul[v_i0, v_i1] = T.float32(0.0)
                matmul[v_i0, v_i1] = matmul[v_i0, v_i1] + x[v_i0, v_k] * x2[v_k, v_i1]
        for ax0, ax1 in T.grid(n, T.int64(5)):
            with T.block("T_add"):
                v_ax0, v_ax1 = T.axis.remap("SS", [ax0, ax1])
                T.reads(matmul[v_ax0, v_ax1], b[v_ax0, v_ax1])
                T.writes(add[v_ax0, v_ax1])
                T.block_attr({"rlx.operator": "elementwise ss"})
                add[v_ax0, v_ax1] = matmul[v_ax0, v_ax1] + b[v_ax0, v_ax1]

    @T.prim_func(private=True)
    def matmul_packed(var_x: T.handle, x2_panels: T.Buffer((T.int64(1), T.int64(2), T.int64(8)), "float32"), var_matmul: T.handle):
        T.func_attr({"op_pattern": 4, "tir.noalias": T.bool(True)})
        n = T.int64()
        x = T.match_buffer(var_x, (n, T.int64(2)))
        matmul = T.match_buffer(var_matmul, (n, T.int64(5)))
        # with T.block("root"):
        for i0, i1, k in T.grid(n, T.int64(5), T.int64(2)):
            with T.block("matmul"):
                v_i0, v_i1, v_k = T.axis.remap("SSR", [i0, i1, k])
                T.block_attr({"rlx.operator": "matmul mnk"})
                with T.init():
                    matmul[v_i0, v_i1] = T.float32(0.0)
                matmul[v_i0, v_i1] = matmul[v_i0, v_i1] + x[v_i0, v_k] * x2_panels[v_i1 // T.int64(8), v_k, v_i1 % T.int64(8)]

    @T.prim_func(private=True)
    def fused_matmul_add_packed(p_x: T.handle, x2_panels: T.Buffer((T.int64(1), T.int64(2), T.int64(8)), "float32"), p_b: T.handle, p_add: T.handle):
        T.func_attr({"op_pattern": 4, "tir.noalias": T.bool(True)})
        n = T.int64()
        x = T.match_buffer(p_x, (n, T.int64(2)))
        b = T.match_buffer(p_b, (n, T.int64(5)))
        add = T.match_buffer(p_add, (n, T.int64(5)))
        # with T.block("root"):
        matmul = T.alloc_buffer((n, T.int64(5)))
        for i0, i1, k in T.grid(n, T.int64(5), T.int64(2)):
            with T.block("matmul"):
                v_i0, v_i1, v_k = T.axis.remap("SSR", [i0, i1, k])
                T.block_attr({"rlx.operator": "matmul mnk"})
                with T.init():
                    matmul[v_i0, v_i1] = T.float32(0.0)
                matmul[v_i0, v_i1] = matmul[v_i0, v_i1] + x[v_i0, v_k] * x2_panels[v_i1 // T.int64(8), v_k, v_i1 % T.int64(8)]
        for ax0, ax1 in T.grid(n, T.int64(5)):
            with T.block("T_add"):
                v_ax0, v_ax1 = T.axis.remap("SS", [ax0, ax1])
                T.block_attr({"rlx.operator": "elementwise ss"})
                add[v_ax0, v_ax1] = matmul[v_ax0, v_ax1] + b[v_ax0, v_ax1]

# ==== weights_of_groups
# The outputs of each group of a convolution are a panel.
@I.ir_module
class Module:
    @R.function
    def main(x: R.Tensor((1, 2, 5, 4), "float32")):
        with R.dataflow():
            w = R.broadcast_to(R.const([0.5, 2.0, 0.25, 4.0, 1.0, 3.0, 5.0, 7.0], "float32"), R.shape([1, 2, 2, 8]))
            a = R.nn.conv2d(x, w, groups=2, data_layout="NHWC", kernel_layout="HWIO")
            R.output(a)
        return a
# ---- expected
metadata = tvm.ir.load_json("""{
  \"root\": 1, 
  \"nodes\": [
    {\"type_key\": \"\"}, 
    {\"type_key\": \"Map\", \"keys\": [\"relax.expr.Constant\"], \"data\": [2]}, 
    {\"type_key\": \"Array\", \"data\": [3]}, 
    {\"type_key\": \"relax.expr.Constant\", \"attrs\": {\"data\": \"0\", \"span\": \"0\", \"struct_info_\": \"0\"}}
  ], 
  \"b64ndarrays\": [
    \"P6G0lvBAXt0AAAAAAAAAAAEAAAAAAAAABQAAAAIgAQABAAAAAAAAAAIAAAAAAAAAAgAAAAAAAAACAAAAAAAAAAQAAAAAAAAAgAAAAAAAAAAAAAA/AAAAQAAAgD4AAIBAAAAAPwAAAEAAAIA+AACAQAAAgD8AAEBAAACgQAAA4EAAAIA/AABAQAAAoEAAAOBAAAAAPwAAAEAAAIA+AACAQAAAAD8AAABAAACAPgAAgEAAAIA/AABAQAAAoEAAAOBAAACAPwAAQEAAAKBAAADgQA==\"
  ], 
  \"attrs\": {\"tvm_version\": \"0.20.0\"}
}""")
# from tvm.script import ir as I
# from tvm.script import tir as T
# from tvm.script import relax as R

@I.ir_module
class Module:
    @R.function
    def main(x: R.Tensor((1, 2, 5, 4), dtype="float32")) -> R.Tensor((1, 2, 4, 8), dtype="float32"):
        cls = Module
        with R.dataflow():
            a: R.Tensor((1, 2, 4, 8), dtype="float32") = R.call_tir(cls.conv2d_packed, (x, metadata["relax.expr.Constant"][0]), out_sinfo=R.Tensor((1, 2, 4, 8), dtype="float32"))
            R.output(a)
        return a

    @T.prim_func(private=True)
    def conv2d(x: T.Buffer((T.int64(1), T.int64(2), T.int64(5), T.int64(4)), "float32"), w: T.Buffer((T.int64(1), T.int64(2), T.int64(2), T.int64(8)), "float32"), conv2d: T.Buffer((T.int64(1), T.int64(2), T.int64(4), T.int64(8)), "float32")):
        T.func_attr({"op_pattern": 4, "tir.noalias": T.bool(True)})
        # with T.block("root"):
        conv_groups = T.alloc_buffer((T.int64(1), T.int64(2), T.int64(4), T.int64(2), T.int64(4)))
        for nn, yy, xx, gg, ff, ry, rx, rc in T.grid(T.int64(1), T.int64(2), T.int64(4), T.int64(2), T.int64(4), T.int64(1), T.int64(2), T.int64(2)):
            with T.block("conv2d"):
                v_nn, v_yy, v_xx, v_gg, v_ff, v_ry, v_rx, v_rc = T.axis.remap("SSSSSRRR", [nn, yy, xx, gg, ff, ry, rx, rc])
                T.reads(x[v_nn, v_yy + v_ry, v_xx + v_rx, v_gg * T.int64(2) + v_rc], w[v_ry, v_rx, v_rc, v_gg * T.int64(4) + v_ff])
                T.writes(conv_groups[v_nn, v_yy, v_xx, v_gg, v_ff])
                T.block_attr({"rlx.operator": "conv bppgnrrk"})
                with T.init():
                    conv_groups[v_nn, v_yy, v_xx, v_gg, v_ff] = T.float32(0.0)
                conv_groups[v_nn, v_yy, v_xx, v_gg, v_ff] = conv_groups[v_nn, v_yy, v_xx, v_gg, v_ff] + x[v_nn, v_yy + v_ry, v_xx + v_rx, v_gg * T.int64(2) + v_rc] * w[v_ry, v_rx, v_rc, v_gg * T.int64(4) + v_ff]
        for ax0, ax1, ax2, ax3 in T.grid(T.int64(1), T.int64(2), T.int64(4), T.int64(8)):
            with T.block("join_groups"):
                v_ax0, v_ax1, v_ax2, v_ax3 = T.axis.remap("SSSS", [ax0, ax1, ax2, ax3])
                T.reads(conv_groups[v_ax0, v_ax1, v_ax2, v_ax3 // T.int64(4), v_ax3 % T.int64(4)])
                T.writes(conv2d[v_ax0, v_ax1, v_ax2, v_ax3])
                T.block_attr({"rlx.operator": "rearrange ssss"})
                conv2d[v_ax0, v_ax1, v_ax2, v_ax3] = conv_groups[v_ax0, v_ax1, v_ax2, v_ax3 // T.int64(4), v_ax3 % T.int64(4)]

    @T.prim_func(private=True)
    def conv2d_packed(x: T.Buffer((T.int64(1), T.int64(2), T.int64(5), T.int64(4)), "float32"), w_panels: T.Buffer((T.int64(1), T.int64(2), T.int64(2), T.int64(2), T.int64(4)), "float32"), conv2d: T.Buffer((T.int64(1), T.int64(2), T.int64(4), T.int64(8)), "float32")):
        T.func_attr({"op_pattern": 4, "tir.noalias": T.bool(True)})
        # with T.block("root"):
        conv_groups = T.alloc_buffer((T.int64(1), T.int64(2), T.int64(4), T.int64(2), T.int64(4)))
        for nn, yy, xx, gg, ff, ry, rx, rc in T.grid(T.int64(1), T.int64(2), T.int64(4), T.int64(2), T.int64(4), T.int64(1), T.int64(2), T.int64(2)):
            with T.block("conv2d"):
                v_nn, v_yy, v_xx, v_gg, v_ff, v_ry, v_rx, v_rc = T.axis.remap("SSSSSRRR", [nn, yy, xx, gg, ff, ry, rx, rc])
                T.block_attr({"rlx.operator": "conv bppgnrrk"})
                with T.init():
                    conv_groups[v_nn, v_yy, v_xx, v_gg, v_ff] = T.float32(0.0)
                conv_groups[v_nn, v_yy, v_xx, v_gg, v_ff] = conv_groups[v_nn, v_yy, v_xx, v_gg, v_ff] + x[v_nn, v_yy + v_ry, v_xx + v_rx, v_gg * T.int64(2) + v_rc] * w_panels[v_ry, v_rx, v_gg, v_rc, v_ff]
        for ax0, ax1, ax2, ax3 in T.grid(T.int64(1), T.int64(2), T.int64(4), T.int64(8)):
            with T.block("join_groups"):
                v_ax0, v_ax1, v_ax2, v_ax3 = T.axis.remap("SSSS", [ax0, ax1, ax2, ax3])
                T.block_attr({"rlx.operator": "rearrange ssss"})
                conv2d[v_ax0, v_ax1, v_ax2, v_ax3] = conv_groups[v_ax0, v_ax1, v_ax2, v_ax3 // T.int64(4), v_ax3 % T.int64(4)]
