/// When a process was seen to be gone.
#pragma once

#include <cstdint>
#include <functional>

namespace tidemark {

/// Looks again and again, at once after the process began and then less often, so that it can have
/// been there at most an eighth longer than is known. Times are session times, in ns.
class EndWatch {
 public:
  /// @param now is asked before `is_gone`, and after it where the process is.
  void look(std::uint64_t began_ns,
            const std::function<std::uint64_t()>& now,
            const std::function<bool()>& is_gone) {
    constexpr std::uint64_t kParts = 8;
    const std::uint64_t now_ns = gone_ns_ == 0 ? now() : 0;
    if (now_ns < next_look_ns_ || gone_ns_ != 0) {
      return;
    }
    gone_ns_ = is_gone() ? now() : 0;
    next_look_ns_ = now_ns + (now_ns > began_ns ? now_ns - began_ns : 0) / kParts;
  }

  /// 0: not seen to be gone.
  [[nodiscard]] std::uint64_t gone_ns() const { return gone_ns_; }

 private:
  std::uint64_t gone_ns_ = 0;
  std::uint64_t next_look_ns_ = 0;
};

}  // namespace tidemark
