#!/bin/bash
# SPDX-License-Identifier: MIT
#
# //bench:accuracy as its user meets it: what it refuses, and on tiny scenes that errors fall with
# iterations, that what it calls the fastest is, that the page stands alone, and what an interrupt
# leaves. Argument: the program, if it is not Bazel's. Times are not judged.
set -u

bench=${1:-bench/accuracy/accuracy}
. "${BASH_SOURCE[0]%/*}/bench_cli.bash"

# ---- what is refused, with what is valid

run --scene clth-8
expect "unknown scene" 2 err.txt "no scene is named 'clth-8'" "cloth-N" "weight-N"
run --scenes cloth-1
expect "scene out of range" 2 err.txt "out of its range"
run --scheduler slabgs
expect "unknown scheduler" 2 err.txt "did you mean 'slab-gs'" "serial-gs"
run --sceens weight-4
expect "unknown option" 2 err.txt "did you mean '--scenes'" "--quick"
run --out
expect "missing value" 2 err.txt "--out needs a value"
run --quick=1
expect "value that is not wanted" 2 err.txt "--quick takes no value"
for option in --threads --repeats; do
    run $option 0
    expect "$option 0" 2 err.txt "$option: '0'"
done
run --scene weight-4 --quick --out no/such/folder/page.html
expect "page that can not be written" 2 err.txt "page.html can not be written"
[[ -s out.txt ]] && fail "page that can not be written: nothing may be measured"

run --help
expect "--help" 0 out.txt --scenes --schedulers --quick --out "Ctrl-C"
run --list
expect "--list" 0 out.txt weight-N slab-gs

# ---- a run

run --quick --scenes weight-4,balloon-2 --repeats 2 --out page.html
expect "run" 0 out.txt "^weight-4: 4 particles" "^balloon-2: " "the page: page.html" \
    "all rows: page.json"
[[ -s page.html && -s page.json && ! -e page.html.part ]] || fail "a page and rows expected"
schedulers=$("$bench" --list | sed -n "/^schedulers\$/,/^\$/p" | grep '^  ' | awk '{ print $1 }')

check() {
    if [[ -z $python ]]; then
        echo "skipped: no python3 to read the page and its rows"
        return
    fi
    "$python" - "$@" >check.txt 2>&1 <<'END'
import html.parser, json, re, sys

def refuse(word):
    raise ValueError("not JSON: " + word)

def unique(pairs):
    assert len(dict(pairs)) == len(pairs), "a key twice: " + str(pairs)
    return dict(pairs)

schedulers, complete = sys.argv[1].split(), sys.argv[2]
with open("page.json", encoding="utf-8") as f:
    data = json.load(f, parse_constant=refuse, object_pairs_hook=unique)
context = data["context"]
assert context["complete"] == complete, context["complete"]
for key in ("cpu_model", "compiler", "source_revision", "time_step_s", "command_line"):
    assert context.get(key), key
rows, faults = {}, 0
for row in data["benchmarks"]:
    part = row["name"].split("/")
    assert part[0] == "accuracy" and part[2] in schedulers, row["name"]
    if row.get("error_occurred"):
        faults += 1
        assert "diverged" in row["error_message"], row
        continue
    assert int(part[3].split(":")[1]) == row["substeps"], row["name"]
    assert int(part[4].split(":")[1]) == row["iterations_per_substep"], row["name"]
    assert 0 < row["ms_min"] <= row["ms_median"] and row["frame_error"] <= 1
    assert row["residual_g"] >= 0 and row["residual_h"] >= 0 and row["residual_start"] > 0
    rows.setdefault((part[1], part[2]), []).append(row)
page = open("page.html", encoding="utf-8").read()

# One page, well formed as far as a parser can tell, that needs nothing else and no script.
class Reader(html.parser.HTMLParser):
    VOID = {"meta", "br"}
    OPTIONAL = {"html", "tr", "td", "th", "li", "p", "dt", "dd"}
    def __init__(self):
        super().__init__()
        self.open, self.n = [], {}
    def handle_starttag(self, tag, attrs):
        self.n[tag] = self.n.get(tag, 0) + 1
        if tag not in self.VOID and tag not in self.OPTIONAL:
            self.open.append(tag)
        assert tag != "script" and not {"src", "onload"} & {a for a, _ in attrs}, tag
    def handle_startendtag(self, tag, attrs):
        self.n[tag] = self.n.get(tag, 0) + 1
    def handle_endtag(self, tag):
        if tag not in self.OPTIONAL:
            assert self.open.pop() == tag, tag
reader = Reader()
reader.feed(page)
assert not reader.open, reader.open
for word in ("http", "nan", ">inf", ">-inf"):
    assert word not in page, word
if complete == "false":
    assert "Incomplete" in page
    sys.exit()
assert reader.n["svg"] > 8 and reader.n["title"] > 100 and reader.n["table"] >= 4
for scene in ("weight-4", "balloon-2"):
    assert f"<section id={scene}>" in page
    for scheduler in schedulers:
        assert rows.get((scene, scheduler)), (scene, scheduler)

# Errors fall with iterations, if the first one is not near the solution already (a direct solver's
# is, on a chain), and with substeps.
def falls(before, now, factor, near):
    return now < factor * before or before < near
for scheduler in schedulers:
    mine = [r for r in rows["weight-4", scheduler] if r["omega"] == 1]
    one = sorted((r for r in mine if r["substeps"] == 1), key=lambda r: r["iterations_per_substep"])
    assert one[0]["iterations_per_substep"] == 1 and len(one) >= 4, scheduler
    errors = [r["step_error"] for r in one]
    residuals = [r["residual_h"] / r["residual_start"] for r in one]
    assert falls(errors[0], errors[-1], 0.5, 0.02), (scheduler, errors)
    assert falls(residuals[0], residuals[-1], 0.3, 0.01), (scheduler, residuals)
    few = min(r["frame_error"] for r in one)
    many = min(r["frame_error"] for r in mine if r["substeps"] >= 16)
    assert many < 0.5 * few, (scheduler, few, many)
gs = [r for r in rows["weight-4", "serial-gs"] if r["omega"] == 1]
assert min(r["step_error"] for r in gs if r["substeps"] == 8) < 2e-3
assert min(r["frame_error"] for r in gs) < 3e-3
# After one sweep x is x~ + W grad C^T lambda but for the turning of gradients: g sees a wrong lambda.
first = min((r for r in gs if r["substeps"] == 1), key=lambda r: r["iterations_per_substep"])
assert first["residual_g"] < 0.01 * first["residual_start"], first
# Implicit Euler's own error is of first order, and the limit is known much better than that.
facts = re.match(r"weight-4 motion_m \S+ doubt (\S+) level_errors ([0-9. e-]*) "
                 r"double_errors ([0-9. e-]*)(;|$)", context["scenes"])
errors = [float(x) for x in facts.group(2).split()]
assert all(1.8 < a / b < 2.2 for a, b in zip(errors, errors[1:])), errors
assert float(facts.group(1)) < 0.1 * errors[-1]

# The library is the method in double precision, but for rounding: of what is not far below it.
doubles = [float(x) for x in facts.group(3).split()]
serial = {int(r["substeps"]): r["frame_error"] for r in gs if r["iterations_per_substep"] == 4}
assert len(doubles) == len(serial) == 7
assert all(abs(serial[1 << i] / x - 1) < 0.02 for i, x in enumerate(doubles[:4])), (doubles, serial)
assert doubles[-1] < doubles[-2] < doubles[-3]

# The headline is that of the rows: the fastest that comes that near.
tables = re.findall(r"<div class='table head'>(.*?)</table>", page, re.S)
assert len(tables) == 2
for table, error, substeps in ((tables[0], "frame_error", None), (tables[1], "step_error", 1)):
    scene = None
    for line in table.split("<tr")[2:]:
        link = re.search(r"href='#([^']+)'", line)
        if link:
            scene = link.group(1)
            continue
        cells = re.split(r"<td[^>]*>", line)[1:]
        for target, cell in zip((0.1, 0.01, 0.001), cells[1:]):
            good = [r for r in rows[scene, cells[0].strip()]
                    if r.get(error, 2) <= target and substeps in (None, r["substeps"])]
            if not good:
                assert "not reached" in cell, (scene, cells[0], cell)
                continue
            best = min(good, key=lambda r: r["ms_min"])
            assert f"{best['ms_min']:.3g} ms" in cell, (best["name"], best["ms_min"], cell)
            setting = f"{int(best['substeps'])} × {int(best['iterations_per_substep'])}"
            assert setting in cell, (best["name"], cell)

# So is what it says of each scheduler.
def fastest(scene, scheduler, target):
    good = [r["ms_min"] for r in rows[scene, scheduler] if r["frame_error"] <= target]
    return min(good) if good else None
for scheduler in schedulers:
    text = re.search(f"<dt>{scheduler}</dt><dd>(.*?)</dd>", page, re.S).group(1)
    if scheduler == "slab-gs":
        assert "automatic choice" in text, text
        continue
    better = 0
    for scene in ("weight-4", "balloon-2"):
        for target in (0.1, 0.01, 0.001):
            own, other = fastest(scene, scheduler, target), fastest(scene, "slab-gs", target)
            better += own is not None and (other is None or 1.1 * own < other)
    assert f"in {better} of 6 cases" in text, (scheduler, better, text)
print(sum(map(len, rows.values())), "rows,", faults, "diverged")
END
    local status=$?
    if [[ $status -ne 0 ]]; then
        cat check.txt
        fail "the page or its rows are not what they should be"
    else
        echo "ok: $(cat check.txt)"
    fi
}
check "$schedulers" true

run --quick --scene=weight-4 --scheduler=jacobi --repeats=1 --out=alone.htm
expect "one scheduler" 0 alone.htm "slab-gs was not measured"
[[ -s alone.htm.json ]] || fail "rows beside a page of another name expected"

# ---- an interrupt keeps what was measured

"$bench" --scenes weight-4,rope-8,cloth-4 --schedulers slab-gs --repeats 10000 --out page.html \
    >out.txt 2>err.txt &
pid=$!
for _ in $(seq 100); do
    grep -q "scene 1 of 3" err.txt && break
    sleep 0.1
done
sleep 1
kill -INT $pid
wait $pid
code=$?
expect "interrupt" 130 out.txt "the page: page.html"
check "$schedulers" false

echo "$failed checks failed"
[[ $failed -eq 0 ]]
