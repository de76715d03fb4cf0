#!/usr/bin/env python3
"""RNN, GRU and LSTM with constant weights, against NumPy in double: batch, length and hidden sizes of
0, 1 and odd, all directions, per-sequence lengths, both positions of the reset gate, peepholes.
Weights reach the loop bodies as constants. `make test-ops`.
"""
import itertools
import os
import sys

import numpy as np

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from sequences import F32, I64, Program, const, graph, node, run, tensor_type  # noqa: E402

GATES = {"RNN": 1, "GRU": 3, "LSTM": 4}


def sigmoid(x):
    return 1 / (1 + np.exp(-x))


def turn(op, x, h, c, R, rb, P, before, clip):
    """One step; |x| is the input's part of the gates, including all biases but that of GRU's last
    gate."""
    n, a = h.shape[1], h @ R.T
    if op == "RNN":
        return np.tanh(x + a), c
    if op == "GRU":
        z, r = sigmoid(x[:, :n] + a[:, :n]), sigmoid(x[:, n:2 * n] + a[:, n:2 * n])
        part = r * (a[:, 2 * n:] + rb) if before else (r * h) @ R[2 * n:].T + rb
        return (1 - z) * np.tanh(x[:, 2 * n:] + part) + z * h, c
    limit = lambda a: np.clip(a, -clip, clip) if clip else a  # noqa: E731 (of gates, not of c)
    i, o, f, g = np.split(x + a, 4, axis=1)
    i, f = sigmoid(limit(i + P[:n] * c)), sigmoid(limit(f + P[2 * n:] * c))
    c = f * c + i * np.tanh(limit(g))
    return sigmoid(limit(o + P[n:2 * n] * c)) * np.tanh(c), c


def reference(op, way, W, R, B, P, before, x, h0, c0, lengths, clip):
    x, h0, c0 = (np.asarray(v, np.float64) for v in (x, h0, c0))
    n, turns = R.shape[2], x.shape[0]
    ys, hs, cs = [], [], []
    for d in range(len(W)):
        h, c = h0[d], c0[d]
        back = way == "reverse" or d == 1
        w, r, b, p = (v[d].astype(np.float64) for v in (W, R, B, P))
        wb, rb = np.split(b, 2)
        inner = wb + (np.concatenate([rb[:2 * n], 0 * rb[2 * n:]]) if op == "GRU" else rb)
        y = np.zeros((turns,) + h.shape)
        for t in range(turns)[::-1 if back else 1]:
            live = (t < lengths)[:, None]
            h2, c2 = turn(op, x[t] @ w.T + inner, h, c, r, rb[2 * n:], p, before, clip)
            h, c = np.where(live, h2, h), np.where(live, c2, c)
            y[t] = np.where(live, h2, 0)
        ys, hs, cs = ys + [y], hs + [h], cs + [c]
    out = [np.stack(ys, axis=1), np.stack(hs)] + ([np.stack(cs)] if op == "LSTM" else [])
    return [v.astype(np.float32) for v in out]


def program(op, way, hidden, width, lengths=False, before=0, peephole=False, clip=0):
    rng = np.random.default_rng(hidden * 97 + width)
    d, g = 2 if way == "bidirectional" else 1, GATES[op]
    make = lambda *dims: rng.uniform(-1, 1, dims).astype(np.float32)  # noqa: E731
    W, B = make(d, g * hidden, width), make(d, 2 * g * hidden)
    R = make(d, g * hidden, hidden) / np.float32(hidden)**.5  # keeps the recurrence stable: errors do not grow
    P = make(d, 3 * hidden) * (1 if peephole else 0)
    state = tensor_type(F32, [d, "b", hidden])
    ins = [("x", tensor_type(F32, ["n", "b", width])), ("h", state)]
    outs = [("y", tensor_type(F32, ["n", d, "b", hidden])), ("yh", state)]
    names = ["x", "W", "R", "B", "len" if lengths else "_", "h"]
    if op == "LSTM":
        ins, outs = ins + [("c", state)], outs + [("yc", state)]
        names += ["c"] + (["P"] if peephole else [])
    if lengths:
        ins.append(("len", tensor_type(I64, ["b"])))
    consts = [const("W", W), const("R", R), const("B", B), const("P", P)]
    short = node("Cast", "len", "len32", to=6) if lengths else b""
    attrs = {"linear_before_reset": before} if op == "GRU" else {"clip": clip} if clip else {}
    nodes = consts[:4 if peephole else 3] + [short, node(
        op, " ".join("len32" if k == "len" else k for k in names), " ".join(k for k, _ in outs),
        hidden_size=hidden, direction=way, **attrs)]
    inputs = []
    for b, n in itertools.product((0, 1, 3, 17), (0, 1, 14, 40)):
        values = [make(n, b, width)] + [make(d, b, hidden) for _, kind in ins if kind is state]
        inputs.append(tuple(values + [rng.integers(0, n + 1, b)] * lengths))

    def expected(x, h, *rest):
        c = rest[0] if op == "LSTM" else h
        return reference(op, way, W, R, B, P, before, x, h, c,
                         rest[-1] if lengths else np.full(x.shape[1], x.shape[0]), clip)

    name = (f"{op} {way} {hidden} of {width}" + " lengths" * lengths + " before" * before +
            " peephole" * peephole + " clip" * (clip > 0))
    return Program(name, graph(nodes, ins, outs), inputs, expected)


def programs():
    ways = ("forward", "reverse", "bidirectional")
    out = [program("LSTM", way, hidden, 5, peephole=p, lengths=p)
           for way, hidden, p in zip(ways * 2, (1, 7, 16, 33, 64, 3), (False, True) * 3)]
    out += [program("GRU", way, hidden, 5, before=before, lengths=hidden % 2 == 0)
            for way, hidden, before in zip(ways * 2, (7, 16, 33, 1, 64, 20), (0, 1) * 3)]
    out += [program("GRU", "forward", 33, 1, before=1), program("LSTM", "forward", 16, 2),
            program("LSTM", "bidirectional", 33, 2, lengths=True),
            program("LSTM", "reverse", 7, 2, peephole=True, clip=0.5)]
    # beyond the size of R.nn.recurrent's weights: a loop of products
    out += [program("LSTM", "forward", 129, 2), program("LSTM", "reverse", 65, 2, lengths=True),
            program("GRU", "bidirectional", 80, 2), program("GRU", "reverse", 80, 2, before=1),
            program("RNN", "bidirectional", 130, 2, lengths=True)]
    return out + [program("RNN", way, hidden, 3, lengths=hidden == 16)
                  for way, hidden in zip(ways, (1, 16, 33))]


if __name__ == "__main__":
    sys.exit(run(programs()))
