/// Makes traces for the tests of the file format, and keeps what went in to compare it with what
/// comes out.
#pragma once

#include "collector/trace/reader.hpp"
#include "collector/trace/writer.hpp"
#include "tests/support/temporary_folder.hpp"

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <span>
#include <string>
#include <vector>

namespace tidemark::trace::tests {

using Bytes = std::vector<std::byte>;

using tidemark::tests::TemporaryFolder;

Bytes read_bytes(const std::string& path);
void write_bytes(const std::string& path, std::span<const std::byte> bytes);

/// A writer with one process, thread 0 and 1, module, frame, three stack nodes, file and phase
/// name, and verbs that append an event and remember it as a reader must return it.
class Recording {
 public:
  static constexpr StackId kInner{3};
  static constexpr StackId kOuter{2};
  static constexpr FileId kWeights{0};
  static constexpr std::uint32_t kPhaseName = 1;

  Recording();

  Recording& at(std::uint64_t ns);
  Recording& on(std::uint32_t thread);
  std::uint64_t allocate(std::uint64_t size,
                         StackId stack = kInner,
                         Lane lane = Lane::kHeap,
                         std::uint64_t extra = 0);
  std::uint64_t reallocate(std::uint64_t released, std::uint64_t size, StackId stack = kInner);
  void release(std::uint64_t allocation);
  void release_part(std::uint64_t allocation, std::uint64_t size);
  void grow(std::uint64_t allocation, std::uint64_t size);
  void release_all(Lane lane, std::uint64_t size);
  /// Any kind that is no allocation and names none; fields the kind does not have must be left
  /// alone.
  void note(EventKind kind, std::uint64_t size, std::uint64_t extra, StackId stack = kNoStack);
  /// kCopy, kFill and kReadInto; `source` is of kCopy alone.
  void touch(EventKind kind,
             std::uint64_t size,
             std::uint64_t allocation,
             std::uint64_t source = 0,
             std::uint64_t extra = 0);
  void flush() { writer_->flush(); }

  TraceWriter& writer() { return *writer_; }
  [[nodiscard]] const std::vector<Event>& events() const { return events_; }
  [[nodiscard]] std::string path() const { return folder_.file("a.tmk"); }
  [[nodiscard]] std::string incomplete_path() const { return path() + ".incomplete"; }
  /// Bytes of the trace finished with this session.
  Bytes finish(const Session& session = {});
  /// Bytes that are on disk now, as after the death of the collector.
  [[nodiscard]] Bytes so_far() const { return read_bytes(incomplete_path()); }

 private:
  std::uint64_t put(const Event& event);

  TemporaryFolder folder_;
  std::unique_ptr<TraceWriter> writer_;
  std::vector<Event> events_;
  std::vector<std::uint64_t> remaining_;  ///< By allocation.
  std::vector<Lane> lanes_;               ///< By allocation.
  std::uint64_t now_ = 0;
  std::uint32_t thread_ = 0;
};

/// All that a reader says about a trace.
struct Content {
  std::vector<BlockSummary> blocks;
  std::vector<Event> events;
  std::vector<Sample> samples;
  Definitions definitions;
  Loss loss;
};

Content content_of(TraceReader& reader);
/// REQUIREs that the bytes open.
Content content_of(std::span<const std::byte> bytes);

/// Every field, for comparing with ==.
std::string text_of(const Event& event);
std::string text_of(const BlockSummary& summary);
std::string text_of(const Loss& loss);
std::vector<std::string> text_of(const std::vector<Event>& events);
std::string text_of(const Definitions& definitions);

}  // namespace tidemark::trace::tests
