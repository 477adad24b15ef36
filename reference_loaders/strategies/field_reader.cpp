#include "reference_loaders/strategies/field_reader.hpp"

#include "reference_loaders/bad_input.hpp"

#include <fmt/format.h>

namespace tidemark::loaders::strategies {

FieldReader::FieldReader(ByteSource& source, const std::string& file)
    : source_(source), file_(file) {}

std::string FieldReader::bytes(std::uint64_t count) {
  if (count > remaining()) {
    refuse(fmt::format("{} says {} bytes, but the file has {} left", part_, count, remaining()));
  }
  std::string text(count, '\0');
  read(std::as_writable_bytes(std::span(text)));
  return text;
}

void FieldReader::refuse_at(std::uint64_t offset, const std::string& what) const {
  throw BadInput(file_, offset, what);
}

void FieldReader::read(std::span<std::byte> to) {
  field_ = position_;
  if (to.size() > remaining()) {
    refuse_at(source_.size(), fmt::format("the file ends in the middle of {}", part_));
  }
  source_.read_at(position_, to);
  position_ += to.size();
}

}  // namespace tidemark::loaders::strategies
