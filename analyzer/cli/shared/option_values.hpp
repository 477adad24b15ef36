/// What the verbs' options share: the values that they accept, and the messages that refuse others.
#pragma once

#include "analyzer/cli/shared/verb.hpp"

#include <cstdint>
#include <string>
#include <vector>

namespace tidemark::cli {

/// Accepts one of these words. Not added to the help if the value's name lists them already.
ValueCheck one_of(std::vector<std::string> words);

/// A whole number in decimal digits, from `low` to `high`.
ValueCheck whole_number(std::uint64_t low, std::uint64_t high = UINT64_MAX);

/// A number of bytes, as `1.5 GiB`.
ValueCheck a_size();

/// A trace, by position; `target` stays borrowed. @return the option, which may yet be required.
Option add_trace(Verb& verb,
                 const std::string& name,
                 std::string& target,
                 const std::string& about);

/// `--model`. Refuses sizes that no model has: these are more likely file names, or lack a unit.
/// @return the option, which has no description yet.
Option add_model(Verb& verb, std::string& target);

/// For `--model` of a recording: refuses, before the run, a value that no report could use.
ValueCheck size_or_file();

/// `--model` of the verbs that read one trace, or two (`for_both`).
void add_model_to_read_with(Verb& verb, std::string& target, bool for_both = false);

/// `--align`, of pictures of two loads.
void add_align(Verb& verb, std::string& target);

/// `--by`, of what draws the footprint.
void add_layers(Verb& verb, std::string& target);

/// `--frames`, of what shows stacks.
void add_frames(Verb& verb, std::string& target);

/// `--whole-stacks`, of reports in text.
void add_whole_stacks(Verb& verb, bool& target);

/// `--color`, of what prints text: it holds for the whole process.
void add_color(Verb& verb);

/// `--no-pager`, of what prints long text: it holds for the whole process.
void add_no_pager(Verb& verb);

/// `--top`, into an optional or a plain number.
template <typename Number>
void add_top(Verb& verb, Number& target) {
  verb.add_option("--top", target, "Stacks to list, 0 for all (default: 10,\nin JSON 100)")
      .type_name("N")
      .check(whole_number(0));
}

}  // namespace tidemark::cli
