"""Rows of tests/ops/run.py for gradients: each reference loops over the windows, indices or targets
and accumulates their contributions. Row and x are run.py's."""
import itertools

import numpy as np


def positions(length, size, stride, dilation, before, after, up):
    free = length + before + after - dilation * (size - 1) - 1
    count = (free + (stride - 1 if up else 0)) // stride + 1
    return min(count, (length + before - 1) // stride + 1) if up else count


def pool(g, a, is_max, size, strides, padding, dilation, up, counted):
    out = np.zeros_like(a)
    for n, c, oy, ox in np.ndindex(*g.shape):
        taps, inside = 0, []
        for ky, kx in np.ndindex(*size):
            y = oy * strides[0] - padding[0] + ky * dilation[0]
            z = ox * strides[1] - padding[1] + kx * dilation[1]
            held = 0 <= y < a.shape[2] and 0 <= z < a.shape[3]
            if held:
                inside.append((n, c, y, z))
            taps += held or (counted and y < a.shape[2] + padding[2] and z < a.shape[3] + padding[3])
        if is_max and inside:
            out[max(inside, key=lambda at: a[at])] += g[n, c, oy, ox]
        for at in () if is_max else inside:
            out[at] += g[n, c, oy, ox] / taps
    return out


def take(g, a, i, axis):
    out = np.zeros_like(a)
    np.add.at(out, (slice(None),) * axis + (i,), g)
    return out


def nll(g, p, t, w, how, ignored):
    out = np.zeros_like(p)
    weight = np.where(t == ignored, 0, w[t])
    share = g * weight / (weight.sum() if how == "mean" else 1)
    for at in np.ndindex(*t.shape):
        out[at[:1] + (t[at],) + at[1:]] = -share[at]
    return out


def rows(Row, x):
    out = [Row("R.grad.take_backward(g, x, i)", {"g": x("n"), "x": x("5"), "i": x("n", "int64", -5, 5)},
               lambda g, a, i: take(g, a, i, 0)),
           Row("R.grad.take_backward(g, x, i, axis=1)",
               {"g": x("n 6 2 m"), "x": x("n 5 m"), "i": x("6 2", "int32", -5, 5)},
               lambda g, a, i: take(g, a, i, 1))]
    for how, ignored in itertools.product(("mean", "sum", "none"), (1, 9)):
        shape = "n 4" if how == "none" else ""
        out.append(Row(f"R.grad.nll_loss_backward(g, p, t, w, \"{how}\", {ignored})",
                       {"g": x(shape), "p": x("n 6 4"), "t": x("n 4", "int64", 2, 6), "w": x("6", low=.5)},
                       lambda g, p, t, w, h=how, i=ignored: nll(g, p, t, w, h, i), empty=False))
    cases = [((3, 3), (1, 1), (0, 0, 0, 0), (1, 1), False, False),
             ((3, 2), (2, 1), (1, 0, 1, 1), (1, 1), False, True),
             ((2, 3), (3, 2), (0, 1, 1, 1), (2, 1), True, True),
             ((5, 5), (2, 2), (2, 1, 2, 1), (1, 1), True, False)]
    for kind, (size, strides, padding, dilation, up, counted) in itertools.product(("max", "avg"), cases):
        oy, ox = (positions(length, size[k], strides[k], dilation[k], padding[k], padding[k + 2], up)
                  for k, length in ((0, 7), (1, 8)))
        out.append(Row(
            f"R.grad.{kind}_pool2d_backward(g, x, {list(size)}, {list(strides)}, {list(padding)}, "
            f"{list(dilation)}, {up}, {counted})",
            {"g": x(f"n m {oy} {ox}"), "x": x("n m 7 8")},
            lambda g, a, k=kind, o=(size, strides, padding, dilation, up, counted): pool(
                g, a, k == "max", *o)))
    out.append(Row("R.grad.avg_pool2d_backward(g, x, [2, 2], [2, 2], layout=\"NHWC\", out_layout=\"NHWC\")",
                   {"g": x("n 2 3 m"), "x": x("n 4 6 m")},
                   lambda g, a: np.repeat(np.repeat(g, 2, 1), 2, 2) / 4))
    return out
