#!/usr/bin/env python3
"""The kept traces of real systems: what the analyzer must say of each, and that docs/systems is made of them."""

import json
import os
import subprocess
import sys
import unittest

HERE = os.path.dirname(os.path.abspath(__file__))
TRACES = os.path.join(os.path.dirname(HERE), "data", "systems")
TIDEMARK = os.path.abspath(sys.argv.pop(1))
MOST_BYTES, MOST_OF_ALL = 1 << 20, 6 << 20

sys.path[:0] = [HERE, os.path.join(HERE, "systems")]
sys.dont_write_bytecode = True
from rows import all_systems, first_of, stood_of  # noqa: E402

LAYERS = {f"layer{i}" for i in range(12)}
WEIGHTS = {f"layer{i}.weight" for i in range(12)}
MATRICES = {f"w{i}" for i in range(12)}

# name: (tensors that must be found at the peak before, how many times over each is there)
TENSORS = {
    "candle": (WEIGHTS, 2),
    "gguf": ({f"blk.{i}.weight" for i in range(16)}, 4 / 1.0625),
    "numpy": (LAYERS, 3),
    "onnx": (MATRICES, 2),
    "onnxruntime": (MATRICES, 3),
    "safetensors": (WEIGHTS, 2),
    "tvm params": (WEIGHTS, 4),
}


def kept():
    """name -> (description, report before, report after)."""
    found = {}
    for name, (system, _) in all_systems(os.path.join(HERE, "systems")).items():
        paths = [os.path.join(TRACES, f"{name.replace(' ', '-')}-{which}.tmk") for which in ("before", "after")]
        if os.path.exists(paths[0]):
            found[name] = (system, *(facts_of(path) for path in paths))
    return found


def facts_of(path):
    run = subprocess.run([TIDEMARK, "report", path, "--format", "json", "--by", "tensor", "--top", "0"], check=True,
                         capture_output=True, text=True)
    return json.loads(run.stdout)


def times(facts, model_bytes):
    return (facts["peak"]["footprint_bytes"] - stood_of(facts)) / model_bytes


class KeptTraces(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.kept = kept()

    def test_they_are_there_and_small(self):
        self.assertGreaterEqual(len(self.kept), 8)
        sizes = [os.path.getsize(os.path.join(TRACES, name)) for name in os.listdir(TRACES)]
        self.assertLess(max(sizes), MOST_BYTES)
        self.assertLess(sum(sizes), MOST_OF_ALL)

    def test_peaks_are_the_multiples_of_the_model_that_are_expected(self):
        for name, (system, before, after) in self.kept.items():
            model = before["model"]["bytes"]
            for facts, expected in zip((before, after), system.times):
                with self.subTest(name, expected=expected):
                    own = facts["model"]["bytes"] or model
                    self.assertLess(abs(times(facts, own) - expected), 0.05 * max(expected, 1))

    def test_first_findings_are_those_that_are_expected(self):
        for name, (system, before, _) in self.kept.items():
            with self.subTest(name):
                first = first_of(system.first, before)
                self.assertEqual(first["kind"] if first else "", system.first)

    def test_what_a_first_finding_foretells_was_measured_after(self):
        foretelling = {name: row for name, row in self.kept.items() if row[0].foretells and row[0].first}
        self.assertGreaterEqual(len(foretelling), 3)
        for name, (system, before, after) in foretelling.items():
            with self.subTest(name):
                foretold = first_of(system.first, before)["peak_without_bytes"]
                self.assertLess(abs(foretold / after["peak"]["footprint_bytes"] - 1), 0.05)

    def test_tensors_are_found_by_name_as_often_as_they_are_in_memory(self):
        for name, (expected, copies) in TENSORS.items():
            with self.subTest(name):
                rows = self.kept[name][1]["tensors"]["rows"]
                self.assertEqual({row["name"] for row in rows if row["tensors"] == 1}, expected)
                for row in rows:
                    self.assertLess(abs(row["bytes"] / row["file_bytes"] - copies), 0.05 * copies)

    def test_pages_are_made_of_them(self):
        is_updated = os.environ.get("TIDEMARK_UPDATE_GOLDEN") == "1"
        run = subprocess.run([os.path.join(HERE, "make_gallery"), "--tidemark", TIDEMARK, *([] if is_updated else ["--check"])],
                             capture_output=True, text=True)
        self.assertEqual(run.returncode, 0, run.stdout + run.stderr)


if __name__ == "__main__":
    unittest.main()
