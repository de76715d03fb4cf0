"""Rows of tests/ops/run.py for windows, images and boxes. Row and x are run.py's."""
import itertools

import numpy as np


def starts(length, size, stride, dilation, before, after, up):
    """Where the windows begin along a padded axis; none begins behind the input."""
    free = length + before + after - dilation * (size - 1) - 1
    count = (-(-free // stride) if up else free // stride) + 1
    at = np.arange(max(count, 0)) * stride
    return at[at < length + before] if up else at


def pool(a, size, stride, pad, dilation=1, up=False, include=False, best=False):
    """Windows of |size| over all dimensions of |a| but the first two. |pad|: (before, after)."""
    space = a.shape[2:]
    begins = [starts(n, s, stride, dilation, *pad, up) for n, s in zip(space, size)]
    out = np.zeros(a.shape[:2] + tuple(len(b) for b in begins))
    for where in np.ndindex(*out.shape[2:]):
        taps = [b[i] + dilation * np.arange(s) for b, i, s in zip(begins, where, size)]
        padded = np.prod([(t < n + sum(pad)).sum() for t, n in zip(taps, space)])
        inside = [t[(t >= pad[0]) & (t < n + pad[0])] - pad[0] for t, n in zip(taps, space)]
        part = a[np.ix_(range(a.shape[0]), range(a.shape[1]), *inside)]
        axes = tuple(range(2, a.ndim))
        if best:
            value = part.max(axes, initial=-np.inf)
        else:
            count = padded if include else np.prod([len(t) for t in inside])
            value = part.sum(axes) / max(count, 1)
        out[(slice(None), slice(None)) + where] = value
    return out


def pools(Row, x):
    """Sizes, strides, paddings and dilations at which the last window reaches beyond the padding,
    begins in it, or fits."""
    cases = [((3, 2), 2, (1, 1), 1), ((2, 2), 3, (1, 1), 1), ((3, 3), 2, (0, 2), 1),
             ((2, 3), 2, (1, 0), 2), ((2, 2), 5, (1, 1), 1), ((3, 3), 3, (2, 1), 2)]
    out = []
    for (size, stride, pad, dilation), include in itertools.product(cases, (False, True)):
        for n, inputs in ((1, "2 3 9"), (2, "n 2 7 6"), (3, "1 2 5 6 7")):
            shape = (size + size)[:n]
            if n == 3 and dilation > 1 and 3 in shape:
                continue # the window is larger than the input
            text = (f"pool_size={list(shape)}, strides=[{stride}], dilation=[{dilation}], "
                    f"padding={[pad[0]] * n + [pad[1]] * n}, ceil_mode=True")
            out.append(Row(f"R.nn.avg_pool{n}d(x, {text}, count_include_pad={include})",
                           {"x": x(inputs)}, lambda a, s=shape, t=stride, p=pad, d=dilation,
                           i=include: pool(a, s, t, p, d, True, i)))
            if not include:
                out.append(Row(f"R.nn.max_pool{n}d(x, {text})", {"x": x(inputs)},
                               lambda a, s=shape, t=stride, p=pad, d=dilation:
                               pool(a, s, t, p, d, True, best=True)))
    out.append(Row("R.nn.avg_pool1d(x, 3, 2, 1, [1, 1], True, True)", {"x": x("n 2 m")},
                   lambda a: pool(a, (3,), 2, (1, 1), 1, True, True), empty=False))
    out.append(Row("R.nn.avg_pool1d(x, 2, 3, 1, [1, 1], True, True)", {"x": x("n 2 m")},
                   lambda a: pool(a, (2,), 3, (1, 1), 1, True, True), empty=False))
    return out


def rows(Row, x):
    return pools(Row, x)
