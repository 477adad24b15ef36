#pragma once

#include "reference_loaders/burn/output_file.hpp"

#include <cstdint>
#include <string_view>

namespace tidemark::loaders::burn {

/// Writes MessagePack as rmp-serde does: every head in the fewest bytes that hold it.
class MsgpackWriter {
 public:
  /// @param sink stays borrowed.
  explicit MsgpackWriter(Sink& sink) : sink_(sink) {}

  void map_head(std::uint64_t count);
  void array_head(std::uint64_t count);
  void binary_head(std::uint64_t bytes);
  void string(std::string_view text);
  void integer(std::uint64_t value);

 private:
  /// A type byte, and `value` in `bytes` bytes, big-endian.
  void head(std::uint8_t type, std::uint64_t value, int bytes);

  Sink& sink_;
};

/// Takes float32 elements as they lie in memory, and writes each as a MessagePack number.
class FloatElementSink final : public Sink {
 public:
  explicit FloatElementSink(Sink& sink) : sink_(sink) {}
  /// `size` is a multiple of 4.
  void write(const void* data, std::size_t size) override;

 private:
  Sink& sink_;
};

/// The same for int64 elements that are not negative.
class IntElementSink final : public Sink {
 public:
  explicit IntElementSink(Sink& sink) : sink_(sink) {}
  /// `size` is a multiple of 8.
  void write(const void* data, std::size_t size) override;

 private:
  Sink& sink_;
};

}  // namespace tidemark::loaders::burn
