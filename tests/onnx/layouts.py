#!/usr/bin/env python3
"""Operators between convolutions (concatenation, slicing, shuffles, resizing, normalisation,
transposition), which the compiler runs with channels last, against NumPy in double: images of odd
sizes and 0, static and symbolic sizes, one channel, three, many. `make test-ops`.
"""
import os
import sys

import numpy as np

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path[:0] = [HERE, os.path.join(HERE, "..", "ops")]
from convolutions import conv  # noqa: E402
from rows_more import roi_align  # noqa: E402
from sequences import F32, Program, const, graph, node, run, tensor_type  # noqa: E402

BIG = 2**31 - 1
BOXES = np.array([[0, 0, 3, 2], [1.5, .5, 9, 8], [-4, 2, 5, 5]], np.float32)


def ints(*values):
    return np.array(values, np.int64)


def cut(name, axis, begin, end, step=1):
    """Nodes that compute z, a slice of |name|."""
    return [const("from", ints(begin)), const("to", ints(end)), const("axis", ints(axis)),
            const("by", ints(step)), node("Slice", f"{name} from to axis by", "z")]


def reshape(name, out, *dims):
    return [const(f"{out}dims", ints(*dims)), node("Reshape", f"{name} {out}dims", out)]


def depth_to_space(y, mode):
    n, c, h, w = y.shape
    if mode == "DCR":
        return y.reshape(n, 2, 2, c // 4, h, w).transpose(0, 3, 4, 1, 5, 2).reshape(n, c // 4, 2 * h, 2 * w)
    return y.reshape(n, c // 4, 2, 2, h, w).transpose(0, 1, 4, 2, 5, 3).reshape(n, c // 4, 2 * h, 2 * w)


def space_to_depth(y):
    n, c, h, w = y.shape
    return y.reshape(n, c, h // 2, 2, w // 2, 2).transpose(0, 3, 5, 1, 2, 4).reshape(n, 4 * c, h // 2, w // 2)


def shuffled(y, g):
    n, c, h, w = y.shape
    return y.reshape(n, g, c // g, h, w).transpose(0, 2, 1, 3, 4).reshape(y.shape)


def linear(y, axis):
    """Resizes an axis to twice its length, linearly between pixel centres, clamped at the
    border."""
    k = y.shape[axis]
    at = np.clip((np.arange(2 * k) + .5) / 2 - .5, 0, max(k - 1, 0))
    low = np.floor(at).astype(int)
    part = (at - low).reshape([-1 if i == axis else 1 for i in range(y.ndim)])
    return y.take(low, axis) * (1 - part) + y.take(np.minimum(low + 1, max(k - 1, 0)), axis) * part


def softmax(y, axis):
    e = np.exp(y - y.max(axis, keepdims=True, initial=-1e30))
    return e / e.sum(axis, keepdims=True)


def normalized(y, axes, epsilon=1e-5):
    if y.size == 0:
        return y
    return (y - y.mean(axes, keepdims=True)) / np.sqrt(y.var(axes, keepdims=True) + epsilon)


def lrn(y, size=5):
    half, square = size // 2, np.pad(y * y, [(0, 0), (size // 2,) * 2, (0, 0), (0, 0)])
    sums = sum(square[:, i:i + y.shape[1]] for i in range(2 * half + 1))
    return y / (1 + 1e-4 / size * sums) ** .75


def regions(y):
    return roi_align(y, np.insert(BOXES, 0, 0, axis=1), (2, 3), .5, 2, True, "avg")


def rows(c, h, w):
    """(name, nodes from x (3 channels), y (c) and u (c + 2) to z, reference for z); h and w are None if
    symbolic."""
    rng = np.random.default_rng(c)
    make = lambda *d: rng.uniform(-1, 1, d).astype(np.float32)  # noqa: E731
    slope, scale, shift, dense = make(c, 1, 1), make(c), make(c), make(c, c)
    factor = make(2 * c + 2, 1, 1)
    per_group, pairs = make(1, c, 1, 1), [const("scales", np.array([1, 1, 2, 2], np.float32))]
    out = [
        ("join", [node("Concat", "y u", "z", axis=1)], lambda x, y, u: np.concatenate([y, u], 1)),
        ("join with what was not moved", [node("Concat", "u x y", "z", axis=-3)],
         lambda x, y, u: np.concatenate([u, x, y], 1)),
        ("join many", [node("Concat", "y u y y x u u y y y", "z", axis=1)],
         lambda x, y, u: np.concatenate([y, u, y, y, x, u, u, y, y, y], 1)),
        ("split", [const("at", ints(c, 2)), node("Split", "u at", "a b", axis=1), node("Concat", "b a", "z", axis=1)],
         lambda x, y, u: np.concatenate([u[:, c:], u[:, :c]], 1)),
        ("cut rows", cut("y", 2, 1, BIG, 2), lambda x, y, u: y[:, :, 1::2]),
        ("cut channels", cut("u", 1, 1, -1), lambda x, y, u: u[:, 1:-1]),
        ("backwards", cut("u", -3, -1, -BIG, -1), lambda x, y, u: u[:, ::-1]),
        ("pad", [const("by", ints(0, 1, 2, 0, 0, 2, 0, 3)), const("v", np.float32(.5)), node("Pad", "y by v", "z")],
         lambda x, y, u: np.pad(y, [(0, 0), (1, 2), (2, 0), (0, 3)], constant_values=.5)),
        ("nearest", pairs + [node("Resize", "y _ scales", "z", coordinate_transformation_mode="asymmetric",
                                  nearest_mode="floor")], lambda x, y, u: y.repeat(2, 2).repeat(2, 3)),
        ("linear", pairs + [node("Resize", "y _ scales", "z", mode="linear")],
         lambda x, y, u: linear(linear(y, 2), 3)),
        ("softmax of channels", [node("Softmax", "y", "z", axis=1)], lambda x, y, u: softmax(y, 1)),
        ("softmax of columns", [node("Softmax", "y", "z", axis=-1)], lambda x, y, u: softmax(y, 3)),
        ("running sum", [const("at", np.int64(1)), node("CumSum", "y at", "z")], lambda x, y, u: np.cumsum(y, 1)),
        ("slopes", [const("s", slope), node("PRelu", "y s", "z")], lambda x, y, u: np.where(y < 0, y * slope, y)),
        ("choice", [const("o", np.float32(0)), node("Greater", "y o", "t"), node("Where", "t y o", "z")],
         lambda x, y, u: np.maximum(y, 0)),
        ("columns' factors", [const("at", ints(0, 1, 2)), node("ReduceMean", "y at", "m", keepdims=0),
                              node("Mul", "y m", "z")], lambda x, y, u: y * y.mean((0, 1, 2)) if y.size else y),
        ("squeeze and excite", [node("GlobalAveragePool", "y", "m"), const("f", dense.reshape(c, c, 1, 1)),
                                node("Conv", "m f", "e"), node("Sigmoid", "e", "s"), node("Mul", "y s", "z")],
         lambda x, y, u: y / (1 + np.exp(-np.einsum("oi,ni->no", dense, y.mean((2, 3))))[:, :, None, None])),
        ("mean of channels", [const("at", ints(1)), node("ReduceMean", "y at", "m"), node("Sub", "y m", "z")],
         lambda x, y, u: y - y.mean(1, keepdims=True)),
        ("largest channel", [const("at", ints(1)), node("ReduceMax", "u at", "z", keepdims=0)],
         lambda x, y, u: u.max(1)),
        ("which channel", [node("ArgMax", "u", "k", axis=1, keepdims=0), node("Cast", "k", "z", to=1)],
         lambda x, y, u: u.argmax(1)),
        ("instance norm", [const("s", scale / 4), const("b", shift / 4), node("InstanceNormalization", "y s b", "z")],
         lambda x, y, u: (normalized(y, (2, 3)) * scale[:, None, None] + shift[:, None, None]) / 4),
        ("regions", [const("b", BOXES), const("i", ints(0, 0, 0)),
                     node("RoiAlign", "y b i", "z", output_height=2, output_width=3, spatial_scale=.5,
                          sampling_ratio=2)], lambda x, y, u: regions(y)),
        ("response norm", [node("LRN", "y", "z", size=5)], lambda x, y, u: lrn(y)),
        ("channels last inside", [
            node("Transpose", "y", "t", perm=[0, 2, 3, 1]), const("s", scale), const("b", shift),
            node("LayerNormalization", "t s b", "l", axis=-1), const("d", dense), node("MatMul", "l d", "m"),
            node("Transpose", "m", "r", perm=[0, 3, 1, 2]), const("f", per_group), node("Mul", "r f", "g"),
            node("Add", "g y", "z")],
         lambda x, y, u: y + per_group * np.moveaxis((normalized(np.moveaxis(y, 1, 3), 3) * scale + shift) @ dense, 3, 1)),
        ("columns first", [node("Transpose", "y", "t", perm=[0, 3, 1, 2]), node("Relu", "t", "z")],
         lambda x, y, u: np.maximum(y.transpose(0, 3, 1, 2), 0)),
        ("one row of pixels", reshape("y", "p", 0, 0, -1) + [node("Softmax", "p", "z", axis=2)],
         lambda x, y, u: softmax(y.reshape(*y.shape[:2], y.shape[2] * y.shape[3]), 2)),
        ("pixels as tokens", reshape("y", "p", 0, 0, -1) + [
            node("Transpose", "p", "t", perm=[0, 2, 1]), const("d", dense), node("MatMul", "t d", "m"),
            node("Transpose", "m", "r", perm=[0, 2, 1]), node("Shape", "y", "dims"), node("Reshape", "r dims", "g"),
            node("Add", "g y", "z")],
         lambda x, y, u: y + np.einsum("nihw,io->nohw", y, dense)),
        ("flat", [node("Flatten", "y", "z", axis=1)], lambda x, y, u: y.reshape(len(y), c * y.shape[2] * y.shape[3])),
        ("images as channels", [node("Transpose", "y", "t", perm=[1, 0, 2, 3]), node("Relu", "t", "z")],
         lambda x, y, u: np.maximum(y.transpose(1, 0, 2, 3), 0)),
    ]
    if c % 4 == 0:
        out += [("depth to space", [node("DepthToSpace", "y", "z", blocksize=2, mode=mode)],
                 lambda x, y, u, mode=mode: depth_to_space(y, mode)) for mode in ("DCR", "CRD")]
        g, ones = c // 4, np.ones(c // 4, np.float32)
        out += [("groups", reshape("y", "p", 0, g, -1) + [
            const("s", ones), const("b", ones), node("InstanceNormalization", "p s b", "q"), node("Shape", "y", "dims"),
            node("Reshape", "q dims", "r"), const("f", per_group), node("Mul", "r f", "z")],
            lambda x, y, u: per_group * (1 + normalized(y.reshape(len(y), g, -1), 2).reshape(y.shape) if y.size else y)),
            ("sums of groups", reshape("y", "p", 0, 2, -1) + [
                const("at", ints(-1)), node("ReduceSum", "p at", "z", keepdims=0)],
             lambda x, y, u: y.reshape(len(y), 2, y.size // 2 // max(len(y), 1)).sum(2))]
        if h:
            out += [("shuffle", reshape("y", "p", 0, 4, c // 4, h, w) + [
                node("Transpose", "p", "t", perm=[0, 2, 1, 3, 4])] + reshape("t", "z", 0, c, h, w),
                lambda x, y, u: shuffled(y, 4)),
                ("heads", reshape("y", "p", 0, 4, c // 4, -1) + [
                    node("Transpose", "p", "t", perm=[0, 1, 3, 2]), node("MatMul", "t p", "z")],
                 lambda x, y, u: np.einsum("ngip,ngiq->ngpq", *[y.reshape(len(y), 4, c // 4, h * w)] * 2)),
                ("rows into channels", reshape("y", "z", 0, c * h, 1, w), lambda x, y, u: y.reshape(len(y), c * h, 1, w))]
            if h % 2 == 0 and w % 2 == 0:
                out += [("space to depth", [node("SpaceToDepth", "y", "z", blocksize=2)],
                         lambda x, y, u: space_to_depth(y))]
    return out


def program(c, h, w, known, row):
    name, nodes, value = row
    rng = np.random.default_rng(c + 1)
    make = lambda *d: (rng.standard_normal(d) / max(1, np.prod(d[1:]))**.5).astype(np.float32)  # noqa: E731
    w1, w2, b1, b2 = make(c, 3, 3, 3), make(c + 2, c, 1, 1), make(c), make(c + 2)
    known_dims = ["n", 3] + ([h, w] if known else ["h", "w"])

    def parts(x):
        x = x.astype(np.float64)
        y = conv(x, w1, b1, [1, 1], [1, 1], [1] * 4, 1)
        return x, y, conv(y, w2, b2, [1, 1], [1, 1], [0] * 4, 1)

    z = value(*parts(make(1, 3, h, w)))
    image = z.ndim == 4 and name not in ("columns first", "images as channels", "heads", "rows into channels")
    w3, b3 = make(5, z.shape[1] if image else 1, 1, 1), make(5)
    nodes = [const("w1", w1), const("w2", w2), const("w3", w3), const("b1", b1), const("b2", b2), const("b3", b3),
             node("Conv", "x w1 b1", "y", pads=[1] * 4), node("Conv", "y w2 b2", "u")] + nodes
    if image:
        nodes += [node("Conv", "z w3 b3", "end")]

    def reference(x):
        z = value(*parts(x))
        ends = [z, conv(z, w3, b3, [1, 1], [1, 1], [0] * 4, 1)] if image else [z]
        return [e.astype(np.float32) for e in ends]

    inputs = [(make(2, 3, h, w),), (make(1, 3, h, w),)]
    if not known:
        inputs += [(make(1, 3, h + 2, w + 4),)]
    # no batch of 0 for a maximum over unknown channels, or for regions
    if name != "regions" and (known or name not in ("largest channel", "which channel")):
        inputs += [(make(0, 3, h, w),)]
    outs = [("z", tensor_type(F32, [f"z{i}" for i in range(z.ndim)]))]
    outs += [("end", tensor_type(F32, list("abcd")))] if image else []
    return Program(f"{name}, {c} channels, {h}x{w} {'known' if known else 'symbolic'}", graph(
        nodes, [("x", tensor_type(F32, known_dims))], outs), inputs, reference)


def programs():
    return [program(c, h, w, known, row) for c, h, w, known in (
        (1, 7, 5, False), (3, 5, 9, False), (17, 9, 4, True), (20, 6, 8, True), (16, 6, 4, False))
        for row in rows(c, h if known else None, w if known else None)]


if __name__ == "__main__":
    sys.exit(run(programs()))
