#include "analyzer/html/documents/forest_document.hpp"

#include "analyzer/html/contents/packed.hpp"

#include <string>
#include <unordered_map>
#include <utility>

namespace tidemark::html {
namespace {

using analyzer::Json;

constexpr std::uint32_t kUnused = UINT32_MAX;

/// Gives texts their indices.
class Strings {
 public:
  std::size_t index_of(const std::string& text) {
    const auto [entry, is_new] = known_.try_emplace(text, known_.size());
    if (is_new) {
      list_.push_back(text);
    }
    return entry->second;
  }
  Json take() { return std::move(list_); }

 private:
  std::unordered_map<std::string, std::size_t> known_;
  Json list_ = Json::array();
};

class ForestWriter {
 public:
  explicit ForestWriter(const StackForest& forest)
      : forest_(forest),
        nodes_(forest.nodes().size(), kUnused),
        frames_(forest.frames().size(), kUnused),
        ends_(forest.nodes().size()) {}

  /// The stack that ends in a node.
  void use(std::uint32_t node) {
    ends_[node] = true;
    for (; nodes_[node] == kUnused; node = forest_.nodes()[node].parent) {
      nodes_[node] = 0;
      if (node == 0) {
        break;
      }
    }
  }

  /// Numbers the used nodes in their order, so that parents stay before their children.
  Json write() {
    nodes_[0] = 0;
    std::vector<std::uint64_t> parents{0};
    std::vector<std::uint64_t> frames{0};
    std::vector<std::uint64_t> askers{0};
    std::vector<std::uint64_t> natives{0};  // One more than the steps; 0: none.
    for (std::size_t node = 1; node < nodes_.size(); ++node) {
      if (nodes_[node] != kUnused) {
        nodes_[node] = static_cast<std::uint32_t>(parents.size());
        parents.push_back(nodes_[forest_.nodes()[node].parent]);
        frames.push_back(frame(forest_.nodes()[node].frame));
        askers.push_back(ends_[node] ? forest_.steps_to_asker(static_cast<std::uint32_t>(node))
                                     : 0);
        natives.push_back(native(static_cast<std::uint32_t>(node)));
      }
    }
    return {{"strings", strings_.take()}, {"frames", std::move(frame_list_)},
            {"parent", packed(parents)},  {"frame", packed(frames)},
            {"asker", packed(askers)},    {"native", packed(natives)}};
  }

  [[nodiscard]] std::uint32_t number_of(std::uint32_t node) const { return nodes_[node]; }

 private:
  [[nodiscard]] std::uint64_t native(std::uint32_t node) const {
    const auto steps = ends_[node] ? forest_.steps_to_native(node) : std::nullopt;
    return steps ? *steps + 1 : 0;
  }
  std::uint32_t frame(std::uint32_t id) {
    if (frames_[id] == kUnused) {
      frames_[id] = static_cast<std::uint32_t>(frame_list_.size());
      const ForestFrame& frame = forest_.frames()[id];
      frame_list_.push_back(row_of(frame));
    }
    return frames_[id];
  }

  Json row_of(const ForestFrame& frame) {
    Json row = Json::array(
        {strings_.index_of(frame.name), strings_.index_of(frame.function),
         strings_.index_of(frame.file), frame.line, strings_.index_of(frame.module),
         (frame.is_plumbing ? 1 : 0) + (frame.needs_its_file ? 2 : 0) + (frame.is_python ? 4 : 0)});
    if (frame.file_name != analyzer::file_name(frame.file)) {
      row.push_back(strings_.index_of(frame.file_name));
    }
    return row;
  }

  const StackForest& forest_;
  std::vector<std::uint32_t> nodes_;   // By node of the forest: its number in the page.
  std::vector<std::uint32_t> frames_;  // By frame of the forest.
  std::vector<bool> ends_;             // By node of the forest: a stack ends there.
  Strings strings_;
  Json frame_list_ = Json::array();
};

}  // namespace

Json forest_document(const StackForest& forest, const std::vector<std::uint32_t*>& nodes) {
  ForestWriter writer(forest);
  for (const std::uint32_t* node : nodes) {
    writer.use(*node);
  }
  Json json = writer.write();
  for (std::uint32_t* node : nodes) {
    *node = writer.number_of(*node);
  }
  return json;
}

}  // namespace tidemark::html
