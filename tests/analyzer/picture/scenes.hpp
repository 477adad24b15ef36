/// Pictures of small traces, and what must hold of any picture.
#pragma once

#include "analyzer/picture/graph.hpp"
#include "tests/analyzer/trace_builder.hpp"

#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace tidemark::tests {

/// Traces to draw, in the order in which they were added.
class Gallery {
 public:
  /// `append` fills the trace.
  Gallery& load(const std::function<void(TraceBuilder&)>& append, const std::string& model = "") &;
  Gallery load(const std::function<void(TraceBuilder&)>& append, const std::string& model = "") && {
    return std::move(load(append, model));
  }

  [[nodiscard]] const std::vector<picture::Subject>& subjects() const { return subjects_; }
  [[nodiscard]] picture::Scene scene(const picture::GraphOptions& options = {}) const;

 private:
  std::vector<std::unique_ptr<TraceBuilder>> builders_;
  std::vector<std::unique_ptr<analyzer::LoadedTrace>> traces_;
  std::vector<picture::Subject> subjects_;
};

picture::GraphOptions sized(double width,
                            double height,
                            picture::Align align = picture::Align::kTime,
                            analyzer::LayerGrouping by = analyzer::LayerGrouping::kLane);

/// Every character as wide as the widest of DejaVu Sans Bold commonly are.
picture::MeasureText wide_letters();

std::vector<picture::Label> labels_of(const picture::Scene& scene);
/// All points of the strokes, or of the fills, that stand for a part.
std::vector<picture::Point> strokes_of(const picture::Scene& scene, picture::Part part);
std::vector<picture::Point> fills_of(const picture::Scene& scene, picture::Part part);
bool has_label(const picture::Scene& scene, const std::string& start);

/// No two labels overlap, and everything lies within the frame.
void check_readable(const picture::Scene& scene);

}  // namespace tidemark::tests
