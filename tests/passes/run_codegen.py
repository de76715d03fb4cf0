# ==== calls
# --codegen dnnl
# --fuse dnnl.relu=(nn.relu x)
# --fuse dnnl.add=(add x y)
@I.ir_module
class Module:
    @R.function
    def given(y: R.Tensor(("m", 4), "float32")) -> R.Tensor(("m", 4), "float32"):
        R.func_attr({"Codegen": "dnnl", "global_symbol": "dnnl_given"})
        @R.function
        def inner(v: R.Tensor(("m", 4), "float32")) -> R.Tensor(("m", 4), "float32"):
            R.func_attr({"Composite": "dnnl.exp"})
            with R.dataflow():
                z = R.exp(v)
                R.output(z)
            return z
        return inner(y)

    @R.function
    def main(x: R.Tensor(("n", 4), "float32")):
        cls = Module
        with R.dataflow():
            p = R.nn.relu(x)
            q = R.add(p, x)
            r = cls.given(q)
            R.output(p, r)
        return (p, r)
# ---- expected
# from tvm.script import ir as I
# from tvm.script import tir as T
# from tvm.script import relax as R

@I.ir_module
class Module:
    @R.function
    def main(x: R.Tensor(("n", 4), dtype="float32")) -> R.Tuple(R.Tensor(("n", 4), dtype="float32"), R.Tensor(("n", 4), dtype="float32")):
        n = T.int64()
        with R.dataflow():
            lv: R.Tuple(R.Tensor((n, 4), dtype="float32"), R.Tensor((n, 4), dtype="float32")) = R.call_dps_packed("fused_relax_add_dnnl", (x,), out_sinfo=[R.Tensor((n, 4), dtype="float32"), R.Tensor((n, 4), dtype="float32")])
            p: R.Tensor((n, 4), dtype="float32") = lv[0]
            q: R.Tensor((n, 4), dtype="float32") = lv[1]
            r: R.Tensor((n, 4), dtype="float32") = R.call_dps_packed("dnnl_given", (q,), out_sinfo=R.Tensor((n, 4), dtype="float32"))
            R.output(p, r)
        return (p, r)
