#include "analyzer/report/anatomy/anatomy_text.hpp"
#include "analyzer/report/anatomy/why_list.hpp"
#include "tests/analyzer/findings/loads.hpp"
#include "tests/support/catch.hpp"

using namespace tidemark;
using analyzer::FindingKind;
using analyzer::group_text;
using analyzer::PeakGroup;
using analyzer::Report;
using analyzer::unexplained_text;

namespace {

using tests::kMiB;

/// A model of 100 MiB, boxed by one place.
Report boxed_load() {
  Report report;
  report.model.bytes = 100 * kMiB;
  report.peak.footprint_bytes = report.live_bytes = 2500 * kMiB;
  report.anatomy.is_unexplained = true;
  report.anatomy.groups.push_back({.place = "grow (vec.hpp:9)",
                                   .frames = {},
                                   .bytes = 2400 * kMiB,
                                   .blocks = 100,
                                   .first_allocated_ns = 10'000'000,
                                   .last_allocated_ns = 400'000'000,
                                   .end_blocks = 100,
                                   .end_bytes = 2400 * kMiB,
                                   .read_bytes = 0,
                                   .copied_bytes = 0,
                                   .peak_without_bytes = 100 * kMiB});
  return report;
}

/// Twenty callers of one place, each with ten boxes, beside what is read and one that comes and
/// goes before.
void append_many_callers(tests::Load& load) {
  load.release({load.block("scratch", 300 * kMiB)});
  for (int caller = 0; caller < 20; ++caller) {
    const auto stack = load.trace.stack(
        {"malloc", "grow vec.hpp:9", "read_" + std::to_string(caller) + " load.cpp:7", "main"});
    for (int box = 0; box < 10; ++box) {
      load.trace.allocate(4 * kMiB, stack);
    }
  }
  load.trace.open_file(load.model);
  load.trace.read(load.model, tests::kModelBytes);
}

/// A buffer of which so much was touched, and no more in a second.
void append_buffer(tests::Load& load, std::uint64_t bytes, std::uint64_t touched) {
  const auto buffer = load.block("estimate", bytes);
  load.trace.look(buffer, load.now_ms() + 10, 0);
  load.trace.look(buffer, load.now_ms() + 300, touched);
  load.trace.look(buffer, load.now_ms() + 700, touched);
  load.wait_ms(1000);
  load.release({buffer});
}

}  // namespace

TEST_CASE("a peak that no finding explains is told with the groups that hold it", "[anatomy]") {
  const Report report = boxed_load();
  CHECK(unexplained_text(report) == "No finding explains this peak. The peak's largest group:");
  CHECK(
      group_text(report, report.anatomy.groups.front()) ==
      "2.34 GiB (96.0%) in 100 blocks of grow (vec.hpp:9): allocated from 10 ms to 400 ms, alive "
      "at the end; no read or copy of the model into it was seen. Without: 100.0 MiB = 1.00 x W.");
}

TEST_CASE("a group is told with its life and with what of the model went into it", "[anatomy]") {
  const Report report = boxed_load();
  PeakGroup group = report.anatomy.groups.front();
  group.blocks = 1;
  group.end_blocks = 0;
  group.end_bytes = 0;
  group.first_allocated_ns = group.last_allocated_ns = 10'000'000;
  group.last_freed_ns = 900'000'000;
  group.most_freed_ns = 300'000'000;
  CHECK_THAT(group_text(report, group),
             Catch::Contains("at 10 ms, most of it freed by 300 ms, the last by 900 ms; no read"));
  group.most_freed_ns = group.last_freed_ns;
  group.read_bytes = 12 * kMiB;
  group.copied_bytes = 3 * kMiB;
  CHECK(group_text(report, group) ==
        "2.34 GiB (96.0%) in 1 block of grow (vec.hpp:9): allocated at 10 ms, freed by 900 ms; "
        "12.0 MiB of the model read into it, 3.00 MiB copied. Without: 100.0 MiB = 1.00 x W.");

  group.blocks = 3;
  group.end_blocks = 1;
  group.end_bytes = 800 * kMiB;
  group.read_bytes = 0;
  CHECK(group_text(report, group) ==
        "2.34 GiB (96.0%) in 3 blocks of grow (vec.hpp:9): allocated at 10 ms, 800.0 MiB alive at "
        "the end; 3.00 MiB of the model copied into it. Without: 100.0 MiB = 1.00 x W.");

  group.read_bytes = group.copied_bytes = std::nullopt;
  CHECK(group_text(report, group) ==
        "2.34 GiB (96.0%) in 3 blocks of grow (vec.hpp:9): allocated at 10 ms, 800.0 MiB alive at "
        "the end. Without: 100.0 MiB = 1.00 x W.");

  group.end_bytes = 32;  // A small one beside a large one that went.
  CHECK_THAT(group_text(report, group), Catch::Contains("allocated at 10 ms, freed by 900 ms."));
  group.end_bytes = group.bytes - 32;  // And the other way round.
  CHECK_THAT(group_text(report, group), Catch::Contains(" ms, alive at the end."));
  group.end_bytes = group.bytes / 2;
  CHECK_THAT(group_text(report, group), Catch::Contains(" GiB alive at the end."));
}

TEST_CASE("a group that is known by its values is not told as if nothing had come", "[anatomy]") {
  const Report report = boxed_load();
  PeakGroup group = report.anatomy.groups.front();
  group.values_held = "2.30 GiB of it hold w of m.bin, by their values";
  CHECK_THAT(group_text(report, group),
             Catch::Contains("alive at the end; 2.30 GiB of it hold w of m.bin, by their values. "
                             "Without"));
  group.copied_bytes = 3 * kMiB;
  CHECK_THAT(group_text(report, group),
             Catch::Contains("; 3.00 MiB of the model copied into it; 2.30 GiB of it hold w"));
  group.read_bytes = group.copied_bytes = std::nullopt;
  CHECK_THAT(group_text(report, group), Catch::Contains("alive at the end; 2.30 GiB of it hold w"));
}

TEST_CASE("a group whose blocks hold the model's values says which tensors they are", "[anatomy]") {
  const bool is_then = GENERATE(true, false);
  CAPTURE(is_then);
  tests::Load load;
  load.trace.open_file(load.model);
  load.trace.read(load.model, tests::kModelBytes);
  load.block("workspace", 2 * tests::kModelBytes);
  for (std::uint64_t i = 0; i < tests::kTensors; ++i) {
    load.trace.tensor(load.model, tests::kTensorBytes / 4, tests::kTensorBytes,
                      "layer." + std::to_string(i) + ".w");
    load.trace.match(load.block("receive", tests::kTensorBytes), load.model,
                     i * tests::kTensorBytes, "", is_then ? 0 : 100'000);
  }
  load.wait_ms(1000);

  const auto report = load.report();

  REQUIRE(report.anatomy.groups.size() == 2);
  CHECK(report.anatomy.groups[0].values_held.empty());
  CHECK(report.anatomy.groups[1].values_held ==
        (is_then ? "256.0 MiB of it hold 16 tensors of model.params, layer.0.w to layer.15.w, by "
                   "their values"
                 : ""));
}

TEST_CASE("a group whose blocks hold tensors of one name, each of its file, says the name once",
          "[anatomy]") {
  tests::Load load;
  load.trace.open_file(load.model);
  load.trace.read(load.model, tests::kModelBytes);
  load.block("workspace", 2 * tests::kModelBytes);
  std::uint64_t offset = 0;
  for (const char* const path : {"/models/small/0.pt", "/models/small/1.pt"}) {
    const auto file = load.trace.file(path, 2 * tests::kTensorBytes);
    load.trace.tensor(file, tests::kTensorBytes / 4, tests::kTensorBytes, "flat");
    load.trace.match(load.block("receive", tests::kTensorBytes), file, offset, "");
    offset += tests::kTensorBytes;  // As the builder goes on with its tensors.
  }
  load.wait_ms(1000);
  const auto report = load.report();
  REQUIRE(report.anatomy.groups.size() == 2);
  CHECK(report.anatomy.groups[1].values_held ==
        "32.0 MiB of it hold 2 tensors of 2 files, each named flat, by their values");
}

TEST_CASE("a group whose blocks hold a file that lists no tensors says in which form they do",
          "[anatomy]") {
  const std::string form = GENERATE("wider", "big-endian", "in another order", "parts of each",
                                    "several", "wider before");
  CAPTURE(form);
  const std::uint64_t each = 2 * tests::kTensorBytes;
  tests::Load load;
  load.trace.open_file(load.model);
  load.trace.read(load.model, tests::kModelBytes);
  load.block("workspace", 2 * each * tests::kTensors);
  for (std::uint64_t i = 0; i < tests::kTensors; ++i) {
    const auto block = load.block("receive", each);
    if (form == "parts of each" || (form == "several" && i % 2 == 0)) {
      load.trace.part_of_file(block, 0, tests::kTensorBytes + 4096, load.model, i * kMiB);
      load.trace.part_of_file(block, tests::kTensorBytes, tests::kTensorBytes + 372, load.model,
                              kMiB);
    } else if (form == "in another order") {
      load.trace.packed(block, load.model, 0, i * kMiB);
    } else {
      load.trace.part_of_file(block, 0, 0, load.model, i * kMiB, "f64",
                              form == "big-endian" ? "f32be" : "f32",
                              form == "wider before" ? load.now_ms() : UINT64_MAX);
    }
  }
  load.block("last", kMiB);
  load.wait_ms(1000);

  const auto report = load.report();

  REQUIRE(report.anatomy.groups.size() >= 2);
  CHECK(report.anatomy.groups[0].values_held.empty());
  const std::string& held = report.anatomy.groups[1].values_held;
  CHECK(held ==
        (form == "wider" ? "512.0 MiB of it hold f32 of model.params as f64, by their values"
         : form == "big-endian"
             ? "512.0 MiB of it hold big-endian f32 of model.params as f64, by their values"
         : form == "in another order"
             ? "512.0 MiB of it hold values of model.params in another order, by their values"
         : form == "several"      ? "512.0 MiB of it hold values of model.params, by their values"
         : form == "wider before" ? ""
                                  : "512.0 MiB of it hold bytes of model.params, by their values"));
}

TEST_CASE("of a peak before the model was opened nothing is said to come from it", "[anatomy]") {
  Report report = boxed_load();
  report.peak.at.at_ns = 500'000'000;
  const auto [first_use_ms, bytes_read, is_before, used] =
      GENERATE(table<std::uint64_t, std::uint64_t, bool, std::string>({
          {600, 100 * kMiB, true, "read"},
          {600, 0, true, "mapped"},
          {400, 100 * kMiB, false, ""},
      }));
  CAPTURE(first_use_ms, bytes_read);
  report.files.push_back({.path = "/models/m.params"});
  report.files.back().first_use_ns = first_use_ms * 1'000'000;
  report.files.back().bytes_read = bytes_read;
  report.model.files.push_back(0);
  CHECK(unexplained_text(report) ==
        (is_before ? "The peak came before the model was first " + used +
                         ", at 600 ms. The peak's largest group:"
                   : "No finding explains this peak. The peak's largest group:"));
  const std::string group = group_text(report, report.anatomy.groups.front());
  CHECK((group.find("no read or copy") == std::string::npos) == is_before);
}

TEST_CASE("what is said of an unexplained peak goes with the findings above it", "[anatomy]") {
  Report report = boxed_load();
  report.anatomy.findings = {{.kind = FindingKind::kRefused}};
  CHECK(unexplained_text(report) == "No finding explains this peak. The peak's largest group:");
  report.anatomy.findings.push_back({.kind = FindingKind::kWrittenTwice});
  CHECK(unexplained_text(report) ==
        "None of these findings explains this peak. The peak's largest group:");
  report.anatomy.findings.push_back({.kind = FindingKind::kPythonArenas});
  CHECK(unexplained_text(report) ==
        "No finding explains the rest of this peak. The peak's largest group:");
  report.anatomy.groups.clear();
  CHECK(unexplained_text(report) == "No finding explains the rest of this peak.");
}

TEST_CASE("how much of the peak findings explain is said where they leave most of it open",
          "[anatomy]") {
  Report report = boxed_load();
  report.anatomy.findings = {{.kind = FindingKind::kUntouched}, {.kind = FindingKind::kRefused}};
  report.anatomy.explained = {.saved_bytes = 28 * kMiB, .accounted_bytes = 0};
  CHECK(unexplained_text(report) ==
        "The finding explains 28.0 MiB of the 2.34 GiB beyond W. The peak's largest group:");
  report.anatomy.findings.push_back({.kind = FindingKind::kBeforeLoad});
  report.anatomy.explained.accounted_bytes = 2 * kMiB;
  CHECK(unexplained_text(report) ==
        "The findings explain at most 30.0 MiB of the 2.34 GiB beyond W. The peak's largest "
        "group:");
}

TEST_CASE("a group without which another instant is as high is told so", "[anatomy]") {
  const Report report = boxed_load();
  PeakGroup group = report.anatomy.groups.front();
  group.peak_without_bytes = report.peak.footprint_bytes - 1;
  CHECK_THAT(group_text(report, group),
             Catch::EndsWith("was seen. Without it another instant is as high: 2.44 GiB = 25.00 x "
                             "W."));
}

TEST_CASE("what makes the peak is what would save most of it", "[anatomy]") {
  Report report = boxed_load();
  REQUIRE(report.anatomy.groups.size() == 1);
  const std::uint64_t without = report.anatomy.groups.front().peak_without_bytes;
  CHECK(main_reason(report).title == "largest group at the peak");
  CHECK(main_reason(report).sentence == group_text(report, report.anatomy.groups.front()));

  PeakGroup other = report.anatomy.groups.front();
  other.place = "keep (vec.hpp:20)";
  other.peak_without_bytes = without - 1;
  report.anatomy.groups.push_back(other);
  CHECK(main_reason(report).title == "largest group at the peak");  // It reads the same.
  other.peak_without_bytes = without - report.peak.footprint_bytes / 100;
  report.anatomy.groups.back() = other;
  CHECK(main_reason(report).title == "group that would save most");
  CHECK(main_reason(report).sentence == group_text(report, other));

  report.anatomy.findings.push_back({.kind = analyzer::FindingKind::kTwice,
                                     .title = "two copies of the weights",
                                     .sentence = "Twice.",
                                     .remedy = "Without"});
  CHECK(main_reason(report).title == "group that would save most");
  // A finding says why: it need not save as much as a group, but a tenth of the peak.
  const std::uint64_t peak = report.peak.footprint_bytes;
  const std::uint64_t least = peak / 10;
  report.anatomy.findings.front().peak_without_bytes = peak - least + 1;
  CHECK(main_reason(report).title == "group that would save most");
  report.anatomy.findings.front().peak_without_bytes = peak - least;
  CHECK(main_reason(report).title == "two copies of the weights");
  CHECK_THAT(main_reason(report).sentence, Catch::StartsWith("Twice. Without: 2."));
  // Nor that, where no group saves more.
  report.anatomy.findings.front().peak_without_bytes = peak - 1;
  for (PeakGroup& group : report.anatomy.groups) {
    group.peak_without_bytes = peak - 1;
  }
  CHECK(main_reason(report).title == "two copies of the weights");

  report.anatomy.groups.clear();
  report.anatomy.findings.clear();
  CHECK(main_reason(report).sentence.empty());
}

TEST_CASE("a group without which the peak falls by less than it has leaves another peak",
          "[anatomy]") {
  const Report report = boxed_load();
  PeakGroup group = report.anatomy.groups.front();
  group.peak_without_bytes += 200 * kMiB;
  CHECK_THAT(group_text(report, group),
             Catch::EndsWith("was seen. Without it another peak is left: "
                             "300.0 MiB = 3.00 x W."));
  // What comes and goes beside it is none.
  group.peak_without_bytes -= 199 * kMiB;
  CHECK_THAT(group_text(report, group), Catch::EndsWith("Without: 101.0 MiB = 1.01 x W."));
}

TEST_CASE("the findings stand before what they leave open, and the groups below it", "[anatomy]") {
  Report report = boxed_load();
  report.anatomy.findings = {{.kind = FindingKind::kWrittenTwice, .sentence = "Written."}};
  CHECK(analyzer::why_list(report, {}) ==
        "why\n"
        "  - Written.\n"
        "    What helps: allocate without zeroing, and read straight into the block.\n"
        "  ? None of these findings explains this peak. The peak's largest group:\n"
        "    - 2.34 GiB (96.0%) in 100 blocks of grow (vec.hpp:9): allocated from 10 ms\n"
        "      to 400 ms, alive at the end; no read or copy of the model into it was\n"
        "      seen. Without: 100.0 MiB = 1.00 x W.\n"
        "  > tidemark explain NAME tells more: written_twice.\n");
}

TEST_CASE("another instant, or a peak that is explained, needs no such words", "[anatomy]") {
  Report elsewhere = boxed_load();
  elsewhere.at_peak = false;
  CHECK(unexplained_text(elsewhere).empty());

  Report explained = boxed_load();
  explained.anatomy.is_unexplained = false;
  CHECK(unexplained_text(explained).empty());
}

TEST_CASE("a peak hardly higher than the model, or without one, is not called unexplained",
          "[anatomy]") {
  tests::Load low;
  low.trace.open_file(low.model);
  low.block("Tensor", tests::kModelBytes + 40 * kMiB);
  low.trace.read(low.model, tests::kModelBytes);
  CHECK(!low.report().anatomy.is_unexplained);

  tests::Load without_model;
  without_model.block("Tensor", 3 * tests::kModelBytes);
  CHECK(!without_model.report(0).anatomy.is_unexplained);
}

TEST_CASE("a finding about a small part hides no group", "[anatomy]") {
  tests::Load load;
  load.streamed_tensors();
  load.block("box", 3 * tests::kModelBytes);
  append_buffer(load, 128 * kMiB, 64 * kMiB);

  const Report report = load.report();

  REQUIRE(report.anatomy.findings.size() == 1);
  CHECK(unexplained_text(report) ==
        "The finding explains 64.0 MiB of the 896.0 MiB beyond W. The peak's largest groups:");
  REQUIRE(report.anatomy.groups.size() == 3);
  CHECK(report.anatomy.groups[0].place == "box (loader.cpp:40)");
}

TEST_CASE("findings that explain most of a peak together need no groups", "[anatomy]") {
  tests::Load load;
  const auto blob = load.blob();
  load.tensors_from(blob);
  append_buffer(load, 512 * kMiB, 192 * kMiB);
  load.release({blob});

  const Report report = load.report();

  const auto& findings = report.anatomy.findings;
  REQUIRE(findings.size() >= 3);
  REQUIRE(report.peak.footprint_bytes == 4 * tests::kModelBytes);
  CHECK(findings[0].peak_without_bytes == 704 * kMiB);  // More than half of what is beyond W,
  CHECK(findings[1].peak_without_bytes == 768 * kMiB);  // each of them alone.
  CHECK(unexplained_text(report).empty());
  CHECK(report.anatomy.groups.empty());
  // Then the highest instant is the one at which the tensors are copied out of the blob.
  CHECK_THAT(findings[2].sentence, Catch::StartsWith("Then the peak is at ") &&
                                       Catch::Contains(", 512.0 MiB: 256.0 MiB of the weights"));
  CHECK(findings[2].peak_without_bytes.value_or(0) == 448 * kMiB);
  CHECK(together_text(report).empty());
}

TEST_CASE("groups are those of all stacks, however few are listed", "[anatomy]") {
  tests::Load load;
  load.trace.session.copies_recorded = true;
  append_many_callers(load);
  auto trace = load.trace.open();

  for (const std::size_t top : {1U, 5U, 10U, 0U}) {
    CAPTURE(top);
    analyzer::ReportOptions options;
    options.top = top;
    const auto report = analyzer::build_report(trace, options);
    REQUIRE(report.ok());
    CHECK(unexplained_text(report.value()) ==
          "No finding explains this peak. The peak's largest group:");
    REQUIRE(report.value().anatomy.groups.size() == 1);
    CHECK(group_text(report.value(), report.value().anatomy.groups.front()) ==
          "800.0 MiB (100.0%) in 200 blocks of grow (vec.hpp:9): allocated at 20 ms, alive at the "
          "end; no read or copy of 64.0 KiB or more of the model into it was seen. "
          "Without it another peak is left: 300.0 MiB = 1.17 x W.");
  }
}

TEST_CASE("of each of the three largest groups its life and the peak without it are told",
          "[anatomy]") {
  tests::Load load;
  load.trace.open_file(load.model);
  const auto boxes = load.block("box", 500 * kMiB);
  const auto part = load.block("part", 300 * kMiB);
  const auto pool = load.block("pool", 200 * kMiB);
  load.block("small", 100 * kMiB);
  load.block("tiny", 2 * kMiB);
  load.trace.read(load.model, tests::kModelBytes);
  load.wait_ms(400);
  const auto grown = load.trace.reallocate(
      part, 310 * kMiB, load.trace.stack({"realloc", "part loader.cpp:40", "main"}));
  load.release({boxes, pool});
  load.wait_ms(100);
  load.release({grown});
  load.wait_ms(5000);

  const Report report = load.report();
  REQUIRE(report.anatomy.is_unexplained);
  const auto& groups = report.anatomy.groups;
  REQUIRE(groups.size() == 3);
  CHECK(groups[0].place == "box (loader.cpp:40)");
  CHECK(groups[1].place == "part (loader.cpp:40)");
  CHECK(groups[2].place == "pool (loader.cpp:40)");
  CHECK(groups[0].first_allocated_ns == 20'000'000);
  CHECK(groups[2].last_freed_ns == 460'000'000);
  CHECK(groups[2].end_blocks == 0);
  CHECK(groups[2].end_bytes == 0);
  CHECK(!groups[0].read_bytes.has_value());  // Copies were not recorded.
  CHECK(groups[0].peak_without_bytes == 612 * kMiB);
}

TEST_CASE("what is read, copied and never freed is told of a group", "[anatomy]") {
  tests::Load load;
  load.trace.session.copies_recorded = true;
  load.trace.open_file(load.model);
  const auto blocks = load.block("Tensor", tests::kModelBytes);
  load.read_whole(blocks);
  load.block("cache", tests::kModelBytes);
  load.wait_ms(2000);

  const Report report = load.report();
  REQUIRE(report.anatomy.is_unexplained);
  for (const PeakGroup& group : report.anatomy.groups) {
    CAPTURE(group.place);
    CHECK(group.read_bytes == (group.place == "Tensor (loader.cpp:40)" ? tests::kModelBytes : 0));
    CHECK(group.copied_bytes == 0U);
    CHECK(group.end_blocks == group.blocks);
    CHECK(group.end_bytes == group.bytes);
    CHECK(group.peak_without_bytes == tests::kModelBytes);
  }
}

TEST_CASE("a model that came through small buffers is told of", "[anatomy]") {
  tests::Load load;
  load.trace.session.copies_recorded = true;
  load.trace.open_file(load.model);
  for (std::uint64_t at = 0; at < tests::kModelBytes; at += kMiB / 32) {
    load.trace.read(load.model, kMiB / 32);
  }
  load.block("convert", tests::kModelBytes);
  SECTION("where the peak is well above the weights") {
    load.block("again", tests::kModelBytes);
    CHECK(analyzer::left_out_text(load.report()) ==
          "256.0 MiB of the model were read into memory that is not followed: blocks below 64.0 "
          "KiB, as an ifstream has, the stack, static data. Where these bytes went from there is "
          "not known.");
  }
  SECTION("and not where it is the weights") {
    CHECK(analyzer::left_out_text(load.report()).empty());
  }
}
