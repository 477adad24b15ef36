//! `cargo tidemark`: builds a program with line numbers, records it, and says what its peak is made of.

use std::env;
use std::ffi::{OsStr, OsString};
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};
use std::process::{exit, Command, Stdio};

const HELP: &str = "\
Build a program, record it with tidemark, and show the peak of its memory

Usage: cargo tidemark [OPTIONS] [CARGO OPTIONS] [-- ARGS]

  -o, --output FILE   The trace (default: target/tidemark/NAME.tmk)
  --max-peak SIZE     Then check the trace instead: fail above it
  --max-ratio R       The same, as a multiple of the model
  --model SIZE|FILE   Size of the model, or its file
  --debug             Build without optimisation

All other options are cargo build's: --bin, --example, -p, --features ...
ARGS are the program's. $TIDEMARK names the command, if it is not in PATH.
Exit status: the program's where it fails, else tidemark's.
";

/// What the words before `--` ask for.
#[derive(Default)]
struct Wishes {
    output: Option<PathBuf>,
    model: Option<OsString>,
    limits: Vec<OsString>,
    is_debug: bool,
    of_cargo: Vec<OsString>,
    arguments: Vec<OsString>,
}

fn fail(sentence: &str) -> ! {
    eprintln!("cargo tidemark: {sentence}");
    exit(2)
}

/// An option's name, and the value behind its `=`. A file's name need not be UTF-8.
fn parts_of(word: &OsStr) -> (String, Option<OsString>) {
    let bytes = word.as_bytes();
    let (name, value) = match bytes.iter().position(|&byte| byte == b'=') {
        Some(at) if bytes.starts_with(b"--") => (&bytes[..at], Some(&bytes[at + 1..])),
        _ => (bytes, None),
    };
    (
        String::from_utf8_lossy(name).into_owned(),
        value.map(|value| OsStr::from_bytes(value).to_owned()),
    )
}

fn wishes_in(words: impl Iterator<Item = OsString>) -> Wishes {
    let mut wishes = Wishes::default();
    let mut words = words.peekable();
    while let Some(word) = words.next() {
        let (name, mut value) = parts_of(&word);
        let mut needed = || {
            let found = value.take().or_else(|| words.next());
            found.unwrap_or_else(|| {
                fail(&format!("{name} needs a value; see cargo tidemark --help"))
            })
        };
        match name.as_str() {
            "--" => {
                wishes.arguments = words.collect();
                break;
            }
            "-h" | "--help" => {
                print!("{HELP}");
                exit(0)
            }
            "-o" | "--output" => wishes.output = Some(needed().into()),
            "--model" => wishes.model = Some(needed()),
            "--max-peak" | "--max-ratio" => {
                let limit = needed();
                wishes.limits.extend([name.clone().into(), limit]);
            }
            "--debug" => wishes.is_debug = true,
            _ => wishes.of_cargo.push(word),
        }
    }
    wishes
}

/// The value of a text in a line of cargo's JSON, as far as paths need it.
fn text_in(line: &str, key: &str) -> Option<String> {
    let begin = line.find(&format!("\"{key}\":\""))? + key.len() + 4;
    let mut text = String::new();
    let mut letters = line[begin..].chars();
    loop {
        match letters.next()? {
            '"' => return Some(text),
            '\\' => text.push(letters.next()?),
            letter => text.push(letter),
        }
    }
}

/// Builds, and finds what was built.
fn built(wishes: &Wishes) -> PathBuf {
    let cargo = env::var_os("CARGO").unwrap_or_else(|| OsString::from("cargo"));
    let mut command = Command::new(cargo);
    command.args(["build", "--message-format=json-render-diagnostics"]);
    let has_profile = wishes.of_cargo.iter().any(|word| {
        word == "--release" || word == "-r" || word.as_bytes().starts_with(b"--profile")
    });
    if !wishes.is_debug && !has_profile {
        command.arg("--release");
    }
    if env::var_os("CARGO_PROFILE_RELEASE_DEBUG").is_none() {
        command.env("CARGO_PROFILE_RELEASE_DEBUG", "1"); // Lines, which stacks are told by.
    }
    let done = command
        .args(&wishes.of_cargo)
        .stdin(Stdio::null())
        .stderr(Stdio::inherit())
        .output();
    let done = done.unwrap_or_else(|error| fail(&format!("cannot run cargo: {error}")));
    if !done.status.success() {
        exit(done.status.code().unwrap_or(2));
    }
    let lines = String::from_utf8_lossy(&done.stdout).into_owned();
    let mut programs: Vec<String> = lines
        .lines()
        .filter_map(|line| text_in(line, "executable"))
        .collect();
    programs.dedup();
    match programs.len() {
        1 => PathBuf::from(programs.remove(0)),
        0 => fail("there is no program to run: a library has none"),
        _ => {
            let names: Vec<String> = programs
                .iter()
                .map(|path| name_of(Path::new(path)))
                .collect();
            fail(&format!(
                "there are several programs, choose one with --bin or --example: {}",
                names.join(", ")
            ))
        }
    }
}

fn name_of(program: &Path) -> String {
    program
        .file_name()
        .unwrap_or_default()
        .to_string_lossy()
        .into_owned()
}

/// `target/tidemark/NAME.tmk`, of `target/release/NAME` or `target/release/examples/NAME`.
fn trace_of(program: &Path) -> PathBuf {
    let mut folder = program.parent().unwrap_or(Path::new("."));
    if folder.ends_with("examples") {
        folder = folder.parent().unwrap_or(folder);
    }
    let folder = folder.parent().unwrap_or(folder).join("tidemark");
    if let Err(error) = std::fs::create_dir_all(&folder) {
        fail(&format!("cannot make {}: {error}", folder.display()));
    }
    folder.join(name_of(program) + ".tmk")
}

/// Runs tidemark with these words. @return its exit status.
fn tidemark(words: Vec<OsString>) -> i32 {
    let name = env::var_os("TIDEMARK").unwrap_or_else(|| OsString::from("tidemark"));
    match Command::new(&name).args(words).status() {
        Ok(status) => status.code().unwrap_or(2),
        Err(error) => fail(&format!(
            "cannot run {}: {error}; is tidemark installed?",
            name.to_string_lossy()
        )),
    }
}

fn main() {
    // Cargo gives its subcommands their own name first.
    let mut words = env::args_os().skip(1).peekable();
    words.next_if(|word| word == "tidemark");
    let wishes = wishes_in(words);
    let program = built(&wishes);
    let trace = wishes.output.clone().unwrap_or_else(|| trace_of(&program));
    let model: Vec<OsString> = wishes
        .model
        .iter()
        .flat_map(|model| ["--model".into(), model.into()])
        .collect();

    let mut record: Vec<OsString> = vec!["record".into(), "-o".into(), trace.clone().into()];
    record.extend(model);
    record.extend(["--".into(), program.into()]);
    record.extend(wishes.arguments);
    let status = tidemark(record);
    if status != 0 {
        exit(status);
    }
    let verb = if wishes.limits.is_empty() {
        "report"
    } else {
        "check"
    };
    let mut read: Vec<OsString> = vec![verb.into(), trace.into()];
    read.extend(wishes.limits);
    exit(tidemark(read))
}
