# SPDX-License-Identifier: MIT
"""Mutation check of the kernels: of each mutant, whether a test that judges kernels notices it.

    python3 tests/mutation/mutation.py [--jobs N] [--sample N] [--seed S] [--minutes M] [--only FILE] [--build DIR]

Everything but the mutated file is compiled once. A mutant is compiled for the scalar kernels of both
layouts; all it is linked with has no other kernels, so that nothing compares it with what is not
mutated. A mutant that leaves these objects as they were is code of vectors, or none at all: it is
compiled for avx2 and judged where both are. One that changes no object there either says the same in
other words and counts nowhere. A loop that is mutated and survives on scalar kernels is compiled once
more with the address and bounds sanitizers, as every test is run with them too.

What survives and means the same, for a reason that a person found, is in equivalent.txt. The exit
code is 0 if 95 % of the others are killed and no entry there is out of date.
"""

import argparse
import collections
import concurrent.futures
import glob
import os
import random
import resource
import shutil
import subprocess
import sys
import tempfile
import threading
import time

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path[:0] = [HERE, os.path.dirname(HERE)]
import mutants  # noqa: E402
from judges import ALONE, FIRST, GENERAL, OWN, TESTS  # noqa: E402
from direct import (  # noqa: E402
    Failure, LAYOUTS, LIBRARIES, ROOMS, compile_to, flags_of, kernel_flags, matrix, room_sources, run, stem
)

LEAST = 0.95
# Of processor time: what takes longer does not end. The longest takes 2.
SECONDS = 15
FLAGS = ["-O1", "-fPIC"]
SANITIZER = ["-fsanitize=address,bounds", "-fno-sanitize-recover=all", "-fno-omit-frame-pointer"]
DESCRIBED = ["kernel/dispatch.c"]
BUILDS = (("scalar", ["scalar"], []), ("vector", ["scalar", "avx2"], []), ("sanitized", ["scalar"], SANITIZER))

# A header is compiled into all kernels that include it; of those that all include, into these.
EVERYWHERE = ["project_attach", "project_distance", "project_bend_dihedral", "project_mesh_volume", "integrate"]


def newest(source, memory={}):
    """When a source, or what it may include, was changed last."""
    if not memory:
        files = [f for room in ROOMS + ["include/xpbd", "kernel"] for f in glob.glob(room + "/*.[chd]*")]
        memory["rooms"] = max(os.path.getmtime(f) for f in files + glob.glob("tests/*.h"))
    return max(memory["rooms"], os.path.getmtime(source))


class Build:
    """All that is not mutated, with the kernels of some instruction sets, with a sanitizer or without."""

    def __init__(self, folder, isas, pool, sanitizer=()):
        self.folder, self.isas, self.sanitizer = folder, isas, list(sanitizer)
        self.flags, self.seconds = FLAGS + self.sanitizer, SECONDS * (4 if sanitizer else 1)
        self.overlays = []
        os.makedirs(folder + "/overlay/base", exist_ok=True)
        if isas == ["scalar"]:
            with open("base/isas.def") as f, open(folder + "/overlay/base/isas.def", "w") as out:
                rows = [row for row in f if row.startswith("XPBD_ISA_ROW(")]
                for row in dict.fromkeys(rows):
                    out.write(row if "scalar" in row else row.replace("_ROW", "_ABSENT"))
            self.overlays = [folder + "/overlay"]
        self.objects = {}
        jobs = []
        for source in matrix():
            for isa in isas:
                for layout in LAYOUTS:
                    self.objects[source, isa, layout] = "%s/%s_%s_%s.o" % (folder, stem(source), isa, layout)
                    jobs.append((self.objects[source, isa, layout], source, kernel_flags(isa, layout)))
        for source in DESCRIBED:
            self.objects[source, None, None] = "%s/%s.o" % (folder, stem(source))
            jobs.append((self.objects[source, None, None], source, []))
        core = []
        for source in [s for room in ROOMS for s in room_sources(room)] + sorted(glob.glob("tests/support*.c")):
            core.append("%s/%s.o" % (folder, os.path.splitext(source)[0].replace("/", "_")))
            jobs.append((core[-1], source, flags_of(source)))
        jobs += [("%s/%s.o" % (folder, test), "tests/%s.c" % test, []) for test in TESTS]
        list(pool.map(self.compile, jobs))
        self.library = folder + "/core.a"
        if os.path.exists(self.library):
            os.unlink(self.library)
        run(["ar", "rcs", self.library] + core)
        self.link(folder, {})
        list(pool.map(self.link_test, TESTS))

    def compile(self, job):
        """An object of a kept folder is taken if no source is newer."""
        out, source, flags = job
        if not os.path.exists(out) or os.path.getmtime(out) < newest(source):
            compile_to(out, source, self.flags + flags, self.overlays)

    def link(self, folder, replaced):
        """The kernels as one shared object, some of them replaced."""
        objects = [replaced.get(key, path) for key, path in self.objects.items()]
        run(["gcc", "-shared", "-o", folder + "/libkernels.so"] + self.sanitizer + objects + ["-lm"])

    def link_test(self, test, folder=None, flags=None):
        folder = folder or self.folder
        run(
            ["gcc", "-rdynamic", "-o", "%s/%s" % (folder, test), "%s/%s.o" % (folder, test)]
            + ["-Wl,--whole-archive", self.library, "-Wl,--no-whole-archive", "-L", self.folder, "-lkernels"]
            + LIBRARIES
            + (self.sanitizer if flags is None else flags)
        )

    def check_tests(self, pool):
        """All tests pass on kernels that are not mutated: once for a kept folder."""
        stamp = self.folder + "/passed"
        objects = glob.glob(self.folder + "/*.o")
        if os.path.exists(stamp) and os.path.getmtime(stamp) > max(map(os.path.getmtime, objects)):
            return
        for test, right in zip(TESTS, pool.map(lambda test: self.passes(test, self.folder), TESTS)):
            if not right:
                raise Failure("%s fails on kernels that are not mutated" % test)
        open(stamp, "w").close()

    def passes(self, test, folder, place=None):
        environment = dict(os.environ, LD_LIBRARY_PATH=folder, TEST_TMPDIR=folder, OMP_NUM_THREADS="1")
        environment["ASAN_OPTIONS"] = "detect_leaks=0:quarantine_size_mb=16"
        program = os.path.abspath("%s/%s" % (place or self.folder, test))
        try:
            done = subprocess.run(
                [program],
                env=environment,
                stdout=subprocess.DEVNULL,
                stderr=subprocess.DEVNULL,
                preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_CPU, (self.seconds, self.seconds)),
                timeout=100 * self.seconds,
            )
        except subprocess.TimeoutExpired:
            return False
        return done.returncode == 0


def read_includes():
    """{source: the files it includes}"""
    found = {}
    for source in matrix():
        found[source] = set()
        for isa, layout in (("scalar", "soa"), ("avx2", "aos4")):
            done = run(["gcc", "-MM", "-iquote", ".", "-Iinclude"] + kernel_flags(isa, layout) + [source])
            found[source].update(done.stdout.replace("\\\n", " ").split())
    return found


def includers(file, includes):
    """The sources that a mutant of this file is compiled into."""
    if file.endswith(".c"):
        return [file]
    found = [source for source in matrix() if file in includes[source]]
    if len(found) > len(EVERYWHERE) + 2:
        found = [source for source in found if stem(source) in EVERYWHERE]
    return found


class Check:
    def __init__(self, folder, jobs):
        self.folder, self.pool = folder, concurrent.futures.ThreadPoolExecutor(jobs)
        self.builds = {}
        for name, isas, sanitizer in BUILDS:
            self.builds[name] = Build(os.path.join(folder, name), isas, self.pool, sanitizer)
            self.builds[name].check_tests(self.pool)
        self.local = threading.local()
        for own in sorted({test for tests in OWN.values() for test in tests}):
            if not self.own_passes(self.builds["scalar"], own, self.place() + "/none"):
                raise Failure("%s fails on a header that is not mutated" % own)

    def place(self):
        if not hasattr(self.local, "path"):
            self.local.path = tempfile.mkdtemp(dir=self.folder)
        return self.local.path

    def write(self, mutant, text):
        """The mutated file, in a folder that comes before the tree."""
        overlay = self.place() + "/source"
        shutil.rmtree(overlay, ignore_errors=True)
        os.makedirs(os.path.join(overlay, os.path.dirname(mutant.file)))
        with open(os.path.join(overlay, mutant.file), "w") as f:
            f.write(text[: mutant.start] + mutant.new + text[mutant.end :])
        return overlay

    def replace(self, build, source, isa, layout, mutant, overlay):
        """{key: object} of a source that the mutant is in, if it changes the code."""
        path = os.path.join(overlay, source) if source == mutant.file else source
        key, flags = (source, isa, layout), kernel_flags(isa, layout)
        if source in DESCRIBED:
            key, flags = (source, None, None), []
        out = "%s/%s_%s_%s.o" % (self.place(), stem(source), isa, layout)
        compile_to(out, path, build.flags + flags, [overlay] + build.overlays)
        with open(out, "rb") as a, open(build.objects[key], "rb") as b:
            return {} if a.read() == b.read() else {key: out}

    def first_to_notice(self, build, replaced, tests):
        place = self.place()
        build.link(place, replaced)
        for test in tests:
            if not build.passes(test, place):
                return test
        return None

    def own_passes(self, build, test, overlay):
        place = self.place()
        compile_to("%s/%s.o" % (place, test), "tests/%s.c" % test, FLAGS + SANITIZER, [overlay] + build.overlays)
        build.link_test(test, place, SANITIZER)
        return build.passes(test, build.folder, place)

    def sanitizer_notices(self, mutant, overlay, judges):
        build, replaced = self.builds["sanitized"], {}
        for source in self.includers[mutant.file]:
            for layout in LAYOUTS:
                replaced.update(self.replace(build, source, "scalar", layout, mutant, overlay))
        noticed = self.first_to_notice(build, replaced, judges)
        return noticed and noticed + " with sanitizers"

    def judge(self, mutant, text):
        """(verdict, the test that noticed)"""
        overlay = self.write(mutant, text)
        build, replaced = self.builds["scalar"], {}
        try:
            for own in OWN.get(mutant.file, []):
                if not self.own_passes(build, own, overlay):
                    return "killed", own
            for source in self.includers[mutant.file]:
                replaced.update(self.replace(build, source, "scalar", "soa", mutant, overlay))
                noticed = self.first_to_notice(build, replaced, ALONE) if replaced else None
                if noticed:
                    return "killed", noticed
            for source in self.includers[mutant.file]:
                replaced.update(self.replace(build, source, "scalar", "aos4", mutant, overlay))
            if not replaced:
                build = self.builds["vector"]
                for source in self.includers[mutant.file]:
                    for layout in LAYOUTS:
                        replaced.update(self.replace(build, source, "avx2", layout, mutant, overlay))
        except Failure:
            return "does not compile", ""
        if not replaced:
            return "same code", ""
        first = [t for file, tests in FIRST.items() if mutant.file.startswith(file) for t in tests]
        judges = list(dict.fromkeys(first + GENERAL))
        noticed = self.first_to_notice(build, replaced, judges)
        if not noticed and build is self.builds["scalar"] and "for (" in mutant.text:
            noticed = self.sanitizer_notices(mutant, overlay, judges)
        return ("killed", noticed) if noticed else ("SURVIVED", "")


def read_equivalents(path):
    """{(file, line's text, old, new, nth): reason}. Blocks of `file`, `text`, `change`, `because`."""
    found = {}
    entry = {}
    with open(path) as f:
        for number, line in enumerate(f, 1):
            line = line.rstrip("\n")
            if line.startswith("#"):
                continue
            word, _, rest = line.partition(": ")
            if word in ("file", "text", "change", "because"):
                entry[word] = rest
            elif line:
                raise Failure("%s:%d: '%s' is no line of an entry" % (path, number, line))
            if word == "because":
                changes = entry["change"].split(" ;; ")
                for change in changes:
                    old, _, new = change.partition(" => ")
                    new, _, nth = new.partition(" @")
                    found[entry["file"], entry["text"], old, new, int(nth or 0)] = rest
    return found


def key_of(mutant):
    flat = lambda s: " ".join(s.split())  # noqa: E731
    return mutant.file, mutant.text, flat(mutant.old), flat(mutant.new), mutant.nth


def describe(m):
    return "%s:%d: %s => %s @%d in '%s'" % (m.file, m.line, m.old, m.new, m.nth, m.text)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--sample", type=int, default=0, help="so many, at random; 0: all")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--minutes", type=float, default=0, help="begin none after so many; 0: all")
    parser.add_argument("--only", action="append", help="mutants of this file; of FILE:LINE")
    parser.add_argument("--build", help="a folder for objects, kept")
    parser.add_argument("--list", action="store_true", help="list mutants, and run none")
    options = parser.parse_args()

    os.chdir(os.path.join(HERE, "..", ".."))
    files = sorted(glob.glob("kernel/*.[ch]")) + ["base/simd_math.h", "base/simd_scalar.h"]
    files += sorted(glob.glob("layouts/access_*.h"))
    texts = {}
    every = []
    for file in files:
        with open(file) as f:
            texts[file] = f.read()
        every += list(mutants.of_source(file, texts[file]))
    equivalent = read_equivalents(os.path.join(HERE, "equivalent.txt"))
    stale = sorted(set(equivalent) - {key_of(m) for m in every})
    for entry in stale:
        print("equivalent.txt: no such mutant: %s: %s => %s @%d in '%s'" % (entry[0], entry[2], entry[3], entry[4], entry[1]))
    # In any order: what a run that was cut short has seen is a sample of all.
    chosen = random.Random(options.seed).sample(every, len(every))
    if options.only:
        wanted = tuple(options.only)
        chosen = [m for m in chosen if m.file in wanted or "%s:%d" % (m.file, m.line) in wanted]
    if options.sample:
        chosen = chosen[: options.sample]
    print("%d mutants of %d files, %d of them chosen" % (len(every), len(files), len(chosen)), flush=True)
    if options.list:
        for m in chosen:
            print(describe(m))
        return 0

    folder = os.path.abspath(options.build or tempfile.mkdtemp(prefix="mutation."))
    os.makedirs(folder, exist_ok=True)
    start = time.monotonic()
    check = Check(folder, options.jobs)
    includes = read_includes()
    check.includers = {file: includers(file, includes) for file in files}
    print("built in %.0f s" % (time.monotonic() - start), flush=True)
    count, of_file, by_test = collections.Counter(), {}, collections.Counter()
    end = time.monotonic() + 60 * options.minutes if options.minutes else float("inf")

    def judge(mutant):
        return check.judge(mutant, texts[mutant.file]) if time.monotonic() < end else None

    waiting = {check.pool.submit(judge, mutant): mutant for mutant in chosen}
    for done, future in enumerate(concurrent.futures.as_completed(waiting), 1):
        mutant = waiting[future]
        if not future.result():
            continue
        verdict, test = future.result()
        if key_of(mutant) in equivalent:
            if verdict == "killed":
                print("equivalent.txt: %s notices what is said to be equivalent: %s" % (test, describe(mutant)))
                stale.append(key_of(mutant))
            elif verdict == "SURVIVED":
                verdict = "equivalent"
        count[verdict] += 1
        by_test[test] += 1
        of_file.setdefault(mutant.file, collections.Counter())[verdict] += 1
        if verdict == "SURVIVED":
            print("SURVIVED: " + describe(mutant), flush=True)
        if done % 50 == 0:
            print("%d of %d: %s" % (done, len(chosen), dict(count)), flush=True)
    if not options.build:
        shutil.rmtree(folder)

    words = ["killed", "SURVIVED", "equivalent", "same code", "does not compile"]
    print("%-34s" % "file" + "".join("%18s" % w for w in words))
    for file, verdicts in sorted(of_file.items()):
        print("%-34s" % file + "".join("%18d" % verdicts[w] for w in words))
    print("%-34s" % "all" + "".join("%18d" % count[w] for w in words))
    print("noticed first by: " + ", ".join("%s %d" % (t, n) for t, n in by_test.most_common() if t))
    judged = count["killed"] + count["SURVIVED"]
    share = count["killed"] / judged if judged else 1.0
    print("%.1f %% of %d mutants killed, in %.0f s" % (100 * share, judged, time.monotonic() - start))
    return 0 if share >= LEAST and not stale else 1


if __name__ == "__main__":
    try:
        sys.exit(main())
    except Failure as failure:
        sys.exit("mutation.py: %s" % failure)
