#include "collector/drain/books/contents/file_data_book.hpp"

#include "collector/process/memory_areas.hpp"
#include "collector/process/module_ends.hpp"
#include "collector/process/page_map.hpp"

#include <algorithm>
#include <set>
#include <string_view>
#include <vector>

namespace tidemark {
namespace {

constexpr std::uint64_t kMiB = std::uint64_t{1} << 20U;
/// A process with less in all is ignored.
constexpr std::uint64_t kWorthCounting = kMiB;
/// Files with less share one block.
constexpr std::uint64_t kWorthAName = kMiB / 4;

std::string name_of(const std::string& path) {
  return "(written data of " + path.substr(path.rfind('/') + 1) + ")";
}

bool is_ours(const std::string& path) {
  return path.find("/libtidemark_") != std::string::npos;
}

/// The names of programs and libraries.
std::set<std::string_view> loaded_files(const std::vector<MemoryArea>& areas) {
  std::set<std::string_view> names;
  for (const MemoryArea& area : areas) {
    if (area.is_executable && area.is_of_file())
      names.insert(area.name);
  }
  return names;
}

/// By the name of its block.
std::map<std::string, std::uint64_t> written_data(Host& host) {
  const pid_t pid = host.process()->pid();
  const PageMap map(pid);
  const std::vector<MemoryArea> areas = read_memory_areas(pid);
  learn_module_ends(pid, areas, host.tables.module_ends);
  const std::set<std::string_view> loaded = loaded_files(areas);
  std::map<std::string, std::uint64_t> by_path;
  for (const FileArea& area : private_file_areas(areas, host.tables.module_ends)) {
    // Mappings of the program itself are counted elsewhere; one may be mapped, and filled with
    // MAP_POPULATE, before its record comes.
    if (is_ours(area.path) || !loaded.contains(area.path) ||
        !host.tables.mappings.in(area.pages.begin, area.pages.end).empty())
      continue;
    const std::uint64_t bytes =
        map.present_bytes(area.pages.begin, area.pages.end, PageMap::Which::kPrivate);
    if (bytes != 0)
      by_path[area.path] += bytes;
  }
  std::map<std::string, std::uint64_t> by_name;
  for (const auto& [path, bytes] : by_path)
    by_name[bytes < kWorthAName ? "(written data of other files)" : name_of(path)] += bytes;
  return by_name;
}

}  // namespace

/// Looks ever more rarely, as libraries are mostly loaded early. Not at a forked process, whose
/// pages are its parent's and counted there.
void FileDataBook::look(Host& host) {
  constexpr std::uint64_t kMinPauseNs = 10'000'000;
  constexpr std::uint64_t kMaxPauseNs = 500'000'000;
  const std::uint64_t now = sink_.now_ns();
  if (host.process() == nullptr || host.is_forked() || now < host.tables.next_file_data_look_ns)
    return;
  const std::uint64_t age = now - std::min(now, host.facts().begin_ns);
  host.tables.next_file_data_look_ns = now + std::clamp(age / 4, kMinPauseNs, kMaxPauseNs);
  const std::map<std::string, std::uint64_t> data = written_data(host);
  std::uint64_t all = 0;
  for (const auto& [name, bytes] : data)
    all += bytes;
  if (all == 0 || (all < kWorthCounting && host.tables.file_data.empty()))
    return;  // with nothing to see it is on its way out
  for (const auto& [name, block] : host.tables.file_data) {
    if (!data.contains(name))
      count(host, name, 0);
  }
  for (const auto& [name, bytes] : data)
    count(host, name, bytes);
}

void FileDataBook::count(Host& host, const std::string& name, std::uint64_t bytes) {
  const auto [place, is_new] = host.tables.file_data.try_emplace(name);
  if (is_new)
    begin(host, place->second, name, bytes);
  else
    resize(host, place->second, bytes);
}

void FileDataBook::begin(Host& host,
                         LiveBlock& block,
                         const std::string& name,
                         std::uint64_t bytes) {
  trace::Event event;
  event.kind = trace::EventKind::kAllocate;
  event.lane = trace::Lane::kAnon;
  event.size = bytes;
  event.stack = host.tables.stacks.named_stack(name);
  event.at_ns = sink_.now_ns();
  event.thread = host.first_thread();
  block = {sink_.emit_growth(host, event), bytes};
}

void FileDataBook::resize(Host& host, LiveBlock& block, std::uint64_t bytes) {
  if (bytes == block.size)
    return;
  sink_.emit_resize(host, host.first_thread(), trace::Lane::kAnon, block.allocation,
                    static_cast<std::int64_t>(bytes - block.size));
  block.size = bytes;
}

}  // namespace tidemark
