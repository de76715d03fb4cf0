# A transposition goes in blocks, of which full ones are moved by vectors in registers.
@I.ir_module
class Module:
    @R.function
    def main(x: R.Tensor(("n", 40), "float32")):
        with R.dataflow():
            y = R.permute_dims(x)
            R.output(y)
        return y
