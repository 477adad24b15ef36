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
  explicit ForestWriter(StackForest& forest)
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
    std::vector<std::uint64_t> runs;
    for (std::size_t node = 1; node < nodes_.size(); ++node) {
      if (nodes_[node] != kUnused) {
        nodes_[node] = static_cast<std::uint32_t>(parents.size());
        parents.push_back(nodes_[forest_.nodes()[node].parent]);
        frames.push_back(frame(forest_.nodes()[node].frame));
        const analyzer::InternedOutline read =
            ends_[node] ? forest_.outline_of(static_cast<std::uint32_t>(node))
                        : analyzer::InternedOutline();
        askers.push_back(read.asker);
        natives.push_back(read.native ? *read.native + 1 : 0);
        append_runs(read, runs);
      }
    }
    return {{"strings", strings_.take()}, {"frames", std::move(frame_list_)},
            {"parent", packed(parents)},  {"frame", packed(frames)},
            {"asker", packed(askers)},    {"native", packed(natives)},
            {"shown", packed(runs)}};
  }

  [[nodiscard]] std::uint32_t number_of(std::uint32_t node) const { return nodes_[node]; }

 private:
  /// How many runs of places stand behind this, then how long each is: those left out and those
  /// shown in turns, from a stack's innermost function on. A last run that is shown has no length:
  /// so most native stacks have the same numbers, however deep they are.
  static void append_runs(const analyzer::InternedOutline& read, std::vector<std::uint64_t>& runs) {
    const std::size_t count = runs.size();
    runs.push_back(0);
    std::size_t next = 0;
    for (const std::size_t place : read.shown) {
      if (runs.size() == count + 1 || place != next) {
        runs.push_back(place - next);
        runs.push_back(0);
      }
      ++runs.back();
      next = place + 1;
    }
    if (!read.shown.empty() && next == read.depth) {
      runs.pop_back();
    }
    runs[count] = runs.size() - count - 1;
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

  StackForest& forest_;
  std::vector<std::uint32_t> nodes_;   // By node of the forest: its number in the page.
  std::vector<std::uint32_t> frames_;  // By frame of the forest.
  std::vector<bool> ends_;             // By node of the forest: a stack ends there.
  Strings strings_;
  Json frame_list_ = Json::array();
};

}  // namespace

Json forest_document(StackForest& forest, const std::vector<std::uint32_t*>& nodes) {
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
