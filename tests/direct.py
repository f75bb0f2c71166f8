# SPDX-License-Identifier: MIT
"""The library and its tests compiled by gcc itself, for checks that Bazel's rules have no words for.

What is compiled how is in build_defs/xpbd.bzl and kernel/kernels.bzl; this has what is the same for
all who do it by hand.
"""

import glob
import os
import subprocess

FLAGS = ["-std=c17", "-ffp-contract=off", "-w", "-DXPBD_FEW_ISAS=1"]
MATRIX = ["kernel/integrate.c", "kernel/gather.c", "kernel/change.c", "kernel/table.c"]
LAYOUTS = ["soa", "aos4"]
ISAS = {"scalar": [], "avx2": ["-mavx2", "-mfma"]}
ROOMS = ["base", "layouts", "schedulers", "solver", "builders", "scenes", "reference"]
LIBRARIES = ["-lcmocka", "-lhwloc", "-lklu", "-lm", "-lpthread", "-fopenmp"]


class Failure(Exception):
    pass


def run(command, **more):
    done = subprocess.run(command, capture_output=True, text=True, **more)
    if done.returncode:
        raise Failure(" ".join(command[:1] + command[-4:]) + "\n" + done.stderr[-4000:])
    return done


def matrix():
    """Sources that are compiled once per instruction set and layout."""
    return sorted(glob.glob("kernel/project_*.c")) + MATRIX


def kernel_flags(isa, layout):
    return ISAS[isa] + [
        "-DXPBD_ISA=" + isa,
        "-DXPBD_ISA_%s=1" % isa.upper(),
        "-DXPBD_LAYOUT=" + layout,
        "-DXPBD_LAYOUT_%s=1" % layout.upper(),
    ]


def room_sources(room):
    return sorted(set(glob.glob(room + "/*.c")) - set(matrix()))


def flags_of(source):
    """Of what is compiled once: schedulers and tests with threads have OpenMP."""
    return ["-fopenmp"] if source.startswith("schedulers/") or source.endswith("_mt.c") else []


def stem(source):
    return os.path.splitext(os.path.basename(source))[0]


def compile_to(out, source, flags, before=()):
    """Compile one source; folders `before` are searched for headers ahead of the tree."""
    paths = [word for folder in list(before) + ["."] for word in ("-iquote", folder)]
    run(["gcc"] + FLAGS + flags + paths + ["-Iinclude", "-isystem", "/usr/include/suitesparse", "-c", source, "-o", out])
