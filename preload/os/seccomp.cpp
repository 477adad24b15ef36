#include "preload/os/seccomp.hpp"

#include "preload/os/sys.hpp"
#include "preload/wire/session.hpp"

#include <iterator>

#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sys/prctl.h>

// clang-format off: last
#include "preload/os/forbidden.hpp"
// clang-format on

namespace tidemark::preload {

constinit std::atomic<std::uint32_t> g_abilities{kEveryAbility};

namespace {

/// A call that this object makes, with the arguments that filters look at.
struct OwnCall {
  std::uint32_t abilities;  ///< Those that need it.
  int number;
  std::uint64_t arguments[6];
};

constexpr std::uint32_t kMapAndAttach = kMayMap | kMayAttach;
constexpr OwnCall kOwnCalls[] = {
    {kMayWait, SYS_futex, {0, FUTEX_WAIT}},
    {kMayWait, SYS_futex, {0, FUTEX_WAKE}},
    {kMayAskKernel, SYS_mincore, {}},
    {kMayReadBack, SYS_getpid, {}},
    {kMayReadBack, SYS_process_vm_readv, {1, 1, 1, 1, 2, 0}},
    {kMapAndAttach, SYS_rt_sigprocmask, {SIG_SETMASK, 1, 0, 8}},
    {kMapAndAttach, SYS_rt_sigprocmask, {SIG_BLOCK, 1, 1, 8}},
    {kMapAndAttach, SYS_openat, {static_cast<std::uint64_t>(AT_FDCWD), 1, O_RDWR | O_CLOEXEC}},
    {kMapAndAttach | kMayLookAtFiles | kMayPassDescriptor, SYS_fstat, {3, 1}},
    {kMayAskPosition, SYS_lseek, {3, 0, SEEK_CUR}},
    {kMayAskIdentity, SYS_pidfd_open, {1, 0}},
    {kMayAskIdentity, SYS_fstatfs, {3, 1}},
    {kMayAskIdentity, SYS_fstat, {3, 1}},
    {kMayAskIdentity, SYS_close, {3}},
    {kMayAskUsage, SYS_getrusage, {RUSAGE_SELF, 1}},
    {kMayAskUsage, SYS_getrusage, {static_cast<std::uint64_t>(RUSAGE_CHILDREN), 1}},
    {kMayAskRings, SYS_readlinkat, {static_cast<std::uint64_t>(AT_FDCWD), 1, 1, 64}},
    {kMayAskRings, SYS_openat, {static_cast<std::uint64_t>(AT_FDCWD), 1, O_RDONLY | O_CLOEXEC}},
    {kMayAskRings, SYS_read, {3, 1, 1024}},
    {kMayAskRings, SYS_close, {3}},
    {kMayLookAtPrograms,
     SYS_openat,
     {static_cast<std::uint64_t>(AT_FDCWD), 1, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY}},
    {kMayLookAtPrograms,
     SYS_openat,
     {static_cast<std::uint64_t>(AT_FDCWD), 1, O_RDONLY | O_CLOEXEC}},
    {kMayLookAtPrograms, SYS_pread64, {3, 1, 64, 64}},
    {kMayLookAtPrograms, SYS_fstat, {3, 1}},
    {kMayLookAtPrograms, SYS_close, {3}},
    {kMayLookAtFiles, SYS_readlinkat, {static_cast<std::uint64_t>(AT_FDCWD), 1, 1, 1024}},
    {kMayAskHowOpened, SYS_fcntl, {3, F_GETFL}},
    {kMayPassDescriptor, SYS_fcntl, {3, F_SETFD, FD_CLOEXEC}},
    {kMayPassDescriptor, SYS_fcntl, {3, F_SETFD, 0}},
    {kMayPassDescriptor, SYS_fcntl, {3, F_DUPFD_CLOEXEC, 1000}},
    {kMayReadClock, SYS_clock_gettime, {CLOCK_MONOTONIC, 1}},
    {kMapAndAttach, SYS_close, {3}},
    {kMapAndAttach, SYS_mmap, {0, 1 << 18, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_NORESERVE, 3}},
    {kMapAndAttach,
     SYS_mmap,
     {0, 1 << 18, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, ~0ULL}},
    {kMapAndAttach, SYS_mremap, {1, 0, 1 << 22, MREMAP_MAYMOVE}},
    {kMapAndAttach, SYS_munmap, {1, 1 << 18}},
    {kMapAndAttach, SYS_madvise, {1, 1 << 18, MADV_WIPEONFORK}},
    {kMapAndAttach, SYS_madvise, {1, 1 << 18, MADV_DONTNEED}},
    {kMapAndAttach, SYS_madvise, {1, 1 << 18, MADV_DONTDUMP}},
    {kMapAndAttach, SYS_madvise, {1, 1 << 18, MADV_DONTFORK}},
    {kMapAndAttach, SYS_gettid, {}},
    {kMapAndAttach, SYS_get_robust_list, {0, 1, 1}},
    {kMapAndAttach, SYS_prctl, {PR_GET_NAME, 1}},
    {kMayAttach, SYS_prctl, {PR_GET_SECCOMP}},
    {kMayAttach, SYS_prlimit64, {0, 9, 0, 1}},
    {kMayAttach, SYS_getpid, {}},
    {kMayAttach, SYS_getppid, {}},
    {kMayAttach, SYS_readlinkat, {static_cast<std::uint64_t>(AT_FDCWD), 1, 1, 1024}},
};

/// Classic BPF over one call.
class Filter {
 public:
  Filter(const sock_fprog& program, const OwnCall& call) : program_(program) {
    data_.nr = call.number;
    data_.arch = AUDIT_ARCH_X86_64;
    for (std::size_t i = 0; i < std::size(call.arguments); ++i)
      data_.args[i] = call.arguments[i];
  }

  /// @return what the filter answers; SECCOMP_RET_KILL_PROCESS where it cannot be followed.
  std::uint32_t run() {
    for (std::uint32_t at = 0; at < program_.len; ++at) {
      const sock_filter& op = program_.filter[at];
      switch (BPF_CLASS(op.code)) {
        case BPF_RET:
          return BPF_RVAL(op.code) == BPF_A ? a_ : op.k;
        case BPF_JMP: {
          const std::uint32_t over = BPF_OP(op.code) == BPF_JA ? op.k : jumps(op) ? op.jt : op.jf;
          // The kernel has not looked at it yet: it may jump out, or back by overflow.
          if (over >= program_.len - at)
            return SECCOMP_RET_KILL_PROCESS;
          at += over;
          break;
        }
        default:
          if (!step(op))
            return SECCOMP_RET_KILL_PROCESS;
      }
    }
    return SECCOMP_RET_KILL_PROCESS;
  }

 private:
  [[nodiscard]] std::uint32_t operand(const sock_filter& op) const {
    return BPF_SRC(op.code) == BPF_X ? x_ : op.k;
  }

  [[nodiscard]] bool jumps(const sock_filter& op) const {
    switch (BPF_OP(op.code)) {
      case BPF_JEQ:
        return a_ == operand(op);
      case BPF_JGT:
        return a_ > operand(op);
      case BPF_JGE:
        return a_ >= operand(op);
      case BPF_JSET:
        return (a_ & operand(op)) != 0;
      default:
        return false;
    }
  }

  bool step(const sock_filter& op) {
    switch (BPF_CLASS(op.code)) {
      case BPF_LD:
        return load(op, a_);
      case BPF_LDX:
        return load(op, x_);
      case BPF_ST:
        return op.k < BPF_MEMWORDS && (memory_[op.k] = a_, true);
      case BPF_STX:
        return op.k < BPF_MEMWORDS && (memory_[op.k] = x_, true);
      case BPF_ALU:
        return compute(op);
      case BPF_MISC:
        (BPF_MISCOP(op.code) == BPF_TAX ? x_ : a_) = BPF_MISCOP(op.code) == BPF_TAX ? a_ : x_;
        return true;
      default:
        return false;
    }
  }

  bool load(const sock_filter& op, std::uint32_t& out) {
    switch (BPF_MODE(op.code)) {
      case BPF_ABS:
        if (op.k % 4 != 0 || op.k > sizeof data_ - 4)
          return false;
        out = reinterpret_cast<const std::uint32_t*>(&data_)[op.k / 4];
        return true;
      case BPF_IMM:
        out = op.k;
        return true;
      case BPF_LEN:
        out = sizeof data_;
        return true;
      case BPF_MEM:
        return op.k < BPF_MEMWORDS && (out = memory_[op.k], true);
      default:
        return false;
    }
  }

  bool compute(const sock_filter& op) {
    const std::uint32_t by = operand(op);
    switch (BPF_OP(op.code)) {
      case BPF_ADD:
        a_ += by;
        return true;
      case BPF_SUB:
        a_ -= by;
        return true;
      case BPF_MUL:
        a_ *= by;
        return true;
      case BPF_DIV:
        return by != 0 && (a_ /= by, true);
      case BPF_AND:
        a_ &= by;
        return true;
      case BPF_OR:
        a_ |= by;
        return true;
      case BPF_XOR:
        a_ ^= by;
        return true;
      case BPF_LSH:
        return by < 32 && (a_ <<= by, true);
      case BPF_RSH:
        return by < 32 && (a_ >>= by, true);
      case BPF_NEG:
        a_ = 0 - a_;
        return true;
      default:
        return false;
    }
  }

  const sock_fprog& program_;
  seccomp_data data_{};
  std::uint32_t a_ = 0;
  std::uint32_t x_ = 0;
  std::uint32_t memory_[BPF_MEMWORDS] = {};
};

/// The kernel has not looked at what the program passes: a bad pointer is an error there, and would
/// be a crash here. For up to BPF_MAXINSNS instructions.
bool is_readable(const void* begin, std::size_t bytes) {
  constexpr std::uintptr_t kPage = wire::kPageBytes;
  constexpr std::size_t kMaxPages = BPF_MAXINSNS * sizeof(sock_filter) / kPage + 1;
  if (begin == nullptr)
    return false;
  if (!may(kMayReadBack))
    return true;
  iovec places[kMaxPages];
  std::byte first_of_each[kMaxPages];
  std::size_t pages = 0;
  const auto end = reinterpret_cast<std::uintptr_t>(begin) + bytes;
  for (auto at = reinterpret_cast<std::uintptr_t>(begin); at < end; at = (at / kPage + 1) * kPage)
    places[pages++] = {reinterpret_cast<void*>(at), 1};
  return sys::read_back({places, pages}, {first_of_each, pages}) == pages;
}

/// Calls whose failure no caller handles.
bool always_succeeds(int number) {
  return number == SYS_getpid || number == SYS_getppid || number == SYS_gettid;
}

/// We can do without a call that fails with an error; any other refusal harms the program.
bool is_harmless(std::uint32_t answer, int number) {
  const std::uint32_t action = answer & SECCOMP_RET_ACTION_FULL;
  return action == SECCOMP_RET_ALLOW || action == SECCOMP_RET_LOG ||
         (action == SECCOMP_RET_ERRNO && !always_succeeds(number));
}

}  // namespace

NotedFilter note_filter(const sock_fprog* program) {
  std::uint32_t lost = 0;
  // Otherwise the kernel will refuse it.
  if (is_readable(program, sizeof *program) && program->len <= BPF_MAXINSNS &&
      is_readable(program->filter, program->len * sizeof *program->filter)) {
    for (const OwnCall& call : kOwnCalls) {
      if ((lost & call.abilities) != call.abilities &&
          !is_harmless(Filter(*program, call).run(), call.number))
        lost |= call.abilities;
    }
  }
  const std::uint32_t before = g_abilities.fetch_and(~lost);
  return {before, before & ~lost};
}

NotedFilter note_strict_mode() {
  return {g_abilities.exchange(0), 0};
}

void forget_filter(const NotedFilter& noted) {
  std::uint32_t after = noted.after;
  g_abilities.compare_exchange_strong(after, noted.before);
}

void wait_on(const void* word, std::uint32_t expected, long timeout_ns) {
  if (may(kMayWait)) [[likely]] {
    sys::futex_wait(word, expected, timeout_ns);
    return;
  }
  constexpr int kSpins = 1000;
  const auto* value = static_cast<const std::atomic<std::uint32_t>*>(word);
  for (int i = 0; i < kSpins && value->load(std::memory_order_relaxed) == expected; ++i)
    __builtin_ia32_pause();
}

void wake(const void* word) {
  if (may(kMayWait)) [[likely]]
    sys::futex_wake(word);
}

}  // namespace tidemark::preload
