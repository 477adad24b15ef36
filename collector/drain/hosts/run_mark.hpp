/// Whether a host has run since it was last looked at.
#pragma once

#include <cstdint>
#include <optional>

namespace tidemark {

/// A host that has not run has not changed its memory, so a look would show nothing new; an idle
/// server would still be looked at two hundred times a second. Others can change its memory
/// (processes that map it too, process_vm_writev, the kernel's reclaim), so a look is due now and
/// then all the same.
class RunMark {
 public:
  static constexpr std::uint64_t kLongestNs = 25'000'000;

  /// Call before each look; make the look if it is due. After a host has stopped running one more
  /// look is due, since records of its last actions may not have been read at the last one.
  /// @param cpu_ns Process::cpu_ns.
  bool is_look_due(std::optional<std::uint64_t> cpu_ns, std::uint64_t at_ns) {
    const bool has_run = !cpu_ns || cpu_ns != cpu_ns_;
    if (!has_run && has_looked_since_ && at_ns < at_ns_ + kLongestNs)
      return false;
    has_looked_since_ = !has_run;
    cpu_ns_ = cpu_ns;
    at_ns_ = at_ns;
    return true;
  }

 private:
  std::optional<std::uint64_t> cpu_ns_;
  std::uint64_t at_ns_ = 0;        // Time of the last look.
  bool has_looked_since_ = false;  // Since it was last seen to have run.
};

}  // namespace tidemark
