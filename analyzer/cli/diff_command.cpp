#include "analyzer/cli/diff_command.hpp"

#include "analyzer/cli/terminal.hpp"
#include "analyzer/cli/torn_names.hpp"
#include "analyzer/diff.hpp"
#include "analyzer/diff_json.hpp"
#include "analyzer/diff_markdown.hpp"
#include "analyzer/diff_text.hpp"
#include "analyzer/page/page.hpp"

namespace tidemark::cli {
namespace {

std::string diff_in_format(const analyzer::Diff& diff, const std::string& format) {
  if (format == "json") {
    return analyzer::diff_json(diff);
  }
  return format == "markdown" ? analyzer::diff_markdown(diff)
                              : analyzer::diff_text(diff, output_style());
}

/// Where nobody said how many.
std::size_t most_stacks(const std::string& format) {
  return format == "html" ? kPageDiffStacks : format == "json" ? kJsonDiffStacks : kTextDiffStacks;
}

Result<std::string> diff_of(const DiffCommand& command) {
  auto before = analyzer::LoadedTrace::open(command.before);
  if (!before.ok()) {
    return before.error();
  }
  auto after = analyzer::LoadedTrace::open(command.after);
  if (!after.ok()) {
    return after.error();
  }
  name_torn_frames(before.value());
  name_torn_frames(after.value());
  const auto diff = analyzer::build_diff(
      before.value(), after.value(),
      {.top = command.top.value_or(most_stacks(command.format)), .model = command.model});
  if (!diff.ok()) {
    return diff.error();
  }
  if (command.format == "html") {
    return page::diff_page(before.value(), after.value(), diff.value());
  }
  return diff_in_format(diff.value(), command.format);
}

}  // namespace

int run_diff(const DiffCommand& command) {
  const auto text = diff_of(command);
  if (!text.ok()) {
    return fail(text.error());
  }
  const auto status = write_output_to(command.output, text.value());
  return status.ok() ? 0 : fail(status.error());
}

}  // namespace tidemark::cli
