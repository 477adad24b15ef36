/// The places of a program that ask for memory: what loader authors call a buffer.
#pragma once

#include "analyzer/stacks/asker_finder.hpp"
#include "analyzer/stacks/stack_names.hpp"

#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace tidemark::analyzer {

/// Stacks whose asking function and line are the same are one place, whoever called. A line of
/// Python is one for each function of an extension module that asks inside of it.
class Places {
 public:
  /// `definitions` stays borrowed.
  explicit Places(const trace::Definitions& definitions) : askers_(definitions) {}

  /// Equal for stacks of one place.
  std::uint32_t of(trace::StackId stack);
  /// What `place_text` and `native_text` of its stacks are, with a tab between: places that read
  /// the same may differ, as the instances of a template do.
  [[nodiscard]] const std::string& text(std::uint32_t place) const { return texts_[place]; }

 private:
  std::uint32_t place_of(const AskerFinder::Found& found);

  AskerFinder askers_;
  std::unordered_map<std::uint32_t, std::uint32_t> by_stack_;
  std::map<AskerFinder::Found, std::uint32_t> by_askers_;
  std::unordered_map<std::string, std::uint32_t> by_text_;
  std::vector<std::string> texts_;
};

/// `read_whole_file (loader.cpp:40)`: for sentences.
std::string place_text(const NamedFrame& frame);
/// The same of the asking function.
std::string place_text(const std::vector<NamedFrame>& stack);
/// `Model::load_variable`: the function of an extension module that asked inside of a line of
/// Python; of code without a name its module. Empty for all others.
std::string native_text(const std::vector<NamedFrame>& stack);
/// What `told_places` puts behind each: ` through Model::load_variable`, or nothing. The stacks
/// stay borrowed.
std::vector<std::string> told_natives(const std::vector<const std::vector<NamedFrame>*>& stacks);
/// Two that differ may read the same, as two functions of an extension module inside one line of
/// Python: there each has the function, too, `<module> (load.py:2) through Model::load_variable`.
/// One for each stack.
std::vector<std::string> told_places(const std::vector<std::vector<NamedFrame>>& stacks);
/// Whether Python compiled this code from a string, `<string>`: what a package makes while the
/// program runs (namedtuple, dataclass), or all of the program (`python3 -c`).
bool is_of_no_file(std::string_view file_or_line);
/// Whoever asks: the innermost line of the program's own Python code that leads there,
/// `load.py:12`, of code without a file only where no other leads there. Empty where there is none.
std::string calling_line(const std::vector<NamedFrame>& stack);
/// Where an installed package of Python asks: the innermost line of the program's own code that
/// leads there, `load.py:12`. Empty for all others.
std::string program_line(const std::vector<NamedFrame>& stack);

}  // namespace tidemark::analyzer
