/// Arrays of a file within mappings and blocks, assembled from places whose bytes are known to be
/// the file's.
#pragma once

#include "collector/trace/types/definitions.hpp"
#include "collector/weights/plain_file.hpp"
#include "collector/weights/searches/part_search.hpp"

#include <cstddef>
#include <cstdint>
#include <map>
#include <set>
#include <span>
#include <string_view>
#include <tuple>
#include <unordered_set>
#include <vector>

namespace tidemark {

/// A place, and when it held bytes that may be from a file.
struct ProbedPlace {
  trace::AllocationNumber allocation = 0;
  std::uint64_t begin = 0;    ///< In the allocation.
  std::uint64_t step = 0;     ///< The distance between places in the looks that saw it.
  std::uint64_t at_ns = 0;    ///< The first look that saw these bytes.
  std::uint64_t from_ns = 0;  ///< See trace::ValueMatch.
  std::uint64_t last_ns = 0;  ///< The last look that saw them.
  bool has_ended = false;     ///< A later look saw other bytes.
  /// No longer looked at since the step grew: it is taken to have changed when its neighbours did.
  bool is_left = false;

  [[nodiscard]] std::uint64_t until_ns() const {
    return has_ended ? last_ns : trace::ValueMatch::kNever;
  }
};

class ProbeStretches {
 public:
  /// Call in order of allocation and of the place in it.
  /// @param in_file where in files the bytes are. A file may have them twice: takes the place that
  /// continues what came before, or else one that no other place has taken.
  void add(const ProbedPlace& place, std::span<const weights::PartSearch::Place> in_file);
  /// @return the arrays, or what of each was there at one time.
  /// @param files in the order in which the search has read them.
  [[nodiscard]] std::vector<trace::PackedMatch> take(std::span<const weights::PlainFile> files);

 private:
  struct Known {
    ProbedPlace place;
    weights::PartSearch::Place in_file;
    /// Equal for all places of one array. The last member is where in the allocation the file would
    /// begin, modulo 2^64.
    [[nodiscard]] std::tuple<trace::AllocationNumber,
                             std::size_t,
                             std::string_view,
                             std::string_view,
                             std::uint64_t>
    array() const;
  };
  class Stretch;

  [[nodiscard]] const Known* before(const Known& known) const;
  [[nodiscard]] bool is_taken(const Known& known) const;
  static std::vector<Stretch> join(std::span<const Known> known);

  std::vector<Known> known_;
  std::map<std::size_t, std::set<std::uint64_t>> offsets_;  ///< The offsets of `known_`, by file.
};

/// The allocations in which files lie that some allocation has a MiB of twice at one time. Such a
/// one is not an array's own: it is a runtime's heap or an arena, and so are the others, into which
/// an array that is as long may reach.
[[nodiscard]] std::unordered_set<trace::AllocationNumber> with_files_held_twice(
    std::span<const trace::PackedMatch> parts);

}  // namespace tidemark
