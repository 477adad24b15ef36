#include "reference_loaders/nntrainer/run.hpp"

#include "reference_loaders/nntrainer/published.hpp"

#include <fmt/format.h>

#include <chrono>
#include <string>

#include <tidemark/marks.h>

namespace tidemark::loaders::nntrainer {
namespace {

std::uint64_t digest_of(std::span<const float> values) {
  const auto extent = static_cast<std::int64_t>(values.size());
  return checksum({{"probabilities", "float32", {&extent, 1}, std::as_bytes(values)}});
}

}  // namespace

void StepRunner::run(const Step& step, const LayerData& data) {
  const bool is_forward = step.pass == Pass::kForward;
  const std::string name = fmt::format("{} running {}", network_.layers[step.layer].name,
                                       is_forward ? "forward" : "back");
  const Phase phase(name.c_str());
  const auto begin = std::chrono::steady_clock::now();
  work_.run(step.layer, step.pass, data);
  const std::chrono::duration<double> took = std::chrono::steady_clock::now() - begin;
  seconds_ += took.count();
  if (is_forward && step.layer + 1 == network_.layers.size()) {
    probabilities_ = digest_of(data.output);
  }
}

std::vector<Note> StepRunner::notes() const {
  std::string time = fmt::format("{:.3f} s", seconds_);
  const PublishedTimes* const published = published_times(network_.batch);
  if (network_.trains && published != nullptr) {
    time += fmt::format(" (published: {:.3f} s)", published->iteration);
  }
  return {{network_.trains ? "forward and backward" : "forward", time},
          {"probabilities", fmt::format("{:016x} (XXH3-64)", probabilities_)}};
}

}  // namespace tidemark::loaders::nntrainer
