/// What the kernel lists of a host's address space, held against what its records say of it.
///
/// A call that no hook stands in front of (the `syscall` instruction itself) maps and unmaps
/// without a record. A look at /proc/PID/maps finds files that are mapped and that no record
/// explains, and mappings that are gone though no record says so. Both are losses. It finds
/// anonymous memory, too (find_bare_memory), which counts from then on. What comes and goes between
/// two looks is not seen.
///
/// A wrong word would be worse than none, so this is no loss:
/// - files that the dynamic loader maps, and libc for itself: programs, libraries, locales, told by
///   their executable areas or by their content. What is no regular file, nor memory without a name
/// - what a look meets while a record is on its way (AreaStates)
/// - what a forked process has at its first look where a record has ever mapped something in the
///   process that forked it, or where that process is not known
/// - what only the last look has seen of a host that outlives the recording: it may be inside the
///   call that maps it. Or of an image that an exec replaces: it may be the next one's
/// - anything, once a record was dropped: its host is told only later
#pragma once

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
  /// What MappingBook has to be told.
  struct Found {
    std::vector<PageRange> gone;  ///< Not mapped any more, though no record says so.
    std::vector<PageRange> bare;  ///< Anonymous memory that no record will tell of.
  };

  /// Both stay borrowed.
  AreaBook(const wire::SessionMap& session, EventSink& sink) : session_(session), sink_(sink) {}

  /// If it is due: a hundredth of the time at most is for all hosts, `hosts` of them.
  Found look(Host& host, std::size_t hosts);
  /// A record says that the program wrote to `written`, where by all records nothing is. Looks a
  /// fiftieth of the time at most.
  /// @return the bare memory there.
  std::vector<PageRange> search_bare(Host& host, const PageRange& written);
  void note_missing(std::uint64_t bytes) { missing_bytes_ += bytes; }
  /// The host has ended: no record will explain the rest.
  void end(Host& host);
  /// The recording ends before the host: a record may have been on its way.
  void stop_watching(Host& host);

  /// Once all hosts have ended: now files are looked into, which may take any time.
  void put_into(trace::Loss& loss);

 private:
  /// As it was at the first look that found much of it unexplained.
  struct File {
    std::string path;
    bool is_in_memory = false;
    bool was_opened = false;  ///< Else nobody can say what it holds.
    FileDescriptor content;   ///< Closed, too, where too many are open.
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

  const wire::SessionMap& session_;
  EventSink& sink_;
  std::map<AreaFile, File> files_;
  std::size_t files_open_ = 0;
  std::uint64_t missing_bytes_ = 0;
};

}  // namespace tidemark
