/// What came into one block and what went out of it.
#pragma once

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

/// Bytes that went one way between the block and one other place, all together.
struct Passage {
  enum class Kind : std::uint8_t { kRead, kCopiedIn, kFilled, kCopiedOut };

  Kind kind = Kind::kRead;
  std::uint64_t bytes = 0;
  std::uint64_t count = 0;  ///< In so many reads, copies or fills.
  std::uint64_t first_ns = 0;
  std::uint64_t last_ns = 0;
  std::string file{};  ///< Of kRead: the file's path.
  /// Of copies: who asked for the other block, and when; none where it is no known block.
  std::optional<LongBlock> other{};

  bool operator==(const Passage&) const = default;
};

/// A block with its whole life.
struct BlockStory {
  LongBlock block;                  ///< With the bytes that it had at first.
  std::vector<Passage> passages{};  ///< In the order of their first bytes.
  std::uint64_t resizes = 0;        ///< How often it grew or lost a part.
};

/// Gathers the story of one block, one block of events at a time, from those in which it was alive.
/// Copies and fills are known from 64 KiB on, as the recorder notes them.
class StoryGatherer {
 public:
  /// `trace` stays borrowed. Of a number that no allocation has, the story is empty.
  StoryGatherer(analyzer::LoadedTrace& trace, trace::AllocationNumber allocation);

  /// @return false when there is nothing left.
  bool step();
  BlockStory take();

  // See analyzer::follow.
  void begin(const trace::Event& event);
  void end(trace::AllocationNumber allocation, const trace::Event& event);
  void resize(trace::AllocationNumber allocation, std::int64_t change, const trace::Event& event);
  void end_all(const trace::Event& event);

 private:
  using Key = std::tuple<Passage::Kind, std::uint64_t>;  // And the file or the other allocation.

  void see(const trace::Event& event);
  void pass(Passage::Kind kind, std::uint64_t other, const trace::Event& event);
  [[nodiscard]] std::optional<LongBlock> find(trace::AllocationNumber allocation);
  [[nodiscard]] std::size_t block_of(trace::AllocationNumber allocation) const;

  analyzer::LoadedTrace& trace_;
  trace::AllocationNumber allocation_;
  std::size_t next_ = 0;
  bool is_alive_ = false;
  bool is_over_ = false;
  BlockStory story_;
  std::map<Key, Passage> passages_;
  std::unordered_map<std::uint32_t, std::uint64_t> last_files_;  // By thread: of its last read.
};

}  // namespace tidemark::gui
