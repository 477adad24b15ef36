/// Which large heap blocks hold all that others do: what a program joined by loops of its own, or
/// by a library's, and what it was taken out of. Looked for while both are there, where one begins
/// as a smaller one does, or has near its beginning what another one begins with.
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

/// Belongs to the collector's one thread.
class JoinBook {
 public:
  /// Smaller blocks are not taken for a whole.
  static constexpr std::uint64_t kLeastWhole = std::uint64_t{4} << 20U;
  /// Nor are these looked through for what stands behind something else, or looked for there.
  static constexpr std::uint64_t kLeastLarger = std::uint64_t{1} << 20U;
  static constexpr std::uint64_t kLeastHeld = std::uint64_t{256} << 10U;
  static constexpr std::size_t kMaxTold = 65'536;

  /// The host's block begins like this from now on.
  void note_beginning(const Host& host, const HostValues::Seen& seen);
  /// Fills in what a block holds of others, of which something was seen just now: where it begins
  /// as one of them does, see `find_joined_blocks`. Else which other one holds it, see
  /// `find_shifted_values`. One that is being filled is looked into more and more rarely.
  /// @return whether it is to be looked into again soon, as it may be filled at this moment.
  bool look(Host& host, const PageMap& map, HostValues::Seen& seen);
  /// What was seen is so.
  void believe(const HostValues::Seen& seen);
  void end(const Host& host);
  /// In the order in which it was seen, without times but when.
  [[nodiscard]] std::span<const trace::Joined> told() const { return told_; }

 private:
  /// The next try comes after a part of the time since the first, so that all of them take some
  /// minutes at most.
  struct Tries {
    unsigned count = 0;
    std::uint64_t first_ns = 0;
    std::uint64_t next_ns = 0;

    void note(std::uint64_t at_ns, std::uint64_t pause_parts);
  };
  static constexpr unsigned kMaxTries = 32;
  static constexpr std::uint64_t kPauseParts = 3;
  /// What something is copied from often goes as soon as that is done.
  static constexpr unsigned kMaxHeldTries = 64;
  static constexpr std::uint64_t kHeldPauseParts = 8;
  static constexpr std::size_t kMaxTried = 4096;

  /// To find a larger block that has what this one begins with.
  struct Held {
    Tries tries;
    std::optional<ShiftedValues> begun;
  };
  /// Of one process, in larger blocks.
  struct Near {
    NearWords words;
    /// What a block began with when its words were noted, as a hash.
    std::unordered_map<trace::AllocationNumber, std::size_t> noted;
    std::size_t refused = 0;  ///< Blocks, for want of room.
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
