#!/usr/bin/env python3
"""Programs as TVM's own Schedule leaves them, beside the same programs unscheduled: equal results, and times.

    python3 -m venv V && V/bin/pip install apache-tvm numpy        # 0.27
    V/bin/python tests/tvm/schedules.py 0-99 [--steps focus|all|tuned] [--small] [--mutants N] [--build build]
                                        [--keep FOLDER]

A seed chooses an operator, sizes (some symbolic), one to four random steps, and after how many of TVM's lowering
passes the module is printed. With --steps tuned, all sizes are numbers, and the steps are those of a random point of
MetaSchedule's design space for CPUs. Prints a line for each program that takes more than 1.3 times as long as its
plain form, differs from it or fails, and a summary. With --small, sizes are tiny, 0 and 1 among them, and the
scheduled program without optimisation is the reference. A difference may be TVM's: it schedules some programs wrongly.

With --mutants, N copies of each scheduled program with one to three random changes (an index, a buffer, an operator,
the place of a statement) are compared with themselves without optimisation: programs that nearly have a form that
normalisation knows, and mean something else. Left out are those that read outside of a buffer or what nothing has set:
they fail with --check-bounds, or depend on what buffers are filled with at first. Floats near overflow or
cancellation may differ.
"""
import argparse
import json
import os
import random
import re
import subprocess
import tempfile

import numpy as np
import tvm
from tvm import relax, s_tir, te, tirx, topi
from tvm.s_tir import meta_schedule as ms

F = "float32"
FOCUS = ["split", "split", "split", "fuse", "fuse", "reorder", "reorder", "decompose", "cache_read", "cache_write"]
OTHERS = ["compute_at", "reverse_compute_at", "inline", "blockize", "vectorize", "unroll", "rfactor", "parallel",
          "storage_align", "add_unit_loop", "merge"]
TUNED = ["tuned"]


def size(r, small, values):
    return r.choice([0, 1, 1, 2, 3, 5, 7]) if small else r.choice(values)


def operator(r, small, symbolic):
    """(name, shapes, with n as a dimension if |symbolic| and r says so, function of tensors, value of n)."""
    def s(*values):
        return max(size(r, small, values), 1)

    n = tirx.Var("n", "int64") if r.random() < 0.5 and symbolic else None
    value = size(r, small, [96, 128, 200, 256])
    rows = n if n is not None else max(value, 1)
    a, b, c = s(64, 96, 128), s(48, 64, 100), s(32, 64)
    ch, hw = s(16, 24, 32), s(14, 28, 33) + 4 if not small else s() + 3
    axis = r.choice([0, 1])

    def norm(x):
        mean = topi.sum(x, axis=-1, keepdims=True) / float(a)
        centred = topi.subtract(x, mean)
        return topi.divide(centred, topi.sqrt(topi.sum(centred * centred, axis=-1, keepdims=True) / float(a) + 1e-5))

    def product_by_rows(x, y):
        k = te.reduce_axis((0, a), "k")
        return te.compute((rows, b), lambda i, j: te.sum(x[i, k] * y[j, k], axis=k), "product")

    def fused_product(x, y):
        k = te.reduce_axis((0, a), "k")
        p = te.compute((rows, b), lambda i, j: te.sum(x[i, k] * y[k, j], axis=k), "product")
        return topi.nn.relu(p)

    def depthwise(x, w):
        k = te.reduce_axis((0, 9), "k")
        return te.compute((ch, hw - 2, hw - 2),
                          lambda o, i, j: te.sum(x[o, i + k // 3, j + k % 3] * w[o, k // 3, k % 3], axis=k), "windows")

    def conv(x, w):
        i, ky, kx = (te.reduce_axis((0, e), name) for e, name in [(ch, "i"), (3, "ky"), (3, "kx")])
        return te.compute((b, hw - 2, hw - 2),
                          lambda o, y, z: te.sum(x[i, y + ky, z + kx] * w[o, i, ky, kx], axis=[i, ky, kx]), "windows")

    table = [
        ("add", [(rows, a), (a,)], topi.add),
        ("gelu", [(rows, a)], lambda x: x * 0.5 * (1.0 + topi.erf(x * 0.70710678))),
        ("relu_scale", [(rows, a), (rows, a)], lambda x, y: topi.nn.relu(x * 2.0 + y)),
        ("sum", [(rows, a)], lambda x: topi.sum(x, axis=axis)),
        ("max", [(rows, a, c)], lambda x: topi.max(x, axis=r.choice([0, 1, 2]))),
        ("sum_all", [(rows, a)], lambda x: topi.sum(x, axis=[0, 1])),
        ("softmax", [(rows, a)], lambda x: topi.nn.softmax(x, axis=-1)),
        ("norm", [(rows, a)], norm),
        ("matmul", [(rows, a), (a, b)], topi.matmul),
        ("matmul_rows", [(rows, a), (b, a)], product_by_rows),
        ("matmul_relu", [(rows, a), (a, b)], fused_product),
        ("batch_matmul", [(c, rows, 64), (c, 48, 64)], lambda x, y: topi.nn.batch_matmul(x, y)),
        ("gemv", [(1, a), (a, b)], topi.matmul),
        ("conv", [(ch, hw, hw), (b, ch, 3, 3)], conv),
        ("depthwise", [(ch, hw, hw), (ch, 3, 3)], depthwise),
        ("conv_nchw", [(1, ch, hw, hw), (b, ch, 3, 3)], lambda x, w: topi.nn.relu(topi.nn.conv2d_nchw(
            x, w, r.choice([1, 2]), 1, 1))),
        ("conv_nhwc", [(1, hw, hw, ch), (3, 3, ch, b)], lambda x, w: topi.nn.conv2d_nhwc(x, w, r.choice([1, 2]), 1, 1)),
        ("depthwise_nchw", [(1, ch, hw, hw), (ch, 1, 3, 3)], lambda x, w: topi.nn.depthwise_conv2d_nchw(
            x, w, (1, 1), (1, 1), (1, 1))),
        ("grouped", [(1, 2 * ch, hw, hw), (2 * b, ch, 3, 3)], lambda x, w: topi.nn.group_conv2d_nchw(
            x, w, 1, 1, 1, 2)),
        ("transposed", [(1, ch, hw, hw), (ch, b, 2, 2)], lambda x, w: topi.nn.conv2d_transpose_nchw(
            x, w, (2, 2), (0, 0), F, (0, 0))),
        ("dense", [(rows, a), (b, a), (b,)], lambda x, w, c: topi.nn.relu(topi.add(topi.nn.dense(x, w), c))),
        ("mean_pool", [(2, ch, hw, hw)], lambda x: topi.mean(x, axis=[2, 3])),
        ("transpose", [(rows, a)], lambda x: topi.transpose(x, [1, 0])),
        ("transpose3", [(c, rows, 16)], lambda x: topi.transpose(x, [1, 0, 2])),
        ("concat", [(rows, a), (rows, b)], lambda x, y: topi.concatenate([x, y], axis=1)),
        ("pad", [(rows, a)], lambda x: topi.nn.pad(x, [1, 2], [2, 1], 0.5)),
        ("slice", [(rows, 2 * a)], lambda x: topi.strided_slice(x, [0, 1], [rows, a], [1, 1], [0, 1])),
        ("repeat", [(rows, a)], lambda x: topi.repeat(x, 3, 1)),
        ("reshape", [(rows, 12, c)], lambda x: topi.reshape(x, (rows, 12 * c))),
        ("where", [(rows, a), (rows, a)], lambda x, y: topi.where(topi.greater(x, y), x, y)),
        ("group_norm", [(2, 8, a)], lambda x: topi.nn.group_norm(
            topi.reshape(x, (2, 8, a)), te.compute((8,), lambda i: tirx.const(1.5, F)),
            te.compute((8,), lambda i: tirx.const(0.5, F)), 2, 1, [2])),
        ("pool", [(1, ch, hw, hw)], lambda x: topi.nn.pool2d(x, (2, 2), (2, 2), (1, 1), (0, 0, 0, 0), "max")),
    ]
    name, shapes, build = r.choice(table)
    if name in ("sum", "max", "sum_all"):  # TVM's loops leave the result of no rows unset
        value = max(value, 1)
    return name, shapes, build, value


def blocks_of(sch):
    names = re.findall(r'T\.sblock\("([^"]*)"\)', sch.mod["work"].script())
    return [sch.get_sblock(name, func_name="work") for name in dict.fromkeys(names) if name != "root"]


def step(r, sch, kind):
    """Applies one random step; raises where TVM refuses it."""
    block = r.choice(blocks_of(sch))
    loops = sch.get_loops(block)
    loop = r.choice(loops) if loops else None
    if kind == "split":
        factor = r.choice([2, 3, 4, 5, 8, 16, 32])
        total = sch.get(loop).extent
        if r.random() < 0.15:
            outer = (total + factor - 1) // factor
            sch.split(loop, [factor, outer] if r.random() < 0.5 else [outer, factor])
        elif r.random() < 0.25:
            sch.split(loop, [None, r.choice([2, 4]), factor])
        else:
            sch.split(loop, [None, factor] if r.random() < 0.7 else [factor, None])
    elif kind == "fuse":
        at = r.randrange(len(loops) - 1)
        sch.fuse(*loops[at:at + r.choice([2, 2, 3])])
    elif kind == "reorder":
        sch.reorder(*r.sample(loops, min(len(loops), r.choice([2, 3, len(loops)]))))
    elif kind == "decompose":
        sch.decompose_reduction(block, loop)
    elif kind == "cache_read":
        sch.cache_read(block, r.choice([0, 0, 1]), r.choice(["global", "local", "shared"]))
    elif kind == "cache_write":
        sch.cache_write(block, 0, r.choice(["global", "local", "shared"]))
    elif kind in ("compute_at", "reverse_compute_at"):
        other = sch.get_loops(r.choice(blocks_of(sch)))
        getattr(sch, kind)(block, r.choice(other))
    elif kind == "inline":
        r.choice([sch.compute_inline, sch.reverse_compute_inline])(block)
    elif kind == "rfactor":
        sch.rfactor(loop, r.choice([0, 1]))
    elif kind == "storage_align":
        sch.storage_align(block, 0, r.choice([-1, -2]), r.choice([16, 32]), r.choice([0, 1, 8]))
    elif kind == "merge":
        sch.merge(*r.sample(loops, 2))
    elif kind == "add_unit_loop":
        sch.add_unit_loop(block)
    elif kind == "blockize":
        sch.blockize(loop)
    else:
        getattr(sch, kind)(loop)


def passes():
    t, s = tirx.transform, s_tir.transform
    return [s.LowerInitBlock(), s.PlanAndUpdateBufferAllocationLocation(), s.ConvertBlocksToOpaque(),
            s.CompactBufferAllocation(), s.LowerMatchBuffer(), s.LowerOpaqueBlock(), t.FlattenBuffer(),
            t.StmtSimplify(), s.LoopPartition(), t.VectorizeLoop(True), t.StorageRewrite(), t.UnrollLoop(),
            s.RenormalizeSplitPattern(), t.StmtSimplify(), t.RemoveNoOp(), t.CommonSubexprElim()]


def module(func, shapes, out):
    bb = relax.BlockBuilder()
    params = [relax.Var(f"p{i}", relax.TensorType(s, F)) for i, s in enumerate(shapes)]
    gv = bb.add_func(func, "work")
    with bb.function("main", params):
        with bb.dataflow():
            o = bb.emit_output(relax.call_tir(gv, relax.Tuple(params), relax.TensorType(out, F)))
        bb.emit_func_output(o)
    return bb.get()


def tuned(r, mod):
    """A point of MetaSchedule's design space for CPUs, or None. Its default rules for "llvm" crash in 0.27; these are
    the same ones."""
    rule, post = ms.schedule_rule, ms.postproc
    rules = [rule.AutoInline(into_producer=False, into_consumer=True, inline_const_tensor=True,
                             disallow_if_then_else=True, require_injective=True, require_ordered=True,
                             disallow_op=["tirx.exp"]),
             rule.AddRFactor(max_jobs_per_core=16, max_innermost_factor=64),
             rule.MultiLevelTiling("SSRSRS", max_innermost_factor=64,
                                   reuse_write=rule.ReuseType(req="may", levels=[1, 2], scope="global")),
             rule.ParallelizeVectorizeUnroll(max_jobs_per_core=16, max_vectorize_extent=64,
                                             unroll_max_steps=[0, 16, 64, 512], unroll_explicit=True),
             rule.RandomComputeLocation()]
    after = [post.DisallowDynamicLoop(), post.RewriteParallelVectorizeUnroll(), post.RewriteReductionBlock()]
    space = ms.space_generator.PostOrderApply(sch_rules=rules, postprocs=after, mutator_probs={})
    context = ms.TuneContext(mod, target=tvm.target.Target({"kind": "llvm", "num-cores": 2}), space_generator=space,
                             num_threads=1, rand_state=r.randrange(1, 1 << 30))
    sch = r.choice(context.generate_design_space())
    return sch.mod if all([p.apply(sch) for p in after]) else None


def random_steps(r, sch, steps):
    """Applies one to four steps; returns their names."""
    done = []
    for _ in range(r.choice([1, 2, 2, 3, 3, 4])):
        for _ in range(8):
            kind = r.choice(steps)
            try:
                step(r, sch, kind)
                done.append(kind)
                break
            except Exception:  # TVM refuses the step here
                continue
    return done


def programs(seed, steps, small):
    """The plain and the scheduled module, their description, shapes, and the value of n; None: no step applied."""
    r = random.Random(seed)
    name, shapes, build, value = operator(r, small, steps != TUNED)
    inputs = [te.placeholder(s, F, f"x{i}") for i, s in enumerate(shapes)]
    out = build(*inputs)
    func = te.create_prim_func([*inputs, out]).with_attr("global_symbol", "work")
    plain = module(func, shapes, list(out.shape))
    if steps == TUNED:
        point, done = tuned(r, tvm.IRModule({"main": func.with_attr("global_symbol", "main")})), TUNED
        scheduled = point and module(point["main"].with_attr("global_symbol", "work"), shapes, list(out.shape))
    else:
        sch = s_tir.Schedule(plain)
        sch.work_on("work")
        done = random_steps(r, sch, steps)
        scheduled = sch.mod
    if not done or not scheduled:
        return None
    n = 0
    if r.random() < 0.6:
        order = passes()
        for p in order[:r.randrange(1, len(order) + 1)]:
            try:
                scheduled = p(scheduled)
                n += 1
            except Exception:  # the pass asks for a target or refuses the form
                continue
    return plain, scheduled, f"{name} {'+'.join(done)} after {n} passes", shapes, value


def compiled(build, text, path, *options):
    with open(path + ".py", "w") as f:
        f.write(text)
    p = subprocess.run([build + "/rlxc", path + ".py", "-o", path + ".rlx", *options], capture_output=True, text=True,
                       timeout=120)
    return p.stderr.strip().splitlines()[0][:200] if p.returncode else ""


def measure(build, path, given):
    how = ["--json", "--repeat", "5", "--min-repeat-ms", "3"]
    p = subprocess.run([build + "/rlx", "time", path + ".rlx", *given, *how], capture_output=True, text=True,
                       timeout=300)
    times = json.loads(p.stdout)
    return times.get("min", times.get("min_ns"))


def check(seed, args, folder):
    """Verdicts: one, or one for each mutant."""
    r = np.random.default_rng(seed)
    try:
        made = programs(seed, {"focus": FOCUS, "all": FOCUS + 2 * OTHERS, "tuned": TUNED}[args.steps], args.small)
    except Exception as e:  # te refuses the sizes
        return ["unmade " + (str(e).splitlines() or ["?"])[-1][:100]]
    if not made:
        return ["unmade"]
    plain, scheduled, what, shapes, value = made
    here = os.path.join(folder, str(seed))
    given = []
    for i, s in enumerate(shapes):
        dims = [int(d) if isinstance(d, (int, tirx.IntImm)) else value for d in s]
        np.save(f"{here}-{i}.npy", r.standard_normal(dims, np.float32))
        given += ["--input", f"{here}-{i}.npy"]
    if args.mutants:
        return mutants(seed, args.mutants, scheduled, what, given, here, args.build)
    return [compare(plain.script(), scheduled.script(), what, given, here, args)]


def compare(plain, scheduled, what, given, here, args):
    if args.small:
        plain = scheduled
    error = compiled(args.build, plain, here + "-plain", *(["-O0"] if args.small else []))
    if error:
        return f"unmade {what}: {error}"
    error = compiled(args.build, scheduled, here)
    if error:
        return f"FAILS {what}: {error}"
    results = []
    for path in (here + "-plain", here):
        p = subprocess.run([args.build + "/rlx", "run", path + ".rlx", *given, "-o", path + "-out.npy"],
                           capture_output=True, text=True, timeout=120)
        if p.returncode:
            return f"FAILS {what}: {path} {p.stderr.strip()[:200]}"
        results.append(np.load(path + "-out.npy"))
    if not np.allclose(*results, rtol=2e-3, atol=2e-3, equal_nan=True):
        return f"WRONG {what}: largest difference {np.max(np.abs(results[0] - results[1])):.2g}"
    if args.small:
        return "ok"
    ratio = measure(args.build, here, given) / measure(args.build, here + "-plain", given)
    for _ in range(2):  # a slow one again: the machine may be shared
        if ratio > 1.3:
            ratio = min(ratio, measure(args.build, here, given) / measure(args.build, here + "-plain", given))
    return f"{'SLOW' if ratio > 1.3 else 'ok'} {ratio:.2f} {what}"


# --- changed programs ---

OPERATORS = {" + ": [" - ", " * "], " - ": [" + "], " * ": [" + "], " < ": [" <= ", " >= ", " == "], " <= ": [" < "],
             " >= ": [" < "], " == ": [" != ", " <= "], " // ": [" % "], " and ": [" or "], "T.max(": ["T.min("],
             "T.min(": ["T.max("]}
FILLS = ["0", "48", 'T.float32("nan")']


def depth(line):
    return len(line) - len(line.lstrip())


def end_of(lines, i):
    """The line after the statement at line i."""
    end = i + 1
    while end < len(lines) and (not lines[end].strip() or depth(lines[end]) > depth(lines[i]) or
                                lines[end].strip() == "else:" and depth(lines[end]) == depth(lines[i])):
        end += 1
    return end


def replaced(r, line, pattern, choices):
    """The line with one of choices(match) for a match of the pattern; None: there is none."""
    found = [(m, c) for m in re.finditer(pattern, line) for c in sorted(choices(m)) if c != m.group()]
    if not found:
        return None
    m, c = r.choice(found)
    return line[:m.start()] + c + line[m.end():]


def indented(lines, by):
    return [" " * by + line if by >= 0 else line[-by:] for line in lines]


def near(number):
    """Numbers like the matched one; a divisor stays positive."""
    n, least = int(number.group()), 1 if re.search(r"(%|//) (T\.int64\()?$", number.string[:number.start()]) else 0
    return {str(max(v, least)) for v in (n + 1, n - 1, 2 * n, 0)}


def move(r, lines, i, statements):
    """Changes the place of the statement at line i; False: there is no such place."""
    end, kind = end_of(lines, i), r.choice(["swap", "copy", "delete", "leave", "enter", "guard"])
    own, follows = lines[i:end], end < len(lines) and depth(lines[end]) == depth(lines[i])
    if kind == "swap" and follows:
        lines[i:end_of(lines, end)] = lines[end:end_of(lines, end)] + own
    elif kind == "copy":
        to = r.choice(statements)
        lines[to:to] = indented(own, depth(lines[to]) - depth(lines[i]))
    elif kind == "delete" and "] = " in lines[i]:
        lines[i:end] = [" " * depth(lines[i]) + "T.evaluate(0)"]
    elif kind == "leave":
        loop = max((k for k in range(i) if depth(lines[k]) == depth(lines[i]) - 4), default=None)
        rest = [] if loop is None else lines[loop + 1:i] + lines[end:end_of(lines, loop)]
        if not any(map(str.strip, rest)) or not lines[loop].strip().startswith("for"):
            return False
        parts = [indented(own, -4), [lines[loop], *rest]]
        lines[loop:end_of(lines, loop)] = sum(parts if r.random() < 0.5 else parts[::-1], [])
    elif kind == "enter" and follows and lines[end].strip().startswith("for"):
        lines[i:end + 1] = [lines[end], *indented(own, 4)]
    elif kind == "guard" and "] = " in lines[i]:
        loops = [v for m in re.findall(r"for ([\w, ]+) in", "\n".join(lines)) for v in m.split(", ")]
        if not loops:
            return False
        cond = f"if {r.choice(loops)} {r.choice(['<', '>=', '==', '!='])} {r.choice([0, 1, 2])}:"
        lines[i:end] = [" " * depth(lines[i]) + cond, *indented(own, 4)]
    else:
        return False
    return True


def changed(r, body):
    """The body of a function with a random change; None: it has no place for the one chosen."""
    lines = list(body)
    text = "\n".join(lines)
    statements = [i for i, line in enumerate(lines)
                  if re.match(r"\s*(for|if) |.*\] = ", line) and not re.match(r"\s*\w+ = ", line)]
    if not statements:
        return None
    i = r.choice(statements)
    loops = [v for m in re.findall(r"for ([\w, ]+) in", text) for v in m.split(", ")]
    buffers = sorted(set(re.findall(r"(?<![.\w])(\w+)\[", text)))
    kind = r.choice(["number", "number", "loop", "buffer", "operator", "move", "move"])
    if kind == "move":
        return lines if move(r, lines, i, statements) else None
    if kind == "number":
        line = replaced(r, lines[i], r"(?<![\w.])\d+(?![\w.])", near)
    elif kind == "operator":
        line = replaced(r, lines[i], "|".join(map(re.escape, OPERATORS)), lambda m: OPERATORS[m.group()])
    else:
        names, after = (buffers, r"(?=\[)") if kind == "buffer" else (loops, r"\b(?! in |, \w+ in )")
        line = replaced(r, lines[i], r"\b(?:" + "|".join(names) + ")" + after, lambda m: names if kind == "buffer" else
                        [*loops, "0", f"({m.group()} // 2)"]) if names else None
    if line is None:
        return None
    lines[i] = line
    return lines


def tensor(text, at):
    """Shape and type of the tensor whose shape begins with the parenthesis text[at]."""
    level, end = 1, at + 1
    while level:
        level += {"(": 1, ")": -1}.get(text[end], 0)
        end += 1
    dtype = re.match(r', "(\w+)"', text[end:])
    return text[at + 1:end - 1].rstrip(", "), dtype[1] if dtype else F


def filled(head, body, value):
    """The body with all buffers filled, where they are allocated or, the results, at the beginning."""
    def loops(by, name, shape, dtype):
        flat = shape
        while "(" in flat:
            flat = re.sub(r"\([^()]*\)", "", flat)
        grid = ", ".join(f"fill_{k}" for k in range(flat.count(",") + 1))
        number = value if dtype == F else int("4" in value)
        return [" " * by + f"for {grid} in T.grid({shape}):",
                " " * (by + 4) + f'{name}[{grid}] = T.Cast("{dtype}", {number})']

    result = list(re.finditer(r"(\w+): T\.Buffer\(", head))[-1]
    out = loops(depth(body[0]), result[1], *tensor(head, result.end()))
    for line in body:
        m = re.match(r"\s*(\w+) = T\.alloc_\w+\((?=\()", line)
        out += [line, *(loops(depth(line), m[1], *tensor(line, m.end())) if m else [])]
    return out


def mutants(seed, count, scheduled, what, given, here, build):
    """Verdicts on changed copies of the program."""
    for p in passes()[:6]:  # no blocks: what their axes declare would have to hold
        scheduled = p(scheduled) if "T.sblock" in scheduled.script() else scheduled
    text = re.sub(r"T\.(parallel|vectorized|unroll|serial)\(", "range(", scheduled.script()).split("\n")
    start = next(i for i, line in enumerate(text) if "def work(" in line)
    end = end_of(text, start)

    def run(body, path, *options):
        error = compiled(build, "\n".join([*text[:start + 1], *body, *text[end:]]), path, *options)
        if error:
            return error
        p = subprocess.run([build + "/rlx", "run", path + ".rlx", *given, "-o", path + "-out.npy"],
                           capture_output=True, text=True, timeout=60)
        return p.stderr.strip()[:200] or "fails" if p.returncode else np.load(path + "-out.npy")

    for k in range(count):
        r = random.Random(f"{seed} {k}")
        body = text[start + 1:end]
        for _ in range(r.choice([1, 1, 2, 3])):
            body = next((b for b in (changed(r, body) for _ in range(10)) if b), body)
        path = f"{here}-{k}"
        result = run(filled(text[start], body, FILLS[0]), path + "-plain", "-O0", "--check-bounds")
        if isinstance(result, str):
            yield "unmade"
            continue
        own = run(body, path)
        if isinstance(own, str):
            yield f"FAILS {what}, mutant {k}: {own}"
        elif np.allclose(own, result, rtol=2e-3, equal_nan=True,
                         atol=2e-3 * (1 + np.max(np.abs(result[np.isfinite(result)]), initial=0))):
            yield "ok"
        elif all(np.array_equal(result, run(filled(text[start], body, v), path + "-plain", "-O0"), equal_nan=True)
                 for v in FILLS[1:]):
            yield f"WRONG {what}, mutant {k}"
        else:
            yield "unmade"


def main():
    p = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    p.add_argument("seeds", help="A-B")
    p.add_argument("--steps", choices=["focus", "all", "tuned"], default="focus")
    p.add_argument("--small", action="store_true")
    p.add_argument("--mutants", type=int, default=0, metavar="N")
    p.add_argument("--build", default="build")
    p.add_argument("--keep", metavar="FOLDER")
    args = p.parse_args()
    first, last = map(int, args.seeds.split("-"))
    totals = {}
    with tempfile.TemporaryDirectory() as own:
        folder = args.keep or own
        os.makedirs(folder, exist_ok=True)
        for seed in range(first, last + 1):
            try:
                for verdict in check(seed, args, folder):
                    kind = verdict.split()[0]
                    totals[kind] = totals.get(kind, 0) + 1
                    if kind not in ("ok", "unmade"):
                        print(seed, verdict, flush=True)
            except subprocess.TimeoutExpired as e:
                totals["FAILS"] = totals.get("FAILS", 0) + 1
                print(seed, f"FAILS timeout: {e.cmd[0]}", flush=True)
    print(", ".join(f"{n} {kind}" for kind, n in sorted(totals.items())))


if __name__ == "__main__":
    main()
