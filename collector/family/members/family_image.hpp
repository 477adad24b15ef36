/// What is known of a member of the family, and of the images that it runs.
#pragma once

#include "collector/family/members/host_claim.hpp"
#include "collector/family/members/image_watch.hpp"
#include "collector/family/members/life_bound.hpp"
#include "collector/family/members/why_unrecorded.hpp"
#include "collector/process/process.hpp"

#include <cstdint>
#include <memory>
#include <vector>

#include <sys/types.h>

namespace tidemark {

/// Times between two looks at the family, or at one image.
constexpr std::uint64_t kMinLookPauseNs = 1'000'000;
constexpr std::uint64_t kMaxLookPauseNs = 1'000'000'000;
/// The least time between two looks at the memory of a fork that is not recorded.
constexpr std::uint64_t kMinBarePauseNs = 10'000'000;
/// How long a program may take until its first claim, as its loader runs first.
constexpr std::uint64_t kFirstClaimNs = 200'000'000;

/// How many programs of a process were seen, and how many claimed. If they follow each other
/// between two looks, a claim may be attributed to the wrong one, but the counts are right.
struct Programs {
  unsigned seen = 0;
  unsigned claims = 0;
  std::uint64_t last_claim_ns = 0;

  void note(const HostClaim& claim) {
    claims += claim.is_forked ? 0 : 1;
    last_claim_ns = claim.is_forked ? last_claim_ns : claim.at_ns;
  }
};

/// What a fork or an exec begins.
struct FamilyImage {
  ImageWatch watch;
  ImageFacts facts;
  std::shared_ptr<Programs> programs;  ///< The programs of its process.
  LifeBound life;
  std::uint64_t seen_ns = 0;
  std::uint64_t next_look_ns = 0;
  std::uint64_t pause_ns = 0;
  bool is_forked = false;         ///< The image that the process began with.
  bool is_of_unrecorded = false;  ///< A fork of an image that is not recorded.
  bool was_looked_at = false;     ///< `facts` are of this image.
  bool has_session = false;       ///< The session's memory is mapped in it.
  bool is_claimed = false;        ///< It took a place in the session.
  /// For a fork of a recorded image that took no place itself: how many looks found it with memory
  /// of its own, and the most private memory found, not counting the first look. At the first it
  /// may be in its exec, having left its parent's memory already.
  unsigned bare_looks = 0;
  std::uint64_t bare_bytes = 0;

  [[nodiscard]] bool is_unrecorded() const {
    return !is_claimed && !has_session && (was_looked_at || is_of_unrecorded);
  }
  /// Whether it was forked past libc, has called nothing that is recorded, and has notable memory:
  /// a fork through libc that ends before it has run has a page or two.
  [[nodiscard]] bool is_bare_fork() const {
    constexpr std::uint64_t kWorthSaying = std::uint64_t{1} << 20U;
    return is_forked && !is_claimed && bare_bytes >= kWorthSaying;
  }
};

struct FamilyMember {
  std::shared_ptr<const Process> process;
  pid_t parent = 0;
  std::vector<pid_t> pids;          ///< As ProcessStatus has them, never empty.
  std::uint64_t pid_namespace = 0;  ///< As HostSearch has it.
  std::shared_ptr<Programs> programs = std::make_shared<Programs>();
  FamilyImage image;
  unsigned spare_claims = 0;  ///< Made by images that no look has seen yet.
  bool is_stranger = false;   ///< From before the session.
  bool has_ended = false;     ///< It may still be waited for.
  bool is_listed = false;     ///< Found by the current sweep.
};

struct EndedImage {
  std::shared_ptr<const Process> process;
  pid_t parent = 0;
  std::vector<pid_t> pids;
  std::uint64_t pid_namespace = 0;
  FamilyImage image;
  std::uint64_t look = 0;      ///< The one that found it.
  std::uint64_t until_ns = 0;  ///< When it was found to have ended.
};

}  // namespace tidemark
