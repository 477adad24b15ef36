"""A function, run and recorded in a process of its own."""

from __future__ import annotations

import io
import os
import pickle
import reprlib
import subprocess
import sys
import tempfile
import threading
from dataclasses import dataclass
from typing import Any, Callable, Dict, Generic, List, Optional, Tuple, TypeVar, Union

from tidemark._command import command, ends_are_known, how_it_ended, size_word
from tidemark._report import Report, read_report

_T = TypeVar("_T")
_Path = Union[str, "os.PathLike[str]"]

_CALL = os.path.join(os.path.dirname(os.path.abspath(__file__)), "_call.py")
_MAIN = "__tidemark_main__"  # _call.py's word for it


class RecordingError(RuntimeError):
    """A function could not be recorded, or its process ended before the function did."""


class RecordedTraceback(Exception):
    """The traceback of an exception in the recorded process, as text: the cause of the one raised here."""

    def __init__(self, text: str) -> None:
        super().__init__(text)
        self.text = text

    def __str__(self) -> str:
        return f'\n"""\n{self.text}"""'


@dataclass(frozen=True, repr=False)
class Recording(Generic[_T]):
    """What came of a recorded call."""

    value: _T
    """What the function returned."""
    report: Report
    trace: Optional[str]
    """The trace's path, if `Recorder` was given one."""

    def __repr__(self) -> str:
        """In a line, whatever the value is."""
        return f"Recording(value={reprlib.repr(self.value)}, report={self.report!r}, trace={self.trace!r})"


@dataclass(frozen=True)
class Recorder:
    """How calls are recorded.

        tidemark.Recorder(trace="load.tmk", model="model.gguf").record(load, "model.gguf")
    """

    trace: Optional[_Path] = None
    """Where the trace stays, a name ending in .tmk; None: it is thrown away once its report is read."""
    model: Union[int, str, os.PathLike[str], None] = None
    """W: bytes, a size as `5GiB`, or the model's file; None: the weight files that were read."""
    options: Tuple[str, ...] = ()
    """Further words for `tidemark record`."""

    def record(self, function: Callable[..., _T], *arguments: Any, **keywords: Any) -> Recording[_T]:
        """As `tidemark.record`."""
        if self.trace is not None:
            return self._recorded(os.path.abspath(os.fspath(self.trace)), function, arguments, keywords)
        with tempfile.TemporaryDirectory(prefix="tidemark-") as folder:
            return self._recorded(os.path.join(folder, "call.tmk"), function, arguments, keywords)

    def _recorded(
        self, trace: str, function: Callable[..., _T], arguments: Tuple[Any, ...], keywords: Dict[str, Any]
    ) -> Recording[_T]:
        call = _pickled_call(function, arguments, keywords)
        # In memory without a name: a file that is read could be taken for the model.
        with _memory_file("tidemark call", call) as question, _memory_file("tidemark value") as answer:
            status, said = self._run(trace, _name_of(function), question, answer)
            result = _result_in(answer)
        if result is None:
            raise RecordingError(_ending(_name_of(function), status, said))
        if "error" in result:
            raise _error_of(result)
        report = read_report(trace, model=self.model)
        return Recording(result["value"], report, trace if self.trace is not None else None)

    def _run(self, trace: str, name: str, question: io.FileIO, answer: io.FileIO) -> Tuple[int, str]:
        files = question.fileno(), answer.fileno()
        words: List[str] = [command(), "record", "--quiet", "--output", trace]
        if self.model is not None:
            words += ["--model", size_word(self.model)]
        words += [*self.options, "--", sys.executable, _CALL, str(files[0]), str(files[1]), name]
        sys.stdout.flush()
        sys.stderr.flush()
        with ends_are_known():
            child = subprocess.Popen(words, pass_fds=files, stderr=subprocess.PIPE)
            said = _passed_on(child)
            return child.wait(), said()


def record(function: Callable[..., _T], *arguments: Any, **keywords: Any) -> Recording[_T]:
    """Calls `function(*arguments, **keywords)` in a recorded child process.

    Returns its value and the report. The child is a new Python: the function is looked up by its
    module and name there, as multiprocessing's `spawn` does, so it must be a module's own (no lambda,
    nothing within a function), and a script needs its `if __name__ == "__main__":`. Arguments and value
    are pickled. Writing the value is part of the recording: return little, not the model.

    An exception of the function is raised here, with its traceback as the cause. Raises
    RecordingError where nothing can be recorded, or where the process ended before the function
    did, TypeError or pickle.PicklingError for what cannot be sent there. `tidemark.Recorder` keeps the
    trace, or says what the model is.
    """
    return Recorder().record(function, *arguments, **keywords)


def _name_of(function: Callable[..., Any]) -> str:
    """For messages, and for the command line that reports show."""
    module = getattr(function, "__module__", None) or "?"
    return f"{module}:{getattr(function, '__qualname__', None) or type(function).__name__}"


def _main_program() -> Optional[str]:
    """The script that functions of `__main__` are defined in; None for an interactive session or `-c`."""
    path = getattr(sys.modules.get("__main__"), "__file__", None)
    return os.path.abspath(path) if path is not None and os.path.isfile(path) else None


def _pickled_call(function: Callable[..., Any], arguments: Tuple[Any, ...], keywords: Dict[str, Any]) -> bytes:
    if not callable(function):
        raise TypeError(f"a function is recorded, not {type(function).__name__}")
    main = _main_program()
    if getattr(function, "__module__", None) == "__main__" and main is None:
        raise TypeError(f"{_name_of(function)} is of no file, so a new process cannot import it; put it into a module")
    try:
        pickle.dumps(function)
    except (pickle.PicklingError, AttributeError, TypeError):
        raise pickle.PicklingError(
            f"{_name_of(function)} cannot be looked up by its name, as a new process has to: give record a function "
            "of a module, no lambda and nothing within a function"
        ) from None
    surroundings = {"path": list(sys.path), "argv": list(sys.argv), "main": main}
    return pickle.dumps(surroundings) + pickle.dumps((function, arguments, keywords))


def _memory_file(name: str, content: bytes = b"") -> io.FileIO:
    file = io.FileIO(os.memfd_create(name), "r+")
    rest = memoryview(content)
    while rest:
        rest = rest[file.write(rest) :]
    file.seek(0)
    return file


def _passed_on(child: "subprocess.Popen[bytes]") -> Callable[[], str]:
    """Passes on what the child says on standard error. @return a function that gives the end of it."""
    kept = bytearray()

    def pass_on() -> None:
        assert child.stderr is not None
        with child.stderr as pipe:
            while True:
                piece = os.read(pipe.fileno(), 1 << 16)
                if not piece:
                    return
                kept.extend(piece)
                del kept[: -(1 << 12)]
                os.write(2, piece)

    thread = threading.Thread(target=pass_on, daemon=True)
    thread.start()

    def said() -> str:
        thread.join(1)  # A grandchild may live on, and hold the pipe.
        return bytes(kept).decode(errors="replace")

    return said


def _result_in(file: io.FileIO) -> Optional[Dict[str, Any]]:
    """None where the process did not get as far. Its first bytes, written last, say that the rest is there."""
    file.seek(0)
    with io.BufferedReader(file) as reader:
        if reader.read(1) != b"!":
            return None
        # What is defined in the script has its module's name there.
        sys.modules.setdefault(_MAIN, sys.modules["__main__"])
        result: Dict[str, Any] = pickle.load(reader)
        return result


def _ending(name: str, status: int, said: str) -> str:
    own = [line[len("tidemark: ") :] for line in said.splitlines() if line.startswith("tidemark: ")]
    if status == 2 and own:
        return f"{name} was not recorded: {own[-1]}"
    return f"{how_it_ended(status)} the process of {name} before it returned"


def _error_of(result: Dict[str, Any]) -> BaseException:
    error: BaseException = result["error"]
    if not isinstance(error, BaseException):
        error = RecordingError(f"the recorded function raised what cannot be sent back: {result['error']}")
    error.__cause__ = RecordedTraceback(result["traceback"])
    return error
