#include "collector/trace/coding/format.hpp"
#include "collector/trace/coding/session_json.hpp"
#include "tests/collector/trace/recording.hpp"
#include "tests/fuzz/right_checksums.hpp"
#include "tests/support/catch.hpp"

#include <algorithm>
#include <vector>

namespace tidemark::trace::tests {
namespace {

/// An empty trace under construction.
class Tables {
 public:
  Tables() {
    auto created = TraceWriter::create(folder_.file("a.tmk"));
    REQUIRE(created.ok());
    writer_ = std::move(created.value());
  }
  TraceWriter* operator->() { return writer_.get(); }
  Definitions finish(const Session& session = {}) {
    REQUIRE(writer_->finish(session).ok());
    const auto bytes = read_bytes(folder_.file("a.tmk"));
    const auto content = content_of(bytes);
    CHECK(content.loss.blocks_damaged == 0);
    return content.definitions;
  }

 private:
  TemporaryFolder folder_;
  std::unique_ptr<TraceWriter> writer_;
};

Process a_process() {
  Process process;
  process.pid = 7;
  process.parent_pid = 6;
  process.begin_ns = 1;
  process.end_ns = ~std::uint64_t{0};
  process.command = "loader --model x";
  process.executable = "/usr/bin/loader";
  process.peak.bytes = {1, 2, 3, 4};
  process.peak_at_ns = 5;
  process.lane_peaks.bytes = {6, 7, 8, 9};
  process.kernel_peak_rss_bytes = 10;
  process.own_bytes = 11;
  return process;
}

TEST_CASE("every definition comes back with every field", "[trace][definitions]") {
  Tables tables;
  Definitions expected;
  expected.names = {"", "load", "upload"};
  CHECK(index(tables->add_name("load")) == 1);
  CHECK(index(tables->add_name("upload")) == 2);
  expected.processes = {a_process(), a_process()};
  expected.processes[1].parent = 0;
  expected.processes[1].rss_at_most_bytes = 12;
  for (const auto& process : expected.processes)
    tables->add_process(process);
  expected.threads = {{ProcessId{1}, 77, "worker"}};
  tables->add_thread(expected.threads[0]);
  expected.modules = {{}, {"/lib/libx.so", "0123abcd", ~std::uint64_t{0}}};
  CHECK(index(tables->add_module(expected.modules[1])) == 1);
  expected.frames = {{ModuleId{1}, 0x1234},
                     {kNoModule, 0x7fff'0000'1234},
                     {kNoModule, 12, FrameLanguage::kPython}};
  for (const auto& frame : expected.frames)
    tables->add_frame(frame);
  expected.stacks = {{}, {kNoStack, FrameId{1}}, {StackId{1}, FrameId{0}}};
  CHECK(index(tables->add_stack(expected.stacks[1])) == 1);
  CHECK(index(tables->add_stack(expected.stacks[2])) == 2);
  expected.locations = {{}, {{"inner", "a.cpp", 3}, {"outer", "", 0}}};
  tables->set_locations(FrameId{1}, expected.locations[1]);
  expected.files = {{.path = "/m/model.bin", .size = 1234},
                    {.path = "/usr/bin/x", .size = 5, .executable = true},
                    {.path = "/t/w.npz",
                     .size = 6,
                     .writable = true,
                     .written = true,
                     .unlinked = true,
                     .in_memory = true,
                     .compressed = true,
                     .named = true,
                     .content = "npz",
                     .unpacked_bytes = 99}};
  for (const auto& file : expected.files)
    tables->add_file(file);
  expected.tensors = {{FileId{2}, "a.weight", "f32", 12, 64, 48, {3, 4}},
                      {FileId{0}, "b", "q4_k", 256, 1 << 20, 144, {}}};
  for (const auto& tensor : expected.tensors)
    tables->add_tensor(tensor);
  expected.looks = {{7, 100, 4096}, {7, 200, 1 << 20}};
  for (const auto& look : expected.looks)
    tables->add_look(look);
  expected.origins = {{7, 0, FileId{2}, 64, 48, 300}, {8, 4096, FileId{0}, 1 << 20, 144, 301}};
  for (const auto& origin : expected.origins)
    tables->add_origin(origin);
  expected.matches = {{7, 32, FileId{2}, 64, "f64", false, 400, 300, 500},
                      {9, 0, FileId{0}, 1 << 20, "", true, 401, 0, ValueMatch::kNever}};
  for (const auto& match : expected.matches)
    tables->add_match(match);
  expected.mismatches = {{11, 402}, {13, 0}};
  for (const auto& mismatch : expected.mismatches)
    tables->add_mismatch(mismatch);
  expected.packed = {{14, FileId{2}, 4096, -64, 403, 0, ValueMatch::kNever},
                     {15, FileId{0}, 0, 8192, 404, 300, 500},
                     {16, FileId{0}, 64, 0, 405, 300, 500, "f32", "bf16"},
                     {19, FileId{0}, 64, 0, 405, 300, 500, "", "", 4096, 1 << 20},
                     {23, FileId{0}, 64, 0, 405, 300, 500, "f64", "f32", 0, 0, 16}};
  for (const auto& packed : expected.packed)
    tables->add_packed(packed);
  expected.heap_looks = {{ProcessId{0}, 406, 1 << 20, 17}};
  tables->add_heap_look(expected.heap_looks[0]);
  expected.alike = {{17, 7, 407, 300, 500, "f32", "f64", true},
                    {18, 7, 408, 0, ValueMatch::kNever, "", ""}};
  for (const auto& alike : expected.alike)
    tables->add_alike(alike);
  expected.joined = {{20, 22, 0, 1 << 20, 1, 409, 300, 500},
                     {21, 22, 1 << 20, 3 << 20, 1, 409, 300, ValueMatch::kNever}};
  for (const auto& joined : expected.joined)
    tables->add_joined(joined);
  expected.session.ended = true;

  CHECK(text_of(tables.finish()) == text_of(expected));
}

TEST_CASE("the fuzzer's traces have entries of every kind", "[trace][definitions]") {
  const auto name = GENERATE("many_kinds", "every_definition");
  CAPTURE(name);
  const Bytes bytes =
      read_bytes(std::string(TIDEMARK_SOURCE_DIR "/tests/fuzz/corpus/trace_reader/") + name);
  const auto right =
      with_right_checksums({reinterpret_cast<const std::uint8_t*>(bytes.data()), bytes.size()});
  const auto content = content_of(std::as_bytes(std::span(right)));
  CHECK(content.loss.blocks_damaged == 0);
  // A table without an entry of its own is one that the corpus was not made anew for.
  const auto& [names, processes, threads, modules, frames, stacks, locations, files, tensors, looks,
               origins, matches, mismatches, packed, heap_looks, alike, joined, session] =
      content.definitions;
  // Names, modules and stacks have an entry that needs none.
  const std::vector<std::size_t> counts{
      names.size() - 1,  processes.size(), threads.size(),    modules.size() - 1, frames.size(),
      stacks.size() - 1, locations.size(), files.size(),      tensors.size(),     looks.size(),
      origins.size(),    matches.size(),   mismatches.size(), packed.size(),      heap_looks.size(),
      alike.size(),      joined.size()};
  CHECK(std::ranges::count(counts, 0U) == 0);
  CHECK(session.ended);
}

TEST_CASE("the session of finish replaces the one known at the start", "[trace][definitions]") {
  Session session;
  session.command = {"loader", "with space", "\"quoted\""};
  session.exit_status = -3;
  session.duration_ns = ~std::uint64_t{0};
  session.started_unix_ns = 12;
  session.host_name = "host";
  session.kernel = "6.1";
  session.tidemark_version = "0.1.0";
  session.model = "m";
  session.sample_bytes = std::uint64_t{512} << 10U;
  session.blocked_ns = 13;
  session.collector_cpu_ns = 14;
  session.unmatched_releases = 15;
  session.loss.processes_left = 16;
  session.heap_invisible = true;
  session.deep_bound = true;
  session.execs_watched = true;
  session.unread_python = "3.9";
  session.loss.records_dropped = 17;
  session.loss.processes_unrecorded = 18;
  session.loss.unrecorded = {{100, "tool \"quoted\"", WhyUnrecorded::kStatic, 1},
                             {0, "", WhyUnrecorded::kTooMany, 17}};
  session.loss.unrecorded[0].from_ns = 1;
  session.loss.unrecorded[0].until_ns = std::uint64_t{1} << 40U;
  session.loss.unrecorded[0].most_bytes = std::uint64_t{1} << 41U;
  session.loss.threads_unrecorded = 19;
  session.loss.threads_seccomp = 2;
  session.loss.threads_address_space = 7;
  session.loss.threads_too_many = 10;
  session.loss.mapped_unseen_bytes = 27;
  session.loss.shared_unseen_bytes = 26;
  session.loss.mapped_unseen = {{"/m/\"quoted\".bin", 1, false}, {"/memfd:x (deleted)", 26, true}};
  session.loss.unmapped_unseen_bytes = 28;
  session.loss.written_unseen_bytes = 29;
  session.loss.stacks_truncated = 20;
  Tables tables;
  tables->set_session({});
  tables->flush();

  auto read = tables.finish(session).session;

  Definitions expected;
  Definitions actual;
  expected.session = session;
  expected.session.ended = true;
  actual.session = read;
  CHECK(text_of(actual) == text_of(expected));
}

TEST_CASE("a size that stacks cannot have been sampled by is damage", "[trace][definitions]") {
  const auto is_read = [](const std::string& value) {
    const std::string text = "{\"sample_bytes\":" + value + "}";
    const auto* const bytes = reinterpret_cast<const std::uint8_t*>(text.data());
    return session_from_json(ByteView(bytes, text.size())).has_value();
  };
  CHECK(is_read("1024"));
  CHECK(is_read("524288"));
  CHECK(is_read("1099511627776"));
  for (const char* value : {"0", "1", "1023", "1099511627777", "18446744073709551615", "-524288",
                            "1e9", "\"512KiB\"", "null", "[524288]"}) {
    CAPTURE(value);
    CHECK_FALSE(is_read(value));
  }
}

TEST_CASE("a torn trace has the session known at the start", "[trace][definitions]") {
  Recording recording;
  Session session;
  session.command = {"loader"};
  recording.writer().set_session(session);
  recording.flush();

  const auto content = content_of(recording.so_far());

  CHECK(content.definitions.session.command == session.command);
  CHECK_FALSE(content.definitions.session.ended);
  CHECK(content.loss.torn);
}

TEST_CASE("a reason has one word, and a word of a newer tidemark is an unknown reason",
          "[trace][definitions]") {
  for (auto why = WhyUnrecorded::kUnknown; why <= WhyUnrecorded::kEndedEarly;
       why = static_cast<WhyUnrecorded>(static_cast<int>(why) + 1))
    CHECK(why_of(word_of(why)) == why);
  CHECK(why_of("eaten_by_a_dog") == WhyUnrecorded::kUnknown);
  CHECK(word_of(static_cast<WhyUnrecorded>(200)) == "unknown");
}

TEST_CASE("a list of unrecorded programs is bounded", "[trace][definitions]") {
  Session session;
  session.loss.unrecorded.assign(kMaxUnrecordedEntries + 50,
                                 {1, std::string(5000, 'x'), WhyUnrecorded::kSetId, 1});
  Recording recording;

  const auto entries = content_of(recording.finish(session)).loss.unrecorded;

  REQUIRE(entries.size() == kMaxUnrecordedEntries);
  CHECK(entries[0].command.size() == kMaxUnrecordedCommandBytes);
}

TEST_CASE("what the recording lost is part of the reader's loss", "[trace][definitions]") {
  Session session;
  session.loss.records_dropped = 5;
  Recording recording;

  CHECK(content_of(recording.finish(session)).loss.records_dropped == 5);
}

TEST_CASE("the same name gets the same id", "[trace][definitions]") {
  Tables tables;
  const auto first = tables->add_name("load");
  tables->add_name("other");
  CHECK(tables->add_name("load") == first);
  CHECK(tables->add_name("") == NameId{0});
  CHECK(tables.finish().names.size() == 3);
}

TEST_CASE("an update replaces, in the same block and in a later one", "[trace][definitions]") {
  const bool in_a_later_block = GENERATE(false, true);
  Tables tables;
  const auto process = tables->add_process({});
  const auto thread = tables->add_thread({process, 1, "before"});
  const auto file = tables->add_file({"/m", 1, false});
  tables->add_file({"/other", 2, false});
  if (in_a_later_block)
    tables->flush();
  tables->update_process(process, a_process());
  tables->update_thread(thread, {process, 1, "after"});
  tables->update_file(file, {"/m", 99, true});

  const auto read = tables.finish();

  REQUIRE(read.processes.size() == 1);
  CHECK(read.processes[0].command == "loader --model x");
  REQUIRE(read.threads.size() == 1);
  CHECK(read.threads[0].name == "after");
  REQUIRE(read.files.size() == 2);
  CHECK(read.files[0].size == 99);
  CHECK(read.files[1].path == "/other");
}

TEST_CASE("definitions are on disk before the events that use them", "[trace][definitions]") {
  Recording recording;
  recording.allocate(1);
  recording.flush();
  const auto deep =
      recording.writer().add_stack({.parent = Recording::kInner, .frame = FrameId{0}});
  recording.allocate(2, deep);
  recording.flush();

  const auto content = content_of(recording.so_far());

  REQUIRE(content.events.size() == 2);
  CHECK(content.events[1].stack == deep);
  CHECK(index(deep) < content.definitions.stacks.size());
}

TEST_CASE("a full block brings the definitions it uses with it", "[trace][definitions]") {
  Recording recording;
  recording.flush();
  const auto deep =
      recording.writer().add_stack({.parent = Recording::kInner, .frame = FrameId{0}});
  for (std::uint32_t i = 0; i < kMaxBlockEvents; ++i)
    recording.writer().append(Event{.size = 1, .stack = deep});

  const auto content = content_of(recording.so_far());

  REQUIRE(content.events.size() == kMaxBlockEvents);
  CHECK(content.events[0].stack == deep);
}

TEST_CASE("many definitions come back", "[trace][definitions]") {
  Tables tables;
  tables->add_frame({kNoModule, 1});
  for (std::uint32_t i = 1; i <= 300'000; ++i)
    tables->add_stack({.parent = StackId{i / 2}, .frame = FrameId{0}});

  const auto stacks = tables.finish().stacks;

  REQUIRE(stacks.size() == 300'001);
  for (std::uint32_t i = 1; i < stacks.size(); ++i) {
    if (stacks[i].parent != StackId{i / 2})
      FAIL("stack " << i);
  }
}

TEST_CASE("definitions that repeat themselves a thousand times come back", "[trace][definitions]") {
  Tables tables;
  const std::string path(5'000, 'x');
  for (int i = 0; i < 1'000; ++i)
    tables->add_file({path, 1, false});

  const auto files = tables.finish().files;

  REQUIRE(files.size() == 1'000);
  CHECK(files[999].path == path);
}

TEST_CASE("long strings and lists are cut, not refused", "[trace][definitions]") {
  Tables tables;
  tables->add_name(std::string(100'000, 'n'));
  tables->add_frame({kNoModule, 1});
  tables->set_locations(FrameId{0}, std::vector<Location>(50, Location{"f", "g", 1}));

  const auto read = tables.finish();

  CHECK(read.names[1].size() == kMaxStringBytes);
  CHECK(read.locations[0].size() == kMaxLocations);
}

TEST_CASE("links to what does not exist are made safe", "[trace][definitions]") {
  Tables tables;
  Process orphan;
  orphan.parent = 5;
  tables->add_process(orphan);
  tables->add_thread({ProcessId{9}, 1, "lost"});
  tables->add_frame({ModuleId{4}, 1});
  tables->add_stack({.parent = StackId{8}, .frame = FrameId{0}});
  tables->add_stack({.parent = StackId{2}, .frame = FrameId{77}});

  const auto read = tables.finish();

  CHECK(read.processes[0].parent == Process::kNoParent);
  CHECK(index(read.threads[0].process) < read.processes.size());
  CHECK(read.frames[0].module == kNoModule);
  CHECK(read.stacks[1].parent == kNoStack);
  CHECK(read.stacks[2].parent == kNoStack);
  CHECK(index(read.stacks[2].frame) < read.frames.size());
}

TEST_CASE("a stack deeper than any recording's begins anew", "[trace][definitions]") {
  Tables tables;
  for (std::uint32_t i = 0; i < 2 * kMaxStackDepth + 1; ++i)
    tables->add_stack({.parent = StackId{i}, .frame = FrameId{0}});
  const auto stacks = tables.finish().stacks;
  std::uint32_t deepest = 0;
  std::uint32_t roots = 0;
  std::vector<std::uint32_t> depths(stacks.size());
  for (std::uint32_t i = 1; i < stacks.size(); ++i) {
    roots += stacks[i].parent == kNoStack ? 1U : 0U;
    depths[i] = depths[index(stacks[i].parent)] + 1;
    deepest = std::max(deepest, depths[i]);
  }
  CHECK(deepest == kMaxStackDepth);
  CHECK(roots == 3);
}

TEST_CASE("text that is not UTF-8 does not cost the session", "[trace][definitions]") {
  Session session;
  session.command = {"loader", "\xff\xfe"};
  session.host_name = "host";
  Tables tables;

  const auto read = tables.finish(session).session;

  CHECK(read.command.size() == 2);
  CHECK(read.host_name == "host");
}

}  // namespace
}  // namespace tidemark::trace::tests
