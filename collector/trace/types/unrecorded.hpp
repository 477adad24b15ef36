/// Programs of a session that are not in its trace, and why.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace tidemark::trace {

/// What kept a program from being recorded, as seen from outside. In the order in which a starting
/// program meets these obstacles.
enum class WhyUnrecorded : std::uint8_t {
  kUnknown,         ///< No visible reason; also reasons of a newer tidemark.
  kArchitecture,    ///< Not 64-bit x86-64.
  kStatic,          ///< Statically linked: no loader that could preload.
  kCLibrary,        ///< Linked with another C library than glibc.
  kSetId,           ///< Set-user-id, set-group-id, or with file capabilities.
  kEnvironment,     ///< Started with an environment that does not lead into the session.
  kSanitizer,       ///< Built with a sanitizer that must be loaded first.
  kRootDirectory,   ///< Its root directory is another one: chroot, container.
  kMountNamespace,  ///< Other files are mounted for it: tidemark's object is not among them.
  kPidNamespace,    ///< Its /proc shows another pid namespace, without the recorder.
  kUserNamespace,   ///< Its user namespace has no right to the recorder's memory.
  kPrivileges,      ///< Another user or fewer capabilities than the recorder.
  kAddressSpace,    ///< No address space for the session (ulimit -v).
  kTooMany,         ///< More processes at one time than a session has room for.
  kEndedEarly,      ///< Gone before it could be looked at.
  kBareFork,        ///< Forked without libc, and has made no recorded call since.
  kSeccomp,         ///< A seccomp filter forbids what joining the session takes.
};

/// The word for it in a trace and in JSON: "static".
std::string_view word_of(WhyUnrecorded why);
/// @return kUnknown for a word that is not known.
WhyUnrecorded why_of(std::string_view word);

/// Program images (a fork of one is one more) that could not be recorded.
struct Unrecorded {
  std::uint32_t pid = 0;     ///< As the recorder sees it; 0: not known, or several.
  std::string command = {};  ///< Its arguments, joined by spaces and cut; empty: not known.
  WhyUnrecorded why = WhyUnrecorded::kUnknown;
  std::uint64_t processes = 1;  ///< How many images this entry stands for.
  /// It ran within this time of the session. Both 0: not known.
  std::uint64_t from_ns = 0;
  std::uint64_t until_ns = 0;
  /// Upper bound of its own memory: what was seen, plus what can have been written while nobody
  /// looked. 0: unknown. For several images: of each.
  std::uint64_t most_bytes = 0;

  [[nodiscard]] bool is_bounded() const { return until_ns != 0 && most_bytes != 0; }

  bool operator==(const Unrecorded&) const = default;
};

/// Limit of a session's list; further entries are added up by reason.
constexpr std::size_t kMaxUnrecordedEntries = 1000;
constexpr std::size_t kMaxUnrecordedCommandBytes = 300;

}  // namespace tidemark::trace
