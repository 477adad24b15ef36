#include "collector/process/process_io.hpp"

#include "collector/process/proc_file.hpp"

#include <charconv>
#include <filesystem>
#include <string>
#include <string_view>
#include <system_error>

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
  std::error_code error;
  std::filesystem::directory_iterator at(proc_path(pid, "fd"), error);
  const std::filesystem::directory_iterator end;
  for (std::size_t seen = 0; !error && at != end && seen < most; ++seen, at.increment(error)) {
    std::error_code gone;
    if (std::filesystem::read_symlink(at->path(), gone) == "anon_inode:[io_uring]") {
      return true;
    }
  }
  return false;
}

}  // namespace tidemark
