# Recognised as attention, but its heads are larger than the rule takes.
@I.ir_module
class Module:
    @R.function
    def main(q: R.Tensor((1, 8, 2, 2048), "float32"), k: R.Tensor((1, 8, 2, 2048), "float32"), v: R.Tensor((1, 8, 2, 2048), "float32")):
        o: R.Tensor((1, 8, 2, 2048), "float32") = R.nn.attention(q, k, v)
        return o
