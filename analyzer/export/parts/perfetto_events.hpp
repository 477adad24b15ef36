/// The events of a trace-event file, one method a kind.
#pragma once

#include "analyzer/export/parts/counter_points.hpp"

#include <cstdint>
#include <string>
#include <vector>

namespace tidemark::exports {

/// Whose row an event belongs to: the operating system's ids.
struct PerfettoThread {
  std::uint32_t pid = 0;
  std::uint32_t tid = 0;
};

struct PerfettoSlice {
  std::string name;
  std::uint64_t begin_ns = 0;
  std::uint64_t end_ns = 0;
  std::string arguments;  ///< A JSON object.
};

/// Appends to one list. Times become microseconds with three decimals: no nanosecond is lost.
class PerfettoEvents {
 public:
  void name_process(std::uint32_t pid, const std::string& name);
  void name_thread(const PerfettoThread& thread, const std::string& name);
  /// A track of the process; viewers add the unit to its name.
  void counter(std::uint32_t pid,
               const std::string& name,
               const std::vector<CounterPoint>& points,
               const std::string& unit);
  /// On the thread's own row, where slices must nest.
  void slice(const PerfettoThread& thread, const PerfettoSlice& slice);
  /// On a row of its own, named as the slice.
  void free_slice(const PerfettoThread& thread, const PerfettoSlice& slice);
  void instant(const PerfettoThread& thread, std::uint64_t at_ns, const std::string& name);

  /// The elements of a JSON list.
  [[nodiscard]] const std::string& text() const { return text_; }

 private:
  void begin();

  std::string text_;
  std::uint64_t free_slices_ = 0;
};

}  // namespace tidemark::exports
