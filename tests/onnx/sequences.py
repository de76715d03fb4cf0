#!/usr/bin/env python3
"""ONNX sequences and optionals with data-dependent lengths, against Python's lists.

Each program is a small graph, run on several inputs; its reference works on lists of NumPy arrays.
Random programs of insertions and deletions run as straight-line code, in the branches of an If and
in a Loop. `make test-ops`.
"""
import argparse
import os
import subprocess
import sys
import tempfile

import numpy as np

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from ops import TYPES, attribute, data, number, tensor  # noqa: E402

F32, I64, BOOL = "float32", "int64", "bool"


# --- graphs -----------------------------------------------------------------------------------

def tensor_type(dtype, dims):
    shape = b"" if dims is None else data(2, b"".join(
        data(1, data(2, d) if isinstance(d, str) else number(1, d)) for d in dims))
    return data(1, number(1, TYPES[dtype]) + shape)


def sequence(of):
    return data(4, data(1, of))


def optional(of):
    return data(9, data(1, of))


def info(name, of):
    return data(1, name) + data(2, of)


class Graph(bytes):
    pass


class Ref(str):
    """A float attribute that refers to one of the function's own."""


def node(op, ins, outs, domain="", **attrs):
    out = b"".join(data(1, n) for n in ins.split()) + b"".join(data(2, n) for n in outs.split())
    out = out.replace(data(1, "_"), data(1, ""))
    out += data(4, op) + data(7, domain)
    for key, v in attrs.items():
        if isinstance(v, Ref):
            v = data(1, key) + data(21, v) + number(20, 1)
        elif isinstance(v, Graph):
            v = data(1, key) + data(6, v) + number(20, 5)
        elif isinstance(v, np.ndarray):
            v = data(1, key) + data(5, tensor(v)) + number(20, 4)
        else:
            v = attribute(key, v)
        out += data(5, v)
    return data(1, out)


def const(name, v):
    return node("Constant", "", name, value=np.asarray(v))


def graph(nodes, ins, outs):
    return Graph(b"".join(nodes) + data(2, "g") + b"".join(data(11, info(*i)) for i in ins) +
                 b"".join(data(12, info(*o)) for o in outs))


def function(name, ins, outs, nodes, opset=18, attributes=(), domain="local"):
    """A function of the model; its nodes have another field number than a graph's."""
    return (data(1, name) + b"".join(data(4, n) for n in ins) + b"".join(data(5, n) for n in outs) +
            b"".join(data(6, a) for a in attributes) +
            b"".join(bytes([7 << 3 | 2]) + n[1:] for n in nodes) + data(9, number(2, opset)) +
            data(9, data(1, domain) + number(2, 1)) + data(10, domain))


def model(g, functions=()):
    other = data(8, data(1, "local") + number(2, 1)) if functions else b""
    return (number(1, 8) + data(8, number(2, 18)) + other + data(7, g) +
            b"".join(data(25, f) for f in functions))


def proto(value, kind):
    """A value as a protobuf message of |kind|."""
    if kind == "optional":
        if value is None:
            return number(2, 0)
        return (number(2, 3) + data(5, proto(value, "")) if isinstance(value, list) else
                number(2, 1) + data(3, tensor(value)))
    if isinstance(value, list):
        return number(2, 1) + b"".join(data(3, tensor(v)) for v in value)
    return tensor(value)


# --- programs ---------------------------------------------------------------------------------

class Program:
    """|fails|: texts, one of which the run-time error contains; |refused|: text of the compile
    error."""

    def __init__(self, name, g, inputs, reference, kinds=(), fails=(), refused=None, functions=(),
                 loose=1e-5):
        self.name, self.graph, self.inputs, self.reference = name, g, inputs, reference
        self.functions, self.loose = functions, loose
        self.kinds, self.fails, self.refused = kinds, fails, refused


def floats(*dims):
    return np.random.default_rng(sum(dims) + 7).uniform(-3, 3, dims).astype(np.float32)


def programs():
    seq, some = sequence(tensor_type(F32, ["n"])), [floats(k) for k in (3, 0, 1, 5)]
    scalar, at = tensor_type(I64, []), np.array
    vector, yes = tensor_type(F32, ["n"]), tensor_type(BOOL, [])
    anything = tensor_type(F32, None)
    lists = [some[:k] for k in (1, 4, 2)]
    out = [Program("at", graph([node("SequenceAt", "s i", "t"), node("Add", "t t", "y")],
                               [("s", seq), ("i", scalar)], [("y", vector)]),
                   [(s, at(i)) for s in lists for i in range(-len(s), len(s))],
                   lambda s, i: [s[i] + s[i]]),
           Program("at outside", graph([node("SequenceAt", "s i", "y")],
                                       [("s", seq), ("i", scalar)], [("y", vector)]),
                   [(lists[0], at(1)), (lists[0], at(-2)), ([], at(0)), (lists[1], at(1 << 40))],
                   None, fails=("is out of range for a sequence of",)),
           Program("no sequence", graph([node("SequenceLength", "s", "y")], [("s", seq)],
                                        [("y", scalar)]), [(some[0],)], None,
                   fails=("must be a sequence, is tensor",)),
           Program("another type", graph([node("SequenceAt", "s i", "y")],
                                         [("s", seq), ("i", scalar)], [("y", vector)]),
                   [([some[0].astype(np.float64)], at(0)), ([floats(2, 2)], at(0))], None,
                   fails=("got a float64 tensor", "got a float32 tensor of shape (2, 2)")),
           Program("insert", graph([node("SequenceInsert", "s t i", "y"),
                                    node("SequenceInsert", "y t", "z"),
                                    node("SequenceLength", "z", "n")],
                                   [("s", seq), ("t", vector), ("i", scalar)],
                                   [("y", seq), ("z", seq), ("n", scalar)]),
                   [(s, some[3], at(i)) for s in lists + [[]] for i in range(-len(s), len(s) + 1)],
                   lambda s, t, i: [a := s[:i + (len(s) if i < 0 else 0)] + [t] +
                                    s[i + (len(s) if i < 0 else 0):], a + [t],
                                    np.array(len(s) + 2)]),
           Program("erase", graph([node("SequenceErase", "s i", "y"),
                                   node("SequenceErase", "s", "z")],
                                  [("s", seq), ("i", scalar)], [("y", seq), ("z", seq)]),
                   [(s, at(i)) for s in lists for i in range(-len(s), len(s))],
                   lambda s, i: [[v for k, v in enumerate(s) if k != i % len(s)], s[:-1]]),
           Program("known length, position at run time",
                   graph([node("SequenceConstruct", "a b", "s"), node("SequenceAt", "s i", "y")],
                         [("a", vector), ("b", tensor_type(F32, ["m"])), ("i", scalar)],
                         [("y", vector)]),
                   [(some[0], some[3], at(i)) for i in (-2, -1, 0, 1)],
                   lambda a, b, i: [(a, b)[i]])]

    for axis, new in ((0, 0), (1, 0), (-1, 0), (0, 1), (1, 1), (2, 1), (-1, 1)):
        for t in (tensor_type(F32, ["a", "b"]), anything):
            parts = [floats(3, 2) + k for k in range(4)]
            join = np.stack if new else np.concatenate
            out.append(Program(f"concat {axis} {new}",
                               graph([node("ConcatFromSequence", "s", "y", axis=axis,
                                           new_axis=new)], [("s", sequence(t))], [("y", anything)]),
                               [(parts[:k],) for k in (1, 2, 4)],
                               lambda s, j=join, a=axis: [j(s, a)]))
    uneven = [floats(2, k) for k in (3, 0, 1)]
    out += [Program("concat of different lengths",
                    graph([node("ConcatFromSequence", "s", "y", axis=1)],
                          [("s", sequence(tensor_type(F32, ["a", "b"])))], [("y", anything)]),
                    [(uneven,), (uneven[1:2],)], lambda s: [np.concatenate(s, 1)]),
            Program("concat that does not fit",
                    graph([node("ConcatFromSequence", "s", "y", axis=0)],
                          [("s", sequence(tensor_type(F32, ["a", "b"])))], [("y", anything)]),
                    [(uneven,), ([],)], None, fails=("does not match the first", "empty sequence"))]

    x = tensor_type(F32, ["n", "m"])
    sizes = [floats(n, 3) for n in (1, 2, 5, 7)]
    for axis in (0, 1, -1):
        def along(v, a=axis):
            return v.T.copy() if a else v
        out += [Program(f"split in ones {axis} {keep}",
                        graph([node("SplitToSequence", "x", "y", axis=axis, keepdims=keep)],
                              [("x", x)], [("y", sequence(anything))]),
                        [(along(v),) for v in sizes + [floats(0, 2)]],
                        lambda v, a=axis, k=keep: [[p if k else p.squeeze(a) for p in np.split(
                            v, v.shape[a], a)] if v.shape[a] else []]) for keep in (0, 1)]
        out += [Program(f"split evenly {axis}",
                        graph([node("SplitToSequence", "x k", "y", axis=axis)],
                              [("x", x), ("k", scalar)], [("y", sequence(anything))]),
                        [(along(v), at(k)) for v in sizes for k in (1, 2, 3, 100)],
                        lambda v, k, a=axis: [np.split(v, range(int(k), v.shape[a], int(k)), a)]),
                Program(f"split by sizes {axis}",
                        graph([node("SplitToSequence", "x k", "y", axis=axis)],
                              [("x", x), ("k", tensor_type(I64, ["p"]))],
                              [("y", sequence(anything))]),
                        [(along(sizes[3]), at(k)) for k in ([7], [3, 4], [0, 5, 0, 2], [1] * 7)],
                        lambda v, k, a=axis: [np.split(v, np.cumsum(k)[:-1], a)])]
    out.append(Program("split by sizes that do not fit",
                       graph([node("SplitToSequence", "x k", "y")],
                             [("x", x), ("k", tensor_type(I64, ["p"]))], [("y", sequence(anything))]),
                       [(sizes[2], at(k)) for k in ([4], [3, 3], [-1, 6])], None,
                       fails=("leave", "exceed the axis length")))

    # Optionals: present or not, through branches.
    opt, opt_seq = optional(vector), optional(seq)
    get = graph([node("OptionalGetElement", "o", "v"), node("Add", "v v", "a")], [],
                [("a", vector)])
    other = graph([node("Identity", "d", "b")], [], [("b", vector)])
    out += [Program("optional tensor",
                    graph([node("OptionalHasElement", "o", "h"),
                           node("If", "h", "y", then_branch=get, else_branch=other)],
                          [("o", opt), ("d", vector)], [("y", vector), ("h", yes)]),
                    [(some[0], some[3]), (None, some[3])],
                    lambda o, d: [d if o is None else o + o, np.array(o is not None)],
                    kinds=("optional", "")),
            Program("optional sequence",
                    graph([node("OptionalHasElement", "o", "h"), node("Identity", "o", "y")],
                          [("o", opt_seq)], [("h", yes)]),
                    [(lists[1],), ([],), (None,)], lambda o: [np.array(o is not None)],
                    kinds=("optional",)),
            Program("empty optional is taken out",
                    graph([node("OptionalGetElement", "o", "y")], [("o", opt_seq)], [("y", seq)]),
                    [(None,)], None, kinds=("optional",), fails=("must be a sequence, is none",)),
            Program("empty optional tensor is taken out",
                    graph([node("OptionalGetElement", "o", "y")], [("o", opt)], [("y", vector)]),
                    [(None,)], None, kinds=("optional",), fails=("none",)),
            Program("branches of different length",
                    graph([node("If", "c", "s", then_branch=graph(
                        [node("SequenceConstruct", "d d", "a")], [], [("a", seq)]),
                        else_branch=graph([node("SequenceConstruct", "d", "b")], [],
                                          [("b", seq)])),
                           node("SequenceLength", "s", "n"),
                           node("ConcatFromSequence", "s", "y", axis=0)],
                          [("c", yes), ("d", vector)], [("n", scalar), ("y", vector)]),
                    [(at(c), d) for c in (True, False) for d in some],
                    lambda c, d: [np.array(2 if c else 1), np.concatenate([d, d] if c else [d])])]

    # Loops: an early end, sequences as states, collected results, maps.
    go = [node("Identity", "c", "c2")]
    body = graph(go + [node("SequenceAt", "s i", "t"), node("Mul", "t t", "u"),
                       node("SequenceInsert", "q u", "q2"), node("ReduceSum", "u", "w", keepdims=0),
                       node("Less", "w lim", "c3")],
                 [("i", scalar), ("c", yes), ("q", seq)], [("c3", yes), ("q2", seq), ("w", anything)])

    def looped(s, lim):
        q, w = [], []
        for v in s:
            q.append(v * v)
            w.append(q[-1].sum())
            if not w[-1] < lim:
                break
        return [q, np.array(w, np.float32)]

    out.append(Program("loop over a sequence",
                       graph([node("SequenceLength", "s", "n"), node("SequenceEmpty", "", "e"),
                              node("Loop", "n _ e", "y z", body=body)],
                             [("s", seq), ("lim", tensor_type(F32, []))],
                             [("y", seq), ("z", anything)]),
                       [(s, np.float32(lim).reshape(())) for s in lists + [[]]
                        for lim in (0, 5, 1000)], looped))
    pair = graph([node("Mul", "a b", "y"), node("Shape", "y", "k")],
                 [("a", vector), ("b", vector)], [("y", vector), ("k", tensor_type(I64, [1]))])
    out += [Program("map", graph([node("SequenceMap", "s t", "y k", body=pair)],
                                 [("s", seq), ("t", seq)],
                                 [("y", seq), ("k", sequence(tensor_type(I64, [1])))]),
                    [(s, [v + 1 for v in s]) for s in lists + [[]]],
                    lambda s, t: [[a * b for a, b in zip(s, t)], [at(a.shape) for a in s]]),
            Program("map with a tensor", graph([node("SequenceMap", "s t", "y k", body=pair)],
                                               [("s", seq), ("t", tensor_type(F32, [1]))],
                                               [("y", seq), ("k", sequence(scalar))]),
                    [(s, floats(1)) for s in lists],
                    lambda s, t: [[a * t for a in s], [at(a.shape) for a in s]]),
            Program("map of different lengths",
                    graph([node("SequenceMap", "s t", "y k", body=pair)],
                          [("s", seq), ("t", seq)], [("y", seq), ("k", sequence(scalar))]),
                    [(lists[0], lists[1]), (lists[1], lists[0])], None,
                    fails=("is out of range for a sequence of 1",))]
    for k in range(8):
        out.append(random_program(k))
    return out


def random_program(seed):
    """Edits at positions that are inputs; a loop repeats the same edits in every iteration."""
    rng = np.random.default_rng(seed)
    seq, scalar = sequence(tensor_type(F32, ["n"])), tensor_type(I64, [])
    nodes, steps, name = [], [], "q"
    for k in range(rng.integers(2, 6)):
        insert = rng.integers(3) > 0
        nodes.append(node("SequenceInsert" if insert else "SequenceErase",
                          f"{name} t p{k}" if insert else f"{name} p{k}", f"q{k}"))
        name = f"q{k}"
        steps.append(insert)
    positions = [(f"p{k}", scalar) for k in range(len(steps))]
    body = graph([node("Identity", "c", "c2")] + nodes,
                 [("i", scalar), ("c", tensor_type(BOOL, [])), ("q", seq)],
                 [("c2", tensor_type(BOOL, [])), (name, seq)])

    def edit(turns, q, t, *at):
        for _ in range(int(turns)):
            for insert, p in zip(steps, at):
                q = list(q)
                p = int(p)
                if insert:
                    q.insert(p, t)
                else:
                    q.pop(p)
        return [q]
    inputs = []
    for turns in (0, 1, 3):
        q = [floats(int(d)) for d in rng.integers(0, 4, 16)]
        inputs.append((np.array(turns), q, floats(2)) +
                      tuple(np.array(int(p)) for p in rng.integers(-3, 3, len(steps))))
    return Program(f"random edits {seed}",
                   graph([node("Loop", "n _ s", "y", body=body)],
                         [("n", scalar), ("s", seq), ("t", tensor_type(F32, ["n"]))] + positions,
                         [("y", seq)]), inputs, edit)


# --- running ----------------------------------------------------------------------------------

def same(got, want, loose):
    want = np.asarray(want)
    if got.shape != want.shape or got.dtype != want.dtype:
        return f"{got.dtype} {got.shape}, expected {want.dtype} {want.shape}"
    # a sum rounds in proportion to its terms, however small the sum itself
    largest = np.abs(want[np.isfinite(want)]).max(initial=1) if want.dtype.kind == "f" else 1
    return None if np.allclose(got, want, loose, loose / 10 * largest, True) else "wrong numbers"


def results(folder, path, want, loose=1e-5):
    """Compares the files of a result with a value or a list of values."""
    stem = os.path.join(folder, path)
    if not isinstance(want, list):
        return same(np.load(stem + ".npy"), want, loose)
    if os.path.exists(f"{stem}.{len(want)}.npy"):
        return f"more than {len(want)} items"
    for k, w in enumerate(want):
        why = results(folder, f"{path}.{k}", w, loose)
        if why:
            return f"item {k}: {why}"
    return None


def run_one(args, folder, p, values):
    for f in os.listdir(folder):
        if f.startswith("out"):
            os.unlink(os.path.join(folder, f))
    command = [args.rlx, "run", os.path.join(folder, "m.rlx"), "-o",
               os.path.join(folder, "out.npy")]
    for k, v in enumerate(values):
        path = os.path.join(folder, f"{k}.pb")
        with open(path, "wb") as f:
            f.write(proto(v, p.kinds[k] if k < len(p.kinds) else ""))
        command += ["--input", path]
    done = subprocess.run(command, capture_output=True, text=True, timeout=600)
    if p.reference is None:
        if done.returncode != 1 or not any(text in done.stderr for text in p.fails):
            return f"exit {done.returncode} instead of an error: {done.stderr.strip()[:200]}"
        return None
    if done.returncode:
        return f"exit {done.returncode}: {done.stderr.strip()[:200]}"
    want = p.reference(*values)
    return results(folder, "out", want if len(want) > 1 else want[0], p.loose)


def round_trip(args, folder):
    """A sequence written as .pb and read back."""
    of = sequence(tensor_type(F32, ["n"]))
    path = [os.path.join(folder, f) for f in ("m.onnx", "m.rlx", "in.pb", "out.pb", "again.npy")]
    values = [floats(3), floats(0), floats(1)]
    for want in (values, values[:1], []):
        for f in os.listdir(folder):
            os.unlink(os.path.join(folder, f))
        with open(path[0], "wb") as f:
            f.write(model(graph([node("Identity", "s", "y")], [("s", of)], [("y", of)])))
        with open(path[2], "wb") as f:
            f.write(proto(want, ""))
        subprocess.run([args.rlxc, path[0], "-o", path[1]], check=True)
        subprocess.run([args.rlx, "run", path[1], "--input", path[2], "-o", path[3]], check=True)
        subprocess.run([args.rlx, "run", path[1], "--input", path[3], "-o", path[4]], check=True)
        why = results(folder, "again", want)
        if why:
            return why
    return None


def check(args, folder, p):
    """A list of the program's failures."""
    with open(os.path.join(folder, "m.onnx"), "wb") as f:
        f.write(model(p.graph, p.functions))
    done = subprocess.run([args.rlxc, f.name, "-o", os.path.join(folder, "m.rlx")],
                          capture_output=True, text=True, timeout=600)
    said = done.stderr.strip()[:300]
    if p.refused is None:
        bad = [f"rlxc: {said}"] if done.returncode else []
    else:
        bad = [] if done.returncode == 1 and p.refused in done.stderr else [
            f"exit {done.returncode} instead of '{p.refused}': {said}"]
    for values in p.inputs if not bad else ():
        why = run_one(args, folder, p, values)
        bad += [f"{[np.shape(v) for v in values]}: {why}"] if why else []
    for why in bad[:3]:
        print(f"FAIL {p.name}: {why}")
    return bad


def arguments():
    parser = argparse.ArgumentParser()
    parser.add_argument("--rlxc", default="build/rlxc")
    parser.add_argument("--rlx", default="build/rlx")
    parser.add_argument("--filter", default="")
    return parser.parse_args()


def run(programs, further=()):
    """Checks the programs selected by --filter, then each of |further|, which returns its failures."""
    args = arguments()
    with tempfile.TemporaryDirectory() as folder:
        wrong = [bool(check(args, folder, p)) for p in programs if args.filter in p.name]
        for more in further:
            why = more(args, folder)
            if why:
                print(f"FAIL {more.__name__}: {why}")
            wrong.append(bool(why))
    print(f"{len(wrong) - sum(wrong)} passed, {sum(wrong)} failed")
    return 1 if any(wrong) else 0


if __name__ == "__main__":
    sys.exit(run(programs(), [round_trip]))
