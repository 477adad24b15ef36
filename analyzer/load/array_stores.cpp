#include "analyzer/load/array_stores.hpp"

#include "analyzer/load/file_standing.hpp"

#include <algorithm>
#include <array>
#include <string_view>
#include <unordered_map>
#include <unordered_set>

namespace tidemark::analyzer {
namespace {

/// Zarr's since version 3, those of version 2, and OCDBT's.
constexpr std::array<std::string_view, 5> kDescriptions{"zarr.json", ".zarray", ".zgroup",
                                                        ".zmetadata", "manifest.ocdbt"};

/// The highest of the folders around `path` that are stores; empty if there is none.
std::string_view store_of(std::string_view path,
                          const std::unordered_set<std::string_view>& folders) {
  for (std::size_t end = path.find('/'); end != path.npos; end = path.find('/', end + 1)) {
    const std::string_view folder = path.substr(0, end + 1);
    if (folders.contains(folder)) {
      return folder;
    }
  }
  return {};
}

bool may_be_part(const FileUse& file) {
  const std::uint64_t taken = std::max(file.bytes_read, file.bytes_mapped);
  return taken != 0 && taken >= file.size / 2 && may_be_piece_of_weights(file);
}

}  // namespace

ArrayStores::ArrayStores(std::span<const FileUse> files) : bytes_with_(files.size()) {
  std::unordered_set<std::string_view> folders;
  for (const FileUse& file : files) {
    const std::string_view path = file.path;
    const std::size_t name = path.find_last_of('/') + 1;
    if (file.used() && std::ranges::find(kDescriptions, path.substr(name)) != kDescriptions.end()) {
      folders.insert(path.substr(0, name));
    }
  }
  if (folders.empty()) {
    return;
  }
  std::unordered_map<std::string_view, std::uint64_t> bytes;
  std::vector<std::string_view> stores(files.size());
  for (std::size_t i = 0; i < files.size(); ++i) {
    stores[i] = may_be_part(files[i]) ? store_of(files[i].path, folders) : std::string_view();
    if (!stores[i].empty()) {
      bytes[stores[i]] += files[i].taken_bytes();
    }
  }
  for (std::size_t i = 0; i < files.size(); ++i) {
    bytes_with_[i] = stores[i].empty() ? 0 : bytes[stores[i]];
  }
}

}  // namespace tidemark::analyzer
