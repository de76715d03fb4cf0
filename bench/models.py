#!/usr/bin/env python3
"""Makes the models that `make bench` runs: models.py FOLDER.

Seeded, so two runs give the same bytes. The graphs are what PyTorch's exporter prints: linear layers
as MatMul and Add, gelu in its erf form spelled out, heads by Reshape to a computed shape and
Transpose, the batch norms already folded into the convolutions. One dimension, n, is dynamic.
Needs NumPy and onnx. Beside the ONNX models: one-row products with grouped weights as TVMScript and
their float32 twins, each with its weights in a .safetensors file.
"""
import json
import math
import os
import struct
import sys

import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper

import modules

HIDDEN, HEADS, FFN = 768, 12, 3072
GROUP = 32  # weights that share a scale
SCALE = 0.04  # of quantized images


class Graph:
    """Nodes and weights in the order they are added; every add gives the name of its result."""

    def __init__(self, seed):
        self.rng = np.random.default_rng(seed)
        self.nodes, self.weights, self.count = [], [], 0

    def const(self, array):
        name = f"c{len(self.weights)}"
        self.weights.append(numpy_helper.from_array(np.asarray(array), name))
        return name

    def weight(self, *shape, fan_in):
        return self.const((self.rng.standard_normal(shape) / math.sqrt(fan_in)).astype(np.float32))

    def op(self, kind, *inputs, **attributes):
        self.count += 1
        name = f"{kind.lower()}_{self.count}"
        self.nodes.append(helper.make_node(kind, list(inputs), [name], name=f"/{name}", **attributes))
        return name

    def linear(self, x, n_in, n_out):
        y = self.op("MatMul", x, self.weight(n_in, n_out, fan_in=n_in))
        return self.op("Add", self.weight(n_out, fan_in=n_out), y)

    def conv(self, x, n_in, n_out):
        w = self.weight(n_out, n_in, 3, 3, fan_in=9 * n_in)
        return self.op("Conv", x, w, self.weight(n_out, fan_in=n_out), kernel_shape=[3, 3],
                       pads=[1, 1, 1, 1], strides=[1, 1], dilations=[1, 1], group=1)

    def save(self, path, result, in_dims, out_dims):
        """The input is named x; the node that gives |result| gets the name y."""
        for node in self.nodes:
            for names in (node.input, node.output):
                for i, name in enumerate(names):
                    names[i] = "y" if name == result else name
        value = helper.make_tensor_value_info
        graph = helper.make_graph(self.nodes, "bench", [value("x", TensorProto.FLOAT, in_dims)],
                                  [value("y", TensorProto.FLOAT, out_dims)], self.weights)
        model = helper.make_model(graph, producer_name="rlx-bench",
                                  opset_imports=[helper.make_opsetid("", 17)])
        model.ir_version = 8
        onnx.checker.check_model(model)
        onnx.save(model, path)


def mlp(path):
    g, x = Graph(1), "x"
    sizes = [784, 256, 128, 10]
    for n_in, n_out in zip(sizes, sizes[1:]):
        x = g.op("Gemm", x, g.weight(n_out, n_in, fan_in=n_in), g.weight(n_out, fan_in=n_out), transB=1)
        x = g.op("Relu", x) if n_out != sizes[-1] else g.op("Softmax", x, axis=-1)
    g.save(path, x, ["n", 784], ["n", 10])


def gelu(g, x):
    half = g.op("Erf", g.op("Div", x, g.const(np.float32(math.sqrt(2)))))
    return g.op("Mul", g.op("Mul", x, g.op("Add", half, g.const(np.float32(1)))), g.const(np.float32(0.5)))


def layer_norm(g, x):
    scale = g.const((1 + 0.1 * g.rng.standard_normal(HIDDEN)).astype(np.float32))
    return g.op("LayerNormalization", x, scale, g.weight(HIDDEN, fan_in=HIDDEN), axis=-1, epsilon=1e-5)


def encoder_layer(g, x):
    """Post-norm, as in BERT."""
    shape = g.op("Shape", x)
    lengths = [g.op("Unsqueeze", g.op("Gather", shape, g.const(np.int64(i)), axis=0), g.const(np.int64([0])))
               for i in (0, 1)]
    split = g.op("Concat", *lengths, g.const(np.int64([HEADS])), g.const(np.int64([HIDDEN // HEADS])), axis=0)
    joined = g.op("Concat", *lengths, g.const(np.int64([HIDDEN])), axis=0)

    def heads(perm):
        return g.op("Transpose", g.op("Reshape", g.linear(x, HIDDEN, HIDDEN), split), perm=perm)

    q, k, v = heads([0, 2, 1, 3]), heads([0, 2, 3, 1]), heads([0, 2, 1, 3])
    scores = g.op("Div", g.op("MatMul", q, k), g.const(np.float32(math.sqrt(HIDDEN // HEADS))))
    mixed = g.op("Transpose", g.op("MatMul", g.op("Softmax", scores, axis=-1), v), perm=[0, 2, 1, 3])
    attended = g.linear(g.op("Reshape", mixed, joined), HIDDEN, HIDDEN)
    x = layer_norm(g, g.op("Add", attended, x))
    wide = gelu(g, g.linear(x, HIDDEN, FFN))
    return layer_norm(g, g.op("Add", g.linear(wide, FFN, HIDDEN), x))


def encoder(path, layers):
    g, x = Graph(2), "x"
    for _ in range(layers):
        x = encoder_layer(g, x)
    g.save(path, x, [1, "n", HIDDEN], [1, "n", HIDDEN])


def cnn(path):
    g, x = Graph(3), "x"
    channels = [3, 16, 32, 64]
    for n_in, n_out in zip(channels, channels[1:]):
        x = g.op("Relu", g.conv(x, n_in, n_out))
        x = g.op("MaxPool", x, kernel_shape=[2, 2], strides=[2, 2])
    g.save(path, x, ["n", 3, 64, 64], ["n", 64, 8, 8])


def residual(path):
    g = Graph(4)
    y = g.conv(g.op("Relu", g.conv("x", 64, 64)), 64, 64)
    g.save(path, g.op("Relu", g.op("Add", y, "x")), ["n", 64, 56, 56], ["n", 64, 56, 56])


def rounded(g, x, zero):
    """Quantized to bytes and back, as exporters mark what is to be computed in integers."""
    parameters = g.const(np.float32(SCALE)), g.const(np.uint8(zero))
    return g.op("DequantizeLinear", g.op("QuantizeLinear", x, *parameters), *parameters)


def quantized_conv(g, x, n_in, n_out, size, stride=1, group=1, relu=True):
    """All values have one scale; the bias is of integers too. Weights have 7 bits: without VNNI, onnxruntime adds two products
    of bytes in 16 bits, which saturates for larger ones (VPMADDUBSW; 255 * 64 * 2 fits), and its results are wrong."""
    fan_in = n_in // group * size * size
    w = g.const(g.rng.integers(-64, 65, (n_out, n_in // group, size, size), dtype=np.int8))
    scales = (g.rng.uniform(0.5, 1.5, n_out) / (30 * math.sqrt(fan_in))).astype(np.float32)
    w = g.op("DequantizeLinear", w, g.const(scales), g.const(np.zeros(n_out, np.int8)), axis=0)
    bias = g.const(g.rng.integers(-2000, 2000, n_out, dtype=np.int32))
    bias = g.op("DequantizeLinear", bias, g.const(scales * np.float32(SCALE)), g.const(np.zeros(n_out, np.int32)), axis=0)
    y = g.op("Conv", x, w, bias, kernel_shape=[size, size], pads=[size // 2] * 4, strides=[stride, stride],
             dilations=[1, 1], group=group)
    return rounded(g, g.op("Relu", y), 0) if relu else rounded(g, y, 128)


def quantized_cnn(path):
    """A bottleneck with its residual, then a depthwise convolution between two of single pixels."""
    g = Graph(6)
    x = quantized_conv(g, rounded(g, "x", 128), 3, 64, 3, stride=2)
    y = quantized_conv(g, quantized_conv(g, x, 64, 64, 1), 64, 64, 3)
    y = quantized_conv(g, y, 64, 256, 1, relu=False)
    x = quantized_conv(g, x, 64, 256, 1, relu=False)
    x = rounded(g, g.op("Relu", g.op("Add", x, y)), 0)
    x = quantized_conv(g, quantized_conv(g, x, 256, 128, 1), 128, 128, 3, stride=2, group=128)
    x = quantized_conv(g, x, 128, 256, 1)
    g.save(path, g.op("GlobalAveragePool", x), ["n", 3, 112, 112], ["n", 256, 1, 1])


# --- single operators ---

def window(size, stride, pad, rank=2):
    return {"kernel_shape": [size] * rank, "strides": [stride] * rank, "pads": [pad] * 2 * rank}


def resize(g, mode, place):
    return g.op("Resize", "x", "", g.const(np.float32([1, 1, 2, 2])), mode=mode, nearest_mode="floor",
                coordinate_transformation_mode=place)


OPERATORS = {
    "transposed": lambda g: g.op("ConvTranspose", "x", g.weight(64, 32, 4, 4, fan_in=256), **window(4, 2, 1)),
    "transposed_few": lambda g: g.op("ConvTranspose", "x", g.weight(64, 3, 4, 4, fan_in=256), **window(4, 2, 1)),
    "conv3d": lambda g: g.op("Conv", "x", g.weight(64, 64, 3, 3, 3, fan_in=1728), **window(3, 1, 1, 3)),
    "maxpool": lambda g: g.op("MaxPool", "x", **window(3, 2, 1)),
    "avgpool": lambda g: g.op("AveragePool", "x", **window(3, 2, 1)),
    "resize_nearest": lambda g: resize(g, "nearest", "asymmetric"),
    "resize_linear": lambda g: resize(g, "linear", "half_pixel"),
    "grid_sample": lambda g: g.op("GridSample", "x", g.const(g.rng.uniform(-1.1, 1.1, (1, 60, 60, 2)).astype(np.float32))),
}


def operator(path, build, dims):
    g = Graph(7)
    g.save(path, build(g), dims, [f"y{i}" for i in range(len(dims))])


# --- one-row products with grouped weights ---

def save_safetensors(path, arrays):
    names = {np.dtype(np.float32): "F32", np.dtype(np.int8): "I8", np.dtype(np.uint32): "U32"}
    header, offset = {}, 0
    for name, array in arrays.items():
        header[name] = {"dtype": names[array.dtype], "shape": list(array.shape),
                        "data_offsets": [offset, offset + array.nbytes]}
        offset += array.nbytes
    text = json.dumps(header).encode()
    text += b" " * (-len(text) % 8)
    with open(path, "wb") as f:
        f.write(struct.pack("<Q", len(text)) + text)
        for array in arrays.values():
            f.write(array.tobytes())


def weights(kind, rng, n, k):
    """What a layer of bench/modules.py is given; those of 8 bits are those of float32, rounded."""
    scales = (rng.random(n * k // GROUP, dtype=np.float32) + 0.5) / 256
    eight = rng.integers(-127, 128, (len(scales), GROUP), dtype=np.int8)
    if kind == "q8":
        return {"w": eight, "s": scales, "z": np.zeros(len(scales), np.int8)}
    if kind == "q4":
        return {"w": rng.integers(0, 2**32, (n, k // 8), dtype=np.uint32), "s": scales.reshape(n, k // GROUP)}
    return {"w": np.ascontiguousarray((eight * scales[:, None]).astype(np.float32).reshape(n, k).T)}


def product(folder, kind, n, k, layers):
    rng = np.random.default_rng(5)
    stem = os.path.join(folder, modules.product_file(kind, n, k, layers))
    with open(stem + ".py", "w") as f:
        f.write(modules.product(kind, n, k, GROUP, layers))
    save_safetensors(stem + ".safetensors", {f"{name}{i}": array for i in range(layers)
                                             for name, array in weights(kind, rng, n, k).items()})


def main(folder):
    os.makedirs(folder, exist_ok=True)
    mlp(os.path.join(folder, "mlp.onnx"))
    encoder(os.path.join(folder, "encoder.onnx"), 1)
    encoder(os.path.join(folder, "encoder6.onnx"), 6)
    cnn(os.path.join(folder, "cnn.onnx"))
    residual(os.path.join(folder, "residual.onnx"))
    quantized_cnn(os.path.join(folder, "quantized_cnn.onnx"))
    for _, file, dims in modules.OPERATORS:
        operator(os.path.join(folder, file + ".onnx"), OPERATORS[file], [int(d) for d in dims.split(",")])
    twins = {("f32", n, k, 1) for _, n, k, layers, _ in modules.GROUPED if layers == 1}
    for kind, n, k, layers in sorted(twins | {row[:4] for row in modules.GROUPED}):
        product(folder, kind, n, k, layers)


if __name__ == "__main__":
    main(sys.argv[1])
