#include "analyzer/cli/comparison_files.hpp"

#include "analyzer/cli/diff_command.hpp"
#include "analyzer/cli/plot_command.hpp"
#include "analyzer/diff_json.hpp"
#include "analyzer/diff_markdown.hpp"
#include "analyzer/diff_text.hpp"
#include "analyzer/markdown.hpp"
#include "analyzer/whole_file.hpp"

namespace tidemark::cli {
namespace {

using analyzer::write_whole_file;

Status write_text(const Comparison& comparison, const std::string& path) {
  // A file has no width and no locale: what an editor and a browser show.
  std::string text = analyzer::diff_text(analyzer::shortened(comparison.diff, comparison.text_top),
                                         {.width = 100, .colour = false, .utf8 = true});
  for (const std::string& note : comparison.notes) {
    text += note + '\n';
  }
  return write_whole_file(path, text);
}

Status write_markdown(const Comparison& comparison, const std::string& path) {
  std::string text =
      analyzer::diff_markdown(analyzer::shortened(comparison.diff, comparison.text_top));
  for (const std::string& note : comparison.notes) {
    text += '\n' + analyzer::md_text(note) + '\n';
  }
  return write_whole_file(path, text);
}

Status write_json(const Comparison& comparison, const std::string& path) {
  return write_whole_file(path, analyzer::diff_json(comparison.diff));
}

/// Both loads on one time axis. A failure has been told by the plot itself.
Status draw(const Comparison& comparison, const std::string& path) {
  PlotCommand plot;
  plot.file = comparison.folder + "/before.tmk";
  plot.other = comparison.folder + "/after.tmk";
  plot.output = path;
  return run_plot(plot) == 0 ? success() : Status(Error{ErrorCode::kIo, path + " is not there"});
}

/// A failure has been told by the diff itself.
Status write_page(const Comparison& comparison, const std::string& path) {
  DiffCommand diff;
  diff.before = comparison.folder + "/before.tmk";
  diff.after = comparison.folder + "/after.tmk";
  diff.format = "html";
  diff.output = path;
  return run_diff(diff) == 0 ? success() : Status(Error{ErrorCode::kIo, path + " is not there"});
}

/// One file of the folder.
struct ComparisonFile {
  const char* name;
  Status (*write)(const Comparison& comparison, const std::string& path);
};

constexpr ComparisonFile kFiles[] = {
    {"diff.txt", write_text}, {"diff.md", write_markdown}, {"diff.json", write_json},
    {"graph.svg", draw},      {"graph.png", draw},         {"diff.html", write_page},
};

}  // namespace

Result<std::vector<std::string>> write_comparison(const Comparison& comparison) {
  std::vector<std::string> names;
  for (const ComparisonFile& file : kFiles) {
    const auto status = file.write(comparison, comparison.folder + '/' + file.name);
    if (!status.ok()) {
      return status.error();
    }
    names.emplace_back(file.name);
  }
  return names;
}

}  // namespace tidemark::cli
