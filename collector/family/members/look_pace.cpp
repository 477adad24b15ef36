#include "collector/family/members/look_pace.hpp"

#include "collector/family/members/family_image.hpp"

#include <algorithm>

namespace tidemark {
namespace {

/// Looks take at most one part of this many of the time,
constexpr std::uint64_t kTimeParts = 100;
/// plus this much for each image, whose start took longer than that.
constexpr std::int64_t kImageCreditNs = 200'000;
/// Unused time is kept for later, up to this: much happens at once when programs start.
constexpr std::int64_t kMaxCreditNs = 5'000'000;

}  // namespace

LookPace::LookPace() : credit_ns_(kMaxCreditNs) {}

bool LookPace::is_due(std::uint64_t now_ns) {
  credit_ns_ = std::min(kMaxCreditNs,
                        credit_ns_ + static_cast<std::int64_t>((now_ns - asked_ns_) / kTimeParts));
  asked_ns_ = now_ns;
  return now_ns >= due_ns_ && credit_ns_ >= 0;
}

void LookPace::looked(std::uint64_t now_ns, std::uint64_t took_ns) {
  credit_ns_ -= static_cast<std::int64_t>(took_ns);
  due_ns_ = now_ns + kMinLookPauseNs;
}

void LookPace::image_began(std::uint64_t at_ns) {
  image_began_ns_ = at_ns;
  credit_ns_ = std::min(kMaxCreditNs, credit_ns_ + kImageCreditNs);
}

std::uint64_t LookPace::patience_ns(std::uint64_t last_ns) const {
  constexpr std::uint64_t kLivelyNs = 20'000'000;
  const bool is_lively = last_ns < image_began_ns_ + kLivelyNs;
  return is_lively && credit_ns_ > 0 ? kMinLookPauseNs : kMaxLookPauseNs;
}

}  // namespace tidemark
