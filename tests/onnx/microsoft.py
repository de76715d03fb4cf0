#!/usr/bin/env python3
"""Operators of onnxruntime's domain com.microsoft, against NumPy; `make test-ops`.

Scales are such that float32 rounds to the same integers as double: sums and products are exact, or
lie between those numbers where rounding changes.
"""
import os
import sys

import numpy as np

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from ops import Input as x, Row, check, check_all  # noqa: E402

F32, U8, I8 = np.float32, np.uint8, np.int8


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


def unary(op, t, dims, scale, meaning, sizes, **attrs):
    zero, out = number(t, 3), number(t, 5)
    return Row(op, [dynamic(t)(dims), number(F32, scale), zero, number(F32, 1 / 64), out],
               lambda a, s, z, ys, yz: quantize(meaning((a - 3) * scale), 1 / 64, out),
               gives=np.dtype(t).name, domain="com.microsoft", sizes=sizes, name=np.dtype(t).name,
               opset=17, **attrs)


def blocked(values, scales, zeros, size, k):
    """The weights that MatMulNBits means, K by N."""
    return ((values - np.repeat(zeros, size, 1)) * np.repeat(scales, size, 1))[:, :k].T


def packed(values, bits):
    """Rows of numbers of |bits| bits, as bytes."""
    each = 8 // bits
    rows = np.pad(values, ((0, 0), (0, -values.shape[1] % each))).reshape(len(values), -1, each)
    return sum(rows[:, :, i].astype(int) << bits * i for i in range(each)).astype(U8)


def products(rng):
    out = []
    for bits in (2, 4, 8):
        for size, k, n, given, bias in ((16, 32, 5, False, False), (16, 40, 3, True, True),
                                        (32, 32, 1, True, False), (16, 80, 17, True, False)):
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
                           lambda a, *rest, w=w, bias=bias: a @ w + (rest[-1] if bias else 0),
                           domain="com.microsoft", opset=17, K=k, N=n, bits=bits,
                           block_size=size, name=f"bias {bias} zeros {given}",
                           sizes=[(1, 1), (0, 1), (2, 1), (7, 1), (33, 1)]))
    return out


def rows():
    rng = np.random.default_rng(1)
    empty = [(2, 3), (1, 1), (5, 4), (17, 9), (0, 3), (3, 0)]
    images = [(2, 3), (4, 4), (7, 2)]
    out = products(rng)
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
