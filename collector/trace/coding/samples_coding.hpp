/// Samples to rows of differences and back: see "Samples block" in FORMAT.md.
#pragma once

#include "collector/trace/coding/bytes.hpp"
#include "collector/trace/types/event.hpp"

#include <vector>

namespace tidemark::trace {

/// Collects the rows of one block.
class SamplesEncoder {
 public:
  void add(const Sample& sample);
  [[nodiscard]] const ByteBuffer& rows() const { return rows_; }
  void clear();

 private:
  ByteBuffer rows_;
  Sample previous_;
};

/// Appends one block's samples to `samples`. @return false when the rows break off: those before
/// stand.
bool decode_samples(ByteView rows, std::vector<Sample>& samples);

}  // namespace tidemark::trace
