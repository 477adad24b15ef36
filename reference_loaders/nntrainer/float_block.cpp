#include "reference_loaders/nntrainer/float_block.hpp"

#include <cstdlib>
#include <new>

namespace tidemark::loaders::nntrainer {

FloatBlock::FloatBlock(std::uint64_t count, Content content) : count_(count) {
  if (count == 0) {
    return;
  }
  void* const data = content == Content::kZeros ? std::calloc(count, sizeof(float))
                                                : std::malloc(count * sizeof(float));
  if (data == nullptr) {
    throw std::bad_alloc();
  }
  data_.reset(static_cast<float*>(data));
}

void FloatBlock::Free::operator()(float* data) const {
  std::free(data);
}

}  // namespace tidemark::loaders::nntrainer
