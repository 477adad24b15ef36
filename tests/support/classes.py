#!/usr/bin/env python3
"""A class has its methods in one .cpp: one that is cut in two only to be short still is one class.

  classes.py CHECKOUT      one line for each class with methods in several; exit status 1 if there is one
  classes.py --self-test   puts such classes into a small tree, and others that look like it, and expects to see the first
"""

import re
import sys
import tempfile
from pathlib import Path

TOPS = ["preload", "collector", "analyzer", "gui", "reference_loaders"]
# Comments, literals and directives: without them, every brace and bracket that is left counts.
NOT_CODE = re.compile(
    r"""//[^\n]* | /\*.*?\*/ | R"([^(\s]*)\(.*?\)\1" | "(?:\\.|[^"\\\n])*" | (?<![0-9a-fA-F])'(?:\\.|[^'\\\n])+'
        | ^[ \t]*\#(?:\\\n|[^\n])*""", re.DOTALL | re.MULTILINE | re.VERBOSE)
NAMESPACE = re.compile(r"\s*(?:inline\s+)?namespace\b\s*([\w:]*)\s*$")
IN_BRACKETS = re.compile(r"\([^()]+\)")
ARGUMENTS = re.compile(r"<[^<>]*>")
METHOD = re.compile(r"^[^=]*?((?:\b[A-Z]\w*\s*::\s*)+)(?:~?\w+|operator\b[^;{]*?)\s*\(")
HEAD_OF_METHOD_WITHOUT_BODY = re.compile(r"=\s*default\s*$")


def class_of(head):
    """Whose method is it that is defined by `head`, all that stands before its body? None: no method."""
    for inner in (IN_BRACKETS, ARGUMENTS):
        replacement = "()" if inner is IN_BRACKETS else ""
        while (shorter := inner.sub(replacement, head)) != head:
            head = shorter
    found = METHOD.match(head)
    return "".join(found[1].split())[:-2] if found else None


def classes_of(text):
    """The classes, with their namespaces, of which a file defines methods outside of the class. None: cannot be read.

    Classes of unnamed namespaces are one file's own, and not among them.
    """
    found, spaces = set(), []
    braces = brackets = begin = 0
    code = NOT_CODE.sub(" ", text)
    for mark in re.finditer(r"[{}();]", code):
        if braces:  # Inside of something that is no namespace.
            braces += {"{": 1, "}": -1}.get(mark[0], 0)
            begin = mark.end()
            continue
        if mark[0] in "()":
            brackets += 1 if mark[0] == "(" else -1
            continue
        if brackets:
            continue
        head, begin = code[begin:mark.start()], mark.end()
        space = NAMESPACE.match(head)
        if mark[0] == "{" and (space or head.split() == ["extern"]):
            spaces.append(space[1] if space else None)
        elif mark[0] == "}":
            if not spaces:
                return None
            spaces.pop()
        else:
            braces = 1 if mark[0] == "{" else 0
            name = class_of(head) if braces or HEAD_OF_METHOD_WITHOUT_BODY.search(head) else None
            if name and "" not in spaces:
                found.add("::".join([space for space in spaces if space] + [name]))
    return None if braces or brackets or spaces else found


def breaches(root):
    found, files = [], {}
    for file in sorted(file for top in TOPS for file in (root / top).rglob("*.cpp")):
        name = str(file.relative_to(root))
        classes = classes_of(file.read_text(encoding="utf-8"))
        if classes is None:
            found.append(f"{name}: its braces cannot be followed")
        for each in classes or ():
            files.setdefault(each, []).append(name)
    if not files:
        found.append(f"no method was found under {root}: is it the checkout?")
    for name, where in sorted(files.items()):
        if len(where) > 1:
            found.append(f"{name} has its methods in {', '.join(where)}: one class, one .cpp; two ideas are two classes")
    return found


def self_test():
    one = "namespace tidemark {\nvoid One::begin() {}\n}\n"
    cases = [
        # No breach: a method each of two classes; of a nested class; of classes of the same name.
        ("", "namespace tidemark {\nOne Two::begin(int n) { return One::make(n); }\n}\n"),
        ("", "namespace tidemark {\nvoid One::Part::begin() {}\n}\n"),
        ("", "namespace tidemark::gui {\nvoid One::begin() {}\n}\n"),
        ("", "namespace tidemark {\nnamespace {\nvoid One::begin() {}\n}\n}\n"),
        # Nor is it what calls a method, names one in a comment or a literal, or has it as an argument.
        ("", "namespace tidemark {\nconst int kOne = One::count();\nvoid f(int n = One::count()) {}\nvoid g() { One::end(); }\n}\n"),
        ("", 'namespace tidemark {\n// void One::end() {}\n#define ONE void One::end() {}\nconst char* k = "void One::end() {";\n}\n'),
        ("tidemark::One has", "namespace tidemark {\nvoid One::end() {}\n}\n"),
        ("tidemark::One has", "namespace tidemark {\nOne::One(int n) : a_{n}, b_(Two::of(n)) {}\n}\n"),
        ("tidemark::One has", "namespace tidemark {\nOne::~One() = default;\n}\n"),
        ("tidemark::One has", "namespace tidemark {\nstd::function<void(int)> One::ends() const { return {}; }\n}\n"),
        ("tidemark::One has", "namespace tidemark {\nOne& One::operator=(const One& other) { return *this; }\n}\n"),
        ("tidemark::One has", "namespace tidemark {\nOne::operator bool() const { return true; }\n}\n"),
        ("tidemark::One has", "namespace tidemark {\ntemplate <typename T>\nvoid One<T>::end() {}\n}\n"),
        ("tidemark::One has", 'extern "C" {\nvoid f() {}\n}\nnamespace tidemark {\nconstexpr int k = 1\'000;\nvoid One::end() {}\n}\n'),
        ("cannot be followed", "namespace tidemark {\nvoid Two::end() {\n}\n"),
    ]
    status = 0
    for expected, other in cases:
        with tempfile.TemporaryDirectory() as folder:
            for name, text in {"one.cpp": one, "other.cpp": other}.items():
                file = Path(folder, "analyzer", name)
                file.parent.mkdir(exist_ok=True)
                file.write_text(text, encoding="utf-8")
            found = breaches(Path(folder))
        if not (any(expected in line for line in found) if expected else not found):
            print(f"of {other!r}: expected '{expected or 'nothing'}', found {found}")
            status = 1
    return status


def main(words):
    if words == ["--self-test"]:
        return self_test()
    if len(words) != 1:
        print(__doc__, file=sys.stderr)
        return 2
    found = breaches(Path(words[0]).resolve())
    print("\n".join(found) or "every class has its methods in one file")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
