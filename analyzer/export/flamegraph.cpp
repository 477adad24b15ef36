#include "analyzer/export/flamegraph.hpp"

#include "analyzer/export/stacks/stack_tree.hpp"
#include "analyzer/stacks/stack_names.hpp"
#include "analyzer/text/shown_text.hpp"
#include "analyzer/text/size_text.hpp"
#include "analyzer/text/table_text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <iterator>
#include <string_view>
#include <vector>

namespace tidemark::exports {
namespace {

constexpr std::size_t kRowHeight = 18;
constexpr std::size_t kHeadHeight = 46;
/// Narrower frames have no room for a letter, even on a wide screen.
constexpr double kMinPercentWithText = 0.5;

/// Light enough for black text.
constexpr std::array<std::string_view, 8> kFlames{"#f6c28b", "#f3b07a", "#f7d38a", "#efa58a",
                                                  "#f2c9a0", "#e8b98e", "#f5dc9c", "#eeb7a4"};
constexpr std::string_view kLaneColour = "#a9c4de";
constexpr std::string_view kPlumbingColour = "#d9d9d9";

std::string escaped_name(std::string_view text) {
  std::string safe;
  for (const char c : analyzer::shown_text(text)) {
    switch (c) {
      case '&':
        safe += "&amp;";
        break;
      case '<':
        safe += "&lt;";
        break;
      case '>':
        safe += "&gt;";
        break;
      default:
        safe += c;
    }
  }
  return safe;
}

/// The same function has the same colour in every picture.
std::string_view flame_of(std::string_view function) {
  std::uint64_t hash = 14695981039346656037U;  // FNV-1a.
  for (const char c : function) {
    hash = (hash ^ static_cast<unsigned char>(c)) * 1099511628211U;
  }
  return kFlames[(hash >> 32U) % kFlames.size()];
}

struct Flame {
  std::string label;  ///< In the frame.
  std::string name;   ///< In its title.
  std::string_view colour;
  StackValues values;
  std::uint64_t begin_bytes = 0;
  std::size_t row = 0;
};

/// Puts frames together while the tree of one lane after the other is walked.
class Flames {
 public:
  explicit Flames(const FrameNames& names) : names_(names) {}

  void add_lane(trace::Lane lane, const StackTree& tree) {
    const StackValues& total = tree.nodes().front().total;
    if (total.bytes == 0) {
      return;
    }
    flames_.push_back({.label = trace::key_of(lane),
                       .name = trace::key_of(lane),
                       .colour = kLaneColour,
                       .values = total,
                       .begin_bytes = bytes_,
                       .row = 0});
    // By node: where its next child begins.
    std::vector<std::uint64_t> ends(tree.nodes().size(), bytes_);
    for (const std::uint32_t id : tree.depth_first()) {
      const TreeNode& node = tree.nodes()[id];
      const std::uint64_t begin = ends[node.parent];
      ends[id] = begin;
      ends[node.parent] += node.total.bytes;
      if (node.total.bytes != 0) {
        add(node, begin);
      }
    }
    bytes_ += total.bytes;
  }

  [[nodiscard]] std::uint64_t bytes() const { return bytes_; }
  [[nodiscard]] const std::vector<Flame>& all() const { return flames_; }
  [[nodiscard]] std::size_t rows() const {
    std::size_t rows = 0;
    for (const Flame& flame : flames_) {
      rows = std::max(rows, flame.row + 1);
    }
    return rows;
  }

 private:
  void add(const TreeNode& node, std::uint64_t begin) {
    const analyzer::NamedFrame& frame = names_[node.name];
    flames_.push_back(
        {.label = analyzer::lineless_short_name(frame),
         .name = frame.function,
         .colour = names_.is_plumbing(node.name) ? kPlumbingColour : flame_of(frame.function),
         .values = node.total,
         .begin_bytes = begin,
         .row = node.depth});
  }

  const FrameNames& names_;
  std::vector<Flame> flames_;
  std::uint64_t bytes_ = 0;
};

double percent_of(std::uint64_t bytes, std::uint64_t all) {
  return 100.0 * static_cast<double>(bytes) / static_cast<double>(all);
}

/// Each frame is a picture of its own, which cuts its text off at its border.
std::string frame_element(const Flame& flame, std::uint64_t all) {
  const double width = percent_of(flame.values.bytes, all);
  const std::string label =
      width < kMinPercentWithText
          ? std::string()
          : fmt::format(R"(<text x="3" y="13">{}</text>)", escaped_name(flame.label));
  return fmt::format(
      "<svg x=\"{:.4f}%\" y=\"{}\" width=\"{:.4f}%\" height=\"{}\"><title>{}\n{} ({}) in {} "
      "block{}</title><rect width=\"100%\" height=\"100%\" fill=\"{}\"/>{}</svg>\n",
      percent_of(flame.begin_bytes, all), kHeadHeight + flame.row * kRowHeight, width,
      kRowHeight - 1, escaped_name(flame.name), analyzer::format_size(flame.values.bytes),
      escaped_name(analyzer::share(flame.values.bytes, all)),
      analyzer::format_count(flame.values.blocks), flame.values.blocks == 1 ? "" : "s",
      flame.colour, label);
}

std::string sum_text(const StackTable& table, std::uint64_t bytes) {
  const std::string until = analyzer::format_time(table.at_ns);
  return table.since_ns ? fmt::format("{} kept from {} to {}", analyzer::format_size(bytes),
                                      analyzer::format_time(*table.since_ns), until)
                        : fmt::format("{} alive at {}", analyzer::format_size(bytes), until);
}

}  // namespace

std::string flamegraph_svg(const trace::Definitions& definitions,
                           const StackTable& table,
                           double smallest_share) {
  FrameNames names(definitions, Reading::kFunction);
  Flames flames(names);
  for (const trace::Lane lane : trace::kFootprintLanes) {
    StackTree tree = tree_of_lane(table, lane, names);
    tree.fold(smallest_share);
    flames.add_lane(lane, tree);
  }
  const std::string command =
      escaped_name(fmt::format("{}", fmt::join(definitions.session.command, " ")));
  std::string text = fmt::format(
      "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"100%\" height=\"{}\" "
      "font-family=\"DejaVu Sans,Verdana,sans-serif\" font-size=\"11\">\n"
      "<title>{}</title>\n<style>svg svg rect {{ stroke: #ffffff; stroke-width: 0.5 "
      "}}</style>\n<rect width=\"100%\" height=\"100%\" fill=\"#ffffff\"/>\n"
      "<text x=\"4\" y=\"16\" font-size=\"13\">{}</text>\n<text x=\"4\" y=\"34\" "
      "fill=\"#555555\">{}</text>\n",
      kHeadHeight + flames.rows() * kRowHeight, command, sum_text(table, flames.bytes()), command);
  for (const Flame& flame : flames.all()) {
    text += frame_element(flame, flames.bytes());
  }
  return text + "</svg>\n";
}

}  // namespace tidemark::exports
