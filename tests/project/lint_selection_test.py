#!/usr/bin/env python3
"""What lint_selection.py chooses."""

import pathlib
import sys
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "tools"))
import lint_selection  # noqa: E402

FILES = {
    "src/room/a.cpp": '#include "graze/room/shared.h"\n#include <cstdio>\n#include "elsewhere.h"\n',
    "src/room/b.cpp": '#include "graze/room/shared.h"\n  # include "room/own.h"\n',
    "src/room/own.h": '#include "beside.h"\n',
    "src/room/beside.h": '#include "room/own.h"\n',
    "include/graze/room/shared.h": "",
    "include/graze/room/tested.h": "",
    "tests/t.cpp": '#include "graze/room/tested.h"\n',
}


class LintSelection(unittest.TestCase):
    includes = lint_selection.includes_of(FILES, FILES.get)

    def test_follows_includes_through_headers(self):
        self.assertEqual(self.includes, {
            "src/room/a.cpp": {"src/room/a.cpp", "include/graze/room/shared.h"},
            "src/room/b.cpp": {"src/room/b.cpp", "include/graze/room/shared.h", "src/room/own.h", "src/room/beside.h"}})

    def chosen(self, *changed):
        return lint_selection.select(set(changed), self.includes)

    def test_takes_changed_sources(self):
        self.assertEqual(self.chosen("src/room/b.cpp", "tests/t.cpp", "README.md"), ["src/room/b.cpp"])

    def test_takes_one_source_for_a_changed_header(self):
        self.assertEqual(self.chosen("include/graze/room/shared.h"), ["src/room/a.cpp"])
        self.assertEqual(self.chosen("src/room/beside.h"), ["src/room/b.cpp"])

    def test_takes_no_second_source_where_a_changed_one_includes_the_header(self):
        self.assertEqual(self.chosen("include/graze/room/shared.h", "src/room/b.cpp"), ["src/room/b.cpp"])


if __name__ == "__main__":
    unittest.main()
