#!/usr/bin/env python3
"""`cargo tidemark` of a small crate: it is built with lines, recorded, reported and checked.

  cargo_subcommand.py CHECKOUT TIDEMARK
"""

import os
import pathlib
import shutil
import subprocess
import sys
import tempfile

MAIN = """
#[inline(never)]
fn keep(bytes: usize) -> Vec<u8> { vec![7; bytes] }
fn main() {
    let words: Vec<String> = std::env::args_os().skip(1).map(|word| word.to_string_lossy().into_owned()).collect();
    let kept = keep(3 << 20);
    println!("{} {}", words.join(","), kept.len());
    std::process::exit(words.len() as i32 - 2);
}
"""


def check(claim, *what):
    if not claim:
        raise AssertionError("\n".join(map(str, what)))


def main():
    checkout, tidemark = map(pathlib.Path, sys.argv[1:3])
    cargo = shutil.which("cargo")
    if cargo is None or subprocess.run([cargo, "--version"], capture_output=True).returncode != 0:
        print("Skipped: no cargo here")
        return 0
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        # Cargo's own rustc, where there are several.
        path = f"{pathlib.Path(cargo).parent}:{os.environ['PATH']}"
        environment = {**os.environ, "PATH": path, "CARGO_TARGET_DIR": str(folder / "own"), "CARGO_NET_OFFLINE": "true"}
        subprocess.run([cargo, "build", "--quiet"], check=True,
                       cwd=shutil.copytree(checkout / "packaging/cargo", folder / "crate"), env=environment)
        crate = folder / "host"
        (crate / "src/bin").mkdir(parents=True)
        (crate / "Cargo.toml").write_text('[package]\nname = "host"\nversion = "0.1.0"\nedition = "2021"\n')
        (crate / "src/bin/host.rs").write_text(MAIN)
        environment |= {"CARGO_TARGET_DIR": str(crate / "target"), "TIDEMARK": str(tidemark), "COLUMNS": "100",
                        "PATH": f"{folder / 'own/debug'}:{path}"}

        def run(*words):
            done = subprocess.run([cargo, "tidemark", *words], cwd=crate, env=environment, capture_output=True, text=True)
            return done.returncode, done.stdout, done.stderr

        status, out, err = run("--", "one", "-two")
        check(status == 0, status, out, err)
        check(out.startswith("one,-two 3145728\n"), out)
        check("peak 3.0" in out and "host::keep  host.rs:3" in out, out)
        check((crate / "target/tidemark/host.tmk").is_file(), "no trace")
        status, out, _ = run("--max-peak", "1MiB", "-o", "own.tmk", "--", "a", "b")
        check(status == 1 and "REGRESSION peak 3.0" in out and (crate / "own.tmk").is_file(), status, out)
        check(run("--max-peak=4MiB", "--", "a", "b")[0] == 0, "within the limit")
        check(run("--", "a", "b", "c")[0] == 1, "the program's own status")
        # A file's name is any bytes.
        status, out, err = run(b"--output=own-\xff.tmk", "--", b"\xff", "b")
        check(status == 0 and out.startswith("\ufffd,b 3145728\n"), status, out, err)
        check((crate / os.fsdecode(b"own-\xff.tmk")).is_file(), "no trace of that name")
        (crate / "src/bin/other.rs").write_text("fn main() {}\n")
        status, _, err = run()
        check(status == 2 and "choose one with --bin or --example: host, other" in err, status, err)
        check(run("--bin", "other", "--debug")[0] == 0, "the other one")
        check(run("--help")[1].startswith("Build a program"), "--help")
        check(run("--max-peak")[0] == 2, "a value is missing")
    print("cargo tidemark works")
    return 0


if __name__ == "__main__":
    sys.exit(main())
