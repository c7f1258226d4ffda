#!/usr/bin/env python3
"""The checker of the include order finds what it should find."""

import pathlib
import tempfile
import unittest

import include_order

ROOMS = ["base", "shape", "query", "io"]


class IncludeOrder(unittest.TestCase):
    def violations(self, path, line):
        with tempfile.TemporaryDirectory() as root:
            file = pathlib.Path(root) / path
            file.parent.mkdir(parents=True)
            file.write_text(f"#pragma once\n{line}\n", encoding="utf-8")
            return include_order.check(root, ROOMS)

    def assert_clean(self, path, line):
        self.assertEqual(self.violations(path, line), [])

    def assert_found(self, path, line, words):
        found = self.violations(path, line)
        self.assertEqual(len(found), 1, found)
        self.assertIn(f"{path}:2: ", found[0])
        self.assertIn(words, found[0])

    def test_earlier_rooms_and_the_own_are_allowed(self):
        self.assert_clean("src/query/gjk.cpp", '#include "graze/base/vec.h"')
        self.assert_clean("src/query/gjk.cpp", '#include "query/gjk.h"')
        self.assert_clean("include/graze/query/distance.h", '#include "graze/shape/box.h"')
        self.assert_clean("src/io/obj.cpp", '#include "graze/query/distance.h"')

    def test_later_rooms_are_found_in_every_spelling(self):
        self.assert_found("src/base/vec.cpp", '#include "graze/shape/box.h"', "base must not include shape")
        self.assert_found("src/base/vec.cpp", "#  include <graze/shape/box.h>", "base must not include shape")
        self.assert_found("src/shape/box.cpp", '#include "query/gjk.h"', "shape must not include query")
        self.assert_found("include/graze/query/x.h", '#include "graze/io/obj.h"', "query must not include io")

    def test_public_headers_need_the_standard_library_and_eigen_only(self):
        self.assert_clean("include/graze/base/vec.h", "#include <Eigen/Core>")
        self.assert_clean("include/graze/base/vec.h", "#include <vector>")
        self.assert_found("include/graze/base/simd.h", "#include <hwy/highway.h>", "must not need hwy/highway.h")
        self.assert_found("include/graze/base/x.h", '#include "base/detail.h"', "private base/detail.h")
        self.assert_clean("src/base/simd.h", "#include <hwy/highway.h>")

    def test_loose_paths_and_the_umbrella_are_found(self):
        self.assert_found("src/query/gjk.cpp", '#include "gjk.h"', "write gjk.h as")
        self.assert_found("src/query/gjk.cpp", '#include "graze/graze.h"', "must not include everything")

    def test_the_oracle_shares_nothing(self):
        self.assert_clean("tests/oracle/exact.cpp", '#include "oracle/exact.h"')
        self.assert_found("tests/oracle/exact.cpp", '#include "query/gjk.h"', "must not share code")
        self.assert_found("tests/oracle/exact.cpp", '#include "graze/base/vec.h"', "must not share code")

    def test_clients_use_public_headers(self):
        self.assert_clean("examples/01_first.cpp", '#include "graze/graze.h"')
        self.assert_found("examples/01_first.cpp", '#include "query/gjk.h"', "public headers only")

    def test_slow_libraries_stay_behind_one_file(self):
        self.assert_clean("apps/graze/parse.cpp", "#include <CLI/CLI.hpp>")
        self.assert_found("apps/graze/info.cpp", "#include <CLI/CLI.hpp>", "only apps/graze/parse.cpp includes")

    def test_a_folder_that_is_no_room_is_found(self):
        self.assertIn("no such room", self.violations("src/misc/x.cpp", "#include <vector>")[0])


if __name__ == "__main__":
    unittest.main()
