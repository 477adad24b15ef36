/// How often the family is looked at.
#pragma once

#include <cstdint>

namespace tidemark {

/// Looks take at most a hundredth of the time, plus a fifth of a millisecond for each image. Times
/// are session times, in ns.
class LookPace {
 public:
  LookPace();

  /// Call with every pass.
  [[nodiscard]] bool is_due(std::uint64_t now_ns);
  /// A look has come, which took `took_ns` of processor time.
  void looked(std::uint64_t now_ns, std::uint64_t took_ns);
  /// A fork or an exec was seen to have begun an image.
  void image_began(std::uint64_t at_ns);
  /// The next look is due at once.
  void hurry() { due_ns_ = 0; }
  /// The longest time until the next look.
  /// @param last_ns when the last one was.
  [[nodiscard]] std::uint64_t patience_ns(std::uint64_t last_ns) const;

 private:
  std::uint64_t due_ns_ = 0;
  std::uint64_t asked_ns_ = 0;
  std::uint64_t image_began_ns_ = 0;  ///< The last one, as far as looks know.
  std::int64_t credit_ns_;            ///< Time that looks may take.
};

}  // namespace tidemark
