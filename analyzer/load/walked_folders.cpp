#include "analyzer/load/walked_folders.hpp"

#include "collector/trace/types/content_words.hpp"

#include <algorithm>
#include <array>

namespace tidemark::analyzer {
namespace {

constexpr std::size_t kManyFiles = 64;
constexpr std::size_t kManyEndings = 10;
constexpr std::uint64_t kSmallPart = 16;

/// Code that was loaded to be run, which is all over a language's folders.
bool is_imported(const FileUse& file) {
  static constexpr std::array<std::string_view, 4> kCode{".py", ".pyc", ".js", ".mjs"};
  return file.executable || trace::ends_with_one_of(file.path, kCode);
}

/// The part of its name from the last dot on; empty if there is no dot, or a number follows, as in
/// pieces of one thing (`0.13`, `part.007`).
std::string_view ending_of(std::string_view path) {
  const std::string_view name = path.substr(path.find_last_of('/') + 1);
  const std::size_t dot = name.rfind('.');
  const bool has_kind = dot != std::string_view::npos && dot != 0 &&
                        name.find_first_not_of("0123456789", dot + 1) != std::string_view::npos;
  return has_kind ? name.substr(dot) : std::string_view();
}

/// Calls `visit(folder)` for each folder that `path` is in, but for `/` and those right below it.
template <typename Visit>
void visit_folders(std::string_view path, const Visit& visit) {
  for (std::size_t end = path.rfind('/'); end != std::string_view::npos && end != 0;
       end = path.rfind('/', end - 1)) {
    const std::string_view folder = path.substr(0, end);
    if (folder.rfind('/') != 0) {
      visit(folder);
    }
  }
}

}  // namespace

WalkedFolders::WalkedFolders(std::span<const FileUse> files) {
  for (const FileUse& file : files) {
    if (!file.used() || is_imported(file)) {
      continue;
    }
    visit_folders(file.path, [&](std::string_view path) {
      Folder& folder = folders_[path];
      ++folder.files;
      folder.bytes += file.taken_bytes();
      if (folder.endings.size() < kManyEndings) {
        folder.endings.insert(ending_of(file.path));
      }
    });
  }
}

bool WalkedFolders::is_walked(const Folder& folder) {
  return folder.files >= kManyFiles && folder.endings.size() >= kManyEndings;
}

bool WalkedFolders::hold_in_passing(const FileUse& file) const {
  bool is_held = false;
  visit_folders(file.path, [&](std::string_view path) {
    const auto folder = folders_.find(path);
    is_held = is_held || (folder != folders_.end() && is_walked(folder->second) &&
                          folder->second.bytes / kSmallPart > file.taken_bytes());
  });
  return is_held;
}

}  // namespace tidemark::analyzer
