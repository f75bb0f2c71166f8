#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Make the page and the picture of every constraint type, and their index.

    pages.py INCLUDE-FOLDER DESCRIPTIONS.toml OUT-FOLDER

The types and what is known of them by machine come from constraints.def, the rest from the
descriptions. A type without a description, or a description without a type, is an error.
"""

import ast
import math
import os
import subprocess
import sys
import tomllib

# A row as a tuple of Python: (variable, rows per element, ID, ...). Adjacent strings add up there too.
ROWS = r"""
#define XPBD_CONSTRAINT_VARIABLE(n, each, ID, name, ...) ("yes", #each, n, #ID, #name, __VA_ARGS__),
#define XPBD_CONSTRAINT(ID, name, ...) ("", "", 0, #ID, #name, __VA_ARGS__),
#include "xpbd/constraints.def"
"""
KEYS = ("title", "use", "formula", "compliance", "limits", "picture")
MADE = "<!-- Made of include/xpbd/constraints.def and docs/constraints.toml: ./bazelw run //docs:constraints -->\n"


def types_of(include):
    text = subprocess.run(["cc", "-E", "-P", "-I", include, "-"], input=ROWS, check=True,
                          capture_output=True, text=True).stdout
    names = ("variable", "each", "n_element_rest", "id", "name", "n_particles", "n_rest", "n_rows",
             "rest", "unit", "source")
    return [dict(zip(names, row)) for row in ast.literal_eval("[" + text + "]")]


def fail(text):
    sys.exit("docs/constraints.toml: " + text)


def descriptions_of(path, types):
    with open(path, "rb") as file:
        try:
            described = tomllib.load(file)
        except tomllib.TOMLDecodeError as error:
            fail(str(error))
    names = [row["name"] for row in types]
    for name in names:
        if name not in described:
            fail(f"the type {name} has no description")
    for name, description in described.items():
        if name not in names:
            fail(f"there is no type {name} in constraints.def")
        if set(description) != set(KEYS):
            fail(f"{name} has {', '.join(description)}; {', '.join(KEYS)} are expected")
    return described


# ---- pictures

# Legible on light and on dark pages alike.
STYLE = """text{font:15px system-ui,sans-serif;fill:#7a7f87;text-anchor:middle}
.line{fill:none;stroke:#8a8f98;stroke-width:2.5;stroke-linejoin:round}.thin{fill:none;stroke:#8a8f98;stroke-width:1}
.dash,.ghost{fill:none;stroke:#8a8f98;stroke-width:1.5;stroke-dasharray:5 4}.face{fill:#4c8fd6;fill-opacity:.2}
.free{fill:#2f7fd0}.pinned{fill:#7a7f87}.move{fill:none;stroke:#d9622f;stroke-width:2.5}.head{fill:#d9622f}"""


def path(kind, points):
    return f'<path class="{kind}" d="M' + "L".join(f"{x:.1f} {y:.1f}" for x, y in points) + '"/>'


def escaped(text):
    return text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")


def text_at(x, y, text):
    return f'<text x="{x:.1f}" y="{y:.1f}">{escaped(text)}</text>'


def spring(a, b):
    """A zigzag with straight ends."""
    length = math.dist(a, b)
    ux, uy = (b[0] - a[0]) / length, (b[1] - a[1]) / length
    n = max(4, round(length / 14))
    along = [12 + (length - 24) * i / n for i in range(n + 1)]
    side = [0 if i in (0, n) else (7 if i % 2 else -7) for i in range(n + 1)]
    return path("line", [a] + [(a[0] + ux * s - uy * t, a[1] + uy * s + ux * t)
                               for s, t in zip(along, side)] + [b])


def rope(a, b):
    (ax, ay), (bx, by) = a, b
    return f'<path class="line" d="M{ax:.1f} {ay:.1f}Q{(ax + bx) / 2:.1f} {(ay + by) / 2 + 90:.1f} {bx:.1f} {by:.1f}"/>'


def arrow(a, dx, dy):
    length = math.hypot(dx, dy)
    ux, uy = dx / length, dy / length
    start, end = (a[0] + 10 * ux, a[1] + 10 * uy), (a[0] + dx, a[1] + dy)
    head = [(end[0] + 9 * ux, end[1] + 9 * uy), (end[0] - 5 * uy, end[1] + 5 * ux), (end[0] + 5 * uy, end[1] - 5 * ux)]
    return path("move", [start, end]) + path("head", head)


def measure(a, b, offset, text):
    length = math.dist(a, b)
    nx, ny = -(b[1] - a[1]) / length * offset, (b[0] - a[0]) / length * offset
    c, d = (a[0] + nx, a[1] + ny), (b[0] + nx, b[1] + ny)
    return (path("thin", [(a[0] + nx / 4, a[1] + ny / 4), (a[0] + 1.15 * nx, a[1] + 1.15 * ny)])
            + path("thin", [(b[0] + nx / 4, b[1] + ny / 4), (b[0] + 1.15 * nx, b[1] + 1.15 * ny)])
            + path("thin", [c, d]) + text_at((c[0] + d[0]) / 2, (c[1] + d[1]) / 2 + 18, text))


def arc(at, start, end, radius, text):
    one, two = (math.atan2(p[1] - at[1], p[0] - at[0]) for p in (start, end))
    steps = [one + (two - one) * i / 12 for i in range(13)]
    middle = (one + two) / 2
    return (path("thin", [(at[0] + radius * math.cos(t), at[1] + radius * math.sin(t)) for t in steps])
            + text_at(at[0] + (radius + 14) * math.cos(middle), at[1] + (radius + 14) * math.sin(middle) + 5, text))


def picture(name, title, lines):
    """Faces first, then lines, particles, arrows and words on top of them."""
    at, layers = {}, {"face": [], "line": [], "particle": [], "text": []}
    for line in lines.strip().splitlines():
        word, *rest = line.split()
        try:
            if word in ("point", "pinned", "ghost", "dot"):
                x, y = float(rest[1]), float(rest[2])
                at[rest[0]] = (x, y)
                if word == "pinned":
                    layers["particle"].append(f'<rect class="pinned" x="{x - 7:.1f}" y="{y - 7:.1f}" width="14" height="14"/>')
                elif word != "dot":
                    kind = "free" if word == "point" else word
                    layers["particle"].append(f'<circle class="{kind}" cx="{x:.1f}" cy="{y:.1f}" r="7"/>')
                if rest[3:]:
                    layers["text"].append(text_at(x, y - 15 if y < 100 else y + 25, " ".join(rest[3:])))
            elif word == "face":
                layers["face"].append(path("face", [at[p] for p in rest]))
            elif word in ("edge", "dash"):
                layers["line"].append(path("line" if word == "edge" else "dash", [at[p] for p in rest]))
            elif word == "spring":
                layers["line"].append(spring(at[rest[0]], at[rest[1]]))
            elif word == "rope":
                layers["line"].append(rope(at[rest[0]], at[rest[1]]))
            elif word == "arrow":
                layers["text"].append(arrow(at[rest[0]], float(rest[1]), float(rest[2])))
            elif word == "measure":
                layers["line"].append(measure(at[rest[0]], at[rest[1]], float(rest[2]), " ".join(rest[3:])))
            elif word == "arc":
                layers["line"].append(arc(*(at[p] for p in rest[:3]), float(rest[3]), " ".join(rest[4:])))
            elif word == "text":
                layers["text"].append(text_at(float(rest[0]), float(rest[1]), " ".join(rest[2:])))
            else:
                raise KeyError(word)
        except (KeyError, IndexError, ValueError) as error:
            fail(f"{name}, picture: '{line}' is not understood ({error})")
    drawn = "\n".join(part for layer in layers.values() for part in layer)
    return ('<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 400 200" width="400" height="200" role="img">\n'
            f"<title>{escaped(title)}</title>\n<style>{STYLE}</style>\n{drawn}\n</svg>\n")


# ---- pages

def page(row, d):
    each = " in each element" if row["variable"] else ""
    rows = str(row["n_rows"]) + (" in each element" if row["each"] == "true" else "")
    rest = row["rest"]
    if row["n_element_rest"]:
        rest += f"; {row['n_element_rest']} numbers for each element"
    return "\n".join([
        f"# {d['title']}", "", d["use"], "",
        f"![{d['title']}]({row['name']}.svg)", "", "```text", d["formula"].strip(), "```", "",
        "| | |", "|---|---|",
        f"| in C, in Python | `XPBD_{row['id']}`, `\"{row['name']}\"` |",
        f"| particles | {row['n_particles']}{each} |",
        *(["| size | variable: any number of elements |"] if row["variable"] else []),
        f"| rest data | {rest} |", f"| multipliers λ | {rows} |",
        f"| compliance | {row['unit']} |", f"| source | {row['source'].replace('|', chr(92) + '|')} |", "",
        f"**Compliance.** {d['compliance']}", "", f"**Limits.** {d['limits']}", "",
        f"Arithmetic and degenerate cases: `kernel/project_{row['name']}.c`.", "", MADE])


def index(types, described):
    lines = ["# Constraints", "",
             "Every type, as it is in `include/xpbd/constraints.def`. All can be damped, read as a force, broken by a force, "
             "switched off, and used with PBD's stiffness instead of a compliance.", "",
             "| | | compliance |", "|---|---|---|"]
    lines += [f"| ![{described[t['name']]['title']}]({t['name']}.svg) "
              f"| [{described[t['name']]['title']}]({t['name']}.md), `{t['name']}`: {described[t['name']]['use']} | {t['unit']} |"
              for t in types]
    return "\n".join(lines + ["", MADE])


def main(include, descriptions, out):
    types = types_of(include)
    described = descriptions_of(descriptions, types)
    files = {"README.md": index(types, described)}
    for row in types:
        d = described[row["name"]]
        files[row["name"] + ".md"] = page(row, d)
        files[row["name"] + ".svg"] = picture(row["name"], d["title"], d["picture"])
    os.makedirs(out, exist_ok=True)
    for old in os.listdir(out):
        if old not in files:
            os.remove(os.path.join(out, old))
    for name, text in files.items():
        with open(os.path.join(out, name), "w", encoding="utf-8") as file:
            file.write(text)
    print(f"{len(types)} constraint types in {out}")


if len(sys.argv) != 4:
    sys.exit(__doc__)
main(*sys.argv[1:])
