#include "analyzer/io/whole_file.hpp"

#include "analyzer/io/out_of_memory.hpp"
#include "collector/trace/output/output_file.hpp"

#include <fmt/format.h>

#include <array>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <new>
#include <system_error>

namespace tidemark::analyzer {
namespace {

namespace fs = std::filesystem;

/// Files that are read whole are written by people, or kept small: a device has no end.
constexpr std::size_t kMaxFileBytes = std::size_t{64} << 20U;

Error cannot(std::string_view verb, const std::string& path, std::string_view why) {
  return Error{ErrorCode::kIo,
               fmt::format("cannot {} {}: {}", verb, path.empty() ? "''" : path, why)};
}

std::string_view last_words() {
  return errno == 0 ? "it failed" : std::strerror(errno);
}

bool append_text(trace::OutputFile& file, std::string_view text) {
  return file.append({reinterpret_cast<const std::uint8_t*>(text.data()), text.size()});
}

bool append_text(trace::OutputFile& file, const Pieces& pieces) {
  for (std::string piece = pieces(); !piece.empty(); piece = pieces()) {
    if (!append_text(file, piece)) {
      return false;
    }
  }
  return true;
}

template <typename Text>
Status write_file(const std::string& path, const Text& text, trace::OutputFile::Way way) {
  auto file = trace::OutputFile::create(path, way);
  if (!file.ok()) {
    return file.error();
  }
  try {
    if (append_text(*file.value(), text) && file.value()->publish()) {
      return success();
    }
    file.value()->discard();
    return cannot("write", path, file.value()->error());
  } catch (const std::bad_alloc&) {
    file.value()->discard();
    throw;
  }
}

/// The same, but if memory runs out, what was begun is removed before the process ends.
template <typename Text>
Status write_file_or_nothing(const std::string& path,
                             const Text& text,
                             trace::OutputFile::Way way) {
  const ThrowsWhenOutOfMemory scope;
  try {
    return write_file(path, text, way);
  } catch (const std::bad_alloc&) {
    return Error{ErrorCode::kIo, "out of memory"};  // Short enough to need none.
  }
}

}  // namespace

Result<std::string> read_whole_file(const std::string& path) {
  std::error_code error;
  if (fs::is_directory(path, error)) {
    return cannot("read", path, std::strerror(EISDIR));
  }
  errno = 0;
  std::ifstream file(path, std::ios::binary);
  if (!file) {
    return cannot("read", path, last_words());
  }
  std::string text;
  std::array<char, std::size_t{1} << 16U> piece{};
  do {
    file.read(piece.data(), piece.size());
    text.append(piece.data(), static_cast<std::size_t>(file.gcount()));
  } while (file && text.size() <= kMaxFileBytes);
  if (file.bad()) {
    return cannot("read", path, last_words());
  }
  if (text.size() > kMaxFileBytes) {
    return cannot("read", path, "it is larger than 64 MiB, as nothing of its kind is");
  }
  return text;
}

Status write_whole_file(const std::string& path, std::string_view text) {
  return write_file_or_nothing(path, text, trace::OutputFile::Way::kAtOnce);
}

Status write_whole_file(const std::string& path, const Pieces& pieces) {
  return write_file_or_nothing(path, pieces, trace::OutputFile::Way::kAtOnce);
}

Status append_to_file(const std::string& path, std::string_view text) {
  return write_file_or_nothing(path, text, trace::OutputFile::Way::kAppended);
}

}  // namespace tidemark::analyzer
