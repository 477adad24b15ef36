/// What a load built from many small blocks: objects, and the tables and lists that hold them, by
/// the place that asked for them.
#pragma once

#include "analyzer/findings/findings.hpp"
#include "analyzer/query/live/live_set.hpp"

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <unordered_map>
#include <vector>

namespace tidemark::analyzer {

/// A stack's blocks count as gone when at most this part of them is left.
constexpr std::uint64_t kLeftPart = 10;

/// What is alive at an instant, by stack, in the lanes of the footprint.
using Standing = std::unordered_map<std::uint32_t, std::uint64_t>;

/// Blocks of one place that came with the load: objects, and the tables and lists that hold them,
/// which may have any size.
struct Document {
  std::uint64_t bytes = 0;
  std::uint64_t blocks = 0;
  std::uint64_t object_bytes = 0;  ///< The part of stacks with small blocks.
  std::uint64_t objects = 0;
  std::vector<trace::StackId> stacks{};         ///< The one with most bytes first.
  std::vector<trace::StackId> object_stacks{};  ///< Those of them with small blocks.

  /// True for a thousand nodes, strings, or tables of a few of them, however many bytes they have.
  [[nodiscard]] bool has_objects() const;
};

/// An instant after the peak.
struct Later {
  std::uint64_t at_ns = 0;
  std::map<std::uint32_t, Document> documents{};  ///< By place: those gone by then.
  std::uint64_t staying_bytes = 0;  ///< Bytes of everything else that came with the load.
};

/// Documents among the heap blocks at the peak. Among large blocks only those into which no read or
/// copy of the model was seen to go, and that no finding names.
class Documents {
 public:
  /// `evidence` stays borrowed. Needs stacks that are not sampled, as samples do not tell the
  /// places of small blocks.
  /// @param begin_ns when the load began.
  Documents(const Evidence& evidence, std::uint64_t begin_ns);

  /// By place, as they are at the peak.
  [[nodiscard]] const std::map<std::uint32_t, Document>& at_peak() const { return at_peak_; }
  [[nodiscard]] bool may_be_some() const;
  /// True if it has objects, with at least a fifth of the model's bytes.
  [[nodiscard]] bool is_of_objects(const Document& document) const;
  /// True for a place that asks for large blocks, which may be the arrays of a document.
  [[nodiscard]] bool may_be_arrays(const Document& document) const;
  /// The large blocks of these stacks.
  [[nodiscard]] std::vector<std::uint32_t> lives_of(const Document& document) const;
  /// How much of the document's place was there at an instant.
  std::uint64_t bytes_at(const Document& document, std::uint64_t ns);
  Later at(std::uint64_t ns);
  /// Small blocks of other places that came with the load and are there at `ns` and at `later_ns`.
  std::uint64_t objects_before(const Document& document, std::uint64_t ns, std::uint64_t later_ns);

 private:
  [[nodiscard]] bool has_unread_ones(const LiveStack& stack) const;
  void add(const LiveStack& stack, std::map<std::uint32_t, Document>& documents);
  /// What is alive at `ns`. The last answers are cached, since documents are asked about at the
  /// same instants and each walk through a trace is long.
  std::shared_ptr<const Standing> standing_at(std::uint64_t ns);

  const Evidence& evidence_;
  Places& places_;
  Standing before_;
  std::unordered_map<std::uint32_t, std::vector<std::uint32_t>> unread_;  ///< By StackId.
  std::vector<LiveStack> came_;  ///< At the peak: from the load, perhaps of a document.
  std::map<std::uint32_t, Document> at_peak_;
  std::map<std::uint64_t, std::shared_ptr<const Standing>> kept_;  ///< By instant.
  std::size_t kept_stacks_ = 0;                                    ///< In all of them.
};

/// Whether a finding already names this place: each place is named only by the one that knows what
/// its blocks hold.
bool is_told_of(const std::vector<Finding>& findings, const std::string& place);

}  // namespace tidemark::analyzer
