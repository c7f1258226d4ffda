#!/usr/bin/env python3
"""The checker of documented names finds what it should find."""

import pathlib
import tempfile
import unittest

import documented_names


class DocumentedNames(unittest.TestCase):
    def undocumented(self, text):
        with tempfile.TemporaryDirectory() as root:
            file = pathlib.Path(root) / "include/graze/room/noun.h"
            file.parent.mkdir(parents=True)
            file.write_text(f"#pragma once\nnamespace graze {{\n{text}\n}}  // namespace graze\n", encoding="utf-8")
            return [line.split(": ")[1].split(" is not")[0] for line in documented_names.check(root)]

    def test_names_of_a_namespace(self):
        for text, name in (
            ("double gap(double a, int b = 3);", "gap"),
            ("inline double gap(double a = {}) { return a; }", "gap"),
            ("template <class T>\nrequires(sizeof(T) > 1) T gap(T a);", "gap"),
            ("struct Options {};", "Options"),
            ("class Tree {\n public:\n  Tree();\n};", "Tree"),
            ("enum class Kind : int { a, b };", "Kind"),
            ("using Index = int;", "Index"),
            ("inline constexpr double kLimit = 1e-9;", "kLimit"),
            ("namespace inner {\nvoid f();\n}", "f"),
            ("// Not a doc comment.\nvoid f();", "f"),
            ("/// Far away.\n\nvoid f();", "f"),
            ("/// About f.\nvoid f();\nvoid g();", "g"),
        ):
            self.assertEqual(self.undocumented(text), [name], text)

    def test_public_members(self):
        for members, names in (
            ("  int a;\n  double b = 0, c{};", ["a", "b"]),
            ("  int size_of_it() const { return 1; }", ["size_of_it"]),
            ("  std::array<float, 2> from{}, to{};\n  int last;", ["from", "last"]),
            ("  Noun(int first, int second) : a_{first}, b_(second) {}\n  void f();", ["Noun", "f"]),
            ("  void f(int a = 0) { g(); }\n  void g();", ["f", "g"]),
            ("  operator double() const;", ["operatordouble"]),
            ("  struct Inner {\n    int a;\n  };", ["Inner", "a"]),
            ("  int a;\n\n private:\n  int b;\n  struct State;\n public:\n  int c;", ["a", "c"]),
        ):
            self.assertEqual(self.undocumented(f"/// A noun.\nstruct Noun {{\n{members}\n}};"), names, members)

    def test_braces_that_do_not_match_are_reported(self):
        self.assertIn("not understood from here on", "".join(self.undocumented("}\n}\nvoid f();")))

    def test_what_needs_no_comment_of_its_own(self):
        for text in (
            "/// The gap.\n/// In metres.\ndouble gap(double a);\ndouble gap(float a);",
            "double gap(double a);  ///< metres",
            "/// The gap.\ntemplate <class T>\nT gap(T a) {\n  return a;\n}",
            "struct Later;\nclass Other;\nextern template struct Tree<int>;\nstatic_assert(true);",
            "namespace detail {\nvoid f();\n}\nnamespace room_detail {\nstruct A { int b; };\n}",
            "/// All within `radius` of its `center`.\nclass Ball {\n public:\n  Ball(const Vec3& center, double radius);\n"
            "  double radius() const;\n  const Vec3& center() const { return c; }\n private:\n  Vec3 c;\n};",
            "/// A list.\nclass List {\n public:\n  List() = default;\n  List(const List&);\n  List(List&& other) noexcept : a(0) {}\n"
            "  List& operator=(List&&) noexcept;\n  ~List();\n  bool operator==(const List&) const = default;\n"
            "  bool empty() const;\n  int operator[](int i) const;\n  void f() = delete;\n  friend class Builder;\n};",
            "/// Kinds.\nenum class Kind { a, b };",
            "/// Any tree.\ntemplate <class T>\nclass Tree;\ntemplate <>\nclass Tree<int> {\n public:\n  void f();\n};",
            "/// The `rear` and the `front`.\nstruct Axes {\n  double rear = 0, front = 0;\n};",
            "/// Axes.\nstruct Axes {\n  /// The first and `last`.\n  int first;\n  int last;\n};",
            "/// A table.\ninline constexpr std::array kAll = {\n    1, 2};",
        ):
            self.assertEqual(self.undocumented(text), [], text)


if __name__ == "__main__":
    unittest.main()
