#!/usr/bin/env python3
"""Draws docs/worlds.svg: a world in the plane and what `graze ask` answers about it.

    make_world_picture.py GRAZE FILE

The picture follows the reader's light or dark mode.
"""

import json
import math
import subprocess
import sys

RADIUS = 0.25
CIRCLE = {"circle": {"center": [4.2, 2.9], "radius": 0.8}}
WORLD = {
    "plane": [
        CIRCLE,
        {"rectangle": {"center": [7.4, 1.2], "half": [0.9, 0.25], "angle": 0.5}},
        {"polygon": {"points": [[1.4, 3.6], [2.4, 3.4], [2.8, 4.4], [1.8, 5.0]]}},
        {"grid": {"origin": [8.2, 3.2], "cell": 0.3, "rows": ["###...", "#.....", "#..###", "#....#", "######"]}},
    ]
}
LINE = {"from": [0.5, 1.6], "to": [9.5, 1.3]}
ARC = {"center": [6, 6.5], "from": [3.6, 5.1], "angle": 2.3}
POINT = [5.8, 4.4]
VIEW = [0.5, 0.6]
SCALE, WIDTH, HEIGHT = 72, 10.6, 5.6

STYLE = """
  .card { fill: #ffffff; stroke: #d0d7de; }
  text { fill: #1f2328; font: 12px -apple-system, "Segoe UI", "Noto Sans", Helvetica, Arial, sans-serif; }
  .obstacle { fill: #d0d7de; stroke: #6e7781; }
  .path { fill: none; stroke: #0969da; stroke-width: 1.5; }
  .rest { fill: none; stroke: #0969da; stroke-dasharray: 3 4; }
  .swept { fill: none; stroke: #54aeff; stroke-opacity: 0.35; stroke-linecap: round; }
  .disc { fill: #ddf4ff; fill-opacity: 0.6; stroke: #0969da; }
  .near { stroke: #1a7f37; stroke-width: 1.5; fill: #1a7f37; }
  .tangent { stroke: #bc4c00; stroke-width: 1.2; fill: none; }
  .hit { fill: #cf222e; }
  @media (prefers-color-scheme: dark) {
    .card { fill: #0d1117; stroke: #3d444d; }
    text { fill: #f0f6fc; }
    .obstacle { fill: #3d444d; stroke: #9198a1; }
    .path, .rest { stroke: #4493f8; }
    .swept { stroke: #1f6feb; }
    .disc { fill: #1f6feb; fill-opacity: 0.3; stroke: #4493f8; }
    .near { stroke: #3fb950; fill: #3fb950; }
    .tangent { stroke: #f0883e; }
    .hit { fill: #f85149; }
  }
"""


def at(p):
    return p[0] * SCALE, (HEIGHT - p[1]) * SCALE


def points(list_of):
    return " ".join("{:.1f},{:.1f}".format(*at(p)) for p in list_of)


def disc(p, radius, kind):
    x, y = at(p)
    return f'<circle class="{kind}" cx="{x:.1f}" cy="{y:.1f}" r="{radius:.1f}"/>'


def obstacles():
    for obstacle in WORLD["plane"]:
        ((kind, o),) = obstacle.items()
        if kind == "circle":
            yield disc(o["center"], o["radius"] * SCALE, "obstacle")
        elif kind == "polygon":
            yield f'<polygon class="obstacle" points="{points(o["points"])}"/>'
        elif kind == "rectangle":
            c, s = math.cos(o["angle"]), math.sin(o["angle"])
            corners = [(x * o["half"][0], y * o["half"][1]) for x, y in ((-1, -1), (1, -1), (1, 1), (-1, 1))]
            turned = [(o["center"][0] + c * x - s * y, o["center"][1] + s * x + c * y) for x, y in corners]
            yield f'<polygon class="obstacle" points="{points(turned)}"/>'
        else:
            for j, row in enumerate(o["rows"]):
                for i, cell in enumerate(row):
                    if cell == "#":
                        x, y = at((o["origin"][0] + i * o["cell"], o["origin"][1] + (j + 1) * o["cell"]))
                        size = o["cell"] * SCALE
                        yield f'<rect class="obstacle" x="{x:.1f}" y="{y:.1f}" width="{size:.1f}" height="{size:.1f}"/>'


def position(path, fraction):
    if "arc" in path:
        arc = path["arc"]
        x, y = (a - b for a, b in zip(arc["from"], arc["center"]))
        c, s = math.cos(fraction * arc["angle"]), math.sin(fraction * arc["angle"])
        return arc["center"][0] + c * x - s * y, arc["center"][1] + s * x + c * y
    return tuple(a + fraction * (b - a) for a, b in zip(path["from"], path["to"]))


def swept(path, fraction):
    samples = [position(path, fraction * i / 60) for i in range(61)]
    rest = [position(path, fraction + (1 - fraction) * i / 60) for i in range(61)]
    yield f'<polyline class="swept" stroke-width="{2 * RADIUS * SCALE:.0f}" points="{points(samples)}"/>'
    yield f'<polyline class="path" points="{points(samples)}"/>'
    yield f'<polyline class="rest" points="{points(rest)}"/>'
    yield disc(samples[-1], RADIUS * SCALE, "disc")


def main():
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    questions = [
        {"ask": "sweep", "world": WORLD, "radius": RADIUS, **LINE},
        {"ask": "sweep", "world": WORLD, "radius": RADIUS, "arc": ARC},
        {"ask": "nearest", "world": WORLD, "point": POINT},
        {"ask": "tangents", "obstacle": CIRCLE, "point": VIEW, "radius": RADIUS},
    ]
    asked = "".join(json.dumps(question) + "\n" for question in questions)
    told = subprocess.run([sys.argv[1], "ask"], input=asked, capture_output=True, text=True).stdout.splitlines()
    line, arc, near, tangents = (json.loads(answer) for answer in told)
    svg = list(obstacles())
    svg += swept(LINE, line.get("fraction", 1))
    svg += swept({"arc": ARC}, arc.get("fraction", 1))
    svg.append(f'<polyline class="near" points="{points([POINT, near["point"]])}"/>')
    svg += [disc(POINT, 3, "near"), disc(near["point"], 3, "near")]
    for to in tangents["tangents"]:
        svg.append(f'<polyline class="tangent" points="{points([VIEW, to])}"/>')
        svg.append(disc(to, RADIUS * SCALE, "tangent"))
    for p, text in (
        ((5.7, 2.05), f"sweep: obstacle {line['obstacle']} at {line['fraction']:.3f}"),
        ((6.0, 3.2), f"arc: obstacle {arc['obstacle']} at {arc['fraction']:.3f}" if arc["hit"] else "arc: free"),
        ((5.0, 4.55), f"nearest: {near['distance']:.3f} m"),
        ((0.3, 0.25), f"tangents of a disc of {RADIUS} m"),
    ):
        x, y = at(p)
        svg.append(f'<text x="{x:.0f}" y="{y:.0f}">{text}</text>')
    width, height = WIDTH * SCALE, HEIGHT * SCALE
    body = "\n".join(svg)
    with open(sys.argv[2], "w", encoding="utf-8") as file:
        file.write(
            f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width:.0f} {height:.0f}" width="{width:.0f}">\n'
            f"<style>{STYLE}</style>\n"
            f'<rect class="card" x="0.5" y="0.5" width="{width - 1:.0f}" height="{height - 1:.0f}" rx="6"/>\n{body}\n</svg>\n'
        )


main()
