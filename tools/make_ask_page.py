#!/usr/bin/env python3
"""Updates the answers of a page: in each ```jsonl block every question is followed by graze's answer.

    make_ask_page.py GRAZE docs/ask.md

A test compares the page with the program byte by byte; after changing an answer, run ./dev docs.
"""
import subprocess
import sys


def main():
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    graze, page = sys.argv[1:]
    with open(page, encoding="utf-8") as file:
        lines = file.read().split("\n")
    questions, inside, first = [], False, 0
    for number, line in enumerate(lines):
        if line.startswith("```"):
            inside, first = line == "```jsonl", number + 1
        elif inside and (number - first) % 2 == 0:
            questions.append(number)
    asked = "".join(lines[number] + "\n" for number in questions)
    answers = subprocess.run([graze, "ask", "--quiet"], input=asked, capture_output=True, text=True).stdout.splitlines()
    if len(answers) != len(questions):
        sys.exit(f"{page}: {len(questions)} questions got {len(answers)} answers")
    for number, answer in zip(questions, answers):
        lines[number + 1] = answer
    with open(page, "w", encoding="utf-8") as file:
        file.write("\n".join(lines))


main()
