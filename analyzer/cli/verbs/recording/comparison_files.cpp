#include "analyzer/cli/verbs/recording/comparison_files.hpp"

#include "analyzer/cli/verbs/reading/diff_command.hpp"
#include "analyzer/cli/verbs/reading/plot_command.hpp"
#include "analyzer/diff/diff_json.hpp"
#include "analyzer/diff/diff_markdown.hpp"
#include "analyzer/diff/diff_text.hpp"
#include "analyzer/io/whole_file.hpp"
#include "analyzer/picture/drawing/canvas.hpp"
#include "analyzer/text/markdown.hpp"

#include <iterator>

namespace tidemark::cli {
namespace {

/// What every comparison leaves.
constexpr const char* kFiles[] = {"diff.txt",  "diff.md",   "diff.json",
                                  "graph.svg", "graph.png", "diff.html"};
constexpr const char* kDarkFiles[] = {"graph-dark.svg", "graph-dark.png"};

std::string text_of(const Comparison& comparison) {
  // A file has no width and no locale: what an editor and a browser show.
  std::string text = analyzer::diff_text(analyzer::shortened(comparison.diff, comparison.text_top),
                                         {.width = 100, .colour = false, .utf8 = true});
  for (const std::string& note : comparison.notes) {
    text += note + '\n';
  }
  return text;
}

std::string markdown_of(const Comparison& comparison) {
  std::string text =
      analyzer::diff_markdown(analyzer::shortened(comparison.diff, comparison.text_top));
  for (const std::string& note : comparison.notes) {
    text += '\n' + analyzer::md_text(note) + '\n';
  }
  return text;
}

/// The diff says what the traces lost.
Result<std::string> bytes_of(const Result<Output>& output) {
  return output.ok() ? Result<std::string>(output.value().bytes) : output.error();
}

Result<std::string> picture_of(const Comparison& comparison, const std::string& name) {
  PlotCommand plot;
  plot.file = comparison.folder + "/before.tmk";
  plot.other = comparison.folder + "/after.tmk";
  plot.output = name;
  plot.align = comparison.align;
  plot.theme = name.find("dark") == std::string::npos ? "light" : "dark";
  return bytes_of(plot_output(plot));
}

Result<std::string> page_of(const Comparison& comparison) {
  DiffCommand diff;
  diff.before = comparison.folder + "/before.tmk";
  diff.after = comparison.folder + "/after.tmk";
  diff.format = "html";
  return bytes_of(diff_output(diff));
}

Result<std::string> contents_of(const Comparison& comparison, const std::string& name) {
  if (name == "diff.txt") {
    return text_of(comparison);
  }
  if (name == "diff.md") {
    return markdown_of(comparison);
  }
  if (name == "diff.json") {
    return analyzer::diff_json(comparison.diff);
  }
  return name == "diff.html" ? page_of(comparison) : picture_of(comparison, name);
}

}  // namespace

Result<std::vector<std::string>> write_comparison(const Comparison& comparison) {
  std::vector<std::string> names(std::begin(kFiles), std::end(kFiles));
  if (comparison.dark) {
    names.insert(names.end(), std::begin(kDarkFiles), std::end(kDarkFiles));
  }
  if (!picture::can_draw()) {
    std::erase_if(names, [](const std::string& name) { return name.starts_with("graph"); });
  }
  for (const std::string& name : names) {
    const auto contents = contents_of(comparison, name);
    if (!contents.ok()) {
      return contents.error();
    }
    const auto status =
        analyzer::write_whole_file(comparison.folder + '/' + name, contents.value());
    if (!status.ok()) {
      return status.error();
    }
  }
  return names;
}

}  // namespace tidemark::cli
