/// What the verbs' options have in common: which values they take, and in whose words others are
/// refused.
#pragma once

#include <CLI/App.hpp>
#include <CLI/Config.hpp>
#include <CLI/Formatter.hpp>

#include <cstdint>
#include <string>
#include <vector>

namespace tidemark::cli {

/// One of these words. Adds nothing to the help, whose type name lists them already.
CLI::Validator one_of(std::vector<std::string> words);

/// A whole number in decimal digits, from `low` to `high`.
CLI::Validator whole_number(std::uint64_t low, std::uint64_t high = UINT64_MAX);

/// A number of bytes, as `1.5 GiB`.
CLI::Validator a_size();

/// A trace, by position; `target` stays borrowed. @return the option, which may yet be required.
CLI::Option* add_trace(CLI::App& verb,
                       const std::string& name,
                       std::string& target,
                       const std::string& about);

/// `--model`. Refuses sizes that no model has: they are rather names of files, or lack their unit.
/// @return the option, which has no description yet.
CLI::Option* add_model(CLI::App& verb, std::string& target);

/// For `--model` of a recording: one that a report could not use is better known before the run.
CLI::Validator size_or_file();

/// `--model` of the verbs that read one trace, or two (`for_both`).
void add_model_to_read_with(CLI::App& verb, std::string& target, bool for_both = false);

/// `--align`, of pictures of two loads.
void add_align(CLI::App& verb, std::string& target);

/// `--whole-stacks`, of reports in text.
void add_whole_stacks(CLI::App& verb, bool& target);

/// `--top`, into an optional or a plain number.
template <typename Number>
void add_top(CLI::App& verb, Number& target) {
  verb.add_option("--top", target, "Stacks to list, 0 for all (default: 10,\nin JSON 100)")
      ->type_name("N")
      ->check(whole_number(0));
}

}  // namespace tidemark::cli
