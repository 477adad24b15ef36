/// Proves that a stretch of code allocates nothing.
#pragma once

namespace tidemark::tests {

/// While one is alive, an allocation or a free by its thread ends the program with one sentence.
/// Works by standing in for malloc in the test binary, so not under a sanitizer, which does that
/// itself: then the scope proves nothing.
class NoAllocationScope {
 public:
  NoAllocationScope();
  ~NoAllocationScope();
  NoAllocationScope(const NoAllocationScope&) = delete;
  NoAllocationScope& operator=(const NoAllocationScope&) = delete;
  NoAllocationScope(NoAllocationScope&&) = delete;
  NoAllocationScope& operator=(NoAllocationScope&&) = delete;

  static bool is_effective();
};

}  // namespace tidemark::tests
