/// What a test orders the fault object to do, and what it hears back. Both are built together.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <type_traits>

namespace tidemark::faults {

/// Calls are counted by kind: the n-th of a kind can be made to fail.
enum class Call : std::uint32_t {
  kAllocate,  ///< malloc, calloc, realloc, aligned_alloc and kin, and so operator new.
  kNew,       ///< Of these, the ones by operator new, and else by the C++ library.
  kOpen,      ///< open, openat, fopen
  kRead,      ///< read, pread, readv
  kWrite,     ///< write, pwrite, writev, but for standard error
  kStream,    ///< fwrite, fputs, fflush, but for standard error
  kMap,       ///< mmap
  kTruncate,  ///< ftruncate, fallocate
  kClose,     ///< close, fclose
  kSync,      ///< fsync, fdatasync
  kRename,    ///< rename, renameat
  kMemfd,     ///< memfd_create
  kProcess,   ///< fork, posix_spawn
  kExec,      ///< execve
  kThread,    ///< pthread_create
  kWait,      ///< waitid, waitpid, wait4
  kPoll,      ///< poll
  kControl,   ///< ioctl, fcntl, fchmod, prctl
  kStat,      ///< stat, fstat, access, readlink and kin
  kFolder,    ///< mkdir, opendir, readdir, closedir
  kRemove,    ///< unlink, unlinkat
  kPipe,      ///< pipe2
  kLimit,     ///< getrlimit, setrlimit
  kSystem,    ///< syscall(...), but for futex
  kEnd        ///< Not a kind: how many there are.
};
constexpr std::size_t kCallKinds = static_cast<std::size_t>(Call::kEnd);

enum class Effect : std::uint32_t {
  kCount,     ///< Nothing fails.
  kFail,      ///< The call does nothing and reports `error`.
  kShort,     ///< Of a read or write: half of it is done.
  kDiskFull,  ///< Of writes, in bytes: what goes beyond the n-th byte is refused with ENOSPC.
  kDie,       ///< The call is done; then SIGKILL.
};

struct Fault {
  Call call = Call::kAllocate;
  Effect effect = Effect::kCount;
  std::uint64_t number = 0;  ///< From 1 on.
  std::int32_t error = 0;    ///< errno.
  std::uint32_t lasts = 0;   ///< 1: every later call of the kind fails too.
};

/// Sent once the program runs, and once it has ended.
struct Reply {
  std::int32_t pid = 0;
  std::int32_t wait_status = 0;  ///< As waitpid says it.
  std::uint64_t faults = 0;      ///< Times that something was made to fail.
  std::uint64_t bytes_written = 0;
  std::array<std::uint64_t, kCallKinds> calls{};
};
static_assert(std::is_trivially_copyable_v<Fault> && std::is_trivially_copyable_v<Reply>);

/// Names the two ends of the pipes to the test, as "READ:WRITE".
constexpr const char* kPipesVariable = "TIDEMARK_FAULT_PIPES";

/// To repeat one fault by hand: the fields of Fault in their order, as "0:1:17:12:0".
constexpr const char* kFaultVariable = "TIDEMARK_FAULT";

}  // namespace tidemark::faults
