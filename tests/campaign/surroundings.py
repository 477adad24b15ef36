"""Hosts where it is hard to record: limits, namespaces, allocators, stress, ill will, failing calls."""

import errno
import os
import re
import resource
import shutil
import sys
from pathlib import Path

from case import FORMATS, HOST_STATUS, MAX_RSS, ROOT, Skipped, reap_others
from inputs import verbs

sys.path.append(str(ROOT / "tests/support"))
from page_text import page_text  # noqa: E402

ALLOCATORS = ["libtcmalloc_minimal.so.4", "libtcmalloc.so.4", "libtcmalloc_minimal_debug.so.4",
              "libjemalloc.so.2", "libmimalloc.so.2", "libmimalloc.so.3"]
STRESSORS = [["--malloc", "2", "--malloc-ops", "20000"], ["--mmap", "1", "--mmap-ops", "50"],
             ["--fork", "2", "--fork-ops", "300"], ["--vm", "1", "--vm-bytes", "64M", "--vm-ops", "500"],
             ["--mremap", "1", "--mremap-ops", "200"], ["--vfork", "1", "--vfork-ops", "300"],
             ["--exec", "1", "--exec-ops", "60"], ["--pthread", "1", "--pthread-ops", "300"],
             ["--munmap", "1", "--munmap-ops", "100"], ["--brk", "1", "--brk-ops", "2000"]]
WAIT = 15  # Call::kWait of tests/faults/fault.hpp


def limits(case):
    """Under a limit the host does what it does alone, and what is not recorded is said."""
    kind = case.random.choice(["as", "fsize", "nofile", "own"])
    host = case.counts(steps=5_000)
    before = None
    if kind == "as":
        # Below 256 MiB hardly anything starts.
        bytes_ = int(2 ** case.random.uniform(28, 36))
        before = lambda: resource.setrlimit(resource.RLIMIT_AS, (bytes_, bytes_))
    elif kind == "fsize":
        bytes_ = int(2 ** case.random.uniform(14, 36))
        before = lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (bytes_, bytes_))
    elif kind == "nofile":
        files = case.random.randint(4, 40)
        before = lambda: resource.setrlimit(resource.RLIMIT_NOFILE, (files, files))
    else:
        host = case.counts(steps=5_000, limit=int(2 ** case.random.uniform(7, 16)))
    alone = case.run(host, before=before)
    recorded = case.record(host, before=before)
    what = f"record under {kind}"
    case.check_ended(recorded, what)
    if alone.status == HOST_STATUS:
        case.check(recorded.status in (HOST_STATUS, 2), f"{what}: status {recorded.status}, alone {alone.status}")
        case.check(recorded.status != 2 or recorded.err.startswith(b"tidemark: "),
                   f"{what} says nothing: {recorded.err[:200]!r}")
        case.check(recorded.status == 2 or recorded.out == alone.out, f"{what}: the host said {recorded.out!r}")
        check_nothing_silent(case, recorded, what)


def check_nothing_silent(case, recorded, what):
    """Either all is there, or somebody says so."""
    if recorded.status != HOST_STATUS or recorded.err:
        return
    facts = case.facts("host.tmk")
    if facts and not facts["hides_memory"]:
        case.check_all_there(facts, what)


def namespaces(case):
    """A host in namespaces of its own is recorded, or somebody says that it was not."""
    flags = case.random.sample(["-m", "-n", "-i", "-u", "-C", "-r"], case.random.randint(0, 3))
    if case.random.random() < 0.3:
        flags += ["-fp"] + case.random.choice([[], ["--mount-proc"]])
    host = ["unshare", *flags, *case.counts(steps=5_000)]
    alone = case.run(host)
    if alone.status != HOST_STATUS:
        raise Skipped("unshare " + " ".join(flags) + " is not allowed here")
    recorded = case.record(host)
    what = "record of unshare " + " ".join(flags)
    case.check_ended(recorded, what)
    case.check(recorded.status == HOST_STATUS, f"{what}: status {recorded.status}")
    check_nothing_silent(case, recorded, what)


def find_library(name):
    found = [path for path in (f"/usr/lib/x86_64-linux-gnu/{name}", f"/usr/lib64/{name}") if os.path.exists(path)]
    if name.startswith("libclang_rt"):
        found += [str(path) for path in Path("/usr/lib").glob(f"llvm-*/lib/clang/*/lib/linux/{name}")]
    if not found:
        raise Skipped(f"{name} is not installed")
    return found[0]


def allocators(case):
    """A host with another allocator than libc's is recorded like any other."""
    library = find_library(case.random.choice(ALLOCATORS + ["libclang_rt.scudo_standalone-x86_64.so",
                                                            "libclang_rt.scudo-x86_64.so"]))
    host = ["env", f"LD_PRELOAD={library}", *case.counts(steps=20_000)]
    alone = case.run(host)
    if alone.status != HOST_STATUS:
        raise Skipped(f"{library} does not run alone")
    recorded = case.record(host)
    what = "record with " + os.path.basename(library)
    case.check_ended(recorded, what)
    case.check(recorded.status == HOST_STATUS, f"{what}: status {recorded.status}")
    if recorded.status == HOST_STATUS:
        facts = case.facts("host.tmk")
        if facts:
            case.check_all_there(facts, what)


def stress(case):
    """stress-ng's own stressors end as they do alone."""
    if not shutil.which("stress-ng"):
        raise Skipped("stress-ng is not installed")
    stressor = case.random.choice(STRESSORS)
    recorded = case.record(["stress-ng", "--temp-path", case.path(""), "-t", "5", *stressor])
    what = "stress-ng " + " ".join(stressor)
    case.check_ended(recorded, what)
    case.check(recorded.status == 0, f"{what}: status {recorded.status}")
    case.check_report("host.tmk", False)


def hostile_host(case):
    """A host that writes into the memory it shares with its recorder."""
    recorded = case.record([case.tool("scribbles"), str(case.random.getrandbits(32)),
                            str(case.random.choice([20, 200, 1000]))])
    case.check_ended(recorded, "record")
    case.check(recorded.rss < MAX_RSS, f"the recorder took {recorded.rss >> 20} MiB")
    statuses, in_time = reap_others()
    case.check(in_time, "the host was left alone, and does not end")
    if os.path.exists(case.path("host.tmk")):
        case.check_verb(case.run([case.tidemark, "report", case.path("host.tmk")]), "report")


def hostile_bytes(random_):
    pieces = [b"\x1b[31m", b"\x07", b"\n", b"\r", b"\xff\xfe", b"\xe2\x80\xae", b"\xe2\x80\x8b", b"<script>", b"|",
              b"`", b"](x)", b"\\", b"\"", b"'", b"%s%n", b"\xc3", b"\xf4\x90\x80\x80", b"--", b" ", b"\t", b"a" * 60]
    return b"".join(random_.choice(pieces) for _ in range(random_.randint(1, 6))).replace(b"/", b"")


BAD_IN_TEXT = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]")


def names(case):
    """Programs and files with hostile names: no format passes control characters on."""
    name = hostile_bytes(case.random)[:200]
    program = os.path.join(os.fsencode(case.folder), b"p" + name)
    shutil.copy(case.build / "bin/faults_host", program)
    arguments = [hostile_bytes(case.random).replace(b"\0", b"") for _ in range(case.random.randint(0, 3))]
    recorded = case.record([program, *arguments])
    case.check_ended(recorded, "record")
    case.check(recorded.status == HOST_STATUS, f"status {recorded.status}: {recorded.err[:200]!r}")
    trace = case.path("host.tmk")
    for words in [["report", trace, "--format", format_] for format_ in FORMATS] + [
            ["export", trace, "--to", "collapsed"], ["export", trace, "--to", "flamegraph"], ["export", trace, "--to", "speedscope"],
            ["report", trace, "--whole-stacks"]]:
        ended = case.run([case.tidemark, *words])
        what = " ".join(word for word in words if word != trace)
        case.check_verb(ended, what)
        try:
            text = ended.out.decode()
        except UnicodeDecodeError as error:
            case.check(False, f"{what}: no UTF-8: {error}")
            continue
        found = BAD_IN_TEXT.search(page_text(text))
        case.check(not found, f"{what} passes {found and found.group()!r} on")


def faults(case):
    """One call of the collector or of a report fails, chosen at random (tests/faults does it for all)."""
    call, effect = case.random.randrange(24), 1
    # A wait for a child of one's own is interrupted at most.
    error = errno.EINTR if call == WAIT else case.random.choice([2, 4, 5, 12, 13, 24, 28])
    number = int(2 ** case.random.uniform(0, 13 if call < 2 else 5))
    lasts = case.random.randrange(2) if error != 4 else 0
    variables = {"LD_PRELOAD": str(case.build / "lib/libtidemark_faults.so"),
                 "TIDEMARK_FAULT": f"{call}:{effect}:{number}:{error}:{lasts}"}
    if case.random.random() < 0.5:
        recorded = case.record([str(case.build / "bin/faults_host")], environment=variables)
        case.check_ended(recorded, "record")
        case.check(recorded.status in (2, HOST_STATUS), f"status {recorded.status}")
        case.check(recorded.status != HOST_STATUS or recorded.out == b"begin\nend\n", "the host did not say its words")
        case.check(recorded.status != 2 or b"begin" not in recorded.out, "the host ran, and its status is lost")
    else:
        words = verbs(case, str(ROOT / "tests/data/trace/tiny.tmk"), str(ROOT / "tests/data/trace/tiny.tmk"))
        if words[0] != "plot":  # fontconfig and freetype do not survive a malloc that gets nothing
            case.check_verb(case.run([case.tidemark, *words], variables), " ".join(words))
