#include "collector/drain/books/area_book.hpp"

#include "collector/drain/books/bare_memory.hpp"
#include "collector/os/clocks.hpp"
#include "collector/os/content/file_content.hpp"
#include "collector/process/area_file_opener.hpp"
#include "collector/process/process_facts.hpp"

#include <algorithm>
#include <functional>
#include <set>
#include <string_view>
#include <tuple>
#include <utility>

#include <linux/magic.h>
#include <sys/stat.h>
#include <sys/vfs.h>

namespace tidemark {
namespace {

/// Smallest unexplained part of a file that is reported: less cannot be a model, and small files
/// mostly belong to a runtime.
constexpr std::uint64_t kWorthSaying = std::uint64_t{1} << 20U;
/// All looks take at most one in this many parts of the time.
constexpr std::uint64_t kTimeParts = 100;
constexpr std::uint64_t kMinAreaPauseNs = 10'000'000;
/// Limit on files of one host, and of the session: a host that maps more is not believed.
constexpr std::size_t kMaxFiles = 4096;
/// Files that are kept open until the end.
constexpr std::size_t kMaxOpenFiles = 64;

constexpr std::string_view kSharedAnonymous = "/dev/zero (deleted)";

/// "/SYSV" names a segment of System V.
bool is_memory_without_a_name(std::string_view name) {
  return name.starts_with("/memfd:") || name == kSharedAnonymous || name.starts_with("/SYSV");
}

/// False for the session's own memory, for devices, and for what a driver or the kernel maps itself
/// (its name has no folder).
bool may_be_a_file(std::string_view name) {
  if (is_memory_without_a_name(name))
    return !name.starts_with("/memfd:tidemark");
  const bool has_folder = name.starts_with('/') && name.find('/', 1) != std::string_view::npos;
  // nscd's tables, which libc maps for itself.
  if (name.starts_with("/var/cache/nscd/") || name.starts_with("/var/db/nscd/"))
    return false;
  return has_folder && (!name.starts_with("/dev/") || name.starts_with("/dev/shm/"));
}

/// A new ring makes a look at the descriptors worthwhile: one made by the `syscall` instruction has
/// no record.
void count_rings(HostSampling::RingLooks& looks,
                 const std::vector<MemoryArea>& areas,
                 std::uint64_t now_ns) {
  const auto mapped = static_cast<std::size_t>(std::ranges::count_if(
      areas, [](const MemoryArea& area) { return area.name == "anon_inode:[io_uring]"; }));
  if (mapped > std::exchange(looks.mapped, mapped))
    looks.expected_ns = now_ns;
}

/// Files that are mapped executable.
std::set<AreaFile> programs_in(const std::vector<MemoryArea>& areas) {
  std::set<AreaFile> files;
  for (const MemoryArea& area : areas) {
    if (area.is_executable && area.is_of_file())
      files.insert(area.file);
  }
  return files;
}

/// A recorded anonymous mapping does not explain a file at that place: the file was mapped over it.
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

/// The intersection of `pages` and `others`.
PageRanges common(const PageRanges& pages, const PageRanges& others) {
  PageRanges both;
  for (const PageRange& range : pages.all()) {
    for (const PageRange& part : others.in(range))
      both.add(part);
  }
  return both;
}

/// Ranges that are mapped according to the records, but not in the kernel's list.
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

/// @param files all files found by the first look at a forked process.
void tell_inherited(AreaStates& states, const PageRanges& files) {
  states.leaving = states.parent_named != nullptr ? common(files, *states.parent_named) : files;
  states.not_from_parent = files;
  for (const PageRange& range : states.leaving.all())
    states.not_from_parent.remove(range);
}

bool is_in_memory(const FileDescriptor& file) {
  struct statfs system {};
  if (::fstatfs(file.number(), &system) != 0)
    return false;
  return system.f_type == TMPFS_MAGIC || system.f_type == RAMFS_MAGIC ||
         system.f_type == HUGETLBFS_MAGIC;
}

}  // namespace

/// Reads nothing of its content: that may take any time, while the drain waits.
AreaBook::File AreaBook::open_file(const Host& host, const MemoryArea& area) {
  File file;
  file.path = area.name.substr(0, trace::kMaxUnseenPathBytes);
  file.is_in_memory = is_memory_without_a_name(area.name) || area.name.starts_with("/dev/shm/");
  if (is_memory_without_a_name(area.name))
    return file;
  FileDescriptor opened = open_area_file(host.process()->pid(), area);
  struct stat status {};
  if (!opened.is_open() || ::fstat(opened.number(), &status) != 0)
    return file;
  file.was_opened = true;
  file.size = static_cast<std::uint64_t>(status.st_size);
  file.is_in_memory = is_in_memory(opened);
  if (files_open_ < kMaxOpenFiles)
    file.content = unless_among_the_last(std::move(opened));
  if (file.content.is_open())
    ++files_open_;
  return file;
}

/// A file that could not be opened counts as the program's own.
bool AreaBook::is_of_runtime(const AreaFile& name, const File& file) {
  if (!file.was_opened)
    return false;
  const FileDescriptor again =
      file.content.is_open() ? FileDescriptor() : open_file_at(file.path, name);
  const FileDescriptor& opened = file.content.is_open() ? file.content : again;
  if (!opened.is_open())
    return false;
  const std::string_view content = look_into(opened, file.size).word;
  return content == "program" || content == "runtime";
}

AreaBook::Found AreaBook::look(Host& host, std::size_t hosts) {
  AreaStates& states = host.tables.areas;
  if (states.has_gaps || host.process() == nullptr || host.memory() == nullptr ||
      sink_.now_ns() < states.next_look_ns)
    return {};
  const std::uint64_t began_ns = clock_ns(CLOCK_THREAD_CPUTIME_ID);
  const std::vector<MemoryArea> areas = parse_memory_areas(host.memory()->read_maps());
  // Checked after the list was read, which may show the effect of a dropped record.
  if (sink_.has_dropped()) {
    states.stop_comparing();
    return {};
  }
  Found found;
  if (!areas.empty()) {
    count_rings(host.sampling.rings, areas, sink_.now_ns());
    const PageRanges files = files_in(areas);
    if (!std::exchange(states.was_looked_at, true) && host.is_forked())
      tell_inherited(states, files);
    states.leaving = common(states.leaving, files);
    find_unrecorded(host, areas);
    const PageRanges mapped = all_of(areas);
    states.freed = may_unmap_yet(host) ? common(states.freed, mapped) : PageRanges();
    found.gone = confirm_gone(host, mapped);
    found.bare = confirm_bare(host, areas, mapped);
  }
  const std::uint64_t cost_ns = clock_ns(CLOCK_THREAD_CPUTIME_ID) - began_ns;
  states.next_look_ns = sink_.now_ns() + std::max(kMinAreaPauseNs, kTimeParts * cost_ns * hosts);
  return found;
}

/// Whether what is freed and still mapped may be about to be unmapped.
bool AreaBook::may_unmap_yet(const Host& host) const {
  const AreaStates& states = host.tables.areas;
  const std::uint64_t waited_ns = sink_.now_ns() - std::min(sink_.now_ns(), states.freed_ns);
  if (waited_ns <= AreaStates::kUnmapNs)
    return true;
  if (states.freed.is_empty() || waited_ns > AreaStates::kStarvedUnmapNs ||
      host.pid_namespace() != 0)
    return false;
  const auto thread = std::ranges::find_if(
      host.tables.threads, [&](const auto& entry) { return entry.second == states.freed_by; });
  const auto stat = thread == host.tables.threads.end()
                        ? std::nullopt
                        : read_process_stat(static_cast<pid_t>(thread->first));
  return stat && (stat->state == 'R' || stat->state == 'D');
}

/// Ranges missing at two looks, since after one look their record may still be in flight. For bare
/// memory one look is enough: no record will come.
std::vector<PageRange> AreaBook::confirm_gone(Host& host, const PageRanges& mapped) {
  AreaStates& states = host.tables.areas;
  PageRanges missing = find_missing(host, mapped);
  PageRanges gone = common(missing, states.missing);
  for (const PageRange& range : common(missing, host.tables.bare).all()) {
    for (const Mapping& mapping : host.tables.mappings.in(range.begin, range.end)) {
      if (mapping.is_bare)
        gone.add({mapping.begin, mapping.end});
    }
  }
  for (const PageRange& range : gone.all())
    missing.remove(range);
  states.missing = std::move(missing);
  return gone.all();
}

/// Takes two looks, since after one look a record may still be in flight.
std::vector<PageRange> AreaBook::confirm_bare(Host& host,
                                              const std::vector<MemoryArea>& areas,
                                              const PageRanges& mapped) const {
  host.tables.heap.forget_unmapped(mapped.all());
  PageRanges maybe = find_bare_memory(host, session_, areas);
  PageRanges& before = host.tables.areas.maybe_bare;
  const PageRanges bare = common(maybe, before);
  before = std::move(maybe);
  return bare.all();
}

std::vector<PageRange> AreaBook::search_bare(Host& host, const PageRange& written) {
  constexpr std::uint64_t kSearchParts = 50;
  AreaStates& states = host.tables.areas;
  if (states.has_gaps || sink_.has_dropped() || host.memory() == nullptr || host.execs() ||
      sink_.now_ns() < states.next_search_ns)
    return {};
  const std::uint64_t began_ns = clock_ns(CLOCK_THREAD_CPUTIME_ID);
  const std::vector<MemoryArea> areas = parse_memory_areas(host.memory()->read_maps());
  const PageRanges bare = find_bare_memory_at(written, host, session_, areas);
  const std::uint64_t cost_ns = clock_ns(CLOCK_THREAD_CPUTIME_ID) - began_ns;
  states.next_search_ns = sink_.now_ns() + kSearchParts * cost_ns;
  return bare.all();
}

void AreaBook::find_unrecorded(Host& host, const std::vector<MemoryArea>& areas) {
  AreaStates& states = host.tables.areas;
  confirm_last(states);
  const std::set<AreaFile> programs = programs_in(areas);
  for (const MemoryArea& area : areas) {
    if (!may_be_a_file(area.name) || programs.contains(area.file) || shared_.counts(area.file))
      continue;
    PageRanges unexplained;
    unexplained.add(area.pages);
    for (const Mapping& mapping : host.tables.mappings.in(area.pages.begin, area.pages.end)) {
      if (explains_file(mapping))
        unexplained.remove({mapping.begin, mapping.end});
    }
    for (const PageRange& part : states.leaving.in(area.pages))
      unexplained.remove(part);
    if (unexplained.is_empty() || (!states.unrecorded_files.contains(area.file) &&
                                   states.unrecorded_files.size() >= kMaxFiles))
      continue;
    AreaStates::UnrecordedFile& file = states.unrecorded_files[area.file];
    for (const PageRange& range : unexplained.all()) {
      file.last.add(range);
      states.unrecorded.add(range);
    }
    // Opened while the host lives: after its end it cannot be found out which file the name leads
    // to.
    if (!files_.contains(area.file) && files_.size() < kMaxFiles &&
        (is_memory_without_a_name(area.name) ||
         bytes_of(file.pages) + bytes_of(file.last) >= kWorthSaying))
      files_.emplace(area.file, open_file(host, area));
  }
}

/// Accepts what the last look found: another look has followed or the host has ended, so no record
/// in flight explains it.
void AreaBook::confirm_last(AreaStates& states) {
  for (auto& [name, file] : states.unrecorded_files) {
    file.most_bytes = std::max(file.most_bytes, bytes_of(file.last));
    for (const PageRange& range : std::exchange(file.last, {}).all())
      file.pages.add(range);
  }
}

void AreaBook::end(Host& host) {
  // After an exec, the last look may have seen the next image.
  if (!host.execs())
    confirm_last(host.tables.areas);
  stop_watching(host);
}

/// A file in several processes is reported once.
void AreaBook::stop_watching(Host& host) {
  AreaStates& states = host.tables.areas;
  if (sink_.has_dropped())
    states.stop_comparing();
  if (states.parent_named != nullptr) {
    for (const PageRange& range : common(states.not_from_parent, *states.parent_named).all())
      states.forget_unrecorded(range);
  }
  for (const auto& [name, unrecorded] : states.unrecorded_files) {
    const auto known = files_.find(name);
    if (known == files_.end())
      continue;
    File& file = known->second;
    std::uint64_t bytes = std::min(bytes_of(unrecorded.pages), unrecorded.most_bytes);
    if (file.size != 0)
      bytes = std::min(bytes, wire::round_to_page(file.size));
    file.unrecorded_bytes = std::max(file.unrecorded_bytes, bytes);
  }
}

/// Adds up what has the same name, since unnamed shared memory has none of its own.
void AreaBook::put_into(trace::Loss& loss) {
  std::map<std::tuple<std::string_view, bool>, std::uint64_t> bytes;
  for (const auto& [name, file] : files_) {
    if (file.unrecorded_bytes != 0 && !is_of_runtime(name, file))
      bytes[{file.path, file.is_in_memory}] += file.unrecorded_bytes;
  }
  for (const auto& [name, sum] : bytes) {
    if (sum >= kWorthSaying)
      loss.mapped_unseen.push_back({std::string(std::get<0>(name)), sum, std::get<1>(name)});
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
