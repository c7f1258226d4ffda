#!/usr/bin/env python3
"""Documents are true: snippets equal the files they come from, links lead somewhere, packages are explained.

    documents_test.py ROOT

Every block of C++ in the README and docs/ is a snippet: it comes after a line `<!-- from PATH -->` or `<!-- from PATH#NAME -->`
and equals the part of that file, which is built and run as a test, between the lines `// [snippet NAME]` and
`// [/snippet NAME]`, without its common indentation.
"""

import pathlib
import re
import subprocess
import sys
import textwrap
import unittest

ROOT = pathlib.Path(sys.argv.pop(1)) if len(sys.argv) > 1 else pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "tools"))
from make_reference import slug  # noqa: E402

SNIPPET = re.compile(r"^<!-- from ([^\s#]+)(?:#(\w+))? -->\n```cpp\n(.*?)^```$", re.MULTILINE | re.DOTALL)
BUILT = re.compile(r"examples/\d\d_\w+\.cpp|tests/project/page_snippets\.cpp")
IMAGE = re.compile(r"!\[[^\]]*\]\(([^)\s#]+)\)")
LINK = re.compile(r"\]\(([^)\s#]*)(?:#([^)]*))?\)")
FENCE = re.compile(r"^```.*?^```$", re.MULTILINE | re.DOTALL)


def documents():
    """Markdown files of the project: those that git tracks or would add."""
    listed = subprocess.run(
        ["git", "-C", str(ROOT), "ls-files", "--cached", "--others", "--exclude-standard", "*.md"],
        check=True, capture_output=True, text=True)
    return sorted(path for name in set(listed.stdout.splitlines()) if (path := ROOT / name).exists())


def region(path, name):
    mark = f"snippet {name}" if name else "snippet"
    inside = re.search(rf"^\s*// \[{mark}\]\n(.*?)^\s*// \[/{mark}\]$", path.read_text(encoding="utf-8"),
                       re.MULTILINE | re.DOTALL)
    return textwrap.dedent(inside[1]) if inside else None


class Documents(unittest.TestCase):
    def test_snippets_equal_their_files(self):
        for document in [ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md"))]:
            text = document.read_text(encoding="utf-8")
            snippets = SNIPPET.findall(text)
            with self.subTest(document=document.name):
                self.assertEqual(len(snippets), len(re.findall(r"^```(?:cpp|c\+\+)", text, re.MULTILINE)),
                                 "every block of C++ says where it is from")
            for source, name, block in snippets:
                with self.subTest(document=document.name, source=source, name=name):
                    self.assertRegex(source, BUILT)
                    self.assertEqual(block, region(ROOT / source, name))

    def test_links_lead_somewhere(self):
        for document in documents():
            text = FENCE.sub("", document.read_text(encoding="utf-8"))
            for target, anchor in LINK.findall(text):
                if re.match(r"[a-z]+:", target):
                    continue
                file = document.parent / target if target else document
                with self.subTest(document=document.name, target=target, anchor=anchor):
                    self.assertTrue(file.exists())
                    if anchor:
                        headings = re.findall(r"^#+ (.+)$", FENCE.sub("", file.read_text(encoding="utf-8")), re.MULTILINE)
                        self.assertIn(anchor, map(slug, headings))

    def test_pictures_are_there_and_small(self):
        for document in documents():
            for target in IMAGE.findall(FENCE.sub("", document.read_text(encoding="utf-8"))):
                with self.subTest(document=document.name, target=target):
                    self.assertLess((document.parent / target).stat().st_size, 150_000)

    def test_every_package_is_explained(self):
        lists = re.findall(r"^[A-Z]+_PACKAGES=\(([^)]*)\)", (ROOT / "dev").read_text(encoding="utf-8"), re.MULTILINE)
        self.assertEqual(len(lists), 5)
        explained = (ROOT / "docs/dependencies.md").read_text(encoding="utf-8")
        for package in " ".join(lists).split():
            with self.subTest(package=package):
                self.assertIn(f"`{package}`", explained)

    def test_the_change_log_knows_the_version(self):
        version = re.search(r"^\s*VERSION (\S+)$", (ROOT / "CMakeLists.txt").read_text(encoding="utf-8"), re.MULTILINE)[1]
        log = (ROOT / "CHANGELOG.md").read_text(encoding="utf-8")
        self.assertIn("## [Unreleased]", log)
        self.assertTrue(f"## [{version}]" in log or f"towards {version}" in log, version)


if __name__ == "__main__":
    unittest.main()
