/// What the kernel lists of a host's address space, held against what its records say of it.
///
/// A call that no hook stands in front of (the `syscall` instruction itself) maps and unmaps
/// without a record. A look at /proc/PID/maps finds files that are mapped and that no record
/// explains, and mappings that are gone though no record says so. Both are losses. What comes and
/// goes between two looks is not seen.
///
/// A wrong word would be worse than none, so this is no loss:
/// - files that the dynamic loader maps, and libc for itself: programs, libraries, locales, told by
///   their executable areas or by their content. What is no regular file, nor memory without a name
/// - what a look meets while a record is on its way (AreaStates)
/// - what a forked process has at its first look: it has its parent's address space
/// - anything, where records were dropped
#pragma once

#include "collector/drain/books/event_sink.hpp"
#include "collector/process/memory_areas.hpp"
#include "collector/trace/types/definitions.hpp"

#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace tidemark {

class AreaBook {
 public:
  /// `sink` stays borrowed.
  explicit AreaBook(EventSink& sink) : sink_(sink) {}

  /// If it is due: a hundredth of the time at most is for all hosts, `hosts` of them.
  /// @return what is not mapped any more, though no record says so: MappingBook has it still.
  std::vector<PageRange> look(Host& host, std::size_t hosts);
  void note_missing(std::uint64_t bytes) { missing_bytes_ += bytes; }
  /// The host has ended, or the recording has: no record will explain the rest.
  void end(const Host& host);

  /// Once all hosts have ended.
  void put_into(trace::Loss& loss) const;

 private:
  /// A file by its name, judged at the first look that found much of it unexplained.
  struct File {
    bool counts = false;
    bool is_in_memory = false;
    std::uint64_t size = 0;  ///< 0: not known.
    std::uint64_t unseen_bytes = 0;
  };
  static File judge(const Host& host, const std::string& path);
  void find_unseen(Host& host, const std::vector<MemoryArea>& areas);

  EventSink& sink_;
  std::map<std::string, File> files_;
  std::uint64_t missing_bytes_ = 0;
};

}  // namespace tidemark
