#include "gui/view/pages/page_map.hpp"

#include "collector/trace/types/less.hpp"

#include <algorithm>
#include <numeric>
#include <unordered_map>

namespace tidemark::gui {
namespace {

using trace::less;

/// Bytes of each block that were touched at its last look until then.
std::unordered_map<std::uint64_t, std::uint64_t> touched_at(const std::vector<trace::Look>& looks,
                                                            std::uint64_t at_ns) {
  std::unordered_map<std::uint64_t, std::uint64_t> touched;
  for (const trace::Look& look : looks) {
    if (look.at_ns <= at_ns) {
      touched[look.allocation] = look.bytes;
    }
  }
  return touched;
}

class Mapper {
 public:
  Mapper(PageMap& map, const BlockList& list) : map_(map), list_(list) {}

  void add(PageUse use, std::uint64_t bytes, std::optional<std::size_t> block = std::nullopt) {
    if (bytes > 0) {
      map_.runs.push_back({use, bytes, block});
      map_.bytes.at(static_cast<std::size_t>(use)) += bytes;
    }
  }

  void add_blocks(const std::vector<trace::Look>& looks) {
    const auto touched = touched_at(looks, map_.at_ns);
    for (std::size_t i = 0; i < list_.blocks.size(); ++i) {
      const LongBlock& block = list_.blocks[i];
      // Device memory is no address space of the program, or counts there by itself.
      const bool is_alive = block.begin_ns <= map_.at_ns && map_.at_ns < block.end_ns;
      if (!is_alive || block.lane == trace::Lane::kDevice) {
        continue;
      }
      const auto seen = touched.find(block.allocation);
      const std::uint64_t never = block.lane == trace::Lane::kHeap && seen != touched.end()
                                      ? less(block.bytes, seen->second)
                                      : 0;
      const bool is_shared = block.lane == trace::Lane::kShared;
      add(is_shared ? PageUse::kShared : PageUse::kLive, block.bytes - never, i);
      add(PageUse::kNeverTouched, never, i);
    }
  }

 private:
  PageMap& map_;
  const BlockList& list_;
};

}  // namespace

const char* word_of(PageUse use) {
  constexpr std::array<const char*, kPageUses> kWords{"live",
                                                      "never touched",
                                                      "smaller blocks",
                                                      "shared",
                                                      "resident, not asked for",
                                                      "files in memory",
                                                      "files, not in memory"};
  return kWords.at(static_cast<std::size_t>(use));
}

std::uint64_t PageMap::total() const {
  return std::accumulate(bytes.begin(), bytes.end(), std::uint64_t{0});
}

PageMap page_map(const BlockList& list,
                 const std::vector<trace::Look>& looks,
                 const trace::LaneTotals& totals,
                 const analyzer::ResidentTotals* resident,
                 std::uint64_t at_ns) {
  PageMap map{.at_ns = at_ns, .runs = {}};
  map.has_looks = !looks.empty();
  Mapper mapper(map, list);
  mapper.add_blocks(looks);
  const std::uint64_t listed = map.of(PageUse::kLive) + map.of(PageUse::kNeverTouched);
  const std::uint64_t asked = totals[trace::Lane::kHeap] + totals[trace::Lane::kAnon];
  mapper.add(PageUse::kSmall, less(asked, listed));
  mapper.add(PageUse::kShared, less(totals[trace::Lane::kShared], map.of(PageUse::kShared)));
  if (resident == nullptr) {
    mapper.add(PageUse::kFileElsewhere, 0);
    return map;
  }
  map.sampled_ns = resident->at_ns;
  mapper.add(PageUse::kBeyond,
             less(resident->anon_bytes, less(asked, map.of(PageUse::kNeverTouched))));
  mapper.add(PageUse::kFileInMemory, resident->file_bytes);
  mapper.add(PageUse::kFileElsewhere, less(totals[trace::Lane::kFile], resident->file_bytes));
  return map;
}

bool is_known(const PageMap& map, PageUse use) {
  switch (use) {
    case PageUse::kNeverTouched:
      return map.has_looks;
    case PageUse::kBeyond:
    case PageUse::kFileInMemory:
    case PageUse::kFileElsewhere:
      return map.sampled_ns.has_value();
    case PageUse::kLive:
    case PageUse::kSmall:
    case PageUse::kShared:
      break;
  }
  return true;
}

std::string unknown_text(const PageMap& map) {
  std::string text = "A trace has no addresses: blocks stand oldest first.";
  if (!map.has_looks) {
    text += " No block was looked at, so what was never touched is not known.";
  }
  if (!map.sampled_ns) {
    text += " Resident memory was not sampled before, so what is beyond the blocks is not known.";
  }
  return text;
}

}  // namespace tidemark::gui
