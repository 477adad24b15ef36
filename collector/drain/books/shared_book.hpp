/// The lane of shared memory: memfd, tmpfs, MAP_SHARED | MAP_ANONYMOUS, SysV segments. The kernel
/// cannot reclaim it, and it belongs to no single process: each object counts once, however often
/// and wherever it is mapped, with the bytes that were written, not with its size.
///
/// These bytes are polled, since writing through a mapping makes no record. An object ends with its
/// last mapping, descriptor and name.
#pragma once

#include "collector/drain/hosts/event_sink.hpp"
#include "collector/os/area_file.hpp"
#include "collector/process/memory_files.hpp"
#include "collector/process/shared_segments.hpp"
#include "collector/trace/types/event.hpp"
#include "preload/wire/kinds.hpp"

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

namespace tidemark {

class SharedBook {
 public:
  /// Both stay borrowed.
  /// @param hosts hosts that may hold shared memory.
  SharedBook(EventSink& sink, const HostList& hosts);

  /// Whether files on that device, of which the host has one open, are memory.
  [[nodiscard]] bool is_memory(const Host& host, std::uint64_t device);
  /// A host has opened a file. @return true if it is memory.
  bool open(const Source& source,
            const wire::Open& open,
            const wire::FileIdentity& identity,
            const std::string& path);
  void close(const Source& source, std::uint64_t descriptor);
  void duplicate(const Source& source, std::uint64_t from, std::uint64_t to);

  /// The object of a new mapping; none if it is not shared memory.
  std::optional<SharedObjectId> mapped(const Source& source,
                                       const wire::Map& map,
                                       const wire::MappingArguments& arguments);
  /// A driver takes device memory from the host and maps it through a descriptor: that object is in
  /// the device lane, and no longer counted here.
  void back_device(const Source& source, const wire::MappingArguments& arguments);
  /// The object that shmat attached.
  SharedObjectId attached(const Source& source,
                          const SegmentName& segment,
                          const wire::Attach& attach);
  /// Its allocation in the trace; none once it has gone.
  [[nodiscard]] std::optional<std::uint64_t> allocation_of(SharedObjectId id) const;
  /// Whether that file, as stat identifies it, is an object that counts.
  [[nodiscard]] bool counts(const AreaFile& file) const {
    return by_file_.contains({file.device, file.inode});
  }
  /// Whether it is a SysV segment.
  [[nodiscard]] bool is_segment(SharedObjectId id) const { return object(id).segment.has_value(); }
  /// A mapping or a descriptor of it is gone: ends it if that was the last.
  void end_unless_held(SharedObjectId id);
  /// `child` was forked from `parent`, and holds the same objects; those that are mapped in large
  /// pieces are looked into there, too.
  static void inherit(Host& child, const Host& parent);
  /// A process has ended.
  void process_left();

  /// Polls the sizes of all objects.
  void look();

 private:
  struct Object {
    std::uint64_t device = 0;
    std::uint64_t inode = 0;               ///< 0: it has no descriptor.
    std::optional<SegmentName> segment{};  ///< SysV.
    std::string path{};                    ///< Empty: it has no name.
    trace::AllocationNumber allocation = 0;
    std::uint64_t before = 0;   ///< Bytes from before the recording: not counted.
    std::uint64_t bytes = 0;    ///< Counted bytes.
    trace::ThreadId thread{0};  ///< The thread that made it.
    bool is_alive = true;
    bool backs_device = false;
  };
  /// Where an object can be examined.
  struct Place {
    struct Stretch {
      pid_t pid = 0;
      std::uint64_t begin = 0;
      std::uint64_t end = 0;
    };
    std::vector<std::pair<pid_t, std::uint64_t>> descriptors;
    std::vector<Stretch> mappings;
  };
  using Places = std::unordered_map<SharedObjectId, Place>;

  SharedObjectId add(const Source& source, const Object& object, std::uint32_t stack);
  [[nodiscard]] Object& object(SharedObjectId id) { return objects_[index_of(id)]; }
  [[nodiscard]] const Object& object(SharedObjectId id) const { return objects_[index_of(id)]; }
  static std::size_t index_of(SharedObjectId id) { return static_cast<std::size_t>(id); }

  [[nodiscard]] bool is_held(SharedObjectId id) const;
  [[nodiscard]] static bool holds(const Host& host, SharedObjectId id);
  void set_bytes(SharedObjectId id, std::uint64_t held);
  [[nodiscard]] Places places() const;
  [[nodiscard]] std::optional<std::uint64_t> held_bytes(const Object& object,
                                                        const Place& place) const;
  [[nodiscard]] static std::optional<std::uint64_t> bytes_by_name(const Object& object);
  [[nodiscard]] static std::optional<std::uint64_t> bytes_by_mappings(const Object& object,
                                                                      const Place& place);

  EventSink& sink_;
  const HostList& hosts_;
  MemoryFiles memory_files_;
  std::vector<Object> objects_;        // By SharedObjectId.
  std::vector<SharedObjectId> alive_;  // In the order of their begin.
  std::map<std::pair<std::uint64_t, std::uint64_t>, SharedObjectId> by_file_;  // Those alive.
  std::uint64_t began_ns_;  ///< Begin of the recording, in the clock of file time stamps.
};

}  // namespace tidemark
