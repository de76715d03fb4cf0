#!/bin/sh
# What `make demo` shows: compile the character GPT, continue a prompt, time the same executable at several lengths.
set -eu
build="${BUILD:-build}"
here=examples/chargpt
model="$build/chargpt.rlx"
echo "\$ rlxc $here/chargpt.py --params $here/chargpt.safetensors -o $model"
"$build/rlxc" "$here/chargpt.py" --params "$here/chargpt.safetensors" -o "$model"
echo "\$ generate $model $here/vocabulary.json 'This program is ' 100"
"$build/generate" "$model" "$here/vocabulary.json" "This program is " 100
for n in 1 16 64 128; do
    echo "\$ rlx time $model --dim b=1 --dim n=$n --repeat 10 --min-repeat-ms 50"
    "$build/rlx" time "$model" --dim b=1 --dim "n=$n" --repeat 10 --min-repeat-ms 50
done
