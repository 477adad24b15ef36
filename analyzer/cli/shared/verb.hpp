/// A verb of the command line as its options see it: names, help, and where the values go.
///
/// CLI11 does the work. Only verb.cpp and command_line.cpp include it, as each unit that does takes
/// six seconds more to compile.
#pragma once

#include <cstddef>
#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace CLI {
class App;
class Option;
}  // namespace CLI

namespace tidemark::cli {

/// What is wrong with a value, as a sentence; empty if it is valid.
using ValueCheck = std::function<std::string(const std::string& text)>;

/// An option that was added. Borrows it from its verb; a copy is the same option.
class Option {
 public:
  explicit Option(CLI::Option& option) : option_(&option) {}

  Option required();
  /// What the help calls its value.
  Option type_name(const std::string& name);
  /// What the help says instead of the type and whether it is required.
  Option option_text(const std::string& text);
  Option description(const std::string& about);
  Option check(ValueCheck check);
  /// May be given several times, each time with one value.
  Option repeated();

 private:
  CLI::Option* option_;
};

/// Borrows from the command line that it was added to; a copy is the same verb.
class Verb {
 public:
  Verb(CLI::App& app, const std::string& name, const std::string& about);

  // The value stays borrowed, and is left alone where the option is not given. A name without
  // dashes is one by position.
  Option add_option(const std::string& names, std::string& value, const std::string& about = {});
  Option add_option(const std::string& names, unsigned& value, const std::string& about);
  Option add_option(const std::string& names,
                    std::optional<unsigned>& value,
                    const std::string& about);
  Option add_option(const std::string& names,
                    std::optional<std::size_t>& value,
                    const std::string& about);
  Option add_option(const std::string& names,
                    std::vector<std::string>& value,
                    const std::string& about);
  /// Hands the value to `take`.
  Option add_option(const std::string& names,
                    const std::function<void(const std::string&)>& take,
                    const std::string& about);
  void add_flag(const std::string& names, bool& value, const std::string& about);
  /// `take` is called if the flag is given.
  void add_flag(const std::string& names, std::function<void()> take, const std::string& about);

  void footer(const std::string& text);

  [[nodiscard]] CLI::App& app() const { return *app_; }

 private:
  CLI::App* app_;
};

}  // namespace tidemark::cli
