/// Numbers for functions of stacks: frames that read the same share one.
#pragma once

#include "analyzer/stacks/stack_names.hpp"

#include <cstddef>
#include <cstdint>
#include <deque>
#include <span>
#include <unordered_set>
#include <utility>
#include <vector>

namespace tidemark::analyzer {

/// When two frames count as one.
enum class Reading {
  kFunction,  ///< Calls from any line of a function are one.
  kLine,      ///< Function, file and line.
  kModule,    ///< The same, of one module.
};

/// Gives frames dense numbers from 0 on. Any number of traces may share one.
class InternedFrames {
 public:
  explicit InternedFrames(Reading reading);
  InternedFrames(const InternedFrames&) = delete;
  InternedFrames& operator=(const InternedFrames&) = delete;
  ~InternedFrames() = default;

  std::uint32_t id_of(NamedFrame frame);
  /// The frame as first added; the reference stays valid.
  [[nodiscard]] const NamedFrame& operator[](std::uint32_t id) const { return frames_.at(id); }
  [[nodiscard]] std::size_t size() const { return frames_.size(); }

 private:
  struct Hash {
    const InternedFrames& table;
    std::size_t operator()(std::uint32_t id) const;
  };
  struct Equal {
    const InternedFrames& table;
    bool operator()(std::uint32_t one, std::uint32_t other) const;
  };

  Reading reading_;
  std::deque<NamedFrame> frames_;
  std::unordered_set<std::uint32_t, Hash, Equal> ids_;
};

/// The recorded frames of one trace in a InternedFrames; each is named once.
class RecordedFrames {
 public:
  /// Both stay borrowed.
  RecordedFrames(const trace::Definitions& definitions, InternedFrames& table)
      : definitions_(definitions), table_(table) {}

  /// Innermost function first; a frame with inlined calls has several. Borrowed until the next
  /// call. Empty for an id outside the trace's table, and for tidemark's own code in the host.
  std::span<const std::uint32_t> of(trace::FrameId frame);
  /// The stack's, innermost function first.
  std::vector<std::uint32_t> of(trace::StackId stack);

  [[nodiscard]] const trace::Definitions& definitions() const { return definitions_; }

 private:
  /// In `ids_`.
  struct Range {
    static constexpr std::uint32_t kUnknown = UINT32_MAX;
    std::uint32_t begin = kUnknown;
    std::uint32_t count = 0;
  };

  const trace::Definitions& definitions_;
  InternedFrames& table_;
  std::vector<Range> ranges_;       // By FrameId; only as long as needed.
  std::vector<std::uint32_t> ids_;  // Those of all frames, concatenated.
};

/// The nodes of a tree by their parent and a number that distinguishes the parent's children, such
/// as a function's in InternedFrames. Node 0 is the root. Numbers are given from 1 on, so a node's
/// is higher than its parent's. Hundreds of thousands of stacks have millions of nodes: 13 to 17
/// bytes each.
class ChildIndex {
 public:
  struct Child {
    std::uint32_t node = 0;
    bool is_new = false;
  };

  Child of(std::uint32_t parent, std::uint32_t key);
  /// @param node any but the root.
  [[nodiscard]] std::uint32_t parent_of(std::uint32_t node) const { return nodes_[node].parent; }
  [[nodiscard]] std::uint32_t key_of(std::uint32_t node) const { return nodes_[node].key; }
  /// With the root.
  [[nodiscard]] std::size_t size() const { return nodes_.size(); }

 private:
  struct Node {
    std::uint32_t parent = 0;
    std::uint32_t key = 0;
  };

  [[nodiscard]] std::size_t first_slot(std::uint32_t parent, std::uint32_t key) const;
  void double_slots();

  std::vector<Node> nodes_{{}};
  std::vector<std::uint32_t> slots_;  // Nodes by hash, with open addressing; 0: none. A power of 2.
};

}  // namespace tidemark::analyzer
