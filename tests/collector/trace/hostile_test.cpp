/// Well-formed blocks with right checksums whose content lies.
#include "collector/trace/coding/block.hpp"
#include "collector/trace/coding/compression.hpp"
#include "collector/trace/file/file_header.hpp"
#include "collector/trace/file/trace_index.hpp"
#include "tests/collector/trace/recording.hpp"
#include "tests/support/catch.hpp"

#include <array>

namespace tidemark::trace::tests {
namespace {

/// The columns of an events block, as they are before compression.
struct Columns {
  ByteBuffer tag{0x1d, 0x01};  ///< An allocation and its release.
  ByteBuffer thread{2, 0};
  ByteBuffer time{0, 5};
  ByteBuffer size{64};
  ByteBuffer stack{0};
  ByteBuffer ref{2};
  ByteBuffer extra{0};
};

BlockSummary summary_of_two_events() {
  BlockSummary summary;
  summary.event_count = 2;
  summary.end_ns = 500;
  summary.maximum_footprint = summary.maximum[Lane::kHeap] = 64;
  return summary;
}

/// A file made by hand.
class Forgery {
 public:
  Forgery() : bytes_(file_header_bytes({})) {
    // One process and one thread: kind, length, id, fields.
    definitions({2, 22, 0, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
                 0, 0,  0, 0, 0, 0, 0, 0, 0, 3, 4, 0, 0, 1, 0});
  }

  Forgery& definitions(const ByteBuffer& entries) {
    return block({.type = BlockType::kDefinitions}, entries);
  }
  Forgery& events(const Columns& columns, const BlockSummary& summary = summary_of_two_events()) {
    ByteBuffer payload;
    ByteWriter out(payload);
    const std::array streams{&columns.tag,   &columns.thread, &columns.time, &columns.size,
                             &columns.stack, &columns.ref,    &columns.extra};
    out.fixed(static_cast<std::uint32_t>(streams.size()));
    for (const auto* stream : streams) {
      out.fixed(static_cast<std::uint32_t>(stream->size()));
      out.fixed(static_cast<std::uint32_t>(stream->size()));
    }
    for (const auto* stream : streams)
      out.bytes(*stream);
    return block({.type = BlockType::kEvents, .summary = &summary}, payload);
  }
  Forgery& block(const Payload& payload, ByteView content) {
    index_.push_back({.offset = bytes_.size(),
                      .type = static_cast<std::uint8_t>(payload.type),
                      .summary = payload.summary != nullptr ? *payload.summary : BlockSummary{}});
    const auto start = begin_block(payload, bytes_);
    ByteWriter(bytes_).bytes(content);
    end_block(payload, start, bytes_);
    return *this;
  }
  std::vector<IndexEntry>& index() { return index_; }
  Forgery& append_index() {
    append_index_block(index_, bytes_.size(), bytes_);
    return *this;
  }
  [[nodiscard]] Content read() const { return content_of(std::as_bytes(std::span(bytes_))); }

 private:
  ByteBuffer bytes_;
  std::vector<IndexEntry> index_;
};

void check_is_damaged(const Columns& columns) {
  const auto content = Forgery().events(columns).read();
  CHECK(content.events.empty());
  CHECK(content.loss.blocks_damaged == 1);
  CHECK(content.loss.events_damaged == 2);
}

TEST_CASE("a forged block without a lie is read", "[trace][hostile]") {
  const auto content = Forgery().events({}).read();
  REQUIRE(content.events.size() == 2);
  CHECK(content.events[1].size == 64);
  CHECK(content.loss.blocks_damaged == 0);
}

TEST_CASE("times that wrap around are damage", "[trace][hostile]") {
  // 5 units forward as a step over the end of 64 bits and back: 2^64 / 4 units of 100 ns are 0 ns.
  Columns columns;
  columns.tag = {0x1d, 0x0c};
  columns.ref = {};
  columns.time = {50};
  ByteWriter(columns.time).varint((std::uint64_t{1} << 62) - 45);
  check_is_damaged(columns);
}

TEST_CASE("a release of an allocation to come is damage", "[trace][hostile]") {
  Columns columns;
  columns.tag = {0x1d, 0x1e};
  columns.size = {64, 64};
  columns.ref = {0};  // The one after the first: number 1, which nobody has got.
  check_is_damaged(columns);
}

TEST_CASE("a release whose size nobody knows is damage", "[trace][hostile]") {
  Columns columns;
  columns.ref = {3};  // Two back: before the first.
  check_is_damaged(columns);
}

TEST_CASE("columns that are too short or too long are damage", "[trace][hostile]") {
  for (const auto column : {&Columns::tag, &Columns::thread, &Columns::time, &Columns::size,
                            &Columns::stack, &Columns::ref, &Columns::extra}) {
    Columns longer;
    (longer.*column).push_back(0);
    check_is_damaged(longer);
    Columns shorter;
    (shorter.*column).pop_back();
    check_is_damaged(shorter);
  }
}

TEST_CASE("a run of threads that is empty or too long is damage", "[trace][hostile]") {
  for (const auto length : std::array<std::uint8_t, 3>{0, 1, 3}) {
    Columns columns;
    columns.thread = {length, 0};
    check_is_damaged(columns);
  }
}

TEST_CASE("a thread without a definition is damage where no definition was lost",
          "[trace][hostile]") {
  Columns columns;
  columns.thread = {2, 1};
  check_is_damaged(columns);
}

TEST_CASE("a file without a definition is damage where no definition was lost",
          "[trace][hostile]") {
  Columns columns;
  columns.tag = {0x1d, 0x07};
  columns.ref = {};
  columns.extra = {0, 0};
  check_is_damaged(columns);
}

TEST_CASE("a stack and a name without a definition become none", "[trace][hostile]") {
  Columns columns;
  columns.tag = {0x1d, 0x0a};
  columns.stack = {9};
  columns.ref = {};
  columns.extra = {0, 77};

  const auto content = Forgery().events(columns).read();

  REQUIRE(content.events.size() == 2);
  CHECK(content.events[0].stack == kNoStack);
  CHECK(content.events[1].extra == 0);
}

BlockSummary summary_of_the_next_two_events() {
  auto summary = summary_of_two_events();
  summary.first_event = 2;
  summary.first_allocation = 1;
  summary.begin_ns = 500;
  summary.end_ns = summary.maximum_at_ns = 1'000;
  return summary;
}

TEST_CASE("two blocks that join are read", "[trace][hostile]") {
  const auto content = Forgery().events({}).events({}, summary_of_the_next_two_events()).read();
  CHECK(content.events.size() == 4);
  CHECK(content.loss.blocks_damaged == 0);
}

TEST_CASE("a block that does not join the one before it is damage", "[trace][hostile]") {
  const auto wrong = GENERATE(range(0, 7));
  CAPTURE(wrong);
  auto summary = summary_of_the_next_two_events();
  if (wrong == 0)
    summary.first_event = 1;
  else if (wrong == 1)
    summary.first_event = 3;  // Nothing between the blocks can have held event 2.
  else if (wrong == 2)
    summary.begin_ns = summary.maximum_at_ns = 400;
  else if (wrong == 3)
    summary.at_begin[Lane::kAnon] = 1;
  else if (wrong == 4)
    summary.first_allocation = 9;
  else if (wrong == 5)
    summary.event_count = 0;
  else
    summary.maximum_at_event = 2;

  const auto content = Forgery().events({}).events({}, summary).read();

  CHECK(content.events.size() == 2);
  CHECK(content.loss.blocks_damaged == 1);
}

TEST_CASE("the number of an allocation is never given twice", "[trace][hostile]") {
  auto summary = summary_of_the_next_two_events();
  summary.first_allocation = 0;
  const auto content = Forgery().events({}).events({}, summary).read();
  CHECK(content.events.size() == 2);
  CHECK(content.loss.blocks_damaged == 1);
}

TEST_CASE("an index that says what the block does not say makes the block damaged",
          "[trace][hostile]") {
  Forgery forgery;
  forgery.events({});
  forgery.index().back().summary.maximum_footprint = 1;

  const auto content = forgery.append_index().read();

  CHECK(content.events.empty());
  CHECK(content.loss.blocks_damaged == 1);
}

TEST_CASE("an index whose blocks do not join is not used", "[trace][hostile]") {
  Forgery forgery;
  forgery.events({});
  forgery.index().back().summary.first_event = 7;
  CHECK(forgery.append_index().read().events.size() == 2);
}

TEST_CASE("a payload that unpacks to far more than its bytes is damage", "[trace][hostile]") {
  const ByteBuffer zeros(1 << 20);
  ByteBuffer packed;
  REQUIRE(Compressor(Compressor::For::kTables).append(zeros, packed));
  const Payload payload{
      .type = BlockType::kSamples, .packing = Packing::kZstd, .raw_bytes = zeros.size()};

  const auto content = Forgery().block(payload, packed).read();

  CHECK(content.samples.empty());
  CHECK(content.loss.blocks_damaged == 1);
}

TEST_CASE("a definition that skips ids is damage where no definition was lost",
          "[trace][hostile]") {
  // A frame with id 10, coded as zigzag.
  const auto content = Forgery().definitions({5, 3, 20, 0, 0}).read();
  CHECK(content.definitions.frames.empty());
  CHECK(content.loss.blocks_damaged == 1);
}

}  // namespace
}  // namespace tidemark::trace::tests
