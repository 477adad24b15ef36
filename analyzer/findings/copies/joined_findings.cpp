// Rows that a loop joined into one array, and that are alive beside it: small blocks are in no
// recorded read or copy, and what they hold is not looked into. What tells is their order, and
// their sizes, which add up to the array's to the byte.
//
// `twice` holds for 64 small heap blocks or more of one stack, or of one place, and one large block
// with a tenth of the peak.
// - They came before it and are alive at the peak with it. It came no longer after the last of them
//   than they took to come.
// - Together they have its size, to 64 bytes that it may have for a header. Each counts without a
//   header of 0, 1, 8, 16, 24, 32, 33, 41 or 49 bytes, has 64 bytes or more, and a sixteenth of the
//   array at most. Rows of one size without a header may be a few short (16, and a sixty-fourth of
//   them).
// - But for such a few, they stay to the end, or go within the time that they took to come.
// Not told if the large block grew, was seen to hold or be read from a file, was not found full by
// looks, or had a twentieth of it copied into it from blocks at the peak; nor with sampled stacks.
// Which of the two is needed is not known, so the higher peak counts. The sentence says that only
// sizes and order tell.

#include "analyzer/findings/asking_place.hpp"
#include "analyzer/findings/findings.hpp"
#include "analyzer/flow/places.hpp"
#include "analyzer/query/live/block_lives.hpp"
#include "analyzer/query/live/live_set.hpp"
#include "analyzer/query/live/load_without.hpp"
#include "analyzer/query/pass/excerpt.hpp"
#include "analyzer/text/size_text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <unordered_map>
#include <unordered_set>
#include <utility>
#include <vector>

namespace tidemark::analyzer {
namespace {

constexpr std::uint64_t kMinRows = 64;
/// The least that an array has for each row. For objects that it only refers to, it has a pointer
/// or a handle.
constexpr std::uint64_t kMinRowBytes = 64;
/// An array of less than this part of the peak is not told.
constexpr std::uint64_t kArrayPart = 10;
/// What an object has in front of its values: nothing; a string's last byte; the headers of
/// run-time systems; those of Python's bytes and str.
/// They are a small part of each row: so many are known that objects of another kind would fit
/// else.
constexpr std::uint64_t kHeaderPart = 16;
constexpr std::array<std::uint64_t, 9> kObjectHeaders{0, 1, 8, 16, 24, 32, 33, 41, 49};
/// By which an array may be larger than its values: its own header.
constexpr std::uint64_t kMaxArrayHeader = 64;

/// So many rows may have got their memory from elsewhere, or leave it there: numpy keeps a few
/// blocks of each small size, for whoever asks next.
std::uint64_t few_of(std::uint64_t rows) {
  constexpr std::uint64_t kMaxElsewhere = 16;
  constexpr std::uint64_t kPart = 64;
  return std::min(kMaxElsewhere, rows / kPart);
}

/// What one stack of one process holds.
struct Held {
  std::uint64_t bytes = 0;
  std::uint64_t blocks = 0;
  std::uint64_t least = UINT64_MAX;  ///< Bytes of the smallest block.
  std::uint64_t most = 0;            ///< The largest block's.

  void add(const Held& other) {
    bytes += other.bytes;
    blocks += other.blocks;
    least = std::min(least, other.least);
    most = std::max(most, other.most);
  }
};
using HeldByStack = std::map<std::pair<std::uint32_t, std::uint32_t>, Held>;  // Process, StackId.
/// The same by one combined key, without an order: looked up once for each of millions of small
/// blocks.
using HeldByKey = std::unordered_map<std::uint64_t, Held>;

/// Blocks of one stack, or of all stacks of one place, which are as large as an array.
struct Rows {
  Held held;
  std::uint64_t header = 0;   ///< The header of each.
  std::uint64_t missing = 0;  ///< How many more rows of their size it has.
  std::vector<trace::StackId> stacks{};
};

/// Whether the block was filled, as far as looks at it say.
class FilledBlocks {
 public:
  explicit FilledBlocks(const trace::Definitions& definitions) {
    for (const trace::Look& look : definitions.looks) {
      touched_[look.allocation] = std::max(touched_[look.allocation], look.bytes);
    }
  }
  [[nodiscard]] bool contains(const BlockLife& life) const {
    const auto look = touched_.find(life.allocation);
    return look == touched_.end() || is_most_of(look->second, life.size);
  }

 private:
  std::unordered_map<trace::AllocationNumber, std::uint64_t> touched_;
};

/// Blocks that were seen to hold something of a file.
std::unordered_set<trace::AllocationNumber> blocks_of_files(const trace::Definitions& definitions) {
  std::unordered_set<trace::AllocationNumber> found;
  const auto add_all = [&found](const auto& entries) {
    for (const auto& entry : entries) {
      found.insert(entry.allocation);
    }
  };
  add_all(definitions.matches);
  add_all(definitions.packed);
  add_all(definitions.origins);
  return found;
}

/// Blocks at the peak that may have been joined from others, the oldest first: nothing else was
/// seen to come into them, and no look found them unfilled.
std::vector<std::uint32_t> arrays_at_peak(const Evidence& evidence) {
  const FilledBlocks filled(evidence.trace.definitions());
  const auto of_files = blocks_of_files(evidence.trace.definitions());
  std::unordered_map<std::uint32_t, std::uint64_t> copied;
  for (const PlainCopy& copy : evidence.totals.plain_copies) {
    copied[copy.target] += copy.bytes;
  }
  const std::uint64_t least =
      std::max(evidence.worth_saying(), evidence.load.peak.footprint_bytes / kArrayPart);
  std::vector<std::uint32_t> found;
  const auto& lives = evidence.flow.lives();
  for (std::uint32_t i = 0; i < lives.size(); ++i) {
    const BlockLife& life = lives[i];
    if (life.is_alive_after(evidence.peak) && life.size >= least &&
        life.lane == trace::Lane::kHeap && !life.holds_model() && life.growth_steps == 0 &&
        !evidence.explained[i] && filled.contains(life) && !of_files.contains(life.allocation) &&
        copied[i] < life.size / kWorthSayingPart) {
      found.push_back(i);
    }
  }
  std::ranges::sort(found, {}, [&lives](std::uint32_t life) { return lives[life].allocation; });
  return found;
}

/// What of small blocks stands at the peak: for each of the arrays, by number, what came between
/// the one before it and itself.
std::vector<HeldByKey> small_blocks_between(const Evidence& evidence,
                                            const std::vector<std::uint32_t>& arrays) {
  std::vector<HeldByKey> between(arrays.size());
  const auto number_of = [&evidence](std::uint32_t life) {
    return evidence.flow.lives()[life].allocation;
  };
  visit_live(evidence.trace, {}, evidence.load.peak.at,
             [&](const trace::Event& event, std::uint64_t bytes) {
               const auto process = evidence.trace.process_of(event.thread);
               const auto next = std::ranges::upper_bound(arrays, event.allocation, {}, number_of);
               if (process && next != arrays.end() && event.lane == trace::Lane::kHeap &&
                   bytes < kLargeBlockBytes) {
                 between[static_cast<std::size_t>(next - arrays.begin())]
                        [std::uint64_t{trace::index(*process)} << 32U | trace::index(event.stack)]
                            .add({.bytes = bytes, .blocks = 1, .least = bytes, .most = bytes});
               }
             });
  return between;
}

void add_held(HeldByStack& sum, const HeldByKey& other) {
  for (const auto& [key, held] : other) {
    sum[{static_cast<std::uint32_t>(key >> 32U), static_cast<std::uint32_t>(key)}].add(held);
  }
}

/// How many more rows of the same size an array has, if all have one size and only a few are
/// missing.
std::uint64_t missing_rows(const Held& rows, std::uint64_t array) {
  const std::uint64_t beyond = array - std::min(array, rows.bytes);
  return rows.least != rows.most || beyond <= kMaxArrayHeader
             ? 0
             : std::min(few_of(rows.blocks), beyond / rows.most);
}

/// What each row has in front of its values, where they are as large as the array without it.
std::optional<Rows> as_rows(const Held& held, std::uint64_t array) {
  for (const std::uint64_t header : kObjectHeaders) {
    const std::uint64_t all = held.bytes - std::min(held.bytes, held.blocks * header);
    if (header * kHeaderPart > held.bytes / held.blocks || all < held.blocks * kMinRowBytes) {
      continue;
    }
    // If headers were allowed as well, too many sums would match.
    const std::uint64_t missing = header == 0 ? missing_rows(held, array) : 0;
    const std::uint64_t values = all + missing * (all / held.blocks);
    if (values <= array && array - values <= kMaxArrayHeader) {
      return Rows{.held = held, .header = header, .missing = missing};
    }
  }
  return std::nullopt;
}

/// Those of one stack, else of one place, that nothing was said of.
class RowFinder {
 public:
  RowFinder(const Evidence& evidence, const std::vector<Finding>& findings)
      : places_(*evidence.places) {
    for (const Finding& finding : findings) {
      told_.insert(finding.stacks.begin(), finding.stacks.end());
    }
  }

  /// @param before what came before the array.
  [[nodiscard]] std::optional<Rows> find(const HeldByStack& before,
                                         trace::ProcessId process,
                                         std::uint64_t array) const {
    std::map<std::uint32_t, Rows> by_place;
    for (const auto& [key, held] : before) {
      const trace::StackId stack{key.second};
      if (key.first != trace::index(process) || told_.contains(stack)) {
        continue;
      }
      if (auto rows = if_rows(held, {stack}, array)) {
        return rows;
      }
      Rows& of_place = by_place[places_.of(stack)];
      of_place.held.add(held);
      of_place.stacks.push_back(stack);
    }
    for (const auto& [place, of_place] : by_place) {
      if (auto rows = if_rows(of_place.held, of_place.stacks, array)) {
        return rows;
      }
    }
    return std::nullopt;
  }

 private:
  static std::optional<Rows> if_rows(const Held& held,
                                     std::vector<trace::StackId> stacks,
                                     std::uint64_t array) {
    auto rows = held.blocks < kMinRows ? std::nullopt : as_rows(held, array);
    if (rows) {
      rows->stacks = std::move(stacks);
    }
    return rows;
  }

  Places& places_;
  std::set<trace::StackId> told_;
};

/// Whether the rows came shortly before the array, and go together: at most as much time passes
/// from the last of them to the array, and from the first that goes to the last, as they took to
/// come. Or all stay to the end, as it does.
bool come_and_go_together(const Evidence& evidence, const Rows& rows, const BlockLife& array) {
  const std::set<trace::StackId> stacks(rows.stacks.begin(), rows.stacks.end());
  const BlockLives lives =
      block_lives(evidence.trace, evidence.load.peak.at, 1, [&stacks](const trace::Event& event) {
        return stacks.contains(event.stack) ? std::optional<std::uint32_t>(0) : std::nullopt;
      })[0];
  if (lives.first_allocated_ns > lives.last_allocated_ns ||
      lives.last_allocated_ns > array.born_ns) {
    return false;
  }
  const std::uint64_t coming_ns = lives.last_allocated_ns - lives.first_allocated_ns;
  const bool came_before = array.born_ns - lives.last_allocated_ns <= coming_ns;
  const bool stay = is_most_of(lives.kept_blocks, lives.blocks);
  const bool go = lives.kept_blocks <= few_of(lives.blocks) &&
                  lives.last_freed_ns - lives.first_freed_ns <= coming_ns;
  return came_before && (go || stay);
}

/// `as large as these together but for 33 bytes of each`, `as large as these and 2 more together`.
std::string sizes_of_rows(const Rows& rows) {
  const std::string more =
      rows.missing == 0 ? std::string() : fmt::format(" and {} more", rows.missing);
  return "as large as these" + more + " together" +
         (rows.header == 0 ? std::string()
                           : fmt::format(" but for {} {} of each", rows.header,
                                         rows.header == 1 ? "byte" : "bytes"));
}

void tell_rows(Evidence& evidence,
               const Rows& rows,
               std::uint32_t array,
               std::vector<Finding>& findings) {
  const auto without_array = [&]() {
    Savings savings;
    evidence.flow.save(array, 0, savings);
    return evidence.lower_peak(savings);
  }();
  const LowerPeak without_rows = evidence.peak_without_stacks(rows.stacks);
  const auto lower = higher_of(without_array, without_rows);
  if (!lower || !evidence.is_lower(without_rows.bytes, rows.held.bytes)) {
    return;
  }
  const std::uint64_t array_bytes = evidence.flow.lives()[array].size;
  Finding finding{.kind = FindingKind::kTwice, .title = "rows beside an array as large"};
  const AskingPlace joined = asking_place(evidence, {&array, 1});
  const auto rows_stack = named_stack(evidence.trace.definitions(), rows.stacks.front());
  const auto places =
      told_places({rows_stack, named_stack(evidence.trace.definitions(), joined.stack)});
  finding.sentence = fmt::format(
      "{}, {} each, came before one block of {} of {}{}, which is {}, and all are alive at "
      "the peak. That they were joined is told by their sizes and order alone.",
      blocks_text(rows.held.bytes, rows.held.blocks, places.front()),
      format_size(rows.held.bytes / rows.held.blocks), format_size(array_bytes), places.back(),
      joined.rest, sizes_of_rows(rows));
  finding.bytes = std::min(rows.held.bytes, array_bytes);
  finding.remedy = "With one of them";
  finding.advice = "make the array first, and fill it as the rows come";
  if (lower->savings == nullptr) {
    finding.stacks = rows.stacks;
  }
  add_finding(evidence, *lower, rows.stacks.front(), std::move(finding), findings);
  evidence.explain({array});
}

}  // namespace

bool may_have_joined(LoadedTrace& trace, const LoadFacts& load) {
  if (trace.definitions().session.sample_bytes != 0) {
    return false;
  }
  const std::uint64_t least = load.peak.footprint_bytes / kArrayPart;
  const auto live = live_set_at(trace, load.peak.at);
  const auto is_notable = [least](const LiveStack& stack) {
    return stack.lane == trace::Lane::kHeap && stack.blocks != 0 && stack.bytes >= least;
  };
  const auto is_array = [&](const LiveStack& stack) {
    return is_notable(stack) && stack.bytes / stack.blocks >= kLargeBlockBytes;
  };
  // The stacks of one place may each have less.
  std::uint64_t small_bytes = 0;
  for (const LiveStack& stack : live.stacks) {
    const bool is_small = stack.lane == trace::Lane::kHeap && stack.blocks != 0 &&
                          stack.bytes / stack.blocks < kLargeBlockBytes;
    small_bytes += is_small ? stack.bytes : 0;
  }
  return small_bytes >= least && std::ranges::any_of(live.stacks, is_array);
}

void find_joined(Evidence& evidence, std::vector<Finding>& findings) {
  // A sample does not say which place small blocks belong to.
  if (evidence.trace.definitions().session.sample_bytes != 0) {
    return;
  }
  const auto arrays = arrays_at_peak(evidence);
  if (arrays.empty()) {
    return;
  }
  const auto between = small_blocks_between(evidence, arrays);
  HeldByStack before;
  for (std::size_t i = 0; i < arrays.size(); ++i) {
    add_held(before, between[i]);
    const BlockLife& array = evidence.flow.lives()[arrays[i]];
    const auto rows = RowFinder(evidence, findings).find(before, array.process, array.size);
    if (rows && come_and_go_together(evidence, *rows, array)) {
      tell_rows(evidence, *rows, arrays[i], findings);
    }
  }
}

}  // namespace tidemark::analyzer
