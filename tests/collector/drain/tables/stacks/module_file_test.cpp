// Programs of this build stand for a module's file: each has another build id.
#include "collector/drain/tables/stacks/module_file.hpp"

#include "collector/os/build_id.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/temporary_folder.hpp"

#include <cstdlib>
#include <filesystem>

#include <sys/stat.h>

using namespace tidemark;

namespace {

std::string build_id_of(const std::string& path) {
  const FileDescriptor file = open_regular_file(path);
  return file.is_open() ? read_build_id(file.number()) : std::string();
}

bool are_same(const FileDescriptor& file, const std::string& path) {
  struct stat a {};
  struct stat b {};
  return ::fstat(file.number(), &a) == 0 && ::stat(path.c_str(), &b) == 0 && a.st_ino == b.st_ino;
}

/// A root with another program at the same path.
class Roots {
 public:
  Roots() {
    std::filesystem::create_directories(root + folder.path());
    std::filesystem::copy_file("/proc/self/exe", path);
    std::filesystem::copy_file(TIDEMARK_OTHER_PROGRAM, root + path);
  }

  tidemark::tests::TemporaryFolder folder;
  std::string path = folder.file("program");
  std::string root = folder.file("root");
};

}  // namespace

TEST_CASE("a module of another root is read there, and held", "[module_file]") {
  const Roots roots;
  const std::string theirs = build_id_of(roots.root + roots.path);
  REQUIRE(theirs.size() == 40);
  REQUIRE(theirs != build_id_of(roots.path));
  for (const std::string& told : {theirs, std::string()}) {
    CAPTURE(told);
    const ModuleFile file = find_module_file({roots.path, roots.root, told}, true);
    CHECK(file.build_id == theirs);
    REQUIRE(file.held.is_open());
    CHECK(are_same(file.held, roots.root + roots.path));
  }
  const ModuleFile unheld = find_module_file({roots.path, roots.root, theirs}, false);
  CHECK(unheld.build_id == theirs);
  CHECK_FALSE(unheld.held.is_open());
}

TEST_CASE("a module that is not the one of its process's root is known by its build id",
          "[module_file]") {
  const Roots roots;
  const std::string ours = build_id_of(roots.path);
  const ModuleFile before = find_module_file({roots.path, roots.root, ours}, true);
  CHECK(before.build_id == ours);
  CHECK_FALSE(before.held.is_open());
  const ModuleFile third = find_module_file({roots.path, roots.root, "c0ffee"}, true);
  CHECK(third.build_id == "c0ffee");
  CHECK_FALSE(third.held.is_open());
}

TEST_CASE("a module of our own root is not held", "[module_file]") {
  const Roots roots;
  const std::string ours = build_id_of(roots.path);
  for (const std::string& root : {std::string("/proc/self/root"), std::string()}) {
    for (const std::string& told : {ours, std::string()}) {
      CAPTURE(root, told);
      const ModuleFile file = find_module_file({roots.path, root, told}, true);
      CHECK(file.build_id == ours);
      CHECK_FALSE(file.held.is_open());
    }
  }
  CHECK(find_module_file({roots.folder.file("nothing"), "", ""}, true).build_id.empty());
}
