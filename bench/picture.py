#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Draw one scene of a results file as bars: picture.py RESULTS.json SCENE OUT.svg

Python's standard library only, so that a fresh machine can draw the README's picture.
"""

import json
import sys

BAR, GAP, GROUP, LEFT, WIDTH, TOP = 15, 3, 12, 290, 900, 62
# Legible on light and on dark pages alike.
COLORS = {"scalar": "#8a8f98", "sse2": "#4c8fd6", "avx2": "#2f6fb5", "avx512": "#1d4f91", "neon": "#2f6fb5"}
TEXT = "#7a7f87"


def rows_of(path, scene):
    """One row per scheduler, instruction set and thread count; the faster of the layouts."""
    with open(path, encoding="utf-8") as file:
        results = json.load(file)
    best = {}
    for row in results["benchmarks"]:
        part = row["name"].split("/")
        if row.get("run_type") != "iteration" or part[0] != "solve" or part[1] != scene:
            continue
        key = (part[2], part[4], int(part[5].split(":")[1]))
        speed = 1e3 / row["ns_per_constraint_min"]
        if key not in best or speed > best[key][0]:
            best[key] = (speed, part[3])
    return results["context"], best


def nice_step(most):
    """A round number that divides the axis into five parts or so."""
    step = 1.0
    while most / step > 6:
        step *= 2.5 if str(step)[0] == "2" else 2
    return step


def draw(context, scene, best):
    """Bars grouped by scheduler, in the order of the file."""
    out, y, last = [], TOP, None
    most = max(speed for speed, _ in best.values())
    scale = (WIDTH - LEFT - 70) / most
    for (scheduler, isa, threads), (speed, layout) in best.items():
        if scheduler != last:
            y += GROUP
            out.append(f'<text x="8" y="{y + 12}" font-weight="600">{scheduler}</text>')
            last = scheduler
        name = f"{isa}, {threads} thread{'s' if threads > 1 else ''}"
        out.append(f'<text x="{LEFT - 8}" y="{y + 12}" text-anchor="end">{name}</text>')
        out.append(f'<rect x="{LEFT}" y="{y}" width="{speed * scale:.1f}" height="{BAR}" rx="2" '
                   f'fill="{COLORS.get(isa, TEXT)}"><title>{layout}</title></rect>')
        out.append(f'<text x="{LEFT + speed * scale + 6:.1f}" y="{y + 12}">{speed:.0f}</text>')
        y += BAR + GAP
    head = [f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {y + 34}" '
            f'font-family="system-ui, sans-serif" font-size="12" fill="{TEXT}">',
            f'<text x="8" y="22" font-size="16" font-weight="600">{scene}: million constraint '
            'projections per second, whole step</text>',
            f'<text x="8" y="42">{context["cpu_model"]}, {context["compiler"]}, faster of the '
            'layouts; longer is better</text>']
    step = nice_step(most)
    for k in range(int(most / step) + 1):
        x = LEFT + k * step * scale
        head.append(f'<line x1="{x:.1f}" x2="{x:.1f}" y1="{TOP}" y2="{y + 6}" stroke="{TEXT}" '
                    'stroke-opacity="0.25"/>')
        head.append(f'<text x="{x:.1f}" y="{y + 22}" text-anchor="middle">{k * step:g}</text>')
    return "\n".join(head + out + ["</svg>", ""])


def main():
    """Read, draw, write."""
    if len(sys.argv) != 4:
        sys.exit("usage: picture.py RESULTS.json SCENE OUT.svg")
    try:
        context, best = rows_of(sys.argv[1], sys.argv[2])
    except (OSError, ValueError, KeyError) as error:
        sys.exit(f"picture.py: {sys.argv[1]}: {error}")
    if not best:
        sys.exit(f"picture.py: {sys.argv[1]} has no rows of the scene {sys.argv[2]}")
    with open(sys.argv[3], "w", encoding="utf-8") as file:
        file.write(draw(context, sys.argv[2], best))


if __name__ == "__main__":
    main()
