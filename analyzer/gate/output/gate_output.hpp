/// Formats a gate's result for a terminal, for CI systems and for programs. Each function returns
/// text and writes nothing.
#pragma once

#include "analyzer/gate/gate.hpp"
#include "analyzer/text/text_style.hpp"

#include <string>

namespace tidemark::analyzer {

/// `peak 512.1 MiB of at most 614.4 MiB (1.2xW)`, and what is wrong with it, on one line without a
/// newline. Preceded by the check's name if it has one of its own.
std::string check_sentence(const CheckResult& result);

/// `1 regression in 3 checks`, `3 checks pass`.
std::string gate_sentence(const GateResult& gate);

/// One line per check, stacks under those that fail, and one line for all: printed before anything
/// is explained.
std::string gate_text(const GateResult& gate, const TextStyle& style);

/// Why the peak is as high, and which files were written beside the trace; empty if nothing was
/// explained.
std::string gate_explanation_text(const GateResult& gate, const TextStyle& style);

/// JUnit XML: one suite, one test case a check. A regression is a `failure`, an inconclusive check
/// an `error`.
std::string gate_junit(const GateResult& gate);

/// GitHub's workflow commands, one line each: an error for a regression, a warning for an
/// inconclusive check, at the line that asked for most of the memory. Passes give none. Paths below
/// `root` (GITHUB_WORKSPACE; may be empty) become relative to it, which is how GitHub finds them.
std::string gate_annotations(const GateResult& gate, const std::string& root);

/// For $GITHUB_STEP_SUMMARY and pull requests: a table of the checks, the findings, the stacks.
/// `picture` is where the graph can be seen; if empty, the text has the curve in characters.
std::string gate_markdown(const GateResult& gate, const std::string& picture = {});

/// Schema 1, documented in analyzer/gate/GATE.md.
std::string gate_json(const GateResult& gate);

}  // namespace tidemark::analyzer
