# SPDX-License-Identifier: MIT
"""What the loaded library has: constraint types, schedulers, layouts and so on."""

from dataclasses import dataclass
from types import MappingProxyType

from ._library import library


@dataclass(frozen=True)
class ConstraintType:
    """A row of the library's table of constraint types; xpbd_constraint_info in xpbd.h."""
    index: int
    name: str
    n_particles: int  #: per constraint; per element of a type of variable size
    n_rest: int
    n_rows: int  #: multipliers per constraint, or per element where rows_per_element is set
    rest: tuple  #: of (name, unit), one per number of rest data
    compliance_unit: str
    source: str  #: C(x), paper and equation
    variable: bool
    rows_per_element: bool
    n_element_rest: int


def _constraint_types():
    table = {}
    # An index past the last has no row.
    while pointer := library.xpbd_constraint_type_info(len(table)):
        row = pointer.contents
        name = row.name.decode()
        table[name] = ConstraintType(
            index=len(table), name=name, n_particles=row.n_particles, n_rest=row.n_rest,
            n_rows=row.n_rows,
            rest=tuple(tuple(part.rsplit(" ", 1)) for part in row.rest_text.decode().split(", ")),
            compliance_unit=row.compliance_unit.decode(), source=row.source.decode(),
            variable=row.variable, rows_per_element=row.rows_per_element,
            n_element_rest=row.n_element_rest)
    return MappingProxyType(table)


#: Name to ConstraintType, in the order of the library's table.
constraint_types = _constraint_types()


def constraint_type(name):
    """The row of a type that is given by name, or as a row."""
    if isinstance(name, ConstraintType):
        return name
    try:
        return constraint_types[name]
    except (KeyError, TypeError):
        raise ValueError(f"no constraint type is called {name!r}; there are "
                         + ", ".join(constraint_types)) from None


def type_name(index):
    """The name of a type that the library gave by number; None for -1."""
    return list(constraint_types)[index] if index >= 0 else None


def _names(function):
    names = []
    while name := function(len(names)):
        names.append(name.decode())
    return names


def schedulers():
    """Name to summary."""
    return {name: library.xpbd_scheduler_summary(i).decode()
            for i, name in enumerate(_names(library.xpbd_scheduler_name))}


def layouts():
    """Names of the particle layouts."""
    return _names(library.xpbd_layout_name)


def isas():
    """Name of each instruction set, and whether this processor and build can run it."""
    return {name: library.xpbd_isa_available(i)
            for i, name in enumerate(_names(library.xpbd_isa_name))}


def orderings():
    """Names of the particle orderings."""
    return _names(library.xpbd_ordering_name)


def pinnings():
    """Names of the policies that bind threads."""
    return _names(library.xpbd_pinning_name)


def statuses():
    """Name to text of every way in which a call can end."""
    table = {}
    while (name := library.xpbd_status_name(len(table)).decode()) != "unknown":
        table[name] = library.xpbd_status_text(len(table)).decode()
    return table
