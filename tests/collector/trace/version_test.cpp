#include "collector/trace/coding/block.hpp"
#include "collector/trace/file/file_header.hpp"
#include "tests/collector/trace/recording.hpp"
#include "tests/support/catch.hpp"

namespace tidemark::trace::tests {
namespace {

Bytes bytes_of(const ByteBuffer& buffer) {
  const auto bytes = std::as_bytes(std::span(buffer));
  return {bytes.begin(), bytes.end()};
}

Bytes with_header(Bytes trace, const FileHeader& header) {
  const auto bytes = bytes_of(file_header_bytes(header));
  std::copy(bytes.begin(), bytes.end(), trace.begin());
  return trace;
}

ErrorCode error_of(const Bytes& bytes) {
  const auto reader = TraceReader::open(bytes);
  REQUIRE_FALSE(reader.ok());
  CHECK_FALSE(reader.error().message.empty());
  return reader.error().code;
}

TEST_CASE("a newer major version is refused", "[trace][version]") {
  const auto newer = with_header(Recording().finish(), {.major = kMajorVersion + 1});
  CHECK(error_of(newer) == ErrorCode::kUnsupported);
}

TEST_CASE("a newer minor version is read", "[trace][version]") {
  Recording recording;
  recording.allocate(1);
  const auto newer = with_header(recording.finish(), {.minor = kMinorVersion + 1});
  CHECK(content_of(newer).events.size() == 1);
}

TEST_CASE("the time unit of the file header counts", "[trace][version]") {
  Recording recording;
  recording.at(1'000).allocate(1);
  recording.at(1'500).allocate(1);
  auto header = FileHeader{};
  header.time_unit_ns = 10;
  recording.flush();

  // The block ends at 1,500 ns by its summary; five units of 10 ns end elsewhere.
  CHECK(content_of(with_header(recording.so_far(), header)).loss.blocks_damaged == 1);
}

TEST_CASE("what is no trace is refused as such", "[trace][version]") {
  CHECK(error_of({}) == ErrorCode::kNotATrace);
  CHECK(error_of(Bytes(1'000, std::byte{0})) == ErrorCode::kNotATrace);
  CHECK(error_of(Bytes(1'000, std::byte{'#'})) == ErrorCode::kNotATrace);
}

TEST_CASE("a file header with a wrong checksum is refused as corrupt", "[trace][version]") {
  auto bytes = Recording().finish();
  bytes[12] ^= std::byte{1};
  CHECK(error_of(bytes) == ErrorCode::kCorrupt);
}

TEST_CASE("files that cannot be opened are errors that name them", "[trace][version]") {
  const TemporaryFolder folder;
  for (const auto& path : {folder.file("missing.tmk"), folder.file("")}) {
    const auto reader = TraceReader::open(path);
    REQUIRE_FALSE(reader.ok());
    CHECK(reader.error().code == ErrorCode::kIo);
    CHECK(reader.error().message.find(path) != std::string::npos);
  }
}

TEST_CASE("an empty file is not a trace", "[trace][version]") {
  const TemporaryFolder folder;
  write_bytes(folder.file("empty.tmk"), {});
  const auto reader = TraceReader::open(folder.file("empty.tmk"));
  REQUIRE_FALSE(reader.ok());
  CHECK(reader.error().code == ErrorCode::kNotATrace);
  CHECK(reader.error().message == folder.file("empty.tmk") + " is empty, and no tidemark trace");
}

TEST_CASE("a trace file reads like the same bytes in memory", "[trace][version]") {
  Recording recording;
  recording.allocate(1);
  recording.release(0);
  const auto expected = content_of(recording.finish());

  auto reader = TraceReader::open(recording.path());

  REQUIRE(reader.ok());
  CHECK(text_of(content_of(reader.value()).events) == text_of(expected.events));
}

TEST_CASE("a block of unknown type is skipped and counted", "[trace][version]") {
  Recording recording;
  recording.allocate(1);
  recording.flush();
  auto bytes = recording.so_far();
  ByteBuffer block;
  const Payload payload{.type = static_cast<BlockType>(200), .raw_bytes = 5};
  begin_block(payload, block);
  block.insert(block.end(), {1, 2, 3, 4, 5});
  end_block(payload, 0, block);
  const auto unknown = bytes_of(block);
  bytes.insert(bytes.end(), unknown.begin(), unknown.end());

  const auto content = content_of(bytes);

  CHECK(content.events.size() == 1);
  CHECK(content.loss.blocks_unknown == 1);
  CHECK(content.loss.blocks_damaged == 0);
  CHECK_FALSE(content.loss.hides_memory());
}

TEST_CASE("an event of unknown kind keeps its place, says nothing, and is counted",
          "[trace][version]") {
  Recording recording;
  recording.allocate(10);
  Event unknown;
  unknown.kind = static_cast<EventKind>(25);
  unknown.size = 77;
  unknown.stack = Recording::kInner;
  unknown.extra = 12;
  recording.writer().append(unknown);
  recording.allocate(20);

  const auto content = content_of(recording.finish());

  REQUIRE(content.events.size() == 3);
  CHECK(content.events[1].kind == EventKind::kLost);
  CHECK(content.events[1].size == 0);
  CHECK(content.events[2].size == 20);
  CHECK(content.events[2].stack == Recording::kInner);
  CHECK(content.loss.events_unknown == 1);
  CHECK_FALSE(content.loss.hides_memory());
}

TEST_CASE("an event of unknown kind is counted once however often its block is read",
          "[trace][version]") {
  Recording recording;
  Event unknown;
  unknown.kind = static_cast<EventKind>(28);
  recording.writer().append(unknown);
  const auto bytes = recording.finish();
  auto reader = TraceReader::open(bytes);
  REQUIRE(reader.ok());
  content_of(reader.value());
  CHECK(content_of(reader.value()).loss.events_unknown == 1);
}

}  // namespace
}  // namespace tidemark::trace::tests
