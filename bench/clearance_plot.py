#!/usr/bin/env python3
"""Plots what `bench_clearance --cost` prints: clearance_plot.py < cost.txt > docs/clearance-cost.svg"""

import math
import sys

TITLES = {"poses": "poses", "model": "model points", "scan": "scan points", "limit": "limit, m"}


def read(lines):
    """Name of the series -> [(x, seconds)]."""
    series = {}
    for line in lines:
        words = line.split()
        if len(words) == 4 and words[0] in TITLES:
            series.setdefault(words[0], []).append((float(words[1]), float(words[2])))
    return series


def plot(points, title, left, top, width=260, height=150):
    """One frame with both axes logarithmic."""
    xs, ys = [math.log10(x) for x, _ in points], [math.log10(y) for _, y in points]
    low, high = math.floor(min(ys)), math.ceil(max(ys) + 1e-9)
    high = max(high, low + 1)
    span = max(xs) - min(xs) or 1

    def pixel(x, y):
        return left + (x - min(xs)) / span * width, top + height - (y - low) / (high - low) * height

    out = [f'<rect x="{left}" y="{top}" width="{width}" height="{height}" fill="none" stroke="#999"/>']
    for power in range(low, high + 1):
        y = pixel(xs[0], power)[1]
        out.append(f'<path d="M{left} {y:.1f}h{width}" stroke="#ddd"/>')
        out.append(f'<text x="{left - 6}" y="{y + 4:.1f}" text-anchor="end">{10.0 ** power:g} s</text>')
    line = " ".join("{:.1f},{:.1f}".format(*pixel(x, y)) for x, y in zip(xs, ys))
    out.append(f'<polyline points="{line}" fill="none" stroke="#2b5d8f" stroke-width="2"/>')
    for x, y in zip(xs, ys):
        px, py = pixel(x, y)
        out.append(f'<circle cx="{px:.1f}" cy="{py:.1f}" r="3" fill="#2b5d8f"/>')
    for (x, _), log in ((points[0], xs[0]), (points[-1], xs[-1])):
        out.append(f'<text x="{pixel(log, low)[0]:.1f}" y="{top + height + 16}" text-anchor="middle">{x:g}</text>')
    out.append(f'<text x="{left + width / 2}" y="{top + height + 32}" text-anchor="middle">{title}</text>')
    return out


def main():
    series = read(sys.stdin)
    print('<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 700 440" font-family="sans-serif" font-size="12">')
    print('<rect width="700" height="440" fill="#fff"/>')
    for i, name in enumerate(n for n in TITLES if n in series):
        print("\n".join(plot(sorted(series[name]), TITLES[name], 70 + 340 * (i % 2), 20 + 215 * (i // 2))))
    print("</svg>")


if __name__ == "__main__":
    main()
