/// The stacks of a page as one tree of functions; frames that read the same share a node.
#pragma once

#include "analyzer/stacks/alike/interned_outline.hpp"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace tidemark::html {

/// A function at a line, as it is printed.
struct ForestFrame {
  std::string name;      ///< Shortened.
  std::string function;  ///< The whole name, but cut where more would be useless to a reader.
  std::string file;
  std::string file_name;  ///< As shown to a reader.
  std::uint32_t line = 0;
  std::string module;
  bool needs_its_file = false;  ///< See analyzer::needs_its_file.
  bool is_python = false;
  bool is_plumbing = false;  ///< See analyzer::is_allocation_plumbing.
  analyzer::EntryRole role = analyzer::EntryRole::kNone;
};

/// Node 0 is the root: "no stack", and the whole. Parents come before their children. Two traces
/// may share one forest.
class StackForest {
 public:
  struct Node {
    std::uint32_t parent = 0;
    std::uint32_t frame = 0;  ///< None for the root.
  };

  [[nodiscard]] const std::vector<Node>& nodes() const { return nodes_; }
  [[nodiscard]] const std::vector<ForestFrame>& frames() const { return frames_; }

  /// Its numbers are indices into `frames()`, after `take_new_frames`.
  [[nodiscard]] analyzer::InternedFrames& table() { return table_; }
  void take_new_frames();
  std::uint32_t add_frame(const analyzer::NamedFrame& frame);
  std::uint32_t add_node(std::uint32_t parent, std::uint32_t frame);
  /// @return the node of its innermost function, `stack.front()`; start-up code is left out.
  std::uint32_t add_stack(const std::vector<analyzer::NamedFrame>& stack);
  /// The outline of the stack that ends in a node; empty for the root.
  analyzer::InternedOutline outline_of(std::uint32_t node);

 private:
  std::vector<Node> nodes_{{}};
  std::vector<ForestFrame> frames_;
  analyzer::InternedFrames table_{analyzer::Reading::kModule};
  analyzer::ChildIndex children_;  // By frame.
  analyzer::InternedFacts facts_{table_};
};

/// Plants the stacks of one trace; each recorded frame and stack is named once.
class StackPlanter {
 public:
  /// Both stay borrowed.
  StackPlanter(const trace::Definitions& definitions, StackForest& forest);

  /// The node of a stack's innermost function; start-up code below main is left out.
  std::uint32_t plant(trace::StackId stack);

 private:
  static constexpr std::uint32_t kUnplanted = UINT32_MAX;

  std::span<const std::uint32_t> frames_of(trace::FrameId id);
  std::uint32_t plant_whole(trace::StackId stack);
  bool is_under_runtime(trace::StackId stack);

  const trace::Definitions& definitions_;
  StackForest& forest_;
  analyzer::RecordedFrames frames_;
  std::vector<std::uint32_t> depths_;  // By StackId: recorded frames down from the outermost one.
  std::vector<std::uint32_t> nodes_;   // By StackId.
  enum class Runtime : std::uint8_t { kUnknown, kNone, kSome };
  std::vector<Runtime> runtimes_;  // By StackId: whether a frame of it is EntryRole::kRuntime.
};

}  // namespace tidemark::html
