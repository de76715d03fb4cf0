"""Rows of tests/ops/run.py for operators defined by formulas over others, and for those that take
positions, boxes or images. Row and x are run.py's."""
import itertools
import math

import numpy as np


def take_nan(a, i, axis):
    n = a.size if axis is None else a.shape[axis]
    taken = np.take(a, np.clip(i, 0, n - 1), axis)
    inside = (i >= 0) & (i < n)
    after = 0 if axis is None else a.ndim - axis - 1
    return np.where(inside.reshape(inside.shape + (1,) * after), taken, np.nan)


def takes(Row, x):
    modes = {"clip": lambda a, i, axis: np.take(a, i, axis, mode="clip"),
             "wrap": lambda a, i, axis: np.take(a, i, axis, mode="wrap"), "nan": take_nan}
    out = [Row("R.take(x, 1, axis=1)", {"x": x("n 4 m", "float16")}, lambda a: a[:, 1])]
    for flat, (mode, of), dtype in itertools.product((0, 1), modes.items(), ("int64", "int32")):
        axis = "" if flat else ", axis=1"
        out.append(Row(f"R.take(x, i{axis}, mode=\"{mode}\")",
                       {"x": x("5" if flat else "n 5 m"), "i": x("n 4", dtype, -14, 14)},
                       lambda a, i, f=flat, of=of: of(a, i, None if f else 1),
                       name=f"take {mode}, {dtype}, {'flat' if flat else 'axis 1'}"))
    return out


def sequences(starts, n):
    return np.searchsorted(starts, np.arange(n), side="right")


def gelu(a):
    return a * (1 + np.vectorize(math.erf, otypes=[np.float64])(a / 2 ** .5)) / 2


def attention(q, k, v, seen, bias=0):
    scores = np.einsum("bnhd,bmhd->bhnm", q, k) / np.sqrt(q.shape[3]) + bias
    scores = np.where(seen, scores, -np.inf)
    e = np.exp(scores - scores.max(-1, keepdims=True))
    return np.einsum("bhnm,bmhd->bnhd", e / e.sum(-1, keepdims=True), v)


def window(q, k, v, size, causal):
    n, m = q.shape[1], k.shape[1]
    ahead = np.arange(n)[:, None] + m - n - np.arange(m)[None]
    return attention(q, k, v, (ahead < size) & ((ahead >= 0) | (not causal)))


def packed(q, k, v, s, causal=None, size=None):
    n = q.shape[1]
    which = sequences(s, n)
    ahead = np.arange(n)[:, None] - np.arange(n)[None]
    seen = which[:, None] == which[None]
    if causal:
        seen = seen & (ahead >= 0)
    if size:
        seen = seen & (ahead < size)
    return attention(q, k, v, seen)


def median(a, axis):
    order = np.argsort(a, axis, kind="stable")
    last = a.shape[axis] - 1
    mid = np.take(order, [last // 2], axis)
    if a.dtype.kind == "f":
        end = np.take(order, [last], axis)
        mid = np.where(np.isnan(np.take_along_axis(a, end, axis)), end, mid)
    return [np.take_along_axis(a, mid, axis).squeeze(axis), mid.squeeze(axis)]


def median_all(a):
    return np.nan if np.isnan(a).any() else np.sort(a.ravel())[(a.size - 1) // 2]


def instance(a, g, b, axes):
    mean, var = a.mean(axes, keepdims=True), a.var(axes, keepdims=True)
    return (a - mean) / np.sqrt(var + 1e-5) * g[:, None] + b[:, None]


def batch_training(a, g, b, u, v):
    mean, var = a.mean((0, 2)), a.var((0, 2))
    y = (a - mean[:, None]) / np.sqrt(var[:, None] + 1e-5) * g[:, None] + b[:, None]
    return [y, .75 * u + .25 * mean, .75 * v + .25 * var]


def put(a, where, values, add):
    a = a.copy()
    shape = np.broadcast_shapes(*[w.shape for w in where])
    where = [np.broadcast_to(w, shape) for w in where]
    values = np.broadcast_to(values, shape + a.shape[len(where):])
    for i in np.ndindex(*shape):
        at = tuple(w[i] for w in where)
        a[at] = a[at] + values[i] if add else values[i]
    return a


def reverse(a, lengths, seq, batch):
    a = np.moveaxis(a, (batch, seq), (0, 1)).copy()
    for i, n in enumerate(lengths):
        n = max(min(n, a.shape[1]), 0)
        a[i, :n] = a[i, :n][::-1]
    return np.moveaxis(a, (0, 1), (batch, seq))


def sigmoid(a):
    return 1 / (1 + np.exp(-a))


def in_8_bits(a):
    """Rounded as DynamicQuantizeLinear rounds."""
    low, high = min(a.min(initial=0), 0), max(a.max(initial=0), 0)
    if low == high:
        return a * 0
    scale = (high - low) / 255
    zero = np.clip(np.round(-low / scale), 0, 255)
    return (np.clip(np.round(a / scale) + zero, 0, 255) - zero) * scale


def recurrent(cell, back, x, w, h=None, c=None, b=0, l=None, rounded=lambda h: h):
    """One layer in the form of R.nn.recurrent: the same arguments."""
    hidden = len(w)
    y = np.zeros(x.shape[:2] + (hidden,))
    h, c = (np.zeros((x.shape[1], hidden)) if a is None else a for a in (h, c))
    gate = lambda a, k: a[:, k * hidden:(k + 1) * hidden]
    for t in range(len(x))[::-1 if back else 1]:
        product = rounded(h) @ w
        a, state = x[t] + product, c
        if cell == "lstm":
            state = sigmoid(gate(a, 2)) * c + sigmoid(gate(a, 0)) * np.tanh(gate(a, 3))
            new = sigmoid(gate(a, 1)) * np.tanh(state)
        elif cell.startswith("gru"):
            z, r = sigmoid(gate(a, 0)), sigmoid(gate(a, 1))
            part = r * (gate(product, 2) + b) if cell != "gru" else (r * h) @ gate(w, 2) + b
            new = (1 - z) * np.tanh(gate(x[t], 2) + part) + z * h
        else:
            new = np.tanh(a) if cell == "rnn_tanh" else np.maximum(a, 0)
        live = True if l is None else (t < l)[:, None]
        y[t], h, c = np.where(live, new, 0), np.where(live, new, h), np.where(live, state, c)
    return [y, h] + [c] * (cell == "lstm")


def recurrent_rows(Row, x):
    gates = {"rnn_tanh": 1, "rnn_relu": 1, "gru": 3, "gru_reset_after": 3, "lstm": 4}
    types = itertools.cycle(("float32", "float32", "float64", "float16"))
    out = []
    for (cell, g), hidden, back in itertools.product(gates.items(), (0, 1, 5, 16, 33), (0, 1)):
        dtype = next(types)
        own, is_gru, lengths = hidden % 2, g == 3, hidden in (5, 16)
        inputs = {"x": x(f"m n {g * hidden}", dtype, -1, 1), "w": x(f"{hidden} {g * hidden}", dtype, -.3, .3)}
        if own:
            inputs["h"] = x(f"n {hidden}", dtype, -1, 1)
            if cell == "lstm":
                inputs["c"] = x(f"n {hidden}", dtype, -1, 1)
            if is_gru:
                inputs["b"] = x(f"{hidden}", dtype, -1, 1)
        if lengths:
            inputs["l"] = x("n", "int32", -1, 9)
        names = [k if k in inputs else "R.tuple()" for k in "xwhcbl"]
        ref = lambda *v, names=tuple(inputs), cell=cell, back=back: recurrent(
            cell, back, **dict(zip(names, v)))
        out.append(Row(f'R.nn.recurrent({", ".join(names)}, cell="{cell}", reverse={bool(back)})',
                       inputs, ref, name=f"recurrent {cell} {hidden} {dtype} {'back' * back}",
                       gives=[dtype] * 3))
        out[-1].loose = 1e-2 if dtype == "float16" else 0
    # few states: one between two integers may be rounded either way
    for cell, hidden in itertools.product(("rnn_tanh", "gru_reset_after", "lstm"), (0, 1, 5, 33)):
        g = gates[cell]
        out.append(Row(f'R.nn.recurrent(x, w, cell="{cell}", quantize=True)',
                       {"x": x(f"4 3 {g * hidden}"), "w": x(f"{hidden} {g * hidden}", "float32", -.3, .3)},
                       lambda a, w, cell=cell: recurrent(cell, 0, a, w, rounded=in_8_bits),
                       name=f"recurrent {cell} {hidden} in 8 bits", gives=["float32"] * 3))
    wide = lambda a: np.concatenate([a] * 4, -1)
    out.append(Row('R.nn.recurrent(R.concat((x, x, x, x), axis=2), R.concat((w, w, w, w), axis=1), '
                   'cell="lstm")', {"x": x("3 n m"), "w": x("m m", "float32", -.3, .3)},
                   lambda a, w: recurrent("lstm", 0, wide(a), wide(w)),
                   name="recurrent lstm, symbolic", gives=["float32"] * 3))
    return out


def shuffle(a, r):
    n, c, h, w = a.shape
    a = a.reshape(n, c // (r * r), r, r, h, w).transpose(0, 1, 4, 2, 5, 3)
    return a.reshape(n, c // (r * r), h * r, w * r)


def replaced(a, src, part):
    a = a.copy()
    a[part] = src
    return a


def hamming(n, periodic, alpha, beta):
    if n == 1:
        return np.ones(1)
    return alpha - beta * np.cos(2 * np.pi * np.arange(n) / (n if periodic else n - 1))


def overlap(a, b):
    area = [abs(c[2] - c[0]) * abs(c[3] - c[1]) for c in (a, b)]
    size = [min(max(a[d], a[d + 2]), max(b[d], b[d + 2])) -
            max(min(a[d], a[d + 2]), min(b[d], b[d + 2])) for d in (0, 1)]
    shared = max(size[0], 0) * max(size[1], 0)
    return shared / (area[0] + area[1] - shared)


def nms(boxes, scores, limit, iou, low):
    batches, classes, n = scores.shape
    rows = []
    for b in range(batches):
        for c in range(classes):
            kept = []
            for i in sorted(range(n), key=lambda i: (-scores[b, c, i], i)):
                if scores[b, c, i] > low and len(kept) < limit and \
                        all(overlap(boxes[b, i], boxes[b, k]) <= iou for k in kept):
                    kept.append(i)
            rows += [(b, c, i) for i in kept]
    full = np.full((batches * classes * n, 3), -1)
    full[:len(rows)] = np.reshape(rows, (-1, 3))
    return full, len(rows), rows


def nms_by_batch(boxes, scores, limit, iou, low):
    batches, classes, n = scores.shape
    out = [np.full((batches, classes * n, 2), -1), np.zeros((batches, classes * n)),
           np.zeros(batches)]
    rows = nms(boxes, scores, limit, iou, low)[2]
    for b in range(batches):
        mine = sorted((-scores[r], r[1], r[2]) for r in rows if r[0] == b)
        for i, (s, c, k) in enumerate(mine):
            out[0][b, i], out[1][b, i] = (c, k), -s
        out[2][b] = len(mine)
    return out


def sample(image, y, x):
    h, w = image.shape
    if y < -1 or y > h or x < -1 or x > w:
        return None
    y, x = min(max(y, 0), h - 1), min(max(x, 0), w - 1)
    y0, x0 = int(y), int(x)
    y1, x1 = min(y0 + 1, h - 1), min(x0 + 1, w - 1)
    top = image[y0, x0] * (1 - x + x0) + image[y0, x1] * (x - x0)
    return top * (1 - y + y0) + (image[y1, x0] * (1 - x + x0) + image[y1, x1] * (x - x0)) * (y - y0)


def roi_align(a, rois, size, scale, ratio, aligned, mode):
    out = np.zeros((len(rois), a.shape[1]) + size)
    shift = .5 if aligned else 0
    for r, roi in enumerate(rois):
        x0, y0, x1, y1 = roi[1:] * scale - shift
        h, w = y1 - y0, x1 - x0
        if not aligned:
            h, w = max(h, 1), max(w, 1)
        h, w = h / size[0], w / size[1]
        gh, gw = (ratio, ratio) if ratio > 0 else (int(np.ceil(h)), int(np.ceil(w)))
        for c, i, j in np.ndindex(*out.shape[1:]):
            got = [sample(a[int(roi[0]), c], y0 + (i + (p + .5) / gh) * h,
                          x0 + (j + (q + .5) / gw) * w) for p in range(gh) for q in range(gw)]
            inside = [g for g in got if g is not None]
            if mode == "max":
                out[r, c, i, j] = max((g or 0 for g in got), default=0)
            else:
                out[r, c, i, j] = sum(inside) / max(len(got), 1)
    return out


def narrow(expr, dtype, names):
    """|expr| computed in |dtype| from float32 inputs."""
    for name in names:
        expr = expr.replace(f"${name}", f'R.astype({name}, "{dtype}")')
    return f'R.astype({expr}, "float32")'


def rows(Row, x):
    out = [
        Row("R.atan2(x, y)", {"x": x(), "y": x("m")}, np.arctan2),
        Row("R.atan2(x, y)", {"x": x("n m", "float16"), "y": x("m", "float16")}, np.arctan2,
            name="atan2 float16"),
        Row("R.outer(x, y)", {"x": x("n"), "y": x("m")}, np.outer),
        Row("R.outer(x, y)", {"x": x("n", "int32", -9, 9), "y": x("m", "int32", -9, 9)}, np.outer,
            name="outer int32"),
        Row("R.linear(x, w, b)", {"x": x("2 n 5"), "w": x("m 5"), "b": x("m")},
            lambda a, w, b: a @ w.T + b),
        Row("R.linear(x, w)", {"x": x("n 5", "float16", -1, 1), "w": x("m 5", "float16", -1, 1)},
            lambda a, w: a @ w.T),
        Row("R.hamming_window(n, 1, 0.54, 0.46)", {"x": x()},
            lambda a: hamming(a.shape[0], True, .54, .46)),
        Row("R.hamming_window(n, 0, 0.5, 0.25, dtype=\"float64\")", {"x": x("n m", "float64")},
            lambda a: hamming(a.shape[0], False, .5, .25)),
        Row("R.collapse_sum_like(x, y)", {"x": x("3 n m"), "y": x("n 1")},
            lambda a, b: a.sum((0, 2))[:, None]),
        Row("R.nn.dropout(x)", {"x": x()}, lambda a: [a, np.ones(a.shape)]),
        Row("R.nn.pixel_shuffle(x, 2)", {"x": x("n 8 m 3")}, lambda a: shuffle(a, 2)),
        Row("R.nn.cross_entropy_with_logits(x, y)", {"x": x(), "y": x()},
            lambda a, b: -(a * b).sum() / a.shape[0], empty=False),
        Row("R.nn.cross_entropy_with_logits(x, y)", {"x": x("n"), "y": x("n")},
            lambda a, b: -(a * b).sum(), name="cross_entropy of vectors"),
    ]
    for dtype in ("float32", "float16", "int32", "uint8"):
        low = 0 if dtype == "uint8" else -3
        out.append(Row("R.ewise_fma(x, y, z)", {"x": x("n m", dtype, low, 3),
                                                "y": x("n m", dtype, low, 3),
                                                "z": x("m", dtype, low, 3)},
                       lambda a, b, c: a * b + c, name=f"ewise_fma {dtype}"))
    for dtype in ("float32", "float16"):
        out += [
            Row("R.nn.prelu(x, a, axis=1)", {"x": x("n m 3", dtype), "a": x("m", dtype)},
                lambda a, b: np.where(a < 0, a * b[:, None], a), name=f"prelu {dtype}"),
            Row("R.nn.instance_norm(x, g, b, 1, [2])",
                {"x": x("n 3 16", dtype), "g": x("3", dtype), "b": x("3", dtype)},
                lambda a, g, b: instance(a, g, b, (2,)), name=f"instance_norm {dtype}"),
            Row("R.nn.batch_norm(x, g, b, u, v, axis=1, momentum=0.25, training=True)",
                {"x": x("n 3 m", dtype), "g": x("3", dtype), "b": x("3", dtype),
                 "u": x("3", dtype), "v": x("3", dtype, .1)}, batch_training, empty=False,
                name=f"batch_norm training {dtype}"),
        ]
    out += [
        Row("R.nn.prelu(R.sqrt(x), a, axis=-1)", {"x": x(), "a": x("1")},
            lambda a, b: np.sqrt(a), name="prelu NaN"),
        Row(narrow("R.nn.prelu($x, $a, axis=1)", "bfloat16", "xa"), {"x": x(), "a": x("m")},
            lambda a, b: np.where(a < 0, a * b, a), name="prelu bfloat16"),
        Row(narrow("R.nn.instance_norm($x, $g, $b, 1, [2])", "bfloat16", "xgb"),
            {"x": x("n 3 16"), "g": x("3"), "b": x("3")},
            lambda a, g, b: instance(a, g, b, (2,)), name="instance_norm bfloat16"),
        Row(narrow("R.ewise_fma($x, $y, $x)", "bfloat16", "xy"), {"x": x(), "y": x()},
            lambda a, b: a * b + a, name="ewise_fma bfloat16"),
    ]
    for row in out[-3:]:
        row.loose = 2e-2
    for op, ref in (("floor", np.floor), ("ceil", np.ceil), ("round", np.round),
                    ("trunc", np.trunc), ("sign", np.sign), ("abs", np.abs),
                    ("nn.relu", lambda a: np.maximum(a, 0))):
        out.append(Row(f"R.{op}(R.divide(x, y))", {"x": x("n m", "float16", -9, 9),
                                                  "y": x("m", "float16", 1, 3)},
                       lambda a, b, f=ref: f((a / b).astype("float16")), name=f"{op} float16"))
    for dtype in ("float32", "float16", "int8", "float64"): # rows that fill most of a register
        for n in (5, 9, 10, 12, 14, 20, 28, 62):
            out.append(Row("R.add(R.multiply(x, y), z)",
                           {"x": x(f"n {n}", dtype, -3, 3), "y": x("n 1", dtype, -3, 3),
                            "z": x("n 1", dtype, -3, 3)}, lambda a, b, c: a * b + c,
                           name=f"rows of {n} {dtype}"))
            out[-1].loose = 1e-2 if dtype == "float16" else 0
    for op, ref in (("maximum", np.maximum), ("minimum", np.minimum)):
        out.append(Row(f"R.{op}(R.sqrt(x), y)", {"x": x("n m", "float16"), "y": x("m", "float16")},
                       lambda a, b, f=ref: f(np.sqrt(a), b), name=f"{op} float16, NaN"))

    out += recurrent_rows(Row, x)

    # statistics and search
    for dtype in ("float32", "float16", "int32", "uint8"):
        low = 0 if dtype == "uint8" else -9
        out += [
            Row("R.median(x, axis=[1])", {"x": x("n m 2", dtype, low, 9)},
                lambda a: median(a, 1), empty=False, name=f"median {dtype}",
                gives=[dtype, "int64"]),
            Row("R.median(x)", {"x": x("n m", dtype, low, 9)}, median_all, empty=False,
                name=f"median of all {dtype}"),
        ]
    out += [
        Row("R.median(R.sqrt(x), axis=[0])", {"x": x("n m", low=-.3)},
            lambda a: median(np.sqrt(a), 0), empty=False, name="median NaN",
            gives=["float32", "int64"]),
        Row("R.median(x, axis=[-1], keepdims=True)[0]", {"x": x()},
            lambda a: median(a, 1)[0][:, None], empty=False),
    ]
    for dtype in ("float32", "float16", "int64", "int8"):
        for right in (False, True):
            out.append(Row(f"R.bucketize(x, R.sort(y), out_int32=True, right={right})",
                           {"x": x("n m", dtype, -9, 9), "y": x("m", dtype, -9, 9)},
                           lambda a, b, r=right: np.searchsorted(np.sort(b), a,
                                                                 "right" if r else "left"),
                           name=f"bucketize {dtype} {right}", gives="int32"))
    out += [
        Row("R.bucketize(R.sqrt(x), R.sort(y))", {"x": x(), "y": x("m")},
            lambda a, b: np.searchsorted(np.sort(b), np.sqrt(a)), name="bucketize NaN",
            gives="int64"),
        Row("R.multinomial_from_uniform(p, u, i)",
            {"p": x("4 6", low=.1, high=.2), "u": x("n 1", low=0, high=1),
             "i": x("n 1", "int64", 0, 4)},
            lambda p, u, i: np.minimum((p.cumsum(1)[i[:, 0]] <= u).sum(1), 5)[:, None],
            gives="int64"),
    ]

    # lines of few columns: their rows are read together; more or fewer than a block of rows
    for k, columns in itertools.product((5, 30), (3, 16, 17)):
        for dtype in ("float32", "int8"):
            out.append(Row(f"R.topk(x, {k}, axis=1, ret_type=\"indices\", dtype=\"int64\")",
                           {"x": x(f"2 70 {columns}", dtype, -9, 9)},
                           lambda a, k=k: np.argsort(-a, 1, kind="stable")[:, :k],
                           name=f"topk {k} of {columns} {dtype}", gives="int64"))
    for dtype, largest in itertools.product(("float16", "int32", "int8", "uint8"), (True, False)):
        low = 0 if dtype == "uint8" else -9  # ties keep their order
        out.append(Row(f"R.topk(x, 7, axis=1, ret_type=\"indices\", dtype=\"int64\", "
                       f"largest={largest})", {"x": x("n 67", dtype, low, 9)},
                       lambda a, s=-1 if largest else 1:
                       np.argsort(s * a, 1, kind="stable")[:, :7],
                       name=f"topk {dtype} {largest}", gives="int64"))
    out.append(Row("R.argsort(R.sqrt(x), axis=-1, dtype=\"int64\")", {"x": x("n m", "float16")},
                   lambda a: np.argsort(np.sqrt(a).astype("float16"), -1, kind="stable"),
                   name="argsort float16, NaN", gives="int64"))
    # the last dimensions have one element
    out += [
        Row("R.permute_dims(x, axes=[0, 2, 3, 1])", {"x": x("1 40 33 1")},
            lambda a: a.transpose(0, 2, 3, 1)),
        Row("R.max(x, axis=[1])", {"x": x("3 5 18 1")}, lambda a: a.max(1)),
        Row("R.nn.conv2d(x, w, strides=[2, 1])", {"x": x("1 3 41 1"), "w": x("17 3 5 1")},
            lambda a, w: np.einsum("ncpkx,ockx->nop", np.stack(
                [a[:, :, 2 * p:2 * p + 5] for p in range(19)], 2), w)[..., None]),
    ]

    # positions
    for dtype in ("float32", "float16", "int8", "bool"):
        out += [
            Row("R.index_tensor(x, (i, j))",
                {"x": x("6 3 m", dtype), "i": x("n 1", "int64", -6, 6), "j": x("2", "int32", 0, 3)},
                lambda a, i, j: a[np.broadcast_arrays(i, j)[0], np.broadcast_arrays(i, j)[1]],
                name=f"index_tensor {dtype}"),
            Row("R.index_put(x, (i, j), v)",
                {"x": x("6 3 m", dtype), "i": x("n 1", "int64", -6, 6), "j": x("2", "int64", 0, 3),
                 "v": x("2 m", dtype)},
                lambda a, i, j, v: put(a, (i, j), v, False), name=f"index_put {dtype}"),
            Row("R.reverse_sequence(x, s)", {"x": x("n 5 m", dtype), "s": x("n", "int32", 0, 6)},
                lambda a, s: reverse(a, s, 1, 0), name=f"reverse_sequence {dtype}"),
            Row("R.slice_scatter(x, s, 1, 8, 3, axis=1)", {"x": x("n 9 m", dtype),
                                                          "s": x("n 3 m", dtype)},
                lambda a, s: replaced(a, s, np.s_[:, 1:8:3]), name=f"slice_scatter {dtype}"),
            Row("R.meshgrid((x, y))", {"x": x("n", dtype), "y": x("m", dtype)},
                lambda a, b: np.meshgrid(a, b, indexing="ij"), name=f"meshgrid {dtype}"),
            Row("R.dynamic_strided_slice(x, b, e, s)",
                {"x": x("n m", dtype), "b": x("2", "int64", -5, 5), "e": x("2", "int64", -9, 9),
                 "s": x("2", "int64", 1, 3)},
                lambda a, b, e, s: a[b[0]:e[0]:s[0], b[1]:e[1]:s[1]],
                name=f"dynamic_strided_slice {dtype}"),
            Row("R.layout_transform(x, index_map=T.index_map(lambda i, j: (j // 4, i, j % 4)), "
                "pad_value=1)", {"x": x("n 10", dtype)},
                lambda a: np.pad(a, ((0, 0), (0, 2)), constant_values=1).reshape(-1, 3, 4)
                .transpose(1, 0, 2), name=f"layout_transform {dtype}"),
        ]
    out += [
        Row("R.index_put(x, (i,), v, accumulate=True)",
            {"x": x("6 m"), "i": x("n", "int64", -6, 6), "v": x("")},
            lambda a, i, v: put(a, (i,), v, True)),
        Row("R.index_tensor(x, (i,))", {"x": x("n m"), "i": x("3", "int64", 0, 1)},
            lambda a, i: a[i], empty=False),
        Row("R.reverse_sequence(x, s, seq_axis=0, batch_axis=2)",
            {"x": x("5 n m"), "s": x("m", "int64", 0, 6)}, lambda a, s: reverse(a, s, 0, 2)),
        Row("R.slice_scatter(x, s, -2, 99, 1)", {"x": x("6 m"), "s": x("2 m")},
            lambda a, s: replaced(a, s, np.s_[-2:])),
        Row("R.meshgrid((x, y, z), indexing=\"xy\")", {"x": x("n"), "y": x("m"), "z": x("2")},
            lambda *a: np.meshgrid(*a, indexing="xy")),
        Row("R.dynamic_strided_slice(x, b, e, s)",
            {"x": x(), "b": x("2", "int64", -2, 9), "e": x("2", "int64", -9, 3),
             "s": x("2", "int32", -3, 0)},
            lambda a, b, e, s: a[b[0]:e[0]:s[0], b[1]:e[1]:s[1]], name="slice backwards"),
        Row("R.layout_transform(x, index_map=T.index_map(lambda i, j: (i // 4, j, i % 4)), pad_value=2)",
            {"x": x("3 m")}, lambda a: np.pad(a, ((0, 1), (0, 0)), constant_values=2).T[None]),
        Row("R.layout_transform(x, index_map=T.index_map(lambda i, j, k: (k, i * 3 + j)))",
            {"x": x("n 3 m")}, lambda a: a.reshape(-1, a.shape[2]).T, empty=False),
    ]

    # two values computed from the same data-dependent size
    out.append(Row("R.add(R.exp(R.dynamic_strided_slice(x, b, e, e)), "
                   "R.dynamic_strided_slice(x, b, e, e))",
                   {"x": x(), "b": x("2", "int64", -5, 5), "e": x("2", "int64", 1, 3)},
                   lambda a, b, e: np.exp(a[b[0]:e[0]:e[0], b[1]:e[1]:e[1]]) +
                   a[b[0]:e[0]:e[0], b[1]:e[1]:e[1]], name="unknown sizes agree"))

    # attention
    for size in (1, 3):
        for mask in ("None", "\"BottomRight\""):
            out.append(Row(f"R.nn.attention(q, k, v, causal_mask={mask}, window_size={size})",
                           {"q": x("2 n 2 4"), "k": x("2 n 2 4"), "v": x("2 n 2 3")},
                           lambda q, k, v, s=size, c=mask: window(q, k, v, s, c != "None"),
                           empty=False))
    for scale in (-0.7, 1e-8):  # the second is too small to go into the queries
        out.append(Row(f"R.nn.attention(q, k, v, scale={scale})",
                       {"q": x("2 n 2 4"), "k": x("2 m 2 4"), "v": x("2 m 2 3")},
                       lambda q, k, v, s=scale: attention(q * 2 * s, k, v, True), empty=False))
    for extra, how in (("", {}), (", causal_mask=\"BottomRight\"", {"causal": 1}),
                       (", causal_mask=\"TopLeft\", window_size=2", {"causal": 1, "size": 2})):
        out.append(Row(f"R.nn.attention_var_len(q, k, v, R.multiply(s, t), R.multiply(s, t), e, e"
                       f"{extra})",
                       {"q": x("1 n 2 4"), "k": x("1 n 2 4"), "v": x("1 n 2 3"),
                        "s": x("1", "int32", 1, 3), "t": x("3", "int32", 0, 1),
                        "e": x("", "int32", 1, 9)},
                       lambda q, k, v, s, t, e, how=how: packed(q, k, v, s * t, **how),
                       empty=False))

    # a bias of -FLT_MAX or -inf on all keys that a query sees: it still ignores the others
    for low in ("-3.4028234663852886e+38", 'float("-inf")'):
        hide = f'R.where(R.greater(t, R.const(0, "float32")), R.const({low}, "float32"), ' \
               f'R.const(0, "float32"))'
        out.append(Row(f"R.nn.attention_bias(q, k, v, {hide}, scale=1.0, causal_mask=\"TopLeft\")",
                       {"q": x("2 n 2 m"), "k": x("2 n 2 m"), "v": x("2 n 2 3"),
                        "t": x("1 1 n 1")},
                       lambda q, k, v, t: attention(
                           q * np.sqrt(q.shape[3]), k, v, np.tril(np.ones((q.shape[1],) * 2, bool)),
                           np.where(t > 0, -3e38, 0)), empty=False))

    # exporters' decompositions, which the compiler fuses again
    c = lambda v: f'R.const({v}, "float32")'
    mean = lambda v: f"R.mean({v}, axis=[-1], keepdims=True)"
    d = f"R.subtract(x, {mean('x')})"
    gb = {"x": x("2 n 24"), "g": x("24"), "b": x("24")}
    norm = lambda a: (a - a.mean(-1, keepdims=True)) / np.sqrt(a.var(-1, keepdims=True) + 1e-5)
    rms = lambda a: a / np.sqrt((a * a).mean(-1, keepdims=True) + 1e-5)
    for square in (f"R.power({d}, {c(2.0)})", f"R.multiply({d}, {d})"):
        root = f"R.sqrt(R.add({mean(square)}, {c(1e-5)}))"
        out.append(Row(f"R.add(R.multiply(R.divide({d}, {root}), g), b)", gb,
                       lambda a, g, b: norm(a) * g + b, name=f"decomposed layer_norm {square}"))
    out += [
        Row(f"R.add(R.multiply({d}, R.multiply(g, R.rsqrt(R.add({c(1e-5)}, "
            f"R.variance(x, axis=[-1], keepdims=True))))), b)", gb,
            lambda a, g, b: norm(a) * g + b, name="decomposed layer_norm by variance"),
        Row(f"R.multiply(R.multiply(x, R.rsqrt(R.add({mean('R.square(x)')}, {c(1e-5)}))), g)",
            {"x": x("2 n 24"), "g": x("24")}, lambda a, g: rms(a) * g, name="decomposed rms_norm"),
    ]
    part = f"R.add(R.erf(R.divide(x, {c(2 ** .5)})), {c(1.0)})"
    for form in (f"R.multiply(R.multiply(x, {part}), {c(.5)})",
                 f"R.multiply(R.multiply({c(.5)}, x), {part})"):
        out.append(Row(form, {"x": x()}, gelu, name="decomposed gelu"))
    cube = f"R.add(x, R.multiply({c(.044715)}, R.power(x, {c(3.0)})))"
    out += [
        Row(f"R.multiply(R.multiply({c(.5)}, x), R.add({c(1.0)}, "
            f"R.tanh(R.multiply({c((2 / np.pi) ** .5)}, {cube}))))", {"x": x()},
            lambda a: .5 * a * (1 + np.tanh((2 / np.pi) ** .5 * (a + .044715 * a ** 3))),
            name="decomposed gelu_tanh"),
        Row(f"R.divide(x, R.add(R.exp(R.negative(x)), {c(1.0)}))", {"x": x()},
            lambda a: a / (1 + np.exp(-a)), name="decomposed silu"),
    ]
    shifted = "R.exp(R.subtract(x, R.max(x, axis=[1], keepdims=True)))"
    out.append(Row(f"R.divide({shifted}, R.sum({shifted}, axis=[1], keepdims=True))", {"x": x()},
                   lambda a: np.exp(a - a.max(1, keepdims=True)) /
                   np.exp(a - a.max(1, keepdims=True)).sum(1, keepdims=True), empty=False,
                   name="decomposed softmax"))
    heads = {"q": x("2 3 n 16"), "k": x("2 3 m 16"), "v": x("2 3 m 8")}
    turn = lambda a: a.transpose(0, 2, 1, 3)
    kt = "R.permute_dims(k, axes=[0, 1, 3, 2])"
    product = f"R.multiply(R.matmul(q, {kt}), {c(.25)})"
    every = lambda q, k, v, seen=True, bias=0: turn(attention(turn(q), turn(k), turn(v), seen, bias))
    out += [
        Row(f"R.matmul(R.nn.softmax({product}), v)", heads, every, empty=False,
            name="decomposed attention"),
        Row(f"R.matmul(R.nn.softmax(R.matmul(R.multiply(q, {c(.5)}), "
            f"R.permute_dims(R.multiply(k, {c(.5)}), axes=[0, 1, 3, 2]))), v)", heads, every,
            empty=False, name="decomposed attention, scaled before"),
        Row(f"R.matmul(R.nn.softmax(R.add({product}, a)), v)", {**heads, "a": x("3 n m")},
            lambda q, k, v, a: every(q, k, v, True, a), empty=False,
            name="decomposed attention with bias"),
        Row(f"R.matmul(R.nn.softmax(R.where(R.tril(R.ones_like({product}, \"bool\")), {product}, "
            f"{c(-1e30)})), v)", heads,
            lambda q, k, v: every(q, k, v, np.tril(np.ones((q.shape[2], k.shape[2]), bool))),
            empty=False, name="decomposed attention with mask"),
    ]
    few = {"q": x("2 6 n 16"), "k": x("2 2 m 16"), "v": x("2 2 m 8")}
    often = lambda q, k, v: every(q, k.repeat(3, 1), v.repeat(3, 1))
    spread = "R.reshape(R.broadcast_to(R.expand_dims({0}, axis=2), R.shape([2, 2, 3, m, {1}])), (2, 6, m, {1}))"
    for form in (spread, "R.repeat({0}, repeats=3, axis=1)"):
        kt3 = f"R.permute_dims({form.format('k', 16)}, axes=[0, 1, 3, 2])"
        out.append(Row(f"R.matmul(R.nn.softmax(R.multiply(R.matmul(q, {kt3}), {c(.25)})), {form.format('v', 8)})",
                       few, often, empty=False, name="decomposed attention with shared heads"))
    shared = lambda q, k, v: attention(q, k.repeat(3, 2), v.repeat(3, 2), True)
    out += [
        Row("R.nn.attention(q, k, v)", {"q": x("2 n 6 16"), "k": x("2 m 2 16"), "v": x("2 m 2 8")},
            shared, empty=False, name="attention with shared heads"),
        Row("R.nn.attention(q, k, v, scale=0.25)",
            {"q": x("2 4 6 n"), "k": x("2 m 2 n"), "v": x("2 m 2 8")},
            lambda q, k, v: shared(q * np.sqrt(q.shape[3]) / 4, k, v), empty=False,
            name="attention with shared heads of a size that is not known"),
    ]

    # keys and values in cache layout; queries that see no keys
    cached = lambda q, k, v, *bias: turn(every(turn(q), k.repeat(3, 1), v.repeat(3, 1), True, *bias))
    zeros = lambda y, t: np.where(turn(t) > 0, 0, y)
    instead = lambda q, k, a: np.where(  # what makes a score a where that is positive
        a > 0, a - np.einsum("bnhd,bhmd->bhnm", q, k.repeat(3, 1)) / 4, 0)
    hiding = f'R.where(R.greater(t, {c(0)}), R.const(float("-inf"), "float32"), {c(0)})'
    for rows, size in (("n", "16"), ("4", "n")):
        by_head = {"q": x(f"2 {rows} 6 {size}"), "k": x(f"2 2 m {size}"), "v": x("2 2 m 8")}
        scaled = lambda q, k, v, *bias: cached(q * np.sqrt(q.shape[3]) / 4, k, v, *bias)
        out += [
            Row('R.nn.attention_as_stored(q, k, v, scale=0.25, layout="BHSD")', by_head, scaled,
                empty=False),
            Row('R.nn.attention_as_stored(q, k, v, a, scale=0.25, layout="BHSD")',
                {**by_head, "a": x(f"1 1 {rows} m")}, scaled, empty=False),
            Row(f'R.nn.attention_as_stored(q, k, v, R.maximum(a, {c(0)}), scale=0.25, layout="BHSD", '
                f'bias_replaces=True)', {**by_head, "a": x(f"1 1 {rows} m")},
                lambda q, k, v, a: scaled(q, k, v, instead(q, k, a)), empty=False),
            Row(f'R.nn.attention_as_stored(q, k, v, {hiding}, scale=0.25, layout="BHSD", '
                f'unseen_zero=True)', {**by_head, "t": x(f"1 1 {rows} 1")},
                lambda q, k, v, t: zeros(scaled(q, k, v), t), empty=False),
            Row(f'R.nn.attention_as_stored(q, k, v, {hiding}, scale=0.25, causal_mask="TopLeft", '
                f'layout="BHSD", unseen_zero=True)',
                {"q": x(f"2 {rows} 6 {size}"), "k": x(f"2 2 {rows} {size}"), "v": x(f"2 2 {rows} 8"),
                 "t": x(f"1 1 {rows} 1")},
                lambda q, k, v, t: zeros(turn(every(turn(q) * np.sqrt(q.shape[3]) / 4,
                                                    k.repeat(3, 1), v.repeat(3, 1),
                                                    np.tril(np.ones((q.shape[1],) * 2, bool)))), t),
                empty=False)]
    flat3 = "R.reshape(R.permute_dims(R.reshape(k, (6, m, 16)), axes=[0, 2, 1]), (2, 3, 16, m))"
    for turned in (kt, flat3):
        p = f"R.nn.softmax(R.add(R.multiply(R.matmul(q, {turned}), {c(.25)}), {hiding}))"
        out.append(Row(f"R.matmul(R.where(R.isnan({p}), {c(0)}, {p}), v)",
                       {**heads, "t": x("1 1 n 1")},
                       lambda q, k, v, t: np.where(t > 0, 0, every(q, k, v)), empty=False,
                       name=f"decomposed attention without NaN {turned}"))

    half = f'R.multiply(R.matmul(q, {kt}), R.const(0.25, "float16"))'
    weights = 'R.astype(R.nn.softmax(R.astype({}, "float32")), "float16")'
    halves = {name: x(dims[0], "float16", -1, 1) for name, dims in heads.items()}
    out += [
        Row(f"R.matmul({weights.format(half)}, v)", halves, every, empty=False,
            name="decomposed attention of a model in float16"),
        Row(f"R.matmul({weights.format(f'R.add({half}, a)')}, v)",
            {**halves, "a": x("1 n m", "float16", -1, 1)},
            lambda q, k, v, a: every(q, k, v, True, a), empty=False,
            name="decomposed attention of a model in float16 with bias"),
    ]

    flat = {"q": x("6 n 16"), "k": x("6 16 m"), "v": x("6 m 8")}
    bmm = lambda q, k, v, bias=0: every(q[:, None], k.transpose(0, 2, 1)[:, None], v[:, None], True,
                                        bias)[:, 0]
    product = f"R.multiply(R.matmul(q, k), {c(.25)})"
    out += [
        Row(f"R.matmul(R.nn.softmax({product}), v)", flat, bmm, empty=False,
            name="decomposed attention of three dimensions"),
        Row(f"R.matmul(R.nn.softmax(R.add({product}, a)), v)", {**flat, "a": x("n m")}, bmm,
            empty=False, name="decomposed attention of three dimensions with bias"),
        Row(f"R.matmul(R.nn.softmax(R.add({product}, a)), v)", {**flat, "a": x("6 1 m")},
            lambda q, k, v, a: bmm(q, k, v, a[:, None]), empty=False,
            name="decomposed attention of three dimensions with bias of keys"),
    ]

    # boxes
    boxes = {"b": x("2 n 4", low=0, high=4), "s": x("2 3 n", low=0, high=1),
             "k": x("", "int64", 2, 5)}
    out += [
        Row("R.vision.all_class_non_max_suppression(b, s, k, R.const(0.3, \"float32\"), "
            "R.const(0.2, \"float32\"))", boxes,
            lambda b, s, k: [nms(b, s, k, .3, .2)[0], [nms(b, s, k, .3, .2)[1]]], gives="int64"),
        Row("R.vision.all_class_non_max_suppression(b, s, k, R.const(0.5, \"float32\"), "
            "R.const(0.1, \"float32\"), output_format=\"tensorflow\")", boxes,
            lambda b, s, k: nms_by_batch(b, s, k, .5, .1), gives=["int64", "float32", "int64"]),
    ]
    out.append(Row( # many boxes, with equal scores
        "R.vision.all_class_non_max_suppression(b, R.floor(s), k, R.const(0.6, \"float32\"), "
        "R.const(1.0, \"float32\"))",
        {"b": x("2 201 4", low=0, high=4), "s": x("2 3 201", low=-2, high=8),
         "k": x("", "int64", 2, 90)},
        lambda b, s, k: [nms(b, np.floor(s), k, .6, 1)[0], [nms(b, np.floor(s), k, .6, 1)[1]]],
        gives="int64"))
    for ratio, aligned, mode in ((2, False, "avg"), (-1, True, "avg"), (0, False, "max")):
        out.append(Row(
            "R.vision.roi_align(x, R.concat((R.astype(i, \"float32\"), b), axis=1), [2, 3], 0.5, "
            f"{ratio}, {aligned}, mode=\"{mode}\")",
            {"x": x("2 2 7 9"), "i": x("n 1", "int32", 0, 2), "b": x("n 4", low=-2, high=20)},
            lambda a, i, b, r=ratio, al=aligned, mo=mode: roi_align(
                a, np.concatenate((i, b), 1), (2, 3), .5, r, al, mo)))
    out.append(Row("R.vision.roi_align(x, b, [3], 1.0, layout=\"NHWC\")",
                   {"x": x("1 6 5 n"), "b": x("4 5", low=0, high=.9)},
                   lambda a, b: roi_align(a.transpose(0, 3, 1, 2), b, (3, 3), 1., -1, False,
                                          "avg").transpose(0, 2, 3, 1)))
    for ratio, aligned, mode, dtype in itertools.product((2, -1), (False, True), ("avg", "max"),
                                                         ("float32", "float64")):
        out.append(Row(  # wide regions, small ones, and with aligned=True reversed ones
            f"R.vision.roi_align(x, R.concat((R.zeros((n, 1), \"{dtype}\"), b), axis=1), [3, 5], "
            f"1.0, {ratio}, {aligned}, mode=\"{mode}\")",
            {"x": x("1 3 21 33", dtype), "b": x("n 4", dtype, -3, 40)},
            lambda a, b, r=ratio, al=aligned, mo=mode: roi_align(
                a, np.concatenate((np.zeros((len(b), 1)), b), 1), (3, 5), 1., r, al, mo)))
    for channels, dtype, mode in ((64, "float32", "avg"), (130, "float32", "avg"),
                                  (65, "float64", "avg"), (65, "float32", "max")):
        regions = f"R.concat((R.zeros((n, 1), \"{dtype}\"), b), axis=1), [2, 3], 0.75, 2, mode=\"{mode}\""
        boxes = x("n 4", dtype, -2, 9)
        ref = lambda a, b, mo=mode: roi_align(  # noqa: E731
            a, np.concatenate((np.zeros((len(b), 1)), b), 1), (2, 3), .75, 2, False, mo)
        out += [Row(f"R.vision.roi_align(x, {regions})",
                    {"x": x(f"1 {channels} 5 4", dtype), "b": boxes}, ref),
                Row(f"R.vision.roi_align(x, {regions}, layout=\"NHWC\")",
                    {"x": x(f"1 5 4 {channels}", dtype), "b": boxes},
                    lambda a, b, f=ref: f(a.transpose(0, 3, 1, 2), b).transpose(0, 2, 3, 1))]
    return out + takes(Row, x)
