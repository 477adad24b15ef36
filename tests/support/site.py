#!/usr/bin/env python3
"""Builds the documents into a site, as packaging/site says, and asks it for nothing from the network.

  site.py CHECKOUT
"""

import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

OUTSIDE = re.compile(r'<(?:script|img|iframe)[^>]*\bsrc="(https?:)?//|<link[^>]*\bhref="(https?:)?//[^>]*stylesheet')


def main():
    checkout = pathlib.Path(sys.argv[1])
    if shutil.which("mkdocs") is None:
        print("Skipped: no mkdocs here")
        return 0
    with tempfile.TemporaryDirectory() as folder:
        site = pathlib.Path(folder, "site")
        words = ["mkdocs", "build", "--strict", "-f", checkout / "packaging/site/mkdocs.yml", "-d", site]
        done = subprocess.run(words, capture_output=True, text=True, env={**os.environ, "PYTHONDONTWRITEBYTECODE": "1"})
        if done.returncode != 0:
            print(done.stderr)
            return 1
        pages = {page.relative_to(site).as_posix(): page.read_text(encoding="utf-8") for page in site.rglob("*.html")}
        wrong = [f"{name} is not there" for name in ("index.html", "docs/in-ci.html", "collector/trace/FORMAT.html") if name not in pages]
        wrong += [f"{name} loads something from the network" for name, text in pages.items() if OUTSIDE.search(text)]
        wrong += [f"{name} leads to a document, not to its page" for name, text in pages.items() if re.search(r'href="(?!https?:)[^"#]*\.md["#]', text)]
        if not (site / "analyzer/picture/before-after.png").is_file():
            wrong.append("the picture of the first page is not there")
    print("\n".join(wrong) or f"{len(pages)} pages")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
