#include "collector/symbols/cache/symbol_cache.hpp"

#include "collector/symbols/cache/symbol_sources.hpp"
#include "collector/trace/coding/compression.hpp"
#include "collector/trace/output/write_all.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cerrno>
#include <ctime>
#include <filesystem>
#include <random>
#include <string_view>
#include <vector>

#include <dirent.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

namespace tidemark {
namespace {

constexpr std::string_view kUnfinished = "unfinished-";
constexpr std::time_t kHour = 3600;
constexpr std::time_t kDay = 24 * kHour;

/// @return true for a file or folder that no other user can have written.
bool is_private(const struct stat& file) {
  return file.st_uid == ::geteuid() && (file.st_mode & (S_IWGRP | S_IWOTH)) == 0;
}

/// Folders are made where this user, or the system, is at home: root leaves none in another's home,
/// where their owner could not use them.
bool may_make_in(const std::filesystem::path& parent) {
  struct stat folder {};
  return ::stat(parent.c_str(), &folder) == 0 &&
         (folder.st_uid == ::geteuid() || folder.st_uid == 0);
}

bool make_folders(const std::filesystem::path& folder) {
  std::error_code ignored;
  if (std::filesystem::is_directory(folder, ignored)) {
    return true;
  }
  const auto parent = folder.parent_path();
  return parent != folder && make_folders(parent) && may_make_in(parent) &&
         (::mkdir(folder.c_str(), S_IRWXU) == 0 || errno == EEXIST);
}

bool read_all(int file, trace::ByteBuffer& bytes) {
  std::size_t done = 0;
  while (done < bytes.size()) {
    const ssize_t got = ::read(file, bytes.data() + done, bytes.size() - done);
    if (got <= 0) {
      return false;
    }
    done += static_cast<std::size_t>(got);
  }
  return true;
}

/// The time of modification is that of the last use, to the day: updating it at each read is not
/// worth a write.
void note_use(int file, const struct stat& facts) {
  if (facts.st_mtim.tv_sec < std::time(nullptr) - kDay) {
    ::futimens(file, nullptr);
  }
}

std::string unfinished_name() {
  std::random_device random;
  return fmt::format("{}{:08x}{:08x}", kUnfinished, random(), random());
}

struct KeptFile {
  std::string name;
  std::uint64_t bytes = 0;
  timespec used{};
};

bool was_used_before(const KeptFile& a, const KeptFile& b) {
  return std::pair(a.used.tv_sec, a.used.tv_nsec) < std::pair(b.used.tv_sec, b.used.tv_nsec);
}

std::vector<std::string> names_in(int folder) {
  std::vector<std::string> names;
  const int again = ::openat(folder, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  DIR* entries = again >= 0 ? ::fdopendir(again) : nullptr;
  if (entries == nullptr) {
    const FileDescriptor closed(again);
    return names;
  }
  while (const dirent* entry = ::readdir(entries)) {
    names.emplace_back(entry->d_name);
  }
  ::closedir(entries);
  return names;
}

std::vector<KeptFile> files_in(int folder) {
  std::vector<KeptFile> files;
  for (std::string& name : names_in(folder)) {
    struct stat file {};
    if (::fstatat(folder, name.c_str(), &file, AT_SYMLINK_NOFOLLOW) == 0 && S_ISREG(file.st_mode)) {
      files.push_back({std::move(name), static_cast<std::uint64_t>(file.st_size), file.st_mtim});
    }
  }
  return files;
}

}  // namespace

std::string SymbolCache::default_folder(const char* cache_home, const char* home) {
  // Both must be absolute to count: so says the XDG Base Directory Specification.
  if (cache_home != nullptr && *cache_home == '/') {
    return fmt::format("{}/tidemark/symbols", cache_home);
  }
  return home != nullptr && *home == '/' ? fmt::format("{}/.cache/tidemark/symbols", home)
                                         : std::string();
}

std::unique_ptr<const SymbolCache> SymbolCache::open(const std::string& folder) {
  if (folder.empty() || !make_folders(folder)) {
    return nullptr;
  }
  FileDescriptor opened(::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC));
  struct stat facts {};
  if (!opened.is_open() || ::fstat(opened.number(), &facts) != 0 || !is_private(facts)) {
    return nullptr;
  }
  return std::unique_ptr<const SymbolCache>(new SymbolCache(std::move(opened)));
}

std::string SymbolCache::key_of(const std::string& path, const std::string& build_id) {
  if (is_identity(build_id)) {
    return build_id;
  }
  const trace::ByteView text(reinterpret_cast<const std::uint8_t*>(path.data()), path.size());
  return fmt::format("path-{:016x}", trace::checksum_of(text));
}

std::optional<CachedSymbols> SymbolCache::load(const std::string& key) const {
  const FileDescriptor file(::openat(folder_.number(), key.c_str(),
                                     O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY | O_CLOEXEC));
  struct stat facts {};
  if (!file.is_open() || ::fstat(file.number(), &facts) != 0 || !S_ISREG(facts.st_mode) ||
      !is_private(facts) || static_cast<std::uint64_t>(facts.st_size) > kMaxCacheFileBytes) {
    return std::nullopt;
  }
  trace::ByteBuffer bytes(static_cast<std::size_t>(facts.st_size));
  if (!read_all(file.number(), bytes)) {
    return std::nullopt;
  }
  auto symbols = CachedSymbols::open(std::move(bytes));
  if (!symbols || symbols->subject().key != key) {
    return std::nullopt;
  }
  note_use(file.number(), facts);
  return symbols;
}

void SymbolCache::store(const std::string& key, const trace::ByteBuffer& file) const {
  if (file.size() > kMaxCacheFileBytes) {
    return;
  }
  const std::string name = unfinished_name();
  const FileDescriptor out(::openat(folder_.number(), name.c_str(),
                                    O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC,
                                    S_IRUSR | S_IWUSR));
  if (!out.is_open()) {
    return;
  }
  // Not synchronised to the disk: the checksum rejects what a crash leaves of it.
  if (trace::write_all(out.number(), file.data(), file.size()) != 0 ||
      ::renameat(folder_.number(), name.c_str(), folder_.number(), key.c_str()) != 0) {
    ::unlinkat(folder_.number(), name.c_str(), 0);
  }
}

void SymbolCache::trim(std::uint64_t max_bytes) const {
  std::vector<KeptFile> files = files_in(folder_.number());
  std::ranges::sort(files, was_used_before);
  std::uint64_t total = 0;
  for (const KeptFile& file : files) {
    total += file.bytes;
  }
  const std::time_t now = std::time(nullptr);
  for (const KeptFile& file : files) {
    const bool is_left_behind =
        file.name.starts_with(kUnfinished) && file.used.tv_sec < now - kHour;
    if ((total > max_bytes || is_left_behind) &&
        ::unlinkat(folder_.number(), file.name.c_str(), 0) == 0) {
      total -= file.bytes;
    }
  }
}

}  // namespace tidemark
