# SPDX-License-Identifier: MIT
"""The structures and functions of python/xpbd against the installed headers: a C++ program that is
written from them prints sizes, offsets and kinds as the compiler sees them.

    structures.py INCLUDE-FOLDER SCRATCH-FOLDER
"""

import ctypes as c
import inspect
import subprocess
import sys

from xpbd import _build_structures, _structures, constraint_types

PROBE = r"""
#include <cstddef>
#include <cstdio>
#include <initializer_list>
#include <type_traits>
#include <xpbd/build.h>

template <class T> const char *kind()
{
    if (std::is_void<T>::value) return "void";
    if (std::is_pointer<T>::value) return "pointer";
    if (std::is_same<T, bool>::value) return "bool";
    if (std::is_floating_point<T>::value) return "float";
    if (std::is_class<T>::value || std::is_array<T>::value) return "block";
    return "whole";
}
template <class T> struct size { static constexpr size_t of = sizeof(T); };
template <> struct size<void> { static constexpr size_t of = 0; };
template <class T> void one() { std::printf(" %s:%zu", kind<T>(), size<T>::of); }
template <class R, class... A> void signature(const char *name, R (*)(A...))
{
    std::printf("%s", name);
    one<R>();
    (void)std::initializer_list<int>{(one<A>(), 0)...};
    std::printf("\n");
}
#define FIELD(type, field) \
    (std::printf(#type " " #field " %zu", offsetof(type, field)), \
     one<decltype(type::field)>(), std::printf("\n"))

int main()
{
"""


def kind(ctype):
    """As the program prints it."""
    if ctype is None:
        return " void:0"
    if issubclass(ctype, (c.Structure, c.Array)):
        name = "block"
    elif ctype in (c.c_void_p, c.c_char_p) or issubclass(ctype, (c._Pointer, c._CFuncPtr)):
        name = "pointer"
    else:
        name = {"?": "bool", "f": "float", "d": "float"}.get(ctype._type_, "whole")
    return f" {name}:{c.sizeof(ctype)}"


def main(include, scratch):
    structures = {item for module in (_structures, _build_structures)
                  for _, item in inspect.getmembers(module, inspect.isclass)
                  if issubclass(item, c.Structure)}
    structures = sorted(structures, key=lambda item: item.__name__)
    structures.append(_structures.sized("world_summary", _structures.WORLD_SUMMARY,
                                        len(constraint_types)))
    program, expected = [PROBE], []
    for structure in structures:
        name = "xpbd_" + structure.__name__
        program.append(f'std::printf("{name} %zu\\n", sizeof({name}));')
        expected.append(f"{name} {c.sizeof(structure)}")
        for field, ctype in structure._fields_:
            program.append(f"FIELD({name}, {field});")
            expected.append(f"{name} {field} {getattr(structure, field).offset}{kind(ctype)}")
    for name, (result, arguments) in _structures.FUNCTIONS.items():
        program.append(f'signature("{name}", {name});')
        expected.append(name + kind(result) + "".join(map(kind, arguments)))
    for prefix, names in _build_structures.ENUMERATORS.items():
        for value, enumerator in enumerate(names):
            name = prefix.strip() + enumerator.upper()
            program.append(f'std::printf("{name} %d\\n", (int){name});')
            expected.append(f"{name} {value}")
    program.append('std::printf("faults %d, refuse %d\\n", XPBD_FAULT_COUNT, XPBD_FAULT_REFUSE);')
    expected.append(f"faults {len(_build_structures.FAULTS)}, refuse {_build_structures.REFUSE}")
    # Functions are only named, so that the program needs no library.
    source, binary = f"{scratch}/structures.cpp", f"{scratch}/structures"
    with open(source, "w", encoding="utf-8") as file:
        file.write("\n    ".join(program) + "\n}\n")
    subprocess.run(["c++", "-std=c++17", "-Wno-invalid-offsetof", "-I", include, source, "-o", binary,
                    "-Wl,--unresolved-symbols=ignore-all"], check=True)
    printed = subprocess.run([binary], check=True, capture_output=True, text=True).stdout.splitlines()
    wrong = [f"  {there}  in the header, {here}  in Python"
             for here, there in zip(expected, printed) if here != there]
    if wrong or len(expected) != len(printed):
        sys.exit("\n".join(["python/xpbd/_structures.py is not as xpbd.h:"] + wrong))
    print(f"{len(structures)} structures and {len(_structures.FUNCTIONS)} functions are as in xpbd.h")


main(*sys.argv[1:])
