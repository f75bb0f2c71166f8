# SPDX-License-Identifier: MIT
"""The system libraries, named once for WORKSPACE and MODULE.bazel."""

load(":system.bzl", "system_library")

def system_libraries():
    """Declares @hwloc, @simde, @benchmark, @cmocka, @jansson and @suitesparse; the target in each is :lib."""
    system_library(
        name = "hwloc",
        apt = "libhwloc-dev",
        hdrs = ["hwloc.h", "hwloc"],
        min_version = "2.5",
        pkg = "hwloc",
    )

    # Debian's libsimde-dev ships no .pc file.
    system_library(
        name = "simde",
        apt = "libsimde-dev",
        hdrs = ["simde"],
    )
    system_library(
        name = "benchmark",
        apt = "libbenchmark-dev",
        hdrs = ["benchmark"],
        linkopts = ["-lpthread"],
        pkg = "benchmark",
    )
    system_library(
        name = "cmocka",
        apt = "libcmocka-dev",
        hdrs = ["cmocka.h"],
        pkg = "cmocka",
    )

    # Reads result files for the report.
    system_library(
        name = "jansson",
        apt = "libjansson-dev",
        hdrs = [
            "jansson.h",
            "jansson_config.h",
        ],
        min_version = "2.13",
        pkg = "jansson",
    )

    # Direct solves of the reference solver; its .pc files come with later versions only.
    system_library(
        name = "suitesparse",
        apt = "libsuitesparse-dev",
        hdrs = [
            "suitesparse/SuiteSparse_config.h",
            "suitesparse/amd.h",
            "suitesparse/btf.h",
            "suitesparse/colamd.h",
            "suitesparse/klu.h",
        ],
        includes = ["suitesparse"],
        linkopts = ["-lklu"],
    )
