#include "analyzer/report/facts/group_passages.hpp"

#include "tests/analyzer/trace_builder.hpp"
#include "tests/support/catch.hpp"

#include <algorithm>

using namespace tidemark;
using tests::TraceBuilder;

namespace {

constexpr std::uint64_t kPieceBytes = 256 << 10;

/// Of the blocks alive at an instant, by the stacks given.
std::vector<std::vector<std::string>> lines_at_ms(TraceBuilder& trace,
                                                  std::uint64_t ms,
                                                  const std::vector<trace::StackId>& stacks) {
  trace.session.copies_recorded = true;
  auto loaded = trace.open();
  const auto groups = analyzer::follow_groups(
      loaded, loaded.instant_at(ms * 1'000'000), stacks.size(),
      [&stacks](const trace::Event& event) -> std::optional<std::uint32_t> {
        const auto found = std::ranges::find(stacks, event.stack);
        return found == stacks.end() ? std::nullopt : std::optional(found - stacks.begin());
      });
  std::vector<std::vector<std::string>> lines;
  for (const auto& group : groups.groups) {
    lines.push_back(passage_lines(loaded.definitions(), group));
  }
  return lines;
}

}  // namespace

TEST_CASE("what came into a group's blocks and went out of them is told", "[group_passages]") {
  TraceBuilder trace;
  const auto read = trace.stack({"malloc", "read_file", "main"});
  const auto keep = trace.stack({"malloc", "new_tensor", "main"});
  const auto other = trace.stack({"malloc", "other", "main"});
  const auto file = trace.file("/models/x.params", 4 * kPieceBytes);
  const auto gone =
      trace.at_ms(1).allocate(kPieceBytes, read);  // Before the instant: none of them.
  trace.read_into(file, kPieceBytes, gone);
  trace.release(gone);
  const auto first = trace.at_ms(2).allocate(kPieceBytes, read);
  const auto second = trace.allocate(kPieceBytes, read);
  trace.at_ms(10).read_into(file, kPieceBytes, first);
  trace.at_ms(20).read_into(file, kPieceBytes, second);
  const auto tensor = trace.at_ms(30).allocate(2 * kPieceBytes, keep);
  trace.copy(kPieceBytes, first, tensor);
  trace.copy(kPieceBytes, second, tensor);
  trace.allocate(kPieceBytes, other);
  trace.allocate(100, trace.stack({"malloc", "small", "main"}));
  trace.at_ms(40).release(first);
  trace.at_ms(50).release(second);

  const auto lines = lines_at_ms(trace, 35, {read, keep, other});

  CHECK(lines[0] ==
        std::vector<std::string>{
            "came into them: 512.0 KiB read from /models/x.params, 2 times from 10 ms to 20 ms",
            "went out of them: 512.0 KiB copied to a block of 512.0 KiB by new_tensor  loader, "
            "2 times at 30 ms"});
  CHECK(lines[1] == std::vector<std::string>{
                        "came into it: 512.0 KiB copied from 2 blocks by read_file  loader at 30 "
                        "ms"});
  CHECK(lines[2] ==
        std::vector<std::string>{"no read or copy of 64.0 KiB or more into it was seen"});
}

TEST_CASE("the tensors that a group's blocks hold are named, each once", "[group_passages]") {
  TraceBuilder trace;
  const auto load = trace.stack({"malloc", "load", "main"});
  const auto keep = trace.stack({"malloc", "keep", "main"});
  const auto model = trace.file("/m/model.safetensors", 4 * kPieceBytes);
  trace.tensor(model, kPieceBytes / 4, kPieceBytes, "embed");
  trace.tensor(model, kPieceBytes / 2, 2 * kPieceBytes, "head");
  const auto whole = trace.at_ms(1).allocate(3 * kPieceBytes, load);
  trace.read_into(model, 3 * kPieceBytes, whole);
  trace.origin(whole, 0, model, 0, 3 * kPieceBytes);
  // In two halves.
  for (const std::uint64_t begin : {kPieceBytes, 2 * kPieceBytes}) {
    const auto half = trace.at_ms(5).allocate(kPieceBytes, keep);
    trace.origin(half, 0, model, begin, kPieceBytes);
  }

  const auto lines = lines_at_ms(trace, 35, {load, keep, trace.stack({"malloc", "main"})});

  REQUIRE(lines[0].size() == 2);
  CHECK(lines[0][0] == "in it: 2 tensors, embed to head");
  CHECK_THAT(lines[0][1], Catch::StartsWith("came into it: 768.0 KiB read from "));
  REQUIRE_FALSE(lines[1].empty());
  CHECK(lines[1][0] == "in them: head");
  CHECK(lines[2].empty());
}

TEST_CASE("what came before a block was resized is in it, and what comes behind the instant",
          "[group_passages]") {
  TraceBuilder trace;
  const auto grow = trace.stack({"malloc", "grow", "main"});
  const auto file = trace.file("/models/x.params", 4 * kPieceBytes);
  const auto small = trace.at_ms(1).allocate(kPieceBytes, grow);
  trace.at_ms(2).read_into(file, kPieceBytes, small);
  const auto large = trace.at_ms(3).reallocate(small, 2 * kPieceBytes, grow);
  trace.at_ms(8).read_into(file, kPieceBytes, large);
  trace.at_ms(9).fill(kPieceBytes, large);

  CHECK(lines_at_ms(trace, 5, {grow})[0] ==
        std::vector<std::string>{
            "came into it: 512.0 KiB read from /models/x.params, 2 times from 2.0 ms to 8.0 ms; "
            "256.0 KiB set to one value at 9.0 ms"});
}

TEST_CASE("what a process held as it ended is in no later group", "[group_passages]") {
  TraceBuilder trace;
  const auto load = trace.stack({"malloc", "load", "main"});
  const auto file = trace.file("/models/x.params", 4 * kPieceBytes);
  const auto child = trace.process(200, "child");
  const auto thread = trace.thread(child);
  const auto theirs = trace.at_ms(1).on(thread).allocate(kPieceBytes, load);
  trace.read_into(file, kPieceBytes, theirs);
  trace.at_ms(2).end_process(child);
  trace.on(trace.thread(trace::ProcessId{0})).at_ms(3).allocate(kPieceBytes, load);
  trace.at_ms(4).allocate(1, load);

  CHECK(lines_at_ms(trace, 5, {load})[0] ==
        std::vector<std::string>{"no read or copy of 64.0 KiB or more into them was seen"});
}

TEST_CASE("blocks that are known by their values alone are told with these", "[group_passages]") {
  TraceBuilder trace;
  const auto receive = trace.stack({"malloc", "receive", "main"});
  const auto file = trace.file("/models/x.params", 3 * kPieceBytes);
  std::vector<std::uint64_t> blocks;
  const std::uint64_t count = GENERATE(1U, 3U);
  for (std::uint64_t i = 0; i < 3; ++i) {
    trace.tensor(file, kPieceBytes / 4, kPieceBytes, "w" + std::to_string(i));
  }
  for (std::uint64_t i = 0; i < count; ++i) {
    blocks.push_back(trace.at_ms(10).allocate(kPieceBytes, receive));
    trace.match(blocks.back(), file, i * kPieceBytes, "");
  }
  const auto read = trace.stack({"malloc", "read_file", "main"});
  blocks.push_back(trace.allocate(kPieceBytes, read));
  trace.read_into(file, kPieceBytes, blocks.back());
  trace.match(blocks.back(), file, 0, "");
  const auto ms = GENERATE(20U, 40U);  // The same whether they stay or go.
  for (const auto block : blocks) {
    trace.at_ms(ms + 10).release(block);
  }

  const auto lines = lines_at_ms(trace, ms, {receive, read});

  CHECK(lines[0] ==
        std::vector<std::string>{
            count == 1
                ? "256.0 KiB of it hold w0 of x.params, by their values"
                : "768.0 KiB of them hold 3 tensors of x.params, w0 to w2, by their values"});
  CHECK(lines[1] ==
        std::vector<std::string>{"in it: w0",
                                 "came into it: 256.0 KiB read from /models/x.params at 10 ms"});
}

TEST_CASE("a block that was set to one value, and holds values in another order, is told with both",
          "[group_passages]") {
  TraceBuilder trace;
  const auto pack = trace.stack({"malloc", "pack", "main"});
  const auto file = trace.file("/models/x.params", kPieceBytes);
  const auto block = trace.at_ms(10).allocate(kPieceBytes, pack);
  trace.at_ms(11).fill(kPieceBytes, block);
  trace.at_ms(12).packed(block, file);

  CHECK(lines_at_ms(trace, 20, {pack})[0] ==
        std::vector<std::string>{"came into it: 256.0 KiB set to one value at 11 ms",
                                 "256.0 KiB of it hold values of x.params in another order, by "
                                 "their values"});
}
