/// What the address space is used for at an instant, as far as a trace knows: it has sizes and what
/// looks at pages found, and no addresses.
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
  kLive,          ///< Of a block: touched, or not looked at.
  kUntouched,     ///< Of a heap block: asked for, but in memory at no look until then; of one that
                  ///< came at that very instant: what resident memory has no room for.
  kSmall,         ///< Blocks that are not listed, all together.
  kShared,        ///< Shared memory.
  kBeyond,        ///< Private memory that is resident and not asked for: freed and kept, mostly.
  kFileInMemory,  ///< Pages of mapped files, those of libraries among them.
  kFileElsewhere  ///< Of mapped files: not in memory.
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
  /// When resident memory was sampled; none: it was not before, and nothing is known of what is
  /// beyond the blocks and of files in memory.
  std::optional<std::uint64_t> sampled_ns{};
  /// Private bytes of what is live or small that the sample had no room for, either; of which
  /// blocks is not known.
  std::uint64_t not_resident = 0;
  bool has_looks = false;  ///< Heap blocks were looked at; else nothing is known to be untouched.

  [[nodiscard]] std::uint64_t of(PageUse use) const { return bytes[static_cast<std::size_t>(use)]; }
  [[nodiscard]] std::uint64_t total() const;
};

/// @param totals of the lanes at `at_ns`.
/// @param resident the sample that holds then; null: there is none.
PageMap page_map(const BlockList& list,
                 const std::vector<trace::Look>& looks,
                 const trace::LaneTotals& totals,
                 const analyzer::ResidentTotals* resident,
                 std::uint64_t at_ns);

/// Whether the map knows how much of it there is: 0 bytes of it are none.
bool is_known(const PageMap& map, PageUse use);

/// What the map does not know, in a sentence; empty: nothing of it is missing.
std::string unknown_text(const PageMap& map);

}  // namespace tidemark::gui
