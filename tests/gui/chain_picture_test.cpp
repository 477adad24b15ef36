#include "gui/view/chain/chain_picture.hpp"

#include "tests/analyzer/picture/scenes.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/sizes.hpp"

#include <algorithm>
#include <string>
#include <variant>
#include <vector>

using namespace tidemark;
using analyzer::Chain;
using analyzer::ChainEdge;
using analyzer::ChainNode;
using tests::kMiB;

namespace {

ChainNode blocks(const std::string& function, std::uint64_t bytes, std::uint32_t depth) {
  ChainNode node;
  node.bytes = bytes;
  node.blocks = 2;
  node.depth = depth;
  node.frames = {{.function = function, .file = "load.cpp", .line = 7, .module = "/bin/load"}};
  return node;
}

/// A file that is read through a small buffer into tensors, of which a little is copied on.
Chain streamed_load() {
  Chain chain;
  ChainNode file;
  file.kind = ChainNode::Kind::kFile;
  file.name = "/models/model.params";
  file.file_count = 1;
  file.bytes = 1000 * kMiB;
  chain.nodes = {file, blocks("fill_buffer", 4 * kMiB, 1), blocks("new_tensor", 1000 * kMiB, 2),
                 blocks("keep_name", kMiB, 3)};
  chain.edges = {{.kind = ChainEdge::Kind::kRead,
                  .from = 0,
                  .to = 1,
                  .bytes = 1000 * kMiB,
                  .first_ns = 10,
                  .last_ns = 90,
                  .frames = {}},
                 {.kind = ChainEdge::Kind::kCopy,
                  .from = 1,
                  .to = 2,
                  .bytes = 1000 * kMiB,
                  .first_ns = 20,
                  .last_ns = 95,
                  .frames = {}},
                 {.kind = ChainEdge::Kind::kCopy,
                  .from = 2,
                  .to = 3,
                  .bytes = kMiB,
                  .first_ns = 97,
                  .last_ns = 98,
                  .frames = {}}};
  return chain;
}

struct Drawn {
  picture::Scene scene;
  std::vector<gui::ChainBox> boxes;
};

Drawn drawn(const Chain& chain, const picture::Box& place) {
  Drawn result;
  result.scene.width = place.right() + 10;
  result.scene.height = place.bottom() + 10;
  const picture::Type type = gui::screen_type(1);
  const picture::MeasureText measure = tests::wide_letters();
  const gui::Look look{picture::light_theme(), type, measure};
  result.boxes = gui::draw_chain(result.scene, chain, {}, place, look);
  return result;
}

}  // namespace

TEST_CASE("each step of the weights stands one column further, more bytes higher", "[gui]") {
  const picture::Box place{10, 10, 900, 240};

  const Drawn result = drawn(streamed_load(), place);

  REQUIRE(result.boxes.size() == 3);  // What moved less than a hundredth is left out.
  const picture::Box& file = result.boxes[0].box;
  const picture::Box& buffer = result.boxes[1].box;
  const picture::Box& tensors = result.boxes[2].box;
  CHECK(file.right() < buffer.x);
  CHECK(buffer.right() < tensors.x);
  CHECK(tensors.right() <= place.right() + 0.01);
  CHECK(tensors.height == Approx(file.height));
  CHECK(buffer.height < tensors.height / 2);
  tests::check_readable(result.scene);
}

TEST_CASE("boxes of as many bytes are as high, whatever is said in them, and others by theirs",
          "[gui]") {
  Chain chain = streamed_load();
  chain.nodes[1].bytes = 500 * kMiB;
  chain.nodes[2].unfollowed_bytes = 900 * kMiB;

  const Drawn result = drawn(chain, {10, 10, 900, 240});

  const double file = result.boxes.at(0).box.height;
  CHECK(result.boxes.at(2).box.height == Approx(file));
  CHECK(result.boxes.at(1).box.height == Approx(file / 2));
  CHECK(result.boxes.at(2).box.bottom() <= 250.01);
}

TEST_CASE("of several files their number is said, beside the name of the first or below it",
          "[gui]") {
  Chain chain = streamed_load();
  chain.nodes[0].file_count = 16;
  const auto has = [&chain](double width, const std::string& text) {
    return tests::has_label(drawn(chain, {10, 10, width, 240}).scene, text);
  };

  CHECK(has(1600, "model.params and 15 more"));
  CHECK(has(600, "and 15 more"));
}

TEST_CASE("bands end at their boxes, even of a buffer that passes on more than it holds", "[gui]") {
  const Drawn result = drawn(streamed_load(), {10, 10, 900, 240});

  const picture::Box& buffer = result.boxes.at(1).box;
  for (const auto& item : result.scene.items) {
    const auto* const fill = std::get_if<picture::Fill>(&item);
    if (fill == nullptr || fill->part != picture::Part::kDifference) {
      continue;
    }
    for (const picture::Point& point : fill->outline) {
      if (point.x >= buffer.x && point.x <= buffer.right()) {
        CHECK(point.y >= buffer.y - 0.01);
        CHECK(point.y <= buffer.bottom() + 0.01);
      }
    }
  }
}

TEST_CASE("the pointer finds the box it is over, and when its bytes had come", "[gui]") {
  const Chain chain = streamed_load();
  const Drawn result = drawn(chain, {10, 10, 900, 240});
  const picture::Box& tensors = result.boxes.at(2).box;

  CHECK(gui::chain_node_at(result.boxes, {tensors.x + 1, tensors.y + 1}) == 2U);
  CHECK_FALSE(gui::chain_node_at(result.boxes, {tensors.x - 3, tensors.y + 1}).has_value());
  CHECK(gui::arrival_ns(chain, 2) == 95);
  CHECK(gui::arrival_ns(chain, 0) == 10);
}

TEST_CASE("sizes are whole where many steps share little room", "[gui]") {
  Chain chain = streamed_load();
  for (std::uint32_t depth = 3; depth < 7; ++depth) {
    chain.nodes.push_back(blocks("convert", 1000 * kMiB, depth));
    chain.edges.push_back({.kind = ChainEdge::Kind::kCopy,
                           .from = depth == 3 ? 2U : static_cast<std::uint32_t>(depth),
                           .to = static_cast<std::uint32_t>(chain.nodes.size() - 1),
                           .bytes = 1000 * kMiB,
                           .first_ns = 100,
                           .last_ns = 110,
                           .frames = {}});
  }

  const Drawn result = drawn(chain, {10, 10, 720, 240});

  std::size_t sizes = 0;
  for (const auto& item : result.scene.items) {
    const auto* const label = std::get_if<picture::Label>(&item);
    if (label != nullptr && label->text == "1000.0 MiB") {
      ++sizes;
    }
  }
  CHECK(sizes == 6);  // The file and five groups, and no cut one beside a band.
}

TEST_CASE("a box says how much of it was not seen to go on", "[gui]") {
  Chain chain = streamed_load();
  chain.nodes[1].unfollowed_bytes = 90 * kMiB;  // Less than a tenth of what came.
  chain.nodes[2].unfollowed_bytes = 900 * kMiB;

  const auto text_of = [&](double height) {
    const Drawn result = drawn(chain, {10, 10, 900, height});
    tests::check_readable(result.scene);
    std::string text;
    double lowest = 0;
    for (const auto& item : result.scene.items) {
      const auto* const label = std::get_if<picture::Label>(&item);
      const picture::Box& tensors = result.boxes.at(2).box;
      if (label != nullptr && label->baseline.x >= tensors.x) {
        text += label->text + ' ';
        lowest = std::max(lowest, label->baseline.y);
      }
    }
    CHECK(lowest <= result.boxes.at(2).box.bottom());
    return text;
  };

  CHECK_THAT(
      text_of(240),
      Catch::Contains("900.0 MiB of it: copied by a loop or in small pieces, or not copied"));
  CHECK_THAT(text_of(240), !Catch::Contains("90.0 MiB of it"));
  CHECK_THAT(text_of(70), !Catch::Contains("of it"));  // There is no room.
}

TEST_CASE("the pointer is told what went into a box and out of it", "[gui]") {
  const Chain chain = streamed_load();

  const std::string text = gui::chain_node_text(chain, 1);

  CHECK(text.find("4.00 MiB") == std::string::npos);  // It held that, but at the peak nothing.
  CHECK(text.find("1000.0 MiB read from model.params") != std::string::npos);
  CHECK(text.find("1000.0 MiB copied into new_tensor") != std::string::npos);
}
