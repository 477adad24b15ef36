#include "analyzer/text/exit_status.hpp"

#include "tests/support/catch.hpp"

using namespace tidemark::analyzer;

TEST_CASE("an exit status of 128 + N is the signal N", "[exit_status]") {
  CHECK(ending_signal(137) == "SIGKILL");
  CHECK(ending_signal(139) == "SIGSEGV");
  CHECK(ending_signal(134) == "SIGABRT");
  CHECK(ending_signal_described(137) == "SIGKILL (Killed)");
  CHECK(exit_status_text(134) == "134 (SIGABRT)");
}

TEST_CASE("any other exit status is the program's own", "[exit_status]") {
  const int own = GENERATE(0, 1, 9, 127, 128, 160, 255, -1, 100'000);
  CAPTURE(own);

  CHECK(ending_signal(own).empty());
  CHECK(ending_signal_described(own).empty());
  CHECK(exit_status_text(own) == std::to_string(own));
}
