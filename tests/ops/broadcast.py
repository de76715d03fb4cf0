#!/usr/bin/env python3
"""Relax operators with broadcasting operands of unrelated dimensions, against NumPy: each dimension
0, 1 and more, in both orders, also with computed sizes. One module, compiled once.

    python3 tests/ops/broadcast.py --rlxc build/rlxc --rlx build/rlx
"""
import argparse
import itertools
import os
import subprocess
import sys
import tempfile

import numpy as np

SIZES = (0, 1, 3)
FLOATS = {"add": np.add, "subtract": np.subtract, "multiply": np.multiply, "divide": np.divide,
          "floor_divide": np.floor_divide, "mod": np.fmod, "floor_mod": np.mod, "power": np.power,
          "atan2": np.arctan2, "maximum": np.maximum, "minimum": np.minimum, "equal": np.equal,
          "not_equal": np.not_equal, "less": np.less, "less_equal": np.less_equal,
          "greater": np.greater, "greater_equal": np.greater_equal}
INTEGERS = {"bitwise_and": np.bitwise_and, "bitwise_or": np.bitwise_or, "bitwise_xor": np.bitwise_xor,
            "left_shift": np.left_shift, "right_shift": np.right_shift}
BOOLS = {"logical_and": np.logical_and, "logical_or": np.logical_or, "logical_xor": np.logical_xor}
KINDS = {"float32": FLOATS, "int32": INTEGERS, "bool": BOOLS}


def values(dtype, *dims):
    rng = np.random.default_rng(len(dims) + sum(dims))
    return rng.uniform(.5, 3, dims).astype(np.float32) if dtype == "float32" else \
        rng.integers(0, 2 if dtype == "bool" else 9, dims).astype(dtype)


def function(name, params, lines, result):
    body = "".join(f"        {line}\n" for line in lines)
    return f"    @R.function\n    def {name}({params}):\n{body}        return {result}\n\n"


def pair(dtype):
    return f'x: R.Tensor(("m", 2), "{dtype}"), y: R.Tensor(("n", 2), "{dtype}")'


def triple(first):
    return (f'c: R.Tensor(("k", 2), "{first}"), x: R.Tensor(("m", 2), "float32"), '
            'y: R.Tensor(("n", 2), "float32")')


BATCHES = 'x: R.Tensor(("m", 2, 3), "float32"), y: R.Tensor(("n", 3, 4), "float32")'


def module():
    """All operators of a type in one function, on given and on computed operands; then each
    alone, to check its error for sizes that do not match."""
    text = "from tvm.script import ir as I\nfrom tvm.script import relax as R\n\n@I.ir_module\nclass Module:\n"
    for dtype, ops in KINDS.items():
        calls = [f"{op} = R.{op}(x, y)" for op in ops]
        text += function(dtype, pair(dtype), calls, f"({', '.join(ops)})")
        text += function(dtype + "_computed", pair(dtype), ["t = R.concat((x, x), axis=0)"] +
                         [f"{op} = R.{op}(t, y)" for op in ops], f"({', '.join(ops)})")
        for op in ops:
            text += function("only_" + op, pair(dtype), [f"z = R.{op}(x, y)"], "z")
    text += function("where", triple("bool"), ["z = R.where(c, x, y)"], "z")
    text += function("ewise_fma", triple("float32"), ["z = R.ewise_fma(c, x, y)"], "z")
    text += function("matmul", BATCHES, ["z = R.matmul(x, y)"], "z")
    text += function("matmul_computed", BATCHES, ["t = R.concat((x, x), axis=0)", "z = R.matmul(t, y)"], "z")
    return text


class Runner:
    def __init__(self, args, folder):
        self.rlx, self.folder, self.passed, self.bad = args.rlx, folder, 0, []
        source, self.exe = os.path.join(folder, "m.py"), os.path.join(folder, "m.rlx")
        with open(source, "w") as f:
            f.write(module())
        subprocess.run([args.rlxc, source, "-o", self.exe], check=True, timeout=300)

    def run(self, function_name, inputs, want, fails):
        """|want|: a list of results, or None if the run |fails| with that text."""
        for old in os.listdir(self.folder):
            if old.startswith("out"):
                os.remove(os.path.join(self.folder, old))
        command = [self.rlx, "run", self.exe, "-f", function_name, "-o", os.path.join(self.folder, "out.npy")]
        for i, v in enumerate(inputs):
            np.save(os.path.join(self.folder, f"in{i}.npy"), v)
            command += ["--input", os.path.join(self.folder, f"in{i}.npy")]
        done = subprocess.run(command, capture_output=True, text=True, timeout=600)
        why = None
        if want is None:
            if done.returncode != 1 or fails not in done.stderr:
                why = f"exit {done.returncode}, not \"{fails}\": {done.stderr[:200]}"
        elif done.returncode != 0:
            why = f"exit {done.returncode}: {done.stderr[:200]}"
        for i, w in enumerate(want or []) if not why else []:
            name = f"out.{i}.npy" if len(want) > 1 else "out.npy"
            got = np.load(os.path.join(self.folder, name))
            if got.shape != w.shape or not np.allclose(got, w, rtol=2e-5, atol=1e-6, equal_nan=True):
                why = f"result {i}: {got.shape} {got.ravel()[:4]}, expected {w.shape} {w.ravel()[:4]}"
        self.passed += why is None
        if why:
            self.bad.append(f"{function_name} {[v.shape for v in inputs]}: {why}")


def fits(*sizes):
    return len(set(sizes) - {1}) <= 1


def check(r):
    message = "must be equal, or one of them 1"
    for (dtype, ops), m, n in itertools.product(KINDS.items(), SIZES, SIZES):
        x, y = values(dtype, m, 2), values(dtype, n, 2)
        for name, a in ((dtype, x), (dtype + "_computed", np.concatenate((x, x)))):
            wide = (a.astype(np.float64), y.astype(np.float64)) if dtype == "float32" else (a, y)
            good = fits(len(a), n)
            r.run(name, [x, y], [np.asarray(f(*wide)) for f in ops.values()] if good else None, message)
    for dtype, ops in KINDS.items():
        for op in ops:
            for m, n in ((2, 3), (3, 0)):
                r.run("only_" + op, [values(dtype, m, 2), values(dtype, n, 2)], None,
                      f"{op}: dimension 0 of lhs 'x' and dimension 0 of rhs 'y' {message}: {m} and {n}")
    for k, m, n in itertools.product(SIZES + (2,), repeat=3):
        c, x, y = values("bool", k, 2), values("float32", m, 2), values("float32", n, 2)
        good = fits(k, m, n)
        r.run("where", [c, x, y], [np.where(c, x, y)] if good else None, message)
        f = values("float32", k, 2)
        r.run("ewise_fma", [f, x, y], [f * x + y] if good else None, message)
    for m, n in itertools.product(SIZES, repeat=2):
        x, y = values("float32", m, 2, 3), values("float32", n, 3, 4)
        for name, a in (("matmul", x), ("matmul_computed", np.concatenate((x, x)))):
            r.run(name, [x, y], [a @ y] if fits(len(a), n) else None, message)


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rlxc", default="build/rlxc")
    parser.add_argument("--rlx", default="build/rlx")
    args = parser.parse_args()
    with np.errstate(all="ignore"), tempfile.TemporaryDirectory() as folder:
        r = Runner(args, folder)
        check(r)
    print("".join(line + "\n" for line in r.bad) + f"broadcast: {r.passed} passed, {len(r.bad)} failed")
    return 1 if r.bad else 0


if __name__ == "__main__":
    sys.exit(main())
