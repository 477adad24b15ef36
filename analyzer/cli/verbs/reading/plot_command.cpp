#include "analyzer/cli/verbs/reading/plot_command.hpp"

#include "analyzer/cli/shared/opened_trace.hpp"
#include "analyzer/picture/drawing/canvas.hpp"
#include "analyzer/picture/drawing/pixels.hpp"
#include "analyzer/picture/drawing/svg.hpp"
#include "analyzer/picture/graph.hpp"
#include "analyzer/report/facts/report.hpp"

#include <fmt/format.h>

#include <deque>
#include <filesystem>
#include <utility>

namespace tidemark::cli {
namespace {

constexpr picture::PixelLimits kSizes{
    .least = {.width = static_cast<int>(picture::kMinWidthPixels),
              .height = static_cast<int>(picture::kMinHeightPixels)},
    .max_side = 10'000,
    .example = "800x520"};

Result<picture::GraphOptions> graph_options(const PlotCommand& command) {
  const auto pixels = picture::parse_pixels(command.size, kSizes);
  if (!pixels.ok()) {
    return pixels.error();
  }
  return picture::GraphOptions{
      .width = static_cast<double>(pixels.value().width),
      .height = static_cast<double>(pixels.value().height),
      .dark = command.theme == "dark",
      .align = command.align == "phase"   ? picture::Align::kPhase
               : command.align == "bytes" ? picture::Align::kBytes
                                          : picture::Align::kTime,
      .by = analyzer::grouping_named(command.by).value_or(analyzer::LayerGrouping::kFunction),
      .title = command.title};
}

enum class Kind { kSvg, kPng };

Result<Kind> kind_of(const std::string& output) {
  const auto ending = std::filesystem::path(output).extension();
  if (ending == ".svg") {
    return Kind::kSvg;
  }
  if (ending == ".png") {
    return Kind::kPng;
  }
  return Error{ErrorCode::kUsage,
               fmt::format("cannot tell what '{}' shall be; end its name in .svg or .png", output)};
}

/// Opened traces stay where they are: subjects point to them.
struct Loads {
  std::deque<analyzer::LoadedTrace> traces;
  std::vector<std::string> files;
  std::vector<picture::Subject> subjects;

  Status add(const std::string& file, const std::string& model, bool with_anatomy) {
    auto opened = open_trace(file);
    if (!opened.ok()) {
      return opened.error();
    }
    analyzer::LoadedTrace& trace = traces.emplace_back(std::move(opened.value()));
    analyzer::ReportOptions options;
    options.model = model;
    options.anatomy = with_anatomy;
    const auto report = analyzer::build_report(trace, options);
    if (!report.ok()) {
      return report.error();
    }
    subjects.push_back(picture::subject_of(trace, report.value()));
    files.push_back(file);
    return success();
  }

  [[nodiscard]] std::vector<std::string> losses() const {
    std::vector<std::string> losses;
    for (std::size_t i = 0; i < traces.size(); ++i) {
      losses.push_back(loss_sentence(traces[i], files[i]));
    }
    return losses;
  }
};

}  // namespace

Result<Output> plot_output(const PlotCommand& command) {
  if (!picture::can_draw()) {
    return Error{ErrorCode::kUnsupported, picture::kDrawsNothing};
  }
  const auto kind = kind_of(command.output);
  if (!kind.ok()) {
    return kind.error();
  }
  const auto options = graph_options(command);
  if (!options.ok()) {
    return options.error();
  }
  Loads loads;
  const bool needs_tensors = options.value().by == analyzer::LayerGrouping::kTensor;
  for (const std::string& file : {command.file, command.other}) {
    if (file.empty()) {
      continue;
    }
    if (const auto status = loads.add(file, command.model, needs_tensors); !status.ok()) {
      return status.error();
    }
  }
  const auto scene = picture::draw_graph(loads.subjects, options.value(), picture::cairo_measure());
  if (!scene.ok()) {
    return scene.error();
  }
  auto bytes = kind.value() == Kind::kSvg
                   ? Result<std::string>(picture::svg_document(scene.value()))
                   : picture::png_of(scene.value(), command.scale);
  if (!bytes.ok()) {
    return bytes.error();
  }
  auto losses = loads.losses();
  losses.push_back(scene.value().remark);
  return Output{.bytes = std::move(bytes.value()), .losses = std::move(losses)};
}

int run(const PlotCommand& command) {
  return deliver(plot_output(command), command.output);
}

}  // namespace tidemark::cli
