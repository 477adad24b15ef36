/// What came into one block and what went out of it.
#pragma once

#include "analyzer/query/live/block_origins.hpp"
#include "analyzer/stacks/block_passages.hpp"
#include "gui/view/blocks/block_list.hpp"

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <tuple>
#include <unordered_map>
#include <vector>

namespace tidemark::gui {

using Passage = analyzer::BlockPassage;

/// A resize of a block, in place or into another allocation (realloc, mremap).
struct BlockResize {
  std::uint64_t at_ns = 0;
  std::uint64_t from_bytes = 0;
  std::uint64_t to_bytes = 0;
  trace::AllocationNumber from = 0;  ///< The same as `to` if in place.
  trace::AllocationNumber to = 0;
};

/// A block with its whole life, across resizes: from the first allocation that it grew out of to
/// the release of the last one that it became.
struct BlockStory {
  LongBlock block;             ///< The one asked for, with its initial size.
  std::uint64_t begin_ns = 0;  ///< The whole life's, like the next.
  std::uint64_t end_ns = LongBlock::kNever;
  bool ends_with_process = false;  ///< Not freed: its process ended at `end_ns`.
  /// When it lost all its memory for good while still allocated (madvise); none: it did not.
  std::optional<std::uint64_t> emptied_ns{};
  std::vector<trace::AllocationNumber> chain{};  ///< Its allocations in order.
  /// Resizes: the last ones before `block`, the first ones after it, and the largest of its own in
  /// place.
  std::vector<BlockResize> sizes{};
  std::vector<Passage> passages{};  ///< In the whole life, in the order of their first bytes.
  std::uint64_t resizes = 0;        ///< How often `block` grew or shrank in place.
  std::uint64_t most_bytes = 0;     ///< The most that `block` had at any time.
  std::uint64_t most_ns = 0;        ///< When it first had them.
};

/// Gathers the story of one block from the events of its life, one block of events at a time. First
/// goes back to the begin of the allocation that it was first resized from.
/// Copies and fills are known from 64 KiB on, as the recorder notes them.
class StoryGatherer {
 public:
  /// `trace` stays borrowed. For a number that no allocation has, the story is empty.
  StoryGatherer(analyzer::LoadedTrace& trace, trace::AllocationNumber allocation);

  /// @return false when there is nothing left.
  bool step();
  BlockStory take();

  // See analyzer::follow.
  void begin(const trace::Event& event);
  void end(trace::AllocationNumber allocation, const trace::Event& event);
  void resize(trace::AllocationNumber allocation, std::int64_t change, const trace::Event& event);
  void end_all(const trace::Event& event);
  void move(const trace::Event& event);

 private:
  using Key = std::tuple<Passage::Kind, std::uint64_t>;  // With the file, or the other allocation.

  void walk_back();
  void see(const trace::Event& event);
  void see_touch(const trace::Event& event);
  void take_on(const trace::Event& event);
  void note_resize(const BlockResize& resize);
  void note_own_resize(const BlockResize& resize);
  [[nodiscard]] bool was(trace::AllocationNumber allocation) const;
  void pass(Passage::Kind kind, std::uint64_t other, const trace::Event& event);
  [[nodiscard]] std::optional<Passage::Other> find(trace::AllocationNumber allocation);

  analyzer::LoadedTrace& trace_;
  trace::AllocationNumber allocation_;
  analyzer::BlockOrigins origins_;
  trace::AllocationNumber first_;  // That the block began as; known once the origins are.
  bool is_first_known_ = false;
  std::size_t next_ = 0;
  LongBlock now_;  // The current allocation and size.
  bool is_alive_ = false;
  bool is_over_ = false;
  BlockStory story_;
  std::map<Key, Passage> passages_;
  std::unordered_map<std::uint32_t, std::uint64_t> last_files_;  // By thread: its last read's.
};

}  // namespace tidemark::gui
