#include "collector/drain/books/shared_book.hpp"

#include "collector/os/clocks.hpp"
#include "collector/process/page_map.hpp"
#include "collector/process/proc_file.hpp"
#include "collector/process/shared_segments.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <ctime>

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>

namespace tidemark {

using trace::Lane;

namespace {

constexpr std::uint64_t kStatBlock = 512;  // stat(2)
/// The clock of file time stamps may lag by some ticks of 4 ms.
constexpr std::uint64_t kFileClockNs = 20'000'000;

/// Smaller mappings are not looked into: a fork need not copy what is known of thousands of them.
constexpr std::uint64_t kMinInherited = std::uint64_t{1} << 20U;

/// Bytes that a memory file holds. @return none if `path` does not lead to that file.
std::optional<std::uint64_t> bytes_of_file(const std::string& path,
                                           std::uint64_t device,
                                           std::uint64_t inode) {
  struct stat status {};
  if (::stat(path.c_str(), &status) != 0 || (inode != 0 && status.st_ino != inode) ||
      (inode != 0 && status.st_dev != device))
    return std::nullopt;
  return static_cast<std::uint64_t>(status.st_blocks) * kStatBlock;
}

/// @return also false if the file system does not say.
bool is_born_before(const std::string& path, std::uint64_t ns) {
  struct statx status {};
  return statx(AT_FDCWD, path.c_str(), 0, STATX_BTIME, &status) == 0 &&
         (status.stx_mask & STATX_BTIME) != 0 &&
         static_cast<std::uint64_t>(status.stx_btime.tv_sec) * 1'000'000'000 +
                 status.stx_btime.tv_nsec <
             ns;
}

bool is_alive(const Host& host) {
  return !host.has_ended() && host.process() != nullptr;
}

/// 0 while it is not found.
pid_t number_of(const Host& host) {
  return host.process() != nullptr ? host.process()->pid() : 0;
}

}  // namespace

SharedBook::SharedBook(EventSink& sink, const HostList& hosts)
    : sink_(sink), hosts_(hosts), began_ns_(clock_ns(CLOCK_REALTIME) - kFileClockNs) {}

bool SharedBook::is_memory(const Host& host, std::uint64_t device) {
  return memory_files_.holds(device, number_of(host));
}

bool SharedBook::open(const Source& source,
                      const wire::Open& open,
                      const wire::FileIdentity& identity,
                      const std::string& path) {
  if (!is_memory(*source.host, identity.device))
    return false;
  const std::pair key(identity.device, identity.inode);
  const auto known = by_file_.find(key);
  SharedObjectId id{0};
  if (known != by_file_.end()) {
    id = known->second;
  } else {
    id =
        add(source, {.device = identity.device, .inode = identity.inode, .path = path}, open.stack);
    by_file_[key] = id;
    const std::string link =
        fmt::format("/proc/{}/fd/{}", number_of(*source.host), open.descriptor);
    if (is_born_before(link, began_ns_))
      object(id).before = bytes_of_file(link, identity.device, identity.inode).value_or(0);
  }
  source.host->tables.shared_descriptors[open.descriptor] = id;
  return true;
}

void SharedBook::close(const Source& source, std::uint64_t descriptor) {
  auto& descriptors = source.host->tables.shared_descriptors;
  const auto known = descriptors.find(descriptor);
  if (known == descriptors.end())
    return;
  const SharedObjectId id = known->second;
  descriptors.erase(known);
  end_unless_held(id);
}

void SharedBook::duplicate(const Source& source, std::uint64_t from, std::uint64_t to) {
  auto& descriptors = source.host->tables.shared_descriptors;
  close(source, to);
  if (const auto known = descriptors.find(from); known != descriptors.end())
    descriptors[to] = SharedObjectId{known->second};
}

std::optional<SharedObjectId> SharedBook::mapped(const Source& source,
                                                 const wire::Map& map,
                                                 const wire::MappingArguments& arguments) {
  if (arguments.descriptor >= 0) {
    const auto& descriptors = source.host->tables.shared_descriptors;
    const auto known = descriptors.find(static_cast<std::uint64_t>(arguments.descriptor));
    return known == descriptors.end() ? std::nullopt : std::optional(known->second);
  }
  const std::uint32_t type = arguments.flags & MAP_TYPE;
  return type == MAP_SHARED || type == MAP_SHARED_VALIDATE
             ? std::optional(add(source, {}, map.stack))
             : std::nullopt;
}

void SharedBook::back_device(const Source& source, const wire::MappingArguments& arguments) {
  const auto& descriptors = source.host->tables.shared_descriptors;
  const auto known = descriptors.find(static_cast<std::uint64_t>(arguments.descriptor));
  if (arguments.descriptor < 0 || known == descriptors.end())
    return;
  set_bytes(known->second, 0);
  object(known->second).backs_device = true;
}

SharedObjectId SharedBook::attached(const Source& source,
                                    const SegmentName& segment,
                                    const wire::Attach& attach) {
  const auto known = std::ranges::find_if(
      alive_, [&](SharedObjectId id) { return object(id).segment == segment; });
  return known != alive_.end() ? *known : add(source, {.segment = segment}, attach.stack);
}

SharedObjectId SharedBook::add(const Source& source, const Object& object, std::uint32_t stack) {
  const auto id = static_cast<SharedObjectId>(objects_.size());
  objects_.push_back(object);
  objects_.back().thread = source.thread;
  objects_.back().allocation = sink_.emit_allocation(source, Lane::kShared, 0, stack, 0);
  alive_.push_back(id);
  return id;
}

std::optional<std::uint64_t> SharedBook::allocation_of(SharedObjectId id) const {
  return object(id).is_alive ? std::optional(object(id).allocation) : std::nullopt;
}

void SharedBook::inherit(Host& child, const Host& parent) {
  child.tables.inherited = parent.tables.inherited;
  for (const auto& [descriptor, id] : parent.tables.shared_descriptors)
    child.tables.inherited.push_back(id);
  for (const auto& [begin, mapping] : parent.tables.mappings.all()) {
    if (mapping.kind != Mapping::Kind::kShared)
      continue;
    child.tables.inherited.push_back(mapping.object);
    if (mapping.may_hold_arrays() && mapping.bytes() >= kMinInherited)
      child.tables.mappings.insert(mapping);
  }
  std::ranges::sort(child.tables.inherited);
  auto& inherited = child.tables.inherited;
  inherited.erase(std::unique(inherited.begin(), inherited.end()), inherited.end());
}

void SharedBook::process_left() {
  for (const SharedObjectId id : std::vector(alive_))
    end_unless_held(id);
}

bool SharedBook::is_held(SharedObjectId id) const {
  return std::ranges::any_of(
             hosts_, [id](const auto& host) { return !host->has_ended() && holds(*host, id); }) ||
         bytes_by_name(object(id)).has_value();
}

bool SharedBook::holds(const Host& host, SharedObjectId id) {
  const auto moves_it = [&](const auto& call) {
    return std::ranges::any_of(call.second.moving, [id](const Mapping& mapping) {
      return mapping.kind == Mapping::Kind::kShared && mapping.object == id;
    });
  };
  return std::ranges::binary_search(host.tables.inherited, id) || host.tables.mappings.maps(id) ||
         std::ranges::any_of(host.tables.shared_descriptors,
                             [id](const auto& entry) { return entry.second == id; }) ||
         std::ranges::any_of(host.tables.pending, moves_it);
}

void SharedBook::end_unless_held(SharedObjectId id) {
  Object& ended = object(id);
  if (!ended.is_alive || is_held(id))
    return;
  ended.is_alive = false;
  std::erase(alive_, id);
  if (ended.inode != 0)
    by_file_.erase({ended.device, ended.inode});
  sink_.emit_shared_release(ended.thread, ended.allocation, ended.bytes);
}

void SharedBook::set_bytes(SharedObjectId id, std::uint64_t held) {
  Object& changed = object(id);
  if (changed.backs_device)
    return;
  changed.before = std::min(changed.before, held);
  const std::uint64_t bytes = held - changed.before;
  if (bytes == changed.bytes)
    return;
  sink_.emit_shared_resize(changed.thread, changed.allocation,
                           static_cast<std::int64_t>(bytes - changed.bytes));
  changed.bytes = bytes;
}

SharedBook::Places SharedBook::places() const {
  Places places;
  for (const auto& host : hosts_) {
    if (!is_alive(*host))
      continue;
    const pid_t pid = host->process()->pid();
    for (const auto& [descriptor, id] : host->tables.shared_descriptors)
      places[id].descriptors.emplace_back(pid, descriptor);
    for (const auto& [begin, mapping] : host->tables.mappings.all()) {
      if (mapping.kind == Mapping::Kind::kShared && !mapping.is_private)
        places[mapping.object].mappings.push_back({pid, mapping.begin, mapping.end});
    }
  }
  return places;
}

std::optional<std::uint64_t> SharedBook::bytes_by_name(const Object& object) {
  if (object.segment) {
    const auto segment = find_segment(*object.segment);
    return segment ? std::optional(segment->held) : std::nullopt;
  }
  return object.path.starts_with('/') ? bytes_of_file(object.path, object.device, object.inode)
                                      : std::nullopt;
}

/// Only a privileged recorder sees the file behind a mapping; others see the pages that a process
/// has touched. Stretches of an object that never had a descriptor do not overlap.
std::optional<std::uint64_t> SharedBook::bytes_by_mappings(const Object& object,
                                                           const Place& place) {
  std::unordered_map<pid_t, std::uint64_t> touched;
  for (const Place::Stretch& stretch : place.mappings) {
    const std::string path =
        fmt::format("/proc/{}/map_files/{:x}-{:x}", stretch.pid, stretch.begin, stretch.end);
    if (const auto bytes = bytes_of_file(path, object.device, object.inode))
      return bytes;
    const PageMap map(stretch.pid);
    if (map.access() != PageMap::Access::kOpen)
      continue;
    const std::uint64_t bytes = map.present_bytes(stretch.begin, stretch.end);
    std::uint64_t& all = touched[stretch.pid];
    all = object.inode == 0 ? all + bytes : std::max(all, bytes);
  }
  std::optional<std::uint64_t> most;
  for (const auto& [pid, bytes] : touched)
    most = std::max(most.value_or(0), bytes);
  return most;
}

std::optional<std::uint64_t> SharedBook::held_bytes(const Object& object,
                                                    const Place& place) const {
  for (const auto& [pid, descriptor] : place.descriptors) {
    const std::string path = fmt::format("/proc/{}/fd/{}", pid, descriptor);
    if (const auto bytes = bytes_of_file(path, object.device, object.inode))
      return bytes;
  }
  const auto bytes = bytes_by_name(object);
  return bytes ? bytes : bytes_by_mappings(object, place);
}

void SharedBook::look() {
  if (alive_.empty())
    return;
  Places places = this->places();
  for (const SharedObjectId id : std::vector(alive_)) {
    if (const auto bytes = held_bytes(object(id), places[id]))
      set_bytes(id, *bytes);
    else
      end_unless_held(id);  // its name may be gone
  }
}

}  // namespace tidemark
