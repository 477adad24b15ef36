/// What a command does when memory runs out: one sentence, and the exit status of failure.
#pragma once

#include <new>
#include <string_view>

namespace tidemark::analyzer {

/// From here on an exception that nobody catches, on whatever thread, ends the process with a
/// sentence and exit status 2 instead of SIGABRT.
/// @param program stands before the sentence; borrowed for good.
void end_with_a_sentence(const char* program);

/// From here on the process ends at the first operator new that gets nothing, on whatever thread:
/// `out of memory`, or what was chosen, on standard error, exit status 2. Nothing is unwound on the
/// way, as destructors may allocate too (nlohmann::json's do). Needs `end_with_a_sentence` before.
void end_when_out_of_memory();

/// What is said then from here on, instead of `out of memory`: a sentence without the program's
/// name. Copied; cut where it is too long.
void say_when_out_of_memory(std::string_view sentence);

/// While it lives, operator new throws again: for what has something to bring to its end first.
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

/// Prints `PROGRAM: SENTENCE` to standard error, whatever else is in a bad way: it takes no memory
/// and no lock.
void say_without_memory(const char* sentence);

/// Prints why the exception that is being handled ends the process. Allocates nothing for
/// std::bad_alloc. @return 2, the exit status of failure.
int fail_by_exception();

}  // namespace tidemark::analyzer
