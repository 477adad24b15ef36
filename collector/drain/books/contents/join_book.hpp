/// Which large heap blocks hold all that others do: what a program joined by loops of its own, or
/// by a library's. Looked for while both are there, where one begins as a smaller one does.
#pragma once

#include "collector/drain/books/contents/joined_blocks.hpp"
#include "collector/drain/hosts/host.hpp"
#include "collector/process/page_map.hpp"

#include <cstddef>
#include <cstdint>
#include <span>
#include <unordered_map>
#include <vector>

namespace tidemark {

/// Belongs to the collector's one thread.
class JoinBook {
 public:
  /// Smaller blocks are not taken for a whole.
  static constexpr std::uint64_t kLeastWhole = std::uint64_t{4} << 20U;
  static constexpr std::size_t kMaxTold = 65'536;

  /// The host's block begins like this from now on.
  void note_beginning(const Host& host, const HostValues::Seen& seen);
  /// Fills in what a block holds of others, of which something was seen just now: where it begins
  /// as one of them does, see `find_joined_blocks`. One that is being filled is looked into more
  /// and more rarely.
  /// @return whether it is to be looked into again soon, as it may be filled at this moment.
  bool look(const Host& host, const PageMap& map, HostValues::Seen& whole);
  /// What was seen is so.
  void believe(const HostValues::Seen& whole);
  void end(const Host& host) { beginnings_.erase(trace::index(host.id())); }
  /// In the order in which it was seen, without times but when.
  [[nodiscard]] std::span<const trace::Joined> told() const { return told_; }

 private:
  struct Tries {
    unsigned count = 0;
    std::uint64_t first_ns = 0;
    std::uint64_t next_ns = 0;
  };
  /// A whole that does not turn out to be one in some minutes is not looked for any more.
  static constexpr unsigned kMaxTries = 32;
  static constexpr std::size_t kMaxTried = 4096;

  static void note_try(Tries& tries, std::uint64_t at_ns);

  std::unordered_map<std::uint32_t, BlockBeginnings> beginnings_;  ///< By ProcessId.
  std::unordered_map<trace::AllocationNumber, Tries> tries_;
  std::vector<trace::Joined> told_;
};

}  // namespace tidemark
