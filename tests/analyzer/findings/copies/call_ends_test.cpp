#include "tests/analyzer/findings/loads.hpp"

#include <catch2/catch.hpp>

#include <cstdint>
#include <map>
#include <string>

namespace tidemark {
namespace {

using analyzer::FindingKind;
using tests::findings_of;
using tests::kModelBytes;
using tests::Load;

/// A load whose lines may be Python's: `save load.py:6`.
class CallingLoad : public Load {
 public:
  std::uint64_t block_of(const std::string& line, std::uint64_t size) {
    wait_ms(10);
    return trace.allocate(size, stack_of(line));
  }
  void copy(std::uint64_t bytes, std::uint64_t from, std::uint64_t to, const std::string& line) {
    wait_ms(10);
    trace.copy(bytes, from, to, stack_of(line));
  }
  std::uint64_t copy_of(std::uint64_t block, const std::string& line) {
    const auto copied = block_of(line, kModelBytes);
    copy(kModelBytes, block, copied, line);
    return copied;
  }
  /// The model is copied to a buffer, and from there to a result, while it is held.
  void serialize(const std::string& line, const std::string& result_line) {
    const auto source = blob();
    const auto buffer = copy_of(source, line);
    copy_of(buffer, result_line);
    trace.release(buffer);
  }
  /// A second later the peak comes, with so much more.
  analyzer::Report report_with(std::uint64_t more) {
    wait_ms(1000);
    block("activations", more);
    return report();
  }

 private:
  /// A recording has each stack once.
  trace::StackId stack_of(const std::string& line) {
    const auto [known, is_new] = stacks_.try_emplace(line);
    if (is_new) {
      known->second = trace.stack({"malloc", "make_bytes", line, "main"});
    }
    return known->second;
  }

  std::map<std::string, trace::StackId> stacks_;
};

}  // namespace

TEST_CASE("what a call from Python was given can go once it has made its last copy", "[anatomy]") {
  CallingLoad load;
  load.serialize("save load.py:6", "save load.py:6");

  const auto held =
      findings_of(load.report_with(kModelBytes + kModelBytes / 2), FindingKind::kHeld);

  REQUIRE(held.size() == 1);
  // Model, buffer and result, all within the call.
  CHECK(held[0].peak_without_bytes == 3 * kModelBytes);
  CHECK_THAT(held[0].sentence, Catch::Contains(", in a call that made its last copy of them at ") &&
                                   Catch::Contains(", and still alive at the peak, 1.0 s later."));
}

TEST_CASE("what code of the program itself copies twice can go after the first copy", "[anatomy]") {
  CallingLoad load;
  const auto [line, result_line] = GENERATE(table<std::string, std::string>(
      {{"save load.cpp:6", "save load.cpp:6"}, {"save load.py:6", "save load.py:7"}}));
  load.serialize(line, result_line);

  const auto held =
      findings_of(load.report_with(kModelBytes + kModelBytes / 2), FindingKind::kHeld);

  REQUIRE(held.size() == 1);
  CHECK(held[0].peak_without_bytes == 2 * kModelBytes + kModelBytes / 2);
  CHECK_THAT(held[0].sentence, !Catch::Contains("in a call"));
}

TEST_CASE("what a call that goes on at the peak was given is not held for nothing", "[anatomy]") {
  CallingLoad load;
  const std::string line = GENERATE(as<std::string>{}, "save load.py:6", "save load.cpp:6");
  const auto source = load.blob();
  const auto buffer = load.copy_of(source, line);
  const auto result = load.block_of(line, kModelBytes);  // The peak.
  load.copy(kModelBytes, buffer, result, line);
  load.release({source, buffer});

  const auto held = findings_of(load.report(), FindingKind::kHeld);

  CHECK(held.size() == (line == "save load.cpp:6" ? 1 : 0));
}

TEST_CASE("a line that runs again after other lines did is another call", "[anatomy]") {
  CallingLoad load;
  const std::string append = "load_all load.py:8";
  const auto read = [&] {
    const auto part = load.block_of("read load.py:5", kModelBytes / 2);
    load.trace.read_into(load.model, kModelBytes / 2, part);
    return part;
  };
  const auto first = read();
  const auto half = load.block_of(append, kModelBytes / 2);
  load.copy(kModelBytes / 2, first, half, append);
  const auto second = read();
  const auto whole = load.block_of(append, kModelBytes);
  load.copy(kModelBytes / 2, half, whole, append);
  load.copy(kModelBytes / 2, second, whole, append);
  load.trace.release(half);

  const auto held =
      findings_of(load.report_with(kModelBytes + kModelBytes / 4), FindingKind::kHeld);

  REQUIRE(held.size() == 1);
  // The first part is not needed for the growth of what it was appended to.
  CHECK(held[0].peak_without_bytes == 2 * kModelBytes + kModelBytes / 4);
  CHECK_THAT(held[0].sentence, !Catch::Contains("in a call"));
}

TEST_CASE("what a call asked for itself is its own to free", "[anatomy]") {
  CallingLoad load;
  const std::string line = "save load.py:6";
  const auto source = load.blob();
  const auto first = load.copy_of(source, line);
  load.trace.release(source);
  const auto second = load.copy_of(first, line);
  load.copy_of(second, line);
  load.trace.release(second);

  const auto held =
      findings_of(load.report_with(kModelBytes + kModelBytes / 2), FindingKind::kHeld);

  REQUIRE(held.size() == 1);
  CHECK(held[0].peak_without_bytes == 2 * kModelBytes + kModelBytes / 2);
}

}  // namespace tidemark
