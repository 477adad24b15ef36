#include "gui/view/pages/page_map.hpp"

#include "analyzer/text/size_text.hpp"
#include "collector/trace/types/less.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>
#include <unordered_map>

namespace tidemark::gui {
namespace {

using trace::less;

/// By allocation: the bytes touched at the last look up to `at_ns`.
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

  /// @param asked private bytes asked for; `resident`: see page_map.
  void add_blocks(const std::vector<trace::Look>& looks,
                  std::uint64_t asked,
                  const analyzer::ResidentTotals* resident) {
    find_untouched(looks);
    if (resident != nullptr) {
      rule_out(less(less(asked, all_untouched_), resident->anon_bytes));
    }
    for (std::size_t i = 0; i < list_.blocks.size(); ++i) {
      const LongBlock& block = list_.blocks[i];
      if (is_mapped(block)) {
        const bool is_shared = block.lane == trace::Lane::kShared;
        add(is_shared ? PageUse::kShared : PageUse::kLive, block.bytes - untouched_[i], i);
        add(PageUse::kUntouched, untouched_[i], i);
      }
    }
  }

 private:
  /// Device memory is not in the program's address space, or is counted there on its own.
  [[nodiscard]] bool is_mapped(const LongBlock& block) const {
    const bool is_alive = block.begin_ns <= map_.at_ns && map_.at_ns < block.end_ns;
    return is_alive && block.lane != trace::Lane::kDevice;
  }

  /// By the looks.
  void find_untouched(const std::vector<trace::Look>& looks) {
    const auto touched = touched_at(looks, map_.at_ns);
    untouched_.resize(list_.blocks.size());
    for (std::size_t i = 0; i < list_.blocks.size(); ++i) {
      const LongBlock& block = list_.blocks[i];
      const auto seen = touched.find(block.allocation);
      if (is_mapped(block) && block.lane == trace::Lane::kHeap && seen != touched.end()) {
        untouched_[i] = less(block.bytes, seen->second);
        all_untouched_ += untouched_[i];
      }
    }
  }

  /// A block that came at this very instant has not been written to. Only pages left from earlier
  /// blocks can be resident in it.
  /// @param missing bytes asked for that cannot be resident.
  void rule_out(std::uint64_t missing) {
    for (std::size_t i = list_.blocks.size(); i-- > 0 && missing > 0;) {
      const LongBlock& block = list_.blocks[i];
      if (is_mapped(block) && block.begin_ns == map_.at_ns && block.lane == trace::Lane::kHeap &&
          untouched_[i] == 0) {
        untouched_[i] = std::min(block.bytes, missing);
        missing -= untouched_[i];
      }
    }
  }

  PageMap& map_;
  const BlockList& list_;
  std::vector<std::uint64_t> untouched_;  // By block: bytes of it.
  std::uint64_t all_untouched_ = 0;       // By the looks.
};

}  // namespace

const char* word_of(PageUse use) {
  constexpr std::array<const char*, kPageUses> kWords{"live",
                                                      "not touched until then",
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
  const std::uint64_t asked = totals[trace::Lane::kHeap] + totals[trace::Lane::kAnon];
  mapper.add_blocks(looks, asked, resident);
  const std::uint64_t listed = map.of(PageUse::kLive) + map.of(PageUse::kUntouched);
  mapper.add(PageUse::kSmall, less(asked, listed));
  mapper.add(PageUse::kShared, less(totals[trace::Lane::kShared], map.of(PageUse::kShared)));
  if (resident == nullptr) {
    mapper.add(PageUse::kFileElsewhere, 0);
    return map;
  }
  map.sampled_ns = resident->at_ns;
  const std::uint64_t touched = less(asked, map.of(PageUse::kUntouched));
  map.not_resident = less(touched, resident->anon_bytes);
  mapper.add(PageUse::kBeyond, less(resident->anon_bytes, touched));
  mapper.add(PageUse::kFileInMemory, resident->file_bytes);
  mapper.add(PageUse::kFileElsewhere, less(totals[trace::Lane::kFile], resident->file_bytes));
  return map;
}

bool is_known(const PageMap& map, PageUse use) {
  switch (use) {
    case PageUse::kUntouched:
      return map.has_looks || map.of(use) > 0;
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
    text += " No block was looked at, so what was not touched until then is not known.";
  }
  constexpr std::uint64_t kNotablePart = 100;
  if (map.not_resident > map.total() / kNotablePart) {
    text += fmt::format(
        " {} of what is live was not resident at {}, by that sample; of which blocks is not known.",
        analyzer::format_size(map.not_resident), analyzer::format_time(*map.sampled_ns));
  }
  if (!map.sampled_ns) {
    text += " Resident memory was not sampled before, so what is beyond the blocks is not known.";
  }
  return text;
}

}  // namespace tidemark::gui
