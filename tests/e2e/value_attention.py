"""Attention as exporters write it: rows that see no key, operands from another block."""
# call masked_rows: tensor float32 [1, 1, 2, 1] {10, 20}, tensor float32 [1, 1, 2, 1] {10, 0}, tensor float32 [1, 1, 2, 1] {1, 3}, tensor bool [1, 1, 2, 2] {false, false, true, false} => tensor float32 [1, 1, 2, 1] {2, 1}
# call hidden_rows: tensor float32 [1, 1, 2, 1] {10, 20}, tensor float32 [1, 1, 2, 1] {10, 0}, tensor float32 [1, 1, 2, 1] {1, 3}, tensor bool [1, 1, 2, 2] {true, true, false, true} => tensor float32 [1, 1, 2, 1] {2, 1}
# call blocks: tensor float32 [1, 2, 1, 1] {0, 1}, tensor float32 [1, 1, 2, 1] {100, 0}, tensor float32 [1, 1, 2, 1] {1, 3} => tensor float32 [1, 1, 2, 1] {2, 1}
# call masked_rows64: tensor float64 [1, 1, 2, 1] {10, 20}, tensor float64 [1, 1, 2, 1] {10, 0}, tensor float64 [1, 1, 2, 1] {1, 3}, tensor bool [1, 1, 2, 2] {false, false, true, false} => tensor float64 [1, 1, 2, 1] {2, 1}
# call wider_values: tensor float32 [1, 1, 2, 1] {0, 1}, tensor float32 [1, 1, 2, 1] {200, 0}, tensor float64 [1, 1, 2, 1] {1, 3}, tensor float64 [2, 2] {0, 0, 0, 100} => tensor float64 [1, 1, 2, 1] {2, 1}
# call masked_and_biased: tensor float32 [1, 1, 3, 1] {10, 10, 10}, tensor float32 [1, 1, 3, 1] {10, 0, -10}, tensor float32 [1, 1, 3, 1] {1, 3, 8}, tensor bool [3, 3] {true, false, false, true, true, false, true, true, true}, tensor float32 [1, 1, 1, 3] {-3.4028234663852886e+38, 0, 0} => tensor float32 [1, 1, 3, 1] {4, 3, 3}
# call hidden_and_biased: tensor float32 [1, 1, 2, 1] {10, 10}, tensor float32 [1, 1, 2, 1] {10, 0}, tensor float32 [1, 1, 2, 1] {1, 3}, tensor bool [2, 2] {true, false, false, false}, tensor float32 [1, 1, 2, 2] {0, -1000, 0, 200} => tensor float32 [1, 1, 2, 1] {3, 3}
# call capped: tensor float32 [1, 1, 2, 1] {100, -100}, tensor float32 [1, 1, 2, 1] {100, -100}, tensor float32 [1, 1, 2, 1] {1, 3}, tensor float32 [2, 2] {0, 0, 0, 1} => tensor float32 [1, 1, 2, 1] {2, 2.5}
# call capped_sizes: tensor float32 [1, 2, 1, 1] {100, -100}, tensor float32 [1, 2, 1, 1] {100, -100}, tensor float32 [1, 2, 1, 1] {1, 3} => tensor float32 [1, 2, 1, 1] {2, 2}
# call zeros: tensor float32 [1, 2, 1, 1] {1, 1}, tensor float32 [1, 2, 1, 1] {0, 1}, tensor float32 [1, 2, 1, 1] {1, 3}, tensor float32 [1, 1, 2, 2] {-inf, -inf, 0, -inf} => tensor float32 [1, 2, 1, 1] {0, 1}
# call zeros: tensor float32 [1, 2, 1, 1] {nan, 0}, tensor float32 [1, 2, 1, 1] {0, 1}, tensor float32 [1, 2, 1, 1] {1, 3}, tensor float32 [1, 1, 2, 2] {0, 0, -inf, -inf} => tensor float32 [1, 2, 1, 1] {nan, 0}
# call zeros: tensor float32 [1, 2, 1, 1] {1, 1}, tensor float32 [1, 2, 1, 1] {nan, 1}, tensor float32 [1, 2, 1, 1] {1, 3}, tensor float32 [1, 1, 2, 2] {-inf, -inf, -inf, 0} => tensor float32 [1, 2, 1, 1] {nan, nan}
# call zeros: tensor float32 [1, 2, 1, 1] {1, 1}, tensor float32 [1, 2, 1, 1] {0, 1}, tensor float32 [1, 2, 1, 1] {nan, 3}, tensor float32 [1, 1, 2, 2] {-inf, -inf, -inf, 0} => tensor float32 [1, 2, 1, 1] {nan, nan}
# call zeros: tensor float32 [1, 2, 1, 1] {1, 1}, tensor float32 [1, 0, 1, 1] {}, tensor float32 [1, 0, 1, 1] {}, tensor float32 [1, 1, 2, 0] {} => tensor float32 [1, 2, 1, 1] {0, 0}
# call zeros_of_any: tensor float32 [1, 2, 1, 1] {nan, 0}, tensor float32 [1, 2, 1, 1] {0, 1}, tensor float32 [1, 2, 1, 1] {1, 3}, tensor float32 [1, 1, 2, 2] {0, 0, -inf, -inf} => tensor float32 [1, 2, 1, 1] {nan, 0}
from tvm.script import ir as I
from tvm.script import relax as R
from tvm.script import tir as T


@I.ir_module
class Module:
    @R.function
    def zeros(q: R.Tensor((1, "n", 1, 1), "float32"), k: R.Tensor((1, "m", 1, 1), "float32"), v: R.Tensor((1, "m", 1, 1), "float32"), bias: R.Tensor((1, 1, "n", "m"), "float32")):
        return R.nn.attention_as_stored(q, k, v, bias, unseen_zero=True)

    @R.function
    def zeros_of_any(q: R.Tensor((1, "n", "h", 1), "float32"), k: R.Tensor((1, "m", "g", 1), "float32"), v: R.Tensor((1, "m", "g", 1), "float32"), bias: R.Tensor((1, 1, "n", "m"), "float32")):
        return R.nn.attention_as_stored(q, k, v, bias, unseen_zero=True)

    @R.function
    def masked_rows(q: R.Tensor((1, 1, "n", 1), "float32"), k: R.Tensor((1, 1, "n", 1), "float32"), v: R.Tensor((1, 1, "n", 1), "float32"), seen: R.Tensor((1, 1, "n", "n"), "bool")):
        with R.dataflow():
            kt = R.permute_dims(k, axes=[0, 1, 3, 2])
            s = R.matmul(q, kt)
            w = R.where(seen, s, R.const(-1e9, "float32"))
            p = R.nn.softmax(w, axis=-1)
            o = R.matmul(p, v)
            R.output(o)
        return o

    @R.function
    def hidden_rows(q: R.Tensor((1, 1, "n", 1), "float32"), k: R.Tensor((1, 1, "n", 1), "float32"), v: R.Tensor((1, 1, "n", 1), "float32"), hidden: R.Tensor((1, 1, "n", "n"), "bool")):
        with R.dataflow():
            kt = R.permute_dims(k, axes=[0, 1, 3, 2])
            s = R.matmul(q, kt)
            w = R.where(hidden, R.const(-1e9, "float32"), s)
            p = R.nn.softmax(w, axis=-1)
            o = R.matmul(p, v)
            R.output(o)
        return o

    @R.function
    def blocks(x: R.Tensor((1, "n", 1, 1), "float32"), k: R.Tensor((1, 1, "n", 1), "float32"), v: R.Tensor((1, 1, "n", 1), "float32")):
        with R.dataflow():
            y = R.multiply(x, R.const(2.0, "float32"))
            q = R.permute_dims(y, axes=[0, 2, 1, 3])
            R.output(q)
        with R.dataflow():
            kt = R.permute_dims(k, axes=[0, 1, 3, 2])
            s = R.matmul(q, kt)
            p = R.nn.softmax(s, axis=-1)
            o = R.matmul(p, v)
            R.output(o)
        return o

    @R.function
    def masked_rows64(q: R.Tensor((1, 1, "n", 1), "float64"), k: R.Tensor((1, 1, "n", 1), "float64"), v: R.Tensor((1, 1, "n", 1), "float64"), seen: R.Tensor((1, 1, "n", "n"), "bool")):
        with R.dataflow():
            kt = R.permute_dims(k, axes=[0, 1, 3, 2])
            s = R.matmul(q, kt)
            w = R.where(seen, s, R.const(-1e9, "float64"))
            p = R.nn.softmax(w, axis=-1)
            o = R.matmul(p, v)
            R.output(o)
        return o

    @R.function
    def wider_values(q: R.Tensor((1, 1, "n", 1), "float32"), k: R.Tensor((1, 1, "n", 1), "float32"), v: R.Tensor((1, 1, "n", 1), "float64"), bias: R.Tensor(("n", "n"), "float64")):
        with R.dataflow():
            kt = R.permute_dims(k, axes=[0, 1, 3, 2])
            s = R.matmul(q, kt)
            w = R.astype(s, dtype="float64")
            b = R.add(w, bias)
            p = R.nn.softmax(b, axis=-1)
            o = R.matmul(p, v)
            R.output(o)
        return o

    @R.function
    def masked_and_biased(q: R.Tensor((1, 1, "n", 1), "float32"), k: R.Tensor((1, 1, "n", 1), "float32"), v: R.Tensor((1, 1, "n", 1), "float32"), seen: R.Tensor(("n", "n"), "bool"), b: R.Tensor((1, 1, 1, "n"), "float32")):
        with R.dataflow():
            s = R.matmul(q, R.permute_dims(k, axes=[0, 1, 3, 2]))
            w = R.add(R.where(seen, s, R.const(-3.4028234663852886e+38, "float32")), b)
            o = R.matmul(R.nn.softmax(w, axis=-1), v)
            R.output(o)
        return o

    @R.function
    def hidden_and_biased(q: R.Tensor((1, 1, "n", 1), "float32"), k: R.Tensor((1, 1, "n", 1), "float32"), v: R.Tensor((1, 1, "n", 1), "float32"), hidden: R.Tensor(("n", "n"), "bool"), b: R.Tensor((1, 1, "n", "n"), "float32")):
        with R.dataflow():
            s = R.matmul(q, R.permute_dims(k, axes=[0, 1, 3, 2]))
            w = R.add(b, R.where(hidden, R.const(-1e9, "float32"), s))
            o = R.matmul(R.nn.softmax(w, axis=-1), v)
            R.output(o)
        return o

    @R.function
    def capped(q: R.Tensor((1, 1, "n", 1), "float32"), k: R.Tensor((1, 1, "n", 1), "float32"), v: R.Tensor((1, 1, "n", 1), "float32"), b: R.Tensor(("n", "n"), "float32")):
        with R.dataflow():
            s = R.matmul(q, R.permute_dims(k, axes=[0, 1, 3, 2]))
            c = R.multiply(R.tanh(R.divide(s, R.const(1e-20, "float32"))), R.const(1e-20, "float32"))
            o = R.matmul(R.nn.softmax(R.add(c, R.multiply(b, R.const(1.0986123, "float32"))), axis=-1), v)
            R.output(o)
        return o

    @R.function
    def capped_sizes(q: R.Tensor((1, "n", 1, "d"), "float32"), k: R.Tensor((1, "n", 1, "d"), "float32"), v: R.Tensor((1, "n", 1, "d"), "float32")):
        o = R.nn.attention_as_stored(q, k, v, scale=1.0, softcap=1e-20)
        return o
