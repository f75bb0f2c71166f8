#!/bin/bash
# SPDX-License-Identifier: MIT
#
# The command lines of //bench:report, //bench:compare and //bench:roof: what they take, refuse and
# answer. Times are not judged.
set -u

bench=${1:-bench/report/report}
compare=${2:-bench/report/compare}
roof=${3:-bench/roof/roof}
[[ $compare == /* ]] || compare=$PWD/$compare
[[ $roof == /* ]] || roof=$PWD/$roof
report=$bench
. "${BASH_SOURCE[0]%/*}/bench_cli.bash"
report=$bench

# result FACTOR HASH: a result file of one row, nine samples of about 1000 ns times the factor
result() {
    local i comma=""
    echo '{"context": {"libxpbd_version": "0.1.0", "cpu_model": "cpu"}, "benchmarks": ['
    for i in 0 1 2 3 4 5 6 7 8; do
        echo "$comma{\"name\": \"solve/cloth-8/slab-gs/aos4/avx2/threads:1\", \"real_time\": $((10 * $1 + i)),"
        echo "\"time_unit\": \"ns\", \"label\": \"$2\", \"constraints\": 100, \"iterations_per_substep\": 1, \"substeps\": 1}"
        comma=,
    done
    echo ']}'
}
result 100 aa >a.json
result 101 aa >b.json
result 130 aa >slow.json
result 70 aa >fast.json
result 130 bb >other.json
printf '' >empty.json

# ---- report

run
expect "no file" 2 err.txt "no result file is named" "usage"
run --oot x a.json
expect "typing error" 2 err.txt "did you mean '--out'"
run a.json --out page.html
expect "one file" 0 out.txt "Report: page.html"
grep -q "cloth-8" page.html || fail "one file: its scene is not in the page"
sed 's/"libxpbd_version"/"libxpbd_build_type": "debug", &/' a.json >debug.json
run debug.json --out debug.html
expect "B05 debug build" 0 out.txt "Report: debug.html"
grep -q "a debug build: its times say nothing" debug.html || fail "B05 debug build: the page does not say so"
grep -q "a debug build" page.html && fail "B05 debug build: said of another"
run a.json empty.json missing.json slow.json
expect "broken files among good ones" 1 err.txt "^bench: empty.json: is not JSON" "^bench: missing.json: " \
    "No such file"
[[ $(wc -l <err.txt) -eq 2 ]] || fail "one line per broken file expected"
[[ -s report.html ]] || fail "the good files are reported all the same"
run empty.json
expect "only broken files" 1 err.txt "no file can be reported"
run a.json --out /nowhere/at/all.html
expect "page that can not be written" 1 err.txt "could not be written to /nowhere/at/all.html"
run --help
expect "--help" 0 out.txt "--out" "Exit code"

# ---- compare

bench=$compare
run a.json
expect "one file to compare" 2 err.txt "two result files are needed"
run a.json b.json
expect "R07 no change" 0 out.txt "1 rows in common: 1 no change"
run a.json slow.json
expect "slower" 1 out.txt "SLOWER" "1\.29" "1 rows in common: 1 SLOWER"
run a.json fast.json
expect "faster" 0 out.txt "faster"
run a.json slow.json --least 40
expect "slower by less than asked for" 0 out.txt "1 no change"
run a.json slow.json --least x
expect "--least x" 2 err.txt "'x' is not a number"
run a.json other.json
expect "other computation" 2 err.txt "nothing in these two files"
run a.json empty.json
expect "broken file to compare" 2 err.txt "empty.json: is not JSON"
run --help
expect "compare --help" 0 out.txt "Exit code: 0 nothing is slower, 1"

# ---- roof

bench=$roof
run --quick --threads 1,2 --out limits
expect "limits" 0 out.txt "stored rec" "memory read" "barrier" "Results: limits/"
bench=$report
run limits/*.json
expect "report of limits" 0 out.txt "Report: report.html"
grep -q "roof/\|limits of" report.html || fail "report of limits: they are not in the page"

echo "$failed checks failed"
[[ $failed -eq 0 ]]
