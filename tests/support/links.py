#!/usr/bin/env python3
"""Holds the links between the documents: each relative link, and each #anchor, of every *.md leads somewhere.

  links.py CHECKOUT      one line for each that does not; exit status 1 if there is one
  links.py --self-test   puts each kind of breach into a small tree, and expects to see it
"""

import os
import re
import sys
import tempfile
from pathlib import Path
from urllib.parse import unquote

# Not documents of this checkout: what is built.
LEFT_OUT = re.compile(r"(^|/)(\.[^/]+|build(-[^/]*)?|tidemark-demo)/")
INLINE = re.compile(r"\[(?:[^\]\[]|\[[^\]]*\])*\]\(\s*<?([^)\s>]+)>?(?:\s+\"[^\"]*\")?\s*\)")
DEFINED = re.compile(r"^ {0,3}\[[^\]]+\]:\s+<?(\S+?)>?\s*$")
HEADING = re.compile(r"^ {0,3}#{1,6}\s+(.*?)\s*#*\s*$")
FENCE = re.compile(r"^ {0,3}(```+|~~~+)")
ELSEWHERE = re.compile(r"^[a-z][a-z0-9+.-]*:|^//", re.IGNORECASE)


def prose(text):
    """(number, line) of what is no code: neither fenced nor indented after an empty line."""
    fence, code, empty, item = None, False, True, False
    for number, line in enumerate(text.splitlines(), 1):
        mark = FENCE.match(line)
        if fence:
            if mark and mark[1].startswith(fence):
                fence = None
            continue
        if mark:
            fence, empty = mark[1], False
            continue
        if not line.strip():
            empty = True
            continue
        if not line.startswith("    "):
            code = False
            item = bool(re.match(r" {0,3}([-*+]|\d+[.)])\s", line)) or (item and line.startswith(" "))
        elif empty and not item:
            code = True
        empty = False
        if not code:
            yield number, line


def links(text):
    """(line number, target) of each link or picture."""
    parts = []
    for number, line in prose(text):
        line = re.sub(r"(`+)(?:.(?!\1))*.?\1", "``", line)
        defined = DEFINED.match(line)
        if defined:
            yield number, defined[1]
        parts.append((number, line))
    # A link's words may run over the end of a line.
    joined, starts = "", []
    for number, line in parts:
        starts.append((len(joined), number))
        joined += line + "\n"
    for found in INLINE.finditer(joined):
        yield max(number for start, number in starts if start <= found.start()), found[1]


def anchors(text):
    """The anchors of a document's headings, as GitHub and GitLab make them."""
    found, seen = set(), {}
    for _, line in prose(text):
        heading = HEADING.match(line)
        if not heading:
            continue
        words = re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", heading[1]).lower()
        anchor = re.sub(r"[^\w\- ]", "", words).replace(" ", "-")
        count = seen.get(anchor, 0)
        seen[anchor] = count + 1
        found.add(f"{anchor}-{count}" if count else anchor)
    return found


def documents(root):
    for folder, below, files in os.walk(root):
        place = Path(folder).relative_to(root)
        below[:] = sorted(name for name in below if not LEFT_OUT.search((place / name).as_posix() + "/"))
        for name in sorted(files):
            if name.endswith(".md"):
                yield place / name


def breaches(root):
    root = Path(root).resolve()
    found, texts, count = [], {}, 0

    def text_of(path):
        if path not in texts:
            texts[path] = path.read_text(encoding="utf-8")
        return texts[path]

    for document in documents(root):
        for number, target in links(text_of(root / document)):
            if ELSEWHERE.match(target):
                continue
            count += 1
            name, _, anchor = unquote(target).partition("#")
            path = Path(os.path.normpath(root / document.parent / name)) if name else root / document
            if name.startswith("/") or root not in (path, *path.parents):
                found.append(f"{document}:{number}: {target} leads out of the checkout")
            elif not path.exists():
                found.append(f"{document}:{number}: there is no {target}")
            elif anchor and (path.suffix != ".md" or anchor not in anchors(text_of(path))):
                found.append(f"{document}:{number}: {target}: no heading has that anchor")
    return found, count


def self_test():
    files = {
        "README.md": "# One\n\n[other](docs/other.md#a-name-and-b)  [it](#one) [folder](docs) [net](https://example.org/x#y)\n"
                     "![picture](docs/p.png) [words\nin two lines](docs/other.md)\n\n    [code](nowhere)\n\n"
                     "```\n[fenced](nowhere)\n```\n\n`[quoted](nowhere)`\n",
        "docs/other.md": "# A name, and [b](../README.md)!\n\n## Twice\n\n## Twice\n\n[second](#twice-1)\n",
        "docs/p.png": "",
        "build/left.md": "[out](nowhere)\n",
    }
    wrong = {
        "a file that is not there": ("[x](docs/none.md)", "there is no docs/none.md"),
        "a picture that is not there": ("![x](docs/none.png)", "there is no docs/none.png"),
        "a heading that is not there": ("[x](docs/other.md#none)", "no heading has that anchor"),
        "a heading of the same page": ("[x](#none)", "no heading has that anchor"),
        "a third of two headings": ("[x](docs/other.md#twice-2)", "no heading has that anchor"),
        "an anchor in no document": ("[x](docs/p.png#one)", "no heading has that anchor"),
        "a place outside": ("[x](../other.md)", "leads out of the checkout"),
        "a link in a list": ("- words\n\n    [x](none)", "there is no none"),
        "words over two lines": ("[x\ny](none)", "there is no none"),
        "a link by name": ("[x]: none", "there is no none"),
    }
    failures = []
    with tempfile.TemporaryDirectory() as folder:
        root = Path(folder)
        for name, text in files.items():
            (root / name).parent.mkdir(parents=True, exist_ok=True)
            (root / name).write_text(text, encoding="utf-8")
        found, count = breaches(root)
        if found or count != 7:
            failures.append(f"the tree without a breach: {count} links, {found}")
        for what, (line, sentence) in wrong.items():
            (root / "README.md").write_text(files["README.md"] + "\n" + line + "\n", encoding="utf-8")
            found, _ = breaches(root)
            if len(found) != 1 or sentence not in found[0]:
                failures.append(f"{what}: {found}")
    return failures


def main(arguments):
    if arguments == ["--self-test"]:
        found = self_test()
    elif len(arguments) == 1 and not arguments[0].startswith("-"):
        found, count = breaches(arguments[0])
        if count == 0:
            found.append("no link was found at all")
    else:
        print(__doc__.strip(), file=sys.stderr)
        return 2
    for line in found:
        print(line)
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
