#include "analyzer/usage/usage.hpp"

#include "analyzer/query/live/allocation_set.hpp"
#include "analyzer/query/live/backward_walk.hpp"
#include "analyzer/query/paged_numbers.hpp"
#include "analyzer/query/wrapping.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <deque>
#include <functional>
#include <map>
#include <optional>
#include <unordered_map>
#include <utility>

namespace tidemark::analyzer {
namespace {

constexpr std::array kGroupingWords{
    std::pair(UsageGrouping::kTemporary, "temporary"), std::pair(UsageGrouping::kLeaked, "leaked"),
    std::pair(UsageGrouping::kAllocations, "allocations"), std::pair(UsageGrouping::kSize, "size"),
    std::pair(UsageGrouping::kThread, "thread")};

/// Counts by key. A large program has hundreds of thousands of stacks.
class CountsByKey {
 public:
  struct Entry {
    std::uint32_t key = 0;
    UsageCounts counts;
  };

  /// Stays where it is.
  UsageCounts& operator[](std::uint32_t key) {
    std::uint32_t& number = numbers_[key];
    if (number == 0) {
      entries_.push_back({.key = key, .counts = {}});
      number = static_cast<std::uint32_t>(entries_.size());
    }
    return entries_[number - 1].counts;
  }
  /// In the order of their keys: lists are the same in each run.
  [[nodiscard]] std::vector<const Entry*> in_order() const {
    std::vector<const Entry*> sorted;
    sorted.reserve(entries_.size());
    for (const Entry& entry : entries_) {
      sorted.push_back(&entry);
    }
    std::ranges::sort(sorted, {}, &Entry::key);
    return sorted;
  }

 private:
  PagedNumbers numbers_;  // From 1 on.
  std::deque<Entry> entries_;
};

/// What an allocation belongs to: its stack, how many bits its size has, or its thread.
std::uint32_t key_by(UsageGrouping by, const trace::Event& event, std::uint64_t bytes) {
  switch (by) {
    case UsageGrouping::kSize:
      return static_cast<std::uint32_t>(std::bit_width(bytes));
    case UsageGrouping::kThread:
      return trace::index(event.thread);
    default:
      return trace::index(event.stack);
  }
}

/// Sees all events of a trace in their order.
class AllocationCounter {
 public:
  explicit AllocationCounter(UsageGrouping by)
      : by_(by), has_mappings_(by == UsageGrouping::kSize || by == UsageGrouping::kThread) {}

  void see(const trace::Event& event) {
    const bool is_heap = !trace::is_mapped(event.lane);
    if (!is_heap && !has_mappings_) {
      return;
    }
    switch (event.kind) {
      case trace::EventKind::kAllocate:
        begin(event, is_heap);
        break;
      case trace::EventKind::kReallocate:
        end(event.thread, event.released, is_heap);
        begin(event, is_heap);
        break;
      case trace::EventKind::kRelease:
        end(event.thread, event.allocation, is_heap);
        break;
      default:
        break;
    }
  }

  /// Call once, at the end.
  CountsByKey take() { return std::move(counts_); }

 private:
  /// What a thread allocated last, if it did nothing else with the heap since.
  struct Latest {
    trace::AllocationNumber allocation = trace::kNoAllocation;
    UsageCounts* counts = nullptr;
  };

  void begin(const trace::Event& event, bool is_heap) {
    if (!trace::in_footprint(event.lane)) {
      return;
    }
    UsageCounts& counts = counts_[key_by(by_, event, event.size)];
    ++counts.allocations;
    counts.bytes += event.size;
    counts.note(event.size, event.at_ns);
    if (is_heap) {
      latest_[trace::index(event.thread)] = {.allocation = event.allocation, .counts = &counts};
    }
  }
  void end(trace::ThreadId thread, trace::AllocationNumber allocation, bool is_heap) {
    if (!is_heap) {
      return;
    }
    const Latest latest = std::exchange(latest_[trace::index(thread)], Latest());
    if (latest.counts != nullptr && latest.allocation == allocation) {
      ++latest.counts->temporary;
    }
  }

  UsageGrouping by_;
  bool has_mappings_;
  CountsByKey counts_;
  std::unordered_map<std::uint32_t, Latest> latest_;  // By thread.
};

/// Groupings that are counted in the same way have the same counts.
UsageGrouping counted_as(UsageGrouping by) {
  return by == UsageGrouping::kTemporary ? UsageGrouping::kAllocations : by;
}

using Counters = std::map<UsageGrouping, AllocationCounter>;

/// One for each way of counting, after one pass; none if no events are asked for.
Counters count_allocations(LoadedTrace& trace, std::span<const UsageGrouping> groupings) {
  Counters counters;
  for (const UsageGrouping by : groupings) {
    if (by != UsageGrouping::kNone && by != UsageGrouping::kLeaked) {
      counters.try_emplace(counted_as(by), counted_as(by));
    }
  }
  const std::size_t blocks = counters.empty() ? 0 : trace.blocks().size();
  for (std::size_t block = 0; block < blocks && !trace.is_stopped(); ++block) {
    if (const auto* const events = trace.events(block)) {
      for (const trace::Event& event : *events) {
        for (auto& [by, counter] : counters) {
          counter.see(event);
        }
      }
    }
  }
  return counters;
}

void count_held(LoadedTrace& trace, const Instant& peak, UsageGrouping by, CountsByKey& counts) {
  visit_live(trace, {}, peak, [&](const trace::Event& event, std::uint64_t bytes) {
    if (trace::in_footprint(event.lane) && bytes != 0) {
      UsageCounts& held = counts[key_by(by, event, bytes)];
      ++held.held_blocks;
      held.held_bytes += bytes;
    }
  });
}

/// Sees a trace from its end to its start.
class NeverFreed {
 public:
  void begin(const trace::Event& event) {
    if (event.lane != trace::Lane::kHeap || freed_.contains(event.allocation)) {
      return;
    }
    const auto change = changes_.find(event.allocation);
    const bool is_changed = change != changes_.end();
    const std::uint64_t bytes = is_changed ? changed(event.size, change->second) : event.size;
    if (is_changed && bytes == 0) {
      return;  // All of it was given back, in parts.
    }
    UsageCounts& counts = counts_[trace::index(event.stack)];
    ++counts.held_blocks;
    counts.held_bytes += bytes;
  }
  void end(trace::AllocationNumber allocation, const trace::Event&) { freed_.insert(allocation); }
  void resize(trace::AllocationNumber allocation, std::int64_t change, const trace::Event&) {
    std::int64_t& sum = changes_[allocation];
    sum = wrapping_sum(sum, change);
  }

  // The end of a process frees nothing.
  void end_all(const trace::Event&) {}
  void end_process(trace::ProcessId, const trace::Event&) {}

  CountsByKey take() { return std::move(counts_); }

 private:
  AllocationSet freed_;
  std::unordered_map<trace::AllocationNumber, std::int64_t> changes_;  // Bytes.
  CountsByKey counts_;
};

CountsByKey count_leaks(LoadedTrace& trace) {
  if (trace.blocks().empty()) {
    return {};
  }
  NeverFreed sink;
  const std::size_t last = trace.blocks().size() - 1;
  walk_back(trace, {}, {.block = last, .events = trace.blocks()[last].event_count}, sink);
  return sink.take();
}

/// Stacks that read the same are one row. @param readings may know stacks of other lists.
std::vector<UsageRow> stack_rows(const CountsByKey& counts, StackReadings& readings) {
  std::unordered_map<std::size_t, std::size_t> places;  // By reading.
  std::vector<UsageRow> rows;
  for (const CountsByKey::Entry* const entry : counts.in_order()) {
    const auto stack = trace::StackId{entry->key};
    const auto [place, is_new] = places.try_emplace(readings.number_of(stack), rows.size());
    if (is_new) {
      rows.push_back({.counts = {}, .stack = stack});
    }
    rows[place->second].counts += entry->counts;
  }
  return rows;
}

/// The smallest size of so many bits.
std::uint64_t least_of(std::uint32_t bits) {
  return bits == 0 ? 0 : std::uint64_t{1} << (bits - 1);
}

/// Rows by size or by thread.
std::vector<UsageRow> rows_of(UsageGrouping by, const CountsByKey& counts) {
  std::vector<UsageRow> rows;
  for (const CountsByKey::Entry* const entry : counts.in_order()) {
    UsageRow& row = rows.emplace_back(UsageRow{.counts = entry->counts});
    if (by == UsageGrouping::kSize) {
      row.least_bytes = least_of(entry->key);
    } else {
      row.thread = trace::ThreadId{entry->key};
    }
  }
  return rows;
}

/// What the first matching suppression takes is no leak.
void suppress(Usage& usage,
              const std::vector<Suppression>& suppressions,
              const trace::Definitions& definitions) {
  if (suppressions.empty()) {
    return;  // Stacks are named for them alone.
  }
  for (const Suppression& suppression : suppressions) {
    usage.suppressed.push_back({.pattern = suppression.pattern, .counts = {}});
  }
  std::erase_if(usage.rows, [&](const UsageRow& row) {
    const auto fits = std::ranges::find_if(
        suppressions, [frames = named_stack(definitions, row.stack)](const Suppression& one) {
          return one.fits(frames);
        });
    if (fits == suppressions.end()) {
      return false;
    }
    usage.suppressed[static_cast<std::size_t>(fits - suppressions.begin())].counts += row.counts;
    return true;
  });
}

void sort_rows(Usage& usage) {
  if (usage.by == UsageGrouping::kSize) {
    return;
  }
  if (usage.by == UsageGrouping::kTemporary) {
    std::erase_if(usage.rows, [](const UsageRow& row) { return row.counts.temporary == 0; });
  }
  std::ranges::stable_sort(usage.rows, std::ranges::greater{},
                           [&usage](const UsageRow& row) { return rank_of(usage.by, row.counts); });
}

}  // namespace

std::string_view grouping_word(UsageGrouping grouping) {
  const auto* const word =
      std::ranges::find(kGroupingWords, grouping, &std::pair<UsageGrouping, const char*>::first);
  return word == kGroupingWords.end() ? std::string_view() : word->second;
}

UsageCounts& UsageCounts::operator+=(const UsageCounts& other) {
  allocations += other.allocations;
  bytes += other.bytes;
  temporary += other.temporary;
  held_blocks += other.held_blocks;
  held_bytes += other.held_bytes;
  note(other.largest_bytes, other.largest_at_ns);
  return *this;
}

std::uint64_t rank_of(UsageGrouping by, const UsageCounts& counts) {
  switch (by) {
    case UsageGrouping::kTemporary:
      return counts.temporary;
    case UsageGrouping::kAllocations:
      return counts.allocations;
    case UsageGrouping::kLeaked:
      return counts.held_bytes;
    default:
      return counts.bytes;
  }
}

std::vector<Usage> usages_of(LoadedTrace& trace,
                             const Instant& peak,
                             std::span<const UsageGrouping> groupings,
                             const std::vector<Suppression>& suppressions,
                             StackReadings& readings) {
  Counters counters = count_allocations(trace, groupings);
  std::optional<std::vector<UsageRow>> allocating;  // The rows of two lists.
  std::vector<Usage> usages;
  for (const UsageGrouping by : groupings) {
    Usage& usage = usages.emplace_back();
    usage.by = by;
    if (by == UsageGrouping::kLeaked) {
      usage.rows = stack_rows(count_leaks(trace), readings);
      suppress(usage, suppressions, trace.definitions());
    } else if (by == UsageGrouping::kSize || by == UsageGrouping::kThread) {
      CountsByKey counts = counters.at(by).take();
      count_held(trace, peak, by, counts);
      usage.rows = rows_of(by, counts);
    } else if (by != UsageGrouping::kNone) {
      if (!allocating) {
        allocating = stack_rows(counters.at(counted_as(by)).take(), readings);
      }
      usage.rows = *allocating;
    }
    for (const UsageRow& row : usage.rows) {
      usage.all += row.counts;
    }
    sort_rows(usage);
  }
  return usages;
}

Usage usage_of(LoadedTrace& trace,
               const Instant& peak,
               UsageGrouping by,
               const std::vector<Suppression>& suppressions) {
  StackReadings readings(trace.definitions());
  return std::move(usages_of(trace, peak, std::span(&by, 1), suppressions, readings).front());
}

}  // namespace tidemark::analyzer
