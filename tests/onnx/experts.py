#!/usr/bin/env python3
"""com.microsoft's mixtures of experts, and products with 4-bit weights looked up in a table,
against NumPy; `make test-ops`."""
import math
import os
import sys

import numpy as np

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from microsoft import packed, sigmoid, softmax  # noqa: E402
from ops import Input as x, Row, check, check_all  # noqa: E402

F32, U8 = np.float32, np.uint8
SIZES = [(2, 3), (1, 1), (0, 3), (7, 5)]
EXPERTS = 4


# --- MatMulBnb4 -------------------------------------------------------------------------------

def float4():
    """A sign, two exponent bits, one fraction bit; scaled by 12, as in bitsandbytes' table."""
    return np.array([s * v / 12 for s in (1, -1) for v in (0, .0625, 8, 12, 4, 6, 2, 3)])


def normal4():
    half = [.07958029955625534, .16093020141124725, .24611230194568634, .33791524171829224,
            .44070982933044434, .5626170039176941, .7229568362236023, 1]
    rest = [.09105003625154495, .18477343022823334, .28444138169288635, .39491748809814453,
            .5250730514526367, .6961928009986877, 1]
    return np.array([-v for v in rest[::-1]] + [0] + half)


def mapped(rng):
    out = []
    for kind, table in enumerate((float4(), normal4())):
        for k, n, size in ((32, 5, 16), (33, 3, 16), (7, 1, 32), (40, 17, 64)):
            codes = rng.integers(0, 16, n * k)
            pairs = np.append(codes, 0)[:(n * k + 1) // 2 * 2].reshape(-1, 2)
            most = rng.uniform(.1, 1, -(-n * k // size)).astype(F32)
            w = (table[codes] * most.astype(float).repeat(size)[:n * k]).reshape(n, k)
            for turned in (1, 0):
                out.append(Row("MatMulBnb4", [x(f"n m {k if turned else n}"),
                                              (pairs[:, 0] << 4 | pairs[:, 1]).astype(U8), most],
                               lambda a, _c, _m, w=w.T if turned else w: a @ w, K=k, N=n,
                               block_size=size, quant_type=kind, domain="com.microsoft", opset=17,
                               sizes=SIZES, more={} if turned else {"transB": 0}))
    return out


# --- mixtures ---------------------------------------------------------------------------------

ACTIVATIONS = {"relu": lambda v: np.maximum(v, 0), "silu": lambda v: v * sigmoid(v),
               "gelu": lambda v: v / 2 * (1 + np.tanh(math.sqrt(2 / math.pi) * (v + .044715 * v**3))),
               "identity": lambda v: v}


def mixed(tokens, router, layers, how, shares=None):
    """|layers|: (weights, bias) of FC1, FC2 and FC3 or None; |shares|: mixing weights, None:
    the router's."""
    flat, kind = tokens.reshape(-1, tokens.shape[-1]), how.get("activation_type", "relu")
    fusion, limit = how.get("swiglu_fusion", 0), how.get("swiglu_limit", math.inf)
    p, out = softmax(router), np.zeros_like(flat)
    for t, token in enumerate(flat):
        best = np.argsort(-p[t], kind="stable")[:how["k"]]
        share = (p if shares is None else shares)[t][best]
        if how.get("normalize_routing_weights"):
            share = share / share.sum()
        for e, by in zip(best, share):
            h, gate = (w[e] @ token + b[e] for w, b in (layers[0], layers[2] or layers[0]))
            if kind == "swiglu":
                g, v = (h, gate) if fusion == 0 else (h[::2], h[1::2]) if fusion == 1 else np.split(h, 2)
                g, v = np.minimum(g, limit), np.clip(v, -limit, limit)
                h = g * sigmoid(how["activation_alpha"] * g) * (v + how["activation_beta"])
            else:
                h = ACTIVATIONS[kind](h) * (gate if layers[2] else 1)
            out[t] += by * (layers[1][0][e] @ h + layers[1][1][e])
    return out.reshape(tokens.shape)


def settings():
    """Yields the node's attributes, and whether there is a third layer."""
    for k, normal in ((1, 0), (2, 1), (4, 0)):
        for kind in ACTIVATIONS:
            yield dict(k=k, normalize_routing_weights=normal, activation_type=kind), False
    yield dict(k=2, activation_type="silu"), True
    for fusion in (1, 2, 0):
        yield dict(k=2, normalize_routing_weights=1, activation_type="swiglu", swiglu_fusion=fusion,
                   activation_alpha=1.75, activation_beta=.5, swiglu_limit=1.5), fusion == 0


def mixtures():
    out = []
    for how, third in settings():
        for bias in (True, False):
            outputs = 10 if how.get("swiglu_fusion") else 5
            shapes = [(outputs, 6), (6, 5)] + [(5, 6)] * third
            given, tokens = [], "n*m" if bias else "n"
            for a, b in shapes:
                given += [x(f"{EXPERTS} {a} {b}", low=-1, high=1), x(f"{EXPERTS} {a}") if bias else None]

            def meaning(v, r, *rest, how=how, bias=bias, third=third, shapes=shapes):
                rest = list(rest)
                layers = [(rest.pop(0), rest.pop(0) if bias else np.zeros((EXPERTS, a)))
                          for a, _ in shapes]
                return mixed(v, r, layers + [None] * (not third), how)
            out.append(Row("MoE", [x("n m 6" if bias else "n 6"), x(f"{tokens} {EXPERTS}"), *given], meaning,
                           domain="com.microsoft", opset=17, sizes=SIZES, name=f"bias {bias}", **how))
    return out


def whole(rng, rows, columns, bits, block, with_zeros):
    """Weights in QMoE's form: dequantized, packed integers, scales and zero points."""
    n = columns // block if block else 1
    values = rng.integers(0, 1 << bits, (EXPERTS, rows, columns))
    scales = rng.uniform(.01, .1, (EXPERTS, rows, n)).astype(F32)
    zeros = rng.integers(0, 1 << bits, (EXPERTS, rows, n)) if with_zeros else \
        np.full((EXPERTS, rows, n), 1 << bits - 1)

    def bytes_of(v):
        return packed(v.reshape(-1, v.shape[-1]), bits).reshape(*v.shape[:-1], -1)
    wide = (values - zeros.repeat(columns // n, 2)) * scales.astype(float).repeat(columns // n, 2)
    if not block:
        scales, zeros = scales[..., 0].copy(), zeros[..., 0]
    return wide, bytes_of(values), scales, bytes_of(zeros) if with_zeros else None


def of_integers(rng):
    out = []
    for bits in (2, 4, 8):
        for block in (0, 16):
            for with_zeros, kind, by in ((False, "relu", 0), (True, "silu", 1), (True, "swiglu", 0),
                                         (False, "silu", 2)):
                how = dict(k=2, activation_type=kind, normalize_routing_weights=by % 2)
                if kind == "swiglu":
                    how.update(swiglu_fusion=1, activation_alpha=1., activation_beta=0.)
                w1, q1, s1, z1 = whole(rng, 32 if kind == "swiglu" else 16, 32, bits, block, with_zeros)
                w2, q2, s2, z2 = whole(rng, 32, 16, bits, block, with_zeros)
                # without separate mixing weights the shares always sum to 1
                meant = {**how, "normalize_routing_weights": by != 2}

                def meaning(v, r, *rest, w1=w1, w2=w2, how=meant, by=by):
                    return mixed(v, r, [(w1, np.zeros(w1.shape[:2])), (w2, np.zeros(w2.shape[:2])),
                                        None], how, rest[-1] if by else None)
                inputs = [x("n 32"), x(f"n {EXPERTS}"), q1, s1, None, q2, s2, None, None, None, None,
                          z1, z2]
                if by:
                    inputs += [None, x(f"n {EXPERTS}", low=.1, high=1)]
                out.append(Row("QMoE", inputs, meaning, domain="com.microsoft", opset=17,
                               expert_weight_bits=bits, sizes=SIZES, name=f"zeros {with_zeros} {by}",
                               more={"block_size": block} if block else {}, gives="float32", **how))
    return out


def rows():
    rng = np.random.default_rng(6)
    return mapped(rng) + mixtures() + of_integers(rng)


if __name__ == "__main__":
    sys.exit(check_all(rows, check))
