# SPDX-License-Identifier: MIT
"""The builders of xpbd/build.h: from meshes and materials to particles and constraints; a part of
World."""

import collections
import ctypes as c

import numpy as np

from . import _arrays, _build_structures as _S
from ._library import Error, library
from ._options import set_field
from ._tables import type_name

# Options that are choices, by definition.
_CHOICES = {
    "triangles": {"stretch": _S.STRETCH, "bend": _S.BEND},
    "tetrahedra": {"model": _S.MODEL},
    "polyline": {},
}

Built = collections.namedtuple("Built", "particles stretch bend volume tethers particle_of report")
Range = collections.namedtuple("Range", "type constraints")
Report = collections.namedtuple(
    "Report", "count first n_welded n_edges n_inner_edges n_boundary_edges text")


def _options_of(definition):
    """Name to (structure, kind) of what can be given for a definition."""
    table = {name: (definition.options, kind) for name, kind in _S.build_options._fields_
             if name not in ("cookie", "policy") and kind is not c.c_void_p}
    table.update((name, (definition, kind)) for name, kind in definition._fields_ if name != "options")
    return table


def _range(built):
    return Range(type_name(built.type), range(built.first, built.first + built.count))


class Building:
    """See Reading for what World has."""

    def build_triangles(self, position, triangles, **options):
        """Add a sheet of triangles (m, 3) between vertices at position (n, 3): masses and
        constraints follow from a material. Returns what was built and what was found.

        Options are the fields of xpbd_triangles_def and xpbd_build_options by their names, choices
        in lower case: stretch="fem", bend="isometric", young_modulus=1e6, thickness=1e-3,
        damping_ratio=0.02, weld=True, tethers=True and so on. Besides them
        pinned   vertices that get an inverse mass of 0
        refuse   faults that make the call fail instead of being repaired: names, or True for all
        """
        return self._build("triangles", 3, position, triangles, options)

    def build_tetrahedra(self, position, tetrahedra, **options):
        """Add a solid of tetrahedra (m, 4): model="neo_hookean", young_modulus=1e5, density=1000 and
        so on; as build_triangles()."""
        return self._build("tetrahedra", 4, position, tetrahedra, options)

    def build_polyline(self, position, segments=None, **options):
        """Add rods of segments (m, 2), None for one chain through all vertices: radius=5e-3,
        young_modulus=1e7, line_density=0.1 and so on; as build_triangles()."""
        return self._build("polyline", 2, position, segments, options)

    def _build(self, kind, corners, position, elements, options):
        pinned, refuse = options.pop("pinned", None), options.pop("refuse", ())
        definition = getattr(library, f"xpbd_default_{kind}_def")()
        table = _options_of(definition)
        for name, value in options.items():
            if name not in table:
                raise TypeError(f"build_{kind}() has no option '{name}'; there are "
                                + ", ".join([*table, "pinned", "refuse"]))
            structure, of_kind = table[name]
            set_field(structure, name, of_kind, value, _CHOICES[kind].get(name))
        for name in _S.FAULTS if refuse is True else refuse:
            if name not in _S.FAULTS:
                raise ValueError(f"no fault is called {name!r}; there are {', '.join(_S.FAULTS)}")
            definition.options.policy[_S.FAULTS.index(name)] = _S.REFUSE

        shape = np.shape(position)
        if len(shape) != 2:
            raise ValueError(f"position has the shape {shape}; (n, 3) is expected")
        mesh, built = _S.build_mesh(n_vertices=shape[0]), _S.built()
        particle_of = np.zeros(shape[0], np.uint32)
        mesh.particle_of = particle_of.ctypes.data
        kept = [_rows(mesh, "position", position, shape[0], 3, False)]
        if elements is not None:
            mesh.n_elements = len(elements)
            kept.append(_rows(mesh, "elements", elements, len(elements), corners, True))
        if pinned is not None:
            vertices = np.ascontiguousarray(_arrays.given("pinned", pinned, len(pinned), 1, True)[0])
            mesh.n_pinned, mesh.pinned = len(vertices), vertices.ctypes.data
            kept.append(vertices)
        with self._lock:
            self._open()
            if getattr(library, f"xpbd_build_{kind}")(
                    self._world, c.byref(mesh), c.byref(definition), c.byref(built)):
                raise Error(built.error)
        del kept
        return Built(range(built.first_particle, built.first_particle + built.n_particles),
                     _range(built.stretch), _range(built.bend), _range(built.volume),
                     _range(built.tethers), particle_of, _report(built.report))


def _rows(mesh, name, values, count, width, indices):
    array, pointer, stride = _arrays.given(name, values, count, width, indices)
    if stride == _arrays.SAME:  # a mesh has no one row for all
        array = np.ascontiguousarray(np.broadcast_to(array, (count, width)))
        pointer, stride = array.ctypes.data, 0
    setattr(mesh, name, pointer)
    setattr(mesh, name + "_stride", stride)
    return array


def _report(report):
    return Report(dict(zip(_S.FAULTS, report.count)),
                  {name: first for name, first in zip(_S.FAULTS, report.first) if first != 2**32 - 1},
                  report.n_welded, report.n_edges, report.n_inner_edges, report.n_boundary_edges,
                  report.text.decode())
