"""One attempt of the campaign: a folder and randomness of its own, programs that it runs, what must hold."""

import collections
import ctypes
import json
import os
import random
import select
import signal
import struct
import subprocess
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
DEADLINE = 180  # Seconds for one program that should end in a few; busy kernels have stood still for one minute.
MAX_RSS = 1 << 30  # Bytes for one run of a verb on a small trace.
FIRST_BYTES = 5001  # As in hosts/counts.cpp.
HOST_STATUS = 7
FORMATS = ["text", "json", "markdown", "html"]


class Skipped(Exception):
    """What this machine cannot do."""


class Ended:
    """How a program ended: status is 128 + N for signal N; late: it had to be killed."""

    def __init__(self, status, out, err, late=False, rss=0):
        self.status, self.out, self.err, self.late, self.rss = status, out, err, late, rss


def become_subreaper():
    """Hosts that have lost their recorder are this process's to wait for."""
    ctypes.CDLL(None).prctl(36, 1, 0, 0, 0)  # PR_SET_CHILD_SUBREAPER


def children(pid):
    try:
        return [int(word) for task in Path(f"/proc/{pid}/task").iterdir()
                for word in (task / "children").read_text().split()]
    except OSError:
        return []


def reap_others(deadline=DEADLINE):
    """Waits for what a case has left running. Returns statuses by pid, and whether all ended in time."""
    statuses, end = {}, time.monotonic() + deadline
    while True:
        try:
            pid, status = os.waitpid(-1, os.WNOHANG)
        except ChildProcessError:
            return statuses, True
        if pid:
            statuses[pid] = os.waitstatus_to_exitcode(status)
        elif time.monotonic() > end:
            for child in children(os.getpid()):
                os.kill(child, signal.SIGKILL)
            reap_others(5)
            return statuses, False
        else:
            time.sleep(0.002)


Counter = collections.namedtuple("Counter", "begun done pid killed_by")  # As in hosts/counts.cpp.


class Case:
    """One attempt, in a folder of its own, with randomness of its own."""

    def __init__(self, build, folder, seed):
        self.random = random.Random(seed)
        self.seed, self.folder, self.build = seed, Path(folder), Path(build)
        self.tidemark = str(self.build / "bin/tidemark")
        self.problems, self.commands = [], []
        self.tally = collections.Counter()  # What was done, by a name of its own.

    def tool(self, name):
        return str(self.build / "tests/campaign" / name)

    def path(self, name):
        return str(self.folder / name)

    def check(self, holds, problem):
        if not holds:
            self.problems.append(problem)

    def variables(self, changes):
        """The environment of a program."""
        variables = dict(os.environ, XDG_CACHE_HOME=self.path("cache"), LC_ALL="C.UTF-8")
        for name in ("GITHUB_STEP_SUMMARY", "LD_PRELOAD"):
            variables.pop(name, None)
        return {**variables, **(changes or {})}

    def start(self, words, environment=None, before=None):
        number = len(self.commands)
        self.commands.append(" ".join([f"{k}={v}" for k, v in (environment or {}).items()] +
                                      [word if isinstance(word, str) else repr(word) for word in words]))
        with open(self.path(f"{number}.out"), "wb") as out, open(self.path(f"{number}.err"), "wb") as err:
            process = subprocess.Popen(words, stdin=subprocess.DEVNULL, stdout=out, stderr=err, cwd=self.folder,
                                       env=self.variables(environment), preexec_fn=before)
        process.number = number
        return process

    def wait(self, process, deadline=DEADLINE):
        late = False
        end = time.monotonic() + deadline
        while True:
            pid, status, usage = os.wait4(process.pid, os.WNOHANG)
            if pid:
                break
            if time.monotonic() > end and not late:
                late = True
                os.kill(process.pid, signal.SIGKILL)
            time.sleep(0.002)
        code = os.waitstatus_to_exitcode(status)
        process.returncode = code
        return Ended(128 - code if code < 0 else code, Path(self.path(f"{process.number}.out")).read_bytes(),
                     Path(self.path(f"{process.number}.err")).read_bytes(), late, usage.ru_maxrss * 1024)

    def run(self, words, environment=None, before=None):
        return self.wait(self.start(words, environment, before))

    def record(self, words, options=(), environment=None, before=None):
        return self.run([self.tidemark, "record", "-q", *options, "-o", self.path("host.tmk"), "--", *words],
                        environment, before)

    def facts(self, name):
        """What a trace says; None, and a problem, when it cannot be read."""
        ended = self.run([self.tool("trace_facts"), self.path(name)])
        self.check(ended.status == 0, f"{name} cannot be read: {ended.err.decode(errors='replace').strip()}")
        return json.loads(ended.out) if ended.status == 0 else None

    # What every run of tidemark has to keep.

    def check_ended(self, ended, what):
        self.check(not ended.late, f"{what} did not end")
        self.check(ended.late or ended.status < 128, f"{what} ended by signal {ended.status - 128}")
        self.check(b"std::" not in ended.err, f"{what} names an exception: {ended.err[:200]!r}")

    def check_verb(self, ended, what):
        """A verb that reads: 0 to 3, one sentence for 2, in bounded memory."""
        self.check_ended(ended, what)
        self.check(ended.status in (0, 1, 2, 3) or ended.status >= 128, f"{what} has exit status {ended.status}")
        self.check(ended.rss < MAX_RSS, f"{what} took {ended.rss >> 20} MiB")
        if ended.status == 2:
            err = ended.err.decode(errors="replace")
            self.check(err.startswith("tidemark: ") and err.count("\n") == 1,
                       f"{what} does not say one sentence: {err[:200]!r}")

    def counters(self):
        """The counters of each worker of `counts`."""
        try:
            raw = Path(self.path("counters")).read_bytes()
        except OSError:
            return []
        words = [int.from_bytes(raw[i:i + 8], "little") for i in range(0, len(raw), 8)]
        return [Counter(*words[i:i + 4]) for i in range(0, len(words), 8)]

    def counts(self, kind=None, workers=None, steps=None, limit=None):
        """The words of a counting host."""
        self.kind = kind or self.random.choice(["threads", "processes"])
        self.workers = workers or self.random.randint(1, 4)
        self.steps = steps or self.random.choice([100, 5_000, 100_000, 300_000])
        return [self.tool("counts"), self.path("counters"), self.kind, str(self.workers), str(self.steps),
                *([str(limit)] if limit else [])]

    def check_all_there(self, facts, what):
        """Every worker was recorded to its end."""
        for worker in range(self.workers):
            found = facts.get("allocations", {}).get(str(FIRST_BYTES + worker), 0)
            self.check(found == self.steps, f"{what}: {found} of {self.steps} allocations of worker {worker}")

    def check_between(self, facts, exact, what):
        """No worker has more than it began; where `exact`, none less than it had done."""
        for worker, counter in enumerate(self.counters()):
            found = facts.get("allocations", {}).get(str(FIRST_BYTES + worker), 0)
            self.check(found <= counter.begun, f"{what}: worker {worker} began {counter.begun}, recorded are {found}")
            if exact:
                self.check(found >= counter.done, f"{what}: worker {worker} did {counter.done}, recorded are {found}")

    def check_report(self, name, is_torn):
        ended = self.run([self.tidemark, "report", self.path(name)])
        self.check_verb(ended, f"report of {name}")
        if ended.status == 0 and is_torn:
            self.check(b"LOST" in ended.out, f"report of {name} does not say that the end is missing")


class StandingCommand:
    """tidemark, standing in front of its main: each run is a fork of it, with words of its own. As a context."""

    def __init__(self, case):
        self.case = case

    def __enter__(self):
        orders, self.orders = os.pipe()
        self.answers, answers = os.pipe()
        self.process = subprocess.Popen(
            [self.case.tidemark], stdin=subprocess.DEVNULL, cwd=self.case.folder, pass_fds=(orders, answers),
            env=self.case.variables({"LD_PRELOAD": self.case.tool("standing.so"),
                                     "TIDEMARK_STANDING": f"{orders}:{answers}"}))
        os.close(orders)
        os.close(answers)
        return self

    def __exit__(self, *_):
        os.close(self.orders)
        os.close(self.answers)
        self.process.wait()

    def answer(self):
        """As `Answer` in tools/standing.cpp: pid, wait status, KiB."""
        raw = os.read(self.answers, 16)
        if len(raw) != 16:
            raise RuntimeError("the standing command has gone")
        return struct.unpack("=iiq", raw)

    def run(self, words):
        order = b"".join(os.fsencode(word) + b"\0" for word in ["tidemark", *words])
        os.write(self.orders, struct.pack("=I", len(order)) + order)
        pid, _, _ = self.answer()
        late = not select.select([self.answers], [], [], DEADLINE)[0]
        if late:
            os.kill(pid, signal.SIGKILL)
        _, status, kib = self.answer()
        code = os.waitstatus_to_exitcode(status)
        return Ended(128 - code if code < 0 else code, Path(self.case.path("out")).read_bytes(),
                     Path(self.case.path("err")).read_bytes(), late, kib * 1024)
