#!/usr/bin/env python3
"""Convolutions and poolings over one, two and three dimensions, with constant weights, against NumPy
in double: alone and in chains, with strides, dilations, groups, uneven padding, odd channel counts,
sizes around tiles and 0, static and symbolic sizes. `make test-ops`.
"""
import itertools
import os
import sys

import numpy as np

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from sequences import F32, Program, const, graph, node, run, tensor_type  # noqa: E402


def windows(x, size, strides, dilations, pads, fill):
    """Yields (position in the window, the input elements there for every result)."""
    n = len(size)
    x = np.pad(x, [(0, 0)] * 2 + [(pads[i], pads[n + i]) for i in range(n)], constant_values=fill)
    counts = [(x.shape[2 + i] - dilations[i] * (size[i] - 1) - 1) // strides[i] + 1 for i in range(n)]
    for at in itertools.product(*map(range, size)):
        yield at, x[(slice(None), slice(None)) + tuple(
            slice(at[i] * dilations[i], at[i] * dilations[i] + max(counts[i], 0) * strides[i], strides[i])
            for i in range(n))]


def conv(x, w, b, strides, dilations, pads, groups):
    step, out = w.shape[1], None
    for at, part in windows(x, w.shape[2:], strides, dilations, pads, 0):
        tap = w[(slice(None), slice(None)) + at].reshape(groups, -1, step)
        some = np.einsum("goi,ngi...->ngo...", tap, part.reshape((len(x), groups, step) + part.shape[2:]))
        some = some.reshape((len(x), w.shape[0]) + part.shape[2:])
        out = some if out is None else out + some
    return out + b.reshape((-1,) + (1,) * (x.ndim - 2))


def transposed(x, w, strides, dilations=(1, 1, 1), pads=(0,) * 6, extra=(0, 0, 0), groups=1):
    n, step, each = x.ndim - 2, len(w) // groups, w.shape[1]
    whole = [(x.shape[2 + i] - 1) * strides[i] + dilations[i] * (w.shape[2 + i] - 1) + 1 + extra[i]
             for i in range(n)]
    out = np.zeros((len(x), groups * each, *whole))
    for at in itertools.product(*map(range, w.shape[2:])):
        to = tuple(slice(at[i] * dilations[i], at[i] * dilations[i] + (x.shape[2 + i] - 1) * strides[i] + 1,
                         strides[i]) for i in range(n))
        for g in range(groups):
            part = np.einsum("io,ni...->no...", w[(slice(g * step, (g + 1) * step), slice(None)) + at],
                             x[:, g * step:(g + 1) * step])
            out[(slice(None), slice(g * each, (g + 1) * each)) + to] += part
    return out[(slice(None), slice(None)) + tuple(slice(pads[i], whole[i] - pads[n + i]) for i in range(n))]


def program(rank, dims, channels, width, size, stride, dilation, groups, pads, known=False, pool="MaxPool"):
    """y = pool(relu(conv(x))), z = relu(conv(y) + y), and a transposed convolution of z."""
    rng = np.random.default_rng(channels * 13 + width)
    make = lambda *d: (rng.standard_normal(d) / max(1, np.prod(d[1:]))**.5).astype(np.float32)  # noqa: E731
    w, b = make(width, channels // groups, *[size] * rank), make(width)
    v, c, t = make(width, width, *[1] * rank), make(width), make(width, 3, *[2] * rank)
    symbols = ["d", "h", "w"][:rank]
    x = tensor_type(F32, ["n", channels] + (dims[0] if known else symbols))
    free = tensor_type(F32, ["a", "b"] + [f"{s}2" for s in symbols])
    attrs = {"strides": [stride] * rank, "dilations": [dilation] * rank, "group": groups, "pads": pads}
    nodes = [const("w", w), const("b", b), const("v", v), const("c", c), const("t", t),
             node("Conv", "x w b", "p", kernel_shape=[size] * rank, **attrs), node("Relu", "p", "q"),
             node(pool, "q", "y", kernel_shape=[2] * rank, strides=[1] * rank),
             node("Conv", "y v c", "r"), node("Add", "r y", "s"), node("Relu", "s", "z"),
             node("ConvTranspose", "z t", "back", strides=[2] * rank)]

    def reference(x):
        q = np.maximum(conv(x.astype(np.float64), w, b, [stride] * rank, [dilation] * rank, pads, groups), 0)
        taps = np.stack([part for _, part in windows(q, [2] * rank, [1] * rank, [1] * rank, [0] * 2 * rank, 0)])
        y = taps.max(0) if pool == "MaxPool" else taps.mean(0)
        z = np.maximum(conv(y, v, c, [1] * rank, [1] * rank, [0] * 2 * rank, 1) + y, 0)
        return [a.astype(np.float32) for a in (y, z, transposed(z, t, [2] * rank))]

    inputs = [(make(n, channels, *d),) for d in dims for n in (1, 3)] + [(make(0, channels, *dims[0]),)]
    name = f"{rank}d {channels} to {width} size {size} stride {stride} dilation {dilation} groups {groups} {pads}"
    return Program(name + (" known" if known else " symbolic"), graph(
        nodes, [("x", x)], [("y", free), ("z", free), ("back", free)]), inputs, reference)


def upsampling(dims, weight, strides, dilations=None, pads=None, extra=None, groups=1, kind="symbolic"):
    """A transposed convolution with bias. kind: known sizes, symbolic sizes, or the weight as an input."""
    rank, rng = len(dims), np.random.default_rng(sum(weight) + sum(strides))
    dilations, pads, extra = dilations or [1] * rank, pads or [0] * 2 * rank, extra or [0] * rank
    make = lambda *d: rng.standard_normal(d).astype(np.float32)  # noqa: E731
    w, b, given = make(*weight), make(weight[1] * groups), kind == "given"
    x = tensor_type(F32, ["n", weight[0]] + (dims if kind == "known" else ["d", "h", "w"][:rank]))
    back = node("ConvTranspose", "x w b", "y", kernel_shape=weight[2:], strides=strides, dilations=dilations,
                pads=pads, output_padding=extra, group=groups)

    def reference(x, v=w):
        y = transposed(x.astype(np.float64), v.astype(np.float64), strides, dilations, pads, extra, groups)
        return [(y + b.reshape((-1,) + (1,) * rank)).astype(np.float32)]

    inputs = [(make(n, weight[0], *dims),) + ((w,) if given else ()) for n in (1, 3)]
    name = f"transposed {weight} stride {strides} dilation {dilations} {pads} {extra} groups {groups} {kind}"
    return Program(name, graph(
        [const("b", b), back] if given else [const("w", w), const("b", b), back],
        [("x", x)] + ([("w", tensor_type(F32, weight))] if given else []),
        [("y", tensor_type(F32, ["a", "c", "d2", "h2", "w2"][:rank + 2]))]), inputs, reference)


def upsamplings():
    return [upsampling([13], [17, 5, 4], [2], pads=[1, 1]), upsampling([9], [3, 16, 16], [8], pads=[4, 4]),
            upsampling([9], [16, 9, 3], [2], pads=[1, 1], extra=[1]), upsampling([7], [4, 4, 2], [3]),
            upsampling([1], [2, 3, 5], [1], [3], [2, 5], kind="known"),
            upsampling([11], [6, 2, 3], [2], [3], [1, 2], groups=3), upsampling([5], [5, 1, 4], [2], groups=5),
            upsampling([6, 7], [20, 9, 3, 3], [2, 2], pads=[1] * 4, extra=[1, 1]),
            upsampling([6, 7], [16, 3, 4, 4], [2, 2], pads=[1, 2, 0, 1], kind="known"),
            upsampling([5, 4], [33, 8, 2, 2], [2, 2]), upsampling([5, 4], [6, 5, 3, 2], [3, 1], [1, 2], groups=2),
            upsampling([9, 3], [18, 1, 4, 4], [2, 2], pads=[1] * 4, groups=18),
            upsampling([4, 9], [8, 1, 3, 3], [2, 2], extra=[1, 0], groups=8, kind="known"),
            upsampling([6, 5], [16, 7, 5, 4], [3, 3], [1, 1], [3, 4, 5, 2]),
            upsampling([6, 6], [16, 16, 3, 3], [1, 1], pads=[1] * 4), upsampling([4, 5], [5, 7, 3, 3], [2, 3], kind="given"),
            upsampling([4, 3], [4, 2, 4, 3], [2, 2], [2, 1], [1, 0, 1, 2], groups=2, kind="given"),
            upsampling([3, 4, 5], [16, 5, 2, 2, 2], [2, 2, 2]),
            upsampling([2, 3, 4], [17, 6, 3, 4, 3], [2, 2, 1], pads=[1, 1, 0, 1, 1, 2], extra=[1, 0, 0]),
            upsampling([2, 3, 4], [9, 1, 3, 3, 3], [2, 2, 2], pads=[1] * 6, extra=[1] * 3, groups=9, kind="known"),
            # by columns: few outputs, both dilation and stride, an image smaller than the filter
            upsampling([13], [17, 2, 5], [3], pads=[1, 2], extra=[1]), upsampling([9, 7], [16, 1, 4, 4], [2, 2], pads=[1] * 4),
            upsampling([9, 7], [9, 3, 3, 2], [2, 3], pads=[1, 0, 2, 1], extra=[1, 1], kind="given"),
            upsampling([8, 9], [8, 3, 7, 7], [1, 1], pads=[3] * 4, kind="known"),
            upsampling([6, 7], [12, 9, 3, 3], [2, 2], [2, 2]), upsampling([6, 7], [12, 9, 3, 2], [2, 3], [3, 2], [1, 2, 3, 1]),
            upsampling([5, 1], [12, 9, 4, 3], [6, 4], [4, 6], extra=[5, 2]), upsampling([7], [8, 8, 5], [4], [2], [3, 1], kind="known"),
            upsampling([3, 2, 4], [8, 8, 3, 3, 2], [2, 2, 3], [2, 3, 2], kind="known"),
            upsampling([1, 1], [16, 11, 4, 4], [1, 1], kind="known"), upsampling([1, 2], [16, 11, 4, 5], [2, 2], kind="known"),
            upsampling([2, 3, 2], [10, 1, 4, 4, 4], [2, 2, 2], pads=[1] * 6)]


def pooling(dims, size, strides, dilations, pads, kind, known):
    """Pooling alone, over adjacent columns."""
    rank = len(dims)
    x = tensor_type(F32, ["n", 3] + (dims if known else ["d", "h", "w"][:rank]))
    dilations = dilations if kind == "MaxPool" else [1] * rank
    attrs = {"dilations": dilations} if kind == "MaxPool" else {"count_include_pad": 1}
    nodes = [node(kind, "x", "y", kernel_shape=size, strides=strides, pads=pads, **attrs)]

    def reference(x):
        fill = -np.inf if kind == "MaxPool" else 0
        taps = np.stack([part for _, part in windows(x.astype(np.float64), size, strides, dilations, pads, fill)])
        return [(taps.max(0) if kind == "MaxPool" else taps.mean(0)).astype(np.float32)]

    make = np.random.default_rng(sum(size)).standard_normal
    return Program(f"{kind} {size} stride {strides} dilation {dilations} {pads}" + (" known" if known else " symbolic"),
                   graph(nodes, [("x", x)], [("y", tensor_type(F32, ["n", 3] + ["d2", "h2", "w2"][:rank]))]),
                   [(make((n, 3, *dims)).astype(np.float32),) for n in (1, 2)], reference)


def poolings():
    shapes = (([19], [3], [2], [1], [1, 1]), ([40], [17], [1], [1], [8, 8]), ([9, 21], [3, 3], [1, 1], [1, 1], [1] * 4),
              ([15, 17], [5, 3], [2, 3], [1, 2], [2, 1, 0, 2]), ([13, 13], [13, 13], [1, 1], [1, 1], [6] * 4),
              ([8, 31], [1, 4], [1, 2], [1, 1], [0, 1, 0, 2]), ([5, 6, 9], [3, 2, 3], [2, 1, 1], [1, 1, 1], [1] * 6))
    return [pooling(*shape, kind, known) for i, shape in enumerate(shapes)
            for kind, known in (("MaxPool", i % 2 == 0), ("AveragePool", i % 2 == 1), ("MaxPool", i % 2 == 1))]


def programs():
    one, three = [[7], [8], [31], [64]], [[4, 5, 3], [6, 4, 17]]
    return [program(1, one, 1, 17, 3, 1, 1, 1, [1, 1]), program(1, one, 3, 16, 3, 2, 1, 1, [1, 2]),
            program(1, [[40]], 33, 7, 5, 1, 2, 1, [0, 3], known=True),
            program(1, [[4]], 129, 128, 3, 1, 1, 1, [1, 1], known=True),
            program(1, one, 16, 64, 4, 3, 1, 1, [3, 0], pool="AveragePool"),
            program(1, one, 24, 24, 3, 1, 1, 24, [1, 1]), program(1, one, 12, 18, 3, 2, 1, 3, [2, 1]),
            program(1, [[640]], 1, 258, 256, 128, 1, 1, [0, 0]),
            program(2, [[9, 14]], 5, 20, 3, 2, 1, 1, [1, 0, 0, 1]), program(1, one, 70, 1, 3, 1, 1, 1, [1, 1]),
            program(2, [[7, 33], [16, 5]], 20, 3, 3, 1, 1, 1, [1] * 4), program(2, [[9, 14]], 6, 2, 3, 2, 1, 1, [0] * 4),
            program(3, three, 1, 17, 3, 1, 1, 1, [1] * 6), program(3, three, 5, 16, 3, 2, 1, 1, [1, 1, 1, 2, 2, 2]),
            program(3, [[5, 6, 7]], 16, 33, 2, 1, 2, 1, [0, 1, 2, 2, 1, 0], known=True),
            program(3, three, 8, 8, 3, 1, 1, 8, [1] * 6, pool="AveragePool"),
            program(3, three, 6, 12, 1, 1, 1, 2, [0] * 6),
            # weights of 4.6 MB, more than twice the second-level cache
            program(2, [[9, 14], [3, 4]], 320, 400, 3, 2, 1, 1, [1] * 4), program(3, [[3, 4, 3]], 160, 266, 3, 1, 1, 1, [1] * 6)] + upsamplings() + poolings()


if __name__ == "__main__":
    sys.exit(run(programs()))
