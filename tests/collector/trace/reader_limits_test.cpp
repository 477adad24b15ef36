// What no writer writes and hardly any damage makes: each refusal of the readers by itself.
#include "collector/trace/coding/block.hpp"
#include "collector/trace/coding/block_digest.hpp"
#include "collector/trace/coding/bytes.hpp"
#include "collector/trace/coding/compression.hpp"
#include "collector/trace/coding/definitions_coding.hpp"
#include "collector/trace/coding/samples_coding.hpp"
#include "collector/trace/file/file_map.hpp"
#include "collector/trace/reader.hpp"
#include "tests/collector/trace/recording.hpp"
#include "tests/support/catch.hpp"

#include <cstdint>
#include <limits>
#include <string>
#include <vector>

namespace tidemark::trace::tests {
namespace {

/// One entry of a definitions block.
ByteBuffer entry(std::uint64_t kind, const ByteBuffer& fields) {
  ByteBuffer out;
  ByteWriter writer(out);
  writer.varint(kind);
  writer.varint(fields.size());
  writer.bytes(fields);
  return out;
}

bool decodes(const ByteBuffer& entries) {
  Definitions tables;
  DefinitionsDecoder decoder(tables);
  std::size_t missing = 0;
  return decoder.decode(entries, missing);
}

BlockSummary a_summary() {
  BlockSummary summary;
  summary.event_count = 2;
  summary.begin_ns = 10;
  summary.end_ns = 20;
  summary.maximum_at_ns = 15;
  return summary;
}

}  // namespace

TEST_CASE("an entry of definitions that ends too soon is damage", "[trace][limits]") {
  constexpr std::uint64_t kKinds = kDefinitionKindCount - 1;
  const auto locations = static_cast<std::uint64_t>(DefinitionKind::kLocations);
  CHECK(decodes({}));
  CHECK_FALSE(decodes({1}));               // no length
  CHECK_FALSE(decodes({1, 5, 0}));         // fewer bytes than it says
  CHECK_FALSE(decodes(entry(1, {})));      // no id
  CHECK(decodes(entry(0, {})));            // of no kind: passed over
  CHECK(decodes(entry(kKinds + 1, {7})));  // of a newer kind: passed over
  for (std::uint64_t kind = 1; kind <= kKinds; ++kind) {
    CAPTURE(kind);
    // An id, and nothing else. Locations of a frame that is not there help nobody anyway.
    CHECK(decodes(entry(kind, {0})) == (kind == locations));
  }
}

TEST_CASE("locations that are too many, or end too soon, are damage", "[trace][limits]") {
  const auto frame = static_cast<std::uint64_t>(DefinitionKind::kFrame);
  const auto locations = static_cast<std::uint64_t>(DefinitionKind::kLocations);
  const ByteBuffer a_frame = entry(frame, {0, 0, 0});
  REQUIRE(decodes(a_frame));
  const auto with = [&](const ByteBuffer& fields) {
    ByteBuffer both = a_frame;
    const ByteBuffer more = entry(locations, fields);
    both.insert(both.end(), more.begin(), more.end());
    return decodes(both);
  };
  CHECK(with({0, 0}));
  CHECK_FALSE(with({0, 1}));
  CHECK_FALSE(with({0, 0xff, 0xff, 0x7f}));
  const ByteBuffer again = entry(locations, {1, 0});  // of the frame before the one expected
  ByteBuffer all = a_frame;
  for (const ByteBuffer& more : {entry(locations, {0, 0}), again})
    all.insert(all.end(), more.begin(), more.end());
  CHECK(decodes(all));
  CHECK(with({20, 0}));  // of a frame that is not there
}

TEST_CASE("a summary that contradicts itself is none", "[trace][limits]") {
  REQUIRE(is_consistent(a_summary()));
  const auto with = [](auto change) {
    BlockSummary summary = a_summary();
    change(summary);
    return is_consistent(summary);
  };
  CHECK_FALSE(with([](BlockSummary& one) { one.event_count = 0; }));
  CHECK_FALSE(with([](BlockSummary& one) { one.event_count = kMaxBlockEvents + 1; }));
  CHECK_FALSE(
      with([](BlockSummary& one) { one.first_event = std::numeric_limits<std::uint64_t>::max(); }));
  CHECK_FALSE(with([](BlockSummary& one) { one.first_allocation = one.first_event + 1; }));
  CHECK_FALSE(with([](BlockSummary& one) { one.begin_ns = one.end_ns + 1; }));
  CHECK_FALSE(with([](BlockSummary& one) { one.maximum_at_event = one.event_count; }));
  CHECK_FALSE(with([](BlockSummary& one) { one.maximum_at_ns = one.begin_ns - 1; }));
  CHECK_FALSE(with([](BlockSummary& one) { one.maximum_at_ns = one.end_ns + 1; }));
}

TEST_CASE("a digest that names what its block cannot hold is damage", "[trace][limits]") {
  const DigestLimits limits{.first_allocation = 5, .event_count = 3, .threads = 1, .stacks = 1};
  const auto reads = [&](const std::vector<std::uint64_t>& numbers) {
    ByteBuffer column;
    ByteWriter writer(column);
    for (const std::uint64_t number : numbers)
      writer.varint(number);
    BlockDigest digest;
    return decode_digest(column, limits, DigestUse::kAny, digest);
  };
  // Allocations, frees, mappings, flags, releases; then survivors: number from the one before,
  // stack, thread and lane, bytes.
  CHECK(reads({1, 0, 0, 0, 0}));
  CHECK(reads({1, 0, 0, 0, 0, 0, 0, 0, 100}));
  CHECK_FALSE(reads({1, 0, 0, 0}));
  CHECK_FALSE(reads({1, 0, 0, 0, 0, 3, 0, 0, 100}));
  CHECK_FALSE(reads({1, 0, 0, 0, 0, ~std::uint64_t{0} - 3, 0, 0, 100}));
  CHECK_FALSE(reads({1, 0, 0, 0, 0, 0, 0, 1 << 8, 100}));
}

TEST_CASE("a part of no bytes is no release in a digest", "[trace][limits]") {
  const auto releases_after = [](std::uint64_t bytes) {
    DigestBuilder builder(4);
    builder.begin_block(10);
    builder.release_part(3, static_cast<std::int64_t>(bytes));
    const ByteView column = builder.finish();
    BlockDigest digest;
    const DigestLimits limits{.first_allocation = 10, .event_count = 1, .threads = 1, .stacks = 1};
    REQUIRE(decode_digest(column, limits, DigestUse::kAny, digest));
    return digest.releases.size();
  };
  CHECK(releases_after(0) == 0);
  CHECK(releases_after(5) == 1);
}

TEST_CASE("samples that end too soon are damage", "[trace][limits]") {
  std::vector<Sample> samples;
  CHECK(decode_samples(ByteBuffer{}, samples));
  CHECK_FALSE(decode_samples(ByteBuffer{1}, samples));
  CHECK(samples.empty());
}

TEST_CASE("bytes that do not unpack to what they say are damage", "[trace][limits]") {
  ByteBuffer packed;
  Compressor compressor(Compressor::For::kTables);
  REQUIRE(compressor.append(ByteBuffer(1000, 7), packed, 1000));
  Decompressor decompressor;
  ByteBuffer right(1000);
  ByteBuffer more(1001);
  ByteBuffer fewer(999);
  CHECK(decompressor.unpack(packed, right));
  CHECK_FALSE(decompressor.unpack(packed, more));
  CHECK_FALSE(decompressor.unpack(packed, fewer));
  CHECK_FALSE(decompressor.unpack(ByteBuffer{1, 2, 3}, right));
}

TEST_CASE("a block that is not there is not read", "[trace][limits]") {
  Recording recording;
  recording.allocate(1);
  const auto bytes = recording.finish();
  auto opened = TraceReader::open(bytes);
  REQUIRE(opened.ok());
  std::vector<Event> events(3);
  CHECK_FALSE(opened.value().decode(opened.value().blocks().size(), events));
  CHECK(events.empty());
  const auto reader = opened.value().block_reader();
  CHECK_FALSE(reader->enter(opened.value().blocks().size()));
  CHECK_FALSE(reader->decode_parts([](std::span<const Event>) {}));
  BlockDigest digest;
  CHECK_FALSE(reader->digest(digest, {}));
}

TEST_CASE("a header that reaches past the end has no payload", "[trace][limits]") {
  Recording recording;
  recording.allocate(1);
  const Bytes trace = recording.finish();
  const ByteView bytes(reinterpret_cast<const std::uint8_t*>(trace.data()), trace.size());
  const auto header = find_block_header(bytes, 0);
  REQUIRE(header.has_value());
  CHECK(read_payload(bytes, *header).has_value());
  CHECK_FALSE(read_payload(bytes.first(header->end_offset() - 1), *header).has_value());
}

TEST_CASE("memory of a file that is not mapped is not given back", "[trace][limits]") {
  FileMap nothing;
  nothing.forget(0, 1);
  auto map = FileMap::open(TIDEMARK_SOURCE_DIR "/tests/data/trace/tiny.tmk");
  REQUIRE(map.ok());
  const std::size_t size = map.value().bytes().size();
  map.value().forget(size, 1);
  map.value().forget(0, size + 1);
  map.value().forget(size - 1, 1);
  CHECK(map.value().bytes().size() == size);
  CHECK_FALSE(FileMap::open("").ok());
  CHECK_FALSE(FileMap::open("/").ok());
  CHECK_FALSE(FileMap::open("/dev/null").ok());
}

TEST_CASE("names can be given to frames that have none, and to no others", "[trace][limits]") {
  auto opened = TraceReader::open(std::string(TIDEMARK_SOURCE_DIR "/tests/data/trace/tiny.tmk"));
  REQUIRE(opened.ok());
  auto& reader = opened.value();
  const std::size_t frames = reader.definitions().frames.size();
  reader.set_locations(FrameId{static_cast<std::uint32_t>(frames)}, {{"nobody", "", 0}});
  reader.set_locations(FrameId{0}, {{"somebody", "", 0}});
  reader.set_locations(FrameId{0}, {{"somebody", "", 0}});
  REQUIRE(reader.definitions().locations.size() == frames);
  CHECK(reader.definitions().locations[0][0].function == "somebody");
}

}  // namespace tidemark::trace::tests
