#!/usr/bin/env python3
"""A comment says what a value is, not only whose: none begins with "Of ".

  comments.py CHECKOUT      one line for each comment that does; exit status 1 if there is one
  comments.py --self-test   puts such comments into a small tree, and others that look like it, and expects to see the first
"""

import re
import sys
import tempfile
from pathlib import Path

TOPS = ["preload", "collector", "analyzer", "gui", "reference_loaders"]
SOURCES = {".cpp", ".hpp", ".h"}
COMMENT_LINE = re.compile(r"^\s*//")
BEGINS_WITH_OF = re.compile(r"(?:^|\s)//[/!]?<?\s*Of\s")


def breaches(root):
    found = []
    for top in TOPS:
        for file in sorted(file for file in (root / top).rglob("*") if file.suffix in SOURCES):
            is_inside = False
            for number, line in enumerate(file.read_text(encoding="utf-8").splitlines(), 1):
                is_comment_line = bool(COMMENT_LINE.match(line))
                if BEGINS_WITH_OF.search(line) and not (is_comment_line and is_inside):
                    found.append(f'{file.relative_to(root)}:{number}: a comment begins with "Of": say what the value is')
                is_inside = is_comment_line
    return found


def self_test():
    cases = [
        (0, "/// Bytes of the file.\nint bytes;\n"),
        (0, "/// The largest block\n/// Of the file.\nint bytes;\n"),
        (0, "int bytes;  ///< Offset in the file.\n// Offset, not size.\n"),
        (1, "/// Of the file.\nint bytes;\n"),
        (1, "int bytes;  ///< Of the file.\n"),
        (1, "int bytes;  // Of the file.\n"),
        (2, "int bytes;  // Of the file.\nint other;\n\n//! Of both\n//! files.\n"),
    ]
    status = 0
    for expected, text in cases:
        with tempfile.TemporaryDirectory() as folder:
            file = Path(folder, "analyzer", "load", "one.hpp")
            file.parent.mkdir(parents=True)
            file.write_text(text, encoding="utf-8")
            found = breaches(Path(folder))
        if len(found) != expected:
            print(f"of {text!r}: expected {expected}, found {found}")
            status = 1
    return status


def main(words):
    if words == ["--self-test"]:
        return self_test()
    if len(words) != 1:
        print(__doc__, file=sys.stderr)
        return 2
    found = breaches(Path(words[0]).resolve())
    print("\n".join(found) or "no comment begins with Of")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
