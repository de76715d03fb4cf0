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
