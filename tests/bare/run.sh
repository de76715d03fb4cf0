#!/bin/sh
# The bare runtime (docs/bare.md) with both trained models, chargpt with a static memory plan, and a kernel that calls libm.
# Prints "N passed, N failed" last. Needs RLX_BUILD (default build) with rlxc and bare_test.
set -u
build="${RLX_BUILD:-build}"
passed=0
failed=0
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
compile() { # name of the file to write, model, options
    to="$work/$1.rlx"
    shift
    "$build/rlxc" "$@" --no-compression -o "$to" || failed=$((failed + 1))
}
run() { # arguments of bare_test
    "$build/bare_test" "$@" >"$work/out.txt"
    status=$?
    grep -v ' passed, ' "$work/out.txt"
    set -- $(grep ' passed, ' "$work/out.txt")
    passed=$((passed + ${1:-0}))
    failed=$((failed + ${3:-1}))
    [ $status = 0 ] || [ "${3:-0}" != 0 ] || failed=$((failed + 1))
}
digits=examples/digits
chargpt=examples/chargpt
compile digits $digits/digits.py --params $digits/digits.safetensors
compile chargpt $chargpt/chargpt.py --params $chargpt/chargpt.safetensors --bound b=1:1 --bound n=1:128 --pass static_plan
compile tan tests/bare/tan.py
run "$work/digits.rlx" 10 $digits/test_images.npy $digits/expected_probabilities.npy
arrays=$(for name in one short mid long; do echo $chargpt/${name}_tokens.npy $chargpt/${name}_logits.npy; done)
# shellcheck disable=SC2086
run "$work/chargpt.rlx" 100 $arrays
run "$work/tan.rlx" tan
echo "$passed passed, $failed failed"
[ $failed = 0 ]
