#!/usr/bin/env python3
"""ONNX operators on operands whose dimensions have unrelated names, against NumPy: broadcasting
ones with each dimension 0, 1 and more, in both orders and with computed sizes; and ones that need
equal dimensions. A mismatch is a run-time error. `make test-ops`.
"""
import itertools
import os
import sys

import numpy as np

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from sequences import BOOL, F32, Program, graph, node, run, tensor_type  # noqa: E402

SIZES = (0, 1, 3)
PAIRS = list(itertools.product(SIZES, SIZES))
TRIPLES = list(itertools.product((0, 1, 2, 3), repeat=3))
I32 = "int32"
FLOATS = {"Add": np.add, "Sub": np.subtract, "Mul": np.multiply, "Div": np.divide, "Pow": np.power,
          "Equal": np.equal, "Less": np.less, "LessOrEqual": np.less_equal, "Greater": np.greater,
          "GreaterOrEqual": np.greater_equal, "Max": np.maximum, "Min": np.minimum, "Sum": np.add,
          "Mean": lambda a, b: (a + b) / 2}
INTEGERS = {"BitwiseAnd": np.bitwise_and, "BitwiseOr": np.bitwise_or, "BitwiseXor": np.bitwise_xor, "Mod": np.mod}
BOOLS = {"And": np.logical_and, "Or": np.logical_or, "Xor": np.logical_xor}
TESTS = {"Equal", "Less", "LessOrEqual", "Greater", "GreaterOrEqual"}
UNFIT = ("must be equal, or one of them 1",)


def values(dtype, *dims):
    rng = np.random.default_rng(len(dims) + sum(dims))
    return rng.uniform(.5, 3, dims).astype(np.float32) if dtype == F32 else \
        rng.integers(0, 2, dims).astype(bool) if dtype == BOOL else rng.integers(1, 9, dims).astype(dtype)


def fits(*sizes):
    return len(set(sizes) - {1}) <= 1


def both(name, nodes, ins, outs, kinds, reference, good, fails=UNFIT):
    """Two programs of one graph: with the inputs among |kinds| that fit, and with those that do
    not."""
    g = graph(nodes, ins, outs)
    return [Program(name, g, [k for k in kinds if good(*k)], reference),
            Program(name + ", unfit", g, [k for k in kinds if not good(*k)], None, fails=fails)]


def of_pairs(dtype, ops, computed):
    x = "t" if computed else "x"
    nodes = [node("Concat", "x x", "t", axis=0)] if computed else []
    nodes += [node(op, f"{x} y", op.lower()) for op in ops]
    ins = [("x", tensor_type(dtype, ["m", 2])), ("y", tensor_type(dtype, ["n", 2]))]
    outs = [(op.lower(), tensor_type(BOOL if op in TESTS else dtype, None)) for op in ops]
    twice = (lambda a: np.concatenate((a, a))) if computed else lambda a: a
    return both(f"{dtype} operators" + (" of a computed size" if computed else ""), nodes, ins, outs,
                [(values(dtype, m, 2), values(dtype, n, 2)) for m, n in PAIRS],
                lambda a, b: [np.asarray(f(twice(a), b)) for f in ops.values()],
                lambda a, b: fits(len(twice(a)), len(b)))


def alone():
    """Each operator alone reports which dimensions do not match."""
    wrong = [(values(F32, 2, 2), values(F32, 3, 2)), (values(F32, 3, 2), values(F32, 0, 2))]
    ins = [("x", tensor_type(F32, ["m", 2])), ("y", tensor_type(F32, ["n", 2]))]
    return [Program(op + " alone", graph([node(op, "x y", "z")], ins,
                                         [("z", tensor_type(BOOL if op in TESTS else F32, None))]),
                    wrong, None, fails=("equal, or one of them 1: 2 and 3", "equal, or one of them 1: 3 and 0"))
            for op in FLOATS]


def of_triples():
    rows = [("k", 2), ("m", 2), ("n", 2)]
    out = []
    for op, first, f in (("Where", BOOL, np.where), ("Sum", F32, lambda a, b, c: a + b + c),
                         ("Max", F32, lambda a, b, c: np.maximum(np.maximum(a, b), c))):
        ins = [(name, tensor_type(first if name == "c" else F32, list(d))) for name, d in zip("cxy", rows)]
        out += both(op + " of three", [node(op, "c x y", "z")], ins, [("z", tensor_type(F32, None))],
                    [(values(first, k, 2), values(F32, m, 2), values(F32, n, 2)) for k, m, n in TRIPLES],
                    lambda a, b, c, f=f: [f(a, b, c)], lambda *v: fits(*map(len, v)))
    return out


def products():
    ins = [("x", tensor_type(F32, ["m", "a", "k"])), ("y", tensor_type(F32, ["n", "l", "b"]))]
    kinds = [(values(F32, m, 2, k), values(F32, n, l, 4)) for m, n in PAIRS for k, l in ((3, 3), (1, 1), (0, 0), (3, 1))]
    out = both("MatMul", [node("MatMul", "x y", "z")], ins, [("z", tensor_type(F32, None))], kinds,
               lambda a, b: [np.matmul(a, b)], lambda a, b: fits(len(a), len(b)) and a.shape[2] == b.shape[1],
               UNFIT + ("must be equal: 3 and 1",))
    ins = [("a", tensor_type(F32, ["m", "k"])), ("b", tensor_type(F32, ["l", "n"])), ("c", tensor_type(F32, ["p", "q"]))]
    kinds = [(values(F32, 2, k), values(F32, l, 3), values(F32, p, q))
             for k, l in ((4, 4), (0, 0), (4, 1)) for p in (1, 2) for q in (1, 3)]
    return out + both("Gemm", [node("Gemm", "a b c", "z")], ins, [("z", tensor_type(F32, None))], kinds,
                      lambda a, b, c: [np.matmul(a, b) + c], lambda a, b, c: a.shape[1] == len(b),
                      ("must be equal: 4 and 1",))


def norm(x, axes, epsilon=1e-5):
    mean = x.mean(axis=axes, keepdims=True)
    return (x - mean) / np.sqrt(((x - mean) ** 2).mean(axis=axes, keepdims=True) + epsilon)


def equal_ones():
    """Operators whose operands must have equal dimensions, all of them unknown."""
    image, vector = tensor_type(F32, ["n", "c", "h", "w"]), lambda d: tensor_type(F32, [d])
    any_type = tensor_type(F32, None)

    def each(v):
        return v.reshape(-1, 1, 1)

    x = values(F32, 2, 3, 4, 4)
    scale, shift, more = values(F32, 3), values(F32, 3) + 1, values(F32, 2)
    out = []
    for op, names, wide, f in (
            ("BatchNormalization", "s b m v", 4,
             lambda x, s, b, m, v: [(x - each(m)) / np.sqrt(each(v) + 1e-5) * each(s) + each(b)]),
            ("InstanceNormalization", "s b", 2, lambda x, s, b: [norm(x, (2, 3)) * each(s) + each(b)])):
        ins = [("x", image)] + [(name, vector("d" + name)) for name in names.split()]
        params = [scale, shift, scale, shift][:wide]
        out += both(op, [node(op, "x " + names, "y")], ins, [("y", any_type)],
                    [(x, *params), (x, *params[:-1], more)], f, lambda *v: len(v[-1]) == 3,
                    (f"({op}): dimension 0 of ",))
    ins = [("x", tensor_type(F32, ["n", "c"])), ("s", vector("d")), ("b", vector("e"))]
    out += both("LayerNormalization", [node("LayerNormalization", "x s b", "y", axis=-1)], ins, [("y", any_type)],
                [(values(F32, 2, 3), scale, shift), (values(F32, 2, 3), scale, more)],
                lambda x, s, b: [norm(x, (1,)) * s + b], lambda x, s, b: len(b) == 3, ("equal",))
    ins = [("x", image), ("s", tensor_type(F32, ["d", 1, 1]))]
    out += both("PRelu", [node("PRelu", "x s", "y")], ins, [("y", any_type)],
                [(x - 2, scale.reshape(3, 1, 1)), (x - 2, values(F32, 1, 1, 1)), (x - 2, more.reshape(2, 1, 1))],
                lambda x, s: [np.where(x < 0, x * s, x)], lambda x, s: len(s) != 2, ("3 and 2", "2 and 3"))
    ins = [("x", tensor_type(F32, ["n"])), ("i", tensor_type("int64", ["k", 1])), ("u", tensor_type(F32, ["l"]))]
    at = np.array([[1], [0]])
    out += both("ScatterND", [node("ScatterND", "x i u", "y")], ins, [("y", any_type)],
                [(values(F32, 3), at, more), (values(F32, 3), at, scale)],
                lambda x, i, u: [np.concatenate((u[::-1], x[2:]))], lambda x, i, u: len(u) == 2, ("must be equal: 3 and 2",))
    ins = [("x", tensor_type(F32, ["m", "k"])), ("y", tensor_type(F32, ["n", "l"]))]
    out += both("Concat", [node("Concat", "x y", "z", axis=0)], ins, [("z", any_type)],
                [(values(F32, m, k), values(F32, n, l)) for m, n in PAIRS for k, l in ((2, 2), (1, 2), (0, 0))],
                lambda a, b: [np.concatenate((a, b))], lambda a, b: a.shape[1] == b.shape[1], ("1 and 2", "2 and 1"))
    return out


def names():
    """Two data-dependent sizes get different names; spaces in a name do not make another
    expression."""
    ins = [("x", tensor_type(F32, ["m"])), ("y", tensor_type(F32, ["n"]))]
    nodes = [node("NonZero", "x", "p"), node("NonZero", "y", "q"), node("Add", "p q", "z")]
    kinds = [(np.array(a, np.float32), np.array(b, np.float32))
             for a, b in (([1, 0, 1], [0, 1, 1]), ([1, 0], [1, 1]), ([1, 1], [1, 1, 1]), ([0], [1]))]
    out = both("sizes of data", nodes, ins, [("z", tensor_type("int64", None))], kinds,
               lambda a, b: [np.array(np.nonzero(a)) + np.array(np.nonzero(b))],
               lambda a, b: fits(np.count_nonzero(a), np.count_nonzero(b)), ("equal, or one of them 1: 2 and 3",))
    def pair(first, second, **said):
        ins = [("x", tensor_type(F32, [first])), ("y", tensor_type(F32, [second]))]
        return Program(f"{first} and {second}", graph([node("Add", "x y", "z")], ins, [("z", tensor_type(F32, None))]),
                       [(values(F32, 3), values(F32, 2))], None, **said)
    alike = [("past + 1", "past+1"), ("past + 1", "1+past"), ("2*n", "n + n"), ("n//2", "floor(n / 2)"),
             ("ceiling(n/2)", "(n + 1)//2"), ("floor(n/2 - 1/2) + 1", "ceiling(n/2)"), ("floor(n/2 + 1/2)", "(1 + n)//2"),
             ("Max(1, n)", "Max(n, 1)"), ("a.b*(c - 1)", "a.b*c-a.b")]
    other = [("past + 1", "past + 2"), ("n/2", "ceiling(n/2)"), ("ceiling(n//2)", "ceiling(n/2)"), ("floor(n/2 + 1/2)", "floor(n/2)"),
             ("n**2", "n*2"), ("n/0", "n"), ("(" * 99, "("),
             ("f(n)", "g(n)"), ("n + ", "n"), ("past 1", "past + 1")]
    return out + [pair(*p, fails=("= 3, got 2",)) for p in alike] + \
        [pair(*p, fails=("must be equal, or one of them 1: 3 and 2",)) for p in other]


def programs():
    out = names() + alone() + of_triples() + products() + equal_ones()
    for dtype, ops in ((F32, FLOATS), (I32, INTEGERS), (BOOL, BOOLS)):
        out += of_pairs(dtype, ops, False) + of_pairs(dtype, ops, True)
    return out


if __name__ == "__main__":
    sys.exit(run(programs()))
