# SPDX-License-Identifier: MIT
"""World: the calls of xpbd.h on NumPy arrays."""

import collections
import ctypes as c
import threading

import numpy as np

from . import _arrays, _structures
from ._library import Error, library
from ._tables import constraint_type, constraint_types, type_name

_summary = _structures.sized("world_summary", _structures.WORLD_SUMMARY, len(constraint_types))
Summary = collections.namedtuple("Summary", [name for name, _ in _structures.WORLD_SUMMARY])
Diagnostics = collections.namedtuple(
    "Diagnostics", [name for name, _ in _structures.diagnostics._fields_])
Broken = collections.namedtuple("Broken", "type index")

# Fields that are numbers, texts or switches are options of World().
_OPTIONS = {name: kind for name, kind in _structures.world_def._fields_
            if name != "cookie" and kind is not c.c_void_p}
# Pairs of pointer and stride.
_COLUMNS = [name[:-len("_stride")] for name, _ in _structures.constraints._fields_
            if name.endswith("_stride") and name != "particles_stride"]


def world_options():
    """Name to default value of the options of World()."""
    default = library.xpbd_default_world_def()
    return {name: _read(name, getattr(default, name)) for name in _OPTIONS}


def _read(name, value):
    """A field of a structure as Python has such things."""
    if isinstance(value, bytes):
        return value.decode()
    if isinstance(value, c.Array):
        value = list(value)
        return dict(zip(constraint_types, value)) if name == "n_constraints" else tuple(value)
    return type_name(value) if name.endswith("_type") else value


def _record(kind, structure):
    return kind(*[_read(name, getattr(structure, name)) for name in kind._fields])


def _set_option(definition, name, value):
    if name not in _OPTIONS:
        raise TypeError(f"World() has no option '{name}'; there are {', '.join(_OPTIONS)}")
    kind = _OPTIONS[name]
    if value is None:
        return
    if kind is c.c_char_p:
        if not isinstance(value, str):
            raise TypeError(f"{name} must be a name, not {value!r}")
        value = value.encode()
    elif kind is c.c_bool:
        value = bool(value)
    elif kind is c.c_float:
        value = float(value)
    elif kind in (c.c_uint32, c.c_int32):
        signed = kind is c.c_int32
        value = _arrays.whole(name, value, -2**31 if signed else 0, 2**31 - 1 if signed else 2**32 - 1)
    else:
        numbers = [float(number) for number in value]
        if len(numbers) != kind._length_:
            raise ValueError(f"{name} has {len(numbers)} numbers; {kind._length_} are expected")
        value = kind(*numbers)
    setattr(definition, name, value)


class World:
    """Particles and constraints. Options are the fields of xpbd_world_def by their names, None for
    the library's choice; world_options() lists them with their defaults:

        World(scheduler="slab-gs", threads=2, substeps=20, iterations=1, acceleration=(0, -9.81, 0))

    Whatever is added keeps its index. Arrays stay the caller's and are only read, or written where
    they are given as `out`, during a call; shapes are in the methods. One number, or one row,
    stands for all. What the library refuses raises Error, and then nothing has changed.

    A world may be used from several threads, one at a time: calls wait for each other. Other threads
    of Python run meanwhile.
    """

    def __init__(self, **options):
        self._world = None
        self._lock = threading.RLock()
        self._sizes = {}  # elements of each constraint, of types of variable size
        definition = library.xpbd_default_world_def()
        for name, value in options.items():
            _set_option(definition, name, value)
        pointer, error = c.c_void_p(), _structures.error()
        if library.xpbd_world_create(c.byref(definition), c.byref(pointer), c.byref(error)):
            raise Error(error)
        self._world = pointer.value

    # ---- life

    def close(self):
        """Free the world now. Any later use is an error, but for closing it again."""
        with self._lock:
            world, self._world = self._world, None
            library.xpbd_world_destroy(world)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()

    def __del__(self):
        if getattr(self, "_world", None) is not None:
            self.close()

    def _call(self, function, *arguments):
        with self._lock:
            if self._world is None:
                raise ValueError("the world is closed")
            status = getattr(library, "xpbd_world_" + function)(self._world, *arguments)
            if status:
                raise Error(library.xpbd_world_error(self._world).contents)

    # ---- adding

    def add_particles(self, position, *, velocity=None, inverse_mass=None):
        """Add particles; returns the range of their indices.
        position      (n, 3) m
        velocity      (n, 3) m/s; None: at rest
        inverse_mass  (n,) 1/kg; None: 1; 0 pins the particle
        """
        given = {"position": position, "velocity": velocity, "inverse_mass": inverse_mass}
        shape = np.shape(position)
        if len(shape) != 2:
            raise ValueError(f"position has the shape {shape}; (n, 3) is expected")
        into, first = _structures.particles(), c.c_uint32()
        kept = [self._column(into, name, values, shape[0], 1 if name == "inverse_mass" else 3)
                for name, values in given.items() if values is not None]
        self._call("add_particles", shape[0], c.byref(into), c.byref(first))
        del kept
        return range(first.value, first.value + shape[0])

    def add_constraints(self, type, particles, *, sizes=None, **columns):
        """Add constraints of a type, by name; returns the range of their indices in that type.
        particles     (m, n_particles) integers
        rest          (m, n_rest); None: what the positions are now
        compliance    (m,) in the type's unit; None: 0, infinitely stiff
        damping, damping_time, stiffness, break_force   (m,); xpbd_constraints in xpbd.h
        Of types of variable size particles are (elements, n_particles), and there are in addition
        sizes         (m,) integers, elements of each constraint
        element_rest  (elements, n_element_rest)
        """
        row = constraint_type(type)
        into, first = _structures.constraints(), c.c_uint32()
        elements = len(particles)
        count, kept = self._sized(row, elements, sizes, into)
        for name, values in [("particles", particles), *columns.items()]:
            if values is not None:
                kept.append(self._constraint_column(into, row, name, values, count, elements))
        with self._lock:
            self._call("add_constraints", row.index, count, c.byref(into), c.byref(first))
            if row.variable:
                self._sizes.setdefault(row.name, []).extend(kept[0].tolist())
        return range(first.value, first.value + count)

    @staticmethod
    def _column(into, name, values, count, width, indices=False):
        array, pointer, stride = _arrays.given(name, values, count, width, indices)
        setattr(into, name, pointer)
        setattr(into, name + "_stride", stride)
        return array

    def _constraint_column(self, into, row, name, values, count, elements):
        if name == "particles":
            return self._column(into, name, values, elements, row.n_particles, indices=True)
        if name not in _COLUMNS:
            raise TypeError(f"constraints have no '{name}'; there are {', '.join(_COLUMNS)}")
        width = {"rest": row.n_rest, "element_rest": row.n_element_rest}.get(name, 1)
        if width == 0:
            raise ValueError(f"{row.name} has no {name}")
        return self._column(into, name, values, elements if name == "element_rest" else count, width)

    @staticmethod
    def _sized(row, elements, sizes, into):
        """How many constraints there are, and what has to be kept during the call."""
        if not row.variable:
            if sizes is not None:
                raise ValueError(f"{row.name} has no sizes: its constraints have one element")
            return elements, []
        if sizes is None:
            raise ValueError(f"{row.name} needs sizes: how many elements each constraint has")
        array, pointer, _ = _arrays.given("sizes", sizes, len(sizes), 1, indices=True)
        array = np.ascontiguousarray(array)
        if int(array.sum(dtype=np.uint64)) != elements:
            raise ValueError(f"{row.name}: sizes add up to {int(array.sum(dtype=np.uint64))} elements, "
                             f"and particles has {elements} rows")
        into.sizes = array.ctypes.data
        return len(array), [array]

    # ---- changing

    def set_constraints(self, type, first=0, count=None, **columns):
        """Change columns of constraints [first, first + count): rest, compliance, damping,
        damping_time, stiffness, break_force, element_rest. Shapes as in add_constraints()."""
        row = constraint_type(type)
        first, count = self._range(first, count, self._n_constraints(row))
        into = _structures.constraints()
        if "particles" in columns:
            raise TypeError("the particles of a constraint cannot be changed")
        kept = [self._constraint_column(into, row, name, values, count,
                                        self._rows(row, first, count))
                for name, values in columns.items() if values is not None]
        self._call("set_constraints", row.index, first, count, c.byref(into))
        del kept

    def enable_constraints(self, type, first=0, count=None, enabled=True):
        """Switch constraints [first, first + count) off or on."""
        row = constraint_type(type)
        first, count = self._range(first, count, self._n_constraints(row))
        self._call("enable_constraints", row.index, first, count, bool(enabled))

    def set_positions(self, position, first=0, count=None):
        """Put particles elsewhere at once; (n, 3) m."""
        self._write("set_positions", "position", position, first, count, 3)

    def set_velocities(self, velocity, first=0, count=None):
        """(n, 3) m/s."""
        self._write("set_velocities", "velocity", velocity, first, count, 3)

    def set_inverse_masses(self, inverse_mass, first=0, count=None):
        """Pin (0) and release particles; (n,) 1/kg."""
        self._write("set_inverse_masses", "inverse_mass", inverse_mass, first, count, 1)

    def set_forces(self, force, first=0, count=None):
        """Forces that stay until they are changed; (n, 3) N."""
        self._write("set_forces", "force", force, first, count, 3)

    def move_particles(self, target, first=0, count=None):
        """Move pinned particles in a straight line through the next step; (n, 3) m."""
        self._write("move_particles", "target", target, first, count, 3)

    def set_solver(self, substeps, iterations):
        """Substeps per step and iterations per substep."""
        self._call("set_solver", _arrays.whole("substeps", substeps),
                   _arrays.whole("iterations", iterations))

    def set_acceleration(self, acceleration):
        """Of all particles that have a mass; 3 numbers, m/s^2."""
        array, pointer, _ = _arrays.given("acceleration", acceleration, 1, 3)
        self._call("set_acceleration", pointer)
        del array

    def set_threads(self, threads):
        """0: as many as the process may use. The result does not depend on it."""
        self._call("set_threads", _arrays.whole("threads", threads, -2**31, 2**31 - 1))

    # ---- stepping

    def prepare(self):
        """Do now what the next step would do first after additions."""
        self._call("prepare")

    def step(self, dt):
        """Advance by dt seconds."""
        self._call("step", float(dt))

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
            if self._world is None:
                raise ValueError("the world is closed")
            return library.xpbd_world_hash(self._world)

    def summary(self):
        """What was chosen and built; xpbd_world_summary in xpbd.h."""
        structure = _summary()
        self._call("summarize", c.byref(structure))
        return _record(Summary, structure)

    def diagnose(self):
        """How good the state is; xpbd_diagnostics in xpbd.h."""
        structure = _structures.diagnostics()
        self._call("diagnose", c.byref(structure))
        return _record(Diagnostics, structure)

    def __repr__(self):
        if self._world is None:
            return "<xpbd.World, closed>"
        s = self.summary()
        return (f"<xpbd.World of {s.n_particles} particles and {sum(s.n_constraints.values())} "
                f"constraints, {s.scheduler} on {s.isa}>")

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
        return sum(self._sizes.get(row.name, [])[first:first + count])

    def _write(self, function, name, values, first, count, width):
        # One row for all needs to be told how many there are; else the array says it.
        if count is None and np.ndim(values) > (width > 1):
            count = len(values)
        with self._lock:
            first, count = self._range(first, count, self.summary().n_particles)
            array, pointer, stride = _arrays.given(name, values, count, width)
            self._call(function, first, count, pointer, stride)
            del array

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
