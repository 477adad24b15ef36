#include "analyzer/cli/shared/option_values.hpp"
#include "analyzer/cli/verbs/recording/record_command.hpp"
#include "analyzer/text/size_text.hpp"
#include "collector/trace/types/definitions.hpp"

#include <fmt/format.h>

#include <cstdint>
#include <string>

namespace tidemark::cli {
namespace {

constexpr std::uint64_t kMaxStackDepth = 1024;  // What the unwinder keeps at most.

/// One that a recording can be sampled by; without a unit it has forgotten it.
ValueCheck a_sampling_size() {
  return [](const std::string& text) {
    const auto bytes = analyzer::parse_size(text);
    const bool is_one = bytes.ok() && bytes.value() >= trace::Session::kMinSampleBytes &&
                        bytes.value() <= trace::Session::kMaxSampleBytes;
    return is_one ? std::string()
                  : fmt::format("'{}' is no size from 1KiB to 1TiB, as 512KiB", text);
  };
}

}  // namespace

void add_recording_options(Verb& verb, RecordOptions& options) {
  add_model(verb, options.model)
      .description(
          "Size, file or folder of the model; a file is\ncompared with what is in memory, whoever "
          "reads it")
      .check(size_or_file());
  verb.add_option(
          "--overflow",
          [&options](const std::string& word) { options.drop_on_overflow = word == "drop"; },
          "When the collector falls behind, make the\nprogram wait (default), or drop records")
      .type_name("block|drop")
      .check(one_of({"block", "drop"}));
  verb.add_option("--depth", options.depth, "Most frames of a stack to keep (default: 1024)")
      .type_name("N")
      .check(whole_number(1, kMaxStackDepth));
  verb.add_option("--unwinder", options.unwinder,
                  "How stacks are taken: by tidemark (default), by\n"
                  "libunwind (slow), by rbp alone (code built with\n"
                  "-fno-omit-frame-pointer), or not at all. check:\n"
                  "each by tidemark and libunwind, and compared")
      .type_name("fast|libunwind|frame-pointer|none|check")
      .check(one_of({"fast", "libunwind", "frame-pointer", "none", "check"}));
  verb.add_option("--stacks-above", options.stacks_above,
                  "Heap allocations of fewer bytes get no stack;\nthey are counted all the same")
      .type_name("SIZE")
      .check(a_size());
  verb.add_option("--sample", options.sample,
                  "Heap allocations of fewer bytes get a stack only\n"
                  "where a sample point falls into them, one in SIZE\n"
                  "bytes on average, 512KiB for one: totals and peak\n"
                  "stay exact, who holds small blocks is estimated")
      .type_name("SIZE")
      .check(a_sampling_size());
  verb.add_flag("--wait-children", options.wait_children,
                "Go on until the last child process ended");
  verb.add_flag("--no-python", options.no_python,
                "Leave Python's own frames out of the stacks of\nPython programs");
  verb.add_flag("--no-copies", options.no_copies,
                "Leave memcpy, memmove and memset alone: the\nreport then has no copy chain");
  verb.add_flag("--no-symbol-cache", options.no_symbol_cache,
                "Look all names up anew, and leave\n$XDG_CACHE_HOME/tidemark alone");
}

Verb add_verb(CLI::App& app, RecordOptions& options) {
  Verb verb(app, "record", "Run a program and record it");
  // Never filled by CLI11, which does not get to see the host's words; it is here for the help.
  verb.add_option("CMD", options.command, "Program to run, with its arguments")
      .option_text("[ARGS...]");
  verb.add_option("-o,--output", options.output,
                  "Trace to write (default:\ntidemark-<program>-<pid>.tmk)")
      .type_name("FILE.tmk");
  add_recording_options(verb, options);
  verb.add_flag("-q,--quiet", options.quiet, "Say nothing unless something is wrong");
  verb.footer(
      "Everything from CMD on belongs to the program. A trace of that name is replaced\n"
      "when the new one is complete; /dev/null keeps nothing, and what else is no file\n"
      "is refused. The exit status is the program's own, 128 + N when signal N ended\n"
      "it; 2 when it could not be recorded.\n"
      "Then:  tidemark report FILE.tmk");
  return verb;
}

}  // namespace tidemark::cli
