#!/usr/bin/env python3
"""preload/python/layouts.inc against the headers of every Python that is installed here.

    layouts.py FOLDER_OF_THIS_FILE APPROVED [--update] [PREFIX...]

Compiles layout_of_headers.c with the headers of each version under /usr and the prefixes (and those of TIDEMARK_PYTHONS,
with colons between), and compares its row. With --update the rows of the versions that are here are replaced.
"""
import glob
import os
import re
import subprocess
import sys
import tempfile


def rows_of(text):
    return {row.split(",")[0]: row for row in re.findall(r"\{\.version = .*?\},\n", text, re.S)}


def row_of_headers(source, include):
    with tempfile.TemporaryDirectory() as folder:
        program = os.path.join(folder, "layout")
        subprocess.run(["cc", "-w", "-I", include, "-I", os.path.join(include, "internal"), "-o", program, source],
                       check=True)
        return subprocess.run([program], check=True, capture_output=True, text=True).stdout


def main():
    words = [word for word in sys.argv[1:] if word != "--update"]
    folder, approved, *prefixes = words
    prefixes += ["/usr"] + [os.path.dirname(os.path.dirname(path))
                            for path in os.environ.get("TIDEMARK_PYTHONS", "").split(":") if path]
    with open(approved, encoding="utf-8") as file:
        before = rows_of(file.read())
    now = dict(before)
    for prefix in prefixes:
        for include in sorted(glob.glob(prefix + "/include/python3.*")):
            version = int(include.rpartition(".")[2]) if include.rpartition(".")[2].isdigit() else 0
            if version >= 10 and os.path.exists(include + "/internal/pycore_runtime.h"):
                now.update(rows_of(row_of_headers(os.path.join(folder, "layout_of_headers.c"), include)))
                print("compared: the headers in", include)
    if "--update" in sys.argv:
        with open(approved, "w", encoding="utf-8") as file:
            file.write("".join(now[version] for version in sorted(now)))
        return 0
    for version, row in sorted(now.items()):
        if before.get(version) != row:
            print("- " + before.get(version, "(no such version)\n") + "+ " + row)
    return 0 if now == before else 1


if __name__ == "__main__":
    sys.exit(main())
