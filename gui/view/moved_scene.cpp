#include "gui/view/moved_scene.hpp"

#include <utility>

namespace tidemark::gui {
namespace {

struct Mover {
  double x;
  double y;

  void move(plot::Point& point) const {
    point.x -= x;
    point.y -= y;
  }
  void operator()(plot::Fill& fill) const {
    for (plot::Point& point : fill.outline) {
      move(point);
    }
  }
  void operator()(plot::Stroke& stroke) const {
    for (plot::Point& point : stroke.points) {
      move(point);
    }
  }
  void operator()(plot::Label& label) const {
    move(label.baseline);
    label.box.x -= x;
    label.box.y -= y;
  }
};

}  // namespace

plot::Scene moved_scene(plot::Scene scene, const plot::Box& place, const plot::Colour& background) {
  scene.width = place.width;
  scene.height = place.height;
  scene.background = background;
  for (auto& item : scene.items) {
    std::visit(Mover{place.x, place.y}, item);
  }
  return scene;
}

}  // namespace tidemark::gui
