/// The popup for finding anything by name.
#pragma once

#include "gui/app/panes/desk.hpp"
#include "gui/view/session/find_anything.hpp"

#include <array>
#include <cstdint>
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
  /// Gathers the places again if a trace, its facts or its notes changed. @return true if so.
  bool gather(const Desk& desk);
  bool know_held_bytes(const Desk& desk);
  void tell_moment(const Desk& desk) const;
  void take_arrows();
  bool row(const Desk& desk, const Place& place, bool is_selected) const;

  std::string wanted_;
  std::string found_for_;
  std::vector<Place> places_;
  FoundPlaces found_;
  // By side. A new trace may get the address of an old one, but not with the same event count.
  std::array<std::tuple<const OpenTrace*, std::uint64_t, const TraceFacts*>, 2> gathered_{};
  std::array<std::shared_ptr<const FunctionBytes>, 2> functions_;
  std::array<std::shared_ptr<const HeldBytes>, 2> held_;  // Whose bytes `places_` have.
  std::array<Notes, 2> notes_;
};

}  // namespace tidemark::gui
