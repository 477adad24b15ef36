"""Changed inputs: traces, policies, baselines, rings."""

import json
import os
import re
import subprocess
from pathlib import Path

from case import FORMATS, ROOT, StandingCommand

CHANGED_INPUTS = "changed traces, policies and baselines"
EXPORTS = ["collapsed", "flamegraph", "speedscope", "pprof", "csv", "perfetto", "massif"]
SMALL_BYTES = 16 << 10  # of many changed copies, each read by some verbs


def verbs(case, trace, other):
    """A verb at random, with its words."""
    choice = case.random.choice
    return choice([
        ["report", trace, "--format", choice(FORMATS)],
        ["report", trace, "--at", choice(["0s", "1ms", "peak", "end"]), "--top", "0"],
        ["report", trace, "--by", choice(["temporary", "leaked", "allocations", "size", "thread"]), "--format", choice(["text", "json"])],
        ["diff", *case.random.sample([trace, other], 2), "--format", choice(FORMATS)],
        ["check", trace, "--max-peak", "1MiB", "--max-ratio", "1.5"],
        ["baseline", trace, "-o", case.path("baseline.json")],
        ["export", trace, "--to", choice(EXPORTS)],
        ["export", trace, "--to", choice(["collapsed", "flamegraph", "pprof", "csv", "speedscope"]), "--range", "0s..peak"],
        ["plot", trace, "-o", case.path(choice(["plot.svg", "plot.png"]))],
    ])


def real_trace(build):
    """Of a real program; there already, but for the first time."""
    real = build / "tests/campaign/real.tmk"
    if not real.exists():
        subprocess.run([build / "bin/tidemark", "record", "-q", "-o", real, "--", "/bin/ls", "-lR", ROOT / "tests"],
                       stdout=subprocess.DEVNULL, check=True)
    return real


def some_trace(case):
    """One of the traces that there are: small golden ones, the fuzzer's, and one of a real program."""
    candidates = [path for path in sorted((ROOT / "tests/data").rglob("*.tmk")) if path.stat().st_size < SMALL_BYTES]
    candidates += sorted((ROOT / "tests/fuzz/corpus/trace_reader").iterdir())
    return str(case.random.choice(candidates + [real_trace(case.build)] * 10))


def changed_traces(case, original, count):
    """Files of a trace that was changed by chance."""
    case.run([case.tool("change_trace"), original, case.path(""), str(case.random.getrandbits(32)), str(count)])
    files = [case.path(f"changed{number}.tmk") for number in range(count)]
    return [file for file in files if os.path.exists(file)]


def try_input(case, run, words, is_anew=False):
    """One changed input, through one verb."""
    before = len(case.problems)
    case.check_verb(run(words), " ".join(words))
    if len(case.problems) > before:
        case.commands.append("tidemark " + " ".join(words))
    case.tally[CHANGED_INPUTS] += 1
    is_policy = "--policy" in words or "--baseline" in words
    case.tally["of these: policies and baselines" if is_policy else "of these: traces"] += 1
    case.tally["of these: by a command started anew, not a fork"] += is_anew


def traces_anew(case):
    """Changed traces, through every verb of a command that is started for each."""
    original = some_trace(case)
    for changed in changed_traces(case, original, 4):
        try_input(case, lambda words: case.run([case.tidemark, *words]), verbs(case, changed, original), is_anew=True)


def traces(case):
    """Changed traces, through every verb: each in a fork of the command."""
    original = some_trace(case)
    files = changed_traces(case, original, 60)
    with StandingCommand(case) as command:
        for changed in files:
            try_input(case, command.run, verbs(case, changed, original))


def change_text(text, random_):
    """Words, numbers and brackets of JSON, changed by chance."""
    bytes_ = bytearray(text)
    for _ in range(random_.randint(1, 6)):
        at = random_.randrange(len(bytes_))
        kind = random_.randrange(6)
        if kind == 0:
            bytes_[at] = random_.randrange(256)
        elif kind == 1:
            del bytes_[at:at + random_.randrange(1, 20)]
        elif kind == 2:
            bytes_[at:at] = random_.choice([b"1e999", b"-1", b"null", b"[", b"}", b'"', b"\\ud800", b"\xff",
                                            b"18446744073709551616", b"[" * 3000, b"0.0000001"])
        elif kind == 3:
            from_ = random_.randrange(len(bytes_))
            bytes_[at:at] = bytes_[from_:from_ + random_.randrange(40)]
        elif kind == 4:
            numbers = list(re.finditer(rb"\d+(\.\d+)?", bytes_))
            if numbers:
                number = random_.choice(numbers)
                bytes_[number.start():number.end()] = random_.choice([b"0", b"-5", b"1e308", b"99999999999999999999"])
        else:
            del bytes_[at:]
        if not bytes_:
            return b" "
    return bytes(bytes_)


def changed_policies(case, count):
    """Words for check, with a policy or baseline that was changed by chance."""
    trace = str(ROOT / "tests/data/trace/tiny.tmk")
    baseline = case.path("right.json")
    case.run([case.tidemark, "baseline", trace, "-o", baseline])
    policy = json.dumps({"schema": 1, "checks": [
        {"name": "peak", "max_peak": "1MiB", "max_ratio": 1.1, "max_lane": {"heap": "64KiB"}},
        {"name": "phase", "max_phase": {"load": "1.2xW"}, "allow_loss": True}]}).encode()
    for number in range(count):
        is_policy = case.random.random() < 0.5
        name = case.path(f"changed{number}.json")
        Path(name).write_bytes(change_text(policy if is_policy else Path(baseline).read_bytes(), case.random))
        words = ["check", trace, "--no-page", "--policy" if is_policy else "--baseline", name]
        if case.random.random() < 0.5:
            words += ["--junit", case.path("junit.xml"), "--json", case.path("check.json"), "--github"]
        yield words


def policies_anew(case):
    """Changed policies and baselines, through a command that is started for each."""
    for words in changed_policies(case, 4):
        try_input(case, lambda words: case.run([case.tidemark, *words]), words, is_anew=True)


def policies(case):
    """Changed policies and baselines, through check: each in a fork of the command."""
    with StandingCommand(case) as command:
        for words in changed_policies(case, 60):
            try_input(case, command.run, words)


def rings(case):
    """The ring reader on changed rings."""
    ended = case.run([case.tool("change_rings"), str(ROOT / "tests/fuzz/corpus/ring_reader"), "2", str(case.seed),
                      case.path("ring")])
    case.check(ended.status == 0, f"the ring reader ended with status {ended.status}: {ended.err[:200]!r}")
    if ended.status == 0:
        case.tally["changed rings"] += int(ended.out.split()[0])
