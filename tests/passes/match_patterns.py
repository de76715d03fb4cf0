# ==== attention
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
    def causal_and_padded(q: R.Tensor(("b", "n", 4, 16), "float32"), k: R.Tensor(("b", "n + p", 4, 16), "float32"), v: R.Tensor(("b", "n + p", 4, 16), "float32"), cache: R.Tensor(("p",), "float32"), unpadded: R.Tensor(("b", "n + p"), "bool")) -> R.Tensor(("b", "n", 4, 16), "float32"):
        b = T.int64()
        n = T.int64()
        p = T.int64()
        with R.dataflow():
            qt = R.permute_dims(q, axes=[0, 2, 1, 3])
            kt = R.permute_dims(k, axes=[0, 2, 3, 1])
            vt = R.permute_dims(v, axes=[0, 2, 1, 3])
            new = R.arange(R.prim_value(0), R.prim_value(n), R.prim_value(1), dtype="int64")
            past = R.reshape(R.shape_to_tensor(R.shape([p])), R.shape([]))
            at = R.add(new, past)
            i = R.reshape(R.reshape(at, R.shape([1, 1, n])), R.shape([1, 1, n, 1]))
            all = R.arange(R.prim_value(0), R.prim_value(n + p), R.prim_value(1), dtype="int64")
            j = R.reshape(R.reshape(all, R.shape([1, 1, n + p])), R.shape([1, 1, 1, n + p]))
            before = R.less_equal(j, i)
            own = R.reshape(unpadded, R.shape([b, 1, 1, n + p]))
            seen = R.logical_and(R.logical_and(R.const(True, "bool"), before), own)
            z = R.matmul(qt, kt)
            y = R.multiply(z, R.const(0.25, "float32"))
            mask = R.where(seen, R.const(0.0, "float32"), R.const(-3.4028234663852886e+38, "float32"))
            s = R.add(y, mask)
            w = R.nn.softmax(s, axis=-1)
            h = R.matmul(w, vt)
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
# ---- expected
# from tvm.script import ir as I
# from tvm.script import tir as T
# from tvm.script import relax as R

@I.ir_module
class Module:
    @R.function
    def scale_after(q: R.Tensor(("b", "n", 4, 16), dtype="float32"), k: R.Tensor(("b", "m", 4, 16), dtype="float32"), v: R.Tensor(("b", "m", 4, 16), dtype="float32")) -> R.Tensor(("b", "n", 4, 16), dtype="float32"):
        b = T.int64()
        n = T.int64()
        m = T.int64()
        with R.dataflow():
            qt: R.Tensor((b, 4, n, 16), dtype="float32") = R.permute_dims(q, axes=[0, 2, 1, 3])
            kt: R.Tensor((b, 4, 16, m), dtype="float32") = R.permute_dims(k, axes=[0, 2, 3, 1])
            vt: R.Tensor((b, 4, m, 16), dtype="float32") = R.permute_dims(v, axes=[0, 2, 1, 3])
            z: R.Tensor((b, 4, n, m), dtype="float32") = R.matmul(qt, kt, out_dtype="void")
            s: R.Tensor((b, 4, n, m), dtype="float32") = R.divide(z, R.const(4.0, "float32"))
            p: R.Tensor((b, 4, n, m), dtype="float32") = R.nn.softmax(s, axis=-1)
            h: R.Tensor((b, n, 4, 16), dtype="float32") = R.nn.attention(q, k, v, scale=0.25, causal_mask=None, window_size=None)
            h_1: R.Tensor((b, 4, n, 16), dtype="float32") = R.permute_dims(h, axes=[0, 2, 1, 3])
            R.output(h)
        return h

    @R.function
    def scale_on_both(q: R.Tensor(("b", "n", 4, 16), dtype="float32"), k: R.Tensor(("b", "m", 4, 16), dtype="float32"), v: R.Tensor(("b", "m", 4, 16), dtype="float32")) -> R.Tensor(("b", "n", 4, 16), dtype="float32"):
        b = T.int64()
        n = T.int64()
        m = T.int64()
        with R.dataflow():
            qt: R.Tensor((b, 4, n, 16), dtype="float32") = R.permute_dims(q, axes=[0, 2, 1, 3])
            kt: R.Tensor((b, 4, 16, m), dtype="float32") = R.permute_dims(k, axes=[0, 2, 3, 1])
            vt: R.Tensor((b, 4, m, 16), dtype="float32") = R.permute_dims(v, axes=[0, 2, 1, 3])
            qs: R.Tensor((b, 4, n, 16), dtype="float32") = R.multiply(qt, R.const(0.5, "float32"))
            ks: R.Tensor((b, 4, 16, m), dtype="float32") = R.multiply(kt, R.const(0.5, "float32"))
            s: R.Tensor((b, 4, n, m), dtype="float32") = R.matmul(qs, ks, out_dtype="void")
            p: R.Tensor((b, 4, n, m), dtype="float32") = R.nn.softmax(s, axis=-1)
            h: R.Tensor((b, n, 4, 16), dtype="float32") = R.nn.attention(q, k, v, scale=0.25, causal_mask=None, window_size=None)
            h_1: R.Tensor((b, 4, n, 16), dtype="float32") = R.permute_dims(h, axes=[0, 2, 1, 3])
            R.output(h)
        return h

    @R.function
    def bias(q: R.Tensor(("b", "n", 4, 16), dtype="float32"), k: R.Tensor(("b", "m", 4, 16), dtype="float32"), v: R.Tensor(("b", "m", 4, 16), dtype="float32"), bias: R.Tensor((1, "n", "m"), dtype="float32")) -> R.Tensor(("b", "n", 4, 16), dtype="float32"):
        b = T.int64()
        n = T.int64()
        m = T.int64()
        with R.dataflow():
            qt: R.Tensor((b, 4, n, 16), dtype="float32") = R.permute_dims(q, axes=[0, 2, 1, 3])
            kt: R.Tensor((b, 4, 16, m), dtype="float32") = R.permute_dims(k, axes=[0, 2, 3, 1])
            vt: R.Tensor((b, 4, m, 16), dtype="float32") = R.permute_dims(v, axes=[0, 2, 1, 3])
            z: R.Tensor((b, 4, n, m), dtype="float32") = R.matmul(qt, kt, out_dtype="void")
            y: R.Tensor((b, 4, n, m), dtype="float32") = R.multiply(z, R.const(0.25, "float32"))
            s: R.Tensor((b, 4, n, m), dtype="float32") = R.add(y, bias)
            p: R.Tensor((b, 4, n, m), dtype="float32") = R.nn.softmax(s, axis=-1)
            h: R.Tensor((1, 1, n, m), dtype="float32") = R.reshape(bias, R.shape([1, 1, n, m]))
            h_1: R.Tensor((b, n, 4, 16), dtype="float32") = R.nn.attention_bias(q, k, v, h, scale=0.25, causal_mask=None, window_size=None)
            h_2: R.Tensor((b, 4, n, 16), dtype="float32") = R.permute_dims(h_1, axes=[0, 2, 1, 3])
            R.output(h_1)
        return h_1

    @R.function
    def mask(q: R.Tensor(("b", "n", 4, 16), dtype="float32"), k: R.Tensor(("b", "m", 4, 16), dtype="float32"), v: R.Tensor(("b", "m", 4, 16), dtype="float32"), mask: R.Tensor(("b", 1, "n", "m"), dtype="bool")) -> R.Tensor(("b", "n", 4, 16), dtype="float32"):
        b = T.int64()
        n = T.int64()
        m = T.int64()
        with R.dataflow():
            qt: R.Tensor((b, 4, n, 16), dtype="float32") = R.permute_dims(q, axes=[0, 2, 1, 3])
            kt: R.Tensor((b, 4, 16, m), dtype="float32") = R.permute_dims(k, axes=[0, 2, 3, 1])
            vt: R.Tensor((b, 4, m, 16), dtype="float32") = R.permute_dims(v, axes=[0, 2, 1, 3])
            z: R.Tensor((b, 4, n, m), dtype="float32") = R.matmul(qt, kt, out_dtype="void")
            y: R.Tensor((b, 4, n, m), dtype="float32") = R.multiply(z, R.const(0.25, "float32"))
            s: R.Tensor((b, 4, n, m), dtype="float32") = R.where(mask, y, R.const(-1.0000000150474662e+30, "float32"))
            p: R.Tensor((b, 4, n, m), dtype="float32") = R.nn.softmax(s, axis=-1)
            h: R.Tensor((b, 1, n, m), dtype="float32") = R.where(mask, R.const(0.0, "float32"), R.const(-9.999999680285692e+37, "float32"))
            h_1: R.Tensor((b, n, 4, 16), dtype="float32") = R.nn.attention_as_stored(q, k, v, h, scale=0.25, causal_mask=None, window_size=None, layout="BSHD", unseen_zero=False, softcap=0.0, hidden=None, bias_replaces=True)
            h_2: R.Tensor((b, 4, n, 16), dtype="float32") = R.permute_dims(h_1, axes=[0, 2, 1, 3])
            R.output(h_1)
        return h_1

    @R.function
    def causal(q: R.Tensor(("b", "n", 4, 16), dtype="float32"), k: R.Tensor(("b", "n", 4, 16), dtype="float32"), v: R.Tensor(("b", "n", 4, 16), dtype="float32")) -> R.Tensor(("b", "n", 4, 16), dtype="float32"):
        b = T.int64()
        n = T.int64()
        with R.dataflow():
            qt: R.Tensor((b, 4, n, 16), dtype="float32") = R.permute_dims(q, axes=[0, 2, 1, 3])
            kt: R.Tensor((b, 4, 16, n), dtype="float32") = R.permute_dims(k, axes=[0, 2, 3, 1])
            vt: R.Tensor((b, 4, n, 16), dtype="float32") = R.permute_dims(v, axes=[0, 2, 1, 3])
            i: R.Tensor((n,), dtype="int64") = R.arange(R.prim_value(0), R.prim_value(n), R.prim_value(1), dtype="int64")
            row: R.Tensor((n, 1), dtype="int64") = R.expand_dims(i, axis=[1])
            column: R.Tensor((1, n), dtype="int64") = R.expand_dims(i, axis=[0])
            seen: R.Tensor((n, n), dtype="bool") = R.less_equal(column, row)
            z: R.Tensor((b, 4, n, n), dtype="float32") = R.matmul(qt, kt, out_dtype="void")
            y: R.Tensor((b, 4, n, n), dtype="float32") = R.multiply(z, R.const(0.25, "float32"))
            mask: R.Tensor((n, n), dtype="float32") = R.where(seen, R.const(0.0, "float32"), R.const(-1000000000.0, "float32"))
            four: R.Tensor((1, 1, n, n), dtype="float32") = R.reshape(mask, R.shape([1, 1, n, n]))
            s: R.Tensor((b, 4, n, n), dtype="float32") = R.add(y, four)
            p: R.Tensor((b, 4, n, n), dtype="float32") = R.nn.softmax(s, axis=-1)
            h: R.Tensor((b, n, 4, 16), dtype="float32") = R.nn.attention(q, k, v, scale=0.25, causal_mask="TopLeft", window_size=None)
            h_1: R.Tensor((b, 4, n, 16), dtype="float32") = R.permute_dims(h, axes=[0, 2, 1, 3])
            R.output(h)
        return h

    @R.function
    def causal_and_padded(q: R.Tensor(("b", "n", 4, 16), dtype="float32"), k: R.Tensor(("b", "n + p", 4, 16), dtype="float32"), v: R.Tensor(("b", "n + p", 4, 16), dtype="float32"), cache: R.Tensor(("p",), dtype="float32"), unpadded: R.Tensor(("b", "n + p"), dtype="bool")) -> R.Tensor(("b", "n", 4, 16), dtype="float32"):
        b = T.int64()
        n = T.int64()
        p = T.int64()
        with R.dataflow():
            qt: R.Tensor((b, 4, n, 16), dtype="float32") = R.permute_dims(q, axes=[0, 2, 1, 3])
            kt: R.Tensor((b, 4, 16, n + p), dtype="float32") = R.permute_dims(k, axes=[0, 2, 3, 1])
            vt: R.Tensor((b, 4, n + p, 16), dtype="float32") = R.permute_dims(v, axes=[0, 2, 1, 3])
            new: R.Tensor((n,), dtype="int64") = R.arange(R.prim_value(0), R.prim_value(n), R.prim_value(1), dtype="int64")
            lv: R.Tensor((1,), dtype="int64") = R.shape_to_tensor(R.shape([p]))
            past: R.Tensor((), dtype="int64") = R.reshape(lv, R.shape([]))
            at: R.Tensor((n,), dtype="int64") = R.add(new, past)
            lv_1: R.Tensor((1, 1, n), dtype="int64") = R.reshape(at, R.shape([1, 1, n]))
            i: R.Tensor((1, 1, n, 1), dtype="int64") = R.reshape(lv_1, R.shape([1, 1, n, 1]))
            all: R.Tensor((n + p,), dtype="int64") = R.arange(R.prim_value(0), R.prim_value(n + p), R.prim_value(1), dtype="int64")
            lv_2: R.Tensor((1, 1, n + p), dtype="int64") = R.reshape(all, R.shape([1, 1, n + p]))
            j: R.Tensor((1, 1, 1, n + p), dtype="int64") = R.reshape(lv_2, R.shape([1, 1, 1, n + p]))
            before: R.Tensor((1, 1, n, n + p), dtype="bool") = R.less_equal(j, i)
            own: R.Tensor((b, 1, 1, n + p), dtype="bool") = R.reshape(unpadded, R.shape([b, 1, 1, n + p]))
            lv_3: R.Tensor((1, 1, n, n + p), dtype="bool") = R.logical_and(R.const(True, "bool"), before)
            seen: R.Tensor((b, 1, n, n + p), dtype="bool") = R.logical_and(lv_3, own)
            z: R.Tensor((b, 4, n, n + p), dtype="float32") = R.matmul(qt, kt, out_dtype="void")
            y: R.Tensor((b, 4, n, n + p), dtype="float32") = R.multiply(z, R.const(0.25, "float32"))
            mask: R.Tensor((b, 1, n, n + p), dtype="float32") = R.where(seen, R.const(0.0, "float32"), R.const(-3.4028234663852886e+38, "float32"))
            s: R.Tensor((b, 4, n, n + p), dtype="float32") = R.add(y, mask)
            w: R.Tensor((b, 4, n, n + p), dtype="float32") = R.nn.softmax(s, axis=-1)
            h: R.Tensor((b, n, 4, 16), dtype="float32") = R.nn.attention_as_stored(q, k, v, mask, scale=0.25, causal_mask="BottomRight", window_size=None, layout="BSHD", unseen_zero=False, softcap=0.0, hidden=-3.4028234663852886e+38, bias_replaces=False)
            h_1: R.Tensor((b, 4, n, 16), dtype="float32") = R.permute_dims(h, axes=[0, 2, 1, 3])
            R.output(h)
        return h

    @R.function
    def small_fill_stays(q: R.Tensor(("b", "n", 4, 16), dtype="float32"), k: R.Tensor(("b", "m", 4, 16), dtype="float32"), v: R.Tensor(("b", "m", 4, 16), dtype="float32"), mask: R.Tensor(("b", 1, "n", "m"), dtype="bool")) -> R.Tensor(("b", "n", 4, 16), dtype="float32"):
        b = T.int64()
        n = T.int64()
        m = T.int64()
        with R.dataflow():
            qt: R.Tensor((b, 4, n, 16), dtype="float32") = R.permute_dims(q, axes=[0, 2, 1, 3])
            kt: R.Tensor((b, 4, 16, m), dtype="float32") = R.permute_dims(k, axes=[0, 2, 3, 1])
            vt: R.Tensor((b, 4, m, 16), dtype="float32") = R.permute_dims(v, axes=[0, 2, 1, 3])
            z: R.Tensor((b, 4, n, m), dtype="float32") = R.matmul(qt, kt, out_dtype="void")
            y: R.Tensor((b, 4, n, m), dtype="float32") = R.multiply(z, R.const(0.25, "float32"))
            s: R.Tensor((b, 4, n, m), dtype="float32") = R.where(mask, y, R.const(-100.0, "float32"))
            p: R.Tensor((b, 4, n, m), dtype="float32") = R.nn.softmax(s, axis=-1)
            h: R.Tensor((b, 4, n, 16), dtype="float32") = R.matmul(p, vt, out_dtype="void")
            out: R.Tensor((b, n, 4, 16), dtype="float32") = R.permute_dims(h, axes=[0, 2, 1, 3])
            R.output(out)
        return out

    @R.function
    def scores_are_used(q: R.Tensor(("b", "n", 4, 16), dtype="float32"), k: R.Tensor(("b", "m", 4, 16), dtype="float32"), v: R.Tensor(("b", "m", 4, 16), dtype="float32"), mask: R.Tensor(("b", 1, "n", "m"), dtype="bool")) -> R.Tensor(("b", 4, "n", "m"), dtype="float32"):
        b = T.int64()
        n = T.int64()
        m = T.int64()
        with R.dataflow():
            qt: R.Tensor((b, 4, n, 16), dtype="float32") = R.permute_dims(q, axes=[0, 2, 1, 3])
            kt: R.Tensor((b, 4, 16, m), dtype="float32") = R.permute_dims(k, axes=[0, 2, 3, 1])
            vt: R.Tensor((b, 4, m, 16), dtype="float32") = R.permute_dims(v, axes=[0, 2, 1, 3])
            z: R.Tensor((b, 4, n, m), dtype="float32") = R.matmul(qt, kt, out_dtype="void")
            p: R.Tensor((b, 4, n, m), dtype="float32") = R.nn.softmax(z, axis=-1)
            h: R.Tensor((b, 4, n, 16), dtype="float32") = R.matmul(p, vt, out_dtype="void")
            r: R.Tensor((), dtype="float32") = R.sum(h, axis=None, keepdims=False)
            out: R.Tensor((b, 4, n, m), dtype="float32") = R.add(p, r)
            R.output(out)
        return out

    @R.function
    def three_dimensions(q: R.Tensor(("b", "n", 16), dtype="float32"), k: R.Tensor(("b", "m", 16), dtype="float32"), v: R.Tensor(("b", "m", 8), dtype="float32"), bias: R.Tensor(("n", "m"), dtype="float32")) -> R.Tensor(("b", "n", 8), dtype="float32"):
        b = T.int64()
        n = T.int64()
        m = T.int64()
        with R.dataflow():
            kt: R.Tensor((b, 16, m), dtype="float32") = R.permute_dims(k, axes=[0, 2, 1])
            z: R.Tensor((b, n, m), dtype="float32") = R.matmul(q, kt, out_dtype="void")
            y: R.Tensor((b, n, m), dtype="float32") = R.multiply(z, R.const(0.25, "float32"))
            s: R.Tensor((b, n, m), dtype="float32") = R.add(y, bias)
            p: R.Tensor((b, n, m), dtype="float32") = R.nn.softmax(s, axis=2)
            out: R.Tensor((1, 1, n, m), dtype="float32") = R.reshape(bias, R.shape([1, 1, n, m]))
            out_1: R.Tensor((b, n, 1, 16), dtype="float32") = R.reshape(q, R.shape([b, n, 1, 16]))
            out_2: R.Tensor((b, m, 1, 16), dtype="float32") = R.reshape(k, R.shape([b, m, 1, 16]))
            out_3: R.Tensor((b, m, 1, 8), dtype="float32") = R.reshape(v, R.shape([b, m, 1, 8]))
            out_4: R.Tensor((b, n, 1, 8), dtype="float32") = R.nn.attention_bias(out_1, out_2, out_3, out, scale=0.25, causal_mask=None, window_size=None)
            out_5: R.Tensor((b, n, 8), dtype="float32") = R.reshape(out_4, R.shape([b, n, 8]))
            R.output(out_5)
        return out_5

    @R.function
    def wider_behind_the_scores(q: R.Tensor(("b", "n", 4, 16), dtype="float32"), k: R.Tensor(("b", "n", 4, 16), dtype="float32"), v: R.Tensor(("b", 4, "n", 16), dtype="float64"), seen: R.Tensor(("n", "n"), dtype="bool")) -> R.Tensor(("b", 4, "n", 16), dtype="float64"):
        b = T.int64()
        n = T.int64()
        with R.dataflow():
            qt: R.Tensor((b, 4, n, 16), dtype="float32") = R.permute_dims(q, axes=[0, 2, 1, 3])
            kt: R.Tensor((b, 4, 16, n), dtype="float32") = R.permute_dims(k, axes=[0, 2, 3, 1])
            z: R.Tensor((b, 4, n, n), dtype="float32") = R.matmul(qt, kt, out_dtype="void")
            y: R.Tensor((b, 4, n, n), dtype="float32") = R.multiply(z, R.const(0.25, "float32"))
            w: R.Tensor((b, 4, n, n), dtype="float64") = R.astype(y, dtype="float64")
            mask: R.Tensor((n, n), dtype="float64") = R.where(seen, R.const(0.0, "float64"), R.const(-1000000000.0, "float64"))
            s: R.Tensor((b, 4, n, n), dtype="float64") = R.add(w, mask)
            p: R.Tensor((b, 4, n, n), dtype="float64") = R.nn.softmax(s, axis=-1)
            out: R.Tensor((1, 1, n, n), dtype="float64") = R.reshape(mask, R.shape([1, 1, n, n]))
            out_1: R.Tensor((b, n, 4, 16), dtype="float64") = R.astype(q, dtype="float64")
            out_2: R.Tensor((b, n, 4, 16), dtype="float64") = R.astype(k, dtype="float64")
            out_3: R.Tensor((b, n, 4, 16), dtype="float64") = R.permute_dims(v, axes=[0, 2, 1, 3])
            out_4: R.Tensor((b, n, 4, 16), dtype="float64") = R.nn.attention_bias(out_1, out_2, out_3, out, scale=0.25, causal_mask=None, window_size=None)
            out_5: R.Tensor((b, 4, n, 16), dtype="float64") = R.permute_dims(out_4, axes=[0, 2, 1, 3])
            R.output(out_5)
        return out_5

    @R.function
    def integer_scores_stay(q: R.Tensor(("b", 4, "n", 16), dtype="int8"), k: R.Tensor(("b", 4, 16, "n"), dtype="int8"), v: R.Tensor(("b", 4, "n", 16), dtype="float32")) -> R.Tensor(("b", 4, "n", 16), dtype="float32"):
        b = T.int64()
        n = T.int64()
        with R.dataflow():
            z: R.Tensor((b, 4, n, n), dtype="int8") = R.matmul(q, k, out_dtype="void")
            w: R.Tensor((b, 4, n, n), dtype="float32") = R.astype(z, dtype="float32")
            p: R.Tensor((b, 4, n, n), dtype="float32") = R.nn.softmax(w, axis=-1)
            out: R.Tensor((b, 4, n, 16), dtype="float32") = R.matmul(p, v, out_dtype="void")
            R.output(out)
        return out

    @R.function
    def narrower_behind_the_scores(q: R.Tensor(("b", 4, "n", 16), dtype="float64"), k: R.Tensor(("b", 4, 16, "n"), dtype="float64"), v: R.Tensor(("b", 4, "n", 16), dtype="float32")) -> R.Tensor(("b", 4, "n", 16), dtype="float32"):
        b = T.int64()
        n = T.int64()
        with R.dataflow():
            z: R.Tensor((b, 4, n, n), dtype="float64") = R.matmul(q, k, out_dtype="void")
            w: R.Tensor((b, 4, n, n), dtype="float32") = R.astype(z, dtype="float32")
            p: R.Tensor((b, 4, n, n), dtype="float32") = R.nn.softmax(w, axis=-1)
            out: R.Tensor((b, 4, n, 16), dtype="float32") = R.matmul(p, v, out_dtype="void")
            R.output(out)
        return out

    @R.function
    def half_as_exported(q: R.Tensor(("b", 4, "n", 16), dtype="float16"), k: R.Tensor(("b", 4, 16, "n"), dtype="float16"), v: R.Tensor(("b", 4, "n", 16), dtype="float16"), mask: R.Tensor(("b", 1, "n", "n"), dtype="float16")) -> R.Tensor(("b", 4, "n", 16), dtype="float16"):
        b = T.int64()
        n = T.int64()
        with R.dataflow():
            z: R.Tensor((b, 4, n, n), dtype="float16") = R.matmul(q, k, out_dtype="void")
            y: R.Tensor((b, 4, n, n), dtype="float16") = R.multiply(z, R.const(0.25, "float16"))
            s: R.Tensor((b, 4, n, n), dtype="float16") = R.add(y, mask)
            wide: R.Tensor((b, 4, n, n), dtype="float32") = R.astype(s, dtype="float32")
            p: R.Tensor((b, 4, n, n), dtype="float32") = R.nn.softmax(wide, axis=-1)
            half: R.Tensor((b, 4, n, n), dtype="float16") = R.astype(p, dtype="float16")
            out: R.Tensor((b, n, 4, 16), dtype="float16") = R.permute_dims(q, axes=[0, 2, 1, 3])
            out_1: R.Tensor((b, 4, n, 16), dtype="float16") = R.permute_dims(k, axes=[0, 1, 3, 2])
            out_2: R.Tensor((b, n, 4, 16), dtype="float16") = R.nn.attention_as_stored(out, out_1, v, mask, scale=0.25, causal_mask=None, window_size=None, layout="BHSD", unseen_zero=False, softcap=0.0, hidden=None, bias_replaces=False)
            out_3: R.Tensor((b, 4, n, 16), dtype="float16") = R.permute_dims(out_2, axes=[0, 2, 1, 3])
            R.output(out_3)
        return out_3

    @R.function
    def half_with_a_condition(q: R.Tensor(("b", 4, "n", 16), dtype="float16"), k: R.Tensor(("b", 4, 16, "n"), dtype="float16"), v: R.Tensor(("b", 4, "n", 16), dtype="float16"), seen: R.Tensor(("n", "n"), dtype="bool")) -> R.Tensor(("b", 4, "n", 16), dtype="float16"):
        b = T.int64()
        n = T.int64()
        with R.dataflow():
            z: R.Tensor((b, 4, n, n), dtype="float16") = R.matmul(q, k, out_dtype="void")
            s: R.Tensor((b, 4, n, n), dtype="float16") = R.where(seen, z, R.const(-65504.0, "float16"))
            wide: R.Tensor((b, 4, n, n), dtype="float32") = R.astype(s, dtype="float32")
            p: R.Tensor((b, 4, n, n), dtype="float32") = R.nn.softmax(wide, axis=-1)
            half: R.Tensor((b, 4, n, n), dtype="float16") = R.astype(p, dtype="float16")
            out: R.Tensor((n, n), dtype="float32") = R.where(seen, R.const(0.0, "float32"), R.const(-9.999999680285692e+37, "float32"))
            out_1: R.Tensor((1, 1, n, n), dtype="float32") = R.reshape(out, R.shape([1, 1, n, n]))
            out_2: R.Tensor((b, n, 4, 16), dtype="float16") = R.permute_dims(q, axes=[0, 2, 1, 3])
            out_3: R.Tensor((b, 4, n, 16), dtype="float16") = R.permute_dims(k, axes=[0, 1, 3, 2])
            out_4: R.Tensor((b, n, 4, 16), dtype="float16") = R.nn.attention_as_stored(out_2, out_3, v, out_1, scale=1.0, causal_mask=None, window_size=None, layout="BHSD", unseen_zero=False, softcap=0.0, hidden=None, bias_replaces=True)
            out_5: R.Tensor((b, 4, n, 16), dtype="float16") = R.permute_dims(out_4, axes=[0, 2, 1, 3])
            R.output(out_5)
        return out_5

    @R.function
    def half_that_a_small_number_leaves_standing(q: R.Tensor(("b", 4, "n", 16), dtype="float16"), k: R.Tensor(("b", 4, 16, "n"), dtype="float16"), v: R.Tensor(("b", 4, "n", 16), dtype="float16"), seen: R.Tensor(("n", "n"), dtype="bool")) -> R.Tensor(("b", 4, "n", 16), dtype="float16"):
        b = T.int64()
        n = T.int64()
        with R.dataflow():
            z: R.Tensor((b, 4, n, n), dtype="float16") = R.matmul(q, k, out_dtype="void")
            s: R.Tensor((b, 4, n, n), dtype="float16") = R.where(seen, z, R.const(-10000.0, "float16"))
            wide: R.Tensor((b, 4, n, n), dtype="float32") = R.astype(s, dtype="float32")
            p: R.Tensor((b, 4, n, n), dtype="float32") = R.nn.softmax(wide, axis=-1)
            half: R.Tensor((b, 4, n, n), dtype="float16") = R.astype(p, dtype="float16")
            out: R.Tensor((b, 4, n, 16), dtype="float16") = R.matmul(half, v, out_dtype="void")
            R.output(out)
        return out

    @R.function
    def bfloat16_weights(q: R.Tensor(("b", 4, "n", 16), dtype="bfloat16"), k: R.Tensor(("b", 4, 16, "n"), dtype="bfloat16"), v: R.Tensor(("b", 4, "n", 16), dtype="bfloat16"), bias: R.Tensor(("n", "n"), dtype="float32")) -> R.Tensor(("b", 4, "n", 16), dtype="bfloat16"):
        b = T.int64()
        n = T.int64()
        with R.dataflow():
            z: R.Tensor((b, 4, n, n), dtype="bfloat16") = R.matmul(q, k, out_dtype="void")
            wide: R.Tensor((b, 4, n, n), dtype="float32") = R.astype(z, dtype="float32")
            s: R.Tensor((b, 4, n, n), dtype="float32") = R.add(wide, bias)
            p: R.Tensor((b, 4, n, n), dtype="float32") = R.nn.softmax(s, axis=-1)
            half: R.Tensor((b, 4, n, n), dtype="bfloat16") = R.astype(p, dtype="bfloat16")
            out: R.Tensor((1, 1, n, n), dtype="float32") = R.reshape(bias, R.shape([1, 1, n, n]))
            out_1: R.Tensor((b, n, 4, 16), dtype="bfloat16") = R.permute_dims(q, axes=[0, 2, 1, 3])
            out_2: R.Tensor((b, 4, n, 16), dtype="bfloat16") = R.permute_dims(k, axes=[0, 1, 3, 2])
            out_3: R.Tensor((b, n, 4, 16), dtype="bfloat16") = R.nn.attention_as_stored(out_1, out_2, v, out, scale=1.0, causal_mask=None, window_size=None, layout="BHSD", unseen_zero=False, softcap=0.0, hidden=None, bias_replaces=False)
            out_4: R.Tensor((b, 4, n, 16), dtype="bfloat16") = R.permute_dims(out_3, axes=[0, 2, 1, 3])
            R.output(out_4)
        return out_4

    @R.function
    def two_heads_share(q: R.Tensor(("b", 4, "n", 16), dtype="float32"), k: R.Tensor(("b", 2, "m", 16), dtype="float32"), v: R.Tensor(("b", 2, "m", 16), dtype="float32")) -> R.Tensor(("b", 4, "n", 16), dtype="float32"):
        b = T.int64()
        n = T.int64()
        m = T.int64()
        with R.dataflow():
            k1: R.Tensor((b, 2, 1, m, 16), dtype="float32") = R.expand_dims(k, axis=[2])
            k2: R.Tensor((b, 2, 2, m, 16), dtype="float32") = R.broadcast_to(k1, R.shape([b, 2, 2, m, 16]))
            k3: R.Tensor((b, 4, m, 16), dtype="float32") = R.reshape(k2, R.shape([b, 4, m, 16]))
            kt: R.Tensor((b, 4, 16, m), dtype="float32") = R.permute_dims(k3, axes=[0, 1, 3, 2])
            v1: R.Tensor((b, 2, 1, m, 16), dtype="float32") = R.expand_dims(v, axis=[2])
            v2: R.Tensor((b, 2, 2, m, 16), dtype="float32") = R.broadcast_to(v1, R.shape([b, 2, 2, m, 16]))
            v3: R.Tensor((b, 4, m, 16), dtype="float32") = R.reshape(v2, R.shape([b, 4, m, 16]))
            z: R.Tensor((b, 4, n, m), dtype="float32") = R.matmul(q, kt, out_dtype="void")
            p: R.Tensor((b, 4, n, m), dtype="float32") = R.nn.softmax(z, axis=-1)
            out: R.Tensor((b, n, 4, 16), dtype="float32") = R.permute_dims(q, axes=[0, 2, 1, 3])
            out_1: R.Tensor((b, n, 4, 16), dtype="float32") = R.nn.attention_as_stored(out, k, v, scale=1.0, causal_mask=None, window_size=None, layout="BHSD", unseen_zero=False, softcap=0.0, hidden=None, bias_replaces=False)
            out_2: R.Tensor((b, 4, n, 16), dtype="float32") = R.permute_dims(out_1, axes=[0, 2, 1, 3])
            R.output(out_2)
        return out_2

    @R.function
    def two_heads_share_what_is_repeated(q: R.Tensor(("b", 4, "n", 16), dtype="float32"), k: R.Tensor(("b", 2, "m", 16), dtype="float32"), v: R.Tensor(("b", 2, "m", 16), dtype="float32")) -> R.Tensor(("b", 4, "n", 16), dtype="float32"):
        b = T.int64()
        n = T.int64()
        m = T.int64()
        with R.dataflow():
            k3: R.Tensor((b, 4, m, 16), dtype="float32") = R.repeat(k, repeats=2, axis=1)
            kt: R.Tensor((b, 4, 16, m), dtype="float32") = R.permute_dims(k3, axes=[0, 1, 3, 2])
            v3: R.Tensor((b, 4, m, 16), dtype="float32") = R.repeat(v, repeats=2, axis=1)
            z: R.Tensor((b, 4, n, m), dtype="float32") = R.matmul(q, kt, out_dtype="void")
            p: R.Tensor((b, 4, n, m), dtype="float32") = R.nn.softmax(z, axis=-1)
            out: R.Tensor((b, n, 4, 16), dtype="float32") = R.permute_dims(q, axes=[0, 2, 1, 3])
            out_1: R.Tensor((b, n, 4, 16), dtype="float32") = R.nn.attention_as_stored(out, k, v, scale=1.0, causal_mask=None, window_size=None, layout="BHSD", unseen_zero=False, softcap=0.0, hidden=None, bias_replaces=False)
            out_2: R.Tensor((b, 4, n, 16), dtype="float32") = R.permute_dims(out_1, axes=[0, 2, 1, 3])
            R.output(out_2)
        return out_2

    @R.function
    def heads_in_another_order_stay_repeated(q: R.Tensor(("b", 4, "n", 16), dtype="float32"), k: R.Tensor(("b", 2, "m", 16), dtype="float32"), v: R.Tensor(("b", 2, "m", 16), dtype="float32")) -> R.Tensor(("b", 4, "n", 16), dtype="float32"):
        b = T.int64()
        n = T.int64()
        m = T.int64()
        with R.dataflow():
            k1: R.Tensor((b, 1, 2, m, 16), dtype="float32") = R.expand_dims(k, axis=[1])
            k2: R.Tensor((b, 2, 2, m, 16), dtype="float32") = R.broadcast_to(k1, R.shape([b, 2, 2, m, 16]))
            k3: R.Tensor((b, 4, m, 16), dtype="float32") = R.reshape(k2, R.shape([b, 4, m, 16]))
            kt: R.Tensor((b, 4, 16, m), dtype="float32") = R.permute_dims(k3, axes=[0, 1, 3, 2])
            v3: R.Tensor((b, 4, m, 16), dtype="float32") = R.repeat(v, repeats=2, axis=1)
            z: R.Tensor((b, 4, n, m), dtype="float32") = R.matmul(q, kt, out_dtype="void")
            p: R.Tensor((b, 4, n, m), dtype="float32") = R.nn.softmax(z, axis=-1)
            out: R.Tensor((b, n, 4, 16), dtype="float32") = R.permute_dims(q, axes=[0, 2, 1, 3])
            out_1: R.Tensor((b, n, 4, 16), dtype="float32") = R.nn.attention_as_stored(out, k3, v3, scale=1.0, causal_mask=None, window_size=None, layout="BHSD", unseen_zero=False, softcap=0.0, hidden=None, bias_replaces=False)
            out_2: R.Tensor((b, 4, n, 16), dtype="float32") = R.permute_dims(out_1, axes=[0, 2, 1, 3])
            R.output(out_2)
        return out_2

    @R.function
    def caches_by_head(q: R.Tensor(("b", "n", 4, 16), dtype="float32"), past_k: R.Tensor(("b", 4, "p", 16), dtype="float32"), past_v: R.Tensor(("b", 4, "p", 16), dtype="float32"), k: R.Tensor(("b", 4, "n", 16), dtype="float32"), v: R.Tensor(("b", 4, "n", 16), dtype="float32"), bias: R.Tensor(("b", 1, "n", "n + p"), dtype="float32")) -> R.Tensor(("b", "n", 4, 16), dtype="float32"):
        b = T.int64()
        n = T.int64()
        p = T.int64()
        with R.dataflow():
            qt: R.Tensor((b, 4, n, 16), dtype="float32") = R.permute_dims(q, axes=[0, 2, 1, 3])
            all_k: R.Tensor((b, 4, n + p, 16), dtype="float32") = R.concat((past_k, k), axis=2)
            all_v: R.Tensor((b, 4, n + p, 16), dtype="float32") = R.concat((past_v, v), axis=2)
            kt: R.Tensor((b, 4, 16, n + p), dtype="float32") = R.permute_dims(all_k, axes=[0, 1, 3, 2])
            z: R.Tensor((b, 4, n, n + p), dtype="float32") = R.matmul(qt, kt, out_dtype="void")
            y: R.Tensor((b, 4, n, n + p), dtype="float32") = R.multiply(z, R.const(0.25, "float32"))
            s: R.Tensor((b, 4, n, n + p), dtype="float32") = R.add(y, bias)
            w: R.Tensor((b, 4, n, n + p), dtype="float32") = R.nn.softmax(s, axis=-1)
            bad: R.Tensor((b, 4, n, n + p), dtype="bool") = R.isnan(w)
            good: R.Tensor((b, 4, n, n + p), dtype="float32") = R.where(bad, R.const(0.0, "float32"), w)
            h: R.Tensor((b, n, 4, 16), dtype="float32") = R.nn.attention_as_stored(q, all_k, all_v, bias, scale=0.25, causal_mask=None, window_size=None, layout="BHSD", unseen_zero=True, softcap=0.0, hidden=None, bias_replaces=False)
            h_1: R.Tensor((b, 4, n, 16), dtype="float32") = R.permute_dims(h, axes=[0, 2, 1, 3])
            R.output(h)
        return h

    @R.function
    def turned_in_one_batch(q: R.Tensor(("b", 4, "n", 16), dtype="float32"), k: R.Tensor(("b", 2, "m", 16), dtype="float32"), v: R.Tensor(("b", 2, "o", 16), dtype="float32")) -> R.Tensor(("b", 4, "n", 16), dtype="float32"):
        b = T.int64()
        n = T.int64()
        m = T.int64()
        o = T.int64()
        with R.dataflow():
            ks: R.Tensor((b, 4, m, 16), dtype="float32") = R.repeat(k, repeats=2, axis=1)
            vs: R.Tensor((b, 4, o, 16), dtype="float32") = R.repeat(v, repeats=2, axis=1)
            flat: R.Tensor((b * 4, m, 16), dtype="float32") = R.reshape(ks, R.shape([b * 4, m, 16]))
            turned: R.Tensor((b * 4, 16, m), dtype="float32") = R.permute_dims(flat, axes=[0, 2, 1])
            kt: R.Tensor((b, 4, 16, m), dtype="float32") = R.reshape(turned, R.shape([b, 4, 16, m]))
            s: R.Tensor((b, 4, n, m), dtype="float32") = R.matmul(q, kt, out_dtype="void")
            w: R.Tensor((b, 4, n, m), dtype="float32") = R.nn.softmax(s, axis=-1)
            vm: R.Tensor((b, 2, m, 16), dtype="float32") = R.match_cast(v, R.Tensor((b, 2, m, 16), dtype="float32"))
            vm_1: R.Tensor((b, 4, m, 16), dtype="float32") = R.repeat(vm, repeats=2, axis=1)
            out: R.Tensor((b, n, 4, 16), dtype="float32") = R.permute_dims(q, axes=[0, 2, 1, 3])
            out_1: R.Tensor((b, n, 4, 16), dtype="float32") = R.nn.attention_as_stored(out, k, vm, scale=1.0, causal_mask=None, window_size=None, layout="BHSD", unseen_zero=False, softcap=0.0, hidden=None, bias_replaces=False)
            out_2: R.Tensor((b, 4, n, 16), dtype="float32") = R.permute_dims(out_1, axes=[0, 2, 1, 3])
            R.output(out_2)
        return out_2

    @R.function
    def two_biases(q: R.Tensor(("b", 4, "n", 16), dtype="float32"), k: R.Tensor(("b", 4, "n", 16), dtype="float32"), v: R.Tensor(("b", 4, "n", 16), dtype="float32"), place: R.Tensor((1, 4, "n", "n"), dtype="float32"), mask: R.Tensor(("b", 1, 1, "n"), dtype="float32")) -> R.Tensor(("b", 4, "n", 16), dtype="float32"):
        b = T.int64()
        n = T.int64()
        with R.dataflow():
            lv: R.Tensor((b, 4, 16, n), dtype="float32") = R.permute_dims(k, axes=[0, 1, 3, 2])
            s: R.Tensor((b, 4, n, n), dtype="float32") = R.matmul(q, lv, out_dtype="void")
            lv_1: R.Tensor((b, 4, n, n), dtype="float32") = R.divide(s, R.const(4.0, "float32"))
            lv_2: R.Tensor((b, 4, n, n), dtype="float32") = R.add(lv_1, place)
            z: R.Tensor((b, 4, n, n), dtype="float32") = R.add(lv_2, mask)
            lv_3: R.Tensor((b, 4, n, n), dtype="float32") = R.nn.softmax(z, axis=-1)
            out: R.Tensor((b, 4, n, n), dtype="float32") = R.add(mask, place)
            out_1: R.Tensor((b, n, 4, 16), dtype="float32") = R.permute_dims(q, axes=[0, 2, 1, 3])
            out_2: R.Tensor((b, n, 4, 16), dtype="float32") = R.nn.attention_as_stored(out_1, k, v, out, scale=0.25, causal_mask=None, window_size=None, layout="BHSD", unseen_zero=False, softcap=0.0, hidden=None, bias_replaces=False)
            out_3: R.Tensor((b, 4, n, 16), dtype="float32") = R.permute_dims(out_2, axes=[0, 2, 1, 3])
            R.output(out_3)
        return out_3

    @R.function
    def replaced_then_biased(q: R.Tensor(("b", 4, "n", 16), dtype="float32"), k: R.Tensor(("b", 4, "n", 16), dtype="float32"), v: R.Tensor(("b", 4, "n", 16), dtype="float32"), seen: R.Tensor(("n", "n"), dtype="bool"), padding: R.Tensor(("b", 1, 1, "n"), dtype="float32")) -> R.Tensor(("b", 4, "n", 16), dtype="float32"):
        b = T.int64()
        n = T.int64()
        with R.dataflow():
            lv: R.Tensor((b, 4, 16, n), dtype="float32") = R.permute_dims(k, axes=[0, 1, 3, 2])
            s: R.Tensor((b, 4, n, n), dtype="float32") = R.matmul(q, lv, out_dtype="void")
            lv_1: R.Tensor((b, 4, n, n), dtype="float32") = R.where(seen, s, R.const(-3.4028234663852886e+38, "float32"))
            w: R.Tensor((b, 4, n, n), dtype="float32") = R.add(lv_1, padding)
            lv_2: R.Tensor((b, 4, n, n), dtype="float32") = R.nn.softmax(w, axis=-1)
            out: R.Tensor((n, n), dtype="float32") = R.where(seen, R.const(0.0, "float32"), R.const(-3.4028234663852886e+38, "float32"))
            out_1: R.Tensor((b, 1, n, n), dtype="float32") = R.add(padding, out)
            out_2: R.Tensor((b, n, 4, 16), dtype="float32") = R.permute_dims(q, axes=[0, 2, 1, 3])
            out_3: R.Tensor((b, n, 4, 16), dtype="float32") = R.nn.attention_as_stored(out_2, k, v, out_1, scale=1.0, causal_mask=None, window_size=None, layout="BHSD", unseen_zero=False, softcap=0.0, hidden=None, bias_replaces=False)
            out_4: R.Tensor((b, 4, n, 16), dtype="float32") = R.permute_dims(out_3, axes=[0, 2, 1, 3])
            R.output(out_4)
        return out_4

    @R.function
    def capped(q: R.Tensor(("b", 4, "n", 16), dtype="float32"), k: R.Tensor(("b", 4, "n", 16), dtype="float32"), v: R.Tensor(("b", 4, "n", 16), dtype="float32"), padding: R.Tensor(("b", 1, 1, "n"), dtype="float32")) -> R.Tensor(("b", 4, "n", 16), dtype="float32"):
        b = T.int64()
        n = T.int64()
        with R.dataflow():
            lv: R.Tensor((b, 4, 16, n), dtype="float32") = R.permute_dims(k, axes=[0, 1, 3, 2])
            lv_1: R.Tensor((b, 4, n, n), dtype="float32") = R.matmul(q, lv, out_dtype="void")
            s: R.Tensor((b, 4, n, n), dtype="float32") = R.multiply(lv_1, R.const(0.25, "float32"))
            lv_2: R.Tensor((b, 4, n, n), dtype="float32") = R.divide(s, R.const(50.0, "float32"))
            lv_3: R.Tensor((b, 4, n, n), dtype="float32") = R.tanh(lv_2)
            c: R.Tensor((b, 4, n, n), dtype="float32") = R.multiply(lv_3, R.const(50.0, "float32"))
            lv_4: R.Tensor((b, 4, n, n), dtype="float32") = R.add(c, padding)
            lv_5: R.Tensor((b, 4, n, n), dtype="float32") = R.nn.softmax(lv_4, axis=-1)
            out: R.Tensor((b, n, 4, 16), dtype="float32") = R.permute_dims(q, axes=[0, 2, 1, 3])
            out_1: R.Tensor((b, n, 4, 16), dtype="float32") = R.nn.attention_as_stored(out, k, v, padding, scale=0.25, causal_mask=None, window_size=None, layout="BHSD", unseen_zero=False, softcap=50.0, hidden=None, bias_replaces=False)
            out_2: R.Tensor((b, 4, n, 16), dtype="float32") = R.permute_dims(out_1, axes=[0, 2, 1, 3])
            R.output(out_2)
        return out_2

# ==== convolution_gelu
# The activation of a convolution whose channels were moved last: its values in the old layout are
# dead and do not hide the pattern.
from tvm.script import ir as I, relax as R, tir as T


@I.ir_module
class Module:
    @R.function
    def main(x: R.Tensor(("n", 8, "h", "w"), "float32")):
        with R.dataflow():
            k = R.ones(R.shape([16, 8, 1, 1]), "float32")
            a = R.nn.conv2d(x, k)
            b = R.divide(a, R.const(1.4142135381698608, "float32"))
            c = R.erf(b)
            d = R.add(c, R.const(1, "float32"))
            e = R.multiply(a, d)
            f = R.multiply(e, R.const(0.5, "float32"))
            R.output(f)
        return f
# ---- expected
# from tvm.script import ir as I
# from tvm.script import tir as T
# from tvm.script import relax as R

@I.ir_module
class Module:
    @R.function
    def main(x: R.Tensor(("n", 8, "h", "w"), dtype="float32")) -> R.Tensor(("n", 16, "h", "w"), dtype="float32"):
        n = T.int64()
        h = T.int64()
        w = T.int64()
        with R.dataflow():
            k: R.Tensor((16, 8, 1, 1), dtype="float32") = R.ones(R.shape([16, 8, 1, 1]), dtype="float32")
            a: R.Tensor((n, 16, h, w), dtype="float32") = R.nn.conv2d(x, k, strides=[1, 1], padding=[0, 0, 0, 0], dilation=[1, 1], groups=1, data_layout="NCHW", kernel_layout="OIHW", out_layout=None, out_dtype="void")
            b: R.Tensor((n, 16, h, w), dtype="float32") = R.divide(a, R.const(1.4142135381698608, "float32"))
            c: R.Tensor((n, 16, h, w), dtype="float32") = R.erf(b)
            d: R.Tensor((n, 16, h, w), dtype="float32") = R.add(c, R.const(1.0, "float32"))
            e: R.Tensor((n, 16, h, w), dtype="float32") = R.multiply(a, d)
            f: R.Tensor((n, 16, h, w), dtype="float32") = R.nn.gelu(a)
            R.output(f)
        return f

# ==== gelu
from tvm.script import ir as I
from tvm.script import relax as R
from tvm.script import tir as T


@I.ir_module
class Module:
    @R.function
    def half_last(x: R.Tensor(("b", "n", 64), "float32")) -> R.Tensor(("b", "n", 64), "float32"):
        b = T.int64()
        n = T.int64()
        with R.dataflow():
            h = R.divide(x, R.const(1.4142135623730951, "float32"))
            e = R.erf(h)
            o = R.add(e, R.const(1.0, "float32"))
            m = R.multiply(x, o)
            out = R.multiply(m, R.const(0.5, "float32"))
            R.output(out)
        return out

    @R.function
    def half_first(x: R.Tensor(("b", "n", 64), "float32")) -> R.Tensor(("b", "n", 64), "float32"):
        b = T.int64()
        n = T.int64()
        with R.dataflow():
            h = R.divide(x, R.const(1.4142135623730951, "float32"))
            e = R.erf(h)
            o = R.add(e, R.const(1.0, "float32"))
            m = R.multiply(R.const(0.5, "float32"), x)
            out = R.multiply(m, o)
            R.output(out)
        return out

    @R.function
    def half_of_sum(x: R.Tensor(("b", "n", 64), "float32")) -> R.Tensor(("b", "n", 64), "float32"):
        b = T.int64()
        n = T.int64()
        with R.dataflow():
            h = R.divide(x, R.const(1.4142135623730951, "float32"))
            e = R.erf(h)
            o = R.add(e, R.const(1.0, "float32"))
            m = R.multiply(o, R.const(0.5, "float32"))
            out = R.multiply(x, m)
            R.output(out)
        return out

    @R.function
    def half_by_quotient(x: R.Tensor(("b", "n", 64), "float32")) -> R.Tensor(("b", "n", 64), "float32"):
        b = T.int64()
        n = T.int64()
        with R.dataflow():
            h = R.divide(x, R.const(1.4142135623730951, "float32"))
            e = R.erf(h)
            o = R.add(e, R.const(1.0, "float32"))
            m = R.divide(x, R.const(2.0, "float32"))
            out = R.multiply(m, o)
            R.output(out)
        return out

    @R.function
    def another_constant(x: R.Tensor(("b", "n", 64), "float32")) -> R.Tensor(("b", "n", 64), "float32"):
        b = T.int64()
        n = T.int64()
        with R.dataflow():
            h = R.divide(x, R.const(1.5, "float32"))
            e = R.erf(h)
            o = R.add(e, R.const(1.0, "float32"))
            m = R.multiply(x, o)
            out = R.multiply(m, R.const(0.5, "float32"))
            R.output(out)
        return out

    @R.function
    def by_tanh(x: R.Tensor(("b", "n", 64), "float32")) -> R.Tensor(("b", "n", 64), "float32"):
        b = T.int64()
        n = T.int64()
        with R.dataflow():
            p = R.power(x, R.const(3.0, "float32"))
            c = R.multiply(p, R.const(0.044715, "float32"))
            s = R.add(x, c)
            h = R.multiply(s, R.const(0.7978845608, "float32"))
            e = R.tanh(h)
            o = R.add(R.const(1.0, "float32"), e)
            m = R.multiply(x, R.const(0.5, "float32"))
            out = R.multiply(m, o)
            R.output(out)
        return out

    @R.function
    def by_tanh_of_products(x: R.Tensor(("b", "n", 64), "float32")) -> R.Tensor(("b", "n", 64), "float32"):
        b = T.int64()
        n = T.int64()
        with R.dataflow():
            p = R.multiply(x, x)
            t = R.multiply(x, p)
            c = R.multiply(R.const(0.044715, "float32"), t)
            s = R.add(c, x)
            h = R.multiply(R.const(0.7978845608, "float32"), s)
            e = R.tanh(h)
            o = R.add(R.const(1.0, "float32"), e)
            m = R.multiply(x, o)
            out = R.multiply(m, R.const(0.5, "float32"))
            R.output(out)
        return out
# ---- expected
# from tvm.script import ir as I
# from tvm.script import tir as T
# from tvm.script import relax as R

@I.ir_module
class Module:
    @R.function
    def half_last(x: R.Tensor(("b", "n", 64), dtype="float32")) -> R.Tensor(("b", "n", 64), dtype="float32"):
        b = T.int64()
        n = T.int64()
        with R.dataflow():
            h: R.Tensor((b, n, 64), dtype="float32") = R.divide(x, R.const(1.4142135381698608, "float32"))
            e: R.Tensor((b, n, 64), dtype="float32") = R.erf(h)
            o: R.Tensor((b, n, 64), dtype="float32") = R.add(e, R.const(1.0, "float32"))
            m: R.Tensor((b, n, 64), dtype="float32") = R.multiply(x, o)
            out: R.Tensor((b, n, 64), dtype="float32") = R.nn.gelu(x)
            R.output(out)
        return out

    @R.function
    def half_first(x: R.Tensor(("b", "n", 64), dtype="float32")) -> R.Tensor(("b", "n", 64), dtype="float32"):
        b = T.int64()
        n = T.int64()
        with R.dataflow():
            h: R.Tensor((b, n, 64), dtype="float32") = R.divide(x, R.const(1.4142135381698608, "float32"))
            e: R.Tensor((b, n, 64), dtype="float32") = R.erf(h)
            o: R.Tensor((b, n, 64), dtype="float32") = R.add(e, R.const(1.0, "float32"))
            m: R.Tensor((b, n, 64), dtype="float32") = R.multiply(R.const(0.5, "float32"), x)
            out: R.Tensor((b, n, 64), dtype="float32") = R.nn.gelu(x)
            R.output(out)
        return out

    @R.function
    def half_of_sum(x: R.Tensor(("b", "n", 64), dtype="float32")) -> R.Tensor(("b", "n", 64), dtype="float32"):
        b = T.int64()
        n = T.int64()
        with R.dataflow():
            h: R.Tensor((b, n, 64), dtype="float32") = R.divide(x, R.const(1.4142135381698608, "float32"))
            e: R.Tensor((b, n, 64), dtype="float32") = R.erf(h)
            o: R.Tensor((b, n, 64), dtype="float32") = R.add(e, R.const(1.0, "float32"))
            m: R.Tensor((b, n, 64), dtype="float32") = R.multiply(o, R.const(0.5, "float32"))
            out: R.Tensor((b, n, 64), dtype="float32") = R.nn.gelu(x)
            R.output(out)
        return out

    @R.function
    def half_by_quotient(x: R.Tensor(("b", "n", 64), dtype="float32")) -> R.Tensor(("b", "n", 64), dtype="float32"):
        b = T.int64()
        n = T.int64()
        with R.dataflow():
            h: R.Tensor((b, n, 64), dtype="float32") = R.divide(x, R.const(1.4142135381698608, "float32"))
            e: R.Tensor((b, n, 64), dtype="float32") = R.erf(h)
            o: R.Tensor((b, n, 64), dtype="float32") = R.add(e, R.const(1.0, "float32"))
            m: R.Tensor((b, n, 64), dtype="float32") = R.divide(x, R.const(2.0, "float32"))
            out: R.Tensor((b, n, 64), dtype="float32") = R.nn.gelu(x)
            R.output(out)
        return out

    @R.function
    def another_constant(x: R.Tensor(("b", "n", 64), dtype="float32")) -> R.Tensor(("b", "n", 64), dtype="float32"):
        b = T.int64()
        n = T.int64()
        with R.dataflow():
            h: R.Tensor((b, n, 64), dtype="float32") = R.divide(x, R.const(1.5, "float32"))
            e: R.Tensor((b, n, 64), dtype="float32") = R.erf(h)
            o: R.Tensor((b, n, 64), dtype="float32") = R.add(e, R.const(1.0, "float32"))
            m: R.Tensor((b, n, 64), dtype="float32") = R.multiply(x, o)
            out: R.Tensor((b, n, 64), dtype="float32") = R.multiply(m, R.const(0.5, "float32"))
            R.output(out)
        return out

    @R.function
    def by_tanh(x: R.Tensor(("b", "n", 64), dtype="float32")) -> R.Tensor(("b", "n", 64), dtype="float32"):
        b = T.int64()
        n = T.int64()
        with R.dataflow():
            p: R.Tensor((b, n, 64), dtype="float32") = R.power(x, R.const(3.0, "float32"))
            c: R.Tensor((b, n, 64), dtype="float32") = R.multiply(p, R.const(0.044714998453855515, "float32"))
            s: R.Tensor((b, n, 64), dtype="float32") = R.add(x, c)
            h: R.Tensor((b, n, 64), dtype="float32") = R.multiply(s, R.const(0.7978845834732056, "float32"))
            e: R.Tensor((b, n, 64), dtype="float32") = R.tanh(h)
            o: R.Tensor((b, n, 64), dtype="float32") = R.add(R.const(1.0, "float32"), e)
            m: R.Tensor((b, n, 64), dtype="float32") = R.multiply(x, R.const(0.5, "float32"))
            out: R.Tensor((b, n, 64), dtype="float32") = R.nn.gelu_tanh(x)
            R.output(out)
        return out

    @R.function
    def by_tanh_of_products(x: R.Tensor(("b", "n", 64), dtype="float32")) -> R.Tensor(("b", "n", 64), dtype="float32"):
        b = T.int64()
        n = T.int64()
        with R.dataflow():
            p: R.Tensor((b, n, 64), dtype="float32") = R.multiply(x, x)
            t: R.Tensor((b, n, 64), dtype="float32") = R.multiply(x, p)
            c: R.Tensor((b, n, 64), dtype="float32") = R.multiply(R.const(0.044714998453855515, "float32"), t)
            s: R.Tensor((b, n, 64), dtype="float32") = R.add(c, x)
            h: R.Tensor((b, n, 64), dtype="float32") = R.multiply(R.const(0.7978845834732056, "float32"), s)
            e: R.Tensor((b, n, 64), dtype="float32") = R.tanh(h)
            o: R.Tensor((b, n, 64), dtype="float32") = R.add(R.const(1.0, "float32"), e)
            m: R.Tensor((b, n, 64), dtype="float32") = R.multiply(x, o)
            out: R.Tensor((b, n, 64), dtype="float32") = R.nn.gelu_tanh(x)
            R.output(out)
        return out

# ==== layer_norm
from tvm.script import ir as I
from tvm.script import relax as R
from tvm.script import tir as T


@I.ir_module
class Module:
    @R.function
    def power_and_sqrt(x: R.Tensor(("b", "n", 64), "float32"), w: R.Tensor((64,), "float32"), c: R.Tensor((64,), "float32")) -> R.Tensor(("b", "n", 64), "float32"):
        b = T.int64()
        n = T.int64()
        with R.dataflow():
            m = R.mean(x, axis=[-1], keepdims=True)
            d = R.subtract(x, m)
            p = R.power(d, R.const(2.0, "float32"))
            v = R.mean(p, axis=[-1], keepdims=True)
            e = R.add(v, R.const(1e-05, "float32"))
            s = R.sqrt(e)
            q = R.divide(d, s)
            g = R.multiply(q, w)
            out = R.add(g, c)
            R.output(out)
        return out

    @R.function
    def product_and_rsqrt(x: R.Tensor(("b", "n", 64), "float32"), w: R.Tensor((64,), "float32"), c: R.Tensor((64,), "float32")) -> R.Tensor(("b", "n", 64), "float32"):
        b = T.int64()
        n = T.int64()
        with R.dataflow():
            m = R.mean(x, axis=[-1], keepdims=True)
            d = R.subtract(x, m)
            p = R.multiply(d, d)
            v = R.mean(p, axis=[2], keepdims=True)
            e = R.add(R.const(1e-06, "float32"), v)
            s = R.rsqrt(e)
            q = R.multiply(s, d)
            g = R.multiply(w, q)
            out = R.add(c, g)
            R.output(out)
        return out

    @R.function
    def variance_and_inverse(x: R.Tensor(("b", "n", 64), "float32"), w: R.Tensor((64,), "float32"), c: R.Tensor((64,), "float32")) -> R.Tensor(("b", "n", 64), "float32"):
        b = T.int64()
        n = T.int64()
        with R.dataflow():
            m = R.mean(x, axis=[-1], keepdims=True)
            d = R.subtract(x, m)
            v = R.variance(x, axis=[2], keepdims=True)
            e = R.add(R.const(1e-06, "float32"), v)
            s = R.sqrt(e)
            i = R.divide(R.const(1.0, "float32"), s)
            g = R.multiply(i, w)
            q = R.multiply(d, g)
            out = R.add(q, c)
            R.output(out)
        return out

    @R.function
    def other_axis(x: R.Tensor(("b", "n", 64), "float32"), w: R.Tensor((64,), "float32"), c: R.Tensor((64,), "float32")) -> R.Tensor(("b", "n", 64), "float32"):
        b = T.int64()
        n = T.int64()
        with R.dataflow():
            m = R.mean(x, axis=[1], keepdims=True)
            d = R.subtract(x, m)
            p = R.multiply(d, d)
            v = R.mean(p, axis=[2], keepdims=True)
            e = R.add(v, R.const(1e-06, "float32"))
            s = R.rsqrt(e)
            q = R.multiply(s, d)
            g = R.multiply(w, q)
            out = R.add(c, g)
            R.output(out)
        return out

    @R.function
    def deviation_is_used(x: R.Tensor(("b", "n", 64), "float32"), w: R.Tensor((64,), "float32"), c: R.Tensor((64,), "float32")) -> R.Tensor(("b", "n", 64), "float32"):
        b = T.int64()
        n = T.int64()
        with R.dataflow():
            m = R.mean(x, axis=[-1], keepdims=True)
            d = R.subtract(x, m)
            p = R.multiply(d, d)
            v = R.mean(p, axis=[2], keepdims=True)
            e = R.add(v, R.const(1e-06, "float32"))
            s = R.sqrt(e)
            q = R.divide(d, s)
            g = R.multiply(w, q)
            y = R.add(c, g)
            out = R.multiply(y, s)
            R.output(out)
        return out
# ---- expected
# from tvm.script import ir as I
# from tvm.script import tir as T
# from tvm.script import relax as R

@I.ir_module
class Module:
    @R.function
    def power_and_sqrt(x: R.Tensor(("b", "n", 64), dtype="float32"), w: R.Tensor((64,), dtype="float32"), c: R.Tensor((64,), dtype="float32")) -> R.Tensor(("b", "n", 64), dtype="float32"):
        b = T.int64()
        n = T.int64()
        with R.dataflow():
            m: R.Tensor((b, n, 1), dtype="float32") = R.mean(x, axis=[-1], keepdims=True)
            d: R.Tensor((b, n, 64), dtype="float32") = R.subtract(x, m)
            p: R.Tensor((b, n, 64), dtype="float32") = R.power(d, R.const(2.0, "float32"))
            v: R.Tensor((b, n, 1), dtype="float32") = R.mean(p, axis=[-1], keepdims=True)
            e: R.Tensor((b, n, 1), dtype="float32") = R.add(v, R.const(9.999999747378752e-06, "float32"))
            s: R.Tensor((b, n, 1), dtype="float32") = R.sqrt(e)
            q: R.Tensor((b, n, 64), dtype="float32") = R.divide(d, s)
            g: R.Tensor((b, n, 64), dtype="float32") = R.nn.rms_norm(d, w, axes=[2], epsilon=9.999999747378752e-06)
            out: R.Tensor((b, n, 64), dtype="float32") = R.nn.layer_norm(x, w, c, axes=[2], epsilon=9.999999747378752e-06, center=True, scale=True)
            R.output(out)
        return out

    @R.function
    def product_and_rsqrt(x: R.Tensor(("b", "n", 64), dtype="float32"), w: R.Tensor((64,), dtype="float32"), c: R.Tensor((64,), dtype="float32")) -> R.Tensor(("b", "n", 64), dtype="float32"):
        b = T.int64()
        n = T.int64()
        with R.dataflow():
            m: R.Tensor((b, n, 1), dtype="float32") = R.mean(x, axis=[-1], keepdims=True)
            d: R.Tensor((b, n, 64), dtype="float32") = R.subtract(x, m)
            p: R.Tensor((b, n, 64), dtype="float32") = R.multiply(d, d)
            v: R.Tensor((b, n, 1), dtype="float32") = R.mean(p, axis=[2], keepdims=True)
            e: R.Tensor((b, n, 1), dtype="float32") = R.add(R.const(9.999999974752427e-07, "float32"), v)
            s: R.Tensor((b, n, 1), dtype="float32") = R.rsqrt(e)
            q: R.Tensor((b, n, 64), dtype="float32") = R.multiply(s, d)
            g: R.Tensor((b, n, 64), dtype="float32") = R.nn.rms_norm(d, w, axes=[2], epsilon=9.999999974752427e-07)
            out: R.Tensor((b, n, 64), dtype="float32") = R.nn.layer_norm(x, w, c, axes=[2], epsilon=9.999999974752427e-07, center=True, scale=True)
            R.output(out)
        return out

    @R.function
    def variance_and_inverse(x: R.Tensor(("b", "n", 64), dtype="float32"), w: R.Tensor((64,), dtype="float32"), c: R.Tensor((64,), dtype="float32")) -> R.Tensor(("b", "n", 64), dtype="float32"):
        b = T.int64()
        n = T.int64()
        with R.dataflow():
            m: R.Tensor((b, n, 1), dtype="float32") = R.mean(x, axis=[-1], keepdims=True)
            d: R.Tensor((b, n, 64), dtype="float32") = R.subtract(x, m)
            v: R.Tensor((b, n, 1), dtype="float32") = R.variance(x, axis=[2], keepdims=True)
            e: R.Tensor((b, n, 1), dtype="float32") = R.add(R.const(9.999999974752427e-07, "float32"), v)
            s: R.Tensor((b, n, 1), dtype="float32") = R.sqrt(e)
            i: R.Tensor((b, n, 1), dtype="float32") = R.divide(R.const(1.0, "float32"), s)
            g: R.Tensor((b, n, 64), dtype="float32") = R.multiply(i, w)
            q: R.Tensor((b, n, 64), dtype="float32") = R.multiply(d, g)
            out: R.Tensor((b, n, 64), dtype="float32") = R.nn.layer_norm(x, w, c, axes=[2], epsilon=9.999999974752427e-07, center=True, scale=True)
            R.output(out)
        return out

    @R.function
    def other_axis(x: R.Tensor(("b", "n", 64), dtype="float32"), w: R.Tensor((64,), dtype="float32"), c: R.Tensor((64,), dtype="float32")) -> R.Tensor(("b", "n", 64), dtype="float32"):
        b = T.int64()
        n = T.int64()
        with R.dataflow():
            m: R.Tensor((b, 1, 64), dtype="float32") = R.mean(x, axis=[1], keepdims=True)
            d: R.Tensor((b, n, 64), dtype="float32") = R.subtract(x, m)
            p: R.Tensor((b, n, 64), dtype="float32") = R.multiply(d, d)
            v: R.Tensor((b, n, 1), dtype="float32") = R.mean(p, axis=[2], keepdims=True)
            e: R.Tensor((b, n, 1), dtype="float32") = R.add(v, R.const(9.999999974752427e-07, "float32"))
            s: R.Tensor((b, n, 1), dtype="float32") = R.rsqrt(e)
            q: R.Tensor((b, n, 64), dtype="float32") = R.multiply(s, d)
            g: R.Tensor((b, n, 64), dtype="float32") = R.nn.rms_norm(d, w, axes=[2], epsilon=9.999999974752427e-07)
            out: R.Tensor((b, n, 64), dtype="float32") = R.add(c, g)
            R.output(out)
        return out

    @R.function
    def deviation_is_used(x: R.Tensor(("b", "n", 64), dtype="float32"), w: R.Tensor((64,), dtype="float32"), c: R.Tensor((64,), dtype="float32")) -> R.Tensor(("b", "n", 64), dtype="float32"):
        b = T.int64()
        n = T.int64()
        with R.dataflow():
            m: R.Tensor((b, n, 1), dtype="float32") = R.mean(x, axis=[-1], keepdims=True)
            d: R.Tensor((b, n, 64), dtype="float32") = R.subtract(x, m)
            p: R.Tensor((b, n, 64), dtype="float32") = R.multiply(d, d)
            v: R.Tensor((b, n, 1), dtype="float32") = R.mean(p, axis=[2], keepdims=True)
            e: R.Tensor((b, n, 1), dtype="float32") = R.add(v, R.const(9.999999974752427e-07, "float32"))
            s: R.Tensor((b, n, 1), dtype="float32") = R.sqrt(e)
            q: R.Tensor((b, n, 64), dtype="float32") = R.divide(d, s)
            g: R.Tensor((b, n, 64), dtype="float32") = R.multiply(w, q)
            y: R.Tensor((b, n, 64), dtype="float32") = R.add(c, g)
            out: R.Tensor((b, n, 64), dtype="float32") = R.multiply(y, s)
            R.output(out)
        return out

# ==== rms_norm
from tvm.script import ir as I
from tvm.script import relax as R
from tvm.script import tir as T


@I.ir_module
class Module:
    @R.function
    def by_quotient(x: R.Tensor(("b", "n", 64), "float32"), w: R.Tensor((64,), "float32"), c: R.Tensor((64,), "float32")) -> R.Tensor(("b", "n", 64), "float32"):
        b = T.int64()
        n = T.int64()
        with R.dataflow():
            p = R.square(x)
            v = R.mean(p, axis=[-1], keepdims=True)
            e = R.add(v, R.const(1e-06, "float32"))
            s = R.sqrt(e)
            q = R.divide(x, s)
            out = R.multiply(q, w)
            R.output(out)
        return out

    @R.function
    def by_power(x: R.Tensor(("b", "n", 64), "float32"), w: R.Tensor((64,), "float32"), c: R.Tensor((64,), "float32")) -> R.Tensor(("b", "n", 64), "float32"):
        b = T.int64()
        n = T.int64()
        with R.dataflow():
            p = R.multiply(x, x)
            v = R.mean(p, axis=[-1], keepdims=True)
            e = R.add(v, R.const(1e-06, "float32"))
            s = R.power(e, R.const(-0.5, "float32"))
            q = R.multiply(s, w)
            out = R.multiply(q, x)
            R.output(out)
        return out
# ---- expected
# from tvm.script import ir as I
# from tvm.script import tir as T
# from tvm.script import relax as R

@I.ir_module
class Module:
    @R.function
    def by_quotient(x: R.Tensor(("b", "n", 64), dtype="float32"), w: R.Tensor((64,), dtype="float32"), c: R.Tensor((64,), dtype="float32")) -> R.Tensor(("b", "n", 64), dtype="float32"):
        b = T.int64()
        n = T.int64()
        with R.dataflow():
            p: R.Tensor((b, n, 64), dtype="float32") = R.square(x)
            v: R.Tensor((b, n, 1), dtype="float32") = R.mean(p, axis=[-1], keepdims=True)
            e: R.Tensor((b, n, 1), dtype="float32") = R.add(v, R.const(9.999999974752427e-07, "float32"))
            s: R.Tensor((b, n, 1), dtype="float32") = R.sqrt(e)
            q: R.Tensor((b, n, 64), dtype="float32") = R.divide(x, s)
            out: R.Tensor((b, n, 64), dtype="float32") = R.nn.rms_norm(x, w, axes=[2], epsilon=9.999999974752427e-07)
            R.output(out)
        return out

    @R.function
    def by_power(x: R.Tensor(("b", "n", 64), dtype="float32"), w: R.Tensor((64,), dtype="float32"), c: R.Tensor((64,), dtype="float32")) -> R.Tensor(("b", "n", 64), dtype="float32"):
        b = T.int64()
        n = T.int64()
        with R.dataflow():
            p: R.Tensor((b, n, 64), dtype="float32") = R.multiply(x, x)
            v: R.Tensor((b, n, 1), dtype="float32") = R.mean(p, axis=[-1], keepdims=True)
            e: R.Tensor((b, n, 1), dtype="float32") = R.add(v, R.const(9.999999974752427e-07, "float32"))
            s: R.Tensor((b, n, 1), dtype="float32") = R.power(e, R.const(-0.5, "float32"))
            q: R.Tensor((b, n, 64), dtype="float32") = R.multiply(s, w)
            out: R.Tensor((b, n, 64), dtype="float32") = R.nn.rms_norm(x, w, axes=[2], epsilon=9.999999974752427e-07)
            R.output(out)
        return out

# ==== silu_and_softmax
from tvm.script import ir as I
from tvm.script import relax as R
from tvm.script import tir as T


@I.ir_module
class Module:
    @R.function
    def silu(x: R.Tensor(("b", "n", 64), "float32")) -> R.Tensor(("b", "n", 64), "float32"):
        b = T.int64()
        n = T.int64()
        with R.dataflow():
            s = R.sigmoid(x)
            out = R.multiply(s, x)
            R.output(out)
        return out

    @R.function
    def silu_of_exp(x: R.Tensor(("b", "n", 64), "float32")) -> R.Tensor(("b", "n", 64), "float32"):
        b = T.int64()
        n = T.int64()
        with R.dataflow():
            m = R.negative(x)
            e = R.exp(m)
            s = R.add(e, R.const(1.0, "float32"))
            g = R.divide(R.const(1.0, "float32"), s)
            out = R.multiply(x, g)
            R.output(out)
        return out

    @R.function
    def silu_by_quotient(x: R.Tensor(("b", "n", 64), "float32")) -> R.Tensor(("b", "n", 64), "float32"):
        b = T.int64()
        n = T.int64()
        with R.dataflow():
            m = R.negative(x)
            e = R.exp(m)
            s = R.add(e, R.const(1.0, "float32"))
            out = R.divide(x, s)
            R.output(out)
        return out

    @R.function
    def softmax(x: R.Tensor(("b", "n", 64), "float32")) -> R.Tensor(("b", "n", 64), "float32"):
        b = T.int64()
        n = T.int64()
        with R.dataflow():
            m = R.max(x, axis=[-1], keepdims=True)
            d = R.subtract(x, m)
            e = R.exp(d)
            s = R.sum(e, axis=[-1], keepdims=True)
            out = R.divide(e, s)
            R.output(out)
        return out

    @R.function
    def log_softmax(x: R.Tensor(("b", "n", 64), "float32")) -> R.Tensor(("b", "n", 64), "float32"):
        b = T.int64()
        n = T.int64()
        with R.dataflow():
            m = R.max(x, axis=[1], keepdims=True)
            d = R.subtract(x, m)
            e = R.exp(d)
            s = R.sum(e, axis=[1], keepdims=True)
            l = R.log(s)
            out = R.subtract(d, l)
            R.output(out)
        return out

    @R.function
    def axes_differ(x: R.Tensor(("b", "n", 64), "float32")) -> R.Tensor(("b", "n", 64), "float32"):
        b = T.int64()
        n = T.int64()
        with R.dataflow():
            m = R.max(x, axis=[1], keepdims=True)
            d = R.subtract(x, m)
            e = R.exp(d)
            s = R.sum(e, axis=[2], keepdims=True)
            out = R.divide(e, s)
            R.output(out)
        return out
# ---- expected
# from tvm.script import ir as I
# from tvm.script import tir as T
# from tvm.script import relax as R

@I.ir_module
class Module:
    @R.function
    def silu(x: R.Tensor(("b", "n", 64), dtype="float32")) -> R.Tensor(("b", "n", 64), dtype="float32"):
        b = T.int64()
        n = T.int64()
        with R.dataflow():
            s: R.Tensor((b, n, 64), dtype="float32") = R.sigmoid(x)
            out: R.Tensor((b, n, 64), dtype="float32") = R.nn.silu(x)
            R.output(out)
        return out

    @R.function
    def silu_of_exp(x: R.Tensor(("b", "n", 64), dtype="float32")) -> R.Tensor(("b", "n", 64), dtype="float32"):
        b = T.int64()
        n = T.int64()
        with R.dataflow():
            m: R.Tensor((b, n, 64), dtype="float32") = R.negative(x)
            e: R.Tensor((b, n, 64), dtype="float32") = R.exp(m)
            s: R.Tensor((b, n, 64), dtype="float32") = R.add(e, R.const(1.0, "float32"))
            g: R.Tensor((b, n, 64), dtype="float32") = R.sigmoid(x)
            out: R.Tensor((b, n, 64), dtype="float32") = R.nn.silu(x)
            R.output(out)
        return out

    @R.function
    def silu_by_quotient(x: R.Tensor(("b", "n", 64), dtype="float32")) -> R.Tensor(("b", "n", 64), dtype="float32"):
        b = T.int64()
        n = T.int64()
        with R.dataflow():
            m: R.Tensor((b, n, 64), dtype="float32") = R.negative(x)
            e: R.Tensor((b, n, 64), dtype="float32") = R.exp(m)
            s: R.Tensor((b, n, 64), dtype="float32") = R.add(e, R.const(1.0, "float32"))
            out: R.Tensor((b, n, 64), dtype="float32") = R.nn.silu(x)
            R.output(out)
        return out

    @R.function
    def softmax(x: R.Tensor(("b", "n", 64), dtype="float32")) -> R.Tensor(("b", "n", 64), dtype="float32"):
        b = T.int64()
        n = T.int64()
        with R.dataflow():
            m: R.Tensor((b, n, 1), dtype="float32") = R.max(x, axis=[-1], keepdims=True)
            d: R.Tensor((b, n, 64), dtype="float32") = R.subtract(x, m)
            e: R.Tensor((b, n, 64), dtype="float32") = R.exp(d)
            s: R.Tensor((b, n, 1), dtype="float32") = R.sum(e, axis=[-1], keepdims=True)
            out: R.Tensor((b, n, 64), dtype="float32") = R.nn.softmax(x, axis=2)
            R.output(out)
        return out

    @R.function
    def log_softmax(x: R.Tensor(("b", "n", 64), dtype="float32")) -> R.Tensor(("b", "n", 64), dtype="float32"):
        b = T.int64()
        n = T.int64()
        with R.dataflow():
            m: R.Tensor((b, 1, 64), dtype="float32") = R.max(x, axis=[1], keepdims=True)
            d: R.Tensor((b, n, 64), dtype="float32") = R.subtract(x, m)
            e: R.Tensor((b, n, 64), dtype="float32") = R.exp(d)
            s: R.Tensor((b, 1, 64), dtype="float32") = R.sum(e, axis=[1], keepdims=True)
            l: R.Tensor((b, 1, 64), dtype="float32") = R.log(s)
            out: R.Tensor((b, n, 64), dtype="float32") = R.nn.log_softmax(x, axis=1)
            R.output(out)
        return out

    @R.function
    def axes_differ(x: R.Tensor(("b", "n", 64), dtype="float32")) -> R.Tensor(("b", "n", 64), dtype="float32"):
        b = T.int64()
        n = T.int64()
        with R.dataflow():
            m: R.Tensor((b, 1, 64), dtype="float32") = R.max(x, axis=[1], keepdims=True)
            d: R.Tensor((b, n, 64), dtype="float32") = R.subtract(x, m)
            e: R.Tensor((b, n, 64), dtype="float32") = R.exp(d)
            s: R.Tensor((b, n, 1), dtype="float32") = R.sum(e, axis=[2], keepdims=True)
            out: R.Tensor((b, n, 64), dtype="float32") = R.divide(e, s)
            R.output(out)
        return out
