#include "analyzer/whole_file.hpp"

#include "collector/trace/output_file.hpp"

#include <fmt/format.h>

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <ios>
#include <sstream>
#include <system_error>

namespace tidemark::analyzer {
namespace {

namespace fs = std::filesystem;

Error cannot(std::string_view verb, const std::string& path, std::string_view why) {
  return Error{ErrorCode::kIo, fmt::format("cannot {} {}: {}", verb, path, why)};
}

std::string_view last_words() {
  return errno == 0 ? "it failed" : std::strerror(errno);
}

Status write_through(const std::string& path, std::string_view text, std::ios::openmode mode) {
  errno = 0;
  std::ofstream file(path, std::ios::binary | mode);
  file.write(text.data(), static_cast<std::streamsize>(text.size()));
  file.flush();
  return file ? success() : Status(cannot("write", path, last_words()));
}

Status replace(const std::string& path, std::string_view text) {
  trace::OutputFile file(path);
  const auto* const bytes = reinterpret_cast<const std::uint8_t*>(text.data());
  if (file.append({bytes, text.size()}) && file.publish()) {
    return success();
  }
  std::error_code ignored;
  fs::remove(file.incomplete_path(), ignored);
  return cannot("write", path, file.error());
}

}  // namespace

Result<std::string> read_whole_file(const std::string& path) {
  std::error_code error;
  if (fs::is_directory(path, error)) {
    return cannot("read", path, std::strerror(EISDIR));
  }
  errno = 0;
  const std::ifstream file(path, std::ios::binary);
  if (!file) {
    return cannot("read", path, last_words());
  }
  std::ostringstream text;
  // Streaming an empty file sets failbit on `text`, which is no error.
  text << file.rdbuf();
  return text.str();
}

Status write_whole_file(const std::string& path, std::string_view text) {
  std::error_code error;
  const auto kind = fs::status(path, error).type();
  // A rename would put a file in the place of a device.
  if (kind != fs::file_type::regular && kind != fs::file_type::not_found) {
    return write_through(path, text, std::ios::trunc);
  }
  // The name may be a link: what it leads to is replaced, not the link.
  const fs::path target = fs::weakly_canonical(path, error);
  return replace(error ? path : target.string(), text);
}

Status append_to_file(const std::string& path, std::string_view text) {
  return write_through(path, text, std::ios::app);
}

}  // namespace tidemark::analyzer
