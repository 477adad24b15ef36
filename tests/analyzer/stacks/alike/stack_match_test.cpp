#include "analyzer/stacks/alike/stack_match.hpp"

#include "tests/support/catch.hpp"

#include <cctype>
#include <chrono>
#include <random>
#include <set>

using namespace tidemark;
using analyzer::ComparableStack;
using analyzer::StackPair;

namespace {

/// Makes the stacks of two builds. A frame is written `function` or `function:line`, one of Python
/// `py function`.
class TwoBuilds {
 public:
  std::vector<ComparableStack> before;
  std::vector<ComparableStack> after;

  std::size_t was(const std::vector<std::string>& functions, std::uint64_t bytes = 1000) {
    return add(before, functions, bytes, "build 1");
  }
  std::size_t is(const std::vector<std::string>& functions,
                 std::uint64_t bytes = 1000,
                 const std::string& build = "build 2") {
    return add(after, functions, bytes, build);
  }
  /// The same of functions in this file.
  void was_in(std::string file, const std::vector<std::string>& functions, std::uint64_t bytes) {
    file_ = std::move(file);
    was(functions, bytes);
  }
  void is_in(std::string file, const std::vector<std::string>& functions, std::uint64_t bytes) {
    file_ = std::move(file);
    is(functions, bytes);
  }
  [[nodiscard]] std::vector<StackPair> pairs() const {
    return analyzer::match_stacks(tree_, before, after);
  }

 private:
  std::size_t add(std::vector<ComparableStack>& stacks,
                  const std::vector<std::string>& functions,
                  std::uint64_t bytes,
                  const std::string& build) {
    std::vector<analyzer::ComparableFrame> frames;
    for (const std::string& text : functions) {
      analyzer::NamedFrame frame;
      const auto colon = text.rfind(':');
      const bool has_line = colon != std::string::npos && colon + 1 < text.size() &&
                            std::isdigit(static_cast<unsigned char>(text[colon + 1])) != 0;
      frame.function = has_line ? text.substr(0, colon) : text;
      frame.is_python = text.starts_with("py ");
      if (frame.is_python && !file_.empty()) {
        frame.function.erase(0, 3);
        frame.file = file_;
      }
      frame.line = has_line ? static_cast<std::uint32_t>(std::stoul(text.substr(colon + 1))) : 0;
      frames.push_back(table_.add(frame, build));
    }
    analyzer::ComparableTree::Path path;
    for (auto frame = frames.rbegin(); frame != frames.rend(); ++frame) {
      path = tree_.called_by(path, *frame);
    }
    stacks.push_back({.lane = trace::Lane::kHeap, .bytes = bytes, .node = path.node});
    return stacks.size() - 1;
  }

  analyzer::FrameTable table_{trace::Definitions{}, trace::Definitions{}};
  analyzer::ComparableTree tree_;
  std::string file_;
};

}  // namespace

TEST_CASE("stacks match through moved lines", "[diff]") {
  TwoBuilds builds;
  builds.was({"malloc", "load:40", "main:10"});
  builds.is({"malloc", "load:57", "main:11"});

  CHECK(builds.pairs() == std::vector<StackPair>{{0, 0, false}});
}

TEST_CASE("other functions, another order and another lane do not match", "[diff]") {
  TwoBuilds builds;
  builds.was({"malloc", "read_whole_file", "load", "main"});
  builds.was({"malloc", "decode", "expand", "main"});
  builds.was({"malloc", "shared"});
  builds.is({"malloc", "read_tensor", "load", "main"});
  builds.is({"malloc", "expand", "decode", "main"});
  builds.is({"malloc", "shared"});
  builds.after.back().lane = trace::Lane::kAnon;

  CHECK(builds.pairs().empty());
}

TEST_CASE("exact names win over names that only are the same without arguments", "[diff]") {
  TwoBuilds builds;
  builds.was({"malloc", "load<float>(int)", "main"});
  builds.was({"malloc", "load<double>(int)", "main"});
  builds.is({"malloc", "load<double>(int)", "main"});
  builds.is({"malloc", "load<half>(int)", "main"});

  CHECK(builds.pairs() == std::vector<StackPair>{{0, 1, false}, {1, 0, false}});
}

TEST_CASE("clones match the function that they were made from", "[diff]") {
  TwoBuilds builds;
  builds.was({"malloc", "load", "main"});
  builds.is({"malloc", "load.constprop.0", "main.cold"});

  CHECK(builds.pairs() == std::vector<StackPair>{{0, 0, false}});
}

TEST_CASE("the way through allocators and containers may differ", "[diff]") {
  TwoBuilds builds;
  builds.was({"operator new(unsigned long)", "std::vector<char>::_M_realloc_insert(char)", "load",
              "main"});
  builds.is({"malloc", "operator new(unsigned long)", "load", "main"});

  CHECK(builds.pairs() == std::vector<StackPair>{{0, 0, false}});
}

TEST_CASE("start-up code below main may differ", "[diff]") {
  TwoBuilds builds;
  builds.was({"malloc", "load", "main", "__libc_start_call_main", "__libc_start_main", "_start"});
  builds.is({"malloc", "load", "main", "__libc_start_main", "?"});

  CHECK(builds.pairs() == std::vector<StackPair>{{0, 0, false}});
}

TEST_CASE("a function that is inlined in one of the builds does not part stacks", "[diff]") {
  TwoBuilds builds;
  builds.was({"malloc", "read_bytes", "load_tensor", "load", "main"});
  builds.was({"malloc", "parse", "main"});
  builds.is({"malloc", "load_tensor", "load", "main"});
  builds.is({"malloc", "parse", "parse_header", "main"});

  CHECK(builds.pairs() == std::vector<StackPair>{{0, 0, true}, {1, 1, true}});
}

TEST_CASE("a function of Python between a request and its caller is inlined in no build",
          "[diff]") {
  TwoBuilds builds;
  // Two lines of one loader: what it makes by another function, and what it asks for itself.
  builds.was({"malloc", "py transpose_head", "py load", "py main", "py <module>"}, 16'000'000);
  builds.is({"malloc", "py load", "py main", "py <module>"}, 4'000);
  // A native function that a Python one calls may be.
  builds.was({"malloc", "fill", "copy", "py widen", "py main"});
  builds.is({"malloc", "copy", "py widen", "py main"});

  CHECK(builds.pairs() == std::vector<StackPair>{{1, 1, true}});
}

TEST_CASE("an asking function keeps its stack when its callers were rearranged", "[diff]") {
  TwoBuilds builds;
  builds.was({"malloc", "NDArray::Empty", "load_tensor", "load_blob", "run", "main"});
  builds.is({"malloc", "NDArray::Empty", "Reader::next", "load_stream", "run", "main"});

  CHECK(builds.pairs() == std::vector<StackPair>{{0, 0, true}});
}

TEST_CASE("stacks that two functions of Python ask for are not similar", "[diff]") {
  TwoBuilds builds;
  builds.was({"malloc", "tensor", "allocate", "py read_model:599", "py run:7"}, 96'000'000);
  builds.is({"malloc", "tensor", "compile", "py compile_model:3", "py run:7"}, 90'000'000);
  SECTION("nor is an equal buffer the same one") {
    builds.after.back().bytes = 96'000'000;
    CHECK(builds.pairs().empty());
  }
  SECTION("nor is another size") {
    CHECK(builds.pairs().empty());
  }
  SECTION("but an arena is, as anybody may need the next one") {
    builds.was({"malloc", "load", "main"}, 200'000'000'000);
    builds.after.back().bytes = 96'000'000;
    CHECK(builds.pairs() == std::vector<StackPair>{{0, 0, true}});
  }
}

TEST_CASE("a script of another name is the same one", "[diff]") {
  TwoBuilds builds;
  builds.was_in("before.py", {"malloc", "tensor", "empty", "py <module>:3"}, 4000);
  builds.is_in("after.py", {"malloc", "tensor", "empty", "grow", "py <module>:5"}, 5000);
  CHECK(builds.pairs() == std::vector<StackPair>{{0, 0, true}});
}

TEST_CASE("two lines that ask in both builds are two calls", "[diff]") {
  TwoBuilds builds;
  builds.was({"malloc", "shift", "add", "py load:12"}, 64'000);
  builds.was({"malloc", "shift", "py load:9"}, 800);
  builds.is({"malloc", "shift", "sub", "py load:9"}, 60'000);
  SECTION("if each does") {
    builds.is({"malloc", "convert", "py load:12"}, 900);
    CHECK(builds.pairs().empty());
  }
  SECTION("else the lines have moved") {
    CHECK(builds.pairs() == std::vector<StackPair>{{0, 0, true}});
  }
}

TEST_CASE("a buffer and a few bytes are not the same call among other callers", "[diff]") {
  TwoBuilds builds;
  builds.was({"malloc", "grow", "a", "run", "main"}, 64'000);
  builds.is({"malloc", "grow", "b", "run", "main"}, 900);
  CHECK(builds.pairs().empty());

  builds.is({"malloc", "grow", "c", "run", "main"}, 1000);
  CHECK(builds.pairs() == std::vector<StackPair>{{0, 1, true}});
}

TEST_CASE("a stack that has little in common came, and the other one went", "[diff]") {
  TwoBuilds builds;
  builds.was({"malloc", "grow", "a", "b", "c", "d", "main"});
  builds.is({"malloc", "grow", "u", "v", "w", "x", "main"});

  CHECK(builds.pairs().empty());
}

TEST_CASE("main alone is not enough to be the same stack", "[diff]") {
  TwoBuilds builds;
  builds.was({"operator new(unsigned long)", "read_whole_file", "load", "main"});
  builds.is({"malloc", "main"});

  CHECK(builds.pairs().empty());
}

TEST_CASE("of two that are as alike the nearest in size is taken", "[diff]") {
  TwoBuilds builds;
  builds.was({"malloc", "grow", "a", "run", "main"}, 5000);
  builds.is({"malloc", "grow", "b", "run", "main"}, 10);
  builds.is({"malloc", "grow", "c", "run", "main"}, 4900);

  CHECK(builds.pairs() == std::vector<StackPair>{{0, 1, true}});
}

TEST_CASE("the calls of one function are paired in the order of their lines", "[diff]") {
  TwoBuilds builds;
  builds.was({"malloc", "load:40", "main"}, 100);
  builds.was({"malloc", "load:44", "main"}, 7000);
  builds.was({"malloc", "load:48", "main"}, 100);
  builds.is({"malloc", "load:52", "main"}, 7000);  // 48 has grown.
  builds.is({"malloc", "load:48", "main"}, 7000);
  builds.is({"malloc", "load:44", "main"}, 100);

  CHECK(builds.pairs() == std::vector<StackPair>{{0, 2, false}, {1, 1, false}, {2, 0, false}});
}

TEST_CASE("a call that was taken out leaves the others their partners", "[diff]") {
  TwoBuilds builds;
  const auto buffer = builds.was({"malloc", "load:40", "main"}, 5'000'000);
  builds.was({"malloc", "load:44", "main"}, 300);
  builds.was({"malloc", "load:48", "main"}, 4'000);
  builds.is({"malloc", "load:44", "main"}, 310);
  builds.is({"malloc", "load:48", "main"}, 4'000);

  const auto pairs = builds.pairs();

  CHECK(pairs == std::vector<StackPair>{{1, 0, false}, {2, 1, false}});
  CHECK(std::ranges::find(pairs, buffer, &StackPair::before) == pairs.end());
}

TEST_CASE("a call that was put in leaves the others their partners", "[diff]") {
  TwoBuilds builds;
  builds.was({"malloc", "load:40", "main"}, 300);
  builds.was({"malloc", "load:44", "main"}, 4'000);
  builds.is({"malloc", "load:40", "main"}, 300);
  builds.is({"malloc", "load:42", "main"}, 5'000'000);
  builds.is({"malloc", "load:46", "main"}, 4'100);

  CHECK(builds.pairs() == std::vector<StackPair>{{0, 0, false}, {1, 2, false}});
}

TEST_CASE("two runs of one build match line by line, whatever their sizes", "[diff]") {
  TwoBuilds builds;
  builds.was({"malloc", "load:40", "main"}, 1);
  builds.was({"malloc", "load:44", "main"}, 9'000);
  builds.is({"malloc", "load:44", "main"}, 1, "build 1");

  CHECK(builds.pairs() == std::vector<StackPair>{{1, 0, false}});
}

TEST_CASE("memory without a stack matches memory without a stack", "[diff]") {
  TwoBuilds builds;
  builds.was({});
  builds.is({"malloc", "main"});
  builds.is({});

  CHECK(builds.pairs() == std::vector<StackPair>{{0, 1, false}});
}

namespace {

/// Stacks of a program with `functions` functions, from a seed: the same seed, the same program.
void fill(TwoBuilds& builds, bool after, unsigned seed, std::size_t stacks, unsigned noise) {
  std::mt19937 shape(seed);
  std::mt19937 change(seed + 1 + noise);
  for (std::size_t i = 0; i < stacks; ++i) {
    std::vector<std::string> functions{"malloc"};
    const auto depth = 3 + shape() % 30;
    for (unsigned d = 0; d < depth; ++d) {
      const auto function = "f" + std::to_string(shape() % 400);
      if (noise == 0 || change() % noise != 0) {
        functions.push_back(function);
      }
    }
    functions.emplace_back("main");
    const std::uint64_t bytes = 1 + shape() % 100'000;
    after ? builds.is(functions, bytes) : builds.was(functions, bytes);
  }
}

}  // namespace

TEST_CASE("no stack has two partners, and partners are of one lane", "[diff]") {
  const auto seed = GENERATE(1U, 2U, 3U, 4U, 5U);
  CAPTURE(seed);
  TwoBuilds builds;
  fill(builds, false, seed, 300, 0);
  fill(builds, true, seed, 350, 9);

  const auto pairs = builds.pairs();

  std::set<std::size_t> before;
  std::set<std::size_t> after;
  for (const StackPair& pair : pairs) {
    CHECK(before.insert(pair.before).second);
    CHECK(after.insert(pair.after).second);
    CHECK(builds.before[pair.before].lane == builds.after[pair.after].lane);
  }
  CHECK(pairs.size() > 200);
  CHECK(pairs == builds.pairs());
}

TEST_CASE("fifty thousand stacks of two builds are matched in seconds", "[diff]") {
  constexpr std::size_t kStacks = 50'000;
  TwoBuilds builds;
  fill(builds, false, 7, kStacks, 0);
  fill(builds, true, 7, kStacks, 12);
  const auto begin = std::chrono::steady_clock::now();

  const auto pairs = builds.pairs();

  // Idle it takes one second; the bound is for a machine that is busy, or slowed by a sanitizer.
  CHECK(std::chrono::steady_clock::now() - begin < std::chrono::seconds(20));
  CHECK(pairs.size() > kStacks * 9 / 10);
}

TEST_CASE("thousands of calls in one function are matched in seconds", "[diff]") {
  constexpr std::size_t kStacks = 20'000;
  TwoBuilds builds;
  for (std::size_t i = 0; i < kStacks; ++i) {
    builds.was({"malloc", "evaluate:" + std::to_string(i), "main"}, i + 1);
    builds.is({"malloc", "evaluate:" + std::to_string(i + 3), "main"}, i + 1);
    builds.was({"malloc", "g" + std::to_string(i), "hot", "main"}, i + 1);
    builds.is({"malloc", "h" + std::to_string(i), "hot", "main"}, i + 1);
  }
  const auto begin = std::chrono::steady_clock::now();

  const auto pairs = builds.pairs();

  CHECK(std::chrono::steady_clock::now() - begin < std::chrono::seconds(20));
  CHECK(pairs.size() == kStacks);
}

TEST_CASE("stacks that are all alike are matched in seconds", "[diff]") {
  constexpr std::size_t kStacks = 10'000;
  std::mt19937 random(11);
  TwoBuilds builds;
  const auto shuffled = [&random](const std::string& own) {
    std::vector<std::string> functions{"malloc", "hot", own};
    for (int i = 0; i < 40; ++i) {
      functions.push_back("f" + std::to_string(random() % 12));
    }
    functions.emplace_back("main");
    return functions;
  };
  for (std::size_t i = 0; i < kStacks; ++i) {
    builds.was(shuffled("g" + std::to_string(i)), i + 1);
    builds.is(shuffled("h" + std::to_string(i)), i + 1);
  }
  const auto begin = std::chrono::steady_clock::now();

  const auto pairs = builds.pairs();

  CHECK(std::chrono::steady_clock::now() - begin < std::chrono::seconds(20));
  CHECK_FALSE(pairs.empty());
}
