#!/usr/bin/env python3
"""ONNX graphs whose nodes are not in execution order, against NumPy: shuffled chains in the graph,
in subgraphs and in functions; cycles, which are refused. `make test-ops`.
"""
import os
import sys

import numpy as np

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from sequences import F32, I64, Program, const, floats, function, graph, node, run, tensor_type  # noqa: E402

VECTOR, CONDITION, NUMBER = (tensor_type(F32, ["n"]), tensor_type("bool", []), tensor_type(I64, []))


def shuffled(rng, nodes):
    return [nodes[i] for i in rng.permutation(len(nodes))]


def chain(rng, count, prefix, first):
    """Sums and differences of earlier results; returns the nodes, the last name, and its
    reference."""
    names, factors, nodes = [first], [1], []
    for i in range(count):
        a, b = rng.integers(0, len(names), 2)
        if abs(factors[-1]) > 1000:
            a = b = 0
        plus = bool(rng.integers(0, 2))
        names.append(f"{prefix}{i}")
        factors.append(factors[a] + factors[b] if plus else factors[-1] - factors[b])
        nodes.append(node("Add" if plus else "Sub", f"{names[a if plus else i]} {names[b]}", names[-1]))
    return nodes, names[-1], factors[-1]


def straight(seed, count):
    rng = np.random.default_rng(seed)
    nodes, last, factor = chain(rng, count, "t", "x")
    return Program(f"{count} shuffled nodes", graph(shuffled(rng, nodes + [node("Identity", last, "y")]),
                                                    [("x", VECTOR)], [("y", VECTOR)]),
                   [(quarters,) for quarters in (np.arange(-4, 4, .25, np.float32), np.zeros(0, np.float32))],
                   lambda x: [x * np.float32(factor)])


def branches(seed):
    """Subgraphs out of order, which use results of later nodes."""
    rng = np.random.default_rng(seed)
    outer, last, factor = chain(rng, 9, "o", "x")
    bodies, factors = [], []
    for name in ("then", "else"):
        nodes, end, own = chain(rng, 7, name, last)
        inner = graph(shuffled(rng, nodes + [node("Identity", end, name)]), [], [(name, VECTOR)])
        nested = graph([node("Neg", f"{name}_", f"{name}y"),
                        node("If", "c", f"{name}_", then_branch=inner, else_branch=inner)],
                       [], [(f"{name}y", VECTOR)])
        bodies.append(nested)
        factors.append(-factor * own)
    nodes = [node("If", "c", "y", then_branch=bodies[0], else_branch=bodies[1])]
    return Program("shuffled branches", graph(nodes + outer[::-1], [("x", VECTOR), ("c", CONDITION)],
                                              [("y", VECTOR)]),
                   [(np.arange(-2, 2, .5, np.float32), np.array(c)) for c in (True, False)],
                   lambda x, c: [x * np.float32(factors[0 if c else 1])])


def loop():
    body = graph([node("Add", "b d", "next"), node("Identity", "c", "go"), node("Add", "d a", "b"),
                  node("Neg", "s", "a")],
                 [("i", NUMBER), ("c", CONDITION), ("s", VECTOR)],
                 [("go", CONDITION), ("next", VECTOR)])
    return Program("a shuffled loop", graph([node("Neg", "z", "y"),
                                             node("Loop", "k _ x", "z", body=body),
                                             node("Add", "x x", "d")],
                                            [("x", VECTOR), ("k", NUMBER)], [("y", VECTOR)]),
                   [(floats(3), np.array(k)) for k in (0, 1, 2, 5)],
                   lambda x, k: [-(x if k % 2 == 0 else 3 * x)])


def programs():
    called = function("Six", ["a"], ["r"], [node("Add", "two four", "r"), node("Add", "two two", "four"),
                                            node("Add", "a a", "two")])
    ring = function("Ring", ["a"], ["r"], [node("Add", "a t", "r"), node("Neg", "r", "t")])
    names = [node("Add", f"x t{(i + 1) % 12}", f"t{i}") for i in range(12)]
    inside = graph([node("Neg", "later", "b")], [], [("b", VECTOR)])
    x, y = [("x", VECTOR)], [("y", VECTOR)]
    refused = [
        ("a cycle", [node("Add", "x b", "a"), node("Neg", "a", "b"), node("Neg", "a", "y")],
         "nodes form a cycle: the node without name (Add) of 'a' uses a result of the node without "
         "name (Neg) of 'b', which uses a result of the node without name (Add) of 'a'"),
        ("a node of its own result", [node("Add", "x y", "y")],
         "the node without name (Add) of 'y' uses its own result"),
        ("a long cycle", names + [node("Neg", "t0", "y")],
         "of 't7', which, by way of 4 more, uses a result of the node without name (Add) of 't0'"),
        ("a cycle through a body",
         [node("If", "c", "y", then_branch=inside, else_branch=inside), node("Neg", "y", "later")],
         "nodes form a cycle: the node without name (If) of 'y'"),
        ("a cycle in a body",
         [node("If", "c", "y", then_branch=graph([node("Neg", "b", "d"), node("Neg", "d", "b")], [],
                                                 [("b", VECTOR)]), else_branch=inside),
          node("Neg", "x", "later")], "nodes form a cycle: the node without name (Neg) of 'd'"),
        ("a cycle in a function", [node("Ring", "x", "y", domain="local")], "nodes form a cycle"),
        ("a name of no node", [node("Add", "x nowhere", "y")],
         "no node produces input 'nowhere'")]
    return [*[straight(seed, count) for seed, count in enumerate((2, 3, 5, 17, 60, 300))],
            *[branches(seed) for seed in range(4)], loop(),
            Program("a long chain, back to front",
                    graph([node("Neg", f"t{i}" if i else "x", f"t{i + 1}") for i in range(3000)][::-1] +
                          [node("Neg", "t3000", "y")], x, y), [(floats(3),)], lambda x: [-x]),
            Program("a shuffled function", graph([node("Neg", "z", "y"),
                                                  node("Six", "x", "z", domain="local")], x, y),
                    [(floats(3),)], lambda x: [-(2 * x + 4 * x)], functions=[called]),
            Program("an input that a later node makes again",
                    graph([node("Neg", "x", "y"), node("Neg", "y", "x")], x, y), [], None,
                    refused="'x' is defined twice"),
            *[Program(name, graph(nodes, x + [("c", CONDITION)], y), [], None, refused=text,
                      functions=[ring] if "function" in name else ())
              for name, nodes, text in refused]]


if __name__ == "__main__":
    sys.exit(run(programs()))
