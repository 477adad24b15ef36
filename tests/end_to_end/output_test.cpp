// The trace that `record -o` writes, and the one that had its name before.
#include "tests/end_to_end/fixture.hpp"

#include <catch2/catch.hpp>

#include <filesystem>
#include <fstream>
#include <string>

using namespace tidemark::tests;

namespace {

class Output : public EndToEnd {
 public:
  Output() { std::ofstream(trace()) << kOlder; }
  [[nodiscard]] bool has_older() const { return read_text(trace()) == kOlder; }

 private:
  static constexpr const char* kOlder = "the trace of last time";
};

}  // namespace

TEST_CASE_METHOD(Output, "an older trace is replaced when the new one is complete", "[output]") {
  const Outcome said = tidemark({"record", "-q", "-o", trace(), "--", "cat", trace()});

  CHECK(said.status == 0);
  CHECK(said.out == "the trace of last time");  // It was there while the program ran.
  CHECK_FALSE(has_older());
  CHECK(tidemark({"report", trace()}).status == 0);
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
