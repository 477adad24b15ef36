#include "analyzer/file_use.hpp"

#include <algorithm>
#include <utility>

namespace tidemark::analyzer {

FileUseCollector::FileUseCollector(const trace::Definitions& definitions) {
  std::unordered_map<std::string, std::size_t> by_path;
  for (const trace::File& file : definitions.files) {
    const auto [entry, is_new] = by_path.try_emplace(file.path, files_.size());
    if (is_new) {
      files_.emplace_back().path = file.path;
    }
    FileUse& use = files_[entry->second];
    use.size = std::max(use.size, file.size);
    use.executable = use.executable || file.executable;
    by_id_.push_back(entry->second);
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
}

std::vector<FileUse> FileUseCollector::take() {
  std::erase_if(files_, [](const FileUse& use) { return !use.used(); });
  std::ranges::stable_sort(files_, {}, &FileUse::first_use_ns);
  return std::move(files_);
}

}  // namespace tidemark::analyzer
