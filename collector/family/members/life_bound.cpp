#include "collector/family/members/life_bound.hpp"

#include <algorithm>

#include <unistd.h>

namespace tidemark {

namespace {

constexpr std::uint64_t kBytesInNs = 17;  // 16 GiB a second
std::uint64_t processors() {
  static const auto online =
      static_cast<std::uint64_t>(std::max(1L, sysconf(_SC_NPROCESSORS_ONLN)));
  return online;
}

std::uint64_t product(std::uint64_t ns, std::uint64_t rate) {
  return ns > UINT64_MAX / rate ? UINT64_MAX : ns * rate;
}

}  // namespace

std::uint64_t most_written_in(std::uint64_t ns) {
  return product(ns, kBytesInNs * processors());
}

std::uint64_t most_written_by(std::uint64_t ns) {
  constexpr std::uint64_t kToldInNs = 2'000;  // Whole us, of the program's own and of the kernel's.
  return product(ns > UINT64_MAX - kToldInNs ? ns : ns + kToldInNs, kBytesInNs);
}

std::uint64_t counted_late() {
  constexpr std::uint64_t kMinLateBytes = std::uint64_t{1} << 20U;
  constexpr std::uint64_t kPageBytes = 4096;
  const std::uint64_t batch = std::max<std::uint64_t>(32, 2 * processors());
  return std::max(kMinLateBytes, processors() * batch * kPageBytes);
}

void LifeBound::see(std::uint64_t at_ns, std::uint64_t most_bytes) {
  seen_ns_ = std::max(seen_ns_, at_ns);
  seen_bytes_ = std::max(seen_bytes_, most_bytes + counted_late());
}

std::uint64_t LifeBound::most_bytes(std::uint64_t until_ns) const {
  const std::uint64_t unseen = most_written_in(until_ns - std::min(until_ns, seen_ns_));
  return seen_bytes_ > UINT64_MAX - unseen ? UINT64_MAX : seen_bytes_ + unseen;
}

}  // namespace tidemark
