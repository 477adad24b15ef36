// Frames whose rules the walker does not know: libgcc's unwinder, which knows them all, says the
// same.
#include "preload/unwind/full_unwinder.hpp"

#include "preload/hooks/stack.hpp"
#include "preload/unwind/walker.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/session_memory.hpp"

#include <algorithm>
#include <functional>
#include <vector>

#include <execinfo.h>

using namespace tidemark;

// Each calls `function(argument)` from a frame on a stack that it has realigned.
extern "C" {
void tidemark_test_below_rbx(void (*function)(void*), void* argument);
void tidemark_test_below_expression(void (*function)(void*), void* argument);
void tidemark_test_with_saved_expression(void (*function)(void*), void* argument);
}

asm(R"(
        .text
# As ld.so's lazy binding: the CFA is rbx + 16.
        .globl tidemark_test_below_rbx
        .type tidemark_test_below_rbx, @function
tidemark_test_below_rbx:
        .cfi_startproc
        push %rbx
        .cfi_def_cfa_offset 16
        .cfi_offset %rbx, -16
        mov %rsp, %rbx
        .cfi_def_cfa_register %rbx
        sub $200, %rsp
        and $-64, %rsp
        mov %rdi, %rax
        mov %rsi, %rdi
        call *%rax
        mov %rbx, %rsp
        .cfi_def_cfa_register %rsp
        pop %rbx
        .cfi_def_cfa_offset 8
        ret
        .cfi_endproc
        .size tidemark_test_below_rbx, . - tidemark_test_below_rbx

# The CFA is *(rsp + 8) + 16, by an expression: breg7 8, deref, plus_uconst 16.
        .globl tidemark_test_below_expression
        .type tidemark_test_below_expression, @function
tidemark_test_below_expression:
        .cfi_startproc
        push %rbx
        .cfi_def_cfa_offset 16
        .cfi_offset %rbx, -16
        mov %rsp, %rbx
        .cfi_def_cfa_register %rbx
        sub $200, %rsp
        and $-64, %rsp
        mov %rbx, 8(%rsp)
        .cfi_escape 0x0f, 0x05, 0x77, 0x08, 0x06, 0x23, 0x10
        mov %rdi, %rax
        mov %rsi, %rdi
        call *%rax
        mov 8(%rsp), %rsp
        .cfi_def_cfa %rsp, 16
        pop %rbx
        .cfi_def_cfa_offset 8
        ret
        .cfi_endproc
        .size tidemark_test_below_expression, . - tidemark_test_below_expression

# rbp, which its caller may need, is saved where an expression says: breg7 0. It is something else meanwhile.
        .globl tidemark_test_with_saved_expression
        .type tidemark_test_with_saved_expression, @function
tidemark_test_with_saved_expression:
        .cfi_startproc
        push %rbx
        .cfi_def_cfa_offset 16
        .cfi_offset %rbx, -16
        sub $16, %rsp
        .cfi_def_cfa_offset 32
        mov %rbp, (%rsp)
        .cfi_escape 0x10, 0x06, 0x02, 0x77, 0x00
        mov $0x1234, %rbp
        mov %rdi, %rax
        mov %rsi, %rdi
        call *%rax
        mov (%rsp), %rbp
        .cfi_same_value %rbp
        add $16, %rsp
        .cfi_def_cfa_offset 16
        pop %rbx
        .cfi_def_cfa_offset 8
        ret
        .cfi_endproc
        .size tidemark_test_with_saved_expression, . - tidemark_test_with_saved_expression
)");

namespace {

using Addresses = std::vector<std::uint64_t>;

struct Findings {
  Addresses ours;
  Addresses reference;
  bool walker_gives_up = false;
  bool truncated = true;
};

/// From the frame that calls this one outwards.
[[gnu::noinline]] void look(void* argument) {
  auto& findings = *static_cast<Findings*>(argument);
  const unwind::FrameState caller = TIDEMARK_CALLER;
  findings.ours.resize(100);
  const unwind::FullCapture capture =
      unwind::capture_fully(caller, findings.ours.data(), nullptr, 100);
  findings.ours.resize(capture.count);
  findings.truncated = capture.truncated;

  void* found[100];
  const int count = backtrace(found, 100);
  const auto* all = reinterpret_cast<const std::uint64_t*>(found);
  const auto* first = std::find(all, all + count, caller.pc);
  findings.reference.assign(first, all + count);

  tests::SessionMemory memory;
  unwind::WalkContext context;
  context.interner = unwind::StackInterner(memory.map().stack_table(0));
  context.epoch = 1;
  context.root = context.interner.intern(wire::kNoNode, wire::kRootMark | 1);
  context.depth_limit = unwind::kMaxUnwindDepth;
  context.on_module = [](const unwind::Module&, std::uint32_t) {};
  const auto walker = std::make_unique<unwind::Walker>();
  findings.walker_gives_up = walker->capture(caller, context).needs_fallback;
}

/// A frame whose CFA is in rbp, so that a wrong rbp is noticed.
[[gnu::noinline]] void run(void (*scene)(void (*)(void*), void*), Findings& findings) {
  volatile char* room = static_cast<char*>(__builtin_alloca(findings.ours.size() + 100));
  room[0] = 1;
  scene(look, &findings);
  room[1] = room[0];
}

}  // namespace

TEST_CASE("stacks that the walker gives up are followed to their end", "[unwind]") {
  const auto scene = GENERATE(&tidemark_test_below_rbx, &tidemark_test_below_expression,
                              &tidemark_test_with_saved_expression);
  Findings findings;
  run(scene, findings);
  CHECK(findings.walker_gives_up);
  CHECK_FALSE(findings.truncated);
  REQUIRE(findings.reference.size() > 3);
  // libgcc goes one step further, into what _start's own return address would be.
  if (findings.reference.size() == findings.ours.size() + 1 && findings.reference.back() == 0)
    findings.reference.pop_back();
  CHECK(findings.ours == findings.reference);
}

TEST_CASE("who is not on this stack is not found", "[unwind]") {
  std::uint64_t addresses[10];
  std::uint64_t elsewhere = 0;
  const auto above = reinterpret_cast<std::uint64_t>(__builtin_frame_address(0)) + 16;
  CHECK(unwind::capture_fully({0x1234, above, 0}, addresses, nullptr, 10).count == 0);
  CHECK(unwind::capture_fully({0x1234, reinterpret_cast<std::uint64_t>(&elsewhere) + (1 << 30), 0},
                              addresses, nullptr, 10)
            .count == 0);
}
