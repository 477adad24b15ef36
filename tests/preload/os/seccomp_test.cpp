// What filters leave of our system calls is what the kernel would let pass.
#include "preload/os/seccomp.hpp"

#include "tests/support/catch.hpp"

#include <cstddef>
#include <vector>

#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sys/mman.h>
#include <sys/syscall.h>

using namespace tidemark::preload;

namespace {

using Code = std::vector<sock_filter>;

constexpr std::uint32_t offset_of_number() {
  return offsetof(seccomp_data, nr);
}

sock_filter load(std::size_t offset) {
  return BPF_STMT(BPF_LD | BPF_W | BPF_ABS, static_cast<std::uint32_t>(offset));
}
sock_filter answer(std::uint32_t action) {
  return BPF_STMT(BPF_RET | BPF_K, action);
}
/// Jumps over `skip` instructions unless the loaded word is `value`.
sock_filter unless(long value, std::uint8_t skip) {
  return BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, static_cast<std::uint32_t>(value), 0, skip);
}

sock_filter jump(std::uint32_t over) {
  return BPF_STMT(BPF_JMP | BPF_JA, over);
}

/// What is left after `code` alone.
std::uint32_t left_by(Code code) {
  g_abilities.store(kEveryAbility);
  const sock_fprog program{static_cast<unsigned short>(code.size()), code.data()};
  CHECK(note_filter(&program).before == kEveryAbility);
  return g_abilities.exchange(kEveryAbility);
}

/// A filter with one opinion about one call.
Code about(long number, std::uint32_t action) {
  return {load(offset_of_number()), unless(number, 1), answer(action), answer(SECCOMP_RET_ALLOW)};
}

}  // namespace

TEST_CASE("a filter that allows everything takes nothing away", "[seccomp]") {
  CHECK(left_by({answer(SECCOMP_RET_ALLOW)}) == kEveryAbility);
}

TEST_CASE("only what is refused is lost, and only where that hurts", "[seccomp]") {
  CHECK(left_by(about(SYS_futex, SECCOMP_RET_KILL_PROCESS)) == (kEveryAbility & ~kMayWait));
  CHECK(left_by(about(SYS_futex, SECCOMP_RET_KILL_THREAD)) == (kEveryAbility & ~kMayWait));
  CHECK(left_by(about(SYS_futex, SECCOMP_RET_TRAP)) == (kEveryAbility & ~kMayWait));
  CHECK(left_by(about(SYS_futex, SECCOMP_RET_USER_NOTIF)) == (kEveryAbility & ~kMayWait));
  CHECK(left_by(about(SYS_futex, SECCOMP_RET_ERRNO | 1)) == kEveryAbility);
  CHECK(left_by(about(SYS_futex, SECCOMP_RET_LOG)) == kEveryAbility);
  CHECK(left_by(about(SYS_mincore, SECCOMP_RET_TRAP)) == (kEveryAbility & ~kMayAskKernel));
  CHECK(left_by(about(SYS_process_vm_readv, SECCOMP_RET_KILL_PROCESS)) ==
        (kEveryAbility & ~kMayReadBack));
  CHECK(left_by(about(SYS_getppid, SECCOMP_RET_TRAP)) == (kEveryAbility & ~kMayAttach));
  CHECK(left_by(about(SYS_getpid, SECCOMP_RET_ERRNO | 1)) ==
        (kEveryAbility & ~(kMayAttach | kMayReadBack)));
  CHECK(left_by(about(SYS_openat, SECCOMP_RET_TRAP)) ==
        (kEveryAbility & ~(kMayAttach | kMayMap | kMayAskRings | kMayLookAtPrograms)));
  CHECK(left_by(about(SYS_read, SECCOMP_RET_TRAP)) == (kEveryAbility & ~kMayAskRings));
  CHECK(left_by(about(SYS_pread64, SECCOMP_RET_TRAP)) == (kEveryAbility & ~kMayLookAtPrograms));
  CHECK(left_by(about(SYS_fcntl, SECCOMP_RET_TRAP)) ==
        (kEveryAbility & ~kMayPassDescriptor & ~kMayAskHowOpened));
  CHECK(left_by(about(SYS_fstat, SECCOMP_RET_TRAP)) ==
        (kEveryAbility & ~(kMayAttach | kMayMap | kMayLookAtFiles | kMayPassDescriptor |
                           kMayAskIdentity | kMayLookAtPrograms)));
  CHECK(left_by(about(SYS_pidfd_open, SECCOMP_RET_TRAP)) == (kEveryAbility & ~kMayAskIdentity));
  CHECK(left_by(about(SYS_socket, SECCOMP_RET_TRAP)) == kEveryAbility);
}

TEST_CASE("filters look at arguments, the architecture and their own memory", "[seccomp]") {
  // Advice of one kind, as chromium does it.
  CHECK(left_by({load(offset_of_number()), unless(SYS_madvise, 3),
                 load(offsetof(seccomp_data, args) + 16), unless(MADV_DONTDUMP, 1),
                 answer(SECCOMP_RET_TRAP), answer(SECCOMP_RET_ALLOW)}) ==
        (kEveryAbility & ~(kMayAttach | kMayMap)));
  CHECK(left_by({load(offsetof(seccomp_data, arch)), unless(AUDIT_ARCH_X86_64, 1),
                 answer(SECCOMP_RET_ALLOW), answer(SECCOMP_RET_KILL_PROCESS)}) == kEveryAbility);
  CHECK(left_by({load(offset_of_number()), BPF_STMT(BPF_ST, 3), BPF_STMT(BPF_LD | BPF_IMM, 0),
                 BPF_STMT(BPF_LDX | BPF_MEM, 3), BPF_STMT(BPF_MISC | BPF_TXA, 0),
                 BPF_STMT(BPF_ALU | BPF_SUB | BPF_K, 2), unless(SYS_futex - 2, 1),
                 answer(SECCOMP_RET_TRAP), answer(SECCOMP_RET_ALLOW)}) ==
        (kEveryAbility & ~kMayWait));
}

TEST_CASE("a filter that cannot be followed lets nothing of ours pass", "[seccomp]") {
  CHECK(left_by({load(3), answer(SECCOMP_RET_ALLOW)}) == 0);
  CHECK(left_by({load(sizeof(seccomp_data)), answer(SECCOMP_RET_ALLOW)}) == 0);
  CHECK(left_by({BPF_STMT(BPF_ALU | BPF_DIV | BPF_K, 0), answer(SECCOMP_RET_ALLOW)}) == 0);
  CHECK(left_by({BPF_STMT(BPF_LD | BPF_MEM, BPF_MEMWORDS), answer(SECCOMP_RET_ALLOW)}) == 0);
  CHECK(left_by({load(offset_of_number())}) == 0);
}

TEST_CASE("a filter that jumps out of itself ends, as the kernel has not refused it yet",
          "[seccomp]") {
  CHECK(left_by({jump(~0U), answer(SECCOMP_RET_ALLOW)}) == 0);
  CHECK(left_by({jump(1), answer(SECCOMP_RET_ALLOW)}) == 0);
  CHECK(left_by({jump(1), answer(SECCOMP_RET_TRAP), answer(SECCOMP_RET_ALLOW)}) == kEveryAbility);
  CHECK(left_by({load(offset_of_number()), unless(-1, 2), answer(SECCOMP_RET_ALLOW)}) == 0);
}

TEST_CASE("a filter that cannot be read is the kernel's to refuse", "[seccomp]") {
  constexpr std::size_t kPage = 4096;
  auto* const pages = static_cast<std::byte*>(
      ::mmap(nullptr, 2 * kPage, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0));
  REQUIRE(pages != MAP_FAILED);
  ::mprotect(pages + kPage, kPage, PROT_NONE);
  g_abilities.store(kEveryAbility);
  const auto is_untouched = [](const sock_fprog* program) {
    return note_filter(program).after == kEveryAbility && g_abilities.load() == kEveryAbility;
  };
  CHECK(is_untouched(nullptr));
  CHECK(is_untouched(reinterpret_cast<const sock_fprog*>(pages + kPage)));
  // Its last instructions are on the page that cannot be read.
  const sock_fprog half{512, reinterpret_cast<sock_filter*>(pages + kPage / 2)};
  CHECK(is_untouched(&half));
  const sock_fprog none{1, nullptr};
  CHECK(is_untouched(&none));
  ::munmap(pages, 2 * kPage);
}

TEST_CASE("strict mode lets nothing pass, and a failed installation is taken back", "[seccomp]") {
  g_abilities.store(kEveryAbility);
  const NotedFilter strict = note_strict_mode();
  CHECK(g_abilities.load() == 0);
  forget_filter(strict);
  CHECK(g_abilities.load() == kEveryAbility);
}

TEST_CASE("a failed installation does not give back what another filter took", "[seccomp]") {
  g_abilities.store(kEveryAbility);
  Code waits = about(SYS_futex, SECCOMP_RET_TRAP);
  const sock_fprog first{static_cast<unsigned short>(waits.size()), waits.data()};
  const NotedFilter failing = note_filter(&first);
  Code asks = about(SYS_mincore, SECCOMP_RET_TRAP);
  const sock_fprog second{static_cast<unsigned short>(asks.size()), asks.data()};
  note_filter(&second);
  forget_filter(failing);
  CHECK((g_abilities.load() & kMayAskKernel) == 0);
  g_abilities.store(kEveryAbility);
}
