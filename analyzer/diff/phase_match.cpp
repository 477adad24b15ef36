#include "analyzer/diff/phase_match.hpp"

#include <algorithm>
#include <cmath>
#include <tuple>

namespace tidemark::analyzer {
namespace {

constexpr std::size_t kNobody = SIZE_MAX;

/// The partner of each phase before, as an index into those after, and the other way round.
struct Partners {
  std::vector<std::size_t> of_before;
  std::vector<std::size_t> of_after;

  [[nodiscard]] bool are_free(std::size_t before, std::size_t after) const {
    return of_before[before] == kNobody && of_after[after] == kNobody;
  }
  void pair(std::size_t before, std::size_t after) {
    of_before[before] = after;
    of_after[after] = before;
  }
};

void pair_by_name(const Report& before, const Report& after, Partners& partners) {
  for (std::size_t i = 0; i < before.phases.size(); ++i) {
    for (std::size_t j = 0; j < after.phases.size(); ++j) {
      if (partners.are_free(i, j) && before.phases[i].name == after.phases[j].name) {
        partners.pair(i, j);
      }
    }
  }
}

double bytes_until(const Report& report, std::uint64_t ns) {
  double bytes = 0;
  for (const std::size_t i : report.model.files) {
    bytes += static_cast<double>(report.files[i].bytes_until(ns));
  }
  return bytes;
}

/// How far two phases are apart, over their begin and their end: 0 is the same part of the model.
double distance(const ModelShare& a, const ModelShare& b) {
  return (std::abs(a.begin - b.begin) + std::abs(a.end - b.end)) / 2;
}

struct Candidate {
  double distance = 0;
  std::size_t before = 0;
  std::size_t after = 0;
};

/// Those that may be the same part of the load.
std::vector<Candidate> candidates(const Report& before,
                                  const Report& after,
                                  const Partners& partners) {
  constexpr double kMaxShareDistance = 0.25;
  std::vector<Candidate> found;
  for (std::size_t i = 0; i < before.phases.size(); ++i) {
    const auto share = share_of_model(before, before.phases[i]);
    for (std::size_t j = 0; share && j < after.phases.size(); ++j) {
      const auto other = partners.are_free(i, j) ? share_of_model(after, after.phases[j])
                                                 : std::optional<ModelShare>();
      if (other && distance(*share, *other) <= kMaxShareDistance) {
        found.push_back({distance(*share, *other), i, j});
      }
    }
  }
  std::ranges::sort(found, {}, [](const Candidate& candidate) {
    return std::tuple(candidate.distance, candidate.before, candidate.after);
  });
  return found;
}

void pair_by_share(const Report& before, const Report& after, Partners& partners) {
  for (const Candidate& candidate : candidates(before, after, partners)) {
    if (partners.are_free(candidate.before, candidate.after)) {
      partners.pair(candidate.before, candidate.after);
    }
  }
}

}  // namespace

std::optional<ModelShare> share_of_model(const Report& report, const Phase& phase) {
  const double all = bytes_until(report, UINT64_MAX);
  if (all <= 0) {
    return std::nullopt;
  }
  // Bytes read at the instant of its begin belong to the phase.
  const double begin = phase.begin_ns == 0 ? 0 : bytes_until(report, phase.begin_ns - 1);
  return ModelShare{begin / all, bytes_until(report, phase.end_ns) / all};
}

std::vector<PhasePair> match_phases(const Report& before, const Report& after) {
  Partners partners{std::vector(before.phases.size(), kNobody),
                    std::vector(after.phases.size(), kNobody)};
  pair_by_name(before, after, partners);
  pair_by_share(before, after, partners);
  std::vector<PhasePair> pairs;
  std::size_t next = 0;  // Phases before up to here are listed, or have their partner's place.
  const auto list_gone_until = [&](std::size_t end) {
    for (; next < end; ++next) {
      if (partners.of_before[next] == kNobody) {
        pairs.push_back({before.phases[next], std::nullopt});
      }
    }
  };
  for (std::size_t j = 0; j < after.phases.size(); ++j) {
    const std::size_t i = partners.of_after[j];
    if (i == kNobody) {
      pairs.push_back({std::nullopt, after.phases[j]});
      continue;
    }
    list_gone_until(i);
    pairs.push_back({before.phases[i], after.phases[j]});
  }
  list_gone_until(before.phases.size());
  return pairs;
}

}  // namespace tidemark::analyzer
