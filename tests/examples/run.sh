#!/bin/sh
# The examples end to end: compiles both models with rlxc, runs them through librlx, and compares the generated text exactly.
# With an OpenCL driver both models also run with all their tensors on its first device; programs that it built are kept in $RLX_BUILD/cache.
# Prints "N passed, N failed" last. Needs RLX_BUILD (default build) with rlxc, the hosts (EXAMPLES of the Makefile), model_tests, bare_test, fake_cblas.so and the plugins tally_*.so.
set -u
build="${RLX_BUILD:-build}"
. tests/support/check.sh
for name in digits chargpt; do
    "$build/rlxc" "examples/$name/$name.py" --params "examples/$name/$name.safetensors" -o "$work/$name.rlx"
    check "compile $name" $?
    "$build/rlx" verify "$work/$name.rlx" >/dev/null
    check "verify $name" $?
done
count() { # program, arguments: adds what it counts
    "$@" >"$work/counted.txt"
    cat "$work/counted.txt"
    set -- $(tail -n 1 "$work/counted.txt")
    passed=$((passed + ${1:-0}))
    failed=$((failed + ${3:-1}))
}
models() { # arguments of model_tests
    count "$build/model_tests" "$@"
}
models "$work/digits.rlx" "$work/chargpt.rlx"
if "$build/rlx" devices | grep -q '^opencl:0 '; then
    for name in digits chargpt; do
        "$build/rlxc" "examples/$name/$name.py" --params "examples/$name/$name.safetensors" --default-device opencl:0 --explain \
            -o "$work/$name.opencl.rlx" >"$work/explained.txt"
        check "compile $name for opencl:0" $?
        ! grep 'on the CPU, with copies' "$work/explained.txt"
        check "$name wholly on opencl:0" $?
    done
    export XDG_CACHE_HOME="$(cd "$build" && pwd)/cache"
    mkdir -p "$XDG_CACHE_HOME"
    models "$work/digits.opencl.rlx" "$work/chargpt.opencl.rlx" opencl:0
else
    echo "skipped: OpenCL driver"
fi
"$build/generate" "$work/chargpt.rlx" examples/chargpt/vocabulary.json "This program is " 100 >"$work/text.txt" 2>/dev/null
cmp "$work/text.txt" examples/chargpt/greedy_continuation.txt
check "greedy continuation" $?
count tests/bare/run.sh
strip -o "$work/bare_test" "$build/bare_test"
[ "$(wc -c <"$work/bare_test")" -lt 240000 ]
check "the bare runtime is small" $?
"$build/library" >"$work/library.txt"
cmp "$work/library.txt" examples/library/expected.txt
check "the compiler as a library" $?
"$build/device" >"$work/device.txt"
cmp "$work/device.txt" examples/device/expected.txt
check "a device of the host program" $?
"$build/rlxc" examples/pools/mlp.py -o "$work/mlp.rlx"
check "compile for a pool" $?
"$build/pools" "$work/mlp.rlx" >"$work/pools.txt"
cmp "$work/pools.txt" examples/pools/expected.txt
check "a pool of the host program" $?
"$build/rlxc" examples/digits/digits.py --params examples/digits/digits.safetensors --lift-params -o "$work/lifted.rlx"
check "compile without weights" $?
"$build/tuned" "$work/lifted.rlx" examples/digits/digits.safetensors examples/digits/test_images.npy examples/digits/test_labels.npy \
    "$work/tuned.safetensors" >"$work/tuned.txt"
cmp "$work/tuned.txt" examples/tuned/expected.txt
check "tuned weights" $?
for codegen in "" "--codegen cblas"; do
    # shellcheck disable=SC2086
    "$build/rlxc" examples/blas/products.py $codegen -o "$work/products.rlx"
    check "compile products $codegen" $?
    RLX_CBLAS_LIBRARY="$build/fake_cblas.so" "$build/blas" "$work/products.rlx" >"$work/products.txt"
    cmp "$work/products.txt" examples/blas/expected.txt
    check "products $codegen" $?
done
RLX_CBLAS_LIBRARY=/nonexistent.so "$build/blas" "$work/products.rlx" 2>&1 | grep -q "there is no BLAS"
check "a machine without a BLAS is told so" $?
"$build/rlxc" examples/plugin/model.py --plugin "$build/tally_compiler.so" -o "$work/tally.rlx"
check "compile for the tally" $?
"$build/rlxc" examples/plugin/model.py -o "$work/without.rlx"
for n in 0 1 50; do
    "$build/rlx" run "$work/tally.rlx" --plugin "$build/tally_runtime.so" --random --dim n=$n >"$work/tally.txt"
    check "the tally runs n=$n" $?
    "$build/rlx" run "$work/without.rlx" --random --dim n=$n | cmp - "$work/tally.txt"
    check "the tally computes n=$n" $?
done
"$build/rlx" run "$work/tally.rlx" --random --dim n=1 2>&1 | grep -q "the section 'tally' of the file is not loaded"
check "a section without its plugin is an error" $?
echo "$passed passed, $failed failed"
[ $failed = 0 ]
