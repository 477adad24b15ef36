"""packaging/action/gate.py as GitHub and GitLab run it: with their variables, their files, and a server that answers as theirs.

    action.py TIDEMARK LOADERS MODEL SOURCE FOLDER

The actions' own files are read as far as this needs: that each input is passed on, and that each output is written.
"""

import http.server
import json
import os
import pathlib
import re
import shutil
import signal
import subprocess
import sys
import threading
import unittest

TIDEMARK, LOADERS, MODEL, SOURCE, FOLDER = sys.argv[1:6]
ACTION = pathlib.Path(SOURCE, "packaging/action")
NAIVE = f"'{LOADERS}' run tvm blob '{MODEL}'"
STREAMED = f"'{LOADERS}' run tvm stream '{MODEL}'"


class Forge:
    """A server that keeps comments, branches and files as GitHub's and GitLab's interfaces do."""

    def __init__(self, refuses=False):
        forge = self
        self.requests = []
        self.comments = []
        self.branches = set()
        self.files = {}

        class Handler(http.server.BaseHTTPRequestHandler):
            def answer(self):
                body = self.rfile.read(int(self.headers.get("Content-Length") or 0))
                forge.requests.append((self.command, self.path, dict(self.headers), body))
                status, content = (403, {"message": "no"}) if refuses else forge.answer(self.command, self.path, body)
                text = json.dumps(content).encode()
                self.send_response(status)
                self.send_header("Content-Length", str(len(text)))
                self.end_headers()
                self.wfile.write(text)

            do_GET = do_POST = do_PUT = do_PATCH = answer

            def log_message(self, *_):
                pass

        self._server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.address = f"http://127.0.0.1:{self._server.server_port}"
        threading.Thread(target=self._server.serve_forever, daemon=True).start()

    def close(self):
        self._server.shutdown()
        self._server.server_close()

    def answer(self, method, path, body):
        path, _, query = path.partition("?")
        if path == "/projects/7/uploads":
            self.files["upload"] = body
            return 201, {"url": "/uploads/0123/graph.png"}
        if path in ("/repos/o/r/issues/5/comments", "/projects/7/merge_requests/5/notes"):
            if method == "GET":
                page = int(re.search(r"[?&]?page=(\d+)$", query)[1])
                return 200, self.comments[100 * (page - 1) : 100 * page]
            self.comments.append({"id": len(self.comments), "body": json.loads(body)["body"]})
            return 201, self.comments[-1]
        changed = re.fullmatch(r"(?:/repos/o/r/issues/comments|/projects/7/merge_requests/5/notes)/(\d+)", path)
        if changed and method in ("PATCH", "PUT"):
            self.comments[int(changed[1])]["body"] = json.loads(body)["body"]
            return 200, self.comments[int(changed[1])]
        if path.startswith("/repos/o/r/git/ref/heads/"):
            return (200, {}) if path.rpartition("/")[2] in self.branches else (404, {"message": "Not Found"})
        if path == "/repos/o/r/git/refs" and method == "POST":
            self.branches.add(json.loads(body)["ref"].rpartition("/")[2])
            return 201, {}
        if path.startswith("/repos/o/r/contents/") and method == "PUT":
            wanted = json.loads(body)
            if wanted["branch"] not in self.branches:
                return 404, {"message": "no branch"}
            self.files[path.rpartition("/")[2]] = wanted["content"]
            return 201, {}
        return 404, {"message": path}


class Run:
    """What came of one run."""

    def __init__(self, name, service, forge=None, **asked):
        self.folder = pathlib.Path(FOLDER, name)
        shutil.rmtree(self.folder, ignore_errors=True)
        self.folder.mkdir(parents=True)
        kept = {key: value for key, value in os.environ.items() if not re.match("GITHUB_|CI|TIDEMARK_|RUNNER_", key)}
        surroundings = {**kept, "PATH": f"{pathlib.Path(TIDEMARK).parent}:{os.environ['PATH']}"}
        surroundings.update({f"TIDEMARK_{key.upper()}": value for key, value in asked.items()})
        surroundings.update(self.github(forge) if service == "github" else self.gitlab(forge))
        done = subprocess.run(
            [sys.executable, ACTION / "gate.py"],
            cwd=self.folder,
            env=surroundings,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
        )
        self.status, self.said = done.returncode, done.stdout
        self.results = self.folder / "tidemark-results"

    def github(self, forge):
        named = {f"GITHUB_{name}": str(self.folder / name.lower()) for name in ("OUTPUT", "STEP_SUMMARY", "PATH")}
        return {
            **named,
            "GITHUB_ACTIONS": "true",
            "GITHUB_WORKSPACE": SOURCE,
            "GITHUB_REPOSITORY": "o/r",
            "GITHUB_REF": "refs/pull/5/merge",
            "GITHUB_SHA": "5eadd9",
            "GITHUB_RUN_ID": "77",
            "GITHUB_SERVER_URL": "https://github.example",
            "GITHUB_API_URL": forge.address if forge else "http://127.0.0.1:9",
        }

    @staticmethod
    def gitlab(forge):
        return {
            "CI": "true",
            "CI_PROJECT_ID": "7",
            "CI_MERGE_REQUEST_IID": "5",
            "CI_API_V4_URL": forge.address if forge else "http://127.0.0.1:9",
        }

    def outputs(self):
        lines = (self.folder / "output").read_text(encoding="utf-8").splitlines()
        return dict(line.split("=", 1) for line in lines)

    def summary(self):
        return (self.folder / "step_summary").read_text(encoding="utf-8")


class Gate(unittest.TestCase):
    def setUp(self):
        self.forge = Forge()
        self.addCleanup(self.forge.close)

    def test_a_load_within_its_limit_passes(self):
        run = Run("pass", "github", run=STREAMED, max_ratio="1.05")
        self.assertEqual(run.status, 0, run.said)
        outputs = run.outputs()
        self.assertEqual(outputs["verdict"], "pass")
        self.assertAlmostEqual(int(outputs["peak-bytes"]), 64 << 20, delta=2 << 20)
        self.assertRegex(outputs["ratio"], r"^1\.0[0-4]\d$")
        self.assertEqual(outputs["folder"], "tidemark-results")
        for name in ("page", "graph"):
            self.assertTrue((run.folder / outputs[name]).stat().st_size > 10_000, outputs)
        self.assertNotIn("::error", run.said)
        self.assertIn("1 check passes", run.summary())

    def test_a_regression_says_why_and_tells_the_pull_request(self):
        asked = {"run": NAIVE, "max_ratio": "1.05", "comment": "true", "token": "secret", "picture_branch": "graphs"}
        self.forge.comments = [{"id": number, "body": "of somebody else"} for number in range(120)]
        run = Run("regression", "github", self.forge, **asked)
        self.assertEqual(run.status, 1, run.said)
        self.assertEqual(run.outputs()["verdict"], "regression")
        self.assertIn("of the weights are in memory twice at the peak", run.said)
        self.assertRegex(run.said, r"\n::error title=tidemark%3A peak ratio,file=[^,]+,line=\d+::peak ")
        self.assertEqual(run.summary().count("### tidemark: "), 1)

        # The picture is there before the comment that shows it.
        (name, content), = self.forge.files.items()
        self.assertEqual(name, "pull-5-77-1.png")
        self.assertTrue(content.startswith("iVBORw0KGgo"))
        self.assertEqual(len(self.forge.comments), 121)
        comment = self.forge.comments[-1]["body"]
        self.assertTrue(comment.startswith("<!-- tidemark -->\n### tidemark: "))
        self.assertIn("of the weights are in memory twice at the peak", comment)
        self.assertIn("![the footprint over time](<https://github.example/o/r/blob/graphs/pull-5-77-1.png?raw=true>)", comment)
        self.assertTrue(all(headers["Authorization"] == "Bearer secret" for _, _, headers, _ in self.forge.requests))
        self.assertNotIn("secret", run.said)

        # The next run has the last word, in the same place.
        again = Run("fixed", "github", self.forge, **{**asked, "run": STREAMED})
        self.assertEqual(again.status, 0, again.said)
        self.assertEqual(len(self.forge.comments), 121)
        self.assertIn("1 check passes", self.forge.comments[-1]["body"])

    def test_without_a_branch_for_pictures_the_comment_has_the_curve(self):
        run = Run("curve", "github", self.forge, run=NAIVE, max_ratio="1.05", comment="true", token="t")
        self.assertEqual(run.status, 1, run.said)
        self.assertIn("W 64.0 MiB │", self.forge.comments[0]["body"])
        self.assertEqual(self.forge.files, {})

    def test_what_is_before_is_the_limit_where_there_is_no_other(self):
        run = Run("before", "github", self.forge, before=STREAMED, run=NAIVE, comment="true", token="t")
        self.assertEqual(run.status, 1, run.said)
        self.assertIn("grew since the baseline", run.said)
        for text in (run.summary(), self.forge.comments[0]["body"]):
            self.assertIn("<summary>before and after</summary>", text)
            self.assertRegex(text, r"peak 6\d\.\d MiB -\\?> 12\d\.\d MiB|peak 6\d\.\d MiB .{1,5} 12\d\.\d MiB")
        self.assertTrue((run.results / "diff.html").exists())
        self.assertEqual(Run("after", "github", before=NAIVE, run=STREAMED).status, 0)

    def test_gitlab_gets_a_note_with_the_picture(self):
        asked = {"run": NAIVE, "max_peak": "80MiB", "comment": "true", "token": "secret"}
        run = Run("gitlab", "gitlab", self.forge, **asked)
        self.assertEqual(run.status, 1, run.said)
        self.assertNotIn("::error", run.said)
        self.assertIn(b"\r\n\r\n\x89PNG\r\n", self.forge.files["upload"])
        self.assertIn("![the footprint over time](</uploads/0123/graph.png>)", self.forge.comments[0]["body"])
        self.assertTrue(all(headers["Private-Token"] == "secret" for _, _, headers, _ in self.forge.requests))
        self.assertTrue((run.results / "junit.xml").exists())
        Run("gitlab_again", "gitlab", self.forge, **asked)
        self.assertEqual(len(self.forge.comments), 1)

    def test_who_may_not_comment_has_the_same_verdict(self):
        forge = Forge(refuses=True)
        self.addCleanup(forge.close)
        run = Run("fork", "github", forge, run=STREAMED, max_ratio="1.05", comment="true", token="t")
        self.assertEqual(run.status, 0, run.said)
        self.assertIn("::warning title=tidemark::no comment was written: <HTTPError 403", run.said)
        # Nor is there a comment where nobody asked, or where there is no pull request.
        Run("silent", "github", self.forge, run=STREAMED, max_ratio="1.05", token="t")
        self.assertEqual(self.forge.requests, [])

    def test_without_a_verdict_it_fails_and_says_why(self):
        for name, asked, why in (
            ("nothing", {"max_ratio": "1.1"}, "there is nothing to record"),
            ("no_limit", {"run": "true"}, "there is no limit"),
            ("fails", {"run": "exit 3", "max_peak": "1GiB"}, "the program ended with status 3: exit 3"),
            ("two_lines", {"run": "true\nexit 4", "max_peak": "1GiB"},
             "::error title=tidemark::the program ended with status 4: true%0Aexit 4\n"),
            ("mistake", {"run": "true", "max_peak": "much"}, "--max-peak: "),
            ("no_model", {"run": "true", "max_ratio": "1.1"}, "give --model"),
        ):
            run = Run(name, "github", **asked)
            self.assertEqual(run.status, 2, run.said)
            self.assertIn(why, run.said)
            self.assertEqual(run.outputs()["verdict"], "error")
            # What was recorded is uploaded all the same.
            self.assertEqual(run.outputs()["folder"], "tidemark-results")
            self.assertTrue(run.results.is_dir())
        self.assertTrue((pathlib.Path(FOLDER, "fails", "tidemark-results/load.tmk")).exists())

    def test_what_an_earlier_run_left_is_not_taken_for_this_one_s(self):
        surroundings = {**os.environ, "PATH": f"{pathlib.Path(TIDEMARK).parent}:{os.environ['PATH']}"}
        for name, asked, left in (
            ("fails", {"TIDEMARK_RUN": "exit 1", "TIDEMARK_MAX_RATIO": "9"}, {"load.tmk"}),
            ("nothing", {"TIDEMARK_MAX_RATIO": "9"}, set()),
        ):
            run = Run(f"stale_{name}", "github", before=STREAMED, run=STREAMED)
            self.assertEqual(run.status, 0, run.said)
            (run.results / "of_the_user").touch()
            again = subprocess.run([sys.executable, ACTION / "gate.py"], cwd=run.folder, env={**surroundings, **asked}, stderr=subprocess.PIPE)
            self.assertEqual(again.returncode, 2)
            self.assertEqual({path.name for path in run.results.iterdir()}, left | {"of_the_user"})

    def test_a_failure_is_one_where_the_ends_of_children_are_ignored(self):
        folder = pathlib.Path(FOLDER, "ignored_children")
        folder.mkdir(parents=True, exist_ok=True)
        surroundings = {**os.environ, "PATH": f"{pathlib.Path(TIDEMARK).parent}:{os.environ['PATH']}"}
        surroundings.update(TIDEMARK_RUN="exit 3", TIDEMARK_MAX_PEAK="1GiB")
        done = subprocess.run([sys.executable, ACTION / "gate.py"], cwd=folder, env=surroundings, stderr=subprocess.PIPE, text=True,
                              preexec_fn=lambda: signal.signal(signal.SIGCHLD, signal.SIG_IGN))
        self.assertEqual(done.returncode, 2)
        self.assertIn("the program ended with status 3: exit 3", done.stderr)

    def test_without_a_command_and_without_a_wheel_it_says_so(self):
        bare = pathlib.Path(FOLDER, "bare")
        bare.mkdir(parents=True, exist_ok=True)
        surroundings = {"PATH": str(bare), "TIDEMARK_RUN": "true", "TIDEMARK_MAX_PEAK": "1GiB"}
        done = subprocess.run([sys.executable, ACTION / "gate.py"], cwd=bare, env=surroundings, stderr=subprocess.PIPE, text=True)
        self.assertEqual(done.returncode, 2)
        self.assertIn("there is no tidemark command", done.stderr)


class Files(unittest.TestCase):
    """What stands in the YAML beside the script. Debian's minimal Python has no YAML."""

    def test_each_input_reaches_the_script_and_each_output_leaves_it(self):
        action = (ACTION / "action.yml").read_text(encoding="utf-8")
        script = (ACTION / "gate.py").read_text(encoding="utf-8")
        head, _, rest = action.partition("\noutputs:\n")
        inputs = set(re.findall(r"^  ([a-z-]+):$", head.partition("\ninputs:\n")[2], re.MULTILINE))
        passed = dict(re.findall(r"^        TIDEMARK_([A-Z_]+): \$\{\{ inputs\.([a-z-]+) \}\}$", rest, re.MULTILINE))
        self.assertEqual(set(passed.values()), inputs)
        self.assertGreater(len(inputs), 8)
        for variable, name in passed.items():
            self.assertEqual(variable, name.upper().replace("-", "_"))
        asked = set(re.findall(r'asked\("([A-Z_]+)"\)', script)) | set(re.findall(r'\("(M[A-Z_]+|BASELINE)", "--', script))
        self.assertEqual(asked, set(passed))
        outputs = set(re.findall(r"steps\.gate\.outputs\.([a-z-]+)", rest))
        written = Run("outputs", "github", run=STREAMED, max_ratio="1.05").outputs()
        self.assertEqual(outputs, set(written))

    def test_the_examples_name_what_there_is(self):
        action = (ACTION / "action.yml").read_text(encoding="utf-8")
        inputs = set(re.findall(r"^  ([a-z-]+):$", action.partition("\noutputs:\n")[0].partition("\ninputs:\n")[2], re.MULTILINE))
        workflow = (ACTION / "example-workflow.yml").read_text(encoding="utf-8")
        used = re.search(r"packaging/action@main\n        with:\n((?:          .*\n)+)", workflow)[1]
        self.assertLessEqual(set(re.findall(r"^ {10}([a-z-]+):", used, re.MULTILINE)), inputs)
        gitlab = (ACTION / "example-gitlab-ci.yml").read_text(encoding="utf-8")
        variables = {name.lower().replace("_", "-") for name in re.findall(r"TIDEMARK_([A-Z_]+)", gitlab)}
        self.assertLessEqual(variables, inputs)


if __name__ == "__main__":
    unittest.main(argv=[sys.argv[0], "-v"])
