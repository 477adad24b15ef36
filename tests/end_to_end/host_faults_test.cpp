// Each system call of the preloaded object fails once, with each error that it may meet: the
// program's output and its end are what they are without tidemark.
#include "tests/end_to_end/fixture.hpp"
#include "tests/support/catch.hpp"

#include <cerrno>
#include <string>

using namespace tidemark;
using namespace tidemark::tests;

TEST_CASE_METHOD(EndToEnd, "no system call of the object's that fails is noticed by the program") {
  const int error = GENERATE(EPERM, ENOMEM, EINTR, ENOSYS);
  const Outcome alone = run_alone(host("does_everything"));
  REQUIRE(alone.status == 11);
  int complete = 0;
  int incomplete = 0;
  // The first process makes about 90; those that it forks go on counting.
  for (int n = 1; n <= 160; ++n) {
    CAPTURE(n, error);
    Command command;
    command.words = {TIDEMARK_FAULTY_COMMAND, "record", "-q", "--no-copies", "-o", trace(), "--"};
    for (const std::string& word : host("does_everything"))
      command.words.push_back(word);
    command.environment = {"TIDEMARK_FAULT=" + std::to_string(n) + ":" + std::to_string(error)};
    const Outcome recorded = run_alone(command);
    REQUIRE(recorded.out == alone.out);
    REQUIRE(recorded.status == alone.status);
    const Events events(trace());
    const trace::Loss& loss = events.loss();
    const bool is_whole = events.allocations(3121) == 7 * 3000;
    // What is missing is said.
    const bool is_told = loss.threads_unrecorded != 0 || loss.processes_unrecorded != 0 ||
                         recorded.err.find("nothing was recorded") != std::string::npos;
    REQUIRE((is_whole || is_told));
    ++(is_whole ? complete : incomplete);
  }
  CHECK(complete > 80);
  CHECK(incomplete > 0);
}
