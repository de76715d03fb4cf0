#!/usr/bin/env python3
"""Nodes that violate their operators' schemas: each row of compiler/onnx/schema*.def and each list
of strings in it, each input of compiler/onnx/types_*.def with each element type; `make test-ops`.

All bad nodes of one kind are in one model, and each must get its error. All other tests show that
good nodes get none.
"""
import argparse
import os
import re
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from ops import attribute, data, number, value_info  # noqa: E402

ROOT = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "compiler", "onnx")
TABLES = [("", "rows.def", "schema_standard.def", "types_standard.def"),
          ("com.microsoft", "rows_microsoft.def", "schema_microsoft.def", "types_microsoft.def"),
          ("com.microsoft.nchwc", "rows_layouts.def", "schema_layouts.def", None),
          ("com.ms.internal.nhwc", "rows_channels_last.def", "schema_channels_last.def", None)]
TEXTS = {"i": "an integer", "f": "a float", "s": "a string", "I": "a list of integers",
         "F": "a list of floats", "S": "a list of strings", "t": "a tensor", "g": "a graph",
         "p": "a sparse tensor", "y": "a type"}
VALUES = {"i": 1, "f": .5, "s": "", "I": [1], "F": [.5]}


class Schema:
    def __init__(self, domain, name, since, inputs, outputs, attributes):
        self.domain, self.name, self.since = domain, name, int(since)
        self.inputs, self.outputs = inputs, outputs
        self.attributes = {}  # name -> is required, kind, strings
        for spec in attributes.split():
            key, must, kind, _, choices = re.fullmatch(r"(\w+)(!?):(\w)(=(.*))?", spec).groups()
            self.attributes[key] = bool(must), kind, choices and [c for c in choices.split("|") if c]


def schemas_of(domain, file):
    text = open(os.path.join(ROOT, file)).read()
    text = re.sub(r'"\s*\n\s*"', "", text[text.index("*/"):])
    rows = re.findall(r'RLXC_OX_SCHEMA\((\w+), (\d+), "(.*?)", "(.*?)",\s*"(.*?)"\)', text)
    assert len(rows) == text.count("RLXC_OX_SCHEMA("), file
    return [Schema(domain, *row) for row in rows], re.findall(r"RLXC_OX_REMOVED\((\w+), (\d+)\)", text)


def filled(places, more=0):
    return ["x"] * (len(places) + more)


def node(s, index, ins=None, outs=None, attributes=None):
    """A node of |s|, valid except for the given parts."""
    ins = filled(s.inputs) if ins is None else ins
    outs = [f"y{index}_{k}" for k in range(len(s.outputs) if outs is None else outs)]
    if attributes is None:
        attributes = good(s)
    return data(1, b"".join(data(1, i) for i in ins) + b"".join(data(2, o) for o in outs) +
                data(3, f"n{index}") + data(4, s.name) +
                b"".join(data(5, a) for a in attributes) + data(7, s.domain))


def good(s, but=None):
    return [attribute(n, c[0] if c else VALUES[kind]) for n, (must, kind, c) in
            s.attributes.items() if must and kind in VALUES and n != but]


def errors(rlxc, folder, nodes, domain, opset):
    """rlxc's errors for |nodes|, by node number."""
    path = os.path.join(folder, "m.onnx")
    graph = b"".join(nodes) + data(2, "g") + data(11, value_info("x", ["n"], 1))
    with open(path, "wb") as f:
        f.write(number(1, 8) + data(8, data(1, domain) + number(2, opset)) + data(7, graph))
    p = subprocess.run([rlxc, path, "--emit", "relax", "-o", os.devnull], capture_output=True,
                       text=True)
    said = {}
    for n, text in re.findall(r"error: node 'n(\d+)', (.*)", p.stderr):
        said.setdefault(int(n), []).append(text)
    return said if p.returncode == 1 else {}


def cases(s):
    """Bad nodes: a function that writes the node, and the expected error."""
    if s.inputs and s.inputs[-1] not in "+*":
        most = len(s.inputs)
        yield (lambda i: node(s, i, filled(s.inputs, 1)),
               f"{most + 1} inputs; the operator has at most {most}")
    if s.outputs and s.outputs[-1] not in "+*":
        most = len(s.outputs)
        yield (lambda i: node(s, i, outs=most + 1),
               f"{most + 1} outputs; the operator has at most {most}")
    for k, place in enumerate(s.inputs):
        if place in "x+":
            ins = filled(s.inputs)[:k] if place == "+" else filled(s.inputs)
            if place == "x":
                ins[k] = ""
            yield lambda i, ins=ins: node(s, i, ins), f"input {k} is missing"
    yield (lambda i: node(s, i, attributes=good(s) + [attribute("no_such", 1)]),
           "unknown attribute 'no_such'; expected one of: " + (", ".join(s.attributes) or "none"))
    yield lambda i: node(s, i, attributes=good(s) + [attribute("__of_a_tool", 1)]), None
    for key, (must, kind, choices) in s.attributes.items():
        if must:
            yield (lambda i, key=key: node(s, i, attributes=good(s, key)),
                   f"attribute '{key}' is missing")
        other = 1 if kind == "f" else .5
        yield (lambda i, key=key, other=other:
               node(s, i, attributes=good(s, key) + [attribute(key, other)]),
               f"attribute '{key}' must be {TEXTS[kind]}, is " +
               ("an integer" if kind == "f" else "a float"))
        if kind in "if":  # declares a number but holds a list
            wrong = attribute(key, [1])[:-3] + number(20, 2 if kind == "i" else 1)
            yield (lambda i, key=key, wrong=wrong:
                   node(s, i, attributes=good(s, key) + [wrong]),
                   f"attribute '{key}' is declared as {TEXTS[kind]} but holds another type")
        if choices:
            yield (lambda i, key=key: node(s, i, attributes=good(s, key) + [attribute(key, "Foo")]),
                   f"attribute '{key}' is 'Foo'; expected one of: " + ", ".join(choices))


# --- element types ----------------------------------------------------------------------------

# Letters of compiler/onnx/types_*.def: the type, and ONNX's number for it.
TYPES = {"?": ("bool", 9), "t": ("int2", 26), "T": ("uint2", 25), "n": ("int4", 22),
         "N": ("uint4", 21), "b": ("int8", 3), "B": ("uint8", 2), "h": ("int16", 5),
         "H": ("uint16", 4), "i": ("int32", 6), "I": ("uint32", 12), "q": ("int64", 7),
         "Q": ("uint64", 13), "8": ("float8_e4m3fn", 17), "e": ("float16", 10),
         "E": ("bfloat16", 16), "f": ("float32", 1), "d": ("float64", 11)}
ANY = set("?bBhHiIqQefd")  # operators that take all of these take any type


def typed_rows(file):
    text = open(os.path.join(ROOT, file)).read()
    text = re.sub(r'"\s*\n\s*"', "", text[text.index("*/"):])
    rows = re.findall(r'RLXC_OX_TYPES\((\w+), (\d+),\s*"(.*?)"\)', text)
    assert len(rows) == text.count("RLXC_OX_TYPES("), file
    return [(name, int(since), types.split(" ")) for name, since, types in rows]


def shown(types):
    out = [TYPES[c][0] for c in TYPES if c in types]
    if "8" in types:
        at = out.index("float8_e4m3fn")
        out[at + 1:at + 1] = ["float8_e4m3fnuz", "float8_e5m2", "float8_e5m2fnuz"]
    return ", ".join(out)


def takes(types, k, c):
    of = types[min(k, len(types) - 1)]
    return of == "-" or c in of or ANY <= set(of)


def type_cases(schemas, rows, name, since, types):
    """Each input with each type: names of the inputs, and the expected error or None. Types of later operator sets are accepted."""
    known = [s for s in schemas if s.name == name and s.since <= since]
    if not known or any(kind not in VALUES for must, kind, _ in known[-1].attributes.values() if must):
        return  # a required subgraph or tensor determines the types
    s = max(known, key=lambda s: s.since)
    later = [t for n, at, t in rows if n == name and at >= since]
    each = [types[min(k, len(types) - 1)] for k in range(len(s.inputs))]
    for k, of in enumerate(each):
        for c in TYPES if of != "-" else ():
            ins = ["x" + (o[-1] if o != "-" else "f") for o in each]
            ins[k] = "x" + c
            bad = not any(takes(t, k, c) for t in later)
            yield s, ins, (f"{name}: input {k} ('x{c}') is of {TYPES[c][0]}; the operator takes "
                           f"{shown(of)}" if bad else None)


def check_types(rlxc, folder, batch, domain, opset):
    """Inputs with a type that the operator accepts give no such error."""
    path, nodes = os.path.join(folder, "t.onnx"), []
    for i, (s, ins, _) in enumerate(batch):
        nodes.append(node(s, i, ins))
    graph = b"".join(nodes) + data(2, "g") + b"".join(
        data(11, value_info(f"x{c}", [], code)) for c, (_, code) in TYPES.items())
    sets = data(8, data(1, domain) + number(2, 1 if domain else opset))
    if domain:
        sets += data(8, number(2, opset))
    with open(path, "wb") as f:
        f.write(number(1, 10) + sets + data(7, graph))
    p = subprocess.run([rlxc, path, "--emit", "relax", "-o", os.devnull], capture_output=True, text=True)
    said = {}
    for n, text in re.findall(r"error: node 'n(\d+)', (.*)", p.stderr):
        if "; the operator takes " in text:
            said.setdefault(int(n), text)
    return [f"{s.name} of opset {opset}, {ins}: {said.get(i)} instead of {want}"
            for i, (s, ins, want) in enumerate(batch) if said.get(i) != want]


def types_of(rlxc, folder, domain, schemas, file):
    rows, n, by_opset = typed_rows(file), 0, {}
    bad = [f"{file} lacks {s.name}" for s in schemas if s.inputs and s.name not in {r[0] for r in rows}]
    for name, since, types in rows:
        by_opset.setdefault(since, []).extend(type_cases(schemas, rows, name, since, types))
    for opset, batch in sorted(by_opset.items()):
        for at in range(0, len(batch), 400):  # the limit on displayed errors
            part = batch[at:at + 400]
            n += len(part)
            bad += check_types(rlxc, folder, part, domain, opset if not domain else 18)
    return n, bad


def check_batch(rlxc, folder, batch, domain, opset):
    said = errors(rlxc, folder, [write(i) for i, (_, write, _) in enumerate(batch)], domain, opset)
    bad = []
    for i, (s, _, expected) in enumerate(batch):
        got = said.get(i, [])
        if (f"{s.name}: {expected}" not in got) if expected else any("'__" in g for g in got):
            bad.append(f"{s.name} of opset {s.since}: {got} instead of '{expected}'")
    return bad


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--rlxc", required=True)
    parser.add_argument("--rlx")  # unused; passed to every file of test-ops
    args = parser.parse_args()
    n, bad = 0, []
    with tempfile.TemporaryDirectory() as folder:
        for domain, rows, file, types in TABLES:
            schemas, removed = schemas_of(domain, file)
            if types:
                more, wrong = types_of(args.rlxc, folder, domain, schemas, types)
                n, bad = n + more, bad + wrong
            known = {s.name for s in schemas}
            names = re.findall(r"^RLXC_OX_ROW\((\w+)", open(os.path.join(ROOT, rows)).read(), re.M)
            bad += [f"{file} lacks {name}" for name in names if name not in known]
            n += len(names)
            by_opset = {}
            for s in schemas:
                by_opset.setdefault(s.since, []).extend((s, *c) for c in cases(s))
                first = min(o.since for o in schemas if o.name == s.name)
                if first > 1 and s.since == first:
                    by_opset.setdefault(first - 1, []).append(
                        (s, lambda i, s=s: node(s, i),
                         f"the operator needs opset {first}, the model imports {first - 1}"))
            for name, since in removed:
                last = [s for s in schemas if s.name == name and s.since < int(since)]
                for s in last[-1:]:
                    by_opset.setdefault(int(since), []).append(
                        (s, lambda i, s=s: node(s, i), "the operator exists only up to opset "
                         f"{int(since) - 1}, the model imports {since}"))
            for opset, batch in by_opset.items():
                for at in range(0, len(batch), 400):  # the limit on displayed errors
                    part = batch[at:at + 400]
                    n += len(part)
                    bad += check_batch(args.rlxc, folder, part, domain, opset)
    for line in bad:
        print("FAIL", line)
    print(f"ONNX schemas: {n - len(bad)} passed, {len(bad)} failed")
    return bool(bad)


if __name__ == "__main__":
    sys.exit(main())
