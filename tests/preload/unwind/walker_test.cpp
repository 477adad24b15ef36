#include "preload/unwind/walker.hpp"

#include "preload/hooks/stack.hpp"
#include "tests/preload/unwind/reference_unwinder.hpp"
#include "tests/preload/unwind/stack_scenes.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/session_memory.hpp"

#include <algorithm>
#include <cstdlib>
#include <memory>
#include <sstream>
#include <string>
#include <vector>

#include <dlfcn.h>

using namespace tidemark;
using Addresses = std::vector<std::uint64_t>;

namespace tidemark::tests {

void grow(Walk& walk, int depth) {
  if (walk.pick(2) == 0)
    walk.probe();
  if (depth > 0) {
    const auto scene = walk.pick(kSceneCount);
    (walk.pick(2) == 0 ? kScenesWithFramePointer : kScenesWithoutFramePointer)[scene](walk, depth);
    if (walk.pick(4) == 0)
      kScenesWithoutFramePointer[walk.pick(8)](walk, depth - 1);
  }
  walk.probe();
}

}  // namespace tidemark::tests

namespace {

using tests::Walk;

/// Zeroed memory is a new walker.
struct Release {
  void operator()(unwind::Walker* walker) const { std::free(walker); }
};
using WalkerPointer = std::unique_ptr<unwind::Walker, Release>;
WalkerPointer new_walker() {
  return WalkerPointer(static_cast<unwind::Walker*>(std::calloc(1, sizeof(unwind::Walker))));
}

struct Judge {
  Judge() {
    context.interner = unwind::StackInterner(memory.map().stack_table(0));
    context.epoch = 1;
    context.root = context.interner.intern(wire::kNoNode, wire::kRootMark | 1);
    context.depth_limit = unwind::kMaxUnwindDepth;
    context.on_module = [](const unwind::Module&, std::uint32_t) {};
  }
  /// Innermost first.
  [[nodiscard]] Addresses addresses_of(std::uint32_t node) const {
    Addresses addresses;
    for (; node != context.root && node != wire::kNoNode;
         node = memory.map().stack_table(0).nodes()[node].parent())
      addresses.push_back(memory.map().stack_table(0).nodes()[node].address);
    return addresses;
  }
  void differ(const char* who, const Addresses& found, const Addresses& expected) {
    if (differences++ > 3)
      return;
    std::ostringstream text;
    text << who << " found " << found.size() << " frames of " << expected.size() << ", ";
    const auto at = std::mismatch(found.begin(), found.end(), expected.begin(), expected.end());
    text << "the same for " << at.first - found.begin();
    for (const auto* list : {&found, &expected}) {
      text << (list == &found ? "; found" : "; expected");
      const auto from = at.first - found.begin();
      for (auto i = std::max<std::ptrdiff_t>(from - 1, 0);
           i < std::min<std::ptrdiff_t>(from + 2, std::ssize(*list)); ++i) {
        const std::uint64_t address = (*list)[static_cast<std::size_t>(i)];
        Dl_info info{};
        if (dladdr(reinterpret_cast<const void*>(address), &info) == 0)
          info.dli_fname = "?";
        text << " " << info.dli_fname << "+" << std::hex
             << address - reinterpret_cast<std::uint64_t>(info.dli_fbase) << std::dec;
      }
    }
    first += text.str() + "\n";
  }

  tests::SessionMemory memory;
  unwind::WalkContext context;
  std::uint64_t captures = 0;
  std::uint64_t fallbacks = 0;
  std::uint64_t differences = 0;
  std::uint64_t deepest = 0;
  std::string first;
};

constinit Judge* g_judge = nullptr;
thread_local WalkerPointer t_walker;

/// Compares all ways to take the stack of its caller.
[[gnu::noinline]] void compare() {
  const unwind::FrameState caller = TIDEMARK_CALLER;
  Judge& judge = *g_judge;
  void* found[unwind::kMaxUnwindDepth];
  const int count =
      tests::ReferenceUnwinder::get().backtrace(found, static_cast<int>(std::size(found)));
  const auto* first = reinterpret_cast<const std::uint64_t*>(found);
  const Addresses expected(std::find(first, first + count, caller.pc), first + count);

  if (t_walker == nullptr)
    t_walker = new_walker();
  ++judge.captures;
  judge.deepest = std::max(judge.deepest, expected.size());
  const unwind::Capture cached = t_walker->capture(caller, judge.context);
  if (cached.needs_fallback) {
    ++judge.fallbacks;
    return;
  }
  if (const Addresses seen = judge.addresses_of(cached.node); seen != expected)
    judge.differ("the cached walk", seen, expected);
  const unwind::Capture again = t_walker->capture(caller, judge.context);
  if (again.node != cached.node)
    judge.differ("the same walk once more", judge.addresses_of(again.node), expected);
  if (judge.captures % 16 == 0) {
    const unwind::Capture fresh = new_walker()->capture(caller, judge.context);
    if (fresh.node != cached.node)
      judge.differ("a new walker", judge.addresses_of(fresh.node), expected);
    const unwind::Capture plain = unwind::Walker::capture_plain(caller, judge.context);
    if (expected.size() < unwind::Walker::kPlainDepth && plain.node != cached.node)
      judge.differ("the plain walk", judge.addresses_of(plain.node), expected);
  }
}

}  // namespace

TEST_CASE("every stack is as libunwind sees it, cached or not", "[walker]") {
  constexpr std::uint64_t kCaptures = 120'000;
  Judge judge;
  g_judge = &judge;
  t_walker.reset();
  for (unsigned seed = 1; judge.captures < kCaptures; ++seed) {
    Walk walk(seed, compare);
    grow(walk, static_cast<int>(4 + seed % 12));
  }
  CAPTURE(judge.captures, judge.fallbacks, judge.deepest);
  INFO(judge.first);
  CHECK(judge.differences == 0);
  CHECK(judge.fallbacks == 0);
  CHECK(judge.deepest > 60);
}
