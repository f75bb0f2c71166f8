# SPDX-License-Identifier: MIT
"""World: the calls of xpbd.h on NumPy arrays, but for those that read (_reading.py),
for removing and snapshots (_snapshots.py) and for builders (_building.py)."""

import ctypes as c
import threading

import numpy as np

from . import _arrays, _structures
from ._building import Building
from ._library import Error, library
from ._options import CHOICES, log_to, set_option
from ._reading import Reading
from ._snapshots import Snapshots
from ._tables import constraint_type

# Pairs of pointer and stride.
_COLUMNS = [name[:-len("_stride")] for name, _ in _structures.constraints._fields_
            if name.endswith("_stride") and name != "particles_stride"]


class World(Reading, Snapshots, Building):
    """Particles and constraints. Options are the fields of xpbd_world_def by their names, None for
    the library's choice; world_options() lists them with their defaults:

        World(scheduler="slab-gs", threads=2, substeps=20, iterations=1, acceleration=(0, -9.81, 0))

    Whatever is added keeps its index. Arrays stay the caller's and are only read, or written where
    they are given as `out`, during a call; shapes are in the methods. One number, or one row,
    stands for all. What the library refuses raises Error, and then nothing has changed. The option
    log=f has f(level, text) called with the library's remarks.

    A world may be used from several threads, one at a time: calls wait for each other. Other threads
    of Python run meanwhile.
    """

    def __init__(self, *, log=None, **options):
        self._world = None
        self._lock = threading.RLock()
        self._sizes = {}  # elements of each constraint, of types of variable size
        self._substep = None  # the library's callback, and what it raised
        self._raised = None
        self._stepping = False
        self._port_shapes = []
        definition = library.xpbd_default_world_def()
        if log is not None:
            self._log = definition.log = log_to(log)
        for name, value in options.items():
            set_option(definition, name, value)
        pointer, error = c.c_void_p(), _structures.error()
        if library.xpbd_world_create(c.byref(definition), c.byref(pointer), c.byref(error)):
            raise Error(error)
        self._world = pointer.value

    # ---- life

    def close(self):
        """Free the world now. Any later use is an error, but for closing it again."""
        with self._lock:
            if self._stepping:
                raise ValueError("a world cannot be closed from inside its step")
            world, self._world = self._world, None
            library.xpbd_world_destroy(world)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()

    def __del__(self):
        if getattr(self, "_world", None) is not None:
            self.close()

    def __repr__(self):
        if self._world is None:
            return "<xpbd.World, closed>"
        s = self.summary()
        return (f"<xpbd.World of {s.n_particles} particles and {sum(s.n_constraints.values())} "
                f"constraints, {s.scheduler} on {s.isa}>")

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
            if row.variable and self._sizes is not None:
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

    def set_tolerance(self, tolerance, check_every=8):
        """End the iterations of a substep below a residual, looked at every so many; 0: all."""
        self._call("set_tolerance", float(tolerance), _arrays.whole("check_every", check_every))

    def set_guard(self, guard, max_speed=np.inf, max_force=np.inf):
        """Watch for explosions: "off", "report" or "clamp"; m/s and N. report() has what was found."""
        if guard not in CHOICES["guard"]:
            raise ValueError(f"guard is {guard!r}; there are {', '.join(CHOICES['guard'])}")
        self._call("set_guard", CHOICES["guard"].index(guard), float(max_speed), float(max_force))

    def set_budget(self, microseconds):
        """Limit the time that a step iterates; 0: no limit. The result then depends on the time."""
        self._call("set_budget", _arrays.whole("microseconds", microseconds))

    def set_acceleration(self, acceleration):
        """Of all particles that have a mass; 3 numbers, m/s^2."""
        array, pointer, _ = _arrays.given("acceleration", acceleration, 1, 3)
        self._call("set_acceleration", pointer)
        del array

    def set_threads(self, threads):
        """0: as many as the process may use. The result does not depend on it."""
        self._call("set_threads", _arrays.whole("threads", threads, -2**31, 2**31 - 1))

    def _write(self, function, name, values, first, count, width):
        # One row for all needs to be told how many there are; else the array says it.
        if count is None and np.ndim(values) > (width > 1):
            count = len(values)
        with self._lock:
            first, count = self._range(first, count, self.summary().n_particles)
            array, pointer, stride = _arrays.given(name, values, count, width)
            self._call(function, first, count, pointer, stride)
            del array

    # ---- stepping

    def prepare(self):
        """Do now what the next step would do first after additions."""
        self._call("prepare")

    def step(self, dt):
        """Advance by dt seconds."""
        dt = float(dt)
        with self._lock:
            inner, self._stepping = self._stepping, True
            try:
                self._call("step", dt)
            finally:
                self._stepping = inner
            raised, self._raised = self._raised, None
        if raised is not None:
            raise raised

    def on_substep(self, function):
        """Have function(world, substep) called at the end of each substep; None for none. If it
        returns False or raises, the step ends there. In it the world can be read, and positions,
        velocities, forces and constraints set."""
        if function is not None and not callable(function):
            raise TypeError(f"a function of world and substep is expected, not {function!r}")

        def substep(_user, _world, number):
            try:
                return function(self, number) is not False
            except BaseException as error:  # also KeyboardInterrupt; step() raises it
                self._raised = error
                return False

        callback = _structures.SUBSTEP(substep) if function else _structures.SUBSTEP()
        self._call("set_substep_callback", callback, None)
        self._substep = callback  # the library calls it as long as it is set

    # ---- force ports

    def add_port(self, particle=None, *, type=None, index=None):
        """Watch the forces on a particle, or of a constraint of a type; returns the port's number."""
        port = c.c_uint32()
        with self._lock:
            if type is None:
                self._call("add_particle_port", _arrays.whole("particle", particle), c.byref(port))
                shape = (3,)
            else:
                row = constraint_type(type)
                self._call("add_constraint_port", row.index, _arrays.whole("index", index),
                           c.byref(port))
                shape = (row.n_particles, 3)
            self._port_shapes[port.value:] = [shape]
        return port.value

    def port(self, number):
        """The mean force of the last step, N: (3,) of a particle, (n_particles, 3) of a constraint."""
        with self._lock:
            known = _arrays.whole("port", number) < len(self._port_shapes)
            force = np.zeros(self._port_shapes[number] if known else 3, np.float32)
            self._call("read_port", number, force.ctypes.data)
        return force

    def clear_ports(self):
        """Forget all ports."""
        with self._lock:
            self._call("clear_ports")
            self._port_shapes = []
