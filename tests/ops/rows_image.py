"""Rows of tests/ops/run.py for windows, images and boxes. Row and x are run.py's."""
import itertools

import numpy as np


def starts(length, size, stride, dilation, before, after, up):
    """Starts of the windows along a padded axis; no window starts after the input."""
    free = length + before + after - dilation * (size - 1) - 1
    count = (-(-free // stride) if up else free // stride) + 1
    at = np.arange(max(count, 0)) * stride
    return at[at < length + before] if up else at


def pool(a, size, stride, pad, dilation=1, up=False, include=False, best=False):
    """Pools windows of |size| over all but the first two dimensions of |a|. |pad|: (before,
    after)."""
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
    """Sizes, strides, paddings and dilations for which the last window ends past the padding,
    starts in it, or fits."""
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
    for size, stride, up in ((3, 2, False), (3, 1, True), (2, 1, False)): # rows of several vectors
        text = f"pool_size=[{size}], strides=[{stride}], padding=[1, 1, 1, 1], ceil_mode={up}"
        for best in (False, True):
            out.append(Row(f"R.nn.{'max' if best else 'avg'}_pool2d(x, {text})", {"x": x("2 3 n m")},
                           lambda a, s=size, t=stride, u=up, b=best:
                           pool(a, (s, s), t, (1, 1), 1, u, best=b)))
        for dims in ("2 3 n m", "n 3 9 8"):
            out.append(Row(f"R.nn.max_pool2d(x, {text})", {"x": x(dims, "float16")},
                           lambda a, s=size, t=stride, u=up:
                           pool(a, (s, s), t, (1, 1), 1, u, best=True),
                           name=f"max_pool2d float16 {size} {stride} {dims}"))
    for value, own, best, include in itertools.product( # a pooling may pad for nn.pad, or may not
            ('"-inf"', "0.0", "0.5"), (0, 1), (False, True), (False, True)):
        out.append(Row(f"R.nn.{'max' if best else 'avg'}_pool2d(R.nn.pad(x, [0, 0, 0, 0, 1, 2, 0, 1], "
                       f"pad_value=T.float32({value})), pool_size=[3, 3], strides=[2], "
                       f"padding=[{own}], count_include_pad={include})", {"x": x("n 2 m 7")},
                       lambda a, v=float(value.strip('"')), p=own, b=best, i=include: pool(
                           np.pad(a, ((0, 0), (0, 0), (1, 2), (0, 1)), constant_values=v), (3, 3),
                           2, (p, p), 1, False, i, b), empty=False))
    for how in ("[1, 1], 1, True, True", "[1, 1], 1, True"):  # padding counts by default
        out.append(Row(f"R.nn.avg_pool1d(x, 3, 2, {how})", {"x": x("n 2 m")},
                       lambda a: pool(a, (3,), 2, (1, 1), 1, True, True), empty=False))
        out.append(Row(f"R.nn.avg_pool1d(x, 2, 3, {how})", {"x": x("n 2 m")},
                       lambda a: pool(a, (2,), 3, (1, 1), 1, True, True), empty=False))
    return out


def spread(a, w, stride, pad, extra, groups):
    """Transposed convolution over three dimensions."""
    n, c = a.shape[:2]
    o, size = w.shape[1], w.shape[2:]
    full = np.zeros((n, o * groups) + tuple((d - 1) * stride + k + extra
                                            for d, k in zip(a.shape[2:], size)))
    for ch, at in itertools.product(range(c), np.ndindex(*a.shape[2:])):
        g = ch // (c // groups)
        part = tuple(slice(p * stride, p * stride + k) for p, k in zip(at, size))
        full[(slice(None), slice(g * o, (g + 1) * o)) + part] += \
            a[(slice(None), ch) + at][:, None, None, None, None] * w[ch]
    return full[(slice(None), slice(None)) + tuple(slice(pad, d - pad) for d in full.shape[2:])]


def cubic(t):
    t = abs(t)
    return ((1.25 * t - 2.25) * t * t + 1 if t <= 1
            else ((-.75 * t + 3.75) * t - 6) * t + 3 if t < 2 else 0)


def reflected(p, n, corners):
    low, high = (0, n - 1) if corners else (-.5, n - .5)
    while high > low and not low <= p <= high:
        p = 2 * low - p if p < low else 2 * high - p
    return p


def taps(c, n, method, padding, corners):
    """(position, weight) pairs along a dimension of |n| for grid coordinate |c|."""
    def inside(p):
        if padding == "reflection":
            p = reflected(p, n, corners)
        return p if padding == "zeros" else min(max(p, 0), n - 1)

    p = (c + 1) * (n - 1) / 2 if corners else (c + 1) * n / 2 - .5
    if method == "nearest":
        return [(int(np.rint(inside(p))), 1)]
    if method == "bicubic":
        low = int(np.floor(p))
        return [(int(inside(k)), cubic(p - k)) for k in range(low - 1, low + 3)]
    p = inside(p)
    low = int(np.floor(p))
    return [(low, 1 - p + low), (low + 1, p - low)]


def grid_sample(a, grid, method, padding, corners):
    out = np.zeros(a.shape[:2] + grid.shape[2:])
    for b, at in itertools.product(range(a.shape[0]), np.ndindex(*grid.shape[2:])):
        place = grid[(b, slice(None)) + at][::-1]
        each = [taps(c, n, method, padding, corners) for c, n in zip(place, a.shape[2:])]
        for tap in itertools.product(*each):
            position = tuple(p for p, _ in tap)
            if all(0 <= p < n for p, n in zip(position, a.shape[2:])):
                out[(b, slice(None)) + at] += \
                    a[(b, slice(None)) + position] * np.prod([w for _, w in tap])
    return out


def affine_grid(theta, size, corners):
    axes = [np.linspace(-1, 1, n) if corners and n > 1 else
            (2 * np.arange(n) + 1) / n - 1 for n in size]
    places = np.stack(np.meshgrid(*axes, indexing="ij")[::-1] + [np.ones(size)])
    return np.einsum("bij,j...->bi...", theta, places)


def nearest(a, size):
    for d, n in enumerate(size):
        at = np.floor((np.arange(n) + .5) * a.shape[2 + d] / n - .5 + .5).astype(int)
        a = np.take(a, np.clip(at, 0, a.shape[2 + d] - 1), 2 + d)
    return a


def linear(a, size, corners):
    for d, n in enumerate(size):
        last = a.shape[2 + d] - 1
        p = (np.arange(n) * last / max(n - 1, 1) if corners
             else (np.arange(n) + .5) * (last + 1) / n - .5)
        low = np.floor(p).astype(int)
        t = (p - low).reshape((-1,) + (1,) * (a.ndim - 3 - d))
        a = np.take(a, np.clip(low, 0, last), 2 + d) * (1 - t) + \
            np.take(a, np.clip(low + 1, 0, last), 2 + d) * t
    return a


def cropped(a, roi, size, kind):
    """tf_crop_and_resize of images (n, c, h, w); 7.5 outside."""
    at = [(roi[d] + (roi[d + 2] - roi[d]) * (np.arange(n) / (n - 1) if n > 1 else np.full(n, .5))) *
          (a.shape[2 + d] - 1) for d, n in enumerate(size)]
    y = a
    for d, c in enumerate(at):
        last = a.shape[2 + d] - 1
        if kind == "linear":
            low = np.floor(c)
            share = (c - low).reshape((-1,) + (1,) * (1 - d))
            low = low.astype(int)
            y = (np.take(y, low.clip(0, last), 2 + d) * (1 - share) +
                 np.take(y, (low + 1).clip(0, last), 2 + d) * share)
        else:
            y = np.take(y, np.rint(c).astype(int).clip(0, last), 2 + d)
    inside = [(c >= 0) & (c <= a.shape[2 + d] - 1) for d, c in enumerate(at)]
    return np.where(inside[0][:, None] & inside[1], y, 7.5)


def roi_pool(a, rois, size, scale):
    out = np.zeros((len(rois), a.shape[1]) + size)
    for r, i, j in np.ndindex(len(rois), *size):
        image, part = int(rois[r, 0]), []
        for d, (k, n) in enumerate(((i, a.shape[2]), (j, a.shape[3]))):
            low, high = np.floor(rois[r, [2 - d, 4 - d]] * scale + .5)
            step = max(high - low + 1, 1) / size[d]
            part.append(slice(int(min(max(low + np.floor(k * step), 0), n)),
                              int(min(max(low + np.ceil((k + 1) * step), 0), n))))
        piece = a[image, :, part[0], part[1]]
        if piece.size:
            out[r, :, i, j] = piece.max((1, 2))
    return out


def valid_counts(a, least, at, score):
    counts, out, indices = np.zeros(len(a)), np.full(a.shape, -1.), np.full(a.shape[:2], -1)
    for b, boxes in enumerate(a):
        good = boxes[:, score] > np.float32(least)
        if at >= 0:
            good &= boxes[:, at] >= 0
        counts[b] = good.sum()
        out[b, :good.sum()] = boxes[good]
        indices[b, :good.sum()] = np.flatnonzero(good)
    return [counts, out, indices]


def meet(a, b):
    low, high = np.maximum(a[:2], b[:2]), np.minimum(a[2:], b[2:])
    both = np.prod(np.maximum(high - low, 0))
    return both / max(np.prod(a[2:] - a[:2]) + np.prod(b[2:] - b[:2]) - both, 1e-30)


def box_nms(a, counts, indices, limit, iou, force, top, at, sigma=0, least=0):
    """Rows are (class, score, corners). Returns (boxes, their indices, their number)."""
    out, places = np.full(a.shape, -1.), np.full(a.shape[:2], -1)
    kept = np.zeros((len(a), 1))
    for b in range(len(a)):
        left = sorted(range(int(counts[b])), key=lambda i: (-a[b, i, 1], i))
        left = [[a[b, i].copy(), i] for i in left[:top if top > 0 else None]]
        while left and (limit <= 0 or kept[b, 0] < limit):
            best = max(range(len(left)), key=lambda k: (left[k][0][1], -k)) if sigma else 0
            if sigma:
                left[0], left[best] = left[best], left[0]
            box, i = left.pop(0)
            if not box[1] > least:
                break
            n = int(kept[b, 0])
            out[b, n], places[b, n] = box, indices[b, i]
            kept[b, 0] += 1
            rest = []
            for other, k in left:
                if force or at < 0 or other[at] == box[at]:
                    shared = meet(other[2:6], box[2:6])
                    if shared >= iou:
                        continue
                    if sigma:
                        other[1] *= np.exp(-.5 / sigma * shared ** 2)
                rest.append([other, k])
            left = rest
    return [out, places, kept]


def some_boxes(Row, x):
    """Boxes with distinct scores, classes 0 to 2, and corners at least .5 apart."""
    spread_out = ("R.add(R.multiply(x, R.const([0., 1., 1., 1., .5, .5])), "
                  "R.const([0., 0., 0., 0., 1.5, 1.5]))")
    classed = f"R.concat((R.floor(R.strided_slice(x, [2], [0], [1])), " \
              f"R.strided_slice({spread_out}, [2], [1], [6])), axis=2)"
    inputs = {"x": x("2 9 6", low=0, high=3), "c": x("2", "int32", 5, 10),
              "i": x("2 9", "int32", 0, 99)}

    def make(a):
        a = a.astype(np.float32).astype(np.float64)
        return np.concatenate([np.floor(a[..., :1]), a[..., 1:4], a[..., 4:] * .5 + 1.5], 2)

    def corners_in_order(a):
        a = make(a)
        low, high = np.minimum(a[..., 2:4], a[..., 4:]), np.maximum(a[..., 2:4], a[..., 4:])
        return np.concatenate([a[..., :2], low, high], 2)

    out = []
    for at, least in ((0, 1.2), (-1, 0.)):
        out.append(Row(f"R.vision.get_valid_counts({classed}, {least}, {at}, 1)",
                       {"x": inputs["x"]},
                       lambda a, at=at, least=least: valid_counts(make(a), least, at, 1),
                       name=f"get_valid_counts above {least}, class at {at}",
                       gives=["int32", "float32", "int32"]))
    for limit, force, top, at in ((-1, 0, -1, 0), (2, 0, 7, 0), (-1, 1, -1, 0), (3, 0, -1, -1)):
        for sigma in (0, .5):
            text = (f"R.vision.non_max_suppression({classed}, c, i, {limit}, .4, {bool(force)}, "
                    f"{top}, 2, 1, {at}, soft_nms_sigma={float(sigma)}, score_threshold=.2)")

            def reference(a, c, i, limit=limit, force=force, top=top, at=at, sigma=sigma):
                a = corners_in_order(a)
                out = box_nms(a, c, i, limit, .4, force, top, at, sigma, .2 if sigma else 0)
                return out[1:] if not sigma else out[1:]

            out.append(Row(f"({text})" if not sigma else f"R.tuple({text}[1], {text}[2])", inputs,
                           reference, gives=["int32", "int32"],
                           name=f"non_max_suppression {limit} {force} {top} {at} {sigma}"))
    return out


def multibox(scores, loc, anchor, least, background, clip):
    size = anchor[..., 2:] - anchor[..., :2]
    centre = loc[..., :2] * [.1, .2] * size + (anchor[..., :2] + anchor[..., 2:]) / 2
    half = np.exp(loc[..., 2:] * [.3, .4]) * size / 2
    boxes = np.concatenate([(centre - half)[..., ::-1], (centre + half)[..., ::-1]], 2)
    e = np.exp(scores - scores.max(1, keepdims=True))
    e = e / e.sum(1, keepdims=True)
    e = e * (e >= least)
    if not background:
        e[:, :1] = 0
    return [np.clip(boxes, 0, 1) if clip else boxes, e]


def images(Row, x):
    out = []
    for stride, pad, extra, groups in ((1, 0, 0, 1), (2, 1, 1, 1), (3, 0, 0, 2)):
        text = f"strides={stride}, padding={pad}, output_padding={extra}, groups={groups}"
        out.append(Row(f"R.nn.conv3d_transpose(x, w, {text})",
                       {"x": x("n 4 3 2 4"), "w": x("4 m 3 2 3")},
                       lambda a, w, s=stride, p=pad, e=extra, g=groups: spread(a, w, s, p, e, g)))
    out.append(Row("R.nn.conv3d_transpose(x, w, strides=2, data_layout=\"NDHWC\", "
                   "kernel_layout=\"DHWIO\")", {"x": x("n 3 2 4 4"), "w": x("3 2 2 4 m")},
                   lambda a, w: spread(a.transpose(0, 4, 1, 2, 3), w.transpose(3, 4, 0, 1, 2), 2, 0,
                                       0, 1).transpose(0, 2, 3, 4, 1)))
    methods = itertools.product(("nearest", "bilinear", "bicubic"),
                                ("zeros", "border", "reflection"), (False, True))
    for method, padding, corners in methods:
        text = f"method=\"{method}\", padding_mode=\"{padding}\", align_corners={corners}"
        ref = lambda a, g, m=method, p=padding, c=corners: grid_sample(a, g, m, p, c)
        row = Row(f"R.image.grid_sample(x, g, {text})",
                  {"x": x("n 2 5 6"), "g": x("n 2 2 m", low=-2.5, high=2.5)}, ref)
        row.loose = 1e-4 # positions far outside
        out.append(row)
        if method != "bicubic":
            out.append(Row(f"R.image.grid_sample(x, g, layout=\"NCDHW\", {text})",
                           {"x": x("2 2 3 n 4", "float64"),
                            "g": x("2 3 2 1 m", "float64", -2, 2)}, ref, empty=False))
    for channels in (8, 13, 40): # channels go last where they are many
        out.append(Row("R.image.grid_sample(x, g)",
                       {"x": x(f"n {channels} 5 6"), "g": x("n 2 3 m", low=-1.5, high=1.5)},
                       lambda a, g: grid_sample(a, g, "bilinear", "zeros", False)))
    out.append(Row("R.image.grid_sample(x, g, layout=\"NHWC\")",
                   {"x": x("n 5 6 m"), "g": x("n 2 2 3", low=-2, high=2)},
                   lambda a, g: grid_sample(a.transpose(0, 3, 1, 2), g, "bilinear", "zeros",
                                            False).transpose(0, 2, 3, 1)))
    for corners in (False, True):
        out += [Row(f"R.image.affine_grid(x, (4, m), align_corners={corners})",
                    {"x": x("n 2 3"), "y": x("m")},
                    lambda a, y, c=corners: affine_grid(a, (4, len(y)), c)),
                Row(f"R.image.affine_grid(x, (2, 3, 5), align_corners={corners})",
                    {"x": x("n 3 4")}, lambda a, c=corners: affine_grid(a, (2, 3, 5), c)),
                Row("R.image.resize3d(x, (3, 4, 9), coordinate_transformation_mode=\"" +
                    ("align_corners" if corners else "half_pixel") + "\")",
                    {"x": x("n 2 m 5 6")}, lambda a, c=corners: linear(a, (3, 4, 9), c),
                    empty=False)]
    for roi in ((0, 0, 1, 1), (.21, -.13, .77, 1.22), (.5, .5, .5, .5)):
        for size in ("(3, 4)", "(1, 1)", "(n, m)"):
            for kind in ("linear", "nearest_neighbor"):
                text = (f"roi=[{', '.join(f'T.float32({v})' for v in map(float, roi))}], method=\"{kind}\", "
                        "coordinate_transformation_mode=\"tf_crop_and_resize\", "
                        "rounding_method=\"round\", extrapolation_value=7.5")
                out += [Row(f"R.image.resize2d(x, {size}, {text})",
                            {"x": x("2 n 5 8"), "y": x("n m")},
                            lambda a, y, r=roi, s=size, k=kind: cropped(
                                a, r, y.shape if s == "(n, m)" else eval(s), k)),
                        Row(f"R.image.resize2d(x, {size}, layout=\"NHWC\", {text})",
                            {"x": x("n 7 6 m"), "y": x("n m")},
                            lambda a, y, r=roi, s=size, k=kind: cropped(
                                a.transpose(0, 3, 1, 2), r, y.shape if s == "(n, m)" else eval(s),
                                k).transpose(0, 2, 3, 1))]
    out += [Row("R.image.resize3d(x, (3, 4, 9), method=\"nearest_neighbor\", "
                "rounding_method=\"round_prefer_ceil\")", {"x": x("2 2 m 5 6", "int32", -9, 9)},
                lambda a: nearest(a, (3, 4, 9)), empty=False),
            Row("R.vision.roi_pool(x, R.concat((R.astype(i, \"float32\"), b), axis=1), [3, 2], .5)",
                {"x": x("2 3 6 8"), "i": x("n 1", "int32", 0, 2), "b": x("n 4", low=-3, high=16)},
                lambda a, i, b: roi_pool(a, np.concatenate((i, b), 1), (3, 2), .5)),
            Row("R.log_add_exp(x, y)", {"x": x("n m", low=-90, high=90), "y": x("m", high=90)},
                np.logaddexp),
            Row("R.log_add_exp(R.log(x), R.log(y))", # both are -inf
                {"x": x(low=0, high=0), "y": x("m", low=0, high=0)},
                lambda a, b: np.full(a.shape, -np.inf)),
            Row("R.nn.batch_flatten(x)", {"x": x("n 2 m")},
                lambda a: a.reshape(a.shape[0], 2 * a.shape[2])),
            Row("R.nn.batch_flatten(x)", {"x": x("n")}, lambda a: a[:, None], name="flat vector"),
            Row("R.size(x)", {"x": x("n 3 m")}, np.size, gives="int64"),
            Row("R.size(R.nonzero(x))", {"x": x("n m")}, lambda a: 2 * np.count_nonzero(a),
                gives="int64", name="size of unknown dimensions")]
    for least, background, clip in ((0., True, False), (.3, False, True)):
        out.append(Row("R.vision.multibox_transform_loc(c, R.nn.batch_flatten(l), a, "
                       f"clip={clip}, threshold={least}, variances=(.1, .2, .3, .4), "
                       f"keep_background={background})",
                       {"c": x("n 3 m"), "l": x("n m 4"), "a": x("1 m 4")},
                       lambda c, l, a, t=least, k=background, p=clip: multibox(c, l, a, t, k, p)))
    return out


def rows(Row, x):
    return pools(Row, x) + images(Row, x) + some_boxes(Row, x)
