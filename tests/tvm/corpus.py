#!/usr/bin/env python3
"""Packs the output of generate.py into corpus.txt: python3 tests/tvm/corpus.py FOLDER... > tests/tvm/corpus.txt

A text is kept if it has three consecutive tokens that occur in no earlier text, ignoring names, numbers and base64.
A plain module comes before its versions after passes, so that their results can be compared.
"""
import os
import re
import sys

# modules that TVM cannot build either: an unbound symbol, an unprinted function, an empty
# module; and bucketize, whose results depend on the search among unsorted boundaries
BROKEN = re.compile(r"^0\.\d+(-312)?\.(broadcast\.|dynamic_slice\.|bucketize\.|b_int_log_add_exp\.|onnx_one_Tanh\.lower_opaque)")


TOKEN = re.compile(r"[A-Za-z_][\w.]*|\d[\w.]*|\S")


def shapes_of(text):
    """The text's runs of three tokens, with all user-chosen names alike, and all numbers alike."""
    text = re.sub(r'\\"data\\": \\"[A-Za-z0-9+/=]+\\"', "DATA", text)
    out = set()
    for line in text.splitlines():
        tokens = ["0" if t[0].isdigit() else t if t[:2] in ("R.", "T.", "I.") or not (t[0].isalpha() or t[0] == "_")
                  or t in ("for", "if", "while", "with", "def", "return", "class", "TypeVar", "metadata") else "v"
                  for t in TOKEN.findall(line)]
        out |= {tuple(tokens[i:i + 3]) for i in range(max(1, len(tokens) - 2))}
    return out


def main():
    seen, kept, plain = set(), [], {}
    for folder in sys.argv[1:]:
        names = sorted(os.listdir(folder), key=lambda f: (not f.endswith(".plain.py"), os.path.getsize(os.path.join(folder, f)), f))
        for name in names:
            text = open(os.path.join(folder, name)).read()
            if BROKEN.match(name):
                continue
            text = "\n".join(l for l in text.splitlines() if l.strip() and not l.lstrip().startswith("#")) + "\n"
            shapes = shapes_of(text)
            module = name.rsplit(".", 2)[0]
            if name.endswith(".plain.py"):
                plain[module] = (name, text)
            if shapes <= seen or len(text) > 16000:
                continue
            seen |= shapes
            kept.append((module, name, text))
    out = []
    for module in dict.fromkeys(m for m, _, _ in kept):
        texts = [(n, t) for m, n, t in kept if m == module]
        if module in plain and plain[module] not in texts:
            texts.insert(0, plain[module])
        texts.sort(key=lambda t: not t[0].endswith(".plain.py"))
        out += ["#### %s\n%s" % (n[:-3], t) for n, t in texts]
    sys.stdout.write("".join(out))


main()
