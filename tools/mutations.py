"""The small changes of a C++ source that mutate.py tries."""

import collections
import random
import re

Mutation = collections.namedtuple("Mutation", "line start end new")

# What is replaced by what. Spaces around operators distinguish them from templates, references and signs (clang-format ensures
# that).
_TERM = r"[\w.:\[\]]+(?:\([^()]*\))?"
RULES = [
    (r" < ", " <= "), (r" <= ", " < "), (r" > ", " >= "), (r" >= ", " > "),
    (r" <=? ", " > "), (r" >=? ", " < "),
    (r" == ", " != "), (r" != ", " == "),
    (r" \+ ", " - "), (r" - ", " + "), (r" \* ", " / "), (r" / ", " * "),
    (r" \+= ", " -= "), (r" -= ", " += "), (r" [+*|-]= ", " = "),
    (r" && ", " || "), (r" \|\| ", " && "),
    (r"\bstd::min\b", "std::max"), (r"\bstd::max\b", "std::min"),
    (r"\btrue\b", "false"), (r"\bfalse\b", "true"),
    (r"(?<=[(\s])!(?=[\w(])", ""),
    (r"(?<=[(\s])-(?=[a-z(])", ""),
    (r"\bcontinue;", ";"), (r"\bbreak;", ";"),
    # One more or less.
    (r"(?<![\w.\"'])(\d{1,2})(?![\w.'])", lambda m: str(int(m[1]) + 1)),
    (r"(?<![\w.\"'])([1-9]\d?)(?![\w.'])", lambda m: str(int(m[1]) - 1)),
    # A term or factor that is left out: a name, a number or a call without nested parentheses.
    (rf" [+-] {_TERM}(?=[ ;,)])", ""),
    (rf" \* {_TERM}(?=[ ;,)])", ""),
    (rf"(?<=[(\s]){_TERM} [*+] (?=[\w(])", ""),
    # A clause that is left out.
    (rf" && !?{_TERM}(?= && | \|\| |[;,)])", ""),
    (rf" \|\| !?{_TERM}(?= && | \|\| |[;,)])", ""),
    # A guard that never holds, or always.
    (r"\bif \((?!constexpr)(.*)\) (?=return|continue|break|throw)", lambda m: f"if (({m[1]}) && false) "),
    (r"\b(if|while) \(([^;]*)\) (?=\{$)", lambda m: f"{m[1]} (!({m[2]})) "),
    (r"\bif \(([^;]*)\) (?=return|continue|break|throw)", lambda m: f"if (!({m[1]})) "),
]

_QUIET = re.compile(r'"(?:\\.|[^"\\])*"|\'(?:\\.|[^\'\\])*\'|//.*|/\*.*?\*/|<[\w:, <>*&]*>|\boperator\S+')
_SKIP = re.compile(r"^\s*(#|//|static_assert|using |namespace |template |enum |case .*:$|constexpr .*k[A-Z]\w* =)|^\s*$")
_STATEMENT = re.compile(r"^(\s*)(?!return\b|using\b|break\b|continue\b|else\b|throw\b|case\b|delete\b|static\b|const\b|auto\b)"
                        r"((?:if \(.*\) )?[\w\[(*+-].*(?: [-+*/|&^]?= |\+\+|--|\)|\+=).*;)$")
_DECLARATION = re.compile(r"^\s*(?:[\w:]+(?:<[^=]*>)?(?:::\w+)*)(?: const)?[ &*]+\w+(?:\[\w*\])?(?:, \w+)*(?: =|\{|;|\(|$)")


def _quiet_lines(lines):
    """Lines within static_assert, assert, macros or block comments."""
    quiet, until = set(), None
    for number, line in enumerate(lines):
        if until is None:
            if re.match(r"\s*(static_assert|assert)\b", line):
                until = ";"
            elif line.rstrip().endswith("\\"):
                quiet.add(number)
                if number + 1 < len(lines):
                    quiet.add(number + 1)
            elif line.lstrip().startswith("/*") and "*/" not in line:
                until = "*/"
        if until is not None:
            quiet.add(number)
            if until in line:
                until = None
    return quiet


def _whole_statement(lines, number):
    """Whether the line is a statement of its own, so that it can be left out."""
    line = lines[number]
    match = _STATEMENT.match(line)
    if not match or _DECLARATION.match(line) or line.count("(") != line.count(")") or line.count("{") != line.count("}"):
        return None
    for before in reversed(lines[:number]):
        code = before.split("//")[0].rstrip()
        if code:
            ended = code.endswith((";", "{", "}", ":", "else", "do"))
            governed = code.endswith(")") and re.match(r"\s*(if|for|while) \(", code)
            return match if ended or governed else None
    return None


def mutations(text):
    """Every change, in the order of the file."""
    found = set()
    lines = text.split("\n")
    skipped = _quiet_lines(lines)
    for number, line in enumerate(lines):
        if number in skipped or _SKIP.match(line):
            continue
        quiet = [match.span() for match in _QUIET.finditer(line)]
        code = line.split("//")[0]
        for pattern, replacement in RULES:
            for match in re.finditer(pattern, code):
                if any(start < match.end() and match.start() < end and not match.group().startswith(("if", "while"))
                       for start, end in quiet):
                    continue
                if match.group().startswith(("if ", "while ")) and not _balanced(match):
                    continue
                new = replacement(match) if callable(replacement) else replacement
                found.add(Mutation(number, match.start(), match.end(), new))
        statement = _whole_statement(lines, number)
        if statement:
            found.add(Mutation(number, statement.start(2), len(line), ";"))
    # Two rules may lead to the same line.
    return sorted({(one.line, applied(text, one)): one for one in sorted(found)}.values())


def _balanced(match):
    condition = match.group().rstrip()
    depth = 0
    for at, character in enumerate(condition):
        depth += (character == "(") - (character == ")")
        if depth == 0 and at > condition.index("(") and at + 1 < len(condition):
            return False
    return depth == 0


def chosen(text, count, seed):
    """At most `count` changes (all, if 0), drawn from as many lines as possible; a larger count starts with
    the same changes."""
    rest = collections.defaultdict(list)
    for mutation in mutations(text):
        rest[mutation.line].append(mutation)
    if not count:
        return [mutation for line in sorted(rest) for mutation in rest[line]]
    draw = random.Random(seed)
    order = []
    for line in sorted(rest):
        draw.shuffle(rest[line])
    while rest and len(order) < count:
        lines = sorted(rest)
        draw.shuffle(lines)
        for line in lines:
            order.append(rest[line].pop())
            if not rest[line]:
                del rest[line]
    return sorted(order[:count])


def applied(text, mutation):
    lines = text.split("\n")
    line = lines[mutation.line]
    lines[mutation.line] = line[:mutation.start] + mutation.new + line[mutation.end:]
    return "\n".join(lines)


def lines(text, mutation):
    """The line before and after, without surrounding white space."""
    return (text.split("\n")[mutation.line].strip(), applied(text, mutation).split("\n")[mutation.line].strip())
