"""The manual's pages as `man` shows them: no warnings, the options of --help and examples of them, all words of the
specifications.

    manual.py TIDEMARK MANUAL-FOLDER FORMAT.md GATE.md
"""

import os
import pathlib
import re
import subprocess
import sys

failures = []


def check(holds, what):
    if not holds:
        failures.append(what)


def shown(page, width):
    """What `man` shows of a page. It shall have nothing to say."""
    done = subprocess.run(["man", "--warnings=w", "-l", page], capture_output=True, text=True,
                          env={**os.environ, "LC_ALL": "C.UTF-8", "MANWIDTH": str(width), "MANPAGER": "cat", "MAN_KEEP_FORMATTING": ""})
    check(done.returncode == 0 and not done.stderr, f"{page.name}, {width} columns wide: {done.stderr}")
    return re.sub(r"\x1b\[[0-9;]*m|.\x08", "", done.stdout)


def options_in_help(help_text):
    names = re.findall(r"^  (-[-\w,]+)", help_text, re.MULTILINE)
    return {name for found in names for name in found.split(",")}


def options_in_page(text):
    sections = re.findall(r"^OPTIONS$(.*?)^[A-Z]", text, re.MULTILINE | re.DOTALL)
    lines = re.findall(r"^ {7}(-.*)$", "".join(sections), re.MULTILINE)
    return {name for line in lines for name in re.findall(r"(?:^|, )(-[-\w]+)", line)}


def check_examples(verb, text, options):
    """Each is a command of this verb, has its options alone, and stands on one line of 80 columns."""
    section = re.search(r"^EXAMPLES$(.*?)^[A-Z]", text, re.MULTILINE | re.DOTALL)
    commands = re.findall(r"^ +(tidemark .*)$", section[1], re.MULTILINE) if section else []
    check(commands, f"tidemark-{verb}(1) has no example")
    for command in commands:
        names = set(re.findall(r" (-[-\w]+)", command.partition(" -- ")[0]))
        check(command.startswith(f"tidemark {verb} ") or command == f"tidemark {verb}", f"of tidemark-{verb}(1): {command}")
        check(names <= options, f"options that are none: {command}: {names - options}")


def words(text):
    return set(re.findall(r"\w+", text))


def check_variables(sources, page):
    """The command's sources ask for the variables of the page, and for no others."""
    asked = {"LC_ALL", "LC_CTYPE", "LANG", "TIDEMARK_SESSION", "LD_PRELOAD", "VK_ADD_LAYER_PATH", "VK_INSTANCE_LAYERS", "LESS", "LV"}  # Not by getenv.
    for path in [*(sources / "analyzer").rglob("*.cpp"), *(sources / "collector").rglob("*.cpp")]:
        asked |= set(re.findall(r'(?:getenv|variable|is_forced)\("([A-Z_]+)"\)', path.read_text()))
    section = re.search(r"^ENVIRONMENT$(.*?)^FILES$", page, re.MULTILINE | re.DOTALL)
    names = {word for line in re.findall(r"^ {7}([A-Z_]+(?:, [A-Z_]+)*)(?: {2,}.*)?$", section[1], re.MULTILINE) for word in line.split(", ")}
    check(names == asked, f"ENVIRONMENT of tidemark(1): in one of page and sources: {names ^ asked}")
    check("FILE.tmk.incomplete" in page, "FILES of tidemark(1) names no incomplete trace")


def main():
    tidemark, folder, specification = sys.argv[1], pathlib.Path(sys.argv[2]), pathlib.Path(sys.argv[3])
    run = lambda *arguments: subprocess.run([tidemark, *arguments], check=True, capture_output=True, text=True).stdout

    verbs = re.findall(r"^  (\w+) +[A-Z]", run("--help").split("Verbs:")[1], re.MULTILINE)
    check(len(verbs) > 8, f"the verbs of --help: {verbs}")
    commands = {"tidemark.1": []} | {f"tidemark-{verb}.1": [verb] for verb in verbs}
    pages = {page.name for page in folder.glob("*.[15]")}
    check(pages == {*commands, "tidemark-gui.1", "tidemark-gate.5", "tidemark-trace.5"}, f"pages: {sorted(pages)}")

    for name, arguments in commands.items():
        in_help = options_in_help(run(*arguments, "--help"))
        check("--help" in in_help, f"no option in the help of {name}")
        for width in (60, 80, 160):
            text = shown(folder / name, width)
            in_page = options_in_page(text)
            check(in_page == in_help, f"{name}, {width} columns: in one of page and help: {in_page ^ in_help}")
            if arguments and width >= 80:
                check_examples(arguments[0], text, in_help)
        for page, section in re.findall(r"(tidemark[-\w]*)\((\d)\)", text):
            check((folder / f"{page}.{section}").exists(), f"{name} names {page}({section})")

    check_variables(specification.parents[2], shown(folder / "tidemark.1", 80))

    for page, source in (("tidemark-trace", specification), ("tidemark-gate", pathlib.Path(sys.argv[4]))):
        for width in (80, 160):
            text = shown(folder / f"{page}.5", width)
        title, _, rest = source.read_text().partition("\n")
        # Languages of code are no text, and neither are the targets of links.
        rest = re.sub(r"^```\w+|\]\([^)]*\)", "", rest, flags=re.MULTILINE)
        missing = words(rest) - words(text)
        check(not missing, f"words of the specification that are not in {page}(5): {sorted(missing)}")

    for failure in failures:
        print(failure)
    sys.exit(bool(failures))


main()
