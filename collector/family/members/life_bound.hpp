/// How much memory an unrecorded program can have had at most.
#pragma once

#include <cstdint>

namespace tidemark {

/// The most that threads on all processors can have written to fresh pages in `ns`. No processor
/// of today clears more than 16 GiB of pages a second.
std::uint64_t most_written_in(std::uint64_t ns);
/// The same for a program with `ns` of processor time in all.
std::uint64_t most_written_by(std::uint64_t ns);
/// How many more bytes may be resident than the kernel says: each processor counts on its own, up
/// to a batch of pages (percpu_counter_batch).
std::uint64_t counted_late();

/// What was seen of the memory of one program from outside.
class LifeBound {
 public:
  /// @param from_ns it had nothing before that.
  explicit LifeBound(std::uint64_t from_ns = 0) : from_ns_(from_ns), seen_ns_(from_ns) {}

  /// @param at_ns a time before the look.
  /// @param most_bytes the most that it has had until then: the kernel's VmHWM.
  void see(std::uint64_t at_ns, std::uint64_t most_bytes);

  [[nodiscard]] std::uint64_t from_ns() const { return from_ns_; }
  /// The most that it can have had at any time.
  /// @param until_ns it had nothing any more after that.
  [[nodiscard]] std::uint64_t most_bytes(std::uint64_t until_ns) const;

 private:
  std::uint64_t from_ns_;
  std::uint64_t seen_ns_;
  std::uint64_t seen_bytes_ = 0;
};

}  // namespace tidemark
