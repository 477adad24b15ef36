#include "collector/trace/coding/block.hpp"
#include "collector/trace/coding/format.hpp"
#include "tests/collector/trace/recording.hpp"
#include "tests/support/catch.hpp"

#include <algorithm>
#include <random>

namespace tidemark::trace::tests {
namespace {

/// Two blocks of events, a definition between them, samples, and an end.
void record_a_small_session(Recording& recording) {
  Session session;
  session.command = {"loader", "model.bin"};
  recording.writer().set_session(session);
  const auto block = recording.at(1'000).allocate(1'000);
  recording.at(2'000).on(1).allocate(2'000, Recording::kOuter, Lane::kAnon);
  recording.flush();
  recording.writer().add_name("after");
  recording.writer().append(Sample{.at_ns = 2'500, .rss_anon_bytes = 4'096});
  recording.at(3'000).on(0).release(block);
  recording.at(4'000).note(EventKind::kRead, 500, 0, Recording::kInner);
  recording.flush();
}

Bytes a_small_trace() {
  Recording recording;
  record_a_small_session(recording);
  Session session;
  session.command = {"loader", "model.bin"};
  session.duration_ns = 5'000;
  return recording.finish(session);
}

Bytes a_small_torn_trace() {
  Recording recording;
  record_a_small_session(recording);
  return recording.so_far();
}

Bytes first(const Bytes& bytes, std::size_t count) {
  return {bytes.begin(), bytes.begin() + static_cast<std::ptrdiff_t>(count)};
}

Bytes with_flipped_bit(Bytes bytes, std::size_t at, unsigned bit = 0) {
  bytes[at] ^= std::byte{1} << bit;
  return bytes;
}

ByteView view_of(const Bytes& bytes) {
  return {reinterpret_cast<const std::uint8_t*>(bytes.data()), bytes.size()};
}

std::vector<BlockHeader> headers_of(const Bytes& bytes) {
  std::vector<BlockHeader> headers;
  auto header = read_block_header(view_of(bytes), kFileHeaderBytes);
  while (header) {
    headers.push_back(*header);
    header = read_block_header(view_of(bytes), header->end_offset());
  }
  return headers;
}

BlockHeader nth(const Bytes& bytes, BlockType type, std::size_t n = 0) {
  auto headers = headers_of(bytes);
  std::erase_if(headers, [&](const auto& header) { return !header.is(type); });
  REQUIRE(headers.size() > n);
  return headers[n];
}

struct Texts {
  std::vector<std::string> events;
  std::string definitions;
  std::size_t samples = 0;
  bool operator==(const Texts&) const = default;
};

Texts all_texts_of(const Content& content) {
  return {text_of(content.events), text_of(content.definitions), content.samples.size()};
}

bool same_content(const Content& one, const Content& other) {
  return all_texts_of(one) == all_texts_of(other);
}

TEST_CASE("a trace cut off anywhere still yields its intact prefix", "[trace][robustness]") {
  const auto whole = a_small_trace();
  const auto expected = content_of(whole);
  const auto headers = headers_of(whole);
  const auto session_end = nth(whole, BlockType::kSession, 1).end_offset();
  for (auto kept = kFileHeaderBytes; kept < whole.size(); ++kept) {
    CAPTURE(kept);
    std::size_t intact_events = 0;
    for (const auto& header : headers)
      intact_events += header.end_offset() <= kept ? header.summary.event_count : 0;

    const auto content = content_of(first(whole, kept));

    CHECK(content.events.size() == intact_events);
    CHECK(std::equal(content.events.begin(), content.events.end(), expected.events.begin(),
                     [](const Event& a, const Event& b) { return text_of(a) == text_of(b); }));
    CHECK(content.loss.torn == (kept < session_end));
    CHECK(content.loss.blocks_damaged == 0);
  }
}

TEST_CASE("a trace cut off in its file header is not a trace", "[trace][robustness]") {
  const auto whole = a_small_trace();
  for (std::size_t kept = 0; kept < kFileHeaderBytes; ++kept) {
    CAPTURE(kept);
    const auto bytes = first(whole, kept);
    auto reader = TraceReader::open(bytes);
    REQUIRE_FALSE(reader.ok());
    CHECK(reader.error().code == ErrorCode::kNotATrace);
  }
}

/// True where nothing differs, or a loss is reported that was not there before.
bool same_or_reported(const Content& content, const Content& expected) {
  return same_content(content, expected) || content.loss.blocks_damaged > 0 ||
         (content.loss.torn && !expected.loss.torn);
}

void check_every_flip_is_noticed(const Bytes& whole) {
  const auto expected = content_of(whole);
  std::size_t read = 0;
  for (std::size_t bit = 0; bit < whole.size() * 8; ++bit) {
    CAPTURE(bit / 8, bit % 8);
    const auto bytes = with_flipped_bit(whole, bit / 8, static_cast<unsigned>(bit % 8));
    auto reader = TraceReader::open(bytes);
    if (!reader.ok()) {
      CHECK(bit / 8 < kFileHeaderBytes);
      continue;
    }
    ++read;
    if (!same_or_reported(content_of(reader.value()), expected))
      FAIL("a difference was not reported");
  }
  // Past the header, damage costs blocks and never the file.
  CHECK(read >= (whole.size() - kFileHeaderBytes) * 8);
}

TEST_CASE("every single flipped bit is survived, and reported if anything differs",
          "[trace][robustness]") {
  check_every_flip_is_noticed(a_small_trace());
}

TEST_CASE("every single flipped bit of a torn trace is survived, and reported if anything differs",
          "[trace][robustness]") {
  const auto whole = a_small_torn_trace();
  const auto last = headers_of(whole).back();
  // Damage in the last header of a torn trace cannot be told from a cut: torn is what is reported.
  check_every_flip_is_noticed(first(whole, last.offset));
}

TEST_CASE("a trace without its index has the same content", "[trace][robustness]") {
  const auto whole = a_small_trace();
  const auto expected = content_of(whole);

  const auto content = content_of(first(whole, nth(whole, BlockType::kIndex).offset));

  CHECK(same_content(content, expected));
  CHECK(text_of(content.loss) == text_of(Loss{}));
}

TEST_CASE("a damaged index or trailer loses nothing", "[trace][robustness]") {
  const auto whole = a_small_trace();
  const auto expected = content_of(whole);
  for (auto at = nth(whole, BlockType::kIndex).offset; at < whole.size(); ++at) {
    CAPTURE(at);
    const auto content = content_of(with_flipped_bit(whole, at));
    CHECK(same_content(content, expected));
    CHECK(text_of(content.loss) == text_of(Loss{}));
  }
}

TEST_CASE("a damaged events payload costs its block and is counted once", "[trace][robustness]") {
  const auto whole = a_small_trace();
  const auto block = nth(whole, BlockType::kEvents);
  const auto bytes = with_flipped_bit(whole, block.payload_offset() + 5);
  auto reader = TraceReader::open(bytes);
  REQUIRE(reader.ok());

  std::vector<Event> events;
  CHECK_FALSE(reader.value().decode(0, events));
  CHECK(events.empty());
  CHECK_FALSE(reader.value().decode(0, events));
  CHECK(reader.value().decode(1, events));
  CHECK(events.size() == 2);

  CHECK(reader.value().loss().blocks_damaged == 1);
  CHECK(reader.value().loss().events_damaged == 2);
  CHECK(reader.value().loss().bytes_damaged == block.end_offset() - block.offset);
  CHECK(reader.value().loss().hides_memory());
}

TEST_CASE("without an index, a damaged events header costs its block and later ones are found",
          "[trace][robustness]") {
  const auto torn = a_small_torn_trace();
  const auto block = nth(torn, BlockType::kEvents);

  const auto content = content_of(with_flipped_bit(torn, block.offset + 8));

  REQUIRE(content.blocks.size() == 1);
  CHECK(content.blocks[0].first_event == 2);
  CHECK(content.events.size() == 2);
  CHECK(content.loss.blocks_damaged == 1);
  CHECK(content.loss.events_damaged == 2);
  CHECK(content.loss.bytes_damaged == block.end_offset() - block.offset);
}

TEST_CASE("bytes lost in the middle are found by their gap", "[trace][robustness]") {
  auto bytes = a_small_torn_trace();
  const auto block = nth(bytes, BlockType::kEvents);
  const auto begin = bytes.begin() + static_cast<std::ptrdiff_t>(block.offset + 10);
  bytes.erase(begin, begin + 50);

  const auto content = content_of(bytes);

  CHECK(content.events.size() == 2);
  CHECK(content.loss.events_damaged == 2);
}

TEST_CASE("events that the session counted and no block holds are reported",
          "[trace][robustness]") {
  const auto whole = a_small_trace();
  const auto block = nth(whole, BlockType::kEvents, 1);
  const auto index = nth(whole, BlockType::kIndex);

  const auto content = content_of(with_flipped_bit(first(whole, index.offset), block.offset));

  CHECK(content.events.size() == 2);
  CHECK(content.loss.blocks_damaged == 1);
  CHECK(content.loss.events_damaged == 2);
  CHECK_FALSE(content.loss.torn);
}

TEST_CASE("ids whose definitions are damaged lead to placeholders", "[trace][robustness]") {
  const auto whole = a_small_trace();
  const auto block = nth(whole, BlockType::kDefinitions);

  const auto content = content_of(with_flipped_bit(whole, block.payload_offset() + 3));

  REQUIRE(content.events.size() == 4);
  for (const auto& event : content.events) {
    CHECK(index(event.thread) < content.definitions.threads.size());
    CHECK(event.stack == kNoStack);
  }
  CHECK(content.events[3].extra < content.definitions.files.size());
  CHECK(content.loss.blocks_damaged == 1);
}

TEST_CASE("random garbage in a trace is survived, and reported if anything differs",
          "[trace][robustness][random]") {
  const auto seed = GENERATE(range(1U, 200U));
  CAPTURE(seed);
  std::mt19937 random(seed);
  auto bytes = a_small_trace();
  const auto expected = content_of(bytes);
  const auto upto = [&random](std::size_t most) {
    return std::uniform_int_distribution<std::size_t>(0, most)(random);
  };
  for (auto i = upto(20); i > 0; --i)
    bytes[kFileHeaderBytes + upto(bytes.size() - kFileHeaderBytes - 1)] = std::byte(upto(255));

  const auto content = content_of(bytes);

  CHECK(same_or_reported(content, expected));
  // What is read of it is what was written, in its order; names may be those of damaged tables.
  auto next = expected.events.begin();
  for (const Event& event : content.events) {
    next = std::find_if(next, expected.events.end(), [&event](const Event& written) {
      return written.kind == event.kind && written.at_ns == event.at_ns &&
             written.size == event.size;
    });
    REQUIRE(next != expected.events.end());
    ++next;
  }
}

TEST_CASE("a block that stands twice is read once", "[trace][robustness]") {
  auto bytes = a_small_torn_trace();
  const auto block = nth(bytes, BlockType::kEvents);
  const Bytes copy(bytes.begin() + static_cast<std::ptrdiff_t>(block.offset),
                   bytes.begin() + static_cast<std::ptrdiff_t>(block.end_offset()));
  bytes.insert(bytes.end(), copy.begin(), copy.end());

  const auto content = content_of(bytes);

  CHECK(content.events.size() == 4);
  CHECK(content.loss.blocks_damaged == 1);
}

}  // namespace
}  // namespace tidemark::trace::tests
