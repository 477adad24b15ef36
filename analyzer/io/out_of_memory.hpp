/// What a command does when memory runs out: one sentence, and the exit status of failure.
#pragma once

#include <new>
#include <string_view>

namespace tidemark::analyzer {

/// From now on an uncaught exception, on any thread, ends the process with a sentence and exit
/// status 2 instead of SIGABRT.
/// @param program precedes the sentence; must stay valid until the process ends.
void end_with_a_sentence(const char* program);

/// From now on the process ends at the first failing operator new, on any thread, with `out of
/// memory` or the chosen sentence on standard error and exit status 2. The stack is not unwound, as
/// destructors may allocate, too (nlohmann::json's do). Call `end_with_a_sentence` first.
void end_when_out_of_memory();

/// Sets the sentence, without the program's name, to be printed instead of `out of memory`. Copied,
/// and truncated if too long.
void say_when_out_of_memory(std::string_view sentence);

/// While it lives, operator new throws again: for code that must finish something first.
class ThrowsWhenOutOfMemory {
 public:
  ThrowsWhenOutOfMemory() : before_(std::set_new_handler(nullptr)) {}
  ThrowsWhenOutOfMemory(const ThrowsWhenOutOfMemory&) = delete;
  ThrowsWhenOutOfMemory& operator=(const ThrowsWhenOutOfMemory&) = delete;
  ThrowsWhenOutOfMemory(ThrowsWhenOutOfMemory&&) = delete;
  ThrowsWhenOutOfMemory& operator=(ThrowsWhenOutOfMemory&&) = delete;
  ~ThrowsWhenOutOfMemory() { std::set_new_handler(before_); }

 private:
  std::new_handler before_;
};

/// Prints `PROGRAM: SENTENCE` to standard error without allocating or locking.
void say_without_memory(const char* sentence);

/// Prints why the exception that is being handled ends the process. Allocates nothing for
/// std::bad_alloc. @return 2, the exit status of failure.
int fail_by_exception();

}  // namespace tidemark::analyzer
