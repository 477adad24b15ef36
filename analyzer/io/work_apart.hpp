/// Runs work in a child process, so that a crash or running out of memory there does not end the
/// command.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

namespace tidemark::analyzer {

/// A result of the work. The caller defines what `kind` means.
struct HandedOver {
  std::uint8_t kind = 0;
  std::string text;
};

struct ApartWork {
  std::vector<HandedOver> results;  ///< In order; if the work was cut off, those before that.
  std::string trouble;              ///< `there is not enough memory`; empty: the work completed.
};

using HandOver = std::function<void(std::uint8_t kind, std::string_view text)>;

/// Runs `work` in a child process, and waits for it. The child has no standard streams; what it
/// hands over arrives at once. No other thread may be running.
ApartWork work_apart(const std::function<void(const HandOver& hand_over)>& work);

}  // namespace tidemark::analyzer
