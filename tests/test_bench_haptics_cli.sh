#!/bin/bash
# SPDX-License-Identifier: MIT
#
# The command line of //bench:haptics: what it refuses and how it says so, that it prints figures,
# and what an interrupt leaves. Argument: the program, if it is not Bazel's. Times are not judged.
set -u

bench=${1:-bench/haptics}
. "${BASH_SOURCE[0]%/*}/bench_cli.bash"

run --scene clth-8
expect "unknown scene" 2 err.txt "--scene: .*clth-8" "cloth-N"
run --scenes cloth-8
expect "unknown option" 2 err.txt "did you mean '--scene'"
for option in --seconds --rate --substeps --iterations --threads; do
    for number in 0 -5 x 99999999999999999999; do
        run $option $number
        expect "$option $number" 2 err.txt "$option: '$number'"
    done
done
run --help
expect "--help" 0 out.txt --rate --scene "Ctrl-C"

number=' +[0-9]+\.[0-9]'
run --scene cloth-8 --seconds 1 --rate 200
expect "cloth" 0 out.txt "cloth-8: 64 particles" "200 ticks at 200 Hz" "p50 +p99 +p99\.9 +max" \
    "tick until force$number$number$number$number" "step and reading alone$number"
grep -Eq "largest force 0 N" out.txt && fail "cloth: no force was felt"

"$bench" --scene cloth-8 --seconds 3000 >out.txt 2>err.txt &
sleep 0.3
kill -INT $!
wait $!
code=$?
expect "interrupt" 130 out.txt "ticks at 1000 Hz" "tick until force"

[[ $failed -eq 0 ]]
