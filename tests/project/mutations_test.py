#!/usr/bin/env python3
"""Which changes mutations.py makes, and which it leaves alone; what mutate.py reads of its list of excuses."""

import pathlib
import sys
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "tools"))
import mutate  # noqa: E402
import mutations  # noqa: E402


def results(line):
    return {mutations.lines(line, one)[1] for one in mutations.mutations(line)}


class Mutations(unittest.TestCase):
    def test_change_comparisons_and_guards(self):
        found = results("  if (a < b) return c;")
        for line in ("if (a <= b) return c;", "if (a > b) return c;", "if (!(a < b)) return c;",
                     "if ((a < b) && false) return c;"):
            self.assertIn(line, found)

    def test_change_sums_and_products(self):
        found = results("  const double x = a + b * f(c) - 1;")
        for line in ("const double x = a - b * f(c) - 1;", "const double x = a + b / f(c) - 1;",
                     "const double x = a + b - 1;", "const double x = a + b * f(c);", "const double x = b * f(c) - 1;",
                     "const double x = a + b * f(c) - 2;", "const double x = a + b * f(c) - 0;"):
            self.assertIn(line, found)

    def test_change_words(self):
        self.assertIn("x = std::max(a, b);", results("x = std::min(a, b);"))
        self.assertIn("x = a || b;", results("x = a && b;"))
        self.assertIn("return false;", results("return true;"))

    def test_drop_statements_but_no_declarations(self):
        self.assertIn("a;\n;", {mutations.applied("a;\nx += y;", one) for one in mutations.mutations("a;\nx += y;")})
        self.assertNotIn(";", results("const double x = f(y);"))
        self.assertNotIn(";", results("std::vector<Vec3> x = f(y);"))
        self.assertNotIn(";", results("return f(y);"))

    def test_leave_alone_what_is_not_code(self):
        for line in ("// a < b", '  throw Error("a < b && 1 + 2");', "#if A < 1", "static_assert(a < 1);", "assert(a < 1);",
                     "template <int N = 1>", "static_assert(a &&\n              b < 1);", "/* a < b\n  a + b */",
                     "#define X(a) \\\n  a + 1"):
            self.assertEqual(results(line), set(), line)
        self.assertNotIn("std::array<Vec3, 5> a;", results("std::array<Vec3, 4> a;"))

    def test_are_drawn_from_many_lines_and_always_the_same(self):
        text = "\n".join(f"x{i} = a + b * c - d;" for i in range(20))
        few, more = mutations.chosen(text, 5, 1), mutations.chosen(text, 12, 1)
        self.assertEqual(few, mutations.chosen(text, 5, 1))
        self.assertNotEqual(few, mutations.chosen(text, 5, 2))
        self.assertLessEqual(set(few), set(more))
        self.assertEqual(len({one.line for one in more}), 12)
        self.assertEqual(mutations.chosen(text, 0, 1), mutations.mutations(text))

    def test_every_one_differs(self):
        text = "x = a * a + a * a;\n"
        every = [mutations.applied(text, one) for one in mutations.mutations(text)]
        self.assertEqual(len(every), len(set(every)))
        self.assertNotIn(text, every)


class Excuses(unittest.TestCase):
    text = ("# head\nsrc/a.cpp\n- a < b;\n+ a <= b;\n  Ties are\n  alike.\n@ if (x)\n- c;\n+ ;\n  No use.\n\n"
            "src/b.h\n- d;\n+ ;\n  E.\n")

    def test_are_read(self):
        self.assertEqual(mutate.excuses(self.text), {
            ("src/a.cpp", None, "a < b;", "a <= b;"): "Ties are alike.",
            ("src/a.cpp", "if (x)", "c;", ";"): "No use.", ("src/b.h", None, "d;", ";"): "E."})

    def test_hold_for_the_line_below_the_one_they_name(self):
        excused = mutate.excuses(self.text)
        source = "c;\n  if (x)\n    c;\n"
        first, second = mutations.Mutation(0, 0, 2, ";"), mutations.Mutation(2, 4, 6, ";")
        self.assertFalse(mutate.is_excused(excused, "src/a.cpp", source, first))
        self.assertTrue(mutate.is_excused(excused, "src/a.cpp", source, second))

    def test_are_stale_where_the_line_is_gone_or_not_alone(self):
        excused = mutate.excuses(self.text)
        self.assertEqual(mutate.stale(excused, "src/a.cpp", "a < b;\nif (x)\n  c;\nc;"), [])
        self.assertEqual(mutate.stale(excused, "src/a.cpp", "a < b;\na < b;\nc;"), ["a < b;", "c;"])

    def test_all_have_reasons_and_speak_of_files_that_exist(self):
        for (path, _, before, after), reason in mutate.excuses(mutate.EXCUSES.read_text(encoding="utf-8")).items():
            self.assertTrue((mutate.ROOT / path).is_file(), path)
            self.assertNotEqual(before, after)
            self.assertTrue(reason, f"{path}: {before}")


if __name__ == "__main__":
    unittest.main()
