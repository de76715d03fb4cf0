#!/usr/bin/env python3
"""Operators of ONNX Runtime for other layouts, against NumPy: channels in blocks
(com.microsoft.nchwc), which it writes when it optimizes for a machine, and channels last; `make
test-ops`.

Output counts are multiples of 8 but not of 16, so that the model determines the block size.
"""
import os
import sys

import numpy as np

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from fused import conv, sigmoid  # noqa: E402
from ops import Input as x, Row, check, check_all  # noqa: E402
from sequences import F32, Program, const, floats, graph, node, run, tensor_type  # noqa: E402

NCHWC, BLOCK = "com.microsoft.nchwc", 8


def padded(v, axis):
    more = [(0, 0)] * v.ndim
    more[axis] = (0, -v.shape[axis] % BLOCK)
    return np.pad(v, more)


def blocked(w):
    """The weight as stored: outputs padded to whole blocks, inputs too if there is at least one
    block."""
    w = padded(w, 0)
    w = padded(w, 1) if w.shape[1] >= BLOCK else w
    outs, ins, h, v = w.shape
    if ins < BLOCK:
        y = w.reshape(outs // BLOCK, BLOCK, ins, h, v).transpose(0, 2, 3, 4, 1)
    else:
        y = w.reshape(outs // BLOCK, BLOCK, ins // BLOCK, BLOCK, h, v).transpose(0, 2, 4, 5, 3, 1)
    return np.ascontiguousarray(y).reshape(w.shape)


def chain():
    """A network: three input channels, blocks of 20, a depthwise convolution, a sum, pooling."""
    rng = np.random.default_rng(5)
    w = [(rng.integers(-4, 5, s) / 4).astype(np.float32) for s in (
        (20, 3, 3, 3), (20, 1, 3, 3), (20, 20, 1, 1), (20, 20, 3, 3))]
    b = [(rng.integers(-4, 5, 20) / 4).astype(np.float32) for _ in w]
    same = dict(domain=NCHWC, pads=[1] * 4, kernel_shape=[3, 3])
    pool = dict(domain=NCHWC, kernel_shape=[2, 2], strides=[2, 2])
    nodes = [const(f"w{i}", blocked(v)) for i, v in enumerate(w)]
    nodes += [const(f"b{i}", padded(v, 0)) for i, v in enumerate(b)]
    nodes += [node("Conv", "x w0 b0", "t0", activation="Relu", **same),
              node("Conv", "t0 w1 b1", "t1", group=24, activation="HardSigmoid",
                   activation_params=[.25, .5], **same),
              node("Conv", "t1 w2 b2", "t2", domain=NCHWC, kernel_shape=[1, 1]),
              node("Conv", "t2 w3 b3 t2", "t3", **same),
              node("Upsample", "t3", "t4", domain=NCHWC, scales=[1, 1, 2, 3], mode="nearest",
                   coordinate_transformation_mode="asymmetric"),
              node("MaxPool", "t4", "t5", **pool), node("AveragePool", "t5", "t6", **pool),
              node("GlobalAveragePool", "t6", "g", domain=NCHWC), node("Sigmoid", "g", "s"),
              node("GlobalMaxPool", "t6", "m", domain=NCHWC),
              node("ReorderOutput", "t6", "y", domain=NCHWC, channels=20),
              node("ReorderOutput", "t6", "last", domain=NCHWC, channels=20, channels_last=1),
              node("ReorderOutput", "s", "scale", domain=NCHWC, channels=20),
              node("ReorderOutput", "m", "most", domain=NCHWC, channels=20),
              node("ReorderInput", "y", "r", domain=NCHWC),
              node("ReorderInput", "last", "q", domain=NCHWC, channels_last=1),
              node("Add", "r q", "p"), node("ReorderOutput", "p", "twice", domain=NCHWC, channels=20)]

    def windows(v):
        return v[:, :, :v.shape[2] // 2 * 2, :v.shape[3] // 2 * 2].reshape(
            *v.shape[:2], v.shape[2] // 2, 2, v.shape[3] // 2, 2)

    def meaning(v):
        wide = [a.astype(np.float64) for a in w]
        t = np.maximum(conv(v.astype(np.float64), wide[0], b[0], pads=1), 0)
        t = np.clip(conv(t, wide[1], b[1], pads=1, group=20) / 4 + .5, 0, 1)
        t = conv(t, wide[2], b[2])
        t = conv(t, wide[3], b[3], pads=1) + t
        t = windows(windows(t.repeat(2, 2).repeat(3, 3)).max((3, 5))).mean((3, 5))
        one = t.mean((2, 3), keepdims=True), t.max((2, 3), keepdims=True)
        return [r.astype(np.float32) for r in (t, t.transpose(0, 2, 3, 1), sigmoid(one[0]), one[1],
                                               2 * t)]
    four = tensor_type(F32, ["b", 20, "h", "w"])
    ends = [("y", four), ("last", tensor_type(F32, ["b", "h", "w", 20])), ("scale", four), ("most", four),
            ("twice", four)]
    image = tensor_type(F32, ["b", 3, "i", "j"])
    return [Program("a network in blocks", graph(nodes, [("x", image)], ends),
                    [(floats(2, 3, 6, 8),), (floats(1, 3, 5, 7),)], meaning,
                    loose=1e-4),
            Program("a weight that is no constant", graph(
                [node("Conv", "x v", "y", domain=NCHWC)], [("x", image), ("v", image)], [("y", four)]), [],
                    None, refused="the weight is not a constant of rank 4 in blocks"),
            Program("channels of unknown number", graph(
                [node("ReorderInput", "x", "r", domain=NCHWC),
                 node("ReorderOutput", "r", "y", domain=NCHWC, channels=3)],
                [("x", tensor_type(F32, ["b", "c", "i", "j"]))], [("y", image)]),
                    [(floats(2, 3, 6, 8),), (floats(1, 3, 1, 1),)], lambda v: [v]),
            Program("more channels than there are", graph(
                [node("ReorderOutput", "x", "y", domain=NCHWC, channels=4)], [("x", image)],
                [("y", four)]), [], None, refused="channels is 4, where the input has 3")]


def rows():
    """Channels last."""
    out, image, weight = [], x("2 n+3 m+3 3"), x("4 3 3 3")
    last, first = (lambda v: np.moveaxis(v, 1, -1)), (lambda v: np.moveaxis(v, -1, 1))
    plain = dict(opset=17, domain="com.microsoft")
    for op in ("NhwcConv", "NhwcFusedConv", "Conv"):
        out.append(Row(op, [image, weight, x("4")], lambda v, w, b: last(conv(first(v), w, b)),
                       **{**plain, "domain": "com.ms.internal.nhwc" if op == "Conv" else "com.microsoft"}))
    out += [Row("NhwcFusedConv", [image, weight, None, x("2 n+1 m+1 4")],
                lambda v, w, z: np.maximum(last(conv(first(v), w)) + z, 0), activation="Relu", **plain),
            Row("NhwcMaxPool", [x("2 n m 3", "uint8", 0, 256)],
                lambda v: np.maximum(v[:, 1:], v[:, :-1]), kernel_shape=[2, 1], gives="uint8",
                sizes=[(2, 3), (5, 4)], **plain),
            Row("GlobalAveragePool", [x("2 n m 3")], lambda v: v.mean((1, 2), keepdims=True), opset=17,
                domain="com.ms.internal.nhwc")]
    s, z = np.array(1 / 64, np.float32), np.array(128, np.uint8)
    w = np.random.default_rng(1).integers(-99, 99, (4, 3, 3, 3)).astype(np.int8)
    for channels_last in (0, 1):
        out.append(Row("QLinearConv", [x("2 n+3 m+3 3" if channels_last else "2 3 n+3 m+3", "uint8", 0, 256),
                                       s, z, w, s, np.array(3, np.int8), np.array(.5, np.float32), z],
                       lambda v, s, z, w, t, wz, ys, yz, c=channels_last: (last if c else lambda a: a)(
                           np.clip(np.rint(conv((first(v) if c else v) - 128, w - 3) / 2048) + 128, 0, 255)),
                       channels_last=channels_last, gives="uint8", **plain))
    return out


if __name__ == "__main__":
    sys.exit(run(chain()) or check_all(rows, check))
