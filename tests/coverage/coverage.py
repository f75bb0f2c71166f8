# SPDX-License-Identifier: MIT
"""Lines and branches of the library that its everyday tests reach, by room.

    python3 tests/coverage/coverage.py [--jobs N] [--build DIR] [--html DIR] [--missing]

Compiles everything with -O1, runs each test in C once, and has gcovr count. Branches are
those of release builds, without assertions. Kernels are those of scalar and avx2, in both layouts; a
line counts if one of them has run it.
"""

import argparse
import collections
import concurrent.futures
import glob
import json
import os
import shutil
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
from direct import (  # noqa: E402
    Failure, ISAS, LAYOUTS, LIBRARIES, ROOMS, compile_to, flags_of, kernel_flags, matrix, room_sources, run, stem
)

# Counters that threads add to at once, or they come out below zero.
FLAGS = ["-O1", "--coverage", "-fprofile-update=atomic", "-DNDEBUG"]
# Of programs that measure, not of the library; and whole bodies at several resolutions.
OTHERS = ("test_report_", "test_plans", "test_validation_", "test_build_refinement")


def build(folder, pool):
    """The library with counters; the tests without. Their programs, by name."""
    jobs, core = [], []
    for source in matrix():
        for isa in ISAS:
            for layout in LAYOUTS:
                core.append("%s/%s_%s_%s.o" % (folder, stem(source), isa, layout))
                jobs.append((core[-1], source, FLAGS + kernel_flags(isa, layout)))
    for room in ROOMS + ["kernel"]:
        for source in room_sources(room):
            core.append("%s/%s_%s.o" % (folder, room, stem(source)))
            jobs.append((core[-1], source, FLAGS + flags_of(source)))
    support = sorted(glob.glob("tests/support*.c") + glob.glob("tests/golden/golden_[!m]*.c"))
    support += ["tests/golden/golden.c", "examples/host_pool/pool.c"]
    tests = [t for t in sorted(glob.glob("tests/test_*.c")) if not stem(t).startswith(OTHERS)]
    jobs += [("%s/%s.o" % (folder, stem(t)), t, ["-O1"] + flags_of(t)) for t in support + tests]
    # Stands for the library's own in one test.
    jobs.append((folder + "/team_serial.o", "schedulers/team.c", ["-O1"]))
    list(pool.map(lambda job: compile_to(*job), jobs))
    archive = folder + "/library.a"
    if os.path.exists(archive):
        os.unlink(archive)
    run(["ar", "rcs", archive] + core + ["%s/%s.o" % (folder, stem(s)) for s in support])

    def link(test):
        own = ["%s/%s.o" % (folder, stem(test))]
        if stem(test) == "test_without_openmp":
            own.append(folder + "/team_serial.o")
        program = "%s/%s" % (folder, stem(test))
        run(["gcc", "--coverage", "-o", program] + own + [archive] + LIBRARIES)
        return program

    return list(pool.map(link, tests))


def run_tests(programs, pool):
    """Names of those that fail."""

    def passes(program):
        with tempfile.TemporaryDirectory(dir=os.path.dirname(program)) as place:
            environment = dict(os.environ, TEST_TMPDIR=place)
            done = subprocess.run([program], env=environment, capture_output=True, timeout=1800)
        return done.returncode == 0

    return [stem(p) for p, right in zip(programs, pool.map(passes, programs)) if not right]


def count(folder, html):
    """(room -> counts, file -> (lines, branches) that are missing)"""
    data = folder + "/coverage.json"
    command = ["gcovr", "--root", ".", "--object-directory", folder, "--exclude-unreachable-branches"]
    command += ["--exclude", "tests/", "--exclude", "examples/", "--json", data, folder]
    if html:
        os.makedirs(html, exist_ok=True)
        command += ["--html-details", os.path.join(html, "index.html")]
    run(command)
    rooms, missing = collections.defaultdict(lambda: [0, 0, 0, 0]), {}
    with open(data) as f:
        files = json.load(f)["files"]
    for file in files:
        room = rooms[file["file"].split("/")[0]]
        lost, half = [], []
        for line in file["lines"]:
            if line.get("gcovr/noncode"):
                continue
            room[0] += line["count"] > 0
            room[1] += 1
            if not line["count"]:
                lost.append(line["line_number"])
            taken = [b["count"] > 0 for b in line["branches"]]
            room[2] += sum(taken)
            room[3] += len(taken)
            if line["count"] and not all(taken):
                half.append(line["line_number"])
        missing[file["file"]] = (lost, half)
    return rooms, missing


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--build", help="a folder for objects, kept")
    parser.add_argument("--html", help="a folder for gcovr's pages")
    parser.add_argument("--missing", action="store_true", help="list the lines that are not reached")
    options = parser.parse_args()
    if not shutil.which("gcovr"):
        raise Failure("gcovr is missing: apt-get install gcovr")
    os.chdir(os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", ".."))
    folder = os.path.abspath(options.build or tempfile.mkdtemp(prefix="coverage."))
    os.makedirs(folder, exist_ok=True)
    for old in glob.glob(folder + "/*.gcda"):
        os.unlink(old)
    pool = concurrent.futures.ThreadPoolExecutor(options.jobs)
    programs = build(folder, pool)
    failed = run_tests(programs, concurrent.futures.ThreadPoolExecutor(1))
    rooms, missing = count(folder, options.html)
    if options.missing:
        for file, (lost, half) in sorted(missing.items()):
            print("%s: lines %s; branches of %s" % (file, lost, half))
    print("%-12s %16s %9s %18s %9s" % ("room", "lines", "", "branches", ""))
    total = [0, 0, 0, 0]
    for room, c in sorted(rooms.items()):
        total = [a + b for a, b in zip(total, c)]
        print("%-12s %7d of %5d %8.1f%% %8d of %6d %8.1f%%" % (room, c[0], c[1], 100 * c[0] / c[1], c[2], c[3], 100 * c[2] / max(1, c[3])))
    c = total
    print("%-12s %7d of %5d %8.1f%% %8d of %6d %8.1f%%" % ("all", c[0], c[1], 100 * c[0] / c[1], c[2], c[3], 100 * c[2] / max(1, c[3])))
    print("%d tests, %d of them failed: %s" % (len(programs), len(failed), " ".join(failed)))
    if not options.build:
        shutil.rmtree(folder)
    return 1 if failed else 0


if __name__ == "__main__":
    try:
        sys.exit(main())
    except Failure as failure:
        sys.exit("coverage.py: %s" % failure)
