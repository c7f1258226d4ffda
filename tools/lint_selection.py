#!/usr/bin/env python3
"""Which sources clang-tidy must look at, one path a line.

    lint_selection.py [BASE]

With BASE, a commit that was linted as a whole: the sources that differ from it and, for each header that differs, one
source that includes it. Without BASE, or where git does not know it: all sources of the library and the command line.
"""

import os
import re
import subprocess
import sys

SOURCES = ("src/", "apps/")
FOLDERS = ("include", "src", "apps/graze", "")  # in which the compiler looks for "…"
INCLUDE = re.compile(r'^\s*#\s*include\s+"([^"]+)"', re.MULTILINE)


def lines(*command):
    return subprocess.run(command, check=True, capture_output=True, text=True).stdout.splitlines()


def is_source(path):
    return path.startswith(SOURCES) and path.endswith(".cpp")


def project_files():
    known = lines("git", "ls-files", "--cached", "--others", "--exclude-standard", "--", "*.h", "*.cpp")
    return sorted({path for path in known if os.path.exists(path)})


def changed_since(base):
    changed = lines("git", "diff", "--name-only", base)
    new = lines("git", "ls-files", "--others", "--exclude-standard")
    return {path for path in [*changed, *new] if os.path.exists(path)}


def includes_of(files, read):
    """{source: the files of the project that it includes, itself among them}, from the #include lines of all files."""
    known = set(files)
    direct = {path: [found for name in INCLUDE.findall(read(path)) for found in resolved(name, path, known)]
              for path in known}
    found = {}
    for source in filter(is_source, known):
        reached, open_files = {source}, [source]
        while open_files:
            fresh = set(direct[open_files.pop()]) - reached
            reached |= fresh
            open_files += fresh
        found[source] = reached
    return found


def resolved(name, includer, known):
    """The file of the project that `#include "name"` in the includer stands for, if it is one of the project's."""
    candidates = [os.path.normpath(os.path.join(folder, name)) for folder in (os.path.dirname(includer), *FOLDERS)]
    return [path for path in candidates if path in known][:1]


def read(path):
    with open(path, encoding="utf-8") as file:
        return file.read()


def select(changed, includes):
    """The changed sources, and for every changed header that none of them includes the one with the fewest includes."""
    chosen = {path for path in changed if is_source(path)}
    for header in sorted(path for path in changed if path.endswith(".h")):
        users = [source for source, files in includes.items() if header in files]
        if users and not chosen.intersection(users):
            chosen.add(min(users, key=lambda source: (len(includes[source]), source)))
    return sorted(chosen)


def main():
    base = sys.argv[1] if len(sys.argv) > 1 else ""
    known = base and subprocess.run(["git", "cat-file", "-e", base + "^{commit}"], capture_output=True).returncode == 0
    changed = changed_since(base) if known else None
    if changed is None or ".clang-tidy" in changed:
        chosen = filter(is_source, project_files())
    else:
        chosen = select(changed, includes_of(project_files(), read))
    print("\n".join(chosen))


if __name__ == "__main__":
    main()
