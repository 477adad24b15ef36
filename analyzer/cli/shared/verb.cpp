#include "analyzer/cli/shared/verb.hpp"

#include <CLI/App.hpp>
#include <CLI/Config.hpp>
#include <CLI/Formatter.hpp>

#include <utility>

namespace tidemark::cli {

Option Option::required() {
  option_->required();
  return *this;
}

Option Option::type_name(const std::string& name) {
  option_->type_name(name);
  return *this;
}

Option Option::option_text(const std::string& text) {
  option_->option_text(text);
  return *this;
}

Option Option::description(const std::string& about) {
  option_->description(about);
  return *this;
}

Option Option::check(ValueCheck check) {
  // Adds nothing to the help, whose type name says it already.
  option_->check(
      CLI::Validator([check = std::move(check)](std::string& text) { return check(text); }, ""));
  return *this;
}

Option Option::repeated() {
  option_->allow_extra_args(false);
  return *this;
}

Verb::Verb(CLI::App& app, const std::string& name, const std::string& about)
    : app_(app.add_subcommand(name, about)) {}

Option Verb::add_option(const std::string& names, std::string& value, const std::string& about) {
  return Option(*app_->add_option(names, value, about));
}

Option Verb::add_option(const std::string& names, unsigned& value, const std::string& about) {
  return Option(*app_->add_option(names, value, about));
}

Option Verb::add_option(const std::string& names,
                        std::optional<unsigned>& value,
                        const std::string& about) {
  return Option(*app_->add_option(names, value, about));
}

Option Verb::add_option(const std::string& names,
                        std::optional<std::size_t>& value,
                        const std::string& about) {
  return Option(*app_->add_option(names, value, about));
}

Option Verb::add_option(const std::string& names,
                        std::vector<std::string>& value,
                        const std::string& about) {
  return Option(*app_->add_option(names, value, about));
}

Option Verb::add_option(const std::string& names,
                        const std::function<void(const std::string&)>& take,
                        const std::string& about) {
  return Option(*app_->add_option_function<std::string>(names, take, about));
}

void Verb::add_flag(const std::string& names, bool& value, const std::string& about) {
  app_->add_flag(names, value, about);
}

void Verb::add_flag(const std::string& names,
                    std::function<void()> take,
                    const std::string& about) {
  app_->add_flag_callback(names, take, about);
}

void Verb::footer(const std::string& text) {
  app_->footer(text);
}

}  // namespace tidemark::cli
