# SPDX-License-Identifier: MIT
"""How C and C++ of libxpbd is compiled. All flags are here, those of an ISA in kernel/kernels.bzl."""

load("@rules_cc//cc:defs.bzl", "cc_binary", "cc_library", "cc_test")

_WARNINGS = [
    "-Wall",
    "-Wextra",
    "-Wshadow",
    "-Wconversion",
    "-Werror",
]

# c17 and not gnu17: under gnu17 gcc fuses a multiply with an add, which changes bits; clang
# needs -ffp-contract=off for the same.
_CODE = [
    "-std=c17",
    "-ffp-contract=off",
    "-fvisibility=hidden",
]

COPTS = _CODE + _WARNINGS + [
    "-Wmissing-prototypes",
    "-Wstrict-prototypes",
    "-Wvla",
    # gcc's note, in each file, that passing wide vectors differs from old versions of itself: no
    # such call leaves an object here.
    "-Wno-psabi",
]

_CXXOPTS = ["-std=c++17"] + _WARNINGS

_OPENMP = ["-fopenmp"]

# packaging/abi.sh reads the types of the interface from it; it changes no code. Not in the kernels,
# which would take twice the time to compile and declare nothing that is public.
_DEBUG_INFORMATION = select({
    "//build_defs:opt": ["-g"],
    "//conditions:default": [],
})

def _report(isas):
    kernels = "".join(["; %s: %s" % (isa, " ".join(copts)) for isa, (_, copts) in isas.items()])
    define = "'-DXPBD_COMPILE_FLAGS=\"%s" + " ".join(_CODE) + kernels + "\"'"

    # What Bazel's own toolchain adds in each mode, and kernels.bzl in opt.
    return select({
        "//build_defs:opt": [define % "-O2 -DNDEBUG, kernels -O3; "],
        "//build_defs:dbg": [define % "-O0 -g; "],
        "//conditions:default": [define % "-O0; "],
    })

def xpbd_library(name, openmp = False, isa_copts = [], isas = None, **kwargs):
    """A C library.

    Args:
      name: target name.
      openmp: compile and link with OpenMP.
      isa_copts: for kernel/kernels.bzl alone.
      isas: kernels.bzl's ISAS, for what reports how the library was compiled; it then has
        XPBD_COMPILE_FLAGS, a string.
      **kwargs: passed to cc_library.
    """
    cc_library(
        name = name,
        copts = COPTS + (isa_copts or _DEBUG_INFORMATION) + (_OPENMP if openmp else []) + (_report(isas) if isas else []),
        linkopts = _OPENMP if openmp else [],
        # Hidden symbols do not cross a shared object, which Bazel would make for tests.
        linkstatic = True,
        **kwargs
    )

def xpbd_cc_library(name, **kwargs):
    """A C++ library: only the wrapper of Google Benchmark is one.

    Args:
      name: target name.
      **kwargs: passed to cc_library.
    """
    cc_library(
        name = name,
        copts = _CXXOPTS,
        linkstatic = True,
        **kwargs
    )

def xpbd_binary(name, openmp = False, linkopts = [], **kwargs):
    """A C program.

    Args:
      name: target name.
      openmp: compile and link with OpenMP.
      linkopts: further libraries.
      **kwargs: passed to cc_binary.
    """
    cc_binary(
        name = name,
        copts = COPTS + (_OPENMP if openmp else []),
        linkopts = linkopts + (_OPENMP if openmp else []),
        **kwargs
    )

def xpbd_test(name, openmp = False, threads = 1, deps = [], size = "medium", tags = [], **kwargs):
    """A cmocka test.

    Args:
      name: target name.
      openmp: compile and link with OpenMP.
      threads: how many the test uses at once; Bazel then keeps that many cores free for it.
      deps: libraries besides cmocka.
      size: Bazel's size; medium, as sanitizers slow a test down.
      tags: further tags.
      **kwargs: passed to cc_test.
    """
    cc_test(
        name = name,
        size = size,
        copts = COPTS + (_OPENMP if openmp else []),
        linkopts = _OPENMP if openmp else [],
        linkstatic = True,
        tags = tags + (["cpu:%d" % threads] if threads > 1 else []),
        deps = deps + ["@cmocka//:lib"],
        **kwargs
    )
