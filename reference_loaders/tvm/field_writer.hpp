#pragma once

#include "reference_loaders/tvm/stream.hpp"

#include <cstdint>
#include <string>
#include <type_traits>
#include <vector>

/// dmlc's primitives, the other way round: see FieldReader. All throw what the stream throws.
namespace tidemark::loaders::tvm {

template <typename T>
void write_value(Stream& stream, const T& value) {
  static_assert(std::is_trivially_copyable_v<T>);
  stream.write(&value, sizeof value);
}

inline void write_string(Stream& stream, const std::string& text) {
  write_value(stream, std::uint64_t{text.size()});
  stream.write(text.data(), text.size());
}

inline void write_strings(Stream& stream, const std::vector<std::string>& all) {
  write_value(stream, std::uint64_t{all.size()});
  for (const std::string& text : all) {
    write_string(stream, text);
  }
}

inline void write_integers(Stream& stream, const std::vector<std::int64_t>& all) {
  write_value(stream, std::uint64_t{all.size()});
  stream.write(all.data(), all.size() * sizeof(std::int64_t));
}

}  // namespace tidemark::loaders::tvm
