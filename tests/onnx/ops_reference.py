"""Reference implementations of ONNX operators, in NumPy and in double (tests/onnx/ops.py)."""
import itertools

import numpy as np


def softmax(a):
    with np.errstate(all="ignore"):
        e = np.exp(a - np.max(a, -1, keepdims=True))
        p = e / e.sum(-1, keepdims=True)
    return np.where(np.all(np.isneginf(a), -1, keepdims=True), 0, p)


def crop_to_one(a, begin, end):
    """The middle of the part of both axes; of all of the second one."""
    at = .5 * (begin + end) * (len(a) - 1)
    low = int(np.floor(at))
    high = min(low + 1, len(a) - 1)
    return (a[low] + (a[high] - a[low]) * (at - low)).mean().reshape(1, 1)


def attention(q, k, v, mask=None, past=None, lengths=None, causal=False, window=(-1, -1),
              scale=None, cap=0, show=None):
    before = np.zeros(len(q), int)
    if past is not None:
        k, v = np.concatenate([past[0], k], 2), np.concatenate([past[1], v], 2)
        before += past[0].shape[2]
    elif lengths is not None:
        before = lengths - q.shape[2]
    result = np.zeros(q.shape[:3] + v.shape[3:])
    shown = np.zeros(q.shape[:3] + (k.shape[2],))
    share = q.shape[1] // k.shape[1]
    scale = q.shape[3] ** -.5 if scale is None else scale
    if mask is not None:
        mask = np.broadcast_to(mask, shown.shape)
    for b, h in itertools.product(range(q.shape[0]), range(q.shape[1])):
        s = q[b, h] @ k[b, h // share].T * scale
        stages = [s.copy()]
        if cap:
            s = cap * np.tanh(s / cap)
        stages.append(s.copy())
        for i, j in np.ndindex(s.shape):
            at = i + before[b]
            seen = not causal or j <= at
            seen &= window[0] < 0 or j >= at - window[0]
            seen &= window[1] < 0 or j <= at + window[1]
            seen &= lengths is None or j < lengths[b]
            if mask is not None and mask.dtype == bool:
                seen &= mask[b, h, i, j]
            elif mask is not None:
                s[i, j] += mask[b, h, i, j]
            if not seen:
                s[i, j] = -np.inf
        p = softmax(s) if s.size else s
        stages += [s, p]
        result[b, h] = p @ v[b, h // share]
        shown[b, h] = stages[show or 0]
    return result if show is None and past is None else (
        [result, k, v] if show is None else [result, k, v, shown])


def flat_attention(q, k, v, heads, shared):
    def split(a, n):
        return a.reshape(*a.shape[:2], n, -1).transpose(0, 2, 1, 3)
    y = attention(split(q, heads), split(k, shared), split(v, shared))
    return y.transpose(0, 2, 1, 3).reshape(*q.shape[:2], heads * y.shape[3])


def group_query(q, seqlens, total, k=None, v=None, pk=None, pv=None, cos=None, sin=None,
                do_rotary=0, rotary_interleaved=0, local_window_size=None, scale=8 ** -.5, softcap=0,
                smooth_softmax=0, bias=0, sink=None, qn=None, kn=None, qk_norm_epsilon=1e-6):
    """6 query heads of 8 that share 2 key heads; batch row i of the caches ends at seqlens[i]."""
    if k is None:
        q, k, v = q[..., :48], q[..., 48:64], q[..., 64:]
    n = q.shape[1]
    before = np.maximum(seqlens + 1 - n, 0)
    if qn is not None:
        q, k = (rms(a.reshape(2, n, -1, 8), s, -1, qk_norm_epsilon).reshape(a.shape)
                for a, s in ((q, qn), (k, kn)))
    if do_rotary:
        ids = before[:, None] + np.arange(n)
        q, k = (rotary(a, cos, sin, rotary_interleaved, 6, h, ids) for a, h in ((q, 6), (k, 2)))
    q, k, v = (a.reshape(2, n, -1, 8).transpose(0, 2, 1, 3) for a in (q, k, v))
    if pk is not None:
        more = ((0, 0), (0, 0), (0, max(0, int(total) - pk.shape[2])), (0, 0))
        pk, pv = np.pad(pk, more), np.pad(pv, more)
        for b, at in enumerate(before):
            pk[b, :, at:at + n], pv[b, :, at:at + n] = k[b], v[b]
        k, v = pk, pv
    ahead = before[:, None, None, None] + np.arange(n)[:, None] - np.arange(k.shape[2])
    seen = (ahead >= 0) & (ahead < (local_window_size or np.inf))
    scores = scale * q @ np.repeat(k, 3, 1).swapaxes(2, 3)
    scores = softcap * np.tanh(scores / softcap) if softcap else scores
    scores = np.where(seen, scores + bias, -np.inf)
    if smooth_softmax or sink is not None:
        more = np.broadcast_to(0 if sink is None else sink[:, None, None], (*scores.shape[:3], 1))
        scores = np.concatenate([scores, more], 3)
    e = np.exp(scores - scores.max(3, keepdims=True))
    p = (e / e.sum(3, keepdims=True))[..., :k.shape[2]]
    y = p @ np.repeat(v, 3, 1)
    return [y.transpose(0, 2, 1, 3).reshape(2, n, 48), k, v]


def skip_rms(x, y, scale, bias=0):
    return rms(x + y + bias, scale, -1)


def rotary(x, cos, sin, interleaved, size, heads, ids=None):
    y = x.reshape(*x.shape[:2], heads, x.shape[2] // heads) if heads else x.transpose(0, 2, 1, 3)
    size = size or y.shape[-1]
    if ids is not None:
        cos, sin = cos[ids], sin[ids]
    y, out = y.copy(), y.copy()
    for i in range(size // 2):
        a, b = (2 * i, 2 * i + 1) if interleaved else (i, i + size // 2)
        c, s = cos[:, :, None, i], sin[:, :, None, i]
        out[..., a] = y[..., a] * c - y[..., b] * s
        out[..., b] = y[..., a] * s + y[..., b] * c
    return out.reshape(x.shape) if heads else out.transpose(0, 2, 1, 3)


def rms(x, scale, axis, epsilon=1e-5):
    axes = tuple(range(axis % x.ndim, x.ndim))
    return x / np.sqrt((x * x).mean(axes, keepdims=True) + epsilon) * scale


def tensor_scatter(cache, update, first, wrap=False):
    out = cache.copy()
    for b in range(len(cache)):
        for i in range(update.shape[1]):
            at = first[b] + i
            out[b, at % cache.shape[1] if wrap else at] = update[b, i]
    return out


def multinomial(x, samples, seed):
    p = np.exp(x - x.max(-1, keepdims=True))
    p = np.cumsum(p / p.sum(-1, keepdims=True), -1)
    u = np.random.RandomState(seed).uniform(size=(len(x), samples))
    return np.minimum((u[:, :, None] >= p[:, None]).sum(-1), x.shape[1] - 1)


def dropout(x, ratio, seed):
    keep = np.random.RandomState(seed).uniform(size=x.shape) >= ratio
    return [np.where(keep, x / (1 - ratio), 0), keep]


def linear_at(image, place):
    """The image interpolated at a point, 0 outside."""
    total = 0
    for corner in itertools.product((0, 1), repeat=image.ndim):
        at = [int(np.floor(p)) + c for p, c in zip(place, corner)]
        weight = np.prod([1 - abs(p - a) for p, a in zip(place, at)])
        if all(0 <= a < d for a, d in zip(at, image.shape)):
            total += weight * image[tuple(at)]
    return total


def conv_transpose(x, w, groups, strides):
    """Each element times the kernel, added at its position."""
    outs, ins = w.shape[1], x.shape[1] // groups
    y = np.zeros((len(x), outs * groups, *((d - 1) * s + k for d, s, k in zip(
        x.shape[2:], strides, w.shape[2:]))))
    for c in range(x.shape[1]):
        to = slice(c // ins * outs, (c // ins + 1) * outs)
        for at in np.ndindex(*x.shape[2:]):
            place = tuple(slice(a * s, a * s + k) for a, s, k in zip(at, strides, w.shape[2:]))
            y[(slice(None), to, *place)] += np.multiply.outer(x[(slice(None), c, *at)], w[c])
    return y


def spectra(x, step, window):
    """The spectra of real signals (batch, length): (batch, frames, half the bins, 2)."""
    n = len(window)
    frames = [np.fft.rfft(x[:, i:i + n] * window) for i in range(0, x.shape[1] - n + 1, step)]
    y = np.stack(frames, 1)
    return np.stack([y.real, y.imag], -1)


def deform_conv(x, w, offset, bias, mask, group, parts, pads):
    n, c = x.shape[:2]
    kh, kw = w.shape[2:]
    oh, ow = offset.shape[2:]
    out = np.zeros((n, len(w), oh, ow)) + bias[:, None, None]
    offset = offset.reshape(n, parts, kh, kw, 2, oh, ow)
    mask = mask.reshape(n, parts, kh, kw, oh, ow)
    each, inside = c // parts, w.shape[1]
    for b, o, ci, i, j, y, z in itertools.product(*map(range, (n, len(w), inside, kh, kw, oh, ow))):
        ic = o // (len(w) // group) * inside + ci
        g = ic // each
        place = (y + i - pads + offset[b, g, i, j, 0, y, z], z + j - pads + offset[b, g, i, j, 1, y, z])
        out[b, o, y, z] += w[o, ci, i, j] * mask[b, g, i, j, y, z] * linear_at(x[b, ic], place)
    return out


def grid_sample(x, grid, mode="linear", padding="zeros", corners=False):
    sizes = x.shape[2:]
    out = np.zeros(x.shape[:2] + grid.shape[1:-1])

    def fold(p, d):
        low, span = (0, d - 1) if corners else (-.5, d)
        if span == 0:
            return 0
        p = abs(p - low)
        turns, rest = divmod(p, span)
        return low + (span - rest if turns % 2 else rest)

    for b in range(len(x)):
        for at in np.ndindex(grid.shape[1:-1]):
            place = []
            for d, g in zip(sizes, grid[b][at][::-1]):
                p = (g + 1) / 2 * (d - 1) if corners else ((g + 1) * d - 1) / 2
                if padding == "border":
                    p = np.clip(p, 0, d - 1)
                if padding == "reflection":
                    p = np.clip(fold(p, d), 0, d - 1)
                place.append(np.rint(p) if mode == "nearest" else p)
            for c in range(x.shape[1]):
                out[(b, c) + at] = linear_at(x[b, c], place)
    return out


def affine_grid(theta, size, corners):
    out = np.zeros((len(theta),) + tuple(size[2:]) + (len(size) - 2,))
    for b, *at in np.ndindex(out.shape[:-1]):
        place = [(2 * i / max(d - 1, 1) - 1) if corners else (2 * i + 1) / d - 1
                 for i, d in zip(at, size[2:])]
        out[(b,) + tuple(at)] = theta[b] @ np.array(place[::-1] + [1])
    return out


def col2im(x, image, block, pads, strides, dilations):
    n = len(image)
    count = [(image[i] + pads[i] + pads[i + n] - dilations[i] * (block[i] - 1) - 1) // strides[i] + 1
             for i in range(n)]
    x = x.reshape((len(x), x.shape[1] // int(np.prod(block))) + tuple(block) + tuple(count))
    out = np.zeros(x.shape[:2] + tuple(image))
    for at in np.ndindex(*block, *count):
        to = [at[n + i] * strides[i] + at[i] * dilations[i] - pads[i] for i in range(n)]
        if all(0 <= t < d for t, d in zip(to, image)):
            out[(slice(None),) * 2 + tuple(to)] += x[(slice(None),) * 2 + at]
    return out


def sliced(a, begins, ends, axes, steps):
    for b, e, axis, step in zip(begins, ends, axes, steps):
        n = a.shape[axis]
        b, e = (v + n if v < 0 else v for v in (b, e))
        low, high = (0, n) if step > 0 else (0, n - 1)
        b, e = min(max(b, low), high), min(max(e, low - (step < 0)), high)
        a = np.take(a, np.arange(b, e, step), axis)
    return a


def unpool(a, at):
    out = np.zeros(4 * a.size)
    for i, v in zip(at.ravel(), a.ravel()):
        out[i] = v
    return out.reshape(a.shape[:2] + (2 * a.shape[2], 2 * a.shape[3]))


def padded(a, pads, mode, value):
    for axis, d in enumerate(a.shape):
        at = np.arange(-pads[axis], d + pads[axis + a.ndim])
        inside = (at >= 0) & (at < d)
        source = {"wrap": at % max(d, 1), "reflect": d - 1 - abs(d - 1 - abs(at))}.get(mode, at)
        shape = list(a.shape)
        shape[axis] = len(at)
        a = np.take(a, np.clip(source, 0, d - 1), axis) if d else np.full(shape, value)
        if mode == "constant":
            a = np.where(inside.reshape([-1 if i == axis else 1 for i in range(a.ndim)]), a, value)
    return a


def dft(a, axis, kind):
    a = a[..., 0] + 1j * (a[..., 1] if a.shape[-1] == 2 else 0)
    y = np.fft.rfft(a.real, axis=axis) if kind == "rfft" else getattr(np.fft, kind)(a, axis=axis)
    return np.stack([y.real, y.imag], -1)


def crop_pad(x, want, axes):
    for size, axis in zip(want, axes):
        more = size - x.shape[axis]
        if more >= 0:
            widths = [(0, 0)] * x.ndim
            widths[axis] = (more // 2, more - more // 2)
            x = np.pad(x, widths)
        else:
            x = np.take(x, range(-more // 2, -more // 2 + size), axis)
    return x


def roi_max(x, rois, batch, h, w, scale, samples):
    out = np.zeros((len(rois), x.shape[1], h, w))
    for r, c, i, j in np.ndindex(out.shape):
        x1, y1, x2, y2 = rois[r] * scale - .5
        best = -np.inf
        for a, b in np.ndindex(samples, samples):
            y = y1 + (y2 - y1) / h * (i + (a + .5) / samples)
            z = x1 + (x2 - x1) / w * (j + (b + .5) / samples)
            rows, cols = x.shape[2:]
            if not (-1 <= y <= rows and -1 <= z <= cols):
                continue
            y, z = min(max(y, 0), rows - 1), min(max(z, 0), cols - 1)
            lo = int(y), int(z)
            for p, s in itertools.product((0, 1), repeat=2):
                at = min(lo[0] + p, rows - 1), min(lo[1] + s, cols - 1)
                weight = abs(1 - p - (y - lo[0])) * abs(1 - s - (z - lo[1]))
                best = max(best, weight * x[(batch[r], c) + at])
        out[r, c, i, j] = 0 if np.isneginf(best) else best
    return out


def roi_pool(x, rois, h, w, scale):
    out = np.zeros((len(rois), x.shape[1], h, w))
    half_up = lambda v: np.floor(abs(v) + .5) * np.sign(v)  # noqa: E731
    for r, i, j in np.ndindex(len(rois), h, w):
        b, x1, y1, x2, y2 = [int(rois[r, 0])] + [int(half_up(v * scale)) for v in rois[r, 1:]]
        tall, wide = max(y2 - y1 + 1, 1) / h, max(x2 - x1 + 1, 1) / w
        part = x[b, :, max(y1 + int(np.floor(i * tall)), 0):max(y1 + int(np.ceil((i + 1) * tall)), 0),
                 max(x1 + int(np.floor(j * wide)), 0):max(x1 + int(np.ceil((j + 1) * wide)), 0)]
        out[r, :, i, j] = part.max((1, 2)) if part.size else 0
    return out


def antialias(x, size, axis, kernel, exclude=False, scale=None):
    n, width = x.shape[axis], 2 if kernel == "cubic" else 1
    scale = scale or size / n
    shrink = min(scale, 1)
    out = []
    for o in range(size):
        center = (o + .5) / scale - .5
        reach = int(np.ceil(width / shrink)) + 1
        taps = np.arange(int(center) - reach, int(center) + reach + 1)
        d = abs(taps - center) * shrink
        if kernel == "cubic":
            a = -.75
            w = np.where(d <= 1, ((a + 2) * d - (a + 3)) * d * d + 1,
                         np.where(d < 2, ((a * d - 5 * a) * d + 8 * a) * d - 4 * a, 0))
        else:
            w = np.maximum(1 - d, 0)
        if exclude:
            w = np.where((taps >= 0) & (taps < n), w, 0)
        at = np.clip(taps, 0, n - 1)
        out.append(np.tensordot(np.take(x, at, axis), w / w.sum(), ([axis], [0])))
    return np.stack(out, axis)


def blocked(p, size, axis, length):
    return np.take(np.repeat(p, size, axis), range(length), axis)


def quantize(x, scale, zero, low, high):
    return np.clip(np.rint(x / scale) + zero, low, high)


def mel(bins, length, rate, low, high):
    def to_mel(f):
        return 2595 * np.log10(1 + f / 700)
    points = np.arange(bins + 2) * (to_mel(high) - to_mel(low)) / (bins + 2) + to_mel(low)
    at = np.floor((length + 1) * 700 * (10 ** (points / 2595) - 1) / rate).astype(int)
    out = np.zeros((length // 2 + 1, bins))
    for i in range(bins):
        lo, mid, hi = at[i:i + 3]
        for j in range(lo, mid + 1):
            out[j, i] = 1 if lo == mid else (j - lo) / (mid - lo)
        for j in range(mid, hi):
            out[j, i] = (hi - j) / (hi - mid)
    return out


def pool(x, size, stride, pad, best, include):
    """Pooling of the last axis with the window count rounded up: the maximum, the mean over the
    input or (|include|) over the padding too, or (None) the sum."""
    d = x.shape[-1]
    windows = -(-(d + 2 * pad - size) // stride) + 1
    if (windows - 1) * stride >= d + pad:
        windows -= 1
    out = []
    for i in range(windows):
        begin = i * stride - pad
        part = x[..., max(begin, 0):min(begin + size, d)]
        if best:
            out.append(part.max(-1))
        else:
            count = {None: 1, 0: part.shape[-1], 1: min(begin + size, d + pad) - begin}[include]
            out.append(part.sum(-1) / count)
    return np.stack(out, -1)


def same_max_pool(x, size, stride, upper):
    """Pooling of the last axis with auto_pad SAME: the maxima and their places in the flat
    input."""
    d = x.shape[-1]
    windows = -(-d // stride)
    pads = max((windows - 1) * stride + size - d, 0)
    first = -(pads // 2 if upper else pads - pads // 2)
    parts = [slice(max(i * stride + first, 0), i * stride + first + size) for i in range(windows)]
    places = np.stack([x[..., p].argmax(-1) + p.start for p in parts], -1)
    rows = np.arange(x.size // d).reshape(x.shape[:-1] + (1,)) * d
    return [np.take_along_axis(x, places, -1), places + rows]


# name -> exponent bias, mantissa bits, code of the largest number, of infinity (or None) and
# of NaN, whether there is a -0
FLOAT8 = {"float8e4m3fn": (7, 3, 0x7e, None, 0x7f, True),
          "float8e4m3fnuz": (8, 3, 0x7f, None, 0x80, False),
          "float8e5m2": (15, 2, 0x7b, 0x7c, 0x7e, True),
          "float8e5m2fnuz": (16, 2, 0x7f, None, 0x80, False)}


def float8_values(f):
    """The values of the 256 codes."""
    bias, mantissa, largest, infinity, nan, negative_zero = f
    code = np.arange(128)
    exponent, fraction = code >> mantissa, code & ((1 << mantissa) - 1)
    unit = np.where(exponent, fraction + (1 << mantissa), fraction).astype(float)
    v = np.ldexp(unit, np.maximum(exponent, 1) - bias - mantissa)
    v[code > largest] = np.nan
    if infinity is not None:
        v[infinity] = np.inf
    v = np.concatenate([v, -v])
    if not negative_zero:
        v[0x80] = np.nan
    return v


def to_float8(a, f, saturate):
    """The codes of the nearest numbers, ties to even."""
    bias, mantissa, largest, infinity, nan, negative_zero = f
    a = np.asarray(a, float)
    v = float8_values(f)[:largest + 1]
    v = np.append(v, 2 * v[-1] - v[-2])
    size = np.abs(a)
    low = np.clip(np.searchsorted(v, size, "right") - 1, 0, largest)
    up = (size - v[low] > v[low + 1] - size) | ((size - v[low] == v[low + 1] - size) & (low % 2 == 1))
    code = low + up
    too_large = code > largest
    code = np.where(too_large, largest if saturate else nan if infinity is None else infinity, code)
    signed = np.signbit(a) & ((code != 0) | negative_zero)
    return np.where(np.isnan(a), nan, np.where(signed, code | 0x80, code))
