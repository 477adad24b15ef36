#!/usr/bin/env python3
"""Records a load, checks its peak, and tells those who wait for it: for GitHub Actions and for GitLab CI.

    TIDEMARK_RUN='python load.py' TIDEMARK_MAX_RATIO=1.1 python3 gate.py

What is asked for stands in the environment, as action.yml lists it. Exit status: that of `tidemark check`; 2 also where the
program failed or was not recorded. Everything is left in TIDEMARK_FOLDER. Python's own library is all that it needs.
"""

import base64
import json
import os
import pathlib
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import urllib.error
import urllib.parse
import urllib.request

# By it a later run finds the comment of an earlier one.
MARK = "<!-- tidemark -->"
VERDICTS = {0: "pass", 1: "regression", 3: "inconclusive"}
DEADLINE_S = 60
# All that a run leaves in its folder.
RESULTS = (
    "before.tmk",
    "before.baseline.json",
    "load.tmk",
    "gate.json",
    "junit.xml",
    "comment.md",
    "report.html",
    "report.json",
    "graph.png",
    "diff.html",
    "diff.md",
)


class Stopped(Exception):
    """There is no verdict."""


def asked(name):
    return os.environ.get(f"TIDEMARK_{name}", "").strip()


def on_github():
    return os.environ.get("GITHUB_ACTIONS") == "true"


def say(kind, text):
    """On GitHub an annotation, of one line whatever the text holds."""
    if on_github():
        print(f"::{kind} title=tidemark::" + text.replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A"))
    else:
        print(f"gate: {text}", file=sys.stderr)


def tidemark(*words, quiet=False, summary=False):
    """Its exit status. Only who says so adds to the job's summary."""
    surroundings = {key: value for key, value in os.environ.items() if summary or key != "GITHUB_STEP_SUMMARY"}
    sys.stdout.flush()
    return subprocess.run(
        ["tidemark", *map(str, words)], env=surroundings, stdout=subprocess.DEVNULL if quiet else None
    ).returncode


def find_tidemark():
    if shutil.which("tidemark"):
        return
    wanted = asked("INSTALL")
    if not wanted:
        raise Stopped("there is no tidemark command: install it in an earlier step, or say what pip installs (install)")
    folder = pathlib.Path(tempfile.mkdtemp(prefix="tidemark-", dir=os.environ.get("RUNNER_TEMP") or None)) / "environment"
    for words in ([sys.executable, "-m", "venv", folder], [folder / "bin/pip", "install", "--quiet", wanted]):
        if subprocess.run(words).returncode != 0:
            raise Stopped(f"pip could not install {wanted}")
    os.environ["PATH"] = f"{folder / 'bin'}:{os.environ['PATH']}"
    append_to("GITHUB_PATH", f"{folder / 'bin'}\n")


def append_to(variable, text):
    """Adds to one of the files that GitHub names in the environment."""
    if os.environ.get(variable):
        with open(os.environ[variable], "a", encoding="utf-8") as file:
            file.write(text)


def model_option():
    return ["--model", asked("MODEL")] if asked("MODEL") else []


def record(line, trace):
    print(f"recording: {line}", flush=True)
    status = tidemark("record", "--output", trace, *model_option(), "--", "sh", "-c", line)
    if not trace.exists():
        raise Stopped(f"not recorded: {line}")
    if status != 0:
        raise Stopped(f"the program ended with status {status}: {line}")
    return trace


def limits(folder):
    """The options of `tidemark check`. Without a limit the load before is the limit."""
    options = []
    for name, option in (("MAX_RATIO", "--max-ratio"), ("MAX_PEAK", "--max-peak"), ("BASELINE", "--baseline")):
        if asked(name):
            options += [option, asked(name)]
    if not options and asked("BEFORE"):
        baseline = folder / "before.baseline.json"
        if tidemark("baseline", folder / "before.tmk", "-o", baseline, *model_option()) != 0:
            raise Stopped("the load before makes no baseline")
        options = ["--baseline", baseline]
    if asked("ALLOW_LOSS") == "true":
        options.append("--allow-loss")
    return [*options, *model_option()]


def draw(folder):
    """The picture, of both loads where there are two. None where there is no cairo."""
    traces = [folder / name for name in ("before.tmk", "load.tmk") if (folder / name).exists()]
    graph = folder / "graph.png"
    return graph if tidemark("plot", *traces, "-o", graph) == 0 else None


def compare(folder):
    """What changed since the load before, in the summary and as a page. @return it as markdown."""
    if not asked("BEFORE"):
        return ""
    traces = folder / "before.tmk", folder / "load.tmk"
    for form, name in (("html", "diff.html"), ("markdown", "diff.md")):
        if tidemark("diff", *traces, *model_option(), "--format", form, "--top", "10", "-o", folder / name) != 0:
            return ""
    text = (folder / "diff.md").read_text(encoding="utf-8")
    return f"\n<details><summary>before and after</summary>\n\n{text}\n</details>\n"


def write_outputs(folder, verdict, graph):
    values = {"verdict": verdict, "graph": graph or ""}
    page = folder / "report.html"
    values["page"] = page if page.exists() else ""
    report = folder / "report.json"
    if report.exists():
        peak = json.loads(report.read_text(encoding="utf-8"))["peak"]
        values["peak-bytes"] = peak["footprint_bytes"]
        values["ratio"] = "" if peak["ratio"] is None else f"{peak['ratio']:.3f}"
    append_to("GITHUB_OUTPUT", "".join(f"{name}={value}\n" for name, value in values.items()))


# Comments.


class Service:
    """Where comments go. Each request is JSON, with the token."""

    def __init__(self, base, header):
        self._base = base
        self._header = header

    def ask(self, method, path, body=None, content_type="application/json"):
        if body is not None and content_type == "application/json":
            body = json.dumps(body).encode()
        request = urllib.request.Request(self._base + path, body, self._header, method=method)
        if body is not None:
            request.add_header("Content-Type", content_type)
        with urllib.request.urlopen(request, timeout=DEADLINE_S) as answer:
            return json.load(answer)

    def all_of(self, path):
        """Page by page, up to a thousand."""
        found = []
        for page in range(1, 11):
            some = self.ask("GET", f"{path}?per_page=100&page={page}")
            found += some
            if len(some) < 100:
                break
        return found


class GitHub(Service):
    """Pull requests."""

    @classmethod
    def of_this_run(cls):
        number = re.fullmatch(r"refs/pull/([0-9]+)/.*", os.environ.get("GITHUB_REF", ""))
        return cls(number[1]) if number else None

    def __init__(self, number):
        headers = {"Authorization": f"Bearer {asked('TOKEN')}", "Accept": "application/vnd.github+json"}
        super().__init__(f"{os.environ['GITHUB_API_URL']}/repos/{os.environ['GITHUB_REPOSITORY']}", headers)
        self._number = number

    def show(self, graph):
        """Stores a picture in a branch of its own. @return its address; nothing where there is no branch for it."""
        branch = asked("PICTURE_BRANCH")
        if not branch:
            return ""
        name = f"pull-{self._number}-{os.environ.get('GITHUB_RUN_ID', '0')}-{os.environ.get('GITHUB_RUN_ATTEMPT', '1')}.png"
        self._make_branch(branch)
        content = base64.b64encode(graph.read_bytes()).decode()
        body = {"message": f"Graph of pull request {self._number}", "branch": branch, "content": content}
        self.ask("PUT", f"/contents/{name}", body)
        quoted = urllib.parse.quote(branch)
        return f"{os.environ['GITHUB_SERVER_URL']}/{os.environ['GITHUB_REPOSITORY']}/blob/{quoted}/{name}?raw=true"

    def _make_branch(self, branch):
        try:
            self.ask("GET", f"/git/ref/heads/{urllib.parse.quote(branch)}")
        except urllib.error.HTTPError as error:
            if error.code != 404:
                raise
            self.ask("POST", "/git/refs", {"ref": f"refs/heads/{branch}", "sha": os.environ["GITHUB_SHA"]})

    def say(self, text):
        for comment in self.all_of(f"/issues/{self._number}/comments"):
            if MARK in (comment["body"] or ""):
                self.ask("PATCH", f"/issues/comments/{comment['id']}", {"body": text})
                return
        self.ask("POST", f"/issues/{self._number}/comments", {"body": text})


class GitLab(Service):
    """Merge requests. The token is a project's, with the scope `api`."""

    @classmethod
    def of_this_run(cls):
        return cls() if os.environ.get("CI_MERGE_REQUEST_IID") else None

    def __init__(self):
        base = f"{os.environ['CI_API_V4_URL']}/projects/{os.environ['CI_PROJECT_ID']}"
        super().__init__(base, {"PRIVATE-TOKEN": asked("TOKEN")})
        self._notes = f"/merge_requests/{os.environ['CI_MERGE_REQUEST_IID']}/notes"

    def show(self, graph):
        edge = "tidemark-7d0c1f5e"
        head = f'--{edge}\r\nContent-Disposition: form-data; name="file"; filename="graph.png"\r\nContent-Type: image/png\r\n\r\n'
        body = head.encode() + graph.read_bytes() + f"\r\n--{edge}--\r\n".encode()
        return self.ask("POST", "/uploads", body, f"multipart/form-data; boundary={edge}")["url"]

    def say(self, text):
        for note in self.all_of(self._notes):
            if MARK in (note["body"] or ""):
                self.ask("PUT", f"{self._notes}/{note['id']}", {"body": text})
                return
        self.ask("POST", self._notes, {"body": text})


def comment(folder, options, verdict, graph, comparison):
    """Tells the pull request. What goes wrong here is a warning: forks may not write."""
    try:
        service = GitHub.of_this_run() if on_github() else GitLab.of_this_run()
        if service is None:
            return
        text = folder / "comment.md"
        address = service.show(graph) if graph is not None and verdict == "regression" else ""
        if address:
            again = ["--no-page", "--markdown", text, "--picture-url", address]
            tidemark("check", folder / "load.tmk", *options, *again, quiet=True)
        service.say(f"{MARK}\n{text.read_text(encoding='utf-8')}{comparison}")
    except (OSError, KeyError, ValueError) as error:  # What urllib and JSON raise, and a variable that is not set.
        say("warning", f"no comment was written: {error!r}")


def results_folder():
    """Known to later steps whatever comes of this one, and without what an earlier run left there."""
    folder = pathlib.Path(asked("FOLDER") or "tidemark-results")
    folder.mkdir(parents=True, exist_ok=True)
    append_to("GITHUB_OUTPUT", f"folder={folder}\n")
    for path in (folder / name for name in RESULTS):
        if path != pathlib.Path(asked("BASELINE")):  # Another step may have left that.
            path.unlink(missing_ok=True)
    return folder


def run():
    folder = results_folder()
    if not asked("RUN"):
        raise Stopped("there is nothing to record: say what to run")
    if not any(asked(name) for name in ("MAX_RATIO", "MAX_PEAK", "BASELINE", "BEFORE")):
        raise Stopped("there is no limit: say max-ratio, max-peak, baseline, or what to run before")
    find_tidemark()
    if asked("BEFORE"):
        record(asked("BEFORE"), folder / "before.tmk")
    trace = record(asked("RUN"), folder / "load.tmk")
    options = limits(folder)
    outputs = ["--json", folder / "gate.json", "--junit", folder / "junit.xml", "--markdown", folder / "comment.md"]
    # The page is made of every load, below, and the picture of both.
    status = tidemark("check", trace, *options, *outputs, "--no-page", *(["--github"] if on_github() else []), summary=True)
    verdict = VERDICTS.get(status, "error")
    for form in ("html", "json"):
        tidemark("report", trace, *model_option(), "--format", form, "-o", folder / f"report.{form}")
    graph = draw(folder)
    comparison = compare(folder)
    append_to("GITHUB_STEP_SUMMARY", comparison)
    write_outputs(folder, verdict, graph)
    if asked("COMMENT") == "true" and verdict != "error":
        comment(folder, options, verdict, graph, comparison)
    print(f"{verdict}: page {folder / 'report.html'}" + (f", graph {graph}" if graph else ""))
    return status


def main():
    # Where it is ignored Python takes every program for one that has succeeded.
    signal.signal(signal.SIGCHLD, signal.SIG_DFL)
    try:
        return run()
    except Stopped as error:
        append_to("GITHUB_OUTPUT", "verdict=error\n")
        say("error", str(error))
        return 2


if __name__ == "__main__":
    sys.exit(main())
