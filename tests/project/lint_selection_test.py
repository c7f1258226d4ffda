#!/usr/bin/env python3
"""What lint_selection.py chooses."""

import pathlib
import sys
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "tools"))
import lint_selection  # noqa: E402

LOG = """src/a.cpp.o: #deps 2, deps mtime 1 (VALID)
    ../../src/room/a.cpp
    ../../include/graze/room/shared.h
    /usr/include/stdio.h

src/b.cpp.o: #deps 3, deps mtime 1 (VALID)
    ../../src/room/b.cpp
    ../../include/graze/room/shared.h
    ../../src/room/own.h

tests/t.cpp.o: #deps 2, deps mtime 1 (VALID)
    ../../tests/t.cpp
    ../../include/graze/room/tested.h
""".splitlines()


class LintSelection(unittest.TestCase):
    includes = lint_selection.includes_of(LOG, "build/asan")

    def test_reads_the_dependency_log(self):
        self.assertEqual(self.includes, {
            "src/room/a.cpp": {"src/room/a.cpp", "include/graze/room/shared.h"},
            "src/room/b.cpp": {"src/room/b.cpp", "include/graze/room/shared.h", "src/room/own.h"}})

    def chosen(self, *changed):
        return lint_selection.select(set(changed), self.includes)

    def test_takes_changed_sources(self):
        self.assertEqual(self.chosen("src/room/b.cpp", "tests/t.cpp", "README.md"), ["src/room/b.cpp"])

    def test_takes_one_source_for_a_changed_header(self):
        self.assertEqual(self.chosen("include/graze/room/shared.h"), ["src/room/a.cpp"])
        self.assertEqual(self.chosen("src/room/own.h"), ["src/room/b.cpp"])

    def test_takes_no_second_source_where_a_changed_one_includes_the_header(self):
        self.assertEqual(self.chosen("include/graze/room/shared.h", "src/room/b.cpp"), ["src/room/b.cpp"])


if __name__ == "__main__":
    unittest.main()
