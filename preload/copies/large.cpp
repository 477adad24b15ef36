// Large calls: libc's function does the work, then the call is recorded. Afterwards, because only
// then are the bytes there; and neither block may be freed while the copy runs.
//
// copies.S jumps here, so the caller of each of these functions is the program.

#include "preload/copies/early.hpp"
#include "preload/hooks/copies.hpp"
#include "preload/os/symbol_search.hpp"
#include "preload/wire/record.hpp"

static_assert(tidemark::wire::kLargeTouch == 65536, "copies.S compares with it");

// Null where the first object is not loaded.
#pragma weak tidemark_record_copy
#pragma weak tidemark_record_fill

// TIDEMARK_REAL(name): libc's function, jumped through in copies.S; null until `look_up` ran.
#define TIDEMARK_REAL_FUNCTIONS(REAL)                                        \
  REAL(void*, memcpy, (void*, const void*, std::size_t))                     \
  REAL(void*, memmove, (void*, const void*, std::size_t))                    \
  REAL(void*, memset, (void*, int, std::size_t))                             \
  REAL(void*, mempcpy, (void*, const void*, std::size_t))                    \
  REAL(void*, __memcpy_chk, (void*, const void*, std::size_t, std::size_t))  \
  REAL(void*, __memmove_chk, (void*, const void*, std::size_t, std::size_t)) \
  REAL(void*, __memset_chk, (void*, int, std::size_t, std::size_t))          \
  REAL(void*, __mempcpy_chk, (void*, const void*, std::size_t, std::size_t))

#define TIDEMARK_DEFINE(result, name, arguments)    \
  using name##_type = result(*) arguments;          \
  TIDEMARK_HIDDEN name##_type tidemark_real_##name; \
  constinit name##_type tidemark_real_##name = nullptr;
TIDEMARK_REAL_FUNCTIONS(TIDEMARK_DEFINE)
#undef TIDEMARK_DEFINE

namespace {

__attribute__((constructor)) void look_up() {
#define TIDEMARK_SET(result, name, arguments) \
  tidemark_real_##name =                      \
      reinterpret_cast<name##_type>(tidemark::preload::find_next_function(#name));
  TIDEMARK_REAL_FUNCTIONS(TIDEMARK_SET)
#undef TIDEMARK_SET
  // Programs linked before glibc 2.14 use a memcpy that allows overlaps; it has the same name here.
  tidemark_real_memcpy = tidemark_real_memmove;
}

void copied(const void* to,
            const void* from,
            std::size_t bytes,
            const tidemark::unwind::FrameState& caller) {
  if (tidemark_record_copy != nullptr)
    tidemark_record_copy(to, from, bytes, &caller);
}

void filled(const void* to, std::size_t bytes, const tidemark::unwind::FrameState& caller) {
  if (tidemark_record_fill != nullptr)
    tidemark_record_fill(to, bytes, &caller);
}

}  // namespace

TIDEMARK_HIDDEN void* tidemark_large_copy(void* to, const void* from, std::size_t bytes) {
  if (tidemark_real_memcpy == nullptr)
    return tidemark_early_copy(to, from, bytes);
  void* result = tidemark_real_memcpy(to, from, bytes);
  copied(to, from, bytes, TIDEMARK_CALLER);
  return result;
}

TIDEMARK_HIDDEN void* tidemark_large_move(void* to, const void* from, std::size_t bytes) {
  if (tidemark_real_memmove == nullptr)
    return tidemark_early_copy(to, from, bytes);
  void* result = tidemark_real_memmove(to, from, bytes);
  copied(to, from, bytes, TIDEMARK_CALLER);
  return result;
}

TIDEMARK_HIDDEN void* tidemark_large_fill(void* to, int value, std::size_t bytes) {
  if (tidemark_real_memset == nullptr)
    return tidemark_early_fill(to, value, bytes);
  void* result = tidemark_real_memset(to, value, bytes);
  filled(to, bytes, TIDEMARK_CALLER);
  return result;
}

TIDEMARK_HIDDEN void* tidemark_large_copy_end(void* to, const void* from, std::size_t bytes) {
  if (tidemark_real_mempcpy == nullptr)
    return tidemark_early_copy_end(to, from, bytes);
  void* result = tidemark_real_mempcpy(to, from, bytes);
  copied(to, from, bytes, TIDEMARK_CALLER);
  return result;
}

// The fortified ones: libc's end the program where `bytes` exceeds `capacity`.

TIDEMARK_HIDDEN void* tidemark_checked_copy(void* to,
                                            const void* from,
                                            std::size_t bytes,
                                            std::size_t capacity) {
  if (tidemark_real___memcpy_chk == nullptr)
    return tidemark_early_copy(to, from, bytes);
  void* result = tidemark_real___memcpy_chk(to, from, bytes, capacity);
  copied(to, from, bytes, TIDEMARK_CALLER);
  return result;
}

TIDEMARK_HIDDEN void* tidemark_checked_move(void* to,
                                            const void* from,
                                            std::size_t bytes,
                                            std::size_t capacity) {
  if (tidemark_real___memmove_chk == nullptr)
    return tidemark_early_copy(to, from, bytes);
  void* result = tidemark_real___memmove_chk(to, from, bytes, capacity);
  copied(to, from, bytes, TIDEMARK_CALLER);
  return result;
}

TIDEMARK_HIDDEN void* tidemark_checked_fill(void* to,
                                            int value,
                                            std::size_t bytes,
                                            std::size_t capacity) {
  if (tidemark_real___memset_chk == nullptr)
    return tidemark_early_fill(to, value, bytes);
  void* result = tidemark_real___memset_chk(to, value, bytes, capacity);
  filled(to, bytes, TIDEMARK_CALLER);
  return result;
}

TIDEMARK_HIDDEN void* tidemark_checked_copy_end(void* to,
                                                const void* from,
                                                std::size_t bytes,
                                                std::size_t capacity) {
  if (tidemark_real___mempcpy_chk == nullptr)
    return tidemark_early_copy_end(to, from, bytes);
  void* result = tidemark_real___mempcpy_chk(to, from, bytes, capacity);
  copied(to, from, bytes, TIDEMARK_CALLER);
  return result;
}
