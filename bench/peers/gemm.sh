#!/bin/sh
# Compiles the products of the table and measures them beside the peers: gemm.sh [rlxc options]
set -eu
build="${BUILD:-build}"
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
for shape in 768_768 768_3072 784_256 3072_768 512_512 1024_1024; do
    k=${shape%_*} n=${shape#*_}
    "$build/peers_gemm" weights "$k" "$n" "$work/w.safetensors"
    cat >"$work/$shape.py" <<END
from tvm.script import ir as I
from tvm.script import relax as R
from tvm.script import tir as T


@I.ir_module
class Module:
    @R.function
    def main(x: R.Tensor(("m", $k), "float32"), w: R.Tensor(($k, $n), "float32")):
        m = T.int64()
        y: R.Tensor((m, $n), "float32") = R.matmul(x, w)
        return y
END
    "$build/rlxc" "$work/$shape.py" --params "$work/w.safetensors" -O3 "$@" -o "$work/$shape.rlx"
done
for threads in ${THREADS:-1 2}; do
    "$build/peers_gemm" measure "$work" "$threads"
done
