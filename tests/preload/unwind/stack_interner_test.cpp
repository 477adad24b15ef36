#include "preload/unwind/stack_interner.hpp"

#include "tests/support/catch.hpp"
#include "tests/support/session_memory.hpp"

#include <latch>
#include <map>
#include <random>
#include <set>
#include <thread>
#include <vector>

using namespace tidemark;
using Path = std::vector<std::uint64_t>;

namespace {

struct Table {
  unwind::StackInterner interner() { return unwind::StackInterner(table); }
  [[nodiscard]] wire::StackTableHeader& header() const { return table.header(); }
  [[nodiscard]] const wire::StackNode& node(std::uint32_t id) const { return table.nodes()[id]; }

  std::uint32_t intern(const Path& path) {
    std::uint32_t id = wire::kNoNode;
    for (const std::uint64_t address : path)
      id = interner().intern(id, address);
    return id;
  }
  /// Outermost first.
  [[nodiscard]] Path path_of(std::uint32_t id) const {
    Path path;
    for (; id != wire::kNoNode; id = node(id).parent()) {
      REQUIRE(node(id).parent() < id);
      path.insert(path.begin(), node(id).address);
    }
    return path;
  }

  tests::SessionMemory memory;
  wire::StackTable table = memory.map().stack_table(0);
};

}  // namespace

TEST_CASE("the same call out of the same stack is the same node", "[interner]") {
  Table table;
  const auto interner = table.interner();
  const auto main = interner.intern(wire::kNoNode, 0x1000);
  const auto load = interner.intern(main, 0x2000);
  CHECK(main != wire::kNoNode);
  CHECK(interner.intern(wire::kNoNode, 0x1000) == main);
  CHECK(interner.intern(main, 0x2000) == load);
  CHECK(table.header().node_count.load() == 2);
}

TEST_CASE("another address or another parent is another node", "[interner]") {
  Table table;
  const auto interner = table.interner();
  const auto a = interner.intern(wire::kNoNode, 0x1000);
  const auto b = interner.intern(wire::kNoNode, 0x1008);
  std::set<std::uint32_t> ids{a, b};
  for (const auto parent : {a, b}) {
    for (const std::uint64_t address : {0x1000U, 0x1008U})
      ids.insert(interner.intern(parent, address));
  }
  CHECK(ids.size() == 6);
}

TEST_CASE("every stack reads back as it went in, its parents before it", "[interner]") {
  const auto seed = GENERATE(range(1U, 4U));
  CAPTURE(seed);
  std::mt19937_64 random(seed);
  Table table;
  std::map<Path, std::uint32_t> known;
  for (int i = 0; i < 20'000; ++i) {
    Path path(1 + random() % 30);
    for (std::uint64_t& address : path)
      address = 0x400000 + random() % 3 * 16;
    const auto id = table.intern(path);
    const auto [place, is_new] = known.try_emplace(path, id);
    if (place->second != id)
      FAIL("one stack, two nodes");
    if (is_new)
      REQUIRE(table.path_of(id) == path);
  }
  CHECK(known.size() > 1000);
}

TEST_CASE("a child that hangs in another node's list is not taken for that node's", "[interner]") {
  Table table;
  const Path first{0x1000, 0x2000};
  const Path wanted{0x1000, 0x3000};
  const std::uint32_t sibling = table.intern(first);
  const std::uint32_t stray = table.intern({0x1000, 0x2000, 0x3000});
  // As a thread leaves it whose list was another one before the table was emptied.
  table.table.nodes()[sibling].links |= std::uint64_t{stray} << wire::kNextSiblingShift;
  CHECK(table.path_of(table.intern(wanted)) == wanted);
  CHECK(table.intern(wanted) == table.intern(wanted));
}

TEST_CASE("an index that is half full leaves new nodes to the next level", "[interner]") {
  Table table;
  const auto interner = table.interner();
  std::vector<std::uint32_t> ids;
  constexpr std::uint32_t kListed = 4;  // the first children of a node are not in the index
  const std::uint32_t count = kListed + wire::index_slots(0) / 2 + wire::index_slots(1) / 2 + 1000;
  for (std::uint32_t i = 0; i < count; ++i)
    ids.push_back(interner.intern(wire::kNoNode, 0x1000 + i));
  CHECK(table.header().index_level.load() == 2);
  CHECK(table.header().level_used[0].load() == wire::index_slots(0) / 2);
  for (std::uint32_t i = 0; i < count; ++i) {
    if (interner.intern(wire::kNoNode, 0x1000 + i) != ids[i])
      FAIL("node " << i << " was not found again");
  }
  CHECK(table.header().node_count.load() == count);
}

TEST_CASE("a full table refuses, counts it, and still knows what it has", "[interner]") {
  Table table;
  const auto interner = table.interner();
  std::uint32_t last = 0;
  for (std::uint32_t i = 1; i < wire::kMaxStackNodes; ++i) {
    const auto id = interner.intern(wire::kNoNode, i);
    if (id != i)
      FAIL("node " << i << " got id " << id);
    last = id;
  }
  CHECK(last == wire::kMaxStackNodes - 1);
  CHECK(interner.intern(wire::kNoNode, 1ULL << 40) == wire::kNoNode);
  CHECK(interner.intern(last, 1ULL << 41) == wire::kNoNode);
  CHECK(interner.intern(wire::kNoNode, 1) == 1);
  CHECK(interner.intern(wire::kNoNode, last) == last);
}

TEST_CASE("a small window that is full refuses, and the large one goes on where it ended",
          "[interner]") {
  Table table;
  table.table = wire::StackTable::small(table.table.base);
  const unwind::StackInterner small = table.interner();
  for (std::uint32_t i = 1; i < wire::kSmallStackNodes; ++i) {
    if (small.intern(wire::kNoNode, i) != i)
      FAIL("node " << i << " got another id");
  }
  REQUIRE(small.intern(wire::kNoNode, 1ULL << 40) == wire::kNoNode);
  table.table = wire::StackTable::large(table.table.base);
  const unwind::StackInterner large = table.interner();
  CHECK(large.intern(wire::kNoNode, 1) == 1);
  CHECK(large.intern(wire::kNoNode, wire::kSmallStackNodes - 1) == wire::kSmallStackNodes - 1);
  const std::uint32_t beyond = large.intern(wire::kNoNode, 1ULL << 40);
  REQUIRE(beyond >= wire::kSmallStackNodes);
  for (std::uint32_t i = 0; i < wire::kSmallStackNodes; ++i) {
    if (large.intern(beyond, 1000 + i) == wire::kNoNode)
      FAIL("no room for child " << i);
  }
  // Who still works with the small window is refused, and does not touch what it has not mapped.
  CHECK(small.intern(wire::kNoNode, 1ULL << 40) == wire::kNoNode);
  CHECK(small.intern(wire::kNoNode, 1) == 1);
}

TEST_CASE("threads that intern the same stacks at one time agree on what they mean",
          "[interner][concurrency]") {
  const auto seed = GENERATE(range(1U, 4U));
  CAPTURE(seed);
  constexpr std::size_t kThreads = 4;
  constexpr std::size_t kPaths = 30'000;
  Table table;
  std::vector<Path> paths(kPaths);
  std::mt19937_64 random(seed);
  for (Path& path : paths) {
    path.resize(1 + random() % 8);
    for (std::uint64_t& address : path)
      address = 0x1000 + random() % 40;
  }
  std::vector<std::vector<std::uint32_t>> ids(kThreads, std::vector<std::uint32_t>(kPaths));
  std::latch start(kThreads);
  std::vector<std::thread> threads;
  for (std::size_t t = 0; t < kThreads; ++t) {
    threads.emplace_back([&, t] {
      start.arrive_and_wait();
      for (std::size_t i = 0; i < kPaths; ++i)
        ids[t][i] = table.intern(paths[i]);
    });
  }
  for (std::thread& thread : threads)
    thread.join();

  // Equal paths may have several ids (the collector merges); different ones never share one.
  std::uint64_t twins = 0;
  for (std::size_t i = 0; i < kPaths; ++i) {
    for (std::size_t t = 0; t < kThreads; ++t) {
      if (table.path_of(ids[t][i]) != paths[i])
        FAIL("path " << i << " is another one for thread " << t);
      twins += ids[t][i] != ids[0][i] ? 1U : 0U;
    }
  }
  // Only ever at the moment of a first meeting.
  CHECK(twins < kPaths / 10);
}
