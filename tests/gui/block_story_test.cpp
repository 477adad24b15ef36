#include "gui/view/blocks/block_story.hpp"

#include "analyzer/text/size_text.hpp"
#include "gui/view/blocks/details/block_details.hpp"
#include "gui/view/blocks/details/block_values.hpp"
#include "tests/analyzer/picture/scenes.hpp"
#include "tests/analyzer/trace_builder.hpp"
#include "tests/support/catch.hpp"

using namespace tidemark;
using gui::Passage;

namespace {

constexpr std::uint64_t kBytes = 1U << 20U;

gui::BlockStory story_of(analyzer::LoadedTrace& trace, trace::AllocationNumber allocation) {
  gui::StoryGatherer gatherer(trace, allocation);
  while (gatherer.step()) {
  }
  return gatherer.take();
}

}  // namespace

TEST_CASE("the story of a block is what came into it and went out of it", "[gui]") {
  tests::TraceBuilder builder;
  const auto read = builder.stack({"malloc", "read_file", "main"});
  const auto keep = builder.stack({"malloc", "new_tensor", "main"});
  const auto file = builder.file("/models/x.params", 2 * kBytes);
  builder.at_ms(5).allocate(77, keep);
  const auto buffer = builder.at_ms(10).allocate(2 * kBytes, read);
  builder.at_ms(20).read_into(file, kBytes, buffer);
  builder.flush();
  builder.at_ms(30).read_into(file, kBytes, buffer);
  const auto tensor = builder.at_ms(40).allocate(kBytes, keep);
  builder.at_ms(50).copy(kBytes, buffer, tensor);
  builder.flush();
  builder.at_ms(60).release(buffer);
  builder.at_ms(70).allocate(99, keep);
  auto trace = builder.open();

  const auto story = story_of(trace, buffer);

  CHECK(story.block.allocation == buffer);
  CHECK(story.block.bytes == 2 * kBytes);
  CHECK(story.block.begin_ns == 10'000'000);
  CHECK(story.block.end_ns == 60'000'000);
  REQUIRE(story.passages.size() == 2);
  const Passage& came = story.passages[0];
  CHECK(came.kind == Passage::Kind::kRead);
  CHECK(came.bytes == 2 * kBytes);
  CHECK(came.count == 2);
  CHECK(came.file == "/models/x.params");
  const Passage& went = story.passages[1];
  CHECK(went.kind == Passage::Kind::kCopiedOut);
  CHECK(went.bytes == kBytes);
  REQUIRE(went.other.has_value());
  CHECK(went.other->allocation == tensor);
  CHECK(went.other->stack == keep);

  // The other side of the same copy; alive to the end.
  const auto other = story_of(trace, tensor);
  CHECK(other.block.end_ns == gui::LongBlock::kNever);
  REQUIRE(other.passages.size() == 1);
  CHECK(other.passages[0].kind == Passage::Kind::kCopiedIn);
  CHECK(other.passages[0].bytes == kBytes);
  CHECK(other.passages[0].other->allocation == buffer);

  const analyzer::BlockContents contents(trace.definitions());
  const auto details =
      gui::block_details(story, trace.definitions(), contents, {trace.duration_ns()});
  CHECK(details.title == "read_file");
  CHECK(details.frames.size() == 3);
  const std::string text = gui::details_text(details);
  for (const char* const wanted :
       {"2.00 MiB of heap", "2.00 MiB read from /models/x.params, 2 times", "1.00 MiB copied to",
        "new_tensor", "from 10 ms to 60 ms, for 50 ms", "main"}) {
    CAPTURE(wanted);
    CHECK_THAT(text, Catch::Contains(wanted));
  }
}

TEST_CASE("a block's details say where in its file the bytes are", "[gui]") {
  tests::TraceBuilder builder;
  const auto file = builder.file("/models/x.safetensors", 8 * kBytes);
  builder.tensor(file, 30'864, 123'456, "embed");
  builder.tensor(file, kBytes / 4, kBytes, "head");
  builder.tensor(file, kBytes / 4, kBytes, "tail");
  const auto raw = builder.file("/models/raw.bin", kBytes);
  const auto lines_of = [&](trace::AllocationNumber block) {
    auto trace = analyzer::LoadedTrace::open(builder.path());
    REQUIRE(trace.ok());
    const auto& definitions = trace.value().definitions();
    const auto details = gui::block_details(story_of(trace.value(), block), definitions,
                                            analyzer::BlockContents(definitions), {});
    auto lines = details.places;
    lines.insert(lines.end(), details.tensors.begin(), details.tensors.end());
    if (!details.tensors.empty()) {
      CHECK_THAT(gui::details_text(details),
                 Catch::StartsWith(details.title + "\nin it:\n  " + details.tensors.front()));
    }
    for (const std::string& place : details.places) {
      CHECK_THAT(gui::details_text(details), Catch::Contains(place));
    }
    return lines;
  };
  // By its values, as a wider type; in pieces, the first of which is known to lie at the end of a
  // tensor; without a tensor; and of two places.
  const auto matched = builder.at_ms(10).allocate(2 * kBytes);
  builder.match(matched, file, 123'456, "f64");
  const auto pieces = builder.allocate(2 * kBytes);
  builder.origin(pieces, 0, file, 123'456 + kBytes / 2, kBytes / 4);
  builder.origin(pieces, kBytes / 2, file, 123'456 + kBytes, kBytes);
  const auto read = builder.allocate(kBytes);
  builder.origin(read, 0, raw, 128, kBytes / 2);
  const auto two = builder.allocate(2 * kBytes);
  builder.origin(two, 0, file, 0, 123'456);
  builder.origin(two, kBytes, raw, 0, kBytes);
  const auto other = builder.file("/models/y.safetensors", kBytes);
  builder.writer().add_tensor(
      {.file = other, .name = "bias", .type = "f32", .elements = 250, .begin = 8, .bytes = 1000});
  const auto both = builder.allocate(kBytes);
  builder.origin(both, 0, file, 0, 123'456);
  builder.origin(both, 200'000, other, 8, 1000);
  const auto many = builder.allocate(2 * kBytes);
  for (std::uint64_t i = 0; i < 5; ++i) {
    builder.origin(many, i * 1000, raw, kBytes - 2000 * (i + 1), 1000);
  }
  builder.finish();
  using Lines = std::vector<std::string>;

  CHECK(lines_of(matched) ==
        Lines{"from byte 123,456 (120.6 KiB) of x.safetensors", "head, f32 as f64: 2.00 MiB"});
  CHECK(lines_of(pieces) == Lines{"from byte 647,744 (632.6 KiB) of x.safetensors",
                                  "head, f32: 256.0 KiB of 1.00 MiB, from byte 647,744 (632.6 KiB)",
                                  "tail, f32: 1.00 MiB, from byte 1,172,032 (1.12 MiB)"});
  CHECK(lines_of(read) == Lines{"from byte 128 of raw.bin"});
  CHECK(lines_of(two) == Lines{"120.6 KiB from byte 0 of x.safetensors",
                               "1.00 MiB from byte 0 of raw.bin", "embed, f32: 120.6 KiB"});
  const Lines of_both = lines_of(both);
  REQUIRE(of_both.size() == 4);
  CHECK(of_both[3] == "bias, f32: 1000 B, from byte 8 of y.safetensors");
  const Lines of_many = lines_of(many);
  REQUIRE(of_many.size() == 4);
  CHECK(of_many[3] == "and from 2 more places");
}

TEST_CASE("a block's story ends where the block does, also before its process", "[gui]") {
  tests::TraceBuilder builder;
  const auto process = builder.process(7, "load");
  builder.on(builder.thread(process));
  const auto freed = builder.at_ms(10).allocate(kBytes);
  const auto kept = builder.at_ms(20).allocate(kBytes);
  builder.at_ms(60).release(freed);
  builder.at_ms(90).end_process(process);
  auto trace = builder.open();
  gui::BlockGatherer gatherer(trace, 100);
  while (gatherer.step()) {
  }

  const auto list = gatherer.take();
  REQUIRE(list.blocks.size() == 2);
  for (const gui::LongBlock& block : list.blocks) {
    CAPTURE(block.allocation);
    CHECK(story_of(trace, block.allocation).block.end_ns == block.end_ns);
  }
  CHECK(story_of(trace, freed).block.end_ns == 60'000'000);
  CHECK(story_of(trace, kept).block.end_ns == 90'000'000);
}

TEST_CASE("a block that was resized has one story, whichever of its parts is asked for", "[gui]") {
  tests::TraceBuilder builder;
  const auto read = builder.stack({"malloc", "read_file", "main"});
  const auto file = builder.file("/models/x.params", 4 * kBytes);
  const auto first = builder.at_ms(10).allocate(4 * kBytes, read);
  builder.at_ms(20).read_into(file, kBytes, first);
  const auto other = builder.at_ms(25).allocate(kBytes, read);
  const auto second = builder.at_ms(30).reallocate(first, 3 * kBytes, read);
  builder.flush();
  builder.at_ms(35).read_into(file, kBytes, second);
  const auto third = builder.at_ms(40).reallocate(second, 2 * kBytes, read);
  builder.flush();
  builder.at_ms(50).copy(kBytes, third, other);
  builder.at_ms(60).release(third);
  builder.at_ms(90).allocate(1);
  auto trace = builder.open();

  for (const auto allocation : {first, second, third}) {
    CAPTURE(allocation);
    const auto story = story_of(trace, allocation);
    CHECK(story.block.allocation == allocation);
    CHECK(story.begin_ns == 10'000'000);
    CHECK(story.end_ns == 60'000'000);
    CHECK(story.chain == std::vector{first, second, third});
    REQUIRE(story.passages.size() == 2);
    CHECK(story.passages[0].bytes == 2 * kBytes);
    CHECK(story.passages[0].own == first);
    CHECK(story.passages[1].kind == Passage::Kind::kCopiedOut);
    CHECK(story.passages[1].own == third);
  }

  const auto story = story_of(trace, second);
  CHECK(story.block.bytes == 3 * kBytes);
  CHECK(story.block.begin_ns == 30'000'000);
  CHECK(story.block.end_ns == 40'000'000);
  const auto details =
      gui::block_details(story, trace.definitions(), analyzer::BlockContents(trace.definitions()),
                         {trace.duration_ns()});
  REQUIRE(details.resized.size() == 2);
  CHECK(details.resized[0].text == "resized from 4.00 MiB at 30 ms");
  CHECK(details.resized[0].block == first);
  CHECK(details.resized[1].text == "resized to 2.00 MiB at 40 ms");
  CHECK(details.resized[1].block == third);
  CHECK(details.life == "from 10 ms to 60 ms, for 50 ms");
  CHECK_THAT(gui::details_text(details), Catch::Contains(details.resized[0].text));
}

TEST_CASE("a resize by less than can be read in the size is told by itself", "[gui]") {
  tests::TraceBuilder builder;
  const auto first = builder.at_ms(1).allocate((160 << 20) + 33);
  const auto last = builder.at_ms(2).reallocate(first, 160 << 20);
  builder.at_ms(3).release(last);
  auto trace = builder.open();
  const auto details =
      gui::block_details(story_of(trace, last), trace.definitions(),
                         analyzer::BlockContents(trace.definitions()), {trace.duration_ns()});
  REQUIRE(details.resized.size() == 1);
  CHECK(details.resized[0].text == "resized by -33 B at 2.0 ms");
}

TEST_CASE("of very many resizes those around the block are told", "[gui]") {
  tests::TraceBuilder builder;
  auto last = builder.at_ms(1).allocate(1000);
  for (std::uint64_t i = 1; i <= 500; ++i) {
    last = builder.at_ms(1 + i).reallocate(last, 1000 + i);
  }
  builder.at_ms(600).release(last);
  auto trace = builder.open();

  const auto story = story_of(trace, 250);

  CHECK(story.chain.size() == 501);
  REQUIRE(story.sizes.size() == 16);
  CHECK(story.sizes[7].to == 250);
  CHECK(story.sizes[8].from == 250);
}

TEST_CASE("a block that grows and shrinks in its place says so", "[gui]") {
  tests::TraceBuilder builder;
  const auto block =
      builder.at_ms(10).allocate(4 * kBytes, builder.stack({"mmap", "main"}), trace::Lane::kAnon);
  builder.at_ms(20).release_part(block, kBytes);
  builder.at_ms(30).grow(block, 2 * kBytes);
  builder.at_ms(90).allocate(1);
  auto trace = builder.open();

  const auto story = story_of(trace, block);

  REQUIRE(story.sizes.size() == 2);
  CHECK(story.sizes[0].to_bytes == 3 * kBytes);
  CHECK(story.sizes[1].to_bytes == 5 * kBytes);
  CHECK(story.sizes[1].from == story.sizes[1].to);
  CHECK(story.resizes == 2);
}

TEST_CASE("of a block that grows page by page the way to its largest size is told", "[gui]") {
  tests::TraceBuilder builder;
  const auto block = builder.at_ms(1).allocate(0, trace::kNoStack, trace::Lane::kAnon);
  for (std::uint64_t i = 0; i < 40; ++i) {
    builder.at_ms(10 + i).grow(block, i == 20 ? 90 * kBytes : 4096);
  }
  builder.at_ms(1200).grow(block, 50 * kBytes);
  builder.at_ms(1300).release_part(block, 9 * kBytes);
  builder.at_ms(1400).release(block);
  auto trace = builder.open();

  const auto details =
      gui::block_details(story_of(trace, block), trace.definitions(),
                         analyzer::BlockContents(trace.definitions()), {trace.duration_ns()});

  CHECK(details.size ==
        "140.2 MiB of anonymous mappings at most, first at 1.200 s; only its pages in memory "
        "count: none at first, changed 42 times since");
  std::vector<std::string> lines;
  for (const auto& line : details.resized) {
    lines.push_back(line.text);
  }
  REQUIRE(lines.size() == 8);
  CHECK_THAT(lines,
             Catch::VectorContains(std::string("resized from 80.0 KiB to 90.1 MiB at 30 ms")));
  CHECK(lines[6] == "resized from 90.2 MiB to 140.2 MiB at 1.200 s");
  CHECK(lines[7] == "resized from 140.2 MiB to 131.2 MiB at 1.300 s");
}

TEST_CASE("what a block that grew often became is told beside its growth", "[gui]") {
  tests::TraceBuilder builder;
  const auto before = builder.at_ms(1).allocate(kBytes, trace::kNoStack);
  const auto block = builder.at_ms(2).reallocate(before, 2 * kBytes);
  for (std::uint64_t i = 0; i < 12; ++i) {
    builder.at_ms(10 + i).grow(block, kBytes);
  }
  const auto after = builder.at_ms(100).reallocate(block, 40 * kBytes);
  builder.at_ms(200).release(after);
  auto trace = builder.open();

  const auto details =
      gui::block_details(story_of(trace, block), trace.definitions(),
                         analyzer::BlockContents(trace.definitions()), {trace.duration_ns()});

  REQUIRE(details.resized.size() == 10);
  CHECK(details.resized.front().text == "resized from 1.00 MiB at 2.0 ms");
  // Eight of twelve are told: each with the size that it had.
  CHECK_THAT(details.resized[1].text,
             Catch::StartsWith("resized from ") && Catch::Contains(" to "));
  CHECK(details.resized.back().text == "resized to 40.0 MiB at 100 ms");
}

TEST_CASE("how a block ended is told beside the peak and the phase", "[gui]") {
  tests::TraceBuilder builder;
  const auto process = builder.process(7, "load");
  builder.on(builder.thread(process));
  const auto freed = builder.at_ms(1056).allocate(kBytes);
  const auto kept = builder.at_ms(1100).allocate(kBytes);
  const auto left = builder.on(trace::ThreadId{0}).at_ms(1101).allocate(kBytes);
  builder.at_ms(1191).release(freed);
  builder.on(trace::ThreadId{1}).at_ms(1638).end_process(process);
  auto trace = builder.open();
  const auto details_of = [&](trace::AllocationNumber block, std::uint64_t peak_ms) {
    return gui::block_details(
        story_of(trace, block), trace.definitions(), analyzer::BlockContents(trace.definitions()),
        {.end_ns = trace.duration_ns(),
         .peak_ns = peak_ms * 1'000'000,
         .phases_at = [](std::uint64_t ns) { return ns > 1'190'000'000 ? "convert" : ""; }});
  };

  CHECK(details_of(freed, 1190).life == "from 1.056 s to 1.191 s, for 135 ms");
  CHECK(details_of(freed, 1190).end == "freed at 1.191 s, 1.0 ms after the peak, in phase convert");
  CHECK(details_of(freed, 1200).end ==
        "freed at 1.191 s, 9.0 ms before the peak, in phase convert");
  CHECK(details_of(freed, 1191).end == "freed at 1.191 s, at the peak, in phase convert");
  CHECK(gui::life_line(story_of(trace, freed).block, 0) ==
        "1.00 MiB from 1.056 s to 1.191 s, for 135 ms");
  CHECK(gui::life_line(story_of(trace, left).block, 1'638'000'000) ==
        "1.00 MiB from 1.101 s to the end, 1.638 s, for 537 ms");
  CHECK(details_of(kept, 1190).end == "never freed; the process ended at 1.638 s");
  CHECK(details_of(left, 1190).end == "never freed");
  CHECK_THAT(gui::details_text(details_of(kept, 1190)), Catch::Contains("the process ended at"));
}

TEST_CASE("a mapping that has given back all that it had ended then", "[gui]") {
  tests::TraceBuilder builder;
  const auto mapped = [&] {
    return builder.at_ms(10).allocate(kBytes, trace::kNoStack, trace::Lane::kAnon);
  };
  const auto given = mapped();
  const auto again = mapped();
  const auto unmapped = mapped();
  for (const auto block : {given, again, unmapped}) {
    builder.at_ms(20).release_part(block, kBytes);
  }
  builder.at_ms(30).grow(again, 4096);
  builder.release(unmapped);
  builder.at_ms(50).allocate(1);
  auto trace = builder.open();
  const auto details_of = [&](trace::AllocationNumber block) {
    return gui::block_details(story_of(trace, block), trace.definitions(),
                              analyzer::BlockContents(trace.definitions()),
                              {.end_ns = trace.duration_ns(), .peak_ns = 15'000'000});
  };

  CHECK(details_of(given).end == "given back at 20 ms, 5.0 ms after the peak");
  CHECK(details_of(given).life == "from 10 ms to 20 ms, for 10 ms");
  CHECK(details_of(again).end == "never freed");
  CHECK(details_of(unmapped).end == "freed at 30 ms, 15 ms after the peak");
}

TEST_CASE("that nothing was seen to come into a block is said", "[gui]") {
  tests::TraceBuilder builder;
  const auto file = builder.file("/models/x.params", kBytes);
  const auto silent = builder.at_ms(1).allocate(kBytes);
  const auto small = builder.allocate(1000);
  const auto read = builder.allocate(kBytes);
  builder.read_into(file, kBytes, read);
  builder.session.copies_recorded = GENERATE(true, false);
  auto trace = builder.open();
  const auto came = [&](trace::AllocationNumber block) {
    return gui::block_details(story_of(trace, block), trace.definitions(),
                              analyzer::BlockContents(trace.definitions()), {})
        .came;
  };

  CHECK(came(silent) ==
        std::vector<std::string>{builder.session.copies_recorded
                                     ? "no read or copy of 64.0 KiB or more into it was seen"
                                     : "no read of 64.0 KiB or more into it was seen"});
  CHECK(came(small).empty());
  REQUIRE(came(read).size() == 1);
  CHECK_THAT(came(read).front(), Catch::Contains("read from"));
}

TEST_CASE("a block that lived for a moment says when that was", "[gui]") {
  tests::TraceBuilder builder;
  const auto block = builder.at_ns(256'203'000).allocate(kBytes);
  builder.at_ns(256'381'000).release(block);
  auto trace = builder.open();

  const auto details =
      gui::block_details(story_of(trace, block), trace.definitions(),
                         analyzer::BlockContents(trace.definitions()), {trace.duration_ns()});

  CHECK(details.life == "from 256.203 ms to 256.381 ms, for 178 us");
}

TEST_CASE("what a block's values told is said of it, as it was at the peak", "[gui]") {
  tests::TraceBuilder builder;
  const auto file = builder.file("/models/smile.ser", 4 * kBytes);
  const auto block = builder.at_ms(10).allocate(4 * kBytes);
  const auto other = builder.allocate(kBytes);
  const auto third = builder.allocate(kBytes);
  // An array that was moved, as a collector does it: at the peak one of both places is its own.
  builder.at_ms(20).part_of_file(block, 0, kBytes, file, 0, "f64", "f64be", 30);
  builder.at_ms(40).part_of_file(block, 2 * kBytes, kBytes, file, 0, "f64", "f64be");
  builder.part_of_file(block, 3 * kBytes, kBytes / 2, file, kBytes, "f64", "f64be");
  builder.part_of_file(block, 0, kBytes / 4, file, kBytes);
  builder.widened(other, file, 0, "bf16", "f32");
  builder.packed(third, file);
  builder.at_ms(100).release(block);
  auto trace = builder.open();
  const auto lines = [&trace](std::uint64_t allocation, std::optional<std::uint64_t> peak_ns) {
    return gui::block_details(story_of(trace, allocation), trace.definitions(),
                              analyzer::BlockContents(trace.definitions()),
                              {.end_ns = trace.duration_ns(), .peak_ns = peak_ns})
        .values;
  };
  using Lines = std::vector<std::string>;

  CHECK(lines(block, 50'000'000) ==
        Lines{analyzer::format_size(kBytes + kBytes / 2) +
                  " of it hold values of smile.ser, with the bytes of each number in the other "
                  "order: known by values, at the peak",
              analyzer::format_size(kBytes / 4) +
                  " of it hold values of smile.ser, as in the file: known by values, at the peak"});
  CHECK(lines(other, std::nullopt) ==
        Lines{"holds values of smile.ser, as bf16: known by values, at 40 ms"});
  CHECK(lines(third, 50'000'000) ==
        Lines{"holds values of smile.ser, in another order: known by values, at the peak"});
}

TEST_CASE("values that a block has kept while it was resized are told once", "[gui]") {
  tests::TraceBuilder builder;
  const auto file = builder.file("/models/smile.ser", 4 * kBytes);
  const auto before = builder.at_ms(10).allocate(4 * kBytes);
  builder.at_ms(20).widened(before, file, 0, "f64", "f32");
  const auto block = builder.at_ms(30).reallocate(before, 4 * kBytes - 1);
  builder.at_ms(40).widened(block, file, 0, "f64", "f32");
  auto trace = builder.open();

  CHECK(
      gui::value_lines(story_of(trace, block), trace.definitions(), 50'000'000) ==
      std::vector<std::string>{"holds values of smile.ser, as f64: known by values, at the peak"});
}

TEST_CASE("blocks of the same values are said to hold them", "[gui]") {
  tests::TraceBuilder builder;
  const auto first = builder.allocate(kBytes);
  const auto second = builder.allocate(kBytes);
  const auto alone = builder.allocate(kBytes);
  builder.alike(first, first);
  builder.alike(second, first);
  builder.alike(alone, alone);
  auto trace = builder.open();

  CHECK(gui::value_lines(story_of(trace, second), trace.definitions(), {}) ==
        std::vector<std::string>{"holds the same values as 1 other block: known by values"});
  CHECK(gui::value_lines(story_of(trace, alone), trace.definitions(), {}).empty());
}

TEST_CASE("a number that no allocation has is no story", "[gui]") {
  tests::TraceBuilder builder;
  builder.allocate(kBytes, builder.stack({"malloc", "read_file", "main"}));
  auto trace = builder.open();

  const auto story = story_of(trace, 4711);

  CHECK(story.passages.empty());
  CHECK(story.block.bytes == 0);
}

TEST_CASE("the ways of the bytes are arrows at their times, the largest first", "[gui]") {
  tests::TraceBuilder builder;
  const auto stack = builder.stack({"malloc", "load", "main"});
  const auto file = builder.file("/models/x.params", 2 * kBytes);
  const auto buffer = builder.at_ms(100).allocate(2 * kBytes, stack);
  builder.at_ms(200).read_into(file, 2 * kBytes, buffer);
  const auto tensor = builder.at_ms(300).allocate(kBytes, stack);
  builder.at_ms(400).copy(kBytes, buffer, tensor);
  builder.at_ms(500).fill(kBytes, buffer);
  builder.at_ms(800).release(buffer);
  auto trace = builder.open();
  const auto column_of = [](std::uint64_t ns) { return static_cast<double>(ns) / 1'000'000; };

  const auto arrows = gui::arrows_of(story_of(trace, buffer), 8, column_of);

  REQUIRE(arrows.size() == 2);
  CHECK_FALSE(arrows[0].from.has_value());
  CHECK(arrows[0].to == buffer);
  CHECK(arrows[0].first == 200);
  CHECK(arrows[0].text == "2.00 MiB from x.params");
  CHECK(arrows[1].from == buffer);
  CHECK(arrows[1].to == tensor);
  CHECK(arrows[1].last == 400);
  CHECK(arrows[1].text == "1.00 MiB copied");
  CHECK(gui::arrows_of(story_of(trace, buffer), 1, column_of).size() == 1);

  // Drawn where these bytes are: from the buffer's middle to the tensor's, at 400.
  gui::BlockGatherer gatherer(trace, 100);
  while (gatherer.step()) {
  }
  const auto list = gatherer.take();
  const auto borders = analyzer::even_borders(0, 800'000'000, 800);
  const auto blocks = gui::stack_blocks(list, borders, 1);
  const auto columns = picture::stacked_columns(trace, borders);
  const picture::Type type = gui::screen_type(1);
  const picture::MeasureText measure = tests::wide_letters();
  picture::Scene scene;
  gui::draw_blocks(scene,
                   {.list = &list,
                    .stack = &blocks,
                    .columns = &columns,
                    .highest = 4 * kBytes,
                    .name = [](const gui::LongBlock&) { return gui::BlockName{}; },
                    .hovered = {},
                    .arrows = {arrows[1]}},
                   {0, 0, 800, 400}, {picture::light_theme(), type, measure});
  std::vector<picture::Point> tips;
  for (const auto& item : scene.items) {
    const auto* fill = std::get_if<picture::Fill>(&item);
    if (fill != nullptr && fill->part == picture::Part::kLegend && fill->outline.size() == 3) {
      tips.push_back(fill->outline.front());
    }
  }
  REQUIRE(tips.size() == 1);
  CHECK(tips[0].x == Approx(400.5));
  // The tensor stands on the buffer: from 2 to 3 MiB of 4, in 400 pixels.
  CHECK(tips[0].y == Approx(150));
}
