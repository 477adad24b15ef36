// A document of small objects that went when the model was made of it, for and against.

#include "tests/analyzer/findings/loads.hpp"
#include "tests/support/catch.hpp"

using namespace tidemark;
using analyzer::FindingKind;
using tests::findings_of;
using tests::kMiB;
using tests::kModelBytes;
using tests::Load;

namespace {

constexpr std::uint64_t kObjects = 64'000;
constexpr std::uint64_t kObjectBytes = 1000;
constexpr std::uint64_t kMadeBytes = 40 * kMiB;
constexpr std::uint64_t kListBytes = 64 * kMiB;

/// Each of them with a stack of its own place.
std::vector<std::uint64_t> objects(Load& load,
                                   std::uint64_t count = kObjects,
                                   std::uint64_t bytes = kObjectBytes) {
  load.wait_ms(10);
  const trace::StackId stack =
      load.trace.at_ms(load.now_ms()).stack({"malloc", "parse_node json.cpp:7", "main"});
  std::vector<std::uint64_t> blocks;
  for (std::uint64_t i = 0; i < count; ++i) {
    blocks.push_back(load.trace.allocate(bytes, stack));
  }
  return blocks;
}

/// A program that goes on for a while.
void go_on(Load& load) {
  load.wait_ms(1000);
  (void)load.block("use", 1);
}

}  // namespace

TEST_CASE("a document that goes while what was made of it stays is parsed", "[anatomy]") {
  Load load;
  (void)load.blob();
  const auto document = objects(load);
  (void)load.block("build", kMadeBytes);
  load.release(document);
  go_on(load);

  const auto found = findings_of(load.report(), FindingKind::kParsed);

  REQUIRE(found.size() == 1);
  CHECK(found[0].bytes == kObjects * kObjectBytes);
  CHECK(found[0].peak_without_bytes == kModelBytes + kMadeBytes + 1);
  CHECK_THAT(
      found[0].sentence,
      Catch::Contains("61.0 MiB in 64,000 blocks of parse_node (json.cpp:7), 0.2 bytes for "
                      "each byte of the model, came since it was first read and were gone by"));
  CHECK_THAT(found[0].sentence, Catch::Contains("while 40.0 MiB that had come with them stayed."));
}

TEST_CASE("what came after all that stays was not what that was made of", "[anatomy]") {
  // A transducer that is read, and one that is made of it to look things up in, which a program
  // tears down first, block by block.
  Load load;
  (void)load.blob();
  const bool is_read_first = GENERATE(true, false);
  const auto read = [&load] {
    load.wait_ms(10);
    const auto stack = load.trace.stack({"malloc", "read_state fst.cpp:3", "main"});
    for (std::uint64_t i = 0; i < kObjects; ++i)
      (void)load.trace.allocate(kObjectBytes, stack);
  };
  if (is_read_first)
    read();
  const auto document = objects(load);
  if (!is_read_first)
    read();
  load.release(document);
  go_on(load);
  CHECK(findings_of(load.report(), FindingKind::kParsed).empty() == is_read_first);
}

TEST_CASE("small objects that stay, or with which all goes, may be the model", "[anatomy]") {
  Load load;
  const bool is_made = GENERATE(true, false);
  CAPTURE(is_made);
  const auto blob = load.blob();
  const auto document = objects(load);
  if (is_made) {
    (void)load.block("build", kMadeBytes);
  } else {
    (void)load.block("crumbs", kMiB);
    load.release(document);
  }
  load.release({blob});
  go_on(load);

  CHECK(findings_of(load.report(), FindingKind::kParsed).empty());
}

TEST_CASE("objects that stood before the load, or large ones, are no document", "[anatomy]") {
  Load load;
  const bool stood_before = GENERATE(true, false);
  CAPTURE(stood_before);
  std::vector<std::uint64_t> blocks;
  if (stood_before) {
    blocks = objects(load);
  }
  (void)load.blob();
  if (!stood_before) {
    blocks = objects(load, 16'000, 4096);
  }
  (void)load.block("build", kMadeBytes);
  load.release(blocks);
  go_on(load);

  CHECK(findings_of(load.report(), FindingKind::kParsed).empty());
}

TEST_CASE("what goes soon after a document need not have been made of it", "[anatomy]") {
  Load load;
  const auto [file_bytes, stays_ms, is_made] = GENERATE(table<std::uint64_t, std::uint64_t, bool>({
      // Less than the file, it may be the model: what was made of it stays for as long as it came.
      {kModelBytes, 1000, true},
      {kModelBytes, 60, false},
      // More than that: for half as long as it goes.
      {16 * kMiB, 300, true},
      {16 * kMiB, 20, false},
  }));
  CAPTURE(file_bytes, stays_ms);
  load.model = load.trace.file("/models/words.json", file_bytes);
  load.wait_ms(10);
  load.trace.read(load.model, file_bytes);
  load.wait_ms(100);
  const auto document = objects(load);
  const auto made = load.block("build", kMadeBytes);
  load.wait_ms(10);
  const auto half = static_cast<std::ptrdiff_t>(document.size() / 2);
  load.release({document.begin(), document.begin() + half});
  load.wait_ms(100);
  load.release({document.begin() + half, document.end()});
  load.wait_ms(stays_ms);
  load.release({made});
  load.wait_ms(10);
  (void)load.block("end", 1);

  CHECK(findings_of(load.report(file_bytes), FindingKind::kParsed).size() == (is_made ? 1 : 0));
}

namespace {

/// The list of all objects: asked for by the line that asks for them, called from elsewhere.
std::uint64_t list_of_all(Load& load, const std::string& asker) {
  load.wait_ms(10);
  return load.trace.allocate(kListBytes, load.trace.stack({"malloc", asker, "parse_root", "main"}));
}

}  // namespace

TEST_CASE("what a document's own line took for its lists is part of it", "[anatomy]") {
  Load load;
  const auto [asker, is_read_into, stays, listed] = GENERATE(table<std::string, bool, bool, bool>({
      {"parse_node json.cpp:7", false, false, true},
      {"parse_node json.cpp:7", true, false, false},
      {"parse_node json.cpp:7", false, true, false},
      {"parse_root json.cpp:90", false, false, false},
  }));
  CAPTURE(asker, is_read_into, stays);
  (void)load.blob();
  const auto document = objects(load);
  const auto list = list_of_all(load, asker);
  if (is_read_into) {
    load.trace.read_into(load.model, kListBytes, list);
  }
  (void)load.block("build", kMadeBytes);
  load.release(document);
  load.wait_ms(1);
  if (!stays) {
    load.trace.release(list);
  }
  go_on(load);

  const auto found = findings_of(load.report(), FindingKind::kParsed);

  REQUIRE(found.size() == 1);
  CHECK(found[0].bytes == kObjects * kObjectBytes + (listed ? kListBytes : 0));
}

TEST_CASE("a document of many small objects is none for one large block more", "[anatomy]") {
  Load load;
  (void)load.blob();
  const auto document = objects(load, 900);
  const auto list = list_of_all(load, "parse_node json.cpp:7");
  (void)load.block("build", kMadeBytes);
  load.release(document);
  load.trace.release(list);
  go_on(load);

  CHECK(findings_of(load.report(), FindingKind::kParsed).empty());
}

TEST_CASE("the peak without all that findings name is without all documents", "[anatomy]") {
  Load load;
  (void)load.blob();
  const auto document = objects(load);
  const trace::StackId stack = load.trace.stack({"malloc", "copy_node json.cpp:30", "main"});
  std::vector<std::uint64_t> copy;
  for (std::uint64_t i = 0; i < kObjects; ++i) {
    copy.push_back(load.trace.allocate(kObjectBytes, stack));
  }
  (void)load.block("build", kMadeBytes);
  const auto more = load.block("scratch", kModelBytes / 2);
  load.release(document);
  load.release(copy);
  go_on(load);
  load.trace.release(more);

  const auto report = load.report();

  CHECK(findings_of(report, FindingKind::kParsed).size() == 2);
  CHECK(report.anatomy.peak_without_all_bytes == kModelBytes + kMadeBytes + kModelBytes / 2 + 1);
}

namespace {

constexpr std::uint64_t kArrays = 8;
constexpr std::uint64_t kArrayBytes = 16 * kMiB;

trace::StackId array_line(Load& load) {
  return load.trace.stack({"malloc", "parse_array json.cpp:50", "main"});
}

/// So many arrays, in step with the file.
std::vector<std::uint64_t> arrays_as_read(Load& load,
                                          std::uint64_t bytes = kArrayBytes,
                                          std::uint64_t count = kArrays) {
  std::vector<std::uint64_t> arrays;
  for (std::uint64_t i = 0; i < kArrays; ++i) {
    load.wait_ms(10);
    load.trace.read(load.model, kModelBytes / kArrays);
    load.wait_ms(1);
    if (arrays.size() * kArrays < (i + 1) * count) {
      arrays.push_back(load.trace.allocate(bytes, array_line(load)));
    }
  }
  return arrays;
}

/// The same out of a file that has been read, each of them in so many steps.
std::vector<std::uint64_t> arrays_in_steps(Load& load, std::uint64_t steps) {
  std::vector<std::uint64_t> arrays;
  for (std::uint64_t i = 0; i < kArrays; ++i) {
    load.wait_ms(10);
    auto array = load.trace.allocate(kArrayBytes >> steps, array_line(load));
    for (std::uint64_t step = steps; step > 0; --step) {
      array = load.trace.reallocate(array, kArrayBytes >> (step - 1), array_line(load));
    }
    arrays.push_back(array);
  }
  return arrays;
}

/// The findings, where the file is known to be text or not.
std::vector<analyzer::Finding> parsed_of(Load& load, const std::string& content) {
  const std::string path = "/models/small/model.params";
  load.trace.writer().update_file(load.model,
                                  {.path = path, .size = kModelBytes, .content = content});
  auto loaded = load.trace.open();
  analyzer::ReportOptions options;
  options.model = path;
  const auto report = analyzer::build_report(loaded, options);
  REQUIRE(report.ok());
  REQUIRE(report.value().model.bytes == kModelBytes);
  return findings_of(report.value(), FindingKind::kParsed);
}

}  // namespace

TEST_CASE("arrays that come as the file is read and go once something is made are parsed",
          "[anatomy]") {
  Load load;
  const auto document = arrays_as_read(load);
  (void)load.block("build", kMadeBytes);
  load.release(document);
  go_on(load);

  const auto found = parsed_of(load, "text");

  REQUIRE(found.size() == 1);
  CHECK(found[0].title == "a document of arrays");
  CHECK(found[0].bytes == kArrays * kArrayBytes);
  CHECK(found[0].peak_without_bytes == kMadeBytes + 1);
  CHECK_THAT(found[0].sentence,
             Catch::Contains("128.0 MiB in 8 blocks of parse_array (json.cpp:50), 0.5 bytes for "
                             "each byte of the model, came as it was read and were gone by"));
  CHECK_THAT(found[0].sentence,
             Catch::Contains("No read of the file, nor a copy from it, into them "
                             "was seen."));
}

TEST_CASE("arrays that grow out of a file that was read are parsed, and workspace is not",
          "[anatomy]") {
  Load load;
  const auto [steps, parsed] =
      GENERATE(table<std::uint64_t, std::size_t>({{3, 1}, {2, 0}, {0, 0}}));
  CAPTURE(steps);
  (void)load.blob();
  const auto document = arrays_in_steps(load, steps);
  (void)load.block("build", kMadeBytes);
  load.release(document);
  go_on(load);

  const auto found = parsed_of(load, "text");

  REQUIRE(found.size() == parsed);
  for (const auto& finding : found) {
    CHECK_THAT(finding.sentence, Catch::Contains("grew step by step since it was first read"));
  }
}

TEST_CASE("numbers that are read into the arrays of the model are no document", "[anatomy]") {
  Load load;
  const auto arrays = arrays_as_read(load);
  const auto life = GENERATE(as<std::string>{}, "to the end", "with all", "used", "read into");
  CAPTURE(life);
  if (life == "read into") {
    for (const std::uint64_t array : arrays) {
      load.trace.read_into(load.model, kArrayBytes, array);
    }
  }
  if (life == "used") {
    load.wait_ms(500);
  }
  const auto made = load.block("results", life == "with all" ? kMiB : kMadeBytes);
  if (life != "to the end") {
    load.release(arrays);
  }
  go_on(load);
  load.trace.release(made);

  CHECK(parsed_of(load, "text").empty());
}

TEST_CASE("what of a document's file is left was not made of it", "[anatomy]") {
  Load load;
  load.trace.read(load.model, 4096);
  const auto blob = load.blob();
  const auto arrays = arrays_in_steps(load, 3);
  (void)load.block("little", kMiB);
  load.release(arrays);
  go_on(load);
  load.trace.release(blob);

  CHECK(parsed_of(load, "text").empty());
}

TEST_CASE("the file itself, that small objects stand beside, was not made of them", "[anatomy]") {
  Load load;
  load.trace.read(load.model, 4096);
  const auto blob = load.blob();
  const auto index = objects(load);
  const bool is_made = GENERATE(true, false);
  CAPTURE(is_made);
  (void)load.block("build", is_made ? kMadeBytes : kMiB);
  load.wait_ms(10);
  load.release(index);
  go_on(load);
  load.trace.release(blob);

  CHECK(findings_of(load.report(), FindingKind::kParsed).size() == (is_made ? 1 : 0));
}

TEST_CASE("arrays of which there are few, or that came before the file, are no document",
          "[anatomy]") {
  Load load;
  const bool are_few = GENERATE(true, false);
  CAPTURE(are_few);
  const auto arrays =
      are_few ? arrays_as_read(load, 8 * kArrayBytes / 3, 3) : arrays_in_steps(load, 0);
  if (!are_few) {
    load.trace.read(load.model, kModelBytes);
  }
  (void)load.block("build", kMadeBytes);
  load.release(arrays);
  go_on(load);

  CHECK(parsed_of(load, "text").empty());
}

TEST_CASE("arrays that were made of bytes may be the model, those of a text are made on from",
          "[anatomy]") {
  Load load;
  const auto content = GENERATE(as<std::string>{}, "", "text");
  CAPTURE(content);
  const auto document = arrays_as_read(load);
  (void)load.block("build", kMadeBytes);
  load.release(document);
  go_on(load);

  CHECK(parsed_of(load, content).size() == (content == "text" ? 1 : 0));
}

TEST_CASE("the list of small objects is not what was made of them", "[anatomy]") {
  // A vector of vectors, as it is destroyed.
  Load load;
  load.trace.read(load.model, kModelBytes);
  load.wait_ms(10);
  const bool is_list = GENERATE(true, false);
  CAPTURE(is_list);
  const trace::StackId stack =
      load.trace.stack({"malloc", is_list ? "parse_node json.cpp:7" : "build json.cpp:9", "grow"});
  const auto staying = load.trace.allocate(kMadeBytes, stack);
  const auto document = objects(load);
  load.wait_ms(10);
  load.release(document);
  go_on(load);
  load.trace.release(staying);

  CHECK(findings_of(load.report(), FindingKind::kParsed).size() == (is_list ? 0 : 1));
}
