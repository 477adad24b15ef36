#include "gui/view/session/what_if.hpp"

#include <algorithm>
#include <utility>

namespace tidemark::gui {

Unticked unticked_finding(const analyzer::Report& report, std::size_t side, std::size_t finding) {
  const analyzer::Finding& known = report.anatomy.findings.at(finding);
  return {.kind = Unticked::Kind::kFinding,
          .side = side,
          .number = finding,
          .text = analyzer::finding_label(known),
          .bytes = known.bytes};
}

Unticked unticked_stacks(std::size_t side,
                         const std::vector<trace::StackId>& stacks,
                         std::string text,
                         std::uint64_t bytes) {
  Unticked one{.kind = Unticked::Kind::kStacks,
               .side = side,
               .number = 0,
               .text = std::move(text),
               .bytes = bytes};
  for (const trace::StackId stack : stacks) {
    one.stacks.push_back(trace::index(stack));
  }
  std::ranges::sort(one.stacks);
  one.stacks.erase(std::unique(one.stacks.begin(), one.stacks.end()), one.stacks.end());
  return one;
}

Unticked unticked_block(std::size_t side,
                        const std::vector<trace::AllocationNumber>& chain,
                        std::string text,
                        std::uint64_t bytes) {
  return {.kind = Unticked::Kind::kBlock,
          .side = side,
          .number = chain.front(),
          .resized = {chain.begin() + 1, chain.end()},
          .text = std::move(text),
          .bytes = bytes};
}

bool is_unticked(const std::vector<Unticked>& all, const Unticked& one) {
  return std::ranges::any_of(all, [&](const Unticked& other) { return other.is_same(one); });
}

void toggle(std::vector<Unticked>& all, const Unticked& one) {
  if (std::erase_if(all, [&](const Unticked& other) { return other.is_same(one); }) == 0) {
    all.push_back(one);
  }
}

std::optional<std::size_t> largest_ticked(const std::vector<Unticked>& all,
                                          const analyzer::Report& report,
                                          std::size_t side) {
  const auto& findings = report.anatomy.findings;
  for (std::size_t i = 0; i < findings.size(); ++i) {
    // What lowers the peak most comes first.
    if (findings[i].can_be_removed() && !is_unticked(all, {.side = side, .number = i})) {
      return i;
    }
  }
  return std::nullopt;
}

std::string no_finding_text(const analyzer::Report& report) {
  const bool had_one =
      std::ranges::any_of(report.anatomy.findings, &analyzer::Finding::can_be_removed);
  return std::string(had_one ? "no finding is left that lowers the peak"
                             : "no finding lowers this peak") +
         "; untick a row of the table, or a block";
}

std::shared_ptr<const analyzer::Removal> removal_of(const std::vector<Unticked>& all,
                                                    std::size_t side,
                                                    const analyzer::Report& report) {
  auto removal = std::make_shared<analyzer::Removal>();
  for (const Unticked& one : all) {
    if (one.side != side) {
      continue;
    }
    const auto& findings = report.anatomy.findings;
    if (one.kind == Unticked::Kind::kBlock) {
      removal->allocations.push_back(one.number);
      removal->allocations.insert(removal->allocations.end(), one.resized.begin(),
                                  one.resized.end());
    } else if (one.kind == Unticked::Kind::kStacks) {
      for (const std::uint32_t stack : one.stacks) {
        removal->stacks.push_back(trace::StackId{stack});
      }
    } else if (one.number < findings.size() && findings[one.number].can_be_removed()) {
      findings[one.number].remove_in(*removal);
    }
  }
  return removal->empty() ? nullptr : std::move(removal);
}

std::vector<analyzer::TakenAway> taken_away(const std::vector<Unticked>& all, std::size_t side) {
  std::vector<analyzer::TakenAway> taken;
  for (const Unticked& one : all) {
    if (one.side == side) {
      taken.push_back({one.text, one.bytes});
    }
  }
  return taken;
}

}  // namespace tidemark::gui
