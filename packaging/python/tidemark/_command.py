"""The `tidemark` command that lies in this package."""

from __future__ import annotations

import contextlib
import numbers
import os
import shutil
import signal
import subprocess
import sys
from typing import Any, Iterator, NoReturn, Sequence


class CommandNotFound(RuntimeError):
    """There is no `tidemark` command that could be run here."""


def command() -> str:
    """The path of the `tidemark` command: the package's own, else the one in the PATH.

    Raises CommandNotFound where there is neither.
    """
    own = os.path.join(os.path.dirname(os.path.abspath(__file__)), "_tree", "bin", "tidemark")
    if os.access(own, os.X_OK):
        return own
    # The console script of this package would run this function again.
    found = shutil.which("tidemark")
    if found is not None and not _is_script(found):
        return found
    raise CommandNotFound(
        f"no tidemark command: {own} is not there, nor another in the PATH; install the wheel of this system"
    )


def _is_script(path: str) -> bool:
    with open(path, "rb") as file:
        return file.read(2) == b"#!"


def size_word(value: Any) -> str:
    """A size, or a model's file, as the command reads it: a number is bytes, which takes a unit to say."""
    if isinstance(value, numbers.Real):  # Also numpy's.
        return f"{int(value)}B"
    return os.fspath(value) if isinstance(value, os.PathLike) else str(value)


@contextlib.contextmanager
def ends_are_known() -> Iterator[None]:
    """While it lasts, SIGCHLD is not ignored: where it is, Python takes every program for one that succeeded.

    Raises RuntimeError in a thread other than the main one, which cannot see to that.
    """
    if signal.getsignal(signal.SIGCHLD) is not signal.SIG_IGN:
        yield
        return
    try:
        signal.signal(signal.SIGCHLD, signal.SIG_DFL)
    except ValueError:
        raise RuntimeError("SIGCHLD is ignored, so it is not known how tidemark ends: call it from the main thread") from None
    try:
        yield
    finally:
        signal.signal(signal.SIGCHLD, signal.SIG_IGN)


def run(words: Sequence[str], **options: Any) -> "subprocess.CompletedProcess[bytes]":
    """As subprocess.run, without input."""
    with ends_are_known():
        return subprocess.run(words, stdin=subprocess.DEVNULL, **options)


def how_it_ended(status: int) -> str:
    """`SIGKILL ended`, `status 3 ended`: an exit status, of which `tidemark record` makes 128 + N for signal N."""
    number = status - 128 if status > 128 else -status
    try:
        return f"{signal.Signals(number).name} ended"
    except ValueError:
        return f"status {status} ended"


def main() -> NoReturn:
    """The console script: becomes the command, with the words, files and signals that it was given."""
    try:
        path = command()
        os.execv(path, ["tidemark", *sys.argv[1:]])
    except (CommandNotFound, OSError) as error:
        sys.exit(_said(error))


def _said(error: Exception) -> int:
    print(f"tidemark: {error}", file=sys.stderr)
    return 2
