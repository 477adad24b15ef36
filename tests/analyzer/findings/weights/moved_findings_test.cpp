// Weights of a file without a list of tensors, moved or widened by a loop: for and against.
#include "tests/analyzer/findings/loads.hpp"
#include "tests/support/catch.hpp"

#include <algorithm>

using namespace tidemark;
using analyzer::FindingKind;
using tests::findings_of;
using tests::kModelBytes;
using tests::kTensorBytes;
using tests::kTensors;
using tests::Load;

namespace {

struct Moving : Load {
  void read_as_it_is() {
    whole = blob();
    trace.origin(*whole, 0, model, 0, kModelBytes);
  }
  /// A block for each piece of the file, which a loop fills with it.
  void copy_by_a_loop(const std::string& function = "Unpack") {
    for (std::uint64_t i = 0; i < kTensors; ++i) {
      made.push_back(block(function, kTensorBytes));
      trace.as_in_file(made.back(), model, i * kTensorBytes);
    }
  }
  void turn_round(const std::string& function) {
    for (std::uint64_t i = 0; i < kTensors; ++i) {
      made.push_back(block(function, kTensorBytes));
      trace.widened(made.back(), model, i * kTensorBytes, "f32", "f32be");
    }
  }
  void widen_by_a_loop() {
    for (std::uint64_t i = 0; i < kTensors; ++i) {
      made.push_back(block("Unpack", 2 * kTensorBytes));
      trace.widened(made.back(), model, i * kTensorBytes, "f32", "bf16");
    }
  }
  analyzer::Report all() {
    return report_of_all({whole ? std::vector{*whole} : std::vector<std::uint64_t>(), made});
  }
  std::optional<std::uint64_t> whole;
  std::vector<std::uint64_t> made;
};

}  // namespace

TEST_CASE("what a loop copied beside what was read is there twice", "[anatomy]") {
  Moving load;
  load.read_as_it_is();
  load.copy_by_a_loop();

  const auto found = findings_of(load.all(), FindingKind::kTwice);

  REQUIRE(found.size() == 1);
  CHECK(found[0].title == "two copies of the weights");
  CHECK(found[0].bytes == kModelBytes);
  CHECK(found[0].peak_without_bytes == kModelBytes);
  CHECK(found[0].sentence ==
        "256.0 MiB of the weights are in memory twice at the peak, by the values that blocks hold: "
        "in 1 block of read_file (loader.cpp:40) as in the file, and again in 16 blocks of Unpack "
        "(loader.cpp:40), as a loop copies them.");
}

TEST_CASE("what a second reading brought is not told as a loop's copy", "[anatomy]") {
  Moving load;
  const bool is_read = GENERATE(false, true);
  const bool is_older = GENERATE(false, true);
  CAPTURE(is_read, is_older);
  if (is_read) {
    load.trace.read(load.model, kModelBytes);  // By a stream.
  }
  if (is_older) {
    load.copy_by_a_loop("checksum");
    load.read_as_it_is();
  } else {
    load.read_as_it_is();
    load.copy_by_a_loop("checksum");
  }

  const auto found = findings_of(load.all(), FindingKind::kTwice);

  REQUIRE(found.size() == 1);
  CHECK_THAT(found[0].sentence,
             Catch::EndsWith(!is_read   ? ", as a loop copies them."
                             : is_older ? ", as the file was read twice."
                                        : ", as the file was read twice, or a loop copies them."));
}

TEST_CASE("what a loop widened beside what was read is twice there, and wider", "[anatomy]") {
  Moving load;
  load.read_as_it_is();
  load.widen_by_a_loop();

  const auto report = load.all();
  const auto twice = findings_of(report, FindingKind::kTwice);
  const auto widened = findings_of(report, FindingKind::kWidened);

  REQUIRE(twice.size() == 1);
  CHECK(twice[0].peak_without_bytes == 2 * kModelBytes);
  CHECK(twice[0].remedy == "Converted piece by piece");
  CHECK_THAT(twice[0].sentence,
             Catch::Contains("as f32 in 16 blocks of Unpack (loader.cpp:40), as a loop converts"));
  REQUIRE(widened.size() == 1);
  CHECK(widened[0].peak_without_bytes == 2 * kModelBytes);
  CHECK(widened[0].sentence ==
        "512.0 MiB in 16 blocks of Unpack (loader.cpp:40) hold bf16 of the file as f32, by their "
        "values: 4 bytes an element; the file has 2 bytes an element.");
}

TEST_CASE("of a file with a list of tensors, what begins with none is told by its values",
          "[anatomy]") {
  Moving load;
  for (std::uint64_t i = 0; i < kTensors; ++i) {
    load.trace.tensor(load.model, kTensorBytes / 4, kTensorBytes);
  }
  load.read_as_it_is();
  const bool begins_with_tensors = GENERATE(false, true);
  CAPTURE(begins_with_tensors);
  // Nobody looks at the ends of a mapping: its object has a header.
  constexpr std::uint64_t kHeader = 4096;
  constexpr std::uint64_t kLeftOut = 65'536;
  for (std::uint64_t i = 0; i < kTensors; ++i) {
    load.made.push_back(
        load.block("AllocateArray", 2 * kTensorBytes + kHeader, trace::Lane::kAnon));
    const std::uint64_t offset = i * kTensorBytes;
    load.trace.widened(load.made.back(), load.model, offset + kLeftOut / 2, "f64", "f32");
    if (begins_with_tensors) {
      load.trace.match(load.made.back(), load.model, offset, "f64");
    }
  }

  const auto report = load.all();
  const auto widened = findings_of(report, FindingKind::kWidened);

  REQUIRE(widened.size() == 1);
  CHECK(widened[0].remedy == "With 4 bytes an element");
  CHECK_THAT(widened[0].sentence, begins_with_tensors
                                      ? Catch::Contains("hold 16 tensors of f32 as f64")
                                      : Catch::Contains("hold f32 of the file as f64, by their "
                                                        "values: 8 bytes an element; the file has "
                                                        "4 bytes an element."));
  CHECK(findings_of(report, FindingKind::kTwice).size() == 1);
}

TEST_CASE("numbers in nodes take a node each, whatever their own type takes", "[anatomy]") {
  const std::string type = GENERATE("f64", "f32");
  CAPTURE(type);
  Load load;
  const std::uint64_t whole = load.block("read_file", kModelBytes);
  load.read_whole(whole);
  load.trace.origin(whole, 0, load.model, 0, kModelBytes);
  const std::uint64_t values = load.block("Values", 4 * kModelBytes);
  load.trace.widened(values, load.model, 0, type, "f32", 16);

  const auto report = load.report_of_all({{whole}, {values}});

  const auto twice = findings_of(report, FindingKind::kTwice);
  REQUIRE(twice.size() == 1);
  CHECK(twice[0].bytes == kModelBytes);
  CHECK(twice[0].peak_without_bytes == 4 * kModelBytes);
  CHECK_THAT(twice[0].sentence,
             Catch::EndsWith("as " + type +
                             ", one in 16 bytes each, in 1 block "
                             "of Values (loader.cpp:40), as a loop converts them."));
  const auto widened = findings_of(report, FindingKind::kWidened);
  REQUIRE(widened.size() == 1);
  CHECK(widened[0].bytes == 4 * kModelBytes);
  CHECK(widened[0].peak_without_bytes == 2 * kModelBytes);
  CHECK(widened[0].remedy == "With 4 bytes an element");
  CHECK(widened[0].sentence ==
        "1.00 GiB in 1 block of Values (loader.cpp:40) hold f32 of the file as " + type +
            ", one in 16 bytes each, by their values: 16 bytes an element; the file has 4 bytes an "
            "element.");
}

TEST_CASE("numbers that a loop turns round are there twice, and no wider", "[anatomy]") {
  Moving load;
  load.read_as_it_is();
  load.turn_round("Unpack");
  const auto report = load.all();
  CHECK(findings_of(report, FindingKind::kWidened).empty());
  const auto twice = findings_of(report, FindingKind::kTwice);
  REQUIRE(twice.size() == 1);
  CHECK(twice[0].peak_without_bytes == kModelBytes);
  CHECK(twice[0].remedy == "Converted piece by piece");
  CHECK(twice[0].sentence ==
        "256.0 MiB of the weights are in memory twice at the peak, by the values that blocks hold: "
        "in 1 block of read_file (loader.cpp:40) as in the file, and with the bytes of each number "
        "in the other order in 16 blocks of Unpack (loader.cpp:40), as a loop turns them round.");
}

TEST_CASE("a buffer of which the last piece is being made goes as a whole", "[anatomy]") {
  constexpr std::uint64_t kPieces = 4;
  constexpr std::uint64_t kPiece = kModelBytes / kPieces;
  const std::string what = GENERATE("goes then", "stays", "holds as much else");
  CAPTURE(what);
  Load load;
  const bool is_mostly_else = what == "holds as much else";
  const std::uint64_t whole = load.block("read_file", (is_mostly_else ? 2 : 1) * kModelBytes);
  load.read_whole(whole);
  load.trace.origin(whole, 0, load.model, 0, kModelBytes);
  for (std::uint64_t i = 0; i < kPieces; ++i) {
    const std::uint64_t piece = load.block("Unpack", kPiece);
    if (i + 1 < kPieces) {
      load.trace.widened(piece, load.model, i * kPiece, "f32", "f32be");
    }
  }
  load.wait_ms(what == "stays" ? 1000 : 5);
  load.trace.release(whole);
  load.wait_ms(1000);

  const auto twice = findings_of(load.report(), FindingKind::kTwice);

  REQUIRE(twice.size() == 1);
  const std::uint64_t at_peak = kModelBytes + (is_mostly_else ? 2 : 1) * kModelBytes;
  const bool is_whole = what == "goes then";
  CHECK(twice[0].bytes == (is_whole ? kModelBytes : 3 * kPiece));
  CHECK(twice[0].peak_without_bytes == at_peak - twice[0].bytes);
  CHECK_THAT(twice[0].sentence, Catch::StartsWith("192.0 MiB of the weights"));
  CHECK_THAT(twice[0].sentence,
             Catch::EndsWith(is_whole ? " The other 64.0 MiB of the first go with it, which was "
                                        "gone 5.0 ms after the peak."
                                      : ", as a loop turns them round."));
}

TEST_CASE("of two findings about the same first block the later one says so", "[anatomy]") {
  Moving load;
  load.read_as_it_is();
  load.copy_by_a_loop("Bind");
  load.turn_round("Unpack");
  const auto twice = findings_of(load.all(), FindingKind::kTwice);
  REQUIRE(twice.size() == 2);
  const std::string same = "The first block is that of a finding above, and can go only once.";
  CHECK_THAT(twice[0].sentence, !Catch::Contains(same));
  CHECK_THAT(twice[1].sentence, Catch::EndsWith(same));
}

TEST_CASE("what a buffer widened on the way is as wide as its values, not as in the file",
          "[anatomy]") {
  constexpr std::uint64_t kPieces = 8;
  constexpr std::uint64_t kPiece = kTensorBytes / kPieces;
  const std::string came = GENERATE("widened", "as it is", "again, as it is");
  CAPTURE(came);
  // Half of the buffer is read, all of it is copied out; or all of it is read, as floats.
  const bool is_widened = came == "widened";
  const bool is_full = came == "as it is";
  Moving load;
  const std::uint64_t buffer = load.block("H5D__read", 2 * kPiece);
  for (std::uint64_t i = 0; i < kTensors; ++i) {
    load.made.push_back(load.block("read_doubles", 2 * kTensorBytes));
  }
  for (std::uint64_t i = 0; i < kTensors; ++i) {
    load.trace.part_of_file(load.made[i], 0, 0, load.model, i * kTensorBytes, "f64", "f32",
                            came == "again, as it is" ? load.now_ms() : UINT64_MAX);
  }
  for (std::uint64_t i = 0; i < kTensors; ++i) {
    load.wait_ms(10);
    for (std::uint64_t piece = 0; piece < kPieces; ++piece) {
      load.trace.read_into(load.model, kPiece, buffer);
      load.trace.copy(2 * kPiece, buffer, load.made[i]);
      const std::uint64_t bytes = is_full ? 2 * kPiece : kPiece;
      load.trace.origin(load.made[i], piece * 2 * kPiece, load.model,
                        (i * kPieces + piece) * bytes % kModelBytes, bytes);
    }
  }
  load.trace.release(buffer);
  const auto report = load.all();
  CHECK(findings_of(report, FindingKind::kTwice).empty());
  const auto widened = findings_of(report, FindingKind::kWidened);
  REQUIRE(widened.size() == (is_widened ? 1 : 0));
  if (is_widened) {
    CHECK(widened[0].bytes == 2 * kModelBytes);
    CHECK(widened[0].peak_without_bytes < kModelBytes + kTensorBytes);
    CHECK_THAT(widened[0].sentence,
               Catch::Contains("16 blocks of read_doubles (loader.cpp:40) hold f32 of the file as "
                               "f64, by their values: 8 bytes an element"));
  }
}

TEST_CASE("floats made of such doubles are there twice, beside f64 and not beside the file's own",
          "[anatomy]") {
  Moving load;
  std::vector<std::uint64_t> doubles;
  const std::uint64_t buffer = load.block("H5D__read", kTensorBytes);
  for (std::uint64_t i = 0; i < kTensors; ++i) {
    load.trace.read_into(load.model, kTensorBytes, buffer);
    doubles.push_back(load.block("read_doubles", 2 * kTensorBytes));
    load.trace.widened(doubles.back(), load.model, i * kTensorBytes, "f64", "f32");
    load.trace.origin(doubles.back(), 0, load.model, i * kTensorBytes, kTensorBytes);
  }
  load.trace.release(buffer);
  load.copy_by_a_loop("to_floats");
  const auto found = findings_of(load.report_of_all({doubles, load.made}), FindingKind::kTwice);
  REQUIRE(found.size() == 1);
  CHECK_THAT(found[0].sentence,
             Catch::EndsWith("as f64 in 16 blocks of read_doubles (loader.cpp:40), and in 16 "
                             "blocks of to_floats (loader.cpp:40) as in the file."));
}

TEST_CASE("what was seen of a block before it grew is in it", "[anatomy]") {
  Moving load;
  load.read_as_it_is();
  for (std::uint64_t i = 0; i < kTensors; ++i) {
    const std::uint64_t half = load.block("Unpack", kTensorBytes / 2);
    load.trace.as_in_file(half, load.model, i * kTensorBytes);
    load.made.push_back(load.trace.reallocate(half, kTensorBytes));
  }
  const auto twice = findings_of(load.all(), FindingKind::kTwice);
  REQUIRE(twice.size() == 1);
  CHECK(twice[0].bytes == kModelBytes);
  CHECK(twice[0].peak_without_bytes == kModelBytes);
}

TEST_CASE("a copy of numbers that were turned round is one, and neither is as in the file",
          "[anatomy]") {
  const bool is_also_as_in_file = GENERATE(true, false);
  Moving load;
  load.wait_ms(10);
  load.trace.read(load.model, kModelBytes);
  load.turn_round("Unpack");
  if (is_also_as_in_file) {
    load.copy_by_a_loop("Bind");
  } else {
    load.turn_round("Bind");
  }

  const auto twice = findings_of(load.all(), FindingKind::kTwice);

  REQUIRE(twice.size() == 1);
  CHECK(twice[0].peak_without_bytes == kModelBytes);
  CHECK(twice[0].remedy == "With one of them");
  CHECK(twice[0].sentence ==
        "256.0 MiB of the weights are in memory twice at the peak, by the values that blocks hold: "
        "with the bytes of each number in the other order in 16 blocks of Unpack (loader.cpp:40), "
        "and " +
            std::string(is_also_as_in_file ? "in 16 blocks of Bind (loader.cpp:40) as in the file."
                                           : "again in 16 blocks of Bind (loader.cpp:40), as a "
                                             "loop copies them."));
}

TEST_CASE("big-endian numbers that a loop widens are named so", "[anatomy]") {
  Moving load;
  load.wait_ms(10);
  load.trace.read(load.model, kModelBytes);
  for (std::uint64_t i = 0; i < kTensors; ++i) {
    load.made.push_back(load.block("Unpack", 2 * kTensorBytes));
    load.trace.widened(load.made.back(), load.model, i * kTensorBytes, "f64", "f32be");
  }
  const auto widened = findings_of(load.all(), FindingKind::kWidened);
  REQUIRE(widened.size() == 1);
  CHECK(widened[0].sentence ==
        "512.0 MiB in 16 blocks of Unpack (loader.cpp:40) hold big-endian f32 of the file as f64, "
        "by their values: 8 bytes an element; the file has 4 bytes an element.");
}

TEST_CASE("what holds another part of a file than the copies is left to other findings",
          "[anatomy]") {
  Moving load;
  load.wait_ms(10);
  load.trace.read(load.model, kModelBytes);
  for (const char* const function : {"Parse", "Unpack"}) {
    for (std::uint64_t i = 0; i < kTensors / 2; ++i) {
      load.made.push_back(load.block(function, kTensorBytes));
      load.trace.as_in_file(load.made.back(), load.model, i * kTensorBytes);
    }
  }
  // Most of the peak, no copy of it, and soon gone.
  const std::uint64_t scratch = load.block("Scratch", 2 * kModelBytes);
  load.trace.origin(scratch, 0, load.model, kModelBytes / 2, kModelBytes / 2);
  load.trace.release(scratch);
  const auto report = load.all();
  CHECK(findings_of(report, FindingKind::kTwice).size() == 1);
  const auto short_lived = findings_of(report, FindingKind::kShortLived);
  REQUIRE(short_lived.size() == 1);
  CHECK(short_lived[0].bytes == 2 * kModelBytes);
}

TEST_CASE("what came by small reads is twice there by its values alone", "[anatomy]") {
  Moving load;
  load.wait_ms(10);
  load.trace.read(load.model, kModelBytes);
  load.copy_by_a_loop("Parse");
  load.copy_by_a_loop("Unpack");

  const auto found = findings_of(load.all(), FindingKind::kTwice);

  REQUIRE(found.size() == 1);
  CHECK(found[0].peak_without_bytes == kModelBytes);
  CHECK_THAT(found[0].sentence, Catch::Contains("in 16 blocks of Parse"));
  CHECK_THAT(found[0].sentence, Catch::Contains("again in 16 blocks of Unpack"));
}

TEST_CASE("weights that a loop moved piece by piece are there once", "[anatomy]") {
  Moving load;
  const std::uint64_t piece = load.block("piece", kTensorBytes);
  for (std::uint64_t i = 0; i < kTensors; ++i) {
    load.trace.read_into(load.model, kTensorBytes, piece);
  }
  load.trace.origin(piece, 0, load.model, 0, kTensorBytes);
  const bool is_gone = GENERATE(true, false);
  CAPTURE(is_gone);
  if (is_gone) {
    load.trace.release(piece);
    load.copy_by_a_loop();
  } else {
    load.made.push_back(piece);
    for (std::uint64_t i = 1; i < kTensors; ++i) {
      load.made.push_back(load.block("Unpack", kTensorBytes));
      load.trace.as_in_file(load.made.back(), load.model, i * kTensorBytes);
    }
  }
  CHECK(findings_of(load.all(), FindingKind::kTwice).empty());
}

TEST_CASE("blocks of the same sizes that were not seen to hold the file are not blamed",
          "[anatomy]") {
  Moving load;
  load.read_as_it_is();
  for (std::uint64_t i = 0; i < kTensors; ++i) {
    load.made.push_back(load.block("Gradients", kTensorBytes));
  }
  const std::string seen = GENERATE("nothing", "another file's bytes", "a form not known here");
  CAPTURE(seen);
  const trace::FileId other = load.trace.file("/data/other.bin", kModelBytes);
  for (std::uint64_t i = 0; i < kTensors; ++i) {
    if (seen == "another file's bytes") {
      load.trace.as_in_file(load.made[i], other, i * kTensorBytes);
    } else if (seen != "nothing") {
      load.trace.widened(load.made[i], load.model, i * kTensorBytes, "f128", "bf16");
    }
  }
  const auto report = load.all();
  CHECK(findings_of(report, FindingKind::kTwice).empty());
  CHECK(findings_of(report, FindingKind::kWidened).empty());
}

TEST_CASE("what a vector has room for is not what it holds", "[anatomy]") {
  Moving load;
  load.read_as_it_is();
  for (std::uint64_t i = 0; i < kTensors; ++i) {
    load.made.push_back(load.block("Unpack", kTensorBytes + kTensorBytes / 2));
    load.trace.as_in_file(load.made.back(), load.model, i * kTensorBytes);
  }
  for (const std::uint64_t block : load.made) {
    load.trace.look(block, load.now_ms() + 900, kTensorBytes);
  }

  const auto report = load.all();
  const auto found = findings_of(report, FindingKind::kTwice);

  REQUIRE(found.size() == 1);
  CHECK(found[0].bytes == kModelBytes);
  CHECK(found[0].peak_without_bytes == kModelBytes + kModelBytes / 2);
}

TEST_CASE("weights that were scaled into another block are there twice", "[anatomy]") {
  Moving load;
  load.read_as_it_is();
  load.made.push_back(load.block("Normalise", kModelBytes));
  load.trace.widened(load.made[0], load.model, 0, "f32", "f32");
  SECTION("once") {
    const auto found = findings_of(load.all(), FindingKind::kTwice);
    REQUIRE(found.size() == 1);
    CHECK(found[0].peak_without_bytes == kModelBytes);
    CHECK_FALSE(found[0].peak_with_one_bytes);
    CHECK(found[0].remedy == "Scaled in place");
    CHECK_THAT(found[0].sentence, Catch::Contains("and scaled, shifted or without their signs, in "
                                                  "1 block of Normalise (loader.cpp:40)."));
  }
  SECTION("and once more") {
    load.made.push_back(load.block("Centre", kModelBytes));
    load.trace.widened(load.made[1], load.model, 0, "f32", "f32");
    const auto found = findings_of(load.all(), FindingKind::kTwice);
    REQUIRE(found.size() == 1);
    CHECK(found[0].peak_without_bytes == 2 * kModelBytes);
    CHECK(found[0].copies == 3);
    CHECK(found[0].peak_with_one_bytes == kModelBytes);
  }
}

TEST_CASE("weights that were scaled in place, or piece by piece, are there once", "[anatomy]") {
  Moving load;
  const bool is_in_place = GENERATE(true, false);
  CAPTURE(is_in_place);
  if (is_in_place) {
    load.read_as_it_is();
    load.trace.widened(*load.whole, load.model, 0, "f32", "f32");
  } else {
    for (std::uint64_t i = 0; i < kTensors; ++i) {
      const auto piece = load.block("piece", kTensorBytes);
      load.trace.read_into(load.model, kTensorBytes, piece);
      load.made.push_back(load.block("Normalise", kTensorBytes));
      load.trace.widened(load.made.back(), load.model, i * kTensorBytes, "f32", "f32");
      load.trace.release(piece);
    }
  }
  CHECK(findings_of(load.all(), FindingKind::kTwice).empty());
}

TEST_CASE("whole numbers that were unpacked are wider by what the file has of each", "[anatomy]") {
  Moving load;
  load.read_as_it_is();
  // Of each group of 32 bytes the file has two more for a scale.
  constexpr std::uint64_t kElements = kTensorBytes / 34 * 32;
  for (std::uint64_t i = 0; i < kTensors; ++i) {
    load.made.push_back(load.block("Dequantise", 4 * kElements));
    load.trace.widened(load.made.back(), load.model, i * kTensorBytes, "f32", "i8");
  }
  const auto report = load.all();
  const auto widened = findings_of(report, FindingKind::kWidened);
  REQUIRE(widened.size() == 1);
  CHECK(widened[0].remedy == "With 1.06 bytes an element");
  CHECK_THAT(widened[0].sentence,
             Catch::Contains("hold i8 of the file as f32, by their values: 4 bytes an element; the "
                             "file has 1.06 bytes an element, with their scales."));
  REQUIRE(widened[0].peak_without_bytes);
  CHECK(*widened[0].peak_without_bytes <= 2 * kModelBytes);
  CHECK(*widened[0].peak_without_bytes > 2 * kModelBytes - kTensors * 64);
  const auto twice = findings_of(report, FindingKind::kTwice);
  REQUIRE(twice.size() == 1);
  CHECK(twice[0].remedy == "Converted piece by piece");
  CHECK(twice[0].peak_without_bytes == kTensors * 4 * kElements);
}

TEST_CASE("what lies behind unpacked numbers in the file is not theirs", "[anatomy]") {
  Moving load;
  load.read_as_it_is();
  load.made.push_back(load.block("Dequantise", kModelBytes));
  load.trace.widened(load.made.back(), load.model, 0, "f32", "u8");

  const auto found = findings_of(load.all(), FindingKind::kWidened);

  REQUIRE(found.size() == 1);
  CHECK(found[0].remedy == "With 1 byte an element");
  CHECK(found[0].peak_without_bytes == kModelBytes + kModelBytes / 4);
}

TEST_CASE("of a compressed file the values count, and not what was read of it", "[anatomy]") {
  constexpr std::uint64_t kPacked = kModelBytes / 4;
  Load load;
  const trace::FileId packed = load.trace.file("/models/small/weights.npz", kPacked);
  load.trace.writer().update_file(packed, {.path = "/models/small/weights.npz",
                                           .size = kPacked,
                                           .compressed = true,
                                           .content = "npz",
                                           .unpacked_bytes = kModelBytes});
  const std::uint64_t buffer = load.block("read_zip", tests::kMiB);
  for (std::uint64_t at = 0; at < kPacked; at += tests::kMiB) {
    load.trace.read_into(packed, tests::kMiB, buffer);
  }
  load.trace.origin(buffer, 0, packed, 0, tests::kMiB);
  std::vector<std::uint64_t> all{buffer};
  const bool is_widened = GENERATE(true, false);
  for (std::uint64_t i = 0; i < kTensors; ++i) {
    all.push_back(load.block("read_array", kTensorBytes));
    load.trace.as_in_file(all.back(), packed, i * kTensorBytes);
    all.push_back(load.block("astype", 2 * kTensorBytes));
    if (is_widened) {
      load.trace.widened(all.back(), packed, i * kTensorBytes, "f64", "f32");
    }
  }
  const auto report = load.report_of_all({all}, kPacked);
  const auto twice = findings_of(report, FindingKind::kTwice);
  const auto widened = findings_of(report, FindingKind::kWidened);
  REQUIRE(twice.size() == (is_widened ? 1 : 0));
  REQUIRE(widened.size() == twice.size());
  if (is_widened) {
    CHECK(twice[0].bytes == kModelBytes);
    CHECK(twice[0].peak_without_bytes == 2 * kModelBytes + tests::kMiB);
    CHECK(widened[0].peak_without_bytes == 2 * kModelBytes + tests::kMiB);
  }
}

namespace {

/// Converted as a whole, and changed in place before the peak.
struct ChangedInPlace : Load {
  /// @param offset in the file, of what the block was seen to hold until now.
  void saw(std::uint64_t allocation, std::uint64_t offset, const std::string& type = "f64") {
    wait_ms(10);
    trace.writer().add_packed({.allocation = allocation,
                               .file = model,
                               .offset = offset,
                               .at_ns = now_ms() * 1'000'000,
                               .until_ns = now_ms() * 1'000'000,
                               .type = type,
                               .file_type = "f32"});
  }
  analyzer::Report report_with_peak(const std::vector<std::uint64_t>& blocks) {
    wait_ms(1000);
    const auto later = block("abs", kModelBytes);
    wait_ms(10);
    release({later});
    return report_of_all({blocks});
  }
};

/// Of an earlier instant a finding may say what the block held then.
bool says_changed(const analyzer::Report& report) {
  return std::ranges::any_of(report.anatomy.findings, [](const analyzer::Finding& finding) {
    return finding.sentence.find("given other values") != std::string::npos;
  });
}

}  // namespace

TEST_CASE("what was widened and then changed in place is still wider than in the file",
          "[anatomy]") {
  ChangedInPlace load;
  const auto read = load.blob();
  load.trace.origin(read, 0, load.model, 0, kModelBytes);
  const auto wide = load.block("astype", 2 * kModelBytes);
  load.saw(wide, 0);

  const auto report = load.report_with_peak({read, wide});

  const auto found = findings_of(report, FindingKind::kWidened);
  REQUIRE(found.size() == 1);
  CHECK(found[0].peak_without_bytes == 3 * kModelBytes);
  CHECK(found[0].sentence ==
        "512.0 MiB in 1 block of astype (loader.cpp:40) held f32 of the file as f64, by their "
        "values: 8 bytes an element; the file has 4 bytes an element. The block was given other "
        "values since, as by a change in place.");
  // Other values are not there twice.
  CHECK(findings_of(report, FindingKind::kTwice).empty());
}

TEST_CASE("a buffer that held one part of a file after the other was not changed in place",
          "[anatomy]") {
  ChangedInPlace load;
  const auto read = load.blob();
  const auto buffer = load.block("scratch", kModelBytes);
  load.saw(buffer, 0);
  load.saw(buffer, kModelBytes / 2);
  CHECK_FALSE(says_changed(load.report_with_peak({read, buffer})));
}

TEST_CASE("what a heap of a run-time system held once is not there any more", "[anatomy]") {
  ChangedInPlace load;
  const auto read = load.blob();
  const auto region = load.block("grow", 2 * kModelBytes, trace::Lane::kAnon);
  load.saw(region, 0);
  CHECK_FALSE(says_changed(load.report_with_peak({read, region})));
}
