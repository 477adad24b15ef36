#include "analyzer/load/reading_progress.hpp"

#include <algorithm>

namespace tidemark::analyzer {

std::uint64_t model_first_use_ns(const LoadFacts& load) {
  std::uint64_t first_ns = UINT64_MAX;
  for (const std::size_t number : load.model.files) {
    first_ns = std::min(first_ns, load.files[number].first_use_ns);
  }
  return first_ns;
}

std::uint64_t model_bytes_until(const LoadFacts& load, std::uint64_t ns) {
  std::uint64_t bytes = 0;
  for (const std::size_t number : load.model.files) {
    bytes += load.files[number].bytes_until(ns);
  }
  return bytes;
}

std::optional<std::uint64_t> when_model_bytes(const LoadFacts& load, std::uint64_t bytes) {
  std::uint64_t first = 0;
  std::uint64_t last = load.duration_ns;
  if (model_bytes_until(load, last) < bytes) {
    return std::nullopt;
  }
  while (first < last) {
    const std::uint64_t middle = first + (last - first) / 2;
    if (model_bytes_until(load, middle) >= bytes) {
      last = middle;
    } else {
      first = middle + 1;
    }
  }
  return first;
}

}  // namespace tidemark::analyzer
