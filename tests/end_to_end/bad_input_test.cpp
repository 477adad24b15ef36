#include "collector/trace/file/file_header.hpp"
#include "tests/end_to_end/fixture.hpp"
#include "tests/support/catch.hpp"

#include <algorithm>
#include <cstring>
#include <filesystem>

#include <sched.h>
#include <sys/mount.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

using namespace tidemark;
using namespace tidemark::tests;

namespace {

class BadInput : public EndToEnd {
 public:
  /// Exit status 2, one sentence, and nothing left behind.
  void check_refused(const Words& program, const std::string& because) {
    CAPTURE(program, because);
    Words words{"record", "-o", trace(), "--"};
    words.insert(words.end(), program.begin(), program.end());
    words.insert(words.begin(), EndToEnd::command());
    // A search path that everybody may look into, or its obstacles are another answer.
    const Outcome said = run_alone({words, {"PATH=/usr/bin:/bin"}, {}, false, {}, {}});
    CHECK(said.status == 2);
    CHECK(said.out.empty());
    check_one_sentence(said.err);
    CHECK(said.err.find(because) != std::string::npos);
    CHECK_FALSE(std::filesystem::exists(trace()));
    CHECK_FALSE(std::filesystem::exists(trace() + ".incomplete"));
  }

  static void check_one_sentence(const std::string& text) {
    CAPTURE(text);
    CHECK(text.starts_with("tidemark: "));
    CHECK(std::count(text.begin(), text.end(), '\n') == 1);
    CHECK(text.back() == '\n');
  }

  /// What did not fit the disk is one number: in record's last lines, in text, in JSON; and the
  /// gate lets nothing pass that it may hide.
  void check_one_number(const std::string& said, const std::string& trace) {
    const nlohmann::json loss = report(trace).at("loss");
    const auto lost = loss.at("events_unwritten").get<std::uint64_t>();
    CAPTURE(said, lost);
    CHECK(lost > 0);
    CHECK_FALSE(loss.at("torn").get<bool>());
    CHECK(loss.at("events_damaged") == 0);
    const auto has_number = [lost](const std::string& text, const std::string& behind) {
      std::string plain = text;
      std::erase(plain, ',');
      return plain.find(' ' + std::to_string(lost) + ' ' + behind) != std::string::npos;
    };
    CHECK(has_number(said, "events not written"));
    CHECK(has_number(tidemark({"report", trace}).out, "events that did not fit the disk"));
    // What came too late for the file is not said to be nothing.
    CHECK(tidemark({"report", trace}).out.find("0 B in the host") == std::string::npos);
    const Outcome checked = tidemark({"check", "--max-peak", "1TiB", trace});
    CHECK(checked.status == 3);
    CHECK(has_number(checked.out, "events that did not fit the disk"));
  }

  /// A copy of a good program with one byte of its header changed.
  [[nodiscard]] std::string with_header_byte(std::size_t at, char value) const {
    std::string program = read_text(host("allocates_then")[0]);
    program[at] = value;
    return executable(program, "other_header");
  }

  [[nodiscard]] std::string executable(const std::string& text, const std::string& name) const {
    const std::string file = a_file_with(text, name);
    chmod(file.c_str(), 0755);
    return file;
  }

  std::string a_trace() { return record(host("mixed_sizes")).trace; }

  /// The outcome of a report of these bytes: it answers or refuses, and never hangs or falls over.
  Outcome report_of(const std::string& bytes) {
    return tidemark({"report", a_file_with(bytes, "given.tmk"), "--format", "json"});
  }

  static bool says_loss(const Outcome& said) {
    return nlohmann::json::parse(said.out)["loss"]["hides_memory"];
  }
};

}  // namespace

TEST_CASE_METHOD(BadInput, "a program that is not there, or is none, is refused in one sentence") {
  check_refused({path("nothing")}, "nothing");
  check_refused({"no_such_program_on_path"}, "not found");
  check_refused({"/usr"}, "directory");
  check_refused({a_file_with("text", "plain")}, "execut");
  check_refused({executable("#!/nowhere/interpreter\n", "script")}, "/nowhere/interpreter");
}

TEST_CASE_METHOD(BadInput, "a program that our object cannot get into is refused in one sentence") {
  check_refused(host("static"), "static");
  check_refused(host("asan"), "AddressSanitizer");
  check_refused({with_header_byte(4, 1)}, "32-bit");        // EI_CLASS = ELFCLASS32
  check_refused({with_header_byte(18, '\xB7')}, "x86-64");  // e_machine = EM_AARCH64
}

TEST_CASE_METHOD(BadInput, "a program that changes user is refused in one sentence") {
  const std::string program = executable(read_text(host("allocates_then")[0]), "changes_user");
  if (geteuid() == 0)
    REQUIRE(chown(program.c_str(), 65534, 65534) == 0);
  REQUIRE(chmod(program.c_str(), 04755) == 0);
  if (geteuid() == 0)
    check_refused({program}, "set-user");
  else
    check_refused({"/usr/bin/passwd"}, "set-user");
}

TEST_CASE_METHOD(BadInput,
                 "an output that cannot be written is refused before the program starts") {
  for (const std::string& output : {std::string("/nowhere/at/all.tmk"), path("")}) {
    CAPTURE(output);
    const Outcome said = tidemark({"record", "-o", output, "--", "/bin/echo", "started"});
    CHECK(said.status == 2);
    CHECK(said.out.empty());
    check_one_sentence(said.err);
  }
}

TEST_CASE_METHOD(BadInput, "a file size limit ends the trace, not the host, and is said") {
  Command command;
  command.words = host("mixed_sizes");
  command.before_exec = [] {
    const rlimit limit{16384, RLIM_INFINITY};
    setrlimit(RLIMIT_FSIZE, &limit);
  };
  const auto recorder = start_recording(command);
  const Outcome said = recorder->wait();
  CHECK(said.status == 0);
  CHECK(said.err.find(trace()) != std::string::npos);
  CHECK_FALSE(std::filesystem::exists(trace()));
  check_one_number(said.err, trace() + ".incomplete");
}

TEST_CASE_METHOD(BadInput, "a file size limit that nobody may raise is refused in one sentence") {
  Command command;
  command.words = {EndToEnd::command(), "record", "-o", trace(), "--", "/bin/true"};
  command.before_exec = [] {
    const rlimit limit{16384, 16384};
    setrlimit(RLIMIT_FSIZE, &limit);
  };
  const Outcome said = run_alone(command);
  CHECK(said.status == 2);
  check_one_sentence(said.err);
  CHECK_FALSE(std::filesystem::exists(trace() + ".incomplete"));
}

TEST_CASE_METHOD(BadInput, "a full disk ends the trace, not the host, and is said") {
  const std::string disk = path("disk");
  std::filesystem::create_directory(disk);
  if (mount("tmpfs", disk.c_str(), "tmpfs", 0, "size=64k") != 0) {
    SKIP_TEST("only root can mount a small disk");
    CHECK(std::filesystem::is_empty(disk));
    return;
  }
  const std::string output = disk + "/full.tmk";
  const Words words = host("throws");
  const Outcome said = tidemark({"record", "-o", output, "--", words[0]});
  check_one_number(said.err, output + ".incomplete");
  const bool is_renamed = std::filesystem::exists(output);
  umount2(disk.c_str(), MNT_DETACH);
  CHECK(said.status == 0);
  CHECK(said.out == "100000\n");
  CHECK(said.err.find("No space left") != std::string::npos);
  CHECK_FALSE(is_renamed);
}

TEST_CASE_METHOD(BadInput, "a disk without any room is refused before the program starts") {
  Command command;
  command.words = {EndToEnd::command(), "record", "-o", trace(), "--", "/bin/echo", "started"};
  command.before_exec = [] {
    const rlimit limit{100, RLIM_INFINITY};
    setrlimit(RLIMIT_FSIZE, &limit);
  };
  const Outcome said = run_alone(command);
  CHECK(said.status == 2);
  CHECK(said.out.empty());
  CHECK_FALSE(std::filesystem::exists(trace() + ".incomplete"));
}

TEST_CASE_METHOD(BadInput, "without a /proc of its own a recording is refused, and reports go on") {
  if (geteuid() != 0) {
    SKIP_TEST("only root can take /proc away");
    CHECK(geteuid() != 0);
    return;
  }
  const std::string recorded = a_trace();
  const auto without_proc = [this](Words words) {
    Command command;
    words.insert(words.begin(), EndToEnd::command());
    command.words = std::move(words);
    command.before_exec = [] {
      unshare(CLONE_NEWNS);
      mount("none", "/", nullptr, MS_REC | MS_PRIVATE, nullptr);
      umount2("/proc", MNT_DETACH);
    };
    return run_alone(command);
  };

  const Outcome said = without_proc({"record", "-o", trace(), "--", "/bin/echo", "started"});
  CHECK(said.status == 2);
  CHECK(said.out.empty());
  check_one_sentence(said.err);
  CHECK(said.err.find("no /proc here") != std::string::npos);
  CHECK_FALSE(std::filesystem::exists(trace() + ".incomplete"));
  CHECK(without_proc({"report", recorded, "-o", path("report")}).status == 0);
}

TEST_CASE_METHOD(BadInput, "what is no trace is refused by report in one sentence") {
  for (const std::string& file :
       {a_file_with("", "empty.tmk"),
        a_file_with("no trace at all, but long enough for a header", "text.tmk"),
        path("missing.tmk"), path("")}) {
    CAPTURE(file);
    const Outcome said = tidemark({"report", file});
    CHECK(said.status == 2);
    CHECK(said.out.empty());
    check_one_sentence(said.err);
  }
}

TEST_CASE_METHOD(BadInput, "a trace of a newer format is refused in one sentence") {
  std::string bytes = read_text(a_trace());
  const auto newer = trace::file_header_bytes({.major = 99, .minor = 0, .time_unit_ns = 1});
  std::memcpy(bytes.data(), newer.data(), newer.size());
  const Outcome said = report_of(bytes);
  CHECK(said.status == 2);
  check_one_sentence(said.err);
  CHECK(said.err.find("newer") != std::string::npos);
}

TEST_CASE_METHOD(BadInput, "a trace that is cut off gives what is intact, with the loss") {
  const std::string whole = read_text(a_trace());
  for (const std::size_t eighth : {1U, 2U, 4U, 6U, 7U}) {
    const std::size_t kept = whole.size() * eighth / 8;
    CAPTURE(kept, whole.size());
    const Outcome said = report_of(whole.substr(0, kept));
    REQUIRE(said.status == 0);
    CHECK(says_loss(said));
  }
  // Without its last byte only the way to the index is gone.
  const Outcome nearly = report_of(whole.substr(0, whole.size() - 1));
  CHECK((says_loss(nearly) || nearly.out == report_of(whole).out));
  const Outcome headless = report_of(whole.substr(0, 20));
  CHECK(headless.status == 2);
  check_one_sentence(headless.err);
}

TEST_CASE_METHOD(BadInput, "a trace with a flipped bit is reported with its loss, or as it was") {
  const std::string whole = read_text(a_trace());
  const Outcome good = report_of(whole);
  REQUIRE(good.status == 0);
  std::size_t said_loss = 0;
  for (std::size_t i = 0; i < 40; ++i) {
    const std::size_t at = whole.size() * i / 40;
    CAPTURE(at);
    std::string bytes = whole;
    bytes[at] = static_cast<char>(bytes[at] ^ (1 << i % 8));
    const Outcome said = report_of(bytes);
    if (said.status == 0) {
      CHECK((says_loss(said) || said.out == good.out ||
             said.out.find("\"blocks_damaged\": 0") == std::string::npos));
      said_loss += says_loss(said) ? 1U : 0U;
    } else {
      CHECK(said.status == 2);
      check_one_sentence(said.err);
    }
  }
  CHECK(said_loss > 0);
}
