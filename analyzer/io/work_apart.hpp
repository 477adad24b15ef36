/// Work in a process of its own, so that neither a crash in it nor the end of memory is the
/// command's.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

namespace tidemark::analyzer {

/// Something that the work found out. What `kind` means is the caller's affair.
struct HandedOver {
  std::uint8_t kind = 0;
  std::string text;
};

struct ApartWork {
  std::vector<HandedOver> results;  ///< In order; of work that was cut off those before.
  std::string trouble;              ///< `there is not enough memory`; empty: it came to its end.
};

using HandOver = std::function<void(std::uint8_t kind, std::string_view text)>;

/// Runs `work` in a child process, and waits for it. The child has no standard streams; what it
/// hands over arrives at once. No other thread may be running.
ApartWork work_apart(const std::function<void(const HandOver& hand_over)>& work);

}  // namespace tidemark::analyzer
