/// One row a file, a thread, a phase.
#pragma once

#include "gui/app/panes/desk.hpp"
#include "gui/view/activity/activity_layout.hpp"

#include <memory>

namespace tidemark::gui {

class ActivityPane {
 public:
  void show(const Desk& desk);

 private:
  void take_pointer(const Desk& desk,
                    const ActivityInput& input,
                    const ActivityPlace& under,
                    const picture::Box& plots);
  void click(const Desk& desk, const ActivityPlace& under, double x);

  std::shared_ptr<const Activity> activity_;  // What `layout_` was made from.
  KeptActivityLayout layout_;
  double scrolled_ = 0;
  bool all_files_ = false;
  bool all_threads_ = false;
};

}  // namespace tidemark::gui
