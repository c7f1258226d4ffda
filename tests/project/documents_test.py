#!/usr/bin/env python3
"""Documents say what is so: snippets equal the files they come from, links lead somewhere, packages are explained.

    documents_test.py ROOT

A snippet is a fenced block after a line `<!-- from PATH -->`; it equals what stands in that file between the lines
`// [snippet]` and `// [/snippet]`, without its common indentation.
"""

import pathlib
import re
import subprocess
import sys
import textwrap
import unittest

ROOT = pathlib.Path(sys.argv.pop(1)) if len(sys.argv) > 1 else pathlib.Path(__file__).resolve().parents[2]
SNIPPET = re.compile(r"^<!-- from (\S+) -->\n```\w*\n(.*?)^```$", re.MULTILINE | re.DOTALL)
LINK = re.compile(r"\[[^\]]*\]\(([^)\s#]+)(?:#[^)]*)?\)")
FENCE = re.compile(r"^```.*?^```$", re.MULTILINE | re.DOTALL)


def documents():
    """Markdown files of the project: those that git knows or would add."""
    listed = subprocess.run(
        ["git", "-C", str(ROOT), "ls-files", "--cached", "--others", "--exclude-standard", "*.md"],
        check=True, capture_output=True, text=True)
    return sorted(path for name in set(listed.stdout.splitlines()) if (path := ROOT / name).exists())


def region(path):
    inside = re.search(r"^\s*// \[snippet\]\n(.*?)^\s*// \[/snippet\]$", path.read_text(encoding="utf-8"),
                       re.MULTILINE | re.DOTALL)
    return textwrap.dedent(inside[1]) if inside else None


class Documents(unittest.TestCase):
    def test_snippets_equal_their_files(self):
        seen = 0
        for document in documents():
            for source, block in SNIPPET.findall(document.read_text(encoding="utf-8")):
                with self.subTest(document=document.name, source=source):
                    self.assertEqual(block, region(ROOT / source))
                seen += 1
        self.assertGreater(seen, 0, "the README shows at least one example")

    def test_links_lead_somewhere(self):
        for document in documents():
            text = FENCE.sub("", document.read_text(encoding="utf-8"))
            for target in LINK.findall(text):
                if re.match(r"[a-z]+:", target):
                    continue
                with self.subTest(document=document.name, target=target):
                    self.assertTrue((document.parent / target).exists())

    def test_every_package_is_explained(self):
        lists = re.findall(r"^[A-Z]+_PACKAGES=\(([^)]*)\)", (ROOT / "dev").read_text(encoding="utf-8"), re.MULTILINE)
        self.assertEqual(len(lists), 4)
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
