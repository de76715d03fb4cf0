#!/usr/bin/env python3
"""ONNX operators with indices, sizes, axes, steps and lengths computed at run time: bad values are
errors that name the operator and the value where ONNX Runtime refuses them too; with --lenient they
do no harm. docs/values.md. `make test-ops`.
"""
import os
import subprocess
import sys
import tempfile

import numpy as np

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from ops import data, number  # noqa: E402
from sequences import arguments, const, graph, node, tensor_type  # noqa: E402

NAN, INF = float("nan"), float("inf")
X = np.arange(12, dtype=np.float32).reshape(3, 4)
IMAGE = np.arange(32, dtype=np.float32).reshape(1, 2, 4, 4)


def i64(*values):
    return np.array(values, np.int64)


def scalar(value, dtype=np.int64):
    return np.array(value, dtype)


def f32(*values):
    return np.array(values, np.float32)


class Row:
    """A model of |nodes| with inputs |names|; |dims| of x as text. |cases|: input values, and
    the expected error or None."""

    def __init__(self, title, nodes, names, cases, dims=None, opset=18, outs="y"):
        self.title, self.nodes, self.names, self.cases = title, nodes, names, cases
        self.dims, self.opset, self.outs = dims, opset, outs.split()


def one(op, outs="y", dims=None, opset=18, cases=(), ins="x k", constants=(), **attrs):
    """A model of the single node |op|."""
    names = [n for n in dict.fromkeys(ins.split()) if n != "_" and n not in dict(constants)]
    nodes = [const(n, v) for n, v in constants] + [node(op, ins, outs, **attrs)]
    return Row(op, nodes, names, cases, dims, opset, outs)


def rnn(op, gates, lengths):
    x = np.ones((3, 1, 2), np.float32)
    return one(op, ins="x w w _ k", hidden_size=2, dims="n 1 2",
               constants=[("w", np.ones((1, gates * 2, 2), np.float32))],
               cases=[((x, np.array([n], np.int32)), why) for n, why in lengths])


def indices(op, cases, **attrs):
    return one(op, cases=[((X, np.array(k, np.int64)), why) for k, why in cases], **attrs)


def numbers(op, cases, x=X, **kind):
    return one(op, cases=[((x, i64(*k) if isinstance(k, tuple) else scalar(k)), why)
                          for k, why in cases], **kind)


def axes(op, **kind):
    return numbers(op, [((2,), f"({op}): an axis is 2, expected -2 to 1"),
                        ((-3,), f"({op}): an axis is -3"), ((-2,), None)], **kind)


def divisions(op, dtype, said):
    return one(op, cases=[((np.array([5], dtype), np.array([0], dtype)), said),
                          ((np.array([5], dtype), np.array([3], dtype)), None)])


ROWS = [
    numbers("Gather", [((0, 10**9), "index 1000000000 at [1] is out of range: expected -3 to 2"),
                       ((-4,), "index -4 at [0]"), ((2, -3), None)]),
    numbers("Gather", [((4,), "index 4 at [0] is out of range: expected -4 to 3"), ((-4,), None)],
            axis=1),
    indices("GatherElements", [([[0, 1, 2, 3]], "index 3 at [0, 3]"), ([[0, 1, 2, -3]], None)]),
    indices("GatherND", [([[0, 4]], "index 4 at [0, 1]"), ([[-4, 0]], "index -4 at [0, 0]"),
                         ([[-3, -4]], None)]),
    indices("GatherND", [([[0], [4], [1]], "index 4 at [1, 0]"), ([[0], [3], [1]], None)],
            batch_dims=1),
    one("ScatterElements", ins="x k u", axis=1,
        cases=[((X, np.array([[0, 4]]), X[:1, :2]), "index 4 at [0, 1]"),
               ((X, np.array([[0, -4]]), X[:1, :2]), None)]),
    one("ScatterND", ins="x k u",
        cases=[((X, np.array([[7]]), X[:1]), "index 7 at [0, 0]"), ((X, np.array([[-3]]), X[:1]), None)],
        dims="n 4"),
    Row("Cast", [node("Cast", "x", "i", to=7), node("Gather", "k i", "y")], "xk",
        [((f32(NAN), X), "index -9223372036854775808 at [0]"), ((f32(INF), X), "index 9223372036854775807"),
      ((f32(1.5), X), None)]),
    Row("Cast", [node("Cast", "x", "i", to=6), node("Gather", "k i", "y")], "xk",
        [((f32(-NAN), X), "index -2147483648 at [0]"), ((f32(-INF), X), "index -2147483648"),
      ((f32(-1), X), None)]),
    # the check runs in Neg's kernel, but names Gather
    Row("Gather", [node("Gather", "x k", "g"), node("Neg", "g", "y")], "xk",
        [((X, np.array([0, n])), why) for n, why in ((3, "node 0 (Gather): index 3 at [1] is out of range"), (-3, None))]),
    numbers("TopK", [((5,), "(TopK): k is 5, expected 0 to 4"), ((-1,), "(TopK): k is -1"), ((4,), None),
                     ((0,), None)],
            outs="y z"),
    one("OneHot", ins="x k v", constants=[("v", f32(0, 1))],
        cases=[((i64(1), i64(0)), "(OneHot): the depth is 0, expected at least 1"),
               ((i64(1), i64(-2)), "(OneHot): the depth is -2"), ((i64(9, -9), i64(3)), None)]),
    one("Range", ins="x k u",
        cases=[((scalar(0), scalar(5), scalar(0)), "(Range): delta is 0"),
               ((scalar(5), scalar(0), scalar(-2)), None)]),
    one("Range", ins="x k u",
        cases=[(tuple(scalar(v, np.float32) for v in (0, e, d)), why) for e, d, why in
               ((5, 0, "(Range): delta is 0"), (0, 0, "(Range): delta is 0"),
                (1, NAN, "(Range): delta is not a number"), (5, 2, None))]),
    one("Slice", ins="x a b k s",
        cases=[((X, i64(0), i64(3), i64(k), i64(s)), why) for k, s, why in
               ((0, 0, "(Slice): a step is 0"), (2, 1, "(Slice): an axis is 2, expected -2 to 1"),
                (-3, 1, "(Slice): an axis is -3"), (-2, 1, None))]),
    one("Slice", ins="x a a k",
        cases=[((X, i64(0, 0), i64(0, 0)), "(Slice): the distance between two axes is 0"),
               ((X, i64(0, 0), i64(0, -2)), "(Slice): the distance between two axes is 0"),
               ((X, i64(0, 0), i64(0, -1)), None)]),
    one("Slice", ins="x a b a k", constants=[("a", i64(0)), ("b", i64(3))],
        cases=[((X, i64(0)), "(Slice): a step is 0"), ((X, i64(-1)), None)]),
    one("CumSum", cases=[((X, scalar(2)), "(CumSum): an axis is 2, expected -2 to 1"),
                         ((X, scalar(-10**9)), "(CumSum): an axis is -1000000000"), ((X, scalar(-2)), None)]),
    numbers("Split", [((1, 2), "(Split): the sum of the sizes is 3, expected 4"),
                      ((5, -1), "(Split): a size is -1, expected at least 0"),
                      ((4, 4), "(Split): the sum of the sizes is 8"), ((0, 4), None)], outs="y z", axis=1),
    one("Split", ins="x", outs="y z", opset=17, dims="n 4",
        cases=[((X,), "(Split): the remainder of the dimension by the number of outputs is 1"), ((X[:2],), None)]),
    one("Split", ins="x", outs="y z", num_outputs=2, dims="n 4",
        cases=[((X[:1],), None), ((X,), None)]),
    one("Split", ins="x c", outs="y z", constants=[("c", i64(1, 2))], dims="n 4",
        cases=[((X[:2],), "(Split): the sum of the sizes is 3, expected 2"), ((X,), None)]),
    numbers("Reshape", [((6, -2), "(Reshape): a dimension of the shape is -2, expected at least -1"),
                        ((-1, -1), "(Reshape): the number of dimensions of -1 is 2, expected 0 to 1"),
                        ((5, -1), "12"), ((4, 4), "16"), ((0, -1), None)]),
    numbers("Reshape", [((-1, -1), "the number of dimensions of -1 is 2"), ((-5, 1), "shape is -5"),
                        ((-1, 1), None)], x=f32(1)),
    numbers("Reshape", [((3, 4, 0), "a dimension of the shape that the input lacks is 0"),
                        ((3, -1, 2), None)]),
    numbers("Expand", [((3, 3), "(Expand): a dimension of the shape is 3, expected 4"),
                       ((2, 4), "(Expand): a dimension of the shape is 2, expected 3"),
                       ((-2, 4), "(Expand): a dimension of the shape is -2"), ((1, 1), None), ((3, 4), None)]),
    numbers("Tile", [((-1, 2), "(Tile): a repeat is -1, expected at least 0"), ((0, 2), None)]),
    numbers("Pad", [((-5, 0, 0, 0), "(Pad): a padded dimension is -2, expected at least 0"),
                    ((-2, 0, -2, 0), "(Pad): a padded dimension is -1"), ((0, 0, -3, -4), None)]),
    numbers("Pad", [((0, 4, 0, 0), "(Pad): a padding is 4, expected at most 3"),
                    ((0, 0, 3, 0), "(Pad): a padding is 3, expected at most 2"), ((0, 3, 0, 0), None)],
            mode="reflect"),
    one("Pad", mode="edge",
        cases=[((X[:0], i64(1, 0, 0, 0)), "(Pad): a padded dimension of the input is 0"),
               ((X[:0], i64(0, 1, 0, 0)), None), ((X, i64(1, 0, 0, 0)), None)]),
    one("Resize", ins="x _ _ k", mode="nearest",
        cases=[((IMAGE, i64(1, 2, -1, 4)), "(Resize): a size is -1, expected at least 1"),
               ((IMAGE, i64(1, 2, 0, 4)), "(Resize): a size is 0"), ((IMAGE, i64(1, 2, 2, 8)), None)]),
    one("Resize", ins="x _ k", mode="nearest",
        cases=[((IMAGE, f32(1, 1, s, 1)), why) for s, why in
               ((-1, "(Resize): a scaled size is -4"), (0, "(Resize): the scale at [2] is 0"),
                (NAN, "(Resize): the scale at [2] is not a number"), (2, None))]),
    one("ConstantOfShape", ins="x",
        cases=[((i64(-1, 2),), "(ConstantOfShape): a dimension is -1, expected at least 0"),
               ((i64(0, 2),), None)]),
    numbers("Unsqueeze", [((3,), "(Unsqueeze): an axis is 3, expected -3 to 2"),
                          ((-4,), "(Unsqueeze): an axis is -4"), ((-3,), None)]),
    axes("Squeeze", x=X[:1, :1], dims="n m"),
    one("Relu", ins="x", dims="n 4",  # no node's fault
        cases=[((X[:, :3],), "rlx: argument 0 'x' of main, dimension 1: expected 4, got 3"), ((X,), None)]),
    one("Squeeze", ins="x a", constants=[("a", i64(1))], dims="n m",
        cases=[((X[:, :2],), "(Squeeze): dimension 1 is 2, expected 1"), ((X[:, :1],), None)]),
    axes("ReduceSum"),
    axes("ReduceMax"),
    one("Compress", axis=0, cases=[((X, np.array([1, 0, 1, 1, 1], bool)), None)]),
    numbers("ReverseSequence", [((1, 2, 3, 4), "(ReverseSequence): length 4 at [3] is out of range: "
                                               "expected 0 to 3"),
                                ((1, 2, 3, -1), "length -1 at [3]"), ((0, 1, 2, 3), None)], dims="n m"),
    rnn("LSTM", 4, [(4, "(LSTM): length 4 at [0] is out of range: expected 0 to 3"),
                    (-1, "(LSTM): length -1 at [0]"), (2, None)]),
    rnn("GRU", 3, [(4, "(GRU): length 4 at [0]"), (3, None)]),
    rnn("RNN", 1, [(4, "(RNN): length 4 at [0]"), (0, None)]),
    divisions("Div", np.int64, "the divisor at [0] is 0"),
    divisions("Div", np.uint8, "the divisor at [0] is 0"),
    divisions("Mod", np.int32, "the divisor at [0] is 0"),
    divisions("Mod", np.int8, "the divisor at [0] is 0"),
    one("Div", cases=[((i64(-2**63), i64(-1)), None)]),
    one("RoiAlign", ins="x r k", output_height=2, output_width=2,
        cases=[((IMAGE, f32(0, 0, 2, 2)[None], i64(b)), why) for b, why in
               ((1, "(RoiAlign): batch index 1 at [0] is out of range: expected 0 to 0"),
                (-1, "(RoiAlign): batch index -1"), (0, None))]),
    one("MaxUnpool", kernel_shape=[2, 2], strides=[2, 2],
        cases=[((IMAGE[:, :1, :2, :2], i64(0, 3, 8, k).reshape(1, 1, 2, 2)), why) for k, why in
               ((16, "(MaxUnpool): index 16 at [0, 0, 1, 1] is out of range: expected 0 to 15"),
                (-1, "(MaxUnpool): index -1"), (15, None))]),
    Row("SplitToSequence", [node("SplitToSequence", "x k", "q"), const("z", np.array(0)),
                            node("SequenceAt", "q z", "y")], "xk",
        [((X, i64(1, 1)), "(SplitToSequence): the sum of the sizes is 2, expected 3"),
                ((X, i64(4, -1)), "(SplitToSequence): a size is -1"), ((X, i64(1, 2)), None)]),
    one("STFT", ins="x k _ z", constants=[("z", np.array(4))], dims="1 n 1",
        cases=[((np.ones((1, 12, 1), np.float32), scalar(k)), why) for k, why in
               ((0, "(STFT): the frame step is 0, expected at least 1"), (-2, "frame step is -2"), (4, None))]),
    one("STFT", ins="x z _ k", constants=[("z", np.array(4))], dims="1 n 1",
        cases=[((np.ones((1, 12, 1), np.float32), scalar(k)), why) for k, why in
               ((0, "(STFT): the frame length is 0, expected 1 to 12"), (13, "frame length is 13"), (4, None))]),
    one("DFT", ins="x _ k", opset=20, dims="1 n 1",
        cases=[((np.ones((1, 4, 1), np.float32), scalar(k)), why) for k, why in
               ((5, "(DFT): an axis is 5"), (-4, "(DFT): an axis is -4"), (1, None))]),
    one("DFT", axis=1, dims="1 n 1",
        cases=[((np.ones((1, 4, 1), np.float32), scalar(k)), why) for k, why in
               ((0, "(DFT): the length is 0, expected at least 1"), (2, None))]),
    one("HannWindow", ins="x", cases=[((scalar(-1),), "(HannWindow): the size is -1"), ((scalar(3),), None)]),
    one("NegativeLogLikelihoodLoss", dims="n 3",
        cases=[((X[:, :3], i64(0, 1, 3)), "index 3"), ((X[:, :3], i64(0, 1, 2)), None)]),
]


def model_of(row):
    """Integer lists and index vectors have known lengths, other dimensions have names."""
    ins = []
    for i, n in enumerate(row.names):
        shapes = {values[i].shape for values, _ in row.cases}
        first = row.cases[0][0][i]
        listed = len(shapes) == 1 and first.ndim == 1 and (first.dtype == np.int64 or n == "k")
        dims = ([int(d) if d.isdigit() else d for d in row.dims.split()] if row.dims and n == "x" else
                list(first.shape) if listed else [f"{n}{d}" for d in range(first.ndim)])
        if n != "x" and first.ndim > 1:
            dims[-1] = first.shape[-1]
        ins.append((n, tensor_type(first.dtype.name, dims)))
    outs = [(n, b"") for n in row.outs]  # without a declared type
    return number(1, 8) + data(8, number(2, row.opset)) + data(7, graph(row.nodes, ins, outs))


def check(args, folder, row):
    bad = []
    with open(os.path.join(folder, "m.onnx"), "wb") as f:
        f.write(model_of(row))
    for lenient in (False, True):
        out = os.path.join(folder, "m.rlx")
        done = subprocess.run([args.rlxc, f.name, "-o", out] + ["--lenient"] * lenient,
                              capture_output=True, text=True, timeout=600)
        if done.returncode:
            return [f"rlxc: {done.stderr.strip()[:300]}"]
        for values, why in row.cases:
            command = [args.rlx, "run", out]
            for k, v in enumerate(values):
                path = os.path.join(folder, f"{k}.npy")
                np.save(path, v)
                command += ["--input", path]
            ran = subprocess.run(command, capture_output=True, text=True, timeout=600)
            if why is None or lenient:
                fits = ran.returncode == 0 or (lenient and why and ran.returncode == 1)
            else:
                fits = ran.returncode == 1 and why in ran.stderr
            if not fits:
                given = [v.tolist() for v in values[1:] or values]
                bad.append(f"{'lenient ' * lenient}{given}: exit {ran.returncode}, "
                           f"{ran.stderr.strip()[:200]!r} instead of {why!r}")
    return bad


def main():
    args = arguments()
    passed = failed = 0
    for row in ROWS:
        with tempfile.TemporaryDirectory() as folder:
            bad = check(args, folder, row)
        for text in bad:
            print(f"values: {row.title}: {text}")
        passed += not bad
        failed += bool(bad)
    print(f"ONNX values: {passed} passed, {failed} failed")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
