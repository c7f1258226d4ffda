#!/usr/bin/env python3
"""The checker of the public headers finds what it should find."""

import pathlib
import tempfile
import unittest

import public_headers

FILES = {
    "graze/graze.h": '#include "graze/query/collide.h"\n#include "graze/index/kd_tree.h"\n',
    "graze/query/collide.h": '#include "graze/base/vec.h"\n',
    "graze/base/vec.h": "",
    "graze/index/kd_tree.h": "",
    "graze/index/near_first.h": "namespace graze {\nstruct Size {};\n}  // namespace graze\n",
    "graze/io/ask.h": "",
}


class PublicHeaders(unittest.TestCase):
    def violations(self, **changed):
        with tempfile.TemporaryDirectory() as root:
            for name, text in {**FILES, **{k.replace("__", "/") + ".h": v for k, v in changed.items()}}.items():
                path = pathlib.Path(root) / "include" / name
                path.parent.mkdir(parents=True, exist_ok=True)
                path.write_text(text, encoding="utf-8")
            return public_headers.check(root)

    def assert_found(self, words, **changed):
        found = self.violations(**changed)
        self.assertEqual(len(found), 1, found)
        self.assertIn(words, found[0])

    def test_what_is_as_it_should_be_is_clean(self):
        self.assertEqual(self.violations(), [])

    def test_everything_is_in_the_header_of_everything(self):
        self.assert_found("graze.h: leaves out graze/clearance/report.h", graze__clearance__report="")

    def test_files_and_traversals_are_not(self):
        self.assert_found("graze.h: brings graze/io/ask.h", graze__index__kd_tree='#include "graze/io/ask.h"\n')

    def test_a_question_brings_no_tree(self):
        self.assert_found("collide.h: brings graze/index/kd_tree.h",
                          graze__base__vec='#include "graze/index/kd_tree.h"\n')

    def test_generic_names_are_found(self):
        def vec(line):
            return {"graze__base__vec": f"namespace graze {{\n{line}\n}}  // namespace graze\n"}

        for line in ("inline Vec3 unit(const Vec3& v) {", "enum class Side : int { left };", "class Search {",
                     "Answer answer(std::string_view question);", "using Path = Eigen::Vector2d;"):
            self.assert_found("too generic", **vec(line))
        for line in ("Vec3 unit_vector(const Vec3& v);", "  double size() const;", "class PointSearch {",
                     "namespace detail {\nVec3 unit(const Vec3& v);\n}"):
            self.assertEqual(self.violations(**vec(line)), [], line)


if __name__ == "__main__":
    unittest.main()
