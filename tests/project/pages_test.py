#!/usr/bin/env python3
"""Pages are true: command lines and examples print what the page shows, and options exist.

    pages_test.py ROOT BIN_DIR

- ```console blocks: each line `$ COMMAND` is run by bash, with graze in PATH, in one empty folder per page; both of its
  output streams together equal the lines that follow.
- ```text blocks come after a line `<!-- printed by PROGRAM -->`: what that program of BIN_DIR writes to standard output.
- ```json blocks with an "ask" and ```python blocks are run.
- Every --option in a `graze …` command line is one of that command, every other `--option` is one of some command, and every
  `./dev COMMAND` exists.
"""

import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile
import unittest

ROOT, BIN = (pathlib.Path(argument).resolve() for argument in (sys.argv.pop(1), sys.argv.pop(1)))
PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md"))]
BLOCK = re.compile(r"(?:^<!-- printed by (\S+) -->\n)?^```(\w+)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
ENVIRONMENT = os.environ | {"PATH": f"{BIN}:{os.environ['PATH']}", "NO_COLOR": "1", "LC_ALL": "C.UTF-8"}


def run(command, folder, **options):
    return subprocess.run(["bash", "-c", command], cwd=folder, env=ENVIRONMENT, text=True, timeout=60, **options)


def blocks(kind):
    """(page, program, text) of every block of a kind."""
    for page in PAGES:
        for program, language, text in BLOCK.findall(page.read_text(encoding="utf-8")):
            if language == kind:
                yield page, program, text


def commands(text):
    """(command, what it prints) of a console block."""
    parts = re.split(r"^\$ ((?:.*\\\n)*.+)\n", text, flags=re.MULTILINE)
    return list(zip(parts[1::2], parts[2::2]))


class Pages(unittest.TestCase):
    maxDiff = None

    def test_command_lines_print_what_follows_them(self):
        folders, seen = {}, 0
        with tempfile.TemporaryDirectory() as root:
            for page, _, text in blocks("console"):
                folder = folders.setdefault(page, pathlib.Path(root) / page.stem)
                folder.mkdir(exist_ok=True)
                self.assertTrue(text.startswith("$ "), f"{page.name}: a console block starts with a command")
                for command, expected in commands(text):
                    with self.subTest(page=page.name, command=command):
                        got = run(command, folder, stdout=subprocess.PIPE, stderr=subprocess.STDOUT).stdout
                        self.assertEqual(got, expected)
                    seen += 1
        self.assertGreater(seen, 5)

    def test_examples_print_what_is_said_of_them(self):
        seen = 0
        for page, program, expected in blocks("text"):
            with self.subTest(page=page.name, program=program):
                self.assertTrue(program, "a text block says which program prints it: <!-- printed by PROGRAM -->")
                with tempfile.TemporaryDirectory() as folder:
                    got = subprocess.run([BIN / program], cwd=folder, capture_output=True, text=True, check=True, timeout=60)
                self.assertEqual(got.stdout, expected)
            seen += 1
        self.assertGreater(seen, 1)

    def test_questions_are_answered(self):
        with tempfile.TemporaryDirectory() as folder:
            for name in ("held", "scan"):
                run(f"printf 'x,y,z\\n0,0,0\\n0,0,1\\n' >{name}.csv; graze convert {name}.csv {name}.ply --quiet", folder, check=True)
            for page, _, text in blocks("json"):
                value = json.loads(text)
                if "ask" not in value:
                    continue
                with self.subTest(page=page.name, ask=value["ask"]):
                    answer = run("graze ask --quiet", folder, input=text, stdout=subprocess.PIPE).stdout
                    self.assertNotIn("error", json.loads(answer))

    def test_python_runs_and_prints_what_its_comments_say(self):
        for page, _, text in blocks("python"):
            with self.subTest(page=page.name), tempfile.TemporaryDirectory() as folder:
                got = subprocess.run([sys.executable, "-W", "ignore", "-c", text], cwd=folder, env=ENVIRONMENT, text=True,
                                     stdout=subprocess.PIPE, check=True, timeout=60).stdout
                said = re.findall(r"^print\(.*\)\s+# (.+)$", text, re.MULTILINE)
                self.assertEqual(got.splitlines(), said)

    def test_options_exist(self):
        known = {}
        for page in PAGES:
            text = page.read_text(encoding="utf-8")
            shown = re.findall(r"^(?:    |\$ )(graze .+(?:\\\n.+)*)", text, re.MULTILINE) + re.findall(r"`(graze [^`]+)`", text)
            for line in shown:
                words = re.sub(r"'[^']*'", "''", line).replace("\\\n", " ").replace("\\|", " ").split()
                command = "".join(re.findall(r"^graze( generate [a-z-]+| map (?:build|show)| [a-z]+)?", " ".join(words)))
                if command not in known:
                    known[command] = run(f"graze{command} --help", ROOT, stdout=subprocess.PIPE, check=True).stdout
                for option in re.findall(r"--[a-z][a-z-]*", " ".join(words)):
                    with self.subTest(page=page.name, line=line, option=option):
                        self.assertRegex(known[command], rf"{option}\b")
        manual = run("graze manual", ROOT, stdout=subprocess.PIPE, check=True).stdout.replace("\\-", "-")
        for page in PAGES:
            for option in set(re.findall(r"`(--[a-z][a-z-]*)", page.read_text(encoding="utf-8"))):
                with self.subTest(page=page.name, option=option):
                    self.assertRegex(manual, rf"{option}\b")

    def test_commands_of_dev_exist(self):
        listed = re.search(r"^    (setup \|[^)]*)\)", (ROOT / "dev").read_text(encoding="utf-8"), re.MULTILINE)[1].split(" | ")
        for page in PAGES + sorted(ROOT.glob("*/README.md")) + sorted(ROOT.glob("src/*/README.md")):
            for command in re.findall(r"\./dev ([a-z]+)", page.read_text(encoding="utf-8")):
                with self.subTest(page=page.name, command=command):
                    self.assertIn(command, listed)


if __name__ == "__main__":
    unittest.main()
