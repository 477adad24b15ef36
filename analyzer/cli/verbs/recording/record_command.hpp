/// `tidemark record`: runs a program and records it.
#pragma once

#include "analyzer/cli/shared/verb.hpp"

#include <optional>
#include <string>
#include <vector>

namespace tidemark::cli {

struct RecordOptions {
  std::string output;             ///< Empty: tidemark-<program>-<pid>.tmk in the current folder.
  bool drop_on_overflow = false;  ///< --overflow drop: lose records rather than make the host wait.
  std::string model;              ///< --model, verbatim: a size or a file.
  std::optional<unsigned> depth;  ///< --depth: most frames of a stack.
  std::string unwinder = "fast";  ///< --unwinder, one of the words in its help.
  std::string stacks_above;       ///< --stacks-above, verbatim: a size; empty: all have stacks.
  std::string sample;             ///< --sample, verbatim: a size; empty: all have stacks.
  bool quiet = false;             ///< Nothing on stderr unless something is wrong.
  bool wait_children = false;     ///< Goes on until the last descendant ended, not only the root.
  bool no_python = false;         ///< Leaves the frames of Python code out of stacks.
  bool no_copies = false;         ///< Leaves the hooks of memcpy and its kin out.
  bool no_symbol_cache = false;   ///< Neither reads nor writes the user's symbol cache.
  std::vector<std::string> command;  ///< Program and its arguments; never empty.
};

/// Adds the options that say how to record, which `compare` has too. `options` stays borrowed, and
/// gets their values.
void add_recording_options(Verb& verb, RecordOptions& options);

/// Adds the verb to the command line. `options` stays borrowed, and gets the options' values.
Verb add_verb(CLI::App& app, RecordOptions& options);

/// Default name of a program's trace without --output: `tidemark-load-4711.tmk`.
std::string default_output(const std::string& program);

/// @return the host's own exit status, 128 + N for signal N; 2 when it could not be recorded.
int run(const RecordOptions& options);

}  // namespace tidemark::cli
