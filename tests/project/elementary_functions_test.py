#!/usr/bin/env python3
"""The checker of elementary functions finds what it should find."""

import pathlib
import tempfile
import unittest

import elementary_functions


class ElementaryFunctions(unittest.TestCase):
    def violations(self, line, path="src/query/gjk.cpp"):
        with tempfile.TemporaryDirectory() as root:
            file = pathlib.Path(root) / path
            file.parent.mkdir(parents=True)
            file.write_text(f"#pragma once\n{line}\n", encoding="utf-8")
            return elementary_functions.check(root)

    def test_the_platforms_functions_are_found(self):
        for line in (
            "x = std::sin(y);",
            "x = cos(y);",
            "return std::pow(10, k) + 1;",
            "x = -atan2 (y, z);",
            "f(std::expf(x));",
            "q = Eigen::AngleAxisd(yaw, axis);",
            "q = p.slerp(t, r);",
        ):
            found = self.violations(line)
            self.assertEqual(len(found), 1, line)
            self.assertIn("src/query/gjk.cpp:2: ", found[0])

    def test_others_are_not(self):
        for line in (
            "x = std::sqrt(y) + std::fma(a, b, c) + std::floor(d) + std::ldexp(e, 2);",
            "x = elementary::sin(y);",
            "// std::sin(x) differs",
            'name("cos(x)");',
            "cosine(x); my_exp(y); catalog(z);",
            "shape.log(message); logger->log(message);",
        ):
            self.assertEqual(self.violations(line), [], line)
        self.assertEqual(self.violations("double sin(double x);", "include/graze/base/elementary.h"), [])


if __name__ == "__main__":
    unittest.main()
