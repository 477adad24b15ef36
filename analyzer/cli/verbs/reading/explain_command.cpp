#include "analyzer/cli/verbs/reading/explain_command.hpp"

#include "analyzer/cli/shared/terminal.hpp"
#include "analyzer/report/anatomy/explanation_text.hpp"

#include <utility>

namespace tidemark::cli {
namespace {

Result<Output> output_of(const ExplainCommand& command) {
  const auto style = output_style();
  if (command.name.empty()) {
    return Output{.bytes = analyzer::explanation_list(style), .losses = {}, .is_long_text = true};
  }
  auto text = analyzer::explanation_text(command.name, style);
  if (!text.ok()) {
    return text.error();
  }
  return Output{.bytes = std::move(text.value()), .losses = {}, .is_long_text = true};
}

}  // namespace

int run(const ExplainCommand& command) {
  return deliver(output_of(command), {});
}

}  // namespace tidemark::cli
