/// Looks at the resident memory of every host, from outside.
#pragma once

#include "collector/drain/drain.hpp"

#include <cstdint>
#include <vector>

namespace tidemark {

class Sampler {
 public:
  Sampler(Drain& drain, trace::TraceWriter& writer, const wire::SessionMap& session)
      : drain_(drain), writer_(writer), session_(session) {}

  /// Samples all hosts if the last time is `interval_ns` ago, and writes what has changed. Takes at
  /// most a tenth of the collector's time, so many hosts are sampled less often; and one call may
  /// leave some of them to the next.
  void sample_if_due(std::uint64_t interval_ns);
  /// Looks at mappings that no sample has met yet. Separate from samples, which are rare with many
  /// hosts: a mapping that has gone before the sample, or whose process has, would count in full.
  void look_at_new_mappings_if_due();
  /// Looks at the values in blocks, which a fast loader moves and drops within some milliseconds.
  /// With many hosts, takes at most a tenth of the collector's time.
  void look_at_values_if_due();
  /// The same for large mappings, which takes longer and can wait until no values are due.
  void look_at_parts_if_due();
  /// One last look, due or not.
  void sample();

 private:
  struct Turns {
    std::uint64_t next_ns = 0;
    std::size_t last = 0;  ///< Running index of the host looked at last.
  };
  template <typename IsDue, typename Look>
  void look_in_turns(Turns& turns, const IsDue& is_due, const Look& look);
  void begin_round();
  void end_round();
  [[nodiscard]] bool may_have_changed(Host& host) const;
  void look_at_new_mappings(Host& host);
  void look_at(Host& host);
  void sample_families();
  void sample(Host& host, std::uint64_t at_ns);
  void note_gone(Host& host, std::uint64_t at_ns);
  void write_if_changed(Host& host, const trace::Sample& sample);
  void write(Host& host, const trace::Sample& sample);
  [[nodiscard]] Host* host_of(trace::ProcessId id) const;
  [[nodiscard]] bool shares_pages(const Host& host) const;
  [[nodiscard]] bool is_new_in_family(Host& host) const;
  void look_at_share(Host& host);
  void look_for_ring(Host& host, std::uint64_t at_ns);
  void look_at_heap(Host& host, const trace::Sample& sample);
  std::uint64_t own_private_bytes(Host& host, std::uint64_t at_ns);

  Drain& drain_;
  trace::TraceWriter& writer_;
  const wire::SessionMap session_;
  std::uint64_t last_ns_ = 0;
  std::vector<trace::ProcessId> round_;  ///< Hosts still to be sampled, taken from the back.
  std::uint64_t round_cost_ns_ = 0;      ///< CPU time of this round so far.
  std::uint64_t cost_ns_ = 0;            ///< CPU time of the last round.
  std::uint64_t next_new_look_ns_ = 0;
  Turns value_turns_;
  Turns part_turns_;
  std::vector<trace::ProcessId> together_;  ///< In this round: hosts that share pages by a fork.
  bool are_shares_due_ = false;             ///< For this round.
  bool are_shares_old_ = false;             ///< Much has changed since: see ForkBook::is_look_due.
  std::uint64_t next_share_look_ns_ = 0;
  std::uint64_t next_hurried_share_look_ns_ = 0;
  std::vector<ForkBook::Look> shares_;  ///< Looked at in this round.
  std::uint64_t share_cost_ns_ = 0;     ///< CPU time of this round's looks at shares.
};

}  // namespace tidemark
