# SPDX-License-Identifier: MIT
"""The compile matrix of the kernels: every source below, once per ISA and layout."""

load("//build_defs:xpbd.bzl", "xpbd_library")

MATRIX_SRCS = [
    "project_*.c",
    "integrate.c",
    "gather.c",
    "change.c",
    "table.c",
]

# ISA -> (processor families, flags). A fused operation rounds once instead of twice, and the bits of
# one ISA would differ from those of the next: -ffp-contract=off, and only what is exact is written so.
ISAS = {
    "scalar": (
        ["aarch64", "x86_64"],
        ["-fno-tree-vectorize", "-fno-tree-slp-vectorize"],
    ),
    # -mno-sse3 keeps this row at SSE2 where the user adds --copt=-march=native.
    "sse2": (["x86_64"], ["-msse2", "-mno-sse3"]),
    "avx2": (["x86_64"], ["-mavx2", "-mfma"]),
    "avx512": (
        ["x86_64"],
        ["-mavx512f", "-mavx512vl", "-mavx512dq", "-mavx512bw", "-mprefer-vector-width=512"],
    ),
    "neon": (["aarch64"], []),
}

LAYOUTS = ["soa", "aos4"]

_CPUS = ["aarch64", "x86_64"]

# --config=few-isas, as in base/isas.def.
_FEW = ["scalar", "avx2"]

def isa_libraries(name, srcs, deps, variants):
    """One library <name>_<isa><suffix> per row and variant, and <name> on all that this processor can have.

    Args:
      name: the library that depends on all rows of the processor.
      srcs: what is compiled once per row, with its headers.
      deps: what the sources include.
      variants: suffix -> flags.
    """
    rows = {cpu: [] for cpu in _CPUS}
    few = []
    for isa, (cpus, copts) in ISAS.items():
        for suffix, flags in variants.items():
            row = name + "_" + isa + suffix
            xpbd_library(
                name = row,
                srcs = srcs,
                isa_copts = copts + [
                    "-DXPBD_ISA=" + isa,
                    "-DXPBD_ISA_%s=1" % isa.upper(),
                ] + flags + select({
                    "//build_defs:opt": ["-O3"],
                    "//conditions:default": [],
                }),
                # Under //... a row of another processor family is skipped.
                target_compatible_with = ["@platforms//cpu:" + cpus[0]] if len(cpus) == 1 else [],
                deps = deps,
            )
            for cpu in cpus:
                rows[cpu].append(":" + row)
            if isa in _FEW:
                few.append(":" + row)
    xpbd_library(
        name = name,
        deps = select(dict(
            {"//build_defs:" + cpu: rows[cpu] for cpu in _CPUS},
            **{"//build_defs:x86_64_few": few}
        )),
    )

def kernel_matrix(name, srcs, hdrs, deps):
    """One library <name>_<isa>_<layout> per row, and <name> on all that this processor can have.

    Args:
      name: the library that depends on all rows of the processor.
      srcs: sources compiled once per row.
      hdrs: headers of the room.
      deps: what the sources include.
    """
    isa_libraries(
        name = name,
        srcs = srcs + hdrs,
        deps = deps,
        variants = {
            "_" + layout: [
                "-DXPBD_LAYOUT=" + layout,
                "-DXPBD_LAYOUT_%s=1" % layout.upper(),
            ]
            for layout in LAYOUTS
        },
    )
