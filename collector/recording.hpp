/// One recording from start to end: the work behind `tidemark record`.
#pragma once

#include "collector/launch/program.hpp"
#include "collector/session/shared_session.hpp"
#include "collector/symbols/symbol_process.hpp"
#include "collector/trace/types/definitions.hpp"
#include "collector/trace/types/result.hpp"

#include <array>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

namespace tidemark {

struct RecordingOptions {
  std::vector<std::string> command;
  std::string output;  ///< Path of the trace.
  std::string model;   ///< Kept in the trace verbatim.
  SessionOptions session;
  bool wait_children = false;
  bool copies = true;  ///< Record large copies and fills too.
  /// Folder of the symbol cache, created if missing. Empty: no cache.
  std::string symbol_cache;
  /// Called during long work after the host's end: what, done, of how much. May be empty.
  std::function<void(const std::string&, std::size_t, std::size_t)> progress;
  /// Called with what the user should know before the host starts.
  std::function<void(const std::string&)> warn;
};

struct RecordingResult {
  int exit_status = 0;  ///< The host's own: 128 + N for signal N.
  trace::Session session;
  std::string path;     ///< The trace's; the `.incomplete` one after a write error.
  bool is_kept = true;  ///< False when the trace went to the null device.
  std::uint64_t events = 0;
  std::uint64_t trace_bytes = 0;
  std::uint64_t peak_footprint_bytes = 0;
  std::uint64_t peak_at_ns = 0;
  std::size_t processes = 0;
  std::uint64_t own_bytes = 0;
  std::uint64_t stacks_compared = 0;   ///< With libunwind's, by wire::Unwinder::kCheck.
  std::uint64_t stacks_different = 0;  ///< How many of these differed.
  /// How many of these were equal up to where libunwind's ended, in code without unwind tables.
  std::uint64_t stacks_ended_early = 0;
  std::string write_error;  ///< Empty if the whole trace was written.
  /// Why the recording broke off, such as "out of memory"; empty if it did not. If it did, `path`
  /// has what was written before, and besides it only `exit_status` is set.
  std::array<char, 128> broken_off_by{};
  SymbolPassEnd names;  ///< How looking names up ended.
};

/// Runs `options.command` to its end and leaves the trace in `options.output`.
/// @return kUsage or kIo, one sentence, if nothing was started. Throws std::bad_alloc only before
/// the host has started; once it runs, it is waited for whatever happens.
Result<RecordingResult> record(const RecordingOptions& options);

}  // namespace tidemark
