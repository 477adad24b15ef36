/// The calls of a program under test that may fail.
///
/// Only what a program calls by way of its dynamic symbols is seen: glibc's calls of itself are not
/// (the open of fopen; so fopen is a call of its own here).
#include "tests/faults/fault_verdict.hpp"

#include <cerrno>
#include <cstdarg>
#include <cstdio>
#include <cstdlib>

#include <dirent.h>
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <spawn.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <unistd.h>

// What is redefined here has attributes in libc's headers that say it never gets a null pointer.
#pragma GCC diagnostic ignored "-Wnonnull-compare"

using namespace tidemark::faults;

extern "C" {

void* __libc_malloc(std::size_t bytes);
void* __libc_calloc(std::size_t count, std::size_t bytes);
void* __libc_realloc(void* old, std::size_t bytes);
void* __libc_memalign(std::size_t alignment, std::size_t bytes);

// Memory ------------------------------------------------------------------------------------------

void* malloc(std::size_t bytes) noexcept {
  return allocation_fails(__builtin_return_address(0)) ? nullptr : __libc_malloc(bytes);
}
void* calloc(std::size_t count, std::size_t bytes) noexcept {
  return allocation_fails(__builtin_return_address(0)) ? nullptr : __libc_calloc(count, bytes);
}
void* realloc(void* old, std::size_t bytes) noexcept {
  return allocation_fails(__builtin_return_address(0)) ? nullptr : __libc_realloc(old, bytes);
}
void* aligned_alloc(std::size_t alignment, std::size_t bytes) noexcept {
  return allocation_fails(__builtin_return_address(0)) ? nullptr
                                                       : __libc_memalign(alignment, bytes);
}
void* memalign(std::size_t alignment, std::size_t bytes) noexcept {
  return allocation_fails(__builtin_return_address(0)) ? nullptr
                                                       : __libc_memalign(alignment, bytes);
}
int posix_memalign(void** out, std::size_t alignment, std::size_t bytes) noexcept {
  void* const memory =
      allocation_fails(__builtin_return_address(0)) ? nullptr : __libc_memalign(alignment, bytes);
  if (memory == nullptr) {
    return ENOMEM;
  }
  *out = memory;
  return 0;
}

// Files -------------------------------------------------------------------------------------------

#define TIDEMARK_OPEN_MODE(flags)                                   \
  mode_t mode = 0;                                                  \
  if (((flags)&O_CREAT) != 0 || ((flags)&O_TMPFILE) == O_TMPFILE) { \
    va_list rest;                                                   \
    va_start(rest, flags);                                          \
    mode = va_arg(rest, mode_t);                                    \
    va_end(rest);                                                   \
  }

int open(const char* path, int flags, ...) {
  TIDEMARK_OPEN_MODE(flags)
  return fails(Call::kOpen) ? -1 : TIDEMARK_REAL(open)(path, flags, mode);
}
int open64(const char* path, int flags, ...) {
  TIDEMARK_OPEN_MODE(flags)
  return fails(Call::kOpen) ? -1 : TIDEMARK_REAL(open64)(path, flags, mode);
}
int openat(int folder, const char* path, int flags, ...) {
  TIDEMARK_OPEN_MODE(flags)
  return fails(Call::kOpen) ? -1 : TIDEMARK_REAL(openat)(folder, path, flags, mode);
}
int openat64(int folder, const char* path, int flags, ...) {
  TIDEMARK_OPEN_MODE(flags)
  return fails(Call::kOpen) ? -1 : TIDEMARK_REAL(openat64)(folder, path, flags, mode);
}
FILE* fopen(const char* path, const char* mode) {
  return fails(Call::kOpen) ? nullptr : TIDEMARK_REAL(fopen)(path, mode);
}
FILE* fopen64(const char* path, const char* mode) {
  return fails(Call::kOpen) ? nullptr : TIDEMARK_REAL(fopen64)(path, mode);
}
ssize_t read(int descriptor, void* to, std::size_t bytes) {
  return checked_read(
      bytes, [&](std::size_t share) { return TIDEMARK_REAL(read)(descriptor, to, share); });
}
ssize_t pread(int descriptor, void* to, std::size_t bytes, off_t at) {
  return checked_read(
      bytes, [&](std::size_t share) { return TIDEMARK_REAL(pread)(descriptor, to, share, at); });
}
ssize_t pread64(int descriptor, void* to, std::size_t bytes, off64_t at) {
  return checked_read(
      bytes, [&](std::size_t share) { return TIDEMARK_REAL(pread64)(descriptor, to, share, at); });
}
ssize_t readv(int descriptor, const iovec* pieces, int count) {
  return fails(Call::kRead) ? -1 : TIDEMARK_REAL(readv)(descriptor, pieces, count);
}
ssize_t write(int descriptor, const void* from, std::size_t bytes) {
  return checked_write(descriptor, bytes, [&](std::size_t share) {
    return TIDEMARK_REAL(write)(descriptor, from, share);
  });
}
ssize_t pwrite(int descriptor, const void* from, std::size_t bytes, off_t at) {
  return checked_write(descriptor, bytes, [&](std::size_t share) {
    return TIDEMARK_REAL(pwrite)(descriptor, from, share, at);
  });
}
ssize_t writev(int descriptor, const iovec* pieces, int count) {
  std::size_t bytes = 0;
  for (int i = 0; i < count; ++i) {
    bytes += pieces[i].iov_len;
  }
  return checked_write(descriptor, bytes, [&](std::size_t share) -> ssize_t {
    if (share == bytes) {
      return TIDEMARK_REAL(writev)(descriptor, pieces, count);
    }
    // In part: the first piece that has something.
    for (int i = 0; i < count; ++i) {
      if (pieces[i].iov_len != 0) {
        return TIDEMARK_REAL(write)(descriptor, pieces[i].iov_base,
                                    share < pieces[i].iov_len ? share : pieces[i].iov_len);
      }
    }
    return 0;
  });
}
std::size_t fwrite(const void* from, std::size_t size, std::size_t count, FILE* stream) {
  return stream != stderr && fails(Call::kStream)
             ? 0
             : TIDEMARK_REAL(fwrite)(from, size, count, stream);
}
int fputs(const char* text, FILE* stream) {
  return stream != stderr && fails(Call::kStream) ? EOF : TIDEMARK_REAL(fputs)(text, stream);
}
int fflush(FILE* stream) {
  return stream != stderr && fails(Call::kStream) ? EOF : TIDEMARK_REAL(fflush)(stream);
}
int ftruncate(int descriptor, off_t size) noexcept {
  return fails(Call::kTruncate) ? -1 : TIDEMARK_REAL(ftruncate)(descriptor, size);
}
int ftruncate64(int descriptor, off64_t size) noexcept {
  return fails(Call::kTruncate) ? -1 : TIDEMARK_REAL(ftruncate64)(descriptor, size);
}
int fallocate(int descriptor, int mode, off_t at, off_t size) {
  return fails(Call::kTruncate) ? -1 : TIDEMARK_REAL(fallocate)(descriptor, mode, at, size);
}
int fallocate64(int descriptor, int mode, off64_t at, off64_t size) {
  return fails(Call::kTruncate) ? -1 : TIDEMARK_REAL(fallocate64)(descriptor, mode, at, size);
}
/// The descriptor is closed in any case, as Linux does it.
int close(int descriptor) {
  const bool is_failure = fails(Call::kClose);
  const int error = errno;
  const int result = TIDEMARK_REAL(close)(descriptor);
  if (is_failure) {
    errno = error;
  }
  return is_failure ? -1 : result;
}
int fclose(FILE* stream) {
  const bool is_failure = fails(Call::kClose);
  const int error = errno;
  const int result = TIDEMARK_REAL(fclose)(stream);
  if (is_failure) {
    errno = error;
  }
  return is_failure ? EOF : result;
}
int fsync(int descriptor) {
  return fails(Call::kSync) ? -1 : TIDEMARK_REAL(fsync)(descriptor);
}
int fdatasync(int descriptor) {
  return fails(Call::kSync) ? -1 : TIDEMARK_REAL(fdatasync)(descriptor);
}
int rename(const char* from, const char* to) noexcept {
  return fails(Call::kRename) ? -1 : TIDEMARK_REAL(rename)(from, to);
}
int renameat(int from_folder, const char* from, int to_folder, const char* to) noexcept {
  return fails(Call::kRename) ? -1 : TIDEMARK_REAL(renameat)(from_folder, from, to_folder, to);
}
int renameat2(
    int from_folder, const char* from, int to_folder, const char* to, unsigned flags) noexcept {
  return fails(Call::kRename) ? -1
                              : TIDEMARK_REAL(renameat2)(from_folder, from, to_folder, to, flags);
}
int linkat(int from_folder, const char* from, int to_folder, const char* to, int flags) noexcept {
  return fails(Call::kRename) ? -1 : TIDEMARK_REAL(linkat)(from_folder, from, to_folder, to, flags);
}
int unlink(const char* path) noexcept {
  return fails(Call::kRemove) ? -1 : TIDEMARK_REAL(unlink)(path);
}
int unlinkat(int folder, const char* path, int flags) noexcept {
  return fails(Call::kRemove) ? -1 : TIDEMARK_REAL(unlinkat)(folder, path, flags);
}
int mkdir(const char* path, mode_t mode) noexcept {
  return fails(Call::kFolder) ? -1 : TIDEMARK_REAL(mkdir)(path, mode);
}
DIR* opendir(const char* path) {
  return fails(Call::kFolder) ? nullptr : TIDEMARK_REAL(opendir)(path);
}
DIR* fdopendir(int descriptor) {
  return fails(Call::kFolder) ? nullptr : TIDEMARK_REAL(fdopendir)(descriptor);
}
dirent* readdir(DIR* folder) {
  return fails(Call::kFolder) ? nullptr : TIDEMARK_REAL(readdir)(folder);
}
int stat(const char* path, struct stat* out) noexcept {
  return fails(Call::kStat) ? -1 : TIDEMARK_REAL(stat)(path, out);
}
int fstat(int descriptor, struct stat* out) noexcept {
  return fails(Call::kStat) ? -1 : TIDEMARK_REAL(fstat)(descriptor, out);
}
int lstat(const char* path, struct stat* out) noexcept {
  return fails(Call::kStat) ? -1 : TIDEMARK_REAL(lstat)(path, out);
}
int fstatat(int folder, const char* path, struct stat* out, int flags) noexcept {
  return fails(Call::kStat) ? -1 : TIDEMARK_REAL(fstatat)(folder, path, out, flags);
}
int access(const char* path, int mode) noexcept {
  return fails(Call::kStat) ? -1 : TIDEMARK_REAL(access)(path, mode);
}
int faccessat(int folder, const char* path, int mode, int flags) noexcept {
  return fails(Call::kStat) ? -1 : TIDEMARK_REAL(faccessat)(folder, path, mode, flags);
}
ssize_t readlink(const char* path, char* to, std::size_t bytes) noexcept {
  return fails(Call::kStat) ? -1 : TIDEMARK_REAL(readlink)(path, to, bytes);
}
char* realpath(const char* path, char* to) noexcept {
  return fails(Call::kStat) ? nullptr : TIDEMARK_REAL(realpath)(path, to);
}
int pipe2(int* ends, int flags) noexcept {
  return fails(Call::kPipe) ? -1 : TIDEMARK_REAL(pipe2)(ends, flags);
}
int fchmod(int descriptor, mode_t mode) noexcept {
  return fails(Call::kControl) ? -1 : TIDEMARK_REAL(fchmod)(descriptor, mode);
}
int fcntl(int descriptor, int command, ...) {
  va_list rest;
  va_start(rest, command);
  void* const argument = va_arg(rest, void*);
  va_end(rest);
  return fails(Call::kControl) ? -1 : TIDEMARK_REAL(fcntl)(descriptor, command, argument);
}
int fcntl64(int descriptor, int command, ...) {
  va_list rest;
  va_start(rest, command);
  void* const argument = va_arg(rest, void*);
  va_end(rest);
  return fails(Call::kControl) ? -1 : TIDEMARK_REAL(fcntl64)(descriptor, command, argument);
}
int ioctl(int descriptor, unsigned long request, ...) noexcept {
  va_list rest;
  va_start(rest, request);
  void* const argument = va_arg(rest, void*);
  va_end(rest);
  return fails(Call::kControl) ? -1 : TIDEMARK_REAL(ioctl)(descriptor, request, argument);
}
int poll(pollfd* descriptors, nfds_t count, int timeout) {
  return fails(Call::kPoll) ? -1 : TIDEMARK_REAL(poll)(descriptors, count, timeout);
}

// Memory of the system ----------------------------------------------------------------------------

void* mmap(
    void* at, std::size_t bytes, int access, int flags, int descriptor, off_t offset) noexcept {
  return fails(Call::kMap) ? MAP_FAILED
                           : TIDEMARK_REAL(mmap)(at, bytes, access, flags, descriptor, offset);
}
void* mmap64(
    void* at, std::size_t bytes, int access, int flags, int descriptor, off64_t offset) noexcept {
  return fails(Call::kMap) ? MAP_FAILED
                           : TIDEMARK_REAL(mmap64)(at, bytes, access, flags, descriptor, offset);
}
int memfd_create(const char* name, unsigned flags) noexcept {
  return fails(Call::kMemfd) ? -1 : TIDEMARK_REAL(memfd_create)(name, flags);
}

// Processes ---------------------------------------------------------------------------------------

pid_t fork() noexcept {
  return fails(Call::kProcess) ? -1 : TIDEMARK_REAL(fork)();
}
int posix_spawn(pid_t* child,
                const char* path,
                const posix_spawn_file_actions_t* actions,
                const posix_spawnattr_t* attributes,
                char* const* arguments,
                char* const* environment) {
  return fails(Call::kProcess)
             ? g_fault.error
             : TIDEMARK_REAL(posix_spawn)(child, path, actions, attributes, arguments, environment);
}
int execve(const char* path, char* const* arguments, char* const* environment) noexcept {
  return fails(Call::kExec) ? -1 : TIDEMARK_REAL(execve)(path, arguments, environment);
}
int pthread_create(pthread_t* thread,
                   const pthread_attr_t* attributes,
                   void* (*run)(void*),
                   void* argument) noexcept {
  return fails(Call::kThread) ? g_fault.error
                              : TIDEMARK_REAL(pthread_create)(thread, attributes, run, argument);
}
int waitid(idtype_t kind, id_t id, siginfo_t* info, int options) {
  return fails(Call::kWait) ? -1 : TIDEMARK_REAL(waitid)(kind, id, info, options);
}
pid_t waitpid(pid_t child, int* status, int options) {
  return fails(Call::kWait) ? -1 : TIDEMARK_REAL(waitpid)(child, status, options);
}
pid_t wait4(pid_t child, int* status, int options, rusage* usage) noexcept {
  return fails(Call::kWait) ? -1 : TIDEMARK_REAL(wait4)(child, status, options, usage);
}
int getrlimit(__rlimit_resource_t what, rlimit* limit) noexcept {
  return fails(Call::kLimit) ? -1 : TIDEMARK_REAL(getrlimit)(what, limit);
}
int setrlimit(__rlimit_resource_t what, const rlimit* limit) noexcept {
  return fails(Call::kLimit) ? -1 : TIDEMARK_REAL(setrlimit)(what, limit);
}
long syscall(long number, ...) noexcept {
  va_list rest;
  va_start(rest, number);
  long arguments[6];
  for (long& argument : arguments) {
    argument = va_arg(rest, long);
  }
  va_end(rest);
  if (number != SYS_futex && fails(Call::kSystem)) {
    return -1;
  }
  return TIDEMARK_REAL(syscall)(number, arguments[0], arguments[1], arguments[2], arguments[3],
                                arguments[4], arguments[5]);
}

}  // extern "C"
