"""Times a model in ONNX as Apache TVM compiles it without tuning: tvm_peer.py M.onnx DIMS N...

Prints a line "n microseconds" for each n. TVM's own time evaluator runs the calls in its runtime, so
that no Python is counted. Run by bench/run.py with the Python of the peers' virtual environment.
"""
import sys

import numpy as np
import onnx
import tvm
from tvm import relax
from tvm.relax.frontend.onnx import from_onnx
from tvm.target import codegen


def main(path, dims, values):
    module = from_onnx(onnx.load(path), keep_params_in_input=False)
    executable = tvm.compile(module, target=tvm.target.Target({"kind": "llvm", "mcpu": codegen.llvm_get_system_cpu()}))
    machine = relax.VirtualMachine(executable, tvm.cpu())
    for n in values:
        shape = [n if d == "n" else int(d) for d in dims.split(",")]
        x = tvm.runtime.tensor(np.random.default_rng(7).uniform(-1, 1, shape).astype(np.float32))
        machine.set_input("main", x)
        times = machine.time_evaluator("invoke_stateful", tvm.cpu(), number=3, repeat=5)("main")
        print(n, 1e6 * times.median, flush=True)


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2], [int(n) for n in sys.argv[3:]])
