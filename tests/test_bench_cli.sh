#!/bin/bash
# SPDX-License-Identifier: MIT
#
# The command line of //bench:all: what it refuses and how it says so, what the result file is, and
# what an interrupt leaves. Argument: the program, if it is not Bazel's. Times are not judged.
set -u

bench=${1:-bench/all}
. "${BASH_SOURCE[0]%/*}/bench_cli.bash"

# ---- names and numbers that are refused, with what is valid

run --scenes nosuch
expect "unknown scene" 2 err.txt "nosuch" "cloth" "tetblock" "rope"
run --scenes cloth-0
expect "scene size out of range" 2 err.txt "cloth"
run --schedulers colored
expect "unknown scheduler" 2 err.txt "'colored'" "serial-gs" "colored-gs" "jacobi"
run --isas=avx9
expect "unknown ISA" 2 err.txt "'avx9'" "scalar"
run --layouts aos5
expect "unknown layout" 2 err.txt "did you mean 'aos4'" "soa"
run --pinning tight
expect "unknown pinning" 2 err.txt "compact" "scatter"
run --ordering rmc
expect "unknown ordering" 2 err.txt "did you mean 'rcm'" "natural"
run --sheduler jacobi
expect "unknown option" 2 err.txt "'--sheduler'" "--schedulers"
run --threads
expect "missing value" 2 err.txt "--threads needs a value"
run --quick=yes
expect "value that is not wanted" 2 err.txt "--quick takes no value"
for number in 0 -1 abc 1e9 257 100000 1,,2 ""; do
    run --threads "$number"
    expect "P12 threads '$number'" 2 err.txt "--threads: "
done
for option in --iterations --substeps --repeats; do
    for number in 0 -5 x 99999999999999999999; do
        run $option $number
        expect "$option $number" 2 err.txt "$option: '$number'"
    done
done

# ---- meshes that are refused: one line that says where, and nothing measured

printf '' >empty.obj
printf 'v 0 0 0\nv 1 0 0\nv 0 1' >truncated.obj
printf 'v 0 0 0\nv 1 nan 0\nv 0 1 0\nf 1 2 3\n' >nan.obj
printf 'v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 9\n' >range.obj
printf 'v 0 0 0\nv 1 0 0\n' >noedge.obj
refused() {
    run --mesh "$1" --out refused
    expect "mesh $1" 2 err.txt "^$2"
    if [[ $(wc -l <err.txt) -ne 1 || -s out.txt || -e refused ]]; then
        fail "mesh $1: one line and nothing else expected"
    fi
}
refused missing.obj "missing\.obj: "
refused empty.obj "empty\.obj(:[0-9]+)?: "
refused truncated.obj "truncated\.obj:3: "
refused nan.obj "nan\.obj:2: "
refused range.obj "range\.obj:4: "
refused noedge.obj "noedge\.obj(:[0-9]+)?: "
refused mesh.xyz "mesh\.xyz: "

printf 'v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n' >faces.obj
run --mesh faces.obj --volumes
expect "--volumes of faces" 2 err.txt "no --mesh has tetrahedra"
run --volumes
expect "--volumes without a mesh" 2 err.txt "no --mesh has tetrahedra"

# ---- a folder that can not be written is found before anything is measured

printf '' >file
run --scenes cloth-8 --out file/below
expect "folder that can not be" 2 err.txt "no results can be written"
[[ -s out.txt ]] && fail "folder that can not be: nothing may be measured"

# ---- lists

run --list
expect "--list" 0 out.txt cloth tetblock rope drape softbody jelly balloon weight beam serial-gs colored-gs jacobi aos4 soa scalar \
    natural none compact distance attach
run --help
expect "--help" 0 out.txt --mesh --quick "Ctrl-C"

# ---- result files

compare=/usr/share/benchmark/compare.py

# check_json FILE COMPLETE: strictly valid (R06), with rates of real time (R04), and everything in it
# that has to be. What is said to people is in no file (T13).
check_json() {
    if [[ -z $python ]]; then
        echo "skipped: no python3 to read $1"
        return
    fi
    "$python" - "$1" "$2" >json.txt 2>&1 <<'END'
import json, re, sys

def refuse(word):
    raise ValueError("not JSON: " + word)

with open(sys.argv[1]) as f:
    data = json.load(f, parse_constant=refuse)
context = data["context"]
for key in ("cpu_model", "topology_xml", "allowed_cpus", "pinning", "pinning_effect", "compiler",
            "compile_flags", "source_revision", "load_average_begin", "libxpbd_build_type",
            "libxpbd_version", "host_kind", "command_line", "began_utc", "orderings", "plans",
            "study"):
    assert context.get(key) is not None, key
assert context["complete"] == sys.argv[2], context["complete"]
for key in ("host_name", "executable"):
    assert key not in context, key
assert data["benchmarks"], "no rows"
has_roof = any(row["name"].startswith("roof/") for row in data["benchmarks"])
repetitions = {}
for row in data["benchmarks"]:
    name = row["name"]
    if re.fullmatch(r"(roof/\w+/\w+/threads:\d+|converge/[^/]+/[^/]+/iterations:\d+)", name):
        assert row["real_time"] > 0, name
        continue
    assert re.fullmatch(r"solve/[^/]+/[^/]+/[^/]+/[^/]+/threads:\d+", name), name
    assert re.fullmatch(r"[0-9a-f]{16}", row["label"]), row["label"]
    assert row["time_unit"] == "ns" and row["real_time"] > 0
    assert int(name.rsplit(":", 1)[1]) == row["threads"]
    for key in ("ns_per_constraint_min", "ns_per_constraint_median", "constraints", "particles",
                "residual_rms", "substeps", "iterations_per_substep", "lines_per_constraint"):
        assert key in row, key
    assert ("roof_percent" in row) == has_roof, "the limits' part in rows"
    work = row["constraints"] * row["iterations_per_substep"] * row["substeps"]
    rate = work / (1e-9 * row["real_time"])
    assert abs(row["items_per_second"] / rate - 1) < 0.01, "rate is not work / real time"
    assert row["ns_per_constraint_min"] <= row["ns_per_constraint"] * (1 + 1e-9)
    repetitions.setdefault(name, []).append(row["repetition_index"])
for name, indices in repetitions.items():
    assert indices == list(range(len(indices))), name
print(len(repetitions), "configurations")
END
    local status=$?
    if [[ $status -ne 0 ]]; then
        cat json.txt
        fail "$1 is not what it should be"
    else
        echo "ok: $1 has $(cat json.txt)"
    fi
}

printf 'v 0 0 0\nv 1 0 0\nv 0 1 0\nv 1 1 0\nf 1 2 4 3\n' >'odd "name" '$'\x01\xff''.obj'
run --quick --scenes cloth-8,cloth-8 --mesh 'odd "name" '$'\x01\xff''.obj' \
    --schedulers serial-gs,colored-gs --threads 1,2 --repeats 3 --out new/folder
expect "tiny run" 0 out.txt "cloth-8: 64 particles" "serial-gs" "colored-gs" "hashes are equal" \
    "Results: new/folder/" "Report: new/folder/report.html" "memory read"
[[ $(grep -c "^cloth-8:" out.txt) -eq 1 ]] || fail "a scene that is named twice runs once"
[[ $(ls -A new/folder | wc -l) -eq 2 ]] || fail "two files and no temporary one expected"
grep -q "<b>.*-gs</b>" new/folder/report.html || fail "the page has no winner"
first=$(ls new/folder/*.json)
check_json "$first" true

printf '5 3 0 0\n1 0 0 0\n2 1 0 0\n3 0 1 0\n4 0 0 1\n5 1 1 1\n' >tets.node
printf '2 4 0\n1 1 2 3 4\n2 2 3 4 5\n' >tets.ele
run --quick --mesh tets.node --mesh 'odd "name" '$'\x01\xff''.obj' --volumes \
    --scenes drape-5,softbody-3,balloon-4-scrambled --threads 1,2 --repeats 1 --no-roof --no-report --out kinds
expect "all kinds of constraints" 0 out.txt "^tets: 5 particles, 9 constraints" \
    "^tets-volumes: 5 particles, 11 constraints" "^drape-5: .* 96 constraints" \
    "^softbody-3: .* 48 constraints" "^balloon-4-scrambled: .* 80 constraints" "hashes are equal"
grep -aq '^odd "name".*-volumes' out.txt && fail "a mesh of faces has no volumes"
check_json "$(ls kinds/*.json)" true

run --scenes=cloth-8 --schedulers=colored-gs --isas=scalar --layouts=aos4 --threads=1,1 \
    --repeats=9 --iterations=3 --substeps=2 --pinning=none --no-roof --out=second
expect "a single row" 0 out.txt "2 substeps of 3 iterations"
second=$(ls second/*.json)
check_json "$second" true
if [[ -n $python ]]; then
    rows=$(grep -c '"name": "solve/' "$second")
    [[ $rows -eq 9 ]] || fail "a single row: 9 repetitions expected, $rows found"
fi

if [[ -e $compare ]] && /usr/bin/python3 -c "import scipy" 2>/dev/null; then
    /usr/bin/python3 "$compare" benchmarks "$second" "$second" >out.txt 2>err.txt
    code=$?
    expect "compare.py" 0 out.txt "solve/cloth-8/colored-gs/aos4/scalar/threads:1" \
        "U Test, Repetitions: 9 vs 9"
else
    echo "skipped: compare.py (apt-get install libbenchmark-tools python3-scipy)"
fi

run --scenes=cloth-8 --schedulers=slab-gs --isas=scalar --layouts=aos4 --threads=1 --repeats=1 --ordering rcm \
    --no-roof --out=ordered
expect "an ordering" 0 out.txt "slab-gs .* rcm order"

# ---- studies

run --study stong
expect "unknown study" 2 err.txt "did you mean 'strong'" "schedulers"
run --synthetic "pack:2 numa:2 core:8 pu:2" --study strong
expect "plan for two packages" 0 out.txt "64 processors; nothing is measured" "8 .*cores of a memory node" \
    "32 .*all cores" "64 .*all that may be used"
run --synthetic "pack:1 core:4 pu:1" --study weak --scenes cloth-16 --pinning scatter
expect "scenes that grow" 0 out.txt "scenes: cloth-16, cloth-2[23], cloth-3[12]" "bound by scatter"
run --synthetic nonsense
expect "no topology" 2 err.txt "'nonsense' is no topology" "pack:2"
run --quick --study schedulers --scenes cloth-8 --schedulers slab-gs,jacobi --repeats 1 --no-roof --out study
expect "study of schedulers" 0 out.txt "hashes are equal"
grep -q "converge/cloth-8/jacobi/iterations:64" study/*.json || fail "residuals over iterations expected"
check_json "$(ls study/*.json)" true
run --quick --study pinning --scenes cloth-8 --schedulers slab-gs --isas scalar --repeats 1 --no-roof --out pinned
expect "study of pinning" 0 out.txt "compact$" "scatter$" "none$"
grep -q "threads:1/pinning:scatter" pinned/*.json || fail "rows with their pinning expected"

# ---- an interrupt keeps what was measured

"$bench" --scenes cloth-8,cloth-16 --schedulers colored-gs --isas scalar --layouts aos4 \
    --threads 1 --repeats 10000 --no-roof --out partial >out.txt 2>err.txt &
pid=$!
for _ in $(seq 100); do
    grep -q "scene 1 of 2" err.txt && break
    sleep 0.1
done
sleep 2
kill -INT $pid
wait $pid
code=$?
expect "interrupt" 130 out.txt "Incomplete: 0 of 2 scenes" "Results: partial/"
check_json "$(ls partial/*.json)" false

# The reader of the table goes away: the file is written all the same.
"$bench" --scenes cloth-8 --schedulers colored-gs --isas scalar --layouts aos4 --threads 1 \
    --repeats 2 --no-roof --out piped 2>err.txt | head -n 1 >out.txt
code=${PIPESTATUS[0]}
expect "closed pipe" 0 out.txt libxpbd
check_json "$(ls piped/*.json)" true

echo "$failed checks failed"
[[ $failed -eq 0 ]]
