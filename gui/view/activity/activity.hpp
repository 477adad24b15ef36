/// Who did what when: allocations by thread, and which thread read or mapped which file.
#pragma once

#include "analyzer/query/loaded_trace.hpp"
#include "gui/view/activity/busy_time.hpp"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

namespace tidemark::gui {

/// What one thread did within one column.
struct ThreadColumn {
  std::uint64_t bytes = 0;  ///< Allocated.
  std::uint32_t column = 0;
  std::uint32_t allocations = 0;
  std::uint32_t frees = 0;

  /// `column` stays.
  void add(const ThreadColumn& more);
};

/// Reads of one file by one thread that follow each other closely, or mappings of it.
///
/// A trace records when a read ended, not when it began. It is taken to begin at the thread's
/// previous event, so its rate is a lower bound, unless is_guess.
struct ReadStretch {
  std::uint32_t thread = 0;  ///< Index into Activity::threads.
  std::uint32_t file = 0;
  bool is_mapping = false;
  std::uint8_t lane = 0;  ///< In its file's row: one per thread; the last threads share one.
  std::uint64_t begin_ns = 0;
  std::uint64_t end_ns = 0;
  std::uint64_t busy_ns = 0;  ///< The part of that spent reading, without gaps.
  std::uint64_t bytes = 0;
  std::uint64_t calls = 0;  ///< The recorder counts consecutive small reads as one.
  /// The thread's previous event is too old to mark the begin of a read: see longest_read_ns.
  bool is_guess = false;
  /// In the file, [first, last), perhaps with gaps; none: not known.
  std::optional<std::pair<std::uint64_t, std::uint64_t>> offsets{};

  /// Bytes per second while it read; none for mappings and if the clock was too coarse.
  [[nodiscard]] std::optional<std::uint64_t> rate() const;
  /// Merges `other`, of the same thread, into this one. A thread does one read at a time, so their
  /// times do not overlap.
  void join(const ReadStretch& other);
};

struct ThreadRow {
  std::string name;  ///< `python3 1234`.
  std::uint64_t allocated = 0;
  std::uint64_t allocations = 0;
  std::uint64_t frees = 0;
  std::uint64_t read = 0;
  std::vector<ThreadColumn> columns;   ///< Those in which it allocated or freed, in their order.
  std::vector<std::uint32_t> reads{};  ///< Indices into Activity::stretches, by their beginning.
  bool is_idle = false;                ///< Read and mapped nothing, allocated next to nothing.
};

constexpr std::size_t kMaxLanes = 6;  ///< In a file's row.

struct FileRow {
  std::string path;
  std::uint64_t size = 0;  ///< The file's; 0: not known.
  std::uint64_t read = 0;
  std::uint64_t mapped = 0;
  std::uint64_t read_ns = 0;           ///< How long any thread was reading it.
  bool is_guess = false;               ///< ReadStretch::is_guess of any read of it.
  std::vector<std::uint32_t> reads{};  ///< Indices into Activity::stretches, by their beginning.
  /// Index into Activity::threads with the bytes that it read and mapped, most bytes first.
  std::vector<std::pair<std::uint32_t, std::uint64_t>> readers{};
  bool is_code = false;  ///< A program or a library.
};

/// Columns are of equal width over the whole trace. Files: most bytes first, programs and libraries
/// last; files without bytes are left out. Threads: most bytes allocated and read first, idle ones
/// last.
struct Activity {
  std::vector<std::uint64_t> borders;  ///< In ns; one more than columns.
  std::vector<ThreadRow> threads;
  std::vector<FileRow> files;
  std::size_t large_files = 0;          ///< The first ones; the others share one row.
  std::vector<std::uint32_t> folded{};  ///< Reads of those others, by begin.
  std::vector<ReadStretch> stretches;   ///< By their beginning.
};

/// Gathers activity, one block of events at a time.
///
/// A server may have a thread for each request, and all of them last as long as the trace. Memory
/// is bounded: a few columns a thread, and `max_columns`. Where that is not enough, columns become
/// twice as wide.
class ActivityGatherer {
 public:
  /// `trace` stays borrowed.
  /// @param columns of the whole trace, at most.
  /// @param max_columns of all threads together, besides a few of each.
  ActivityGatherer(analyzer::LoadedTrace& trace,
                   std::size_t columns,
                   std::size_t max_columns = 1 << 20);

  /// @return false when there are no events left. A damaged block is passed over.
  bool step();
  Activity take();

 private:
  void see(const trace::Event& event);
  void see_in_thread(const trace::Event& event, std::uint32_t thread);
  ThreadColumn& column_of(ThreadRow& row, std::uint64_t at_ns);
  void widen_columns();
  void add_read(const trace::Event& event, std::uint32_t thread, bool is_mapping);
  void know_offsets();
  std::vector<std::uint32_t> take_files(Activity& activity);
  std::vector<std::uint32_t> take_threads(Activity& activity);

  analyzer::LoadedTrace& trace_;
  std::size_t columns_;
  std::size_t max_columns_;
  std::size_t column_count_ = 0;  // Columns of all threads.
  std::uint64_t width_ns_ = 1;
  std::size_t next_ = 0;
  std::vector<ThreadRow> threads_;      // By ThreadId; behind them one for all unknown ones.
  std::vector<std::uint64_t> last_ns_;  // By thread, as above: time of its last event.
  std::vector<std::uint32_t> row_of_;   // By FileId: a file that several processes read is one.
  std::vector<BusyTime> busy_;          // By row: when it was being read.
  std::vector<ReadStretch> stretches_;  // Thread and file are still the trace's own numbers.
  std::unordered_map<std::uint64_t, std::size_t> open_;  // Latest stretch by key: see add_read.
};

}  // namespace tidemark::gui
