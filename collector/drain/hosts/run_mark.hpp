/// Whether a host has run since it was last looked at.
#pragma once

#include <cstdint>
#include <optional>

namespace tidemark {

/// A host that has not run has not changed its memory either: a look at it tells nothing new, and a
/// server that waits for requests is looked at two hundred times a second. Others can change it
/// (who maps the same memory, process_vm_writev, the kernel when it runs short), so a look is due
/// now and then all the same.
class RunMark {
 public:
  static constexpr std::uint64_t kLongestNs = 25'000'000;

  /// Asked before each look, which is made if it is due. One is due once more after a host has
  /// stopped: what it did last may not have been read yet at the look before.
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
  std::uint64_t at_ns_ = 0;        // Of the last look.
  bool has_looked_since_ = false;  // Since it was last seen to have run.
};

}  // namespace tidemark
