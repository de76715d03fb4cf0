# Scores, softmax and weighted values become one loop over blocks of queries, without storing the score matrix.
@I.ir_module
class Module:
    @R.function
    def main(q: R.Tensor((1, "n", 2, 8), "float32"), k: R.Tensor((1, "m", 2, 8), "float32"), v: R.Tensor((1, "m", 2, 4), "float32")):
        n = T.int64()
        m = T.int64()
        o: R.Tensor((1, n, 2, 4), "float32") = R.nn.attention(q, k, v)
        return o
