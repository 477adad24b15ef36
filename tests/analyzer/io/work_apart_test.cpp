#include "analyzer/io/work_apart.hpp"

#include "tests/support/catch.hpp"

#include <csignal>
#include <cstdio>
#include <new>
#include <stdexcept>

using namespace tidemark;
using analyzer::work_apart;

TEST_CASE("what work apart hands over arrives in order, whatever it holds", "[io]") {
  const std::string large(1U << 20U, 'x');  // More than a pipe holds.
  const auto done = work_apart([&](const analyzer::HandOver& hand_over) {
    hand_over(3, "first");
    hand_over(0, "");
    hand_over(7, large);
    hand_over(1, std::string_view("a\0b", 3));
  });

  CHECK(done.trouble.empty());
  REQUIRE(done.results.size() == 4);
  CHECK(done.results[0].kind == 3);
  CHECK(done.results[0].text == "first");
  CHECK(done.results[1].text.empty());
  CHECK(done.results[2].kind == 7);
  CHECK(done.results[2].text == large);
  CHECK(done.results[3].text == std::string("a\0b", 3));
}

TEST_CASE("work apart that crashes, throws or has no memory says so, and keeps what was there",
          "[io]") {
  const auto cut_off = [](const std::function<void()>& end) {
    return work_apart([&](const analyzer::HandOver& hand_over) {
      hand_over(1, "before");
      std::fputs("not for standard error\n", stderr);
      end();
      hand_over(1, "behind");
    });
  };
  const auto crashed = cut_off([] { std::raise(SIGKILL); });
  const auto thrown = cut_off([] { throw std::runtime_error("x"); });
  const auto starved = cut_off([] { throw std::bad_alloc(); });
  const auto refused = cut_off([] {
    std::set_new_handler([] { std::raise(SIGKILL); });  // The command's own is not the child's.
    throw std::bad_alloc();
  });

  CHECK(crashed.trouble == "it crashed (Killed)");
  CHECK_THAT(thrown.trouble, Catch::Contains("a mistake in tidemark itself"));
  CHECK(starved.trouble == "there is not enough memory");
  CHECK(refused.trouble == "there is not enough memory");
  for (const auto* done : {&crashed, &thrown, &starved, &refused}) {
    REQUIRE(done->results.size() == 1);
    CHECK(done->results[0].text == "before");
  }
}

TEST_CASE("how work apart ended is known where the ends of children are ignored", "[io]") {
  auto* const before = std::signal(SIGCHLD, SIG_IGN);
  const auto completed = work_apart([](const analyzer::HandOver& hand_over) { hand_over(1, "x"); });
  const auto crashed = work_apart([](const analyzer::HandOver&) { std::raise(SIGKILL); });
  std::signal(SIGCHLD, before);

  CHECK(completed.trouble.empty());
  CHECK(crashed.trouble == "it crashed (Killed)");
}
