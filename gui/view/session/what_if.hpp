/// What a person has taken away from a load, and texts about it.
#pragma once

#include "analyzer/query/live/load_without.hpp"
#include "analyzer/report/anatomy/what_if_text.hpp"
#include "analyzer/report/facts/report.hpp"
#include "gui/view/session/view_state.hpp"

#include <cstddef>
#include <memory>
#include <span>
#include <vector>

namespace tidemark::gui {

Unticked unticked_finding(const analyzer::Report& report, std::size_t side, std::size_t finding);
/// @param stacks in any order.
Unticked unticked_stacks(std::size_t side,
                         const std::vector<trace::StackId>& stacks,
                         std::string text,
                         std::uint64_t bytes);
/// @param chain see BlockStory; not empty.
Unticked unticked_block(std::size_t side,
                        const std::vector<trace::AllocationNumber>& chain,
                        std::string text,
                        std::uint64_t bytes);

[[nodiscard]] bool is_unticked(const std::vector<Unticked>& all, const Unticked& one);
/// Unticks `one`, or ticks it again.
void toggle(std::vector<Unticked>& all, const Unticked& one);

/// The ticked finding that lowers the peak most; none if there is none.
std::optional<std::size_t> largest_ticked(const std::vector<Unticked>& all,
                                          const analyzer::Report& report,
                                          std::size_t side);

/// Why largest_ticked has none: none is left, or no finding lowers the peak at all.
std::string no_finding_text(const analyzer::Report& report);

/// Null if nothing of this trace is unticked, or only findings that cannot be removed.
std::shared_ptr<const analyzer::Removal> removal_of(const std::vector<Unticked>& all,
                                                    std::size_t side,
                                                    const analyzer::Report& report);

/// What is taken away from a trace, for texts.
std::vector<analyzer::TakenAway> taken_away(const std::vector<Unticked>& all, std::size_t side);

}  // namespace tidemark::gui
