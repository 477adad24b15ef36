/// Following a program into the programs that it starts.
#pragma once

#include <cstddef>

namespace tidemark::preload {

/// Remembers how this process came to be recorded, for its children. Called once, at start.
void remember_session_variables();

/// An environment that leads a new program into the session: `variables` itself when it does already,
/// else a copy in the caller's memory with LD_PRELOAD and TIDEMARK_SESSION put in.
///
/// For use on the stack only, since a vfork child may not allocate:
///   Environment environment(envp);
///   char* memory[environment.words()];   // or alloca
///   execve(path, argv, environment.build(memory));
class Environment {
 public:
  explicit Environment(char* const* variables);
  /// Pointers that `build` needs room for; 0 when `variables` will do.
  [[nodiscard]] std::size_t words() const { return words_; }
  char* const* build(char** memory) const;

 private:
  char* const* variables_;
  std::size_t words_ = 0;
};

/// Around an exec of this process (not of a vfork child that borrows it).
void record_exec();
void record_exec_failed();

}  // namespace tidemark::preload
