#include "gui/app/bars/what_if_bar.hpp"

#include "analyzer/io/whole_file.hpp"
#include "analyzer/report/anatomy/what_if_text.hpp"
#include "gui/app/bars/sentence_bar.hpp"
#include "gui/app/panes/toolbar.hpp"

#include <string>

namespace tidemark::gui {
namespace {

/// Joins the texts that `make` returns for each trace from which something is taken away and whose
/// rest is known.
template <typename Make>
std::string texts_of(const Desk& desk, const Make& make) {
  std::string all;
  for (std::size_t side = 0; side < desk.session.size(); ++side) {
    const TraceFacts* const facts = desk.session.trace(side).facts();
    const auto left = desk.session.remaining_peak(side);
    const auto taken = taken_away(desk.state.unticked, side);
    if (facts != nullptr && left && !taken.empty()) {
      const std::string& path = desk.session.trace(side).path();
      all += (all.empty() ? "" : "\n") + make(facts->report, taken, left->lanes.footprint(),
                                              path.substr(path.find_last_of('/') + 1));
    }
  }
  return all;
}

std::string sentences(const Desk& desk) {
  return texts_of(desk,
                  [](const auto& report, const auto& taken, std::uint64_t bytes, const auto&) {
                    return analyzer::what_if_sentence(report, taken, bytes);
                  });
}

std::string text(const Desk& desk) {
  return texts_of(desk, [](const auto&... all) { return analyzer::what_if_text(all...); });
}

std::string markdown(const Desk& desk) {
  return texts_of(desk, [](const auto&... all) { return analyzer::what_if_markdown(all...); });
}

/// Shows an item for everything taken away, and the buttons for all of them.
std::optional<Message> show_taken(const Desk& desk) {
  std::optional<Message> message;
  std::optional<Unticked> back;
  bool are_all_back = false;
  Toolbar bar(desk);
  bar.label("taken away:");
  for (std::size_t i = 0; i < desk.state.unticked.size(); ++i) {
    const Unticked& one = desk.state.unticked[i];
    bar.button(
        "x  " + one.text + "##" + std::to_string(i), false, [&] { back = one; }, "put it back");
  }
  bar.apart();
  bar.button("copy", [&] { ImGui::SetClipboardText(text(desk).c_str()); });
  bar.button("copy markdown", [&] { ImGui::SetClipboardText(markdown(desk).c_str()); });
  bar.button("save", [&] { message = save_what_if(desk); });
  bar.button("put all back", [&] { are_all_back = true; });
  bar.show();
  if (back) {
    toggle(desk.state.unticked, *back);
  }
  if (are_all_back) {
    desk.state.unticked.clear();
  }
  return message;
}

}  // namespace

std::optional<Message> show_what_if(const Desk& desk) {
  if (desk.state.unticked.empty()) {
    return std::nullopt;
  }
  const std::string known = sentences(desk);
  show_sentence(desk, known.empty() ? "recomputing the load without it ..." : known,
                desk.look.theme.less);
  return show_taken(desk);
}

Message save_what_if(const Desk& desk) {
  const std::string said = markdown(desk);
  if (said.empty()) {
    return {desk.state.unticked.empty()
                ? "nothing is taken away: untick a finding, a row of the table or a block first"
                : "the load without it is still being recomputed",
            true};
  }
  const std::string file = desk.session.trace(0).path() + ".what-if.md";
  return message_of(analyzer::write_whole_file(file, said), "wrote " + file);
}

}  // namespace tidemark::gui
