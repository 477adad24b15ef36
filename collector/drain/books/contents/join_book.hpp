/// Which large heap blocks hold everything that others do: blocks joined from others by loops of
/// the program or of a library, and blocks out of which others were taken. Found while both are
/// there, if a block begins like a smaller one, or has near its begin what another begins with.
#pragma once

#include "collector/drain/books/contents/joined_blocks.hpp"
#include "collector/drain/books/contents/shifted_values.hpp"
#include "collector/drain/hosts/host.hpp"
#include "collector/process/page_map.hpp"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <unordered_map>
#include <vector>

namespace tidemark {

/// Used only by the collector's single thread.
class JoinBook {
 public:
  /// Smaller blocks are not examined as a whole.
  static constexpr std::uint64_t kMinWholeBytes = std::uint64_t{4} << 20U;
  /// Nor are smaller ones than these searched for values behind something else, or searched for
  /// there.
  static constexpr std::uint64_t kMinLargerBytes = std::uint64_t{1} << 20U;
  static constexpr std::uint64_t kMinHeldBytes = std::uint64_t{256} << 10U;
  static constexpr std::size_t kMaxTold = 65'536;

  /// Remembers what a block of the host begins with.
  void note_beginning(const Host& host, const HostValues::Seen& seen);
  /// Examines a block of which some bytes were just seen. If it begins like another block, fills in
  /// which blocks it holds: see `find_joined_blocks`. Else, which larger block holds it: see
  /// `find_shifted_values`. A block that is still being filled is tried more and more rarely.
  /// @return whether to look again soon, as the block may be being filled just now.
  bool look(Host& host, const PageMap& map, HostValues::Seen& seen);
  /// What was seen is confirmed.
  void believe(const HostValues::Seen& seen);
  void end(const Host& host);
  /// In the order in which it was seen; of the times, only at_ns is set.
  [[nodiscard]] std::span<const trace::Joined> told() const { return told_; }

 private:
  /// Each pause is a part of the time since the first try, so that all tries are over after some
  /// minutes.
  struct Tries {
    unsigned count = 0;
    std::uint64_t first_ns = 0;
    std::uint64_t next_ns = 0;

    void note(std::uint64_t at_ns, std::uint64_t pause_parts);
  };
  static constexpr unsigned kMaxTries = 32;
  static constexpr std::uint64_t kPauseParts = 3;
  /// More and shorter: the source of a copy is often freed as soon as the copy is done.
  static constexpr unsigned kMaxHeldTries = 64;
  static constexpr std::uint64_t kHeldPauseParts = 8;
  static constexpr std::size_t kMaxTried = 4096;

  /// The search for a larger block that has what this one begins with.
  struct Held {
    Tries tries;
    std::optional<ShiftedValues> begun;
  };
  /// The words near the begin of a process's larger blocks.
  struct Near {
    NearWords words;
    /// What a block began with when its words were noted, as a hash.
    std::unordered_map<trace::AllocationNumber, std::size_t> noted;
    std::size_t refused = 0;  ///< Blocks for which there was no room.
  };

  bool look_for_parts(const Host& host, const PageMap& map, HostValues::Seen& whole);
  bool look_for_larger(Host& host, const PageMap& map, HostValues::Seen& seen);
  static bool search_larger(HostValues::Seen& seen,
                            const NearWords& words,
                            const JoinedMemory& memory,
                            Held& held);
  void note_words(const Host& host, const PageMap& map, const HostValues::Seen& larger);
  static bool make_room(Near& near, const Host& host);

  std::unordered_map<std::uint32_t, BlockBeginnings> beginnings_;  ///< By ProcessId.
  std::unordered_map<std::uint32_t, Near> near_;                   ///< The same.
  std::unordered_map<trace::AllocationNumber, Tries> tries_;       ///< To find parts.
  std::unordered_map<trace::AllocationNumber, Held> held_;
  std::vector<trace::Joined> told_;
};

}  // namespace tidemark
