from tvm.script import ir as I
from tvm.script import relax as R
from tvm.script import tir as T


@I.ir_module
class Module:
    @R.function
    def scale_after(q: R.Tensor(("b", "n", 4, 16), "float32"), k: R.Tensor(("b", "m", 4, 16), "float32"), v: R.Tensor(("b", "m", 4, 16), "float32")) -> R.Tensor(("b", "n", 4, 16), "float32"):
        b = T.int64()
        n = T.int64()
        m = T.int64()
        with R.dataflow():
            qt = R.permute_dims(q, axes=[0, 2, 1, 3])
            kt = R.permute_dims(k, axes=[0, 2, 3, 1])
            vt = R.permute_dims(v, axes=[0, 2, 1, 3])
            z = R.matmul(qt, kt)
            s = R.divide(z, R.const(4.0, "float32"))
            p = R.nn.softmax(s, axis=-1)
            h = R.matmul(p, vt)
            out = R.permute_dims(h, axes=[0, 2, 1, 3])
            R.output(out)
        return out

    @R.function
    def scale_on_both(q: R.Tensor(("b", "n", 4, 16), "float32"), k: R.Tensor(("b", "m", 4, 16), "float32"), v: R.Tensor(("b", "m", 4, 16), "float32")) -> R.Tensor(("b", "n", 4, 16), "float32"):
        b = T.int64()
        n = T.int64()
        m = T.int64()
        with R.dataflow():
            qt = R.permute_dims(q, axes=[0, 2, 1, 3])
            kt = R.permute_dims(k, axes=[0, 2, 3, 1])
            vt = R.permute_dims(v, axes=[0, 2, 1, 3])
            qs = R.multiply(qt, R.const(0.5, "float32"))
            ks = R.multiply(kt, R.const(0.5, "float32"))
            s = R.matmul(qs, ks)
            p = R.nn.softmax(s, axis=-1)
            h = R.matmul(p, vt)
            out = R.permute_dims(h, axes=[0, 2, 1, 3])
            R.output(out)
        return out

    @R.function
    def bias(q: R.Tensor(("b", "n", 4, 16), "float32"), k: R.Tensor(("b", "m", 4, 16), "float32"), v: R.Tensor(("b", "m", 4, 16), "float32"), bias: R.Tensor((1, "n", "m"), "float32")) -> R.Tensor(("b", "n", 4, 16), "float32"):
        b = T.int64()
        n = T.int64()
        m = T.int64()
        with R.dataflow():
            qt = R.permute_dims(q, axes=[0, 2, 1, 3])
            kt = R.permute_dims(k, axes=[0, 2, 3, 1])
            vt = R.permute_dims(v, axes=[0, 2, 1, 3])
            z = R.matmul(qt, kt)
            y = R.multiply(z, R.const(0.25, "float32"))
            s = R.add(y, bias)
            p = R.nn.softmax(s, axis=-1)
            h = R.matmul(p, vt)
            out = R.permute_dims(h, axes=[0, 2, 1, 3])
            R.output(out)
        return out

    @R.function
    def mask(q: R.Tensor(("b", "n", 4, 16), "float32"), k: R.Tensor(("b", "m", 4, 16), "float32"), v: R.Tensor(("b", "m", 4, 16), "float32"), mask: R.Tensor(("b", 1, "n", "m"), "bool")) -> R.Tensor(("b", "n", 4, 16), "float32"):
        b = T.int64()
        n = T.int64()
        m = T.int64()
        with R.dataflow():
            qt = R.permute_dims(q, axes=[0, 2, 1, 3])
            kt = R.permute_dims(k, axes=[0, 2, 3, 1])
            vt = R.permute_dims(v, axes=[0, 2, 1, 3])
            z = R.matmul(qt, kt)
            y = R.multiply(z, R.const(0.25, "float32"))
            s = R.where(mask, y, R.const(-1e+30, "float32"))
            p = R.nn.softmax(s, axis=-1)
            h = R.matmul(p, vt)
            out = R.permute_dims(h, axes=[0, 2, 1, 3])
            R.output(out)
        return out

    @R.function
    def causal(q: R.Tensor(("b", "n", 4, 16), "float32"), k: R.Tensor(("b", "n", 4, 16), "float32"), v: R.Tensor(("b", "n", 4, 16), "float32")) -> R.Tensor(("b", "n", 4, 16), "float32"):
        b = T.int64()
        n = T.int64()
        with R.dataflow():
            qt = R.permute_dims(q, axes=[0, 2, 1, 3])
            kt = R.permute_dims(k, axes=[0, 2, 3, 1])
            vt = R.permute_dims(v, axes=[0, 2, 1, 3])
            i = R.arange(R.prim_value(0), R.prim_value(n), R.prim_value(1), dtype="int64")
            row = R.expand_dims(i, axis=[1])
            column = R.expand_dims(i, axis=[0])
            seen = R.less_equal(column, row)
            z = R.matmul(qt, kt)
            y = R.multiply(z, R.const(0.25, "float32"))
            mask = R.where(seen, R.const(0.0, "float32"), R.const(-1000000000.0, "float32"))
            four = R.reshape(mask, R.shape([1, 1, n, n]))
            s = R.add(y, four)
            p = R.nn.softmax(s, axis=-1)
            h = R.matmul(p, vt)
            out = R.permute_dims(h, axes=[0, 2, 1, 3])
            R.output(out)
        return out

    @R.function
    def small_fill_stays(q: R.Tensor(("b", "n", 4, 16), "float32"), k: R.Tensor(("b", "m", 4, 16), "float32"), v: R.Tensor(("b", "m", 4, 16), "float32"), mask: R.Tensor(("b", 1, "n", "m"), "bool")) -> R.Tensor(("b", "n", 4, 16), "float32"):
        b = T.int64()
        n = T.int64()
        m = T.int64()
        with R.dataflow():
            qt = R.permute_dims(q, axes=[0, 2, 1, 3])
            kt = R.permute_dims(k, axes=[0, 2, 3, 1])
            vt = R.permute_dims(v, axes=[0, 2, 1, 3])
            z = R.matmul(qt, kt)
            y = R.multiply(z, R.const(0.25, "float32"))
            s = R.where(mask, y, R.const(-100.0, "float32"))
            p = R.nn.softmax(s, axis=-1)
            h = R.matmul(p, vt)
            out = R.permute_dims(h, axes=[0, 2, 1, 3])
            R.output(out)
        return out

    @R.function
    def scores_are_used(q: R.Tensor(("b", "n", 4, 16), "float32"), k: R.Tensor(("b", "m", 4, 16), "float32"), v: R.Tensor(("b", "m", 4, 16), "float32"), mask: R.Tensor(("b", 1, "n", "m"), "bool")) -> R.Tensor(("b", 4, "n", "m"), "float32"):
        b = T.int64()
        n = T.int64()
        m = T.int64()
        with R.dataflow():
            qt = R.permute_dims(q, axes=[0, 2, 1, 3])
            kt = R.permute_dims(k, axes=[0, 2, 3, 1])
            vt = R.permute_dims(v, axes=[0, 2, 1, 3])
            z = R.matmul(qt, kt)
            p = R.nn.softmax(z, axis=-1)
            h = R.matmul(p, vt)
            r = R.sum(h)
            out = R.add(p, r)
            R.output(out)
        return out

    @R.function
    def three_dimensions(q: R.Tensor(("b", "n", 16), "float32"), k: R.Tensor(("b", "m", 16), "float32"), v: R.Tensor(("b", "m", 8), "float32"), bias: R.Tensor(("n", "m"), "float32")) -> R.Tensor(("b", "n", 8), "float32"):
        b = T.int64()
        n = T.int64()
        m = T.int64()
        with R.dataflow():
            kt = R.permute_dims(k, axes=[0, 2, 1])
            z = R.matmul(q, kt)
            y = R.multiply(z, R.const(0.25, "float32"))
            s = R.add(y, bias)
            p = R.nn.softmax(s, axis=2)
            out = R.matmul(p, v)
            R.output(out)
        return out

    @R.function
    def wider_behind_the_scores(q: R.Tensor(("b", "n", 4, 16), "float32"), k: R.Tensor(("b", "n", 4, 16), "float32"), v: R.Tensor(("b", 4, "n", 16), "float64"), seen: R.Tensor(("n", "n"), "bool")) -> R.Tensor(("b", 4, "n", 16), "float64"):
        b = T.int64()
        n = T.int64()
        with R.dataflow():
            qt = R.permute_dims(q, axes=[0, 2, 1, 3])
            kt = R.permute_dims(k, axes=[0, 2, 3, 1])
            z = R.matmul(qt, kt)
            y = R.multiply(z, R.const(0.25, "float32"))
            w = R.astype(y, dtype="float64")
            mask = R.where(seen, R.const(0.0, "float64"), R.const(-1000000000.0, "float64"))
            s = R.add(w, mask)
            p = R.nn.softmax(s, axis=-1)
            out = R.matmul(p, v)
            R.output(out)
        return out

    @R.function
    def integer_scores_stay(q: R.Tensor(("b", 4, "n", 16), "int8"), k: R.Tensor(("b", 4, 16, "n"), "int8"), v: R.Tensor(("b", 4, "n", 16), "float32")) -> R.Tensor(("b", 4, "n", 16), "float32"):
        b = T.int64()
        n = T.int64()
        with R.dataflow():
            z = R.matmul(q, k)
            w = R.astype(z, dtype="float32")
            p = R.nn.softmax(w, axis=-1)
            out = R.matmul(p, v)
            R.output(out)
        return out

    @R.function
    def narrower_behind_the_scores(q: R.Tensor(("b", 4, "n", 16), "float64"), k: R.Tensor(("b", 4, 16, "n"), "float64"), v: R.Tensor(("b", 4, "n", 16), "float32")) -> R.Tensor(("b", 4, "n", 16), "float32"):
        b = T.int64()
        n = T.int64()
        with R.dataflow():
            z = R.matmul(q, k)
            w = R.astype(z, dtype="float32")
            p = R.nn.softmax(w, axis=-1)
            out = R.matmul(p, v)
            R.output(out)
        return out

    @R.function
    def half_as_exported(q: R.Tensor(("b", 4, "n", 16), "float16"), k: R.Tensor(("b", 4, 16, "n"), "float16"), v: R.Tensor(("b", 4, "n", 16), "float16"), mask: R.Tensor(("b", 1, "n", "n"), "float16")) -> R.Tensor(("b", 4, "n", 16), "float16"):
        b = T.int64()
        n = T.int64()
        with R.dataflow():
            z = R.matmul(q, k)
            y = R.multiply(z, R.const(0.25, "float16"))
            s = R.add(y, mask)
            wide = R.astype(s, "float32")
            p = R.nn.softmax(wide, axis=-1)
            half = R.astype(p, "float16")
            out = R.matmul(half, v)
            R.output(out)
        return out

    @R.function
    def half_with_a_condition(q: R.Tensor(("b", 4, "n", 16), "float16"), k: R.Tensor(("b", 4, 16, "n"), "float16"), v: R.Tensor(("b", 4, "n", 16), "float16"), seen: R.Tensor(("n", "n"), "bool")) -> R.Tensor(("b", 4, "n", 16), "float16"):
        b = T.int64()
        n = T.int64()
        with R.dataflow():
            z = R.matmul(q, k)
            s = R.where(seen, z, R.const(-65504.0, "float16"))
            wide = R.astype(s, "float32")
            p = R.nn.softmax(wide, axis=-1)
            half = R.astype(p, "float16")
            out = R.matmul(half, v)
            R.output(out)
        return out

    @R.function
    def half_that_a_small_number_leaves_standing(q: R.Tensor(("b", 4, "n", 16), "float16"), k: R.Tensor(("b", 4, 16, "n"), "float16"), v: R.Tensor(("b", 4, "n", 16), "float16"), seen: R.Tensor(("n", "n"), "bool")) -> R.Tensor(("b", 4, "n", 16), "float16"):
        b = T.int64()
        n = T.int64()
        with R.dataflow():
            z = R.matmul(q, k)
            s = R.where(seen, z, R.const(-10000.0, "float16"))
            wide = R.astype(s, "float32")
            p = R.nn.softmax(wide, axis=-1)
            half = R.astype(p, "float16")
            out = R.matmul(half, v)
            R.output(out)
        return out

    @R.function
    def bfloat16_weights(q: R.Tensor(("b", 4, "n", 16), "bfloat16"), k: R.Tensor(("b", 4, 16, "n"), "bfloat16"), v: R.Tensor(("b", 4, "n", 16), "bfloat16"), bias: R.Tensor(("n", "n"), "float32")) -> R.Tensor(("b", 4, "n", 16), "bfloat16"):
        b = T.int64()
        n = T.int64()
        with R.dataflow():
            z = R.matmul(q, k)
            wide = R.astype(z, "float32")
            s = R.add(wide, bias)
            p = R.nn.softmax(s, axis=-1)
            half = R.astype(p, "bfloat16")
            out = R.matmul(half, v)
            R.output(out)
        return out

    @R.function
    def two_heads_share(q: R.Tensor(("b", 4, "n", 16), "float32"), k: R.Tensor(("b", 2, "m", 16), "float32"), v: R.Tensor(("b", 2, "m", 16), "float32")) -> R.Tensor(("b", 4, "n", 16), "float32"):
        b = T.int64()
        n = T.int64()
        m = T.int64()
        with R.dataflow():
            k1 = R.expand_dims(k, axis=[2])
            k2 = R.broadcast_to(k1, R.shape([b, 2, 2, m, 16]))
            k3 = R.reshape(k2, R.shape([b, 4, m, 16]))
            kt = R.permute_dims(k3, axes=[0, 1, 3, 2])
            v1 = R.expand_dims(v, axis=[2])
            v2 = R.broadcast_to(v1, R.shape([b, 2, 2, m, 16]))
            v3 = R.reshape(v2, R.shape([b, 4, m, 16]))
            z = R.matmul(q, kt)
            p = R.nn.softmax(z, axis=-1)
            out = R.matmul(p, v3)
            R.output(out)
        return out

    @R.function
    def two_heads_share_what_is_repeated(q: R.Tensor(("b", 4, "n", 16), "float32"), k: R.Tensor(("b", 2, "m", 16), "float32"), v: R.Tensor(("b", 2, "m", 16), "float32")) -> R.Tensor(("b", 4, "n", 16), "float32"):
        b = T.int64()
        n = T.int64()
        m = T.int64()
        with R.dataflow():
            k3 = R.repeat(k, repeats=2, axis=1)
            kt = R.permute_dims(k3, axes=[0, 1, 3, 2])
            v3 = R.repeat(v, repeats=2, axis=1)
            z = R.matmul(q, kt)
            p = R.nn.softmax(z, axis=-1)
            out = R.matmul(p, v3)
            R.output(out)
        return out

    @R.function
    def heads_in_another_order_stay_repeated(q: R.Tensor(("b", 4, "n", 16), "float32"), k: R.Tensor(("b", 2, "m", 16), "float32"), v: R.Tensor(("b", 2, "m", 16), "float32")) -> R.Tensor(("b", 4, "n", 16), "float32"):
        b = T.int64()
        n = T.int64()
        m = T.int64()
        with R.dataflow():
            k1 = R.expand_dims(k, axis=[1])
            k2 = R.broadcast_to(k1, R.shape([b, 2, 2, m, 16]))
            k3 = R.reshape(k2, R.shape([b, 4, m, 16]))
            kt = R.permute_dims(k3, axes=[0, 1, 3, 2])
            v3 = R.repeat(v, repeats=2, axis=1)
            z = R.matmul(q, kt)
            p = R.nn.softmax(z, axis=-1)
            out = R.matmul(p, v3)
            R.output(out)
        return out

    @R.function
    def caches_by_head(q: R.Tensor(("b", "n", 4, 16), "float32"), past_k: R.Tensor(("b", 4, "p", 16), "float32"), past_v: R.Tensor(("b", 4, "p", 16), "float32"), k: R.Tensor(("b", 4, "n", 16), "float32"), v: R.Tensor(("b", 4, "n", 16), "float32"), bias: R.Tensor(("b", 1, "n", "n + p"), "float32")) -> R.Tensor(("b", "n", 4, 16), "float32"):
        b = T.int64()
        n = T.int64()
        p = T.int64()
        with R.dataflow():
            qt = R.permute_dims(q, axes=[0, 2, 1, 3])
            all_k = R.concat((past_k, k), axis=2)
            all_v = R.concat((past_v, v), axis=2)
            kt = R.permute_dims(all_k, axes=[0, 1, 3, 2])
            z = R.matmul(qt, kt)
            y = R.multiply(z, R.const(0.25, "float32"))
            s = R.add(y, bias)
            w = R.nn.softmax(s, axis=-1)
            bad = R.isnan(w)
            good = R.where(bad, R.const(0.0, "float32"), w)
            h = R.matmul(good, all_v)
            out = R.permute_dims(h, axes=[0, 2, 1, 3])
            R.output(out)
        return out

    @R.function
    def turned_in_one_batch(q: R.Tensor(("b", 4, "n", 16), "float32"), k: R.Tensor(("b", 2, "m", 16), "float32"), v: R.Tensor(("b", 2, "o", 16), "float32")) -> R.Tensor(("b", 4, "n", 16), "float32"):
        b = T.int64()
        n = T.int64()
        m = T.int64()
        o = T.int64()
        with R.dataflow():
            ks = R.repeat(k, repeats=2, axis=1)
            vs = R.repeat(v, repeats=2, axis=1)
            flat = R.reshape(ks, R.shape([b * 4, m, 16]))
            turned = R.permute_dims(flat, axes=[0, 2, 1])
            kt = R.reshape(turned, R.shape([b, 4, 16, m]))
            s = R.matmul(q, kt)
            w = R.nn.softmax(s, axis=-1)
            vm = R.match_cast(vs, R.Tensor((b, 4, m, 16), dtype="float32"))
            out = R.matmul(w, vm)
            R.output(out)
        return out

    @R.function
    def two_biases(q: R.Tensor(("b", 4, "n", 16), "float32"), k: R.Tensor(("b", 4, "n", 16), "float32"), v: R.Tensor(("b", 4, "n", 16), "float32"), place: R.Tensor((1, 4, "n", "n"), "float32"), mask: R.Tensor(("b", 1, 1, "n"), "float32")) -> R.Tensor(("b", 4, "n", 16), "float32"):
        b = T.int64()
        n = T.int64()
        with R.dataflow():
            s = R.matmul(q, R.permute_dims(k, axes=[0, 1, 3, 2]))
            z = R.add(R.add(R.divide(s, R.const(4.0, "float32")), place), mask)
            out = R.matmul(R.nn.softmax(z, axis=-1), v)
            R.output(out)
        return out

    @R.function
    def replaced_then_biased(q: R.Tensor(("b", 4, "n", 16), "float32"), k: R.Tensor(("b", 4, "n", 16), "float32"), v: R.Tensor(("b", 4, "n", 16), "float32"), seen: R.Tensor(("n", "n"), "bool"), padding: R.Tensor(("b", 1, 1, "n"), "float32")) -> R.Tensor(("b", 4, "n", 16), "float32"):
        b = T.int64()
        n = T.int64()
        with R.dataflow():
            s = R.matmul(q, R.permute_dims(k, axes=[0, 1, 3, 2]))
            w = R.add(R.where(seen, s, R.const(-3.4028234663852886e+38, "float32")), padding)
            out = R.matmul(R.nn.softmax(w, axis=-1), v)
            R.output(out)
        return out

    @R.function
    def capped(q: R.Tensor(("b", 4, "n", 16), "float32"), k: R.Tensor(("b", 4, "n", 16), "float32"), v: R.Tensor(("b", 4, "n", 16), "float32"), padding: R.Tensor(("b", 1, 1, "n"), "float32")) -> R.Tensor(("b", 4, "n", 16), "float32"):
        b = T.int64()
        n = T.int64()
        with R.dataflow():
            s = R.multiply(R.matmul(q, R.permute_dims(k, axes=[0, 1, 3, 2])), R.const(0.25, "float32"))
            c = R.multiply(R.tanh(R.divide(s, R.const(50.0, "float32"))), R.const(50.0, "float32"))
            out = R.matmul(R.nn.softmax(R.add(c, padding), axis=-1), v)
            R.output(out)
        return out
