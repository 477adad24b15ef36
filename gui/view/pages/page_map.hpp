/// What the address space is used for at an instant. A trace has no addresses, only sizes and what
/// looks at pages found.
#pragma once

#include "analyzer/query/footprint/resident.hpp"
#include "collector/trace/types/definitions.hpp"
#include "gui/view/blocks/block_list.hpp"

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace tidemark::gui {

enum class PageUse : std::uint8_t {
  kLive,  ///< A block's: touched, or its pages were not looked at.
  /// A heap block's: in memory at no look so far; if the block came at this very instant: what
  /// exceeds resident memory.
  kUntouched,
  kSmall,         ///< All blocks that are not listed.
  kShared,        ///< Shared memory.
  kBeyond,        ///< Private memory, resident but not asked for: mostly freed and kept.
  kFileInMemory,  ///< Pages of mapped files, including libraries.
  kFileElsewhere  ///< Mapped files' pages that are not in memory.
};
constexpr std::size_t kPageUses = 7;

/// `not touched until then`, ...
const char* word_of(PageUse use);

struct PageRun {
  PageUse use = PageUse::kLive;
  std::uint64_t bytes = 0;
  std::optional<std::size_t> block{};  ///< Index into BlockList::blocks; none: no single block.
};

struct PageMap {
  std::uint64_t at_ns = 0;
  std::vector<PageRun> runs;  ///< Blocks oldest first, then what belongs to none.
  std::array<std::uint64_t, kPageUses> bytes{};  ///< By PageUse.
  /// When resident memory was sampled; none: no sample until then, so kBeyond and the files' uses
  /// are unknown.
  std::optional<std::uint64_t> sampled_ns{};
  /// Private bytes in live or small blocks beyond what the sample found resident; which blocks they
  /// are in is unknown.
  std::uint64_t not_resident = 0;
  bool has_looks = false;  ///< Heap blocks were looked at; else little is known to be untouched.

  [[nodiscard]] std::uint64_t of(PageUse use) const { return bytes[static_cast<std::size_t>(use)]; }
  [[nodiscard]] std::uint64_t total() const;
};

/// @param totals of the lanes at `at_ns`.
/// @param resident the sample valid at `at_ns`; null: there is none.
PageMap page_map(const BlockList& list,
                 const std::vector<trace::Look>& looks,
                 const trace::LaneTotals& totals,
                 const analyzer::ResidentTotals* resident,
                 std::uint64_t at_ns);

/// Whether the bytes of this use are known, so that 0 means none.
bool is_known(const PageMap& map, PageUse use);

/// Sentences about what the map shows and what it does not know; never empty.
std::string unknown_text(const PageMap& map);

}  // namespace tidemark::gui
