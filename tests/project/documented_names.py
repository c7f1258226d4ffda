#!/usr/bin/env python3
"""Checks that every public name is documented.

    documented_names.py ROOT

Looks at include/graze/**: at every type, function, constant and alias of a namespace, and at every public member. Each needs
a comment: `///` above it, `///<` behind it, or one that names it, which may be the comment of its class or the last comment
above it with no empty line between. These need none:

- specialisations of a template, which the template's comment is about;
- overloads right below a documented declaration of the same name;
- enumerators (the enum has a comment), forward declarations, friends, explicit instantiations;
- default, copy and move constructors, assignments, destructors, comparisons, what is deleted, and the members of every
  container in CONVENTIONAL: they mean what they always mean;
- namespaces called detail or *_detail, and what they hold.

Prints one line per violation and exits with 1 if there is any.
"""

import pathlib
import re
import sys

TOKEN = re.compile(r"""
    (?P<doc>///[^\n]*) | (?P<comment>//[^\n]*|/\*.*?\*/) | (?P<directive>^[ \t]*\#(?:[^\n\\]|\\\n|\\.)*)
  | (?P<string>"(?:[^"\\\n]|\\.)*"|'(?:[^'\\\n]|\\.)+')
  | (?P<line>\n) | (?P<space>[ \t]+) | (?P<word>[A-Za-z_]\w*) | (?P<number>\d[\w.']*)
  | (?P<scope>::) | (?P<arrow>->) | (?P<operator>[<>=!+\-*/%&|^]=|<=>|&&|\|\||<<|\+\+|--) | (?P<other>.)
""", re.VERBOSE | re.DOTALL | re.MULTILINE)
CONVENTIONAL = {"size", "empty", "begin", "end", "data", "operator[]", "operator->"}
OPENING, CLOSING = "([{", ")]}"


class Token:
    def __init__(self, kind, text, line):
        self.kind, self.text, self.line = kind, text, line


def tokens_of(text):
    line = 1
    for match in TOKEN.finditer(text):
        if match.lastgroup not in ("space", "directive", "comment"):
            yield Token(match.lastgroup, match[0], line)
        line += match[0].count("\n")


def plain(words):
    """Without attributes, template parameters and requires-clauses at the front."""
    words = list(words)
    while words:
        if words[:2] == ["[", "["]:
            words = words[words.index("]") + 2:]
        elif words[0] == "template" and len(words) > 1 and words[1] == "<":
            depth, i = 0, 1
            while True:
                depth += {"<": 1, ">": -1}.get(words[i], 0)
                i += 1
                if depth == 0:
                    break
            words = words[i:]
        elif words[0] == "requires" and len(words) > 1 and words[1] == "(":
            depth, i = 0, 1
            while True:
                depth += {"(": 1, ")": -1}.get(words[i], 0)
                i += 1
                if depth == 0:
                    break
            words = words[i:]
        else:
            return words
    return words


def name_of(words):
    """The declared name, or the first of several."""
    words = plain(words)
    if words and words[0] in ("struct", "class", "union", "enum", "using", "concept", "namespace"):
        names = [w for w in words[1:] if w not in ("class", "struct", "alignas")]
        return names[0] if names else ""
    if "operator" in words:
        i = words.index("operator")
        parameters = "(" if words[i + 1] != "(" else ")"
        end = words.index(parameters, i + 1) + (1 if parameters == ")" else 0)
        return "".join(words[i:end])
    depth = 0
    for i, word in enumerate(words):
        if word == "<":
            depth += 1
        elif word == ">":
            depth -= 1
        elif depth == 0 and word in ("(", "=", "{", ";", ",", "[") and i:
            before = words[i - 1]
            if re.fullmatch(r"\w+", before):
                return ("~" if i > 1 and words[i - 2] == "~" else "") + before
    return words[-1] if words else ""


def needs_comment(words, owner):
    """Whether a declaration must be documented; `owner` is the class of a member, or nothing."""
    words = plain(words)
    if not words or words[0] in ("friend", "static_assert", "extern", "public", "private", "protected"):
        return False
    name = name_of(words)
    if words[0] == "using" and "=" not in words:
        return owner is None or name != owner  # an inherited constructor means what it means there
    if words[0] in ("struct", "class", "union", "enum") and "{" not in words and len(words) <= 3:
        return False  # a forward declaration
    if name.startswith("~") or name in ("operator==", "operator!=", "operator<=>"):
        return False
    if owner and name in CONVENTIONAL and "(" in words:
        return False
    if words[-1] == "delete" or words[-2:] == ["=", "delete"]:
        return False
    if owner and name == "operator=":
        return False
    if owner and name == owner:
        inside = words[words.index("(") + 1:]
        inside = inside[:inside.index(")")] if ")" in inside else inside
        bare = [w for w in inside if w not in ("const", "&", "&&", "noexcept")]
        return bare not in ([], [owner], [owner, "other"])
    return True


class Walker:
    def __init__(self, text):
        self.tokens = list(tokens_of(text))
        self.at = 0
        self.found = []  # (line, name)

    def skip_block(self):
        """Past the closing bracket of what was just opened."""
        depth = 1
        while depth and self.at < len(self.tokens):
            text = self.tokens[self.at].text if self.tokens[self.at].kind == "other" else ""
            depth += bool(text) and (text in OPENING) - (text in CLOSING)
            self.at += 1

    def statement(self):
        """Tokens up to `;` or the opening brace of a body: (tokens, what ended it)."""
        taken = []
        while self.at < len(self.tokens):
            token = self.tokens[self.at]
            self.at += 1
            if token.kind == "other" and token.text in "([":
                start = self.at - 1
                self.skip_block()
                taken += self.tokens[start:self.at]
                continue
            if token.kind == "other" and token.text in ";{}":
                return taken, token
            taken.append(token)
            # "public:" ends a statement of its own.
            words = [t.text for t in taken if t.kind not in ("doc", "line")]
            if words[-2:] in (["public", ":"], ["private", ":"], ["protected", ":"]) and len(words) == 2:
                return taken, token
        return taken, None

    def scope(self, owner, public, about=""):
        """Walks the declarations of a namespace (owner is nothing) or a class, whose comment is `about`."""
        previous = None  # (name, last line, documented)
        above = ""  # the last comment with no empty line since
        while self.at < len(self.tokens):
            taken, end = self.statement()
            if end is None or end.text == "}":
                return
            real = [t for t in taken if t.kind not in ("doc", "line")]
            if not real:
                if end.text == "{":
                    self.skip_block()
                continue
            words = [t.text for t in real]
            if end.text == ":":
                public = words[0] == "public"
                previous = None
                continue
            first = real[0].line
            # Comments that end on the line above; one behind the declaration before does not count.
            lines = [t.line for t in taken if t.kind == "doc" and t.line < first and not t.text.startswith("///<")]
            if lines:
                above = "\n".join(t.text for t in taken if t.line in lines)
            elif not previous or first > previous[1] + 1:
                above = ""
            documented = bool(lines) and lines[-1] == first - 1
            documented = documented or any(t.kind == "doc" and t.text.startswith("///<") and t.line >= first for t in taken)
            head = plain(words)
            kind = head[0]
            if kind == "inline" and head[1:2] == ["namespace"]:
                kind = "namespace"
            inner = None
            if end.text == "{":
                if kind == "namespace":
                    name = name_of(head)
                    if re.search(r"(^|_)detail$", name):
                        self.skip_block()
                    else:
                        self.scope(None, True)
                    previous = None
                    continue
                if kind in ("struct", "class", "union") and "(" not in self.without_alignment(head):
                    inner = name_of(head)
                    if "<" in (head[:head.index(":")] if ":" in head else head):
                        self.skip_block()  # a specialisation
                        self.statement()
                        continue
                elif kind in ("enum", "extern"):
                    self.skip_block()
                elif not self.is_function(head):  # an initialiser: the declaration goes on behind it
                    while end is not None and end.text == "{":
                        self.skip_block()
                        rest, end = self.statement()
                        taken += rest
                else:
                    self.skip_body()
            name = name_of(words + (["{"] if inner or kind == "enum" else []))
            if inner:
                if public and not documented and needs_comment(words + ["{"], owner):
                    self.report(first, name)
                if public:
                    self.scope(inner, kind != "class", above)
                else:
                    self.skip_block()
                self.statement()  # up to the semicolon
                previous = None
                continue
            if kind == "enum":
                self.statement()
            last = self.tokens[self.at - 1].line
            documented = documented or self.comment_behind(last)
            shared = previous and previous[0] == name and previous[2] and previous[1] + 1 >= first - len(lines)
            documented = documented or bool(shared and not lines) or bool(owner) and self.named(words, owner, about + above)
            if public and not documented and needs_comment(words + (["{"] if kind == "enum" else []), owner):
                self.report(first, name)
            previous = (name, last, documented)

    @staticmethod
    def named(words, owner, comment):
        """Whether the comment names what is declared: all of its names, of a constructor all of its parameters."""
        words = plain(words)
        if name_of(words) == owner and "(" in words:
            inside = " ".join(words[words.index("(") + 1:-1])
            names = re.findall(r"(\w+) *(?:,|=|$)", inside)
        elif "(" in words:
            names = [name_of(words)]
        else:
            bare = re.sub(r"<[^<>]*>", "", re.sub(r"<[^<>]*>", "", " ".join(words)))
            names = re.findall(r"(\w+)(?= *(?:,|=|$))", re.sub(r"=.*?(?=,|$)", "= ", bare))
        return bool(names) and all(re.search(rf"\b{re.escape(name)}\b", comment) for name in names)

    @staticmethod
    def without_alignment(words):
        return " ".join(words).replace("alignas ( 64 )", "").split()

    @staticmethod
    def is_function(words):
        """Whether a `{` behind these words is the body of a function: there are parameters, and no `=` outside of them."""
        depth = 0
        for before, word in zip([""] + words, words):
            depth += (word in OPENING) - (word in CLOSING)
            if depth == 0 and word == "=" and before != "operator":
                return False
        return "(" in words

    def skip_body(self):
        """Past a function's body; of a constructor with brace initialisers past those too."""
        self.skip_block()
        while self.at < len(self.tokens):
            ahead = [t for t in self.tokens[self.at:self.at + 6] if t.kind not in ("line", "doc")]
            if ahead and ahead[0].text in (",", "{"):
                rest, end = self.statement()
                if end is not None and end.text == "{":
                    self.skip_block()
                    continue
            return

    def comment_behind(self, line):
        """Whether a `///<` follows on this line."""
        for token in self.tokens[self.at:]:
            if token.kind == "doc":
                return token.line == line and token.text.startswith("///<")
            if token.kind != "line" or token.line > line:
                return False
        return False

    def report(self, line, name):
        self.found.append((line, name))


def check(root):
    """All violations in the tree, as 'file:line: what is wrong'."""
    root = pathlib.Path(root)
    found = []
    for path in sorted((root / "include/graze").rglob("*.h")):
        walker = Walker(path.read_text(encoding="utf-8"))
        walker.scope(None, True)
        if any(token.kind != "line" for token in walker.tokens[walker.at:]):
            found.append(f"{path.relative_to(root)}:{walker.tokens[walker.at].line}: not understood from here on")
        found += [f"{path.relative_to(root)}:{line}: {name} is not documented" for line, name in walker.found]
    return found


def main(arguments):
    if len(arguments) != 1:
        sys.exit(__doc__)
    found = check(arguments[0])
    print("\n".join(found))
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
