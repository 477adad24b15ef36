#include "analyzer/cli/verbs/reading/diff_command.hpp"

#include "analyzer/cli/shared/opened_trace.hpp"
#include "analyzer/diff/diff.hpp"
#include "analyzer/diff/diff_json.hpp"
#include "analyzer/diff/diff_markdown.hpp"
#include "analyzer/diff/diff_text.hpp"
#include "analyzer/html/page.hpp"

namespace tidemark::cli {
namespace {

std::string diff_in_format(const analyzer::Diff& diff, const DiffCommand& command) {
  if (command.format == "json") {
    return analyzer::diff_json(diff);
  }
  return command.format == "markdown"
             ? analyzer::diff_markdown(diff)
             : analyzer::diff_text(diff, output_style(command.whole_stacks, command.output));
}

/// The default if no number was given.
std::size_t most_stacks(const std::string& format) {
  return format == "html" ? kPageDiffStacks : format == "json" ? kJsonDiffStacks : kTextDiffStacks;
}

}  // namespace

Result<Output> diff_output(const DiffCommand& command) {
  auto before = open_trace(command.before);
  if (!before.ok()) {
    return before.error();
  }
  auto after = open_trace(command.after);
  if (!after.ok()) {
    return after.error();
  }
  show_frames(before.value(), command.frames);
  show_frames(after.value(), command.frames);
  const auto diff = analyzer::build_diff(
      before.value(), after.value(),
      {.top = command.top.value_or(most_stacks(command.format)), .model = command.model});
  if (!diff.ok()) {
    return diff.error();
  }
  Output output{.bytes = command.format == "html"
                             ? html::diff_page(before.value(), after.value(), diff.value())
                             : diff_in_format(diff.value(), command),
                .losses = {},
                .is_long_text = command.format != "html"};
  if (!is_read_at_once(command.format, command.output)) {
    output.losses = {loss_sentence(before.value(), command.before),
                     loss_sentence(after.value(), command.after)};
  }
  return output;
}

int run(const DiffCommand& command) {
  return deliver(diff_output(command), command.output);
}

}  // namespace tidemark::cli
