#pragma once

#include <cstdint>

namespace tidemark::loaders::nntrainer {

/// What issue 789 measured for one batch of ResNet-18, in seconds.
struct PublishedTimes {
  std::uint64_t batch = 0;
  double iteration = 0;  ///< Forward and backward.
  double offload = 0;
  double onload = 0;
};

/// Null except for batches of 10, 32 and 128.
const PublishedTimes* published_times(std::uint64_t batch);

/// Forward and backward over so many images: as published, or in proportion to the largest batch.
double iteration_seconds(std::uint64_t batch);

}  // namespace tidemark::loaders::nntrainer
