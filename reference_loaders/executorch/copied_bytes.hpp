#pragma once

#include "reference_loaders/bad_input.hpp"

#include <cstdint>
#include <string>

namespace tidemark::loaders::executorch {

/// Counts what is copied out of a flatbuffer. Offsets in a flatbuffer may make any number of
/// strings share the same bytes, so that a small file could request any amount of memory: so the
/// total copied may not exceed the flatbuffer's size.
class CopiedBytes {
 public:
  /// @param file the file's name, for messages; stays borrowed.
  CopiedBytes(std::uint64_t flatbuffer_bytes, const std::string& file)
      : left_(flatbuffer_bytes), file_(file) {}

  /// @throws BadInput when the total would exceed that.
  void add(std::uint64_t bytes) {
    if (bytes > left_) {
      throw BadInput(file_, "parts of its flatbuffer lie on top of each other");
    }
    left_ -= bytes;
  }

 private:
  std::uint64_t left_;
  const std::string& file_;
};

}  // namespace tidemark::loaders::executorch
