#include "analyzer/findings/asking_place.hpp"

#include "analyzer/flow/places.hpp"
#include "analyzer/query/wrapping.hpp"
#include "analyzer/text/size_text.hpp"

#include <fmt/format.h>

#include <map>
#include <set>
#include <utility>

namespace tidemark::analyzer {
namespace {

/// `load.py:12`, if all blocks were asked for on behalf of that line.
std::string common_line(const Evidence& evidence, std::span<const std::uint32_t> lives) {
  std::set<std::uint32_t> stacks;
  for (const std::uint32_t life : lives) {
    stacks.insert(trace::index(evidence.flow.lives()[life].stack));
  }
  std::string common;
  for (const std::uint32_t stack : stacks) {
    std::string line =
        program_line(named_stack(evidence.trace.definitions(), trace::StackId{stack}));
    if (line.empty() || (!common.empty() && line != common)) {
      return {};
    }
    common = std::move(line);
  }
  return common;
}

/// Who asked for most of them, and how many other places there are with a tenth or more.
struct Askers {
  trace::StackId stack = trace::kNoStack;
  std::size_t others = 0;
};

Askers askers_of(const Evidence& evidence, Places& places, std::span<const std::uint32_t> lives) {
  struct Sum {
    std::uint64_t bytes = 0;
    trace::StackId stack = trace::kNoStack;
  };
  std::map<std::uint32_t, Sum> sums;
  std::uint64_t all_bytes = 0;
  for (const std::uint32_t life : lives) {
    const trace::StackId stack = evidence.flow.lives()[life].stack;
    const std::uint64_t bytes = evidence.flow.size_after(life, evidence.peak - 1);
    Sum& sum = sums[places.of(stack)];
    sum.bytes += bytes;
    sum.stack = stack;
    all_bytes += bytes;
  }
  Sum most;
  std::size_t notable = 0;
  for (const auto& [place, sum] : sums) {
    notable += sum.bytes >= all_bytes / 10 ? 1 : 0;
    if (sum.bytes > most.bytes) {
      most = sum;
    }
  }
  return {most.stack, notable - (most.bytes >= all_bytes / 10 ? 1 : 0)};
}

}  // namespace

AskingPlace asking_place(const Evidence& evidence, std::span<const std::uint32_t> lives) {
  return asking_places(evidence, {lives}).front();
}

std::vector<AskingPlace> asking_places(const Evidence& evidence,
                                       const std::vector<std::span<const std::uint32_t>>& groups) {
  Places& places = *evidence.places;
  std::vector<Askers> askers;
  std::vector<std::vector<NamedFrame>> stacks;
  for (const auto lives : groups) {
    askers.push_back(askers_of(evidence, places, lives));
    stacks.push_back(named_stack(evidence.trace.definitions(), askers.back().stack));
  }
  const std::vector<std::string> texts = told_places(stacks);
  std::vector<AskingPlace> found;
  for (std::size_t i = 0; i < groups.size(); ++i) {
    std::string rest;
    if (const std::size_t others = askers[i].others; others != 0) {
      rest = fmt::format(" and {} other {}", others, others == 1 ? "place" : "places");
    }
    if (const std::string line = common_line(evidence, groups[i]); !line.empty()) {
      rest += " from " + line;
    }
    found.push_back({.stack = askers[i].stack, .text = texts[i] + rest, .rest = rest});
  }
  return found;
}

std::string blocks_of(const std::vector<std::uint32_t>& lives, const std::string& place) {
  return fmt::format("{} {} of {}", format_count(lives.size()),
                     lives.size() == 1 ? "block" : "blocks", place);
}

}  // namespace tidemark::analyzer
