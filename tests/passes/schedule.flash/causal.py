# Attention where threads run in step: a thread for each query, over the keys that it sees.
@I.ir_module
class Module:
    I.module_global_infos({"vdevice": [I.vdevice("cuda", 0, "global")]})
    @R.function
    def main(q: R.Tensor((1, "n", 2, 4), "float32", "cuda:0"), k: R.Tensor((1, "n", 2, 4), "float32", "cuda:0"), v: R.Tensor((1, "n", 2, 4), "float32", "cuda:0")):
        with R.dataflow():
            o = R.nn.attention(q, k, v, causal_mask="TopLeft")
            R.output(o)
        return o
