#include "collector/process/process_io.hpp"

#include "collector/process/proc_file.hpp"

#include <array>
#include <charconv>
#include <string>
#include <string_view>
#include <system_error>

#include <dirent.h>
#include <unistd.h>

namespace tidemark {
namespace {

/// @param facts of a ring's /proc/PID/fdinfo.
bool is_idle(std::string_view facts) {
  return facts.find("\nSqHead:\t0\n") != std::string_view::npos &&
         facts.find("\nCqTail:\t0\n") != std::string_view::npos;
}

}  // namespace

std::optional<std::uint64_t> bytes_read_by(pid_t pid) {
  constexpr std::string_view kKey = "rchar: ";
  const std::string text = read_proc(pid, "io");
  std::uint64_t bytes = 0;
  if (!text.starts_with(kKey) ||
      std::from_chars(text.data() + kKey.size(), text.data() + text.size(), bytes).ec !=
          std::errc{}) {
    return std::nullopt;
  }
  return bytes;
}

RingsOfProcess rings_of(pid_t pid, std::size_t most) {
  RingsOfProcess rings;
  // Not std::filesystem's, which terminates this process if memory is short.
  DIR* const folder = ::opendir(proc_path(pid, "fd").c_str());
  if (folder == nullptr) {
    return rings;
  }
  constexpr std::string_view kRing = "anon_inode:[io_uring]";
  std::array<char, 64> target{};
  const dirent* entry = ::readdir(folder);
  for (std::size_t seen = 0; entry != nullptr && seen < most; ++seen) {
    const ssize_t length =
        ::readlinkat(::dirfd(folder), entry->d_name, target.data(), target.size());
    if (length > 0 && std::string_view(target.data(), static_cast<std::size_t>(length)) == kRing) {
      const std::string facts = read_proc(pid, (std::string("fdinfo/") + entry->d_name).c_str());
      ++(is_idle(facts) ? rings.idle : rings.used);
    }
    entry = ::readdir(folder);
  }
  ::closedir(folder);
  return rings;
}

}  // namespace tidemark
