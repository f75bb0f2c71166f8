# SPDX-License-Identifier: MIT
"""The structures and functions of xpbd.h, for ctypes.

A new field of the header needs its row here, in its place, and a new function its row in FUNCTIONS;
that is all: options of worlds and arrays of particles and constraints are taken from these rows.
tests/outside/structures.py compares sizes, offsets and signatures with the compiled header.
"""

import ctypes as c

# How many constraint types the library has is known when it is loaded; see sized().
_TYPES = object()


class error(c.Structure):
    _fields_ = [
        ("status", c.c_int),
        ("type", c.c_int32),
        ("element", c.c_uint64),
        ("value", c.c_double),
        ("text", c.c_char * 256),
    ]


class constraint_info(c.Structure):
    _fields_ = [
        ("name", c.c_char_p),
        ("n_particles", c.c_uint32),
        ("n_rest", c.c_uint32),
        ("n_rows", c.c_uint32),
        ("rest_text", c.c_char_p),
        ("compliance_unit", c.c_char_p),
        ("source", c.c_char_p),
        ("variable", c.c_bool),
        ("rows_per_element", c.c_bool),
        ("n_element_rest", c.c_uint32),
    ]


LOG_WRITE = c.CFUNCTYPE(None, c.c_void_p, c.c_int, c.c_char_p)
LOG_LEVELS = ("error", "warning", "info")
SUBSTEP = c.CFUNCTYPE(c.c_bool, c.c_void_p, c.c_void_p, c.c_uint32)


class log(c.Structure):
    _fields_ = [("write", LOG_WRITE), ("user", c.c_void_p)]


class world_def(c.Structure):
    _fields_ = [
        ("cookie", c.c_uint32),
        ("substeps", c.c_uint32),
        ("iterations", c.c_uint32),
        ("acceleration", c.c_float * 3),
        ("scheduler", c.c_char_p),
        ("layout", c.c_char_p),
        ("isa", c.c_char_p),
        ("ordering", c.c_char_p),
        ("pinning", c.c_char_p),
        ("threads", c.c_int32),
        ("relaxation", c.c_float),
        ("spectral_radius", c.c_float),
        ("plain_stiffness", c.c_bool),
        ("keep_prediction", c.c_bool),
        ("tolerance", c.c_float),
        ("check_every", c.c_uint32),
        ("guard", c.c_uint32),
        ("max_speed", c.c_float),
        ("max_force", c.c_float),
        ("custom_scheduler", c.c_void_p),
        ("allocator", c.c_void_p),
        ("task_system", c.c_void_p),
        ("log", log),
    ]


class particles(c.Structure):
    _fields_ = [
        ("position", c.c_void_p),
        ("position_stride", c.c_size_t),
        ("velocity", c.c_void_p),
        ("velocity_stride", c.c_size_t),
        ("inverse_mass", c.c_void_p),
        ("inverse_mass_stride", c.c_size_t),
    ]


class constraints(c.Structure):
    _fields_ = [
        ("particles", c.c_void_p),
        ("particles_stride", c.c_size_t),
        ("rest", c.c_void_p),
        ("rest_stride", c.c_size_t),
        ("compliance", c.c_void_p),
        ("compliance_stride", c.c_size_t),
        ("damping", c.c_void_p),
        ("damping_stride", c.c_size_t),
        ("damping_time", c.c_void_p),
        ("damping_time_stride", c.c_size_t),
        ("stiffness", c.c_void_p),
        ("stiffness_stride", c.c_size_t),
        ("break_force", c.c_void_p),
        ("break_force_stride", c.c_size_t),
        ("sizes", c.c_void_p),
        ("element_rest", c.c_void_p),
        ("element_rest_stride", c.c_size_t),
    ]


class broken(c.Structure):
    _fields_ = [("type", c.c_int), ("index", c.c_uint32)]


class diagnostics(c.Structure):
    _fields_ = [
        ("residual_max", c.c_double),
        ("residual_rms", c.c_double),
        ("worst_type", c.c_int32),
        ("worst_index", c.c_uint32),
        ("kinetic_energy", c.c_double),
        ("constraint_energy", c.c_double),
        ("momentum", c.c_double * 3),
        ("angular_momentum", c.c_double * 3),
        ("n_nonfinite", c.c_uint64),
        ("first_nonfinite", c.c_uint32),
        ("n_degenerate", c.c_uint64),
        ("first_degenerate_type", c.c_int32),
        ("first_degenerate_index", c.c_uint32),
        ("n_infeasible", c.c_uint64),
        ("first_infeasible_type", c.c_int32),
        ("first_infeasible_index", c.c_uint32),
        ("has_imbalance", c.c_bool),
        ("imbalance_max", c.c_double),
        ("imbalance_rms", c.c_double),
        ("imbalance_particle", c.c_uint32),
        ("n_iterations", c.c_uint64),
        ("n_unfinished", c.c_uint32),
        ("sweep_residual", c.c_double),
    ]


class step_report(c.Structure):
    _fields_ = [
        ("seconds", c.c_double),
        ("threads", c.c_uint32),
        ("substeps", c.c_uint32),
        ("iterations", c.c_uint64),
        ("n_late", c.c_uint32),
        ("n_unfinished", c.c_uint32),
        ("sweep_residual", c.c_double),
        ("n_guarded", c.c_uint64),
        ("guard_substep", c.c_uint32),
        ("guard_particle", c.c_uint32),
        ("guard_speed", c.c_double),
        ("guard_force", c.c_double),
        ("guard_type", c.c_int32),
        ("guard_index", c.c_uint32),
        ("guard_pull", c.c_double),
    ]


class replay_report(c.Structure):
    _fields_ = [
        ("n_calls", c.c_uint64),
        ("n_steps", c.c_uint64),
        ("differs", c.c_bool),
        ("recorded", c.c_uint64),
        ("hash", c.c_uint64),
        ("text", c.c_char * 256),
    ]


WORLD_SUMMARY = [
    ("n_particles", c.c_uint32),
    ("n_constraints", (c.c_uint32, _TYPES)),
    ("n_removed_particles", c.c_uint32),
    ("n_removed_constraints", (c.c_uint32, _TYPES)),
    ("scheduler", c.c_char_p),
    ("layout", c.c_char_p),
    ("isa", c.c_char_p),
    ("ordering", c.c_char_p),
    ("pinning", c.c_char_p),
    ("threads", c.c_uint32),
    ("threads_active", c.c_uint32),
    ("threads_usable", c.c_uint32),
    ("oversubscribed", c.c_bool),
    ("binding", c.c_char_p),
    ("n_stages", c.c_uint32),
    ("n_groups", c.c_uint32),
    ("n_padding", c.c_uint32),
    ("bytes", c.c_uint64),
]


def sized(name, fields, n_types):
    """The structure whose arrays have an element per constraint type."""
    return type(name, (c.Structure,), {"_fields_": [
        (field, kind[0] * n_types if isinstance(kind, tuple) else kind) for field, kind in fields]})


_world, _bulk = c.c_void_p, [c.c_void_p, c.c_uint32, c.c_uint32, c.c_void_p, c.c_size_t]
_typed = [c.c_void_p, c.c_int, c.c_uint32, c.c_uint32]
_name = (c.c_char_p, [c.c_uint32])

# name: (result, arguments); pointers are c_void_p or typed where Python makes them.
FUNCTIONS = {
    "xpbd_version": (c.c_uint32, []),
    "xpbd_status_name": (c.c_char_p, [c.c_int]),
    "xpbd_status_text": (c.c_char_p, [c.c_int]),
    "xpbd_constraint_type_info": (c.POINTER(constraint_info), [c.c_int]),
    "xpbd_scheduler_name": _name,
    "xpbd_scheduler_summary": _name,
    "xpbd_layout_name": _name,
    "xpbd_isa_name": _name,
    "xpbd_isa_available": (c.c_bool, [c.c_uint32]),
    "xpbd_ordering_name": _name,
    "xpbd_pinning_name": _name,
    "xpbd_default_world_def": (world_def, []),
    "xpbd_world_create": (c.c_int, [c.POINTER(world_def), c.POINTER(_world), c.POINTER(error)]),
    "xpbd_world_destroy": (None, [_world]),
    "xpbd_world_error": (c.POINTER(error), [_world]),
    "xpbd_world_add_particles": (
        c.c_int, [_world, c.c_uint32, c.POINTER(particles), c.POINTER(c.c_uint32)]),
    "xpbd_world_add_constraints": (
        c.c_int, [_world, c.c_int, c.c_uint32, c.POINTER(constraints), c.POINTER(c.c_uint32)]),
    "xpbd_world_remove_constraints": (c.c_int, _typed),
    "xpbd_world_remove_particles": (
        c.c_int, [_world, c.c_uint32, c.c_uint32, c.POINTER(c.c_uint32)]),
    "xpbd_world_read_removed": (
        c.c_int, [_world, c.c_int32, c.c_uint32, c.c_uint32, c.c_void_p]),
    "xpbd_world_compact": (c.c_int, [_world, c.c_void_p, c.c_void_p]),
    "xpbd_world_save": (c.c_int, [_world, c.c_size_t, c.c_void_p, c.POINTER(c.c_size_t)]),
    "xpbd_world_load": (c.c_int, [_world, c.c_size_t, c.c_void_p]),
    "xpbd_world_record_start": (c.c_int, [_world]),
    "xpbd_world_record_stop": (c.c_int, [_world]),
    "xpbd_world_read_record": (c.c_int, [_world, c.c_size_t, c.c_void_p, c.POINTER(c.c_size_t)]),
    "xpbd_replay": (c.c_int, [c.c_size_t, c.c_void_p, c.POINTER(world_def),
                              c.POINTER(replay_report), c.POINTER(error)]),
    "xpbd_world_set_constraints": (c.c_int, _typed + [c.POINTER(constraints)]),
    "xpbd_world_enable_constraints": (c.c_int, _typed + [c.c_bool]),
    "xpbd_world_set_positions": (c.c_int, _bulk),
    "xpbd_world_set_velocities": (c.c_int, _bulk),
    "xpbd_world_set_inverse_masses": (c.c_int, _bulk),
    "xpbd_world_set_forces": (c.c_int, _bulk),
    "xpbd_world_move_particles": (c.c_int, _bulk),
    "xpbd_world_set_solver": (c.c_int, [_world, c.c_uint32, c.c_uint32]),
    "xpbd_world_set_tolerance": (c.c_int, [_world, c.c_float, c.c_uint32]),
    "xpbd_world_set_guard": (c.c_int, [_world, c.c_int, c.c_float, c.c_float]),
    "xpbd_world_set_budget": (c.c_int, [_world, c.c_uint32]),
    "xpbd_world_read_report": (c.c_int, [_world, c.POINTER(step_report)]),
    "xpbd_world_set_acceleration": (c.c_int, [_world, c.c_void_p]),
    "xpbd_world_set_threads": (c.c_int, [_world, c.c_int32]),
    "xpbd_world_prepare": (c.c_int, [_world]),
    "xpbd_world_step": (c.c_int, [_world, c.c_double]),
    "xpbd_world_set_substep_callback": (c.c_int, [_world, SUBSTEP, c.c_void_p]),
    "xpbd_world_add_particle_port": (c.c_int, [_world, c.c_uint32, c.POINTER(c.c_uint32)]),
    "xpbd_world_add_constraint_port": (
        c.c_int, [_world, c.c_int, c.c_uint32, c.POINTER(c.c_uint32)]),
    "xpbd_world_read_port": (c.c_int, [_world, c.c_uint32, c.c_void_p]),
    "xpbd_world_clear_ports": (c.c_int, [_world]),
    "xpbd_world_read_positions": (c.c_int, _bulk),
    "xpbd_world_read_velocities": (c.c_int, _bulk),
    "xpbd_world_read_lambdas": (c.c_int, _typed + [c.c_void_p, c.c_size_t]),
    "xpbd_world_read_forces": (c.c_int, _typed + [c.c_void_p, c.c_size_t]),
    "xpbd_world_read_broken": (
        c.c_int, [_world, c.c_uint32, c.POINTER(broken), c.POINTER(c.c_uint32)]),
    "xpbd_world_hash": (c.c_uint64, [_world]),
    "xpbd_world_summarize": (c.c_int, [_world, c.c_void_p]),
    "xpbd_world_explain": (c.c_int, [_world, c.c_void_p, c.c_size_t, c.POINTER(c.c_size_t)]),
    "xpbd_world_diagnose": (c.c_int, [_world, c.POINTER(diagnostics)]),
}
