#include "gui/app/picture_export.hpp"

#include "analyzer/io/whole_file.hpp"
#include "analyzer/picture/drawing/canvas.hpp"
#include "analyzer/picture/drawing/svg.hpp"

#include <utility>

namespace tidemark::gui {
namespace {

Message write_picture(const picture::Scene& scene, const std::string& file) {
  constexpr double kPngScale = 2;
  const auto bytes = file.ends_with(".svg") ? Result<std::string>(picture::svg_document(scene))
                                            : picture::png_of(scene, kPngScale);
  if (!bytes.ok()) {
    return {bytes.error().message, true};
  }
  return message_of(analyzer::write_whole_file(file, bytes.value()), "wrote " + file);
}

}  // namespace

std::optional<Message> PictureExport::begin(const Desk& desk,
                                            TimelinePane& timeline,
                                            const WantedPicture& wanted) {
  if (!wanted.file.ends_with(".svg") && !wanted.file.ends_with(".png")) {
    return Message{"cannot tell what '" + wanted.file + "' shall be; end its name in .svg or .png",
                   true};
  }
  if (wanted.is_pane) {
    pane_wish_.is_wanted = true;
    pane_file_ = wanted.file;
    return std::nullopt;
  }
  constexpr double kWidth = 1200;
  constexpr double kHeight = 500;
  return write_picture(timeline.picture(desk, picture::cairo_measure(), kWidth, kHeight),
                       wanted.file);
}

std::optional<Message> PictureExport::end() {
  if (!pane_wish_.is_wanted) {
    return std::nullopt;
  }
  const PaneWish wish = std::exchange(pane_wish_, {});
  if (!wish.taken) {
    return Message{"this pane has no picture to export yet", true};
  }
  return write_picture(*wish.taken, pane_file_);
}

}  // namespace tidemark::gui
