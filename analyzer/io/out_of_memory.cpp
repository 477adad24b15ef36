#include "analyzer/io/out_of_memory.hpp"

#include "analyzer/io/stopped.hpp"
#include "collector/trace/output/write_all.hpp"

#include <algorithm>
#include <array>
#include <atomic>
#include <cstddef>
#include <cstdio>
#include <cstring>
#include <exception>
#include <new>

#include <unistd.h>

namespace tidemark::analyzer {
namespace {

constexpr int kFailed = 2;

const char* g_program = "tidemark";
std::array<char, 1000> g_out_of_memory{"out of memory"};

/// Does not use stdio: a thread that has ended may hold its lock for ever, and it drops what a
/// signal interrupts.
void write_text(const char* text) {
  trace::write_all(STDERR_FILENO, text, std::strlen(text));
}

/// Allocates nothing, and what fits is one write: lines of other processes stay whole.
void say(const char* sentence) {
  std::array<char, 1024> line{};
  const int length = std::snprintf(line.data(), line.size(), "%s: %s\n", g_program, sentence);
  if (length > 0 && static_cast<std::size_t>(length) < line.size()) {
    write_text(line.data());
    return;
  }
  for (const char* part : {g_program, ": ", sentence, "\n"}) {
    write_text(part);
  }
}

void say_stopped(const std::exception& error) {
  try {
    say(stopped_sentence(error).c_str());
  } catch (const std::bad_alloc&) {
    say(g_out_of_memory.data());
  }
}

/// If several threads end the process, only one of them says so.
void be_the_only_one() {
  static std::atomic_flag is_ending = ATOMIC_FLAG_INIT;
  while (is_ending.test_and_set()) {
    pause();
  }
}

[[noreturn]] void end_out_of_memory() {
  be_the_only_one();
  say(g_out_of_memory.data());
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

void say_when_out_of_memory(std::string_view sentence) {
  const std::size_t size = std::min(sentence.size(), g_out_of_memory.size() - 1);
  *std::copy_n(sentence.begin(), size, g_out_of_memory.begin()) = '\0';
}

void say_without_memory(const char* sentence) {
  say(sentence);
}

int fail_by_exception() {
  try {
    throw;
  } catch (const std::bad_alloc&) {
    say(g_out_of_memory.data());
  } catch (const std::exception& error) {
    say_stopped(error);
  } catch (...) {
    say("stopped by an unknown error");
  }
  return kFailed;
}

}  // namespace tidemark::analyzer
