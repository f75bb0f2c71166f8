# SPDX-License-Identifier: MIT
"""What the roof compiles more than once: loops per instruction set, kernels that count."""

load("//build_defs:xpbd.bzl", "xpbd_library")
load("//kernel:kernels.bzl", "isa_libraries")

def roof_lanes(name, srcs, hdrs, deps):
    """One library <name>_<isa> per instruction set, and <name> on all that there are.

    Args:
      name: the library that depends on all.
      srcs: sources compiled once per instruction set.
      hdrs: their headers.
      deps: what the sources include.
    """
    isa_libraries(
        name = name,
        srcs = srcs + hdrs,
        deps = deps,
        variants = {"": []},
    )

def roof_kernels(name, srcs, header, deps):
    """The kernels' sources once more, for one lane that counts.

    Args:
      name: the library.
      srcs: the kernels' sources and headers.
      header: what is put before each.
      deps: what the sources include.
    """
    xpbd_library(
        name = name,
        srcs = srcs + [header],
        isa_copts = [
            "-DXPBD_ISA=count",
            "-DXPBD_LAYOUT=aos4",
            "-DXPBD_LAYOUT_AOS4=1",
            "-include",
            "bench/roof/" + header,
        ],
        deps = deps,
    )
