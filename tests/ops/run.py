#!/usr/bin/env python3
"""Operators end to end against NumPy in float64.

Each row is an expression over named inputs and its reference. It is compiled once with symbolic
dimensions and run at several sizes (including 0 and 1), and compiled again with constant ones.

    python3 tests/ops/run.py --rlxc build/rlxc --rlx build/rlx [--filter REGEX] [--jobs N]

Prints a line per failure and `N passed, M failed`; exits 0, or 1 after failures.
"""
import argparse
import concurrent.futures
import math
import os
import re
import subprocess
import sys
import tempfile

import numpy as np

import rows_gradient
import rows_image
import rows_more

SIZES = [(0, 3), (1, 1), (2, 7), (7, 64), (64, 33), (5, 0)]
STATIC = [(0, 3), (7, 64)]
TOLERANCE = {"float64": 1e-10, "float32": 2e-5, "float16": 4e-3}

erf = np.vectorize(math.erf, otypes=[np.float64])


class Row:
    """expr: an R expression; inputs: name -> (dims, dtype, low, high); ref: NumPy, on float64;
    gives: the type of the result, or a list of types, where element_type cannot infer it."""

    def __init__(self, expr, inputs, ref, empty=True, name=None, gives=None):
        self.expr, self.inputs, self.ref, self.empty = expr, inputs, ref, empty
        self.name, self.gives = name or expr, gives
        self.loose = 0 # minimum tolerance


def x(dims="n m", dtype="float32", low=-3, high=3):
    return (dims, dtype, low, high)


def wide(name):
    return f"R.subtract(R.astype({name}, \"int32\"), R.astype({name}_zero, \"int32\"))"


def limits(dtype):
    info = np.iinfo(dtype)
    return int(info.min), int(info.max)


def softmax(a, axis):
    e = np.exp(a - a.max(axis=axis, keepdims=True))
    return e / e.sum(axis=axis, keepdims=True)


def normalise(a, axes, eps):
    mean = a.mean(axis=axes, keepdims=True)
    var = ((a - mean) ** 2).mean(axis=axes, keepdims=True)
    return (a - mean) / np.sqrt(var + eps)


def conv(a, w, stride, pad, dilation, groups):
    a = np.pad(a, [(0, 0), (0, 0)] + [(p, p) for p in pad])
    n, _, h, wd = a.shape
    o, i, kh, kw = w.shape
    oh = (h - dilation[0] * (kh - 1) - 1) // stride[0] + 1
    ow = (wd - dilation[1] * (kw - 1) - 1) // stride[1] + 1
    out = np.zeros((n, o, oh, ow))
    for f in range(o):
        g = f // (o // groups)
        for c in range(i):
            for r in range(kh):
                for s in range(kw):
                    ys, xs = r * dilation[0], s * dilation[1]
                    part = a[:, g * i + c, ys:ys + stride[0] * oh:stride[0],
                             xs:xs + stride[1] * ow:stride[1]]
                    out[:, f] += w[f, c, r, s] * part
    return out


def pool(a, size, stride, pad, best):
    a = np.pad(a, [(0, 0), (0, 0), (pad, pad), (pad, pad)],
               constant_values=-np.inf if best else 0)
    oh, ow = (a.shape[2] - size) // stride + 1, (a.shape[3] - size) // stride + 1
    out = np.zeros(a.shape[:2] + (oh, ow))
    for i in range(oh):
        for j in range(ow):
            window = a[:, :, i * stride:i * stride + size, j * stride:j * stride + size]
            out[:, :, i, j] = window.max((2, 3)) if best else window.mean((2, 3))
    return out


def windows_of_two(a):
    a = np.pad(a, ((0, 0), (0, 0), (1, 1)), constant_values=-np.inf)
    return np.stack([a[:, :, :-1], a[:, :, 1:]])


def conv_transpose(a, w, stride, pad, extra, groups):
    n, c, h, wd = a.shape
    i, o, kh, kw = w.shape
    full = np.zeros((n, o * groups, (h - 1) * stride + kh + extra, (wd - 1) * stride + kw + extra))
    for g in range(groups):
        for ch in range(c // groups):
            k = g * (c // groups) + ch
            for y in range(h):
                for x_ in range(wd):
                    full[:, g * o:(g + 1) * o, y * stride:y * stride + kh,
                         x_ * stride:x_ * stride + kw] += a[:, k, y, x_][:, None, None, None] * w[k]
    return full[:, :, pad:full.shape[2] - pad, pad:full.shape[3] - pad]


def adaptive(a, oh, ow):
    out = np.zeros(a.shape[:2] + (oh, ow))
    h, w = a.shape[2:]
    for i in range(oh):
        for j in range(ow):
            part = a[:, :, i * h // oh:-(-(i + 1) * h // oh), j * w // ow:-(-(j + 1) * w // ow)]
            out[:, :, i, j] = part.mean((2, 3))
    return out


def scatter(a, at, u, how):
    out = a.copy()
    for where in np.ndindex(*u.shape):
        i = at(where)
        out[i] = {"update": u[where], "add": out[i] + u[where], "mul": out[i] * u[where],
                  "min": min(out[i], u[where]), "max": max(out[i], u[where])}[how]
    return out


def nll(p, t, w):
    weight = w[t]
    return -(p[np.arange(len(t)), t] * weight).sum() / weight.sum()


def causal(q, k, v):
    n, m = q.shape[1], k.shape[1]
    scores = np.einsum("bnhd,bmhd->bhnm", q, k) / 2
    scores = np.where(np.tril(np.ones((n, m)), m - n) > 0, scores, -np.inf)
    return np.einsum("bhnm,bmhd->bnhd", softmax(scores, -1), v)


def rows():
    out = []
    unary = {
        "abs": (np.abs, -3, 3), "acos": (np.arccos, -1, 1), "acosh": (np.arccosh, 1, 5),
        "asin": (np.arcsin, -1, 1), "asinh": (np.arcsinh, -3, 3), "atan": (np.arctan, -3, 3),
        "atanh": (np.arctanh, -.9, .9), "ceil": (np.ceil, -3, 3), "cos": (np.cos, -6, 6),
        "cosh": (np.cosh, -3, 3), "erf": (erf, -3, 3), "exp": (np.exp, -20, 20),
        "floor": (np.floor, -3, 3), "log": (np.log, .01, 100), "negative": (np.negative, -3, 3),
        "round": (np.round, -3, 3), "rsqrt": (lambda a: a ** -.5, .01, 9),
        "sigmoid": (lambda a: 1 / (1 + np.exp(-a)), -30, 30), "sign": (np.sign, -3, 3),
        "sin": (np.sin, -6, 6), "sinh": (np.sinh, -3, 3), "sqrt": (np.sqrt, 0, 9),
        "square": (np.square, -3, 3), "tan": (np.tan, -1, 1), "tanh": (np.tanh, -9, 9),
        "trunc": (np.trunc, -3, 3),
        "nn.gelu": (lambda a: a * .5 * (1 + erf(a / math.sqrt(2))), -6, 6),
        "nn.gelu_tanh": (lambda a: .5 * a * (1 + np.tanh(math.sqrt(2 / math.pi) *
                                                         (a + .044715 * a ** 3))), -6, 6),
        "nn.leakyrelu": (lambda a: np.where(a > 0, a, .01 * a), -3, 3),
        "nn.relu": (lambda a: np.maximum(a, 0), -3, 3),
        "nn.relu6": (lambda a: np.clip(a, 0, 6), -3, 9),
        "nn.selu": (lambda a: 1.0507009873554805 * np.where(
            a > 0, a, 1.6732632423543772 * np.expm1(a)), -3, 3),
        "nn.silu": (lambda a: a / (1 + np.exp(-a)), -9, 9),
        "nn.softplus": (lambda a: np.log1p(np.exp(a)), -9, 9),
    }
    for op, (ref, low, high) in unary.items():
        for dtype in ("float32", "float64", "float16"):
            if dtype == "float16": # float16 ends at 65504
                low, high = max(low, -9), min(high, 9)
            out.append(Row(f"R.{op}(x)", {"x": x("n m", dtype, low, high)}, ref,
                           name=f"R.{op}(x) {dtype}"))
    for dtype in ("float32", "float64"):  # log(1 + exp(x)) has no digits left here
        out.append(Row("R.log(R.nn.softplus(x))", {"x": x("n m", dtype, -80, -12)},
                       lambda a: np.log(np.log1p(np.exp(a))), name=f"R.nn.softplus, small {dtype}"))
    for op in ("abs", "negative", "sign", "square"):
        out.append(Row(f"R.{op}(x)", {"x": x("n m", "int32", -9, 9)}, getattr(np, op),
                       name=f"R.{op}(x) int32"))
    out.append(Row("R.bitwise_not(x)", {"x": x("n", "int16", -99, 99)}, np.bitwise_not))
    out.append(Row("R.logical_not(x)", {"x": x("n", "bool", 0, 2)}, np.logical_not))

    binary = {"add": np.add, "subtract": np.subtract, "multiply": np.multiply,
              "divide": np.divide, "maximum": np.maximum, "minimum": np.minimum,
              "floor_divide": np.floor_divide, "floor_mod": np.mod, "mod": np.fmod,
              "equal": np.equal, "not_equal": np.not_equal, "less": np.less,
              "less_equal": np.less_equal, "greater": np.greater,
              "greater_equal": np.greater_equal}
    shapes = [("n m", "n m"), ("n m", "m"), ("n 1", "1 m"), ("n m", ""), ("4 n 1", "m")]
    for op, ref in binary.items():
        for a, b in shapes:
            out.append(Row(f"R.{op}(x, y)", {"x": x(a), "y": x(b, low=1, high=4)}, ref,
                           name=f"R.{op}(({a}), ({b}))"))
        int_ref = ref
        if op == "divide":
            int_ref = lambda a, b: np.trunc(a / b)
        for dtype in ("int32", "int8", "int64"):
            out.append(Row(f"R.{op}(x, y)", {"x": x("n m", dtype, -9, 9), "y": x("m", dtype, 1, 5)},
                           int_ref, name=f"R.{op} {dtype}"))
    out.append(Row("R.power(x, y)", {"x": x(low=.1), "y": x("m")}, np.power))
    for k in (2, 3, -1, .5):
        low = .1 if k == .5 else -2
        out.append(Row(f'R.power(x, R.const({k}, "float32"))', {"x": x(low=low)}, lambda a, k=k: a ** k))
    for op in ("bitwise_and", "bitwise_or", "bitwise_xor", "left_shift", "right_shift"):
        out.append(Row(f"R.{op}(x, y)", {"x": x("n m", "int32", -99, 99),
                                         "y": x("m", "int32", 0, 7)}, getattr(np, op)))
    for op in ("logical_and", "logical_or", "logical_xor"):
        out.append(Row(f"R.{op}(x, y)", {"x": x("n m", "bool", 0, 2), "y": x("m", "bool", 0, 2)},
                       getattr(np, op)))
    out.append(Row("R.logical_xor(x, y)", {"x": x("n m", "int32", -99, 99), "y": x("m", "int32", 0, 7)},
                   np.bitwise_xor, name="R.logical_xor int32"))
    for op in ("ceil", "floor", "round", "trunc"):
        out.append(Row(f"R.{op}(x)", {"x": x("n m", "bool", 0, 2)}, lambda a: a, name=f"R.{op} bool"))
    out.append(Row("R.where(c, x, y)", {"c": x("n 1", "bool", 0, 2), "x": x(), "y": x("m")},
                   np.where))
    out.append(Row("R.clip(x, -1, 1.5)", {"x": x()}, lambda a: np.clip(a, -1, 1.5)))
    for a in ("float32", "int32", "uint8", "float16", "bool"):
        for b in ("float64", "int64", "int8", "float32"):
            out.append(Row(f'R.astype(x, "{b}")', {"x": x("n m", a, 0, 90)},
                           lambda v, b=b: np.trunc(v) if b.startswith("int") else v,
                           name=f"astype {a} {b}", gives=b))

    # shape and order
    out += [
        Row("R.permute_dims(x)", {"x": x("n 3 m")}, lambda a: a.transpose()),
        Row("R.permute_dims(x, [0, 2, 1])", {"x": x("n 33 m")}, lambda a: a.transpose(0, 2, 1)),
        Row("R.permute_dims(x, [0, 2, 1])", {"x": x("n 33 m", "float64")},
            lambda a: a.transpose(0, 2, 1), name="permute_dims float64"),
        Row("R.permute_dims(x, [1, 2, 0])", {"x": x("n 3 m")}, lambda a: a.transpose(1, 2, 0)),
        Row("R.reshape(x, (m, n))", {"x": x()}, lambda a: a.reshape(a.shape[::-1])),
        Row("R.reshape(x, (n, -1))", {"x": x("n 2 m")},
            lambda a: a.reshape(a.shape[0], 2 * a.shape[2]), empty=False),
        Row("R.flatten(x)", {"x": x("n 2 m")}, np.ravel),
        Row("R.add(R.expand_dims(x, [1]), y)", {"x": x("n"), "y": x("m")},
            lambda a, b: a[:, None] + b),
        Row("R.squeeze(x, [1])", {"x": x("n 1 m")}, lambda a: a[:, 0]),
        Row("R.broadcast_to(x, (4, n, m))", {"x": x("n 1"), "y": x("m")},
            lambda a, b: np.broadcast_to(a, (4, a.shape[0], b.shape[0]))),
        Row("R.concat((x, y, x), axis=0)", {"x": x(), "y": x("2 m")},
            lambda a, b: np.concatenate((a, b, a))),
        Row("R.concat((x, y), axis=-1)", {"x": x(), "y": x("n 5")},
            lambda a, b: np.concatenate((a, b), -1)),
        Row("R.concat((" + "x, " * 11 + "y), axis=1)", {"x": x(), "y": x("n 5")},
            lambda a, b: np.concatenate([a] * 11 + [b], 1), name="concat of twelve"),
        Row("R.concat((" + "x, y, " * 64 + "x), axis=1)", {"x": x(), "y": x("n 5")},
            lambda a, b: np.concatenate([a, b] * 64 + [a], 1), name="concat of 129"),
        Row("R.stack((x, y), axis=1)", {"x": x(), "y": x()}, lambda a, b: np.stack((a, b), 1)),
        Row("R.split(x, 3, axis=1)", {"x": x("n 9 m")}, lambda a: np.split(a, 3, 1)),
        Row("R.split(x, [2, 5], axis=-2)", {"x": x("n 9 m")}, lambda a: np.split(a, [2, 5], 1)),
        Row("R.strided_slice(x, [1], [1], [-1], [2])", {"x": x("n 9 m")}, lambda a: a[:, 1:-1:2]),
        Row("R.strided_slice(x, [0, 1], [-3, 7], [100, -100], [1, -3])", {"x": x("n 9 m")},
            lambda a: a[-3:100, 7:-100:-3]),
        Row("R.strided_slice(x, [0], [1], [3])", {"x": x()}, lambda a: a[1:3]),
        Row("R.flip(x, 1)", {"x": x()}, lambda a: a[:, ::-1]),
        Row("R.repeat(x, 3, axis=0)", {"x": x()}, lambda a: np.repeat(a, 3, 0)),
        Row("R.repeat(x, 2)", {"x": x()}, lambda a: np.repeat(a, 2)),
        Row("R.tile(x, [2, 1, 3])", {"x": x()}, lambda a: np.tile(a, (2, 1, 3))),
        Row("R.nn.pad(x, [1, 2, 0, 3], pad_value=1.5)", {"x": x()},
            lambda a: np.pad(a, ((1, 2), (0, 3)), constant_values=1.5)),
        Row("R.nn.pad(x, [1, 2, 0, 0], pad_mode=\"replicate\")", {"x": x("4 m")},
            lambda a: np.pad(a, ((1, 2), (0, 0)), mode="edge")),
        Row("R.nn.pad(x, [2, 1, 0, 0], pad_mode=\"replicate\")", {"x": x("n 3")}, # n = 0: pads with 0
            lambda a: np.pad(a, ((2, 1), (0, 0)), mode="edge" if len(a) else "constant")),
        Row("R.nn.pad(x, [7, 9, 0, 0], pad_mode=\"reflect\")", {"x": x("3 m")},
            lambda a: np.pad(a, ((7, 9), (0, 0)), mode="reflect")),
        Row("R.nn.pad(x, [7, 9, 0, 0], \"reflect\")", {"x": x("3 m")},
            lambda a: np.pad(a, ((7, 9), (0, 0)), mode="reflect")),
        Row("R.nn.pad(x, [3, 3, 0, 0], pad_mode=\"circular\")", {"x": x("n 3")},
            lambda a: np.pad(a, ((3, 3), (0, 0)), mode="wrap"), empty=False),
        Row("R.strided_slice(x, [0], [n - 1], [n], assume_inbound=True)", {"x": x()},
            lambda a: a[-1:], empty=False),
        Row("R.tril(x, 1)", {"x": x("2 n m")}, lambda a: np.tril(a, 1)),
        Row("R.triu(x, -1)", {"x": x("2 n m")}, lambda a: np.triu(a, -1)),
    ]

    # creation
    out += [
        Row("R.full((n, m), R.const(2.5, \"float32\"))", {"x": x()}, lambda a: np.full(a.shape, 2.5)),
        Row("R.ones((n, 2), \"int32\")", {"x": x()}, lambda a: np.ones((a.shape[0], 2)),
            gives="int32"),
        Row("R.zeros_like(x)", {"x": x()}, np.zeros_like),
        Row("R.arange(n)", {"x": x()}, lambda a: np.arange(a.shape[0]), gives="int64"),
        Row("R.arange(1, n + 1, 2, \"float32\")", {"x": x()},
            lambda a: np.arange(1, a.shape[0] + 1, 2)),
        Row("R.eye(n, m, 1)", {"x": x()}, lambda a: np.eye(*a.shape, 1)),
        Row("R.one_hot(i, R.prim_value(T.float32(2)), R.prim_value(T.float32(-1)), depth=5)",
            {"i": x("n", "int64", 0, 5)}, lambda i: np.where(np.eye(5)[i] > 0, 2., -1.),
            gives="float32"),
    ]

    # indexing
    out += [
        Row("R.take(x, i, axis=1)", {"x": x("n 6 m"), "i": x("4 n", "int64", -6, 6)},
            lambda a, i: np.take(a, i, 1)),
        Row("R.take(x, i, axis=0)", {"x": x("6 m"), "i": x("n", "int32", 0, 6)},
            lambda a, i: np.take(a, i, 0)),
        Row("R.take(x, i)", {"x": x("6"), "i": x("n", "int32", 0, 6)}, np.take),
        Row("R.gather_elements(x, i, axis=1)", {"x": x("n 6"), "i": x("n m", "int64", 0, 6)},
            lambda a, i: np.take_along_axis(a, i, 1)),
        Row("R.gather_nd(x, i)", {"x": x("6 3 m"), "i": x("n 2", "int64", 0, 3)},
            lambda a, i: a[i[:, 0], i[:, 1]]),
    ]

    # reduction
    for axis in ("None", "[0]", "[1]", "[0, -1]"):
        at = eval(axis)
        at = tuple(at) if at else None
        for keep in (False, True):
            tail = f"(x, axis={axis}, keepdims={keep})"
            out.append(Row("R.sum" + tail, {"x": x()}, lambda a, at=at, k=keep:
                           a.sum(axis=at, keepdims=k)))
            out.append(Row("R.prod" + tail, {"x": x(low=.8, high=1.2)}, lambda a, at=at, k=keep:
                           a.prod(axis=at, keepdims=k)))
            for op in ("max", "min", "mean", "variance", "std"):
                fn = {"variance": np.var}.get(op) or getattr(np, op)
                out.append(Row(f"R.{op}" + tail, {"x": x()}, lambda a, at=at, k=keep, fn=fn:
                               fn(a, axis=at, keepdims=k), empty=False))
        if axis != "[0, -1]":
            one = None if at is None else at[0]
            for op in ("argmax", "argmin"):
                out.append(Row(f"R.{op}(x, axis={one})", {"x": x("n m", "int32", 0, 4)},
                               lambda a, o=one, op=op: getattr(np, op)(a, axis=o), empty=False,
                               gives="int64"))
    out += [
        Row("R.sum(x, axis=[0])", {"x": x("n m", "int32", -9, 9)}, lambda a: a.sum(0)),
        # the axes behind the summed one are columns together: 4, 49 and so on, and an unknown number
        *(Row(f"R.{op}(x, axis=[1], keepdims={keep})", {"x": x(dims)}, lambda a, op=op, keep=keep:
              getattr(np, op)(a, axis=1, keepdims=keep))
          for op, keep, dims in (("sum", False, "n 5 2 2"), ("mean", True, "n 37 7 7"),
                                 ("max", True, "2 37 n m"), ("mean", False, "2 70 n m"),
                                 ("sum", True, "n 3 m 2"), ("min", False, "3 3 1 100"))),
        Row("R.sum(x, axis=[-1])", {"x": x("n m", "float16", -1, 1)}, lambda a: a.sum(-1)),
        Row("R.max(x, axis=[0])", {"x": x("n m", "uint8", 0, 200)}, lambda a: a.max(0), empty=False),
        Row("R.argmax(R.sqrt(x), axis=1)", {"x": x()}, # the first NaN wins, as in NumPy
            lambda a: np.sqrt(a).argmax(1), empty=False, gives="int64"),
        Row("R.argmin(R.sqrt(x), axis=0)", {"x": x(dtype="float64")},
            lambda a: np.sqrt(a).argmin(0), empty=False, gives="int64"),
        Row("R.argmax(R.sqrt(x), axis=-1)", {"x": x("n 3 37", "float16")},
            lambda a: np.sqrt(a).argmax(-1), gives="int64"),
        Row("R.argmin(x, axis=-1)", {"x": x("n 37", "int8", -4, 4)}, lambda a: a.argmin(-1),
            gives="int64"),
        Row("R.argmax(R.sqrt(x), axis=1)", {"x": x("n 37 5 m")}, # columns, also where not contiguous
            lambda a: np.sqrt(a).argmax(1), gives="int64"),
        Row("R.argmin(x, axis=1, keepdims=True)", {"x": x("m 5 n", "float16", -2, 2)},
            lambda a: a.argmin(1)[:, None], gives="int64"),
        Row("R.nn.max_pool1d(R.log(R.nn.relu(x)), 2, padding=1)", {"x": x("2 n m")},
            lambda a: windows_of_two(np.log(np.maximum(a, 0))).max(0)), # also for windows of -inf
        Row("R.cumsum(x, axis=1)", {"x": x()}, lambda a: a.cumsum(1)),
        Row("R.cumsum(x, axis=1)", {"x": x("3 16 64")}, lambda a: a.cumsum(1)),
        Row("R.cumsum(x, axis=0)", {"x": x("n 3 37", "float64")}, lambda a: a.cumsum(0)),
        Row("R.cumprod(x, axis=1, dtype=\"int64\")", {"x": x("2 n m", "int8", -2, 2)},
            lambda a: a.cumprod(1, dtype="int64"), gives="int64"),
        Row("R.cumsum(x)", {"x": x()}, lambda a: a.cumsum()),
        Row("R.cumprod(x, axis=0)", {"x": x(low=.8, high=1.2)}, lambda a: a.cumprod(0)),
    ]

    # linear algebra
    for a, b in (("n m", "m 5"), ("n 16", "16 m"), ("n m", "m n"), ("m", "m 4"), ("n m", "m"),
                 ("m", "m"), ("3 n m", "3 m 4"), ("2 1 n 5", "3 5 m"), ("n m", "2 m 3"),
                 ("n 48", "48 96")):
        out.append(Row("R.matmul(x, y)", {"x": x(a), "y": x(b)}, np.matmul,
                       name=f"matmul ({a}) ({b})"))
    out += [
        Row("R.matmul(x, y)", {"x": x("n m", "int32", -9, 9), "y": x("m 3", "int32", -9, 9)},
            np.matmul, name="matmul int32"),
        # bytes minus their zeros, both operands from the caller: the second is packed in each call
        *(Row(f"R.matmul({wide('x')}, {wide('y')})".replace("y_zero", zero),
              {"x": x(rows, left, *limits(left)), "x_zero": x("", left, *limits(left)),
               "y": x(columns, right, *limits(right)),
               **({"y_zero": x("", right, *limits(right))} if zero == "y_zero" else {})},
              lambda a, az, b, bz=None: np.matmul(a - az, b - (3 if bz is None else bz)),
              name=f"matmul {left} {rows} x {right} {columns} {zero}", gives="int32")
          for left, right, rows, columns, zero in (
              ("uint8", "int8", "n 37", "37 19", "y_zero"), ("int8", "uint8", "n m 5", "5 33", "y_zero"),
              ("uint8", "uint8", "2 n 70", "70 64", "R.const(3, \"uint8\")"),
              ("int8", "int8", "n 1", "1 16", "y_zero"), ("uint8", "int8", "n 64", "64 15", "y_zero"),
              ("int8", "int8", "m 129", "129 100", "R.const(3, \"int8\")"))),
        Row("R.matmul(x, y, out_dtype=\"int32\")",
            {"x": x("n m", "int8", -99, 99), "y": x("m 3", "int8", -99, 99)}, np.matmul,
            gives="int32"),
        Row("R.matmul(x, y)", {"x": x("n m", "float16", -1, 1), "y": x("m 3", "float16", -1, 1)},
            np.matmul, name="matmul float16"),
        Row("R.matmul(x, R.permute_dims(y))", {"x": x("n 32"), "y": x("m 32")},
            lambda a, b: a @ b.T),
        Row("R.einsum((x, y), \"bij,bjk->bki\")", {"x": x("2 n 5"), "y": x("2 5 m")},
            lambda a, b: np.einsum("bij,bjk->bki", a, b)),
        Row("R.nn.softmax(x)", {"x": x(low=-30, high=30)}, lambda a: softmax(a, -1), empty=False),
        Row("R.nn.softmax(x, axis=0)", {"x": x()}, lambda a: softmax(a, 0), empty=False),
        Row("R.nn.softmax(x, axis=1)", {"x": x("n 4 m")}, lambda a: softmax(a, 1), empty=False),
        Row("R.nn.log_softmax(x)", {"x": x()}, lambda a: np.log(softmax(a, -1)), empty=False),
        Row("R.nn.layer_norm(x, g, b, axes=[-1])", {"x": x("n 24"), "g": x("24"), "b": x("24")},
            lambda a, g, b: normalise(a, -1, 1e-5) * g + b),
        Row("R.nn.layer_norm(x, g, b, axes=[-2, -1])",
            {"x": x("n 3 m"), "g": x("3 m"), "b": x("3 m")},
            lambda a, g, b: normalise(a, (-2, -1), 1e-5) * g + b, empty=False),
        Row("R.nn.layer_norm(x, g, b, axes=[-1])",
            {"x": x("n 24", "float16"), "g": x("24", "float16"), "b": x("24", "float16")},
            lambda a, g, b: normalise(a, -1, 1e-5) * g + b, name="layer_norm float16"),
        *[Row(f"R.nn.rms_norm(x, g{axes})", {"x": x(), "g": x("m")},
              lambda a, g: a / np.sqrt((a * a).mean(-1, keepdims=True) + 1e-5) * g, empty=False)
          for axes in (", axes=[-1]", "")],
        Row("R.subtract(R.image.resize2d(x, (7, 9), method=\"cubic\"), "
            "R.image.resize2d(x, (7, 9), method=\"cubic\", cubic_alpha=-0.75))", {"x": x("1 2 4 5")},
            lambda a: np.zeros((1, 2, 7, 9)), name="default of cubic_alpha"),
        Row("R.subtract(R.image.resize2d(x, 7), R.image.resize2d(x, (7, 7)))", {"x": x("1 2 4 5")},
            lambda a: np.zeros((1, 2, 7, 7)), name="one size for all dimensions"),
        Row("R.nn.group_norm(x, g, b, 2, 1, [2])", {"x": x("n 6 4"), "g": x("6"), "b": x("6")},
            lambda a, g, b: normalise(a.reshape(-1, 2, 12), -1, 1e-5).reshape(a.shape)
            * g[:, None] + b[:, None]),
        Row("R.nn.batch_norm(x, g, b, u, v, axis=1)[0]",
            {"x": x("n 3 m"), "g": x("3"), "b": x("3"), "u": x("3"), "v": x("3", low=.1)},
            lambda a, g, b, u, v: (a - u[:, None]) / np.sqrt(v[:, None] + 1e-5) * g[:, None]
            + b[:, None]),
        Row("R.nn.attention(q, k, v)",
            {"q": x("2 n 2 4"), "k": x("2 m 2 4"), "v": x("2 m 2 3")},
            lambda q, k, v: np.einsum("bhnm,bmhd->bnhd", softmax(
                np.einsum("bnhd,bmhd->bhnm", q, k) / 2, -1), v), empty=False),
    ]
    for stride, pad, dilation, groups in ((1, 0, 1, 1), (2, 1, 1, 1), (1, 2, 2, 1), (1, 1, 1, 2),
                                          (2, 0, 1, 4)):
        out.append(Row(f"R.nn.conv2d(x, w, strides={stride}, padding={pad}, dilation={dilation}, "
                       f"groups={groups})", {"x": x("n 4 9 8"), "w": x(f"8 {4 // groups} 3 2")},
                       lambda a, w, s=stride, p=pad, d=dilation, g=groups:
                       conv(a, w, (s, s), (p, p), (d, d), g)))
    for groups, outputs in ((2, 128), (3, 80), (2, 72)): # wider than a tile: several panels
        out.append(Row(f"R.nn.conv2d(x, w, padding=1, groups={groups})",
                       {"x": x(f"n {2 * groups} 5 m"), "w": x(f"{groups * outputs} 2 3 2")},
                       lambda a, w, g=groups: conv(a, w, (1, 1), (1, 1), (1, 1), g),
                       name=f"conv2d of {groups} groups of {outputs}", empty=False))
    for widths, value in (((1, 2, 0, 1), 0), ((1, 2, 0, 1), .5), ((2, -1, 0, 1), 0)):
        for channels in ((0, 0), (1, 0)): # the convolution may pad, or may not
            out.append(Row(
                f"R.nn.conv2d(R.nn.pad(x, {[0, 0, *channels, *widths]}, pad_value={float(value)}), w, "
                "strides=2, padding=[1, 2, 1, 2])",
                {"x": x(f"n {3 - sum(channels)} 8 m"), "w": x("4 3 3 2")},
                lambda a, w, p=widths, c=channels, v=value: conv(
                    np.pad(a, ((0, 0), c, (p[0], max(p[1], 0)), p[2:]),
                           constant_values=v)[:, :, :8 + p[0] + p[1]], w, (2, 2), (1, 2),
                    (1, 1), 1),
                empty=False))
    out.append(Row("R.nn.conv2d(x, w, padding=1, data_layout=\"NHWC\", kernel_layout=\"HWIO\")",
                   {"x": x("n 6 7 4"), "w": x("3 3 4 8")},
                   lambda a, w: conv(a.transpose(0, 3, 1, 2), w.transpose(3, 2, 0, 1), (1, 1),
                                     (1, 1), (1, 1), 1).transpose(0, 2, 3, 1)))
    for size, stride, pad in ((2, 2, 0), (3, 1, 1), (3, 2, 1)):
        for best in (True, False):
            op = "max" if best else "avg"
            out.append(Row(f"R.nn.{op}_pool2d(x, {size}, strides={stride}, padding={pad}, "
                           "count_include_pad=True)", {"x": x("n 3 8 9")},
                           lambda a, z=size, s=stride, p=pad, b=best: pool(a, z, s, p, b)))

    for stride, pad, extra, groups in ((1, 0, 0, 1), (2, 1, 1, 1), (2, 0, 0, 2)):
        out.append(Row(f"R.nn.conv2d_transpose(x, w, strides={stride}, padding={pad}, "
                       f"output_padding={extra}, groups={groups})",
                       {"x": x("n 4 5 6"), "w": x("4 3 3 2")},
                       lambda a, w, s=stride, p=pad, e=extra, g=groups:
                       conv_transpose(a, w, s, p, e, g)))
    # a convolution for each phase; for all phases together; by columns
    for stride, pad, extra, size, image in (
            (2, 1, 0, "4 4", "4 3"), (2, 1, 1, "3 3", "m 5"), (3, 1, 1, "5 4", "2 m"),
            (2, 2, 1, "4 3", "5 4"), (2, 3, 0, "4 4", "5 6"), (4, 1, 0, "5 7", "3 3"),
            (1, 0, 0, "4 4", "1 1"), (1, 1, 0, "4 3", "1 3"), (2, 0, 1, "4 4", "1 2")):
        out.append(Row(f"R.nn.conv2d_transpose(x, w, strides={stride}, padding={pad}, "
                       f"output_padding={extra})", {"x": x(f"n 16 {image}"), "w": x(f"16 24 {size}")},
                       lambda a, w, s=stride, p=pad, e=extra: conv_transpose(a, w, s, p, e, 1),
                       name=f"conv2d_transpose {image}, {size}, stride {stride}, padding {pad}"))
    for stride, pad, extra, size in ((1, 0, 0, "3 3"), (2, 1, 1, "3 2"), (2, 0, 0, "2 4"),
                                     (3, 2, 2, "5 4"), (3, 0, 0, "1 2"), (2, 3, 1, "4 4")):
        out.append(Row(f"R.nn.conv2d_transpose(x, w, strides={stride}, padding={pad}, "
                       f"output_padding={extra}, data_layout=\"NHWC\", kernel_layout=\"HWIO\")",
                       {"x": x("n 5 6 7"), "w": x(f"{size} 7 m")},
                       lambda a, w, s=stride, p=pad, e=extra:
                       conv_transpose(a.transpose(0, 3, 1, 2), w.transpose(2, 3, 0, 1), s, p, e,
                                      1).transpose(0, 2, 3, 1),
                       name=f"conv2d_transpose NHWC {size}, stride {stride}"))
    for how in ("update", "add", "mul", "min", "max"):
        out.append(Row(f"R.scatter_elements(x, i, u, axis=1, reduction=\"{how}\")",
                       {"x": x("n 6"), "i": x("n 4", "int64", -6, 6), "u": x("n 4")},
                       lambda a, i, u, h=how: scatter(a, lambda w: (w[0], i[w]), u, h)))
    out += [
        Row("R.scatter_nd(x, i, u, reduction=\"add\")",
            {"x": x("5 4 m"), "i": x("n 2", "int32", 0, 4), "u": x("n m")},
            lambda a, i, u: scatter(a, lambda w: (i[w[0], 0], i[w[0], 1], w[1]), u, "add")),
        Row("R.nn.adaptive_avg_pool2d(x, [3, 4])", {"x": x("n 2 7 8")},
            lambda a: adaptive(a, 3, 4)),
        Row("R.nn.adaptive_avg_pool2d(x, [2, 3])", {"x": x("2 2 n m")},
            lambda a: adaptive(a, 2, 3), empty=False),
        Row("R.quantize(x, s, z, axis=1, out_dtype=\"uint8\")",
            {"x": x(low=-60, high=60), "s": x("m", low=.25, high=.3), "z": x("m", "uint8", 90, 99)},
            lambda a, s, z: np.clip(np.round(a / s) + z, 0, 255), gives="uint8"),
        Row("R.dequantize(x, s, z, axis=0)",
            {"x": x("n m", "int8", -99, 99), "s": x("n"), "z": x("n", "int8", -9, 9)},
            lambda a, s, z: (a - z[:, None]) * s[:, None]),
        Row("R.nn.nll_loss(p, t, w)",
            {"p": x("n 5"), "t": x("n", "int64", 0, 5), "w": x("5", low=.5)}, nll, empty=False),
        Row("R.collapse_sum_to(x, (1, m))", {"x": x("3 n m")},
            lambda a: a.sum((0, 1), keepdims=True)[0]),
        Row("R.einsum((x, y, z), \"ij,jk,k->i\")", {"x": x("n 3"), "y": x("3 m"), "z": x("m")},
            lambda a, b, c: a @ b @ c),
        *[Row(f"R.einsum((x, y), \"{e}\")", {"x": x("2 n 3"), "y": x("3 m")},
              lambda a, b, e=e: np.einsum(e, a, b))
          for e in ("...ij,...jk->...ik", "...ij,jk", "hij,jk->...hik", "a...j,jk->k...a", "...j,jk->k...")],
        Row("R.einsum((x, y), \"...,...->...\")", {"x": x("2 n m"), "y": x("m")}, lambda a, b: a * b),
        Row("R.einsum((x,), \"iji->ij\")", {"x": x("4 n 4")},
            lambda a: np.einsum("iji->ij", a)),
        Row("R.nn.attention(q, k, v, causal_mask=\"BottomRight\")",
            {"q": x("2 n 2 4"), "k": x("2 n 2 4"), "v": x("2 n 2 3")}, causal, empty=False),
    ]

    # several operators: fused code must equal its parts
    out += [
        Row("R.nn.relu(R.add(R.matmul(x, w), b))", {"x": x("n 16"), "w": x("16 m"), "b": x("m")},
            lambda a, w, b: np.maximum(a @ w + b, 0)),
        Row("R.exp(R.multiply(R.sin(x), R.broadcast_to(y, (n, m))))", {"x": x(), "y": x("m")},
            lambda a, b: np.exp(np.sin(a) * b)),
        Row("R.sum(R.square(R.subtract(x, R.mean(x, [1], True))), [1])", {"x": x()},
            lambda a: ((a - a.mean(1, keepdims=True)) ** 2).sum(1), empty=False),
        Row("R.concat((R.exp(x), R.negative(x)), axis=1)", {"x": x()},
            lambda a: np.concatenate((np.exp(a), -a), 1)),
        Row("R.add(R.reshape(R.exp(x), (n * m,)), R.flatten(x))", {"x": x()},
            lambda a: (np.exp(a) + a).ravel()),
        Row("R.nn.softmax(R.where(R.less(x, y), x, R.const(-1e9, \"float32\")))",
            {"x": x(), "y": x("m", low=2, high=3)},
            lambda a, b: softmax(np.where(a < b, a, -1e9), -1), empty=False),
    ]
    return out + rows_more.rows(Row, x) + rows_image.rows(Row, x) + rows_gradient.rows(Row, x)


def dims_of(text, n=None, m=None):
    names = {"n": n, "m": m}
    return [names[d] if d in names and names[d] is not None else d if d in names else int(d)
            for d in text.split()]


def annotation(dims, dtype):
    inside = "".join(f'"{d}", ' if isinstance(d, str) else f"{d}, " for d in dims)
    return f'R.Tensor(({inside}), dtype="{dtype}")'


def module_text(row, n=None, m=None):
    params = ", ".join(f"{name}: {annotation(dims_of(d, n, m), t)}"
                       for name, (d, t, _, _) in row.inputs.items())
    expr, symbols = row.expr, ""
    if n is None:
        used = set(" ".join(d for d, _, _, _ in row.inputs.values()).split())
        symbols = "".join(f"        {s} = T.int64()\n" for s in "nm" if s in used)
    else:
        expr = re.sub(r"\bn\b(?!\.)", str(n), re.sub(r"\bm\b", str(m), expr))
    return ("from tvm.script import ir as I\nfrom tvm.script import tir as T\n"
            "from tvm.script import relax as R\n\n@I.ir_module\nclass Module:\n    @R.function\n"
            f"    def main({params}):\n{symbols}        gv = {expr}\n        return gv\n")


def make_input(rng, spec, n, m):
    dims, dtype, low, high = spec
    shape = dims_of(dims, n, m)
    if dtype == "bool":
        return rng.integers(0, 2, shape).astype(bool)
    if dtype.startswith(("int", "uint")):
        return rng.integers(low, high, shape).astype(dtype)
    return rng.uniform(low, high, shape).astype(dtype)


def element_type(gives, i, inputs, want):
    """The type of result |i|, whose reference is |want|: the row's |gives|, a name or a list of
    names. Otherwise booleans are bool, and everything else has the type of the first float
    input, or else of the first input; without inputs, float32."""
    if gives:
        return gives if isinstance(gives, str) else gives[i]
    if want.dtype == bool:
        return "bool"
    return next((t for t in inputs if "float" in t), inputs[0] if inputs else "float32")


def compare(got, want, dtype_of_inputs, dtype, loose=0):
    if got.dtype.name != dtype:
        return f"{got.dtype.name}, expected {dtype}"
    if got.shape != want.shape:
        return f"shape {got.shape}, expected {want.shape}"
    if got.size == 0:
        return None
    if got.dtype.kind in "biu":
        bad = got.astype(np.float64) != want.astype(np.float64)
        return f"{bad.sum()} of {bad.size} elements differ" if bad.any() else None
    limit = max(TOLERANCE[got.dtype.name], TOLERANCE.get(dtype_of_inputs, 0), loose)
    finite = np.where(np.isfinite(want), np.abs(want), 0)
    scale = np.abs(want) + max(1.0, finite.max() * .1)
    with np.errstate(invalid="ignore"):
        off = np.abs(got.astype(np.float64) - want) / scale
    off = np.where(np.isnan(got) & np.isnan(want), 0, off)
    off = np.where(got.astype(np.float64) == want, 0, off)
    worst = off.max()
    return None if worst <= limit else f"off by {worst:.3g}, allowed {limit:.3g}"


def run_one(args, folder, row, sizes, text):
    source, exe = os.path.join(folder, "m.py"), os.path.join(folder, "m.rlx")
    with open(source, "w") as f:
        f.write(text)
    done = subprocess.run([args.rlxc, source, "-o", exe], capture_output=True, text=True,
                          timeout=600)
    if done.returncode != 0:
        return [f"rlxc exit {done.returncode}: {done.stderr.strip()[:300]}"]
    bad = []
    for n, m in sizes:
        if not row.empty and 0 in (n, m):
            continue
        rng = np.random.default_rng(n * 1000 + m)
        values = {k: make_input(rng, s, n, m) for k, s in row.inputs.items()}
        command = [args.rlx, "run", exe, "-o", os.path.join(folder, "out.npy")]
        for k, v in values.items():
            np.save(os.path.join(folder, k + ".npy"), v)
            command += ["--input", f"{k}={os.path.join(folder, k)}.npy"]
        for old in os.listdir(folder):
            if old.startswith("out"):
                os.remove(os.path.join(folder, old))
        done = subprocess.run(command, capture_output=True, text=True, timeout=600)
        if done.returncode != 0:
            bad.append(f"({n}, {m}): rlx exit {done.returncode}: {done.stderr.strip()[:300]}")
            continue
        wide = [v.astype(np.float64) if v.dtype.kind == "f" else
                v.astype(np.int64) if v.dtype.kind in "iu" else v for v in values.values()]
        with np.errstate(all="ignore"):
            want = row.ref(*wide)
        many = isinstance(want, (list, tuple))
        dtype = next(iter(values.values())).dtype.name
        for i, w in enumerate(want if many else [want]):
            name = f"out.{i}.npy" if many else "out.npy"
            got = np.load(os.path.join(folder, name))
            w = np.asarray(w)
            gives = element_type(row.gives, i, [t for _, t, _, _ in row.inputs.values()], w)
            if got.dtype.kind in "iu":
                w = w.astype(np.int64).astype(got.dtype)
            why = compare(got, w, dtype, gives, row.loose)
            if why:
                bad.append(f"({n}, {m}) result {i}: {why}")
    return bad


def check(args, row):
    bad = []
    with tempfile.TemporaryDirectory() as folder:
        bad += run_one(args, folder, row, SIZES, module_text(row))
        for n, m in STATIC:
            if row.empty or 0 not in (n, m):
                bad += ["constant " + b for b in
                        run_one(args, folder, row, [(n, m)], module_text(row, n, m))]
    return row, bad


def check_all(rows_of, check_row, further=()):
    """Checks the rows selected by --filter; without a filter also each of |further|, which
    returns its failures. Returns the exit status."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--rlxc", default="build/rlxc")
    parser.add_argument("--rlx", default="build/rlx")
    parser.add_argument("--filter", default="")
    parser.add_argument("--jobs", type=int, default=2)
    args = parser.parse_args()
    chosen = [r for r in rows_of() if re.search(args.filter, r.name)]
    failed = 0
    with concurrent.futures.ThreadPoolExecutor(args.jobs) as pool_:
        for row, bad in pool_.map(lambda r: check_row(args, r), chosen):
            failed += bool(bad)
            for why in bad[:3]:
                print(f"FAIL {row.name}: {why}")
    more = [] if args.filter else further
    for of in more:
        why = of(args)
        failed += bool(why)
        if why:
            print(f"FAIL {of.__name__}: {why}")
    print(f"{len(chosen) + len(more) - failed} passed, {failed} failed")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(check_all(rows, check))
