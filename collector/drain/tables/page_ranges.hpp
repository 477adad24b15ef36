/// A set of addresses, as disjoint ranges.
#pragma once

#include "collector/os/page_range.hpp"

#include <boost/icl/interval_set.hpp>

#include <algorithm>
#include <cstdint>
#include <functional>
#include <vector>

namespace tidemark {

class PageRanges {
 public:
  /// @return bytes of it that were not in the set.
  std::uint64_t add(const PageRange& range) {
    const std::uint64_t known = bytes_in(range);
    ranges_ += interval(range);
    return range.bytes() - known;
  }
  /// @return bytes of it that were in the set.
  std::uint64_t remove(const PageRange& range) {
    const std::uint64_t known = bytes_in(range);
    if (known != 0)
      ranges_ -= interval(range);
    return known;
  }
  /// The part of the set in `range`, in order.
  [[nodiscard]] std::vector<PageRange> in(const PageRange& range) const {
    std::vector<PageRange> found;
    if (range.begin >= range.end)
      return found;
    // As a key of the set, a range equals all ranges that it overlaps.
    const auto [first, last] = ranges_.equal_range(interval(range));
    for (auto it = first; it != last; ++it)
      found.push_back({std::max(it->lower(), range.begin), std::min(it->upper(), range.end)});
    return found;
  }
  [[nodiscard]] std::uint64_t bytes_in(const PageRange& range) const {
    std::uint64_t bytes = 0;
    for (const PageRange& part : in(range))
      bytes += part.bytes();
    return bytes;
  }
  /// Removes and returns the part in `range`.
  PageRanges take(const PageRange& range) {
    PageRanges taken;
    for (const PageRange& part : in(range))
      taken.add(part);
    remove(range);
    return taken;
  }
  /// Adds the part of `other` in `range`, moved so that `range` begins at `to`.
  void put(const PageRanges& other, const PageRange& range, std::uint64_t to) {
    for (const PageRange& part : other.in(range))
      add({part.begin - range.begin + to, part.end - range.begin + to});
  }
  [[nodiscard]] std::vector<PageRange> all() const { return in({0, ~std::uint64_t{0}}); }
  [[nodiscard]] bool is_empty() const { return ranges_.empty(); }
  [[nodiscard]] std::size_t count() const { return ranges_.iterative_size(); }

 private:
  using Interval = boost::icl::right_open_interval<std::uint64_t>;

  static Interval interval(const PageRange& range) { return {range.begin, range.end}; }

  boost::icl::interval_set<std::uint64_t, std::less, Interval> ranges_;
};

/// Mapped pages of one process that count differently from their mapping.
struct PageStates {
  PageRanges gone;
  PageRanges freed;                ///< By MADV_FREE: maybe still resident, but given up.
  std::uint64_t looked_up_to = 0;  ///< How far in `gone` the last look came; 0: through all of it.
  PageRanges written;              ///< In private file mappings: the host's own pages.

  /// All mapped anonymous pages count.
  [[nodiscard]] bool is_all_there() const { return gone.is_empty() && freed.is_empty(); }
  /// The pages are present, or no longer mapped.
  ///
  /// @return bytes of them that were absent.
  std::uint64_t forget_absent(const PageRange& range) {
    return gone.remove(range) + freed.remove(range);
  }
  /// Removes and returns the states of `range`.
  PageStates take(const PageRange& range) {
    return {.gone = gone.take(range), .freed = freed.take(range), .written = written.take(range)};
  }
  /// Adds the states that `other` has for `range`, whose pages have moved to `to`.
  void put(const PageStates& other, const PageRange& range, std::uint64_t to) {
    gone.put(other.gone, range, to);
    freed.put(other.freed, range, to);
    written.put(other.written, range, to);
  }
};

}  // namespace tidemark
