"""The wheel in fresh environments, without the network: the command, `import tidemark`, the plugin for pytest.

    wheel.py BUILD SOURCE VERSION FOLDER

It is made of the tree that BUILD installs: one for this system, with the sources' Python and this build's command. In
Debian's Python pytest must be there; in those of TIDEMARK_PYTHONS the plugin is tried where they have it.
"""

import base64
import csv
import hashlib
import io
import os
import pathlib
import re
import shutil
import subprocess
import sys
import unittest
import xml.etree.ElementTree
import zipfile

BUILD, SOURCE, VERSION, FOLDER = sys.argv[1:5]
sys.path.append(str(pathlib.Path(SOURCE, "tests/support")))
from page_text import page_text  # noqa: E402

HERE = pathlib.Path(SOURCE, "tests/install/wheel")
FOLDER = pathlib.Path(FOLDER)
MODEL_BYTES = 64 << 20


def run(*words, status=0, env=None, cwd=FOLDER):
    """What it says, on both ways."""
    done = subprocess.run(
        [str(word) for word in words],
        cwd=cwd,
        env={**os.environ, "PYTHONPATH": str(HERE), "PYTHONDONTWRITEBYTECODE": "1", **(env or {})},
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
    )
    if status is not None and done.returncode != status:
        raise AssertionError(f"{words} ended with {done.returncode}:\n{done.stdout}")
    return done.stdout


def make_wheel(tree, to):
    return pathlib.Path(FOLDER, run(f"{SOURCE}/packaging/wheel", tree, "--version", VERSION, "--output", to).strip())


def pythons():
    more = os.environ.get("TIDEMARK_PYTHONS", "")
    return [path for path in ["/usr/bin/python3", *more.split(":")] if path and os.access(path, os.X_OK)]


def setUpModule():
    shutil.rmtree(FOLDER, ignore_errors=True)
    FOLDER.mkdir(parents=True)
    run("cmake", "--install", BUILD, "--strip", "--prefix", FOLDER / "tree")
    make_wheel(FOLDER / "tree", FOLDER / "dist")
    with open(FOLDER / "model.safetensors", "wb") as file:
        file.write(os.urandom(MODEL_BYTES))
    os.environ.pop("GITHUB_STEP_SUMMARY", None)


def the_wheel():
    return FOLDER / "dist" / f"tidemark-{VERSION}-py3-none-linux_x86_64.whl"


class File(unittest.TestCase):
    def test_one_tree_makes_one_wheel(self):
        again = make_wheel(FOLDER / "tree", FOLDER / "again")
        self.assertEqual(again.read_bytes(), the_wheel().read_bytes())

    def test_its_table_of_contents_is_true(self):
        with zipfile.ZipFile(the_wheel()) as wheel:
            record = wheel.read(f"tidemark-{VERSION}.dist-info/RECORD").decode()
            rows = {row[0]: row for row in csv.reader(io.StringIO(record))}
            self.assertEqual(set(rows), set(wheel.namelist()))
            for name in set(rows) - {f"tidemark-{VERSION}.dist-info/RECORD"}:
                content = wheel.read(name)
                digest = base64.urlsafe_b64encode(hashlib.sha256(content).digest()).rstrip(b"=").decode()
                self.assertEqual(rows[name][1:], [f"sha256={digest}", str(len(content))], name)

    def test_it_has_what_the_command_needs_and_no_window(self):
        with zipfile.ZipFile(the_wheel()) as wheel:
            names = wheel.namelist()
        tree = sorted(name.partition("_tree/")[2] for name in names if "/_tree/" in name)
        self.assertEqual(
            tree,
            ["bin/tidemark"]
            + [f"lib/tidemark/libtidemark_{name}.so" for name in ("canvas", "copies", "preload", "vulkan")]
            + ["lib/tidemark/tidemark_layer.json"],
        )
        self.assertTrue(any(name.endswith("share/man/man1/tidemark-record.1") for name in names))
        self.assertFalse(any("gui" in name for name in names))

    def test_a_tree_without_the_object_makes_none(self):
        (FOLDER / "bare/bin").mkdir(parents=True)
        shutil.copy(FOLDER / "tree/bin/tidemark", FOLDER / "bare/bin")
        said = run(f"{SOURCE}/packaging/wheel", FOLDER / "bare", "--version", "1", "--output", FOLDER / "bare", status=1)
        self.assertIn("no libtidemark_preload.so below", said)
        self.assertEqual(list((FOLDER / "bare").glob("*.whl")), [])


class Environment:
    """A fresh environment of one Python; a class for each is made below."""

    python = ""

    @classmethod
    def setUpClass(cls):
        cls.venv = FOLDER / re.sub(r"\W+", "-", cls.python)
        # pytest is Debian's.
        run(cls.python, "-m", "venv", "--system-site-packages", cls.venv)
        run(cls.venv / "bin/pip", "install", "--no-index", "--disable-pip-version-check", the_wheel())
        cls.path = {"PATH": f"{cls.venv}/bin:{os.environ['PATH']}"}
        cls.has_pytest = run(cls.venv / "bin/python", "-c", "import pytest", status=None) == ""

    def do(self, *words, **keywords):
        return run(*words, env=self.path, **keywords)

    def test_the_command_records_a_python_program(self):
        self.assertTrue(self.do("tidemark", "-V").startswith(f"tidemark {VERSION} "))
        self.assertEqual(self.do("python", "-m", "tidemark", "-V"), self.do("tidemark", "-V"))
        trace = FOLDER / f"{self.venv.name}.tmk"
        said = self.do("tidemark", "record", "-o", trace, "--", "python", HERE / "loads.py", "model.safetensors", "twice")
        self.assertIn(f"{MODEL_BYTES}\n", said)
        report = self.do("tidemark", "report", trace)
        self.assertIn("in memory twice at the peak", report)
        self.assertRegex(report, "model, at .*, in phase deserialize")
        self.assertRegex(self.do("tidemark", "check", trace, "--max-ratio", "1.5", status=1), "^REGRESSION peak")
        self.do("tidemark", "report", FOLDER / "none.tmk", status=2)
        self.do("tidemark", "record", "--quiet", "-o", trace, "--", "python", "-c", "raise SystemExit(7)", status=7)

    def test_the_module_records_functions(self):
        said = self.do("python", HERE / "api_test.py", FOLDER / "model.safetensors")
        self.assertRegex(said, r"Ran [0-9]+ tests[^\n]*\n\nOK")
        for reason in re.findall(r"skipped '([^']*)'", said):
            print(f"Skipped: {self.python}: {reason}")

    def test_the_plugin_gates_tests(self):
        if self.python == "/usr/bin/python3":
            self.assertTrue(self.has_pytest, "python3-pytest is missing")
        if not self.has_pytest:
            self.skipTest(f"{self.python} has no pytest")
        folder = FOLDER / f"{self.venv.name}-suite"
        shutil.copytree(HERE / "suite", folder)
        words = ["python", "-m", "pytest", "-v", "-p", "no:cacheprovider", f"--model={FOLDER}/model.safetensors"]
        # The trace of a test that passes is kept where one asks for it; from it the baseline is made.
        kept = ["--tidemark-dir", "kept", "--tidemark-keep"]
        self.do(*words, "test_peak.py::test_parameter[once]", *kept, cwd=folder)
        (trace,) = (folder / "kept").glob("*.tmk")
        self.do("tidemark", "baseline", trace, "-o", folder / "fits.json")

        said = self.do(*words, "--junitxml=results/junit.xml", cwd=folder, status=1)
        self.check_junit(folder / "results", said)
        left = {path.name for path in (folder / "results").iterdir()}
        self.assertEqual({name for name in left if name.endswith(".tmk")}, set(self.traces(left)))
        self.assertFalse(any("test_fits" in name for name in left), left)
        self.assertFalse((folder / ".tidemark").exists())
        page = next(path for path in (folder / "results").glob("*test_parameter*.report.html"))
        self.assertIn("in memory twice at the peak", page_text(page.read_text(encoding="utf-8")))

        # Without a JUnit file below rootdir, and not shown to those who did not ask.
        said = self.do(*words, "-s", "-k", "twice", cwd=folder, status=1)
        self.assertEqual(said.count("the test runs"), 1)
        self.assertEqual(len(list((folder / ".tidemark").glob("*.tmk"))), 1)

        # Nor passed where a shell was told to ignore the ends of its children.
        said = self.do("env", "--ignore-signal=CHLD", *words, "-k", "twice", cwd=folder, status=1)
        self.assertIn("REGRESSION peak", said)

    def test_the_action_installs_it_where_there_is_no_command(self):
        folder = FOLDER / f"{self.venv.name}-action"
        folder.mkdir()
        asked = {"RUN": "cksum ../model.safetensors", "MAX_RATIO": "0.5", "INSTALL": str(the_wheel())}
        env = {f"TIDEMARK_{name}": value for name, value in asked.items()}
        # Where this machine has no tidemark: /usr/bin.
        said = run(self.python, f"{SOURCE}/packaging/action/gate.py", env={**env, "PATH": "/usr/bin:/bin"}, cwd=folder)
        self.assertIn("pass: page tidemark-results/report.html", said)

    @staticmethod
    def traces(left):
        return [name.replace(".report.html", ".tmk") for name in left if name.endswith(".html")]

    def check_junit(self, folder, said):
        cases = {}
        for case in xml.etree.ElementTree.parse(folder / "junit.xml").iter("testcase"):
            marks = [child for child in case if child.tag in ("failure", "error", "skipped")]
            cases[case.get("name")] = (marks[0].tag, marks[0].get("message"), marks[0].text) if marks else None
        passes = {name for name, mark in cases.items() if mark is None}
        fits = {"test_unmarked", "test_fits", "test_parameter[once]", "test_baseline[as then]", "test_small_sizes", "test_small_model"}
        self.assertEqual(passes, fits, said)
        wanted = {
            "test_parameter[twice/over]": ("failure", r"^REGRESSION peak .* of at most .* \(1\.9xW\)"),
            "test_baseline[more]": ("failure", r"^REGRESSION peak .* \(baseline .*\)"),
            "test_small_limit": ("failure", r"^REGRESSION peak .* of at most 500\.0 KiB"),
            "test_asserts": ("failure", "^assert 1 == 2"),
            "test_skipped": ("skipped", "for a reason"),
            "test_xfails": ("skipped", "^$"),
            "test_dies": ("failure", "^SIGKILL ended the test's process"),
            "test_has_no_fixture": ("error", "failed on setup"),
            "test_mistaken_argument": ("error", "the mark has no argument max_peek=3"),
            "test_no_such_phase": ("error", "the trace has no phase 'upload'"),
            "test_no_limit": ("error", "the mark says no limit"),
        }
        self.assertEqual(set(cases) - passes, set(wanted), said)
        for name, (kind, message) in wanted.items():
            self.assertEqual(cases[name][0], kind, name)
            self.assertRegex(cases[name][1], message, name)
        text = cases["test_parameter[twice/over]"][2]
        self.assertRegex(text, r"load +test_peak\.py:11")
        self.assertIn("of the weights are in memory twice at the peak", text)
        name = r"results/test_peak\.py-test_parameter-twice-over-[0-9a-f]{8}"
        self.assertRegex(text, rf"(?s)\nREGRESSION {name}\.tmk: .*\npage:  {name}\.report\.html\ngraph: {name}\.graph\.svg")
        self.assertRegex(cases["test_dies"][2], r"trace: .*\.tmk\npage: .*\.report\.html")
        self.assertIn("the fixture is down", said)


for _number, _python in enumerate(pythons()):
    globals()[f"Python{_number}"] = type(f"Python{_number}", (Environment, unittest.TestCase), {"python": _python})

if __name__ == "__main__":
    done = unittest.main(argv=[sys.argv[0], "-v"], exit=False).result
    for _, reason in done.skipped:
        print(f"Skipped: {reason}")  # ./dev test tells of these lines
    sys.exit(0 if done.wasSuccessful() else 1)
