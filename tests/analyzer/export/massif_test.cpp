#include "analyzer/export/massif.hpp"

#include "tests/analyzer/sample_loads.hpp"
#include "tests/support/catch.hpp"

#include <sstream>

using namespace tidemark;
using tests::TraceBuilder;

namespace {

std::string massif_of(TraceBuilder& builder, std::optional<std::uint64_t> at_ns = std::nullopt) {
  auto trace = builder.open();
  return exports::massif_text(trace, {.begin_ns = 0, .end_ns = trace.duration_ns()}, at_ns);
}

std::size_t count_of(const std::string& text, const std::string& part) {
  std::size_t count = 0;
  for (auto at = text.find(part); at != std::string::npos; at = text.find(part, at + 1)) {
    ++count;
  }
  return count;
}

/// The lines of the tree of the snapshot marked as the peak.
std::vector<std::string> peak_tree(const std::string& massif) {
  std::istringstream text(massif.substr(massif.find("heap_tree=peak")));
  std::vector<std::string> lines;
  std::string line;
  std::getline(text, line);
  while (std::getline(text, line) && line[0] != '#') {
    lines.push_back(line);
  }
  return lines;
}

/// Reads a subtree from line `next` on and checks that it is as long as its nodes say, and that no
/// node holds less than its children. @return its bytes.
std::uint64_t check_tree(const std::vector<std::string>& lines,
                         std::size_t& next,
                         std::size_t depth) {
  REQUIRE(next < lines.size());
  const std::string line = lines[next++];
  CAPTURE(line);
  REQUIRE(line.substr(0, depth + 1) == std::string(depth, ' ') + 'n');
  const auto colon = line.find(": ");
  const auto children = std::stoul(line.substr(depth + 1));
  const std::uint64_t bytes = std::stoull(line.substr(colon + 2));
  std::uint64_t below = 0;
  for (std::size_t i = 0; i < children; ++i) {
    below += check_tree(lines, next, depth + 1);
  }
  CHECK(below <= bytes);
  return bytes;
}

}  // namespace

TEST_CASE("massif: exactly one snapshot is the peak, and it is the footprint's", "[export]") {
  TraceBuilder trace;
  tests::append_naive_load(trace);

  const auto massif = massif_of(trace);

  CHECK_THAT(massif, Catch::StartsWith("desc: "));
  CHECK(count_of(massif, "heap_tree=peak") == 1);
  const auto tree = peak_tree(massif);
  std::size_t next = 0;
  const auto bytes = check_tree(tree, next, 0);
  CHECK(next == tree.size());
  CHECK_THAT(massif, Catch::Contains("mem_heap_B=" + std::to_string(bytes) + '\n'));
  CHECK(bytes == 10'737'494'784);
}

TEST_CASE("massif: the tree begins with who asked, and callers stand below", "[export]") {
  TraceBuilder trace;
  trace.allocate(600, trace.stack({"operator new(unsigned long)", "load a.cpp:4", "main"}));
  trace.allocate(400, trace.stack({"malloc", "copy", "main"}));

  CHECK(peak_tree(massif_of(trace)) ==
        std::vector<std::string>{
            "n2: 1000 (heap allocation functions) malloc/new/new[], --alloc-fns, etc.",
            " n1: 600 0x1010: load (a.cpp:4)", "  n0: 600 0x1000: main (in /opt/bin/loader)",
            " n1: 400 0x1030: copy (in /opt/bin/loader)",
            "  n0: 400 0x1000: main (in /opt/bin/loader)"});
}

TEST_CASE("massif: what is below a hundredth is folded, and all of it is counted", "[export]") {
  TraceBuilder trace;
  trace.allocate(9990, trace.stack({"load", "main"}));
  for (int i = 0; i < 5; ++i) {
    trace.allocate(2, trace.stack({"small" + std::to_string(i), "main"}));
  }

  const auto tree = peak_tree(massif_of(trace));

  CHECK(tree.front().substr(0, 9) == "n2: 10000");
  CHECK(tree.back() == " n0: 10 in 5 places, all below massif's threshold (1.00%)");
}

TEST_CASE("massif: deep stacks are cut where massif cuts them", "[export]") {
  TraceBuilder trace;
  std::vector<std::string> functions;
  for (int i = 0; i < 200; ++i) {
    functions.push_back("f" + std::to_string(i));
  }
  trace.allocate(100, trace.stack(functions));

  CHECK(peak_tree(massif_of(trace)).size() == 31);
}

TEST_CASE("massif: an instant that is asked for has its tree", "[export]") {
  TraceBuilder trace;
  const auto load = trace.stack({"load", "main"});
  const auto block = trace.at_ms(1).allocate(100, load);
  trace.at_ms(2).release(block);
  trace.at_ms(5).allocate(1000, load);

  const auto massif = massif_of(trace, 1'500'000);

  CHECK_THAT(massif, Catch::Contains("time=1.500\nmem_heap_B=100\nmem_heap_extra_B=0\n"
                                     "mem_stacks_B=0\nheap_tree=detailed\nn1: 100 "));
}

TEST_CASE("massif: a trace without events has snapshots of nothing", "[export]") {
  TraceBuilder trace;

  CHECK(count_of(massif_of(trace), "mem_heap_B=0\n") == 2);
}

TEST_CASE("massif: of any number of small stacks only their sum is kept", "[export]") {
  TraceBuilder trace;
  trace.allocate(1'000'000, trace.stack({"malloc", "load", "main"}));
  for (int i = 0; i < 2'000; ++i) {
    trace.allocate(3, trace.stack({"malloc", "inner" + std::to_string(i), "outer", "main"}));
  }

  const auto massif = massif_of(trace);

  CHECK(massif.size() < 20'000);
  CHECK(peak_tree(massif).back() ==
        " n0: 6000 in 2000 places, all below massif's threshold (1.00%)");
}

TEST_CASE("massif: a stack of allocators alone, and none at all, have their places", "[export]") {
  TraceBuilder trace;
  trace.allocate(60, trace.stack({"malloc", "operator new(unsigned long)"}));
  trace.allocate(40);

  const auto tree = peak_tree(massif_of(trace));

  REQUIRE(tree.size() == 4);
  CHECK_THAT(tree[1], Catch::Contains("n1: 60 0x") && Catch::Contains("malloc"));
  CHECK_THAT(tree[2], Catch::Contains("n0: 60 0x") && Catch::Contains("operator new"));
  CHECK_THAT(tree[3], Catch::Contains("n0: 40 0x0: [unknown stack]"));
}
