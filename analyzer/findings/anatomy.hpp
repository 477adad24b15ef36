/// The anatomy of a peak: where the bytes of the model went, why the peak is as high as it is, and
/// how low it could be. Computed from the events alone: what they do not show is not said.
#pragma once

#include "analyzer/query/loaded_trace.hpp"
#include "analyzer/stacks/stack_names.hpp"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace tidemark::analyzer {

class ModelFollower;
struct Report;

/// Where bytes of the model were: a file, or the blocks that one place in the program asked for.
struct ChainNode {
  enum class Kind : std::uint8_t {
    kFile,     ///< The files of the model, all of them.
    kMapping,  ///< A mapping of one: page cache, no part of the footprint.
    kBlocks,   ///< Heap blocks, anonymous mappings or device memory, as `lane` says.
  };
  Kind kind = Kind::kBlocks;
  trace::Lane lane = trace::Lane::kFile;
  std::string name{};            ///< kFile: the first path. Else the telling frame, short.
  std::uint64_t file_count = 0;  ///< 0 unless kFile.
  std::uint64_t bytes = 0;       ///< kFile: what was read or mapped. Else the most alive at once.
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
};

enum class FindingKind : std::uint8_t {
  kHeld,          ///< Filled from the model, copied out, and alive long after.
  kTwice,         ///< The same bytes of the model in two sets of blocks at the peak.
  kWrittenTwice,  ///< Written whole before the file was read into it.
  kGrown,         ///< A buffer that grew step by step, and its room or its old copies at the peak.
  kShortLived,    ///< Blocks of short lives that made the peak.
  kKept,          ///< Freed, but not returned to the system.
  kMapped,        ///< Resident pages of a mapping: in RSS, not in the footprint.
  kRefused,       ///< A refused request shortly before the program failed.
};

/// `held`, `twice`, ...: as it stands in JSON.
const char* finding_name(FindingKind kind);
/// `file`, `mapping` or `blocks`; `read`, `mmap` or `copy`: the same, and for people too.
const char* kind_name(ChainNode::Kind kind);
const char* kind_name(ChainEdge::Kind kind);

/// One reason for the peak, or one thing that is easily mistaken for one.
struct Finding {
  FindingKind kind = FindingKind::kHeld;
  std::string title{};     ///< A few words: `two copies of the weights`.
  std::string sentence{};  ///< Complete, with sizes, times and places; no line breaks.
  std::uint64_t bytes = 0;
  std::uint64_t at_ns = 0;  ///< When it can be seen: mostly the peak.
  /// The highest footprint without it, computed anew over the whole trace. None for what does not
  /// change the footprint.
  std::optional<std::uint64_t> peak_without_bytes{};
  std::vector<NamedFrame> frames{};  ///< Of the blocks it is about, innermost first.
  std::vector<std::size_t> nodes{};  ///< Of the chain, where it is about some.
};

/// The lowest peak of the same load that is known to be possible: had every byte of the model that
/// was copied on been given back when it was, or had what one finding is about not been there.
struct Floor {
  std::uint64_t peak_bytes = 0;
  bool is_of_finding = false;     ///< The first finding alone lowers the peak further.
  std::optional<double> ratio{};  ///< peak_bytes / W.
};

/// Empty for a program that loads no model: then there is nothing to compare with.
struct Anatomy {
  std::vector<Finding> findings;  ///< What lowers the peak first, most bytes first.
  std::optional<Floor> floor;     ///< None where no copy of model bytes was seen.
  Chain chain;
};

/// `follower` listened to the pass that `report` was made with. Where it is null, or followed other
/// files than turned out to be the model, one more pass over `trace` is needed. `report` must have
/// its peak, model, files and resident peaks. Memory: some hundred bytes a block of at least 64 KiB
/// that held model bytes, and within bounds for any number of blocks and copies.
Anatomy build_anatomy(LoadedTrace& trace, const Report& report, ModelFollower* follower);

}  // namespace tidemark::analyzer
