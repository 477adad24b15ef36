#include "collector/family/members/why_unrecorded.hpp"

#include "collector/os/elf_facts.hpp"
#include "collector/process/proc_file.hpp"
#include "collector/process/process_facts.hpp"
#include "collector/process/process_names.hpp"
#include "preload/wire/session.hpp"

#include <array>
#include <cerrno>
#include <cstring>
#include <string_view>

#include <elf.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

namespace tidemark {
namespace {

using trace::WhyUnrecorded;

bool is_same_file(const std::string& one, const std::string& other) {
  struct stat first {};
  struct stat second {};
  return ::stat(one.c_str(), &first) == 0 && ::stat(other.c_str(), &second) == 0 &&
         first.st_dev == second.st_dev && first.st_ino == second.st_ino;
}

/// True only where both are known: what may not be looked at proves nothing.
bool has_other(pid_t pid, const char* what) {
  struct stat file {};
  return ::stat(proc_path(pid, what).c_str(), &file) == 0 &&
         !is_same_file(proc_path(pid, what), proc_path(::getpid(), what));
}

/// The loader of a dynamic program. @return empty for a file without one.
std::string loader_of(const FileDescriptor& file, const Elf64_Ehdr& header) {
  for (unsigned i = 0; i < header.e_phnum && i < 64; ++i) {
    Elf64_Phdr segment{};
    const auto at = static_cast<off_t>(header.e_phoff + i * sizeof segment);
    if (::pread(file.number(), &segment, sizeof segment, at) != sizeof segment) {
      break;
    }
    std::array<char, 256> path{};
    if (segment.p_type == PT_INTERP) {
      const std::size_t bytes = std::min<std::size_t>(segment.p_filesz, path.size() - 1);
      const ssize_t got =
          ::pread(file.number(), path.data(), bytes, static_cast<off_t>(segment.p_offset));
      return got > 0 ? std::string(path.data()) : std::string("?");
    }
  }
  return {};
}

/// The program is the loader itself, which was given the real program as an argument.
bool is_loader(const std::string& executable) {
  const std::size_t name = executable.rfind('/') + 1;
  return std::string_view(executable).substr(name).starts_with("ld-");
}

/// @param path the loader's, as the process sees it.
bool is_foreign_loader(pid_t pid, const std::string& path) {
  const FileDescriptor file = open_regular_file(proc_path(pid, "root") + path);
  const auto facts = file.is_open() ? read_elf_facts(file.number()) : std::nullopt;
  const bool is_of_glibc = facts && facts->soname.starts_with("ld-linux");
  return !is_of_glibc && (path.find("musl") != std::string::npos ||
                          (facts && !facts->is_damaged && !facts->soname.empty()));
}

WhyUnrecorded obstacle_in_file(pid_t pid, const std::string& executable) {
  const FileDescriptor file = open_proc(pid, "exe");
  Elf64_Ehdr header{};
  if (!file.is_open() ||
      ::pread(file.number(), &header, sizeof header, 0) < static_cast<ssize_t>(EI_NIDENT) ||
      std::memcmp(header.e_ident, ELFMAG, SELFMAG) != 0) {
    return WhyUnrecorded::kUnknown;
  }
  if (header.e_ident[EI_CLASS] != ELFCLASS64 || header.e_machine != EM_X86_64) {
    return WhyUnrecorded::kArchitecture;
  }
  const std::string loader = loader_of(file, header);
  if (loader.empty() && !is_loader(executable)) {
    return WhyUnrecorded::kStatic;
  }
  return !loader.empty() && is_foreign_loader(pid, loader) ? WhyUnrecorded::kCLibrary
                                                           : WhyUnrecorded::kUnknown;
}

/// The kernel has put the loader into secure mode.
bool is_secure(pid_t pid, const ProcessStatus& status) {
  const FileDescriptor file = open_proc(pid, "auxv");
  Elf64_auxv_t entry{};
  if (file.is_open()) {
    while (::read(file.number(), &entry, sizeof entry) == sizeof entry && entry.a_type != AT_NULL) {
      if (entry.a_type == AT_SECURE) {
        return entry.a_un.a_val != 0;
      }
    }
    return false;
  }
  // A process that we may not look into has more rights than we have, and got them by its exec.
  return ::geteuid() != 0 &&
         (status.effective_user != ::geteuid() || status.effective_group != ::getegid() ||
          (status.capabilities & ~read_process_status(::getpid())->capabilities) != 0);
}

bool has_variable(std::string_view environment, std::string_view name) {
  for (std::size_t at = 0; at < environment.size();) {
    const std::string_view variable = environment.substr(at);
    if (variable.starts_with(name) && variable.substr(name.size()).starts_with('=')) {
      return true;
    }
    at += std::min(variable.find('\0'), variable.size() - 1) + 1;
  }
  return false;
}

/// What a process was started with; true where it is not known.
struct Entry {
  bool has_object = true;
  bool has_session = true;
};

Entry entry_of(pid_t pid) {
  const FileDescriptor file = open_proc(pid, "environ");
  if (!file.is_open()) {
    return {};
  }
  constexpr std::size_t kMaxEnvironment = 4 << 20;
  const std::string environment = read_up_to(file, kMaxEnvironment);
  return {has_variable(environment, wire::kPreloadVariable),
          has_variable(environment, wire::kSessionVariable)};
}

/// A file of ours as the process sees it: with its root directory and what is mounted for it.
bool sees(pid_t pid, const std::string& path) {
  const std::string its = proc_path(pid, "root") + path;
  struct stat file {};
  if (::stat(its.c_str(), &file) != 0) {
    return errno != ENOENT && errno != ENOTDIR;  // what may not be looked at proves nothing
  }
  return is_same_file(its, path);
}

WhyUnrecorded other_files(pid_t pid) {
  return has_other(pid, "root") ? WhyUnrecorded::kRootDirectory : WhyUnrecorded::kMountNamespace;
}

WhyUnrecorded obstacle_to_object(pid_t pid, const SessionEntrance& entrance) {
  return sees(pid, entrance.object) ? WhyUnrecorded::kUnknown : other_files(pid);
}

WhyUnrecorded obstacle_on_the_way(pid_t pid, const SessionEntrance& entrance) {
  if (sees(pid, entrance.memory)) {
    return WhyUnrecorded::kUnknown;
  }
  if (has_other(pid, "ns/pid")) {
    return WhyUnrecorded::kPidNamespace;
  }
  return other_files(pid);
}

/// The kernel asks for this where a process opens another one's descriptors (ptrace(2)).
WhyUnrecorded obstacle_in_rights(pid_t pid, const ProcessStatus& status) {
  if (has_other(pid, "ns/user")) {
    return WhyUnrecorded::kUserNamespace;
  }
  const auto own = read_process_status(::getpid());
  const bool is_lesser = own && (status.effective_user != own->effective_user ||
                                 status.effective_group != own->effective_group ||
                                 (own->capabilities & ~status.capabilities) != 0);
  return is_lesser ? WhyUnrecorded::kPrivileges : WhyUnrecorded::kUnknown;
}

WhyUnrecorded obstacle_in_space(pid_t pid, const SessionEntrance& entrance) {
  rlimit limit{};
  return ::prlimit(pid, RLIMIT_AS, nullptr, &limit) == 0 && limit.rlim_cur != RLIM_INFINITY &&
                 limit.rlim_cur < entrance.memory_bytes
             ? WhyUnrecorded::kAddressSpace
             : WhyUnrecorded::kUnknown;
}

/// A hook that starts a program leaves our object out of its environment where that would end it,
/// or where its user may not read it.
WhyUnrecorded obstacle_in_environment(pid_t pid, const ProcessStatus& status) {
  const Entry entry = entry_of(pid);
  if (entry.has_object && entry.has_session) {
    return WhyUnrecorded::kUnknown;
  }
  WhyUnrecorded why = WhyUnrecorded::kUnknown;
  if (entry.has_session) {
    why = look_at_executable(proc_path(pid, "exe"));
    if (why == WhyUnrecorded::kUnknown) {
      why = obstacle_in_rights(pid, status);
    }
  }
  return why == WhyUnrecorded::kUnknown ? WhyUnrecorded::kEnvironment : why;
}

WhyUnrecorded find_obstacle(pid_t pid,
                            const ProcessStatus& status,
                            const std::string& executable,
                            const SessionEntrance& entrance) {
  WhyUnrecorded why = obstacle_in_file(pid, executable);
  if (why == WhyUnrecorded::kUnknown && is_secure(pid, status)) {
    why = WhyUnrecorded::kSetId;
  }
  if (why == WhyUnrecorded::kUnknown) {
    why = obstacle_to_object(pid, entrance);
  }
  if (why == WhyUnrecorded::kUnknown) {
    why = obstacle_in_environment(pid, status);
  }
  if (why == WhyUnrecorded::kUnknown) {
    why = obstacle_on_the_way(pid, entrance);
  }
  if (why == WhyUnrecorded::kUnknown) {
    why = obstacle_in_rights(pid, status);
  }
  return why == WhyUnrecorded::kUnknown ? obstacle_in_space(pid, entrance) : why;
}

}  // namespace

std::optional<ImageFacts> look_at_image(pid_t pid, const SessionEntrance& entrance) {
  ImageFacts facts;
  // The kernel puts arguments and environment there at the end of an exec.
  facts.command = read_command(pid);
  const auto status = read_process_status(pid);
  if (facts.command.empty() || !status) {
    return std::nullopt;
  }
  facts.executable = read_executable(pid);
  facts.why = find_obstacle(pid, *status, facts.executable, entrance);
  return facts;
}

bool keeps_out(trace::WhyUnrecorded why) {
  switch (why) {
    case WhyUnrecorded::kStatic:
    case WhyUnrecorded::kCLibrary:
    case WhyUnrecorded::kArchitecture:
    case WhyUnrecorded::kSanitizer:
    case WhyUnrecorded::kSetId:
    case WhyUnrecorded::kAddressSpace:
      return true;
    // One that is not through its exec has arguments already, and no environment yet.
    case WhyUnrecorded::kEnvironment:
    case WhyUnrecorded::kUnknown:
    case WhyUnrecorded::kRootDirectory:
    case WhyUnrecorded::kMountNamespace:
    case WhyUnrecorded::kPidNamespace:
    case WhyUnrecorded::kUserNamespace:
    case WhyUnrecorded::kPrivileges:
    case WhyUnrecorded::kTooMany:
    case WhyUnrecorded::kEndedEarly:
    case WhyUnrecorded::kBareFork:
    case WhyUnrecorded::kSeccomp:
      return false;
  }
  return false;
}

trace::WhyUnrecorded look_at_executable(const std::string& path) {
  const FileDescriptor file = open_regular_file(path);
  const auto facts = file.is_open() ? read_elf_facts(file.number()) : std::nullopt;
  return facts && !facts->sanitizer.empty() ? WhyUnrecorded::kSanitizer : WhyUnrecorded::kUnknown;
}

}  // namespace tidemark
