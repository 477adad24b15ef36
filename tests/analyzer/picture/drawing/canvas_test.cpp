#include "analyzer/picture/drawing/canvas.hpp"

#include "analyzer/picture/drawing/svg.hpp"
#include "tests/analyzer/picture/scenes.hpp"
#include "tests/analyzer/sample_loads.hpp"
#include "tests/support/catch.hpp"

#include <cstring>
#include <memory>
#include <set>

#include <cairo.h>

using namespace tidemark;
using tests::Gallery;

namespace {

picture::Scene naive_scene(picture::GraphOptions options = {}, bool dark = false) {
  options.dark = dark;
  const auto gallery = Gallery().load(tests::append_naive_load).load(tests::append_streamed_load);
  auto scene = picture::draw_graph(gallery.subjects(), options, picture::cairo_measure());
  REQUIRE(scene.ok());
  return std::move(scene.value());
}

struct Reading {
  const std::string& bytes;
  std::size_t next = 0;
};

cairo_status_t read_on(void* reading, unsigned char* data, unsigned length) {
  auto& from = *static_cast<Reading*>(reading);
  if (from.bytes.size() - from.next < length) {
    return CAIRO_STATUS_READ_ERROR;
  }
  std::memcpy(data, from.bytes.data() + from.next, length);
  from.next += length;
  return CAIRO_STATUS_SUCCESS;
}

using Surface = std::unique_ptr<cairo_surface_t, decltype(&cairo_surface_destroy)>;

Surface decoded(const std::string& png) {
  Reading reading{png};
  Surface surface(cairo_image_surface_create_from_png_stream(read_on, &reading),
                  cairo_surface_destroy);
  REQUIRE(cairo_surface_status(surface.get()) == CAIRO_STATUS_SUCCESS);
  return surface;
}

std::set<std::uint32_t> colours_of(cairo_surface_t* surface) {
  std::set<std::uint32_t> colours;
  const unsigned char* const data = cairo_image_surface_get_data(surface);
  const int stride = cairo_image_surface_get_stride(surface);
  for (int y = 0; y < cairo_image_surface_get_height(surface); ++y) {
    for (int x = 0; x < cairo_image_surface_get_width(surface); ++x) {
      std::uint32_t pixel = 0;
      std::memcpy(&pixel, data + y * stride + x * 4, sizeof(pixel));
      colours.insert(pixel & 0xffffffU);
    }
  }
  return colours;
}

}  // namespace

TEST_CASE("with real letters labels are readable too", "[plot]") {
  for (const bool dark : {false, true}) {
    tests::check_readable(naive_scene(tests::sized(800, 450), dark));
    tests::check_readable(naive_scene(tests::sized(480, 300), dark));
    tests::check_readable(naive_scene(tests::sized(1600, 900), dark));
  }
}

TEST_CASE("the same traces give the same SVG, byte for byte", "[plot]") {
  const auto first = picture::svg_document(naive_scene());
  const auto second = picture::svg_document(naive_scene());

  CHECK(first == second);
  CHECK(first.find("width=\"800\" height=\"450\"") != std::string::npos);
  CHECK(first.ends_with("</svg>\n"));
}

TEST_CASE("a PNG has the size asked for and is not blank", "[plot]") {
  const double scale = GENERATE(1.0, 2.0);
  const auto png = picture::png_of(naive_scene(tests::sized(480, 300), true), scale);

  REQUIRE(png.ok());
  const auto surface = decoded(png.value());
  CHECK(cairo_image_surface_get_width(surface.get()) == 480 * scale);
  CHECK(cairo_image_surface_get_height(surface.get()) == 300 * scale);
  const auto colours = colours_of(surface.get());
  CHECK(colours.contains(0x0d1117));  // The dark background,
  CHECK(colours.contains(0x2b7ab8));  // the heap,
  CHECK(colours.size() > 30);         // and the edges of letters.
}

TEST_CASE("text that no font can write is no error", "[plot]") {
  picture::Scene scene{.width = 100, .height = 20, .background = {}, .items = {}};
  scene.items.emplace_back(
      picture::Label{"\xf0\x9f\x8c\x8a \xe6\xa8\xa1", {2, 15}, 12, false, {1, 1, 1, 1}, {}});

  CHECK(picture::png_of(scene).ok());
  CHECK(picture::svg_document(scene).find("\xe6\xa8\xa1") != std::string::npos);
}
