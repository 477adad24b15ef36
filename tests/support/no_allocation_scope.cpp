#include "tests/support/no_allocation_scope.hpp"

#include "tests/support/sanitized.hpp"

#include <cerrno>
#include <cstddef>
#include <cstdlib>
#include <string_view>

#include <unistd.h>

namespace tidemark::tests {
namespace {

constinit thread_local int t_scopes = 0;

}  // namespace

NoAllocationScope::NoAllocationScope() {
  ++t_scopes;
}
NoAllocationScope::~NoAllocationScope() {
  --t_scopes;
}

bool NoAllocationScope::is_effective() {
  return TIDEMARK_SANITIZED == 0;
}

#if !TIDEMARK_SANITIZED
namespace {

void check() {
  if (t_scopes == 0)
    return;
  constexpr std::string_view kText = "an allocation where none may be\n";
  [[maybe_unused]] const auto written = ::write(STDERR_FILENO, kText.data(), kText.size());
  std::abort();
}

}  // namespace
#endif

}  // namespace tidemark::tests

#if !TIDEMARK_SANITIZED
extern "C" {
// glibc's own, under the names that it keeps for replacements of malloc. NOLINTBEGIN
void* __libc_malloc(std::size_t);
void* __libc_calloc(std::size_t, std::size_t);
void* __libc_realloc(void*, std::size_t);
void* __libc_memalign(std::size_t, std::size_t);
void __libc_free(void*);
// NOLINTEND

void* malloc(std::size_t size) {
  tidemark::tests::check();
  return __libc_malloc(size);
}
void* calloc(std::size_t count, std::size_t size) {
  tidemark::tests::check();
  return __libc_calloc(count, size);
}
void* realloc(void* block, std::size_t size) {
  tidemark::tests::check();
  return __libc_realloc(block, size);
}
void* aligned_alloc(std::size_t alignment, std::size_t size) {
  tidemark::tests::check();
  return __libc_memalign(alignment, size);
}
void* memalign(std::size_t alignment, std::size_t size) {
  tidemark::tests::check();
  return __libc_memalign(alignment, size);
}
int posix_memalign(void** out, std::size_t alignment, std::size_t size) {
  tidemark::tests::check();
  *out = __libc_memalign(alignment, size);
  return *out == nullptr ? ENOMEM : 0;
}
void free(void* block) {
  tidemark::tests::check();
  __libc_free(block);
}
}
#endif
