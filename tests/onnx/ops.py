#!/usr/bin/env python3
"""ONNX operators that Debian's backend data does not cover, against NumPy.

Each row is a model of one node: its inputs (dimensions `n` and `m` are symbolic, and constant in a
second run), constants as initializers, and the reference in NumPy, in double. A few lines of
protobuf write the models, so that no ONNX library is needed; `make test-ops`.
"""
import math
import os
import re
import struct
import subprocess
import sys
import tempfile

import numpy as np

import ops_reference as ref

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "ops"))
from run import check_all, compare, element_type  # noqa: E402

TYPES = {"float32": 1, "uint8": 2, "int8": 3, "uint16": 4, "int16": 5, "int32": 6, "int64": 7,
         "bool": 9, "float16": 10, "float64": 11, "uint32": 12, "uint64": 13, "bfloat16": 16,
         "float8e4m3fn": 17, "float8e4m3fnuz": 18, "float8e5m2": 19, "float8e5m2fnuz": 20}
# lengths of transforms: every radix, several, large primes
LENGTHS = [(n, 1 + n % 3) for n in (1, 2, 3, 4, 5, 7, 8, 12, 16, 30, 61, 67, 77, 128, 250, 262,
                                    1021)]
SIZES = [(2, 3), (1, 1), (5, 4), (7, 2), (17, 9)]


# --- protobuf ---------------------------------------------------------------------------------

def varint(v):
    v &= (1 << 64) - 1
    out = bytearray()
    while v > 127:
        out.append(v & 127 | 128)
        v >>= 7
    return bytes(out) + bytes([v])


def number(field, v):
    return varint(field << 3) + varint(v)


def data(field, v):
    v = v.encode() if isinstance(v, str) else v
    return varint(field << 3 | 2) + varint(len(v)) + v


class Narrow:
    """A tensor of 4-bit elements; |listed|: stored as a list of numbers, not as raw data."""

    def __init__(self, values, signed, listed=False):
        self.values, self.signed, self.listed = np.asarray(values), signed, listed


class Float8:
    """A tensor of |codes| of a float8 type; |listed|: stored as a list of numbers, not as raw
    data."""

    def __init__(self, codes, name, listed=False):
        self.codes, self.name, self.listed = np.asarray(codes, np.uint8), name, listed


class Sparse:
    """A constant given by its nonzero elements."""

    def __init__(self, dense, coordinates):
        self.dense, self.coordinates = dense, coordinates


def tensor(v, name=""):
    if isinstance(v, Narrow):
        flat = [int(x) & 15 for x in v.values.ravel()] + [0]
        raw = bytes(flat[i] | flat[i + 1] << 4 for i in range(0, v.values.size, 2))
        dims, code = v.values.shape, 22 if v.signed else 21
    elif isinstance(v, Float8):
        raw, dims, code = v.codes.tobytes(), v.codes.shape, TYPES[v.name]
    else:
        raw, dims, code = v.tobytes(), v.shape, TYPES[v.dtype.name]
    values = (b"".join(number(5, b) for b in raw) if getattr(v, "listed", False) else
              data(9, raw))
    return b"".join(number(1, d) for d in dims) + number(2, code) + data(8, name) + values


def sparse(v, name=""):
    at = np.argwhere(v.dense != 0)
    values = v.dense[v.dense != 0]
    if not v.coordinates:
        at = np.ravel_multi_index(at.T, v.dense.shape)
    return (data(1, tensor(values, name)) + data(2, tensor(at.astype(np.int64))) +
            b"".join(number(3, d) for d in v.dense.shape))


def attribute(name, v):
    out = data(1, name)
    if isinstance(v, float):
        return out + varint(2 << 3 | 5) + struct.pack("<f", v) + number(20, 1)
    if isinstance(v, int):
        return out + number(3, v) + number(20, 2)
    if isinstance(v, str):
        return out + data(4, v) + number(20, 3)
    if isinstance(v, Sparse):
        return out + data(22, sparse(v)) + number(20, 11)
    if any(isinstance(i, float) for i in v):
        return out + b"".join(varint(7 << 3 | 5) + struct.pack("<f", i) for i in v) + number(20, 6)
    return out + b"".join(number(8, i) for i in v) + number(20, 7)


def value_info(name, dims, code):
    shape = b"".join(data(1, data(2, d) if isinstance(d, str) else number(1, d)) for d in dims)
    return data(1, name) + data(2, data(1, number(1, code) + data(2, shape)))


def model(row, n, m):
    """The row's model; n and m are None if symbolic."""
    node, graph = b"", b""
    for i, v in enumerate(row.inputs):
        name = f"x{i}" if v is not None else ""
        node += data(1, name)
        if isinstance(v, Input):
            graph += data(11, value_info(name, v.dims(n, m), TYPES[v.dtype]))
        elif isinstance(v, Sparse):
            graph += data(15, sparse(v, name))
        elif v is not None:
            graph += data(5, tensor(v, name))
    for i in range(row.outputs):
        node += data(2, f"y{i}")
        graph += data(12, data(1, f"y{i}"))
    node += data(4, row.op) + b"".join(data(5, attribute(k, v)) for k, v in row.attrs.items())
    node += data(7, row.domain)
    other = data(8, data(1, row.domain) + number(2, 1)) if row.domain else b""
    return (number(1, 8) + data(8, number(2, row.opset)) + other +
            data(7, data(1, node) + data(2, "g") + graph))


# --- rows -------------------------------------------------------------------------------------

class Input:
    def __init__(self, dims, dtype="float32", low=-3, high=3):
        self.text, self.dtype, self.low, self.high = dims, dtype, low, high

    def dims(self, n, m):
        sizes = {"n": n, "m": m}
        return [sizes[d] if sizes.get(d) is not None else d if d in sizes else
                int(eval(d, {"n": n, "m": m})) for d in self.text.split()]

    def make(self, rng, n, m):
        shape = self.dims(n, m)
        if self.dtype == "bool":
            return rng.integers(0, 2, shape).astype(bool)
        if self.dtype.startswith(("int", "uint")):
            return rng.integers(self.low, self.high, shape).astype(self.dtype)
        return rng.uniform(self.low, self.high, shape).astype(self.dtype)


class Row:
    def __init__(self, op, inputs, reference, outputs=1, opset=25, sizes=SIZES, name="", loose=0,
                 gives=None, domain="", more=None, **attrs):
        self.op, self.inputs, self.reference, self.outputs = op, inputs, reference, outputs
        self.opset, self.sizes, self.loose, self.domain = opset, sizes, loose, domain
        self.attrs = attrs = {**attrs, **(more or {})}
        said = [attrs[k] for k in ("dtype", "to", "output_dtype") if k in attrs]
        named = {**{code: name for name, code in TYPES.items()}, **{i: "uint8" for i in range(17, 22)},
                 22: "int8"}  # the types .npy files have
        self.gives = gives or (named[said[0]] if said else None)  # see element_type
        self.name = f"{op} {name} {attrs}"


def i64(*values):
    return np.array(values, np.int64)


def rows():
    x, f32 = Input, np.float32
    empty = SIZES + [(0, 3), (3, 0)]
    q, k = x("2 3 n 4"), x("2 3 m 4")
    out = [Row("Attention", [q, k, k], lambda *a: ref.attention(*a), sizes=SIZES),
           Row("Attention", [q, k, x("2 3 m 6")], lambda *a: ref.attention(*a, scale=.3, cap=2),
               scale=.3, softcap=2.),
           Row("Attention", [q, k, k], lambda *a: ref.attention(*a, causal=True), is_causal=1),
           Row("Attention", [x("2 6 n 4"), x("2 2 m 4"), x("2 2 m 4"), x("n m", "bool")],
               lambda *a: ref.attention(*a), name="groups, mask"),
           Row("Attention", [q, k, k, x("2 1 n m")], lambda *a: ref.attention(*a), name="bias"),
           Row("Attention", [q, q, q, None, k, k],
               lambda q, k, v, pk, pv: ref.attention(q, k, v, past=(pk, pv), causal=True),
               outputs=3, is_causal=1, name="past"),
           Row("Attention", [q, k, k, None, k, k],
               lambda q, k, v, pk, pv: ref.attention(q, k, v, past=(pk, pv), causal=True),
               outputs=3, is_causal=1, name="past, fewer or more new keys than queries"),
           Row("Attention", [x("2 6 n 4"), *[x("2 2 n 4")] * 2, x("n 2", "bool"), *[x("2 2 m 4")] * 2],
               lambda q, k, v, s, pk, pv: ref.attention(
                   q, k, v, np.pad(s, ((0, 0), (0, 99)))[:, :len(s) + pk.shape[2]], (pk, pv),
                   causal=True, window=(2, -1)),
               outputs=3, is_causal=1, left_window_size=2, name="groups, mask, past, window"),
           Row("Attention", [q, k, k, None, None, None, i64(0, 1)],
               lambda q, k, v, s: ref.attention(q, k, v, lengths=s), opset=24, name="lengths"),
           Row("Attention", [q, k, k],
               lambda *a: ref.attention(*a, causal=True, window=(1, -1)), is_causal=1,
               left_window_size=1),
           Row("Attention", [x("2 n 5 4"), x("2 m 7 4"), x("2 m 7 4")],
               lambda *a: ref.attention(*a), sizes=[(6, 2), (3, 3), (5, 1)], name="unknown groups"),
           Row("Attention", [x("2 6 5 n"), x("2 3 m n"), x("2 3 m 4")],
               lambda *a: ref.attention(*a), name="unknown head size"),
           Row("Attention", [x("2 n 12"), x("2 m 6"), x("2 m 10")],
               lambda q, k, v: ref.flat_attention(q, k, v, 4, 2), q_num_heads=4, kv_num_heads=2)]
    for mode in range(4):
        out.append(Row("Attention", [q, k, k, x("n m")],
                       lambda *a, mode=mode: ref.attention(*a, cap=1.5, show=mode), outputs=4,
                       softcap=1.5, qk_matmul_output_mode=mode))
    caches = {"pk": "2 2 m 8", "pv": "2 2 m 8"}
    apart, packed = {"q": "2 n 48", "k": "2 n 16", "v": "2 n 16"}, {"q": "2 n 80"}
    for named, how in (
            ({**apart, **caches}, {}),
            ({**packed, **caches}, {"do_rotary": 1}),
            ({**packed, **caches},
             {"do_rotary": 1, "rotary_interleaved": 1, "local_window_size": 5, "scale": .5}),
            (apart, {"local_window_size": 2}),
            ({**packed, **caches}, {"do_rotary": 1, "softcap": 2.}),
            ({**apart, **caches}, {"smooth_softmax": 1}),
            ({**apart, **caches, "sink": "6"}, {"local_window_size": 5}),
            ({**apart, **caches, "bias": "2 6 n 30"}, {}),
            ({**apart, **caches, "qn": "8", "kn": "8"}, {"qk_norm_epsilon": .125}),
            ({**packed, **caches, "qn": "8", "kn": "8"}, {"do_rotary": 1}),
            ({**apart, **caches, "bias": "1 1 n 30", "sink": "6"}, {"softcap": 1.5})):
        given = {k: x(named[k]) if k in named else None for k in ("q", "k", "v", "pk", "pv")}
        given["seqlens"] = np.array([20, 11] if "pk" in named else [0, 0], np.int32)
        given["total"] = np.array(30, np.int32)
        if "do_rotary" in how:
            given.update(cos=x("40 3"), sin=x("40 3"))
        if "bias" in named or "sink" in named:
            given.update(cos=None, sin=None, positions=None)
            given.update((k, x(named[k]) if k in named else None) for k in ("bias", "sink"))
            given = given if "sink" in named else {k: v for k, v in given.items() if k != "sink"}
        if "qn" in named:
            left_out = ("cos", "sin", "positions", "bias", "sink", "k_scale", "v_scale")
            given = {**given, **{k: given.get(k) for k in left_out}, "qn": x("8"), "kn": x("8")}
        names = [k for k, v in given.items() if v is not None]
        out.append(Row("GroupQueryAttention", list(given.values()),
                       lambda *a, names=names, how=how: ref.group_query(**dict(zip(names, a)), **how),
                       outputs=3, name=" ".join(names), domain="com.microsoft", num_heads=6,
                       kv_num_heads=2, **how))
    out += [Row("SkipSimplifiedLayerNormalization", [x("2 n m"), x("2 n m"), x("m"), x("m")][:k],
                ref.skip_rms, domain="com.microsoft", epsilon=1e-5) for k in (3, 4)]
    out.append(Row("SimplifiedLayerNormalization", [x("2 n m"), x("m")],
                   lambda a, s: ref.rms(a, s, -1), epsilon=1e-5, opset=17))
    for interleaved in range(2):
        for size in (0, 4):
            half = (size or 6) // 2
            out += [Row("RotaryEmbedding", [x(f"2 n {6 * 3}"), x(f"2 n {half}"), x(f"2 n {half}")],
                        lambda *a, i=interleaved, s=size: ref.rotary(*a, i, s, 3), num_heads=3,
                        interleaved=interleaved, rotary_embedding_dim=size, opset=23, sizes=empty),
                    Row("RotaryEmbedding", [x("2 3 n 6"), x(f"9 {half}"), x(f"9 {half}"),
                                            x("2 n", "int64", 0, 9)],
                        lambda *a, i=interleaved, s=size: ref.rotary(*a[:3], i, s, 0, a[3]),
                        interleaved=interleaved, rotary_embedding_dim=size, opset=23)]
    for axis in (-1, 1):
        scale = x("m") if axis == -1 else x("n m")
        out.append(Row("RMSNormalization", [x("2 n m"), scale],
                       lambda a, s, axis=axis: ref.rms(a, s, axis), axis=axis, opset=23))
    out += [Row("Swish", [x("n m")], lambda a: a / (1 + np.exp(-.5 * a)), alpha=.5, opset=24,
                sizes=empty),
            Row("TensorScatter", [x("2 n+m 3"), x("2 n 3"), i64(1, 0)], ref.tensor_scatter,
                opset=24, sizes=[(2, 3), (5, 4)]),
            Row("TensorScatter", [x("2 7 n"), x("2 4 n"), i64(5, 6)],
                lambda *a: ref.tensor_scatter(*a, wrap=True), opset=24, axis=1, mode="circular")]

    for t in ("float32", "float64"):
        out += [Row("RandomUniform", [], lambda t=t: np.random.RandomState(7).uniform(
                    -2, 5, (5, 33, 7)).astype(t), shape=[5, 33, 7], dtype=TYPES[t], low=-2.,
                    high=5., seed=7., name=t),
                Row("RandomNormal", [], lambda t=t: np.random.RandomState(9).normal(
                    1, 2, (701,)).astype(t), shape=[701], dtype=TYPES[t], mean=1., scale=2.,
                    seed=9., name=t)]
    out += [Row("RandomUniformLike", [x("n m")], lambda a: np.random.RandomState(3).uniform(
                0, 1, a.shape), seed=3., sizes=empty),
            Row("RandomNormalLike", [x("n m", "int32")], lambda a: np.random.RandomState(3).normal(
                0, 1, a.shape).astype(f32), seed=3.7, dtype=1, sizes=empty),
            Row("Bernoulli", [x("n m", low=0, high=1)],
                lambda p: np.random.RandomState(5).uniform(size=p.shape) < p, seed=5., dtype=6,
                sizes=empty),
            Row("Multinomial", [x("n 6")], lambda p: ref.multinomial(p, 50, 11), seed=11.,
                sample_size=50, dtype=7, opset=7),
            Row("Dropout", [x("n m"), np.array(.3, f32), np.array(True)],
                lambda a, r, t: ref.dropout(a, r, 4), outputs=2, seed=4, opset=13, sizes=empty),
            Row("Dropout", [x("n m"), x("", low=.1, high=.9), x("", "bool")],
                lambda a, r, t: ref.dropout(a, r if t else 0, 4), outputs=2, seed=4, opset=13)]

    out += [Row("ConvTranspose", [x("2 4 n 3 m"), x(f"4 {6 // g} 2 3 2")],
                lambda a, w, g=g: ref.conv_transpose(a, w, g, (2, 1, 3)), opset=11, group=g,
                strides=[2, 1, 3]) for g in (1, 2, 4)]
    out += [Row("ScatterElements", [x("n 3"), np.zeros((2, 3), np.int64), x("2 3")],
                lambda a, i, u, f=f: np.concatenate([[f.reduce([a[0], *u])], a[1:]]), opset=16,
                axis=0, reduction=kind) for kind, f in (("max", np.maximum), ("min", np.minimum))]
    out += [Row("Pad", [x("n 5 m"), np.array([0, 4, b, 0, 1, a])],
                lambda v, _, b=b, a=a, mode=mode: np.pad(v, [(0, 0), (4, 1), (b, a)], mode=mode),
                opset=19, mode=mode, sizes=[(1, 5), (3, 6), (2, 33), (0, 6)])
            for mode in ("reflect", "edge", "wrap") for b, a in ((3, 4), (0, 2), (1, 0))]
    for mode in ("constant", "edge", "reflect", "wrap"):  # widths known at run time only
        for t in ("float32", "int8", "float16", "int64", "bool"):
            for low, high in ((-1, 2), (0, 2))[t != "float32":]:
                fill = [x("", t, 5, 6)] if mode == "constant" else []
                out.append(Row("Pad", [x("n 5 m", t, -9, 9), x("6", "int64", low, high), *fill],
                               lambda a, p, v=0, mode=mode: ref.padded(a, p, mode, v), opset=19,
                               mode=mode, name=f"{t} from {low}", gives=t,
                               sizes=[(2, 2), (3, 6), (2, 33)] +
                               ([(0, 3), (1, 0), (1, 1)] if fill and not low else [])))
        out.append(Row("Pad", [x("n 5 m"), x("2", "int64", 3, 5), np.array(.5, f32), i64(-2)],
                       lambda a, p, v, _, mode=mode: ref.padded(
                           a, [0, p[0], 0, 0, p[1], 0], mode, v), opset=19, mode=mode, name="axes"))
    out += [Row("STFT", [x("2 n+9"), np.array(4), x("8")],
                lambda a, _, w: ref.spectra(a, 4, w), opset=17),
            Row("Clip", [x("n m"), np.array(math.nan, f32), np.array(1, f32)],
                lambda a, *_: np.minimum(a, 1), opset=13),
            Row("Clip", [x("n m"), np.array(-1, f32), np.array(math.nan, f32)],
                lambda a, *_: np.maximum(a, -1), opset=13),
            Row("Clip", [x("n m")], lambda a: np.maximum(a, -1), opset=6, min=-1., max=math.nan)]
    out += [Row("DeformConv", [x("2 4 n m"), x("2 2 2 2"), x("2 16 n+1 m+1", low=-2, high=2),
                               x("2"), x("2 8 n+1 m+1")],
                lambda *a: ref.deform_conv(*a, group=2, parts=2, pads=1), opset=19,
                pads=[1, 1, 1, 1], group=2, offset_group=2, sizes=[(2, 3), (5, 4), (1, 1)])]
    for mode, padding, corners in (("linear", "zeros", 0), ("linear", "border", 1),
                                   ("linear", "reflection", 0), ("linear", "reflection", 1),
                                   ("nearest", "border", 0), ("nearest", "zeros", 1)):
        out += [Row("GridSample", [x(f"2 2 {dims}"), x(f"2 2 3 {size}", low=-1.9, high=1.9)],
                    lambda *a, mode=mode, padding=padding, corners=corners:
                    ref.grid_sample(*a, mode, padding, bool(corners)), opset=20, mode=mode,
                    padding_mode=padding, align_corners=corners, sizes=SIZES[:4], name=dims)
                for dims, size in (("n m", 2), )]
        out.append(Row("GridSample", [x("1 2 n m 3"), x("1 2 1 2 3", low=-1.9, high=1.9)],
                       lambda *a, mode=mode, padding=padding, corners=corners:
                       ref.grid_sample(*a, mode, padding, bool(corners)), opset=20, mode=mode,
                       padding_mode=padding, align_corners=corners, sizes=SIZES[:4]))
    for corners in range(2):
        out += [Row("AffineGrid", [x("n 2 3"), i64(1, 1, 3, 4)],
                    lambda *a, c=corners: ref.affine_grid(*a, c), opset=20, align_corners=corners),
                Row("AffineGrid", [x("n 3 4"), x("5", "int64", 2, 5)],
                    lambda *a, c=corners: ref.affine_grid(*a, c), opset=20, align_corners=corners)]
    out += [Row("Col2Im", [x("n 8 9"), i64(4, 4), i64(2, 2)],
                lambda a, i, b: ref.col2im(a, i, b, [0] * 4, [1, 1], [1, 1]), opset=18,
                sizes=empty),
            Row("Col2Im", [x("n 18 2"), i64(5, 6), i64(2, 3)],
                lambda a, i, b: ref.col2im(a, i, b, [1, 0, 1, 1], [2, 3], [3, 2]), opset=18,
                pads=[1, 0, 1, 1], strides=[2, 3], dilations=[3, 2], sizes=[(2, 3), (1, 1)])]
    out += [Row("MaxUnpool", [x("2 3 n m", t), x("2 3 n m", "int64", 0, 24)], ref.unpool, opset=22,
                kernel_shape=[2, 2], strides=[2, 2], sizes=empty, name=t)  # later elements win
            for t in ("float16", "float32", "float64")]
    for t in ("float32", "uint8", "int16", "float64", "bool"):  # all is known at run time only
        for low, high in ((1, 4), (-3, 0)):
            out += [Row("Slice", [x("n 5 m", t, 0, 2), *[x("2", "int64", -12, 12)] * 2,
                                  i64(*axes), x("2", "int64", low, high)], ref.sliced, opset=13,
                        sizes=SIZES + [(0, 3)], name=f"{t} {axes} {low}", gives=t)
                    for axes in ((0, 2), (1, -1))]
    for image, block, pads, strides, dilations in (
            ((37,), (4,), [0, 0], [1], [1]), ((37,), (5,), [3, 2], [3], [2]),
            ((1, 1), (1, 1), [0] * 4, [1, 1], [1, 1]), ((3, 19), (2, 3), [1, 2, 0, 1], [1, 1], [1, 2]),
            ((9, 10), (3, 3), [1, 1, 1, 1], [2, 2], [1, 1]), ((8, 34), (4, 2), [0] * 4, [4, 2], [1, 1]),
            ((5, 4, 11), (2, 3, 2), [1, 0, 0, 0, 1, 2], [2, 1, 3], [1, 1, 2]),
            ((2, 3, 2, 5), (1, 2, 2, 3), [0, 0, 1, 0, 1, 0, 0, 1], [1] * 4, [1] * 4)):
        k = len(image)
        windows = int(np.prod([(image[i] + pads[i] + pads[i + k] - dilations[i] * (block[i] - 1) - 1)
                               // strides[i] + 1 for i in range(k)]))
        of = dict(opset=18, pads=pads, strides=strides, dilations=dilations)
        ref_ = lambda a, i, b, p=pads, s=strides, d=dilations: ref.col2im(  # noqa: E731
            a, i, b, p, s, d)
        out += [Row("Col2Im", [x(f"n {3 * int(np.prod(block))} {windows}"), i64(*image), i64(*block)],
                    ref_, sizes=[(2, 1), (0, 1), (1, 1)], **of),
                Row("Col2Im", [x("1 n m"), i64(*image), i64(*block)], ref_,
                    sizes=[(2 * int(np.prod(block)), windows)], name="symbolic", **of)]
    for want in ((4, 3), (5, 6), (1, 1)):
        out.append(Row("CenterCropPad", [x("n 2 m"), i64(*want)],
                       lambda a, w: ref.crop_pad(a, w, (0, 2)), opset=18, axes=[0, -1],
                       sizes=empty, name=str(want)))
    rois = np.array([[0, 0, 3, 3], [1, .5, 4, 2], [-3, -2, 9, 9]], f32)
    out += [Row("RoiAlign", [x("2 2 n m"), rois, i64(0, 1, 1)],
                lambda a, r, b: ref.roi_max(a, r, b, 2, 3, .5, 2), opset=16, mode="max",
                output_height=2, output_width=3, spatial_scale=.5, sampling_ratio=2),
            Row("MaxRoiPool", [x("2 2 n m"), np.concatenate([[[0], [1], [1]], rois], 1).astype(f32)],
                lambda a, r: ref.roi_pool(a, r, 2, 3, .75), opset=1, pooled_shape=[2, 3],
                spatial_scale=.75)]
    for t in ("float32", "float64"):
        out += [Row("Det", [x("3 n n", t)], np.linalg.det, opset=11, sizes=SIZES + [(0, 1)],
                    loose=1e-3),
                Row("Det", [x("5 5", t)], np.linalg.det, opset=11)]
    for place, rounding in (("asymmetric", "floor"), ("half_pixel", "round_prefer_floor"),
                            ("half_pixel", "round_prefer_ceil"),
                            ("pytorch_half_pixel", "round_prefer_floor")):
        for scales in ((1, 1, 2, 3), (1, 4, 1, 2), (1, 1, 1, 5)):
            out.append(Row("Resize", [x("2 3 n m"), None, np.array(scales, f32)],
                           lambda a, s, k=scales: np.tile(
                               a[:, :, None, :, None, :, None],
                               (1, 1, k[1], 1, k[2], 1, k[3])).reshape(
                                   [d * f for d, f in zip(a.shape, k)]),
                           opset=13, mode="nearest", coordinate_transformation_mode=place,
                           nearest_mode=rounding))
    # the nearest element where the exact coordinate is an integer, or between two
    for place, rounding, at in (
            ("align_corners", "floor", lambda i, n, m: i * (n - 1) // max(m - 1, 1)),
            ("asymmetric", "round_prefer_ceil", lambda i, n, m: (2 * i * n + m) // (2 * m)),
            ("half_pixel", "round_prefer_floor", lambda i, n, m: -((2 * m - (2 * i + 1) * n) // (2 * m))),
            ("half_pixel", "round_prefer_ceil", lambda i, n, m: (2 * i + 1) * n // (2 * m))):
        for m in (2, 4, 7, 28):
            out.append(Row("Resize", [x("1 n"), None, None, i64(1, m)],
                           lambda a, s, m=m, at=at: a[:, np.clip(
                               [at(i, a.shape[1], m) for i in range(m)], 0, a.shape[1] - 1)],
                           opset=13, mode="nearest", coordinate_transformation_mode=place,
                           nearest_mode=rounding, sizes=[(1, 1), (7, 1), (14, 1), (24, 1), (28, 1)]))
    for ends in ((.1, .8), (-.2, 1.1)):
        out.append(Row("Resize", [x("n 2"), np.array([ends[0], 0, ends[1], 1], f32), None,
                                  x("2", "int64", low=1, high=2)],
                       lambda a, r, s, e=ends: ref.crop_to_one(a, *e), opset=13, mode="linear",
                       sizes=[(1, 1), (2, 1), (16, 1), (33, 1)],
                       coordinate_transformation_mode="tf_crop_and_resize",
                       extrapolation_value=9., name="to one row, known at run time only"))
    for op, least in (("ReduceMax", -np.inf), ("ReduceMin", np.inf)):
        for t in ("float16", "float32", "float64"):
            out.append(Row(op, [x("n 3", t), i64(0)],
                           lambda a, k, op=op, least=least: (np.max if op == "ReduceMax" else np.min)(
                               a, 0, initial=least), opset=20, keepdims=0, sizes=empty))
    for kernel in ("linear", "cubic"):
        for outside in range(2):
            out.append(Row("Resize", [x("1 2 n m"), None, None, i64(1, 2, 3, 4)],
                           lambda a, s, k=kernel, e=outside: ref.antialias(
                               ref.antialias(a, 3, 2, k, e), 4, 3, k, e),
                           opset=18, antialias=1, mode=kernel, exclude_outside=outside))
        for scale in (.375, 1., 2.5):  # known at run time only
            def scaled(a, s, k=kernel, f=scale):
                for axis in range(1, 4):
                    a = ref.antialias(a, int(np.floor(a.shape[axis] * f)), axis, k, scale=f)
                return a
            out.append(Row("Resize", [x("2 4 n m"), None, x("3", low=scale, high=scale)], scaled,
                           opset=18, antialias=1, mode=kernel, axes=[1, 2, 3], name=f"by {scale}",
                           sizes=[(3, 4), (11, 8), (29, 17)]))
        for policy, choose in (("not_larger", min), ("not_smaller", max)):
            def kept(a, s, k=kernel, choose=choose):
                f = choose(3 / a.shape[2], 7 / a.shape[3])
                for axis in (2, 3):
                    a = ref.antialias(a, int(np.floor(a.shape[axis] * f + .5)), axis, k, scale=f)
                return a
            out.append(Row("Resize", [x("1 2 n m"), None, None, i64(3, 7)], kept, opset=18,
                           antialias=1, mode=kernel, axes=[2, 3], keep_aspect_ratio_policy=policy,
                           sizes=[(4, 7), (11, 8), (29, 17)]))
    for policy, choose in (("not_larger", min), ("not_smaller", max)):
        out.append(Row("Resize", [x("1 1 n m"), None, None, i64(6, 8)],
                       lambda a, s, choose=choose: np.zeros((1, 1) + tuple(
                           int(np.floor(choose(6 / a.shape[2], 8 / a.shape[3]) * d + .5))
                           for d in a.shape[2:])) + a.flat[0], opset=18, axes=[2, 3],
                       keep_aspect_ratio_policy=policy, sizes=[(1, 1)], name="one element"))
        out.append(Row("Resize", [x("1 1 n m", low=1, high=1), None, None, i64(6, 8)],
                       lambda a, s, choose=choose: np.ones((1, 1) + tuple(
                           int(np.floor(choose(6 / a.shape[2], 8 / a.shape[3]) * d + .5))
                           for d in a.shape[2:])), opset=18, axes=[2, 3], mode="linear",
                       keep_aspect_ratio_policy=policy))

    rng = np.random.default_rng(1)
    fours = Narrow(rng.integers(-8, 8, (5, 3)), True)
    out += [Row("QuantizeLinear", [x("n m"), x("n (m+2)//3", low=.1, high=1),
                                   x("n (m+2)//3", "int8", -9, 9)],
                lambda a, s, z: ref.quantize(a, ref.blocked(s, 3, 1, a.shape[1]),
                                             ref.blocked(z, 3, 1, a.shape[1]), -128, 127),
                opset=21, axis=1, block_size=3, name="blocks", gives="int8"),
            Row("DequantizeLinear", [x("5 n", "int8", -99, 99), x("3 n"), x("3 n", "int8", -9, 9)],
                lambda a, s, z: (a - ref.blocked(z, 2, 0, 5)) * ref.blocked(s, 2, 0, 5), opset=21,
                axis=0, block_size=2, sizes=empty, name="blocks"),
            Row("DequantizeLinear", [fours, x("3", low=.1, high=1)], lambda a, s: a * s, opset=21,
                axis=1),
            Row("QuantizeLinear", [x("n m"), np.array(.25, f32), Narrow(np.array(3), True)],
                lambda a, s, z: ref.quantize(a, .25, 3, -8, 7), opset=21, name="int4",
                gives="int8"),
            Row("QuantizeLinear", [x("n m"), np.array(.25, f32)],
                lambda a, s: ref.quantize(a, .25, 0, 0, 15), opset=21, output_dtype=21),
            Row("QuantizeLinear", [x("n m", high=9), np.array(.001, f32)],
                lambda a, s: ref.quantize(a, f32(.001).astype(float), 0, -2 ** 15, 2 ** 15 - 1),
                opset=21, output_dtype=5),
            Row("Cast", [x("n m", "int32", -99, 99)], lambda a: (a + 8) % 16 - 8, opset=21, to=22)]
    out += stored_types() + wide_halves()
    dense = np.where(rng.uniform(size=(4, 3)) < .4, rng.uniform(size=(4, 3)), 0).astype(f32)
    out += [Row("Add", [x("n 4 3"), Sparse(dense, c)], lambda a, b: a + b, opset=14,
                name=f"sparse {c}") for c in (True, False)]
    out += [Row("Constant", [], lambda c=c: dense, opset=13, sparse_value=Sparse(dense, c),
                name=str(c)) for c in (True, False)]

    out += [Row("DFT", [x("2 n 2")], lambda a: np.fft.irfft(a[..., 0] + 1j * a[..., 1], axis=1)[
                ..., None], opset=20, inverse=1, onesided=1, sizes=SIZES[:1] + SIZES[2:]),
            *[Row("DFT", [x("2 n m 2", t)], lambda a, k=kind: ref.dft(a, 1, k), opset=17, axis=1,
                  sizes=LENGTHS, inverse=int(kind != "fft"))
              for kind in ("fft", "ifft") for t in ("float32", "float64")],
            *[Row("DFT", [x("n 5 m 1", t)], lambda a: ref.dft(a, 2, "rfft"), opset=17, axis=2,
                  sizes=[(b, a) for a, b in LENGTHS], onesided=1) for t in ("float32", "float64")],
            Row("DFT", [x("0 n 2")], lambda a: a, opset=17, axis=1),
            Row("DFT", [x("2 n 2 2"), i64(7).reshape(()), x("", "int64", 1, 3)],
                lambda a, n, axis: np.stack([f(np.fft.fft(a[..., 0] + 1j * a[..., 1], 7, axis))
                                             for f in (np.real, np.imag)], -1), opset=20),
            Row("MelWeightMatrix", [i64(8)[0], i64(64)[0], i64(8192)[0], np.array(0, f32),
                                    np.array(4096, f32)], ref.mel, opset=17),
            Row("MelWeightMatrix", [x("", "int64", 3, 9), x("", "int64", 30, 99), i64(8000)[0],
                                    np.array(100, f32), np.array(3000, f32)], ref.mel, opset=17),
            Row("BitCast", [x("n m", "int32", -9, 9)], lambda a: a.astype(np.uint32), opset=26,
                to=12, sizes=empty),
            Row("ReduceMax", [x("n m", "bool"), i64(1)], lambda a, _: a.any(1), opset=20,
                keepdims=0, sizes=empty),
            Row("ReduceMin", [x("n m", "bool"), i64(1)], lambda a, _: a.all(1), opset=20,
                keepdims=0, sizes=empty),
            Row("SpaceToDepth", [x("2 3 2*n 2*m")], lambda a: a.reshape(
                2, 3, a.shape[2] // 2, 2, -1, 2).transpose(0, 1, 3, 5, 2, 4).reshape(
                    2, 12, a.shape[2] // 2, -1), opset=28, blocksize=2, mode="CRD")]
    for exclusive, reverse in ((0, 0), (1, 0), (0, 1), (1, 1)):
        def product(a, _, e=exclusive, r=reverse):
            a = a[:, ::-1] if r else a
            a = np.concatenate([np.ones_like(a[:, :1]), a], 1)[:, :a.shape[1]] if e else a
            return np.cumprod(a, 1)[:, ::-1 if r else 1]
        out.append(Row("CumProd", [x("n m"), i64(1).reshape(())], product, opset=26,
                       exclusive=exclusive, reverse=reverse))
    for size, stride, pad in ((3, 2, 1), (2, 3, 1), (3, 3, 1), (2, 2, 0), (4, 3, 2)):
        window = dict(opset=22, ceil_mode=1, kernel_shape=[size], strides=[stride],
                      pads=[pad, pad], sizes=[(4, 1), (5, 1), (7, 2), (8, 1), (9, 1), (17, 1)])
        out.append(Row("MaxPool", [x("2 2 n")],
                       lambda a, w=(size, stride, pad): ref.pool(a, *w, True, False), **window))
        for include in range(2):
            out.append(Row("AveragePool", [x("2 2 n")],
                           lambda a, w=(size, stride, pad), i=include: ref.pool(a, *w, False, i),
                           count_include_pad=include, **window))
        out.append(Row("LpPool", [x("2 2 n")], lambda a, w=(size, stride, pad):
                       np.sqrt(ref.pool(a * a, *w, False, None)), p=2, **window))
    for size, stride, upper in ((2, 2, 0), (3, 2, 1), (2, 1, 0), (4, 3, 0), (4, 3, 1)):
        out.append(Row("MaxPool", [x("2 3 n")], lambda a, w=(size, stride, upper):
                       ref.same_max_pool(a, *w), outputs=2, gives=["float32", "int64"], opset=12,
                       sizes=[(1, 1), (5, 1), (8, 1)],
                       kernel_shape=[size], strides=[stride],
                       auto_pad="SAME_UPPER" if upper else "SAME_LOWER"))
    return out + without_attributes() + unusual()


def wide_halves():
    """Operators made of several, whose squares and sums float16 does not have."""
    x, h, small, large = Input, np.float16, ("float16", 1e-4, 9e-4), ("float16", 20000, 60000)
    params = [np.array(v, h) for v in ([1, 2, .5], [0, 1, -1], [3e4, 4e4, 5e4], [1e4, 2e4, 6e4])]
    four = [np.reshape(v.astype(float), (3, 1, 1)) for v in params]
    out = []
    for low, high in (small[1:], (300, 900)):
        out += [Row("ReduceL2", [x("n 5 m", "float16", low, high)],
                    lambda a: np.sqrt((a * a).sum(1, keepdims=True)), opset=13, axes=[1]),
                Row("LpNormalization", [x("n 7", "float16", low, high)],
                    lambda a: a / np.sqrt((a * a).sum(1, keepdims=True)), opset=22, axis=1),
                Row("GlobalLpPool", [x("1 2 n m", "float16", low, high)],
                    lambda a: np.sqrt((a * a).sum((2, 3), keepdims=True)), opset=22)]
    out += [Row("InstanceNormalization", [x("n 3 5 4", *large), *params[:2]],
                lambda a, g, b: normalized(a, (2, 3), 1e-5, four[0], four[1]), opset=22),
            Row("GroupNormalization", [x("n 3 5 4", *large), *params[:2]],
                lambda a, g, b: normalized(a, (2, 3), 1e-5, four[0], four[1]), opset=21,
                num_groups=3),
            Row("BatchNormalization", [x("n 3 5 4", *large), *params],
                lambda a, *p: (a - four[2]) / np.sqrt(four[3] + 1e-5) * four[0] + four[1],
                opset=15),
            Row("CumSum", [x("2 5000", "float16", .9, 1.1), i64(1)[0]], lambda a, k: a.cumsum(1)),
            Row("Mean", [x("n m", "float16", 3e4, 6e4)] * 3, lambda *a: sum(a) / 3),
            Row("Shrink", [np.array([.3, -.3, .31, -.31], h)],
                lambda a: np.where(a < -.3, a + .1, np.where(a > .3, a - .1, 0)), opset=9,
                lambd=.3, bias=.1),
            Row("MeanVarianceNormalization", [np.full((2, 3, 2, 2), 7, h)], np.zeros_like, opset=13),
            Row("ReduceLogSumExp", [x("n 5", "float16", 100, 200)],
                lambda a: np.log(np.exp(a - a.max(1, keepdims=True)).sum(1, keepdims=True)) +
                a.max(1, keepdims=True), opset=13, axes=[1])]
    return out


def stored_types():
    """float8 as bits, int4 as bytes: casts of every code, rounding with and without saturation,
    quantization with scales per tensor, axis and block, copies, initializers in both fields."""
    x, f32 = Input, np.float32
    codes = np.arange(256).reshape(16, 16)
    fours = np.arange(15).reshape(5, 3) - 8
    out = []
    for name, f in ref.FLOAT8.items():
        kind = TYPES[name]
        scale = np.array([.5, 2, .25], f32)
        out += [Row("Cast", [Float8(codes, name, listed)], lambda c, f=f: ref.float8_values(f)[c],
                    opset=19, to=to, name=f"{name} {listed}")
                for listed in (False, True) for to in (1, 10, 11)]
        out += [Row("Cast", [x("n m", t, -high, high)],
                    lambda a, f=f, s=s: ref.to_float8(a, f, s), opset=19, to=kind, saturate=s,
                    name=t, sizes=SIZES + [(0, 3), (40, 50)])
                for s in (0, 1) for t, high in (("float32", 600), ("float64", 2), ("int32", 500))]
        out += [Row("CastLike", [x("n m", high=9), Float8([0], name)],
                    lambda a, _, f=f: ref.to_float8(a, f, 1), opset=19, gives="uint8", name=name),
                Row("Transpose", [Float8(codes[:3], name)], lambda c: c.T, opset=21,
                    gives="uint8", name=name),
                Row("Gather", [Float8(codes, name), x("n", "int64", 0, 16)],
                    lambda c, i: c[i], opset=13, gives="uint8", name=name),
                Row("QuantizeLinear", [x("n 3", high=900), scale, Float8([0] * 3, name)],
                    lambda a, s, _, f=f: ref.to_float8(a.astype(f32) / scale, f, 1), opset=21, axis=1,
                    gives="uint8", name=name),
                Row("QuantizeLinear", [x("n 3", high=900), scale],
                    lambda a, s, f=f: ref.to_float8(a.astype(f32) / scale, f, 0), opset=23, axis=1,
                    gives="uint8", name=name, output_dtype=kind, saturate=0),
                Row("DequantizeLinear", [Float8(codes[:, :3], name), scale, Float8([0] * 3, name)],
                    lambda c, s, _, f=f: ref.float8_values(f)[c] * s, opset=19, axis=1,
                    gives="float32", name=name)]
    for listed in (False, True):
        out += [Row("Cast", [Narrow(fours, True, listed)], lambda v: v, opset=21, to=1,
                    name=f"int4 {listed}"),
                Row("Cast", [Narrow(fours + 8, False, listed)], lambda v: v, opset=21, to=6,
                    name=f"uint4 {listed}")]
    out += [Row("Transpose", [Narrow(fours, True)], lambda v: v.T, opset=21, gives="int8"),
            Row("Reshape", [Narrow(fours, True), i64(3, 5)], lambda v, _: v.reshape(3, 5), opset=21,
                gives="int8"),
            Row("Identity", [Narrow(np.array(-7), True)], lambda v: v, opset=21,
                gives="int8"),
            Row("Squeeze", [Narrow(np.zeros((0, 1)), False)], lambda v: v.reshape(0), opset=21,
                gives="uint8"),
            Row("CastLike", [x("n m", "int32", 0, 16), Narrow([0], False)], lambda a, _: a, opset=21,
                gives="uint8"),
            Row("DequantizeLinear", [Narrow(fours, True), x("2 3", low=.1, high=1),
                                     Narrow(fours[:2] // 2, True)],
                lambda v, s, z: (v - ref.blocked(z, 3, 0, 5)) * ref.blocked(s, 3, 0, 5),
                opset=21, axis=0, block_size=3, name="int4 blocks", gives="float32")]
    return out


def normalized(a, axes, epsilon, scale=1, bias=0):
    centred = a - a.mean(axes, keepdims=True)
    return centred / np.sqrt((centred ** 2).mean(axes, keepdims=True) + epsilon) * scale + bias


def unusual():
    """Valid, and rarely exported: steps known at run time in front of dimensions of one element,
    paddings that cut everything, windows that fit nowhere, broadcast scales, types beyond float32."""
    x, f32 = Input, np.float32
    out = [Row("Slice", [x("2 5 1", t, -9, 9), *[x("2", "int64", -7, 7)] * 2, i64(0, 1), x("2", "int64", *by)],
               ref.sliced, opset=13, name=f"{t} {by}", gives=t)
           for t in ("float32", "uint8") for by in ((2, 4), (-3, -1))]
    def shrunk(a, lambd=.5, bias=0):
        return np.where(a < -lambd, a + bias, np.where(a > lambd, a - bias, 0))
    out += [Row("Shrink", [x("n m", t, 0 if t == "uint8" else -9, 9)], lambda a, k=k: np.trunc(shrunk(a, **k)),
                opset=9, gives=t, name=t, **k)
            for t in ("uint8", "int32") for k in ({"lambd": 1.}, {"lambd": 2., "bias": -2.}, {"lambd": 2., "bias": .3})]
    out += [Row("Shrink", [x("n m")], lambda a: shrunk(a, -1, .5), opset=9, lambd=-1., bias=.5)]
    out += [Row("Einsum", [x(d) for d in dims], lambda *a, e=e: np.einsum(e, *a), opset=12, equation=e)
            for e, dims in (("b,->b", ("n", "")), ("b,->", ("n", "")), (",,->", ("", "", "")),
                            ("a...,->a...", ("n m", "")), (",b->b", ("", "m")))]
    def split(a):
        each = -(-len(a) // 4)
        return [a[i * each:(i + 1) * each] for i in range(4)]
    out += [Row("Split", [x("n m")], split, outputs=4, opset=18, num_outputs=4, gives=["float32"] * 4)]
    out += [Row("LayerNormalization", [x("2 n m"), x(scale), x(bias)],
                lambda a, s, b: normalized(a, -1, 1e-5, s, b), opset=17, name=f"{scale}, {bias}")
            for scale, bias in (("1", "1"), ("m", "1"), ("1", "m"))]
    out += [Row("LayerNormalization", [x("2 n 5", "float64"), x("5", "float64")],
                lambda a, s: [normalized(a, -1, 1e-5, s), a.mean(-1, keepdims=True),
                              1 / np.sqrt(a.var(-1, keepdims=True) + 1e-5)],
                outputs=3, opset=17, gives=["float64", "float32", "float32"])]
    def padded(a, pads):
        low, high = pads[1], pads[3]
        kept = a[:, max(-low, 0):max(a.shape[1] + min(high, 0), 0)]
        size = a.shape[1] + low + high
        return np.pad(kept, ((0, 0), (min(max(low, 0), size), min(max(high, 0), size))))[:, :size]
    out += [Row("Pad", [x("n 2"), i64(0, *pads[:1], 0, *pads[1:])], padded, opset=13, name=str(pads))
            for pads in ((-3, 4), (4, -3), (-1, 2), (2, -1), (-1, -1), (5, -7))]
    out += [Row("Pad", [x("n 2 m"), x("2", "int64", 0, 3), None, x("1", "int64", -3, 3)],
                lambda a, p, k: np.pad(a, [p if d == k[0] % 3 else (0, 0) for d in range(3)]), opset=18)]
    out += [Row("MaxPool", [x(f"1 2 n {d}")], lambda a: [a, np.arange(a.size).reshape(a.shape)], outputs=2,
                opset=12, kernel_shape=[1, 1], gives=["float32", "int64"], sizes=SIZES + [(0, 1)], name=d)
            for d in ("m", "3")]
    image, at = np.arange(2 ** 40, 2 ** 40 + 20).reshape(1, 1, 4, 5), x("1 2 3 2", low=-.9, high=.9)
    out += [Row("GridSample", [image + t, at], lambda a, g: np.rint(ref.grid_sample(a, g, "nearest")), opset=20,
                mode="nearest", gives="int64", name=str(t)) for t in (0, 1)]
    out += [Row("GridSample", [x("1 1 4 5", "float64", 1e8, 2e8), x("1 2 3 2", "float64", -.9, .9)],
                lambda a, g: ref.grid_sample(a, g), opset=20, mode="linear", gives="float64")]
    out += [Row("Resize", [x("1 1 3 4", "float64", 1e300, 2e300), None, np.array([1, 1, 1, 2], f32)],
                lambda a, s: np.stack([np.interp(np.clip((np.arange(8) + .5) / 2 - .5, 0, 3), range(4), r)
                                       for r in a[0, 0]])[None, None], opset=13, mode="linear", gives="float64"),
            Row("Resize", [np.arange(1, 7, dtype=np.uint8), np.array([0, 1.4], f32), None, i64(8)],
                lambda a, *_: np.array([1, 2, 3, 4, 5, 6, 0, 0]), opset=13, mode="nearest", gives="uint8",
                coordinate_transformation_mode="tf_crop_and_resize", extrapolation_value=-10.),
            Row("DeformConv", [x("1 2 3 3"), x("2 2 n n"), x("1 8 2 2"), x("2"), x("1 4 2 2")],
                lambda *a: ref.deform_conv(*a, group=1, parts=1, pads=0), opset=19, kernel_shape=[2, 2],
                sizes=[(2, 2)])]
    return out


def without_attributes():
    """Nodes without optional attributes, on values where their defaults matter."""
    x = Input
    tiny = dict(low=-.01, high=.01)
    column = (slice(None), None)
    out = [Row("Celu", [x("n m")], lambda a: np.where(a > 0, a, np.expm1(np.minimum(a, 0))), opset=12),
           Row("Shrink", [x("n m")], lambda a: np.where(np.abs(a) > .5, a, 0), opset=9),
           Row("Swish", [x("n m")], lambda a: a / (1 + np.exp(-a)), opset=24),
           Row("Gelu", [x("n m")],
               lambda a: a / 2 * (1 + np.vectorize(math.erf)(a / math.sqrt(2))), opset=20),
           Row("Clip", [x("n m")], lambda a: a, opset=6),
           Row("Transpose", [x("n m 2")], lambda a: a.T, opset=13),
           Row("TopK", [x("n m"), i64(1)],
               lambda a, k: [a.max(1, keepdims=True), a.argmax(1)[:, None]], outputs=2, opset=11,
               gives=["float32", "int64"]),
           Row("ReverseSequence", [x("4 m 2"), x("m", "int64", 1, 5)],
               lambda a, s: np.stack([np.concatenate([a[:k, i][::-1], a[k:, i]])
                                      for i, k in enumerate(s)], 1), opset=10),
           Row("DepthToSpace", [x("2 8 n m")],
               lambda a: a.reshape(2, 2, 2, 2, *a.shape[2:]).transpose(0, 3, 4, 1, 5, 2).reshape(
                   2, 2, 2 * a.shape[2], -1), opset=13, blocksize=2),
           Row("CumProd", [x("n m"), i64(1).reshape(())], lambda a, _: np.cumprod(a, 1), opset=26),
           Row("CenterCropPad", [x("n 2 m"), i64(4, 3, 5)],
               lambda a, w: ref.crop_pad(a, w, (0, 1, 2)), opset=18),
           Row("AffineGrid", [x("n 2 3"), i64(1, 1, 3, 4)], lambda *a: ref.affine_grid(*a, 0),
               opset=20),
           Row("RotaryEmbedding", [x("2 3 n 6"), x("9 3"), x("9 3"), x("2 n", "int64", 0, 9)],
               lambda *a: ref.rotary(*a[:3], 0, 0, 0, a[3]), opset=23),
           Row("MaxRoiPool", [x("2 2 n m"), np.array([[1, 0, 0, 3, 3]], np.float32)],
               lambda a, r: ref.roi_pool(a, r, 2, 3, 1), opset=1, pooled_shape=[2, 3]),
           Row("RandomUniform", [], lambda: np.random.RandomState(7).uniform(0, 1, (5, 33)),
               shape=[5, 33], seed=7.),
           Row("RandomNormal", [], lambda: np.random.RandomState(9).normal(0, 1, (701,)),
               shape=[701], seed=9.),
           Row("GlobalLpPool", [x("n m 3")],
               lambda a: np.sqrt((a ** 2).sum(2, keepdims=True)), opset=2),
           Row("LpPool", [x("n m 3")], lambda a: np.sqrt(a[..., 1:] ** 2 + a[..., :-1] ** 2),
               opset=11, kernel_shape=[2]),
           Row("LpNormalization", [x("n m")],
               lambda a: a / np.sqrt((a ** 2).sum(1, keepdims=True)), opset=1),
           Row("MeanVarianceNormalization", [x("2 3 n m")],
               lambda a: normalized(a, (0, 2, 3), 0), opset=13),
           Row("LRN", [x("2 5 n m", low=-200, high=200)], lambda a: a / (1 + 1e-4 / 3 * sum(
               np.pad(a ** 2, ((0, 0), (1, 1), (0, 0), (0, 0)))[:, i:i + 5] for i in range(3))) ** .75,
               opset=13, size=3),
           Row("BatchNormalization", [x("2 3 n"), x("3"), x("3"), x("3"), x("3", low=0, high=1e-4)],
               lambda a, s, b, mean, var: (a - mean[column]) / np.sqrt(var[column] + 1e-5) *
               s[column] + b[column], opset=15),
           Row("InstanceNormalization", [x("2 3 n m", **tiny), x("3"), x("3")],
               lambda a, s, b: normalized(a, (2, 3), 1e-5, s[:, None, None], b[:, None, None]),
               opset=6),
           Row("LayerNormalization", [x("2 n m", **tiny), x("m"), x("m")],
               lambda a, s, b: normalized(a, -1, 1e-5, s, b), opset=17),
           Row("GroupNormalization", [x("2 4 n m", **tiny), x("4"), x("4")],
               lambda a, s, b: normalized(a.reshape(2, 2, 2, *a.shape[2:]), (2, 3, 4), 1e-5).reshape(
                   a.shape) * s[:, None, None] + b[:, None, None], opset=21, num_groups=2),
           Row("RMSNormalization", [x("2 n m", **tiny), x("m")],
               lambda a, s: a / np.sqrt((a ** 2).mean(-1, keepdims=True) + 1e-5) * s, opset=23)]
    # Before opset 13, all axes from 1 on are flattened into one row.
    for opset, rows_of in ((11, lambda a: a.reshape(len(a), -1)), (13, lambda a: a)):
        def share(a, rows_of=rows_of):
            e = np.exp(rows_of(a))
            return (e / e.sum(-1, keepdims=True)).reshape(a.shape)
        out += [Row("Softmax", [x("2 n m")], share, opset=opset, name=str(opset)),
                Row("LogSoftmax", [x("2 n m")], lambda a, f=share: np.log(f(a)), opset=opset,
                    name=str(opset))]
    return out


# --- running ----------------------------------------------------------------------------------

def plain(v):
    if isinstance(v, Narrow):
        return v.values
    return v.dense if isinstance(v, Sparse) else v.codes if isinstance(v, Float8) else v


def compiled(args, folder, row, n, m):
    source, exe = os.path.join(folder, "m.onnx"), os.path.join(folder, "m.rlx")
    with open(source, "wb") as f:
        f.write(model(row, n, m))
    done = subprocess.run([args.rlxc, source, "-o", exe], capture_output=True, text=True,
                          timeout=600)
    return f"rlxc exit {done.returncode}: {done.stderr.strip()[:300]}" if done.returncode else None


def run_one(args, folder, row, n, m):
    rng = np.random.default_rng(n * 1000 + m)
    values = [v.make(rng, n, m) if isinstance(v, Input) else v for v in row.inputs]
    command = [args.rlx, "run", os.path.join(folder, "m.rlx"), "-o",
               os.path.join(folder, "out.npy")]
    for i, v in enumerate(values):
        if isinstance(row.inputs[i], Input):
            np.save(os.path.join(folder, f"x{i}.npy"), v)
            command += ["--input", f"x{i}={os.path.join(folder, f'x{i}.npy')}"]
    done = subprocess.run(command, capture_output=True, text=True, timeout=600)
    if done.returncode != 0:
        return f"rlx exit {done.returncode}: {done.stderr.strip()[:300]}"
    exact = [plain(v) for v in values if v is not None]
    wide = [v.astype(np.float64) if v.dtype.kind == "f" else
            v.astype(np.int64) if v.dtype.kind in "iu" else v for v in exact]
    with np.errstate(all="ignore"):
        try:
            want = row.reference(*wide)
        except (ValueError, IndexError) as e:
            return f"the reference fails: {e}"
    want = want if isinstance(want, list) else [want]
    dtype = next((v.dtype.name for v in exact if v.dtype.kind == "f"), "float32")
    for i in range(row.outputs):
        got = np.load(os.path.join(folder, f"out.{i}.npy" if row.outputs > 1 else "out.npy"))
        w = np.asarray(want[i])
        gives = element_type(row.gives, i, [v.dtype.name for v in exact], w)
        if got.dtype.kind in "iu":
            w = w.astype(np.int64).astype(got.dtype)
        why = compare(got, w, dtype, gives, row.loose)
        if why:
            return f"result {i}: {why}"
    return None


def check(args, row):
    bad, texts = [], [v.text for v in row.inputs if isinstance(v, Input)]
    sizes = row.sizes if re.search("[nm]", " ".join(texts)) else [(1, 1)]
    # A dimension computed from n and m is not a symbol: such a row runs with constants only.
    composed = any(d not in ("n", "m") and re.search("[nm]", d) for t in texts for d in t.split())
    with tempfile.TemporaryDirectory() as folder:
        why = None if composed else compiled(args, folder, row, None, None)
        for n, m in () if composed or why else sizes:
            found = run_one(args, folder, row, n, m)
            bad += [f"({n}, {m}): {found}"] if found else []
        bad += [why] if why else []
        for n, m in sizes if composed else sizes[-1:] if len(sizes) > 1 else ():
            why = compiled(args, folder, row, n, m) or run_one(args, folder, row, n, m)
            bad += [f"constant ({n}, {m}): {why}"] if why else []
    return row, bad


def random_normal_without_seed(args):
    """Nodes without a seed: values differ between nodes and between calls, with the right
    spread."""
    node = b"".join(data(1, data(2, f"y{i}") + data(4, "RandomNormal") +
                         data(5, attribute("shape", [10000]))) for i in range(2))
    graph = node + data(2, "g") + b"".join(data(12, data(1, f"y{i}")) for i in range(2))
    seen = []
    with tempfile.TemporaryDirectory() as folder:
        path = [os.path.join(folder, f) for f in ("m.onnx", "m.rlx", "y.npy")]
        with open(path[0], "wb") as f:
            f.write(number(1, 8) + data(8, number(2, 17)) + data(7, graph))
        subprocess.run([args.rlxc, path[0], "-o", path[1]], check=True)
        for _ in range(2):
            subprocess.run([args.rlx, "run", path[1], "-o", path[2]], check=True)
            seen += [np.load(os.path.join(folder, f"y.{i}.npy")) for i in range(2)]
    same = any(np.array_equal(a, b) for i, a in enumerate(seen) for b in seen[:i])
    off = max(max(abs(s.mean()), abs(s.std() - 1)) for s in seen)
    return "equal numbers without a seed" if same else f"off by {off}" if off > .06 else None


if __name__ == "__main__":
    sys.exit(check_all(rows, check, [random_normal_without_seed]))
