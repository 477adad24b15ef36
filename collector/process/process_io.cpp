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

bool has_ring(pid_t pid, std::size_t most) {
  // Not std::filesystem's: it ends the process where memory is short.
  DIR* const folder = ::opendir(proc_path(pid, "fd").c_str());
  if (folder == nullptr) {
    return false;
  }
  constexpr std::string_view kRing = "anon_inode:[io_uring]";
  std::array<char, 64> target{};
  bool is_found = false;
  const dirent* entry = ::readdir(folder);
  for (std::size_t seen = 0; !is_found && entry != nullptr && seen < most; ++seen) {
    const ssize_t length =
        ::readlinkat(::dirfd(folder), entry->d_name, target.data(), target.size());
    is_found =
        length > 0 && std::string_view(target.data(), static_cast<std::size_t>(length)) == kRing;
    entry = ::readdir(folder);
  }
  ::closedir(folder);
  return is_found;
}

}  // namespace tidemark
