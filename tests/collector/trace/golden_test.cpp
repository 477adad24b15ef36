#include "tests/collector/trace/recording.hpp"
#include "tests/support/catch.hpp"

#include <cstdlib>
#include <fstream>
#include <regex>
#include <sstream>

namespace tidemark::trace::tests {
namespace {

std::string source_path(const std::string& path) {
  return std::string(TIDEMARK_SOURCE_DIR) + "/" + path;
}

/// The trace of the worked example in FORMAT.md.
Bytes make_tiny_trace(const std::string& path) {
  auto created = TraceWriter::create(path);
  REQUIRE(created.ok());
  auto& writer = *created.value();
  writer.add_frame({.module = kNoModule, .offset = 0x1234});
  const auto stack = writer.add_stack({.parent = kNoStack, .frame = FrameId{0}});
  Process process;
  process.pid = 100;
  process.command = "x";
  writer.add_thread({.process = writer.add_process(process), .tid = 100, .name = {}});
  const auto block =
      writer.append(Event{.at_ns = 1'000, .size = 4'096, .extra = 8, .stack = stack});
  writer.append(
      Event{.at_ns = 1'550, .size = 4'096, .allocation = block, .kind = EventKind::kRelease});
  Session session;
  session.command = {"x"};
  session.duration_ns = 2'000;
  REQUIRE(writer.finish(session).ok());
  return read_bytes(path);
}

/// The bytes of the ```hex block in FORMAT.md: pairs of hex digits up to a comment.
Bytes bytes_of_the_example() {
  std::ifstream file(source_path("collector/trace/FORMAT.md"));
  Bytes bytes;
  bool inside = false;
  for (std::string line; std::getline(file, line);) {
    if (line.starts_with("```"))
      inside = line == "```hex";
    else if (inside)
      for (std::istringstream pairs(line.substr(0, line.find(';'))); pairs >> line;)
        bytes.push_back(std::byte(std::stoul(line, nullptr, 16)));
  }
  return bytes;
}

TEST_CASE("the bytes of a tiny trace are the approved ones", "[trace][golden]") {
  const TemporaryFolder folder;
  const auto approved = source_path("tests/data/trace/tiny.tmk");
  const auto bytes = make_tiny_trace(folder.file("tiny.tmk"));
  if (std::getenv("TIDEMARK_UPDATE_GOLDEN") != nullptr)
    write_bytes(approved, bytes);

  CHECK(bytes == read_bytes(approved));
}

TEST_CASE("the worked example in FORMAT.md is the tiny trace", "[trace][golden]") {
  CHECK(bytes_of_the_example() == read_bytes(source_path("tests/data/trace/tiny.tmk")));
}

TEST_CASE("the approved tiny trace reads as what was written", "[trace][golden]") {
  const auto content = content_of(read_bytes(source_path("tests/data/trace/tiny.tmk")));

  REQUIRE(content.events.size() == 2);
  CHECK(content.events[0].at_ns == 1'000);
  CHECK(content.events[0].size == 4'096);
  CHECK(content.events[1].at_ns == 1'500);
  CHECK(content.events[1].size == 4'096);
  CHECK(content.definitions.session.duration_ns == 2'000);
  CHECK(text_of(content.loss) == text_of(Loss{}));
}

}  // namespace
TEST_CASE("what the fuzzer of the reader begins with is of today's format", "[trace][golden]") {
  // Of an older one a reader sees the version and nothing else: tests/fuzz/make_trace_corpus.py.
  CHECK(read_bytes(source_path("tests/fuzz/corpus/trace_reader/tiny")) ==
        read_bytes(source_path("tests/data/trace/tiny.tmk")));
  CHECK(
      TraceReader::open(read_bytes(source_path("tests/fuzz/corpus/trace_reader/many_kinds"))).ok());
}

}  // namespace tidemark::trace::tests
