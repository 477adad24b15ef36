#include "analyzer/io/whole_file.hpp"
#include "gui/app/main_view.hpp"
#include "gui/app/steering/places.hpp"

#include <utility>
#include <variant>

namespace tidemark::gui {

void MainView::obey(const Desk& desk, const Asked& asked) {
  if (const auto* const move = std::get_if<Move>(&asked)) {
    tell(navigation_.go(desk, *move));
  } else if (const auto* const pane = std::get_if<Pane>(&asked)) {
    turn_to(*pane);
  } else {
    obey(desk, std::get<Command>(asked));
  }
}

void MainView::obey(const Desk& desk, Command command) {
  switch (command) {
    case Command::kOpen:
      return dialogs_.open(Dialog::kOpen);
    case Command::kExport:
      return dialogs_.open(Dialog::kExport);
    case Command::kFind:
      return dialogs_.open(Dialog::kFind);
    case Command::kKeys:
      return dialogs_.open(Dialog::kKeys);
    case Command::kNote:
      return dialogs_.open_note(desk, timeline_.pointed_at());
    case Command::kEscape:
      return take_escape();
    case Command::kTheme:
      state_.dark = settings_.dark = !state_.dark;
      return;
    case Command::kOverlay:
      state_.overlaid = !state_.overlaid;
      return;
    case Command::kOtherSide:
      state_.side = (state_.side + 1) % session_->size();
      return;
    case Command::kSaveView:
      wants_save_ = true;
      return;
    case Command::kTakeAway:
      return untick_next();
    case Command::kPutAllBack:
      return state_.unticked.clear();
    case Command::kSaveWhatIf:
      return save_what_if();
  }
}

/// Away with the nearest: a dialog, else what was chosen and said.
void MainView::take_escape() {
  if (dialogs_.close()) {
    return;
  }
  state_.cursor.reset();
  state_.selection.reset();
  state_.block.reset();
  message_ = {};
}

/// The instant, in view, and who held memory then.
void MainView::look_at(const Desk& desk, const StackAt& wanted) {
  look_at_ns(desk, wanted.at_ns);
  looks_elsewhere_ = true;
  holders_.select(wanted);
  turn_to(Pane::kHolders);
}

void MainView::save_state() {
  const std::string file = session_->trace(0).path() + ".view.json";
  const auto status = analyzer::write_whole_file(file, state_json(state_));
  message_ = message_of(status, "saved " + file + "; show it again with --state");
}

void MainView::dialogs(const Desk& desk) {
  auto choice = dialogs_.show(desk, settings_.recent, toolbar_bottom_);
  if (choice.traces) {
    wanted_ = std::move(choice.traces);
  }
  if (choice.picture) {
    tell(export_.begin(desk, timeline_, *choice.picture));
  }
  if (choice.place) {
    const Arrival arrival = go_to(desk, *choice.place);
    tell(arrival.message);
    if (arrival.pane) {
      turn_to(*arrival.pane);
    }
  }
  if (const auto& note = choice.note) {
    const std::string trouble = notes_.write(note->side, note->at_ns, note->text);
    message_ = {trouble, !trouble.empty()};
  }
}

}  // namespace tidemark::gui
