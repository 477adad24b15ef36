"""What is longer than a terminal's screen goes through a pager, as people know it from git.

usage: pager.py TIDEMARK TRACE
"""

import fcntl
import os
import pathlib
import pty
import select
import shutil
import signal
import struct
import subprocess
import sys
import tempfile
import termios
import time

TIDEMARK, TRACE = sys.argv[1:3]


def on_a_terminal(words, lines, keys=b"", begin=lambda: None, **variables):
    """What is seen on a screen of so many lines, and the exit status. `keys` are typed after the first output, and
    the process calls `begin` before it is tidemark."""

    def take_terminal():
        fcntl.ioctl(0, termios.TIOCSCTTY, 0)
        begin()

    kept = {name: value for name, value in os.environ.items() if name not in ("PAGER", "TIDEMARK_PAGER", "LESS", "LINES")}
    environment = {**kept, "TERM": "xterm", "LC_ALL": "C.UTF-8", **variables}
    ours, theirs = pty.openpty()
    fcntl.ioctl(theirs, termios.TIOCSWINSZ, struct.pack("HHHH", lines, 80, 0, 0))
    child = subprocess.Popen([TIDEMARK, *words], stdin=theirs, stdout=theirs, stderr=theirs, env=environment, start_new_session=True,
                             preexec_fn=take_terminal)
    os.close(theirs)
    seen = b""
    until = time.monotonic() + 60
    while time.monotonic() < until:
        if not select.select([ours], [], [], 1)[0]:
            continue
        try:
            piece = os.read(ours, 65536)
        except OSError:  # The last one has closed it.
            break
        seen += piece
        if keys and not piece.isspace():
            os.write(ours, keys)
            keys = b""
    else:
        child.kill()
        raise AssertionError(f"{words} with {variables} did not end; so far: {seen!r}")
    os.close(ours)
    return seen.decode().replace("\r\n", "\n"), child.wait()


def check(claim, *what):
    if not claim:
        raise AssertionError(repr(what))


def main():
    folder = pathlib.Path(tempfile.mkdtemp())
    kept = folder / "kept"
    pager = folder / "pager"
    pager.write_text(f"#!/bin/sh\ncat > {kept}\necho \"paged $LESS $1\"\nexit 3\n")
    pager.chmod(0o755)
    report = ["report", TRACE]
    straight, status = on_a_terminal(report, 500, TIDEMARK_PAGER=str(pager))
    check(status == 0 and "\033[" in straight and "paged" not in straight, straight)

    for variables in ({"TIDEMARK_PAGER": str(pager), "PAGER": "/no/such"}, {"PAGER": str(pager)}):
        kept.unlink(missing_ok=True)
        seen, status = on_a_terminal(report, 10, **variables)
        check(seen == "paged FRX \n" and status == 0, seen, status)
        check(kept.read_text() == straight, "the pager got something else", kept.read_text())
    for words in (["diff", TRACE, TRACE], ["explain"], ["explain", "twice"], ["marks"], [*report, "--format", "json"]):
        check(on_a_terminal(words, 5, PAGER=str(pager)) == ("paged FRX \n", 0), words)
    seen, _ = on_a_terminal(report, 10, PAGER=f"{pager} two", LESS="i")
    check(seen == "paged i two\n", seen)
    seen, _ = on_a_terminal(report, 10, PAGER=f"X=1; {pager} \"a shell's\" | tr a-z A-Z")
    check(seen == "PAGED FRX A SHELL'S\n", seen)

    lines = straight.count("\n")
    check(on_a_terminal(report, lines + 1, PAGER=str(pager))[0] == straight, "it fits")
    check(on_a_terminal(report, lines, PAGER=str(pager))[0] == "paged FRX \n", "the prompt does not")
    check(on_a_terminal([*report, "--no-pager"], 10, PAGER=str(pager)) == (straight, 0), "--no-pager")
    check(on_a_terminal([*report, "-o", str(folder / "file")], 10, PAGER=str(pager)) == ("", 0), "a file")
    for nobody in ("", "cat", "/no/such/pager", "no-such-pager -x", "'", "exec /no/such/pager 2>&-"):
        check(on_a_terminal(report, 10, PAGER=nobody) == (straight, 0), nobody)
    # Where a shell was told to ignore the ends of its children, so are ours.
    ignores_children = lambda: signal.signal(signal.SIGCHLD, signal.SIG_IGN)
    check(on_a_terminal(report, 10, begin=ignores_children, PAGER="exec /no/such/pager 2>&-") == (straight, 0), "SIGCHLD")
    check(on_a_terminal(report, 10, begin=ignores_children, PAGER=str(pager)) == ("paged FRX \n", 0), "SIGCHLD, paged")
    piped = subprocess.run([TIDEMARK, *report], capture_output=True, env={**os.environ, "PAGER": str(pager)})
    check(b"paged" not in piped.stdout and b"peak" in piped.stdout, piped.stdout)

    # One that is left before it has read anything.
    check(on_a_terminal([*report, "--format", "json"], 10, PAGER="true") == ("", 0), "true")
    # An error is no long text.
    seen, status = on_a_terminal(["report", "/no/such.tmk"], 1, PAGER=str(pager))
    check(status == 2 and seen.startswith("tidemark: "), seen)

    if shutil.which("less") is None:
        print("Skipped: no less here")
    else:
        seen, status = on_a_terminal(report, 10, keys=b"q")
        check(status == 0 and "\033[" in seen and len(seen) < len(straight), seen)
        check(on_a_terminal(report, 500)[0] == straight, "less, with a large screen")
    shutil.rmtree(folder)
    print("paged as it should be")


if __name__ == "__main__":
    main()
