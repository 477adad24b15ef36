/// How much of heap blocks was never touched, according to looks at their pages.
#pragma once

#include "analyzer/flow/model_flow.hpp"
#include "collector/trace/types/definitions.hpp"

#include <cstdint>
#include <unordered_map>

namespace tidemark::analyzer {

class BlockLooks {
 public:
  explicit BlockLooks(const trace::Definitions& definitions);

  /// Bytes of a block that no look found touched, and that cannot have been touched after the last
  /// one; 0 for a block never looked at, or only in the first third of its life.
  /// @param end_ns of the program.
  [[nodiscard]] std::uint64_t untouched_bytes(const BlockLife& life, std::uint64_t end_ns) const;

 private:
  /// All looks at one block.
  struct Looks {
    std::uint64_t most_bytes = 0;
    std::uint64_t last_ns = 0;
    std::uint64_t last_bytes = 0;
    std::uint64_t before_ns = 0;  ///< The look before the last; 0: there was none.
    std::uint64_t before_bytes = 0;
  };

  static std::uint64_t touched_unseen(const BlockLife& life,
                                      const Looks& looks,
                                      std::uint64_t end_ns);

  std::unordered_map<trace::AllocationNumber, Looks> looks_;
};

}  // namespace tidemark::analyzer
