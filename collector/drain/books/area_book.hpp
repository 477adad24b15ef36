/// Compares the kernel's list of a host's address space with the host's records.
///
/// Unhooked calls (the `syscall` instruction itself) map and unmap without a record. A look at
/// /proc/PID/maps finds mapped files that no record explains, and mappings that are gone without a
/// record. Both are losses. It also finds anonymous memory (find_bare_memory), which is counted
/// from then on. What comes and goes between two looks is missed.
///
/// A false report would be worse than none, so these are not losses:
/// - files that the dynamic loader or libc map for themselves: programs, libraries, locales,
/// recognised by their executable areas or content. Anything but regular files and unnamed memory
/// - shared memory of which a descriptor is recorded: it counts already
/// - what a look finds while its record is in flight (AreaStates)
/// - what a forked process has at its first look, at places where a record has ever mapped
/// something in the process that forked it, or if that process is unknown
/// - what only the last look has seen, in a host that outlives the recording (it may be inside the
/// mapping call), or in an image that an exec replaces (it may belong to the next image)
/// - anything, once a record was dropped: its host becomes known only later
#pragma once

#include "collector/drain/books/shared_book.hpp"
#include "collector/drain/hosts/event_sink.hpp"
#include "collector/os/file_descriptor.hpp"
#include "collector/process/memory_areas.hpp"
#include "collector/trace/types/definitions.hpp"
#include "preload/wire/session.hpp"

#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace tidemark {

class AreaBook {
 public:
  /// What to report to MappingBook.
  struct Found {
    std::vector<PageRange> gone;  ///< No longer mapped, without a record.
    std::vector<PageRange> bare;  ///< Anonymous memory for which no record will come.
  };

  /// All stay borrowed.
  /// @param shared its objects count, however they are mapped.
  AreaBook(const wire::SessionMap& session, EventSink& sink, const SharedBook& shared)
      : session_(session), sink_(sink), shared_(shared) {}

  /// Looks, if due: looks at all `hosts` hosts together take at most a hundredth of the time.
  Found look(Host& host, std::size_t hosts);
  /// A record says that the program wrote to `written`, where no record has mapped anything. Takes
  /// at most a fiftieth of the time.
  /// @return the bare memory found there.
  std::vector<PageRange> search_bare(Host& host, const PageRange& written);
  void note_missing(std::uint64_t bytes) { missing_bytes_ += bytes; }
  /// The host has ended: no further record will explain what is open.
  void end(Host& host);
  /// The recording ends before the host: a record may be in flight.
  void stop_watching(Host& host);

  /// Call once all hosts have ended: reads files, which may take any time.
  void put_into(trace::Loss& loss);

 private:
  /// The file at the first look that found much of it unexplained.
  struct File {
    std::string path;
    bool is_in_memory = false;
    bool was_opened = false;  ///< Else its content is unknown.
    FileDescriptor content;   ///< Also closed if too many files are open.
    std::uint64_t size = 0;   ///< 0: not known.
    std::uint64_t unrecorded_bytes = 0;
  };
  File open_file(const Host& host, const MemoryArea& area);
  static bool is_of_runtime(const AreaFile& name, const File& file);
  void find_unrecorded(Host& host, const std::vector<MemoryArea>& areas);
  static std::vector<PageRange> confirm_gone(Host& host, const PageRanges& mapped);
  std::vector<PageRange> confirm_bare(Host& host,
                                      const std::vector<MemoryArea>& areas,
                                      const PageRanges& mapped) const;
  static void confirm_last(AreaStates& states);
  [[nodiscard]] bool may_unmap_yet(const Host& host) const;

  const wire::SessionMap& session_;
  EventSink& sink_;
  const SharedBook& shared_;
  std::map<AreaFile, File> files_;
  std::size_t files_open_ = 0;
  std::uint64_t missing_bytes_ = 0;
};

}  // namespace tidemark
