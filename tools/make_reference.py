#!/usr/bin/env python3
"""Makes a searchable site of the public headers and the pages of docs/, with Doxygen.

    make_reference.py BUILD_DIR

The site is BUILD_DIR/html. Pages are copied to BUILD_DIR/pages with their links and headings written as Doxygen wants them:
it knows neither GitHub's anchors of headings nor links to files that are not pages. Any warning of Doxygen is
an error.
"""

import pathlib
import re
import shutil
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parents[1]
FENCE = re.compile(r"^(```.*?^```)$", re.MULTILINE | re.DOTALL)
HEADING = re.compile(r"^(#{1,6}) (.+)$", re.MULTILINE)
LINK = re.compile(r"(!?)\[((?:[^\[\]]|!\[[^\]]*\]\([^)]*\))*)\]\(([^)\s#]*)(#[^)\s]*)?\)")

SETTINGS = {
    "PROJECT_NAME": "graze",
    "PROJECT_BRIEF": '"Collision, distance and clearance"',
    "FILE_PATTERNS": "*.h *.md",
    "RECURSIVE": "YES",
    "JAVADOC_AUTOBRIEF": "YES",
    "EXTRACT_ALL": "YES",  # tests/project/documented_names.py knows what has to be documented
    "EXTRACT_LOCAL_CLASSES": "NO",
    "HIDE_UNDOC_RELATIONS": "YES",
    "HIDE_FRIEND_COMPOUNDS": "YES",
    "EXCLUDE_SYMBOLS": "graze::detail graze::*::detail graze::parallel_detail",
    "BUILTIN_STL_SUPPORT": "YES",
    "DISTRIBUTE_GROUP_DOC": "YES",
    "MULTILINE_CPP_IS_BRIEF": "NO",
    "MARKDOWN_SUPPORT": "YES",
    "TOC_INCLUDE_HEADINGS": "0",
    "AUTOLINK_SUPPORT": "NO",  # words such as `distance` are prose more often than names
    "SHOW_USED_FILES": "NO",
    "VERBATIM_HEADERS": "YES",
    "SOURCE_BROWSER": "NO",
    "ENABLE_PREPROCESSING": "YES",
    "MACRO_EXPANSION": "NO",
    "SEARCH_INCLUDES": "NO",
    "HAVE_DOT": "NO",
    "CLASS_GRAPH": "NO",
    "GENERATE_LATEX": "NO",
    "GENERATE_HTML": "YES",
    "HTML_OUTPUT": "html",
    "HTML_TIMESTAMP": "NO",
    "GENERATE_TREEVIEW": "YES",
    "SEARCHENGINE": "YES",
    "QUIET": "YES",
    "WARNINGS": "YES",
    "WARN_IF_UNDOCUMENTED": "NO",
    "WARN_AS_ERROR": "FAIL_ON_WARNINGS",
    "WARN_FORMAT": '"$file:$line: $text"',
}


def slug(heading):
    """GitHub's anchor of a heading."""
    return re.sub(r"[^\w\- ]", "", re.sub(r"`|\*|\[|\]\([^)]*\)", "", heading).lower()).replace(" ", "-")


def label(path):
    """The name of a page within Doxygen."""
    return "page_" + re.sub(r"\W", "_", str(path.with_suffix("")))


def anchor(path, heading):
    return label(path) + "_" + re.sub(r"\W", "_", heading)


def translated(text, path, pages):
    """The text of a page as Doxygen wants it; `path` and `pages` are relative to the root."""
    def link(match):
        mark, name, target, at = match[1], match[2], match[3], (match[4] or "")[1:]
        if re.match(r"[a-z]+:", target):
            return match[0]
        file = (path.parent / target) if target else path
        file = pathlib.Path(*pathlib.PurePath(re.sub(r"[^/]+/\.\./", "", str(file))).parts)
        if mark:
            return f"![{name}]({file.name})"
        if name.startswith("!["):
            return LINK.sub(link, name)  # Doxygen does not support pictures that are links
        if (ROOT / file).is_dir() and file / "README.md" in pages:
            file = file / "README.md"
        if file in pages:
            return f"[{name}](@ref {anchor(file, at) if at else label(file)})"
        if file.parts[0] == "include" and file.suffix == ".h":
            return f"[{name}](@ref {file.relative_to('include')})"
        return name  # a file that is not a page

    seen = {}

    def heading(match):
        if match[1] == "#":
            return f"# {match[2].replace('`', '')} {{#{label(path)}}}"
        name = slug(match[2])
        seen[name] = seen.get(name, -1) + 1
        return f"{match[1]} {match[2]} {{#{anchor(path, name if not seen[name] else f'{name}-{seen[name]}')}}}"

    def prose(part):
        part = re.sub(r"^<!--.*?-->\n", "", part, flags=re.MULTILINE)
        return HEADING.sub(heading, LINK.sub(link, part))

    return "".join(part if part.startswith("```") else prose(part) for part in FENCE.split(text))


def pages():
    """The pages of the site in their order, relative to the root."""
    names = ["README.md", "docs/README.md"]
    for folder in ("docs", "docs/adr"):
        names += sorted(str(path.relative_to(ROOT)) for path in (ROOT / folder).glob("*.md"))
    return list(map(pathlib.Path, dict.fromkeys(names + ["bench/README.md", "CHANGELOG.md"])))


def main(arguments):
    if len(arguments) != 1:
        sys.exit(__doc__)
    build = pathlib.Path(arguments[0]).resolve()
    shutil.rmtree(build / "pages", ignore_errors=True)
    shutil.rmtree(build / "html", ignore_errors=True)
    known = set(pages())
    copies = []
    for path in pages():
        copy = build / "pages" / path
        copy.parent.mkdir(parents=True, exist_ok=True)
        copy.write_text(translated((ROOT / path).read_text(encoding="utf-8"), path, known), encoding="utf-8")
        copies.append(copy)
    style = build / "site.css"
    style.write_text("div.contents img { max-width: 100%; }\ndiv.contents h1 { font-size: 150%; }\n", encoding="utf-8")
    version = re.search(r"^\s*VERSION (\S+)$", (ROOT / "CMakeLists.txt").read_text(encoding="utf-8"), re.MULTILINE)[1]
    settings = SETTINGS | {
        "PROJECT_NUMBER": version,
        "OUTPUT_DIRECTORY": f'"{build}"',
        "INPUT": " ".join(f'"{path}"' for path in [ROOT / "include", *copies]),
        "IMAGE_PATH": f'"{ROOT / "docs"}"',
        "STRIP_FROM_PATH": f'"{ROOT / "include"}" "{build / "pages"}"',
        "STRIP_FROM_INC_PATH": f'"{ROOT / "include"}"',
        "HTML_EXTRA_STYLESHEET": f'"{style}"',
        "USE_MDFILE_AS_MAINPAGE": f'"{build / "pages/README.md"}"',
    }
    text = "".join(f"{key} = {value}\n" for key, value in settings.items())
    if subprocess.run(["doxygen", "-"], input=text, text=True).returncode:
        sys.exit("Doxygen complained; the lines above name the file")


if __name__ == "__main__":
    main(sys.argv[1:])
