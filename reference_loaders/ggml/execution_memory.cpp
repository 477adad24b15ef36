#include "reference_loaders/ggml/execution_memory.hpp"

#include <stdexcept>

namespace tidemark::loaders::ggml {

RecordedMemory::RecordedMemory(const LaidOutPass& recorded)
    : bytes_(execution_memory_bytes(recorded.bytes)),
      recorded_shape_(recorded.shape),
      recorded_offsets_(recorded.offsets) {
  buffer_.emplace(bytes_);
}

LaidOutPass RecordedMemory::lay_out(const Pass& pass) {
  buffer_.reset();
  buffer_.emplace(bytes_);
  LaidOutPass result = ggml::lay_out(buffer_->bytes(), pass);
  if (result.shape == recorded_shape_ && result.offsets != recorded_offsets_) {
    throw std::logic_error("a forward pass was laid out differently from its recording");
  }
  return result;
}

}  // namespace tidemark::loaders::ggml
