// Blocks that nobody looked into in time, by the others of their place: for and against.
#include "tests/analyzer/findings/loads.hpp"
#include "tests/support/catch.hpp"

#include <set>

using namespace tidemark;
using analyzer::FindingKind;
using tests::findings_of;
using tests::kModelBytes;
using tests::kTensorBytes;
using tests::kTensors;
using tests::Load;

namespace {

constexpr std::uint64_t kWide = 2 * kTensorBytes;

/// Sixteen tensors of float32 that a loop makes float64 of, each into a block of one place. Seen
/// are those that a test says.
struct Widening : Load {
  Widening() {
    for (std::uint64_t i = 0; i < kTensors; ++i) {
      trace.tensor(model, kTensorBytes / 4, kTensorBytes, "layer." + std::to_string(i) + ".w");
    }
    const std::uint64_t read = block("read", kTensorBytes);
    for (std::uint64_t i = 0; i < kTensors; ++i) {
      trace.read_into(model, kTensorBytes, read);
    }
    trace.release(read);
  }
  void add(std::uint64_t size = kWide) {
    wait_ms(10);
    made.push_back(trace.allocate(size, convert));
  }
  void add_seen(std::uint64_t tensor) {
    add();
    trace.match(made.back(), model, tensor * kTensorBytes, "f64");
  }
  void add_all(const std::set<std::uint64_t>& unseen) {
    for (std::uint64_t i = 0; i < kTensors; ++i) {
      if (unseen.contains(i)) {
        add();
      } else {
        add_seen(i);
      }
    }
  }
  analyzer::Finding widened() {
    wait_ms(1000);
    release(made);
    whole = report();
    const auto found = findings_of(*whole, FindingKind::kWidened);
    return found.empty() ? analyzer::Finding{} : found[0];
  }
  /// Which tensor is in one of the blocks, of those that were not seen.
  [[nodiscard]] std::string name_of(std::size_t number) const {
    for (const analyzer::SizedBlock& block : whole->anatomy.sized) {
      if (block.allocation == made[number]) {
        return "layer." + std::to_string(trace::index(block.tensor)) + ".w";
      }
    }
    return {};
  }
  trace::StackId convert = trace.stack({"malloc", "Convert loader.cpp:40", "main"});
  std::vector<std::uint64_t> made;
  std::optional<analyzer::Report> whole;
};

const std::set<std::uint64_t> kLastThree{13, 14, 15};

}  // namespace

TEST_CASE("blocks that were not looked into hold what is due at their place", "[anatomy]") {
  Widening load;
  load.add_all(kLastThree);

  const auto widened = load.widened();

  CHECK(widened.bytes == 2 * kModelBytes);
  CHECK(widened.inferred_blocks == 3);
  CHECK(widened.peak_without_bytes == kModelBytes);
  CHECK(widened.sentence ==
        "512.0 MiB in 16 blocks of Convert (loader.cpp:40) hold 16 tensors of f32 as f64, 13 of "
        "them by their values and 3 by their sizes and their place: 8 bytes an element; the file "
        "has 4 bytes an element.");
  CHECK(load.name_of(13) == "layer.13.w");
  CHECK(load.name_of(15) == "layer.15.w");
}

TEST_CASE("four blocks that were seen are enough where there is one for each tensor", "[anatomy]") {
  const std::uint64_t seen = GENERATE(4U, 3U);
  CAPTURE(seen);
  Widening load;
  std::set<std::uint64_t> unseen;
  for (std::uint64_t i = seen; i < kTensors; ++i) {
    unseen.insert(i);
  }
  load.add_all(unseen);
  CHECK(load.widened().inferred_blocks == (seen == 4 ? 12 : 0));
}

TEST_CASE("where there are more blocks than tensors half of them have to be seen", "[anatomy]") {
  const bool is_half = GENERATE(true, false);
  CAPTURE(is_half);
  Widening load;
  for (std::uint64_t i = 0; i < (is_half ? 9U : 8U); ++i) {
    load.add_seen(i);
  }
  while (load.made.size() < kTensors + 1) {
    load.add();
  }
  CHECK(load.widened().inferred_blocks == (is_half ? 7 : 0));
}

TEST_CASE("a block whose turn had been when it was looked into holds what was seen", "[anatomy]") {
  Widening load;
  load.add_all(kLastThree);
  SECTION("one of fourteen: it keeps its turn") {
    load.trace.mismatch(load.made[14], load.now_ms() + 500);
    CHECK(load.widened().inferred_blocks == 2);
    CHECK(load.name_of(13) == "layer.13.w");
    CHECK(load.name_of(14).empty());
    CHECK(load.name_of(15) == "layer.15.w");
  }
  SECTION("two of fifteen: nothing is said of the rest") {
    load.trace.mismatch(load.made[13], load.now_ms() + 500);
    load.trace.mismatch(load.made[14], load.now_ms() + 500);
    CHECK(load.widened().bytes == 13 * kWide);
  }
  SECTION("before it was filled, that says nothing") {
    for (const std::uint64_t i : kLastThree) {
      load.trace.mismatch(load.made[i], load.now_ms() - 20);
    }
    CHECK(load.widened().inferred_blocks == 3);
  }
}

TEST_CASE("one that came before others and was seen without a tensor after them has none",
          "[anatomy]") {
  Widening load;
  load.add_all({3, 5, 7});
  for (const std::size_t i : {std::size_t{3}, std::size_t{5}}) {
    load.trace.mismatch(load.made[i], load.now_ms() - 20);
  }
  CHECK(load.widened().bytes == 13 * kWide);
}

TEST_CASE("one that held a tensor at another time has none", "[anatomy]") {
  Widening load;
  load.add_all({12, 13, 14, 15});
  for (const std::size_t i : {std::size_t{12}, std::size_t{13}}) {
    load.trace.match(load.made[i], load.model, i * kTensorBytes, "f64", 0, 1);
  }
  CHECK(load.widened().bytes == 12 * kWide);
}

TEST_CASE("scratch blocks of the same size and place are not blamed", "[anatomy]") {
  Widening load;
  for (std::uint64_t i = 0; i < kTensors / 2; ++i) {
    load.add_seen(i);
    load.add();
  }
  const auto widened = load.widened();
  CHECK(widened.bytes == kTensors / 2 * kWide);
  CHECK(widened.inferred_blocks == 0);
}

TEST_CASE("blocks of another size or place take no tensor", "[anatomy]") {
  Widening load;
  for (std::uint64_t i = 0; i < 13; ++i) {
    load.add_seen(i);
  }
  load.add(kWide + 4096);
  load.made.push_back(load.block("Other", kWide));
  const auto widened = load.widened();
  CHECK(widened.bytes == 13 * kWide);
}

TEST_CASE("a vector that grows is the place that it is at other times", "[anatomy]") {
  Widening load;
  const auto grows =
      load.trace.stack({"malloc", "Convert loader.cpp:40", "std::vector<Block>::_M_realloc_insert",
                        "std::vector<Block>::emplace_back", "main"});
  const auto fits = load.trace.stack({"malloc", "Convert loader.cpp:40", "std::construct_at<Block>",
                                      "std::vector<Block>::emplace_back", "main"});
  const bool is_one_caller = GENERATE(true, false);
  const auto others = load.trace.stack({"malloc", "Convert loader.cpp:40", "other", "main"});
  for (std::uint64_t i = 0; i < kTensors; ++i) {
    const bool is_growth = (i & (i - 1)) == 0;  // From room for 0, 1, 2, 4, 8 on.
    load.convert = is_growth ? (is_one_caller ? grows : others) : fits;
    if (kLastThree.contains(i)) {
      load.add();
    } else {
      load.add_seen(i);
    }
  }
  CHECK(load.widened().inferred_blocks == (is_one_caller ? 3 : 0));
}

TEST_CASE("in Python the lines are the place, whichever way the interpreter goes", "[anatomy]") {
  const bool is_same_line = GENERATE(true, false);
  CAPTURE(is_same_line);
  Widening load;
  auto& writer = load.trace.writer();
  const auto line = [&](std::uint32_t number) {
    const auto frame =
        writer.add_frame({.offset = number, .language = trace::FrameLanguage::kPython});
    writer.set_locations(frame, {{.function = "load", .file = "/home/load.py", .line = number}});
    return frame;
  };
  const auto stack = [&](trace::FrameId python, std::uint64_t native) {
    const auto outer = writer.add_stack({.parent = trace::kNoStack, .frame = python});
    return writer.add_stack({.parent = outer, .frame = writer.add_frame({.offset = native})});
  };
  const auto seventh = line(7);
  const auto cold = stack(seventh, 1000);
  const auto warm = stack(is_same_line ? seventh : line(8), 2000);
  load.convert = cold;
  for (std::uint64_t i = 0; i < 8; ++i) {
    load.add_seen(i);
  }
  load.convert = warm;
  while (load.made.size() < kTensors) {
    load.add();
  }
  CHECK(load.widened().inferred_blocks == (is_same_line ? 8 : 0));
}

TEST_CASE("what came into a block as soon as the file was read stood there for that", "[anatomy]") {
  const bool is_soon = GENERATE(true, false);
  CAPTURE(is_soon);
  Load load;
  std::vector<std::uint64_t> made;
  for (std::uint64_t i = 0; i < kTensors; ++i) {
    load.trace.tensor(load.model, kTensorBytes / 4, kTensorBytes);
    made.push_back(load.block("Parameter", kTensorBytes));
  }
  std::vector<std::uint64_t> read;
  for (std::uint64_t i = 0; i < kTensors; ++i) {
    read.push_back(load.block("State", kTensorBytes));
    load.trace.read_into(load.model, kTensorBytes, read.back());
    load.trace.origin(read.back(), 0, load.model, i * kTensorBytes, kTensorBytes);
  }
  const std::uint64_t from_ms = load.now_ms() + (is_soon ? 20 : 500);
  for (std::uint64_t i = 0; i < kTensors; ++i) {
    load.trace.match(made[i], load.model, i * kTensorBytes, "", from_ms);
  }
  load.wait_ms(1000);
  load.release(read);
  load.release(made);
  CHECK(findings_of(load.report(), FindingKind::kTwice).size() == (is_soon ? 1 : 0));
}

TEST_CASE("nothing is taken by its place where not all looks were told", "[anatomy]") {
  Widening load;
  load.trace.session.mismatches_complete = false;
  load.add_all(kLastThree);
  CHECK(load.widened().inferred_blocks == 0);
}

TEST_CASE("tensors whose bytes and elements cannot both be true are nobody's place", "[anatomy]") {
  constexpr std::uint64_t kBytes = std::uint64_t{128} << 10U;
  Load load;
  std::vector<std::uint64_t> made;
  const auto stack = load.trace.stack({"malloc", "Convert loader.cpp:40", "main"});
  const std::uint64_t read = load.block("read", kTensorBytes);
  for (std::uint64_t i = 0; i < kTensors; ++i) {
    load.trace.tensor(load.model, kBytes / 4, 1000);
    load.trace.read_into(load.model, kTensorBytes, read);
  }
  load.trace.release(read);
  for (std::uint64_t i = 0; i < kTensors; ++i) {
    made.push_back(load.trace.allocate(kBytes, stack));
    if (i < 4) {
      load.trace.match(made.back(), load.model, 0, "f32");
    }
  }
  load.wait_ms(1000);
  load.release(made);

  CHECK(load.report().anatomy.findings.empty());
}

namespace {

/// Sixteen tensors as the file has them, and one block for each of one place that a loop fills from
/// these, scaled.
struct Scaling : Load {
  Scaling() {
    for (std::uint64_t i = 0; i < kTensors; ++i) {
      trace.tensor(model, kTensorBytes / 4, kTensorBytes, "layer." + std::to_string(i) + ".w");
    }
    read = streamed_tensors();
    for (std::uint64_t i = 0; i < kTensors; ++i) {
      trace.origin(read[i], 0, model, i * kTensorBytes, kTensorBytes);
    }
  }
  /// Every other one is seen.
  void scale(bool are_in_order) {
    for (std::uint64_t i = 0; i < kTensors; ++i) {
      wait_ms(10);
      made.push_back(trace.allocate(kTensorBytes, normalise));
      if (i % 2 == 0) {
        const std::uint64_t tensor = are_in_order ? i : i * 5 % kTensors;
        trace.widened(made.back(), model, tensor * kTensorBytes, "f32", "f32");
      }
    }
  }
  analyzer::Finding twice() {
    wait_ms(1000);
    release(read);
    release(made);
    const auto found = findings_of(report(), FindingKind::kTwice);
    return found.empty() ? analyzer::Finding{} : found[0];
  }
  trace::StackId normalise = trace.stack({"malloc", "Normalise loader.cpp:40", "main"});
  std::vector<std::uint64_t> read;
  std::vector<std::uint64_t> made;
};

}  // namespace

TEST_CASE("of scaled tensors those that were not looked into are due at their place as well",
          "[anatomy]") {
  Scaling load;
  load.scale(true);

  const auto twice = load.twice();

  CHECK(twice.bytes == kModelBytes);
  CHECK(twice.inferred_blocks == kTensors / 2);
  CHECK(twice.peak_without_bytes == kModelBytes);
  CHECK(twice.sentence ==
        "256.0 MiB of the weights are in memory twice at the peak, by the values that 8 blocks "
        "hold, and by the sizes and the place of 8 more: in 16 blocks of Empty (loader.cpp:40) as "
        "in the file, and scaled, shifted or without their signs, in 16 blocks of Normalise "
        "(loader.cpp:40).");
}

TEST_CASE(
    "where the scaled tensors of a place are in no order, or half of it holds others, none "
    "is due",
    "[anatomy]") {
  const bool are_in_order = GENERATE(true, false);
  CAPTURE(are_in_order);
  Scaling load;
  load.scale(are_in_order);
  if (are_in_order) {
    for (std::uint64_t i = 1; i < kTensors; i += 2) {
      load.trace.mismatch(load.made[i], load.now_ms() + 500);
    }
  }

  const auto twice = load.twice();

  CHECK(twice.bytes == kModelBytes / 2);
  CHECK(twice.inferred_blocks == 0);
  CHECK_THAT(twice.sentence, Catch::Contains("by the values that blocks hold"));
}

namespace {

/// A file that lists no tensors, read whole, and blocks of one place that a loop fills from it with
/// float64, one behind the other.
struct Row : Load {
  Row() {
    const auto read = blob();
    trace.origin(read, 0, model, 0, kModelBytes);
  }
  void add() {
    wait_ms(10);
    made.push_back(trace.allocate(kWide, convert));
  }
  void add_seen(std::uint64_t part) {
    add();
    trace.widened(made.back(), model, part * kTensorBytes, "f64", "f32");
  }
  void add_every_other() {
    for (std::uint64_t i = 0; i < kTensors; ++i) {
      if (i % 2 == 0) {
        add_seen(i);
      } else {
        add();
      }
    }
  }
  analyzer::Finding widened() {
    wait_ms(1000);
    release(made);
    const auto found = findings_of(report(), FindingKind::kWidened);
    return found.empty() ? analyzer::Finding{} : found[0];
  }
  trace::StackId convert = trace.stack({"malloc", "Convert loader.cpp:40", "main"});
  std::vector<std::uint64_t> made;
};

}  // namespace

TEST_CASE("blocks between those that hold parts of a file converted hold the parts between",
          "[anatomy]") {
  Row load;
  load.add_every_other();
  // One that nobody saw behind the last part, as a program may go on with something else.
  load.add();
  load.made.pop_back();

  const auto widened = load.widened();

  CHECK(widened.bytes == 2 * kModelBytes);
  CHECK(widened.inferred_blocks == kTensors / 2);
  CHECK(widened.sentence ==
        "512.0 MiB in 16 blocks of Convert (loader.cpp:40) hold f32 of the file as f64, 8 of them "
        "by their values and 8 by their sizes and their place: 8 bytes an element; the file has 4 "
        "bytes an element.");
}

TEST_CASE("the other blocks of a row are not taken for parts of the file where that is not so",
          "[anatomy]") {
  const std::string which = GENERATE("others hold something else", "the parts are in no order",
                                     "less than half were seen", "three were seen");
  CAPTURE(which);
  Row load;
  const std::uint64_t each = which == "less than half were seen" ? 3 : 2;
  const std::uint64_t parts = which == "three were seen" ? 6 : kTensors;
  std::uint64_t seen = 0;
  for (std::uint64_t i = 0; i < parts; ++i) {
    if (i % each == 0) {
      load.add_seen(which == "the parts are in no order" ? i * 5 % kTensors : i);
      ++seen;
    } else {
      load.add();
    }
  }
  if (which == "others hold something else") {
    for (std::uint64_t i = 1; i < kTensors; i += 2) {
      load.trace.mismatch(load.made[i], load.now_ms() + 500);
    }
  }

  const auto widened = load.widened();

  CHECK(widened.bytes == seen * kWide);
  CHECK(widened.inferred_blocks == 0);
}

TEST_CASE("a block of a row that was looked into before its turn may hold its part", "[anatomy]") {
  Row load;
  for (std::uint64_t i = 0; i < kTensors; ++i) {
    if (i % 2 == 0) {
      load.add_seen(i);
    } else {
      load.add();
      load.trace.mismatch(load.made.back(), load.now_ms());
    }
  }
  CHECK(load.widened().inferred_blocks == kTensors / 2);
}
