#include "analyzer/query/loaded_trace.hpp"

#include "analyzer/text/shown_text.hpp"

#include <algorithm>
#include <utility>

namespace tidemark::analyzer {
namespace {

void make_shown(std::string& text) {
  if (!is_shown_as_it_is(text)) {
    text = shown_text(text);
  }
}

}  // namespace

LoadedTrace::LoadedTrace(trace::TraceReader reader)
    : reader_(std::move(reader)), modules_(reader_.definitions().modules) {
  reader_.change_texts(make_shown);
  if (has_python_frames(definitions()) || has_nameless_ways(definitions())) {
    recorded_stacks_ = definitions().stacks;
    show_frames(FrameChoice::kBoth);
  }
}

Result<LoadedTrace> LoadedTrace::open(const std::string& path) {
  auto reader = trace::TraceReader::open(path);
  if (!reader.ok()) {
    return reader.error();
  }
  return LoadedTrace(std::move(reader.value()));
}

void LoadedTrace::set_locations(trace::FrameId id, std::vector<trace::Location> locations) {
  for (trace::Location& location : locations) {
    make_shown(location.function);
    make_shown(location.file);
  }
  reader_.set_locations(id, std::move(locations));
}

void LoadedTrace::show_frames(FrameChoice choice) {
  if (!recorded_stacks_.empty()) {
    reader_.set_stacks(recorded_stacks_);
    reader_.set_stacks(chosen_stacks(definitions(), choice));
  }
}

std::uint64_t LoadedTrace::duration_ns() const {
  const trace::Session& session = definitions().session;
  const std::uint64_t last_event_ns = blocks().empty() ? 0 : blocks().back().end_ns;
  return session.ended ? std::max(session.duration_ns, last_event_ns) : last_event_ns;
}

std::optional<trace::ProcessId> LoadedTrace::process_of(trace::ThreadId thread) const {
  const auto& threads = definitions().threads;
  if (trace::index(thread) >= threads.size()) {
    return std::nullopt;
  }
  return threads[trace::index(thread)].process;
}

const std::vector<trace::Event>* LoadedTrace::events(std::size_t block) {
  if (is_stopped()) {
    return nullptr;
  }
  if (decoded_block_ == block) {
    return &decoded_;
  }
  decoded_block_.reset();
  if (block >= blocks().size() || !reader_.decode(block, decoded_)) {
    return nullptr;
  }
  decoded_block_ = block;
  return &decoded_;
}

const trace::BlockDigest* LoadedTrace::digest(std::size_t block) {
  return decoded_block_ != block && reader_.digest(block, digest_) ? &digest_ : nullptr;
}

void LoadedTrace::rest() {
  decoded_ = {};
  decoded_block_.reset();
  digest_ = {};
  reader_.rest();
}

Instant LoadedTrace::instant_at(std::uint64_t ns) {
  const auto all = blocks();
  const auto after =
      std::partition_point(all.begin(), all.end(),
                           [ns](const trace::BlockSummary& block) { return block.begin_ns <= ns; });
  if (after == all.begin()) {
    return Instant{.block = 0, .events = 0, .at_ns = ns};
  }
  const auto block = static_cast<std::size_t>(after - all.begin()) - 1;
  if (all[block].end_ns <= ns) {
    return Instant{.block = block, .events = all[block].event_count, .at_ns = ns};
  }
  const auto* decoded = events(block);
  if (decoded == nullptr) {
    return Instant{.block = block, .events = 0, .at_ns = ns};
  }
  const auto next =
      std::partition_point(decoded->begin(), decoded->end(),
                           [ns](const trace::Event& event) { return event.at_ns <= ns; });
  return Instant{
      .block = block, .events = static_cast<std::uint32_t>(next - decoded->begin()), .at_ns = ns};
}

std::optional<trace::LaneTotals> LoadedTrace::totals_at(const Instant& instant) {
  if (instant.block >= blocks().size()) {
    return trace::LaneTotals{};
  }
  const trace::BlockSummary& block = blocks()[instant.block];
  if (instant.events == 0) {
    return block.at_begin;
  }
  if (instant.events >= block.event_count) {
    return block.at_end;
  }
  const auto* decoded = events(instant.block);
  if (decoded == nullptr) {
    return std::nullopt;
  }
  trace::LaneTotals totals = block.at_begin;
  for (std::size_t i = 0; i < std::min<std::size_t>(instant.events, decoded->size()); ++i) {
    trace::apply((*decoded)[i], totals);
  }
  return totals;
}

std::optional<trace::Event> LoadedTrace::event_before(const Instant& instant) {
  const auto* decoded = instant.events == 0 ? nullptr : events(instant.block);
  if (decoded == nullptr || instant.events > decoded->size()) {
    return std::nullopt;
  }
  return (*decoded)[instant.events - 1];
}

trace::EventOrdinal LoadedTrace::ordinal(const Instant& instant) const {
  return instant.block < blocks().size() ? blocks()[instant.block].first_event + instant.events : 0;
}

}  // namespace tidemark::analyzer
