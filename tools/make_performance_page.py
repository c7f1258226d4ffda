#!/usr/bin/env python3
"""Makes docs/performance.md from what the benchmarks measured.

    make_performance_page.py BENCH_DIR PAGE

Each BENCH_DIR/NAME.json holds the claims of one run of a benchmark, NAME.machine beside it says where and when it ran
(lines of `key: value`, written by `./dev bench`).
"""

import json
import pathlib
import sys

INTRODUCTION = """# Performance

Made by `./dev docs` from the files that `./dev bench` writes; edit neither by hand. Each line ran graze and the peer in
one process and compared their answers. Read the ratios, not the times: > 1 is in graze's favour. See
[bench/README.md](../bench/README.md) for how to run and add claims.
"""


def figure(x):
    """Four significant digits, without an exponent where that is readable."""
    if x is None:
        return "–"
    if x == 0 or 1e-3 <= abs(x) < 1e9:
        whole = len(str(int(abs(x)))) if abs(x) >= 1 else 0
        return f"{x:.{min(3, max(0, 4 - whole))}f}"
    return f"{x:.3g}"


def cell(text):
    return str(text).replace("|", "\\|").replace("\n", " ")


def section(name, claims, machine):
    lines = [f"## {name}", ""]
    if machine:
        lines += [machine, ""]
    lines += ["| claim | graze | peer | | unit | ratio | goal | answers |",
              "| --- | ---: | ---: | --- | --- | ---: | ---: | --- |"]
    for claim in claims:
        reached = claim["ratio"] is not None and claim["ratio"] >= claim["goal"]
        ratio = "–" if claim["ratio"] is None else f"{claim['ratio']:.2f} ×"
        lines.append("| " + " | ".join(map(cell, (
            claim["id"], figure(claim["ours"]), figure(claim["peer"]), claim["peer_name"], claim["unit"],
            f"**{ratio}**" if reached else ratio, f"{claim['goal']:.2f} ×" + ("" if reached else " (missed)"),
            "agree" if claim["agree"] else "**differ**"))) + " |")
    return "\n".join(lines) + "\n"


def machine_line(path):
    """'CPU, 2 cores; compiler; date' of a .machine file, or nothing."""
    if not path.exists():
        return ""
    known = dict(line.split(": ", 1) for line in path.read_text(encoding="utf-8").splitlines() if ": " in line)
    order = ("cpu", "cores", "compiler", "flags", "commit", "date")
    return "; ".join(f"{key} {known[key]}" if key in ("cores", "flags", "commit") else known[key]
                     for key in order if known.get(key))


def page(bench_dir):
    parts = [INTRODUCTION]
    for path in sorted(pathlib.Path(bench_dir).glob("*.json")):
        claims = json.loads(path.read_text(encoding="utf-8"))["claims"]
        parts.append(section(path.stem, claims, machine_line(path.with_suffix(".machine"))))
    if len(parts) == 1:
        sys.exit(f"there are no claims in {bench_dir}; run ./dev bench first")
    return "\n".join(parts)


def main(arguments):
    if len(arguments) != 2:
        sys.exit(__doc__)
    text = page(arguments[0])
    target = pathlib.Path(arguments[1])
    part = target.with_suffix(".part")
    part.write_text(text, encoding="utf-8")
    part.replace(target)
    print(f"wrote {target}")


if __name__ == "__main__":
    main(sys.argv[1:])
