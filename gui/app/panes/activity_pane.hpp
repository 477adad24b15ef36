/// One row a phase, a thread, a file.
#pragma once

#include "gui/app/panes/desk.hpp"

namespace tidemark::gui {

class ActivityPane {
 public:
  void show(const Desk& desk);

 private:
  double scrolled_ = 0;
};

}  // namespace tidemark::gui
