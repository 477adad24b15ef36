#pragma once

#include <cstdint>
#include <filesystem>
#include <stdexcept>
#include <string>

namespace tidemark::loaders {

/// A file that cannot be what it claims to be. The message is one sentence for the user, with the
/// file and, where there is one, the offset of the field that gave it away. Exit status 2.
class BadInput : public std::runtime_error {
 public:
  BadInput(const std::string& file, const std::string& what);
  BadInput(const std::string& file, std::uint64_t offset, const std::string& what);
};

/// What the user asked for makes no sense. The message is one sentence. Exit status 2.
class UsageError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// Size of a model file in bytes.
/// Anything but a regular file is refused before it is opened: a pipe would block the loader, and a
/// directory reports a size of 2^63 - 1.
/// @throws BadInput
std::uint64_t model_file_bytes(const std::filesystem::path& file);

/// `text` as it may be shown in a message: names in a hostile file hold any bytes, in any number.
std::string printable(const std::string& text);

}  // namespace tidemark::loaders
