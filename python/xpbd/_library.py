# SPDX-License-Identifier: MIT
"""Finds and loads the shared library, and turns its errors into exceptions."""

import ctypes
import ctypes.util
import os
import sys

from ._build_structures import FUNCTIONS

#: Of this package, and so of the library that it needs.
VERSION = "0.1.0"

_MAJOR, _MINOR, _PATCH = (int(part) for part in VERSION.split("."))
# Libraries of one name have one binary interface.
_SONAME = f"libxpbd.so.{_MAJOR}" if _MAJOR else f"libxpbd.so.0.{_MINOR}"


def _candidates():
    """Where the library may be, best first. A name without a folder is for the system's loader."""
    if os.environ.get("XPBD_LIBRARY"):
        return [os.environ["XPBD_LIBRARY"]]
    beside = [os.path.join(folder, "lib", _SONAME) for folder in (sys.prefix, sys.base_prefix)]
    usual = [os.path.join(folder, _SONAME) for folder in ("/usr/local/lib", "/usr/lib")]
    return [path for path in beside if os.path.exists(path)] + [_SONAME] + [
        path for path in usual if os.path.exists(path)]


def _load():
    reasons = []
    for path in _candidates():
        try:
            library = ctypes.CDLL(path)
        except OSError as reason:
            reasons.append(f"  {path}: {reason}")
            continue
        try:
            for name, (result, arguments) in FUNCTIONS.items():
                function = getattr(library, name)
                function.restype, function.argtypes = result, arguments
        except AttributeError as reason:
            raise ImportError(f"{path} is no libxpbd {VERSION}: {reason}") from None
        version = library.xpbd_version()
        # Within 0.x the minor version is the binary interface, later the major one.
        unit = 10000 if _MAJOR else 100
        if version // unit != (_MAJOR * 10000 + _MINOR * 100) // unit:
            raise ImportError(
                f"{path} is libxpbd {version // 10000}.{version // 100 % 100}.{version % 100}, "
                f"and this package is made for {VERSION}")
        return library, path
    raise ImportError(
        f"{_SONAME} was not found. Install it (./bazelw run //:install -- PREFIX), then set "
        "XPBD_LIBRARY to the file or LD_LIBRARY_PATH to PREFIX/lib. Tried:\n" + "\n".join(reasons))


library, LIBRARY_PATH = _load()


class Error(Exception):
    """A call that the library refused. The message is the library's.

    status   its name, "XPBD_ERROR_REST"
    type     name of the constraint type, or None where none is concerned
    element  index of the particle or constraint
    value    the value that was refused, where there is one
    """

    def __init__(self, record):
        super().__init__(record.text.decode())
        self.status = library.xpbd_status_name(record.status).decode()
        info = library.xpbd_constraint_type_info(record.type) if record.type >= 0 else None
        self.type = info.contents.name.decode() if info else None
        self.element = record.element
        self.value = record.value
