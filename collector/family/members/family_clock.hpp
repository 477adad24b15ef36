/// The session's time, and when processes began in it.
#pragma once

#include "collector/process/process.hpp"

#include <cstdint>

namespace tidemark {

/// Times are of the session, in ns, like those of records.
class FamilyClock {
 public:
  /// Construct before the session's first process is created.
  FamilyClock();

  /// The session's time is `now_ns` right now. Call once, when the first process has begun.
  void begin(std::uint64_t now_ns);
  /// The same, to be called repeatedly: some time passes before clocks are read here, so the
  /// smallest difference seen is nearest to the true one.
  void see(std::uint64_t now_ns);

  [[nodiscard]] std::uint64_t now() const;
  /// @param at_ns of CLOCK_MONOTONIC. Before the session: 0.
  [[nodiscard]] std::uint64_t of_session(std::uint64_t at_ns) const;
  /// Rounded down.
  [[nodiscard]] std::uint64_t began_at(const Process& process) const;
  /// False if the process certainly began later.
  [[nodiscard]] bool began_before(const Process& process, std::uint64_t at_ns) const;

 private:
  std::uint64_t made_ns_;                  ///< CLOCK_BOOTTIME.
  std::uint64_t monotonic_origin_ns_ = 0;  ///< CLOCK_MONOTONIC, when the session's time was 0.
  std::uint64_t boot_origin_ns_ = 0;       ///< CLOCK_BOOTTIME, the same.
};

}  // namespace tidemark
