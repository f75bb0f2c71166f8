# SPDX-License-Identifier: MIT
"""NumPy arrays as the library takes them: a pointer and a stride in bytes from row to row.

Nothing is copied where an array already is what the library reads: float32 (uint32 for indices),
the numbers of a row side by side, rows at least a row apart. So columns of a structured array, every
second row and read-only arrays are taken as they are. Other arrays are copied for the length of a
call, and as results refused.
"""

import operator

import numpy as np

SAME = np.iinfo(np.uintp).max  # XPBD_SAME


def whole(name, value, least=0, most=2**32 - 1):
    """An integer in a range: ctypes would cut off what does not fit."""
    try:
        number = operator.index(value)
    except TypeError:
        raise TypeError(f"{name} must be an integer, not {value!r}") from None
    if not least <= number <= most:
        raise ValueError(f"{name} is {number}, and must be in [{least}, {most}]")
    return number


def _numbers(name, values):
    array = np.asarray(values)
    if array.dtype == np.float32:
        return array
    if array.dtype.kind not in "biuf":
        raise TypeError(f"{name} must be numbers, not {array.dtype}")
    with np.errstate(over="ignore"):  # to infinity, which the library refuses by name and index
        return array.astype(np.float32)


def _indices(name, values):
    array = np.asarray(values)
    if array.dtype == np.uint32:
        return array
    if array.size == 0:
        return array.astype(np.uint32)
    if array.dtype.kind not in "iu":
        raise TypeError(f"{name} must be integers, not {array.dtype}")
    outside = (array < 0) | (array > 2**32 - 1)
    if outside.any():
        where = ", ".join(map(str, np.argwhere(outside)[0]))
        raise ValueError(f"{name}[{where}] is {array[outside][0]}, which is no index")
    return array.astype(np.uint32)


def _layout(array, row_size):
    """The stride from row to row, or None where the library can not step over this array."""
    row = row_size * array.itemsize
    inner = array[:1]
    if not array.dtype.isnative or not array.flags.aligned or not inner.flags.c_contiguous:
        return None
    if len(array) <= 1:
        return 0
    step = array.strides[0]
    if step == 0:
        return SAME  # a broadcast view: to the library 0 means tightly packed
    return step if step >= row and step % 4 == 0 else None


def given(name, values, count, width, indices=False):
    """(array, pointer, stride) of `count` rows of `width` numbers. One row, or for single numbers
    one number, stands for all rows. The array must be kept until the call is over."""
    array = (_indices if indices else _numbers)(name, values)
    row = () if width == 1 else (width,)
    if array.shape == row and not indices:
        array = np.ascontiguousarray(array)
        return array, array.ctypes.data, SAME
    if width == 1 and array.shape == (count, 1):
        array = array[:, 0]
    if array.shape != (count,) + row:
        or_one = "" if indices else f", or {row or 'one number'} for all"
        raise ValueError(f"{name} has the shape {array.shape}; {(count,) + row} is expected{or_one}")
    stride = _layout(array, width)
    if stride is None:
        array = np.ascontiguousarray(array, dtype=array.dtype.newbyteorder("="))
        stride = 0
    return array, array.ctypes.data, stride


def result(name, out, shape):
    """(array, pointer, stride) to write rows to: `out`, or a new array where that is None."""
    if out is None:
        out = np.empty(shape, np.float32)
    if not isinstance(out, np.ndarray) or out.dtype != np.float32 or not out.dtype.isnative:
        raise TypeError(f"{name}: out must be an array of float32, not "
                        + (str(out.dtype) if isinstance(out, np.ndarray) else type(out).__name__))
    if out.shape != shape:
        raise ValueError(f"{name}: out has the shape {out.shape}; {shape} is expected")
    if not out.flags.writeable:
        raise ValueError(f"{name}: out is read-only")
    stride = _layout(out, int(np.prod(shape[1:], dtype=int)))
    if stride is None or stride == SAME:
        raise ValueError(f"{name}: the rows of out overlap, run backwards, or have gaps in them "
                         f"(strides {out.strides})")
    return out, out.ctypes.data, stride
