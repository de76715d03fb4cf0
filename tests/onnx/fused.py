#!/usr/bin/env python3
"""com.microsoft operators that ONNX Runtime's optimizer fuses from standard ones, against NumPy;
`make test-ops`.
"""
import functools
import math
import os
import sys

import numpy as np

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from ops import Input as x, Row as AnyRow, check, check_all  # noqa: E402

Row = functools.partial(AnyRow, domain="com.microsoft", opset=17)
erf = np.vectorize(math.erf, otypes=[float])


def sigmoid(v):
    return 1 / (1 + np.exp(-v))


def gelu(v):
    return v * (1 + erf(v / math.sqrt(2))) / 2


def gelu_tanh(v):
    return v * (1 + np.tanh(math.sqrt(2 / math.pi) * (v + .044715 * v ** 3))) / 2


def softmax(v):
    e = np.exp(v - v.max(-1, keepdims=True)) if v.size else v
    return e / e.sum(-1, keepdims=True)


def flat_softmax(v, axis):
    return softmax(v.reshape(*v.shape[:axis], -1)).reshape(v.shape)


# name: function of v, alpha, beta and gamma; required attributes, optional ones
ACTIVATIONS = {
    "Relu": (lambda v, *_: np.maximum(v, 0), (), ()),
    "Sigmoid": (lambda v, *_: sigmoid(v), (), ()),
    "Tanh": (lambda v, *_: np.tanh(v), (), ()),
    "Softplus": (lambda v, *_: np.log1p(np.exp(v)), (), ()),
    "Softsign": (lambda v, *_: v / (1 + abs(v)), (), ()),
    "Gelu": (lambda v, *_: gelu(v), (), ()),
    "HardSwish": (lambda v, *_: v * np.clip(v / 6 + .5, 0, 1), (), ()),
    "LeakyRelu": (lambda v, a, *_: np.where(v < 0, a * v, v), (.3,), (.01,)),
    "Elu": (lambda v, a, *_: np.where(v < 0, a * np.expm1(v), v), (.7,), (1,)),
    "Celu": (lambda v, a, *_: np.where(v < 0, a * np.expm1(v / a), v), (.6,), (1,)),
    "ThresholdedRelu": (lambda v, a, *_: np.where(v > a, v, 0), (.2,), (1,)),
    "HardSigmoid": (lambda v, a, b, *_: np.clip(a * v + b, 0, 1), (.3, .4), (.2, .5)),
    "ScaledTanh": (lambda v, a, b, *_: a * np.tanh(b * v), (.3, .4), (1, 1)),
    "ParametricSoftplus": (lambda v, a, b, *_: a * np.log1p(np.exp(b * v)), (.3, .4), (1, 1)),
    "QuickGelu": (lambda v, a, *_: v * sigmoid(a * v), (1.3,), (1.702,)),
    "Selu": (lambda v, a, b, c: c * np.where(v < 0, a * np.expm1(v), v), (1.5, None, 1.2),
             (1.67326319217681884765625, None, 1.05070102214813232421875))}


def conv(v, w, bias=0, pads=0, stride=1, group=1):
    """A convolution over two spatial dimensions."""
    v = np.pad(v, ((0, 0), (0, 0), (pads, pads), (pads, pads)))
    windows = np.lib.stride_tricks.sliding_window_view(v, w.shape[2:], (2, 3))[:, :, ::stride, ::stride]
    parts = [np.einsum("nchwij,ocij->nohw", a, b) for a, b in zip(
        np.split(windows, group, 1), np.split(w, group))]
    return np.concatenate(parts, 1) + np.reshape(bias, (-1, 1, 1))


def products():
    out = []
    for turn in range(16):
        flags = [turn >> i & 1 for i in range(4)]
        named = dict(zip(("transA", "transB", "transBatchA", "transBatchB"), flags))
        texts = []
        for rows, columns, turned, batched in (("n", "3", *flags[::2]), ("3", "m", *flags[1::2])):
            dims = [columns, rows] if turned else [rows, columns]
            texts.append(f"{dims[0]} 2 {dims[1]}" if batched else f"2 {dims[0]} {dims[1]}")

        def product(a, b, flags=flags):
            for turned, batched in (flags[::2], flags[1::2]):
                a = a.swapaxes(0, 1) if batched else a
                a = a.swapaxes(1, 2) if turned else a
                a, b = b, a
            return a @ b * .5
        out.append(Row("FusedMatMul", [x(t) for t in texts], product, alpha=.5, **named))
    out += [Row("FusedMatMul", [x("n 2 m"), x("m 4")], lambda a, b: a @ b),
            Row("FusedMatMul", [x("m"), x("n m")], lambda a, b: b @ a, transA=1, transB=1),
            Row("TransposeMatMul", [x("m n"), x("m 4")], lambda a, b: 2 * a.T @ b, alpha=2., transA=1),
            Row("FusedMatMulActivation", [x("m n"), x("m 4")],
                lambda a, b: np.where(a.T @ b < 0, .2, 1) * (a.T @ b), transA=1,
                activation="LeakyRelu", activation_alpha=.2),
            Row("FusedMatMulActivation", [x("n m"), x("m 4")], lambda a, b: softmax(a @ b),
                activation="Softmax", activation_axis=1),
            Row("GemmFastGelu", [x("n m"), x("m 4"), x("4")], lambda a, b, c: gelu_tanh(a @ b + c)),
            Row("GemmFastGelu", [x("2 n m"), x("m 4")], lambda a, b: gelu_tanh(a @ b)),
            Row("FusedGemm", [x("m n"), x("4 m")], lambda a, b: a.T @ b.T, transA=1, transB=1)]
    for name, (meaning, given, otherwise) in ACTIVATIONS.items():
        for numbers in {given, otherwise}:
            named = dict(zip(("activation_alpha", "activation_beta", "activation_gamma"), numbers))
            named = {k: float(v) for k, v in named.items() if v is not None and numbers == given}
            out.append(Row("FusedGemm", [x("n m"), x("m 4"), x("4")],
                           lambda a, b, c, f=meaning, v=(*numbers, None, None): f(
                               .5 * (a @ b) + 2 * c, *v[:3]),
                           activation=name, alpha=.5, beta=2., **named))
    return out


def convolutions():
    out, image = [], x("2 3 n+3 m+3")
    for name in ("Relu", "Sigmoid", "Tanh", "LeakyRelu", "HardSigmoid", "HardSwish"):
        meaning, given, otherwise = ACTIVATIONS[name]
        for numbers in {given, otherwise}:
            more = {"activation_params": list(numbers)} if given and numbers == given else {}
            out.append(Row("FusedConv", [image, x("4 3 3 3"), x("4")],
                           lambda *a, f=meaning, v=numbers: f(conv(*a, pads=1), *v),
                           activation=name, pads=[1] * 4, **more))
    out += [Row("FusedConv", [image, x("4 3 3 3")],
                lambda *a: np.clip(conv(*a), -.5, 1.5), activation="Clip", activation_params=[-.5, 1.5]),
            Row("FusedConv", [x("2 n 4 4"), x("4 n 3 3"), x("4"), x("2 4 4 4")],
                lambda a, w, b, z: np.maximum(conv(a, w, b, pads=1) + z, 0), pads=[1] * 4,
                activation="Relu"),
            Row("FusedConv", [x("n 3 5 m+3"), x("4 3 3 3"), None, x("n 4 3 m+1")],
                lambda a, w, z: conv(a, w) + z),
            Row("FusedConv", [x("2 4 n+3 m+3"), x("4 1 3 3"), x("4")],
                lambda *a: np.maximum(conv(*a, stride=2, group=4), 0), activation="Relu", group=4,
                strides=[2, 2])]
    return out


def activations():
    empty = [(2, 3), (1, 1), (5, 4), (17, 9), (0, 3), (3, 0)]
    wide = dict(low=-5, high=5)
    out = []
    for t in ("float32", "float16"):
        out += [Row(op, [x("n m", t, **wide), x("m", t)], lambda a, b, f=f: f(a + b), sizes=empty, name=t)
                for op, f in (("BiasGelu", gelu), ("FastGelu", gelu_tanh))]
        out += [Row(op, [x("2 n m", t, **wide)], f, sizes=empty, name=t) for op, f in (
            ("Gelu", gelu), ("FastGelu", gelu_tanh), ("QuickGelu", lambda v: v * sigmoid(1.702 * v)))]
    out += [Row("QuickGelu", [x("n m")], lambda v: v * sigmoid(v), alpha=1.),
            Row("BiasSplitGelu", [x("2 n 6"), x("6")],
                lambda a, b: (a + b)[..., :3] * gelu((a + b)[..., 3:])),
            Row("BiasAdd", [x("2 n m"), x("m"), x("2 n m")], lambda a, b, c: a + b + c, sizes=empty)]
    for axis in (1, 2, 3):
        out += [Row("BiasSoftmax", [x("2 3 n m"), x(bias)],
                    lambda a, b, k=axis: flat_softmax(a + b, k), axis=axis, is_inner_broadcast=inner)
                for inner, bias in ((1, "2 1 1 m"), (0, "1 1 n m"), (0, "n m"))]
    return out


def rows():
    return products() + convolutions() + activations()


if __name__ == "__main__":
    sys.exit(check_all(rows, check))
