#!/usr/bin/env python3
"""Prints our own modules with a release of Apache TVM, after each of its passes.

    python generate.py FOLDER        # with apache-tvm 0.25, 0.26 or 0.27; uses onnx and torch if they can be
    imported

One file per distinct text: FOLDER/RELEASE.NAME.PASS.py. corpus.py packs them into corpus.txt, which the tests read;
nothing else needs TVM.
"""
import hashlib
import os
import sys

import numpy as np
import tvm
from tvm import relax, te, topi
from tvm.relax import op
from tvm.relax.frontend import nn
from tvm.relax.frontend.nn import spec
from tvm.script import ir as I
from tvm.script import relax as R
from tvm.script import tirx as T

import written

RELEASE = ".".join(tvm.__version__.split(".")[:2]) + (
    "-312" if sys.version_info >= (3, 12) else "")
F = "float32"
modules = {}


def tensor(shape, dtype=F):
    return relax.TensorStructInfo(shape, dtype) if hasattr(relax, "TensorStructInfo") else relax.TensorType(shape, dtype)


def number(value):
    imm = tvm.tirx.FloatImm(F, value)
    return relax.PrimValue(imm) if hasattr(relax, "PrimValue") else imm


def symbol(name):
    return tvm.tirx.Var(name, "int64")


def graph(name, inputs, build, dataflow=True, attrs=None):
    """A function main of |inputs|, a list of (shape, dtype); build(*variables) returns its
    result."""
    try:
        bb = relax.BlockBuilder()
        params = [relax.Var("xyzwuv"[i] if i < 6 else "p%d" % i, tensor(*s) if isinstance(s, tuple) else s)
                  for i, s in enumerate(inputs)]
        with bb.function("main", params, attrs=attrs):
            if dataflow:
                with bb.dataflow():
                    out = bb.emit_output(build(bb, *params))
            else:
                out = bb.emit(build(bb, *params))
            bb.emit_func_output(out)
        modules[name] = bb.get()
    except Exception as e:  # this release lacks the operator
        print("left out", name, str(e).splitlines()[-1] if str(e) else type(e))


def operators():
    n, m = symbol("n"), symbol("m")
    x, xs = ((4, 6), F), ((n, 6), F)
    unary = ("abs acos acosh asin asinh atan atanh ceil cos cosh erf exp floor isfinite isinf isnan log negative round "
             "rsqrt sigmoid sign sin sinh sqrt square tan tanh").split()
    for name in unary:
        graph("u_" + name, [xs], lambda bb, a, f=name: getattr(op, f)(a))
    for name in "relu gelu gelu_tanh silu softmax log_softmax softplus leakyrelu selu".split():
        graph("nn_" + name, [xs], lambda bb, a, f=name: getattr(op.nn, f)(a))
    for name in ("add subtract multiply divide floor_divide mod floor_mod power maximum minimum equal not_equal less "
                 "less_equal greater greater_equal log_add_exp").split():
        graph("b_" + name, [xs, ((6,), F)], lambda bb, a, b, f=name: getattr(op, f)(a, b))
        graph("b_int_" + name, [((n, 6), "int32"), ((n, 6), "int32")], lambda bb, a, b, f=name: getattr(op, f)(a, b))
    for name in "logical_and logical_or logical_xor".split():
        graph("b_" + name, [((n,), "bool"), ((n,), "bool")], lambda bb, a, b, f=name: getattr(op, f)(a, b))
    for name in "bitwise_and bitwise_or bitwise_xor left_shift right_shift".split():
        graph("b_" + name, [((n,), "int32"), ((n,), "int32")], lambda bb, a, b, f=name: getattr(op, f)(a, b))
    for name in "sum mean prod max min std variance".split():
        graph("r_" + name, [xs], lambda bb, a, f=name: getattr(op, f)(a, axis=1))
        graph("r_all_" + name, [xs], lambda bb, a, f=name: getattr(op, f)(a, keepdims=True))
    for name in "sum prod max min".split():
        graph("r_bool_" + name, [((n, 6), "bool")], lambda bb, a, f=name: getattr(op, f)(a, axis=[0]))
        graph("r_int_" + name, [((n, 6), "int64")], lambda bb, a, f=name: getattr(op, f)(a, axis=[-1]))
    for name in "argmax argmin".split():
        graph("r_" + name, [xs], lambda bb, a, f=name: getattr(op, f)(a, axis=1))
    graph("cumsum", [xs], lambda bb, a: op.cumsum(a, axis=1))
    graph("cumprod", [xs], lambda bb, a: op.cumprod(a, axis=1, exclusive=True))
    graph("clip", [xs], lambda bb, a: op.clip(a, 0, 6))
    graph("astype", [xs], lambda bb, a: op.astype(a, "float16"))
    graph("matmul", [xs, ((6, m), F)], lambda bb, a, b: op.matmul(a, b))
    graph("matmul_batch", [((2, n, 6), F), ((6, 5), F)], lambda bb, a, b: op.matmul(a, b, out_dtype=F))
    graph("linear", [xs, ((5, 6), F), ((5,), F)], lambda bb, a, b, c: op.linear(a, b, c))
    graph("einsum", [((2, 3), F), ((3, 4), F)], lambda bb, a, b: op.einsum((a, b), "ij,jk->ik"))
    graph("outer", [((n,), F), ((m,), F)], lambda bb, a, b: op.outer(a, b))
    # movement
    graph("reshape", [xs], lambda bb, a: op.reshape(a, (n * 2, 3)))
    graph("reshape_minus", [((4, 6), F)], lambda bb, a: op.reshape(a, (-1, 3)))
    graph("flatten", [((n, 2, 3), F)], lambda bb, a: op.flatten(a))
    graph("permute", [((n, 2, 3), F)], lambda bb, a: op.permute_dims(a, [2, 0, 1]))
    graph("permute_none", [xs], lambda bb, a: op.permute_dims(a))
    graph("squeeze", [((n, 1, 3), F)], lambda bb, a: op.squeeze(a, [1]))
    graph("squeeze_all", [((2, 1, 3, 1), F)], lambda bb, a: op.squeeze(a))
    graph("expand", [xs], lambda bb, a: op.expand_dims(a, [0, -1]))
    graph("concat", [xs, xs], lambda bb, a, b: op.concat((a, b), axis=0))
    graph("stack", [xs, xs], lambda bb, a, b: op.stack((a, b), axis=1))
    graph("split", [xs], lambda bb, a: op.split(a, 2, axis=1))
    graph("split_at", [xs], lambda bb, a: op.split(a, [1, 4], axis=1))
    graph("broadcast", [((1, 6), F)], lambda bb, a: op.broadcast_to(a, (n, 6)))
    graph("repeat", [xs], lambda bb, a: op.repeat(a, 2, 1))
    graph("tile", [xs], lambda bb, a: op.tile(a, (2, 1)))
    graph("flip", [xs], lambda bb, a: op.flip(a, 1))
    graph("take", [xs, ((m,), "int64")], lambda bb, a, b: op.take(a, b, axis=0))
    graph("take_prim", [xs], lambda bb, a: op.take(a, relax.const(1, "int64"), axis=1))
    graph("gather_elements", [xs, ((n, 6), "int64")], lambda bb, a, b: op.gather_elements(a, b, 1))
    graph("gather_nd", [xs, ((m, 2), "int64")], lambda bb, a, b: op.gather_nd(a, b))
    graph("scatter_elements", [xs, ((n, 6), "int64"), xs], lambda bb, a, b, c: op.scatter_elements(a, b, c, 1))
    graph("scatter_nd", [((8,), F), ((4, 1), "int64"), ((4,), F)], lambda bb, a, b, c: op.scatter_nd(a, b, c))
    graph("index_put", [((8, 6), F), ((4,), "int64"), ((4, 6), F)],
          lambda bb, a, b, c: op.index_put(a, relax.Tuple([b]), c))
    graph("index_tensor", [((8, 6), F), ((4,), "int64")], lambda bb, a, b: op.index_tensor(a, relax.Tuple([b])))
    graph("strided_slice", [xs], lambda bb, a: op.strided_slice(a, [1], [1], [5], [2]))
    graph("strided_slice_inbound", [xs], lambda bb, a: op.strided_slice(a, [0], [1], [n], assume_inbound=True))
    graph("dynamic_slice", [xs, ((2,), "int64"), ((2,), "int64"), ((2,), "int64")],
          lambda bb, a, b, c, d: op.dynamic_strided_slice(a, b, c, d))
    graph("slice_scatter", [((8, 6), F), ((4, 6), F)], lambda bb, a, b: op.slice_scatter(a, b, 0, 4, 1, axis=0))
    graph("where", [((n, 6), "bool"), xs, xs], lambda bb, a, b, c: op.where(a, b, c))
    graph("tril", [((n, n), F)], lambda bb, a: op.tril(a))
    graph("triu", [((n, n), F)], lambda bb, a: op.triu(a, 1))
    graph("full", [xs], lambda bb, a: op.full((n, 3), relax.const(2.5, F), F))
    graph("zeros", [xs], lambda bb, a: op.add(a, op.zeros((n, 6), F)))
    graph("ones_like", [xs], lambda bb, a: op.ones_like(a))
    graph("arange", [xs], lambda bb, a: op.arange(0, n, 1, "int64"))
    graph("eye", [xs], lambda bb, a: op.eye(n, 6, 1, F))
    graph("one_hot", [((n,), "int64")], lambda bb, a: op.one_hot(a, number(1), number(0), 5))
    graph("layout_transform", [((4, 8), F)], lambda bb, a: op.layout_transform(a, lambda i, j: (i, j // 4, j % 4)))
    graph("view", [((4, 8), F)], lambda bb, a: op.memory.view(a, (32,)))
    graph("view_dtype", [((4, 8), F)], lambda bb, a: op.memory.view(a, (4, 8), "int32"))
    graph("meshgrid", [((n,), F), ((m,), F)], lambda bb, a, b: op.meshgrid((a, b), "ij"))
    graph("bucketize", [xs, ((5,), F)], lambda bb, a, b: op.bucketize(a, b))
    # order and data-dependent
    graph("sort", [xs], lambda bb, a: op.sort(a, 1, True))
    graph("argsort", [xs], lambda bb, a: op.argsort(a, 1, False, "int64"))
    graph("topk", [xs], lambda bb, a: op.topk(a, 3, 1))
    graph("unique", [((n,), "int64")], lambda bb, a: op.unique(a))
    graph("nonzero", [((n, 6), "bool")], lambda bb, a: op.nonzero(a))
    graph("shape_of", [xs], lambda bb, a: op.shape_of(a))
    graph("size", [xs], lambda bb, a: op.size(a))
    # networks
    image = ((n, 4, 8, 8), F)
    graph("conv1d", [((n, 4, 8), F), ((6, 4, 3), F)], lambda bb, a, b: op.nn.conv1d(a, b, padding=1))
    graph("conv2d", [image, ((6, 4, 3, 3), F)], lambda bb, a, b: op.nn.conv2d(a, b, padding=1, strides=2))
    graph("conv2d_group", [image, ((8, 1, 3, 3), F)], lambda bb, a, b: op.nn.conv2d(a, b, groups=4))
    graph("conv2d_nhwc", [((1, 8, 8, 4), F), ((6, 3, 3, 4), F)],
          lambda bb, a, b: op.nn.conv2d(a, b, data_layout="NHWC", kernel_layout="OHWI"))
    graph("conv2d_packed", [((1, 2, 8, 8, 4), F), ((3, 2, 3, 3, 4, 4), F)],
          lambda bb, a, b: op.nn.conv2d(a, b, data_layout="NCHW4c", kernel_layout="OIHW4i4o"))
    graph("conv2d_transpose", [image, ((4, 3, 3, 3), F)], lambda bb, a, b: op.nn.conv2d_transpose(a, b, strides=2))
    graph("conv3d", [((1, 2, 4, 4, 4), F), ((3, 2, 3, 3, 3), F)], lambda bb, a, b: op.nn.conv3d(a, b))
    for kind in "max_pool2d avg_pool2d".split():
        graph(kind, [image], lambda bb, a, k=kind: getattr(op.nn, k)(a, (3, 3), 2, 1, ceil_mode=True))
        graph(kind + "_packed", [((1, 2, 8, 8, 4), F)],
              lambda bb, a, k=kind: getattr(op.nn, k)(a, (2, 2), 2, layout="NCHW4c"))
    graph("adaptive", [image], lambda bb, a: op.nn.adaptive_avg_pool2d(a, (2, 2)))
    graph("adaptive_packed", [((1, 2, 8, 8, 4), F)], lambda bb, a: op.nn.adaptive_avg_pool2d(a, 1, layout="NCHW4c"))
    graph("layer_norm", [xs, ((6,), F), ((6,), F)], lambda bb, a, b, c: op.nn.layer_norm(a, b, c, -1))
    graph("rms_norm", [xs, ((6,), F)], lambda bb, a, b: op.nn.rms_norm(a, b, -1))
    graph("group_norm", [image, ((4,), F), ((4,), F)], lambda bb, a, b, c: op.nn.group_norm(a, b, c, 2, 1, [2, 3]))
    graph("instance_norm", [image, ((4,), F), ((4,), F)], lambda bb, a, b, c: op.nn.instance_norm(a, b, c, 1, [2, 3]))
    graph("batch_norm", [image] + [((4,), F)] * 4,
          lambda bb, a, b, c, d, e: op.nn.batch_norm(a, b, c, d, e, 1, training=False))
    graph("pad", [xs], lambda bb, a: op.nn.pad(a, [0, 0, 1, 2], "constant", 1.5))
    graph("pixel_shuffle", [image], lambda bb, a: op.nn.pixel_shuffle(a, 2))
    graph("prelu", [image, ((4,), F)], lambda bb, a, b: op.nn.prelu(a, b, 1))
    graph("attention", [((2, n, 2, 4), F)] * 3, lambda bb, a, b, c: op.nn.attention(a, b, c, causal_mask="TopLeft"))
    graph("cross_entropy", [xs, xs], lambda bb, a, b: op.nn.cross_entropy_with_logits(a, b))
    graph("nll_loss", [xs, ((n,), "int64")], lambda bb, a, b: op.nn.nll_loss(a, b, None))
    graph("dropout", [xs], lambda bb, a: op.nn.dropout(a, 0.5))
    graph("resize2d", [((1, 3, 4, 4), F)],
          lambda bb, a: op.image.resize2d(a, (8, 8), layout="NCHW", method="linear"))
    graph("quantize", [xs], lambda bb, a: op.quantize(a, relax.const(0.5, F), relax.const(3, "int8"), 1, "int8"))
    graph("dequantize", [((n, 6), "int8"), ((6,), F), ((6,), "int8")],
          lambda bb, a, b, c: op.dequantize(a, b, c, 1))
    # constants: in the metadata, non-finite, of every type
    rng = np.random.default_rng(0)
    graph("const_matmul", [xs], lambda bb, a: op.nn.relu(op.matmul(a, relax.const(rng.standard_normal((6, 3)).astype(F)))))
    for k, v in {"inf": np.inf, "ninf": -np.inf, "nan": np.nan}.items():
        graph("const_" + k, [xs], lambda bb, a, v=v: op.maximum(a, relax.const(v, F)))
    for d in "int8 uint8 int16 int32 int64 float16 float64 bool".split():
        graph("const_" + d, [((n,), d)],
              lambda bb, a, d=d: (op.logical_or if d == "bool" else op.add)(a, relax.const(1, d)))
        graph("const_v_" + d, [((3,), d)], lambda bb, a, d=d: (op.logical_or if d == "bool" else op.add)(
            a, relax.const(np.array([1, 0, 1], d))))


def te_modules():
    n = symbol("n")

    def calls(name, fn, *inputs):
        graph(name, list(inputs), lambda bb, *xs: bb.emit_te(fn, *xs))
    calls("te_scan", lambda a: topi.cumsum(a, axis=0), ((8,), F))
    calls("te_select", lambda a: te.compute(a.shape, lambda i, j: te.if_then_else(i < j, a[i, j], T.float32(0))), ((n, 6), F))
    calls("te_max", lambda a: topi.max(a, axis=1), ((n, 6), F))
    calls("te_argmax", lambda a: topi.argmax(a, axis=1), ((n, 6), F))
    calls("te_softmax", topi.nn.softmax, ((n, 6), F))
    calls("te_tanh16", topi.tanh, ((n, 6), "float16"))
    calls("te_int", lambda a: te.compute(a.shape, lambda i: a[i] * T.int64(3) // T.int64(2) % T.int64(5)), ((n,), "int64"))
    calls("te_dense", topi.nn.dense, ((n, 6), F), ((4, 6), F))


class Mlp(nn.Module):
    def __init__(self):
        self.a, self.b = nn.Linear(8, 16), nn.Linear(16, 4, bias=False)
        self.norm = nn.LayerNorm(16)

    def forward(self, x):
        return nn.op.softmax(self.b(nn.op.gelu(self.norm(self.a(x)))), axis=-1)


class Decoder(nn.Module):
    """Embedding, RMSNorm, masked attention, a gated layer: the parts of a language model."""

    def __init__(self):
        self.embed = nn.Embedding(32, 16)
        self.norm = nn.RMSNorm(16, -1, bias=False)
        self.qkv, self.out = nn.Linear(16, 48, bias=False), nn.Linear(16, 16, bias=False)
        self.gate, self.down = nn.Linear(16, 64, bias=False), nn.Linear(32, 16, bias=False)

    def forward(self, tokens, mask):
        b, s = tokens.shape
        h = self.embed(tokens)
        q, k, v = nn.op.split(nn.op.reshape(self.qkv(self.norm(h)), (b, s, 12, 4)), 3, axis=2)
        q, k, v = (nn.op.permute_dims(t, [0, 2, 1, 3]) for t in (q, k, v))
        w = nn.op.matmul(q, nn.op.permute_dims(k, [0, 1, 3, 2])) / 2.0
        w = nn.op.softmax(nn.op.minimum(w, mask), axis=-1)
        h = h + self.out(nn.op.reshape(nn.op.permute_dims(nn.op.matmul(w, v), [0, 2, 1, 3]), (b, s, 16)))
        a, g = nn.op.split(self.gate(h), 2, axis=-1)
        return h + self.down(nn.op.silu(a) * g)


class Convs(nn.Module):
    def __init__(self):
        self.c, self.n = nn.Conv2D(3, 8, 3, padding=1), nn.GroupNorm(2, 8)
        self.d = nn.Conv1D(8, 4, 3)

    def forward(self, x):
        y = nn.op.relu(self.n(self.c(x)))
        return self.d(nn.op.reshape(y, (x.shape[0], 8, 64)))


class Misc(nn.Module):
    def forward(self, x, k: nn.Tensor):
        a = nn.op.concat([x, x], dim=1)
        b = nn.op.where(nn.op.greater(a, nn.op.zeros(a.shape, F)), a, nn.op.full(a.shape, 2.0, dtype=F))
        c = nn.op.take(b, k, axis=0)
        d = nn.op.tensor_expr_op(lambda t: te.compute(t.shape, lambda i, j: t[i, j] + T.float32(1)), "plus", [c])
        return nn.op.sum(nn.op.square(nn.op.unsqueeze(d, 1)), axis=[1, 2]), nn.op.astype(nn.op.triu(d), "float16")


class Cache(nn.Module):
    def forward(self, x, past):
        return nn.op.concat([past, x], dim=1), nn.op.cumsum(x, axis=1), nn.op.sort(x, axis=1)


def written_modules():
    for make in written.MODULES:
        try:
            modules["written_" + make.__name__] = make()
        except Exception as e:
            print("left out", make.__name__, str(e).splitlines()[-1] if str(e) else type(e))


def front_end_nn():
    def export(name, model, **inputs):
        try:
            modules["nn_" + name], _ = model.export_tvm({"forward": inputs})
        except Exception as e:
            print("left out", name, str(e).splitlines()[-1] if str(e) else type(e))
    for dims in ("batch", 2):
        tag = "dyn" if dims == "batch" else "fix"
        export("mlp_" + tag, Mlp(), x=spec.Tensor([dims, 8], F))
        export("convs_" + tag, Convs(), x=spec.Tensor([dims, 3, 8, 8], F))
        export("misc_" + tag, Misc(), x=spec.Tensor([dims, 4], F), k=spec.Tensor(["k" if tag == "dyn" else 3], "int32"))
    export("decoder_dyn", Decoder(), tokens=spec.Tensor(["b", "s"], "int32"), mask=spec.Tensor(["b", 1, "s", "s"], F))
    export("decoder_fix", Decoder(), tokens=spec.Tensor([1, 5], "int32"), mask=spec.Tensor([1, 1, 5, 5], F))
    export("cache", Cache(), x=spec.Tensor([1, "s", 4], F), past=spec.Tensor([1, "p", 4], F))


def front_end_onnx():
    try:
        import onnx
        from onnx import helper as h
        from tvm.relax.frontend.onnx import from_onnx
    except ImportError as e:
        print("no onnx:", e)
        return
    types = {F: 1, "int64": 7, "bool": 9, "int32": 6, "uint8": 2, "int8": 3}

    def model(name, nodes, inputs, outputs, consts=(), keep=False):
        try:
            g = h.make_graph([h.make_node(o, i, r, **a) for o, i, r, a in nodes], name,
                             [h.make_tensor_value_info(k, types[t], s) for k, s, t in inputs],
                             [h.make_tensor_value_info(k, types[t], None) for k, t in outputs],
                             [onnx.numpy_helper.from_array(np.asarray(v), k) for k, v in consts])
            m = h.make_model(g, opset_imports=[h.make_opsetid("", 17)])
            m.ir_version = 8
            modules["onnx_" + name + ("_params" if keep else "")] = from_onnx(m, keep_params_in_input=keep)
        except Exception as e:
            print("left out", name, str(e).splitlines()[-1] if str(e) else type(e))
    rng = np.random.default_rng(1)

    def w(*s):
        return rng.standard_normal(s).astype(F)
    for keep in (False, True):
        model("mlp", [("Gemm", ["x", "w", "b"], ["h"], dict(transB=1)), ("Relu", ["h"], ["r"], {}),
                      ("Softmax", ["r"], ["y"], dict(axis=-1))],
              [("x", ["n", 8], F)], [("y", F)], [("w", w(4, 8)), ("b", w(4))], keep)
        model("conv", [("Conv", ["x", "w", "b"], ["h"], dict(pads=[1, 1, 1, 1])), ("Relu", ["h"], ["r"], {}),
                       ("MaxPool", ["r"], ["p"], dict(kernel_shape=[2, 2], strides=[2, 2])),
                       ("BatchNormalization", ["p", "s", "t", "m", "v"], ["q"], {}),
                       ("GlobalAveragePool", ["q"], ["a"], {}), ("Flatten", ["a"], ["y"], {})],
              [("x", [1, 3, 8, 8], F)], [("y", F)],
              [("w", w(6, 3, 3, 3)), ("b", w(6)), ("s", w(6)), ("t", w(6)), ("m", w(6)), ("v", abs(w(6)))], keep)
    model("shapes", [("Shape", ["x"], ["s"], {}), ("Gather", ["s", "i0"], ["n"], {}), ("Unsqueeze", ["n", "i0v"], ["u"], {}),
                     ("Concat", ["u", "minus"], ["t"], dict(axis=0)), ("Reshape", ["x", "t"], ["y"], {})],
          [("x", ["n", 2, 4], F)], [("y", F)],
          [("i0", np.int64(0)), ("i0v", np.array([0], "int64")), ("minus", np.array([-1], "int64"))])
    model("slice", [("Slice", ["x", "b", "e", "a"], ["y"], {})], [("x", ["n", 6], F)], [("y", F)],
          [("b", np.array([1], "int64")), ("e", np.array([5], "int64")), ("a", np.array([1], "int64"))])
    model("split", [("Split", ["x"], ["y", "z"], dict(axis=1))], [("x", ["n", 6], F)], [("y", F), ("z", F)])
    model("attention", [("MatMul", ["x", "k"], ["s"], {}), ("Mul", ["s", "c"], ["t"], {}), ("Softmax", ["t"], ["p"], {}),
                        ("MatMul", ["p", "x"], ["y"], {})], [("x", ["b", "s", 8], F), ("k", ["b", 8, "s"], F)], [("y", F)],
          [("c", np.float32(0.5))])
    model("layernorm", [("LayerNormalization", ["x", "w", "b"], ["y"], {})], [("x", ["n", 8], F)], [("y", F)],
          [("w", w(8)), ("b", w(8))])
    model("resize", [("Resize", ["x", "", "sc"], ["y"], dict(mode="linear"))], [("x", [1, 2, 4, 4], F)], [("y", F)],
          [("sc", np.array([1, 1, 2, 2], F))])
    model("if", [("ReduceSum", ["x"], ["s"], dict(keepdims=0)), ("Greater", ["s", "zero"], ["c"], {}),
                 ("Where", ["c", "x", "neg"], ["y"], {})], [("x", ["n", 8], F)], [("y", F)],
          [("zero", np.float32(0)), ("neg", np.float32(-np.inf))])
    one = {"Erf": {}, "HardSigmoid": {}, "Elu": {}, "LeakyRelu": {}, "Softplus": {}, "ThresholdedRelu": {}, "Sign": {},
           "LogSoftmax": {}, "Hardmax": {}, "NonZero": {}, "Identity": {}, "Tanh": {}, "Reciprocal": {}, "IsNaN": {},
           "ReduceMean": dict(axes=[1]), "ReduceL2": dict(axes=[1]), "ReduceLogSumExp": dict(axes=[1]),
           "ArgMax": dict(axis=1), "Transpose": dict(perm=[1, 0]), "Size": {}, "Shape": {}, "Clip": {}, "HardSwish": {}}
    for o, a in one.items():
        model("one_" + o, [(o, ["x"], ["y"], a)], [("x", ["n", 8], F)], [("y", F)])
    for o in "Add Sub Mul Div Pow Max Min PRelu Less Equal Mod".split():
        model("two_" + o, [(o, ["x", "z"], ["y"], dict(fmod=1) if o == "Mod" else {})],
              [("x", ["n", 8], F), ("z", [8], F)], [("y", F)])
    model("quant", [("QuantizeLinear", ["x", "s", "z"], ["q"], {}), ("DequantizeLinear", ["q", "s", "z"], ["y"], {})],
          [("x", ["n", 8], F)], [("y", F)], [("s", np.float32(0.1)), ("z", np.uint8(128))])
    model("gathernd", [("GatherND", ["x", "i"], ["y"], {})], [("x", ["n", 8], F), ("i", ["m", 1], "int64")], [("y", F)])
    model("topk", [("TopK", ["x", "k"], ["y", "i"], {})], [("x", ["n", 8], F)], [("y", F), ("i", "int64")],
          [("k", np.array([3], "int64"))])
    model("lstm", [("LSTM", ["x", "w", "r"], ["y", "h", "c"], dict(hidden_size=3))], [("x", [4, 2, 5], F)],
          [("y", F), ("h", F), ("c", F)], [("w", w(1, 12, 5)), ("r", w(1, 12, 3))])


def front_end_torch():
    try:
        import torch
        from torch.export import Dim, export
        from tvm.relax.frontend.torch import from_exported_program, from_fx
    except Exception as e:
        print("no torch:", e)
        return

    class Net(torch.nn.Module):
        def __init__(self, f, *parts):
            super().__init__()
            self.f, self.parts = f, torch.nn.ModuleList(parts)

        def forward(self, *xs):
            return self.f(self.parts, *xs)
    tn = torch.nn
    b = Dim("batch", min=1, max=64)
    cases = {
        "mlp": (lambda p, x: torch.softmax(p[1](torch.relu(p[0](x))), -1), [tn.Linear(8, 16), tn.Linear(16, 4)], [(2, 8)]),
        "conv": (lambda p, x: p[1](torch.relu(p[0](x))).mean((2, 3)), [tn.Conv2d(3, 4, 3), tn.BatchNorm2d(4)], [(2, 3, 8, 8)]),
        "norm": (lambda p, x: p[0](x) * torch.sigmoid(x), [tn.LayerNorm(8)], [(2, 8)]),
        "attention": (lambda p, q: torch.nn.functional.scaled_dot_product_attention(q, q, q), [], [(2, 2, 5, 4)]),
        "embed": (lambda p, x: p[0](x.to(torch.int64)), [tn.Embedding(9, 4)], [(2, 3)]),
        "views": (lambda p, x: torch.cat([x.view(x.shape[0], 2, 4).transpose(1, 2).flatten(1), x], 1)[:, 1:], [], [(2, 8)]),
        "mask": (lambda p, x: x.masked_fill(x > 0, float("-inf")).clamp(max=1.0), [], [(2, 8)]),
        "reduce": (lambda p, x: (x.sum(1), x.max(1).values, x.argmax(1), x.std(1), x.cumsum(1)), [], [(2, 8)]),
        "pool": (lambda p, x: tn.functional.avg_pool2d(tn.functional.max_pool2d(x, 2), 2, ceil_mode=True), [], [(2, 3, 10, 10)]),
        "gelu": (lambda p, x: tn.functional.gelu(x) + tn.functional.silu(x) + tn.functional.leaky_relu(x), [], [(2, 8)]),
        "where": (lambda p, x: torch.where(x > 0, x, torch.zeros_like(x)) ** 2, [], [(2, 8)]),
        "lstm": (lambda p, x: p[0](x)[0], [tn.LSTM(4, 3, batch_first=True)], [(2, 5, 4)]),
    }
    for name, (f, parts, shapes) in cases.items():
        for dynamic in (False, True):
            for keep in (False, True):
                try:
                    net = Net(f, *parts).eval()
                    xs = tuple(torch.rand(*s) for s in shapes)
                    kw = dict(dynamic_shapes=dict(xs=tuple({0: b} for _ in xs))) if dynamic else {}
                    program = export(net, xs, **kw)
                    key = "torch_%s%s%s" % (name, "_dyn" if dynamic else "", "_params" if keep else "")
                    modules[key] = from_exported_program(program, keep_params_as_input=keep)
                except Exception as e:
                    print("left out torch", name, dynamic, str(e).splitlines()[-1][:150] if str(e) else type(e))


# --- passes ----------------------------------------------------------------------------------

t = relax.transform
tt = tvm.tirx.transform
st = tvm.s_tir.transform
LLVM = tvm.target.Target({"kind": "llvm"})


def bind(mod):
    """Turns parameters that are weights into constants."""
    rng = np.random.default_rng(7)
    out = mod
    for gv, func in mod.functions.items():
        if not isinstance(func, relax.Function) or not func.attrs or "num_input" not in func.attrs:
            continue
        names = {}
        for p in func.params[int(func.attrs["num_input"]):]:
            s = p.struct_info if hasattr(p, "struct_info") else p.ty
            if not isinstance(s, type(tensor((1,)))) or not all(isinstance(d, tvm.tirx.IntImm) for d in s.shape):
                continue
            dims = [int(d) for d in s.shape]
            names[p.name_hint] = rng.standard_normal(dims).astype(s.dtype if isinstance(s.dtype, str) else str(s.dtype))
        out = t.BindParams(gv.name_hint, names)(out)
    return out


CHAINS = [
    [("legalize", t.LegalizeOps()), ("annotate", t.AnnotateTIROpPattern()), ("fuse_ops", t.FuseOps()),
     ("fuse_tir", t.FuseTIR()), ("dce", t.DeadCodeElimination()), ("rewrite_reshape", t.RewriteDataflowReshape()),
     ("non_dataflow", t.ToNonDataflow()), ("remove_purity", t.RemovePurityChecking()), ("call_tir_rewrite", t.CallTIRRewrite()),
     ("plan", t.StaticPlanBlockMemory()), ("lower_alloc", t.LowerAllocTensor()), ("kill", t.KillAfterLastUse()),
     ("lower_builtin", t.LowerRuntimeBuiltin() if hasattr(t, "LowerRuntimeBuiltin") else t.VMBuiltinLower()),
     ("prim_value", t.ComputePrimValue()), ("shape_lower", t.VMShapeLower())],
    [("bind", bind), ("decompose", t.DecomposeOpsForInference()), ("fold", t.FoldConstant()), ("cse", t.EliminateCommonSubexpr()),
     ("canonical", t.CanonicalizeBindings()), ("combine", t.CombineParallelMatmul()), ("legal2", t.LegalizeOps()),
     ("fold2", t.FoldConstant())],
    [("train", t.DecomposeOpsForTraining())],
    [("dataflow", t.ConvertToDataflow()), ("lift_params", t.LiftTransformParams())],
    [("bundle", t.BundleModelParams())],
    [("mixed", t.ToMixedPrecision())],
    [("nhwc", t.ConvertLayout({"relax.nn.conv2d": ["NHWC", "OHWI"]}))],
    [("nchwc", t.ConvertLayout({"relax.nn.conv2d": ["NCHW4c", "OIHW4o"]}))],
    [("transpose_matmul", t.FuseTransposeMatmul()), ("fast_math", t.FastMathTransform())],
    [("lift", t.LambdaLift())],
    [("symbols", t.AttachGlobalSymbol()), ("legal3", t.LegalizeOps()), ("target", tt.BindTarget(LLVM))],
    [("expand_tuple", t.ExpandTupleArguments()), ("unused", t.RemoveUnusedParameters()), ("inplace", t.LegalizeOps()),
     ("inplace2", t.DataflowUseInplaceCalls())],
    [("tir_legal", t.LegalizeOps()), ("simplify", tt.StmtSimplify()), ("init", st.LowerInitBlock()),
     ("alloc_where", st.PlanAndUpdateBufferAllocationLocation()), ("opaque", st.ConvertBlocksToOpaque()),
     ("compact", st.CompactBufferAllocation()), ("lower_match", st.LowerMatchBuffer()), ("lower_opaque", st.LowerOpaqueBlock()),
     ("flatten", tt.FlattenBuffer()), ("narrow", tt.NarrowDataType(32)), ("vectorize", tt.VectorizeLoop()),
     ("storage", tt.StorageRewrite()), ("unroll", tt.UnrollLoop()), ("simplify2", tt.StmtSimplify()),
     ("no_op", tt.RemoveNoOp()), ("tir_cse", tt.CommonSubexprElim())],
    [("legal4", t.LegalizeOps()), ("bf16", tt.BF16ComputeLegalize() if hasattr(tt, "BF16ComputeLegalize") else None),
     ("force32", tt.ForceNarrowIndexToInt32())],
    [("schedule", lambda m: schedule(m))],
]


def schedule(mod):
    """TVM's own CPU schedules, where its default rules apply."""
    mod = t.LegalizeOps()(mod)
    from tvm.s_tir import Schedule
    out = tvm.IRModule(mod.functions)
    for gv, f in mod.functions.items():
        if not isinstance(f, tvm.tirx.PrimFunc):
            continue
        try:
            sch = Schedule(tvm.IRModule({"main": f}))
            for b in sch.get_child_blocks(sch.get_sblock("root") if hasattr(sch, "get_sblock") else sch.get_block("root")):
                loops = sch.get_loops(b)
                if not loops:
                    continue
                outer, inner = sch.split(loops[-1], [None, 4])
                sch.parallel(loops[0]) if len(loops) > 1 else None
                sch.vectorize(inner)
            out.update_func(gv, sch.mod["main"].with_attr("tirx.is_scheduled", True))
        except Exception:
            continue
    return out


def write(folder, name, stage, mod, seen):
    try:
        text = mod.script(show_meta=True)
    except TypeError:
        text = mod.script()
    digest = hashlib.sha256(text.encode()).hexdigest()
    if digest in seen:
        return
    seen.add(digest)
    with open(os.path.join(folder, "%s.%s.%s.py" % (RELEASE, name, stage)), "w") as f:
        f.write(text)


def main():
    folder = sys.argv[1]
    os.makedirs(folder, exist_ok=True)
    operators()
    te_modules()
    written_modules()
    front_end_nn()
    front_end_onnx()
    front_end_torch()
    seen = set()
    for name, mod in modules.items():
        if mod is None:
            continue
        write(folder, name, "plain", mod, seen)
        with LLVM:
            for chain in CHAINS:
                at = mod
                for stage, transform in chain:
                    if transform is None:
                        continue
                    try:
                        at = transform(at)
                    except Exception as e:
                        break
                    write(folder, name, stage, at, seen)
    print(RELEASE, len(modules), "modules", len(seen), "texts")


main()
