/// Where the bytes of a model went: a graph from its files over blocks to blocks.
#pragma once

#include "analyzer/stacks/stack_names.hpp"
#include "collector/trace/types/event.hpp"

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace tidemark::analyzer {

/// Where bytes of the model were: a file, or the blocks that one place in the program asked for.
struct ChainNode {
  enum class Kind : std::uint8_t {
    kFile,     ///< The files of the model, all of them.
    kMapping,  ///< A mapping of one: page cache, no part of the footprint.
    kBlocks,   ///< Heap blocks, anonymous mappings or device memory, as `lane` says.
  };
  Kind kind = Kind::kBlocks;
  trace::Lane lane = trace::Lane::kFile;
  std::string name{};            ///< kFile: the path of the largest. Else the telling frame, short.
  std::uint64_t file_count = 0;  ///< 0 unless kFile.
  std::uint64_t bytes = 0;       ///< kFile: what was read or mapped. Else the most alive at once.
  std::uint64_t file_bytes = 0;  ///< The size of the files; 0 where one is not known.
  std::uint64_t blocks = 0;      ///< How many there were in all; 0 for kFile.
  std::uint64_t peak_bytes = 0;  ///< Of them alive at the peak; 0 for kFile.
  /// Of the bytes that arrived, those in blocks that went without their bytes having been copied
  /// out: read by code that is no copy (a loop over elements, a decompressor), or by none.
  std::uint64_t unfollowed_bytes = 0;
  std::uint32_t depth = 0;           ///< Steps from the file: 0 for kFile.
  std::vector<NamedFrame> frames{};  ///< Of the largest block, innermost first.
  /// The one of `frames` that says whose blocks they are: the asking function, or the nearest of
  /// its callers that tells this node from the others.
  std::size_t telling_frame = 0;
  /// `with <float>`: what tells the asking function, where no caller does. Part of `name`.
  std::string arguments{};
  /// `grow (load.cpp:12)`: who called the asking function, where nothing tells this node from
  /// others of its name: a vector whose elements are copied has one for each time that it grew.
  std::string caller{};
};

/// Bytes that went from one node to another.
struct ChainEdge {
  enum class Kind : std::uint8_t { kRead, kMap, kCopy };
  Kind kind = Kind::kRead;
  std::size_t from = 0;  ///< Index into Chain::nodes.
  std::size_t to = 0;    ///< Index into Chain::nodes.
  std::uint64_t bytes = 0;
  std::uint64_t count = 0;  ///< Reads, mappings or copies.
  std::uint64_t first_ns = 0;
  std::uint64_t last_ns = 0;
  std::vector<NamedFrame> frames{};  ///< Of the first one, innermost first.
};

/// The way of the model's bytes. Only blocks of at least 64 KiB, and reads, copies and fills of
/// that size, are seen; bytes that a loop moves element by element are not.
struct Chain {
  std::vector<ChainNode> nodes;  ///< The files first, then by depth, then by bytes.
  std::vector<ChainEdge> edges;  ///< By depth of `from`, then by bytes.
  /// What was read of the model's files into no block that is known: small reads and small blocks.
  std::uint64_t unseen_read_bytes = 0;
  /// Blocks, and copies between the others, that were too many to follow. Findings then are about
  /// the others, and there is no floor.
  std::uint64_t left_out_blocks = 0;
  std::uint64_t left_out_copies = 0;

  [[nodiscard]] bool empty() const { return edges.empty(); }
  /// A step that people are shown: not a way back, and of a hundredth of the files at least.
  [[nodiscard]] bool is_shown(const ChainEdge& step) const;
  /// Whether what is not known to have gone on from where a step leads is worth a word beside it: a
  /// tenth of what it brought, which small reads leave behind, is not.
  [[nodiscard]] bool leaves_rest(const ChainEdge& step) const;
  /// The same of any step shown that leads to a node.
  [[nodiscard]] bool has_rest(std::size_t node) const;
};

/// Of the `unfollowed_bytes` of a node, in words: `61.7 MiB of it: ` stands in front.
inline constexpr std::string_view kUnfollowedWords =
    "copied by a loop or in small pieces, or not copied";

/// `model.safetensors`; `c/2/0`, with its folders, where its own name is but a chunk's numbers.
std::string telling_file_name(const std::string& path);

/// `file`, `mapping` or `blocks`; `read`, `mmap` or `copy`, in every format.
const char* kind_name(ChainNode::Kind kind);
const char* kind_name(ChainEdge::Kind kind);

}  // namespace tidemark::analyzer
