#include "reference_loaders/system.hpp"

#include <numeric>

namespace tidemark::loaders {

std::uint64_t ModelFacts::weight_bytes() const {
  return std::accumulate(tensor_bytes.begin(), tensor_bytes.end(), std::uint64_t{0});
}

}  // namespace tidemark::loaders
