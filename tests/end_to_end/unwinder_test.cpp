// How stacks are taken: the ways to do it, and that ours is right.
#include "tests/end_to_end/fixture.hpp"
#include "tests/support/catch.hpp"

#include <algorithm>
#include <filesystem>
#include <regex>

using namespace tidemark;
using namespace tidemark::tests;

namespace {

std::uint64_t number_in(std::string digits) {
  std::erase(digits, ',');
  return std::stoull(digits);
}

/// What `--unwinder check` said.
struct Comparison {
  std::uint64_t stacks = 0;
  std::uint64_t different = 0;
  std::uint64_t ended_early = 0;  ///< libunwind's.
};

Comparison comparison_in(const std::string& text) {
  static const std::regex line(
      "([0-9,]+) stacks compared with libunwind's: ([0-9,]+) differ"
      "(?:; of ([0-9,]+) libunwind's end sooner, in code without unwind tables)?");
  std::smatch found;
  if (!std::regex_search(text, found, line))
    FAIL("no comparison in: " << text);
  return {number_in(found[1]), number_in(found[2]), found[3].matched ? number_in(found[3]) : 0};
}

/// A file that takes a compiler many allocations.
constexpr const char* kLargeSource =
    "#include <algorithm>\n#include <iostream>\n#include <map>\n#include <regex>\n"
    "int main() {\n  std::map<std::string, std::regex> all;\n"
    "  for (const auto& [name, expression] : all)\n"
    "    std::cout << std::regex_match(name, expression);\n}\n";

class Unwinders : public EndToEnd {
 public:
  Comparison compare(const Words& words) {
    Words all{"record", "-q", "--unwinder", "check", "-o", trace(), "--"};
    all.insert(all.end(), words.begin(), words.end());
    const Outcome outcome = tidemark(all);
    CAPTURE(words.front(), outcome.err);
    CHECK(outcome.status == 0);
    const Comparison found = comparison_in(outcome.err);
    CHECK(found.different == 0);
    return found;
  }
  /// Of a program that may not be here.
  Comparison compare_if_there(const Words& words) {
    if (std::filesystem::exists(words.front()))
      return compare(words);
    SKIP_TEST(words.front() << " is not installed");
    return {};
  }
};

}  // namespace

TEST_CASE_METHOD(Unwinders, "a million stacks of real programs are as libunwind sees them") {
  std::uint64_t stacks = 0;
  const std::string source = a_file_with(kLargeSource, "large.cpp");
  stacks += compare({"/usr/bin/g++", "-O2", "-c", source, "-o", path("large.o")}).stacks;
  stacks += compare({"/usr/bin/g++", "-O2", "-c", source, "-o", path("large.o")}).stacks;
  CHECK(stacks >= 1'000'000);
  CHECK(compare({"/usr/bin/python3", "-c", "import json, asyncio, unittest, decimal"}).stacks >
        1'000);
  CHECK(compare({"/usr/bin/git", "--version"}).stacks > 10);
  // Code without unwind tables is libunwind's in any case, and not in the count.
  compare_if_there({"/usr/bin/node", "-e", "console.log(Buffer.alloc(1 << 20).length)"});
  compare_if_there({"/usr/bin/java", "-version"});
}

TEST_CASE_METHOD(Unwinders, "stacks in unusual places are as libunwind sees them") {
  for (const char* name :
       {"alternate_stack", "coroutines", "forks", "loads_libraries", "mixed_sizes", "throws"}) {
    CAPTURE(name);
    CHECK(compare(host(name)).stacks > 100);
  }
}

TEST_CASE_METHOD(Unwinders, "where libunwind ends in code without unwind tables is told apart") {
  const Comparison found = compare(host("calls_from_generated_code"));
  CHECK(found.ended_early >= 100);
  CHECK(found.ended_early < found.stacks);
  const Events events(trace());
  CHECK(events.allocations_in("main", 2262) == 100);
  CHECK(events.allocations_in("main", 2263) == 0);
}

TEST_CASE_METHOD(EndToEnd, "by frame pointers alone, a program that keeps them has whole stacks") {
  const std::string deep = host("deep_with_frame_pointers").front();
  const Outcome outcome =
      tidemark({"record", "-q", "--unwinder", "frame-pointer", "-o", trace(), "--", deep});
  CHECK(outcome.status == 0);
  const Events events(trace());
  CHECK(events.allocations(2261) == 25000);
  CHECK(events.allocations_in("descend", 2261) == 25000);
  CHECK(events.allocations_in("main", 2261) > 0);
}

TEST_CASE_METHOD(EndToEnd, "small allocations without a stack are counted all the same") {
  const std::string program = host("deep_recursion").front();
  const Outcome outcome =
      tidemark({"record", "-q", "--stacks-above", "2262", "-o", trace(), "--", program});
  CHECK(outcome.status == 0);
  const Events events(trace());
  for (const std::uint64_t size : {2261U, 2262U}) {
    CHECK(events.allocations(size) == 25000);
    CHECK(events.releases(size) == 25000);
  }
  CHECK(events.allocations_in("descend", 2261) == 0);
  CHECK(events.allocations_in("descend", 2262) == 25000);
}
