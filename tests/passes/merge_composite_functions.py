# ==== regions
# --fuse dnnl.matmul=(matmul x w)
# --fuse dnnl.relu=(nn.relu x)
# --fuse dnnl.add=(add x y)
# --fuse acc.gelu=(nn.gelu x)
@I.ir_module
class Module:
    @R.function
    def main(x: R.Tensor(("n", 4), "float32"), w: R.Tensor((4, 4), "float32")):
        with R.dataflow():
            p = R.matmul(x, w)
            q = R.nn.relu(p)
            r = R.exp(q)
            s = R.add(r, q)
            t = R.nn.relu(x)
            u = R.add(s, t)
            g = R.nn.gelu(u)
            h = R.matmul(g, w)
            R.output(q, u, h)
        return (q, u, h)
# ---- expected
# from tvm.script import ir as I
# from tvm.script import tir as T
# from tvm.script import relax as R

@I.ir_module
class Module:
    @R.function
    def main(x: R.Tensor(("n", 4), dtype="float32"), w: R.Tensor((4, 4), dtype="float32")) -> R.Tuple(R.Tensor(("n", 4), dtype="float32"), R.Tensor(("n", 4), dtype="float32"), R.Tensor(("n", 4), dtype="float32")):
        n = T.int64()
        cls = Module
        with R.dataflow():
            q: R.Tensor((n, 4), dtype="float32") = cls.fused_relax_nn_relu_dnnl(x, w)
            r: R.Tensor((n, 4), dtype="float32") = R.exp(q)
            u: R.Tensor((n, 4), dtype="float32") = cls.fused_relax_add1_dnnl(r, q, x)
            g: R.Tensor((n, 4), dtype="float32") = cls.fused_relax_nn_gelu_acc(u)
            h: R.Tensor((n, 4), dtype="float32") = cls.fused_relax_matmul1_dnnl(g, w)
            R.output(q, u, h)
        return (q, u, h)

    @R.function(private=True)
    def fused_relax_nn_relu_dnnl(x: R.Tensor(("n", 4), dtype="float32"), w: R.Tensor((4, 4), dtype="float32")) -> R.Tensor(("n", 4), dtype="float32"):
        n = T.int64()
        n_1 = T.int64()
        n_2 = T.int64()
        R.func_attr({"Codegen": "dnnl"})
        @R.function
        def fused_relax_matmul(x_1: R.Tensor((n_1, 4), dtype="float32"), w_1: R.Tensor((4, 4), dtype="float32")) -> R.Tensor((n_1, 4), dtype="float32"):
            R.func_attr({"Composite": "dnnl.matmul"})
            with R.dataflow():
                p: R.Tensor((n_1, 4), dtype="float32") = R.matmul(x_1, w_1, out_dtype="void")
                R.output(p)
            return p
        p_1: R.Tensor((n, 4), dtype="float32") = fused_relax_matmul(x, w)
        @R.function
        def fused_relax_nn_relu(p_2: R.Tensor((n_2, 4), dtype="float32")) -> R.Tensor((n_2, 4), dtype="float32"):
            R.func_attr({"Composite": "dnnl.relu"})
            with R.dataflow():
                q: R.Tensor((n_2, 4), dtype="float32") = R.nn.relu(p_2)
                R.output(q)
            return q
        q_1: R.Tensor((n, 4), dtype="float32") = fused_relax_nn_relu(p_1)
        return q_1

    @R.function(private=True)
    def fused_relax_add1_dnnl(r: R.Tensor(("n", 4), dtype="float32"), q: R.Tensor(("n", 4), dtype="float32"), x: R.Tensor(("n", 4), dtype="float32")) -> R.Tensor(("n", 4), dtype="float32"):
        n = T.int64()
        n_1 = T.int64()
        n_2 = T.int64()
        n_3 = T.int64()
        R.func_attr({"Codegen": "dnnl"})
        @R.function
        def fused_relax_add(r_1: R.Tensor((n_1, 4), dtype="float32"), q_1: R.Tensor((n_1, 4), dtype="float32")) -> R.Tensor((n_1, 4), dtype="float32"):
            R.func_attr({"Composite": "dnnl.add"})
            with R.dataflow():
                s: R.Tensor((n_1, 4), dtype="float32") = R.add(r_1, q_1)
                R.output(s)
            return s
        s_1: R.Tensor((n, 4), dtype="float32") = fused_relax_add(r, q)
        @R.function
        def fused_relax_nn_relu1(x_1: R.Tensor((n_2, 4), dtype="float32")) -> R.Tensor((n_2, 4), dtype="float32"):
            R.func_attr({"Composite": "dnnl.relu"})
            with R.dataflow():
                t: R.Tensor((n_2, 4), dtype="float32") = R.nn.relu(x_1)
                R.output(t)
            return t
        t_1: R.Tensor((n, 4), dtype="float32") = fused_relax_nn_relu1(x)
        @R.function
        def fused_relax_add1(s_2: R.Tensor((n_3, 4), dtype="float32"), t_2: R.Tensor((n_3, 4), dtype="float32")) -> R.Tensor((n_3, 4), dtype="float32"):
            R.func_attr({"Composite": "dnnl.add"})
            with R.dataflow():
                u: R.Tensor((n_3, 4), dtype="float32") = R.add(s_2, t_2)
                R.output(u)
            return u
        u_1: R.Tensor((n, 4), dtype="float32") = fused_relax_add1(s_1, t_1)
        return u_1

    @R.function(private=True)
    def fused_relax_nn_gelu_acc(u: R.Tensor(("n", 4), dtype="float32")) -> R.Tensor(("n", 4), dtype="float32"):
        n = T.int64()
        n_1 = T.int64()
        R.func_attr({"Codegen": "acc"})
        @R.function
        def fused_relax_nn_gelu(u_1: R.Tensor((n_1, 4), dtype="float32")) -> R.Tensor((n_1, 4), dtype="float32"):
            R.func_attr({"Composite": "acc.gelu"})
            with R.dataflow():
                g: R.Tensor((n_1, 4), dtype="float32") = R.nn.gelu(u_1)
                R.output(g)
            return g
        g_1: R.Tensor((n, 4), dtype="float32") = fused_relax_nn_gelu(u)
        return g_1

    @R.function(private=True)
    def fused_relax_matmul1_dnnl(g: R.Tensor(("n", 4), dtype="float32"), w: R.Tensor((4, 4), dtype="float32")) -> R.Tensor(("n", 4), dtype="float32"):
        n = T.int64()
        n_1 = T.int64()
        R.func_attr({"Codegen": "dnnl"})
        @R.function
        def fused_relax_matmul1(g_1: R.Tensor((n_1, 4), dtype="float32"), w_1: R.Tensor((4, 4), dtype="float32")) -> R.Tensor((n_1, 4), dtype="float32"):
            R.func_attr({"Composite": "dnnl.matmul"})
            with R.dataflow():
                h: R.Tensor((n_1, 4), dtype="float32") = R.matmul(g_1, w_1, out_dtype="void")
                R.output(h)
            return h
        h_1: R.Tensor((n, 4), dtype="float32") = fused_relax_matmul1(g, w)
        return h_1

# ==== tuples
# Items of a tuple belong to the call that returns it: what reads them joins its region.
# --fuse-shared acc.scale=(multiply (add _ _) _)
# --fuse acc.sin=(sin _)
@I.ir_module
class Module:
    @R.function
    def main(x: R.Tensor(("n", 4), "float32"), y: R.Tensor(("n", 4), "float32")):
        with R.dataflow():
            a = R.add(x, y)
            b = R.multiply(a, y)
            c = R.sin(a)
            d = R.sin(b)
            e = R.cos(b)
            R.output(c, d, e)
        return (c, d, e)
# ---- expected
# from tvm.script import ir as I
# from tvm.script import tir as T
# from tvm.script import relax as R

@I.ir_module
class Module:
    @R.function
    def main(x: R.Tensor(("n", 4), dtype="float32"), y: R.Tensor(("n", 4), dtype="float32")) -> R.Tuple(R.Tensor(("n", 4), dtype="float32"), R.Tensor(("n", 4), dtype="float32"), R.Tensor(("n", 4), dtype="float32")):
        n = T.int64()
        cls = Module
        with R.dataflow():
            lv: R.Tuple(R.Tensor((n, 4), dtype="float32"), R.Tensor((n, 4), dtype="float32"), R.Tensor((n, 4), dtype="float32")) = cls.fused_relax_sin1_acc(x, y)
            b: R.Tensor((n, 4), dtype="float32") = lv[0]
            c: R.Tensor((n, 4), dtype="float32") = lv[1]
            d: R.Tensor((n, 4), dtype="float32") = lv[2]
            e: R.Tensor((n, 4), dtype="float32") = R.cos(b)
            R.output(c, d, e)
        return (c, d, e)

    @R.function(private=True)
    def fused_relax_sin1_acc(x: R.Tensor(("n", 4), dtype="float32"), y: R.Tensor(("n", 4), dtype="float32")) -> R.Tuple(R.Tensor(("n", 4), dtype="float32"), R.Tensor(("n", 4), dtype="float32"), R.Tensor(("n", 4), dtype="float32")):
        n = T.int64()
        n_1 = T.int64()
        n_2 = T.int64()
        n_3 = T.int64()
        R.func_attr({"Codegen": "acc"})
        @R.function
        def fused_relax_add_relax_multiply(x_1: R.Tensor((n_1, 4), dtype="float32"), y_1: R.Tensor((n_1, 4), dtype="float32")) -> R.Tuple(R.Tensor((n_1, 4), dtype="float32"), R.Tensor((n_1, 4), dtype="float32")):
            R.func_attr({"Composite": "acc.scale"})
            with R.dataflow():
                a: R.Tensor((n_1, 4), dtype="float32") = R.add(x_1, y_1)
                b: R.Tensor((n_1, 4), dtype="float32") = R.multiply(a, y_1)
                R.output(a, b)
            return (a, b)
        lv: R.Tuple(R.Tensor((n, 4), dtype="float32"), R.Tensor((n, 4), dtype="float32")) = fused_relax_add_relax_multiply(x, y)
        a_1: R.Tensor((n, 4), dtype="float32") = lv[0]
        b_1: R.Tensor((n, 4), dtype="float32") = lv[1]
        @R.function
        def fused_relax_sin(a_2: R.Tensor((n_2, 4), dtype="float32")) -> R.Tensor((n_2, 4), dtype="float32"):
            R.func_attr({"Composite": "acc.sin"})
            with R.dataflow():
                c: R.Tensor((n_2, 4), dtype="float32") = R.sin(a_2)
                R.output(c)
            return c
        c_1: R.Tensor((n, 4), dtype="float32") = fused_relax_sin(a_1)
        @R.function
        def fused_relax_sin1(b_2: R.Tensor((n_3, 4), dtype="float32")) -> R.Tensor((n_3, 4), dtype="float32"):
            R.func_attr({"Composite": "acc.sin"})
            with R.dataflow():
                d: R.Tensor((n_3, 4), dtype="float32") = R.sin(b_2)
                R.output(d)
            return d
        d_1: R.Tensor((n, 4), dtype="float32") = fused_relax_sin1(b_1)
        return (b_1, c_1, d_1)
