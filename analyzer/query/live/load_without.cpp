#include "analyzer/query/live/load_without.hpp"

#include "analyzer/query/lifetimes.hpp"
#include "analyzer/query/live/live_set.hpp"
#include "analyzer/query/wrapping.hpp"

#include <algorithm>
#include <map>
#include <utility>

namespace tidemark::analyzer {
namespace {

using SavingSteps = std::vector<Savings::Step>;

/// If several save the same bytes, the one that saves most counts, at each time.
SavingSteps most_of(const std::vector<SavingSteps>& alternatives) {
  if (alternatives.size() == 1) {
    return alternatives.front();
  }
  std::map<trace::EventOrdinal, std::vector<std::int64_t>> changes;
  for (std::size_t i = 0; i < alternatives.size(); ++i) {
    for (const Savings::Step& step : alternatives[i]) {
      auto& change = changes[step.ordinal];
      change.resize(alternatives.size());
      change[i] = wrapping_sum(change[i], step.bytes);
    }
  }
  SavingSteps most;
  std::vector<std::int64_t> saved(alternatives.size());
  std::int64_t last = 0;
  for (const auto& [ordinal, change] : changes) {
    for (std::size_t i = 0; i < saved.size(); ++i) {
      saved[i] = wrapping_sum(saved[i], change[i]);
    }
    const std::int64_t now = *std::ranges::max_element(saved);
    most.push_back({ordinal, wrapping_difference(now, last), alternatives.front().front().of});
    last = now;
  }
  return most;
}

}  // namespace

Savings savings_of(const Removal& removal) {
  std::unordered_map<trace::AllocationNumber, std::vector<SavingSteps>> by_allocation;
  for (const auto& savings : removal.savings) {
    std::unordered_map<trace::AllocationNumber, SavingSteps> of_this;
    for (const Savings::Step& step : savings->sorted()) {
      of_this[step.of.allocation].push_back(step);
    }
    for (auto& [allocation, steps] : of_this) {
      by_allocation[allocation].push_back(std::move(steps));
    }
  }
  Savings together;
  for (const auto& [allocation, alternatives] : by_allocation) {
    for (const Savings::Step& step : most_of(alternatives)) {
      together.add(step.ordinal, step.bytes, step.of);
    }
  }
  return together;
}

/// Follows what is taken away through the events of one block after the other.
class LoadWithout::Replay {
 public:
  /// @param gathers on the first way through `load`; null: it is known already.
  Replay(const LoadWithout& load, const LoadedTrace& trace, LoadWithout* gathers)
      : load_(load), trace_(trace), gathers_(gathers) {}

  /// Calls `visit(events, at_ns, lanes)` for what is left at the block's begin and after each of
  /// its events.
  /// @param events how many of its events are before that.
  template <typename Visit>
  void run(const trace::BlockSummary& summary,
           const std::vector<trace::Event>& events,
           const Visit& visit) {
    trace::LaneTotals lanes = summary.at_begin;
    visit(std::uint32_t{0}, summary.begin_ns, left(lanes));
    for (std::uint32_t i = 0; i < events.size(); ++i) {
      const trace::Event& event = events[i];
      ordinal_ = summary.first_event + i;
      trace::apply(event, lanes);
      if (follows_ && trace::in_footprint(event.lane)) {
        follow(event, *this);
      }
      for (; step_ < load_.steps_.size() && load_.steps_[step_].ordinal <= ordinal_; ++step_) {
        add(load_.steps_[step_].lane, load_.steps_[step_].bytes);
      }
      visit(i + 1, event.at_ns, left(lanes));
    }
  }

  void start_at(const Block& block, bool follows) {
    removed_ = block.removed_before;
    step_ = block.first_step;
    follows_ = follows && (!load_.stacks_.empty() || !load_.allocations_.empty());
  }
  void stop_following() {
    follows_ = false;
    removed_ = {};
    for (std::size_t i = 0; i < step_; ++i) {
      add(load_.steps_[i].lane, load_.steps_[i].bytes);
    }
  }
  [[nodiscard]] const SignedLanes& removed() const { return removed_; }
  [[nodiscard]] std::size_t step() const { return step_; }
  void skip_to(trace::EventOrdinal end) {
    for (; step_ < load_.steps_.size() && load_.steps_[step_].ordinal < end; ++step_) {
      add(load_.steps_[step_].lane, load_.steps_[step_].bytes);
    }
  }
  [[nodiscard]] trace::LaneTotals left(const trace::LaneTotals& all) const {
    trace::LaneTotals rest = all;
    for (const trace::Lane lane : trace::kFootprintLanes) {
      const std::int64_t removed = removed_[static_cast<std::size_t>(lane)];
      rest[lane] = changed(all[lane], wrapping_difference(0, removed));
    }
    return rest;
  }

  // See analyzer::follow.
  void begin(const trace::Event& event) {
    if (!load_.takes_whole(event)) {
      return;
    }
    if (gathers_ != nullptr) {
      gathers_->taken_.insert(event.allocation);
    }
    hold(event, static_cast<std::int64_t>(event.size));
  }
  void end(trace::AllocationNumber allocation, const trace::Event& event) {
    if (load_.taken_.contains(allocation)) {
      hold(event, minus(event.size));
    }
  }
  void move(const trace::Event& event) {
    if (load_.taken_.contains(event.released)) {
      hold(event, minus(event.released_size));
    }
    begin(event);
  }
  void resize(trace::AllocationNumber allocation, std::int64_t change, const trace::Event& event) {
    if (load_.taken_.contains(allocation)) {
      hold(event, change);
    }
  }
  /// What ends with its process is a step from then on: only all events show how much it is.
  void end_all(const trace::Event& event) {
    const auto held = held_.find(process_key(event));
    if (gathers_ == nullptr || held == held_.end()) {
      return;
    }
    add(event.lane, wrapping_difference(0, held->second));
    swept_.push_back({ordinal_, event.lane, wrapping_difference(0, held->second)});
    held_.erase(held);
  }
  [[nodiscard]] std::vector<Step> take_swept() { return std::move(swept_); }

 private:
  void add(trace::Lane lane, std::int64_t bytes) {
    std::int64_t& removed = removed_[static_cast<std::size_t>(lane)];
    removed = wrapping_sum(removed, bytes);
  }
  void hold(const trace::Event& event, std::int64_t bytes) {
    add(event.lane, bytes);
    if (gathers_ != nullptr) {
      std::int64_t& held = held_[process_key(event)];
      held = wrapping_sum(held, bytes);
    }
  }
  [[nodiscard]] std::uint64_t process_key(const trace::Event& event) const {
    const auto process = trace_.process_of(event.thread);
    return key_of(process ? trace::index(*process) : UINT32_MAX, event.lane);
  }

  const LoadWithout& load_;
  const LoadedTrace& trace_;
  LoadWithout* gathers_;
  SignedLanes removed_{};
  std::size_t step_ = 0;
  bool follows_ = false;
  trace::EventOrdinal ordinal_ = 0;
  std::unordered_map<std::uint64_t, std::int64_t> held_;  // By process and lane.
  std::vector<Step> swept_;
};

namespace {

void include(RemainingColumn& column, bool is_first, const RemainingPoint& point) {
  const std::uint64_t bytes = point.lanes.footprint();
  if (is_first || bytes > column.highest.lanes.footprint()) {
    column.highest = point;
  }
  if (is_first || bytes < column.lowest.lanes.footprint()) {
    column.lowest = point;
  }
}

}  // namespace

LoadWithout::LoadWithout(LoadedTrace& trace, const Removal& removal) {
  for (const trace::StackId stack : removal.stacks) {
    stacks_.insert(trace::index(stack));
  }
  allocations_.insert(removal.allocations.begin(), removal.allocations.end());
  take_savings(removal);
  sort_steps();
  read_all(trace);
}

bool LoadWithout::takes_whole(const SavedAllocation& of) const {
  return stacks_.contains(trace::index(of.stack)) || allocations_.contains(of.allocation);
}

bool LoadWithout::takes_whole(const trace::Event& allocation) const {
  return stacks_.contains(trace::index(allocation.stack)) ||
         allocations_.contains(allocation.allocation);
}

/// Savings in what is taken away as a whole do not count again.
void LoadWithout::take_savings(const Removal& removal) {
  for (const Savings::Step& step : savings_of(removal).sorted()) {
    if (!takes_whole(step.of)) {
      steps_.push_back({step.ordinal, step.of.lane, step.bytes});
      saved_of_[step.of.allocation].push_back(step);
    }
  }
}

void LoadWithout::sort_steps() {
  std::ranges::stable_sort(steps_, {}, &Step::ordinal);
}

void LoadWithout::read_all(LoadedTrace& trace) {
  Replay replay(*this, trace, this);
  replay.start_at({}, true);
  for (std::size_t i = 0; i < trace.blocks().size() && !trace.is_stopped(); ++i) {
    const trace::BlockSummary summary = trace.blocks()[i];
    Block& block = blocks_.emplace_back();
    const auto* events = trace.events(i);
    if (events == nullptr && first_damaged_ == SIZE_MAX) {
      first_damaged_ = i;
      replay.stop_following();
    }
    block.removed_before = replay.removed();
    block.first_step = replay.step();
    bool is_first = true;
    const auto note = [&](std::uint32_t count, std::uint64_t at_ns, trace::LaneTotals lanes) {
      include(block.extremes, std::exchange(is_first, false), {{i, count, at_ns}, lanes});
    };
    if (events == nullptr) {
      note(0, summary.begin_ns, summary.maximum);
      replay.skip_to(summary.first_event + summary.event_count);
    } else {
      replay.run(summary, *events, note);
    }
    if (i == 0 || block.extremes.highest.lanes.footprint() > peak_.lanes.footprint()) {
      peak_ = block.extremes.highest;
    }
  }
  if (blocks_.size() == trace.blocks().size()) {
    blocks_.push_back({.removed_before = replay.removed(), .first_step = 0, .extremes = {}});
  }
  // The number of steps before each block grows by what was swept before it.
  const auto swept = replay.take_swept();
  steps_.insert(steps_.end(), swept.begin(), swept.end());
  sort_steps();
  for (std::size_t i = 0; i < std::min(blocks_.size(), trace.blocks().size()); ++i) {
    const auto first =
        std::ranges::lower_bound(steps_, trace.blocks()[i].first_event, {}, &Step::ordinal);
    blocks_[i].first_step = static_cast<std::size_t>(first - steps_.begin());
  }
}

/// Puts what is left at each instant into the column that it belongs to.
class LoadWithout::Columns {
 public:
  explicit Columns(std::span<const std::uint64_t> borders)
      : borders_(borders), columns_(borders.size() - 1) {}

  [[nodiscard]] bool is_done() const { return at_ >= columns_.size(); }
  /// Whether all of it lies in the column at hand.
  [[nodiscard]] bool holds(const trace::BlockSummary& block) {
    reach(block.begin_ns);
    return !is_done() && block.begin_ns >= borders_.front() && block.end_ns < borders_[at_ + 1];
  }
  /// For a block that ends then. If it is damaged, its extremes may have been in any of its
  /// columns.
  void add(const RemainingColumn& extremes, std::uint64_t end_ns) {
    note(extremes.highest);
    note(extremes.lowest);
    state_ = extremes.highest;
    reach(end_ns);
  }
  /// From `at_ns` on, this is left.
  void add(const RemainingPoint& point) {
    reach(point.at.at_ns);
    state_ = point;
    if (!is_done() && point.at.at_ns >= borders_.front()) {
      note(point);
    }
  }
  /// This is left, until something else is.
  void stands(const RemainingPoint& point) { state_ = point; }
  std::vector<RemainingColumn> take() {
    reach(UINT64_MAX);
    return std::move(columns_);
  }

 private:
  /// What was there when a column began counts in it, too.
  void reach(std::uint64_t ns) {
    if (!has_begun_ && ns >= borders_.front()) {
      has_begun_ = true;
      note(state_);
    }
    while (!is_done() && ns >= borders_[at_ + 1]) {
      ++at_;
      is_first_ = true;
      if (!is_done()) {
        note(state_);
      }
    }
  }
  void note(const RemainingPoint& point) {
    include(columns_[at_], std::exchange(is_first_, false), point);
  }

  std::span<const std::uint64_t> borders_;
  std::vector<RemainingColumn> columns_;
  std::size_t at_ = 0;
  bool is_first_ = true;
  bool has_begun_ = false;
  RemainingPoint state_;
};

std::vector<RemainingColumn> LoadWithout::columns(LoadedTrace& trace,
                                                  std::span<const std::uint64_t> borders) const {
  if (borders.size() < 2) {
    return {};
  }
  Columns columns(borders);
  Replay replay(*this, trace, nullptr);
  const auto first = std::ranges::partition_point(
      trace.blocks(), [&](const auto& block) { return block.end_ns < borders.front(); });
  auto i = static_cast<std::size_t>(first - trace.blocks().begin());
  // What was there before is the state at the end of the previous block.
  for (i -= i > 0 ? 1 : 0; i + 1 < blocks_.size() && !columns.is_done(); ++i) {
    const trace::BlockSummary summary = trace.blocks()[i];
    const bool is_before = summary.end_ns < borders.front();
    const bool is_whole = is_before || columns.holds(summary);
    const auto* events = is_whole ? nullptr : trace.events(i);
    if (events != nullptr) {
      replay.start_at(blocks_[i], i < first_damaged_);
      replay.run(summary, *events,
                 [&](std::uint32_t after, std::uint64_t at_ns, const trace::LaneTotals& lanes) {
                   // What was there before the block's first event is no change at its time.
                   const RemainingPoint point{{i, after, at_ns}, lanes};
                   after == 0 ? columns.stands(point) : columns.add(point);
                 });
      continue;
    }
    if (!is_before && !columns.is_done()) {
      columns.add(blocks_[i].extremes, summary.end_ns);
    }
    replay.start_at(blocks_[i + 1], false);
    columns.stands({{i, summary.event_count, summary.end_ns}, replay.left(summary.at_end)});
  }
  return columns.take();
}

std::uint64_t LoadWithout::left_of(const trace::Event& allocation,
                                   std::uint64_t bytes,
                                   trace::EventOrdinal events) const {
  if (taken_.contains(allocation.allocation)) {
    return 0;
  }
  const auto saved = saved_of_.find(allocation.allocation);
  if (saved == saved_of_.end()) {
    return bytes;
  }
  std::int64_t sum = 0;
  for (const Savings::Step& step : saved->second) {
    sum = wrapping_sum(sum, step.ordinal < events ? step.bytes : 0);
  }
  return changed(bytes, wrapping_difference(0, std::max<std::int64_t>(sum, 0)));
}

trace::EventOrdinal LoadWithout::next_change(trace::AllocationNumber allocation,
                                             trace::EventOrdinal events) const {
  constexpr trace::EventOrdinal kNever = UINT64_MAX;
  const auto saved = taken_.contains(allocation) ? saved_of_.end() : saved_of_.find(allocation);
  if (saved == saved_of_.end()) {
    return kNever;
  }
  const auto next = std::ranges::lower_bound(saved->second, events, {}, &Savings::Step::ordinal);
  return next == saved->second.end() ? kNever : next->ordinal + 1;
}

}  // namespace tidemark::analyzer
