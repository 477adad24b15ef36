#include "analyzer/html/contents/instants.hpp"

#include <algorithm>
#include <optional>
#include <utility>

namespace tidemark::html {
namespace {

using analyzer::Instant;
using analyzer::LoadedTrace;

constexpr std::uint64_t kEvenInTime = 20;
constexpr std::uint64_t kEvenInEvents = 12;
constexpr std::uint64_t kStretches = 16;
constexpr std::size_t kMaxPhaseInstants = 10;
constexpr std::uint64_t kBehindPeakNs = 100'000'000;
/// A load of no more events is shown after each of them.
constexpr std::uint64_t kMaxEventsShownEach = 64;

constexpr auto position_of = [](const StoredInstant& instant) {
  return analyzer::position(instant.at);
};

/// `start + length * i / count` without an overflow.
std::uint64_t share_of(std::uint64_t length, std::uint64_t i, std::uint64_t count) {
  return length / count * i + length % count * i / count;
}

/// The first instant of the highest footprint in each of some equal stretches of time.
class StretchMaxima {
 public:
  explicit StretchMaxima(LoadedTrace& trace) : trace_(trace), highest_(kStretches) {}

  std::vector<Instant> find() {
    for (std::size_t block = 0; block < trace_.blocks().size(); ++block) {
      see_block(block);
    }
    std::vector<Instant> found;
    for (const Highest& highest : highest_) {
      if (highest.bytes > 0) {
        found.push_back(highest.at);
      }
    }
    return found;
  }

 private:
  struct Highest {
    std::uint64_t bytes = 0;
    Instant at;
  };

  [[nodiscard]] std::size_t stretch_of(std::uint64_t ns) const {
    const double share = static_cast<double>(ns) / static_cast<double>(trace_.duration_ns() + 1);
    return std::min<std::size_t>(static_cast<std::size_t>(share * kStretches), kStretches - 1);
  }

  void see_block(std::size_t block) {
    const trace::BlockSummary& summary = trace_.blocks()[block];
    const bool is_in_one = stretch_of(summary.begin_ns) == stretch_of(summary.end_ns);
    const auto* events = is_in_one ? nullptr : trace_.events(block);
    if (events == nullptr) {
      if (summary.maximum_at_event != trace::BlockSummary::kBeforeFirst) {
        see(summary.maximum_footprint,
            {block, summary.maximum_at_event + 1, summary.maximum_at_ns});
      }
      return;
    }
    trace::LaneTotals totals = summary.at_begin;
    for (std::uint32_t i = 0; i < events->size(); ++i) {
      trace::apply((*events)[i], totals);
      see(totals.footprint(), {block, i + 1, (*events)[i].at_ns});
    }
  }

  void see(std::uint64_t footprint, const Instant& at) {
    Highest& highest = highest_[stretch_of(at.at_ns)];
    if (footprint > highest.bytes) {
      highest = {footprint, at};
    }
  }

  LoadedTrace& trace_;
  std::vector<Highest> highest_;
};

/// The instants at which the footprint came to rest after a notable part of the peak was given
/// back; a few at most.
class Falls {
 public:
  Falls(LoadedTrace& trace, const analyzer::Peak& peak)
      : trace_(trace),
        peak_(peak.at),
        level_(peak.footprint_bytes),
        notable_(peak.footprint_bytes / kNotablePart),
        rest_ns_(trace.duration_ns() / kRestPart) {}

  std::vector<Instant> find() {
    if (notable_ != 0) {
      for (std::size_t block = peak_.block; block < trace_.blocks().size(); ++block) {
        see_block(block);
      }
    }
    if (lowest_) {
      found_.push_back(lowest_->at);
    }
    found_.resize(std::min(found_.size(), kMaxInstants));
    return std::move(found_);
  }

 private:
  static constexpr std::uint64_t kNotablePart = 8;
  static constexpr std::uint64_t kRestPart = 1000;
  static constexpr std::size_t kMaxInstants = 4;
  /// In blocks beyond that many only their ends are looked at.
  static constexpr std::size_t kMaxDecodedBlocks = 32;

  struct Lowest {
    std::uint64_t bytes = 0;
    Instant at;
  };

  void see_block(std::size_t block) {
    const trace::BlockSummary& summary = trace_.blocks()[block];
    const bool may_fall = summary.minimum_footprint + notable_ <= level_;
    if (found_.size() >= kMaxInstants || (!lowest_ && !may_fall)) {
      return;
    }
    const auto* events =
        may_fall && decoded_++ < kMaxDecodedBlocks ? trace_.events(block) : nullptr;
    if (events == nullptr) {
      see(summary.at_end.footprint(), {block, summary.event_count, summary.end_ns});
      return;
    }
    trace::LaneTotals totals = summary.at_begin;
    for (std::uint32_t i = 0; i < events->size(); ++i) {
      trace::apply((*events)[i], totals);
      if (block > peak_.block || i >= peak_.events) {
        see(totals.footprint(), {block, i + 1, (*events)[i].at_ns});
      }
    }
  }

  /// A fall goes on as long as there is no rest in it; a small change is no rest.
  void see(std::uint64_t footprint, const Instant& at) {
    if (lowest_ && at.at_ns > lowest_->at.at_ns + rest_ns_) {
      found_.push_back(lowest_->at);
      level_ = lowest_->bytes;
      lowest_.reset();
    }
    const bool is_fall = lowest_ ? footprint + notable_ / kNotablePart <= lowest_->bytes
                                 : footprint + notable_ <= level_;
    if (is_fall) {
      lowest_ = {footprint, at};
    }
  }

  LoadedTrace& trace_;
  Instant peak_;
  std::uint64_t level_;  // The footprint at the last rest.
  std::uint64_t notable_;
  std::uint64_t rest_ns_;
  std::optional<Lowest> lowest_;  // The lowest instant of the current fall.
  std::size_t decoded_ = 0;
  std::vector<Instant> found_;
};

/// When the program first opened a file of its model, or used one whose opening was not seen.
std::optional<std::uint64_t> begin_of_load(const analyzer::Report& report) {
  std::optional<std::uint64_t> begin;
  for (const std::size_t i : report.model.files) {
    const analyzer::FileUse& file = report.files[i];
    const std::uint64_t first = file.opened_ns.value_or(file.first_use_ns);
    begin = std::min(begin.value_or(first), first);
  }
  return begin;
}

class Chooser {
 public:
  Chooser(LoadedTrace& trace, const analyzer::Report& report) : trace_(trace), report_(report) {}

  std::vector<StoredInstant> choose() {
    add(report_.peak.at, "the peak");
    chosen_.front().is_peak = true;
    add_behind_peak();
    if (!report_.at_peak) {
      add(trace_.instant_at(report_.live_at_ns), "the instant asked for");
    }
    if (const auto begin = begin_of_load(report_)) {
      add(trace_.instant_at(*begin), "the begin of the load");
    }
    for (const analyzer::Finding& finding : report_.anatomy.findings) {
      add(trace_.instant_at(finding.at_ns), "the finding \"" + finding.title + '"');
    }
    add_phases();
    add(instant_after(trace_, trace_.event_count()), "the end");
    if (trace_.event_count() <= kMaxEventsShownEach) {
      add_even_in_events(trace_.event_count());
    } else {
      for (const Instant& at : StretchMaxima(trace_).find()) {
        add(at, "a high point");
      }
      for (const Instant& at : Falls(trace_, report_.peak).find()) {
        add(at, "a fall after the peak");
      }
      add_even_in_events(kEvenInEvents);
      add_even_in_time();
    }
    return sorted();
  }

 private:
  void add(const Instant& at, std::string label) { chosen_.push_back({at, std::move(label)}); }

  /// As the window's shift + P: what was given back soon after the peak.
  void add_behind_peak() {
    const std::uint64_t peak_ns = report_.peak.at.at_ns;
    if (peak_ns + kBehindPeakNs < trace_.duration_ns()) {
      add(trace_.instant_at(peak_ns + kBehindPeakNs), "100 ms after the peak");
    }
  }
  void add_phases() {
    for (const auto& phase : analyzer::highest_phases(report_.phases, kMaxPhaseInstants)) {
      add(trace_.instant_at(phase.begin_ns), "the begin of phase " + phase.name);
      add(trace_.instant_at(phase.end_ns), "the end of phase " + phase.name);
    }
  }
  void add_even_in_events(std::uint64_t count) {
    for (std::uint64_t i = 1; i < count; ++i) {
      add(instant_after(trace_, share_of(trace_.event_count(), i, count)), "");
    }
  }
  void add_even_in_time() {
    for (std::uint64_t i = 1; i < kEvenInTime; ++i) {
      add(trace_.instant_at(share_of(trace_.duration_ns(), i, kEvenInTime)), "");
    }
  }

  /// If several are at one position, the first one added stays: it has the best label.
  std::vector<StoredInstant> sorted() {
    std::ranges::stable_sort(chosen_, {}, position_of);
    const auto at_one_position = [](const StoredInstant& one, const StoredInstant& other) {
      return position_of(one) == position_of(other);
    };
    chosen_.erase(std::unique(chosen_.begin(), chosen_.end(), at_one_position), chosen_.end());
    return std::move(chosen_);
  }

  LoadedTrace& trace_;
  const analyzer::Report& report_;
  std::vector<StoredInstant> chosen_;
};

}  // namespace

Instant instant_after(LoadedTrace& trace, std::uint64_t events) {
  const auto blocks = trace.blocks();
  const auto after = std::ranges::partition_point(
      blocks, [events](const auto& block) { return block.first_event < events; });
  if (after == blocks.begin()) {
    return {};
  }
  const auto block = static_cast<std::size_t>(after - blocks.begin()) - 1;
  const std::uint64_t inside = events - blocks[block].first_event;
  Instant at{.block = block,
             .events = static_cast<std::uint32_t>(
                 std::min<std::uint64_t>(inside, blocks[block].event_count)),
             .at_ns = blocks[block].end_ns};
  if (at.events < blocks[block].event_count) {
    const auto event = trace.event_before(at);
    at.at_ns = event ? event->at_ns : blocks[block].begin_ns;
  }
  return at;
}

std::vector<StoredInstant> choose_instants(LoadedTrace& trace, const analyzer::Report& report) {
  return trace.blocks().empty() ? std::vector<StoredInstant>{} : Chooser(trace, report).choose();
}

}  // namespace tidemark::html
