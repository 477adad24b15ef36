// Mappings and the program break. What libc maps for itself (malloc's own memory, thread stacks,
// stdio) does not pass through these names, so it is never counted twice.

#include "preload/hooks/mappings.hpp"

#include "preload/entry_points/export.hpp"
#include "preload/entry_points/mappings_by_number.hpp"
#include "preload/hooks/files.hpp"
#include "preload/hooks/queued_reads.hpp"
#include "preload/session/own_memory.hpp"
#include "preload/session/process.hpp"

#include <stdarg.h>
#include <sys/mman.h>

namespace preload = tidemark::preload;
namespace real = tidemark::real;

namespace {

/// The real calls. A library before libc may define these functions and call the kernel by number
/// (tcmalloc does). So a call that came by number is passed on by number, else it would come back
/// to us.
struct ByName {
  static void* map(void* hint, const preload::MapRequest& request) {
    return real::mmap(hint, request.length, request.protection, request.flags, request.descriptor,
                      request.offset);
  }
  static int unmap(void* address, std::size_t length) { return real::munmap(address, length); }
  static void* remap(
      void* address, std::size_t old_length, std::size_t length, int flags, void* new_address) {
    return real::mremap(address, old_length, length, flags, new_address);
  }
  static int protect(void* address, std::size_t length, int protection) {
    return real::mprotect(address, length, protection);
  }
  static int advise(void* address, std::size_t length, int advice) {
    return real::madvise(address, length, advice);
  }
};

struct ByNumber {
  static long number_of(const void* address) { return reinterpret_cast<long>(address); }
  static void* map(void* hint, const preload::MapRequest& request) {
    return reinterpret_cast<void*>(
        real::syscall(SYS_mmap, number_of(hint), static_cast<long>(request.length),
                      request.protection, request.flags, request.descriptor, request.offset));
  }
  static int unmap(void* address, std::size_t length) {
    return static_cast<int>(
        real::syscall(SYS_munmap, number_of(address), static_cast<long>(length), 0L, 0L, 0L, 0L));
  }
  static void* remap(
      void* address, std::size_t old_length, std::size_t length, int flags, void* new_address) {
    return reinterpret_cast<void*>(
        real::syscall(SYS_mremap, number_of(address), static_cast<long>(old_length),
                      static_cast<long>(length), flags, number_of(new_address), 0L));
  }
  static int protect(void* address, std::size_t length, int protection) {
    return static_cast<int>(real::syscall(SYS_mprotect, number_of(address),
                                          static_cast<long>(length), protection, 0L, 0L, 0L));
  }
  static int advise(void* address, std::size_t length, int advice) {
    return static_cast<int>(real::syscall(SYS_madvise, number_of(address),
                                          static_cast<long>(length), advice, 0L, 0L, 0L));
  }
};

template <typename Real>
[[gnu::always_inline]] inline void* map(void* hint,
                                        const preload::MapRequest& request,
                                        const tidemark::unwind::FrameState& caller) {
  bool is_other = false;
  if ((request.flags & MAP_ANONYMOUS) == 0)
    is_other = !preload::know_descriptor(request.descriptor, caller);
  void* result = Real::map(hint, request);
  if (is_other)
    preload::note_ring_mapping(request.descriptor, static_cast<std::uint64_t>(request.offset),
                               result);
  preload::record_map(result, request, caller);
  return result;
}

}  // namespace

TIDEMARK_EXPORT void* mmap(
    void* hint, std::size_t length, int prot, int flags, int fd, off_t offset) {
  real::need();
  return map<ByName>(hint, {length, prot, flags, fd, offset}, TIDEMARK_CALLER);
}

TIDEMARK_ALIAS(mmap64, mmap)

namespace {

/// The kernel refuses such a call as a whole: nothing is unmapped, and nothing is recorded.
bool is_refused(std::uint64_t begin, std::size_t length) {
  constexpr std::uint64_t kUserEnd = std::uint64_t{1} << 47U;
  return length == 0 || begin % tidemark::wire::kPageBytes != 0 || begin > kUserEnd ||
         length > kUserEnd - begin;
}

/// Unmaps the range except for tidemark's own memory.
template <typename Real>
int unmap(void* address, std::size_t length) {
  auto begin = reinterpret_cast<std::uint64_t>(address);
  const std::uint64_t end = begin + length;
  for (preload::AddressRange own = preload::find_own({begin, end}); !own.is_empty();
       own = preload::find_own({begin, end})) {
    if (own.begin > begin)
      Real::unmap(reinterpret_cast<void*>(begin), own.begin - begin);
    begin = own.end;
  }
  return begin < end ? Real::unmap(reinterpret_cast<void*>(begin), end - begin) : 0;
}

template <typename Real>
[[gnu::always_inline]] inline int unmap_recorded(void* address, std::size_t length) {
  if (is_refused(reinterpret_cast<std::uint64_t>(address), length))
    return Real::unmap(address, length);
  preload::note_ring_unmapping(reinterpret_cast<std::uint64_t>(address), length);
  preload::record_unmap(address, length);
  const int result = unmap<Real>(address, length);
  if (result != 0)
    preload::record_unmap_failed(address, length);
  return result;
}

template <typename Real>
[[gnu::always_inline]] inline void* remap(void* old_address,
                                          std::size_t old_length,
                                          std::size_t length,
                                          int flags,
                                          void* new_address,
                                          const tidemark::unwind::FrameState& caller) {
  preload::record_remap_begin(old_address, old_length);
  void* result = Real::remap(old_address, old_length, length, flags, new_address);
  preload::record_remap_end(result, length, flags, caller);
  return result;
}

template <typename Real>
[[gnu::always_inline]] inline int protect(void* address,
                                          std::size_t length,
                                          int protection,
                                          const tidemark::unwind::FrameState& caller) {
  const int result = Real::protect(address, length, protection);
  if (result == 0)
    preload::record_protect(address, length, protection, caller);
  return result;
}

template <typename Real>
[[gnu::always_inline]] inline int advise(void* address, std::size_t length, int advice) {
  const int result = Real::advise(address, length, advice);
  if (result == 0)
    preload::record_advise(address, length, advice);
  return result;
}

}  // namespace

long preload::map_by_number(long number,
                            const long (&arguments)[6],
                            const unwind::FrameState& caller) {
  const auto [a, b, c, d, e, f] = arguments;
  // The allocator's own call, even if it defines this function itself: memory that it takes is
  // counted by the blocks that it hands out, and calls that pass through it are recorded under its
  // name.
  if (real::is_allocator_code(reinterpret_cast<const void*>(caller.pc)))
    return real::syscall(number, a, b, c, d, e, f);
  auto* const address = reinterpret_cast<void*>(a);
  const auto length = static_cast<std::size_t>(b);
  switch (number) {
    case SYS_mmap:
      return reinterpret_cast<long>(map<ByNumber>(
          address, {length, static_cast<int>(c), static_cast<int>(d), static_cast<int>(e), f},
          caller));
    case SYS_munmap:
      return unmap_recorded<ByNumber>(address, length);
    case SYS_mremap:
      return reinterpret_cast<long>(remap<ByNumber>(address, length, static_cast<std::size_t>(c),
                                                    static_cast<int>(d), reinterpret_cast<void*>(e),
                                                    caller));
    case SYS_mprotect:
      return protect<ByNumber>(address, length, static_cast<int>(c), caller);
    default:
      return advise<ByNumber>(address, length, static_cast<int>(c));
  }
}

TIDEMARK_EXPORT int munmap(void* address, std::size_t length) {
  real::need();
  return unmap_recorded<ByName>(address, length);
}

TIDEMARK_EXPORT void* mremap(
    void* old_address, std::size_t old_length, std::size_t length, int flags, ...) {
  real::need();
  void* new_address = nullptr;
  if ((flags & MREMAP_FIXED) != 0) {
    va_list rest;
    va_start(rest, flags);
    new_address = va_arg(rest, void*);
    va_end(rest);
  }
  return remap<ByName>(old_address, old_length, length, flags, new_address, TIDEMARK_CALLER);
}

TIDEMARK_EXPORT int mprotect(void* address, std::size_t length, int protection) {
  real::need();
  return protect<ByName>(address, length, protection, TIDEMARK_CALLER);
}

TIDEMARK_EXPORT int pkey_mprotect(void* address, std::size_t length, int protection, int key) {
  real::need();
  const int result = real::pkey_mprotect(address, length, protection, key);
  if (result == 0)
    preload::record_protect(address, length, protection, TIDEMARK_CALLER);
  return result;
}

TIDEMARK_EXPORT int madvise(void* address, std::size_t length, int advice) {
  real::need();
  return advise<ByName>(address, length, advice);
}

TIDEMARK_EXPORT int posix_madvise(void* address, std::size_t length, int advice) {
  real::need();
  const int result = real::posix_madvise(address, length, advice);
  // MADV_DONTNEED would throw pages away, which POSIX does not allow: libc does nothing then.
  if (result == 0 && advice != POSIX_MADV_DONTNEED)
    preload::record_advise(address, length, advice);
  return result;
}

// Locking all memory would populate the session too, gigabytes of it that nobody ever writes.
// Locked as it is touched, the host's memory behaves the same; only its first touches still fault.
TIDEMARK_EXPORT int mlockall(int flags) {
  real::need();
  const bool attached = preload::g_attachment.load() == preload::Attachment::kAttached;
  return real::mlockall(attached ? flags | MCL_ONFAULT : flags);
}

/// What is written to it by write is memory, too, and leaves no other record.
TIDEMARK_EXPORT int memfd_create(const char* name, unsigned flags) {
  real::need();
  const int result = real::memfd_create(name, flags);
  preload::record_open(result, nullptr, TIDEMARK_CALLER);
  return result;
}

TIDEMARK_EXPORT void* shmat(int segment, const void* address, int flags) {
  real::need();
  void* result = real::shmat(segment, address, flags);
  preload::record_attach(result, segment, TIDEMARK_CALLER);
  return result;
}

TIDEMARK_EXPORT int shmdt(const void* address) {
  real::need();
  preload::record_detach(address);
  return real::shmdt(address);
}

TIDEMARK_EXPORT void* sbrk(std::intptr_t increment) {
  real::need();
  void* before = real::sbrk(increment);
  if (before != reinterpret_cast<void*>(-1))
    preload::record_break(before, static_cast<char*>(before) + increment, TIDEMARK_CALLER);
  return before;
}

TIDEMARK_EXPORT int brk(void* address) {
  real::need();
  void* before = real::sbrk(0);
  const int result = real::brk(address);
  if (result == 0)
    preload::record_break(before, address, TIDEMARK_CALLER);
  return result;
}
