"""A hook of mkdocs: the site has all documents of the tree, where they are in it, so that links between them lead on."""

import pathlib
import re

from mkdocs.structure.files import File, Files

TREE = pathlib.Path(__file__).resolve().parents[2]
# What is built, and what tests read.
LEFT_OUT = re.compile(r"^(build|build-[^/]*|tidemark-demo|tests/data|tests/fuzz/corpus|\.[^/]*)/")
LINK = re.compile(r"\]\(([^)\s:#]+)\)")


def documents():
    for path in sorted(TREE.rglob("*.md")):
        name = path.relative_to(TREE).as_posix()
        if not LEFT_OUT.match(name):
            yield name


def linked(document):
    """The pictures and other files that a document leads to, and that are no documents."""
    text = (TREE / document).read_text(encoding="utf-8")
    for name in LINK.findall(text):
        path = ((TREE / document).parent / name).resolve()
        if path.is_file() and path.suffix != ".md":
            yield path.relative_to(TREE).as_posix()


def on_files(files, config):
    pages = list(documents())
    names = pages + sorted({name for page in pages for name in linked(page)})
    of_theme = [file for file in files if not file.abs_src_path.startswith(config["docs_dir"])]
    return Files(of_theme + [File(name, str(TREE), config["site_dir"], config["use_directory_urls"]) for name in names])
