#!/usr/bin/env python3
"""ONNX graphs as exporters write them, against NumPy: sizes computed by operators on Shape, a
reversed padding list, dimensions that are equal but not provably so, squeezes of a dimension that
need not be 1. `make test-ops`.
"""
import os
import sys

import numpy as np

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import ops_reference as ref  # noqa: E402
from sequences import (F32, I64, Program, Ref, const, floats, function,  # noqa: E402
                       graph, node, run, tensor_type)


def i64(*values):
    return np.array(values, np.int64)


def padding(pads):
    """torch.nn.functional.pad as exported: |pads|, from the last axis on, becomes Pad's list
    (for two dimensions) through zeros, reversed rows and a transposition."""
    return [pads, node("Shape", "pads", "np"), const("four", i64(4)), node("Sub", "four np", "k"),
            node("ConstantOfShape", "k", "zeros", value=i64(0)),
            node("Concat", "pads zeros", "all", axis=0), const("by2", i64(-1, 2)),
            node("Reshape", "all by2", "rows"), const("last", i64(-1)),
            const("first", i64(-2**63 + 1)), const("zero", i64(0)), const("back", i64(-1)),
            node("Slice", "rows last first zero back", "turned"),
            node("Transpose", "turned", "columns", perm=[1, 0]), const("flat", i64(-1)),
            node("Reshape", "columns flat", "list"), node("Cast", "list", "pads64", to=7),
            node("Pad", "x pads64", "y")]


def squeezed(x, s):
    """|s| is squeeze(x, 1) of a dimension that need not be 1."""
    f = tensor_type(F32, None)
    branches = [graph([const("ax", i64(1)), node("Squeeze", f"{x} ax", "t")], [], [("t", f)]),
                graph([node("Identity", x, "e")], [], [("e", f)])]
    return [node("Shape", x, f"{s}d"), const(f"{s}at", np.array(1, np.int64)),
            const(f"{s}one", i64(1)[0]), node("Gather", f"{s}d {s}at", f"{s}d1", axis=0),
            node("Equal", f"{s}d1 {s}one", f"{s}c"),
            node("If", f"{s}c", s, then_branch=branches[0], else_branch=branches[1])]


def squeezing(then_rank_only):
    """A squeeze, then an operator."""
    after = [node("Transpose", "s", "y", perm=[1, 0])] if then_rank_only else [
        node("Shape", "s", "sh"), node("Size", "sh", "rank"), node("Cast", "rank", "r", to=1),
        node("Add", "s r", "y")]
    return squeezed("x", "s") + after


def in_sequence(turns, then, last=()):
    """Squeezes of x0, x1..., each followed by the node |then| (operator, further inputs,
    attributes)."""
    op, others, attrs = then
    nodes = [const("flat", i64(-1))]
    for i in range(turns):
        nodes += squeezed(f"x{i}", f"s{i}") + [node(op, f"s{i}{others}", f"y{i}", **attrs)]
    kind = tensor_type(F32, ["n", "k", "m"])
    return graph(nodes + list(last), [(f"x{i}", kind) for i in range(turns)],
                 [("y", tensor_type(F32, None))] if last else
                 [(f"y{i}", tensor_type(F32, None)) for i in range(turns)])


def scattered(x, at):
    """x with the numbers 0, 1... stored at the positions |at|."""
    out = x.copy()
    out[at] = np.arange(len(at))
    return out


def scattered_at(x, at, u):
    y = x.copy()
    y[tuple(at.T)] = u
    return y


def narrow_sizes(name, to):
    """Sizes that wrap in a cast, and twice the wrapped value: static and symbolic."""
    def meaning(x, y):
        d = np.array(x.shape + y.shape).astype(name)
        return [d, d.astype(np.int64), d + d, (d + d).astype(np.int64), (d < 50).astype(np.float32)]
    limit = np.array(50, name)
    nodes = [node("Shape", "x", "dx"), node("Shape", "y", "dy"), node("Concat", "dx dy", "d", axis=0),
             node("Cast", "d", "c", to=to), node("Cast", "c", "w", to=7), node("Add", "c c", "t"),
             node("Cast", "t", "tw", to=7), const("limit", limit), node("Less", "c limit", "l"),
             node("Cast", "l", "lf", to=1)]
    four = [(name, tensor_type(t, ["k"])) for name, t in
            (("c", name), ("w", I64), ("t", name), ("tw", I64), ("lf", F32))]
    return Program(f"sizes as {name}", graph(nodes, [("x", tensor_type(F32, ["n", 0, "m"])),
                                                     ("y", tensor_type(F32, [0, 300, 130, 70000]))],
                                             four),
                   [(np.zeros((a, 0, b), np.float32), np.zeros((0, 300, 130, 70000), np.float32))
                    for a, b in ((300, 130), (1, 70000), (127, 128), (65536 * 3, 64))], meaning)


def quarters(*dims):
    """Values with few significant bits, so that sums of products are exact."""
    return np.round(floats(*dims) * 4) / 4


def projected(biased, dims, together):
    """Three products of x of |dims| dimensions, or (|together|) the columns of one product; one
    result is used while the others are still live."""
    weights = [i + quarters(8, 16) for i in range(3)]
    biases = [i * quarters(16) for i in range(3)]
    nodes = [const("heads", i64(*[0] * (dims - 1), 4, 4)), const("two", np.float32(2))]
    for i, (w, b) in enumerate(zip(weights, biases)):
        nodes += [const(f"w{i}", w), const(f"b{i}", b), node("MatMul", f"x w{i}", f"p{i}"),
                  node("Add", f"p{i} b{i}" if i else f"b{i} p{i}", f"s{i}")] * (not together)
    if together:
        nodes += [const("w", np.concatenate(weights, 1)), const("b", np.concatenate(biases)),
                  node("MatMul", "x w", "p"), node("Add", "p b", "s"),
                  node("Split", "s" if biased else "p", "s0 s1 s2" if biased else "p0 p1 p2",
                       axis=-1, num_outputs=3)]
    nodes += [node("Reshape", (f"s{i}" if biased else f"p{i}") + " heads", f"h{i}")
              for i in range(3)]
    nodes += [node("Mul", "h0 two", "d"), node("Sub", "d h1", "e"), node("MatMul", "e h2", "f"),
              node("Add", "f h1", "g"), node("Add", "g h0", "y")]

    def meaning(x):
        heads = [(x.astype(np.float64) @ w + biased * b).reshape(*x.shape[:-1], 4, 4)
                 for w, b in zip(weights, biases)]
        return [((2 * heads[0] - heads[1]) @ heads[2] + heads[1] + heads[0]).astype(np.float32)]

    names = ["a", "b", "c"][:dims - 1]
    sizes = {2: [(3,), (1,), (0,), (65,)], 3: [(2, 3), (1, 1), (0, 5), (3, 0), (2, 65)],
             4: [(2, 1, 3), (1, 2, 17)]}[dims]
    what = "columns of a product" if together else "products of one operand"
    return Program(f"{what}, {dims} dimensions" + ", biased" * biased,
                   graph(nodes, [("x", tensor_type(F32, names + [8]))],
                         [("y", tensor_type(F32, names + [4, 4]))]),
                   [(quarters(*s, 8),) for s in sizes], meaning)


def convolved(turns):
    """A strided convolution, then heads split off and merged |turns| times, by sizes read from
    it: no size is negative, though n // 2 - 1 might be."""
    nodes = [const("w", floats(4, 1, 4)), node("Conv", "x w", "y0", strides=[2]),
             const("i0", i64(0)), const("i2", i64(2)), const("two", i64(2)), const("four", i64(4))]
    for i in range(turns):
        y, k = f"y{i}", i + 1
        nodes += [node("Shape", y, f"d{k}"), node("Gather", f"d{k} i0", f"b{k}", axis=0),
                  node("Gather", f"d{k} i2", f"l{k}", axis=0),
                  node("Concat", f"b{k} two two l{k}", f"s{k}", axis=0),
                  node("Reshape", f"{y} s{k}", f"h{k}"),
                  node("Transpose", f"h{k}", f"t{k}", perm=[0, 2, 1, 3]),
                  node("Concat", f"b{k} four l{k}", f"r{k}", axis=0),
                  node("Reshape", f"t{k} r{k}", f"y{k}")]
    return graph(nodes + [node("Neg", f"y{turns}", "y")], [("x", tensor_type(F32, ["b", 1, "n"]))],
                 [("y", tensor_type(F32, ["b", 4, "k"]))])


def convolve(x):
    windows = np.lib.stride_tricks.sliding_window_view(x[:, 0], 4, axis=1)[:, ::2]
    y = np.einsum("ck,blk->bcl", floats(4, 1, 4)[:, 0], windows)
    return [-y[:, [0, 2, 1, 3]]] # three such transpositions equal one


def cut(x, lengths):
    """The first k elements of x for each k of |lengths|, concatenated."""
    return [np.concatenate([x[:k] for k in lengths])]


def functions():
    """x + x; the sum after a leaky ReLU; softmax over all axes but the first; and a recursive
    function."""
    twice = function("Twice", ["a"], ["x"], [node("Add", "a a", "x")])
    leaky = function("Leaky", ["v", "more"], ["kept", "y"], [
        node("LeakyRelu", "v", "x", alpha=Ref("slope")), node("Twice", "x", "y", domain="local"),
        node("Identity", "v", "kept")], attributes=["slope"])
    share = function("Share", ["x"], ["y"], [node("Softmax", "x", "y", axis=1)], opset=11)
    again = function("Again", ["x"], ["y"], [node("Again", "x", "t", domain="local"),
                                             node("Again", "t", "y", domain="local")])
    return [twice, leaky, share, again]


def old_scan():
    """A Scan of opset 8, with a leading batch dimension: running sums, and their products with
    an outer value."""
    of_one = tensor_type(F32, ["k"])
    turn = graph([node("Add", "s x", "t"), node("Mul", "t w", "o"), node("Identity", "t", "u")],
                 [("s", of_one), ("x", of_one)], [("u", of_one), ("o", of_one)])
    return [function(name, ["first", "xs", "w"], ["last", "ys"],
                     [node("Scan", "_ first xs", "last ys", body=turn, num_scan_inputs=1, **how)],
                     opset=8) for name, how in (("Sums", {}), ("Back", {"directions": [1]}))]


def summed(first, xs, w):
    sums, back = first[:, None] + xs.cumsum(1), first[:, None] + xs[:, ::-1].cumsum(1)
    ends = [s[:, -1] if xs.shape[1] else first for s in (sums, back)]
    return [ends[0], sums * w, ends[1], back * w]


def called(x):
    e = np.exp(x)
    e = e / e.sum((1, 2), keepdims=True)
    return [np.where(x < 0, .5 * x, 2 * x) + x, np.where(x < 0, .02 * x, 2 * x), e]


def rounded(x):
    n = len(x)
    rows, columns = int((n - 5) / 3) + 2, int((n - 1) / 2) + 1
    return [np.full((rows, rows), columns, np.float32), i64(-int((n - 5) / 3))]


def large_weights():
    """Transpositions of weights, computed by the compiler. Names of four lengths: a file aligns no bytes."""
    w = floats(301, 70)
    for n in range(1, 5):
        name = "w" * n
        nodes = [const(name, w), node("Transpose", name, "t", perm=[1, 0]), node("MatMul", "x t", "y"),
                 node("Reshape", f"{name} shape", "r"), node("Gemm", "y r", "z", transB=1), node("Identity", "t", "same")]
        yield Program(f"transposed weights, name of {n}", graph(
            [const("shape", i64(70, 301))] + nodes, [("x", tensor_type(F32, ["n", 70]))],
            [("z", tensor_type(F32, ["n", 70])), ("same", tensor_type(F32, [70, 301]))]),
            [(floats(3, 70),)], lambda x: [(x.astype(float) @ w.T.astype(float) @ w.reshape(70, 301).T).astype(np.float32), w.T])


def reduced(kind, x, axes, keep):
    x = x.astype(float)
    axes = tuple(int(a) for a in axes)
    sums = lambda v: v.sum(axes, keepdims=keep)  # noqa: E731
    return {"Mean": lambda: sums(x) / np.prod([x.shape[a] for a in axes]), "L1": lambda: sums(abs(x)),
            "L2": lambda: np.sqrt(sums(x * x)), "SumSquare": lambda: sums(x * x), "LogSum": lambda: np.log(sums(x)),
            "LogSumExp": lambda: np.log(sums(np.exp(x))), "Sum": lambda: sums(x)}[kind]()


def reductions():
    """Several axes that are known at run time only; integers are rounded once."""
    for kind in ("Mean", "L1", "L2", "SumSquare", "LogSum", "LogSumExp", "Sum"):
        for keep, length in ((0, 2), (1, "k")):
            x = abs(floats(2, 3, 5)) / 3 + 1
            ints = np.arange(1, 31, dtype=np.int32).reshape(2, 3, 5) % 7 + 1
            for v, code in ((x, F32), (ints, "int32")):
                if kind == "LogSumExp" and v is ints:
                    continue
                yield Program(f"Reduce{kind} of {v.dtype}, keepdims {keep}, {length} axes at run time", graph(
                    [node(f"Reduce{kind}", "x axes", "y", keepdims=keep)],
                    [("x", tensor_type(code, ["n", 3, "m"])), ("axes", tensor_type(I64, [length]))],
                    [("y", tensor_type(code, None))]), [(v, i64(0, 2)), (v, i64(-1, 1))],
                    lambda x, axes, kind=kind, keep=keep: [reduced(kind, x, axes, keep == 1).astype(x.dtype)],
                    loose=2e-5)


def pooled(x, kernel, stride, dilation, pad):
    """The largest elements of windows and their places; the first of equal ones."""
    n, c, h, w = x.shape
    places = np.pad(np.arange(x.size).reshape(x.shape), [(0, 0)] * 2 + [(pad, pad)] * 2, constant_values=-1)
    x = np.pad(x, [(0, 0)] * 2 + [(pad, pad)] * 2, constant_values=-np.inf)
    taps = [(slice(None), slice(None)) + tuple(
        slice(at * dilation, at * dilation + (size - (k - 1) * dilation - 1) // stride * stride + 1, stride)
        for at, k, size in zip(tap, kernel, x.shape[2:])) for tap in np.ndindex(*kernel)]
    values, at = np.stack([x[t] for t in taps]), np.stack([places[t] for t in taps])
    best = values.argmax(0)[None]
    return [np.take_along_axis(v, best, 0)[0] for v in (values, at)]


def pools():
    """Pooling that gives the places of the largest elements, of images of unknown sizes."""
    for kernel, stride, dilation, pad in (((3, 3), 1, 1, 0), ((3, 3), 2, 1, 0), ((3, 3), 1, 2, 0), ((2, 3), 2, 1, 0),
                                          ((4, 5), 1, 1, 1), ((2, 2), 2, 1, 0), ((3, 2), 3, 1, 1)):
        yield Program(f"MaxPool with places {kernel} {stride} {dilation} {pad}", graph(
            [node("MaxPool", "x", "y at", kernel_shape=list(kernel), strides=[stride] * 2, dilations=[dilation] * 2,
                  pads=[pad] * 4)], [("x", tensor_type(F32, ["n", 2, "h", "w"]))],
            [("y", tensor_type(F32, None)), ("at", tensor_type(I64, None))]),
            [(floats(2, 2, h, w),) for h, w in ((5, 5), (8, 7), (6, 19))],
            lambda x, a=(kernel, stride, dilation, pad): pooled(x, *a))


def equations():
    """Ellipses broadcast, and so do letters of size 1."""
    for equation, known, a, b in (
            ("...a,...a->...", 0, (1, 3), (5, 3)), ("...ij,...jk->...ik", 0, (2, 1, 3, 4), (1, 5, 4, 3)),
            ("...ij,...jk", 0, (2, 3, 4), (4, 5)), ("i...,i...->...", 0, (3, 1), (3, 4)),
            ("...a,...a->...", 1, (1, 3), (5, 3)), ("ba...,ca...", 1, (2, 3, 1, 4), (5, 3, 6, 1)),
            ("...,...", 0, (4, 1, 3), (2, 3)), ("ab,bc->ac", 1, (2, 1), (3, 4)), ("a,a->a", 1, (1,), (3,))):
        dims = [[d if known else f"{name}{i}" for i, d in enumerate(s)] for name, s in (("p", a), ("q", b))]
        whole = {"ab,bc->ac": (2, 3), "a,a->a": (3,)}.get(equation, a)
        yield Program(f"Einsum {equation} of {a} and {b}, {'known' if known else 'unknown'}", graph(
            [node("Einsum", "a b", "y", equation=equation)],
            [("a", tensor_type(F32, dims[0])), ("b", tensor_type(F32, dims[1]))], [("y", tensor_type(F32, None))]),
            [(floats(*a), floats(*b))],
            lambda a, b, e=equation, w=whole: [np.einsum(e, np.broadcast_to(a, w), b).astype(np.float32)])
    yield Program("Einsum without the ellipsis in its result", graph(
        [node("Einsum", "a b", "y", equation="...ij,jk->ik")],
        [("a", tensor_type(F32, ["n", 3, 4])), ("b", tensor_type(F32, [4, 5]))], [("y", tensor_type(F32, None))]),
        [], None, refused='the result of the equation "...ij,jk->ik" has no ellipsis')
    for equation in ("a->a", "a,,b->a", "a,b,c->a"):  # of two operands, of which one is a scalar
        yield Program(f"Einsum {equation} of two operands", graph(
            [node("Einsum", "a b", "y", equation=equation)],
            [("a", tensor_type(F32, ["n"])), ("b", tensor_type(F32, []))], [("y", tensor_type(F32, None))]),
            [], None, refused="do not fit 2 operands")


def slices():
    """Slices that run backwards from in front of the first element: it is the only one. Slices whose
    ends are known at run time only: the greatest integers select as they do elsewhere, and sizes can
    be computed from the result's."""
    for first, last, step in ((-6, -9, -1), (-7, -2**63 + 1, -2), (-6, -5, -1), (-4, -9, -1), (-3, -9, -2), (2, -9, -1)):
        for dim in (4, "n"):
            yield Program(f"Slice {first}:{last}:{step} of {dim}", graph(
                [const("a", i64(first)), const("b", i64(last)), const("k", i64(1)), const("s", i64(step)),
                 node("Slice", "x a b k s", "y")], [("x", tensor_type(F32, [2, dim]))], [("y", tensor_type(F32, None))]),
                [(floats(2, 4),)], lambda x, f=first, e=last, s=step: [
                    x[:, [i for i in range(min(max(f + 4 if f < 0 else f, 0), 3), max(e + 4 if e < 0 else e, -1), s)]]])
    def half(known, late):
        """Half of a slice, of which |late| is an input of the model and |known| constants."""
        return graph([const(name, v) for name, v in {"first": i64(0), "two": i64(2), **known}.items()] + [
            node("Slice", "x begin end axis", "t"), node("Shape", "t", "size"), node("Div", "size two", "half"),
            node("Mul", "half half", "square"), node("Slice", "t half size first", "y")],
            [("x", tensor_type(F32, [8])), (late, tensor_type(I64, [1]))],
            [("y", tensor_type(F32, None)), ("square", tensor_type(I64, [1]))])

    def rest(t):
        return [t[len(t) // 2:], i64((len(t) // 2) ** 2)]
    yield Program("half of a slice to a late end", half({"begin": i64(-3), "axis": i64(0)}, "end"), [
        (floats(8), i64(end)) for end in (2**63 - 1, -2**63, 2**31 - 1, 8, 7, -1, 0)],
        lambda x, end: rest(x[-3:int(end[0])]))
    for begin, end in ((-3, 2**63 - 1), (-2**63, 5)):
        yield Program(f"half of a slice {begin}:{end} of a late axis", half({"begin": i64(begin), "end": i64(end)}, "axis"),
                      [(floats(8), i64(axis)) for axis in (0, -1)], lambda x, _, b=begin, e=end: rest(x[b:e]))


def programs():
    nm, n = tensor_type(F32, ["n", "m"]), tensor_type(F32, ["n"])
    three2 = tensor_type(F32, ["k", "l"])
    unknown = tensor_type(F32, ["?", "?"])
    any_rank = tensor_type(F32, None)
    three = tensor_type(F32, ["n", "k", "m"])
    four = tensor_type(F32, ["n", "k", "m", "l"])
    # x joined with every second element repeated: 2 * ((m + 1) // 2) equals m if m is even
    strided = graph([const("b", i64(0)), const("e", i64(2**62)), const("ax", i64(1)),
                     const("st", i64(2)), const("two", i64(2)), node("Slice", "x b e ax st", "h"),
                     node("Unsqueeze", "h two", "h3"), node("Concat", "h3 h3", "p", axis=2),
                     const("sh", i64(0, -1)), node("Reshape", "p sh", "r"),
                     node("Concat", "x r", "y", axis=0)], [("x", nm)], [("y", nm)])
    xs = [(floats(a, b),) for a, b in ((2, 3), (1, 1), (5, 4), (0, 3))]
    out = [
        # one name for two dimensions that need not be equal
        Program("unknown dimensions", graph([node("Neg", "x", "y")], [("x", unknown)],
                                            [("y", unknown)]), xs, lambda x: [-x]),
        Program("joined after a stride", strided, [(floats(a, b),) for a, b in
                                                   ((1, 2), (3, 4), (2, 16), (0, 2))],
                lambda x: [np.concatenate([x, np.repeat(x[:, ::2], 2, axis=1)])]),
        Program("joined after a stride that does not fit", strided, [(floats(2, 3),)], None,
                fails=("(Concat): dimension 1 of 'r' does not fit the other inputs: 4 and 3",)),
        # a size cast through int32, as in Paddle's exporter: Reshape to (n, 6)
        Program("sizes through int32",
                graph([node("Shape", "x", "s"), node("Cast", "s", "s32", to=6), const("z", i64(0)),
                       const("o", i64(1)), node("Slice", "s32 z o z o", "n32"),
                       node("Cast", "n32", "n64", to=7), const("six", np.array([6], np.int32)),
                       node("Cast", "six", "six64", to=7),
                       node("Concat", "n64 six64", "to", axis=-1), node("Reshape", "x to", "r"),
                       const("w", floats(6, 2)), node("MatMul", "r w", "y")],
                      [("x", tensor_type(F32, ["n", "a", "b"]))], [("y", nm)]),
                [(floats(k, 2, 3),) for k in (1, 4, 0)] + [(floats(2, 6, 1),)],
                lambda x: [x.reshape(-1, 6) @ floats(6, 2)]),
        *[projected(biased, dims, together) for together in (False, True)
          for biased in (False, True) for dims in (2, 3, 4)],
        *[narrow_sizes(name, to) for name, to in
          (("int8", 3), ("uint8", 2), ("int16", 5), ("uint16", 4), ("int32", 6), ("uint32", 12))],
        Program("bounds that are not numbers",
                graph([node("Clip", "x low high", "y")],
                      [("x", nm), ("low", tensor_type(F32, [])), ("high", tensor_type(F32, []))],
                      [("y", nm)]),
                [(floats(4, 5), np.array(a, np.float32), np.array(b, np.float32))
                 for a in (-1, np.nan) for b in (1, np.nan)],
                lambda x, low, high: [np.fmin(np.fmax(x, low), high)]),
        # the summed dimension is known on one side only
        Program("matmul of dimensions found at run time",
                graph([node("Reshape", "x s", "r"), const("w", floats(3, 2)),
                       node("MatMul", "r w", "y")], [("x", n), ("s", tensor_type(I64, [2]))],
                      [("y", nm)]),
                [(floats(6), i64(2, 3)), (floats(6), i64(2, -1)), (floats(3), i64(-1, 3))],
                lambda x, s: [x.reshape(s) @ floats(3, 2)]),
        Program("matmul of dimensions that do not fit",
                graph([node("Reshape", "x s", "r"), const("w", floats(3, 2)),
                       node("MatMul", "r w", "y")], [("x", n), ("s", tensor_type(I64, [2]))],
                      [("y", nm)]), [(floats(6), i64(3, 2))], None,
                fails=("dimension 1 of x1 'r' and dimension 0 of x2 must be equal: 2 and 3",)),
        Program("padding of constants", graph(padding(const("pads", i64(1, 2))), [("x", nm)],
                                              [("y", nm)]), xs,
                lambda x: [np.pad(x, ((0, 0), (1, 2)))]),
        Program("padding of both axes", graph(padding(const("pads", i64(1, 2, 3, 0))), [("x", nm)],
                                              [("y", nm)]), xs,
                lambda x: [np.pad(x, ((3, 0), (1, 2)))]),
        # padded to a multiple of 4
        Program("padding by what is missing",
                graph([node("Shape", "x", "d"), const("i1", i64(1)), const("c4", i64(4)),
                       node("Gather", "d i1", "m", axis=0), node("Neg", "m", "mm"),
                       node("Mod", "mm c4", "miss"), const("none", i64(0))] +
                      padding(node("Concat", "none miss", "pads", axis=0)), [("x", nm)],
                      [("y", nm)]), xs + [(floats(2, 8),)],
                lambda x: [np.pad(x, ((0, 0), (0, -x.shape[1] % 4)))]),
        Program("sizes of a convolution's result", convolved(3),
                [(floats(*d),) for d in ((2, 1, 9), (1, 1, 4), (3, 1, 32))], convolve),
        # the length after a convolution, as exporters write it: rounded towards 0, even if that is up
        Program("divisions of what may be negative",
                graph([node("Shape", "x", "d"), const("three", i64(3)), const("m5", i64(-5)),
                       const("two", i64(2)), const("m1", i64(-1)), node("Add", "d m5", "a"),
                       node("Div", "a three", "q"), node("Add", "q two", "rows"),
                       node("Add", "m1 d", "less"), node("Div", "less two", "half"),
                       const("one", i64(1)), node("Add", "half one", "columns"),
                       node("Concat", "rows columns", "s", axis=0),
                       node("ConstantOfShape", "s", "y", value=np.ones(1, np.float32)),
                       node("Reshape", "y s", "z"), node("Transpose", "z", "t", perm=[1, 0]),
                       node("MatMul", "y t", "p"), node("Neg", "q", "k")], [("x", n)],
                      [("p", nm), ("k", tensor_type(I64, [1]))]),
                [(floats(k),) for k in (0, 1, 2, 3, 4, 5, 7, 8, 32)], rounded),
        Program("subscripts of sizes found at run time",
                graph([node("Reshape", "x s", "r"), const("w", floats(3, 2)),
                       node("Einsum", "r w x", "y", equation="...mi, ij, b -> b...mj")],
                      [("x", n), ("s", tensor_type(I64, [3]))],
                      [("y", tensor_type(F32, ["b", "n", "m", 2]))]),
                [(floats(6), i64(1, 2, 3)), (floats(30), i64(2, 5, -1)), (floats(0), i64(0, 1, 3))],
                lambda x, s: [np.einsum("nmi,ij,b->bnmj", x.reshape(s), floats(3, 2), x)]),
        Program("a sequence of tensors of unknown ranks joined",
                graph([node("SequenceConstruct", "x y", "s"), node("ConcatFromSequence", "s", "z", axis=-1)],
                      [("x", tensor_type(F32, None)), ("y", tensor_type(F32, None))], [("z", tensor_type(F32, None))]),
                [(floats(2, 3), floats(2, 1)), (floats(4), floats(0)), (floats(1, 2, 3), floats(1, 2, 2))],
                lambda x, y: [np.concatenate([x, y], -1)]),
        Program("three axes cropped to sizes found at run time, then two operators",
                graph([node("CenterCropPad", "x s", "c"), node("Relu", "c", "r"), node("Exp", "r", "y")],
                      [("x", tensor_type(F32, ["n", "m", "k"])), ("s", tensor_type(I64, [3]))],
                      [("y", tensor_type(F32, ["a", "b", "c"]))]),
                [(floats(2, 5, 3), i64(3, 2, 3)), (floats(4, 1, 6), i64(1, 1, 9)), (floats(0, 2, 2), i64(2, 2, 0))],
                lambda x, s: [np.exp(np.maximum(ref.crop_pad(x, s, (0, 1, 2)), 0))]),
        Program("subscripts of sizes that are equal at run time",
                graph([node("Einsum", "x y", "z", equation="ab,bc->ac")], [("x", nm), ("y", three2)],
                      [("z", tensor_type(F32, ["n", "l"]))]),
                [(floats(2, 3), floats(3, 4)), (floats(1, 1), floats(1, 2))],
                lambda x, y: [x @ y]),
        Program("subscripts of sizes that differ",
                graph([node("Einsum", "x y", "z", equation="ab,bc->ac")], [("x", nm), ("y", three2)],
                      [("z", tensor_type(F32, ["n", "l"]))]),
                [(floats(2, 3), floats(4, 4))], None,
                fails=("(Einsum): dimension 0 of 'y' does not fit the other inputs: 4 and 3",)),
        # names inside a function are local; it has its own operator set
        Program("functions of the model",
                graph([node("Leaky", "x", "kept y", domain="local", slope=.25),
                       node("Add", "y kept", "z"),
                       node("Leaky", "x", "_ w", domain="local"),
                       node("Share", "x", "s", domain="local")], [("x", three)],
                      [("z", three), ("w", three), ("s", three)]),
                [(floats(*d),) for d in ((2, 3, 4), (1, 1, 1), (5, 2, 1), (0, 3, 2))], called,
                functions=functions()),
        Program("a function that calls itself",
                graph([node("Again", "x", "y", domain="local")], [("x", n)], [("y", n)]), [], None,
                refused="graphs are nested too deeply", functions=functions()),
        Program("too many calls of a long function",
                graph([node("Long", "x", f"y{i}", domain="local") for i in range(1000)],
                      [("x", n)], [("y0", n)]), [], None,
                refused="functions have too many nodes",
                functions=[function("Long", ["x"], ["y"], [
                    node("Neg", f"t{i}" if i else "x", f"t{i + 1}") for i in range(999)] +
                    [node("Neg", "t999", "y")])]),
        Program("a function with too many inputs",
                graph([node("Twice", "x x", "y", domain="local")], [("x", n)], [("y", n)]), [],
                None, refused="2 inputs and 1 outputs for a function of 1 and 1",
                functions=functions()),
        Program("an attribute of no call",
                graph([node("LeakyRelu", "x", "y", alpha=Ref("slope"))], [("x", n)], [("y", n)]),
                [], None, refused="attribute slope refers to a function attribute outside a function"),
        # rows * m / m leaves rows
        Program("sizes divided by sizes",
                graph([node("Shape", "x", "d"), const("i0", i64(0)), const("i1", i64(1)),
                       node("Gather", "d i0", "rows", axis=0), node("Gather", "d i1", "m", axis=0),
                       node("Mul", "rows m", "all"), node("Div", "all m", "again"),
                       const("one", i64(1)), node("Concat", "again one m", "s", axis=0),
                       node("Concat", "rows m one", "t", axis=0), node("Reshape", "x s", "a"),
                       node("Reshape", "x t", "b"), node("MatMul", "a b", "y")], [("x", nm)],
                      [("y", tensor_type(F32, ["n", 1, 1]))]),
                xs, lambda x: [(x * x).sum(1).reshape(-1, 1, 1)]),
        Program("elements where a condition holds, the largest of them",
                graph([const("zero", np.zeros((), np.float32)), node("Greater", "x zero", "c"),
                       node("NonZero", "c", "at"), node("Transpose", "at", "places", perm=[1, 0]),
                       node("GatherND", "x places", "picked"), node("Shape", "picked", "d"),
                       const("most", i64(2)), node("Min", "d most", "k"),
                       node("TopK", "picked k", "y where")], [("x", nm)], [("y", n)]),
                xs, lambda x: [np.sort(x[x > 0])[::-1][:2]]),
        Program("elements of a constant that are not zero",
                graph([const("c", np.array([[1, 0, -0.0], [np.nan, 2, 0]], np.float32)),
                       node("NonZero", "c", "at"), node("Cast", "at", "places", to=1),
                       const("w", np.array([[1, 10], [2, 20], [3, 30]], np.float32)),
                       node("MatMul", "places w", "sums"), node("ReduceSum", "x", "all", keepdims=0),
                       node("Mul", "sums all", "y")], [("x", nm)], [("y", tensor_type(F32, [2, 2]))]),
                xs, lambda x: [x.sum() * np.array([[5, 50], [3, 30]], np.float32)]),
        Program("a product with too few of them",  # their number is known when the model is compiled
                graph([const("c", np.array([1, 0, 1], np.float32)), node("NonZero", "c", "at"),
                       node("Cast", "at", "places", to=1), const("w", np.ones((3, 2), np.float32)),
                       node("MatMul", "places w", "sums"), node("Add", "sums x", "y")],
                      [("x", nm)], [("y", nm)]), [], None, refused="the inner dimensions differ"),
        # the padding of every axis is known at run time only; then padded again
        Program("padding found at run time",
                graph([const("v", np.ones((), np.float32)), node("Pad", "x pads v", "p"),
                       node("Pad", "p pads v", "q"), node("Concat", "q q", "y", axis=0)],
                      [("x", four), ("pads", tensor_type(I64, [8]))], [("y", four)]),
                [(floats(2, 3, 4, 2), i64(1, 0, 2, 0, 0, 1, 0, 3)),
                 (floats(1, 1, 1, 1), i64(0, 0, 0, 0, 2, 0, 1, 0)),
                 (floats(2, 3, 4, 1), i64(0, 0, 0, 0, 0, 0, 0, 0))],
                lambda x, p: [np.concatenate(2 * [np.pad(
                    x, [(2 * p[i], 2 * p[i + 4]) for i in range(4)], constant_values=1)])]),
        Program("many parts of lengths found at run time",
                graph([const("o", i64(0)), node("Split", "k", " ".join(f"k{i}" for i in range(120)),
                                                axis=0)] +
                      [node("Slice", f"x o k{i}", f"p{i}") for i in range(120)] +
                      [node("Concat", " ".join(f"p{i}" for i in range(120)), "y", axis=0)],
                      [("x", nm), ("k", tensor_type(I64, [120]))], [("y", nm)]),
                [(floats(5, 3), np.arange(120) % 7), (floats(1, 2), np.arange(120) % 3)], cut),
        # the added number depends on the rank after the squeeze
        Program("squeeze of what need not be 1",
                graph(squeezing(False), [("x", three)], [("y", any_rank)]),
                [(floats(2, 1, 3),), (floats(2, 4, 3),), (floats(0, 1, 2),)],
                lambda x: [x[:, 0] + 2 if x.shape[1] == 1 else x + 3]),
        # the transposition fits one rank only: the other is refused at run time
        Program("squeeze of what has to be 1",
                graph(squeezing(True), [("x", three)], [("y", any_rank)]),
                [(floats(2, 1, 3),), (floats(4, 1, 1),)], lambda x: [x[:, 0].T]),
        # as PyTorch declares x.scatter_reduce of matrices: by the branch for numbers
        Program("If with the rank of the other branch",
                graph([node("Shape", "x", "s"), node("Size", "s", "r"), const("z", np.array(0, np.int64)),
                       node("Equal", "r z", "c"),
                       node("If", "c", "y",
                            then_branch=graph([const("f", i64(-1)), node("Reshape", "x f", "a")], [],
                                              [("a", n)]),
                            else_branch=graph([node("Identity", "x", "b")], [], [("b", n)]))],
                      [("x", nm)], [("y", n)]), xs, lambda x: [x]),
        Program("squeeze of whatever is 1",
                graph([node("Squeeze", "x", "s"), node("Shape", "s", "sh"), node("Size", "sh", "k"),
                       node("Cast", "k", "r", to=1), node("Add", "s r", "y")], [("x", three)],
                      [("y", any_rank)]),
                [(floats(*d),) for d in ((2, 3, 4), (1, 3, 4), (2, 1, 4), (2, 3, 1), (1, 3, 1),
                                         (1, 1, 1), (0, 1, 2))],
                lambda x: [x.squeeze() + np.float32(x.squeeze().ndim)]),
        Program("squeeze before a flat list",
                graph([node("Squeeze", "x", "s"), const("flat", i64(-1)),
                       node("Reshape", "s flat", "y")], [("x", three)], [("y", n)]),
                [(floats(1, 3, 1),), (floats(2, 2, 2),)], lambda x: [x.reshape(-1)]),
        Program("channels found at run time",
                graph([node("Reshape", "x s", "r"), const("w", floats(4, 3, 2)),
                       node("Conv", "r w", "y")], [("x", n), ("s", tensor_type(I64, [3]))],
                      [("y", three)]),
                [(floats(30), i64(2, 3, 5)), (floats(6), i64(1, 3, -1))],
                lambda x, s: [np.stack([sum(np.einsum("oc,nc->no", floats(4, 3, 2)[:, :, k],
                                                      x.reshape(s)[:, :, i + k]) for k in (0, 1))
                                        for i in range(x.reshape(s).shape[2] - 1)], axis=2)]),
        Program("channels that do not fit",
                graph([node("Reshape", "x s", "r"), const("w", floats(4, 3, 2)),
                       node("Conv", "r w", "y")], [("x", n), ("s", tensor_type(I64, [3]))],
                      [("y", three)]), [(floats(30), i64(2, 5, 3))], None,
                fails=("(Conv): dimension 1 of 'r' does not fit the other inputs: 5 and 3",)),
        Program("updates of a length found at run time",
                graph([const("a", np.array(0, np.int64)), const("c", np.array(1, np.int64)),
                       node("Range", "a b c", "u"), node("Cast", "u", "v", to=1), node("ScatterElements", "x i v", "y", axis=0)],
                      [("x", n), ("i", tensor_type(I64, ["k"])), ("b", tensor_type(I64, []))],
                      [("y", n)]),
                [(floats(5), i64(3, 0), np.array(2)), (floats(2), i64(), np.array(0))],
                lambda x, i, b: [scattered(x, i)]),
        # each transposition decides the rank at once, so the possible cases do not multiply
        Program("squeezes in sequence",
                in_sequence(8, ("Transpose", "", {"perm": [1, 0]}),
                            [node("Sum", " ".join(f"y{i}" for i in range(8)), "y")]),
                [tuple(i + floats(2, 1, 3) for i in range(8))],
                lambda *x: [sum(v[:, 0].T for v in x)]),
        # both ranks fit, and are flattened at once
        Program("squeezes in sequence of either rank",
                in_sequence(8, ("Reshape", " flat", {}),
                            [node("Concat", " ".join(f"y{i}" for i in range(8)), "y", axis=0)]),
                [tuple(i + floats(*d) for i in range(8)) for d in ((2, 1, 3), (2, 4, 3), (0, 1, 3))],
                lambda *x: [np.concatenate([v.reshape(-1) for v in x])]),
        Program("squeezes of either rank to the end", in_sequence(3, ("Neg", "", {})),
                [tuple(i + floats(*d) for i in range(3)) for d in ((2, 1, 3), (2, 4, 3))],
                lambda *x: [-(v[:, 0] if v.shape[1] == 1 else v) for v in x]),
        Program("too many squeezes of either rank", in_sequence(200, ("Neg", "", {})), [], None,
                refused="If: the rank of 's3' is known only at run time"),
        *[Program(f"Scan of opset 8, {dims}",
                  graph([node("Sums", "f x w", "a b", domain="local"),
                         node("Back", "f x w", "c d", domain="local")],
                        [("f", tensor_type(F32, [dims[0], "k"])), ("x", tensor_type(F32, dims)),
                         ("w", tensor_type(F32, []))],
                        [("a", tensor_type(F32, [dims[0], "k"])), ("b", tensor_type(F32, dims)),
                         ("c", tensor_type(F32, [dims[0], "k"])), ("d", tensor_type(F32, dims))]),
                  [(floats(b, k), floats(b, n, k), floats()) for b, n, k in sizes], summed,
                  functions=old_scan())
          for dims, sizes in ((["b", "n", "k"], [(2, 3, 4), (1, 1, 1), (5, 7, 2), (0, 3, 2), (3, 0, 2)]),
                              ([1, "n", "k"], [(1, 3, 4)]), ([3, "n", "k"], [(3, 2, 1)]))],
        Program("more heads than any tensor has",
                graph([node("GroupQueryAttention", "q _ _ _ _ s t", "y", domain="com.microsoft",
                            num_heads=2**63 - 1, kv_num_heads=2**63 - 1)],
                      [("q", three), ("s", tensor_type("int32", ["b"])), ("t", tensor_type("int32", []))],
                      [("y", three)]), [], None, refused="num_heads must be an int32"),
        Program("squeeze of what is not 1", graph(squeezing(True), [("x", three)],
                                                  [("y", any_rank)]),
                [(floats(2, 2, 3),)], None, fails=("expected",)),
        Program("index vectors of unknown length", graph([node("ScatterND", "x i u", "y")],
                                                         [("x", tensor_type(F32, ["a", "b"])),
                                                          ("i", tensor_type(I64, ["n", "k"])),
                                                          ("u", any_rank)], [("y", any_rank)]),
                [(floats(3, 2), i64([0], [2]), floats(2, 2)), (floats(3, 2), i64([0, 1], [2, 0]), floats(2))],
                lambda x, i, u: [scattered_at(x, i, u)]),
        Program("index vectors that do not fit", graph([node("GatherND", "x i", "y")],
                                                       [("x", any_rank), ("i", tensor_type(I64, None))],
                                                       [("y", any_rank)]),
                [(floats(3, 2), i64([0, 1, 1]))], None, fails=("has a last dimension of 3, expected 0 to 2",)),
    ]
    for more in (large_weights, reductions, pools, equations, slices):
        out += more()
    return out


if __name__ == "__main__":
    sys.exit(run(programs()))
