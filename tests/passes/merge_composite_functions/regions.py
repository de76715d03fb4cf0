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
