#!/usr/bin/env python3
"""Every operator with sample arguments (the rows of run.py) on operands with less and less shape
information: unrelated dimension names, no numbers, only the rank, not even that. Each must compile, give
the reference's results for shapes that fit, and fail for others with a message that names the operator
and mentions no compiler internals.

    python3 tests/ops/matrix.py --rlxc build/rlxc --rlx build/rlx [--filter REGEX] [--jobs N] [--part I/N]

All rows (--part 0/1) take several minutes; without --part every fourth runs.
"""
import argparse
import collections
import concurrent.futures
import os
import re
import subprocess
import sys
import tempfile

import numpy as np

import run

FITTING = (7, 5), (1, 1), (3, 0)
UNFIT = (4, 6)
FORBIDDEN = ("match_cast", "internal", "please report", "PrimFunc", "R.Tensor(ndim", "split_ranks", "is not known")
SYMBOL = re.compile(r"\b[nm]\b(?!\.)")


def named(name, dims, dtype):
    """Gives named dimensions unrelated names."""
    return run.annotation([f"{name}{i}" if d in ("n", "m") else int(d) for i, d in enumerate(dims)], dtype)


def free(name, dims, dtype):
    return run.annotation([f"{name}{i}" for i in range(len(dims))], dtype)


def ranked(name, dims, dtype):
    return f'R.Tensor(dtype="{dtype}", ndim={len(dims)})'


def unranked(name, dims, dtype):
    return f'R.Tensor(dtype="{dtype}")'


MODES = {f.__name__: f for f in (named, free, ranked, unranked)}


def module(row, modes):
    text = ("from tvm.script import ir as I\nfrom tvm.script import tir as T\n"
            "from tvm.script import relax as R\n\n@I.ir_module\nclass Module:\n")
    symbols = bool(SYMBOL.search(row.expr))
    for mode in modes:
        params = [f"{k}: {MODES[mode](k, dims.split(), t)}" for k, (dims, t, _, _) in row.inputs.items()]
        params += ['sizes: R.Shape(["n", "m"])'] if symbols else []
        text += f"    @R.function\n    def {mode}({', '.join(params)}):\n"
        text += "        n = T.int64()\n        m = T.int64()\n" if symbols else ""
        text += f"        gv = {row.expr}\n        return gv\n\n"
    return text


def chosen(rows):
    """Keeps one of the rows that differ only in element types."""
    seen, out = set(), []
    for row in rows:
        key = (re.sub(r"(float|u?int)(8|16|32|64)", "", row.expr), tuple(d for d, _, _, _ in row.inputs.values()))
        if row.inputs and key not in seen:
            seen.add(key)
            out.append(row)
    return out


class Case:
    def __init__(self, args, folder, row):
        self.args, self.folder, self.row, self.bad = args, folder, row, []
        self.counts = collections.Counter()

    def compile(self, modes, name):
        source, exe = os.path.join(self.folder, name + ".py"), os.path.join(self.folder, name + ".rlx")
        with open(source, "w") as f:
            f.write(module(self.row, modes))
        done = subprocess.run([self.args.rlxc, source, "-o", exe], capture_output=True, text=True, timeout=600)
        return (exe, None) if done.returncode == 0 else (None, done.stderr.strip())

    def run(self, exe, mode, values, n, m):
        """Returns the results, or the error message."""
        for old in os.listdir(self.folder):
            if old.startswith("out"):
                os.remove(os.path.join(self.folder, old))
        command = [self.args.rlx, "run", exe, "-f", mode, "-o", os.path.join(self.folder, "out.npy")]
        for k, v in values.items():
            np.save(os.path.join(self.folder, k + ".npy"), v)
            command += ["--input", f"{k}={os.path.join(self.folder, k)}.npy"]
        if SYMBOL.search(self.row.expr):
            command += ["--input", f"sizes=shape:{n},{m}"]
        done = subprocess.run(command, capture_output=True, text=True, timeout=600)
        if done.returncode not in (0, 1):
            self.bad.append(f"{mode}: exit {done.returncode}: {done.stderr[:300]}")
        if done.returncode != 0:
            return None, done.stderr.strip()
        names = sorted(f for f in os.listdir(self.folder) if f.startswith("out"))
        return {name: np.load(os.path.join(self.folder, name)) for name in names}, None

    def reference(self, values):
        wide = [v.astype(np.float64) if v.dtype.kind == "f" else
                v.astype(np.int64) if v.dtype.kind in "iu" else v for v in values.values()]
        try:
            with np.errstate(all="ignore"):
                want = self.row.ref(*wide)
        except (ValueError, IndexError, TypeError, AssertionError, ZeroDivisionError):
            return None
        return list(want) if isinstance(want, (list, tuple)) else [want]

    def differs(self, got, values, want):
        types = [v.dtype.name for v in values.values()]
        if len(got) != len(want):
            return f"{len(got)} results, expected {len(want)}"
        for i, w in enumerate(want):
            g, w = got["out.npy" if len(want) == 1 else f"out.{i}.npy"], np.asarray(w)
            gives = run.element_type(self.row.gives, i, types, w)
            w = w.astype(np.int64).astype(g.dtype) if g.dtype.kind in "iu" else w
            why = run.compare(g, w, types[0], gives, self.row.loose)
            if why:
                return f"result {i}: {why}"
        return None

    def valid(self, exe, mode):
        for n, m in FITTING:
            if not self.row.empty and 0 in (n, m):
                continue
            rng = np.random.default_rng(n * 1000 + m)
            values = {k: run.make_input(rng, s, n, m) for k, s in self.row.inputs.items()}
            want = self.reference(values)
            got, said = self.run(exe, mode, values, n, m)
            self.counts["fit"] += 1
            if want is None:
                continue
            why = said or self.differs(got, values, want)
            if why:
                self.bad.append(f"{mode} ({n}, {m}): {why[:300]}")

    def invalid(self, exe, mode):
        """Makes each dimension of each operand larger by one, and adds a dimension to each
        operand."""
        n, m = UNFIT
        rng = np.random.default_rng(1)
        values = {k: run.make_input(rng, s, n, m) for k, s in self.row.inputs.items()}
        for name, v in values.items():
            dims = self.row.inputs[name][0].split()
            wrong = [(np.concatenate([v, v.take([0], axis=i)], axis=i), dims[i] in "nm")
                     for i in range(v.ndim) if v.size]
            wrong += [(v[None], False)] if mode == "unranked" else []
            for w, symbolic in wrong:
                changed = {**values, name: np.ascontiguousarray(w)}
                got, said = self.run(exe, mode, changed, n, m)
                self.counts["unfit"] += 1
                if said is not None:
                    hit = [word for word in FORBIDDEN if word in said]
                    if hit:
                        self.bad.append(f"{mode} {name} {w.shape}: says {hit[0]}: {said[:300]}")
                    continue
                # the reference knows only the row's own numbers, ranks and explicit sizes
                comparable = symbolic and not SYMBOL.search(self.row.expr)
                want = self.reference(changed) if comparable else None
                if want is not None and any(np.isnan(np.asarray(w, float)).any() for w in want):
                    continue # a mean of nothing, or the like
                if want is not None and (why := self.differs(got, changed, want)):
                    self.bad.append(f"{mode} {name} {w.shape}: {why}")

    def check(self):
        exe, said = self.compile(list(MODES), "all")
        for mode in MODES:
            own = exe
            if not exe:
                own, said = self.compile([mode], mode)
            self.counts["compiled"] += own is not None
            if not own:
                self.bad.append(f"{mode}: {said[:400] or 'rlxc died'}")
                continue
            self.valid(own, mode)
            self.invalid(own, mode)
        return self


def check(args, row):
    with tempfile.TemporaryDirectory() as folder:
        return Case(args, folder, row).check()


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--rlxc", default="build/rlxc")
    parser.add_argument("--rlx", default="build/rlx")
    parser.add_argument("--filter", default="")
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--part", default="0/4", help="every N-th row from the I-th on")
    args = parser.parse_args()
    first, step = map(int, args.part.split("/"))
    rows = [r for r in chosen(run.rows()) if re.search(args.filter, r.name)][first::step]
    counts, failed = collections.Counter(), 0
    with concurrent.futures.ThreadPoolExecutor(args.jobs) as pool:
        for case in pool.map(lambda r: check(args, r), rows):
            counts += case.counts
            failed += bool(case.bad)
            for why in case.bad[:6]:
                print(f"FAIL {case.row.name}: {why}", flush=True)
    print(f"{counts['compiled']} functions, {counts['fit']} calls that fit, {counts['unfit']} that need not")
    print(f"{len(rows) - failed} passed, {failed} failed")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
