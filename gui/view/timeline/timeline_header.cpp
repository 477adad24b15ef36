#include "gui/view/timeline/timeline_header.hpp"

namespace tidemark::gui {

using picture::Anchor;
using picture::Box;

void draw_header(picture::Pen& pen,
                 const Look& look,
                 const Box& box,
                 const std::string& role,
                 const TimelineTrace& trace,
                 bool tells_loss) {
  const picture::Theme& theme = look.theme;
  const double size = look.type.text;
  const double baseline = picture::middle_baseline(box.y, box.bottom(), size);
  const double gap = look.px(10);
  const picture::Subject& subject = *trace.subject;
  std::string facts = subject.facts_text();
  // In full only if that leaves enough room for the command.
  const std::string meaning = subject.model_bytes > 0 ? "size of the weights " : "";
  if (pen.width_of({size, theme.soft}, meaning + facts) < 0.4 * box.width) {
    facts = meaning + facts;
  }
  const double role_width = role.empty() ? 0 : pen.width_of({size, theme.ink, true}, role) + gap;
  double right = pen.text({size, theme.soft}, Anchor::kRight, {box.right(), baseline}, facts,
                          box.width - role_width)
                     .x;
  right = right > 0 ? right : box.right();
  double x = box.x;
  if (!role.empty()) {
    x = pen.text({size, theme.ink, true}, Anchor::kLeft, {x, baseline}, role).right() + gap;
  }
  const bool has_loss = tells_loss && !subject.warning.empty();
  const std::string& warning = has_loss ? subject.warning : trace.note;
  if (!warning.empty()) {
    x = pen.text({size, theme.warning, true}, Anchor::kLeft, {x, baseline}, warning,
                 (right - x) * 0.6)
            .right() +
        gap;
  }
  pen.text({size, theme.soft}, Anchor::kLeft, {x, baseline}, subject.command, right - x - gap);
}

}  // namespace tidemark::gui
