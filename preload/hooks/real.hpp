/// The real functions behind our hooks, as the next object in search order defines them: libc, or
/// an allocator that the host loads as a shared library.
#pragma once

#include <cstddef>
#include <cstdint>

#include <dirent.h>
#include <fcntl.h>
#include <pthread.h>
#include <spawn.h>
#include <stdio.h>
#include <sys/resource.h>
#include <sys/types.h>
#include <sys/uio.h>
#include <sys/wait.h>

struct termios;
struct winsize;

// The table of hooked C functions: TIDEMARK_HOOK(result, name, arguments). Declaration, definition
// and look-up all expand from it.
#define TIDEMARK_HOOKED_FUNCTIONS(HOOK)                                                          \
  HOOK(void*, malloc, (std::size_t))                                                             \
  HOOK(void*, calloc, (std::size_t, std::size_t))                                                \
  HOOK(void*, realloc, (void*, std::size_t))                                                     \
  HOOK(void, free, (void*))                                                                      \
  HOOK(int, posix_memalign, (void**, std::size_t, std::size_t))                                  \
  HOOK(void*, aligned_alloc, (std::size_t, std::size_t))                                         \
  HOOK(void*, memalign, (std::size_t, std::size_t))                                              \
  HOOK(void*, valloc, (std::size_t))                                                             \
  HOOK(void*, pvalloc, (std::size_t))                                                            \
  HOOK(char*, strdup, (const char*))                                                             \
  HOOK(char*, strndup, (const char*, std::size_t))                                               \
  HOOK(std::size_t, malloc_usable_size, (void*))                                                 \
  HOOK(void*, mmap, (void*, std::size_t, int, int, int, off_t))                                  \
  HOOK(int, munmap, (void*, std::size_t))                                                        \
  HOOK(void*, mremap, (void*, std::size_t, std::size_t, int, ...))                               \
  HOOK(int, mprotect, (void*, std::size_t, int))                                                 \
  HOOK(int, pkey_mprotect, (void*, std::size_t, int, int))                                       \
  HOOK(int, madvise, (void*, std::size_t, int))                                                  \
  HOOK(int, posix_madvise, (void*, std::size_t, int))                                            \
  HOOK(int, mlockall, (int))                                                                     \
  HOOK(int, brk, (void*))                                                                        \
  HOOK(void*, sbrk, (std::intptr_t))                                                             \
  HOOK(void*, shmat, (int, const void*, int))                                                    \
  HOOK(int, memfd_create, (const char*, unsigned))                                               \
  HOOK(int, shmdt, (const void*))                                                                \
  HOOK(int, open, (const char*, int, ...))                                                       \
  HOOK(int, openat, (int, const char*, int, ...))                                                \
  HOOK(int, creat, (const char*, mode_t))                                                        \
  HOOK(FILE*, fopen, (const char*, const char*))                                                 \
  HOOK(FILE*, freopen, (const char*, const char*, FILE*))                                        \
  HOOK(int, close, (int))                                                                        \
  HOOK(int, close_range, (unsigned, unsigned, int))                                              \
  HOOK(void, closefrom, (int))                                                                   \
  HOOK(int, fclose, (FILE*))                                                                     \
  HOOK(int, fseek, (FILE*, long, int))                                                           \
  HOOK(int, fseeko, (FILE*, off_t, int))                                                         \
  HOOK(int, fsetpos, (FILE*, const fpos_t*))                                                     \
  HOOK(void, rewind, (FILE*))                                                                    \
  HOOK(int, dup, (int))                                                                          \
  HOOK(int, dup2, (int, int))                                                                    \
  HOOK(int, dup3, (int, int, int))                                                               \
  HOOK(int, fcntl, (int, int, ...))                                                              \
  HOOK(ssize_t, read, (int, void*, std::size_t))                                                 \
  HOOK(ssize_t, __read_chk, (int, void*, std::size_t, std::size_t))                              \
  HOOK(ssize_t, pread, (int, void*, std::size_t, off_t))                                         \
  HOOK(ssize_t, __pread_chk, (int, void*, std::size_t, off_t, std::size_t))                      \
  HOOK(ssize_t, readv, (int, const iovec*, int))                                                 \
  HOOK(ssize_t, preadv, (int, const iovec*, int, off_t))                                         \
  HOOK(ssize_t, preadv2, (int, const iovec*, int, off_t, int))                                   \
  HOOK(std::size_t, fread, (void*, std::size_t, std::size_t, FILE*))                             \
  HOOK(std::size_t, fread_unlocked, (void*, std::size_t, std::size_t, FILE*))                    \
  HOOK(std::size_t, __fread_chk, (void*, std::size_t, std::size_t, std::size_t, FILE*))          \
  HOOK(std::size_t, __fread_unlocked_chk, (void*, std::size_t, std::size_t, std::size_t, FILE*)) \
  HOOK(char*, fgets, (char*, int, FILE*))                                                        \
  HOOK(char*, fgets_unlocked, (char*, int, FILE*))                                               \
  HOOK(char*, __fgets_chk, (char*, std::size_t, int, FILE*))                                     \
  HOOK(char*, __fgets_unlocked_chk, (char*, std::size_t, int, FILE*))                            \
  HOOK(ssize_t, getdelim, (char**, std::size_t*, int, FILE*))                                    \
  HOOK(int, posix_fadvise, (int, off_t, off_t, int))                                             \
  HOOK(ssize_t, sendfile, (int, int, off_t*, std::size_t))                                       \
  HOOK(ssize_t, copy_file_range, (int, off64_t*, int, off64_t*, std::size_t, unsigned))          \
  HOOK(ssize_t, splice, (int, off64_t*, int, off64_t*, std::size_t, unsigned))                   \
  HOOK(ssize_t, readahead, (int, off64_t, std::size_t))                                          \
  HOOK(int, execve, (const char*, char* const*, char* const*))                                   \
  HOOK(int, execvpe, (const char*, char* const*, char* const*))                                  \
  HOOK(int, fexecve, (int, char* const*, char* const*))                                          \
  HOOK(int, execveat, (int, const char*, char* const*, char* const*, int))                       \
  HOOK(int, posix_spawn,                                                                         \
       (pid_t*, const char*, const posix_spawn_file_actions_t*, const posix_spawnattr_t*,        \
        char* const*, char* const*))                                                             \
  HOOK(int, posix_spawnp,                                                                        \
       (pid_t*, const char*, const posix_spawn_file_actions_t*, const posix_spawnattr_t*,        \
        char* const*, char* const*))                                                             \
  HOOK(pid_t, fork, ())                                                                          \
  HOOK(pid_t, wait4, (pid_t, int*, int, rusage*))                                                \
  HOOK(pid_t, _Fork, ())                                                                         \
  HOOK(pid_t, forkpty, (int*, char*, const termios*, const winsize*))                            \
  HOOK(int, daemon, (int, int))                                                                  \
  HOOK(int, clone, (int (*)(void*), void*, int, void*, ...))                                     \
  HOOK(int, waitid, (idtype_t, id_t, siginfo_t*, int))                                           \
  HOOK(int, system, (const char*))                                                               \
  HOOK(int, pclose, (FILE*))                                                                     \
  HOOK(int, dlclose, (void*))                                                                    \
  HOOK(int, pthread_setname_np, (pthread_t, const char*))                                        \
  HOOK(int, prctl, (int, ...))                                                                   \
  HOOK(long, syscall, (long, ...))                                                               \
  HOOK(int, unshare, (int))                                                                      \
  HOOK(int, setns, (int, int))                                                                   \
  HOOK(int, chroot, (const char*))                                                               \
  HOOK(int, setuid, (uid_t))                                                                     \
  HOOK(int, setreuid, (uid_t, uid_t))                                                            \
  HOOK(int, setresuid, (uid_t, uid_t, uid_t))                                                    \
  HOOK(int, setgid, (gid_t))                                                                     \
  HOOK(int, setregid, (gid_t, gid_t))                                                            \
  HOOK(int, setresgid, (gid_t, gid_t, gid_t))

// C++ operators by their mangled names, which tell size, alignment and nothrow variants apart.
#define TIDEMARK_HOOKED_OPERATORS(HOOK)                                                    \
  HOOK(void*, _Znwm, (std::size_t))                                                        \
  HOOK(void*, _Znam, (std::size_t))                                                        \
  HOOK(void*, _ZnwmRKSt9nothrow_t, (std::size_t, const void*))                             \
  HOOK(void*, _ZnamRKSt9nothrow_t, (std::size_t, const void*))                             \
  HOOK(void*, _ZnwmSt11align_val_t, (std::size_t, std::size_t))                            \
  HOOK(void*, _ZnamSt11align_val_t, (std::size_t, std::size_t))                            \
  HOOK(void*, _ZnwmSt11align_val_tRKSt9nothrow_t, (std::size_t, std::size_t, const void*)) \
  HOOK(void*, _ZnamSt11align_val_tRKSt9nothrow_t, (std::size_t, std::size_t, const void*)) \
  HOOK(void, _ZdlPv, (void*))                                                              \
  HOOK(void, _ZdaPv, (void*))                                                              \
  HOOK(void, _ZdlPvm, (void*, std::size_t))                                                \
  HOOK(void, _ZdaPvm, (void*, std::size_t))                                                \
  HOOK(void, _ZdlPvRKSt9nothrow_t, (void*, const void*))                                   \
  HOOK(void, _ZdaPvRKSt9nothrow_t, (void*, const void*))                                   \
  HOOK(void, _ZdlPvSt11align_val_t, (void*, std::size_t))                                  \
  HOOK(void, _ZdaPvSt11align_val_t, (void*, std::size_t))                                  \
  HOOK(void, _ZdlPvmSt11align_val_t, (void*, std::size_t, std::size_t))                    \
  HOOK(void, _ZdaPvmSt11align_val_t, (void*, std::size_t, std::size_t))                    \
  HOOK(void, _ZdlPvSt11align_val_tRKSt9nothrow_t, (void*, std::size_t, const void*))       \
  HOOK(void, _ZdaPvSt11align_val_tRKSt9nothrow_t, (void*, std::size_t, const void*))

namespace tidemark::real {

#define TIDEMARK_DECLARE(result, name, arguments) \
  using name##_type = result(*) arguments;        \
  extern name##_type name;
TIDEMARK_HOOKED_FUNCTIONS(TIDEMARK_DECLARE)
TIDEMARK_HOOKED_OPERATORS(TIDEMARK_DECLARE)
#undef TIDEMARK_DECLARE

/// True once every pointer above is set (null where the function does not exist here).
extern bool g_known;

/// Looks everything up. Called by the first hook of the process, before any thread exists. Calls
/// none of the host's functions, since that hook may run under a lock of the host's own allocator.
void look_up();

inline void need() {
  if (!g_known) [[unlikely]]
    look_up();
}

/// Looks up a C++ operator at its first use, since a C program may load libstdc++ late and
/// privately. @return nullptr when no loaded object has it.
void* find_operator(const char* symbol);
/// The same for a function of a C library that the program uses.
void* find_library_function(const char* name);
/// The one that the object containing `caller` defines itself; valid only while that object is
/// loaded.
void* find_operator_of(const void* caller, const char* symbol);

/// True when every block comes from libc's own heap, where malloc_usable_size reads only the
/// block's header.
extern bool g_heap_is_libc;

/// Code ranges of foreign allocators: the object that defines the real malloc, if that is not libc,
/// and those whose functions the program calls by their own names.
struct AllocatorCode {
  std::uint64_t begin = 0;
  std::uint64_t bytes = 0;
};
constexpr std::uint32_t kMaxAllocators = 8;
extern AllocatorCode g_allocators[kMaxAllocators];
extern std::uint32_t g_allocator_count;

bool is_in_allocators(const void* address, std::uint32_t count);

/// True for code of a foreign allocator, whose mappings back the heap. libc's own mappings never
/// pass through our hooks.
inline bool is_allocator_code(const void* address) {
  const std::uint32_t count = __atomic_load_n(&g_allocator_count, __ATOMIC_ACQUIRE);
  return count != 0 && is_in_allocators(address, count);
}

/// Notes that the object containing `function` is an allocator. Beyond kMaxAllocators it is
/// ignored, and its mappings are counted in addition to its blocks. If another thread is noting one
/// at this moment, does nothing: the next call will.
void note_allocator(const void* function);

/// The same, for a function that may not be there.
template <typename Result, typename... Arguments>
bool is_allocators_own(Result (*function)(Arguments...)) {
  return is_allocator_code(reinterpret_cast<const void*>(function));
}

}  // namespace tidemark::real
