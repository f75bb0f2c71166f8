# SPDX-License-Identifier: MIT
"""What can be read of a world; a part of World."""

import collections
import ctypes as c

import numpy as np

from . import _arrays, _structures
from ._library import Error, library
from ._options import record_of
from ._tables import constraint_type, constraint_types, type_name

_summary = _structures.sized("world_summary", _structures.WORLD_SUMMARY, len(constraint_types))
Summary = collections.namedtuple("Summary", [name for name, _ in _structures.WORLD_SUMMARY])
Diagnostics = collections.namedtuple(
    "Diagnostics", [name for name, _ in _structures.diagnostics._fields_])
Broken = collections.namedtuple("Broken", "type index")
StepReport = collections.namedtuple(
    "StepReport", [name for name, _ in _structures.step_report._fields_])


class Reading:
    """World has its handle in _world, a lock in _lock, and the elements of each constraint of types
    of variable size in _sizes."""

    def _open(self):
        if self._world is None:
            raise ValueError("the world is closed")

    def _call(self, function, *arguments):
        with self._lock:
            self._open()
            status = getattr(library, "xpbd_world_" + function)(self._world, *arguments)
            if status:
                raise Error(library.xpbd_world_error(self._world).contents)

    # ---- reading

    def positions(self, first=0, count=None, out=None):
        """(count, 3) float32, m; a new array, or `out`."""
        return self._read("read_positions", first, count, out)

    def velocities(self, first=0, count=None, out=None):
        """(count, 3) float32, m/s."""
        return self._read("read_velocities", first, count, out)

    def lambdas(self, type, first=0, count=None, out=None):
        """Multipliers of the last substep, (count, n_rows) float32; where rows_per_element is set
        one row per element."""
        row = constraint_type(type)
        return self._read_constraints("read_lambdas", row, first, count, out, (row.n_rows,),
                                      row.rows_per_element)

    def forces(self, type, first=0, count=None, out=None):
        """Forces on the particles of constraints in the last substep, N; (count, n_particles, 3)
        float32, of types of variable size one per element."""
        row = constraint_type(type)
        return self._read_constraints("read_forces", row, first, count, out, (row.n_particles, 3),
                                      row.variable)

    def broken(self):
        """What broke in the last step, a list of (type, index)."""
        number = c.c_uint32()
        with self._lock:
            self._call("read_broken", 0, None, c.byref(number))
            records = (_structures.broken * number.value)()
            self._call("read_broken", number.value, records, c.byref(number))
        return [Broken(type_name(record.type), record.index) for record in records]

    def hash(self):
        """Of positions and velocities: equal states give equal hashes on every machine."""
        with self._lock:
            self._open()
            return library.xpbd_world_hash(self._world)

    def summary(self):
        """What was chosen and built; xpbd_world_summary in xpbd.h."""
        structure = _summary()
        self._call("summarize", c.byref(structure))
        return record_of(Summary, structure)

    def report(self):
        """What the last step did; xpbd_step_report in xpbd.h."""
        structure = _structures.step_report()
        self._call("read_report", c.byref(structure))
        return record_of(StepReport, structure)

    def explain(self):
        """What was chosen for the world as it is prepared, and why, in lines of text."""
        needed = c.c_size_t()
        with self._lock:
            self._call("explain", None, 0, c.byref(needed))
            text = c.create_string_buffer(needed.value)
            self._call("explain", text, needed.value, None)
        return text.value.decode()

    def diagnose(self):
        """How good the state is; xpbd_diagnostics in xpbd.h."""
        structure = _structures.diagnostics()
        self._call("diagnose", c.byref(structure))
        return record_of(Diagnostics, structure)

    # ---- ranges

    def _n_constraints(self, row):
        return self.summary().n_constraints[row.name]

    @staticmethod
    def _range(first, count, total):
        first = _arrays.whole("first", first)
        # The library says what is wrong with a range that reaches past the end.
        return first, _arrays.whole("count", max(0, total - first) if count is None else count)

    def _rows(self, row, first, count):
        if not row.variable:
            return count
        if self._sizes is None:
            raise ValueError(f"how many elements the constraints of {row.name} have is not known after "
                             "load(): give it sizes")
        return sum(self._sizes.get(row.name, [])[first:first + count])

    def _read(self, function, first, count, out):
        with self._lock:
            total = self.summary().n_particles
            first, count = self._range(first, count, total)
            self._inside(first, count, total)
            out, pointer, stride = _arrays.result(function, out, (count, 3))
            self._call(function, first, count, pointer, stride)
        return out

    def _read_constraints(self, function, row, first, count, out, shape, per_element):
        with self._lock:
            total = self._n_constraints(row)
            first, count = self._range(first, count, total)
            self._inside(first, count, total)
            rows = self._rows(row, first, count) if per_element else count
            out, pointer, stride = _arrays.result(function, out, (rows,) + shape)
            self._call(function, row.index, first, count, pointer, stride)
        return out

    @staticmethod
    def _inside(first, count, total):
        """Before memory is asked for by a count that cannot be."""
        if first + count > total:
            raise IndexError(f"[{first}, {first + count}) reaches past the {total} that there are")
