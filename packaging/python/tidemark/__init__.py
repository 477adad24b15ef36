"""Why loading a model takes that much memory: tidemark, from Python.

    import tidemark

    with tidemark.phase("deserialize"):  # shows in every report of a recorded run, else does nothing
        model.load_state_dict(state)

    @tidemark.phase("read file")
    def read(path): ...

    recording = tidemark.record(load, "model.safetensors")
    recording.value                      # what load returned
    recording.report.peak.footprint_bytes
    recording.report.findings            # why the peak is as high as it is

The command itself is `tidemark`; `tidemark record -- python load.py` records a whole program. With
pytest, `@pytest.mark.peak(max_ratio=1.1)` makes a test of a peak.

All sizes are bytes, all times nanoseconds since the recording began.
"""

from __future__ import annotations

from tidemark._command import CommandNotFound, command
from tidemark._marks import begin, end, phase
from tidemark._record import Recorder, Recording, RecordingError, record
from tidemark._report import (
    BeforeLoad,
    ChainEdge,
    ChainNode,
    Chain,
    DeviceUse,
    Estimate,
    Events,
    Finding,
    Floor,
    Frame,
    HeldStack,
    Lanes,
    LanePeaks,
    Loss,
    Model,
    ModelFile,
    Overhead,
    Peak,
    PeakGroup,
    Phase,
    Process,
    ProcessPeak,
    Rest,
    Report,
    SampledFunction,
    Sampling,
    Unexplained,
    Unrecorded,
    UnseenFile,
    read_report,
)

__all__ = [
    "BeforeLoad",
    "Chain",
    "ChainEdge",
    "ChainNode",
    "CommandNotFound",
    "DeviceUse",
    "Estimate",
    "Events",
    "Finding",
    "Floor",
    "Frame",
    "HeldStack",
    "LanePeaks",
    "Lanes",
    "Loss",
    "Model",
    "ModelFile",
    "Overhead",
    "Peak",
    "PeakGroup",
    "Phase",
    "Process",
    "ProcessPeak",
    "Recorder",
    "Recording",
    "RecordingError",
    "Report",
    "Rest",
    "SampledFunction",
    "Sampling",
    "Unexplained",
    "Unrecorded",
    "UnseenFile",
    "begin",
    "command",
    "end",
    "phase",
    "read_report",
    "record",
]
