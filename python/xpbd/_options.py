# SPDX-License-Identifier: MIT
"""Fields of structures as Python has such things: options of worlds, and records that are read."""

import ctypes as c
import sys

from . import _arrays, _structures
from ._library import library
from ._tables import constraint_types, type_name

# Fields that are numbers, texts or switches are options of World().
_OPTIONS = {name: kind for name, kind in _structures.world_def._fields_
            if name not in ("cookie", "log") and kind is not c.c_void_p}

# Options that are choices; the library has their numbers.
CHOICES = {"guard": ("off", "report", "clamp")}


def world_options():
    """Name to default value of the options of World(), but for `log`."""
    default = library.xpbd_default_world_def()
    return {name: _read(name, getattr(default, name)) for name in _OPTIONS}


def _read(name, value):
    """A field of a structure as Python has such things."""
    if isinstance(value, bytes):
        return value.decode()
    if name in CHOICES:
        return CHOICES[name][value]
    if isinstance(value, c.Array):
        value = list(value)
        return dict(zip(constraint_types, value)) if name.endswith("_constraints") else tuple(value)
    return type_name(value) if name.endswith("_type") else value


def record_of(kind, structure):
    """A named tuple of the fields of a structure."""
    return kind(*[_read(name, getattr(structure, name)) for name in kind._fields])


def set_option(definition, name, value):
    """Set a field of xpbd_world_def to an option's value."""
    if name not in _OPTIONS:
        raise TypeError(f"World() has no option '{name}'; there are {', '.join(_OPTIONS)}, log")
    set_field(definition, name, _OPTIONS[name], value, CHOICES.get(name))


def set_field(structure, name, kind, value, choices=None):
    """Set a field of a definition; None leaves it at its default. `choices` are the names of an
    enumeration."""
    if value is None:
        return
    if choices is not None:
        if value not in choices:
            raise ValueError(f"{name} is {value!r}; there are {', '.join(choices)}")
        value = choices.index(value)
    elif kind is c.c_char_p:
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
    setattr(structure, name, value)


def log_to(write):
    """The library's remarks to write(level, text), levels being "error", "warning" and "info"."""
    if not callable(write):
        raise TypeError(f"log must be a function of level and text, not {write!r}")

    def line(_, level, text):
        # There is nobody between to raise it to.
        try:
            write(_structures.LOG_LEVELS[level], text.decode())
        except Exception:
            sys.excepthook(*sys.exc_info())

    return _structures.log(_structures.LOG_WRITE(line), None)
