# SPDX-License-Identifier: MIT
"""The system libraries, named once for WORKSPACE and MODULE.bazel."""

load(":system.bzl", "system_library")

def system_libraries():
    """Declares @hwloc, @simde, @benchmark and @cmocka; the target in each is :lib."""
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
