"""Kills and stops of hosts and recorders, at random moments."""

import functools
import os
import re
import signal
import subprocess
import time
from pathlib import Path

from case import HOST_STATUS, children, reap_others

HOST_KILLS = "kills of a host"
EARLY_KILLS = "more kills of a host, before its first allocation"
RECORDER_KILLS = "kills of a recorder"
MAX_VICTIMS = 64  # As in hosts/counts.cpp.


def host_of(recorder):
    """The process that `tidemark record` has started, once there is one."""
    end = time.monotonic() + 5
    while time.monotonic() < end:
        found = children(recorder.pid)
        if found:
            return found[0]
        if os.waitid(os.P_PID, recorder.pid, os.WEXITED | os.WNOHANG | os.WNOWAIT):
            return None
        time.sleep(0.001)
    return None


def kill(pid, number):
    try:
        os.kill(pid, number)
    except ProcessLookupError:
        pass


def kill_host(case):
    """The host is killed at any moment: everything that it had done is in the trace."""
    recorder = case.start([case.tidemark, "record", "-q", "-o", case.path("host.tmk"), "--",
                           *case.counts("threads", steps=50_000_000)])
    host = host_of(recorder)
    time.sleep(case.random.choice([0, 0.001, 0.02, 0.2]) * case.random.random())
    if host:
        kill(host, signal.SIGKILL)
    ended = case.wait(recorder)
    case.check(not ended.late, "the recorder did not end")
    case.check(ended.status == 128 + signal.SIGKILL, f"the host's SIGKILL became status {ended.status}")
    case.check(os.path.exists(case.path("host.tmk")), "there is no trace")
    facts = case.facts("host.tmk")
    if facts:
        case.check(facts["ended"] and not facts["torn"], "the trace is torn")
        case.check_between(facts, not facts["hides_memory"], "after the host's death")
        if ended.status == 128 + signal.SIGKILL:
            is_working = any(counter.begun for counter in case.counters())
            case.check(not is_working or not facts["hides_memory"], "the trace says that something is missing")
            case.tally[HOST_KILLS if is_working else EARLY_KILLS] += 1


def kill_many(case):
    """Dozens of processes of one recording, each killed at a random moment: all that each had done is there."""
    victims = case.random.randint(20, 60)
    recorded = case.record([case.tool("counts"), case.path("counters"), "victims", str(victims),
                            str(case.random.getrandbits(32))])
    case.check_ended(recorded, "record")
    case.check(recorded.status == HOST_STATUS, f"status {recorded.status}")
    case.check(recorded.out == b"done\n", f"the host said {recorded.out!r}")
    facts = case.facts("host.tmk")
    if facts:
        case.check(facts["ended"] and not facts["torn"], "the trace is torn")
        # Who was gone before its first allocation may be said to be missing, and nobody else.
        case.check_between(facts, True, "after a death of many")
        # Counters past the first half are second threads of processes that the first half counts.
        hits = [counter for counter in case.counters()[:MAX_VICTIMS]
                if counter.begun and counter.killed_by == signal.SIGKILL]
        missing = facts["unrecorded"]
        case.check(missing <= victims - len(hits), f"{missing} are missing of {victims - len(hits)}")
        case.check(missing or not facts["hides_memory"], "the trace says that something else is missing")
        case.tally[HOST_KILLS] += len(hits)
        case.tally[EARLY_KILLS] += victims - len(hits)


def kill_recorder(case):
    """The recorder is killed at any moment: the host goes on to its end, and what was written can be read."""
    recorder = case.start([case.tidemark, "record", "-q", "-o", case.path("host.tmk"), "--",
                           *case.counts(steps=case.random.choice([20_000, 500_000, 2_000_000]))])
    host = host_of(recorder)
    time.sleep(case.random.choice([0, 0.005, 0.05, 1]) * case.random.random())
    kill(recorder.pid, signal.SIGKILL)
    ended = case.wait(recorder)
    statuses, in_time = reap_others()
    case.check(in_time, "the host did not end without its recorder")
    # Late in a recording there is another process, which looks names up and dies with the recorder.
    begun = case.counters()
    if begun and begun[0].pid not in (0, host):
        host = None
    if host and ended.status == 128 + signal.SIGKILL:
        case.tally[RECORDER_KILLS if host in statuses else f"{RECORDER_KILLS}, after its host's end"] += 1
    case.check(statuses.get(host, HOST_STATUS) == HOST_STATUS, f"the host ended with {statuses}")
    if begun and ended.status >= 128 and host in statuses:
        said = Path(case.path("0.out")).read_bytes()
        case.check(said == b"done\n", f"the host said {said!r}")
        case.check(all(counter.begun == counter.done == case.steps for counter in begun[:case.workers]),
                   "the host did not do all its work")
    for name, is_torn in (("host.tmk.incomplete", True), ("host.tmk", False)):
        if os.path.exists(case.path(name)) and os.path.getsize(case.path(name)) >= 32:
            facts = case.facts(name)
            if facts:
                case.check_between(facts, False, "after the recorder's death")
                case.check_report(name, is_torn and not facts["ended"])


def kill_both(case):
    """Both are killed: what was written can be read."""
    recorder = case.start([case.tidemark, "record", "-q", "-o", case.path("host.tmk"), "--",
                           *case.counts("threads", steps=50_000_000)])
    host = host_of(recorder)
    time.sleep(case.random.choice([0.01, 0.3, 0.9]) * case.random.random())
    for pid in case.random.sample([pid for pid in (host, recorder.pid) if pid], 2 if host else 1):
        kill(pid, signal.SIGKILL)
        time.sleep(case.random.choice([0, 0.001]))
    ended = case.wait(recorder)
    statuses, in_time = reap_others()
    case.check(in_time, "something is left running")
    if host in statuses and ended.status == 128 + signal.SIGKILL:
        case.tally["kills of both"] += 1
    for name in ("host.tmk.incomplete", "host.tmk"):
        if os.path.exists(case.path(name)) and os.path.getsize(case.path(name)) >= 32:
            facts = case.facts(name)
            if facts:
                case.check_between(facts, False, "after both deaths")


def kill_child(case):
    """One process of several is killed: what it had done is in the trace, and all of the others'."""
    recorder = case.start([case.tidemark, "record", "-q", "-o", case.path("host.tmk"), "--",
                           *case.counts("processes", workers=case.random.randint(2, 4), steps=300_000)])
    host = host_of(recorder)
    time.sleep(0.1 * case.random.random())
    victims = children(host) if host else []
    victim = case.random.choice(victims) if victims else None
    if victim:
        kill(victim, signal.SIGKILL)
    ended = case.wait(recorder)
    case.check_ended(ended, "record")
    case.check(ended.status == HOST_STATUS, f"status {ended.status}")
    facts = case.facts("host.tmk")
    if facts:
        case.check_between(facts, not facts["hides_memory"], "after a child's death")
        hits = [c for c in case.counters() if c.pid == victim and c.killed_by == signal.SIGKILL]
        case.tally[HOST_KILLS] += bool(victim and hits) and not facts["hides_memory"]


def stops(case):
    """Host and recorder are stopped and continued: nothing is lost."""
    recorder = case.start([case.tidemark, "record", "-q", "-o", case.path("host.tmk"), "--",
                           *case.counts(steps=200_000)])
    host = host_of(recorder)
    for _ in range(case.random.randint(1, 6)):
        victim = case.random.choice([pid for pid in (host, recorder.pid) if pid])
        time.sleep(0.03 * case.random.random())
        kill(victim, signal.SIGSTOP)
        time.sleep(0.1 * case.random.random())
        kill(victim, signal.SIGCONT)
    ended = case.wait(recorder)
    case.check_ended(ended, "record")
    case.check(ended.status == HOST_STATUS, f"status {ended.status}")
    facts = case.facts("host.tmk")
    if facts:
        case.check_all_there(facts, "after stops")


@functools.cache
def has_pid_namespaces():
    """Where processes say who they are (pidfs, Linux 6.9) and this user may make a namespace for them. Before, one in
    fifty short programs of a pid namespace is named as not recorded though it is."""
    release = tuple(int(number) for number in re.findall(r"\d+", os.uname().release)[:2])
    return release >= (6, 9) and subprocess.run(["unshare", "-Urfp", "--mount-proc", "true"], capture_output=True,
                                                check=False).returncode == 0


def pauses(case):
    """The recorder stands still again and again while short programs start and end: nobody is taken for unrecorded."""
    host = ["sh", "-c", case.random.choice([
        "for i in 1 2 3 4 5 6; do true | /bin/true; done; ls / | cat | sort; exec true",
        "for i in 1 2 3 4 5 6; do /bin/true & done; wait; (ls /; ls /) | cat",
        "git init -q r && cd r && echo one >f && git add f && git -c user.name=n -c user.email=e commit -q -m first"])]
    if case.random.random() < 0.4 and has_pid_namespaces():
        host = ["unshare", "-Urfp", *case.random.choice([[], ["--mount-proc"]]), *host]
    recorder = case.start([case.tidemark, "record", "-q", "-o", case.path("host.tmk"), "--", *host])
    longest = case.random.choice([0.001, 0.005, 0.02, 0.05])
    while not os.waitid(os.P_PID, recorder.pid, os.WEXITED | os.WNOHANG | os.WNOWAIT):
        kill(recorder.pid, signal.SIGSTOP)
        time.sleep(longest * case.random.random())
        kill(recorder.pid, signal.SIGCONT)
        time.sleep(longest * case.random.random())
    ended = case.wait(recorder)
    case.check_ended(ended, "record")
    case.check(ended.status == 0, f"status {ended.status}")
    case.check(b"incomplete" not in ended.err, f"somebody is named: {ended.err[:300]!r}")
