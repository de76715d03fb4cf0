#!/usr/bin/env python3
"""Makes all dimension names of an ONNX model distinct, as some exporters write them.

    distinct_dims.py IN.onnx OUT.onnx

Each dim_param of each input, output and value_info gets a unique name; nothing else changes. The
model is read as protobuf's wire format, so the onnx package is not needed."""
import sys

VARINT, FIXED64, BYTES, FIXED32 = 0, 1, 2, 5
# field numbers on the path from a model to dim_param
MODEL_GRAPH, GRAPH_VALUES, VALUE_TYPE, TYPE_TENSOR, TENSOR_SHAPE, SHAPE_DIM, DIM_PARAM = 7, (11, 12, 13), 2, 1, 2, 1, 2
WAY = [(MODEL_GRAPH,), GRAPH_VALUES, (VALUE_TYPE,), (TYPE_TENSOR,), (TENSOR_SHAPE,), (SHAPE_DIM,)]


def varint(value):
    out = bytearray()
    while value > 127:
        out.append(value & 127 | 128)
        value >>= 7
    out.append(value)
    return bytes(out)


def read_varint(data, at):
    value = shift = 0
    while True:
        byte = data[at]
        value |= (byte & 127) << shift
        at, shift = at + 1, shift + 7
        if byte < 128:
            return value, at


def fields(data):
    """Yields (number, kind, bytes of the whole field, contents of a length-delimited field)."""
    at = 0
    while at < len(data):
        begin = at
        key, at = read_varint(data, at)
        kind = key & 7
        if kind == BYTES:
            size, at = read_varint(data, at)
            yield key >> 3, kind, data[begin:at + size], data[at:at + size]
            at += size
            continue
        if kind == VARINT:
            _, at = read_varint(data, at)
        else:
            at += {FIXED64: 8, FIXED32: 4}[kind]
        yield key >> 3, kind, data[begin:at], None


def rename(data, depth, count):
    """|data|, a message |depth| steps down the path, with new names."""
    parts = []
    for number, kind, whole, inside in fields(data):
        if kind == BYTES and depth < len(WAY) and number in WAY[depth]:
            inside = rename(inside, depth + 1, count)
            whole = varint(number << 3 | BYTES) + varint(len(inside)) + inside
        elif kind == BYTES and depth == len(WAY) and number == DIM_PARAM:
            name = b"unk__%d" % count[0]
            count[0] += 1
            whole = varint(number << 3 | BYTES) + varint(len(name)) + name
        parts.append(whole)
    return b"".join(parts)


def main():
    source, target = sys.argv[1:]
    with open(source, "rb") as f:
        data = f.read()
    with open(target, "wb") as f:
        f.write(rename(memoryview(data).tobytes(), 0, [0]))


if __name__ == "__main__":
    main()
