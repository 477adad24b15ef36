#include "tests/collector/trace/recording.hpp"
#include "tests/support/catch.hpp"

#include <csignal>
#include <filesystem>
#include <span>
#include <string_view>

#include <sys/resource.h>

namespace tidemark::trace::tests {
namespace {

/// While it lives, no file of this process grows beyond `bytes`: a disk that is full.
class FullDisk {
 public:
  explicit FullDisk(rlim_t bytes) : handler_(std::signal(SIGXFSZ, SIG_IGN)) {
    getrlimit(RLIMIT_FSIZE, &before_);
    const rlimit limit{.rlim_cur = bytes, .rlim_max = before_.rlim_max};
    setrlimit(RLIMIT_FSIZE, &limit);
  }
  FullDisk(const FullDisk&) = delete;
  FullDisk& operator=(const FullDisk&) = delete;
  FullDisk(FullDisk&&) = delete;
  FullDisk& operator=(FullDisk&&) = delete;
  ~FullDisk() {
    setrlimit(RLIMIT_FSIZE, &before_);
    std::signal(SIGXFSZ, handler_);
  }

 private:
  rlimit before_{};
  void (*handler_)(int);
};

void record_some(Recording& recording, int blocks) {
  for (int i = 0; i < blocks; ++i) {
    for (std::uint64_t size = 1; size <= 20; ++size)
      recording.allocate(size * 1'000'003);
    recording.flush();
  }
}

Session a_session() {
  Session session;
  session.command = {"loader"};
  session.exit_status = 3;
  return session;
}

TEST_CASE("a full disk keeps the blocks before it and counts every event after", "[trace][disk]") {
  const auto limit = GENERATE(300U, 500U, 1'000U, 2'000U, 3'333U);
  CAPTURE(limit);
  Recording recording;
  {
    const FullDisk disk(limit);
    record_some(recording, 20);
    recording.allocate(1);
    auto finished = recording.writer().finish({});

    REQUIRE_FALSE(finished.ok());
    CHECK(finished.error().code == ErrorCode::kIo);
    CHECK(finished.error().message.find(recording.incomplete_path()) != std::string::npos);
    CHECK(finished.error().message.find("File too large") != std::string::npos);
  }
  const auto& writer = recording.writer();
  const auto content = content_of(recording.so_far());

  CHECK(writer.event_count() == 401);
  CHECK(content.events.size() + writer.events_unwritten() == writer.event_count());
  CHECK(content.loss.torn);
  CHECK(content.loss.blocks_damaged == 0);
  CHECK(std::filesystem::file_size(recording.incomplete_path()) == writer.bytes_written());
  CHECK_FALSE(std::filesystem::exists(recording.path()));
}

TEST_CASE("what is said of a session while it is recorded stands until its end", "[trace][disk]") {
  Recording recording;
  recording.writer().set_session(a_session());
  record_some(recording, 1);
  Session later = a_session();
  later.blocked_ns = 12;
  later.loss.records_dropped = 7;
  recording.writer().set_session(later);
  record_some(recording, 1);

  const auto growing = content_of(recording.so_far());
  CHECK(growing.definitions.session.blocked_ns == 12);
  CHECK(growing.loss.records_dropped == 7);
  CHECK(growing.loss.torn);
  CHECK(growing.loss.blocks_damaged == 0);

  // The end is said in the first block then, and holds before what was said behind it.
  const bool is_full = GENERATE(false, true);
  CAPTURE(is_full);
  {
    const FullDisk disk(is_full ? recording.writer().bytes_written() : 1'000'000);
    record_some(recording, 1);
    later.blocked_ns = 34;
    CHECK(recording.writer().finish(later).ok() == !is_full);
  }
  const auto whole =
      content_of(read_bytes(is_full ? recording.incomplete_path() : recording.path()));
  CHECK(whole.definitions.session.ended);
  CHECK(whole.definitions.session.blocked_ns == 34);
  CHECK((whole.loss.events_unwritten > 0) == is_full);
}

TEST_CASE("a recorder with nothing to write says by the file's time that it is there", "[trace]") {
  Recording recording;
  record_some(recording, 1);
  recording.writer().flush();
  const auto size = recording.writer().bytes_written();
  const auto old = std::filesystem::file_time_type::clock::now() - std::chrono::hours(1);
  std::filesystem::last_write_time(recording.incomplete_path(), old);

  recording.writer().flush();

  CHECK(recording.writer().bytes_written() == size);
  CHECK(std::filesystem::last_write_time(recording.incomplete_path()) >
        old + std::chrono::minutes(30));
}

TEST_CASE("a full disk does not keep a trace from saying what it lacks", "[trace][disk]") {
  const auto limit = GENERATE(1'500U, 2'000U, 2'345U, 3'333U);
  CAPTURE(limit);
  Recording recording;
  recording.writer().set_session(a_session());
  {
    const FullDisk disk(limit);
    record_some(recording, 40);
    REQUIRE_FALSE(recording.writer().finish(a_session()).ok());
  }
  const auto content = content_of(recording.so_far());

  CHECK(recording.writer().events_unwritten() > 0);
  CHECK(content.loss.events_unwritten == recording.writer().events_unwritten());
  CHECK(content.events.size() + content.loss.events_unwritten == recording.writer().event_count());
  CHECK(content.loss.events_damaged == 0);
  CHECK_FALSE(content.loss.torn);
  CHECK(content.definitions.session.ended);
  CHECK(content.definitions.session.exit_status == 3);
}

TEST_CASE("a trace whose last names did not fit the disk says that its end is missing",
          "[trace][disk]") {
  Recording recording;
  recording.writer().set_session(a_session());
  recording.allocate(1);
  recording.flush();
  {
    const FullDisk disk(recording.writer().bytes_written());
    recording.writer().add_name(std::string(5000, 'x'));
    REQUIRE_FALSE(recording.writer().finish(a_session()).ok());
  }
  const auto content = content_of(recording.so_far());

  CHECK(content.loss.torn);
  CHECK(content.loss.events_unwritten == 0);
  CHECK(content.events.size() == 1);
}

TEST_CASE("a disk that has room again is not written to again", "[trace][disk]") {
  Recording recording;
  {
    const FullDisk disk(1'000);
    record_some(recording, 10);
  }
  const auto before = recording.writer().bytes_written();
  CHECK(recording.writer().write_error() == "File too large");

  record_some(recording, 10);

  CHECK(recording.writer().bytes_written() == before);
  CHECK_FALSE(recording.writer().finish({}).ok());
  CHECK(std::filesystem::file_size(recording.incomplete_path()) == before);
}

TEST_CASE("after a write error the writer's totals still follow the events", "[trace][disk]") {
  Recording recording;
  const FullDisk disk(100);
  record_some(recording, 1);
  const auto before = recording.writer().totals()[Lane::kHeap];

  CHECK(recording.allocate(7) == 20);
  CHECK(recording.writer().totals()[Lane::kHeap] == before + 7);
  CHECK(recording.writer().events_unwritten() == 20);
}

TEST_CASE("a folder that does not exist is an error of create", "[trace][disk]") {
  const TemporaryFolder folder;
  const auto path = folder.file("missing/a.tmk");

  const auto created = TraceWriter::create(path);

  REQUIRE_FALSE(created.ok());
  CHECK(created.error().message.find(path) != std::string::npos);
  CHECK(created.error().message.find("there is no folder " + folder.file("missing")) !=
        std::string::npos);
}

TEST_CASE("only an older recording or an empty file is replaced", "[trace][disk]") {
  const TemporaryFolder folder;
  const auto path = folder.file("a.tmk");
  const auto whole = Recording().finish();
  const auto bytes_of = [](std::string_view text) { return std::as_bytes(std::span(text)); };
  // A model, a word, and what begins as a recording does and then is none.
  for (const std::string_view text : {"GGUF and 5 GB of weights", "x", "\x89tidemork"}) {
    CAPTURE(text);
    write_bytes(path, bytes_of(text));
    const auto created = TraceWriter::create(path);
    REQUIRE_FALSE(created.ok());
    CHECK(created.error().code == ErrorCode::kUsage);
    CHECK(created.error().message ==
          "cannot write " + path +
              ": it is there, and no recording; name another file, or remove it");
    CHECK(read_bytes(path).size() == text.size());
    CHECK_FALSE(std::filesystem::exists(path + ".incomplete"));
  }
  for (const std::span<const std::byte> replaced :
       {std::span<const std::byte>(), std::as_bytes(std::span(whole)),
        std::as_bytes(std::span(whole)).first(40)}) {
    write_bytes(path, replaced);
    auto created = TraceWriter::create(path);
    REQUIRE(created.ok());
    CHECK(created.value()->finish({}).ok());
    CHECK(content_of(read_bytes(path)).events.empty());
  }
}

TEST_CASE("a target that cannot be replaced is an error of finish, and the incomplete file stays",
          "[trace][disk]") {
  Recording recording;
  recording.allocate(1);
  std::filesystem::create_directory(recording.path());

  CHECK_FALSE(recording.writer().finish({}).ok());

  CHECK(content_of(recording.so_far()).events.size() == 1);
}

TEST_CASE("a file that somebody removes while it is written is said to be lost", "[trace][disk]") {
  Recording recording;
  recording.allocate(1);
  std::filesystem::remove(recording.incomplete_path());

  const auto finished = recording.writer().finish({});

  REQUIRE_FALSE(finished.ok());
  CHECK(finished.error().message.find("is lost") != std::string::npos);
  CHECK_FALSE(std::filesystem::exists(recording.path()));
}

TEST_CASE("until finish there is only the incomplete file, after it only the real one",
          "[trace][disk]") {
  Recording recording;
  CHECK(std::filesystem::exists(recording.incomplete_path()));
  CHECK_FALSE(std::filesystem::exists(recording.path()));
  recording.finish();
  CHECK_FALSE(std::filesystem::exists(recording.incomplete_path()));
  CHECK(std::filesystem::exists(recording.path()));
}

TEST_CASE("what was flushed can be read while the recording goes on", "[trace][disk]") {
  Recording recording;
  recording.allocate(1);
  CHECK(content_of(recording.so_far()).events.empty());
  recording.flush();
  CHECK(content_of(recording.so_far()).events.size() == 1);
}

TEST_CASE("a flush with nothing to say writes nothing", "[trace][disk]") {
  Recording recording;
  recording.allocate(1);
  recording.flush();
  const auto before = recording.writer().bytes_written();
  recording.flush();
  CHECK(recording.writer().bytes_written() == before);
}

TEST_CASE("a writer that goes away without finish leaves a readable file", "[trace][disk]") {
  const TemporaryFolder folder;
  {
    auto created = TraceWriter::create(folder.file("a.tmk"));
    REQUIRE(created.ok());
    auto& writer = *created.value();
    writer.add_process({});
    writer.add_thread({});
    writer.append(Event{.size = 5});
  }
  const auto content = content_of(read_bytes(folder.file("a.tmk.incomplete")));
  CHECK(content.events.size() == 1);
  CHECK(content.loss.torn);
}

TEST_CASE("calls after finish are harmless", "[trace][disk]") {
  Recording recording;
  recording.finish();
  recording.allocate(1);
  recording.flush();
  const auto again = recording.writer().finish({});
  REQUIRE_FALSE(again.ok());
  CHECK(again.error().code == ErrorCode::kUsage);
}

}  // namespace
}  // namespace tidemark::trace::tests
