#!/bin/sh
# Models as C (rlxc --emit=c): compiles digits and chargpt with gcc, clang and tcc, warnings as errors, and compares their numbers with
# those of their executables; runs the example on this machine and, under qemu, on a Cortex-M3 without an operating system.
# Prints "N passed, N failed" last. Needs RLX_BUILD (default build) with rlxc and rlx, and the packages of `make deps-ci`.
set -u
build="${RLX_BUILD:-build}"
. tests/support/check.sh
clang=$(command -v clang-19 || echo clang)
warnings="-std=c99 -Wall -Wextra -Wpedantic -Wshadow -Wconversion -Werror"
files="examples/digits/test_images.npy $work/probabilities.npy"
for name in digits chargpt; do
    "$build/rlxc" "examples/$name/$name.py" --params "examples/$name/$name.safetensors" -o "$work/$name.rlx" &&
        "$build/rlxc" "examples/$name/$name.py" --params "examples/$name/$name.safetensors" --emit=c -o "$work/$name.c"
    check "compile $name" $?
done
"$build/rlx" run "$work/digits.rlx" --input examples/digits/test_images.npy -o "$work/probabilities.npy" >/dev/null
check "run digits.rlx" $?
for size in one short mid long; do
    "$build/rlx" run "$work/chargpt.rlx" --input "examples/chargpt/${size}_tokens.npy" -o "$work/$size.npy" >/dev/null
    check "run chargpt.rlx, $size" $?
    files="$files examples/chargpt/${size}_tokens.npy $work/$size.npy"
done
for name in order data; do
    "$build/rlxc" "tests/c/$name.py" --emit=c -o "$work/$name.c"
    check "compile $name" $?
done
for cc in "gcc -O1 $warnings" "$clang -O1 $warnings" "tcc -Wall -Werror"; do
    for name in order data; do
        # shellcheck disable=SC2086
        $cc -I"$work" "tests/c/$name.c" "$work/$name.c" -lm -o "$work/$name" && "$work/$name"
        check "$name by $cc" $?
    done
    # shellcheck disable=SC2086
    $cc -I"$work" tests/c/models.c "$work/digits.c" "$work/chargpt.c" -lm -o "$work/models"
    check "$cc" $?
    # shellcheck disable=SC2086
    "$work/models" $files >"$work/models.txt"
    check "numbers of $cc" $?
    grep FAIL "$work/models.txt"
done
"$build/rlxc" examples/chargpt/chargpt.py --params examples/chargpt/chargpt.safetensors --weights-apart --emit=c -o "$work/chargpt.c"
check "chargpt with weights in a file" $?
here=$(pwd)
# shellcheck disable=SC2086
gcc -O1 $warnings -I"$work" tests/c/models.c "$work/digits.c" "$work/chargpt.c" -lm -o "$work/models" &&
    (cd "$work" && for name in one short mid long; do set -- "$@" "$here/examples/chargpt/${name}_tokens.npy" "$name.npy"; done &&
        ./models "$here/examples/digits/test_images.npy" probabilities.npy "$@") >"$work/models.txt"
check "numbers of chargpt with weights in a file" $?
grep FAIL "$work/models.txt"
"$build/rlxc" examples/digits/digits.py --params examples/digits/digits.safetensors --bound n=1:8 --emit=c -o "$work/digits.c"
check "digits of at most 8 images" $?
"$build/rlxc" examples/digits/digits.py --params examples/digits/digits.safetensors --bound n=0:8 --pool name=sram,size=16K --pool name=dram \
    --pool name=flash,size=40K,kind=constants --pool name=rom,kind=constants --emit=c -o "$work/pooled.c"
check "digits in memory pools" $?
"$build/rlxc" examples/digits/digits.py --params examples/digits/digits.safetensors --bound n=0:8 --pool name=flash,size=40K,kind=constants \
    --emit=c -o "$work/small.c" 2>"$work/small.txt"
[ $? = 1 ] && grep -q "memory pool 'flash' has 40960 bytes, the constants for it need" "$work/small.txt"
check "constants that do not fit in their pool" $?
# shellcheck disable=SC2086
gcc -O1 $warnings -D'POOLED_CONSTANTS_FLASH=__attribute__((section(".flash")))' -I"$work" tests/c/pools.c "$work/digits.c" "$work/pooled.c" -lm -o "$work/pools" && "$work/pools"
check "numbers of digits in memory pools" $?
objdump -h "$work/pools" | grep -q ' \.flash '
check "constants in the section of their pool" $?
# shellcheck disable=SC2086
gcc -O1 $warnings -I"$work" examples/c/classify.c "$work/digits.c" -lm -o "$work/classify" &&
    "$work/classify" >"$work/classified.txt" && cmp "$work/classified.txt" examples/c/expected.txt
check "example" $?
# shellcheck disable=SC2086
arm-none-eabi-gcc -O2 -mcpu=cortex-m3 -mthumb $warnings --specs=rdimon.specs -T examples/c/cortex_m3.ld -I"$work" \
    examples/c/classify.c examples/c/vectors.c "$work/digits.c" -lm -o "$work/classify.elf"
check "example for a Cortex-M3" $?
timeout 60 qemu-system-arm -M mps2-an385 -nographic -semihosting-config enable=on,target=native -kernel "$work/classify.elf" \
    </dev/null >"$work/arm.txt" && cmp "$work/arm.txt" examples/c/expected.txt
check "example on a Cortex-M3" $?
echo "$passed passed, $failed failed"
[ $failed = 0 ]
