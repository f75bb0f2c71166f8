# SPDX-License-Identifier: MIT
"""The table docs/TROUBLE.md is whole, and what of it concerns the build and not a program.

Runs in the tree, or in a copy with what is named in BUILD.
"""

import glob
import os
import re
import subprocess
import sys

ENTRIES = 88
failed = 0


def check(right, what):
    global failed
    if not right:
        print("FAILED: " + what)
        failed += 1


def read(path):
    with open(path) as f:
        return f.read()


def files_by_name():
    """{name: path}; names are unique in the tree."""
    return {os.path.basename(path): path for path in glob.glob("tests/**/*", recursive=True) if os.path.isfile(path)}


def table_is_whole():
    text = read("docs/TROUBLE.md")
    rows = re.findall(r"^\| ([A-Z]\d\d) \| (.+?) \| (.+) \|$", text, re.M)
    ids = [row[0] for row in rows]
    check(len(ids) == ENTRIES, "the table has %d entries, not %d" % (len(ids), ENTRIES))
    check(len(ids) == len(set(ids)), "entries that are there twice: %s" % sorted({i for i in ids if ids.count(i) > 1}))
    places = files_by_name()
    for name, _, where in rows:
        before = where.split(". ")[0].split(";")[0].split(":")[0]
        files = re.findall(r"`([a-z0-9_]+\.(?:c|sh|py))`", before)
        check(files or where.startswith("does not apply: "), "%s has neither a test nor a reason" % name)
        for file in re.findall(r"`([a-z0-9_]+\.(?:c|sh|py))`", where):
            check(file in places, "%s: %s is not there" % (name, file))
        for file in files:
            if file not in places:
                continue
            source = read(places[file])
            if file.endswith(".c"):
                # The test has the number in its name, and the list that is run has the test.
                tests = re.findall(r"^static void (test_(?:\w*_)?%s_\w+)\(" % name, source, re.M)
                check(tests, "%s: no test in %s has its number" % (name, file))
                for test in tests:
                    check(source.count(test) >= 2, "%s: %s is not run" % (name, test))
            elif file.endswith(".py"):
                check(re.search(r"^def %s_" % name.lower(), source, re.M), "%s: no check in %s has its number" % (name, file))
            else:
                check(re.search(r"\b%s\b" % name, source), "%s: no check in %s has its number" % (name, file))


def b01_every_line_of_bazelrc_has_a_command():
    for line in read(".bazelrc").splitlines():
        if line.strip() and not line.startswith("#"):
            check(
                re.match(r"(build|test|run|common|startup|query|fetch)(:[\w-]+)? -", line),
                "B01: .bazelrc: '%s' begins with no command" % line,
            )
    check("bazel_dep(" in read("MODULE.bazel"), "B01: MODULE.bazel names no dependencies")


def b06_tests_with_threads_say_so():
    build = read("tests/BUILD")
    check('threads = 2 if src.endswith("_mt.c")' in build, "B06: tests/BUILD: tests with threads are not those named so")
    check('"cpu:%d" % threads' in read("build_defs/xpbd.bzl"), "B06: build_defs/xpbd.bzl: no tag for processors")
    for path in glob.glob("tests/test_*.c"):
        if not path.endswith("_mt.c"):
            source = read(path)
            for word in ("pthread_create(", "#pragma omp"):
                check(word not in source, "B06: %s has threads of its own and is not named *_mt.c" % path)


def b09_nothing_is_downloaded():
    files = ["WORKSPACE"] + glob.glob("build_defs/*.bzl") + glob.glob("third_party/**/*", recursive=True)
    for path in files:
        if os.path.isfile(path):
            text = read(path)
            for word in ("http_archive", "http_file", "git_repository", "urls =", "ctx.download"):
                check(word not in text, "B09: %s has %s" % (path, word))


def x10_fast_math_is_refused():
    compiler = os.environ.get("CC", "gcc")
    base = [compiler, "-std=c17", "-fsyntax-only", "-I.", "-Iinclude", "solver/check.c"]
    for flags in ([], ["-O2"], ["-ffast-math"], ["-Ofast"], ["-ffinite-math-only"]):
        done = subprocess.run(base + flags, capture_output=True, text=True)
        if flags in ([], ["-O2"]):
            check(done.returncode == 0, "X10: solver/check.c does not compile:\n" + done.stderr)
        else:
            check(
                done.returncode != 0 and "is compiled without -ffast-math" in done.stderr,
                "X10: %s is taken:\n%s" % (flags[0], done.stderr),
            )


def main():
    table_is_whole()
    b01_every_line_of_bazelrc_has_a_command()
    b06_tests_with_threads_say_so()
    b09_nothing_is_downloaded()
    x10_fast_math_is_refused()
    print("%d checks failed" % failed)
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
