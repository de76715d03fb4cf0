#!/usr/bin/env python3
"""Models compiled with --codegen cblas and --codegen dnnl, by the libraries of this machine, against NumPy.

    python3 tests/ops/codegens.py --rlxc build/rlxc --rlx build/rlx

NumPy's package brings a BLAS. Without oneDNN 2 (libdnnl2) its model is compiled, and not run.
"""
import argparse
import subprocess
import sys
import tempfile

import numpy as np

TEXT = """
@I.ir_module
class Module:
    @R.function
    def main({params}):
        with R.dataflow():
            y = {body}
            R.output(y)
        return y
"""


def products(x, w, b, v):
    return np.tanh(np.maximum(x @ w.T + b, 0) @ v)


def convolution(x, w, b, s):
    """3x3, stride 1, padding 1; then what follows."""
    padded = np.pad(x, ((0, 0), (0, 0), (1, 1), (1, 1)))
    windows = np.lib.stride_tricks.sliding_window_view(padded, (3, 3), axis=(2, 3))
    return np.maximum(np.einsum("nchwij,ocij->nohw", windows, w) + b + s, 0)


MODELS = {
    "cblas": ("R.tanh(R.matmul(R.nn.relu(R.add(R.matmul(x, R.permute_dims(w)), b)), v))", products,
              {"x": ("n", 3, 40), "w": (70, 40), "b": (70,), "v": ("n", 70, 9)}),
    "dnnl": ("R.nn.relu(R.add(R.add(R.nn.conv2d(x, w, padding=[1, 1]), b), s))", convolution,
             {"x": ("n", 5, 12, 17), "w": (20, 5, 3, 3), "b": (1, 20, 1, 1), "s": ("n", 20, 12, 17)}),
}


def annotation(shape):
    dims = ", ".join(f'"{d}"' if isinstance(d, str) else str(d) for d in shape)
    return f'R.Tensor(({dims},), "float32")'


def case(tools, folder, name, n):
    """Whether the results for |n| batches are right; None: this machine has not the library."""
    _, reference, shapes = MODELS[name]
    random = np.random.default_rng(n)
    data = {k: random.uniform(-0.3, 0.3, [n if d == "n" else d for d in shape]).astype(np.float32)
            for k, shape in shapes.items()}
    command = [tools.rlx, "run", f"{folder}/{name}.rlx", "-o", f"{folder}/y.npy"]
    for key, values in data.items():
        np.save(f"{folder}/{key}.npy", values)
        command += ["--input", f"{key}={folder}/{key}.npy"]
    done = subprocess.run(command, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
    if name == "dnnl" and "there is no oneDNN" in done.stderr:
        return None
    if done.returncode != 0:
        print(f"{name}, n={n}: {done.stderr.strip()}")
        return False
    want, got = reference(**data), np.load(f"{folder}/y.npy")
    return got.shape == want.shape and float(np.max(np.abs(got - want), initial=0)) < 1e-5


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--rlxc", required=True)
    parser.add_argument("--rlx", required=True)
    tools = parser.parse_args()
    results = []
    with tempfile.TemporaryDirectory() as folder:
        for name, (body, _, shapes) in MODELS.items():
            params = ", ".join(f"{k}: {annotation(shape)}" for k, shape in shapes.items())
            with open(f"{folder}/{name}.py", "w") as f:
                f.write(TEXT.format(params=params, body=body))
            subprocess.run([tools.rlxc, f"{folder}/{name}.py", "--codegen", name, "-o", f"{folder}/{name}.rlx"], check=True)
            listing = subprocess.run([tools.rlx, "dump", "--devices", f"{folder}/{name}.rlx"], check=True, text=True,
                                     stdout=subprocess.PIPE).stdout
            results.append(f"{name}: rows" in listing)
            results += [case(tools, folder, name, n) for n in (0, 1, 5, 64)]
    if None in results:
        print("oneDNN 2 is not installed here: its model was compiled, not run")
    print(f"{results.count(True)} passed, {results.count(False)} failed")
    sys.exit(False in results)


if __name__ == "__main__":
    main()
