#!/usr/bin/env python3
"""Checks what the public headers bring with them.

    public_headers.py ROOT

graze.h includes all of them except those that its first lines leave out. A header for one question includes only what the
question needs. The namespace graze has no name that a program is likely to use itself. Prints one line per
violation and exits with 1 if there is any.
"""

import pathlib
import re
import sys

INCLUDE = re.compile(r'^#include "(graze/[^"]+)"', re.MULTILINE)
# Readers and writers; what users with trees and questions of their own need.
NOT_IN_ALL = re.compile(r"graze/io/|graze/index/near_first\.h|graze/query/(?:traverse|hierarchy|brute_force)\.h")
# No tree, no attributes, no threads.
COLLIDE = {
    "graze/base/aabb.h", "graze/base/number.h", "graze/base/pose.h", "graze/base/vec.h", "graze/geometry/cloud.h",
    "graze/geometry/geometry.h", "graze/geometry/height_field.h", "graze/geometry/map_view.h", "graze/geometry/mesh.h",
    "graze/index/points.h", "graze/query/collide.h",
    "graze/query/pair_cache.h", "graze/shape/box.h", "graze/shape/capsule.h", "graze/shape/checked.h",
    "graze/shape/cone.h", "graze/shape/convex.h", "graze/shape/cylinder.h", "graze/shape/ellipsoid.h",
    "graze/shape/half_space.h", "graze/shape/plane.h", "graze/shape/shape.h", "graze/shape/sphere.h",
    "graze/shape/triangle.h",
}
GENERIC = {
    "Answer", "Data", "Level", "Model", "Options", "Path", "Report", "Search", "Side", "Sign", "Size", "Sizes", "Source",
    "Track", "Vehicle", "Verdict", "answer", "erased", "filter", "load", "point", "size", "unit",
}
NAMESPACE = re.compile(r"^namespace ([\w:]+) \{|^\}  // namespace")
DECLARED = re.compile(
    r"^(?! )(?:inline |constexpr )*(?:(?:struct|class|enum class|using) (\w+)|[\w:<>,*& ]+?[ *&](\w+)\(|[\w:<>]+ (\w+) = )")


def brought(include, header):
    """All headers of graze that a header brings, itself included."""
    seen, left = set(), [header]
    while left:
        name = left.pop()
        if name not in seen:
            seen.add(name)
            left += INCLUDE.findall((include / name).read_text(encoding="utf-8"))
    return seen


def names(text):
    """Names that are declared in the namespace graze itself; code is recognised by its indentation."""
    spaces = []
    for line in text.splitlines():
        if match := NAMESPACE.match(line):
            spaces = spaces + [match[1]] if match[1] else spaces[:-1]
        elif line == "}":  # of a short namespace, or of something else that ends here
            spaces = spaces[:-1] if spaces and spaces[-1] != "graze" else spaces
        elif spaces == ["graze"] and (match := DECLARED.match(line)):
            yield next(name for name in match.groups() if name)


def check(root):
    include = pathlib.Path(root) / "include"
    headers = {p.relative_to(include).as_posix() for p in include.rglob("*.h")}
    found = []
    everything = brought(include, "graze/graze.h")
    for header in sorted(headers - everything):
        if not NOT_IN_ALL.match(header):
            found.append(f"graze/graze.h: leaves out {header}")
    for header in sorted(everything):
        if NOT_IN_ALL.match(header):
            found.append(f"graze/graze.h: brings {header}")
    for header in sorted(brought(include, "graze/query/collide.h") - COLLIDE):
        found.append(f"graze/query/collide.h: brings {header}")
    for header in sorted(headers - {"graze/index/near_first.h"}):
        for name in names((include / header).read_text(encoding="utf-8")):
            if name in GENERIC:
                found.append(f"{header}: '{name}' is too generic for the namespace graze")
    return found


if __name__ == "__main__":
    violations = check(sys.argv[1])
    print("\n".join(violations))
    sys.exit(1 if violations else 0)
