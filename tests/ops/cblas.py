#!/usr/bin/env python3
"""Models compiled with --codegen cblas, by the BLAS that NumPy's package brings, against NumPy.

    python3 tests/ops/cblas.py --rlxc build/rlxc --rlx build/rlx
"""
import argparse
import os
import subprocess
import sys
import tempfile

import numpy as np

MODEL = """
@I.ir_module
class Module:
    @R.function
    def main(x: R.Tensor(("n", 3, 40), "float32"), w: R.Tensor((70, 40), "float32"), b: R.Tensor((70,), "float32"),
             v: R.Tensor(("n", 70, 9), "float32")) -> R.Tensor(("n", 3, 9), "float32"):
        with R.dataflow():
            hidden = R.nn.relu(R.add(R.matmul(x, R.permute_dims(w)), b))
            y = R.tanh(R.matmul(hidden, v))
            R.output(y)
        return y
"""


def case(tools, folder, n):
    """The difference to NumPy for |n| batches, relative to the largest number."""
    random = np.random.default_rng(n)
    shapes = {"x": (n, 3, 40), "w": (70, 40), "b": (70,), "v": (n, 70, 9)}
    data = {name: random.uniform(-0.3, 0.3, shape).astype(np.float32) for name, shape in shapes.items()}
    command = [tools.rlx, "run", f"{folder}/model.rlx", "-o", f"{folder}/y.npy"]
    for name, values in data.items():
        np.save(f"{folder}/{name}.npy", values)
        command += ["--input", f"{name}={folder}/{name}.npy"]
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
    want = np.tanh(np.maximum(data["x"] @ data["w"].T + data["b"], 0) @ data["v"])
    got = np.load(f"{folder}/y.npy")
    return got.shape == want.shape and float(np.max(np.abs(got - want), initial=0)) < 1e-5


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--rlxc", required=True)
    parser.add_argument("--rlx", required=True)
    tools = parser.parse_args()
    sizes = (0, 1, 5, 64)
    with tempfile.TemporaryDirectory() as folder:
        with open(f"{folder}/model.py", "w") as f:
            f.write(MODEL)
        subprocess.run([tools.rlxc, f"{folder}/model.py", "--codegen", "cblas", "-o", f"{folder}/model.rlx"], check=True)
        listing = subprocess.run([tools.rlx, "dump", "--devices", f"{folder}/model.rlx"], check=True, text=True,
                                 stdout=subprocess.PIPE).stdout
        results = ["cblas: rows" in listing] + [case(tools, folder, n) for n in sizes]
    print(f"{results.count(True)} passed, {results.count(False)} failed")
    sys.exit(not all(results))


if __name__ == "__main__":
    main()
