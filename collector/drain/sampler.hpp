/// Looks at the resident memory of every host, from outside.
#pragma once

#include "collector/drain/drain.hpp"

#include <cstdint>

namespace tidemark {

class Sampler {
 public:
  Sampler(Drain& drain, trace::TraceWriter& writer, const wire::SessionMap& session)
      : drain_(drain), writer_(writer), session_(session) {}

  /// Samples all hosts if the last time is `interval_ns` ago, and writes what has changed. Many
  /// hosts are sampled less often: a tenth of the collector's time is the most that it takes.
  void sample_if_due(std::uint64_t interval_ns);
  /// One last look, due or not.
  void sample();

  /// Hosts that were seen with an io_uring.
  [[nodiscard]] std::uint64_t hosts_with_rings() const { return hosts_with_rings_; }

 private:
  void sample(Host& host);
  [[nodiscard]] bool shares_pages(const Host& host) const;
  void take_off_shares(Host& host, MemorySample& seen, std::uint64_t at_ns);
  void look_for_ring(Host& host, std::uint64_t at_ns);

  Drain& drain_;
  trace::TraceWriter& writer_;
  const wire::SessionMap session_;
  std::uint64_t last_ns_ = 0;
  std::uint64_t hosts_with_rings_ = 0;
  std::uint64_t cost_ns_ = 0;  ///< Of the last time, in CPU time.
};

}  // namespace tidemark
