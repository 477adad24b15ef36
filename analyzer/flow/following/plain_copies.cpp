#include "analyzer/flow/following/plain_copies.hpp"

#include <algorithm>

namespace tidemark::analyzer {
namespace {

/// The part of a copy into a block that went on with another copy out of it.
PlainCopy joined(const PlainCopy& in, const PlainCopy& out, std::uint64_t all_in) {
  const double share = static_cast<double>(in.bytes) / static_cast<double>(all_in);
  const auto passed = static_cast<std::uint64_t>(share * static_cast<double>(out.bytes));
  return {.source = in.source,
          .target = out.target,
          .bytes = std::min(passed, in.bytes),
          .first_ns = in.first_ns,
          .last_ns = out.last_ns,
          .is_growth = in.is_growth && out.is_growth};
}

}  // namespace

void PlainCopies::add(const PlainCopy& copy) {
  if (copy.source == copy.target || copy.bytes == 0) {
    return;
  }
  const std::pair key{copy.source, copy.target};
  const auto known = by_source_.find(key);
  if (known != by_source_.end()) {
    PlainCopy& sum = known->second;
    sum.bytes += copy.bytes;
    sum.first_ns = std::min(sum.first_ns, copy.first_ns);
    sum.last_ns = std::max(sum.last_ns, copy.last_ns);
    sum.is_growth = sum.is_growth || copy.is_growth;
  } else if (by_source_.size() < kMaxPairs) {
    by_source_.emplace(key, copy);
    by_target_.emplace(copy.target, copy.source);
  }
}

std::vector<PlainCopy> PlainCopies::into(std::uint32_t life) const {
  std::vector<PlainCopy> copies;
  for (auto at = by_target_.lower_bound({life, 0}); at != by_target_.end() && at->first == life;
       ++at) {
    copies.push_back(by_source_.at({at->second, life}));
  }
  return copies;
}

std::vector<PlainCopy> PlainCopies::out_of(std::uint32_t life) const {
  std::vector<PlainCopy> copies;
  for (auto at = by_source_.lower_bound({life, 0});
       at != by_source_.end() && at->first.first == life; ++at) {
    copies.push_back(at->second);
  }
  return copies;
}

void PlainCopies::end(std::uint32_t life) {
  const std::vector<PlainCopy> came = into(life);
  const std::vector<PlainCopy> went = out_of(life);
  std::uint64_t all_in = 0;
  for (const PlainCopy& in : came) {
    all_in += in.bytes;
    by_source_.erase({in.source, life});
    by_target_.erase({life, in.source});
  }
  for (const PlainCopy& out : went) {
    by_source_.erase({life, out.target});
    by_target_.erase({out.target, life});
  }
  if (came.size() > kMaxThroughOne || went.size() > kMaxThroughOne) {
    return;
  }
  for (const PlainCopy& in : came) {
    for (const PlainCopy& out : went) {
      if (out.last_ns >= in.first_ns) {
        add(joined(in, out, all_in));
      }
    }
  }
}

std::vector<PlainCopy> PlainCopies::take() const {
  std::vector<PlainCopy> copies;
  copies.reserve(by_source_.size());
  for (const auto& [pair, copy] : by_source_) {
    copies.push_back(copy);
  }
  return copies;
}

}  // namespace tidemark::analyzer
