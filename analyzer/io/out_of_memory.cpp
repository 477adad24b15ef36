#include "analyzer/io/out_of_memory.hpp"

#include "analyzer/io/stopped.hpp"

#include <atomic>
#include <cstdio>
#include <exception>
#include <new>

#include <unistd.h>

namespace tidemark::analyzer {
namespace {

constexpr int kFailed = 2;

const char* g_program = "tidemark";

/// Standard error has no buffer that would have to be allocated.
void say(const char* sentence) {
  std::fprintf(stderr, "%s: %s\n", g_program, sentence);
}

void say_stopped(const std::exception& error) {
  try {
    say(stopped_sentence(error).c_str());
  } catch (const std::bad_alloc&) {
    say("out of memory");
  }
}

/// Where several threads end the process, one of them says so.
void be_the_only_one() {
  static std::atomic_flag is_ending = ATOMIC_FLAG_INIT;
  while (is_ending.test_and_set()) {
    pause();
  }
}

[[noreturn]] void end_out_of_memory() {
  be_the_only_one();
  say("out of memory");
  _exit(kFailed);
}

[[noreturn]] void end_by_exception() {
  be_the_only_one();
  if (std::current_exception()) {
    _exit(fail_by_exception());
  }
  say("stopped by a mistake in tidemark itself: std::terminate was called; please report it");
  _exit(kFailed);
}

}  // namespace

void end_with_a_sentence(const char* program) {
  g_program = program;
  std::set_terminate(end_by_exception);
}

void end_when_out_of_memory() {
  std::set_new_handler(end_out_of_memory);
}

int fail_by_exception() {
  try {
    throw;
  } catch (const std::bad_alloc&) {
    say("out of memory");
  } catch (const std::exception& error) {
    say_stopped(error);
  } catch (...) {
    say("stopped by an unknown error");
  }
  return kFailed;
}

}  // namespace tidemark::analyzer
