#!/usr/bin/env python3
"""Which sources clang-tidy must look at, one path a line.

    lint_selection.py BUILD_DIR [BASE]

With BASE, a commit that was linted as a whole: the sources that differ from it and, for each header that differs, one
source that includes it. Without BASE, or where git does not know it: all sources of the library and the command line.
BUILD_DIR is a built tree, whose dependency log tells who includes what.
"""

import os
import subprocess
import sys

SOURCES = ("src/", "apps/")


def lines(*command):
    return subprocess.run(command, check=True, capture_output=True, text=True).stdout.splitlines()


def is_source(path):
    return path.startswith(SOURCES) and path.endswith(".cpp")


def all_sources():
    known = lines("git", "ls-files", "--cached", "--others", "--exclude-standard")
    return sorted({path for path in known if is_source(path) and os.path.exists(path)})


def changed_since(base):
    changed = lines("git", "diff", "--name-only", base)
    new = lines("git", "ls-files", "--others", "--exclude-standard")
    return {path for path in [*changed, *new] if os.path.exists(path)}


def includes_of(log, root):
    """{source: the project's files that it includes} from the output of `ninja -t deps`."""
    found, files = {}, []
    for line in [*log, ""]:
        if line.startswith(" "):
            path = os.path.relpath(os.path.join(root, line.strip()))
            if not path.startswith(".."):
                files.append(path)
        elif not line and files:
            source = next((path for path in files if is_source(path)), None)
            if source:
                found.setdefault(source, set()).update(files)
            files = []
    return found


def select(changed, includes):
    """The changed sources, and for every changed header that none of them includes the one with the fewest includes."""
    chosen = {path for path in changed if is_source(path)}
    for header in sorted(path for path in changed if path.endswith(".h")):
        users = [source for source, files in includes.items() if header in files]
        if users and not chosen.intersection(users):
            chosen.add(min(users, key=lambda source: (len(includes[source]), source)))
    return sorted(chosen)


def main():
    build, base = sys.argv[1], sys.argv[2] if len(sys.argv) > 2 else ""
    known = base and subprocess.run(["git", "cat-file", "-e", base + "^{commit}"], capture_output=True).returncode == 0
    changed = changed_since(base) if known else None
    if changed is None or ".clang-tidy" in changed:
        chosen = all_sources()
    else:
        chosen = select(changed, includes_of(lines("ninja", "-C", build, "-t", "deps"), build))
    print("\n".join(chosen))


if __name__ == "__main__":
    main()
