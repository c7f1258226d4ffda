#!/usr/bin/env python3
"""Adds an unknown kind to Geometry and expects the compiler to reject every function that would answer for it.

    closed_door.py BUILD_DIR

The sources stay as they are: a changed copy of geometry.h comes first on the include path. As a control, an unchanged copy
must compile.
"""

import concurrent.futures
import json
import os
import pathlib
import shlex
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[2]
HEADER = "graze/geometry/geometry.h"

# The functions that the compiler's errors about each file must name. Those behind them, such as the depth of solids or what is inside
# of a mesh, take a `PartsBody` (src/query/parts_pair.h), which only known kinds convert to.
DOORS = {
    "src/geometry/geometry.cpp": ["bounds_of", "name_of", "largest_coordinate"],
    "src/query/core.cpp": ["stamp"],
    "src/query/collide.cpp": ["collide", "overlap_deeper"],
    "src/query/distance.cpp": ["between"],
    "src/query/contacts.cpp": ["contacts"],
    "src/query/mesh_inside.cpp": ["solid_of"],
    "src/query/raycast.cpp": ["cast"],
    "src/query/sweep_sphere.cpp": ["sweep_sphere"],
    "src/query/point_depth.cpp": ["point_depth"],
    "src/query/blocks.cpp": ["ask_blocks"],
    "src/query/blocks_depth.cpp": ["rounding_of"],
    "src/io/placed.cpp": ["reader_of"],
    "src/clearance/model.cpp": ["of_shapes"],
    "src/clearance/report_model.cpp": ["append"],
}


def with_stranger(text):
    """The header with one more kind at the end of the variant."""
    start = text.index("using Geometry =")
    end = text.index(">;", start)
    return text[:start] + "struct Stranger {\n  bool operator==(const Stranger&) const = default;\n};\n" + \
        text[start:end] + ", Stranger" + text[end:]


def command_for(entry, file, overlay):
    """The compile command of a build, for another file of the library (all have the same options), reduced to a syntax check
    and without precompiled headers."""
    words = [str(ROOT / file) if word == entry["file"] else word for word in shlex.split(entry["command"])]
    while not os.path.basename(words[0]).startswith(("g++", "c++", "clang++", "gcc", "clang")):
        words = words[1:]  # ccache and its wrapper
    kept, skip = [words[0], f"-I{overlay}", "-fsyntax-only", "-fmax-errors=0" if "clang" not in words[0] else "-ferror-limit=0"], 0
    for word, following in zip(words[1:], words[2:] + [""]):
        if skip:
            skip -= 1
        elif word in ("-o", "-MF", "-MT", "-MQ") or (word == "-include" and "cmake_pch" in following):
            skip = 1
        elif word in ("-c", "-MD", "-MMD", "-Winvalid-pch") or word.startswith("-fpch"):
            pass
        else:
            kept.append(word)
    return kept


def compile_with(entry, file, overlay):
    done = subprocess.run(command_for(entry, file, overlay), cwd=entry["directory"], capture_output=True, text=True, check=False)
    return done.returncode == 0, done.stderr


def main():
    build = pathlib.Path(sys.argv[1])
    control = "src/geometry/geometry.cpp"
    commands = json.loads((build / "compile_commands.json").read_text(encoding="utf-8"))
    alone = ROOT / "src/query/core.cpp"  # compiled by itself, not in one unit with others
    entry = next(e for e in commands if pathlib.Path(e["directory"], e["file"]).resolve() == alone)

    flaws = []
    with tempfile.TemporaryDirectory() as folder:
        text = (ROOT / "include" / HEADER).read_text(encoding="utf-8")
        overlays = {}
        for name, content in (("same", text), ("stranger", with_stranger(text))):
            copy = pathlib.Path(folder, name, HEADER)
            copy.parent.mkdir(parents=True)
            copy.write_text(content, encoding="utf-8")
            overlays[name] = copy.parents[2]

        def look_at(file):
            compiled, complaints = compile_with(entry, file, overlays["stranger"])
            if compiled:
                return [f"{file} compiles with a kind of geometry that it does not know"]
            return [f"{file}: {name} is not among the compiler's errors:\n{complaints[:2000]}"
                    for name in DOORS[file] if name not in complaints]

        with concurrent.futures.ThreadPoolExecutor(int(os.environ.get("GRAZE_JOBS", os.cpu_count()))) as pool:
            for found in pool.map(look_at, DOORS):
                flaws += found
        compiled, complaints = compile_with(entry, control, overlays["same"])
        if not compiled:
            flaws.append(f"control: an unchanged copy of the header does not compile:\n{complaints[:2000]}")
    print("\n".join(flaws) or f"{len(DOORS)} files reject an unknown kind of geometry")
    return 1 if flaws else 0


if __name__ == "__main__":
    sys.exit(main())
