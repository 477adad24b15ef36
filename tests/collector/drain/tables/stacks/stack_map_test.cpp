#include "collector/drain/tables/stacks/stack_map.hpp"

#include "tests/collector/drain/event_log.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/session_memory.hpp"

#include <cstddef>
#include <random>
#include <span>

using namespace tidemark;
using trace::StackId;

namespace {

/// The stack table of process 0, written by hand.
struct StackTable {
  std::uint32_t add(std::uint32_t parent, std::uint64_t address) {
    put(++last, parent, address);
    return last;
  }
  std::uint32_t root(std::uint32_t epoch) { return add(wire::kNoNode, wire::kRootMark | epoch); }
  void put(std::uint32_t node, std::uint32_t parent, std::uint64_t address) {
    wire::StackNode& place = memory.map().stack_table(0).nodes()[node];
    place.address = address;
    place.links = parent;
  }
  void load(std::uint64_t begin, std::uint64_t end, std::uint32_t epoch, const std::string& path) {
    map.add_module(
        {.begin = begin, .end = end, .bias = begin, .epoch = epoch, .file = {path, "", ""}});
  }
  std::string text(std::uint32_t node) { return log.stack_text(map.stack(node)); }

  tests::SessionMemory memory;
  tests::EventLog log;
  StackStore store{log};
  StackMap map{memory.map(), 0, store};
  std::uint32_t last = 0;
};

}  // namespace

TEST_CASE("a chain of nodes becomes a stack of modules and offsets", "[stack_map]") {
  StackTable table;
  table.load(0x1000, 0x2000, 1, "/loader");
  table.load(0x5000, 0x6000, 1, "/lib");
  const auto outer = table.add(table.root(1), 0x1010);
  const auto inner = table.add(outer, 0x5020);
  CHECK(table.text(inner) == "/lib+20 < /loader+10");
  CHECK(table.text(outer) == "/loader+10");
  CHECK(table.log.breaches().empty());
}

TEST_CASE("no node, a root and a number out of range are no stack", "[stack_map]") {
  StackTable table;
  const auto root = table.root(1);
  CHECK(table.map.stack(wire::kNoNode) == trace::kNoStack);
  CHECK(table.map.stack(root) == trace::kNoStack);
  CHECK(table.map.stack(wire::kMaxStackNodes) == trace::kNoStack);
  CHECK(table.map.stack(0xffffffff) == trace::kNoStack);
}

TEST_CASE("what was not sampled has the one stack that says so, where stacks are sampled",
          "[stack_map]") {
  StackTable table;
  CHECK(table.map.stack(wire::kUnsampledStack) == trace::kNoStack);

  StackTable sampled;
  sampled.store.sample_stacks();
  CHECK(sampled.map.stack(wire::kUnsampledStack) == trace::kUnsampledStack);
  CHECK(sampled.map.stack(wire::kNoNode) == trace::kNoStack);
  const auto node = sampled.add(sampled.root(1), 0x1010);
  CHECK(sampled.map.stack(node) != trace::kUnsampledStack);
  // The table's next generations have no other.
  sampled.map.change_generation(2, sampled.last);
  CHECK(sampled.map.stack(wire::kUnsampledStack) == trace::kUnsampledStack);
  CHECK(sampled.log.breaches().empty());
}

TEST_CASE("equal stacks under different nodes are one stack", "[stack_map]") {
  StackTable table;
  table.load(0x1000, 0x2000, 1, "/loader");
  const auto root = table.root(1);
  const auto a = table.add(table.add(root, 0x1010), 0x1020);
  const auto b = table.add(table.add(root, 0x1010), 0x1020);
  CHECK(a != b);
  CHECK(table.map.stack(a) == table.map.stack(b));
}

TEST_CASE("modules of one path and two build ids are two", "[stack_map]") {
  StackTable table;
  const auto first = table.store.module({"/lib", "", "aa"}, 0);
  CHECK(table.store.module({"/lib", "", "bb"}, 0) != first);
  CHECK(table.store.module({"/lib", "", "aa"}, 0) == first);
  CHECK(table.store.modules().at(trace::index(first)).build_id == "aa");
  CHECK(table.store.readable_modules().at(trace::index(first)).path == "/lib");
}

TEST_CASE("an address belongs to the module of its stack's epoch", "[stack_map]") {
  StackTable table;
  table.load(0x1000, 0x2000, 1, "/old");
  table.load(0x1000, 0x2000, 2, "/new");
  const auto old_stack = table.add(table.root(1), 0x1010);
  const auto new_stack = table.add(table.root(2), 0x1010);
  CHECK(table.text(old_stack) == "/old+10");
  CHECK(table.text(new_stack) == "/new+10");
}

TEST_CASE("the modules of a later epoch do not reach back", "[stack_map]") {
  StackTable table;
  table.load(0x1000, 0x2000, 1, "/loader");
  const auto outer = table.add(table.root(7), 0x1010);
  CHECK(table.text(outer) == "+1010");
}

TEST_CASE("code outside every module keeps its address", "[stack_map]") {
  StackTable table;
  table.load(0x1000, 0x2000, 1, "/loader");
  const auto root = table.root(1);
  CHECK(table.text(table.add(root, 0xfff)) == "+fff");
  CHECK(table.text(table.add(root, 0x2000)) == "+2000");
  CHECK(table.text(table.add(root, 0x1fff)) == "/loader+fff");
}

TEST_CASE("a cut stack says so where its outer frames would be", "[stack_map]") {
  StackTable table;
  table.load(0x1000, 0x2000, 1, "/loader");
  const auto cut = table.add(table.root(1), wire::kTruncatedMark);
  CHECK(table.text(table.add(cut, 0x1010)) == "/loader+10 < +ffffffffffffffff");
}

TEST_CASE("a broken chain ends at its break", "[stack_map][robustness]") {
  StackTable table;
  table.load(0x1000, 0x2000, 0, "/loader");
  SECTION("at a node that is its own parent") {
    table.put(5, 5, 0x1010);
    table.put(6, 5, 0x1020);
    CHECK(table.text(6) == "/loader+20 < /loader+10");
  }
  SECTION("at a parent behind its child") {
    table.put(5, 6, 0x1010);
    table.put(6, 5, 0x1020);
    CHECK(table.text(6) == "/loader+20 < /loader+10");
  }
  SECTION("at a parent out of range") {
    table.put(5, 0xffffffff, 0x1010);
    CHECK(table.text(5) == "/loader+10");
  }
  SECTION("at a node that was never written") {
    table.put(9, 8, 0x1020);
    CHECK(table.text(9) == "/loader+20 < +0");
  }
}

TEST_CASE("garbage in a stack table is survived", "[stack_map][robustness]") {
  const auto seed = GENERATE(range(1U, 5U));
  CAPTURE(seed);
  std::mt19937_64 random(seed);
  StackTable table;
  for (std::uint32_t node = 0; node < 20'000; ++node) {
    table.put(node,
              static_cast<std::uint32_t>(random() % 3 == 0 ? random() : random() % (node + 1)),
              random() >> (random() % 3 * 8));
  }
  for (int i = 0; i < 20'000; ++i)
    table.map.stack(static_cast<std::uint32_t>(random() % 4 == 0 ? random() : random() % 20'000));
  CHECK(table.log.breaches().empty());
}

TEST_CASE("a Python frame has its function, its file and the line of its instruction",
          "[stack_map]") {
  StackTable table;
  table.load(0x1000, 0x2000, 1, "/python");
  // Two units of line 10, one of line 12, without columns.
  const std::byte lines[]{std::byte{0xe9}, std::byte{0x00}, std::byte{0xe8}, std::byte{0x04}};
  table.map.add_code({.number = 7,
                      .first_line = 10,
                      .table_bytes = 4,
                      .format = wire::LineFormat::kLocations,
                      .text_bytes = 0},
                     "Loader.load", "/srv/load.py");
  table.map.add_code_lines({.number = 7, .begin = 0, .text_bytes = 2}, std::span(lines).first(2));
  table.map.add_code_lines({.number = 7, .begin = 2, .text_bytes = 2}, std::span(lines).last(2));
  const auto outer = table.add(table.root(1), 0x1010);
  const auto first = table.add(outer, wire::name_python_frame(7, 1));
  const auto second = table.add(first, wire::name_python_frame(7, 2));
  const auto evaluator = table.add(second, 0x1020);
  CHECK(table.text(evaluator) ==
        "/python+20 < Loader.load /srv/load.py:12 < Loader.load /srv/load.py:10 < /python+10");
  CHECK(table.log.breaches().empty());
}

TEST_CASE("instructions of one line of Python are one frame", "[stack_map]") {
  StackTable table;
  table.map.add_code({.number = 1, .first_line = 3}, "f", "a.py");
  table.map.add_code({.number = 2, .first_line = 3}, "f", "a.py");
  const auto root = table.root(1);
  const StackId one = table.map.stack(table.add(root, wire::name_python_frame(1, 4)));
  CHECK(table.map.stack(table.add(root, wire::name_python_frame(1, 9))) == one);
  CHECK(table.map.stack(table.add(root, wire::name_python_frame(2, 4))) == one);
}

TEST_CASE("a Python frame of a code object that nobody told of is said to be unknown",
          "[stack_map]") {
  StackTable table;
  const auto node = table.add(table.root(1), wire::name_python_frame(5, 0));
  CHECK(table.text(node) == "(unknown Python function) :0");
}

TEST_CASE("a part of a line table without the part before it is left out", "[stack_map]") {
  StackTable table;
  const std::byte lines[]{std::byte{0xe8}, std::byte{0x04}};
  table.map.add_code(
      {.number = 1, .first_line = 10, .table_bytes = 4, .format = wire::LineFormat::kLocations},
      "f", "a.py");
  table.map.add_code_lines({.number = 1, .begin = 2, .text_bytes = 2}, lines);
  table.map.add_code_lines({.number = 9, .begin = 0, .text_bytes = 2}, lines);
  CHECK(table.text(table.add(table.root(1), wire::name_python_frame(1, 0))) == "f a.py:0");
}
