/// Pictures of small traces, and what must hold of any picture.
#pragma once

#include "analyzer/plot/graph.hpp"
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

  [[nodiscard]] const std::vector<plot::Subject>& subjects() const { return subjects_; }
  [[nodiscard]] plot::Scene scene(const plot::GraphOptions& options = {}) const;

 private:
  std::vector<std::unique_ptr<TraceBuilder>> builders_;
  std::vector<std::unique_ptr<analyzer::LoadedTrace>> traces_;
  std::vector<plot::Subject> subjects_;
};

plot::GraphOptions sized(double width, double height, plot::Align align = plot::Align::kTime);

/// Every character as wide as the widest of DejaVu Sans Bold commonly are.
plot::MeasureText wide_letters();

std::vector<plot::Label> labels_of(const plot::Scene& scene);
/// All points of the strokes, or of the fills, that stand for a part.
std::vector<plot::Point> strokes_of(const plot::Scene& scene, plot::Part part);
std::vector<plot::Point> fills_of(const plot::Scene& scene, plot::Part part);
bool has_label(const plot::Scene& scene, const std::string& start);

/// No two labels overlap, and everything lies within the frame.
void check_readable(const plot::Scene& scene);

}  // namespace tidemark::tests
