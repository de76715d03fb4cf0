#!/usr/bin/env python3
"""Breaks the compiler on purpose, in one place at a time, and expects each mutant to be caught.

    run.py [--build FOLDER] [--jobs N] [--only TEXT] [--verbose]

A row of tests/mutants/table.py names a file, a piece of its text that occurs exactly once, its replacement, and the expected
outcome. The mutant is compiled alone and linked before the library with the original file; plan_check (check.c) then judges the
memory plans of the modules:

    plan       the plan verifier refuses a module
    bytecode   the loader's verifier does
    file       the check of the file's plans does (rlx_executable_verify_plans)
    compiler   another pass does
    other      nothing is refused, some plan differs; every module gives the same results
    results    an accepted module gives another result
    same       no plan differs

A row that expects "other" or "same" says why the mutant is harmless, a row that expects "results" why no proof can find it. Any
other outcome is a failure: a mutant caught elsewhere than expected, or a text that no longer occurs. Ends with "N passed, N
failed".
"""
import argparse
import concurrent.futures
import glob
import os
import select
import subprocess
import sys
import time

sys.dont_write_bytecode = True
here = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, here)
sys.path.insert(0, os.path.join(os.path.dirname(here), "support"))
import cases  # noqa: E402
import table  # noqa: E402

SILENCE = 120  # seconds without a verdict, after which a program hangs
RANDOM = ["random-%d" % seed for seed in range(1, 61)]


def is_template(path):
    """Whether the test repeats the module's text for several types."""
    with open(path) as file:
        return any(line.startswith("# each ") for line in file)


def modules(folder):
    """Modules that run, and others; cases of a file are written into the folder."""
    own = cases.written("tests/mutants/modules.py", folder)
    files = ["tests/passes/plan_memory.py", "tests/passes/insert_kill.py"] + glob.glob("tests/e2e/*.py")
    others = [case for path in sorted(files) if path != "tests/e2e/errors.py" for case in cases.written(path, folder)]
    return own + RANDOM, [path for path in others if not is_template(path)]


def run(command):
    """The lines that the command prints, and whether it ends well. One that prints nothing for long is ended."""
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL) as child:
        text = b""
        while select.select([child.stdout], [], [], SILENCE)[0]:
            more = os.read(child.stdout.fileno(), 65536)
            if not more:
                break
            text += more
        else:
            child.kill()
    return text.decode().splitlines(), child.returncode == 0


def check(program, mode, names):
    """plan_check's judgement of each module: name -> (verdict, detail). A crash counts for the module that
    has no verdict yet."""
    said, rest = {}, list(names)
    while rest:
        lines, ended_well = run([program, mode, "0"] + rest)
        for line in lines:
            name, verdict, detail = (line.split(" ", 2) + ["", ""])[:3]
            said[name] = (verdict, detail)
        rest = [name for name in rest if name not in said]
        if not ended_well and rest:
            said[rest.pop(0)] = ("refused", "crash: ")
        elif rest:
            sys.exit("mutants: %s says nothing of %s" % (program, rest[0]))
    return said


class Baseline:
    def __init__(self, build):
        self.runnable, others = modules(os.path.join(build, "mutants", "modules"))
        self.names = self.runnable + others
        self.plans = check(os.path.join(build, "plan_check"), "plans", self.names)
        self.results = check(os.path.join(build, "plan_check"), "results", self.runnable)
        for said, wanted in ((self.plans, "plan"), (self.results, "result")):
            for name, (verdict, detail) in said.items():
                if verdict != wanted:
                    sys.exit("mutants: without a mutant, %s %s %s" % (name, verdict, detail))


def program_of(build, number):
    return os.path.join(build, "mutants", str(number), "plan_check")


def build_mutants(build, rows, jobs):
    """Writes, compiles and links all mutants; returns number -> reason, for each that could not
    be built."""
    wrong = {}
    for number, row in rows:
        with open(row.file) as stream:
            source = stream.read()
        if source.count(row.text) != 1:
            wrong[number] = "the text occurs %d times in the file" % source.count(row.text)
            continue
        os.makedirs(os.path.dirname(program_of(build, number)), exist_ok=True)
        with open(os.path.join(os.path.dirname(program_of(build, number)), "mutant.c"), "w") as stream:
            stream.write(source.replace(row.text, row.put))
    programs = [program_of(build, number) for number, _ in rows if number not in wrong]
    for program in programs:
        if os.path.exists(program):
            os.remove(program)
    done = subprocess.run(["make", "-s", "-k", "-j%d" % jobs, "BUILD=" + build] + programs,
                          stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    for number, _ in rows:
        if number not in wrong and not os.path.exists(program_of(build, number)):
            wrong[number] = "it does not compile:\n" + done.stdout[-2000:]
    return wrong


def judge(base, program):
    """The outcome, and the evidence for it."""
    plans = check(program, "plans", base.names)
    refusals = {}
    for name, (verdict, detail) in plans.items():
        if verdict == "refused":
            refusals.setdefault(detail.split(":")[0], "%s: %s" % (name, detail))
    wrong = [name for name in base.runnable if plans[name][0] == "plan" and plans[name] != base.plans[name]]
    results = check(program, "results", wrong)
    for name in wrong:
        if results[name] != base.results[name]:
            return "results", "%s is accepted and gives another result: %s" % (name, " ".join(results[name]))
    for by in ("plan", "bytecode", "file", "compiler", "crash"):
        if by in refusals:
            return by, refusals[by]
    changed = [name for name in base.names if plans[name] != base.plans[name]]
    return ("other", "%d plans, of %s first" % (len(changed), changed[0])) if changed else ("same", "")


def try_row(base, build, number, wrong):
    if number in wrong:
        return "no mutant", wrong[number]
    outcome, why = judge(base, program_of(build, number))
    os.remove(program_of(build, number))
    return outcome, why


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--build", default="build")
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--only", default="", help="rows whose file or text contains this")
    parser.add_argument("--verbose", action="store_true")
    options = parser.parse_args()
    start = time.time()
    rows = [(i, row) for i, row in enumerate(table.ROWS) if options.only in row.file + row.text + row.put]
    base = Baseline(options.build)
    wrong = build_mutants(options.build, rows, options.jobs)
    passed = failed = 0
    counts = {}
    with concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
        jobs = [(row, pool.submit(try_row, base, options.build, i, wrong)) for i, row in rows]
        for row, job in jobs:
            outcome, why = job.result()
            fine = outcome == row.expect and (outcome not in ("other", "same", "results") or row.why != "")
            passed, failed = passed + fine, failed + (not fine)
            counts[outcome] = counts.get(outcome, 0) + 1
            if not fine or options.verbose:
                print("%s %s: %r -> %r\n    %s, expected %s. %s" % ("ok" if fine else "FAIL", row.file, row.text, row.put,
                                                                    outcome, row.expect, why))
    print("mutants: %s; %d s" % (", ".join("%d %s" % (n, outcome) for outcome, n in sorted(counts.items())),
                                 time.time() - start))
    print("%d passed, %d failed" % (passed, failed))
    return failed != 0


if __name__ == "__main__":
    sys.exit(main())
