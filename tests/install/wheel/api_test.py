"""`import tidemark` as a program uses it: run by each Python that the wheel is installed into. The model is
its last argument."""

import json
import os
import pathlib
import pickle
import signal
import sys
import unittest
from concurrent.futures import ThreadPoolExecutor
from dataclasses import fields, is_dataclass

import loads
import tidemark

MODEL = sys.argv[-1]
BYTES = os.path.getsize(MODEL)
MIB = 1 << 20
# Of the language itself.
HAS_FRAMES = sys.version_info >= (3, 10)


class OfThisScript(Exception):
    """Of `__main__`, which has another name in the recorded process."""


def of_this_script(error):
    if error:
        raise OfThisScript("by its own name")
    return OfThisScript("as a value")


class Recorded(unittest.TestCase):
    """What several tests ask, recorded once."""

    @classmethod
    def setUpClass(cls):
        cls.twice = tidemark.record(loads.load, MODEL, twice=True)

    def test_the_value_comes_back_and_the_report_says_what_the_call_took(self):
        peak = self.twice.report.peak
        self.assertEqual(self.twice.value, BYTES)
        self.assertGreater(peak.footprint_bytes, 2 * BYTES)
        self.assertLess(peak.footprint_bytes, 2 * BYTES + 40 * MIB)
        self.assertEqual(peak.footprint_bytes, peak.heap_bytes + peak.anon_bytes + peak.device_bytes + peak.shared_bytes)
        self.assertEqual(self.twice.report.model.bytes, BYTES)
        self.assertEqual(self.twice.report.model.files[0].path, os.path.realpath(MODEL))
        self.assertAlmostEqual(peak.ratio, peak.footprint_bytes / BYTES)
        self.assertEqual(peak.phase, "deserialize")

    def test_findings_say_who_holds_the_copy(self):
        finding = self.twice.report.findings[0]
        self.assertEqual(finding.kind, "twice")
        self.assertEqual(finding.bytes, BYTES)
        self.assertIn("load (loads.py:" if HAS_FRAMES else "PyByteArray_Resize", finding.sentence)
        self.assertLess(self.twice.report.floor.peak_bytes, self.twice.report.peak.footprint_bytes - BYTES // 2)

    def test_phases_have_the_highest_footprint_within_them(self):
        report = self.twice.report
        self.assertEqual([phase.name for phase in report.phases], ["read file", "deserialize"])
        self.assertTrue(all(phase.marked for phase in report.phases))
        self.assertEqual(report.phase("deserialize").peak_bytes, report.peak.footprint_bytes)
        self.assertLess(report.phase("read file").peak_bytes, 2 * BYTES)
        with self.assertRaisesRegex(KeyError, "no phase is called 'upload'"):
            report.phase("upload")

    def test_stacks_are_frames_innermost_first(self):
        stack = self.twice.report.at_peak[0].stack
        self.assertGreater(len(stack), 3)
        if not HAS_FRAMES:
            self.skipTest("frames of this Python are not read")
        functions = [frame.function for frame in stack if frame.language == "python"]
        self.assertIn("load", functions)
        self.assertEqual(functions[-1], "<module>")

    def test_every_key_of_the_document_is_an_attribute(self):
        missing = list(unknown_keys(self.twice.report, self.twice.report.document))
        self.assertEqual(missing, [])

    def test_without_a_trace_nothing_stays(self):
        self.assertIsNone(self.twice.trace)


class Agreed(unittest.TestCase):
    """The reports that the command's own tests hold."""

    def test_every_key_of_them_is_an_attribute(self):
        folder = pathlib.Path(__file__).resolve().parents[2] / "data/report"
        for name in ("naive.json", "streamed.json", "sampled.json"):
            document = json.loads((folder / name).read_text(encoding="utf-8"))
            report = tidemark.Report.from_json(document)
            self.assertEqual(list(unknown_keys(report, document)), [], name)
            self.assertEqual(report.peak.footprint_bytes, document["peak"]["footprint_bytes"])
            self.assertEqual(report.document, document)


def unknown_keys(value, document, at="report"):
    """Keys of a JSON document that its dataclass does not have."""
    if is_dataclass(value):
        keys = {field.metadata.get("key", field.name): field.name for field in fields(value)}
        for key, entry in document.items():
            if key not in keys:
                yield f"{at}.{key}"
            else:
                yield from unknown_keys(getattr(value, keys[key]), entry, f"{at}.{key}")
    elif isinstance(value, tuple) and isinstance(document, list):
        for number, (item, entry) in enumerate(zip(value, document)):
            yield from unknown_keys(item, entry, f"{at}[{number}]")
    elif isinstance(document, dict):
        yield at


class Recording(unittest.TestCase):
    def test_a_recorder_keeps_its_trace_and_knows_its_model(self):
        recording = tidemark.Recorder(trace="kept.tmk", model=BYTES // 2).record(loads.unmarked, MODEL)
        self.assertEqual(recording.trace, os.path.abspath("kept.tmk"))
        self.assertEqual(recording.report.model.bytes, BYTES // 2)
        self.assertEqual(tidemark.read_report("kept.tmk"), recording.report)
        self.assertEqual(tidemark.read_report("kept.tmk", model=MODEL).model.bytes, BYTES)

    def test_a_number_is_bytes_however_small(self):
        recording = tidemark.Recorder(trace="small.tmk", model=512_000).record(loads.unmarked, MODEL)
        self.assertEqual(recording.report.model.bytes, 512_000)
        self.assertEqual(tidemark.read_report("small.tmk", model=1).model.bytes, 1)

    def test_failures_are_known_where_the_ends_of_children_are_ignored(self):
        before = signal.signal(signal.SIGCHLD, signal.SIG_IGN)
        self.addCleanup(signal.signal, signal.SIGCHLD, before)
        with self.assertRaisesRegex(tidemark.RecordingError, "status 3 ended"):
            tidemark.record(loads.leave)
        with self.assertRaisesRegex(ValueError, "loads.py"):
            tidemark.read_report(loads.__file__)
        self.assertIs(signal.getsignal(signal.SIGCHLD), signal.SIG_IGN)
        with ThreadPoolExecutor() as pool, self.assertRaisesRegex(RuntimeError, "from the main thread"):
            pool.submit(tidemark.read_report, loads.__file__).result()

    def test_the_caller_s_words_and_folder_are_the_function_s(self):
        self.assertEqual(tidemark.record(loads.words).value, (sys.argv, os.getcwd()))

    def test_an_exception_is_raised_with_its_traceback(self):
        with self.assertRaisesRegex(loads.Refused, "by name") as caught:
            tidemark.record(loads.refuse, "by name")
        self.assertIn("in refuse", str(caught.exception.__cause__))

    def test_what_a_script_defines_is_known_on_both_sides(self):
        self.assertIsInstance(tidemark.record(of_this_script, False).value, OfThisScript)
        with self.assertRaisesRegex(OfThisScript, "by its own name"):
            tidemark.record(of_this_script, True)

    def test_an_exception_that_cannot_be_sent_is_told(self):
        with self.assertRaisesRegex(tidemark.RecordingError, "Odd: 1") as caught:
            tidemark.record(loads.raise_odd)
        self.assertIn("in raise_odd", str(caught.exception.__cause__))

    def test_a_value_that_cannot_be_sent_is_an_error(self):
        with self.assertRaisesRegex(TypeError, "pickle"):
            tidemark.record(loads.give_back_a_lock)

    def test_a_process_that_ends_early_is_an_error(self):
        for function, words in ((loads.leave, "status 3 ended"), (loads.die, "SIGKILL ended")):
            with self.assertRaisesRegex(tidemark.RecordingError, words):
                tidemark.record(function)

    def test_what_has_no_name_is_refused_with_what_to_do(self):
        def within():
            return 1

        for function in (lambda: 1, within):
            with self.assertRaisesRegex(pickle.PicklingError, "^[^ ]+ cannot be looked up .*a function of a module"):
                tidemark.record(function)
        with self.assertRaisesRegex(TypeError, "a function is recorded, not int"):
            tidemark.record(5)

    def test_a_recording_is_printed_in_a_line(self):
        twice = tidemark.record(loads.load, MODEL, twice=True)
        many = tidemark.Recording(b"x" * MIB, twice.report, None)
        for printed in (repr(twice), repr(many)):
            self.assertLess(len(printed), 300)
            self.assertRegex(printed, r"report=<Report of '.*': peak \d+(\.\d+)? MiB = \d\.\d\d x W>, trace=None\)$")
        self.assertTrue(repr(twice).startswith(f"Recording(value={BYTES}, "))

    def test_what_cannot_be_recorded_says_why(self):
        with self.assertRaisesRegex(tidemark.RecordingError, "unmarked was not recorded: .*no/such/folder"):
            tidemark.Recorder(trace="no/such/folder/x.tmk").record(loads.unmarked, MODEL)

    def test_what_is_no_trace_or_no_report_is_refused(self):
        with self.assertRaisesRegex(ValueError, "loads.py"):
            tidemark.read_report(loads.__file__)
        for document in ({"schema": 2}, {"schema": 1}, []):
            with self.assertRaisesRegex(ValueError, "no report of schema 1"):
                tidemark.Report.from_json(document)


class OutsideOfARecording(unittest.TestCase):
    def test_phases_do_nothing(self):
        def function():
            return 7

        self.assertIs(tidemark.phase("decorated")(function), function)
        with tidemark.phase("open"):
            tidemark.begin("begun")
            tidemark.end("begun")
        with self.assertRaises(TypeError):
            tidemark.phase(7)

    def test_all_that_is_offered_is_there(self):
        for name in tidemark.__all__:
            self.assertIsNotNone(getattr(tidemark, name).__doc__, name)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
