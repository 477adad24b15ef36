#include "reference_loaders/bad_input.hpp"

#include <fmt/format.h>

#include <system_error>

namespace tidemark::loaders {

BadInput::BadInput(const std::string& file, const std::string& what)
    : std::runtime_error(fmt::format("{}: {}", file, what)) {}

BadInput::BadInput(const std::string& file, std::uint64_t offset, const std::string& what)
    : std::runtime_error(fmt::format("{}, offset {}: {}", file, offset, what)) {}

std::uint64_t model_file_bytes(const std::filesystem::path& file) {
  std::error_code error;
  const auto status = std::filesystem::status(file, error);
  if (!std::filesystem::exists(status)) {
    throw BadInput(file.string(), error ? error.message() : "No such file or directory");
  }
  if (!std::filesystem::is_regular_file(status)) {
    throw BadInput(file.string(), "not a regular file, so it cannot be a model file");
  }
  const auto bytes = std::filesystem::file_size(file, error);
  if (error) {
    throw BadInput(file.string(), error.message());
  }
  return bytes;
}

std::string printable(const std::string& text) {
  constexpr std::size_t kMaxShownCharacters = 60;
  std::string shown = text.substr(0, kMaxShownCharacters);
  for (char& c : shown) {
    if (c < ' ' || c > '~') {
      c = '?';
    }
  }
  return text.size() > kMaxShownCharacters ? shown + "..." : shown;
}

}  // namespace tidemark::loaders
