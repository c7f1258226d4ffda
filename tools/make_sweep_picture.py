#!/usr/bin/env python3
"""Draws why samples of a motion tunnel and a sweep does not, as the figure of docs/sweeps.md.

    make_sweep_picture.py DOCS

writes DOCS/sweeps-tunnel.svg. The picture has a background of its own and follows the reader's light or dark mode.
"""

import pathlib
import sys

WIDTH, HEIGHT = 760, 330
RADIUS = 13  # of the ball, pixels
WALL = 497  # where the plate stands
START, END = 70, 690

STYLE = """
  .card { fill: #ffffff; stroke: #d0d7de; }
  text { fill: #1f2328; font: 12px -apple-system, "Segoe UI", "Noto Sans", Helvetica, Arial, sans-serif; }
  .title { font-size: 14px; font-weight: 600; }
  .small { font-size: 11px; fill: #59636e; }
  .path { stroke: #d0d7de; }
  .plate { stroke: #1f2328; stroke-width: 2; }
  .free { fill: none; stroke: #0969da; stroke-width: 1.6; }
  .hit { fill: #cf222e; stroke: none; }
  .step { stroke: #1a7f37; stroke-width: 1.6; fill: none; }
  .head { fill: #1a7f37; }
  @media (prefers-color-scheme: dark) {
    .card { fill: #0d1117; stroke: #3d444d; }
    text { fill: #f0f6fc; }
    .small { fill: #9198a1; }
    .path { stroke: #2f353d; }
    .plate { stroke: #f0f6fc; }
    .free { stroke: #4493f8; }
    .hit { fill: #f85149; }
    .step { stroke: #3fb950; }
    .head { fill: #3fb950; }
  }
"""


def ball(x, y, kind):
    return f'<circle class="{kind}" cx="{x:.1f}" cy="{y}" r="{RADIUS}"/>'


def text(x, y, words, kind="", anchor="start"):
    return f'<text class="{kind}" x="{x:.1f}" y="{y}" text-anchor="{anchor}">{words}</text>'


def plate(y):
    return f'<line class="plate" x1="{WALL}" y1="{y - 42}" x2="{WALL}" y2="{y + 42}"/>'


def samples(y, count=9):
    """None of them touches the plate: the distance between two is more than its thickness and the ball."""
    out = [f'<line class="path" x1="{START}" y1="{y}" x2="{END}" y2="{y}"/>', plate(y)]
    for i in range(count):
        x = START + (END - START) * i / (count - 1)
        assert abs(x - WALL) > RADIUS, "a sample must not touch the plate"
        out.append(ball(x, y, "free"))
        if i % 2 == 0:
            out.append(text(x, y + 34, f"t = {i / (count - 1):.2f}", "small", "middle"))
    return out


def steps(y, speed=1.6):
    """Each step is the gap over a bound of the speed that is somewhat larger than the truth."""
    out = [f'<line class="path" x1="{START}" y1="{y}" x2="{END}" y2="{y}"/>', plate(y)]
    x = START
    while WALL - RADIUS - x > 0.8:
        to = x + (WALL - RADIUS - x) / speed
        out.append(ball(x, y, "free"))
        if to - x > 12:
            out.append(f'<path class="step" d="M {x:.1f} {y - 20} Q {(x + to) / 2:.1f} {y - 42} {to:.1f} {y - 20}"/>')
            out.append(f'<path class="head" d="M {to:.1f} {y - 18} l -7 -3 l 3 -6 z"/>')
        x = to
    out.append(ball(WALL - RADIUS, y, "hit"))
    out.append(text(WALL + 14, y + 34, "first contact: never later than the truth", "small"))
    return out


def main():
    body = [f'<rect class="card" x="0.5" y="0.5" width="{WIDTH - 1}" height="{HEIGHT - 1}" rx="8"/>']
    body.append(text(24, 32, "Samples: what is thinner than a step is passed unseen", "title"))
    body += samples(98)
    body.append(text(24, 190, "Sweep: each step ends before the gap can be closed", "title"))
    body += steps(256)
    svg = (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {HEIGHT}" role="img" '
        f'aria-label="Samples of a ball pass a thin plate; a sweep stops at it">\n<style>{STYLE}</style>\n'
        + "\n".join(body)
        + "\n</svg>\n"
    )
    pathlib.Path(sys.argv[1], "sweeps-tunnel.svg").write_text(svg, encoding="utf-8")


if __name__ == "__main__":
    main()
