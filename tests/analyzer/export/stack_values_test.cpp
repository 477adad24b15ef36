#include "analyzer/export/stacks/stack_values.hpp"

#include "analyzer/query/footprint/peak.hpp"
#include "tests/analyzer/trace_builder.hpp"
#include "tests/support/catch.hpp"

#include <algorithm>
#include <fstream>
#include <map>
#include <random>
#include <sstream>

using namespace tidemark;
using tests::TraceBuilder;

namespace {

using Key = std::pair<trace::StackId, trace::Lane>;

struct AliveBlock {
  Key key;
  bool is_older = false;             ///< Than the range.
  std::uint64_t older_bytes = 0;     ///< Of those, what it had before the range.
  std::uint64_t bytes_of_range = 0;  ///< What the range gave it.
};

/// What a plain replay of all events says: the slow way, which cannot be wrong.
class Replay {
 public:
  explicit Replay(std::uint64_t from_ns) : from_ns_(from_ns) {}

  void see(const trace::Event& event) {
    is_in_range_ = event.at_ns > from_ns_;
    if (event.kind == trace::EventKind::kRelease) {
      alive_.erase(event.allocation);
    } else if (event.kind == trace::EventKind::kReallocate) {
      alive_.erase(event.released);
    } else if (event.kind == trace::EventKind::kGrow) {
      come(alive_.at(event.allocation), event.size);
    } else if (event.kind == trace::EventKind::kReleasePart) {
      go(alive_.at(event.allocation), event.size);
    }
    if (trace::is_allocation(event.kind)) {
      AliveBlock& block = alive_[number_++];
      block = {.key = {event.stack, event.lane}, .is_older = !is_in_range_};
      values_[block.key].allocated_blocks += is_in_range_ ? 1 : 0;
      come(block, event.size);
    }
  }
  std::map<Key, exports::StackValues> take() {
    for (const auto& [id, block] : alive_) {
      const bool is_kept = !block.is_older && block.bytes_of_range > 0;
      values_[block.key] += {.bytes = block.bytes_of_range, .blocks = is_kept ? 1U : 0U};
    }
    std::erase_if(values_, [](const auto& row) { return row.second == exports::StackValues{}; });
    return values_;
  }

 private:
  void come(AliveBlock& block, std::uint64_t bytes) {
    if (is_in_range_) {
      block.bytes_of_range += bytes;
      values_[block.key].allocated_bytes += bytes;
    } else {
      block.older_bytes += bytes;
    }
  }
  static void go(AliveBlock& block, std::uint64_t bytes) {
    const std::uint64_t of_range = std::min(bytes, block.bytes_of_range);
    block.bytes_of_range -= of_range;
    block.older_bytes -= bytes - of_range;
  }

  std::uint64_t from_ns_;
  bool is_in_range_ = false;
  std::uint64_t number_ = 0;  ///< Of the next allocation.
  std::map<std::uint64_t, AliveBlock> alive_;
  std::map<Key, exports::StackValues> values_;
};

std::map<Key, exports::StackValues> replayed(const std::vector<trace::Event>& events,
                                             std::uint64_t from_ns,
                                             std::uint64_t to_ns) {
  Replay replay(from_ns);
  for (const trace::Event& event : events) {
    if (event.at_ns <= to_ns) {
      replay.see(event);
    }
  }
  return replay.take();
}

/// Allocates, releases and resizes blocks, some of them to nothing and from nothing.
void append_random_load(TraceBuilder& trace, std::mt19937& random) {
  trace.file("/m/model", 1);  // What blocks in the file lane are mappings of.
  std::vector<std::uint64_t> alive;
  std::map<std::uint64_t, std::uint64_t> sizes;
  for (std::uint64_t step = 1; step < 500; ++step) {
    trace.at_ns(step * 1000);
    const auto stack = trace.stack({"malloc", "f" + std::to_string(random() % 5), "main"});
    const std::size_t victim = alive.empty() ? 0 : random() % alive.size();
    const auto action = random() % 12;
    const std::uint64_t size = random() % 5 == 0 ? 0 : random() % 1000;
    if (alive.empty() || action < 4) {
      alive.push_back(
          trace.allocate(size, stack, static_cast<trace::Lane>(random() % trace::kLaneCount)));
      sizes[alive.back()] = size;
    } else if (action < 6) {
      trace.release(alive[victim]);
      alive.erase(alive.begin() + static_cast<std::ptrdiff_t>(victim));
    } else if (action < 8) {
      alive[victim] = trace.reallocate(alive[victim], size, stack);
      sizes[alive[victim]] = size;
    } else if (action < 10) {
      trace.grow(alive[victim], size);
      sizes[alive[victim]] += size;
    } else {
      const std::uint64_t part = std::min(size, sizes[alive[victim]]);
      trace.release_part(alive[victim], part);
      sizes[alive[victim]] -= part;
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

TEST_CASE("memory that comes to what held none is allocated, kept and freed as any other",
          "[export]") {
  TraceBuilder trace;
  const auto shared = [&trace](std::uint64_t ms, const std::string& function) {
    return trace.at_ms(ms).allocate(0, trace.stack({function, "main"}), trace::Lane::kShared);
  };
  const auto older = shared(1, "older");
  trace.at_ms(2).grow(older, 500);
  const auto empty = shared(3, "empty");
  const auto gone = shared(11, "gone");
  const auto kept = shared(12, "kept");
  trace.at_ms(13).grow(gone, 70);
  trace.grow(kept, 8000);
  trace.flush();
  trace.at_ms(14).grow(older, 100);
  trace.release_part(older, 30);
  trace.grow(empty, 9);
  trace.at_ms(15).release(gone);
  auto loaded = trace.open();

  const auto table =
      exports::stacks_between(loaded, loaded.instant_at(10'000'000), loaded.instant_at(20'000'000));

  std::vector<exports::StackValues> values;
  for (const auto& row : table.rows) {
    values.push_back(row.values);
  }
  CHECK(values == std::vector<exports::StackValues>{
                      {.bytes = 8000, .blocks = 1, .allocated_bytes = 8000, .allocated_blocks = 1},
                      {.bytes = 70, .blocks = 0, .allocated_bytes = 100, .allocated_blocks = 0},
                      {.bytes = 9, .blocks = 0, .allocated_bytes = 9, .allocated_blocks = 0},
                      {.bytes = 0, .blocks = 0, .allocated_bytes = 70, .allocated_blocks = 1}});
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
