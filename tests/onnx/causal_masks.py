#!/usr/bin/env python3
"""Attention as exporters spell it, with a causal mask and padding in one bias, behind a cache of keys
and values or without one, against NumPy. The kernel leaves out keys that the causal mask hides; rows
whose keys are all padded must still be the mean of all values, zeros or NaN. `make test-ops`.
"""
import os
import sys

import numpy as np

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from graphs import i64  # noqa: E402
from sequences import (F32, I64, Program, const, floats, graph, node, run,  # noqa: E402
                       tensor_type)

HEADS, SIZE = 2, 8
LEAST = float(np.finfo(np.float32).min)
# (batch, queries, keys in the cache): within a block of the kernel, across several, one query
SIZES = [(2, 7, 0), (1, 1, 5), (3, 33, 4), (2, 64, 0), (2, 17, 90), (1, 130, 1), (4, 2, 3)]


def attention(fill, zeros, reverse, doubled=0):
    """|reverse|: row >= column instead of column <= row, and the conjunction the other way round.
    |doubled|: as often is the condition the conjunction of itself and itself."""
    seen = ("LessOrEqual", "j i") if not reverse else ("GreaterOrEqual", "i j")
    nodes = [
        node("Concat", "kc k", "ks", axis=2), node("Concat", "vc v", "vs", axis=2),
        node("Shape", "q", "qd"), node("Shape", "kc", "cd"), const("two", i64(2)[0]),
        node("Gather", "qd two", "s", axis=0), node("Gather", "cd two", "p", axis=0),
        node("Add", "s p", "t"), const("zero", i64(0)[0]), const("one", i64(1)[0]),
        node("Range", "zero s one", "new"), node("Add", "new p", "at"),
        node("Range", "zero t one", "all"), const("ax", i64(0, 1, 3)), const("bx", i64(0, 1, 2)),
        node("Unsqueeze", "at ax", "i"), node("Unsqueeze", "all bx", "j"),
        node(*seen, "causal"), const("mx", i64(1, 2)), node("Cast", "mask", "own", to=9),
        node("Unsqueeze", "own mx", "padding"),
        node("And", "padding causal" if reverse else "causal padding", "seen0"),
        *(node("And", f"seen{i} seen{i}", f"seen{i + 1}") for i in range(doubled)),
        node("Identity", f"seen{doubled}", "seen"),
        const("open", np.float32(0)), const("fill", np.float32(fill)),
        node("Where", "seen open fill", "bias"), node("Transpose", "ks", "kt", perm=[0, 1, 3, 2]),
        node("MatMul", "q kt", "scores"), node("Add", "scores bias", "masked"),
        node("Softmax", "masked", "p0", axis=-1)]
    if zeros:
        nodes += [node("IsNaN", "p0", "odd"), node("Where", "odd open p0", "p1")]
    nodes.append(node("MatMul", "p1 vs" if zeros else "p0 vs", "y"))
    heads = lambda n: tensor_type(F32, ["b", HEADS, n, SIZE])
    return graph(nodes, [("q", heads("s")), ("k", heads("s")), ("v", heads("s")), ("kc", heads("p")),
                         ("vc", heads("p")), ("mask", tensor_type(I64, ["b", "t"]))],
                 [("y", heads("s"))])


def attend(fill, zeros):
    def meaning(q, k, v, kc, vc, mask):
        k, v = np.concatenate((kc, k), 2), np.concatenate((vc, v), 2)
        scores = np.float32(q.astype(np.float64) @ k.astype(np.float64).swapaxes(2, 3))
        place = np.arange(k.shape[2])
        seen = (place <= place[kc.shape[2]:, None]) & (mask != 0)[:, None, None]
        with np.errstate(all="ignore"):
            scores = (scores + np.where(seen, np.float32(0), np.float32(fill))).astype(np.float64)
            p = np.exp(scores - scores.max(-1, keepdims=True))
            p /= p.sum(-1, keepdims=True)
        return [np.float32((np.nan_to_num(p) if zeros else p) @ v.astype(np.float64))]
    return meaning


def masks(b, t):
    """Nothing padded, on the right, on the left, everything in the first row, and at random."""
    yield np.ones((b, t), np.int64)
    lengths = t - np.arange(1, b + 1)[:, None] * 2
    yield (np.arange(t) < lengths).astype(np.int64)
    yield (np.arange(t) >= t - lengths).astype(np.int64)
    yield np.array([[i > 0] * t for i in range(b)], np.int64)
    yield np.random.default_rng(t).integers(0, 2, (b, t))


def inputs(b, s, p):
    one = [floats(b, HEADS, n, SIZE) for n in (s, s + 1, s + 2, p, p + 1)]
    q, k, v = one[0] / 2, one[1][:, :, :s], one[2][:, :, :s]
    return [(q, k, v, one[3], one[4][:, :, :p], m) for m in masks(b, s + p)]


def programs():
    given = [i for size in SIZES for i in inputs(*size)]
    kinds = ((LEAST, False, False), (LEAST, True, True), (-np.inf, True, False), (-np.inf, False, True),
             (-1e9, False, False))
    out = [Program(f"causal and padded, {fill:g}{', zeros' if zeros else ''}",
                   attention(fill, zeros, reverse), given, attend(fill, zeros))
           for fill, zeros, reverse in kinds]
    return out + [Program("a condition of 2^60 paths", attention(LEAST, False, False, 60),
                          inputs(2, 7, 0), attend(LEAST, False))]


if __name__ == "__main__":
    sys.exit(run(programs()))
