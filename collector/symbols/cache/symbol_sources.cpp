#include "collector/symbols/cache/symbol_sources.hpp"

#include "collector/symbols/lookup/debug_file.hpp"
#include "collector/trace/coding/bytes.hpp"
#include "collector/trace/coding/compression.hpp"

#include <cstddef>

#include <sys/stat.h>

namespace tidemark {
namespace {

using trace::ByteBuffer;
using trace::ByteWriter;

/// Increment when the same files lead to other names than before.
constexpr std::uint64_t kNamingVersion = 2;

std::optional<struct stat> look_at(const std::string& path) {
  struct stat file {};
  if (::stat(path.c_str(), &file) != 0 || !S_ISREG(file.st_mode)) {
    return std::nullopt;
  }
  return file;
}

void add_time(ByteWriter& out, const timespec& time) {
  out.fixed(std::int64_t{time.tv_sec});
  out.fixed(std::int64_t{time.tv_nsec});
}

void add_contents(ByteWriter& out, const struct stat& file) {
  out.fixed(std::int64_t{file.st_size});
  add_time(out, file.st_mtim);
}

void add_identity(ByteWriter& out, const struct stat& file) {
  out.fixed(std::uint64_t{file.st_dev});
  out.fixed(std::uint64_t{file.st_ino});
  add_time(out, file.st_ctim);
}

}  // namespace

bool is_identity(const std::string& build_id) {
  constexpr std::size_t kDigits = 16;
  return build_id.size() >= kDigits;
}

std::optional<std::uint64_t> sources_stamp(const std::string& path,
                                           const std::string& build_id,
                                           const std::string& debug_link) {
  const auto file = look_at(path);
  if (!file) {
    return std::nullopt;
  }
  ByteBuffer facts;
  ByteWriter out(facts);
  out.fixed(kNamingVersion);
  out.string(TIDEMARK_VERSION);
  add_contents(out, *file);
  if (!is_identity(build_id)) {
    add_identity(out, *file);
  }
  for (const std::string& place : debug_file_places(path, build_id, debug_link)) {
    const auto debug_file = look_at(place);
    out.fixed(static_cast<std::uint8_t>(debug_file.has_value() ? 1 : 0));
    if (debug_file) {
      add_contents(out, *debug_file);
    }
  }
  return trace::checksum_of(facts);
}

}  // namespace tidemark
