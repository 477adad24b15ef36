/// The popup that finds anything by its name.
#pragma once

#include "gui/app/panes/desk.hpp"
#include "gui/view/session/find_anything.hpp"

#include <array>
#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <tuple>
#include <vector>

namespace tidemark::gui {

class FindDialog {
 public:
  /// Into the current popup. @return what was chosen.
  std::optional<Place> show(const Desk& desk);

 private:
  /// Once for each trace, and again once its phases, and who holds memory, are known.
  void gather(const Desk& desk);
  void take_arrows();
  bool row(const Desk& desk, const Place& place, bool is_selected) const;

  std::string wanted_;
  std::string found_for_;
  std::vector<Place> places_;
  std::vector<const Place*> found_;
  std::array<std::tuple<const OpenTrace*, const TraceFacts*, std::shared_ptr<const Holders>>, 2>
      gathered_{};
  std::array<Notes, 2> notes_;
  std::size_t selected_ = 0;
};

}  // namespace tidemark::gui
