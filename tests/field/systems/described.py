"""How a system is described: where its releases come from, how its model is made, what is run, what is expected.

A system is one file here. Imported by the runner it only describes; run inside the environment that it names
(`load.py FUNCTION FOLDER`) it makes the model or loads it, so that nothing of the runner is recorded.
"""

import hashlib
import os
import shutil
import sys
from dataclasses import dataclass

HERE = os.path.dirname(os.path.abspath(__file__))


def python_named(versions):
    """The first of these Pythons that is on the path or where pyenv puts them, or None."""
    pyenv = os.path.expanduser(os.environ.get("PYENV_ROOT", "~/.pyenv") + "/versions")
    installed = sorted(os.listdir(pyenv)) if os.path.isdir(pyenv) else []
    for version in versions:
        for name in reversed([name for name in installed if name.startswith(version + ".")]):
            if os.access(f"{pyenv}/{name}/bin/python3", os.X_OK):
                return f"{pyenv}/{name}/bin/python3"
        found = shutil.which(f"python{version}")
        if found:
            return found
    return None


@dataclass(frozen=True)
class Venv:
    """Packages of PyPI in an environment of their own. The pins are exact; what they depend on is newest."""
    name: str
    packages: str
    pythons: tuple = ("3.11", "3.12", "3.13", "3.10")

    def words(self, home, script):
        return [f"{home}/{self.name}/bin/python", script]

    def install_lines(self, home):
        python = python_named(self.pythons) or f"python{self.pythons[0]}"
        return (f"{python} -m venv --clear {home}/{self.name}\n"
                f"{home}/{self.name}/bin/pip install -q --disable-pip-version-check {self.packages}")

    def missing(self):
        return "" if python_named(self.pythons) else f"no Python {' or '.join(self.pythons)}"


@dataclass(frozen=True)
class Overlay:
    """Packages of PyPI that go before those of another environment, so that what is large is installed once."""
    name: str
    base: Venv
    packages: str

    def words(self, home, script):
        return ["env", f"PYTHONPATH={home}/{self.name}/packages", *self.base.words(home, script)]

    def install_lines(self, home):
        return (f"{home}/{self.base.name}/bin/pip install -q --disable-pip-version-check --upgrade "
                f"--target {home}/{self.name}/packages {self.packages}")

    def missing(self):
        return self.base.missing()


@dataclass(frozen=True)
class Crate:
    """A program of one file here, built with crates of crates.io; sources are named by crate, wherever cargo keeps them."""
    name: str
    dependencies: str  # lines of Cargo.toml
    source: str

    def words(self, home, script):
        return [f"{home}/{self.name}/target/release/load"]

    def install_lines(self, home):
        folder = f"{home}/{self.name}"
        with open(f"{HERE}/{self.source}", "rb") as file:
            digest = hashlib.sha256(file.read()).hexdigest()[:16]
        return (f"# {self.source} {digest}\n"
                f"mkdir -p {folder}/src && cp {HERE}/{self.source} {folder}/src/main.rs\n"
                f"cat > {folder}/Cargo.toml <<'END'\n"
                "[package]\nname = \"load\"\nversion = \"0.1.0\"\nedition = \"2021\"\n\n"
                f"[dependencies]\n{self.dependencies.strip()}\n\n[profile.release]\ndebug = 1\nEND\n"
                f"cargo fetch -q --manifest-path {folder}/Cargo.toml\n"
                "names=$(printf ' --remap-path-prefix %s=/crates' ${CARGO_HOME:-$HOME/.cargo}/registry/src/*)\n"
                f"names=\"$names --remap-path-prefix {folder}=/crates/load\"\n"
                f"RUSTFLAGS=$names cargo build -q --release --manifest-path {folder}/Cargo.toml --target-dir {folder}/target")

    def missing(self):
        return "" if shutil.which("cargo") else "no cargo"


@dataclass(frozen=True)
class Npm:
    name: str
    packages: str

    def words(self, home, script):
        return ["env", f"NODE_PATH={home}/{self.name}/node_modules", "node", script]

    def install_lines(self, home):
        return (f"mkdir -p {home}/{self.name} && cd {home}/{self.name} && "
                f"npm install --silent --no-audit --no-fund --ignore-scripts {self.packages}")

    def missing(self):
        return "" if shutil.which("node") and shutil.which("npm") else "no node or no npm"


@dataclass(frozen=True)
class Maven:
    """A program of one class here, Load, compiled and run with an artifact of Maven Central."""
    name: str
    artifact: str  # group:name:version
    source: str

    def words(self, home, script):
        return ["java", "-Xmx2g", "-cp", f"{home}/{self.name}/*:{home}/{self.name}", "Load"]

    def install_lines(self, home):
        folder = f"{home}/{self.name}"
        with open(f"{HERE}/{self.source}", "rb") as file:
            digest = hashlib.sha256(file.read()).hexdigest()[:16]
        return (f"# {self.source} {digest}\n"
                f"mkdir -p {folder} && cp {HERE}/{self.source} {folder}/Load.java\n"
                f"mvn -q dependency:copy -Dartifact={self.artifact} -DoutputDirectory={folder}\n"
                f"javac -cp '{folder}/*' -d {folder} {folder}/Load.java")

    def missing(self):
        return "" if shutil.which("javac") and shutil.which("mvn") else "no javac or no mvn"


@dataclass(frozen=True)
class Debian:
    """Debian's Python with Debian's packages, which are installed by hand."""
    packages: str
    name: str = "debian"

    def words(self, home, script):
        return ["/usr/bin/python3", "-B", script]

    def install_lines(self, home):
        return f"apt-get install --no-install-recommends {self.packages}"

    def missing(self):
        lacks = [name for name in self.packages.split() if not os.path.exists(f"/var/lib/dpkg/info/{name}.list")]
        return f"no Debian package {' '.join(lacks)}" if lacks else ""


@dataclass(frozen=True)
class Side:
    """One load: `words` follow the environment's; {model} is the model's folder."""
    release: str
    what: str
    runs_in: object
    words: tuple
    model: tuple  # the files that are W
    script: str = ""  # another than the system's own file
    apart: tuple = ()  # (part, why): the footprint may be so much below the witness, for a reason that was found by hand


@dataclass(frozen=True)
class System:
    name: str
    upstream: str  # what upstream did between before and after
    made_in: object
    before: Side
    after: Side = None
    first: str = ""  # the kind of the finding that must come first; "" is none but what stood before the load
    times: tuple = ()  # (before, after): footprint less what stood before the load, as a multiple of W
    foretells: bool = True  # is `after` what the finding says, so that its recomputed peak must fit?
    is_model_told: bool = False  # where tidemark does not take the file for one by itself: record --model
    links: tuple = ()  # where upstream speaks of it: (repository, "pull request" or "issue", number)
    note: str = ""


def main(functions):
    """What the file does where it is run inside an environment: FUNCTION FOLDER."""
    functions[sys.argv[1]](sys.argv[2])
