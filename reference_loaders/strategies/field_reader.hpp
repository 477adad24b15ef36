#pragma once

#include "reference_loaders/strategies/weights_file.hpp"

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>

namespace tidemark::loaders::strategies {

/// Reads the fields of a header from front to back, through a small buffer, and names the field
/// that is wrong. Every length is checked against what is left of the file before anything is
/// allocated for it.
class FieldReader {
 public:
  /// @param file the file's name, for messages. Both stay borrowed.
  FieldReader(ByteSource& source, const std::string& file);

  [[nodiscard]] std::uint64_t position() const { return position_; }
  [[nodiscard]] std::uint64_t remaining() const { return source_.size() - position_; }

  /// What is being read, for messages: "tensor 'a'".
  void enter(std::string part) { part_ = std::move(part); }
  [[nodiscard]] const std::string& part() const { return part_; }

  template <typename T>
  T value() {
    T value{};
    read(std::as_writable_bytes(std::span(&value, 1)));
    return value;
  }

  /// So many bytes. @throws BadInput when the file has fewer left, before it allocates
  std::string bytes(std::uint64_t count);

  /// Refuses the file because of the field read last, or of what is at `offset`.
  [[noreturn]] void refuse(const std::string& what) const { refuse_at(field_, what); }
  [[noreturn]] void refuse_at(std::uint64_t offset, const std::string& what) const;

 private:
  void read(std::span<std::byte> to);

  ByteSource& source_;
  const std::string& file_;
  std::string part_ = "the header";
  std::uint64_t position_ = 0;
  std::uint64_t field_ = 0;  ///< Where the field read last begins.
};

}  // namespace tidemark::loaders::strategies
