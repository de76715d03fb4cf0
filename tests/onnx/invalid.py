#!/usr/bin/env python3
"""Models that ONNX's checker or ONNX Runtime refuses: each is an error that names the fault, and a
similar valid model compiles. Shapes that the nodes contradict are warnings; `make test-ops`.
"""
import argparse
import os
import subprocess
import sys
import tempfile

import numpy as np

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from ops import Sparse, data, number, sparse, tensor  # noqa: E402
from sequences import Ref, function, graph, info, node, sequence, tensor_type  # noqa: E402

FLAT, FOUR = tensor_type("float32", ["n", 4]), tensor_type("float32", [4])
TRUTH = tensor_type("bool", [])
WEIGHTS = np.arange(4, dtype=np.float32)
X, Y = ("x", FLAT), ("y", FLAT)


def of(dims, dtype="float32"):
    return tensor_type(dtype, dims)


def model(nodes, ins=(X,), outs=(Y,), more=b"", ir=8, sets=((None, 18),), functions=()):
    g = graph(nodes, ins, outs) + more
    imports = b"".join(data(8, (data(1, d) if d else b"") + number(2, v)) for d, v in sets)
    return (b"" if ir is None else number(1, ir)) + imports + data(7, g) + b"".join(
        data(25, f) for f in functions)


def twice(**kw):
    """y = -|x|, with the graph's declaration of the intermediate value."""
    return model([node("Abs", "x", "t"), node("Neg", "t", "y")], **kw)


def weights(t, more=b""):
    return model([node("Add", "x w", "y")], more=data(5, t) + more)


def branches(first, second, ins=(X,)):
    return model([node("If", "c", "y", then_branch=first, else_branch=second)],
                 [("c", TRUTH), *ins])


def called(f, op="F", ins="x", outs="y", others=(), sets=((None, 18), ("local", 1)), **attrs):
    return model([node(op, ins, outs, domain="local", **attrs)], sets=sets, functions=[f, *others])


def outside(entries):
    """The initializer w, stored in an external file."""
    return weights(number(1, 4) + number(2, 1) + data(8, "w") + number(14, 1) + b"".join(
        data(13, data(1, k) + data(2, v)) for k, v in entries))


class Warned(str):
    """The text of a warning about a model that compiles."""


def rows():
    relu = graph([node("Relu", "x", "p")], [], [("p", FLAT)])
    neg = function("F", ["a"], ["b"], [node("Neg", "a", "b")])
    soft = function("F", ["a"], ["b"], [node("LeakyRelu", "a", "b", alpha=Ref("by"))],
                    attributes=["by"])
    default = soft.replace(data(6, "by"), b"") + data(
        11, data(1, "by") + bytes([2 << 3 | 5]) + np.float32(.5).tobytes() + number(20, 1))
    five = np.array([0, 0, 3, 0, 5], np.float32)
    descending = sparse(Sparse(five, False), "w").replace(
        tensor(np.array([2, 4])), tensor(np.array([4, 2])))
    plain = tensor(WEIGHTS, "w")
    return [
        # versions
        (twice(), None),
        (twice(ir=None), "the model has IR version 0; 1 to 14 are known"),
        (twice(ir=99), "the model has IR version 99; 1 to 14 are known"),
        (twice(sets=()), "the model declares no opset"),
        (twice(sets=((None, 18), ("com.microsoft", 1))), None),
        (twice(sets=((None, 18), ("com.microsoft", 7))),
         "domain 'com.microsoft' has opset 7; 1 to 1 are known"),
        (twice(sets=((None, 18), ("ai.onnx.ml", 99))), "domain 'ai.onnx.ml' has opset 99"),
        (twice(sets=((None, 18), ("my.own", 99))), None),
        # declarations
        (twice(outs=[("y", of(["n", 4], "float64"))]),
         "'y' is of float32, the model declares float64"),
        (twice(outs=[("y", of(["n", 4, 1]))]),
         Warned("'y' has 2 dimensions, not 3; the declared shape is ignored")),
        (twice(outs=[("y", of(["n", 7]))]),
         Warned("dimension 1 of 'y' is 4, not 7; the declared shape is ignored")),
        (twice(outs=[("y", of(["other", "names"]))]), None),
        (twice(outs=[("y", of(None))]), None),
        (twice(outs=[("y", b"")]), None),
        (twice(outs=[("y", sequence(FLAT))]), "'y' is a tensor, the model declares a sequence"),
        (twice(outs=[("y", data(1, data(2, b"")))]), "'y' has no element type"),
        (twice(more=data(13, info("t", of([5, 4])))), None),
        (twice(more=data(13, info("t", of(["n", 4], "int32")))),
         "'t' is of float32, the model declares int32"),
        (twice(more=data(13, info("t", of([4])))),
         Warned("'t' has 2 dimensions, not 1; the declared shape is ignored")),
        (twice(more=data(13, info("t", of(["n", 3])))),
         Warned("dimension 1 of 't' is 4, not 3; the declared shape is ignored")),
        (model([node("Shape", "x", "y")], outs=[("y", of([3], "int64"))]),
         Warned("dimension 0 of 'y' is 2, not 3; the declared shape is ignored")),
        (twice(ins=[("x", of([-1, 4]))]), None),
        (twice(ins=[("x", of([-7, 4]))]), "dimension 0 of 'x' is -7"),
        (twice(more=data(13, info("t", of(["n", -2])))), "dimension 1 of 't' is -2"),
        # tensors
        (weights(plain), None),
        (weights(plain + bytes([4 << 3 | 5]) + np.float32(1).tobytes()),
         "'w': the data is given both as bytes and as numbers"),
        (weights(plain, data(5, plain)), "'w' is defined twice"),
        (weights(plain, data(15, sparse(Sparse(five, False), "w"))), "'w' is defined twice"),
        (model([node("Add", "x w", "y")], [("x", of([5]))], [("y", of([5]))],
               data(15, sparse(Sparse(five, False), "w"))), None),
        (model([node("Add", "x w", "y")], [("x", of([5]))], [("y", of([5]))],
               data(15, descending)), "'w': its indices are not in ascending order"),
        (model([node("Constant", "", "c", value=WEIGHTS, value_float=1.0),
                node("Add", "x c", "y")]), "2 values; a constant has one"),
        (outside([("location", "w.bin")]), None),
        (outside([("location", "w.bin"), ("offset", "4")]), "does not have the 16 bytes"),
        (outside([("location", "w.bin"), ("offset", "4x")]), "must be whole numbers"),
        (outside([("location", "w.bin"), ("offset", "-4")]), "must be whole numbers"),
        (outside([("location", "w.bin"), ("length", "")]), "must be whole numbers"),
        (outside([("location", "../w.bin")]), "it is not in the model's folder"),
        # nested graphs
        (branches(relu, relu), None),
        (branches(graph([node("Relu", "x", "c"), node("Neg", "c", "q")], [], [("q", FLAT)]), relu),
         "Relu: 'c' is defined twice"),
        (branches(graph([], [], [("x", FLAT)]), relu),
         "no node of the subgraph produces its output 'x'"),
        (branches(graph([node("Relu", "x", "q")], [("z", FLAT)], [("q", FLAT)]), relu),
         "a branch has 1 inputs, expected none"),
        # functions
        (called(neg), None),
        (called(neg, sets=((None, 18),)), "no operator set of domain 'local' is imported"),
        (called(neg, others=[function("F", ["a"], ["b"], [node("Abs", "a", "b")])]),
         "function local:F is defined twice"),
        (called(function("F", ["a"], ["b"], [node("Neg", "a", "b"), node("Abs", "a", "b")])),
         "Abs: 'b' is defined twice"),
        (called(function("F", ["a", "a"], ["b"], [node("Neg", "a", "b")]), ins="x x"),
         "'a' is defined twice"),
        (called(function("F", ["a"], ["b"], [node("Add", "a x", "b")])),
         "function local:F has no value 'x'"),
        (called(function("F", ["a"], ["b"], [node("Neg", "a", "c")])),
         "output 'b' of function local:F is not produced by any of its nodes"),
        (called(function("F", ["a"], ["b"], [node("Neg", "a", "b", foo=1)])),
         "unknown attribute 'foo'; expected one of: none"),
        (called(function("F", ["a"], ["b"], [node("Neg", "a", "b")], opset=99)),
         "has opset 99"),
        (called(soft, by=.5), None),
        (called(soft), None),
        (called(default), None),
        (called(soft, by=1), "attribute 'alpha' must be a float, is an integer"),
        (called(function("F", ["a"], ["b"], [node("F", "a", "b", domain="local")])),
         "nested too deeply"),
        # attributes that contradict the inputs
        (model([node("Transpose", "x", "y", perm=[1, 0])], outs=[("y", of([4, "n"]))]), None),
        (model([node("Transpose", "x", "y", perm=[-1, 0])], outs=[("y", of([4, "n"]))]),
         "perm[0] is -1, expected 0 to 1"),
        (convolved(kernel_shape=[3, 2]), None),
        (convolved(kernel_shape=[3, 3]), "kernel_shape[1] is 3, the weights have 2 there"),
        (convolved(kernel_shape=[3]), "kernel_shape"),
        (model([node("Reshape", "x w", "y")], more=data(5, plain)),
         "input 1 ('w') is of float32; the operator takes int64"),
        (model([node("QuantizeLinear", "x w", "y", output_dtype=6)], more=data(5, plain),
               sets=((None, 21),)), "only integers of at most 16 bits"),
        (recurrent(["Tanh"], hidden_size=2), None),
        (recurrent(["Tanh"], hidden_size=3), "hidden_size is 3"),
        (recurrent(["Tanh"], hidden_size=-1), "hidden_size is -1"),
        # activation names are case-insensitive
        (recurrent(["tanh"]), None),
        (recurrent(["Cube"]), "activation 'Cube' is not one of Relu, Tanh, Sigmoid, Affine"),
        (recurrent(["Tanh", "Tanh"]), "2 activations, expected 1"),
    ]


def convolved(**attrs):
    return model([node("Conv", "x w", "y", **attrs)], [("x", of(["n", 1, 8, 8]))],
                 [("y", of(["n", 1, 6, 7]))],
                 data(5, tensor(np.ones((1, 1, 3, 2), np.float32), "w")))


def recurrent(names, hidden_size=2):
    listed = data(5, data(1, "activations") + b"".join(data(9, n) for n in names) + number(20, 8))
    step = node("RNN", "x w r", "y", hidden_size=hidden_size)
    body = step[step.index(data(1, "x")):] + listed
    return model([data(1, body)], [("x", of(["s", 1, 3]))], [("y", of(["s", 1, 1, 2]))],
                 data(5, tensor(np.ones((1, 2, 3), np.float32), "w")) +
                 data(5, tensor(np.ones((1, 2, 2), np.float32), "r")))


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--rlxc", required=True)
    parser.add_argument("--rlx")  # unused; passed to every file of test-ops
    args = parser.parse_args()
    bad, table = 0, rows()
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "m.onnx")
        WEIGHTS.tofile(os.path.join(folder, "w.bin"))
        for i, (text, expected) in enumerate(table):
            with open(path, "wb") as f:
                f.write(text)
            p = subprocess.run([args.rlxc, path, "--emit", "relax", "-o", os.devnull],
                               capture_output=True, text=True)
            fails = expected is not None and not isinstance(expected, Warned)
            right = p.returncode == fails and (expected or "") in p.stderr and (
                "warning: " in p.stderr) == isinstance(expected, Warned)
            if not right:
                bad += 1
                print(f"FAIL model {i}: exit {p.returncode} instead of '{expected}': {p.stderr[:300]}")
    print(f"ONNX models that are none: {len(table) - bad} passed, {bad} failed")
    return bool(bad)


if __name__ == "__main__":
    sys.exit(main())
