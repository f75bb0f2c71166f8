# SPDX-License-Identifier: MIT
"""The structures and functions of xpbd/build.h, for ctypes; see _structures.py."""

import ctypes as c

from ._structures import FUNCTIONS, error

# Enumerators in order, without what they have in common.
FAULTS = ("repeated", "zero", "inverted", "duplicate", "non_manifold", "unused")
REFUSE = 1
STRETCH = ("no_stretch", "edges", "fem")
BEND = ("no_bend", "dihedral", "isometric", "bend_distance")
MODEL = ("edges", "edges_and_volumes", "neo_hookean", "stvk")
ENUMERATORS = {"XPBD_FAULT_": FAULTS, "XPBD_SHEET_": STRETCH, "XPBD_SHEET_ ": BEND,
               "XPBD_SOLID_": MODEL}

_N = len(FAULTS)


class build_mesh(c.Structure):
    _fields_ = [
        ("n_vertices", c.c_uint32),
        ("position", c.c_void_p),
        ("position_stride", c.c_size_t),
        ("n_elements", c.c_uint32),
        ("elements", c.c_void_p),
        ("elements_stride", c.c_size_t),
        ("n_pinned", c.c_uint32),
        ("pinned", c.c_void_p),
        ("particle_of", c.c_void_p),
    ]


class build_report(c.Structure):
    _fields_ = [
        ("count", c.c_uint32 * _N),
        ("first", c.c_uint32 * _N),
        ("n_welded", c.c_uint32),
        ("n_edges", c.c_uint32),
        ("n_inner_edges", c.c_uint32),
        ("n_boundary_edges", c.c_uint32),
        ("text", c.c_char * 256),
    ]


class built_range(c.Structure):
    _fields_ = [("type", c.c_int), ("first", c.c_uint32), ("count", c.c_uint32)]


class built(c.Structure):
    _fields_ = [
        ("first_particle", c.c_uint32),
        ("n_particles", c.c_uint32),
        ("stretch", built_range),
        ("bend", built_range),
        ("volume", built_range),
        ("tethers", built_range),
        ("report", build_report),
        ("error", error),
    ]


class build_options(c.Structure):
    _fields_ = [
        ("cookie", c.c_uint32),
        ("policy", c.c_int * _N),
        ("on_fault", c.c_void_p),
        ("on_fault_user", c.c_void_p),
        ("weld", c.c_bool),
        ("weld_distance", c.c_float),
        ("tethers", c.c_bool),
        ("tether_factor", c.c_float),
        ("damping_ratio", c.c_float),
        ("damping_frequency", c.c_float),
        ("allocator", c.c_void_p),
    ]


class triangles_def(c.Structure):
    _fields_ = [
        ("options", build_options),
        ("stretch", c.c_int),
        ("bend", c.c_int),
        ("young_modulus", c.c_float),
        ("poisson_ratio", c.c_float),
        ("thickness", c.c_float),
        ("area_density", c.c_float),
        ("bend_factor", c.c_float),
        ("weft_ratio", c.c_float),
        ("shear_ratio", c.c_float),
        ("warp", c.c_float * 3),
    ]


class tetrahedra_def(c.Structure):
    _fields_ = [
        ("options", build_options),
        ("model", c.c_int),
        ("young_modulus", c.c_float),
        ("poisson_ratio", c.c_float),
        ("density", c.c_float),
    ]


class polyline_def(c.Structure):
    _fields_ = [
        ("options", build_options),
        ("bend", c.c_bool),
        ("young_modulus", c.c_float),
        ("radius", c.c_float),
        ("line_density", c.c_float),
        ("bend_factor", c.c_float),
    ]


DEFINITIONS = {"triangles": triangles_def, "tetrahedra": tetrahedra_def, "polyline": polyline_def}
for _name, _kind in DEFINITIONS.items():
    FUNCTIONS[f"xpbd_default_{_name}_def"] = (_kind, [])
    FUNCTIONS[f"xpbd_build_{_name}"] = (c.c_int, [
        c.c_void_p, c.POINTER(build_mesh), c.POINTER(_kind), c.POINTER(built)])
