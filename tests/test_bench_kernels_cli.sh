#!/bin/bash
# SPDX-License-Identifier: MIT
#
# The command line of //bench:kernels: that it has a row for everything in the tables, what it
# refuses and how it says so, and what an interrupt leaves. Argument: the program, if it is not
# Bazel's. Times are not judged.
set -u

bench=${1:-bench/kernels}
. "${BASH_SOURCE[0]%/*}/bench_cli.bash"

# names HEADING: the names that --list has below it, but for those that can not be chosen here
names() {
    sed -n "/^$1\$/,/^\$/p" list.txt | grep '^  ' | grep -v 'not available' | awk '{ print $1 }'
}

# ---- what is refused, with what is valid

run --types distanse
expect "unknown type" 2 err.txt "did you mean 'distance'" "tet_volume" "shape_match"
run --isas=avx9
expect "unknown ISA" 2 err.txt "'avx9'" "scalar"
run --layouts aos5
expect "unknown layout" 2 err.txt "did you mean 'aos4'" "soa"
run --variants odd
expect "unknown variant" 2 err.txt "'odd'" "plain" "damped"
run --sizes 5
expect "unknown option" 2 err.txt "did you mean '--size'" "--types"
run --scenes cloth-8
expect "option of the main job" 2 err.txt "'--scenes'"
run --types
expect "missing value" 2 err.txt "--types needs a value"
run --quick=yes
expect "value that is not wanted" 2 err.txt "--quick takes no value"
for option in --size --repeats; do
    for number in 0 -5 x 99999999999999999999; do
        run $option $number
        expect "$option $number" 2 err.txt "$option: '$number'"
    done
done
printf '' >file
run --types distance --size 10 --out file/below
expect "folder that can not be" 2 err.txt "no results can be written"
[[ -s out.txt ]] && fail "folder that can not be: nothing may be measured"

# ---- lists

run --help
expect "--help" 0 out.txt --types --quick "Ctrl-C"
run --list
expect "--list" 0 out.txt distance tet_stvk aos4 soa scalar plain damped
cp out.txt list.txt
types=$(names "constraint types") layouts=$(names layouts) isas=$(names ISAs)
n_types=$(wc -w <<<"$types")
n_rows=$((n_types * $(wc -w <<<"$layouts") * $(wc -w <<<"$isas")))
[[ $n_types -ge 10 ]] || fail "--list: $n_types types"

# ---- all rows of the tables

# check_json FILE COMPLETE ROWS REPETITIONS: strictly valid, and everything in it that has to be
check_json() {
    if [[ -z $python ]]; then
        echo "skipped: no python3 to read $1"
        return
    fi
    "$python" - "$@" >json.txt 2>&1 <<'END'
import json, re, sys

def refuse(word):
    raise ValueError("not JSON: " + word)

with open(sys.argv[1]) as f:
    data = json.load(f, parse_constant=refuse)
context = data["context"]
for key in ("cpu_model", "compiler", "compile_flags", "source_revision", "load_average_begin",
            "libxpbd_build_type", "command_line", "mode", "size"):
    assert context.get(key) is not None, key
assert context["command_line"].startswith("//bench:kernels"), context["command_line"]
assert context["complete"] == sys.argv[2], context["complete"]
for key in ("host_name", "executable"):
    assert key not in context, key
hashes, repetitions, least = {}, {}, {}
for row in data["benchmarks"]:
    name = row["name"]
    match = re.fullmatch(r"kernel/([^/]+)/[^/]+/[^/]+(/damped|/stiff|/first)?", name)
    assert match, name
    hashes.setdefault(match.groups(), set()).add(row["label"])
    assert re.fullmatch(r"[0-9a-f]{16}", row["label"]), row["label"]
    assert row["time_unit"] == "ns" and row["real_time"] > 0 and row["threads"] == 1
    rate = row["elements"] / (1e-9 * row["real_time"])
    assert abs(row["items_per_second"] / rate - 1) < 0.01, "rate is not work / real time"
    assert row["ns_per_constraint_min"] <= row["ns_per_constraint_median"]
    least[name] = row["ns_per_constraint_min"]
    repetitions.setdefault(name, []).append(row)
for name, rows in repetitions.items():
    assert [row["repetition_index"] for row in rows] == list(range(len(rows))), name
    if len(sys.argv) > 4:
        assert len(rows) == int(sys.argv[4]), name
    part = name.split("/")
    scalar = least.get("/".join(part[:3] + ["scalar"] + part[4:]))
    for row in rows:
        if scalar:
            assert abs(row["speedup_over_scalar"] * least[name] / scalar - 1) < 1e-6, name
        else:
            assert "speedup_over_scalar" not in row, name
for key, values in hashes.items():
    assert len(values) == 1, key
if len(sys.argv) > 3:
    assert len(repetitions) == int(sys.argv[3]), len(repetitions)
print(len(repetitions), "kernels")
END
    local status=$?
    if [[ $status -ne 0 ]]; then
        cat json.txt
        fail "$1 is not what it should be"
    else
        echo "ok: $1 has $(cat json.txt)"
    fi
}

run --size 300 --repeats 1 --out everything
expect "all types" 0 out.txt "hashes of each type are equal .*\($n_rows rows\)" "plain, aos4" \
    "Results: everything/"
for type in $types; do
    grep -q "^$type: .* constraints" out.txt || fail "all types: no table of $type"
done
check_json "$(ls everything/*.json)" true $n_rows 1

run --size=1 --types=attach,mesh_volume,attach --layouts=soa --isas=scalar --repeats=3 \
    --variants=plain,damped,stiff,first --out=some/folder
expect "all variants" 0 out.txt "^attach: " "^mesh_volume: 1 constraints of 2,048 elements" \
    "damped, soa"
[[ $(grep -c "^attach: " out.txt) -eq 1 ]] || fail "a type that is named twice runs once"
[[ $(ls -A some/folder | wc -l) -eq 1 ]] || fail "one file and no temporary one expected"
check_json "$(ls some/folder/*.json)" true 8 3

isa=$(head -n 2 <<<"$isas" | tail -n 1)
run --size 50 --types rope --layouts aos4 --isas "$isa" --quick --out alone
expect "without scalar" 0 out.txt "^rope: "
[[ $isa == scalar ]] || check_json "$(ls alone/*.json)" true 1 15

# ---- an interrupt keeps what was measured

"$bench" --types distance,rope --size 300 --repeats 10000 --out partial >out.txt 2>err.txt &
pid=$!
for _ in $(seq 100); do
    grep -q "type 1 of 2" err.txt && break
    sleep 0.1
done
sleep 1
kill -INT $pid
wait $pid
code=$?
expect "interrupt" 130 out.txt "Incomplete: 0 of 2 types" "Results: partial/"
check_json "$(ls partial/*.json)" false

echo "$failed checks failed"
[[ $failed -eq 0 ]]
