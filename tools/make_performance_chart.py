#!/usr/bin/env python3
"""Draws the times of docs/performance.md beside other libraries: a row per benchmark, a dot per measured time.

    make_performance_chart.py PAGE CHART.svg

Every line counts whose peer is another library and whose unit is a time; none is left out because of its result. The
picture has a background of its own and follows the reader's light or dark mode.
"""

import html
import math
import pathlib
import re
import statistics
import sys

LIBRARIES = ("FCL", "Coal", "Bullet", "nanoflann", "Open3D", "Embree", "libigl", "OctoMap")
TIMES = ("ns", "us", "µs", "ms", "s")
TITLES = {
    "shapes": "shape × shape",
    "meshes": "mesh × mesh",
    "bounds": "trees of AABB, OBB, RSS, k-DOP",
    "clouds": "shape, mesh × cloud",
    "scenes": "broad phases",
    "motion": "bodies that move",
    "points": "spheres × points",
    "kd_tree": "k-d tree",
    "points_in_meshes": "points and rays × mesh",
    "clearance": "clearance along a path",
    "maps": "frames into an occupancy map",
    "map_queries": "shape, mesh × occupancy map",
}

WIDTH, LEFT, RIGHT, TOP, ROW, BOTTOM = 800, 232, 96, 66, 38, 66

STYLE = """
  .card { fill: #ffffff; stroke: #d0d7de; }
  text { fill: #1f2328; font: 13px -apple-system, "Segoe UI", "Noto Sans", Helvetica, Arial, sans-serif; }
  .title { font-size: 16px; font-weight: 600; }
  .small { font-size: 11px; fill: #59636e; }
  .median { font-weight: 600; }
  .grid { stroke: #d0d7de; }
  .even { stroke: #59636e; stroke-dasharray: 4 3; }
  .dot { fill: #0969da; fill-opacity: 0.45; }
  .slower { fill: #bc4c00; fill-opacity: 0.6; }
  .mark { stroke: #1f2328; stroke-width: 2.5; }
  @media (prefers-color-scheme: dark) {
    .card { fill: #0d1117; stroke: #3d444d; }
    text { fill: #f0f6fc; }
    .small { fill: #9198a1; }
    .grid { stroke: #2f353d; }
    .even { stroke: #9198a1; }
    .dot { fill: #4493f8; fill-opacity: 0.55; }
    .slower { fill: #f0883e; fill-opacity: 0.7; }
    .mark { stroke: #f0f6fc; }
  }
"""


def library(peer):
    """The library that a peer's name starts with, or nothing if the peer is not another library."""
    return next((name for name in LIBRARIES if re.match(re.escape(name) + r"\b", peer)), None)


def rows_of(page):
    """[(benchmark, [library…], [ratio…])] of a performance page, in the order of TITLES, others after them."""
    found = {}
    name = None
    for line in page.splitlines():
        if heading := re.match(r"## (.+)", line):
            name = heading[1]
        cells = [cell.strip() for cell in re.split(r"(?<!\\)\|", line)[1:-1]]
        if len(cells) != 8 or cells[4] not in TIMES or not library(cells[3]):
            continue
        if ratio := re.fullmatch(r"\**([\d.]+) ×\**", cells[5]):
            libraries, ratios = found.setdefault(name, ([], []))
            if library(cells[3]) not in libraries:
                libraries.append(library(cells[3]))
            ratios.append(max(float(ratio[1]), 0.01))  # the page has two decimals
    order = list(TITLES)
    return [(name, sorted(found[name][0], key=LIBRARIES.index), found[name][1])
            for name in sorted(found, key=lambda n: (order.index(n) if n in order else len(order), n))]


def ticks(low, high):
    """1, 10, 100, … and the 2 and 5 between them where there is room."""
    decades = [10.0 ** k for k in range(math.floor(math.log10(low)), math.ceil(math.log10(high)) + 1)]
    steps = (1, 2, 5) if len(decades) <= 4 else (1, 3) if len(decades) == 5 else (1,)
    return [d * s for d in decades for s in steps if low <= d * s <= high]


def number(x):
    return f"{x:.3g}" if x < 100 else f"{x:.0f}"


def spread(ratios, x):
    """(x, offset) of each dot: dots that would cover each other move apart, up and down in turn."""
    placed = []
    for ratio in sorted(ratios):
        at = x(ratio)
        offset = next((o for o in (0, -4, 4, -8, 8, -12, 12)
                       if all(math.hypot(at - px, o - po) >= 5.5 for px, po, _ in placed)), 0)
        placed.append((at, offset, ratio))
    return placed


def chart(page):
    rows = rows_of(page)
    if not rows:
        sys.exit("the page has no times beside other libraries; run ./dev bench first")
    everything = [ratio for _, _, ratios in rows for ratio in ratios]
    low, high = min(0.5, min(everything)) / 1.15, max(10.0, max(everything)) * 1.15
    span = WIDTH - LEFT - RIGHT

    def x(ratio):
        return LEFT + span * math.log(ratio / low) / math.log(high / low)

    height = TOP + ROW * len(rows) + BOTTOM
    bottom = TOP + ROW * len(rows)
    faster = sum(ratio >= 1 for ratio in everything)
    title = "How many times as fast as other libraries"
    out = [f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {height}" width="{WIDTH}" height="{height}" role="img" '
           f'aria-label="{title}">',
           f"<style>{STYLE}</style>",
           f'<rect class="card" x="0.5" y="0.5" width="{WIDTH - 1}" height="{height - 1}" rx="6"/>',
           f'<text class="title" x="16" y="28">{title}</text>',
           f'<text class="small" x="16" y="47">One dot per measured time: the peer\'s time over that of graze, same machine, '
           f'same answers. {faster} of {len(everything)} are at 1 × or more.</text>']
    for tick in ticks(low, high):
        at = x(tick)
        out.append(f'<path class="grid" d="M{at:.1f} {TOP}V{bottom}"/>')
        out.append(f'<text class="small" x="{at:.1f}" y="{bottom + 16}" text-anchor="middle">{number(tick)} ×</text>')
    out.append(f'<path class="even" d="M{x(1):.1f} {TOP - 6}V{bottom}"/>')
    out.append(f'<text class="small" x="{WIDTH - 16}" y="{TOP - 2}" text-anchor="end">median</text>')
    for index, (name, libraries, ratios) in enumerate(rows):
        middle = TOP + ROW * index + ROW / 2
        label = html.escape(TITLES.get(name, name.replace("_", " ")))
        out.append(f'<text x="16" y="{middle - 1:.1f}">{label}</text>')
        out.append(f'<text class="small" x="16" y="{middle + 13:.1f}">{html.escape(", ".join(libraries))}</text>')
        for at, offset, ratio in spread(ratios, x):
            kind = "dot" if ratio >= 1 else "slower"
            out.append(f'<circle class="{kind}" cx="{at:.1f}" cy="{middle + offset:.1f}" r="4"/>')
        median = statistics.median(ratios)
        out.append(f'<path class="mark" d="M{x(median):.1f} {middle - 13:.1f}v26"/>')
        out.append(f'<text class="median" x="{WIDTH - 16}" y="{middle + 4:.1f}" text-anchor="end">{number(median)} ×</text>')
    out.append(f'<text class="small" x="{x(1) - 6:.1f}" y="{bottom + 34}" text-anchor="end">← slower</text>')
    out.append(f'<text class="small" x="{x(1) + 6:.1f}" y="{bottom + 34}">faster →</text>')
    out.append(f'<text class="small" x="16" y="{height - 14}">All of docs/performance.md whose peer is a library of others and '
               f'whose unit is a time; the bar is the median of its row.</text>')
    out.append("</svg>")
    return "\n".join(out) + "\n"


def main(arguments):
    if len(arguments) != 2:
        sys.exit(__doc__)
    page, target = map(pathlib.Path, arguments)
    text = chart(page.read_text(encoding="utf-8"))
    part = target.with_suffix(".part")
    part.write_text(text, encoding="utf-8")
    part.replace(target)
    print(f"wrote {target}")


if __name__ == "__main__":
    main(sys.argv[1:])
