#include "analyzer/load/file_use.hpp"

#include <algorithm>
#include <utility>

namespace tidemark::analyzer {
namespace {

/// Adds the present state, unless it is hardly further than the last one.
void note_progress(FileUse& use) {
  constexpr std::size_t kMaxProgressPoints = 512;
  const std::uint64_t bytes = use.bytes_read + use.bytes_mapped;
  const std::uint64_t grain = bytes / (kMaxProgressPoints / 2);
  if (!use.progress.empty() && bytes - use.progress.back().bytes < grain) {
    return;
  }
  if (use.progress.size() == kMaxProgressPoints) {
    for (std::size_t i = 0; i < kMaxProgressPoints / 2; ++i) {
      use.progress[i] = use.progress[2 * i + 1];
    }
    use.progress.resize(kMaxProgressPoints / 2);
  }
  use.progress.push_back({use.last_use_ns, bytes});
}

}  // namespace

std::uint64_t FileUse::bytes_until(std::uint64_t ns) const {
  if (ns >= last_use_ns) {
    return bytes_read + bytes_mapped;
  }
  const auto after = std::ranges::partition_point(
      progress, [ns](const ReadingPoint& point) { return point.at_ns <= ns; });
  return after == progress.begin() ? 0 : std::prev(after)->bytes;
}

FileUse unused(const trace::File& file) {
  return {.path = file.path,
          .size = file.size,
          .executable = file.executable,
          .writable = file.writable,
          .written = file.written,
          .unlinked = file.unlinked,
          .in_memory = file.in_memory,
          .compressed = file.compressed,
          .named = file.named,
          .content = file.content,
          .unpacked_bytes = file.unpacked_bytes};
}

LibraryFolders::LibraryFolders(const trace::Definitions& definitions) {
  const auto see = [this](const std::string& path) {
    const std::string_view name = std::string_view(path).substr(path.find_last_of('/') + 1);
    if (name.ends_with(".so") || name.find(".so.") != std::string_view::npos) {
      folders_.insert(path.substr(0, path.find_last_of('/')));
    }
  };
  for (const trace::Module& module : definitions.modules) {
    see(module.path);
  }
  for (const trace::File& file : definitions.files) {
    if (file.executable) {
      see(file.path);
    }
  }
}

bool LibraryFolders::hold(std::string_view path) const {
  for (std::size_t end = path.find_last_of('/'); end != std::string_view::npos && end != 0;
       end = path.find_last_of('/', end - 1)) {
    if (folders_.contains(std::string(path.substr(0, end)))) {
      return true;
    }
  }
  return false;
}

FileUseCollector::FileUseCollector(const trace::Definitions& definitions) {
  const LibraryFolders libraries(definitions);
  std::unordered_map<std::string, std::size_t> by_path;
  for (const trace::File& file : definitions.files) {
    const auto [entry, is_new] = by_path.try_emplace(file.path, files_.size());
    if (is_new) {
      files_.push_back(unused(file));
      files_.back().is_beside_libraries = libraries.hold(file.path);
    }
    FileUse& use = files_[entry->second];
    use.size = std::max(use.size, file.size);
    use.executable = use.executable || file.executable;
    by_id_.push_back(entry->second);
  }
}

void FileUseCollector::note_open(const trace::Event& event) {
  if (event.extra < by_id_.size() && !files_[by_id_[event.extra]].used()) {
    files_[by_id_[event.extra]].opened_ns = event.at_ns;
  }
}

void FileUseCollector::add(const trace::Event& event) {
  if (event.extra >= by_id_.size()) {
    return;
  }
  FileUse& use = files_[by_id_[event.extra]];
  if (!use.used()) {
    use.first_use_ns = event.at_ns;
  }
  (event.kind == trace::EventKind::kRead ? use.bytes_read : use.bytes_mapped) += event.size;
  use.last_use_ns = event.at_ns;
  note_progress(use);
}

std::vector<FileUse> FileUseCollector::take() {
  std::erase_if(files_, [](const FileUse& use) { return !use.used() && !use.named; });
  std::ranges::stable_sort(files_, {}, &FileUse::first_use_ns);
  return std::move(files_);
}

}  // namespace tidemark::analyzer
