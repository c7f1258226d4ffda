#!/usr/bin/env python3
"""Checks the #include lines of a source tree against the order of the rooms.

    include_order.py ROOT ROOM…

The rooms are given in order. A room includes itself and those before it. Public headers include the standard library,
Eigen and other public headers only, so that users need nothing else. The oracle includes nothing of graze, examples
only what users can include. Prints one line per violation and exits with 1 if there is any.
"""

import pathlib
import re
import sys

INCLUDE = re.compile(r'^\s*#\s*include\s*([<"])([^>"]+)[>"]')
PUBLIC_LIBRARIES = {"Eigen"}
# Slow to compile, so only one file includes it; the others use a table of options.
FIREWALLS = {"CLI": "apps/graze/parse.cpp"}


def includes(path):
    """(line number, delimiter, target) of each #include in the file."""
    for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), start=1):
        if match := INCLUDE.match(line):
            yield number, match[1], match[2]


def cxx_files(folder):
    return sorted(p for p in folder.rglob("*") if p.suffix in (".h", ".cpp") and p.is_file())


def room_of(target, rooms):
    """(room, is public) of an include target, or None if it is not a file of a room."""
    parts = target.split("/")
    if parts[0] == "graze" and len(parts) > 2 and parts[1] in rooms:
        return parts[1], True
    if parts[0] in rooms and len(parts) > 1:
        return parts[0], False
    return None


def check(root, rooms):
    """All violations in the tree, as 'file:line: what is wrong'."""
    root = pathlib.Path(root)
    found = []

    def report(path, number, what):
        found.append(f"{path.relative_to(root)}:{number}: {what}")

    for position, room in enumerate(rooms):
        allowed = rooms[: position + 1]
        for public, folder in ((True, root / "include/graze" / room), (False, root / "src" / room)):
            for path in cxx_files(folder):
                for number, delimiter, target in includes(path):
                    where = room_of(target, rooms)
                    if where:
                        if where[0] not in allowed:
                            report(path, number, f"{room} must not include {where[0]} ({target})")
                        if public and not where[1]:
                            report(path, number, f"a public header must not include the private {target}")
                    elif target == "graze/graze.h":
                        report(path, number, "a room must not include everything (graze/graze.h)")
                    elif target == "graze/version.h":
                        pass
                    elif delimiter == '"':
                        report(path, number, f"write {target} as graze/<room>/… or <room>/…")
                    elif public and "/" in target and target.split("/")[0] not in PUBLIC_LIBRARIES:
                        report(path, number, f"a public header must not need {target}")
                    elif public and "/" not in target and target.endswith(".h"):
                        report(path, number, f"a public header must not need {target}")

    for path in cxx_files(root / "tests/oracle"):
        for number, _, target in includes(path):
            if room_of(target, rooms) or target.startswith(("graze/", "support/")):
                report(path, number, f"the oracle must not share code with what it judges ({target})")

    for folder in ("examples", "apps"):
        for path in cxx_files(root / folder):
            for number, _, target in includes(path):
                where = room_of(target, rooms)
                if where and not where[1]:
                    report(path, number, f"{folder} use the public headers only ({target})")
                only = FIREWALLS.get(target.split("/")[0])
                if only and path != root / only:
                    report(path, number, f"only {only} includes {target}")

    for folder in ("include/graze", "src"):
        for path in sorted((root / folder).glob("*/")):
            if path.is_dir() and path.name not in rooms and cxx_files(path):
                found.append(f"{path.relative_to(root)}: no such room; the rooms are {', '.join(rooms)}")
    return found


def main(arguments):
    if len(arguments) < 2:
        sys.exit(__doc__)
    violations = check(arguments[0], arguments[1:])
    for violation in violations:
        print(violation)
    sys.exit(1 if violations else 0)


if __name__ == "__main__":
    main(sys.argv[1:])
