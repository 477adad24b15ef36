#include "reference_loaders/nntrainer/published.hpp"

#include <algorithm>
#include <array>

namespace tidemark::loaders::nntrainer {
namespace {

constexpr std::array kPublished = {PublishedTimes{10, 1.084403, 0.351008, 0.011183},
                                   PublishedTimes{32, 3.331549, 0.897888, 0.029808},
                                   PublishedTimes{128, 13.362108, 3.299996, 0.111764}};

}  // namespace

const PublishedTimes* published_times(std::uint64_t batch) {
  const auto* const found = std::ranges::find(kPublished, batch, &PublishedTimes::batch);
  return found == kPublished.end() ? nullptr : found;
}

double iteration_seconds(std::uint64_t batch) {
  if (const PublishedTimes* const published = published_times(batch); published != nullptr) {
    return published->iteration;
  }
  const PublishedTimes& largest = kPublished.back();
  return largest.iteration * static_cast<double>(batch) / static_cast<double>(largest.batch);
}

}  // namespace tidemark::loaders::nntrainer
