/// What a load made of many small blocks: objects, and the tables and lists that hold them, by the
/// place that asked for them.
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

/// What is left of a stack's blocks, as a part of them, where they are gone.
constexpr std::uint64_t kLeftPart = 10;

/// What is alive at an instant, by stack, in the lanes of the footprint.
using Standing = std::unordered_map<std::uint32_t, std::uint64_t>;

/// Blocks of one place that came with the load: objects, and with them the tables and lists that
/// hold them, which may be of any size.
struct Document {
  std::uint64_t bytes = 0;
  std::uint64_t blocks = 0;
  std::uint64_t object_bytes = 0;  ///< Of those, of stacks that have small ones.
  std::uint64_t objects = 0;
  std::vector<trace::StackId> stacks{};         ///< The one with most bytes first.
  std::vector<trace::StackId> object_stacks{};  ///< Those of small ones among them.

  /// A thousand nodes, strings, or tables of a few of them; whatever they have together.
  [[nodiscard]] bool has_objects() const;
};

/// An instant after the peak.
struct Later {
  std::uint64_t at_ns = 0;
  std::map<std::uint32_t, Document> documents{};  ///< By place: those that are gone by then.
  std::uint64_t staying_bytes = 0;                ///< Of all else that came with the load.
};

/// Of heap blocks at the peak; the large ones only as far as no read or copy of the model was seen
/// to go into them, and no finding names them.
class Documents {
 public:
  /// `evidence` stays borrowed. Needs stacks that are not sampled: of which place small blocks are,
  /// a sample does not say.
  /// @param begin_ns when the load began.
  Documents(const Evidence& evidence, std::uint64_t begin_ns);

  /// By place, as they stand at the peak.
  [[nodiscard]] const std::map<std::uint32_t, Document>& at_peak() const { return at_peak_; }
  [[nodiscard]] bool may_be_some() const;
  /// Objects, which have a fifth of the model at least.
  [[nodiscard]] bool is_of_objects(const Document& document) const;
  /// A place that asks for large blocks: whether these are the arrays of a document, is still open.
  [[nodiscard]] bool may_be_arrays(const Document& document) const;
  /// The large blocks of these stacks.
  [[nodiscard]] std::vector<std::uint32_t> lives_of(const Document& document) const;
  /// What of the document's place was there at an instant.
  std::uint64_t bytes_at(const Document& document, std::uint64_t ns);
  Later at(std::uint64_t ns);
  /// Small blocks of other places that came with the load, stand at `ns`, and at `later_ns` too.
  std::uint64_t objects_before(const Document& document, std::uint64_t ns, std::uint64_t later_ns);

 private:
  [[nodiscard]] bool has_unread_ones(const LiveStack& stack) const;
  void add(const LiveStack& stack, std::map<std::uint32_t, Document>& documents);
  /// What stands at `ns`. Documents are asked about at the same instants, and each walk through a
  /// trace is long: the last ones are kept.
  std::shared_ptr<const Standing> standing_at(std::uint64_t ns);

  const Evidence& evidence_;
  Places& places_;
  Standing before_;
  std::unordered_map<std::uint32_t, std::vector<std::uint32_t>> unread_;  ///< By StackId.
  std::vector<LiveStack> came_;  ///< At the peak: what came with the load and may be of a document.
  std::map<std::uint32_t, Document> at_peak_;
  std::map<std::uint64_t, std::shared_ptr<const Standing>> kept_;  ///< By instant.
  std::size_t kept_stacks_ = 0;                                    ///< In all of them.
};

/// A place is told of once: by the finding that knows what its blocks hold.
bool is_told_of(const std::vector<Finding>& findings, const std::string& place);

}  // namespace tidemark::analyzer
