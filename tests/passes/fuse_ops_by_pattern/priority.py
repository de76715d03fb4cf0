# --fuse dnnl.matmul_relu=(nn.relu (add (matmul x w) b))
# --fuse dnnl.matmul=(matmul x w)
# --fuse dnnl.relu=(nn.relu x)
@I.ir_module
class Module:
    @R.function
    def main(x: R.Tensor(("n", 4), "float32"), w: R.Tensor((4, 4), "float32"), flag: R.Tensor((), "bool")) -> R.Tensor(("n", 4), "float32"):
        with R.dataflow():
            p = R.matmul(x, w)
            q = R.add(p, R.const([1.0, 2.0, 3.0, 4.0], "float32"))
            r = R.nn.relu(q)
            s = R.matmul(r, w)
            t = R.add(s, R.const(1.0, "float32"))
            u = R.nn.relu(t)
            v = R.add(u, t)
            R.output(v)
        if flag:
            a = R.nn.relu(v)
            z = a
        else:
            b = R.nn.gelu(v)
            z = b
        return z
