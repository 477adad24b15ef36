/// What a look would have seen of a block.
#pragma once

#include "collector/weights/block_sample.hpp"

#include <algorithm>
#include <cstddef>
#include <span>
#include <vector>

namespace tidemark::tests {

inline weights::BlockSample sample_of(std::span<const std::byte> bytes) {
  weights::BlockSample sample;
  sample.allocation = 3;
  sample.size = bytes.size();
  sample.at_ns = 17;
  sample.first_count = weights::BlockSample::kFirstBytes;
  sample.inner_at = weights::BlockSample::inner_place(bytes.size());
  std::ranges::copy(bytes.first(sample.first.size()), sample.first.begin());
  std::ranges::copy(bytes.subspan(sample.inner_at, sample.inner.size()), sample.inner.begin());
  return sample;
}

inline weights::BlockSample sample_of(const std::vector<float>& block) {
  return sample_of(std::as_bytes(std::span(block)));
}

}  // namespace tidemark::tests
