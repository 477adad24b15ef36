"""pytest: a test whose peak memory is checked.

    @pytest.mark.peak(max_ratio=1.1)
    def test_load(tmp_path):
        load("model.safetensors")

The test runs in a recorded process of its own, with its fixtures, in a pytest that runs this test
alone; its setup and teardown are recorded, too. It fails where `tidemark check` finds a regression,
with the first finding and the stacks, and leaves trace and report page. What cannot be recorded, or
has lost what could hide a regression, is an error: a gate does not pass in silence.

The mark's arguments are the options of `tidemark check`: `max_peak="600MiB"`, `max_ratio=1.1`,
`max_lane={"anon": "64MiB"}`, `max_phase={"deserialize": "1.1xW"}`, `baseline="load.baseline.json"` with
`tolerance=2` (percent), `slack="64KiB"`, `lane=["rss_anon"]` and `phase=["read"]`, `policy="memory.json"`,
`model="model.gguf"` or a size, `allow_loss=True`. A number is bytes where a size is wanted. Files are
looked for beside the test's own.
"""

from __future__ import annotations

import contextlib
import json
import os
import pickle
import re
import shutil
import subprocess
import sys
import tempfile
import types
import zlib
from typing import Any, Dict, List, Literal, Mapping, NamedTuple, Optional

import pytest

from tidemark._command import CommandNotFound, command, how_it_ended, run, size_word

_CHILD = "TIDEMARK_PYTEST_CHILD"
_TEST = os.path.join(os.path.dirname(os.path.abspath(__file__)), "_test.py")

_HELP = (
    "peak(max_peak=SIZE, max_ratio=R, max_lane={LANE: SIZE}, max_phase={NAME: SIZE}, baseline=FILE, policy=FILE, "
    "tolerance=PERCENT, slack=SIZE, lane=[LANE], phase=[NAME], model=SIZE|FILE, allow_loss=True): "
    "runs the test in a process that tidemark records, and fails when its memory is above the limit"
)

# Of the session that collects, and not of a process that runs one of its tests.
_NOT_PASSED_ON = frozenset(
    "file_or_dir keyword markexpr deselect collectonly capture plugins override_ini inifilename rootdir basetemp "
    "confcutdir noconftest xmlpath junitprefix lf failedfirst newfirst cacheshow cacheclear last_failed_no_failures "
    "stepwise stepwise_skip maxfail show_fixtures show_fixtures_per_test setuponly setupshow setupplan markers help "
    "version debug pastebin ignore ignore_glob "
    "keepduplicates pyargs doctestmodules doctestglob trace usepdb usepdb_cls numprocesses maxprocesses dist tx "
    "distload looponfail rsyncdir px testrunuid maxschedchunk cov_source tidemark_dir tidemark_keep".split()
)


_PAGE = ".report.html"
_ENDINGS = (".tmk", _PAGE, ".graph.svg")


class Unmeasured(Exception):
    """There is no verdict."""


def pytest_addoption(parser: pytest.Parser) -> None:
    group = parser.getgroup("tidemark", "peak memory of tests that are marked with peak")
    group.addoption(
        "--tidemark-dir",
        metavar="DIR",
        help="folder for the traces and pages of tests whose peak is too high "
        "(default: that of --junitxml, else .tidemark below rootdir)",
    )
    group.addoption("--tidemark-keep", action="store_true", help="keep the traces of tests that pass, too")
    parser.addini("tidemark_dir", "as --tidemark-dir, relative to rootdir")


def pytest_configure(config: pytest.Config) -> None:
    config.addinivalue_line("markers", _HELP)
    question = os.environ.get(_CHILD)
    if question is not None:
        config.pluginmanager.register(_Child(config, question), "tidemark-child")
    else:
        config.pluginmanager.register(_Gate(config), "tidemark-gate")


class _Said:
    """A failure in words, of which lists show the first line."""

    def __init__(self, text: str) -> None:
        self._text = text
        self.reprcrash = types.SimpleNamespace(message=text.partition("\n")[0])

    def __str__(self) -> str:
        return self._text

    def toterminal(self, writer: Any) -> None:
        for line in self._text.splitlines():
            writer.line(line)


class _Outcome(NamedTuple):
    """What came of the test in its process."""

    reports: List[Any]
    trace: str
    status: int
    said: str


class _Gate:
    """Runs marked tests in processes of their own, and judges them."""

    def __init__(self, config: pytest.Config) -> None:
        self._config = config
        self._kept: List[str] = []

    @pytest.hookimpl(tryfirst=True)
    def pytest_runtest_protocol(self, item: pytest.Item, nextitem: Optional[pytest.Item]) -> Optional[bool]:
        mark = item.get_closest_marker("peak")
        if mark is None:
            return None
        item.ihook.pytest_runtest_logstart(nodeid=item.nodeid, location=item.location)
        for report in self._reports_of(item, mark):
            item.ihook.pytest_runtest_logreport(report=report)
        # What earlier tests have set up, and what the next one does not need.
        done = pytest.CallInfo.from_call(lambda: item.session._setupstate.teardown_exact(nextitem), when="teardown")
        if done.excinfo is not None:
            item.ihook.pytest_runtest_logreport(report=pytest.TestReport.from_item_and_call(item, done))
        item.ihook.pytest_runtest_logfinish(nodeid=item.nodeid, location=item.location)
        return True

    def pytest_terminal_summary(self, terminalreporter: Any) -> None:
        if self._kept:
            terminalreporter.section("tidemark")
            for line in self._kept:
                terminalreporter.line(line)

    def _reports_of(self, item: pytest.Item, mark: pytest.Mark) -> List[Any]:
        try:
            checks = _check_options(mark, os.path.dirname(str(item.path)))
            with tempfile.TemporaryDirectory(prefix="tidemark-") as folder:
                return self._judged(item, checks, self._outcome(item, mark, folder))
        except (Unmeasured, CommandNotFound) as error:
            return [_report(item, "setup", f"no verdict on the peak: {error}")]

    def _outcome(self, item: pytest.Item, mark: pytest.Mark, folder: str) -> _Outcome:
        question, answer = os.path.join(folder, "question.json"), os.path.join(folder, "answer")
        trace = os.path.join(folder, "test.tmk")
        with open(question, "w", encoding="utf-8") as file:
            json.dump({"options": _passed_on(self._config), "answer": answer, "path": sys.path}, file)
        words = [command(), "record", "--quiet", "--output", trace]
        if mark.kwargs.get("model") is not None:
            words += ["--model", _path_or_size(mark.kwargs["model"], os.path.dirname(str(item.path)))]
        words += ["--", sys.executable, _TEST, question, *_arguments(item)]
        surroundings = {key: value for key, value in os.environ.items() if key != "PYTEST_ADDOPTS"}
        surroundings[_CHILD] = question
        # What the test prints is in its reports, or, with -s, for all to see.
        shown = self._config.getoption("capture") == "no"
        done = run(
            words,
            cwd=str(self._config.invocation_params.dir),
            env=surroundings,
            stdout=None if shown else subprocess.PIPE,
            stderr=subprocess.PIPE,
        )
        said = ((done.stdout or b"") + b"\n" + done.stderr).decode(errors="replace").strip()
        return _Outcome(self._read(answer), trace, done.returncode, said)

    def _read(self, answer: str) -> List[Any]:
        if not os.path.exists(answer):
            return []
        entries = []
        with open(answer, "rb") as file:
            while True:
                try:
                    entries.append(pickle.load(file))
                except (EOFError, pickle.UnpicklingError):  # The end, or what a killed process has begun.
                    break
        return [self._config.hook.pytest_report_from_serializable(config=self._config, data=entry) for entry in entries]

    def _judged(self, item: pytest.Item, checks: List[str], outcome: _Outcome) -> List[Any]:
        reports = outcome.reports
        if not os.path.exists(outcome.trace):
            raise Unmeasured(f"the test was not recorded: {_last_words(outcome)}")
        if not any(report.when == "teardown" for report in reports):
            ending = f"{how_it_ended(outcome.status)} the test's process: {_last_words(outcome)}"
            failed = _report(item, "call", f"{ending}\n\n{_names(self._keep(item, outcome.trace))}")
            return [report for report in reports if report.when == "setup"] + [failed]
        call = next((report for report in reports if report.when == "call"), None)
        if call is None or call.outcome != "passed" or hasattr(call, "wasxfail"):
            return reports  # It failed by itself, or was skipped: nothing to measure.
        self._check(item, checks, outcome.trace, call)
        return reports

    def _check(self, item: pytest.Item, checks: List[str], trace: str, call: Any) -> None:
        """Makes a failure of the call's report where the peak is too high."""
        surroundings = {key: value for key, value in os.environ.items() if key != "GITHUB_STEP_SUMMARY"}
        done = run(
            [command(), "check", trace, *checks],
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            env=surroundings,
        )
        if done.returncode == 0:
            if self._config.getoption("tidemark_keep"):
                call.sections.append(("tidemark", _names(self._keep(item, trace))))
            return
        text = (done.stdout + done.stderr).decode(errors="replace").strip()
        name = self._keep(item, trace)
        # The trace, the page and the graph, by the names that they have now.
        text = text.replace(os.path.splitext(trace)[0], _shown(name))
        if done.returncode != 1:
            raise Unmeasured(f"{text}\n\n{_names(name)}")
        call.outcome = "failed"
        call.longrepr = _Said(text)

    def _keep(self, item: pytest.Item, trace: str) -> str:
        """Moves the trace to where it stays, with the page and the graph. @return their name, without an ending."""
        folder = self._folder()
        name = os.path.join(folder, _file_name(item.nodeid))
        os.makedirs(folder, exist_ok=True)
        page = os.path.splitext(trace)[0] + _PAGE
        if not os.path.exists(page):
            words = [command(), "report", trace, "--format", "html", "--output", page]
            run(words, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        for ending in _ENDINGS:
            _move(os.path.splitext(trace)[0] + ending, name + ending)
        self._kept.append(f"{item.nodeid}: {_shown(name)}.tmk")
        return name

    def _folder(self) -> str:
        root = str(self._config.rootpath)
        chosen = self._config.getoption("tidemark_dir")
        if chosen:
            return os.path.join(str(self._config.invocation_params.dir), chosen)
        chosen = self._config.getini("tidemark_dir")
        if chosen:
            return os.path.join(root, str(chosen))
        junit = self._config.getoption("xmlpath", None)
        if junit:
            return str(os.path.dirname(os.path.abspath(os.path.expanduser(junit))))
        return os.path.join(root, ".tidemark")


class _Child:
    """In the recorded process: its options are those of the session, its reports go to a file."""

    def __init__(self, config: pytest.Config, question: str) -> None:
        with open(question, encoding="utf-8") as file:
            asked = json.load(file)
        # A pytest that the test starts is its own.
        del os.environ[_CHILD]
        self._config = config
        self._answer: str = asked["answer"]
        for name, value in asked["options"].items():
            setattr(config.option, name, value)

    @pytest.hookimpl(trylast=True)
    def pytest_runtest_logreport(self, report: Any) -> None:
        data = self._config.hook.pytest_report_to_serializable(config=self._config, report=report)
        # Not as JSON, which has no tuples.
        with open(self._answer, "ab") as file:
            file.write(pickle.dumps(data))


def _check_options(mark: pytest.Mark, folder: str) -> List[str]:
    """The words of `tidemark check`. Raises Unmeasured for what is no argument of the mark."""
    if mark.args:
        raise Unmeasured(f"the mark's arguments have names: {_HELP.split(':')[0]}")
    words: List[str] = []
    for name, value in mark.kwargs.items():
        words += _check_option(name, value, folder)
    if not words or set(mark.kwargs) <= {"model", "allow_loss"}:
        raise Unmeasured("the mark says no limit: max_peak, max_ratio, max_lane, max_phase, baseline or policy")
    return words


def _check_option(name: str, value: Any, folder: str) -> List[str]:
    option = "--" + name.replace("_", "-")
    if name in ("max_peak", "slack"):
        return [option, size_word(value)]
    if name in ("max_ratio", "tolerance"):
        return [option, str(value)]
    if name in ("baseline", "policy"):
        return [option, os.path.join(folder, os.fspath(value))]
    if name == "model":
        return [option, _path_or_size(value, folder)]
    if name in ("max_lane", "max_phase") and isinstance(value, Mapping):
        return [word for key, size in value.items() for word in (option, f"{key}={size_word(size)}")]
    if name in ("lane", "phase") and isinstance(value, (list, tuple)):
        return [word for entry in value for word in (option, str(entry))]
    if name == "allow_loss" and isinstance(value, bool):
        return [option] if value else []
    raise Unmeasured(f"the mark has no argument {name}={value!r}: {_HELP.split('):')[0]})")


def _path_or_size(value: Any, folder: str) -> str:
    text = size_word(value)
    return text if re.fullmatch(r"[0-9.]+ *[A-Za-z]*", text) else os.path.join(folder, text)


def _passed_on(config: pytest.Config) -> Dict[str, Any]:
    """The options that tests and plugins may ask for, as far as JSON has them."""

    def is_plain(value: Any) -> bool:
        return value is None or isinstance(value, (bool, int, float, str)) or (
            isinstance(value, list) and all(is_plain(entry) for entry in value)
        )

    return {
        name: value
        for name, value in vars(config.option).items()
        if name not in _NOT_PASSED_ON and not name.startswith("cov") and is_plain(value)
    }


def _arguments(item: pytest.Item) -> List[str]:
    """For a pytest that runs this test alone, and says nothing of it."""
    config = item.config
    words = ["-p", "no:cacheprovider", "-o", "addopts="]
    for plugin in config.getoption("plugins", None) or []:
        words += ["-p", plugin]
    for override in config.getoption("override_ini", None) or []:
        words += ["-o", override]
    words += ["--rootdir", str(config.rootpath)]
    if config.inipath is not None:
        words += ["-c", str(config.inipath)]
    if config.getoption("capture", None) in ("no", "sys"):
        words.append(f"--capture={config.getoption('capture')}")
    _, colons, rest = item.nodeid.partition("::")
    return [*words, str(item.path) + colons + rest]


def _report(item: pytest.Item, when: Literal["setup", "call"], text: str) -> Any:
    """A report of something that went wrong with the test; of its setup: an error."""
    return pytest.TestReport(
        nodeid=item.nodeid,
        location=item.location,
        keywords={key: 1 for key in item.keywords},
        outcome="failed",
        longrepr=_Said(text),  # type: ignore[arg-type]
        when=when,
    )


def _last_words(outcome: _Outcome) -> str:
    lines = [line.strip() for line in outcome.said.splitlines() if line.strip()]
    own = [line for line in lines if line.startswith("tidemark: ")]
    return "\n".join(own or lines[-20:]) or "it said nothing"


def _file_name(nodeid: str) -> str:
    """Of letters that a file's name may have anywhere, and not too many of them; no two tests have the same one."""
    name = re.sub(r"[^A-Za-z0-9_.=-]+", "-", nodeid).strip("-.")
    plain = nodeid.replace("::", "-").replace("/", "-")
    return name if name == plain and len(name) <= 150 else f"{name[:150]}-{zlib.crc32(nodeid.encode()):08x}"


def _move(file: str, to: str) -> None:
    """Also to another file system. One that is not there leaves none of an earlier run's."""
    if not os.path.exists(file):
        with contextlib.suppress(FileNotFoundError):
            os.remove(to)
        return
    shutil.copyfile(file, to + ".part")
    os.replace(to + ".part", to)


def _names(name: str) -> str:
    return "\n".join(f"{what} {_shown(name + ending)}" for what, ending in zip(("trace:", "page: "), _ENDINGS))


def _shown(path: str) -> str:
    relative = os.path.relpath(path)
    return path if relative.startswith("..") else relative
