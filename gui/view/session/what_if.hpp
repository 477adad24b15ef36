/// What a person has taken away from a load, and what is said of it.
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
/// Unticks it, or ticks it again.
void toggle(std::vector<Unticked>& all, const Unticked& one);

/// The finding that lowers the peak most of those that are ticked; none where there is none.
std::optional<std::size_t> largest_ticked(const std::vector<Unticked>& all,
                                          const analyzer::Report& report,
                                          std::size_t side);

/// Why there is none: nothing is left, or nothing ever was that lowers the peak.
std::string no_finding_text(const analyzer::Report& report);

/// Null where nothing of this trace is unticked, or nothing that is known.
std::shared_ptr<const analyzer::Removal> removal_of(const std::vector<Unticked>& all,
                                                    std::size_t side,
                                                    const analyzer::Report& report);

/// As texts list it.
std::vector<analyzer::TakenAway> taken_away(const std::vector<Unticked>& all, std::size_t side);

}  // namespace tidemark::gui
