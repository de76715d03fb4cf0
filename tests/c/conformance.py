#!/usr/bin/env python3
"""Runs the conformance cases that have a form in C: compiles each with gcc, warnings as errors, and compares its results.

    conformance.py [--rlxc PATH] [--filter REGEX] [--least SHARE] [--programs PATH --rlx PATH --count N] FOLDER

--programs, the test of random programs, prints the first N of them, which are written to FOLDER as cases; their results are those of the
executable at -O0, which that test checks.

A case whose model has no form in C is counted by the reason; other failures to compile, wrong results and crashes fail. So does a smaller
share of cases in C than --least. Ends with "N passed, N failed". Needs numpy.
"""
import argparse
import collections
import concurrent.futures
import ctypes
import functools
import json
import multiprocessing
import os
import re
import subprocess
import sys
import tempfile

os.environ["OPENBLAS_NUM_THREADS"] = "1"  # NumPy's library would start threads of its own
import numpy as np  # noqa: E402

IS_RANGE = re.compile(r"-?\w+ to ")
FOR_DATA = 1 << 22  # bytes of an arena for tensors whose sizes only data determines
NO_FORM = re.compile(r"C has no form of ([^\n]*)|error: .*?(C: [^\n]*|smaller than a byte|call functions of the host|an address is used"
                     r"|size of temporary|of one block can wait|is not supported)")
FLAGS = "-std=c99 -O1 -fno-strict-aliasing -fsanitize=undefined -fno-sanitize-recover=all -Wall -Wextra -Wpedantic -Wshadow -Wconversion -Werror -shared -fPIC".split()
NUMBERS = {"int64_t": ctypes.c_int64, "int32_t": ctypes.c_int32, "double": ctypes.c_double, "float": ctypes.c_float, "bool": ctypes.c_bool}


class NoForm(Exception):
    pass


def leaves(value, folder):
    """The tensors and numbers of a value, in order; shapes are tensors."""
    if "tuple" in value:
        for item in value["tuple"]:
            yield from leaves(item, folder)
    elif "tensor" in value:
        yield np.ascontiguousarray(np.load(os.path.join(folder, value["tensor"]))).reshape(value["shape"])
    elif "shape" in value:
        yield np.array(value["shape"], np.int64)
    else:
        yield next(value[key] for key in ("int", "float", "bool") if key in value)


def parse(header, function):
    """The parameters of |function|: pairs of type and name; and what its comment says of each."""
    found = re.search(r"\nint \w+_%s\(([^)]*)\);" % function, header)
    comment = header[:found.start()].rsplit("/*", 1)[1]
    said = dict(re.findall(r" \*   (\w+): ([^\n]*)", comment))
    return [re.fullmatch(r"(.*?)(\w+)", p.strip()).groups() for p in found.group(1).split(",")], said


def bind(symbols, said, shape):
    """Binds the symbols that are dimensions themselves; false where the shapes contradict."""
    dims = re.search(r"R.Tensor\(\((.*?)\)(?:, dtype|\))|R.Shape\(\[(.*?)\]\)", said)
    names = [d.strip() for d in (dims.group(1) or dims.group(2) or "").split(",") if d.strip()] if dims else []
    if len(names) != len(shape):
        return False
    for name, size in zip(names, shape):
        if name.isdigit() and int(name) != size:
            return False
        if name.isidentifier() and symbols.setdefault(name, int(size)) != size:
            return False
    return True


def same(got, want, case):
    if want.dtype.kind not in "f":
        return bool((got == want).all())
    got, want = got.astype(np.float64), want.astype(np.float64)
    with np.errstate(invalid="ignore"):
        near = abs(got - want) <= case["atol"] + case["rtol"] * abs(want)
    return bool((near | (got == want) | (np.isnan(got) & np.isnan(want))).all())


def call(library, header, case, folder, number, one):
    name = case["function"]
    params, said = parse(header, name)
    symbols, args, keep = {}, [], []
    inputs = list(x for value in one["inputs"] for x in leaves(value, folder))
    wants = [] if one.get("fails") else list(x for value in one["outputs"] for x in leaves(value, folder))
    given, kinds = iter(inputs), {param: kind.strip() for kind, param in params}
    for param, text in said.items():
        if text.startswith("result") or param.endswith(("_room", "_shape")) or IS_RANGE.match(text):
            continue
        value = next(given)
        if isinstance(value, np.ndarray) and not bind(symbols, text, value if text.startswith("R.Shape") else value.shape):
            return None  # the shape is the caller's matter in C
        if param in kinds and isinstance(value, np.ndarray):
            keep.append(value)
            args.append(ctypes.c_void_p(value.ctypes.data))
        elif param in kinds:
            args.append(NUMBERS[kinds[param]](value))
    if one.get("fails"):
        return None
    outs, shapes = [], []  # of each result; a shape is NULL where the model says it
    for kind, param in params[len(args):]:
        if param.endswith("_room"):
            args.append(ctypes.c_int64(outs[-1].size))
        elif param.endswith("_shape") and param[:-6] + "_room" in kinds:
            shapes[-1] = np.zeros(outs[-1].ndim, np.int64)
            args.append(ctypes.c_void_p(shapes[-1].ctypes.data))
        elif kind.strip() == "int64_t":
            if param not in symbols:
                raise NoForm("a symbol that no dimension gives")
            args.append(ctypes.c_int64(symbols[param]))
        elif kind.endswith("*") and param != "arena_start":
            if len(outs) == len(wants):
                return "call %d: more than the %d results wanted" % (number, len(wants))
            want = wants[len(outs)]
            if not isinstance(want, np.ndarray):
                want = wants[len(outs)] = np.array(want, NUMBERS[kind.strip(" *")])
            outs.append(np.zeros(want.shape, want.dtype))
            shapes.append(None)
            args.append(ctypes.c_void_p(outs[-1].ctypes.data))
    if len(outs) != len(wants):
        return "call %d: %d results, %d wanted" % (number, len(outs), len(wants))
    symbol_args = [a for (k, p), a in zip(params, args) if k.strip() == "int64_t" and IS_RANGE.match(said.get(p, ""))]
    if params[-1][1] == "arena_bytes":
        size = getattr(library, "model_%s_arena_bytes" % name)
        size.restype = ctypes.c_size_t
        need = size(*symbol_args) + FOR_DATA
        arena = np.full(need // 8 + 2, np.nan)
        args += [ctypes.c_void_p(arena.ctypes.data), ctypes.c_size_t(need)]
    status = getattr(library, "model_" + name)(*args)
    if status != 0:
        return "call %d: status %d" % (number, status)
    for i, (got, shape, want) in enumerate(zip(outs, shapes, wants)):
        if shape is not None and list(shape) != list(want.shape):
            return "call %d: result %d has the shape %s, not %s" % (number, i, list(shape), list(want.shape))
        if not same(got, want, case):
            return "call %d: result %d differs: %s, not %s" % (number, i, got.ravel()[:6], want.ravel()[:6])
    return None


def run_calls(work, case, folder, out):
    library = ctypes.CDLL(os.path.join(work, "model.so"))
    with open(os.path.join(work, "model.h")) as stream:
        header = stream.read()
    answer = ("passed", "")
    try:
        for number, one in enumerate(case["calls"]):
            wrong = call(library, header, case, folder, number, one)
            if wrong:
                answer = ("failed", wrong)
                break
    except NoForm as reason:
        answer = ("no form", str(reason))
    out.put(answer)


def run(rlxc, folder):
    with open(os.path.join(folder, "case.json")) as stream:
        case = json.load(stream)
    with tempfile.TemporaryDirectory() as work:
        source = os.path.join(work, "model.c")
        done = subprocess.run([rlxc, os.path.join(folder, "module.py"), "--emit=c", "-o", source],
                              stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
        if done.returncode != 0:
            reason = NO_FORM.search(done.stdout)
            if done.returncode == 1 and reason:
                return "no form", re.sub(r"(value|size|parameter|call of) \w+", r"\1", next(g for g in reason.groups() if g))
            return "failed", done.stdout.strip().split("\n")[0][-300:]
        done = subprocess.run(["gcc", *FLAGS, source, "-lm", "-o", os.path.join(work, "model.so")],
                              stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
        if done.returncode != 0:
            lines = [l for l in done.stdout.split("\n") if "error" in l]
            return "failed", "gcc: " + (lines or [done.stdout])[0][-300:]
        # This process has one thread. With more, the child would inherit locks that other threads hold, and nobody would release them.
        out = multiprocessing.get_context("fork").SimpleQueue()
        child = multiprocessing.get_context("fork").Process(target=run_calls, args=(work, case, folder, out))
        child.start()
        child.join(60)
        if child.is_alive():
            child.kill()
            return "failed", "no end"
        return out.get() if not out.empty() else ("failed", "crashed with status %s" % child.exitcode)


# --- random programs ---

PARAMETER = re.compile(r"(\w+): R\.(\w+)\((?:\((.*?)\), )?(?:dtype=)?\"?(\w*)\"?")
SIZES = [{"n": 1, "m": 2, "k": 4}, {"n": 3, "m": 5, "k": 2}, {"n": 6, "m": 1, "k": 3}, {"n": 2, "m": 0, "k": 1}]
TYPES = {"float64", "float32", "float16", "int64", "int32", "int8", "uint8", "bool"}  # NumPy has no others


def result(folder, name):
    """What `rlx run -o NAME.npy` has written, as a value of a case."""
    if os.path.exists(os.path.join(folder, name + ".npy")):
        array = np.load(os.path.join(folder, name + ".npy"))
        return {"tensor": name + ".npy", "dtype": str(array.dtype), "shape": list(array.shape)}
    parts = {int(f[len(name) + 1:].split(".")[0]) for f in os.listdir(folder) if f.startswith(name + ".")}
    return {"tuple": [result(folder, "%s.%d" % (name, i)) for i in sorted(parts)]}


def largest(folder):
    arrays = [np.load(os.path.join(folder, f)) for f in os.listdir(folder) if f.startswith("out")]
    sizes = [abs(a.astype(np.float64)) for a in arrays if a.size]
    return max((float(a.max(where=np.isfinite(a), initial=1)) for a in sizes), default=1)


def write_program(options, seed, text, folder):
    """A case of the program |text|, unless it has parameters of other types."""
    params = PARAMETER.findall(re.search(r"def main\((.*?)\)(?: ->.*)?:\n", text).group(1))
    if any(kind != "Tensor" or dtype not in TYPES for _, kind, _, dtype in params):
        return
    os.makedirs(folder)
    module, executable = os.path.join(folder, "module.py"), os.path.join(folder, "module.rlx")
    with open(module, "w") as stream:
        stream.write(text)
    subprocess.run([options.rlxc, module, "-O0", "-o", executable], check=True)
    random, calls = np.random.default_rng(seed), []
    for number, symbols in enumerate(SIZES):
        inputs, args = [], [options.rlx, "run", executable, "-o", os.path.join(folder, "out%d.npy" % number)]
        for name, _, dims, dtype in params:
            shape = [eval(d.strip(' "'), {}, symbols) for d in dims.split(",") if d.strip()]
            values = random.integers(0, 2, shape) if dtype == "bool" else random.integers(-3, 4, shape)
            values = (values / 4 + 0.125 if dtype.startswith("float") else values).astype(dtype)
            file = "%d.%s.npy" % (number, name)
            np.save(os.path.join(folder, file), values)
            inputs.append({"tensor": file, "dtype": dtype, "shape": shape})
            args += ["--input", "%s=%s" % (name, os.path.join(folder, file))]
        if subprocess.run(args, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL).returncode == 0:
            calls.append({"inputs": inputs, "outputs": [result(folder, "out%d" % number)]})
    os.remove(executable)
    case = {"function": "main", "calls": calls, "rtol": 1e-3, "atol": 1e-3 * largest(folder)}
    with open(os.path.join(folder, "case.json"), "w") as stream:
        json.dump(case, stream)


def write_programs(options):
    printed = subprocess.run([options.programs, "--seed", "1", "--count", str(options.count), "--print"], capture_output=True,
                             text=True, check=True).stdout
    for part in printed.split("=== seed ")[1:]:
        seed, text = part.split(": \n", 1)
        module = re.match(r"(?:[ #@fc].*\n|\n)*", text).group(0)  # what follows it is not indented
        write_program(options, int(seed), module, os.path.join(options.folder, "program" + seed))


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("folder")
    parser.add_argument("--rlxc", default="build/rlxc")
    parser.add_argument("--filter", default="")
    parser.add_argument("--least", type=float, default=0.94)
    parser.add_argument("--programs")
    parser.add_argument("--rlx", default="build/rlx")
    parser.add_argument("--count", type=int, default=100)
    options = parser.parse_args()
    if options.programs:
        write_programs(options)
    names = sorted(n for n in os.listdir(options.folder)
                   if os.path.exists(os.path.join(options.folder, n, "case.json")) and re.search(options.filter, n))
    reasons = collections.Counter()
    counts = collections.Counter()
    folders = [os.path.join(options.folder, n) for n in names]
    with concurrent.futures.ProcessPoolExecutor(2, multiprocessing.get_context("fork")) as pool:
        for name, (state, text) in zip(names, pool.map(functools.partial(run, options.rlxc), folders)):
            counts[state] += 1
            if state == "failed":
                print("FAIL %s: %s" % (name, text))
            elif state == "no form":
                reasons[text] += 1
    for reason, n in reasons.most_common():
        print("no form in C, %d cases: %s" % (n, reason))
    few = not options.filter and counts["passed"] < options.least * len(names)
    if few:
        print("only %d of %d cases ran as C" % (counts["passed"], len(names)))
    print("%d passed, %d failed" % (counts["passed"], counts["failed"] + few))
    sys.exit(1 if counts["failed"] or few else 0)


main()
