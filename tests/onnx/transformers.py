#!/usr/bin/env python3
"""com.microsoft's attention, embeddings and normalizations, against NumPy; `make test-ops`."""
import functools
import os
import sys

import numpy as np

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from fused import softmax  # noqa: E402
from ops import Input as x, Row as AnyRow, check, check_all  # noqa: E402

Row = functools.partial(AnyRow, domain="com.microsoft", opset=17)
FEW = [(2, 3), (1, 1), (5, 4), (17, 9)] # n: queries, m: keys
MULTI = "query key value bias mask added past_key past_value length indirection".split()
DECODER = "query key value mask added past_key past_value length beams indirection bias".split()
SELF = "query weights bias mask past added length".split()
QUANTIZED = "query weights bias scale weight_scale mask zero weight_zero past".split()


def i32(*v):
    return np.array(v, np.int32)


# --- what attention is ------------------------------------------------------------------------

def by_head(v, heads):
    return v.reshape(*v.shape[:2], heads, -1).swapaxes(1, 2)


def flat(v):
    return v.swapaxes(1, 2).reshape(v.shape[0], v.shape[2], -1)


def hidden(mask, batch, keys, before, queries, filter_value):
    """The number added to the scores for a mask of any form."""
    place = np.arange(keys)
    if mask.ndim == 1:
        ends = mask[:batch, None]
        begins = mask[batch:, None] if len(mask) == 2 * batch else 0 * ends
        mask = ((place < ends) & (place >= begins)).astype(int)
    if mask.ndim == 4:
        mask = mask[:, :, before:before + queries, :keys]
    elif mask.ndim == 3:
        mask = mask[:, None]
    else:
        mask = mask[:, None, None]
    return np.where(mask > 0, 0, filter_value)


def attend(q, k, v, mask=None, added=0, past=None, length=None, unidirectional=0, scale=0,
           mask_filter_value=-10000.):
    """Attention by head; returns the result, keys, values and scores."""
    before, shown = 0, (k, v)
    if past is not None and length is not None:
        before = int(length.item())
        shown = [p.copy() for p in past]
        for p, new in zip(shown, (k, v)):
            p[:, :, before:before + new.shape[2]] = new
        k, v = (p[:, :, :before + k.shape[2]] for p in shown)
    elif past is not None:
        before = past[0].shape[2]
        shown = k, v = [np.concatenate(pair, 2) for pair in zip(past, (k, v))]
    scores = q @ k.swapaxes(2, 3) * (scale or q.shape[3] ** -.5) + added
    if mask is not None:
        scores = scores + hidden(mask, len(q), k.shape[2], before, q.shape[2], mask_filter_value)
    if unidirectional:
        ahead = np.arange(k.shape[2]) - np.arange(q.shape[2])[:, None] > before
        scores = np.where(ahead, np.finfo(np.float32).min, scores)
    return [flat(softmax(scores) @ v), *shown, scores]


def multi(names, how, heads=3):
    def meaning(*values):
        a = dict(zip(names, values))
        q, k, v = a["query"], a.get("key"), a.get("value")
        if q.ndim == 5:
            q, k, v = q.transpose(3, 0, 2, 1, 4)
        elif k.ndim == 5:
            q, (k, v) = by_head(q, heads), k.transpose(3, 0, 2, 1, 4)
        else:
            q, k, v = by_head(q, heads), *(by_head(t, heads) if t.ndim == 3 else t for t in (k, v))
        if "bias" in a:
            width = heads * q.shape[3]
            parts = np.split(a["bias"], [width, 2 * width][:1 if a["key"].ndim == 4 else 2]
                             if "key" in a else [width, 2 * width])
            q, k, v = (t + (parts[i].reshape(1, heads, 1, -1) if i == 0 or a.get("key", q).ndim != 4 or
                            "key" not in a else 0) for i, t in enumerate((q, k, v)))
        past = (a["past_key"], a["past_value"]) if "past_key" in a else None
        more = {key: a[key] for key in ("mask", "added", "length") if key in a}
        return attend(q, k, v, past=past, **more, **how)
    return meaning


def call(op, order, given, outputs=1, reference=None, sizes=FEW, **how):
    names = [n for n in order if n in given]
    last = max(order.index(n) for n in names)
    inputs = [given.get(n) for n in order[:last + 1]]
    # with all keys masked, -10000 in float32 rounds scores to multiples of 2^-10
    loose = 1e-3 if "mask" in given and "mask_filter_value" not in how else 0
    kinds = " ".join(f"{n}:{v.text if isinstance(v, x) else v.shape}" for n, v in given.items())
    return Row(op, inputs, (reference or multi)(names, {k: v for k, v in how.items() if k in (
        "unidirectional", "scale", "mask_filter_value")}), num_heads=3, outputs=outputs,
               sizes=sizes, name=kinds, loose=loose, **how)


def given_keys():
    op, order = "MultiHeadAttention", MULTI
    apart = {"query": x("2 n 12"), "key": x("2 m 12"), "value": x("2 m 12")}
    own = {k: x("2 n 12") for k in apart}
    past = {"past_key": x("2 3 m 4"), "past_value": x("2 3 m 4")}
    bias, mask = {"bias": x("36")}, lambda *dims: x(" ".join(dims), "int32", 0, 2)
    wide = {**own, "query": x("2 n 12", low=-9, high=9)}
    cache = {"past_key": x("2 3 n+5 4"), "past_value": x("2 3 n+5 4")}
    out = [call(op, order, apart), call(op, order, {**apart, **bias}, scale=.9),
           call(op, order, {**apart, "value": x("2 m 15")}),
           call(op, order, {**apart, "value": x("2 m 15"), "bias": x("39")}),
           call(op, order, own, unidirectional=1), call(op, order, own, outputs=3),
           call(op, order, {**own, **bias, **past}, outputs=4),
           call(op, order, {**own, **past, "mask": mask("2", "n+m")}, outputs=4, unidirectional=1,
                mask_filter_value=-3.),
           call(op, order, {**own, **cache, **bias, "length": i32(3)}, outputs=3, unidirectional=1),
           call(op, order, {**own, **cache, "length": i32(2), "mask": mask("2", "n+2")}, outputs=3),
           call(op, order, {"query": x("2 n 12"), "key": x("2 3 m 4"), "value": x("2 3 m 4"), **bias}),
           call(op, order, {"query": x("2 n 12"), "key": x("2 3 m 4"), "value": x("2 3 m 5")}),
           call(op, order, {"query": x("2 n 3 3 4"), **bias}), call(op, order, {"query": x("2 n 3 3 4")}),
           call(op, order, {"query": x("2 n 12"), "key": x("2 m 3 2 4")})]
    for m in (mask("2", "m"), i32(2, 0), x("2", "int32", 0, 9), i32(2, 0, 0, 3, 6, 0, 2, 2),
              mask("2", "n", "m")):
        out.append(call(op, order, {**apart, "query": wide["query"], "mask": m}))
        out.append(call(op, order, {**own, "mask": mask("2", "n") if m is out[-1].inputs[4] and
                                    isinstance(m, x) and m.text == "2 m" else i32(1, 2)},
                        unidirectional=1, mask_filter_value=-7.))
    out += [call(op, order, {**apart, "added": x(dims), "mask": mask("2", "m")}, outputs=1)
            for dims in ("2 3 n m", "1 3 n m", "2 1 n m", "1 1 n m")]
    one = {"query": x("n 1 12"), "key": x("n 1 12"), "value": x("n 1 12")}
    cache = {"past_key": x("n 3 m+4 4"), "past_value": x("n 3 m+4 4"), "length": i32(3)}
    op, order = "DecoderMaskedMultiHeadAttention", DECODER
    out += [call(op, order, {**one, **cache}, outputs=3, past_present_share_buffer=1),
            call(op, order, {**one, **cache, **bias, "mask": mask("n", "4"), "added": x("1 1 1 4")},
                 outputs=3, past_present_share_buffer=1, scale=.4),
            call(op, order, {"query": x("n 1 12"), "key": x("n 3 m 4"), "value": x("n 3 m 4"),
                             "mask": mask("n", "m")})]
    return out


def projecting(names, how, heads=3, sizes=None):
    def meaning(*values):
        a = dict(zip(names, values))
        t, w = a["query"], a["weights"]
        if "scale" in a:
            t = (t - a.get("zero", 0)) * a["scale"]
            w = (w - a.get("weight_zero", 0)) * a["weight_scale"]
        parts = np.split(t @ w + a.get("bias", 0), np.cumsum(sizes or [w.shape[1] // 3] * 3)[:2], 2)
        more = {key: a[key] for key in ("mask", "added", "length") if key in a}
        y = attend(*(by_head(p, heads) for p in parts), past=a.get("past"), **more, **how)
        return [y[0], np.stack(y[1:3]) if sizes is None else None]
    return meaning


def projected():
    op, order = "Attention", SELF
    base = {"query": x("2 n 5"), "weights": x("5 36"), "bias": x("36")}
    past, mask = {"past": x("2 2 3 m 4")}, lambda *dims: x(" ".join(dims), "int32", 0, 2)
    ref = {"reference": projecting}
    out = [call(op, order, base, **ref), call(op, order, {k: base[k] for k in ("query", "weights")}, **ref),
           call(op, order, base, outputs=2, unidirectional=1, **ref),
           call(op, order, {**base, **past}, outputs=2, scale=.3, **ref),
           call(op, order, {**base, **past, "mask": mask("2", "n+m")}, outputs=2, unidirectional=1, **ref),
           call(op, order, {**base, **past, "mask": mask("2", "1", "30", "30")}, outputs=2, **ref),
           call(op, order, {**base, "past": x("2 2 3 n+5 4"), "length": i32(4)}, outputs=2,
                past_present_share_buffer=1, **ref),
           call(op, order, {**base, "weights": x("5 39"), "bias": x("39")}, qkv_hidden_sizes=[12, 12, 15],
                reference=functools.partial(projecting, sizes=[12, 12, 15])),
           call(op, order, {**base, "mask": mask("2", "n"), "added": x("2 3 n n")}, **ref),
           call(op, order, {**base, "added": x("1 1 n n")}, mask_filter_value=-2., **ref)]
    for m in (mask("2", "n"), i32(1, 2), i32(2, 3, 1, 0), i32(2, 0, 0, 3, 6, 0, 2, 2), mask("2", "n", "n")):
        out += [call(op, order, {**base, "mask": m}, unidirectional=u, mask_filter_value=-4., **ref)
                for u in (0, 1)]
    u8, rng = x("2 n 5", "uint8", 0, 256), np.random.default_rng(3)
    for t in (np.int8, np.uint8):
        w = rng.integers(np.iinfo(t).min, np.iinfo(t).max, (5, 36)).astype(t)
        base = {"query": u8, "weights": w, "bias": x("36"), "scale": np.array(1 / 64, np.float32),
                "weight_scale": np.array(1 / 128, np.float32)}
        out += [call("QAttention", QUANTIZED, base, **ref),
                call("QAttention", QUANTIZED, {**base, "mask": i32(2, 1), "zero": np.array(130, np.uint8),
                                               "weight_zero": np.array(9, t)}, **ref),
                call("QAttention", QUANTIZED,
                     {**base, **past, "zero": np.array(99, np.uint8), "mask": mask("2", "n+m"),
                      "weight_scale": (2. ** rng.integers(-9, -6, 36)).astype(np.float32),
                      "weight_zero": rng.integers(0, 9, 36).astype(t)}, outputs=2, unidirectional=1, **ref)]
    return out


# --- rotary embeddings ------------------------------------------------------------------------

def turned(v, place, cos, sin, interleaved):
    """Rotates v, given by head; place: the position of each row and token."""
    half, y = cos.shape[1], v.copy()
    c, s = cos[place][:, None], sin[place][:, None]
    at = (slice(0, 2 * half, 2), slice(1, 2 * half, 2)) if interleaved else (
        slice(0, half), slice(half, 2 * half))
    a, b = v[..., at[0]], v[..., at[1]]
    y[..., at[0]], y[..., at[1]] = a * c - b * s, a * s + b * c
    return y


def rotary():
    out = []
    for place in (x("2 n", "int64", 0, 40), np.array([7])):
        for dims, more in (("2 n 18", {}), ("2 n 24", {"num_heads": 3, "rotary_embedding_dim": 6}),
                           ("2 3 n 6", {}), ("2 3 n 9", {"num_heads": 3, "rotary_embedding_dim": 6})):
            def meaning(v, p, c, s, interleaved, four=dims.count(" ") == 3):
                heads = v if four else by_head(v, 3)
                p = p if p.ndim == 2 else p[0] + np.arange(heads.shape[2])[None] + np.zeros((2, 1), int)
                y = turned(heads, p, c, s, interleaved)
                return y if four else flat(y)
            out += [Row("RotaryEmbedding", [x(dims), place, x("40 3"), x("40 3")],
                        functools.partial(meaning, interleaved=i), interleaved=i, sizes=FEW,
                        name=f"{dims} {np.shape(place)}", **more) for i in (0, 1)]
    return out


def streamed(v, places, cos, sin, section, layout, interleaved):
    """v (batch, heads, length, size); places (3, batch, length)."""
    of = np.repeat([0, 1, 2], section)
    if layout:
        of[:] = 0
        for k in (1, 2):
            of[k:3 * section[k]:3] = k
    angles = [np.stack([t[places[k], i] for i, k in enumerate(of)], -1)[:, None] for t in (cos, sin)]
    half, y = len(of), v.copy()
    a, b = ((slice(0, 2 * half, 2), slice(1, 2 * half, 2)) if interleaved else
            (slice(0, half), slice(half, 2 * half)))
    y[..., a] = v[..., a] * angles[0] - v[..., b] * angles[1]
    y[..., b] = v[..., a] * angles[1] + v[..., b] * angles[0]
    return y


def streams():
    out = []
    for layout, section in ((0, [3, 3, 2]), (0, [8, 0, 0]), (1, [4, 2, 2]), (1, [3, 3, 2])):
        for interleaved in (0, 1):
            how = dict(mrope_section=section, mrope_layout=layout, interleaved=interleaved)
            mean = functools.partial(streamed, section=section, layout=layout, interleaved=interleaved)
            inputs = [x("3 2 n", "int64", 0, 40), x("40 8"), x("40 8")]
            out += [Row("MRotaryEmbedding", [x("2 3 n 18"), *inputs], mean, sizes=FEW,
                        rotary_embedding_dim=16, num_heads=3, **how),
                    Row("MRotaryEmbedding", [x("2 n 48"), *inputs],
                        lambda v, *r, mean=mean: flat(mean(by_head(v, 3), *r)), sizes=FEW, num_heads=3,
                        rotary_embedding_dim=16, **how)]
    return out


# --- normalizations ---------------------------------------------------------------------------

def moments(v, axes, epsilon):
    mean = v.mean(axes, keepdims=True)
    return mean, 1 / np.sqrt(v.var(axes, keepdims=True) + epsilon)


def layer_norm(v, gamma, beta=0, epsilon=1e-12):
    mean, inverse = moments(v, -1, epsilon)
    return [(v - mean) * inverse * gamma + beta, mean, inverse]


def skipped(a, b, gamma, beta=0, bias=0, epsilon=1e-12):
    return layer_norm(a + b + bias, gamma, beta, epsilon) + [a + b + bias]


def skip_rms(a, b, gamma, bias=0, epsilon=1e-12):
    s = a + b + bias
    return [s / np.sqrt((s * s).mean(-1, keepdims=True) + epsilon) * gamma, s]


def embedded(names, epsilon=1e-12):
    def meaning(*values):
        a = dict(zip(names, values))
        ids = a["ids"]
        s = a["words"][ids] + a["positions"][a.get("places", np.arange(ids.shape[1]))]
        if "segments" in a:
            s = s + a["segment_words"][a["segments"]]
        return [layer_norm(s, a["gamma"], a["beta"], epsilon)[0],
                a["mask"].sum(1) if "mask" in a else np.zeros(len(ids), int), s]
    return meaning


def grouped(v, gamma, beta, groups, silu, channels_last, epsilon=1e-5):
    v = np.moveaxis(v, -1, 1) if channels_last else v
    parts = v.reshape(len(v), groups, -1)
    mean, inverse = moments(parts, -1, epsilon)
    y = ((parts - mean) * inverse).reshape(v.shape)
    y = y * gamma[:, None, None] + beta[:, None, None]
    y = y / (1 + np.exp(-y)) if silu else y
    return np.moveaxis(y, 1, -1) if channels_last else y


def norms():
    a, g = x("2 n 7"), x("7")
    out = [Row("SkipLayerNormalization", [a, skip, g, g], skipped, sizes=FEW, name=skip.text)
           for skip in (a, x("1 n 7"), x("n 7"))]
    out += [Row("SkipLayerNormalization", [a, a, g, g, g], skipped, outputs=4, sizes=FEW, epsilon=1e-12),
            Row("SkipLayerNormalization", [a, a, g, None, g], lambda a, b, g, c: skipped(a, b, g, 0, c, 1e-2),
                outputs=1, sizes=FEW, epsilon=1e-2),
            Row("SkipLayerNormalization", [x("n 7"), x("n 7"), g, g], skipped, sizes=FEW),
            Row("SkipSimplifiedLayerNormalization", [a, x("n 7"), g], skip_rms, sizes=FEW),
            Row("SkipSimplifiedLayerNormalization", [x(a.text, low=-.01, high=.01), x("1", low=0, high=0), g],
                lambda *v: skip_rms(*v, epsilon=1e-3), sizes=FEW, epsilon=1e-3)]
    order = "ids segments words positions segment_words gamma beta mask places".split()
    base = {"ids": x("n m", "int32", 0, 9), "words": x("9 6"), "positions": x("20 6"), "gamma": x("6"),
            "beta": x("6")}
    segments = {"segments": x("n m", "int32", 0, 2), "segment_words": x("2 6")}
    mask, places = {"mask": x("n m", "int32", 0, 2)}, {"places": x("n m", "int32", 0, 20)}
    for given in (base, {**base, **segments}, {**base, **segments, **mask}, {**base, **places},
                  {**base, **segments, **mask, "places": x("1 m", "int32", 0, 20)}):
        names = [k for k in order if k in given]
        inputs = [given.get(k) for k in order[:order.index(names[-1]) + 1]]
        out.append(Row("EmbedLayerNormalization", inputs, embedded(names), outputs=3, name=" ".join(names),
                       gives=["float32", "int32", "float32"], sizes=FEW))
    for last in (0, 1):
        dims = "2 n m 6" if last else "2 6 n m"
        for silu in (0, 1):
            how = dict(groups=3, activation=silu, channels_last=last, sizes=FEW[:3])
            norm = functools.partial(grouped, groups=3, silu=silu, channels_last=last)
            out.append(Row("GroupNorm", [x(dims), x("6"), x("6")], norm, **how))
            out += [Row("SkipGroupNorm", [x(dims), x("6"), x("6"), x(skip), x("6")][:4 + bias],
                        lambda v, g, b, s, c=np.zeros(6), norm=norm, last=last: [norm(t := v + (
                            s if s.ndim == 4 else s[:, None, None] if last else s[:, :, None, None]) + (
                                c if last else c[:, None, None]), g, b), t],
                        outputs=2, name=skip, **how)
                    for skip, bias in ((dims, 1), ("2 6", 0), ("2 1 1 6" if last else "2 6 1 1", 1))]
    return out


# --- streams of several branches --------------------------------------------------------------

def logistic(v):
    return 1 / (1 + np.exp(-v))


def rms(v, epsilon=1e-5):
    return v / np.sqrt((v * v).mean(-1, keepdims=True) + epsilon)


def branches():
    """Streams with 4 branches of 6 elements, by branch or flat."""
    out = []
    for dims, how in (("n m 4 6", {}), ("n m 24", {"num_branches": 4})):
        def split(v):
            return v.reshape(*v.shape[:2], 4, -1)

        def as_stream(y, dims=dims):
            return y.reshape(*y.shape[:2], -1) if dims == "n m 24" else y
        for scale in ("24", "4 6", "6", None):
            out.append(Row("BranchwiseRMSNorm", [x(dims), scale and x(scale)],
                           lambda v, *s, split=split, f=as_stream: f(
                               rms(split(v)) * (s[0].reshape(-1, 6) if s else 1)),
                           sizes=FEW, name=f"{dims} {scale}", **how))
        for gate in ("n m 4", "n m 4 1", "n m 4 6") + (("n m 24",) if how else ()):
            out.append(Row("HyperConnectionPreMix", [x(dims), x(gate)],
                           lambda v, g, split=split: .5 * (split(v) * split(g)).sum(2),
                           reduction_scale=.5, sizes=FEW, name=f"{dims} {gate}", **how))
        for gate in ("n m 4", "n m 4 1", "n m 4 6"):
            out += [Row("HyperConnectionPostMix", [x(dims), x("n m 6"), x(gate), mix],
                        lambda v, b, g, *mix, split=split, f=as_stream: f(split(g) * b[:, :, None] + (
                            np.einsum("abck,abch->abkh", mix[0], split(v)) if mix else split(v))),
                        sizes=FEW, name=f"{dims} {gate} {bool(mix)}", **how)
                    for mix in (None, x("n m 4 4"))]
    for kind, gate in (("silu", lambda v: v * logistic(v)), ("swish", lambda v: v * logistic(v)),
                       ("sigmoid", logistic)):
        out.append(Row("GatedRMSNorm", [x("n m 12"), x("4"), x("n m 12")],
                       lambda v, s, g, gate=gate: (rms(v.reshape(*v.shape[:2], 3, 4)) * s).reshape(
                           v.shape) * gate(g), activation=kind, sizes=FEW))
    out.append(Row("LinearAttentionGate", [x("n m 5"), x("5"), x("5"), x("n m 5")],
                   lambda a, t, s, b: [s * np.log1p(np.exp(a + t)), logistic(b)], outputs=2, sizes=FEW))

    def engram(k, q, v, ks, qs, s):
        dot = (rms(k) * ks * rms(q) * qs).sum(-1) / np.sqrt(k.shape[-1])
        y = logistic(np.sign(dot) * np.sqrt(np.maximum(abs(dot), 1e-6)))[..., None] * v[:, :, None]
        return [y, rms(y) * s]
    out.append(Row("EngramGate", [x("n m 4 6"), x("n m 4 6"), x("n m 6"), *[x("4 6")] * 3], engram,
                   outputs=2, sizes=FEW))
    return out


def rows():
    return branches() + streams() + given_keys() + projected() + rotary() + norms()


if __name__ == "__main__":
    sys.exit(check_all(rows, check))
