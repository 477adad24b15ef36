/// Finds whose claim it is. A process in a pid namespace of its own has another pid there than
/// here, and pids are reused.
#pragma once

#include "collector/family/members/family_clock.hpp"
#include "collector/family/members/family_image.hpp"
#include "collector/family/members/host_claim.hpp"
#include "collector/family/members/roster.hpp"

namespace tidemark {

/// Finds the process that made a claim, and the image of it, on the roster.
class ClaimFinder {
 public:
  ClaimFinder(Roster& roster, const FamilyClock& clock) : roster_(roster), clock_(clock) {}

  /// The image found counts as recorded.
  HostSearch find(const HostClaim& claim);

  /// Whether a claim's process was not found yet: the whole family must be swept first.
  [[nodiscard]] bool has_open_claims() const { return has_open_claims_; }
  /// The whole family has been swept now.
  void close_claims() { has_open_claims_ = false; }

 private:
  struct EndedClaim {
    const EndedImage* ended = nullptr;  ///< Null: no known one.
    bool is_guess = false;              ///< See HostSearch.
  };

  FamilyMember* find_member(const HostClaim& claim);
  [[nodiscard]] bool has_namespaces() const { return has_claim_below_ || roster_.has_namespaces(); }
  [[nodiscard]] bool is_surely_here(const HostClaim& claim) const;
  bool suits(const HostClaim& claim, FamilyMember& member);
  [[nodiscard]] bool has_parent(const HostClaim& claim, const FamilyMember& member) const;
  void claim_image(const HostClaim& claim, FamilyMember& member);
  [[nodiscard]] bool may_be(const HostClaim& claim, const EndedImage& ended) const;
  EndedClaim claim_ended(const HostClaim& claim);

  Roster& roster_;
  const FamilyClock& clock_;
  bool has_claim_below_ = false;  ///< A claim came from a pid namespace below ours.
  bool has_open_claims_ = false;
};

}  // namespace tidemark
