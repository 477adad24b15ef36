#include "gui/view/basics/moved_scene.hpp"

#include <utility>

namespace tidemark::gui {
namespace {

struct Mover {
  double x;
  double y;

  void move(picture::Point& point) const {
    point.x -= x;
    point.y -= y;
  }
  void operator()(picture::Fill& fill) const {
    for (picture::Point& point : fill.outline) {
      move(point);
    }
  }
  void operator()(picture::Stroke& stroke) const {
    for (picture::Point& point : stroke.points) {
      move(point);
    }
  }
  void operator()(picture::Label& label) const {
    move(label.baseline);
    label.box.x -= x;
    label.box.y -= y;
  }
};

}  // namespace

picture::Scene moved_scene(picture::Scene scene,
                           const picture::Box& place,
                           const picture::Colour& background) {
  scene.width = place.width;
  scene.height = place.height;
  scene.background = background;
  for (auto& item : scene.items) {
    std::visit(Mover{place.x, place.y}, item);
  }
  return scene;
}

}  // namespace tidemark::gui
