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
  std::uint64_t peak_bytes = 0;  ///< Bytes of these blocks alive at the peak; 0 for kFile.
  /// Bytes that arrived in blocks which were released without being copied out: consumed by other
  /// code than a copy (a loop over elements, a decompressor), or never used.
  std::uint64_t unfollowed_bytes = 0;
  std::uint32_t depth = 0;           ///< Steps from the file: 0 for kFile.
  std::vector<NamedFrame> frames{};  ///< The largest block's stack, innermost first.
  /// Index of the frame that names these blocks: the asking function, or its nearest caller that
  /// distinguishes this node from others.
  std::size_t telling_frame = 0;
  /// `with <float>`: distinguishes the asking function if no caller does. Part of `name`.
  std::string arguments{};
  /// `grow (load.cpp:12)`: the caller of the asking function, if nothing else distinguishes this
  /// node from others of its name: a vector whose elements are copied has one for each growth step.
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
  std::vector<NamedFrame> frames{};  ///< The first one's stack, innermost first.
};

/// The way of the model's bytes. Only blocks of at least 64 KiB, and reads, copies and fills of
/// that size, are seen; bytes that a loop moves element by element are not.
struct Chain {
  std::vector<ChainNode> nodes;  ///< The files first, then by depth, then by bytes.
  std::vector<ChainEdge> edges;  ///< By depth of `from`, then by bytes.
  /// Bytes read from the model's files into unknown blocks: small reads and small blocks.
  std::uint64_t unseen_read_bytes = 0;
  /// Blocks, and copies between followed blocks, that exceeded the limits. If not 0, findings cover
  /// only the rest, and there is no floor.
  std::uint64_t left_out_blocks = 0;
  std::uint64_t left_out_copies = 0;

  [[nodiscard]] bool empty() const { return edges.empty(); }
  /// True for a step shown to people: not back towards the file, and at least a hundredth of the
  /// files.
  [[nodiscard]] bool is_shown(const ChainEdge& step) const;
  /// Whether bytes that stay unfollowed at the end of a step are worth mentioning: not up to a
  /// tenth of the step, the usual remainder of small reads.
  [[nodiscard]] bool leaves_rest(const ChainEdge& step) const;
  /// Whether that holds for any shown step to a node.
  [[nodiscard]] bool has_rest(std::size_t node) const;
};

/// Describes a node's `unfollowed_bytes`, after `61.7 MiB of it: `.
inline constexpr std::string_view kUnfollowedWords =
    "copied by a loop or in small pieces, or not copied";

/// `model.safetensors`; `c/2/0`, with its folders, if its own name is only a chunk's number.
std::string telling_file_name(const std::string& path);

/// `file`, `mapping` or `blocks`; `read`, `mmap` or `copy`, in every format.
const char* kind_name(ChainNode::Kind kind);
const char* kind_name(ChainEdge::Kind kind);

}  // namespace tidemark::analyzer
