/// Who did what when: allocations by thread, reads and mappings by file.
#pragma once

#include "analyzer/query/loaded_trace.hpp"

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace tidemark::gui {

/// One thread's or one file's row; values by column.
struct ActivityRow {
  std::string name;  ///< `python3 1234`, or the file's path.
  std::uint64_t total = 0;
  std::vector<std::uint64_t> bytes;   ///< Allocated, or read.
  std::vector<std::uint64_t> mapped;  ///< Of a file.
};

/// Columns are of equal width over the whole trace. Rows: most bytes first, those without any left
/// out.
struct Activity {
  std::vector<std::uint64_t> borders;  ///< In ns; one more than columns.
  std::vector<ActivityRow> threads;
  std::vector<ActivityRow> files;
};

/// Gathers activity, one block of events at a time.
class ActivityGatherer {
 public:
  /// `trace` stays borrowed.
  ActivityGatherer(analyzer::LoadedTrace& trace, std::size_t columns);

  /// @return false when there are no events left. A damaged block is passed over.
  bool step();
  Activity take();

 private:
  void see(const trace::Event& event);
  ActivityRow& row(std::vector<ActivityRow>& rows, std::size_t index) const;

  analyzer::LoadedTrace& trace_;
  std::size_t columns_;
  std::uint64_t width_ns_ = 1;
  std::size_t next_ = 0;
  std::vector<ActivityRow> threads_;  // By ThreadId.
  std::vector<ActivityRow> files_;    // By FileId.
};

}  // namespace tidemark::gui
