"""Reports with typed attributes, as `tidemark report --format json` (schema 1) gives them.

Names ending in `_bytes` are bytes, in `_ns` nanoseconds since the recording began. Values that a
newer tidemark adds are not attributes; they are in `Report.document`, which is the whole JSON.
"""

from __future__ import annotations

import dataclasses
import functools
import json
import os
import reprlib
import subprocess
import typing
from dataclasses import dataclass, field
from typing import Any, Dict, Mapping, Optional, Tuple, Type, TypeVar, Union

from tidemark._command import command, run, size_word

_SCHEMA = 1


@dataclass(frozen=True)
class Frame:
    """One function of a stack."""

    function: str
    file: Optional[str] = None
    line: Optional[int] = None
    module: Optional[str] = None
    """The library or program; None for Python's own frames."""
    language: Optional[str] = None
    """`python` for a frame of Python code."""


@dataclass(frozen=True)
class ModelFile:
    path: str
    size: int
    """Bytes, as the file system says."""
    bytes_read: int
    bytes_mapped: int
    content: Optional[str] = None
    """What its bytes say it is: `safetensors`, `gguf` ..."""
    compressed: bool = False


@dataclass(frozen=True)
class Model:
    bytes: int
    """W, the size of the model; 0 where none was found."""
    files: Tuple[ModelFile, ...] = ()
    notes: Tuple[str, ...] = ()


@dataclass(frozen=True)
class Lanes:
    """Memory by where it comes from."""

    heap_bytes: int = 0
    anon_bytes: int = 0
    file_bytes: int = 0
    """Mapped files: address space, and no part of a footprint."""
    device_bytes: int = 0
    shared_bytes: int = 0


@dataclass(frozen=True)
class ProcessPeak(Lanes):
    footprint_bytes: int = 0
    at_ns: int = 0


@dataclass(frozen=True)
class Peak(ProcessPeak):
    """The highest footprint, and what it was made of."""

    ratio: Optional[float] = None
    """The footprint as a multiple of the model; None where there is no model."""
    phase: Optional[str] = None
    """The innermost phase that was open."""
    lanes_exact: bool = True


@dataclass(frozen=True)
class LanePeaks(Lanes):
    """The highest value of each lane, each at an instant of its own."""

    rss_anon_bytes: int = 0
    """Resident memory is sampled: it differs from run to run."""
    rss_file_bytes: int = 0
    rss_total_bytes: int = 0
    unexplained_bytes: int = 0
    unexplained_freed_bytes: int = 0
    unexplained_at_ns: Optional[int] = None
    """When it was most, ns from the beginning; None where the kernel's mark alone says so."""
    malloc_headers_least_bytes: int = 0
    """What malloc adds to the blocks of the peak, where that explains any of it; else 0."""
    malloc_headers_most_bytes: int = 0
    """The same where it was added up."""


@dataclass(frozen=True)
class BeforeLoad:
    """What stood before the model was opened."""

    at_ns: int
    stood_bytes: int
    at_peak_bytes: int


@dataclass(frozen=True)
class Events:
    allocations: int = 0
    frees: int = 0
    failed: int = 0
    mappings: int = 0
    file_reads: int = 0
    lost: int = 0


@dataclass(frozen=True)
class HeldStack:
    """What one stack has allocated and not given back."""

    bytes: int
    blocks: int
    lane: str
    stack: Tuple[Frame, ...] = ()
    """Innermost first."""


@dataclass(frozen=True)
class Rest:
    """What is beyond the stacks that are listed."""

    bytes: int = 0
    blocks: int = 0
    stacks: int = 0
    unattributed_bytes: int = 0


@dataclass(frozen=True)
class Finding:
    """One reason why the peak is as high as it is; `tidemark explain KIND` tells more."""

    kind: str
    title: str
    sentence: str
    bytes: int
    at_ns: int
    stack: Tuple[Frame, ...] = ()
    peak_without_bytes: Optional[int] = None
    remedy: str = ""
    advice: str = ""
    nodes: Tuple[int, ...] = ()
    """Places in `Report.chain.nodes`."""


@dataclass(frozen=True)
class PeakGroup:
    place: str
    sentence: str
    bytes: int
    share: float
    """Of the peak, from 0 to 1."""
    blocks: int
    first_allocated_ns: int
    last_allocated_ns: int
    most_freed_ns: Optional[int]
    """When nine tenths of the bytes that were freed had gone."""
    last_freed_ns: Optional[int]
    blocks_at_end: int
    model_read_bytes: Optional[int]
    model_copied_bytes: Optional[int]
    peak_without_bytes: int
    stack: Tuple[Frame, ...] = ()


@dataclass(frozen=True)
class Estimate:
    """A number that was estimated from a sample."""

    bytes: int
    error_bytes: int
    """Two standard errors."""


@dataclass(frozen=True)
class SampledFunction:
    """A function that asked for small blocks which were sampled."""

    function: str
    sampled_blocks: int
    sampled_bytes: int
    estimate: Estimate
    """Of all its small blocks."""
    module: Optional[str] = None


@dataclass(frozen=True)
class Sampling:
    """Who holds the heap blocks below `sample_bytes`, of which only a sample has stacks."""

    sample_bytes: int
    small_blocks: int
    """Exact, as `small_bytes`."""
    small_bytes: int
    sampled_blocks: int
    sampled_bytes: int
    estimate: Estimate
    """Of `small_bytes`."""
    functions: Tuple[SampledFunction, ...]
    unlisted_functions: int
    most_without_sample_bytes: int
    """What a function that was not sampled has at most, 19 times of 20."""


@dataclass(frozen=True)
class Unexplained:
    """The largest groups of a peak of which the findings explain less than half of what is beyond W."""

    sentence: str
    groups: Tuple[PeakGroup, ...] = ()


@dataclass(frozen=True)
class Floor:
    """The lowest peak that the same events could have."""

    peak_bytes: int
    ratio: Optional[float] = None


@dataclass(frozen=True)
class ChainNode:
    """A station of the model's bytes."""

    kind: str
    lane: str
    name: str
    files: int
    bytes: int
    blocks: int
    peak_bytes: int
    unfollowed_bytes: int
    depth: int
    stack: Tuple[Frame, ...] = ()


@dataclass(frozen=True)
class ChainEdge:
    """Bytes that went from one node to another."""

    kind: str
    to: int
    bytes: int
    count: int
    first_ns: int
    last_ns: int
    stack: Tuple[Frame, ...] = ()
    from_: int = field(default=0, metadata={"key": "from"})


@dataclass(frozen=True)
class LeftOut:
    blocks: int
    copies: int


@dataclass(frozen=True)
class Chain:
    """The way of the model's bytes, from the file to where they stay."""

    nodes: Tuple[ChainNode, ...] = ()
    edges: Tuple[ChainEdge, ...] = ()
    unseen_read_bytes: int = 0
    left_out: Optional[LeftOut] = None


@dataclass(frozen=True)
class Phase:
    name: str
    begin_ns: int
    end_ns: int
    peak_bytes: int
    """The highest footprint while it was open."""
    marked: bool
    """False: found from the file reads."""


@dataclass(frozen=True)
class Process:
    pid: int
    ppid: int
    command: str
    begin_ns: int
    end_ns: Optional[int]
    kernel_peak_rss_bytes: int
    peak: ProcessPeak


@dataclass(frozen=True)
class DeviceUse:
    heap: int
    type: int
    properties: str
    highest_bytes: int
    allocations: int
    dedicated: int
    imported: int


@dataclass(frozen=True)
class Overhead:
    """What recording cost the program."""

    own_bytes_in_host: int = 0
    blocked_ns: int = 0
    collector_cpu_ns: int = 0


@dataclass(frozen=True)
class Unrecorded:
    pid: int
    command: str
    why: str
    text: str
    processes: int
    from_ns: Optional[int] = None
    """It ran within this time, ns from the beginning; None where that is not known."""
    until_ns: Optional[int] = None
    most_bytes: Optional[int] = None
    """It cannot have had more memory of its own; None where that is not known."""


@dataclass(frozen=True)
class UnseenFile:
    path: str
    bytes: int
    in_memory: bool


@dataclass(frozen=True)
class Loss:
    """What is missing from the trace."""

    records_dropped: int = 0
    events_unwritten: int = 0
    blocks_damaged: int = 0
    events_damaged: int = 0
    bytes_damaged: int = 0
    processes_unrecorded: int = 0
    unrecorded: Tuple[Unrecorded, ...] = ()
    processes_left: int = 0
    """Still running when the recording ended: what they did later is not in it."""
    threads_unrecorded: int = 0
    threads_seccomp: int = 0
    """How many of them a seccomp filter kept out, had no address space, or found no place."""
    threads_address_space: int = 0
    threads_too_many: int = 0
    stacks_truncated: int = 0
    reads_unseen_bytes: int = 0
    rings_unseen: int = 0
    mapped_unseen_bytes: int = 0
    """Of files that were mapped by calls that tidemark does not see."""
    shared_unseen_bytes: int = 0
    mapped_unseen: Tuple[UnseenFile, ...] = ()
    """The largest of them."""
    unmapped_unseen_bytes: int = 0
    """Of mappings that counted until a look found them gone."""
    written_unseen_bytes: int = 0
    """What can have been written to private mappings of files, and by forked processes to their parents'
    memory, behind the last look at it, at most."""
    blocks_unknown: int = 0
    events_unknown: int = 0
    torn: bool = False
    peak_at_most_bytes: Optional[int] = None
    """The peak with all that programs that were not recorded can have had, and with
    `written_unseen_bytes`; None where that is not known."""
    hides_memory: bool = False
    """True where what is missing could have made the peak higher."""


@dataclass(frozen=True, repr=False)
class Report:
    """Everything that tidemark says of one recording."""

    command: Tuple[str, ...]
    exit_status: Optional[int]
    """128 + N where signal N ended it; None where the recording has no end."""
    duration_ns: int
    model: Model
    peak: Peak
    before_load: Optional[BeforeLoad]
    lane_peaks: LanePeaks
    events: Events
    at_peak: Tuple[HeldStack, ...]
    """The stacks alive at the peak, most bytes first; 100 at most."""
    at_peak_rest: Rest
    findings: Tuple[Finding, ...]
    unexplained: Optional[Unexplained]
    floor: Optional[Floor]
    chain: Chain
    phases: Tuple[Phase, ...]
    processes: Tuple[Process, ...]
    overhead: Overhead
    unmatched_releases: int
    heap_invisible: bool
    """The program has a malloc of its own inside itself, which cannot be recorded."""
    loss: Loss
    device: Tuple[DeviceUse, ...] = ()
    sampling: Optional[Sampling] = None
    """Of a recording with `--sample`."""
    peak_without_all_bytes: Optional[int] = None
    """Where all findings together lower the peak by more than any one of them."""
    execs_watched: bool = False
    """The kernel told every program that began. If not, `loss` may leave out such as had ended before they were seen."""
    deep_bound: bool = False
    """A library was opened with RTLD_DEEPBIND: what it asked of libc itself was not recorded."""
    unread_python: Tuple[str, ...] = ()
    """Pythons whose frames tidemark cannot read."""
    schema: int = _SCHEMA
    document: Mapping[str, Any] = field(default_factory=dict, repr=False, compare=False, metadata={"key": None})
    """The whole JSON document, as it was read."""

    def __repr__(self) -> str:
        """Its headline: a report has a hundred stacks, and what holds it may be printed."""
        ratio = "" if self.peak.ratio is None else f" = {self.peak.ratio:.2f} x W"
        least = "at least " if self.loss.torn or self.loss.events_unwritten else ""
        return f"<Report of {reprlib.repr(' '.join(self.command))}: peak {least}{_size(self.peak.footprint_bytes)}{ratio}>"

    @classmethod
    def from_json(cls, document: Mapping[str, Any]) -> Report:
        """The report of a parsed JSON document. Raises ValueError for another schema, or for no report."""
        if not isinstance(document, Mapping) or document.get("schema") != _SCHEMA:
            raise ValueError(f"this is no report of schema {_SCHEMA}")
        report = _decoded(cls, document)
        return dataclasses.replace(report, document=document)

    def phase(self, name: str) -> Phase:
        """The phase of this name with the highest footprint. Raises KeyError where there is none."""
        named = [phase for phase in self.phases if phase.name == name]
        if not named:
            raise KeyError(f"no phase is called {name!r}; there are {sorted({p.name for p in self.phases})}")
        return max(named, key=lambda phase: phase.peak_bytes)


def read_report(trace: Union[str, os.PathLike[str]], *, model: Union[int, str, os.PathLike[str], None] = None) -> Report:
    """The report of a trace on disk.

    `model` is W: bytes, a size as `5GiB`, or the model's file; None: as it was recorded. Raises
    ValueError, with tidemark's own sentence, for what is no trace or no model.
    """
    words = [command(), "report", "--format", "json", os.fspath(trace)]
    if model is not None:
        words += ["--model", size_word(model)]
    done = run(words, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    if done.returncode != 0:
        raise ValueError(done.stderr.decode(errors="replace").strip() or f"tidemark report: status {done.returncode}")
    return Report.from_json(json.loads(done.stdout))


def _size(size: int) -> str:
    """As the command writes it: `316.3 MiB`."""
    value, units = float(size), ["B", "KiB", "MiB", "GiB", "TiB"]
    while value >= 1023.95 and len(units) > 1:
        value /= 1024
        del units[0]
    return f"{size} B" if units[0] == "B" else f"{value:.{2 if value < 9.995 else 1}f} {units[0]}"


_T = TypeVar("_T")


@functools.lru_cache(maxsize=None)
def _fields_of(cls: Type[Any]) -> Dict[str, Tuple[str, Any]]:
    """JSON's keys of a class: the attribute, and its type."""
    types = typing.get_type_hints(cls)
    keys = ((entry.metadata.get("key", entry.name), entry.name) for entry in dataclasses.fields(cls))
    return {key: (name, types[name]) for key, name in keys if key is not None}


def _decoded(cls: Type[_T], document: Mapping[str, Any]) -> _T:
    known: Dict[str, Tuple[str, Any]] = _fields_of(cls)  # type: ignore[arg-type]
    values = {known[key][0]: _value(known[key][1], value) for key, value in document.items() if key in known}
    try:
        return cls(**values)
    except TypeError as error:
        raise ValueError(f"this is no report of schema {_SCHEMA}: {error}") from None


def _value(wanted: Any, value: Any) -> Any:
    if value is None:
        return None
    inner = typing.get_args(wanted)
    if typing.get_origin(wanted) is Union:
        return _value(inner[0], value)
    if typing.get_origin(wanted) is tuple:
        return tuple(_value(inner[0], entry) for entry in value)
    if isinstance(wanted, type) and dataclasses.is_dataclass(wanted):
        return _decoded(wanted, value)
    return value
