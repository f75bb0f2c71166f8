# SPDX-License-Identifier: MIT
"""Removing, snapshots and records; a part of World."""

import collections
import ctypes as c

import numpy as np

from . import _arrays, _structures
from ._library import Error, library
from ._options import record_of, set_option
from ._tables import constraint_type, constraint_types

Replay = collections.namedtuple(
    "Replay", [name for name, _ in _structures.replay_report._fields_])


class Snapshots:
    """See Reading for what World has."""

    # ---- removing

    def remove_constraints(self, type, first, count=1):
        """Remove constraints [first, first + count) for good; all others keep their indices."""
        self._call("remove_constraints", constraint_type(type).index, *self._range(first, count, 0))

    def remove_particles(self, first, count=1):
        """Remove particles and the constraints that name them; returns how many of these."""
        number = c.c_uint32()
        self._call("remove_particles", *self._range(first, count, 0), c.byref(number))
        return number.value

    def removed(self, type=None, first=0, count=None):
        """(count,) bool: which particles, or constraints of a type, were removed."""
        row = constraint_type(type) if type is not None else None
        with self._lock:
            total = self._n_constraints(row) if row else self.summary().n_particles
            first, count = self._range(first, count, total)
            self._inside(first, count, total)
            out = np.zeros(count, bool)
            self._call("read_removed", row.index if row else -1, first, count, out.ctypes.data)
        return out

    def compact(self):
        """Number what is left anew; returns the new indices as (of particles, {type: of
        constraints}), -1 for what was removed."""
        with self._lock:
            summary = self.summary()
            particles = np.zeros(summary.n_particles, np.uint32)
            maps = {name: np.zeros(n, np.uint32) for name, n in summary.n_constraints.items()}
            pointers = (c.c_void_p * len(maps))(*[one.ctypes.data for one in maps.values()])
            self._call("compact", particles.ctypes.data, pointers)
            for name, sizes in (self._sizes or {}).items():
                kept = maps[name] != 2**32 - 1
                self._sizes[name] = [size for size, keep in zip(sizes, kept) if keep]
        signed = {name: one.astype(np.int32).astype(np.int64) for name, one in maps.items() if len(one)}
        return particles.astype(np.int32).astype(np.int64), signed

    # ---- snapshots and records

    def _bytes(self, function):
        size = c.c_size_t()
        with self._lock:
            self._call(function, 0, None, c.byref(size))
            data = c.create_string_buffer(size.value)
            self._call(function, size.value, data, c.byref(size))
        return data.raw

    def save(self):
        """All of the scene and its state, as bytes: going on from it gives the same bits."""
        return self._bytes("save")

    def load(self, data, sizes=None):
        """Replace all that the world has by what save() gave. Lambdas and forces of types of variable
        size can be read afterwards if their sizes are given: {type: (m,) integers}."""
        data = bytes(data)
        with self._lock:
            self._call("load", len(data), data)
            self._port_shapes = []
            self._sizes = None if sizes is None else {name: list(n) for name, n in sizes.items()}

    def record_start(self):
        """Begin a record of all calls that change the world; one that is there is dropped."""
        self._call("record_start")

    def record_stop(self):
        """End the record; returns it, as bytes for xpbd.replay()."""
        with self._lock:
            self._call("record_stop")
            return self._bytes("read_record")


def replay(record, **options):
    """Run a record again in a world of its own, made with these options, until its end or the first
    difference: (n_calls, n_steps, differs, recorded, hash, text)."""
    record = bytes(record)
    definition = library.xpbd_default_world_def()
    for name, value in options.items():
        set_option(definition, name, value)
    report, error = _structures.replay_report(), _structures.error()
    if library.xpbd_replay(len(record), record, c.byref(definition), c.byref(report), c.byref(error)):
        raise Error(error)
    return record_of(Replay, report)
