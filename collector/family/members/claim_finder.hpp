/// Whose claim is it? A process in a pid namespace of its own calls itself by another number than
/// we do, and numbers are given again.
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

  /// What it is found for counts as recorded.
  HostSearch find(const HostClaim& claim);

  /// Somebody's who was not found yet: the whole family has to be gone through first.
  [[nodiscard]] bool has_open_claims() const { return has_open_claims_; }
  /// The whole family is gone through now.
  void close_claims() { has_open_claims_ = false; }

 private:
  struct EndedClaim {
    const EndedImage* ended = nullptr;  ///< Null: it is none that is known.
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
  bool has_claim_below_ = false;  ///< One was made in a pid namespace below ours.
  bool has_open_claims_ = false;
};

}  // namespace tidemark
