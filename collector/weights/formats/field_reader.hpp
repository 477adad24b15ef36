/// Reads numbers (little-endian) and texts in sequence from untrusted bytes.
#pragma once

#include "collector/os/file_bytes.hpp"

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace tidemark::weights {

/// Past the end, results are zero or empty and `has_failed` is true.
class FieldReader {
 public:
  explicit FieldReader(std::string_view bytes) : bytes_(bytes) {}

  std::uint64_t number(std::size_t width) {
    const std::string_view field = text(width);
    return number_at(field, 0, width);
  }
  std::string_view text(std::uint64_t bytes) {
    if (bytes > bytes_.size() - at_) {
      has_failed_ = true;
      at_ = bytes_.size();
      return {};
    }
    const std::string_view field = bytes_.substr(at_, static_cast<std::size_t>(bytes));
    at_ += field.size();
    return field;
  }
  /// The text up to the next `end`, which is skipped.
  std::string_view line(char end) {
    const std::size_t found = bytes_.find(end, at_);
    const std::string_view field =
        text(found == std::string_view::npos ? bytes_.size() : found - at_);
    text(1);
    return field;
  }

  [[nodiscard]] std::size_t at() const { return at_; }
  [[nodiscard]] bool has_failed() const { return has_failed_; }
  [[nodiscard]] bool is_at_end() const { return at_ == bytes_.size(); }

 private:
  std::string_view bytes_;
  std::size_t at_ = 0;
  bool has_failed_ = false;
};

}  // namespace tidemark::weights
