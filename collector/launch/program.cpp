#include "collector/launch/program.hpp"

#include "collector/launch/elf_program.hpp"
#include "collector/launch/program_search.hpp"
#include "collector/launch/shebang.hpp"
#include "collector/os/file_descriptor.hpp"

#include <array>
#include <optional>
#include <utility>

#include <unistd.h>

namespace tidemark {
namespace {

constexpr const char* kShell = "/bin/sh";
constexpr int kScriptLimit = 5;  // The kernel's: a sixth script in a row is ELOOP.

std::string quoted(const std::string& text) {
  return "'" + text + "'";
}

std::string read_head(int file) {
  std::array<char, kShebangBytes> head{};
  const ssize_t got = ::pread(file, head.data(), head.size(), 0);
  return {head.data(), got > 0 ? static_cast<std::size_t>(got) : 0};
}

/// Follows one name down to the ELF file that runs in the end.
class Inspection {
 public:
  Inspection(const std::string& name, const char* path_env) : name_(name), path_env_(path_env) {}

  Result<Program> run();

 private:
  // Each says whether the way down may go on; if not, obstacle_ is set.
  bool try_path(const std::string& path);
  bool follow(const std::string& path, int scripts);
  bool follow_script(const std::string& path, const Shebang& shebang, int scripts);
  bool follow_env(const std::string& target, int scripts);
  bool finish_at(const std::string& path, const ElfFacts& facts, int file);
  bool refuse(const std::string& path, const std::string& predicate, bool is_absence = false);

  const std::string& name_;
  const char* path_env_;
  Program program_;
  Obstacle obstacle_;
};

Result<Program> Inspection::run() {
  Obstacle first;
  for (const std::string& path : execvp_candidates(name_, path_env_)) {
    if (try_path(path)) {
      return program_;
    }
    if (!obstacle_.is_absence) {
      return Error{ErrorCode::kUsage, obstacle_.sentence};
    }
    if (first.sentence.empty()) {
      first = obstacle_;
    }
  }
  if (first.sentence.empty()) {
    first.sentence = name_.empty() ? "the name of the program is empty: give a program after --"
                                   : quoted(name_) +
                                         " was not found on PATH: check the name, or give "
                                         "the path of the program";
  }
  return Error{ErrorCode::kUsage, first.sentence};
}

bool Inspection::try_path(const std::string& path) {
  program_ = Program{path, {}, false, false, {}};
  obstacle_ = {};
  const Startable found = look_at(path);
  if (found.obstacle.empty()) {
    return follow(path, 0);
  }
  if (!found.exists && path != name_) {
    obstacle_.is_absence = true;  // Not here: nothing to tell about this folder of PATH.
    return false;
  }
  // execvp passes over what it may not execute, and remembers it in case there is nothing else.
  return refuse(path, found.obstacle, true);
}

bool Inspection::refuse(const std::string& path, const std::string& predicate, bool is_absence) {
  const bool is_typed = path == program_.path;
  obstacle_ = {
      quoted(name_) + (is_typed ? " " : " runs through " + quoted(path) + ", which ") + predicate,
      is_absence};
  return false;
}

bool Inspection::follow(const std::string& path, int scripts) {
  const FileDescriptor file = open_regular_file(path);
  if (!file.is_open()) {
    program_.interpreter = path;
    program_.warnings.push_back(quoted(path) +
                                " may be executed but not read, so it could not be checked.");
    return true;
  }
  if (const auto facts = read_elf_facts(file.number())) {
    return finish_at(path, *facts, file.number());
  }
  if (const auto shebang = parse_shebang(read_head(file.number()))) {
    return follow_script(path, *shebang, scripts + 1);
  }
  if (program_.needs_shell) {
    return refuse(path, "is not a program: install the shell again");
  }
  // ENOEXEC, from whatever depth, makes execvp hand the file it was asked for to the shell.
  program_.needs_shell = true;
  return follow(kShell, 0);
}

bool Inspection::follow_script(const std::string& path, const Shebang& shebang, int scripts) {
  if (scripts > kScriptLimit) {
    return refuse(path,
                  "is a script of a script, more than five deep: name the last interpreter first");
  }
  const Startable found = look_at(shebang.interpreter);
  if (!found.obstacle.empty()) {
    return refuse(
        path,
        "is a script whose interpreter " + quoted(shebang.interpreter) + " " +
            (found.exists ? found.obstacle
                          : "does not exist: install it, or correct the script's first line"),
        !found.exists);
  }
  if (!follow(shebang.interpreter, scripts)) {
    return false;
  }
  const auto target = env_target(shebang);
  return !target || program_.needs_shell || follow_env(*target, scripts);
}

bool Inspection::follow_env(const std::string& target, int scripts) {
  for (const std::string& path : execvp_candidates(target, path_env_)) {
    if (look_at(path).obstacle.empty()) {
      // Counting on, because a script may name itself here, and would start itself for ever.
      const bool found = follow(path, scripts);
      program_.needs_shell = false;  // What env does with a text file is env's affair.
      return found;
    }
  }
  return refuse(program_.path,
                "is a script whose interpreter " + quoted(target) +
                    " was not found on PATH: install it, or correct the script's first line");
}

bool Inspection::finish_at(const std::string& path, const ElfFacts& facts, int file) {
  Obstacle found = find_obstacle(facts, file, Credentials::own());
  if (!found.sentence.empty()) {
    return refuse(path, found.sentence, found.is_absence);
  }
  program_.interpreter = path;
  program_.heap_invisible = facts.defines_malloc;
  if (facts.defines_malloc) {
    program_.warnings.push_back(
        quoted(path) +
        " defines its own malloc, so its heap is invisible: mappings, files and "
        "resident memory are recorded.");
  }
  return true;
}

}  // namespace

Result<Program> inspect_program(const std::string& name, const char* path_env) {
  return Inspection(name, path_env).run();
}

}  // namespace tidemark
