#!/usr/bin/env python3
"""Runs what `make bench` measures; prints one table and writes bench/results.json.

Makes the models (bench/models.py), compiles them, runs the measuring programs and gathers their
rows (bench/bench.h says how rows look), sets the bars of bench/bars.txt beside them, and describes
the machine. A peer that is not installed is left out, and the output says so. Every program runs
alone; times within a row were taken in turns. Exit status 1: a result was wrong or a program
failed; missed bars are data.
"""
import argparse
import datetime
import fnmatch
import glob
import json
import os
import platform
import re
import statistics
import subprocess
import sys
import time

import modules

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(HERE)
THREADS = (1, 2)
# Models in ONNX: name in the table, file, shape of the input, values of n.
PAIRS = [
    ("mlp", "mlp", "n,784", (1, 7, 32, 128)),
    ("encoder", "encoder", "1,n,768", (1, 16, 128, 384)),
    ("encoder x6", "encoder6", "1,n,768", (1, 16, 128, 384)),
    ("cnn", "cnn", "n,3,64,64", (1, 4, 8)),
    ("residual block", "residual", "n,64,56,56", (1, 4)),
    ("quantized cnn", "quantized_cnn", "n,3,112,112", (1, 4)),
]
COMPILED = ("mlp", "encoder", "encoder x6")  # whose compile time has a bar
CHARGPT = "examples/chargpt/chargpt"
NO_DEVICE = 3  # status of bench_opencl and bench_cuda


class Bench:
    def __init__(self, build, peers, quick, realtime):
        self.build, self.quick, self.realtime = os.path.abspath(build), quick, realtime
        self.folder = os.path.join(self.build, "bench")
        self.rows, self.left_out, self.failed = [], [], []
        self.environment = dict(os.environ, RLX_BENCH_QUICK="1" if quick else "0")
        self.peers_python = os.path.join(os.path.abspath(peers), "bin/python")
        found = sorted(glob.glob(os.path.join(peers, "lib/python3*/site-packages/onnxruntime/capi/libonnxruntime.so.*")))
        self.onnxruntime = found[-1] if found else "-"
        self.torch = next(iter(glob.glob(os.path.join(peers, "lib/python3*/site-packages/torch"))), None)
        os.makedirs(self.folder, exist_ok=True)

    def path(self, name):
        return os.path.join(self.folder, name)

    def program(self, name):
        return os.path.join(self.build, name)

    def leave_out(self, what, why):
        self.left_out.append(f"{what}: {why}")
        print(f"left out: {what}: {why}", file=sys.stderr)

    def at_priority(self):
        if self.realtime:
            os.sched_setscheduler(0, os.SCHED_FIFO, os.sched_param(1))

    def add(self, row):
        row["load"] = round(os.getloadavg()[0], 2)
        self.rows.append(row)
        print(".", end="", file=sys.stderr, flush=True)

    def output(self, *command, timeout=300):
        """Standard output, or None after a failure, which is said and kept."""
        words = [str(w) for w in command]
        try:
            done = subprocess.run(words, capture_output=True, text=True, cwd=ROOT, env=self.environment, timeout=timeout,
                                  preexec_fn=self.at_priority)
        except subprocess.TimeoutExpired:
            self.failed.append(f"{os.path.basename(words[0])} {' '.join(words[1:3])}: more than {timeout} s")
            return None
        if done.returncode != 0:
            last = (done.stderr.strip().splitlines() or [f"status {done.returncode}"])[-1]
            self.failed.append(f"{os.path.basename(words[0])} {' '.join(words[1:3])}: {last}")
            return None
        return done.stdout

    def measure(self, *command):
        for line in (self.output(*command) or "").splitlines():
            self.add(json.loads(line))

    def write(self, name, text):
        with open(self.path(name), "w") as f:
            f.write(text)

    def compile(self, source, name, *options, repeat=1):
        """Path of the executable (None: it does not compile), seconds, a note of CPU time and memory."""
        out, seconds, peak, cpu = self.path(name + ".rlx"), [], 0, []
        for _ in range(repeat):
            start = time.monotonic()
            with open(self.path("rlxc.err"), "wb") as errors:
                child = subprocess.Popen([self.program("rlxc"), source, "-O3", "-o", out, *options],
                                         cwd=ROOT, stderr=errors, preexec_fn=self.at_priority)
                _, status, usage = os.wait4(child.pid, 0)
                child.returncode = os.waitstatus_to_exitcode(status)
            seconds.append(time.monotonic() - start)
            cpu.append(usage.ru_utime + usage.ru_stime)
            peak = max(peak, usage.ru_maxrss / 1024)
            if child.returncode != 0:
                with open(self.path("rlxc.err"), errors="replace") as f:
                    self.failed.append(f"rlxc {os.path.basename(source)}: {f.readline().strip()}")
                return None, 0, ""
        return out, statistics.median(seconds), f"CPU {statistics.median(cpu):.2f} s, {peak:.0f} MiB resident"


def machine(bench):
    for threads in THREADS:
        bench.measure(bench.program("bench_runtime"), "machine", threads)


def runtime(bench):
    program = bench.program("bench_runtime")
    for name, text in (("dispatch", modules.dispatch()), ("planning", modules.planning())):
        bench.write(name + ".py", text)
        executable, _, _ = bench.compile(bench.path(name + ".py"), name)
        if executable:
            bench.measure(program, name, executable)
    executable, _, _ = bench.compile("bench/matmul.py", "products")
    if executable:
        bench.measure(program, "products", executable)
    executable, seconds, note = bench.compile(CHARGPT + ".py", "chargpt", "--params", CHARGPT + ".safetensors", "--jobs=1",
                                              repeat=1 if bench.quick else 3)
    if executable:
        bench.add({"name": "compile chargpt", "threads": 1, "unit": "s", "rlx": seconds, "note": note})
        for threads in THREADS:
            bench.measure(program, "chargpt", executable, threads)
    bench.write("many.py", modules.many_products())
    executable, seconds, note = bench.compile(bench.path("many.py"), "many", "--jobs=1")
    if executable:
        bench.add({"name": "compile 400 products", "threads": 1, "unit": "s", "rlx": seconds, "note": note})
    library = bench.path("librlx.so")
    if bench.output("strip", "-o", library, bench.program("librlx.so")) is not None:
        bench.add({"name": "librlx.so, stripped", "threads": 1, "unit": "KiB", "rlx": os.path.getsize(library) / 1024})


def make_models(bench):
    script = os.path.join(HERE, "models.py")
    done = bench.path("models.done")
    newest = max(os.path.getmtime(os.path.join(HERE, f)) for f in ("models.py", "modules.py"))
    if os.path.exists(done) and os.path.getmtime(done) > newest:
        return True
    if bench.output(sys.executable, script, bench.folder) is None:
        bench.leave_out("models", "bench/models.py needs NumPy and onnx (python3-onnx)")
        return False
    bench.write("models.done", "")
    return True


def models(bench):
    """Models in ONNX: compile time, then beside ONNX Runtime, then memory and a fresh process."""
    pair = bench.program("bench_pair")
    if bench.onnxruntime == "-":
        bench.leave_out("ONNX Runtime", "not installed (make bench-peers)")
    for name, file, dims, values in PAIRS:
        onnx = bench.path(file + ".onnx")
        for threads in THREADS if name in COMPILED else (1,):  # the file is the same for any number
            executable, seconds, note = bench.compile(onnx, file, f"--jobs={threads}",
                                                      repeat=1 if bench.quick or file == "encoder6" else 3)
            if executable and name in COMPILED:
                size = os.path.getsize(onnx) / 2**20
                bench.add({"name": f"compile {name}", "threads": threads, "unit": "s", "rlx": seconds,
                           "note": f"{note}, model {size:.0f} MiB"})
        if executable is None:
            continue
        if name in COMPILED and bench.onnxruntime != "-":
            bench.measure(pair, "create", bench.onnxruntime, name, onnx)
        for threads in THREADS:
            bench.measure(pair, "time", bench.onnxruntime, name, onnx, executable, dims, threads, *values)
        if name == "mlp":
            bench.measure(bench.program("bench_runtime"), "start", executable, 784)
        if name == "encoder":
            memory(bench, name, executable, values)
            bench.measure(pair, "growth", bench.onnxruntime, name, onnx, executable, dims, 32 if bench.quick else 4)


def operators(bench):
    """Single operators beside ONNX Runtime, one thread."""
    if bench.onnxruntime == "-":
        return
    for name, file, dims in modules.OPERATORS:
        executable, _, _ = bench.compile(bench.path(file + ".onnx"), file)
        if executable:
            bench.measure(bench.program("bench_pair"), "time", bench.onnxruntime, name, bench.path(file + ".onnx"), executable,
                          dims, 1, 1)


def busy(bench):
    """Two threads while other processes keep every core busy, as on shared machines; never in the real-time class."""
    if bench.onnxruntime == "-":
        return
    name, file, dims, values = PAIRS[1]
    executable = bench.path(file + ".rlx")
    if not os.path.exists(executable):
        return
    others = [subprocess.Popen([sys.executable, "-c", "while True: pass"]) for _ in range(os.cpu_count())]
    realtime, bench.realtime = bench.realtime, False
    try:
        bench.measure(bench.program("bench_pair"), "busy", bench.onnxruntime, f"busy cores, {name}",
                      bench.path(file + ".onnx"), executable, dims, 2, *values[:2])
    finally:
        bench.realtime = realtime
        for other in others:
            other.kill()
            other.wait()


def memory(bench, name, executable, values):
    units = {"bytes": 1, "B": 1, "KiB": 2**10, "MiB": 2**20, "GiB": 2**30}

    def size(text, what):
        """The size named behind |what| on its line; the one in bytes where it is given twice."""
        for line in text.splitlines():
            _, found, behind = line.partition(what)
            sizes = re.findall(r"([\d.]+) (bytes|B|KiB|MiB|GiB)", behind.partition(", lower bound")[0])
            if found and sizes:
                value, unit = next((s for s in sizes if s[1] in ("bytes", "B")), sizes[0])
                return float(value) * units[unit]
        return None

    for n in values:
        text = bench.output(bench.program("rlx"), "dump", executable, "--memory", "--dim", f"n={n}") or ""
        peak, bound = size(text, "peak"), size(text, "lower bound")
        if peak is None or not bound:
            bench.leave_out(f"{name} peak memory", "rlx dump --memory names no peak and lower bound")
            return
        bench.add({"name": f"{name} peak memory n={n}", "threads": 1, "unit": "MiB", "rlx": peak / 2**20,
                   "peer": "lower bound", "peer_value": bound / 2**20, "ratio": peak / bound})


def grouped(bench):
    """One-row products with 8-bit and 4-bit weights, beside a loop that reads as many bytes and, one alone, beside a float32 one."""
    executables = {}

    def executable(kind, n, k, layers, bits):
        if (kind, n, k, layers, bits) not in executables:
            stem = modules.product_file(kind, n, k, layers)
            option = ["--row-bits", str(bits)] if bits else []
            executables[kind, n, k, layers, bits], _, _ = bench.compile(
                bench.path(stem + ".py"), f"{stem}_{bits}bits" if bits else stem, "--params", bench.path(stem + ".safetensors"), *option)
        return executables[kind, n, k, layers, bits]

    for kind, n, k, layers, bits in modules.GROUPED:
        mine = executable(kind, n, k, layers, bits)
        twin = executable("f32", n, k, 1, 0) if layers == 1 else "-"
        if mine is None or twin is None:
            continue
        name = kind + (f" {layers} of" if layers > 1 else "") + f" 1x{n}x{k}" + (f", row of {bits} bits" if bits else "")
        weights = layers * (n * k * (8 if kind == "q8" else 4) // 8 + n * k // 32 * 4)
        for threads in THREADS:
            bench.measure(bench.program("bench_runtime"), "grouped", name, mine, twin, k, weights, threads)


def has_device(bench, program, *command):
    return subprocess.run([bench.program(program), *command], capture_output=True).returncode != NO_DEVICE


def device_chain(bench, kind, calls):
    name = f"device_chain_{kind}"
    bench.write(name + ".py", modules.device_chain(kind, calls))
    return bench.compile(bench.path(name + ".py"), name)[0]


def devices(bench):
    """OpenCL: the cost of a launch beside the same enqueues in C, and a model beside the CPU."""
    program, calls = bench.program("bench_opencl"), 1000
    executable = device_chain(bench, "opencl", calls)
    if executable is None:
        return
    if not has_device(bench, "bench_opencl", "chain", executable, str(calls)):
        return bench.leave_out("OpenCL", "no device (PoCL: pocl-opencl-icd)")
    bench.measure(program, "chain", executable, calls)
    name, file, dims, _ = PAIRS[1]
    cpu, _, _ = bench.compile(bench.path(file + ".onnx"), file)
    there, _, _ = bench.compile(bench.path(file + ".onnx"), file + "_opencl", "--default-device", "opencl:0")
    if cpu and there:
        bench.measure(program, "model", name, there, cpu, dims, 16, 128)


def cuda(bench):
    """CUDA: the cost of a launch, and products beside cuBLAS."""
    program, calls = bench.program("bench_cuda"), 1000
    executable = device_chain(bench, "cuda", calls)
    if executable is None:
        return
    if not has_device(bench, "bench_cuda", "launches", executable, str(calls)):
        return bench.leave_out("CUDA", "no device")
    bench.measure(program, "launches", executable, calls)
    for n in (1024, 4096):
        name = f"bfloat16_{n}"
        bench.write(name + ".py", modules.square_product(n, "bfloat16"))
        executable, _, _ = bench.compile(bench.path(name + ".py"), name, "--default-device", "cuda:0")
        if executable:
            bench.measure(program, "product", executable, n)


def tvm(bench):
    """What TVM makes of the models without tuning: in a process of its own, so not in turns; for information."""
    try:
        found = subprocess.run([bench.peers_python, "-c", "import tvm; print(tvm.__version__)"], capture_output=True, text=True)
    except OSError:
        found = None
    if found is None or found.returncode != 0:
        return bench.leave_out("TVM", "not installed (make bench-peers)")
    ours = {(row["name"], row["threads"]): row["rlx"] for row in bench.rows}
    bench.environment["TVM_NUM_THREADS"] = "1"
    for name, file, dims, values in PAIRS[:2]:
        few = values[:1] if bench.quick else values[:2]
        for line in (bench.output(bench.peers_python, "bench/peers/tvm_peer.py", bench.path(file + ".onnx"), dims, *few) or "").splitlines():
            n, us = line.split()
            if (f"{name} n={n}", 1) in ours:
                mine = ours[f"{name} n={n}", 1]
                bench.add({"name": f"{name} n={n}, untuned", "threads": 1, "unit": "us", "rlx": mine,
                           "peer": f"TVM {found.stdout.strip()}", "peer_value": float(us), "ratio": mine / float(us),
                           "note": "not in turns"})


def torch(bench):
    """The same models as TorchScript, run by PyTorch's own libraries, in turns with the executables of |models|."""
    if bench.torch is None:
        return bench.leave_out("PyTorch", "not installed (make bench-peers)")
    if bench.output(sys.executable, "bench/peers/torch_models.py", bench.folder) is None:
        return
    for name, file, dims, values in PAIRS:
        script, executable = bench.path(file + ".script"), bench.path(file + ".rlx")
        if os.path.exists(script) and os.path.exists(executable):
            for threads in THREADS:
                bench.measure(bench.program("bench_pair"), "time", bench.program("peers_torch.so"), f"scripted {name}",
                              script, executable, dims, threads, *(values[:2] if bench.quick else values))


# A row of bench/peers/gemm.c: M N K threads, our microseconds, the fastest peer and its, ratio.
GEMM = re.compile(r"\s*(\d+)\s+(\d+)\s+(\d+)\s+(\d)\s+([\d.]+)\s+(\S.*?)\s+([\d.]+)\s+([\d.]+)(?:\s|$)")


def gemm(bench):
    bench.environment["BUILD"] = bench.build
    for line in (bench.output("bench/peers/gemm.sh") or "").splitlines():
        found = GEMM.match(line)
        if found:
            m, n, k, threads, us, peer, peer_us, ratio = found.groups()
            row = {"name": f"gemm {m}x{n}x{k}", "threads": int(threads), "unit": "us", "rlx": float(us)}
            if float(peer_us) > 0:
                row.update(peer=peer, peer_value=float(peer_us), ratio=float(ratio))
            bench.add(row)


GROUPS = {"machine": machine, "runtime": runtime, "gemm": gemm, "models": models, "operators": operators, "busy": busy,
          "torch": torch, "tvm": tvm, "grouped": grouped, "devices": devices, "cuda": cuda}

# --- bars, the machine, the table ---


def read_bars():
    with open(os.path.join(HERE, "bars.txt")) as f:
        for line in f:
            if line.strip() and not line.startswith("#"):
                name, threads, column, bar = (cell.strip() for cell in line.split("|"))
                relation, value = bar.split()
                yield name, threads, column, relation, float(value)


def set_bars(rows):
    bars = list(read_bars())
    for row in rows:
        for name, threads, column, relation, value in bars:
            if fnmatch.fnmatchcase(row["name"], name) and threads in ("*", str(row["threads"])):
                row["bar"] = f"{column} {relation} {value:g}"
                figure = row.get(column)
                if figure is not None:
                    row["holds"] = figure <= value if relation == "<=" else figure >= value
                break


def torch_version(bench):
    """From the wheel's own file: PyTorch cannot be imported without the libraries for GPUs."""
    if bench.torch is None:
        return ""
    with open(os.path.join(bench.torch, "version.py")) as f:
        return re.search(r"__version__ = '([^']*)'", f.read()).group(1)


def describe(bench, load_before):
    def text(*command):
        try:
            return subprocess.run(command, capture_output=True, text=True, cwd=ROOT).stdout.strip()
        except OSError:
            return ""

    cpu = dict(re.findall(r"^([^\t\n]+)\t*: (.*)$", open("/proc/cpuinfo").read(), re.M))
    caches = {}
    for folder in sorted(glob.glob("/sys/devices/system/cpu/cpu0/cache/index*")):
        parts = [open(os.path.join(folder, f)).read().strip() for f in ("level", "type", "size", "shared_cpu_list")]
        caches[f"L{parts[0]} {parts[1].lower()}"] = f"{parts[2]}, shared by cpu {parts[3]}"
    packages = text("dpkg-query", "-W", "-f=${Package} ${Version}\n", "libopenblas0-pthread", "libblis4-openmp",
                    "libdnnl2", "libpthreadpool0", "libmimalloc2.0")
    changed = text("git", "status", "--porcelain", "--untracked-files=no")
    return {
        "date": datetime.datetime.now(datetime.timezone.utc).isoformat(timespec="seconds"),
        "commit": text("git", "rev-parse", "HEAD") + (" with changes" if changed else ""),
        "mode": ("quick" if bench.quick else "full") + (", real-time" if bench.realtime else ""),
        "machine": {
            "cpu": cpu.get("model name", platform.processor()), "family": cpu.get("cpu family"),
            "model": cpu.get("model"), "cores": os.cpu_count(), "caches": caches,
            "vectors": [f for f in ("avx2", "fma", "avx512f", "avx512_bf16", "avx512_vnni")
                        if f in cpu.get("flags", "").split()],
            "memory": open("/proc/meminfo").readline().split(":")[1].strip(), "system": platform.platform(),
        },
        "load": {"before": load_before, "after": [round(x, 2) for x in os.getloadavg()]},
        "versions": {"gcc": text("gcc", "-dumpfullversion"), "llvm": text("llvm-config-19", "--version"),
                     "onnxruntime": os.path.basename(bench.onnxruntime).replace("libonnxruntime.so.", ""),
                     "torch": torch_version(bench),
                     **dict(line.split(" ", 1) for line in packages.splitlines() if " " in line)},
    }


def number(value):
    if value is None:
        return ""
    return f"{value:.0f}" if abs(value) >= 1000 else f"{value:.3g}"


def table(rows):
    heads = ("figure", "threads", "rlx", "unit", "peer", "peer's", "ratio", "bar", "holds", "waited")
    lines = [heads]
    for row in rows:
        holds = {True: "yes", False: "no", None: ""}[row.get("holds")]
        if row.get("note", "").startswith("WRONG"):
            holds = "WRONG RESULT"
        ours = number(row["rlx"]) if row["rlx"] or "peer" not in row else ""
        ratio = f"{row['ratio']:.2f}" if "ratio" in row else ""
        lines.append((row["name"], str(row["threads"]), ours, row["unit"], row.get("peer", ""),
                      number(row.get("peer_value")), ratio, row.get("bar", ""), holds,
                      f"{row['waited']:.0%}" if row.get("waited", 0) >= 0.01 else ""))
    widths = [max(len(line[i]) for line in lines) for i in range(len(heads))]
    right = {2, 5, 6}
    for line in lines:
        print("  ".join(cell.rjust(w) if i in right else cell.ljust(w)
                        for i, (cell, w) in enumerate(zip(line, widths))).rstrip())


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--build", default="build")
    parser.add_argument("--peers", help="virtual environment with the peers' wheels; BUILD/peers by default")
    parser.add_argument("--quick", action="store_true", help="few and short samples")
    parser.add_argument("--realtime", action="store_true",
                        help="measure in the real-time class, so that others wait and not we; needs root")
    parser.add_argument("--only", help=f"groups to run, with commas: {','.join(GROUPS)}; writes no results")
    options = parser.parse_args()
    names = options.only.split(",") if options.only else list(GROUPS)
    if not set(names) <= set(GROUPS):
        parser.error(f"groups are {', '.join(GROUPS)}")
    bench = Bench(options.build, options.peers or os.path.join(options.build, "peers"), options.quick,
                  options.realtime)
    start, load = time.monotonic(), [round(x, 2) for x in os.getloadavg()]
    need_models = {"devices", "models", "operators", "busy", "torch", "tvm", "grouped"}
    have_models = make_models(bench) if need_models & set(names) else True
    for name in names:
        if have_models or name not in need_models:
            GROUPS[name](bench)
    print(file=sys.stderr)
    set_bars(bench.rows)
    results = describe(bench, load)
    results.update(seconds=round(time.monotonic() - start), left_out=bench.left_out, failed=bench.failed, rows=bench.rows)
    if not options.only:
        with open(os.path.join(HERE, "results.json"), "w") as f:
            json.dump(results, f, indent=1)
            f.write("\n")
    m = results["machine"]
    print(f"{m['cpu']} (family {m['family']} model {m['model']}), {m['cores']} cores, {', '.join(m['vectors'])}; "
          f"load {load[0]} before, {results['load']['after'][0]} after; {results['date']}, commit {results['commit'][:12]}"
          f"{' with changes' if 'changes' in results['commit'] else ''}, {results['seconds']} s, {results['mode']}")
    table(bench.rows)
    for line in bench.left_out:
        print(f"left out: {line}")
    for line in bench.failed:
        print(f"FAILED: {line}")
    print("waited: share of a figure's time in which its threads had no core, because others used them")
    barred = [row for row in bench.rows if "holds" in row]
    print(f"{sum(row['holds'] for row in barred)} of {len(barred)} bars hold")
    wrong = any(row.get("note", "").startswith("WRONG") for row in bench.rows)
    return 1 if bench.failed or wrong else 0


if __name__ == "__main__":
    sys.exit(main())
