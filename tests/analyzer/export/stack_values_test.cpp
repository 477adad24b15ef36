#include "analyzer/export/stacks/stack_values.hpp"

#include "analyzer/query/footprint/peak.hpp"
#include "tests/analyzer/trace_builder.hpp"
#include "tests/support/catch.hpp"

#include <fstream>
#include <map>
#include <random>
#include <sstream>

using namespace tidemark;
using tests::TraceBuilder;

namespace {

using Key = std::pair<trace::StackId, trace::Lane>;

/// What a plain replay of all events says: the slow way, which cannot be wrong.
std::map<Key, exports::StackValues> replayed(const std::vector<trace::Event>& events,
                                             std::uint64_t from_ns,
                                             std::uint64_t to_ns) {
  std::map<Key, exports::StackValues> values;
  std::map<std::uint64_t, trace::Event> alive;
  std::uint64_t number = 0;
  for (const trace::Event& event : events) {
    if (event.at_ns > to_ns) {
      break;
    }
    if (event.kind == trace::EventKind::kRelease) {
      alive.erase(event.allocation);
    } else if (event.kind == trace::EventKind::kReallocate) {
      alive.erase(event.released);
    }
    if (trace::is_allocation(event.kind)) {
      if (event.at_ns > from_ns) {
        alive[number] = event;
        values[{event.stack, event.lane}] += {.allocated_bytes = event.size, .allocated_blocks = 1};
      }
      ++number;
    }
  }
  for (const auto& [id, event] : alive) {
    values[{event.stack, event.lane}] += {.bytes = event.size, .blocks = 1};
  }
  return values;
}

void append_random_load(TraceBuilder& trace, std::mt19937& random) {
  trace.file("/m/model", 1);  // What blocks in the file lane are mappings of.
  std::vector<std::uint64_t> alive;
  for (std::uint64_t step = 1; step < 500; ++step) {
    trace.at_ns(step * 1000);
    const auto stack = trace.stack({"malloc", "f" + std::to_string(random() % 5), "main"});
    const std::size_t victim = alive.empty() ? 0 : random() % alive.size();
    const auto action = random() % 8;
    if (alive.empty() || action < 4) {
      alive.push_back(trace.allocate(1 + random() % 1000, stack,
                                     static_cast<trace::Lane>(random() % trace::kLaneCount)));
    } else if (action < 6) {
      trace.release(alive[victim]);
      alive.erase(alive.begin() + static_cast<std::ptrdiff_t>(victim));
    } else {
      alive[victim] = trace.reallocate(alive[victim], 1 + random() % 1000, stack);
    }
    if (random() % 40 == 0) {
      trace.flush();
    }
  }
}

}  // namespace

TEST_CASE("over any range of a random trace the values are those of a replay", "[export]") {
  const auto seed = GENERATE(1U, 2U, 3U, 4U);
  CAPTURE(seed);
  std::mt19937 random(seed);
  TraceBuilder trace;
  append_random_load(trace, random);
  auto loaded = trace.open();

  for (int i = 0; i < 40; ++i) {
    const std::uint64_t from_ns = random() % 400'000;
    const std::uint64_t to_ns = from_ns + random() % 150'000;
    CAPTURE(from_ns, to_ns);
    const auto table =
        exports::stacks_between(loaded, loaded.instant_at(from_ns), loaded.instant_at(to_ns));

    std::map<Key, exports::StackValues> values;
    for (const auto& row : table.rows) {
      values[{row.stack, row.lane}] = row.values;
      CHECK(row.values.allocated_bytes == row.values.freed_bytes() + row.values.bytes);
      CHECK(row.values.allocated_blocks == row.values.freed_blocks() + row.values.blocks);
    }
    CHECK(values == replayed(trace.events(), from_ns, to_ns));
  }
}

TEST_CASE("at the peak the rows of the footprint's lanes add up to it", "[export]") {
  std::mt19937 random(7);
  TraceBuilder trace;
  append_random_load(trace, random);
  auto loaded = trace.open();
  const auto peak = analyzer::find_peak(loaded);

  const auto table = exports::stacks_at(loaded, peak.at);

  std::uint64_t sum = 0;
  for (const auto& row : table.rows) {
    sum += exports::is_footprint(row.lane) ? row.values.bytes : 0;
  }
  CHECK(sum == peak.footprint_bytes);
  CHECK(std::ranges::is_sorted(table.rows, exports::holds_more, &exports::StackRow::values));
}

TEST_CASE("a range that is empty has no rows", "[export]") {
  TraceBuilder trace;
  trace.at_ms(1).allocate(100, trace.stack({"load", "main"}));
  auto loaded = trace.open();
  const auto end = loaded.instant_at(5'000'000);

  CHECK(exports::stacks_between(loaded, end, end).rows.empty());
  CHECK(exports::stacks_between(loaded, {}, end).rows.size() == 1);
}

TEST_CASE("what a damaged block hides is a row without a stack, and the sum holds", "[export]") {
  TraceBuilder builder;
  for (int i = 0; i < 4; ++i) {
    builder.at_ms(1).allocate(1000, builder.stack({"load", "main"}));
    builder.flush();
  }
  const auto path = builder.finish();
  std::ostringstream whole;
  whole << std::ifstream(path, std::ios::binary).rdbuf();
  int damaged_traces = 0;
  for (std::size_t at = 0; at < whole.str().size(); ++at) {
    std::string bytes = whole.str();
    bytes[at] = static_cast<char>(bytes[at] ^ 0x10);
    std::ofstream(path, std::ios::binary) << bytes;
    auto trace = analyzer::LoadedTrace::open(path);
    if (!trace.ok()) {
      continue;
    }
    const auto end = trace.value().instant_at(UINT64_MAX);
    const auto table = exports::stacks_at(trace.value(), end);
    if (trace.value().loss().blocks_damaged != 1 || trace.value().loss().events_damaged != 1) {
      continue;
    }
    CAPTURE(at);
    ++damaged_traces;
    std::uint64_t sum = 0;
    for (const auto& row : table.rows) {
      sum += row.values.bytes;
    }
    CHECK(sum == trace.value().totals_at(end).value_or(trace::LaneTotals{}).footprint());
  }
  CHECK(damaged_traces > 0);
}
