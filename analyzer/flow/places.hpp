/// The places of a program that ask for memory; each is what a loader's author would call a buffer.
#pragma once

#include "analyzer/stacks/asker_finder.hpp"
#include "analyzer/stacks/stack_names.hpp"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace tidemark::analyzer {

/// Stacks with the same asking function and line are one place, whatever their callers. A line of
/// Python is a separate place for each extension function that asks inside it.
class Places {
 public:
  /// `definitions` stays borrowed.
  explicit Places(const trace::Definitions& definitions) : askers_(definitions) {}

  /// Equal for stacks of one place.
  std::uint32_t of(trace::StackId stack);
  /// `place_text` and `native_text` of its stacks, joined by a tab. Different places may read the
  /// same, like instances of a template.
  [[nodiscard]] const std::string& text(std::uint32_t place) const { return texts_[place]; }

 private:
  std::uint32_t place_of(const AskerFinder::Found& found);

  AskerFinder askers_;
  std::vector<std::optional<std::uint32_t>> by_asker_;  ///< By AskerFinder::number_of.
  std::unordered_map<std::string, std::uint32_t> by_text_;
  std::vector<std::string> texts_;
};

/// `read_whole_file (loader.cpp:40)`: for sentences.
std::string place_text(const NamedFrame& frame);
/// The same of the asking function.
std::string place_text(const std::vector<NamedFrame>& stack);
/// `Model::load_variable`: the function of an extension module that asked inside a line of Python,
/// or its module if it has no name.
std::string native_text(const NamedFrame& native);
/// The same of such a stack; empty for all others.
std::string native_text(const std::vector<NamedFrame>& stack);
/// The suffix that `told_places` adds to each: ` through Model::load_variable`, or nothing. The
/// stacks are borrowed during the call.
std::vector<std::string> told_natives(const std::vector<const std::vector<NamedFrame>*>& stacks);
/// One text for each stack. If two places read the same, like two extension functions inside one
/// line of Python, each includes its function: `<module> (load.py:2) through Model::load_variable`.
std::vector<std::string> told_places(const std::vector<std::vector<NamedFrame>>& stacks);
/// Whether Python compiled this code from a string, `<string>`: code generated at run time
/// (namedtuple, dataclass), or the whole program (`python3 -c`).
bool is_of_no_file(std::string_view file_or_line);
/// The innermost line of the program's own Python code in the stack, `load.py:12`, whatever asks.
/// Code without a file is used only if there is no other. Empty if there is none.
std::string calling_line(const std::vector<NamedFrame>& stack);
/// If an installed Python package asks: the innermost line of the program's own code that leads
/// there, `load.py:12`. Empty for all others.
std::string program_line(const std::vector<NamedFrame>& stack);

}  // namespace tidemark::analyzer
