#!/usr/bin/env python3
"""Random ONNX graphs, compiled once and run at several sizes, against NumPy in double.

Every value of a graph under construction holds its arrays at all SIZES at once, so an operator is
taken only where it is valid at each of them. Sizes come from the dimensions of inputs, which are
named, unnamed or of unknown rank; axes, shapes and bounds are constants, inputs, or computed from
other shapes. Values that decide something (conditions, indices) are exact: never a rounded float.

    random_graphs.py --rlxc FILE --rlx FILE [--seed S] [--count N] [--nodes N] [--device D]
                     [--keep FOLDER] [--cases FOLDER]

Seed S makes the same graph every time. --keep stores the last one with its inputs, --cases stores
all as conformance cases instead of running them. `make test-ops` runs a few, `make test-c` a few as
C; more seeds and nodes are for a longer search.
"""
import argparse
import contextlib
import json
import os
import subprocess
import sys
import tempfile

import numpy as np

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from ops import TYPES, data, number, tensor  # noqa: E402
from sequences import Graph, info, node, tensor_type  # noqa: E402

LARGEST = 1e4  # of a value; beyond it, rounding would hide errors elsewhere
ELEMENTS = 30000  # of a value
FLAGS = [[], [], [], ["-O0"], ["-O1"], ["-O3"], ["--mcpu", "x86-64-v2"], ["--mcpu", "x86-64-v3"]]
F32, F64, F16, I64, I32, I8, U8, BOOL = [np.dtype(t) for t in (
    "float32", "float64", "float16", "int64", "int32", "int8", "uint8", "bool")]


class Unsuitable(Exception):
    """The operator cannot take these operands at all sizes."""


class Value:
    """A tensor |name| with its |arrays| at every size, floats in double; |rounded|: the same
    computed in its own type, which shows what rounding does; |exact|: nothing was rounded."""

    def __init__(self, name, dtype, arrays, exact, rounded=None):
        self.name, self.dtype, self.arrays, self.exact = name, dtype, arrays, exact
        self.rounded = rounded or [np.asarray(a, dtype) for a in arrays]
        self.rank = arrays[0].ndim

    def fixed(self, axis):
        """The dimension |axis| if it is one number at all sizes."""
        sizes = {a.shape[axis] for a in self.arrays}
        return sizes.pop() if len(sizes) == 1 else None

    def same_shape(self, other):
        return all(a.shape == b.shape for a, b in zip(self.arrays, other.arrays))


def listed(v):
    return v if isinstance(v, (list, tuple)) else [v]


def stored(array, dtype):
    return np.asarray(array, np.float64 if dtype.kind == "f" else dtype)


class Builder:
    def __init__(self, seed, nodes):
        self.rng = np.random.default_rng(seed)
        self.nodes, self.initializers, self.inputs, self.feeds = [], [], [], {}
        self.values, self.count = [], 0
        self.real = self.pick([F32] * 8 + [F64, F16])  # of most values
        large = [0, 1, 2, 3, 5, 16, 17, 33, 64] if self.chance(.3) else [0, 1, 1, 2, 3, 4, 5, 8]
        self.sizes = [{d: int(self.rng.choice(large[1:] if i == 0 else large)) for d in "nm"}
                      for i in range(4)]
        for _ in range(self.integer(1, 3)):
            self.input()
        for _ in range(self.integer(2, nodes)):
            self.grow()

    # --- choices
    def chance(self, p):
        return self.rng.random() < p

    def integer(self, low, high):
        return int(self.rng.integers(low, high + 1))

    def pick(self, items):
        items = list(items)
        if not items:
            raise Unsuitable
        return items[int(self.rng.integers(len(items)))]

    def value(self, accept=lambda v: True):
        """A value that |accept| likes, more often a recent one."""
        found = [v for v in self.values if accept(v)]
        return found[-1] if found and self.chance(.6) else self.pick(found)

    def floats(self, least=0):
        return self.value(lambda v: v.dtype.kind == "f" and v.rank >= least)

    # --- values
    def name(self):
        self.count += 1
        return f"v{self.count}"

    def numbers(self, shape, dtype):
        if dtype == BOOL:
            return np.array(self.rng.random(shape) < .5)
        if dtype.kind == "f":
            return self.rng.uniform(-2, 2, shape).astype(dtype)
        return self.rng.integers(0 if dtype == U8 else -6, 7, shape).astype(dtype)

    def input(self):
        dims = [self.pick(["n", "n", "m", 1, 2, 3, 4, 8, 12]) for _ in range(self.integer(1, 4))]
        dtype = self.pick([self.real] * 6 + [F64, I64, I32, U8, BOOL])
        arrays = [self.numbers([s.get(d, d) for d in dims], dtype) for s in self.sizes]
        said = [("" if self.chance(.1) else d) if isinstance(d, str) or self.chance(.9) else ""
                for d in dims]
        self.add_input(arrays, dtype, None if self.chance(.03) else said)

    def add_input(self, arrays, dtype, dims):
        v = Value(self.name(), dtype, [stored(a, dtype) for a in arrays], True)
        self.inputs.append((v.name, tensor_type(dtype.name, dims)))
        self.feeds[v.name] = arrays
        self.values.append(v)
        return v

    def constant(self, array):
        """A Constant or an initializer."""
        array = np.asarray(array)
        v = Value(self.name(), array.dtype, [stored(array, array.dtype)] * len(self.sizes), True)
        if self.chance(.5):
            self.initializers.append(tensor(array, v.name))
        else:
            self.nodes.append(node("Constant", "", v.name, value=array))
        return v

    def parameter(self, numbers, dtype=I64):
        """Axes, bounds or sizes: seldom an input."""
        array = np.array(numbers, dtype)
        if self.chance(.9):
            return self.constant(array)
        v = self.add_input([array] * len(self.sizes), array.dtype, list(array.shape))
        self.values.pop()
        return v

    def weights(self, *shape):
        numbers = self.rng.uniform(-1, 1, shape) / max(1, shape[0]) ** .5
        return self.constant(numbers.astype(self.real))

    def node(self, op, ins, fn, dtype=None, exact=False, outs=1, keep=True, **attrs):
        """Adds a node; |fn| gives its outputs of the inputs' arrays."""
        results, rounded = [], []
        for k in range(len(self.sizes)):
            try:
                with np.errstate(all="ignore"):
                    results.append(listed(fn(*[v.arrays[k] for v in ins if v])))
                    rounded.append(listed(fn(*[v.rounded[k] for v in ins if v])))
            except (ValueError, IndexError, ZeroDivisionError) as e:
                raise Unsuitable from e
        made = []
        for i in range(outs):
            of = dtype or ins[0].dtype
            arrays = [stored(r[i], of) for r in results]
            if not all(np.isfinite(r[i]).all() for r in rounded):
                raise Unsuitable
            for a in arrays:
                if a.size > ELEMENTS or a.ndim > 5 or a.dtype != BOOL and a.size and not (
                        np.abs(a.astype(np.float64)).max() < LARGEST):
                    raise Unsuitable
            made.append(Value(self.name(), of, arrays,
                              of.kind != "f" or exact and all(v.exact for v in ins if v),
                              [np.asarray(r[i], of) for r in rounded]))
        self.nodes.append(node(op, " ".join(v.name if v else "_" for v in ins),
                               " ".join(v.name for v in made), **attrs))
        if keep:
            self.values += made
        return made[0] if outs == 1 else made

    def grow(self):
        for _ in range(50):
            lists = self.nodes, self.values, self.inputs, self.initializers
            before = [len(part) for part in lists]
            try:
                self.pick(OPERATORS)(self)
                return
            except Unsuitable:  # what it had added goes
                for part, n in zip(lists, before):
                    del part[n:]
                self.feeds = {name: self.feeds[name] for name, _ in self.inputs}

    # --- shapes
    def shape_of(self, v):
        return self.node("Shape", [v], lambda a: np.array(a.shape), I64, keep=False)

    def dim(self, v, axis, vector=True):
        """One dimension, as a vector of one or as a scalar."""
        at = self.constant(np.array([axis] if vector else axis, I64))
        return self.node("Gather", [self.shape_of(v), at], lambda s, i: s[i], keep=False, axis=0)

    def vector(self, parts):
        """One vector of the numbers and vectors |parts|."""
        parts = [self.parameter([p]) if isinstance(p, int) else p for p in parts]
        return self.node("Concat", parts, lambda *a: np.concatenate(a), keep=False, axis=0)

    def model(self):
        made = [v for v in self.values if v.name not in self.feeds]
        if not made:
            return None, []
        outs = list({v.name: v for v in [made[-1], self.pick(made)]}.values())
        g = (b"".join(self.nodes) + data(2, "g") +
             b"".join(data(5, t) for t in self.initializers) +
             b"".join(data(11, info(*i)) for i in self.inputs) +
             b"".join(data(12, data(1, v.name)) for v in outs))
        return number(1, 8) + data(8, number(2, 18)) + data(7, g), outs


# --- operators --------------------------------------------------------------------------------

OPERATORS = []


def operator(times=1):
    def add(f):
        OPERATORS.extend([f] * times)
        return f
    return add


def sigmoid(a):
    return 1 / (1 + np.exp(-a))


def softmax(a, axis):
    e = np.exp(a - a.max(axis, keepdims=True))
    return e / e.sum(axis, keepdims=True)


# operator: its function, and whether exact values stay exact
UNARY = {"Relu": (lambda a: np.maximum(a, 0), True), "Abs": (np.abs, True),
         "Neg": (np.negative, True),
         "Tanh": (np.tanh, False), "Sigmoid": (sigmoid, False), "Sin": (np.sin, False),
         "Softplus": (lambda a: np.log1p(np.exp(a)), False), "Identity": (lambda a: a, True),
         "Atan": (np.arctan, False), "HardSwish": (lambda a: a * np.clip(a / 6 + .5, 0, 1), False)}


@operator(3)
def unary(b):
    op = b.pick(UNARY)
    fn, exact = UNARY[op]
    x = (b.value(lambda v: v.dtype not in (BOOL, U8)) if op in ("Abs", "Identity") else
         b.floats())
    b.node(op, [x], fn, exact=exact)


def partner(b, x):
    """Another value of x's type, or a constant that broadcasts."""
    if b.chance(.6):
        return b.value(lambda v: v.dtype == x.dtype and v is not x)
    axes = range(b.integer(0, x.rank), x.rank)
    return b.constant(b.numbers([1 if b.chance(.4) else x.fixed(a) or 1 for a in axes], x.dtype))


@operator(6)
def binary(b):
    x = b.value(lambda v: v.dtype in (F32, F64, F16, I64, I32))
    y = partner(b, x)
    op, fn = b.pick({"Add": np.add, "Sub": np.subtract, "Mul": np.multiply}.items())
    pair = [x, y] if b.chance(.5) else [y, x]
    b.node(op, pair, fn)


@operator()
def quotient(b):
    x = b.floats()
    y = b.node("Abs", [partner(b, x)], np.abs, exact=True, keep=False)
    one = b.constant(np.array(1, x.dtype))
    y = b.node("Add", [y, one], np.add, keep=False)
    b.node("Div", [x, y], np.divide)


@operator()
def extremum(b):
    x = b.value(lambda v: v.dtype in (F32, F64, F16, I64, I32))
    op, fn = b.pick({"Max": np.maximum, "Min": np.minimum}.items())
    b.node(op, [x, partner(b, x)], fn, exact=True)


@operator(2)
def choose(b):
    x = b.value(lambda v: v.exact and v.dtype != BOOL)
    op, fn = b.pick({"Less": np.less, "GreaterOrEqual": np.greater_equal,
                     "Equal": np.equal}.items())
    y = partner(b, x)
    if not y.exact:
        raise Unsuitable
    c = b.node(op, [x, y], fn, BOOL)
    if b.chance(.7):
        y = b.value(lambda v: v.dtype != BOOL)
        b.node("Where", [c, y, partner(b, y)], np.where, y.dtype, exact=True)


@operator()
def logic(b):
    x = b.value(lambda v: v.dtype == BOOL)
    if b.chance(.4):
        b.node("Not", [x], np.logical_not)
    else:
        op, fn = b.pick({"And": np.logical_and, "Or": np.logical_or, "Xor": np.logical_xor}.items())
        b.node(op, [x, partner(b, x)], fn)


@operator()
def cast(b):
    x = b.value()
    to = b.pick([b.real, F64] if x.dtype.kind == "f" else [b.real, I64, I32, F64])
    code = TYPES[to.name]
    b.node("Cast", [x], lambda a: a, to, exact=True, to=code)


def some_axes(b, v, least=1):
    axes = [int(a) for a in b.rng.permutation(v.rank)[:b.integer(least, v.rank)]]
    return axes, [a - v.rank if b.chance(.3) else a for a in axes]


@operator(4)
def reduction(b):
    op, fn = b.pick({"Sum": np.sum, "Max": np.max, "Min": np.min, "Mean": np.mean,
                     "L2": lambda a, **k: np.sqrt(np.sum(a * a, **k)),
                     "SumSquare": lambda a, **k: np.sum(a * a, **k)}.items())
    kinds = "f" if op in ("Mean", "L2") else "fi"
    x = b.value(lambda v: v.rank and v.dtype.kind in kinds and v.dtype != I8)
    axes, said = some_axes(b, x)
    keep = b.integer(0, 1)
    if op in ("Max", "Min", "Mean") and any(a.shape[i] == 0 for a in x.arrays for i in axes):
        raise Unsuitable
    if op == "Sum":
        b.node("ReduceSum", [x, b.parameter(said)],
               lambda a, _: fn(a, axis=tuple(axes), keepdims=bool(keep)), keepdims=keep)
    else:
        b.node("Reduce" + op, [x, b.constant(np.array(said, I64))],
               lambda a, _: fn(a, axis=tuple(axes), keepdims=bool(keep)),
               exact=op in ("Max", "Min"), keepdims=keep)


@operator()
def largest(b):
    x = b.value(lambda v: v.rank and v.exact and v.dtype in (b.real, I64, I32))
    axis, keep = b.integer(0, x.rank - 1), b.integer(0, 1)
    op, fn = b.pick({"ArgMax": np.argmax, "ArgMin": np.argmin}.items())
    b.node(op, [x], lambda a: np.expand_dims(fn(a, axis), axis) if keep else fn(a, axis), I64,
           axis=axis, keepdims=keep)


@operator()
def top(b):
    x = b.value(lambda v: v.rank and v.exact and v.dtype in (b.real, I64))
    axis = b.integer(0, x.rank - 1)
    least = min(a.shape[axis] for a in x.arrays)
    if not least:
        raise Unsuitable
    k, flip = b.integer(1, least), b.integer(0, 1)

    def chosen(a, _):
        order = np.argsort(-a if flip else a, axis, kind="stable").take(range(k), axis)
        return np.take_along_axis(a, order, axis), order
    v, i = b.node("TopK", [x, b.parameter([k])], chosen, exact=True, outs=2, keep=False, axis=axis,
                  largest=flip)
    i.dtype, i.arrays = I64, [a.astype(np.int64) for a in i.arrays]
    i.rounded = i.arrays
    b.values += [i, v]


@operator()
def running_sum(b):
    x = b.value(lambda v: v.rank and v.dtype in (b.real, I64, I32))
    axis, reverse = b.integer(0, x.rank - 1), b.integer(0, 1)
    b.node("CumSum", [x, b.parameter(axis)],
           lambda a, _: np.flip(np.cumsum(np.flip(a, axis), axis), axis) if reverse else
           np.cumsum(a, axis), reverse=reverse)


@operator(3)
def transpose(b):
    x = b.value(lambda v: v.rank)
    perm = [int(a) for a in b.rng.permutation(x.rank)]
    b.node("Transpose", [x], lambda a: a.transpose(perm), exact=True, perm=perm)


@operator(4)
def slices(b):
    x = b.value(lambda v: v.rank)
    axis, step = b.integer(0, x.rank - 1), b.pick([1, 1, 1, 2, -1, -2])
    kind = b.integer(0, 3)
    if kind == 0:  # computed bounds
        d = b.dim(x, axis)
        half = b.node("Div", [d, b.constant(np.array([2], I64))], np.floor_divide, keep=False)
        start, end = b.pick([(half, d), (b.constant(np.array([0], I64)), half)])
    else:
        start = b.parameter([b.integer(-4, 3)])
        end = b.parameter([b.pick([b.integer(-3, 5), 2 ** 63 - 1 if step > 0 else -2 ** 62])])
    said = axis - x.rank if b.chance(.3) else axis

    def cut(a, lo, hi, *_):
        lo, hi = int(lo[0]), int(hi[0])
        n = a.shape[axis]
        hi = max(-n - 1, min(hi, n))
        if step < 0:  # ONNX has a start below the first element begin at it; Python has it end
            lo = max(-n, lo)
        picked = slice(lo, None if hi == -n - 1 and step < 0 else hi, step)
        return a[tuple([slice(None)] * axis + [picked])]
    b.node("Slice", [x, start, end, b.parameter([said]), b.parameter([step])], cut, exact=True)


@operator(3)
def concat(b):
    x = b.value(lambda v: v.rank)
    axis = b.integer(0, x.rank - 1)
    y = b.value(lambda v: v.dtype == x.dtype and v.rank == x.rank)
    b.node("Concat", [x, y] + [x] * b.integer(0, 1), lambda *a: np.concatenate(a, axis), exact=True,
           axis=axis - x.rank if b.chance(.3) else axis)


@operator()
def split(b):
    x = b.value(lambda v: v.rank)
    axis = b.integer(0, x.rank - 1)
    d = x.fixed(axis)
    if d and d >= 2:
        k = b.integer(1, d - 1)
        b.node("Split", [x, b.parameter([k, d - k])], lambda a, _: np.split(a, [k], axis),
               exact=True, outs=2, axis=axis)
    else:
        whole = b.dim(x, axis)
        half = b.node("Div", [whole, b.constant(np.array([2], I64))], np.floor_divide, keep=False)
        rest = b.node("Sub", [whole, half], np.subtract, keep=False)
        b.node("Split", [x, b.vector([half, rest])], lambda a, s: np.split(a, [int(s[0])], axis),
               exact=True, outs=2, axis=axis)


@operator(2)
def gather(b):
    x = b.value(lambda v: v.rank)
    axis = b.integer(0, x.rank - 1)
    least = min(a.shape[axis] for a in x.arrays)
    found = [v for v in b.values if v.dtype in (I64, I32) and v.rank < 3 and all(
        a.size == 0 or -least <= a.min() and a.max() < least for a in v.arrays)]
    if found and b.chance(.5):
        i = b.pick(found)
    elif least:
        shape = [b.integer(1, 3) for _ in range(b.integer(0, 2))]
        i = b.parameter(b.rng.integers(-least, least, shape), b.pick([I64, I32]))
    else:
        raise Unsuitable
    b.node("Gather", [x, i], lambda a, j: a.take(j, axis), exact=True, axis=axis)


@operator(2)
def embedding(b):
    """A table read at the positions 0, 1, ... of a dimension."""
    x = b.value(lambda v: v.rank)
    scalar = b.dim(x, b.integer(0, x.rank - 1), False)
    zero, one = b.constant(np.array(0, I64)), b.constant(np.array(1, I64))
    r = b.node("Range", [zero, scalar, one], np.arange, I64)
    if b.chance(.6):
        width = b.pick([1, 3, 4, 8])
        b.node("Gather", [b.weights(100, width), r], lambda t, i: t[i], exact=True, axis=0)


@operator(2)
def causal(b):
    """Compares positions of two dimensions and chooses by them."""
    x = b.floats(2)
    i = [b.node("Range", [b.constant(np.array(0, I64)), b.dim(x, axis, False),
                          b.constant(np.array(1, I64))], np.arange, I64, keep=False)
         for axis in (-2, -1)]
    i[0] = b.node("Unsqueeze", [i[0], b.constant(np.array([1], I64))],
                  lambda a, _: a[:, None], keep=False)
    c = b.node("GreaterOrEqual", i, np.greater_equal, BOOL)
    b.node("Where", [c, x, b.constant(np.array(b.pick([0, -100]), x.dtype))], np.where, x.dtype,
           exact=True)


@operator(4)
def reshape(b):
    x = b.value(lambda v: v.rank)
    shape = [[b.pick([0, b.dim(x, i)]) if x.fixed(i) is None or b.chance(.3) else x.fixed(i)]
             for i in range(x.rank)]
    at = b.integer(0, x.rank - 1)
    whole = x.fixed(at)
    free = False
    if whole and whole % 2 == 0 and b.chance(.6):  # split
        k = b.pick([f for f in (2, 4, 3) if whole % f == 0])
        shape[at] = [k, whole // k] if b.chance(.5) else [k, -1]
        free = -1 in shape[at]
        shape[at + 1:] = [[b.dim(x, at + 1 + j)] if d == [0] else d
                          for j, d in enumerate(shape[at + 1:])]
    elif at + 1 < x.rank:  # join
        product = b.node("Mul", [b.dim(x, at), b.dim(x, at + 1)], np.multiply, keep=False)
        shape[at:at + 2] = [[b.pick([-1, product])]]
        free = shape[at] == [-1]
        shape[at + 1:] = [[b.dim(x, at + 2 + j)] if d == [0] else d
                          for j, d in enumerate(shape[at + 1:])]
    parts = [d for part in shape for d in part]
    if not free and b.chance(.3):
        parts[b.integer(0, len(parts) - 1)] = -1
    if any(a.size == 0 for a in x.arrays) and -1 in parts:
        raise Unsuitable

    def shaped(a, s):
        return a.reshape([a.shape[i] if d == 0 else int(d) for i, d in enumerate(s)])
    if any(a.size == 0 for a in x.arrays) and all(isinstance(p, int) for p in parts):
        raise Unsuitable
    to = b.parameter(parts) if all(isinstance(p, int) for p in parts) else b.vector(parts)
    if any(0 in s for s in to.arrays) and any(a.size == 0 for a in x.arrays):
        raise Unsuitable  # a 0 copies; here it might have been computed
    b.node("Reshape", [x, to], shaped, exact=True)


@operator(2)
def squeeze(b):
    x = b.value()
    if b.chance(.5):
        at = b.integer(0, x.rank)
        said = at - x.rank - 1 if b.chance(.3) else at
        b.node("Unsqueeze", [x, b.constant(np.array([said], I64))],
               lambda a, _: np.expand_dims(a, at), exact=True)
    else:
        at = b.pick(a for a in range(x.rank) if x.fixed(a) == 1)
        b.node("Squeeze", [x, b.constant(np.array([at], I64))], lambda a, _: a.squeeze(at),
               exact=True)


@operator(2)
def expand(b):
    x, y = b.value(), b.value()
    to = b.shape_of(y)

    def expanded(a, s):
        return np.broadcast_to(a, np.broadcast_shapes(a.shape, tuple(s)))
    b.node("Expand", [x, to], expanded, exact=True)


@operator()
def filled(b):
    y = b.value(lambda v: v.rank)
    if b.chance(.5):
        b.node("ConstantOfShape", [b.shape_of(y)], lambda s: np.full(s, 1.5), b.real, exact=True,
               value=np.array([1.5], b.real))
    else:
        b.node("Tile", [y, b.vector([b.integer(1, 3) for _ in range(y.rank)])],
               lambda a, s: np.tile(a, s), exact=True)


@operator(2)
def pad(b):
    x = b.value(lambda v: v.rank and v.dtype in (F32, F64, F16, I64, I32))
    mode = b.pick(["constant", "constant", "edge", "reflect"])
    pads = [b.integer(0, 2) for _ in range(2 * x.rank)]
    if mode != "constant" and any(d <= 2 for a in x.arrays for d in a.shape):
        raise Unsuitable
    b.node("Pad", [x, b.parameter(pads)],
           lambda a, _: np.pad(a, list(zip(pads[:x.rank], pads[x.rank:])), mode), exact=True,
           mode=mode)


@operator(4)
def matmul(b):
    x = b.value(lambda v: v.rank and v.dtype == b.real)
    if x.fixed(x.rank - 1) and b.chance(.6):
        y = b.weights(x.fixed(x.rank - 1), b.pick([1, 3, 4, 8, 16, 17]))
    elif x.rank >= 2 and b.chance(.6):
        perm = list(range(x.rank - 2)) + [x.rank - 1, x.rank - 2]
        y = b.node("Transpose", [x], lambda a: a.transpose(perm), exact=True, perm=perm, keep=False)
    else:
        y = b.value(lambda v: v.rank and v.dtype == b.real)
    b.node("MatMul", [x, y] if b.chance(.8) else [y, x], np.matmul)


@operator()
def gemm(b):
    x = b.value(lambda v: v.rank == 2 and v.dtype == b.real)
    width, flip = b.pick([1, 4, 8, 17]), b.integer(0, 1)
    deep = x.fixed(1)
    if deep is None:
        raise Unsuitable
    w = b.weights(*((width, deep) if flip else (deep, width)))
    b.node("Gemm", [x, w, b.weights(width)],
           lambda a, k, c: 2 * a @ (k.T if flip else k) + c, transB=flip, alpha=2.)


@operator()
def einsum(b):
    x, y = (b.value(lambda v: v.rank and v.dtype == b.real and v.rank < 4) for _ in range(2))
    letters = [str(c) for c in b.rng.permutation(list("abcd"))]
    first = "".join(letters[:x.rank])
    second = "".join(str(c) for c in b.rng.permutation(list("abcd"))[:y.rank])
    used = sorted(set(first + second))
    for c in set(first) & set(second):  # 1 does not broadcast here
        if any(p.shape[first.index(c)] != q.shape[second.index(c)]
               for p, q in zip(x.arrays, y.arrays)):
            raise Unsuitable
    text = f"{first},{second}->" + "".join(used[:b.integer(0, len(used))])
    b.node("Einsum", [x, y], lambda p, q: np.einsum(text, p, q), equation=text)


def windows(a, kernel, stride, pads, fill, dilation=(1, 1)):
    rank = len(kernel)
    a = np.pad(a, [(0, 0)] * 2 + list(zip(pads[:rank], pads[rank:])), constant_values=fill)
    reach = [(k - 1) * d + 1 for k, d in zip(kernel, dilation)]
    v = np.lib.stride_tricks.sliding_window_view(a, reach, tuple(range(2, a.ndim)))
    return v[(slice(None),) * 2 + tuple(slice(None, None, s) for s in [*stride, *dilation[:rank]])]


class Window:
    """The attributes of a convolution of |channels| to |width| channels, and its results."""

    def __init__(self, b, rank, channels):
        self.rank = rank
        self.kernel = [b.integer(1, 3) for _ in range(rank)]
        self.stride = [b.integer(1, 2) for _ in range(rank)]
        self.dilation = [b.pick([1, 1, 1, 2]) for _ in range(rank)]
        self.pads = [b.integer(0, k - 1) for k in self.kernel * 2]
        self.group = b.pick([1, 1, channels, 2 if channels % 2 == 0 else 1])
        self.width = self.group * (b.integer(1, 3) if self.group > 1 else b.pick([1, 4, 8, 16]))
        self.shape = [self.width, channels // self.group, *self.kernel]

    def attributes(self):
        return {"strides": self.stride, "pads": self.pads, "group": self.group,
                "dilations": self.dilation}

    def convolved(self, a, k, *bias):
        v = windows(a, self.kernel, self.stride, self.pads, 0, self.dilation)
        n, out = v.shape[0], v.shape[2:2 + self.rank]
        v = v.reshape(n, self.group, self.shape[1], *v.shape[2:])
        k = k.reshape(self.group, -1, *k.shape[1:])
        at, taps = "xyz"[:self.rank], "pqr"[:self.rank]
        r = np.einsum(f"ngc{at}{taps},goc{taps}->ngo{at}", v, k).reshape(n, self.width, *out)
        return r + bias[0].reshape(-1, *[1] * self.rank) if bias else r

    def transposed(self, a, k):
        """The transposed convolution with the filter |k|: (in, out of a group, taps)."""
        n, channels, *size = a.shape
        reach = [(s - 1) * t + (e - 1) * d + 1 for s, t, e, d in
                 zip(size, self.stride, self.kernel, self.dilation)]
        r = np.zeros([n, self.width, *reach], a.dtype)
        a = a.reshape(n, self.group, channels // self.group, *size)
        k = k.reshape(self.group, -1, *k.shape[1:])
        at = "xyz"[:self.rank]
        for tap in np.ndindex(*self.kernel):
            here = tuple(slice(p * d, p * d + (s - 1) * t + 1, t) for p, d, s, t in
                         zip(tap, self.dilation, size, self.stride))
            part = np.einsum(f"ngc{at},gco->ngo{at}", a, k[(slice(None),) * 3 + tap])
            r[(slice(None),) * 2 + here] += part.reshape(n, self.width, *size)
        low, high = self.pads[:self.rank], self.pads[self.rank:]
        if any(e <= l + h for e, l, h in zip(reach, low, high)):
            raise Unsuitable
        return r[(slice(None),) * 2 + tuple(slice(l, e - h)
                                            for e, l, h in zip(reach, low, high))]


@operator(3)
def convolution(b):
    x = b.value(lambda v: v.rank in (3, 4) and v.dtype == b.real and v.fixed(1))
    w = Window(b, x.rank - 2, x.fixed(1))
    if b.chance(.3):
        if any(0 in a.shape[2:] for a in x.arrays):
            raise Unsuitable
        shape = [x.fixed(1), w.width // w.group, *w.kernel]
        b.node("ConvTranspose", [x, b.weights(*shape)], w.transposed, **w.attributes())
    else:
        bias = [b.weights(w.width)] if b.chance(.3) else []
        b.node("Conv", [x, b.weights(*w.shape), *bias], w.convolved, **w.attributes())


@operator(3)
def filtered(b):
    """A 3x3 convolution with enough channels for minimal filtering, behind one of 1x1."""
    x = b.value(lambda v: v.rank in (2, 3, 4) and v.dtype == b.real and (v.rank < 4 or v.fixed(1))
                and None in (v.fixed(v.rank - 1), v.fixed(v.rank - 2)))
    if x.rank < 4:
        axes = (1,) if x.rank == 3 else (0, 1)
        x = b.node("Unsqueeze", [x, b.constant(np.array(axes, I64))],
                   lambda a, _: np.expand_dims(a, axes), exact=True)
    groups = b.pick([1, 2, 3])
    channels, width = (groups * b.pick([16, 17, 24] + [8] * (groups > 1)) for _ in range(2))
    for kernel, group, out in (1, 1, channels), (3, groups, width):
        w = Window(b, 2, x.fixed(1))
        w.kernel, w.stride, w.dilation = [kernel] * 2, [1, 1], [1, 1]
        w.pads = [b.integer(kernel // 2, kernel - 1) for _ in range(4)]
        w.group, w.width = group, out
        w.shape = [out, x.fixed(1) // group, kernel, kernel]
        x = b.node("Conv", [x, b.weights(*w.shape)], w.convolved, **w.attributes())


@operator()
def pool(b):
    x = b.value(lambda v: v.rank in (3, 4) and v.dtype == b.real)
    rank = x.rank - 2
    kernel = [b.integer(1, 3) for _ in range(rank)]
    stride = [b.integer(1, 2) for _ in range(rank)]
    last = tuple(range(-rank, 0))
    if b.chance(.5):
        pads = [b.integer(0, k - 1) for k in kernel * 2]
        if any(0 in a.shape[2:] for a in x.arrays):
            raise Unsuitable
        b.node("MaxPool", [x], lambda a: windows(a, kernel, stride, pads, -np.inf).max(last),
               exact=True, kernel_shape=kernel, strides=stride, pads=pads)
    else:
        b.node("AveragePool", [x],
               lambda a: windows(a, kernel, stride, [0] * rank * 2, 0).mean(last),
               kernel_shape=kernel, strides=stride)


@operator(2)
def normalized(b):
    x = b.floats(1)
    axis = b.integer(0, x.rank - 1)
    if any(a.shape[axis] == 0 for a in x.arrays):
        raise Unsuitable
    if x.fixed(x.rank - 1) and b.chance(.4) and x.dtype == b.real:
        scale = b.weights(x.fixed(x.rank - 1))

        def layer(a, s):
            m = a.mean(-1, keepdims=True)
            return (a - m) / np.sqrt(a.var(-1, keepdims=True) + .1) * s
        b.node("LayerNormalization", [x, scale], layer, epsilon=.1)
    elif x.rank > 2 and x.fixed(1) and b.chance(.4) and x.dtype == b.real:
        if any(0 in a.shape[2:] for a in x.arrays):
            raise Unsuitable
        scale, shift = b.weights(x.fixed(1)), b.weights(x.fixed(1))
        rest = tuple(range(2, x.rank))

        def instance(a, s, t):
            s, t = (v.reshape(-1, *[1] * len(rest)) for v in (s, t))
            d = a - a.mean(rest, keepdims=True)
            return d / np.sqrt(a.var(rest, keepdims=True) + .1) * s + t
        b.node("InstanceNormalization", [x, scale, shift], instance, epsilon=.1)
    else:
        b.node("Softmax", [x], lambda a: softmax(a, axis), axis=axis)


@operator(3)
def attention(b):
    """softmax(q k^T) v as models write it, and things that only look like it."""
    x = b.value(lambda v: v.rank >= 2 and v.dtype == b.real)
    width = x.fixed(x.rank - 1)
    q, k, v = (b.node("MatMul", [x, b.weights(width, b.pick([4, 8]))], np.matmul, keep=False)
               if width and b.chance(.4) else x for _ in range(3))
    if x.rank == 3 and q.fixed(2) and q.fixed(2) % 2 == 0 and b.chance(.5):  # heads
        q, k, v = (heads(b, t) for t in (q, k, v))
    scale = b.constant(np.array(b.pick([.5, .25, -1]), b.real))
    if b.chance(.4):
        q = b.node("Mul", [q, scale], np.multiply, keep=False)
    perm = list(range(k.rank - 2)) + [k.rank - 1, k.rank - 2]
    k = b.node("Transpose", [k], lambda a: a.transpose(perm), keep=False, perm=perm)
    scores = b.node("MatMul", [q, k], np.matmul, keep=b.chance(.1))
    if b.chance(.4):
        op, fn = b.pick([("Mul", np.multiply), ("Div", np.divide), ("Add", np.add)])
        scores = b.node(op, [scores, scale], fn, keep=b.chance(.1))
    if b.chance(.5):
        b.values.append(scores)
        scores = b.node("Add", [scores, partner(b, scores)], np.add, keep=False)
    axis = -1 if b.chance(.8) else -2
    p = b.node("Softmax", [scores], lambda a: softmax(a, axis), keep=b.chance(.1), axis=axis)
    b.node("MatMul", [p, v], np.matmul)


def heads(b, x):
    """(batch, positions, width) as (batch, heads, positions, width of one)."""
    to = b.parameter([0, -1 if x.arrays[0].size else 0, 2, x.fixed(2) // 2])
    if any(a.size == 0 for a in x.arrays):
        raise Unsuitable
    x = b.node("Reshape", [x, to], lambda a, _: a.reshape(a.shape[:2] + (2, -1)), keep=False)
    return b.node("Transpose", [x], lambda a: a.transpose(0, 2, 1, 3), keep=False,
                  perm=[0, 2, 1, 3])


@operator(2)
def by_hand(b):
    """A normalization or an activation written as arithmetic, and things that only look like it."""
    x = b.floats(1)
    one = b.constant(np.array(b.pick([1, 1, 2]), x.dtype))

    def step(op, ins, fn, **attrs):
        return b.node(op, ins, fn, keep=b.chance(.05), **attrs)

    def mean(v):
        axis = b.pick([v.rank - 1, v.rank - 1, b.integer(0, v.rank - 1)])
        if any(a.shape[axis] == 0 for a in v.arrays):
            raise Unsuitable
        return step("ReduceMean", [v, b.constant(np.array([axis], I64))],
                    lambda a, _: a.mean(axis, keepdims=True), keepdims=1)
    kind = b.integer(0, 2)
    if kind == 0:  # layer or RMS normalization
        d = step("Sub", [x, mean(x)], np.subtract) if b.chance(.5) else x
        two = b.constant(np.array(2, x.dtype))
        square = (step("Pow", [d, two], np.power) if b.chance(.5) else
                  step("Mul", [d, d], np.multiply))
        root = step("Sqrt", [step("Add", [mean(square), one], np.add)], np.sqrt)
        y = step("Div", [d, root], np.divide)
        b.node("Mul", [y, partner(b, y)], np.multiply)
    elif kind == 1:  # SiLU, or GELU by tanh
        if b.chance(.5):
            y = step("Sigmoid", [step("Mul", [x, one], np.multiply)], sigmoid)
        else:
            third = b.constant(np.array(3, x.dtype))
            cube = step("Mul", [step("Pow", [x, third], np.power), one], np.multiply)
            y = step("Tanh", [step("Add", [cube, x], np.add)], np.tanh)
            y = step("Add", [y, one], np.add)
        b.node("Mul", [x, y], np.multiply)
    else:  # softmax
        axis = b.integer(0, x.rank - 1)
        at = b.constant(np.array([axis], I64))
        if any(a.shape[axis] == 0 for a in x.arrays):
            raise Unsuitable
        top = step("ReduceMax", [x, at], lambda a, _: a.max(axis, keepdims=True), keepdims=1)
        e = step("Exp", [step("Sub", [x, top], np.subtract)], np.exp)
        total = step("ReduceSum", [e, at], lambda a, _: a.sum(axis, keepdims=True), keepdims=1)
        b.node("Div", [e, total], np.divide)


@operator()
def scatter(b):
    x = b.value(lambda v: v.rank and v.dtype in (b.real, I64))
    least = min(a.shape[0] for a in x.arrays)
    if not least:
        raise Unsuitable
    rows = b.rng.permutation(least)[:b.integer(1, least)]
    y = b.node("Gather", [x, b.parameter(b.rng.integers(0, least, rows.shape))],
               lambda a, i: a[i], exact=True, keep=False, axis=0)
    add = b.chance(.5)

    def written(a, i, u):
        a = a.copy()
        a[i[:, 0]] = a[i[:, 0]] + u if add else u
        return a
    b.node("ScatterND", [x, b.parameter(rows[:, None]), y], written, exact=not add,
           reduction="add" if add else "none")


@operator()
def assigned_slices(b):
    """x[:, 1:, -1] = u, with a vector of indices for each element, as exporters write it."""
    x = b.value(lambda v: v.rank and v.exact and v.dtype != BOOL)
    lines = []  # the indices into each dimension
    for axis in range(b.integer(1, min(x.rank, 3))):
        least = min(a.shape[axis] for a in x.arrays)
        if least and b.chance(.3):
            lines.append(b.parameter(range(least)[slice(b.integer(0, 1), None)] if b.chance(.5) else
                                     [b.pick([0, -1, least - 1])]))
            continue
        start, step = (b.constant(np.array(i, I64)) for i in (0, 1))
        line = b.node("Range", [start, b.dim(x, axis, vector=False), step], np.arange,
                      keep=False)
        if b.chance(.6):
            part = slice(b.integer(-2, 2), b.pick([-1, 2, 3, 2**31]), b.pick([1, 1, 2]))
            bounds = [b.parameter([i]) for i in (part.start, part.stop, 0, part.step)]
            line = b.node("Slice", [line, *bounds], lambda a, *_, part=part: a[part], keep=False)
        lines.append(line)
    n = len(lines)
    order = b.rng.permutation(n) if b.chance(.15) else range(n)
    sizes = b.vector([b.shape_of(lines[int(i)]) for i in np.argsort(order)])
    parts = []
    for line, at in zip(lines, order):
        others = [i for i in range(n) if i != at]
        if others:
            line = b.node("Unsqueeze", [line, b.constant(np.array(others, I64))],
                          lambda a, o: np.expand_dims(a, tuple(o)), keep=False)
        line = b.node("Expand", [line, sizes], lambda a, s: np.broadcast_to(a, s), keep=False)
        parts.append(b.node("Unsqueeze", [line, b.constant(np.array([-1], I64))],
                            lambda a, _: a[..., None], keep=False))
    index = b.node("Concat", parts, lambda *a: np.concatenate(a, -1), keep=False, axis=-1)

    def places(i):
        return tuple(np.moveaxis(i, -1, 0))

    def written(a, i, u):
        a = a.copy()
        a[places(i)] = u
        return a
    y = b.node("GatherND", [x, index], lambda a, i: a[places(i)], exact=True, keep=False)
    y = b.node("Add", [y, y], np.add, exact=True, keep=False)
    b.node("ScatterND", [x, index, y], written, exact=True)


@operator()
def elements(b):
    x = b.value(lambda v: v.rank and v.exact)
    axis = b.integer(0, x.rank - 1)
    i = b.value(lambda v: v.dtype in (I64, I32) and v.rank == x.rank)
    for a, j in zip(x.arrays, i.arrays):
        n = a.shape[axis]
        if j.size and not (-n <= j.min() and j.max() < n) or any(
                p > q for k, (p, q) in enumerate(zip(j.shape, a.shape)) if k != axis):
            raise Unsuitable

    def taken(a, j):
        cut = a[tuple(slice(None) if k == axis else slice(d) for k, d in enumerate(j.shape))]
        return np.take_along_axis(cut, j.astype(np.int64), axis)
    b.node("GatherElements", [x, i], taken, exact=True, axis=axis)


@operator()
def one_hot(b):
    i = b.value(lambda v: v.dtype == I64 and v.rank < 3)
    depth = b.integer(1, 6)

    def hot(a, *_):
        return np.where(np.where(a < 0, a + depth, a)[..., None] == np.arange(depth), 2, 0)
    values = b.constant(np.array([0, 2], b.real))
    b.node("OneHot", [i, b.parameter(depth), values], hot, b.real, axis=-1)


@operator()
def triangle(b):
    x = b.value(lambda v: v.rank >= 2 and v.dtype != U8)
    upper, k = b.integer(0, 1), b.integer(-2, 2)
    b.node("Trilu", [x, b.parameter(k)], lambda a, _: np.triu(a, k) if upper else np.tril(a, k),
           exact=True, upper=upper)


@operator(2)
def found(b):
    """Dimensions that the values decide: positions of what is not 0, and elements chosen by a
    condition."""
    if b.chance(.5):
        x = b.value(lambda v: v.rank and v.exact)
        b.node("NonZero", [x], lambda a: np.array(np.nonzero(a)), I64)
    else:
        x = b.value(lambda v: v.rank)
        axis = b.integer(0, x.rank - 1)
        c = b.value(lambda v: v.dtype == BOOL and v.rank == 1 and all(
            i.size <= a.shape[axis] for i, a in zip(v.arrays, x.arrays)))
        b.node("Compress", [x, c], lambda a, i: np.compress(i, a, axis), exact=True, axis=axis)


@operator()
def unique(b):
    x = b.value(lambda v: v.rank and v.dtype in (I64, I32))
    b.node("Unique", [x], np.unique)


@operator()
def clip(b):
    x = b.value(lambda v: v.dtype in (b.real, I64, I32))
    low, high = np.array(-1, x.dtype), np.array(b.integer(0, 3), x.dtype)
    b.node("Clip", [x, b.constant(low), b.constant(high)], lambda a, lo, hi: np.clip(a, lo, hi),
           exact=True)


@operator()
def resize(b):
    x = b.value(lambda v: v.rank == 4 and v.dtype == b.real)
    b.node("Resize", [x, None, b.constant(np.array([1, 1, 2, 3], F32))],
           lambda a, _: a.repeat(2, 2).repeat(3, 3), exact=True, mode="nearest",
           coordinate_transformation_mode="asymmetric", nearest_mode="floor")


@operator()
def integer_product(b):
    x = b.value(lambda v: v.dtype == U8 and v.rank and v.fixed(v.rank - 1))
    w = b.constant(b.rng.integers(-5, 6, (x.fixed(x.rank - 1), b.pick([1, 4, 16]))).astype(np.int8))
    zero = b.constant(np.array(3, U8))
    b.node("MatMulInteger", [x, w, zero],
           lambda a, k, z: (a.astype(np.int64) - int(z)) @ k.astype(np.int64), I32)


def quantized(b, x):
    """|x| in eight bits and back. The scale is a power of two, so of exact numbers no bit is lost
    but those that rounding to the nearest integer, ties to even, takes."""
    dtype = b.pick([U8, I8])
    low, high = (0, 255) if dtype == U8 else (-128, 127)
    top = max(np.abs(a).max(initial=0) for a in x.arrays)
    scale = 2. ** (np.ceil(np.log2(max(top, 1e-3) / 100)) + b.pick([0, 0, 0, -1, 1]))
    zero = b.pick([128 if dtype == U8 else 0, b.integer(low, high)])
    with_zero = [b.constant(np.array(scale, F32)), b.constant(np.array(zero, dtype))]
    q = b.node("QuantizeLinear", [x, *with_zero],
               lambda a, s, z: np.clip(np.rint(a / s) + z, low, high).astype(dtype), dtype,
               keep=b.chance(.05))
    return b.node("DequantizeLinear", [q, *with_zero],
                  lambda a, s, z: (a.astype(np.float64) - z) * s, F32, exact=True,
                  keep=b.chance(.1))


def quantized_weights(b, shape, axis):
    """Weights of eight bits, their scales one or one for each index of |axis|."""
    q = b.constant(b.rng.integers(-127, 128, shape).astype(np.int8))
    scale = 2. ** b.rng.integers(-9, -6, [shape[axis]] if b.chance(.6) else [])
    view = [-1 if i == axis else 1 for i in range(len(shape))] if scale.ndim else []
    zero = [b.constant(np.zeros(scale.shape, np.int8))] if b.chance(.5) else []
    return b.node("DequantizeLinear", [q, b.constant(scale.astype(F32)), *zero],
                  lambda a, s, *z: a * s.reshape(view).astype(np.float64), F32, exact=True,
                  keep=False, axis=axis)


@operator(4)
def quantized_layer(b):
    """A layer of a quantized network as exporters write it; all numbers are exact."""
    x = quantized(b, b.value(lambda v: v.dtype == F32 and v.exact and v.rank))
    kind = b.integer(0, 4)
    if kind == 0 and x.fixed(x.rank - 1):
        w = quantized_weights(b, [x.fixed(x.rank - 1), b.pick([1, 3, 4, 16, 17])], 1)
        y = b.node("MatMul", [x, w], np.matmul, exact=True, keep=False)
        if b.chance(.5):
            bias = b.constant(b.rng.integers(-99, 99, w.fixed(1)).astype(I32))
            bias = b.node("DequantizeLinear", [bias, b.constant(np.array(2. ** -6, F32))],
                          lambda a, s: a * float(s), F32, exact=True, keep=False)
            y = b.node("Add", [y, bias], np.add, exact=True, keep=False)
    elif kind == 1 and x.rank in (3, 4) and x.fixed(1):
        w = Window(b, x.rank - 2, x.fixed(1))
        ins = [x, quantized_weights(b, w.shape, 0)]
        if b.chance(.5):
            ins.append(b.constant((b.rng.integers(-99, 99, w.width) / 64).astype(F32)))
        y = b.node("Conv", ins, w.convolved, exact=True, keep=False, **w.attributes())
    elif kind == 2 and x.rank >= 2:
        perm = list(range(x.rank - 2)) + [x.rank - 1, x.rank - 2]
        t = b.node("Transpose", [x], lambda a: a.transpose(perm), exact=True, keep=False, perm=perm)
        y = b.node("MatMul", [x, t], np.matmul, exact=True, keep=False)
    else:
        y = quantized(b, b.value(lambda v: v.dtype == F32 and v.exact and v.rank))
        op, fn = b.pick([("Add", np.add), ("Mul", np.multiply)])
        y = b.node(op, [x, y], fn, exact=True, keep=False)
    if b.chance(.4):
        y = b.node("Relu", [y], lambda a: np.maximum(a, 0), exact=True, keep=False)
    if b.chance(.9):
        y = quantized(b, y)
    b.values.append(y)


@operator()
def branches(b):
    """An If on a dimension; both branches read a value from outside."""
    x, of = b.floats(), b.value(lambda v: v.rank)
    limit = b.integer(0, 6)
    axis = b.integer(0, of.rank - 1)
    c = b.node("Less", [b.dim(of, axis, False), b.constant(np.array(limit, I64))], np.less, BOOL,
               keep=False)
    bodies, made = [], []
    for i in range(2):
        out = f"{x.name}_{i}_{b.count}"
        if x.rank and b.chance(.3):  # the branches may differ in shape
            axis = b.integer(0, x.rank - 1)
            body = node("Concat", f"{x.name} {x.name}", out, axis=axis)
            made.append(lambda a, axis=axis: np.concatenate([a, a], axis))
        else:
            op = b.pick(["Tanh", "Neg", "Relu", "Abs"])
            body = node(op, x.name, out)
            made.append(UNARY[op][0])
        bodies.append(Graph(body + data(2, "g") + data(12, data(1, out))))
    v = b.node("If", [c], lambda t: t, then_branch=bodies[0], else_branch=bodies[1], keep=False)
    v.dtype, v.exact, v.rank = x.dtype, False, x.rank
    v.rounded = [made[0 if t else 1](a) for t, a in zip(c.arrays, x.rounded)]
    v.arrays = [made[0 if t else 1](a) for t, a in zip(c.arrays, x.arrays)]
    b.values.append(v)


@operator()
def scanned(b):
    """A Scan along the first dimension: the state is halved and added to."""
    x = b.floats(1)
    s = b.node("ReduceMax", [x, b.constant(np.array([0], I64))], lambda a, _: a.max(0), exact=True,
               keepdims=0)
    half = b.constant(np.array(.5, x.dtype))
    tag = f"s{b.count}"
    body = Graph(node("Mul", f"{tag}s {half.name}", f"{tag}h") +
                 node("Add", f"{tag}h {tag}x", f"{tag}o") +
                 node("Neg", f"{tag}o", f"{tag}y") + data(2, "g") +
                 data(11, info(f"{tag}s", tensor_type(x.dtype.name, None))) +
                 data(11, info(f"{tag}x", tensor_type(x.dtype.name, None))) +
                 data(12, data(1, f"{tag}o")) + data(12, data(1, f"{tag}y")))

    def run(state, a):
        rows = []
        for row in a:
            state = state * .5 + row
            rows.append(-state)
        return state, np.stack(rows)
    b.node("Scan", [s, x], run, x.dtype, outs=2, body=body, num_scan_inputs=1)


@operator()
def repeated(b):
    """A Loop that a dimension counts: state = state / 2 + x."""
    x, of = b.floats(), b.value(lambda v: v.rank)
    count = b.dim(of, b.integer(0, of.rank - 1), False)
    half = b.constant(np.array(.5, x.dtype))
    tag = f"l{b.count}"
    body = Graph(node("Mul", f"{tag}s {half.name}", f"{tag}h") +
                 node("Add", f"{tag}h {x.name}", f"{tag}o") +
                 node("Identity", f"{tag}c", f"{tag}d") + data(2, "g") +
                 data(11, info(f"{tag}i", tensor_type("int64", []))) +
                 data(11, info(f"{tag}c", tensor_type("bool", []))) +
                 data(11, info(f"{tag}s", tensor_type(x.dtype.name, None))) +
                 data(12, data(1, f"{tag}d")) + data(12, data(1, f"{tag}o")))

    def run(n, s):
        a = s
        for _ in range(int(n)):
            a = a * .5 + s
        return a
    v = b.node("Loop", [count, None, x], run, x.dtype, body=body)


# --- runs -------------------------------------------------------------------------------------

def tolerance(want, k):
    """The error that elements of |want| may have at size |k|."""
    a = want.arrays[k]
    loose = (4e-3 if want.dtype == F16 else 1e-4) * np.abs(a).max(initial=.1)
    return loose + 50 * np.abs(a - want.rounded[k]).max(initial=0)


def difference(got, want, k):
    """What differs between |got| and |want| at size |k|."""
    a = want.arrays[k]
    if got.dtype != want.dtype:
        return f"type {got.dtype}, expected {want.dtype}"
    if got.shape != a.shape:
        return f"shape {got.shape}, expected {a.shape}"
    if want.dtype.kind != "f":
        bad = np.argwhere(got != a)
    else:
        bad = np.argwhere(~(np.abs(got - a) <= tolerance(want, k)))
    if len(bad):
        at = tuple(bad[0])
        return f"{len(bad)} of {a.size} differ, at {list(map(int, at))} {got[at]} for {a[at]}"
    return None


def write_case(args, b, model, outs, folder):
    """Writes the graph as a conformance case, for what runs those: models as C, other machines."""
    os.makedirs(folder)
    done = subprocess.run([args.rlxc, model, "--emit=relax"], capture_output=True, text=True)
    if done.returncode:
        return f"rlxc --emit=relax: {done.stderr.strip()[:300]}"
    with open(os.path.join(folder, "module.py"), "w") as f:
        f.write(done.stdout)

    def saved(name, array):
        np.save(os.path.join(folder, name), array)
        return {"tensor": f"{name}.npy", "dtype": array.dtype.name, "shape": array.shape}
    calls = []
    for k in range(len(b.sizes)):
        results = [saved(f"{k}.{v.name}", np.asarray(v.arrays[k], v.dtype)) for v in outs]
        calls.append({"inputs": [saved(f"{k}.{name}", a[k]) for name, a in b.feeds.items()],
                      "outputs": results if len(outs) == 1 else [{"tuple": results}]})
    floats = [tolerance(v, k) for v in outs for k in range(len(b.sizes)) if v.dtype.kind == "f"]
    with open(os.path.join(folder, "case.json"), "w") as f:
        json.dump({"function": "main", "params": list(b.feeds), "calls": calls, "rtol": 0,
                   "atol": max(floats, default=0), "tags": ["A"], "ops": [],
                   "crosschecked": False}, f)
    return None


def check(args, seed, folder):
    """Whether a graph was made, and what is wrong with it."""
    b = Builder(seed, args.nodes)
    content, outs = b.model()
    if content is None:
        return False, None
    path = os.path.join(folder, "m.onnx")
    with open(path, "wb") as f:
        f.write(content)
    if args.cases:
        return True, write_case(args, b, path, outs, os.path.join(args.cases, f"seed{seed}"))
    flags = b.pick(FLAGS) + ["--row-bits", "32"]  # products of eight bits are exact
    if args.device:
        flags += ["--default-device", args.device]
    program = os.path.join(folder, "m.rlx")
    done = subprocess.run([args.rlxc, path, "-o", program, *flags], capture_output=True, text=True,
                          timeout=120)
    if done.returncode:
        return True, f"rlxc {' '.join(flags)}: {done.returncode}: {done.stderr.strip()[:300]}"
    for k, sizes in enumerate(b.sizes):
        command = [args.rlx, "run", program, "-o", os.path.join(folder, "out.npy")]
        for name, arrays in b.feeds.items():
            np.save(os.path.join(folder, name), arrays[k])
            command += ["--input", f"{name}={os.path.join(folder, name)}.npy"]
        done = subprocess.run(command, capture_output=True, text=True, timeout=120)
        where = f"{' '.join(flags)} at {sizes}"
        if done.returncode:
            return True, f"rlx {where}: {done.returncode}: {done.stderr.strip()[:300]}"
        for i, v in enumerate(outs):
            file = "out.npy" if len(outs) == 1 else f"out.{i}.npy"
            why = difference(np.load(os.path.join(folder, file)), v, k)
            if why:
                return True, f"{where}: result {i} ({v.name}): {why}"
    return True, None


def main():
    p = argparse.ArgumentParser()
    p.add_argument("--rlxc", required=True)
    p.add_argument("--rlx", required=True)
    p.add_argument("--seed", type=int, default=1)
    p.add_argument("--count", type=int, default=200)
    p.add_argument("--nodes", type=int, default=16, help="the most operators of a graph")
    p.add_argument("--device", help="such as opencl:0; the CPU if none is named")
    p.add_argument("--cases", help="a folder: write the graphs there as conformance cases instead")
    p.add_argument("--keep", help="an existing folder for the model and its inputs")
    args = p.parse_args()
    passed = failed = 0
    kept = contextlib.nullcontext(args.keep)
    with kept if args.keep else tempfile.TemporaryDirectory() as folder:
        for seed in range(args.seed, args.seed + args.count):
            try:
                made, why = check(args, seed, folder)
            except subprocess.TimeoutExpired as e:
                made, why = True, f"no end: {e}"
            passed += made and not why
            failed += bool(why)
            if why:
                print(f"seed {seed}: {why}", flush=True)
    print(f"{passed} passed, {failed} failed")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
