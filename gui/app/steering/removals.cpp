#include "gui/app/steering/removals.hpp"

namespace tidemark::gui {

bool Removals::take_away(const Desk& desk) {
  bool is_new = false;
  const std::vector<Unticked>& unticked = desk.state.unticked;
  for (std::size_t side = 0; side < desk.session.size(); ++side) {
    const TraceFacts* const facts = desk.session.trace(side).facts();
    Taken& known = taken_.at(side);
    if (facts == nullptr || (known.facts == facts && known.unticked == unticked)) {
      continue;
    }
    known = {facts, unticked};
    desk.session.take_away(side, removal_of(unticked, side, facts->report));
    is_new = true;
  }
  return is_new;
}

std::optional<Message> untick_next(const Desk& desk) {
  const std::size_t side = desk.state.side;
  const TraceFacts* const facts = desk.chosen().facts();
  if (facts == nullptr) {
    return std::nullopt;
  }
  const auto next = largest_ticked(desk.state.unticked, facts->report, side);
  if (!next) {
    return Message{.text = no_finding_text(facts->report), .is_of_removals = true};
  }
  toggle(desk.state.unticked, unticked_finding(facts->report, side, *next));
  return std::nullopt;
}

}  // namespace tidemark::gui
