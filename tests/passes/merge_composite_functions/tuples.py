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
