// Unwind rules instruction by instruction: the processor traps after each one, and what our rule
// says of the caller is compared with what libunwind says.
#include "preload/unwind/rules/cfi.hpp"

#include "preload/unwind/modules.hpp"
#include "tests/preload/unwind/reference_unwinder.hpp"
#include "tests/preload/unwind/stack_scenes.hpp"
#include "tests/support/catch.hpp"

#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <cwchar>
#include <string>
#include <vector>

#include <ucontext.h>

using namespace tidemark;

namespace {

/// Registers of a frame, as far as both sides know them.
struct Frame {
  std::uint64_t pc;
  std::uint64_t sp;
  std::uint64_t bp;
  bool operator==(const Frame&) const = default;
};

std::uint64_t word_at(std::uint64_t address) {
  return *reinterpret_cast<const std::uint64_t*>(address);
}

/// One step outwards by a rule, as rules are defined. @return false where the rule says no more.
bool step_by_rule(const unwind::FrameRule& rule, Frame& frame) {
  const auto plus = [](std::uint64_t base, std::int32_t offset) {
    return base + static_cast<std::uint64_t>(std::int64_t{offset});
  };
  std::uint64_t cfa = 0;
  switch (rule.kind) {
    case unwind::RuleKind::kFromSp:
      cfa = plus(frame.sp, rule.cfa_offset);
      break;
    case unwind::RuleKind::kFromBp:
      cfa = plus(frame.bp, rule.cfa_offset);
      break;
    case unwind::RuleKind::kDerefBp:
      cfa = word_at(plus(frame.bp, rule.cfa_offset));
      break;
    default:
      return false;
  }
  if (rule.saves_bp)
    frame.bp =
        word_at(plus(rule.kind == unwind::RuleKind::kDerefBp ? frame.bp : cfa, rule.bp_offset));
  frame.pc = word_at(cfa - 8);
  frame.sp = cfa;
  return true;
}

/// Instruction addresses. Allocates nothing: the step may be one of malloc's.
class Places {
 public:
  /// @return true when it is new.
  bool insert(std::uint64_t pc) {
    for (std::size_t at = (pc * 0x9E3779B97F4A7C15U) >> 48;; at = (at + 1) % kSlots) {
      if (slots_[at] == pc)
        return false;
      if (slots_[at] == 0 && count_ < kSlots / 2) {
        slots_[at] = pc;
        ++count_;
        return true;
      }
      if (slots_[at] == 0)
        return false;
    }
  }
  [[nodiscard]] std::size_t size() const { return count_; }

 private:
  static constexpr std::size_t kSlots = 1 << 16;
  std::vector<std::uint64_t> slots_ = std::vector<std::uint64_t>(kSlots);
  std::size_t count_ = 0;
};

struct Steps {
  std::uint64_t taken = 0;
  std::uint64_t compared = 0;
  std::uint64_t unknown = 0;
  std::uint64_t differences = 0;
  Places places;
  char first[300] = "";
};
constinit Steps* g_steps = nullptr;

unwind::FrameRule rule_at(std::uint64_t pc) {
  unwind::Module module;
  return unwind::find_module(pc, module) ? unwind::find_rule(module.tables, pc)
                                         : unwind::FrameRule{};
}

bool step_by_reference(ucontext_t* context, Frame& frame) {
  const tests::ReferenceUnwinder& reference = tests::ReferenceUnwinder::get();
  unw_cursor_t cursor;
  if (reference.init(&cursor, context, UNW_INIT_SIGNAL_FRAME) != 0 || reference.step(&cursor) <= 0)
    return false;
  unw_word_t value = 0;
  reference.get_register(&cursor, UNW_REG_IP, &value);
  frame.pc = value;
  reference.get_register(&cursor, UNW_REG_SP, &value);
  frame.sp = value;
  reference.get_register(&cursor, UNW_X86_64_RBP, &value);
  frame.bp = value;
  return true;
}

void after_instruction(int, siginfo_t*, void* argument) {
  auto* context = static_cast<ucontext_t*>(argument);
  const greg_t* registers = context->uc_mcontext.gregs;
  Steps& steps = *g_steps;
  ++steps.taken;
  const auto pc = static_cast<std::uint64_t>(registers[REG_RIP]);
  // A loop tells nothing new after a few rounds.
  if (!steps.places.insert(pc) && steps.taken % 16 != 0)
    return;
  const unwind::FrameRule rule = rule_at(pc);
  Frame ours{pc, static_cast<std::uint64_t>(registers[REG_RSP]),
             static_cast<std::uint64_t>(registers[REG_RBP])};
  if (!step_by_rule(rule, ours)) {
    steps.unknown += rule.kind == unwind::RuleKind::kUnknown ? 1U : 0U;
    return;
  }
  Frame theirs{};
  if (!step_by_reference(context, theirs))
    return;
  ++steps.compared;
  if (ours == theirs || steps.differences++ != 0)
    return;
  Dl_info info{};
  dladdr(reinterpret_cast<const void*>(pc), &info);
  std::snprintf(steps.first, sizeof steps.first,
                "%s+%lx (%s): ours %lx %lx %lx, theirs %lx %lx %lx", info.dli_fname,
                pc - reinterpret_cast<std::uint64_t>(info.dli_fbase),
                info.dli_sname != nullptr ? info.dli_sname : "?", ours.pc, ours.sp, ours.bp,
                theirs.pc, theirs.sp, theirs.bp);
}

/// Runs `body` one instruction at a time.
template <typename Body>
Steps single_step(Body body) {
  Steps steps;
  g_steps = &steps;
  tests::ReferenceUnwinder::get();
  struct sigaction action {};
  struct sigaction before {};
  action.sa_sigaction = after_instruction;
  action.sa_flags = SA_SIGINFO;
  sigaction(SIGTRAP, &action, &before);
  constexpr std::uint64_t kTrapFlag = 0x100;
  asm volatile("pushfq\n orq %0, (%%rsp)\n popfq" : : "i"(kTrapFlag) : "memory", "cc");
  body();
  asm volatile("pushfq\n andq %0, (%%rsp)\n popfq" : : "i"(~kTrapFlag) : "memory", "cc");
  sigaction(SIGTRAP, &before, nullptr);
  return steps;
}

/// @param known percent of the steps that must have a rule. Prologues that realign the stack, and
/// code written by hand, are left to libunwind.
void report(const Steps& steps, std::uint64_t known) {
  CAPTURE(steps.taken, steps.places.size(), steps.compared, steps.unknown);
  INFO(steps.first);
  CHECK(steps.differences == 0);
  CHECK(steps.compared >= 10);
  CHECK((steps.taken - steps.unknown) * 100 >= steps.taken * known);
}

void nothing() {}

}  // namespace

namespace tidemark::tests {

// Each scene alone, with nothing within it.
void grow(Walk& walk, int) {
  walk.probe();
}

}  // namespace tidemark::tests

TEST_CASE("the rule at every instruction of a call is libunwind's", "[cfi]") {
  const auto scene = GENERATE(range(0, tests::kSceneCount));
  const auto table = GENERATE(tests::kScenesWithFramePointer, tests::kScenesWithoutFramePointer);
  CAPTURE(scene, table == tests::kScenesWithFramePointer);
  tests::Walk walk(7, nothing);
  table[scene](walk, 4);  // what is bound lazily is bound by now
  report(single_step([&] { table[scene](walk, 4); }), 75);
}

TEST_CASE("the rule at every instruction of libc and libstdc++ is libunwind's", "[cfi]") {
  const auto use = [] {
    char text[200];
    std::snprintf(text, sizeof text, "%s %d %.17g %Lg", "words", 42, 3.14159265358979, 2.5L);
    const double number = std::strtod(text + 9, nullptr);
    std::time_t now = 1'700'000'000;
    std::tm parts{};
    gmtime_r(&now, &parts);
    std::strftime(text, sizeof text, "%Y-%m-%d %A", &parts);
    std::string joined = std::to_string(number) + text;
    joined += joined;
    void* block = std::malloc(100'000);
    block = std::realloc(block, 300'000);
    std::free(block);
    unsetenv("TIDEMARK_NO_SUCH_VARIABLE");
    try {
      throw std::string(joined);
    } catch (const std::string& caught) {
      joined = caught.substr(3);
    }
    return joined.size();
  };
  use();
  const Steps steps = single_step(use);
  report(steps, 99);
  CHECK(steps.places.size() > 3000);
}

TEST_CASE("the rule at every instruction of a function's first call is libunwind's", "[cfi]") {
  // Called from here only, so that the dynamic linker is still to look it up.
  const Steps steps = single_step([] {
    const volatile auto found = wcsspn(L"abc", L"ab");
    return found;
  });
  // Its resolver is written by hand.
  report(steps, 90);
  CHECK(steps.places.size() > 200);
}

TEST_CASE("code outside every function has no rule", "[cfi]") {
  unwind::Module module;
  REQUIRE(unwind::find_module(reinterpret_cast<std::uint64_t>(&nothing), module));
  CHECK(unwind::find_rule(module.tables, module.begin).kind == unwind::RuleKind::kNone);
  CHECK(unwind::find_rule(module.tables, module.end + 4096).kind == unwind::RuleKind::kNone);
  CHECK(unwind::find_rule(module.tables, 0).kind == unwind::RuleKind::kNone);
  CHECK(unwind::find_rule({}, module.begin).kind == unwind::RuleKind::kNone);
}
