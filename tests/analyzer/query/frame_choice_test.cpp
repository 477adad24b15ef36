#include "analyzer/query/frame_choice.hpp"

#include "tests/support/catch.hpp"

#include <string>
#include <vector>

using namespace tidemark;
using analyzer::chosen_stacks;
using analyzer::FrameChoice;
using trace::StackId;

namespace {

/// Stacks of frames that read as one character: a lower-case one is Python's.
struct Stacks {
  /// Outermost first. @return the innermost node.
  StackId add(const std::string& frames) {
    StackId node = trace::kNoStack;
    for (const char frame : frames) {
      node = child(node, frame);
    }
    return node;
  }
  StackId child(StackId parent, char frame) {
    const bool is_python = frame >= 'a';
    const trace::FrameId id{static_cast<std::uint32_t>(tables.frames.size())};
    tables.frames.push_back(
        {trace::kNoModule, static_cast<std::uint64_t>(frame),
         is_python ? trace::FrameLanguage::kPython : trace::FrameLanguage::kNative});
    tables.stacks.push_back({parent, id});
    return StackId{static_cast<std::uint32_t>(tables.stacks.size() - 1)};
  }
  [[nodiscard]] std::string read(StackId stack, FrameChoice choice) const {
    const auto stacks = chosen_stacks(tables, choice);
    std::string frames;
    for (; stack != trace::kNoStack; stack = stacks[trace::index(stack)].parent) {
      const trace::FrameId frame = stacks[trace::index(stack)].frame;
      frames.insert(frames.begin(), static_cast<char>(tables.frames[trace::index(frame)].offset));
    }
    return frames;
  }

  trace::Definitions tables{.names = {},
                            .processes = {},
                            .threads = {},
                            .modules = {{}},
                            .frames = {},
                            .stacks = {{}},
                            .locations = {},
                            .files = {},
                            .tensors = {},
                            .looks = {},
                            .origins = {},
                            .matches = {},
                            .mismatches = {},
                            .packed = {},
                            .heap_looks = {},
                            .alike = {},
                            .joined = {},
                            .session = {}};
};

}  // namespace

TEST_CASE("Python frames stand in place of the evaluator that runs them", "[frame_choice]") {
  Stacks stacks;
  // main, a run of two frames, their evaluator, a call into C, another run, its evaluator, malloc.
  const auto whole = stacks.add("MabECdEX");
  CHECK(stacks.read(whole, FrameChoice::kBoth) == "MabCdX");
  CHECK(stacks.read(whole, FrameChoice::kPython) == "abd");
  CHECK(stacks.read(whole, FrameChoice::kNative) == "MECEX");
}

TEST_CASE("an allocation by the evaluator itself is its Python frame's", "[frame_choice]") {
  Stacks stacks;
  const auto in_evaluator = stacks.add("MaE");
  CHECK(stacks.read(in_evaluator, FrameChoice::kBoth) == "Ma");
  CHECK(stacks.read(in_evaluator, FrameChoice::kPython) == "a");
  CHECK(stacks.read(in_evaluator, FrameChoice::kNative) == "ME");
}

TEST_CASE("a stack without Python frames reads the same under every choice", "[frame_choice]") {
  Stacks stacks;
  const auto outer = stacks.add("MX");
  stacks.child(outer, 'a');
  for (const auto choice : {FrameChoice::kBoth, FrameChoice::kPython, FrameChoice::kNative}) {
    CHECK(stacks.read(outer, choice) == "MX");
  }
}

TEST_CASE("a stack that was cut outside of its Python frames keeps them", "[frame_choice]") {
  Stacks stacks;
  const auto cut = stacks.add("abEX");
  CHECK(stacks.read(cut, FrameChoice::kBoth) == "abX");
  CHECK(stacks.read(cut, FrameChoice::kPython) == "ab");
}

TEST_CASE("only what has Python frames has a choice", "[frame_choice]") {
  Stacks stacks;
  stacks.add("MX");
  CHECK_FALSE(analyzer::has_python_frames(stacks.tables));
  stacks.add("Ma");
  CHECK(analyzer::has_python_frames(stacks.tables));
}

namespace {

/// A function that asks for memory, for so many callers of their own.
struct WayToMalloc : Stacks {
  explicit WayToMalloc(std::size_t callers, const std::string& name = {}) {
    const trace::FrameId way{static_cast<std::uint32_t>(tables.frames.size())};
    tables.frames.push_back({trace::kNoModule, 'W', trace::FrameLanguage::kNative});
    if (!name.empty()) {
      tables.locations.push_back({{.function = name, .file = {}, .line = 0}});
    }
    for (std::size_t i = 0; i < callers; ++i) {
      const StackId caller = add("MC");
      tables.stacks.push_back({caller, way});
      last = StackId{static_cast<std::uint32_t>(tables.stacks.size() - 1)};
    }
  }
  StackId last{0};
};

}  // namespace

TEST_CASE("a function without a name that asks on behalf of many reads as its caller",
          "[frame_choice]") {
  const WayToMalloc ruby(8);
  CHECK(analyzer::has_nameless_ways(ruby.tables));
  CHECK(ruby.read(ruby.last, FrameChoice::kBoth) == "MC");
  CHECK(ruby.read(ruby.last, FrameChoice::kPython) == "MC");
  CHECK(ruby.read(ruby.last, FrameChoice::kNative) == "MCW");
}

TEST_CASE("a function that asks for few, or has a name, or calls others, is what it is",
          "[frame_choice]") {
  const WayToMalloc few(7);
  CHECK_FALSE(analyzer::has_nameless_ways(few.tables));
  CHECK(few.read(few.last, FrameChoice::kBoth) == "MCW");
  const WayToMalloc named(8, "load_tensor");
  CHECK_FALSE(analyzer::has_nameless_ways(named.tables));
  CHECK(named.read(named.last, FrameChoice::kBoth) == "MCW");
  WayToMalloc outer(8);
  const auto inner = outer.child(outer.last, 'X');
  CHECK(outer.read(inner, FrameChoice::kBoth) == "MCWX");
}
