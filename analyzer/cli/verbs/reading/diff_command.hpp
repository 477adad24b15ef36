/// `tidemark diff`: two traces side by side.
#pragma once

#include "analyzer/cli/shared/terminal.hpp"
#include "analyzer/cli/shared/verb.hpp"

#include <cstddef>
#include <optional>
#include <string>

namespace tidemark::cli {

constexpr std::size_t kTextDiffStacks = 10;
constexpr std::size_t kJsonDiffStacks = 100;
constexpr std::size_t kPageDiffStacks = 500;

struct DiffCommand {
  std::string before;
  std::string after;
  std::string format = "text";     ///< text, json, markdown, html.
  std::optional<std::size_t> top;  ///< None: what suits the format. 0: all.
  std::string frames = "both";     ///< both, python, native.
  bool whole_stacks = false;       ///< For text; the other formats have what they have.
  std::string model;               ///< A size or a file, for both; empty: as recorded.
  std::string output;              ///< The file to write; empty: standard output.
};

/// Adds the verb to the command line. `command` stays borrowed, and gets the options' values.
Verb add_verb(CLI::App& app, DiffCommand& command);

/// What the verb prints or writes.
Result<Output> diff_output(const DiffCommand& command);

/// @return 0, also for damaged traces (the diff says what is lost); 2 for bad input.
int run(const DiffCommand& command);

}  // namespace tidemark::cli
