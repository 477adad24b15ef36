#!/usr/bin/env python3
"""Holds the documents to the programs: README.md and docs/*.md.

  documents.py commands CHECKOUT PARSER               each `tidemark ...` in them is a command line that is taken
  documents.py samples CHECKOUT TIDEMARK LOADERS      what they show as output is what comes out, of the demo's traces
  documents.py --self-test                            puts mistakes into a document, and expects to see them

PARSER takes a command's words, and fails with a sentence where the command line would not take them.
"""

import os
import re
import shlex
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

COMMAND = re.compile(r"^(?:sudo |fresh/bin/)?tidemark ([a-z-].*)$")
SPAN = re.compile(r"(?<!`)`(tidemark [a-z-][^`]*)`(?!`)")
# What stands for a word that the reader chooses.
CHOSEN = {"NAME": "twice", "VERB": "report", "KIND": "twice"}
OPEN_END = re.compile(r"^(FILE is required|record needs a program to run|--[a-z-]+ needs a value: \S+); see ")
SHELL = {"|", ">", "&&", ";", "..."}


def documents(checkout):
    return [checkout / "README.md", *sorted((checkout / "docs").glob("*.md"))]


def blocks(text):
    """The code of a document, a list of lines each, without its indentation."""
    found, block, empty = [], None, True
    for line in text.splitlines() + [""]:
        if line.startswith("    ") and (block is not None or empty):
            block = (block or []) + [line[4:]]
        elif not line.strip() and block is not None:
            block.append("")
        elif block is not None:
            found.append(block)
            block = None
        empty = not line.strip()
    if block is not None:
        found.append(block)
    for block in found:
        while block and not block[-1]:
            block.pop()
    return found


def words_of(text):
    words = []
    for word in shlex.split(text, comments=True):
        if word in SHELL:
            break
        words.append(CHOSEN.get(word, word))
    return words


def commands(text):
    """The words behind `tidemark` of each command in the code of a document, and in its sentences."""
    in_code = (COMMAND.match(line) for block in blocks(text) for line in block)
    # A span goes on behind the end of a line.
    prose = re.sub(r"\s*\n\s*", " ", "\n".join(line for line in text.splitlines() if not line.startswith("    ")))
    yield from (words_of(match[1]) for match in in_code if match)
    yield from (words_of(match[1].split(" ", 1)[1]) for match in SPAN.finditer(prose))


def refused(text, parses):
    """Sentences may leave words out, and so may name a verb or an option alone."""
    return [f"tidemark {shlex.join(words)}: {why}" for words in commands(text) if (why := parses(words)) and not OPEN_END.search(why)]


def check_commands(checkout, parser):
    def parses(words):
        done = subprocess.run([parser, *words], capture_output=True, text=True)
        return done.stderr.strip() if done.returncode != 0 else ""

    count, wrong = 0, []
    for document in documents(checkout):
        text = document.read_text(encoding="utf-8")
        count += len(list(commands(text)))
        wrong += [f"{document.relative_to(checkout)}: {line}" for line in refused(text, parses)]
    if count < 20:
        wrong.append(f"only {count} commands were found: are they still code?")
    print("\n".join(wrong) or f"{count} commands are taken")
    return 1 if wrong else 0


# Not the same twice: times, what was sampled, how many events and stacks there are, the C library's own.
TIME = re.compile(r"\b\d[\d.,]* (?:ns|us|µs|ms|s|min)\b")
VARIES = re.compile(r"^(rss|VmHWM|unexplained|overhead|duration|lost |exit status|before |after |build/bin/)|[│└├]|/home/you|\bstacks?\b|did not change|… \d+ frames|filedoalloc|iofopen")


def masked(line):
    line = TIME.sub("TIME", line)
    line = re.sub(r"-?\d[\d.]*%$", "PART", line)
    line = re.sub(r"\s+", " ", line).strip()
    # The axis of a curve: there is room for the peak's time where it is not near the end.
    return re.sub(r"^0( TIME)+$", "0 TIME", line)


def is_held(line):
    """Whether a line of a sample must come out: not one that is left out, or that differs from run to run."""
    line = line.strip()
    return bool(line) and line not in ("...", "…") and not VARIES.search(line)


def missing(sample, output):
    """The lines of a sample that do not come out, in their order."""
    rest, lost = [masked(line) for line in output.splitlines()], []
    for line in filter(is_held, sample):
        wanted = masked(line)
        if wanted in rest:
            rest = rest[rest.index(wanted) + 1 :]
        else:
            lost.append(line)
    return lost


def sample_with(checkout, name, first):
    """The block of a document that has a line which begins so, from that line on."""
    for block in blocks((checkout / name).read_text(encoding="utf-8")):
        for number, line in enumerate(block):
            if line.startswith(first):
                return block[number:]
    raise SystemExit(f"{name} has no sample that begins with '{first}'")


def demo(loaders, tidemark, folder, size):
    subprocess.run([loaders, "demo", "--size", size, "-o", folder, "--tidemark", tidemark], check=True, stdout=subprocess.DEVNULL)


def check_samples(checkout, tidemark, loaders):
    home = Path(tempfile.mkdtemp(prefix="tidemark-documents-"))
    os.chdir(home)
    environment = {**os.environ, "LC_ALL": "C.UTF-8", "COLUMNS": "80"}
    environment.pop("GITHUB_STEP_SUMMARY", None)

    def output(*words):
        return subprocess.run([tidemark, *words], env=environment, capture_output=True, text=True).stdout

    try:
        demo(loaders, tidemark, "tidemark-demo", "512MiB")
        shutil.copy("tidemark-demo/after.tmk", "load.tmk")
        naive = output("report", "--top", "2", "tidemark-demo/before.tmk")
        streamed = output("report", "load.tmk")
        gate = output("check", "load.tmk", "--max-ratio", "1.1")
        compared = output("diff", "tidemark-demo/before.tmk", "tidemark-demo/after.tmk")
        Path("tidemark-demo/model.params").unlink()
        demo(loaders, tidemark, "small", "64MiB")
        output("baseline", "small/after.tmk", "-o", "load.baseline.json")
        grown = output("check", "small/before.tmk", "--no-page", "--baseline", "load.baseline.json")
        subprocess.run([loaders, "make", "ggml", "gpt2.bin", "--model", "345M"], check=True, stdout=subprocess.DEVNULL)
        output("record", "-q", "-o", "gpt2.tmk", "--", loaders, "run", "ggml", "hardcoded", "gpt2.bin")
        tensors = output("report", "--by", "tensor", "--top", "2", "gpt2.tmk")
        held = [
            ("README.md", "peak 1.00 GiB", naive + streamed),
            ("README.md", "why", naive),
            ("README.md", "PASS peak", gate),
            ("docs/in-ci.md", "PASS peak", gate),
            ("docs/in-ci.md", "REGRESSION peak", grown),
            ("docs/reading-a-report.md", "peak 1.00 GiB", naive),
            ("docs/reading-a-report.md", "weights at the peak", tensors),
            ("docs/before-and-after.md", "peak 1.00 GiB", compared),
        ]
        wrong = []
        for name, first, text in held:
            wrong += [f"{name}: it shows '{line.strip()}'" for line in missing(sample_with(checkout, name, first), text)]
            if any(line.startswith(name) for line in wrong):
                wrong.append(f"and what comes out is\n{text}")
    finally:
        os.chdir("/")
        shutil.rmtree(home)
    print("\n".join(wrong) or f"{len(held)} samples are what comes out")
    return 1 if wrong else 0


def self_test():
    text = "Run `tidemark report\na.tmk --tpo 2`:\n\n    tidemark check a.tmk --max 2 # why\n\n    peak 1.0 MiB, at 3.2 s\n    ...\n      4 blocks\n"
    assert list(commands(text)) == [["check", "a.tmk", "--max", "2"], ["report", "a.tmk", "--tpo", "2"]], list(commands(text))
    assert refused(text, lambda words: "no" if "--tpo" in words else "") == ["tidemark report a.tmk --tpo 2: no"]
    sample = blocks(text)[-1][-3:]
    assert missing(sample, "peak 1.0 MiB,  at 12 ms\nmore\n  4 blocks\n") == []
    assert missing(sample, "peak 1.1 MiB, at 3.2 s\n4 blocks\n") == ["peak 1.0 MiB, at 3.2 s"]
    assert missing(["  0     2.9 s"], "   0   2.0 s  2.3 s\n") == []
    assert missing(sample, "4 blocks\npeak 1.0 MiB, at 3.2 s\n") == ["  4 blocks"]
    print("mistakes are found")
    return 0


def main():
    if sys.argv[1] == "--self-test":
        return self_test()
    checkout = Path(sys.argv[2]).resolve()
    if sys.argv[1] == "commands":
        return check_commands(checkout, sys.argv[3])
    return check_samples(checkout, sys.argv[3], sys.argv[4])


if __name__ == "__main__":
    sys.exit(main())
