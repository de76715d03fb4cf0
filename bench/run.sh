#!/bin/sh
# Compiles what the figures need, then prints them with the machine's description.
set -eu
build="${BUILD:-build}"
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
# 1 000 chained calls of a PrimFunc that fusion must leave alone (op_pattern 8: opaque), and of a builtin.
awk 'BEGIN {
    print "@I.ir_module\nclass Module:"
    print "    @T.prim_func(private=True)"
    print "    def step(x: T.Buffer((T.int64(16),), \"float32\"), y: T.Buffer((T.int64(16),), \"float32\")):"
    print "        T.func_attr({\"op_pattern\": 8, \"tir.noalias\": T.bool(True)})"
    print "        for i in range(T.int64(16)):"
    print "            with T.block(\"step\"):"
    print "                vi = T.axis.spatial(T.int64(16), i)"
    print "                y[vi] = x[vi] + T.float32(1)"
    print "    @R.function"
    print "    def kernels(x0: R.Tensor((16,), \"float32\")) -> R.Tensor((16,), \"float32\"):"
    print "        cls = Module"
    for (i = 0; i < 1000; i++)
        printf "        x%d = R.call_tir(cls.step, (x%d,), out_sinfo=R.Tensor((16,), \"float32\"))\n", i + 1, i
    print "        return x1000"
    print "    @R.function(pure=False)"
    print "    def builtins(x0: R.Tensor((16,), \"float32\")) -> R.Tensor((16,), \"float32\"):"
    for (i = 0; i < 1000; i++)
        printf "        x%d = R.call_packed(\"vm.builtin.copy\", x%d, sinfo_args=(R.Tensor((16,), \"float32\"),))\n", i + 1, i
    print "        return x1000"
}' >"$work/dispatch.py"
grep -m1 'model name' /proc/cpuinfo | sed 's/.*: /machine: /'
"$build/rlxc" "$work/dispatch.py" -O3 -o "$work/dispatch.rlx"
"$build/rlxc" bench/matmul.py -O3 -o "$work/matmul.rlx"
start=$(date +%s%N)
"$build/rlxc" examples/chargpt/chargpt.py --params examples/chargpt/chargpt.safetensors -O3 -o "$work/chargpt.rlx"
end=$(date +%s%N)
"$build/bench_runtime" "$work/dispatch.rlx" "$work/matmul.rlx" "$work/chargpt.rlx"
echo "compile: $(((end - start) / 1000000)) ms for chargpt at -O3 (bar: 5000)"
cp "$build/librlx.so" "$work/librlx.so"
strip "$work/librlx.so"
echo "size: $(($(wc -c <"$work/librlx.so") / 1024)) KiB, librlx.so stripped (bar: 400)"
