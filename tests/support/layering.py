#!/usr/bin/env python3
"""Holds the arrows between folders, and between units: see layers.txt. And no folder is a heap of files.

  layering.py CHECKOUT      one line for each breach; exit status 1 if there is one
  layering.py --self-test   puts each kind of breach into a small tree, and expects to see it
"""

import re
import sys
import tempfile
from pathlib import Path

TOPS = ["preload", "collector", "analyzer", "gui", "reference_loaders"]
SUFFIXES = {".hpp", ".cpp", ".h", ".S"}
MAX_UNITS = 14  # of a folder, which is about a dozen: more than that nobody keeps apart
SIZED = ["preload", "collector", "analyzer", "gui"]
INCLUDE = re.compile(r'^[ \t]*#[ \t]*include[ \t]*"([^"]*)"', re.MULTILINE)


def read_rows(text):
    """Folders in order, each with the set of folders that it may include."""
    rows = []
    for line in text.splitlines():
        line = line.split("#")[0].rstrip()
        if not line:
            continue
        if not line[0].isspace():
            folder, line = line.split(":", 1)
            rows.append((folder, set()))
        rows[-1][1].update(line.split())
    return rows


def read_includes(root):
    """(file, included file) of every include with quotes, both from the top of the checkout; and all files."""
    files = [file for top in TOPS for file in sorted((root / top).rglob("*")) if file.suffix in SUFFIXES]
    return [(file.relative_to(root), Path(name)) for file in files
            for name in INCLUDE.findall(file.read_text(encoding="utf-8"))], files


def circles(graph):
    """Sets of nodes that reach each other, by Tarjan's algorithm."""
    number, low, stack, found = {}, {}, [], []

    def visit(node):
        number[node] = low[node] = len(number)
        stack.append(node)
        for other in sorted(graph.get(node, ())):
            if other not in number:
                visit(other)
                low[node] = min(low[node], low[other])
            elif other in stack:
                low[node] = min(low[node], number[other])
        if low[node] == number[node]:
            at = stack.index(node)
            if len(stack) - at > 1:
                found.append(sorted(stack[at:]))
            del stack[at:]

    for node in sorted(graph):
        if node not in number:
            visit(node)
    return found


def breaches(root, text):
    rows = read_rows(text)
    table, order = dict(rows), [folder for folder, _ in rows]
    found, used, units = [], set(), {}
    for folder in table:
        if order.count(folder) > 1:
            found.append(f"layers.txt: {folder} has {order.count(folder)} lines, of which the last alone would count")
    for folder, allowed in table.items():
        for other in sorted(allowed):
            if other not in table:
                found.append(f"layers.txt: {folder} may include {other}, which has no line")
            elif order.index(other) >= order.index(folder):
                found.append(f"layers.txt: {folder} may include {other}, which stands below it")
    includes, files = read_includes(root)
    if not includes:
        found.append(f"no include was found under {root}: is it the checkout?")
    for folder in sorted({str(file.parent.relative_to(root)) for file in files} - set(table)):
        found.append(f"{folder} has no line in layers.txt")
    flat = {}
    for file in files:
        flat.setdefault(str(file.parent.relative_to(root)), set()).add(file.stem)
    for folder, names in flat.items():
        if len(names) > MAX_UNITS and folder.split("/")[0] in SIZED:
            found.append(f"{folder} has {len(names)} units: {MAX_UNITS} are a folder")
    for file, included in includes:
        here, there = str(file.parent), str(included.parent)
        if not (root / included).is_file():
            found.append(f'{file} includes "{included}": write it from the top of the checkout')
            continue
        if here != there:
            used.add((here, there))
            if there not in table.get(here, {there}):
                found.append(f"{file} includes {included}: {here} may not include {there}")
        unit, other = str(file.with_suffix("")), str(included.with_suffix(""))
        if unit != other:
            units.setdefault(unit, set()).add(other)
    for folder, allowed in table.items():
        for other in sorted(allowed):
            if (folder, other) not in used:
                found.append(f"layers.txt: {folder} may include {other}, and does not: take it out")
    for circle in circles(units):
        found.append("these include each other in a circle: " + ", ".join(circle))
    return found


def self_test():
    table = "preload/low:\npreload/high: preload/low\n"
    good = {"preload/low/a.hpp": "", "preload/high/b.hpp": '#include "preload/low/a.hpp"\n'}
    cases = [
        ("", table, {}),
        ("preload/low may not include preload/high", table, {"preload/low/a.hpp": '#include "preload/high/b.hpp"\n'}),
        ("these include each other in a circle: preload/low/c, preload/low/d", table,
         {"preload/low/c.hpp": '#include "preload/low/d.hpp"\n', "preload/low/d.hpp": "",
          "preload/low/d.cpp": '# include "preload/low/c.hpp"\n'}),
        ("preload/new has no line", table, {"preload/new/n.cpp": '#include "preload/low/a.hpp"\n'}),
        ("write it from the top", table, {"preload/low/c.cpp": '#include "a.hpp"\n'}),
        ("and does not: take it out", table + "preload/third: preload/high\n", {}),
        ("which stands below it", "preload/high: preload/low\npreload/low:\n", {}),
        ("preload/low has 2 lines", table + "preload/low:\n", {}),
        ("preload/low has 15 units", table, {f"preload/low/{name}.cpp": "" for name in "bcdefghijklmno"}),
        ("which has no line", table + "preload/third: preload/nowhere\n", {}),
    ]
    status = 0
    for expected, text, more in cases:
        with tempfile.TemporaryDirectory() as folder:
            for name, content in {**good, **more}.items():
                file = Path(folder, name)
                file.parent.mkdir(parents=True, exist_ok=True)
                file.write_text(content, encoding="utf-8")
            found = breaches(Path(folder), text)
        if not (any(expected in line for line in found) if expected else not found):
            print(f"expected '{expected or 'nothing'}', found {found}")
            status = 1
    return status


def main(words):
    if words == ["--self-test"]:
        return self_test()
    if len(words) != 1:
        print(__doc__, file=sys.stderr)
        return 2
    root = Path(words[0]).resolve()
    found = breaches(root, (root / "tests/support/layers.txt").read_text(encoding="utf-8"))
    print("\n".join(found) or "every include goes with the arrows")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
