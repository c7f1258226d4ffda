#!/usr/bin/env python3
"""Checks that the library does not use the platform's elementary functions.

    elementary_functions.py ROOT

std::sin and its like differ in the last bits between C libraries and processors; graze/base/elementary.h does not. So
src/ and include/ use that, and neither <cmath>'s functions nor what calls them in Eigen. std::sqrt, std::fma, std::floor
and others that IEEE 754 defines to the bit are fine. Prints one line per violation and exits with 1 if there is any.
"""

import pathlib
import re
import sys

FUNCTIONS = (
    "sin cos tan asin acos atan atan2 sinh cosh tanh asinh acosh atanh exp exp2 expm1 log log2 log10 log1p "
    "pow cbrt hypot erf erfc tgamma lgamma sincos"
).split()
# Qualified by std:: or not at all; members and other namespaces may have functions of these names.
CALL = re.compile(r"(?:\bstd::|(?<![\w.:>]))(" + "|".join(FUNCTIONS) + r")[fl]?\s*\(")
EIGEN = re.compile(r"\b(AngleAxis[fd]?|slerp|angularDistance|eulerAngles|stableNorm|hypotNorm|blueNorm)\b")
# What defines the functions; the rest says why the platform's do no harm there.
ALLOWED = {"src/base/elementary.cpp", "include/graze/base/elementary.h"}
COMMENT = re.compile(r"//.*$")
STRING = re.compile(r'"(?:[^"\\]|\\.)*"')


def check(root):
    """All violations in the tree, as 'file:line: what is wrong'."""
    root = pathlib.Path(root)
    found = []
    for folder in ("include", "src"):
        for path in sorted((root / folder).rglob("*")):
            name = path.relative_to(root).as_posix()
            if path.suffix not in (".h", ".cpp") or name in ALLOWED:
                continue
            for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), start=1):
                code = COMMENT.sub("", STRING.sub('""', line))
                for match in CALL.finditer(code):
                    found.append(f"{name}:{number}: {match[1]} of the platform; use graze/base/elementary.h")
                for match in EIGEN.finditer(code):
                    found.append(f"{name}:{number}: {match[1]} calls the platform's elementary functions")
    return found


if __name__ == "__main__":
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    violations = check(sys.argv[1])
    for line in violations:
        print(line)
    sys.exit(1 if violations else 0)
