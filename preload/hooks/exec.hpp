/// Following a program into the programs that it starts.
#pragma once

#include "preload/os/program_file.hpp"
#include "preload/session/own_objects.hpp"

#include <cstddef>
#include <cstdint>

namespace tidemark::preload {

/// Remembers how this process came to be recorded, for its children. Called once, at start.
void remember_session_variables();

/// An environment that makes a new program join the session: `variables` itself if it already does,
/// else a copy with TIDEMARK_SESSION added and our objects put at the front of LD_PRELOAD. For a
/// program that our objects would end, or that could not load them and would say so, a copy in
/// whose LD_PRELOAD they are not.
///
/// The copy lives in the caller's memory, on its stack, because a vfork child may not allocate.
/// Environment environment({.path = path}, envp); execve(path, argv,
/// environment.build(alloca(environment.bytes())));
class Environment {
 public:
  Environment(const ProgramName& program, char* const* variables);
  /// Bytes that `build` needs; 0 when `variables` is used as it is.
  [[nodiscard]] std::size_t bytes() const { return bytes_; }
  char* const* build(void* memory) const;

 private:
  enum class Way : std::uint8_t { kAsItIs, kJoins, kWithoutUs };

  Way way_ = Way::kAsItIs;
  char* const* variables_;
  ObjectNames objects_;
  const char* preload_ = nullptr;  ///< The program's own LD_PRELOAD value, if it has one.
  std::size_t count_ = 0;
  std::size_t bytes_ = 0;
  int descriptor_ = -1;  ///< The session file's, for the new program to inherit.
  std::uint32_t abilities_ = 0;
};

/// Call before this process loses access to the session's file through /proc, or to our objects by
/// their paths (change of root, user or namespace): keeps descriptors of them for the programs that
/// it starts later.
void keep_way_in();
/// A program was started: the kept descriptors are close-on-exec again. Except those by which this
/// process itself came in: what it starts past our hooks (popen, system) inherits them, too, and
/// finds their numbers in its environment.
void hold_way_in();
/// The lowest kept descriptor from `first` to `last`; negative if there is none. The program does
/// not know of them: what closes all that it has not opened leaves these open.
int kept_descriptor_in(unsigned first, unsigned last);

/// Around an exec, of this process or of a vfork child that borrows its memory.
void record_exec();
void record_exec_failed();
/// After posix_spawn made `child`.
void record_spawn(int child);

}  // namespace tidemark::preload
