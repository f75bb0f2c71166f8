# SPDX-License-Identifier: MIT
"""What the roof compiles more than once: loops per instruction set, kernels that count."""

load("//build_defs:xpbd.bzl", "xpbd_library")
load("//kernel:kernels.bzl", "ISAS")

_CPUS = ["aarch64", "x86_64"]

# --config=few-isas, as in base/isas.def.
_FEW = ["scalar", "avx2"]

def roof_lanes(name, srcs, hdrs, deps):
    """One library <name>_<isa> per instruction set, and <name> on all that there are.

    Args:
      name: the library that depends on all.
      srcs: sources compiled once per instruction set.
      hdrs: their headers.
      deps: what the sources include.
    """
    rows = {cpu: [] for cpu in _CPUS}
    for isa, (cpus, copts) in ISAS.items():
        xpbd_library(
            name = name + "_" + isa,
            srcs = srcs + hdrs,
            isa_copts = copts + [
                "-DXPBD_ISA=" + isa,
                "-DXPBD_ISA_%s=1" % isa.upper(),
            ] + select({
                "//build_defs:opt": ["-O3"],
                "//conditions:default": [],
            }),
            target_compatible_with = ["@platforms//cpu:" + cpus[0]] if len(cpus) == 1 else [],
            deps = deps,
        )
        for cpu in cpus:
            rows[cpu].append(":%s_%s" % (name, isa))
    xpbd_library(
        name = name,
        deps = select(dict(
            {"//build_defs:" + cpu: rows[cpu] for cpu in _CPUS},
            **{"//build_defs:x86_64_few": [":%s_%s" % (name, isa) for isa in _FEW]}
        )),
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
