// What `-o` and its like write, and what was there before.
#include "tests/end_to_end/fixture.hpp"
#include "tests/support/catch.hpp"

#include <algorithm>
#include <cerrno>
#include <filesystem>
#include <fstream>
#include <functional>
#include <future>
#include <string>
#include <vector>

#include <fcntl.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

using namespace tidemark::tests;
namespace fs = std::filesystem;

namespace {

class Output : public EndToEnd {
 public:
  Output() { std::ofstream(trace()) << kOlder; }
  [[nodiscard]] bool has_older() const { return read_text(trace()) == kOlder; }

  /// A null device of the test's own: never the machine's. False, loudly, where none can be made.
  [[nodiscard]] bool make_null(const std::string& name) const {
    const bool done = mknod(path(name).c_str(), S_IFCHR | 0600U, makedev(1, 3)) == 0;
    const int descriptor = done ? open(path(name).c_str(), O_WRONLY | O_CLOEXEC) : -1;
    if (descriptor < 0) {
      const int error = errno;
      SKIP_TEST("device nodes cannot be made here");
      CHECK((error == EPERM || error == EACCES));
    }
    close(descriptor);
    return descriptor >= 0;
  }

  /// Exit status 2, one sentence, and the program was not started.
  void check_not_started(const std::string& output, const std::string& because) {
    CAPTURE(output);
    const Outcome said = tidemark({"record", "-o", output, "--", "touch", path("started")});
    CHECK(said.status == 2);
    CHECK(said.out.empty());
    CHECK_THAT(said.err, Catch::StartsWith("tidemark: "));
    CHECK_THAT(said.err, Catch::Contains(because));
    CHECK(std::count(said.err.begin(), said.err.end(), '\n') == 1);
    CHECK_FALSE(fs::exists(path("started")));
  }

  [[nodiscard]] std::size_t count(const std::string& folder) const {
    return static_cast<std::size_t>(std::distance(fs::directory_iterator(path(folder)), {}));
  }

  /// As far as can be told without a look inside, a recording.
  static constexpr const char* kOlder = "\x89tidemk\nof last time";
};

}  // namespace

TEST_CASE_METHOD(Output, "an older trace is replaced when the new one is complete", "[output]") {
  const Outcome said = tidemark({"record", "-q", "-o", trace(), "--", "cat", trace()});

  CHECK(said.status == 0);
  CHECK(said.out == kOlder);  // It was there while the program ran.
  CHECK_FALSE(has_older());
  CHECK(tidemark({"report", trace()}).status == 0);
}

TEST_CASE_METHOD(Output, "what is no recording is not replaced", "[output]") {
  for (const std::string_view name : {"weights.bin", "linked.bin"}) {
    const std::string precious = a_file_with("five gigabytes of weights", "weights.bin");
    std::error_code there_already;
    fs::create_symlink(precious, path("linked.bin"), there_already);
    check_not_started(path(std::string(name)), "it is there, and no recording");
    CHECK(read_text(precious) == "five gigabytes of weights");
  }
  CHECK(has_older());
}

TEST_CASE_METHOD(Output, "a program that cannot be recorded leaves the older trace", "[output]") {
  CHECK(tidemark({"record", "-o", trace(), "--", "no-such-program-anywhere"}).status == 2);
  CHECK(tidemark({"record", "-o", trace(), "--depth", "0", "--", "true"}).status == 2);

  CHECK(has_older());
}

TEST_CASE_METHOD(Output, "a recorder that is killed leaves the older trace", "[output]") {
  Command command;
  command.words = {EndToEnd::command(),
                   "record",
                   "-q",
                   "-o",
                   trace(),
                   "--",
                   "sh",
                   "-c",
                   "echo started; kill -9 $PPID; while kill -0 $PPID 2>&-; do :; done"};
  RunningProgram running(command, path("killed"));

  running.wait();

  CHECK(has_older());
  CHECK(std::filesystem::exists(trace() + ".incomplete"));
}

TEST_CASE_METHOD(Output, "a recording into the null device runs, and leaves it there", "[output]") {
  if (!make_null("null"))
    return;

  const Outcome said = tidemark({"record", "-o", path("null"), "--", "echo", "ran"});

  CHECK(said.status == 0);
  CHECK(said.out == "ran\n");
  CHECK_THAT(said.err, Catch::Contains("were not kept"));
  CHECK(fs::is_character_file(path("null")));
}

TEST_CASE_METHOD(Output,
                 "a recording into what is no file is refused before it starts",
                 "[output]") {
  REQUIRE(mkfifo(path("fifo").c_str(), 0600) == 0);
  fs::create_symlink(path("fifo"), path("link"));

  check_not_started(path("fifo"), "it is a FIFO");
  check_not_started(path("link"), "it is a FIFO");
  check_not_started("/dev/stdout", "it is an open stream");
  check_not_started("/dev/fd/2", "it is an open stream");

  CHECK(fs::is_fifo(path("fifo")));
  CHECK(fs::is_symlink(path("link")));
}

TEST_CASE_METHOD(Output, "a recording through a link leaves the link", "[output]") {
  fs::create_directory(path("there"));
  fs::create_symlink("there/real.tmk", path("link.tmk"));

  REQUIRE(tidemark({"record", "-q", "-o", path("link.tmk"), "--", "true"}).status == 0);

  CHECK(fs::is_symlink(path("link.tmk")));
  CHECK(count("there") == 1);
  CHECK(tidemark({"report", path("there/real.tmk")}).status == 0);
}

TEST_CASE_METHOD(Output, "the unfinished trace is nobody else's to choose or to read", "[output]") {
  fs::create_symlink(a_file_with("precious", "precious"), trace() + ".incomplete");
  check_not_started(trace(), "symbolic link");
  CHECK(read_text(path("precious")) == "precious");

  fs::remove(trace() + ".incomplete");
  REQUIRE(mkfifo((trace() + ".incomplete").c_str(), 0600) == 0);
  check_not_started(trace(), "a FIFO");

  fs::remove(trace() + ".incomplete");
  const Outcome said =
      tidemark({"record", "-q", "-o", trace(), "--", "stat", "-c", "%a", trace() + ".incomplete"});
  CHECK(said.out == "600\n");
}

TEST_CASE_METHOD(Output, "two recordings of one name do not mix", "[output]") {
  Command first;
  first.words = {EndToEnd::command(), "record", "-q", "-o", trace(), "--", "cat"};
  first.is_interactive = true;
  RunningProgram running(first, path("first"));
  running.write_line("recording");
  REQUIRE(running.read_line() == "recording");

  check_not_started(trace(), "another tidemark is writing");

  CHECK(running.wait().status == 0);
  CHECK(tidemark({"report", trace()}).status == 0);
}

TEST_CASE_METHOD(Output, "what a killed recorder left is replaced by the next one", "[output]") {
  static_cast<void>(a_file_with("the rest of last time", "host.tmk.incomplete"));

  CHECK(tidemark({"record", "-q", "-o", trace(), "--", "true"}).status == 0);

  CHECK_FALSE(fs::exists(trace() + ".incomplete"));
  CHECK_FALSE(has_older());
}

TEST_CASE_METHOD(Output,
                 "a program that fails before it allocates is told from one that needs nothing",
                 "[output]") {
  const Words fails{"record", "-o", trace(), "--", host("ends_at_once")[0]};
  const auto with = [&fails](const std::string& how) {
    Words words = fails;
    words.push_back(how);
    return words;
  };

  CHECK_THAT(tidemark(with("7")).err,
             Catch::Contains("the program ended with exit status 7 before it allocated anything"));
  CHECK_THAT(tidemark(with("SEGV")).err, Catch::Contains("ended the program before it allocated"));
  const Outcome late = tidemark({"record", "-o", trace(), "--", "sh", "-c", "exit 7"});
  CHECK(late.status == 7);
  CHECK_THAT(late.err, Catch::EndsWith("\ntidemark: the program ended with exit status 7: the load "
                                       "may be incomplete\n"));
  const Outcome well = tidemark(with("0"));
  CHECK_THAT(well.err, Catch::Contains("no allocation was seen;"));
  CHECK_THAT(well.err, !Catch::Contains("the program ended"));
}

namespace {

/// A verb that writes a file: its words, the name to write being the last of them.
struct Writer {
  Words words;
  std::string ending;  ///< That the name must have.
  bool appends = false;
};

/// Every output of every verb that reads traces.
std::vector<Writer> writers(const std::string& trace) {
  std::vector<Writer> all;
  for (const char* const format : {"text", "json", "markdown", "html"}) {
    all.push_back({{"report", trace, "--format", format, "-o"}, ""});
    all.push_back({{"diff", trace, trace, "--format", format, "-o"}, ""});
  }
  for (const char* const format :
       {"collapsed", "flamegraph", "speedscope", "pprof", "perfetto", "massif", "csv"})
    all.push_back({{"export", trace, "--to", format, "-o"}, ""});
  all.push_back({{"plot", trace, "-o"}, ".svg"});
  all.push_back({{"plot", trace, "-o"}, ".png"});
  all.push_back({{"baseline", trace, "-o"}, ""});
  all.push_back({{"check", trace, "--max-peak", "1GiB", "--json"}, ""});
  all.push_back({{"check", trace, "--max-peak", "1GiB", "--junit"}, ""});
  return all;
}

}  // namespace

TEST_CASE_METHOD(Output, "no verb replaces what is no file", "[output]") {
  const std::string recorded = record(host("mixed_sizes")).trace;
  fs::create_directory(path("folder"));
  for (Writer& writer : writers(recorded)) {
    CAPTURE(writer.words);
    const std::string name = path("folder/out" + writer.ending);
    writer.words.push_back(name);

    fs::create_symlink(path("behind" + writer.ending), name);
    CHECK(tidemark(writer.words).status == 0);
    CHECK(fs::is_symlink(name));
    CHECK(fs::file_size(path("behind" + writer.ending)) > 0);
    fs::remove(name);

    REQUIRE(mkfifo(name.c_str(), 0600) == 0);
    auto read = std::async(std::launch::async, [&name] { return read_text(name); });
    CHECK(tidemark(writer.words).status == 0);
    CHECK(read.get() == read_text(path("behind" + writer.ending)));
    CHECK(fs::is_fifo(name));
    fs::remove(name);
    fs::remove(path("behind" + writer.ending));

    fs::create_directory(name);
    const Outcome refused = tidemark(writer.words);
    CHECK(refused.status == 2);
    CHECK_THAT(refused.err, Catch::Contains("it is a folder"));
    CHECK(fs::is_directory(name));
    CHECK(count("folder") == 1);
    fs::remove(name);
  }
}

TEST_CASE_METHOD(Output, "every verb writes into the null device and leaves it there", "[output]") {
  const std::string recorded = record(host("mixed_sizes")).trace;
  for (Writer& writer : writers(recorded)) {
    CAPTURE(writer.words);
    const std::string name = "null" + writer.ending;
    if (!fs::exists(path(name)) && !make_null(name))
      return;
    writer.words.push_back(path(name));
    CHECK(tidemark(writer.words).status == 0);
    CHECK(fs::is_character_file(path(name)));
  }
}

TEST_CASE_METHOD(Output,
                 "a comparison replaces nothing but files, and runs nothing otherwise",
                 "[output]") {
  const Words words{"compare",       "--before",     "touch " + path("started"),
                    "--after",       "true",         "-o",
                    path("results"), "--save-output"};
  for (const std::string name : {"before.tmk", "after.tmk", "after.out"}) {
    CAPTURE(name);
    fs::create_directory(path("results"));
    REQUIRE(mkfifo(path("results/" + name).c_str(), 0600) == 0);
    const Outcome said = tidemark(words);
    CHECK(said.status == 2);
    CHECK_THAT(said.err, Catch::Contains(name + ": it is a FIFO"));
    CHECK_FALSE(fs::exists(path("started")));
    CHECK(count("results") == 1);
    fs::remove_all(path("results"));
  }
  fs::create_directory(path("results"));
  fs::create_symlink(path("behind.tmk"), path("results/before.tmk"));
  fs::create_symlink(path("behind.out"), path("results/before.out"));
  CHECK(tidemark(words).status == 0);
  CHECK(fs::is_symlink(path("results/before.tmk")));
  CHECK(fs::is_symlink(path("results/before.out")));
  CHECK(tidemark({"report", path("behind.tmk")}).status == 0);
  CHECK(fs::exists(path("behind.out")));
}

namespace {

class OddWrites : public Output {
 public:
  /// `tidemark WORDS` where files are written in the way that hosts/odd_writes.cpp knows by `how`.
  Outcome with_writes(const std::string& how, Words words) {
    words.insert(words.begin(), EndToEnd::command());
    const std::string object = library("libe2e_odd_writes.so");
    REQUIRE(fs::exists(object));
    return run_alone({words, {"LD_PRELOAD=" + object, "ODD_WRITES=" + how}, {}, false, {}, {}});
  }
};

}  // namespace

TEST_CASE_METHOD(OddWrites, "short and interrupted writes write all", "[output]") {
  const std::string recorded = record(host("mixed_sizes")).trace;
  const Outcome usual = tidemark({"export", recorded, "--to", "csv"});

  const Words again{"record", "-q", "-o", trace(), "--", "true"};
  CHECK(with_writes("short", again).status == 0);
  CHECK(with_writes("short", {"export", recorded, "--to", "csv", "-o", path("out")}).status == 0);

  CHECK_FALSE(report(trace()).at("loss").at("hides_memory").get<bool>());
  CHECK(read_text(path("out")) == usual.out);
}

TEST_CASE_METHOD(OddWrites,
                 "what does not fit when a file is closed does not get its name",
                 "[output]") {
  const std::string recorded = record(host("mixed_sizes")).trace;
  static_cast<void>(a_file_with("older", "out"));

  const Outcome written = with_writes("close", {"baseline", recorded, "-o", path("out")});
  CHECK(written.status == 2);
  CHECK_THAT(written.err, Catch::Contains("No space left on device"));
  CHECK(read_text(path("out")) == "older");
  for (const auto& entry : fs::directory_iterator(path("")))
    CHECK_FALSE(entry.path().filename().string().starts_with(".tidemark-"));

  const Outcome traced = with_writes("close", {"record", "-q", "-o", trace(), "--", "true"});
  CHECK(traced.status == 0);
  CHECK_THAT(traced.err, Catch::Contains(trace() + ".incomplete"));
  CHECK_THAT(traced.err, Catch::Contains("No space left on device"));
  CHECK(has_older());
  CHECK(fs::exists(trace() + ".incomplete"));
}
