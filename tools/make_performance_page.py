#!/usr/bin/env python3
"""Makes docs/performance.md from what the benchmarks measured.

    make_performance_page.py BENCH_DIR PAGE

Each BENCH_DIR/NAME.json holds the claims of one run of a benchmark, NAME.machine beside it says where and when it ran
(lines of `key: value`, written by `./dev bench`). The description at the top of bench/NAME_bench.cpp comes first. Sections of
benchmarks that BENCH_DIR does not have stay in the page as they are.
"""

import json
import pathlib
import re
import sys

SOURCES = pathlib.Path(__file__).resolve().parents[1] / "bench"

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


def subject(name, sources=SOURCES):
    """The first paragraph of the comment at the top of the benchmark, or nothing."""
    source = sources / f"{name}_bench.cpp"
    if not source.exists():
        return ""
    comment = re.match(r"(?:// .*\n)*", source.read_text(encoding="utf-8"))[0]
    return re.sub(r"^// ", "", comment, flags=re.MULTILINE).strip()


def section(name, claims, machine):
    lines = [f"## {name}", ""]
    for paragraph in (subject(name), machine):
        if paragraph:
            lines += [paragraph, ""]
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


def sections_of(text):
    """The sections of a page by their names."""
    parts = re.split(r"^## (.+)\n", text, flags=re.MULTILINE)
    return {name: f"## {name}\n{body.rstrip()}\n" for name, body in zip(parts[1::2], parts[2::2])}


def page(bench_dir, old=""):
    sections = sections_of(old)
    for path in pathlib.Path(bench_dir).glob("*.json"):
        claims = json.loads(path.read_text(encoding="utf-8"))["claims"]
        sections[path.stem] = section(path.stem, claims, machine_line(path.with_suffix(".machine")))
    if not sections:
        sys.exit(f"there are no claims in {bench_dir}; run ./dev bench first")
    return "\n".join([INTRODUCTION] + [sections[name] for name in sorted(sections)])


def main(arguments):
    if len(arguments) != 2:
        sys.exit(__doc__)
    target = pathlib.Path(arguments[1])
    text = page(arguments[0], target.read_text(encoding="utf-8") if target.exists() else "")
    part = target.with_suffix(".part")
    part.write_text(text, encoding="utf-8")
    part.replace(target)
    print(f"wrote {target}")


if __name__ == "__main__":
    main(sys.argv[1:])
