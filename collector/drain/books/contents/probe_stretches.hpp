/// Arrays of a file within mappings and blocks, put together from places whose bytes are known to
/// be the file's.
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
#include <vector>

namespace tidemark {

/// A place, and when it held bytes that may be of a file.
struct ProbedPlace {
  trace::AllocationNumber allocation = 0;
  std::uint64_t begin = 0;    ///< In the allocation.
  std::uint64_t step = 0;     ///< Of the looks that saw it: one place in so many bytes.
  std::uint64_t at_ns = 0;    ///< The first look that saw these bytes.
  std::uint64_t from_ns = 0;  ///< As trace::ValueMatch has it.
  std::uint64_t last_ns = 0;  ///< The last look that saw them.
  bool has_ended = false;     ///< A later look saw others.
  /// Nobody has looked again, as the step grew: what its neighbours do goes for it, too.
  bool is_left = false;

  [[nodiscard]] std::uint64_t until_ns() const {
    return has_ended ? last_ns : trace::ValueMatch::kNever;
  }
};

class ProbeStretches {
 public:
  /// Places come by their allocation and where they are in it.
  /// @param in_file where the bytes are. Of several the one that goes on with what came before, or
  /// else one of which no other place has what is beside it: a file may have something twice.
  void add(const ProbedPlace& place, std::span<const weights::PartSearch::Place> in_file);
  /// Each array, or what of it was there at one time.
  /// @param files as the search has read them.
  [[nodiscard]] std::vector<trace::PackedMatch> take(std::span<const weights::PlainFile> files);

 private:
  struct Known {
    ProbedPlace place;
    weights::PartSearch::Place in_file;
    /// The same for all places of one array: the last one is where in the allocation the file would
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
  std::map<std::size_t, std::set<std::uint64_t>> offsets_;  ///< Of them, by file.
};

}  // namespace tidemark
