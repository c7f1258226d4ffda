#!/usr/bin/env python3
"""Draws what `bench_scenes --plots FILE` measured, as the figures of docs/broad-phases.md.

    make_broad_phase_plots.py FILE DOCS

writes DOCS/broad-phases-pairs.svg, -scaling.svg, -times.svg and -break-even.svg. The pictures have a
background of their own and follow the reader's light or dark mode.
"""

import json
import math
import pathlib
import sys

COLORS = {
    "scalar_list": ("#6e7781", "#9198a1"),
    "list": ("#0969da", "#4493f8"),
    "extent_masks": ("#bf3989", "#f778ba"),
    "aabb_tree": ("#1a7f37", "#3fb950"),
    "row_grid": ("#bc4c00", "#f0883e"),
    "morton_tree": ("#8250df", "#ab7df8"),
    "spatial_hash": ("#9a6700", "#d29922"),
    "sweep_and_prune": ("#cf222e", "#f85149"),
}


def style():
    light = "".join(f".{kind} {{ stroke: {c[0]}; }} .t-{kind} {{ fill: {c[0]}; }}\n" for kind, c in COLORS.items())
    dark = "".join(f".{kind} {{ stroke: {c[1]}; }} .t-{kind} {{ fill: {c[1]}; }}\n" for kind, c in COLORS.items())
    return f"""
  .card {{ fill: #ffffff; stroke: #d0d7de; }}
  text {{ fill: #1f2328; font: 12px -apple-system, "Segoe UI", "Noto Sans", Helvetica, Arial, sans-serif; }}
  .title {{ font-size: 14px; font-weight: 600; }}
  .small {{ font-size: 11px; fill: #59636e; }}
  .grid {{ stroke: #d0d7de; }}
  .line {{ fill: none; stroke-width: 2; }}
  .upper {{ fill: none; stroke-width: 1; stroke-dasharray: 3 3; }}
  {light}
  @media (prefers-color-scheme: dark) {{
    .card {{ fill: #0d1117; stroke: #3d444d; }}
    text {{ fill: #f0f6fc; }}
    .small {{ fill: #9198a1; }}
    .grid {{ stroke: #2f353d; }}
    {dark}
  }}
"""


def label(x):
    return f"{x:g}" if x < 10000 else f"{x / 1000:g}k"


class Frame:
    """One plot; logarithmic axes unless `linear`."""

    def __init__(self, left, top, width, height, xs, ys, linear=False):
        self.box = (left, top, width, height)
        self.f = (lambda v: v) if linear else math.log10
        self.x0, self.x1 = self.f(min(xs)), self.f(max(xs))
        self.y0, self.y1 = self.f(min(ys)), self.f(max(ys))
        self.linear = linear

    def pixel(self, x, y):
        left, top, width, height = self.box
        return (left + (self.f(x) - self.x0) / (self.x1 - self.x0 or 1) * width,
                top + height - (self.f(y) - self.y0) / (self.y1 - self.y0 or 1) * height)

    def axes(self, title, x_title, y_title, x_ticks, y_ticks):
        left, top, width, height = self.box
        out = [f'<text class="title" x="{left}" y="{top - 12}">{title}</text>',
               f'<text class="small" x="{left + width / 2}" y="{top + height + 32}" text-anchor="middle">{x_title}</text>',
               f'<text class="small" x="{left - 40}" y="{top - 12}" text-anchor="start"></text>']
        for tick in x_ticks:
            x = self.pixel(tick, 10 ** self.y0 if not self.linear else self.y0)[0]
            out.append(f'<path class="grid" d="M{x:.1f} {top}v{height}"/>')
            out.append(f'<text class="small" x="{x:.1f}" y="{top + height + 16}" text-anchor="middle">{label(tick)}</text>')
        for tick in y_ticks:
            y = self.pixel(10 ** self.x0 if not self.linear else self.x0, tick)[1]
            out.append(f'<path class="grid" d="M{left} {y:.1f}h{width}"/>')
            out.append(f'<text class="small" x="{left - 6}" y="{y + 4:.1f}" text-anchor="end">{label(tick)} {y_title}</text>')
        return out

    def line(self, points, kind, upper=False):
        path = " ".join("{:.1f},{:.1f}".format(*self.pixel(x, y)) for x, y in points)
        return f'<polyline class="{"upper" if upper else "line"} {kind}" points="{path}"/>'


def legend(kinds, left, top, step=22):
    out = []
    for i, kind in enumerate(kinds):
        y = top + step * i
        out.append(f'<path class="line {kind}" d="M{left} {y - 4}h22"/><text x="{left + 28}" y="{y}">{kind}</text>')
    return out


def document(width, height, parts):
    return "\n".join([
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" width="{width}" height="{height}" role="img">',
        f"<style>{style()}</style>",
        f'<rect class="card" x="0.5" y="0.5" width="{width - 1}" height="{height - 1}" rx="6"/>', *parts, "</svg>"]) + "\n"


def decades(low, high):
    return [10.0 ** k for k in range(math.floor(math.log10(low)), math.ceil(math.log10(high)) + 1)]


def pairs(rows):
    layouts = list(dict.fromkeys(r["layout"] for r in rows))
    kinds = list(dict.fromkeys(r["kind"] for r in rows))
    ticks = decades(min(r["ms"] for r in rows), max(r["ms"] for r in rows))
    parts = []
    for i, layout in enumerate(layouts):
        mine = [r for r in rows if r["layout"] == layout]
        frame = Frame(80 + 300 * i, 50, 220, 260, [r["count"] for r in mine], [ticks[0], ticks[-1]])
        parts += frame.axes(layout, "boxes", "ms", sorted({r["count"] for r in mine}), ticks)
        for kind in kinds:
            parts.append(frame.line([(r["count"], r["ms"]) for r in mine if r["kind"] == kind], kind))
    return document(1140, 370, parts + legend(kinds, 970, 80))


def scaling(rows):
    kinds = list(dict.fromkeys(r["kind"] for r in rows))
    ticks = decades(min(r["mean"] for r in rows), max(r["p95"] for r in rows))
    frame = Frame(90, 50, 480, 300, [r["count"] for r in rows], [ticks[0], ticks[-1]])
    parts = frame.axes("One check: mean, and 95 % below the dashed line", "circles", "ns", [1, 4, 16, 64, 256, 1024], ticks)
    for kind in kinds:
        mine = [r for r in rows if r["kind"] == kind]
        parts.append(frame.line([(r["count"], r["mean"]) for r in mine], kind))
        parts.append(frame.line([(r["count"], r["p95"]) for r in mine], kind, upper=True))
    return document(740, 410, parts + legend(kinds, 590, 80))


def times(rows):
    """Distribution functions: the share of checks that take at most that long."""
    parts = []
    longest = max(max(r[what][int(0.98 * len(r[what]))] for what in ("collision", "free")) for r in rows)
    longest = math.ceil(longest / 20) * 20
    for i, (what, title) in enumerate((("collision", "with collision"), ("free", "without"))):
        frame = Frame(80 + 330 * i, 50, 260, 240, [0, longest], [0, 100], linear=True)
        parts += frame.axes(f"64 circles, {title}", "ns, at most", "%", [k * longest / 4 for k in range(5)], range(0, 101, 25))
        for r in rows:
            values = r[what]
            points = [(min(t, longest), 100 * (k + 1) / len(values)) for k, t in enumerate(values)][::max(1, len(values) // 200)]
            parts.append(frame.line(points, r["kind"]))
    return document(840, 350, parts + legend([r["kind"] for r in rows], 710, 80))


def break_even(row):
    """Equation 3 of the paper on sensor data: building and asking n times, by how the tree was built."""
    ways = (("morton_tree", "along the curve", row["build_ms"], row["query_ns"]),
            ("aabb_tree", "divided by cost", row["build_by_cost_ms"], row["query_by_cost_ns"]),
            ("row_grid", "along the curve, improved", row["build_ms"] + row["improve_ms"], row["improved_ns"]))
    counts = [10 ** (k / 8) for k in range(16, 49)]
    total = lambda build, query, n: build + query * n * 1e-6
    ticks = decades(min(total(b, q, counts[0]) for _, _, b, q in ways), max(total(b, q, counts[-1]) for _, _, b, q in ways))
    frame = Frame(90, 50, 480, 300, counts, [ticks[0], ticks[-1]])
    parts = frame.axes(f"Building a tree of {row['boxes']} boxes and asking it", "queries", "ms",
                       [10 ** k for k in range(2, 7)], ticks)
    for kind, _, build, query in ways:
        parts.append(frame.line([(n, total(build, query, n)) for n in counts], kind))
    for i, (kind, name, _, _) in enumerate(ways):
        parts.append(f'<path class="line {kind}" d="M590 {76 + 22 * i}h22"/><text x="618" y="{80 + 22 * i}">{name}</text>')
    if row["queries"] > counts[0]:
        x, y = frame.pixel(row["queries"], total(row["build_ms"], row["query_ns"], row["queries"]))
        parts.append(f'<path class="grid" d="M{x:.1f} {y:.1f}V350"/>')
        parts.append(f'<text class="small" x="{x + 4:.1f}" y="344">{row["queries"]:.0f}</text>')
    return document(810, 410, parts)


def main(arguments):
    if len(arguments) != 2:
        sys.exit(__doc__)
    data = json.loads(pathlib.Path(arguments[0]).read_text(encoding="utf-8"))
    docs = pathlib.Path(arguments[1])
    for name, text in (("pairs", pairs(data["pairs"])), ("scaling", scaling(data["scaling"])),
                       ("times", times(data["distribution"])), ("break-even", break_even(data["break_even"]))):
        target = docs / f"broad-phases-{name}.svg"
        part = target.with_suffix(".part")
        part.write_text(text, encoding="utf-8")
        part.replace(target)
        print(f"wrote {target}")


if __name__ == "__main__":
    main(sys.argv[1:])
