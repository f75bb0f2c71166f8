# SPDX-License-Identifier: MIT
"""Which tests judge which kernels."""

# Look at scalar kernels on soa and at no others, so a mutant is compiled for these alone first.
ALONE = ["test_kernels", "test_kernel_variants", "test_kernel_borders"]

# The tests that judge kernels: of all of them, and of some files.
GENERAL = [
    "test_kernels",
    "test_kernel_variants",
    "test_kernel_borders",
    "test_kernel_bits",
    "test_diagnostics_types",
    "test_api_parameters",
    "test_reference_formulas",
    "test_physics_momentum",
    "test_faults_closed_form",
]
_LENGTH = ["test_length_types", "test_physics", "test_lanes", "test_trouble_numerics"]
_BEND = ["test_bending_steps", "test_bending_limits", "test_bending", "test_bending_lost"]
_TET = ["test_tet_faults", "test_far_apart", "test_tets", "test_build_faults"]
_CLUSTERS = [
    "test_cluster_variants",
    "test_cluster_borders",
    "test_shape_match",
    "test_mesh_volume",
    "test_clusters",
    "test_reference_clusters",
]
_ALL = ["test_api_change", "test_physics", "test_lanes", "test_clusters", "test_trouble_motion"]
FIRST = {
    "kernel/change.c": ["test_kernel_ends", "test_tolerance"],
    "kernel/gather.c": ["test_kernel_ends"] + _ALL,
    "kernel/integrate.c": ["test_kernel_ends"] + _ALL,
    "kernel/kernel.h": _ALL,
    "kernel/project.h": ["test_kernel_runs", "test_bending_steps"] + _ALL,
    "kernel/dispatch.c": ["test_kernel_ends"] + _ALL + ["test_tolerance"],
    "layouts/access_aos4.h": ["test_kernel_runs"],
    "layouts/": _ALL,
    "base/simd_scalar.h": _ALL + _BEND,
    "base/simd_math.h": _BEND,
    "kernel/project_bend": _BEND,
    "kernel/curvature.h": _BEND,
    "kernel/project_attach.c": ["test_lanes", "test_trouble_numerics"],
    "kernel/length.h": _LENGTH,
    "kernel/project_mesh_volume.c": _CLUSTERS,
    "kernel/project_shape_match.c": _CLUSTERS,
    "kernel/rotation.h": _CLUSTERS,
    "kernel/units.h": _CLUSTERS,
    "kernel/element.h": ["test_membrane"] + _TET,
    "kernel/project_tri_fem.c": ["test_membrane"],
    "kernel/project_tet": _TET,
    "kernel/tie.h": ["test_ties"],
    "kernel/project_tie": ["test_ties"],
}
# These call the functions of a header themselves: they are compiled with the mutant, and with the
# address sanitizer, to which loops that end one later show. They judge before all others.
OWN = {
    "kernel/rotation.h": ["test_rotation", "test_rotation_fit"],
    "base/simd_math.h": ["test_bending"],
    "base/simd_scalar.h": ["test_simd_scalar"],
    "kernel/units.h": ["test_unit_move"],
}
TESTS = list(dict.fromkeys(GENERAL + [test for tests in FIRST.values() for test in tests]))
