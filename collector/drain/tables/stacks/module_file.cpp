#include "collector/drain/tables/stacks/module_file.hpp"

#include "collector/os/build_id.hpp"

#include <utility>

#include <sys/stat.h>

namespace tidemark {
namespace {

/// True if both exist and are different files.
bool are_different(const std::string& one, const std::string& other) {
  struct stat a {};
  struct stat b {};
  if (::stat(one.c_str(), &a) != 0)
    return false;
  return ::stat(other.c_str(), &b) != 0 || a.st_dev != b.st_dev || a.st_ino != b.st_ino;
}

}  // namespace

ModuleFile find_module_file(const MappedModule& module, bool may_hold) {
  const std::string theirs = module.root + module.path;
  if (!module.root.empty() && are_different(theirs, module.path)) {
    FileDescriptor file = open_regular_file(theirs);
    std::string build_id = file.is_open() ? read_build_id(file.number()) : std::string();
    // A process that has changed its root still runs code from the old one.
    if (file.is_open() && (module.build_id.empty() || module.build_id == build_id))
      return {std::move(build_id), may_hold ? std::move(file) : FileDescriptor()};
  }
  if (!module.build_id.empty())
    return {module.build_id, FileDescriptor()};
  const FileDescriptor file = open_regular_file(module.path);
  return {file.is_open() ? read_build_id(file.number()) : std::string(), FileDescriptor()};
}

}  // namespace tidemark
