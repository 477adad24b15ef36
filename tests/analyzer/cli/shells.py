"""Completion in the real shells: what stands on the line after Tab.

    shells.py TIDEMARK COMPLETION-FOLDER bash|zsh|fish

bash and zsh run on a terminal of their own, where a line is typed, Tab pressed, and the line run: in the place of
`tidemark` stands a script that passes the shell's question on to it, and writes down the words of everything else.
fish says itself what it would offer.
"""

import os
import pathlib
import pty
import select
import shlex
import subprocess
import sys
import tempfile
import time

DEADLINE_S = 30

# What is typed, and the words that a Tab makes of it.
LINES = [
    ("rep", ["report"]),
    ("help comp", ["help", "compare"]),
    ("report --form", ["report", "--format"]),
    ("report --format ma", ["report", "--format", "markdown"]),
    ("report --format=ma", ["report", "--format=markdown"]),
    ("report loa", ["report", "load.tmk"]),
    ("report -o loa", ["report", "-o", "load.t"]),
    ("export load.tmk --to spe", ["export", "load.tmk", "--to", "speedscope"]),
    ("check load.tmk --max-lane dev", ["check", "load.tmk", "--max-lane", "device="]),
    ("check load.tmk --phase des", ["check", "load.tmk", "--phase", "deserialize all"]),
    ("check the\\ load.tmk --phase des", ["check", "the load.tmk", "--phase", "deserialize all"]),
    ("explain writ", ["explain", "written_twice"]),
    ("compare --output=resu", ["compare", "--output=results"]),
    ("record -o x.tmk --unwinder=frame-pointer tidemark-pro",
     ["record", "-o", "x.tmk", "--unwinder=frame-pointer", "tidemark-program"]),
    ("record --depth=3 -- tidemark-program loa", ["record", "--depth=3", "--", "tidemark-program", "load.t"]),
]

MARKED = """
#include <tidemark/marks.h>
int main() { tidemark::Phase phase("deserialize all"); }
"""


def make_files(folder, tidemark):
    """A trace with a phase beside a file that begins as it does, and the script in the place of the command."""
    source = pathlib.Path(__file__).resolve().parents[3]
    (folder / "marked.cpp").write_text(MARKED)
    subprocess.run(["g++", "-I", source / "preload/include", "-o", folder / "marked", folder / "marked.cpp"], check=True)
    subprocess.run([tidemark, "record", "--quiet", "-o", folder / "load.tmk", folder / "marked"], check=True)
    (folder / "load.txt").touch()
    (folder / "the load.tmk").symlink_to("load.tmk")
    (folder / "results").mkdir()
    bin_folder = folder / "bin"
    bin_folder.mkdir()
    for name, text in [
        ("tidemark", f'#!/bin/sh\n[ "$1" = __complete ] && exec {tidemark} "$@"\nprintf "%s\\n" "$@" >words\necho >>words\n'),
        ("tidemark-program", "#!/bin/sh\n"),
    ]:
        (bin_folder / name).write_text(text)
        (bin_folder / name).chmod(0o755)
    return {"PATH": f"{bin_folder}:{os.environ['PATH']}", "HOME": str(folder), "TERM": "dumb", "LC_ALL": "C.UTF-8"}


class Shell:
    """An interactive shell on a terminal of its own."""

    def __init__(self, words, folder, environment):
        self.seen = b""
        self.process, self.terminal = pty.fork()
        if self.process == 0:
            os.chdir(folder)
            os.execvpe(words[0], words, environment)

    def read(self, seconds):
        if select.select([self.terminal], [], [], seconds)[0]:
            try:
                self.seen += os.read(self.terminal, 65536)
            except OSError:
                sys.exit(f"the shell has ended:\n{self.seen.decode()}")

    def type(self, text):
        os.write(self.terminal, text.encode())

    def wait_for(self, what, happened):
        end = time.monotonic() + DEADLINE_S
        while not happened():
            if time.monotonic() > end:
                sys.exit(f"waited in vain for {what}; on the terminal:\n{self.seen.decode(errors='replace')}")
            self.read(0.05)


def on_a_terminal(shell_words, setup, folder, environment):
    shell = Shell(shell_words, folder, environment)
    ready = folder / "ready"
    shell.type(f"{setup}; touch ready\n")
    shell.wait_for("the shell", ready.exists)
    words = folder / "words"
    for typed, _ in LINES:
        words.unlink(missing_ok=True)
        shell.type(f"tidemark {typed}\t\n")
        # The script ends what it writes with an empty line.
        shell.wait_for(typed, lambda: words.exists() and words.read_text().endswith("\n\n"))
        yield words.read_text().split("\n")[:-2]


def bash(folder, completion, environment):
    setup = f"PS1=; bind 'set bell-style none'; source {completion}/tidemark.bash"
    return on_a_terminal(["bash", "--norc", "-i"], setup, folder, environment)


def zsh(folder, completion, environment):
    setup = f"PS1=; unsetopt beep; fpath=({completion} $fpath); autoload -U compinit; compinit -u -D"
    return on_a_terminal(["zsh", "-f", "-i"], setup, folder, environment)


def fish(folder, completion, environment):
    for typed, _ in LINES:
        script = f"source {completion}/tidemark.fish; complete -C 'tidemark {typed}'"
        offered = subprocess.run(["fish", "-N", "-c", script], cwd=folder, env=environment, check=True,
                                 capture_output=True, text=True).stdout.splitlines()
        words = [line.split("\t")[0] for line in offered]
        # As a Tab has it: what all that is offered has in common.
        yield shlex.split(typed)[:-1] + [os.path.commonprefix(words)]


def main():
    tidemark, completion, name = sys.argv[1:]
    with tempfile.TemporaryDirectory() as made:
        folder = pathlib.Path(made)
        environment = make_files(folder, tidemark)
        shells = {"bash": bash, "zsh": zsh, "fish": fish}
        failed = False
        for (typed, wanted), words in zip(LINES, shells[name](folder, completion, environment), strict=True):
            # zsh takes a folder's slash away where the line ends.
            words[-1] = words[-1].rstrip("/")
            if words != wanted:
                print(f"{name}: tidemark {typed}<Tab> became {words}, not {wanted}")
                failed = True
        sys.exit(failed)


main()
