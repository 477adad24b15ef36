/// What is missing from a trace, in words.
#pragma once

#include "collector/trace/types/definitions.hpp"

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace tidemark::analyzer {

/// True when any byte, event or process may be missing; cut stacks alone lose no byte.
bool loses_anything(const trace::Loss& loss);

/// `256.0 MiB of reads`, `the reads by io_uring of 1 process`: reads by unhooked calls. Empty if
/// they are too small to be a model.
std::string unseen_reads_text(const trace::Loss& loss);

/// `257.8 MiB of mappings (model.gguf)`: files that were mapped by such calls. Empty where there
/// are none.
std::string unseen_mappings_text(const trace::Loss& loss);

/// "up to 24.0 MiB written to mapped files, or by forked processes, right before they went". Empty
/// if there was nothing.
std::string unseen_writes_text(const trace::Loss& loss);

/// "what 1 process that was still running did after the recording". Empty if none was.
std::string survivors_text(const trace::Loss& loss);

/// Unseen reads and mappings that may be a model's.
std::string unseen_input_text(const trace::Loss& loss);

/// True if data written only at the end of a recording may be missing: peaks of processes, own
/// costs.
bool loses_end(const trace::Loss& loss);

/// `nothing`, or everything that is missing, most important first, in one line; of processes that
/// were not recorded how many for which reason.
std::string loss_text(const trace::Loss& loss);

/// `statically linked`: what kept a program from being recorded.
std::string_view reason_text(trace::WhyUnrecorded why);

/// ` (2 statically linked, 1 in a user namespace)`: of the processes that were not recorded. Empty
/// if the trace does not know.
std::string unrecorded_reasons(const trace::Loss& loss);

/// ` (kept out by a seccomp filter)`: the same of the threads.
std::string thread_reasons(const trace::Loss& loss);

/// One line for each program that was not recorded, those of one command and reason together:
/// `statically linked, pid 4711: ./tool --fast`. `most` lines at most, and one that counts the
/// rest; then one that says where programs may be missing that no line counts. The command is
/// somebody else's text.
std::vector<std::string> unrecorded_lines(const trace::Session& session,
                                          const trace::Loss& loss,
                                          std::size_t most);

/// The same as a sentence of its own: `missing from the trace: 17 dropped records`.
std::string describe_loss(const trace::Loss& loss);

/// Message about trace::Session::deep_bound; to follow `tidemark: `.
std::string deep_bound_text();

/// Message about trace::Session::unread_python, an untrusted text; to follow `tidemark: `.
std::string unread_python_text(const std::string& version);

}  // namespace tidemark::analyzer
