#include "reference_loaders/tvm/field_reader.hpp"

#include "reference_loaders/bad_input.hpp"

#include <fmt/format.h>

namespace tidemark::loaders::tvm {

void FieldReader::bytes(void* data, std::uint64_t size) {
  field_offset_ = offset();
  if (stream_.read(data, size) != size) {
    refuse_at(offset(), fmt::format("the file ends in the middle of {}", part_));
  }
}

std::string FieldReader::string(const char* of) {
  const auto length = value<std::uint64_t>();
  if (length > remaining()) {
    refuse(
        fmt::format("{} of {} bytes does not fit into the {} bytes left", of, length, remaining()));
  }
  std::string text(length, '\0');
  bytes(text.data(), length);
  return text;
}

std::vector<std::string> FieldReader::strings(const char* of) {
  const std::uint64_t number = count(sizeof(std::uint64_t), of);
  // Not sized at once: an empty string takes four times the memory of its length in the file.
  std::vector<std::string> all;
  while (all.size() < number) {
    all.push_back(string(of));
  }
  return all;
}

std::vector<std::int64_t> FieldReader::integers(const char* of) {
  std::vector<std::int64_t> all(count(sizeof(std::int64_t), of));
  bytes(all.data(), all.size() * sizeof(std::int64_t));
  return all;
}

std::uint64_t FieldReader::count(std::uint64_t least_bytes, const char* of) {
  const auto number = value<std::uint64_t>();
  if (const std::uint64_t most = remaining() / least_bytes; number > most) {
    refuse(fmt::format("{} x {} is announced, but the rest of the file has room for {} at most",
                       number, of, most));
  }
  return number;
}

void FieldReader::expect_magic(std::uint64_t magic, const char* of) {
  const auto found = value<std::uint64_t>();
  if (found != magic) {
    refuse(
        fmt::format("not {}: the magic number is {:#018x} instead of {:#018x}", of, found, magic));
  }
}

void FieldReader::expect_end(const char* last) const {
  if (remaining() > 0) {
    refuse_at(offset(), fmt::format("{} bytes follow {}", remaining(), last));
  }
}

void FieldReader::refuse_at(std::uint64_t offset, const std::string& what) const {
  throw BadInput(source_, offset, what);
}

}  // namespace tidemark::loaders::tvm
