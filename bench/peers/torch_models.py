#!/usr/bin/env python3
"""Writes the models of bench/models.py for PyTorch: torch_models.py FOLDER.

Reads the weights of FOLDER/NAME.onnx and writes FOLDER/NAME.script and NAME.script.weights as
torch.cpp reads them. The text is what one would write for PyTorch, not the nodes of ONNX: its
linear layer, its gelu, its fused attention. Needs NumPy and onnx.
"""
import os
import sys

import numpy as np
import onnx
from onnx import numpy_helper


class Script:
    def __init__(self, folder, name):
        self.path = os.path.join(folder, name)
        arrays = map(numpy_helper.to_array, onnx.load(self.path + ".onnx").graph.initializer)
        # Scalars and shapes are operands of ONNX's spelling, not weights.
        self.found = iter([a for a in arrays if a.dtype == np.float32 and a.ndim > 0])
        self.weights, self.lines = [], []

    def weight(self, transposed=False):
        """The model's next weight."""
        array = next(self.found)
        self.weights.append(np.ascontiguousarray(array.T if transposed else array))
        return f"self.w{len(self.weights) - 1}"

    def line(self, name, text):
        self.lines.append(f"    {name} = {text}")

    def linear(self, x, transposed):
        return f"torch.linear({x}, {self.weight(transposed)}, {self.weight()})"

    def conv(self, x):
        return f"torch.conv2d({x}, {self.weight()}, {self.weight()}, [1, 1], [1, 1])"

    def save(self):
        assert next(self.found, None) is None, "weights are left"
        dims = [f"w{i} " + " ".join(map(str, w.shape)) for i, w in enumerate(self.weights)]
        with open(self.path + ".script", "w") as f:
            f.write("\n".join(dims + ["", "def forward(self, x: Tensor) -> Tensor:"] + self.lines + ["    return x\n"]))
        with open(self.path + ".script.weights", "wb") as f:
            for weight in self.weights:
                f.write(weight.tobytes())


def mlp(s):
    for activation in ("torch.relu({})", "torch.relu({})", "torch.softmax({}, -1)"):
        s.line("x", activation.format(s.linear("x", transposed=False)))


def encoder(s, hidden=768, heads=12):
    for name in "qkv":
        split = f"[x.size(0), x.size(1), {heads}, {hidden // heads}]"
        s.line(name, f"{s.linear('x', transposed=True)}.reshape({split}).transpose(1, 2)")
    s.line("a", "torch.scaled_dot_product_attention(q, k, v).transpose(1, 2).reshape(x.size())")
    norm = f"torch.layer_norm({{}}, [{hidden}], {{}}, {{}}, 1e-5)"
    s.line("a", f"x + {s.linear('a', transposed=True)}")
    s.line("x", norm.format("a", s.weight(), s.weight()))
    s.line("a", f"torch.gelu({s.linear('x', transposed=True)})")
    s.line("a", f"x + {s.linear('a', transposed=True)}")
    s.line("x", norm.format("a", s.weight(), s.weight()))


def cnn(s):
    for _ in range(3):
        s.line("x", f"torch.max_pool2d(torch.relu({s.conv('x')}), [2, 2])")


def residual(s):
    s.line("y", f"torch.relu({s.conv('x')})")
    s.line("y", s.conv("y"))
    s.line("x", "torch.relu(y + x)")


def main(folder):
    for build in (mlp, encoder, cnn, residual):
        script = Script(folder, build.__name__)
        build(script)
        script.save()


if __name__ == "__main__":
    main(sys.argv[1])
