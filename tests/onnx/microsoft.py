#!/usr/bin/env python3
"""com.microsoft operators, against NumPy; `make test-ops`.

Scales are chosen so that float32 rounds to the same integers as double: sums and products are
exact, or lie between the rounding boundaries.
"""
import math
import os
import sys

import numpy as np

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from ops import Input as x, Row, check, check_all  # noqa: E402

F32, U8, I8 = np.float32, np.uint8, np.int8
EMPTY = [(2, 3), (1, 1), (5, 4), (17, 9), (0, 3), (3, 0)]


def number(t, v):
    return np.array(v, t)


def limits(t):
    return np.iinfo(t).min, np.iinfo(t).max


def quantize(v, scale, zero):
    return np.clip(np.rint(v / scale) + int(zero), *limits(zero.dtype))


def dynamic(t):
    low, high = limits(t)
    return lambda dims: x(dims, np.dtype(t).name, low, high + 1)


def sigmoid(v):
    return 1 / (1 + np.exp(-v))


def softmax(v):
    e = np.exp(v - v.max(-1, keepdims=True))
    return e / e.sum(-1, keepdims=True)


def flat_softmax(v):
    return softmax(v.reshape(len(v), -1)).reshape(v.shape)


def pool(v):
    return np.stack([np.stack([v[:, :, i:i + 2, j:j + 2].mean((2, 3))
                               for j in range(v.shape[3] - 1)], -1)
                     for i in range(v.shape[2] - 1)], -2)


def last_pool(v):
    return np.moveaxis(pool(np.moveaxis(v, -1, 1)), 1, -1)


def unary(op, t, dims, scale, meaning, sizes, **attrs):
    zero, out = number(t, 3), number(t, 5)
    return Row(op, [dynamic(t)(dims), number(F32, scale), zero, number(F32, 1 / 64), out],
               lambda a, s, z, ys, yz: quantize(meaning((a - 3) * scale), 1 / 64, out),
               gives=np.dtype(t).name, domain="com.microsoft", sizes=sizes, name=np.dtype(t).name,
               opset=17, **attrs)


def blocked(values, scales, zeros, size, k):
    """The dequantized weights of MatMulNBits, K by N."""
    return ((values - np.repeat(zeros, size, 1)) * np.repeat(scales, size, 1))[:, :k].T


def packed(values, bits):
    """Packs rows of |bits|-bit numbers into bytes."""
    each = 8 // bits
    rows = np.pad(values, ((0, 0), (0, -values.shape[1] % each))).reshape(len(values), -1, each)
    return sum(rows[:, :, i].astype(int) << bits * i for i in range(each)).astype(U8)


def rounded(a, size):
    """|a| as accuracy_level 4 has it: blocks of |size| elements in 8 bits."""
    blocks = a.reshape(*a.shape[:-1], a.shape[-1] // size, size)
    step = np.abs(blocks).max(axis=-1, keepdims=True, initial=0) / 127
    return (np.rint(blocks / np.where(step == 0, 1, step)) * step).reshape(a.shape)


def products(rng):
    out = []
    for bits in (2, 4, 8):
        for size, k, n, given, bias, level in ((16, 32, 5, False, False, 0),
                                               (16, 40, 3, True, True, 1),
                                               (32, 32, 1, True, False, 0),
                                               (16, 80, 17, True, False, 0),
                                               (32, 96, 65, False, True, 4)):
            n_blocks = -(-k // size)
            values = rng.integers(0, 1 << bits, (n, n_blocks * size))
            scales = rng.uniform(.1, 1, (n, n_blocks)).astype(F32)
            zeros = rng.integers(0, 1 << bits, (n, n_blocks)) if given else \
                np.full((n, n_blocks), 1 << bits - 1)
            w = blocked(values, scales.astype(float), zeros, size, k)
            inputs = [x(f"2 n {k}"), packed(values, bits).reshape(n, n_blocks, -1),
                      scales.reshape(-1) if bias else scales,
                      packed(zeros, bits).reshape(-1) if given else None]
            if bias:
                inputs += [None, x(f"{n}")]
            out.append(Row("MatMulNBits", inputs,
                           lambda a, *rest, w=w, bias=bias, size=size, level=level:
                           (rounded(a, size) if level == 4 else a) @ w + (rest[-1] if bias else 0),
                           domain="com.microsoft", opset=17, K=k, N=n, bits=bits,
                           accuracy_level=level, loose=1e-3 if level == 4 else 0,
                           block_size=size, name=f"bias {bias} zeros {given}",
                           sizes=[(1, 1), (0, 1), (2, 1), (7, 1), (33, 1)]))
    return out


def dynamic_quantized(a):
    """|a| quantized by its smallest and largest element, and dequantized."""
    a = a.astype(F32)
    low, high = min(a.min(initial=0), F32(0)), max(a.max(initial=0), F32(0))
    scale = F32((high - low) / F32(255))
    zero = np.clip(np.rint(-low / scale), 0, 255)
    return (np.clip(np.rint(a / scale) + zero, 0, 255) - zero).astype(float) * float(scale)


def lstm(v, w, r, bias, h, c, directions):
    """v (time, batch, inputs); w and r dequantized, (directions, inputs, 4 hidden)."""
    v, n = dynamic_quantized(v), r.shape[1]
    out = np.zeros((len(v), directions, v.shape[1], n))
    h, c = h.copy(), c.copy()
    for d in range(directions):
        for at in range(len(v))[::-1 if d else 1]:
            sums = v[at] @ w[d] + dynamic_quantized(h[d]) @ r[d] + bias[d][:4 * n] + bias[d][4 * n:]
            i, o, f, g = np.split(sums, 4, -1)
            c[d] = sigmoid(f) * c[d] + sigmoid(i) * np.tanh(g)
            out[at, d] = h[d] = sigmoid(o) * np.tanh(c[d])
    return [out, h, c]


def renamed():
    """Operators identical or close to standard ones."""
    more = dict(domain="com.microsoft", opset=11, sizes=[(2, 3), (1, 1), (7, 4)])
    one = np.array(1, np.int64)

    def gathered(a, at):
        return a[tuple(np.moveaxis(at, -1, 0))]
    return [Row("Trilu", [x("2 n m"), one], lambda a, k: np.tril(a, 1), upper=0, **more),
            Row("Pad", [x("n m"), np.array([0, 1, 2, 0]), np.array(7, F32)],
                lambda a, p, v: np.pad(a, ((0, 2), (1, 0)), constant_values=7), **more),
            Row("GatherND", [x("n m"), np.array([[0, 0], [-1, -1]])], gathered, **more),
            Row("GridSample", [x("1 2 n m"), np.zeros((1, 2, 1, 2), F32) + F32(1)],
                lambda a, g: np.repeat(a[:, :, -1:, -1:], 2, 2), align_corners=1, **more),
            Row("Range", [np.array(3, F32), np.array(5, F32)], lambda a, b: np.arange(a, b), **more),
            Row("Range", [np.array([3]), np.array([9]), np.array([2])],
                lambda a, b, c: np.arange(3, 9, 2), gives="int64", name="vectors", **more),
            Row("ExpandDims", [x("n m"), np.array(-1, np.int32)], lambda a, k: a[..., None], **more),
            *[Row("CDist", [x("n 5"), x("m 5")],
                  lambda a, b, k=k: ((a[:, None] - b) ** 2).sum(-1) ** k, **how, **more)
              for k, how in ((.5, {"metric": "euclidean"}), (1, {}))],
            Row("GatedAdd", [x("2 n m"), x("2 n m"), x("2 n 1")], lambda a, b, g: a + b * g, **more),
            Row("ScaledSiLU", [x("n m")], lambda a: 2 * a * sigmoid(2 * a), alpha=2., **more),
            Row("ScaledSiLU", [x("n m"), np.array(.5, F32)],
                lambda a, k: .5 * a * sigmoid(.5 * a), **more)]


def cropped(images, boxes, at, size, mode, other):
    """TensorFlow's crop_and_resize of images (n, c, h, w)."""
    out = np.full((len(boxes), images.shape[1], *size), float(other))
    for r, (y1, x1, y2, x2) in enumerate(boxes):
        ways = []
        for first, last, n, size_in in ((y1, y2, size[0], images.shape[2]),
                                        (x1, x2, size[1], images.shape[3])):
            ways.append((first + (last - first) * (np.arange(n) / (n - 1) if n > 1 else np.full(1, .5))) *
                        (size_in - 1))
        for i, a in enumerate(ways[0]):
            for j, b in enumerate(ways[1]):
                if 0 <= a <= images.shape[2] - 1 and 0 <= b <= images.shape[3] - 1:
                    image = images[at[r]]
                    if mode == "nearest":
                        out[r, :, i, j] = image[:, int(a + .5), int(b + .5)]
                        continue
                    y, z = int(a), int(b)
                    rows = [image[:, p, z] * (1 - b + z) + image[:, p, math.ceil(b)] * (b - z)
                            for p in (y, math.ceil(a))]
                    out[r, :, i, j] = rows[0] * (1 - a + y) + rows[1] * (a - y)
    return out


def first_come(v):
    y, first, back, counts = np.unique(v, return_index=True, return_inverse=True, return_counts=True)
    order = np.argsort(first)
    return [y[order], np.argsort(order)[back], counts[order]]


def without_repeats(ids, scores, n):
    out = scores.copy()
    for row, v in zip(ids.astype(int), out):
        for i in range(len(row) - n + 1):
            if (row[i:i + n - 1] == row[len(row) - n + 1:]).all():
                v[row[i + n - 1]] = -np.inf
    return out


def shaped_anew():
    """Operators that select elements, and dropout that drops nothing."""
    out, more = [], dict(domain="com.microsoft", opset=17)
    sizes = [(2, 3), (1, 1), (5, 4), (9, 7)]
    out.append(Row("Unique", [x("n", "int64", 0, 5)], first_come, outputs=3,
                   sizes=sizes + [(0, 1), (33, 1)], gives=["int64"] * 3, **more))
    for dims, axis, size, step in (("n", -1, 1, 1), ("n+3 m", 0, 4, 2), ("2 n+2 m", 1, 3, 1),
                                   ("n m+4", -1, 2, 3)):
        def windows(v, k=axis, size=size, step=step):
            return np.lib.stride_tricks.sliding_window_view(v, size, k)[
                tuple(slice(None, None, step if i == k % v.ndim else 1) for i in range(v.ndim))]
        out.append(Row("UnfoldTensor", [x(dims)], windows, dim=axis, size=size, step=step, sizes=sizes,
                       **more))
    boxes = np.array([[0, 0, 1, 1], [.1, .2, .8, .9], [-.3, .5, .5, 1.4], [1, 1, 0, 0]], F32)
    out += [Row("NGramRepeatBlock", [x("n m", "int64", 0, 3), x("n 5")],
                lambda a, s, k=k: without_repeats(a, s, k), ngram_size=k,
                sizes=[(2, 3), (1, 1), (5, 12), (0, 3), (3, 0), (4, 33)], **more) for k in (1, 2, 3)]
    far = 9 * np.eye(4, dtype=F32)
    out += [Row("Inverse", [x("n n", t, 1, 2)], lambda a: np.linalg.inv(a), name=t,
                sizes=[(1, 1), (0, 1), (2, 1)], loose=1e-2, **more) for t in ("float32", "float64")]
    out.append(Row("Inverse", [np.stack([far, far[::-1] + 1, far + np.tri(4, dtype=F32)])],
                   lambda a: np.linalg.inv(a), gives="float32", sizes=sizes[:1], **more))
    for mode in ("bilinear", "nearest"):
        for size in ((3, 4), (1, 1), (1, 5)):
            out.append(Row("CropAndResize", [x("3 2 n m"), boxes, np.array([2, 0, 1, 1], np.int32),
                                             np.array(size, np.int32)],
                           lambda v, b, at, size, mode=mode: cropped(v, b, at, size, mode, 7.5),
                           sizes=sizes, mode=mode, extrapolation_value=7.5, name=str(size), **more))
    return out + [
        Row("BiasDropout", [x("2 n m"), x("m"), x("2 n m"), np.array(.5, F32)],
            lambda a, b, r, _: [a + b + r, np.ones_like(a, bool)], outputs=2, sizes=EMPTY, **more),
        Row("BiasDropout", [x("n m"), x("n m")], lambda a, b: a + b, sizes=EMPTY, **more),
        Row("BitmaskDropout", [x("n m"), np.array(.5, F32), np.array(False)],
            lambda a, *_: [a, np.full(-(-a.size // 32), 2**32 - 1)], outputs=2,
            gives=["float32", "uint32"], sizes=EMPTY, **more),
        Row("BitmaskBiasDropout", [x("n m"), x("m"), x("n m")],
            lambda a, b, r: [a + b + r, np.full(-(-a.size // 32), 2**32 - 1)], outputs=2,
            gives=["float32", "uint32"], sizes=EMPTY, **more)]


def quantized_as_it_runs():
    out, rng = [], np.random.default_rng(4)
    more = dict(domain="com.microsoft", opset=17)
    sizes = [(2, 6), (1, 1), (7, 33)]
    for t in (I8, U8):
        w, z = dynamic(t)("m 5"), rng.integers(0, 9, 5).astype(t)
        s, one, b = x("5", low=.01, high=.1), number(F32, 1 / 32), x("5")
        out += [Row("DynamicQuantizeMatMul", [x("2 n m"), w, one, number(t, 7), b],
                    lambda a, w, s, z, b: dynamic_quantized(a) @ ((w - z) * s) + b, sizes=sizes, **more),
                Row("DynamicQuantizeMatMul", [x("n m"), w, s, z],
                    lambda a, w, s, z: dynamic_quantized(a) @ ((w - z) * s), sizes=sizes, **more),
                Row("DynamicQuantizeMatMul", [x("n m"), w, s],
                    lambda a, w, s: dynamic_quantized(a) @ (w * s), sizes=sizes, **more)]
        out += [Row("MatMulIntegerToFloat", [dynamic(a)("2 n m"), w, one, s, number(a, 99), z, b],
                    lambda a, w, t, s, y, z, b: (a - y) @ ((w - z) * s) * t + b, sizes=sizes,
                    gives="float32", name=np.dtype(a).name, **more) for a in (U8, I8)]
        out += [Row("MatMulIntegerToFloat", [dynamic(U8)("n m"), w, one, one],
                    lambda a, w, t, s: a @ w * s * t, sizes=sizes, gives="float32", **more),
                Row("QLinearReduceMean", [dynamic(t)("2 n m"), one, number(t, 9), number(F32, 1 / 16),
                                          number(t, 3)],
                    lambda a, s, z, ys, yz, t=t: quantize(((a - 9) / 32).mean(1), 1 / 16, number(t, 3)),
                    gives=np.dtype(t).name, axes=[1], keepdims=0, sizes=[(2, 6), (1, 1), (8, 33)], **more)]
    for directions in (1, 2):
        for each in (False, True):
            shape = (directions, 16) if each else (directions,)
            ws, rs = (rng.uniform(.002, .01, shape).astype(F32) for _ in "wr")
            wz, rz = (rng.integers(-5, 5, shape).astype(I8) for _ in "wr")
            w, r = (rng.integers(-99, 99, (directions, k, 16)).astype(I8) for k in (3, 4))

            def meaning(v, w, r, b, h, c, ws, wz, rs, rz):
                wide = [(p - z.reshape(len(p), 1, -1)) * q.reshape(len(p), 1, -1)
                        for p, z, q in ((w, wz, ws), (r, rz, rs))]
                return lstm(v, *wide, b, h, c, len(w))
            out.append(Row("DynamicQuantizeLSTM",
                           [x("n m 3"), w, r, x(f"{directions} 32"), None, x(f"{directions} m 4"),
                            x(f"{directions} m 4"), None, ws, wz, rs, rz], meaning, outputs=3,
                           hidden_size=4, direction="bidirectional" if directions > 1 else "forward",
                           sizes=[(2, 3), (1, 1), (17, 2)], loose=2e-2, name=f"{each}", **more))
    for bits in (2, 4, 8):
        values, scales = rng.integers(0, 1 << bits, (9, 32)), rng.uniform(.1, 1, (9, 2)).astype(F32)
        zeros = rng.integers(0, 1 << bits, (9, 2))
        for given in (False, True):
            if bits == 2 and given:
                continue # zero points smaller than a byte
            z = zeros if given else np.full((9, 2), 1 << bits - 1)
            table = ((values - z.repeat(16, 1)) * scales.astype(float).repeat(16, 1))
            out.append(Row("GatherBlockQuantized", [packed(values, bits), x("n m", "int64", 0, 9), scales] +
                           [packed(zeros, bits)] * given, lambda d, at, *r, table=table: table[at],
                           bits=bits, block_size=16, gives="float32", sizes=sizes, **more))
    tables = [rng.integers(0, 255, (k, 6) if k else 6).astype(U8) for k in (9, 40, 2, 0, 0)]
    scales = [number(F32, v) for v in (.01, .02, .015, .01, .02)]
    zeros = [number(U8, v) for v in (100, 120, 130, 90, 110)]
    words, positions, segments, gamma, beta = (
        (t.astype(float) - z) * float(s) for t, s, z in zip(tables, scales, zeros))

    def embedded(ids, at, *r):
        v = words[ids] + positions[:ids.shape[1]] + segments[at]
        mask = r[5]
        v = (v - v.mean(-1, keepdims=True)) / np.sqrt(v.var(-1, keepdims=True) + 1e-12) * gamma + beta
        return [v, mask.sum(1)]
    out.append(Row("QEmbedLayerNormalization",
                   [x("n m", "int32", 0, 9), x("n m", "int32", 0, 2), *tables, x("n m", "int32", 0, 2),
                    *scales, *zeros], embedded, outputs=2, gives=["float32", "int32"], sizes=sizes,
                   **more))
    return out


def rows():
    rng = np.random.default_rng(1)
    empty = EMPTY
    images = [(2, 3), (4, 4), (7, 2)]
    out = products(rng) + quantized_as_it_runs() + renamed() + shaped_anew()
    for t in (U8, I8):
        of, name = dynamic(t), np.dtype(t).name
        z = [number(t, v) for v in (3, 7, 100)]
        s = [number(F32, v) for v in (.5, .25, .75)]
        common = dict(domain="com.microsoft", opset=17, gives=name, name=name)
        out += [
            Row("QLinearAdd", [of("n m"), s[0], z[0], of("m"), s[1], z[1], s[2], z[2]],
                lambda a, _s, _z, b, *r, z=z: quantize((a - 3) / 2 + (b - 7) / 4, .75, z[2]),
                sizes=empty, **common),
            Row("QLinearAdd", [of("n m"), s[0], None, of("n 1"), s[1], None, s[2]],
                lambda a, _s, b, *r, t=t: quantize(a / 2 + b / 4, .75, number(t, 0)),
                sizes=empty, **{**common, "name": name + " without zero points"}),
            Row("QLinearMul", [of("n m"), s[0], z[0], of("n m"), s[1], z[1], s[0], z[2]],
                lambda a, _s, _z, b, *r, z=z: quantize((a - 3) / 2 * (b - 7) / 4, .5, z[2]),
                sizes=empty, **common),
            Row("QLinearWhere", [x("n m", "bool"), of("n m"), s[0], z[0], of("m"), s[1], z[1],
                                 s[2], z[2]],
                lambda c, a, _s, _z, b, *r, z=z: quantize(
                    np.where(c, (a - 3) / 2, (b - 7) / 4), .75, z[2]), sizes=empty, **common),
            Row("QLinearConcat", [s[2], z[2], of("n m"), s[0], z[0], of("n 2"), s[1], z[1]],
                lambda _ys, _yz, a, _s, _z, b, *r, z=z: quantize(
                    np.concatenate([(a - 3) / 2, (b - 7) / 4], 1), .75, z[2]), axis=1,
                sizes=empty, **common),
            unary("QLinearLeakyRelu", t, "n m", .5, lambda v: np.where(v < 0, v * .125, v), empty,
                  alpha=.125),
            unary("QLinearSigmoid", t, "n m", 1 / 32, sigmoid, empty),
            unary("QLinearSoftmax", t, "n 2 m", 1 / 32, softmax, empty[:4], more={"opset": 13}),
            unary("QLinearSoftmax", t, "n 2 m", 1 / 32, flat_softmax, empty[:4], more={"opset": 11}),
            unary("QLinearGlobalAveragePool", t, "2 3 n m", .5,
                  lambda v: v.mean((2, 3), keepdims=True), images),
            unary("QLinearAveragePool", t, "1 2 n m", .5, pool, images, kernel_shape=[2, 2]),
            unary("QLinearAveragePool", t, "1 n m 2", .5, last_pool, images, kernel_shape=[2, 2],
                  channels_last=1),
            unary("QLinearGlobalAveragePool", t, "2 n m 3", .5,
                  lambda v: v.mean((1, 2), keepdims=True), images, channels_last=1),
            Row("QuantizeLinear", [x("n m"), s[1], z[0]],
                lambda a, *r, z=z: quantize(a, .25, z[0]), sizes=empty, **common),
            Row("DequantizeLinear", [of("n m"), x("m", low=.1, high=1), of("m")],
                lambda a, s, z: (a - z) * s, axis=1, sizes=empty,
                **{**common, "gives": "float32"})]
        w, wz = rng.integers(*limits(t), (6, 5)).astype(t), rng.integers(*limits(t), 5).astype(t)
        ws, c = (2. ** rng.integers(-9, -6, 5)).astype(F32), rng.integers(-99, 99, 5).astype(np.int32)

        def product(a, w, wz, ws, c, alpha):
            return alpha * .5 * ws * ((a - 3) @ (w.astype(int) - wz.astype(int)) + c)
        out += [
            Row("QGemm", [of("n 6"), s[0], z[0], w, ws, wz, c, s[1], z[2]],
                lambda a, *r, w=w, wz=wz, ws=ws, c=c, z=z: quantize(
                    product(a, w, wz, ws.astype(float), c, 1), .25, z[2]),
                sizes=empty, **common),
            Row("QGemm", [of("6 n"), s[0], z[0], w.T.copy(), ws, wz],
                lambda a, *r, w=w, wz=wz, ws=ws: product(a.T, w, wz, ws.astype(float), 0, .5),
                transA=1, transB=1, alpha=.5, sizes=empty, **{**common, "gives": "float32"})]
    return out


if __name__ == "__main__":
    sys.exit(check_all(rows, check))
