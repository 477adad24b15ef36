/// Following a program into the programs that it starts.
#pragma once

#include <cstddef>
#include <cstdint>

namespace tidemark::preload {

/// Remembers how this process came to be recorded, for its children. Called once, at start.
void remember_session_variables();

/// An environment that leads a new program into the session: `variables` itself when it does
/// already, else a copy with TIDEMARK_SESSION put in, and our object put before whatever LD_PRELOAD
/// names.
///
/// The copy lives in memory of the caller's, on its stack: a vfork child may not allocate.
///   Environment environment(envp);
///   execve(path, argv, environment.build(alloca(environment.bytes())));
class Environment {
 public:
  explicit Environment(char* const* variables);
  /// Bytes that `build` needs; 0 when `variables` will do.
  [[nodiscard]] std::size_t bytes() const { return bytes_; }
  char* const* build(void* memory) const;

 private:
  char* const* variables_;
  const char* preload_ = nullptr;  ///< The program's own LD_PRELOAD value, if it has one.
  std::size_t count_ = 0;
  std::size_t bytes_ = 0;
  int descriptor_ = -1;  ///< Of the session's file, for the new program to inherit.
  std::uint32_t abilities_ = 0;
};

/// Around an exec, of this process or of a vfork child that borrows its memory.
void record_exec();
void record_exec_failed();
/// After posix_spawn made `child`.
void record_spawn(int child);

}  // namespace tidemark::preload
