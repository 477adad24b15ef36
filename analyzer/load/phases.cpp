#include "analyzer/load/phases.hpp"

#include <algorithm>
#include <utility>

namespace tidemark::analyzer {
namespace {

std::string name_of(const trace::Definitions& definitions, std::uint64_t id) {
  return id < definitions.names.size() ? definitions.names[id] : std::string("?");
}

std::string shown_name(const std::string& path) {
  const std::string name = path.substr(path.find_last_of('/') + 1);
  return name.empty() ? path : name;
}

Phase found_phase(std::string name,
                  std::uint64_t begin_ns,
                  std::uint64_t end_ns,
                  Timeline& timeline) {
  Phase phase{.name = std::move(name), .begin_ns = begin_ns, .end_ns = end_ns, .marked = false};
  for (const Extents& column : timeline.columns(begin_ns, end_ns + 1, 1)) {
    phase.peak_bytes = column.footprint.maximum;
  }
  return phase;
}

/// Openings that wait for other files are no part of the reading: all shards of a model may be
/// opened first.
std::uint64_t reading_begin(std::span<const FileUse> earlier, const FileUse& file) {
  std::uint64_t begin_ns = file.opened_ns.value_or(file.first_use_ns);
  for (const FileUse& other : earlier) {
    begin_ns = std::max(begin_ns, other.last_use_ns + 1);
  }
  return std::min(begin_ns, file.first_use_ns);
}

bool is_open_at(const Phase& phase, std::uint64_t at_ns, trace::EventOrdinal event_ordinal) {
  if (phase.marked) {
    return phase.begin_event <= event_ordinal && event_ordinal < phase.end_event;
  }
  return phase.begin_ns <= at_ns && at_ns <= phase.end_ns;
}

}  // namespace

/// Credits only the newest open phase. Phases that were open before it get its maximum when it
/// ends.
void PhaseCollector::credit_open_phases(std::uint64_t footprint) {
  if (!open_.empty()) {
    std::uint64_t& peak = phases_[open_.back()].peak_bytes;
    peak = std::max(peak, highest_);
  }
  highest_ = footprint;
}

void PhaseCollector::begin(const trace::Event& event,
                           std::uint64_t footprint,
                           trace::EventOrdinal ordinal) {
  credit_open_phases(footprint);
  open_.push_back(phases_.size());
  phases_.push_back(Phase{.name = name_of(definitions_, event.extra),
                          .begin_ns = event.at_ns,
                          .peak_bytes = footprint,
                          .thread = event.thread,
                          .begin_event = ordinal});
}

void PhaseCollector::end(const trace::Event& event,
                         std::uint64_t footprint,
                         trace::EventOrdinal ordinal) {
  credit_open_phases(footprint);
  const std::string name = name_of(definitions_, event.extra);
  std::uint64_t highest = 0;
  const auto innermost = std::find_if(open_.rbegin(), open_.rend(), [&](std::size_t i) {
    highest = std::max(highest, phases_[i].peak_bytes);
    return phases_[i].thread == event.thread && phases_[i].name == name;
  });
  if (innermost == open_.rend()) {
    return;  // An end without a begin: begun before the recording.
  }
  Phase& ended = phases_[*innermost];
  ended.end_ns = event.at_ns;
  ended.end_event = ordinal;
  ended.peak_bytes = highest;
  if (const auto outer = std::next(innermost); outer != open_.rend()) {
    phases_[*outer].peak_bytes = std::max(phases_[*outer].peak_bytes, highest);
  }
  open_.erase(std::next(innermost).base());
}

std::vector<Phase> PhaseCollector::take(std::uint64_t end_ns, trace::EventOrdinal end_ordinal) {
  credit_open_phases(0);
  std::uint64_t highest = 0;
  for (std::size_t i = open_.size(); i-- > 0;) {
    Phase& phase = phases_[open_[i]];
    highest = std::max(highest, phase.peak_bytes);
    phase.peak_bytes = highest;
    phase.end_ns = end_ns;
    phase.end_event = end_ordinal;
  }
  open_.clear();
  return std::exchange(phases_, {});
}

std::vector<Phase> find_phases(std::span<const FileUse> model_files,
                               std::uint64_t duration_ns,
                               Timeline& timeline) {
  std::vector<Phase> phases;
  if (model_files.empty()) {
    return phases;
  }
  const std::uint64_t last =
      std::ranges::max_element(model_files, {}, &FileUse::last_use_ns)->last_use_ns;
  phases.push_back(found_phase("before read", 0, reading_begin({}, model_files.front()), timeline));
  // A hundred chunk files, each read at once, are not a hundred phases.
  constexpr std::size_t kMaxFilePhases = 24;
  const bool is_one = model_files.size() > kMaxFilePhases;
  if (is_one) {
    phases.push_back(found_phase("read " + std::to_string(model_files.size()) + " files",
                                 phases.front().end_ns, last, timeline));
  }
  for (std::size_t i = 0; i < model_files.size() && !is_one; ++i) {
    const FileUse& file = model_files[i];
    const char* const verb = file.bytes_read > 0 ? "read " : "map ";
    phases.push_back(found_phase(verb + shown_name(file.path),
                                 reading_begin(model_files.first(i), file), file.last_use_ns,
                                 timeline));
  }
  // The instant of the last read still belongs to the reading.
  phases.push_back(found_phase("after read", last + 1, std::max(last + 1, duration_ns), timeline));
  return phases;
}

std::vector<Phase> highest_phases(std::vector<Phase> phases, std::size_t count) {
  if (phases.size() > count) {
    std::ranges::stable_sort(phases, std::ranges::greater{}, &Phase::peak_bytes);
    phases.resize(count);
    std::ranges::stable_sort(phases, {}, &Phase::begin_ns);
  }
  return phases;
}

const Phase* phase_at(std::span<const Phase> phases,
                      std::uint64_t at_ns,
                      trace::EventOrdinal event_ordinal,
                      trace::ThreadId thread) {
  const Phase* innermost = nullptr;
  for (const Phase& phase : phases) {
    // Phases are in order of begin: a later one is further in. Its own thread's beats another's.
    if (is_open_at(phase, at_ns, event_ordinal) &&
        (innermost == nullptr || phase.thread == thread || innermost->thread != thread)) {
      innermost = &phase;
    }
  }
  return innermost;
}

}  // namespace tidemark::analyzer
