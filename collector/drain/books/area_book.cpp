#include "collector/drain/books/area_book.hpp"

#include "collector/os/clocks.hpp"
#include "collector/os/file_content.hpp"
#include "collector/os/file_descriptor.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <string_view>
#include <utility>

#include <linux/magic.h>
#include <sys/stat.h>
#include <sys/vfs.h>

namespace tidemark {
namespace {

/// Of one file: less cannot be a model, and a small file is a runtime's own, mostly.
constexpr std::uint64_t kWorthSaying = std::uint64_t{1} << 20U;
/// All looks take one part of so many of the time.
constexpr std::uint64_t kTimeParts = 100;
constexpr std::uint64_t kMinPauseNs = 10'000'000;
/// Files of one host, and of the session: a host that maps more is not believed.
constexpr std::size_t kMaxFiles = 4096;

constexpr std::string_view kDeleted = " (deleted)";
constexpr std::string_view kSharedAnonymous = "/dev/zero (deleted)";

bool is_memory_without_a_name(std::string_view name) {
  return name.starts_with("/memfd:") || name == kSharedAnonymous;
}

/// The session's own memory, what a driver or the kernel maps itself (it has a name without a
/// folder), and devices, are none. Nor is a segment of System V: one that was marked to be removed
/// cannot be told from outside.
bool may_be_a_file(std::string_view name) {
  if (is_memory_without_a_name(name))
    return !name.starts_with("/memfd:tidemark");
  const bool has_folder = name.starts_with('/') && name.find('/', 1) != std::string_view::npos;
  // nscd's tables, which libc maps for itself.
  if (name.starts_with("/var/cache/nscd/") || name.starts_with("/var/db/nscd/"))
    return false;
  return has_folder && (!name.starts_with("/dev/") || name.starts_with("/dev/shm/"));
}

/// Files of which code is mapped.
std::set<std::string_view> programs_in(const std::vector<MemoryArea>& areas) {
  std::set<std::string_view> names;
  for (const MemoryArea& area : areas) {
    if (area.is_executable && area.is_of_file())
      names.insert(area.name);
  }
  return names;
}

/// Anonymous memory does not explain a file that lies there: it was mapped over it.
bool explains_file(const Mapping& mapping) {
  return mapping.kind != Mapping::Kind::kAnon && mapping.kind != Mapping::Kind::kReserved;
}

PageRanges all_of(const std::vector<MemoryArea>& areas) {
  PageRanges pages;
  for (const MemoryArea& area : areas)
    pages.add(area.pages);
  return pages;
}

PageRanges files_in(const std::vector<MemoryArea>& areas) {
  PageRanges pages;
  for (const MemoryArea& area : areas) {
    if (area.is_of_file())
      pages.add(area.pages);
  }
  return pages;
}

/// What of `pages` is in `others`, too.
PageRanges common(const PageRanges& pages, const PageRanges& others) {
  PageRanges both;
  for (const PageRange& range : pages.all()) {
    for (const PageRange& part : others.in(range))
      both.add(part);
  }
  return both;
}

/// By the records it is mapped, and by the kernel's list it is not.
PageRanges find_missing(const Host& host, const PageRanges& mapped) {
  PageRanges missing;
  for (const auto& [begin, mapping] : host.tables.mappings.all()) {
    if (mapping.kind == Mapping::Kind::kInternal || mapping.is_break)
      continue;
    const PageRange range{mapping.begin, mapping.end};
    if (mapped.bytes_in(range) == range.bytes())
      continue;
    missing.add(range);
    for (const PageRange& part : mapped.in(range))
      missing.remove(part);
  }
  return missing;
}

std::uint64_t bytes_of(const PageRanges& pages) {
  return pages.bytes_in({0, ~std::uint64_t{0}});
}

bool is_in_memory(const FileDescriptor& file) {
  struct statfs system {};
  if (::fstatfs(file.number(), &system) != 0)
    return false;
  return system.f_type == TMPFS_MAGIC || system.f_type == RAMFS_MAGIC ||
         system.f_type == HUGETLBFS_MAGIC;
}

}  // namespace

/// A file that is deleted cannot be opened, but for a privileged recorder.
AreaBook::File AreaBook::judge(const Host& host, const std::string& path) {
  File judged;
  if (is_memory_without_a_name(path)) {
    judged.counts = judged.is_in_memory = true;
    return judged;
  }
  if (path.ends_with(kDeleted)) {
    judged.counts = true;
    judged.is_in_memory = path.starts_with("/dev/shm/");
    return judged;
  }
  const FileDescriptor file =
      open_regular_file(fmt::format("/proc/{}/root{}", host.process()->pid(), path));
  struct stat status {};
  if (!file.is_open() || ::fstat(file.number(), &status) != 0)
    return judged;
  judged.size = static_cast<std::uint64_t>(status.st_size);
  const std::string_view content = look_into(file, judged.size).word;
  judged.counts = content != "program" && content != "runtime";
  judged.is_in_memory = is_in_memory(file);
  return judged;
}

std::vector<PageRange> AreaBook::look(Host& host, std::size_t hosts) {
  AreaStates& states = host.tables.areas;
  if (states.has_gaps || host.process() == nullptr || host.memory() == nullptr ||
      sink_.now_ns() < states.next_look_ns)
    return {};
  const std::uint64_t began_ns = clock_ns(CLOCK_THREAD_CPUTIME_ID);
  const std::vector<MemoryArea> areas = parse_memory_areas(host.memory()->read_maps());
  PageRanges gone;
  if (!areas.empty()) {
    const PageRanges files = files_in(areas);
    if (!std::exchange(states.was_looked_at, true) && host.is_forked())
      states.leaving = files;
    states.leaving = common(states.leaving, files);
    find_unseen(host, areas);
    PageRanges missing = find_missing(host, all_of(areas));
    gone = common(missing, states.missing);
    for (const PageRange& range : gone.all())
      missing.remove(range);
    states.missing = std::move(missing);
  }
  const std::uint64_t cost_ns = clock_ns(CLOCK_THREAD_CPUTIME_ID) - began_ns;
  states.next_look_ns = sink_.now_ns() + std::max(kMinPauseNs, kTimeParts * cost_ns * hosts);
  return gone.all();
}

void AreaBook::find_unseen(Host& host, const std::vector<MemoryArea>& areas) {
  AreaStates& states = host.tables.areas;
  const std::set<std::string_view> programs = programs_in(areas);
  for (const MemoryArea& area : areas) {
    if (!may_be_a_file(area.name) || programs.contains(area.name))
      continue;
    PageRanges unexplained;
    unexplained.add(area.pages);
    for (const Mapping& mapping : host.tables.mappings.in(area.pages.begin, area.pages.end)) {
      if (explains_file(mapping))
        unexplained.remove({mapping.begin, mapping.end});
    }
    for (const PageRange& part : states.leaving.in(area.pages))
      unexplained.remove(part);
    if (unexplained.is_empty() ||
        (!states.unseen.contains(area.name) && states.unseen.size() >= kMaxFiles))
      continue;
    PageRanges& pages = states.unseen[area.name];
    for (const PageRange& range : unexplained.all())
      pages.add(range);
  }
  // While it lives: once it has ended, nobody can ask which file its name leads to.
  for (const auto& [path, pages] : states.unseen) {
    if (!files_.contains(path) && files_.size() < kMaxFiles && bytes_of(pages) >= kWorthSaying)
      files_.emplace(path, judge(host, path));
  }
}

/// The same file in several processes is said once.
void AreaBook::end(const Host& host) {
  for (const auto& [path, pages] : host.tables.areas.unseen) {
    const auto known = files_.find(path);
    if (known == files_.end() || !known->second.counts)
      continue;
    File& file = known->second;
    const std::uint64_t bytes = bytes_of(pages);
    const std::uint64_t most = file.size == 0 ? bytes : wire::round_to_page(file.size);
    file.unseen_bytes = std::max(file.unseen_bytes, std::min(bytes, most));
  }
}

void AreaBook::put_into(trace::Loss& loss) const {
  for (const auto& [path, file] : files_) {
    if (file.unseen_bytes >= kWorthSaying)
      loss.mapped_unseen.push_back(
          {path.substr(0, trace::kMaxUnseenPathBytes), file.unseen_bytes, file.is_in_memory});
  }
  std::ranges::stable_sort(loss.mapped_unseen, std::greater{}, &trace::UnseenFile::bytes);
  for (std::size_t i = 0; i < loss.mapped_unseen.size(); ++i) {
    loss.mapped_unseen_bytes += loss.mapped_unseen[i].bytes;
    loss.shared_unseen_bytes += loss.mapped_unseen[i].in_memory ? loss.mapped_unseen[i].bytes : 0;
  }
  loss.mapped_unseen.resize(std::min(loss.mapped_unseen.size(), trace::kMaxUnseenFiles));
  loss.unmapped_unseen_bytes = missing_bytes_;
}

}  // namespace tidemark
